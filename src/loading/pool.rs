//! [`WorkPool`]: the threads of loading and composing. Nothing else below the app starts threads.
//!
//! Reading threads block in reads, so there are more of them than cores. Workers compute; each of their
//! tickets takes a compose job if there is one, else the most urgent decode job.

use super::ChunkPriority;
use crate::format::ChunkFault;
use std::any::Any;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Compose jobs that wait at most. A pane has one at a time, so this is never met in practice.
pub const COMPOSE_CAPACITY: usize = 256;

/// The threads couldn't be started.
#[derive(Debug, thiserror::Error)]
#[error("can't start {threads} {name} threads: {source}")]
pub struct PoolError {
    /// Which threads.
    pub name: &'static str,
    /// How many were asked for.
    pub threads: usize,
    /// Why not.
    pub source: rayon::ThreadPoolBuildError,
}

type Job = Box<dyn FnOnce() + Send>;

/// Reading threads and workers.
pub struct WorkPool {
    /// `None` where a test takes the steps.
    threads: Option<Threads>,
    work: Arc<Work>,
}

struct Threads {
    reading: rayon::ThreadPool,
    workers: rayon::ThreadPool,
}

/// What the workers have to do.
#[derive(Default)]
struct Work {
    inner: Mutex<Jobs>,
}

#[derive(Default)]
struct Jobs {
    compose: VecDeque<Job>,
    decode: BinaryHeap<DecodeJob>,
    submitted: u64,
    closed: bool,
}

/// Ordered so that the greatest is the most urgent, the earlier among equals.
struct DecodeJob {
    priority: ChunkPriority,
    number: u64,
    job: Job,
}

