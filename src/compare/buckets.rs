//! [`compare_buckets`]: one mag of two volume annotations, bucket by bucket.
//!
//! A bucket of zeros that is there hides the fallback layer, one that isn't there shows it. So which buckets there are is
//! compared as well as their voxels; those of a bucket that isn't there count as background.

use super::difference::{BucketDifference, Side, VoxelDifference};
use super::tally::Tally;
use super::{CompareError, CompareOptions, Watch};
use crate::format::ChunkError;
use crate::format::annotation::{BUCKET_VOXELS, BucketAddress, BucketStore, bucket_box, painted_box};
use crate::geometry::BoundingBox;
use crate::voxel::VoxelType;
use rayon::prelude::*;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering as Memory};
use std::sync::{Mutex, PoisonError};

/// What was found, and the box around all buckets in voxels of the mag.
pub(super) struct FoundInBuckets {
    pub buckets: BucketDifference,
    pub voxels: VoxelDifference,
    pub extent: BoundingBox,
}

/// Compares the buckets of two mags whose further axes are the same. Where nothing lies below (`hides` is false), a bucket
/// of zeros means the same as none.
pub(super) fn compare_buckets(
    stores: [&dyn BucketStore; 2],
    hides: bool,
    options: CompareOptions,
    watch: Watch<'_>,
) -> Result<FoundInBuckets, CompareError> {
    let all = merged(stores[0].addresses(), stores[1].addresses());
    let types = stores.map(|store| VoxelType::single(store.class()));
    let total = (all.len() as u64).saturating_mul(BUCKET_VOXELS as u64);
    let (done, differing) = (AtomicU64::new(0), AtomicU64::new(0));
    let only_in = [AtomicU64::new(0), AtomicU64::new(0)];
    let empty = Tally::new(types, options);
    let tally = Mutex::new(empty.clone());
    all.par_iter().try_for_each(|(address, there)| {
        watch.check()?;
        let mut found = empty.empty_at(&address.axes);
        let area = bucket_box(address.chunk);
        let mut is_known = true;
        if let Err((side, error)) = compare_one(stores, address, &area, &mut found) {
            found.add_unreadable(&area, side, error);
            is_known = false;
        }
        match there {
            [true, true] => differing.fetch_add(u64::from(found.differs()), Memory::Relaxed),
            [in_a, _] => only_in[usize::from(!in_a)].fetch_add(u64::from(hides || found.differs() || !is_known), Memory::Relaxed),
        };
        tally.lock().unwrap_or_else(PoisonError::into_inner).merge(found);
        let before = done.fetch_add(BUCKET_VOXELS as u64, Memory::Relaxed);
        (watch.progress)(before.saturating_add(BUCKET_VOXELS as u64), total);
        Ok(())
    })?;
    let buckets = BucketDifference {
        in_both: all.iter().filter(|(_, there)| *there == [true; 2]).count() as u64,
        only_in: only_in.map(AtomicU64::into_inner),
        differing: differing.into_inner(),
    };
    let extent = all.iter().fold(BoundingBox::default(), |extent, (address, _)| extent.union(&bucket_box(address.chunk)));
    let voxels = tally.into_inner().unwrap_or_else(PoisonError::into_inner).finish(&extent);
    Ok(FoundInBuckets { buckets, voxels, extent })
}

/// An extent in voxels of the mag, and what isn't 0 in buckets beyond it. One that can't be read counts whole, so that it
/// is met where voxels are compared.
pub(super) fn with_painted(extent: &BoundingBox, store: &dyn BucketStore, watch: Watch<'_>) -> Result<BoundingBox, CompareError> {
    let mut beyond = store.addresses();
    beyond.retain(|address| !extent.contains_box(&bucket_box(address.chunk)));
    let painted = beyond.par_iter().map(|address| {
        watch.check()?;
        let mut voxels = vec![0; BUCKET_VOXELS * store.class().byte_len()];
        let read = store.read_into(address, &mut voxels);
        Ok(if read.is_ok() { painted_box(address.chunk, &voxels) } else { bucket_box(address.chunk) })
    });
    painted.try_reduce(BoundingBox::default, |a, b| Ok(a.union(&b))).map(|painted| painted.union(extent))
}

