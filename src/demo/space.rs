//! Sizes, and the way from voxels to the space in which cells are round: physical units (1 = the voxel's x side), then a smooth warp
//! that makes outlines irregular, plus a small shift per section, as left over by alignment.

use super::noise::{NoiseTile, Rng};

pub const SHAPE: [usize; 3] = [512, 384, 192];
pub const VOXEL_SIZE_NM: [f32; 3] = [11.24, 11.24, 28.0];
/// A voxel's z side in units of its x side.
pub const Z_STEP: f32 = 28.0 / 11.24;
/// Sides of the volume in physical units.
pub const EXTENT: [f32; 3] = [SHAPE[0] as f32, SHAPE[1] as f32, SHAPE[2] as f32 * Z_STEP];

/// Voxels are computed in blocks on a fixed grid, so that results can't depend on how the volume is split.
pub const BLOCK: [usize; 3] = [8, 8, 4];
pub const BLOCK_LEN: usize = BLOCK[0] * BLOCK[1] * BLOCK[2];
/// The warp is interpolated between points this many voxels apart.
const LATTICE: [usize; 3] = [4, 4, 2];

/// Warped positions of a block's voxels, x fastest, then y, then z.
pub struct WarpedBlock {
    pub x: [f32; BLOCK_LEN],
    pub y: [f32; BLOCK_LEN],
    pub z: [f32; BLOCK_LEN],
    pub center: [f32; 3],
    /// No voxel is farther from the centre.
    pub radius: f32,
    /// `stretch[i][j]`: change of the warp's component j per physical unit along axis i, averaged over the block.
    pub stretch: [[f32; 3]; 3],
}

impl WarpedBlock {
    pub fn pos(&self, index: usize) -> [f32; 3] {
        [self.x[index], self.y[index], self.z[index]]
    }
}

pub struct Warp {
    wide: [NoiseTile; 3],
    narrow: [NoiseTile; 3],
    section_shift: Vec<[f32; 2]>,
}

impl Warp {
    pub fn new() -> Self {
        let tile = |sigma: f32, seed: u64| NoiseTile::new([64; 3], [sigma; 3], seed);
        let mut rng = Rng::new(77);
        Self {
            wide: [200, 201, 202].map(|seed| tile(5.0, seed)),
            narrow: [300, 301, 302].map(|seed| tile(2.6, seed)),
            section_shift: (0..SHAPE[2]).map(|_| [rng.normal() * 0.45, rng.normal() * 0.45]).collect(),
        }
    }

    /// Displacement at a physical position.
    pub fn displacement(&self, pos: [f32; 3]) -> [f32; 3] {
        let wide_pos = pos.map(|value| value * (1.0 / 4.0));
        let narrow_pos = pos.map(|value| value * (1.0 / 2.2));
        std::array::from_fn(|axis| self.wide[axis].sample(wide_pos) * 9.0 + self.narrow[axis].sample(narrow_pos) * 2.6)
    }

    /// Voxel whose warped position is about `warped`.
    pub fn voxel_from_warped(&self, warped: [f32; 3]) -> [f32; 3] {
        let mut pos = warped;
        for _ in 0..6 {
            let displacement = self.displacement(pos);
            pos = std::array::from_fn(|axis| 0.5 * pos[axis] + 0.5 * (warped[axis] - displacement[axis]));
        }
        [pos[0] - 0.5, pos[1] - 0.5, pos[2] / Z_STEP - 0.5]
    }

