//! [`ComposedSource`]: one mag of an annotation as a [`ChunkSource`] whose chunks are its buckets.
//!
//! A bucket is the stored one, else the fallback layer's voxels. The voxels of edited buckets aren't in it: the window lays
//! them over, so that what was loaded stays valid while somebody paints. What is told of shards counts them as stored.
//! Chunks are handed out as canonical voxels; where they come from is read whole for each of them.

use super::base::BucketBase;
use super::edited::EditedBuckets;
use super::volume::{POSITION_END, VolumeLevel};
use crate::codec::DecodeError;
use crate::format::annotation::{BUCKET_SIDE, BucketAddress, bucket_box};
use crate::format::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, ChunkSpan, HeaderField, HeaderReport, HeaderSection, ShardLayout,
    SpanState,
};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use crate::problem::Problem;
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::VoxelType;
use std::sync::Arc;

/// Chunks of one shard of the fallback layer that are tried when something to show is looked for.
const MAX_TRIED_CHUNKS: usize = 4096;

/// See the module. Cheap to make; shares everything with its level.
pub struct ComposedSource {
    base: Arc<BucketBase>,
    edited: Arc<EditedBuckets>,
    /// Positions along the axes beyond x, y, z.
    axes: Arc<[u64]>,
    /// The fallback layer at these positions.
    fallback: Option<Arc<dyn ChunkSource>>,
    grid: ChunkGrid,
    zero: Vec<u8>,
}

impl ComposedSource {
    /// A level of an annotation, at position 0 of its further axes.
    pub fn new(level: &VolumeLevel) -> Self {
        Self::at(level.base.clone(), level.edited.clone(), vec![0; level.base.axes.len()].into())
    }

