//! What reference libraries wrote is read voxel by voxel as they wrote it, and they read what we write.

use crate::support::{Case, Probe, all_cases, boxed, check_all, class, corpus, expected, read_args, run, sha256, volume, write_mag};
use chunkscope::format::wkw::{BlockType, ShardIndexCache, WkwHeader, WkwSource};
use chunkscope::format::{ChunkSource, Dataset, ExtraAxis, Layer, OpenError, open, read_box};
use chunkscope::geometry::{BoundingBox, Shape3, Vec3Int};
use chunkscope::problem::{Problem, Severity};
use chunkscope::storage::{LocalFolder, LocalOpener};
use chunkscope::voxel::VoxelType;
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

fn opened(path: &Path) -> Dataset {
    open(&LocalOpener::default(), path).unwrap_or_else(|err| panic!("{err}"))
}

/// The case's level, as the command line would choose it.
fn source_of(dataset: &Dataset, case: &Case) -> Arc<dyn ChunkSource> {
    level_of(dataset, case).1
}

/// The case's layer and level.
fn level_of<'a>(dataset: &'a Dataset, case: &Case) -> (&'a Layer, Arc<dyn ChunkSource>) {
    let layer =
        case.layer.as_ref().map_or(&dataset.layers[0], |name| dataset.layer(name).unwrap_or_else(|| panic!("no layer: {}", case.name)));
    let level = case
        .mag
        .as_ref()
        .map_or(&layer.levels[0], |mag| layer.level(mag.parse().expect("a mag")).unwrap_or_else(|| panic!("no mag: {}", case.name)));
    (layer, level.source.clone().unwrap_or_else(|err| panic!("{err}: {}", case.name)))
}

/// The box's bytes, read into a buffer that held something else before.
fn read(source: &dyn ChunkSource, wanted: &BoundingBox) -> Vec<u8> {
    let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("a small box")];
    read_box(source, wanted, &mut out).unwrap_or_else(|err| panic!("{err}"));
    out
}

/// Names the first voxel that differs.
fn assert_same_voxels(ours: &[u8], theirs: &[u8], covered: &BoundingBox, voxel_type: VoxelType, name: &str) {
    assert_eq!(ours.len(), theirs.len(), "{name}");
    let len = voxel_type.byte_len();
    if let Some(at) = ours.chunks(len).zip(theirs.chunks(len)).position(|(a, b)| a != b) {
        let [w, h, _] = covered.shape.to_usize();
        let pos = covered.topleft + Vec3Int::from([at % w, at / w % h, at / w / h].map(|v| i64::try_from(v).expect("small")));
        let [a, b] = [ours, theirs].map(|bytes| voxel_type.format_voxel(&bytes[at * len..][..len]));
        panic!("{name}: voxel {pos} is {a}, expected {b}");
    }
}

/// What can be read, of WKW.
fn good_cases(folder: &Path) -> Vec<Case> {
    all_good_cases(folder).into_iter().filter(|case| case.format == "wkw").collect()
}

fn all_good_cases(folder: &Path) -> Vec<Case> {
    all_cases(folder).into_iter().filter(|case| case.error_mentions_any.is_empty()).collect()
}

/// The source at a probe's positions along further axes.
fn at_axes(source: &Arc<dyn ChunkSource>, axes: &[ExtraAxis], probe: &Probe, name: &str) -> Arc<dyn ChunkSource> {
    if axes.is_empty() {
        assert!(probe.axes.is_empty(), "{name}: the layer has no further axes");
        return source.clone();
    }
    for (wanted, _) in &probe.axes {
        assert!(axes.iter().any(|axis| axis.name == *wanted), "{name}: no axis {wanted}");
    }
    let position = |axis: &ExtraAxis| probe.axes.iter().find(|(name, _)| *name == axis.name).map_or(0, |(_, at)| *at);
    source.at_axes(&axes.iter().map(position).collect::<Vec<_>>()).unwrap_or_else(|| panic!("{name}: no such position"))
}

fn assert_probe(bytes: &[u8], probe: &Probe, voxel_type: VoxelType, name: &str) {
    let Some(lossy) = &probe.approximate else {
        assert_eq!(sha256(bytes), probe.sha256, "{name}: {}", probe.wanted);
        return;
    };
    assert_eq!((probe.wanted.topleft, probe.wanted.shape), (lossy.at, Shape3::splat(1)), "{name}: one voxel is compared");
    let channels = bytes.chunks(voxel_type.class.byte_len());
    let values: Vec<f64> = channels.map(|value| voxel_type.class.format_value(value).parse().expect("a number")).collect();
    assert_eq!(values.len(), lossy.values.len(), "{name}");
    let is_near = values.iter().zip(&lossy.values).all(|(ours, theirs)| (ours - theirs).abs() <= lossy.tolerance);
    assert!(is_near, "{name}: voxel {} is {values:?}, expected {:?}", lossy.at, lossy.values);
}

