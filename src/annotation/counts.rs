//! [`SegmentCounts`]: how many voxels each segment has in the annotation's own buckets, in its finest mag.
//!
//! The buckets of a large file take a while to read: [`CountJob`] does it on a task's thread, from the state of one
//! moment, while edits go on; what they change is added to its result.

use super::ids::for_each_id;
use super::volume::VolumeLevel;
use crate::format::ChunkError;
use crate::format::annotation::BucketAddress;
use crate::format::nml::SegmentId;
use crate::voxel::VoxelBuffer;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Voxels by segment; the background isn't counted.
pub type VoxelCounts = HashMap<SegmentId, u64>;

/// What a scan found.
#[derive(Clone, Debug)]
pub struct CountResult {
    counts: VoxelCounts,
    /// Buckets that couldn't be read: nothing of them is counted.
    unreadable: HashSet<BucketAddress>,
    first_error: Option<ChunkError>,
    job: u64,
}

impl CountResult {
    /// How many buckets couldn't be read, and why the first of them couldn't.
    pub fn unreadable(&self) -> Option<(usize, &ChunkError)> {
        self.first_error.as_ref().map(|error| (self.unreadable.len(), error))
    }
}

/// The counting of all own buckets of one moment. Can be sent to another thread.
pub struct CountJob {
    level: VolumeLevel,
    edited: HashMap<BucketAddress, Arc<VoxelBuffer>>,
    job: u64,
}

impl CountJob {
    /// Counts what can be read. `progress` is told how many of how many buckets are counted, and returns whether to go on;
    /// `None` if not.
    pub fn run(&self, mut progress: impl FnMut(usize, usize) -> bool) -> Option<CountResult> {
        let mut buckets = self.level.base.stored.as_ref().map(|stored| stored.addresses()).unwrap_or_default();
        buckets.extend(self.edited.keys().cloned());
        buckets.sort_unstable();
        buckets.dedup();
        let mut result = CountResult { counts: VoxelCounts::new(), unreadable: HashSet::new(), first_error: None, job: self.job };
        for (done, at) in buckets.iter().enumerate() {
            if !progress(done, buckets.len()) {
                return None;
            }
            let voxels = match self.edited.get(at) {
                Some(voxels) => voxels.clone(),
                None => match self.level.read_unedited(at) {
                    Ok((voxels, _)) => voxels,
                    Err(error) => {
                        result.unreadable.insert(at.clone());
                        result.first_error.get_or_insert(error);
                        continue;
                    }
                },
            };
            for_each_count(&voxels, |id, count| *result.counts.entry(id).or_default() += count);
        }
        progress(buckets.len(), buckets.len());
        Some(result)
    }
}

/// Calls `f` with each run of equal ids but 0 and its length.
fn for_each_count(voxels: &VoxelBuffer, mut f: impl FnMut(SegmentId, u64)) {
    let (mut run, mut len) = (0, 0);
    for_each_id(voxels.voxel_type().class, voxels.bytes(), |id| {
        if id != run {
            if run != 0 {
                f(run, len);
            }
            (run, len) = (id, 0);
        }
        len += 1;
    });
    if run != 0 {
        f(run, len);
    }
}

/// The counts as far as they are known.
#[derive(Debug, Default)]
pub(super) struct SegmentCounts {
    scanned: Option<VoxelCounts>,
    /// Buckets of which the scan counted nothing.
    unreadable: HashSet<BucketAddress>,
    /// What edits changed since the last job began; `None` if that isn't known.
    since: Option<HashMap<SegmentId, i64>>,
    job: u64,
}

impl SegmentCounts {
    /// A job for the buckets as they are now.
    pub fn begin(&mut self, level: &VolumeLevel) -> CountJob {
        self.job += 1;
        (self.scanned, self.unreadable) = (None, HashSet::new());
        self.since = Some(HashMap::new());
        CountJob { level: level.clone(), edited: level.edited.snapshot().into_iter().collect(), job: self.job }
    }

    /// Takes the result of the job that was begun last; others are left.
    pub fn finish(&mut self, result: CountResult) {
        if result.job == self.job && self.since.is_some() {
            (self.scanned, self.unreadable) = (Some(result.counts), result.unreadable);
        }
    }

    /// The counts of now; `None` until a job is finished.
    pub fn get(&self) -> Option<VoxelCounts> {
        let mut counts = self.scanned.clone()?;
        for (id, change) in self.since.iter().flatten() {
            let count = counts.entry(*id).or_default();
            *count = count.saturating_add_signed(*change);
        }
        counts.retain(|_, count| *count > 0);
        Some(counts)
    }

    /// Stored buckets of which nothing is counted, as they couldn't be read.
    pub const fn unreadable(&self) -> &HashSet<BucketAddress> {
        &self.unreadable
    }

    /// Whether edits have to be told.
    pub const fn is_counting(&self) -> bool {
        self.since.is_some()
    }

    /// An own bucket becomes another; `None` for one that the annotation doesn't have.
    pub fn bucket_changes(&mut self, before: Option<&VoxelBuffer>, after: Option<&VoxelBuffer>) {
        let Some(since) = &mut self.since else { return };
        let mut add = |voxels: &VoxelBuffer, sign: i64| {
            for_each_count(voxels, |id, count| *since.entry(id).or_default() += sign * count.cast_signed());
        };
        if let Some(before) = before {
            add(before, -1);
        }
        if let Some(after) = after {
            add(after, 1);
        }
    }

    /// Forgets the counts: a bucket that an edit replaced couldn't be read.
    pub fn forget(&mut self) {
        (self.scanned, self.since, self.unreadable) = (None, None, HashSet::new());
    }
}
