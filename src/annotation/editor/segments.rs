//! The list of segments, and segments as a whole.

use super::{EditError, EditKind, EditOutcome, OpenEdit, Segment, SegmentId, SegmentSide, Vec3Int, VolumeEditor, max_segment_id, unix_ms};
use crate::annotation::apply::MAX_EDIT_BYTES;
use crate::annotation::edited::BucketChange;
use crate::annotation::voxels::{set_voxels, voxels_equal};
use crate::voxel::VoxelBuffer;
use std::sync::Arc;

impl VolumeEditor {
    /// Takes a new id: one more than the highest in use and the active one. It counts as used from now on.
    ///
    /// # Errors
    /// If no id is left, or nothing says which is the highest: see [`Self::set_largest_segment_id`].
    pub fn new_segment_id(&mut self, active: SegmentId) -> Result<SegmentId, EditError> {
        let class = self.volume.class;
        let largest = self.volume.largest_segment_id.ok_or(EditError::LargestIdUnknown)?;
        let next = largest.max(active).checked_add(1).filter(|id| *id <= max_segment_id(class));
        let id = next.ok_or(EditError::IdsExhausted { class })?;
        self.volume.largest_segment_id = Some(id);
        Ok(id)
    }

    /// Says which id is the highest in use, where nothing said it, or raises it. It never falls.
    ///
    /// # Errors
    /// If the class can't hold it.
    pub fn set_largest_segment_id(&mut self, id: SegmentId) -> Result<(), EditError> {
        self.check_id(id)?;
        self.volume.largest_segment_id = Some(self.volume.largest_segment_id.unwrap_or(0).max(id));
        Ok(())
    }

    /// Lists a segment, or replaces the one of the same id.
    ///
    /// # Errors
    /// If the id is 0 or the class can't hold it, or a stroke isn't finished.
    pub fn set_segment(&mut self, segment: Segment) -> Result<EditOutcome, EditError> {
        self.set_as(EditKind::List, segment)
    }

    /// Lists a segment of a new id; see [`Self::new_segment_id`].
    ///
    /// # Errors
    /// As [`Self::set_segment`].
    pub fn add_new_segment(&mut self, segment: Segment) -> Result<EditOutcome, EditError> {
        self.set_as(EditKind::NewSegment, segment)
    }

    fn set_as(&mut self, kind: EditKind, segment: Segment) -> Result<EditOutcome, EditError> {
        self.check_no_stroke()?;
        self.check_segment(segment.id)?;
        Ok(self.edit_segments(kind, segment.id, Some(segment)))
    }

    /// Renames a segment; one that isn't listed is listed. `None` takes its name away.
    ///
    /// # Errors
    /// As [`Self::set_segment`].
    pub fn rename_segment(&mut self, id: SegmentId, name: Option<String>) -> Result<EditOutcome, EditError> {
        let segment = Segment { name, ..self.listed_or_new(id) };
        self.set_as(EditKind::Rename, segment)
    }

    /// Colours a segment (red, green, blue, alpha from 0 to 1); `None` for the colour that follows from its id.
    ///
    /// # Errors
    /// As [`Self::set_segment`].
    pub fn recolour_segment(&mut self, id: SegmentId, color: Option<[f32; 4]>) -> Result<EditOutcome, EditError> {
        let segment = Segment { color, ..self.listed_or_new(id) };
        self.set_as(EditKind::Recolour, segment)
    }

    /// Shows or hides a segment.
    ///
    /// # Errors
    /// As [`Self::set_segment`].
    pub fn show_segment(&mut self, id: SegmentId, is_visible: bool) -> Result<EditOutcome, EditError> {
        let segment = Segment { is_visible, ..self.listed_or_new(id) };
        self.set_as(if is_visible { EditKind::Show } else { EditKind::Hide }, segment)
    }

    /// Shows all listed segments: one edit.
    ///
    /// # Errors
    /// If a stroke isn't finished.
    pub fn show_all(&mut self) -> Result<EditOutcome, EditError> {
        self.check_no_stroke()?;
        let hidden = self.volume.segments.iter().enumerate().filter(|(_, segment)| !segment.is_visible);
        let shown = |segment: &Segment| Some(Segment { is_visible: true, ..segment.clone() });
        let sides: Vec<SegmentSide> =
            hidden.map(|(index, segment)| SegmentSide { id: segment.id, index, segment: shown(segment) }).collect();
        if sides.is_empty() {
            return Ok(EditOutcome::default());
        }
        let mut edit = OpenEdit::new(EditKind::ShowAll, 0);
        edit.segments = self.swap_segments(&sides);
        let mut outcome = EditOutcome { segments_changed: true, ..EditOutcome::default() };
        self.finish(edit, &mut outcome);
        Ok(outcome)
    }

    /// Takes a segment off the list; its voxels stay. Nothing happens if it isn't listed.
    ///
    /// # Errors
    /// If a stroke isn't finished.
    pub fn unlist_segment(&mut self, id: SegmentId) -> Result<EditOutcome, EditError> {
        self.check_no_stroke()?;
        if self.position_of(id).is_none() {
            return Ok(EditOutcome::default());
        }
        Ok(self.edit_segments(EditKind::Unlist, id, None))
    }

