//! [`LayerPlan`]: which voxel of which chunk each pixel of one layer shows, worked out before any pixel is
//! drawn. Each chunk is looked up once.

use super::axis_map::{AxisMap, AxisRequest, NO_CHUNK, Neighbor, SamplePoints};
use super::cell::{Cell, Face, chunk_strides};
use crate::geometry::{ChunkIndex, Mag, Vec3Int};
use crate::loading::{ChunkId, ChunkLookup};
use crate::scene::slice::{MAX_FAILED_CHUNKS, SliceLayer, SliceLevel};
use crate::voxel::{Strides, VoxelType};
use rayon::prelude::*;
use std::ops::Range;

/// Most chunks of one level that are looked up for one image. A level of more (chunks of single voxels) is
/// left to its coarser stand-ins.
const MAX_CHUNKS: usize = 1 << 20;

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
    fn new(
        level: &SliceLevel,
        layer: &SliceLayer,
        points: &SamplePoints,
        visible: &[Range<usize>; 2],
        is_linear: bool,
        lookup: &dyn ChunkLookup,
    ) -> Self {
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

    fn look_up(
        &mut self,
        level: &SliceLevel,
        voxel_type: VoxelType,
        points: &SamplePoints,
        chunk_on_normal: i64,
        lookup: &dyn ChunkLookup,
    ) {
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
                let position = Vec3Int::ZERO
                    .with(points.axis(0), *column)
                    .with(points.axis(1), *row)
                    .with(points.plane.normal_axis(), chunk_on_normal);
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
