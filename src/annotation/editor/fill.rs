//! Flood fill, and slices between labelled ones.

use super::{
    Area, BUCKET_SIDE, BoundingBox, EditError, EditKind, EditNote, EditOutcome, Mag, PaintArea, PaintPlace, PaintSettings, SegmentId,
    Shape3, Vec3Int, VolumeEditor, bucket_box,
};
use crate::annotation::brush::{MAX_AREA_PIXELS, run_box};
use crate::annotation::fill::flood;
use crate::annotation::interpolate::{Raster, between, signed_distances};
use crate::annotation::mask::{MagMask, bucket_range};
use crate::annotation::voxels::voxels_equal;
use crate::geometry::SlicePlane;
use std::sync::Arc;

/// Side of the window of a fill in a slice, in voxels of the finest mag.
pub const FILL_SIDE_SLICE: i64 = 768;

/// Side of the window of a fill in all directions, in voxels of the finest mag.
pub const FILL_SIDE_VOLUME: i64 = 96;

/// Most slices that an interpolation bridges.
pub const MAX_BRIDGED_SLICES: u64 = 100;

/// How far a fill spreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillExtent {
    /// In the slice, to the four neighbours.
    Slice,
    /// In all directions, to the six neighbours.
    Volume,
}

/// How much larger a fill may be where a box limits it.
const RESTRICTED_FACTOR: f64 = 10.0;

impl FillExtent {
    /// Side of the window in voxels of the finest mag.
    const fn side(self) -> f64 {
        match self {
            Self::Slice => FILL_SIDE_SLICE as f64,
            Self::Volume => FILL_SIDE_VOLUME as f64,
        }
    }

    /// Side of a window of ten times the area or volume.
    fn restricted_side(self) -> f64 {
        match self {
            Self::Slice => self.side() * RESTRICTED_FACTOR.sqrt(),
            Self::Volume => self.side() * RESTRICTED_FACTOR.cbrt(),
        }
    }
}

impl VolumeEditor {
    /// Replaces the connected voxels of the id at a mag-1 voxel, in a window around it, whatever the overwrite mode.
    /// `restrict` limits it to a mag-1 box that contains the voxel, and lets it be ten times as large.
    ///
    /// # Errors
    /// If the voxel is outside of the volume's bounding box or the box, or a bucket can't be read.
    pub fn fill(
        &mut self,
        settings: PaintSettings,
        place: &PaintPlace,
        seed_mag1: Vec3Int,
        extent: FillExtent,
        restrict: Option<&BoundingBox>,
    ) -> Result<EditOutcome, EditError> {
        self.check_idle(settings, place.level, &place.axes)?;
        let result = self.fill_found(settings, place, seed_mag1, extent, restrict);
        self.reader.clear();
        result
    }

