//! Layer 1: what the bytes of each format mean.
//!
//! `detect` finds out what a path is, the `open` modules make a [`Dataset`] of it. [`wkw`] is a [`ChunkSource`] of its
//! own. `zarr`, `n5` and `precomputed` each know where the chunks of an n-dimensional array lie and how they decode;
//! `array` gives their dimensions a meaning and makes the [`ChunkSource`]. Levels that metadata describe by their scale
//! pass through `image` and become mags in `layers`. A further format is a folder beside these, a line in `detect` and
//! cases in `tests/corpus`.

pub mod annotation;
mod array;
mod chunk_source;
mod dataset;
mod declared;
mod detect;
mod header_report;
mod image;
mod json;
mod layers;
mod n5;
pub mod nml;
mod open;
mod open_declared;
mod open_folders;
mod open_images;
mod open_level;
mod precomputed;
mod properties;
mod read_box;
mod shard_layout;
pub mod wkw;
mod zarr;

pub use chunk_source::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkPiece, ChunkSource, EncodedChunk, MAX_CHUNK_BYTES, MAX_RUN_BYTES,
    adjacent_runs, decode, read_encoded,
};
pub use dataset::{
    ChannelConfiguration, DataFormat, Dataset, ExtraAxis, Focus, Layer, LayerCategory, LayerConfiguration, LevelError, MagLevel,
    SegmentColor, ViewConfiguration,
};
use detect::parent_of;
pub use header_report::{HeaderField, HeaderReport, HeaderSection};
pub use open::{Choice, OpenError, open};
pub use properties::PROPERTIES_FILE;
pub use read_box::{BoxCoverage, read_box, read_box_alone};
pub use shard_layout::{ChunkSpan, ShardLayout, SpanState};
