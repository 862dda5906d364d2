//! Synthetic volumes compared pixel by pixel, and the look of everything that has no data.

use super::test_volume::*;
use super::*;
use crate::geometry::{BoundingBox, Mag, Shape3, SlicePlane, Vec3Int, VoxelSize};
use crate::loading::ChunkState;
use crate::scene::layer_display::{LayerDisplay, ValueWindow};
use crate::scene::pane::PaneView;
use crate::scene::view::ViewState;
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use marks::{FAILED_GROUND, FAILED_LINE, MISSING_DOT};
use std::collections::HashSet;
use std::sync::Arc;

/// Differs along every axis and is nowhere symmetric.
fn byte_at(p: Vec3Int) -> u8 {
    (p.x * 3 + p.y * 7 + p.z * 11 + p.x * p.y * p.z).rem_euclid(251).to_le_bytes()[0]
}

fn uint8() -> VoxelType {
    VoxelType::single(ElementClass::Uint8)
}

#[test]
fn every_pixel_shows_its_voxel_in_all_planes_zooms_and_chunk_shapes() {
    let anisotropic = VoxelSize::new([11.24, 11.24, 28.0], None).expect("valid");
    for chunk_shape in [[8, 8, 8], [5, 7, 3], [64, 64, 64], [40, 30, 1], [1, 1, 1]] {
        let volume = Volume::new(Mag::ONE, chunk_shape, uint8(), |p| vec![byte_at(p)]);
        let layer = volume.layer(LayerCategory::Color);
        for (plane, size) in SlicePlane::ALL.into_iter().flat_map(|p| [(p, VoxelSize::VOXELS), (p, anisotropic)]) {
            for zoom in [0.13, 0.5, 1.0, 1.7] {
                let view = PaneView::new(&ViewState::new(Vec3Int::new(19, 13, 7), zoom), plane, [61, 47], &size);
                let image = compose(&request(view, vec![layer.clone()]), &volume);
                for (px, pixel) in pixels(&image) {
                    let voxel = view.voxel_at(px.map(f64::from));
                    let grey = if layer.bounding_box.contains(voxel) { byte_at(voxel) } else { 0 };
                    assert_eq!(pixel, [grey, grey, grey], "{plane} zoom {zoom} chunk {chunk_shape:?} px {px:?} voxel {voxel}");
                }
            }
        }
    }
}

#[test]
fn large_faces_of_chunks_are_drawn_without_being_copied() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(3, 300, 300));
    let volume = Volume::in_box(Mag::ONE, [3, 300, 300], uint8(), bounds, |p| vec![byte_at(p)]);
    let view = PaneView::new(&ViewState::new(Vec3Int::new(1, 150, 150), 1.0), SlicePlane::Yz, [280, 280], &VoxelSize::VOXELS);
    let image = compose(&request(view, vec![volume.layer(LayerCategory::Color)]), &volume);
    for (px, pixel) in pixels(&image) {
        assert_eq!(pixel[0], byte_at(view.voxel_at(px.map(f64::from))), "{px:?}");
    }
}

#[test]
fn a_voxel_has_the_same_colour_in_all_three_panes() {
    let volume = Volume::new(Mag::ONE, [8, 8, 8], uint8(), |p| vec![byte_at(p)]);
    let center = Vec3Int::new(21, 14, 9);
    for plane in SlicePlane::ALL {
        let view = PaneView::new(&ViewState::new(center, 1.0), plane, [31, 31], &VoxelSize::VOXELS);
        let image = compose(&request(view, vec![volume.layer(LayerCategory::Color)]), &volume);
        let (_, pixel) = pixels(&image).find(|(px, _)| view.voxel_at(px.map(f64::from)) == center).expect("in sight");
        assert_eq!(pixel, [byte_at(center); 3], "{plane}");
    }
}

#[test]
fn coarse_voxels_cover_their_mag_1_voxels_also_at_odd_offsets_and_below_zero() {
    let mag = Mag::new(3, 3, 2).expect("valid");
    let bounds = BoundingBox::new(Vec3Int::new(-5, -4, -3), SHAPE.into());
    let volume = Volume::in_box(mag, [4, 5, 6], uint8(), bounds, |p| vec![byte_at(p)]);
    for plane in SlicePlane::ALL {
        let view = PaneView::new(&ViewState::new(Vec3Int::new(2, 1, -1), 0.7), plane, [60, 50], &VoxelSize::VOXELS);
        let image = compose(&request(view, vec![volume.layer(LayerCategory::Color)]), &volume);
        for (px, pixel) in pixels(&image) {
            let voxel = view.voxel_at(px.map(f64::from));
            let grey = if bounds.contains(voxel) { byte_at(mag.mag_from_mag1(voxel)) } else { 0 };
            assert_eq!(pixel[0], grey, "{plane} {px:?} {voxel}");
        }
        assert_eq!(image.coverage.finest, Some(mag));
    }
}

