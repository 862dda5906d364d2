//! `chunkscope diff` through the program: what is equal, what differs, what is trouble, in bounded memory.

use crate::support::{
    Answer, LayerSpec, UINT8, assert_refused, boxed, check_all, corpus, cube, equal_groups, header, run, small_box, small_dataset,
    write_mag, write_properties,
};
use chunkscope::format::wkw::{BlockType, WkwWriter};
use chunkscope::geometry::{ShardIndex, Vec3Int};
use chunkscope::voxel::{ElementClass, VoxelType};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn args(a: &Path, b: &Path, more: &[&str]) -> Vec<String> {
    let paths = ["diff".to_owned(), a.display().to_string(), b.display().to_string()];
    paths.into_iter().chain(more.iter().map(|s| (*s).to_owned())).collect()
}

fn diff(a: &Path, b: &Path, more: &[&str]) -> Answer {
    run(args(a, b, more))
}

/// The object that is printed, and the exit status.
fn diff_json(a: &Path, b: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let answer = diff(a, b, &[&["--json"], more].concat());
    (answer.status, serde_json::from_str(answer.text()).unwrap_or_else(|err| panic!("{err}: {}", answer.stderr)))
}

/// A mag of one shard of 16³ voxels in chunks of `2^chunk_log2`, with these ids and 0 elsewhere.
fn write_ids(folder: &Path, class: ElementClass, chunk_log2: u8, ids: &[([usize; 3], u64)]) {
    let writer = WkwWriter::create(folder, header(chunk_log2, 4 - chunk_log2, BlockType::Lz4, VoxelType::single(class))).expect("created");
    let mut voxels = vec![0; 4096 * class.byte_len()];
    for ([x, y, z], id) in ids {
        let at = (x + 16 * (y + 16 * z)) * class.byte_len();
        voxels[at..at + class.byte_len()].copy_from_slice(&id.to_le_bytes()[..class.byte_len()]);
    }
    writer.write_shard(ShardIndex(Vec3Int::ZERO), &voxels, &cube(16)).expect("written");
}

/// Overwrites the voxels of a raw shard with zeros: the writer leaves shards of zeros out.
fn clear_shard(file: &Path) {
    /// Length of a WKW header.
    const HEADER: usize = 16;
    let mut bytes = std::fs::read(file).expect("there");
    bytes[HEADER..].fill(0);
    std::fs::write(file, bytes).expect("written");
}

#[test]
fn one_volume_in_several_formats_is_equal() {
    let groups = equal_groups(&corpus());
    let pairs: Vec<_> = groups.iter().flat_map(|group| group.levels.windows(2).map(move |pair| (pair, &group.mag))).collect();
    assert!(pairs.len() >= 10);
    check_all(&pairs, |(pair, mag)| {
        // Layers of other names are named by their folders.
        let path = |(path, layer): &(std::path::PathBuf, String)| path.join(layer);
        let answer = diff(&path(&pair[0]), &path(&pair[1]), &["--mag", mag]);
        assert_eq!((answer.status, answer.errors().len()), (Some(0), 0), "{pair:?}: {}{}", answer.text(), answer.stderr);
        assert!(answer.text().ends_with("\nequal\n"));
    });
    let equal = |name: &str| corpus().join("equal").join(name);
    assert_eq!(diff(&equal("wkw_lz4"), &equal("precomputed"), &[]).status, Some(0));
    for name in ["aniso", "cxyz", "cyx", "czyx", "labels", "tczyx", "xyz", "yx", "zyx"] {
        let version = |v: &str| corpus().join(format!("ome/{v}_{name}"));
        let answer = diff(&version("v04"), &version("v05"), &[]);
        assert_eq!(answer.status, Some(0), "{name}: {}{}", answer.text(), answer.stderr);
    }
}

