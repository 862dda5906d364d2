//! Loading as a whole, stepped: no threads but where a test is about them, and no sleeps.

use super::job::ReadStep;
use super::test_source::{CHUNK_BYTES, TestSource, index, prefetch, visible, warning};
use super::{ChunkLoader, ChunkLookup, ChunkState, LoaderConfig, LoaderEvent, PendingCounts, UiWaker, WantedChunk, WorkPool};
use crate::format::ChunkFault;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

fn config(max_bytes: u64) -> LoaderConfig {
    LoaderConfig { max_bytes, read_threads: 2, worker_threads: 2 }
}

fn stepped(max_bytes: u64) -> ChunkLoader {
    ChunkLoader::with_pool(config(max_bytes), UiWaker::none(), WorkPool::stepped(), 1 << 16)
}

fn threaded() -> ChunkLoader {
    ChunkLoader::new(config(1 << 20), UiWaker::none()).expect("a few threads")
}

impl ChunkLoader {
    fn read_step(&self) -> ReadStep {
        self.shared().read_step()
    }

    /// Steps until nothing is left to do.
    fn run_all(&self) {
        loop {
            let read = self.read_step() == ReadStep::Worked;
            let worked = self.shared().pool.work_step();
            if !read && !worked {
                return;
            }
        }
    }
}

fn is_ready(state: &ChunkState) -> bool {
    matches!(state, ChunkState::Ready(_))
}

#[test]
fn the_most_urgent_chunk_is_read_first() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let [far, near, soon] = [source.chunk(0, 0, 0), source.chunk(2, 0, 0), source.chunk(2, 2, 0)];
    let want = |id, priority| WantedChunk { id, source: source.clone(), priority };
    loader.want(vec![want(far, visible(9)), want(soon, prefetch(0)), want(near, visible(1))]);
    assert_eq!(loader.pending(), PendingCounts { visible: 2, prefetch: 1 });
    loader.run_all();
    let starts: Vec<u64> = source.reads().iter().map(|r| r.0 / CHUNK_BYTES).collect();
    assert_eq!(starts, [2, 0, 10]);
    assert_eq!(loader.pending(), PendingCounts::default());
}

#[test]
fn wanting_again_changes_the_order() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let (a, b) = (source.chunk(0, 0, 0), source.chunk(2, 0, 0));
    loader.want(source.wanted(&[a, b]));
    loader.want(source.wanted(&[b, a]));
    loader.run_all();
    assert_eq!(source.reads().iter().map(|r| r.0 / CHUNK_BYTES).collect::<Vec<_>>(), [2, 0]);
}

#[test]
fn chunks_that_are_no_longer_wanted_are_not_read() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    loader.want(source.wanted(&[source.chunk(0, 0, 0), source.chunk(0, 2, 0)]));
    loader.want(source.wanted(&[source.chunk(0, 2, 0)]));
    loader.run_all();
    assert_eq!(source.reads().len(), 1);
    assert!(matches!(loader.chunk(source.chunk(0, 0, 0)), ChunkState::Unknown));
}

#[test]
fn a_chunk_that_is_unwanted_while_it_is_read_is_not_decoded() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let id = source.chunk(0, 0, 0);
    loader.want(source.wanted(&[id]));
    assert_eq!(loader.read_step(), ReadStep::Worked);
    loader.want(Vec::new());
    loader.run_all();
    assert!(matches!(loader.chunk(id), ChunkState::Unknown));
    assert_eq!(loader.meter().snapshot(Instant::now()).totals.dropped, 1);
}

#[test]
fn a_chunk_dropped_in_flight_and_wanted_again_is_loaded() {
    let (loader, source) = (Arc::new(stepped(1 << 20)), TestSource::new());
    let id = source.chunk(0, 0, 0);
    loader.want(source.wanted(&[id]));
    assert_eq!(loader.read_step(), ReadStep::Worked);
    loader.want(Vec::new());
    loader.want(source.wanted(&[id])); // in flight, so not queued a second time
    assert_eq!(loader.read_step(), ReadStep::Rest);
    loader.run_all();
    assert!(is_ready(&loader.chunk(id)));
    assert_eq!(source.reads().len(), 1);
}

#[test]
fn adjacent_chunks_come_with_one_read() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let row: Vec<_> = [2, 0, 3, 1].iter().map(|x| source.chunk(*x, 1, 0)).collect();
    let apart = source.chunk(0, 3, 0);
    loader.want(source.wanted(&[row.clone(), vec![apart]].concat()));
    loader.run_all();
    assert_eq!(source.reads(), [(4 * CHUNK_BYTES, 4 * 512), (12 * CHUNK_BYTES, 512)]);
    assert!(row.iter().all(|id| is_ready(&loader.chunk(*id))));
}

#[test]
fn reads_end_at_the_shard() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    loader.want(source.wanted(&[source.chunk(3, 3, 3), source.chunk(4, 3, 3)]));
    loader.run_all();
    assert_eq!(source.reads().len(), 2);
}

