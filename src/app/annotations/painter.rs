//! [`Painter`]: requests of the window as calls of a volume's editor.

use crate::annotation::{
    CountJob, CountResult, EditError, EditOutcome, FillExtent, OverwriteMode, PaintPlace, PaintSettings, VolumeAnnotation, VolumeEditor,
};
use crate::format::nml::{Segment, SegmentId};
use crate::geometry::{BoundingBox, SlicePlane, Vec3Int};
use crate::state::{self, ActiveSegment, EditRequest, SegmentChange};
use std::sync::Arc;

/// Slices that are remembered for interpolation.
const MAX_SLICES: usize = 32;

/// A slice that somebody labelled.
struct LabelledSlice {
    segment: SegmentId,
    plane: SlicePlane,
    /// Positions along the axes beyond x, y, z.
    axes: Arc<[u64]>,
    /// Mag-1 voxel along the plane's normal.
    slice: i64,
    /// What was painted there, in mag-1 voxels.
    area: BoundingBox,
}

/// The editor of one volume, with what it takes to understand the window's requests.
pub struct Painter {
    editor: VolumeEditor,
    /// The stroke that is being painted.
    stroke: Option<LabelledSlice>,
    diameter: u32,
    /// The latest last.
    slices: Vec<LabelledSlice>,
    /// What the last new segment that was asked for made active; 0 before there is one.
    newest: SegmentId,
}

impl Painter {
    /// Without a stroke.
    pub fn new(volume: VolumeAnnotation) -> Self {
        Self { editor: VolumeEditor::new(volume), stroke: None, diameter: 1, slices: Vec::new(), newest: 0 }
    }

    /// The editor.
    pub const fn editor(&self) -> &VolumeEditor {
        &self.editor
    }

    /// What is active by the last new segment that was asked for.
    pub const fn newest(&self) -> SegmentId {
        self.newest
    }

    /// Begins to count voxels by segment.
    pub fn begin_count(&mut self) -> Option<CountJob> {
        self.editor.begin_count()
    }

    /// Takes the result of [`Self::begin_count`].
    pub fn finish_count(&mut self, result: CountResult) {
        self.editor.finish_count(result);
    }

    /// Carries a request out.
    ///
    /// # Errors
    /// If it can't be; nothing has changed then.
    pub fn carry_out(&mut self, request: EditRequest, user_boxes: &[BoundingBox]) -> Result<EditOutcome, EditError> {
        match request {
            EditRequest::BeginStroke { place, diameter, at } => {
                let (settings, target) = self.place(&place)?;
                self.diameter = diameter;
                let outcome = self.editor.begin_stroke(settings, target, f64::from(diameter), at)?;
                self.stroke = Some(slice_of(&place, settings.segment, &[at], diameter));
                Ok(outcome)
            }
            // The window goes on with a stroke that couldn't be begun until the button is released.
            EditRequest::ExtendStroke(_) | EditRequest::EndStroke if self.stroke.is_none() => Ok(EditOutcome::default()),
            EditRequest::ExtendStroke(points) => {
                let outcome = self.editor.extend_stroke(&points)?;
                if let Some(stroke) = &mut self.stroke {
                    let reach = around(&points, self.diameter);
                    stroke.area = stroke.area.union(&reach);
                }
                Ok(outcome)
            }
            EditRequest::EndStroke => {
                let outcome = self.editor.end_stroke()?;
                if let Some(stroke) = self.stroke.take() {
                    self.remember(stroke);
                }
                Ok(outcome)
            }
            EditRequest::Trace { place, outline } => {
                let (settings, target) = self.place(&place)?;
                let outcome = self.editor.lasso(settings, &target, &outline)?;
                self.remember(slice_of(&place, settings.segment, &outline, 2));
                Ok(outcome)
            }
            EditRequest::Fill { place, seed, in_volume } => {
                let (settings, target) = self.place(&place)?;
                let extent = if in_volume { FillExtent::Volume } else { FillExtent::Slice };
                // The smallest box around the click limits the fill, and lets it go further.
                let around = user_boxes.iter().filter(|user_box| user_box.contains(seed));
                let restrict = around.min_by_key(|user_box| user_box.shape.voxel_count().unwrap_or(u64::MAX));
                self.editor.fill(settings, &target, seed, extent, restrict)
            }
            EditRequest::Interpolate { place, at } => self.interpolate(&place, at),
            EditRequest::NewSegment { active, anchor, .. } => self.new_segment(active, anchor),
            EditRequest::ChangeSegment { id, change } => self.change_segment(id, change),
            EditRequest::ShowAll => self.editor.show_all(),
            EditRequest::Undo => self.editor.undo(),
            EditRequest::Redo => self.editor.redo(),
        }
    }

