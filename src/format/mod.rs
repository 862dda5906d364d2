//! Layer 1: what the bytes of each format mean.

mod chunk_source;
mod dataset;
mod header_report;
mod shard_layout;

pub use chunk_source::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, EncodedChunk, MAX_CHUNK_BYTES, MAX_RUN_BYTES, adjacent_runs, decode, read_encoded,
};
pub use dataset::{
    DataFormat, Dataset, ExtraAxis, Focus, Layer, LayerCategory, LayerConfiguration, LevelError, MagLevel, ViewConfiguration,
};
pub use header_report::{HeaderField, HeaderReport, HeaderSection};
pub use shard_layout::{ChunkSpan, ShardLayout, SpanState};
