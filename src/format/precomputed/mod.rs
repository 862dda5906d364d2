//! Neuroglancer precomputed volumes: `info`, and scales whose chunks are files or lie in shard files.
//!
//! Specification: <https://github.com/google/neuroglancer/tree/master/src/datasource/precomputed>.
//! Meshes, skeletons and annotations are left to others.

mod chunk_names;
mod encoding;
mod folders;
mod info;
mod report;
mod shard;
mod shard_hash;
mod sharding;
mod store;

use super::array::{ArrayIndexCache, ArraySource, ArrayView, AxesError, AxisOrder, AxisRole, DeclaredAxes, OpenedLevel};
use super::detect::name_of;
use super::image::{Image, ScaledLevel};
use super::{DataFormat, LayerConfiguration, LevelError};
use crate::geometry::{LengthUnit, Vec3Int};
use crate::problem::Problems;
use crate::storage::StorageOpener;
pub(in crate::format) use folders::has_info;
use folders::{Volume, scale_folder};
pub(in crate::format) use info::INFO_FILE;
use info::{Scale, ScaleEntry};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{PrecomputedStore, VolumeType};

/// Dimensions of every scale: x, y, z and channel.
const RANK: usize = 4;

/// Opens the volume whose `info` lies in `root`. Reads that file only; a scale that can't be used is an error of its
/// own.
///
/// # Errors
/// If `info` can't be read, isn't that of a volume, or has no scale that can be shown.
pub(in crate::format) fn open_image(opener: &dyn StorageOpener, root: &Path, cache: &Arc<ArrayIndexCache>) -> Result<Image, LevelError> {
    let volume = Volume::read(opener, root)?;
    let missing = || LevelError { reason: "there is no info".to_owned(), location: root.join(INFO_FILE).display().to_string() };
    let volume = volume.ok_or_else(missing)?;
    let mut problems = volume.problems.clone();
    let all_hidden = volume.info.scales.iter().all(|entry| entry.is_hidden);
    let mut levels = Vec::new();
    for (number, entry) in volume.info.scales.iter().enumerate() {
        let name = entry.key.clone().map_or_else(|| format!("number {number}"), |key| info::short(&key));
        if entry.is_hidden && !all_hidden {
            problems.info(&volume.location, format!("Scale {name} is hidden and left out, it can be opened by its folder"));
            continue;
        }
        let opened = source(opener, &volume, entry, &DeclaredAxes::default(), cache);
        let Some(scale) = entry.resolution else {
            // Without a resolution there is no mag under which it could be listed.
            let reason = opened.err().map_or_else(String::new, |err| err.reason);
            problems.error(&volume.location, format!("Can't show scale {name}: {reason}"));
            continue;
        };
        if let Ok(scale) = &entry.scale
            && scale.chunk_shapes > 1
        {
            let text = format!("Scale {name} is stored with {} chunk shapes, the first is read", scale.chunk_shapes);
            problems.info(&volume.location, text);
        }
        let (source, axes) = match opened {
            Ok(level) => (Ok(level.source), level.axes),
            Err(err) => (Err(Arc::new(err)), Vec::new()),
        };
        let path = root.join(entry.key.as_deref().unwrap_or_default());
        // Positions of a scale are absolute, so its grid begins where the volume's does.
        levels.push(ScaledLevel { path, scale, translation: [0.0; 3], source, axes });
    }
    if levels.is_empty() {
        let reason = problems.iter().last().map_or_else(|| "no scale can be shown".to_owned(), |problem| problem.text.clone());
        return Err(LevelError { reason, location: volume.location });
    }
    let longest_last = |level: &ScaledLevel| level.scale.iter().product::<f64>();
    levels.sort_by(|a, b| longest_last(a).total_cmp(&longest_last(b)));
    Ok(Image {
        name: name_of(root),
        category: volume.info.category,
        format: DataFormat::NeuroglancerPrecomputed,
        unit: Some(LengthUnit::NANOMETER),
        levels,
        configuration: LayerConfiguration::default(),
        segment_colors: Vec::new(),
        problems,
    })
}

