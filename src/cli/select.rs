//! Which layer, mag and axes a command's options mean.

use super::UsageError;
use super::args::AxisPosition;
use crate::format::{ChunkSource, Dataset, Layer, MagLevel};
use crate::geometry::Mag;
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

/// The level that was asked for, else that of the shard that was opened, else the finest; with its source.
pub fn level<'a>(dataset: &'a Dataset, layer: &'a Layer, mag: Option<Mag>) -> Result<(&'a MagLevel, Arc<dyn ChunkSource>)> {
    let mags = || layer.levels.iter().map(|level| level.mag.to_string()).collect::<Vec<_>>().join(", ");
    let level = match mag {
        Some(mag) => layer.level(mag).ok_or_else(|| UsageError(format!("layer {} has no mag {mag}, there are: {}", layer.name, mags())))?,
        None => dataset
            .focus
            .and_then(|focus| layer.levels.get(focus.level))
            .or(layer.levels.first())
            .ok_or_else(|| anyhow!("layer {} has no mag that could be read", layer.name))?,
    };
    match &level.source {
        Ok(source) => Ok((level, source.clone())),
        Err(error) => Err(anyhow!("can't read layer {}, mag {}: {error}", layer.name, level.mag)),
    }
}

/// Checks `--axis` options against the layer's axes.
pub fn check_axes(layer: &Layer, positions: &[AxisPosition]) -> Result<()> {
    for position in positions {
        let Some(axis) = layer.axes.iter().find(|axis| axis.name == position.name) else {
            let names: Vec<_> = layer.axes.iter().map(|axis| axis.name.as_str()).collect();
            let there = if names.is_empty() { "none beside x, y, z and channel".to_owned() } else { names.join(", ") };
            return Err(UsageError(format!("layer {} has no axis {:?}, there is {there}", layer.name, position.name)).into());
        };
        if position.index >= axis.len {
            return Err(UsageError(format!(
                "axis {} has positions 0 to {}, not {}",
                axis.name,
                axis.len.saturating_sub(1),
                position.index
            ))
            .into());
        }
    }
    Ok(())
}
