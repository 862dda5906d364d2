//! [`VolumeEditor`]: everything that changes a volume annotation, with undo.
//!
//! It belongs to one thread and works synchronously. Each call either makes its change visible, in all mags at once, or
//! returns an error and changes nothing. Positions are mag-1 voxels.

mod fill;
mod history;
mod segments;
mod stroke;

pub use fill::{FILL_SIDE_SLICE, FILL_SIDE_VOLUME, FillExtent, MAX_BRIDGED_SLICES};

use super::apply::{BucketReader, Paint, prepare};
use super::counts::{CountJob, CountResult, SegmentCounts, VoxelCounts};
use super::edited::BucketChange;
use super::error::{EditError, EditNote};
use super::ids::max_segment_id;
use super::mask::Area;
use super::undo::{DEFAULT_UNDO_BYTES, EditKind, FinishedEdit, History, HistoryLine, SegmentSide};
use super::volume::{BucketOrigin, VolumeAnnotation};
use super::voxels::{PaintRule, id_at};
use crate::format::annotation::{BUCKET_SIDE, BucketAddress, bucket_box};
use crate::format::nml::{Segment, SegmentId};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, SlicePlane, Vec3Int};
use crate::voxel::{VoxelBuffer, VoxelType};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::SystemTime;
use stroke::OpenStroke;

/// Which voxels painting overwrites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverwriteMode {
    /// All.
    #[default]
    OverwriteAll,
    /// Those that are 0; erasing takes only those of the active segment away.
    OverwriteEmpty,
}

/// What is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaintSettings {
    /// The id that is painted; 0 erases.
    pub segment: SegmentId,
    /// The active segment.
    pub active: SegmentId,
    /// Which voxels are overwritten.
    pub mode: OverwriteMode,
}

impl PaintSettings {
    const fn rule(self) -> PaintRule {
        match (self.mode, self.segment) {
            (OverwriteMode::OverwriteAll, _) => PaintRule::All,
            (OverwriteMode::OverwriteEmpty, 0) => PaintRule::WhereEqual(self.active),
            (OverwriteMode::OverwriteEmpty, _) => PaintRule::WhereEqual(0),
        }
    }
}

/// Where is painted: a pane and the mag that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaintPlace {
    /// Number of the level in [`VolumeAnnotation::levels`].
    pub level: usize,
    /// The pane's plane.
    pub plane: SlicePlane,
    /// Positions along the axes beyond x, y, z.
    pub axes: Arc<[u64]>,
}

/// What an edit did.
#[derive(Clone, Debug, Default)]
pub struct EditOutcome {
    /// Buckets that changed, for each level.
    pub touched: Vec<Vec<BucketAddress>>,
    /// Voxels of the painted mag that got another id.
    pub voxels: u64,
    /// What is worth saying about it.
    pub notes: Vec<EditNote>,
    /// Whether the segment list or the highest id changed.
    pub segments_changed: bool,
}

impl EditOutcome {
    fn touch(&mut self, changes: &[BucketChange], levels: usize) {
        self.touched.resize(levels, Vec::new());
        for change in changes {
            if let Some(level) = self.touched.get_mut(change.level) {
                level.push(change.at.clone());
            }
        }
    }

    fn note(&mut self, note: EditNote) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// An edit that grows until it is finished: one entry of the history.
#[derive(Debug)]
struct OpenEdit {
    kind: EditKind,
    segment: SegmentId,
    voxels: u64,
    before: HashMap<(usize, BucketAddress), Option<Arc<VoxelBuffer>>>,
    segments: Vec<SegmentSide>,
}

impl OpenEdit {
    fn new(kind: EditKind, segment: SegmentId) -> Self {
        Self { kind, segment, voxels: 0, before: HashMap::new(), segments: Vec::new() }
    }
}

/// See the module.
#[derive(Debug)]
pub struct VolumeEditor {
    volume: VolumeAnnotation,
    history: History,
    reader: BucketReader,
    counts: SegmentCounts,
    stroke: Option<OpenStroke>,
}

impl VolumeEditor {
    /// An editor whose history takes at most [`DEFAULT_UNDO_BYTES`].
    pub fn new(volume: VolumeAnnotation) -> Self {
        Self::with_undo_bytes(volume, DEFAULT_UNDO_BYTES)
    }

