//! Edits that no file has yet, saved aside so that a crash loses little.
//!
//! Each program that edits has a folder of its own, locked while it runs; a folder that nobody locks was left behind.
//! Opened data is never written to.

use crate::annotation::Annotation;
use crate::annotation::journal::{self, Changes, Journal, Lost, Saved};
use crate::app::unix_secs;
use crate::loading::memory_bytes;
use crate::state::LeftEdits;
use crate::storage::sync_folder;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;
use tempfile::NamedTempFile;

const LOCK: &str = "lock";
const EDITS: &str = "edits.journal";

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
    /// The mag-1 voxel that was in the centre when edits were first saved, where one that was never exported begins again.
    #[serde(default)]
    pub position: Option<[i64; 3]>,
    /// When the annotation was made, in milliseconds since 1970.
    #[serde(default)]
    pub made_unix_ms: Option<u64>,
}

/// The folder of a program that edits. Taken away when the edits are in a file, or nobody wants them.
#[derive(Debug)]
pub struct RecoveryFolder {
    path: PathBuf,
    is_unwanted: AtomicBool,
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
        Ok(Self { path, is_unwanted: AtomicBool::new(false), _lock: lock })
    }

    /// Throws the saved edits away, and what a task may still be saving once that has ended.
    pub fn discard(&self) {
        self.is_unwanted.store(true, Ordering::Relaxed);
        self.remove();
    }

    fn remove(&self) {
        match std::fs::remove_dir_all(&self.path) {
            Ok(()) => {}
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => log::warn!("can't remove saved edits: {err}: {}", self.path.display()),
        }
    }
}

impl Drop for RecoveryFolder {
    fn drop(&mut self) {
        if *self.is_unwanted.get_mut() {
            self.remove();
        }
    }
}

/// Edits that were saved aside, to be gone on with.
pub type SavedEdits = Journal<File>;

/// Edits that are to be saved aside.
pub struct SaveAside {
    /// Where.
    pub folder: Arc<RecoveryFolder>,
    /// What they belong to.
    pub about: About,
    /// What was saved before; `None` to begin anew.
    pub journal: Option<SavedEdits>,
    /// What changed since.
    pub changes: Changes,
}

impl SaveAside {
    /// Saves them; what comes next is added to the journal that is returned.
    ///
    /// # Errors
    /// If they can't be written; what was saved before is then still there.
    pub fn run(self) -> anyhow::Result<SavedEdits> {
        let Self { folder, about, journal, changes } = self;
        let mut journal = match journal {
            Some(mut journal) => {
                journal.append(&changes)?;
                journal.file().sync_data()?;
                journal
            }
            None => put_in_place(&folder, Journal::begin(NamedTempFile::new_in(&folder.path)?, &serde_json::to_vec(&about)?, &changes)?)?,
        };
        if journal.is_mostly_dead() {
            match compacted(&folder, &mut journal) {
                Ok(smaller) => journal = smaller,
                Err(err) => log::warn!("saved edits take more than they need: {err:#}"),
            }
        }
        Ok(journal)
    }
}

fn compacted(folder: &RecoveryFolder, journal: &mut SavedEdits) -> anyhow::Result<SavedEdits> {
    let smaller = journal.compacted(NamedTempFile::new_in(&folder.path)?)?;
    Ok(put_in_place(folder, smaller)?)
}

/// Replaces what was saved before, once the new journal is whole.
fn put_in_place(folder: &RecoveryFolder, journal: Journal<NamedTempFile>) -> io::Result<SavedEdits> {
    journal.file().as_file().sync_all()?;
    let journal = journal.moved(|file| Ok(file.persist(folder.path.join(EDITS))?))?;
    sync_folder(&folder.path);
    Ok(journal)
}

/// Puts saved edits into the annotation that they belong to. What couldn't be put back, and why.
pub fn put_back(edits: &Path, annotation: &mut Annotation) -> Vec<Lost> {
    // They had room in a memory before.
    let max_bytes = memory_bytes().unwrap_or(u64::MAX);
    let mut put = || -> io::Result<Vec<Lost>> {
        let file = File::open(edits)?;
        Ok(Saved::find(&file)?.put_into(&file, annotation, max_bytes))
    };
    put().unwrap_or_else(|err| vec![err.into()])
}

