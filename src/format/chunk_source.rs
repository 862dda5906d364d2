//! [`ChunkSource`]: the one interface through which every format is read.
//!
//! Reading a chunk has three steps that can be timed, cancelled and inspected one by one:
//! [`ChunkSource::locate`] (which bytes of which file), [`ChunkSource::read_encoded`] (those bytes) and
//! [`ChunkSource::decode_into`] (voxels in canonical layout).

use super::{HeaderReport, ShardLayout};
use crate::codec::DecodeError;
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, ShardIndex};
use crate::problem::Problem;
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::{VoxelBuffer, VoxelType};
use std::ops::Range;
use std::sync::Arc;

/// Largest decoded chunk that is read, in bytes. A header can claim more than any machine holds.
pub const MAX_CHUNK_BYTES: usize = 1 << 30;

/// Where a stored chunk lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkLocation {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// The shard that holds it.
    pub shard: ShardIndex,
    /// The file of the shard.
    pub key: StorageKey,
    /// Its bytes in that file; of length 0 for a chunk of fill value that takes no bytes.
    pub range: ByteRange,
    /// Further pieces, for chunks whose channels are stored apart. Their bytes follow those of the first.
    pub more: Vec<ChunkPiece>,
    /// Number of the chunk in the shard's own order (Morton number for WKW).
    pub order: u64,
    /// How the bytes are encoded.
    pub encoding: ChunkEncoding,
}

impl ChunkLocation {
    /// Stored bytes of all pieces.
    pub fn stored_len(&self) -> u64 {
        self.more.iter().fold(self.range.len, |sum, piece| sum.saturating_add(piece.range.len))
    }
}

/// A piece of a chunk that is stored apart from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkPiece {
    /// Its file.
    pub key: StorageKey,
    /// Its bytes in that file; of length 0 for a piece of fill value.
    pub range: ByteRange,
}

/// How a chunk's bytes become voxels, as far as callers can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkEncoding {
    /// The bytes are the voxels in canonical layout: they can be read straight into place.
    Canonical,
    /// The bytes must be decoded; the name is the codec's, for people.
    Coded(&'static str),
}

impl ChunkEncoding {
    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "RAW",
            Self::Coded(name) => name,
        }
    }
}

/// Bytes of one chunk as stored, possibly a part of a longer read that several chunks share.
#[derive(Clone, Debug)]
pub struct EncodedChunk {
    /// Where they come from.
    pub location: ChunkLocation,
    shared: Arc<Vec<u8>>,
    span: Range<usize>,
}

impl EncodedChunk {
    /// The `span` of a read. `None` if the span isn't inside it.
    pub fn new(location: ChunkLocation, shared: Arc<Vec<u8>>, span: Range<usize>) -> Option<Self> {
        shared.get(span.clone())?;
        Some(Self { location, shared, span })
    }

    /// The stored bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.shared[self.span.clone()] // inside: `new` checked
    }

    /// The stored bytes as a buffer of their own, without a copy where nothing else shares them.
    fn into_bytes(self) -> Vec<u8> {
        if self.span == (0..self.shared.len()) {
            Arc::try_unwrap(self.shared).unwrap_or_else(|shared| shared.to_vec())
        } else {
            self.bytes().to_vec()
        }
    }
}

/// Why one chunk can't be shown. Cheap to clone: caches and lists keep it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("chunk {chunk} of shard {shard}{}: {fault}: {location}", range_text(.range))]
pub struct ChunkError {
    /// The chunk.
    pub chunk: ChunkIndex,
    /// Its shard.
    pub shard: ShardIndex,
    /// Its bytes in the shard, where they are known.
    pub range: Option<ByteRange>,
    /// What is wrong.
    pub fault: ChunkFault,
    /// The file.
    pub location: String,
}

fn range_text(range: &Option<ByteRange>) -> String {
    range.map(|r| format!(" at byte {}", r.start)).unwrap_or_default()
}

/// What can be wrong with a chunk.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChunkFault {
    /// The file can't be read.
    #[error("{}", .0.reason())]
    Storage(Arc<StorageError>),
    /// The shard's own header is unusable or contradicts the array's.
    #[error("shard header: {0}")]
    ShardHeader(String),
    /// The shard's index (jump table) is damaged where this chunk's entry stands.
    #[error("corrupt {index}: {reason}")]
    Index {
        /// What the format calls it: `jump table`, `shard index`.
        index: &'static str,
        /// What can't be true.
        reason: String,
    },
    /// The shard ends before the chunk does.
    #[error("the shard is truncated: it ends at byte {file_len}, the chunk beyond it at {end}")]
    Truncated {
        /// Length of the file in bytes.
        file_len: u64,
        /// Where the chunk would end.
        end: u64,
    },
    /// The stored bytes don't decode.
    #[error("{0}")]
    Decode(#[from] DecodeError),
    /// The chunk is larger than can be read.
    #[error("a chunk of {bytes} bytes is more than the {MAX_CHUNK_BYTES} that can be held")]
    TooLarge {
        /// Decoded length, saturated.
        bytes: u64,
    },
    /// A codec or encoding that isn't supported, by its name.
    #[error("{0}")]
    Unsupported(String),
    /// More bytes are stored than a chunk can be encoded to.
    #[error("{stored} bytes are stored, at most {most} are possible")]
    Oversized {
        /// Stored bytes.
        stored: u64,
        /// What a chunk of this shape can take at most.
        most: u64,
    },
    /// A job failed in a way that is our fault.
    #[error("internal error: {0}")]
    Internal(String),
}

