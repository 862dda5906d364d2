use crate::annotation::test_world::*;
use crate::annotation::*;
use crate::format::annotation::{BucketAddress, MemoryBuckets};
use crate::format::nml::Segment;
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, SlicePlane, Vec3Int, VoxelSize};
use crate::voxel::ElementClass;
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

const ALL: PaintSettings = PaintSettings { segment: 7, active: 7, mode: OverwriteMode::OverwriteAll };

fn place(level: usize, plane: SlicePlane) -> PaintPlace {
    PaintPlace { level, plane, axes: Arc::default() }
}

fn editor(spec: VolumeSpec) -> VolumeEditor {
    VolumeEditor::new(VolumeAnnotation::new(spec))
}

fn boxed(topleft: [i64; 3], shape: [i64; 3]) -> BoundingBox {
    BoundingBox::new(topleft.into(), shape.into())
}

/// Positions of a level inside `b` that have an id.
fn found(editor: &VolumeEditor, level: usize, id: u64, b: &BoundingBox) -> HashSet<[i64; 3]> {
    let ids = ids_in(editor.volume(), level, b);
    positions(b).zip(ids).filter(|(_, found)| *found == id).map(|(pos, _)| pos.to_array()).collect()
}

#[test]
fn a_disc_is_painted_in_each_plane_and_mag_as_the_formula_says() {
    let scale = [11.24, 11.24, 28.0];
    for (plane, level) in SlicePlane::ALL.into_iter().flat_map(|plane| [(plane, 0), (plane, 1)]) {
        let mut spec = spec(&mags(&["1", "2-2-1"]));
        spec.voxel_size = VoxelSize::new(scale, None).expect("valid");
        let mut editor = editor(spec);
        editor.begin_stroke(ALL, place(level, plane), 30.0, [50.7, 51.2, 52.9]).expect("painted");
        let factors = editor.volume().levels[level].mag.factors();
        let center = Vec3Int::new(50, 51, 52).div_floor(factors);
        let b = boxed([0; 3], [96, 96, 96]);
        let expected: HashSet<_> = positions(&b)
            .filter(|pos| {
                let d = |axis: usize| (pos[axis] - center[axis]) as f64 / (11.24 / (scale[axis] * factors[axis] as f64));
                let (right, down) = (d(plane.right_axis()), d(plane.down_axis()));
                pos[plane.normal_axis()] == center[plane.normal_axis()] && right * right + down * down < 225.0
            })
            .map(Vec3Int::to_array)
            .collect();
        assert_eq!(found(&editor, level, 7, &b), expected, "{plane}, level {level}");
    }
}

#[test]
fn a_stroke_is_visible_at_once_and_one_edit() {
    let mut editor = editor(spec(&mags(&["1", "2"])));
    editor.begin_stroke(ALL, place(0, SlicePlane::Xy), 10.0, [20.0, 20.0, 3.0]).expect("painted");
    assert_eq!(id_of(editor.volume(), 0, Vec3Int::new(20, 20, 3)), 7);
    let outcome = editor.extend_stroke(&[[55.0, 20.0, 3.0]]).expect("painted");
    assert_eq!(outcome.touched[0].len(), 2);
    // Between the discs, as wide as they are; nothing in other slices of this mag.
    assert_eq!([15, 16, 24, 25].map(|y| id_of(editor.volume(), 0, Vec3Int::new(40, y, 3))), [0, 7, 7, 0]);
    assert_eq!([2, 4].map(|z| id_of(editor.volume(), 0, Vec3Int::new(40, 20, z))), [0, 0]);
    assert!(editor.history().is_empty() && matches!(editor.undo(), Err(EditError::Stroke(_))));
    editor.end_stroke().expect("ended");
    let lines = editor.history();
    assert_eq!((lines.len(), lines[0].kind, lines[0].segment), (1, EditKind::Brush, 7));
    assert_eq!(lines[0].voxels, found(&editor, 0, 7, &boxed([0; 3], [96, 64, 32])).len() as u64);
}