    fn id_of(&self, active: ActiveSegment) -> SegmentId {
        match active {
            ActiveSegment::Known(id) => id,
            ActiveSegment::Newest => self.newest,
        }
    }

    fn new_segment(&mut self, active: ActiveSegment, anchor: Vec3Int) -> Result<EditOutcome, EditError> {
        let active = self.id_of(active);
        self.newest = active; // until there is another id
        if self.editor.volume().largest_segment_id.is_none() {
            // Nothing says which ids are in use; those that are listed and counted are known at least.
            let listed = self.editor.volume().segments.iter().map(|segment| segment.id);
            let counted = self.editor.counts().unwrap_or_default().into_keys();
            let known = listed.chain(counted).max().unwrap_or(0).max(active);
            self.editor.set_largest_segment_id(known)?;
        }
        let id = self.editor.new_segment_id(active)?;
        let mut segment = Segment::new(id);
        segment.anchor = Some(anchor);
        let outcome = self.editor.add_new_segment(segment)?;
        self.newest = id;
        Ok(outcome)
    }

    /// Changes one thing of a segment; what else is listed of it by then stays.
    fn change_segment(&mut self, id: SegmentId, change: SegmentChange) -> Result<EditOutcome, EditError> {
        match change {
            SegmentChange::Name(name) => self.editor.rename_segment(id, name),
            SegmentChange::Color(color) => {
                self.editor.recolour_segment(id, color.map(|[r, g, b]| [r, g, b, 255].map(|c| f32::from(c) / 255.0)))
            }
            SegmentChange::Visible(is_visible) => self.editor.show_segment(id, is_visible),
            SegmentChange::List => match self.editor.volume().segments.iter().any(|segment| segment.id == id) {
                true => Ok(EditOutcome::default()),
                false => self.editor.set_segment(Segment::new(id)),
            },
            SegmentChange::Unlist => self.editor.unlist_segment(id),
            SegmentChange::Erase => self.editor.delete_segment_voxels(id, |_, _| true),
        }
    }

    fn place(&self, place: &state::PaintPlace) -> Result<(PaintSettings, PaintPlace), EditError> {
        let level = self.editor.volume().level_of(place.mag).ok_or(EditError::NoLevel { level: usize::MAX })?;
        let mode = if place.empty_only { OverwriteMode::OverwriteEmpty } else { OverwriteMode::OverwriteAll };
        let active = self.id_of(place.active);
        if active == 0 && !place.erases {
            // No id was left for the new segment that was to be painted.
            return Err(EditError::Background);
        }
        let settings = PaintSettings { segment: if place.erases { 0 } else { active }, active, mode };
        Ok((settings, PaintPlace { level, plane: place.plane, axes: place.axes.clone() }))
    }

    /// Notes a labelled slice; what was erased is none.
    fn remember(&mut self, labelled: LabelledSlice) {
        if labelled.segment == 0 {
            return;
        }
        let is_same = |known: &LabelledSlice| {
            (known.segment, known.plane, &known.axes, known.slice) == (labelled.segment, labelled.plane, &labelled.axes, labelled.slice)
        };
        let known = self.slices.iter().position(is_same).map(|at| self.slices.remove(at));
        let area = known.map_or(labelled.area, |known| known.area.union(&labelled.area));
        self.slices.push(LabelledSlice { area, ..labelled });
        if self.slices.len() > MAX_SLICES {
            self.slices.remove(0);
        }
    }

