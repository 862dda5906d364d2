//! Arrays that are opened by themselves although a folder above describes them.

use super::*;

#[test]
fn a_level_is_opened_as_part_of_its_image() {
    let group = json!({"scales": [[1, 1, 1], [2, 2, 1]], "pixelResolution": {"dimensions": [4, 4, 35], "unit": "nm"}});
    let files =
        Files::default().json("em/attributes.json", &group).array("em/s0", &[8, 8, 4], &json!({})).array("em/s1", &[4, 4, 4], &json!({}));
    let ArrayInContext { image, level } = files.in_context("em/s1");
    assert_eq!((image.name.as_str(), level, scales(&image)), ("em", 1, vec![[4.0, 4.0, 35.0], [8.0, 8.0, 35.0]]));
}

#[test]
fn levels_of_nested_paths_and_of_setups_are_found_further_up() {
    let transform = json!({"axes": ["z", "y", "x"], "ordering": "C", "scale": [3, 2, 1], "units": ["nm", "nm", "nm"]});
    let datasets = [json!({"path": "a/b/s0", "transform": transform})];
    let files = Files::default()
        .json("attributes.json", &json!({"multiscales": [{"datasets": datasets}]}))
        .array("a/b/s0", &[8, 8, 4], &json!({}))
        .json("setup0/attributes.json", &json!({"downsamplingFactors": [[1, 1, 1], [4, 4, 1]]}))
        .json("setup0/timepoint3/attributes.json", &json!({"resolution": [1, 1, 2], "units": "um"}))
        .array("setup0/timepoint3/s0", &[8, 8, 4], &json!({}))
        .array("setup0/timepoint3/s1", &[2, 2, 4], &json!({}));
    let found = files.in_context("setup0/timepoint3/s1");
    assert_eq!((found.image.name.as_str(), found.level), ("timepoint3", 1));
    assert_eq!(scales(&found.image), [[1.0, 1.0, 2.0], [4.0, 4.0, 2.0]]);
    // The nearest folder that describes it wins: here its siblings, by their names.
    assert_eq!(files.in_context("a/b/s0").image.name, "b");
    let files = files.array("a/b/fine", &[8, 8, 4], &json!({}));
    let renamed = json!([{"path": "a/b/fine", "transform": transform}]);
    let files = files.json("attributes.json", &json!({"multiscales": [{"datasets": renamed}]}));
    let found = files.in_context("a/b/fine");
    assert_eq!((found.image.name.as_str(), found.level, scales(&found.image)), ("data.n5", 0, vec![[1.0, 2.0, 3.0]]));
}

#[test]
fn an_array_that_nothing_describes_stands_alone() {
    let files = Files::default().json("attributes.json", &json!({"n5": "2"})).array(
        "raw",
        &[8, 8, 4],
        &json!({"resolution": [4, 4, 40], "units": "nm", "downsamplingFactors": [2, 2, 1]}),
    );
    let found = files.in_context("raw");
    assert_eq!((found.image.name.as_str(), found.level, scales(&found.image)), ("raw", 0, vec![[8.0, 8.0, 40.0]]));
    let none = open_array_in_context(&files.opener(), Path::new("/data.n5")).expect("looked");
    assert!(none.is_none());
}

#[test]
fn a_broken_file_above_is_a_warning() {
    let files = Files::default().put("attributes.json", *b"nonsense").array("raw", &[2, 2, 2], &json!({"axes": ["x", "y", "z"]}));
    let image = files.in_context("raw").image;
    let problems = texts(&image);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("The folder above was not taken into account: can't use attributes.json"), "{problems:?}");
}
