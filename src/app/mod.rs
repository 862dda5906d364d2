//! Layer 6: the program around the panels: frames, tasks, and what is kept between runs.
//!
//! [`App`] is independent of eframe, so that tests drive it; [`run`] puts it into a window.

mod annotations;
mod comparison;
mod logger;
mod tasks;
mod thumbnails;
mod window;

pub use logger::{init_logger, shared_log};
pub use tasks::OpenPath;
pub use window::{NoDisplay, run};

use crate::geometry::{ChunkIndex, MagLabel, SlicePlane, Vec3Int};
use crate::loading::{LoaderConfig, PoolError, SourceId, UiWaker};
use crate::problem::{Problem, Severity};
use crate::scene::LevelRef;
use crate::state::{
    AppContext, AppState, CommandQueue, Effect, FeedEvent, InspectorTab, LayoutState, LogLines, OpenDataset, Opening, Settings, SliceFeed,
    TextScale, ThemeChoice, UiCommand, dispatch,
};
use crate::storage::StorageOpener;
use crate::ui::MainWindow;
use crate::ui::theme::{self, Appearance};
use annotations::{Editing, KnownDatasets, LeftBehind};
use comparison::RunningComparison;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tasks::{OpenFailure, TaskEvent, Tasks, edited_shards, scan_order};

/// A picture for the welcome page is taken when nothing has changed for this long: windows may still be found.
const CALM_BEFORE_THUMBNAIL: Duration = Duration::from_millis(1500);

/// What to show first, from the command line.
#[derive(Clone, Debug, Default)]
pub struct FirstView {
    /// What to open.
    pub path: Option<PathBuf>,
    /// Open the demo instead.
    pub demo: bool,
    /// Layer to select.
    pub layer: Option<String>,
    /// Mag to show whatever the zoom.
    pub mag: Option<MagLabel>,
    /// Mag-1 voxel to centre.
    pub position: Option<Vec3Int>,
    /// Finest voxels per pixel.
    pub zoom: Option<f64>,
}

/// Times the first slices of what the command line named.
#[derive(Clone, Copy, Debug)]
enum FirstSlices {
    /// No frame was drawn yet.
    BeforeFirstFrame,
    /// The first frame was drawn then.
    Awaited(Instant),
    /// They were on screen, or nothing was named.
    Done,
}

/// Whether what is shown is kept in mind, with its place and picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listing {
    /// Among the recents.
    Recent,
    /// Not: it was made for the moment.
    Unlisted,
}

/// The program without its window.
pub struct App {
    state: AppState,
    feed: SliceFeed,
    window: MainWindow,
    commands: CommandQueue,
    tasks: Tasks,
    first_view: FirstView,
    first_slices: FirstSlices,
    /// The chunk that a running task locates.
    locating: Option<(SourceId, ChunkIndex)>,
    title: String,
    clipboard: Option<String>,
    wants_quit: bool,
    /// A picture of the open dataset is kept already.
    has_thumbnail: bool,
    /// A plane that was just opened is to fill its pane, once that has its size.
    fits_first: Option<SlicePlane>,
    /// Since when nothing has been loading.
    calm_since: Option<Instant>,
    /// The annotation that is edited.
    editing: Option<Editing>,
    /// Where edits are saved aside; `None` for nowhere.
    recovery_root: Option<PathBuf>,
    /// What ended programs left, until somebody has decided about it.
    left_behind: Vec<LeftBehind>,
    /// Edits that are to be put into the annotation that is being opened.
    recovering: Option<LeftBehind>,
    /// Somebody agreed that edits are lost.
    discards_edits: bool,
    /// Up to which edit what is being opened may replace the annotation.
    accepted_loss: Option<u64>,
    /// A comparison that goes on.
    comparing: Option<RunningComparison>,
}

impl App {
    /// A program that reads through `opener`. Starts opening what `first_view` names.
    ///
    /// # Errors
    /// If the loader's threads can't be started.
    pub fn new(
        ctx: &egui::Context,
        settings: Settings,
        log: LogLines,
        opener: Arc<dyn StorageOpener>,
        first_view: FirstView,
    ) -> Result<Self, PoolError> {
        Self::with_open(ctx, settings, log, Arc::new(move |path| crate::format::open(opener.as_ref(), path)), first_view)
    }