/// Opens the scale whose folder this is; the `info` above describes it.
///
/// # Errors
/// If no `info` above lists the folder, or the scale can't be used.
pub(in crate::format) fn open_scale(
    opener: &dyn StorageOpener,
    folder: &Path,
    declared: &DeclaredAxes,
    cache: &Arc<ArrayIndexCache>,
) -> Result<OpenedLevel, LevelError> {
    let missing = || LevelError { reason: "no info above lists this folder as a scale".to_owned(), location: folder.display().to_string() };
    let (volume, number) = Volume::above(opener, folder)?.ok_or_else(missing)?;
    let entry = volume.info.scales.get(number).ok_or_else(missing)?;
    source(opener, &volume, entry, declared, cache)
}

/// The volume that a scale's folder belongs to, with the scale's `key`, so that the folder opens the whole volume.
/// `None` for other folders, and for hidden scales, which the volume leaves out.
pub(in crate::format) fn scale_of(opener: &dyn StorageOpener, folder: &Path) -> Option<(PathBuf, String)> {
    let (volume, number) = Volume::above(opener, folder).ok().flatten()?;
    let entry = volume.info.scales.get(number).filter(|entry| !entry.is_hidden)?;
    Some((volume.root, entry.key.clone()?))
}

fn source(
    opener: &dyn StorageOpener,
    volume: &Volume,
    entry: &ScaleEntry,
    declared: &DeclaredAxes,
    cache: &Arc<ArrayIndexCache>,
) -> Result<OpenedLevel, LevelError> {
    let fail = |reason: String| LevelError { reason, location: volume.location.clone() };
    let scale = entry.scale.as_ref().map_err(|err| fail(err.to_string()))?;
    let key = entry.key.as_deref().unwrap_or_default();
    let folder = scale_folder(opener, &volume.root, key)
        .map_err(|reason| LevelError { reason, location: volume.root.join(key).display().to_string() })?;
    let axes = axes(declared).map_err(|err| fail(err.to_string()))?;
    let origin = origin(&axes, scale);
    let volume_type = VolumeType { class: volume.info.class, channels: volume.info.channels };
    let report = report::sections(&volume.info, entry, scale, &volume.location);
    let store = PrecomputedStore::new(opener.open_folder(&folder), volume_type, scale, report, cache);
    let view = ArrayView { axes, channel: declared.channel, origin, fields: Vec::new() };
    let source = ArraySource::new(Arc::new(store), view).map_err(|err| fail(err.to_string()))?;
    let axes = source.extra_axes();
    Ok(OpenedLevel { source: Arc::new(source), format: DataFormat::NeuroglancerPrecomputed, axes, problems: Problems::default() })
}

/// Roles of x, y, z and channel: those of the format, unless a JSON says otherwise.
fn axes(declared: &DeclaredAxes) -> Result<AxisOrder, AxesError> {
    let mut declared = declared.clone();
    let names_channel = declared.order.iter().any(|(name, at)| *at == RANK - 1 || AxisRole::from_name(name) == AxisRole::Channel);
    // The channel needn't be named where there is only one.
    if !declared.order.is_empty() && !names_channel {
        declared.order.push(("c".to_owned(), RANK - 1));
    }
    declared.axes(RANK).unwrap_or_else(|| AxisOrder::first_xyz(RANK, "fixed by the format"))
}

/// Position of the first voxel along the axes that are seen as x, y, z.
fn origin(axes: &AxisOrder, scale: &Scale) -> Vec3Int {
    let along = |role: AxisRole| axes.dimension(&role).and_then(|dimension| scale.offset.get(dimension)).copied().unwrap_or(0);
    Vec3Int::new(along(AxisRole::X), along(AxisRole::Y), along(AxisRole::Z))
}

#[cfg(test)]
mod tests;
