//! `chunkscope annotation …`: annotations are made, painted, converted, checked and merged.

use crate::support::archives::{self, Packing, VOLUME, WKW_HEADER, blosc_frame, entry, file, nml, voxels, wkw_data, zarr_json, zip};
use crate::support::{LayerSpec, answer, boxed, header, program, properties, run, write_mag};
use chunkscope::format::wkw::{BlockType, WkwWriter};
use chunkscope::geometry::{Mag, ShardIndex};
use chunkscope::voxel::{ElementClass, VoxelType};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const UINT32: VoxelType = VoxelType::single(ElementClass::Uint32);

/// A dataset with a uint32 segmentation of 64³ voxels in the mags 1 and 2, whose voxels are all different.
fn dataset() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    write_mag(&dir.path().join("segmentation/1"), header(5, 1, BlockType::Lz4, UINT32), &boxed([0, 0, 0], [64, 64, 64]));
    write_mag(&dir.path().join("segmentation/2"), header(5, 1, BlockType::Lz4, UINT32), &boxed([0, 0, 0], [32, 32, 32]));
    let mut layer = LayerSpec::simple("segmentation", boxed([0, 0, 0], [64, 64, 64]));
    layer.element_class = "uint32";
    layer.mags.push((Mag::new(2, 2, 2).expect("a mag").factors().to_array().into(), Some("./segmentation/2".to_owned())));
    let text = properties(&[layer]).replace("\"color\"", "\"segmentation\"");
    std::fs::write(dir.path().join("datasource-properties.json"), text).expect("written");
    dir
}

