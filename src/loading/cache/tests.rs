//! The cache: who goes, who stays, and that the budget holds.

use super::*;
use crate::format::ChunkFault;
use crate::geometry::{Shape3, ShardIndex, Vec3Int};
use crate::loading::test_source::{index, prefetch, visible};
use crate::voxel::{ElementClass, VoxelType};
use proptest::prelude::*;

const SIZE: u64 = 1000;
const WEIGHT: u64 = SIZE + ENTRY_BYTES;

fn id(x: i64) -> ChunkId {
    static SOURCE: std::sync::OnceLock<SourceId> = std::sync::OnceLock::new();
    ChunkId { source: *SOURCE.get_or_init(SourceId::next), chunk: index(x, 0, 0) }
}

fn ready(len: u64) -> CachedChunk {
    let (voxel_type, shape) = (VoxelType::single(ElementClass::Uint8), Shape3::new(len as i64, 1, 1));
    CachedChunk::Ready(Arc::new(VoxelBuffer::new(voxel_type, shape, vec![0; len as usize]).expect("right length")))
}

fn failed(x: i64) -> CachedChunk {
    let fault = ChunkFault::Internal("on purpose".to_owned());
    CachedChunk::Failed(Arc::new(ChunkError {
        chunk: index(x, 0, 0),
        shard: ShardIndex(Vec3Int::ZERO),
        range: None,
        fault,
        location: "here".to_owned(),
    }))
}

fn nobody(_: ChunkId) -> Option<ChunkPriority> {
    None
}

fn kept(cache: &ChunkCache, ids: std::ops::Range<i64>) -> Vec<i64> {
    ids.filter(|x| cache.contains(id(*x))).collect()
}

#[test]
fn what_was_not_used_for_longest_goes_first() {
    let cache = ChunkCache::new(3 * WEIGHT);
    for x in 0..3 {
        assert!(cache.insert(id(x), ready(SIZE), &nobody).is_kept);
    }
    assert!(cache.get(id(0)).is_some());
    cache.insert(id(3), ready(SIZE), &nobody);
    assert_eq!(kept(&cache, 0..4), [0, 2, 3]);
}

#[test]
fn a_chunk_that_gets_wanted_while_it_is_evicted_is_named() {
    let cache = ChunkCache::new(2 * WEIGHT);
    cache.insert(id(0), ready(SIZE), &nobody);
    cache.insert(id(1), ready(SIZE), &nobody);
    let asked = std::cell::Cell::new(0);
    // Asked about the new chunk and both old ones; by then somebody wants `0`.
    let wanted = |i: ChunkId| {
        asked.set(asked.get() + 1);
        (asked.get() > 3 && i == id(0)).then(|| visible(0))
    };
    let outcome = cache.insert(id(2), ready(SIZE), &wanted);
    assert_eq!(outcome, Insertion { is_kept: true, lost: vec![id(0)] });
}

#[test]
fn wanted_chunks_outlive_unwanted_ones() {
    let cache = ChunkCache::new(3 * WEIGHT);
    let wanted = |i: ChunkId| (i == id(0)).then(|| prefetch(9));
    for x in 0..6 {
        cache.insert(id(x), ready(SIZE), &wanted);
    }
    assert_eq!(kept(&cache, 0..6), [0, 4, 5]);
}

#[test]
fn among_wanted_chunks_the_least_urgent_loses_and_unwanted_ones_are_refused() {
    let cache = ChunkCache::new(2 * WEIGHT);
    let wanted = |i: ChunkId| (i.chunk.0.x < 3).then(|| visible(3 - i.chunk.0.x as u32));
    for x in 0..3 {
        assert!(cache.insert(id(x), ready(SIZE), &wanted).is_kept);
    }
    assert_eq!(kept(&cache, 0..3), [1, 2]);
    assert!(!cache.insert(id(0), ready(SIZE), &wanted).is_kept, "less urgent than both");
    assert!(!cache.insert(id(7), ready(SIZE), &wanted).is_kept);
    assert_eq!(kept(&cache, 0..9), [1, 2]);
}

#[test]
fn a_chunk_that_can_not_fit_displaces_nothing() {
    let cache = ChunkCache::new(2 * WEIGHT);
    cache.insert(id(0), ready(SIZE), &nobody);
    assert!(!cache.insert(id(1), ready(3 * SIZE), &nobody).is_kept);
    assert_eq!(kept(&cache, 0..2), [0]);
}

