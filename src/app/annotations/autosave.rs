//! [`Autosave`]: edits that no file has yet are saved aside from time to time, each time what changed since the last.

use super::recovery::{About, RecoveryFolder, SaveAside, SavedEdits};
use crate::annotation::journal::Changes;
use crate::app::App;
use crate::problem::Severity;
use crate::state::OpenAnnotation;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Edits are saved aside this long after the last time: with the time that it takes, less than ten seconds are lost.
const AUTOSAVE_EVERY: Duration = Duration::from_secs(4);

/// How far edits are saved aside.
pub(super) struct Autosave {
    /// Number of the edit up to which they are, or couldn't be.
    revision: u64,
    /// What was saved, to be gone on with, and up to which edit. `None` while nothing was, or one is under way.
    journal: Option<(SavedEdits, u64)>,
    /// Whether one is under way.
    is_running: bool,
    /// Whether the last one failed, which is said once.
    has_failed: bool,
    /// When the next one may begin.
    next: Instant,
}

impl Autosave {
    /// Edits up to this one are saved already.
    pub fn new(revision: u64) -> Self {
        Self { revision, journal: None, is_running: false, has_failed: false, next: Instant::now() + AUTOSAVE_EVERY }
    }

    /// How long until edits are to be saved; `None` while there are no new ones, or some are being saved.
    pub fn due_in(&self, open: &OpenAnnotation) -> Option<Duration> {
        let is_new = open.revision != self.revision && open.revision != open.saved_revision;
        (is_new && !self.is_running).then(|| self.next.saturating_duration_since(Instant::now()))
    }

    /// Begins to save edits. A file has those up to `base`; the number of the edit up to which they are saved already.
    pub fn begin(&mut self, base: u64) -> u64 {
        self.is_running = true;
        self.journal.as_ref().map_or(base, |(_, revision)| *revision)
    }

    /// A file has the edits up to this one. What was saved lies over the file before: later edits are to be saved over
    /// this one, and soon.
    pub fn exported(&mut self, revision: u64) {
        (self.revision, self.journal, self.next) = (revision, None, Instant::now());
    }

    fn succeed(&mut self, journal: SavedEdits, revision: u64) {
        *self = Self { journal: Some((journal, revision)), ..Self::new(revision) };
    }

    /// Notes that edits couldn't be saved; whether that is news. They are tried again, in a new journal, with the next one.
    fn fail(&mut self, revision: u64) -> bool {
        let is_news = !self.has_failed;
        *self = Self { has_failed: true, ..Self::new(revision) };
        is_news
    }
}

impl App {
    /// Whether all edits are in a file, or saved aside.
    pub fn is_saved_aside(&self) -> bool {
        let Some((editing, open)) = self.editing.as_ref().zip(self.state.annotation.as_ref()) else { return true };
        let Autosave { revision, is_running, has_failed, .. } = &editing.autosave;
        !open.is_unsaved() || (*revision == open.revision && open.waiting == 0 && !is_running && !has_failed)
    }

    /// Saves aside what changed.
    pub(super) fn save_aside(&mut self, changes: Changes, base: u64, revision: u64) {
        let Some((editing, open)) = self.editing.as_mut().zip(self.state.annotation.as_ref()) else { return };
        if base != open.saved_revision {
            editing.autosave.is_running = false; // exported meanwhile
            return;
        }
        let folder = match (&editing.recovery, &self.recovery_root) {
            (Some(folder), _) => folder.clone(),
            (None, None) => return,
            (None, Some(root)) => match RecoveryFolder::create(root) {
                Ok(folder) => editing.recovery.insert(Arc::new(folder)).clone(),
                Err(err) => {
                    let text = format!("Edits can't be saved aside: {err}: {}", root.display());
                    if editing.autosave.fail(revision) {
                        self.say(Severity::Error, &text);
                    }
                    return;
                }
            },
        };
        let about = About {
            name: open.name.clone(),
            file: open.file.as_deref().map(absolute),
            dataset: open.dataset_path.as_deref().map(absolute),
            fallback: open.volumes.first().and_then(|volume| volume.fallback.clone()),
            position: self.state.dataset.as_ref().map(|open| open.view.voxel().to_array()),
            made_unix_ms: open.nml.time_unix_ms(),
        };
        let journal = editing.autosave.journal.take().map(|(journal, _)| journal);
        self.tasks.save_aside(editing.session, SaveAside { folder, about, journal, changes }, base, revision);
    }

    /// Takes what was saved aside.
    pub(super) fn saved_aside(&mut self, base: u64, revision: u64, result: Result<SavedEdits, String>) {
        let Some((editing, open)) = self.editing.as_mut().zip(self.state.annotation.as_ref()) else { return };
        let autosave = &mut editing.autosave;
        autosave.is_running = false;
        if base != open.saved_revision {
            return; // exported meanwhile: what comes next lies over that file
        }
        match result {
            Ok(journal) => autosave.succeed(journal, revision),
            Err(error) => {
                if autosave.fail(revision) {
                    self.say(Severity::Error, &format!("Edits can't be saved aside: {error}"));
                }
            }
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> SavedEdits {
        SavedEdits::begin(tempfile::tempfile().expect("a file"), b"", &Changes::default()).expect("written")
    }

    #[test]
    fn only_what_changed_since_the_last_success_is_saved_and_all_of_it_after_a_failure_or_an_export() {
        let mut autosave = Autosave::new(0);
        assert_eq!(autosave.begin(0), 0);
        autosave.succeed(journal(), 7);
        assert_eq!(autosave.begin(0), 7);
        autosave.fail(9);
        assert_eq!(autosave.begin(0), 0, "a new journal begins with everything");
        autosave.succeed(journal(), 10);
        autosave.exported(8);
        assert_eq!(autosave.revision, 8, "what was saved after it is saved again");
        assert_eq!(autosave.begin(8), 8, "the file has what was before");
    }

    #[test]
    fn a_failure_is_news_once_until_it_goes_again() {
        let mut autosave = Autosave::new(0);
        assert!(autosave.fail(1) && !autosave.fail(2));
        autosave.succeed(journal(), 3);
        assert!(autosave.fail(4));
    }
}