#[test]
fn other_voxels_are_told_with_their_place_and_values() {
    let (a, b) = (folder(), folder());
    small_dataset(a.path());
    small_dataset(b.path());
    let writer = WkwWriter::create(b.path().join("color/1"), header(2, 1, BlockType::Raw, UINT8)).expect("created");
    let shard = boxed([0; 3], [8; 3]);
    let mut voxels = crate::support::expected(UINT8, &small_box(), &shard);
    voxels[4 + 8 * (5 + 8 * 6)] = 7;
    voxels[5 + 8 * (2 + 8 * 7)] = 9;
    writer.write_shard(ShardIndex(Vec3Int::ZERO), &voxels, &shard).expect("written");
    let (status, found) = diff_json(a.path(), b.path(), &[]);
    let mag = &found["layers"][0]["mags"][0];
    assert_eq!((status, &found["verdict"], &mag["verdict"]), (Some(1), &json!("different"), &json!("different")));
    assert_eq!((&mag["voxels"]["compared"], &mag["voxels"]["differing"]), (&json!(11 * 10 * 9), &json!(2)));
    assert_eq!(mag["voxels"]["first"]["position"], json!([4, 5, 6]));
    assert_eq!(mag["voxels"]["first"]["values"]["b"], json!(["7"]));
    assert_eq!(mag["voxels"]["bounding_box"], json!({ "topleft": [4, 2, 6], "shape": [2, 4, 2] }));
    assert_eq!(mag["voxels"]["ids"], Value::Null);
    let text = diff(a.path(), b.path(), &[]).text().to_owned();
    assert!(text.contains("2 of 990 voxels differ") && text.contains("4, 5, 6: ") && text.ends_with("\ndifferent\n"), "{text}");
}

#[test]
fn ids_are_exact_and_keep_their_sign() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).join("segmentation/1");
    let big = (1_u64 << 53) + 1;
    write_ids(&at("a"), ElementClass::Uint64, 2, &[([1, 2, 3], big), ([9, 9, 9], u64::MAX), ([0, 0, 0], 4)]);
    write_ids(&at("b"), ElementClass::Uint64, 3, &[([1, 2, 3], big - 1), ([9, 9, 9], u64::MAX)]);
    let (status, found) = diff_json(&at("a"), &at("b"), &[]);
    let ids = &found["layers"][0]["mags"][0]["voxels"]["ids"];
    let pair = |from: &str, to: &str| json!({ "from": from, "to": to, "voxels": 1 });
    assert_eq!((status, &ids["pairs"]), (Some(1), &json!([pair("4", "0"), pair("9007199254740993", "9007199254740992")])));
    assert_eq!((&ids["lost"], &ids["gained"], &ids["pairs_left_out"]), (&json!(1), &json!(0), &json!(0)));
    assert_eq!(ids["changes"][0], json!({ "id": "4", "gained": 0, "lost": 1, "changed": 0, "taken": 0 }));
    write_ids(&at("c"), ElementClass::Int64, 2, &[([1, 2, 3], big), ([9, 9, 9], u64::MAX), ([0, 0, 0], 4)]);
    let (status, found) = diff_json(&at("a"), &at("c"), &[]);
    let pairs = &found["layers"][0]["mags"][0]["voxels"]["ids"]["pairs"];
    assert_eq!((status, pairs), (Some(1), &json!([pair("18446744073709551615", "-1")])));
}

#[test]
fn equal_values_of_another_type_are_different_and_said_to_be_equal() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).join("segmentation/1");
    for (name, class) in [("a", ElementClass::Uint8), ("b", ElementClass::Uint32)] {
        write_ids(&at(name), class, 2, &[([1, 2, 3], 200)]);
    }
    let answer = diff(&at("a"), &at("b"), &[]);
    assert_eq!(answer.status, Some(1));
    assert!(answer.text().contains("4096 voxels are equal") && answer.text().contains("uint8 in A, uint32 in B"), "{}", answer.text());
}

#[test]
fn stored_zeros_and_nothing_are_equal() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).join("1");
    write_mag(&at("a"), header(2, 2, BlockType::Raw, UINT8), &cube(16));
    clear_shard(&at("a").join("z0/y0/x0.wkw"));
    write_mag(&at("b"), header(3, 2, BlockType::Lz4, UINT8), &cube(0));
    write_properties(dir.path(), &[LayerSpec::simple("a", cube(200)), LayerSpec::simple("b", cube(200))]);
    let answer = diff(&dir.path().join("a"), &dir.path().join("b"), &[]);
    assert_eq!(answer.status, Some(0), "{}{}", answer.text(), answer.stderr);
    assert!(answer.text().replace('\u{2009}', "").contains("8000000 voxels are equal"), "{}", answer.text());
}

