//! Every kind of PATH of the command line's contract, names that are no plain words, and what is no dataset at all.

use crate::support::{
    LayerSpec, UINT8, answer, boxed, expected, header, program, read_args, run, small_box, small_dataset, volume, write_mag,
    write_properties,
};
use chunkscope::format::wkw::BlockType;
use chunkscope::format::{Dataset, OpenError, open, read_box};
use chunkscope::geometry::{BoundingBox, Mag, ShardIndex, Vec3Int};
use chunkscope::problem::Severity;
use chunkscope::storage::LocalOpener;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn dataset() -> TempDir {
    let dir = folder();
    small_dataset(dir.path());
    dir
}

fn opened(path: &Path) -> Dataset {
    open(&LocalOpener::default(), path).unwrap_or_else(|err| panic!("{err}"))
}

fn layers(dataset: &Dataset) -> Vec<&str> {
    dataset.layers.iter().map(|layer| layer.name.as_str()).collect()
}

fn mags(dataset: &Dataset, layer: usize) -> Vec<String> {
    dataset.layers[layer].levels.iter().map(|level| level.mag.to_string()).collect()
}

/// The voxels of a level.
fn voxels(dataset: &Dataset, layer: &str, mag: &str, wanted: &BoundingBox) -> Vec<u8> {
    let layer = dataset.layer(layer).unwrap_or_else(|| panic!("no layer {layer}, there are {:?}", layers(dataset)));
    let source = layer.level(mag.parse().expect("a mag")).expect("a level").source.clone().unwrap_or_else(|err| panic!("{err}"));
    let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("small")];
    read_box(source.as_ref(), wanted, &mut out).unwrap_or_else(|err| panic!("{err}"));
    out
}

fn assert_holds_the_small_box(dataset: &Dataset, layer: &str) {
    assert_eq!(voxels(dataset, layer, "1", &small_box()), volume(UINT8, &small_box()));
}

fn problems(dataset: &Dataset) -> String {
    dataset.problems.iter().map(|p| format!("{:?}: {p}\n", p.severity)).collect()
}

/// A uint8 mag whose voxels are those of the test volume, in its own grid.
fn put_mag(folder: &Path, stored: &BoundingBox) {
    write_mag(folder, header(2, 1, BlockType::Lz4, UINT8), stored);
}

#[test]
fn each_way_into_a_dataset_reads_the_same_voxels() {
    let dir = dataset();
    let wanted = boxed([0; 3], [14; 3]);
    let right = expected(UINT8, &small_box(), &wanted);
    let ways = [
        "",
        "/",
        "//",
        "/.",
        "/color",
        "/color/",
        "/color/.",
        "/color/1",
        "/color/1/",
        "/color/1/header.wkw",
        "/color/1/z0/y0/x0.wkw",
        "/color/../color",
        "/datasource-properties.json",
        "/color/1/..",
    ];
    for way in ways {
        let path = PathBuf::from(format!("{}{way}", dir.path().display()));
        let answer = run(read_args(&path, &wanted, &[]));
        assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""), "{way:?}");
        assert!(answer.stdout == right, "{way:?}");
    }
}

#[test]
fn relative_paths_mean_the_same_as_absolute_ones() {
    let dir = dataset();
    let right = volume(UINT8, &small_box());
    let cases = [
        ("", "."),
        ("", "color"),
        ("", "./color/1"),
        ("", "datasource-properties.json"),
        ("color", "."),
        ("color", ".."),
        ("color", "1"),
        ("color/1", "."),
        ("color/1", "header.wkw"),
        ("color/1", ".."),
        ("color/1", "../.."),
        ("color/1/z0/y0", "x0.wkw"),
        ("color/1/z0/y0", "./x0.wkw"),
        ("color/1/z0/y0", "../../.."),
        ("color/1/z0", "y0/x0.wkw"),
    ];
    for (from, path) in cases {
        let mut command = program(read_args(Path::new(path), &small_box(), &["--layer", "color"]));
        command.current_dir(dir.path().join(from));
        let answer = answer(command);
        assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""), "{path} in {from:?}");
        assert!(answer.stdout == right, "{path} in {from:?}");
    }
}

#[test]
fn a_layer_or_mag_folder_takes_its_metadata_from_the_json_above() {
    let dir = dataset();
    for (way, wanted_mags) in [("color", 1), ("color/1", 1), ("color/1/header.wkw", 1), ("color/1/z0/y0/x0.wkw", 1)] {
        let dataset = opened(&dir.path().join(way));
        assert_eq!(layers(&dataset), ["color"], "{way}");
        assert_eq!(mags(&dataset, 0).len(), wanted_mags, "{way}");
        assert_eq!(dataset.layers[0].bounding_box, small_box(), "{way}");
        assert_eq!(dataset.voxel_size.to_string(), "11.24 × 11.24 × 28 nm", "{way}");
    }
}

