//! [`VoxelDifference`]: what differs between two levels.

use crate::format::ChunkError;
use crate::geometry::{BoundingBox, Vec3Int};
use std::fmt;

/// One of the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    /// Both, in their order.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// What differs between the voxels of two levels. Positions and boxes are in voxels of the mag.
#[derive(Clone, Debug, Default)]
pub struct VoxelDifference {
    /// Voxels that were compared; saturated.
    pub compared: u64,
    /// Voxels whose values differ in at least one channel; saturated.
    pub differing: u64,
    /// Of segmentations: voxels that are background in A and not in B.
    pub gained: u64,
    /// Of segmentations: voxels that are background in B and not in A.
    pub lost: u64,
    /// Largest distance between two values; 0 where none differ, and where what differs is no number.
    pub largest_step: f64,
    /// The first differing voxel in the order of further axes, z, y, x.
    pub first: Option<DifferingVoxel>,
    /// The smallest box around all that differ; empty if none do.
    pub bounding_box: BoundingBox,
    /// Of segmentations: which ids became which. `None` where values aren't taken as ids.
    pub pairs: Option<IdPairs>,
    /// Where the differences lie, in the order z, y, x.
    pub regions: Vec<DifferingRegion>,
    /// Voxels that could not be compared, since a chunk of one side can't be read.
    pub unread: u64,
    /// The first of these chunks, one entry each.
    pub unreadable: Vec<Unreadable>,
}

impl VoxelDifference {
    /// Whether all voxels could be compared and none differ.
    pub fn is_equal(&self) -> bool {
        self.differing == 0 && self.unread == 0
    }
}

/// Which buckets two mags of annotations have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BucketDifference {
    /// Buckets that both have.
    pub in_both: u64,
    /// Buckets that only one side has. A bucket of zeros that is there hides the fallback layer.
    pub only_in: [u64; 2],
    /// Buckets that both have, with other voxels.
    pub differing: u64,
}

impl BucketDifference {
    /// Whether both have the same buckets with the same voxels.
    pub fn is_equal(&self) -> bool {
        self.only_in == [0, 0] && self.differing == 0
    }
}

/// A voxel and its two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferingVoxel {
    /// Positions along the axes beyond x, y, z, as [`LayerDifference::axes`](super::LayerDifference::axes) names them.
    pub axes: Vec<u64>,
    /// Voxel of the mag.
    pub position: Vec3Int,
    /// Bytes of A and of B, each in its own type.
    pub values: [Box<[u8]>; 2],
}

/// A part of the volume in which voxels differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferingRegion {
    /// A cube of a grid from 0, 0, 0 on, as far as it was compared.
    pub extent: BoundingBox,
    /// How many of its voxels differ.
    pub voxels: u64,
    /// The first of them in the order z, y, x.
    pub first: Vec3Int,
}

/// Which ids became which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdPairs {
    /// The most frequent first, then by ids.
    pub list: Vec<IdPair>,
    /// Voxels of pairs that are not in the list.
    pub rest_voxels: u64,
    /// Pairs that are not in the list; `None` where there are more than could be counted. Then the list holds the most
    /// frequent of a sample of the pairs, each with its exact count.
    pub rest_pairs: Option<u64>,
    /// What became of each id, the most changed first; of pairs that were counted.
    pub changes: Vec<IdChange>,
    /// Ids whose changes are not in the list.
    pub rest_changes: u64,
}

/// Voxels of an id in A that have another one in B. Ids are exact; those of signed classes keep their sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdPair {
    /// Id in A.
    pub from: i128,
    /// Id in B.
    pub to: i128,
    /// How many voxels.
    pub voxels: u64,
}

/// What became of one id from A to B, in voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdChange {
    /// The id, never 0.
    pub id: i128,
    /// Background before, this id now.
    pub gained: u64,
    /// This id before, background now.
    pub lost: u64,
    /// This id before, another one now.
    pub changed: u64,
    /// Another id before, this one now.
    pub taken: u64,
}

impl IdChange {
    /// All voxels that this id gained or lost.
    pub const fn total(&self) -> u64 {
        self.gained.saturating_add(self.lost).saturating_add(self.changed).saturating_add(self.taken)
    }
}

/// A chunk that could not be compared.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Whose chunk it is.
    pub side: Side,
    /// What is wrong with it.
    pub error: ChunkError,
}
