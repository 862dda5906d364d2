//! Fills slabs of the volume, block by block, in parallel over layers of blocks.

use std::ops::Range;

use rayon::prelude::*;

use super::edge::SampleEdge;
use super::nearest::{Candidates, Nearest, NearestFinder, Surroundings};
use super::neurites::{Neurite, Neurites};
use super::noise::{length, sub};
use super::organelles::{Organelles, Synapse};
use super::shading::{Scene, ShadedBlock, Shading};
use super::space::{BLOCK, BLOCK_LEN, SHAPE, VOXEL_SIZE_NM, Warp, WarpedBlock};

/// Candidates are gathered for this many blocks together, in x and y.
const TILE_BLOCKS: usize = 2;
const PLANE_LEN: usize = SHAPE[0] * SHAPE[1];

/// Deterministic volume that looks like electron microscopy of brain tissue; the same on every machine.
pub struct DemoVolume {
    warp: Warp,
    edge: SampleEdge,
    neurites: Vec<Neurite>,
    finder: NearestFinder,
    organelles: Organelles,
    shading: Shading,
}

impl DemoVolume {
    /// Voxels in x, y, z.
    pub const SHAPE: [usize; 3] = SHAPE;
    /// Sides of a voxel, in nanometres.
    pub const VOXEL_SIZE_NM: [f32; 3] = VOXEL_SIZE_NM;

    /// Sets up curves, textures and search structures, which takes some 100 ms.
    pub fn new() -> Self {
        let (shading, (warp, neurites)) = rayon::join(Shading::new, || (Warp::new(), Neurites::new()));
        Self {
            finder: NearestFinder::new(&neurites),
            organelles: Organelles::new(&neurites.neurites),
            neurites: neurites.neurites,
            edge: SampleEdge::new(),
            warp,
            shading,
        }
    }

    /// Fills whole planes from `z0` on, x fastest, then y, then z: grey values, and segment numbers that are 0 in membranes and
    /// outside of the sample. The buffers' length sets the number of planes. Slabs of multiples of 4 planes at multiples of 4 waste
    /// no work; the values are the same for all splits.
    ///
    /// # Panics
    /// If the buffers differ in length, aren't whole planes, or reach past the volume.
    pub fn fill_slab(&self, z0: usize, em: &mut [u8], segments: &mut [u32]) {
        assert_eq!(em.len(), segments.len(), "both buffers hold the same voxels");
        assert!(em.len().is_multiple_of(PLANE_LEN) && z0 + em.len() / PLANE_LEN <= SHAPE[2], "whole planes of the volume");
        let mut layers = Vec::new();
        let (mut em, mut segments, mut z) = (em, segments, z0);
        while !em.is_empty() {
            let end = (z + BLOCK[2]) / BLOCK[2] * BLOCK[2];
            let len = ((end - z) * PLANE_LEN).min(em.len());
            let (em_head, em_tail) = em.split_at_mut(len);
            let (segments_head, segments_tail) = segments.split_at_mut(len);
            layers.push(LayerPart { planes: z..z + len / PLANE_LEN, em: em_head, segments: segments_head });
            (em, segments, z) = (em_tail, segments_tail, end);
        }
        layers.into_par_iter().for_each(|mut layer| self.fill_layer(&mut layer));
    }

    /// Number of segments there can be; segment numbers are at most this.
    pub fn segment_count(&self) -> u32 {
        self.neurites.len() as u32
    }

    pub(super) fn is_dendrite(&self, segment: u32) -> bool {
        let neurite = (segment as usize).checked_sub(1).and_then(|index| self.neurites.get(index));
        neurite.is_some_and(|neurite| neurite.kind == super::neurites::NeuriteKind::Dendrite)
    }

    /// Segment number and voxel of each synapse in or near the volume.
    pub(super) fn synapses(&self) -> impl Iterator<Item = (u32, [f32; 3])> + '_ {
        let located = |synapse: &Synapse| (synapse.neurite + 1, self.warp.voxel_from_warped(synapse.pos));
        self.organelles.synapses().iter().map(located)
    }

    fn fill_layer(&self, layer: &mut LayerPart<'_>) {
        layer.em.fill(0);
        layer.segments.fill(0);
        let z = layer.planes.start / BLOCK[2] * BLOCK[2];
        let mut worker = Worker::new();
        for y in (0..SHAPE[1]).step_by(BLOCK[1] * TILE_BLOCKS) {
            for x in (0..SHAPE[0]).step_by(BLOCK[0] * TILE_BLOCKS) {
                self.fill_tile([x, y, z], layer, &mut worker);
            }
        }
    }

    fn fill_tile(&self, topleft: [usize; 3], layer: &mut LayerPart<'_>, worker: &mut Worker) {
        worker.blocks.clear();
        for y in (topleft[1]..SHAPE[1]).step_by(BLOCK[1]).take(TILE_BLOCKS) {
            for x in (topleft[0]..SHAPE[0]).step_by(BLOCK[0]).take(TILE_BLOCKS) {
                if self.is_in_sample([x, y, topleft[2]]) {
                    let topleft = [x, y, topleft[2]];
                    worker.blocks.push((topleft, self.warp.block(topleft)));
                }
            }
        }
        let Some((center, radius)) = ball_around(&worker.blocks) else { return };
        self.finder.gather(center, radius, &mut worker.candidates);
        for (topleft, block) in &worker.blocks {
            self.finder.evaluate(block, &mut worker.candidates, &mut worker.nearest);
            worker.surroundings.clear();
            worker.surroundings.extend((0..BLOCK_LEN).map(|index| worker.nearest.surroundings(index, block, &worker.candidates)));
            let scene = Scene {
                topleft: *topleft,
                block,
                surroundings: &worker.surroundings,
                neurites: &self.neurites,
                organelles: &self.organelles,
            };
            self.shading.shade(&scene, &mut worker.shaded);
            self.copy_block(*topleft, &worker.shaded, layer);
        }
    }

    /// Whether some voxel of the block is.
    fn is_in_sample(&self, topleft: [usize; 3]) -> bool {
        let mut rows = (topleft[2]..topleft[2] + BLOCK[2]).flat_map(|z| (topleft[1]..topleft[1] + BLOCK[1]).map(move |y| (y, z)));
        rows.any(|(y, z)| self.edge.row_end(y, z) > topleft[0])
    }

    fn copy_block(&self, topleft: [usize; 3], shaded: &ShadedBlock, layer: &mut LayerPart<'_>) {
        for z in layer.planes.clone() {
            for y in 0..BLOCK[1] {
                let row_end = self.edge.row_end(topleft[1] + y, z);
                let count = row_end.saturating_sub(topleft[0]).min(BLOCK[0]);
                let from = ((z - topleft[2]) * BLOCK[1] + y) * BLOCK[0];
                let to = ((z - layer.planes.start) * SHAPE[1] + topleft[1] + y) * SHAPE[0] + topleft[0];
                layer.em[to..to + count].copy_from_slice(&shaded.em[from..from + count]);
                layer.segments[to..to + count].copy_from_slice(&shaded.segments[from..from + count]);
            }
        }
    }
}