#[test]
fn a_mag_folder_shows_one_mag_and_a_layer_folder_all_of_one_layer() {
    let dir = folder();
    for name in ["a", "b"] {
        put_mag(&dir.path().join(name).join("1"), &small_box());
        put_mag(&dir.path().join(name).join("2"), &small_box());
    }
    let layer = |name: &str| LayerSpec {
        mags: vec![(1.into(), Some(format!("./{name}/1"))), (2.into(), Some(format!("./{name}/2")))],
        ..LayerSpec::simple(name, small_box())
    };
    for has_json in [true, false] {
        let json = dir.path().join("datasource-properties.json");
        if has_json {
            write_properties(dir.path(), &[layer("a"), layer("b")])
        } else {
            std::fs::remove_file(json).expect("removed")
        }
        let shown = |way: &str| {
            let dataset = opened(&dir.path().join(way));
            (layers(&dataset).join(" "), mags(&dataset, 0).join(" "))
        };
        assert_eq!(shown(""), ("a b".to_owned(), "1 2".to_owned()), "JSON: {has_json}");
        assert_eq!(shown("b"), ("b".to_owned(), "1 2".to_owned()), "JSON: {has_json}");
        assert_eq!(shown("b/2"), ("b".to_owned(), "2".to_owned()), "JSON: {has_json}");
        assert_eq!(shown("b/2/header.wkw"), ("b".to_owned(), "2".to_owned()), "JSON: {has_json}");
    }
}

#[test]
fn reading_a_shard_s_path_reads_its_mag() {
    let dir = folder();
    put_mag(&dir.path().join("c/1"), &boxed([0; 3], [8; 3]));
    let in_mag2 = boxed([1; 3], [2; 3]);
    put_mag(&dir.path().join("c/2"), &in_mag2);
    write_properties(
        dir.path(),
        &[LayerSpec { mags: vec![(1.into(), None), (2.into(), None)], ..LayerSpec::simple("c", boxed([0; 3], [8; 3])) }],
    );
    let shard = dir.path().join("c/2/z0/y0/x0.wkw");
    let wanted = boxed([0; 3], [4; 3]);

    let answer = run(read_args(&shard, &wanted, &[]));

    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert_eq!(answer.stdout, expected(UINT8, &in_mag2, &wanted));
    let dataset = opened(&shard);
    let focus = dataset.focus.expect("the window opens at the shard");
    assert_eq!(dataset.layers[focus.layer].levels[focus.level].mag.to_string(), "2");
    assert_eq!(focus.shard, ShardIndex(Vec3Int::ZERO));
}

#[test]
fn a_shard_s_path_leads_to_that_shard() {
    let dir = dataset();
    let dataset = opened(&dir.path().join("color/1/z1/y0/x1.wkw"));
    assert_eq!(dataset.focus.expect("a focus").shard, ShardIndex(Vec3Int::new(1, 0, 1)));
}

#[test]
fn a_shard_elsewhere_is_a_layer_of_its_name_at_the_origin() {
    let dir = dataset();
    let elsewhere = folder();
    for name in ["part.wkw", "x7.wkw", "no extension", "Zelle ä 🧠.bin"] {
        let path = elsewhere.path().join(name);
        std::fs::copy(dir.path().join("color/1/z0/y0/x0.wkw"), &path).expect("copied");
        let dataset = opened(&path);
        assert_eq!((layers(&dataset), mags(&dataset, 0)), (vec![name], vec!["1".to_owned()]));
        assert_eq!(dataset.layers[0].bounding_box, boxed([0; 3], [8; 3]));
        let wanted = boxed([-1; 3], [10; 3]);
        assert_eq!(voxels(&dataset, name, "1", &wanted), expected(UINT8, &small_box().intersect(&boxed([0; 3], [8; 3])), &wanted));
    }
}

