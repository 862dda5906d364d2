//! [`MagMask`]: a set of voxels of one mag, bucket by bucket, a bit for each voxel; and how sets pass from mag to mag.

use crate::format::annotation::{BUCKET_SIDE, bucket_box};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, Vec3Int};
use std::borrow::Cow;
use std::collections::HashMap;

/// Positions are divided by 32, a bucket's side, with this shift.
const SIDE_BITS: u32 = BUCKET_SIDE.trailing_zeros();

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
        self.add_between(added.topleft, added.bottomright());
    }

    /// Adds the voxels from `low` up to but not including `high`; none if they are in the wrong order.
    fn add_between(&mut self, low: Vec3Int, high: Vec3Int) {
        if low.x >= high.x || low.y >= high.y || low.z >= high.z {
            return;
        }
        let bucket = |p: Vec3Int| Vec3Int::new(p.x >> SIDE_BITS, p.y >> SIDE_BITS, p.z >> SIDE_BITS);
        let (first, last) = (bucket(low), bucket(high - Vec3Int::splat(1)));
        if first == last {
            return self.add_inside(ChunkIndex(first), low, high);
        }
        for chunk in cells(first, last + Vec3Int::splat(1)) {
            let whole = bucket_box(chunk);
            self.add_inside(chunk, low.max(whole.topleft), high.min(whole.bottomright()));
        }
    }

    /// Adds voxels of one bucket.
    fn add_inside(&mut self, chunk: ChunkIndex, low: Vec3Int, high: Vec3Int) {
        let is_whole = high - low == Vec3Int::splat(BUCKET_SIDE);
        let slot = self.slot(chunk);
        match slot {
            BucketMask::Full => {}
            BucketMask::Rows(_) if is_whole => *slot = BucketMask::Full,
            BucketMask::Rows(rows) => {
                let origin = bucket_box(chunk).topleft;
                set_box(rows, &BoundingBox::between(low - origin, high - origin));
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
            let BucketMask::Rows(rows) = mask else {
                projected.add_box(&project_box(&bucket_box(*chunk), from, to).intersect(within));
                continue;
            };
            // What the 32 voxels along each axis overlap is divided out once: a brush in YZ has a run for each voxel.
            let spans = [0, 1, 2].map(|axis| project_side(chunk.0[axis], from.factors()[axis], to.factors()[axis]));
            let (least, most) = (within.topleft, within.bottomright());
            for_each_run(rows, |start, len| {
                let end = start + Vec3Int::new(len - 1, 0, 0);
                let at = |axis: usize, pos: Vec3Int| spans[axis][usize::try_from(pos[axis]).unwrap_or(0)];
                let low = Vec3Int::new(at(0, start).0, at(1, start).0, at(2, start).0).max(least);
                let high = Vec3Int::new(at(0, end).1, at(1, end).1, at(2, end).1).min(most);
                projected.add_between(low, high);
            });
        }
        projected
    }
}

/// First voxel of another mag, and the one after the last, that each voxel of a bucket overlaps along one axis.
fn project_side(chunk: i64, from: i64, to: i64) -> [(i64, i64); BUCKET_SIDE as usize] {
    let mut next = chunk * BUCKET_SIDE;
    [(); BUCKET_SIDE as usize].map(|()| {
        let (low, high) = (next * from, (next + 1) * from);
        next += 1;
        (low.div_euclid(to), (high - 1).div_euclid(to) + 1)
    })
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
    cells(first, end)
}

/// The buckets from `first` up to but not including `end`, x fastest.
fn cells(first: Vec3Int, end: Vec3Int) -> impl Iterator<Item = ChunkIndex> + use<> {
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
