//! Flood fill: the voxels of one id that are connected to a seed, inside a window.
//!
//! Buckets are flooded whole, a row of 32 voxels at a time, and hand their faces on to their neighbours. In a window that
//! is one slice thick this is the 4-neighbourhood of the slice, else the 6-neighbourhood.

use super::mask::{BucketMask, MagMask, ROWS, Rows, set_box};
use crate::format::annotation::bucket_box;
use crate::geometry::{BoundingBox, ChunkIndex, Vec3Int};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

struct Flooded {
    /// Voxels of the id inside the window.
    open: Box<Rows>,
    /// Those that are reached.
    reached: Box<Rows>,
}

/// A finished flood.
pub(super) struct Flood {
    buckets: HashMap<ChunkIndex, Flooded>,
    window: BoundingBox,
}

/// Floods from a seed inside `window`. `equal` gives the voxels of a bucket that have the seed's id.
///
/// # Errors
/// If `equal` fails.
pub(super) fn flood<E>(seed: Vec3Int, window: &BoundingBox, mut equal: impl FnMut(ChunkIndex) -> Result<Box<Rows>, E>) -> Result<Flood, E> {
    let mut flood = Flood { buckets: HashMap::new(), window: *window };
    let first = ChunkIndex(seed.div_floor(Vec3Int::splat(32)));
    let mut start = Box::new([0; ROWS]);
    set_box(&mut start, &BoundingBox::new(seed - bucket_box(first).topleft, Vec3Int::splat(1).to_array().into()));
    let mut waiting = vec![(first, start)];
    while let Some((chunk, entries)) = waiting.pop() {
        let bucket = match flood.buckets.entry(chunk) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let inside = bucket_box(chunk).intersect(window);
                if inside.is_empty() {
                    continue;
                }
                let mut open = equal(chunk)?;
                let mut windowed = Box::new([0; ROWS]);
                set_box(&mut windowed, &inside.translate(Vec3Int::ZERO - bucket_box(chunk).topleft));
                open.iter_mut().zip(&*windowed).for_each(|(row, window)| *row &= window);
                new.insert(Flooded { open, reached: Box::new([0; ROWS]) })
            }
        };
        let is_new = bucket.enter(&entries);
        if is_new {
            bucket.spread();
            hand_on(chunk, &bucket.reached, &mut waiting);
        }
    }
    Ok(flood)
}

impl Flooded {
    /// Adds what comes in from neighbours; whether any of it is new.
    fn enter(&mut self, entries: &Rows) -> bool {
        let mut is_new = false;
        for ((reached, open), entry) in self.reached.iter_mut().zip(&*self.open).zip(entries) {
            let new = entry & open & !*reached;
            is_new |= new != 0;
            *reached |= new;
        }
        is_new
    }

    /// Spreads inside the bucket until nothing is added.
    fn spread(&mut self) {
        loop {
            let mut changed = false;
            let mut visit = |at: usize| {
                let open = self.open[at];
                if open == 0 {
                    return;
                }
                let (y, z) = (at % 32, at / 32);
                let mut row = self.reached[at];
                if y > 0 {
                    row |= self.reached[at - 1];
                }
                if y < 31 {
                    row |= self.reached[at + 1];
                }
                if z > 0 {
                    row |= self.reached[at - 32];
                }
                if z < 31 {
                    row |= self.reached[at + 32];
                }
                let row = along_row(row & open, open);
                if row != self.reached[at] {
                    self.reached[at] = row;
                    changed = true;
                }
            };
            (0..ROWS).for_each(&mut visit);
            (0..ROWS).rev().for_each(&mut visit);
            if !changed {
                return;
            }
        }
    }
}

/// Spreads bits along a row through `open`.
fn along_row(mut row: u32, open: u32) -> u32 {
    loop {
        let next = (row | row << 1 | row >> 1) & open;
        if next == row {
            return row;
        }
        row = next;
    }
}

/// What a bucket passes to its six neighbours.
fn hand_on(chunk: ChunkIndex, reached: &Rows, waiting: &mut Vec<(ChunkIndex, Box<Rows>)>) {
    let mut pass = |offset: [i64; 3], entry: &dyn Fn(usize) -> u32| {
        let mut entries = Box::new([0; ROWS]);
        entries.iter_mut().enumerate().for_each(|(at, row)| *row = entry(at));
        if entries.iter().any(|row| *row != 0) {
            waiting.push((ChunkIndex(chunk.0 + offset.into()), entries));
        }
    };
    pass([1, 0, 0], &|at| reached[at] >> 31);
    pass([-1, 0, 0], &|at| reached[at] << 31);
    pass([0, 1, 0], &|at| if at.is_multiple_of(32) { reached[at + 31] } else { 0 });
    pass([0, -1, 0], &|at| if at % 32 == 31 { reached[at - 31] } else { 0 });
    pass([0, 0, 1], &|at| if at < 32 { reached[at + ROWS - 32] } else { 0 });
    pass([0, 0, -1], &|at| if at >= ROWS - 32 { reached[at + 32 - ROWS] } else { 0 });
}

impl Flood {
    /// Whether voxels just outside of the window would be reached if it were larger, as far as they lie in `beyond`.
    ///
    /// # Errors
    /// If `is_equal`, asked for voxels outside of the window, fails.
    pub fn is_cut<E>(&self, beyond: &BoundingBox, mut is_equal: impl FnMut(Vec3Int) -> Result<bool, E>) -> Result<bool, E> {
        for (axis, end) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
            // A slice isn't left along its normal.
            if self.window.shape.along(axis) == 1 && beyond.shape.along(axis) == 1 {
                continue;
            }
            let at = if end { self.window.bottomright()[axis] - 1 } else { self.window.topleft[axis] };
            let outside = if end { at + 1 } else { at - 1 };
            for (chunk, bucket) in &self.buckets {
                let origin = bucket_box(*chunk).topleft;
                if !(origin[axis]..origin[axis] + 32).contains(&at) {
                    continue;
                }
                let mut found = Vec::new();
                super::mask::for_each_run(&bucket.reached, |start, len| {
                    let run = (0..len).map(|x| start + origin + Vec3Int::new(x, 0, 0));
                    found.extend(run.filter(|pos| pos[axis] == at).map(|pos| pos.with(axis, outside)));
                });
                for pos in found.into_iter().filter(|pos| beyond.contains(*pos)) {
                    if is_equal(pos)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The voxels that were reached.
    pub fn into_mask(self) -> MagMask {
        let mut mask = MagMask::default();
        let mut buckets: Vec<_> = self.buckets.into_iter().filter(|(_, b)| b.reached.iter().any(|row| *row != 0)).collect();
        buckets.sort_unstable_by_key(|(chunk, _)| chunk.0);
        for (chunk, bucket) in buckets {
            mask.insert(chunk, BucketMask::from_rows(bucket.reached));
        }
        mask
    }
}