    /// As [`Self::new`], with datasets from anywhere.
    ///
    /// # Errors
    /// If the loader's threads can't be started.
    pub fn with_open(
        ctx: &egui::Context,
        settings: Settings,
        log: LogLines,
        open_path: OpenPath,
        first_view: FirstView,
    ) -> Result<Self, PoolError> {
        let repaint = ctx.clone();
        let waker = UiWaker::new(move || repaint.request_repaint());
        let mut config = LoaderConfig::default();
        if let Some(mib) = settings.cache_mib {
            config.max_bytes = cache_bytes(mib);
        }
        theme::install(ctx, &appearance(&settings));
        let mut app = Self {
            state: AppState::new(settings, log),
            feed: SliceFeed::new(config, waker.clone())?,
            window: MainWindow::default(),
            commands: CommandQueue::default(),
            tasks: Tasks::new(open_path, waker),
            first_slices: if first_view.demo || first_view.path.is_some() { FirstSlices::BeforeFirstFrame } else { FirstSlices::Done },
            first_view,
            locating: None,
            title: String::new(),
            clipboard: None,
            wants_quit: false,
            has_thumbnail: false,
            fits_first: None,
            calm_since: None,
            editing: None,
            recovery_root: None,
            left_behind: Vec::new(),
            recovering: None,
            discards_edits: false,
            accepted_loss: None,
            comparing: None,
        };
        app.tasks.look_at_recents(app.state.settings.recents.clone());
        if app.first_view.demo {
            app.start_demo();
        } else if let Some(path) = app.first_view.path.clone() {
            app.start_opening(path);
        }
        Ok(app)
    }

    /// Saves edits aside below this folder, and looks there for what ended programs left.
    pub fn keep_edits_in(&mut self, root: PathBuf) {
        self.tasks.look_for_left_behind(root.clone());
        self.recovery_root = Some(root);
    }

    /// What the program knows.
    pub const fn state(&self) -> &AppState {
        &self.state
    }

    /// Pictures and loader.
    pub const fn feed(&self) -> &SliceFeed {
        &self.feed
    }

    /// Asks for a change as a panel would.
    pub fn send(&self, command: impl Into<crate::state::Command>) {
        self.commands.send(command);
    }

    /// Whether everything that was asked for is on screen.
    pub fn is_settled(&self) -> bool {
        let is_edited = self.state.annotation.as_ref().is_some_and(|open| open.waiting > 0);
        self.state.opening.is_none() && self.state.dataset.is_some() && !is_edited && self.feed.is_settled()
    }

    /// Moves data between frames; draws nothing.
    pub fn logic(&mut self, ctx: &egui::Context) {
        for command in self.commands.take() {
            let panes_px = self.window.viewport.shapes_px();
            for effect in dispatch(&mut self.state, &self.feed, &panes_px, command) {
                self.carry_out(ctx, effect);
            }
        }
        while let Some(event) = self.tasks.poll() {
            self.apply(event);
        }
        for event in self.feed.poll(self.state.dataset.as_ref()) {
            match event {
                FeedEvent::Found(problem) => self.found(problem),
                FeedEvent::ChunkFailed(_, error) => {
                    let text = format!("Chunk {} of shard {} can't be shown: {}", error.chunk, error.shard, error.fault);
                    self.found(Problem { severity: Severity::Error, text, location: error.location.clone() });
                }
                FeedEvent::AutoWindow { layer, channel, window } => {
                    if let Some(layer) = self.state.dataset.as_mut().and_then(|open| open.layers.get_mut(layer)) {
                        layer.set_window(channel, window);
                    }
                }
            }
        }
        self.keep_annotation(ctx);
        self.question_before_closing(ctx);
        self.fit_plane(ctx);
        self.feed.update(&self.state, self.window.viewport.shapes_px());
        self.look_at_shards();
        self.locate_probe();
        if !self.feed.is_settled() {
            self.calm_since = None;
        } else if self.calm_since.is_none() {
            self.calm_since = Some(Instant::now());
            ctx.request_repaint_after(CALM_BEFORE_THUMBNAIL);
        }
        self.keep_thumbnail();
        self.state.notifications.expire(Instant::now());
        if self.state.notifications.toasts().next().is_some() {
            ctx.request_repaint_after(Duration::from_millis(500));
        }
        if let Some(text) = self.clipboard.take() {
            ctx.copy_text(text);
        }
        let title = self.state.window_title();
        if title != self.title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
        if self.wants_quit {
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    /// Draws the window.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        for path in ui.input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect::<Vec<_>>()) {
            self.commands.send(crate::state::AppCommand::Open(path));
        }
        self.window.show(ui, &AppContext::new(&self.state, &self.feed, &self.commands));
        self.state.panels.focus_position = false; // the field has got it
        self.time_first_slices();
        if !self.commands.is_empty() {
            // Commands take effect at the start of the next frame; it should come at once.
            ui.ctx().request_repaint();
        }
    }

