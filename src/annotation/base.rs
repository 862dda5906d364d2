//! [`BucketBase`]: what a bucket holds before it is edited: the stored bucket, else the fallback layer, else zeros.

use super::ids::{convert_ids, id_text, is_segment_class};
use crate::format::annotation::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress, BucketStore, bucket_box};
use crate::format::{ChunkError, ChunkFault, ChunkSource, read_box};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, ShardIndex};
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType, copy_box, is_zero};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the voxels of an unedited bucket come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseOrigin {
    /// The annotation's file.
    Stored,
    /// The fallback layer, which meets the bucket.
    Fallback,
    /// Nothing: zeros.
    Empty,
}

type Positioned = (Arc<[u64]>, Option<Arc<dyn ChunkSource>>);

/// The unedited content of one mag of a volume. Read by many threads.
pub(super) struct BucketBase {
    /// Name of the volume, for messages.
    pub name: String,
    /// Class of the voxels that are handed out.
    pub class: ElementClass,
    /// The mag.
    pub mag: Mag,
    /// Names of the axes beyond x, y, z.
    pub axes: Arc<[String]>,
    /// Stored buckets.
    pub stored: Option<Arc<dyn BucketStore>>,
    /// The fallback layer at the mag, at position 0 of its further axes.
    pub fallback: Option<Arc<dyn ChunkSource>>,
    /// Extent of the fallback layer in voxels of the mag; `None` for all that its source has.
    pub fallback_box: Option<BoundingBox>,
    /// The fallback layer where it was asked for last: the same positions are asked for again and again.
    pub last_positioned: Mutex<Option<Positioned>>,
    /// A bucket of zeros, for all places where there is nothing.
    pub zeros: OnceLock<Arc<VoxelBuffer>>,
}

