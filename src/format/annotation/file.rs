//! [`AnnotationFile`]: what an opened annotation has besides the layers of its [`Dataset`](crate::format::Dataset).

use super::buckets::BucketStore;
use crate::format::nml::{Nml, VolumeFormat};
use crate::geometry::Mag;
use crate::storage::{Storage, StorageError, StorageKey};
use crate::voxel::ElementClass;
use std::sync::Arc;
use std::{fmt, io};

/// An opened annotation.
#[derive(Debug)]
pub struct AnnotationFile {
    /// Name for people: that of the file without its ending.
    pub name: String,
    /// The NML; an empty one for a data zip that was opened alone.
    pub nml: Arc<Nml>,
    /// Volume layers, in the order of [`Nml::volumes`] (a data zip alone: one).
    pub volumes: Vec<VolumeFile>,
    /// What the NML names besides.
    pub attachments: Vec<Attachment>,
}

/// A file that belongs to an annotation and is only carried along: the edges of a mapping that was edited.
#[derive(Clone)]
pub struct Attachment {
    /// Its name in the archive, as the NML says it.
    pub name: String,
    pub(super) storage: Arc<dyn Storage>,
    pub(super) key: StorageKey,
}

impl Attachment {
    /// Its length in bytes.
    ///
    /// # Errors
    /// If it can't be examined.
    pub fn byte_len(&self) -> Result<u64, StorageError> {
        Ok(self.storage.len(&self.key)?.unwrap_or(0))
    }

    /// Its bytes. Damage shows as an error while they are read.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn stream(&self) -> Result<Box<dyn io::Read + Send + '_>, StorageError> {
        Ok(self.storage.stream(&self.key)?.unwrap_or_else(|| Box::new(io::empty())))
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Attachment").field(&self.name).finish()
    }
}

/// The stored voxels of one volume layer.
#[derive(Clone)]
pub struct VolumeFile {
    /// Name of its layer in the dataset, unique.
    pub layer: String,
    /// Index in [`Nml::volumes`]; `None` for a data zip without an NML.
    pub nml_volume: Option<usize>,
    /// Class of its voxels by its headers; `None` where nothing says it (no data, no header).
    pub class: Option<ElementClass>,
    /// How its buckets are stored; `None` without data.
    pub format: Option<VolumeFormat>,
    /// Whether its Zarr metadata keep to the specification, for other programs than servers.
    pub is_plain_zarr: bool,
    /// Names of the axes beyond x, y, z, in the order of [`BucketAddress::axes`](super::BucketAddress::axes).
    pub axes: Vec<String>,
    /// Mags with a header or buckets, finest first.
    pub levels: Vec<(Mag, Arc<dyn BucketStore>)>,
}

impl fmt::Debug for VolumeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mags: Vec<_> = self.levels.iter().map(|(mag, _)| mag.to_string()).collect();
        f.debug_struct("VolumeFile").field("layer", &self.layer).field("class", &self.class).field("mags", &mags).finish_non_exhaustive()
    }
}
