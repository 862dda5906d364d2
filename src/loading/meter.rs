//! [`ThroughputMeter`]: what loading has done, in total and over the last ten minutes.
//!
//! Reading threads and workers record; the throughput panel and the status bar take a
//! [`MeterSnapshot`] each frame. Times are passed in, so tests need no sleeping.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Length of one bucket of history.
const BUCKET: Duration = Duration::from_millis(250);
/// Buckets kept: ten minutes.
pub const HISTORY_BUCKETS: usize = 2400;

/// What one step of loading took. A read that several chunks share is one sample with `chunks` 0; each
/// chunk that gets done is another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadSample {
    /// Stored bytes that were read.
    pub bytes_read: u64,
    /// Voxel bytes that came out of decoding.
    pub bytes_decoded: u64,
    /// Chunks that are done: ready, missing or failed.
    pub chunks: u64,
    /// Time from being wanted to being taken by a reading thread.
    pub queued_secs: f64,
    /// Time of locating and reading.
    pub read_secs: f64,
    /// Time of decoding.
    pub decode_secs: f64,
    /// Time from being wanted to being done, waiting for a worker included.
    pub ready_secs: f64,
}

/// Sums since the program started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeterTotals {
    /// Stored bytes that were read.
    pub bytes_read: u64,
    /// Voxel bytes that came out of decoding.
    pub bytes_decoded: u64,
    /// Read operations.
    pub reads: u64,
    /// Chunks that are done.
    pub chunks: u64,
    /// Wanted chunks that were in the cache.
    pub cache_hits: u64,
    /// Wanted chunks that had to be loaded.
    pub cache_misses: u64,
    /// Chunks dropped because nobody wanted them any more.
    pub dropped: u64,
    /// Seconds chunks waited for a reading thread, summed over chunks.
    pub queued_secs: f64,
    /// Seconds spent reading, summed over threads.
    pub read_secs: f64,
    /// Seconds spent decoding, summed over threads.
    pub decode_secs: f64,
}

/// Median and tail of a bucket's latencies in seconds, to within 5 %; zeros if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentiles {
    /// Half of them were at most this.
    pub p50_secs: f32,
    /// 95 in 100 were at most this.
    pub p95_secs: f32,
    /// 99 in 100 were at most this.
    pub p99_secs: f32,
}

/// A quarter second of history.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeterBucket {
    /// Stored bytes that were read.
    pub bytes_read: u64,
    /// Voxel bytes that came out of decoding.
    pub bytes_decoded: u64,
    /// Read operations.
    pub reads: u32,
    /// Chunks that got done.
    pub chunks: u32,
    /// Wanted chunks that were in the cache.
    pub cache_hits: u32,
    /// Wanted chunks that had to be loaded.
    pub cache_misses: u32,
    /// Seconds spent reading, summed over threads.
    pub read_secs: f32,
    /// Seconds spent decoding, summed over threads.
    pub decode_secs: f32,
    /// Latency of read operations.
    pub read: Percentiles,
    /// Latency from wanted to done.
    pub ready: Percentiles,
    /// Chunks queued or in flight, as last seen.
    pub queue_len: u32,
    /// Bytes in the cache, as last seen.
    pub cache_bytes: u64,
}

/// State of the meter at one time.
#[derive(Clone, Debug, Default)]
pub struct MeterSnapshot {
    /// Sums since the start.
    pub totals: MeterTotals,
    /// Length of one bucket in seconds.
    pub bucket_secs: f64,
    /// Completed buckets, oldest first, at most [`HISTORY_BUCKETS`]; the last one ended less than
    /// `bucket_secs` ago. Where nothing happened, flows are 0 and levels are as last seen.
    pub buckets: Vec<MeterBucket>,
    /// The bucket that is being filled.
    pub current: MeterBucket,
    /// How long it has been filled, in seconds.
    pub current_secs: f64,
}

/// Sums what loading does. All methods may be called from any thread; none waits for more than a few
/// additions, or the copy of a snapshot.
#[derive(Debug)]
pub struct ThroughputMeter {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    totals: MeterTotals,
    history: VecDeque<MeterBucket>,
    current: MeterBucket,
    current_start: Instant,
    read: Histogram,
    ready: Histogram,
}

