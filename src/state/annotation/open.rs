//! [`OpenAnnotation`]: the annotation that is shown and edited.

use super::request::{ActiveSegment, AnnotationWork, EditRequest, ExportKind};
use super::tools::PaintTools;
use crate::annotation::{EditedBuckets, HistoryLine};
use crate::format::nml::{Nml, Segment, SegmentId};
use crate::geometry::{BoundingBox, Mag, Vec3Int};
use crate::scene::SkeletonIndex;
use crate::voxel::ElementClass;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// An annotation with how it is looked at.
#[derive(Debug)]
pub struct OpenAnnotation {
    /// Name for people.
    pub name: String,
    /// The file it came from or was last exported to.
    pub file: Option<PathBuf>,
    /// The dataset below it, where that is there.
    pub dataset_path: Option<PathBuf>,
    /// The format of that file, in which it is replaced.
    pub export_kind: ExportKind,
    /// Whether somebody has agreed that the file is replaced.
    pub may_replace_file: bool,
    /// Skeleton, boxes and what else the file says.
    pub nml: Arc<Nml>,
    /// Where nodes and edges lie.
    pub skeleton: Arc<SkeletonIndex>,
    /// Whether the skeleton is drawn.
    pub shows_skeleton: bool,
    /// Trees that are drawn or not, other than the file says: by index.
    pub switched_trees: HashSet<usize>,
    /// The tree that is looked at.
    pub selected_tree: Option<usize>,
    /// Volume layers.
    pub volumes: Vec<OpenVolume>,
    /// Index of the volume that is painted.
    pub selected: usize,
    /// Number of the last edit that was carried out.
    pub revision: u64,
    /// Number of the edit up to which it was exported.
    pub saved_revision: u64,
    /// Requests that the editor hasn't carried out yet.
    pub waiting: usize,
    /// Longer work that goes on.
    pub work: Option<RunningWork>,
    /// What the last round trip found.
    pub round_trip: Option<RoundTripResult>,
    /// The dataset that the annotation names and that wasn't found.
    pub missing_dataset: Option<String>,
    /// The file has changed since it was read.
    pub changed_on_disk: bool,
    /// Not all of the file could be read.
    pub is_damaged: bool,
}

impl OpenAnnotation {
    /// Whether there are edits that no file has.
    pub const fn is_unsaved(&self) -> bool {
        self.revision != self.saved_revision || self.waiting > 0
    }

    /// The volume that is painted.
    pub fn volume(&self) -> Option<&OpenVolume> {
        self.volumes.get(self.selected)
    }

    /// Whether a layer of the dataset is one of the volumes.
    pub fn has_layer(&self, layer: usize) -> bool {
        self.volumes.iter().any(|volume| volume.layer == layer)
    }

    /// The edited buckets of a layer of the dataset in a mag, if it is one of the volumes.
    pub fn edits_of(&self, layer: usize, mag: Mag) -> Option<&Arc<EditedBuckets>> {
        let volume = self.volumes.iter().find(|volume| volume.layer == layer)?;
        volume.edited.iter().find(|(edited, _)| *edited == mag).map(|(_, edits)| edits)
    }

    /// Whether a tree is drawn.
    pub fn shows_tree(&self, index: usize) -> bool {
        let by_file = self.nml.trees.get(index).is_some_and(|tree| tree.is_visible);
        by_file != self.switched_trees.contains(&index)
    }
}

/// A volume layer with what the editor last said of it.
#[derive(Debug)]
pub struct OpenVolume {
    /// Name.
    pub name: String,
    /// Index of its layer in the dataset.
    pub layer: usize,
    /// Class of its voxels.
    pub class: ElementClass,
    /// The segment that is painted; 0 for none, and while that of a new segment isn't known yet.
    pub active: SegmentId,
    /// New segments that were asked for.
    pub new_segments: u64,
    /// Whether the last of them is to be the active one.
    pub awaits_new: bool,
    /// Segments that are listed.
    pub segments: Arc<[Segment]>,
    /// Voxels in the annotation's own buckets of the finest mag, by id; `None` until they have been counted.
    pub counts: Option<Arc<HashMap<SegmentId, u64>>>,
    /// Chunks of these buckets that can't be read, so that their voxels aren't counted.
    pub uncounted: usize,
    /// What was done, oldest first.
    pub history: Arc<[HistoryLine]>,
    /// Layer of the dataset that shows where the annotation has no bucket.
    pub fallback: Option<String>,
    /// Whether a fallback layer is named that isn't there: nothing can be painted where there is no bucket yet.
    pub lacks_fallback: bool,
    /// Where may be painted; mag 1.
    pub bounding_box: BoundingBox,
    /// Edited buckets, by mag.
    pub edited: Vec<(Mag, Arc<EditedBuckets>)>,
}

impl OpenVolume {
    /// The segment that is painted, for the editor.
    pub const fn active_segment(&self) -> ActiveSegment {
        if self.awaits_new { ActiveSegment::Newest } else { ActiveSegment::Known(self.active) }
    }

    /// Paints another segment from now on.
    pub const fn activate(&mut self, id: SegmentId) {
        (self.active, self.awaits_new) = (id, false);
    }

    /// Asks for a new segment, which is painted from now on.
    pub const fn new_segment(&mut self, anchor: Vec3Int) -> EditRequest {
        let request = EditRequest::NewSegment { number: self.new_segments, active: self.active_segment(), anchor };
        self.new_segments += 1;
        (self.active, self.awaits_new) = (0, true);
        request
    }

    /// Takes the answer: what is active by the new segment of this number. Whoever chose another one since keeps that.
    pub const fn answer_new(&mut self, number: u64, id: SegmentId) {
        if self.awaits_new && number + 1 == self.new_segments {
            self.activate(id);
        }
    }

    /// Largest diameter of a brush here.
    pub fn max_brush(&self) -> u32 {
        let mag = |level: Option<&(Mag, _)>| level.map_or(Mag::ONE, |(mag, _)| *mag);
        PaintTools::max_brush(mag(self.edited.first()), mag(self.edited.last()))
    }

    /// The diameter that is painted with: another volume may have had room for more.
    pub fn brush_size(&self, tools: &PaintTools) -> u32 {
        tools.brush_size.min(self.max_brush())
    }

    /// How a segment is listed.
    pub fn segment(&self, id: SegmentId) -> Option<&Segment> {
        self.segments.iter().find(|segment| segment.id == id)
    }

    /// Ids that have voxels and aren't listed, lowest first; none until they have been counted.
    pub fn unlisted(&self) -> Vec<SegmentId> {
        let listed: HashSet<SegmentId> = self.segments.iter().map(|segment| segment.id).collect();
        let counts = self.counts.iter().flat_map(|counts| counts.iter());
        let mut unlisted: Vec<SegmentId> =
            counts.filter(|(id, count)| **id != 0 && **count > 0 && !listed.contains(id)).map(|(id, _)| *id).collect();
        unlisted.sort_unstable();
        unlisted
    }
}

/// Longer work that goes on.
#[derive(Clone, Debug)]
pub struct RunningWork {
    /// What.
    pub work: AnnotationWork,
    /// Since when.
    pub since: Instant,
    /// Buckets done and to do.
    pub done: u64,
    /// Buckets to do.
    pub total: u64,
}

/// What a round trip found.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundTripResult {
    /// Whether everything came back.
    pub is_equal: bool,
    /// One line: what was compared, or why it couldn't be.
    pub summary: String,
    /// What differs.
    pub differences: Vec<String>,
    /// How long it took.
    pub secs: f64,
    /// Number of the edit up to which it was checked.
    pub revision: u64,
}
