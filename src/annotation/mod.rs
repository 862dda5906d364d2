//! Layer 2: the model of a volume annotation, and all painting, as pure synchronous code.
//!
//! A [`VolumeAnnotation`] lies over a fallback layer bucket by bucket: stored buckets hide it, edited buckets hide both.
//! Edited buckets are shared with threads that compose slices; everything else belongs to the one thread that edits.
//! Rules: WEBKNOSSOS's, as `rendering.md` section 7 and `annotation-zip.md` sections 5, 7 and 8 describe them.

mod annotation;
mod base;
mod composed;
mod edited;
mod ids;
mod volume;

pub use annotation::Annotation;
pub use composed::ComposedSource;
pub use edited::{BucketChange, EditedBuckets};
pub use ids::{fits_class, is_segment_class, max_segment_id};
pub use volume::{BucketOrigin, LevelSpec, VolumeAnnotation, VolumeLevel, VolumeSpec};
