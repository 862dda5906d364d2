//! Pixels of layers with several channels, and of classes that only some formats have.

use super::test_volume::*;
use super::*;
use crate::format::LayerCategory::Color;
use crate::geometry::{Mag, SlicePlane, Vec3Int};
use crate::scene::NAN_COLOR;
use crate::scene::layer_display::{LayerDisplay, ValueWindow};
use crate::voxel::{ElementClass, VoxelType};
use half::f16;
use std::sync::Arc;

const fn channels(class: ElementClass, channels: u32) -> VoxelType {
    VoxelType { class, channels }
}

/// The colour of the middle of a pane in which all voxels are alike.
fn color_of(voxel_type: VoxelType, voxel: &[u8], change: impl FnOnce(&mut LayerDisplay)) -> [u8; 3] {
    let volume = Volume::new(Mag::ONE, [8; 3], voxel_type, |_| voxel.to_vec());
    let mut layer = volume.layer(Color);
    change(&mut layer.display);
    let image = compose(&request(centered(SlicePlane::Xy), vec![layer]), &volume);
    let all: Vec<_> = pixels(&image).map(|(_, rgb)| rgb).collect();
    assert!(all.iter().all(|rgb| *rgb == all[0]));
    all[0]
}

fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn two_channels_are_magenta_and_green() {
    let two = channels(ElementClass::Uint8, 2);
    assert_eq!(color_of(two, &[100, 0], |_| {}), [100, 0, 100]);
    assert_eq!(color_of(two, &[100, 30], |_| {}), [100, 30, 100]);
    assert_eq!(color_of(two, &[100, 30], |d| Arc::make_mut(&mut d.channels)[0].visible = false), [0, 30, 0]);
    let all_off = |d: &mut LayerDisplay| Arc::make_mut(&mut d.channels).iter_mut().for_each(|c| c.visible = false);
    assert_eq!(color_of(two, &[100, 30], all_off), [0; 3]);
}

#[test]
fn four_channels_are_summed_and_clamped_before_the_opacity() {
    let four = channels(ElementClass::Uint8, 4);
    // Cyan 10, yellow 20, magenta 40, red 80.
    assert_eq!(color_of(four, &[10, 20, 40, 80], |_| {}), [140, 30, 50]);
    assert_eq!(color_of(four, &[0, 200, 200, 200], |_| {}), [255, 200, 200]);
    assert_eq!(color_of(four, &[0, 200, 200, 200], |d| d.opacity = 0.5), [128, 100, 100]);
    // One more than is unrolled: green.
    assert_eq!(color_of(channels(ElementClass::Uint8, 5), &[10, 20, 40, 80, 7], |_| {}), [140, 37, 50]);
}

#[test]
fn each_channel_has_its_window_colour_and_inversion() {
    let change = |d: &mut LayerDisplay| {
        let channels = Arc::make_mut(&mut d.channels);
        (channels[0].window, channels[0].color) = (ValueWindow::new(1000.0, 2000.0), [255, 128, 0]);
        (channels[1].window, channels[1].color, channels[1].inverted) = (ValueWindow::new(0.0, 100.0), [0, 0, 255], true);
    };
    let two = channels(ElementClass::Uint16, 2);
    assert_eq!(color_of(two, &words(&[1500, 0]), change), [128, 64, 255]);
    assert_eq!(color_of(two, &words(&[9000, 100]), change), [255, 128, 0]);
    let both_ways = |d: &mut LayerDisplay| {
        change(d);
        d.inverted = true;
    };
    assert_eq!(color_of(two, &words(&[2000, 50]), both_ways), [0, 0, 128]);
}

#[test]
fn mixed_channels_are_drawn_alike_by_both_interpolations_where_nothing_changes() {
    let linear = |d: &mut LayerDisplay| d.interpolation = Interpolation::Linear;
    assert_eq!(color_of(channels(ElementClass::Uint8, 4), &[10, 20, 40, 80], linear), [140, 30, 50]);
    assert_eq!(color_of(channels(ElementClass::Uint16, 2), &words(&[65535, 13107]), linear), [255, 51, 255]);
}

#[test]
fn the_fill_value_is_mixed_too() {
    let mut volume = Volume::empty(Mag::ONE, [8; 3], channels(ElementClass::Uint8, 2), &crate::loading::ChunkState::Missing);
    volume.fill = vec![9, 4];
    let image = compose(&request(centered(SlicePlane::Xz), vec![volume.layer(Color)]), &volume);
    assert!(pixels(&image).all(|(_, rgb)| rgb == [9, 4, 9]));
}

#[test]
fn rgb_of_16_bits_shares_one_window() {
    let change = |d: &mut LayerDisplay| d.window = ValueWindow::new(0.0, 4095.0);
    assert_eq!(color_of(channels(ElementClass::Uint16, 3), &words(&[4095, 819, 60000]), change), [255, 51, 255]);
}

#[test]
fn truth_is_black_and_white_whatever_byte_stands_for_it() {
    let bool = VoxelType::single(ElementClass::Bool);
    assert_eq!([0, 1, 7, 255].map(|b| color_of(bool, &[b], |_| {})), [[0; 3], [255; 3], [255; 3], [255; 3]]);
    let linear = |d: &mut LayerDisplay| d.interpolation = Interpolation::Linear;
    assert_eq!(color_of(bool, &[7], linear), [255; 3]);
    let volume = Volume::new(Mag::ONE, [8; 3], bool, |p| vec![u8::from(p.x >= 20) * 5]);
    let layer = volume.layer(Color);
    let picked = crate::scene::pick(&layer, Vec3Int::new(20, 15, 4), &volume);
    assert!(matches!(picked.state, crate::scene::PickState::Value(value) if value.text == "true" && value.color == [255; 3]));
}

#[test]
fn halves_are_drawn_through_their_window_and_nan_in_its_colour() {
    let half = VoxelType::single(ElementClass::Float16);
    let change = |d: &mut LayerDisplay| d.window = ValueWindow::new(0.0, 1.0);
    let draw = |value: f16| color_of(half, &value.to_le_bytes(), change);
    assert_eq!([0.0, 0.5, 2.0, f32::INFINITY].map(|v| draw(f16::from_f32(v))), [[0; 3], [128; 3], [255; 3], [255; 3]]);
    assert_eq!(draw(f16::NAN), NAN_COLOR);
}

#[test]
fn nan_in_a_visible_channel_shows_as_nan() {
    let voxel: Vec<u8> = [f16::from_f32(1.0), f16::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
    let two = channels(ElementClass::Float16, 2);
    let change = |d: &mut LayerDisplay| Arc::make_mut(&mut d.channels).iter_mut().for_each(|c| c.window = ValueWindow::new(0.0, 1.0));
    assert_eq!(color_of(two, &voxel, change), NAN_COLOR);
    let hide = |d: &mut LayerDisplay| {
        change(d);
        Arc::make_mut(&mut d.channels)[1].visible = false;
    };
    assert_eq!(color_of(two, &voxel, hide), [255, 0, 255]);
}

#[test]
fn channels_that_share_a_pane_with_other_layers_are_added_to_them() {
    let grey = Volume::new(Mag::ONE, [8; 3], VoxelType::single(ElementClass::Uint8), |_| vec![50]);
    let two = Volume::new(Mag::ONE, [8; 3], channels(ElementClass::Uint8, 2), |_| vec![10, 250]);
    let layers = vec![grey.layer(Color), two.layer(Color)];
    let image = compose(&request(centered(SlicePlane::Yz), layers), &[grey, two]);
    assert!(pixels(&image).all(|(_, rgb)| rgb == [60, 255, 60]));
}
