//! [`VolumeAnnotation`]: a volume layer that can be painted, mag by mag.

use super::base::{BaseOrigin, BucketBase};
use super::edited::{BucketChange, EditedBuckets};
use crate::format::annotation::{BUCKET_SIDE, BucketAddress, BucketStore};
use crate::format::nml::{Segment, SegmentGroup, SegmentId, VolumeFormat};
use crate::format::{ChunkError, ChunkFault, ChunkSource};
use crate::geometry::{BoundingBox, Mag, Shape3, Vec3Int, VoxelSize};
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

/// First mag-1 position that annotations can't have: positions are signed 32-bit numbers.
pub(super) const POSITION_END: i64 = 1 << 31;

/// What a [`VolumeAnnotation`] is made of.
#[derive(Clone)]
pub struct VolumeSpec {
    /// Name.
    pub name: String,
    /// Class of its voxels: an integer class (see [`super::is_segment_class`]).
    pub class: ElementClass,
    /// Size of a mag-1 voxel.
    pub voxel_size: VoxelSize,
    /// Where painting is allowed, in mag-1 voxels; empty for anywhere. Never at negative positions.
    pub bounding_box: BoundingBox,
    /// Names of the axes beyond x, y, z.
    pub axes: Vec<String>,
    /// Name of the layer that shows where the annotation has no bucket. Named while there is no
    /// [`Self::fallback_box`] and no level has a [`LevelSpec::fallback`]: the layer isn't there.
    pub fallback_layer: Option<String>,
    /// Names of the axes beyond x, y, z that the fallback layer has.
    pub fallback_axes: Vec<String>,
    /// Extent of the fallback layer in mag-1 voxels, outside of which it is 0; `None` for all that its sources have, or
    /// without the layer.
    pub fallback_box: Option<BoundingBox>,
    /// Its mags, in any order.
    pub levels: Vec<LevelSpec>,
    /// Listed segments.
    pub segments: Vec<Segment>,
    /// Groups of segments, outermost.
    pub segment_groups: Vec<SegmentGroup>,
    /// Highest id in use, where it is known.
    pub largest_segment_id: Option<SegmentId>,
    /// How its file stores it; `None` for a new one.
    pub format: Option<VolumeFormat>,
}

/// One mag of a [`VolumeSpec`].
#[derive(Clone)]
pub struct LevelSpec {
    /// The mag.
    pub mag: Mag,
    /// Buckets of its file.
    pub stored: Option<Arc<dyn BucketStore>>,
    /// The fallback layer at the same mag, at position 0 of its further axes; `None` where it lacks the mag.
    pub fallback: Option<Arc<dyn ChunkSource>>,
}

/// Where the voxels of a bucket come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketOrigin {
    /// An edit since the annotation was opened.
    Edited,
    /// The annotation's file.
    Stored,
    /// The fallback layer.
    Fallback,
    /// Nothing: zeros.
    Empty,
}

/// A volume layer of an annotation. Its levels can be cloned and read by other threads while it is edited.
#[derive(Clone, Debug)]
pub struct VolumeAnnotation {
    /// Name.
    pub name: String,
    /// Class of its voxels.
    pub class: ElementClass,
    /// Size of a mag-1 voxel.
    pub voxel_size: VoxelSize,
    /// Where painting is allowed, in mag-1 voxels; empty for anywhere not negative.
    pub bounding_box: BoundingBox,
    /// Names of the axes beyond x, y, z.
    pub axes: Arc<[String]>,
    /// Name of the layer that shows where the annotation has no bucket.
    pub fallback_layer: Option<String>,
    /// Names of the axes beyond x, y, z that this layer has: without them the volume lies over their position 0 only.
    pub fallback_axes: Arc<[String]>,
    /// Its mags, finest first.
    pub levels: Vec<VolumeLevel>,
    /// Listed segments, in their order.
    pub segments: Vec<Segment>,
    /// Groups of segments, outermost.
    pub segment_groups: Vec<SegmentGroup>,
    /// Highest id in use; `None` where nothing says it. Never falls.
    pub largest_segment_id: Option<SegmentId>,
    /// How its file stores it; `None` for a new one.
    pub format: Option<VolumeFormat>,
}

