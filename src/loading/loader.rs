//! [`ChunkLoader`]: the loading machinery as the rest of the program sees it.

use super::event::{EVENT_CAPACITY, EventReceiver, event_channel};
use super::job::Shared;
use super::pool::{PoolError, cores};
use super::room::Room;
use super::{
    ChunkCache, ChunkId, ChunkLookup, ChunkState, LoadQueue, LoaderEvent, PendingCounts, SourceId, ThroughputMeter, UiWaker, WantedChunk,
    WorkPool,
};
use crate::storage::{LocalFolder, Storage, StorageKey};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

/// Memory for decoded chunks where nothing else is said, in bytes.
pub const DEFAULT_MAX_BYTES: u64 = 1 << 30;

/// Stored bytes that may wait for decoding, unless the cache is small.
const MAX_ENCODED_BYTES: u64 = 64 << 20;

/// How much loading may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoaderConfig {
    /// Memory for decoded chunks in bytes.
    pub max_bytes: u64,
    /// Threads that read.
    pub read_threads: usize,
    /// Threads that decode and compose.
    pub worker_threads: usize,
}

impl Default for LoaderConfig {
    fn default() -> Self {
        let cores = cores();
        let quarter = memory_bytes().map_or(DEFAULT_MAX_BYTES, |bytes| bytes / 4);
        Self { max_bytes: quarter.min(DEFAULT_MAX_BYTES), read_threads: (cores * 2).clamp(4, 32), worker_threads: cores.max(2) }
    }
}

/// Memory of this machine, where the system tells it in a file.
pub fn memory_bytes() -> Option<u64> {
    // The line asked for is the first one; the file has no length of its own, so it is read at a position.
    let mut start = [0; 512];
    let len = LocalFolder::new("/proc").read_at(&StorageKey::new("meminfo")?, 0, &mut start).ok()??;
    memory_from_meminfo(&String::from_utf8_lossy(start.get(..len)?))
}

fn memory_from_meminfo(text: &str) -> Option<u64> {
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Loads wanted chunks in the background and keeps them. Used by the UI thread; nothing here waits for a
/// read or a job.
///
/// Dropping it ends loading without waiting for reads in progress.
pub struct ChunkLoader {
    shared: Arc<Shared>,
    /// Taken when dropped, so that threads that wait for the UI go on.
    events: Option<EventReceiver>,
}

impl ChunkLoader {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system grants no more threads.
    pub fn new(config: LoaderConfig, waker: UiWaker) -> Result<Self, PoolError> {
        let pool = WorkPool::new(config.read_threads, config.worker_threads)?;
        Ok(Self::with_pool(config, waker, pool, EVENT_CAPACITY))
    }

    pub(super) fn with_pool(config: LoaderConfig, waker: UiWaker, pool: WorkPool, event_capacity: usize) -> Self {
        let (sender, receiver) = event_channel(event_capacity, waker);
        let shared = Shared {
            queue: LoadQueue::new(),
            cache: ChunkCache::new(config.max_bytes),
            meter: ThroughputMeter::new(Instant::now()),
            room: Room::new(encoded_bytes_for(config.max_bytes)),
            pool,
            events: sender,
            read_threads: config.read_threads.max(1),
            readers: AtomicUsize::new(0),
        };
        Self { shared: Arc::new(shared), events: Some(receiver) }
    }

    #[cfg(test)]
    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Replaces the set of wanted chunks: cached ones are there at once, queued ones get their new rank, new
    /// ones are queued, the rest is forgotten. If they can't all be held, the least urgent are left out.
    pub fn want(&self, mut wanted: Vec<WantedChunk>) {
        keep_what_fits(&mut wanted, self.shared.cache.ready_capacity());
        let now = Instant::now();
        let replaced = self.shared.queue.replace(wanted, |id| self.shared.cache.contains(id), now);
        self.shared.meter.record_wanted(now, replaced.hits, replaced.misses);
        self.shared.start_readers();
    }

    /// What happened since the last call, taken for at most `budget` (but at least one event). Wakes again
    /// if there is more.
    pub fn drain(&self, budget: Duration) -> Vec<LoaderEvent> {
        self.shared.meter.record_levels(Instant::now(), self.pending().total(), self.shared.cache.used_bytes());
        self.events.as_ref().map(|events| events.drain(budget)).unwrap_or_default()
    }

    /// For looking chunks up on other threads.
    pub fn lookup(&self) -> Arc<dyn ChunkLookup + Send> {
        self.shared.clone()
    }

    /// Runs a job on a worker, ahead of all decoding. The job sends its result by a channel of its own.
    /// `false` if it was not taken because too many wait.
    pub fn spawn_compose(&self, job: impl FnOnce() + Send + 'static) -> bool {
        self.shared.pool.spawn_compose(job)
    }

    /// Wanted chunks that are not there yet.
    pub fn pending(&self) -> PendingCounts {
        self.shared.queue.pending()
    }

    /// Loads failed chunks again: wanted ones now, others once they are wanted.
    pub fn retry_failed(&self) {
        let failed = self.shared.cache.take_failed();
        self.shared.queue.requeue(&failed, Instant::now());
        self.shared.start_readers();
    }

    /// Forgets all about a closed level, also what is still on its way.
    pub fn forget(&self, source: SourceId) {
        self.shared.queue.forget(source);
        self.shared.cache.remove_source(source);
    }

    /// What loading has done.
    pub fn meter(&self) -> &ThroughputMeter {
        &self.shared.meter
    }

    /// Bytes in the cache.
    pub fn cache_bytes(&self) -> u64 {
        self.shared.cache.used_bytes()
    }

    /// Memory for decoded chunks in bytes.
    pub fn max_bytes(&self) -> u64 {
        self.shared.cache.max_bytes()
    }

    /// Changes the memory for decoded chunks, evicting at once what is too much.
    pub fn set_max_bytes(&self, max_bytes: u64) {
        self.shared.cache.set_max_bytes(max_bytes, &|id| self.shared.queue.priority(id));
        self.shared.room.set_max_bytes(encoded_bytes_for(max_bytes));
        self.shared.start_readers();
    }

    /// What a wanted set should take at most, so that chunks seen before stay in the other half.
    pub fn wanted_budget_bytes(&self) -> u64 {
        self.max_bytes() / 2
    }
}

impl ChunkLookup for ChunkLoader {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        self.shared.chunk(id)
    }
}