#[test]
fn what_a_stroke_encloses_is_filled_only_where_it_meets_its_start() {
    let corners = [[20.0, 20.0], [80.0, 20.0], [80.0, 80.0], [20.0, 80.0]];
    for (end, is_filled) in [([20.0, 36.0], true), ([20.0, 52.0], false)] {
        let mut editor = editor(spec(&mags(&["1"])));
        let points: Vec<_> = corners.iter().chain([&end]).map(|[u, v]| [5.0, *v, *u]).collect();
        editor.begin_stroke(ALL, place(0, SlicePlane::Yz), 16.0, points[0]).expect("painted");
        editor.extend_stroke(&points[1..]).expect("painted");
        assert_eq!(id_of(editor.volume(), 0, Vec3Int::new(5, 50, 50)), 0);
        editor.end_stroke().expect("ended");
        assert_eq!(id_of(editor.volume(), 0, Vec3Int::new(5, 50, 50)) == 7, is_filled);
        assert_eq!(editor.history().len(), 1);
    }
}

#[test]
fn a_brush_larger_than_the_volume_paints_all_that_it_meets() {
    let bounding_box = boxed([0; 3], [100, 90, 80]);
    let mut editor = editor(VolumeSpec { bounding_box, ..spec(&[Mag::ONE]) });
    editor.begin_stroke(ALL, place(0, SlicePlane::Xy), 1e9, [-500.0, 20.0, 10.0]).expect("painted");
    editor.extend_stroke(&[[1e7, 20.0, 10.0]]).expect("painted");
    let outcome = editor.end_stroke().expect("ended");
    assert!(outcome.notes.contains(&EditNote::Clipped), "{:?}", outcome.notes);
    assert_eq!(editor.history()[0].voxels, 100 * 90);
}

#[test]
fn too_large_areas_are_refused_or_noted() {
    let mut editor = editor(spec(&[Mag::ONE]));
    let square = [[0.0, 0.0, 0.0], [2000.0, 0.0, 0.0], [2000.0, 2000.0, 0.0], [0.0, 2000.0, 0.0]];
    assert!(matches!(editor.lasso(ALL, &place(0, SlicePlane::Xy), &square), Err(EditError::AreaTooLarge { .. })));
    editor.begin_stroke(ALL, place(0, SlicePlane::Xy), 8.0, square[0]).expect("begun");
    editor.extend_stroke(&square[1..]).expect("painted");
    editor.extend_stroke(&square[..1]).expect("painted");
    let outcome = editor.end_stroke().expect("ended");
    assert!(matches!(outcome.notes[..], [EditNote::EnclosedTooLarge { .. }, EditNote::Clipped]), "{:?}", outcome.notes);
    assert!(matches!(editor.begin_stroke(ALL, place(0, SlicePlane::Xy), 1e6, square[0]), Err(EditError::AreaTooLarge { .. })));
    let all = boxed([0; 3], [i64::MAX; 3]);
    assert!(matches!(editor.paint_box(ALL, &Arc::default(), &all), Err(EditError::TooLarge { .. })));
    assert!(editor.end_stroke().is_err() && editor.history().len() == 1);
}

#[test]
fn overwrite_empty_spares_others_and_erases_the_active_segment_only() {
    let fallback = |_: Mag, p: Vec3Int| [0, 3, 4][usize::try_from(p.x / 8 % 3).expect("small")];
    let mut editor = editor(spec_over(&mags(&["1", "4"]), boxed([0; 3], [96; 3]), fallback));
    let empty = PaintSettings { mode: OverwriteMode::OverwriteEmpty, ..ALL };
    let b = boxed([0; 3], [24, 8, 1]);
    editor.paint_box(empty, &Arc::default(), &b).expect("painted");
    assert_eq!([0, 8, 16].map(|x| id_of(editor.volume(), 0, Vec3Int::new(x, 0, 0))), [7, 3, 4]);
    // What was spared isn't passed on either.
    assert_eq!([0, 1, 2, 3].map(|x| id_of(editor.volume(), 1, Vec3Int::new(x, 0, 0))), [7, 7, 0, 0]);
    let erase = PaintSettings { segment: 0, active: 4, mode: OverwriteMode::OverwriteEmpty };
    editor.paint_box(erase, &Arc::default(), &b).expect("painted");
    assert_eq!([0, 8, 16].map(|x| id_of(editor.volume(), 0, Vec3Int::new(x, 0, 0))), [7, 3, 0]);
}

