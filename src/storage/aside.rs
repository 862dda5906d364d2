//! [`AsideFile`], [`AsideFolder`]: written beside their place and renamed into it, so that whoever looks, and whatever
//! happens, finds the old one or the new one, whole.
//!
//! What a killed process leaves behind has a name by which it is recognised, and no lock: the next writer in that folder
//! removes it.

use super::fails_once::{FailsOnce, GivesUp};
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::{Builder, NamedTempFile, TempDir};

/// Names of what isn't finished begin and end so.
const PREFIX: &str = ".chunkscope-unfinished-";
const SUFFIX: &str = ".tmp";

/// Name of the file in an unfinished folder that is locked.
const LOCK: &str = ".chunkscope-lock";

/// What is younger may just not have been locked yet.
const MIN_AGE: Duration = Duration::from_secs(60);

/// Entries of a folder that are looked at for what was left behind.
const MAX_LOOKED_AT: usize = 10_000;

/// A file that isn't in its place yet. Dropping it leaves nothing.
#[derive(Debug)]
pub struct AsideFile {
    file: FailsOnce<BufWriter<NamedTempFile>>,
    target: PathBuf,
}

impl AsideFile {
    /// Begins a file that is to be at `target`. A link there stays: what it leads to is replaced, or made.
    ///
    /// # Errors
    /// If the folder can't be written.
    pub fn begin(target: &Path) -> io::Result<Self> {
        let target = behind_links(target)?;
        if target.metadata().is_ok_and(|meta| !meta.is_file()) {
            // A pipe or device would be gone, with an ordinary file in its place.
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it isn't a file, and can't be replaced by one"));
        }
        let folder = folder_of(&target);
        remove_left_behind(folder);
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Temporary files are private; this one is to be shared as the old one was, else as the user's umask says.
            let mode = target.metadata().map_or(0o666, |meta| meta.permissions().mode() & 0o777);
            builder.permissions(std::fs::Permissions::from_mode(mode));
        }
        let file = builder.tempfile_in(folder).map_err(without_path)?;
        // Where files can't be locked nothing is removed.
        let _ = file.as_file().try_lock();
        Ok(Self { file: FailsOnce::new(BufWriter::with_capacity(1 << 18, file)), target })
    }

    /// What gives it up: see [`FailsOnce`].
    pub fn gives_up(&self) -> GivesUp {
        self.file.gives_up()
    }

    /// Puts the file into its place, once its bytes are on the disk.
    ///
    /// # Errors
    /// If the bytes can't be written, or the file can't be renamed. What was there before stays then.
    pub fn commit(self) -> io::Result<()> {
        if self.file.has_failed() {
            return Err(io::Error::other("not all of it could be written"));
        }
        let file = self.file.into_inner().into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.target).map_err(|err| err.error)?;
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

impl Write for AsideFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.file.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AsideFile {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        self.file.seek(pos)
    }
}

/// A folder that isn't in its place yet. Dropping it leaves nothing.
#[derive(Debug)]
pub struct AsideFolder {
    folder: TempDir,
    lock: File,
    target: PathBuf,
}

impl AsideFolder {
    /// Begins a folder that is to be at `target`, where nothing may be.
    ///
    /// # Errors
    /// If something is there, or the folder above can't be written.
    pub fn begin(target: &Path) -> io::Result<Self> {
        if target.symlink_metadata().is_ok() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is something already"));
        }
        let above = folder_of(target);
        remove_left_behind(above);
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o777));
        }
        let folder = builder.tempdir_in(above).map_err(without_path)?;
        let lock = File::create(folder.path().join(LOCK))?;
        let _ = lock.try_lock();
        Ok(Self { folder, lock, target: target.to_owned() })
    }

    /// Where the folder is until it is finished.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file of it. `name` is relative.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(self.folder.path().join(name))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Puts the folder into its place.
    ///
    /// # Errors
    /// If it can't be renamed, as when something is there meanwhile.
    pub fn commit(self) -> io::Result<()> {
        drop(self.lock);
        std::fs::remove_file(self.folder.path().join(LOCK))?;
        std::fs::rename(self.folder.path(), &self.target)?;
        // It isn't there any more, so there is nothing to remove.
        let _ = self.folder.keep();
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

/// A file without a name in a folder, for what is needed for a moment. It goes away with its handle, and with the process.
///
/// # Errors
/// If the folder can't be written.
pub fn scratch_file(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder).map_err(without_path)
}

