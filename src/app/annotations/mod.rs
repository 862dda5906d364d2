//! Annotations in the window: opening, editing, saving aside, exporting, checking.

mod autosave;
mod editor;
mod opening;
mod painter;
mod recovery;
mod work;

pub use editor::{EditReport, Editor, EditorEvent};
pub use opening::{Beginning, KnownDatasets, Opened, OpenedAnnotation, finish, recover, start_new};
pub use recovery::{About, LeftBehind, left_behind};
pub use work::{ToEditing, WorkEvent, WorkJob, WorkOutcome};

use super::{App, Listing, unix_secs};
use crate::format::Dataset;
use crate::problem::Severity;
use crate::scene::ViewState;
use crate::state::{
    AnnotationWork, AppCommand, Dialog, EditRequest, Effect, ExportKind, InspectorTab, LeftEdits, OpenAnnotation, Opening, RunningWork,
    Tool, given_colors,
};
use crate::text::count;
use autosave::Autosave;
use recovery::RecoveryFolder;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Warnings of an export that are shown; further ones are in the log.
const MAX_SAID: usize = 3;

/// How often the opened file is looked at.
const WATCH_EVERY: Duration = Duration::from_secs(3);

/// What tells whether a file has changed.
pub type FileStamp = Option<(u64, std::time::SystemTime)>;

/// The annotation that is edited, beside what the window shows of it.
pub struct Editing {
    /// Its number: what tasks report of another one is too late.
    session: u64,
    editor: Editor,
    /// Layers of the dataset that were shown before the volumes covered them.
    covered: Vec<usize>,
    /// The dataset without the annotation's layers.
    below: Option<Arc<Dataset>>,
    recovery: Option<Arc<RecoveryFolder>>,
    autosave: Autosave,
    /// The file as it was read or written; `None` while that isn't known.
    stamp: Option<FileStamp>,
    watched: Instant,
    /// Set to stop an export or check.
    cancel: Arc<AtomicBool>,
    /// Set when the annotation is closed.
    is_over: Arc<AtomicBool>,
}

impl App {
    /// Starts editing what was opened; the dataset is shown already.
    pub(super) fn start_editing(&mut self, opened: OpenedAnnotation, recovered: Option<LeftBehind>, is_recovered: bool) {
        let OpenedAnnotation { annotation, skeleton, layers, below, file, kind, is_damaged, missing_dataset, unusable_choice, .. } = opened;
        let session = self.tasks.task_number();
        let mut open = OpenAnnotation::new(&annotation, skeleton, &layers, file.clone(), missing_dataset);
        (open.export_kind, open.is_damaged) = (kind, is_damaged);
        open.dataset_path = below.as_ref().map(|below| below.path.clone());
        let (editor, run) = Editor::new(annotation, u64::from(is_recovered), session);
        self.tasks.edit(run);
        // Recovered edits are in no file yet.
        open.revision = u64::from(is_recovered);
        let autosave = Autosave::new(u64::from(recovered.is_some()));
        let recovery = recovered.map(|left| Arc::new(left.folder));
        self.editing = Some(Editing {
            session,
            editor,
            covered: Vec::new(),
            below,
            recovery,
            autosave,
            stamp: None,
            watched: Instant::now(),
            cancel: Arc::default(),
            is_over: Arc::default(),
        });
        if let Some(file) = file {
            self.tasks.look_at_file(session, file);
        }
        // Below a volume its fallback layer would only be seen where segments were erased.
        let fallbacks: Vec<String> = open.volumes.iter().filter_map(|volume| volume.fallback.clone()).collect();
        if let (Some(dataset), Some(editing)) = (&mut self.state.dataset, &mut self.editing) {
            let volumes = layers.iter().min().copied().unwrap_or(usize::MAX);
            for (index, layer) in dataset.layers.iter_mut().enumerate().take(volumes) {
                if fallbacks.contains(&layer.layer().name) && std::mem::take(&mut layer.display.visible) {
                    editing.covered.push(index);
                }
            }
        }
        if open.missing_dataset.is_some() {
            // It asks for the dataset.
            self.state.settings.inspector = true;
            self.state.settings.inspector_tab = InspectorTab::Annotation;
        }
        self.state.annotation = Some(open);
        if let Some(reason) = unusable_choice {
            self.say(Severity::Warning, &reason);
        }
        self.show_segment_colors();
    }