impl ThroughputMeter {
    /// A meter whose history starts at `now`.
    pub fn new(now: Instant) -> Self {
        let inner = Inner {
            totals: MeterTotals::default(),
            history: VecDeque::new(),
            current: MeterBucket::default(),
            current_start: now,
            read: Histogram::default(),
            ready: Histogram::default(),
        };
        Self { inner: Mutex::new(inner) }
    }

    /// Adds a sample to the bucket of `now`.
    pub fn record(&self, now: Instant, sample: &LoadSample) {
        let mut inner = self.lock();
        inner.advance(now);
        let Inner { totals, current, read, ready, .. } = &mut *inner;
        let LoadSample { bytes_read, bytes_decoded, chunks, queued_secs, read_secs, decode_secs, ready_secs } = *sample;
        totals.bytes_read += bytes_read;
        totals.bytes_decoded += bytes_decoded;
        totals.chunks += chunks;
        totals.queued_secs += queued_secs;
        totals.read_secs += read_secs;
        totals.decode_secs += decode_secs;
        current.bytes_read += bytes_read;
        current.bytes_decoded += bytes_decoded;
        current.chunks = current.chunks.saturating_add(saturate(chunks));
        current.read_secs += read_secs as f32;
        current.decode_secs += decode_secs as f32;
        if bytes_read > 0 {
            totals.reads += 1;
            current.reads = current.reads.saturating_add(1);
            read.add(read_secs);
        }
        if chunks > 0 {
            ready.add(ready_secs);
        }
    }

    /// Adds the outcome of wanting chunks.
    pub fn record_wanted(&self, now: Instant, hits: usize, misses: usize) {
        let mut inner = self.lock();
        inner.advance(now);
        inner.totals.cache_hits += hits as u64;
        inner.totals.cache_misses += misses as u64;
        inner.current.cache_hits = inner.current.cache_hits.saturating_add(saturate(hits as u64));
        inner.current.cache_misses = inner.current.cache_misses.saturating_add(saturate(misses as u64));
    }

    /// Counts chunks that nobody wanted any more.
    pub fn record_dropped(&self, chunks: u64) {
        self.lock().totals.dropped += chunks;
    }

    /// Notes how full queue and cache are.
    pub fn record_levels(&self, now: Instant, queue_len: usize, cache_bytes: u64) {
        let mut inner = self.lock();
        inner.advance(now);
        inner.current.queue_len = saturate(queue_len as u64);
        inner.current.cache_bytes = cache_bytes;
    }

    /// Totals and history up to `now`.
    pub fn snapshot(&self, now: Instant) -> MeterSnapshot {
        let mut inner = self.lock();
        inner.advance(now);
        MeterSnapshot {
            totals: inner.totals,
            bucket_secs: BUCKET.as_secs_f64(),
            buckets: inner.history.iter().copied().collect(),
            current: inner.finished_current(),
            current_secs: now.saturating_duration_since(inner.current_start).as_secs_f64(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Completes the buckets that ended before `now`. A clock that stands behind changes nothing.
    fn advance(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.current_start);
        if elapsed < BUCKET {
            return;
        }
        let ended = elapsed.as_nanos() / BUCKET.as_nanos();
        let idle = MeterBucket { queue_len: self.current.queue_len, cache_bytes: self.current.cache_bytes, ..MeterBucket::default() };
        let finished = self.finished_current();
        self.push(finished);
        // More idle buckets than the ring holds look the same as a ring of them.
        for _ in 1..ended.min(HISTORY_BUCKETS as u128 + 1) {
            self.push(idle);
        }
        self.current = idle;
        self.read.clear();
        self.ready.clear();
        let into_current = Duration::from_nanos(u64::try_from(elapsed.as_nanos() % BUCKET.as_nanos()).unwrap_or(0));
        self.current_start = now.checked_sub(into_current).unwrap_or(now);
    }

    fn push(&mut self, bucket: MeterBucket) {
        if self.history.len() >= HISTORY_BUCKETS {
            self.history.pop_front();
        }
        self.history.push_back(bucket);
    }

    fn finished_current(&self) -> MeterBucket {
        MeterBucket { read: self.read.percentiles(), ready: self.ready.percentiles(), ..self.current }
    }
}

fn saturate(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Counts latencies in steps of a sixteenth of an octave (4.4 %), from a microsecond to some hours.
#[derive(Debug)]
struct Histogram {
    counts: Vec<u32>,
    total: u32,
}

const STEPS_PER_OCTAVE: f64 = 16.0;
const STEPS: usize = 34 * 16;
const SHORTEST_SECS: f64 = 1e-6;

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; STEPS], total: 0 }
    }
}

