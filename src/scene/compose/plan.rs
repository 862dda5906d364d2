//! [`LayerPlan`]: which voxel of which chunk each pixel of one layer shows, worked out before any pixel is
//! drawn. Each chunk is looked up once.

use crate::geometry::{ChunkGrid, ChunkIndex, Mag, Shape3, SlicePlane, Vec3Int};
use crate::loading::{ChunkId, ChunkLookup, ChunkState};
use crate::scene::pane::PaneView;
use crate::scene::slice::{MAX_FAILED_CHUNKS, SliceLayer, SliceLevel};
use crate::voxel::{Strides, VoxelBuffer, VoxelType, copy_region};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Most chunks of one level that are looked up for one image. A level of more (chunks of single voxels) is
/// left to its coarser stand-ins.
const MAX_CHUNKS: usize = 1 << 20;

/// Largest face of a chunk, in voxels, that is copied out where the plane cuts across the chunk's rows.
const MAX_FACE_VOXELS: u64 = 1 << 16;

/// Number of a pixel's chunk where there is none: the voxel lies outside the level's stored bounds.
const NO_CHUNK: u32 = u32::MAX;

/// The positions that are drawn or counted: where rows and columns of a plane lie.
pub(in crate::scene) struct SamplePoints {
    /// The plane.
    pub plane: SlicePlane,
    /// Mag-1 voxel along the plane's normal.
    pub slice: i64,
    /// Mag-1 coordinates of the columns (to the right) and of the rows (down), ascending.
    pub at: [Vec<f64>; 2],
}

impl SamplePoints {
    /// The middle of each pixel of a pane.
    pub fn of_pixels(view: &PaneView) -> Self {
        let along = |axis: usize| (0..view.shape_px()[axis]).map(|px| view.mag1_from_px(axis, f64::from(px) + 0.5)).collect();
        Self { plane: view.plane(), slice: view.slice(), at: [along(0), along(1)] }
    }

    fn axis(&self, on_screen: usize) -> usize {
        if on_screen == 0 { self.plane.right_axis() } else { self.plane.down_axis() }
    }
}

/// The voxel beside the shown one that linear interpolation mixes in.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::scene) struct Neighbor {
    pub chunk: u32,
    pub offset: u32,
    /// Share of the neighbour, 0 to 0.5.
    pub weight: f32,
}

/// One axis of the screen in one level.
struct AxisMap {
    /// The level's chunks along this axis that are looked up, ascending.
    chunks: Vec<i64>,
    /// By pixel: number of its chunk in `chunks`, or [`NO_CHUNK`].
    chunk_at: Vec<u32>,
    /// By pixel: distance in bytes from the chunk's start along this axis.
    offsets: Vec<u32>,
    /// By pixel, where the layer is interpolated.
    neighbors: Vec<Neighbor>,
    /// Runs of pixels in one chunk.
    spans: Vec<Range<u32>>,
}

/// What an axis map is made for.
struct AxisRequest<'a> {
    points: &'a [f64],
    visible: Range<usize>,
    axis: usize,
    stride: usize,
    is_linear: bool,
    /// Voxels that exist along the axis, in the level.
    extent: Range<i64>,
}

