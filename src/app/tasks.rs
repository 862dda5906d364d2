//! [`Tasks`]: opening, dialogs, scans and the demo, off the window's thread, with one channel back.

use super::annotations::{About, EditorEvent, KnownDatasets, LeftBehind, Opened, WorkEvent, finish, left_behind, recover};
use super::comparison::ComparisonEvent;
use super::thumbnails;
use crate::annotation::EditedBuckets;
use crate::demo;
use crate::format::{ChunkSource, Dataset, OpenError, ShardLayout};
use crate::geometry::{BoundingBox, ChunkIndex, ShardIndex, Vec3Int};
use crate::loading::{SourceId, UiWaker};
use crate::scene::SliceImage;
use crate::state::{Choosing, Located, PathField, Recent, ShardFile, nearest_data};
use crate::ui::RecentLook;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a task reports.
pub enum TaskEvent {
    /// How far an opening has got.
    Progress {
        /// Number of the task.
        task: u64,
        /// What is being done.
        text: String,
        /// Share that is done, 0 to 1.
        share: f32,
    },
    /// An opening ended.
    Opened {
        /// Number of the task.
        task: u64,
        /// What was opened, or why not.
        result: Result<Box<Opened>, OpenFailure>,
    },
    /// The annotation's editor has done something.
    Editor {
        /// Number of the annotation.
        session: u64,
        /// What.
        event: EditorEvent,
    },
    /// A task about the annotation has done something.
    Work {
        /// Number of the annotation.
        session: u64,
        /// What.
        event: WorkEvent,
    },
    /// Programs that ended have left edits.
    LeftBehind(Vec<LeftBehind>),
    /// A comparison goes on or has ended.
    Comparison(ComparisonEvent),
    /// Somebody chose a path that a question asks for.
    PickedPath {
        /// Which.
        field: PathField,
        /// The path.
        path: PathBuf,
    },
    /// Whether something is at a path.
    LookedAt {
        /// The path.
        path: PathBuf,
        /// Whether something is there.
        is_there: bool,
    },
    /// Somebody chose the dataset of the annotation.
    PickedDatasetOfAnnotation(PathBuf),
    /// Somebody chose a path in a dialog; `None` if it was closed or can't be shown on this desktop.
    Picked(Option<PathBuf>),
    /// Some shards of a level were looked at.
    Shards {
        /// The level.
        level: SourceId,
        /// What was found.
        batch: Vec<(ShardIndex, ShardFile)>,
        /// Whether these were the last.
        is_last: bool,
    },
    /// Shards of a level that have edits, or had some before, were looked at again.
    EditedShards {
        /// The level.
        level: SourceId,
        /// What was found.
        batch: Vec<(ShardIndex, ShardFile)>,
        /// Those with edits by then.
        edited: Vec<ShardIndex>,
    },
    /// The inside of a shard was read.
    Layout {
        /// The level.
        level: SourceId,
        /// The shard.
        shard: ShardIndex,
        /// Its chunks; `None` if the shard is absent.
        result: Result<Option<ShardLayout>, Arc<crate::format::ChunkError>>,
    },
    /// The probed chunk was located.
    Located(Located),
    /// What there is of a dataset opened before.
    Recent {
        /// Its path.
        path: PathBuf,
        /// Its picture, or that it is gone.
        look: RecentLook,
    },
    /// The stored voxel nearest to the centre, for "jump to data".
    NearestData(Option<Vec3Int>),
}

/// Why a path couldn't be opened.
pub enum OpenFailure {
    /// Something is missing or wrong.
    Failed {
        /// What was looked for and found.
        message: String,
        /// Something nearby that can be opened.
        hint: Option<PathBuf>,
    },
    /// There are several datasets.
    Choose(Choosing),
}

/// Opens a path as a dataset; called on tasks.
pub type OpenPath = Arc<dyn Fn(&Path) -> Result<Dataset, OpenError> + Send + Sync>;

/// Starts tasks and takes their reports.
pub struct Tasks {
    events: Receiver<TaskEvent>,
    sender: Sender<TaskEvent>,
    waker: UiWaker,
    open_path: OpenPath,
    next_task: u64,
    /// Number of the scan that is wanted; others stop.
    scan: Arc<AtomicU64>,
}

