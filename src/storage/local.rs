//! [`LocalFolder`]: a folder on disk, read by positioned reads through a bounded set of open files.

use super::one_file::OneFile;
use super::{FolderEntry, PathKind, Storage, StorageError, StorageKey, StorageOpener};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Open files kept for the next read. Small enough for `ulimit -n 64` beside a window's own handles.
const MAX_OPEN_FILES: usize = 16;

/// Opens a file for reading. A pipe in its place must not block until somebody writes into it.
fn open_for_reading(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        const O_NONBLOCK: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 0o4000 } else { 4 };
        match File::options().read(true).custom_flags(O_NONBLOCK).open(path) {
            // Somebody holds a lease on the file: wait for it, as usual.
            Err(err) if err.kind() == io::ErrorKind::WouldBlock => File::open(path),
            other => other,
        }
    }
    #[cfg(not(unix))]
    File::open(path)
}

/// Files that were read lately, shared by all folders of one opener. Least recently used last.
#[derive(Debug, Default)]
struct OpenFiles {
    recent: Mutex<VecDeque<OpenFile>>,
}

#[derive(Debug)]
struct OpenFile {
    folder: u64,
    key: StorageKey,
    file: Arc<File>,
}

impl OpenFiles {
    fn cached(&self, folder: u64, key: &StorageKey) -> Option<Arc<File>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let at = recent.iter().position(|open| open.folder == folder && open.key == *key)?;
        if at > 0 {
            let entry = recent.remove(at)?;
            recent.push_front(entry);
        }
        recent.front().map(|open| open.file.clone())
    }

    /// The file, opened without holding the lock.
    fn open(&self, folder: u64, key: &StorageKey, path: impl Fn() -> PathBuf) -> io::Result<Arc<File>> {
        if let Some(file) = self.cached(folder, key) {
            return Ok(file);
        }
        let path = path();
        let file = match open_for_reading(&path) {
            Err(err) if is_out_of_handles(&err) => {
                self.recent.lock().unwrap_or_else(PoisonError::into_inner).clear();
                open_for_reading(&path)?
            }
            other => other?,
        };
        let file = Arc::new(file);
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if !recent.iter().any(|open| open.folder == folder && open.key == *key) {
            recent.push_front(OpenFile { folder, key: key.clone(), file: file.clone() });
            recent.truncate(MAX_OPEN_FILES);
        }
        Ok(file)
    }
}

/// A number that no other folder of this process has, so that open files are found without comparing paths.
fn next_folder() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Whether opening failed because this process has too many files open.
fn is_out_of_handles(err: &io::Error) -> bool {
    // EMFILE is 24 on Linux and macOS, ERROR_TOO_MANY_OPEN_FILES is 4 on Windows.
    err.raw_os_error() == Some(if cfg!(windows) { 4 } else { 24 })
}

/// A folder on disk.
#[derive(Debug)]
pub struct LocalFolder {
    root: PathBuf,
    /// Its number among the open files.
    number: u64,
    files: Arc<OpenFiles>,
}

impl LocalFolder {
    /// The storage of a folder, with open files of its own.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), number: next_folder(), files: Arc::default() }
    }

    fn path(&self, key: &str) -> PathBuf {
        if key.is_empty() { self.root.clone() } else { self.root.join(key) }
    }

    /// Tells a file that was never written from one that can't be reached.
    ///
    /// The system answers "not found" for dangling links and vanished folders too.
    fn explain_missing(&self, key: &str) -> Result<(), StorageError> {
        let mut path = self.root.clone();
        match path.metadata() {
            Ok(_) => {}
            Err(_) if path.symlink_metadata().is_ok() => return Err(StorageError::DanglingLink { location: display(&path) }),
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Err(StorageError::RootMissing { location: display(&path) }),
            Err(source) => return Err(StorageError::Io { action: "open", location: display(&path), source }),
        }
        for part in key.split('/').filter(|part| !part.is_empty()) {
            path.push(part);
            match path.symlink_metadata() {
                Ok(meta) if meta.is_symlink() && path.metadata().is_err() => {
                    return Err(StorageError::DanglingLink { location: display(&path) });
                }
                Ok(_) => {}
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    fn missing<T>(&self, key: &str, action: &'static str, result: io::Result<T>) -> Result<Option<T>, StorageError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(err) if err.kind() == io::ErrorKind::NotFound => self.explain_missing(key).map(|()| None),
            Err(source) => Err(StorageError::Io { action, location: self.location(key), source }),
        }
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(unix)]
fn read_once_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

#[cfg(windows)]
fn read_once_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, offset)
}

