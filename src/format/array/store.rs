//! [`ChunkStore`]: what Zarr, N5 and precomputed each know of their arrays. All is n-dimensional here; axes get
//! their meaning in [`super::source`].

use super::nd::NdVec;
use crate::format::{ChunkFault, HeaderSection, SpanState};
use crate::problem::Problem;
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use crate::voxel::ElementClass;
use std::sync::Arc;

/// Shape and division of an array, and what its elements are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayMeta {
    /// Extent of the array.
    pub shape: NdVec,
    /// Extent of the chunks that can be read one by one.
    pub chunk_shape: NdVec,
    /// Chunks of one shard along each dimension; all 1 where nothing is sharded into boxes.
    pub chunks_per_shard: NdVec,
    /// Type of an element.
    pub class: ElementClass,
    /// Element where nothing is stored, little-endian.
    pub fill: Vec<u8>,
}

/// Where a chunk's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// The file.
    pub key: StorageKey,
    /// The bytes in it.
    pub range: ByteRange,
}

/// How the elements of a decoded chunk lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodedLayout {
    /// Elements along each dimension: as many as the chunk's shape, or fewer at the end of the array.
    pub extent: NdVec,
    /// Distance in bytes between neighbours along each dimension.
    pub strides: NdVec,
    /// Whether elements are big-endian.
    pub is_big_endian: bool,
    /// Bytes of the whole chunk.
    pub byte_len: usize,
}

impl DecodedLayout {
    /// A dense chunk whose dimensions are nested as `order` says, slowest first.
    ///
    /// `None` if its length doesn't fit `limit`.
    pub fn dense(extent: NdVec, order: &[usize], element_len: usize, is_big_endian: bool, limit: usize) -> Option<Self> {
        let mut strides = NdVec::zeros(extent.len());
        let mut step = element_len as u64;
        for dimension in order.iter().rev() {
            strides[*dimension] = step;
            step = step.checked_mul(extent[*dimension])?;
        }
        let byte_len = usize::try_from(step).ok().filter(|len| *len <= limit)?;
        Some(Self { extent, strides, is_big_endian, byte_len })
    }
}

/// Bytes of a shard: its index and each chunk's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardSpans {
    /// The file.
    pub key: StorageKey,
    /// Its length.
    pub file_len: u64,
    /// Bytes of its index.
    pub index_len: u64,
    /// Chunks in the order of the index.
    pub spans: Vec<(NdVec, SpanState)>,
    /// Chunks that are not listed.
    pub left_out: u64,
}

/// One stored array. Chunks and shards are named by their position in the array's grids.
pub trait ChunkStore: Send + Sync {
    /// What the metadata say.
    fn meta(&self) -> &ArrayMeta;

    /// Where the files are.
    fn storage(&self) -> &Arc<dyn Storage>;

    /// How chunks are encoded, for people; `None` where the stored bytes are the elements themselves, without a
    /// header and in a layout that doesn't depend on the bytes.
    fn codec_name(&self) -> Option<&'static str>;

    /// Where a chunk is stored; `None` if it isn't. A chunk of no bytes is one of fill value.
    ///
    /// # Errors
    /// If its shard can't be read, or what its index says of the chunk can't be true.
    fn locate(&self, chunk: &NdVec) -> Result<Option<StoredChunk>, ChunkFault>;

    /// All shards that may be stored and that `wanted` accepts for each dimension; `None` where more than `limit`
    /// entries would have to be looked at, or listings don't tell.
    ///
    /// # Errors
    /// If a folder can't be listed.
    fn all_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Option<Vec<NdVec>>, StorageError> {
        let _ = (limit, wanted);
        Ok(None)
    }

    /// Whether a shard is known to be absent, as [`crate::format::ChunkSource::is_absent`].
    fn is_absent(&self, shard: &NdVec) -> bool;

    /// How the elements of a chunk lie once it is decoded. Some formats say so in the chunk.
    ///
    /// # Errors
    /// If the chunk's own header is damaged.
    fn layout(&self, chunk: &NdVec, stored: &[u8]) -> Result<DecodedLayout, ChunkFault>;

    /// Decodes a chunk; `out` has the length of its layout. Tells whether a checksum failed to match although
    /// all elements are there.
    ///
    /// # Errors
    /// If the bytes don't decode to the chunk.
    fn decode(&self, chunk: &NdVec, stored: &[u8], layout: &DecodedLayout, out: &mut [u8]) -> Result<bool, ChunkFault>;

    /// The file that holds a shard, or would hold it.
    fn shard_key(&self, shard: &NdVec) -> StorageKey;

    /// Bytes that a shard takes in its file, `None` if it is absent. Reads no chunks.
    ///
    /// # Errors
    /// If the file exists and can't be examined.
    fn shard_len(&self, shard: &NdVec) -> Result<Option<u64>, StorageError> {
        self.storage().len(&self.shard_key(shard))
    }

    /// Where each chunk of a shard lies; `None` if the shard is absent.
    ///
    /// # Errors
    /// If the shard's index can't be read.
    fn shard_spans(&self, shard: &NdVec) -> Result<Option<ShardSpans>, ChunkFault>;

    /// Some stored shards whose position `wanted` accepts for each dimension, at most `limit`, found with few listings.
    ///
    /// # Errors
    /// If a folder can't be listed.
    fn find_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Vec<NdVec>, StorageError>;

    /// Fields of the metadata files with their meaning.
    fn report(&self) -> Vec<HeaderSection>;

    /// Forgets what was remembered of shards.
    fn forget(&self);

    /// Findings since the last call.
    fn take_warnings(&self) -> Vec<Problem>;
}
