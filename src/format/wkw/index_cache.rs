//! [`ShardIndexCache`]: what is kept of the shards that were read.

use super::header::WkwHeader;
use super::jump_table::JumpTablePage;
use crate::format::ChunkFault;
use crate::geometry::ShardIndex;
use crate::storage::StorageKey;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Memory for parsed shard headers and jump tables of all levels together.
const INDEX_CACHE_BYTES: u64 = 64 << 20;

/// What is kept of a shard after its first use.
#[derive(Clone, Debug)]
pub(super) enum ShardIndexEntry {
    /// No file.
    Absent,
    /// There is one.
    Head(Arc<ShardHead>),
    /// A further page of a large jump table.
    Page(Arc<JumpTablePage>),
    /// The file can't be used.
    Faulty(Arc<ChunkFault>),
}

/// Level, shard, page of its jump table.
pub(super) type IndexKey = (u64, ShardIndex, u64);

#[derive(Clone, Debug)]
pub(super) struct ByBytes;

impl Weighter<IndexKey, ShardIndexEntry> for ByBytes {
    fn weight(&self, _: &IndexKey, entry: &ShardIndexEntry) -> u64 {
        let page_len = match entry {
            ShardIndexEntry::Head(head) => head.first_page.as_ref().map_or(0, |page| page.byte_len()),
            ShardIndexEntry::Page(page) => page.byte_len(),
            ShardIndexEntry::Absent | ShardIndexEntry::Faulty(_) => 0,
        };
        page_len as u64 + 128
    }
}

/// Parsed shard headers and jump tables, bounded by bytes, each read once however many threads ask.
pub struct ShardIndexCache {
    pub(super) entries: Cache<IndexKey, ShardIndexEntry, ByBytes>,
    pub(super) levels: AtomicU64,
}

impl Default for ShardIndexCache {
    fn default() -> Self {
        Self { entries: Cache::with_weighter(1024, INDEX_CACHE_BYTES, ByBytes), levels: AtomicU64::new(0) }
    }
}

/// Name, header and length of a shard's file; with the first page of the jump table if it has one.
#[derive(Debug)]
pub(super) struct ShardHead {
    pub(super) key: StorageKey,
    pub(super) header: WkwHeader,
    pub(super) file_len: u64,
    pub(super) first_page: Option<Arc<JumpTablePage>>,
}
