//! [`Annotation`]: an opened annotation as a whole, with its volumes over a dataset's layers.

use super::ids::{id_text, is_segment_class, max_segment_id};
use super::volume::{LevelSpec, VolumeAnnotation, VolumeSpec};
use crate::format::annotation::{AnnotationFile, Attachment, VolumeFile};
use crate::format::nml::{Nml, NmlVolume, Segment, SegmentId, XmlElement};
use crate::format::{ChunkSource, Dataset, Layer};
use crate::geometry::{BoundingBox, Mag, VoxelSize};
use crate::problem::Problems;
use crate::text::UniqueNames;
use crate::voxel::ElementClass;
use std::sync::Arc;

/// Class of the voxels where there is neither a fallback layer nor data: servers take it for every such volume.
pub const CLASS_WITHOUT_FALLBACK: ElementClass = ElementClass::Uint32;

/// An annotation: what its NML says, and its volumes as they are now.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Name for people; the NML's file name in an archive.
    pub name: String,
    /// Its NML. Of [`Nml::volumes`] those with a volume here are what was read: segments and highest ids may have changed.
    pub nml: Arc<Nml>,
    /// Its volumes, in the order of [`Nml::volumes`]; further ones are new.
    pub volumes: Vec<VolumeAnnotation>,
    /// Further files, carried along.
    pub attachments: Vec<Attachment>,
}

/// Why an annotation can't be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnnotationError {
    /// Voxels that are no ids.
    #[error("volume {volume} has {class} voxels, which are no segment ids")]
    Class {
        /// Name of the volume.
        volume: String,
        /// Their class.
        class: ElementClass,
    },
}

impl Annotation {
    /// Puts an annotation over the dataset that it belongs to, if that is there. What is missing is listed.
    ///
    /// # Errors
    /// If a volume can't be an annotation.
    pub fn open(file: &AnnotationFile, dataset: Option<&Dataset>, problems: &mut Problems) -> Result<Self, AnnotationError> {
        let volume = |volume: &VolumeFile| open_volume(file, volume, dataset, problems);
        let volumes = file.volumes.iter().map(volume).collect::<Result<_, _>>()?;
        Ok(Self { name: file.name.clone(), nml: file.nml.clone(), volumes, attachments: file.attachments.clone() })
    }

    /// The NML's volumes as they are now: those that were read with their changes, and the new ones.
    pub fn nml_volumes(&self) -> Vec<NmlVolume> {
        let mut layers = UniqueNames::default();
        self.volumes.iter().enumerate().map(|(i, volume)| nml_volume(volume, self.nml.volumes.get(i), i, &mut layers)).collect()
    }
}