impl AxisMap {
    fn new(level: &SliceLevel, request: &AxisRequest<'_>) -> Self {
        let AxisRequest { points, visible, axis, stride, is_linear, extent } = request;
        let (factor, len) = (level.mag.factors()[*axis], level.grid.chunk_shape().along(*axis));
        // Bounds are in voxels of the level, as the grid's origin is.
        let origin = level.grid.chunk_box(ChunkIndex(Vec3Int::ZERO)).topleft[*axis];
        let mut map = Self {
            chunks: Vec::new(),
            chunk_at: vec![NO_CHUNK; points.len()],
            offsets: vec![0; points.len()],
            neighbors: if *is_linear { vec![Neighbor::default(); points.len()] } else { Vec::new() },
            spans: Vec::new(),
        };
        let locate = |voxel: i64| {
            let from_origin = voxel.saturating_sub(origin);
            let offset = usize::try_from(from_origin.rem_euclid(len)).map_or(usize::MAX, |o| o.saturating_mul(*stride));
            // Chunks of 4 GiB and more are never decoded, see `Cell::of`.
            (from_origin.div_euclid(len), u32::try_from(offset).unwrap_or(u32::MAX))
        };
        let voxel_of = |px: usize| (points[px].floor() as i64).div_euclid(factor);
        let neighbor_of = |px: usize| {
            let voxel = voxel_of(px);
            let from_middle = points[px] / factor as f64 - voxel as f64 - 0.5;
            let neighbor = if from_middle < 0.0 { voxel.saturating_sub(1) } else { voxel.saturating_add(1) };
            (neighbor, from_middle.abs().min(0.5) as f32)
        };
        for px in visible.clone() {
            let candidates = [Some(voxel_of(px)), is_linear.then(|| neighbor_of(px).0)];
            for voxel in candidates.into_iter().flatten().filter(|v| extent.contains(v)) {
                let chunk = locate(voxel).0;
                if map.chunks.last() != Some(&chunk) {
                    map.chunks.push(chunk);
                }
            }
        }
        map.chunks.sort_unstable();
        map.chunks.dedup();
        let mut number = 0;
        for px in visible.clone() {
            let voxel = voxel_of(px);
            if !extent.contains(&voxel) {
                continue;
            }
            let (chunk, offset) = locate(voxel);
            while map.chunks.get(number).is_some_and(|c| *c < chunk) {
                number += 1;
            }
            map.chunk_at[px] = u32::try_from(number).unwrap_or(NO_CHUNK);
            map.offsets[px] = offset;
        }
        if *is_linear {
            for px in visible.clone() {
                let (voxel, weight) = neighbor_of(px);
                if let Some((chunk, offset)) = extent.contains(&voxel).then(|| locate(voxel))
                    && let Ok(number) = map.chunks.binary_search(&chunk)
                {
                    map.neighbors[px] = Neighbor { chunk: u32::try_from(number).unwrap_or(NO_CHUNK), offset, weight };
                }
            }
        }
        for px in visible.clone() {
            let px_number = u32::try_from(px).unwrap_or(u32::MAX);
            match map.spans.last_mut() {
                Some(span) if map.chunk_at[px] == map.chunk_at[px - 1] => span.end = px_number + 1,
                Some(_) | None => map.spans.push(px_number..px_number + 1),
            }
        }
        map
    }
}

/// A chunk as far as drawing cares.
#[derive(Clone, Debug)]
pub(in crate::scene) enum Cell {
    Pending,
    Missing,
    Ready(Voxels),
    Failed,
}

/// Voxels of a decoded chunk, addressed by the offsets of its level's plan.
#[derive(Clone, Debug)]
pub(in crate::scene) enum Voxels {
    /// The whole chunk.
    Chunk(Arc<VoxelBuffer>),
    /// The shown slice of it, to the right fastest.
    Face(Vec<u8>),
}

impl Voxels {
    /// What offsets count from.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Chunk(buffer) => buffer.bytes(),
            Self::Face(bytes) => bytes,
        }
    }
}

impl Cell {
    /// A buffer that isn't what the layer and grid say counts as failed: it can't be drawn, and never as
    /// something else.
    fn of(state: ChunkState, voxel_type: VoxelType, grid: &ChunkGrid) -> Self {
        match state {
            ChunkState::Unknown | ChunkState::Pending => Self::Pending,
            ChunkState::Missing => Self::Missing,
            ChunkState::Failed(_) => Self::Failed,
            ChunkState::Ready(buffer) => {
                let fits = buffer.voxel_type() == voxel_type && buffer.shape() == grid.chunk_shape();
                if fits && u32::try_from(buffer.bytes().len()).is_ok() { Self::Ready(Voxels::Chunk(buffer)) } else { Self::Failed }
            }
        }
    }
}

/// One level of a layer, its chunks looked up.
pub(in crate::scene) struct LevelPlan {
    pub mag: Mag,
    columns: AxisMap,
    rows: AxisMap,
    /// Bytes from a chunk's start to the shown slice.
    slice_offset: u32,
    /// By row of chunks, then column; empty where the level isn't used.
    cells: Vec<Cell>,
    failed: Vec<ChunkId>,
}