#[test]
fn erased_voxels_stay_zero_over_the_fallback() {
    let mut editor = editor(spec_over(&mags(&["1", "2"]), boxed([0; 3], [32; 3]), |_, _| 5));
    let outcome = editor.paint_box(PaintSettings { segment: 0, ..ALL }, &Arc::default(), &boxed([0; 3], [32; 3])).expect("erased");
    assert_eq!(outcome.voxels, 32_768);
    let level = &editor.volume().levels[0];
    assert_eq!(level.addresses().len(), 1);
    assert!(level.read(&level.addresses()[0]).expect("readable").0.bytes().iter().all(|b| *b == 0));
    // Nothing to erase makes no bucket.
    let outcome = editor.paint_box(PaintSettings { segment: 0, ..ALL }, &Arc::default(), &boxed([64; 3], [9; 3])).expect("erased");
    assert_eq!((outcome.voxels, editor.history().len()), (0, 1));
}

#[test]
fn a_failing_edit_changes_nothing() {
    let mut spec = spec(&mags(&["1", "2"]));
    spec.levels[1].stored = Some(Arc::new(Unreadable));
    let mut editor = editor(spec);
    let err = editor.paint_box(ALL, &Arc::default(), &boxed([0; 3], [9; 3])).expect_err("unreadable");
    assert!(err.to_string().contains("data.zip"), "{err}");
    assert!(editor.begin_stroke(ALL, place(0, SlicePlane::Xy), 9.0, [1.0; 3]).is_err());
    assert!(editor.end_stroke().is_err(), "the stroke wasn't begun");
    assert!(editor.volume().snapshot().iter().all(Vec::is_empty));
    assert!(editor.volume().segments.is_empty() && editor.history().is_empty());
}

#[test]
fn buckets_that_need_a_missing_dataset_are_refused_and_stored_ones_are_not() {
    let mut spec = spec(&[Mag::ONE]);
    spec.fallback_layer = Some("segmentation".to_owned());
    let mut stored = MemoryBuckets::new(ElementClass::Uint32);
    stored.put(BucketAddress::at(ChunkIndex(Vec3Int::ZERO)), &uniform(ElementClass::Uint32, 2));
    spec.levels[0].stored = Some(Arc::new(stored));
    let mut editor = editor(spec);
    editor.paint_box(ALL, &Arc::default(), &boxed([0; 3], [9; 3])).expect("stored");
    let err = editor.paint_box(ALL, &Arc::default(), &boxed([30, 0, 0], [9; 3])).expect_err("missing");
    assert!(matches!(&err, EditError::NoFallback { layer } if layer == "segmentation"), "{err}");
    assert_eq!(id_of(editor.volume(), 0, Vec3Int::new(31, 0, 0)), 2);
    assert!(editor.pick(0, &Arc::default(), Vec3Int::splat(40)).is_err());
    assert_eq!(editor.pick(0, &Arc::default(), Vec3Int::splat(3)).expect("stored"), 7);
}

