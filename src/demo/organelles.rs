//! What floats inside of the cells: mitochondria, synaptic vesicles, and the dense patches of synapses on the membranes. All positions
//! are warped ones.

use super::bins::Bins;
use super::neurites::{CurvePoint, Neurite, NeuriteKind, is_near_volume};
use super::noise::{Rng, add_scaled, clamp01, dot, length, normalized, sub};
use super::space::{BLOCK_LEN, WarpedBlock};

/// Beyond this a vesicle leaves no trace.
pub const VESICLE_REACH: f32 = 4.5;
/// Vesicle centres of one cluster keep this distance.
const VESICLE_SPACING: f32 = 3.7;

/// A capsule with inner membranes folded into stripes.
#[derive(Clone, Copy, Debug)]
pub struct Mitochondrion {
    pub neurite: u32,
    start: [f32; 3],
    axis: [f32; 3],
    pub radius: f32,
    /// Across the stripes, one radian of the pattern per unit of length.
    stripes: [f32; 3],
    phase: f32,
}

impl Mitochondrion {
    /// Distance from the axis.
    #[inline]
    pub fn axis_distance(&self, pos: [f32; 3]) -> f32 {
        let from_start = sub(pos, self.start);
        let along = clamp01(dot(from_start, self.axis) / dot(self.axis, self.axis).max(1e-6));
        length(add_scaled(from_start, self.axis, -along))
    }

    /// The stripes' angle at a position, in radians.
    #[inline]
    pub fn stripe_angle(&self, pos: [f32; 3]) -> f32 {
        dot(sub(pos, self.start), self.stripes) + self.phase
    }

    fn bounding_radius(&self) -> f32 {
        length(self.axis) * 0.5 + self.radius + 3.0
    }

    fn middle(&self) -> [f32; 3] {
        add_scaled(self.start, self.axis, 0.5)
    }
}

/// A dense patch where `neurite` passes signals on.
#[derive(Clone, Copy, Debug)]
pub struct Synapse {
    pub neurite: u32,
    pub pos: [f32; 3],
    pub radius: f32,
}

pub struct Organelles {
    mitochondria: Vec<Mitochondrion>,
    mitochondrion_bins: Bins,
    largest_mitochondrion: f32,
    vesicles: Vec<[f32; 3]>,
    vesicle_bins: Bins,
    synapses: Vec<Synapse>,
    synapse_bins: Bins,
    largest_synapse: f32,
}

impl Organelles {
    pub fn new(neurites: &[Neurite]) -> Self {
        let mut rng = Rng::new(5);
        let mut mitochondria = Vec::new();
        let mut vesicles = Vec::new();
        let mut synapses = Vec::new();
        for (number, neurite) in (0..).zip(neurites) {
            add_mitochondria(&mut rng, number, neurite, &mut mitochondria);
            if neurite.presynaptic {
                for &bouton in &neurite.boutons {
                    add_bouton(&mut rng, number, neurite.points[bouton], &mut vesicles, &mut synapses);
                }
            }
        }
        Self {
            mitochondrion_bins: bins(&mitochondria.iter().map(Mitochondrion::middle).collect::<Vec<_>>(), 64.0),
            largest_mitochondrion: mitochondria.iter().map(Mitochondrion::bounding_radius).fold(0.0, f32::max),
            vesicle_bins: bins(&vesicles, 12.0),
            synapse_bins: bins(&synapses.iter().map(|synapse| synapse.pos).collect::<Vec<_>>(), 32.0),
            largest_synapse: synapses.iter().map(|synapse| synapse.radius).fold(0.0, f32::max),
            mitochondria,
            vesicles,
            synapses,
        }
    }

    pub fn synapses(&self) -> &[Synapse] {
        &self.synapses
    }

    pub fn mitochondria_near<'a>(&'a self, block: &WarpedBlock) -> impl Iterator<Item = &'a Mitochondrion> + use<'a> {
        let (center, radius) = (block.center, block.radius);
        let numbers = self.mitochondrion_bins.near(center, radius + self.largest_mitochondrion);
        let near = numbers.map(|n| &self.mitochondria[n as usize]);
        near.filter(move |mitochondrion| mitochondrion.axis_distance(center) < radius + mitochondrion.radius + 3.0)
    }

    pub fn synapses_near<'a>(&'a self, block: &WarpedBlock) -> impl Iterator<Item = &'a Synapse> + use<'a> {
        let (center, radius) = (block.center, block.radius);
        let numbers = self.synapse_bins.near(center, radius + self.largest_synapse);
        numbers.map(|n| &self.synapses[n as usize]).filter(move |synapse| length(sub(synapse.pos, center)) < radius + synapse.radius)
    }

    /// Squared distances to the nearest vesicle; false, and nothing written, if there is none in reach.
    pub fn vesicle_distances_sq(&self, block: &WarpedBlock, nearest_sq: &mut [f32; BLOCK_LEN]) -> bool {
        let reach = block.radius + VESICLE_REACH;
        let mut any = false;
        for number in self.vesicle_bins.near(block.center, reach) {
            let [x, y, z] = self.vesicles[number as usize];
            if !any {
                nearest_sq.fill(f32::MAX);
                any = true;
            }
            for (i, nearest) in nearest_sq.iter_mut().enumerate() {
                let (x, y, z) = (block.x[i] - x, block.y[i] - y, block.z[i] - z);
                let distance_sq = x * x + y * y + z * z;
                *nearest = if distance_sq < *nearest { distance_sq } else { *nearest };
            }
        }
        any
    }
}