/// One level of one layer, readable chunk by chunk. All methods may be called from many threads.
pub trait ChunkSource: Send + Sync {
    /// Division into shards and chunks, in voxels of this level.
    fn grid(&self) -> &ChunkGrid;

    /// Type of each voxel.
    fn voxel_type(&self) -> VoxelType;

    /// Bytes of one voxel where nothing is stored.
    fn fill_voxel(&self) -> &[u8];

    /// Where a chunk is stored; `None` if it isn't. May read the shard's index, once.
    ///
    /// # Errors
    /// If the shard can't be read, or what it says of this chunk can't be true.
    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError>;

    /// Whether a shard is known to hold nothing, so that its chunks needn't be located one by one. May read
    /// the shard's index, once. Errors are left to [`Self::locate`].
    fn is_absent(&self, shard: ShardIndex) -> bool;

    /// Reads located bytes into `out`, which may be a part of the range from `skip` bytes on. The bytes of
    /// further pieces follow those of the first.
    ///
    /// # Errors
    /// If the file can't be read, or ends early.
    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError>;

    /// Decodes a chunk into canonical voxels; `out` has exactly the chunk's length.
    ///
    /// # Errors
    /// If the bytes don't decode to a chunk.
    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError>;

    /// Every header field with its raw bytes and meaning.
    fn header_report(&self) -> HeaderReport;

    /// Length in bytes of a shard's file, `None` if it is absent. Doesn't read it.
    ///
    /// # Errors
    /// If the file exists and can't be examined.
    fn shard_len(&self, shard: ShardIndex) -> Result<Option<u64>, StorageError>;

    /// Where each chunk of a shard lies; `None` if the shard is absent.
    ///
    /// # Errors
    /// If the shard's header or index can't be read.
    fn shard_layout(&self, shard: ShardIndex) -> Result<Option<ShardLayout>, ChunkError>;

    /// Where a shard's file lies, for messages and for people.
    fn shard_location(&self, shard: ShardIndex) -> String;

    /// Extent of the array by its own metadata; `None` where these don't say, as with WKW.
    fn declared_extent(&self) -> Option<BoundingBox> {
        None
    }

    /// Some stored shards, at most `limit`, found with as few listings as possible. For finding data
    /// to show first.
    ///
    /// # Errors
    /// If a folder can't be listed.
    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError>;

    /// All shards that may hold something: one that isn't among them holds nothing. `None` where there are more than
    /// `limit`, or where that can't be known from listings.
    ///
    /// # Errors
    /// If a folder can't be listed.
    fn stored_shards(&self, limit: usize) -> Result<Option<Vec<ShardIndex>>, StorageError> {
        let _ = limit;
        Ok(None)
    }

    /// The same level at other positions along the axes beyond x, y, z and channel, one for each of the layer's
    /// [`axes`](super::Layer::axes); a source that was just opened is at 0 of all. What is remembered of shards is
    /// shared. `None` if a position is outside, or there is another number of axes.
    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        let _ = positions;
        None
    }

    /// Forgets what was remembered of shards, so that files that were repaired are read anew. Doesn't read.
    fn forget_indices(&self) {}

    /// Findings made while reading that took nothing away, since the last call.
    fn take_warnings(&self) -> Vec<Problem>;

    /// Decoded length of a chunk in bytes.
    ///
    /// # Errors
    /// If it is more than [`MAX_CHUNK_BYTES`].
    fn chunk_byte_len(&self) -> Result<usize, ChunkFault> {
        let shape = self.grid().chunk_shape();
        let len = shape.byte_len(self.voxel_type().byte_len());
        len.filter(|len| *len <= MAX_CHUNK_BYTES).ok_or_else(|| ChunkFault::TooLarge {
            bytes: shape.voxel_count().unwrap_or(u64::MAX).saturating_mul(self.voxel_type().byte_len() as u64),
        })
    }

    /// An error about a chunk of this source.
    fn chunk_error(&self, chunk: ChunkIndex, range: Option<ByteRange>, fault: ChunkFault) -> ChunkError {
        let shard = self.grid().shard_from_chunk(chunk);
        ChunkError { chunk, shard, range, fault, location: self.shard_location(shard) }
    }
}

/// Largest single read for several chunks together, in bytes: enough to make a disk's latency small
/// beside its transfer, little enough to cancel between two of them.
pub const MAX_RUN_BYTES: u64 = 4 << 20;

