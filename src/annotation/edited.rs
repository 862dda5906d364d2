//! [`EditedBuckets`]: the buckets that were changed since the annotation was opened.
//!
//! The thread that edits publishes, threads that compose slices read. The edits of all mags lie behind one lock, so that
//! what one action changed appears at once in all of them.

use crate::format::annotation::BucketAddress;
use crate::voxel::VoxelBuffer;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A bucket of one mag as it becomes.
#[derive(Clone, Debug)]
pub struct BucketChange {
    /// Number of the level.
    pub level: usize,
    /// The bucket.
    pub at: BucketAddress,
    /// Its voxels; `None` to show again what is stored, or the fallback layer.
    pub voxels: Option<Arc<VoxelBuffer>>,
}

#[derive(Default)]
struct LevelEdits {
    buckets: HashMap<BucketAddress, Arc<VoxelBuffer>>,
    changes: u64,
}

type AllLevels = RwLock<Vec<LevelEdits>>;

/// The edited buckets of one mag.
pub struct EditedBuckets {
    levels: Arc<AllLevels>,
    level: usize,
}

impl fmt::Debug for EditedBuckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditedBuckets").field("level", &self.level).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl EditedBuckets {
    /// Without edits, one for each of `count` levels.
    pub(super) fn for_levels(count: usize) -> Vec<Arc<Self>> {
        let levels: Arc<AllLevels> = Arc::new(RwLock::new((0..count).map(|_| LevelEdits::default()).collect()));
        (0..count).map(|level| Arc::new(Self { levels: levels.clone(), level })).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<LevelEdits>> {
        self.levels.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The voxels of a bucket, if it was edited.
    pub fn get(&self, at: &BucketAddress) -> Option<Arc<VoxelBuffer>> {
        self.read()[self.level].buckets.get(at).cloned()
    }

    /// Whether a bucket was edited.
    pub fn contains(&self, at: &BucketAddress) -> bool {
        self.read()[self.level].buckets.contains_key(at)
    }

    /// All edited buckets, in the order of [`BucketAddress`].
    pub fn addresses(&self) -> Vec<BucketAddress> {
        let mut all: Vec<_> = self.read()[self.level].buckets.keys().cloned().collect();
        all.sort_unstable();
        all
    }

    /// Number of edited buckets.
    pub fn len(&self) -> usize {
        self.read()[self.level].buckets.len()
    }

    /// Whether nothing was edited.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the voxels take; buckets that share their voxels count once.
    pub fn byte_len(&self) -> usize {
        let levels = self.read();
        let mut seen = HashSet::new();
        let distinct = levels[self.level].buckets.values().filter(|voxels| seen.insert(Arc::as_ptr(voxels)));
        distinct.map(|voxels| voxels.bytes().len()).sum()
    }

    /// How often the buckets of this level changed; the same number means the same buckets.
    pub fn change_count(&self) -> u64 {
        self.read()[self.level].changes
    }

    /// All edited buckets with their voxels, in the order of [`BucketAddress`]. Later edits don't change it.
    pub fn snapshot(&self) -> Vec<(BucketAddress, Arc<VoxelBuffer>)> {
        sorted(&self.read()[self.level])
    }

    /// The [`Self::snapshot`] of each level, all of one moment.
    pub(super) fn snapshot_levels(&self) -> Vec<Vec<(BucketAddress, Arc<VoxelBuffer>)>> {
        self.read().iter().map(sorted).collect()
    }

    /// Makes changes of any levels visible, all at once. Levels that there aren't are left out.
    pub(super) fn publish(&self, changes: impl IntoIterator<Item = BucketChange>) {
        let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
        // Old voxels may be the last of their kind: they are freed after the lock.
        let mut replaced = Vec::new();
        let mut changed = vec![false; levels.len()];
        for change in changes {
            let Some(level) = levels.get_mut(change.level) else { continue };
            changed[change.level] = true;
            replaced.push(match change.voxels {
                Some(voxels) => level.buckets.insert(change.at, voxels),
                None => level.buckets.remove(&change.at),
            });
        }
        for (level, _) in levels.iter_mut().zip(changed).filter(|(_, changed)| *changed) {
            level.changes += 1;
        }
        drop(levels);
        drop(replaced);
    }
}

fn sorted(level: &LevelEdits) -> Vec<(BucketAddress, Arc<VoxelBuffer>)> {
    let mut all: Vec<_> = level.buckets.iter().map(|(at, voxels)| (at.clone(), voxels.clone())).collect();
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    all
}
