//! [`ViewState`]: the point that all panes show, and how closely.

use crate::geometry::{BoundingBox, SlicePlane, Vec3Int, VoxelSize};

/// Centre of all panes and zoom. The centre is continuous; voxel `v` covers `[v, v + 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewState {
    position: [f64; 3],
    zoom: f64,
}

impl ViewState {
    /// Factor of one notch of the wheel or one key press.
    pub const ZOOM_STEP: f64 = 1.1;

    /// Closest zoom: 200 pixels per voxel.
    pub const MIN_ZOOM: f64 = 0.005;

    /// Farthest zoom: 2^31 voxels fit into a few hundred pixels.
    pub const MAX_ZOOM: f64 = 1e7;

    /// A view that centres a mag-1 voxel.
    pub fn new(voxel: Vec3Int, zoom: f64) -> Self {
        let mut view = Self { position: [0.0; 3], zoom: 1.0 };
        view.set_voxel(voxel);
        view.set_zoom(zoom);
        view
    }

    /// Centre in continuous mag-1 voxels, x, y, z.
    pub const fn position(&self) -> [f64; 3] {
        self.position
    }

    /// Finest voxels (of the shortest edge) per physical pixel; larger is farther away.
    pub const fn zoom(&self) -> f64 {
        self.zoom
    }

    /// The mag-1 voxel in the centre.
    pub fn voxel(&self) -> Vec3Int {
        // Positions are clamped far inside what 64 bits and exact floats hold.
        Vec3Int::from(self.position.map(|p| p.floor() as i64))
    }

    /// Centres a mag-1 voxel.
    pub fn set_voxel(&mut self, voxel: Vec3Int) {
        self.set_position(voxel.to_array().map(|v| v as f64 + 0.5));
    }

    fn set_position(&mut self, position: [f64; 3]) {
        // Up to 2^48 the fractions of a voxel are exact enough for pixels.
        const LIMIT: f64 = (1_u64 << 48) as f64;
        self.position = position.map(|p| if p.is_nan() { 0.0 } else { p.clamp(-LIMIT, LIMIT) });
    }

    /// Sets the zoom, within its limits; anything that is no number is ignored.
    pub fn set_zoom(&mut self, zoom: f64) {
        if !zoom.is_nan() {
            self.zoom = zoom.clamp(Self::MIN_ZOOM, Self::MAX_ZOOM);
        }
    }

    /// Mag-1 voxels per physical pixel along an axis.
    pub fn mag1_per_px(&self, voxel_size: &VoxelSize, axis: usize) -> f64 {
        self.zoom / voxel_size.anisotropy(axis)
    }

    /// Moves by slices along a plane's normal; one slice is `factor` mag-1 voxels (the shown mag's).
    pub fn step(&mut self, plane: SlicePlane, steps: i64, factor: i64) {
        let axis = plane.normal_axis();
        let slices = (self.voxel()[axis].div_euclid(factor.max(1))).saturating_add(steps);
        let mut position = self.position;
        // The middle of the slice, so that rounding never falls on its border.
        position[axis] = slices.saturating_mul(factor.max(1)) as f64 + 0.5;
        self.set_position(position);
    }

    /// Moves so that the picture of a pane follows a drag by this many physical pixels.
    pub fn pan(&mut self, plane: SlicePlane, right_px: f64, down_px: f64, voxel_size: &VoxelSize) {
        let mut position = self.position;
        position[plane.right_axis()] -= right_px * self.mag1_per_px(voxel_size, plane.right_axis());
        position[plane.down_axis()] -= down_px * self.mag1_per_px(voxel_size, plane.down_axis());
        self.set_position(position);
    }

    /// Zooms so that what lies under a point of a pane stays there. Above 1 zooms in.
    pub fn zoom_at(&mut self, plane: SlicePlane, from_center_px: [f64; 2], factor: f64, voxel_size: &VoxelSize) {
        let before = self.zoom;
        if factor > 0.0 {
            self.set_zoom(self.zoom / factor);
        }
        let mut position = self.position;
        for (axis, px) in [(plane.right_axis(), from_center_px[0]), (plane.down_axis(), from_center_px[1])] {
            position[axis] += px * (before - self.zoom) / voxel_size.anisotropy(axis);
        }
        self.set_position(position);
    }

    /// Keeps the centre inside a box.
    pub fn clamp(&mut self, bounds: &BoundingBox) {
        if bounds.is_empty() {
            return;
        }
        let (low, high) = (bounds.topleft.to_array(), bounds.bottomright().to_array());
        let mut position = self.position;
        for axis in 0..3 {
            // Half a voxel inside, so that the centre voxel is one of the box.
            position[axis] = position[axis].clamp(low[axis] as f64, high[axis] as f64 - 0.5);
        }
        self.set_position(position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Shape3;

    fn aniso() -> VoxelSize {
        VoxelSize::new([10.0, 10.0, 25.0], None).expect("valid")
    }

    #[test]
    fn stepping_moves_by_slices_of_the_mag_and_comes_back() {
        let mut view = ViewState::new(Vec3Int::new(5, 5, 7), 1.0);
        view.step(SlicePlane::Xy, 1, 4);
        assert_eq!(view.voxel().z, 8);
        view.step(SlicePlane::Xy, -2, 4);
        assert_eq!(view.voxel().z, 0);
        view.step(SlicePlane::Yz, -1, 1);
        assert_eq!(view.voxel(), Vec3Int::new(4, 5, 0));
    }

    #[test]
    fn dragging_moves_the_picture_with_the_pointer_also_along_long_voxels() {
        let mut view = ViewState::new(Vec3Int::splat(100), 2.0);
        view.pan(SlicePlane::Yz, 25.0, 10.0, &aniso());
        // z runs right, 2.5 times as long: 25 px · 2 / 2.5 = 20 voxels; y runs down: 10 px · 2 = 20 voxels.
        assert_eq!(view.position(), [100.5, 80.5, 80.5]);
    }

    #[test]
    fn zooming_keeps_the_voxel_under_the_pointer() {
        let mut view = ViewState::new(Vec3Int::splat(100), 1.0);
        let under = |v: &ViewState| v.position()[2] + 40.0 * v.mag1_per_px(&aniso(), 2);
        let before = under(&view);
        view.zoom_at(SlicePlane::Yz, [40.0, -7.0], 3.0, &aniso());
        assert!((under(&view) - before).abs() < 1e-9);
        assert!((view.zoom() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_centre_stays_in_the_box_and_absurd_numbers_do_no_harm() {
        let bounds = BoundingBox::new(Vec3Int::new(10, 0, -5), Shape3::new(4, 5, 6));
        let mut view = ViewState::new(Vec3Int::new(i64::MAX, -7, 0), f64::NAN);
        view.clamp(&bounds);
        assert_eq!(view.voxel(), Vec3Int::new(13, 0, 0));
        assert_eq!(view.zoom(), 1.0);
        view.set_zoom(1e300);
        assert_eq!(view.zoom(), ViewState::MAX_ZOOM);
    }
}