    /// Shows the layers again that the volumes cover, before it is remembered how the dataset looked.
    pub(super) fn show_fallbacks(&mut self) {
        let (Some(dataset), Some(editing)) = (&mut self.state.dataset, &mut self.editing) else { return };
        for index in editing.covered.drain(..) {
            if let Some(layer) = dataset.layers.get_mut(index) {
                layer.display.visible = true;
            }
        }
    }

    /// Ends editing; edits that were saved aside are thrown away.
    pub(super) fn stop_editing(&mut self) {
        self.state.annotation = None;
        if let Some(editing) = self.editing.take() {
            editing.cancel.store(true, Ordering::Relaxed);
            editing.is_over.store(true, Ordering::Relaxed);
            drop(editing.autosave);
            if let Some(folder) = editing.recovery {
                folder.discard();
            }
        }
    }

    /// Whether an action may go on; if it would lose edits, a person is asked first.
    pub(super) fn may_lose_edits(&mut self, effect: &Effect) -> bool {
        let loses = matches!(
            effect,
            Effect::Open(_)
                | Effect::OpenDemo
                | Effect::Close
                | Effect::CloseAnnotation
                | Effect::NewAnnotation
                | Effect::Recover(_)
                | Effect::Quit
        );
        let is_at_work = |open: &OpenAnnotation| open.is_unsaved() || (*effect == Effect::Quit && open.work.is_some());
        if !loses || self.discards_edits || !self.state.annotation.as_ref().is_some_and(is_at_work) {
            return true;
        }
        self.state.panels.dialog = Some(Dialog::Unsaved(Box::new(effect.clone())));
        false
    }

    /// Carries out what is about annotations.
    pub(super) fn carry_out_annotation(&mut self, ctx: &egui::Context, effect: Effect) {
        match effect {
            Effect::NewAnnotation => self.start_new_annotation(),
            Effect::CloseAnnotation => self.close_annotation(),
            Effect::PickAnnotation => self.tasks.pick_annotation(),
            Effect::PickDatasetOfAnnotation => self.tasks.pick_dataset_of_annotation(),
            Effect::OpenDatasetOfAnnotation(path) => self.open_dataset_of_annotation(path),
            Effect::Edit(request) => self.edit(request),
            Effect::Work(work) => self.start_work(work),
            Effect::CancelWork => {
                if let Some(editing) = &self.editing {
                    editing.cancel.store(true, Ordering::Relaxed);
                }
            }
            Effect::Discard(effect) => {
                self.discards_edits = true;
                self.carry_out(ctx, *effect);
                // Quitting takes some frames more.
                self.discards_edits = self.wants_quit;
            }
            Effect::Recover(number) => self.recover(number),
            Effect::ForgetLeft(number) => {
                if number < self.left_behind.len() {
                    self.left_behind.remove(number).folder.discard();
                }
                self.ask_about_left_behind();
            }
            _ => {}
        }
    }

    /// The dataset that is open, without an annotation's layers.
    pub(super) fn dataset_below(&self) -> Option<Arc<Dataset>> {
        match &self.editing {
            Some(editing) => editing.below.clone(),
            None => self.state.dataset.as_ref().map(|open| open.dataset.clone()),
        }
    }

    /// Shows what was opened, and starts editing if it is an annotation.
    pub(super) fn show_opened(&mut self, opened: Opened) {
        let Opened { dataset, view, annotation } = opened;
        self.show(Arc::new(dataset), view, Listing::Recent);
        match annotation {
            Some(annotation) => {
                // What couldn't be put back whole stays where it is, and is offered again.
                let is_recovered = self.recovering.is_some();
                if !annotation.is_recovered_whole {
                    self.take_back_recovering();
                }
                let recovered = self.recovering.take();
                let is_new = annotation.file.is_none();
                self.start_editing(annotation, recovered, is_recovered);
                if is_recovered && is_new {
                    self.keep_view(view);
                }
            }
            None => self.take_back_recovering(),
        }
    }

    /// Keeps edits that an ended program left, when something else is opened than what they belong to.
    pub(super) fn take_back_recovering(&mut self) {
        self.left_behind.extend(self.recovering.take());
    }

    /// Whether something was painted since what is being opened was asked for.
    pub(super) fn has_new_edits(&self) -> bool {
        let is_new = |open: &OpenAnnotation| open.is_unsaved() && (open.waiting > 0 || Some(open.revision) != self.accepted_loss);
        self.state.annotation.as_ref().is_some_and(is_new)
    }

