//! Against a reference that looks at every voxel.

use super::walk::{PIECE_BYTES, PieceBytes, new_tally, walk};
use super::*;
use crate::format::wkw::{BlockType, WkwHeader, WkwWriter};
use crate::format::{ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, HeaderReport, ShardLayout};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use crate::problem::Problem;
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::{ElementClass, VoxelType};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

/// A level in memory: voxels by position, in chunks of any shape and origin.
struct Memory {
    grid: ChunkGrid,
    voxel_type: VoxelType,
    fill: Vec<u8>,
    chunks: HashSet<ChunkIndex>,
    voxels: BTreeMap<[i64; 3], Vec<u8>>,
    broken: HashSet<ChunkIndex>,
    tells_shards: bool,
    located: Mutex<u64>,
}

impl Memory {
    /// A chunk is stored where a voxel of it is.
    fn new(class: ElementClass, chunk: [i64; 3], origin: [i64; 3], voxels: BTreeMap<[i64; 3], Vec<u8>>) -> Self {
        let bounds = BoundingBox::new(Vec3Int::splat(-1 << 40), Shape3::splat(1 << 41));
        let grid = ChunkGrid::new(origin.into(), chunk.into(), Shape3::splat(2), bounds).expect("not empty");
        Self {
            grid,
            voxel_type: VoxelType::single(class),
            fill: vec![0; class.byte_len()],
            chunks: voxels.keys().map(|pos| grid.chunk_from_voxel((*pos).into())).collect(),
            voxels,
            broken: HashSet::new(),
            tells_shards: true,
            located: Mutex::default(),
        }
    }

    fn voxel(&self, pos: [i64; 3]) -> &[u8] {
        self.voxels.get(&pos).unwrap_or(&self.fill)
    }
}

impl ChunkSource for Memory {
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
        *self.located.lock().expect("sound") += 1;
        if self.broken.contains(&chunk) {
            return Err(self.chunk_error(chunk, None, ChunkFault::Unsupported("broken on purpose".to_owned())));
        }
        let location = ChunkLocation {
            chunk,
            shard: self.grid.shard_from_chunk(chunk),
            key: StorageKey::new("x").expect("clean"),
            range: ByteRange { start: 0, len: 1 },
            more: Vec::new(),
            order: 0,
            encoding: ChunkEncoding::Coded("memory"),
        };
        Ok(self.chunks.contains(&chunk).then_some(location))
    }

    fn is_absent(&self, shard: ShardIndex) -> bool {
        !self.chunks.iter().chain(&self.broken).any(|chunk| self.grid.shard_from_chunk(*chunk) == shard)
    }

    fn stored_shards(&self, limit: usize) -> Result<Option<Vec<ShardIndex>>, StorageError> {
        let shards: HashSet<_> = self.chunks.iter().chain(&self.broken).map(|chunk| self.grid.shard_from_chunk(*chunk)).collect();
        Ok((self.tells_shards && shards.len() <= limit).then(|| shards.into_iter().collect()))
    }

    fn read_bytes(&self, _: &ChunkLocation, _: u64, _: &mut [u8]) -> Result<(), ChunkError> {
        Ok(())
    }

    fn decode_into(&self, location: &ChunkLocation, _: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        let area = self.grid.chunk_box(location.chunk);
        for (pos, voxel) in positions(&area).zip(out.chunks_exact_mut(self.fill.len())) {
            voxel.copy_from_slice(self.voxel(pos));
        }
        Ok(())
    }

    fn header_report(&self) -> HeaderReport {
        HeaderReport::default()
    }

    fn shard_len(&self, _: ShardIndex) -> Result<Option<u64>, StorageError> {
        Ok(None)
    }

    fn shard_layout(&self, _: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        Ok(None)
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        format!("shard {shard}")
    }

    fn find_shards(&self, _: usize) -> Result<Vec<ShardIndex>, StorageError> {
        Ok(Vec::new())
    }

    fn take_warnings(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// All positions of a box, x fastest.
fn positions(area: &BoundingBox) -> impl Iterator<Item = [i64; 3]> + use<> {
    let (first, end) = (area.topleft, area.bottomright());
    (first.z..end.z).flat_map(move |z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| [x, y, z])))
}

fn compare(a: &Memory, b: &Memory, extent: &BoundingBox) -> VoxelDifference {
    compare_in_pieces(a, b, extent, PIECE_BYTES)
}

fn compare_in_pieces(a: &Memory, b: &Memory, extent: &BoundingBox, piece_bytes: PieceBytes) -> VoxelDifference {
    let options = CompareOptions { is_segmentation: true, ..CompareOptions::default() };
    let watch = Watch { progress: &|_, _| {}, cancel: &AtomicBool::new(false) };
    let tally = Mutex::new(new_tally([a, b], options).expect("comparable"));
    walk([a, b], extent, &[], piece_bytes, &tally, watch).expect("comparable");
    tally.into_inner().expect("sound").finish(extent)
}

