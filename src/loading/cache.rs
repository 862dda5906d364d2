//! [`ChunkCache`]: decoded chunks, and what is known of chunks that have no voxels, within a budget in bytes.
//!
//! Written here rather than on `quick_cache`: that evicts by frequency and lets pinned entries exceed its
//! capacity, while here the budget always holds, and which wanted chunk loses is decided by its urgency.
//! Nothing is pinned in the entries themselves: whether a chunk is wanted is asked of the load queue at the
//! time of evicting, so the two can't disagree. Evicting looks at all entries, but frees a sixteenth of the
//! budget at once, so that an insertion costs little on average. Lookups take only a read lock of one of
//! many parts and never wait for that search.

use super::chunk_map::{ChunkHasher, ChunkMap};
use super::{ChunkId, ChunkPriority, ChunkState, SourceId};
use crate::format::ChunkError;
use crate::voxel::VoxelBuffer;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Parts with a lock each: more than there are workers, so that they seldom meet.
const PARTS: usize = 64;
/// What an entry takes beside its voxels, estimated from above.
const ENTRY_BYTES: u64 = 192;
/// What a failed entry takes: the error holds a path.
const FAILED_BYTES: u64 = 640;
/// Share of the budget for missing chunks, the same again for failed ones.
const EMPTY_SHARE: u64 = 16;

/// What is known of a chunk.
#[derive(Clone, Debug)]
pub enum CachedChunk {
    /// Decoded.
    Ready(Arc<VoxelBuffer>),
    /// Not stored: all fill value.
    Missing,
    /// Can't be shown.
    Failed(Arc<ChunkError>),
}

impl CachedChunk {
    fn kind(&self) -> Kind {
        match self {
            Self::Ready(_) => Kind::Ready,
            Self::Missing => Kind::Missing,
            Self::Failed(_) => Kind::Failed,
        }
    }

    fn weight(&self) -> u64 {
        match self {
            Self::Ready(buffer) => buffer.bytes().len() as u64 + ENTRY_BYTES,
            Self::Missing => ENTRY_BYTES,
            Self::Failed(_) => FAILED_BYTES,
        }
    }
}

impl From<CachedChunk> for ChunkState {
    fn from(chunk: CachedChunk) -> Self {
        match chunk {
            CachedChunk::Ready(buffer) => Self::Ready(buffer),
            CachedChunk::Missing => Self::Missing,
            CachedChunk::Failed(error) => Self::Failed(error),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ready,
    Missing,
    Failed,
}

struct Entry {
    chunk: CachedChunk,
    weight: u64,
    /// Value of the cache's clock at the last use.
    used_at: AtomicU64,
}

/// How much of the budget is taken, by kind.
#[derive(Clone, Copy, Debug, Default)]
struct Ledger {
    max_bytes: u64,
    ready: u64,
    missing: u64,
    failed: u64,
}

impl Ledger {
    fn used(&self) -> u64 {
        self.ready + self.missing + self.failed
    }

    fn of(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Ready => &mut self.ready,
            Kind::Missing => &mut self.missing,
            Kind::Failed => &mut self.failed,
        }
    }

    fn empty_max(&self) -> u64 {
        self.max_bytes / EMPTY_SHARE
    }
}

/// Says whether a chunk is wanted, and how urgently.
pub type WantedBy<'a> = &'a dyn Fn(ChunkId) -> Option<ChunkPriority>;

/// An entry that could go, and what it is worth. Greater goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Wanted(ChunkPriority),
    /// Time of last use, later is worth more.
    Unwanted(Reverse<u64>),
}

/// Room that has to be made.
struct Need<'a> {
    /// What may go.
    kinds: &'a [Kind],
    /// Bytes that must go.
    excess: u64,
    /// Further bytes that go if nobody wants them, so that the next insertions find room.
    slack: u64,
    /// Only what is worth less goes.
    than: Option<Worth>,
}

/// What came of an insertion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Insertion {
    /// Whether the chunk is kept.
    pub is_kept: bool,
    /// Chunks that went because nobody wanted them, and that somebody wanted by the time they were gone.
    pub lost: Vec<ChunkId>,
}

/// What was evicted. Entries are freed outside the locks.
#[derive(Default)]
struct Gone {
    entries: Vec<Entry>,
    /// Those that nobody wanted when that was asked.
    unwanted: Vec<ChunkId>,
}

struct Candidate {
    worth: Worth,
    id: ChunkId,
    weight: u64,
}

