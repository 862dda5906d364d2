//! Which layer, mag and axes a command's options mean.

use super::UsageError;
use super::args::AxisPosition;
use crate::format::{ChunkSource, Dataset, Layer, MagLevel};
use crate::geometry::MagLabel;
use crate::scene::{AxisPositions, source_at};
use anyhow::{Result, anyhow};
use std::sync::Arc;

/// The layer that was named, or the only one.
pub fn layer<'a>(dataset: &'a Dataset, name: Option<&str>) -> Result<&'a Layer> {
    let names = || dataset.layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, &dataset.layers[..]) {
        (_, []) => Err(anyhow!("can't choose a layer: the dataset declares none: {}", dataset.path.display())),
        (Some(name), _) => dataset.layer(name).ok_or_else(|| UsageError(format!("no layer {name:?}, there are: {}", names())).into()),
        (None, [only]) => Ok(only),
        (None, _) => Err(UsageError(format!("several layers, choose one with --layer: {}", names())).into()),
    }
}

/// The level that was asked for, else that of the shard that was opened, else the finest; with its source at positions
/// along further axes.
pub fn level<'a>(
    dataset: &'a Dataset,
    layer: &'a Layer,
    mag: Option<MagLabel>,
    positions: &AxisPositions,
) -> Result<(&'a MagLevel, Arc<dyn ChunkSource>)> {
    let mags = || layer.levels.iter().map(|level| level.label().to_string()).collect::<Vec<_>>().join(", ");
    let level = match mag {
        Some(mag) => layer.level(mag).ok_or_else(|| UsageError(format!("layer {} has no mag {mag}, there are: {}", layer.name, mags())))?,
        None => dataset
            .focus
            .and_then(|focus| layer.levels.get(focus.level))
            .or(layer.levels.first())
            .ok_or_else(|| anyhow!("layer {} has no mag that could be read", layer.name))?,
    };
    match &level.source {
        Ok(source) => match source_at(source, &positions.of_layer(layer)) {
            Some(source) => Ok((level, source)),
            None => Err(anyhow!("can't read layer {}, mag {} at these positions: {}", layer.name, level.label(), level.path.display())),
        },
        Err(error) => Err(anyhow!("can't read layer {}, mag {}: {error}", layer.name, level.label())),
    }
}

/// Refuses two `--axis` options for one axis.
pub fn check_once(wanted: &[AxisPosition]) -> Result<()> {
    let repeated = wanted.iter().enumerate().find(|(i, position)| wanted[..*i].iter().any(|other| other.name == position.name));
    match repeated {
        Some((_, AxisPosition { name, .. })) => Err(UsageError(format!("axis {name} has several positions, expected one")).into()),
        None => Ok(()),
    }
}

/// The positions that `--axis` options mean. Each must be an axis of at least one layer, and inside where a layer has it.
pub fn positions(layers: &[&Layer], wanted: &[AxisPosition]) -> Result<AxisPositions> {
    check_once(wanted)?;
    for AxisPosition { name, index } in wanted {
        let axes = || layers.iter().flat_map(|layer| &layer.axes);
        if !axes().any(|axis| axis.name == *name) {
            let mut names: Vec<_> = axes().map(|axis| axis.name.as_str()).collect();
            names.dedup();
            let there = if names.is_empty() { "none beside x, y, z and channel".to_owned() } else { names.join(", ") };
            let layers = layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(UsageError(format!("layer {layers} has no axis {name:?}, there is {there}")).into());
        }
        if let Some(axis) = axes().find(|axis| axis.name == *name && *index >= axis.len) {
            let last = axis.len.saturating_sub(1);
            return Err(UsageError(format!("axis {name} has positions 0 to {last}, not {index}")).into());
        }
    }
    Ok(wanted.iter().map(|position| (position.name.clone(), position.index)).collect())
}
