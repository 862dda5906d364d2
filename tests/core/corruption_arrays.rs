//! Cut, flipped, lengthened, zeroed and contradictory files of Zarr, N5, precomputed and the JSON above them: right
//! data, an error or a problem; never a panic, a hang or a huge allocation.

use crate::corruption::bounded;
use crate::support::{Random, boxed, check_all, corpus, files, in_memory, panic_text};
use chunkscope::format::{ChunkError, ChunkSource, decode, open, read_box, read_encoded};
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3, Vec3Int};
use chunkscope::problem::Severity;
use chunkscope::storage::MemoryOpener;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Small datasets of the corpus that store metadata, indices and chunks in every way.
const DATASETS: [&str; 29] = [
    "zarr2/layout/rank5_c",
    "zarr2/layout/f_slash",
    "zarr2/codecs/gzip",
    "zarr2/codecs/blosc_blocks",
    "zarr2/codecs/lz4",
    "zarr2/codecs/lzma",
    "zarr2/fill/nan",
    "zarr3/transpose/both_021",
    "zarr3/codecs/crc32c_zstd_crc32c",
    "zarr3/sharding/end_crc",
    "zarr3/sharding/start_big",
    "zarr3/sharding/nested_start",
    "zarr3/sharding/outer_gzip",
    "zarr3/names/xyzct",
    "ome/v04_czyx",
    "ome/v05_labels",
    "n5/codecs/raw",
    "n5/codecs/lz4",
    "n5/codecs/edge_cut",
    "n5/codecs/varlength",
    "n5/cosem",
    "n5/viewer_scales",
    "precomputed/gzip_some",
    "precomputed/png_uint16_3",
    "precomputed/jpeg_wide_3",
    "precomputed/cseg_uint64_channels",
    "precomputed/compresso_uint32",
    "precomputed/sharded/murmur_mini2",
    "equal/precomputed",
];

/// Datasets in which a checksum covers every byte of the decoded chunks.
const CHECKED: [&str; 8] = [
    "zarr2/codecs/gzip",
    "zarr2/codecs/zlib",
    "zarr2/codecs/bz2",
    "zarr2/codecs/lzma",
    "zarr2/codecs/zstd_checksum",
    "zarr3/codecs/crc32c",
    "zarr3/codecs/gzip",
    "precomputed/png_uint16_3",
];

type Files = Vec<(String, Vec<u8>)>;

const METADATA_FILES: [&str; 7] = ["zarr.json", ".zarray", ".zattrs", ".zgroup", "attributes.json", "info", "datasource-properties.json"];

fn is_metadata(name: &str) -> bool {
    METADATA_FILES.contains(&name.rsplit('/').next().unwrap_or(name))
}

/// A chunk: where it is, the files that hold it, and its voxels.
type ChunkOutcome = (usize, ChunkIndex, Vec<String>, Result<Option<Vec<u8>>, String>);

/// What came of opening and reading all of a dataset.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    /// Why nothing, or a level, can be opened.
    refused: Vec<String>,
    /// Warnings and errors of opening and reading.
    problems: Vec<String>,
    /// Each level's whole box.
    boxes: Vec<Result<Vec<u8>, String>>,
    chunks: Vec<ChunkOutcome>,
}

/// What is read of a level: all of a small one, the beginning of one that claims to be large.
fn part_to_read(source: &dyn ChunkSource) -> BoundingBox {
    const MOST: i64 = 24;
    let extent = source.declared_extent().unwrap_or(boxed([0; 3], [MOST; 3]));
    let shape = Shape3::new(extent.shape.x().min(MOST), extent.shape.y().min(MOST), extent.shape.z().min(MOST));
    BoundingBox::new(extent.topleft, shape)
}

fn exercise(files: &[(String, Vec<u8>)]) -> Outcome {
    let mut outcome = Outcome::default();
    let dataset = match open(&MemoryOpener::new("/d", in_memory(files)), Path::new("/d")) {
        Ok(dataset) => dataset,
        Err(err) => {
            outcome.refused.push(err.to_string());
            return outcome;
        }
    };
    outcome.problems.extend(dataset.problems.iter().filter(|p| p.severity != Severity::Info).map(ToString::to_string));
    for layer in &dataset.layers {
        for level in &layer.levels {
            match &level.source {
                Ok(source) => {
                    exercise_level(source.as_ref(), &mut outcome);
                    let last: Vec<u64> = layer.axes.iter().map(|axis| axis.len.saturating_sub(1)).collect();
                    if let Some(elsewhere) = source.at_axes(&last).filter(|_| !last.is_empty()) {
                        exercise_level(elsewhere.as_ref(), &mut outcome);
                    }
                }
                Err(err) => outcome.refused.push(err.to_string()),
            }
        }
    }
    outcome
}