    /// An editor whose history takes at most `max_bytes`.
    pub fn with_undo_bytes(volume: VolumeAnnotation, max_bytes: usize) -> Self {
        let history = History::new(VoxelType::single(volume.class), max_bytes);
        Self { volume, history, reader: BucketReader::default(), counts: SegmentCounts::default(), stroke: None }
    }

    /// The annotation as it is now.
    pub const fn volume(&self) -> &VolumeAnnotation {
        &self.volume
    }

    /// All edits, the oldest first; those that can be redone last.
    pub fn history(&self) -> Vec<HistoryLine> {
        self.history.lines()
    }

    /// Bytes that the history takes.
    pub const fn undo_bytes(&self) -> usize {
        self.history.byte_len()
    }

    /// Begins to count the voxels of all segments; edits from now on are added to its result.
    pub fn begin_count(&mut self) -> Option<CountJob> {
        self.volume.levels.first().map(|level| self.counts.begin(level))
    }

    /// Takes the result of the last [`Self::begin_count`].
    pub fn finish_count(&mut self, result: CountResult) {
        self.counts.finish(result);
    }

    /// Voxels by segment in the finest mag of the annotation's own buckets; `None` until they are counted.
    pub fn counts(&self) -> Option<VoxelCounts> {
        self.counts.get()
    }

    /// How many of these buckets [`Self::counts`] leave out, as they can't be read.
    pub fn uncounted(&self) -> usize {
        let Some(finest) = self.volume.levels.first() else { return 0 };
        self.counts.unreadable().iter().filter(|at| !finest.edited.contains(at)).count()
    }

    /// The id at a mag-1 voxel, in the mag of a level.
    ///
    /// # Errors
    /// If its bucket can't be read.
    pub fn pick(&mut self, level: usize, axes: &Arc<[u64]>, pos_mag1: Vec3Int) -> Result<SegmentId, EditError> {
        self.check_place(level, axes)?;
        let pos = self.volume.levels[level].mag.mag_from_mag1(pos_mag1);
        if pos.to_array().iter().any(|p| *p < 0) {
            return Ok(0);
        }
        self.id_of(level, axes, pos)
    }

    /// Paints a mag-1 box of any size in the finest mag, as the brush would: voxels that it touches.
    ///
    /// # Errors
    /// If it lies outside of the volume's bounding box, a bucket can't be read, or too much would change.
    pub fn paint_box(&mut self, settings: PaintSettings, axes: &Arc<[u64]>, box_mag1: &BoundingBox) -> Result<EditOutcome, EditError> {
        self.check_idle(settings, 0, axes)?;
        let mag = self.volume.levels[0].mag;
        let wanted = mag.box_in_mag(box_mag1);
        let area = wanted.intersect(&self.volume.paintable_box(mag));
        if area.is_empty() {
            return Err(EditError::OutsideBox);
        }
        // Of what is painted, which may be less than what was asked for.
        let painted = mag.box_in_mag1(&area).intersect(&self.volume.paintable_box(Mag::ONE));
        let mut outcome =
            self.paint_once(EditKind::Box, settings, PaintArea { level: 0, axes, area: Area::Box(area) }, painted.center())?;
        if area != wanted {
            outcome.note(EditNote::Clipped);
        }
        Ok(outcome)
    }

    fn check_place(&self, level: usize, axes: &[u64]) -> Result<(), EditError> {
        let expected = self.volume.axes.len();
        match axes.len() {
            _ if level >= self.volume.levels.len() => Err(EditError::NoLevel { level }),
            found if found != expected => Err(EditError::WrongAxes { expected, found }),
            _ => Ok(()),
        }
    }

    /// Begins an edit: no stroke is open, and what is to be painted exists. What was read before is read anew.
    fn check_idle(&mut self, settings: PaintSettings, level: usize, axes: &[u64]) -> Result<(), EditError> {
        self.check_no_stroke()?;
        self.check_id(settings.segment)?;
        self.check_place(level, axes)?;
        self.reader.clear();
        Ok(())
    }

    const fn check_no_stroke(&self) -> Result<(), EditError> {
        if self.stroke.is_some() { Err(EditError::Stroke("a stroke isn't finished yet")) } else { Ok(()) }
    }

