//! [`Annotation`]: an annotation as it is edited and exported, from its file and the dataset below it.

use super::ids::{is_segment_class, max_segment_id};
use super::volume::{LevelSpec, VolumeAnnotation, VolumeSpec};
use crate::format::annotation::{AnnotationFile, VolumeFile};
use crate::format::nml::{Experiment, NewNml, Nml, NmlVolume};
use crate::format::{ChunkSource, Dataset, Layer};
use crate::geometry::{BoundingBox, Mag, Vec3Int, VoxelSize};
use crate::problem::Problems;
use crate::voxel::ElementClass;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An annotation: what its NML says, and its volumes.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Name for people, and of the files it is exported to.
    pub name: String,
    /// Everything but the volumes' voxels and segments; those of [`Self::volumes`] are the ones that count.
    pub nml: Arc<Nml>,
    /// Volume layers, in the order of [`Nml::volumes`].
    pub volumes: Vec<VolumeAnnotation>,
}

impl Annotation {
    /// The annotation of a file, over the layers of a dataset where that is there. Notes what is left out.
    pub fn of_file(file: &AnnotationFile, dataset: Option<&Dataset>, problems: &mut Problems) -> Self {
        let voxel_size = file.nml.voxel_size.or(dataset.map(|dataset| dataset.voxel_size)).unwrap_or(VoxelSize::VOXELS);
        let volumes = file.volumes.iter().map(|volume| {
            let described = volume.nml_volume.and_then(|index| file.nml.volumes.get(index));
            let fallback = described.and_then(|nml| nml.fallback_layer.as_deref());
            let layer = fallback.and_then(|name| dataset.and_then(|dataset| fallback_of(dataset, name, volume, problems)));
            if let (Some(mapping), Some(_)) = (described.and_then(|nml| nml.mapping_name.as_deref()), layer) {
                problems.warn(&file.name, format!("Volume {}: its mapping {mapping:?} is not applied to the fallback layer", volume.layer));
            }
            let extent = file.nml.task_box.unwrap_or_else(|| dataset.map_or_else(BoundingBox::default, Dataset::bounding_box));
            VolumeAnnotation::new(volume_spec(volume, described, layer, dataset, voxel_size, extent))
        });
        Self { name: file.name.clone(), nml: file.nml.clone(), volumes: volumes.collect() }
    }

    /// A new annotation with one volume over a segmentation of a dataset, or with an empty one.
    ///
    /// Its mags are those of the fallback layer, or all that the dataset's layers have. `edit_position` is a mag-1 voxel,
    /// `time_unix_ms` the present in milliseconds since 1970.
    pub fn new_over(dataset: &Dataset, fallback: Option<&Layer>, edit_position: Vec3Int, time_unix_ms: u64) -> Self {
        let name = fallback.map_or("Volume", |layer| layer.name.as_str());
        let class = fallback.and_then(|layer| layer.voxel_type).map_or(ElementClass::Uint32, |voxel_type| voxel_type.class);
        let volume =
            VolumeFile { layer: name.to_owned(), nml_volume: None, class: Some(class), format: None, axes: Vec::new(), levels: Vec::new() };
        let spec = volume_spec(&volume, None, fallback, Some(dataset), dataset.voxel_size, dataset.bounding_box());
        let new = NewNml {
            experiment: Experiment { name: dataset.name.clone(), ..Experiment::default() },
            voxel_size: Some(dataset.voxel_size),
            edit_position,
            zoom: None,
            time_unix_ms,
        };
        Self { name: format!("{}_annotation", dataset.name), nml: Arc::new(Nml::new(new)), volumes: vec![VolumeAnnotation::new(spec)] }
    }
}

/// The layer that a volume lies over, if it can.
fn fallback_of<'a>(dataset: &'a Dataset, name: &str, volume: &VolumeFile, problems: &mut Problems) -> Option<&'a Layer> {
    let Some(layer) = dataset.layer(name) else {
        let text = format!("Volume {}: dataset {} has no layer {name:?}, its fallback layer", volume.layer, dataset.name);
        problems.error(dataset.path.display(), text);
        return None;
    };
    let fits = layer.voxel_type.is_some_and(|voxel_type| voxel_type.channels == 1 && is_segment_class(voxel_type.class));
    if !fits {
        let has = layer.voxel_type.map_or_else(|| "unknown".to_owned(), |voxel_type| voxel_type.to_string());
        problems.error(dataset.path.display(), format!("Volume {}: layer {name:?} has {has} voxels, which are no segments", volume.layer));
    }
    fits.then_some(layer)
}

fn volume_spec(
    volume: &VolumeFile,
    described: Option<&NmlVolume>,
    fallback: Option<&Layer>,
    dataset: Option<&Dataset>,
    voxel_size: VoxelSize,
    extent: BoundingBox,
) -> VolumeSpec {
    let mut levels: BTreeMap<(i64, [i64; 3]), LevelSpec> = BTreeMap::new();
    let mut level = |mag: Mag, fill: &dyn Fn(&mut LevelSpec)| {
        fill(levels.entry(mag.sort_key()).or_insert_with(|| LevelSpec { mag, stored: None, fallback: None }));
    };
    for (mag, stored) in &volume.levels {
        level(*mag, &|level| level.stored = Some(stored.clone()));
    }
    match (fallback, dataset) {
        (Some(layer), _) => {
            for (mag, source) in readable(layer) {
                level(mag, &|level| {
                    level.fallback.get_or_insert_with(|| source.clone());
                });
            }
        }
        // Without a fallback layer those of the file are all there are; a new volume has the dataset's.
        (None, Some(dataset)) if volume.levels.is_empty() => {
            for (mag, _) in dataset.layers.iter().flat_map(readable) {
                level(mag, &|_| {});
            }
        }
        (None, _) => {}
    }
    if levels.is_empty() {
        levels.insert(Mag::ONE.sort_key(), LevelSpec { mag: Mag::ONE, stored: None, fallback: None });
    }
    let fallback_class = fallback.and_then(|layer| layer.voxel_type).map(|voxel_type| voxel_type.class);
    // A server takes the fallback layer's class whatever the file has.
    let class = fallback_class.or(volume.class).unwrap_or(ElementClass::Uint32);
    let largest = described.and_then(|nml| nml.largest_segment_id).or(fallback.and_then(|layer| layer.largest_segment_id));
    VolumeSpec {
        name: volume.layer.clone(),
        class,
        voxel_size,
        bounding_box: extent,
        axes: volume.axes.clone(),
        fallback_layer: described.map_or_else(|| fallback.map(|layer| layer.name.clone()), |nml| nml.fallback_layer.clone()),
        fallback_box: fallback.map(|layer| layer.bounding_box),
        levels: levels.into_values().collect(),
        segments: described.map_or_else(Vec::new, |nml| nml.segments.clone()),
        segment_groups: described.map_or_else(Vec::new, |nml| nml.segment_groups.clone()),
        // One that the class can't hold says nothing about the ids in use.
        largest_segment_id: largest.filter(|id| *id <= max_segment_id(class)),
        format: volume.format,
    }
}

/// Levels of a layer that can be read, of several with one mag the first.
fn readable(layer: &Layer) -> impl Iterator<Item = (Mag, Arc<dyn ChunkSource>)> {
    layer.levels.iter().filter(|level| level.copy == 1).filter_map(|level| Some((level.mag, level.source.as_ref().ok()?.clone())))
}
