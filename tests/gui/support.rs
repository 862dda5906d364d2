//! The program in an egui_kittest harness, a small dataset of every voxel type, and a slow storage.
//!
//! Real threads load, so tests step frames until something is so, at most for [`PATIENCE`].
#![allow(dead_code, missing_docs, reason = "each module uses its own part")]

use crate::builders::header;
use chunkscope::app::{App, FirstView, OpenPath};
use chunkscope::format::wkw::{BlockType, WkwWriter};
use chunkscope::format::{Dataset, OpenError};
use chunkscope::geometry::{BoundingBox, Shape3, ShardIndex, SlicePlane, Vec3Int};
use chunkscope::scene::Coverage;
use chunkscope::state::{AppState, Command, LogLines, OpenDataset, OpenLayer, PaneImage, Settings};
use chunkscope::storage::{FolderEntry, LocalOpener, PathKind, Storage, StorageError, StorageKey, StorageOpener};
use chunkscope::voxel::{ElementClass, VoxelType};
use egui::accesskit::Role;
use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, Rect, TouchPhase, Vec2, ViewportCommand, ViewportId,
};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const WIDE: Vec2 = Vec2::new(1600.0, 1000.0);
pub const SMALL: Vec2 = Vec2::new(1280.0, 720.0);
pub const SIZES: [Vec2; 2] = [WIDE, SMALL];

/// Longer means never; other work may keep the machine busy.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at what other threads do.
const POLL: Duration = Duration::from_millis(1);

// --- Tests beside each other -------------------------------------------------------------------

static MACHINE: RwLock<()> = RwLock::new(());

thread_local! {
    static SHARED: RefCell<Weak<RwLockReadGuard<'static, ()>>> = const { RefCell::new(Weak::new()) };
}

/// Keeps tests that measure time from running beside this one; once per thread, however many windows it has.
fn share_machine() -> Rc<RwLockReadGuard<'static, ()>> {
    SHARED.with_borrow_mut(|shared| {
        shared.upgrade().unwrap_or_else(|| {
            let guard = Rc::new(MACHINE.read().unwrap_or_else(PoisonError::into_inner));
            *shared = Rc::downgrade(&guard);
            guard
        })
    })
}

/// The machine for one test alone: no other test of this binary draws frames meanwhile.
pub fn own_machine() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().unwrap_or_else(PoisonError::into_inner)
}

// --- The window --------------------------------------------------------------------------------

/// How a window starts.
pub struct Setup {
    pub size: Vec2,
    pub settings: Settings,
    pub opener: Arc<dyn StorageOpener>,
    /// What opens paths, instead of the formats.
    pub open_path: Option<OpenPath>,
    pub first_view: FirstView,
    /// Where edits are saved aside.
    pub keeps_edits_in: Option<PathBuf>,
    /// Whether the test has [`own_machine`].
    pub is_alone: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let opener = Arc::new(LocalOpener::default());
        Self {
            size: WIDE,
            settings: Settings::default(),
            opener,
            open_path: None,
            first_view: FirstView::default(),
            keeps_edits_in: None,
            is_alone: false,
        }
    }
}

