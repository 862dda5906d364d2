//! Where the sample ends: one corner of the block of tissue is cut off, and each section is trimmed a little differently.

use super::noise::{NoiseTile, Rng};
use super::space::SHAPE;

/// The empty corner's box of 128 voxels a side, aligned to 128: its first voxel.
pub const EMPTY_CORNER: [usize; 3] = [SHAPE[0] - 128, SHAPE[1] - 128, 0];

/// How fast the cut's distance grows away from the corner, along x and y. Their sum is 2.
const SLOPE: [f32; 2] = [1.18, 0.82];

pub struct SampleEdge {
    wobble: NoiseTile,
    section_offset: Vec<f32>,
}

impl SampleEdge {
    pub fn new() -> Self {
        let mut rng = Rng::new(41);
        Self {
            wobble: NoiseTile::new([128, 64, 1], [6.0, 2.5, 0.1], 42),
            section_offset: (0..SHAPE[2]).map(|_| rng.range(-1.2, 1.2)).collect(),
        }
    }

    /// No voxel of this column and section is inside from this x on.
    pub fn row_end(&self, y: usize, z: usize) -> usize {
        let from_corner = (SHAPE[1] - y) as f32;
        let along = from_corner * 0.35;
        let offset = self.wobble.sample([along, z as f32 * 0.5, 0.0]) * 3.5 + self.section_offset[z];
        let cut = 276.0 + 0.25 * (128.0 - z as f32) + offset;
        let empty = ((cut - SLOPE[1] * from_corner) / SLOPE[0]).max(0.0);
        SHAPE[0].saturating_sub(empty as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corner_box_is_outside() {
        let edge = SampleEdge::new();
        for z in EMPTY_CORNER[2]..EMPTY_CORNER[2] + 128 {
            for y in EMPTY_CORNER[1]..SHAPE[1] {
                assert!(edge.row_end(y, z) <= EMPTY_CORNER[0], "row {y}, section {z}");
            }
        }
    }

    #[test]
    fn most_of_the_volume_is_inside() {
        let edge = SampleEdge::new();
        let inside: usize = (0..SHAPE[1]).map(|y| edge.row_end(y, 96)).sum();
        assert!(inside > SHAPE[0] * SHAPE[1] * 3 / 4);
    }
}
