//! [`MagMask`]: a set of voxels of one mag, bucket by bucket, a bit for each voxel; and how sets pass from mag to mag.

use super::base::bucket_box;
use crate::format::annotation::BUCKET_SIDE;
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, Vec3Int};
use std::borrow::Cow;
use std::collections::HashMap;

/// Rows of a bucket.
pub(super) const ROWS: usize = 32 * 32;

/// Voxels of one bucket: row `y + 32 z`, bit `x`.
pub(super) type Rows = [u32; ROWS];

/// Every voxel of a bucket.
pub(super) const ALL_ROWS: Rows = [!0; ROWS];

/// Voxels of one bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BucketMask {
    /// All of them.
    Full,
    /// Some.
    Rows(Box<Rows>),
}

impl BucketMask {
    /// As bits.
    pub fn rows(&self) -> &Rows {
        match self {
            Self::Full => &ALL_ROWS,
            Self::Rows(rows) => rows,
        }
    }

    /// From bits, short where all are set.
    pub fn from_rows(rows: Box<Rows>) -> Self {
        if *rows == ALL_ROWS { Self::Full } else { Self::Rows(rows) }
    }
}

/// A set of voxels of one mag.
#[derive(Clone, Debug, Default)]
pub(super) struct MagMask {
    buckets: Vec<(ChunkIndex, BucketMask)>,
    index: HashMap<ChunkIndex, usize>,
    /// The bucket that was changed last: neighbours follow each other.
    last: usize,
}

impl MagMask {
    /// Its buckets.
    pub fn buckets(&self) -> &[(ChunkIndex, BucketMask)] {
        &self.buckets
    }

    /// Whether no bucket is in it.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Adds a bucket that isn't in it yet.
    pub fn insert(&mut self, chunk: ChunkIndex, mask: BucketMask) {
        self.index.insert(chunk, self.buckets.len());
        self.buckets.push((chunk, mask));
    }

    fn slot(&mut self, chunk: ChunkIndex) -> &mut BucketMask {
        if self.buckets.get(self.last).is_none_or(|(last, _)| *last != chunk) {
            self.last = *self.index.entry(chunk).or_insert_with(|| {
                self.buckets.push((chunk, BucketMask::Rows(Box::new([0; ROWS]))));
                self.buckets.len() - 1
            });
        }
        &mut self.buckets[self.last].1
    }

    /// Adds the voxels of a box.
    pub fn add_box(&mut self, added: &BoundingBox) {
        for chunk in bucket_range(added) {
            let part = bucket_box(chunk).intersect(added);
            let is_whole = part.shape == Shape3::splat(BUCKET_SIDE);
            let slot = self.slot(chunk);
            match slot {
                BucketMask::Full => {}
                BucketMask::Rows(_) if is_whole => *slot = BucketMask::Full,
                BucketMask::Rows(rows) => set_box(rows, &part.translate(Vec3Int::ZERO - bucket_box(chunk).topleft)),
            }
        }
    }

    /// The voxels of another mag that overlap those of this one, as far as they lie in `within`.
    ///
    /// To finer mags this is every voxel that is covered, to coarser ones every voxel with a part of it under it. Factors
    /// needn't be multiples of each other: a voxel counts if it shares any space with one of the set.
    pub fn project(&self, from: Mag, to: Mag, within: &BoundingBox) -> Self {
        let mut projected = Self::default();
        for (chunk, mask) in &self.buckets {
            let origin = bucket_box(*chunk).topleft;
            match mask {
                BucketMask::Full => projected.add_box(&project_box(&bucket_box(*chunk), from, to).intersect(within)),
                BucketMask::Rows(rows) => for_each_run(rows, |start, len| {
                    let run = BoundingBox::new(start + origin, Shape3::new(len, 1, 1));
                    projected.add_box(&project_box(&run, from, to).intersect(within));
                }),
            }
        }
        projected
    }
}

