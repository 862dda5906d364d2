//! The command line's contract: exit statuses, messages, standard output, files written, bounds of memory and handles.

use crate::support::{
    LayerSpec, UINT8, UINT16, answer, assert_refused, boxed, corpus, cube, expected, header, limited, program, read_args, run, small_box,
    small_dataset, volume, write_mag, write_properties,
};
use chunkscope::format::wkw::BlockType;
use chunkscope::geometry::BoundingBox;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn dataset() -> TempDir {
    let dir = folder();
    small_dataset(dir.path());
    dir
}

/// A dataset whose shard 1, 0, 0 is cut off.
fn damaged() -> TempDir {
    let dir = dataset();
    let shard = dir.path().join("color/1/z0/y0/x1.wkw");
    std::fs::OpenOptions::new().write(true).open(shard).and_then(|file| file.set_len(90)).expect("cut");
    dir
}

#[test]
fn work_that_failed_is_status_1_and_wrong_usage_status_2() {
    let dir = dataset();
    let two = folder();
    for name in ["a", "b"] {
        write_mag(&two.path().join(name).join("1"), header(2, 1, BlockType::Lz4, UINT8), &small_box());
    }
    write_properties(
        two.path(),
        &[LayerSpec::simple("a", small_box()), LayerSpec::simple("b", small_box()), LayerSpec::simple("gone", small_box())],
    );
    let cases: &[(&Path, &[&str], i32, &[&str])] = &[
        (two.path(), &[], 2, &["--layer", "a, b, gone"]),
        (two.path(), &["--layer", "c"], 2, &["\"c\"", "a, b, gone"]),
        (two.path(), &["--layer", "gone"], 1, &["gone", "missing"]),
        (two.path(), &["--layer", "a", "--mag", "7"], 2, &["no mag 7", "there are: 1"]),
        (dir.path(), &["--mag", "2-2"], 2, &["no mag 2-2"]),
        (dir.path(), &["--mag", "2-0"], 2, &["not a mag"]),
        (dir.path(), &["--axis", "t=0"], 2, &["axis", "\"t\""]),
        (dir.path(), &["--axis", "t"], 2, &["no ="]),
        (dir.path(), &["--nonsense"], 2, &["--nonsense"]),
        (&dir.path().join("missing"), &[], 1, &["can't open", "no such file or folder", "missing"]),
    ];
    for (path, more, status, words) in cases {
        let answer = run(read_args(path, &small_box(), more));
        assert_refused(&answer, *status, words, &format!("{} {more:?}", path.display()));
    }
    let damaged = damaged();
    let answer = run(read_args(damaged.path(), &small_box(), &[]));
    assert_refused(&answer, 1, &["error: chunk ", "of shard 1, 0, 0", "truncated", "x1.wkw"], "damaged");
}

#[test]
fn wrong_boxes_are_wrong_usage() {
    let dir = dataset();
    let path = dir.path().to_str().expect("UTF-8");
    let huge = i64::MAX.to_string();
    let cases = [
        ("0,0,0", "-1,4,4"),
        ("0,0", "4,4,4"),
        ("0,0,0,0", "4,4,4"),
        ("a,b,c", "4,4,4"),
        ("0,0,0", "4 4 4"),
        ("", "4,4,4"),
        ("0,0,0", "1.5,1,1"),
        ("9223372036854775808,0,0", "1,1,1"),
        (&format!("{huge},0,0"), "1,1,1"),
        ("1,0,0", &format!("{huge},1,1")),
        ("0,0,0", &format!("{huge},2,2")),
    ];
    for (offset, shape) in cases {
        let answer = run(["read", path, "--offset", offset, "--shape", shape]);
        assert_refused(&answer, 2, &[], &format!("{offset} {shape}"));
    }
    assert_refused(&run(["read", path, "--offset", "0,0,0"]), 2, &["--shape"], "no shape");
}

#[test]
fn a_box_without_voxels_is_no_output_and_no_error() {
    let dir = dataset();
    for shape in [[0, 4, 4], [0, 0, 0], [4, 0, 1 << 40]] {
        let answer = run(read_args(dir.path(), &boxed([1, 2, 3], shape), &[]));
        assert_eq!((answer.status, answer.stdout.len(), answer.stderr.as_str()), (Some(0), 0, ""), "{shape:?}");
    }
}

