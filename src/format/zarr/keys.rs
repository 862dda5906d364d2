//! [`KeyFinder`]: under which names an array's chunks are stored, also where the metadata are wrong.

use crate::format::ChunkFault;
use crate::format::array::NdVec;
use crate::storage::{Storage, StorageError, StorageKey};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Names of chunks: `c/0/1`, `0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyEncoding {
    /// Whether names begin with `c`, as Zarr 3's `default` encoding has it.
    pub has_prefix: bool,
    /// Between indices: `.` or `/`.
    pub separator: char,
}

impl KeyEncoding {
    /// Name of a chunk (or shard) by its position.
    pub fn key(self, chunk: &NdVec) -> StorageKey {
        let mut name = String::with_capacity(4 * chunk.len() + 2);
        if self.has_prefix {
            name.push('c');
        }
        for index in chunk.iter() {
            if !name.is_empty() {
                name.push(self.separator);
            }
            name.push_str(&index.to_string());
        }
        if name.is_empty() {
            name.push('0'); // an array without dimensions has one chunk
        }
        StorageKey::new(name).expect("digits, separators and c")
    }

    /// The position that a name stands for, in an array of `rank` dimensions.
    #[cfg(test)]
    fn parse(self, name: &str, rank: usize) -> Option<NdVec> {
        let rest = if self.has_prefix { name.strip_prefix('c')?.strip_prefix(self.separator)? } else { name };
        let indices: Vec<u64> = rest.split(self.separator).map(number).collect::<Option<_>>()?;
        NdVec::new(&indices).filter(|index| index.len() == rank)
    }

    fn with_other_separator(self) -> Self {
        Self { separator: if self.separator == '/' { '.' } else { '/' }, ..self }
    }
}

/// A chunk index as writers spell it: no sign, no leading zeros.
fn number(digits: &str) -> Option<u64> {
    let value: u64 = digits.parse().ok()?;
    (value.to_string() == digits).then_some(value)
}

/// Whether the declared separator was found to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Verdict {
    Open = 0,
    Declared = 1,
    Other = 2,
}

/// Finds chunks by their names, with the declared separator or the other one.
pub struct KeyFinder {
    storage: Arc<dyn Storage>,
    declared: KeyEncoding,
    verdict: AtomicU8,
}

impl KeyFinder {
    /// Looks for chunks in `storage`. With `rank` below 2 no separator matters.
    pub fn new(storage: Arc<dyn Storage>, declared: KeyEncoding, rank: usize) -> Self {
        let matters = rank >= 2 || (rank == 1 && declared.has_prefix);
        let verdict = if matters { Verdict::Open } else { Verdict::Declared };
        Self { storage, declared, verdict: AtomicU8::new(verdict as u8) }
    }

    /// The encoding in use: the declared one as long as nothing else was found.
    pub fn encoding(&self) -> KeyEncoding {
        if self.verdict.load(Ordering::Relaxed) == Verdict::Other as u8 { self.declared.with_other_separator() } else { self.declared }
    }

    /// Whether chunks were found under names with the other separator.
    pub fn is_declared_wrong(&self) -> bool {
        self.verdict.load(Ordering::Relaxed) == Verdict::Other as u8
    }

    /// Name and length of a chunk's file; `None` if it isn't stored.
    ///
    /// # Errors
    /// If it is stored and can't be examined.
    pub fn find(&self, chunk: &NdVec) -> Result<Option<(StorageKey, u64)>, ChunkFault> {
        let fault = |err| ChunkFault::Storage(Arc::new(err));
        let key = self.encoding().key(chunk);
        if let Some(len) = self.storage.len_before_read(&key).map_err(fault)? {
            // Only the first chunk that is found decides; later ones confirm.
            let _ = self.decide(if self.is_declared_wrong() { Verdict::Other } else { Verdict::Declared });
            return Ok(Some((key, len)));
        }
        if self.verdict.load(Ordering::Relaxed) != Verdict::Open as u8 {
            return Ok(None);
        }
        let key = self.declared.with_other_separator().key(chunk);
        match self.storage.len_before_read(&key).map_err(fault)? {
            Some(len) if self.decide(Verdict::Other) => Ok(Some((key, len))),
            Some(_) | None => Ok(None),
        }
    }

    /// Settles the separator; `false` if it was settled otherwise before.
    fn decide(&self, verdict: Verdict) -> bool {
        match self.verdict.compare_exchange(Verdict::Open as u8, verdict as u8, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(before) => before == verdict as u8,
        }
    }

    /// Stored chunks (or shards) of a grid that `wanted` accepts for each dimension, at most `limit`, those in
    /// the middle of each folder first.
    ///
    /// # Errors
    /// If a folder can't be listed.
    pub fn list(&self, grid: &NdVec, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Vec<NdVec>, StorageError> {
        let listing = Listing { finder: self, encoding: self.encoding(), grid, limit, wanted };
        let mut found = Vec::new();
        listing.folder("", if self.declared.has_prefix { None } else { Some(Vec::new()) }, &mut found)?;
        Ok(found)
    }
}

struct Listing<'a> {
    finder: &'a KeyFinder,
    encoding: KeyEncoding,
    grid: &'a NdVec,
    limit: usize,
    wanted: &'a dyn Fn(usize, u64) -> bool,
}

impl Listing<'_> {
    /// Entries of one folder that are looked at.
    const MAX_ENTRIES: usize = 1 << 16;

    /// Looks through a folder; `indices` are those that its path has, `None` above the folder `c`.
    fn folder(&self, folder: &str, indices: Option<Vec<u64>>, found: &mut Vec<NdVec>) -> Result<(), StorageError> {
        let Some(entries) = self.finder.storage.list(folder, Self::MAX_ENTRIES)? else { return Ok(()) };
        let mut next: Vec<(Vec<u64>, String, bool)> = Vec::new();
        for entry in entries {
            let path = if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
            let Some(mut indices) = indices.clone().or_else(|| (entry.name == "c" || entry.name.starts_with("c.")).then(Vec::new)) else {
                continue;
            };
            let name = if folder.is_empty() && self.encoding.has_prefix {
                entry.name.strip_prefix("c.").or_else(|| entry.name.strip_prefix('c')).unwrap_or_default()
            } else {
                &entry.name
            };
            let parts = name.split('.').filter(|part| !part.is_empty());
            let Some(new) = parts.map(number).collect::<Option<Vec<u64>>>() else { continue };
            let first = indices.len();
            let inside = |(i, at): (usize, &u64)| {
                let dimension = first + i;
                self.grid.get(dimension).is_some_and(|count| at < count) && (self.wanted)(dimension, *at)
            };
            if new.iter().enumerate().all(inside) {
                indices.extend(new);
                next.push((indices, path, entry.is_folder));
            }
        }
        next.sort_unstable();
        let middle = next.len() / 2;
        next.rotate_left(middle);
        for (indices, path, is_folder) in next {
            if found.len() >= self.limit {
                break;
            }
            let is_complete = indices.len() == self.grid.len();
            match (is_folder, is_complete) {
                (false, true) => found.extend(NdVec::new(&indices)),
                // Only folders on the way to chunks.
                (true, false) => self.folder(&path, Some(indices), found)?,
                (true, true) | (false, false) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::MemoryStorage;

    fn nd(list: &[u64]) -> NdVec {
        NdVec::new(list).expect("short")
    }

    const ENCODINGS: [KeyEncoding; 4] = [
        KeyEncoding { has_prefix: true, separator: '/' },
        KeyEncoding { has_prefix: true, separator: '.' },
        KeyEncoding { has_prefix: false, separator: '/' },
        KeyEncoding { has_prefix: false, separator: '.' },
    ];

    fn storage(keys: &[&str]) -> Arc<MemoryStorage> {
        let storage = MemoryStorage::default();
        for key in keys {
            storage.put(&StorageKey::new(*key).expect("clean"), vec![1]);
        }
        Arc::new(storage)
    }

    #[test]
    fn names_of_chunks() {
        let names = ENCODINGS.map(|encoding| encoding.key(&nd(&[0, 12, 3])).to_string());
        assert_eq!(names, ["c/0/12/3", "c.0.12.3", "0/12/3", "0.12.3"]);
        assert_eq!(ENCODINGS[0].key(&nd(&[])).to_string(), "c");
        assert_eq!(ENCODINGS[3].key(&nd(&[])).to_string(), "0");
        for encoding in ENCODINGS {
            assert_eq!(encoding.parse(encoding.key(&nd(&[4, 5])).as_str(), 2), Some(nd(&[4, 5])));
        }
    }

    #[test]
    fn the_other_separator_is_found_by_looking() {
        let declared = KeyEncoding { has_prefix: false, separator: '.' };
        let finder = KeyFinder::new(storage(&["1/2", "1/3"]), declared, 2);
        assert_eq!(finder.find(&nd(&[0, 0])).expect("readable"), None);
        assert!(!finder.is_declared_wrong());
        let (key, _) = finder.find(&nd(&[1, 2])).expect("readable").expect("there");
        assert_eq!((key.as_str(), finder.is_declared_wrong()), ("1/2", true));
        assert!(finder.find(&nd(&[1, 3])).expect("readable").is_some());
    }

    #[test]
    fn once_settled_the_other_separator_is_no_chunk() {
        let finder = KeyFinder::new(storage(&["0.0", "1/0"]), KeyEncoding { has_prefix: false, separator: '.' }, 2);
        assert!(finder.find(&nd(&[0, 0])).expect("readable").is_some());
        assert_eq!(finder.find(&nd(&[1, 0])).expect("readable"), None);
    }

    #[test]
    fn chunks_are_listed_under_any_naming() {
        for encoding in ENCODINGS {
            let keys: Vec<String> = [[0, 1], [2, 1], [2, 3], [9, 9]].iter().map(|at| encoding.key(&nd(at)).to_string()).collect();
            let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            keys.extend(["zarr.json", ".zattrs", "c1", "01.1"]);
            let finder = KeyFinder::new(storage(&keys), encoding, 2);
            let list = |limit, only: Option<u64>| {
                let mut found = finder.list(&nd(&[3, 4]), limit, &|d, at| d != 0 || only.is_none_or(|only| only == at)).expect("listed");
                found.sort_unstable();
                found
            };
            assert_eq!(list(9, None), [nd(&[0, 1]), nd(&[2, 1]), nd(&[2, 3])], "{encoding:?}");
            assert_eq!(list(9, Some(2)), [nd(&[2, 1]), nd(&[2, 3])], "{encoding:?}");
            assert_eq!(list(1, None).len(), 1);
        }
    }
}