    /// What to keep for the next run.
    pub fn settings(&self) -> Settings {
        let mut settings = self.state.settings.clone();
        if let Some(open) = self.state.dataset.as_ref().filter(|open| open.is_listed) {
            settings.remember(open.as_recent(unix_secs()));
        }
        settings
    }

    /// Logs how long the first slices took, once every pane shows a picture in which nothing is awaited.
    fn time_first_slices(&mut self) {
        match self.first_slices {
            FirstSlices::BeforeFirstFrame => self.first_slices = FirstSlices::Awaited(Instant::now()),
            FirstSlices::Awaited(since) if self.shows_all_slices() => {
                log::info!("first slices on screen {} ms after the first frame", since.elapsed().as_millis());
                self.first_slices = FirstSlices::Done;
            }
            FirstSlices::Awaited(_) | FirstSlices::Done => {}
        }
    }

    fn shows_all_slices(&self) -> bool {
        let mut shown =
            SlicePlane::ALL.into_iter().zip(self.window.viewport.shapes_px()).filter(|(_, px)| px.iter().all(|side| *side > 0)).peekable();
        let is_complete = |(plane, _)| self.feed.image(plane).is_some_and(|picture| picture.image.coverage.pending == 0);
        self.state.dataset.is_some() && shown.peek().is_some() && shown.all(is_complete)
    }

    fn carry_out(&mut self, ctx: &egui::Context, effect: Effect) {
        if !self.may_lose_edits(&effect) {
            return;
        }
        match effect {
            Effect::Open(path) => self.start_opening(path),
            Effect::OpenDemo => self.start_demo(),
            Effect::CancelOpening => {
                self.state.opening = None;
                self.take_back_recovering();
            }
            Effect::Close => self.close(),
            Effect::PickFolder => self.tasks.pick(true),
            Effect::PickFile => self.tasks.pick(false),
            Effect::Copy(text) => {
                self.state.notifications.push(Severity::Info, format!("Copied {text}"), Instant::now());
                self.clipboard = Some(text);
            }
            Effect::JumpToData => {
                if let Some(open) = &self.state.dataset {
                    self.tasks.nearest_data(open.dataset.clone(), open.selected, open.view.voxel());
                }
            }
            Effect::RetryFailed => {
                self.feed.retry_failed();
                self.state.probe.located = None;
                if matches!(self.state.layout.chunks, Some(Err(_))) {
                    self.state.layout.chunks = None;
                    self.state.layout.asked_shard = None;
                }
            }
            Effect::SettingsChanged => {
                theme::apply(ctx, &appearance(&self.state.settings));
                if let Some(mib) = self.state.settings.cache_mib {
                    self.feed.set_max_bytes(cache_bytes(mib));
                }
            }
            Effect::Quit => {
                self.stop_editing(); // nothing is left to be recovered
                self.wants_quit = true;
            }
            Effect::Browse { field, path } => self.tasks.pick_path(field, &path),
            Effect::LookAt(path) => self.tasks.look_at(path),
            Effect::Compare { a, b } => self.start_comparing(a, b),
            Effect::StopComparing => {
                self.stop_comparing();
                self.state.comparison = None;
            }
            Effect::NewAnnotation
            | Effect::CloseAnnotation
            | Effect::PickAnnotation
            | Effect::PickDatasetOfAnnotation
            | Effect::OpenDatasetOfAnnotation(_)
            | Effect::Edit(_)
            | Effect::Work(_)
            | Effect::CancelWork
            | Effect::Discard(_)
            | Effect::Recover(_)
            | Effect::ForgetLeft(_) => self.carry_out_annotation(ctx, effect),
        }
    }

    fn start_opening(&mut self, path: PathBuf) {
        // Reading an annotation again keeps the dataset below it, whatever its name.
        let again = self.state.annotation.as_ref().filter(|open| open.file.as_ref() == Some(&path));
        let chosen = again.and_then(|open| open.dataset_path.clone());
        self.start_opening_over(path, chosen);
    }

