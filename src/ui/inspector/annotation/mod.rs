//! Annotation: what is edited and whether a file has it, its segments, trees, boxes, comments and history.

mod history;
mod places;
mod row;
mod segment_list;
mod segment_row;
mod segments;
mod summary;
mod trees;

use super::{hint_ui, padded_ui};
use crate::state::{AppContext, OpenAnnotation, UiCommand};
use crate::text::count;
use crate::ui::theme::{Tokens, icons, metrics, text};
use crate::ui::widgets::{SectionHeader, TextButton};
use egui::{InnerResponse, Label, ScrollArea, Ui};
use places::PlacesPanel;
use row::Lists;
use segments::SegmentsPanel;
use trees::TreesPanel;

/// The panel with what it remembers.
#[derive(Debug)]
pub struct AnnotationPanel {
    segments: SegmentsPanel,
    trees: TreesPanel,
    places: PlacesPanel,
    shows_history: bool,
    /// What was typed as the path of a dataset that wasn't found.
    dataset_path: String,
    lists: Lists,
}

impl Default for AnnotationPanel {
    fn default() -> Self {
        Self {
            segments: SegmentsPanel::default(),
            trees: TreesPanel::default(),
            places: PlacesPanel::default(),
            shows_history: true,
            dataset_path: String::new(),
            lists: Lists::default(),
        }
    }
}

impl AnnotationPanel {
    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let room = ui.available_height();
        let shown = ScrollArea::vertical().id_salt("annotation panel").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            match &ctx.state.annotation {
                Some(open) => self.parts_ui(ui, ctx, open),
                None => padded_ui(ui, |ui| offers_ui(ui, ctx)),
            }
            ui.add_space(metrics::PANEL_PADDING);
        });
        if self.lists.share(room, shown.content_size.y) {
            ui.ctx().request_repaint();
        }
    }

    fn parts_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation) {
        padded_ui(ui, |ui| summary::summary_ui(ui, ctx, open, &mut self.dataset_path));
        if let Some(volume) = open.volume() {
            self.segments.show(ui, ctx, open, volume, &mut self.lists);
        }
        self.trees.show(ui, ctx, open, &mut self.lists);
        self.places.show(ui, ctx, open, &mut self.lists);
        if let Some(volume) = open.volume() {
            history::history_ui(ui, ctx, volume, &mut self.shows_history, &mut self.lists);
        }
    }
}

/// What can be done while no annotation is open.
fn offers_ui(ui: &mut Ui, ctx: &AppContext<'_>) {
    let tokens = Tokens::of(ui);
    ui.add_space(metrics::PANEL_PADDING);
    ui.add(Label::new(text::body_medium("No annotation is open").color(tokens.t1)));
    for (command, icon, sentence) in [
        (
            UiCommand::NewAnnotation,
            icons::PLUS,
            "Paint segments over the selected segmentation, or from nothing. The dataset stays as it is; the annotation is exported to a file of its own.",
        ),
        (
            UiCommand::ImportAnnotation,
            icons::DOWNLOAD_SIMPLE,
            "Open an annotation of WEBKNOSSOS: a zip, an NML or a folder. Volumes can be edited, skeletons are shown and kept.",
        ),
    ] {
        hint_ui(ui, sentence);
        let is_available = ctx.state.dataset.is_some() || !command.needs_dataset();
        if ui.add_enabled(is_available, TextButton::new(command.text()).icon(icon)).clicked() {
            ctx.send(command);
        }
    }
}

/// How many there are: `357`, while some are searched for `3 of 357`.
fn found_text(found: Option<usize>, total: usize) -> String {
    let total = count(total as u64);
    found.map_or_else(|| total.clone(), |found| format!("{} of {total}", count(found as u64)))
}

/// The header of a section that folds, with padding.
fn header_ui<R>(ui: &mut Ui, title: &str, subject: &str, is_open: &mut bool, actions: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    padded_ui(ui, |ui| SectionHeader::new(title).subject(subject).foldable(is_open).show(ui, actions))
}
