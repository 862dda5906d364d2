//! [`Directory`]: the entries of an archive, from its central directory or from what is left of it.

use super::super::{StorageError, StorageKey};
use super::entry::LOCAL_MAGIC;
use super::region::{Region, RegionReader};
use crate::problem::{Problems, Severity};
use crate::text::{count, shortened};
use std::collections::BTreeMap;
use zip::CompressionMethod;
use zip::read::{ArchiveOffset, Config};
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;

/// Entries of an archive that are kept; more are left out and counted.
const MAX_ENTRIES: usize = 4 << 20;

/// Names of all entries together that are kept, in bytes.
const MAX_NAME_BYTES: usize = 1 << 30;

/// How an entry is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
    /// Another method, by its number.
    Other(u16),
    Encrypted,
}

/// One file of an archive. Small, since there can be millions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    name_start: u32,
    name_len: u16,
    pub method: Method,
    /// Rescued from an archive that was cut off inside of it.
    pub is_cut: bool,
    pub crc32: u32,
    pub stored_len: u64,
    pub len: u64,
    /// Where its local header begins.
    pub header: u64,
}

/// An entry before it has a place among the names.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawEntry {
    pub method: Method,
    pub is_cut: bool,
    pub crc32: u32,
    pub stored_len: u64,
    pub len: u64,
    pub header: u64,
}

/// The files of an archive, sorted by name.
#[derive(Debug, Default)]
pub(super) struct Directory {
    names: String,
    entries: Vec<Entry>,
}

impl Directory {
    /// Reads the central directory; nothing else is read.
    ///
    /// What can be used of a damaged one is returned with the reason.
    pub fn read(region: &Region, found: &mut Collected) -> Result<(), StorageError> {
        let wrap = |err: ZipError| match err {
            ZipError::Io(err) => StorageError::from_io(err, "read", &region.location),
            other => region.fault(other.to_string()),
        };
        // What begins with an entry has nothing before it: a directory that only fits further on is the one of an archive
        // inside, whose own archive is cut off.
        let begins_with_entry = region.read_vec(0, LOCAL_MAGIC.len())? == LOCAL_MAGIC;
        let archive_offset = if begins_with_entry { ArchiveOffset::Known(0) } else { ArchiveOffset::Detect };
        let mut archive = ZipIterable::try_new(RegionReader::new(region), Config { archive_offset }).map_err(wrap)?;
        if begins_with_entry && archive.is_empty() {
            return Err(region.fault("the one at its end lists nothing, and there are entries"));
        }
        for entry in archive.files().map_err(wrap)? {
            let entry = entry.map_err(wrap)?;
            // Many writers store UTF-8 without saying so.
            let name = match std::str::from_utf8(entry.name_raw()) {
                Ok(name) => name.to_owned(),
                Err(_) => entry.name().map_err(wrap)?.into_owned(),
            };
            if entry.is_dir() {
                continue;
            }
            if entry.is_symlink() {
                found.drop_entry(Dropped::Link, &name);
                continue;
            }
            let method = if entry.encrypted() { Method::Encrypted } else { method_of(entry.compression()) };
            found.add(
                &name,
                RawEntry {
                    method,
                    is_cut: false,
                    crc32: entry.crc32(),
                    stored_len: entry.compressed_size(),
                    len: entry.size(),
                    header: entry.header_start(),
                },
            );
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    fn name_of(&self, entry: &Entry) -> &str {
        let start = entry.name_start as usize;
        self.names.get(start..start + usize::from(entry.name_len)).unwrap_or_default()
    }

    /// Position of a file.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.entries.binary_search_by(|entry| self.name_of(entry).cmp(name)).ok()
    }

    /// The file at a position.
    pub fn get(&self, at: usize) -> Option<(&str, &Entry)> {
        self.entries.get(at).map(|entry| (self.name_of(entry), entry))
    }

    /// Position of the first file whose name isn't below `name`.
    pub fn first_from(&self, name: &str) -> usize {
        self.entries.partition_point(|entry| self.name_of(entry) < name)
    }
}

#[expect(deprecated, reason = "the number itself is wanted, for messages")]
fn method_of(method: CompressionMethod) -> Method {
    method_from_code(method.to_u16())
}

/// The method of this number.
pub(super) const fn method_from_code(code: u16) -> Method {
    match code {
        0 => Method::Stored,
        8 => Method::Deflated,
        other => Method::Other(other),
    }
}

/// Why an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dropped {
    /// Its name isn't a relative path that stays inside.
    Name,
    Link,
    /// Another one of that name with other content comes later.
    Duplicate,
    TooMany,
    /// Nothing of it can be rescued.
    CutOff,
}

