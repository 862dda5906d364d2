//! From a [`Group`] to an [`Image`]: opens its levels, and puts their scales into x, y, z and one unit.

use super::attributes::Attributes;
use super::group::{Group, LevelEntry, offset};
use super::open_array::{NamedAxes, OpenedArray, choose_axes, open_with_axes, own_axes, read_array};
use super::placement::{Along, ListOrder, NamedTransform, Resolution, along_axes, units_along_axes};
use super::units::{Lengths, in_one_unit};
use crate::format::array::AxisOrder;
use crate::format::image::{Image, ScaledLevel};
use crate::format::{DataFormat, LayerCategory, LayerConfiguration, LevelError};
use crate::problem::Problems;
use crate::storage::StorageOpener;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Level {
    path: PathBuf,
    opened: Result<OpenedArray, LevelError>,
    problems: Problems,
}

/// Opens all levels of a group that lies in `folder`. Levels that can't be opened say why.
pub fn image(opener: &dyn StorageOpener, folder: &Path, name: String, group: Group) -> Image {
    let location = folder.display().to_string();
    let mut problems = group.problems.clone();
    let evidence = order_by_resolution(&group);
    let levels: Vec<Level> = group
        .levels
        .par_iter()
        .map(|entry| {
            let path = if entry.key.is_empty() { folder.to_owned() } else { folder.join(&entry.key) };
            let mut problems = Problems::default();
            let opened = open_level_of(opener, &path, entry, &group, evidence, &location, &mut problems);
            Level { path, opened, problems }
        })
        .collect();
    for level in &levels {
        problems.extend(level.problems.clone());
    }
    let lengths = lengths_of(&group, &levels, &location, &mut problems);
    // A transform of an array's own is COSEM's, too.
    let has_own_transform = |level: &Level| level.opened.as_ref().is_ok_and(|opened| own_transform(&opened.attributes).is_some());
    let assumes_micrometer = group.assumes_micrometer || (group.levels.len() == 1 && levels.iter().any(has_own_transform));
    let (unit, spacings) = in_one_unit(&lengths, assumes_micrometer, &location, &mut problems);
    let has_ids = |level: &Level| level.opened.as_ref().is_ok_and(|opened| !opened.array.class.is_float());
    let category = (group.is_label && levels.iter().any(has_ids)).then_some(LayerCategory::Segmentation);
    let levels = levels.into_iter().zip(spacings).map(|(level, spacing)| {
        let (source, axes) = match level.opened {
            Ok(opened) => (Ok(opened.source), opened.extra),
            Err(err) => (Err(Arc::new(err)), Vec::new()),
        };
        ScaledLevel { path: level.path, scale: spacing.scale, translation: spacing.translation, source, axes }
    });
    Image {
        name,
        category,
        format: DataFormat::N5,
        unit,
        levels: levels.collect(),
        configuration: LayerConfiguration::default(),
        segment_colors: Vec::new(),
        problems,
    }
}

fn own_transform(attributes: &Attributes) -> Option<NamedTransform> {
    NamedTransform::from_cosem(attributes.get("transform")?)
}

fn open_level_of(
    opener: &dyn StorageOpener,
    path: &Path,
    entry: &LevelEntry,
    group: &Group,
    evidence: Option<ListOrder>,
    location: &str,
    problems: &mut Problems,
) -> Result<OpenedArray, LevelError> {
    let (attributes, array) = read_array(opener, path)?;
    let own = own_transform(&attributes);
    let transform = entry.transform.as_ref().or(own.as_ref());
    let rank = array.shape.len();
    let candidates = axes_candidates(&attributes, transform, group, evidence);
    let axes = choose_axes(rank, &candidates, location, problems).map_err(|err| attributes.fail(err))?;
    if let Some(transform) = transform
        && transform.order.is_none()
        && evidence.is_none()
        && axes.reason().starts_with(ASSUMED)
    {
        let listed = transform.axes.join(", ");
        let taken = axes.names();
        problems.info(location, format!("The axes {listed} are listed without an ordering, the dimensions are taken as {taken}"));
    }
    open_with_axes(opener, path, (attributes, array), axes, None, &group.sections)
}

/// How reasons of axes begin that were assumed from the names' order.
const ASSUMED: &str = "axes of the level's transform, assumed to be";

/// Names for a level's dimensions, most trustworthy first.
fn axes_candidates(
    attributes: &Attributes,
    transform: Option<&NamedTransform>,
    group: &Group,
    evidence: Option<ListOrder>,
) -> Vec<NamedAxes> {
    let listed = |transform: &NamedTransform, order: ListOrder, prefix: &str| -> NamedAxes {
        let how = match order {
            ListOrder::Reverse => "listed in C order, last dimension first",
            ListOrder::AsDimensions => "listed in the order of dimensions",
        };
        (transform.names(order).into_iter().map(str::to_owned).collect(), format!("{prefix} {how}"))
    };
    let said = transform.and_then(|t| Some(listed(t, t.order?, "axes of the level's transform,")));
    let of_group = || Some((group.axes.clone()?, "axes in the group's attributes.json".to_owned()));
    let seen = transform.and_then(|t| Some(listed(t, evidence?, "axes of the level's transform, which fit resolution if")));
    let assumed = transform.map(|t| {
        let order = if t.seems_reversed() { ListOrder::Reverse } else { ListOrder::AsDimensions };
        listed(t, order, ASSUMED)
    });
    [said, own_axes(attributes), of_group(), seen, assumed].into_iter().flatten().collect()
}