#[test]
fn only_what_is_inside_the_bounding_box_is_painted() {
    let mut spec = spec(&mags(&["1", "4"]));
    spec.bounding_box = boxed([10; 3], [20; 3]);
    let mut editor = editor(spec);
    let outcome = editor.paint_box(ALL, &Arc::default(), &boxed([0; 3], [64; 3])).expect("painted");
    assert_eq!((outcome.voxels, &outcome.notes[..]), (8000, &[EditNote::Clipped][..]));
    // The anchor of the new segment is where it was painted, not where it was asked for.
    assert_eq!(editor.volume().segments[0].anchor, Some(Vec3Int::splat(20)));
    let outside = boxed([40; 3], [2; 3]);
    assert!(matches!(editor.paint_box(ALL, &Arc::default(), &outside), Err(EditError::OutsideBox)));
    assert!(matches!(editor.fill(ALL, &place(0, SlicePlane::Xy), Vec3Int::splat(40), FillExtent::Slice, None), Err(EditError::OutsideBox)));
    editor.begin_stroke(ALL, place(0, SlicePlane::Xy), 5.0, [-3e300, f64::NAN, 12.0]).expect("begun");
    assert_eq!(editor.end_stroke().expect("ended").notes, [EditNote::Clipped]);
    let anywhere = &mut self::editor(self::spec(&mags(&["1"])));
    anywhere.paint_box(ALL, &Arc::default(), &boxed([(1 << 31) - 4, 0, -4], [1 << 32, 1, 6])).expect("painted");
    assert_eq!(anywhere.volume().segments[0].anchor, Some(Vec3Int::new((1 << 31) - 2, 0, 1)));
    let eight = PaintSettings { segment: 8, ..ALL };
    anywhere.begin_stroke(eight, place(0, SlicePlane::Xy), 9.0, [-2.0, 5.0, 5.0]).expect("begun");
    anywhere.end_stroke().expect("ended");
    assert_eq!(anywhere.volume().segments[1].anchor, Some(Vec3Int::new(0, 5, 5)));
}

fn noise(seed: u64, p: Vec3Int) -> u64 {
    let mut h = seed ^ ((p.x * 73_856_093) ^ (p.y * 19_349_663) ^ (p.z * 83_492_791)).cast_unsigned();
    h = (h ^ (h >> 13)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    u64::from((h >> 40) % 100 < 62) + 1
}

/// The connected voxels of the seed's id, one by one.
fn reference_flood(id: impl Fn(Vec3Int) -> u64, seed: Vec3Int, window: &BoundingBox) -> HashSet<[i64; 3]> {
    let mut reached = HashSet::from([seed.to_array()]);
    let mut open = vec![seed];
    while let Some(pos) = open.pop() {
        for step in [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]] {
            let next = pos + step.into();
            if window.contains(next) && id(next) == id(seed) && reached.insert(next.to_array()) {
                open.push(next);
            }
        }
    }
    reached
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn fills_reach_what_a_reference_flood_reaches(
        seed in 0_u64..1_000_000, at in prop::array::uniform3(0_i64..70), plane in prop::sample::select(SlicePlane::ALL.to_vec()), slice: bool,
        restrict in prop::option::of((prop::array::uniform3(0_i64..20), prop::array::uniform3(50_i64..60))),
    ) {
        let bounds = boxed([0; 3], [70; 3]);
        let mut spec = spec_over(&[Mag::ONE], bounds, |_, p| noise(seed, p));
        spec.bounding_box = bounds;
        let mut editor = editor(spec);
        let at = Vec3Int::from(at);
        let restrict = restrict.map(|(topleft, shape)| boxed(topleft, shape));
        let extent = if slice { FillExtent::Slice } else { FillExtent::Volume };
        let mut window = restrict.map_or(bounds, |r| r.intersect(&bounds));
        let result = editor.fill(ALL, &place(0, plane), at, extent, restrict.as_ref());
        if !window.contains(at) {
            prop_assert!(matches!(result, Err(EditError::OutsideBox)));
            return Ok(());
        }
        if slice {
            let n = plane.normal_axis();
            window = BoundingBox::between(window.topleft.with(n, at[n]), window.bottomright().with(n, at[n] + 1));
        } else if restrict.is_none() {
            window = window.intersect(&BoundingBox::new(at - Vec3Int::splat(48), Shape3::splat(96)));
        }
        let expected = reference_flood(|p| noise(seed, p), at, &window);
        let outcome = result.expect("filled");
        prop_assert_eq!(outcome.voxels, expected.len() as u64);
        // A flood in the larger window that comes further was cut.
        let whole = if slice { window } else { restrict.map_or(bounds, |r| r.intersect(&bounds)) };
        let further = reference_flood(|p| noise(seed, p), at, &whole).len() > expected.len();
        prop_assert_eq!(outcome.notes.iter().any(|note| matches!(note, EditNote::LimitHit { .. })), further);
        prop_assert_eq!(found(&editor, 0, 7, &bounds), expected);
    }
}

