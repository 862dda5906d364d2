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
        }
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
}
