//! Segmentations: ids to pixels, mixing and pattern.

use super::marks::FAILED_LINE;
use super::test_volume::*;
use super::*;
use crate::geometry::{Mag, SlicePlane, Vec3Int, VoxelSize};
use crate::scene::layer_display::LayerDisplay;
use crate::scene::pane::PaneView;
use crate::scene::segment_color::{GivenColors, SegmentDisplay, segment_color};
use crate::scene::view::ViewState;
use crate::voxel::{ElementClass, VoxelType};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

fn uint8() -> VoxelType {
    VoxelType::single(ElementClass::Uint8)
}

fn segments(voxel_type: VoxelType, id: &[u8], display: SegmentDisplay) -> (Volume, SliceLayer) {
    let volume = Volume::new(Mag::ONE, [8, 8, 8], voxel_type, |_| id.to_vec());
    let layer = volume.layer(LayerCategory::Segmentation);
    let display = LayerDisplay { opacity: 1.0, segments: Arc::new(display), ..layer.display.clone() };
    (volume, SliceLayer { display, ..layer })
}

fn given(given: GivenColors) -> SegmentDisplay {
    SegmentDisplay { given: Arc::new(given), ..flat() }
}

fn flat() -> SegmentDisplay {
    SegmentDisplay { pattern_opacity: 0.0, ..SegmentDisplay::default() }
}

#[test]
fn ids_keep_all_64_bits_and_their_sign_on_the_way_to_a_colour() {
    let u64_type = VoxelType::single(ElementClass::Uint64);
    for id in [1, (1 << 53) + 1, 1 << 32, u64::MAX, 1 << 63] {
        let (volume, layer) = segments(u64_type, &u64::to_le_bytes(id), flat());
        let image = compose(&request(centered(SlicePlane::Xy), vec![layer]), &volume);
        assert!(pixels(&image).all(|(_, pixel)| pixel == segment_color(id, false)), "{id}");
    }
    let (volume, layer) = segments(VoxelType::single(ElementClass::Int16), &(-3_i16).to_le_bytes(), flat());
    let image = compose(&request(centered(SlicePlane::Xy), vec![layer]), &volume);
    assert!(pixels(&image).all(|(_, pixel)| pixel == segment_color(3, false)));
}

#[test]
fn segments_mix_with_colour_by_opacity_hover_adds_a_fifth_and_id_0_leaves_it() {
    let color = Volume::new(Mag::ONE, [8; 3], uint8(), |_| vec![100]);
    let ids = Volume::new(Mag::ONE, [8; 3], uint8(), |p| vec![if p.x < 20 { 0 } else { 8 }]); // 8 is pure red
    let mut layer = ids.layer(LayerCategory::Segmentation);
    layer.display = LayerDisplay { opacity: 0.2, segments: Arc::new(flat()), ..layer.display };
    let view = centered(SlicePlane::Xy);
    let mut request = request(view, vec![color.layer(LayerCategory::Color), layer]);
    let all = [color, ids];
    for (hovered, red, green) in [(None, 131, 80), (Some(8), 162, 60), (Some(9), 131, 80)] {
        request.hovered_segment = hovered;
        for (px, pixel) in pixels(&compose(&request, &all)) {
            let expected = if view.voxel_at(px.map(f64::from)).x < 20 { [100; 3] } else { [red, green, green] };
            assert_eq!(pixel, expected, "{px:?} {hovered:?}");
        }
    }
}

#[test]
fn of_several_segmentations_the_last_with_a_segment_wins_alone() {
    let lower = Volume::new(Mag::ONE, [8; 3], uint8(), |_| vec![8]);
    let upper = Volume::new(Mag::ONE, [8; 3], uint8(), |p| vec![if p.y < 15 { 0 } else { 1 }]);
    let layer = |volume: &Volume| {
        let layer = volume.layer(LayerCategory::Segmentation);
        SliceLayer { display: LayerDisplay { opacity: 0.5, segments: Arc::new(flat()), ..layer.display.clone() }, ..layer }
    };
    let view = centered(SlicePlane::Xy);
    let image = compose(&request(view, vec![layer(&lower), layer(&upper)]), &[lower, upper]);
    for (px, pixel) in pixels(&image) {
        let expected = if view.voxel_at(px.map(f64::from)).y < 15 { [128, 0, 0] } else { [0, 44, 128] };
        assert_eq!(pixel, expected);
    }
}

#[test]
fn hidden_segments_are_transparent_and_custom_colours_replace() {
    let hidden = given(GivenColors { hidden: HashSet::from([5]), ..GivenColors::default() });
    let (volume, layer) = segments(uint8(), &[5], hidden);
    assert!(pixels(&compose(&request(centered(SlicePlane::Xy), vec![layer]), &volume)).all(|(_, p)| p == [0; 3]));
    let custom = given(GivenColors { custom: HashMap::from([(5, [9, 8, 7])]), ..GivenColors::default() });
    let (volume, layer) = segments(uint8(), &[5], custom);
    assert!(pixels(&compose(&request(centered(SlicePlane::Xy), vec![layer]), &volume)).all(|(_, p)| p == [9, 8, 7]));
}

#[test]
fn the_pattern_follows_the_specification_away_from_borders() {
    // Id 1: hue 0, 87, 255; frequency 5/6, angle 9/17, with grid.
    let (volume, layer) = segments(uint8(), &[1], SegmentDisplay::default());
    let anisotropic = VoxelSize::new([1.0, 1.0, 2.5], None).expect("valid");
    for plane in SlicePlane::ALL {
        let view = PaneView::new(&ViewState::new(Vec3Int::new(20, 15, 10), 0.25), plane, [80, 80], &anisotropic);
        let mut request = request(view, vec![layer.clone()]);
        (request.voxel_size, request.zoom) = (anisotropic, 0.25);
        let image = compose(&request, &volume);
        let (mut on, mut off) = (0, 0);
        for (px, pixel) in pixels(&image).filter(|(_, p)| *p != [0; 3]) {
            let along = |i: usize| {
                let scale = anisotropic.anisotropy(view.volume_axis(i));
                view.mag1_from_px(i, f64::from(px[i]) + 0.5) * scale * 0.15 * (5.0 / 6.0)
            };
            let (u, v, angle) = (along(0), along(1), 9.0 / 17.0);
            let fracts = [u * (1.0 - angle) + v * angle, u * angle - v * (1.0 - angle)].map(|t: f64| t.rem_euclid(1.0));
            if fracts.iter().any(|f| (f % 0.5 - 0.25).abs() > 0.22) {
                continue; // within a pixel of a border
            }
            let is_on = fracts.iter().any(|f| *f > 0.5);
            // S 0.8 on stripes, V 0.8 beside them.
            assert_eq!(pixel, if is_on { [51, 121, 255] } else { [0, 70, 204] }, "{plane} {px:?}");
            (on, off) = (on + usize::from(is_on), off + usize::from(!is_on));
        }
        assert!(on > 100 && off > 30, "{on} {off}");
    }
}

#[test]
fn a_failed_segmentation_leaves_the_colour_between_its_lines() {
    let color = Volume::new(Mag::ONE, [8; 3], uint8(), |_| vec![100]);
    let ids = Volume::empty(Mag::ONE, [8; 3], uint8(), &failure());
    let layers = vec![color.layer(LayerCategory::Color), ids.layer(LayerCategory::Segmentation)];
    let image = compose(&request(centered(SlicePlane::Xy), layers), &[color, ids]);
    assert!(pixels(&image).filter(|(_, p)| *p == [100; 3]).count() > 200);
    assert!(pixels(&image).any(|(_, p)| p == FAILED_LINE[..3]));
}
