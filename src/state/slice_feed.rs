//! [`SliceFeed`]: keeps the panes' pictures in step with what is to be seen.
//!
//! Each frame compares what the panes should show with what was last asked for; the difference becomes
//! a new wanted set for the loader and new slices for the workers. Nothing here waits.

mod answers;
mod counting;
mod edits;

use super::app_state::{AppState, OpenDataset};
use super::edit_overlay::Edits;
use super::level_sources::LevelSources;
use crate::format::ChunkError;
use crate::format::LayerCategory;
use crate::geometry::{Mag, MagLabel, SlicePlane};
use crate::loading::{ChunkId, ChunkLoader, LoaderConfig, LoaderEvent, PoolError, SourceId, UiWaker, WantedChunk};
use crate::problem::Problem;
use crate::scene::{
    Histogram, LayerDisplay, LevelRef, PaneView, PickState, SliceImage, SliceLayer, SliceLevel, SliceRequest, ValueWindow, VisibleLayer,
    choose_level, compose, drawn_levels, visible_set,
};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use std::sync::Arc;
use std::time::Duration;

/// The picture of a pane.
#[derive(Clone, Debug)]
pub struct PaneImage {
    /// Pixels.
    pub image: Arc<SliceImage>,
    /// Which voxels they show.
    pub view: PaneView,
    /// Counts up with each new picture of the pane.
    pub generation: u64,
}

/// News for the rest of the program.
#[derive(Clone, Debug)]
pub enum FeedEvent {
    /// Something was found while reading.
    Found(Problem),
    /// A chunk can't be shown.
    ChunkFailed(ChunkId, Arc<ChunkError>),
    /// The window of a layer, or of a channel of it, that had none.
    AutoWindow {
        /// Index of the layer.
        layer: usize,
        /// Number of the channel.
        channel: usize,
        /// Window from what is on screen.
        window: ValueWindow,
    },
}

/// What workers send back.
enum FeedResult {
    Slice {
        plane: SlicePlane,
        dataset: u64,
        picture: PaneImage,
    },
    Histogram {
        counted: Counted,
        dataset: u64,
        histogram: Histogram,
    },
    /// A job ended without a picture: it panicked, which the pool has logged.
    NoSlice {
        plane: SlicePlane,
        dataset: u64,
    },
}

/// Whose values are counted: a layer's, or a channel's where channels are mixed (else 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    layer: usize,
    channel: usize,
}

/// What was counted in the picture that is shown.
#[derive(Default)]
struct Counts {
    view: Option<PaneView>,
    /// What needed a window, each once.
    tried: Vec<Counted>,
    last: Option<Counted>,
}

/// Sends a pane's picture, or that there is none, however its job ends.
struct SliceReply {
    plane: SlicePlane,
    dataset: u64,
    picture: Option<PaneImage>,
    sender: Sender<FeedResult>,
    waker: UiWaker,
}

impl Drop for SliceReply {
    fn drop(&mut self) {
        let (plane, dataset) = (self.plane, self.dataset);
        let result = match self.picture.take() {
            Some(picture) => FeedResult::Slice { plane, dataset, picture },
            None => FeedResult::NoSlice { plane, dataset },
        };
        send(&self.sender, &self.waker, result);
    }
}

/// What decides from which levels, at which positions of their axes, layers are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
struct Followed {
    /// By layer and axis.
    positions: Vec<Vec<u64>>,
    fixed_mag: Option<MagLabel>,
}

/// What decides which chunks are wanted.
#[derive(Clone, Debug, PartialEq)]
struct WantedKey {
    panes: Vec<PaneView>,
    visible: Vec<bool>,
    followed: Followed,
    budget_bytes: u64,
}

/// What decides how a picture looks, beside the chunks.
#[derive(Clone, Debug, PartialEq)]
struct PictureKey {
    view: PaneView,
    displays: Vec<LayerDisplay>,
    /// The level of each layer.
    shown: Vec<Option<SourceId>>,
    positions: Vec<Vec<u64>>,
    missing_pattern: bool,
    hovered_segment: Option<u64>,
    /// Number of the edit up to which edited buckets are shown.
    edits: u64,
}

#[derive(Default)]
struct PaneFeed {
    asked: Option<PictureKey>,
    is_stale: bool,
    is_composing: bool,
    next_generation: u64,
    image: Option<PaneImage>,
    /// Positions of the layers that the image shows.
    image_positions: Vec<Vec<u64>>,
    /// A hidden pane isn't composed, so it stays stale.
    is_shown: bool,
}

impl PaneFeed {
    fn shows_what_was_asked(&self) -> bool {
        !self.is_composing && !self.is_stale
    }

