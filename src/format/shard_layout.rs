//! [`ShardLayout`]: where the chunks of one shard lie on disk.

use crate::geometry::{ChunkIndex, ShardIndex};
use crate::storage::ByteRange;

/// Where one chunk of a shard lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSpan {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// Its number in the shard's own order.
    pub order: u64,
    /// What the index says of it.
    pub state: SpanState,
}

/// What a shard's index says of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanState {
    /// Stored in these bytes.
    Present(ByteRange),
    /// Takes no bytes: all fill value.
    Empty,
    /// The index entry can't be true.
    Corrupt,
}

/// The inside of one shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardLayout {
    /// The shard.
    pub shard: ShardIndex,
    /// Its file.
    pub location: String,
    /// Length of the file in bytes.
    pub file_len: u64,
    /// How its chunks are encoded, for people.
    pub encoding: &'static str,
    /// Bytes of header and index.
    pub index_len: u64,
    /// Bytes of one decoded chunk.
    pub decoded_chunk_len: u64,
    /// Chunks in the shard's order; at most [`ShardLayout::MAX_SPANS`].
    pub spans: Vec<ChunkSpan>,
    /// Chunks beyond [`ShardLayout::MAX_SPANS`] that are not listed.
    pub spans_left_out: u64,
    /// Bytes of what the listed chunks leave out: channels that are stored apart, other positions along further axes.
    pub elsewhere_bytes: u64,
}

impl ShardLayout {
    /// More chunks of a shard than this are not listed: 64 per side.
    pub const MAX_SPANS: usize = 1 << 18;

    /// Bytes of all listed chunks.
    pub fn stored_bytes(&self) -> u64 {
        self.spans.iter().filter_map(|s| s.state.range()).map(|r| r.len).fold(0, u64::saturating_add)
    }

    /// Number of chunks with bytes.
    pub fn present(&self) -> usize {
        self.spans.iter().filter(|s| s.state.range().is_some()).count()
    }

    /// Number of chunks whose index entry can't be true.
    pub fn corrupt(&self) -> usize {
        self.spans.iter().filter(|s| s.state == SpanState::Corrupt).count()
    }

    /// Decoded by stored bytes; `None` where nothing is stored.
    pub fn ratio(&self) -> Option<f64> {
        let stored = self.stored_bytes();
        let decoded = self.decoded_chunk_len as f64 * self.present() as f64;
        (stored > 0).then(|| decoded / stored as f64)
    }

    /// Bytes of the file that belong neither to header and index nor to a chunk.
    pub fn gap_bytes(&self) -> u64 {
        if self.spans_left_out > 0 {
            return 0;
        }
        self.file_len.saturating_sub(self.index_len).saturating_sub(self.stored_bytes()).saturating_sub(self.elsewhere_bytes)
    }
}

impl SpanState {
    /// The chunk's bytes, where it has any.
    pub const fn range(self) -> Option<ByteRange> {
        match self {
            Self::Present(range) => Some(range),
            Self::Empty | Self::Corrupt => None,
        }
    }
}
