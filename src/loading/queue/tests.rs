//! The queue: order, counts, and that nothing gets lost.

use super::*;
use crate::loading::test_source::{TestSource, prefetch};
use proptest::prelude::*;
use std::collections::HashSet;

fn nothing_cached(_: ChunkId) -> bool {
    false
}

#[test]
fn a_chunk_is_queued_once_however_many_panes_want_it_and_by_the_most_urgent() {
    let (queue, source) = (LoadQueue::new(), TestSource::new());
    let [a, b] = [source.chunk(0, 0, 0), source.chunk(1, 0, 0)];
    let mut wanted = source.wanted(&[a, b]);
    wanted.push(WantedChunk { priority: prefetch(0), ..wanted[1].clone() });
    wanted.extend(source.wanted(&[b]));
    queue.replace(wanted, nothing_cached, Instant::now());
    assert_eq!((queue.queued_len(), queue.pending()), (2, PendingCounts { visible: 2, prefetch: 0 }));
    let order: Vec<ChunkId> = std::iter::from_fn(|| queue.pop_most_urgent())
        .map(|t| {
            let id = t.mark.id();
            t.mark.finish();
            id
        })
        .collect();
    assert_eq!(order, [a, b]);
}

#[test]
fn a_chunk_that_is_evicted_while_the_set_is_replaced_is_queued() {
    let (queue, source) = (LoadQueue::new(), TestSource::new());
    let [a, b] = [source.chunk(0, 0, 0), source.chunk(1, 0, 0)];
    let asked = std::cell::Cell::new(0);
    // Both are there when first asked; `a` goes before the new set can protect it.
    let is_cached = |id: ChunkId| {
        asked.set(asked.get() + 1);
        asked.get() <= 2 || id == b
    };
    queue.replace(source.wanted(&[a, b]), is_cached, Instant::now());
    assert_eq!(queue.pending(), PendingCounts { visible: 1, prefetch: 0 });
    assert_eq!(queue.pop_most_urgent().map(|taken| taken.mark.id()), Some(a));
}

#[test]
fn waiting_time_survives_re_ranking() {
    let (queue, source, start) = (LoadQueue::new(), TestSource::new(), Instant::now());
    let id = source.chunk(0, 0, 0);
    queue.replace(source.wanted(&[id]), nothing_cached, start);
    queue.replace(source.wanted(&[id]), nothing_cached, start + std::time::Duration::from_secs(1));
    assert_eq!(queue.pop_most_urgent().map(|t| t.wanted_at), Some(start));
}

#[test]
fn a_closed_queue_stays_empty() {
    let (queue, source) = (LoadQueue::new(), TestSource::new());
    let ids = [source.chunk(0, 0, 0), source.chunk(1, 0, 0)];
    queue.replace(source.wanted(&ids), nothing_cached, Instant::now());
    let taken = queue.pop_most_urgent().expect("queued");
    queue.close();
    queue.replace(source.wanted(&ids), nothing_cached, Instant::now());
    drop(taken);
    assert!(queue.pop_most_urgent().is_none() && !queue.still_wanted(ids[0]));
    assert_eq!(Arc::strong_count(&source), 1, "sources are let go");
}

#[derive(Clone, Debug)]
enum Op {
    Replace(Vec<i64>),
    Pop,
    Take(Vec<i64>),
    Finish(usize),
    Drop(usize),
    Requeue(i64),
    Forget,
}

fn op() -> impl Strategy<Value = Op> {
    let xs = || prop::collection::vec(0..12_i64, 0..12);
    prop_oneof![
        2 => xs().prop_map(Op::Replace),
        4 => Just(Op::Pop),
        1 => xs().prop_map(Op::Take),
        2 => (0..4_usize).prop_map(Op::Finish),
        2 => (0..4_usize).prop_map(Op::Drop),
        1 => (0..12_i64).prop_map(Op::Requeue),
        1 => Just(Op::Forget),
    ]
}

proptest! {
    #[test]
    fn no_chunk_is_lost_or_taken_twice_and_the_counts_are_right(ops in prop::collection::vec(op(), 1..100)) {
        let (queue, source) = (LoadQueue::new(), TestSource::new());
        let id = |x: i64| source.chunk(x, 0, 0);
        let mut wanted: HashSet<ChunkId> = HashSet::new();
        let mut done: HashSet<ChunkId> = HashSet::new();
        let mut flying: Vec<InFlight> = Vec::new();
        for op in ops {
            match op {
                Op::Replace(xs) => {
                    let ids: Vec<ChunkId> = xs.into_iter().map(id).collect();
                    queue.replace(source.wanted(&ids), |id| done.contains(&id), Instant::now());
                    wanted = ids.into_iter().collect();
                }
                Op::Pop => {
                    let free = wanted.iter().any(|id| !done.contains(id) && !flying.iter().any(|f| f.id() == *id));
                    let taken = queue.pop_most_urgent();
                    prop_assert_eq!(taken.is_some(), free);
                    flying.extend(taken.map(|t| t.mark));
                }
                Op::Take(xs) => {
                    let ids: Vec<ChunkId> = xs.into_iter().map(id).collect();
                    flying.extend(queue.take(&ids).into_iter().map(|t| t.mark));
                }
                Op::Finish(i) if i < flying.len() => {
                    let mark = flying.swap_remove(i);
                    let id = mark.id();
                    if mark.finish() == Keep::Yes {
                        done.insert(id);
                    } else {
                        wanted.remove(&id);
                    }
                }
                Op::Drop(i) if i < flying.len() => drop(flying.swap_remove(i)),
                Op::Finish(_) | Op::Drop(_) => {}
                Op::Requeue(x) => {
                    let flies = flying.iter().any(|f| f.id() == id(x));
                    if !flies && done.remove(&id(x)) {
                        queue.requeue(&[id(x)], Instant::now());
                    }
                }
                Op::Forget => {
                    queue.forget(source.id);
                    wanted.clear();
                    done.clear();
                }
            }
            let distinct: HashSet<ChunkId> = flying.iter().map(InFlight::id).collect();
            prop_assert_eq!(distinct.len(), flying.len());
            let pending = wanted.iter().filter(|id| !done.contains(id)).count();
            prop_assert_eq!(queue.pending().total(), pending);
            let queued = wanted.iter().filter(|id| !done.contains(id) && !distinct.contains(id)).count();
            prop_assert_eq!(queue.queued_len(), queued);
        }
    }
}