#[test]
fn missing_chunks_do_not_push_out_voxels() {
    let cache = ChunkCache::new(100 * WEIGHT);
    cache.insert(id(0), ready(SIZE), &nobody);
    for x in 1..10_000 {
        cache.insert(id(x), CachedChunk::Missing, &nobody);
    }
    assert!(cache.contains(id(0)));
    assert!(cache.used_bytes() <= WEIGHT + cache.max_bytes() / EMPTY_SHARE);
}

#[test]
fn failures_are_kept_until_they_are_taken() {
    let cache = ChunkCache::new(100 * WEIGHT);
    cache.insert(id(0), failed(0), &nobody);
    for x in 1..1000 {
        cache.insert(id(x), ready(SIZE), &nobody);
    }
    assert!(matches!(cache.get(id(0)), Some(CachedChunk::Failed(_))));
    assert_eq!(cache.take_failed(), [id(0)]);
    assert!(!cache.contains(id(0)));
}

#[test]
fn a_smaller_budget_holds_at_once() {
    let cache = ChunkCache::new(100 * WEIGHT);
    let wanted = |i: ChunkId| (i.chunk.0.x < 50).then(|| visible(i.chunk.0.x as u32));
    for x in 0..90 {
        cache.insert(id(x), if x % 30 == 29 { failed(x) } else { ready(SIZE) }, &wanted);
    }
    cache.set_max_bytes(10 * WEIGHT, &wanted);
    assert!(cache.used_bytes() <= 10 * WEIGHT);
    assert!(kept(&cache, 0..9).len() >= 8, "the most urgent stay");
    cache.set_max_bytes(0, &wanted);
    assert_eq!(cache.used_bytes(), 0);
}

#[derive(Clone, Debug)]
enum Op {
    Ready(i64, u64),
    Missing(i64),
    Failed(i64),
    Get(i64),
    Remove(i64),
    Want(i64, i64),
    SetMax(u64),
    TakeFailed,
}

fn op() -> impl Strategy<Value = Op> {
    let x = 0..40_i64;
    prop_oneof![
        6 => (x.clone(), 1..3000_u64).prop_map(|(x, len)| Op::Ready(x, len)),
        2 => x.clone().prop_map(Op::Missing),
        2 => x.clone().prop_map(Op::Failed),
        2 => x.clone().prop_map(Op::Get),
        1 => x.clone().prop_map(Op::Remove),
        1 => (x.clone(), x).prop_map(|(a, b)| Op::Want(a.min(b), a.max(b))),
        1 => (0..40_000_u64).prop_map(Op::SetMax),
        1 => Just(Op::TakeFailed),
    ]
}

proptest! {
    #[test]
    fn the_budget_is_never_exceeded(max_bytes in 0..30_000_u64, ops in prop::collection::vec(op(), 1..200)) {
        let cache = ChunkCache::new(max_bytes);
        let (mut first, mut last) = (0, 0);
        for op in ops {
            let wanted = |i: ChunkId| (first..last).contains(&i.chunk.0.x).then(|| visible(i.chunk.0.x as u32));
            match op {
                Op::Ready(x, len) => prop_assert_eq!(cache.insert(id(x), ready(len), &wanted).is_kept, cache.contains(id(x))),
                Op::Missing(x) => prop_assert_eq!(cache.insert(id(x), CachedChunk::Missing, &wanted).is_kept, cache.contains(id(x))),
                Op::Failed(x) => prop_assert_eq!(cache.insert(id(x), failed(x), &wanted).is_kept, cache.contains(id(x))),
                Op::Get(x) => prop_assert_eq!(cache.get(id(x)).is_some(), cache.contains(id(x))),
                Op::Remove(x) => cache.remove(id(x)),
                Op::Want(a, b) => (first, last) = (a, b),
                Op::SetMax(max_bytes) => cache.set_max_bytes(max_bytes, &wanted),
                Op::TakeFailed => _ = cache.take_failed(),
            }
            let sum: u64 = (0..40).filter_map(|x| cache.get(id(x))).map(|chunk| chunk.weight()).sum();
            prop_assert_eq!(sum, cache.used_bytes());
            prop_assert!(sum <= cache.max_bytes(), "{sum} of {}", cache.max_bytes());
        }
    }
}