#[test]
fn a_fill_without_walls_stops_at_its_window_and_says_so() {
    let mut editor = editor(spec(&mags(&["1", "2-2-1"])));
    let seed = Vec3Int::splat(500);
    let outcome = editor.fill(ALL, &place(0, SlicePlane::Xz), seed, FillExtent::Slice, None).expect("filled");
    assert_eq!(outcome.voxels, 768 * 768);
    assert_eq!(outcome.notes, [EditNote::LimitHit { window: boxed([116, 500, 116], [768, 1, 768]) }]);
    editor.undo().expect("an edit");
    let outcome = editor.fill(ALL, &place(1, SlicePlane::Xy), seed, FillExtent::Volume, None).expect("filled");
    assert_eq!(outcome.voxels, 48 * 48 * 96);
    let again = editor.fill(ALL, &place(1, SlicePlane::Xy), seed, FillExtent::Volume, None).expect("nothing to do");
    assert_eq!((again.voxels, &again.notes[..]), (0, &[EditNote::SameSegment][..]));
    let limited = boxed([400; 3], [150; 3]);
    let eight = PaintSettings { segment: 8, ..ALL };
    let outcome = editor.fill(eight, &place(0, SlicePlane::Xy), Vec3Int::splat(401), FillExtent::Volume, Some(&limited)).expect("filled");
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
    assert_eq!(outcome.voxels, 150 * 150 * 150 - 96 * 96 * 96, "all of the box but the segment in it");
}

#[test]
fn slices_between_two_are_interpolated_and_one_alone_is_carried_on() {
    let mut editor = editor(spec(&mags(&["1"])));
    let area = boxed([0; 3], [64, 64, 64]);
    editor.paint_box(ALL, &Arc::default(), &boxed([10, 20, 5], [10, 10, 1])).expect("painted");
    let at = place(0, SlicePlane::Xy);
    let outcome = editor.interpolate(ALL, &at, 5, 8, &area).expect("extruded");
    assert_eq!((outcome.voxels, id_of(editor.volume(), 0, Vec3Int::new(19, 29, 8))), (300, 7));
    editor.undo().expect("an edit");
    editor.paint_box(ALL, &Arc::default(), &boxed([12, 20, 9], [20, 10, 1])).expect("painted");
    assert!(matches!(editor.interpolate(ALL, &at, 5, 6, &boxed([0; 3], [64, 64, 0])), Err(EditError::OutsideBox)));
    editor.interpolate(ALL, &at, 9, 5, &area).expect("interpolated");
    assert_eq!([4, 10].map(|z| found(&editor, 0, 7, &boxed([0, 0, z], [64, 64, 1])).len()), [0, 0]);
    assert_eq!(found(&editor, 0, 7, &boxed([0, 0, 5], [64, 64, 1])).len(), 100);
    let widths: Vec<_> = (5..10).map(|z| found(&editor, 0, 7, &boxed([0, 25, z], [64, 1, 1])).len()).collect();
    assert!(widths.is_sorted() && widths[0] == 10 && widths[2] > 11 && widths[4] == 20, "{widths:?}");
    assert!(editor.interpolate(ALL, &at, 5, 4, &area).is_ok(), "one alone is carried on to its neighbour");
    let eight = PaintSettings { segment: 8, ..ALL };
    for x in [0, 50] {
        editor.paint_box(eight, &Arc::default(), &boxed([x, 40, 20 + x / 10], [4, 4, 1])).expect("painted");
    }
    assert!(matches!(editor.interpolate(eight, &at, 20, 25, &area), Err(EditError::NothingBetween)));
    let nine = PaintSettings { segment: 9, ..ALL };
    assert!(matches!(editor.interpolate(nine, &at, 5, 9, &area), Err(EditError::NothingLabelled { id: 9 })));
    assert!(matches!(editor.interpolate(ALL, &at, 5, 200, &area), Err(EditError::SlicesApart { slices: 195, .. })));
}

