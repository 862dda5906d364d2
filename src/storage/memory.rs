//! [`MemoryStorage`]: files in a map, for tests and for what is made in memory.

use super::{FolderEntry, PathKind, Storage, StorageError, StorageKey, StorageOpener, SubFolder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Files held in memory.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    files: RwLock<BTreeMap<String, Arc<Vec<u8>>>>,
}

impl MemoryStorage {
    /// Puts a file, replacing one of the same name.
    pub fn put(&self, key: &StorageKey, bytes: Vec<u8>) {
        self.files.write().unwrap_or_else(PoisonError::into_inner).insert(key.as_str().to_owned(), Arc::new(bytes));
    }

    fn get(&self, key: &str) -> Option<Arc<Vec<u8>>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }
}

impl Storage for MemoryStorage {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        Ok(self.get(key.as_str()).map(|bytes| {
            let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
            let n = rest.len().min(buf.len());
            buf[..n].copy_from_slice(&rest[..n]);
            n
        }))
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        Ok(self.get(key.as_str()).map(|bytes| bytes.len() as u64))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(bytes) = self.get(key.as_str()) else { return Ok(None) };
        let len = bytes.len() as u64;
        if len > limit {
            return Err(StorageError::TooLarge { len, limit, location: self.location(key.as_str()) });
        }
        Ok(Some(bytes.to_vec()))
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<FolderEntry> = Vec::new();
        for rest in files.keys().filter_map(|key| key.strip_prefix(&prefix)) {
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            if list.last().is_none_or(|last| last.name != name) && list.len() < limit {
                list.push(FolderEntry { name: name.to_owned(), is_folder });
            }
        }
        Ok((!list.is_empty() || folder.is_empty()).then_some(list))
    }

    fn location(&self, key: &str) -> String {
        format!("memory:{key}")
    }
}

/// Storages by folder; a folder below a known one sees that one's files under its own name.
#[derive(Debug, Default)]
pub struct MemoryOpener {
    root: PathBuf,
    storage: Arc<MemoryStorage>,
}

impl MemoryOpener {
    /// An opener whose folder `root` is `storage`.
    pub fn new(root: impl Into<PathBuf>, storage: Arc<MemoryStorage>) -> Self {
        Self { root: root.into(), storage }
    }
}

impl StorageOpener for MemoryOpener {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        let prefix = folder.strip_prefix(&self.root).ok().and_then(Path::to_str).unwrap_or("no such folder").to_owned();
        if prefix.is_empty() {
            return self.storage.clone();
        }
        SubFolder::of(self.storage.clone(), &prefix)
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        if self.open_folder(path).list("", 1)?.is_some() {
            return Ok(Some(PathKind::Folder));
        }
        let key = path.strip_prefix(&self.root).ok().and_then(Path::to_str).unwrap_or_default();
        Ok(self.storage.get(key).map(|_| PathKind::File))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_listed_one_level_deep() {
        let storage = Arc::new(MemoryStorage::default());
        for name in ["color/1/header.wkw", "color/1/z0/y0/x0.wkw", "color/2/header.wkw", "info"] {
            storage.put(&StorageKey::new(name).expect("clean"), vec![1]);
        }
        let opener = MemoryOpener::new("/data", storage);
        let names = |folder: &str, sub: &str| {
            let list = opener.open_folder(Path::new(folder)).list(sub, 100).expect("listed");
            list.map(|l| l.into_iter().map(|e| (e.name, e.is_folder)).collect::<Vec<_>>())
        };
        assert_eq!(names("/data", ""), Some(vec![("color".into(), true), ("info".into(), false)]));
        assert_eq!(names("/data/color", "1"), Some(vec![("header.wkw".into(), false), ("z0".into(), true)]));
        assert_eq!(names("/data/nothing", ""), None);
    }
}
