//! Tasks about annotations: painting, counting, exporting, checking, saving aside, looking at the file.

use super::FileStamp;
use super::recovery::{self, About};
use crate::annotation::export::{ExportFormat, ExportOptions, export, export_merged, round_trip};
use crate::annotation::{Annotation, CountJob, CountResult};
use crate::app::tasks::{Reporter, Tasks};
use crate::format::Dataset;
use crate::state::{AnnotationWork, ExportKind, RoundTripResult};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What tasks about annotations report.
pub enum WorkEvent {
    /// Edits were saved aside, or couldn't be.
    SavedAside { revision: u64, result: Result<(), String> },
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
    Exported { path: PathBuf, kind: ExportKind, revision: u64, summary: String, losses: Vec<String> },
    /// A round trip was compared.
    Checked(RoundTripResult),
    /// It couldn't be done; nothing was changed.
    Failed(String),
    /// Somebody stopped it; nothing was changed.
    Cancelled,
}

impl Tasks {
    /// Starts the editor's thread.
    pub(in crate::app) fn edit(&self, run: impl FnOnce(&Reporter) + Send + 'static) {
        self.spawn("annotation editor", run);
    }

    /// Counts voxels by segment.
    pub(in crate::app) fn count_segments(&self, volume: usize, job: CountJob) {
        self.spawn("count segments", move |reporter| match job.run(|_, _| true) {
            Ok(Some(result)) => reporter.send(WorkEvent::Counted { volume, result: Box::new(result) }.into()),
            Ok(None) => {}
            Err(err) => log::error!("voxels of segments can't be counted: {err}"),
        });
    }

    /// Looks at length and time of the annotation's file.
    pub(in crate::app) fn look_at_file(&self, path: PathBuf) {
        self.spawn("look at annotation", move |reporter| {
            let seen = std::fs::metadata(&path).ok();
            let stamp = seen.and_then(|seen| Some((seen.len(), seen.modified().ok()?)));
            reporter.send(WorkEvent::FileSeen { path, stamp }.into());
        });
    }

    /// Saves edits aside.
    pub(in crate::app) fn save_aside(&self, folder: PathBuf, annotation: Annotation, about: About, revision: u64) {
        self.spawn("save edits aside", move |reporter| {
            let result = recovery::save(&folder, &annotation, &about).map_err(|err| format!("{err:#}"));
            reporter.send(WorkEvent::SavedAside { revision, result }.into());
        });
    }

    /// Exports or checks a copy of the annotation.
    pub(in crate::app) fn work_on_annotation(
        &self,
        work: AnnotationWork,
        annotation: Annotation,
        below: Option<Arc<Dataset>>,
        revision: u64,
        cancel: Arc<AtomicBool>,
    ) {
        self.spawn("work on annotation", move |reporter| {
            let progress = |done, total| reporter.offer(WorkEvent::Progress { done, total }.into());
            let outcome = match work {
                AnnotationWork::Export { path, kind } => {
                    let job = Export { annotation: &annotation, below: below.as_deref(), progress: &progress, cancel: &cancel };
                    job.run(path, kind, revision)
                }
                AnnotationWork::RoundTrip => check(&annotation, below.as_deref(), &progress, &cancel),
            };
            let outcome =
                if cancel.load(Ordering::Relaxed) && matches!(outcome, WorkOutcome::Failed(_)) { WorkOutcome::Cancelled } else { outcome };
            reporter.send(WorkEvent::Ended(outcome).into());
        });
    }
}

/// What an export is made of.
struct Export<'a> {
    annotation: &'a Annotation,
    below: Option<&'a Dataset>,
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
        let exported = match (format, self.below) {
            (Some(format), _) => {
                let options = ExportOptions { format, only_edited: false };
                export(self.annotation, &options, &path, self.progress, self.cancel)
            }
            (None, Some(below)) => export_merged(self.annotation, below, &path, self.progress, self.cancel),
            (None, None) => {
                return WorkOutcome::Failed("A merged dataset needs the dataset below the annotation, which isn't open".to_owned());
            }
        };
        match exported {
            Ok(report) => WorkOutcome::Exported { path, kind, revision, summary: report.to_string(), losses: report.losses },
            Err(err) => WorkOutcome::Failed(err.to_string()),
        }
    }
}

fn check(annotation: &Annotation, below: Option<&Dataset>, progress: &(dyn Fn(u64, u64) + Sync), cancel: &AtomicBool) -> WorkOutcome {
    match round_trip(annotation, below, progress, cancel) {
        Ok(report) => WorkOutcome::Checked(RoundTripResult {
            is_equal: report.is_equal(),
            summary: report.to_string(),
            secs: report.secs,
            differences: report.differences,
        }),
        Err(err) => WorkOutcome::Failed(err.to_string()),
    }
}
