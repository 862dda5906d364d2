use super::*;
use crate::storage::MemoryStorage;
use proptest::prelude::*;
use std::io::{Cursor, Read, Write};
use zip::write::{SimpleFileOptions, ZipWriter};

fn key(name: &str) -> StorageKey {
    StorageKey::new(name).expect("a clean key")
}

/// An archive of stored entries.
fn stored(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(::zip::CompressionMethod::Stored);
    for (name, bytes) in files {
        writer.start_file(*name, options).expect("a new entry");
        writer.write_all(bytes).expect("in memory");
    }
    writer.finish().expect("in memory").into_inner()
}

/// An archive of deflated entries with data descriptors, as streaming writers make them; by hand, so that it can lie.
fn deflated(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("in memory");
        let data = encoder.finish().expect("in memory");
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let sizes: Vec<u8> = [crc.sum(), data.len() as u32, bytes.len() as u32].iter().flat_map(|n| n.to_le_bytes()).collect();
        let header = out.len() as u32;
        let name_len = (name.len() as u16).to_le_bytes();
        out.extend([&b"PK\x03\x04\x14\0\x08\x08\x08\0\0\0\0\0"[..], &[0; 12], &name_len, &[0, 0], name.as_bytes(), &data].concat());
        out.extend([&b"PK\x07\x08"[..], &sizes].concat());
        let fixed = [&b"PK\x01\x02\x14\0\x14\0\x08\x08\x08\0\0\0\0\0"[..], &sizes, &name_len, &[0; 12], &header.to_le_bytes()].concat();
        directory.extend([fixed, name.as_bytes().to_vec()].concat());
    }
    let (count, start, len) =
        ((files.len() as u16).to_le_bytes(), (out.len() as u32).to_le_bytes(), (directory.len() as u32).to_le_bytes());
    out.extend(directory);
    out.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &len, &start, &[0, 0]].concat());
    out
}

/// Bytes that can't be made shorter.
fn noise() -> Vec<u8> {
    let next = |x: &u32| Some([13, -17, 5].iter().fold(*x, |x, by| x ^ if *by > 0 { x << by } else { x >> -by }));
    std::iter::successors(Some(1_u32), next).take(5000).map(|x| (x >> 24) as u8).collect()
}

fn open(bytes: Vec<u8>) -> Result<ZipStorage, StorageError> {
    let storage = MemoryStorage::default();
    storage.put(&key("a.zip"), bytes);
    ZipStorage::open(Arc::new(storage), &key("a.zip"))
}

fn problems(archive: &ZipStorage) -> Vec<String> {
    archive.problems().iter().map(|problem| problem.text.clone()).collect()
}

fn content(archive: &ZipStorage, name: &str) -> Result<Vec<u8>, String> {
    archive.read(&key(name), 1 << 20).map(|bytes| bytes.expect("is there")).map_err(|err| err.to_string())
}

#[test]
fn entries_are_files_and_their_names_folders() {
    for archive in [stored(&[("b/c/1", b"one"), ("a", b"two"), ("b/d", b"")]), deflated(&[("b/c/1", b"one"), ("a", b"two"), ("b/d", b"")])]
    {
        let archive = open(archive).expect("an archive");
        assert_eq!((content(&archive, "b/c/1"), content(&archive, "b/d")), (Ok(b"one".to_vec()), Ok(Vec::new())));
        let list = |folder: &str| {
            let list = archive.list(folder, 10).expect("listed");
            list.map(|list| list.into_iter().map(|entry| (entry.name, entry.is_folder)).collect::<Vec<_>>())
        };
        assert_eq!(list(""), Some(vec![("a".into(), false), ("b".into(), true)]));
        assert_eq!(list("b"), Some(vec![("c".into(), true), ("d".into(), false)]));
        assert_eq!(list("c"), None);
        let mut part = [0; 8];
        assert_eq!(archive.read_at(&key("a"), 1, &mut part).expect("readable"), Some(2));
        assert_eq!(&part[..2], b"wo");
        assert_eq!(archive.len(&key("z")).expect("known"), None);
        assert_eq!(archive.location("b/d"), "memory:a.zip › b/d");
    }
}