    fn fill_found(
        &mut self,
        settings: PaintSettings,
        place: &PaintPlace,
        seed_mag1: Vec3Int,
        extent: FillExtent,
        restrict: Option<&BoundingBox>,
    ) -> Result<EditOutcome, EditError> {
        let (level, axes) = (place.level, &place.axes);
        let mag = self.volume.levels[level].mag;
        let seed = mag.mag_from_mag1(seed_mag1);
        let mut reachable = self.volume.paintable_box(mag);
        if let Some(restrict) = restrict {
            reachable = reachable.intersect(&mag.box_in_mag(restrict));
        }
        if !reachable.contains(seed) {
            return Err(EditError::OutsideBox);
        }
        let flat = match extent {
            FillExtent::Slice => Some(place.plane.normal_axis()),
            FillExtent::Volume => None,
        };
        if let Some(normal) = flat {
            reachable =
                BoundingBox::between(reachable.topleft.with(normal, seed[normal]), reachable.bottomright().with(normal, seed[normal] + 1));
        }
        let side = if restrict.is_some() { extent.restricted_side() } else { extent.side() };
        let around = fill_window(seed, mag, self.volume.levels[0].mag, side, flat);
        // A box that isn't larger than the window is filled whole, wherever the voxel lies in it.
        let is_small = restrict.is_some() && reachable.shape.voxel_count() <= around.shape.voxel_count();
        let window = if is_small { reachable } else { around.intersect(&reachable) };
        let seed_id = self.id_of(level, axes, seed)?;
        if seed_id == settings.segment {
            return Ok(EditOutcome { notes: vec![EditNote::SameSegment], ..EditOutcome::default() });
        }
        let class = self.volume.class;
        let flood =
            flood(seed, &window, |chunk| Ok::<_, EditError>(voxels_equal(class, self.bucket(level, axes, chunk)?.bytes(), seed_id)))?;
        let is_cut = flood.is_cut(&reachable, |pos| Ok::<_, EditError>(self.id_of(level, axes, pos)? == seed_id))?;
        // All of it has the seed's id: there is nothing that a mode could spare.
        let settings = PaintSettings { mode: super::OverwriteMode::OverwriteAll, ..settings };
        let area = PaintArea { level, axes, area: Area::Mask(flood.into_mask()) };
        let mut outcome = self.paint_once(EditKind::Fill, settings, area, seed_mag1)?;
        if is_cut {
            outcome.note(EditNote::LimitHit { window: mag.box_in_mag1(&window) });
        }
        Ok(outcome)
    }

    /// Paints the slices between two in which a segment is labelled, changing from one shape to the other. Where only
    /// the first is labelled its shape is carried on, up to and including the second.
    ///
    /// `from_mag1` and `to_mag1` are positions along the pane's normal; `area_mag1` is where shapes are looked for.
    ///
    /// # Errors
    /// If the first slice isn't labelled, they are too far apart or the area too large, or a bucket can't be read.
    pub fn interpolate(
        &mut self,
        settings: PaintSettings,
        place: &PaintPlace,
        from_mag1: i64,
        to_mag1: i64,
        area_mag1: &BoundingBox,
    ) -> Result<EditOutcome, EditError> {
        self.check_idle(settings, place.level, &place.axes)?;
        if settings.segment == 0 {
            return Err(EditError::Background);
        }
        let result = self.bridge(settings, place, [from_mag1, to_mag1], area_mag1);
        self.reader.clear();
        result
    }

    fn bridge(
        &mut self,
        settings: PaintSettings,
        place: &PaintPlace,
        ends_mag1: [i64; 2],
        area_mag1: &BoundingBox,
    ) -> Result<EditOutcome, EditError> {
        let mag = self.volume.levels[place.level].mag;
        let plane = place.plane;
        let [from, to] = ends_mag1.map(|end| end.div_euclid(mag.factors()[plane.normal_axis()]));
        let area = mag.box_in_mag(area_mag1).intersect(&self.volume.paintable_box(mag));
        let [width, height] = [plane.right_axis(), plane.down_axis()].map(|axis| area.shape.along(axis));
        let pixels = width.unsigned_abs().saturating_mul(height.unsigned_abs());
        if area.is_empty() {
            return Err(EditError::OutsideBox);
        }
        if pixels > MAX_AREA_PIXELS {
            return Err(EditError::AreaTooLarge { pixels, most: MAX_AREA_PIXELS });
        }
        let [first, last] = [self.labelled(settings.segment, place, from, &area)?, self.labelled(settings.segment, place, to, &area)?];
        let step = [plane.right_axis(), plane.down_axis()].map(|axis| self.volume.voxel_size.anisotropy(axis) * mag.factors()[axis] as f64);
        let start = signed_distances(&first, step).ok_or(EditError::NothingLabelled { id: settings.segment })?;
        let end = signed_distances(&last, step);
        let (slices, nearest) = (from.abs_diff(to), if end.is_some() { 2 } else { 1 });
        if !(nearest..=MAX_BRIDGED_SLICES).contains(&slices) {
            return Err(EditError::SlicesApart { slices, most: MAX_BRIDGED_SLICES });
        }
        let mut mask = MagMask::default();
        let paintable = self.volume.paintable_box(mag);
        let direction = (to - from).signum();
        // The last slice is painted only where nothing is labelled in it yet.
        for number in 1..if end.is_some() { slices } else { slices + 1 } {
            let shape = match &end {
                Some(end) => &between(&start, end, number as f32 / slices as f32),
                None => &first,
            };
            add_raster(&mut mask, shape, plane, from + direction * number.cast_signed(), &area, &paintable);
        }
        if mask.is_empty() {
            return Err(EditError::NothingBetween);
        }
        let anchor = mag.mag1_from_mag(area.center().with(plane.normal_axis(), from));
        self.paint_once(
            EditKind::Interpolate,
            settings,
            PaintArea { level: place.level, axes: &place.axes, area: Area::Mask(mask) },
            anchor,
        )
    }

