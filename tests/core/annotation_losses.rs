//! What can't be read, held or replaced is said, and nothing is written away: annotations that users still have.

use crate::support::archives::{self, Packing, VOLUME, annotation, entry, file, nml, wkw_data};
use crate::support::{answer, limited, run};
use std::path::Path;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Commands that write an annotation again refuse, and leave the file as it is.
#[track_caller]
fn assert_never_written(what: &str, path: &Path, whole: &[u8]) {
    let file = text(path);
    for args in [
        vec!["annotation", "convert", file, file],
        vec!["annotation", "edit", file, file, "--box", "32,0,0,1,1,1=5"],
        vec!["annotation", "roundtrip", file],
    ] {
        let answer = run(&args);
        assert_eq!(answer.status, Some(1), "{what}: {args:?}: {}", answer.stderr);
        assert_eq!(answer.errors().len(), 1, "{what}: {args:?}: {}", answer.stderr);
        assert!(std::fs::read(path).expect("there") == whole, "{what}: {args:?}");
    }
}

#[test]
fn volumes_whose_data_cannot_be_read_are_not_written_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.zip");
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    let mut bad_header = wkw_data(100);
    bad_header.iter_mut().filter(|(name, _)| name == "2/header.wkw").for_each(|(_, bytes)| bytes[0] = b'X');
    for (what, bytes) in [
        ("a page of the web", b"<html><body>not found</body></html>".to_vec()),
        ("cut off before its first entry", data[..20].to_vec()),
        ("a damaged header without a bucket beside it", archives::zip(&bad_header, Packing::Stored)),
    ] {
        let whole = archives::zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", bytes)], Packing::Stored);
        std::fs::write(&path, &whole).expect("written");
        assert_never_written(what, &path, &whole);
        let file = text(&path);
        let answer = run(["diff", file, file]);
        assert_eq!(answer.status, Some(2), "{what}: {}", answer.stderr);
    }
}

#[test]
fn a_highest_id_that_makes_no_sense_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let volume = VOLUME.replace("largestSegmentId=\"9\"", "largestSegmentId=\"18446744073709551615\"");
    assert_ne!(volume, VOLUME, "the sample has one");
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    std::fs::write(&from, archives::zip(&[file("a.nml", nml(&volume)), file("data_Volume.zip", data)], Packing::Deflated))
        .expect("written");
    assert_eq!(run(["annotation", "convert", text(&from), text(&to)]).status, Some(0));
    let answer = run(["annotation", "info", text(&to), "--json"]);
    assert!(answer.text().contains("\"18446744073709551615\""), "{}", answer.text());
}

