//! [`BucketSource`]: one mag of a volume, whose buckets are files of their own, as [`ChunkSource`] and [`BucketStore`].

use super::buckets::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress, BucketStore};
use crate::codec::{Codec, DecodeError};
use crate::format::wkw::decode_single_chunk;
use crate::format::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, ChunkSpan, ExtraAxis, HeaderReport, ShardLayout, SpanState,
};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use crate::problem::Problem;
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use crate::voxel::{ElementClass, VoxelType};
use std::sync::Arc;

/// How the file of a bucket is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BucketCoding {
    /// A WKW file of one chunk, decoded by its own header.
    Wkw,
    /// A chunk of Zarr 3: the voxels as they are, or in a Blosc frame, whatever the array's metadata say.
    Zarr3,
}

impl BucketCoding {
    const fn name(self) -> &'static str {
        match self {
            Self::Wkw => "WKW",
            Self::Zarr3 => "blosc",
        }
    }
}

/// A stored bucket.
#[derive(Debug)]
pub(super) struct BucketFile {
    pub address: BucketAddress,
    pub key: StorageKey,
    pub len: u64,
}

/// The buckets of a mag. Which there are is known from names alone.
pub(super) struct Buckets {
    pub storage: Arc<dyn Storage>,
    /// Folder of the mag in the storage.
    pub folder: String,
    pub class: ElementClass,
    pub coding: BucketCoding,
    /// By address.
    pub files: Vec<BucketFile>,
    pub axes: Vec<ExtraAxis>,
    pub header: HeaderReport,
}

/// One mag of a volume, at a position along its further axes.
#[derive(Clone)]
pub(super) struct BucketSource {
    buckets: Arc<Buckets>,
    grid: ChunkGrid,
    position: Arc<[u64]>,
}

/// Bytes of zeros, as long as a voxel can be.
const ZEROS: [u8; 8] = [0; 8];

/// Log2 of a bucket's edge.
const SIDE_LOG2: u8 = 5;

impl BucketSource {
    /// A mag at position 0 of all further axes. Files are sorted here.
    pub fn new(mut buckets: Buckets) -> Option<Self> {
        buckets.files.sort_by(|a, b| a.address.cmp(&b.address));
        // Buckets have 32-bit positions, and none is negative.
        let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE << 32));
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE), Shape3::splat(1), bounds)?;
        let position = vec![0; buckets.axes.len()].into();
        Some(Self { buckets: Arc::new(buckets), grid, position })
    }

    /// The boxes of all buckets at all positions, in voxels of the mag.
    pub fn boxes(&self) -> impl Iterator<Item = BoundingBox> {
        self.buckets.files.iter().map(|file| self.grid.chunk_box(file.address.chunk))
    }

    fn find(&self, at: &BucketAddress) -> Option<&BucketFile> {
        let files = &self.buckets.files;
        files.binary_search_by(|file| file.address.cmp(at)).ok().map(|at| &files[at])
    }

    fn here(&self, chunk: ChunkIndex) -> Option<&BucketFile> {
        self.find(&BucketAddress { chunk, axes: self.position.clone() })
    }

    fn bucket_len(&self) -> usize {
        BUCKET_VOXELS * self.buckets.class.byte_len()
    }

    fn fault(&self, file: &BucketFile, fault: ChunkFault) -> ChunkError {
        ChunkError {
            chunk: file.address.chunk,
            shard: ShardIndex(file.address.chunk.0),
            range: Some(ByteRange { start: 0, len: file.len }),
            fault,
            location: self.buckets.storage.location(file.key.as_str()),
        }
    }

    /// Before anything is read: a file can claim any length.
    fn checked_len(&self, file: &BucketFile) -> Result<usize, ChunkFault> {
        // LZ4 and Blosc add less than this to what they can't compress.
        let most = self.bucket_len() + self.bucket_len() / 64 + 4096;
        usize::try_from(file.len).ok().filter(|len| *len <= most).ok_or(ChunkFault::Oversized { stored: file.len, most: most as u64 })
    }

    fn decode(&self, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkFault> {
        match self.buckets.coding {
            BucketCoding::Wkw => decode_single_chunk(stored, self.voxel_type(), SIDE_LOG2, out),
            BucketCoding::Zarr3 if stored.len() == out.len() && !is_whole_frame(stored, out.len()) => {
                out.copy_from_slice(stored);
                Ok(())
            }
            BucketCoding::Zarr3 => {
                let decoded = Codec::Blosc.decode_into(stored, out)?;
                if decoded.len == out.len() {
                    return Ok(());
                }
                Err(DecodeError::WrongLength { expected: out.len(), actual: decoded.len }.into())
            }
        }
    }
}

/// Whether bytes that are as many as the voxels are a Blosc frame of just that length.
fn is_whole_frame(stored: &[u8], decoded_len: usize) -> bool {
    let number = |at: usize| stored.get(at..at + 4).and_then(|bytes| bytes.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes) as usize);
    stored.first() == Some(&2) && number(4) == Some(decoded_len) && number(12) == Some(stored.len())
}