fn check_through_the_library(folder: &Path) {
    check_all(&all_good_cases(folder), |case| {
        let dataset = opened(&case.path);
        let (layer, source) = level_of(&dataset, case);
        assert_eq!(Some(source.voxel_type()), case.voxel_type, "{}", case.name);
        for probe in &case.probes {
            let source = at_axes(&source, &layer.axes, probe, &case.name);
            assert_probe(&read(source.as_ref(), &probe.wanted), probe, source.voxel_type(), &case.name);
        }
        assert_warned(case, &dataset, source.as_ref());
    });
}

/// The case's warning is among those of opening and reading. Words of paths don't count.
fn assert_warned(case: &Case, dataset: &Dataset, source: &dyn ChunkSource) {
    let found: Vec<Problem> = dataset.problems.iter().cloned().chain(source.take_warnings()).collect();
    let is_expected = |problem: &Problem| {
        problem.severity != Severity::Info && case.warning_mentions_any.iter().any(|word| problem.text.to_lowercase().contains(word))
    };
    let is_warned = case.warning_mentions_any.is_empty() || found.iter().any(is_expected);
    assert!(is_warned, "{}: no warning with one of {:?} in {found:?}", case.name, case.warning_mentions_any);
}

#[test]
fn every_box_of_the_corpus_is_read_as_its_library_wrote_it() {
    check_through_the_library(&corpus());
}

#[test]
fn every_box_of_the_larger_corpus_is_read_as_its_library_wrote_it_where_it_is_present() {
    let larger = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/data");
    if larger.join("manifest.json").exists() {
        check_through_the_library(&larger);
    }
}

#[test]
fn the_program_writes_the_bytes_of_boxes_of_the_corpus() {
    check_all(&all_good_cases(&corpus()), |case| {
        // WKW in full; of the others each case once, since the library's test has the rest.
        let probes = if case.format == "wkw" { &case.probes[..] } else { &case.probes[..1] };
        for probe in probes {
            let mut args = read_args(&case.path, &probe.wanted, &[]);
            args.extend(case.layer.iter().flat_map(|layer| ["--layer".to_owned(), layer.clone()]));
            args.extend(case.mag.iter().flat_map(|mag| ["--mag".to_owned(), mag.clone()]));
            args.extend(probe.axes.iter().flat_map(|(name, index)| ["--axis".to_owned(), format!("{name}={index}")]));
            let answer = run(&args);
            assert_eq!(answer.status, Some(0), "{}: {}", case.name, answer.stderr);
            assert_probe(&answer.stdout, probe, case.voxel_type.expect("a type"), &case.name);
        }
    });
}

#[test]
fn what_the_corpus_has_to_refuse_is_refused_in_one_line_that_names_the_fault() {
    let cases: Vec<Case> = all_cases(&corpus()).into_iter().filter(|case| !case.error_mentions_any.is_empty()).collect();
    check_all(&cases, |case| {
        let mut args = read_args(&case.path, &case.faulty_box, &[]);
        args.extend(case.args.clone().unwrap_or_default());
        let answer = run(&args);
        assert_eq!(answer.status, Some(case.exit), "{}: {}", case.name, answer.stderr);
        assert!(answer.stdout.is_empty(), "{}: data in spite of the error", case.name);
        let errors = answer.errors();
        assert_eq!(errors.len(), 1, "{}: {}", case.name, answer.stderr);
        // The words must not come from the file's name.
        let message = errors[0].replace(case.path.to_str().expect("UTF-8"), "");
        assert!(case.error_mentions_any.iter().any(|word| message.contains(word.as_str())), "{}: {message}", case.name);
        assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    });
}

