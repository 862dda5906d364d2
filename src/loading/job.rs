//! What tickets do: take the most urgent chunk, read it together with its neighbours in the file, decode.
//!
//! A reading ticket goes on until nothing is queued or there is no room for more bytes; then it ends, and
//! wanting or decoding starts new ones. Nothing here waits, except in a read and on a full event channel,
//! and no lock is held during either.

use super::cache::{CachedChunk, Insertion};
use super::event::EventSender;
use super::pool::catch_fault;
use super::queue::{InFlight, Keep, Taken};
use super::room::{Reservation, Room};
use super::{ChunkCache, ChunkId, ChunkLookup, ChunkPriority, ChunkState, LoadQueue, LoadSample, LoaderEvent, ThroughputMeter, WorkPool};
use crate::format::{ChunkError, ChunkFault, ChunkLocation, ChunkSource, EncodedChunk, MAX_RUN_BYTES, decode, read_encoded};
use crate::geometry::{ChunkIndex, Shape3, ShardIndex, Vec3Int};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Chunks of one read at most: decoding them should occupy all workers, not wait in line.
const MAX_RUN_CHUNKS: usize = 64;

/// Everything that tickets share.
pub(super) struct Shared {
    pub queue: Arc<LoadQueue>,
    pub cache: ChunkCache,
    pub meter: ThroughputMeter,
    pub room: Arc<Room>,
    pub pool: WorkPool,
    pub events: EventSender,
    pub read_threads: usize,
    /// Reading tickets that exist.
    pub readers: AtomicUsize,
}

/// What a reading step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadStep {
    /// Something; there may be more.
    Worked,
    /// Nothing, because nothing is queued or there is no room.
    Rest,
}

/// A chunk on its way from the queue to the cache.
struct Load {
    source: Arc<dyn ChunkSource>,
    priority: ChunkPriority,
    wanted_at: Instant,
    taken_at: Instant,
    mark: InFlight,
}

impl Load {
    fn new(taken: Taken) -> Self {
        let Taken { source, priority, wanted_at, mark } = taken;
        Self { source, priority, wanted_at, taken_at: Instant::now(), mark }
    }

    fn id(&self) -> ChunkId {
        self.mark.id()
    }
}

impl ChunkLookup for Shared {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        if let Some(chunk) = self.cache.get(id) {
            return chunk.into();
        }
        if self.queue.is_pending(id) {
            return ChunkState::Pending;
        }
        // It may have become ready between the two questions.
        self.cache.get(id).map_or(ChunkState::Unknown, ChunkState::from)
    }
}

impl Shared {
    /// Starts reading tickets, as many as there is work and room for.
    pub fn start_readers(self: &Arc<Self>) {
        let wanted_readers = self.queue.queued_len().min(self.read_threads);
        if wanted_readers == 0 || !self.pool.runs_tickets() || !self.room.is_open() {
            return;
        }
        let more = |readers| (readers < wanted_readers).then_some(readers + 1);
        while self.readers.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok() {
            let ticket = ReaderTicket(self.clone());
            self.pool.spawn_reading(move || while ticket.0.read_step() == ReadStep::Worked {});
        }
    }

    /// Reads the most urgent chunk, and what lies beside it.
    pub fn read_step(self: &Arc<Self>) -> ReadStep {
        if !self.room.is_open() {
            return ReadStep::Rest;
        }
        let Some(load) = self.queue.pop_most_urgent().map(Load::new) else { return ReadStep::Rest };
        if self.cache.contains(load.id()) {
            load.mark.finish(); // another ticket was faster than the wanted set
            return ReadStep::Worked;
        }
        let source = load.source.clone();
        let step = self.locate_and_read(load);
        for warning in catch_fault(|| source.take_warnings()).unwrap_or_default() {
            self.events.send(LoaderEvent::Warning(warning));
        }
        step
    }

    fn locate_and_read(self: &Arc<Self>, load: Load) -> ReadStep {
        let source = load.source.clone();
        let started = Instant::now();
        let capacity = self.cache.ready_capacity();
        let located = fallible(&*source, load.id().chunk, || {
            let byte_len = source.chunk_byte_len().map_err(|fault| source.chunk_error(load.id().chunk, None, fault))?;
            if ChunkCache::weight_of(byte_len as u64) > capacity {
                let text = format!("a chunk of {byte_len} bytes doesn't fit into a chunk memory of {capacity}");
                return Err(source.chunk_error(load.id().chunk, None, ChunkFault::Internal(text)));
            }
            source.locate(load.id().chunk)
        });
        self.meter.record(Instant::now(), &LoadSample { read_secs: started.elapsed().as_secs_f64(), ..LoadSample::default() });
        match located {
            Err(error) => self.finish(load, CachedChunk::Failed(Arc::new(error)), LoadSample::default()),
            Ok(None) => self.finish(load, CachedChunk::Missing, LoadSample::default()),
            Ok(Some(location)) => {
                let run = catch_fault(|| self.run_around(load.id(), location.clone(), &*source)).unwrap_or_else(|_| vec![location]);
                // The chunk itself is first, so that it gets room before its neighbours do.
                let reservations = self.room.reserve(run.iter().map(ChunkLocation::stored_len));
                if reservations.is_empty() {
                    return ReadStep::Rest; // `load` is dropped and so queued again
                }
                let loads = self.take_run(load, &run, reservations);
                self.read_run(loads, &*source);
                self.start_readers(); // chunks that failed or were dropped have given back their room
            }
        }
        ReadStep::Worked
    }

