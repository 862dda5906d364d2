use crate::annotation::test_world::*;
use crate::annotation::*;
use crate::format::annotation::{BucketAddress, MemoryBuckets};
use crate::format::{ChunkEncoding, ChunkSource, adjacent_runs, decode, read_box, read_encoded};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, ShardIndex, Vec3Int};
use crate::voxel::ElementClass;
use std::sync::Arc;

fn chunk(x: i64, y: i64, z: i64) -> ChunkIndex {
    ChunkIndex(Vec3Int::new(x, y, z))
}

/// Fallback voxels in x below 80 but for one whole chunk; a stored bucket of zeros at 1, 0, 0 and one of 9 at 5, 0, 0.
fn volume(fallback_chunk: i64) -> VolumeAnnotation {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(80, 64, 64));
    let id = |p: Vec3Int| if p.y >= 32 { 0 } else { (p.x + 100 * p.y + 10_000 * p.z + 1).cast_unsigned() };
    let mut spec = spec(&[Mag::ONE]);
    spec.fallback_layer = Some("segmentation".to_owned());
    let mut blocks = Blocks::new(ElementClass::Uint32, fallback_chunk, bounds, id);
    // Beside all that is read but for the test of errors.
    blocks.broken.insert([0, 0, (32 / fallback_chunk).max(1)]);
    spec.levels[0].fallback = Some(Arc::new(blocks));
    let mut stored = MemoryBuckets::new(ElementClass::Uint32);
    stored.put(BucketAddress::at(chunk(1, 0, 0)), &uniform(ElementClass::Uint32, 0));
    stored.put(BucketAddress::at(chunk(5, 0, 0)), &uniform(ElementClass::Uint32, 9));
    spec.levels[0].stored = Some(Arc::new(stored));
    VolumeAnnotation::new(spec)
}

#[test]
fn what_is_nowhere_stays_missing() {
    let volume = volume(32);
    let source = ComposedSource::new(&volume.levels[0]);
    let is_there = |x, y, z| source.locate(chunk(x, y, z)).expect("readable").is_some();
    assert!(is_there(0, 0, 0) && is_there(1, 0, 0) && is_there(2, 0, 0) && is_there(5, 0, 0));
    // Without chunks of the fallback layer, outside of it, and at negative positions.
    assert!(!is_there(0, 1, 0) && !is_there(3, 0, 0) && !is_there(-1, 0, 0));
    assert!(source.is_absent(ShardIndex(Vec3Int::new(3, 0, 0))) && !source.is_absent(ShardIndex(Vec3Int::new(5, 0, 0))));
    assert_eq!(source.shard_len(ShardIndex(Vec3Int::new(4, 0, 0))).expect("readable"), None);
    assert_eq!(source.find_shards(3).expect("readable"), [[1, 0, 0], [5, 0, 0], [0, 0, 0]].map(|s| ShardIndex(s.into())));
}

#[test]
fn a_box_read_through_it_is_what_the_buckets_hold() {
    for fallback_chunk in [16, 32, 64] {
        let volume = volume(fallback_chunk);
        let source = ComposedSource::new(&volume.levels[0]);
        let b = BoundingBox::new(Vec3Int::new(20, 5, 3), Shape3::new(150, 40, 9));
        let mut bytes = vec![0; b.shape.byte_len(4).expect("small")];
        read_box(&source, &b, &mut bytes).expect("readable");
        let ids: Vec<u64> = bytes.as_chunks().0.iter().map(|voxel| u64::from(u32::from_le_bytes(*voxel))).collect();
        assert_eq!(ids, ids_in(&volume, 0, &b), "fallback chunks of {fallback_chunk}");
        assert!(ids.contains(&9) && ids.contains(&0) && ids.iter().any(|id| *id > 1000));
    }
}

#[test]
fn neighbours_never_look_adjacent_and_parts_are_parts() {
    let volume = volume(32);
    let source = ComposedSource::new(&volume.levels[0]);
    let located: Vec<_> = [0, 1, 2, 5].map(|x| source.locate(chunk(x, 0, 0)).expect("readable").expect("there")).into();
    assert!(located.iter().all(|l| l.encoding == ChunkEncoding::Canonical && l.range.len == 131_072));
    let runs = adjacent_runs(located.clone());
    assert_eq!(runs.len(), 4);
    for run in runs {
        let index = run[0].chunk;
        let read = read_encoded(&source, &run).expect("readable").pop().expect("one");
        let voxels = decode(&source, read).expect("decodes");
        assert_eq!(voxels, *volume.levels[0].read(&BucketAddress::at(index)).expect("readable").0);
    }
    let (mut whole, mut part) = (vec![0; 131_072], vec![0; 100]);
    source.read_bytes(&located[0], 0, &mut whole).expect("readable");
    source.read_bytes(&located[0], 5000, &mut part).expect("readable");
    assert_eq!(part, whole[5000..5100]);
    assert!(source.read_bytes(&located[0], 131_000, &mut part).is_err());
}

#[test]
fn errors_of_the_fallback_name_its_file() {
    let volume = volume(32);
    let source = ComposedSource::new(&volume.levels[0]);
    let location = source.locate(chunk(0, 0, 1)).expect("located").expect("there");
    let err = source.read_bytes(&location, 0, &mut vec![0; 131_072]).expect_err("broken").to_string();
    assert!(err.contains("fallback shard"), "{err}");
}

#[test]
fn further_axes_reach_stored_buckets_and_the_fallback() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(32));
    let mut spec = spec(&[Mag::ONE]);
    spec.axes = vec!["t".to_owned()];
    let mut blocks = Blocks::new(ElementClass::Uint32, 32, bounds, |_| 10);
    blocks.positions = 3;
    spec.levels[0].fallback = Some(Arc::new(blocks));
    let mut stored = MemoryBuckets::new(ElementClass::Uint32);
    stored.put(BucketAddress { chunk: chunk(0, 0, 0), axes: [2].into() }, &uniform(ElementClass::Uint32, 77));
    spec.levels[0].stored = Some(Arc::new(stored));
    let volume = VolumeAnnotation::new(spec);
    let source = ComposedSource::new(&volume.levels[0]);
    let first = |source: &dyn ChunkSource| {
        let location = source.locate(chunk(0, 0, 0)).expect("readable")?;
        let mut voxel = [0; 4];
        source.read_bytes(&location, 0, &mut voxel).expect("readable");
        Some(u32::from_le_bytes(voxel))
    };
    let at = |t| first(&*source.at_axes(&[t]).expect("one axis"));
    assert_eq!((first(&source), at(0), at(1), at(2), at(3)), (Some(10), Some(10), Some(11), Some(77), None));
    assert!(source.at_axes(&[]).is_none() && source.at_axes(&[0, 0]).is_none());
}

#[test]
fn edited_buckets_are_not_in_it() {
    let volume = volume(32);
    let mut editor = VolumeEditor::new(volume.clone());
    let settings = PaintSettings { segment: 3, active: 3, mode: OverwriteMode::OverwriteAll };
    editor.paint_box(settings, &Arc::default(), &BoundingBox::new(Vec3Int::ZERO, Shape3::splat(5))).expect("painted");
    let source = ComposedSource::new(&volume.levels[0]);
    let location = source.locate(chunk(0, 0, 0)).expect("readable").expect("there");
    let mut voxel = [0; 4];
    source.read_bytes(&location, 0, &mut voxel).expect("readable");
    assert_eq!((u32::from_le_bytes(voxel), id_of(&volume, 0, Vec3Int::ZERO)), (1, 3));
}
