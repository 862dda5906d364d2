//! [`VolumeContent`]: what a volume holds itself, at one moment.

use crate::annotation::volume::{VolumeAnnotation, VolumeLevel};
use crate::format::ChunkError;
use crate::format::annotation::BucketAddress;
use crate::voxel::VoxelBuffer;
use std::collections::HashMap;
use std::sync::Arc;

/// One mag: its buckets, those that were edited with their voxels.
pub(super) struct LevelContent {
    pub level: VolumeLevel,
    /// All buckets, stored or edited, in order.
    pub addresses: Vec<BucketAddress>,
    edited: HashMap<BucketAddress, Arc<VoxelBuffer>>,
}

/// A volume as it is at one moment.
pub(super) struct VolumeContent {
    /// Its mags, finest first.
    pub levels: Vec<LevelContent>,
}

impl LevelContent {
    /// The voxels of a bucket, as they were at that moment.
    ///
    /// # Errors
    /// If the stored bucket or the fallback layer can't be read, or an id doesn't fit the class.
    pub fn read(&self, at: &BucketAddress) -> Result<Arc<VoxelBuffer>, ChunkError> {
        match self.edited.get(at) {
            Some(voxels) => Ok(Arc::clone(voxels)),
            None => Ok(self.level.read_unedited(at)?.0),
        }
    }
}

impl VolumeContent {
    /// All buckets. Edits from now on aren't part of it.
    pub fn of(volume: &VolumeAnnotation) -> Self {
        let levels = volume.levels.iter().zip(volume.snapshot()).map(|(level, edited)| {
            let mut addresses = level.base.stored.as_ref().map(|stored| stored.addresses()).unwrap_or_default();
            addresses.extend(edited.iter().map(|(at, _)| at.clone()));
            addresses.sort_unstable();
            addresses.dedup();
            LevelContent { level: level.clone(), addresses, edited: edited.into_iter().collect() }
        });
        Self { levels: levels.collect() }
    }

    /// Number of buckets in all mags.
    pub fn len(&self) -> u64 {
        self.levels.iter().map(|level| level.addresses.len() as u64).sum()
    }
}