    /// The chunk and those queued ones whose bytes are adjacent, growing from the chunk outwards. Found among
    /// neighbours in space, since every order that formats use keeps most of these together.
    fn run_around(&self, id: ChunkId, location: ChunkLocation, source: &dyn ChunkSource) -> Vec<ChunkLocation> {
        let (mut start, mut end) = (location.range.start, location.range.end());
        let mut run = vec![location];
        if run.iter().any(|location| !location.more.is_empty()) {
            return run; // its pieces lie in several places
        }
        let mut asked = HashSet::from([id.chunk]);
        let mut starting_at: HashMap<u64, ChunkLocation> = HashMap::new();
        let mut ending_at: HashMap<u64, ChunkLocation> = HashMap::new();
        let mut grown_from = 0;
        // Where the grid's shards are single chunks, a file may still hold many; not if the chunk begins it.
        let is_single = source.grid().chunks_per_shard() == Shape3::splat(1);
        let may_share_file = |chunk: ChunkIndex, with: &ChunkLocation| {
            source.grid().shard_from_chunk(chunk) == with.shard || (is_single && with.range.start > 0)
        };
        while let Some(centre) = run.get(grown_from).cloned() {
            grown_from += 1;
            let mut neighbours: Vec<ChunkId> = neighbours_of(centre.chunk)
                .filter(|n| may_share_file(*n, &centre) && asked.insert(*n))
                .map(|chunk| ChunkId { source: id.source, chunk })
                .collect();
            self.queue.retain_queued(&mut neighbours);
            for neighbour in neighbours {
                // An error is left to the neighbour's own turn.
                if let Ok(Ok(Some(found))) = catch_fault(|| source.locate(neighbour.chunk))
                    && found.key == centre.key
                    && found.range.len > 0
                    && found.more.is_empty()
                {
                    starting_at.insert(found.range.start, found.clone());
                    ending_at.insert(found.range.end(), found);
                }
            }
            while run.len() < MAX_RUN_CHUNKS {
                let fits = |l: &ChunkLocation| (end - start).saturating_add(l.range.len) <= MAX_RUN_BYTES;
                if starting_at.get(&end).is_some_and(fits) {
                    let Some(after) = starting_at.remove(&end) else { break };
                    end = after.range.end();
                    run.push(after);
                } else if ending_at.get(&start).is_some_and(fits) {
                    let Some(before) = ending_at.remove(&start) else { break };
                    start = before.range.start;
                    run.push(before);
                } else {
                    break;
                }
            }
        }
        run
    }

    /// Takes the run's further chunks from the queue, as far as they are still there, and sorts by position.
    fn take_run(&self, first: Load, run: &[ChunkLocation], reservations: Vec<Reservation>) -> Vec<(Load, ChunkLocation, Reservation)> {
        let id = first.id();
        let with_room = &run[..reservations.len().min(run.len())];
        let others: Vec<ChunkId> = with_room.iter().skip(1).map(|l| ChunkId { source: id.source, chunk: l.chunk }).collect();
        let mut loads: HashMap<ChunkIndex, Load> =
            self.queue.take(&others).into_iter().map(|t| (t.mark.id().chunk, Load::new(t))).collect();
        loads.insert(id.chunk, first);
        let both = with_room.iter().zip(reservations);
        let mut taken: Vec<_> = both.filter_map(|(l, room)| Some((loads.remove(&l.chunk)?, l.clone(), room))).collect();
        taken.sort_by_key(|(_, location, _)| (location.range.start, location.range.len));
        taken
    }

    /// Reads adjacent chunks with one read each time they are, and passes them on to the workers.
    fn read_run(self: &Arc<Self>, mut loads: Vec<(Load, ChunkLocation, Reservation)>, source: &dyn ChunkSource) {
        loads.retain(|(load, ..)| {
            let wanted = self.queue.still_wanted(load.id());
            self.meter.record_dropped(u64::from(!wanted));
            wanted
        });
        let locations: Vec<ChunkLocation> = loads.iter().map(|(_, location, _)| location.clone()).collect();
        let mut loads: HashMap<ChunkIndex, (Load, Reservation)> = loads.into_iter().map(|(l, at, room)| (at.chunk, (l, room))).collect();
        for run in crate::format::adjacent_runs(locations) {
            let whole = self.read_timed(source, &run);
            let alone = match whole {
                Ok(chunks) => {
                    self.pass_on(chunks, &mut loads);
                    continue;
                }
                Err(error) if run.len() <= 1 => vec![(run, Err(error))],
                // One of them is to blame: each for itself.
                Err(_) => run
                    .into_iter()
                    .map(|l| {
                        let one = vec![l];
                        let read = self.read_timed(source, &one);
                        (one, read)
                    })
                    .collect(),
            };
            for (one, read) in alone {
                match read {
                    Ok(chunks) => self.pass_on(chunks, &mut loads),
                    Err(error) => {
                        if let Some((load, _)) = one.first().and_then(|l| loads.remove(&l.chunk)) {
                            self.finish(load, CachedChunk::Failed(Arc::new(error)), LoadSample::default());
                        }
                    }
                }
            }
        }
    }

