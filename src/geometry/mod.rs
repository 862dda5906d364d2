//! Layer 0: positions, shapes, boxes and grids as plain values.
//!
//! Nothing here knows files, formats or the screen. Axis order is always x, y, z.

mod bounding_box;
mod chunk_grid;
mod mag;
mod morton;
mod plane;
mod shape;
mod vec3;
mod voxel_size;

pub use bounding_box::BoundingBox;
pub use chunk_grid::{ChunkGrid, ChunkIndex, ShardIndex};
pub use mag::{Mag, MagLabel, MagParseError};
pub use morton::{compressed_morton_bits, compressed_morton_decode, compressed_morton_encode, morton_decode, morton_encode};
pub use plane::SlicePlane;
pub use shape::Shape3;
pub use vec3::Vec3Int;
pub use voxel_size::{LengthUnit, VoxelSize};
