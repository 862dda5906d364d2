//! What one picture of a pane is made from ([`SliceRequest`]) and what comes back ([`SliceImage`]).
//!
//! Plain data, so that a request can be made on the UI thread and composed on a worker
//! ([`compose`](super::compose())).

use super::layer_display::LayerDisplay;
use super::pane::PaneView;
use crate::format::LayerCategory;
use crate::geometry::{BoundingBox, ChunkGrid, Mag, VoxelSize};
use crate::loading::{ChunkId, SourceId};
use crate::voxel::VoxelType;
use std::sync::Arc;

/// Failed chunks that one image names.
pub const MAX_FAILED_CHUNKS: usize = 64;

/// One mag of a layer.
#[derive(Clone, Debug)]
pub struct SliceLevel {
    /// The mag.
    pub mag: Mag,
    /// Where its chunks are looked up.
    pub source: SourceId,
    /// Its division into chunks, in voxels of this level.
    pub grid: ChunkGrid,
    /// Bytes of one voxel where nothing is stored.
    pub fill: Arc<[u8]>,
}

/// One layer as an image needs it.
#[derive(Clone, Debug)]
pub struct SliceLayer {
    /// The level chosen for the zoom, then coarser stand-ins (up to 3 make sense), finest first.
    pub levels: Vec<SliceLevel>,
    /// Type of each voxel, in all levels.
    pub voxel_type: VoxelType,
    /// Extent in mag-1 voxels; nothing is drawn outside.
    pub bounding_box: BoundingBox,
    /// Intensities or ids.
    pub category: LayerCategory,
    /// How it is drawn.
    pub display: LayerDisplay,
}

/// All that one image of a pane depends on, besides the chunks.
#[derive(Clone, Debug)]
pub struct SliceRequest {
    /// Plane, pixels and position.
    pub view: PaneView,
    /// Size of a mag-1 voxel, for the segments' pattern.
    pub voxel_size: VoxelSize,
    /// Finest voxels per pixel, for the segments' pattern.
    pub zoom: f64,
    /// Layers, the bottom one first. Invisible ones are skipped.
    pub layers: Vec<SliceLayer>,
    /// Whether dots mark where nothing is stored.
    pub missing_pattern: bool,
    /// Segment under the pointer by its 64 bits (sign-extended), drawn stronger.
    pub hovered_segment: Option<u64>,
}

/// A composed pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceImage {
    /// Pixels to the right.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green, blue, 255 for each pixel, row by row: `4 * width * height` bytes.
    pub rgba: Vec<u8>,
    /// What the pixels were made from.
    pub coverage: Coverage,
}

/// What the pixels of an image were made from. Counts are pixels, summed over the visible layers;
/// pixels outside a layer's bounding box don't count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Drawn from the chosen level.
    pub exact: u64,
    /// Drawn from a coarser stand-in, while the chosen level's chunk isn't there.
    pub coarse: u64,
    /// Not there yet, and no stand-in either.
    pub pending: u64,
    /// Not stored: fill value.
    pub missing: u64,
    /// In chunks that can't be shown.
    pub failed: u64,
    /// Those chunks, each once; the first 64.
    pub failed_chunks: Vec<ChunkId>,
    /// The finest mag that any pixel was drawn from.
    pub finest: Option<Mag>,
}

impl Coverage {
    /// Whether no chunk is awaited: a later image of the same request would be the same.
    pub const fn is_final(&self) -> bool {
        self.coarse == 0 && self.pending == 0
    }

    /// Takes the finer of what was drawn so far and `mag`.
    pub(super) fn note_mag(&mut self, mag: Mag) {
        if self.finest.is_none_or(|finest| mag.sort_key() < finest.sort_key()) {
            self.finest = Some(mag);
        }
    }

    /// Adds the counts of another part of the image.
    pub(super) fn add(&mut self, other: Self) {
        let Self { exact, coarse, pending, missing, failed, failed_chunks, finest } = other;
        self.exact += exact;
        self.coarse += coarse;
        self.pending += pending;
        self.missing += missing;
        self.failed += failed;
        self.add_failed_chunks(&failed_chunks);
        if let Some(mag) = finest {
            self.note_mag(mag);
        }
    }

    /// Names more failed chunks, each once, up to the limit.
    pub(super) fn add_failed_chunks(&mut self, chunks: &[ChunkId]) {
        for id in chunks {
            if self.failed_chunks.len() < MAX_FAILED_CHUNKS && !self.failed_chunks.contains(id) {
                self.failed_chunks.push(*id);
            }
        }
    }
}
