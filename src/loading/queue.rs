//! [`LoadQueue`]: which chunks are wanted, which of them is next, and which are being worked on.
//!
//! The wanted set is replaced as a whole, which is also how ranks change. A new set is built beside the old
//! one, so that composing threads that ask for a chunk's state never wait for tens of thousands of them.
//! The queue starts no threads and does no I/O; a test can step it.

use super::chunk_map::ChunkMap;
use super::{ChunkId, ChunkPriority, PriorityTier, SourceId};
use crate::format::ChunkSource;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

/// A chunk that is to be loaded.
#[derive(Clone)]
pub struct WantedChunk {
    /// Which.
    pub id: ChunkId,
    /// What it is read from.
    pub source: Arc<dyn ChunkSource>,
    /// How urgently.
    pub priority: ChunkPriority,
}

/// Wanted chunks that are not there yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PendingCounts {
    /// A pane shows them.
    pub visible: usize,
    /// A pane will probably show them next.
    pub prefetch: usize,
}

impl PendingCounts {
    /// Both together.
    pub const fn total(self) -> usize {
        self.visible + self.prefetch
    }

    fn of(&mut self, tier: PriorityTier) -> &mut usize {
        match tier {
            PriorityTier::Visible => &mut self.visible,
            PriorityTier::Prefetch => &mut self.prefetch,
        }
    }
}

/// What replacing the wanted set did. Chunks that were wanted before count in neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Newly wanted chunks that are cached.
    pub hits: usize,
    /// Newly wanted chunks that must be loaded.
    pub misses: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Queued,
    InFlight,
    Done,
}

struct Entry {
    source: Arc<dyn ChunkSource>,
    priority: ChunkPriority,
    wanted_at: Instant,
    phase: Phase,
}

#[derive(Default)]
struct Inner {
    wanted: ChunkMap<Entry>,
    /// Every queued chunk, and some that were taken since.
    order: BinaryHeap<Reverse<(ChunkPriority, ChunkId)>>,
    /// Chunks being worked on, wanted or not.
    in_flight: ChunkMap<Keep>,
    queued: usize,
    pending: PendingCounts,
    closed: bool,
}

/// Whether the result of work in flight may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Yes.
    Yes,
    /// Its source was forgotten meanwhile.
    No,
}

/// The wanted set. See the module's notes.
#[derive(Default)]
pub struct LoadQueue {
    inner: RwLock<Inner>,
}

/// A chunk taken from the queue.
pub struct Taken {
    /// What it is read from.
    pub source: Arc<dyn ChunkSource>,
    /// How urgent it was.
    pub priority: ChunkPriority,
    /// Since when it has been wanted.
    pub wanted_at: Instant,
    /// Releases it.
    pub mark: InFlight,
}

/// Marks a chunk as being worked on. Dropped without [`InFlight::finish`], the chunk is queued again if it
/// is (or has become) wanted.
pub struct InFlight {
    queue: Arc<LoadQueue>,
    id: ChunkId,
    finished: bool,
}

impl InFlight {
    /// The chunk.
    pub fn id(&self) -> ChunkId {
        self.id
    }

    /// Says that the chunk's result is in the cache, or can't be kept there.
    pub fn finish(mut self) -> Keep {
        self.finished = true;
        self.queue.write().release(self.id, Phase::Done)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if !self.finished {
            self.queue.write().release(self.id, Phase::Queued);
        }
    }
}

impl LoadQueue {
    /// An empty queue.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Replaces the wanted set. Chunks that `is_cached` are done, new ones are queued, those that are left
    /// out are forgotten; work in flight goes on and will ask [`Self::still_wanted`].
    ///
    /// Sets must be replaced by one thread at a time.
    pub fn replace(&self, wanted: Vec<WantedChunk>, is_cached: impl Fn(ChunkId) -> bool, now: Instant) -> Replaced {
        let mut replaced = Replaced::default();
        let mut next = Inner { wanted: ChunkMap::with_capacity_and_hasher(wanted.len(), Default::default()), ..Inner::default() };
        let mut order = Vec::with_capacity(wanted.len());
        let cached: Vec<bool> = wanted.iter().map(|w| is_cached(w.id)).collect(); // before locking: it has locks of its own
        let old = self.read();
        for (WantedChunk { id, source, priority }, cached) in wanted.into_iter().zip(cached) {
            if let Some(twice) = next.wanted.get_mut(&id) {
                // Two panes want it: the more urgent one counts.
                if priority < twice.priority {
                    twice.priority = priority;
                    order.push(Reverse((priority, id)));
                }
                continue;
            }
            let before = old.wanted.get(&id);
            let phase = if cached { Phase::Done } else { Phase::Queued };
            let waiting_since = before.filter(|e| e.phase != Phase::Done).map(|e| e.wanted_at);
            match phase {
                Phase::Done => replaced.hits += usize::from(before.is_none()),
                Phase::Queued | Phase::InFlight => {
                    replaced.misses += usize::from(waiting_since.is_none());
                    order.push(Reverse((priority, id)));
                }
            }
            next.wanted.insert(id, Entry { source, priority, wanted_at: waiting_since.unwrap_or(now), phase });
        }
        drop(old);
        next.order = BinaryHeap::from(order);
        next.recount();
        let forgotten = self.write().install(next);
        drop(forgotten); // outside the lock: it may hold the last use of a source
        // Until now the old set decided what may be evicted.
        let there: Vec<ChunkId> = self.done();
        let lost: Vec<ChunkId> = there.into_iter().filter(|id| !is_cached(*id)).collect();
        self.requeue(&lost, now);
        replaced
    }

