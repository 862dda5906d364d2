//! [`Brush`]: the voxels of a slice that a brush covers, as runs along the pane's right axis.
//!
//! The brush is round in physical space. Lengths are in *base voxels*: the shortest edge of a mag-1 voxel.

use crate::geometry::{BoundingBox, Mag, Shape3, SlicePlane, Vec3Int, VoxelSize};
use std::ops::Range;

/// Most pixels of a slice that one shape may cover: 5 · 282 690, as WEBKNOSSOS limits it.
pub const MAX_AREA_PIXELS: u64 = 5 * 282_690;

/// A voxel of a slice: position along the pane's right and down axes.
pub(super) type PlanePos = [i64; 2];

/// A rectangle of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaneRect {
    /// Its first pixel.
    low: PlanePos,
    /// The one after its last.
    end: PlanePos,
}

impl PlaneRect {
    /// What a plane meets of a box.
    pub fn of_box(plane: SlicePlane, b: &BoundingBox) -> Self {
        Self { low: plane_pos(plane, b.topleft), end: plane_pos(plane, b.bottomright()) }
    }

    /// The rows from the first to the last one. Of those outside only the ones next to it: they tell that some are.
    fn rows(&self, first: i64, last: i64) -> Range<i64> {
        first.max(self.low[1].saturating_sub(1))..last.min(self.end[1]).saturating_add(1)
    }

    /// Pixels of the rectangle around two positions, `reach` to all sides, as far as it is inside. Saturated.
    fn pixels_around(&self, a: PlanePos, b: PlanePos, reach: [i64; 2]) -> u64 {
        let side = |axis: usize| {
            let low = a[axis].min(b[axis]).saturating_sub(reach[axis]).max(self.low[axis]);
            let end = a[axis].max(b[axis]).saturating_add(reach[axis]).min(self.end[axis]);
            end.saturating_sub(low).max(0).unsigned_abs()
        };
        side(0).saturating_mul(side(1))
    }
}

/// A round brush in one plane of one mag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brush {
    /// In base voxels.
    radius: f64,
    /// Extent of a voxel of the mag along right and down, in base voxels.
    step: [f64; 2],
}

impl Brush {
    /// A brush of a diameter in base voxels; diameters below 1 paint one voxel.
    pub fn new(diameter: f64, voxel_size: &VoxelSize, mag: Mag, plane: SlicePlane) -> Self {
        let step = [plane.right_axis(), plane.down_axis()].map(|axis| voxel_size.anisotropy(axis) * mag.factors()[axis] as f64);
        let radius = (diameter / 2.0).round().clamp(1.0, 1e9);
        Self { radius: if radius.is_nan() { 1.0 } else { radius }, step }
    }

    /// Pixels that a disc may paint: of the rectangle around it, those inside of `within`. Saturated.
    pub fn disc_pixels(&self, center: PlanePos, within: &PlaneRect) -> u64 {
        within.pixels_around(center, center, self.reach())
    }

    /// Pixels that a [`Self::join`] may paint, saturated, with its rows counted where it is thin.
    pub fn join_pixels(&self, a: PlanePos, b: PlanePos, within: &PlaneRect) -> u64 {
        let area = self.distance(a, b) * 2.0 * self.radius / (self.step[0] * self.step[1]);
        (area as u64).max(a[1].abs_diff(b[1])).min(within.pixels_around(a, b, self.reach()))
    }

    /// How far it goes to the sides.
    fn reach(&self) -> [i64; 2] {
        self.step.map(|step| (self.radius / step).ceil() as i64)
    }

    /// Distance of two voxels in base voxels.
    pub fn distance(&self, a: PlanePos, b: PlanePos) -> f64 {
        let [u, v] = self.offset(a, b);
        u.hypot(v)
    }

    /// Distance up to which the ends of a stroke count as met.
    pub fn closing_distance(&self) -> f64 {
        2.0 * self.radius
    }

    fn offset(&self, from: PlanePos, to: PlanePos) -> [f64; 2] {
        [0, 1].map(|axis| to[axis].saturating_sub(from[axis]) as f64 * self.step[axis])
    }

