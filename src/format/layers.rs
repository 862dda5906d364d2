//! Layers from opened levels: what follows from the levels, and layers that nothing declares.

use super::dataset::{Dataset, Layer, LayerCategory, LayerConfiguration, MagLevel, ViewConfiguration};
use super::image::{Image, ScaledLevel};
use super::properties::guess_category;
use super::{DataFormat, ExtraAxis, HeaderReport, LevelError};
use crate::geometry::{BoundingBox, LengthUnit, Mag, VoxelSize};
use crate::problem::Problems;
use crate::text::UniqueNames;
use std::path::Path;
use std::sync::Arc;

/// Adds what follows from the levels: voxel type, extent, axes, warnings, contradictions. `axes` are those of each level.
pub(super) fn finish_layer(mut layer: Layer, axes: Vec<Vec<ExtraAxis>>, problems: &mut Problems) -> Layer {
    let mut levels: Vec<(MagLevel, Vec<ExtraAxis>)> = std::mem::take(&mut layer.levels).into_iter().zip(axes).collect();
    levels.sort_by_key(|(level, _)| level.mag.sort_key());
    let finest = levels.iter().find(|(level, _)| level.source.is_ok());
    layer.axes = finest.map_or_else(Vec::new, |(_, axes)| axes.clone());
    for (mut level, axes) in levels {
        let names = |axes: &[ExtraAxis]| axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>();
        if level.source.is_ok() && names(&axes) != names(&layer.axes) {
            let reason = format!("its further axes are {:?}, those of the finest mag {:?}", names(&axes), names(&layer.axes));
            let location = level.path.display().to_string();
            problems.error(&location, format!("Can't use layer {}, mag {}: {reason}", layer.name, level.mag));
            level.source = Err(Arc::new(LevelError { reason, location }));
        }
        for (axis, len) in layer.axes.iter_mut().zip(axes.iter().map(|axis| axis.len)) {
            axis.len = axis.len.min(len);
        }
        layer.levels.push(level);
    }
    for level in &layer.levels {
        if let Ok(source) = &level.source {
            for warning in source.take_warnings() {
                problems.add(warning);
            }
        }
    }
    if let Some(finest) = layer.finest()
        && let Ok(source) = &finest.source
    {
        let voxel_type = source.voxel_type();
        for level in &layer.levels {
            if let Ok(other) = &level.source
                && other.voxel_type() != voxel_type
            {
                problems.warn(
                    level.path.display(),
                    format!("Layer {}: mag {} has {} voxels, mag {} {voxel_type}", layer.name, level.mag, other.voxel_type(), finest.mag),
                );
            }
        }
        layer.voxel_type = Some(voxel_type);
    }
    if !layer.has_declared_box {
        match declared_extent(&layer) {
            Some(extent) => (layer.bounding_box, layer.has_declared_box) = (extent, true),
            None => layer.bounding_box = extent_from_shards(&layer, problems),
        }
    }
    layer
}

/// The extent that the finest array's own metadata give, in mag-1 voxels.
fn declared_extent(layer: &Layer) -> Option<BoundingBox> {
    let finest = layer.finest()?;
    let extent = finest.source.as_ref().ok()?.declared_extent()?;
    Some(finest.mag.box_in_mag1(&extent))
}

/// The box around the shards found, in mag-1 voxels.
fn extent_from_shards(layer: &Layer, problems: &mut Problems) -> BoundingBox {
    /// Enough for an exact box of most mags; more only cost time before the first picture.
    const MAX_SHARDS: usize = 20_000;
    let mut extent = BoundingBox::default();
    for level in &layer.levels {
        let Ok(source) = &level.source else { continue };
        match source.find_shards(MAX_SHARDS) {
            Ok(shards) => {
                if shards.len() == MAX_SHARDS {
                    problems.warn(
                        level.path.display(),
                        format!("Layer {}: only {MAX_SHARDS} shards of mag {} were looked at for the extent", layer.name, level.mag),
                    );
                }
                for shard in shards {
                    extent = extent.union(&level.mag.box_in_mag1(&source.grid().shard_box(shard)));
                }
            }
            Err(err) => problems.error(level.path.display(), format!("Can't find the extent of layer {}: {err}", layer.name)),
        }
    }
    if !extent.is_empty() {
        problems.info(
            layer.levels.first().map_or_else(String::new, |level| level.path.display().to_string()),
            format!("The extent of layer {} is that of its shards: {extent}", layer.name),
        );
    }
    extent
}

