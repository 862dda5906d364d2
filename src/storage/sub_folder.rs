//! [`SubFolder`]: a folder inside another storage, as a storage.

use super::{FolderEntry, Storage, StorageError, StorageKey};
use std::io;
use std::sync::Arc;

/// A folder inside another storage.
pub struct SubFolder {
    prefix: String,
    storage: Arc<dyn Storage>,
}

impl SubFolder {
    /// The folder of this name; the storage itself for an empty one.
    pub fn of(storage: Arc<dyn Storage>, folder: &str) -> Arc<dyn Storage> {
        let prefix = folder.trim_matches('/').to_owned();
        if prefix.is_empty() { storage } else { Arc::new(Self { prefix, storage }) }
    }

    fn full(&self, key: &str) -> String {
        if key.is_empty() { self.prefix.clone() } else { format!("{}/{key}", self.prefix) }
    }

    fn key(&self, key: &StorageKey) -> StorageKey {
        StorageKey(self.full(key.as_str()).into())
    }
}

impl Storage for SubFolder {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        self.storage.read_at(&self.key(key), offset, buf)
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.storage.len(&self.key(key))
    }

    fn len_before_read(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.storage.len_before_read(&self.key(key))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        self.storage.read(&self.key(key), limit)
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        self.storage.list(&self.full(folder), limit)
    }

    fn stream(&self, key: &StorageKey) -> Result<Option<Box<dyn io::Read + Send + '_>>, StorageError> {
        self.storage.stream(&self.key(key))
    }

    fn location(&self, key: &str) -> String {
        self.storage.location(&self.full(key))
    }
}
