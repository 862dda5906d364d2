//! [`EditOverlay`]: edited buckets over the chunks that were loaded.

use crate::annotation::EditedBuckets;
use crate::format::annotation::BucketAddress;
use crate::loading::{ChunkId, ChunkLookup, ChunkState, SourceId};
use std::collections::HashMap;
use std::sync::Arc;

/// Edits of the levels that are looked at.
#[derive(Clone, Default)]
pub struct Edits {
    levels: HashMap<SourceId, (Arc<EditedBuckets>, Arc<[u64]>)>,
}

impl Edits {
    /// Notes whose chunks the edited buckets replace, at positions along the further axes.
    pub fn add(&mut self, source: SourceId, edited: Arc<EditedBuckets>, axes: Arc<[u64]>) {
        self.levels.insert(source, (edited, axes));
    }

    /// Whether no level has edits.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Changes of all levels so far: another number means that pictures are to be made anew.
    pub fn revision(&self) -> u64 {
        self.levels.values().map(|(edited, _)| edited.change_count()).fold(0, u64::wrapping_add)
    }
}

/// Looks chunks up among the edits first.
pub struct EditOverlay {
    /// Edits.
    pub edits: Arc<Edits>,
    /// What was loaded.
    pub loaded: Arc<dyn ChunkLookup + Send>,
}

impl ChunkLookup for EditOverlay {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        let edited = self.edits.levels.get(&id.source).and_then(|(edited, axes)| {
            edited.get(&BucketAddress { chunk: id.chunk, axes: axes.clone() }) // cheap: shared
        });
        edited.map_or_else(|| self.loaded.chunk(id), ChunkState::Ready)
    }
}