/// In which order the transforms list their axes, by a resolution that lists the same lengths by dimension.
fn order_by_resolution(group: &Group) -> Option<ListOrder> {
    let lengths = &group.resolution.as_ref()?.lengths;
    let scale = &group.levels.first()?.transform.as_ref()?.scale;
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
    let same_len = lengths.len() == scale.len();
    let as_listed = same_len && lengths.iter().zip(scale).all(is_close);
    let reversed = same_len && lengths.iter().rev().zip(scale).all(is_close);
    match (as_listed, reversed) {
        (true, false) => Some(ListOrder::AsDimensions),
        (false, true) => Some(ListOrder::Reverse),
        _ => None,
    }
}

/// Scales and translations of all levels along x, y, z, as far as they are given.
fn lengths_of(group: &Group, levels: &[Level], location: &str, problems: &mut Problems) -> Vec<Lengths> {
    let opened = |level: &Level| level.opened.as_ref().ok().map(|opened| (opened.attributes.clone(), opened.axes.clone()));
    let usual_axes = levels.iter().find_map(|level| Some(opened(level)?.1)).or_else(|| AxisOrder::first_xyz(3, "").ok());
    let Some(usual_axes) = usual_axes else { return vec![Lengths::default(); levels.len()] };
    let own_resolutions: Vec<Option<Resolution>> =
        levels.iter().map(|level| level.opened.as_ref().ok().and_then(|opened| Resolution::from_attributes(&opened.attributes))).collect();
    let mut given = own_resolutions.iter().flatten();
    let first_own = given.next();
    // Some writers give each level its own resolution, others all levels that of the finest.
    let scaled_already = group.resolution.is_none() && given.any(|other| Some(&other.lengths) != first_own.map(|first| &first.lengths));
    let base = group.resolution.as_ref().or(first_own);
    let levels = group.levels.iter().zip(levels).zip(&own_resolutions);
    let finest = levels.clone().find_map(|((_, level), _)| level.opened.as_ref().ok());
    let lengths = levels.enumerate().map(|(n, ((entry, level), own_resolution))| {
        let known = level.opened.as_ref().ok();
        let axes = known.map_or(&usual_axes, |opened| &opened.axes);
        let attributes = known.map(|opened| &opened.attributes);
        let own = attributes.and_then(own_transform);
        let mut lengths = if let Some(transform) = entry.transform.clone().or(own.filter(|_| entry.factors.is_none())) {
            Lengths { along: transform.along_xyz(), are_physical: true }
        } else if let Some(resolution) = own_resolution.as_ref().filter(|_| scaled_already) {
            by_dimension(resolution, &[1.0; 3], axes)
        } else {
            let factors = factors_of(n, entry, known, finest, location, problems);
            match base {
                Some(base) => by_dimension(base, &factors, axes),
                None => {
                    let voxels = Resolution { lengths: vec![1.0; axes.roles().len()], units: Vec::new() };
                    Lengths { are_physical: false, ..by_dimension(&voxels, &factors, axes) }
                }
            }
        };
        let shift = attributes.and_then(offset).or_else(|| group.offset.clone());
        if let Some(shift) = shift.filter(|_| lengths.along.translation.iter().all(Option::is_none)) {
            lengths.along.translation = along_axes(&shift, axes);
        }
        lengths
    });
    lengths.collect()
}

/// A resolution times factors along x, y, z.
fn by_dimension(resolution: &Resolution, factors: &[f64; 3], axes: &AxisOrder) -> Lengths {
    let mut scale = along_axes(&resolution.lengths, axes);
    for (length, factor) in scale.iter_mut().zip(factors) {
        *length = length.map(|length| length * factor);
    }
    let along = Along { scale, translation: [None; 3], unit: units_along_axes(&resolution.units, axes) };
    Lengths { along, are_physical: true }
}

/// Finest voxels per voxel along x, y, z: by the group, by the level itself, else by comparing extents.
fn factors_of(
    n: usize,
    entry: &LevelEntry,
    level: Option<&OpenedArray>,
    finest: Option<&OpenedArray>,
    location: &str,
    problems: &mut Problems,
) -> [f64; 3] {
    let default_axes = AxisOrder::first_xyz(3, "");
    let axes = level.or(finest).map(|opened| &opened.axes).or(default_axes.as_ref().ok());
    let Some(axes) = axes else { return [1.0; 3] };
    let along = |factors: &[f64]| along_axes(factors, axes).map(|factor| factor.unwrap_or(1.0));
    let own = level.and_then(|opened| opened.attributes.numbers("downsamplingFactors"));
    let own = own.as_deref().map(along);
    if let Some(factors) = entry.factors.as_deref().map(along) {
        if let Some(own) = own.filter(|own| *own != factors) {
            let text =
                format!("Level {}: the group gives downsamplingFactors {factors:?}, the level {own:?}; the group's are used", entry.key);
            problems.warn(location, text);
        }
        return factors;
    }
    if let Some(own) = own {
        return own;
    }
    let (Some(level), Some(finest)) = (level.filter(|_| n > 0), finest) else { return [1.0; 3] };
    let extents = |opened: &OpenedArray| along_axes(&opened.array.shape, &opened.axes).map(|len| len.unwrap_or(1).max(1));
    let (here, there) = (extents(level), extents(finest));
    let factors = std::array::from_fn(|axis| (there[axis] as f64 / here[axis] as f64).round().max(1.0));
    if factors != [1.0; 3] {
        problems.warn(location, format!("Level {} has no downsamplingFactors, {factors:?} follow from dimensions", entry.key));
    }
    factors
}
