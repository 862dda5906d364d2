//! The cells of the demo volume: tubes along random curves, as capsules whose radius changes from end to end. A few dendrites with
//! spines are placed by hand, thousands of axons at random. Positions are physical, in units of the voxel's x side, before warping.

use super::noise::{Rng, add_scaled, bell, clamp01, dot, length, normalized, sub, wave};
use super::space::EXTENT;

/// How far outside of the volume a curve's point still matters: the warp's reach plus the largest distances we ask for.
const KEPT_MARGIN: f32 = 110.0;
/// Curves start this far outside, so that they are as dense at the border as in the middle.
const START_MARGIN: f32 = 190.0;
/// Starts per cubic unit, chosen so that tubes touch nearly everywhere.
const AXON_DENSITY: f32 = 5.6e-6;
const AXON_POINTS: usize = 44;
const AXON_STEP: f32 = 9.0;
const DENDRITE_POINTS: usize = 110;
const DENDRITE_STEP: f32 = 11.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeuriteKind {
    Dendrite,
    Axon,
    /// Too thin for organelles.
    Twig,
}

/// What all voxels of one cell share. Its segment number is its index plus one.
#[derive(Clone, Debug)]
pub struct Neurite {
    pub kind: NeuriteKind,
    /// Cytoplasm's offset from the mean, in deviations.
    pub brightness: f32,
    /// Has vesicles and synapses.
    pub presynaptic: bool,
    pub points: Vec<CurvePoint>,
    /// Where an axon is thickest, as indices into `points`.
    pub boutons: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub struct CurvePoint {
    pub pos: [f32; 3],
    pub radius: f32,
}

/// A piece of a neurite.
#[derive(Clone, Copy, Debug)]
pub struct Capsule {
    pub start: [f32; 3],
    pub start_radius: f32,
    pub axis: [f32; 3],
    pub radius_change: f32,
    pub inv_length_sq: f32,
    pub neurite: u32,
}

impl Capsule {
    fn new(start: CurvePoint, end: CurvePoint, neurite: u32) -> Self {
        let axis = sub(end.pos, start.pos);
        Self {
            start: start.pos,
            start_radius: start.radius,
            axis,
            radius_change: end.radius - start.radius,
            inv_length_sq: 1.0 / dot(axis, axis).max(1e-6),
            neurite,
        }
    }

    /// From the nearest point on the axis to `pos`, and the radius there.
    #[inline]
    pub fn offset(&self, pos: [f32; 3]) -> ([f32; 3], f32) {
        let from_start = sub(pos, self.start);
        let along = clamp01(dot(from_start, self.axis) * self.inv_length_sq);
        (add_scaled(from_start, self.axis, -along), self.start_radius + along * self.radius_change)
    }

    /// Distance to the surface, negative inside.
    #[inline]
    pub fn distance(&self, pos: [f32; 3]) -> f32 {
        let (offset, radius) = self.offset(pos);
        length(offset) - radius
    }

    pub fn middle(&self) -> [f32; 3] {
        add_scaled(self.start, self.axis, 0.5)
    }

    /// Radius of the ball around `middle` that holds the capsule.
    pub fn bounding_radius(&self) -> f32 {
        length(self.axis) * 0.5 + self.start_radius.max(self.start_radius + self.radius_change)
    }
}

/// All cells and their capsules; those of one cell follow each other.
pub struct Neurites {
    pub neurites: Vec<Neurite>,
    pub capsules: Vec<Capsule>,
}

impl Neurites {
    pub fn new() -> Self {
        let mut built = Self { neurites: Vec::new(), capsules: Vec::new() };
        let mut rng = Rng::new(11);
        built.add_dendrites(&mut rng);
        built.add_axons(&mut rng);
        built
    }

    fn add_dendrites(&mut self, rng: &mut Rng) {
        let [x, y, z] = EXTENT;
        // start, direction, radius: one wide trunk through the middle, the others cross at angles
        let trunks = [
            ([x * 0.36, -260.0, z * 0.42], [0.10, 1.0, 0.12], 47.0),
            ([x * 0.80, y * 0.30, -240.0], [-0.15, 0.1, 1.0], 38.0),
            ([-260.0, y * 0.84, z * 0.60], [1.0, -0.12, 0.1], 36.0),
            ([x * 0.66, y + 260.0, z * 0.86], [0.1, -0.9, -0.3], 30.0),
            ([x * 0.10, y * 0.22, -240.0], [0.1, 0.05, 1.0], 33.0),
        ];
        for (start, direction, base_radius) in trunks {
            let phase = rng.range(0.0, 6.0);
            let positions = random_curve(rng, start, direction, CurveShape { points: DENDRITE_POINTS, step: DENDRITE_STEP, bend: 0.03 });
            let points: Vec<CurvePoint> = positions
                .into_iter()
                .enumerate()
                .map(|(index, pos)| CurvePoint { pos, radius: base_radius + 7.0 * wave(index as f32 / 9.0 + phase) })
                .collect();
            let brightness = rng.normal() * 0.6;
            let index = self.add(Neurite {
                kind: NeuriteKind::Dendrite,
                brightness,
                presynaptic: false,
                points: points.clone(),
                boutons: Vec::new(),
            });
            for _ in 0..22 {
                self.add_spine(rng, &points, index);
            }
        }
    }