    fn check_id(&self, id: SegmentId) -> Result<(), EditError> {
        let class = self.volume.class;
        if id > max_segment_id(class) { Err(EditError::IdTooLarge { id, class }) } else { Ok(()) }
    }

    /// The id of a voxel of a level, as it is now.
    fn id_of(&mut self, level: usize, axes: &Arc<[u64]>, pos: Vec3Int) -> Result<SegmentId, EditError> {
        let chunk = ChunkIndex(pos.div_floor(Vec3Int::splat(BUCKET_SIDE)));
        let voxels = self.bucket(level, axes, chunk)?;
        Ok(id_at(&voxels, pos - bucket_box(chunk).topleft))
    }

    /// The voxels of a bucket as they are now, kept for the next time.
    fn bucket(&mut self, level: usize, axes: &Arc<[u64]>, chunk: ChunkIndex) -> Result<Arc<VoxelBuffer>, EditError> {
        let at = BucketAddress { chunk, axes: axes.clone() };
        let (voxels, is_edited) = self.reader.read(&self.volume, level, &at)?;
        if !is_edited {
            self.reader.keep(level, at, voxels.clone());
        }
        Ok(voxels)
    }

    /// An edit that is finished at once.
    fn paint_once(
        &mut self,
        kind: EditKind,
        settings: PaintSettings,
        area: PaintArea<'_>,
        anchor: Vec3Int,
    ) -> Result<EditOutcome, EditError> {
        let mut edit = OpenEdit::new(kind, settings.segment);
        let painted = self.paint(&mut edit, settings, area, anchor);
        let result = painted.map(|mut outcome| {
            self.finish(edit, &mut outcome);
            outcome
        });
        self.reader.clear();
        result
    }

    /// Paints an area in all mags and adds it to an edit. Nothing has changed after an error.
    fn paint(
        &mut self,
        edit: &mut OpenEdit,
        settings: PaintSettings,
        area: PaintArea<'_>,
        anchor: Vec3Int,
    ) -> Result<EditOutcome, EditError> {
        let paint = Paint { level: area.level, axes: area.axes.clone(), area: area.area, rule: settings.rule(), id: settings.segment };
        let prepared = prepare(&self.volume, &mut self.reader, &paint)?;
        let mut outcome = EditOutcome { voxels: prepared.changed_voxels, ..EditOutcome::default() };
        outcome.touch(&prepared.changes, self.volume.levels.len());
        if !prepared.changes.is_empty() {
            outcome.segments_changed = self.list_segment(edit, settings.segment, anchor);
        }
        edit.voxels += prepared.changed_voxels;
        self.publish(edit, prepared.changes);
        Ok(outcome)
    }

    /// Makes changes visible and remembers what they replace.
    fn publish(&self, edit: &mut OpenEdit, changes: Vec<BucketChange>) {
        let levels = &self.volume.levels;
        for change in &changes {
            if let Entry::Vacant(entry) = edit.before.entry((change.level, change.at.clone())) {
                entry.insert(levels[change.level].edited.get(&change.at));
            }
        }
        if let Some(first) = levels.first() {
            first.edited.publish(changes);
        }
    }

    /// Puts an edit into the history, if it did anything.
    fn finish(&mut self, edit: OpenEdit, outcome: &mut EditOutcome) {
        if edit.before.is_empty() && edit.segments.is_empty() {
            return;
        }
        let mut before: Vec<_> = edit.before.into_iter().map(|((level, at), voxels)| BucketChange { level, at, voxels }).collect();
        before.sort_unstable_by(|a, b| (a.level, &a.at).cmp(&(b.level, &b.at)));
        self.count_changes(&before);
        let finished = FinishedEdit { kind: edit.kind, segment: edit.segment, voxels: edit.voxels, before, segments: edit.segments };
        if self.history.push(finished) {
            outcome.note(EditNote::UndoShortened);
        }
    }
}

/// The voxels of an edit.
struct PaintArea<'a> {
    level: usize,
    axes: &'a Arc<[u64]>,
    area: Area,
}

/// Milliseconds since 1970.
fn unix_ms() -> Option<i64> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
