//! [`Figures`]: the meter's history as curves and as texts, and as CSV. No drawing here.

use crate::loading::{MeterBucket, MeterSnapshot, Percentiles};
use crate::text::count;

const MIB: f64 = 1024.0 * 1024.0;
/// Curves are means over at least this long, or single reads would be spikes of a quarter second.
const SMOOTH_SECS: f64 = 1.0;
/// More points than pixels are not drawn.
const MAX_POINTS: usize = 600;

/// A curve: seconds ago and value, oldest first; NaN where there is no value.
pub(super) type Points = Vec<[f32; 2]>;

/// Unit of the cache's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheUnit {
    /// Below a budget of 1 GiB.
    Mib,
    /// From there on.
    Gib,
}

impl CacheUnit {
    fn of(budget_bytes: u64) -> Self {
        if budget_bytes >= 1 << 30 { Self::Gib } else { Self::Mib }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mib => "MiB",
            Self::Gib => "GiB",
        }
    }

    fn value(self, bytes: u64) -> f64 {
        match self {
            Self::Mib => bytes as f64 / MIB,
            Self::Gib => bytes as f64 / MIB / 1024.0,
        }
    }

    fn text(self, bytes: u64) -> String {
        match self {
            Self::Mib => format!("{:.0}", self.value(bytes)),
            Self::Gib => format!("{:.2}", self.value(bytes)),
        }
    }
}

/// Current values as texts, without units except per cent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NowTexts {
    pub(super) read: String,
    pub(super) decoded: String,
    pub(super) p50: String,
    pub(super) p95: String,
    pub(super) p99: String,
    pub(super) waiting: String,
    pub(super) done: String,
    pub(super) cache_used: String,
    pub(super) cache_budget: String,
    pub(super) hits: String,
}

/// What graphs and strip show.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    /// MiB/s.
    pub(super) read: Points,
    /// MiB/s.
    pub(super) decoded: Points,
    /// Milliseconds.
    pub(super) p50: Points,
    /// Milliseconds.
    pub(super) p95: Points,
    /// Milliseconds.
    pub(super) p99: Points,
    /// Chunks.
    pub(super) waiting: Points,
    /// Chunks per second.
    pub(super) done: Points,
    /// In `cache_unit`.
    pub(super) cache: Points,
    /// In `cache_unit`.
    pub(super) cache_budget: f64,
    pub(super) cache_unit: CacheUnit,
    /// MiB/s read, evenly spaced over the span; NaN before the history starts.
    pub(super) spark: Vec<f32>,
    pub(super) now: NowTexts,
    /// Whether a curve isn't flat, so that it moves.
    pub(super) is_active: bool,
}

impl Figures {
    /// Curves of the last `span_secs` of a snapshot.
    pub(super) fn of(snapshot: &MeterSnapshot, span_secs: f32, budget_bytes: u64) -> Self {
        let bucket_secs = snapshot.bucket_secs.max(1e-3);
        let in_span = (f64::from(span_secs) / bucket_secs).ceil() as usize + 1;
        let first = snapshot.buckets.len().saturating_sub(in_span);
        let stride = in_span.div_ceil(MAX_POINTS).max(1);
        let window = ((SMOOTH_SECS / bucket_secs).round() as usize).max(stride).max(1);
        let unit = CacheUnit::of(budget_bytes);
        let buckets = &snapshot.buckets;
        let mut figures = Self {
            read: Points::new(),
            decoded: Points::new(),
            p50: Points::new(),
            p95: Points::new(),
            p99: Points::new(),
            waiting: Points::new(),
            done: Points::new(),
            cache: Points::new(),
            cache_budget: unit.value(budget_bytes),
            cache_unit: unit,
            spark: Vec::new(),
            now: NowTexts::default(),
            is_active: snapshot.current.reads > 0 || snapshot.current.queue_len > 0,
        };
        let mut at: Vec<usize> = (first..buckets.len()).rev().step_by(stride).collect();
        at.reverse();
        for index in at {
            let age = (snapshot.current_secs + (buckets.len() - 1 - index) as f64 * bucket_secs) as f32;
            let mean = Mean::of(&buckets[(index + 1).saturating_sub(window)..=index], bucket_secs); // `index` is one of `buckets`
            figures.push(age, &mean, unit);
        }
        // A short history starts at its place in the last minute, not at the left.
        let missing = in_span.div_ceil(stride).saturating_sub(figures.spark.len());
        figures.spark.splice(0..0, std::iter::repeat_n(f32::NAN, missing));
        figures.now = figures.texts(snapshot, bucket_secs, window, budget_bytes);
        figures
    }