#[test]
fn holes_are_filled_from_the_first_stand_in_that_is_ready() {
    let mut fine = Volume::new(Mag::ONE, [8, 8, 8], uint8(), |p| vec![byte_at(p)]);
    let mag2 = Mag::new(2, 2, 2).expect("valid");
    let mag4 = Mag::new(4, 4, 4).expect("valid");
    let mut coarse = Volume::new(mag2, [8, 8, 8], uint8(), |_| vec![101]);
    let coarser = Volume::new(mag4, [8, 8, 8], uint8(), |_| vec![202]);
    fine.set([1, 1, 0], ChunkState::Pending); // mag-1 voxels 8..16: in the coarse chunk 0, 0, 0
    fine.set([3, 0, 0], ChunkState::Unknown); // voxels 24..32: in the coarse chunk 1, 0, 0
    coarse.set([1, 0, 0], ChunkState::Pending);
    let layer = SliceLayer { levels: vec![fine.level(), coarse.level(), coarser.level()], ..fine.layer(LayerCategory::Color) };
    let view = PaneView::new(&ViewState::new(Vec3Int::new(20, 15, 4), 1.0), SlicePlane::Xy, [40, 30], &VoxelSize::VOXELS);
    let fine_box = fine.bounds;
    let all = [fine, coarse, coarser];
    let image = compose(&request(view, vec![layer]), &all);
    let mut counts = [0; 3];
    for (px, pixel) in pixels(&image).filter(|(px, _)| fine_box.contains(view.voxel_at(px.map(f64::from)))) {
        let voxel = view.voxel_at(px.map(f64::from));
        let expected = match [voxel.x / 8, voxel.y / 8] {
            [1, 1] => (101, 1),
            [3, 0] => (202, 2),
            _ => (byte_at(voxel), 0),
        };
        assert_eq!(pixel[0], expected.0, "{voxel}");
        counts[expected.1] += 1;
    }
    let Coverage { exact, coarse, pending, missing, failed, failed_chunks, finest } = image.coverage;
    assert_eq!((exact, coarse), (counts[0], counts[1] + counts[2]));
    assert_eq!((pending, missing, failed, failed_chunks.len(), finest), (0, 0, 0, 0, Some(Mag::ONE)));
}

#[test]
fn pending_is_grey_in_colour_and_nothing_in_segmentations() {
    let color = Volume::empty(Mag::ONE, [8, 8, 8], uint8(), &ChunkState::Pending);
    let segmentation = Volume::empty(Mag::ONE, [8, 8, 8], uint8(), &ChunkState::Pending);
    let view = centered(SlicePlane::Xy);
    let image = compose(&request(view, vec![color.layer(LayerCategory::Color), segmentation.layer(LayerCategory::Segmentation)]), &color);
    assert!(pixels(&image).all(|(_, pixel)| pixel == [128; 3]));
    assert_eq!((image.coverage.pending, image.coverage.finest), (2 * 19 * 19, None));
    let image = compose(&request(view, vec![segmentation.layer(LayerCategory::Segmentation)]), &segmentation);
    assert!(pixels(&image).all(|(_, pixel)| pixel == [0; 3]));
}

#[test]
fn missing_is_the_fill_value_and_gets_dots_when_asked_for() {
    let volume = Volume { fill: vec![77], ..Volume::empty(Mag::ONE, [8, 8, 8], uint8(), &ChunkState::Missing) };
    let mut request = request(centered(SlicePlane::Xz), vec![volume.layer(LayerCategory::Color)]);
    let image = compose(&request, &volume);
    assert!(pixels(&image).all(|(_, pixel)| pixel == [77; 3]));
    assert_eq!(image.coverage, Coverage { missing: 361, ..Coverage::default() });
    request.missing_pattern = true;
    let dotted = compose(&request, &volume);
    let count = |image: &SliceImage, color: Rgba| pixels(image).filter(|(_, p)| *p == color[..3]).count();
    assert_eq!(count(&dotted, MISSING_DOT), 9, "one full pixel every 6 of 19 pixels each way");
    assert!(count(&dotted, [77; 4]) > 200);
}