#[test]
fn layers_and_mags_on_one_side_are_differences_and_boxes_are_told() {
    let (a, b) = (folder(), folder());
    for (dir, other, larger) in [(&a, "left", [11, 10, 9]), (&b, "right", [30, 10, 9])] {
        small_dataset(dir.path());
        write_mag(&dir.path().join(other).join("1"), header(2, 1, BlockType::Lz4, UINT8), &small_box());
        write_properties(dir.path(), &[LayerSpec::simple("color", boxed([1, 2, 3], larger)), LayerSpec::simple(other, small_box())]);
    }
    let (status, found) = diff_json(a.path(), b.path(), &[]);
    assert_eq!((status, &found["layers_only_in"]), (Some(1), &json!({ "a": ["left"], "b": ["right"] })));
    assert_eq!(found["layers"][0]["verdict"], "equal");
    let answer = diff(a.path(), b.path(), &["--layer", "color"]);
    assert_eq!(answer.status, Some(0), "{}", answer.text());
    assert!(answer.text().contains("1, 2, 3 + 11 × 10 × 9 in A, 1, 2, 3 + 30 × 10 × 9 in B"), "{}", answer.text());
    write_mag(&b.path().join("color/2"), header(2, 1, BlockType::Lz4, UINT8), &cube(4));
    std::fs::remove_file(b.path().join("datasource-properties.json")).expect("removed");
    let (status, found) = diff_json(&a.path().join("color"), &b.path().join("color"), &[]);
    assert_eq!((status, &found["layers"][0]["mags_only_in"]), (Some(1), &json!({ "a": [], "b": ["2"] })));
    assert_eq!(diff(&a.path().join("color"), &b.path().join("color"), &["--mag", "1"]).status, Some(0));
}

#[test]
fn wrong_usage_and_what_cannot_be_opened_are_trouble() {
    let dir = folder();
    small_dataset(dir.path());
    let cases: [(&Path, &[&str], &[&str]); 4] = [
        (dir.path(), &["--layer", "nope"], &["no layer \"nope\"", "there are: color"]),
        (dir.path(), &["--mag", "4"], &["no mag 4", "there are: 1"]),
        (dir.path(), &["--nonsense"], &["--nonsense"]),
        (&dir.path().join("gone"), &[], &["can't open", "gone"]),
    ];
    for (b, more, words) in cases {
        assert_refused(&diff(dir.path(), b, more), 2, words, &format!("{more:?}"));
    }
}

#[test]
fn chunks_that_cannot_be_read_are_trouble_and_the_rest_is_compared() {
    let (a, b) = (folder(), folder());
    small_dataset(a.path());
    small_dataset(b.path());
    let shard = b.path().join("color/1/z0/y0/x1.wkw");
    std::fs::OpenOptions::new().write(true).open(shard).and_then(|file| file.set_len(90)).expect("cut");
    for more in [&[][..], &["--json"]] {
        let answer = diff(a.path(), b.path(), more);
        assert_eq!((answer.status, answer.errors().len(), answer.stderr.lines().count()), (Some(2), 1, 1), "{}", answer.stderr);
        for word in ["layer color, mag 1 of B", "shard 1, 0, 0", "truncated", "x1.wkw"] {
            assert!(answer.stderr.contains(word), "no {word:?} in {}", answer.stderr);
        }
    }
    let (_, found) = diff_json(a.path(), b.path(), &[]);
    let voxels = &found["layers"][0]["mags"][0]["voxels"];
    assert_eq!((&found["verdict"], &voxels["differing"]), (&json!("trouble"), &json!(0)));
    let unread = voxels["unread"].as_u64().expect("a number");
    assert!(unread > 0 && unread + voxels["compared"].as_u64().expect("a number") == 990, "{voxels}");
}

/// An array of uint8 in raw chunks, all of it empty but for one chunk.
fn sparse_zarr(folder: &Path, side: u64, chunk: u64, stored_at: u64) {
    std::fs::create_dir_all(folder).expect("a folder");
    let meta = json!({
        "zarr_format": 2, "shape": [side, side, side], "chunks": [chunk, chunk, chunk], "dtype": "|u1", "order": "C", "fill_value": 0,
        "compressor": null, "filters": null, "dimension_separator": ".",
    });
    std::fs::write(folder.join(".zarray"), meta.to_string()).expect("written");
    let at = stored_at / chunk;
    let mut voxels = vec![0; usize::try_from(chunk.pow(3)).expect("small")];
    let inside = stored_at % chunk;
    voxels[usize::try_from(inside * (1 + chunk + chunk * chunk)).expect("small")] = 5;
    std::fs::write(folder.join(format!("{at}.{at}.{at}")), voxels).expect("written");
}

