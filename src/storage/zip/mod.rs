//! [`ZipStorage`]: the files of a zip archive, read where they are.
//!
//! Specification: APPNOTE 6.3 with Zip64, data descriptors and UTF-8 names; methods stored and deflated. Nothing is
//! ever extracted by name: entries are bytes behind keys. The archive lies in a file of another storage, or in an
//! entry of another archive.

mod directory;
mod entry;
mod opener;
mod region;
mod salvage;
mod spool;
#[cfg(test)]
mod tests;

pub use entry::EntryReader;
pub use opener::FolderOpener;

use self::directory::{Collected, Directory, Entry, Method};
use self::entry::LOCAL_MAGIC;
use self::region::Region;
use super::{FolderEntry, Storage, StorageError, StorageKey};
use crate::problem::Problems;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::io;
use std::sync::Arc;

/// Inflated entries that are kept for the next read, in bytes.
const CACHE_BYTES: u64 = 32 << 20;

/// Longest entry that is held whole in memory.
const MAX_WHOLE_BYTES: u64 = 256 << 20;

/// Stored entries longer than this are read in place, without looking at their checksum.
const CHECKED_BYTES: u64 = 4 << 20;

/// Archives inside of each other. Real ones are three deep; an archive can be made that holds itself.
const MAX_DEPTH: u8 = 8;

/// Whether a file that begins so is a zip archive: of any kind, without entries, or split.
pub fn is_zip(start: &[u8]) -> bool {
    [LOCAL_MAGIC, b"PK\x05\x06", b"PK\x07\x08"].iter().any(|magic| start.starts_with(*magic))
}

/// Weighs an entry by its bytes.
#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<usize, Arc<Vec<u8>>> for ByBytes {
    fn weight(&self, _: &usize, bytes: &Arc<Vec<u8>>) -> u64 {
        bytes.len() as u64 + 64
    }
}

/// A zip archive whose entries are files. Folders are what their names say.
pub struct ZipStorage {
    region: Region,
    directory: Directory,
    problems: Problems,
    depth: u8,
    cache: Cache<usize, Arc<Vec<u8>>, ByBytes>,
}

impl ZipStorage {
    /// Opens the archive that is a file of a storage. Reads the central directory, or walks through all of the archive
    /// if there is none.
    ///
    /// # Errors
    /// If it can't be read, or nothing in it is an entry.
    pub fn open(storage: Arc<dyn Storage>, key: &StorageKey) -> Result<Self, StorageError> {
        let location = storage.location(key.as_str());
        let missing = || StorageError::Archive { reason: "no such file".to_owned(), location: location.clone() };
        // An annotation is exported to the file that it is read from: what is read must stay the file it was.
        let storage = storage.pinned(key)?.unwrap_or(storage);
        let len = storage.len(key)?.ok_or_else(missing)?;
        Self::in_region(Region { storage, key: key.clone(), start: 0, len, location }, 0, None)
    }

    /// `fault` is what is wrong with the bytes of the region.
    fn in_region(region: Region, depth: u8, fault: Option<&StorageError>) -> Result<Self, StorageError> {
        let mut problems = Problems::default();
        if let Some(fault) = fault {
            problems.error(&region.location, format!("The archive is damaged: {}", fault.reason()));
        }
        let mut found = Collected::default();
        if region.len == 0 {
            problems.info(&region.location, "An archive of 0 bytes, it is taken for an empty one");
        } else if let Err(err) = Directory::read(&region, &mut found) {
            if matches!(err, StorageError::Io { .. }) {
                return Err(err);
            }
            let start = region.read_vec(0, 4)?;
            if !is_zip(&start) && found.len() == 0 {
                let text = String::from_utf8_lossy(&start).into_owned();
                return Err(region.fault(format!("not a zip archive: it begins with {text:?}")));
            }
            salvage::salvage(&region, &mut found)?;
            let reason = err.reason();
            if found.len() == 0 {
                return Err(region.fault(format!("can't read the zip archive: {reason}")));
            }
            let text = format!("The archive has no usable central directory ({reason}), {} entries were found without it", found.len());
            // What else there was is not to be known.
            problems.error(&region.location, text);
        }
        let directory = found.finish(&region.location, &mut problems);
        let cache = Cache::with_weighter(256, CACHE_BYTES, ByBytes);
        Ok(Self { region, directory, problems, depth, cache })
    }

    /// What was left out or assumed when the archive was opened.
    pub const fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Its length.
    pub const fn byte_len(&self) -> u64 {
        self.region.len
    }

    /// Number of files.
    pub fn file_count(&self) -> usize {
        self.directory.len()
    }

