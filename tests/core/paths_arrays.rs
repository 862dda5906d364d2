//! Every kind of PATH into Zarr, OME-NGFF, N5 and precomputed data, and into datasets whose JSON lists such layers.

use crate::support::{LayerSpec, boxed, corpus, files, properties};
use chunkscope::format::{DataFormat, Dataset, OpenError, open, read_box};
use chunkscope::geometry::BoundingBox;
use chunkscope::problem::Severity;
use chunkscope::storage::LocalOpener;
use std::path::Path;
use tempfile::TempDir;

fn opened(path: &Path) -> Dataset {
    open(&LocalOpener::default(), path).unwrap_or_else(|err| panic!("{err}"))
}

/// Layers with their mags: `raw 1 2, cells 2`.
fn shown(dataset: &Dataset) -> String {
    let layer = |layer: &chunkscope::format::Layer| {
        let mags = layer.levels.iter().map(|level| format!(" {}", level.mag));
        layer.name.clone() + &mags.collect::<String>()
    };
    dataset.layers.iter().map(layer).collect::<Vec<_>>().join(", ")
}

fn problems(dataset: &Dataset, least: Severity) -> String {
    dataset.problems.iter().filter(|p| p.severity >= least).map(|p| format!("{:?}: {p}\n", p.severity)).collect()
}

/// The voxels around the origin of a level.
fn voxels(dataset: &Dataset, layer: &str, mag: &str) -> Vec<u8> {
    let level = dataset.layer(layer).unwrap_or_else(|| panic!("no layer {layer}: {}", shown(dataset)));
    let level = level.level(mag.parse().expect("a mag")).unwrap_or_else(|| panic!("no mag {mag}: {}", shown(dataset)));
    let source = level.source.clone().unwrap_or_else(|err| panic!("{err}"));
    let wanted: BoundingBox = boxed([-2, -1, 0], [14, 9, 8]);
    let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("small")];
    read_box(source.as_ref(), &wanted, &mut out).unwrap_or_else(|err| panic!("{err}"));
    out
}