impl LevelPlan {
    fn new(level: &SliceLevel, layer: &SliceLayer, points: &SamplePoints, visible: &[Range<usize>; 2], is_linear: bool, lookup: &dyn ChunkLookup) -> Self {
        let bytes_per_voxel = layer.voxel_type.byte_len();
        let Strides(chunk_strides) = chunk_strides(&level.grid, bytes_per_voxel);
        let face = Face::new(&level.grid, bytes_per_voxel, points.plane, chunk_strides);
        let strides = face.as_ref().map_or(chunk_strides, |face| face.strides);
        let extent = level.mag.box_in_mag(&layer.bounding_box).intersect(&level.grid.bounds());
        let axis_map = |on_screen: usize| {
            let axis = points.axis(on_screen);
            AxisMap::new(
                level,
                &AxisRequest {
                    points: &points.at[on_screen],
                    visible: visible[on_screen].clone(),
                    axis,
                    stride: strides[axis],
                    is_linear,
                    extent: extent.topleft[axis]..extent.bottomright()[axis],
                },
            )
        };
        let (columns, rows) = (axis_map(0), axis_map(1));
        let normal = points.plane.normal_axis();
        let voxel = points.slice.div_euclid(level.mag.factors()[normal]);
        let mut plan = Self { mag: level.mag, columns, rows, slice_offset: 0, cells: Vec::new(), failed: Vec::new() };
        if !(extent.topleft[normal]..extent.bottomright()[normal]).contains(&voxel) {
            plan.columns.chunk_at.fill(NO_CHUNK);
            return plan;
        }
        let at_slice = Vec3Int::ZERO.with(normal, voxel);
        let chunk = level.grid.chunk_from_voxel(at_slice).0[normal];
        let in_chunk = voxel.saturating_sub(level.grid.chunk_box(ChunkIndex(Vec3Int::ZERO.with(normal, chunk))).topleft[normal]);
        let offset = usize::try_from(in_chunk).map_or(usize::MAX, |v| v.saturating_mul(chunk_strides[normal]));
        if face.is_none() {
            plan.slice_offset = u32::try_from(offset).unwrap_or(u32::MAX);
        }
        if plan.columns.chunks.len().saturating_mul(plan.rows.chunks.len()) <= MAX_CHUNKS {
            plan.look_up(level, layer.voxel_type, points, chunk, lookup);
        }
        if let Some(face) = face {
            plan.cells.par_iter_mut().for_each(|cell| face.cut(cell, offset));
        }
        plan
    }

    fn look_up(&mut self, level: &SliceLevel, voxel_type: VoxelType, points: &SamplePoints, chunk_on_normal: i64, lookup: &dyn ChunkLookup) {
        let shown = |map: &AxisMap| {
            let mut shown = vec![false; map.chunks.len()];
            for span in &map.spans {
                if let Some(flag) = shown.get_mut(map.chunk_at[span.start as usize] as usize) {
                    *flag = true;
                }
            }
            shown
        };
        let (shown_columns, shown_rows) = (shown(&self.columns), shown(&self.rows));
        self.cells.reserve_exact(self.columns.chunks.len() * self.rows.chunks.len());
        for (row, is_row_shown) in self.rows.chunks.iter().zip(shown_rows) {
            for (column, is_column_shown) in self.columns.chunks.iter().zip(&shown_columns) {
                let position =
                    Vec3Int::ZERO.with(points.axis(0), *column).with(points.axis(1), *row).with(points.plane.normal_axis(), chunk_on_normal);
                let id = ChunkId { source: level.source, chunk: ChunkIndex(position) };
                let cell = Cell::of(lookup.chunk(id), voxel_type, &level.grid);
                if matches!(cell, Cell::Failed) && is_row_shown && *is_column_shown && self.failed.len() < MAX_FAILED_CHUNKS {
                    self.failed.push(id);
                }
                self.cells.push(cell);
            }
        }
    }

    /// State of the chunk with these numbers.
    pub(in crate::scene) fn cell(&self, column: u32, row: u32) -> &Cell {
        if column == NO_CHUNK || row == NO_CHUNK {
            return &Cell::Missing;
        }
        let index = row as usize * self.columns.chunks.len() + column as usize;
        self.cells.get(index).unwrap_or(&Cell::Pending)
    }
}

/// Distances in a chunk; 0 where offsets don't fit 32 bits: such chunks are never decoded, see [`Cell::of`].
fn chunk_strides(grid: &ChunkGrid, bytes_per_voxel: usize) -> Strides {
    let len = grid.chunk_shape().byte_len(bytes_per_voxel);
    let fits = len.is_some_and(|len| u32::try_from(len).is_ok());
    if fits { Strides::canonical(grid.chunk_shape(), bytes_per_voxel) } else { Strides([0; 3]) }
}

