//! [`Snapshot`]: a slice read and composed at once, for commands. The window composes in steps.

use super::axis_positions::{AxisPositions, source_at};
use super::compose::compose;
use super::histogram::histogram_of;
use super::layer_display::{LayerDisplay, ValueWindow};
use super::mag_choice::{choose_level, drawn_levels};
use super::pane::PaneView;
use super::slice::{SliceImage, SliceLayer, SliceLevel, SliceRequest};
use super::view::ViewState;
use super::visible::{LevelRef, VisibleChunk, VisibleLayer, visible_set};
use crate::format::{ChunkError, ChunkSource, Dataset, Layer, LayerCategory, adjacent_runs, decode, read_encoded};
use crate::geometry::{Mag, MagLabel, SlicePlane};
use crate::loading::{ChunkId, ChunkLookup, ChunkState, SourceId};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Memory for the decoded chunks of one snapshot. What needs more is shown from a coarser mag.
const MAX_BYTES: u64 = 1 << 30;

/// What a snapshot shows.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Plane.
    pub plane: SlicePlane,
    /// Centre and zoom.
    pub view: ViewState,
    /// Width and height in pixels.
    pub shape_px: [u32; 2],
    /// Shown whatever the zoom.
    pub mag: Option<MagLabel>,
    /// Positions along axes beyond x, y, z and channel.
    pub positions: AxisPositions,
    /// Window of the colour layers and all their channels; `None`: configured or automatic.
    pub window: Option<ValueWindow>,
}

impl Snapshot {
    /// Reads and composes the picture of these layers, the first at the bottom. Layers without a readable
    /// level are left out. Also returns the chunks that can't be shown; they are hatched.
    pub fn take(&self, dataset: &Dataset, layers: &[&Layer]) -> (SliceImage, Vec<Arc<ChunkError>>) {
        let pane = PaneView::new(&self.view, self.plane, self.shape_px, &dataset.voxel_size);
        let readable: Vec<(&Layer, VisibleLayer)> = layers.iter().filter_map(|layer| Some((*layer, self.visible_layer(layer)?))).collect();
        let visible: Vec<VisibleLayer> = readable.iter().map(|(_, visible)| visible.clone()).collect();
        let mut chunks = ReadChunks::default();
        let set = visible_set(std::slice::from_ref(&pane), &visible, None, MAX_BYTES, &AllThere);
        chunks.read(set.chunks);
        let mut slice_layers = Vec::with_capacity(readable.len());
        for ((layer, visible), shown) in readable.iter().zip(set.shown) {
            slice_layers.extend(self.slice_layer(layer, visible, shown, &pane, &chunks));
        }
        let request = SliceRequest {
            view: pane,
            voxel_size: dataset.voxel_size,
            zoom: self.view.zoom(),
            layers: slice_layers,
            missing_pattern: false,
            hovered_segment: None,
        };
        let image = compose(&request, &chunks);
        (image, chunks.failed())
    }

    fn visible_layer(&self, layer: &Layer) -> Option<VisibleLayer> {
        let positions = self.positions.of_layer(layer);
        let readable = layer.levels.iter().enumerate().filter_map(|(index, level)| {
            let source = source_at(level.source.as_ref().ok()?, &positions)?;
            Some(LevelRef { mag: level.mag, copy: level.copy, index, id: SourceId::next(), source })
        });
        let levels = drawn_levels(&readable.collect::<Vec<_>>(), self.mag);
        let mags: Vec<Mag> = levels.iter().map(|level| level.mag).collect();
        let chosen = choose_level(&mags, self.view.zoom(), self.mag.map(|label| label.mag))?;
        Some(VisibleLayer { levels, chosen, bounding_box: layer.bounding_box })
    }

    fn slice_layer(&self, layer: &Layer, visible: &VisibleLayer, shown: usize, pane: &PaneView, chunks: &ReadChunks) -> Option<SliceLayer> {
        let level = visible.levels.get(shown)?;
        let grid = *level.source.grid();
        let levels = vec![SliceLevel { mag: level.mag, source: level.id, grid, fill: Arc::from(level.source.fill_voxel()) }];
        let display = LayerDisplay { visible: true, ..LayerDisplay::for_layer(layer) };
        let mut slice_layer = SliceLayer {
            levels,
            voxel_type: level.source.voxel_type(),
            bounding_box: layer.bounding_box,
            category: layer.category,
            display,
        };
        match layer.category {
            LayerCategory::Segmentation => {}
            LayerCategory::Color => self.set_windows(layer, &mut slice_layer, pane, chunks),
        }
        Some(slice_layer)
    }