    /// Opens a path; an annotation over `chosen`, or else over the dataset that it names.
    fn start_opening_over(&mut self, path: PathBuf, chosen: Option<PathBuf>) {
        log::info!("opening {}", path.display());
        self.take_back_recovering();
        self.accepted_loss = self.state.annotation.as_ref().map(|open| open.revision);
        let known = KnownDatasets {
            open: self.dataset_below(),
            recent: self.state.settings.recents.iter().map(|recent| recent.path.clone()).collect(),
            chosen,
        };
        let task = self.tasks.open(path.clone(), known);
        self.state.open_error = None;
        self.state.choosing = None;
        self.state.opening = Some(Opening { path, since: Instant::now(), progress: None, task });
    }

    fn start_demo(&mut self) {
        self.take_back_recovering();
        self.accepted_loss = self.state.annotation.as_ref().map(|open| open.revision);
        let task = self.tasks.open_demo();
        self.state.open_error = None;
        self.state.choosing = None;
        let path = PathBuf::from("demo dataset");
        self.state.opening = Some(Opening { path, since: Instant::now(), progress: None, task });
    }

    fn close(&mut self) {
        self.stop_comparing();
        self.show_fallbacks();
        self.remember();
        self.stop_editing();
        self.state.comparison = None;
        self.tasks.stop_scan();
        self.feed.open(None);
        self.state.dataset = None;
        self.state.probe = Default::default();
        self.state.layout.restart(None);
        self.state.panels.maximized = None;
        self.fits_first = None;
        self.locating = None;
        self.has_thumbnail = false;
        self.tasks.look_at_recents(self.state.settings.recents.clone());
    }

    /// Keeps a picture of the dataset once it is complete.
    fn keep_thumbnail(&mut self) {
        let is_calm = self.calm_since.is_some_and(|since| since.elapsed() >= CALM_BEFORE_THUMBNAIL);
        let Some(open) = self.state.dataset.as_ref().filter(|open| open.is_listed && !self.has_thumbnail && is_calm) else { return };
        let Some(picture) = self.feed.image(crate::geometry::SlicePlane::Xy) else { return };
        if picture.image.coverage.is_final() {
            self.has_thumbnail = true;
            let path = std::path::absolute(&open.dataset.path).unwrap_or_else(|_| open.dataset.path.clone());
            self.tasks.keep_thumbnail(path, picture.image.clone());
        }
    }

    fn remember(&mut self) {
        if let Some(open) = self.state.dataset.as_ref().filter(|open| open.is_listed) {
            let recent = open.as_recent(unix_secs());
            self.state.settings.remember(recent);
        }
    }

    fn apply(&mut self, event: TaskEvent) {
        match event {
            TaskEvent::Progress { task, text, share } => {
                if let Some(opening) = self.state.opening.as_mut().filter(|opening| opening.task == task) {
                    opening.progress = Some((text, share));
                }
            }
            TaskEvent::Opened { task, result } => {
                if self.state.opening.as_ref().is_none_or(|opening| opening.task != task) {
                    return; // cancelled, or something else was opened since
                }
                let path = self.state.opening.take().map(|opening| opening.path);
                match result {
                    Ok(_) if self.has_new_edits() => self.ask_about_new_edits(path),
                    Ok(opened) => self.show_opened(*opened),
                    Err(OpenFailure::Failed { message, hint }) => {
                        log::error!("{message}");
                        self.take_back_recovering();
                        self.state.open_error = Some((message, hint));
                    }
                    Err(OpenFailure::Choose(choosing)) => {
                        log::info!("{} in {}, one is to be chosen", choosing.what, choosing.path.display());
                        self.state.choosing = Some(choosing);
                    }
                }
            }
            TaskEvent::Editor { session, event } => self.apply_editor(session, event),
            TaskEvent::Work { session, event } => self.apply_work(session, event),
            TaskEvent::PickedPath { field, path } => {
                if let Some(dialog) = &mut self.state.panels.dialog {
                    dialog.set_path(field, path);
                }
            }
            TaskEvent::LookedAt { path, is_there } => self.state.panels.looked_at = Some((path, is_there)),
            TaskEvent::Comparison(event) => self.apply_comparison(event),
            TaskEvent::LeftBehind(found) => self.offer_left_behind(found),
            TaskEvent::PickedDatasetOfAnnotation(path) => self.open_dataset_of_annotation(path),
            TaskEvent::Picked(Some(path)) => self.commands.send(crate::state::AppCommand::Open(path)),
            TaskEvent::Picked(None) => {}
            TaskEvent::Shards { level, batch, is_last } => {
                self.state.layout.add(level, batch);
                if is_last && self.state.layout.level == Some(level) {
                    self.state.layout.is_scanning = false;
                }
            }
            TaskEvent::EditedShards { level, batch, edited } => self.state.layout.update(level, batch, edited),
            TaskEvent::Layout { level, shard, result } => {
                let layout = &mut self.state.layout;
                if layout.level == Some(level) && layout.selected_shard == Some(shard) {
                    layout.chunks = result.transpose().map(|chunks| chunks.map(Arc::new));
                }
            }
            TaskEvent::Located(located) => {
                self.locating = None;
                self.state.probe.located = Some(located);
            }
            TaskEvent::Recent { path, look } => self.window.welcome.set_look(&path, look),
            TaskEvent::NearestData(Some(voxel)) => self.commands.send(crate::state::AppCommand::SetPosition(voxel)),
            TaskEvent::NearestData(None) => {
                self.state.notifications.push(Severity::Warning, "No stored shard was found in this layer", Instant::now())
            }
        }
    }