#[test]
fn a_group_of_several_images_names_what_can_be_chosen_and_each_of_them_opens() {
    for (path, what, names) in [
        ("ome/series", "there are 2 series in it", vec!["0", "1"]),
        ("ome/plate", "there are 2 fields of a plate in it", vec!["A/1/0", "B/2/0"]),
    ] {
        let path = corpus().join(path);
        let OpenError::Choose { path: of, what: said, choices } = open(&LocalOpener::default(), &path).expect_err("several") else {
            panic!("{} is no choice", path.display())
        };
        assert_eq!((of, said.as_str()), (path.clone(), what));
        assert_eq!(choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>(), names);
        for choice in choices {
            assert_eq!(choice.path, path.join(&choice.name));
            assert!(opened(&choice.path).layers[0].finest().is_some(), "{}", choice.name);
        }
    }
}

#[test]
fn the_crate_wkwrap_reads_the_same_voxels_from_the_corpus() {
    for case in good_cases(&corpus()) {
        let dataset = opened(&case.path);
        let source = source_of(&dataset, &case);
        let location = source.header_report().sections[0].location.clone();
        let mag_folder = Path::new(&location).parent().expect("a folder");
        let wanted = case.probes[0].wanted;
        if location.ends_with("header.wkw") && Path::new(&location).exists() {
            let theirs = read_with_wkwrap(mag_folder, source.voxel_type(), &wanted);
            assert_same_voxels(&read(source.as_ref(), &wanted), &theirs, &wanted, source.voxel_type(), &case.name);
        }
    }
}

#[test]
fn header_fields_of_the_corpus_are_shown_with_bytes_value_and_meaning() {
    let mut text = String::new();
    let mut seen = Vec::new();
    for case in good_cases(&corpus()) {
        let dataset = opened(&case.path);
        let source = source_of(&dataset, &case);
        for section in source.header_report().sections {
            let place = Path::new(&section.location).strip_prefix(corpus()).expect("in the corpus").display().to_string();
            if seen.contains(&place) {
                continue;
            }
            writeln!(text, "{place}: {}", section.title).expect("a string");
            for field in section.fields {
                writeln!(text, "  {} | {} | {} | {}", field.name, field.raw, field.value, field.meaning).expect("a string");
            }
            seen.push(place);
        }
    }
    insta::assert_snapshot!("header_fields", text);
}

#[test]
fn layers_boxes_and_findings_of_the_corpus_are_these() {
    let mut text = String::new();
    let mut paths: Vec<_> = good_cases(&corpus()).into_iter().map(|case| case.path).collect();
    paths.dedup();
    for path in paths {
        let dataset = opened(&path);
        let short = |location: &str| location.replace(corpus().to_str().expect("UTF-8"), "");
        writeln!(text, "{} {} {}", short(&path.display().to_string()), dataset.name, dataset.voxel_size).expect("a string");
        for layer in &dataset.layers {
            let mags: Vec<_> = layer.levels.iter().map(|level| level.mag.to_string()).collect();
            let voxel_type = layer.voxel_type.map(|t| t.to_string()).unwrap_or_default();
            writeln!(text, "  {} {:?} {voxel_type} {} mags {}", layer.name, layer.category, layer.bounding_box, mags.join(" "))
                .expect("a string");
        }
        for problem in &dataset.problems {
            writeln!(text, "  {:?}: {}", problem.severity, short(&problem.to_string())).expect("a string");
        }
    }
    insta::assert_snapshot!("datasets", text);
}

const CLASSES: [&str; 10] = ["uint8", "uint16", "uint32", "uint64", "float32", "float64", "int8", "int16", "int32", "int64"];

/// The same header in wkwrap's words.
fn peer_header(header: &WkwHeader) -> wkwrap::Header {
    wkwrap::Header {
        version: 1,
        block_len_log2: header.chunk_log2,
        file_len_log2: header.chunks_per_shard_log2,
        block_type: match header.block_type {
            BlockType::Raw => wkwrap::BlockType::Raw,
            BlockType::Lz4 => wkwrap::BlockType::LZ4,
            BlockType::Lz4Hc => wkwrap::BlockType::LZ4HC,
        },
        voxel_type: peer_type(header.voxel_type),
        voxel_size: u8::try_from(header.voxel_type.byte_len()).expect("at most 255"),
        data_offset: 0,
        jump_table: None,
    }
}

fn peer_type(voxel_type: VoxelType) -> wkwrap::VoxelType {
    use wkwrap::VoxelType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let types = [U8, U16, U32, U64, F32, F64, I8, I16, I32, I64];
    types[CLASSES.iter().position(|name| class(name) == voxel_type.class).expect("one of ten")]
}

fn peer_vec(v: Vec3Int) -> wkwrap::Vec3 {
    let [x, y, z] = v.to_array().map(|v| u32::try_from(v).expect("32 bits"));
    wkwrap::Vec3 { x, y, z }
}