impl Tasks {
    /// Reports that can wait for the window; tasks block beyond it.
    const MAX_EVENTS: usize = 256;

    /// Without tasks. Datasets are opened by `open_path`.
    pub fn new(open_path: OpenPath, waker: UiWaker) -> Self {
        let (sender, events) = bounded(Self::MAX_EVENTS);
        Self { events, sender, waker, open_path, next_task: 1, scan: Arc::default() }
    }

    /// The next report, if there is one.
    pub fn poll(&self) -> Option<TaskEvent> {
        self.events.try_recv().ok()
    }

    pub(super) fn spawn(&self, name: &str, work: impl FnOnce(&Reporter) + Send + 'static) {
        let reporter = Reporter { sender: self.sender.clone(), waker: self.waker.clone() };
        let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&reporter));
        if let Err(err) = spawned {
            log::error!("can't start a thread for {name}: {err}");
        }
    }

    /// How paths are opened.
    pub(super) fn open_path(&self) -> &OpenPath {
        &self.open_path
    }

    pub(super) fn task_number(&mut self) -> u64 {
        let task = self.next_task;
        self.next_task += 1;
        task
    }

    /// Opens a path; returns the task's number.
    /// An annotation is shown over its dataset, if that is one of `known` or lies beside it.
    pub fn open(&mut self, path: PathBuf, known: KnownDatasets) -> u64 {
        let (task, open_path) = (self.task_number(), self.open_path.clone());
        self.spawn("open", move |reporter| open(task, path, &known, &open_path, reporter));
        task
    }

    /// Opens what an ended program edited, with its edits; returns the task's number.
    pub fn recover(&mut self, about: About, edits: PathBuf) -> u64 {
        let (task, open_path) = (self.task_number(), self.open_path.clone());
        self.spawn("recover edits", move |reporter| {
            let result = recover(&about, &edits, &open_path).map(Box::new);
            reporter.send(TaskEvent::Opened {
                task,
                result: result.map_err(|err| OpenFailure::Failed { message: err.to_string(), hint: None }),
            });
        });
        task
    }

    /// Makes the demo if needed and opens it; returns the task's number.
    pub fn open_demo(&mut self) -> u64 {
        let (task, open_path) = (self.task_number(), self.open_path.clone());
        self.spawn("demo", move |reporter| {
            let report = |share| reporter.send(TaskEvent::Progress { task, text: "Making, once, the".to_owned(), share });
            match demo::ensure_demo(&report) {
                Ok(path) => open(task, path, &KnownDatasets::default(), &open_path, reporter),
                Err(err) => {
                    reporter.send(TaskEvent::Opened { task, result: Err(OpenFailure::Failed { message: err.to_string(), hint: None }) })
                }
            }
        });
        task
    }

    /// Shows a dialog. It is made on the window's thread, as macOS insists, and waited for in a task.
    pub fn pick(&self, folder: bool) {
        let dialog = rfd::AsyncFileDialog::new().set_title(if folder { "Open folder" } else { "Open file" });
        if folder {
            let chosen = dialog.pick_folder();
            self.spawn("dialog", move |reporter| wait_for_choice(chosen, reporter));
        } else {
            let chosen = dialog.pick_file();
            self.spawn("dialog", move |reporter| wait_for_choice(chosen, reporter));
        }
    }

    /// Shows a dialog for an annotation.
    pub fn pick_annotation(&self) {
        let dialog = rfd::AsyncFileDialog::new().set_title("Import annotation").add_filter("Annotations", &["zip", "nml"]);
        let chosen = dialog.pick_file();
        self.spawn("dialog", move |reporter| wait_for_choice(chosen, reporter));
    }

    /// Shows a dialog for the dataset of the annotation.
    pub fn pick_dataset_of_annotation(&self) {
        let chosen = rfd::AsyncFileDialog::new().set_title("Dataset of the annotation").pick_folder();
        self.spawn("dialog", move |reporter| {
            if let Some(handle) = pollster::block_on(chosen) {
                reporter.send(TaskEvent::PickedDatasetOfAnnotation(handle.path().to_owned()));
            }
        });
    }

    /// Shows a dialog for a path that a question asks for; `path` is what stands there.
    pub fn pick_path(&self, field: PathField, path: &Path) {
        let dialog = rfd::AsyncFileDialog::new();
        let dialog = path.parent().filter(|folder| folder.is_absolute()).map_or(dialog.clone(), |folder| dialog.set_directory(folder));
        let report = move |reporter: &Reporter, handle: Option<rfd::FileHandle>| {
            if let Some(handle) = handle {
                reporter.send(TaskEvent::PickedPath { field, path: handle.path().to_owned() });
            }
        };
        match field {
            PathField::ExportTo => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let chosen = dialog.set_title("Export annotation").set_file_name(name).save_file();
                self.spawn("dialog", move |reporter| report(reporter, pollster::block_on(chosen)));
            }
            PathField::CompareA | PathField::CompareB => {
                let chosen = dialog.set_title("Compare").pick_folder();
                self.spawn("dialog", move |reporter| report(reporter, pollster::block_on(chosen)));
            }
        }
    }

    /// Finds out whether something is at a path.
    pub fn look_at(&self, path: PathBuf) {
        self.spawn("look at path", move |reporter| {
            let is_there = path.exists();
            reporter.send(TaskEvent::LookedAt { path, is_there });
        });
    }

    /// Looks for edits that ended programs left below a folder.
    pub fn look_for_left_behind(&self, root: PathBuf) {
        self.spawn("left edits", move |reporter| {
            let found = left_behind(&root);
            if !found.is_empty() {
                reporter.send(TaskEvent::LeftBehind(found));
            }
        });
    }

    /// Looks at the files of these shards, in this order; an earlier scan stops.
    pub fn scan(&self, level: SourceId, source: Arc<dyn ChunkSource>, shards: Vec<ShardIndex>) {
        const BATCH: usize = 256;
        let (number, current) = (self.scan.fetch_add(1, Ordering::Relaxed) + 1, self.scan.clone());
        self.spawn("scan shards", move |reporter| {
            let batches: Vec<&[ShardIndex]> = shards.chunks(BATCH).collect();
            for (i, batch) in batches.iter().enumerate() {
                if current.load(Ordering::Relaxed) != number {
                    return;
                }
                let batch = batch.iter().map(|shard| (*shard, shard_file(source.as_ref(), *shard))).collect();
                reporter.send(TaskEvent::Shards { level, batch, is_last: i + 1 == batches.len() });
            }
            if batches.is_empty() {
                reporter.send(TaskEvent::Shards { level, batch: Vec::new(), is_last: true });
            }
        });
    }

    /// Looks again at the files of shards that have edits, or had some before.
    pub fn look_again(&self, level: SourceId, source: Arc<dyn ChunkSource>, edits: Arc<EditedBuckets>, before: Vec<ShardIndex>) {
        self.spawn("look at edited shards", move |reporter| {
            let edited = edited_shards(&edits);
            let all: BTreeSet<ShardIndex> = before.into_iter().chain(edited.iter().copied()).collect();
            let batch = all.into_iter().map(|shard| (shard, shard_file(source.as_ref(), shard))).collect();
            reporter.send(TaskEvent::EditedShards { level, batch, edited });
        });
    }

    /// Stops a running scan.
    pub fn stop_scan(&self) {
        self.scan.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads where the chunks of a shard lie.
    pub fn layout(&self, level: SourceId, source: Arc<dyn ChunkSource>, shard: ShardIndex) {
        self.spawn("shard layout", move |reporter| {
            let result = source.shard_layout(shard).map_err(Arc::new);
            reporter.send(TaskEvent::Layout { level, shard, result });
        });
    }

    /// Finds out where a chunk lies.
    pub fn locate(&self, level: SourceId, source: Arc<dyn ChunkSource>, chunk: ChunkIndex) {
        self.spawn("locate chunk", move |reporter| {
            let shard = source.grid().shard_from_chunk(chunk);
            let location = source.locate(chunk).map_err(Arc::new);
            reporter.send(TaskEvent::Located(Located { source: level, chunk, shard, file: source.shard_location(shard), location }));
        });
    }

    /// Looks whether datasets opened before are still there, and for their pictures.
    pub fn look_at_recents(&self, recents: Vec<Recent>) {
        self.spawn("recent datasets", move |reporter| {
            for recent in recents {
                let look = thumbnails::look_at(&recent);
                reporter.send(TaskEvent::Recent { path: recent.path, look });
            }
        });
    }

    /// Keeps a picture of a dataset for the welcome page.
    pub fn keep_thumbnail(&self, dataset: PathBuf, slice: Arc<SliceImage>) {
        self.spawn("thumbnail", move |_| thumbnails::keep(&dataset, &slice));
    }

    /// Finds the stored voxel of a layer nearest to a mag-1 voxel.
    pub fn nearest_data(&self, dataset: Arc<Dataset>, layer: usize, around: Vec3Int) {
        self.spawn("jump to data", move |reporter| {
            let found = dataset.layers.get(layer).and_then(|layer| nearest_data(layer, around));
            reporter.send(TaskEvent::NearestData(found));
        });
    }
}