#[test]
fn a_wrong_checksum_is_that_entrys_error_only() {
    let mut bytes = stored(&[("good", b"good"), ("bad", b"some bytes")]);
    let at = bytes.windows(10).position(|w| w == b"some bytes").expect("stored");
    bytes[at] ^= 1;
    let archive = open(bytes).expect("an archive");
    assert_eq!(content(&archive, "good"), Ok(b"good".to_vec()));
    let message = content(&archive, "bad").expect_err("wrong");
    assert!(message.contains("CRC-32") && message.ends_with("a.zip › bad"), "{message}");
}

#[test]
fn lengths_that_lie_are_errors() {
    let sound = deflated(&[("x", &[7; 1000]), ("y", b"fine")]);
    let central = sound.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    for (len, word) in [(999_u32, "more bytes"), (1001, "1000 bytes come"), (u32::MAX - 1, "can come")] {
        let mut bytes = sound.clone();
        bytes[central + 24..central + 28].copy_from_slice(&len.to_le_bytes());
        let archive = open(bytes).expect("an archive");
        let message = archive.read(&key("x"), u64::MAX).expect_err("a lie").to_string();
        assert!(message.contains(word) || message.contains("at most"), "{message}");
        assert_eq!(content(&archive, "y"), Ok(b"fine".to_vec()));
    }
    let mut bytes = sound;
    bytes[central + 42] = 3;
    assert!(content(&open(bytes).expect("an archive"), "x").expect_err("no header there").contains("header"));
}

#[test]
fn names_that_leave_the_archive_and_duplicates_are_dropped_and_listed() {
    let bad: [&[u8]; 7] = [b"../evil", b"/etc/passwd", b"C:/x", b"a\\..\\b", b"a/../../b", b"x\0y", b"a//b"];
    let mut files: Vec<(&str, &[u8])> = bad.iter().map(|name| (std::str::from_utf8(name).expect("UTF-8"), &b"x"[..])).collect();
    files.extend([("same", &b"first"[..]), ("same", b"second"), ("fine", b"")]);
    let archive = open(deflated(&files)).expect("an archive");
    assert_eq!(archive.names().collect::<Vec<_>>(), ["fine", "same"]);
    assert_eq!(content(&archive, "same"), Ok(b"second".to_vec()));
    let problems = problems(&archive);
    assert!(problems[0].contains("../evil") && problems[0].contains("6 more"), "{problems:?}");
    assert!(problems[1].contains("same") && problems[1].contains("several times"), "{problems:?}");
}

#[test]
fn links_and_encrypted_entries_are_named() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    let linked = writer.finish().expect("in memory").into_inner();
    let archive = open(linked).expect("an archive");
    assert_eq!(archive.file_count(), 0);
    assert!(problems(&archive)[0].contains("symbolic link"));
    let mut bytes = deflated(&[("secret", b"x"), ("odd", b"x")]);
    let first = bytes.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    bytes[first + 8] |= 1;
    let second = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").expect("a directory");
    bytes[second + 10] = 12;
    let archive = open(bytes).expect("an archive");
    assert!(content(&archive, "secret").expect_err("encrypted").contains("encrypted"));
    assert!(content(&archive, "odd").expect_err("bzip2").contains("method 12"));
}

