//! Times of brush steps, not run by default:
//! `cargo test --release --lib annotation::timing -- --ignored --nocapture`.

use super::journal::{Base, Changes, Journal, Saved, Touched};
use super::test_world::*;
use super::*;
use crate::format::annotation::{BUCKET_SIDE, BucketAddress};
use crate::format::nml::{NewNml, Nml};
use crate::geometry::{BoundingBox, ChunkIndex, Shape3, SlicePlane, Vec3Int};
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use std::io::{Seek, SeekFrom};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest, median and shortest.
fn summary(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let ms = |t: Option<&Duration>| t.map_or(0.0, Duration::as_secs_f64) * 1e3;
    format!("median {:.2} ms, worst {:.2} ms, best {:.2} ms", ms(times.get(times.len() / 2)), ms(times.last()), ms(times.first()))
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

#[test]
#[ignore = "prints times"]
fn brush_steps_of_fifty_voxels_in_six_mags() {
    let mags = mags(&["1", "2-2-1", "4-4-2", "8-8-4", "16-16-8", "32-32-16"]);
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(512, 512, 128));
    // Segments of some 20 voxels' width, as neurites are.
    let spec = spec_over(&mags, bounds, |mag, pos| {
        let p = mag.mag1_from_mag(pos);
        (((p.x + p.y / 3) / 19 * 31 + (p.y + p.z) / 23 * 17 + p.z / 11) % 4093 + 1).cast_unsigned()
    });
    let volume = VolumeAnnotation::new(spec);
    for plane in SlicePlane::ALL {
        let settings = PaintSettings { segment: 77_777, active: 77_777, mode: OverwriteMode::OverwriteAll };
        let place = PaintPlace { level: 0, plane, axes: std::sync::Arc::default() };
        let mut editor = VolumeEditor::new(VolumeAnnotation::new(spec_of(&volume)));
        let (mut fresh, mut again) = (Vec::new(), Vec::new());
        let at = |step: f64| {
            // A line that isn't parallel to any axis of the plane.
            let mut pos = [64.0, 64.0, 64.0];
            pos[plane.right_axis()] = 40.0 + if plane.right_axis() == 2 { step / 4.0 } else { step };
            pos[plane.down_axis()] = 40.0 + if plane.down_axis() == 2 { step / 4.0 } else { step * 0.7 };
            pos
        };
        editor.begin_stroke(settings, place.clone(), 50.0, at(0.0)).expect("begun");
        for step in 1..=25 {
            let (time, outcome) = timed(|| editor.extend_stroke(&[at(f64::from(step) * 12.0)]).expect("painted"));
            assert!(outcome.voxels > 0);
            fresh.push(time);
        }
        let (end, _) = timed(|| editor.end_stroke().expect("ended"));
        let settings = PaintSettings { segment: 88_888, ..settings };
        editor.begin_stroke(settings, place, 50.0, at(0.0)).expect("begun");
        for step in 1..=25 {
            again.push(timed(|| editor.extend_stroke(&[at(f64::from(step) * 12.0)]).expect("painted")).0);
        }
        editor.end_stroke().expect("ended");
        let (undo, _) = timed(|| editor.undo().expect("undone"));
        println!("{plane} new buckets: {}", summary(fresh));
        println!("{plane} edited buckets: {}; end of stroke {:.2?}, undo {undo:.2?}", summary(again), end);
    }
}

/// A spec with the same fallback layer and no edits.
fn spec_of(volume: &VolumeAnnotation) -> VolumeSpec {
    let level = |level: &VolumeLevel| LevelSpec { mag: level.mag, stored: None, fallback: level.base.fallback.clone() };
    VolumeSpec { levels: volume.levels.iter().map(level).collect(), fallback_layer: volume.fallback_layer.clone(), ..spec(&[]) }
}