    /// Takes the picture that was asked for last. One of other positions that isn't complete waits behind the picture
    /// that is there: going through a series, grey areas in between would hide what changes.
    fn take(&mut self, picture: PaneImage) {
        let positions = self.asked.as_ref().map_or(&[][..], |asked| &asked.positions);
        let is_partial = picture.image.coverage.pending > 0;
        let has_moved_on = self.image_positions != positions;
        let stays = self.image.as_ref().is_some_and(|shown| shown.view == picture.view);
        if !(is_partial && has_moved_on && stays) {
            self.image_positions = positions.to_vec();
            self.image = Some(picture);
        }
    }
}

/// Pictures of the panes, and the loader behind them.
pub struct SliceFeed {
    loader: ChunkLoader,
    waker: UiWaker,
    results: Receiver<FeedResult>,
    sender: Sender<FeedResult>,
    panes: [PaneFeed; 3],
    wanted: Option<WantedKey>,
    /// Levels at the positions that were looked at.
    sources: LevelSources,
    /// What `readable` and `layers` were made for.
    followed: Followed,
    /// Readable levels of each layer of the open dataset, at the current positions.
    readable: Vec<Vec<LevelRef>>,
    /// The layers with those of their levels that they are drawn from.
    layers: Vec<VisibleLayer>,
    /// Index of the level shown, per layer; for hidden layers the one that would be.
    shown: Vec<usize>,
    /// Number of the open dataset, so that results for a closed one are dropped.
    dataset: u64,
    last_slices: [i64; 3],
    histogram: Option<(Counted, Histogram)>,
    is_counting: bool,
    counts: Counts,
    /// Edited buckets of the levels that are looked at.
    edits: Arc<Edits>,
}

impl SliceFeed {
    /// Time per frame for applying what has arrived.
    const DRAIN_BUDGET: Duration = Duration::from_millis(4);

    /// A feed without a dataset.
    ///
    /// # Errors
    /// If the loader's threads can't be started.
    pub fn new(config: LoaderConfig, waker: UiWaker) -> Result<Self, PoolError> {
        // One slice per pane and one histogram are under way at most.
        let (sender, results) = bounded(16);
        Ok(Self {
            loader: ChunkLoader::new(config, waker.clone())?,
            waker,
            results,
            sender,
            panes: Default::default(),
            wanted: None,
            sources: LevelSources::default(),
            followed: Followed::default(),
            readable: Vec::new(),
            layers: Vec::new(),
            shown: Vec::new(),
            dataset: 0,
            last_slices: [0; 3],
            histogram: None,
            is_counting: false,
            counts: Counts::default(),
            edits: Arc::default(),
        })
    }

    /// Starts with another dataset, or with none.
    pub fn open(&mut self, open: Option<&OpenDataset>) {
        self.close();
        let Some(open) = open else { return };
        self.follow(open);
        self.shown = vec![0; self.layers.len()];
    }

    /// Takes the levels at the current positions, and of those with the same mag the ones that are asked for.
    fn follow(&mut self, open: &OpenDataset) {
        let positions = open.layers.iter().map(|layer| open.positions.of_layer(layer.layer())).collect();
        let followed = Followed { positions, fixed_mag: open.fixed_mag };
        if followed == self.followed && self.layers.len() == open.layers.len() {
            return;
        }
        self.sources.begin();
        let layers = open.layers.iter().zip(&followed.positions).enumerate();
        self.readable = layers.map(|(index, (layer, positions))| self.sources.levels_at(index, layer.layer(), positions)).collect();
        for id in self.sources.drop_oldest() {
            self.loader.forget(id);
        }
        let drawn = self.readable.iter().map(|readable| drawn_levels(readable, followed.fixed_mag));
        let boxes = open.layers.iter().map(|layer| layer.layer().bounding_box);
        self.layers = drawn.zip(boxes).map(|(levels, bounding_box)| VisibleLayer { levels, chosen: 0, bounding_box }).collect();
        self.followed = followed;
        self.counts = Counts::default();
    }

    fn close(&mut self) {
        self.loader.want(Vec::new());
        for level in self.sources.iter() {
            self.loader.forget(level.id);
        }
        self.dataset += 1;
        self.sources.clear();
        self.followed = Followed::default();
        self.readable.clear();
        self.layers.clear();
        self.shown.clear();
        self.panes = Default::default();
        self.wanted = None;
        self.histogram = None;
        self.counts = Counts::default();
        self.is_counting = false;
        self.edits = Arc::default();
    }