    fn read_timed(&self, source: &dyn ChunkSource, run: &[ChunkLocation]) -> Result<Vec<EncodedChunk>, ChunkError> {
        let Some(first) = run.first() else { return Ok(Vec::new()) };
        let started = Instant::now();
        let read = fallible(source, first.chunk, || read_encoded(source, run));
        let bytes_read = if read.is_ok() { run.iter().map(ChunkLocation::stored_len).sum() } else { 0 };
        let read_secs = started.elapsed().as_secs_f64();
        self.meter.record(Instant::now(), &LoadSample { bytes_read, read_secs, ..LoadSample::default() });
        read
    }

    fn pass_on(self: &Arc<Self>, chunks: Vec<EncodedChunk>, loads: &mut HashMap<ChunkIndex, (Load, Reservation)>) {
        for chunk in chunks {
            if let Some((load, reservation)) = loads.remove(&chunk.location.chunk) {
                let shared = self.clone();
                self.pool.spawn_decode(load.priority, move || {
                    shared.decode_step(load, chunk);
                    drop(reservation);
                    shared.start_readers(); // there is room now
                });
            }
        }
    }

    fn decode_step(&self, load: Load, chunk: EncodedChunk) {
        if !self.queue.still_wanted(load.id()) {
            self.meter.record_dropped(1);
            return;
        }
        let started = Instant::now();
        let source = load.source.clone();
        let decoded = fallible(&*source, load.id().chunk, || decode(&*source, chunk));
        let decode_secs = started.elapsed().as_secs_f64();
        match decoded {
            Ok(buffer) => {
                let bytes_decoded = buffer.bytes().len() as u64;
                let sample = LoadSample { bytes_decoded, decode_secs, ..LoadSample::default() };
                self.finish(load, CachedChunk::Ready(Arc::new(buffer)), sample);
            }
            Err(error) => self.finish(load, CachedChunk::Failed(Arc::new(error)), LoadSample { decode_secs, ..LoadSample::default() }),
        }
    }

    /// Puts a result into the cache, then tells the queue, then the UI.
    fn finish(&self, load: Load, chunk: CachedChunk, sample: LoadSample) {
        let Load { wanted_at, taken_at, mark, source: _, priority: _ } = load;
        let id = mark.id();
        let event = match &chunk {
            CachedChunk::Ready(_) | CachedChunk::Missing => LoaderEvent::Changed(id),
            CachedChunk::Failed(error) => LoaderEvent::Failed(id, error.clone()),
        };
        let was_wanted = self.queue.still_wanted(id);
        let Insertion { is_kept, lost } = self.cache.insert(id, chunk, &|id| self.queue.priority(id));
        // The wanted set may be replaced at any moment: what went because nobody wanted it may be wanted again.
        self.queue.requeue(&lost, Instant::now());
        if !is_kept && !was_wanted {
            return; // `mark` queues it again if somebody wants it now
        }
        match mark.finish() {
            Keep::Yes => {}
            Keep::No => {
                self.cache.remove(id); // forgotten while it was on its way
                return;
            }
        }
        let now = Instant::now();
        if is_kept && !self.cache.contains(id) {
            self.queue.requeue(&[id], now); // it went before the queue knew that it was there
        }
        let secs_since = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        let (queued_secs, ready_secs) = (secs_since(wanted_at, taken_at), secs_since(wanted_at, now));
        self.meter.record(now, &LoadSample { chunks: 1, queued_secs, ready_secs, ..sample });
        self.events.send(event);
    }
}

/// Counts itself among the readers until it is dropped, however its ticket ends.
struct ReaderTicket(Arc<Shared>);

impl Drop for ReaderTicket {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
        self.0.start_readers(); // something may have come while this ticket was still counted
    }
}

/// Calls into a source; a panic there becomes the chunk's error.
fn fallible<T>(source: &dyn ChunkSource, chunk: ChunkIndex, f: impl FnOnce() -> Result<T, ChunkError>) -> Result<T, ChunkError> {
    catch_fault(f).unwrap_or_else(|fault| {
        let described = catch_fault(|| source.chunk_error(chunk, None, fault.clone()));
        // A source that can't even say where it is.
        Err(described.unwrap_or(ChunkError { chunk, shard: ShardIndex(Vec3Int::ZERO), range: None, fault, location: String::new() }))
    })
}

fn neighbours_of(chunk: ChunkIndex) -> impl Iterator<Item = ChunkIndex> {
    let steps = || -1..=1_i64;
    let offsets = steps().flat_map(move |z| steps().flat_map(move |y| steps().map(move |x| Vec3Int::new(x, y, z))));
    offsets.filter(|o| *o != Vec3Int::ZERO).map(move |o| ChunkIndex(chunk.0 + o))
}