#[test]
fn new_ids_end_with_the_class() {
    for (class, most) in [
        (ElementClass::Uint8, 255),
        (ElementClass::Int16, 32_767),
        (ElementClass::Uint64, u64::MAX),
        (ElementClass::Int64, i64::MAX as u64),
    ] {
        let mut editor = editor(VolumeSpec { class, largest_segment_id: Some(most - 2), ..spec(&[Mag::ONE]) });
        assert_eq!(editor.new_segment_id(1).expect("left"), most - 1);
        assert_eq!(editor.new_segment_id(most - 1).expect("left"), most);
        assert!(matches!(editor.new_segment_id(1), Err(EditError::IdsExhausted { .. })), "{class}");
        assert_eq!(editor.volume().largest_segment_id, Some(most));
        if most < u64::MAX {
            let err = editor.paint_box(PaintSettings { segment: most + 1, ..ALL }, &Arc::default(), &boxed([0; 3], [1; 3]));
            assert!(matches!(err, Err(EditError::IdTooLarge { .. })));
        }
        editor.paint_box(PaintSettings { segment: most, ..ALL }, &Arc::default(), &boxed([0; 3], [1; 3])).expect("fits");
        assert_eq!(id_of(editor.volume(), 0, Vec3Int::ZERO), most);
    }
    let mut unknown = editor(VolumeSpec { fallback_layer: Some("s".to_owned()), ..spec(&[Mag::ONE]) });
    assert!(matches!(unknown.new_segment_id(1), Err(EditError::LargestIdUnknown)));
    unknown.set_largest_segment_id(40).expect("fits");
    assert_eq!(unknown.new_segment_id(50).expect("left"), 51);
}

#[test]
fn a_painted_segment_is_listed_where_it_was_clicked() {
    let mut editor = editor(spec(&mags(&["2-2-1"])));
    editor.begin_stroke(PaintSettings { segment: 12, ..ALL }, place(0, SlicePlane::Xy), 4.0, [7.9, 9.2, 3.5]).expect("painted");
    let outcome = editor.extend_stroke(&[[17.0, 9.0, 3.5]]).expect("painted");
    assert!(!outcome.segments_changed);
    editor.end_stroke().expect("ended");
    let listed = &editor.volume().segments;
    assert_eq!((listed.len(), listed[0].id, listed[0].anchor), (1, 12, Some(Vec3Int::new(7, 9, 3))));
    assert_eq!(editor.volume().largest_segment_id, Some(12));
    editor.undo().expect("an edit");
    assert!(editor.volume().segments.is_empty());
    // The id was used and isn't given to another segment.
    assert_eq!(editor.new_segment_id(1).expect("left"), 13);
}

