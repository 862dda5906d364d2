//! The bar below the panes: where one looks along axes beyond x, y, z and channel. Only datasets with such axes have it.

use super::theme::{Tokens, fonts, icons, metrics, text};
use super::top_bar::with_shortcut;
use super::widgets::{IconButton, SliderRow, divider_ui};
use crate::format::ExtraAxis;
use crate::state::{AppCommand, AppContext, OpenDataset, UiCommand};
use egui::{Align, Color32, Frame, Label, Layout, Margin, ScrollArea, Ui, vec2};

const ROW: f32 = 28.0;
/// Further axes are scrolled to.
const MAX_ROWS: usize = 3;
/// Above and below the rows.
const PADDING: f32 = 2.0;
/// Names of axes are short; longer ones are cut.
const MAX_NAME: f32 = 96.0;

/// Height that the bar takes from the panes; 0 without such axes.
pub fn axis_bar_height(open: &OpenDataset) -> f32 {
    match open.axes.len() {
        0 => 0.0,
        rows => rows.min(MAX_ROWS) as f32 * ROW + 2.0 * PADDING + 1.0,
    }
}

/// Draws the bar over the whole of `ui`.
pub fn axis_bar_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    ui.spacing_mut().item_spacing.y = 0.0;
    divider_ui(ui);
    let label_width = open.axes.iter().map(|axis| text_width(ui, &axis.name)).fold(16.0, f32::max).min(MAX_NAME) + metrics::GAP;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        Frame::NONE.inner_margin(Margin::symmetric(metrics::PANEL_PADDING as i8, PADDING as i8)).show(ui, |ui| {
            for (number, axis) in open.axes.iter().enumerate() {
                row_ui(ui, ctx, open, (number, axis), label_width);
            }
        });
    });
}

/// Steps back and on, slider with field, last position.
fn row_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, (number, axis): (usize, &ExtraAxis), label_width: f32) {
    let tokens = Tokens::of(ui);
    let (position, last) = (open.positions.get(&axis.name), axis.len.saturating_sub(1));
    let mut wanted = position;
    let size = vec2(ui.available_width(), ROW);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
        // Steps stand still while the number of digits changes.
        let total = format!("/ {last}");
        ui.add(Label::new(text::control(&total).color(tokens.t3)).extend()).on_hover_text(format!("Positions 0 to {last}"));
        ui.add_space(metrics::TIGHT_GAP);
        let mut value = position as f64;
        let rest = ui.available_width();
        ui.allocate_ui_with_layout(vec2(rest, metrics::CONTROL_HEIGHT), Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
            let tip = |command: UiCommand, plain: &str| if number == 0 { with_shortcut(command) } else { plain.to_owned() };
            let name = Label::new(text::control(&axis.name).color(tokens.t2)).truncate();
            ui.add_sized(vec2(label_width, metrics::CONTROL_HEIGHT), name).on_hover_text(format!("Axis {}", axis.name));
            let back = tip(UiCommand::PreviousOnAxis, "Previous position");
            if ui.add_enabled(position > 0, IconButton::new(icons::MINUS, &format!("Previous {}", axis.name), &back)).clicked() {
                wanted = position.saturating_sub(1);
            }
            let on = tip(UiCommand::NextOnAxis, "Next position");
            if ui.add_enabled(position < last, IconButton::new(icons::PLUS, &format!("Next {}", axis.name), &on)).clicked() {
                wanted = position.saturating_add(1);
            }
            ui.add_space(metrics::TIGHT_GAP);
            if ui.add(SliderRow::new(&axis.name, &mut value, 0.0..=last as f64).label_width(0.0)).changed() {
                wanted = value.round().max(0.0) as u64;
            }
        });
    });
    if wanted != position {
        ctx.send(AppCommand::SetAxis { axis: axis.name.clone(), position: wanted });
    }
}

fn text_width(ui: &Ui, name: &str) -> f32 {
    ui.painter().layout_no_wrap(name.to_owned(), fonts::control(), Color32::PLACEHOLDER).size().x.ceil()
}
