//! The layers of an annotation beside those of the dataset that it lies over.

use super::open::{OpenAnnotation, OpenVolume};
use super::request::ExportKind;
use crate::annotation::{Annotation, ComposedSource, VolumeAnnotation, VolumeLevel};
use crate::format::annotation::{BUCKET_SIDE, extent_with};
use crate::format::nml::{Segment, VolumeFormat};
use crate::format::{DataFormat, Dataset, ExtraAxis, HeaderReport, Layer, LayerCategory, LayerConfiguration, MagLevel, ViewConfiguration};
use crate::geometry::{BoundingBox, Shape3, Vec3Int, VoxelSize};
use crate::problem::Problems;
use crate::scene::{GivenColors, SkeletonIndex};
use crate::text::UniqueNames;
use crate::voxel::VoxelType;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How strongly a volume is drawn at first, alone and over a fallback layer, which covers everything.
const OPACITY: [f64; 2] = [0.5, 0.3];

/// A dataset with the volumes of an annotation above its layers; the annotation alone if there is no dataset. Answers
/// the index of each volume's layer, too. `file` is the annotation's, for people.
pub fn with_volumes(dataset: Option<&Dataset>, annotation: &Annotation, file: Option<&Path>, problems: Problems) -> (Dataset, Vec<usize>) {
    let mut merged = match dataset {
        Some(dataset) => Dataset { focus: None, annotation: None, ..dataset.clone() },
        None => alone(annotation),
    };
    if let Some(file) = file {
        merged.path = file.to_owned(); // what is opened again, and listed as recent
    }
    for problem in problems.iter() {
        merged.problems.add(problem.clone());
    }
    let extent = if dataset.is_some() { merged.bounding_box() } else { around_everything(annotation) };
    let mut names = UniqueNames::default();
    for layer in &merged.layers {
        names.take(&layer.name, |n| format!("{} ({n})", layer.name));
    }
    let mut indices = Vec::with_capacity(annotation.volumes.len());
    for volume in &annotation.volumes {
        let fallback = volume.fallback_layer.as_deref().and_then(|name| dataset.and_then(|dataset| dataset.layer(name)));
        if let Some(layer) = merged.layers.iter_mut().find(|layer| Some(layer.name.as_str()) == fallback.map(|layer| layer.name.as_str())) {
            // Below it, it would only be seen where segments were erased.
            layer.configuration.is_disabled = Some(true);
        }
        indices.push(merged.layers.len());
        let wanted = &volume.name;
        let name =
            names.take(wanted, |n| if n == 2 { format!("{wanted} (annotation)") } else { format!("{wanted} (annotation {})", n - 1) });
        let axes = further_axes(volume, annotation, dataset);
        merged.layers.push(Layer { axes, ..volume_layer(volume, name, extent, file.unwrap_or(&merged.path)) });
    }
    (merged, indices)
}

/// A dataset of an annotation whose own one isn't there.
fn alone(annotation: &Annotation) -> Dataset {
    Dataset {
        name: annotation.name.clone(),
        path: PathBuf::from(&annotation.name),
        format: DataFormat::Wkw,
        voxel_size: annotation.nml.voxel_size.unwrap_or(VoxelSize::VOXELS),
        layers: Vec::new(),
        header: HeaderReport::default(),
        view: ViewConfiguration { position: annotation.nml.edit_position, zoom: annotation.nml.zoom },
        focus: None,
        annotation: None,
        problems: Problems::default(),
    }
}

/// What an annotation without its dataset is about, with room around it to paint in; mag 1.
fn around_everything(annotation: &Annotation) -> BoundingBox {
    const ROOM: Vec3Int = Vec3Int::splat(256);
    let nml = &annotation.nml;
    let voxel = |position: Vec3Int| BoundingBox::new(position, Shape3::splat(1));
    let nodes = nml.trees.iter().flat_map(|tree| &tree.nodes).map(|node| voxel(node.position));
    let boxes = nml.user_boxes.iter().map(|user_box| user_box.extent).chain(nml.task_box).chain(nml.edit_position.map(voxel));
    let told = nodes.chain(boxes).fold(BoundingBox::default(), |all, one| all.union(&one));
    let all = annotation.volumes.iter().map(extent_of).fold(told, |all, one| all.union(&one));
    // Annotations have no negative positions.
    BoundingBox::between((all.topleft - ROOM).max(Vec3Int::ZERO), all.bottomright() + ROOM)
}

fn volume_layer(volume: &VolumeAnnotation, name: String, dataset: BoundingBox, location: &Path) -> Layer {
    let levels: Vec<MagLevel> = volume
        .levels
        .iter()
        .map(|level| MagLevel { mag: level.mag, copy: 1, path: location.to_owned(), source: Ok(Arc::new(ComposedSource::new(level))) })
        .collect();
    let extent = dataset.union(&volume.bounding_box).union(&extent_of(volume));
    Layer {
        name,
        category: LayerCategory::Segmentation,
        format: match volume.format {
            Some(VolumeFormat::Zarr3) => DataFormat::Zarr3,
            Some(VolumeFormat::Wkw) | None => DataFormat::Wkw,
        },
        voxel_type: Some(VoxelType::single(volume.class)),
        bounding_box: extent,
        has_declared_box: true,
        largest_segment_id: volume.largest_segment_id,
        axes: Vec::new(),
        levels,
        segment_colors: Arc::default(),
        configuration: LayerConfiguration {
            alpha: Some(OPACITY[usize::from(volume.fallback_layer.is_some() && !volume.lacks_fallback())]),
            ..LayerConfiguration::default()
        },
    }
}