/// The way back to the window.
pub struct Reporter {
    sender: Sender<TaskEvent>,
    waker: UiWaker,
}

impl Reporter {
    /// Sends news that may be left out if the window is behind.
    pub fn offer(&self, event: TaskEvent) {
        if self.sender.try_send(event).is_ok() {
            self.waker.wake();
        }
    }

    /// Waits if the window is behind; does nothing if it is gone.
    pub fn send(&self, event: TaskEvent) {
        if self.sender.send(event).is_ok() {
            self.waker.wake();
        }
    }
}

fn open(task: u64, path: PathBuf, known: &KnownDatasets, open_path: &OpenPath, reporter: &Reporter) {
    let result = match open_path(&path) {
        Ok(dataset) => Ok(Box::new(finish(&path, dataset, known, open_path))),
        Err(OpenError::Choose { path, what, choices }) => Err(OpenFailure::Choose(Choosing { path, what, choices })),
        Err(err) => {
            let hint = if let OpenError::Unknown { hint, .. } = &err { hint.clone() } else { None };
            Err(OpenFailure::Failed { message: err.to_string(), hint })
        }
    };
    reporter.send(TaskEvent::Opened { task, result });
}

/// The shards with edits, at any position along further axes: each bucket is a shard.
pub fn edited_shards(edits: &EditedBuckets) -> Vec<ShardIndex> {
    let mut shards: Vec<ShardIndex> = edits.addresses().iter().map(|at| ShardIndex(at.chunk.0)).collect();
    shards.dedup();
    shards
}