    /// Takes what has arrived since the last frame.
    pub fn poll(&mut self, open: Option<&OpenDataset>) -> Vec<FeedEvent> {
        let mut events = Vec::new();
        let mut chunks_changed = false;
        for event in self.loader.drain(Self::DRAIN_BUDGET) {
            match event {
                LoaderEvent::Changed(_) => chunks_changed = true,
                LoaderEvent::Failed(id, error) => {
                    chunks_changed = true;
                    events.push(FeedEvent::ChunkFailed(id, error));
                }
                LoaderEvent::Warning(problem) => events.push(FeedEvent::Found(problem)),
            }
        }
        if chunks_changed {
            self.panes.iter_mut().for_each(|pane| pane.is_stale = true);
        }
        while let Ok(result) = self.results.try_recv() {
            match result {
                FeedResult::Slice { plane, dataset, picture } if dataset == self.dataset => {
                    let pane = &mut self.panes[plane_index(plane)];
                    pane.is_composing = false;
                    if pane.image.as_ref().is_none_or(|shown| shown.generation < picture.generation) {
                        pane.take(picture);
                    }
                }
                FeedResult::Histogram { counted, dataset, histogram } if dataset == self.dataset => {
                    self.is_counting = false;
                    let Counted { layer, channel } = counted;
                    let opened = open.and_then(|open| open.layers.get(layer));
                    let wants_window = opened.is_some_and(|layer| layer.without_window().any(|without| without == channel));
                    if wants_window && let Some(window) = histogram.auto_window() {
                        events.push(FeedEvent::AutoWindow { layer, channel, window });
                    }
                    self.histogram = Some((counted, histogram));
                }
                FeedResult::NoSlice { plane, dataset } if dataset == self.dataset => self.panes[plane_index(plane)].is_composing = false,
                FeedResult::Slice { .. } | FeedResult::Histogram { .. } | FeedResult::NoSlice { .. } => {}
            }
        }
        events
    }

    /// Asks for what the panes should show now. `shapes_px` are their sizes in physical pixels, 0 for hidden ones.
    pub fn update(&mut self, state: &AppState, shapes_px: [[u32; 2]; 3]) {
        let Some(open) = &state.dataset else { return };
        self.follow(open);
        self.follow_edits(state.annotation.as_ref());
        let voxel_size = open.dataset.voxel_size;
        let panes: Vec<PaneView> = SlicePlane::ALL
            .into_iter()
            .zip(shapes_px)
            .filter(|(_, shape)| shape.iter().all(|side| *side > 0))
            .map(|(plane, shape)| PaneView::new(&open.view, plane, shape, &voxel_size))
            .collect();
        for plane in SlicePlane::ALL {
            self.panes[plane_index(plane)].is_shown = panes.iter().any(|pane| pane.plane() == plane);
        }
        self.want(open, &panes);
        let hovered_segment = self.hovered_segment(state);
        for pane in &panes {
            let key = PictureKey {
                view: *pane,
                displays: open.layers.iter().map(|layer| layer.display.clone()).collect(),
                shown: (0..open.layers.len()).map(|layer| self.shown_level(layer).map(|level| level.id)).collect(),
                positions: self.followed.positions.clone(),
                missing_pattern: state.settings.overlays.missing_pattern,
                hovered_segment,
                edits: self.edits.revision(),
            };
            self.compose(open, key);
        }
        self.count_values(open, &panes);
    }

    fn want(&mut self, open: &OpenDataset, panes: &[PaneView]) {
        let visible: Vec<bool> = open.layers.iter().map(|layer| layer.display.visible).collect();
        let key =
            WantedKey { panes: panes.to_vec(), visible, followed: self.followed.clone(), budget_bytes: self.loader.wanted_budget_bytes() };
        if self.wanted.as_ref() == Some(&key) {
            return;
        }
        let zoom = open.view.zoom();
        for (layer, shown) in self.layers.iter_mut().zip(&mut self.shown) {
            let mags: Vec<Mag> = layer.levels.iter().map(|level| level.mag).collect();
            layer.chosen = choose_level(&mags, zoom, open.fixed_mag.map(|label| label.mag)).unwrap_or(0);
            *shown = layer.chosen;
        }
        let at: Vec<usize> = (0..self.layers.len()).filter(|i| key.visible[*i] && !self.layers[*i].levels.is_empty()).collect();
        let layers: Vec<VisibleLayer> = at.iter().map(|i| self.layers[*i].clone()).collect();
        let set = visible_set(panes, &layers, self.motion(open), key.budget_bytes, self.lookup().as_ref());
        for (i, shown) in at.into_iter().zip(set.shown) {
            self.shown[i] = shown;
        }
        let wanted = set.chunks.into_iter().map(|chunk| WantedChunk { id: chunk.id, source: chunk.source, priority: chunk.priority });
        self.loader.want(wanted.collect());
        self.wanted = Some(key);
    }

