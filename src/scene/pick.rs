//! [`pick`]: the voxel under the pointer, as it is drawn, with its exact value.

use super::compose::layer_colors::color_of_voxel;
use super::compose::{id_is_signed, id_of_voxel};
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
    /// Its colour: the layer's, without what other layers add, segments without pattern and opacity, hidden
    /// ones black as background is.
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
            let segments = &layer.display.segments;
            let color = if id == 0 || segments.is_hidden(id) { [0; 3] } else { segments.color(id, id_is_signed(voxel_type)) };
            PickedValue { text, id: Some(id), color }
        }
        LayerCategory::Color => {
            let [r, g, b, _] = color_of_voxel(voxel_type, &layer.display, voxel);
            PickedValue { text, id: None, color: [r, g, b] }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::BoundingBox;
    use crate::scene::compose::test_volume::{Volume, failure};
    use crate::scene::layer_display::{LayerDisplay, ValueWindow};
    use crate::scene::segment_color::segment_color;
    use crate::voxel::{ElementClass, VoxelType};

    fn value(pick: &Pick) -> PickedValue {
        match &pick.state {
            PickState::Value(value) => value.clone(),
            PickState::Pending | PickState::Missing(_) | PickState::Failed(_) | PickState::Outside => panic!("no value: {pick:?}"),
        }
    }

    #[test]
    fn ids_are_exact_in_text_bits_and_colour() {
        let id = (1_u64 << 53) + 1;
        let volume = Volume::new(Mag::ONE, [8; 3], VoxelType::single(ElementClass::Uint64), |p| {
            (if p == Vec3Int::new(9, 3, 17) { id } else { 0 }).to_le_bytes().to_vec()
        });
        let layer = volume.layer(LayerCategory::Segmentation);
        let picked = pick(&layer, Vec3Int::new(9, 3, 17), &volume);
        assert_eq!((picked.mag, picked.pos_in_mag), (Mag::ONE, Vec3Int::new(9, 3, 17)));
        assert_eq!(value(&picked), PickedValue { text: id.to_string(), id: Some(id), color: segment_color(id, false) });
        let beside = value(&pick(&layer, Vec3Int::new(9, 4, 17), &volume));
        assert_eq!(beside, PickedValue { text: "0".to_owned(), id: Some(0), color: [0; 3] });
    }

    #[test]
    fn negative_ids_keep_their_sign() {
        let volume = Volume::new(Mag::ONE, [8; 3], VoxelType::single(ElementClass::Int32), |_| (-7_i32).to_le_bytes().to_vec());
        let picked = value(&pick(&volume.layer(LayerCategory::Segmentation), Vec3Int::ZERO, &volume));
        assert_eq!((picked.text.as_str(), picked.id, picked.color), ("-7", Some((-7_i64).cast_unsigned()), segment_color(7, false)));
    }

    #[test]
    fn colours_are_those_that_are_drawn() {
        let volume = Volume::new(Mag::ONE, [8; 3], VoxelType::single(ElementClass::Uint16), |_| 300_u16.to_le_bytes().to_vec());
        let layer = volume.layer(LayerCategory::Color);
        let display = LayerDisplay { window: ValueWindow::new(200.0, 400.0), ..layer.display.clone() };
        let picked = value(&pick(&SliceLayer { display, ..layer }, Vec3Int::ZERO, &volume));
        assert_eq!(picked, PickedValue { text: "300".to_owned(), id: None, color: [128; 3] });
    }

    #[test]
    fn a_stand_in_answers_while_the_chosen_level_is_pending() {
        let uint8 = VoxelType::single(ElementClass::Uint8);
        let mag2 = Mag::new(2, 2, 1).expect("valid");
        let fine = Volume::empty(Mag::ONE, [8; 3], uint8, &ChunkState::Unknown);
        let coarse = Volume::new(mag2, [8; 3], uint8, |p| vec![(p.x + 10 * p.y).to_le_bytes()[0]]);
        let layer = SliceLayer { levels: vec![fine.level(), coarse.level()], ..fine.layer(LayerCategory::Color) };
        let picked = pick(&layer, Vec3Int::new(7, 4, 2), &[fine, coarse]);
        assert_eq!((picked.mag, picked.pos_in_mag), (mag2, Vec3Int::new(3, 2, 2)));
        assert_eq!(value(&picked).text, "23");
    }

    #[test]
    fn places_without_a_value_say_why() {
        let uint8 = VoxelType::single(ElementClass::Uint8);
        let mut volume = Volume::empty(Mag::ONE, [8; 3], uint8, &ChunkState::Missing);
        volume.fill = vec![9];
        volume.set([1, 0, 0], failure());
        volume.set([2, 0, 0], ChunkState::Pending);
        let coarse = Volume::empty(Mag::new(2, 2, 2).expect("valid"), [8; 3], uint8, &ChunkState::Missing);
        let mut layer = volume.layer(LayerCategory::Color);
        layer.levels.push(coarse.level());
        layer.bounding_box = BoundingBox::between(Vec3Int::ZERO, Vec3Int::new(30, 30, 20));
        let both = [volume, coarse];
        let at = |x: i64| pick(&layer, Vec3Int::new(x, 0, 0), &both).state;
        assert!(matches!(at(0), PickState::Missing(PickedValue { text, .. }) if text == "9"));
        assert!(matches!(at(8), PickState::Failed(Some(_))));
        assert!(matches!(at(16), PickState::Pending));
        assert!(matches!(at(30), PickState::Outside));
        assert!(matches!(at(-1), PickState::Outside));
    }
}
