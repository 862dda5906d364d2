//! [`ChunkGrid`]: how a level is divided into shards and chunks.

use super::{BoundingBox, Shape3, Vec3Int};
use std::fmt;

/// Position of a chunk in its level's grid of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkIndex(pub Vec3Int);

/// Position of a shard in its level's grid of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardIndex(pub Vec3Int);

impl fmt::Display for ChunkIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ShardIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Division of a level into chunks and shards; all positions are in voxels of that level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkGrid {
    origin: Vec3Int,
    chunk_shape: Shape3,
    chunks_per_shard: Shape3,
    bounds: BoundingBox,
}

impl ChunkGrid {
    /// A grid whose chunk 0, 0, 0 starts at `origin` and whose stored voxels lie inside `bounds`.
    ///
    /// `None` if the chunk shape or the number of chunks per shard is empty.
    pub fn new(origin: Vec3Int, chunk_shape: Shape3, chunks_per_shard: Shape3, bounds: BoundingBox) -> Option<Self> {
        let usable = !chunk_shape.is_empty() && !chunks_per_shard.is_empty();
        usable.then_some(Self { origin, chunk_shape, chunks_per_shard, bounds })
    }

    /// Extent of one chunk in voxels.
    pub const fn chunk_shape(&self) -> Shape3 {
        self.chunk_shape
    }

    /// Chunks of one shard along each axis.
    pub const fn chunks_per_shard(&self) -> Shape3 {
        self.chunks_per_shard
    }

    /// Extent of one shard in voxels.
    pub fn shard_shape(&self) -> Shape3 {
        let v = self.chunk_shape.to_vec().times(self.chunks_per_shard.to_vec());
        Shape3::new(v.x, v.y, v.z)
    }

    /// Where voxels can be stored at all: the array's extent, for WKW everything from 0 on.
    pub const fn bounds(&self) -> BoundingBox {
        self.bounds
    }

    /// The chunk that covers a voxel.
    pub fn chunk_from_voxel(&self, pos_in_mag: Vec3Int) -> ChunkIndex {
        ChunkIndex((pos_in_mag - self.origin).div_floor(self.chunk_shape.to_vec()))
    }

    /// The shard that holds a chunk.
    pub fn shard_from_chunk(&self, chunk: ChunkIndex) -> ShardIndex {
        ShardIndex(chunk.0.div_floor(self.chunks_per_shard.to_vec()))
    }

    /// The shard that covers a voxel.
    pub fn shard_from_voxel(&self, pos_in_mag: Vec3Int) -> ShardIndex {
        self.shard_from_chunk(self.chunk_from_voxel(pos_in_mag))
    }

    /// Position of a chunk inside its shard, each component below [`Self::chunks_per_shard`].
    pub fn chunk_in_shard(&self, chunk: ChunkIndex) -> Vec3Int {
        chunk.0 - self.first_chunk_of(self.shard_from_chunk(chunk)).0
    }

    /// The chunk of a shard with the lowest position.
    pub fn first_chunk_of(&self, shard: ShardIndex) -> ChunkIndex {
        ChunkIndex(shard.0.times(self.chunks_per_shard.to_vec()))
    }

    /// The full box of a chunk, padding at the array's edge included.
    pub fn chunk_box(&self, chunk: ChunkIndex) -> BoundingBox {
        BoundingBox::new(chunk.0.times(self.chunk_shape.to_vec()) + self.origin, self.chunk_shape)
    }

    /// The full box of a shard.
    pub fn shard_box(&self, shard: ShardIndex) -> BoundingBox {
        let shape = self.shard_shape();
        BoundingBox::new(shard.0.times(shape.to_vec()) + self.origin, shape)
    }

    /// The chunks that cover the stored part of a box, as a box of chunk indices.
    pub fn chunk_range(&self, box_in_mag: &BoundingBox) -> BoundingBox {
        self.cells(box_in_mag, self.chunk_shape)
    }

    /// The shards that cover the stored part of a box, as a box of shard indices.
    pub fn shard_range(&self, box_in_mag: &BoundingBox) -> BoundingBox {
        self.cells(box_in_mag, self.shard_shape())
    }

