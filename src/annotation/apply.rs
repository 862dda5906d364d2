//! Painting an area into every mag: what is painted in one mag is passed to all others, and all buckets appear together.

use super::edited::BucketChange;
use super::error::EditError;
use super::mask::{Area, BucketMask, MagMask};
use super::volume::VolumeAnnotation;
use super::voxels::{PaintRule, examine, examine_zeros, set_voxels};
use crate::format::annotation::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress, bucket_box};
use crate::format::nml::SegmentId;
use crate::geometry::{BoundingBox, ChunkIndex, Shape3, Vec3Int};
use crate::voxel::{VoxelBuffer, VoxelType};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Most bytes of new voxels of one edit. Buckets that become alike share theirs and count once.
pub(super) const MAX_EDIT_BYTES: u64 = 1 << 30;

/// Most buckets of one edit: their addresses alone are 100 MiB.
const MAX_EDIT_BUCKETS: u64 = 1 << 20;

/// Buckets that were read but not changed, kept until the end of a stroke.
const MAX_KEPT_READS: usize = 256;

/// What is painted where.
#[derive(Clone, Debug)]
pub(super) struct Paint {
    /// Number of the level that is painted.
    pub level: usize,
    /// Positions along the axes beyond x, y, z.
    pub axes: Arc<[u64]>,
    /// The voxels, inside [`VolumeAnnotation::paintable_box`].
    pub area: Area,
    /// Which of them.
    pub rule: PaintRule,
    /// Their new id.
    pub id: SegmentId,
}

/// An edit that isn't visible yet.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// All changed buckets.
    pub changes: Vec<BucketChange>,
    /// Voxels of the painted mag with another id than before.
    pub changed_voxels: u64,
}

/// Reads buckets for edits; keeps those that a stroke reads again and again without changing them.
#[derive(Debug, Default)]
pub(super) struct BucketReader {
    unchanged: HashMap<(usize, BucketAddress), Arc<VoxelBuffer>>,
}

impl BucketReader {
    /// Forgets everything: the dataset may change between two strokes.
    pub fn clear(&mut self) {
        self.unchanged.clear();
    }

    /// The voxels of a bucket as they are now, and whether they were edited before.
    pub fn read(&mut self, volume: &VolumeAnnotation, level: usize, at: &BucketAddress) -> Result<(Arc<VoxelBuffer>, bool), EditError> {
        let source = &volume.levels[level];
        if let Some(voxels) = source.edited.get(at) {
            return Ok((voxels, true));
        }
        if let Some(layer) = volume.fallback_layer.as_ref().filter(|_| volume.lacks_fallback())
            && !source.is_stored(at)
        {
            return Err(EditError::NoFallback { layer: layer.clone() });
        }
        if let Some(voxels) = self.unchanged.remove(&(level, at.clone())) {
            return Ok((voxels, false));
        }
        Ok((source.read_unedited(at)?.0, false))
    }

    /// Keeps a bucket of [`Self::read`] that will probably be read again.
    pub fn keep(&mut self, level: usize, at: BucketAddress, voxels: Arc<VoxelBuffer>) {
        if self.unchanged.len() >= MAX_KEPT_READS {
            self.unchanged.clear();
        }
        self.unchanged.insert((level, at), voxels);
    }
}

/// Prepares an edit of all mags.
///
/// # Errors
/// If a bucket can't be read, would need a fallback layer that isn't there, or the edit is too large.
pub(super) fn prepare(volume: &VolumeAnnotation, reader: &mut BucketReader, paint: &Paint) -> Result<Prepared, EditError> {
    let mut painter = Painter { volume, reader, alike: HashMap::new(), bytes: 0, buckets: 0, prepared: Prepared::default() };
    let from = volume.levels[paint.level].mag;
    let painted = painter.paint_first(paint)?;
    for (level, to) in volume.levels.iter().enumerate().filter(|(level, _)| *level != paint.level) {
        let within = volume.paintable_box(to.mag);
        let area = painted.as_ref().unwrap_or(&paint.area).project(from, to.mag, &within);
        let passed_on = Paint { level, axes: paint.axes.clone(), area, rule: PaintRule::All, id: paint.id };
        painter.paint_level(&passed_on, |_, _| ())?;
    }
    Ok(painter.prepared)
}

struct Painter<'a> {
    volume: &'a VolumeAnnotation,
    reader: &'a mut BucketReader,
    /// New voxels by what they follow from: where the old ones were all one id, the box that was painted and this id.
    alike: HashMap<(BoundingBox, Vec<u8>), Arc<VoxelBuffer>>,
    bytes: u64,
    buckets: u64,
    prepared: Prepared,
}

