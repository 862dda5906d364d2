//! Cells of the map: which part of a grid is seen, and what is merged into each cell. No painting here.

use crate::format::{ShardLayout, SpanState};
use crate::geometry::{BoundingBox, ShardIndex, SlicePlane, Vec3Int};
use crate::state::ShardFile;
use std::collections::BTreeMap;

/// Cells are at least this large; more are merged.
pub(super) const MIN_CELL: f32 = 4.0;
/// Few cells don't become larger than this.
const MAX_CELL: f32 = 72.0;

/// The part of a grid of shards or chunks that the map shows: one layer of it along a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MapArea {
    plane: SlicePlane,
    /// All indices that exist.
    range: BoundingBox,
    /// Index along the plane's normal.
    layer: i64,
    /// Indices per side that are merged into one cell.
    block: i64,
    /// Columns and rows of cells.
    shape: [usize; 2],
    cell_size: f32,
}

impl MapArea {
    /// The layer of `range` next to `layer`, with cells as large as the room allows. `None` for an empty range.
    pub(super) fn new(plane: SlicePlane, range: BoundingBox, layer: i64, room: egui::Vec2) -> Option<Self> {
        if range.is_empty() {
            return None;
        }
        let axis = plane.normal_axis();
        let layer = layer.clamp(range.topleft[axis], range.bottomright()[axis] - 1);
        let extent = [range.shape.along(plane.right_axis()), range.shape.along(plane.down_axis())];
        let most = [room.x, room.y].map(|side| (side / MIN_CELL).floor().max(1.0) as i64);
        let mut block = 1_i64;
        while block < 1 << 62 && (0..2).any(|i| cells_along(extent[i], block) > most[i]) {
            block *= 2;
        }
        let cells = extent.map(|extent| cells_along(extent, block));
        let fitting = (room.x / cells[0] as f32).min(room.y / cells[1] as f32).floor();
        let shape = cells.map(|cells| usize::try_from(cells).unwrap_or(0)); // at most the room in points
        Some(Self { plane, range, layer, block, shape, cell_size: fitting.clamp(1.0, MAX_CELL) })
    }

    pub(super) const fn layer(&self) -> i64 {
        self.layer
    }

    pub(super) const fn block(&self) -> i64 {
        self.block
    }

    pub(super) const fn shape(&self) -> [usize; 2] {
        self.shape
    }

    pub(super) const fn cell_size(&self) -> f32 {
        self.cell_size
    }

    /// Size of all cells together.
    pub(super) fn size(&self) -> egui::Vec2 {
        egui::vec2(self.shape[0] as f32, self.shape[1] as f32) * self.cell_size
    }

    /// Axis of the grid that runs along screen axis 0 (right) or 1 (down).
    const fn axis(&self, screen_axis: usize) -> usize {
        if screen_axis == 0 { self.plane.right_axis() } else { self.plane.down_axis() }
    }

    /// First index of the range along screen axis 0 or 1.
    pub(super) fn first(&self, screen_axis: usize) -> i64 {
        self.range.topleft[self.axis(screen_axis)]
    }

    /// Column and row of the cell that holds an index; `None` outside of the shown layer.
    pub(super) fn cell_of(&self, index: Vec3Int) -> Option<[usize; 2]> {
        if index[self.plane.normal_axis()] != self.layer || !self.range.contains(index) {
            return None;
        }
        let cell = [0, 1].map(|i| (index[self.axis(i)] - self.first(i)) / self.block);
        Some([usize::try_from(cell[0]).ok()?, usize::try_from(cell[1]).ok()?])
    }

    /// The indices of a cell: one layer thick, cut at the end of the range.
    pub(super) fn indices_of(&self, cell: [usize; 2]) -> BoundingBox {
        let normal = self.plane.normal_axis();
        let mut first = Vec3Int::ZERO.with(normal, self.layer);
        let mut end = Vec3Int::ZERO.with(normal, self.layer + 1);
        for (i, at) in cell.into_iter().enumerate() {
            let at = i64::try_from(at).unwrap_or(i64::MAX);
            first[self.axis(i)] = self.first(i).saturating_add(at.saturating_mul(self.block));
            end[self.axis(i)] = first[self.axis(i)].saturating_add(self.block);
        }
        BoundingBox::between(first, end).intersect(&self.range)
    }

    /// Where a continuous index along screen axis 0 or 1 lies, in points from the first cell's edge.
    pub(super) fn points_from_index(&self, screen_axis: usize, index: f64) -> f32 {
        ((index - self.first(screen_axis) as f64) / self.block as f64 * f64::from(self.cell_size)) as f32
    }
}

