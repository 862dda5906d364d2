//! From where a voxel lies in its cell to its grey value. Numbers are grey levels, found by looking at slices.

use super::nearest::Surroundings;
use super::neurites::Neurite;
use super::noise::{NoiseTile, bell, clamp01, normal_from_hash, voxel_hash, wave};
use super::organelles::{Mitochondrion, Organelles, Synapse, VESICLE_REACH};
use super::space::{BLOCK, BLOCK_LEN, WarpedBlock, Z_STEP};

/// Voxels nearer than this to a membrane's middle belong to no segment.
const MEMBRANE_DEPTH: f32 = 0.8;
/// Mitochondria and vesicles keep away from the membrane.
const MITOCHONDRION_CLEARANCE: f32 = 2.6;
const VESICLE_CLEARANCE: f32 = 2.4;

const CYTOPLASM: f32 = 197.0;
const NOISE: f32 = 7.5;
/// Before noise; membranes, mitochondria and synapses that meet would add up to black.
const DARKEST: f32 = 32.0;

pub struct Shading {
    /// Grain of a voxel or two.
    grain: ByteTile,
    /// Patches of many voxels, in grey levels.
    patches: ByteTile,
    /// Smooth, deviation 32: bends outlines and stripes of mitochondria.
    folds: ByteTile,
    /// Darkness of cisternae and microtubules.
    cisternae: ByteTile,
    membrane: Profile,
    density: Profile,
    vesicle: Profile,
}

/// A block with all that lies in or around it.
pub struct Scene<'a> {
    pub topleft: [usize; 3],
    pub block: &'a WarpedBlock,
    pub surroundings: &'a [Surroundings],
    pub neurites: &'a [Neurite],
    pub organelles: &'a Organelles,
}

/// A block's voxels, x fastest.
pub struct ShadedBlock {
    pub em: [u8; BLOCK_LEN],
    pub segments: [u32; BLOCK_LEN],
}

impl Shading {
    pub fn new() -> Self {
        let sigma = |units: f32| [units, units, units / Z_STEP];
        let shape = [128, 128, 64];
        // the recipe of each tile; built together, as they take most of the set-up time
        let recipes = [(shape, 0.9, 101), (shape, 1.9, 102), (shape, 6.4, 103), (shape, 3.4, 104), (shape, 8.8, 105), (shape, 22.0, 106)];
        let tiles: Vec<NoiseTile> = {
            use rayon::prelude::*;
            recipes.into_par_iter().map(|(shape, units, seed)| NoiseTile::new(shape, sigma(units), seed)).collect()
        };
        let [voxel_grain, grain, patches, folds, sheets, sheet_places] = &tiles[..] else { unreachable!("one tile per recipe") };
        let pairs = |a: &NoiseTile, b: &NoiseTile, mix: fn(f32, f32) -> f32| {
            ByteTile::new(shape, a.values().iter().zip(b.values()).map(|(&a, &b)| mix(a, b)))
        };
        Self {
            grain: pairs(voxel_grain, grain, |fine, coarse| fine * 5.0 + coarse * 6.5),
            patches: pairs(patches, sheet_places, |fine, coarse| fine * 4.0 + coarse * 3.0),
            folds: ByteTile::new(shape, folds.values().iter().map(|value| value * 32.0)),
            cisternae: cisternae_tile(shape, sheets, sheet_places, grain),
            // the two cells' membranes and the gap between them are too close to tell apart, but for a trace of lighter grey
            membrane: Profile::new(6.0, |depth| -122.0 * bell((depth - 0.45).max(0.0), 1.15) + 8.0 * bell(depth, 0.4)),
            density: Profile::new(8.0, |depth| bell(depth - 1.7, 1.5)),
            vesicle: Profile::new(VESICLE_REACH, |distance| -64.0 * bell(distance - 1.8, 0.85) + 10.0 * bell(distance, 0.9)),
        }
    }

    pub fn shade(&self, scene: &Scene<'_>, shaded: &mut ShadedBlock) {
        let mut vesicles_sq = [0.0; BLOCK_LEN];
        let has_vesicles = scene.organelles.vesicle_distances_sq(scene.block, &mut vesicles_sq);
        let synapses: Vec<&Synapse> = scene.organelles.synapses_near(scene.block).collect();
        let mitochondria: Vec<&Mitochondrion> = scene.organelles.mitochondria_near(scene.block).collect();
        for z in 0..BLOCK[2] {
            for y in 0..BLOCK[1] {
                let row = [scene.topleft[0], scene.topleft[1] + y, scene.topleft[2] + z];
                let rows = [&self.grain, &self.patches, &self.folds, &self.cisternae].map(|tile| tile.row(row));
                for x in 0..BLOCK[0] {
                    let index = (z * BLOCK[1] + y) * BLOCK[0] + x;
                    let here = scene.surroundings[index];
                    let neurite = &scene.neurites[here.neurite as usize];
                    let [grain, patches, fold, cisternae] = rows.map(|row| f32::from(row[x]));
                    let pos = scene.block.pos(index);
                    let mut grey = CYTOPLASM + neurite.brightness * 8.0 + grain + patches;
                    grey -= cisternae * clamp01((here.depth - 3.0) / 3.0);
                    if neurite.presynaptic {
                        grey -= 5.0;
                        if has_vesicles && here.depth > VESICLE_CLEARANCE && vesicles_sq[index] < VESICLE_REACH * VESICLE_REACH {
                            grey += self.vesicle.at(vesicles_sq[index].sqrt());
                        }
                    }
                    if let Some(inside) = mitochondrion_grey(&mitochondria, here, pos, fold / 32.0) {
                        grey = inside + grain * 0.8;
                    }
                    grey += self.membrane.at(here.depth) * (0.68 + 0.32 * here.crossing);
                    for synapse in &synapses {
                        grey -= self.synapse_darkness(synapse, here, pos);
                    }
                    let noise = normal_from_hash(voxel_hash([row[0] + x, row[1], row[2]]));
                    let grey = grey.max(DARKEST);
                    // 0 is left to what lies outside of the sample
                    shaded.em[index] = (grey + noise * NOISE).clamp(1.0, 255.0) as u8;
                    shaded.segments[index] = if here.depth < MEMBRANE_DEPTH { 0 } else { here.neurite + 1 };
                }
            }
        }
    }