    /// Along which axis the view has just moved.
    fn motion(&mut self, open: &OpenDataset) -> Option<(SlicePlane, i64)> {
        let now = open.view.voxel().to_array();
        let moved = SlicePlane::ALL.into_iter().find_map(|plane| {
            let axis = plane.normal_axis();
            let by = now[axis] - self.last_slices[axis];
            let others_stand = (0..3).all(|a| a == axis || now[a] == self.last_slices[a]);
            (by != 0 && others_stand).then_some((plane, by.signum()))
        });
        self.last_slices = now;
        moved
    }

    fn compose(&mut self, open: &OpenDataset, key: PictureKey) {
        let plane = key.view.plane();
        let pane = &self.panes[plane_index(plane)];
        if pane.is_composing || pane.asked.as_ref() == Some(&key) && !pane.is_stale {
            return;
        }
        let request = SliceRequest {
            view: key.view,
            voxel_size: open.dataset.voxel_size,
            zoom: open.view.zoom(),
            layers: self.slice_layers(open),
            missing_pattern: key.missing_pattern,
            hovered_segment: key.hovered_segment,
        };
        let lookup = self.lookup();
        let pane = &mut self.panes[plane_index(plane)];
        pane.is_composing = true;
        pane.is_stale = false;
        pane.next_generation += 1;
        let generation = pane.next_generation;
        let reply = SliceReply { plane, dataset: self.dataset, picture: None, sender: self.sender.clone(), waker: self.waker.clone() };
        let view = key.view;
        pane.asked = Some(key);
        let is_accepted = self.loader.spawn_compose(move || {
            let mut reply = reply; // whole, so that it is dropped at the end of the job, not before
            let image = Arc::new(compose(&request, lookup.as_ref()));
            reply.picture = Some(PaneImage { image, view, generation });
        });
        if !is_accepted {
            // Asked again with the next frame.
            let pane = &mut self.panes[plane_index(plane)];
            (pane.is_composing, pane.is_stale) = (false, true);
        }
    }

    /// Visible layers, bottom first, as composing wants them.
    fn slice_layers(&self, open: &OpenDataset) -> Vec<SliceLayer> {
        (0..open.layers.len()).filter(|i| open.layers[*i].display.visible).filter_map(|i| self.slice_layer(open, i)).collect()
    }

    /// A layer with the level that is shown first and its stand-ins behind it.
    fn slice_layer(&self, open: &OpenDataset, index: usize) -> Option<SliceLayer> {
        let (layer, shown) = (self.layers.get(index)?, *self.shown.get(index)?);
        let levels: Vec<SliceLevel> = layer.levels.iter().skip(shown).take(1 + crate::scene::MAX_STAND_INS).map(slice_level).collect();
        let opened = open.layers.get(index)?;
        let voxel_type = layer.levels.get(shown)?.source.voxel_type();
        Some(SliceLayer {
            levels,
            voxel_type,
            bounding_box: layer.bounding_box,
            category: opened.layer().category,
            display: opened.display.clone(),
        })
    }

    fn hovered_segment(&self, state: &AppState) -> Option<u64> {
        let open = state.dataset.as_ref()?;
        let (_, voxel) = state.probe.hover?;
        let segmentation =
            open.layers.iter().rposition(|layer| layer.display.visible && layer.layer().category == LayerCategory::Segmentation)?;
        match self.pick(open, segmentation, voxel)?.state {
            PickState::Value(value) => value.id.filter(|id| *id != 0),
            PickState::Pending | PickState::Missing(_) | PickState::Failed(_) | PickState::Outside => None,
        }
    }

    /// The loader, for its figures.
    pub const fn loader(&self) -> &ChunkLoader {
        &self.loader
    }

    /// Sets the budget for decoded chunks.
    pub fn set_max_bytes(&mut self, max_bytes: u64) {
        self.loader.set_max_bytes(max_bytes);
    }

    /// Reads failed chunks again, and where they lie.
    pub fn retry_failed(&mut self) {
        for level in self.sources.iter() {
            level.source.forget_indices();
        }
        self.loader.retry_failed();
        self.wanted = None;
    }
}

impl Drop for SliceFeed {
    fn drop(&mut self) {
        self.close();
    }
}

/// Sends without ever blocking a worker: the channel holds all that can be under way.
fn send(sender: &Sender<FeedResult>, waker: &UiWaker, result: FeedResult) {
    match sender.try_send(result) {
        Ok(()) | Err(TrySendError::Disconnected(_)) => {}
        Err(TrySendError::Full(_)) => log::warn!("a finished slice was dropped: nobody takes them"),
    }
    waker.wake();
}

fn plane_index(plane: SlicePlane) -> usize {
    match plane {
        SlicePlane::Xy => 0,
        SlicePlane::Yz => 1,
        SlicePlane::Xz => 2,
    }
}

fn slice_level(level: &LevelRef) -> SliceLevel {
    SliceLevel { mag: level.mag, source: level.id, grid: *level.source.grid(), fill: Arc::from(level.source.fill_voxel()) }
}