/// A layer of which nothing is declared.
pub(super) fn bare(name: String, format: DataFormat, levels: Vec<MagLevel>) -> Layer {
    Layer {
        category: guess_category(&name, false),
        name,
        format,
        voxel_type: None,
        bounding_box: BoundingBox::default(),
        has_declared_box: false,
        largest_segment_id: None,
        levels,
        axes: Vec::new(),
        segment_colors: Arc::default(),
        configuration: LayerConfiguration::default(),
    }
}

/// A dataset of which nothing is declared, but for a voxel size perhaps.
pub(super) fn bare_dataset(
    name: String,
    path: &Path,
    mut layers: Vec<Layer>,
    voxel_size: Option<VoxelSize>,
    mut problems: Problems,
) -> Dataset {
    layers.iter_mut().for_each(drop_unlikely_category);
    if voxel_size.is_none() {
        problems.info(path.display(), "No voxel size is known, lengths are shown in voxels");
    }
    Dataset {
        name,
        path: path.to_owned(),
        format: layers.first().map_or(DataFormat::Wkw, |layer| layer.format),
        voxel_size: voxel_size.unwrap_or(VoxelSize::VOXELS),
        layers,
        header: HeaderReport::default(),
        view: ViewConfiguration::default(),
        focus: None,
        annotation: None,
        problems,
    }
}

/// A number type that can't be ids is no segmentation, whatever the name.
fn drop_unlikely_category(layer: &mut Layer) {
    if layer.voxel_type.is_some_and(|t| t.class.is_float() || t.channels != 1) {
        layer.category = LayerCategory::Color;
    }
}

/// Layers of images in one coordinate system, and its voxel size: that of the finest level of all.
pub(super) fn layers_from_images(images: Vec<Image>, problems: &mut Problems) -> (Vec<Layer>, VoxelSize) {
    let unit = images.iter().find_map(|image| image.unit);
    // Lengths in a common unit, where there are any.
    let factor = |image: &Image| match (image.unit, unit) {
        (Some(own), Some(common)) => own.meters() / common.meters(),
        (Some(_) | None, Some(_) | None) => 1.0,
    };
    let in_common = |image: &Image, level: &ScaledLevel| level.scale.map(|scale| scale * factor(image));
    let is_sound = |scale: &[f64; 3]| scale.iter().all(|s| s.is_finite() && *s > 0.0);
    let scales = images.iter().flat_map(|image| image.levels.iter().map(|level| in_common(image, level)));
    let finest = scales.filter(is_sound).min_by(|a, b| a.iter().product::<f64>().total_cmp(&b.iter().product()));
    let base = finest.unwrap_or([1.0; 3]);
    warn_of_shifts(&images, base, factor, problems);
    let mut layers: Vec<Layer> = Vec::with_capacity(images.len());
    let mut names = UniqueNames::default();
    for image in images {
        let scales: Vec<[f64; 3]> = image.levels.iter().map(|level| in_common(&image, level)).collect();
        layers.push(layer_from_image(image, &scales, base, &mut names, problems));
    }
    (layers, voxel_size(base, unit, problems))
}