fn cells_along(extent: i64, block: i64) -> i64 {
    extent / block + i64::from(extent % block != 0)
}

/// What is known of one shard or chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Takes so many bytes.
    Stored(u64),
    /// Stored without bytes: all fill value.
    Empty,
    /// Not stored.
    Missing,
    /// Can't be read.
    Failed,
}

/// All that was merged into a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) stored: u64,
    pub(super) stored_bytes: u64,
    pub(super) empty: u64,
    pub(super) missing: u64,
    pub(super) failed: u64,
}

impl Summary {
    fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Stored(bytes) => {
                self.stored += 1;
                self.stored_bytes = self.stored_bytes.saturating_add(bytes);
            }
            Entry::Empty => self.empty += 1,
            Entry::Missing => self.missing += 1,
            Entry::Failed => self.failed += 1,
        }
    }

    /// What the cell looks like: what failed is never hidden by what didn't.
    pub(super) fn look(&self) -> Look {
        match self {
            Self { failed: 1.., .. } => Look::Failed,
            Self { stored: 1.., stored_bytes, .. } => Look::Stored(stored_bytes / self.stored),
            Self { empty: 1.., .. } => Look::Empty,
            Self { missing: 1.., .. } => Look::Missing,
            Self { .. } => Look::Pending,
        }
    }
}

/// The state that a cell shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// With the mean of its bytes.
    Stored(u64),
    Empty,
    Missing,
    Failed,
    /// Nothing is known yet.
    Pending,
}

/// The cells of an area, row by row, and what occurs in them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MapCells {
    pub(super) area: MapArea,
    pub(super) cells: Vec<Summary>,
    /// Least and most bytes of a shard or chunk, in all layers, so that colours stay when the layer changes.
    pub(super) bytes_range: Option<(u64, u64)>,
    pub(super) total: Summary,
}

impl MapCells {
    fn new(area: MapArea, entries: impl Iterator<Item = (Vec3Int, Entry)>) -> Self {
        let [columns, rows] = area.shape();
        let mut map = Self { area, cells: vec![Summary::default(); columns * rows], bytes_range: None, total: Summary::default() };
        for (index, entry) in entries {
            if let Entry::Stored(bytes) = entry {
                let (least, most) = map.bytes_range.unwrap_or((bytes, bytes));
                map.bytes_range = Some((least.min(bytes), most.max(bytes)));
            }
            let Some([column, row]) = area.cell_of(index) else { continue };
            map.total.add(entry);
            if let Some(cell) = map.cells.get_mut(row * columns + column) {
                cell.add(entry);
            }
        }
        map
    }

    /// Shards that were looked at.
    pub(super) fn of_shards(area: MapArea, shards: &BTreeMap<ShardIndex, ShardFile>) -> Self {
        let entry = |file: &ShardFile| match file {
            ShardFile::Present(len) => Entry::Stored(*len),
            ShardFile::Absent => Entry::Missing,
            ShardFile::Unreadable(_) => Entry::Failed,
        };
        Self::new(area, shards.iter().map(|(shard, file)| (shard.0, entry(file))))
    }

    /// Chunks of one shard.
    pub(super) fn of_chunks(area: MapArea, layout: &ShardLayout) -> Self {
        let entry = |state: SpanState| match state {
            SpanState::Present(range) => Entry::Stored(range.len),
            SpanState::Empty => Entry::Empty,
            SpanState::Corrupt => Entry::Failed,
        };
        Self::new(area, layout.spans.iter().map(|span| (span.chunk.0, entry(span.state))))
    }

    /// An area in which everything is in the same state; nothing is known without one.
    pub(super) fn uniform(area: MapArea, entry: Option<Entry>) -> Self {
        let mut map = Self::new(area, std::iter::empty());
        if let Some(entry) = entry {
            for cell in &mut map.cells {
                cell.add(entry);
                map.total.add(entry);
            }
        }
        map
    }

    pub(super) fn cell(&self, [column, row]: [usize; 2]) -> Option<&Summary> {
        let [columns, _] = self.area.shape();
        (column < columns).then(|| self.cells.get(row * columns + column)).flatten()
    }

    /// Whether a cell of the area is in no known state.
    pub(super) fn has_pending(&self) -> bool {
        self.cells.iter().any(|cell| cell.look() == Look::Pending)
    }

