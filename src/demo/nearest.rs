//! For each voxel of a block the nearest cell and the next one. Candidates are narrowed down from the volume to a tile to a block;
//! what is left is evaluated for all voxels at once.

use super::bins::Bins;
use super::neurites::{Capsule, Neurites};
use super::noise::{clamp01, dot, length};
use super::space::{BLOCK_LEN, WarpedBlock};

/// A second cell that is farther than the first by more than this doesn't count; membranes and what lies along them end well before.
pub const REACH: f32 = 11.0;
/// Capsules are binned by the size of the ball around them, or every search would have to look as far as the widest asks for.
const BALL_RADII: [f32; 4] = [14.0, 20.0, 32.0, f32::MAX];
/// Membranes across the section plane are drawn thicker by this factor: a section is an average over its thickness.
const Z_THICKENING: f32 = 1.3;

pub struct NearestFinder {
    capsules: Vec<Capsule>,
    /// With the largest ball of each.
    bins: Vec<(Bins, f32)>,
}

/// Capsules that may be nearest or second somewhere in a group of blocks, reused from tile to tile.
#[derive(Default)]
pub struct Candidates {
    in_tile: Vec<(u32, f32)>,
    /// With the distance from the block's centre.
    in_block: Vec<(Capsule, f32)>,
    groups: Vec<Group>,
}

/// The capsules of one cell, as a range of `in_block`.
struct Group {
    first: usize,
    end: usize,
    /// From the block's centre.
    distance: f32,
}

/// Per voxel of a block.
pub struct Nearest {
    best: [f32; BLOCK_LEN],
    second: [f32; BLOCK_LEN],
    best_at: [u32; BLOCK_LEN],
    second_at: [u32; BLOCK_LEN],
}

/// What a voxel needs to know.
#[derive(Clone, Copy)]
pub struct Surroundings {
    pub neurite: u32,
    /// The cell across the membrane.
    pub neighbour: u32,
    /// About the distance to the middle of the membrane; not exact beyond 5.
    pub depth: f32,
    /// 1 where the section cuts the membrane at a right angle, 0 where it runs along it.
    pub crossing: f32,
}

impl NearestFinder {
    pub fn new(neurites: &Neurites) -> Self {
        let capsules = neurites.capsules.clone();
        let mut smaller_than = 0.0;
        let bins = BALL_RADII.into_iter().map(|limit| {
            let of_size = smaller_than..limit;
            smaller_than = limit;
            let numbers: Vec<u32> =
                (0..capsules.len() as u32).filter(|&n| of_size.contains(&capsules[n as usize].bounding_radius())).collect();
            let middles: Vec<[f32; 3]> = numbers.iter().map(|&n| capsules[n as usize].middle()).collect();
            let largest = numbers.iter().map(|&n| capsules[n as usize].bounding_radius()).fold(0.0, f32::max);
            (Bins::new(&middles, &numbers, 16.0), largest)
        });
        Self { bins: bins.collect(), capsules }
    }

    /// Collects what can matter within `radius` of `center`.
    ///
    /// A distance changes by at most 1 per unit. So if `best` is the smallest at the centre, a capsule that is farther there than
    /// `best + 2 * radius + REACH` is out of reach in the whole ball.
    pub fn gather(&self, center: [f32; 3], radius: f32, candidates: &mut Candidates) {
        let mut best_bound = -2.0;
        loop {
            let farthest = best_bound + 2.0 * radius + REACH;
            candidates.in_tile.clear();
            for (bins, largest) in &self.bins {
                for n in bins.near(center, farthest + largest) {
                    let distance = self.capsules[n as usize].distance(center);
                    if distance <= farthest {
                        candidates.in_tile.push((n, distance));
                    }
                }
            }
            let best = candidates.in_tile.iter().fold(f32::MAX, |best, &(_, distance)| best.min(distance));
            if best <= best_bound {
                candidates.in_tile.retain(|&(_, distance)| distance <= best + 2.0 * radius + REACH);
                // capsules of one cell must follow each other
                candidates.in_tile.sort_unstable_by_key(|&(n, _)| n);
                return;
            }
            best_bound += 6.0;
        }
    }