#[test]
fn the_box_of_an_export_is_that_of_what_was_painted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    std::fs::write(&from, annotation(&wkw_data(100), Packing::Deflated)).expect("written");
    for format in ["zarr3", "zarr3-spec"] {
        assert_eq!(run(["annotation", "convert", text(&from), text(&to), "--format", format]).status, Some(0));
        let data = entry(&std::fs::read(&to).expect("there"), "data_Volume.zip");
        let json: serde_json::Value = serde_json::from_slice(&entry(&data, "datasource-properties.json")).expect("JSON");
        let told = &json["dataLayers"][0]["boundingBox"];
        assert_eq!(*told, serde_json::json!({ "topLeft": [32, 0, 0], "width": 32, "height": 32, "depth": 32 }), "{format}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_not_replaced_by_files() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (from, pipe) = (folder.path().join("a.zip"), folder.path().join("pipe"));
    std::fs::write(&from, annotation(&wkw_data(100), Packing::Deflated)).expect("written");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    let answer = run(["annotation", "convert", text(&from), text(&pipe)]);
    assert_eq!(answer.status, Some(1), "{}", answer.stderr);
    assert!(pipe.metadata().expect("there").file_type().is_fifo());
}

#[test]
fn what_cannot_be_read_is_left_out_on_request_and_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let mut files = wkw_data(100);
    files.push(file("1/z0/y0/x3.wkw", b"no bucket at all"));
    std::fs::write(&from, annotation(&files, Packing::Deflated)).expect("written");
    let answer = run(["annotation", "convert", text(&from), text(&to)]);
    assert_eq!(answer.status, Some(1));
    assert!(answer.stderr.contains("x3.wkw") && answer.stderr.contains("--drop-damaged"), "{}", answer.stderr);
    assert!(!to.exists());
    let answer = run(["annotation", "convert", text(&from), text(&to), "--drop-damaged"]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert!(
        answer.stderr.starts_with("warning: ") && answer.stderr.contains("left out") && answer.stderr.contains("x3.wkw"),
        "{}",
        answer.stderr
    );
    let answer = run(["annotation", "roundtrip", text(&to)]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    std::fs::write(&from, annotation(&wkw_data(100), Packing::Deflated)).expect("written");
    let answer = run(["diff", text(&from), text(&to)]);
    assert_eq!(answer.status, Some(0), "{}", answer.text());
}

#[test]
fn a_damaged_nml_or_data_zip_is_read_as_far_as_it_goes_and_never_written_away_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let sound = nml(VOLUME);
    let cut = &sound.as_slice()[..sound.len() - 12];
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    let whole = archives::zip(&[file("a.nml", &sound), file("data_Volume.zip", &data)], Packing::Deflated);
    // Checksums in the central directory, where they are looked for.
    let with_wrong_checksum = |name: &str| {
        let mut bytes = whole.clone();
        let at = bytes.windows(name.len()).rposition(|window| window == name.as_bytes()).expect("its name") - 46 + 16;
        bytes[at] ^= 1;
        bytes
    };
    for (what, bytes, told) in [
        ("the NML's checksum", with_wrong_checksum("a.nml"), "The NML is damaged: wrong checksum"),
        ("the data's checksum", with_wrong_checksum("data_Volume.zip"), "The archive is damaged: wrong checksum"),
        (
            "the NML's end",
            archives::zip(&[file("a.nml", cut), file("data_Volume.zip", &data)], Packing::Deflated),
            "what comes after it is missing",
        ),
        ("the NML", archives::zip(&[file("a.nml", b"<html>"), file("data_Volume.zip", &data)], Packing::Deflated), "The NML can't be used"),
    ] {
        std::fs::write(&from, bytes).expect("written");
        let answer = run(["annotation", "info", text(&from)]);
        assert_eq!(answer.status, Some(0), "{what}: {}", answer.stderr);
        assert!(answer.stderr.contains(told) || answer.text().contains(told), "{what}: {} {}", answer.stderr, answer.text());
        let voxel = run(["read", text(&from), "--offset", "32,0,0", "--shape", "1,1,1"]);
        assert_eq!((voxel.status, voxel.stdout.len()), (Some(0), 4), "{what}: {}", voxel.stderr);
        assert_ne!(voxel.stdout, [0; 4], "{what}");
        assert_eq!(run(["annotation", "convert", text(&from), text(&to)]).status, Some(1), "{what}");
        assert!(!to.exists(), "{what}");
        let answer = run(["annotation", "convert", text(&from), text(&to), "--drop-damaged"]);
        assert_eq!(answer.status, Some(0), "{what}: {}", answer.stderr);
        let again = run(["read", text(&to), "--offset", "32,0,0", "--shape", "1,1,1"]);
        assert_eq!(again.stdout, voxel.stdout, "{what}");
        std::fs::remove_file(&to).expect("there");
    }
}

#[test]
fn edges_of_an_edited_mapping_are_carried_along() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let volume = VOLUME.replace("<volume ", "<volume editedMappingEdgesLocation=\"editedMapping_Volume.zip\" ");
    assert_ne!(volume, VOLUME);
    let edges = archives::zip(&[file("0/0/zarr.json", b"{}"), file("0/0/c/0", [7; 5000])], Packing::Deflated);
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    let files = [file("a.nml", nml(&volume)), file("data_Volume.zip", data), file("editedMapping_Volume.zip", &edges)];
    let whole = archives::zip(&files, Packing::Deflated);
    std::fs::write(&from, &whole).expect("written");
    let answer = run(["annotation", "convert", text(&from), text(&to)]);
    assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""));
    assert!(entry(&std::fs::read(&to).expect("there"), "editedMapping_Volume.zip") == edges, "other bytes");
    let answer = run(["annotation", "roundtrip", text(&to)]);
    assert_eq!((answer.status, answer.stderr.as_str()), (Some(0), ""));
    // Damaged, it is an error that names it; lost, the file says so.
    let mut bytes = whole;
    let name = b"editedMapping_Volume.zip";
    let at = bytes.windows(name.len()).rposition(|window| window == name).expect("its name") - 46 + 16;
    bytes[at] ^= 1;
    std::fs::write(&from, &bytes).expect("written");
    let answer = run(["annotation", "convert", text(&from), text(&to)]);
    assert_eq!(answer.status, Some(1));
    assert!(answer.stderr.contains("editedMapping_Volume.zip") && answer.stderr.contains("checksum"), "{}", answer.stderr);
    assert_eq!(run(["annotation", "convert", text(&from), text(&to), "--drop-damaged"]).status, Some(0));
    std::fs::write(&from, archives::zip(&files[..2], Packing::Deflated)).expect("written");
    let answer = run(["annotation", "convert", text(&from), text(&to)]);
    assert_eq!(answer.status, Some(0));
    assert!(answer.stderr.contains("editedMapping_Volume.zip"), "{}", answer.stderr);
}