impl Setup {
    /// A window that opens a path.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self { first_view: FirstView { path: Some(path.into()), ..FirstView::default() }, ..Self::default() }
    }

    pub fn size(self, size: Vec2) -> Self {
        Self { size, ..self }
    }

    pub fn opener(self, opener: impl StorageOpener + 'static) -> Self {
        Self { opener: Arc::new(opener), ..self }
    }

    /// Edits are saved aside below a folder.
    pub fn keeping_edits_in(self, folder: &Path) -> Self {
        Self { keeps_edits_in: Some(folder.to_owned()), ..self }
    }

    /// Datasets come from a function.
    pub fn opened_by(self, open: impl Fn(&Path) -> Result<Dataset, OpenError> + Send + Sync + 'static) -> Self {
        Self { open_path: Some(Arc::new(open)), ..self }
    }

    pub fn start(self) -> Gui {
        let guard = (!self.is_alone).then(share_machine);
        let slot: Rc<RefCell<Option<App>>> = Rc::default();
        let made = slot.clone();
        let Self { size, settings, opener, open_path, first_view, keeps_edits_in, .. } = self;
        let setup = move |ctx: &egui::Context| {
            let app = match open_path {
                Some(open) => App::with_open(ctx, settings, LogLines::default(), open, first_view),
                None => App::new(ctx, settings, LogLines::default(), opener, first_view),
            };
            let mut app = app.expect("threads");
            if let Some(folder) = keeps_edits_in {
                app.keep_edits_in(folder);
            }
            *made.borrow_mut() = Some(app);
        };
        let shell = Shell { slot, app: None, frame_times: Vec::new() };
        let builder = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0).with_context_setup(setup);
        let harness = builder.build_ui_state(|ui, shell: &mut Shell| shell.frame(ui), shell);
        Gui { harness, titles: Vec::new(), copied: Vec::new(), _guard: guard }
    }
}

/// The program in the harness.
pub struct Shell {
    /// The program is made with the harness's context, before its first frame.
    slot: Rc<RefCell<Option<App>>>,
    app: Option<App>,
    /// What `logic` and `ui` took in each frame.
    pub frame_times: Vec<Duration>,
}

impl Shell {
    fn frame(&mut self, ui: &mut egui::Ui) {
        let Self { slot, app, frame_times } = self;
        let app = app.get_or_insert_with(|| slot.borrow_mut().take().expect("made before the first frame"));
        let start = Instant::now();
        app.logic(ui.ctx());
        app.ui(ui);
        frame_times.push(start.elapsed());
    }
}

/// A window.
pub struct Gui {
    pub harness: Harness<'static, Shell>,
    /// Titles that the window was given.
    pub titles: Vec<String>,
    /// Texts that were put on the clipboard.
    pub copied: Vec<String>,
    _guard: Option<Rc<RwLockReadGuard<'static, ()>>>,
}

impl Gui {
    pub fn app(&self) -> &App {
        self.harness.state().app.as_ref().expect("a frame was drawn")
    }

    pub fn state(&self) -> &AppState {
        self.app().state()
    }

    pub fn dataset(&self) -> &OpenDataset {
        self.state().dataset.as_ref().expect("a dataset is open")
    }

    pub fn layer(&self, name: &str) -> &OpenLayer {
        self.dataset().layers.iter().find(|layer| layer.layer().name == name).expect("the layer")
    }

    pub fn selected(&self) -> &str {
        &self.dataset().selected().expect("a layer").layer().name
    }

    /// The mag-1 voxel in the centre.
    pub fn position(&self) -> [i64; 3] {
        self.dataset().view.voxel().to_array()
    }

    pub fn zoom(&self) -> f64 {
        self.dataset().view.zoom()
    }

    /// The mag that the selected layer shows.
    pub fn mag(&self) -> i64 {
        self.app().feed().shown_mag(self.dataset().selected).expect("a mag").max_factor()
    }

    pub fn title(&self) -> &str {
        self.titles.last().expect("a title")
    }

    pub fn send(&mut self, command: impl Into<Command>) {
        self.app().send(command);
        self.step();
    }

    // --- frames