    fn cells(&self, box_in_mag: &BoundingBox, cell: Shape3) -> BoundingBox {
        let inside = box_in_mag.intersect(&self.bounds);
        if inside.is_empty() {
            return BoundingBox::default();
        }
        let first = (inside.topleft - self.origin).div_floor(cell.to_vec());
        let end = (inside.bottomright() - self.origin).div_ceil(cell.to_vec());
        BoundingBox::between(first, end)
    }

    /// The chunks that cover the stored part of a box, x fastest. Lazy: the caller bounds how many it takes.
    pub fn chunks_in(&self, box_in_mag: &BoundingBox) -> impl Iterator<Item = ChunkIndex> + use<> {
        cells_of(self.chunk_range(box_in_mag)).map(ChunkIndex)
    }

    /// The shards that cover the stored part of a box, x fastest.
    pub fn shards_in(&self, box_in_mag: &BoundingBox) -> impl Iterator<Item = ShardIndex> + use<> {
        cells_of(self.shard_range(box_in_mag)).map(ShardIndex)
    }
}

/// Every position of a box, x fastest.
fn cells_of(range: BoundingBox) -> impl Iterator<Item = Vec3Int> + use<> {
    let (first, end) = (range.topleft, range.bottomright());
    (first.z..end.z).flat_map(move |z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| Vec3Int::new(x, y, z))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn grid(chunk: i64, per_shard: i64) -> ChunkGrid {
        let everything = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(1 << 30));
        ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(chunk), Shape3::splat(per_shard), everything).expect("not empty")
    }

    #[test]
    fn shards_and_chunks_of_a_voxel() {
        let grid = grid(32, 32);
        let pos = Vec3Int::new(3630, 3502, 1051);
        assert_eq!(grid.chunk_from_voxel(pos).0, Vec3Int::new(113, 109, 32));
        assert_eq!(grid.shard_from_voxel(pos).0, Vec3Int::new(3, 3, 1));
        assert_eq!(grid.chunk_in_shard(grid.chunk_from_voxel(pos)), Vec3Int::new(17, 13, 0));
    }

    #[test]
    fn negative_voxels_have_no_chunks_in_a_grid_from_zero() {
        let b = BoundingBox::new(Vec3Int::splat(-40), Shape3::splat(41));
        assert_eq!(grid(32, 1).chunks_in(&b).count(), 1);
    }

    #[test]
    fn million_voxel_extents_do_not_overflow() {
        let b = BoundingBox::new(Vec3Int::splat(1 << 29), Shape3::new(1, 1, 1));
        let chunk = grid(1, 1).chunks_in(&b).next().expect("inside");
        assert_eq!(chunk.0, Vec3Int::splat(1 << 29));
    }

    proptest! {
        #[test]
        fn chunks_of_a_box_cover_it_without_overlap(
            topleft in prop::array::uniform3(0_i64..60), shape in prop::array::uniform3(1_i64..50),
            chunk in prop::array::uniform3(1_i64..20), per_shard in prop::array::uniform3(1_i64..5),
            origin in prop::array::uniform3(-30_i64..30),
        ) {
            let b = BoundingBox::new(topleft.into(), shape.into());
            let grid = ChunkGrid::new(origin.into(), chunk.into(), per_shard.into(), b).expect("not empty");
            let chunks: Vec<_> = grid.chunks_in(&b).collect();
            let distinct: HashSet<_> = chunks.iter().copied().collect();
            prop_assert_eq!(distinct.len(), chunks.len());
            let covered: u64 = chunks.iter().filter_map(|c| grid.chunk_box(*c).intersect(&b).shape.voxel_count()).sum();
            prop_assert_eq!(Some(covered), b.shape.voxel_count());
            for c in chunks {
                prop_assert!(grid.shard_box(grid.shard_from_chunk(c)).contains_box(&grid.chunk_box(c)));
                let inside = grid.chunk_in_shard(c);
                for axis in 0..3 {
                    prop_assert!((0..per_shard[axis]).contains(&inside[axis]));
                }
            }
        }
    }
}
