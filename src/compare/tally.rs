//! [`Tally`]: what was found in some part of two levels, and how parts are put together.

use super::CompareOptions;
use super::difference::{DifferingVoxel, Side, Unreadable, VoxelDifference};
use super::pairs::PairCounts;
use super::regions::{RegionCounts, zyx};
use super::scan::Comparator;
use crate::format::ChunkError;
use crate::geometry::{BoundingBox, Shape3, Vec3Int};
use crate::voxel::VoxelType;
use std::collections::BTreeMap;

/// Unreadable chunks that are kept; more would not be read by anyone.
const MAX_UNREADABLE: usize = 20;

/// Counts of a part. Parts may be added in any order.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    comparator: Comparator,
    types: [VoxelType; 2],
    counts_ids: bool,
    options: CompareOptions,
    /// Positions along further axes of what is added.
    axes: Vec<u64>,
    difference: VoxelDifference,
    pairs: PairCounts,
    regions: RegionCounts,
    /// By side and position, so that the same ones remain whatever the order.
    unreadable: BTreeMap<(Side, [i64; 3]), ChunkError>,
}

impl Tally {
    /// Without counts.
    pub fn new(types: [VoxelType; 2], options: CompareOptions) -> Self {
        let counts_ids = options.is_segmentation && types.iter().all(|t| t.channels == 1 && !t.class.is_float());
        Self {
            comparator: Comparator::new(types),
            types,
            counts_ids,
            options,
            axes: Vec::new(),
            difference: VoxelDifference::default(),
            pairs: PairCounts::default(),
            regions: RegionCounts::new(options.max_regions),
            unreadable: BTreeMap::new(),
        }
    }

    /// The same without counts, at these positions along further axes.
    pub fn empty_at(&self, axes: &[u64]) -> Self {
        Self { axes: axes.to_vec(), ..Self::new(self.types, self.options) }
    }

    /// Whether any voxel was found to differ.
    pub const fn differs(&self) -> bool {
        self.difference.differing > 0
    }

    /// Compares two canonical arrays that cover `area`.
    pub fn add_voxels(&mut self, area: &BoundingBox, a: &[u8], b: &[u8]) {
        self.add_compared(area);
        if area.is_empty() || self.comparator.same_bytes(a, b) {
            return;
        }
        let width = area.shape.to_usize()[0];
        let rows = a.chunks_exact(width * self.types[0].byte_len()).zip(b.chunks_exact(width * self.types[1].byte_len()));
        for (i, (a, b)) in (0..).zip(rows) {
            let (y, z) = (i % area.shape.y(), i / area.shape.y());
            if !self.comparator.same_bytes(a, b) {
                self.add_row(area.topleft + Vec3Int::new(0, y, z), a, b);
            }
        }
    }

    /// Compares two rows along x.
    fn add_row(&mut self, start: Vec3Int, a: &[u8], b: &[u8]) {
        let [len_a, len_b] = self.types.map(VoxelType::byte_len);
        let voxels = |x: i64| {
            let i = usize::try_from(x - start.x).unwrap_or(0); // not before the row's start
            [&a[i * len_a..(i + 1) * len_a], &b[i * len_b..(i + 1) * len_b]]
        };
        // Voxels of one region, and neighbours of the same two values, are counted together.
        let (mut row, mut region, mut values): (Option<Run>, Option<Run>, Option<Run>) = (None, None, None);
        let mut region_end = start.x;
        let comparator = self.comparator;
        comparator.differing(a, b, |i| {
            let x = start.x + i as i64; // a row has at most `isize::MAX` bytes
            row.get_or_insert(Run::starting(x)).add(x);
            if x >= region_end {
                self.add_to_region(start, region.take());
                region_end = self.regions.next_x(x);
            }
            region.get_or_insert(Run::starting(x)).add(x);
            if let Some(done) = values.take_if(|run| voxels(run.first_x) != voxels(x)) {
                self.add_values(voxels(done.first_x), done.count);
            }
            values.get_or_insert(Run::starting(x)).add(x);
        });
        self.add_to_region(start, region);
        if let Some(run) = values {
            self.add_values(voxels(run.first_x), run.count);
        }
        if let Some(run) = row {
            let touched = BoundingBox::new(start.with(0, run.first_x), Shape3::new(run.last_x - run.first_x + 1, 1, 1));
            self.add_touched(&touched, run.count, voxels(run.first_x));
        }
    }

    fn add_to_region(&mut self, start: Vec3Int, run: Option<Run>) {
        if let Some(run) = run {
            self.regions.add(start.with(0, run.first_x), run.count);
        }
    }