    /// Wanted chunks that are there.
    fn done(&self) -> Vec<ChunkId> {
        self.read().wanted.iter().filter(|(_, entry)| entry.phase == Phase::Done).map(|(id, _)| *id).collect()
    }

    /// Takes the most urgent queued chunk.
    pub fn pop_most_urgent(self: &Arc<Self>) -> Option<Taken> {
        let mut inner = self.write();
        while let Some(Reverse((_, id))) = inner.order.pop() {
            if let Some(taken) = inner.take(id) {
                return Some(self.taken(id, taken));
            }
        }
        None
    }

    /// Takes those of `ids` that are queued.
    pub fn take(self: &Arc<Self>, ids: &[ChunkId]) -> Vec<Taken> {
        let mut inner = self.write();
        ids.iter().filter_map(|id| inner.take(*id).map(|taken| self.taken(*id, taken))).collect()
    }

    /// Keeps those of `ids` that are queued.
    pub fn retain_queued(&self, ids: &mut Vec<ChunkId>) {
        let inner = self.read();
        ids.retain(|id| inner.wanted.get(id).is_some_and(|e| e.phase == Phase::Queued));
    }

    /// Whether it is worth going on with a chunk.
    pub fn still_wanted(&self, id: ChunkId) -> bool {
        self.read().wanted.contains_key(&id)
    }

    /// How urgently a chunk is wanted, whether or not it is there.
    pub fn priority(&self, id: ChunkId) -> Option<ChunkPriority> {
        self.read().wanted.get(&id).map(|e| e.priority)
    }

    /// Whether a chunk is queued, or wanted and being worked on.
    pub fn is_pending(&self, id: ChunkId) -> bool {
        self.read().wanted.get(&id).is_some_and(|e| e.phase != Phase::Done)
    }

    /// Wanted chunks that are not there yet.
    pub fn pending(&self) -> PendingCounts {
        self.read().pending
    }

    /// Chunks that wait to be taken.
    pub fn queued_len(&self) -> usize {
        self.read().queued
    }

    /// Queues wanted chunks again whose results were thrown away.
    pub fn requeue(&self, ids: &[ChunkId], now: Instant) {
        let mut inner = self.write();
        for id in ids {
            inner.queue_again(*id, Phase::Done, Some(now));
        }
    }

    /// Wants nothing of a source any more, and keeps no result of work in flight for it.
    pub fn forget(&self, source: SourceId) {
        let mut inner = self.write();
        let forgotten: Vec<_> = inner.wanted.extract_if(|id, _| id.source == source).collect();
        inner.recount();
        for (id, keep) in &mut inner.in_flight {
            if id.source == source {
                *keep = Keep::No;
            }
        }
        drop(inner);
        drop(forgotten);
    }

    /// Forgets everything and takes nothing more.
    pub fn close(&self) {
        let closed = Inner { closed: true, ..Inner::default() };
        let forgotten = self.write().install(closed);
        drop(forgotten);
    }

    fn taken(self: &Arc<Self>, id: ChunkId, (source, priority, wanted_at): (Arc<dyn ChunkSource>, ChunkPriority, Instant)) -> Taken {
        Taken { source, priority, wanted_at, mark: InFlight { queue: self.clone(), id, finished: false } }
    }

    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Becomes `next`, except for work in flight. Returns what it was.
    fn install(&mut self, mut next: Self) -> Self {
        next.closed |= self.closed;
        if next.closed {
            next = Self { closed: true, ..Self::default() };
        }
        next.in_flight = std::mem::take(&mut self.in_flight);
        for id in next.in_flight.keys() {
            if let Some(entry) = next.wanted.get_mut(id).filter(|e| e.phase == Phase::Queued) {
                entry.phase = Phase::InFlight;
                next.queued -= 1;
            }
        }
        std::mem::replace(self, next)
    }

    fn recount(&mut self) {
        self.pending = PendingCounts::default();
        self.queued = 0;
        for entry in self.wanted.values() {
            self.queued += usize::from(entry.phase == Phase::Queued);
            *self.pending.of(entry.priority.tier) += usize::from(entry.phase != Phase::Done);
        }
    }

    fn take(&mut self, id: ChunkId) -> Option<(Arc<dyn ChunkSource>, ChunkPriority, Instant)> {
        let entry = self.wanted.get_mut(&id).filter(|e| e.phase == Phase::Queued)?;
        entry.phase = Phase::InFlight;
        self.queued -= 1;
        self.in_flight.insert(id, Keep::Yes);
        Some((entry.source.clone(), entry.priority, entry.wanted_at))
    }

    /// Ends work in flight with the phase that follows from it.
    fn release(&mut self, id: ChunkId, phase: Phase) -> Keep {
        let keep = self.in_flight.remove(&id).unwrap_or(Keep::No);
        match phase {
            Phase::Done => {
                if let Some(entry) = self.wanted.get_mut(&id).filter(|e| e.phase == Phase::InFlight) {
                    entry.phase = Phase::Done;
                    *self.pending.of(entry.priority.tier) -= 1;
                }
            }
            Phase::Queued | Phase::InFlight => self.queue_again(id, Phase::InFlight, None),
        }
        keep
    }

    fn queue_again(&mut self, id: ChunkId, from: Phase, wanted_at: Option<Instant>) {
        let Some(entry) = self.wanted.get_mut(&id).filter(|e| e.phase == from) else { return };
        entry.phase = Phase::Queued;
        entry.wanted_at = wanted_at.unwrap_or(entry.wanted_at);
        self.queued += 1;
        *self.pending.of(entry.priority.tier) += usize::from(from == Phase::Done);
        self.order.push(Reverse((entry.priority, id)));
    }
}

#[cfg(test)]
mod tests;