fn ids(voxels: &[([i64; 3], u64)], class: ElementClass) -> BTreeMap<[i64; 3], Vec<u8>> {
    voxels.iter().map(|(pos, id)| (*pos, id.to_le_bytes()[..class.byte_len()].to_vec())).collect()
}

/// Counts, first voxel, box and pairs.
type Summary = (u64, Option<[i64; 3]>, BoundingBox, BTreeMap<(i128, i128), u64>);

/// By a look at every voxel.
fn reference(a: &Memory, b: &Memory, extent: &BoundingBox) -> Summary {
    let id = |memory: &Memory, pos| match memory.voxel_type.class.number(memory.voxel(pos)) {
        Some(crate::voxel::Number::Whole(id)) => id,
        other => panic!("{other:?}"),
    };
    let differing: Vec<[i64; 3]> = positions(extent).filter(|pos| id(a, *pos) != id(b, *pos)).collect();
    let mut pairs = BTreeMap::new();
    differing.iter().for_each(|pos| *pairs.entry((id(a, *pos), id(b, *pos))).or_default() += 1);
    let boxed = differing.iter().fold(BoundingBox::default(), |all, pos| all.union(&BoundingBox::new((*pos).into(), Shape3::splat(1))));
    (differing.len() as u64, differing.first().copied(), boxed, pairs)
}

fn summary(found: &VoxelDifference) -> Summary {
    let pairs = found.pairs.iter().flat_map(|pairs| &pairs.list).map(|pair| ((pair.from, pair.to), pair.voxels)).collect();
    (found.differing, found.first.as_ref().map(|voxel| voxel.position.to_array()), found.bounding_box, pairs)
}

fn volume() -> impl Strategy<Value = Vec<([i64; 3], u64)>> {
    prop::collection::vec((prop::array::uniform3(-9_i64..30), 0_u64..4), 0..60)
}

fn grids() -> impl Strategy<Value = ([i64; 3], [i64; 3])> {
    (prop::array::uniform3(1_i64..14), prop::array::uniform3(-5_i64..5))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_two_volumes_in_any_chunks_differ_as_voxel_by_voxel(
        same in volume(), only_a in volume(), only_b in volume(), grid_a in grids(), grid_b in grids(),
        fills in (0_u8..2, 0_u8..2), tells: bool, signed: bool, piece_bytes in 1_u64..100_000,
    ) {
        let classes = [ElementClass::Uint64, if signed { ElementClass::Int16 } else { ElementClass::Uint64 }];
        let make = |own: &[([i64; 3], u64)], (chunk, origin): ([i64; 3], [i64; 3]), class: ElementClass, fill: u8| {
            let mut memory = Memory::new(class, chunk, origin, ids(&[&same[..], own].concat(), class));
            memory.tells_shards = tells;
            memory.fill[0] = fill;
            memory
        };
        let (a, b) = (make(&only_a, grid_a, classes[0], fills.0), make(&only_b, grid_b, classes[1], fills.1));
        let extent = BoundingBox::between(Vec3Int::splat(-12), Vec3Int::new(31, 28, 33));
        let found = compare_in_pieces(&a, &b, &extent, PieceBytes { aligned: piece_bytes, unaligned: piece_bytes, most: piece_bytes.max(8) });
        prop_assert_eq!(summary(&found), reference(&a, &b, &extent));
        prop_assert_eq!(found.compared, extent.shape.voxel_count().expect("small"));
        prop_assert_eq!(found.regions.iter().map(|region| region.voxels).sum::<u64>(), found.differing);
        let zero = |side: fn(&(i128, i128)) -> bool| reference(&a, &b, &extent).3.iter().filter(|(pair, _)| side(pair)).map(|(_, n)| n).sum::<u64>();
        prop_assert_eq!((found.gained, found.lost), (zero(|pair| pair.0 == 0), zero(|pair| pair.1 == 0)));
    }
}

#[test]
fn stored_background_equals_what_is_not_stored() {
    let class = ElementClass::Uint32;
    let a = Memory::new(class, [8; 3], [0; 3], ids(&[([3, 3, 3], 0), ([40, 3, 3], 5)], class));
    let b = Memory::new(class, [5; 3], [1; 3], ids(&[([40, 3, 3], 5)], class));
    assert!(compare(&a, &b, &BoundingBox::new(Vec3Int::ZERO, Shape3::splat(64))).is_equal());
}

#[test]
fn huge_empty_extents_take_no_time() {
    let class = ElementClass::Uint8;
    let voxels = ids(&[([1 << 39, 5, 7], 1), ([-(1 << 39), 9, 1 << 30], 2)], class);
    let (mut a, b) = (Memory::new(class, [16; 3], [0; 3], voxels.clone()), Memory::new(class, [32; 3], [3; 3], voxels));
    a.voxels.insert([(1 << 39) + 1, 5, 7], vec![9]);
    let extent = BoundingBox::new(Vec3Int::splat(-1 << 40), Shape3::splat(1 << 41));
    let found = compare(&a, &b, &extent);
    assert_eq!((found.differing, found.first.map(|voxel| voxel.position)), (1, Some(Vec3Int::new((1 << 39) + 1, 5, 7))));
    let located = *a.located.lock().expect("sound") + *b.located.lock().expect("sound");
    assert!(located < 2000, "{located} chunks were located");
}

