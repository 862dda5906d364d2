//! A source for tests: chunks of 8³ bytes in shards of 4³ chunks, x fastest, that counts reads and fails on demand.

use super::{ChunkId, ChunkPriority, PriorityTier, SourceId, WantedChunk};
use crate::format::{ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, HeaderReport, ShardLayout};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use crate::problem::{Problem, Severity};
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::VoxelType;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

/// Bytes of a chunk, stored and decoded.
pub const CHUNK_BYTES: u64 = 512;

type Hook = Box<dyn FnMut(&ChunkLocation) + Send>;

/// What the source was told to do, and what was asked of it.
#[derive(Default)]
pub struct Script {
    /// Chunks that are not stored.
    pub missing: HashSet<ChunkIndex>,
    /// Chunks whose bytes can't be read.
    pub unreadable: HashSet<ChunkIndex>,
    /// Chunks whose decoding panics.
    pub panicking: HashSet<ChunkIndex>,
    /// To be returned once.
    pub warnings: Vec<Problem>,
    /// Called before each read, without a lock.
    pub before_read: Option<Hook>,
    /// First byte and length of each read.
    pub reads: Vec<(u64, usize)>,
}

/// See the module.
pub struct TestSource {
    pub id: SourceId,
    grid: ChunkGrid,
    voxel_type: VoxelType,
    script: Mutex<Script>,
}

impl TestSource {
    pub fn new() -> Arc<Self> {
        let everything = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(1 << 20));
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(8), Shape3::splat(4), everything).expect("not empty");
        let voxel_type = VoxelType::single(crate::voxel::ElementClass::Uint8);
        Arc::new(Self { id: SourceId::next(), grid, voxel_type, script: Mutex::default() })
    }

    pub fn script<T>(&self, f: impl FnOnce(&mut Script) -> T) -> T {
        f(&mut self.script.lock().expect("not poisoned"))
    }

    /// First byte and length of the reads so far.
    pub fn reads(&self) -> Vec<(u64, usize)> {
        self.script(|s| s.reads.clone())
    }

    pub fn chunk(&self, x: i64, y: i64, z: i64) -> ChunkId {
        ChunkId { source: self.id, chunk: index(x, y, z) }
    }

    /// Wants chunks of the visible tier, the first most urgently.
    pub fn wanted(self: &Arc<Self>, chunks: &[ChunkId]) -> Vec<WantedChunk> {
        let chunks = chunks.iter().zip(0..);
        chunks.map(|(id, distance)| WantedChunk { id: *id, source: self.clone(), priority: visible(distance) }).collect()
    }

    fn order(&self, chunk: ChunkIndex) -> u64 {
        let p = self.grid.chunk_in_shard(chunk);
        u64::try_from(p.x + 4 * (p.y + 4 * p.z)).expect("inside the shard")
    }
}

pub fn index(x: i64, y: i64, z: i64) -> ChunkIndex {
    ChunkIndex(Vec3Int::new(x, y, z))
}

pub fn visible(distance: u32) -> ChunkPriority {
    ChunkPriority { tier: PriorityTier::Visible, level_rank: 0, distance }
}

pub fn prefetch(distance: u32) -> ChunkPriority {
    ChunkPriority { tier: PriorityTier::Prefetch, level_rank: 0, distance }
}

pub fn warning(text: &str) -> Problem {
    Problem { severity: Severity::Warning, text: text.to_owned(), location: "test".to_owned() }
}

impl ChunkSource for TestSource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        self.voxel_type
    }

    fn fill_voxel(&self) -> &[u8] {
        &[0]
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        if self.script(|s| s.missing.contains(&chunk)) {
            return Ok(None);
        }
        let (shard, order) = (self.grid.shard_from_chunk(chunk), self.order(chunk));
        let key = StorageKey::new(format!("x{}/y{}/z{}", shard.0.x, shard.0.y, shard.0.z)).expect("clean");
        let range = ByteRange { start: order * CHUNK_BYTES, len: CHUNK_BYTES };
        Ok(Some(ChunkLocation { chunk, shard, key, range, more: Vec::new(), order, encoding: ChunkEncoding::Coded("copy") }))
    }

    fn is_absent(&self, _: ShardIndex) -> bool {
        false
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        let start = location.range.start + skip;
        let hook = self.script(|s| {
            s.reads.push((start, out.len()));
            s.before_read.take()
        });
        if let Some(mut hook) = hook {
            hook(location);
            self.script(|s| _ = s.before_read.get_or_insert(hook));
        }
        let span = start..start + out.len() as u64;
        let unreadable =
            |c: &ChunkIndex| self.grid.shard_from_chunk(*c) == location.shard && span.contains(&(self.order(*c) * CHUNK_BYTES));
        if self.script(|s| s.unreadable.iter().any(unreadable)) {
            return Err(self.chunk_error(
                location.chunk,
                Some(location.range),
                ChunkFault::Index { index: "index", reason: "on purpose".to_owned() },
            ));
        }
        out.fill(7);
        Ok(())
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        let panics = self.script(|s| s.panicking.contains(&location.chunk));
        assert!(!panics, "on purpose");
        out.copy_from_slice(stored);
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
        format!("test shard {shard}")
    }

    fn find_shards(&self, _: usize) -> Result<Vec<ShardIndex>, StorageError> {
        Ok(Vec::new())
    }

    fn take_warnings(&self) -> Vec<Problem> {
        self.script(|s| std::mem::take(&mut s.warnings))
    }
}