/// A folder for files of the moment, where the system has them. It goes away with its handle.
///
/// # Errors
/// If there can't be one; with where it should have been.
pub fn scratch_folder() -> Result<TempDir, (io::Error, PathBuf)> {
    let above = std::env::temp_dir();
    Builder::new().tempdir_in(&above).map_err(|err| (without_path(err), above))
}

/// What a path leads to through links, whether that is there or not.
///
/// # Errors
/// If it leads back to itself.
pub fn behind_links(path: &Path) -> io::Result<PathBuf> {
    /// Links behind each other that systems follow.
    const MAX_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(there) = target.canonicalize() {
            return Ok(there);
        }
        let Ok(next) = target.read_link() else { return Ok(target) };
        target = folder_of(&target).join(next);
    }
    Err(io::Error::other("too many links behind each other"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a rename last. Not every system lets folders be opened.
pub fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Removes what a killed process left. Nothing depends on it, so what can't be removed stays.
fn remove_left_behind(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.take(MAX_LOOKED_AT).flatten() {
        let name = entry.file_name();
        if !name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
            continue;
        }
        let Ok(meta) = entry.metadata() else { continue };
        let is_old = meta.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= MIN_AGE));
        let locked = if meta.is_dir() { entry.path().join(LOCK) } else { entry.path() };
        let is_free = match File::open(&locked).map(|file| file.try_lock()) {
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => false,
        };
        if is_old && is_free {
            let _ = if meta.is_dir() { std::fs::remove_dir_all(entry.path()) } else { std::fs::remove_file(entry.path()) };
        }
    }
}

/// The system's reason alone: tempfile adds the name of its temporary file, which nobody asked for.
pub fn without_path(err: io::Error) -> io::Error {
    let text = err.to_string();
    text.split_once(" at path ").map_or(err, |(reason, _)| io::Error::other(reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        std::fs::read_dir(folder).expect("there").map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let target = folder.path().join("a.zip");
        std::fs::write(&target, "old").expect("written");
        let mut file = AsideFile::begin(&target).expect("created");
        file.write_all(b"new").expect("written");
        assert_eq!(std::fs::read(&target).expect("there"), b"old");
        file.commit().expect("renamed");
        assert_eq!(std::fs::read(&target).expect("there"), b"new");
        drop(AsideFile::begin(&target).expect("created"));
        assert_eq!(names(folder.path()), ["a.zip"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_stays_and_what_it_leads_to_is_made() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let link = |name: &str, to: &str| {
            let path = folder.path().join(name);
            std::os::unix::fs::symlink(to, &path).expect("linked");
            path
        };
        link("second", "made");
        let first = link("first", "second");
        let mut file = AsideFile::begin(&first).expect("created");
        file.write_all(b"new").expect("written");
        file.commit().expect("renamed");
        assert!(first.is_symlink() && folder.path().join("second").is_symlink());
        assert_eq!(std::fs::read(folder.path().join("made")).expect("there"), b"new");
        assert!(AsideFile::begin(&link("loop", "loop")).and_then(AsideFile::commit).is_err());
    }

    #[test]
    fn a_folder_appears_whole_and_never_over_another() {
        let above = tempfile::tempdir().expect("temporary folder");
        let target = above.path().join("d");
        let folder = AsideFolder::begin(&target).expect("created");
        folder.write("a", b"1").expect("written");
        assert!(!target.exists());
        folder.commit().expect("renamed");
        assert_eq!(names(&target), ["a"]);
        assert!(AsideFolder::begin(&target).is_err());
        drop(AsideFolder::begin(&above.path().join("e")).expect("created"));
        assert_eq!(names(above.path()), ["d"]);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_another_writes_is_not() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let old = |name: &str| {
            let path = folder.path().join(format!("{PREFIX}{name}{SUFFIX}"));
            let file = File::create(&path).expect("created");
            let then = std::time::SystemTime::now() - 2 * MIN_AGE;
            file.set_modified(then).expect("set");
            file
        };
        drop(old("dead"));
        let living = old("living");
        living.lock().expect("locked");
        let young = folder.path().join(format!("{PREFIX}young{SUFFIX}"));
        std::fs::write(&young, "").expect("written");
        drop(AsideFile::begin(&folder.path().join("x")).expect("created"));
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, [format!("{PREFIX}living{SUFFIX}"), format!("{PREFIX}young{SUFFIX}")]);
    }
}
