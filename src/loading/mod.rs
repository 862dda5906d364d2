//! Layer 2: getting chunks off the disk in the background.
//!
//! Callers hand a set of wanted chunks to [`ChunkLoader::want`] whenever the view changes, look chunks up with
//! [`ChunkLookup`], and take events once a frame with [`ChunkLoader::drain`]. What a chunk goes through:
//! `queue.rs` ranks, `pool.rs` runs, `job.rs` reads and decodes, `cache.rs` keeps, `event.rs` tells, `meter.rs`
//! measures. What is visible and how it becomes pixels is left to `scene`.

mod cache;
mod chunk_id;
mod chunk_map;
mod event;
mod job;
mod loader;
mod meter;
mod pool;
mod priority;
mod queue;
mod room;
#[cfg(test)]
mod test_source;
#[cfg(test)]
mod tests;

pub use cache::ChunkCache;
pub use chunk_id::{ChunkId, ChunkLookup, ChunkState, SourceId};
pub use event::{EVENT_CAPACITY, LoaderEvent, UiWaker};
pub use loader::{ChunkLoader, DEFAULT_MAX_BYTES, LoaderConfig, memory_bytes};
pub use meter::{HISTORY_BUCKETS, LoadSample, MeterBucket, MeterSnapshot, MeterTotals, Percentiles, ThroughputMeter};
pub use pool::{PoolError, WorkPool};
pub use priority::{ChunkPriority, PriorityTier};
pub use queue::{LoadQueue, PendingCounts, WantedChunk};
