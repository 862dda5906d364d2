//! [`Tasks`]: opening, dialogs, scans and the demo, off the window's thread, with one channel back.

use crate::demo;
use crate::format::{ChunkSource, Dataset, OpenError, ShardLayout};
use crate::geometry::{BoundingBox, ChunkIndex, ShardIndex, Vec3Int};
use crate::loading::{SourceId, UiWaker};
use crate::scene::ViewState;
use crate::state::{Located, ShardFile, first_view, nearest_data};
use crate::storage::StorageOpener;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::future::Future;
use std::path::PathBuf;
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
        /// What was opened.
        path: PathBuf,
        /// Dataset and first view, or why not and something nearby that can be opened.
        result: Result<Box<(Dataset, ViewState)>, (String, Option<PathBuf>)>,
    },
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
    /// The stored voxel nearest to the centre, for "jump to data".
    NearestData(Option<Vec3Int>),
}

/// Starts tasks and takes their reports.
pub struct Tasks {
    events: Receiver<TaskEvent>,
    sender: Sender<TaskEvent>,
    waker: UiWaker,
    opener: Arc<dyn StorageOpener>,
    next_task: u64,
    /// Number of the scan that is wanted; others stop.
    scan: Arc<AtomicU64>,
}

impl Tasks {
    /// Reports that can wait for the window; tasks block beyond it.
    const MAX_EVENTS: usize = 256;

    /// Without tasks. Datasets are read through `opener`.
    pub fn new(opener: Arc<dyn StorageOpener>, waker: UiWaker) -> Self {
        let (sender, events) = bounded(Self::MAX_EVENTS);
        Self { events, sender, waker, opener, next_task: 1, scan: Arc::default() }
    }

    /// The next report, if there is one.
    pub fn poll(&self) -> Option<TaskEvent> {
        self.events.try_recv().ok()
    }

    fn spawn(&self, name: &str, work: impl FnOnce(&Reporter) + Send + 'static) {
        let reporter = Reporter { sender: self.sender.clone(), waker: self.waker.clone() };
        let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&reporter));
        if let Err(err) = spawned {
            log::error!("can't start a thread for {name}: {err}");
        }
    }

    fn task_number(&mut self) -> u64 {
        let task = self.next_task;
        self.next_task += 1;
        task
    }

    /// Opens a path; returns the task's number.
    pub fn open(&mut self, path: PathBuf) -> u64 {
        let (task, opener) = (self.task_number(), self.opener.clone());
        self.spawn("open", move |reporter| open(task, path, opener.as_ref(), reporter));
        task
    }

    /// Makes the demo if needed and opens it; returns the task's number.
    pub fn open_demo(&mut self) -> u64 {
        let (task, opener) = (self.task_number(), self.opener.clone());
        self.spawn("demo", move |reporter| {
            let report = |share| reporter.send(TaskEvent::Progress { task, text: "Making the demo dataset".to_owned(), share });
            match demo::ensure_demo(&demo::cache_folder(), &report) {
                Ok(path) => open(task, path, opener.as_ref(), reporter),
                Err(err) => reporter.send(TaskEvent::Opened { task, path: demo::cache_folder(), result: Err((err.to_string(), None)) }),
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

    /// Finds the stored voxel of a layer nearest to a mag-1 voxel.
    pub fn nearest_data(&self, dataset: Arc<Dataset>, layer: usize, around: Vec3Int) {
        self.spawn("jump to data", move |reporter| {
            let found = dataset.layers.get(layer).and_then(|layer| nearest_data(layer, around));
            reporter.send(TaskEvent::NearestData(found));
        });
    }
}

/// The way back to the window.
struct Reporter {
    sender: Sender<TaskEvent>,
    waker: UiWaker,
}

impl Reporter {
    /// Waits if the window is behind; does nothing if it is gone.
    fn send(&self, event: TaskEvent) {
        if self.sender.send(event).is_ok() {
            self.waker.wake();
        }
    }
}

fn open(task: u64, path: PathBuf, opener: &dyn StorageOpener, reporter: &Reporter) {
    let result = match crate::format::open(opener, &path) {
        Ok(dataset) => {
            let view = first_view(&dataset);
            Ok(Box::new((dataset, view)))
        }
        Err(err) => {
            let hint = if let OpenError::Unknown { hint, .. } = &err { hint.clone() } else { None };
            Err((err.to_string(), hint))
        }
    };
    reporter.send(TaskEvent::Opened { task, path, result });
}

fn shard_file(source: &dyn ChunkSource, shard: ShardIndex) -> ShardFile {
    match source.shard_len(shard) {
        Ok(Some(len)) => ShardFile::Present(len),
        Ok(None) => ShardFile::Absent,
        Err(err) => ShardFile::Unreadable(err.to_string()),
    }
}

/// Shards of a level in the order they are looked at: the layer of shards around the view first.
pub fn scan_order(source: &dyn ChunkSource, box_in_mag: &BoundingBox, around: ShardIndex, limit: u64) -> (Vec<ShardIndex>, u64) {
    let range = source.grid().shard_range(box_in_mag);
    let total = range.shape.voxel_count().unwrap_or(u64::MAX);
    let limit = usize::try_from(limit.min(total)).unwrap_or(usize::MAX);
    let in_layer = BoundingBox::between(range.topleft.with(2, around.0.z.max(range.topleft.z)), range.bottomright().with(2, (around.0.z + 1).min(range.bottomright().z)));
    let near = source.grid().shards_in(&layer_box(source, &in_layer, box_in_mag));
    let rest = source.grid().shards_in(box_in_mag).filter(|shard| shard.0.z != around.0.z);
    let shards: Vec<ShardIndex> = near.chain(rest).take(limit).collect();
    let left_out = total.saturating_sub(shards.len() as u64);
    (shards, left_out)
}

/// The voxels that a box of shard positions covers inside another box.
fn layer_box(source: &dyn ChunkSource, shards: &BoundingBox, inside: &BoundingBox) -> BoundingBox {
    if shards.is_empty() {
        return BoundingBox::default();
    }
    let first = source.grid().shard_box(ShardIndex(shards.topleft));
    let last = source.grid().shard_box(ShardIndex(shards.bottomright() - Vec3Int::splat(1)));
    first.union(&last).intersect(inside)
}

fn wait_for_choice(choice: impl Future<Output = Option<rfd::FileHandle>>, reporter: &Reporter) {
    reporter.send(TaskEvent::Picked(pollster::block_on(choice).map(|handle| handle.path().to_owned())));
}
