//! Small volumes for tests: a fallback layer in memory whose chunks are LZ4 blocks, and annotations over it.

use super::{LevelSpec, VolumeAnnotation, VolumeSpec};
use crate::codec::lz4;
use crate::format::annotation::{BUCKET_VOXELS, BucketAddress, BucketStore, bucket_box};
use crate::format::{ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, HeaderReport, ShardLayout};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Mag, Shape3, ShardIndex, Vec3Int, VoxelSize};
use crate::problem::Problem;
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::{ElementClass, VoxelType};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A layer whose chunks lie one after the other in one file.
pub struct Blocks {
    grid: ChunkGrid,
    voxel_type: VoxelType,
    fill: Vec<u8>,
    /// Where the LZ4 block of each chunk lies in the file.
    chunks: BTreeMap<[i64; 3], ByteRange>,
    file: Arc<Vec<u8>>,
    /// Chunks that can't be read.
    pub broken: HashSet<[i64; 3]>,
    /// Positions along a further axis; 0 without one.
    pub positions: u64,
    /// Added to every id.
    position: u64,
}

impl Blocks {
    /// Chunks of `chunk` voxels along each side that cover `bounds`; those without any id but 0 aren't stored.
    pub fn new(class: ElementClass, chunk: i64, bounds: BoundingBox, id: impl Fn(Vec3Int) -> u64) -> Self {
        let voxel_type = VoxelType::single(class);
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(chunk), Shape3::splat(4), bounds).expect("not empty");
        let mut chunks = BTreeMap::new();
        let mut file = Vec::new();
        for index in grid.chunks_in(&bounds) {
            let bytes: Vec<u8> = positions(&grid.chunk_box(index))
                .flat_map(|pos| id(pos).to_le_bytes().into_iter().take(class.byte_len()).collect::<Vec<_>>())
                .collect();
            if bytes.iter().any(|b| *b != 0) {
                let block = lz4::encode(&bytes);
                chunks.insert(index.0.to_array(), ByteRange { start: file.len() as u64, len: block.len() as u64 });
                file.extend(block);
            }
        }
        let fill = vec![0; class.byte_len()];
        Self { grid, voxel_type, fill, chunks, file: Arc::new(file), broken: HashSet::new(), positions: 0, position: 0 }
    }
}

/// All positions of a box, x fastest.
pub fn positions(b: &BoundingBox) -> impl Iterator<Item = Vec3Int> + use<> {
    let (first, end) = (b.topleft, b.bottomright());
    (first.z..end.z).flat_map(move |z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| Vec3Int::new(x, y, z))))
}

