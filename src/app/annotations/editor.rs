//! [`Editor`]: the thread that paints. It takes requests one after the other, however long chunks take to load, so no
//! stroke is lost or overtaken; the window shows what it publishes.

use crate::annotation::{Annotation, EditError, EditOutcome, HistoryLine, VolumeEditor};
use crate::app::tasks::{Reporter, TaskEvent};
use crate::format::nml::{Segment, SegmentId};
use crate::state::EditRequest;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What the editor is asked for.
enum Job {
    Edit { volume: usize, request: EditRequest },
    Snapshot(SnapshotFor),
    Counts { volume: usize, counts: HashMap<SegmentId, u64> },
}

/// What a copy of the annotation is wanted for.
#[derive(Clone, Debug, PartialEq)]
pub enum SnapshotFor {
    /// Saving edits aside.
    Autosave,
    /// Export or check.
    Work(crate::state::AnnotationWork),
}

/// What the editor reports.
pub enum EditorEvent {
    /// A request was carried out, or couldn't be.
    Edited(Box<EditReport>),
    /// The annotation after all requests before; its number of edits.
    Snapshot { purpose: SnapshotFor, annotation: Box<Annotation>, revision: u64 },
}

/// What a request led to.
pub struct EditReport {
    /// Number of the volume.
    pub volume: usize,
    /// What to say; an error if nothing was done.
    pub result: Result<Vec<String>, String>,
    /// Edits so far.
    pub revision: u64,
    /// The segment that is active now, if the request changed it.
    pub active: Option<SegmentId>,
    /// Listed segments.
    pub segments: Arc<[Segment]>,
    /// What was done, oldest first.
    pub history: Arc<[HistoryLine]>,
    /// Voxels by id; `None` until they have been counted.
    pub counts: Option<Arc<HashMap<SegmentId, u64>>>,
}

/// The way to the editor's thread.
pub struct Editor {
    jobs: Option<Sender<Job>>,
    /// What doesn't fit into the channel yet.
    backlog: VecDeque<Job>,
}

impl Editor {
    /// Jobs in the channel; more wait in the window.
    const MAX_JOBS: usize = 256;

    /// The way, and the thread's work.
    pub fn new(annotation: Annotation) -> (Self, impl FnOnce(&Reporter) + Send + 'static) {
        let (sender, jobs) = bounded(Self::MAX_JOBS);
        (Self { jobs: Some(sender), backlog: VecDeque::new() }, move |reporter: &Reporter| run(annotation, &jobs, reporter))
    }

    /// Asks for an edit of a volume. Points of one stroke that wait are put together.
    pub fn edit(&mut self, volume: usize, request: EditRequest) {
        if let EditRequest::ExtendStroke(points) = &request
            && let Some(Job::Edit { request: EditRequest::ExtendStroke(waiting), .. }) = self.backlog.back_mut()
        {
            waiting.extend_from_slice(points);
            return;
        }
        self.send(Job::Edit { volume, request });
    }

    /// Asks for a copy of the annotation after all that was asked for before.
    pub fn snapshot(&mut self, purpose: SnapshotFor) {
        self.send(Job::Snapshot(purpose));
    }

    /// Tells how many voxels each segment has in the stored buckets.
    pub fn counted(&mut self, volume: usize, counts: HashMap<SegmentId, u64>) {
        self.send(Job::Counts { volume, counts });
    }

    fn send(&mut self, job: Job) {
        self.backlog.push_back(job);
        self.flush();
    }

    /// Hands on what waits, as far as there is room.
    pub fn flush(&mut self) {
        let Some(jobs) = &self.jobs else { return };
        while let Some(job) = self.backlog.pop_front() {
            match jobs.try_send(job) {
                Ok(()) => {}
                Err(TrySendError::Full(job)) => {
                    self.backlog.push_front(job);
                    return;
                }
                Err(TrySendError::Disconnected(_)) => {
                    log::error!("the editor has ended, edits are lost");
                    self.jobs = None;
                    return;
                }
            }
        }
    }

    /// Requests that wait in the window.
    pub fn waiting(&self) -> usize {
        self.backlog.len() + self.jobs.as_ref().map_or(0, Sender::len)
    }
}
