//! A side of the window that is folded to its icons.

use super::theme::{Icon, icons, metrics};
use super::widgets::{IconToggle, icon_button_ui};
use crate::state::{AppCommand, AppContext, InspectorTab, UiCommand};
use egui::{Align, Layout, Ui, UiBuilder, vec2};

const TABS: [(InspectorTab, Icon, UiCommand); 5] = [
    (InspectorTab::Header, icons::FILE, UiCommand::ShowHeader),
    (InspectorTab::Layout, icons::SQUARES_FOUR, UiCommand::ShowLayout),
    (InspectorTab::Probe, icons::CROSSHAIR_SIMPLE, UiCommand::ShowProbe),
    (InspectorTab::Annotation, icons::PAINT_BRUSH, UiCommand::ShowAnnotation),
    (InspectorTab::Problems, icons::WARNING, UiCommand::ShowProblems),
];

/// What a rail asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RailClick {
    /// Nothing.
    None,
    /// To unfold the side.
    Unfold,
}

/// The inspector's tabs as icons; a click opens one.
pub fn inspector_rail_ui(ui: &mut Ui, ctx: &AppContext<'_>) -> RailClick {
    let mut clicked = RailClick::None;
    column_ui(ui, |ui| {
        for (tab, icon, command) in TABS {
            if icon_button_ui(ui, icon, command.text(), command.text()).clicked() {
                ctx.send(AppCommand::ShowInspector(tab));
                clicked = RailClick::Unfold;
            }
        }
    });
    clicked
}

/// The left panel as an icon, with the layers' eyes so that they stay at hand.
pub fn left_rail_ui(ui: &mut Ui, ctx: &AppContext<'_>) -> RailClick {
    let mut clicked = RailClick::None;
    column_ui(ui, |ui| {
        if icon_button_ui(ui, icons::CUBE, "Show left panel", "Show dataset and layers (K)").clicked() {
            clicked = RailClick::Unfold;
        }
        let Some(open) = &ctx.state.dataset else { return };
        for (index, layer) in open.layers.iter().enumerate() {
            if ui.available_height() < metrics::CONTROL_HEIGHT {
                break; // the panel lists them all
            }
            let name = &layer.layer().name;
            let mut visible = layer.display.visible;
            let tooltip = format!("{} {name}", if visible { "Hide" } else { "Show" });
            if ui.add(IconToggle::new(&mut visible, icons::EYE, name, &tooltip).swapping(icons::EYE_SLASH)).changed() {
                let mut display = layer.display.clone();
                display.visible = visible;
                ctx.send(AppCommand::SetDisplay { layer: index, display });
            }
        }
    });
    clicked
}

fn column_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let rect = ui.max_rect().shrink2(vec2(0.0, metrics::GAP));
    let mut column = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::top_down(Align::Center)));
    contents(&mut column);
}
