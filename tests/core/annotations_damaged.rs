//! Annotation files that are damaged, made to do harm, or large.

use crate::annotations::voxel;
use crate::support::archives::*;
use chunkscope::format::{ChunkFault, OpenError, open};
use chunkscope::geometry::{ChunkIndex, Vec3Int};
use chunkscope::storage::{IoStats, LocalOpener, MeteredOpener};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Changes bytes that end `before` where a name in the directory begins.
fn patched(mut bytes: Vec<u8>, name: &[u8], before: usize, new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(name.len()).rposition(|window| window == name).expect("the name is there") - before;
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

fn two_buckets() -> Vec<File> {
    vec![file("1/header.wkw", WKW_HEADER), file("1/z0/y0/x0.wkw", wkw_bucket(&voxels(1))), file("1/z0/y0/x1.wkw", wkw_bucket(&voxels(9)))]
}

#[test]
fn a_bucket_with_a_wrong_checksum_is_named_and_the_others_are_read() {
    let whole = zip(&two_buckets(), Packing::Stored);
    // The last byte of the first bucket lies before the header of the second.
    let local = whole.windows(14).position(|w| w == b"1/z0/y0/x1.wkw").expect("its header") - 30;
    let mut bytes = whole;
    bytes[local - 1] ^= 0xff;
    let dataset = open_zip(zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", bytes)], Packing::Deflated)).expect("opens");
    assert_eq!(voxel(&dataset, [32, 0, 0]), Ok(9));
    let message = voxel(&dataset, [0, 0, 0]).expect_err("damaged");
    assert!(message.contains("CRC-32") && message.ends_with("memory:a.zip › data_Volume.zip › 1/z0/y0/x0.wkw"), "{message}");
}

#[test]
fn a_length_that_lies_costs_nothing_and_is_that_buckets_error() {
    let lie = patched(zip(&two_buckets(), Packing::Deflated), b"1/z0/y0/x0.wkw", 46 - 24, &u32::to_le_bytes(0xfff0_0000));
    let dataset = open_zip(lie).expect("opens");
    let source = dataset.layers[0].levels[0].source.clone().expect("a level");
    let error = source.locate(ChunkIndex(Vec3Int::ZERO)).expect_err("no bucket is that long");
    assert!(matches!(error.fault, ChunkFault::Oversized { .. }), "{error}");
    assert_eq!(voxel(&dataset, [32, 0, 0]), Ok(9));
}

#[test]
fn names_that_lead_outside_are_dropped_and_nothing_is_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let bad = ["../evil.nml", "/tmp/evil.zip", "C:\\evil", "a/../../evil", "..\\evil"].map(|name| file(name, "evil"));
    let whole = zip(
        &[&bad[..], &[file("a.nml", nml(VOLUME)), file("data_Volume.zip", zip(&two_buckets(), Packing::Deflated))]].concat(),
        Packing::Deflated,
    );
    let path = dir.path().join("in.zip");
    std::fs::write(&path, whole).expect("written");
    let dataset = open(&LocalOpener::default(), &path).expect("opens");
    assert_eq!(voxel(&dataset, [0, 0, 0]), Ok(1));
    assert!(problems(&dataset).contains("../evil.nml") && problems(&dataset).contains("4 more"), "{}", problems(&dataset));
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
}

#[test]
fn an_archive_that_is_cut_off_is_read_as_far_as_it_goes() {
    for packing in [Packing::Stored, Packing::Deflated] {
        let data = zip(&two_buckets(), packing);
        let whole = zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", &data)], packing);
        // Inside of the inner archive's last bucket.
        let cut = whole.len() - if packing == Packing::Stored { 40_000 } else { 20_000 };
        let dataset = open_zip(whole[..cut].to_vec()).expect("opens");
        assert_eq!(voxel(&dataset, [1, 0, 0]), Ok(2), "{packing:?}: {}", problems(&dataset));
        let text = problems(&dataset);
        assert!(text.contains("no usable central directory") && text.contains("lost"), "{text}");
    }
}

#[test]
fn a_bomb_is_inflated_once_to_a_bounded_place_and_refused() {
    let bomb = zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", vec![0; 100 << 20])], Packing::Deflated);
    let start = Instant::now();
    let dataset = open_zip(bomb).expect("opens");
    assert!(problems(&dataset).contains("not a zip archive"), "{}", problems(&dataset));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn other_files_called_zip_are_named_as_what_they_are() {
    let message = open_zip(b"<!DOCTYPE html><html>".to_vec()).expect_err("a page").to_string();
    assert!(message.contains("not a zip archive") && message.contains("<!DO"), "{message}");
    let page = zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", "<html>")], Packing::Deflated);
    let dataset = open_zip(page).expect("opens");
    assert!(problems(&dataset).contains("not a zip archive"), "{}", problems(&dataset));
    assert!(matches!(open_files(&[file("a.nml", "<svg/>")], "a.nml"), Err(OpenError::Nml { .. })));
}

#[test]
fn a_lost_header_is_taken_from_a_bucket_and_a_strange_bucket_is_an_error() {
    let mut files = two_buckets();
    files.remove(0);
    files[1].1[6..8].copy_from_slice(&[4, 8]);
    let dataset = open_zip(annotation(&files, Packing::Deflated)).expect("opens");
    assert_eq!(voxel(&dataset, [0, 0, 0]), Ok(1));
    assert!(problems(&dataset).contains("taken from 1/z0/y0/x0.wkw"), "{}", problems(&dataset));
    assert!(voxel(&dataset, [32, 0, 0]).expect_err("another type").contains("voxel type"));
    // Taken back: a bucket of one byte is none.
    let reverted = [file("1/header.wkw", WKW_HEADER), file("1/z0/y0/x0.wkw", [0])];
    let dataset = open_zip(annotation(&reverted, Packing::Deflated)).expect("opens");
    assert!(dataset.annotation.as_ref().expect("an annotation").volumes[0].levels[0].1.addresses().is_empty());
}

#[test]
fn many_buckets_open_by_their_names_alone() {
    let bucket = wkw_bucket(&vec![0; 131_072]);
    // More than 65,535, so that the archive needs Zip64.
    let mut writer = zip::write::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("1/header.wkw", options).expect("a new entry");
    writer.write_all(&WKW_HEADER).expect("in memory");
    for i in 0..66_000 {
        writer.start_file(format!("1/z{}/y{}/x{}.wkw", i / 10_000, i / 100 % 100, i % 100), options).expect("a new entry");
        writer.write_all(&bucket).expect("in memory");
    }
    let data = writer.finish().expect("in memory").into_inner();
    let directory_bytes = 66_001 * 100;
    let mut outer = zip::write::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [("data_Volume.zip", data), ("a.nml", nml(VOLUME))] {
        outer.start_file(name, options).expect("a new entry");
        outer.write_all(&bytes).expect("in memory");
    }
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("many.zip");
    std::fs::write(&path, outer.finish().expect("in memory").into_inner()).expect("written");
    let stats = Arc::new(IoStats::default());
    let start = Instant::now();
    let dataset = open(&MeteredOpener::new(LocalOpener::default(), stats.clone()), &path).expect("opens");
    let (elapsed, counts) = (start.elapsed(), stats.take());
    let store = &dataset.annotation.as_ref().expect("an annotation").volumes[0].levels[0].1;
    assert_eq!(store.addresses().len(), 66_000);
    assert!(counts.reads < 150 && counts.bytes < 2 * directory_bytes, "{counts:?}");
    assert!(elapsed < Duration::from_secs(6), "{elapsed:?}");
    println!("66,000 buckets: {elapsed:?}, {counts:?}");
    assert_eq!(voxel(&dataset, [32, 0, 0]), Ok(0));
    assert_eq!(stats.take().reads, 1);
}

#[test]
fn an_archive_that_holds_itself_is_no_endless_work() {
    // Each is the data of the one around it.
    let mut archive = annotation(&wkw_data(1), Packing::Stored);
    for _ in 0..12 {
        // The first name doesn't tell that it is an annotation.
        archive = zip(&[file("x", "x"), file("a.nml", nml(VOLUME)), file("data_Volume.zip", &archive)], Packing::Stored);
    }
    let dataset = open_zip(archive).map(|dataset| problems(&dataset)).unwrap_or_else(|err| err.to_string());
    assert!(dataset.contains("an annotation"), "{dataset}");
}

#[test]
fn changed_bytes_give_voxels_or_errors() {
    let archives = [annotation(&two_buckets(), Packing::Stored), annotation(&two_buckets(), Packing::Deflated)];
    for whole in archives {
        // Names, headers and directories are at the ends; of the rest some are enough.
        let places = (0..whole.len()).filter(|at| *at < 1200 || at + 1200 > whole.len() || at % 4001 == 0);
        for at in places.step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] = bytes[at].wrapping_add(0x81);
            let opened = open_zip(bytes).ok().filter(|dataset| dataset.layers.first().is_some_and(|layer| !layer.levels.is_empty()));
            if let Some(dataset) = opened {
                let _ = voxel(&dataset, [0, 0, 0]);
            }
        }
    }
}