/// Archives that hold more of an annotation than is read.
fn left_out() -> Vec<(&'static str, Vec<u8>)> {
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    let sound = [file("a.nml", nml(VOLUME)), file("data_Volume.zip", &data)];
    let bucket = archives::wkw_bucket(&archives::voxels(5));
    let with = |name: &str, bytes: &[u8]| archives::zip(&[&sound[..], &[file(name, bytes)]].concat(), Packing::Deflated);
    let inside = |name: &str, bytes: &[u8]| annotation(&[wkw_data(100), vec![file(name, bytes)]].concat(), Packing::Deflated);
    let mut link = with("b.nml", b"c.nml");
    let at = link.windows(5).rposition(|window| window == b"b.nml").expect("its name") - 46;
    link[at + 5] = 3; // made by Unix
    link[at + 38..at + 42].copy_from_slice(&0xa1ff_0000_u32.to_le_bytes());
    vec![
        ("a position below 0", inside("1/z0/y0/x-1.wkw", &bucket)),
        ("a position beyond 32 bits", inside("1/z0/y0/x4294967296.wkw", &bucket)),
        ("no mag", inside("0/z0/y0/x0.wkw", &bucket)),
        ("a name that leads outside", inside("../1/z0/y0/x2.wkw", &bucket)),
        ("an absolute name", inside("/1/z0/y0/x2.wkw", &bucket)),
        ("a name of another system", inside("1\\z0\\y0\\x2.wkw", &bucket)),
        ("another bucket of that name", inside("1/z0/y0/x1.wkw", &bucket)),
        ("another bucket at that position", inside("1/z0/y0/x01.wkw", &bucket)),
        ("another folder", inside("other/1/z0/y0/x2.wkw", &bucket)),
        ("another format", inside("1/c.0.2.0.0", &archives::blosc_frame(&archives::voxels(5)))),
        ("another number of axes", inside("5/c.0.2.2.0.0", &archives::blosc_frame(&archives::voxels(5)))),
        ("a data zip without a name", with("data_1_Other.zip", &data)),
        ("a data zip elsewhere", with("old/data_Volume.zip", &data)),
        ("a bucket outside", with("1/z0/y0/x3.wkw", &bucket)),
        ("a link", link),
        ("nothing", Vec::new()),
    ]
}

#[test]
fn what_is_left_out_is_not_written_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, other) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    for (what, whole) in left_out() {
        std::fs::write(&path, &whole).expect("written");
        assert_never_written(what, &path, &whole);
        let file = text(&path);
        assert_eq!(run(["annotation", "info", file]).status, Some(0), "{what}");
        let answer = run(["annotation", "convert", file, text(&other), "--drop-damaged"]);
        assert_eq!(answer.status, Some(0), "{what}: {}", answer.stderr);
    }
}

#[test]
fn foreign_files_and_what_holds_no_voxels_are_no_loss() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let mut data = wkw_data(100);
    data.extend(
        ["README.txt", ".DS_Store", "__MACOSX/1/z0/y0/x1.wkw", "1/", "x/header.wkw", "1/z0/y0/.x1.wkw.swp"].map(|name| file(name, "x")),
    );
    data.push(file("1/z0/y0/x07.wkw", archives::wkw_bucket(&archives::voxels(700))));
    let data = archives::zip(&data, Packing::Deflated);
    let headers = archives::zip(&wkw_data(100)[1..], Packing::Deflated);
    let files = [
        file("a.nml", nml(VOLUME)),
        file("data_Volume.zip", data),
        file("README.md", "x"),
        file("__MACOSX/._a.nml", "x"),
        file("sub/", ""),
        file("data_1_Empty.zip", headers),
        file("data_2_Empty.zip", ""),
        file("README.md", "x"),
    ];
    std::fs::write(&from, archives::zip(&files, Packing::Deflated)).expect("written");
    let answer = run(["annotation", "convert", text(&from), text(&to)]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    // As servers do: zeros before a number say nothing.
    let voxel = run(["read", text(&to), "--offset", "224,0,0", "--shape", "1,1,1"]);
    assert_eq!(voxel.stdout, 700_u32.to_le_bytes(), "{}", voxel.stderr);
}

