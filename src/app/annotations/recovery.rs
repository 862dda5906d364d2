//! Edits that no file has yet, saved aside so that a crash loses little.
//!
//! Each program that edits has a folder of its own, locked while it runs; a folder that nobody locks was left behind.
//! Opened data is never written to.

use crate::annotation::Annotation;
use crate::annotation::export::{ExportFormat, ExportOptions, ExportWatch, export};
use crate::app::unix_secs;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const LOCK: &str = "lock";
const ABOUT: &str = "about.json";
const EDITS: &str = "edits.zip";

/// What saved edits belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Name of the annotation.
    pub name: String,
    /// Its file; `None` for one that was never exported.
    pub file: Option<PathBuf>,
    /// The dataset below it, where there was one.
    pub dataset: Option<PathBuf>,
    /// Layer of the dataset below a new annotation.
    pub fallback: Option<String>,
    /// When it was saved last, in seconds since 1970.
    pub saved_unix_secs: u64,
}

impl About {
    /// One line for people: what the edits belong to, and when they were saved.
    pub fn line(&self, now_unix_secs: u64) -> String {
        let minutes = now_unix_secs.saturating_sub(self.saved_unix_secs) / 60;
        let since = match minutes {
            0 => "just now".to_owned(),
            1..60 => format!("{minutes} min ago"),
            60..2880 => format!("{} h ago", minutes / 60),
            _ => format!("{} days ago", minutes / 1440),
        };
        let what = self.file.as_deref().or(self.dataset.as_deref()).map_or_else(String::new, |path| format!(", {}", path.display()));
        format!("{}, saved {since}{what}", self.name)
    }
}

/// The folder of a program that edits. Taken away when the edits are in a file, or nobody wants them.
#[derive(Debug)]
pub struct RecoveryFolder {
    path: PathBuf,
    /// Open as long as the program runs: the system gives the lock back, however it ends.
    _lock: File,
}

impl RecoveryFolder {
    /// A new, locked folder below `root`.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn create(root: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = root.join(format!("{}-{}-{}", unix_secs(), std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir_all(&path)?;
        let lock = File::create(path.join(LOCK))?;
        lock.try_lock()?;
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Throws the saved edits away.
    pub fn remove(self) {
        let Self { path, _lock } = self;
        if let Err(err) = std::fs::remove_dir_all(&path) {
            log::warn!("can't remove saved edits: {err}: {}", path.display());
        }
    }
}

/// Saves the edited buckets and the segments of an annotation into a recovery folder, replacing those saved before.
///
/// # Errors
/// If they can't be written; what was saved before is then still there.
pub fn save(folder: &Path, annotation: &Annotation, about: &About) -> anyhow::Result<()> {
    let has_axes = annotation.volumes.iter().any(|volume| !volume.axes.is_empty());
    let format = if has_axes { ExportFormat::Zarr3 } else { ExportFormat::Wkw };
    let watch = ExportWatch { progress: &|_, _| {}, cancel: &AtomicBool::new(false) };
    let json = serde_json::to_vec_pretty(about)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, &json)?;
    file.persist(folder.join(ABOUT))?;
    // Last: edits without what they belong to would be of no use.
    export(annotation, ExportOptions { format: Some(format), only_edited: true, drops_damaged: false }, &folder.join(EDITS), watch)?;
    Ok(())
}

/// Edits that a program left behind.
#[derive(Debug)]
pub struct LeftBehind {
    /// What they belong to.
    pub about: About,
    /// Their folder, locked from here on.
    pub folder: RecoveryFolder,
}

impl LeftBehind {
    /// The file with the edits.
    pub fn edits(&self) -> PathBuf {
        self.folder.path.join(EDITS)
    }
}

/// The edits that ended programs left below `root`, newest first. Empty folders are taken away.
pub fn left_behind(root: &Path) -> Vec<LeftBehind> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let mut found: Vec<LeftBehind> = entries.flatten().filter_map(|entry| take_over(entry.path())).collect();
    found.sort_by_key(|left| std::cmp::Reverse(left.about.saved_unix_secs));
    found
}

fn take_over(path: PathBuf) -> Option<LeftBehind> {
    let lock = File::options().write(true).open(path.join(LOCK)).ok()?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return None,
        Err(TryLockError::Error(err)) => {
            log::warn!("can't lock saved edits: {err}: {}", path.display());
            return None;
        }
    }
    let folder = RecoveryFolder { path, _lock: lock };
    let about = std::fs::read(folder.path.join(ABOUT)).ok().and_then(|json| serde_json::from_slice(&json).ok());
    match about.filter(|_| folder.path.join(EDITS).is_file()) {
        Some(about) => Some(LeftBehind { about, folder }),
        None if folder.path.join(EDITS).is_file() => {
            log::error!("edits were left, but not what they belong to: {}", folder.path.join(EDITS).display());
            None
        }
        None => {
            folder.remove(); // it ended before anything was saved
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(name: &str, saved_unix_secs: u64) -> About {
        About { name: name.to_owned(), file: None, dataset: None, fallback: None, saved_unix_secs }
    }

    fn put(folder: &RecoveryFolder, about: &About) {
        std::fs::write(folder.path.join(ABOUT), serde_json::to_vec(about).expect("JSON")).expect("written");
        std::fs::write(folder.path.join(EDITS), b"zip").expect("written");
    }

    #[test]
    fn only_what_no_program_holds_is_left_behind() {
        let root = tempfile::tempdir().expect("temporary folder");
        let (first, second) = (RecoveryFolder::create(root.path()).expect("made"), RecoveryFolder::create(root.path()).expect("made"));
        put(&first, &about("ended", 5));
        put(&second, &about("running", 6));
        drop(first); // as when the program ends, however it does
        let found = left_behind(root.path());
        assert_eq!(found.iter().map(|left| left.about.name.as_str()).collect::<Vec<_>>(), ["ended"]);
        assert!(left_behind(root.path()).is_empty(), "one program takes them over");
        assert!(found[0].edits().is_file());
    }

    #[test]
    fn a_program_that_saved_nothing_leaves_nothing() {
        let root = tempfile::tempdir().expect("temporary folder");
        drop(RecoveryFolder::create(root.path()).expect("made"));
        assert!(left_behind(root.path()).is_empty());
        assert_eq!(std::fs::read_dir(root.path()).expect("listed").count(), 0);
        assert!(left_behind(&root.path().join("absent")).is_empty());
    }
}