impl Default for DemoVolume {
    fn default() -> Self {
        Self::new()
    }
}

/// Planes of one layer of blocks, or of a part of it.
struct LayerPart<'a> {
    planes: Range<usize>,
    em: &'a mut [u8],
    segments: &'a mut [u32],
}

/// Buffers that are reused from tile to tile.
struct Worker {
    blocks: Vec<([usize; 3], WarpedBlock)>,
    candidates: Candidates,
    nearest: Nearest,
    surroundings: Vec<Surroundings>,
    shaded: ShadedBlock,
}

impl Worker {
    fn new() -> Self {
        Self {
            blocks: Vec::new(),
            candidates: Candidates::default(),
            nearest: Nearest::new(),
            surroundings: Vec::new(),
            shaded: ShadedBlock { em: [0; BLOCK_LEN], segments: [0; BLOCK_LEN] },
        }
    }
}

fn ball_around(blocks: &[([usize; 3], WarpedBlock)]) -> Option<([f32; 3], f32)> {
    if blocks.is_empty() {
        return None;
    }
    let count = blocks.len() as f32;
    let center = std::array::from_fn(|axis| blocks.iter().map(|(_, block)| block.center[axis]).sum::<f32>() / count);
    let radius = blocks.iter().map(|(_, block)| length(sub(block.center, center)) + block.radius).fold(0.0, f32::max);
    Some((center, radius))
}

#[cfg(test)]
mod tests {
    use super::super::edge::EMPTY_CORNER;
    use super::*;

    fn slab(volume: &DemoVolume, planes: Range<usize>) -> (Vec<u8>, Vec<u32>) {
        let mut em = vec![9; planes.len() * PLANE_LEN];
        let mut segments = vec![9; planes.len() * PLANE_LEN];
        volume.fill_slab(planes.start, &mut em, &mut segments);
        (em, segments)
    }

    /// FNV-1a.
    fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
        bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
    }

    #[test]
    fn voxels_are_the_same_on_every_machine() {
        let (em, segments) = slab(&DemoVolume::new(), 100..101);
        assert_eq!(digest(em.into_iter()), 4_002_621_660_525_761_317);
        assert_eq!(digest(segments.into_iter().flat_map(u32::to_le_bytes)), 10_022_575_322_962_777_152);
    }

    #[test]
    fn slabs_are_independent_of_the_split() {
        let volume = DemoVolume::new();
        let (em, segments) = slab(&volume, 50..59);
        for planes in [50..51, 51..56, 56..59] {
            let (part_em, part_segments) = slab(&volume, planes.clone());
            let voxels = (planes.start - 50) * PLANE_LEN..(planes.end - 50) * PLANE_LEN;
            assert!(part_em == em[voxels.clone()] && part_segments == segments[voxels], "planes {planes:?}");
        }
    }

    #[test]
    fn membranes_are_darker_than_cells() {
        let (em, segments) = slab(&DemoVolume::new(), 96..100);
        let mean = |keep: fn(u32) -> bool| {
            let inside = em.iter().zip(&segments).filter(|&(&grey, &segment)| grey > 0 && keep(segment));
            let kept: Vec<f64> = inside.map(|(&grey, _)| f64::from(grey)).collect();
            kept.iter().sum::<f64>() / kept.len() as f64
        };
        let (membranes, cells) = (mean(|segment| segment == 0), mean(|segment| segment != 0));
        assert!(membranes + 40.0 < cells, "membranes {membranes}, cells {cells}");
    }

    #[test]
    fn corner_is_zero_and_the_sample_is_not() {
        let volume = DemoVolume::new();
        let (em, segments) = slab(&volume, 60..64);
        for (index, (&grey, &segment)) in em.iter().zip(&segments).enumerate() {
            let (x, y, z) = (index % SHAPE[0], index / SHAPE[0] % SHAPE[1], 60 + index / PLANE_LEN);
            let inside = x < volume.edge.row_end(y, z);
            assert_eq!(grey > 0, inside, "voxel {x}, {y}, {z}");
            assert!(inside || segment == 0);
            assert!(!inside || x < EMPTY_CORNER[0] || y < EMPTY_CORNER[1]);
        }
    }
}
