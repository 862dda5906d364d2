//! [`ArrayIndexCache`]: shard indices that were read, of Zarr and precomputed.

use super::nd::NdVec;
use crate::format::ChunkFault;
use crate::storage::{ByteRange, StorageKey};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory for parsed indices of all levels together.
const INDEX_CACHE_BYTES: u64 = 64 << 20;

/// Level, shard, and where in the shard's file the index stands for (0 for that of the whole file).
pub type IndexKey = (u64, NdVec, u64);

/// A parsed index.
#[derive(Debug)]
pub struct Index {
    /// The file.
    pub key: StorageKey,
    /// Its length.
    pub file_len: u64,
    /// Bytes of the index itself.
    pub bytes: ByteRange,
    /// What it lists, in its own order.
    pub entries: IndexEntries,
}

/// What an index lists.
#[derive(Debug)]
pub enum IndexEntries {
    /// A range for each chunk of a grid, in the grid's order.
    Grid(Vec<GridEntry>),
    /// Ranges of the chunks that are there, sorted by chunk id.
    Ids(Vec<(u64, ByteRange)>),
}

/// What an index says of a chunk of its grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridEntry {
    /// Nothing is stored.
    Absent,
    /// Its bytes.
    At(ByteRange),
    /// Bytes that can't be its own: outside of the file, or claimed by another chunk too.
    Corrupt(ByteRange),
}

/// What is remembered of a shard.
#[derive(Clone, Debug)]
pub enum Remembered {
    /// No such file.
    Absent,
    /// Its index.
    Index(Arc<Index>),
    /// It can't be used.
    Faulty(Arc<ChunkFault>),
}

#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<IndexKey, Remembered> for ByBytes {
    fn weight(&self, _: &IndexKey, remembered: &Remembered) -> u64 {
        let len = match remembered {
            Remembered::Index(index) => match &index.entries {
                IndexEntries::Grid(entries) => size_of_val(&entries[..]),
                IndexEntries::Ids(entries) => size_of_val(&entries[..]),
            },
            Remembered::Absent | Remembered::Faulty(_) => 0,
        };
        len as u64 + 192
    }
}

/// Parsed shard indices, bounded by bytes, each read once however many threads ask.
pub struct ArrayIndexCache {
    entries: Cache<IndexKey, Remembered, ByBytes>,
    levels: AtomicU64,
}

impl Default for ArrayIndexCache {
    fn default() -> Self {
        Self { entries: Cache::with_weighter(1024, INDEX_CACHE_BYTES, ByBytes), levels: AtomicU64::new(0) }
    }
}

impl ArrayIndexCache {
    /// A number for a level whose indices are kept here.
    pub fn next_level(&self) -> u64 {
        self.levels.fetch_add(1, Ordering::Relaxed)
    }

    /// The index of a shard, read now if it isn't known. Errors of the storage aren't remembered.
    ///
    /// # Errors
    /// If it can't be read or used.
    pub fn get(&self, key: &IndexKey, read: impl FnOnce() -> Result<Remembered, ChunkFault>) -> Result<Option<Arc<Index>>, ChunkFault> {
        let found = match self.entries.get(key) {
            Some(found) => found,
            // A placeholder makes other threads that want the same index wait for this read.
            None => self.entries.get_or_insert_with(key, read)?,
        };
        match found {
            Remembered::Absent => Ok(None),
            Remembered::Index(index) => Ok(Some(index)),
            Remembered::Faulty(fault) => Err((*fault).clone()),
        }
    }

    /// Forgets a level.
    pub fn forget(&self, level: u64) {
        self.entries.retain(|(of, _, _), _| *of != level);
    }
}
