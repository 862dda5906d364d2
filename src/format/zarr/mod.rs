//! Zarr, versions 2 and 3.

mod codecs;
mod data_type;
mod keys;
mod metadata;
mod open;
mod pipeline;
mod shard_index;
mod store;
mod v2;
mod v3;