#[test]
#[ignore = "prints times"]
fn large_edits() {
    let mags = mags(&["1", "2", "4", "8", "16"]);
    let all = PaintSettings { segment: 5, active: 5, mode: OverwriteMode::OverwriteAll };
    let mut editor = VolumeEditor::new(VolumeAnnotation::new(spec(&mags)));
    let b = BoundingBox::new(Vec3Int::new(7, 9, 11), Shape3::splat(1000));
    let (time, outcome) = timed(|| editor.paint_box(all, &std::sync::Arc::default(), &b).expect("painted"));
    let bytes: usize = editor.volume().levels.iter().map(|level| level.edited.byte_len()).sum();
    println!("box of 1000³: {time:.2?}, {} voxels, {} MiB edited", outcome.voxels, bytes >> 20);
    let (undo, _) = timed(|| editor.undo().expect("undone"));
    let (redo, _) = timed(|| editor.redo().expect("redone"));
    println!("undo {undo:.2?}, redo {redo:.2?}, history {} KiB", editor.undo_bytes() >> 10);
    let place = PaintPlace { level: 0, plane: SlicePlane::Xy, axes: std::sync::Arc::default() };
    let (fill, outcome) =
        timed(|| editor.fill(PaintSettings { segment: 6, ..all }, &place, Vec3Int::splat(500), FillExtent::Volume, None).expect("filled"));
    println!("fill of 96³: {fill:.2?}, {} voxels, {:?}", outcome.voxels, outcome.notes);
    let (fill, outcome) =
        timed(|| editor.fill(PaintSettings { segment: 7, ..all }, &place, Vec3Int::splat(500), FillExtent::Slice, None).expect("filled"));
    println!("fill of 768²: {fill:.2?}, {} voxels", outcome.voxels);
}

/// Length of a file.
fn end(mut file: impl Seek) -> u64 {
    file.seek(SeekFrom::End(0)).expect("a file")
}

#[test]
#[ignore = "prints times"]
fn twenty_thousand_edited_buckets_saved_aside() {
    const BUCKETS: i64 = 20_000;
    let whole = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE));
    // A few hundred contents are enough: each bucket is encoded for itself.
    let contents: Vec<Arc<VoxelBuffer>> = (0..300)
        .map(|i| {
            let segment = |p: Vec3Int| ((p.x + p.y / 3 + i) / 19 * 31 + (p.y + p.z) / 23 * 17 + p.z / 11) % 4093 + 1;
            let bytes = positions(&whole).flat_map(|p| (segment(p) as u32).to_le_bytes()).collect();
            VoxelBuffer::new(VoxelType::single(ElementClass::Uint32), whole.shape, bytes).map(Arc::new).expect("a bucket")
        })
        .collect();
    let volume = VolumeAnnotation::new(spec(&mags(&["1"])));
    let changes = (0..BUCKETS).map(|i| BucketChange {
        level: 0,
        at: BucketAddress::at(ChunkIndex(Vec3Int::new(i % 30, i / 30 % 30, i / 900))),
        voxels: Some(contents[i as usize % contents.len()].clone()),
    });
    volume.restore(changes.collect()).expect("fits");
    let (mut touched, mut editor) = (Touched::new(&volume, 1), VolumeEditor::new(volume));
    let (collect, changes) = timed(|| Changes(vec![touched.since(0, editor.volume(), Base::Opened)]));
    let file = || tempfile::NamedTempFile::new().expect("a file").into_file();
    let (first, mut journal) = timed(|| {
        let journal = Journal::begin(file(), b"", &changes).expect("written");
        journal.file().sync_data().expect("written");
        journal
    });
    println!("{BUCKETS} buckets: {collect:.2?} to collect, {first:.2?} to save, {} MiB", end(journal.file()) >> 20);

    let all = PaintSettings { segment: 5, active: 5, mode: OverwriteMode::OverwriteAll };
    let outcome = editor.paint_box(all, &Arc::default(), &BoundingBox::new(Vec3Int::splat(20), Shape3::splat(30))).expect("painted");
    touched.note(&outcome, 2);
    let before = end(journal.file());
    let (collect, changes) = timed(|| Changes(vec![touched.since(1, editor.volume(), Base::Opened)]));
    let (next, ()) = timed(|| {
        journal.append(&changes).expect("written");
        journal.file().sync_data().expect("written");
    });
    println!(
        "{} more: {collect:.2?} to collect, {next:.2?} to save, {} KiB",
        outcome.touched[0].len(),
        (end(journal.file()) - before) >> 10
    );

    let (compact, compacted) = timed(|| journal.compacted(file()).expect("written"));
    println!("compacted in {compact:.2?}");
    let volumes = vec![VolumeAnnotation::new(spec(&mags(&["1"])))];
    let mut annotation = Annotation { name: String::new(), nml: Arc::new(Nml::new(NewNml::default())), volumes, attachments: Vec::new() };
    compacted.file().rewind().expect("at its beginning");
    let (back, lost) = timed(|| Saved::find(compacted.file()).expect("readable").put_into(compacted.file(), &mut annotation, u64::MAX));
    println!("put back in {back:.2?}");
    assert!(lost.is_empty() && annotation.volumes[0].snapshot() == editor.volume().snapshot());
}