    /// Asks what is to become of them; what was to be opened is opened again then.
    pub(super) fn ask_about_new_edits(&mut self, path: Option<PathBuf>) {
        self.take_back_recovering();
        if let Some(path) = path {
            self.state.panels.dialog = Some(Dialog::Unsaved(Box::new(Effect::Open(path))));
        }
    }

    /// Asks before the window is closed with edits that no file has.
    pub(super) fn question_before_closing(&mut self, ctx: &egui::Context) {
        let is_closing = ctx.input(|input| input.viewport().close_requested());
        if is_closing && !self.may_lose_edits(&Effect::Quit) {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
        } else if is_closing {
            self.stop_editing();
        }
    }

    /// Asks what is to become of edits that ended programs left.
    pub(super) fn offer_left_behind(&mut self, found: Vec<LeftBehind>) {
        self.left_behind.extend(found);
        self.ask_about_left_behind();
    }

    fn ask_about_left_behind(&mut self) {
        let lines: Vec<LeftEdits> = self.left_behind.iter().map(|left| left.told(unix_secs())).collect();
        self.state.panels.dialog = (!lines.is_empty()).then_some(Dialog::Recover(lines));
    }

    /// Opens what edits were left of, to put them in.
    fn recover(&mut self, number: usize) {
        if number >= self.left_behind.len() {
            return;
        }
        self.take_back_recovering();
        self.accepted_loss = self.state.annotation.as_ref().map(|open| open.revision);
        let left = self.left_behind.remove(number);
        let path = left.about.file.clone().or(left.about.dataset.clone()).unwrap_or_else(|| left.edits());
        let task = self.tasks.recover(left.about.clone(), left.edits());
        self.recovering = Some(left);
        self.state.panels.dialog = None;
        self.state.opening = Some(Opening { path, since: Instant::now(), progress: None, task });
    }

    fn start_new_annotation(&mut self) {
        let Some(open) = &self.state.dataset else { return };
        let below = self.editing.as_ref().map_or_else(|| Some(open.dataset.clone()), |editing| editing.below.clone());
        let Some(below) = below else {
            self.say(Severity::Warning, "There is no dataset to annotate, only an annotation");
            return;
        };
        let name = open.selected().map(|layer| layer.layer().name.clone());
        let is_segmentation = |layer: &&crate::format::Layer| layer.category == crate::format::LayerCategory::Segmentation;
        let fallback = below.layers.iter().position(|layer| Some(&layer.name) == name.as_ref() && is_segmentation(&layer));
        let view = open.view;
        let opened = match start_new(below, fallback, Beginning::now(view.voxel())) {
            Ok(opened) => opened,
            Err(err) => {
                self.say(Severity::Warning, &format!("No annotation can be made here: {err}"));
                return;
            }
        };
        self.state.opening = None;
        self.take_back_recovering();
        let volume = opened.annotation.as_ref().and_then(|annotation| annotation.layers.first().copied());
        self.show_opened(opened);
        self.keep_view(view); // somebody has just found the place to annotate
        if let (Some(open), Some(volume)) = (&mut self.state.dataset, volume) {
            open.selected = volume;
        }
        self.state.tools.tool = Tool::Brush;
        self.state.settings.inspector_tab = InspectorTab::Annotation;
        let volume = self.state.annotation.as_mut().and_then(|open| open.volumes.first_mut());
        if let Some(request) = volume.map(|volume| volume.new_segment(view.voxel())) {
            self.edit(request);
        }
    }

    /// Goes on with the dataset below, at the same place.
    fn close_annotation(&mut self) {
        let view = self.state.dataset.as_ref().map(|open| open.view);
        let below = self.editing.as_ref().and_then(|editing| editing.below.clone());
        match (below, view) {
            (Some(below), Some(view)) => {
                self.show(below, view, Listing::Recent);
                self.keep_view(view);
            }
            _ => self.close(),
        }
    }

    /// Looks where it was looked at before something else was shown, and not where that was looked at last.
    fn keep_view(&mut self, view: ViewState) {
        self.fits_first = None;
        if let Some(open) = &mut self.state.dataset {
            open.view = view;
        }
    }

    /// Shows the annotation over a dataset that somebody chose.
    pub(super) fn open_dataset_of_annotation(&mut self, path: PathBuf) {
        let Some(file) = self.state.annotation.as_ref().and_then(|open| open.file.clone()) else { return };
        if self.state.annotation.as_ref().is_some_and(OpenAnnotation::is_unsaved) {
            self.say(Severity::Warning, "Export the annotation first: its edits were made without the dataset");
            return;
        }
        self.start_opening_over(file, Some(path));
    }

