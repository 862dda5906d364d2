//! Where to look first: at data that exists.

use crate::format::{Dataset, Layer};
use crate::geometry::{BoundingBox, Vec3Int, VoxelSize};
use crate::scene::ViewState;

/// Panes are about this large when a dataset opens; only used to choose the first zoom.
const TYPICAL_PANE_PX: f64 = 480.0;

/// The view that a dataset opens with: a configured one, the opened shard, or the middle of the data.
///
/// May ask the storage whether there is data in the middle; call it from a task.
pub fn first_view(dataset: &Dataset) -> ViewState {
    let voxel = first_voxel(dataset);
    let zoom = dataset.view.zoom.unwrap_or_else(|| first_zoom(&dataset.bounding_box(), &dataset.voxel_size));
    ViewState::new(voxel, zoom)
}

fn first_voxel(dataset: &Dataset) -> Vec3Int {
    let bounds = dataset.bounding_box();
    if let Some(focus) = dataset.focus
        && let Some(layer) = dataset.layers.get(focus.layer)
        && let Some(level) = layer.levels.get(focus.level)
        && let Ok(source) = &level.source
    {
        let shard = level.mag.box_in_mag1(&source.grid().shard_box(focus.shard));
        let inside = shard.intersect(&layer.bounding_box);
        return if inside.is_empty() { shard.center() } else { inside.center() };
    }
    if let Some(position) = dataset.view.position.filter(|position| bounds.contains(*position)) {
        return position;
    }
    dataset.layers.iter().find_map(|layer| nearest_data(layer, layer.bounding_box.center())).unwrap_or_else(|| bounds.center())
}

/// A voxel of a layer that is stored, near `around` (mag 1): itself if its shard is there.
///
/// Looks at a few shards only; blocks on the storage.
pub fn nearest_data(layer: &Layer, around: Vec3Int) -> Option<Vec3Int> {
    const LOOK_AT: usize = 4096;
    let level = layer.finest()?;
    let source = level.source.as_ref().ok()?;
    let grid = source.grid();
    let shard = grid.shard_from_voxel(level.mag.mag_from_mag1(around));
    if layer.bounding_box.contains(around) && source.shard_len(shard).is_ok_and(|len| len.is_some()) {
        return Some(around);
    }
    let distance = |v: Vec3Int| (v - around).to_array().iter().map(|d| (*d as f64).powi(2)).sum::<f64>();
    let inside = source.find_shards(LOOK_AT).ok()?.into_iter().filter_map(|shard| {
        let covered = level.mag.box_in_mag1(&grid.shard_box(shard)).intersect(&layer.bounding_box);
        (!covered.is_empty()).then(|| covered.center())
    });
    inside.min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}

/// Zoom at which a box fits a typical pane, but not farther than the mag-1 voxels can be told apart.
fn first_zoom(bounds: &BoundingBox, voxel_size: &VoxelSize) -> f64 {
    fit_zoom(bounds, voxel_size, [TYPICAL_PANE_PX; 2], [0, 1]).min(1.0)
}

/// Zoom at which a box fits a pane of `shape_px` physical pixels whose axes right and down are `axes`.
pub fn fit_zoom(bounds: &BoundingBox, voxel_size: &VoxelSize, shape_px: [f64; 2], axes: [usize; 2]) -> f64 {
    let needed = |i: usize| bounds.shape.along(axes[i]) as f64 * voxel_size.anisotropy(axes[i]) / shape_px[i].max(1.0);
    needed(0).max(needed(1)).clamp(ViewState::MIN_ZOOM, ViewState::MAX_ZOOM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Shape3;

    #[test]
    fn fitting_regards_long_voxels() {
        let size = VoxelSize::new([10.0, 10.0, 25.0], None).expect("valid");
        let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(100, 100, 100));
        assert_eq!(fit_zoom(&bounds, &size, [100.0, 100.0], [0, 1]), 1.0);
        assert_eq!(fit_zoom(&bounds, &size, [100.0, 100.0], [2, 1]), 2.5);
    }

    #[test]
    fn small_datasets_are_enlarged_and_large_ones_start_at_full_resolution() {
        assert!(first_zoom(&BoundingBox::new(Vec3Int::ZERO, Shape3::splat(48)), &VoxelSize::VOXELS) < 0.11);
        assert_eq!(first_zoom(&BoundingBox::new(Vec3Int::ZERO, Shape3::splat(100_000)), &VoxelSize::VOXELS), 1.0);
    }
}
