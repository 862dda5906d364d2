//! What rows of the annotation's lists share: places of their parts, and lists that draw only what is seen.

use super::padded_ui;
use crate::ui::theme::{fonts, metrics};
use crate::ui::widgets::IconToggle;
use egui::{Align2, Color32, Rect, ScrollArea, Sense, Ui, pos2, vec2};

/// Rows that a list shows at once; more of them scroll.
const MAX_ROWS: f32 = 10.0;
/// Width of the place of the eye.
pub const EYE: f32 = 20.0;
/// Where texts begin: after eye and colour.
pub const TEXT_LEFT: f32 = 42.0;

/// A list of rows, of which only the visible ones are drawn. `scroll_to` is a row to bring into view.
pub fn rows_ui(ui: &mut Ui, salt: &str, rows: usize, scroll_to: Option<usize>, mut row_ui: impl FnMut(&mut Ui, usize)) {
    let height = metrics::ROW_LIST;
    let mut area = ScrollArea::vertical().id_salt(salt).max_height(MAX_ROWS * height).auto_shrink([false, true]);
    if let Some(row) = scroll_to {
        area = area.vertical_scroll_offset((row as f32 - MAX_ROWS / 2.0).max(0.0) * height);
    }
    area.show_rows(ui, height, rows, |ui, visible| {
        padded_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for row in visible {
                ui.push_id(row, |ui| row_ui(ui, row));
            }
        });
    });
}

/// The eye at the left of a row; answers whether it was clicked.
pub fn eye_ui(ui: &mut Ui, row: Rect, name: &str, is_visible: bool) -> bool {
    let place = Rect::from_center_size(pos2(row.left() + EYE / 2.0 - 2.0, row.center().y), vec2(metrics::CONTROL_HEIGHT, 20.0));
    let mut is_on = is_visible;
    let tooltip = if is_visible { "Hide" } else { "Show" };
    let eye = IconToggle::new(&mut is_on, crate::ui::theme::icons::EYE, name, tooltip);
    ui.place(place, eye.swapping(crate::ui::theme::icons::EYE_SLASH)).changed()
}

/// Draws a text at the right end of a row and answers where it begins.
pub fn right_text(ui: &Ui, row: Rect, text: &str, color: Color32) -> f32 {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), fonts::control(), color);
    let placed = Align2::RIGHT_CENTER.align_size_within_rect(galley.size(), row);
    ui.painter().galley(placed.min, galley, color);
    placed.left()
}

/// Draws a text from `left` on, cut before `right`. What was cut shows whole in the tooltip of the row.
pub fn left_text(ui: &mut Ui, row: Rect, left: f32, right: f32, text: egui::RichText) {
    let place = Rect::from_min_max(pos2(left, row.top()), pos2(right.max(left), row.bottom()));
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(place).layout(layout).sense(Sense::hover()));
    child.add(egui::Label::new(text).selectable(false).truncate());
}