fn exercise_level(source: &dyn ChunkSource, outcome: &mut Outcome) {
    assert!(!source.header_report().sections.is_empty());
    let wanted = part_to_read(source);
    let number = outcome.boxes.len();
    if let Some(len) = wanted.shape.byte_len(source.voxel_type().byte_len()).filter(|len| *len <= 16 << 20) {
        let mut out = vec![0xee; len];
        outcome.boxes.push(read_box(source, &wanted, &mut out).map(|_| out).map_err(|err| err.to_string()));
    }
    for chunk in source.grid().chunks_in(&wanted).take(64) {
        let mut keys = Vec::new();
        let mut read = || {
            let Some(location) = source.locate(chunk)? else { return Ok(None) };
            keys = std::iter::once(&location.key).chain(location.more.iter().map(|piece| &piece.key)).map(ToString::to_string).collect();
            let encoded = read_encoded(source, std::slice::from_ref(&location))?;
            encoded.into_iter().next().map(|encoded| decode(source, encoded)).transpose()
        };
        let voxels: Result<_, ChunkError> = read();
        let voxels = voxels.map(|buffer| buffer.map(|buffer| buffer.into_bytes())).map_err(|err| err.to_string());
        outcome.chunks.push((number, chunk, keys, voxels));
    }
    for shard in source.grid().shards_in(&wanted).take(8) {
        source.is_absent(shard);
        let _ = source.shard_len(shard);
        let _ = source.shard_layout(shard);
    }
    let _ = source.find_shards(100);
    let warnings = source.take_warnings();
    outcome.problems.extend(warnings.iter().filter(|p| p.severity != Severity::Info).map(ToString::to_string));
}

/// As [`exercise`], with the damage named where it panics.
fn outcome_of(files: &[(String, Vec<u8>)], what: &str) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| exercise(files))).unwrap_or_else(|payload| panic!("{what} panics: {}", panic_text(payload.as_ref())))
}

fn with(files: &Files, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Files {
    let mut files = files.clone();
    change(&mut files.iter_mut().find(|(key, _)| key == name).expect("the file is there").1);
    files
}

/// What is done to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Cut(usize),
    Longer(usize),
    Zeroed,
    Flipped(usize, u8),
}

impl Damage {
    fn apply(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Cut(len) => bytes.truncate(len),
            Self::Longer(more) => bytes.resize(bytes.len() + more, 0xee),
            Self::Zeroed => bytes.fill(0),
            Self::Flipped(at, mask) => bytes[at] ^= mask,
        }
    }
}

/// Damages of a file of this length, about `count` cuts and flips each.
fn damages(len: usize, count: usize, random: &mut Random) -> Vec<Damage> {
    let mut below = |end: usize| usize::try_from(random.below(end as u64)).expect("small");
    let mut all = vec![Damage::Cut(0), Damage::Longer(1), Damage::Longer(4096), Damage::Zeroed];
    if len > 0 {
        all.extend([1, 4, 16].iter().filter(|n| **n < len).flat_map(|n| [Damage::Cut(*n), Damage::Cut(len - n)]));
        all.extend((0..count).map(|_| Damage::Cut(below(len))));
        // Headers and indices are at the ends.
        let places = |below: &mut dyn FnMut(usize) -> usize| match below(3) {
            0 => below(len.min(64)),
            1 => len - 1 - below(len.min(64)),
            _ => below(len),
        };
        let masks = [0x01, 0x80, 0xff, 0x20, 0x10];
        all.extend((0..count).map(|i| Damage::Flipped(places(&mut below), masks[i % masks.len()])));
    }
    all
}