#[test]
fn boxes_beyond_the_data_are_zeros_and_one_without_data_is_warned_about() {
    let dir = dataset();
    let wanted = boxed([-5, -6, -7], [30, 31, 32]);
    let answer = run(read_args(dir.path(), &wanted, &[]));
    assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""));
    assert!(answer.stdout == expected(UINT8, &small_box(), &wanted));
    for nowhere in [[-50, -50, -50], [1000, 0, 0], [0, 1 << 60, 0], [i64::MIN, i64::MIN, i64::MIN]] {
        let answer = run(read_args(dir.path(), &boxed(nowhere, [3, 3, 3]), &[]));
        assert_eq!((answer.status, answer.stdout), (Some(0), vec![0; 27]), "{nowhere:?}: {}", answer.stderr);
        assert!(
            answer.stderr.starts_with("warning: ") && answer.stderr.contains("no stored chunk") && answer.stderr.lines().count() == 1,
            "{}",
            answer.stderr
        );
    }
}

#[test]
fn chunks_in_the_box_that_are_damaged_fail_the_read_and_others_do_not() {
    let dir = damaged();
    let sound = boxed([1, 2, 3], [7, 10, 9]);
    let answer = run(read_args(dir.path(), &sound, &[]));
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert!(answer.stdout == expected(UINT8, &small_box(), &sound));
}

