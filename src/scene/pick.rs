//! [`pick`]: the voxel under the pointer, as it is drawn, with its exact value.

use super::colormap::ColorTable;
use super::compose::{id_is_signed, id_of_voxel, voxel_color};
use super::slice::{SliceLayer, SliceLevel};
use crate::format::{ChunkError, LayerCategory};
use crate::geometry::{Mag, Vec3Int};
use crate::loading::{ChunkId, ChunkLookup, ChunkState};
use std::sync::Arc;

/// One layer's voxel at a position.
#[derive(Clone, Debug)]
pub struct Pick {
    /// The level it was taken from: the chosen one, or the stand-in that is drawn there.
    pub mag: Mag,
    /// The voxel, in that level.
    pub pos_in_mag: Vec3Int,
    /// Its value, or why there is none.
    pub state: PickState,
}

/// What is known of a voxel.
#[derive(Clone, Debug)]
pub enum PickState {
    /// It is loaded.
    Value(PickedValue),
    /// Not loaded yet, in no level.
    Pending,
    /// Not stored: the layer's fill value.
    Missing(PickedValue),
    /// Its chunk can't be shown, and why; `None` where the chunk doesn't fit its layer's type or grid.
    Failed(Option<Arc<ChunkError>>),
    /// Outside the layer's bounding box.
    Outside,
}

/// A voxel's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedValue {
    /// All channels, exact: every digit of ids and floats.
    pub text: String,
    /// The segment's id by its 64 bits, sign-extended (of the first channel). `None` in colour layers.
    pub id: Option<u64>,
    /// Its colour: the layer's, without what other layers add, segments without pattern and opacity.
    pub color: [u8; 3],
}

/// The voxel of a layer at a mag-1 position, by the rules of [`compose`](super::compose()): from the chosen
/// level, or from the first stand-in that is loaded while the chosen level's chunk isn't.
pub fn pick(layer: &SliceLayer, pos_mag1: Vec3Int, lookup: &dyn ChunkLookup) -> Pick {
    let Some(chosen) = layer.levels.first() else {
        return Pick { mag: Mag::ONE, pos_in_mag: pos_mag1, state: PickState::Outside };
    };
    let in_chosen = |state| Pick { mag: chosen.mag, pos_in_mag: chosen.mag.mag_from_mag1(pos_mag1), state };
    if !layer.bounding_box.contains(pos_mag1) {
        return in_chosen(PickState::Outside);
    }
    match look_up(layer, chosen, pos_mag1, lookup) {
        PickState::Pending => {}
        state @ (PickState::Value(_) | PickState::Missing(_) | PickState::Failed(_) | PickState::Outside) => return in_chosen(state),
    }
    let stand_in = layer.levels[1..].iter().find_map(|level| match look_up(layer, level, pos_mag1, lookup) {
        state @ PickState::Value(_) => Some(Pick { mag: level.mag, pos_in_mag: level.mag.mag_from_mag1(pos_mag1), state }),
        PickState::Pending | PickState::Missing(_) | PickState::Failed(_) | PickState::Outside => None,
    });
    stand_in.unwrap_or_else(|| in_chosen(PickState::Pending))
}

fn look_up(layer: &SliceLayer, level: &SliceLevel, pos_mag1: Vec3Int, lookup: &dyn ChunkLookup) -> PickState {
    let pos_in_mag = level.mag.mag_from_mag1(pos_mag1);
    let missing = || PickState::Missing(picked_value(layer, &level.fill));
    if !level.grid.bounds().contains(pos_in_mag) {
        return missing();
    }
    let chunk = level.grid.chunk_from_voxel(pos_in_mag);
    match lookup.chunk(ChunkId { source: level.source, chunk }) {
        ChunkState::Unknown | ChunkState::Pending => PickState::Pending,
        ChunkState::Missing => missing(),
        ChunkState::Failed(error) => PickState::Failed(Some(error)),
        ChunkState::Ready(buffer) => {
            let fits = buffer.voxel_type() == layer.voxel_type && buffer.shape() == level.grid.chunk_shape();
            let voxel = buffer.voxel(pos_in_mag - level.grid.chunk_box(chunk).topleft).filter(|_| fits);
            voxel.map_or(PickState::Failed(None), |voxel| PickState::Value(picked_value(layer, voxel)))
        }
    }
}

fn picked_value(layer: &SliceLayer, voxel: &[u8]) -> PickedValue {
    let voxel_type = layer.voxel_type;
    let text = voxel_type.format_voxel(voxel);
    match layer.category {
        LayerCategory::Segmentation => {
            let id = id_of_voxel(voxel_type, voxel);
            let color = if id == 0 { [0; 3] } else { layer.display.segments.color(id, id_is_signed(voxel_type)) };
            PickedValue { text, id: Some(id), color }
        }
        LayerCategory::Color => {
            let table = ColorTable::new(voxel_type.class, voxel_type.is_rgb(), &layer.display);
            let [r, g, b, _] = voxel_color(&table, voxel_type, voxel);
            PickedValue { text, id: None, color: [r, g, b] }
        }
    }
}
