//! Annotation files: an NML and one data zip per volume layer. Specification: `annotation-zip.md`.
//!
//! An opened annotation is a [`Dataset`](super::Dataset) whose layers are its volumes, and an [`AnnotationFile`] with the rest.

mod buckets;
mod file;

pub use buckets::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress, BucketStore, MemoryBuckets};
pub use file::{AnnotationFile, VolumeFile};
