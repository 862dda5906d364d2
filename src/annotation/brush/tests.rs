use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn any_case() -> impl Strategy<Value = (VoxelSize, Mag, SlicePlane, f64)> {
    (
        prop::array::uniform3(prop::sample::select(vec![1.0, 2.0, 11.24, 28.0, 35.5])),
        prop::array::uniform3(prop::sample::select(vec![1_i64, 2, 3, 4])),
        prop::sample::select(SlicePlane::ALL.to_vec()),
        0.0..90.0_f64,
    )
        .prop_map(|(scale, mag, plane, size)| {
            (VoxelSize::new(scale, None).expect("valid"), Mag::new(mag[0], mag[1], mag[2]).expect("valid"), plane, size)
        })
}

/// All that there is.
const ALL: PlaneRect = PlaneRect { low: [i64::MIN; 2], end: [i64::MAX; 2] };

fn collected(draw: impl FnOnce(&mut dyn FnMut(i64, i64, i64))) -> HashSet<PlanePos> {
    let mut all = HashSet::new();
    draw(&mut |start, end, v| {
        assert!(start < end, "an empty run");
        all.extend((start..end).map(|u| [u, v]));
    });
    all
}

proptest! {
    #[test]
    fn discs_follow_the_formula_in_all_planes_mags_and_scales((size, mag, plane, diameter) in any_case(), center in prop::array::uniform2(-50_i64..50)) {
        let brush = Brush::new(diameter, &size, mag, plane);
        let all = collected(|run| brush.disc(center, &ALL, run));
        // The formula of the specification, word by word.
        let r = (diameter / 2.0).round().max(1.0);
        let base = size.factors().into_iter().fold(f64::INFINITY, f64::min);
        let s = [plane.right_axis(), plane.down_axis()].map(|a| base / (size.factors()[a] * mag.factors()[a] as f64));
        for dx in -50..=50_i64 { for dy in -50..=50_i64 {
            let distance = (dx as f64 / s[0]).powi(2) + (dy as f64 / s[1]).powi(2);
            // On the very edge the order of the operations decides.
            if (distance - r * r).abs() > 1e-6 {
                prop_assert_eq!(all.contains(&[center[0] + dx, center[1] + dy]), distance < r * r, "{}, {}", dx, dy);
            }
        }}
    }

    #[test]
    fn rectangles_hold_what_lies_between_two_points((size, mag, plane, diameter) in any_case(), a in prop::array::uniform2(-20_i64..20), b in prop::array::uniform2(-60_i64..60)) {
        let brush = Brush::new(diameter, &size, mag, plane);
        let all = collected(|run| brush.join(a, b, &ALL, run));
        let length = brush.distance(a, b);
        let across = brush.offset(a, b).map(|d| d / length);
        for u in -150..150_i64 { for v in -150..150_i64 {
            let expected = length >= 1.5 * brush.radius && is_in_rectangle(brush.offset(a, [u, v]), across, length, brush.radius);
            prop_assert_eq!(all.contains(&[u, v]), expected, "{}, {}", u, v);
        }}
    }
}

#[test]
fn a_brush_of_fifty_voxels_has_the_area_of_a_circle() {
    let brush = Brush::new(50.0, &VoxelSize::VOXELS, Mag::ONE, SlicePlane::Xy);
    let area = collected(|run| brush.disc([0, 0], &ALL, run)).len() as f64;
    assert!((area / (25.0_f64.powi(2) * std::f64::consts::PI) - 1.0).abs() < 0.02, "{area}");
}

#[test]
fn the_smallest_brush_paints_one_voxel_and_strange_sizes_do_no_harm() {
    for size in [0.0, 1.0, -5.0, f64::NAN] {
        let brush = Brush::new(size, &VoxelSize::VOXELS, Mag::ONE, SlicePlane::Xz);
        assert_eq!(collected(|run| brush.disc([3, 4], &ALL, run)), HashSet::from([[3, 4]]), "{size}");
    }
    assert_eq!(
        Brush::new(f64::INFINITY, &VoxelSize::VOXELS, Mag::ONE, SlicePlane::Xy).disc_pixels([0, 0], &ALL),
        4_000_000_000_000_000_000
    );
}

#[test]
fn rows_far_outside_are_left_out_and_only_pixels_inside_count() {
    let within = PlaneRect { low: [0, 0], end: [100, 80] };
    let brush = Brush::new(1e6, &VoxelSize::VOXELS, Mag::ONE, SlicePlane::Xy);
    let rows = |all: HashSet<PlanePos>| all.into_iter().map(|[_, v]| v).collect::<HashSet<_>>().len();
    assert_eq!(brush.disc_pixels([50, 50], &within), 8000);
    assert_eq!(brush.disc_pixels([-600_000, 50], &within), 0);
    assert_eq!(brush.join_pixels([0, 0], [1 << 40, 1 << 40], &within), 8000);
    let brush = Brush::new(400.0, &VoxelSize::VOXELS, Mag::ONE, SlicePlane::Xy);
    assert_eq!(rows(collected(|run| brush.disc([50, 50], &within, run))), 82, "and those next to it");
    assert_eq!(rows(collected(|run| brush.join([0, 40], [500, 40], &within, run))), 82, "and those next to it");
}
