use crate::annotation::test_world::*;
use crate::annotation::*;
use crate::format::annotation::{BucketAddress, MemoryBuckets};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, Vec3Int};
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use std::sync::Arc;

fn at(x: i64, y: i64, z: i64) -> BucketAddress {
    BucketAddress::at(ChunkIndex(Vec3Int::new(x, y, z)))
}

fn one_level(fallback: Option<Blocks>, stored: Option<MemoryBuckets>) -> VolumeSpec {
    let mut spec = spec(&[Mag::ONE]);
    spec.fallback_layer = fallback.is_some().then(|| "segmentation".to_owned());
    spec.levels[0].fallback = fallback.map(|f| Arc::new(f) as _);
    spec.levels[0].stored = stored.map(|s| Arc::new(s) as _);
    spec
}

#[test]
fn buckets_are_edited_else_stored_else_fallback_else_zeros() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(40, 32, 32));
    let mut stored = MemoryBuckets::new(ElementClass::Uint32);
    stored.put(at(1, 0, 0), &uniform(ElementClass::Uint32, 0));
    let volume = VolumeAnnotation::new(one_level(Some(Blocks::new(ElementClass::Uint32, 32, bounds, |_| 5)), Some(stored)));
    let level = &volume.levels[0];
    let origin = |x| level.read(&at(x, 0, 0)).expect("readable").1;
    assert_eq!([0, 1, 2].map(origin), [BucketOrigin::Fallback, BucketOrigin::Stored, BucketOrigin::Empty]);
    // Zeros of a stored bucket are erased voxels, not holes.
    assert_eq!([31, 32, 64].map(|x| id_of(&volume, 0, Vec3Int::new(x, 0, 0))), [5, 0, 0]);
    let edited =
        VoxelBuffer::new(VoxelType::single(ElementClass::Uint32), Shape3::splat(32), uniform(ElementClass::Uint32, 9)).expect("fits");
    let before = level.edited.change_count();
    volume.restore(vec![BucketChange { level: 0, at: at(1, 0, 0), voxels: Some(Arc::new(edited)) }]).expect("fits");
    assert_eq!((origin(1), id_of(&volume, 0, Vec3Int::new(40, 0, 0))), (BucketOrigin::Edited, 9));
    assert!(level.edited.change_count() > before);
    assert_eq!(level.addresses(), [at(1, 0, 0)]);
}

#[test]
fn fallback_outside_of_its_box_is_zero() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(64));
    let mut spec = one_level(Some(Blocks::new(ElementClass::Uint32, 16, bounds, |_| 5)), None);
    spec.fallback_box = Some(BoundingBox::new(Vec3Int::new(3, 0, 0), Shape3::new(7, 64, 64)));
    let volume = VolumeAnnotation::new(spec);
    assert_eq!([2, 3, 9, 10].map(|x| id_of(&volume, 0, Vec3Int::new(x, 1, 1))), [0, 5, 5, 0]);
}

#[test]
fn ids_of_other_classes_are_converted_or_named() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(32));
    let large = Blocks::new(ElementClass::Uint64, 32, bounds, |p| if p.x == 4 { 1 << 40 } else { 7 });
    let volume = VolumeAnnotation::new(one_level(Some(large), None));
    let err = volume.levels[0].read(&at(0, 0, 0)).expect_err("too large").to_string();
    assert!(err.contains("segment 1099511627776 of uint64 doesn't fit uint32") && err.contains("fallback shard"), "{err}");
    let small = Blocks::new(ElementClass::Uint8, 32, bounds, |p| p.x.cast_unsigned());
    let volume = VolumeAnnotation::new(one_level(Some(small), None));
    assert_eq!([0, 31].map(|x| id_of(&volume, 0, Vec3Int::new(x, 3, 3))), [0, 31]);
    let mut stored = MemoryBuckets::new(ElementClass::Uint16);
    stored.put(at(0, 0, 0), &uniform(ElementClass::Uint16, 65_535));
    let volume = VolumeAnnotation::new(one_level(None, Some(stored)));
    assert_eq!(id_of(&volume, 0, Vec3Int::ZERO), 65_535);
}

#[test]
fn a_named_fallback_without_any_source_is_missing_and_a_missing_mag_is_not() {
    let mags = mags(&["1", "2"]);
    let mut spec = spec_over(&mags, BoundingBox::new(Vec3Int::ZERO, Shape3::splat(32)), |_, _| 1);
    spec.levels[1].fallback = None;
    let volume = VolumeAnnotation::new(spec.clone());
    assert!(!volume.lacks_fallback());
    assert_eq!([0, 1].map(|level| id_of(&volume, level, Vec3Int::ZERO)), [1, 0]);
    spec.levels[0].fallback = None;
    assert!(VolumeAnnotation::new(spec.clone()).lacks_fallback());
    // The layer is there, in other mags.
    spec.fallback_box = Some(BoundingBox::new(Vec3Int::ZERO, Shape3::splat(32)));
    let volume = VolumeAnnotation::new(spec);
    assert!(!volume.lacks_fallback());
    assert_eq!([0, 1].map(|level| id_of(&volume, level, Vec3Int::ZERO)), [0, 0]);
}

#[test]
fn levels_are_sorted_and_only_new_volumes_start_at_id_zero() {
    let volume = VolumeAnnotation::new(spec(&mags(&["4", "1", "2-2-1", "1"])));
    assert_eq!(volume.levels.iter().map(|level| level.mag.to_string()).collect::<Vec<_>>(), ["1", "2-2-1", "4"]);
    assert_eq!((volume.largest_segment_id, volume.level_of(mags(&["4"])[0])), (Some(0), Some(2)));
    let stored = VolumeAnnotation::new(one_level(None, Some(MemoryBuckets::new(ElementClass::Uint32))));
    assert_eq!(stored.largest_segment_id, None);
}

#[test]
fn restoring_refuses_buckets_that_do_not_fit_and_changes_nothing() {
    let volume = VolumeAnnotation::new(one_level(None, None));
    let bucket = |class| {
        let voxels = VoxelBuffer::new(VoxelType::single(class), Shape3::splat(32), uniform(class, 1)).expect("fits");
        Some(Arc::new(voxels))
    };
    let good = BucketChange { level: 0, at: at(0, 0, 0), voxels: bucket(ElementClass::Uint32) };
    for bad in [
        BucketChange { voxels: bucket(ElementClass::Uint8), ..good.clone() },
        BucketChange { level: 1, ..good.clone() },
        BucketChange { at: BucketAddress { axes: [0].into(), ..at(0, 0, 0) }, ..good.clone() },
    ] {
        assert!(volume.restore(vec![good.clone(), bad]).is_err());
        assert!(volume.levels[0].edited.is_empty());
    }
}
