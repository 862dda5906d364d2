//! [`AxisMap`]: which chunk and which offset each column or row of pixels has, in one level.

use crate::geometry::{ChunkIndex, SlicePlane, Vec3Int};
use crate::scene::pane::PaneView;
use crate::scene::slice::SliceLevel;
use std::ops::Range;

/// Number of a pixel's chunk where there is none: the voxel lies outside the level's stored bounds.
pub(in crate::scene) const NO_CHUNK: u32 = u32::MAX;

/// The positions that are drawn or counted: where rows and columns of a plane lie.
pub(in crate::scene) struct SamplePoints {
    /// The plane.
    pub plane: SlicePlane,
    /// Mag-1 voxel along the plane's normal.
    pub slice: i64,
    /// Mag-1 coordinates of the columns (to the right) and of the rows (down), ascending.
    pub at: [Vec<f64>; 2],
}

impl SamplePoints {
    /// The middle of each pixel of a pane.
    pub fn of_pixels(view: &PaneView) -> Self {
        let along = |axis: usize| (0..view.shape_px()[axis]).map(|px| view.mag1_from_px(axis, f64::from(px) + 0.5)).collect();
        Self { plane: view.plane(), slice: view.slice(), at: [along(0), along(1)] }
    }

    /// Axis of the volume that runs along screen axis 0 (right) or 1 (down).
    pub fn axis(&self, on_screen: usize) -> usize {
        if on_screen == 0 { self.plane.right_axis() } else { self.plane.down_axis() }
    }
}

/// The voxel beside the shown one that linear interpolation mixes in.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::scene) struct Neighbor {
    pub chunk: u32,
    pub offset: u32,
    /// Share of the neighbour, 0 to 0.5.
    pub weight: f32,
}

/// One axis of the screen in one level.
pub(in crate::scene) struct AxisMap {
    /// The level's chunks along this axis that are looked up, ascending.
    pub chunks: Vec<i64>,
    /// By pixel: number of its chunk in `chunks`, or [`NO_CHUNK`].
    pub chunk_at: Vec<u32>,
    /// By pixel: distance in bytes from the chunk's start along this axis.
    pub offsets: Vec<u32>,
    /// By pixel, where the layer is interpolated.
    pub neighbors: Vec<Neighbor>,
    /// Runs of pixels in one chunk.
    pub spans: Vec<Range<u32>>,
}

/// What an axis map is made for.
pub(in crate::scene) struct AxisRequest<'a> {
    pub points: &'a [f64],
    pub visible: Range<usize>,
    pub axis: usize,
    pub stride: usize,
    pub is_linear: bool,
    /// Voxels that exist along the axis, in the level.
    pub extent: Range<i64>,
}

impl AxisMap {
    pub fn new(level: &SliceLevel, request: &AxisRequest<'_>) -> Self {
        let AxisRequest { points, visible, axis, stride, is_linear, extent } = request;
        let (factor, len) = (level.mag.factors()[*axis], level.grid.chunk_shape().along(*axis));
        // Bounds are in voxels of the level, as the grid's origin is.
        let origin = level.grid.chunk_box(ChunkIndex(Vec3Int::ZERO)).topleft[*axis];
        let mut map = Self {
            chunks: Vec::new(),
            chunk_at: vec![NO_CHUNK; points.len()],
            offsets: vec![0; points.len()],
            neighbors: if *is_linear { vec![Neighbor::default(); points.len()] } else { Vec::new() },
            spans: Vec::new(),
        };
        let locate = |voxel: i64| {
            let from_origin = voxel.saturating_sub(origin);
            let offset = usize::try_from(from_origin.rem_euclid(len)).map_or(usize::MAX, |o| o.saturating_mul(*stride));
            // Chunks of 4 GiB and more are never decoded, see `Cell::of`.
            (from_origin.div_euclid(len), u32::try_from(offset).unwrap_or(u32::MAX))
        };
        let voxel_of = |px: usize| (points[px].floor() as i64).div_euclid(factor);
        let neighbor_of = |px: usize| {
            let voxel = voxel_of(px);
            let from_middle = points[px] / factor as f64 - voxel as f64 - 0.5;
            let neighbor = if from_middle < 0.0 { voxel.saturating_sub(1) } else { voxel.saturating_add(1) };
            (neighbor, from_middle.abs().min(0.5) as f32)
        };
        for px in visible.clone() {
            let candidates = [Some(voxel_of(px)), is_linear.then(|| neighbor_of(px).0)];
            for voxel in candidates.into_iter().flatten().filter(|v| extent.contains(v)) {
                let chunk = locate(voxel).0;
                if map.chunks.last() != Some(&chunk) {
                    map.chunks.push(chunk);
                }
            }
        }
        map.chunks.sort_unstable();
        map.chunks.dedup();
        let mut number = 0;
        for px in visible.clone() {
            let voxel = voxel_of(px);
            if !extent.contains(&voxel) {
                continue;
            }
            let (chunk, offset) = locate(voxel);
            while map.chunks.get(number).is_some_and(|c| *c < chunk) {
                number += 1;
            }
            map.chunk_at[px] = u32::try_from(number).unwrap_or(NO_CHUNK);
            map.offsets[px] = offset;
        }
        if *is_linear {
            for px in visible.clone() {
                let (voxel, weight) = neighbor_of(px);
                if let Some((chunk, offset)) = extent.contains(&voxel).then(|| locate(voxel))
                    && let Ok(number) = map.chunks.binary_search(&chunk)
                {
                    map.neighbors[px] = Neighbor { chunk: u32::try_from(number).unwrap_or(NO_CHUNK), offset, weight };
                }
            }
        }
        for px in visible.clone() {
            let px_number = u32::try_from(px).unwrap_or(u32::MAX);
            match map.spans.last_mut() {
                Some(span) if map.chunk_at[px] == map.chunk_at[px - 1] => span.end = px_number + 1,
                Some(_) | None => map.spans.push(px_number..px_number + 1),
            }
        }
        map
    }
}