#[test]
fn a_failing_run_is_read_chunk_by_chunk_and_blames_the_right_one() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    source.script(|s| s.unreadable.insert(index(1, 0, 0)));
    let row: Vec<_> = (0..3).map(|x| source.chunk(x, 0, 0)).collect();
    loader.want(source.wanted(&row));
    loader.run_all();
    assert!(is_ready(&loader.chunk(row[0])) && is_ready(&loader.chunk(row[2])));
    assert!(matches!(loader.chunk(row[1]), ChunkState::Failed(e) if e.chunk == row[1].chunk));
    assert_eq!(source.reads().len(), 4);
}

#[test]
fn a_panic_in_decoding_fails_that_chunk_only() {
    let (loader, source) = (threaded(), TestSource::new());
    source.script(|s| s.panicking.insert(index(1, 0, 0)));
    let row: Vec<_> = (0..3).map(|x| source.chunk(x, 0, 0)).collect();
    loader.want(source.wanted(&row));
    wait_for(&loader, 3);
    assert!(is_ready(&loader.chunk(row[0])) && is_ready(&loader.chunk(row[2])));
    let ChunkState::Failed(error) = loader.chunk(row[1]) else { panic!("not failed") };
    assert!(matches!(&error.fault, ChunkFault::Internal(text) if text == "on purpose"));
    loader.want(source.wanted(&[source.chunk(0, 2, 0)]));
    wait_for(&loader, 1);
    assert!(is_ready(&loader.chunk(source.chunk(0, 2, 0))));
}

/// Waits until the loader has told of that many chunks.
fn wait_for(loader: &ChunkLoader, chunks: usize) -> Vec<LoaderEvent> {
    let mut events = Vec::new();
    let deadline = Instant::now() + LONG;
    while events.len() < chunks {
        assert!(Instant::now() < deadline, "only {} of {chunks} events came", events.len());
        events.extend(loader.drain(Duration::from_millis(4)));
        crate::loading::pool::yield_now();
    }
    events
}

#[test]
fn a_failed_chunk_stays_failed_until_retried() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let id = source.chunk(0, 0, 0);
    source.script(|s| s.unreadable.insert(id.chunk));
    loader.want(source.wanted(&[id]));
    loader.run_all();
    source.script(|s| s.unreadable.clear());
    loader.want(source.wanted(&[id]));
    loader.run_all();
    assert!(matches!(loader.chunk(id), ChunkState::Failed(_)));
    assert_eq!(source.reads().len(), 1);
    loader.retry_failed();
    assert_eq!(loader.pending().visible, 1);
    loader.run_all();
    assert!(is_ready(&loader.chunk(id)));
}

#[test]
fn missing_chunks_and_warnings_are_told() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let id = source.chunk(0, 0, 0);
    source.script(|s| {
        s.missing.insert(id.chunk);
        s.warnings.push(warning("odd"));
    });
    loader.want(source.wanted(&[id]));
    loader.run_all();
    assert!(matches!(loader.chunk(id), ChunkState::Missing));
    let events = loader.drain(LONG);
    assert!(matches!(&events[..], [LoaderEvent::Changed(changed), LoaderEvent::Warning(w)] if *changed == id && w.text == "odd"));
}

#[test]
fn a_chunk_larger_than_the_cache_fails_and_says_so() {
    let (loader, source) = (stepped(600), TestSource::new());
    let id = source.chunk(0, 0, 0);
    loader.want(source.wanted(&[id]));
    loader.run_all();
    let events = loader.drain(LONG);
    assert!(matches!(&events[..], [LoaderEvent::Failed(failed, e)] if *failed == id && e.to_string().contains("doesn't fit")));
    assert!(source.reads().is_empty());
}

#[test]
fn the_least_urgent_chunks_of_a_set_that_does_not_fit_are_left_out() {
    let (loader, source) = (stepped(8000), TestSource::new());
    let row: Vec<_> = (0..20).map(|x| source.chunk(x, 0, 0)).collect();
    loader.want(source.wanted(&row));
    loader.run_all();
    let ready: Vec<bool> = row.iter().map(|id| is_ready(&loader.chunk(*id))).collect();
    let expected: Vec<bool> = (0..20).map(|i| i < 9).collect(); // 704 bytes each, of 7/8 of 8000
    assert_eq!(ready, expected);
    assert!(loader.cache_bytes() <= 8000);
}

#[test]
fn reading_rests_while_decoding_is_behind_and_goes_on_after_it() {
    let (loader, source) = (stepped(64 << 10), TestSource::new()); // 8 KiB ahead, at least 1 KiB a chunk
    let ids: Vec<_> = (0..20).map(|i| source.chunk(i * 2, 0, 0)).collect();
    loader.want(source.wanted(&ids));
    while loader.read_step() == ReadStep::Worked {}
    assert_eq!((source.reads().len(), loader.shared().room.used_bytes()), (8, 8 << 10));
    assert!(loader.shared().pool.work_step());
    assert_eq!(loader.read_step(), ReadStep::Worked);
    loader.run_all();
    assert!(ids.iter().all(|id| is_ready(&loader.chunk(*id))));
    assert_eq!(loader.shared().room.used_bytes(), 0);
}