    fn edit(&mut self, request: EditRequest) {
        let Some((editing, open)) = self.editing.as_mut().zip(self.state.annotation.as_mut()) else { return };
        if !editing.editor.is_alive() {
            self.say(Severity::Error, "The editor has ended after an internal error: export what there is, and open it again");
            return;
        }
        editing.editor.edit(open.selected, request);
        open.waiting = editing.editor.waiting();
    }

    fn start_work(&mut self, work: AnnotationWork) {
        let Some((editing, open)) = self.editing.as_mut().zip(self.state.annotation.as_mut()) else { return };
        if open.work.is_some() {
            self.say(Severity::Warning, "The annotation is still being exported or checked");
            return;
        }
        editing.cancel = Arc::default();
        open.work = Some(RunningWork { work: work.clone(), since: Instant::now(), done: 0, total: 0 });
        if work == AnnotationWork::RoundTrip {
            open.round_trip = None;
        }
        editing.editor.snapshot(work);
    }

    /// Takes what the editor reports.
    pub(super) fn apply_editor(&mut self, session: u64, event: EditorEvent) {
        let Some(editing) = self.editing.as_mut().filter(|editing| editing.session == session) else { return };
        match event {
            EditorEvent::Edited(report) => {
                editing.editor.answered();
                self.apply_edit(*report);
            }
            EditorEvent::Counted(report) => self.apply_edit(*report),
            EditorEvent::Count { volume, job } => self.tasks.count_segments(session, editing.is_over.clone(), volume, job),
            EditorEvent::Changes { changes, base, revision } => self.save_aside(changes, base, revision),
            EditorEvent::Snapshot { work, annotation, revision } => {
                // One that nobody changed is exported as it was read.
                let is_changed = revision > 0 && matches!(&work, AnnotationWork::Export { kind, .. } if *kind != ExportKind::Merged);
                let seen_from = self.state.dataset.as_ref().filter(|_| is_changed).map(|open| open.view);
                let job = WorkJob { work, annotation: *annotation, revision, seen_from, cancel: editing.cancel.clone() };
                self.tasks.work_on_annotation(session, job);
            }
        }
    }

    fn apply_edit(&mut self, report: EditReport) {
        let Some((editing, open)) = self.editing.as_ref().zip(self.state.annotation.as_mut()) else { return };
        open.revision = report.revision;
        open.waiting = editing.editor.waiting();
        let Some(volume) = open.volumes.get_mut(report.volume) else { return };
        let has_new_list = !Arc::ptr_eq(&volume.segments, &report.segments);
        volume.segments = report.segments;
        if let Some(lists) = report.lists {
            (volume.history, volume.counts, volume.uncounted) = (lists.history, lists.counts, lists.uncounted);
        }
        if let Some((number, id)) = report.new_segment {
            volume.answer_new(number, id);
            if let Some(layer) = self.state.dataset.as_mut().and_then(|dataset| dataset.layers.get_mut(volume.layer)) {
                Arc::make_mut(&mut layer.display.segments).show_among_only(id, true);
            }
        }
        match report.result {
            Ok(notes) => notes.into_iter().for_each(|note| self.say(Severity::Info, &note)),
            Err(error) => self.say(Severity::Warning, &error),
        }
        if has_new_list {
            self.show_segment_colors();
        }
    }

    /// Draws segments as they are listed.
    fn show_segment_colors(&mut self) {
        let Some((open, dataset)) = self.state.annotation.as_ref().zip(self.state.dataset.as_mut()) else { return };
        for volume in &open.volumes {
            if let Some(layer) = dataset.layers.get_mut(volume.layer) {
                Arc::make_mut(&mut layer.display.segments).given = Arc::new(given_colors(&volume.segments));
            }
        }
    }

