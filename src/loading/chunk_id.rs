//! [`ChunkId`] and [`ChunkState`]: which chunk of which opened level, and how far it has got.

use crate::format::ChunkError;
use crate::geometry::ChunkIndex;
use crate::voxel::VoxelBuffer;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An opened level. Numbers are never reused in a process, so results of a closed dataset fit nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u64);

impl SourceId {
    /// A number that no other level has had.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A chunk of an opened level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkId {
    /// The level.
    pub source: SourceId,
    /// The chunk in that level's grid.
    pub chunk: ChunkIndex,
}

/// How far a chunk has got.
#[derive(Clone, Debug)]
pub enum ChunkState {
    /// Nobody asked for it, or it was evicted.
    Unknown,
    /// Queued, being read or being decoded.
    Pending,
    /// Decoded.
    Ready(Arc<VoxelBuffer>),
    /// Not stored: all fill value.
    Missing,
    /// Can't be shown. Stays so until it is retried.
    Failed(Arc<ChunkError>),
}

/// Where composing looks chunks up: the loader's cache, or chunks read beforehand.
pub trait ChunkLookup: Sync {
    /// State of a chunk now. Never waits.
    fn chunk(&self, id: ChunkId) -> ChunkState;
}
