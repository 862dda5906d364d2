//! [`LayoutState`]: what the layout panel and the map know of the selected level's shards.

use crate::format::{ChunkError, ShardLayout};
use crate::geometry::{ChunkIndex, ShardIndex};
use crate::loading::SourceId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The level whose shards are shown.
pub type LevelKey = SourceId;

/// What is known of one shard's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShardFile {
    /// No file.
    Absent,
    /// A file of this many bytes.
    Present(u64),
    /// Something is there that can't be examined.
    Unreadable(String),
}

/// Shards of the selected level, as far as they have been looked at.
#[derive(Debug, Default)]
pub struct LayoutState {
    /// Which level; results for another are dropped.
    pub level: Option<LevelKey>,
    /// Shards looked at so far.
    pub shards: BTreeMap<ShardIndex, ShardFile>,
    /// How many are to be looked at.
    pub total: u64,
    /// Whether looking is still going on.
    pub is_scanning: bool,
    /// Shards beyond this many are not looked at.
    pub left_out: u64,
    /// The shard whose chunks are shown.
    pub selected_shard: Option<ShardIndex>,
    /// The shard whose chunks were asked for last.
    pub asked_shard: Option<ShardIndex>,
    /// Its chunks: `None` while they are read, or if the shard is absent.
    pub chunks: Option<Result<Arc<ShardLayout>, Arc<ChunkError>>>,
    /// The chosen chunk.
    pub selected_chunk: Option<ChunkIndex>,
    /// Grows with each change of what is known of shards.
    pub revision: u64,
    /// Changes of the level's edited buckets that are, or are being, taken over.
    pub edits: u64,
    /// The shards with edits then.
    pub edited: Vec<ShardIndex>,
    /// Whether those are being looked at again.
    pub looks_again: bool,
}

impl LayoutState {
    /// More shards of a level are not examined one by one.
    pub const MAX_SHARDS: u64 = 20_000;

    /// Forgets all and starts with another level.
    pub fn restart(&mut self, level: Option<LevelKey>) {
        *self = Self { level, ..Self::default() };
    }

    /// Takes a batch of a running scan.
    pub fn add(&mut self, level: LevelKey, batch: Vec<(ShardIndex, ShardFile)>) {
        if self.level == Some(level) {
            self.shards.extend(batch);
            self.revision += 1;
        }
    }

    /// Takes what was found of shards that were looked at again as they have edits, or had some; those left out stay so.
    pub fn update(&mut self, level: LevelKey, batch: Vec<(ShardIndex, ShardFile)>, edited: Vec<ShardIndex>) {
        if self.level != Some(level) {
            return;
        }
        for (shard, file) in batch {
            if let Some(known) = self.shards.get_mut(&shard)
                && *known != file
            {
                *known = file;
                self.revision += 1;
                if self.selected_shard == Some(shard) {
                    self.asked_shard = None; // its chunks are others, too
                }
            }
        }
        (self.edited, self.looks_again) = (edited, false);
    }

    /// Number of shards with a file.
    pub fn present(&self) -> usize {
        self.shards.values().filter(|file| matches!(file, ShardFile::Present(_))).count()
    }

    /// Bytes of all files.
    pub fn stored_bytes(&self) -> u64 {
        self.shards.values().map(|file| if let ShardFile::Present(len) = file { *len } else { 0 }).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3Int;

    #[test]
    fn results_of_another_level_are_dropped() {
        let (a, b) = (SourceId::next(), SourceId::next());
        let mut layout = LayoutState::default();
        layout.restart(Some(b));
        layout.add(a, vec![(ShardIndex(Vec3Int::ZERO), ShardFile::Present(1))]);
        assert!(layout.shards.is_empty());
        layout.add(b, vec![(ShardIndex(Vec3Int::ZERO), ShardFile::Present(7)), (ShardIndex(Vec3Int::splat(1)), ShardFile::Absent)]);
        assert_eq!((layout.present(), layout.stored_bytes()), (1, 7));
    }

    #[test]
    fn shards_looked_at_again_change_what_is_known_and_ask_for_their_chunks() {
        let level = SourceId::next();
        let mut layout = LayoutState::default();
        layout.restart(Some(level));
        let shard = |x| ShardIndex(Vec3Int::splat(x));
        layout.add(level, vec![(shard(0), ShardFile::Absent), (shard(1), ShardFile::Absent)]);
        (layout.selected_shard, layout.asked_shard) = (Some(shard(0)), Some(shard(0)));
        let before = layout.revision;
        layout.update(level, vec![(shard(0), ShardFile::Present(9)), (shard(7), ShardFile::Present(9))], vec![shard(0), shard(7)]);
        assert_eq!((layout.present(), layout.shards.len(), layout.asked_shard), (1, 2, None), "one beyond the limit stays left out");
        assert!(layout.revision > before);
    }
}