impl Dropped {
    const fn text(self) -> (Severity, &'static str) {
        match self {
            Self::Name => (Severity::Error, "left out, because the name is no path inside of the archive"),
            Self::Link => (Severity::Error, "left out, because it is a symbolic link"),
            Self::Duplicate => (Severity::Error, "there several times with different content, the last one is used"),
            Self::TooMany => (Severity::Error, "left out, because there are too many entries"),
            Self::CutOff => (Severity::Error, "lost, because the archive is cut off or damaged there"),
        }
    }
}

/// Entries while they are gathered.
#[derive(Debug, Default)]
pub(super) struct Collected {
    names: String,
    entries: Vec<Entry>,
    /// How many for each reason, and the first name.
    dropped: BTreeMap<Dropped, (u64, String)>,
}

impl Collected {
    pub fn drop_entry(&mut self, why: Dropped, name: &str) {
        let (count, _) = self.dropped.entry(why).or_insert_with(|| (0, shortened(name, 200)));
        *count += 1;
    }

    /// Adds a file, unless its name is a trick.
    pub fn add(&mut self, name: &str, raw: RawEntry) {
        let clean = name.strip_prefix("./").unwrap_or(name);
        let has_drive = clean.split('/').next().is_some_and(|first| first.contains(':') && first.len() <= 2);
        let (Ok(name_len), Ok(name_start)) = (u16::try_from(clean.len()), u32::try_from(self.names.len())) else {
            return self.drop_entry(Dropped::TooMany, name);
        };
        if has_drive || StorageKey::new(clean).is_none() {
            return self.drop_entry(Dropped::Name, name);
        }
        if self.entries.len() >= MAX_ENTRIES || self.names.len() + clean.len() > MAX_NAME_BYTES {
            return self.drop_entry(Dropped::TooMany, name);
        }
        self.names.push_str(clean);
        let RawEntry { method, is_cut, crc32, stored_len, len, header } = raw;
        self.entries.push(Entry { name_start, name_len, method, is_cut, crc32, stored_len, len, header });
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The files by name; of several with one name the last.
    pub fn finish(mut self, location: &str, problems: &mut Problems) -> Directory {
        let mut entries = std::mem::take(&mut self.entries);
        let names = std::mem::take(&mut self.names);
        let name = |entry: &Entry| names.get(entry.name_start as usize..entry.name_start as usize + usize::from(entry.name_len));
        entries.sort_by(|a, b| name(a).cmp(&name(b)));
        entries.dedup_by(|later, kept| {
            let is_same = name(later) == name(kept);
            if is_same {
                // Salvage finds what the directory lists a second time, at the same place.
                let content = |entry: &Entry| (entry.crc32, entry.len, entry.is_cut);
                if later.header != kept.header && content(later) != content(kept) {
                    self.drop_entry(Dropped::Duplicate, name(later).unwrap_or_default());
                }
                *kept = *later;
            }
            is_same
        });
        for (why, (times, first)) in &self.dropped {
            let (severity, text) = why.text();
            let more = if *times > 1 { format!(" and {} more", count(times - 1)) } else { String::new() };
            let text = format!("Entry {first:?}{more}: {text}");
            problems.add(crate::problem::Problem { severity, text, location: location.to_owned() });
        }
        Directory { names, entries }
    }
}