    fn at(base: Arc<BucketBase>, edited: Arc<EditedBuckets>, axes: Arc<[u64]>) -> Self {
        let bounds = base.mag.box_in_mag(&BoundingBox::between(Vec3Int::ZERO, Vec3Int::splat(POSITION_END)));
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE), Shape3::splat(1), bounds).expect("shapes aren't empty");
        let fallback = base.fallback_at(&axes);
        Self { fallback, axes, grid, zero: vec![0; base.class.byte_len()], base, edited }
    }

    fn address(&self, chunk: ChunkIndex) -> BucketAddress {
        BucketAddress { chunk, axes: self.axes.clone() }
    }

    fn is_stored(&self, chunk: ChunkIndex) -> bool {
        self.base.stored.as_ref().is_some_and(|stored| stored.contains(&self.address(chunk)))
    }

    fn is_edited(&self, chunk: ChunkIndex) -> bool {
        self.edited.contains(&self.address(chunk))
    }

    fn is_inside(&self, chunk: ChunkIndex) -> bool {
        self.grid.bounds().contains(bucket_box(chunk).topleft)
    }

    /// The fallback layer and the part of a bucket that it covers.
    fn covered(&self, chunk: ChunkIndex) -> Option<(&dyn ChunkSource, BoundingBox)> {
        let source = &**self.fallback.as_ref()?;
        let part = self.base.covered_part(source, chunk);
        (!part.is_empty()).then_some((source, part))
    }

    /// Whether the fallback layer has something to say about a bucket.
    fn is_in_fallback(&self, chunk: ChunkIndex) -> Result<bool, ChunkError> {
        let Some((source, part)) = self.covered(chunk) else { return Ok(false) };
        if source.fill_voxel().iter().any(|b| *b != 0) {
            return Ok(true); // what isn't stored isn't 0 either
        }
        let grid = source.grid();
        for shard in grid.shards_in(&part).filter(|shard| !source.is_absent(*shard)) {
            for chunk in grid.chunks_in(&grid.shard_box(shard).intersect(&part)) {
                if source.locate(chunk)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn key(&self, chunk: ChunkIndex) -> StorageKey {
        let axes: String = self.axes.iter().map(|position| format!("a{position}/")).collect();
        let [x, y, z] = chunk.0.to_array();
        StorageKey::new(format!("{axes}z{z}/y{y}/x{x}")).expect("numbers make clean parts")
    }

    /// A key of its own for each bucket: no two look adjacent, so that each is read alone.
    fn location_of(&self, chunk: ChunkIndex) -> ChunkLocation {
        let (key, range) = (self.key(chunk), ByteRange { start: 0, len: self.voxel_bytes() });
        let shard = self.grid.shard_from_chunk(chunk);
        ChunkLocation { chunk, shard, key, range, more: Vec::new(), order: 0, encoding: ChunkEncoding::Canonical }
    }

    fn voxel_bytes(&self) -> u64 {
        self.base.byte_len() as u64
    }

    /// The first stored chunk of a shard of the fallback layer, as a bucket.
    fn bucket_in(&self, source: &dyn ChunkSource, shard: ShardIndex) -> Option<ShardIndex> {
        let grid = source.grid();
        let inside = grid.shard_box(shard).intersect(&self.grid.bounds());
        let mut chunks = grid.chunks_in(&inside).take(MAX_TRIED_CHUNKS);
        let stored = chunks.find(|chunk| source.locate(*chunk).is_ok_and(|location| location.is_some()))?;
        Some(ShardIndex(self.grid.chunk_from_voxel(grid.chunk_box(stored).intersect(&inside).topleft).0))
    }
}

impl ChunkSource for ComposedSource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        VoxelType::single(self.base.class)
    }

    fn fill_voxel(&self) -> &[u8] {
        &self.zero
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        if !self.is_inside(chunk) || !(self.is_stored(chunk) || self.is_in_fallback(chunk)?) {
            return Ok(None);
        }
        Ok(Some(self.location_of(chunk)))
    }

    fn is_absent(&self, shard: ShardIndex) -> bool {
        let chunk = ChunkIndex(shard.0);
        if self.is_stored(chunk) {
            return false;
        }
        let Some((source, part)) = self.covered(chunk) else { return true };
        let is_fill_zero = source.fill_voxel().iter().all(|b| *b == 0);
        is_fill_zero && source.grid().shards_in(&part).all(|shard| source.is_absent(shard))
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        let (at, len) = (self.address(location.chunk), self.base.byte_len());
        if skip == 0 && out.len() == len {
            return self.base.read_into(&at, out).map(drop);
        }
        let end = skip.saturating_add(out.len() as u64);
        let fault = ChunkFault::Truncated { file_len: self.voxel_bytes(), end };
        let span = usize::try_from(skip).ok().zip(usize::try_from(end).ok()).filter(|(_, end)| *end <= len);
        let (start, end) = span.ok_or_else(|| self.base.error(location.chunk, fault))?;
        let mut whole = vec![0; len];
        self.base.read_into(&at, &mut whole)?;
        out.copy_from_slice(&whole[start..end]);
        Ok(())
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        if stored.len() != out.len() {
            let fault = DecodeError::WrongLength { expected: out.len(), actual: stored.len() };
            return Err(self.base.error(location.chunk, fault.into()));
        }
        out.copy_from_slice(stored);
        Ok(())
    }

    fn header_report(&self) -> HeaderReport {
        let stored = self.base.stored.as_ref().map_or(0, |stored| stored.addresses().len()).to_string();
        let fallback = if self.fallback.is_some() { "yes" } else { "no" };
        let fields = vec![
            HeaderField::new("mag", "", self.base.mag.to_string(), ""),
            HeaderField::new("class", "", self.base.class.to_string(), ""),
            HeaderField::new("stored chunks", "", stored, "each hides the fallback layer, zeros included"),
            HeaderField::new("edited chunks", "", self.edited.len().to_string(), "since it was opened; each hides what is below"),
            HeaderField::new("fallback layer", "", fallback, "shown where no chunk is stored"),
        ];
        let section = HeaderSection { title: "Volume annotation".to_owned(), location: self.base.location(), fields };
        let mut sections = vec![section];
        sections.extend(self.fallback.as_ref().map(|source| source.header_report().sections).unwrap_or_default());
        HeaderReport { sections }
    }

    fn shard_len(&self, shard: ShardIndex) -> Result<Option<u64>, StorageError> {
        if self.is_stored(ChunkIndex(shard.0)) || self.is_edited(ChunkIndex(shard.0)) {
            return Ok(Some(self.voxel_bytes()));
        }
        let Some((source, part)) = self.covered(ChunkIndex(shard.0)) else { return Ok(None) };
        for shard in source.grid().shards_in(&part) {
            if source.shard_len(shard)?.is_some() {
                return Ok(Some(self.voxel_bytes()));
            }
        }
        Ok(None)
    }

    fn shard_layout(&self, shard: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        let chunk = ChunkIndex(shard.0);
        let location = if self.is_edited(chunk) { Some(self.location_of(chunk)) } else { self.locate(chunk)? };
        Ok(location.map(|location| ShardLayout {
            shard,
            location: self.shard_location(shard),
            file_len: location.range.len,
            encoding: location.encoding.name(),
            index_len: 0,
            decoded_chunk_len: location.range.len,
            spans: vec![ChunkSpan { chunk: location.chunk, order: 0, state: SpanState::Present(location.range) }],
            spans_left_out: 0,
            elsewhere_bytes: 0,
        }))
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        let chunk = ChunkIndex(shard.0);
        match self.covered(chunk).filter(|_| !self.is_stored(chunk) && !self.is_edited(chunk)) {
            Some((source, part)) => source.shard_location(source.grid().shard_from_voxel(part.topleft)),
            None => self.base.location(),
        }
    }

    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
        let stored = self.base.stored.as_ref().map(|stored| stored.addresses()).unwrap_or_default();
        let here = stored.into_iter().filter(|at| at.axes == self.axes);
        let mut found: Vec<_> = here.map(|at| ShardIndex(at.chunk.0)).take(limit).collect();
        if found.len() < limit
            && let Some(source) = &self.fallback
        {
            let shards = source.find_shards(limit - found.len())?;
            found.extend(shards.into_iter().filter_map(|shard| self.bucket_in(&**source, shard)));
            found.truncate(limit);
        }
        Ok(found)
    }

    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        (positions.len() == self.axes.len())
            .then(|| Arc::new(Self::at(self.base.clone(), self.edited.clone(), positions.into())) as Arc<dyn ChunkSource>)
    }

    fn forget_indices(&self) {
        if let Some(source) = &self.fallback {
            source.forget_indices();
        }
    }

    fn take_warnings(&self) -> Vec<Problem> {
        self.fallback.as_ref().map(|source| source.take_warnings()).unwrap_or_default()
    }
}
