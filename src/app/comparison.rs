//! Comparing two datasets or annotations in a task.

use super::tasks::{OpenPath, Reporter, TaskEvent, Tasks};
use super::{App, Listing};
use crate::compare::{CompareOptions, Pairing, Selection, Watch, compare_datasets};
use crate::format::Dataset;
use crate::scene::ViewState;
use crate::state::{BottomTab, Comparison, ComparisonState, Findings, OpenAnnotation, first_view, with_differences};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a comparison reports.
pub enum ComparisonEvent {
    /// Voxels done and to do.
    Progress { task: u64, done: u64, total: u64 },
    /// It ended.
    Ended { task: u64, result: Result<Box<Compared>, String> },
}

/// What a comparison found, and what shows it.
pub struct Compared {
    findings: Findings,
    dataset: Dataset,
    view: ViewState,
}

/// A comparison that goes on.
pub struct RunningComparison {
    task: u64,
    cancel: Arc<AtomicBool>,
}

impl Tasks {
    /// Compares two paths; returns the task's number.
    fn compare(&mut self, a: PathBuf, b: PathBuf, cancel: Arc<AtomicBool>) -> u64 {
        let (task, open_path) = (self.task_number(), self.open_path().clone());
        self.spawn("compare", move |reporter| {
            let result = compare(task, [a, b], &open_path, &cancel, reporter).map(Box::new);
            reporter.send(TaskEvent::Comparison(ComparisonEvent::Ended { task, result }));
        });
        task
    }
}

fn compare(task: u64, paths: [PathBuf; 2], open_path: &OpenPath, cancel: &AtomicBool, reporter: &Reporter) -> Result<Compared, String> {
    let open = |path: &PathBuf| open_path(path).map_err(|err| err.to_string());
    let (a, b) = (open(&paths[0])?, open(&paths[1])?);
    let pairing = Pairing::new(&a, &b, &Selection::default()).map_err(|err| err.to_string())?;
    let progress = |done, total| reporter.offer(TaskEvent::Comparison(ComparisonEvent::Progress { task, done, total }));
    let watch = Watch { progress: &progress, cancel };
    let difference = compare_datasets(&pairing, CompareOptions::default(), watch).map_err(|err| err.to_string())?;
    let findings = Findings::new(&difference);
    let (dataset, _) = with_differences(&a, &b, &difference);
    let mut view = first_view(&dataset);
    if let Some(place) = findings.places.first() {
        view.set_voxel(place.voxel);
    }
    Ok(Compared { findings, dataset, view })
}

impl App {
    /// Starts comparing; an earlier comparison stops.
    pub(super) fn start_comparing(&mut self, a: PathBuf, b: PathBuf) {
        self.stop_comparing();
        self.state.panels.dialog = None;
        let cancel = Arc::new(AtomicBool::new(false));
        let task = self.tasks.compare(a.clone(), b.clone(), cancel.clone());
        self.comparing = Some(RunningComparison { task, cancel });
        self.state.comparison = Some(Comparison { a, b, state: ComparisonState::Running { since: Instant::now(), done: 0, total: 0 } });
        self.state.settings.bottom_tab = BottomTab::Comparison;
        self.state.settings.bottom_panel = Some(true);
    }

    /// Stops a comparison that goes on.
    pub(super) fn stop_comparing(&mut self) {
        if let Some(running) = self.comparing.take() {
            running.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Takes what a comparison reports.
    pub(super) fn apply_comparison(&mut self, event: ComparisonEvent) {
        let task = match &event {
            ComparisonEvent::Progress { task, .. } | ComparisonEvent::Ended { task, .. } => *task,
        };
        if self.comparing.as_ref().is_none_or(|running| running.task != task) {
            return; // cancelled, or another one was started
        }
        let Some(comparison) = &mut self.state.comparison else { return };
        match event {
            ComparisonEvent::Progress { done: now, total: all, .. } => {
                if let ComparisonState::Running { done, total, .. } = &mut comparison.state {
                    (*done, *total) = (now, all);
                }
            }
            ComparisonEvent::Ended { result: Err(error), .. } => {
                self.comparing = None;
                log::error!("{error}");
                comparison.state = ComparisonState::Failed(error);
            }
            ComparisonEvent::Ended { result: Ok(compared), .. } => {
                self.comparing = None;
                let Compared { findings, dataset, view } = *compared;
                let has_places = !findings.places.is_empty();
                comparison.state = ComparisonState::Done(findings);
                let shows_it = self.state.dataset.as_ref().is_some_and(|open| open.dataset.path == dataset.path);
                // Edits are never thrown away for a comparison; its list is there all the same.
                let has_edits = self.state.annotation.as_ref().is_some_and(OpenAnnotation::is_unsaved);
                if !has_edits && (has_places || !shows_it) {
                    let comparison = self.state.comparison.take();
                    self.show(Arc::new(dataset), view, Listing::Unlisted);
                    self.state.comparison = comparison;
                    if let Some(open) = self.state.dataset.as_mut().filter(|_| has_places) {
                        open.view.set_voxel(view.voxel());
                    }
                }
            }
        }
    }
}