fn open_volume(
    file: &AnnotationFile,
    volume: &VolumeFile,
    dataset: Option<&Dataset>,
    problems: &mut Problems,
) -> Result<VolumeAnnotation, AnnotationError> {
    let told = volume.nml_volume.and_then(|at| file.nml.volumes.get(at));
    let place = || format!("{}, volume {}", file.name, volume.layer);
    let fallback_layer = told.and_then(|told| told.fallback_layer.clone());
    let fallback = fallback_layer.as_ref().zip(dataset).and_then(|(name, dataset)| {
        let found = dataset.layer(name).filter(|layer| layer.voxel_type.is_none_or(|voxels| is_segment_class(voxels.class)));
        if found.is_none() {
            problems.warn(place(), format!("{} has no layer {name} of segment ids, which the annotation lies over", dataset.name));
        }
        // A mag that can't be read isn't one that the layer lacks: buckets made over it would erase what is there.
        let is_wanted = |mag: Mag| volume.levels.is_empty() || volume.levels.iter().any(|(own, _)| *own == mag);
        let broken = found.and_then(|layer| layer.levels.iter().find(|level| level.source.is_err() && is_wanted(level.mag)));
        if let Some(level) = broken {
            problems.warn(place(), format!("the layer {name} can't be used below the annotation: its mag {} can't be read", level.mag));
        }
        found.filter(|_| broken.is_none())
    });
    if let Some(mapping) = told.and_then(|told| told.mapping_name.as_ref()) {
        problems.warn(place(), format!("the mapping {mapping} isn't applied: ids of the fallback layer are shown as they are stored"));
    }
    let fallback_class = fallback.and_then(|layer| layer.voxel_type).map(|voxels| voxels.class);
    let class = fallback_class.or(volume.class).unwrap_or(CLASS_WITHOUT_FALLBACK);
    if let Some(class) = [Some(class), volume.class].into_iter().flatten().find(|class| !is_segment_class(*class)) {
        return Err(AnnotationError::Class { volume: volume.layer.clone(), class });
    }
    let bounding_box = file.nml.task_box.or(fallback.map(|layer| layer.bounding_box)).or(dataset.map(Dataset::bounding_box));
    let voxel_size = dataset.map(|dataset| dataset.voxel_size).or(file.nml.voxel_size).unwrap_or(VoxelSize::VOXELS);
    // Without buckets that tell its axes a volume has those of what lies below.
    let has_buckets = !volume.axes.is_empty() || volume.levels.iter().any(|(_, stored)| !stored.addresses().is_empty());
    let fallback_axes = axis_names(fallback);
    let mut spec = VolumeSpec {
        levels: levels(volume, fallback, dataset),
        fallback_box: fallback.map(|layer| layer.bounding_box),
        bounding_box: bounding_box.unwrap_or_default(),
        axes: if has_buckets { volume.axes.clone() } else { fallback_axes.clone() },
        fallback_axes,
        fallback_layer,
        format: volume.format,
        ..empty_spec(&volume.layer, class, voxel_size)
    };
    if let Some(told) = told {
        spec.segments.clone_from(&told.segments);
        spec.segment_groups.clone_from(&told.segment_groups);
        let largest = told.largest_segment_id.or(fallback.and_then(|layer| layer.largest_segment_id));
        // One that the class can't hold says nothing about the ids in use.
        spec.largest_segment_id = largest.filter(|id| *id <= max_segment_id(class));
    }
    Ok(VolumeAnnotation::new(spec))
}

fn empty_spec(name: &str, class: ElementClass, voxel_size: VoxelSize) -> VolumeSpec {
    VolumeSpec {
        name: name.to_owned(),
        class,
        voxel_size,
        bounding_box: BoundingBox::default(),
        axes: Vec::new(),
        fallback_axes: Vec::new(),
        fallback_layer: None,
        fallback_box: None,
        levels: Vec::new(),
        segments: Vec::new(),
        segment_groups: Vec::new(),
        largest_segment_id: None,
        format: None,
    }
}

/// A new volume over a layer of a dataset with its axes, or over nothing with all mags that its layers have.
///
/// # Errors
/// If the voxels of the layer are no ids.
pub fn new_volume(name: &str, dataset: &Dataset, fallback: Option<&Layer>) -> Result<VolumeAnnotation, AnnotationError> {
    let class = fallback.and_then(|layer| layer.voxel_type).map_or(CLASS_WITHOUT_FALLBACK, |voxels| voxels.class);
    if !is_segment_class(class) {
        return Err(AnnotationError::Class { volume: name.to_owned(), class });
    }
    Ok(VolumeAnnotation::new(VolumeSpec {
        levels: dataset_levels(fallback, Some(dataset)),
        axes: axis_names(fallback),
        fallback_axes: axis_names(fallback),
        fallback_layer: fallback.map(|layer| layer.name.clone()),
        fallback_box: fallback.map(|layer| layer.bounding_box),
        bounding_box: fallback.map_or_else(|| dataset.bounding_box(), |layer| layer.bounding_box),
        largest_segment_id: fallback.map_or(Some(0), |layer| layer.largest_segment_id.filter(|id| *id <= max_segment_id(class))),
        ..empty_spec(name, class, dataset.voxel_size)
    }))
}

