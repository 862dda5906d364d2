//! Layer 0: what a voxel is, decoded chunks, and copying boxes between arrays.
//!
//! Inside the program arrays always have the canonical layout: little-endian, channel fastest, then
//! x, then y, z slowest. Formats translate at the door.

mod buffer;
mod copy_axes;
mod element_class;
mod number;
mod region;

pub use buffer::VoxelBuffer;
pub use copy_axes::{CopyAxis, MAX_COPY_AXES, copy_axes};
pub use element_class::{ElementClass, VoxelType};
pub use number::Number;
pub use region::{Strides, copy_box, copy_region, fill_box, is_zero};