#[test]
fn messages_are_one_line_whatever_names_contain() {
    let dir = folder();
    let name = "two\nlines\u{1b}[31m";
    write_mag(&dir.path().join(name).join("1"), header(2, 1, BlockType::Lz4, UINT8), &small_box());
    std::fs::write(dir.path().join(name).join("1/z0/y0/x0.wkw"), "short").expect("written");
    let answer = run(read_args(dir.path(), &small_box(), &[]));
    assert_refused(&answer, 1, &["magic"], "newline");
    assert_eq!(answer.stderr.lines().count(), 1, "{:?}", answer.stderr);
    let answer = run(read_args(dir.path(), &small_box(), &["--layer", "x"]));
    assert_refused(&answer, 2, &[], "newline in the list of layers");
    assert_eq!(answer.stderr.lines().count(), 1, "{:?}", answer.stderr);
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let dir = dataset();
    for args in
        [read_args(dir.path(), &boxed([0; 3], [512, 512, 64]), &[]), vec!["info".to_owned(), corpus().join("types").display().to_string()]]
    {
        let mut child = program(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut [0; 10]).expect("ten bytes");
        drop(stdout);
        let output = child.wait_with_output().expect("ends");
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_says_what_could_not_be_written() {
    let dir = dataset();
    for args in [
        read_args(dir.path(), &cube(64), &[]),
        vec!["info".to_owned(), dir.path().display().to_string()],
        vec!["info".to_owned(), dir.path().display().to_string(), "--json".to_owned()],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let output =
            program(&args).stdout(full).stderr(Stdio::piped()).spawn().and_then(std::process::Child::wait_with_output).expect("ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(
            stderr.contains("error: can't write") && stderr.lines().filter(|line| line.starts_with("error")).count() == 1,
            "{args:?}: {stderr}"
        );
    }
}

/// Names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

#[test]
fn out_writes_the_file_replaces_an_old_one_and_says_nothing() {
    let dir = dataset();
    let target = folder();
    let out = target.path().join("box.raw");
    for _ in 0..2 {
        let answer = run(read_args(dir.path(), &small_box(), &["--out", out.to_str().expect("UTF-8")]));
        assert_eq!((answer.status, answer.stdout.len(), answer.stderr.as_str()), (Some(0), 0, ""));
        assert!(std::fs::read(&out).expect("there") == volume(UINT8, &small_box()));
    }
    assert_eq!(names(target.path()), ["box.raw"]);
    let mut relative = program(read_args(dir.path(), &small_box(), &["--out", "relative.raw"]));
    relative.current_dir(target.path());
    assert_eq!(answer(relative).status, Some(0));
    assert_eq!(names(target.path()), ["box.raw", "relative.raw"]);
}

#[test]
fn out_keeps_the_old_file_and_leaves_nothing_behind_when_the_read_fails() {
    let dir = damaged();
    let target = folder();
    let out = target.path().join("box.raw");
    std::fs::write(&out, "old").expect("written");
    let answer = run(read_args(dir.path(), &small_box(), &["--out", out.to_str().expect("UTF-8")]));
    assert_refused(&answer, 1, &["x1.wkw"], "damaged");
    assert_eq!((std::fs::read(&out).expect("there").as_slice(), names(target.path())), (b"old".as_slice(), vec!["box.raw".to_owned()]));
}

#[test]
fn out_into_nowhere_is_an_error_with_the_file() {
    let dir = dataset();
    let target = folder();
    for out in [target.path().join("missing/box.raw"), target.path().to_owned()] {
        let answer = run(read_args(dir.path(), &small_box(), &["--out", out.to_str().expect("UTF-8")]));
        assert_refused(&answer, 1, &["can't write", out.to_str().expect("UTF-8")], "nowhere");
    }
    assert_eq!(names(target.path()), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn out_through_a_link_writes_the_link_s_target() {
    let dir = dataset();
    let target = folder();
    std::fs::create_dir(target.path().join("elsewhere")).expect("a folder");
    let (real, link) = (target.path().join("elsewhere/real.raw"), target.path().join("link.raw"));
    std::fs::write(&real, "old").expect("written");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let answer = run(read_args(dir.path(), &small_box(), &["--out", link.to_str().expect("UTF-8")]));
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert!(link.symlink_metadata().expect("there").is_symlink());
    assert!(std::fs::read(&real).expect("there") == volume(UINT8, &small_box()));
}

/// Like `/dev/null` and `/dev/stdout`, which must not become files.
#[cfg(unix)]
#[test]
fn out_to_a_pipe_or_device_writes_into_it_and_does_not_replace_it() {
    use std::os::unix::fs::FileTypeExt;
    let dir = dataset();
    let target = folder();
    let pipe = target.path().join("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return;
    }
    let (done, wait) = std::sync::mpsc::channel();
    let reader = pipe.clone();
    // Not joined: if nobody writes into the pipe, this waits for ever.
    std::thread::spawn(move || done.send(std::fs::read(reader)));
    let answer = run(read_args(dir.path(), &small_box(), &["--out", pipe.to_str().expect("UTF-8")]));
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert!(pipe.symlink_metadata().expect("there").file_type().is_fifo());
    let bytes = wait.recv_timeout(std::time::Duration::from_secs(10)).expect("written").expect("read");
    assert!(bytes == volume(UINT8, &small_box()));
}

/// A mag of which only the header is there.
#[cfg(unix)]
fn header_only(folder: &Path, chunk_log2: u8, shard_log2: u8) {
    write_mag(folder, header(chunk_log2, shard_log2, BlockType::Lz4, UINT8), &cube(0));
}

#[cfg(unix)]
#[test]
fn boxes_larger_than_memory_are_streamed() {
    let dir = folder();
    header_only(&dir.path().join("wide/1"), 5, 5);
    header_only(&dir.path().join("fine/1"), 0, 15);
    let cases = [("wide/1", [1 << 20, 1 << 20, 1 << 20]), ("wide/1", [1 << 40, 1 << 10, 1 << 10]), ("fine/1", [1, 1, 1 << 40])];
    for (mag, shape) in cases {
        let args = read_args(&dir.path().join(mag), &boxed([0; 3], shape), &[]);
        let mut child = limited("ulimit -v 1500000", &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut some = vec![1; 1 << 20];
        let got = stdout.read_exact(&mut some);
        drop(stdout);
        let output = child.wait_with_output().expect("ends");
        assert!(got.is_ok() && some.iter().all(|b| *b == 0), "{mag} {shape:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{mag} {shape:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_streamed_box_has_every_byte_in_its_place() {
    let dir = folder();
    let stored = BoundingBox::between([0, 0, 700].into(), [64, 64, 704].into());
    write_mag(&dir.path().join("1"), header(5, 1, BlockType::Lz4, UINT16), &stored);
    let wanted = boxed([-100, -100, 0], [400, 300, 1200]); // 288 million bytes, in two parts
    let mut child =
        limited("ulimit -v 1500000", &read_args(&dir.path().join("1"), &wanted, &[])).stdout(Stdio::piped()).spawn().expect("starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut plane = vec![0; 400 * 300 * 2];
    for z in 0..1200 {
        stdout.read_exact(&mut plane).unwrap_or_else(|err| panic!("plane {z}: {err}"));
        let plane_box = boxed([-100, -100, z], [400, 300, 1]);
        let right = if (700..704).contains(&z) { plane == expected(UINT16, &stored, &plane_box) } else { plane.iter().all(|b| *b == 0) };
        assert!(right, "plane {z}");
    }
    assert_eq!(stdout.read(&mut [0]).expect("the end"), 0);
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn hundreds_of_shards_are_read_with_64_open_files_and_many_threads() {
    let dir = folder();
    let stored = boxed([0; 3], [16, 16, 8]);
    write_mag(&dir.path().join("1"), header(1, 0, BlockType::Lz4, UINT8), &stored);
    for threads in ["2", "100"] {
        let mut command = limited("ulimit -n 64", &read_args(&dir.path().join("1"), &stored, &[]));
        command.env("RAYON_NUM_THREADS", threads);
        let answer = answer(command);
        assert_eq!(answer.status, Some(0), "{threads} threads: {}", answer.stderr);
        assert!(answer.stdout == volume(UINT8, &stored));
    }
}

#[test]
fn info_prints_one_json_object_as_in_the_stored_example() {
    let path = corpus().join("library");
    let answer = run([std::ffi::OsStr::new("info"), path.as_os_str(), std::ffi::OsStr::new("--json")]);
    assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""));
    let object: serde_json::Value = serde_json::from_str(answer.text()).expect("one JSON object");
    assert!(object.is_object() && answer.text().ends_with("}\n"));
    insta::assert_snapshot!("info_json", answer.text().replace(corpus().to_str().expect("UTF-8"), "CORPUS"));
}

#[test]
fn info_describes_a_dataset_and_its_problems_for_people() {
    let path = corpus().join("mixed");
    let answer = run([std::ffi::OsStr::new("info"), path.as_os_str()]);
    assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("info_text", answer.text().replace(corpus().to_str().expect("UTF-8"), "CORPUS"));
}

#[test]
fn info_is_status_0_as_long_as_anything_opens_and_lists_what_does_not() {
    let dir = dataset();
    write_properties(dir.path(), &[LayerSpec::simple("color", small_box()), LayerSpec::simple("gone", small_box())]);
    let answer = run(["info", dir.path().to_str().expect("UTF-8")]);
    assert_eq!(answer.status, Some(0));
    assert!(answer.text().contains("error: Can't open layer gone, mag 1"), "{}", answer.text());
}

#[test]
fn ids_in_json_are_decimal_strings() {
    let dir = dataset();
    let json = dir.path().join("datasource-properties.json");
    let text = std::fs::read_to_string(&json)
        .expect("there")
        .replace("\"category\":\"color\"", "\"category\":\"segmentation\",\"largestSegmentId\":18446744073709551615");
    std::fs::write(&json, text).expect("written");
    let answer = run(["info", "--json", dir.path().to_str().expect("UTF-8")]);
    let object: serde_json::Value = serde_json::from_str(answer.text()).expect("JSON");
    assert_eq!(object["layers"][0]["largest_segment_id"], "18446744073709551615");
}

#[test]
fn help_and_version_go_to_stdout_with_examples() {
    let help = run(["--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (Some(0), ""));
    assert!(help.text().contains("Examples:") && help.text().contains("chunkscope read"));
    let version = run(["--version"]);
    assert_eq!(version.text(), format!("chunkscope {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_error_names_its_cause_once_and_the_file_last() {
    let dir = dataset();
    let put = |name: &str, text: &str| {
        let folder = dir.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("datasource-properties.json"), text).expect("written");
    };
    put("broken", "{ not json");
    std::fs::create_dir_all(dir.path().join("odd/datasource-properties.json")).expect("a folder");
    let shard = dir.path().join("color/1/z0/y0/x0.wkw");
    std::fs::remove_file(&shard).and_then(|()| std::fs::create_dir(&shard)).expect("a folder");
    let unwritable = format!("{}/missing/box.raw", dir.path().display());
    let cases: [(Vec<String>, &str, &str); 5] = [
        (vec!["info".into(), dir.path().join("broken").display().to_string()], "key must be a string", "broken/datasource-properties.json"),
        (vec!["info".into(), dir.path().join("odd").display().to_string()], "directory", "odd/datasource-properties.json"),
        (vec!["info".into(), dir.path().join("nowhere").display().to_string()], "no such file", "nowhere"),
        (read_args(dir.path(), &small_box(), &[]), "directory", "x0.wkw"),
        (read_args(dir.path(), &boxed([8; 3], [1; 3]), &["--out", &unwritable]), "No such file", "box.raw"),
    ];
    for (args, cause, file) in cases {
        let answer = run(&args);
        assert_refused(&answer, 1, &[cause], &format!("{args:?}"));
        assert_eq!(answer.stderr.matches(cause).count(), 1, "{}", answer.stderr);
        assert!(answer.stderr.trim_end().ends_with(file) && answer.stderr.starts_with("error: "), "{}", answer.stderr);
    }
}

#[test]
fn levels_of_the_same_mag_are_read_by_their_labels() {
    let path = corpus().join("ome/v04_coincide");
    let read = |mag: &str| run(read_args(&path, &boxed([0; 3], [4; 3]), &["--mag", mag]));
    assert_eq!((read("1").stdout.len(), read("1-2").stdout.len()), (64, 64));
    assert_eq!(read("1-1").stdout, read("1").stdout);
    assert_refused(&read("1-3"), 2, &["no mag 1-3", "1, 1-2"], "a third level");
    assert!(run([OsStr::new("info"), path.as_os_str()]).text().contains("mag 1-2"));
}

#[test]
fn slices_show_the_position_along_further_axes_that_was_asked_for() {
    let (path, out) = (corpus().join("ome/v04_tczyx"), folder());
    let slice = |axis: Option<&str>, name: &str| {
        let file = out.path().join(name);
        let mut args = vec!["slice".to_owned(), path.display().to_string()];
        args.extend(["--plane", "xy", "--position", "5,5,3", "--size", "64x64", "--window", "0,65535", "--out"].map(str::to_owned));
        args.push(file.display().to_string());
        args.extend(axis.iter().flat_map(|axis| ["--axis".to_owned(), (*axis).to_owned()]));
        (run(args), std::fs::read(file).unwrap_or_default())
    };
    let (first, second) = (slice(None, "none.png"), slice(Some("t=1"), "1.png"));
    assert_eq!((first.0.status, second.0.status), (Some(0), Some(0)), "{} {}", first.0.stderr, second.0.stderr);
    assert_eq!(slice(Some("t=0"), "0.png").1, first.1);
    assert_ne!(first.1, second.1);
    assert_refused(&slice(Some("t=99"), "far.png").0, 2, &["axis t has positions 0 to"], "beyond the end");
    assert_refused(&slice(Some("q=0"), "q.png").0, 2, &["no axis \"q\"", "there is t"], "another axis");
}

#[cfg(not(feature = "gui"))]
#[test]
fn without_the_window_the_program_says_so() {
    let dir = dataset();
    assert_refused(&run([dir.path().as_os_str()]), 1, &["without the window"], "PATH alone");
}

#[test]
fn info_describes_datasets_of_every_format() {
    for (name, path) in [
        ("zarr2_array", "zarr2/codecs/blosc_lz4_shuffle"),
        ("zarr3_sharded", "zarr3/sharding/nested"),
        ("ome_04_channels", "ome/v04_czyx"),
        ("ome_05_labels", "ome/v05_labels"),
        ("n5_multiscale", "n5/cosem"),
        ("precomputed_sharded", "precomputed/sharded/murmur_mini2"),
        ("json_of_several_formats", "properties/mixed"),
    ] {
        let path = corpus().join(path);
        let answer = run([std::ffi::OsStr::new("info"), path.as_os_str()]);
        assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""), "{name}");
        insta::assert_snapshot!(format!("info_{name}"), answer.text().replace(corpus().to_str().expect("UTF-8"), "CORPUS"));
    }
}