fn shard_file(source: &dyn ChunkSource, shard: ShardIndex) -> ShardFile {
    match source.shard_len(shard) {
        Ok(Some(len)) => ShardFile::Present(len),
        Ok(None) => ShardFile::Absent,
        Err(err) => ShardFile::Unreadable(err.to_string()),
    }
}

/// Shards of a level in the order they are looked at, nearest to the view first, and how many are left out.
pub fn scan_order(source: &dyn ChunkSource, box_in_mag: &BoundingBox, around: ShardIndex, limit: u64) -> (Vec<ShardIndex>, u64) {
    let range = source.grid().shard_range(box_in_mag);
    let total = range.shape.voxel_count().unwrap_or(u64::MAX);
    let mut near = range;
    let mut reach = 1_i64 << 20;
    while near.shape.voxel_count().is_none_or(|count| count > limit) && reach > 0 {
        let to = Vec3Int::splat(reach);
        near = range.intersect(&BoundingBox::between(around.0 - to, around.0 + to + Vec3Int::splat(1)));
        reach /= 2;
    }
    if near.is_empty() {
        return (Vec::new(), total);
    }
    let first = source.grid().shard_box(ShardIndex(near.topleft));
    let last = source.grid().shard_box(ShardIndex(near.bottomright() - Vec3Int::splat(1)));
    let mut shards: Vec<ShardIndex> = source.grid().shards_in(&first.union(&last).intersect(box_in_mag)).collect();
    shards.sort_by_cached_key(|shard| {
        let d = shard.0 - around.0;
        (d.z.unsigned_abs(), d.x.saturating_mul(d.x).saturating_add(d.y.saturating_mul(d.y)))
    });
    let left_out = total.saturating_sub(shards.len() as u64);
    (shards, left_out)
}

fn wait_for_choice(choice: impl Future<Output = Option<rfd::FileHandle>>, reporter: &Reporter) {
    reporter.send(TaskEvent::Picked(pollster::block_on(choice).map(|handle| handle.path().to_owned())));
}