    /// One frame with the events that wait, or with none.
    pub fn step(&mut self) {
        self.harness.step();
        let output = self.harness.output();
        let commands = output.viewport_output.get(&ViewportId::ROOT).map(|viewport| viewport.commands.as_slice());
        for command in commands.unwrap_or_default() {
            if let ViewportCommand::Title(title) = command {
                self.titles.push(title.clone());
            }
        }
        for command in &output.platform_output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                self.copied.push(text.clone());
            }
        }
    }

    pub fn steps(&mut self, number: usize) {
        (0..number).for_each(|_| self.step());
    }

    /// Draws frames until something is so.
    #[track_caller]
    pub fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        loop {
            self.step();
            if done(self) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "not in {PATIENCE:?}: {what}; {:?}", self.texts());
            std::thread::sleep(POLL);
        }
    }

    /// Draws frames until all that was asked for is on screen.
    #[track_caller]
    pub fn settle(&mut self) {
        // A command takes effect in the next frame, and what it asks for is noticed in the one after.
        let calm = Cell::new(0);
        self.until("settled", |gui| {
            let is_calm = gui.app().is_settled() && gui.shown_planes().iter().all(|plane| gui.app().feed().image(*plane).is_some());
            calm.set(if is_calm { calm.get() + 1 } else { 0 });
            calm.get() >= 4
        });
    }

    fn shown_planes(&self) -> Vec<SlicePlane> {
        self.state().panels.maximized.map_or(SlicePlane::ALL.to_vec(), |plane| vec![plane])
    }

    /// Forgets the times of the frames so far.
    pub fn restart_clock(&mut self) {
        self.harness.state_mut().frame_times.clear();
    }

    /// Median and longest frame since then.
    pub fn frame_times(&self) -> (Duration, Duration) {
        let mut times = self.harness.state().frame_times.clone();
        times.sort();
        (times[times.len() / 2], *times.last().expect("frames"))
    }

    // --- what is there

    /// Names and values of everything that a screen reader finds.
    pub fn texts(&self) -> Vec<String> {
        let nodes = self.harness.query_all(By::new());
        nodes.flat_map(|node| [node.accesskit_node().label(), node.accesskit_node().value()]).flatten().collect()
    }

    /// Whether a text is anywhere in the window.
    pub fn says(&self, text: &str) -> bool {
        self.texts().iter().any(|found| found.contains(text))
    }

    #[track_caller]
    pub fn assert_says(&self, text: &str) {
        assert!(self.says(text), "{text:?} is not among {:#?}", self.texts());
    }

    /// Fails if a widget that takes input has no name.
    #[track_caller]
    pub fn check_names(&mut self) {
        // What is still being loaded draws frames.
        let start = Instant::now();
        while self.harness.run_ok().is_none() {
            assert!(start.elapsed() < PATIENCE, "the window doesn't come to rest");
            std::thread::sleep(POLL);
        }
    }

    /// Whether there is a widget of this name.
    pub fn has(&self, role: Role, name: &str) -> bool {
        self.harness.query_all_by_role_and_label(role, name).next().is_some()
    }

    #[track_caller]
    pub fn rect(&self, role: Role, name: &str) -> Rect {
        self.harness.get_by_role_and_label(role, name).rect()
    }

    /// The pane of a plane.
    #[track_caller]
    pub fn pane(&self, plane: SlicePlane) -> Rect {
        self.rect(Role::Image, &format!("{plane} view"))
    }

    #[track_caller]
    pub fn picture(&self, plane: SlicePlane) -> &PaneImage {
        self.app().feed().image(plane).expect("a picture")
    }

    pub fn coverage(&self, plane: SlicePlane) -> &Coverage {
        &self.picture(plane).image.coverage
    }

    /// Red, green, blue of a voxel in a pane's picture.
    #[track_caller]
    pub fn pixel(&self, plane: SlicePlane, voxel: [i64; 3]) -> [u8; 3] {
        let picture = self.picture(plane);
        let px = |axis: usize| picture.view.px_from_mag1(axis, voxel[picture.view.volume_axis(axis)] as f64 + 0.5).floor() as usize;
        let at = 4 * (px(0) + px(1) * picture.image.width as usize);
        [0, 1, 2].map(|channel| picture.image.rgba[at + channel])
    }

    /// Continuous mag-1 coordinates, right and down, at a point of a pane.
    pub fn under(&self, plane: SlicePlane, at: Pos2) -> [f64; 2] {
        let from_corner = at - self.pane(plane).min;
        [0, 1].map(|axis| self.picture(plane).view.mag1_from_px(axis, f64::from(from_corner[axis])))
    }

    /// The text of a widget whose name or value begins so.
    #[track_caller]
    pub fn text_that_begins(&self, start: &str) -> String {
        let found = self.texts().into_iter().find(|text| text.starts_with(start));
        found.unwrap_or_else(|| panic!("nothing begins with {start:?}: {:#?}", self.texts()))
    }

    // --- what a person does, one event a frame

    pub fn event(&mut self, event: Event) {
        self.harness.event(event);
        self.step();
    }

    pub fn hover_at(&mut self, at: Pos2) {
        self.event(Event::PointerMoved(at));
    }

    pub fn button(&mut self, pos: Pos2, button: PointerButton, pressed: bool) {
        self.event(Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
    }

    pub fn click_at(&mut self, at: Pos2) {
        self.hover_at(at);
        self.button(at, PointerButton::Primary, true);
        self.button(at, PointerButton::Primary, false);
        self.step();
    }

    /// Clicks with the pointer.
    #[track_caller]
    pub fn click(&mut self, role: Role, name: &str) {
        self.click_at(self.rect(role, name).center());
    }

    /// Presses as a screen reader does, also what is scrolled out of view.
    #[track_caller]
    pub fn press(&mut self, role: Role, name: &str) {
        self.harness.get_by_role_and_label(role, name).click_accesskit();
        self.steps(3);
    }

    /// Presses the first widget whose name begins so.
    #[track_caller]
    pub fn press_first(&mut self, role: Role, start: &str) {
        self.harness
            .get_all_by_role(role)
            .find(|node| node.accesskit_node().label().is_some_and(|label| label.starts_with(start)))
            .unwrap_or_else(|| panic!("no {role:?} begins with {start:?}: {:#?}", self.texts()))
            .click_accesskit();
        self.steps(3);
    }

    pub fn drag(&mut self, from: Pos2, by: Vec2) {
        self.hover_at(from);
        self.button(from, PointerButton::Primary, true);
        self.hover_at(from + by / 2.0);
        self.hover_at(from + by);
        self.button(from + by, PointerButton::Primary, false);
        self.step();
    }

    pub fn wheel_at(&mut self, at: Pos2, notches: f32, modifiers: Modifiers) {
        self.hover_at(at);
        let (unit, delta) = (MouseWheelUnit::Line, Vec2::new(0.0, notches));
        self.event(Event::MouseWheel { unit, delta, phase: TouchPhase::Move, source: MouseWheelSource::Unknown, modifiers });
        self.step();
    }

    pub fn wheel(&mut self, plane: SlicePlane, notches: f32) {
        self.wheel_at(self.pane(plane).center(), notches, Modifiers::NONE);
    }

    pub fn key_with(&mut self, modifiers: Modifiers, key: Key) {
        self.event(Event::ModifiersChanged(modifiers));
        for pressed in [true, false] {
            self.event(Event::Key { key, pressed, modifiers, repeat: false, physical_key: None });
        }
        self.event(Event::ModifiersChanged(Modifiers::NONE));
        self.step();
    }

    pub fn key(&mut self, key: Key) {
        self.key_with(Modifiers::NONE, key);
    }

    /// Types into what has the keyboard.
    pub fn type_text(&mut self, text: &str) {
        self.event(Event::Text(text.to_owned()));
    }

    /// Clicks into a number field, types and presses Enter.
    #[track_caller]
    pub fn enter_number(&mut self, name: &str, text: &str) {
        self.click(Role::SpinButton, name);
        self.steps(2);
        self.type_text(text);
        self.key(Key::Enter);
        self.steps(2);
    }

    pub fn drop_path(&mut self, path: &Path) {
        self.harness.input_mut().dropped_files.push(Arc::new(Dropped(path.to_owned())));
        self.steps(2);
    }
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("only the path is of interest".to_owned())
    }
}

