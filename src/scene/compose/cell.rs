//! [`Cell`]: a chunk as far as drawing cares; [`Face`]: copies of the shown slices of chunks.

use crate::geometry::{ChunkGrid, Shape3, SlicePlane};
use crate::loading::ChunkState;
use crate::voxel::{Strides, VoxelBuffer, VoxelType, copy_region};
use std::sync::Arc;

/// Largest face of a chunk, in voxels, that is copied out where the plane cuts across the chunk's rows.
const MAX_FACE_VOXELS: u64 = 1 << 16;

/// A chunk as far as drawing cares.
#[derive(Clone, Debug)]
pub(in crate::scene) enum Cell {
    Pending,
    Missing,
    Ready(Voxels),
    Failed,
}

/// Voxels of a decoded chunk, addressed by the offsets of its level's plan.
#[derive(Clone, Debug)]
pub(in crate::scene) enum Voxels {
    /// The whole chunk.
    Chunk(Arc<VoxelBuffer>),
    /// The shown slice of it, to the right fastest.
    Face(Vec<u8>),
}

impl Voxels {
    /// What offsets count from.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Chunk(buffer) => buffer.bytes(),
            Self::Face(bytes) => bytes,
        }
    }
}

impl Cell {
    /// A buffer that isn't what the layer and grid say counts as failed: it can't be drawn, and never as
    /// something else.
    pub fn of(state: ChunkState, voxel_type: VoxelType, grid: &ChunkGrid) -> Self {
        match state {
            ChunkState::Unknown | ChunkState::Pending => Self::Pending,
            ChunkState::Missing => Self::Missing,
            ChunkState::Failed(_) => Self::Failed,
            ChunkState::Ready(buffer) => {
                let fits = buffer.voxel_type() == voxel_type && buffer.shape() == grid.chunk_shape();
                if fits && u32::try_from(buffer.bytes().len()).is_ok() { Self::Ready(Voxels::Chunk(buffer)) } else { Self::Failed }
            }
        }
    }
}

/// Distances in a chunk; 0 where offsets don't fit 32 bits: such chunks are never decoded, see [`Cell::of`].
pub(in crate::scene) fn chunk_strides(grid: &ChunkGrid, bytes_per_voxel: usize) -> Strides {
    let len = grid.chunk_shape().byte_len(bytes_per_voxel);
    let fits = len.is_some_and(|len| u32::try_from(len).is_ok());
    if fits { Strides::canonical(grid.chunk_shape(), bytes_per_voxel) } else { Strides([0; 3]) }
}

/// How the shown slices of chunks are copied out before drawing, where the plane cuts across their rows: each
/// pixel of a row would lie in another memory page, while down the columns neighbours are close together.
pub(in crate::scene) struct Face {
    /// Distances in the copy.
    pub strides: [usize; 3],
    chunk_strides: [usize; 3],
    /// Axes down and to the right.
    axes: [usize; 2],
    /// Voxels along them.
    shape: [usize; 2],
    bytes_per_voxel: usize,
}

impl Face {
    /// `None` where rows of pixels follow rows of chunks, or faces are large.
    pub fn new(grid: &ChunkGrid, bytes_per_voxel: usize, plane: SlicePlane, chunk_strides: [usize; 3]) -> Option<Self> {
        let axes = [plane.down_axis(), plane.right_axis()];
        let across_rows = axes[1] != 0;
        let shape = Shape3::from(grid.chunk_shape().to_vec().with(plane.normal_axis(), 1).to_array());
        let is_small = shape.voxel_count().is_some_and(|count| count <= MAX_FACE_VOXELS) && chunk_strides[0] > 0;
        if !across_rows || !is_small {
            return None;
        }
        let shape = axes.map(|axis| shape.to_usize()[axis]);
        let mut strides = [0; 3];
        strides[axes[1]] = bytes_per_voxel;
        strides[axes[0]] = bytes_per_voxel * shape[1];
        Some(Self { strides, chunk_strides, axes, shape, bytes_per_voxel })
    }

    /// Replaces a chunk by its slice, which starts at this byte.
    pub fn cut(&self, cell: &mut Cell, slice_offset: usize) {
        let Cell::Ready(Voxels::Chunk(buffer)) = cell else { return };
        let [down, right] = self.axes;
        // `Cell::of` has checked that the buffer has the grid's shape.
        let Some(source) = buffer.bytes().get(slice_offset..) else { return };
        let mut face = vec![0; self.shape[0] * self.shape[1] * self.bytes_per_voxel];
        let from = Strides([self.chunk_strides[down], self.chunk_strides[right], 0]);
        let to = Strides([self.strides[down], self.strides[right], 0]);
        copy_region(source, from, &mut face, to, [self.shape[0], self.shape[1], 1], self.bytes_per_voxel);
        *cell = Cell::Ready(Voxels::Face(face));
    }
}