/// Names of the axes beyond x, y, z of a layer.
fn axis_names(layer: Option<&Layer>) -> Vec<String> {
    layer.iter().flat_map(|layer| &layer.axes).map(|axis| axis.name.clone()).collect()
}

/// The mags of a volume: those of its file, else those that a new one would have.
fn levels(volume: &VolumeFile, fallback: Option<&Layer>, dataset: Option<&Dataset>) -> Vec<LevelSpec> {
    if volume.levels.is_empty() {
        return dataset_levels(fallback, dataset);
    }
    let level = |(mag, stored): &(Mag, _)| LevelSpec { mag: *mag, stored: Some(Arc::clone(stored)), fallback: source(fallback, *mag) };
    volume.levels.iter().map(level).collect()
}

fn dataset_levels(fallback: Option<&Layer>, dataset: Option<&Dataset>) -> Vec<LevelSpec> {
    let layers: Vec<&Layer> = match (fallback, dataset) {
        (Some(layer), _) => vec![layer],
        (None, Some(dataset)) => dataset.layers.iter().collect(),
        (None, None) => Vec::new(),
    };
    let mut mags: Vec<Mag> = layers.iter().flat_map(|layer| &layer.levels).map(|level| level.mag).collect();
    if mags.is_empty() {
        mags.push(Mag::ONE);
    }
    mags.sort_by_key(|mag| mag.sort_key());
    mags.dedup();
    mags.into_iter().map(|mag| LevelSpec { mag, stored: None, fallback: source(fallback, mag) }).collect()
}

fn source(fallback: Option<&Layer>, mag: Mag) -> Option<Arc<dyn ChunkSource>> {
    let level = fallback?.levels.iter().find(|level| level.mag == mag)?;
    level.source.as_ref().ok().cloned()
}

/// The NML's volume of a volume as it is now. `layers` are the names of the volumes before it as layers.
fn nml_volume(volume: &VolumeAnnotation, read: Option<&NmlVolume>, at: usize, layers: &mut UniqueNames) -> NmlVolume {
    let mut told = read.cloned().unwrap_or_else(|| NmlVolume::new(i64::try_from(at).unwrap_or_default(), &volume.name));
    // A volume that shares its name with another has a number as a layer, which isn't part of its name.
    let shown = told.shown_name();
    let layer = layers.take(shown, |n| format!("{shown} ({n})"));
    if layer != volume.name {
        told.name = Some(volume.name.clone());
    }
    told.fallback_layer.clone_from(&volume.fallback_layer);
    // 0 is what holds where nothing is said.
    let is_said = volume.largest_segment_id != Some(0) || read.is_none_or(|read| read.largest_segment_id.is_some());
    // One that the class can't hold stays as it was read until a higher one is known.
    let unfit = read.and_then(|read| read.largest_segment_id).filter(|id| *id > max_segment_id(volume.class));
    told.largest_segment_id = volume.largest_segment_id.filter(|_| is_said).or(unfit);
    NmlVolume { segments: listed_segments(volume), segment_groups: volume.segment_groups.clone(), ..told }
}

/// What a volume lists, as a volume of an NML: segments, groups and the highest id.
pub(super) fn listed(volume: &VolumeAnnotation) -> NmlVolume {
    NmlVolume {
        largest_segment_id: volume.largest_segment_id,
        segments: listed_segments(volume),
        segment_groups: volume.segment_groups.clone(),
        ..NmlVolume::new(0, &volume.name)
    }
}

fn listed_segments(volume: &VolumeAnnotation) -> Vec<Segment> {
    volume.segments.iter().map(|segment| with_signed_id(segment, volume.class)).collect()
}

/// A new segment of a negative id gets an element that says so: ids themselves are 64 bits without a sign.
fn with_signed_id(segment: &Segment, class: ElementClass) -> Segment {
    let mut segment = segment.clone();
    let text = id_text(segment.id, class);
    if segment.element.is_none() && text.parse::<SegmentId>().is_err() {
        segment.element = Some(Arc::new(XmlElement::new("segment").with("id", &text)));
    }
    segment
}
