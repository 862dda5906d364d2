//! [`View`]: what a frame of the map is made of, and where its indices lie.

use super::cells::MapCells;
use crate::format::ChunkSource;
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Mag, MagLabel, ShardIndex, SlicePlane, Vec3Int};
use crate::state::{AppContext, LayoutState};
use crate::ui::theme::Plane;

/// What is shown: everything a frame of the map is made of.
pub(super) struct View<'a> {
    pub(super) ctx: &'a AppContext<'a>,
    pub(super) layer_name: &'a str,
    pub(super) label: MagLabel,
    pub(super) mag: Mag,
    pub(super) source: &'a dyn ChunkSource,
    pub(super) plane: SlicePlane,
    /// Centre of the view, in voxels of the level.
    pub(super) center: Vec3Int,
    /// Extent of the layer, in voxels of the level.
    pub(super) extent: BoundingBox,
    /// The shard whose chunks are shown, instead of all shards.
    pub(super) opened: Option<ShardIndex>,
}

impl View<'_> {
    pub(super) fn layout(&self) -> &LayoutState {
        &self.ctx.state.layout
    }

    pub(super) fn grid(&self) -> &ChunkGrid {
        self.source.grid()
    }

    pub(super) fn shard_range(&self) -> BoundingBox {
        self.grid().shard_range(&self.extent)
    }

    pub(super) fn current_shard(&self) -> ShardIndex {
        self.grid().shard_from_voxel(self.center)
    }

    /// Indices that the map spans: those of all shards, or of the chunks of the opened one.
    pub(super) fn range(&self) -> BoundingBox {
        match self.opened {
            None => self.shard_range(),
            Some(shard) => BoundingBox::new(self.grid().first_chunk_of(shard).0, self.grid().chunks_per_shard()),
        }
    }

    /// Voxels of one index along an axis.
    pub(super) fn voxels_along(&self, axis: usize) -> i64 {
        let shape = if self.opened.is_some() { self.grid().chunk_shape() } else { self.grid().shard_shape() };
        shape.along(axis).max(1)
    }

    /// The continuous index at a voxel of the level, from a voxel of which the index is known.
    pub(super) fn index_from_voxel(&self, axis: usize, voxel: i64) -> f64 {
        let first = self.range().topleft;
        let origin = match self.opened {
            None => self.grid().shard_box(ShardIndex(first)).topleft,
            Some(_) => self.grid().chunk_box(ChunkIndex(first)).topleft,
        };
        first[axis] as f64 + voxel.saturating_sub(origin[axis]) as f64 / self.voxels_along(axis) as f64
    }

    /// An index as rulers show it: chunks count from their shard's first.
    pub(super) fn label_of(&self, axis: usize, index: i64) -> String {
        match self.opened {
            None => index.to_string(),
            Some(shard) => (index - self.grid().first_chunk_of(shard).0[axis]).to_string(),
        }
    }

    pub(super) fn title(&self, layer: Option<i64>) -> String {
        let normal = self.plane.normal_axis();
        let axis = ["x", "y", "z"][normal]; // an axis of three
        let start = format!("{} · mag {}", self.layer_name, self.label);
        let at = layer.map_or_else(String::new, |layer| format!(" {}", self.label_of(normal, layer)));
        match self.opened {
            None => format!("{start} · shard {axis}{at}"),
            Some(shard) => format!("{start} · shard {shard} · chunk {axis}{at}"),
        }
    }

    pub(super) fn spoken(&self, cells: &MapCells) -> String {
        let total = &cells.total;
        let what = if self.opened.is_some() { "chunks" } else { "shards" };
        let mut parts = vec![format!("{} {what} stored", total.stored)];
        for (number, state) in [(total.empty, "empty"), (total.missing, "missing"), (total.failed, "failed")] {
            if number > 0 {
                parts.push(format!("{number} {state}"));
            }
        }
        format!("Map of {}, {}", self.title(Some(cells.area.layer())), parts.join(", "))
    }
}

/// The colours' own name of a plane.
pub(super) fn plane_look(plane: SlicePlane) -> Plane {
    match plane {
        SlicePlane::Xy => Plane::Xy,
        SlicePlane::Yz => Plane::Yz,
        SlicePlane::Xz => Plane::Xz,
    }
}