#[test]
fn an_archive_that_is_cut_off_gives_what_is_left() {
    let noise = noise();
    for whole in [stored(&[("a", b"one"), ("b", b"two"), ("c", &noise)]), deflated(&[("a", b"one"), ("b", b"two"), ("c", &noise)])] {
        let archive = open(whole[..whole.len() / 2].to_vec()).expect("some of it");
        assert_eq!((content(&archive, "a"), content(&archive, "b")), (Ok(b"one".to_vec()), Ok(b"two".to_vec())));
        assert!(content(&archive, "c").expect_err("cut").contains("cut off"));
        let problems = problems(&archive);
        assert!(problems.iter().any(|text| text.contains("central directory")), "{problems:?}");
        assert!(problems.iter().any(|text| text.contains("\"c\"") && text.contains("lost")), "{problems:?}");
    }
}

#[test]
fn an_archive_inside_is_never_taken_for_the_one_that_is_cut_off() {
    let inner = stored(&[("deep", b"content"), ("more", b"x")]);
    let files: [(&str, &[u8]); 4] = [("first", b"one"), ("a.zip", &inner), ("b.zip", &inner), ("empty.zip", &stored(&[]))];
    let whole = stored(&files);
    let has_error = |archive: &ZipStorage| archive.problems().iter().any(|problem| problem.severity == crate::problem::Severity::Error);
    for cut in 1..whole.len() {
        // Without even the first header there is nothing to open.
        let Ok(archive) = open(whole[..cut].to_vec()) else { continue };
        assert!(has_error(&archive), "{cut} of {} bytes", whole.len());
    }
    for more in [&b"junk"[..], b"PK\x03\x04junk", &[0; 1000]] {
        let archive = open([&whole, more].concat()).expect("an archive");
        assert_eq!((archive.file_count(), has_error(&archive)), (4, false), "{more:?}");
    }
    let archive = open([b"#!/bin/sh\n", &whole[..]].concat()).expect("an archive with something before it");
    assert_eq!((content(&archive, "first"), has_error(&archive)), (Ok(b"one".to_vec()), false));
}

#[test]
fn the_same_entry_twice_is_no_problem() {
    let archive = open(deflated(&[("same", b"x"), ("same", b"x")])).expect("an archive");
    assert_eq!((archive.file_count(), archive.problems().len()), (1, 0));
}

#[test]
fn archives_inside_of_archives_are_read_in_place_or_inflated() {
    let inner = stored(&[("deep", b"content")]);
    for outer in [stored(&[("i.zip", &inner)]), deflated(&[("i.zip", &inner)])] {
        let archive = open(outer).expect("an archive");
        let nested = archive.nested(&key("i.zip")).expect("an archive in it");
        assert_eq!(content(&nested, "deep"), Ok(b"content".to_vec()));
        assert_eq!(nested.location("deep"), "memory:a.zip › i.zip › deep");
    }
    let cut = deflated(&[("i.zip", &stored(&[("first", b"1"), ("second", &[0; 5000])]))]);
    let nested = open(cut[..cut.len() - 180].to_vec()).expect("some").nested(&key("i.zip")).expect("some of the inner one");
    assert_eq!(content(&nested, "first"), Ok(b"1".to_vec()));
    let mut quine = stored(&[("i.zip", b"")]);
    for _ in 0..20 {
        quine = stored(&[("i.zip", &quine)]);
    }
    let mut archive = open(quine).expect("an archive");
    let err = loop {
        match archive.nested(&key("i.zip")) {
            Ok(inner) => archive = inner,
            Err(err) => break err,
        }
    };
    assert!(err.to_string().contains("too deep"), "{err}");
}

