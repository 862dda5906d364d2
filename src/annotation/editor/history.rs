//! Undo and redo, and what edits mean for the counts.

use super::{BucketAddress, BucketChange, BucketOrigin, EditError, EditNote, EditOutcome, VolumeEditor, VoxelBuffer};
use std::sync::Arc;

impl VolumeEditor {
    /// Takes the last edit back, in all mags.
    ///
    /// # Errors
    /// If there is none, or a stroke isn't finished.
    pub fn undo(&mut self) -> Result<EditOutcome, EditError> {
        self.swap(false)
    }

    /// Makes the edit again that was undone last.
    ///
    /// # Errors
    /// If there is none, or a stroke isn't finished.
    pub fn redo(&mut self) -> Result<EditOutcome, EditError> {
        self.swap(true)
    }

    fn swap(&mut self, redo: bool) -> Result<EditOutcome, EditError> {
        self.check_no_stroke()?;
        let entry = self.history.take(redo).ok_or(EditError::NothingTo(if redo { "redo" } else { "undo" }))?;
        let edited: Vec<_> = self.volume.levels.iter().map(|level| level.edited.clone()).collect();
        let swap = match self.history.swap(&entry, &edited) {
            Ok(swap) => swap,
            Err(err) => {
                self.history.put_back(entry, redo, None);
                return Err(err);
            }
        };
        let mut outcome = EditOutcome { voxels: entry.line().voxels, ..EditOutcome::default() };
        outcome.touch(&swap.voxels, self.volume.levels.len());
        if let Some(first) = edited.first() {
            first.publish(swap.voxels);
        }
        self.count_changes(&swap.replaced);
        outcome.segments_changed = !entry.segments.is_empty();
        let segments = self.swap_segments(&entry.segments);
        if self.history.put_back(entry, redo, Some((swap.replaced, segments))) {
            outcome.note(EditNote::UndoShortened);
        }
        Ok(outcome)
    }

    /// Tells the counts what became of edited buckets of the finest level.
    pub(super) fn count_changes(&mut self, before: &[BucketChange]) {
        let Some(finest) = self.volume.levels.first().filter(|_| self.counts.is_counting()) else { return };
        let own = |edited: Option<Arc<VoxelBuffer>>, at: &BucketAddress, is_unreadable: bool| match edited {
            None if is_unreadable => Ok(None), // nothing of it was counted
            None if finest.is_stored(at) => {
                finest.read_unedited(at).map(|(voxels, origin)| (origin == BucketOrigin::Stored).then_some(voxels))
            }
            edited => Ok(edited),
        };
        for change in before.iter().filter(|change| change.level == 0) {
            let (at, is_unreadable) = (&change.at, self.counts.unreadable().contains(&change.at));
            match (own(change.voxels.clone(), at, is_unreadable), own(finest.edited.get(at), at, is_unreadable)) {
                (Ok(before), Ok(after)) => self.counts.bucket_changes(before.as_deref(), after.as_deref()),
                // Whoever reads the bucket is told why; the counts only are no longer known.
                (Err(_), _) | (_, Err(_)) => return self.counts.forget(),
            }
        }
    }
}