// --- A small dataset ---------------------------------------------------------------------------

/// Values of the layers of [`Tiny`] as functions of the mag-1 voxel.
pub mod value {
    /// 2^53 + 1, which no double can hold.
    pub const FIRST_WIDE_ID: u64 = 9_007_199_254_740_993;

    pub fn em([x, y, z]: [i64; 3]) -> u8 {
        20 + ((3 * x + 5 * y + 7 * z) % 200) as u8
    }
    pub fn em16([x, y, z]: [i64; 3]) -> u16 {
        (1000 + 10 * x + y + 100 * z) as u16
    }
    pub fn rgb([x, y, z]: [i64; 3]) -> [u8; 3] {
        [x as u8 + 10, y as u8 + 20, z as u8 + 30]
    }
    pub fn field([x, _, z]: [i64; 3]) -> f32 {
        if x == 5 { f32::NAN } else { x as f32 / 3.0 - z as f32 }
    }
    pub fn cells([x, y, z]: [i64; 3]) -> u32 {
        (1 + x / 16 + 10 * (y / 16) + 100 * (z / 16)) as u32
    }
    pub fn cells64([x, _, _]: [i64; 3]) -> u64 {
        FIRST_WIDE_ID + 2 * (x / 8) as u64
    }
}

/// A dataset of every kind of layer, in a folder of its own. Chunks have 8, shards 32 voxels a side.
pub struct Tiny {
    dir: TempDir,
}

