//! Annotation files: an NML and one data zip per volume layer. Specification: `annotation-zip.md`.
//!
//! An opened annotation is a [`Dataset`](super::Dataset) whose layers are its volumes, and an [`AnnotationFile`] with the rest.

mod bucket_names;
mod bucket_source;
mod buckets;
mod chunk_buckets;
mod dataset;
mod file;
mod general;
mod open;
mod place;
mod report;
mod volume;
mod volume_axes;
mod volume_headers;

pub use buckets::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress, BucketStore, MemoryBuckets, bucket_box, extent_with, painted_box};
pub use dataset::layer_left_out;
pub use file::{AnnotationFile, Attachment, VolumeFile};
pub(in crate::format) use open::{is_nml, open_archive, open_folder, open_nml};
pub(in crate::format) use place::{is_annotation_folder, is_zip_name};