    /// Sets all voxels of a segment in the annotation's own buckets to 0, in all mags. It stays listed. `progress` is
    /// told how many of how many buckets are done, and returns whether to go on.
    ///
    /// # Errors
    /// If the id is 0, a stroke isn't finished, a bucket can't be read, too much would change, or it is cancelled.
    pub fn delete_segment_voxels(
        &mut self,
        id: SegmentId,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EditOutcome, EditError> {
        self.check_no_stroke()?;
        self.check_segment(id)?;
        let class = self.volume.class;
        let own: Vec<_> = self.volume.levels.iter().map(|level| level.addresses()).collect();
        let total = own.iter().map(Vec::len).sum();
        let (mut changes, mut bytes, mut done) = (Vec::new(), 0, 0);
        let mut edit = OpenEdit::new(EditKind::DeleteVoxels, id);
        for (level, addresses) in own.into_iter().enumerate() {
            for at in addresses {
                if !progress(done, total) {
                    return Err(EditError::Cancelled);
                }
                done += 1;
                let (voxels, _) = self.volume.levels[level].read(&at)?;
                let mask = voxels_equal(class, voxels.bytes(), id);
                let count: u64 = mask.iter().map(|row| u64::from(row.count_ones())).sum();
                if count == 0 {
                    continue;
                }
                edit.voxels += if level == 0 { count } else { 0 };
                bytes += voxels.bytes().len() as u64;
                if bytes > MAX_EDIT_BYTES {
                    return Err(EditError::TooLarge { buckets: changes.len() as u64, bytes });
                }
                let (voxel_type, shape) = (voxels.voxel_type(), voxels.shape());
                let mut cleared = Arc::try_unwrap(voxels).map_or_else(|shared| shared.bytes().to_vec(), VoxelBuffer::into_bytes);
                set_voxels(class, &mut cleared, &mask, 0);
                changes.push(BucketChange { level, at, voxels: VoxelBuffer::new(voxel_type, shape, cleared).map(Arc::new) });
            }
        }
        let mut outcome = EditOutcome { voxels: edit.voxels, ..EditOutcome::default() };
        outcome.touch(&changes, self.volume.levels.len());
        self.publish(&mut edit, changes);
        self.finish(edit, &mut outcome);
        Ok(outcome)
    }

    fn check_segment(&self, id: SegmentId) -> Result<(), EditError> {
        if id == 0 { Err(EditError::Background) } else { self.check_id(id) }
    }

    fn position_of(&self, id: SegmentId) -> Option<usize> {
        self.volume.segments.iter().position(|segment| segment.id == id)
    }

    fn listed_or_new(&self, id: SegmentId) -> Segment {
        let listed = self.volume.segments.iter().find(|segment| segment.id == id);
        listed.cloned().unwrap_or_else(|| Segment { created_unix_ms: unix_ms(), ..Segment::new(id) })
    }

    /// An edit of the list only.
    fn edit_segments(&mut self, kind: EditKind, id: SegmentId, segment: Option<Segment>) -> EditOutcome {
        let mut edit = OpenEdit::new(kind, id);
        let index = self.position_of(id).unwrap_or(self.volume.segments.len());
        edit.segments = self.swap_segments(&[SegmentSide { id, index, segment }]);
        self.raise_largest(id);
        let mut outcome = EditOutcome { segments_changed: true, ..EditOutcome::default() };
        self.finish(edit, &mut outcome);
        outcome
    }

    /// Lists a segment that was painted for the first time. Whether that changed anything.
    pub(super) fn list_segment(&mut self, edit: &mut OpenEdit, id: SegmentId, anchor: Vec3Int) -> bool {
        // Whoever painted before in the same edit has listed it.
        if id == 0 || !edit.before.is_empty() || self.position_of(id).is_some() {
            return self.raise_largest(id);
        }
        let segment = Segment { anchor: Some(anchor), created_unix_ms: unix_ms(), ..Segment::new(id) };
        let side = SegmentSide { id, index: self.volume.segments.len(), segment: Some(segment) };
        edit.segments.extend(self.swap_segments(&[side]));
        self.raise_largest(id);
        true
    }

    /// Keeps the highest id at or above one that is used. Whether it rose.
    fn raise_largest(&mut self, id: SegmentId) -> bool {
        match &mut self.volume.largest_segment_id {
            Some(largest) if *largest < id => {
                *largest = id;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Puts sides of segments into the list; returns what they replace, to be put back the same way.
    pub(super) fn swap_segments(&mut self, sides: &[SegmentSide]) -> Vec<SegmentSide> {
        let mut replaced = Vec::with_capacity(sides.len());
        for side in sides {
            let listed = self.position_of(side.id).map(|at| (at, self.volume.segments.remove(at)));
            let (index, segment) = listed.map_or((side.index, None), |(at, segment)| (at, Some(segment)));
            if let Some(segment) = &side.segment {
                let at = side.index.min(self.volume.segments.len());
                self.volume.segments.insert(at, segment.clone());
            }
            replaced.push(SegmentSide { id: side.id, index, segment });
        }
        // The last is undone first.
        replaced.reverse();
        replaced
    }
}