    /// Shows a dataset that was opened.
    fn show(&mut self, dataset: Arc<crate::format::Dataset>, mut view: crate::scene::ViewState, listing: Listing) {
        let remembered =
            self.state.dataset.as_ref().filter(|open| open.dataset.path == dataset.path).map(|open| (open.view, open.selected));
        let reload = remembered.is_some();
        self.close();
        let asked = std::mem::take(&mut self.first_view);
        let recent = self.state.settings.recent(&std::path::absolute(&dataset.path).unwrap_or_default()).cloned();
        let mut has_last_place = false;
        if let Some((last, _)) = remembered {
            view = last; // reloading keeps the place
        } else if dataset.focus.is_none()
            && asked.path.is_none()
            && let Some((position, zoom)) = recent.as_ref().and_then(|recent| recent.position.zip(recent.zoom))
            && dataset.bounding_box().contains(position.into())
        {
            view = crate::scene::ViewState::new(position.into(), zoom);
            has_last_place = true;
        }
        if let Some(position) = asked.position {
            view.set_voxel(position);
        }
        if let Some(zoom) = asked.zoom {
            view.set_zoom(zoom);
        }
        let has_place = reload || has_last_place || asked.position.is_some() || asked.zoom.is_some() || dataset.view.zoom.is_some();
        let mut open = OpenDataset::new(dataset, view);
        open.is_listed = listing == Listing::Recent;
        open.fixed_mag = asked.mag;
        if let Some(recent) = recent.filter(|_| open.dataset.focus.is_none()) {
            open.recall(&recent);
        }
        if let Some((_, selected)) = remembered {
            open.selected = selected.min(open.layers.len().saturating_sub(1));
        }
        if let Some(name) = asked.layer {
            match open.layers.iter().position(|layer| layer.layer().name == name) {
                Some(index) => {
                    open.selected = index;
                    open.layers[index].display.visible = true;
                }
                None => self.state.notifications.push(Severity::Warning, format!("No layer {name} in this dataset"), Instant::now()),
            }
        }
        self.show_plane_alone(&open, has_place);
        log::info!("opened {}: {} layers", open.dataset.path.display(), open.layers.len());
        for problem in &open.problems {
            log_problem(problem);
        }
        self.feed.open(Some(&open));
        self.state.open_error = None;
        self.state.dataset = Some(open);
        if !reload {
            self.remember();
        }
    }

    /// Of a dataset of a single slice only that slice is shown, as large as its pane unless a place was asked for.
    fn show_plane_alone(&mut self, open: &OpenDataset, has_place: bool) {
        let shape = open.bounds().shape;
        let plane = SlicePlane::ALL.into_iter().find(|plane| shape.along(plane.normal_axis()) == 1);
        self.state.panels.maximized = plane;
        self.state.panels.active_pane = plane.unwrap_or(self.state.panels.active_pane);
        self.fits_first = plane.filter(|_| !has_place);
    }