/// How the shown slices of chunks are copied out before drawing, where the plane cuts across their rows: each
/// pixel of a row would lie in another memory page, while down the columns neighbours are close together.
struct Face {
    /// Distances in the copy.
    strides: [usize; 3],
    chunk_strides: [usize; 3],
    /// Axes down and to the right.
    axes: [usize; 2],
    /// Voxels along them.
    shape: [usize; 2],
    bytes_per_voxel: usize,
}

impl Face {
    /// `None` where rows of pixels follow rows of chunks, or faces are large.
    fn new(grid: &ChunkGrid, bytes_per_voxel: usize, plane: SlicePlane, chunk_strides: [usize; 3]) -> Option<Self> {
        let axes = [plane.down_axis(), plane.right_axis()];
        let across_rows = axes[1] != 0;
        let shape = Shape3::from(grid.chunk_shape().to_vec().with(plane.normal_axis(), 1).to_array());
        let is_small = shape.voxel_count().is_some_and(|count| count <= MAX_FACE_VOXELS) && chunk_strides[0] > 0;
        if !across_rows || !is_small {
            return None;
        }
        let shape = axes.map(|axis| shape.to_usize()[axis]);
        let mut strides = [0; 3];
        strides[axes[1]] = bytes_per_voxel;
        strides[axes[0]] = bytes_per_voxel * shape[1];
        Some(Self { strides, chunk_strides, axes, shape, bytes_per_voxel })
    }

    /// Replaces a chunk by its slice, which starts at this byte.
    fn cut(&self, cell: &mut Cell, slice_offset: usize) {
        let Cell::Ready(Voxels::Chunk(buffer)) = cell else { return };
        let [down, right] = self.axes;
        // `Cell::of` has checked that the buffer has the grid's shape.
        let Some(source) = buffer.bytes().get(slice_offset..) else { return };
        let mut face = vec![0; self.shape[0] * self.shape[1] * self.bytes_per_voxel];
        let from = Strides([self.chunk_strides[down], self.chunk_strides[right], 0]);
        let to = Strides([self.strides[down], self.strides[right], 0]);
        copy_region(source, from, &mut face, to, [self.shape[0], self.shape[1], 1], self.bytes_per_voxel);
        *cell = Cell::Ready(Voxels::Face(face));
    }
}

/// A run of pixels in one row that are drawn alike.
pub(in crate::scene) struct Piece<'a> {
    /// Columns.
    pub px: Range<usize>,
    /// Where their voxels come from.
    pub from: Origin<'a>,
}

/// Where the voxels of a run of pixels come from.
pub(in crate::scene) enum Origin<'a> {
    /// A decoded chunk of a level.
    Chunk(ChunkRow<'a>),
    /// Nothing is stored: the layer's fill value.
    Fill,
    /// Not known yet.
    Pending,
    /// Can't be shown.
    Failed,
}

/// One row of pixels in a decoded chunk.
pub(in crate::scene) struct ChunkRow<'a> {
    /// Number of the level in the layer; 0 is the chosen one.
    pub level: usize,
    /// Its voxels, whole or only the shown slice.
    pub bytes: &'a [u8],
    /// By column of the image: bytes to add to `start`.
    pub offsets: &'a [u32],
    /// Offset of the row in `bytes`.
    pub start: u32,
}

/// One layer, ready to be drawn.
pub(in crate::scene) struct LayerPlan<'a> {
    pub layer: &'a SliceLayer,
    pub levels: Vec<LevelPlan>,
    /// Columns and rows inside the layer's bounding box.
    visible: [Range<usize>; 2],
}

impl<'a> LayerPlan<'a> {
    /// `None` where the layer has nothing to draw at these points.
    pub fn new(layer: &'a SliceLayer, points: &SamplePoints, is_linear: bool, lookup: &dyn ChunkLookup) -> Option<Self> {
        let bounds = layer.bounding_box;
        let (first, end) = (bounds.topleft, bounds.bottomright());
        let normal = points.plane.normal_axis();
        if !(first[normal]..end[normal]).contains(&points.slice) {
            return None;
        }
        let visible = [0, 1].map(|on_screen| {
            let (at, axis) = (&points.at[on_screen], points.axis(on_screen));
            let before = |limit: i64| at.partition_point(|p| (p.floor() as i64) < limit);
            before(first[axis])..before(end[axis])
        });
        if visible.iter().any(Range::is_empty) {
            return None;
        }
        let mut plan = Self { layer, levels: Vec::new(), visible };
        for level in &layer.levels {
            plan.levels.push(LevelPlan::new(level, layer, points, &plan.visible, is_linear, lookup));
            if !plan.has_gaps() {
                break;
            }
        }
        (!plan.levels.is_empty()).then_some(plan)
    }