/// Notes images that begin elsewhere than the first one. Half a voxel of a coarser level only keeps centres in line.
fn warn_of_shifts(images: &[Image], base: [f64; 3], factor: impl Fn(&Image) -> f64, problems: &mut Problems) {
    let start = |image: &Image| -> Option<[f64; 3]> {
        let finest = image.levels.iter().min_by(|a, b| a.scale[0].total_cmp(&b.scale[0]))?;
        let corner = |i: usize| (finest.translation[i] - finest.scale[i] / 2.0) * factor(image) / base[i];
        Some([corner(0), corner(1), corner(2)])
    };
    let Some((first, first_start)) = images.first().and_then(|image| Some((image, start(image)?))) else { return };
    for image in &images[1..] {
        if let Some(start) = start(image)
            && let shift = [0, 1, 2].map(|i| (start[i] - first_start[i]).round())
            && shift.iter().any(|s| s.abs() > 1.0)
        {
            let location = image.levels.first().map_or_else(String::new, |level| level.path.display().to_string());
            let text = format!("Layer {} begins {shift:?} voxels beside layer {}, both are shown from 0, 0, 0", image.name, first.name);
            problems.warn(location, text);
        }
    }
}

fn voxel_size(base: [f64; 3], unit: Option<LengthUnit>, problems: &mut Problems) -> VoxelSize {
    VoxelSize::new(base, unit).unwrap_or_else(|| {
        problems.warn("", format!("The voxel size is {base:?}, voxels are shown as cubes"));
        VoxelSize::VOXELS
    })
}

fn layer_from_image(image: Image, scales: &[[f64; 3]], base: [f64; 3], names: &mut UniqueNames, problems: &mut Problems) -> Layer {
    let name = if image.name.is_empty() { "image".to_owned() } else { image.name };
    let name = names.take(&name, |n| format!("{name}_{n}"));
    problems.extend(image.problems);
    let (mut levels, mut axes) = (Vec::new(), Vec::new());
    for (level, scale) in image.levels.into_iter().zip(scales) {
        let location = level.path.display().to_string();
        let Some(mag) = mag_of(*scale, base) else {
            problems.error(&location, format!("A level of layer {name} has the scale {scale:?}, it is left out"));
            continue;
        };
        let exact = (0..3).map(|i| scale[i] / base[i]);
        if exact.zip(mag.factors().to_array()).any(|(exact, rounded)| (exact / rounded as f64 - 1.0).abs() > 0.1) {
            problems.warn(&location, format!("A level of layer {name} is no whole multiple of the finest one, mag {mag} is assumed"));
        }
        if let Err(err) = &level.source {
            problems.error(&err.location, format!("Can't open layer {name}, mag {mag}: {}", err.reason));
        }
        levels.push(MagLevel { mag, copy: 1, path: level.path, source: level.source });
        axes.push(level.axes);
    }
    let mut layer = bare(name, image.format, levels);
    if let Some(category) = image.category {
        layer.category = category;
    }
    layer.configuration = image.configuration;
    layer.segment_colors = image.segment_colors.into();
    let mut layer = finish_layer(layer, axes, problems);
    drop_unlikely_category(&mut layer);
    name_copies(&mut layer, problems);
    layer
}

/// Tells levels of the same mag apart.
fn name_copies(layer: &mut Layer, problems: &mut Problems) {
    for i in 1..layer.levels.len() {
        let (before, rest) = layer.levels.split_at_mut(i);
        let (Some(previous), Some(level)) = (before.last(), rest.first_mut()) else { continue };
        if previous.mag == level.mag {
            level.copy = previous.copy.saturating_add(1);
            problems.warn(
                level.path.display(),
                format!(
                    "Layer {}: another level of mag {} comes before this one, which is called {}",
                    layer.name,
                    level.mag,
                    level.label()
                ),
            );
        }
    }
}

fn mag_of(scale: [f64; 3], base: [f64; 3]) -> Option<Mag> {
    let factor = |i: usize| {
        let ratio = (scale[i] / base[i]).round();
        (ratio.is_finite() && ratio < 1e9).then_some((ratio as i64).max(1))
    };
    let is_positive = scale.iter().all(|s| *s > 0.0);
    Mag::new(factor(0)?, factor(1)?, factor(2)?).filter(|_| is_positive)
}
