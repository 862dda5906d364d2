use crate::annotation::apply::{BucketReader, Paint, prepare};
use crate::annotation::mask::{Area, MagMask};
use crate::annotation::test_world::*;
use crate::annotation::voxels::PaintRule;
use crate::annotation::*;
use crate::geometry::{BoundingBox, Mag, Shape3, Vec3Int};
use proptest::prelude::*;
use std::collections::HashSet;

/// Whether two voxels share any space: intervals along each axis, written out.
fn overlap(a: Vec3Int, mag_a: Mag, b: Vec3Int, mag_b: Mag) -> bool {
    (0..3).all(|axis| {
        let (fa, fb) = (mag_a.factors()[axis], mag_b.factors()[axis]);
        a[axis] * fa < (b[axis] + 1) * fb && b[axis] * fb < (a[axis] + 1) * fa
    })
}

fn any_mags() -> impl Strategy<Value = Vec<Mag>> {
    prop::sample::select(vec![
        mags(&["1", "2-2-1", "4-4-2", "8-8-4"]),
        mags(&["1", "2-2-1", "3-3-1", "6-6-2"]),
        mags(&["1-1-2", "2-2-1", "3-3-2"]), // as levels are sorted
        mags(&["4-4-2", "5-5-5"]),
    ])
}

/// Mag-1 extent of what is compared: more than one bucket of the finest mags.
fn extent() -> BoundingBox {
    BoundingBox::new(Vec3Int::ZERO, Shape3::new(72, 40, 36))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn painting_reaches_all_mags_as_a_reference_says(
        mags in any_mags(), level in 0_usize..4, id in prop::sample::select(vec![0_u64, 3]), seed in 0_u64..1000,
        rule in prop::sample::select(vec![PaintRule::All, PaintRule::WhereEqual(0), PaintRule::WhereEqual(2)]),
        boxes in prop::collection::vec((prop::array::uniform3(0_i64..40), prop::array::uniform3(1_i64..9)), 1..4),
        paintable in prop::option::of((prop::array::uniform3(0_i64..20), prop::array::uniform3(5_i64..40))),
    ) {
        let level = level % mags.len();
        let content = |mag: Mag, p: Vec3Int| (p.x / 3 + p.y / 2 * 5 + p.z * 7 + mag.max_factor()).cast_unsigned().wrapping_mul(seed + 1) % 3;
        let mut spec = spec_over(&mags, extent(), content);
        if let Some((topleft, shape)) = paintable {
            spec.bounding_box = BoundingBox::new(topleft.into(), shape.into());
        }
        let volume = VolumeAnnotation::new(spec);
        let before: Vec<Vec<u64>> = (0..mags.len()).map(|l| ids_in(&volume, l, &mags[l].box_in_mag(&extent()))).collect();
        let mut mask = MagMask::default();
        let mut asked = HashSet::new();
        for (topleft, shape) in boxes {
            let inside = BoundingBox::new(topleft.into(), shape.into()).intersect(&volume.paintable_box(mags[level])).intersect(&mags[level].box_in_mag(&extent()));
            mask.add_box(&inside);
            asked.extend(positions(&inside));
        }
        let paint = Paint { level, axes: std::sync::Arc::default(), area: Area::Mask(mask), rule, id };
        let prepared = prepare(&volume, &mut BucketReader::default(), &paint).expect("readable");
        for l in 0..mags.len() {
            prop_assert_eq!(&ids_in(&volume, l, &mags[l].box_in_mag(&extent())), &before[l], "visible before it is published");
        }
        volume.restore(prepared.changes.clone()).expect("fits");
        let region = mags[level].box_in_mag(&extent());
        let painted: Vec<Vec3Int> = positions(&region).zip(&before[level]).filter(|(pos, old)| {
            asked.contains(pos) && match rule { PaintRule::All => true, PaintRule::WhereEqual(id) => **old == id }
        }).map(|(pos, _)| pos).collect();
        let mut touched = 0;
        for (l, mag) in mags.iter().enumerate() {
            let region = mag.box_in_mag(&extent());
            let after = ids_in(&volume, l, &region);
            for ((pos, old), new) in positions(&region).zip(&before[l]).zip(&after) {
                let is_painted = volume.paintable_box(*mag).contains(pos) && painted.iter().any(|p| overlap(*p, mags[level], pos, *mag));
                prop_assert_eq!(*new, if is_painted { id } else { *old }, "mag {} at {}", mag, pos);
            }
            let changed: HashSet<_> = positions(&region).zip(before[l].iter().zip(&after)).filter(|(_, (a, b))| a != b)
                .map(|(pos, _)| pos.div_floor(Vec3Int::splat(32)).to_array()).collect();
            let edited: HashSet<_> = volume.levels[l].edited.addresses().into_iter().map(|at| at.chunk.0.to_array()).collect();
            prop_assert_eq!(changed.is_subset(&edited), true);
            touched += edited.len();
        }
        prop_assert_eq!(touched, prepared.changes.len());
        prop_assert_eq!(prepared.changed_voxels, painted.iter().filter(|pos| before[level][index_in(&region, **pos)] != id).count() as u64);
    }

    #[test]
    fn a_box_is_painted_like_its_voxels(topleft in prop::array::uniform3(0_i64..40), shape in prop::array::uniform3(1_i64..60), mags in any_mags(), erase: bool) {
        let make = || VolumeAnnotation::new(spec_over(&mags, extent(), |_, p| (p.x / 9 % 2).cast_unsigned()));
        let (as_box, as_mask) = (make(), make());
        let area = BoundingBox::new(topleft.into(), shape.into());
        let mut mask = MagMask::default();
        mask.add_box(&area);
        for (volume, area) in [(&as_box, Area::Box(area)), (&as_mask, Area::Mask(mask))] {
            let paint = Paint { level: 0, axes: std::sync::Arc::default(), area, rule: PaintRule::All, id: if erase { 0 } else { 9 } };
            volume.restore(prepare(volume, &mut BucketReader::default(), &paint).expect("readable").changes).expect("fits");
        }
        for (a, b) in as_box.snapshot().into_iter().zip(as_mask.snapshot()) {
            prop_assert_eq!(a.len(), b.len());
            for (a, b) in a.into_iter().zip(b) {
                prop_assert_eq!(&a.0, &b.0);
                prop_assert!(a.1.bytes() == b.1.bytes(), "{:?}", a.0);
            }
        }
    }
}

fn index_in(b: &BoundingBox, pos: Vec3Int) -> usize {
    let (d, [w, h, _]) = (pos - b.topleft, b.shape.to_usize());
    usize::try_from(d.x).expect("inside") + w * (usize::try_from(d.y).expect("inside") + h * usize::try_from(d.z).expect("inside"))
}