    fn push(&mut self, age: f32, mean: &Mean, unit: CacheUnit) {
        self.is_active |= mean.read > 0.0 || mean.done > 0.0;
        self.spark.push(mean.read as f32);
        let latency = |secs: fn(&Percentiles) -> f32| mean.latency.as_ref().map_or(f32::NAN, secs) * 1e3;
        self.p50.push([age, latency(|l| l.p50_secs)]);
        self.p95.push([age, latency(|l| l.p95_secs)]);
        self.p99.push([age, latency(|l| l.p99_secs)]);
        self.read.push([age, mean.read as f32]);
        self.decoded.push([age, mean.decoded as f32]);
        self.waiting.push([age, mean.waiting as f32]);
        self.done.push([age, mean.done as f32]);
        self.cache.push([age, unit.value(mean.cache_bytes) as f32]);
    }

    fn texts(&self, snapshot: &MeterSnapshot, bucket_secs: f64, window: usize, budget_bytes: u64) -> NowTexts {
        let buckets = &snapshot.buckets;
        let mean = Mean::of(&buckets[buckets.len().saturating_sub(window)..], bucket_secs);
        let unit = self.cache_unit;
        // Nothing is read most of the time; the last latency says more than a dash.
        let last = |points: &Points| points.iter().rev().map(|point| point[1]).find(|value| value.is_finite());
        let latency = |points: &Points| last(points).map_or_else(|| "–".to_owned(), |ms| latency_text(f64::from(ms)));
        NowTexts {
            read: three_digits(mean.read),
            decoded: three_digits(mean.decoded),
            p50: latency(&self.p50),
            p95: latency(&self.p95),
            p99: latency(&self.p99),
            waiting: count(u64::from(snapshot.current.queue_len)),
            done: count(mean.done.round() as u64),
            cache_used: unit.text(snapshot.current.cache_bytes),
            cache_budget: unit.text(budget_bytes),
            hits: hits_text(snapshot.totals.cache_hits, snapshot.totals.cache_misses),
        }
    }
}

/// Several buckets together.
#[derive(Debug, Default)]
struct Mean {
    /// MiB/s.
    read: f64,
    /// MiB/s.
    decoded: f64,
    /// Chunks per second.
    done: f64,
    /// The longest of them, `None` if nothing was read.
    latency: Option<Percentiles>,
    /// Chunks, as last seen.
    waiting: u32,
    cache_bytes: u64,
}

impl Mean {
    fn of(buckets: &[MeterBucket], bucket_secs: f64) -> Self {
        let mut mean = Self::default();
        let secs = (buckets.len() as f64 * bucket_secs).max(bucket_secs);
        for bucket in buckets {
            mean.read += bucket.bytes_read as f64 / MIB / secs;
            mean.decoded += bucket.bytes_decoded as f64 / MIB / secs;
            mean.done += f64::from(bucket.chunks) / secs;
            mean.waiting = bucket.queue_len;
            mean.cache_bytes = bucket.cache_bytes;
            if bucket.reads > 0 {
                let longest = mean.latency.get_or_insert_default();
                longest.p50_secs = longest.p50_secs.max(bucket.read.p50_secs);
                longest.p95_secs = longest.p95_secs.max(bucket.read.p95_secs);
                longest.p99_secs = longest.p99_secs.max(bucket.read.p99_secs);
            }
        }
        mean
    }
}

/// `0.0`, `12.4`, `184`.
fn three_digits(value: f64) -> String {
    if value < 99.95 { format!("{value:.1}") } else { count(value.round() as u64) }
}

/// Milliseconds: `0.04`, `5.8`, `120`.
fn latency_text(ms: f64) -> String {
    if ms < 0.995 { format!("{ms:.2}") } else { three_digits(ms) }
}

/// Share of wanted chunks that were in the cache.
fn hits_text(hits: u64, misses: u64) -> String {
    let wanted = hits.saturating_add(misses);
    if wanted == 0 { "–".to_owned() } else { format!("{:.1} %", hits as f64 / wanted as f64 * 100.0) }
}

