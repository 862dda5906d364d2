//! Volumes whose data zip has another layout than the server's: read as the dataset that they are.

use super::buckets::BucketStore;
use super::chunk_buckets::ChunkBuckets;
use super::place::is_annotation_folder;
use super::volume::{FoundLevel, FoundVolume};
use crate::format::nml::VolumeFormat;
use crate::format::{DataFormat, LayerCategory, OpenError, open};
use crate::storage::{FolderOpener, Storage, StorageError};
use std::path::Path;
use std::sync::Arc;

/// Entries at the top of a data zip that are looked at.
const MAX_ENTRIES: usize = 4096;

/// Opens the first segmentation (else the first layer) of what a storage holds; `path` leads to it.
///
/// # Errors
/// If nothing in it can be opened.
pub(super) fn open_general(storage: Arc<dyn Storage>, path: &Path) -> Result<FoundVolume, OpenError> {
    let entries = storage.list("", MAX_ENTRIES).ok().flatten().unwrap_or_default();
    if is_annotation_folder(&entries) {
        // An archive can be made that holds itself.
        let reason = "an annotation where a volume's data are expected".to_owned();
        let source = StorageError::Archive { reason, location: storage.location("") };
        return Err(OpenError::Storage { path: path.to_owned(), source });
    }
    let dataset = open(&FolderOpener::new(path, storage), path)?;
    let mut found = FoundVolume { problems: dataset.problems, ..FoundVolume::default() };
    let first = dataset.layers.iter().position(|layer| layer.category == LayerCategory::Segmentation).unwrap_or(0);
    if dataset.layers.len() > 1 {
        found.problems.error(path.display(), "The data zip holds several layers, one of them is shown");
    }
    let Some(layer) = dataset.layers.into_iter().nth(first) else { return Ok(found) };
    found.format = Some(if layer.format == DataFormat::Wkw { VolumeFormat::Wkw } else { VolumeFormat::Zarr3 });
    found.class = layer.voxel_type.map(|voxel_type| voxel_type.class);
    found.extent = layer.bounding_box;
    found.axes = layer.axes;
    for level in layer.levels {
        let store = level.source.as_ref().ok().map(|source| Arc::new(ChunkBuckets::new(source, &found.axes)) as Arc<dyn BucketStore>);
        let folder = level.path.strip_prefix(path).unwrap_or(&level.path).display().to_string();
        found.levels.push(FoundLevel { mag: level.mag, folder, source: level.source, store });
    }
    Ok(found)
}
