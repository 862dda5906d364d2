//! What panels ask the feed: values, levels, pictures, histograms.

use super::{Counted, PaneImage, SliceFeed, plane_index};
use crate::geometry::{Mag, MagLabel, SlicePlane, Vec3Int};
use crate::loading::SourceId;
use crate::scene::{Histogram, LevelRef, Pick, pick};
use crate::state::OpenDataset;

impl SliceFeed {
    /// Value of a layer at a mag-1 voxel, from what is loaded; `None` for a layer that can't be read.
    pub fn pick(&self, open: &OpenDataset, layer: usize, voxel: Vec3Int) -> Option<Pick> {
        let slice_layer = self.slice_layer(open, layer)?;
        Some(pick(&slice_layer, voxel, self.lookup().as_ref()))
    }

    /// Which of its levels a layer shows now.
    pub fn shown_label(&self, layer: usize) -> Option<MagLabel> {
        self.shown_level(layer).map(LevelRef::label)
    }

    /// A level of a layer at the current positions, by its index in the layer; `None` if it can't be read.
    pub fn level(&self, layer: usize, index: usize) -> Option<&LevelRef> {
        self.readable.get(layer)?.iter().find(|level| level.index == index)
    }

    /// The level of a layer that has, or had at other positions, this number in the loader.
    pub fn level_of(&self, layer: usize, id: SourceId) -> Option<&LevelRef> {
        self.sources.level(layer, id)
    }

    /// The mag that a layer shows now.
    pub fn shown_mag(&self, layer: usize) -> Option<Mag> {
        self.shown_level(layer).map(|level| level.mag)
    }

    /// The level that a layer shows now.
    pub fn shown_level(&self, layer: usize) -> Option<&LevelRef> {
        self.layers.get(layer)?.levels.get(*self.shown.get(layer)?)
    }

    /// Whether a layer shows a coarser mag than the zoom asks for, because memory doesn't suffice.
    pub fn is_coarser_than_asked(&self, layer: usize) -> bool {
        self.layers.get(layer).zip(self.shown.get(layer)).is_some_and(|(layer, shown)| *shown > layer.chosen)
    }

    /// The picture of a pane.
    pub fn image(&self, plane: SlicePlane) -> Option<&PaneImage> {
        self.panes[plane_index(plane)].image.as_ref()
    }

    /// Values on screen of a layer, or of a channel where its channels are mixed, if they were the last counted.
    pub fn histogram(&self, layer: usize, channel: usize) -> Option<&Histogram> {
        self.histogram.as_ref().filter(|(counted, _)| *counted == Counted { layer, channel }).map(|(_, histogram)| histogram)
    }

    /// Whether every pane shows all it can.
    pub fn is_settled(&self) -> bool {
        self.loader.pending().visible == 0 && self.panes.iter().all(|pane| !pane.is_shown || pane.shows_what_was_asked())
    }
}
