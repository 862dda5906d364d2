//! Tasks about annotations: painting, counting, exporting, checking, saving aside, looking at the file.

use super::FileStamp;
use super::recovery::{self, About};
use crate::annotation::export::{ExportFormat, ExportOptions, ExportReport, ExportWatch, RoundtripReport, export, merge, roundtrip};
use crate::annotation::{Annotation, CountJob, CountResult};
use crate::app::tasks::{Reporter, Tasks};
use crate::state::{AnnotationWork, ExportKind, RoundTripResult};
use crate::text::{bytes, count};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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
            let seen = path.metadata().ok();
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
    pub(in crate::app) fn work_on_annotation(&self, work: AnnotationWork, annotation: Annotation, revision: u64, cancel: Arc<AtomicBool>) {
        self.spawn("work on annotation", move |reporter| {
            let progress = |done, total| reporter.offer(WorkEvent::Progress { done, total }.into());
            let outcome = match work {
                AnnotationWork::Export { path, kind } => {
                    let job = Export { annotation: &annotation, progress: &progress, cancel: &cancel };
                    job.run(path, kind, revision)
                }
                AnnotationWork::RoundTrip => check(&annotation, &progress, &cancel),
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
            Some(_) => export(self.annotation, ExportOptions { format, only_edited: false }, &path, watch),
            None => merge(self.annotation, &path, watch),
        };
        match exported {
            Ok(report) => WorkOutcome::Exported {
                path,
                kind,
                revision,
                summary: summary(&report),
                losses: report.problems.iter().map(ToString::to_string).collect(),
            },
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

fn check(annotation: &Annotation, progress: &(dyn Fn(u64, u64) + Sync), cancel: &AtomicBool) -> WorkOutcome {
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
