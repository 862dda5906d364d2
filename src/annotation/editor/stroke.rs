//! Strokes of the brush, and the lasso.

use super::{EditKind, EditOutcome, OpenEdit, PaintArea, PaintPlace, PaintSettings, VolumeEditor};
use crate::annotation::brush::{Brush, MAX_AREA_PIXELS, PlanePos, PlaneRect, plane_pos, run_box};
use crate::annotation::error::{EditError, EditNote};
use crate::annotation::mask::{Area, MagMask};
use crate::annotation::outline::fill_outline;
use crate::geometry::{BoundingBox, Mag, SlicePlane, Vec3Int};

/// Points of a stroke that are kept for filling what it encloses: an hour at 144 Hz. Beyond, it isn't filled.
const MAX_STROKE_POINTS: usize = 1 << 19;

/// A stroke that is being painted.
#[derive(Debug)]
pub(super) struct OpenStroke {
    edit: OpenEdit,
    settings: PaintSettings,
    place: PaintPlace,
    brush: Brush,
    slice: i64,
    /// Centres in voxels of the mag, without repetitions.
    path: Vec<PlanePos>,
    anchor: Vec3Int,
    /// Whether a part was outside of the volume.
    is_clipped: bool,
}

/// The voxels of one slice that are to be painted, as far as they can be.
struct SliceMask {
    plane: SlicePlane,
    slice: i64,
    paintable: BoundingBox,
    mask: MagMask,
    is_clipped: bool,
}

impl SliceMask {
    fn new(plane: SlicePlane, slice: i64, paintable: BoundingBox) -> Self {
        Self { plane, slice, paintable, mask: MagMask::default(), is_clipped: false }
    }

    fn add(&mut self, start: i64, end: i64, v: i64) {
        let run = run_box(self.plane, self.slice, start, end, v);
        let inside = run.intersect(&self.paintable);
        self.is_clipped |= inside != run;
        self.mask.add_box(&inside);
    }
}

/// The voxel of a mag at a mag-1 position, far positions held where sums can't overflow.
fn voxel_at(mag: Mag, pos_mag1: [f64; 3]) -> Vec3Int {
    const FAR: f64 = (1_u64 << 40) as f64;
    let whole = pos_mag1.map(|p| if p.is_nan() { 0 } else { p.clamp(-FAR, FAR).floor() as i64 });
    mag.mag_from_mag1(whole.into())
}

impl VolumeEditor {
    /// Begins a stroke and paints its first disc. `diameter` is in base voxels: the shortest edge of a mag-1 voxel.
    ///
    /// # Errors
    /// If another stroke isn't finished, the id or the place don't exist, or a bucket can't be read. The stroke isn't
    /// begun then.
    pub fn begin_stroke(
        &mut self,
        settings: PaintSettings,
        place: PaintPlace,
        diameter: f64,
        at_mag1: [f64; 3],
    ) -> Result<EditOutcome, EditError> {
        self.check_idle(settings, place.level, &place.axes)?;
        let mag = self.volume.levels[place.level].mag;
        let brush = Brush::new(diameter, &self.volume.voxel_size, mag, place.plane);
        let center = voxel_at(mag, at_mag1);
        let kind = if settings.segment == 0 { EditKind::Erase } else { EditKind::Brush };
        let mut stroke = OpenStroke {
            edit: OpenEdit::new(kind, settings.segment),
            settings,
            slice: center[place.plane.normal_axis()],
            brush,
            path: Vec::new(),
            anchor: nearest_in(&self.volume.paintable_box(Mag::ONE), voxel_at(Mag::ONE, at_mag1)),
            is_clipped: false,
            place,
        };
        let outcome = self.extend(&mut stroke, &[at_mag1])?;
        self.stroke = Some(stroke);
        Ok(outcome)
    }

    /// Goes on with a stroke: discs at the points, joined where they are far apart, in the slice in which it began.
    ///
    /// # Errors
    /// If no stroke is open, or a bucket can't be read: these points aren't painted then, the stroke stays open.
    pub fn extend_stroke(&mut self, points_mag1: &[[f64; 3]]) -> Result<EditOutcome, EditError> {
        let mut stroke = self.stroke.take().ok_or(EditError::Stroke("no stroke is begun"))?;
        let result = self.extend(&mut stroke, points_mag1);
        self.stroke = Some(stroke);
        result
    }

