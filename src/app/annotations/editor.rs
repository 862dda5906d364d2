//! [`Editor`]: the thread that paints. It takes requests one after the other, however long chunks take to load, so no
//! stroke is lost or overtaken; the window shows what it publishes.

use super::ToEditing;
use super::painter::Painter;
use crate::annotation::journal::{Base, Changes, Touched};
use crate::annotation::{Annotation, CountJob, CountResult, HistoryLine, VolumeAnnotation, VoxelCounts};
use crate::app::tasks::Reporter;
use crate::format::nml::{Segment, SegmentId};
use crate::geometry::BoundingBox;
use crate::state::{AnnotationWork, EditRequest};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use std::collections::VecDeque;
use std::sync::Arc;

/// What the editor is asked for.
enum Job {
    Edit { volume: usize, request: EditRequest },
    Snapshot(AnnotationWork),
    Changes { since: u64, base: u64 },
    Counted { volume: usize, result: Box<CountResult> },
}

/// What the editor reports.
pub enum EditorEvent {
    /// A request was carried out, or couldn't be.
    Edited(Box<EditReport>),
    /// Segments were counted.
    Counted(Box<EditReport>),
    /// The annotation after all requests before, for this work; its number of edits.
    Snapshot { work: AnnotationWork, annotation: Box<Annotation>, revision: u64 },
    /// What changed since an edit, over the annotation after `base`; the number of edits by now.
    Changes { changes: Changes, base: u64, revision: u64 },
    /// Voxels by segment are to be counted, in a task.
    Count { volume: usize, job: CountJob },
}

/// What a request led to.
pub struct EditReport {
    /// Number of the volume.
    pub volume: usize,
    /// What to say; an error if nothing was done.
    pub result: Result<Vec<String>, String>,
    /// Edits so far.
    pub revision: u64,
    /// What is active by the new segment that was asked for, with the request's number.
    pub new_segment: Option<(u64, SegmentId)>,
    /// Listed segments.
    pub segments: Arc<[Segment]>,
    /// What else is listed; `None` in the midst of a stroke.
    pub lists: Option<EditLists>,
}

/// History and counts of a volume.
pub struct EditLists {
    /// What was done, oldest first.
    pub history: Arc<[HistoryLine]>,
    /// Voxels by id; `None` until they have been counted.
    pub counts: Option<Arc<VoxelCounts>>,
    /// Chunks that can't be read and aren't counted.
    pub uncounted: usize,
}

/// The way to the editor's thread.
pub struct Editor {
    jobs: Option<Sender<Job>>,
    /// What doesn't fit into the channel yet.
    backlog: VecDeque<Job>,
    /// Edits that were asked for and not answered.
    unanswered: usize,
}

impl Editor {
    /// Jobs in the channel; more wait in the window.
    const MAX_JOBS: usize = 256;

    /// The way, and the thread's work. `revision` is the number of edits that the annotation begins with, `session` that
    /// of the reports.
    pub fn new(annotation: Annotation, revision: u64, session: u64) -> (Self, impl FnOnce(&Reporter) + Send + 'static) {
        let (sender, jobs) = bounded(Self::MAX_JOBS);
        let editor = Self { jobs: Some(sender), backlog: VecDeque::new(), unanswered: 0 };
        (editor, move |reporter: &Reporter| run(annotation, revision, &jobs, &ToEditing { reporter, session }))
    }

    /// Asks for an edit of a volume. Points of one stroke that wait are put together.
    pub fn edit(&mut self, volume: usize, request: EditRequest) {
        if let EditRequest::ExtendStroke(points) = &request
            && let Some(Job::Edit { volume: other, request: EditRequest::ExtendStroke(waiting) }) = self.backlog.back_mut()
            && *other == volume
        {
            waiting.extend_from_slice(points);
            return;
        }
        self.unanswered += 1;
        self.send(Job::Edit { volume, request });
    }

    /// Notes that an edit was answered.
    pub fn answered(&mut self) {
        self.unanswered = self.unanswered.saturating_sub(1);
    }

    /// Asks for a copy of the annotation after all that was asked for before.
    pub fn snapshot(&mut self, work: AnnotationWork) {
        self.send(Job::Snapshot(work));
    }

    /// Asks for what changed since an edit; a file has those up to `base`, 0 being what was opened.
    pub fn changes(&mut self, since: u64, base: u64) {
        self.send(Job::Changes { since, base });
    }

    /// Tells what counting found.
    pub fn counted(&mut self, volume: usize, result: Box<CountResult>) {
        self.send(Job::Counted { volume, result });
    }

    fn send(&mut self, job: Job) {
        self.backlog.push_back(job);
        self.flush();
    }