impl Ord for DecodeJob {
    fn cmp(&self, other: &Self) -> Ordering {
        other.priority.cmp(&self.priority).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for DecodeJob {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for DecodeJob {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for DecodeJob {}

impl WorkPool {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system grants no more threads.
    pub fn new(read_threads: usize, worker_threads: usize) -> Result<Self, PoolError> {
        let threads = Threads { reading: build("reading", read_threads)?, workers: build("worker", worker_threads)? };
        Ok(Self { threads: Some(threads), work: Arc::default() })
    }

    /// No threads: a test takes the steps itself.
    #[cfg(test)]
    pub fn stepped() -> Self {
        Self { threads: None, work: Arc::default() }
    }

    /// Runs a ticket on a reading thread.
    pub fn spawn_reading(&self, ticket: impl FnOnce() + Send + 'static) {
        if let Some(threads) = &self.threads {
            threads.reading.spawn(|| run_logged(Box::new(ticket)));
        }
    }

    /// Whether tickets run by themselves, not stepped by a test.
    pub fn runs_tickets(&self) -> bool {
        self.threads.is_some()
    }

    /// Runs a job on a worker, ahead of all decoding. `false` if it was not taken, because the pool is closed or
    /// [`COMPOSE_CAPACITY`] jobs wait already.
    pub fn spawn_compose(&self, job: impl FnOnce() + Send + 'static) -> bool {
        let mut jobs = self.work.lock();
        if jobs.closed || jobs.compose.len() >= COMPOSE_CAPACITY {
            return false;
        }
        jobs.compose.push_back(Box::new(job));
        drop(jobs);
        self.spawn_worker();
        true
    }

    /// Runs a job on a worker, by urgency. Dropped if the pool is closed. The caller bounds how many wait.
    pub fn spawn_decode(&self, priority: ChunkPriority, job: impl FnOnce() + Send + 'static) {
        let mut jobs = self.work.lock();
        if jobs.closed {
            drop(jobs); // before the job, which may lock as it is dropped
            return;
        }
        let number = jobs.submitted;
        jobs.submitted += 1;
        jobs.decode.push(DecodeJob { priority, number, job: Box::new(job) });
        drop(jobs);
        self.spawn_worker();
    }

    /// Runs the next worker job here, if there is one.
    #[cfg(test)]
    pub fn work_step(&self) -> bool {
        self.work.run_next()
    }

    /// Drops all jobs that wait, and all that come.
    pub fn close(&self) {
        let mut jobs = self.work.lock();
        jobs.closed = true;
        let dropped = (std::mem::take(&mut jobs.compose), std::mem::take(&mut jobs.decode));
        drop(jobs);
        drop(dropped);
    }

    /// Runs a last job on a worker, also after closing.
    pub fn spawn_last(&self, job: impl FnOnce() + Send + 'static) {
        if let Some(threads) = &self.threads {
            threads.workers.spawn(|| run_logged(Box::new(job)));
        }
    }

    fn spawn_worker(&self) {
        if let Some(threads) = &self.threads {
            let work = self.work.clone();
            threads.workers.spawn(move || _ = work.run_next());
        }
    }
}

impl Work {
    fn run_next(&self) -> bool {
        let mut jobs = self.lock();
        let next = jobs.compose.pop_front().or_else(|| jobs.decode.pop().map(|decode| decode.job));
        drop(jobs);
        let Some(job) = next else { return false };
        run_logged(job);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processor cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Lets other threads run, for tests that wait for them.
#[cfg(test)]
pub fn yield_now() {
    std::thread::yield_now();
}

fn build(name: &'static str, threads: usize) -> Result<rayon::ThreadPool, PoolError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(move |number| format!("{name} {number}"))
        .build()
        .map_err(|source| PoolError { name, threads, source })
}

/// Runs `f`; a panic becomes a fault, since in a rayon job it would end the process.
pub fn catch_fault<T>(f: impl FnOnce() -> T) -> Result<T, ChunkFault> {
    // What `f` leaves half done is its own chunk; caches and queues are changed under locks by code that doesn't panic.
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| ChunkFault::Internal(panic_text(&*panic)))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}

fn run_logged(job: Job) {
    if let Err(fault) = catch_fault(job) {
        log::error!("a job ended early: {fault}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loading::PriorityTier;

    fn priority(distance: u32) -> ChunkPriority {
        ChunkPriority { tier: PriorityTier::Visible, level_rank: 0, distance }
    }

    #[test]
    fn compose_jobs_run_first_then_the_most_urgent_decoding() {
        let pool = WorkPool::stepped();
        let order = Arc::new(Mutex::new(Vec::new()));
        let note = |name: &'static str| {
            let order = order.clone();
            move || order.lock().expect("not poisoned").push(name)
        };
        pool.spawn_decode(priority(2), note("far"));
        pool.spawn_decode(priority(1), note("near"));
        pool.spawn_decode(priority(1), note("near, later"));
        assert!(pool.spawn_compose(note("compose")));
        while pool.work_step() {}
        assert_eq!(*order.lock().expect("not poisoned"), ["compose", "near", "near, later", "far"]);
    }

    #[test]
    fn a_panic_does_not_end_the_threads() {
        let pool = WorkPool::new(1, 1).expect("two threads");
        let (sender, receiver) = crossbeam_channel::bounded(2);
        let again = sender.clone();
        pool.spawn_compose(|| panic!("on purpose"));
        pool.spawn_compose(move || sender.send(1).expect("received"));
        pool.spawn_reading(|| panic!("on purpose"));
        pool.spawn_reading(move || again.send(2).expect("received"));
        let mut got = [receiver.recv().expect("sent"), receiver.recv().expect("sent")];
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
    }

    #[test]
    fn compose_jobs_are_bounded_and_refused_after_closing() {
        let pool = WorkPool::stepped();
        assert_eq!((0..COMPOSE_CAPACITY + 9).filter(|_| pool.spawn_compose(|| ())).count(), COMPOSE_CAPACITY);
        pool.close();
        assert!(!pool.spawn_compose(|| ()));
        assert!(!pool.work_step());
    }
}
