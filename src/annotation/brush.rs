//! [`Brush`]: the voxels of a slice that a brush covers, as runs along the pane's right axis.
//!
//! The brush is round in physical space. Lengths are in *base voxels*: the shortest edge of a mag-1 voxel.

use crate::geometry::{BoundingBox, Mag, Shape3, SlicePlane, Vec3Int, VoxelSize};

/// Most pixels of a slice that one shape may cover: 5 · 282 690, as WEBKNOSSOS limits it.
pub const MAX_AREA_PIXELS: u64 = 5 * 282_690;

/// A voxel of a slice: position along the pane's right and down axes.
pub(super) type PlanePos = [i64; 2];

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

    /// Pixels of the rectangle around it, saturated.
    pub fn pixels(&self) -> u64 {
        self.step.iter().fold(1.0, |pixels, step| pixels * (2.0 * self.radius / step).max(1.0)) as u64
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

    /// Pixels of a [`Self::join`], saturated, with its rows counted where it is thin.
    pub fn join_pixels(&self, a: PlanePos, b: PlanePos) -> u64 {
        let area = self.distance(a, b) * 2.0 * self.radius / (self.step[0] * self.step[1]);
        (area as u64).max(a[1].abs_diff(b[1]))
    }

    fn offset(&self, from: PlanePos, to: PlanePos) -> [f64; 2] {
        [0, 1].map(|axis| to[axis].saturating_sub(from[axis]) as f64 * self.step[axis])
    }

    /// The disc around a voxel: `(du·step)² + (dv·step)² < r²`.
    pub fn disc(&self, center: PlanePos, mut run: impl FnMut(i64, i64, i64)) {
        let reach = (self.radius / self.step[1]).ceil() as i64;
        let is_inside = |du: i64, dv: i64| {
            let (u, v) = (du as f64 * self.step[0], dv as f64 * self.step[1]);
            u * u + v * v < self.radius * self.radius
        };
        for dv in -reach..=reach {
            if !is_inside(0, dv) {
                continue;
            }
            let v = dv as f64 * self.step[1];
            // The root is near; the formula decides.
            let mut half = ((self.radius * self.radius - v * v).max(0.0).sqrt() / self.step[0]) as i64;
            while !is_inside(half, dv) {
                half -= 1;
            }
            while is_inside(half + 1, dv) {
                half += 1;
            }
            run(center[0] - half, center[0] + half + 1, center[1] + dv);
        }
    }

    /// The rectangle between two discs, as wide as they are, where they are 1.5 radii apart or more. Nearer ones
    /// overlap enough.
    pub fn join(&self, a: PlanePos, b: PlanePos, mut run: impl FnMut(i64, i64, i64)) {
        let length = self.distance(a, b);
        if length < 1.5 * self.radius {
            return;
        }
        let across = self.offset(a, b).map(|d| d / length);
        let is_inside = |u: i64, v: i64| is_in_rectangle(self.offset(a, [u, v]), across, length, self.radius);
        let reach = (self.radius / self.step[1]).ceil() as i64;
        for v in a[1].min(b[1]) - reach..=a[1].max(b[1]) + reach {
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
