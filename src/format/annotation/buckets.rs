//! [`BucketStore`]: the buckets of one mag of a volume annotation.
//!
//! A *bucket* is a chunk of 32³ voxels of an annotation. The word is the server's; it is kept beside *chunk* because
//! buckets lie over the chunks of a fallback layer and hide them whole.

use crate::format::ChunkError;
use crate::geometry::{BoundingBox, ChunkIndex, Shape3, Vec3Int};
use crate::voxel::{ElementClass, is_zero};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Edge of a bucket in voxels of its mag.
pub const BUCKET_SIDE: i64 = 32;

/// Voxels of a bucket.
pub const BUCKET_VOXELS: usize = 32 * 32 * 32;

/// Which bucket of a mag: voxel `v` of the mag lies in bucket `floor(v / 32)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BucketAddress {
    /// Index along x, y, z.
    pub chunk: ChunkIndex,
    /// Positions along the axes beyond x, y, z, in the annotation's order; empty where it has none.
    pub axes: Arc<[u64]>,
}

impl BucketAddress {
    /// A bucket of an annotation without further axes.
    pub fn at(chunk: ChunkIndex) -> Self {
        Self { chunk, axes: Arc::default() }
    }

    /// Order in which buckets are written: by further axes, then z, y, x.
    pub fn sort_key(&self) -> (&[u64], [i64; 3]) {
        let [x, y, z] = self.chunk.0.to_array();
        (&self.axes, [z, y, x])
    }
}

impl PartialOrd for BucketAddress {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BucketAddress {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

/// The voxels of a bucket.
pub fn bucket_box(chunk: ChunkIndex) -> BoundingBox {
    BoundingBox::new(chunk.0.times(Vec3Int::splat(BUCKET_SIDE)), Shape3::splat(BUCKET_SIDE))
}

/// The box around the voxels of a bucket that aren't 0, in voxels of the mag. `voxels` are canonical.
pub fn painted_box(chunk: ChunkIndex, voxels: &[u8]) -> BoundingBox {
    let voxel_len = (voxels.len() / BUCKET_VOXELS).max(1);
    let rows = (0..).zip(voxels.chunks_exact(voxel_len * BUCKET_SIDE as usize)); // a row of a bucket fits
    let painted = rows.filter(|(_, row)| !is_zero(row)).map(|(i, row): (i64, _)| {
        let at = |byte: Option<usize>| (byte.unwrap_or(0) / voxel_len) as i64; // below a bucket's edge
        let first = at(row.iter().position(|byte| *byte != 0));
        let last = at(row.iter().rposition(|byte| *byte != 0));
        BoundingBox::new(Vec3Int::new(first, i % BUCKET_SIDE, i / BUCKET_SIDE), Shape3::new(last - first + 1, 1, 1))
    });
    painted.fold(BoundingBox::default(), |all, row| all.union(&row)).translate(bucket_box(chunk).topleft)
}

/// What a volume reaches with the buckets of a further mag, in mag-1 voxels; `extent` is what it reaches with those of all
/// finer mags. A coarse bucket is far larger than what was painted in it, so one that touches the extent adds nothing: what
/// it holds beyond the extent isn't known by names alone (see [`painted_box`]).
pub fn extent_with(extent: &BoundingBox, buckets: impl IntoIterator<Item = BoundingBox>) -> BoundingBox {
    let beyond = buckets.into_iter().filter(|bucket| bucket.intersect(extent).is_empty());
    beyond.fold(*extent, |all, bucket| all.union(&bucket))
}

/// The stored buckets of one mag of a volume annotation. Which there are is known without reading; a bucket of zeros
/// that is there hides the fallback layer.
pub trait BucketStore: Send + Sync {
    /// Class of the voxels.
    fn class(&self) -> ElementClass;

    /// Whether the bucket is there.
    fn contains(&self, at: &BucketAddress) -> bool;

    /// All buckets, in the order of [`BucketAddress`].
    fn addresses(&self) -> Vec<BucketAddress>;

    /// Reads a bucket as canonical voxels (x fastest, little-endian) of [`Self::class`]; `out` has exactly its length.
    /// `false`, and `out` as it was, where it isn't there.
    ///
    /// # Errors
    /// If it is there and can't be read or decoded.
    fn read_into(&self, at: &BucketAddress, out: &mut [u8]) -> Result<bool, ChunkError>;
}

/// Buckets in memory, for tests and for what is made in memory.
#[derive(Clone, Debug)]
pub struct MemoryBuckets {
    class: ElementClass,
    buckets: BTreeMap<BucketAddress, Arc<[u8]>>,
}

impl MemoryBuckets {
    /// Without buckets.
    pub const fn new(class: ElementClass) -> Self {
        Self { class, buckets: BTreeMap::new() }
    }

    /// Puts a bucket's canonical voxels, replacing those of the same address. `false` if they have another length.
    pub fn put(&mut self, at: BucketAddress, voxels: &[u8]) -> bool {
        let fits = voxels.len() == BUCKET_VOXELS * self.class.byte_len();
        if fits {
            self.buckets.insert(at, voxels.into());
        }
        fits
    }
}

impl BucketStore for MemoryBuckets {
    fn class(&self) -> ElementClass {
        self.class
    }

    fn contains(&self, at: &BucketAddress) -> bool {
        self.buckets.contains_key(at)
    }

    fn addresses(&self) -> Vec<BucketAddress> {
        self.buckets.keys().cloned().collect()
    }

    fn read_into(&self, at: &BucketAddress, out: &mut [u8]) -> Result<bool, ChunkError> {
        let Some(voxels) = self.buckets.get(at) else { return Ok(false) };
        out.copy_from_slice(voxels);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_painted_in_a_bucket_is_boxed() {
        let chunk = ChunkIndex(Vec3Int::new(1, 0, -1));
        let mut voxels = vec![0; 2 * BUCKET_VOXELS];
        assert!(painted_box(chunk, &voxels).is_empty());
        for (x, y, z) in [(3, 4, 5), (30, 4, 7)] {
            voxels[2 * (x + 32 * (y + 32 * z)) + 1] = 9;
        }
        assert_eq!(painted_box(chunk, &voxels), BoundingBox::new(Vec3Int::new(35, 4, -27), Shape3::new(28, 1, 3)));
    }

    #[test]
    fn coarse_buckets_of_what_is_known_add_nothing() {
        let side = |at: i64, side: i64| BoundingBox::new(Vec3Int::splat(at), Shape3::splat(side));
        let fine = extent_with(&BoundingBox::default(), [side(64, 32), side(96, 32)]);
        assert_eq!(fine, side(64, 64));
        assert_eq!(extent_with(&fine, [side(0, 32_768)]), fine);
        assert_eq!(extent_with(&fine, [side(0, 128), side(1024, 128)]), BoundingBox::between(Vec3Int::splat(64), Vec3Int::splat(1152)));
    }
}
