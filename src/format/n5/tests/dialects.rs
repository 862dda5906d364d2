//! Multiscale conventions, each as its writers make it.

use super::*;
use crate::format::LayerCategory;

fn unit(image: &Image) -> &'static str {
    image.unit.map_or("none", crate::geometry::LengthUnit::name)
}

fn cosem_dataset(path: &str, scale: [f64; 3], translate: [f64; 3], unit: &str) -> Value {
    json!({"path": path, "transform": {"axes": ["z", "y", "x"], "scale": scale, "translate": translate, "units": [unit, unit, unit]}})
}

fn cosem(more: &Value, unit: &str) -> Files {
    let datasets =
        [cosem_dataset("s0", [30.0, 4.0, 5.0], [0.0, 0.0, 0.0], unit), cosem_dataset("s1", [60.0, 8.0, 10.0], [15.0, 2.0, 2.5], unit)];
    let mut json = json!({"multiscales": [{"name": "em", "datasets": datasets}]});
    for (name, value) in more.as_object().into_iter().flatten() {
        json[name] = value.clone();
    }
    Files::default().json("attributes.json", &json).array("s0", &[8, 6, 4], &json!({})).array("s1", &[4, 3, 2], &json!({}))
}

#[test]
fn cosem_lists_axes_in_reverse_to_dimensions() {
    let image = cosem(&json!({}), "nm").image();
    assert_eq!((image.name.as_str(), unit(&image)), ("data.n5", "nanometer"));
    assert_eq!(scales(&image), [[5.0, 4.0, 30.0], [10.0, 8.0, 60.0]]);
    assert_eq!(image.levels[1].translation, [2.5, 2.0, 15.0]);
    assert_eq!(extent(&image, 0), shape(8, 6, 4));
    assert_eq!(texts(&image), ["The axes z, y, x are listed without an ordering, the dimensions are taken as x, y, z"]);
}

#[test]
fn cosem_ordering_is_honoured() {
    for (ordering, extent_of_s0) in [("C", shape(8, 6, 4)), ("F", shape(4, 6, 8))] {
        let image = cosem(&json!({"ordering": ordering}), "nm").image();
        assert_eq!(extent(&image, 0), extent_of_s0, "{ordering}");
        assert_eq!(scales(&image), [[5.0, 4.0, 30.0], [10.0, 8.0, 60.0]]);
        assert_eq!(texts(&image), [""; 0]);
    }
}

#[test]
fn a_resolution_beside_cosem_transforms_tells_their_order() {
    for (dimensions, extent_of_s0) in [([5, 4, 30], shape(8, 6, 4)), ([30, 4, 5], shape(4, 6, 8))] {
        let image = cosem(&json!({"pixelResolution": {"dimensions": dimensions, "unit": "nm"}}), "nm").image();
        assert_eq!(extent(&image, 0), extent_of_s0);
        assert_eq!(texts(&image), [""; 0]);
    }
}

#[test]
fn a_missing_unit_is_a_micrometer_in_cosem_and_compact_groups_only() {
    let assumed = "No unit is given, micrometer is assumed as in WEBKNOSSOS";
    let image = cosem(&json!({}), "").image();
    assert_eq!(unit(&image), "micrometer");
    assert!(texts(&image).iter().any(|text| text == assumed));
    let compact = json!({"scales": [[1, 1, 1]], "resolution": [1, 2, 3]});
    let image = Files::default().json("attributes.json", &compact).array("s0", &[2, 2, 2], &json!({"axes": ["x", "y", "z"]})).image();
    assert_eq!((unit(&image), scales(&image)), ("micrometer", vec![[1.0, 2.0, 3.0]]));
    assert_eq!(texts(&image), [assumed]);
    let single = json!({"dimensions": [2, 2], "blockSize": [2, 2], "dataType": "uint8", "axes": ["x", "y"], "resolution": [1, 2]});
    let image = Files::default().json("attributes.json", &single).image();
    assert_eq!((unit(&image), scales(&image)), ("none", vec![[1.0, 2.0, 1.0]]));
}