/// Edits that a program left behind.
#[derive(Debug)]
pub struct LeftBehind {
    /// What they belong to.
    pub about: About,
    /// When they were saved last, in seconds since 1970.
    pub saved_unix_secs: u64,
    /// Their folder, locked from here on.
    pub folder: RecoveryFolder,
}

impl LeftBehind {
    /// The file with the edits.
    pub fn edits(&self) -> PathBuf {
        self.folder.path.join(EDITS)
    }

    /// What the edits belong to, and when they were saved.
    pub fn told(&self, now_unix_secs: u64) -> LeftEdits {
        let minutes = now_unix_secs.saturating_sub(self.saved_unix_secs) / 60;
        let since = match minutes {
            0 => "just now".to_owned(),
            1..60 => format!("{minutes} min ago"),
            60..2880 => format!("{} h ago", minutes / 60),
            _ => format!("{} days ago", minutes / 1440),
        };
        let About { name, file, dataset, .. } = &self.about;
        LeftEdits { what: format!("{name}, saved {since}"), path: file.clone().or_else(|| dataset.clone()) }
    }
}

/// The edits that ended programs left below `root`, newest first. Empty folders are taken away.
pub fn left_behind(root: &Path) -> Vec<LeftBehind> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let mut found: Vec<LeftBehind> = entries.flatten().filter_map(|entry| take_over(entry.path())).collect();
    found.sort_by_key(|left| std::cmp::Reverse(left.saved_unix_secs));
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
    let folder = RecoveryFolder { path, is_unwanted: AtomicBool::new(false), _lock: lock };
    let edits = folder.path.join(EDITS);
    match what_about(&edits) {
        Ok(Some((about, saved_unix_secs))) => return Some(LeftBehind { about, saved_unix_secs, folder }),
        Ok(None) => folder.discard(), // it ended before anything was saved
        Err(err) => log::error!("edits were left, but not what they belong to: {err:#}: {}", edits.display()),
    }
    None
}