#[test]
fn missing_is_not_filled_from_coarser_mags() {
    let fine = Volume::empty(Mag::ONE, [8, 8, 8], uint8(), &ChunkState::Missing);
    let coarse = Volume::new(Mag::new(2, 2, 2).expect("valid"), [8, 8, 8], uint8(), |_| vec![101]);
    let layer = SliceLayer { levels: vec![fine.level(), coarse.level()], ..fine.layer(LayerCategory::Color) };
    let image = compose(&request(centered(SlicePlane::Xy), vec![layer]), &[fine, coarse]);
    assert!(pixels(&image).all(|(_, pixel)| pixel == [0; 3]));
}

#[test]
fn failed_is_hatched_counted_and_named_even_where_a_coarser_mag_is_ready() {
    let mut fine = Volume::new(Mag::ONE, [8, 8, 8], uint8(), |_| vec![9]);
    let failed_chunk = fine.set([2, 1, 0], failure());
    let out_of_sight = fine.set([4, 3, 0], failure());
    let coarse = Volume::new(Mag::new(2, 2, 2).expect("valid"), [8, 8, 8], uint8(), |_| vec![101]);
    let layer = SliceLayer { levels: vec![fine.level(), coarse.level()], ..fine.layer(LayerCategory::Color) };
    // All of chunk 2, 1 and nothing of chunk 4, 3.
    let view = centered(SlicePlane::Xy);
    let image = compose(&request(view, vec![layer]), &[fine, coarse]);
    let (mut ground, mut line) = (0, 0);
    for (px, pixel) in pixels(&image) {
        let voxel = view.voxel_at(px.map(f64::from));
        if [voxel.x / 8, voxel.y / 8] != [2, 1] {
            assert_eq!(pixel, [9; 3], "{voxel}");
            continue;
        }
        ground += usize::from(pixel == FAILED_GROUND[..3]);
        line += usize::from(pixel == FAILED_LINE[..3]);
    }
    assert!(ground > 30 && line >= 5, "{ground} ground, {line} line");
    assert_eq!((image.coverage.failed, &image.coverage.failed_chunks[..]), (64, &[failed_chunk][..]));
    assert_ne!(failed_chunk, out_of_sight);
}

#[test]
fn a_buffer_of_another_type_or_shape_is_failed_not_garbage() {
    let other = VoxelType::single(ElementClass::Uint16);
    for buffer in [VoxelBuffer::new(other, Shape3::splat(8), vec![1; 1024]), VoxelBuffer::new(uint8(), Shape3::new(8, 8, 4), vec![1; 256])]
    {
        let state = ChunkState::Ready(Arc::new(buffer.expect("right length")));
        let volume = Volume::empty(Mag::ONE, [8, 8, 8], uint8(), &state);
        let image = compose(&request(centered(SlicePlane::Xy), vec![volume.layer(LayerCategory::Color)]), &volume);
        assert_eq!((image.coverage.failed, image.coverage.exact), (361, 0));
    }
}

#[test]
fn nothing_is_drawn_or_looked_up_outside_the_bounding_box() {
    let volume = Volume::new(Mag::ONE, [8, 8, 8], uint8(), |_| vec![200]);
    let bounds = BoundingBox::new(Vec3Int::new(17, 11, 0), Shape3::new(3, 2, 5));
    let layer = SliceLayer { bounding_box: bounds, ..volume.layer(LayerCategory::Color) };
    for z in [4, 5, -1] {
        let view = PaneView::new(&ViewState::new(Vec3Int::new(19, 13, z), 1.0), SlicePlane::Xy, [20, 20], &VoxelSize::VOXELS);
        let image = compose(&request(view, vec![layer.clone()]), &volume);
        for (px, pixel) in pixels(&image) {
            let expected = if bounds.contains(view.voxel_at(px.map(f64::from))) { 200 } else { 0 };
            assert_eq!(pixel, [expected; 3]);
        }
        assert_eq!(image.coverage.exact, if z == 4 { 6 } else { 0 });
    }
    let asked = volume.asked.lock().expect("no panic").len();
    assert_eq!(asked, 1, "voxels 17 to 20 and 11 to 13 lie in chunk 2, 1, 0");
}

#[test]
fn each_chunk_is_looked_up_once() {
    let volume = Volume::new(Mag::ONE, [8, 8, 8], uint8(), |p| vec![byte_at(p)]);
    compose(&request(centered(SlicePlane::Yz), vec![volume.layer(LayerCategory::Color)]), &volume);
    let asked = volume.asked.lock().expect("no panic").clone();
    assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len());
}