    /// `candidates` were gathered for a ball that holds the block.
    pub fn evaluate(&self, block: &WarpedBlock, candidates: &mut Candidates, nearest: &mut Nearest) {
        let Candidates { in_tile, in_block, groups } = candidates;
        in_block.clear();
        in_block.extend(in_tile.iter().map(|&(n, _)| {
            let capsule = self.capsules[n as usize];
            (capsule, capsule.distance(block.center))
        }));
        let best = in_block.iter().fold(f32::MAX, |best, &(_, distance)| best.min(distance));
        in_block.retain(|&(_, distance)| distance <= best + 2.0 * block.radius + REACH);
        find_groups(in_block, groups);
        nearest.reset();
        // Nearest cells first: they soon tell that most of the others are out of reach in the whole block.
        let mut farthest = f32::MAX;
        for group in groups.iter() {
            if group.distance > farthest {
                break;
            }
            // within a cell, a capsule this much farther than the nearest is never the nearest
            let farthest_capsule = farthest.min(group.distance + 2.0 * block.radius);
            nearest.add_neurite(block, &in_block[group.first..group.end], group.first, farthest_capsule);
            farthest = nearest.largest_in_reach() + block.radius;
        }
    }
}

/// Groups that follow each other in `in_block`, nearest first.
fn find_groups(in_block: &[(Capsule, f32)], groups: &mut Vec<Group>) {
    groups.clear();
    let mut first = 0;
    for group in in_block.chunk_by(|(a, _), (b, _)| a.neurite == b.neurite) {
        let distance = group.iter().fold(f32::MAX, |nearest, &(_, distance)| nearest.min(distance));
        groups.push(Group { first, end: first + group.len(), distance });
        first += group.len();
    }
    groups.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.first.cmp(&b.first)));
}

impl Nearest {
    pub fn new() -> Self {
        Self { best: [0.0; BLOCK_LEN], second: [0.0; BLOCK_LEN], best_at: [0; BLOCK_LEN], second_at: [0; BLOCK_LEN] }
    }

    fn reset(&mut self) {
        // finite, so that differences of untouched entries aren't NaN
        self.best.fill(1e9);
        self.second.fill(2e9);
        self.best_at.fill(0);
        self.second_at.fill(0);
    }

    /// No cell that is farther than this from a voxel counts there.
    fn largest_in_reach(&self) -> f32 {
        let mut largest = [f32::MIN; 8];
        for (best, second) in self.best.chunks_exact(8).zip(self.second.chunks_exact(8)) {
            for i in 0..8 {
                let reach = best[i] + REACH;
                let bound = if second[i] < reach { second[i] } else { reach };
                largest[i] = if bound > largest[i] { bound } else { largest[i] };
            }
        }
        largest.into_iter().fold(f32::MIN, f32::max)
    }

    /// Takes in the capsules of one cell, numbered from `first`, but for those whose distance from the centre is over `farthest`.
    fn add_neurite(&mut self, block: &WarpedBlock, capsules: &[(Capsule, f32)], first: usize, farthest: f32) {
        let mut own = [f32::MAX; BLOCK_LEN];
        let mut own_at = [first as u32; BLOCK_LEN];
        for (number, (capsule, distance)) in (first as u32..).zip(capsules) {
            if *distance <= farthest {
                add_capsule(block, capsule, number, &mut own, &mut own_at);
            }
        }
        for i in 0..BLOCK_LEN {
            let (distance, at) = (own[i], own_at[i]);
            let (best, best_at) = (self.best[i], self.best_at[i]);
            let (second, second_at) = (self.second[i], self.second_at[i]);
            let nearer = distance < best;
            self.best_at[i] = choose(nearer, at, best_at);
            self.best[i] = if nearer { distance } else { best };
            let loser_at = choose(nearer, best_at, at);
            let loser = if nearer { best } else { distance };
            self.second_at[i] = choose(loser < second, loser_at, second_at);
            self.second[i] = if loser < second { loser } else { second };
        }
    }