impl VolumeAnnotation {
    /// An annotation without edits. Of several levels with one mag the first stays.
    ///
    /// Without a fallback layer and without stored buckets the highest id in use is 0.
    pub fn new(spec: VolumeSpec) -> Self {
        let axes: Arc<[String]> = spec.axes.into();
        let mut levels = spec.levels;
        levels.sort_by_key(|level| level.mag.sort_key());
        levels.dedup_by_key(|level| level.mag);
        let is_new = spec.fallback_layer.is_none() && levels.iter().all(|level| level.stored.is_none());
        let edited = EditedBuckets::for_levels(levels.len());
        let levels = levels.into_iter().zip(edited).map(|(level, edited)| {
            let base = BucketBase {
                name: spec.name.clone(),
                class: spec.class,
                mag: level.mag,
                axes: axes.clone(),
                stored: level.stored,
                fallback: level.fallback,
                fallback_box: spec.fallback_box.map(|fallback| level.mag.box_in_mag(&fallback)),
                last_positioned: Mutex::default(),
                zeros: OnceLock::new(),
            };
            VolumeLevel { mag: level.mag, edited, base: Arc::new(base) }
        });
        Self {
            levels: levels.collect(),
            name: spec.name,
            class: spec.class,
            voxel_size: spec.voxel_size,
            bounding_box: spec.bounding_box,
            axes,
            fallback_layer: spec.fallback_layer,
            fallback_axes: spec.fallback_axes.into(),
            segments: spec.segments,
            segment_groups: spec.segment_groups,
            largest_segment_id: spec.largest_segment_id.or(is_new.then_some(0)),
            format: spec.format,
        }
    }

    /// Whether a fallback layer is named that isn't there: new buckets would need it. One without any of the mags is
    /// there, and hides nothing.
    pub fn lacks_fallback(&self) -> bool {
        let is_there = |level: &VolumeLevel| level.base.fallback.is_some() || level.base.fallback_box.is_some();
        self.fallback_layer.is_some() && !self.levels.iter().any(is_there)
    }

    /// The number of the level with a mag.
    pub fn level_of(&self, mag: Mag) -> Option<usize> {
        self.levels.iter().position(|level| level.mag == mag)
    }

    /// Where painting is allowed, in voxels of a mag: those that touch the bounding box.
    pub fn paintable_box(&self, mag: Mag) -> BoundingBox {
        let everywhere = BoundingBox::between(Vec3Int::ZERO, Vec3Int::splat(POSITION_END));
        let allowed = if self.bounding_box.is_empty() { everywhere } else { everywhere.intersect(&self.bounding_box) };
        mag.box_in_mag(&allowed)
    }

    /// The edited buckets of each level, all of one moment, in the order of [`BucketAddress`].
    pub fn snapshot(&self) -> Vec<Vec<(BucketAddress, Arc<VoxelBuffer>)>> {
        self.levels.first().map(|level| level.edited.snapshot_levels()).unwrap_or_default()
    }

    /// A copy with the edited buckets of one moment, which later edits don't reach.
    pub fn frozen(&self) -> Self {
        let changes = self
            .snapshot()
            .into_iter()
            .enumerate()
            .flat_map(|(level, buckets)| buckets.into_iter().map(move |(at, voxels)| BucketChange { level, at, voxels: Some(voxels) }));
        let edited = EditedBuckets::for_levels(self.levels.len());
        if let Some(first) = edited.first() {
            first.publish(changes);
        }
        let levels = self.levels.iter().zip(edited).map(|(level, edited)| VolumeLevel { edited, ..level.clone() });
        Self { levels: levels.collect(), ..self.clone() }
    }

