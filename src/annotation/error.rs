//! [`EditError`]: why something can't be painted; [`EditNote`]: what is worth saying about what was painted.

use super::ids::max_segment_id;
use crate::format::ChunkError;
use crate::format::nml::SegmentId;
use crate::geometry::BoundingBox;
use crate::text;
use crate::voxel::ElementClass;
use std::fmt;

/// Why an edit was refused. Nothing has changed then.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EditError {
    /// A bucket that the annotation doesn't have would need the content of a layer whose dataset isn't there.
    #[error("a new chunk needs the voxels of fallback layer {layer:?}, and its dataset isn't open")]
    NoFallback {
        /// Name of the layer.
        layer: String,
    },
    /// The class can't hold the id.
    #[error("segment {id} doesn't fit {class}, whose highest id is {}", max_segment_id(*.class))]
    IdTooLarge {
        /// The id.
        id: SegmentId,
        /// Class of the annotation's voxels.
        class: ElementClass,
    },
    /// Id 0 is the background and no segment.
    #[error("0 is the background, not a segment")]
    Background,
    /// No id is left.
    #[error("no segment id is left: {class} ends at {}", max_segment_id(*.class))]
    IdsExhausted {
        /// Class of the annotation's voxels.
        class: ElementClass,
    },
    /// Nothing says which ids are in use.
    #[error("the highest segment id in use isn't known")]
    LargestIdUnknown,
    /// Everything lies outside of the volume's bounding box.
    #[error("outside of the volume's bounding box")]
    OutsideBox,
    /// A bucket can't be read.
    #[error("can't read what is painted over: {0}")]
    ReadFailed(#[from] ChunkError),
    /// A shape covers too much of a slice.
    #[error("an area of {} pixels is more than the {} that can be painted at once", text::count(*.pixels), text::count(*.most))]
    AreaTooLarge {
        /// Pixels, saturated.
        pixels: u64,
        /// The limit.
        most: u64,
    },
    /// An edit would change too many buckets.
    #[error("the edit needs {} chunks or {} bytes, more than can be changed at once", text::count(*.buckets), text::count(*.bytes))]
    TooLarge {
        /// Buckets, saturated.
        buckets: u64,
        /// Bytes of new voxels so far.
        bytes: u64,
    },
    /// The slices of an interpolation are too far apart, or the same.
    #[error("the slices are {slices} apart: at least 2 and at most {most} can be bridged")]
    SlicesApart {
        /// Their distance in slices of the mag.
        slices: u64,
        /// The limit.
        most: u64,
    },
    /// The segment isn't labelled in a slice that is needed.
    #[error("segment {id} isn't in the slice")]
    NothingLabelled {
        /// The segment.
        id: SegmentId,
    },
    /// The shapes of two slices are too far from each other.
    #[error("nothing lies between the shapes of both slices: they don't overlap")]
    NothingBetween,
    /// The annotation has no such level.
    #[error("the annotation has no level {level}")]
    NoLevel {
        /// Its number.
        level: usize,
    },
    /// Another number of positions than the annotation has further axes.
    #[error("{found} positions along further axes, expected {expected}")]
    WrongAxes {
        /// Axes of the annotation.
        expected: usize,
        /// Positions given.
        found: usize,
    },
    /// Nothing to undo or redo.
    #[error("nothing to {0}")]
    NothingTo(&'static str),
    /// A stroke is being painted, or none is.
    #[error("{0}")]
    Stroke(&'static str),
    /// The caller cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// Our fault.
    #[error("internal error: {0}")]
    Internal(String),
}

/// What is worth saying about an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditNote {
    /// The fill stopped at the end of its window.
    LimitHit {
        /// The window in mag-1 voxels.
        window: BoundingBox,
    },
    /// A part, or all of it, was outside of the volume's bounding box and isn't painted.
    Clipped,
    /// The stroke meets its start, but what it encloses is too large to be filled.
    EnclosedTooLarge {
        /// Pixels of the rectangle around it.
        pixels: u64,
        /// The limit.
        most: u64,
    },
    /// The stroke meets its start, but what it encloses couldn't be filled.
    EnclosedNotFilled {
        /// Why.
        reason: String,
    },
    /// The voxel that was clicked has the segment's id already.
    SameSegment,
    /// The oldest edits can't be undone any more. Said once.
    UndoShortened,
}

impl fmt::Display for EditNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LimitHit { window } => write!(f, "The fill stopped at its limit, {} voxels around the click", window.shape),
            Self::Clipped => f.write_str("What is outside of the volume's bounding box isn't painted"),
            Self::EnclosedTooLarge { pixels, most } => {
                let (pixels, most) = (text::count(*pixels), text::count(*most));
                write!(f, "The enclosed area isn't filled: {pixels} pixels are more than {most}")
            }
            Self::EnclosedNotFilled { reason } => write!(f, "The enclosed area isn't filled: {reason}"),
            Self::SameSegment => f.write_str("The voxel belongs to the segment already"),
            Self::UndoShortened => f.write_str("The oldest edits can't be undone any more: their memory is needed for newer ones"),
        }
    }
}