    /// The disc around a voxel: `(du·step)² + (dv·step)² < r²`; rows far outside of `within` are left out.
    pub fn disc(&self, center: PlanePos, within: &PlaneRect, mut run: impl FnMut(i64, i64, i64)) {
        let reach = self.reach()[1];
        let is_inside = |du: i64, dv: i64| {
            let (u, v) = (du as f64 * self.step[0], dv as f64 * self.step[1]);
            u * u + v * v < self.radius * self.radius
        };
        for v in within.rows(center[1] - reach, center[1] + reach) {
            let dv = v - center[1];
            if !is_inside(0, dv) {
                continue;
            }
            let across = dv as f64 * self.step[1];
            // The root is near; the formula decides.
            let mut half = ((self.radius * self.radius - across * across).max(0.0).sqrt() / self.step[0]) as i64;
            while !is_inside(half, dv) {
                half -= 1;
            }
            while is_inside(half + 1, dv) {
                half += 1;
            }
            run(center[0] - half, center[0] + half + 1, v);
        }
    }

    /// The rectangle between two discs, as wide as they are, where they are 1.5 radii apart or more. Nearer ones
    /// overlap enough. Rows far outside of `within` are left out.
    pub fn join(&self, a: PlanePos, b: PlanePos, within: &PlaneRect, mut run: impl FnMut(i64, i64, i64)) {
        let length = self.distance(a, b);
        if length < 1.5 * self.radius {
            return;
        }
        let across = self.offset(a, b).map(|d| d / length);
        let is_inside = |u: i64, v: i64| is_in_rectangle(self.offset(a, [u, v]), across, length, self.radius);
        let reach = self.reach()[1];
        for v in within.rows(a[1].min(b[1]) - reach, a[1].max(b[1]) + reach) {
            let along_v = self.offset(a, [a[0], v])[1];
            // 0 ≤ t ≤ length and |p| < radius, both linear in u.
            let t = interval(across[0], along_v * across[1], 0.0, length);
            let p = interval(across[1], -along_v * across[0], -self.radius, self.radius);
            let (low, high) = (t.0.max(p.0) / self.step[0], t.1.min(p.1) / self.step[0]);
            if high - low < -2.0 || !low.is_finite() || !high.is_finite() {
                continue;
            }
            let (mut start, mut end) = (a[0] + low.floor() as i64 - 1, a[0] + high.ceil() as i64 + 1);
            while start <= end && !is_inside(start, v) {
                start += 1;
            }
            while end >= start && !is_inside(end, v) {
                end -= 1;
            }
            if start <= end {
                run(start, end + 1, v);
            }
        }
    }
}

/// Whether a point lies in the rectangle from the origin along `direction`, `length` long, `radius` to either side.
fn is_in_rectangle(point: [f64; 2], direction: [f64; 2], length: f64, radius: f64) -> bool {
    let t = point[0] * direction[0] + point[1] * direction[1];
    let p = point[0] * direction[1] - point[1] * direction[0];
    (0.0..=length).contains(&t) && p.abs() < radius
}

/// The `x` with `low ≤ slope · x + offset ≤ high`.
fn interval(slope: f64, offset: f64, low: f64, high: f64) -> (f64, f64) {
    /// No slice is as wide; finite, so that what is cut from it stays finite.
    const FAR: f64 = 1e15;
    if slope.abs() < 1e-12 {
        return if (low..=high).contains(&offset) { (-FAR, FAR) } else { (FAR, -FAR) };
    }
    let (a, b) = ((low - offset) / slope, (high - offset) / slope);
    (a.min(b).max(-FAR), a.max(b).min(FAR))
}

/// Where a run of a slice lies in its mag.
pub(super) fn run_box(plane: SlicePlane, slice: i64, start: i64, end: i64, v: i64) -> BoundingBox {
    let topleft = Vec3Int::ZERO.with(plane.right_axis(), start).with(plane.down_axis(), v).with(plane.normal_axis(), slice);
    let shape = Vec3Int::splat(1).with(plane.right_axis(), end - start);
    BoundingBox::new(topleft, Shape3::new(shape.x, shape.y, shape.z))
}

/// A voxel of a mag as a position in a plane.
pub(super) fn plane_pos(plane: SlicePlane, pos: Vec3Int) -> PlanePos {
    [pos[plane.right_axis()], pos[plane.down_axis()]]
}

#[cfg(test)]
mod tests;