/// Damages each file of a dataset in turn and hands what came of it to `check`.
fn damage_each_file(dataset: &str, check: impl Fn(&str, Damage, &Outcome, &Outcome) + Sync) {
    let sound_files = files(&corpus().join(dataset));
    let sound = outcome_of(&sound_files, dataset);
    assert!(sound.refused.is_empty() && sound.boxes.iter().all(Result::is_ok), "{dataset}: {sound:?}");
    let count = (250 / sound_files.len()).clamp(4, 60);
    let mut random = Random::new(3);
    let mut work = Vec::new();
    for (name, bytes) in &sound_files {
        work.extend(damages(bytes.len(), count, &mut random).into_iter().map(|damage| (name.as_str(), damage)));
    }
    bounded(|| {
        check_all(&work, |(name, damage)| {
            let what = format!("{dataset}/{name} {damage:?}");
            let outcome = outcome_of(&with(&sound_files, name, |bytes| damage.apply(bytes)), &what);
            check(name, *damage, &sound, &outcome);
        });
    });
}

impl Outcome {
    /// Whether something is said to be wrong that the sound files don't have.
    fn tells_more_than(&self, sound: &Self) -> bool {
        !self.refused.is_empty() || self.problems.iter().any(|problem| !sound.problems.contains(problem))
    }
}

#[test]
fn damaged_files_give_right_data_an_error_or_a_problem_within_bounds() {
    for dataset in DATASETS {
        damage_each_file(dataset, |name, damage, sound, outcome| {
            let what = || format!("{dataset}/{name} {damage:?}");
            if is_metadata(name) {
                match damage {
                    Damage::Cut(_) | Damage::Zeroed => {
                        assert!(outcome.tells_more_than(sound) || outcome == sound, "{}: goes unnoticed: {outcome:?}", what());
                    }
                    // Another valid file, or text behind the end of JSON.
                    Damage::Longer(_) | Damage::Flipped(..) => {}
                }
                return;
            }
            assert!(outcome.refused.is_empty(), "{}: a chunk is no reason to refuse the dataset: {outcome:?}", what());
            assert_eq!(outcome.chunks.len(), sound.chunks.len(), "{}", what());
            for (found, right) in outcome.chunks.iter().zip(&sound.chunks) {
                let (number, chunk, keys, voxels) = found;
                let is_right = *voxels == right.3;
                // Nothing that happens to a file may touch chunks of others.
                let is_touched = right.2.iter().chain(keys).any(|key| name.ends_with(key.as_str()));
                assert!(is_right || is_touched, "{}: chunk {chunk} of level {number} changes: {:?}", what(), voxels.as_ref().err());
                match damage {
                    Damage::Cut(_) | Damage::Longer(_) => {
                        let is_told = voxels.is_err() || outcome.tells_more_than(sound);
                        assert!(is_right || is_told, "{}: wrong data in chunk {chunk} of level {number}", what());
                    }
                    // Voxels that nothing guards may just be others.
                    Damage::Flipped(..) | Damage::Zeroed => {}
                }
            }
        });
    }
}

#[test]
fn flipped_bytes_under_a_checksum_are_never_shown_without_an_error_or_a_problem() {
    for dataset in CHECKED {
        damage_each_file(dataset, |name, damage, sound, outcome| {
            if is_metadata(name) {
                return;
            }
            for (found, right) in outcome.chunks.iter().zip(&sound.chunks) {
                let is_told = found.3.is_err() || outcome.tells_more_than(sound);
                assert!(found.3 == right.3 || is_told, "{dataset}/{name} {damage:?}: wrong data in chunk {}", found.1);
            }
        });
    }
}

/// JSON pointers of all values in a document, the whole of it first.
fn places(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Object(fields) => {
                for (name, inner) in fields {
                    walk(inner, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), out);
                }
            }
            // The first few stand for all.
            Value::Array(list) => list.iter().take(3).enumerate().for_each(|(i, inner)| walk(inner, &format!("{at}/{i}"), out)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut out = Vec::new();
    walk(value, "", &mut out);
    out
}

/// What stands in the place of a value.
fn replacements() -> Vec<Value> {
    vec![
        Value::Null,
        json!(""),
        json!("../../x\u{0}/é"),
        json!(-1),
        json!(0),
        json!(1),
        json!(1e30),
        json!(1.5),
        json!(1_u64 << 31),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(true),
        json!({}),
        json!([]),
        json!([[], null, "x"]),
        json!(vec![0; 10_000]),
        json!(vec![1_u64 << 40; 9]),
        json!({ "name": "x", "configuration": { "x": [{}] } }),
    ]
}