/// Groups located chunks into runs of adjacent bytes of one file, in the order of their bytes.
pub fn adjacent_runs(mut locations: Vec<ChunkLocation>) -> Vec<Vec<ChunkLocation>> {
    // By file rather than shard: some formats keep many of their shards, as grids see them, in one file.
    locations.sort_by(|a, b| a.key.cmp(&b.key).then((a.range.start, a.range.len).cmp(&(b.range.start, b.range.len))));
    let mut runs: Vec<Vec<ChunkLocation>> = Vec::new();
    for location in locations {
        if let Some(run) = runs.last_mut()
            && let (Some(first), Some(last)) = (run.first(), run.last())
            && last.key == location.key
            && last.range.end() == location.range.start
            && last.more.is_empty()
            && location.more.is_empty()
            && location.range.end() - first.range.start <= MAX_RUN_BYTES
        {
            run.push(location);
        } else {
            runs.push(vec![location]);
        }
    }
    runs
}

/// Reads the chunks of one run (see [`adjacent_runs`]) with a single read.
///
/// # Errors
/// If the read fails, for the first chunk; callers fall back to chunks one by one to know which.
pub fn read_encoded(source: &dyn ChunkSource, run: &[ChunkLocation]) -> Result<Vec<EncodedChunk>, ChunkError> {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(Vec::new()) };
    let start = first.range.start;
    let too_large = |bytes| source.chunk_error(first.chunk, Some(first.range), ChunkFault::TooLarge { bytes });
    let total = match run {
        [only] => only.stored_len(),
        _ => last.range.end().saturating_sub(start),
    };
    // A stored chunk is never much larger than a decoded one.
    let len = usize::try_from(total).ok().filter(|len| *len <= MAX_CHUNK_BYTES + MAX_CHUNK_BYTES / 64).ok_or_else(|| too_large(total))?;
    let mut bytes = vec![0; len];
    if let [only] = run {
        source.read_bytes(only, 0, &mut bytes)?;
        return Ok(vec![EncodedChunk { location: only.clone(), shared: Arc::new(bytes), span: 0..len }]);
    }
    source.read_bytes(&ChunkLocation { range: ByteRange { start, len: total }, ..first.clone() }, 0, &mut bytes)?;
    let shared = Arc::new(bytes);
    let chunks = run.iter().map(|location| {
        let from = usize::try_from(location.range.start - start).unwrap_or(usize::MAX);
        let to = usize::try_from(location.range.end() - start).unwrap_or(usize::MAX);
        EncodedChunk::new(location.clone(), shared.clone(), from..to)
            .ok_or_else(|| source.chunk_error(location.chunk, Some(location.range), ChunkFault::Internal("run out of order".to_owned())))
    });
    chunks.collect()
}

/// Decodes a read chunk. Canonical bytes become the buffer without a copy where nothing shares them.
///
/// # Errors
/// If the bytes don't decode to a chunk.
pub fn decode(source: &dyn ChunkSource, chunk: EncodedChunk) -> Result<VoxelBuffer, ChunkError> {
    let (index, range) = (chunk.location.chunk, chunk.location.range);
    let fail = |fault| source.chunk_error(index, Some(range), fault);
    let len = source.chunk_byte_len().map_err(fail)?;
    let bytes = if chunk.location.encoding == ChunkEncoding::Canonical && chunk.bytes().len() == len {
        chunk.into_bytes()
    } else {
        let mut out = vec![0; len];
        source.decode_into(&chunk.location, chunk.bytes(), &mut out)?;
        out
    };
    let actual = bytes.len();
    VoxelBuffer::new(source.voxel_type(), source.grid().chunk_shape(), bytes)
        .ok_or_else(|| fail(DecodeError::WrongLength { expected: len, actual }.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3Int;

    fn at(shard: i64, start: u64, len: u64) -> ChunkLocation {
        ChunkLocation {
            chunk: ChunkIndex(Vec3Int::ZERO),
            shard: ShardIndex(Vec3Int::splat(shard)),
            key: StorageKey::new(format!("x{shard}")).expect("clean"),
            range: ByteRange { start, len },
            more: Vec::new(),
            order: 0,
            encoding: ChunkEncoding::Coded("LZ4"),
        }
    }

    #[test]
    fn neighbours_in_a_file_make_one_run() {
        let runs = adjacent_runs(vec![at(0, 30, 5), at(0, 10, 20), at(1, 35, 5), at(0, 40, 5)]);
        let starts: Vec<Vec<u64>> = runs.iter().map(|r| r.iter().map(|l| l.range.start).collect()).collect();
        assert_eq!(starts, [vec![10, 30], vec![40], vec![35]]);
    }

    #[test]
    fn runs_are_bounded() {
        let runs = adjacent_runs(vec![at(0, 0, MAX_RUN_BYTES), at(0, MAX_RUN_BYTES, 1)]);
        assert_eq!(runs.len(), 2);
    }
}