fn path(dir: &TempDir, name: &str) -> PathBuf {
    dir.path().join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Runs a command that has to succeed.
fn done(args: &[&str]) -> String {
    let answer = run(args);
    assert_eq!(answer.status, Some(0), "{args:?}: {}", answer.stderr);
    answer.text().to_owned()
}

fn id_at(path: &Path, layer: &str, mag: &str, position: &str) -> u32 {
    let answer = run(["read", text(path), "--layer", layer, "--mag", mag, "--offset", position, "--shape", "1,1,1"]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    u32::from_le_bytes(answer.stdout[..].try_into().expect("one voxel"))
}

#[test]
fn a_painted_annotation_lies_over_its_layer_in_every_mag() {
    let dataset = dataset();
    let dir = tempfile::tempdir().expect("a folder");
    let file = path(&dir, "a.zip");
    done(&["annotation", "new", text(dataset.path()), "--layer", "segmentation", text(&file)]);
    assert!(done(&["annotation", "info", text(&file)]).contains("over the layer segmentation"));
    // In its own place: the old file is read while the new one is written.
    let boxes = ["--box", "4,4,4,4,4,4=77", "--box", "40,40,40,8,8,8=0"];
    done(&[&["annotation", "edit", text(&file), text(&file), "--dataset", text(dataset.path())], &boxes[..]].concat());
    for (mag, position, id) in
        [("1", "4,4,4", 77), ("1", "7,7,7", 77), ("2", "2,2,2", 77), ("2", "3,3,3", 77), ("1", "47,47,47", 0), ("2", "20,20,20", 0)]
    {
        assert_eq!(id_at(&file, "Volume", mag, position), id, "mag {mag} at {position}");
    }
    for (mag, position) in [("1", "3,4,4"), ("1", "8,4,4"), ("2", "4,2,2"), ("1", "39,40,40")] {
        assert_eq!(id_at(&file, "Volume", mag, position), id_at(dataset.path(), "segmentation", mag, position), "mag {mag} at {position}");
    }
    let equal = done(&["annotation", "roundtrip", text(&file)]);
    assert!(equal.starts_with("equal: 3 buckets"), "{equal}");
    let merged = path(&dir, "merged");
    done(&["annotation", "merge", text(&file), "--dataset", text(dataset.path()), text(&merged)]);
    for (mag, position) in [("1", "5,5,5"), ("1", "63,0,63"), ("2", "31,31,31")] {
        let expected = if position == "5,5,5" { 77 } else { id_at(dataset.path(), "segmentation", mag, position) };
        assert_eq!(id_at(&merged, "segmentation", mag, position), expected, "mag {mag} at {position}");
    }
}

/// An annotation whose axis t has positions from 2 on.
fn annotation_with_axis() -> Vec<u8> {
    let axes = r#"<parameters><additionalAxes><additionalAxis name="t" index="1" start="2" end="10"/></additionalAxes>"#;
    let nml = String::from_utf8(nml(VOLUME)).expect("UTF-8").replace("<parameters>", axes);
    let array = zarr_json("default", "\"F\"", "", &["t"]);
    let data = zip(&[file("1/zarr.json", array), file("1/c.0.2.0.0.0", blosc_frame(&voxels(7)))], Packing::Deflated);
    zip(&[file("a.nml", nml), file("data_Volume.zip", data)], Packing::Deflated)
}

#[test]
fn an_axis_is_as_long_as_its_buckets_need() {
    let dir = tempfile::tempdir().expect("a folder");
    let (file, spec) = (path(&dir, "t.zip"), path(&dir, "s.zip"));
    let bytes = annotation_with_axis();
    std::fs::write(&file, &bytes).expect("written");
    done(&["annotation", "edit", text(&file), text(&file), "--axis", "t=9", "--box", "0,0,0,1,1,1=1"]);
    let nml = entry(&std::fs::read(&file).expect("there"), "a.nml");
    let shorter = String::from_utf8(nml).expect("UTF-8").replace("end=\"10\"", "end=\"4\"");
    let data = entry(&std::fs::read(&file).expect("there"), "data_Volume.zip");
    std::fs::write(&file, zip(&[archives::file("t.nml", shorter), archives::file("data_Volume.zip", data)], Packing::Stored))
        .expect("written");
    for format in ["zarr3", "zarr3-spec"] {
        done(&["annotation", "convert", text(&file), text(&spec), "--format", format]);
        let data = entry(&std::fs::read(&spec).expect("there"), "data_Volume.zip");
        let json = |name: &str| serde_json::from_slice::<serde_json::Value>(&entry(&data, name)).expect("JSON");
        assert_eq!(json("volumeAnnotationData/1/zarr.json")["shape"][1], 10, "{format}");
        assert_eq!(json("datasource-properties.json")["dataLayers"][0]["additionalAxes"][0]["bounds"], serde_json::json!([2, 10]));
    }
}

#[test]
fn a_layer_without_the_mags_of_the_annotation_hides_nothing() {
    let dataset = dataset();
    let dir = tempfile::tempdir().expect("a folder");
    let path = path(&dir, "a.zip");
    let volume = VOLUME.replace("<volume ", "<volume fallbackLayer=\"segmentation\" ");
    let data = zip(&[file("8/header.wkw", WKW_HEADER)], Packing::Deflated);
    std::fs::write(&path, zip(&[file("a.nml", nml(&volume)), file("data_Volume.zip", data)], Packing::Deflated)).expect("written");
    let edit = ["annotation", "edit", text(&path), text(&path), "--dataset", text(dataset.path()), "--box", "0,0,0,8,8,8=5"];
    done(&edit);
    assert_eq!(["0,0,0", "1,0,0"].map(|at| id_at(&path, "Volume", "8", at)), [5, 0]);
    // One that can't be read isn't one that is lacking.
    let data = zip(&wkw_data(100), Packing::Deflated);
    std::fs::write(&path, zip(&[file("a.nml", nml(&volume)), file("data_Volume.zip", data)], Packing::Deflated)).expect("written");
    std::fs::write(dataset.path().join("segmentation/2/header.wkw"), b"damaged").expect("written");
    let answer = run(edit);
    assert_eq!(answer.status, Some(1), "{}", answer.stderr);
    assert!(answer.stderr.contains("mag 2 can't be read"), "{}", answer.stderr);
}

#[test]
fn wrong_use_is_refused_and_changes_nothing() {
    let dataset = dataset();
    let dir = tempfile::tempdir().expect("a folder");
    let file = path(&dir, "a.zip");
    done(&["annotation", "new", text(dataset.path()), "--layer", "segmentation", text(&file)]);
    let before = std::fs::read(&file).expect("there");
    let (file, data) = (text(&file), text(dataset.path()));
    let other = path(&dir, "other");
    std::fs::create_dir(&other).expect("made");
    let painted = ["--box", "0,0,0,1,1,1=1"];
    let axes = tempfile::tempdir().expect("a folder");
    let with_axis = path(&axes, "t.zip");
    std::fs::write(&with_axis, annotation_with_axis()).expect("written");
    let with_axis = text(&with_axis);
    let cases: &[(&[&str], i32, &str)] = &[
        (&["annotation", "edit", file, file, painted[0], painted[1]], 2, "--dataset"),
        (&["annotation", "edit", file, file, "--dataset", text(&other), painted[0], painted[1]], 1, "error"),
        (&["annotation", "edit", file, file, "--dataset", data, "--volume", "x", painted[0], painted[1]], 2, "there are: Volume"),
        (&["annotation", "edit", file, file, "--dataset", data, "--box", "0,0,0,1,1,1=4294967296"], 1, "4294967296"),
        (&["annotation", "edit", file, file, "--dataset", data, "--box", "900,0,0,1,1,1=1"], 1, "outside"),
        (&["annotation", "edit", file, file, "--dataset", data, "--box", "0,0,0,1,1=1"], 2, "no painted box"),
        (&["annotation", "edit", file, file], 2, "--box"),
        (&["annotation", "edit", with_axis, with_axis, painted[0], painted[1]], 2, "positions 2 to 9, not 0"),
        (&["annotation", "edit", with_axis, with_axis, "--axis", "t=3", "--axis", "t=4", painted[0], painted[1]], 2, "several positions"),
        (&["read", with_axis, "--offset", "0,0,0", "--shape", "1,1,1", "--axis", "t=3", "--axis", "t=3"], 2, "several positions"),
        (&["annotation", "convert", file, file, "--format", "zip"], 2, "zarr3-spec"),
        (&["annotation", "convert", data, file], 1, "dataset"),
        (&["annotation", "roundtrip", data], 1, "dataset"),
        (&["annotation", "info", data], 1, "dataset"),
        (&["annotation", "new", data, "--layer", "nope", file], 2, "there are: segmentation"),
        (&["annotation", "merge", file, "--dataset", data, text(&other)], 1, "already"),
        (&["annotation"], 2, "subcommand"),
    ];
    for (args, status, word) in cases {
        let answer = answer(program(*args));
        assert_eq!(answer.status, Some(*status), "{args:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(word), "{args:?}: {}", answer.stderr);
        assert_eq!(answer.errors().len(), 1, "{args:?}: {}", answer.stderr);
    }
    assert_eq!(std::fs::read(file).expect("there"), before);
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 2);
}

#[test]
fn an_annotation_over_nothing_needs_no_dataset() {
    let dataset = dataset();
    let dir = tempfile::tempdir().expect("a folder");
    let (file, zarr) = (path(&dir, "a.zip"), path(&dir, "b.zip"));
    done(&["annotation", "new", text(dataset.path()), text(&file)]);
    done(&["annotation", "edit", text(&file), text(&file), "--box", "1,1,1,4,4,4=4294967295"]);
    for format in ["zarr3", "zarr3-spec", "wkw"] {
        done(&["annotation", "convert", text(&file), text(&zarr), "--format", format]);
        assert_eq!((id_at(&zarr, "Volume", "1", "1,4,4"), id_at(&zarr, "Volume", "1", "5,4,4")), (u32::MAX, 0), "{format}");
        assert_eq!(id_at(&zarr, "Volume", "2", "1,1,1"), u32::MAX, "{format}");
    }
}

/// A dataset with a Zarr 3 segmentation of 4 positions along t and 8³ voxels, which are 10 + t.
fn dataset_in_time() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let array = dir.path().join("seg/1");
    std::fs::create_dir_all(&array).expect("a folder");
    let json = r#"{"zarr_format":3,"node_type":"array","shape":[1,4,8,8,8],"data_type":"uint32","fill_value":0,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1,1,8,8,8]}},
        "chunk_key_encoding":{"name":"default","configuration":{"separator":"."}},
        "codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"dimension_names":["c","t","x","y","z"]}"#;
    std::fs::write(array.join("zarr.json"), json).expect("written");
    for t in 0..4_u32 {
        std::fs::write(array.join(format!("c.0.{t}.0.0.0")), (10 + t).to_le_bytes().repeat(512)).expect("written");
    }
    let properties = r#"{"id":{"name":"d","team":""},"scale":[4,4,40],"dataLayers":[{"name":"seg","category":"segmentation",
        "boundingBox":{"topLeft":[0,0,0],"width":8,"height":8,"depth":8},"elementClass":"uint32","dataFormat":"zarr3",
        "numChannels":1,"largestSegmentId":13,"additionalAxes":[{"name":"t","bounds":[0,4],"index":1}],
        "mags":[{"mag":[1,1,1],"path":"./seg/1","axisOrder":{"c":0,"x":2,"y":3,"z":4}}]}]}"#;
    std::fs::write(dir.path().join("datasource-properties.json"), properties).expect("written");
    dir
}