impl Histogram {
    fn add(&mut self, secs: f64) {
        let step = ((secs / SHORTEST_SECS).max(1.0).log2() * STEPS_PER_OCTAVE).ceil() as usize; // positive, saturates
        if let Some(count) = self.counts.get_mut(step.min(STEPS - 1)) {
            *count = count.saturating_add(1);
            self.total = self.total.saturating_add(1);
        }
    }

    fn clear(&mut self) {
        if self.total > 0 {
            self.counts.fill(0);
            self.total = 0;
        }
    }

    fn percentiles(&self) -> Percentiles {
        Percentiles { p50_secs: self.at(0.50), p95_secs: self.at(0.95), p99_secs: self.at(0.99) }
    }

    /// Upper end of the step in which the `part`-th of all latencies lies.
    fn at(&self, part: f64) -> f32 {
        let wanted = (f64::from(self.total) * part).ceil() as u64;
        let mut seen = 0;
        for (step, count) in self.counts.iter().enumerate().take_while(|_| wanted > 0) {
            seen += u64::from(*count);
            if seen >= wanted {
                return (SHORTEST_SECS * (step as f64 / STEPS_PER_OCTAVE).exp2()) as f32;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(bytes_read: u64, read_secs: f64) -> LoadSample {
        LoadSample { bytes_read, read_secs, ..LoadSample::default() }
    }

    #[test]
    fn samples_fall_into_the_bucket_of_their_time_and_idle_buckets_are_zero() {
        let start = Instant::now();
        let meter = ThroughputMeter::new(start);
        meter.record(start, &read_of(10, 0.001));
        meter.record(start + BUCKET * 3, &read_of(30, 0.001));
        let snapshot = meter.snapshot(start + BUCKET * 4 + BUCKET / 2);
        let read: Vec<u64> = snapshot.buckets.iter().map(|b| b.bytes_read).collect();
        assert_eq!(read, [10, 0, 0, 30]);
        assert_eq!((snapshot.totals.bytes_read, snapshot.totals.reads), (40, 2));
        assert!((snapshot.current_secs - 0.125).abs() < 1e-6);
    }

    #[test]
    fn history_is_a_ring() {
        let start = Instant::now();
        let meter = ThroughputMeter::new(start);
        meter.record(start, &read_of(10, 0.001));
        let end = start + BUCKET * (HISTORY_BUCKETS as u32 * 3);
        meter.record(end, &read_of(7, 0.001));
        let snapshot = meter.snapshot(end + BUCKET);
        assert_eq!(snapshot.buckets.len(), HISTORY_BUCKETS);
        assert_eq!(snapshot.buckets.iter().map(|b| b.bytes_read).sum::<u64>(), 7);
        assert_eq!(snapshot.buckets.last().map(|b| b.bytes_read), Some(7));
    }

    #[test]
    fn percentiles_are_within_five_percent() {
        let start = Instant::now();
        let meter = ThroughputMeter::new(start);
        for i in 1..=1000 {
            meter.record(start, &read_of(1, f64::from(i) * 1e-3));
        }
        let read = meter.snapshot(start).current.read;
        for (found, expected) in [(read.p50_secs, 0.5), (read.p95_secs, 0.95), (read.p99_secs, 0.99)] {
            assert!((found / expected - 1.0).abs() < 0.05, "{found} for {expected}");
        }
    }

    #[test]
    fn levels_last_until_they_change_and_hits_are_counted() {
        let start = Instant::now();
        let meter = ThroughputMeter::new(start);
        meter.record_levels(start, 5, 100);
        meter.record_wanted(start, 3, 2);
        let snapshot = meter.snapshot(start + BUCKET * 2);
        assert_eq!(
            snapshot.buckets.iter().map(|b| (b.queue_len, b.cache_bytes, b.cache_hits)).collect::<Vec<_>>(),
            [(5, 100, 3), (5, 100, 0)]
        );
        assert_eq!((snapshot.totals.cache_hits, snapshot.totals.cache_misses), (3, 2));
    }

    #[test]
    fn a_clock_that_goes_back_is_harmless() {
        let start = Instant::now();
        let meter = ThroughputMeter::new(start + BUCKET);
        meter.record(start, &read_of(1, f64::NAN));
        assert_eq!(meter.snapshot(start).totals.bytes_read, 1);
    }
}