#[test]
fn changes_of_the_list_are_undone_in_their_place() {
    let segments = vec![Segment::new(5), Segment { name: Some("soma".to_owned()), ..Segment::new(6) }, Segment::new(7)];
    let mut editor = editor(VolumeSpec { segments: segments.clone(), ..spec(&[Mag::ONE]) });
    editor.rename_segment(6, Some("axon".to_owned())).expect("listed");
    editor.recolour_segment(5, Some([1.0, 0.0, 0.0, 1.0])).expect("listed");
    editor.show_segment(7, false).expect("listed");
    editor.unlist_segment(6).expect("listed");
    assert_eq!(editor.volume().segments.iter().map(|s| (s.id, s.is_visible)).collect::<Vec<_>>(), [(5, true), (7, false)]);
    assert_eq!(editor.unlist_segment(99).expect("nothing to do").touched.len(), 0);
    for _ in 0..4 {
        editor.undo().expect("an edit");
    }
    assert_eq!(editor.volume().segments, segments);
    for _ in 0..3 {
        editor.redo().expect("an edit");
    }
    assert_eq!(editor.volume().segments[1].name.as_deref(), Some("axon"));
    assert!(matches!(editor.rename_segment(0, None), Err(EditError::Background)));
}

#[test]
fn deleting_voxels_leaves_the_fallback_and_other_segments() {
    let mut editor = editor(spec_over(&mags(&["1", "2"]), boxed([0; 3], [64; 3]), |_, p| if p.x % 2 == 0 { 7 } else { 8 }));
    editor.paint_box(PaintSettings { segment: 9, ..ALL }, &Arc::default(), &boxed([0; 3], [1; 3])).expect("painted");
    assert!(matches!(editor.delete_segment_voxels(7, |_, _| false), Err(EditError::Cancelled)));
    let outcome = editor.delete_segment_voxels(7, |_, _| true).expect("deleted");
    assert_eq!(outcome.voxels, 16 * 32 * 32 - 1);
    assert_eq!([0, 1, 2, 33, 34].map(|x| id_of(editor.volume(), 0, Vec3Int::new(x, 0, 0))), [9, 8, 0, 8, 7]);
    assert_eq!(id_of(editor.volume(), 1, Vec3Int::new(2, 0, 0)), 0);
}

#[test]
fn edits_with_further_axes_stay_at_their_positions() {
    let mut editor = editor(VolumeSpec { axes: vec!["t".to_owned()], ..spec(&mags(&["1", "2"])) });
    let at = |t: u64| Arc::<[u64]>::from([t]);
    editor.paint_box(ALL, &at(3), &boxed([0; 3], [2; 3])).expect("painted");
    assert_eq!([2, 3].map(|t| editor.pick(0, &at(t), Vec3Int::ZERO).expect("readable")), [0, 7]);
    assert_eq!(editor.pick(1, &at(3), Vec3Int::ZERO).expect("readable"), 7);
    assert!(matches!(editor.paint_box(ALL, &Arc::default(), &boxed([0; 3], [2; 3])), Err(EditError::WrongAxes { expected: 1, found: 0 })));
    assert!(matches!(editor.pick(2, &at(0), Vec3Int::ZERO), Err(EditError::NoLevel { level: 2 })));
}

#[test]
fn counts_follow_edits_that_were_made_while_counting() {
    let mut spec = spec(&mags(&["1"]));
    let mut stored = MemoryBuckets::new(ElementClass::Uint32);
    stored.put(BucketAddress::at(ChunkIndex(Vec3Int::ZERO)), &uniform(ElementClass::Uint32, 2));
    spec.levels[0].stored = Some(Arc::new(stored));
    let mut editor = editor(spec);
    let job = editor.begin_count().expect("a level");
    editor.paint_box(ALL, &Arc::default(), &boxed([31, 0, 0], [2, 1, 1])).expect("painted");
    assert!(job.run(|_, _| false).is_none());
    let mut told = Vec::new();
    let result = job
        .run(|done, total| {
            told.push((done, total));
            true
        })
        .expect("not cancelled");
    assert_eq!(told, [(0, 1), (1, 1)]);
    assert_eq!(editor.counts(), None);
    editor.finish_count(result);
    assert_eq!(editor.counts(), Some(VoxelCounts::from([(2, 32_767), (7, 2)])));
    editor.undo().expect("an edit");
    assert_eq!(editor.counts(), Some(VoxelCounts::from([(2, 32_768)])));
}
