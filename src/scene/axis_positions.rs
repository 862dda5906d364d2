//! [`AxisPositions`]: where one looks along axes beyond x, y, z and channel, and levels there.

use crate::format::{ChunkSource, Layer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Positions by the names of axes, shared by all layers that have such an axis. Others are at 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisPositions(BTreeMap<String, u64>);

impl AxisPositions {
    /// The position along an axis.
    pub fn get(&self, axis: &str) -> u64 {
        self.0.get(axis).copied().unwrap_or(0)
    }

    /// Sets the position along an axis.
    pub fn set(&mut self, axis: impl Into<String>, position: u64) {
        self.0.insert(axis.into(), position);
    }

    /// The positions of a layer, in the order of its axes; at most its last ones.
    pub fn of_layer(&self, layer: &Layer) -> Vec<u64> {
        layer.axes.iter().map(|axis| self.get(&axis.name).min(axis.len.saturating_sub(1))).collect()
    }
}

impl FromIterator<(String, u64)> for AxisPositions {
    fn from_iter<T: IntoIterator<Item = (String, u64)>>(positions: T) -> Self {
        Self(positions.into_iter().collect())
    }
}

/// A level that was opened, at positions of its layer's axes. `None` where it has no such positions.
pub fn source_at(source: &Arc<dyn ChunkSource>, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
    if positions.iter().all(|position| *position == 0) { Some(source.clone()) } else { source.at_axes(positions) }
}
