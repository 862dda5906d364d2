//! [`OneFile`]: a file that is held open, so that it stays the one that it is whatever becomes of its name.

use super::local::read_full_at;
use super::{FolderEntry, Storage, StorageError, StorageKey};
use std::fs::File;
use std::sync::Arc;

/// An open file; every key is this file.
pub(super) struct OneFile {
    file: Arc<File>,
    len: u64,
    /// What reading it is, for messages.
    action: &'static str,
    location: String,
}

impl OneFile {
    /// A file of `len` bytes.
    pub fn new(file: Arc<File>, len: u64, action: &'static str, location: String) -> Self {
        Self { file, len, action, location }
    }
}

impl Storage for OneFile {
    fn read_at(&self, _: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        let failed = |source| StorageError::Io { action: self.action, location: self.location.clone(), source };
        read_full_at(&self.file, offset, buf).map(Some).map_err(failed)
    }

    fn len(&self, _: &StorageKey) -> Result<Option<u64>, StorageError> {
        Ok(Some(self.len))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        if self.len > limit {
            return Err(StorageError::TooLarge { len: self.len, limit, location: self.location.clone() });
        }
        let mut bytes = vec![0; usize::try_from(self.len).unwrap_or(0)];
        let read = self.read_at(key, 0, &mut bytes)?;
        bytes.truncate(read.unwrap_or(0));
        Ok(Some(bytes))
    }

    fn list(&self, _: &str, _: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        Ok(None)
    }

    fn location(&self, _: &str) -> String {
        self.location.clone()
    }
}
