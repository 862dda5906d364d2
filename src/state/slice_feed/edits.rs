//! Edited buckets of the open annotation, over the chunks that were loaded.

use super::SliceFeed;
use crate::loading::ChunkLookup;
use crate::state::annotation::OpenAnnotation;
use crate::state::edit_overlay::{EditOverlay, Edits};
use std::sync::Arc;

impl SliceFeed {
    /// Takes over which levels have edits.
    pub(super) fn follow_edits(&mut self, annotation: Option<&OpenAnnotation>) {
        let mut edits = Edits::default();
        for volume in annotation.iter().flat_map(|annotation| &annotation.volumes) {
            let levels = self.readable.get(volume.layer).into_iter().flatten();
            let axes: Arc<[u64]> = self.followed.positions.get(volume.layer).map_or_else(Arc::default, |axes| axes.as_slice().into());
            for level in levels {
                if let Some((_, edited)) = volume.edited.iter().find(|(mag, _)| *mag == level.mag) {
                    edits.add(level.id, edited.clone(), axes.clone());
                }
            }
        }
        self.edits = Arc::new(edits);
    }

    /// For looking chunks up on other threads: edits first, then what was loaded.
    pub fn lookup(&self) -> Arc<dyn ChunkLookup + Send> {
        let loaded = self.loader.lookup();
        if self.edits.is_empty() {
            return loaded;
        }
        Arc::new(EditOverlay { edits: self.edits.clone(), loaded })
    }
}
