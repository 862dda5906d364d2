//! For tests of this module and of `histogram` and `pick`: synthetic levels with their chunks in a map.

use crate::format::{ChunkError, ChunkFault, LayerCategory};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Mag, Shape3, ShardIndex, SlicePlane, Vec3Int, VoxelSize};
use crate::loading::{ChunkId, ChunkLookup, ChunkState, SourceId};
use crate::scene::channel_display::ChannelDisplay;
use crate::scene::layer_display::{Colormap, Interpolation, LayerDisplay, ValueWindow, test_layer};
use crate::scene::pane::PaneView;
use crate::scene::slice::{SliceImage, SliceLayer, SliceLevel, SliceRequest};
use crate::scene::view::ViewState;
use crate::voxel::{VoxelBuffer, VoxelType};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Extent of the volumes at the origin, in mag 1.
pub(in crate::scene) const SHAPE: [i64; 3] = [40, 30, 20];

/// A pane of 19 × 19 pixels at zoom 1 inside the volume: x 11 to 30, y 6 to 25, z 1 to 20; XY shows z 4.
pub(in crate::scene) fn centered(plane: SlicePlane) -> PaneView {
    let z = if plane == SlicePlane::Xy { 4 } else { 10 };
    PaneView::new(&ViewState::new(Vec3Int::new(20, 15, z), 1.0), plane, [19, 19], &VoxelSize::VOXELS)
}

pub(in crate::scene) fn grey_display(min: f64, max: f64) -> LayerDisplay {
    LayerDisplay {
        visible: true,
        opacity: 1.0,
        window: ValueWindow::new(min, max),
        gamma: 1.0,
        inverted: false,
        color: [255; 3],
        interpolation: Interpolation::Nearest,
        colormap: Colormap::Grey,
        segments: Arc::default(),
        channels: Arc::default(),
    }
}

/// Channels of a type as a layer that configures none has them.
fn mixed_channels(voxel_type: VoxelType, category: LayerCategory) -> Vec<ChannelDisplay> {
    let mut layer = test_layer(category, voxel_type.class, Default::default());
    layer.voxel_type = Some(voxel_type);
    ChannelDisplay::of_layer(&layer)
}

pub(in crate::scene) fn request(view: PaneView, layers: Vec<SliceLayer>) -> SliceRequest {
    SliceRequest { view, voxel_size: VoxelSize::VOXELS, zoom: 1.0, layers, missing_pattern: false, hovered_segment: None }
}

pub(in crate::scene) fn pixels(image: &SliceImage) -> impl Iterator<Item = ([u32; 2], [u8; 3])> {
    let (pixels, rest) = image.rgba.as_chunks::<4>();
    assert!(rest.is_empty() && pixels.len() == (image.width * image.height) as usize);
    let at = |i: usize| u32::try_from(i).expect("small");
    pixels.iter().enumerate().map(move |(i, [r, g, b, a])| {
        assert_eq!(*a, 255, "opaque");
        ([at(i) % image.width, at(i) / image.width], [*r, *g, *b])
    })
}

pub(in crate::scene) fn failure() -> ChunkState {
    ChunkState::Failed(Arc::new(ChunkError {
        chunk: ChunkIndex(Vec3Int::ZERO),
        shard: ShardIndex(Vec3Int::ZERO),
        range: None,
        fault: ChunkFault::Internal("test".to_owned()),
        location: "test".to_owned(),
    }))
}

/// A chunk with the same bytes in each voxel.
pub(in crate::scene) fn ready(voxel_type: VoxelType, shape: [i64; 3], voxel: &[u8]) -> ChunkState {
    let count = shape.iter().product::<i64>().unsigned_abs() as usize;
    ChunkState::Ready(Arc::new(VoxelBuffer::new(voxel_type, shape.into(), voxel.repeat(count)).expect("right length")))
}