/// A box through wkwrap, whose array order is ours: channel fastest, then x, y, z.
fn read_with_wkwrap(mag: &Path, voxel_type: VoxelType, wanted: &BoundingBox) -> Vec<u8> {
    let mut bytes = vec![0; wanted.shape.byte_len(voxel_type.byte_len()).expect("a small box")];
    let peer = wkwrap::Dataset::new(mag).expect("wkwrap opens the mag");
    let mut mat = wkwrap::Mat::new(&mut bytes, peer_vec(wanted.shape.to_vec()), voxel_type.byte_len(), peer_type(voxel_type), false)
        .expect("an array");
    peer.read_mat(peer_vec(wanted.topleft), &mut mat).expect("wkwrap reads the box");
    bytes
}

/// Every voxel type and several channel counts, shapes and block types.
fn round_trip_headers() -> Vec<WkwHeader> {
    let mut headers = Vec::new();
    for block_type in [BlockType::Raw, BlockType::Lz4, BlockType::Lz4Hc] {
        for (i, name) in CLASSES.iter().enumerate() {
            for channels in [1, 2, 3, 5] {
                let (chunk_log2, chunks_per_shard_log2) = [(2, 1), (3, 0), (1, 2), (0, 3)][(i + channels) % 4];
                let voxel_type = VoxelType { class: class(name), channels: u32::try_from(channels).expect("few") };
                headers.push(WkwHeader { chunk_log2, chunks_per_shard_log2, block_type, voxel_type, data_offset: 0 });
            }
        }
        // 31 channels of 8 bytes are 248 of 255 possible; one chunk of 32 per shard is what annotations hold.
        headers.push(WkwHeader {
            chunk_log2: 2,
            chunks_per_shard_log2: 1,
            block_type,
            voxel_type: VoxelType { class: class("int64"), channels: 31 },
            data_offset: 0,
        });
        headers.push(WkwHeader {
            chunk_log2: 5,
            chunks_per_shard_log2: 0,
            block_type,
            voxel_type: VoxelType::single(class("uint32")),
            data_offset: 0,
        });
    }
    headers
}

#[test]
fn the_crate_wkwrap_reads_what_we_write() {
    round_trip_headers().par_iter().for_each(|header| {
        let dir = tempfile::tempdir().expect("a folder");
        let stored = boxed([3, 1, 5], [14, 9, 8]);
        let wanted = boxed([0; 3], [24; 3]);
        write_mag(dir.path(), *header, &stored);
        let theirs = read_with_wkwrap(dir.path(), header.voxel_type, &wanted);
        assert_same_voxels(&theirs, &expected(header.voxel_type, &stored, &wanted), &wanted, header.voxel_type, &format!("{header:?}"));
    });
}

#[test]
fn we_read_what_the_crate_wkwrap_writes() {
    round_trip_headers().par_iter().for_each(|header| {
        let dir = tempfile::tempdir().expect("a folder");
        let mag = dir.path().join("mag");
        let shard_side = header.chunk_shape().x() * header.chunks_per_shard().x();
        // wkwrap writes compressed shards only as a whole.
        let stored = BoundingBox::new(Vec3Int::new(shard_side, 0, 0), Shape3::new(2 * shard_side, shard_side, shard_side));
        let peer = wkwrap::Dataset::create(&mag, peer_header(header)).expect("wkwrap creates the mag");
        let mut bytes = volume(header.voxel_type, &stored);
        let mat = wkwrap::Mat::new(
            &mut bytes,
            peer_vec(stored.shape.to_vec()),
            header.voxel_type.byte_len(),
            peer_type(header.voxel_type),
            false,
        )
        .expect("an array");
        peer.write_mat(peer_vec(stored.topleft), &mat).expect("wkwrap writes the box");
        let source =
            WkwSource::open(Arc::new(LocalFolder::new(&mag)), Arc::<ShardIndexCache>::default()).unwrap_or_else(|err| panic!("{err}"));
        let wanted = BoundingBox::between(Vec3Int::splat(-3), stored.bottomright() + Vec3Int::splat(2));
        assert_eq!(source.voxel_type(), header.voxel_type);
        assert_same_voxels(
            &read(&source, &wanted),
            &expected(header.voxel_type, &stored, &wanted),
            &wanted,
            header.voxel_type,
            &format!("{header:?}"),
        );
    });
}
