//! Counting the values on screen, for histograms and automatic windows.

use super::{Counted, Counts, FeedResult, PaneImage, SliceFeed, plane_index, send};
use crate::format::LayerCategory;
use crate::geometry::SlicePlane;
use crate::scene::{PaneView, histogram_of};
use crate::state::{OpenDataset, OpenLayer};

impl SliceFeed {
    /// Counts the values of the selected layer, and of one that needs a window, when their picture is complete.
    pub(super) fn count_values(&mut self, open: &OpenDataset, panes: &[PaneView]) {
        let Some(pane) = panes.iter().find(|pane| pane.plane() == SlicePlane::Xy).or(panes.first()) else { return };
        let feed = &self.panes[plane_index(pane.plane())];
        // Only the picture of what is wanted now says that its chunks are there; an older one may lack a layer.
        let is_current =
            |picture: &&PaneImage| picture.view == *pane && feed.shows_what_was_asked() && feed.image_positions == self.followed.positions;
        let picture = feed.image.as_ref().filter(is_current);
        let is_complete = picture.is_some_and(|picture| picture.image.coverage.pending == 0);
        if self.is_counting || !is_complete {
            return;
        }
        if self.counts.view != Some(*pane) {
            self.counts = Counts { view: Some(*pane), ..Counts::default() };
        }
        let Some(counted) = self.next_to_count(open) else { return };
        let Some(slice_layer) = self.slice_layer(open, counted.layer) else { return };
        let is_without =
            open.layers.get(counted.layer).is_some_and(|layer| layer.without_window().any(|channel| channel == counted.channel));
        if is_without && !self.counts.tried.contains(&counted) {
            self.counts.tried.push(counted); // at most one for each channel
        }
        self.counts.last = Some(counted);
        let (sender, waker, lookup, dataset, view) = (self.sender.clone(), self.waker.clone(), self.lookup(), self.dataset, *pane);
        self.is_counting = self.loader.spawn_compose(move || {
            let histogram = histogram_of(&slice_layer, counted.channel, &view, lookup.as_ref());
            send(&sender, &waker, FeedResult::Histogram { counted, dataset, histogram });
        });
    }

    /// What needs a window and wasn't counted in this picture, then what the panel shows, unless it was counted last.
    fn next_to_count(&self, open: &OpenDataset) -> Option<Counted> {
        let is_shown = |layer: &OpenLayer| layer.display.visible && layer.layer().category == LayerCategory::Color;
        let shown = open.layers.iter().enumerate().filter(|(_, layer)| is_shown(layer));
        let mut needed = shown.flat_map(|(index, layer)| layer.without_window().map(move |channel| Counted { layer: index, channel }));
        let selected = open.selected().filter(|layer| is_shown(layer));
        let selected = selected.map(|layer| Counted { layer: open.selected, channel: layer.selected_channel });
        needed.find(|counted| !self.counts.tried.contains(counted)).or(selected.filter(|selected| self.counts.last != Some(*selected)))
    }
}