    /// The pixels of a slice that a segment has.
    fn labelled(&mut self, id: SegmentId, place: &PaintPlace, slice: i64, area: &BoundingBox) -> Result<Raster<bool>, EditError> {
        let (plane, axes): (SlicePlane, &Arc<[u64]>) = (place.plane, &place.axes);
        let normal = plane.normal_axis();
        let flat = BoundingBox::between(area.topleft.with(normal, slice), area.bottomright().with(normal, slice + 1));
        let [width, height] = [plane.right_axis(), plane.down_axis()].map(|axis| usize::try_from(area.shape.along(axis)).unwrap_or(0));
        let mut raster = Raster { width, pixels: vec![false; width * height] };
        if slice < 0 {
            return Ok(raster);
        }
        for chunk in bucket_range(&flat) {
            let rows = voxels_equal(self.volume.class, self.bucket(place.level, axes, chunk)?.bytes(), id);
            let (inside, origin) = (bucket_box(chunk).intersect(&flat), bucket_box(chunk).topleft);
            let (topleft, end) = (inside.topleft - origin, inside.bottomright() - origin);
            for z in topleft.z..end.z {
                for y in topleft.y..end.y {
                    let row = rows[usize::try_from(y + BUCKET_SIDE * z).unwrap_or(0)];
                    for x in (topleft.x..end.x).filter(|x| row >> x & 1 == 1) {
                        let pos = origin + Vec3Int::new(x, y, z) - area.topleft;
                        let [u, v] = [pos[plane.right_axis()], pos[plane.down_axis()]].map(|p| usize::try_from(p).unwrap_or(0));
                        raster.pixels[u + v * width] = true;
                    }
                }
            }
        }
        Ok(raster)
    }
}

/// The window around a seed: `side` in voxels of the finest mag along each axis, one voxel of the mag along `flat`.
fn fill_window(seed: Vec3Int, mag: Mag, finest: Mag, side: f64, flat: Option<usize>) -> BoundingBox {
    let shape = [0, 1, 2].map(|axis| {
        let ratio = mag.factors()[axis] as f64 / finest.factors()[axis] as f64;
        if flat == Some(axis) { 1 } else { ((side / ratio).round() as i64).max(1) }
    });
    BoundingBox::new(seed - Vec3Int::from(shape.map(|s| s / 2)), Shape3::from(shape))
}

fn add_raster(mask: &mut MagMask, raster: &Raster<bool>, plane: SlicePlane, slice: i64, area: &BoundingBox, paintable: &BoundingBox) {
    let [u0, v0] = [area.topleft[plane.right_axis()], area.topleft[plane.down_axis()]];
    for (row, v) in raster.pixels.chunks_exact(raster.width.max(1)).zip(v0..) {
        for run in row.iter().zip(u0..).collect::<Vec<_>>().chunk_by(|a, b| a.0 == b.0) {
            if let [(true, start), ..] = run {
                mask.add_box(&run_box(plane, slice, *start, *start + run.len() as i64, v).intersect(paintable));
            }
        }
    }
}