    /// Windows of a colour layer and its channels: as asked for, configured, or from the values in the picture.
    fn set_windows(&self, layer: &Layer, slice_layer: &mut SliceLayer, pane: &PaneView, chunks: &ReadChunks) {
        if let Some(window) = self.window {
            slice_layer.display.window = window;
            Arc::make_mut(&mut slice_layer.display.channels).iter_mut().for_each(|channel| channel.window = window);
            return;
        }
        let found = |slice_layer: &SliceLayer, channel| histogram_of(slice_layer, channel, pane, chunks).auto_window();
        if LayerDisplay::wants_auto_window(layer)
            && let Some(window) = found(slice_layer, 0)
        {
            slice_layer.display.window = window;
        }
        let without = LayerDisplay::channels_without_window(layer);
        for channel in without.iter().enumerate().filter_map(|(channel, is_without)| is_without.then_some(channel)) {
            if let Some(window) = found(slice_layer, channel)
                && let Some(settings) = Arc::make_mut(&mut slice_layer.display.channels).get_mut(channel)
            {
                settings.window = window;
            }
        }
    }
}

/// Says of every chunk that it is there, so that no coarse stand-ins are asked for.
struct AllThere;

impl ChunkLookup for AllThere {
    fn chunk(&self, _: ChunkId) -> ChunkState {
        ChunkState::Missing
    }
}

/// Chunks read beforehand.
#[derive(Default)]
struct ReadChunks(HashMap<ChunkId, ChunkState>);

impl ChunkLookup for ReadChunks {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        self.0.get(&id).cloned().unwrap_or(ChunkState::Missing)
    }
}

impl ReadChunks {
    /// Reads on all threads, adjacent chunks together.
    fn read(&mut self, chunks: Vec<VisibleChunk>) {
        let mut by_source: HashMap<SourceId, (Arc<dyn ChunkSource>, Vec<ChunkId>)> = HashMap::new();
        for chunk in chunks {
            by_source.entry(chunk.id.source).or_insert_with(|| (chunk.source, Vec::new())).1.push(chunk.id);
        }
        for (id, (source, chunks)) in by_source {
            let source = source.as_ref();
            let located: Vec<_> = chunks.par_iter().map(|chunk| (*chunk, source.locate(chunk.chunk))).collect();
            let mut locations = Vec::new();
            for (chunk, location) in located {
                match location {
                    Ok(Some(location)) => locations.push(location),
                    Ok(None) => drop(self.0.insert(chunk, ChunkState::Missing)),
                    Err(error) => drop(self.0.insert(chunk, ChunkState::Failed(Arc::new(error)))),
                }
            }
            let pieces: Vec<_> = adjacent_runs(locations);
            let read: Vec<(ChunkId, ChunkState)> = pieces.par_iter().flat_map_iter(|run| read_run(source, id, run)).collect();
            self.0.extend(read);
        }
    }

    fn failed(&self) -> Vec<Arc<ChunkError>> {
        let failed = self.0.values().filter_map(|state| if let ChunkState::Failed(error) = state { Some(error.clone()) } else { None });
        failed.collect()
    }
}

fn read_run(source: &dyn ChunkSource, id: SourceId, run: &[crate::format::ChunkLocation]) -> Vec<(ChunkId, ChunkState)> {
    let state = |result: Result<_, ChunkError>| match result {
        Ok(buffer) => ChunkState::Ready(Arc::new(buffer)),
        Err(error) => ChunkState::Failed(Arc::new(error)),
    };
    let one = |location: &crate::format::ChunkLocation| {
        let mut encoded = read_encoded(source, std::slice::from_ref(location))?;
        let Some(encoded) = encoded.pop() else {
            return Err(source.chunk_error(
                location.chunk,
                Some(location.range),
                crate::format::ChunkFault::Internal("nothing read".to_owned()),
            ));
        };
        decode(source, encoded)
    };
    match read_encoded(source, run) {
        Ok(encoded) => encoded.into_iter().map(|e| (ChunkId { source: id, chunk: e.location.chunk }, state(decode(source, e)))).collect(),
        // One by one, so that only the chunks that can't be read are failures.
        Err(_) => run.iter().map(|location| (ChunkId { source: id, chunk: location.chunk }, state(one(location)))).collect(),
    }
}
