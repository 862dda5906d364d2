//! The [`Dataset`] of an opened annotation.

use super::file::{AnnotationFile, Attachment, VolumeFile};
use super::place::{Place, stem_of};
use super::report::report;
use super::volume::FoundVolume;
use crate::format::nml::{Nml, VolumeFormat};
use crate::format::{DataFormat, Dataset, HeaderReport, Layer, LayerCategory, LayerConfiguration, MagLevel, ViewConfiguration};
use crate::geometry::VoxelSize;
use crate::problem::Problems;
use crate::text::UniqueNames;
use crate::voxel::VoxelType;
use std::path::PathBuf;
use std::sync::Arc;

/// What an annotation is put together from.
#[derive(Default)]
pub(super) struct Parts {
    /// What was opened; `None` for the place itself.
    pub path: Option<PathBuf>,
    /// Name for people; empty for that of the place.
    pub name: String,
    pub nml: Nml,
    /// Where the NML lies, if there is one.
    pub nml_location: Option<String>,
    pub volumes: Vec<VolumePart>,
    pub attachments: Vec<Attachment>,
    pub problems: Problems,
}

/// A volume with its data.
pub(super) struct VolumePart {
    pub name: String,
    /// Index in the NML.
    pub nml_volume: Option<usize>,
    /// What leads to its data.
    pub path: PathBuf,
    pub found: FoundVolume,
}

impl VolumePart {
    /// The volume of a data zip without an NML.
    pub fn alone(place: &Place, found: FoundVolume) -> Self {
        Self { name: "Volume".to_owned(), nml_volume: None, path: place.path.clone(), found }
    }
}

/// Makes the dataset: one layer per volume.
pub(super) fn dataset_of(place: &Place, parts: Parts) -> Dataset {
    let Parts { path, name, nml, nml_location, volumes, attachments, mut problems } = parts;
    let path = path.unwrap_or_else(|| place.path.clone());
    let place_name = place.path.file_name().map_or_else(|| "annotation".to_owned(), |name| name.to_string_lossy().into_owned());
    let name = if name.is_empty() { stem_of(&place_name).to_owned() } else { name };
    let mut layers: Vec<Layer> = Vec::new();
    let mut files = Vec::new();
    let mut names = UniqueNames::default();
    for volume in volumes {
        let (layer, file) = layer_of(volume, &nml, &mut names, &mut problems);
        layers.push(layer);
        files.push(file);
    }
    let header = match &nml_location {
        Some(location) => report(&nml, &files, location),
        None => HeaderReport::default(),
    };
    let view = ViewConfiguration { position: nml.edit_position, zoom: nml.zoom };
    Dataset {
        path,
        format: layers.first().map_or(DataFormat::Wkw, |layer| layer.format),
        voxel_size: nml.voxel_size.unwrap_or(VoxelSize::VOXELS),
        layers,
        header,
        view,
        focus: None,
        annotation: Some(Arc::new(AnnotationFile { name: name.clone(), nml: Arc::new(nml), volumes: files, attachments })),
        name,
        problems,
    }
}

/// What is told where a volume is shown without the layer that it lies over.
pub fn layer_left_out(volume: &str, fallback: &str) -> String {
    format!("Volume {volume:?} lies over the layer {fallback:?} of its dataset, which is not shown with it")
}

fn layer_of(volume: VolumePart, nml: &Nml, names: &mut UniqueNames, problems: &mut Problems) -> (Layer, VolumeFile) {
    let VolumePart { name: wanted, nml_volume, path, found } = volume;
    let name = names.take(&wanted, |n| format!("{wanted} ({n})"));
    if name != wanted {
        problems.info(path.display(), format!("Another volume is called {wanted:?}, this one is shown as {name:?}"));
    }
    problems.extend(found.problems);
    let entry = nml_volume.and_then(|at| nml.volumes.get(at));
    if let Some(fallback) = entry.and_then(|volume| volume.fallback_layer.as_ref()) {
        problems.info(path.display(), layer_left_out(&name, fallback));
    }
    if let Some(mapping) = entry.and_then(|volume| volume.mapping_name.as_ref()) {
        problems.info(path.display(), format!("Volume {name:?} was made with the mapping {mapping:?} of its fallback layer"));
    }
    let mut levels = Vec::new();
    let mut stores = Vec::new();
    for level in found.levels {
        stores.extend(level.store.map(|store| (level.mag, store)));
        levels.push(MagLevel { mag: level.mag, copy: 1, path: path.join(level.folder), source: level.source });
    }
    let (bounding_box, has_declared_box) = match nml.task_box {
        Some(task) if found.extent.is_empty() => (task, true),
        Some(_) | None => (found.extent, false),
    };
    let file = VolumeFile {
        layer: name.clone(),
        nml_volume,
        class: found.class,
        format: found.format,
        is_plain_zarr: found.is_plain_zarr,
        axes: found.axes.iter().map(|axis| axis.name.clone()).collect(),
        levels: stores,
    };
    let layer = Layer {
        name,
        category: LayerCategory::Segmentation,
        format: match found.format {
            Some(VolumeFormat::Zarr3) => DataFormat::Zarr3,
            Some(VolumeFormat::Wkw) | None => DataFormat::Wkw,
        },
        voxel_type: found.class.map(VoxelType::single),
        bounding_box,
        has_declared_box,
        largest_segment_id: entry.and_then(|volume| volume.largest_segment_id),
        levels,
        axes: found.axes,
        segment_colors: Arc::default(),
        configuration: LayerConfiguration::default(),
    };
    (layer, file)
}