/// The voxels of a mag that overlap a box of another.
pub(super) fn project_box(b: &BoundingBox, from: Mag, to: Mag) -> BoundingBox {
    to.box_in_mag(&from.box_in_mag1(b))
}

/// The buckets that a box meets.
pub(super) fn bucket_range(b: &BoundingBox) -> impl Iterator<Item = ChunkIndex> + use<> {
    let side = Vec3Int::splat(BUCKET_SIDE);
    let (first, end) =
        if b.is_empty() { (Vec3Int::ZERO, Vec3Int::ZERO) } else { (b.topleft.div_floor(side), b.bottomright().div_ceil(side)) };
    (first.z..end.z).flat_map(move |z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| ChunkIndex(Vec3Int::new(x, y, z)))))
}

/// Sets the bits of a box inside a bucket.
pub(super) fn set_box(rows: &mut Rows, local: &BoundingBox) {
    let ([x, y, z], [w, h, d]) = (Shape3::from(local.topleft.to_array()).to_usize(), local.shape.to_usize());
    if local.is_empty() {
        return;
    }
    let bits = (!0_u32 >> (32 - w)) << x;
    for z in z..z + d {
        for row in &mut rows[32 * z + y..32 * z + y + h] {
            *row |= bits;
        }
    }
}

/// Calls `f` with the first voxel (in the bucket) and the length of each run along x.
pub(super) fn for_each_run(rows: &Rows, mut f: impl FnMut(Vec3Int, i64)) {
    for (row, at) in rows.iter().zip(0_i64..) {
        let mut bits = *row;
        while bits != 0 {
            let start = bits.trailing_zeros();
            let len = (bits >> start).trailing_ones();
            f(Vec3Int::new(i64::from(start), at % BUCKET_SIDE, at / BUCKET_SIDE), i64::from(len));
            bits &= (!0_u32).checked_shl(start + len).unwrap_or(0);
        }
    }
}

/// A set of voxels of one mag, in the form that suits it.
#[derive(Clone, Debug)]
pub(super) enum Area {
    /// Any voxels.
    Mask(MagMask),
    /// A box of any size.
    Box(BoundingBox),
}

impl Area {
    /// Number of buckets it meets, saturated.
    pub fn bucket_count(&self) -> u64 {
        match self {
            Self::Mask(mask) => mask.buckets().len() as u64,
            Self::Box(b) => {
                let side = Vec3Int::splat(BUCKET_SIDE);
                let range = BoundingBox::between(b.topleft.div_floor(side), b.bottomright().div_ceil(side));
                if b.is_empty() { 0 } else { range.shape.voxel_count().unwrap_or(u64::MAX) }
            }
        }
    }

    /// Its buckets, each with its voxels.
    pub fn buckets(&self) -> Box<dyn Iterator<Item = (ChunkIndex, Cow<'_, BucketMask>)> + '_> {
        match self {
            Self::Mask(mask) => Box::new(mask.buckets().iter().map(|(chunk, mask)| (*chunk, Cow::Borrowed(mask)))),
            Self::Box(b) => Box::new(bucket_range(b).map(|chunk| (chunk, Cow::Owned(box_mask(b, chunk))))),
        }
    }

    /// See [`MagMask::project`].
    pub fn project(&self, from: Mag, to: Mag, within: &BoundingBox) -> Self {
        match self {
            Self::Mask(mask) => Self::Mask(mask.project(from, to, within)),
            Self::Box(b) => Self::Box(project_box(b, from, to).intersect(within)),
        }
    }
}

fn box_mask(b: &BoundingBox, chunk: ChunkIndex) -> BucketMask {
    let mut one = MagMask::default();
    one.add_box(&b.intersect(&bucket_box(chunk)));
    one.buckets.pop().map_or_else(|| BucketMask::Rows(Box::new([0; ROWS])), |(_, mask)| mask)
}
