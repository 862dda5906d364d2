//! Layer 0: bytes by key. The only place where files are opened.
//!
//! A [`Storage`] is read by positioned reads, never by memory mapping. "No such key" is `Ok(None)`;
//! everything else that goes wrong is an error, so that unreadable data is never shown as empty space.

mod aside;
mod fails_once;
mod local;
mod memory;
mod metered;
mod one_file;
mod sub_folder;
mod zip;

pub use aside::{AsideFile, AsideFolder, behind_links, scratch_file, scratch_folder, sync_folder, without_path};
pub use fails_once::{FailsOnce, GivesUp};
pub use local::{LocalFolder, LocalOpener};
pub use memory::{MemoryOpener, MemoryStorage};
pub use metered::{IoCounts, IoStats, MeteredOpener, MeteredStorage};
pub use sub_folder::SubFolder;
pub use zip::{EntryReader, FolderOpener, ZipStorage, is_zip};

use std::cmp::Ordering;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Name of a file inside a storage: relative, parts separated by `/`, never leaving the root. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StorageKey(Arc<str>);

impl StorageKey {
    /// A key from a relative path; `None` if a part is empty, `.` or `..`, or holds a separator of any platform.
    pub fn new(path: impl Into<Arc<str>>) -> Option<Self> {
        let path = path.into();
        let clean = path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0']));
        clean.then_some(Self(path))
    }

    /// The relative path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Ord for StorageKey {
    /// By name. Clones of one key, the usual case where chunks of a shard are sorted, are told by their address.
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

impl PartialOrd for StorageKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for StorageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A span of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
}

impl ByteRange {
    /// First byte after the span.
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}–{}", self.start, self.end())
    }
}

/// One entry of a listed folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Name without its folder.
    pub name: String,
    /// Whether it is a folder or a link to one.
    pub is_folder: bool,
}

/// Why bytes couldn't be had.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The operating system refused.
    #[error("can't {action}: {source}: {location}")]
    Io {
        /// What was tried: `read`, `open`, `list`.
        action: &'static str,
        /// File or folder.
        location: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A link whose target is not there. It would otherwise look like an absent file.
    #[error("dangling link: {location}")]
    DanglingLink {
        /// The link.
        location: String,
    },
    /// The folder that the storage stands for is not there (any more).
    #[error("folder not found: {location}")]
    RootMissing {
        /// The folder.
        location: String,
    },
    /// A file that should be small isn't.
    #[error("file of {len} bytes, at most {limit} expected: {location}")]
    TooLarge {
        /// Its length.
        len: u64,
        /// What the caller allowed.
        limit: u64,
        /// File.
        location: String,
    },
    /// An archive or an entry of one is damaged, or stored in a way that isn't supported.
    #[error("{reason}: {location}")]
    Archive {
        /// What is wrong, in the format's words.
        reason: String,
        /// Archive and entry.
        location: String,
    },
}

impl StorageError {
    /// Whether nothing can be there: the folder is missing, or a file lies in its place. For looking whether metadata
    /// files are there; data are never taken for absent so.
    pub fn leaves_no_room(&self) -> bool {
        match self {
            Self::RootMissing { .. } => true,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::NotADirectory,
            Self::DanglingLink { .. } | Self::TooLarge { .. } | Self::Archive { .. } => false,
        }
    }

    /// The reason without the file, for messages that name the file themselves.
    pub fn reason(&self) -> String {
        match self {
            Self::Io { action, source, .. } => format!("can't {action}: {source}"),
            Self::DanglingLink { .. } => "dangling link".to_owned(),
            Self::RootMissing { .. } => "folder not found".to_owned(),
            Self::TooLarge { len, limit, .. } => format!("file of {len} bytes, at most {limit} expected"),
            Self::Archive { reason, .. } => reason.clone(),
        }
    }
}

/// Files by key, read at positions. Implementations are shared by all reading threads.
pub trait Storage: Send + Sync {
    /// Reads from `offset` on into `buf` and returns how many bytes there were: fewer than asked for
    /// only at the end of the file. `None` if there is no such key.
    ///
    /// # Errors
    /// If the file exists and can't be read.
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError>;

    /// Length of a file in bytes; `None` if there is no such key.
    ///
    /// # Errors
    /// If the file exists and can't be examined.
    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError>;

    /// Length of a file that is about to be read, which may be kept open for it; `None` if there is no such key.
    ///
    /// # Errors
    /// If the file exists and can't be opened.
    fn len_before_read(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.len(key)
    }

    /// Reads a whole small file; `None` if there is no such key.
    ///
    /// # Errors
    /// If the file exists and can't be read, or is longer than `limit` bytes.
    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError>;

    /// The same storage with one file held open: it stays the one that it is now, even if another file takes its name.
    /// `None` where nothing can take it.
    ///
    /// # Errors
    /// If the file exists and can't be opened.
    fn pinned(&self, key: &StorageKey) -> Result<Option<Arc<dyn Storage>>, StorageError> {
        let _ = key;
        Ok(None)
    }

    /// The entries of a folder (`""` is the root), in no particular order; `None` if there is no such
    /// folder. At most `limit` entries are returned.
    ///
    /// # Errors
    /// If the folder exists and can't be listed.
    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError>;

    /// A file as a stream, for what is too long to be held; `None` if there is no such key. Errors of reading are those
    /// of the storage, wrapped.
    ///
    /// # Errors
    /// If the file exists and can't be opened.
    fn stream(&self, key: &StorageKey) -> Result<Option<Box<dyn io::Read + Send + '_>>, StorageError> {
        Ok(self.len(key)?.map(|_| Box::new(PositionedReader { storage: self, key: key.clone(), offset: 0 }) as Box<dyn io::Read + Send>))
    }

    /// Where a key lies, for messages. `""` is the root.
    fn location(&self, key: &str) -> String;
}

/// Reads a file from its start on by positioned reads.
struct PositionedReader<'a, S: ?Sized> {
    storage: &'a S,
    key: StorageKey,
    offset: u64,
}

impl<S: Storage + ?Sized> io::Read for PositionedReader<'_, S> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.storage.read_at(&self.key, self.offset, out).map_err(io::Error::other)?.unwrap_or(0);
        self.offset += got as u64;
        Ok(got)
    }
}

impl StorageError {
    /// The error of a storage inside one that passed through [`io::Read`].
    fn from_io(err: io::Error, action: &'static str, location: &str) -> Self {
        match err.downcast::<Self>() {
            Ok(inner) => inner,
            Err(source) => Self::Io { action, location: location.to_owned(), source },
        }
    }
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A folder, or a link to one.
    Folder,
    /// A file, or a link to one.
    File,
}

/// Makes storages for folders, so that tests can count, slow down or replace all reading of a dataset.
pub trait StorageOpener: Send + Sync {
    /// The storage of a folder. Nothing is read yet; a folder that isn't there shows at the first read.
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage>;

    /// What a path leads to; `None` if nothing is there.
    ///
    /// # Errors
    /// If something is there that can't be examined, a dangling link included.
    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_cannot_leave_the_root() {
        for bad in ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/./b", "a\\..\\b", "x\0"] {
            assert_eq!(StorageKey::new(bad), None, "{bad:?}");
        }
        assert!(StorageKey::new("z0/y1/x2.wkw").is_some());
    }
}
