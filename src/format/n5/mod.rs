//! N5: arrays in blocks of one file each, with metadata in `attributes.json`.
//!
//! Specification: <https://github.com/saalfeldlab/n5#file-system-specification>. All its element types, block modes
//! that hold voxels and compressions are read, `lz4` in the framing of lz4-java. Multiscale images are conventions on
//! top of it, see [`group`]. Not supported: object blocks (mode 2), and compressions that N5 itself doesn't name, such
//! as `jpeg`; an array with one of these can be opened, and its voxels can't be read.

mod attributes;
mod block;
mod compression;
mod find;
mod group;
mod multiscale;
mod open_array;
mod placement;
mod report;
mod store;
mod units;

#[cfg(test)]
mod tests;

pub(in crate::format) use attributes::ATTRIBUTES_FILE;
pub(in crate::format) use find::{has_unlisted_arrays, open_array_in_context, open_images};
pub(in crate::format) use open_array::open_level;
