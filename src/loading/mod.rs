//! Layer 2: getting chunks off the disk in the background.

mod chunk_id;
mod priority;

pub use chunk_id::{ChunkId, ChunkLookup, ChunkState, SourceId};
pub use priority::{ChunkPriority, PriorityTier};
