//! [`History`]: edits that can be undone and redone, bounded by bytes.
//!
//! An entry keeps one side of each bucket that it changed, compressed: what was there before, or, once it is undone, what
//! was there after. Undoing and redoing are the same: swap this side with what is shown.

use super::edited::{BucketChange, EditedBuckets};
use super::error::EditError;
use crate::codec::lz4;
use crate::format::annotation::{BUCKET_SIDE, BucketAddress};
use crate::format::nml::{Segment, SegmentId};
use crate::geometry::Shape3;
use crate::voxel::{VoxelBuffer, VoxelType};
use rayon::prelude::*;
use std::collections::hash_map::Entry as MapEntry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Bytes that the history may take.
pub const DEFAULT_UNDO_BYTES: usize = 128 << 20;

/// What an edit was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Brush.
    Brush,
    /// Brush with id 0.
    Erase,
    /// Lasso, also with id 0.
    Lasso,
    /// Flood fill.
    Fill,
    /// Slices made from others.
    Interpolate,
    /// Box.
    Box,
    /// All voxels of a segment set to 0.
    DeleteVoxels,
    /// A segment with an id of its own, listed; this and what follows change the list only.
    NewSegment,
    /// A segment listed as it is.
    List,
    /// Taken off the list.
    Unlist,
    /// Another name.
    Rename,
    /// Another colour.
    Recolour,
    /// A segment shown again.
    Show,
    /// A segment hidden.
    Hide,
    /// All segments shown.
    ShowAll,
}

/// One edit, for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLine {
    /// What it was.
    pub kind: EditKind,
    /// The segment concerned; 0 for erasing, and for all.
    pub segment: SegmentId,
    /// Voxels that changed in the mag that was painted.
    pub voxels: u64,
    /// Whether it is undone, and can be redone.
    pub is_undone: bool,
}

/// One side of an edited bucket.
#[derive(Debug)]
enum Side {
    /// Not edited.
    Unedited,
    /// These voxels; buckets that share theirs share the block.
    Lz4(Arc<[u8]>),
}

#[derive(Debug)]
struct BucketSide {
    level: usize,
    at: BucketAddress,
    side: Side,
}

/// The other side of a listed segment.
#[derive(Clone, Debug)]
pub(super) struct SegmentSide {
    /// The segment's id.
    pub id: SegmentId,
    /// Where it stands in the list.
    pub index: usize,
    /// The segment; `None` if it isn't listed.
    pub segment: Option<Segment>,
}

/// An edit that is finished, before it goes into the history.
#[derive(Debug)]
pub(super) struct FinishedEdit {
    pub kind: EditKind,
    pub segment: SegmentId,
    pub voxels: u64,
    /// What was edited before; `None` for what wasn't.
    pub before: Vec<BucketChange>,
    pub segments: Vec<SegmentSide>,
}

#[derive(Debug)]
pub(super) struct Entry {
    line: HistoryLine,
    buckets: Vec<BucketSide>,
    /// In the order in which they were made.
    pub segments: Vec<SegmentSide>,
    bytes: usize,
}

/// What swapping an entry changes.
pub(super) struct Swap {
    pub voxels: Vec<BucketChange>,
    /// What they replace.
    pub replaced: Vec<BucketChange>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct History {
    voxel_type: VoxelType,
    done: VecDeque<Entry>,
    /// The one to be redone first is last.
    undone: Vec<Entry>,
    max_bytes: usize,
    bytes: usize,
    is_shortened: bool,
}

impl History {
    pub const fn new(voxel_type: VoxelType, max_bytes: usize) -> Self {
        Self { voxel_type, done: VecDeque::new(), undone: Vec::new(), max_bytes, bytes: 0, is_shortened: false }
    }

    /// Bytes of all entries.
    pub const fn byte_len(&self) -> usize {
        self.bytes
    }

    /// All edits, the oldest first.
    pub fn lines(&self) -> Vec<HistoryLine> {
        let undone = self.undone.iter().rev().map(|entry| HistoryLine { is_undone: true, ..entry.line });
        self.done.iter().map(|entry| entry.line).chain(undone).collect()
    }

    /// Adds an edit; what was undone before can't be redone any more. `true` if, for the first time, old ones had to go.
    pub fn push(&mut self, edit: FinishedEdit) -> bool {
        self.bytes -= self.undone.drain(..).map(|entry| entry.bytes).sum::<usize>();
        let line = HistoryLine { kind: edit.kind, segment: edit.segment, voxels: edit.voxels, is_undone: false };
        let entry = Entry::new(line, encode(&edit.before), edit.segments);
        self.bytes += entry.bytes;
        self.done.push_back(entry);
        self.shorten()
    }