#[test]
fn any_other_value_in_metadata_is_an_error_a_problem_or_another_dataset_within_bounds() {
    let replacements = replacements();
    for dataset in DATASETS {
        let sound_files = files(&corpus().join(dataset));
        let (mut work, mut seen) = (Vec::new(), Vec::new());
        for (name, bytes) in sound_files.iter().filter(|(name, _)| is_metadata(name)) {
            // NaN is no JSON, though Zarr writes it.
            let Ok(document) = serde_json::from_slice::<Value>(bytes) else { continue };
            // Levels are described alike: one stands for all.
            let places = places(&document);
            if seen.contains(&places) {
                continue;
            }
            seen.push(places.clone());
            for place in places {
                work.extend(replacements.iter().map(|replacement| (name, document.clone(), place.clone(), Some(replacement))));
                work.push((name, document.clone(), place, None));
            }
        }
        assert!(work.len() > 100, "{dataset}");
        bounded(|| {
            check_all(&work, |(name, document, place, replacement)| {
                let mut document = document.clone();
                match replacement {
                    Some(replacement) => *document.pointer_mut(place).expect("there") = (*replacement).clone(),
                    None => remove(&mut document, place),
                }
                let text = replacement.map_or_else(|| "removed".to_owned(), ToString::to_string);
                let short: String = text.chars().take(60).collect();
                let changed = with(&sound_files, name, |bytes| *bytes = document.to_string().into_bytes());
                outcome_of(&changed, &format!("{dataset}/{name}: {place} = {short}"));
            });
        });
    }
}

fn remove(document: &mut Value, place: &str) {
    let Some((parent, key)) = place.rsplit_once('/') else { return };
    match document.pointer_mut(parent) {
        Some(Value::Object(fields)) => drop(fields.remove(&key.replace("~1", "/").replace("~0", "~"))),
        Some(Value::Array(list)) => drop(list.remove(key.parse().expect("an index"))),
        Some(_) | None => {}
    }
}

#[test]
fn a_level_that_claims_to_be_huge_is_read_where_it_is_stored_and_empty_elsewhere() {
    for (dataset, file, place) in [
        ("zarr2/codecs/gzip", ".zarray", "/shape"),
        ("zarr3/codecs/gzip", "zarr.json", "/shape"),
        ("n5/codecs/xz", "attributes.json", "/dimensions"),
    ] {
        let sound_files = files(&corpus().join(dataset));
        let sound = exercise(&sound_files);
        let huge = with(&sound_files, file, |bytes| {
            let mut document: Value = serde_json::from_slice(bytes).expect("JSON");
            *document.pointer_mut(place).expect("a shape") = json!([1_u64 << 37, 1_u64 << 37, 1_u64 << 37]);
            *bytes = document.to_string().into_bytes();
        });
        bounded(|| {
            let outcome = exercise(&huge);
            let found = outcome
                .chunks
                .iter()
                .find(|chunk| chunk.1 == ChunkIndex(Vec3Int::ZERO))
                .unwrap_or_else(|| panic!("{dataset}: {outcome:?}"));
            assert!(found.3 == sound.chunks[0].3 && found.3.as_ref().is_ok_and(Option::is_some), "{dataset}: {:?}", outcome.refused);
        });
    }
}

#[test]
fn a_group_that_lists_thousands_of_images_or_levels_is_shown_up_to_a_bound_with_a_warning() {
    let sound_files = files(&corpus().join("ome/v04_czyx"));
    for (place, said) in [("/multiscales", "Of 3000 multiscales the first 64"), ("/multiscales/0/datasets", "Of 3000 levels the first 64")]
    {
        let many = with(&sound_files, ".zattrs", |bytes| {
            let mut document: Value = serde_json::from_slice(bytes).expect("JSON");
            let list = document.pointer_mut(place).and_then(Value::as_array_mut).expect("a list");
            *list = vec![list[0].clone(); 3000];
            *bytes = document.to_string().into_bytes();
        });
        let dataset = bounded(|| open(&MemoryOpener::new("/d", in_memory(&many)), Path::new("/d")).expect("opens"));
        let levels: usize = dataset.layers.iter().map(|layer| layer.levels.len()).sum();
        assert!((64..=128).contains(&levels), "{place}: {levels} levels");
        assert!(dataset.problems.iter().any(|problem| problem.text.contains(said)), "{place}: {:?}", dataset.problems);
    }
}