#[test]
fn too_many_chunks_are_left_to_the_stand_in() {
    let grid_bounds = Shape3::splat(4000);
    let tiny = Volume::empty_in(Mag::ONE, [1, 1, 1], uint8(), BoundingBox::new(Vec3Int::ZERO, grid_bounds), &ChunkState::Missing);
    let coarse = Volume::empty_in(Mag::new(64, 64, 64).expect("valid"), [64, 64, 64], uint8(), tiny.bounds, &ready(uint8(), [64; 3], &[5]));
    let layer = SliceLayer { levels: vec![tiny.level(), coarse.level()], ..tiny.layer(LayerCategory::Color) };
    let view = PaneView::new(&ViewState::new(Vec3Int::splat(2000), 1.0), SlicePlane::Xy, [1200, 1200], &VoxelSize::VOXELS);
    let image = compose(&request(view, vec![layer]), &[tiny, coarse]);
    assert_eq!(image.coverage.coarse, 1200 * 1200);
}

#[test]
fn colour_layers_add_up_and_clamp() {
    let (a, b) = (Volume::new(Mag::ONE, [8; 3], uint8(), |_| vec![200]), Volume::new(Mag::ONE, [8; 3], uint8(), |_| vec![100]));
    let tinted = |volume: &Volume, color, opacity| {
        let layer = volume.layer(LayerCategory::Color);
        SliceLayer { display: LayerDisplay { color, opacity, ..layer.display.clone() }, ..layer }
    };
    let layers = vec![tinted(&a, [255, 255, 0], 1.0), tinted(&b, [255, 0, 255], 0.5)];
    let image = compose(&request(centered(SlicePlane::Xy), layers), &[a, b]);
    assert!(pixels(&image).all(|(_, pixel)| pixel == [250, 200, 50]));
}

#[test]
fn invisible_layers_leave_no_trace() {
    let volume = Volume::empty(Mag::ONE, [8, 8, 8], uint8(), &failure());
    let layer = volume.layer(LayerCategory::Color);
    let hidden = SliceLayer { display: LayerDisplay { visible: false, ..layer.display.clone() }, ..layer };
    let image = compose(&request(centered(SlicePlane::Xy), vec![hidden]), &volume);
    assert_eq!(image.coverage, Coverage::default());
    assert!(pixels(&image).all(|(_, pixel)| pixel == [0; 3]));
}