    /// How a voxel of the evaluated block lies between its cell and the next.
    #[inline]
    pub fn surroundings(&self, index: usize, block: &WarpedBlock, candidates: &Candidates) -> Surroundings {
        let (own, _) = &candidates.in_block[self.best_at[index] as usize];
        let (other, _) = &candidates.in_block[self.second_at[index] as usize];
        let gap = self.second[index] - self.best[index];
        if gap >= REACH {
            return Surroundings { neurite: own.neurite, neighbour: own.neurite, depth: REACH, crossing: 1.0 };
        }
        // The gap's gradient turns it into a distance, or membranes would be thick where surfaces nearly follow each other.
        let pos = block.pos(index);
        let (own_offset, _) = own.offset(pos);
        let (other_offset, _) = other.offset(pos);
        let own_scale = 1.0 / length(own_offset).max(0.1);
        let other_scale = 1.0 / length(other_offset).max(0.1);
        let in_warped: [f32; 3] = std::array::from_fn(|axis| other_offset[axis] * other_scale - own_offset[axis] * own_scale);
        let [x, y, z]: [f32; 3] = std::array::from_fn(|axis| in_warped[axis] + dot(block.stretch[axis], in_warped));
        let in_plane_sq = x * x + y * y;
        let steepness = (in_plane_sq + (Z_THICKENING * z) * (Z_THICKENING * z)).sqrt().max(0.7);
        Surroundings {
            neurite: own.neurite,
            neighbour: other.neurite,
            depth: gap / steepness,
            crossing: clamp01(in_plane_sq / (steepness * steepness)),
        }
    }
}

/// The innermost loop of the generator.
#[inline]
fn add_capsule(block: &WarpedBlock, capsule: &Capsule, number: u32, own: &mut [f32; BLOCK_LEN], own_at: &mut [u32; BLOCK_LEN]) {
    let [ax, ay, az] = capsule.axis.map(|value| value * capsule.inv_length_sq);
    let [dx, dy, dz] = capsule.axis;
    let [sx, sy, sz] = capsule.start;
    for i in 0..BLOCK_LEN {
        let (x, y, z) = (block.x[i] - sx, block.y[i] - sy, block.z[i] - sz);
        let along = clamp01(x * ax + y * ay + z * az);
        let (x, y, z) = (x - along * dx, y - along * dy, z - along * dz);
        let distance = (x * x + y * y + z * z).sqrt() - capsule.start_radius - along * capsule.radius_change;
        let (known, known_at) = (own[i], own_at[i]);
        own_at[i] = choose(distance < known, number, known_at);
        own[i] = if distance < known { distance } else { known };
    }
}

/// `if first { a } else { b }` in a form that isn't compiled to a conditional store, which would keep loops from being vectorised.
#[inline(always)]
fn choose(first: bool, a: u32, b: u32) -> u32 {
    b ^ ((a ^ b) & u32::from(first).wrapping_neg())
}

#[cfg(test)]
mod tests {
    use super::super::space::Warp;
    use super::*;

    #[test]
    fn narrowing_down_finds_the_same_cells_as_trying_all() {
        let neurites = Neurites::new();
        let finder = NearestFinder::new(&neurites);
        let block = Warp::new().block([256, 192, 96]);
        let mut candidates = Candidates::default();
        let mut nearest = Nearest::new();
        finder.gather(block.center, block.radius, &mut candidates);
        finder.evaluate(&block, &mut candidates, &mut nearest);
        for index in (0..BLOCK_LEN).step_by(37) {
            let pos = block.pos(index);
            let by_distance = |a: &&Capsule, b: &&Capsule| a.distance(pos).total_cmp(&b.distance(pos));
            let expected = neurites.capsules.iter().min_by(by_distance).unwrap();
            let others = neurites.capsules.iter().filter(|capsule| capsule.neurite != expected.neurite);
            let gap = others.min_by(by_distance).unwrap().distance(pos) - expected.distance(pos);
            assert_eq!(nearest.surroundings(index, &block, &candidates).neurite, expected.neurite);
            let found = nearest.second[index] - nearest.best[index];
            assert!((found - gap).abs() < 1e-3 || (found >= REACH && gap >= REACH), "gap {found}, expected {gap}");
        }
    }
}
