use crate::annotation::test_world::*;
use crate::annotation::*;
use crate::format::annotation::{BucketAddress, MemoryBuckets};
use crate::format::nml::Segment;
use crate::geometry::{BoundingBox, ChunkIndex, Shape3, SlicePlane, Vec3Int};
use crate::voxel::{ElementClass, VoxelBuffer};
use proptest::prelude::*;
use std::sync::Arc;

const SETTINGS: PaintSettings = PaintSettings { segment: 7, active: 7, mode: OverwriteMode::OverwriteAll };

/// The edited buckets of each level.
type LevelEdits = Vec<Vec<(BucketAddress, Arc<VoxelBuffer>)>>;

/// Everything that undo restores: edited buckets with their voxels, and the list.
fn state(editor: &VolumeEditor) -> (LevelEdits, Vec<Segment>) {
    (editor.volume().snapshot(), editor.volume().segments.clone())
}

fn place(level: usize, plane: SlicePlane) -> PaintPlace {
    PaintPlace { level, plane, axes: Arc::default() }
}

/// Any edit; what is refused changes nothing.
fn edit(editor: &mut VolumeEditor, number: u32, random: [u32; 4]) -> Result<EditOutcome, EditError> {
    let [a, b, c, d] = random.map(|r| f64::from(r % 61));
    let segment = u64::from(random[3] % 5);
    let mode = if random[1].is_multiple_of(3) { OverwriteMode::OverwriteEmpty } else { OverwriteMode::OverwriteAll };
    let settings = PaintSettings { segment, active: 2, mode };
    let place = place(random[0] as usize % 3, SlicePlane::ALL[random[2] as usize % 3]);
    let boxed = BoundingBox::new(Vec3Int::new(a as i64, b as i64, c as i64), Shape3::new(1 + d as i64, 20, 3));
    match number % 9 {
        0 | 1 => {
            editor.begin_stroke(settings, place, d / 3.0, [a, b, c])?;
            editor.extend_stroke(&[[b, c, a], [c, b, c]])?;
            editor.end_stroke()
        }
        2 => editor.lasso(settings, &place, &[[a, b, c], [b, c, d], [d, a, b], [c, d, a]]),
        3 => editor.fill(settings, &place, boxed.topleft, FillExtent::Slice, None),
        4 => editor.fill(settings, &place, boxed.topleft, FillExtent::Volume, Some(&boxed)),
        5 => editor.paint_box(settings, &place.axes, &boxed),
        6 => editor.interpolate(settings, &place, a as i64, b as i64, &BoundingBox::new(Vec3Int::ZERO, Shape3::splat(96))),
        7 => editor.delete_segment_voxels(segment, |_, _| true),
        _ if random[0].is_multiple_of(2) => editor.unlist_segment(segment),
        _ => editor.rename_segment(segment, Some(format!("segment {a}"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, ..ProptestConfig::default() })]

    #[test]
    fn undoing_two_hundred_edits_gives_the_start_and_redoing_them_the_end(edits in prop::collection::vec((0_u32..100, prop::array::uniform4(any::<u32>())), 200)) {
        let mut spec = spec_over(&mags(&["1", "2-2-1", "3-3-3"]), BoundingBox::new(Vec3Int::ZERO, Shape3::splat(60)), |_, p| (p.x / 20).cast_unsigned());
        let mut stored = MemoryBuckets::new(ElementClass::Uint32);
        stored.put(BucketAddress::at(ChunkIndex(Vec3Int::ZERO)), &uniform(ElementClass::Uint32, 3));
        spec.levels[0].stored = Some(Arc::new(stored));
        let mut editor = VolumeEditor::new(VolumeAnnotation::new(spec));
        let job = editor.begin_count().expect("a level");
        editor.finish_count(job.run(|_, _| true).expect("not cancelled"));
        let start = state(&editor);
        let mut states = vec![start.clone()];
        for (number, random) in edits {
            let before = (state(&editor), editor.history().len());
            match edit(&mut editor, number, random) {
                Ok(_) if editor.history().len() > before.1 => states.push(state(&editor)),
                // Refused, or without an effect.
                Ok(_) | Err(_) => prop_assert!(state(&editor) == before.0, "{} changed something", number),
            }
        }
        let counts = editor.counts().expect("counted");
        let job = editor.begin_count().expect("a level");
        editor.finish_count(job.run(|_, _| true).expect("not cancelled"));
        prop_assert_eq!(editor.counts().expect("counted"), counts, "counts by edits differ from counted ones");
        let end = state(&editor);
        for expected in states.iter().rev().skip(1) {
            editor.undo().expect("an edit");
            prop_assert!(state(&editor) == *expected);
        }
        prop_assert!(matches!(editor.undo(), Err(EditError::NothingTo("undo"))));
        prop_assert!(state(&editor) == start && editor.volume().snapshot().iter().all(Vec::is_empty));
        for expected in states.iter().skip(1) {
            editor.redo().expect("an edit");
            prop_assert!(state(&editor) == *expected);
        }
        prop_assert!(state(&editor) == end && editor.redo().is_err());
    }
}

#[test]
fn the_history_is_bounded_by_bytes_and_says_so_once() {
    let mut editor = VolumeEditor::with_undo_bytes(VolumeAnnotation::new(spec(&mags(&["1"]))), 20_000);
    let mut notes = 0;
    for i in 0..60_i64 {
        let b = BoundingBox::new(Vec3Int::new(i % 7, i * 5 % 11, i), Shape3::new(13, 17, 1));
        let outcome = editor.paint_box(PaintSettings { segment: i.cast_unsigned() + 1, ..SETTINGS }, &Arc::default(), &b).expect("painted");
        notes += usize::from(outcome.notes.contains(&EditNote::UndoShortened));
        assert!(editor.undo_bytes() <= 20_000);
    }
    assert_eq!(notes, 1);
    let kept = editor.history().len();
    assert!((2..60).contains(&kept), "{kept}");
    for _ in 0..kept {
        editor.undo().expect("kept");
    }
    assert!(editor.undo().is_err() && !editor.volume().levels[0].edited.is_empty());
    assert!(editor.history().iter().all(|line| line.is_undone));
}

#[test]
fn a_new_edit_ends_what_could_be_redone() {
    let mut editor = VolumeEditor::new(VolumeAnnotation::new(spec(&mags(&["1"]))));
    let b = |x| BoundingBox::new(Vec3Int::new(x, 0, 0), Shape3::splat(1));
    editor.paint_box(SETTINGS, &Arc::default(), &b(0)).expect("painted");
    editor.paint_box(SETTINGS, &Arc::default(), &b(1)).expect("painted");
    editor.undo().expect("an edit");
    assert_eq!(editor.history().iter().map(|line| line.is_undone).collect::<Vec<_>>(), [false, true]);
    editor.paint_box(SETTINGS, &Arc::default(), &b(2)).expect("painted");
    assert!(matches!(editor.redo(), Err(EditError::NothingTo("redo"))));
    assert_eq!([0, 1, 2].map(|x| id_of(editor.volume(), 0, Vec3Int::new(x, 0, 0))), [7, 0, 7]);
}

#[test]
fn a_huge_box_shares_its_voxels_also_after_redoing() {
    let mut editor = VolumeEditor::new(VolumeAnnotation::new(spec(&mags(&["1", "2"]))));
    let outcome = editor.paint_box(SETTINGS, &Arc::default(), &BoundingBox::new(Vec3Int::splat(5), Shape3::splat(400))).expect("painted");
    assert_eq!(outcome.voxels, 400 * 400 * 400);
    let bytes = |editor: &VolumeEditor| editor.volume().levels.iter().map(|level| level.edited.byte_len()).sum::<usize>();
    // 27 ways in which a box's border can cut a bucket, in each mag.
    assert!(bytes(&editor) <= 2 * 27 * 131_072);
    editor.undo().expect("an edit");
    assert!(bytes(&editor) == 0 && editor.undo_bytes() < 4 << 20);
    editor.redo().expect("an edit");
    assert!(bytes(&editor) <= 2 * 27 * 131_072);
    assert_eq!(editor.volume().levels[0].edited.len(), 13 * 13 * 13);
}