#[test]
fn units_may_differ_by_axis_and_words_that_are_no_length_leave_voxels() {
    let transform = json!({"axes": ["x", "y", "z"], "ordering": "F", "scale": [4, 4, 0.04], "units": ["nm", "nm", "um"]});
    let multiscales = json!({"multiscales": [{"datasets": [{"path": "s0", "transform": transform}]}]});
    let image = Files::default().json("attributes.json", &multiscales).array("s0", &[2, 3, 4], &json!({})).image();
    assert_eq!((unit(&image), extent(&image, 0)), ("nanometer", shape(2, 3, 4)));
    let [x, y, z] = scales(&image)[0];
    assert!((x, y) == (4.0, 4.0) && (z - 40.0).abs() < 1e-9, "{z}");
    let image = cosem(&json!({"ordering": "C"}), "pixel").image();
    assert_eq!(unit(&image), "none");
    assert_eq!(texts(&image), ["The unit \"pixel\" is no length, lengths are shown without a unit"]);
}

#[test]
fn ome_metadata_in_n5_are_read() {
    let axes = json!([{"name": "x", "type": "space", "unit": "micrometer"}, {"name": "y", "type": "space", "unit": "micrometer"},
        {"name": "z", "type": "space", "unit": "micrometer"}, {"name": "c", "type": "channel"}]);
    let dataset = |path: &str, f: f64| {
        json!({"path": path, "coordinateTransformations": [{"type": "scale", "scale": [0.1 * f, 0.1 * f, 0.5, 1]},
            {"type": "translation", "translation": [0.05 * (f - 1.0), 0.05 * (f - 1.0), 0, 0]}]})
    };
    let multiscales = |names: [&str; 2]| {
        let one = |name: &str| json!({"name": name, "axes": axes, "datasets": [dataset("a/s0", 1.0), dataset("/a/s1/", 2.0)]});
        json!({"multiscales": names.map(one)})
    };
    let files = Files::default().json("attributes.json", &multiscales(["first", "second"])).array("a/s0", &[8, 6, 4, 2], &json!({})).array(
        "a/s1",
        &[4, 3, 4, 2],
        &json!({}),
    );
    let images = files.images("");
    assert_eq!(images.iter().map(|image| image.name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    assert_eq!((unit(&images[0]), scales(&images[0])), ("micrometer", vec![[0.1, 0.1, 0.5], [0.2, 0.2, 0.5]]));
    assert_eq!(images[0].levels[1].translation, [0.05, 0.05, 0.0]);
    let source = images[0].levels[0].source.as_ref().expect("opened");
    assert_eq!((source.grid().bounds().shape, source.voxel_type().channels), (shape(8, 6, 4), 2));
}

#[test]
fn n5_viewer_groups_with_and_without_their_flag_are_read() {
    let pixel = json!({"pixelResolution": {"dimensions": [4, 4, 35], "unit": "nm"}});
    let list = json!([[1, 1, 1], [2, 2, 1]]);
    let cases = [
        json!({"scales": list, "pixelResolution": pixel["pixelResolution"]}),
        json!({"downsamplingFactors": list, "pixelResolution": pixel["pixelResolution"], "multiScale": true}),
        json!({"downsamplingFactors": list, "resolution": [4, 4, 35], "units": ["nm", "nm", "nm"]}),
        json!({"scales": list, "resolution": [4, 4, 35], "unit": "nm"}),
    ];
    for case in cases {
        let files = Files::default().json("attributes.json", &case);
        let image = files.array("s0", &[8, 6, 4], &json!({})).array("s1", &[4, 3, 4], &json!({})).image();
        assert_eq!((unit(&image), scales(&image)), ("nanometer", vec![[4.0, 4.0, 35.0], [8.0, 8.0, 35.0]]), "{case}");
        assert_eq!(image.levels[1].path, Path::new("/data.n5/s1"));
        assert_eq!(texts(&image), ["Nothing names the axes, they are taken as x, y, z"]);
    }
}

#[test]
fn axes_of_a_compact_group_hold_for_its_levels() {
    let group = json!({"scales": [[1, 1, 1], [1, 2, 4]], "axes": ["z", "y", "x"], "resolution": [30, 5, 4], "units": ["nm", "nm", "nm"]});
    let image = Files::default().json("attributes.json", &group).array("s0", &[2, 6, 8], &json!({})).image();
    assert_eq!(extent(&image, 0), shape(8, 6, 2));
    assert_eq!(scales(&image), [[4.0, 5.0, 30.0], [16.0, 10.0, 30.0]]);
    let missing = image.levels[1].source.as_ref().err().expect("missing").to_string();
    assert_eq!(missing, "can't open the array: no attributes.json: memory:s1");
}

#[test]
fn factors_of_each_array_are_enough() {
    let files = || {
        Files::default()
            .array("s0", &[8, 8, 8], &json!({"pixelResolution": {"dimensions": [4, 4, 40], "unit": "nm"}}))
            .array("s1", &[4, 4, 8], &json!({"downsamplingFactors": [2, 2, 1]}))
            .array("s2", &[2, 2, 4], &json!({}))
            .array("s4", &[1, 1, 1], &json!({}))
    };
    for image in [files().image(), files().json("attributes.json", &json!({"n5": "2.5.0"})).image()] {
        assert_eq!((unit(&image), scales(&image)), ("nanometer", vec![[4.0, 4.0, 40.0], [8.0, 8.0, 40.0], [16.0, 16.0, 80.0]]));
        assert!(texts(&image).iter().any(|text| text == "Level s2 has no downsamplingFactors, [4.0, 4.0, 2.0] follow from dimensions"));
    }
}

#[test]
fn arrays_that_each_give_their_own_resolution_are_not_scaled_twice() {
    let resolution =
        |n: f64| json!({"resolution": [n, n, 40.0], "units": ["nm", "nm", "nm"], "downsamplingFactors": [n / 4.0, n / 4.0, 1.0]});
    let image = Files::default().array("s0", &[8, 8, 8], &resolution(4.0)).array("s1", &[4, 4, 8], &resolution(8.0)).image();
    assert_eq!(scales(&image), [[4.0, 4.0, 40.0], [8.0, 8.0, 40.0]]);
}

#[test]
fn without_any_resolution_scales_are_factors_without_a_unit() {
    let image =
        Files::default().array("s0", &[4, 4, 4], &json!({})).array("s1", &[2, 2, 4], &json!({"downsamplingFactors": [2, 2, 1]})).image();
    assert_eq!((unit(&image), scales(&image)), ("none", vec![[1.0; 3], [2.0, 2.0, 1.0]]));
}

#[test]
fn big_data_viewer_setups_become_images() {
    let timepoint = json!({"multiScale": true, "resolution": [0.2, 0.2, 1.0]});
    let mut files = Files::default().json("attributes.json", &json!({"n5": "2.0.0", "Bigstitcher-Spark": "x"}));
    for (setup, timepoints) in [(0, 1), (2, 2), (10, 1)] {
        // As in real files: the factors stand in the setup and in each array but the finest.
        files = files
            .json(&format!("setup{setup}/attributes.json"), &json!({"downsamplingFactors": [[1, 1, 1], [2, 2, 1]], "dataType": "uint16"}));
        for time in 0..timepoints {
            let folder = format!("setup{setup}/timepoint{time}");
            files = files.json(&format!("{folder}/attributes.json"), &timepoint);
            files = files.array(&format!("{folder}/s0"), &[8, 8, 2], &json!({})).array(&format!("{folder}/s1"), &[4, 4, 2], &json!({}));
        }
    }
    let images = files.images("");
    let names: Vec<_> = images.iter().map(|image| image.name.as_str()).collect();
    assert_eq!(names, ["setup0/timepoint0", "setup2/timepoint0", "setup2/timepoint1", "setup10/timepoint0"]);
    assert_eq!((unit(&images[3]), scales(&images[3])), ("micrometer", vec![[0.2, 0.2, 1.0], [0.4, 0.4, 1.0]]));
    let of_one = files.images("setup10");
    assert_eq!(of_one.iter().map(|image| image.name.as_str()).collect::<Vec<_>>(), ["setup10"]);
    let of_time = files.images("setup2/timepoint1");
    assert_eq!((of_time[0].name.as_str(), scales(&of_time[0])), ("timepoint1", vec![[0.2, 0.2, 1.0], [0.4, 0.4, 1.0]]));
}

#[test]
fn big_data_viewer_without_any_file_at_the_root_is_found() {
    let files = Files::default().array("setup0/timepoint0/s0", &[2, 2, 2], &json!({}));
    assert_eq!(files.image().name, "data.n5");
}

#[test]
fn a_container_holds_whatever_is_below_it() {
    let files = Files::default()
        .json("attributes.json", &json!({"n5": "2.2.0"}))
        .array("volumes/raw", &[4, 4, 4], &json!({"resolution": [4, 4, 40], "units": "nm"}))
        .array("em/s0", &[4, 4, 4], &json!({}))
        .json("labels/attributes.json", &json!({"painteraData": {"type": "label"}}))
        .array("labels/data/s0", &[4, 4, 4], &json!({"maxId": 7}))
        .array("strange", &[4], &json!({"dataType": "string"}))
        .put("broken/attributes.json", *b"{")
        .put("notes/readme.txt", *b"hello");
    let images = files.images("");
    assert_eq!(images.iter().map(|image| image.name.as_str()).collect::<Vec<_>>(), ["em", "labels/data", "volumes/raw"]);
    let problems = texts(&images[0]);
    assert!(problems.iter().any(|text| text.contains("not valid JSON: EOF while parsing an object at line 1 column 1")), "{problems:?}");
    assert!(problems.iter().any(|text| text.contains("dataType is \"string\"")), "{problems:?}");
    let single = files.images("volumes/raw");
    assert_eq!((single[0].name.as_str(), unit(&single[0]), single[0].category), ("raw", "nanometer", None));
}

#[test]
fn groups_need_no_file_of_their_own() {
    let names = |images: Vec<Image>| images.into_iter().map(|image| image.name).collect::<Vec<_>>();
    let files = Files::default()
        .array("a", &[4, 4, 4], &json!({}))
        .array("b/s0", &[4, 4, 4], &json!({}))
        .json("c/attributes.json", &json!({"x": 1}))
        .array("c/d/e", &[4, 4, 4], &json!({}));
    assert_eq!(names(files.images("")), ["a", "b"]);
    let files = files.json("attributes.json", &json!({"n5": "2.0.0"}));
    assert_eq!(names(files.images("")), ["a", "b", "c/d/e"]);
    assert_eq!(names(files.images("c/d")), ["d"]);
}

#[test]
fn labels_of_paintera_are_segmentations() {
    let group = json!({"multiScale": true, "maxId": 12, "resolution": [4, 4, 40], "offset": [8, 0, 0]});
    let image = Files::default().json("attributes.json", &group).array("s0", &[4, 4, 4], &json!({})).image();
    assert_eq!((image.category, image.levels[0].translation), (Some(LayerCategory::Segmentation), [8.0, 0.0, 0.0]));
}

#[test]
fn what_is_no_n5_is_told_from_n5_that_cannot_be_used() {
    let open = |files: Files| open_images(&files.opener(), Path::new("/data.n5")).map(|images| images.map(|images| images.len()));
    assert_eq!(open(Files::default().put("1/header.wkw", [1])).expect("looked"), None);
    assert_eq!(open(Files::default().json("attributes.json", &json!({"a": 1}))).expect("looked"), None);
    let cases = [
        (Files::default().json("attributes.json", &json!({"n5": "2"})), "no array in the N5 container (attributes.json with dimensions)"),
        (Files::default().put("attributes.json", *b"[1"), "can't use attributes.json: not valid JSON: EOF while parsing a list"),
        (
            Files::default().json("attributes.json", &json!({"dimensions": [1]})),
            "can't open the array: attributes.json: blockSize is missing",
        ),
        (
            Files::default().json("attributes.json", &json!({"n5": "2"})).array("a", &[1], &json!({"blockSize": [0]})),
            "can't open the array: attributes.json: blockSize is [0], expected",
        ),
    ];
    for (files, expected) in cases {
        let message = open(files).expect_err("refused").to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn levels_outside_of_the_group_are_not_followed() {
    let datasets = ["../../etc", "s0", "/s1"].map(|path| cosem_dataset(path, [1.0; 3], [0.0; 3], "nm"));
    let json = json!({"multiscales": [{"datasets": datasets}], "ordering": "C"});
    let image = Files::default().json("attributes.json", &json).array("s0", &[1, 1, 1], &json!({})).image();
    assert_eq!(image.levels.len(), 2);
    assert_eq!(texts(&image), ["multiscales: the path \"../../etc\" of a level names no folder inside the group"]);
}
