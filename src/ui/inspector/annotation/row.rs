//! What rows of the annotation's lists share: places of their parts, and lists that draw only what is seen.

use super::padded_ui;
use crate::ui::theme::{fonts, metrics};
use crate::ui::widgets::IconToggle;
use egui::{Align2, Color32, Rect, ScrollArea, Sense, Ui, pos2, vec2};

/// Rows that a list shows at least, if it has as many; in a panel without room for them the panel scrolls.
const LEAST_ROWS: usize = 6;
/// Rows that a list may show where all of them fit.
const MOST_ROWS: usize = 1 << 10;
/// Width of the place of the eye.
pub const EYE: f32 = 20.0;
/// Where texts begin: after eye and colour.
pub const TEXT_LEFT: f32 = 42.0;

/// The lists of the panel, which share its height: each shows up to as many rows as all can.
#[derive(Debug)]
pub struct Lists {
    /// Rows that a list shows at once; more of them scroll.
    max_rows: usize,
    /// How many rows the lists of this frame have.
    rows: Vec<usize>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { max_rows: LEAST_ROWS, rows: Vec::new() }
    }
}

impl Lists {
    /// A list of rows, of which only the visible ones are drawn. `scroll_to` is a row to bring into view.
    pub fn rows_ui(&mut self, ui: &mut Ui, salt: &str, rows: usize, scroll_to: Option<usize>, mut row_ui: impl FnMut(&mut Ui, usize)) {
        self.rows.push(rows);
        let row_height = metrics::ROW_LIST;
        let height = self.max_rows as f32 * row_height;
        // Without a least height lists far down would get what is left of the panel, which may be next to nothing.
        let mut area = ScrollArea::vertical().id_salt(salt).max_height(height).min_scrolled_height(height).auto_shrink([false, true]);
        if let Some(row) = scroll_to {
            area = area.vertical_scroll_offset((row as f32 * row_height - height / 2.0).max(0.0));
        }
        area.show_rows(ui, row_height, rows, |ui, visible| {
            padded_ui(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                for row in visible {
                    ui.push_id(row, |ui| row_ui(ui, row));
                }
            });
        });
    }

    /// Shares the `room` of the panel, whose contents were `content` high, for the next frame. Whether that changes
    /// anything.
    pub fn share(&mut self, room: f32, content: f32) -> bool {
        let rows = std::mem::take(&mut self.rows);
        let shown: usize = rows.iter().map(|rows| (*rows).min(self.max_rows)).sum();
        let free = (room - content) / metrics::ROW_LIST + shown as f32;
        let max_rows = shared(rows, free.max(0.0) as usize);
        std::mem::replace(&mut self.max_rows, max_rows) != max_rows
    }
}

/// The most rows that each list may show so that all of them show no more than `room`, but [`LEAST_ROWS`] at least.
fn shared(mut lists: Vec<usize>, mut room: usize) -> usize {
    lists.sort_unstable();
    let mut left = lists.len();
    for rows in lists {
        if rows * left > room {
            return (room / left).max(LEAST_ROWS); // `left` counts this list
        }
        room -= rows;
        left -= 1;
    }
    MOST_ROWS
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_share_the_room_and_short_ones_leave_theirs_to_the_others() {
        assert_eq!(shared(vec![3, 100, 57], 43), 20);
        assert_eq!(shared(vec![100], 30), 30);
        assert_eq!(shared(vec![3, 8], 11), MOST_ROWS, "all fit");
        assert_eq!(shared(vec![100, 100, 100], 4), LEAST_ROWS, "the panel scrolls");
        assert_eq!(shared(Vec::new(), 0), MOST_ROWS);
    }
}