    /// Names of all files, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.directory.len()).filter_map(|at| self.directory.get(at).map(|(name, _)| name))
    }

    /// Opens an archive that is an entry: in place if it is stored, else from an inflated copy that goes away with it. Of a
    /// damaged one what can be found.
    ///
    /// # Errors
    /// If there is no such entry, it can't be read or nothing in it is an entry, or archives are nested too deep.
    pub fn nested(&self, key: &StorageKey) -> Result<Self, StorageError> {
        let location = self.location(key.as_str());
        let fault = |reason: &str| StorageError::Archive { reason: reason.to_owned(), location: location.clone() };
        let Some((_, name, entry)) = self.find(key) else { return Err(fault("no such entry")) };
        if self.depth >= MAX_DEPTH {
            return Err(fault("archives are nested too deep"));
        }
        let mut reader = EntryReader::with_first_read(&self.region, entry, name, true, 0)?;
        let region = if entry.method == Method::Stored {
            Region {
                storage: self.region.storage.clone(),
                key: self.region.key.clone(),
                start: self.region.start.saturating_add(reader.stored_start()),
                len: entry.stored_len,
                location,
            }
        } else {
            let (storage, len) = spool::spool(&mut reader, key, &location)?;
            Region { storage, key: key.clone(), start: 0, len, location }
        };
        Self::in_region(region, self.depth + 1, reader.fault())
    }

    /// An entry's content as far as it can be had; what is wrong with it says [`EntryReader::fault`] at the end. `None` if
    /// there is no such entry.
    ///
    /// # Errors
    /// If it has no usable header, or is compressed in an unknown way.
    pub fn rescue(&self, key: &StorageKey) -> Result<Option<EntryReader<'_>>, StorageError> {
        let Some((_, name, entry)) = self.find(key) else { return Ok(None) };
        EntryReader::new(&self.region, entry, name, true).map(Some)
    }

    /// The first bytes of an entry, unchecked; `None` if there is no such entry.
    ///
    /// # Errors
    /// If they can't be read.
    pub fn first_bytes(&self, key: &StorageKey, len: usize) -> Result<Option<Vec<u8>>, StorageError> {
        let Some((_, name, entry)) = self.find(key) else { return Ok(None) };
        let mut bytes = vec![0; usize::try_from(entry.len).unwrap_or(len).min(len)];
        let got = EntryReader::with_first_read(&self.region, entry, name, true, len as u64)?.fill(&mut bytes)?;
        bytes.truncate(got);
        Ok(Some(bytes))
    }

    fn find(&self, key: &StorageKey) -> Option<(usize, &str, &Entry)> {
        let at = self.directory.find(key.as_str())?;
        self.directory.get(at).map(|(name, entry)| (at, name, entry))
    }

    /// An entry's content, from the cache or inflated now, by one thread for all that ask.
    fn whole(&self, at: usize, name: &str, entry: &Entry) -> Result<Arc<Vec<u8>>, StorageError> {
        self.cache.get_or_insert_with(&at, || {
            if entry.len > MAX_WHOLE_BYTES {
                return Err(StorageError::TooLarge { len: entry.len, limit: MAX_WHOLE_BYTES, location: self.location(name) });
            }
            EntryReader::new(&self.region, entry, name, false)?.whole().map(Arc::new)
        })
    }
}

impl Storage for ZipStorage {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        let Some((at, name, entry)) = self.find(key) else { return Ok(None) };
        if entry.method == Method::Stored && entry.len > CHECKED_BYTES {
            let start = EntryReader::with_first_read(&self.region, entry, name, false, 0)?.stored_start();
            let left = usize::try_from(entry.stored_len.saturating_sub(offset)).unwrap_or(usize::MAX);
            let most = left.min(buf.len());
            return self.region.read_at(start.saturating_add(offset), &mut buf[..most]).map(Some);
        }
        let bytes = self.whole(at, name, entry)?;
        let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(Some(n))
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        Ok(self.find(key).map(|(_, _, entry)| entry.len))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        let Some((at, name, entry)) = self.find(key) else { return Ok(None) };
        if entry.len > limit {
            return Err(StorageError::TooLarge { len: entry.len, limit, location: self.location(name) });
        }
        self.whole(at, name, entry).map(|bytes| Some(bytes.to_vec()))
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut list = Vec::new();
        let mut at = self.directory.first_from(&prefix);
        while let Some(rest) = self.directory.get(at).and_then(|(name, _)| name.strip_prefix(&prefix)) {
            if list.len() >= limit {
                break;
            }
            match rest.split_once('/') {
                None => {
                    list.push(FolderEntry { name: rest.to_owned(), is_folder: false });
                    at += 1;
                }
                Some((name, _)) => {
                    list.push(FolderEntry { name: name.to_owned(), is_folder: true });
                    // `0` follows `/`: the first name behind all of the folder.
                    at = self.directory.first_from(&format!("{prefix}{name}0"));
                }
            }
        }
        Ok((!list.is_empty() || folder.is_empty()).then_some(list))
    }

    fn stream(&self, key: &StorageKey) -> Result<Option<Box<dyn io::Read + Send + '_>>, StorageError> {
        let Some((_, name, entry)) = self.find(key) else { return Ok(None) };
        Ok(Some(Box::new(EntryReader::new(&self.region, entry, name, false)?)))
    }

    fn location(&self, key: &str) -> String {
        if key.is_empty() { self.region.location.clone() } else { format!("{} › {key}", self.region.location) }
    }
}