    /// Takes what work on the annotation reports.
    pub(super) fn apply_work(&mut self, session: u64, event: WorkEvent) {
        let editing = self.editing.as_mut().filter(|editing| editing.session == session);
        let Some((editing, open)) = editing.zip(self.state.annotation.as_mut()) else { return };
        match event {
            WorkEvent::SavedAside { base, revision, result } => self.saved_aside(base, revision, result),
            WorkEvent::Counted { volume, result } => {
                let name = open.volumes.get(volume).map_or("", |volume| volume.name.as_str());
                let left_out = result.unreadable().map(|(chunks, error)| {
                    format!("Chunks of {name} can't be read and aren't counted, {} in all: {error}", count(chunks as u64))
                });
                editing.editor.counted(volume, result);
                if let Some(left_out) = left_out {
                    self.say(Severity::Warning, &left_out);
                }
            }
            WorkEvent::Progress { done, total } => {
                if let Some(work) = &mut open.work {
                    (work.done, work.total) = (done, total);
                }
            }
            WorkEvent::FileSeen { path, stamp } => {
                // While it is exported to, it changes by ourselves; the export brings its new stamp along.
                let is_exported_to =
                    matches!(&open.work, Some(RunningWork { work: AnnotationWork::Export { path: to, .. }, .. }) if *to == path);
                if open.file.as_ref() == Some(&path) && !is_exported_to {
                    open.changed_on_disk |= editing.stamp.is_some_and(|known| known != stamp);
                    editing.stamp = Some(stamp);
                }
            }
            WorkEvent::Ended(outcome) => {
                let work = open.work.take().map(|running| running.work);
                match (work, outcome) {
                    (Some(AnnotationWork::Export { path, kind, then, .. }), WorkOutcome::Unreadable(reason)) => {
                        log::warn!("{reason}");
                        self.state.panels.dialog = Some(Dialog::ExportDamaged { path, kind, then, reason });
                    }
                    (Some(AnnotationWork::Export { then: Some(then), .. }), outcome @ WorkOutcome::Exported { .. }) => {
                        // Asked about again if edits were made meanwhile, or the file is no annotation.
                        self.commands.send(AppCommand::Confirmed(then));
                        self.apply_outcome(outcome);
                    }
                    (_, outcome) => self.apply_outcome(outcome),
                }
            }
        }
    }

    fn apply_outcome(&mut self, outcome: WorkOutcome) {
        let Some((editing, open)) = self.editing.as_mut().zip(self.state.annotation.as_mut()) else { return };
        match outcome {
            WorkOutcome::Exported { path, kind, revision, stamp, summary, losses } => {
                if kind != ExportKind::Merged {
                    open.saved_revision = revision;
                    open.file = Some(path.clone());
                    open.export_kind = kind;
                    open.may_replace_file = true;
                    open.changed_on_disk = false;
                    open.is_damaged = false;
                    editing.stamp = Some(stamp);
                    editing.autosave.exported(revision);
                    if open.revision == revision
                        && let Some(folder) = editing.recovery.take()
                    {
                        folder.discard();
                    }
                }
                let (said, further) = losses.split_at(losses.len().min(MAX_SAID));
                for loss in said {
                    self.say(Severity::Warning, loss);
                }
                if !further.is_empty() {
                    further.iter().for_each(|loss| log::warn!("{loss}"));
                    self.say(Severity::Warning, &format!("{} further warnings are in the log", further.len()));
                }
                self.say(Severity::Info, &format!("Exported {summary} to {}", path.display()));
            }
            WorkOutcome::Checked(result) => open.round_trip = Some(result),
            WorkOutcome::Unreadable(error) | WorkOutcome::Failed(error) => self.say(Severity::Error, &error),
            WorkOutcome::Cancelled => self.say(Severity::Info, "Cancelled; nothing was changed"),
        }
    }

    /// What is done from time to time.
    pub(super) fn keep_annotation(&mut self, ctx: &egui::Context) {
        let Some((editing, open)) = self.editing.as_mut().zip(self.state.annotation.as_mut()) else { return };
        editing.editor.flush();
        open.waiting = editing.editor.waiting();
        if self.recovery_root.is_some()
            && let Some(due) = editing.autosave.due_in(open)
        {
            if due.is_zero() {
                let since = editing.autosave.begin(open.saved_revision);
                editing.editor.changes(since, open.saved_revision);
            } else {
                ctx.request_repaint_after(due);
            }
        }
        if let Some(file) = &open.file
            && editing.watched.elapsed() >= WATCH_EVERY
        {
            editing.watched = Instant::now();
            self.tasks.look_at_file(editing.session, file.clone());
        }
        ctx.request_repaint_after(WATCH_EVERY);
    }

    /// Shows news.
    pub(super) fn say(&mut self, severity: Severity, text: &str) {
        match severity {
            Severity::Info => log::info!("{text}"),
            Severity::Warning => log::warn!("{text}"),
            Severity::Error => log::error!("{text}"),
        }
        self.state.notifications.push(severity, text, Instant::now());
    }
}