/// Fills `buf` as far as the file reaches.
pub(super) fn read_full_at(file: &File, mut offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < buf.len() {
        match read_once_at(file, offset, &mut buf[done..]) {
            Ok(0) => break,
            Ok(n) => {
                done += n;
                offset += n as u64;
            }
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(done)
}

impl Storage for LocalFolder {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        let Some(file) = self.missing(key.as_str(), "open", self.files.open(self.number, key, || self.path(key.as_str())))? else {
            return Ok(None);
        };
        read_full_at(&file, offset, buf).map(Some).map_err(|source| StorageError::Io {
            action: "read",
            location: self.location(key.as_str()),
            source,
        })
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        let path = self.path(key.as_str());
        let meta = match self.files.cached(self.number, key) {
            Some(file) => file.metadata(),
            None => path.metadata(),
        };
        Ok(self.missing(key.as_str(), "examine", meta)?.map(|meta| meta.len()))
    }

    fn len_before_read(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        // One walk along the path instead of two: where each chunk is a file, that is most of the time it takes.
        let file = self.files.open(self.number, key, || self.path(key.as_str()));
        self.missing(key.as_str(), "open", file.and_then(|file| file.metadata())).map(|meta| meta.map(|meta| meta.len()))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        use io::Read;
        // Not through the open files: a small file is read once and would push a shard out.
        let Some(file) = self.missing(key.as_str(), "open", open_for_reading(&self.path(key.as_str())))? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|source| StorageError::Io {
            action: "read",
            location: self.location(key.as_str()),
            source,
        })?;
        let len = bytes.len() as u64;
        if len > limit {
            return Err(StorageError::TooLarge { len, limit, location: self.location(key.as_str()) });
        }
        Ok(Some(bytes))
    }

    fn pinned(&self, key: &StorageKey) -> Result<Option<Arc<dyn Storage>>, StorageError> {
        let Some(file) = self.missing(key.as_str(), "open", self.files.open(self.number, key, || self.path(key.as_str())))? else {
            return Ok(None);
        };
        let location = self.location(key.as_str());
        let examined = file.metadata().map_err(|source| StorageError::Io { action: "examine", location: location.clone(), source });
        let len = examined?.len();
        Ok(Some(Arc::new(OneFile::new(file, len, "read", location))))
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        let path = self.path(folder);
        let Some(entries) = self.missing(folder, "list", std::fs::read_dir(&path))? else {
            return Ok(None);
        };
        let mut list = Vec::new();
        for entry in entries.take(limit) {
            let entry = entry.map_err(|source| StorageError::Io { action: "list", location: display(&path), source })?;
            // A name that isn't UTF-8 is neither a mag nor a shard nor a key in a JSON.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let is_folder = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
                Ok(kind) => kind.is_dir(),
                Err(_) => false,
            };
            list.push(FolderEntry { name, is_folder });
        }
        Ok(Some(list))
    }

    fn location(&self, key: &str) -> String {
        display(&self.path(key))
    }
}

/// Opens local folders whose open files share one bound.
#[derive(Debug, Default)]
pub struct LocalOpener {
    files: Arc<OpenFiles>,
}

impl StorageOpener for LocalOpener {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        Arc::new(LocalFolder { root: folder.to_owned(), number: next_folder(), files: self.files.clone() })
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        let location = || display(path);
        match path.metadata() {
            Ok(meta) if meta.is_dir() => Ok(Some(PathKind::Folder)),
            Ok(_) => Ok(Some(PathKind::File)),
            Err(_) if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) => {
                Err(StorageError::DanglingLink { location: location() })
            }
            Err(err) if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(source) => Err(StorageError::Io { action: "examine", location: location(), source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> StorageKey {
        StorageKey::new(text).expect("a clean key")
    }

    #[test]
    fn absent_files_are_none_and_short_files_give_what_there_is() {
        let dir = tempfile::tempdir().expect("temporary folder");
        std::fs::write(dir.path().join("a"), [1, 2, 3]).expect("write");
        let storage = LocalFolder::new(dir.path());
        let mut buf = [0; 4];
        assert_eq!(storage.read_at(&key("a"), 1, &mut buf).expect("readable"), Some(2));
        assert_eq!(storage.read_at(&key("b"), 0, &mut buf).expect("readable"), None);
        // A file where the key has a folder is no empty space, and leaves no room for a metadata file either.
        assert!(storage.len(&key("a/b")).expect_err("no folder").leaves_no_room());
        assert_eq!(storage.len(&key("a")).expect("readable"), Some(3));
        assert!(matches!(storage.read(&key("a"), 2), Err(StorageError::TooLarge { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn dangling_links_and_vanished_folders_are_errors() {
        let dir = tempfile::tempdir().expect("temporary folder");
        std::os::unix::fs::symlink("/nowhere/at/all", dir.path().join("z0")).expect("link");
        let storage = LocalFolder::new(dir.path());
        let mut buf = [0; 4];
        assert!(matches!(storage.read_at(&key("z0/y0/x0.wkw"), 0, &mut buf), Err(StorageError::DanglingLink { .. })));
        let gone = LocalFolder::new(dir.path().join("gone"));
        assert!(matches!(gone.read_at(&key("x"), 0, &mut buf), Err(StorageError::RootMissing { .. })));
    }

    #[test]
    fn the_number_of_open_files_is_bounded() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let storage = LocalFolder::new(dir.path());
        for i in 0..100 {
            std::fs::write(dir.path().join(i.to_string()), [0]).expect("write");
            storage.read_at(&key(&i.to_string()), 0, &mut [0]).expect("readable");
        }
        assert_eq!(storage.files.recent.lock().expect("not poisoned").len(), MAX_OPEN_FILES);
    }
}