    /// Replaces edited buckets of any levels, visible at once: for edits that were saved aside. No part of the history.
    ///
    /// # Errors
    /// If voxels have another class or shape than a bucket of this annotation, or the level isn't there; nothing is
    /// changed then.
    pub fn restore(&self, changes: Vec<BucketChange>) -> Result<(), ChunkError> {
        let Some(first) = self.levels.first() else { return Ok(()) };
        for change in &changes {
            let Some(level) = self.levels.get(change.level) else {
                return Err(first.base.error(change.at.chunk, ChunkFault::Unsupported(format!("there is no level {}", change.level))));
            };
            let fits =
                |voxels: &VoxelBuffer| voxels.voxel_type() == VoxelType::single(self.class) && voxels.shape() == Shape3::splat(BUCKET_SIDE);
            if change.voxels.as_deref().is_some_and(|voxels| !fits(voxels)) || change.at.axes.len() != self.axes.len() {
                let fault = ChunkFault::Unsupported(format!("no bucket of {} voxels with {} axes", self.class, self.axes.len()));
                return Err(level.base.error(change.at.chunk, fault));
            }
        }
        first.edited.publish(changes);
        Ok(())
    }
}

/// One mag of a [`VolumeAnnotation`]. Clones share everything.
#[derive(Clone)]
pub struct VolumeLevel {
    /// The mag.
    pub mag: Mag,
    /// Buckets edited since the annotation was opened.
    pub edited: Arc<EditedBuckets>,
    pub(super) base: Arc<BucketBase>,
}

impl fmt::Debug for VolumeLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VolumeLevel").field("mag", &self.mag).field("edited", &self.edited).finish_non_exhaustive()
    }
}

impl VolumeLevel {
    /// The voxels of a bucket, as they are now.
    ///
    /// # Errors
    /// If the stored bucket or the fallback layer can't be read, or an id doesn't fit the class.
    pub fn read(&self, at: &BucketAddress) -> Result<(Arc<VoxelBuffer>, BucketOrigin), ChunkError> {
        match self.edited.get(at) {
            Some(voxels) => Ok((voxels, BucketOrigin::Edited)),
            None => self.read_unedited(at),
        }
    }

    /// The voxels of a bucket without its edits.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_unedited(&self, at: &BucketAddress) -> Result<(Arc<VoxelBuffer>, BucketOrigin), ChunkError> {
        if self.base.is_nothing_at(at) {
            return Ok((self.base.zeros(), BucketOrigin::Empty));
        }
        let mut bytes = vec![0; self.base.byte_len()];
        let origin = match self.base.read_into(at, &mut bytes)? {
            BaseOrigin::Stored => BucketOrigin::Stored,
            BaseOrigin::Fallback => BucketOrigin::Fallback,
            BaseOrigin::Empty => BucketOrigin::Empty,
        };
        let wrong = || self.base.error(at.chunk, ChunkFault::Internal("bucket of another length".to_owned()));
        let buffer = VoxelBuffer::new(VoxelType::single(self.base.class), Shape3::splat(BUCKET_SIDE), bytes).ok_or_else(wrong)?;
        Ok((Arc::new(buffer), origin))
    }

    /// Whether the annotation has the bucket itself: stored or edited.
    pub fn has(&self, at: &BucketAddress) -> bool {
        self.edited.contains(at) || self.is_stored(at)
    }

    /// Whether the annotation's file has the bucket.
    pub fn is_stored(&self, at: &BucketAddress) -> bool {
        self.base.stored.as_ref().is_some_and(|stored| stored.contains(at))
    }

    /// All buckets that the annotation has itself, stored or edited, in the order of [`BucketAddress`].
    pub fn addresses(&self) -> Vec<BucketAddress> {
        let mut all = self.base.stored.as_ref().map(|stored| stored.addresses()).unwrap_or_default();
        all.extend(self.edited.addresses());
        all.sort_unstable();
        all.dedup();
        all
    }
}