#[test]
fn a_new_annotation_has_the_axes_of_its_layer() {
    let dataset = dataset_in_time();
    let dir = tempfile::tempdir().expect("a folder");
    let (file, edited, merged) = (path(&dir, "a.zip"), path(&dir, "b.zip"), path(&dir, "merged"));
    let data = text(dataset.path());
    done(&["annotation", "new", data, "--layer", "seg", text(&file)]);
    done(&["annotation", "edit", text(&file), text(&edited), "--dataset", data, "--axis", "t=1", "--box", "0,0,0,2,2,2=5"]);
    let id = |t: &str, offset: &str| {
        let answer = run(["read", text(&edited), "--axis", t, "--offset", offset, "--shape", "1,1,1"]);
        u32::from_le_bytes(answer.stdout[..].try_into().expect("one voxel"))
    };
    assert_eq!([id("t=1", "1,1,1"), id("t=1", "2,1,1"), id("t=0", "1,1,1")], [5, 11, 0]);
    // WKW holds neither of them.
    for annotation in [&file, &edited] {
        let refused = run(["annotation", "merge", text(annotation), "--dataset", data, text(&merged)]);
        assert!(refused.status == Some(1) && refused.stderr.contains("the axes t"), "{}", refused.stderr);
    }
    assert!(!merged.exists());
}