    /// Hands on what waits, as far as there is room.
    pub fn flush(&mut self) {
        let Some(jobs) = &self.jobs else {
            self.backlog.clear();
            self.unanswered = 0;
            return;
        };
        while let Some(job) = self.backlog.pop_front() {
            match jobs.try_send(job) {
                Ok(()) => {}
                Err(TrySendError::Full(job)) => {
                    self.backlog.push_front(job);
                    return;
                }
                Err(TrySendError::Disconnected(_)) => {
                    log::error!("the editor has ended, further edits are not carried out");
                    self.jobs = None;
                    self.backlog.clear();
                    self.unanswered = 0;
                    return;
                }
            }
        }
    }

    /// Edits that were asked for and not carried out yet.
    pub fn waiting(&self) -> usize {
        self.unanswered
    }

    /// Whether edits can be carried out.
    pub const fn is_alive(&self) -> bool {
        self.jobs.is_some()
    }
}

/// A volume with what the window and the saved edits know of it.
struct Volume {
    painter: Painter,
    listed: Arc<[Segment]>,
    touched: Touched,
}

/// The thread's work: ends when the window lets go of the editor.
fn run(annotation: Annotation, mut revision: u64, jobs: &Receiver<Job>, reporter: &ToEditing<'_>) {
    let Annotation { name, nml, volumes, attachments } = annotation;
    let user_boxes: Vec<BoundingBox> = nml.user_boxes.iter().map(|user_box| user_box.extent).collect();
    let volume = |volume: VolumeAnnotation| Volume {
        listed: volume.segments.as_slice().into(),
        touched: Touched::new(&volume, revision),
        painter: Painter::new(volume),
    };
    let mut volumes: Vec<Volume> = volumes.into_iter().map(volume).collect();
    for (volume, Volume { painter, .. }) in volumes.iter_mut().enumerate() {
        if let Some(job) = painter.begin_count() {
            reporter.editor(EditorEvent::Count { volume, job });
        }
    }
    for job in jobs {
        match job {
            Job::Edit { volume, request } => {
                let Some(Volume { painter, listed, touched }) = volumes.get_mut(volume) else { continue };
                let is_part = matches!(request, EditRequest::BeginStroke { .. } | EditRequest::ExtendStroke(_));
                let asked_new = if let EditRequest::NewSegment { number, .. } = &request { Some(*number) } else { None };
                let result = match painter.carry_out(request, &user_boxes) {
                    Ok(outcome) => {
                        revision += u64::from(outcome.touched.iter().any(|touched| !touched.is_empty()) || outcome.segments_changed);
                        touched.note(&outcome, revision);
                        if outcome.segments_changed {
                            *listed = painter.editor().volume().segments.as_slice().into();
                        }
                        Ok(outcome.notes.iter().map(ToString::to_string).collect())
                    }
                    Err(err) => Err(err.to_string()),
                };
                let new_segment = asked_new.map(|number| (number, painter.newest()));
                let report = report(volume, painter, listed.clone(), (result, revision), is_part);
                reporter.editor(EditorEvent::Edited(Box::new(EditReport { new_segment, ..report })));
            }
            Job::Snapshot(work) => {
                // Later edits are no part of it, however long the work takes.
                let volumes = volumes.iter().map(|volume| volume.painter.editor().volume().frozen()).collect();
                let annotation = Box::new(Annotation { name: name.clone(), nml: nml.clone(), volumes, attachments: attachments.clone() });
                reporter.editor(EditorEvent::Snapshot { work, annotation, revision });
            }
            Job::Changes { since, base } => {
                let over = if base == 0 { Base::Opened } else { Base::Exported };
                let changes = volumes.iter().map(|volume| volume.touched.since(since, volume.painter.editor().volume(), over));
                reporter.editor(EditorEvent::Changes { changes: Changes(changes.collect()), base, revision });
            }
            Job::Counted { volume, result } => {
                let Some(Volume { painter, listed, .. }) = volumes.get_mut(volume) else { continue };
                painter.finish_count(*result);
                let report = report(volume, painter, listed.clone(), (Ok(Vec::new()), revision), false);
                reporter.editor(EditorEvent::Counted(Box::new(report)));
            }
        }
    }
}

/// What the window is told after a request. In the midst of a stroke history and counts are as before.
fn report(
    volume: usize,
    painter: &Painter,
    segments: Arc<[Segment]>,
    (result, revision): (Result<Vec<String>, String>, u64),
    is_part: bool,
) -> EditReport {
    let editor = painter.editor();
    let lists = || EditLists { history: editor.history().into(), counts: editor.counts().map(Arc::new), uncounted: editor.uncounted() };
    let lists = (!is_part).then(lists);
    EditReport { volume, result, revision, new_segment: None, segments, lists }
}