/// The whole history, a line per quarter second, oldest first.
pub(super) fn csv(snapshot: &MeterSnapshot) -> String {
    let mut out = String::from(
        "seconds_ago,bytes_read,bytes_decoded,reads,chunks,read_p50_ms,read_p95_ms,read_p99_ms,waiting,cache_bytes,cache_hits,cache_misses\n",
    );
    for (index, bucket) in snapshot.buckets.iter().enumerate() {
        let age = snapshot.current_secs + (snapshot.buckets.len() - 1 - index) as f64 * snapshot.bucket_secs;
        let latency = |secs: f32| if bucket.reads == 0 { String::new() } else { format!("{:.3}", secs * 1e3) };
        let MeterBucket { bytes_read, bytes_decoded, reads, chunks, queue_len, cache_bytes, cache_hits, cache_misses, read, .. } = bucket;
        let (p50, p95, p99) = (latency(read.p50_secs), latency(read.p95_secs), latency(read.p99_secs));
        out.push_str(&format!(
            "{age:.2},{bytes_read},{bytes_decoded},{reads},{chunks},{p50},{p95},{p99},{queue_len},{cache_bytes},{cache_hits},{cache_misses}\n"
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(read_mib: &[u64]) -> MeterSnapshot {
        let bucket = |mib: &u64| MeterBucket {
            bytes_read: mib << 20,
            reads: u32::from(*mib > 0),
            chunks: 2,
            read: Percentiles { p50_secs: 0.001, p95_secs: 0.002, p99_secs: 0.003 },
            queue_len: 7,
            cache_bytes: 3 << 29,
            ..MeterBucket::default()
        };
        MeterSnapshot { bucket_secs: 0.25, buckets: read_mib.iter().map(bucket).collect(), current_secs: 0.1, ..MeterSnapshot::default() }
    }

    #[test]
    fn curves_are_rates_over_the_last_second() {
        let figures = Figures::of(&snapshot(&[0, 0, 0, 4, 4, 4, 4]), 60.0, 2 << 30);
        let read: Vec<f32> = figures.read.iter().map(|point| point[1]).collect();
        assert_eq!(read, [0.0, 0.0, 0.0, 4.0, 8.0, 12.0, 16.0]);
        assert_eq!((figures.now.read.as_str(), figures.now.done.as_str()), ("16.0", "8"));
        assert!((figures.read[6][0] - 0.1).abs() < 1e-6 && (figures.read[0][0] - 1.6).abs() < 1e-6);
        assert!(figures.is_active);
    }

    #[test]
    fn without_reads_there_is_no_latency() {
        let figures = Figures::of(&snapshot(&[1, 0, 0, 0, 0, 0]), 60.0, 2 << 30);
        assert!(figures.p95[0][1] > 1.9 && figures.p95[5][1].is_nan());
        assert_eq!(figures.now.p95, "2.0");
        assert_eq!(Figures::of(&snapshot(&[0, 0]), 60.0, 2 << 30).now.p95, "–");
    }

    #[test]
    fn ten_minutes_have_no_more_points_than_pixels() {
        let figures = Figures::of(&snapshot(&vec![1; 2400]), 600.0, 2 << 30);
        assert!(figures.read.len() <= MAX_POINTS);
        assert!(figures.read[0][0] > 598.0 && figures.read.last().is_some_and(|point| point[0] < 0.2));
    }

    #[test]
    fn the_cache_is_shown_in_the_unit_of_its_budget() {
        let figures = Figures::of(&snapshot(&[1]), 60.0, 2 << 30);
        assert_eq!((figures.cache_unit, figures.cache[0][1], figures.now.cache_budget.as_str()), (CacheUnit::Gib, 1.5, "2.00"));
        let figures = Figures::of(&snapshot(&[1]), 60.0, 512 << 20);
        assert_eq!((figures.cache_unit, figures.now.cache_budget.as_str()), (CacheUnit::Mib, "512"));
    }

    #[test]
    fn an_empty_history_is_no_fault() {
        let figures = Figures::of(&MeterSnapshot::default(), 60.0, 0);
        assert!(figures.read.is_empty() && !figures.is_active);
        assert_eq!(figures.now.hits, "–");
    }

    #[test]
    fn csv_has_a_line_per_bucket_and_blanks_where_nothing_was_read() {
        let csv = csv(&snapshot(&[0, 1]));
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1], "0.35,0,0,0,2,,,,7,1610612736,0,0");
        assert_eq!(lines[2], "0.10,1048576,0,1,2,1.000,2.000,3.000,7,1610612736,0,0");
    }

    #[test]
    fn short_latencies_keep_their_digits() {
        for (ms, text) in [(0.042, "0.04"), (0.84, "0.84"), (0.999, "1.0"), (5.84, "5.8"), (120.4, "120")] {
            assert_eq!(latency_text(ms), text);
        }
    }

    #[test]
    fn hits_are_a_share_of_what_was_wanted() {
        for (hits, misses, text) in [(0, 0, "–"), (3, 1, "75.0 %"), (0, 5, "0.0 %")] {
            assert_eq!(hits_text(hits, misses), text);
        }
    }
}