#[test]
fn a_layer_at_negative_positions_is_not_merged() {
    let dataset = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(dataset.path().join("1")).expect("a folder");
    let info = r#"{"@type":"neuroglancer_multiscale_volume","type":"segmentation","data_type":"uint32","num_channels":1,"scales":
        [{"key":"1","size":[8,8,8],"voxel_offset":[-4,0,0],"resolution":[4,4,4],"chunk_sizes":[[8,8,8]],"encoding":"raw"}]}"#;
    std::fs::write(dataset.path().join("info"), info).expect("written");
    std::fs::write(dataset.path().join("1/-4-4_0-8_0-8"), 7_u32.to_le_bytes().repeat(512)).expect("written");
    let listed = run(["info", text(dataset.path()), "--json"]);
    let listed: serde_json::Value = serde_json::from_str(listed.text()).expect("JSON");
    let layer = listed["layers"][0]["name"].as_str().expect("a layer");
    let dir = tempfile::tempdir().expect("a folder");
    let (file, merged) = (path(&dir, "a.zip"), path(&dir, "merged"));
    done(&["annotation", "new", text(dataset.path()), "--layer", layer, text(&file)]);
    let refused = run(["annotation", "merge", text(&file), "--dataset", text(dataset.path()), text(&merged)]);
    assert!(refused.status == Some(1) && refused.stderr.contains("negative position -4, 0, 0"), "{}", refused.stderr);
}