/// One level with its chunks in a map.
pub(in crate::scene) struct Volume {
    pub mag: Mag,
    pub source: SourceId,
    pub grid: ChunkGrid,
    pub voxel_type: VoxelType,
    /// In mag 1.
    pub bounds: BoundingBox,
    pub fill: Vec<u8>,
    pub chunks: HashMap<ChunkIndex, ChunkState>,
    pub asked: Mutex<Vec<ChunkId>>,
}

impl Volume {
    /// All chunks of the box at the origin are ready; `voxel` gives the bytes of a voxel of the mag.
    pub fn new(mag: Mag, chunk_shape: [i64; 3], voxel_type: VoxelType, voxel: impl Fn(Vec3Int) -> Vec<u8>) -> Self {
        Self::in_box(mag, chunk_shape, voxel_type, BoundingBox::new(Vec3Int::ZERO, SHAPE.into()), voxel)
    }

    pub fn in_box(mag: Mag, chunk_shape: [i64; 3], voxel_type: VoxelType, bounds: BoundingBox, voxel: impl Fn(Vec3Int) -> Vec<u8>) -> Self {
        let mut volume = Self::empty_in(mag, chunk_shape, voxel_type, bounds, &ChunkState::Missing);
        for (index, state) in &mut volume.chunks {
            let chunk = volume.grid.chunk_box(*index);
            let (first, end) = (chunk.topleft, chunk.bottomright());
            let positions =
                (first.z..end.z).flat_map(|z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| Vec3Int::new(x, y, z))));
            let bytes = positions.flat_map(&voxel).collect();
            *state = ChunkState::Ready(Arc::new(VoxelBuffer::new(voxel_type, chunk.shape, bytes).expect("right length")));
        }
        volume
    }

    /// All chunks of the box at the origin have one state.
    pub fn empty(mag: Mag, chunk_shape: [i64; 3], voxel_type: VoxelType, state: &ChunkState) -> Self {
        Self::empty_in(mag, chunk_shape, voxel_type, BoundingBox::new(Vec3Int::ZERO, SHAPE.into()), state)
    }

    /// As [`Self::empty`]; chunks of more than a small box keep the state unlisted.
    pub fn empty_in(mag: Mag, chunk_shape: [i64; 3], voxel_type: VoxelType, bounds: BoundingBox, state: &ChunkState) -> Self {
        let in_mag = mag.box_in_mag(&bounds);
        let grid = ChunkGrid::new(in_mag.topleft, chunk_shape.into(), Shape3::splat(1), in_mag).expect("not empty");
        let chunks = grid.chunks_in(&in_mag).take(100_000).map(|index| (index, state.clone())).collect();
        Self {
            mag,
            source: SourceId::next(),
            grid,
            voxel_type,
            bounds,
            fill: vec![0; voxel_type.byte_len()],
            chunks,
            asked: Mutex::default(),
        }
    }

    pub fn set(&mut self, index: [i64; 3], state: ChunkState) -> ChunkId {
        let chunk = ChunkIndex(index.into());
        self.chunks.insert(chunk, state).expect("in the grid");
        ChunkId { source: self.source, chunk }
    }

    pub fn level(&self) -> SliceLevel {
        SliceLevel { mag: self.mag, source: self.source, grid: self.grid, fill: self.fill.clone().into() }
    }

    pub fn layer(&self, category: LayerCategory) -> SliceLayer {
        let (min, max) = self.voxel_type.class.full_range();
        SliceLayer {
            levels: vec![self.level()],
            voxel_type: self.voxel_type,
            bounding_box: self.bounds,
            category,
            display: LayerDisplay { channels: Arc::new(mixed_channels(self.voxel_type, category)), ..grey_display(min, max) },
        }
    }
}

impl ChunkLookup for Volume {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        self.asked.lock().expect("no panic").push(id);
        let state = if id.source == self.source { self.chunks.get(&id.chunk).cloned() } else { None };
        state.unwrap_or(ChunkState::Unknown)
    }
}

impl<const N: usize> ChunkLookup for [Volume; N] {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        self.iter().find(|v| v.source == id.source).map_or(ChunkState::Unknown, |v| v.chunk(id))
    }
}
