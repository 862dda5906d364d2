//! Layer 2: what differs between two datasets, layers, mags or annotations, whatever their formats and chunks.
//!
//! [`compare_levels`] walks two levels in bounded pieces; [`compare_datasets`] pairs layers and mags first. Used by
//! `chunkscope diff` and the window. Nothing is kept of the voxels but counts, and lists with bounds, so that levels of
//! any extent are compared in the memory of some pieces. What is reported depends on the voxels alone: not on the
//! chunks of either side, nor on the number of threads.
//!
//! Voxels are compared as numbers ([`Number`](crate::voxel::Number)): 3 as `uint8` equals 3.0 as `float32`, 0 equals
//! -0, and what is no number equals what is none. What isn't stored is the fill value.

mod buckets;
mod datasets;
mod difference;
mod difference_source;
mod pairing;
mod pairs;
mod regions;
mod scan;
mod tally;
mod walk;

pub use datasets::{DatasetDifference, LayerDifference, LevelDifference, LevelOutcome, Verdict, compare_datasets};
pub use difference::{BucketDifference, DifferingRegion, DifferingVoxel, IdChange, IdPair, IdPairs, Side, Unreadable, VoxelDifference};
pub use difference_source::DifferenceSource;
pub use pairing::{Pairing, Selection, SelectionError};
pub use walk::compare_levels;

use std::sync::atomic::{AtomicBool, Ordering};

/// What is looked at beside the voxels, and bounds of the lists.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions {
    /// Whether values are ids: pairs of them are counted. Taken as no for floats and several channels.
    pub is_segmentation: bool,
    /// Most pairs of ids in the answer, and most ids with their changes.
    pub max_pairs: usize,
    /// Most regions in the answer.
    pub max_regions: usize,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { is_segmentation: false, max_pairs: 1000, max_regions: 4096 }
    }
}

/// Why there is no answer at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
    /// Voxels of different numbers of channels can't be compared.
    #[error("{} and {} channels can't be compared", .0[0], .0[1])]
    Channels([u32; 2]),
    /// A piece that doesn't fit the address space.
    #[error("voxels of {0} bytes are too large to be compared")]
    TooLarge(usize),
    /// Positions along further axes that a level doesn't have.
    #[error("no voxels at the positions {0:?} along further axes")]
    Positions(Vec<u64>),
}

/// How far a comparison is, and whether it goes on. Called from many threads.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Told the voxels done and those there are.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Set by the caller to stop.
    pub cancel: &'a AtomicBool,
}

impl Watch<'_> {
    fn check(&self) -> Result<(), CompareError> {
        if self.cancel.load(Ordering::Relaxed) { Err(CompareError::Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