    /// Position of a number of bytes on the ramp, 0 to 1.
    pub(super) fn ramp_position(&self, bytes: u64) -> f32 {
        let Some((least, most)) = self.bytes_range.filter(|(least, most)| most > least) else { return 0.5 };
        (bytes.saturating_sub(least) as f64 / (most - least) as f64) as f32
    }
}

/// Distance between the labels of a ruler, in indices: each cell, or each fourth, sixteenth, …
pub(super) fn ruler_step(area: &MapArea, label_size: f32) -> i64 {
    let mut cells = 1_i64;
    while (cells as f32) * area.cell_size() < label_size && cells < 1 << 30 {
        cells *= 4;
    }
    cells.saturating_mul(area.block())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Shape3;
    use egui::vec2;

    fn range(x: i64, y: i64, z: i64) -> BoundingBox {
        BoundingBox::new(Vec3Int::ZERO, Shape3::new(x, y, z))
    }

    #[test]
    fn a_dozen_shards_get_large_cells() {
        let area = MapArea::new(SlicePlane::Xy, range(12, 9, 3), 1, vec2(312.0, 300.0)).expect("not empty");
        assert_eq!((area.shape(), area.block(), area.cell_size()), ([12, 9], 1, 26.0));
        assert_eq!(area.cell_of(Vec3Int::new(11, 8, 1)), Some([11, 8]));
        assert_eq!(area.cell_of(Vec3Int::new(11, 8, 2)), None);
    }

    #[test]
    fn planes_swap_axes() {
        let area = MapArea::new(SlicePlane::Yz, range(12, 9, 3), 7, vec2(300.0, 300.0)).expect("not empty");
        assert_eq!(area.shape(), [3, 9]);
        assert_eq!(area.cell_of(Vec3Int::new(7, 5, 2)), Some([2, 5]));
    }

    #[test]
    fn many_shards_are_merged_until_cells_are_large_enough() {
        let area = MapArea::new(SlicePlane::Xy, range(400, 250, 1), 0, vec2(300.0, 300.0)).expect("not empty");
        assert_eq!((area.block(), area.shape()), (8, [50, 32]));
        assert!(area.cell_size() >= MIN_CELL);
        assert_eq!(area.indices_of([49, 31]), BoundingBox::new(Vec3Int::new(392, 248, 0), Shape3::new(8, 2, 1)));
    }

    #[test]
    fn the_largest_grids_neither_overflow_nor_take_memory() {
        let huge = BoundingBox::new(Vec3Int::splat(-(1 << 61)), Shape3::splat(1 << 62));
        for room in [vec2(0.0, 0.0), vec2(4000.0, 3000.0)] {
            let area = MapArea::new(SlicePlane::Xz, huge, i64::MAX, room).expect("not empty");
            assert!(area.shape()[0] <= 1000 && area.shape()[1] <= 1000);
            assert!(area.cell_of(Vec3Int::new(0, area.layer(), 0)).is_some());
        }
    }

    #[test]
    fn what_failed_is_seen_also_in_merged_cells() {
        let area = MapArea::new(SlicePlane::Xy, range(64, 64, 1), 0, vec2(64.0, 64.0)).expect("not empty");
        let at = |x, y, file| (ShardIndex(Vec3Int::new(x, y, 0)), file);
        let shards = BTreeMap::from([
            at(0, 0, ShardFile::Present(10)),
            at(1, 0, ShardFile::Present(30)),
            at(8, 0, ShardFile::Present(9)),
            at(9, 1, ShardFile::Unreadable("no".to_owned())),
            at(63, 63, ShardFile::Absent),
        ]);
        let map = MapCells::of_shards(area, &shards);
        assert_eq!(map.cell([0, 0]).map(Summary::look), Some(Look::Stored(20)));
        assert_eq!(map.cell([2, 0]).map(Summary::look), Some(Look::Failed));
        assert_eq!(map.cell([15, 15]).map(Summary::look), Some(Look::Missing));
        assert_eq!(map.cell([5, 5]).map(Summary::look), Some(Look::Pending));
        assert_eq!(map.bytes_range, Some((9, 30)));
        assert_eq!((map.total.stored, map.total.missing, map.total.failed), (3, 1, 1));
        assert!(map.has_pending());
    }

    #[test]
    fn rulers_have_room_for_their_labels() {
        let area = |cells| MapArea::new(SlicePlane::Xy, range(cells, cells, 1), 0, vec2(320.0, 320.0)).expect("not empty");
        assert_eq!(ruler_step(&area(12), 20.0), 1);
        assert_eq!(ruler_step(&area(32), 20.0), 4);
        assert_eq!(ruler_step(&area(640), 30.0), 16 * 8);
    }
}