#[test]
fn an_annotation_that_is_cut_off_anywhere_is_damaged_or_refused() {
    use chunkscope::problem::Severity;
    let one = annotation(&wkw_data(100), Packing::Stored);
    let several = archives::zip(&[file("a.zip", &one), file("b.zip", &one)], Packing::Stored);
    // Cuts of voxels alike aren't worth their time.
    let cuts = |whole: &[u8]| (0..whole.len()).filter(|cut| *cut < 600 || whole.len() - cut < 900 || cut % 997 == 0).collect::<Vec<_>>();
    for whole in [one, several] {
        crate::support::check_all(&cuts(&whole), |cut| {
            if let Ok(dataset) = archives::open_zip(whole[..*cut].to_vec()) {
                let errors = dataset.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
                assert!(errors > 0, "{cut} of {} bytes: {}", whole.len(), archives::problems(&dataset));
            }
        });
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_said_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    std::fs::write(&from, annotation(&wkw_data(100), Packing::Deflated)).expect("written");
    for format in ["wkw", "zarr3"] {
        for blocks in 0..4 {
            let args = ["annotation", "convert", text(&from), text(&to), "--format", format].map(str::to_owned);
            let answer = answer(limited(&format!("trap '' XFSZ; ulimit -f {blocks}"), &args));
            assert_eq!((answer.status, answer.stderr.lines().count()), (Some(1), 1), "{format}, {blocks}: {}", answer.stderr);
            assert!(answer.stderr.starts_with("error: can't write: "), "{format}, {blocks}: {}", answer.stderr);
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}

#[test]
fn edges_of_an_edited_mapping_may_have_any_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    for (edges, at) in [("a.nml", "data_Volume.zip"), ("data_Volume.zip", "data_Volume.zip"), ("data_Volume.zip", "voxels.zip")] {
        let volume = VOLUME.replace("<volume ", &format!("<volume editedMappingEdgesLocation=\"{edges}\" "));
        let volume = volume.replace("location=\"data_Volume.zip\"", &format!("location=\"{at}\""));
        let mut files = vec![file("a.nml", nml(&volume)), file(at, &data)];
        if edges != at && edges != "a.nml" {
            files.push(file(edges, "edges"));
        }
        std::fs::write(&from, archives::zip(&files, Packing::Deflated)).expect("written");
        let answer = run(["annotation", "convert", text(&from), text(&to)]);
        assert_eq!(answer.status, Some(0), "{edges}, {at}: {}", answer.stderr);
        if at == "voxels.zip" {
            assert_eq!(entry(&std::fs::read(&to).expect("there"), edges), b"edges");
        }
        let answer = run(["annotation", "roundtrip", text(&to)]);
        assert_eq!(answer.status, Some(0), "{edges}, {at}: {} {}", answer.text(), answer.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_round_trip_without_room_says_where_it_could_not_export() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("a.zip");
    std::fs::write(&from, annotation(&wkw_data(100), Packing::Deflated)).expect("written");
    let mut command = crate::support::program(["annotation", "roundtrip", text(&from)]);
    let nowhere = folder.path().join("nowhere");
    command.env("TMPDIR", &nowhere);
    let answer = answer(command);
    assert_eq!(answer.status, Some(1));
    assert!(answer.stderr.starts_with("error: can't write: ") && answer.stderr.trim_end().ends_with(text(&nowhere)), "{}", answer.stderr);
}

#[test]
fn names_with_line_breaks_stay_on_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let volume = VOLUME.replace("name=\"Volume\"", "name=\"a&#10;b&#27;[31m\"");
    let data = archives::zip(&wkw_data(100), Packing::Deflated);
    std::fs::write(&from, archives::zip(&[file("a.nml", nml(&volume)), file("data_Volume.zip", data)], Packing::Deflated))
        .expect("written");
    for args in [vec!["annotation", "info", text(&from)], vec!["annotation", "convert", text(&from), text(&to)]] {
        let answer = run(&args);
        assert_eq!(answer.status, Some(0), "{}", answer.stderr);
        let said = answer.text();
        assert!(said.lines().all(|line| !line.starts_with('b')) && !said.contains('\u{1b}') && said.contains("a b"), "{said}");
    }
}
