//! The command line on annotation archives.

use crate::support::{corpus, run};
use std::ffi::OsString;

fn sample(name: &str) -> OsString {
    corpus().join("annotations").join(name).into_os_string()
}

fn args(command: &str, path: &str, more: &[&str]) -> Vec<OsString> {
    [vec![command.into(), sample(path)], more.iter().map(OsString::from).collect()].concat()
}

#[test]
fn info_of_an_annotation_is_as_in_the_stored_example() {
    let answer = run(args("info", "wkw.zip", &["--json"]));
    assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""));
    let object: serde_json::Value = serde_json::from_str(answer.text()).expect("one JSON object");
    // Beyond 2^53, where a number would be another one.
    assert_eq!(object["annotation"]["volumes"][0]["largest_segment_id"], "18446744073709551615");
    insta::assert_snapshot!("info_json_of_an_annotation", answer.text().replace(corpus().to_str().expect("UTF-8"), "CORPUS"));
    let answer = run(args("info", "zarr3.zip", &[]));
    insta::assert_snapshot!("info_text_of_an_annotation", answer.text().replace(corpus().to_str().expect("UTF-8"), "CORPUS"));
}

#[test]
fn annotations_are_read_like_datasets() {
    for (path, layer) in [("wkw.zip", "Volume"), ("zarr3.zip", "Volume"), ("project.zip/second one.zip", "Volume")] {
        let answer = run(args("read", path, &["--layer", layer, "--mag", "1", "--offset", "31,0,2", "--shape", "2,1,2"]));
        assert_eq!((answer.status, &answer.stdout[..]), (Some(0), &[0, 9, 0, 10][..]), "{path}: {}", answer.stderr);
    }
    let answer = run(args("read", "wkw.zip", &["--layer", "Volume (2)", "--offset", "0,0,0", "--shape", "1,1,1"]));
    assert_eq!((answer.status, &answer.stdout[..]), (Some(0), &[0][..]), "{}", answer.stderr);
}

#[test]
fn slices_of_annotations_are_pictures() {
    let dir = tempfile::tempdir().expect("a folder");
    let picture = dir.path().join("a.png");
    let out = picture.to_str().expect("UTF-8");
    let answer = run(args("slice", "wkw.zip", &["--plane", "xy", "--position", "40,8,3", "--size", "64x64", "--out", out]));
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert!(std::fs::read(&picture).expect("written").starts_with(b"\x89PNG"));
}

#[test]
fn several_annotations_are_listed_and_none_is_guessed() {
    let answer = run(args("info", "project.zip", &[]));
    assert_eq!(answer.status, Some(2));
    for name in ["third.nml", "first.zip", "second one.zip"] {
        assert!(answer.stderr.contains(name), "{}", answer.stderr);
    }
    let answer = run(args("info", "project.zip/third.nml", &["--json"]));
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
}