fn bins(points: &[[f32; 3]], cell_side: f32) -> Bins {
    let numbers: Vec<u32> = (0..points.len() as u32).collect();
    Bins::new(points, &numbers, cell_side)
}

fn add_mitochondria(rng: &mut Rng, number: u32, neurite: &Neurite, mitochondria: &mut Vec<Mitochondrion>) {
    let (count, off_axis) = match neurite.kind {
        NeuriteKind::Dendrite => (26, 1.0),
        NeuriteKind::Axon if rng.unit() < 0.4 => (4, 0.5),
        NeuriteKind::Axon => (2, 0.5),
        NeuriteKind::Twig => return,
    };
    let points = &neurite.points;
    for _ in 0..count {
        let from = rng.below(points.len() - 9);
        let to = from + 3 + rng.below(6);
        let tube_radius = points[from].radius;
        let offset = rng.direction().map(|value| value * tube_radius * off_axis * 0.5);
        let offset = offset.map(|value| value * rng.range(0.1, 1.0));
        let radius = (tube_radius * rng.range(0.6, 0.95)).min(rng.range(12.0, 19.0));
        let (phase, tilt) = (rng.range(0.0, 6.0), rng.direction());
        let start = add_scaled(points[from].pos, offset, 1.0);
        let axis = sub(add_scaled(points[to].pos, offset, 0.8), start);
        if tube_radius < 9.0 || !is_near_volume(start, radius) {
            continue;
        }
        let along = normalized(axis);
        let across = normalized(add_scaled(tilt, along, -dot(tilt, along)));
        let stripes = add_scaled(across.map(|value| value * 1.3), along, 0.45);
        mitochondria.push(Mitochondrion { neurite: number, start, axis, radius, stripes, phase });
    }
}

/// A cloud of vesicles around the middle of a bouton, crowded towards its synapse.
fn add_bouton(rng: &mut Rng, neurite: u32, bouton: CurvePoint, vesicles: &mut Vec<[f32; 3]>, synapses: &mut Vec<Synapse>) {
    if !is_near_volume(bouton.pos, bouton.radius) {
        return;
    }
    let outward = rng.direction();
    let center = add_scaled(bouton.pos, outward, bouton.radius * 0.3);
    let mut cloud: Vec<[f32; 3]> = Vec::new();
    for _ in 0..(bouton.radius * 18.0) as usize {
        let vesicle = add_scaled(center, rng.normal3(), bouton.radius * 0.5);
        if cloud.iter().all(|&other| length(sub(vesicle, other)) > VESICLE_SPACING) {
            cloud.push(vesicle);
        }
    }
    vesicles.append(&mut cloud);
    let elsewhere = rng.direction();
    for (direction, radius) in [(outward, rng.range(12.0, 20.0)), (elsewhere, rng.range(9.0, 14.0))] {
        synapses.push(Synapse { neurite, pos: add_scaled(bouton.pos, direction, bouton.radius), radius });
    }
}

#[cfg(test)]
mod tests {
    use super::super::neurites::Neurites;
    use super::super::space::Warp;
    use super::*;

    #[test]
    fn vesicle_distances_are_those_of_the_nearest_vesicle() {
        let organelles = Organelles::new(&Neurites::new().neurites);
        let warp = Warp::new();
        let mut distances_sq = [0.0; BLOCK_LEN];
        let block =
            (0..60).map(|step| warp.block([step * 8, 200, 96])).find(|block| organelles.vesicle_distances_sq(block, &mut distances_sq));
        let block = block.expect("a block near a vesicle");
        let expected = organelles.vesicles.iter().map(|&vesicle| length(sub(vesicle, block.pos(9)))).fold(f32::MAX, f32::min);
        let found = distances_sq[9].sqrt();
        assert!((found - expected).abs() < 1e-3 || expected > VESICLE_REACH, "{found}, expected {expected}");
    }
}
