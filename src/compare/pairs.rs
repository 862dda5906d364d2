//! [`PairCounts`]: which ids became which, within a bound.

use super::difference::{IdChange, IdPair, IdPairs};
use crate::voxel::ElementClass;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Pairs that are counted. About 50 MB for each thread at most.
const MAX_COUNTED: usize = 1 << 20;

/// Voxels of each pair of ids (64 bits, sign-extended).
///
/// Beyond the bound, pairs are dropped by their hash: all those above a threshold that is halved until the others have
/// room. What remains has exact counts, and depends on the voxels alone, not on the order in which they came; dropping
/// rare ones would depend on it.
#[derive(Clone, Debug)]
pub(super) struct PairCounts {
    counts: HashMap<(u64, u64), u64>,
    /// Pairs with more than this many leading zeros fewer in their hash are dropped.
    dropped_bits: u32,
    max_counted: usize,
    /// What came last, by hash, not yet in `counts`: neighbouring voxels have few different pairs.
    recent: Box<[((u64, u64), u64)]>,
}

impl Default for PairCounts {
    fn default() -> Self {
        Self { counts: HashMap::new(), dropped_bits: 0, max_counted: MAX_COUNTED, recent: Box::default() }
    }
}

/// Spreads pairs evenly over 64 bits (the finish of splitmix64).
fn hash((from, to): (u64, u64)) -> u64 {
    let mut z = from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ to.rotate_left(32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl PairCounts {
    fn keeps(&self, pair: (u64, u64)) -> bool {
        self.dropped_bits == 0 || hash(pair).leading_zeros() >= self.dropped_bits
    }

    /// Counts some voxels of a pair.
    pub fn add(&mut self, pair: (u64, u64), voxels: u64) {
        const RECENT: usize = 512;
        if self.recent.is_empty() {
            self.recent = vec![((0, 0), 0); RECENT].into();
        }
        let slot = &mut self.recent[hash(pair) as usize % RECENT]; // only its low bits count
        if slot.0 == pair {
            slot.1 = slot.1.saturating_add(voxels);
        } else {
            let (before, count) = std::mem::replace(slot, (pair, voxels));
            self.count(before, count);
        }
    }

    /// Puts into `counts` what is not there yet.
    fn settle(&mut self) {
        for (pair, voxels) in std::mem::take(&mut self.recent) {
            self.count(pair, voxels);
        }
    }

    fn count(&mut self, pair: (u64, u64), voxels: u64) {
        if voxels == 0 || !self.keeps(pair) {
            return;
        }
        let count = self.counts.entry(pair).or_default();
        *count = count.saturating_add(voxels);
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.counts.len() > self.max_counted {
            self.raise(self.dropped_bits + 1);
        }
    }

    fn raise(&mut self, dropped_bits: u32) {
        if dropped_bits > self.dropped_bits {
            self.dropped_bits = dropped_bits;
            self.counts.retain(|pair, _| hash(*pair).leading_zeros() >= dropped_bits);
        }
    }

    /// Adds the counts of another part of the volume.
    pub fn merge(&mut self, mut other: Self) {
        other.settle();
        self.raise(other.dropped_bits);
        for (pair, voxels) in other.counts {
            self.count(pair, voxels);
        }
    }

    /// The most frequent pairs and the most changed ids, at most `limit` of each.
    pub fn finish(mut self, classes: [ElementClass; 2], differing: u64, limit: usize) -> IdPairs {
        self.settle();
        let mut all: Vec<IdPair> = self
            .counts
            .iter()
            .map(|((from, to), voxels)| IdPair { from: id(*from, classes[0]), to: id(*to, classes[1]), voxels: *voxels })
            .collect();
        all.sort_unstable_by_key(|pair| (Reverse(pair.voxels), pair.from, pair.to));
        let mut changes = changes(&all);
        let rest_changes = changes.len().saturating_sub(limit) as u64;
        changes.truncate(limit);
        let rest_pairs = (self.dropped_bits == 0).then(|| all.len().saturating_sub(limit) as u64);
        all.truncate(limit);
        let listed = all.iter().fold(0_u64, |sum, pair| sum.saturating_add(pair.voxels));
        IdPairs { list: all, rest_voxels: differing.saturating_sub(listed), rest_pairs, changes, rest_changes }
    }
}

/// What became of each id, the most changed first.
fn changes(pairs: &[IdPair]) -> Vec<IdChange> {
    let mut by_id: HashMap<i128, IdChange> = HashMap::new();
    for IdPair { from, to, voxels } in pairs {
        let mut add = |id: i128, field: fn(&mut IdChange) -> &mut u64| {
            let change = by_id.entry(id).or_insert(IdChange { id, ..IdChange::default() });
            let count = field(change);
            *count = count.saturating_add(*voxels);
        };
        match (*from, *to) {
            (0, to) => add(to, |change| &mut change.gained),
            (from, 0) => add(from, |change| &mut change.lost),
            (from, to) => {
                add(from, |change| &mut change.changed);
                add(to, |change| &mut change.taken);
            }
        }
    }
    let mut changes: Vec<IdChange> = by_id.into_values().collect();
    changes.sort_unstable_by_key(|change| (Reverse(change.total()), change.id));
    changes
}

/// The id that 64 bits mean in a class.
fn id(bits: u64, class: ElementClass) -> i128 {
    if class.full_range().0 < 0.0 { i128::from(bits.cast_signed()) } else { i128::from(bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNSIGNED: [ElementClass; 2] = [ElementClass::Uint64; 2];

    fn bounded(max_counted: usize) -> PairCounts {
        PairCounts { max_counted, ..PairCounts::default() }
    }

    #[test]
    fn the_most_frequent_come_first_and_the_rest_is_counted() {
        let mut counts = PairCounts::default();
        for (pair, voxels) in [((1, 2), 5), ((0, 7), 9), ((1, 0), 5), ((1, 2), 1)] {
            counts.add(pair, voxels);
        }
        let pairs = counts.finish(UNSIGNED, 20, 2);
        let listed: Vec<_> = pairs.list.iter().map(|pair| (pair.from, pair.to, pair.voxels)).collect();
        assert_eq!((listed, pairs.rest_voxels, pairs.rest_pairs), (vec![(0, 7, 9), (1, 2, 6)], 5, Some(1)));
        let one = pairs.changes.iter().find(|change| change.id == 1).expect("listed");
        assert_eq!((one.gained, one.lost, one.changed, one.taken, pairs.rest_changes), (0, 5, 6, 0, 1));
    }

    #[test]
    fn ids_keep_their_sign_and_all_their_bits() {
        let mut counts = PairCounts::default();
        counts.add((u64::MAX, u64::MAX), 1);
        let pair = counts.finish([ElementClass::Int64, ElementClass::Uint64], 1, 9).list[0];
        assert_eq!((pair.from, pair.to), (-1, i128::from(u64::MAX)));
    }

    #[test]
    fn beyond_the_bound_the_same_pairs_remain_whatever_the_order() {
        let pairs: Vec<(u64, u64)> = (1..1000).map(|i| (i, i * i + 1)).collect();
        let (mut forth, mut back, mut left, mut right) = (bounded(64), bounded(64), bounded(64), bounded(64));
        pairs.iter().for_each(|pair| forth.add(*pair, pair.0));
        pairs.iter().rev().for_each(|pair| back.add(*pair, pair.0));
        pairs[..300].iter().for_each(|pair| left.add(*pair, pair.0));
        pairs[300..].iter().for_each(|pair| right.add(*pair, pair.0));
        left.merge(right);
        [&mut forth, &mut back, &mut left].into_iter().for_each(PairCounts::settle);
        for counts in [&forth, &back, &left] {
            assert!(!counts.counts.is_empty() && counts.counts.len() <= 64);
            assert!(counts.counts.iter().all(|(pair, voxels)| pair.0 == *voxels));
            assert_eq!(counts.counts, forth.counts);
        }
        assert_eq!(forth.finish(UNSIGNED, 0, 9).rest_pairs, None);
    }
}