    /// The dense material is stronger on the receiving side.
    fn synapse_darkness(&self, synapse: &Synapse, here: Surroundings, pos: [f32; 3]) -> f32 {
        let sending = here.neurite == synapse.neurite;
        if !sending && here.neighbour != synapse.neurite {
            return 0.0;
        }
        let distance = super::noise::length(super::noise::sub(pos, synapse.pos));
        let strength = if sending { 38.0 } else { 82.0 };
        strength * clamp01((synapse.radius - distance) / 5.0) * self.density.at(here.depth)
    }
}

/// Grey inside of a mitochondrion of the voxel's cell: two membranes, then stripes.
fn mitochondrion_grey(mitochondria: &[&Mitochondrion], here: Surroundings, pos: [f32; 3], fold: f32) -> Option<f32> {
    let clearance = here.depth - MITOCHONDRION_CLEARANCE;
    if clearance <= 0.0 {
        return None;
    }
    let own = mitochondria.iter().filter(|mitochondrion| mitochondrion.neurite == here.neurite);
    let depths = own.map(|mitochondrion| (*mitochondrion, mitochondrion.radius - mitochondrion.axis_distance(pos) - fold));
    let (mitochondrion, depth) = depths.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let depth = depth.min(clearance);
    if depth <= 0.0 {
        return None;
    }
    Some(if depth < 1.4 {
        84.0
    } else if depth < 2.3 {
        130.0
    } else if depth < 3.2 {
        98.0
    } else {
        let stripe = clamp01((wave(mitochondrion.stripe_angle(pos) + fold * 1.1) - 0.25) / 0.5);
        98.0 + 46.0 * stripe
    })
}

/// Thin sheets here and there, and dots of microtubules.
fn cisternae_tile(shape: [usize; 3], sheets: &NoiseTile, places: &NoiseTile, dots: &NoiseTile) -> ByteTile {
    let values = sheets.values().iter().zip(places.values()).zip(dots.values());
    ByteTile::new(
        shape,
        values.map(|((&sheet, &place), &dot)| {
            let line = bell(sheet, 0.075) * clamp01((place - 0.6) * 6.0);
            line * 50.0 + clamp01(dot - 1.75) * 38.0
        }),
    )
}

/// A function of a distance from 0 on, tabulated; constant beyond its last entry.
struct Profile {
    values: Vec<f32>,
}

impl Profile {
    const STEPS_PER_UNIT: f32 = 32.0;

    fn new(length: f32, value: impl Fn(f32) -> f32) -> Self {
        let count = (length * Self::STEPS_PER_UNIT) as usize + 1;
        Self { values: (0..count).map(|step| value((step as f32 + 0.5) / Self::STEPS_PER_UNIT)).collect() }
    }

    #[inline]
    fn at(&self, distance: f32) -> f32 {
        self.values[((distance * Self::STEPS_PER_UNIT) as usize).min(self.values.len() - 1)]
    }
}

/// A texture in voxels that repeats, small enough to stay in the cache.
struct ByteTile {
    shape: [usize; 3],
    values: Vec<i8>,
}

impl ByteTile {
    fn new(shape: [usize; 3], values: impl Iterator<Item = f32>) -> Self {
        // wrapping is cheap, and rows of a block don't wrap
        assert!(shape.iter().all(|side| side.is_power_of_two()) && shape[0] >= BLOCK[0]);
        Self { shape, values: values.map(|value| value.round() as i8).collect() }
    }

    /// The block's row that starts at `pos`.
    #[inline]
    fn row(&self, pos: [usize; 3]) -> &[i8] {
        let [x, y, z]: [usize; 3] = std::array::from_fn(|axis| pos[axis] & (self.shape[axis] - 1));
        let start = (z * self.shape[1] + y) * self.shape[0] + x;
        &self.values[start..start + BLOCK[0]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_is_constant_beyond_its_end() {
        let profile = Profile::new(2.0, |x| x);
        assert_eq!(profile.at(2.5), profile.at(1e9));
        assert!((profile.at(1.0) - 1.0).abs() < 0.05);
    }

    #[test]
    fn membranes_are_dark_and_cytoplasm_is_not() {
        let shading = Shading::new();
        assert!(shading.membrane.at(0.9) < -90.0);
        assert!(shading.membrane.at(5.0) > -1.0);
    }
}