    /// Fits a plane that was just opened into its pane, once only that pane is shown.
    fn fit_plane(&mut self, ctx: &egui::Context) {
        let Some(plane) = self.fits_first else { return };
        let shapes = self.window.viewport.shapes_px();
        let is_shown = SlicePlane::ALL.into_iter().zip(shapes).all(|(other, px)| (other == plane) == px.iter().all(|side| *side > 0));
        if is_shown {
            self.fits_first = None;
            for effect in dispatch(&mut self.state, &self.feed, &shapes, UiCommand::ZoomToFit.into()) {
                self.carry_out(ctx, effect);
            }
        }
    }

    fn found(&mut self, problem: Problem) {
        log_problem(&problem);
        if let Some(open) = &mut self.state.dataset {
            open.problems.add(problem);
        }
    }

    /// Starts looking at the shards of the level that the selected layer shows, once its picture is there.
    fn look_at_shards(&mut self) {
        let Some(open) = &self.state.dataset else { return };
        let Some(LevelRef { mag, id, source, .. }) = self.feed.shown_level(open.selected).cloned() else {
            if self.state.layout.level.is_some() {
                self.state.layout.restart(None);
            }
            return;
        };
        let edits = self.state.annotation.as_ref().and_then(|annotation| annotation.edits_of(open.selected, mag));
        if self.state.layout.level != Some(id) {
            if !self.feed.is_settled() {
                return; // pictures first
            }
            let Some(layer) = open.selected() else { return };
            let extent = mag.box_in_mag(&layer.layer().bounding_box);
            let around = source.grid().shard_from_voxel(mag.mag_from_mag1(open.view.voxel()));
            let (shards, left_out) = scan_order(source.as_ref(), &extent, around, LayoutState::MAX_SHARDS);
            self.state.layout.restart(Some(id));
            if let Some(edits) = edits {
                (self.state.layout.edits, self.state.layout.edited) = (edits.change_count(), edited_shards(edits));
            }
            self.state.layout.total = shards.len() as u64 + left_out;
            self.state.layout.left_out = left_out;
            self.state.layout.is_scanning = true;
            self.state.layout.selected_shard = Some(around);
            self.tasks.scan(id, source.clone(), shards);
            self.tasks.layout(id, source, around);
            self.state.layout.asked_shard = Some(around);
            return;
        }
        let layout = &mut self.state.layout;
        if let Some(edits) = edits.filter(|edits| edits.change_count() != layout.edits && !layout.is_scanning && !layout.looks_again) {
            (layout.edits, layout.looks_again) = (edits.change_count(), true);
            self.tasks.look_again(id, source.clone(), edits.clone(), std::mem::take(&mut layout.edited));
        }
        if let Some(shard) = self.state.layout.selected_shard
            && self.state.layout.asked_shard != Some(shard)
        {
            self.state.layout.asked_shard = Some(shard);
            self.tasks.layout(id, source, shard);
        }
    }

    /// Finds out where the probed voxel's chunk lies, one question at a time.
    fn locate_probe(&mut self) {
        let is_shown = self.state.settings.inspector && self.state.settings.inspector_tab == InspectorTab::Probe;
        let Some(open) = self.state.dataset.as_ref().filter(|_| is_shown && self.locating.is_none()) else { return };
        let Some(level) = self.feed.shown_level(open.selected) else { return };
        let voxel = self.state.probe.voxel().unwrap_or(open.view.voxel());
        let chunk = level.source.grid().chunk_from_voxel(level.mag.mag_from_mag1(voxel));
        let known = self.state.probe.located.as_ref().is_some_and(|located| (located.source, located.chunk) == (level.id, chunk));
        if !known {
            self.locating = Some((level.id, chunk));
            self.tasks.locate(level.id, level.source.clone(), chunk);
        }
    }
}

fn log_problem(problem: &Problem) {
    match problem.severity {
        Severity::Info => log::info!("{problem}"),
        Severity::Warning => log::warn!("{problem}"),
        Severity::Error => log::error!("{problem}"),
    }
}

fn unix_secs() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn cache_bytes(mib: u64) -> u64 {
    mib.max(16).saturating_mul(1 << 20)
}

fn appearance(settings: &Settings) -> Appearance {
    Appearance {
        theme: match settings.theme {
            ThemeChoice::Dark => egui::ThemePreference::Dark,
            ThemeChoice::Light => egui::ThemePreference::Light,
        },
        text_size: match settings.text {
            TextScale::Small => theme::TextSize::Small,
            TextScale::Normal => theme::TextSize::Normal,
            TextScale::Large => theme::TextSize::Large,
            TextScale::Larger => theme::TextSize::Larger,
        },
        ..Appearance::default()
    }
}
