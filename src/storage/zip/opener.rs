//! [`FolderOpener`]: the folders of one storage, as an opener of paths.

use super::super::{MemoryStorage, PathKind, Storage, StorageError, StorageKey, StorageOpener, SubFolder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Shows a storage (an archive, say) as the folder `root`. Outside of it there is nothing.
pub struct FolderOpener {
    root: PathBuf,
    storage: Arc<dyn Storage>,
}

impl FolderOpener {
    /// An opener whose folder `root` is `storage`.
    pub fn new(root: impl Into<PathBuf>, storage: Arc<dyn Storage>) -> Self {
        Self { root: root.into(), storage }
    }

    /// The name inside of the storage; `None` outside.
    fn inside<'a>(&self, path: &'a Path) -> Option<&'a str> {
        path.strip_prefix(&self.root).ok().and_then(Path::to_str)
    }
}

impl StorageOpener for FolderOpener {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        match self.inside(folder) {
            Some(inside) => SubFolder::of(self.storage.clone(), inside),
            None => Arc::new(MemoryStorage::default()),
        }
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        let Some(inside) = self.inside(path) else { return Ok(None) };
        if self.storage.list(inside, 1)?.is_some() {
            return Ok(Some(PathKind::Folder));
        }
        let Some(key) = StorageKey::new(inside) else { return Ok(None) };
        Ok(self.storage.len(&key)?.map(|_| PathKind::File))
    }
}