    /// Whether a coarser level may have to stand in for the last one.
    fn has_gaps(&self) -> bool {
        let Some(last) = self.levels.last() else { return true };
        let [columns, rows] = self.visible.clone();
        let is_beside = |chunk_at: &[u32]| chunk_at.contains(&NO_CHUNK);
        let is_cut = is_beside(&last.columns.chunk_at[columns]) || is_beside(&last.rows.chunk_at[rows]);
        let (column_count, row_count) = (last.columns.chunks.len(), last.rows.chunks.len());
        let is_skipped = last.cells.is_empty() && column_count > 0 && row_count > 0 && !is_cut;
        let is_chosen = self.levels.len() == 1;
        let is_gap = |cell: &Cell| match cell {
            Cell::Pending => true,
            Cell::Missing | Cell::Failed => !is_chosen,
            Cell::Ready(_) => false,
        };
        is_skipped || (is_cut && !is_chosen) || last.cells.iter().any(is_gap)
    }

    /// Failed chunks of the chosen level that are in sight.
    pub fn failed_chunks(&self) -> &[ChunkId] {
        self.levels.first().map_or(&[], |level| &level.failed)
    }

    /// Bytes of one voxel where a level stores nothing.
    pub fn fill_of(&self, level: usize) -> &[u8] {
        self.layer.levels.get(level).map_or(&[], |level| &level.fill)
    }

    /// The pieces of a row, left to right. Pixels outside the layer's bounding box have none.
    pub fn visit_row<'p>(&'p self, row: usize, visit: &mut impl FnMut(Piece<'p>)) {
        if self.visible[1].contains(&row) {
            self.visit_level(0, row, self.visible[0].clone(), visit);
        }
    }

    fn visit_level<'p>(&'p self, number: usize, row: usize, px: Range<usize>, visit: &mut impl FnMut(Piece<'p>)) {
        let Some(level) = self.levels.get(number) else { return visit(Piece { px, from: Origin::Pending }) };
        let row_chunk = level.rows.chunk_at[row];
        let spans = &level.columns.spans;
        let first = spans.partition_point(|span| span.end as usize <= px.start);
        for span in spans[first..].iter().take_while(|span| (span.start as usize) < px.end) {
            let px = px.start.max(span.start as usize)..px.end.min(span.end as usize);
            match level.cell(level.columns.chunk_at[px.start], row_chunk) {
                Cell::Ready(voxels) => {
                    let bytes = voxels.bytes();
                    let start = level.rows.offsets[row].saturating_add(level.slice_offset);
                    visit(Piece { px, from: Origin::Chunk(ChunkRow { level: number, bytes, offsets: &level.columns.offsets, start }) });
                }
                Cell::Missing if number == 0 => visit(Piece { px, from: Origin::Fill }),
                Cell::Failed if number == 0 => visit(Piece { px, from: Origin::Failed }),
                // What a stand-in lacks or can't show says nothing about the chosen level.
                Cell::Missing | Cell::Failed | Cell::Pending => self.visit_level(number + 1, row, px, visit),
            }
        }
    }

    /// For linear interpolation: neighbours of a column and of a row in a level, and that level.
    pub(in crate::scene) fn neighbors(&self, level: usize) -> Option<LevelNeighbors<'_>> {
        let plan = self.levels.get(level)?;
        Some(LevelNeighbors { plan, columns: &plan.columns.neighbors, rows: &plan.rows.neighbors })
    }
}

/// What interpolation needs of a level.
pub(in crate::scene) struct LevelNeighbors<'a> {
    plan: &'a LevelPlan,
    /// By column.
    pub columns: &'a [Neighbor],
    /// By row.
    pub rows: &'a [Neighbor],
}

impl<'a> LevelNeighbors<'a> {
    /// Chunk that a column's and a row's voxel lie in.
    pub fn own_chunk(&self, column: usize, row: usize) -> (u32, u32) {
        (self.plan.columns.chunk_at[column], self.plan.rows.chunk_at[row])
    }

    /// Bytes from a chunk's start to a row's neighbour.
    pub fn neighbor_start(&self, row: usize) -> u32 {
        self.rows[row].offset.saturating_add(self.plan.slice_offset)
    }

    /// The chunk with these numbers.
    pub fn cell(&self, column: u32, row: u32) -> &'a Cell {
        self.plan.cell(column, row)
    }
}