impl ChunkSource for Blocks {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        self.voxel_type
    }

    fn fill_voxel(&self) -> &[u8] {
        &self.fill
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        let Some(range) = self.chunks.get(&chunk.0.to_array()).copied() else { return Ok(None) };
        let (shard, key) = (self.grid.shard_from_chunk(chunk), StorageKey::new("blocks").expect("clean"));
        Ok(Some(ChunkLocation { chunk, shard, key, range, more: Vec::new(), order: 0, encoding: ChunkEncoding::Coded("LZ4") }))
    }

    fn is_absent(&self, _: ShardIndex) -> bool {
        false
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        if self.broken.contains(&location.chunk.0.to_array()) {
            return Err(self.chunk_error(location.chunk, Some(location.range), ChunkFault::Truncated { file_len: 0, end: 1 }));
        }
        let from = usize::try_from(location.range.start + skip).expect("small");
        out.copy_from_slice(&self.file[from..from + out.len()]);
        Ok(())
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        lz4::decode_into(stored, out).map_err(|err| self.chunk_error(location.chunk, None, err.into()))?;
        if self.position > 0 {
            out.iter_mut().step_by(self.voxel_type.byte_len()).for_each(|b| *b = b.wrapping_add(self.position as u8));
        }
        Ok(())
    }

    fn header_report(&self) -> HeaderReport {
        HeaderReport::default()
    }

    fn shard_len(&self, _: ShardIndex) -> Result<Option<u64>, StorageError> {
        Ok(Some(1))
    }

    fn shard_layout(&self, _: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        Ok(None)
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        format!("fallback shard {shard}")
    }

    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
        let shards = self.chunks.keys().map(|chunk| self.grid.shard_from_chunk(ChunkIndex((*chunk).into())));
        Ok(shards.take(limit).collect())
    }

    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        let [position] = positions else { return None };
        let moved = Self {
            fill: self.fill.clone(),
            chunks: self.chunks.clone(),
            file: self.file.clone(),
            broken: self.broken.clone(),
            position: *position,
            ..*self
        };
        (*position < self.positions).then(|| Arc::new(moved) as Arc<dyn ChunkSource>)
    }

    fn take_warnings(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// Mags by their literals.
pub fn mags(literals: &[&str]) -> Vec<Mag> {
    literals.iter().map(|text| text.parse().expect("a mag")).collect()
}

/// A new uint32 annotation without fallback layer, paintable everywhere.
pub fn spec(mags: &[Mag]) -> VolumeSpec {
    let levels = mags.iter().map(|mag| LevelSpec { mag: *mag, stored: None, fallback: None });
    VolumeSpec {
        name: "Volume".to_owned(),
        class: ElementClass::Uint32,
        voxel_size: VoxelSize::VOXELS,
        bounding_box: BoundingBox::default(),
        axes: Vec::new(),
        fallback_layer: None,
        fallback_axes: Vec::new(),
        fallback_box: None,
        levels: levels.collect(),
        segments: Vec::new(),
        segment_groups: Vec::new(),
        largest_segment_id: None,
        format: None,
    }
}

/// The same over a fallback layer that covers `bounds` (mag 1) with an id that follows from mag and voxel.
pub fn spec_over(mags: &[Mag], bounds: BoundingBox, id: impl Fn(Mag, Vec3Int) -> u64) -> VolumeSpec {
    let mut spec = spec(mags);
    spec.fallback_layer = Some("segmentation".to_owned());
    for level in &mut spec.levels {
        let mag = level.mag;
        level.fallback = Some(Arc::new(Blocks::new(ElementClass::Uint32, 32, mag.box_in_mag(&bounds), |pos| id(mag, pos))));
    }
    spec
}

/// A bucket filled with one id.
pub fn uniform(class: ElementClass, id: u64) -> Vec<u8> {
    id.to_le_bytes()[..class.byte_len()].repeat(BUCKET_VOXELS)
}

/// The id of a voxel as it is now, read independently of the editor.
pub fn id_of(volume: &VolumeAnnotation, level: usize, pos: Vec3Int) -> u64 {
    let chunk = ChunkIndex(pos.div_floor(Vec3Int::splat(32)));
    let (voxels, _) = volume.levels[level].read(&BucketAddress::at(chunk)).expect("readable");
    let local = pos - chunk.0.times(Vec3Int::splat(32));
    let mut id = [0; 8];
    let bytes = voxels.voxel(local).expect("inside");
    id[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(id)
}

/// All ids of a box of a level, x fastest.
pub fn ids_in(volume: &VolumeAnnotation, level: usize, b: &BoundingBox) -> Vec<u64> {
    let len = volume.class.byte_len();
    let mut out = vec![0; b.shape.byte_len(len).expect("small")];
    for chunk in super::mask::bucket_range(b) {
        let (voxels, _) = volume.levels[level].read(&BucketAddress::at(chunk)).expect("readable");
        crate::voxel::copy_box(voxels.bytes(), &bucket_box(chunk), &mut out, b, len);
    }
    let mut ids = Vec::new();
    super::ids::for_each_id(volume.class, &out, |id| ids.push(id));
    ids
}

/// A store whose buckets can't be read.
pub struct Unreadable;

impl BucketStore for Unreadable {
    fn class(&self) -> ElementClass {
        ElementClass::Uint32
    }

    fn contains(&self, _: &BucketAddress) -> bool {
        true
    }

    fn addresses(&self) -> Vec<BucketAddress> {
        vec![BucketAddress::at(ChunkIndex(Vec3Int::ZERO))]
    }

    fn read_into(&self, at: &BucketAddress, _: &mut [u8]) -> Result<bool, ChunkError> {
        let fault = ChunkFault::Internal("on purpose".to_owned());
        Err(ChunkError { chunk: at.chunk, shard: ShardIndex(at.chunk.0), range: None, fault, location: "data.zip".to_owned() })
    }
}