#[test]
fn mags_are_taken_from_where_the_json_says() {
    let dir = folder();
    let other = folder();
    put_mag(&other.path().join("shared data/1 100% ä"), &small_box());
    let target = other.path().join("shared data/1 100% ä");
    let target = target.to_str().expect("UTF-8");
    let relative = format!("../{}/shared data/1 100% ä", other.path().file_name().and_then(|name| name.to_str()).expect("a name"));
    let encoded = target.replace('%', "%25").replace(' ', "%20").replace('ä', "%C3%A4");
    let paths = [
        target.to_owned(),
        relative,
        format!("file://{target}").replace('%', "%25"),
        format!("file://{encoded}"),
        format!("file://localhost{encoded}"),
        format!("file:{encoded}"),
    ];
    for path in paths {
        write_properties(dir.path(), &[LayerSpec { mags: vec![(1.into(), Some(path.clone()))], ..LayerSpec::simple("c", small_box()) }]);
        let dataset = opened(dir.path());
        assert!(dataset.layers[0].levels[0].source.is_ok(), "{path}: {}", problems(&dataset));
        assert_holds_the_small_box(&dataset, "c");
    }
}

#[test]
fn mags_without_a_path_are_found_under_both_literals() {
    for literal in ["1", "1-1-1"] {
        let dir = folder();
        put_mag(&dir.path().join("c").join(literal), &small_box());
        for path in [None, Some(String::new())] {
            write_properties(dir.path(), &[LayerSpec { mags: vec![(1.into(), path)], ..LayerSpec::simple("c", small_box()) }]);
            assert_holds_the_small_box(&opened(dir.path()), "c");
        }
    }
}

#[test]
fn declared_but_missing_layers_and_mags_are_listed_and_the_rest_opens() {
    let dir = folder();
    put_mag(&dir.path().join("c/2"), &small_box());
    let c = LayerSpec {
        mags: vec![(1.into(), None), (2.into(), Some("./c/2".to_owned())), (4.into(), Some("s3://bucket/c/4".to_owned()))],
        ..LayerSpec::simple("c", small_box())
    };
    write_properties(dir.path(), &[LayerSpec::simple("gone", small_box()), c]);
    let dataset = opened(dir.path());
    assert_eq!(layers(&dataset), ["gone", "c"]);
    assert_eq!(dataset.layers[1].finest().expect("mag 2").mag.to_string(), "2");
    for word in ["Can't open layer gone, mag 1", "Can't open layer c, mag 1", "s3://bucket/c/4"] {
        assert!(problems(&dataset).contains(word), "{word}: {}", problems(&dataset));
    }
    assert_eq!(voxels(&dataset, "c", "2", &small_box()), volume(UINT8, &small_box()));
}

#[test]
fn names_that_are_no_plain_words_work_with_and_without_a_json() {
    let nfd = "u\u{308}ber";
    let names = [
        "4",
        "2-2-2 b",
        "a layer",
        "über",
        nfd,
        "🧠 cells",
        "100%",
        "%20",
        "a'b\"c",
        "a\\b",
        "-layer",
        "$(x)",
        "tab\there",
        "x0.wkw",
        "…",
        "a=b,c",
        "with\nnewline",
    ];
    for name in names {
        let dir = folder();
        put_mag(&dir.path().join(name).join("1"), &small_box());
        for has_json in [false, true] {
            if has_json {
                write_properties(dir.path(), &[LayerSpec::simple(name, small_box())]);
            }
            let dataset = opened(dir.path());
            assert_eq!(layers(&dataset), [name], "JSON: {has_json}");
            assert_holds_the_small_box(&dataset, name);
            let of_layer = opened(&dir.path().join(name));
            assert_eq!(layers(&of_layer), [name], "JSON: {has_json}");
            let of_mag = opened(&dir.path().join(name).join("1"));
            assert_eq!(layers(&of_mag), [name], "JSON: {has_json}");
            let answer = run(read_args(dir.path(), &small_box(), &[&format!("--layer={name}")]));
            assert_eq!(answer.status, Some(0), "{name}: {}", answer.stderr);
            assert!(answer.stdout == volume(UINT8, &small_box()), "{name}");
        }
    }
}

#[test]
fn composed_and_decomposed_umlauts_are_two_layers() {
    let dir = folder();
    let names = ["ü", "u\u{308}"];
    for (i, name) in names.iter().enumerate() {
        put_mag(&dir.path().join(name).join("1"), &boxed([i64::try_from(i).expect("small"), 0, 0], [4; 3]));
    }
    write_properties(dir.path(), &names.map(|name| LayerSpec::simple(name, boxed([0; 3], [5; 3]))));
    let dataset = opened(dir.path());
    assert_eq!(layers(&dataset), names);
    let wanted = boxed([0; 3], [5; 3]);
    assert_eq!(voxels(&dataset, names[0], "1", &wanted), expected(UINT8, &boxed([0; 3], [4; 3]), &wanted));
    assert_eq!(voxels(&dataset, names[1], "1", &wanted), expected(UINT8, &boxed([1, 0, 0], [4; 3]), &wanted));
}

