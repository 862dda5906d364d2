//! Tasks about annotations: painting, counting, exporting, checking, saving aside, looking at the file.

use super::FileStamp;
use super::editor::EditorEvent;
use super::recovery::{SaveAside, SavedEdits};
use crate::annotation::export::{
    ExportError, ExportFormat, ExportOptions, ExportReport, ExportWatch, RoundtripReport, export, merge, roundtrip,
};
use crate::annotation::{Annotation, CountJob, CountResult};
use crate::app::tasks::{Reporter, TaskEvent, Tasks};
use crate::geometry::Vec3Int;
use crate::scene::ViewState;
use crate::state::{AnnotationWork, ExportKind, RoundTripResult};
use crate::text::{bytes, count};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What tasks about annotations report.
pub enum WorkEvent {
    /// Edits after `base` and up to `revision` were saved aside, or couldn't be.
    SavedAside { base: u64, revision: u64, result: Result<SavedEdits, String> },
    /// Voxels of each segment in the stored buckets of a volume's finest mag.
    Counted { volume: usize, result: Box<CountResult> },
    /// How far export or check is, in buckets.
    Progress { done: u64, total: u64 },
    /// How the file looks now.
    FileSeen { path: PathBuf, stamp: FileStamp },
    /// Export or check ended.
    Ended(WorkOutcome),
}

/// How an export or check ended.
pub enum WorkOutcome {
    /// A file or dataset was written.
    Exported { path: PathBuf, kind: ExportKind, revision: u64, stamp: FileStamp, summary: String, losses: Vec<String> },
    /// A round trip was compared.
    Checked(RoundTripResult),
    /// Not all of the annotation can be read, and why; nothing was changed.
    Unreadable(String),
    /// It couldn't be done; nothing was changed.
    Failed(String),
    /// Somebody stopped it; nothing was changed.
    Cancelled,
}

/// Work on a copy of the annotation.
pub struct WorkJob {
    /// What is done.
    pub work: AnnotationWork,
    /// The copy.
    pub annotation: Annotation,
    /// Up to which edit it has them.
    pub revision: u64,
    /// Where its file is to be looked at first; `None` for where it says already.
    pub seen_from: Option<ViewState>,
    /// Set to stop the work.
    pub cancel: Arc<AtomicBool>,
}

impl Tasks {
    /// Starts the editor's thread.
    pub(in crate::app) fn edit(&self, run: impl FnOnce(&Reporter) + Send + 'static) {
        self.spawn("annotation editor", run);
    }

    /// Counts voxels by segment.
    pub(in crate::app) fn count_segments(&self, session: u64, is_over: Arc<AtomicBool>, volume: usize, job: CountJob) {
        self.spawn("count segments", move |reporter| {
            if let Some(result) = job.run(|_, _| !is_over.load(Ordering::Relaxed)) {
                ToEditing { reporter, session }.work(WorkEvent::Counted { volume, result: Box::new(result) });
            }
        });
    }

    /// Looks at length and time of the annotation's file.
    pub(in crate::app) fn look_at_file(&self, session: u64, path: PathBuf) {
        self.spawn("look at annotation", move |reporter| {
            let stamp = stamp_of(&path);
            ToEditing { reporter, session }.work(WorkEvent::FileSeen { path, stamp });
        });
    }

    /// Saves edits aside: what is saved then are those after `base`, up to `revision`.
    pub(in crate::app) fn save_aside(&self, session: u64, edits: SaveAside, base: u64, revision: u64) {
        self.spawn("save edits aside", move |reporter| {
            let result = guarded(|| edits.run().map_err(|err| format!("{err:#}"))).unwrap_or_else(Err);
            ToEditing { reporter, session }.work(WorkEvent::SavedAside { base, revision, result });
        });
    }

    /// Exports or checks a copy of the annotation.
    pub(in crate::app) fn work_on_annotation(&self, session: u64, job: WorkJob) {
        self.spawn("work on annotation", move |reporter| {
            let WorkJob { work, mut annotation, revision, seen_from, cancel } = job;
            if let Some(view) = seen_from {
                let nml = Arc::make_mut(&mut annotation.nml);
                // Annotations have no negative positions.
                (nml.edit_position, nml.zoom) = (Some(view.voxel().max(Vec3Int::ZERO)), Some(view.zoom()));
            }
            let editing = ToEditing { reporter, session };
            let progress = |done, total| editing.progress(done, total);
            let run = || match work {
                AnnotationWork::Export { path, kind, drops_damaged, .. } => {
                    let job = Export { annotation: &annotation, drops_damaged, progress: &progress, cancel: &cancel };
                    job.run(path, kind, revision)
                }
                AnnotationWork::RoundTrip => check(&annotation, revision, &progress, &cancel),
            };
            let outcome = guarded(run).unwrap_or_else(WorkOutcome::Failed);
            let outcome = if cancel.load(Ordering::Relaxed) && matches!(outcome, WorkOutcome::Failed(_) | WorkOutcome::Unreadable(_)) {
                WorkOutcome::Cancelled
            } else {
                outcome
            };
            editing.work(WorkEvent::Ended(outcome));
        });
    }
}

