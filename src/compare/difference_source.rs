//! [`DifferenceSource`]: where two levels differ, as a level of its own, so that it is looked at like any other.

use super::scan::Comparator;
use crate::codec::DecodeError;
use crate::format::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, HeaderField, HeaderReport, HeaderSection, ShardLayout,
    read_box_alone,
};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use crate::problem::Problem;
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::{ElementClass, VoxelType};
use std::sync::Arc;

/// Edge of its chunks in voxels.
const CHUNK_SIDE: i64 = 64;

/// Voxels of two levels, compared when they are looked at: `uint8`, 1 where they differ. Chunks are worked out whole
/// each time they are read, from both sides.
pub struct DifferenceSource {
    sides: [Arc<dyn ChunkSource>; 2],
    comparator: Comparator,
    grid: ChunkGrid,
}

impl DifferenceSource {
    /// Where two levels of one mag differ inside of `extent`, in voxels of the mag; `None` for voxels that can't be
    /// compared (another number of channels), or an empty extent.
    pub fn new(a: Arc<dyn ChunkSource>, b: Arc<dyn ChunkSource>, extent: BoundingBox) -> Option<Self> {
        let types = [a.voxel_type(), b.voxel_type()];
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(CHUNK_SIDE), Shape3::splat(1), extent)?;
        let is_comparable = types[0].channels == types[1].channels && !extent.is_empty();
        is_comparable.then(|| Self { sides: [a, b], comparator: Comparator::new(types), grid })
    }

    /// The voxels of a chunk that are compared.
    fn compared(&self, chunk: ChunkIndex) -> BoundingBox {
        self.grid.chunk_box(chunk).intersect(&self.grid.bounds())
    }

    fn is_absent_in(source: &dyn ChunkSource, part: &BoundingBox) -> bool {
        let inside = part.intersect(&source.grid().bounds());
        source.grid().shards_in(&inside).all(|shard| source.is_absent(shard))
    }

    /// Fills canonical voxels of a chunk.
    fn fill(&self, chunk: ChunkIndex, out: &mut [u8]) -> Result<(), ChunkError> {
        out.fill(0);
        let whole = self.grid.chunk_box(chunk);
        let part = self.compared(chunk);
        let mut read = [Vec::new(), Vec::new()];
        for (source, bytes) in self.sides.iter().zip(&mut read) {
            let len = part.shape.byte_len(source.voxel_type().byte_len());
            let too_large = || source.chunk_error(chunk, None, ChunkFault::TooLarge { bytes: u64::MAX });
            bytes.resize(len.ok_or_else(too_large)?, 0);
            read_box_alone(source.as_ref(), &part, bytes)?;
        }
        let [width, height, _] = part.shape.to_usize();
        if width == 0 || height == 0 || self.comparator.same_bytes(&read[0], &read[1]) {
            return Ok(());
        }
        let row_len = [0, 1].map(|side| width * self.sides[side].voxel_type().byte_len());
        let start = part.topleft - whole.topleft;
        let rows = read[0].chunks_exact(row_len[0]).zip(read[1].chunks_exact(row_len[1]));
        for (number, (a, b)) in (0_i64..).zip(rows) {
            let (y, z) = (number % part.shape.y(), number / part.shape.y());
            let at = start.x + CHUNK_SIDE * (start.y + y + CHUNK_SIDE * (start.z + z));
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            self.comparator.differing(a, b, |x| {
                if let Some(voxel) = out.get_mut(at.saturating_add(x)) {
                    *voxel = 1;
                }
            });
        }
        Ok(())
    }

    fn bytes() -> u64 {
        CHUNK_SIDE.pow(3).unsigned_abs()
    }
}