#[cfg(unix)]
#[test]
fn huge_sparse_extents_are_compared_soon_and_in_little_memory() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    sparse_zarr(&at("a"), 1 << 40, 16, 1 << 39);
    sparse_zarr(&at("b"), 1 << 40, 48, 1 << 39);
    sparse_zarr(&at("c"), 1 << 40, 48, (1 << 39) + 1);
    write_mag(&at("w/1"), header(5, 0, BlockType::Lz4, UINT8), &boxed([1 << 20; 3], [64; 3]));
    write_properties(&at("w"), &[LayerSpec { mags: vec![(1.into(), Some("./1".to_owned()))], ..LayerSpec::simple("w", cube(1 << 30)) }]);
    for (a, b, status) in [("a", "b", 0), ("a", "c", 1), ("w", "w", 0), ("w", "a", 1)] {
        let started = std::time::Instant::now();
        let answer = crate::support::answer(crate::support::limited("ulimit -v 1500000", &args(&at(a), &at(b), &[])));
        assert_eq!(answer.status, Some(status), "{a} {b}: {}{}", answer.text(), answer.stderr);
        assert!(started.elapsed().as_secs() < 20, "{a} {b}: {:?}", started.elapsed());
    }
    let text = diff(&at("a"), &at("c"), &[]).text().to_owned();
    assert!(text.contains("2 of ") && text.contains("549755813888, 549755813888, 549755813888: 5 → 0"), "{text}");
}

#[test]
fn large_volumes_take_little_memory() {
    // 256 MiB on each side of what is stored in few bytes.
    let dir = folder();
    for (name, chunk_log2, shard_log2) in [("a", 5, 1), ("b", 6, 1)] {
        let header = header(chunk_log2, shard_log2, BlockType::Lz4, UINT8);
        let writer = WkwWriter::create(dir.path().join(name).join("1"), header).expect("created");
        let count = 1024 / (header.chunk_shape().x() * header.chunks_per_shard().x());
        let first = ShardIndex(Vec3Int::ZERO);
        let voxels = vec![7; writer.shard_box(first).shape.byte_len(1).expect("small")];
        for i in 0..count * count * (count / 4) {
            let shard = ShardIndex(Vec3Int::new(i % count, i / count % count, i / count / count));
            writer.write_shard(shard, &voxels, &writer.shard_box(shard)).expect("written");
        }
    }
    let command = crate::support::limited("ulimit -v 400000", &args(&dir.path().join("a/1"), &dir.path().join("b/1"), &[]));
    let answer = crate::support::answer(command);
    assert_eq!(answer.status, Some(0), "{}{}", answer.text(), answer.stderr);
}

#[test]
fn every_dataset_of_the_corpus_equals_itself() {
    let mut paths: Vec<_> =
        crate::support::all_cases(&corpus()).into_iter().filter(|case| !case.probes.is_empty()).map(|case| case.path).collect();
    paths.sort();
    paths.dedup();
    check_all(&paths, |path| {
        let opened = run(["info", path.to_str().expect("UTF-8")]);
        if opened.text().contains("error: ") || opened.status != Some(0) {
            return; // some of its layers can't be read
        }
        let (status, found) = diff_json(path, path, &[]);
        // Chunks that are damaged on purpose are trouble, never a difference.
        assert!(
            matches!((status, found["verdict"].as_str()), (Some(0), Some("equal")) | (Some(2), Some("trouble"))),
            "{}: {found}",
            path.display()
        );
        for mag in found["layers"].as_array().into_iter().flatten().flat_map(|layer| layer["mags"].as_array().into_iter().flatten()) {
            assert_eq!(mag["voxels"]["differing"], 0, "{}", path.display());
        }
    });
}

/// A folder with an NML and the extracted data of its volume: one bucket of each id, along x.
fn write_annotation(folder: &Path, nml: &str, buckets: &[(i64, u32)]) {
    std::fs::create_dir_all(folder).expect("a folder");
    let nml = format!(
        "<things><parameters><experiment name=\"d\"/><scale x=\"4\" y=\"4\" z=\"35\"/></parameters>{nml}<volume id=\"0\" \
         location=\"data_Volume.zip\" name=\"Volume\" fallbackLayer=\"segmentation\"/></things>"
    );
    std::fs::write(folder.join("annotation.nml"), nml).expect("written");
    let mag = folder.join("data_Volume/1");
    let writer = WkwWriter::create(&mag, header(5, 0, BlockType::Raw, VoxelType::single(ElementClass::Uint32))).expect("created");
    for (x, id) in buckets {
        let shard = ShardIndex(Vec3Int::new(*x, 0, 0));
        writer.write_shard(shard, &id.max(&1).to_le_bytes().repeat(32 * 32 * 32), &writer.shard_box(shard)).expect("written");
        if *id == 0 {
            clear_shard(&mag.join(format!("z0/y0/x{x}.wkw")));
        }
    }
}

