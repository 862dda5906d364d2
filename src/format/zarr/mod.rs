//! Zarr, versions 2 and 3, and OME-NGFF on top of it.

mod choices;
mod codecs;
mod data_type;
mod group;
mod keys;
mod metadata;
mod ome;
mod open;
mod pipeline;
mod shard_index;
mod store;
mod v2;
mod v3;

pub use choices::choices;
pub use group::{GROUP_FILE, Group, Node, node};
pub use ome::OmeReader;
pub use open::{ATTRIBUTES_FILE, open_level};
pub use v2::ARRAY_FILE;
pub use v3::{NODE_FILE, array_fields};