impl ChunkSource for DifferenceSource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        VoxelType::single(ElementClass::Uint8)
    }

    fn fill_voxel(&self) -> &[u8] {
        &[0]
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        let shard = self.grid.shard_from_chunk(chunk);
        if self.compared(chunk).is_empty() || self.is_absent(shard) {
            return Ok(None);
        }
        let [x, y, z] = chunk.0.to_array();
        let Some(key) = StorageKey::new(format!("difference/{z}.{y}.{x}")) else { return Ok(None) };
        let range = ByteRange { start: 0, len: Self::bytes() };
        Ok(Some(ChunkLocation { chunk, shard, key, range, more: Vec::new(), order: 0, encoding: ChunkEncoding::Canonical }))
    }

    fn is_absent(&self, shard: ShardIndex) -> bool {
        // Chunks that are on neither side are equal if the fill values are; else they are compared like stored ones.
        let [a, b] = [0, 1].map(|side| self.sides[side].fill_voxel());
        let mut fills_differ = false;
        self.comparator.differing(a, b, |_| fills_differ = true);
        let part = self.compared(ChunkIndex(shard.0));
        !fills_differ && self.sides.iter().all(|source| Self::is_absent_in(source.as_ref(), &part))
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        let whole_len = usize::try_from(Self::bytes()).unwrap_or(usize::MAX);
        if skip == 0 && out.len() == whole_len {
            return self.fill(location.chunk, out);
        }
        let mut whole = vec![0; whole_len];
        self.fill(location.chunk, &mut whole)?;
        let end = skip.saturating_add(out.len() as u64);
        let part = usize::try_from(skip).ok().zip(usize::try_from(end).ok()).and_then(|(start, end)| whole.get(start..end));
        let fault = ChunkFault::Truncated { file_len: Self::bytes(), end };
        out.copy_from_slice(part.ok_or_else(|| self.chunk_error(location.chunk, None, fault))?);
        Ok(())
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        if stored.len() != out.len() {
            let fault = DecodeError::WrongLength { expected: out.len(), actual: stored.len() };
            return Err(self.chunk_error(location.chunk, None, fault.into()));
        }
        out.copy_from_slice(stored);
        Ok(())
    }

    fn header_report(&self) -> HeaderReport {
        let first = HeaderSection {
            title: "Difference".to_owned(),
            location: String::new(),
            fields: vec![HeaderField::new("voxels", "", "uint8", "1 where the two sides below differ")],
        };
        let sides = self.sides.iter().flat_map(|source| source.header_report().sections);
        HeaderReport { sections: std::iter::once(first).chain(sides).collect() }
    }

    fn shard_len(&self, shard: ShardIndex) -> Result<Option<u64>, StorageError> {
        Ok((!self.is_absent(shard)).then(Self::bytes))
    }

    fn shard_layout(&self, _: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        Ok(None) // it lies in no file
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        let part = self.compared(ChunkIndex(shard.0));
        let [a, b] = [0, 1].map(|side| {
            let source = &self.sides[side];
            source.shard_location(source.grid().shard_from_voxel(part.topleft))
        });
        format!("{a} and {b}")
    }

    fn declared_extent(&self) -> Option<BoundingBox> {
        Some(self.grid.bounds())
    }

    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
        let mut found = Vec::new();
        for source in &self.sides {
            for shard in source.find_shards(limit)? {
                let part = source.grid().shard_box(shard).intersect(&self.grid.bounds());
                if !part.is_empty() {
                    found.push(self.grid.shard_from_voxel(part.topleft));
                }
            }
        }
        found.sort_by_key(|shard| shard.0.to_array());
        found.dedup();
        found.truncate(limit);
        Ok(found)
    }

    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        let [a, b] = [self.sides[0].at_axes(positions)?, self.sides[1].at_axes(positions)?];
        Some(Arc::new(Self::new(a, b, self.grid.bounds())?))
    }

    fn forget_indices(&self) {
        self.sides.iter().for_each(|source| source.forget_indices());
    }

    fn take_warnings(&self) -> Vec<Problem> {
        self.sides.iter().flat_map(|source| source.take_warnings()).collect()
    }
}