    /// Warped positions of the block whose first voxel is `topleft`.
    pub fn block(&self, topleft: [usize; 3]) -> WarpedBlock {
        let lattice = self.lattice(topleft);
        let mut block = WarpedBlock {
            x: [0.0; BLOCK_LEN],
            y: [0.0; BLOCK_LEN],
            z: [0.0; BLOCK_LEN],
            center: [0.0; 3],
            radius: 0.0,
            stretch: mean_stretch(&lattice),
        };
        for z in 0..BLOCK[2] {
            let shift = self.section_shift[topleft[2] + z];
            for y in 0..BLOCK[1] {
                let line = lattice_line(&lattice, y, z);
                for x in 0..BLOCK[0] {
                    let (cell, part) = (x / LATTICE[0], (x % LATTICE[0]) as f32 / LATTICE[0] as f32);
                    let moved: [f32; 3] = std::array::from_fn(|axis| line[cell][axis] + (line[cell + 1][axis] - line[cell][axis]) * part);
                    let index = (z * BLOCK[1] + y) * BLOCK[0] + x;
                    block.x[index] = (topleft[0] + x) as f32 + 0.5 + shift[0] + moved[0];
                    block.y[index] = (topleft[1] + y) as f32 + 0.5 + shift[1] + moved[1];
                    block.z[index] = ((topleft[2] + z) as f32 + 0.5) * Z_STEP + moved[2];
                }
            }
        }
        bound(&mut block);
        block
    }

    fn lattice(&self, topleft: [usize; 3]) -> Lattice {
        std::array::from_fn(|z| {
            std::array::from_fn(|y| {
                std::array::from_fn(|x| {
                    let pos = [topleft[0] + x * LATTICE[0], topleft[1] + y * LATTICE[1], topleft[2] + z * LATTICE[2]];
                    self.displacement([pos[0] as f32, pos[1] as f32, pos[2] as f32 * Z_STEP])
                })
            })
        })
    }
}

/// Displacements around a block, `[z][y][x]`.
type Lattice = [[[[f32; 3]; 3]; 3]; 3];

/// The lattice interpolated in y and z.
fn lattice_line(lattice: &Lattice, y: usize, z: usize) -> [[f32; 3]; 3] {
    let (cell_y, part_y) = (y / LATTICE[1], (y % LATTICE[1]) as f32 / LATTICE[1] as f32);
    let (cell_z, part_z) = (z / LATTICE[2], (z % LATTICE[2]) as f32 / LATTICE[2] as f32);
    std::array::from_fn(|x| {
        std::array::from_fn(|axis| {
            let in_plane = |z: usize| {
                let start = lattice[z][cell_y][x][axis];
                start + (lattice[z][cell_y + 1][x][axis] - start) * part_y
            };
            let start = in_plane(cell_z);
            start + (in_plane(cell_z + 1) - start) * part_z
        })
    })
}

fn mean_stretch(lattice: &Lattice) -> [[f32; 3]; 3] {
    let mut stretch = [[0.0; 3]; 3];
    let sides = [BLOCK[0] as f32, BLOCK[1] as f32, BLOCK[2] as f32 * Z_STEP];
    for a in [0, 2] {
        for b in [0, 2] {
            for axis in 0..3 {
                stretch[0][axis] += (lattice[a][b][2][axis] - lattice[a][b][0][axis]) / (4.0 * sides[0]);
                stretch[1][axis] += (lattice[a][2][b][axis] - lattice[a][0][b][axis]) / (4.0 * sides[1]);
                stretch[2][axis] += (lattice[2][a][b][axis] - lattice[0][a][b][axis]) / (4.0 * sides[2]);
            }
        }
    }
    stretch
}

fn bound(block: &mut WarpedBlock) {
    let mean = |values: &[f32; BLOCK_LEN]| values.iter().sum::<f32>() / BLOCK_LEN as f32;
    let center = [mean(&block.x), mean(&block.y), mean(&block.z)];
    let mut farthest_sq: f32 = 0.0;
    for index in 0..BLOCK_LEN {
        let offset = super::noise::sub(block.pos(index), center);
        farthest_sq = farthest_sq.max(super::noise::dot(offset, offset));
    }
    block.center = center;
    block.radius = farthest_sq.sqrt();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_of_the_warp_is_close() {
        let warp = Warp::new();
        let block = warp.block([128, 64, 32]);
        let voxel = warp.voxel_from_warped(block.pos(0));
        let error = [voxel[0] - 128.0, voxel[1] - 64.0, voxel[2] - 32.0];
        assert!(error.iter().all(|value| value.abs() < 2.5), "{error:?}");
    }

    #[test]
    fn blocks_fit_the_shape() {
        assert!(SHAPE.iter().zip(BLOCK).all(|(side, block)| side % block == 0));
    }
}
