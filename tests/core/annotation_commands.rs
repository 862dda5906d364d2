//! `chunkscope annotation …`: annotations are made, painted, converted, checked and merged.

use crate::support::archives::{self, Packing, VOLUME, WKW_HEADER, blosc_frame, entry, file, nml, voxels, wkw_data, zarr_json, zip};
use crate::support::{LayerSpec, answer, boxed, header, program, properties, run, write_mag};
use chunkscope::format::wkw::BlockType;
use chunkscope::geometry::Mag;
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