/// The mag-1 box of a volume's own buckets.
fn extent_of(volume: &VolumeAnnotation) -> BoundingBox {
    volume.levels.iter().fold(BoundingBox::default(), |extent, level| extent_with(&extent, boxes_of(level)))
}

/// Mag-1 boxes of a level's own buckets.
fn boxes_of(level: &VolumeLevel) -> impl Iterator<Item = BoundingBox> {
    let (side, mag) = (Vec3Int::splat(BUCKET_SIDE), level.mag);
    let topleft = level.addresses().into_iter().map(move |at| at.chunk.0.times(side));
    topleft.map(move |topleft| mag.box_in_mag1(&BoundingBox::new(topleft, Shape3::splat(BUCKET_SIDE))))
}

/// The axes beyond x, y, z: as long as the NML or the dataset says, or the positions of its buckets ask for.
fn further_axes(volume: &VolumeAnnotation, annotation: &Annotation, dataset: Option<&Dataset>) -> Vec<ExtraAxis> {
    let addresses: Vec<_> = volume.levels.iter().flat_map(VolumeLevel::addresses).collect();
    let len = |axis: usize| addresses.iter().filter_map(|at| at.axes.get(axis)).max().map_or(1, |last| last.saturating_add(1));
    let told = |name: &str| {
        let by_nml = annotation.nml.additional_axes.iter().filter(|axis| axis.0 == name).filter_map(|axis| u64::try_from(axis.2).ok());
        let layers = dataset.iter().flat_map(|dataset| &dataset.layers);
        let by_dataset = layers.flat_map(|layer| &layer.axes).filter(|axis| axis.name == name).map(|axis| axis.len);
        by_nml.chain(by_dataset).max().unwrap_or(1)
    };
    volume.axes.iter().enumerate().map(|(axis, name)| ExtraAxis { name: name.clone(), len: len(axis).max(told(name)) }).collect()
}

/// Colours and visibility of listed segments, as layers are drawn with them.
pub fn given_colors(segments: &[Segment]) -> GivenColors {
    let color = |segment: &Segment| segment.color.map(|[r, g, b, _]| [r, g, b].map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8));
    GivenColors {
        custom: segments.iter().filter_map(|segment| Some((segment.id, color(segment)?))).collect(),
        hidden: segments.iter().filter(|segment| !segment.is_visible).map(|segment| segment.id).collect(),
    }
}

impl OpenAnnotation {
    /// What the window knows of an annotation at first. `layers` are the indices of its volumes' layers.
    pub fn new(
        annotation: &Annotation,
        skeleton: Arc<SkeletonIndex>,
        layers: &[usize],
        file: Option<PathBuf>,
        missing_dataset: Option<String>,
    ) -> Self {
        let volumes = annotation.volumes.iter().zip(layers).map(|(volume, layer)| OpenVolume {
            name: volume.name.clone(),
            layer: *layer,
            class: volume.class,
            active: volume.segments.last().map_or(0, |segment| segment.id),
            new_segments: 0,
            awaits_new: false,
            segments: volume.segments.as_slice().into(),
            counts: None,
            uncounted: 0,
            history: Arc::default(),
            fallback: volume.fallback_layer.clone(),
            lacks_fallback: volume.lacks_fallback(),
            bounding_box: volume.bounding_box,
            edited: volume.levels.iter().map(|level| (level.mag, level.edited.clone())).collect(),
        });
        Self {
            name: annotation.name.clone(),
            file,
            export_kind: ExportKind::default(),
            dataset_path: None,
            may_replace_file: false,
            nml: annotation.nml.clone(),
            skeleton,
            shows_skeleton: true,
            switched_trees: HashSet::new(),
            selected_tree: None,
            volumes: volumes.collect(),
            selected: 0,
            revision: 0,
            saved_revision: 0,
            waiting: 0,
            work: None,
            round_trip: None,
            missing_dataset,
            changed_on_disk: false,
            is_damaged: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::VolumeSpec;
    use crate::annotation::test_world::spec;
    use crate::format::nml::{NewNml, Nml};
    use crate::geometry::Mag;

    #[test]
    fn every_volume_is_a_layer_with_a_name_of_its_own() {
        let volume = |name: &str| VolumeAnnotation::new(VolumeSpec { name: name.to_owned(), ..spec(&[Mag::ONE]) });
        let annotation = Annotation {
            name: "note".to_owned(),
            nml: Arc::new(Nml::new(NewNml::default())),
            volumes: ["cells", "cells", "cells", "axons"].map(volume).into(),
            attachments: Vec::new(),
        };
        let (alone, indices) = with_volumes(None, &annotation, None, Problems::default());
        assert_eq!(indices, [0, 1, 2, 3]);
        let names = |dataset: &Dataset| dataset.layers.iter().map(|layer| layer.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&alone), ["cells", "cells (annotation)", "cells (annotation 2)", "axons"]);
        // Layers of the dataset keep theirs.
        let (over, indices) = with_volumes(Some(&alone), &annotation, None, Problems::default());
        assert_eq!(indices, [4, 5, 6, 7]);
        assert_eq!(names(&over)[4..], ["cells (annotation 3)", "cells (annotation 4)", "cells (annotation 5)", "axons (annotation)"]);
    }
}