impl Tiny {
    pub const SHAPE: [i64; 3] = [96, 64, 64];
    pub const LAYERS: [&str; 6] = ["em", "em16", "rgb", "field", "cells", "cells64"];
    /// The middle, where it opens.
    pub const CENTER: [i64; 3] = [48, 32, 32];
    /// The shard of `em`, mag 1, that isn't stored.
    pub const ABSENT: [i64; 3] = [2, 1, 1];

    /// Writes it. Only `em` is visible at first.
    pub fn new() -> Self {
        let tiny = Self { dir: tempfile::tempdir().expect("a folder") };
        let is_absent = |[x, y, z]: [i64; 3]| x >= 64 && y >= 32 && z >= 32;
        let single = VoxelType::single;
        let layers = [
            tiny.layer("em", single(ElementClass::Uint8), &[1, 2, 4], |v| [if is_absent(v) { 0 } else { value::em(v) }]),
            tiny.layer("em16", single(ElementClass::Uint16), &[1], |v| value::em16(v).to_le_bytes()),
            tiny.layer("rgb", VoxelType::UINT24, &[1], value::rgb),
            tiny.layer("field", single(ElementClass::Float32), &[1], |v| value::field(v).to_le_bytes()),
            tiny.layer("cells", single(ElementClass::Uint32), &[1, 2, 4], |v| value::cells(v).to_le_bytes()),
            tiny.layer("cells64", single(ElementClass::Uint64), &[1], |v| value::cells64(v).to_le_bytes()),
        ];
        let properties = json!({
            "id": { "name": "tiny", "team": "" }, "version": 1,
            "scale": { "factor": [10.0, 10.0, 20.0], "unit": "nanometer" }, "dataLayers": layers,
        });
        std::fs::write(tiny.file("datasource-properties.json"), properties.to_string()).expect("written");
        tiny
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("tiny")
    }

    pub fn file(&self, key: &str) -> PathBuf {
        self.path().join(key)
    }

