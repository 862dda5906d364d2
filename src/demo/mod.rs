//! Voxels of the demo dataset: a made-up block of brain tissue, as an electron microscope shows it. This module computes values; the
//! caller writes them to disk, chooses chunk shapes, and makes the coarser mags.
//!
//! Everything follows from fixed seeds, with integer hashes and only those float operations that IEEE 754 defines to the last bit.
//! So all machines get the same bytes, and tests may compare them.
//!
//! From the inside out: `neurites` (cells as tubes along curves), `space` (blocks of voxels, and the warp that makes outlines
//! irregular), `nearest` (which cell a voxel is in, and how deep), `organelles`, `shading` (grey values), `edge` (where the sample
//! ends), `volume` (all of it, in slabs), `derived` (the other layers). `bins` and `noise` are tools.

mod bins;
mod dataset;
mod derived;
mod edge;
mod nearest;
mod neurites;
mod noise;
mod organelles;
mod shading;
mod space;
mod volume;

pub use dataset::{DemoError, cache_folder, ensure_demo, ensure_demo_in};
pub use derived::{LayerBox, cell_id, cell_id64, em_uint16, fluorescence, potential};
pub use edge::EMPTY_CORNER;
pub use volume::DemoVolume;
