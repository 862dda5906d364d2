//! [`Touched`]: which buckets changed by which edit. [`Changes`]: what of an annotation changed since one of them.

use crate::annotation::edited::BucketChange;
use crate::annotation::editor::EditOutcome;
use crate::annotation::opened::listed;
use crate::annotation::volume::{VolumeAnnotation, VolumeLevel};
use crate::format::annotation::BucketAddress;
use crate::format::nml::NmlVolume;
use std::collections::HashMap;

/// What saved edits lie over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The annotation as it was opened: a bucket whose edits are undone is as it is there.
    Opened,
    /// What was exported since, which has edits of its own.
    Exported,
}

/// By which edit of the annotation the buckets of a volume and its list of segments changed last.
#[derive(Debug)]
pub struct Touched {
    buckets: HashMap<(usize, BucketAddress), u64>,
    list: u64,
}

impl Touched {
    /// All that is edited already changed by this edit; 0 if nothing is.
    pub fn new(volume: &VolumeAnnotation, edit: u64) -> Self {
        let levels = volume.levels.iter().enumerate();
        let buckets = levels.flat_map(|(level, edits)| edits.edited.addresses().into_iter().map(move |at| ((level, at), edit)));
        Self { buckets: buckets.collect(), list: edit }
    }

    /// Notes what an edit did.
    pub fn note(&mut self, outcome: &EditOutcome, edit: u64) {
        for (level, touched) in outcome.touched.iter().enumerate() {
            self.buckets.extend(touched.iter().map(|at| ((level, at.clone()), edit)));
        }
        if outcome.segments_changed {
            self.list = edit;
        }
    }

    /// What changed after an edit, as it is now.
    pub fn since(&self, edit: u64, volume: &VolumeAnnotation, base: Base) -> VolumeChanges {
        let mut changed: Vec<&(usize, BucketAddress)> =
            self.buckets.iter().filter(|(_, changed)| **changed > edit).map(|(bucket, _)| bucket).collect();
        changed.sort_unstable();
        let change = |(level, at): &(usize, BucketAddress)| {
            let voxels = volume.levels.get(*level).and_then(|level| level.edited.get(at));
            BucketChange { level: *level, at: at.clone(), voxels }
        };
        VolumeChanges {
            buckets: changed.into_iter().map(change).collect(),
            list: (self.list > edit).then(|| listed(volume)),
            levels: volume.levels.clone(),
            base,
        }
    }
}

/// What changed of an annotation since one of its edits: its volumes, in their order.
#[derive(Clone, Debug, Default)]
pub struct Changes(pub Vec<VolumeChanges>);

/// What changed of one volume. Later edits are no part of it.
#[derive(Clone, Debug)]
pub struct VolumeChanges {
    pub(super) buckets: Vec<BucketChange>,
    /// Segments, groups and the highest id; `None` if they are as before.
    pub(super) list: Option<NmlVolume>,
    pub(super) levels: Vec<VolumeLevel>,
    pub(super) base: Base,
}