#[test]
fn damaged_archives_inside_of_archives_give_what_is_left_and_say_so() {
    let noise = noise();
    let inner = deflated(&[("first", b"1"), ("second", &noise), ("third", b"3")]);
    let sound = deflated(&[("i.zip", &inner), ("last", b"x")]);
    let central = sound.windows(4).rposition(|w| w == b"PK\x01\x02").expect("a directory");
    let first = sound.windows(14).position(|w| w == b"PK\x01\x02\x14\0\x14\0\x08\x08\x08\0\0\0").expect("a directory");
    assert!(first < central);
    let mut wrong_crc = sound.clone();
    wrong_crc[first + 16] ^= 1;
    let mut too_short = sound.clone();
    too_short[first + 24..first + 28].copy_from_slice(&(inner.len() as u32 / 2).to_le_bytes());
    let mut no_end = sound.clone();
    no_end[first + 20..first + 24].copy_from_slice(&2000_u32.to_le_bytes());
    for (bytes, word, has_third) in [(wrong_crc, "CRC-32", true), (too_short, "more bytes", false), (no_end, "no end", false)] {
        let archive = open(bytes).expect("an archive");
        let nested = archive.nested(&key("i.zip")).expect("an archive in it");
        assert_eq!(content(&nested, "first"), Ok(b"1".to_vec()), "{word}");
        assert_eq!(nested.len(&key("third")).expect("known").is_some(), has_third, "{word}");
        let first = nested.problems().iter().next().expect("a problem");
        assert_eq!(first.severity, crate::problem::Severity::Error, "{word}");
        assert!(first.text.contains("damaged") && first.text.contains(word), "{}", first.text);
        assert_eq!(content(&archive, "last"), Ok(b"x".to_vec()));
    }
}

#[test]
fn entries_are_rescued_as_far_as_they_go() {
    let noise = noise();
    for whole in [stored(&[("c", &noise)]), deflated(&[("c", &noise)])] {
        for (bytes, is_whole) in [(whole.clone(), true), (whole[..3000].to_vec(), false)] {
            let archive = open(bytes).expect("some of it");
            let mut entry = archive.rescue(&key("c")).expect("usable").expect("there");
            let mut got = Vec::new();
            entry.read_to_end(&mut got).expect("rescued");
            assert!(noise.starts_with(&got) && got.len() > 2500 && (got.len() == 5000) == is_whole, "{}", got.len());
            assert_eq!(entry.fault().is_none(), is_whole);
        }
    }
}

#[test]
fn empty_archives_are_fine_and_other_files_are_named() {
    assert_eq!(open(Vec::new()).expect("empty").file_count(), 0);
    assert_eq!(open(stored(&[])).expect("empty").file_count(), 0);
    let message = open(b"<!DOCTYPE html>".to_vec()).err().expect("a page").to_string();
    assert!(message.contains("not a zip archive") && message.contains("<!DO"), "{message}");
}

#[test]
fn streams_are_checked_at_their_end() {
    let long = vec![3; 3 << 20];
    let mut bytes = deflated(&[("x", &long)]);
    let mut read = Vec::new();
    open(bytes.clone()).expect("an archive").stream(&key("x")).expect("there").expect("there").read_to_end(&mut read).expect("sound");
    assert_eq!(read, long);
    let central = bytes.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    bytes[central + 16] ^= 1;
    let archive = open(bytes).expect("an archive");
    let err = archive.stream(&key("x")).expect("there").expect("there").read_to_end(&mut read).expect_err("wrong");
    assert!(err.to_string().contains("CRC-32"), "{err}");
}

/// Reads all that an archive and those in it say they hold.
fn read_all(archive: &ZipStorage) {
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    for name in names {
        let _ = archive.read(&key(&name), 1 << 20);
        let _ = archive.first_bytes(&key(&name), 10);
        if let Ok(inner) = archive.nested(&key(&name)) {
            read_all(&inner);
        }
    }
}

proptest! {
    #[test]
    fn changed_and_cut_archives_give_files_or_errors(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), cut in any::<prop::sample::Index>(), is_cut: bool, is_stored: bool,
    ) {
        let inner = stored(&[("deep", b"content"), ("more", &[1; 300])]);
        let files: [(&str, &[u8]); 3] = [("a", b"one"), ("i.zip", &inner), ("c", &[5; 2000])];
        let mut bytes = if is_stored { stored(&files) } else { deflated(&files) };
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(archive) = open(bytes) {
            read_all(&archive);
        }
    }
}