#[test]
fn paths_of_three_hundred_characters_and_paths_that_are_not_utf8_work() {
    let dir = folder();
    let long = dir.path().join("d".repeat(150)).join("e".repeat(150));
    small_dataset(&long);
    assert_holds_the_small_box(&opened(&long), "color");
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        small_dataset(&odd);
        for way in ["", "color", "color/1", "color/1/z0/y0/x0.wkw", "datasource-properties.json"] {
            assert_holds_the_small_box(&opened(&odd.join(way)), "color");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_to_datasets_layers_mags_and_shards_are_followed() {
    use std::os::unix::fs::symlink;
    let real = dataset();
    let dir = folder();
    symlink(real.path(), dir.path().join("dataset")).expect("a link");
    std::fs::create_dir_all(dir.path().join("own/by_mag")).expect("a folder");
    symlink(real.path().join("color"), dir.path().join("own/by_layer")).expect("a link");
    symlink(real.path().join("color/1"), dir.path().join("own/by_mag/1")).expect("a link");
    for has_json in [false, true] {
        if has_json {
            write_properties(&dir.path().join("own"), &["by_layer", "by_mag"].map(|name| LayerSpec::simple(name, small_box())));
        }
        assert_holds_the_small_box(&opened(&dir.path().join("dataset")), "color");
        let own = opened(&dir.path().join("own"));
        assert_eq!(layers(&own), ["by_layer", "by_mag"], "JSON: {has_json}");
        for layer in ["by_layer", "by_mag"] {
            assert_holds_the_small_box(&own, layer);
            for way in [
                format!("own/{layer}"),
                format!("own/{layer}/1"),
                format!("own/{layer}/1/header.wkw"),
                format!("own/{layer}/1/z0/y0/x0.wkw"),
            ] {
                assert_holds_the_small_box(&opened(&dir.path().join(way)), layer);
            }
        }
    }
}

#[test]
fn a_folder_of_layers_without_a_json_shows_those_with_mags_and_their_extent() {
    let dir = folder();
    put_mag(&dir.path().join("color/1"), &small_box());
    put_mag(&dir.path().join("segmentation/1"), &small_box());
    for other in ["notes", "color/backup", "segmentation/mappings", "empty/1"] {
        std::fs::create_dir_all(dir.path().join(other)).expect("a folder");
    }
    std::fs::write(dir.path().join("readme.txt"), "hello").expect("written");
    let dataset = opened(dir.path());
    assert_eq!(layers(&dataset), ["color", "segmentation"]);
    assert_eq!(dataset.layers[0].bounding_box, boxed([0; 3], [16; 3]));
    assert_eq!(format!("{:?}", dataset.layers[1].category), "Segmentation");
    assert!(!dataset.layers[0].has_declared_box);
}

#[test]
fn two_folders_of_one_mag_are_reported_and_the_short_one_is_used() {
    let dir = folder();
    put_mag(&dir.path().join("c/2"), &boxed([0; 3], [4; 3]));
    put_mag(&dir.path().join("c/2-2-2"), &boxed([0; 3], [8; 3]));
    let dataset = opened(&dir.path().join("c"));
    assert_eq!(mags(&dataset, 0), ["2"]);
    assert_eq!(dataset.layers[0].levels[0].path, dir.path().join("c/2"));
    assert!(problems(&dataset).contains("Warning: Mag 2 is there twice"), "{}", problems(&dataset));
}

#[test]
fn coarse_and_uneven_mags_work_without_mag_1() {
    let dir = folder();
    for literal in ["4", "8-8-2", "3-3-1", "16"] {
        put_mag(&dir.path().join("c").join(literal), &boxed([1; 3], [3; 3]));
    }
    for path in [dir.path().to_owned(), dir.path().join("c")] {
        let dataset = opened(&path);
        assert_eq!(mags(&dataset, 0), ["3-3-1", "4", "8-8-2", "16"]);
        // Shards of 8 voxels: the coarsest mag's one shard covers 128 mag-1 voxels along each axis.
        assert_eq!(dataset.layers[0].bounding_box, boxed([0; 3], [128; 3]));
    }
    let answer = run(read_args(dir.path(), &boxed([1; 3], [3; 3]), &[]));
    assert_eq!(answer.stdout, volume(UINT8, &boxed([1; 3], [3; 3])), "the finest mag is the default");
    let answer = run(read_args(dir.path(), &boxed([1; 3], [3; 3]), &["--mag", "1"]));
    assert_eq!(answer.status, Some(2));
    assert!(answer.stderr.contains("3-3-1, 4, 8-8-2, 16"), "{}", answer.stderr);
}

#[test]
fn a_mag_folder_whose_name_is_no_mag_is_mag_1_of_its_own_name() {
    let dir = folder();
    put_mag(&dir.path().join("my array"), &small_box());
    let dataset = opened(&dir.path().join("my array"));
    assert_eq!((layers(&dataset), mags(&dataset, 0)), (vec!["my array"], vec!["1".to_owned()]));
    assert!(problems(&dataset).contains("mag 1 is assumed"), "{}", problems(&dataset));
}

#[test]
fn a_mag_without_header_is_recovered_from_a_shard_with_a_warning_wherever_it_is_opened() {
    for has_json in [true, false] {
        let dir = dataset();
        std::fs::remove_file(dir.path().join("color/1/header.wkw")).expect("removed");
        if !has_json {
            std::fs::remove_file(dir.path().join("datasource-properties.json")).expect("removed");
        }
        // A folder that a deleted shard leaves behind comes first.
        std::fs::create_dir_all(dir.path().join("color/1/z00/y0")).expect("a folder");
        for way in ["", "color", "color/1", "color/1/z0/y0/x0.wkw"] {
            let dataset = opened(&dir.path().join(way));
            assert_holds_the_small_box(&dataset, "color");
            let warning = dataset
                .problems
                .iter()
                .find(|p| p.severity == Severity::Warning)
                .unwrap_or_else(|| panic!("{way}: {}", problems(&dataset)));
            assert!(warning.text.contains("header.wkw is missing") && warning.text.contains("z"), "{warning}");
        }
    }
}

#[test]
fn empty_shard_folders_before_the_first_shard_do_not_hide_a_mag_without_header() {
    let dir = folder();
    put_mag(&dir.path().join("c/1"), &boxed([0, 0, 40], [4; 3]));
    std::fs::remove_file(dir.path().join("c/1/header.wkw")).expect("removed");
    for empty in ["z0", "z1/y0", "z2/y0"] {
        std::fs::create_dir_all(dir.path().join("c/1").join(empty)).expect("a folder");
    }
    for way in ["", "c", "c/1"] {
        let wanted = boxed([0, 0, 40], [4; 3]);
        assert_eq!(voxels(&opened(&dir.path().join(way)), "c", "1", &wanted), volume(UINT8, &wanted), "{way:?}");
    }
}

#[test]
fn what_is_no_dataset_is_described_with_a_hint() {
    let dir = dataset();
    let inside = |name: &str| dir.path().join(name);
    std::fs::create_dir(inside("empty")).expect("a folder");
    std::fs::write(inside("notes.txt"), "Dear diary, today …").expect("written");
    std::fs::write(inside("picture.png"), b"\x89PNG\r\n\x1a\n rest").expect("written");
    std::fs::write(inside("nothing"), b"").expect("written");
    let cases = [
        ("empty", "an empty folder"),
        ("notes.txt", "a file that begins with"),
        ("picture.png", "a file that begins with [89, 50, 4e, 47"),
        ("nothing", "an empty file"),
    ];
    for (name, found) in cases {
        let err = open(&LocalOpener::default(), &inside(name)).expect_err(name);
        let message = err.to_string();
        assert!(matches!(err, OpenError::Unknown { .. }) && message.contains(found), "{name}: {message}");
        assert!(message.contains(&format!("{} can be opened", dir.path().display())), "{name}: {message}");
        assert!(message.ends_with(name), "{name}: {message}");
        let answer = run([std::ffi::OsStr::new("info"), inside(name).as_os_str()]);
        assert_eq!((answer.status, answer.stdout.len(), answer.errors().len()), (Some(1), 0, 1), "{name}: {}", answer.stderr);
    }
}

#[test]
fn a_folder_above_the_only_dataset_points_to_it() {
    let dir = folder();
    small_dataset(&dir.path().join("project/sample"));
    let message = open(&LocalOpener::default(), &dir.path().join("project")).expect_err("no dataset").to_string();
    assert!(message.contains("sample can be opened"), "{message}");
}

#[test]
fn a_path_that_leads_nowhere_says_so() {
    let dir = dataset();
    for name in ["missing", "color/1/header.wkw/more", "color/7"] {
        let err = open(&LocalOpener::default(), &dir.path().join(name)).expect_err(name);
        assert!(err.to_string().starts_with("can't open: no such file or folder"), "{name}: {err}");
    }
}

#[test]
fn only_mag_literals_are_mags() {
    let dir = folder();
    for name in ["1", "0", "2-2", "x", "1 ", "+2", "1.0"] {
        put_mag(&dir.path().join("c").join(name), &small_box());
    }
    assert_eq!(mags(&opened(&dir.path().join("c")), 0), [Mag::ONE.to_string()]);
}