/// Copies a dataset of the corpus.
fn copy(from: &str, to: &Path) {
    for (name, bytes) in files(&corpus().join(from)) {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("written");
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A path, what is shown of it, and the path, layer and mag that hold the same voxels as its first level.
type Way = (&'static str, &'static str, (&'static str, &'static str, &'static str));

#[test]
fn each_way_into_arrays_groups_and_volumes_shows_their_levels_with_the_right_voxels() {
    let ways: [Way; 43] = [
        // Arrays, by folder and by file.
        ("zarr2/layout/c_dot", "c_dot 1", ("zarr2/layout/c_dot", "c_dot", "1")),
        ("zarr2/layout/c_dot/", "c_dot 1", ("zarr2/layout/c_dot", "c_dot", "1")),
        ("zarr2/layout/c_dot/.zarray", "c_dot 1", ("zarr2/layout/c_dot", "c_dot", "1")),
        ("zarr2/layout/../layout/c_dot/.", "c_dot 1", ("zarr2/layout/c_dot", "c_dot", "1")),
        ("zarr3/codecs/gzip", "gzip 1", ("zarr3/codecs/gzip", "gzip", "1")),
        ("zarr3/codecs/gzip/zarr.json", "gzip 1", ("zarr3/codecs/gzip", "gzip", "1")),
        ("n5/axes/named_zyx", "named_zyx 1", ("n5/axes/named_zyx", "named_zyx", "1")),
        ("n5/axes/named_zyx/attributes.json", "named_zyx 1", ("n5/axes/named_zyx", "named_zyx", "1")),
        // Images, by folder and by each of their files.
        ("ome/v04_aniso", "v04_aniso 1 2-2-1 4-4-1 8-8-2", ("ome/v04_aniso/s0", "v04_aniso", "1")),
        ("ome/v04_aniso/.zattrs", "v04_aniso 1 2-2-1 4-4-1 8-8-2", ("ome/v04_aniso/s0", "v04_aniso", "1")),
        ("ome/v04_aniso/.zgroup", "v04_aniso 1 2-2-1 4-4-1 8-8-2", ("ome/v04_aniso/s0", "v04_aniso", "1")),
        ("ome/v05_aniso", "v05_aniso 1 2-2-1 4-4-1 8-8-2", ("ome/v05_aniso/s0", "v05_aniso", "1")),
        ("ome/v05_aniso/zarr.json", "v05_aniso 1 2-2-1 4-4-1 8-8-2", ("ome/v05_aniso/s0", "v05_aniso", "1")),
        // Their levels keep the mag that they have in the image.
        ("ome/v04_aniso/s1", "v04_aniso 2-2-1", ("ome/v04_aniso", "v04_aniso", "2-2-1")),
        ("ome/v04_aniso/s1/.zarray", "v04_aniso 2-2-1", ("ome/v04_aniso", "v04_aniso", "2-2-1")),
        ("ome/v04_aniso/s3", "v04_aniso 8-8-2", ("ome/v04_aniso", "v04_aniso", "8-8-2")),
        ("ome/v05_aniso/s2", "v05_aniso 4-4-1", ("ome/v05_aniso", "v05_aniso", "4-4-1")),
        ("ome/v05_aniso/s2/zarr.json", "v05_aniso 4-4-1", ("ome/v05_aniso", "v05_aniso", "4-4-1")),
        ("ome/v04_nested/scale1/image", "deep 3", ("ome/v04_nested", "deep", "3")),
        // Labels count from the image's finest voxels.
        ("ome/v05_labels", "raw 1 2 4, cells 1 2, coarse 2 4", ("ome/v05_labels/0", "raw", "1")),
        ("ome/v05_labels/1", "raw 2", ("ome/v05_labels", "raw", "2")),
        ("ome/v05_labels/labels", "cells 1 2, coarse 2 4", ("ome/v05_labels", "cells", "1")),
        ("ome/v05_labels/labels/zarr.json", "cells 1 2, coarse 2 4", ("ome/v05_labels", "cells", "1")),
        ("ome/v05_labels/labels/coarse", "coarse 2 4", ("ome/v05_labels", "coarse", "2")),
        ("ome/v05_labels/labels/coarse/zarr.json", "coarse 2 4", ("ome/v05_labels", "coarse", "2")),
        ("ome/v05_labels/labels/coarse/l2", "coarse 4", ("ome/v05_labels", "coarse", "4")),
        ("ome/v05_labels/labels/coarse/l2/zarr.json", "coarse 4", ("ome/v05_labels", "coarse", "4")),
        ("ome/v04_labels/labels", "cells 1 2, coarse 2 4", ("ome/v04_labels", "cells", "1")),
        ("ome/v04_labels/labels/.zattrs", "cells 1 2, coarse 2 4", ("ome/v04_labels", "cells", "1")),
        ("ome/v04_labels/labels/cells", "cells 1 2", ("ome/v04_labels", "cells", "1")),
        ("ome/v04_labels/labels/cells/1", "cells 2", ("ome/v04_labels", "cells", "2")),
        // N5, with and without a file for the group.
        ("n5/cosem", "cosem 1 2-2-1 4-4-2", ("n5/cosem/s0", "cosem", "1")),
        ("n5/cosem/attributes.json", "cosem 1 2-2-1 4-4-2", ("n5/cosem/s0", "cosem", "1")),
        ("n5/cosem/s1", "cosem 2-2-1", ("n5/cosem", "cosem", "2-2-1")),
        ("n5/cosem/s2/attributes.json", "cosem 4-4-2", ("n5/cosem", "cosem", "4-4-2")),
        ("n5/per_array", "per_array 1 2-2-1 4-4-2", ("n5/per_array/s0", "per_array", "1")),
        ("n5/per_array/s2", "per_array 4-4-2", ("n5/per_array", "per_array", "4-4-2")),
        ("n5/bdv", "setup0/timepoint0 1 2-2-1, setup1/timepoint0 1 2-2-1", ("n5/bdv/setup0/timepoint0/s0", "timepoint0", "1")),
        ("n5/bdv/setup1", "setup1 1 2-2-1", ("n5/bdv", "setup1/timepoint0", "1")),
        ("n5/bdv/setup1/timepoint0/s1", "timepoint0 2-2-1", ("n5/bdv", "setup1/timepoint0", "2-2-1")),
        // Precomputed; a scale's folder holds nothing but chunks.
        ("precomputed/scales", "scales 1 2-2-1 4-4-2", ("precomputed/scales/8_8_30", "scales", "1")),
        ("precomputed/scales/info", "scales 1 2-2-1 4-4-2", ("precomputed/scales/8_8_30", "scales", "1")),
        ("precomputed/scales/16_16_30", "scales 2-2-1", ("precomputed/scales", "scales", "2-2-1")),
    ];
    let mut wrong = Vec::new();
    for (way, expected, (path, layer, mag)) in ways {
        let dataset = match open(&LocalOpener::default(), &corpus().join(way)) {
            Ok(dataset) => dataset,
            Err(err) => {
                wrong.push(format!("{way}: {err}"));
                continue;
            }
        };
        if shown(&dataset) != expected {
            wrong.push(format!("{way}: shows {:?}, not {expected:?}", shown(&dataset)));
            continue;
        }
        assert_eq!(problems(&dataset, Severity::Warning), "", "{way}");
        let first = &dataset.layers[0];
        let found = voxels(&dataset, &first.name, &first.levels[0].mag.to_string());
        assert!(found.iter().any(|byte| *byte != 0), "{way}: nothing is there");
        assert!(found == voxels(&opened(&corpus().join(path)), layer, mag), "{way}: other voxels than in {path}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_n5_folder_without_a_file_of_its_own_shows_its_arrays_beside_one_that_is_strange() {
    let dir = folder();
    copy("n5/codecs/raw", &dir.path().join("first"));
    copy("n5/codecs/lz4", &dir.path().join("second"));
    copy("n5/bad/type", &dir.path().join("strange"));

    let dataset = opened(dir.path());

    assert_eq!(shown(&dataset), "first 1, second 1");
    assert!(problems(&dataset, Severity::Error).contains("complex128"), "{}", problems(&dataset, Severity::Info));
    assert!(problems(&dataset, Severity::Error).contains("strange"), "{}", problems(&dataset, Severity::Info));
    assert!(voxels(&dataset, "second", "1") == voxels(&opened(&corpus().join("n5/codecs/lz4")), "lz4", "1"));
}

#[test]
fn mags_without_a_file_above_them_are_a_layer_beside_a_strange_array() {
    for (array, strange, format) in
        [("zarr2/types/u1", "zarr2/bad/complex", DataFormat::Zarr), ("zarr3/types/uint8", "zarr3/bad/type", DataFormat::Zarr3)]
    {
        let dir = folder();
        copy(array, &dir.path().join("image/1"));
        copy(array, &dir.path().join("image/2-2-1"));
        copy(strange, &dir.path().join("image/4"));
        copy(strange, &dir.path().join("image/notes"));
        for (way, expected) in
            [("", "image 1 2-2-1 4"), ("image", "image 1 2-2-1 4"), ("image/1", "image 1"), ("image/2-2-1", "image 2-2-1")]
        {
            let dataset = opened(&dir.path().join(way));
            assert_eq!((shown(&dataset).as_str(), dataset.layers[0].format), (expected, format), "{way:?} of {array}");
            let level = dataset.layers[0].levels[0].mag.to_string();
            assert!(voxels(&dataset, "image", &level) == voxels(&opened(&corpus().join(array)), name_of(array), "1"), "{way:?} of {array}");
            let is_told = problems(&dataset, Severity::Error).contains("Can't open layer image, mag 4");
            assert_eq!(is_told, way.is_empty() || way == "image", "{way:?} of {array}: {}", problems(&dataset, Severity::Info));
        }
        let err = open(&LocalOpener::default(), &dir.path().join("image/4")).expect_err("strange");
        assert!(matches!(err, OpenError::Level(_)) && err.to_string().contains("image/4"), "{err}");
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().expect("a name")
}

/// A dataset whose JSON lists layer `em` with the levels of an OME image as mags.
fn dataset_of_ome(dir: &Path) {
    copy("ome/v04_aniso", &dir.join("em"));
    let mags = [("1", "s0"), ("2-2-1", "s1")];
    let mags = mags.map(|(mag, level)| (mag.into(), Some(format!("./em/{level}"))));
    let layer = LayerSpec { mags: mags.into(), ..LayerSpec::simple("em", boxed([0; 3], [8, 8, 8])) };
    let json = properties(&[layer]).replace(r#""dataFormat":"wkw""#, r#""dataFormat":"zarr""#);
    std::fs::write(dir.join("datasource-properties.json"), json).expect("written");
}

#[test]
fn a_layer_folder_that_is_an_image_and_listed_by_the_json_above_is_shown_as_the_json_says() {
    let dir = folder();
    dataset_of_ome(dir.path());
    let right = voxels(&opened(&corpus().join("ome/v04_aniso")), "v04_aniso", "2-2-1");
    for (way, expected) in [
        ("", "em 1 2-2-1"),
        ("datasource-properties.json", "em 1 2-2-1"),
        ("em", "em 1 2-2-1"),
        ("em/.zattrs", "em 1 2-2-1"),
        ("em/s1", "em 2-2-1"),
        ("em/s1/.zarray", "em 2-2-1"),
    ] {
        let dataset = opened(&dir.path().join(way));
        assert_eq!(shown(&dataset), expected, "{way:?}");
        assert_eq!(dataset.voxel_size.to_string(), "11.24 × 11.24 × 28 nm", "{way:?}");
        assert_eq!(dataset.layers[0].bounding_box, boxed([0; 3], [8, 8, 8]), "{way:?}");
        assert!(voxels(&dataset, "em", "2-2-1") == right, "{way:?}");
    }
    // The JSON doesn't list this one; the image does.
    assert_eq!(shown(&opened(&dir.path().join("em/s3"))), "em 8-8-2");
}

#[test]
fn a_json_that_calls_another_format_than_is_there_is_read_with_a_warning() {
    for (array, found) in [("zarr2/layout/c_dot", "Zarr 2"), ("zarr3/codecs/gzip", "Zarr 3"), ("n5/codecs/raw", "N5")] {
        let dir = folder();
        copy(array, &dir.path().join("em/1"));
        for (declared, name) in [("wkw", "WKW"), ("zarr", "Zarr 2"), ("zarr3", "Zarr 3"), ("n5", "N5")] {
            let json = properties(&[LayerSpec::simple("em", boxed([0; 3], [9, 9, 9]))]).replace(r#""wkw""#, &format!("{declared:?}"));
            std::fs::write(dir.path().join("datasource-properties.json"), json).expect("written");
            let dataset = opened(dir.path());
            assert_eq!(dataset.layers[0].format.to_string(), found, "{array} as {declared}");
            assert!(dataset.layers[0].levels[0].source.is_ok(), "{array} as {declared}");
            let warning = format!("{name} is declared, {found} is found and used");
            assert_eq!(problems(&dataset, Severity::Warning).contains(&warning), name != found, "{array} as {declared}");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_to_arrays_images_labels_and_scales_are_followed() {
    use std::os::unix::fs::symlink;
    let dir = folder();
    let link = |target: &str, name: &str| symlink(corpus().join(target), dir.path().join(name)).expect("a link");
    link("zarr2/layout/c_dot", "array2");
    link("zarr3/sharding/end_crc", "array3");
    link("n5/codecs/raw", "array5");
    link("ome/v05_labels", "image");
    link("ome/v05_labels/labels/coarse", "label");
    link("ome/v05_aniso/s2", "level");
    link("n5/cosem", "group5");
    link("precomputed/scales", "volume");
    for (way, expected, target, layer, mag) in [
        ("array2", "array2 1", "zarr2/layout/c_dot", "c_dot", "1"),
        ("array2/.zarray", "array2 1", "zarr2/layout/c_dot", "c_dot", "1"),
        ("array3", "array3 1", "zarr3/sharding/end_crc", "end_crc", "1"),
        ("array5/attributes.json", "array5 1", "n5/codecs/raw", "raw", "1"),
        ("image", "raw 1 2 4, cells 1 2, coarse 2 4", "ome/v05_labels", "raw", "1"),
        ("image/labels/coarse", "coarse 2 4", "ome/v05_labels", "coarse", "2"),
        ("image/labels/coarse/l2", "coarse 4", "ome/v05_labels", "coarse", "4"),
        ("group5/s1", "group5 2-2-1", "n5/cosem", "cosem", "2-2-1"),
        ("volume/16_16_30", "volume 2-2-1", "precomputed/scales", "scales", "2-2-1"),
    ] {
        let dataset = opened(&dir.path().join(way));
        assert_eq!(shown(&dataset), expected, "{way}");
        let first = &dataset.layers[0];
        let found = voxels(&dataset, &first.name, &first.levels[0].mag.to_string());
        assert!(found == voxels(&opened(&corpus().join(target)), layer, mag), "{way}");
    }
    // What lies above the link, not above its target, describes it: nothing does here.
    assert_eq!(opened(&dir.path().join("level")).layers[0].levels[0].mag.to_string(), "1");
    assert_eq!(opened(&dir.path().join("label")).layers[0].levels[0].mag.to_string(), "1");
}

#[cfg(unix)]
#[test]
fn a_json_lists_arrays_that_are_links_and_their_own_paths_lead_to_it() {
    use std::os::unix::fs::symlink;
    let dir = folder();
    std::fs::create_dir(dir.path().join("em")).expect("a folder");
    symlink(corpus().join("zarr3/names/zyx"), dir.path().join("em/1")).expect("a link");
    let json = properties(&[LayerSpec::simple("em", boxed([0; 3], [5, 6, 7]))]).replace(r#""wkw""#, r#""zarr3""#);
    std::fs::write(dir.path().join("datasource-properties.json"), json).expect("written");
    for way in ["", "em", "em/1", "em/1/zarr.json"] {
        let dataset = opened(&dir.path().join(way));
        assert_eq!(shown(&dataset), "em 1", "{way:?}");
        assert_eq!(dataset.layers[0].bounding_box, boxed([0; 3], [5, 6, 7]), "{way:?}");
    }
}

#[test]
fn what_is_none_of_the_formats_is_described() {
    let dir = folder();
    std::fs::write(dir.path().join(".zgroup"), r#"{"zarr_format": 2}"#).expect("written");
    let message = open(&LocalOpener::default(), dir.path()).expect_err("an empty group").to_string();
    assert!(message.contains("Zarr") && message.contains(".zgroup"), "{message}");
    // An `info` of something else than a volume is refused by what it lacks.
    std::fs::remove_file(dir.path().join(".zgroup")).expect("removed");
    std::fs::write(dir.path().join("info"), r#"{"@type": "neuroglancer_multilod_draco"}"#).expect("written");
    let message = open(&LocalOpener::default(), dir.path()).expect_err("a mesh").to_string();
    assert!(message.contains("info") && message.contains("neuroglancer_multilod_draco"), "{message}");
}