/// Runs work whose end somebody waits for; a panic is an error then.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| "internal error, see the log".to_owned())
}

fn stamp_of(path: &Path) -> FileStamp {
    let seen = path.metadata().ok()?;
    Some((seen.len(), seen.modified().ok()?))
}

/// The way back to the annotation that is edited, and to no later one.
pub struct ToEditing<'a> {
    /// The way back to the window.
    pub reporter: &'a Reporter,
    /// Number of the annotation.
    pub session: u64,
}

impl ToEditing<'_> {
    /// Reports of the editor.
    pub fn editor(&self, event: EditorEvent) {
        self.reporter.send(TaskEvent::Editor { session: self.session, event });
    }

    fn work(&self, event: WorkEvent) {
        self.reporter.send(TaskEvent::Work { session: self.session, event });
    }

    fn progress(&self, done: u64, total: u64) {
        self.reporter.offer(TaskEvent::Work { session: self.session, event: WorkEvent::Progress { done, total } });
    }
}

/// What an export is made of.
struct Export<'a> {
    annotation: &'a Annotation,
    drops_damaged: bool,
    progress: &'a (dyn Fn(u64, u64) + Sync),
    cancel: &'a AtomicBool,
}

impl Export<'_> {
    fn run(&self, path: PathBuf, kind: ExportKind, revision: u64) -> WorkOutcome {
        let format = match kind {
            ExportKind::Wkw => Some(ExportFormat::Wkw),
            ExportKind::Zarr3 => Some(ExportFormat::Zarr3),
            ExportKind::Zarr3Spec => Some(ExportFormat::Zarr3Spec),
            ExportKind::Merged => None,
        };
        let watch = ExportWatch { progress: self.progress, cancel: self.cancel };
        let exported = match format {
            Some(_) => export(self.annotation, ExportOptions { format, drops_damaged: self.drops_damaged }, &path, watch),
            None => merge(self.annotation, &path, watch),
        };
        match exported {
            Ok(report) => WorkOutcome::Exported {
                stamp: stamp_of(&path),
                path,
                kind,
                revision,
                summary: summary(&report),
                losses: report.problems.iter().map(ToString::to_string).collect(),
            },
            // A merged dataset without some of its voxels would look whole.
            Err(err @ (ExportError::Read(_) | ExportError::Attachment { .. })) if format.is_some() && !self.drops_damaged => {
                WorkOutcome::Unreadable(err.to_string())
            }
            Err(err) => WorkOutcome::Failed(err.to_string()),
        }
    }
}

/// What was written, for people.
fn summary(report: &ExportReport) -> String {
    let buckets: u64 = report.volumes.iter().map(|volume| volume.buckets).sum();
    let mags = report.volumes.iter().map(|volume| volume.mags.len()).max().unwrap_or(0);
    let size = if report.bytes > 0 { format!(", {}", bytes(report.bytes)) } else { String::new() };
    format!("{} chunks in {mags} mags{size}", count(buckets))
}

fn check(annotation: &Annotation, revision: u64, progress: &(dyn Fn(u64, u64) + Sync), cancel: &AtomicBool) -> WorkOutcome {
    let begin = Instant::now();
    match roundtrip(annotation, ExportOptions::default(), ExportWatch { progress, cancel }) {
        Ok(report) => {
            let mags = report.export.volumes.iter().map(|volume| volume.mags.len()).max().unwrap_or(0);
            let segments: usize = annotation.volumes.iter().map(|volume| volume.segments.len()).sum();
            let trees = annotation.nml.trees.len();
            let summary = format!("{} chunks in {mags} mags, {segments} segments, {trees} trees compared", count(report.buckets));
            let is_equal = report.is_equal();
            WorkOutcome::Checked(RoundTripResult {
                is_equal,
                summary,
                differences: differences(report),
                secs: begin.elapsed().as_secs_f64(),
                revision,
            })
        }
        Err(err) => WorkOutcome::Failed(err.to_string()),
    }
}

fn differences(report: RoundtripReport) -> Vec<String> {
    let more = report.different_buckets.saturating_sub(report.bucket_lines.len() as u64);
    let mut lines = report.problems;
    lines.extend(report.bucket_lines);
    lines.extend((more > 0).then(|| format!("{} further chunks differ", count(more))));
    lines.extend(report.nml.iter().map(|difference| difference.text.clone()));
    lines
}