/// Decoded, missing and failed chunks within a budget. See the module's notes.
pub struct ChunkCache {
    parts: Vec<RwLock<ChunkMap<Entry>>>,
    /// Counts insertions; an entry used since the same insertion is as recent as another.
    clock: AtomicU64,
    /// Taken before any part, by all that change entries.
    ledger: Mutex<Ledger>,
    /// Copy of the ledger's sum, to be read without waiting.
    used_bytes: AtomicU64,
    /// Copy of the ledger's budget, to be read without waiting.
    max_bytes: AtomicU64,
}

impl ChunkCache {
    /// An empty cache.
    pub fn new(max_bytes: u64) -> Self {
        Self {
            parts: (0..PARTS).map(|_| RwLock::default()).collect(),
            clock: AtomicU64::new(0),
            ledger: Mutex::new(Ledger { max_bytes, ..Ledger::default() }),
            used_bytes: AtomicU64::new(0),
            max_bytes: AtomicU64::new(max_bytes),
        }
    }

    /// The chunk, if something is known of it. Counts as a use.
    pub fn get(&self, id: ChunkId) -> Option<CachedChunk> {
        let part = self.read_part(id);
        let entry = part.get(&id)?;
        let now = self.clock.load(Ordering::Relaxed);
        if entry.used_at.load(Ordering::Relaxed) != now {
            entry.used_at.store(now, Ordering::Relaxed); // seldom, so that threads share the cache line
        }
        Some(entry.chunk.clone())
    }

    /// Whether something is known of the chunk. Doesn't count as a use.
    pub fn contains(&self, id: ChunkId) -> bool {
        self.read_part(id).contains_key(&id)
    }

