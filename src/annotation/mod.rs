//! Layer 2: the model of a volume annotation, and all painting, as pure synchronous code.
//!
//! A [`VolumeAnnotation`] lies over a fallback layer bucket by bucket: stored buckets hide it, edited buckets hide both.
//! Edited buckets are shared with threads that compose slices; everything else belongs to the one thread that edits.
//! Rules: WEBKNOSSOS's, as `rendering.md` section 7 and `annotation-zip.md` sections 5, 7 and 8 describe them.

mod apply;
mod base;
mod brush;
mod composed;
mod counts;
mod edited;
mod editor;
mod error;
pub mod export;
mod fill;
mod ids;
mod interpolate;
pub mod journal;
mod mask;
mod opened;
mod outline;
#[cfg(test)]
pub(crate) mod test_world;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;
mod undo;
mod volume;
mod voxels;

pub use brush::MAX_AREA_PIXELS;
pub use composed::ComposedSource;
pub use counts::{CountJob, CountResult, VoxelCounts};
pub use edited::{BucketChange, EditedBuckets};
pub use editor::{
    EditOutcome, FILL_SIDE_SLICE, FILL_SIDE_VOLUME, FillExtent, MAX_BRIDGED_SLICES, OverwriteMode, PaintPlace, PaintSettings, VolumeEditor,
};
pub use error::{EditError, EditNote};
pub use ids::{fits_class, is_segment_class, max_segment_id};
pub use opened::{Annotation, AnnotationError, CLASS_WITHOUT_FALLBACK, new_volume};
pub use undo::{DEFAULT_UNDO_BYTES, EditKind, HistoryLine};
pub use volume::{BucketOrigin, LevelSpec, VolumeAnnotation, VolumeLevel, VolumeSpec};
