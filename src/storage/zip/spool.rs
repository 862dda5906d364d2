//! Where the content of a compressed archive inside of another one is kept: in memory, or in a file that nobody else sees.

use super::super::one_file::OneFile;
use super::super::{MemoryStorage, Storage, StorageError, StorageKey};
use super::entry::EntryReader;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// Content up to this length is kept in memory.
const MEMORY_BYTES: usize = 64 << 20;

/// Longest content that is accepted.
const MAX_BYTES: u64 = 64 << 30;

/// Inflates an entry; its bytes as a file called `key`, with their number.
///
/// # Errors
/// If the entry can't be read or is too long, or the temporary folder is full.
pub(super) fn spool(reader: &mut EntryReader<'_>, key: &StorageKey, location: &str) -> Result<(Arc<dyn Storage>, u64), StorageError> {
    let failed = |source| StorageError::Io { action: "write the temporary file for", location: location.to_owned(), source };
    let mut memory = Vec::new();
    let mut piece = vec![0; 1 << 20];
    let mut file: Option<File> = None;
    let mut len = 0;
    loop {
        let got = reader.fill(&mut piece)?;
        if got == 0 {
            break;
        }
        len += got as u64;
        if len > MAX_BYTES {
            return Err(StorageError::TooLarge { len, limit: MAX_BYTES, location: location.to_owned() });
        }
        if file.is_none() && memory.len() + got > MEMORY_BYTES {
            // It has no name: whatever happens to this process, it goes away.
            let mut new = tempfile::tempfile().map_err(failed)?;
            new.write_all(&std::mem::take(&mut memory)).map_err(failed)?;
            file = Some(new);
        }
        match &mut file {
            Some(file) => file.write_all(&piece[..got]).map_err(failed)?,
            None => memory.extend_from_slice(&piece[..got]),
        }
    }
    let storage: Arc<dyn Storage> = match file {
        Some(file) => Arc::new(OneFile::new(Arc::new(file), len, "read the temporary file of", location.to_owned())),
        None => {
            let storage = MemoryStorage::default();
            storage.put(key, memory);
            Arc::new(storage)
        }
    };
    Ok((storage, len))
}