/// The buckets of both, in order, each with the sides that have it.
fn merged(a: Vec<BucketAddress>, b: Vec<BucketAddress>) -> Vec<(BucketAddress, [bool; 2])> {
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    let next = || {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.cmp(b),
        };
        let from_a = a.next_if(|_| order.is_le());
        let from_b = b.next_if(|_| order.is_ge());
        let there = [from_a.is_some(), from_b.is_some()];
        from_a.or(from_b).map(|address| (address, there))
    };
    std::iter::from_fn(next).collect()
}

thread_local! {
    static BUFFERS: RefCell<[Vec<u8>; 2]> = RefCell::default();
}

fn compare_one(
    stores: [&dyn BucketStore; 2],
    address: &BucketAddress,
    area: &BoundingBox,
    found: &mut Tally,
) -> Result<(), (Side, ChunkError)> {
    let mut buffers = BUFFERS.take();
    for ((side, store), buffer) in Side::BOTH.into_iter().zip(stores).zip(&mut buffers) {
        buffer.clear();
        buffer.resize(BUCKET_VOXELS * store.class().byte_len(), 0);
        store.read_into(address, buffer).map_err(|error| (side, error))?;
    }
    found.add_voxels(area, &buffers[0], &buffers[1]);
    BUFFERS.set(buffers);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::annotation::MemoryBuckets;
    use crate::geometry::{ChunkIndex, Shape3, Vec3Int};
    use crate::voxel::ElementClass;
    use std::sync::atomic::AtomicBool;

    fn at(x: i64) -> BucketAddress {
        BucketAddress::at(ChunkIndex(Vec3Int::new(x, 0, 0)))
    }

    fn store(buckets: &[(BucketAddress, u32)]) -> MemoryBuckets {
        let mut store = MemoryBuckets::new(ElementClass::Uint32);
        for (address, id) in buckets {
            assert!(store.put(address.clone(), &id.to_le_bytes().repeat(BUCKET_VOXELS)));
        }
        store
    }

    fn compare(a: &MemoryBuckets, b: &MemoryBuckets) -> FoundInBuckets {
        compare_over(true, a, b)
    }

    fn compare_over(hides: bool, a: &MemoryBuckets, b: &MemoryBuckets) -> FoundInBuckets {
        let options = CompareOptions { is_segmentation: true, ..CompareOptions::default() };
        compare_buckets([a, b], hides, options, Watch { progress: &|_, _| {}, cancel: &AtomicBool::new(false) }).expect("comparable")
    }

    #[test]
    fn a_bucket_of_zeros_is_not_one_that_is_not_there() {
        let found = compare(&store(&[(at(0), 5), (at(1), 0)]), &store(&[(at(0), 5)]));
        assert!(found.voxels.is_equal() && !found.buckets.is_equal());
        assert_eq!((found.buckets.in_both, found.buckets.only_in, found.buckets.differing), (1, [1, 0], 0));
    }

    #[test]
    fn without_a_layer_below_a_bucket_of_zeros_is_none() {
        let found = compare_over(false, &store(&[(at(0), 5), (at(1), 0)]), &store(&[(at(0), 5), (at(2), 7)]));
        assert_eq!((found.buckets.in_both, found.buckets.only_in, found.buckets.differing), (1, [0, 1], 0));
    }

    #[test]
    fn voxels_of_buckets_on_one_side_are_gained_or_lost() {
        let found = compare(&store(&[(at(-1), 5), (at(3), 1)]), &store(&[(at(3), 2), (at(7), 9)]));
        let bucket = BUCKET_VOXELS as u64;
        assert_eq!((found.voxels.gained, found.voxels.lost, found.voxels.differing), (bucket, bucket, 3 * bucket));
        assert_eq!((found.buckets.only_in, found.buckets.differing), ([1, 1], 1));
        assert_eq!(found.voxels.first.map(|first| first.position), Some(Vec3Int::new(-32, 0, 0)));
        assert_eq!(found.extent, BoundingBox::new(Vec3Int::new(-32, 0, 0), Shape3::new(9 * 32, 32, 32)));
    }

    #[test]
    fn positions_along_further_axes_are_told_apart() {
        let later = |x| BucketAddress { axes: [4].into(), ..at(x) };
        let (a, b) = (store(&[(later(0), 1), (later(1), 1)]), store(&[(later(0), 1), (later(1), 2)]));
        assert_eq!(compare(&a, &b).voxels.first.map(|first| first.axes), Some(vec![4]));
    }
}
