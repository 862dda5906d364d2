//! The left panel's section of the annotation: its volumes and its skeleton.

use super::annotation_look::counted;
use super::dataset_panel::chip_width;
use super::theme::{Tokens, icons, metrics, text};
use super::widgets::{IconToggle, Row, RowState, SectionHeader, chip_ui};
use crate::state::{AnnotationCommand, AppCommand, AppContext, OpenAnnotation, OpenDataset, OpenVolume, UiCommand};
use egui::{Align, Label, Layout, Ui};

/// Draws the section while an annotation is open.
pub fn annotation_layers_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let Some(annotation) = &ctx.state.annotation else { return };
    SectionHeader::new("Annotation layers").show_plain(ui);
    for (index, volume) in annotation.volumes.iter().enumerate() {
        ui.push_id(index, |ui| volume_ui(ui, ctx, open, (index, volume)));
    }
    if !annotation.skeleton.is_empty() {
        skeleton_ui(ui, ctx, annotation);
    }
    ui.add_space(metrics::GAP);
}

fn volume_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, (index, volume): (usize, &OpenVolume)) {
    let Some(layer) = open.layers.get(volume.layer) else { return };
    let state = if open.selected == volume.layer { RowState::Selected } else { RowState::Plain };
    let name = &layer.layer().name;
    let is_visible = layer.display.visible;
    let row = Row::new(name, state).show(ui, |ui| {
        let value = if is_visible { format!("{:.0} %", layer.display.opacity * 100.0) } else { "off".to_owned() };
        row_ui(ui, name, &volume.class.to_string(), &value, is_visible)
    });
    if row.inner {
        let mut display = layer.display.clone();
        display.visible ^= true;
        ctx.send(AppCommand::SetDisplay { layer: volume.layer, display });
    } else if row.response.clicked() {
        ctx.send(AppCommand::SelectLayer(volume.layer));
        ctx.send(AnnotationCommand::SelectVolume(index));
    }
}

fn skeleton_ui(ui: &mut Ui, ctx: &AppContext<'_>, annotation: &OpenAnnotation) {
    let trees = counted(annotation.nml.trees.len(), "tree", "trees");
    let row = Row::new("skeleton", RowState::Plain).show(ui, |ui| {
        let value = if annotation.shows_skeleton { "" } else { "off" };
        row_ui(ui, "skeleton", &trees, value, annotation.shows_skeleton)
    });
    if row.inner {
        ctx.send(UiCommand::ToggleSkeleton);
    } else if row.response.clicked() {
        ctx.send(UiCommand::ShowAnnotation);
    }
}

/// Eye, name and chip at the left, a value at the right; answers whether the eye was clicked.
fn row_ui(ui: &mut Ui, name: &str, chip: &str, value: &str, is_visible: bool) -> bool {
    let tokens = Tokens::of(ui);
    ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
    // Under the eyes of the dataset's layers.
    ui.add_space(metrics::PANEL_PADDING);
    let mut is_on = is_visible;
    let tooltip = if is_visible { "Hide layer" } else { "Show layer" };
    let is_switched = ui.add(IconToggle::new(&mut is_on, icons::EYE, name, tooltip).swapping(icons::EYE_SLASH)).changed();
    let (name_color, value_color) = if is_visible { (tokens.t1, tokens.t2) } else { (tokens.t3, tokens.t3) };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.label(text::control(value).color(value_color));
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let room = (ui.available_width() - chip_width(ui, chip) - metrics::GAP).max(0.0);
            ui.scope(|ui| {
                ui.set_max_width(room);
                ui.add(Label::new(text::body(name).color(name_color)).truncate());
            });
            ui.add_space(metrics::TIGHT_GAP);
            chip_ui(ui, chip);
        });
    });
    is_switched
}