    /// Counts differing voxels in the box around them, whose first voxel is one of them and has these values.
    fn add_touched(&mut self, touched: &BoundingBox, count: u64, first_values: [&[u8]; 2]) {
        let all = &mut self.difference;
        all.differing = all.differing.saturating_add(count);
        all.bounding_box = all.bounding_box.union(touched);
        let comes_before = all.first.as_ref().is_none_or(|first| zyx(touched.topleft) < zyx(first.position));
        if comes_before {
            let values = first_values.map(Box::from);
            all.first = Some(DifferingVoxel { axes: self.axes.clone(), position: touched.topleft, values });
        }
    }

    /// Counts what two values became of voxels that have them.
    fn add_values(&mut self, values: [&[u8]; 2], count: u64) {
        let all = &mut self.difference;
        if !self.counts_ids {
            all.largest_step = all.largest_step.max(self.comparator.step(values[0], values[1]));
            return;
        }
        let pair = self.comparator.ids(values[0], values[1]);
        match pair {
            (0, _) => all.gained = all.gained.saturating_add(count),
            (_, 0) => all.lost = all.lost.saturating_add(count),
            _ => {}
        }
        self.pairs.add(pair, count);
    }

    /// Compares a box that has the same voxel everywhere, on each side.
    pub fn add_uniform(&mut self, area: &BoundingBox, a: &[u8], b: &[u8]) {
        self.add_compared(area);
        let mut differs = false;
        self.comparator.differing(a, b, |_| differs = true);
        if differs && !area.is_empty() {
            self.regions.add_box(area);
            self.add_touched(area, voxel_count(area), [a, b]);
            self.add_values([a, b], voxel_count(area));
        }
    }

    fn add_compared(&mut self, area: &BoundingBox) {
        self.difference.compared = self.difference.compared.saturating_add(voxel_count(area));
    }

    /// Notes a box that can't be compared.
    pub fn add_unreadable(&mut self, area: &BoundingBox, side: Side, error: ChunkError) {
        self.difference.unread = self.difference.unread.saturating_add(voxel_count(area));
        self.unreadable.entry((side, zyx(error.chunk.0))).or_insert(error);
        self.drop_unreadable();
    }

    fn drop_unreadable(&mut self) {
        while self.unreadable.len() > MAX_UNREADABLE {
            self.unreadable.pop_last();
        }
    }

    /// Adds what was found in another part.
    pub fn merge(&mut self, other: Self) {
        // Every field is named, so that a new one is not forgotten.
        let VoxelDifference {
            compared,
            differing,
            gained,
            lost,
            largest_step,
            first,
            bounding_box,
            pairs: _,
            regions: _,
            unread,
            unreadable: _,
        } = other.difference;
        let all = &mut self.difference;
        for (sum, added) in [
            (&mut all.compared, compared),
            (&mut all.differing, differing),
            (&mut all.gained, gained),
            (&mut all.lost, lost),
            (&mut all.unread, unread),
        ] {
            *sum = sum.saturating_add(added);
        }
        all.largest_step = all.largest_step.max(largest_step);
        all.bounding_box = all.bounding_box.union(&bounding_box);
        let order = |voxel: &DifferingVoxel| (voxel.axes.clone(), zyx(voxel.position));
        all.first = [all.first.take(), first].into_iter().flatten().min_by_key(order);
        self.pairs.merge(other.pairs);
        self.regions.merge(other.regions);
        for (key, error) in other.unreadable {
            self.unreadable.entry(key).or_insert(error);
        }
        self.drop_unreadable();
    }

    /// The answer, for what was compared in `extent`.
    pub fn finish(mut self, extent: &BoundingBox) -> VoxelDifference {
        self.difference.regions = self.regions.finish(extent);
        if self.counts_ids {
            let classes = self.types.map(|t| t.class);
            self.difference.pairs = Some(self.pairs.finish(classes, self.difference.differing, self.options.max_pairs));
        }
        let unreadable = self.unreadable.into_iter().map(|((side, _), error)| Unreadable { side, error });
        self.difference.unreadable = unreadable.collect();
        self.difference
    }
}

/// Differing voxels of a row, perhaps with others between them.
struct Run {
    first_x: i64,
    last_x: i64,
    count: u64,
}

impl Run {
    const fn starting(x: i64) -> Self {
        Self { first_x: x, last_x: x, count: 0 }
    }

    const fn add(&mut self, x: i64) {
        self.last_x = x;
        self.count += 1;
    }
}

/// Voxels of a box, saturated.
pub(super) fn voxel_count(area: &BoundingBox) -> u64 {
    if area.is_empty() { 0 } else { area.shape.voxel_count().unwrap_or(u64::MAX) }
}