    /// Paints between the slice labelled last and this one.
    fn interpolate(&mut self, place: &state::PaintPlace, at: Vec3Int) -> Result<EditOutcome, EditError> {
        let (settings, target) = self.place(place)?;
        let here = at[place.plane.normal_axis()];
        let of_segment = |known: &&LabelledSlice| (known.segment, known.plane, &known.axes) == (settings.segment, place.plane, &place.axes);
        let from = self.slices.iter().rev().filter(of_segment).find(|known| known.slice != here);
        let from = from.ok_or(EditError::NothingLabelled { id: settings.segment })?;
        let now = self.slices.iter().rev().filter(of_segment).find(|known| known.slice == here);
        let area = now.map_or(from.area, |now| now.area.union(&from.area));
        let (from, area) = (from.slice, area);
        self.editor.interpolate(settings, &target, from, here, &area)
    }
}

/// The slice of a pane, with what is painted in it.
fn slice_of(place: &state::PaintPlace, segment: SegmentId, points: &[[f64; 3]], diameter: u32) -> LabelledSlice {
    let area = around(points, diameter);
    let slice = points.first().map_or(0, |point| point[place.plane.normal_axis()].floor() as i64);
    LabelledSlice { segment, plane: place.plane, axes: place.axes.clone(), slice, area }
}

/// The box around discs of this diameter, in mag-1 voxels; generous, as voxels may be long.
fn around(points: &[[f64; 3]], diameter: u32) -> BoundingBox {
    let margin = Vec3Int::splat(i64::from(diameter) + 1);
    let boxes = points.iter().map(|point| {
        let voxel = Vec3Int::from(point.map(|p| p.floor() as i64));
        BoundingBox::between(voxel - margin, voxel + margin)
    });
    boxes.fold(BoundingBox::default(), |all, next| all.union(&next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::VolumeSpec;
    use crate::annotation::test_world::spec;
    use crate::geometry::Mag;
    use crate::voxel::ElementClass;

    /// Of a volume whose last id is 255.
    fn painter(largest: SegmentId) -> Painter {
        let class = ElementClass::Uint8;
        Painter::new(VolumeAnnotation::new(VolumeSpec { class, largest_segment_id: Some(largest), ..spec(&[Mag::ONE]) }))
    }

    fn trace(active: ActiveSegment) -> EditRequest {
        let place =
            state::PaintPlace { plane: SlicePlane::Xy, mag: Mag::ONE, axes: Arc::default(), active, erases: false, empty_only: false };
        EditRequest::Trace { place, outline: vec![[1.0, 1.0, 1.0], [4.0, 1.0, 1.0], [4.0, 4.0, 1.0]] }
    }

    fn painted(painter: &Painter) -> Option<SegmentId> {
        painter.editor().history().last().map(|line| line.segment)
    }

    #[test]
    fn the_newest_segment_is_the_one_before_where_no_id_is_left() {
        let mut painter = painter(254);
        let mut ask = |request| painter.carry_out(request, &[]).map(|_| painted(&painter));
        let new = |active| EditRequest::NewSegment { number: 0, active, anchor: Vec3Int::ZERO };
        assert_eq!(ask(new(ActiveSegment::Known(7))).expect("the last id"), Some(255));
        assert_eq!(ask(trace(ActiveSegment::Newest)).expect("painted"), Some(255));
        assert!(matches!(ask(new(ActiveSegment::Known(7))), Err(EditError::IdsExhausted { .. })));
        assert_eq!(ask(trace(ActiveSegment::Newest)).expect("painted"), Some(7));
        assert!(ask(new(ActiveSegment::Known(0))).is_err());
        assert!(matches!(ask(trace(ActiveSegment::Newest)), Err(EditError::Background)), "nothing is erased for want of an id");
    }
}