    fn layer<const N: usize>(&self, name: &str, voxel_type: VoxelType, mags: &[i64], voxel: impl Fn([i64; 3]) -> [u8; N]) -> Value {
        for mag in mags {
            let writer = WkwWriter::create(self.file(&format!("{name}/{mag}")), header(3, 2, BlockType::Lz4, voxel_type)).expect("created");
            let shape = Self::SHAPE.map(|side| side / mag);
            let whole = BoundingBox::new(Vec3Int::ZERO, Shape3::from(shape));
            let shards = shape.map(|side| (side + 31) / 32);
            for (z, y, x) in (0..shards[2]).flat_map(|z| (0..shards[1]).flat_map(move |y| (0..shards[0]).map(move |x| (z, y, x)))) {
                let shard = ShardIndex(Vec3Int::new(x, y, z));
                let part = writer.shard_box(shard).intersect(&whole);
                let (low, high) = (part.topleft, part.bottomright());
                let mut bytes = Vec::new();
                for z in low.z..high.z {
                    for y in low.y..high.y {
                        bytes.extend((low.x..high.x).flat_map(|x| voxel([x * mag, y * mag, z * mag])));
                    }
                }
                writer.write_shard(shard, &bytes, &part).expect("written");
            }
        }
        let [width, height, depth] = Self::SHAPE;
        let is_segmentation = name.starts_with("cells");
        let class = if name == "field" { "float".to_owned() } else { voxel_type.to_string() };
        let mut layer = json!({
            "name": name, "category": if is_segmentation { "segmentation" } else { "color" }, "elementClass": class,
            "dataFormat": "wkw", "numChannels": voxel_type.channels,
            "boundingBox": { "topLeft": [0, 0, 0], "width": width, "height": height, "depth": depth },
            "mags": mags.iter().map(|mag| json!({ "mag": [mag, mag, mag], "path": format!("./{name}/{mag}") })).collect::<Vec<_>>(),
            "defaultViewConfiguration": { "isDisabled": name != "em" },
        });
        if is_segmentation {
            layer["largestSegmentId"] = json!(value::FIRST_WIDE_ID + 100);
        }
        layer
    }

    /// Makes the first chunk of a shard undecodable; answers the sound file, to repair it with.
    pub fn break_first_chunk(&self, key: &str) -> Vec<u8> {
        let sound = std::fs::read(self.file(key)).expect("a shard");
        let table_end = 16 + 8 * 64;
        let end = u64::from_le_bytes(sound[16..24].try_into().expect("eight bytes")) as usize;
        let mut broken = sound.clone();
        broken[table_end..end].fill(0xff);
        std::fs::write(self.file(key), broken).expect("written");
        sound
    }
}

// --- A slow storage ----------------------------------------------------------------------------

/// How a [`SlowOpener`]'s storages behave, and what was asked of them.
#[derive(Default)]
pub struct Slow {
    is_slow: AtomicBool,
    delay: Duration,
    reads: Mutex<Vec<(Instant, String)>>,
}

impl Slow {
    /// Each read takes `delay`, once that is switched on.
    pub fn new(delay: Duration, is_slow: bool) -> Arc<Self> {
        Arc::new(Self { is_slow: AtomicBool::new(is_slow), delay, reads: Mutex::default() })
    }

    pub fn switch(&self, is_slow: bool) {
        self.is_slow.store(is_slow, Ordering::SeqCst);
    }

    /// When each read began, and of which file.
    pub fn reads(&self) -> Vec<(Instant, String)> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read(&self, location: String) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push((Instant::now(), location));
        if self.is_slow.load(Ordering::SeqCst) {
            std::thread::sleep(self.delay);
        }
    }
}

/// Slows all reading of another opener's storages down.
pub struct SlowOpener<O> {
    pub inner: O,
    pub slow: Arc<Slow>,
}

impl<O: StorageOpener> StorageOpener for SlowOpener<O> {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        Arc::new(SlowStorage { inner: self.inner.open_folder(folder), slow: self.slow.clone() })
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        self.inner.kind(path)
    }
}

struct SlowStorage {
    inner: Arc<dyn Storage>,
    slow: Arc<Slow>,
}

impl Storage for SlowStorage {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        self.slow.read(self.inner.location(key.as_str()));
        self.inner.read_at(key, offset, buf)
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.inner.len(key)
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        self.slow.read(self.inner.location(key.as_str()));
        self.inner.read(key, limit)
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        self.inner.list(folder, limit)
    }

    fn location(&self, key: &str) -> String {
        self.inner.location(key)
    }
}
