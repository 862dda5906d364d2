//! [`RegionCounts`]: where differences lie, within a bound.

use super::difference::DifferingRegion;
use crate::geometry::{BoundingBox, Shape3, Vec3Int};
use std::collections::HashMap;

/// Side of the finest regions, as a power of two: that of most chunks.
const FINEST_LOG2: u32 = 5;

/// Sides beyond this are of no use: the whole number range is a few of them.
const COARSEST_LOG2: u32 = 62;

/// Differing voxels in each cube of a grid from 0, 0, 0 on. When there are too many cubes, their side doubles until
/// they fit, so that all differences stay covered and the side depends on where they lie alone.
#[derive(Clone, Debug)]
pub(super) struct RegionCounts {
    cells: HashMap<Vec3Int, Cell>,
    side_log2: u32,
    limit: usize,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    voxels: u64,
    first: Vec3Int,
}

/// Order in which voxels are named: z, then y, then x.
pub(super) fn zyx(pos: Vec3Int) -> [i64; 3] {
    [pos.z, pos.y, pos.x]
}

impl RegionCounts {
    /// At most `limit` regions, at least 8 so that the coarsest ones always fit.
    pub fn new(limit: usize) -> Self {
        Self { cells: HashMap::new(), side_log2: FINEST_LOG2, limit: limit.max(8) }
    }

    fn key(&self, pos: Vec3Int) -> Vec3Int {
        Vec3Int::new(pos.x >> self.side_log2, pos.y >> self.side_log2, pos.z >> self.side_log2)
    }

    /// First position along x of the region behind that of `x`.
    pub fn next_x(&self, x: i64) -> i64 {
        ((x >> self.side_log2) + 1).checked_mul(1 << self.side_log2).unwrap_or(i64::MAX)
    }

    /// Counts voxels of the region that holds `first`, the first of them in the order z, y, x.
    pub fn add(&mut self, first: Vec3Int, voxels: u64) {
        self.put(self.key(first), Cell { voxels, first });
        self.make_room();
    }

    fn put(&mut self, key: Vec3Int, added: Cell) {
        let cell = self.cells.entry(key).or_insert(Cell { voxels: 0, first: added.first });
        cell.voxels = cell.voxels.saturating_add(added.voxels);
        if zyx(added.first) < zyx(cell.first) {
            cell.first = added.first;
        }
    }

    fn make_room(&mut self) {
        while self.cells.len() > self.limit && self.side_log2 < COARSEST_LOG2 {
            self.coarsen(self.side_log2 + 1);
        }
    }

    fn coarsen(&mut self, side_log2: u32) {
        if side_log2 <= self.side_log2 {
            return;
        }
        self.side_log2 = side_log2;
        for (_, cell) in std::mem::take(&mut self.cells) {
            self.put(self.key(cell.first), cell);
        }
    }

    /// Counts every voxel of a box, which may be of any extent.
    pub fn add_box(&mut self, area: &BoundingBox) {
        if area.is_empty() {
            return;
        }
        let last = area.bottomright() - Vec3Int::splat(1);
        let cells = |this: &Self| {
            let (low, high) = (this.key(area.topleft), this.key(last));
            BoundingBox::between(low, high + Vec3Int::splat(1))
        };
        while cells(self).shape.voxel_count().is_none_or(|n| n > self.limit as u64) && self.side_log2 < COARSEST_LOG2 {
            self.coarsen(self.side_log2 + 1);
        }
        let range = cells(self);
        for z in range.topleft.z..range.bottomright().z {
            for y in range.topleft.y..range.bottomright().y {
                for x in range.topleft.x..range.bottomright().x {
                    let key = Vec3Int::new(x, y, z);
                    let part = self.extent(key).intersect(area);
                    self.put(key, Cell { voxels: part.shape.voxel_count().unwrap_or(u64::MAX), first: part.topleft });
                }
            }
        }
        self.make_room();
    }

    fn extent(&self, key: Vec3Int) -> BoundingBox {
        let side = 1_i64 << self.side_log2;
        BoundingBox::new(key.times(Vec3Int::splat(side)), Shape3::splat(side))
    }

    /// Adds the regions of another part of the volume.
    pub fn merge(&mut self, other: Self) {
        self.coarsen(other.side_log2);
        for cell in other.cells.into_values() {
            self.put(self.key(cell.first), cell);
        }
        self.make_room();
    }

    /// The regions in the order z, y, x, as far as they lie in what was compared.
    pub fn finish(&self, compared: &BoundingBox) -> Vec<DifferingRegion> {
        let mut cells: Vec<_> = self.cells.iter().collect();
        cells.sort_unstable_by_key(|(key, _)| zyx(**key));
        let region = |(key, cell): (&Vec3Int, &Cell)| DifferingRegion {
            extent: self.extent(*key).intersect(compared),
            voxels: cell.voxels,
            first: cell.first,
        };
        cells.into_iter().map(region).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn regions_cover_all_and_do_not_depend_on_the_order(
            at in prop::collection::vec(prop::array::uniform3(-3000_i64..3000), 1..200), limit in 8_usize..40,
        ) {
            let all = BoundingBox::new(Vec3Int::splat(-4000), Shape3::splat(8000));
            let count = |points: &[[i64; 3]]| {
                let mut regions = RegionCounts::new(limit);
                points.iter().for_each(|p| regions.add((*p).into(), 1));
                regions
            };
            let forth = count(&at).finish(&all);
            let reversed: Vec<_> = at.iter().rev().copied().collect();
            prop_assert_eq!(&forth, &count(&reversed).finish(&all));
            let mut merged = count(&at[..at.len() / 2]);
            merged.merge(count(&at[at.len() / 2..]));
            prop_assert_eq!(&forth, &merged.finish(&all));
            prop_assert!(forth.len() <= limit);
            prop_assert_eq!(forth.iter().map(|r| r.voxels).sum::<u64>(), at.len() as u64);
            for region in &forth {
                let inside = at.iter().filter(|p| region.extent.contains((**p).into()));
                prop_assert_eq!(inside.clone().count() as u64, region.voxels);
                prop_assert_eq!(inside.map(|p| zyx((*p).into())).min(), Some(zyx(region.first)));
            }
        }
    }

    #[test]
    fn a_box_is_the_same_as_its_voxels() {
        let area = BoundingBox::new(Vec3Int::new(-40, 3, 30), Shape3::new(90, 30, 5));
        let (mut whole, mut single) = (RegionCounts::new(8), RegionCounts::new(8));
        whole.add_box(&area);
        for z in 30..35 {
            for y in 3..33 {
                (-40..50).for_each(|x| single.add(Vec3Int::new(x, y, z), 1));
            }
        }
        assert_eq!(whole.finish(&area), single.finish(&area));
    }

    #[test]
    fn boxes_of_any_extent_are_few_regions() {
        let area = BoundingBox::new(Vec3Int::splat(i64::MIN / 4), Shape3::splat(i64::MAX / 2));
        let mut regions = RegionCounts::new(100);
        regions.add_box(&area);
        assert!((1..=100).contains(&regions.finish(&area).len()));
    }
}