    /// Drops the oldest edits until the rest fits; those that are undone last.
    fn shorten(&mut self) -> bool {
        let mut dropped = false;
        while self.bytes > self.max_bytes
            && let Some(entry) = self.done.pop_front().or_else(|| (!self.undone.is_empty()).then(|| self.undone.remove(0)))
        {
            self.bytes -= entry.bytes;
            dropped = true;
        }
        dropped && !std::mem::replace(&mut self.is_shortened, true)
    }

    /// The edit that is undone (or redone) next, taken out; to be given back to [`Self::put_back`].
    pub fn take(&mut self, redo: bool) -> Option<Entry> {
        let entry = if redo { self.undone.pop() } else { self.done.pop_back() };
        self.bytes -= entry.as_ref().map_or(0, |entry| entry.bytes);
        entry
    }

    /// What an entry makes of the buckets.
    pub fn swap(&self, entry: &Entry, edited: &[Arc<EditedBuckets>]) -> Result<Swap, EditError> {
        let mut swap = Swap { voxels: Vec::new(), replaced: Vec::new() };
        let mut decoded = HashMap::new();
        for bucket in &entry.buckets {
            let (level, at) = (bucket.level, bucket.at.clone());
            let current = edited.get(level).and_then(|edited| edited.get(&at));
            swap.replaced.push(BucketChange { level, at: at.clone(), voxels: current });
            let voxels = match &bucket.side {
                Side::Unedited => None,
                Side::Lz4(block) => Some(match decoded.entry(block.as_ptr()) {
                    MapEntry::Occupied(known) => Arc::clone(known.get()),
                    MapEntry::Vacant(new) => new.insert(self.decode(block)?).clone(),
                }),
            };
            swap.voxels.push(BucketChange { level, at, voxels });
        }
        Ok(swap)
    }

    fn decode(&self, block: &[u8]) -> Result<Arc<VoxelBuffer>, EditError> {
        let shape = Shape3::splat(BUCKET_SIDE);
        let mut bytes = vec![0; shape.byte_len(self.voxel_type.byte_len()).unwrap_or(0)];
        lz4::decode_into(block, &mut bytes).map_err(|err| EditError::Internal(err.to_string()))?;
        let voxels = VoxelBuffer::new(self.voxel_type, shape, bytes).map(Arc::new);
        voxels.ok_or_else(|| EditError::Internal("a bucket changed its length".to_owned()))
    }

    /// Gives back an entry of [`Self::take`], on the side it came from if nothing `was_swapped`, else on the other with
    /// the sides that were replaced. `true` as for [`Self::push`].
    pub fn put_back(&mut self, entry: Entry, redo: bool, was_swapped: Option<(Vec<BucketChange>, Vec<SegmentSide>)>) -> bool {
        let to_done = redo == was_swapped.is_some();
        let entry = match was_swapped {
            Some((replaced, segments)) => Entry::new(entry.line, encode(&replaced), segments),
            None => entry,
        };
        self.bytes += entry.bytes;
        if to_done {
            self.done.push_back(entry)
        } else {
            self.undone.push(entry)
        }
        self.shorten()
    }
}

impl Entry {
    fn new(line: HistoryLine, buckets: Vec<BucketSide>, segments: Vec<SegmentSide>) -> Self {
        let mut seen = HashSet::new();
        let blocks = buckets.iter().filter_map(|bucket| match &bucket.side {
            Side::Unedited => None,
            Side::Lz4(block) => seen.insert(block.as_ptr()).then_some(block.len()),
        });
        let bytes =
            blocks.sum::<usize>() + buckets.len() * size_of::<BucketSide>() + segments.len() * size_of::<SegmentSide>() + size_of::<Self>();
        Self { line, buckets, segments, bytes }
    }

    /// What the edit was.
    pub const fn line(&self) -> HistoryLine {
        self.line
    }
}

fn encode(sides: &[BucketChange]) -> Vec<BucketSide> {
    let mut distinct: Vec<&Arc<VoxelBuffer>> = sides.iter().filter_map(|change| change.voxels.as_ref()).collect();
    distinct.sort_unstable_by_key(|voxels| Arc::as_ptr(voxels));
    distinct.dedup_by_key(|voxels| Arc::as_ptr(voxels));
    let block = |voxels: &&Arc<VoxelBuffer>| (Arc::as_ptr(voxels) as usize, Arc::<[u8]>::from(lz4::encode(voxels.bytes())));
    // For a few buckets handing out the work takes longer.
    let blocks: HashMap<usize, Arc<[u8]>> =
        if distinct.len() < 8 { distinct.iter().map(block).collect() } else { distinct.par_iter().map(block).collect() };
    let side = |change: &BucketChange| {
        let block = change.voxels.as_ref().and_then(|voxels| blocks.get(&(Arc::as_ptr(voxels) as usize)));
        block.map_or(Side::Unedited, |block| Side::Lz4(block.clone()))
    };
    sides.iter().map(|change| BucketSide { level: change.level, at: change.at.clone(), side: side(change) }).collect()
}
