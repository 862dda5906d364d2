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
        let mut run: Option<Run> = None;
        let comparator = self.comparator;
        comparator.differing(a, b, |i| {
            let x = start.x + i as i64; // a row has at most `isize::MAX` bytes
            let voxels = [&a[i * len_a..(i + 1) * len_a], &b[i * len_b..(i + 1) * len_b]];
            match &mut run {
                Some(run) if x < run.end_x && run.values == voxels => (run.count, run.last_x) = (run.count + 1, x),
                other => {
                    if let Some(run) = other.take() {
                        self.add_run(start, &run);
                    }
                    *other = Some(Run { first_x: x, last_x: x, end_x: self.regions.next_x(x), count: 1, values: voxels });
                }
            }
        });
        if let Some(run) = run {
            self.add_run(start, &run);
        }
    }

    fn add_run(&mut self, start: Vec3Int, run: &Run<'_>) {
        let first = start.with(0, run.first_x);
        self.regions.add(first, run.count);
        let touched = BoundingBox::new(first, Shape3::new(run.last_x - run.first_x + 1, 1, 1));
        self.add_differing(&touched, run.count, run.values);
    }

    /// Counts voxels of the same two values; `touched` is the box around them, whose first voxel is one of them.
    fn add_differing(&mut self, touched: &BoundingBox, count: u64, values: [&[u8]; 2]) {
        let all = &mut self.difference;
        all.differing = all.differing.saturating_add(count);
        all.bounding_box = all.bounding_box.union(touched);
        let comes_before = all.first.as_ref().is_none_or(|first| zyx(touched.topleft) < zyx(first.position));
        if comes_before {
            let values = values.map(Box::from);
            all.first = Some(DifferingVoxel { axes: self.axes.clone(), position: touched.topleft, values });
        }
        if self.counts_ids {
            let pair = self.comparator.ids(values[0], values[1]);
            match pair {
                (0, _) => all.gained = all.gained.saturating_add(count),
                (_, 0) => all.lost = all.lost.saturating_add(count),
                _ => {}
            }
            self.pairs.add(pair, count);
        } else {
            all.largest_step = all.largest_step.max(self.comparator.step(values[0], values[1]));
        }
    }

    /// Compares a box that has the same voxel everywhere, on each side.
    pub fn add_uniform(&mut self, area: &BoundingBox, a: &[u8], b: &[u8]) {
        self.add_compared(area);
        let mut differs = false;
        self.comparator.differing(a, b, |_| differs = true);
        if differs && !area.is_empty() {
            self.regions.add_box(area);
            self.add_differing(area, voxel_count(area), [a, b]);
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

/// Differing voxels of one row and one region that have the same two values.
struct Run<'a> {
    first_x: i64,
    last_x: i64,
    /// Where the region ends.
    end_x: i64,
    count: u64,
    values: [&'a [u8]; 2],
}

/// Voxels of a box, saturated.
pub(super) fn voxel_count(area: &BoundingBox) -> u64 {
    if area.is_empty() { 0 } else { area.shape.voxel_count().unwrap_or(u64::MAX) }
}