#[test]
fn three_channels_of_any_class_are_red_green_and_blue() {
    let rgb16 = VoxelType { class: ElementClass::Uint16, channels: 3 };
    let float = VoxelType { class: ElementClass::Float32, channels: 3 };
    let floats: Vec<u8> = [0.0_f32, 0.5, 1.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let cases = [
        (VoxelType::UINT24, vec![10, 20, 30], (0.0, 255.0), [10, 20, 30]),
        (rgb16, vec![0, 0, 0xff, 0x7f, 0xff, 0xff], (0.0, 65535.0), [0, 127, 255]),
        (float, floats, (0.0, 1.0), [0, 128, 255]),
    ];
    for (voxel_type, voxel, (min, max), expected) in cases {
        let volume = Volume::new(Mag::ONE, [8, 8, 8], voxel_type, |_| voxel.clone());
        let layer = volume.layer(LayerCategory::Color);
        let layer = SliceLayer { display: LayerDisplay { window: ValueWindow::new(min, max), ..layer.display.clone() }, ..layer };
        let image = compose(&request(centered(SlicePlane::Xz), vec![layer]), &volume);
        assert!(pixels(&image).all(|(_, pixel)| pixel == expected), "{voxel_type}: {:?}", pixels(&image).next());
    }
}

#[test]
fn every_class_is_read_by_its_own_bytes() {
    let cases = [
        (ElementClass::Int8, (-128_i8).to_le_bytes().to_vec(), (-128.0, 127.0), 0),
        (ElementClass::Int8, 127_i8.to_le_bytes().to_vec(), (-128.0, 127.0), 255),
        (ElementClass::Uint16, 4300_u16.to_le_bytes().to_vec(), (300.0, 8300.0), 128),
        (ElementClass::Int16, (-1_i16).to_le_bytes().to_vec(), (-1.0, 0.0), 0),
        (ElementClass::Uint32, u32::MAX.to_le_bytes().to_vec(), (0.0, f64::from(u32::MAX)), 255),
        (ElementClass::Int32, i32::MIN.to_le_bytes().to_vec(), (f64::from(i32::MIN), 0.0), 0),
        (ElementClass::Uint64, (1_u64 << 63).to_le_bytes().to_vec(), (0.0, u64::MAX as f64), 128),
        (ElementClass::Int64, i64::MAX.to_le_bytes().to_vec(), (i64::MIN as f64, i64::MAX as f64), 255),
        (ElementClass::Float32, f32::INFINITY.to_le_bytes().to_vec(), (0.0, 1.0), 255),
        (ElementClass::Float32, (-0.0_f32).to_le_bytes().to_vec(), (0.0, 1.0), 0),
        (ElementClass::Float64, 1e300_f64.to_le_bytes().to_vec(), (0.0, 2e300), 128),
        (ElementClass::Float64, (1e9_f64 + 1.0).to_le_bytes().to_vec(), (1e9, 1e9 + 2.0), 128),
    ];
    for (class, voxel, (min, max), expected) in cases {
        let volume = Volume::new(Mag::ONE, [8, 8, 8], VoxelType::single(class), |_| voxel.clone());
        let layer = volume.layer(LayerCategory::Color);
        let layer = SliceLayer { display: LayerDisplay { window: ValueWindow::new(min, max), ..layer.display.clone() }, ..layer };
        let image = compose(&request(centered(SlicePlane::Yz), vec![layer]), &volume);
        assert!(pixels(&image).all(|(_, pixel)| pixel == [expected; 3]), "{class}: {:?}", pixels(&image).next());
    }
}

#[test]
fn linear_interpolation_mixes_within_the_plane_across_chunks_and_not_along_the_normal() {
    let volume = Volume::new(Mag::ONE, [4, 4, 4], uint8(), |p| vec![(p.x * 4 + p.y * 2 + (p.z % 2) * 100).to_le_bytes()[0]]);
    let layer = volume.layer(LayerCategory::Color);
    let layer = SliceLayer { display: LayerDisplay { interpolation: Interpolation::Linear, ..layer.display.clone() }, ..layer };
    let view = PaneView::new(&ViewState::new(Vec3Int::new(12, 12, 8), 0.125), SlicePlane::Xy, [96, 96], &VoxelSize::VOXELS);
    let image = compose(&request(view, vec![layer]), &volume);
    for (px, pixel) in pixels(&image) {
        // A voxel's value stands in its middle.
        let at = [0, 1].map(|axis| view.mag1_from_px(axis, f64::from(px[axis]) + 0.5) - 0.5);
        let expected = at[0] * 4.0 + at[1] * 2.0;
        assert!((f64::from(pixel[0]) - expected).abs() <= 0.51, "{px:?}: {pixel:?}, expected {expected}");
    }
}

#[test]
fn interpolation_takes_what_is_ready_and_leaves_nan_where_it_is() {
    let float = VoxelType::single(ElementClass::Float32);
    let mut volume = Volume::new(Mag::ONE, [4, 4, 4], float, |p| {
        let value = if p.x == 13 && p.y == 13 { f32::NAN } else { 0.5 };
        value.to_le_bytes().to_vec()
    });
    volume.set([2, 3, 1], ChunkState::Pending);
    let layer = volume.layer(LayerCategory::Color);
    let display = LayerDisplay { interpolation: Interpolation::Linear, window: ValueWindow::new(0.0, 1.0), ..layer.display.clone() };
    let view = PaneView::new(&ViewState::new(Vec3Int::new(13, 13, 5), 0.25), SlicePlane::Xy, [40, 40], &VoxelSize::VOXELS);
    let image = compose(&request(view, vec![SliceLayer { display, ..layer }]), &volume);
    for (px, pixel) in pixels(&image) {
        let voxel = view.voxel_at(px.map(f64::from));
        let expected = if voxel == Vec3Int::new(13, 13, 5) { crate::scene::colormap::NAN_COLOR } else { [128; 3] };
        assert_eq!(pixel, expected, "{voxel}"); // pending is the same grey as 0.5
    }
}

#[test]
fn panes_without_pixels_and_requests_without_layers_are_black_not_a_panic() {
    let volume = Volume::new(Mag::ONE, [8, 8, 8], uint8(), |_| vec![1]);
    for shape_px in [[0, 0], [0, 5], [5, 0]] {
        let view = PaneView::new(&ViewState::new(Vec3Int::ZERO, 1.0), SlicePlane::Xy, shape_px, &VoxelSize::VOXELS);
        let image = compose(&request(view, vec![volume.layer(LayerCategory::Color)]), &volume);
        assert_eq!((image.rgba.len(), image.coverage), (0, Coverage::default()));
    }
    let image = compose(&request(centered(SlicePlane::Xy), Vec::new()), &volume);
    assert!(image.rgba.as_chunks::<4>().0.iter().all(|p| *p == [0, 0, 0, 255]));
    let far = PaneView::new(&ViewState::new(Vec3Int::splat(i64::MAX), 1e7), SlicePlane::Xy, [4, 4], &VoxelSize::VOXELS);
    assert_eq!(compose(&request(far, vec![volume.layer(LayerCategory::Color)]), &volume).coverage, Coverage::default());
}