#[test]
fn buckets_far_apart_are_merged_and_compared_soon() {
    let (dataset, dir) = (dataset(), tempfile::tempdir().expect("a folder"));
    let data = text(dataset.path());
    let (empty, file, merged) = (path(&dir, "empty.zip"), path(&dir, "a.zip"), path(&dir, "merged"));
    done(&["annotation", "new", data, text(&empty)]);
    // No layer holds the far one.
    let nml = "<things><parameters><experiment name=\"d\" /><scale x=\"4\" y=\"4\" z=\"4\" /></parameters>\
        <volume id=\"0\" name=\"Volume\" location=\"data_Volume.zip\" format=\"wkw\" fallbackLayer=\"segmentation\" /></things>";
    let extracted = path(&dir, "extracted");
    std::fs::create_dir(&extracted).expect("a folder");
    std::fs::write(extracted.join("a.nml"), nml).expect("written");
    write_buckets(&extracted.join("data_Volume/1"), &[[0, 0, 0], [3000, 3000, 3000]]);
    done(&["annotation", "convert", text(&extracted), text(&file)]);
    let begin = std::time::Instant::now();
    done(&["annotation", "merge", text(&file), "--dataset", data, text(&merged)]);
    assert_eq!(id_at(&merged, "segmentation", "1", "96031,96031,96031"), 9);
    assert_eq!(id_at(&merged, "segmentation", "1", "0,0,0"), 9);
    assert_eq!(id_at(&merged, "segmentation", "1", "63,0,63"), id_at(dataset.path(), "segmentation", "1", "63,0,63"));
    let differing = run(["diff", text(&file), data]);
    assert!(differing.status == Some(1) && differing.text().contains("65"), "{}", differing.text());
    // Minutes if places where nothing is stored are visited.
    assert!(begin.elapsed() < std::time::Duration::from_secs(30), "{:?}", begin.elapsed());
}

/// Buckets of a mag whose voxels are 9.
fn write_buckets(mag: &Path, at: &[[i64; 3]]) {
    let writer = WkwWriter::create(mag, header(5, 0, BlockType::Lz4, UINT32)).expect("created");
    for at in at {
        let shard = ShardIndex((*at).into());
        writer.write_shard(shard, &9_u32.to_le_bytes().repeat(32 * 32 * 32), &writer.shard_box(shard)).expect("written");
    }
}

#[test]
fn voxels_of_coarse_buckets_beyond_the_fine_ones_are_compared_and_merged() {
    let (dataset, dir) = (dataset(), tempfile::tempdir().expect("a folder"));
    let data = text(dataset.path());
    let nml = "<things><parameters><experiment name=\"d\" /><scale x=\"11.24\" y=\"11.24\" z=\"28\" unit=\"nanometer\" /></parameters>\
        <volume id=\"0\" name=\"Volume\" location=\"data_Volume.zip\" format=\"wkw\" /></things>";
    // 128 voxels of mag 1, of which the fine bucket has 32.
    let annotation = |name: &str, beyond: u32| {
        let folder = path(&dir, name);
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("a.nml"), nml).expect("written");
        write_buckets(&folder.join("data_Volume/1"), &[[0, 0, 0]]);
        let coarse = WkwWriter::create(folder.join("data_Volume/4"), header(5, 0, BlockType::Lz4, UINT32)).expect("created");
        let mut voxels = vec![0; 4 * 32 * 32 * 32];
        voxels[0] = 9;
        voxels[4 * (30 + 32 * (30 + 32 * 30))..][..4].copy_from_slice(&beyond.to_le_bytes());
        let shard = ShardIndex([0, 0, 0].into());
        coarse.write_shard(shard, &voxels, &coarse.shard_box(shard)).expect("written");
        folder
    };
    let merged = |annotation: &Path, side: u32| {
        let merged = annotation.with_extension("merged");
        // Without a layer below nothing of the dataset is in it but its extent.
        done(&["annotation", "merge", text(annotation), "--dataset", data, text(&merged)]);
        let properties = std::fs::read_to_string(merged.join("datasource-properties.json")).expect("there");
        assert!(properties.contains(&format!("\"width\":{side}")), "{properties}");
        merged
    };
    let (painted, blank) = (annotation("painted", 7), annotation("blank", 0));
    let (merged_painted, merged_blank) = (merged(&painted, 124), merged(&blank, 64));
    assert_eq!(id_at(&merged_painted, "Volume", "4", "30,30,30"), 7);
    let compared = |a: &Path, b: &Path| run(["diff", text(a), text(b)]).status;
    assert_eq!([compared(&painted, &merged_painted), compared(&merged_blank, &blank)], [Some(0), Some(0)]);
    assert_eq!([compared(&painted, &merged_blank), compared(&merged_blank, &painted)], [Some(1), Some(1)]);
}