    /// A thin neck with a round head, standing on the trunk.
    fn add_spine(&mut self, rng: &mut Rng, trunk: &[CurvePoint], neurite: u32) {
        let at = 8 + rng.below(trunk.len() - 16);
        let axis = normalized(sub(trunk[at + 1].pos, trunk[at - 1].pos));
        let random = rng.normal3();
        let outward = normalized(add_scaled(random, axis, -dot(random, axis)));
        let bent = normalized(add_scaled(outward, rng.direction(), 0.5));
        let neck_length = rng.range(22.0, 46.0);
        let root = CurvePoint { pos: add_scaled(trunk[at].pos, outward, trunk[at].radius * 0.85), radius: 6.0 };
        let neck = CurvePoint { pos: add_scaled(root.pos, outward, neck_length * 0.5), radius: 4.5 };
        let head = CurvePoint { pos: add_scaled(neck.pos, bent, neck_length * 0.5), radius: rng.range(10.0, 15.0) };
        self.add_capsules(&[root, neck], neurite);
        // the head grows within its last few units instead of like a cone
        let throat = CurvePoint { pos: add_scaled(head.pos, bent, -4.0), radius: head.radius * 0.8 };
        self.add_capsules(&[neck, CurvePoint { radius: 5.0, ..throat }], neurite);
        self.add_capsules(&[throat, head], neurite);
    }

    fn add_axons(&mut self, rng: &mut Rng) {
        let sides = EXTENT.map(|side| side + 2.0 * START_MARGIN);
        let count = (sides[0] * sides[1] * sides[2] * AXON_DENSITY) as usize;
        for _ in 0..count {
            let start = sides.map(|side| rng.unit() * side - START_MARGIN);
            let direction = rng.direction();
            let base_radius = match rng.below(100) {
                0..24 => 5.0,
                24..55 => 8.0,
                55..82 => 11.0,
                82..95 => 15.0,
                _ => 21.0,
            };
            let (phase, wavelength) = (rng.range(0.0, 6.0), rng.range(3.0, 7.0));
            let mut boutons: Vec<usize> = (0..2).map(|_| rng.below(AXON_POINTS)).collect();
            boutons.dedup();
            let swellings: Vec<(usize, f32)> = boutons.iter().map(|&at| (at, rng.range(5.0, 15.0))).collect();
            let positions = random_curve(rng, start, direction, CurveShape { points: AXON_POINTS, step: AXON_STEP, bend: 0.09 });
            let points = positions
                .into_iter()
                .enumerate()
                .map(|(index, pos)| {
                    let swollen: f32 = swellings.iter().map(|&(at, by)| by * bell(index as f32 - at as f32, 3.0)).sum();
                    CurvePoint { pos, radius: base_radius * (1.0 + 0.28 * wave(index as f32 / wavelength + phase)) + swollen }
                })
                .collect();
            let kind = if base_radius >= 8.0 { NeuriteKind::Axon } else { NeuriteKind::Twig };
            let presynaptic = kind == NeuriteKind::Axon && rng.unit() < 0.6;
            self.add(Neurite { kind, brightness: rng.normal(), presynaptic, points, boutons });
        }
    }

    fn add(&mut self, neurite: Neurite) -> u32 {
        let index = self.neurites.len() as u32;
        self.add_capsules(&neurite.points, index);
        self.neurites.push(neurite);
        index
    }

    fn add_capsules(&mut self, points: &[CurvePoint], neurite: u32) {
        let pieces = points.windows(2).map(|ends| Capsule::new(ends[0], ends[1], neurite));
        self.capsules.extend(pieces.filter(|capsule| is_near_volume(capsule.middle(), capsule.bounding_radius())));
    }
}

pub fn is_near_volume(pos: [f32; 3], radius: f32) -> bool {
    let reach = KEPT_MARGIN + radius;
    pos.into_iter().zip(EXTENT).all(|(value, side)| value > -reach && value < side + reach)
}

struct CurveShape {
    points: usize,
    step: f32,
    bend: f32,
}

/// A walk whose direction drifts by slowly changing amounts.
fn random_curve(rng: &mut Rng, start: [f32; 3], direction: [f32; 3], shape: CurveShape) -> Vec<[f32; 3]> {
    let mut pos = start;
    let mut direction = normalized(direction);
    let mut drift = rng.normal3();
    (0..shape.points)
        .map(|_| {
            let point = pos;
            drift = add_scaled(drift.map(|value| value * 0.9), rng.normal3(), 0.45);
            direction = normalized(add_scaled(direction, drift, shape.bend));
            pos = add_scaled(pos, direction, shape.step);
            point
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capsule_distance_follows_the_radius_along_the_axis() {
        let ends = [([0.0; 3], 2.0), ([10.0, 0.0, 0.0], 4.0)].map(|(pos, radius)| CurvePoint { pos, radius });
        let capsule = Capsule::new(ends[0], ends[1], 0);
        for (pos, expected) in [([5.0, 7.0, 0.0], 4.0), ([-5.0, 0.0, 0.0], 3.0), ([10.0, 0.0, 1.0], -3.0)] {
            assert!((capsule.distance(pos) - expected).abs() < 1e-5, "at {pos:?}");
        }
    }

    #[test]
    fn capsules_of_a_neurite_follow_each_other() {
        let built = Neurites::new();
        assert!(built.capsules.windows(2).all(|pair| pair[0].neurite <= pair[1].neurite));
    }
}