impl Drop for ChunkLoader {
    fn drop(&mut self) {
        self.shared.queue.close(); // tickets become no-ops
        self.shared.pool.close();
        self.events.take(); // threads waiting for the UI return
        // Pools end by themselves when the last ticket has dropped its share. A worker frees the cache.
        let shared = self.shared.clone();
        self.shared.pool.spawn_last(move || drop(shared));
    }
}

/// Bytes that may be read ahead of decoding: an eighth of a small cache.
fn encoded_bytes_for(max_bytes: u64) -> u64 {
    MAX_ENCODED_BYTES.min(max_bytes / 8)
}

/// Leaves out the least urgent chunks if all together are more than `capacity` bytes. Chunks that don't fit at
/// all stay: loading them ends in an error that says so.
fn keep_what_fits(wanted: &mut Vec<WantedChunk>, capacity: u64) {
    let weight = |w: &WantedChunk| {
        let weight = ChunkCache::weight_of(w.source.chunk_byte_len().unwrap_or(0) as u64);
        if weight > capacity { 0 } else { weight }
    };
    if wanted.iter().map(weight).fold(0, u64::saturating_add) <= capacity {
        return;
    }
    wanted.sort_by_key(|w| (w.priority, w.id));
    let mut total = 0_u64;
    let fitting = wanted.iter().take_while(|w| {
        total = total.saturating_add(weight(w));
        total <= capacity
    });
    let count = fitting.count();
    wanted.truncate(count);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_kib() {
        assert_eq!(memory_from_meminfo("MemTotal:       16314592 kB\nMemFree: 1 kB\n"), Some(16_314_592 * 1024));
        assert_eq!(memory_from_meminfo("MemTotal: lots\n"), None);
        assert_eq!(memory_from_meminfo(""), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        assert!(memory_bytes().is_some_and(|bytes| bytes > 1 << 20));
        let LoaderConfig { max_bytes, read_threads, worker_threads } = LoaderConfig::default();
        assert!(max_bytes > 0 && max_bytes <= DEFAULT_MAX_BYTES && (4..=32).contains(&read_threads) && worker_threads >= 2);
    }
}