thread_local! {
    /// Voxels of another class, before they are converted: at most 256 KiB.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl BucketBase {
    /// Length of a bucket in bytes.
    pub const fn byte_len(&self) -> usize {
        BUCKET_VOXELS * self.class.byte_len()
    }

    /// The fallback layer at positions along the further axes; `None` where it has none there.
    pub fn fallback_at(&self, axes: &Arc<[u64]>) -> Option<Arc<dyn ChunkSource>> {
        let fallback = self.fallback.as_ref()?;
        if axes.is_empty() {
            return Some(fallback.clone());
        }
        let mut last = self.last_positioned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, source)) = last.as_ref().filter(|(at, _)| at == axes) {
            return source.clone();
        }
        let source = fallback.at_axes(axes);
        *last = Some((axes.clone(), source.clone()));
        source
    }

    /// The part of a bucket that the fallback layer covers; empty where it doesn't meet it.
    pub fn covered_part(&self, source: &dyn ChunkSource, chunk: ChunkIndex) -> BoundingBox {
        let part = bucket_box(chunk).intersect(&source.grid().bounds());
        self.fallback_box.map_or(part, |fallback| part.intersect(&fallback))
    }

    /// Boxes outside of which the fallback layer, at position 0 of its further axes, is 0: at most `limit`, or one around
    /// all of it.
    pub fn fallback_boxes(&self, limit: usize) -> Vec<BoundingBox> {
        let Some(source) = &self.fallback else { return Vec::new() };
        let grid = source.grid();
        let covered = self.fallback_box.map_or(grid.bounds(), |fallback| fallback.intersect(&grid.bounds()));
        let is_fill_zero = is_zero(source.fill_voxel());
        // A folder that can't be listed: reading what it holds says why.
        let stored = if is_fill_zero { source.stored_shards(limit).unwrap_or(None) } else { None };
        let stored = stored.map(|shards| shards.into_iter().map(|shard| grid.shard_box(shard).intersect(&covered)).collect());
        stored.unwrap_or_else(|| vec![covered])
    }

    /// Whether nothing can be in a bucket: it isn't stored and the fallback layer doesn't meet it.
    pub fn is_nothing_at(&self, at: &BucketAddress) -> bool {
        let is_stored = self.stored.as_ref().is_some_and(|stored| stored.contains(at));
        !is_stored && self.fallback_at(&at.axes).is_none_or(|source| self.covered_part(&*source, at.chunk).is_empty())
    }

    /// The one bucket of zeros of the level.
    pub fn zeros(&self) -> Arc<VoxelBuffer> {
        let make = || VoxelBuffer::new(VoxelType::single(self.class), Shape3::splat(BUCKET_SIDE), vec![0; self.byte_len()]);
        self.zeros.get_or_init(|| Arc::new(make().expect("as long as a bucket"))).clone()
    }

    /// Reads an unedited bucket into `out`, which has [`Self::byte_len`] bytes.
    ///
    /// # Errors
    /// If the stored bucket or the fallback layer can't be read, or an id doesn't fit the class.
    pub fn read_into(&self, at: &BucketAddress, out: &mut [u8]) -> Result<BaseOrigin, ChunkError> {
        if let Some(stored) = &self.stored
            && self.read_stored(&**stored, at, out)?
        {
            return Ok(BaseOrigin::Stored);
        }
        if let Some(source) = self.fallback_at(&at.axes) {
            let part = self.covered_part(&*source, at.chunk);
            if !part.is_empty() {
                self.read_fallback(&*source, at.chunk, &part, out)?;
                return Ok(BaseOrigin::Fallback);
            }
        }
        out.fill(0);
        Ok(BaseOrigin::Empty)
    }

    fn read_stored(&self, stored: &dyn BucketStore, at: &BucketAddress, out: &mut [u8]) -> Result<bool, ChunkError> {
        let class = stored.class();
        if class == self.class {
            return stored.read_into(at, out);
        }
        with_scratch(BUCKET_VOXELS * class.byte_len(), |scratch| {
            Ok(stored.read_into(at, scratch)? && {
                self.convert(class, scratch, out).map_err(|fault| self.error(at.chunk, fault))?;
                true
            })
        })
    }

    fn read_fallback(&self, source: &dyn ChunkSource, chunk: ChunkIndex, part: &BoundingBox, out: &mut [u8]) -> Result<(), ChunkError> {
        let voxel_type = source.voxel_type();
        let fail = |fault| source.chunk_error(source.grid().chunk_from_voxel(part.topleft), None, fault);
        if voxel_type.channels != 1 || (!is_segment_class(voxel_type.class) && voxel_type.class != ElementClass::Bool) {
            return Err(fail(ChunkFault::Unsupported(format!("voxels of {voxel_type} are no segment ids"))));
        }
        let whole = bucket_box(chunk);
        if voxel_type.class == self.class && *part == whole {
            return read_box(source, part, out).map(drop);
        }
        let part_len = part.shape.byte_len(voxel_type.byte_len()).unwrap_or(0);
        with_scratch(part_len, |scratch| {
            read_box(source, part, scratch)?;
            if *part == whole {
                return self.convert(voxel_type.class, scratch, out).map_err(fail);
            }
            out.fill(0);
            let mut converted = vec![0; part_len / voxel_type.byte_len() * self.class.byte_len()];
            self.convert(voxel_type.class, scratch, &mut converted).map_err(fail)?;
            copy_box(&converted, part, out, &whole, self.class.byte_len());
            Ok(())
        })
    }

    fn convert(&self, from: ElementClass, bytes: &[u8], out: &mut [u8]) -> Result<(), ChunkFault> {
        convert_ids(from, bytes, self.class, out)
            .map_err(|id| ChunkFault::Unsupported(format!("segment {} of {from} doesn't fit {}", id_text(id, from), self.class)))
    }

    /// An error about a bucket of the annotation itself.
    pub fn error(&self, chunk: ChunkIndex, fault: ChunkFault) -> ChunkError {
        ChunkError { chunk, shard: ShardIndex(chunk.0), range: None, fault, location: self.location() }
    }

    /// Where the annotation's buckets lie, for people.
    pub fn location(&self) -> String {
        format!("volume {}, mag {}", self.name, self.mag)
    }
}

/// Hands out the thread's scratch buffer. It is taken out meanwhile: sources may lead back here.
fn with_scratch<T>(len: usize, f: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut scratch = SCRATCH.take();
    scratch.resize(len, 0);
    let result = f(&mut scratch);
    SCRATCH.set(scratch);
    result
}