#[test]
fn other_fill_values_are_differences_where_nothing_is_stored() {
    let class = ElementClass::Uint8;
    let (a, mut b) = (Memory::new(class, [16; 3], [0; 3], BTreeMap::new()), Memory::new(class, [32; 3], [0; 3], BTreeMap::new()));
    b.fill = vec![7];
    let extent = BoundingBox::new(Vec3Int::splat(-5), Shape3::splat(1 << 20));
    let found = compare(&a, &b, &extent);
    assert_eq!((found.differing, found.gained, found.bounding_box), (1 << 60, 1 << 60, extent));
    assert_eq!(found.pairs.expect("ids").list, [IdPair { from: 0, to: 7, voxels: 1 << 60 }]);
}

#[test]
fn chunks_that_cannot_be_read_are_named_and_the_rest_is_compared() {
    let class = ElementClass::Uint8;
    let voxels = ids(&[([0, 0, 0], 1), ([20, 0, 0], 1), ([40, 0, 0], 1)], class);
    let (a, mut b) = (Memory::new(class, [16; 3], [0; 3], voxels.clone()), Memory::new(class, [8; 3], [0; 3], voxels));
    b.voxels.insert([41, 0, 0], vec![2]);
    b.broken = HashSet::from([ChunkIndex(Vec3Int::new(2, 0, 0)), ChunkIndex(Vec3Int::new(3, 1, 0))]);
    let found = compare(&a, &b, &BoundingBox::new(Vec3Int::ZERO, Shape3::splat(64)));
    assert_eq!((found.differing, found.unread, found.compared), (1, 2 * 512, 64 * 64 * 64 - 2 * 512));
    let named: Vec<_> = found.unreadable.iter().map(|chunk| (chunk.side, chunk.error.chunk.0.x)).collect();
    assert_eq!(named, [(Side::B, 2), (Side::B, 3)]);
    assert!(!found.is_equal());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let class = ElementClass::Uint16;
    let many: Vec<([i64; 3], u64)> = (0..3000).map(|i| ([i * 7 % 101, i * 13 % 97, i * 29 % 89], (i % 50) as u64)).collect();
    let few: Vec<_> = many.iter().map(|(pos, id)| (*pos, id / 2)).collect();
    let (a, b) = (Memory::new(class, [32; 3], [0; 3], ids(&many, class)), Memory::new(class, [20, 30, 40], [7; 3], ids(&few, class)));
    let extent = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(110));
    let piece_bytes = PieceBytes { aligned: 1 << 14, unaligned: 1 << 14, most: 1 << 16 };
    let answers = [1, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        format!("{:?}", pool.install(|| compare_in_pieces(&a, &b, &extent, piece_bytes)))
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_cancelled_comparison_ends_and_other_channels_are_refused() {
    let class = ElementClass::Uint8;
    let (a, mut b) = (Memory::new(class, [16; 3], [0; 3], BTreeMap::new()), Memory::new(class, [16; 3], [0; 3], BTreeMap::new()));
    let extent = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(64));
    let run = |a: &Memory, b: &Memory, cancelled| {
        compare_levels(a, b, &extent, CompareOptions::default(), Watch { progress: &|_, _| {}, cancel: &AtomicBool::new(cancelled) }).err()
    };
    assert_eq!(run(&a, &b, true), Some(CompareError::Cancelled));
    assert_eq!(run(&a, &b, false), None);
    b.voxel_type.channels = 3;
    b.fill = vec![0; 3];
    assert_eq!(run(&a, &b, false), Some(CompareError::Channels([1, 3])));
}

#[test]
fn progress_ends_at_the_total() {
    let dir = tempfile::tempdir().expect("a folder");
    let header = WkwHeader {
        chunk_log2: 5,
        chunks_per_shard_log2: 1,
        block_type: BlockType::Lz4,
        voxel_type: VoxelType::single(ElementClass::Uint8),
        data_offset: 0,
    };
    let writer = WkwWriter::create(dir.path(), header).expect("created");
    let shard = ShardIndex(Vec3Int::ZERO);
    writer.write_shard(shard, &vec![3; 1 << 18], &writer.shard_box(shard)).expect("written");
    let opened = crate::format::open(&crate::storage::LocalOpener::default(), dir.path()).expect("opened");
    let source = opened.layers[0].levels[0].source.clone().expect("readable");
    let last = Mutex::new((0, 0));
    let progress = |done, total| {
        let mut last = last.lock().expect("sound");
        last.0 = last.0.max(done);
        last.1 = total;
    };
    let extent = BoundingBox::new(Vec3Int::splat(-10), Shape3::splat(1000));
    let watch = Watch { progress: &progress, cancel: &AtomicBool::new(false) };
    let found = compare_levels(source.as_ref(), source.as_ref(), &extent, CompareOptions::default(), watch).expect("comparable");
    assert!(found.is_equal());
    assert_eq!(*last.lock().expect("sound"), (1_000_000_000, 1_000_000_000));
}
