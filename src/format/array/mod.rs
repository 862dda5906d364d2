//! What Zarr, N5 and precomputed share: an n-dimensional array in chunks, seen as x, y, z and channels.
//!
//! A format implements [`ChunkStore`]: where a chunk's bytes lie, and how they become elements. [`ArraySource`]
//! gives the dimensions their meaning and copies elements from the stored order straight into canonical voxels.

mod axes;
mod decode;
mod index_cache;
mod listing;
mod nd;
mod opened;
mod scratch;
mod source;
mod store;

pub use axes::{AxesError, AxisOrder, AxisRole, DeclaredAxes};
pub use index_cache::{ArrayIndexCache, GridEntry, Index, IndexEntries, Remembered};
pub use listing::{Names, list_all};
pub use nd::{MAX_RANK, NdVec};
pub use opened::{DefaultAxes, OpenedLevel};
pub use source::{ArraySource, ArrayView};
pub use store::{ArrayMeta, ChunkStore, DecodedLayout, ShardSpans, StoredChunk};

#[cfg(test)]
mod tests;