    /// Bytes taken, never more than [`Self::max_bytes`].
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// The budget in bytes.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes.load(Ordering::Relaxed)
    }

    /// What wanted chunks may take together (voxels and entries), so that none of them loses its place.
    pub fn ready_capacity(&self) -> u64 {
        let max_bytes = self.max_bytes();
        max_bytes - max_bytes / EMPTY_SHARE * 2
    }

    /// What a decoded chunk of this length takes.
    pub fn weight_of(byte_len: u64) -> u64 {
        byte_len.saturating_add(ENTRY_BYTES)
    }

    /// Keeps a chunk, if it fits without displacing more urgent ones.
    pub fn insert(&self, id: ChunkId, chunk: CachedChunk, wanted: WantedBy<'_>) -> Insertion {
        let (kind, weight) = (chunk.kind(), chunk.weight());
        let mut ledger = self.lock_ledger();
        let mut gone = Gone::default();
        self.remove_entry(&mut ledger, id, &mut gone);
        let now = self.clock.fetch_add(1, Ordering::Relaxed) + 1;
        let worth = match wanted(id) {
            Some(priority) => Worth::Wanted(priority),
            None => Worth::Unwanted(Reverse(now)),
        };
        let is_kept = self.make_room(&mut ledger, kind, weight, worth, wanted, &mut gone);
        if is_kept {
            *ledger.of(kind) += weight;
            let entry = Entry { chunk, weight, used_at: AtomicU64::new(now) };
            self.write_part(id).insert(id, entry);
        }
        self.used_bytes.store(ledger.used(), Ordering::Relaxed);
        drop(ledger);
        drop(gone.entries);
        let lost = gone.unwanted.into_iter().filter(|id| wanted(*id).is_some()).collect();
        Insertion { is_kept, lost }
    }

    /// Changes the budget; at once, if less is allowed than is there.
    pub fn set_max_bytes(&self, max_bytes: u64, wanted: WantedBy<'_>) {
        let mut ledger = self.lock_ledger();
        ledger.max_bytes = max_bytes;
        self.max_bytes.store(max_bytes, Ordering::Relaxed);
        let mut gone = Gone::default();
        for kind in [Kind::Failed, Kind::Missing] {
            let excess = ledger.of(kind).saturating_sub(max_bytes / EMPTY_SHARE);
            self.evict(&mut ledger, &Need { kinds: &[kind], excess, slack: 0, than: None }, wanted, &mut gone);
        }
        let excess = ledger.used().saturating_sub(max_bytes);
        self.evict(&mut ledger, &Need { kinds: &[Kind::Ready, Kind::Missing], excess, slack: 0, than: None }, wanted, &mut gone);
        self.used_bytes.store(ledger.used(), Ordering::Relaxed);
        drop(ledger);
        drop(gone);
    }

    /// Forgets all failures and returns whose they were.
    pub fn take_failed(&self) -> Vec<ChunkId> {
        self.remove_where(|_, entry| entry.chunk.kind() == Kind::Failed)
    }

    /// Forgets one chunk.
    pub fn remove(&self, id: ChunkId) {
        let mut ledger = self.lock_ledger();
        let mut gone = Gone::default();
        self.remove_entry(&mut ledger, id, &mut gone);
        self.used_bytes.store(ledger.used(), Ordering::Relaxed);
        drop(ledger);
    }

    /// Forgets all chunks of a source.
    pub fn remove_source(&self, source: SourceId) {
        self.remove_where(|id, _| id.source == source);
    }

    fn remove_where(&self, matches: impl Fn(&ChunkId, &Entry) -> bool) -> Vec<ChunkId> {
        let mut ledger = self.lock_ledger();
        let mut gone = Vec::new();
        let mut ids = Vec::new();
        for part in &self.parts {
            let mut part = part.write().unwrap_or_else(PoisonError::into_inner);
            for (id, entry) in part.extract_if(|id, entry| matches(id, entry)) {
                *ledger.of(entry.chunk.kind()) -= entry.weight;
                ids.push(id);
                gone.push(entry);
            }
        }
        self.used_bytes.store(ledger.used(), Ordering::Relaxed);
        drop(ledger);
        ids
    }

    /// Evicts until `weight` more of `kind` fits. `false`, and nothing is evicted, if it can't.
    fn make_room(&self, ledger: &mut Ledger, kind: Kind, weight: u64, worth: Worth, wanted: WantedBy<'_>, gone: &mut Gone) -> bool {
        let empty_max = ledger.empty_max();
        match kind {
            Kind::Ready => {}
            Kind::Missing | Kind::Failed => {
                let excess = (*ledger.of(kind) + weight).saturating_sub(empty_max);
                if !self.evict(ledger, &Need { kinds: &[kind], excess, slack: empty_max / 4, than: Some(worth) }, wanted, gone) {
                    return false;
                }
            }
        }
        let excess = (ledger.used() + weight).saturating_sub(ledger.max_bytes);
        let slack = ledger.max_bytes / 16;
        self.evict(ledger, &Need { kinds: &[Kind::Ready, Kind::Missing], excess, slack, than: Some(worth) }, wanted, gone)
    }

    /// Makes room. `false`, and nothing is evicted, if that can't be done.
    fn evict(&self, ledger: &mut Ledger, need: &Need<'_>, wanted: WantedBy<'_>, gone: &mut Gone) -> bool {
        let Need { kinds, excess, slack, than } = *need;
        if excess == 0 {
            return true;
        }
        let mut candidates = self.candidates(kinds, than, wanted);
        if candidates.iter().map(|c| c.weight).sum::<u64>() < excess {
            return false;
        }
        candidates.sort_unstable_by(|a, b| b.worth.cmp(&a.worth).then(a.id.cmp(&b.id)));
        let mut freed = 0;
        for candidate in candidates {
            let goes = match candidate.worth {
                Worth::Unwanted(_) => freed < excess || freed + candidate.weight <= excess + slack,
                Worth::Wanted(_) => freed < excess,
            };
            if !goes {
                break;
            }
            freed += candidate.weight;
            if matches!(candidate.worth, Worth::Unwanted(_)) {
                gone.unwanted.push(candidate.id);
            }
            self.remove_entry(ledger, candidate.id, gone);
        }
        true
    }

    fn candidates(&self, kinds: &[Kind], than: Option<Worth>, wanted: WantedBy<'_>) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for part in &self.parts {
            let part = part.read().unwrap_or_else(PoisonError::into_inner);
            for (id, entry) in part.iter().filter(|(_, entry)| kinds.contains(&entry.chunk.kind())) {
                let worth = Worth::Unwanted(Reverse(entry.used_at.load(Ordering::Relaxed)));
                candidates.push(Candidate { worth, id: *id, weight: entry.weight });
            }
        }
        // Asked without holding a part, so that the queue's lock is never taken inside one.
        for candidate in &mut candidates {
            if let Some(priority) = wanted(candidate.id) {
                candidate.worth = Worth::Wanted(priority);
            }
        }
        candidates.retain(|c| than.is_none_or(|than| c.worth > than));
        candidates
    }

    fn remove_entry(&self, ledger: &mut Ledger, id: ChunkId, gone: &mut Gone) {
        if let Some(entry) = self.write_part(id).remove(&id) {
            *ledger.of(entry.chunk.kind()) -= entry.weight;
            gone.entries.push(entry);
        }
    }

    fn part(&self, id: ChunkId) -> &RwLock<ChunkMap<Entry>> {
        // Bits that the maps inside don't use for their own order.
        &self.parts[(ChunkHasher::of(id) >> 40) as usize % PARTS]
    }

    fn read_part(&self, id: ChunkId) -> RwLockReadGuard<'_, ChunkMap<Entry>> {
        self.part(id).read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_part(&self, id: ChunkId) -> RwLockWriteGuard<'_, ChunkMap<Entry>> {
        self.part(id).write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
