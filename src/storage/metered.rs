//! [`MeteredStorage`]: wraps another storage and counts what is asked of it.

use super::{FolderEntry, PathKind, Storage, StorageError, StorageKey, StorageOpener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Running totals, shared by the storages of one opener.
#[derive(Debug, Default)]
pub struct IoStats {
    reads: AtomicU64,
    bytes: AtomicU64,
    examined: AtomicU64,
    listed: AtomicU64,
    nanos: AtomicU64,
}

/// Totals at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCounts {
    /// Read requests, those for absent files included.
    pub reads: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Questions for a file's length.
    pub examined: u64,
    /// Folders listed.
    pub listed: u64,
    /// Time spent in the storage by all threads together, in nanoseconds.
    pub nanos: u64,
}

impl IoStats {
    /// Totals so far.
    pub fn counts(&self) -> IoCounts {
        IoCounts {
            reads: self.reads.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            examined: self.examined.load(Relaxed),
            listed: self.listed.load(Relaxed),
            nanos: self.nanos.load(Relaxed),
        }
    }

    /// Totals so far, counting from 0 again.
    pub fn take(&self) -> IoCounts {
        IoCounts {
            reads: self.reads.swap(0, Relaxed),
            bytes: self.bytes.swap(0, Relaxed),
            examined: self.examined.swap(0, Relaxed),
            listed: self.listed.swap(0, Relaxed),
            nanos: self.nanos.swap(0, Relaxed),
        }
    }

    fn timed<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.nanos.fetch_add(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), Relaxed);
        result
    }
}

/// Counts what passes through to another storage.
pub struct MeteredStorage {
    inner: Arc<dyn Storage>,
    stats: Arc<IoStats>,
}

impl MeteredStorage {
    /// Counts the use of `inner` in `stats`.
    pub fn new(inner: Arc<dyn Storage>, stats: Arc<IoStats>) -> Self {
        Self { inner, stats }
    }
}

impl Storage for MeteredStorage {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        let result = self.stats.timed(|| self.inner.read_at(key, offset, buf));
        self.stats.reads.fetch_add(1, Relaxed);
        if let Ok(Some(n)) = &result {
            self.stats.bytes.fetch_add(*n as u64, Relaxed);
        }
        result
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.stats.examined.fetch_add(1, Relaxed);
        self.stats.timed(|| self.inner.len(key))
    }

    fn len_before_read(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.stats.examined.fetch_add(1, Relaxed);
        self.stats.timed(|| self.inner.len_before_read(key))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        let result = self.stats.timed(|| self.inner.read(key, limit));
        self.stats.reads.fetch_add(1, Relaxed);
        if let Ok(Some(bytes)) = &result {
            self.stats.bytes.fetch_add(bytes.len() as u64, Relaxed);
        }
        result
    }

    fn pinned(&self, key: &StorageKey) -> Result<Option<Arc<dyn Storage>>, StorageError> {
        let pinned = self.inner.pinned(key)?;
        Ok(pinned.map(|inner| Arc::new(Self::new(inner, self.stats.clone())) as Arc<dyn Storage>))
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        self.stats.listed.fetch_add(1, Relaxed);
        self.stats.timed(|| self.inner.list(folder, limit))
    }

    fn location(&self, key: &str) -> String {
        self.inner.location(key)
    }
}

/// Counts everything that is read through the storages of another opener.
pub struct MeteredOpener<O> {
    inner: O,
    stats: Arc<IoStats>,
}

impl<O> MeteredOpener<O> {
    /// Counts the use of `inner` in `stats`.
    pub fn new(inner: O, stats: Arc<IoStats>) -> Self {
        Self { inner, stats }
    }
}

impl<O: StorageOpener> StorageOpener for MeteredOpener<O> {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        Arc::new(MeteredStorage::new(self.inner.open_folder(folder), self.stats.clone()))
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        self.stats.examined.fetch_add(1, Relaxed);
        self.inner.kind(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::MemoryStorage;

    #[test]
    fn reads_bytes_and_misses_are_counted() {
        let memory = Arc::new(MemoryStorage::default());
        let key = StorageKey::new("a").expect("clean");
        memory.put(&key, vec![0; 10]);
        let stats = Arc::new(IoStats::default());
        let storage = MeteredStorage::new(memory, stats.clone());
        storage.read_at(&key, 4, &mut [0; 100]).expect("memory");
        storage.read(&StorageKey::new("b").expect("clean"), 5).expect("memory");
        storage.list("", 5).expect("memory");
        let counts = stats.take();
        assert_eq!((counts.reads, counts.bytes, counts.listed), (2, 6, 1));
        assert_eq!(stats.counts(), IoCounts::default());
    }
}
