//! [`Image`]: levels of different scale that a format describes together, before they become a layer's mags.

use super::{ChunkSource, DataFormat, ExtraAxis, LayerCategory, LayerConfiguration, LevelError, SegmentColor};
use crate::geometry::LengthUnit;
use crate::problem::Problems;
use std::path::PathBuf;
use std::sync::Arc;

/// An image or label image with its levels.
#[derive(Debug)]
pub struct Image {
    /// Name of the layer that it becomes.
    pub name: String,
    /// Intensities or ids; guessed from the name if `None`.
    pub category: Option<LayerCategory>,
    /// Format of its levels.
    pub format: DataFormat,
    /// Unit of the levels' scales; `None` where lengths aren't known.
    pub unit: Option<LengthUnit>,
    /// In any order.
    pub levels: Vec<ScaledLevel>,
    /// Display settings that it brings along.
    pub configuration: LayerConfiguration,
    /// Colours of single ids.
    pub segment_colors: Vec<SegmentColor>,
    /// Findings and assumptions.
    pub problems: Problems,
}

/// One level of an [`Image`].
pub struct ScaledLevel {
    /// Its folder.
    pub path: PathBuf,
    /// Size of a voxel along x, y, z in the image's unit.
    pub scale: [f64; 3],
    /// Position of the first voxel's centre along x, y, z in the image's unit, as far as it is described.
    pub translation: [f64; 3],
    /// Its chunks, or why there are none.
    pub source: Result<Arc<dyn ChunkSource>, Arc<LevelError>>,
    /// Axes beyond x, y, z and channel.
    pub axes: Vec<ExtraAxis>,
}

impl std::fmt::Debug for ScaledLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScaledLevel")
            .field("path", &self.path)
            .field("scale", &self.scale)
            .field("translation", &self.translation)
            .field("error", &self.source.as_ref().err())
            .field("axes", &self.axes)
            .finish()
    }
}