impl Painter<'_> {
    /// Paints the level of the edit itself. The voxels that were painted, where the rule left some out.
    fn paint_first(&mut self, paint: &Paint) -> Result<Option<Area>, EditError> {
        let mut painted = MagMask::default();
        let keeps_all = paint.rule == PaintRule::All;
        let changed = self.paint_level(paint, |chunk, mask| {
            if !keeps_all {
                painted.insert(chunk, mask);
            }
        })?;
        self.prepared.changed_voxels = changed;
        Ok((!keeps_all).then_some(Area::Mask(painted)))
    }

    /// Paints one level, telling which voxels of each bucket the rule let be painted; the number that changed.
    fn paint_level(&mut self, paint: &Paint, mut tell: impl FnMut(ChunkIndex, BucketMask)) -> Result<u64, EditError> {
        let level = paint.level;
        self.buckets = self.buckets.saturating_add(paint.area.bucket_count());
        if self.buckets > MAX_EDIT_BUCKETS {
            return Err(self.too_large());
        }
        let mut changed_voxels = 0;
        for (chunk, mask) in paint.area.buckets() {
            let at = BucketAddress { chunk, axes: paint.axes.clone() };
            let (voxels, is_edited) = self.reader.read(self.volume, level, &at)?;
            let is_zeros = Arc::ptr_eq(&voxels, &self.volume.levels[level].base.zeros());
            let examined = if is_zeros {
                examine_zeros(mask.rows(), paint.rule, paint.id)
            } else {
                examine(self.volume.class, voxels.bytes(), mask.rows(), paint.rule, paint.id)
            };
            changed_voxels += examined.changed_count;
            if examined.changed_count > 0 {
                let painted = if examined.painted_count == BUCKET_VOXELS as u64 { None } else { Some(&*examined.painted) };
                let local = match &paint.area {
                    Area::Box(b) if paint.rule == PaintRule::All => {
                        let whole = bucket_box(chunk);
                        Some(whole.intersect(b).translate(Vec3Int::ZERO - whole.topleft))
                    }
                    Area::Box(_) | Area::Mask(_) => None,
                };
                let voxels = self.painted(voxels, painted, local, paint.id)?;
                self.prepared.changes.push(BucketChange { level, at, voxels: Some(voxels) });
            } else if !is_edited && !is_zeros {
                self.reader.keep(level, at, voxels);
            }
            if examined.painted_count > 0 {
                tell(chunk, BucketMask::from_rows(examined.painted));
            }
        }
        Ok(changed_voxels)
    }

    /// The voxels of a bucket with a mask (`None`: all of it) painted. What becomes alike is made once.
    fn painted(
        &mut self,
        voxels: Arc<VoxelBuffer>,
        mask: Option<&super::mask::Rows>,
        local: Option<BoundingBox>,
        id: SegmentId,
    ) -> Result<Arc<VoxelBuffer>, EditError> {
        let key = match (mask, local) {
            (None, _) => Some((BoundingBox::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE)), Vec::new())),
            (Some(_), Some(local)) => only_voxel(&voxels).map(|voxel| (local, voxel)),
            (Some(_), None) => None,
        };
        let entry = match key {
            Some(key) => match self.alike.entry(key) {
                Entry::Occupied(made) => return Ok(made.get().clone()),
                Entry::Vacant(entry) => Some(entry),
            },
            None => None,
        };
        let class = self.volume.class;
        self.bytes += voxels.bytes().len() as u64;
        let too_large = self.bytes > MAX_EDIT_BYTES;
        // What was just read belongs to nobody else.
        let mut bytes = Arc::try_unwrap(voxels).map_or_else(|shared| shared.bytes().to_vec(), VoxelBuffer::into_bytes);
        set_voxels(class, &mut bytes, mask.unwrap_or(&super::mask::ALL_ROWS), id);
        let made = VoxelBuffer::new(VoxelType::single(class), Shape3::splat(BUCKET_SIDE), bytes).map(Arc::new);
        let made = made.ok_or_else(|| EditError::Internal("a bucket changed its length".to_owned()))?;
        if let Some(entry) = entry {
            entry.insert(made.clone());
        }
        if too_large { Err(self.too_large()) } else { Ok(made) }
    }

    fn too_large(&self) -> EditError {
        EditError::TooLarge { buckets: self.buckets, bytes: self.bytes }
    }
}

/// The voxel that all of a bucket are equal to.
fn only_voxel(voxels: &VoxelBuffer) -> Option<Vec<u8>> {
    let (bytes, len) = (voxels.bytes(), voxels.voxel_type().byte_len());
    // Equal to itself moved by one voxel: all are like the first.
    (bytes[len..] == bytes[..bytes.len() - len]).then(|| bytes[..len].to_vec())
}