impl ChunkSource for BucketSource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        VoxelType::single(self.buckets.class)
    }

    fn fill_voxel(&self) -> &[u8] {
        &ZEROS[..self.buckets.class.byte_len()]
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        let Some(file) = self.here(chunk) else { return Ok(None) };
        self.checked_len(file).map_err(|fault| self.fault(file, fault))?;
        Ok(Some(ChunkLocation {
            chunk,
            shard: ShardIndex(chunk.0),
            key: file.key.clone(),
            range: ByteRange { start: 0, len: file.len },
            more: Vec::new(),
            order: 0,
            encoding: ChunkEncoding::Coded(self.buckets.coding.name()),
        }))
    }

    fn is_absent(&self, shard: ShardIndex) -> bool {
        self.here(ChunkIndex(shard.0)).is_none()
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        let fail = |fault| self.chunk_error(location.chunk, Some(location.range), fault);
        let start = location.range.start + skip;
        let end = start + out.len() as u64;
        match self.buckets.storage.read_at(&location.key, start, out) {
            Ok(Some(n)) if n == out.len() => Ok(()),
            Ok(got) => Err(fail(ChunkFault::Truncated { file_len: start + got.unwrap_or(0) as u64, end })),
            Err(err) => Err(fail(ChunkFault::Storage(Arc::new(err)))),
        }
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        self.decode(stored, out).map_err(|fault| self.chunk_error(location.chunk, Some(location.range), fault))
    }

    fn header_report(&self) -> HeaderReport {
        self.buckets.header.clone()
    }

    fn shard_len(&self, shard: ShardIndex) -> Result<Option<u64>, StorageError> {
        Ok(self.here(ChunkIndex(shard.0)).map(|file| file.len))
    }

    fn shard_layout(&self, shard: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        let chunk = ChunkIndex(shard.0);
        let Some(file) = self.here(chunk) else { return Ok(None) };
        let state = SpanState::Present(ByteRange { start: 0, len: file.len });
        Ok(Some(ShardLayout {
            shard,
            location: self.buckets.storage.location(file.key.as_str()),
            file_len: file.len,
            encoding: self.buckets.coding.name(),
            index_len: 0,
            decoded_chunk_len: self.bucket_len() as u64,
            spans: vec![ChunkSpan { chunk, order: 0, state }],
            spans_left_out: 0,
            elsewhere_bytes: 0,
        }))
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        let key = self.here(ChunkIndex(shard.0)).map(|file| file.key.as_str());
        self.buckets.storage.location(key.unwrap_or(&self.buckets.folder))
    }

    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
        let here = self.buckets.files.iter().filter(|file| file.address.axes == self.position);
        let mut found: Vec<ShardIndex> = here.map(|file| ShardIndex(file.address.chunk.0)).collect();
        // The middle is where data usually is.
        let middle = found.len() / 2;
        found.rotate_left(middle);
        found.truncate(limit);
        Ok(found)
    }

    fn stored_shards(&self, limit: usize) -> Result<Option<Vec<ShardIndex>>, StorageError> {
        let here = self.buckets.files.iter().filter(|file| file.address.axes == self.position);
        let found: Vec<ShardIndex> = here.map(|file| ShardIndex(file.address.chunk.0)).take(limit.saturating_add(1)).collect();
        Ok((found.len() <= limit).then_some(found))
    }

    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        let axes = &self.buckets.axes;
        let is_inside = positions.len() == axes.len() && positions.iter().zip(axes).all(|(at, axis)| *at < axis.len);
        is_inside.then(|| Arc::new(Self { position: positions.into(), ..self.clone() }) as Arc<dyn ChunkSource>)
    }

    fn take_warnings(&self) -> Vec<Problem> {
        Vec::new()
    }
}

impl BucketStore for BucketSource {
    fn class(&self) -> ElementClass {
        self.buckets.class
    }

    fn contains(&self, at: &BucketAddress) -> bool {
        self.find(at).is_some()
    }

    fn addresses(&self) -> Vec<BucketAddress> {
        self.buckets.files.iter().map(|file| file.address.clone()).collect()
    }

    fn read_into(&self, at: &BucketAddress, out: &mut [u8]) -> Result<bool, ChunkError> {
        let Some(file) = self.find(at) else { return Ok(false) };
        let read = || -> Result<Vec<u8>, ChunkFault> {
            let mut stored = vec![0; self.checked_len(file)?];
            let got = self.buckets.storage.read_at(&file.key, 0, &mut stored).map_err(|err| ChunkFault::Storage(Arc::new(err)))?;
            if got != Some(stored.len()) {
                return Err(ChunkFault::Truncated { file_len: got.unwrap_or(0) as u64, end: file.len });
            }
            Ok(stored)
        };
        // Only a whole bucket reaches the caller.
        let mut voxels = vec![0; out.len()];
        read().and_then(|stored| self.decode(&stored, &mut voxels)).map_err(|fault| self.fault(file, fault))?;
        out.copy_from_slice(&voxels);
        Ok(true)
    }
}