    fn extend(&mut self, stroke: &mut OpenStroke, points_mag1: &[[f64; 3]]) -> Result<EditOutcome, EditError> {
        let mag = self.volume.levels[stroke.place.level].mag;
        let paintable = self.volume.paintable_box(mag);
        let within = PlaneRect::of_box(stroke.place.plane, &paintable);
        let mut slice = SliceMask::new(stroke.place.plane, stroke.slice, paintable);
        let known = stroke.path.len();
        let mut last = stroke.path.last().copied();
        for point in points_mag1 {
            let center = plane_pos(stroke.place.plane, voxel_at(mag, *point));
            if last == Some(center) {
                continue;
            }
            let joined = last.map_or(0, |last| stroke.brush.join_pixels(last, center, &within));
            let pixels = stroke.brush.disc_pixels(center, &within).max(joined);
            if pixels > MAX_AREA_PIXELS {
                stroke.path.truncate(known);
                return Err(EditError::AreaTooLarge { pixels, most: MAX_AREA_PIXELS });
            }
            slice.is_clipped |= pixels == 0;
            if let Some(last) = last {
                stroke.brush.join(last, center, &within, |start, end, v| slice.add(start, end, v));
            }
            stroke.brush.disc(center, &within, |start, end, v| slice.add(start, end, v));
            stroke.path.push(center);
            last = Some(center);
        }
        stroke.is_clipped |= slice.is_clipped;
        let area = PaintArea { level: stroke.place.level, axes: &stroke.place.axes, area: Area::Mask(slice.mask) };
        let painted = self.paint(&mut stroke.edit, stroke.settings, area, stroke.anchor);
        if painted.is_err() {
            stroke.path.truncate(known);
        }
        painted
    }

    /// Ends a stroke: fills what it encloses if it meets its start, and puts it into the history.
    ///
    /// # Errors
    /// If no stroke is open. What can't be filled is only noted: the rest of the stroke stays.
    pub fn end_stroke(&mut self) -> Result<EditOutcome, EditError> {
        let mut stroke = self.stroke.take().ok_or(EditError::Stroke("no stroke is begun"))?;
        let mut outcome = match self.fill_enclosed(&mut stroke) {
            Ok(outcome) => outcome,
            Err(EditError::AreaTooLarge { pixels, most }) => {
                EditOutcome { notes: vec![EditNote::EnclosedTooLarge { pixels, most }], ..EditOutcome::default() }
            }
            Err(err) => EditOutcome { notes: vec![EditNote::EnclosedNotFilled { reason: err.to_string() }], ..EditOutcome::default() },
        };
        if stroke.is_clipped {
            outcome.note(EditNote::Clipped);
        }
        self.finish(stroke.edit, &mut outcome);
        self.reader.clear();
        Ok(outcome)
    }

    fn fill_enclosed(&mut self, stroke: &mut OpenStroke) -> Result<EditOutcome, EditError> {
        let (Some(first), Some(last)) = (stroke.path.first(), stroke.path.last()) else { return Ok(EditOutcome::default()) };
        let meets = stroke.path.len() >= 2 && stroke.brush.distance(*first, *last) <= stroke.brush.closing_distance();
        if !meets {
            return Ok(EditOutcome::default());
        }
        if stroke.path.len() > MAX_STROKE_POINTS {
            return Err(EditError::AreaTooLarge { pixels: stroke.path.len() as u64, most: MAX_STROKE_POINTS as u64 });
        }
        let place = &stroke.place;
        let mut slice = SliceMask::new(place.plane, stroke.slice, self.volume.paintable_box(self.volume.levels[place.level].mag));
        let filled = fill_outline(&stroke.path, |start, end, v| slice.add(start, end, v));
        filled.map_err(|too_large| EditError::AreaTooLarge { pixels: too_large.pixels, most: MAX_AREA_PIXELS })?;
        let area = PaintArea { level: place.level, axes: &place.axes, area: Area::Mask(slice.mask) };
        self.paint(&mut stroke.edit, stroke.settings, area, stroke.anchor)
    }

    /// Paints the inside of a path, which is closed by a line from its end to its start, with its border.
    ///
    /// # Errors
    /// If the area is too large or lies outside of the volume, or a bucket can't be read.
    pub fn lasso(&mut self, settings: PaintSettings, place: &PaintPlace, points_mag1: &[[f64; 3]]) -> Result<EditOutcome, EditError> {
        self.check_idle(settings, place.level, &place.axes)?;
        let Some(first) = points_mag1.first() else { return Ok(EditOutcome::default()) };
        let mag = self.volume.levels[place.level].mag;
        let normal = place.plane.normal_axis();
        let mut path: Vec<_> = points_mag1.iter().map(|point| plane_pos(place.plane, voxel_at(mag, *point))).collect();
        path.dedup();
        let mut slice = SliceMask::new(place.plane, voxel_at(mag, *first)[normal], self.volume.paintable_box(mag));
        let filled = fill_outline(&path, |start, end, v| slice.add(start, end, v));
        filled.map_err(|too_large| EditError::AreaTooLarge { pixels: too_large.pixels, most: MAX_AREA_PIXELS })?;
        if slice.mask.is_empty() {
            return Err(EditError::OutsideBox);
        }
        let area = PaintArea { level: place.level, axes: &place.axes, area: Area::Mask(slice.mask) };
        let mut outcome = self.paint_once(EditKind::Lasso, settings, area, voxel_at(Mag::ONE, *first))?;
        if slice.is_clipped {
            outcome.note(EditNote::Clipped);
        }
        Ok(outcome)
    }
}

/// The voxel of a box that is nearest to a position.
fn nearest_in(bounds: &BoundingBox, at: Vec3Int) -> Vec3Int {
    at.min(bounds.bottomright() - Vec3Int::splat(1)).max(bounds.topleft)
}
