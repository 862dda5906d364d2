//! [`Dataset`], [`Layer`], [`MagLevel`]: what was opened, the same for every format.

use super::annotation::AnnotationFile;
use super::{ChunkSource, HeaderReport};
use crate::geometry::{BoundingBox, Mag, MagLabel, ShardIndex, Vec3Int, VoxelSize};
use crate::problem::Problems;
use crate::voxel::VoxelType;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// On-disk format of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DataFormat {
    /// webknossos-wrap.
    Wkw,
    /// Zarr version 2.
    Zarr,
    /// Zarr version 3.
    Zarr3,
    /// N5.
    N5,
    /// Neuroglancer precomputed.
    NeuroglancerPrecomputed,
}

impl fmt::Display for DataFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wkw => f.write_str("WKW"),
            Self::Zarr => f.write_str("Zarr 2"),
            Self::Zarr3 => f.write_str("Zarr 3"),
            Self::N5 => f.write_str("N5"),
            Self::NeuroglancerPrecomputed => f.write_str("Neuroglancer precomputed"),
        }
    }
}

/// Whether a layer shows intensities or ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerCategory {
    /// Intensities or RGB.
    Color,
    /// Segment ids; 0 is the background.
    Segmentation,
}

/// An opened dataset. Clones share what reads their chunks.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Name as shown: the folder's.
    pub name: String,
    /// What was opened: folder of the dataset, layer or mag, or a shard's file.
    pub path: PathBuf,
    /// Format of its layers (of the first, where they differ).
    pub format: DataFormat,
    /// Size of a mag-1 voxel.
    pub voxel_size: VoxelSize,
    /// Layers in display order.
    pub layers: Vec<Layer>,
    /// Fields of the dataset's own metadata file.
    pub header: HeaderReport,
    /// The configured first view.
    pub view: ViewConfiguration,
    /// Where to look first, when a shard was opened.
    pub focus: Option<Focus>,
    /// Skeleton, segments and stored buckets, when an annotation was opened.
    pub annotation: Option<Arc<AnnotationFile>>,
    /// What went partly wrong while opening.
    pub problems: Problems,
}

impl Dataset {
    /// The layer of this name.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// The smallest box around all layers, in mag-1 voxels.
    pub fn bounding_box(&self) -> BoundingBox {
        self.layers.iter().fold(BoundingBox::default(), |all, layer| all.union(&layer.bounding_box))
    }
}

/// The shard that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Focus {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the level in that layer.
    pub level: usize,
    /// The shard.
    pub shard: ShardIndex,
}

/// View settings that a dataset brings along. All optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewConfiguration {
    /// Mag-1 voxel in the centre.
    pub position: Option<Vec3Int>,
    /// Finest voxels per pixel.
    pub zoom: Option<f64>,
}

/// Display settings that a layer brings along. All optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerConfiguration {
    /// Colour that intensities are multiplied by.
    pub color: Option<[u8; 3]>,
    /// Opacity, 0 to 1.
    pub alpha: Option<f64>,
    /// Values shown as black and as full intensity.
    pub intensity_range: Option<(f64, f64)>,
    /// Exponent of the intensity curve.
    pub gamma: Option<f64>,
    /// Black and white swapped.
    pub is_inverted: Option<bool>,
    /// Hidden at first.
    pub is_disabled: Option<bool>,
    /// Settings of each channel, in the order of the channels (OME's `omero`). Empty where nothing is known of them.
    pub channels: Vec<ChannelConfiguration>,
}

/// Display settings of one channel of a layer. All optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelConfiguration {
    /// Name for people: `DAPI`.
    pub name: Option<String>,
    /// Colour that its intensities are multiplied by.
    pub color: Option<[u8; 3]>,
    /// Values shown as black and as full intensity.
    pub intensity_range: Option<(f64, f64)>,
    /// Black and white swapped.
    pub is_inverted: Option<bool>,
    /// Shown at first.
    pub is_active: Option<bool>,
}

/// The colour that a dataset gives a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentColor {
    /// The id, as the 64 bits that are stored (sign-extended for signed classes).
    pub id: u64,
    /// Red, green, blue and opacity.
    pub rgba: [u8; 4],
}

/// One layer of a dataset. Clones share their sources.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Name, unique in the dataset.
    pub name: String,
    /// Intensities or ids.
    pub category: LayerCategory,
    /// Format of its levels.
    pub format: DataFormat,
    /// Type of its voxels: of the levels that could be opened, else as declared; `None` where neither is known.
    pub voxel_type: Option<VoxelType>,
    /// Extent in mag-1 voxels.
    pub bounding_box: BoundingBox,
    /// Whether `bounding_box` was declared (or else derived from the shards found).
    pub has_declared_box: bool,
    /// Highest segment id in use, as declared.
    pub largest_segment_id: Option<u64>,
    /// Levels, finest first.
    pub levels: Vec<MagLevel>,
    /// Axes beyond x, y, z and channel, in the order of [`ChunkSource::at_axes`]. WKW has none.
    pub axes: Vec<ExtraAxis>,
    /// Colours that the dataset gives single segments; the others have computed ones.
    pub segment_colors: Arc<[SegmentColor]>,
    /// Configured display settings.
    pub configuration: LayerConfiguration,
}

impl Layer {
    /// The level of this label.
    pub fn level(&self, label: MagLabel) -> Option<&MagLevel> {
        self.levels.iter().find(|level| level.label() == label)
    }

    /// The finest level that could be opened.
    pub fn finest(&self) -> Option<&MagLevel> {
        self.levels.iter().find(|level| level.source.is_ok())
    }
}

/// An axis beyond x, y, z and channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraAxis {
    /// Name: `t`.
    pub name: String,
    /// Number of positions.
    pub len: u64,
}

/// One mag of a layer.
#[derive(Clone)]
pub struct MagLevel {
    /// The mag.
    pub mag: Mag,
    /// 1 for the first or only level of the mag, 2 for the second and so on: levels may coincide.
    pub copy: u32,
    /// Its folder.
    pub path: PathBuf,
    /// Its chunks, or why there are none.
    pub source: Result<Arc<dyn ChunkSource>, Arc<LevelError>>,
}

impl MagLevel {
    /// Its name among the levels of the layer.
    pub const fn label(&self) -> MagLabel {
        MagLabel { mag: self.mag, copy: self.copy }
    }
}

impl fmt::Debug for MagLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MagLevel")
            .field("label", &self.label())
            .field("path", &self.path)
            .field("error", &self.source.as_ref().err())
            .finish_non_exhaustive()
    }
}

/// Why a level of a layer can't be read at all.
#[derive(Debug, Default, thiserror::Error)]
#[error("{reason}: {location}")]
pub struct LevelError {
    /// What is wrong, in the format's words.
    pub reason: String,
    /// File or folder.
    pub location: String,
}