#[test]
fn nothing_is_kept_for_a_forgotten_source() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let [done, decoding, queued] = [source.chunk(0, 0, 0), source.chunk(0, 2, 0), source.chunk(2, 2, 2)];
    loader.want(source.wanted(&[done]));
    loader.run_all();
    loader.want(source.wanted(&[done, decoding, queued]));
    assert_eq!(loader.read_step(), ReadStep::Worked);
    loader.forget(source.id);
    loader.run_all();
    assert_eq!((loader.cache_bytes(), loader.pending().total(), source.reads().len()), (0, 0, 2));
}

#[test]
fn cache_hits_and_misses_count_newly_wanted_chunks() {
    let (loader, source) = (stepped(1 << 20), TestSource::new());
    let (a, b) = (source.chunk(0, 0, 0), source.chunk(2, 0, 0));
    loader.want(source.wanted(&[a]));
    loader.run_all();
    loader.want(source.wanted(&[a, b])); // a is wanted since before
    loader.want(source.wanted(&[b]));
    loader.want(source.wanted(&[a, b])); // a is back
    let totals = loader.meter().snapshot(Instant::now()).totals;
    assert_eq!((totals.cache_hits, totals.cache_misses), (1, 2));
}

#[test]
fn workers_wait_for_the_ui_but_not_for_a_loader_that_is_gone() {
    let source = TestSource::new();
    let loader = ChunkLoader::with_pool(config(1 << 20), UiWaker::none(), WorkPool::new(2, 2).expect("a few threads"), 2);
    let ids: Vec<_> = (0..100).map(|i| source.chunk(i * 2, 0, 0)).collect();
    loader.want(source.wanted(&ids));
    assert_eq!(wait_for(&loader, 50).len() / 50, 1);
    let shared = Arc::downgrade(loader.shared());
    drop(loader);
    wait_until(|| shared.strong_count() == 0);
}

fn wait_until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + LONG;
    while !done() {
        assert!(Instant::now() < deadline, "didn't happen");
        crate::loading::pool::yield_now();
    }
}

#[test]
fn closing_does_not_wait_for_a_read_and_its_result_is_dropped() {
    let (loader, source) = (threaded(), TestSource::new());
    let (entered, has_entered) = crossbeam_channel::bounded(1);
    let (release, released) = crossbeam_channel::bounded::<()>(1);
    source.script(|s| {
        s.before_read = Some(Box::new(move |_| {
            entered.send(()).expect("the test waits");
            released.recv().expect("the test releases");
        }));
    });
    loader.want(source.wanted(&[source.chunk(0, 0, 0)]));
    has_entered.recv().expect("a read begins");
    let shared = Arc::downgrade(loader.shared());
    drop(loader); // would hang here
    release.send(()).expect("the read waits");
    wait_until(|| shared.strong_count() == 0);
}

#[test]
fn a_hundred_loaders_come_and_go() {
    let source = TestSource::new();
    let ids: Vec<_> = (0..8).map(|i| source.chunk(i, 0, 0)).collect();
    let gone: Vec<_> = (0..100)
        .map(|i| {
            let loader = threaded();
            loader.want(source.wanted(&ids));
            if i % 2 == 0 {
                wait_for(&loader, ids.len());
            }
            Arc::downgrade(loader.shared())
        })
        .collect();
    wait_until(|| gone.iter().all(|g| g.strong_count() == 0));
}

#[test]
fn compose_jobs_can_look_chunks_up() {
    let (loader, source) = (threaded(), TestSource::new());
    let id = source.chunk(0, 0, 0);
    loader.want(source.wanted(&[id]));
    wait_for(&loader, 1);
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let lookup = loader.lookup();
    assert!(loader.spawn_compose(move || sender.send(is_ready(&lookup.chunk(id))).expect("the test waits")));
    assert_eq!(receiver.recv(), Ok(true));
}

#[test]
fn many_chunks_load_while_the_wanted_set_changes() {
    let (wakes, source) = (Arc::new(AtomicUsize::new(0)), TestSource::new());
    let counted = wakes.clone();
    let waker = UiWaker::new(move || _ = counted.fetch_add(1, Ordering::Relaxed));
    let loader = ChunkLoader::new(LoaderConfig { read_threads: 4, ..config(4 << 20) }, waker).expect("a few threads");
    for step in 0..30 {
        let ids: Vec<_> = (0..40).flat_map(|x| (0..40).map(move |y| (x, y))).map(|(x, y)| source.chunk(x + step, y, 0)).collect();
        loader.want(source.wanted(&ids));
        loader.drain(Duration::from_millis(1));
        if step == 29 {
            wait_until(|| {
                loader.drain(Duration::from_millis(1));
                loader.pending().total() == 0
            });
            assert!(ids.iter().all(|id| is_ready(&loader.chunk(*id))));
        }
    }
    assert!(wakes.load(Ordering::Relaxed) > 0);
    assert!(loader.cache_bytes() <= loader.max_bytes());
}
