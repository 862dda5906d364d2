//! WKW (webknossos-wrap): one folder per mag with `header.wkw` and shards `z{Z}/y{Y}/x{X}.wkw`.
//!
//! Specification: <https://github.com/scalableminds/webknossos-wrap> and the behaviour of its readers.
//! Everything the header can express is read: all ten voxel types, any channel count, RAW, LZ4 and
//! LZ4HC, shards of one mag that differ in compression. Each shard is decoded by its own header.

mod header;
mod index_cache;
mod jump_table;
mod recover;
mod single_chunk;
mod source;
mod writer;

pub use header::{BlockType, HEADER_FILE, HEADER_LEN, WkwHeader, WkwHeaderError};
pub use index_cache::ShardIndexCache;
pub use jump_table::{JumpTablePage, PAGE_ENTRIES};
pub use recover::{find_shards, recover_header};
pub use single_chunk::decode_single_chunk;
pub use source::{WkwSource, shard_from_key, shard_key};
pub use writer::{WkwWriteError, WkwWriter};