/// What edits belong to, and when they were saved last; `None` if there are none.
fn what_about(edits: &Path) -> anyhow::Result<Option<(About, u64)>> {
    let file = match File::open(edits) {
        Ok(file) => file,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(err) => return Err(err.into()),
    };
    let about = journal::about(&file)?.ok_or_else(|| anyhow::anyhow!("the beginning is damaged"))?;
    let saved = file.metadata()?.modified()?.duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(Some((serde_json::from_slice(&about)?, saved.as_secs())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::journal::{Base, Touched};
    use crate::annotation::test_world::spec;
    use crate::annotation::{OverwriteMode, PaintSettings, VolumeAnnotation, VolumeEditor};
    use crate::format::nml::{NewNml, Nml};
    use crate::geometry::{BoundingBox, Mag, Shape3, Vec3Int};
    use std::time::Duration;

    fn about(name: &str) -> About {
        About { name: name.to_owned(), file: None, dataset: None, fallback: None, position: None, made_unix_ms: None }
    }

    fn put(folder: &Arc<RecoveryFolder>, name: &str, saved_unix_secs: u64) {
        let about = about(name);
        let journal = SaveAside { folder: folder.clone(), about, journal: None, changes: Changes::default() }.run().expect("saved");
        journal.file().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(saved_unix_secs)).expect("set");
    }

    fn create(root: &Path) -> Arc<RecoveryFolder> {
        Arc::new(RecoveryFolder::create(root).expect("made"))
    }

    #[test]
    fn only_what_no_program_holds_is_left_behind() {
        let root = tempfile::tempdir().expect("temporary folder");
        let [older, running, newer] = ["older", "running", "newer"].map(|name| {
            let folder = create(root.path());
            put(&folder, name, name.len() as u64 * 600);
            folder
        });
        std::fs::write(newer.path.join(EDITS), std::fs::read(newer.path.join(EDITS)).expect("there")).expect("written now");
        drop((older, newer)); // as when the program ends, however it does
        let found = left_behind(root.path());
        assert_eq!(found.iter().map(|left| left.about.name.as_str()).collect::<Vec<_>>(), ["newer", "older"]);
        assert_eq!(found[1].told(3000 + 59 * 60).what, "older, saved 59 min ago");
        assert!(left_behind(root.path()).is_empty(), "one program takes them over");
        assert!(found[0].edits().is_file());
        drop(running);
        assert_eq!(left_behind(root.path()).len(), 1);
    }

    #[test]
    fn a_program_that_saved_nothing_leaves_nothing() {
        let root = tempfile::tempdir().expect("temporary folder");
        drop(create(root.path()));
        assert!(left_behind(root.path()).is_empty());
        assert_eq!(std::fs::read_dir(root.path()).expect("listed").count(), 0);
        assert!(left_behind(&root.path().join("absent")).is_empty());
    }

    #[test]
    fn edits_of_nobody_knows_what_are_neither_offered_nor_thrown_away() {
        let root = tempfile::tempdir().expect("temporary folder");
        let folder = create(root.path());
        put(&folder, "damaged", 5);
        let edits = folder.path.join(EDITS);
        let mut bytes = std::fs::read(&edits).expect("there");
        bytes[30] ^= 1; // within what it is about
        std::fs::write(&edits, bytes).expect("written");
        drop(folder);
        assert!(left_behind(root.path()).is_empty());
        assert!(edits.is_file());
    }

    /// Boxes of some 500 buckets that cover each other, one after the other.
    fn boxes(editor: &mut VolumeEditor, touched: &mut Touched, edit: &mut u64) {
        *edit += 1;
        let settings = PaintSettings { segment: *edit, active: *edit, mode: OverwriteMode::OverwriteAll };
        let b = BoundingBox::new(Vec3Int::splat(*edit as i64), Shape3::splat(250));
        touched.note(&editor.paint_box(settings, &Arc::default(), &b).expect("painted"), *edit);
    }

    fn annotation() -> Annotation {
        let volume = VolumeAnnotation::new(spec(&[Mag::ONE]));
        let nml = Arc::new(Nml::new(NewNml::default()));
        Annotation { name: "a".to_owned(), nml, volumes: vec![volume], attachments: Vec::new() }
    }

    #[test]
    fn edits_saved_one_after_the_other_come_back_whole_and_take_no_more_than_twice_their_room() {
        let root = tempfile::tempdir().expect("temporary folder");
        let folder = create(root.path());
        let volume = annotation().volumes.remove(0);
        let (mut touched, mut editor, mut edit) = (Touched::new(&volume, 0), VolumeEditor::new(volume), 0);
        let (mut journal, mut lens) = (None, Vec::new());
        for _ in 0..20 {
            let since = edit;
            boxes(&mut editor, &mut touched, &mut edit);
            let changes = Changes(vec![touched.since(since, editor.volume(), Base::Opened)]);
            let about = about("a");
            journal = Some(SaveAside { folder: folder.clone(), about, journal, changes }.run().expect("saved"));
            lens.push(std::fs::metadata(folder.path.join(EDITS)).expect("there").len());
        }
        assert!(lens.windows(2).any(|pair| pair[1] < pair[0]), "{lens:?}");
        let mut found = annotation();
        assert!(put_back(&folder.path.join(EDITS), &mut found).is_empty());
        assert!(found.volumes[0].snapshot() == editor.volume().snapshot());
        assert_eq!(std::fs::read_dir(&folder.path).expect("listed").count(), 2, "nothing unfinished is left beside it");
    }

    #[test]
    fn a_journal_that_cannot_be_gone_on_with_stays_until_a_new_one_is_whole() {
        let root = tempfile::tempdir().expect("temporary folder");
        let folder = create(root.path());
        put(&folder, "first", 5);
        let edits = folder.path.join(EDITS);
        let before = std::fs::read(&edits).expect("there");
        let save = |name, journal| SaveAside { folder: folder.clone(), about: about(name), journal, changes: Changes::default() }.run();
        let journal = save("first", None).expect("saved").moved(|_| File::open(&edits)).expect("opened for reading only");
        assert!(save("first", Some(journal)).is_err());
        assert_eq!(std::fs::read(&edits).expect("there"), before);
        save("second", None).expect("saved");
        assert_eq!(what_about(&edits).expect("readable").map(|(about, _)| about), Some(about("second")));
    }

    #[test]
    fn what_a_task_still_saves_of_unwanted_edits_goes_away_with_it() {
        let root = tempfile::tempdir().expect("temporary folder");
        let folder = create(root.path());
        let task = folder.clone();
        folder.discard();
        assert!(!task.path.exists());
        std::fs::create_dir(&task.path).expect("made");
        put(&task, "too late", 5);
        drop((folder, task));
        assert_eq!(std::fs::read_dir(root.path()).expect("listed").count(), 0);
    }
}
