//! [`PaneView`]: which mag-1 voxels the pixels of a pane show.

use super::view::ViewState;
use crate::geometry::{BoundingBox, SlicePlane, Vec3Int, VoxelSize};

/// A pane's mapping between physical pixels and mag-1 voxels, fixed for one picture.
///
/// Pixel columns start on multiples of the pixel's own step, so that voxel borders fall on pixel
/// borders at 1 : 1 and whole-number zooms, and a picture doesn't shimmer while it is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaneView {
    plane: SlicePlane,
    shape_px: [u32; 2],
    /// Mag-1 coordinate of the left and of the upper edge.
    edge: [f64; 2],
    step: [f64; 2],
    /// Mag-1 voxel along the normal.
    slice: i64,
    center: [f64; 3],
}

impl PaneView {
    /// Larger panes are not composed: no screen has more pixels.
    pub const MAX_SIDE_PX: u32 = 8192;

    /// The view through a pane of this many physical pixels.
    pub fn new(view: &ViewState, plane: SlicePlane, shape_px: [u32; 2], voxel_size: &VoxelSize) -> Self {
        let shape_px = shape_px.map(|side| side.min(Self::MAX_SIDE_PX));
        let axes = [plane.right_axis(), plane.down_axis()];
        let step = axes.map(|axis| view.mag1_per_px(voxel_size, axis));
        let mut edge = [0.0; 2];
        for i in 0..2 {
            let exact = view.position()[axes[i]] - f64::from(shape_px[i]) / 2.0 * step[i];
            edge[i] = (exact / step[i]).round() * step[i];
        }
        Self { plane, shape_px, edge, step, slice: view.voxel()[plane.normal_axis()], center: view.position() }
    }

    /// The plane.
    pub const fn plane(&self) -> SlicePlane {
        self.plane
    }

    /// Width and height in physical pixels.
    pub const fn shape_px(&self) -> [u32; 2] {
        self.shape_px
    }

    /// Mag-1 voxels per pixel to the right and down.
    pub const fn step(&self) -> [f64; 2] {
        self.step
    }

    /// The mag-1 voxel along the plane's normal.
    pub const fn slice(&self) -> i64 {
        self.slice
    }

    /// Centre of the view, mag-1, x, y, z.
    pub const fn center(&self) -> [f64; 3] {
        self.center
    }

    /// Axis of the volume that runs along screen axis 0 (right) or 1 (down).
    pub const fn volume_axis(&self, screen_axis: usize) -> usize {
        if screen_axis == 0 { self.plane.right_axis() } else { self.plane.down_axis() }
    }

    /// Mag-1 coordinate of the middle of pixel `px` along screen axis 0 or 1.
    pub fn mag1_from_px(&self, screen_axis: usize, px: f64) -> f64 {
        self.edge[screen_axis] + px * self.step[screen_axis]
    }

    /// The mag-1 voxel that each pixel of a row (0) or column (1) shows along its axis.
    pub fn voxels_along(&self, screen_axis: usize) -> Vec<i64> {
        (0..self.shape_px[screen_axis]).map(|px| self.mag1_from_px(screen_axis, f64::from(px) + 0.5).floor() as i64).collect()
    }

    /// Position in physical pixels from the left or upper edge.
    pub fn px_from_mag1(&self, screen_axis: usize, mag1: f64) -> f64 {
        (mag1 - self.edge[screen_axis]) / self.step[screen_axis]
    }

    /// The mag-1 voxel under a point in physical pixels from the upper left corner: what is drawn there.
    pub fn voxel_at(&self, px: [f64; 2]) -> Vec3Int {
        let mut voxel = Vec3Int::ZERO.with(self.plane.normal_axis(), self.slice);
        for (screen_axis, px) in px.into_iter().enumerate() {
            // Within a pixel the picture is one colour: that of its middle.
            voxel[self.volume_axis(screen_axis)] = self.mag1_from_px(screen_axis, px.floor() + 0.5).floor() as i64;
        }
        voxel
    }

    /// All mag-1 voxels that the pane shows, one voxel thick.
    pub fn box_mag1(&self) -> BoundingBox {
        let mut low = Vec3Int::ZERO.with(self.plane.normal_axis(), self.slice);
        let mut high = Vec3Int::ZERO.with(self.plane.normal_axis(), self.slice.saturating_add(1));
        for screen_axis in 0..2 {
            let axis = self.volume_axis(screen_axis);
            low[axis] = self.mag1_from_px(screen_axis, 0.0).floor() as i64;
            high[axis] = self.mag1_from_px(screen_axis, f64::from(self.shape_px[screen_axis])).ceil() as i64;
        }
        BoundingBox::between(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pane(plane: SlicePlane, zoom: f64, shape_px: [u32; 2]) -> PaneView {
        let size = VoxelSize::new([11.24, 11.24, 28.0], None).expect("valid");
        PaneView::new(&ViewState::new(Vec3Int::new(3630, 3502, 1051), zoom), plane, shape_px, &size)
    }

    #[test]
    fn one_voxel_is_one_pixel_at_zoom_1() {
        for width in [300, 301] {
            let columns = pane(SlicePlane::Xy, 1.0, [width, 10]).voxels_along(0);
            assert!(columns.windows(2).all(|pair| pair[1] == pair[0] + 1), "width {width}");
            assert!(columns.contains(&3630));
        }
    }

    #[test]
    fn voxels_have_whole_pixels_at_whole_number_zooms() {
        let columns = pane(SlicePlane::Xy, 0.25, [200, 10]).voxels_along(0);
        let runs: Vec<usize> = columns.chunk_by(|a, b| a == b).map(<[i64]>::len).collect();
        assert!(runs[1..runs.len() - 1].iter().all(|run| *run == 4), "{runs:?}");
    }

    #[test]
    fn long_voxels_are_wide_in_yz_and_high_in_xz() {
        let yz = pane(SlicePlane::Yz, 1.0, [249, 100]);
        assert_eq!(yz.box_mag1().shape.along(1), 100);
        assert!((yz.box_mag1().shape.along(2) - 100).abs() <= 1);
        let xz = pane(SlicePlane::Xz, 1.0, [100, 249]);
        assert!((xz.box_mag1().shape.along(2) - 100).abs() <= 1);
    }

    #[test]
    fn the_centre_voxel_is_in_every_pane() {
        for plane in SlicePlane::ALL {
            for zoom in [0.01, 0.3, 1.0, 1.3, 7.0] {
                let pane = pane(plane, zoom, [101, 57]);
                assert!(pane.box_mag1().contains(Vec3Int::new(3630, 3502, 1051)), "{plane} {zoom}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_picked_voxel_is_the_drawn_one(zoom in 0.01_f64..20.0, px in 0_u32..333, py in 0_u32..211, plane in prop::sample::select(&SlicePlane::ALL)) {
            let pane = pane(plane, zoom, [333, 211]);
            let voxel = pane.voxel_at([f64::from(px) + 0.3, f64::from(py) + 0.9]);
            prop_assert_eq!(voxel[pane.volume_axis(0)], pane.voxels_along(0)[px as usize]);
            prop_assert_eq!(voxel[pane.volume_axis(1)], pane.voxels_along(1)[py as usize]);
            prop_assert!(pane.box_mag1().contains(voxel));
        }

        #[test]
        fn pixels_and_positions_convert_back(zoom in 0.01_f64..20.0, at in -500.0_f64..500.0) {
            let pane = pane(SlicePlane::Xz, zoom, [333, 211]);
            prop_assert!((pane.px_from_mag1(1, pane.mag1_from_px(1, at)) - at).abs() < 1e-5);
        }
    }
}