#[test]
fn annotations_are_compared_by_buckets_and_in_meaning() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let tree = |x: i64| {
        let node = |id: i64, x: i64| format!("<node id=\"{id}\" radius=\"1\" x=\"{x}\" y=\"2\" z=\"3\"/>");
        let nodes = format!("<nodes>{}{}</nodes><edges><edge source=\"1\" target=\"2\"/></edges>", node(1, 5), node(2, x));
        format!("<thing id=\"1\" name=\"axon\" color.r=\"1\" color.g=\"0\" color.b=\"0\" color.a=\"1\">{nodes}</thing>")
    };
    write_annotation(&at("a"), &tree(9), &[(1, 5), (2, 0), (4, 7)]);
    write_annotation(&at("same"), &tree(9), &[(1, 5), (2, 0), (4, 7)]);
    write_annotation(&at("shown_through"), &tree(9), &[(1, 5), (4, 7)]);
    write_annotation(&at("painted"), &tree(9), &[(1, 5), (2, 0), (3, 7), (4, 6)]);
    write_annotation(&at("traced"), &tree(10), &[(1, 5), (2, 0), (4, 7)]);
    let (status, found) = diff_json(&at("a"), &at("same"), &[]);
    assert_eq!((status, &found["annotation"]["counts"]), (Some(0), &json!([])), "{found}");
    let mag = |found: &Value| found["layers"][0]["mags"][0].clone();
    // A bucket of zeros hides what lies below.
    let (status, found) = diff_json(&at("a"), &at("shown_through"), &[]);
    assert_eq!((status, &mag(&found)["voxels"]["differing"]), (Some(1), &json!(0)));
    assert_eq!(mag(&found)["buckets"], json!({ "in_both": 2, "only_in": { "a": 1, "b": 0 }, "differing": 0 }));
    let (status, found) = diff_json(&at("a"), &at("painted"), &[]);
    let change = |id: &str, gained: u64, changed: u64, taken: u64| json!({ "id": id, "gained": gained, "lost": 0, "changed": changed, "taken": taken });
    assert_eq!(status, Some(1));
    assert_eq!(mag(&found)["voxels"]["ids"]["changes"], json!([change("7", 32768, 32768, 0), change("6", 0, 0, 32768)]));
    assert_eq!(mag(&found)["buckets"], json!({ "in_both": 3, "only_in": { "a": 0, "b": 1 }, "differing": 1 }));
    let (status, found) = diff_json(&at("a"), &at("traced"), &[]);
    assert_eq!((status, &mag(&found)["verdict"]), (Some(1), &json!("equal")));
    assert_eq!(found["annotation"]["counts"], json!([{ "part": "node", "change": "changed", "count": 1 }]));
    // A layer that was chosen is compared alone.
    assert_eq!(diff(&at("a"), &at("traced"), &["--layer", "Volume"]).status, Some(0));
    let text = diff(&at("a"), &at("traced"), &[]).text().to_owned();
    assert!(text.contains("1 changed") && text.contains("node 2"), "{text}");
}

#[test]
fn a_closed_pipe_is_quiet_and_the_status_still_tells() {
    let dir = folder();
    small_dataset(dir.path());
    let mut child = crate::support::program(args(dir.path(), &corpus().join("mags"), &[]))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}

#[test]
fn what_is_printed_is_as_in_the_stored_examples() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).join("segmentation");
    let few = [([1, 2, 3], 5), ([2, 2, 3], 5), ([9, 9, 9], 6), ([10, 9, 9], 7)];
    write_ids(&at("a").join("1"), ElementClass::Uint32, 2, &few);
    write_ids(&at("b").join("1"), ElementClass::Uint32, 3, &[([1, 2, 3], 8), ([2, 2, 3], 8), ([9, 9, 9], 6), ([10, 10, 9], 7)]);
    for name in ["a", "b"] {
        write_ids(&at(name).join("2-2-1"), ElementClass::Uint16, 2, &few[..2]);
    }
    write_ids(&at("b").join("4-4-2"), ElementClass::Uint32, 2, &few);
    let shown = |answer: Answer| answer.text().replace(dir.path().to_str().expect("UTF-8"), "FOLDER");
    insta::assert_snapshot!("diff_text", shown(diff(&at("a"), &at("b"), &[])));
    insta::assert_snapshot!("diff_json", shown(diff(&at("a"), &at("b"), &["--json"])));
}
