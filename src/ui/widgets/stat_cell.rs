//! Small cells with a label over a value, side by side.

use egui::{Align2, Color32, Rect, Response, Role, Sense, Ui, Widget, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Tokens, fonts, metrics};

const HEIGHT: f32 = 40.0;
const PADDING: f32 = 8.0;

/// A label over a value with a quieter unit, 40 high, as wide as there is room.
#[derive(Clone, Debug)]
#[must_use = "add it to a ui"]
pub struct StatCell<'a> {
    label: &'a str,
    value: &'a str,
    unit: &'a str,
    color: Option<Color32>,
}

impl<'a> StatCell<'a> {
    /// A cell with a value without a unit.
    pub fn new(label: &'a str, value: &'a str) -> Self {
        Self { label, value, unit: "", color: None }
    }

    /// Adds a unit, or `of 324`, after the value.
    pub fn unit(mut self, unit: &'a str) -> Self {
        self.unit = unit;
        self
    }

    /// Another colour for the value, such as that of a severity.
    pub fn color(mut self, color: Color32) -> Self {
        self.color = Some(color);
        self
    }
}

impl Widget for StatCell<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        show_at(&self, ui, rect, response)
    }
}

/// Cells in rows of `columns` with gaps of 4.
pub fn stat_grid_ui(ui: &mut Ui, columns: usize, cells: &[StatCell<'_>]) {
    let columns = columns.max(1);
    let rows = cells.len().div_ceil(columns);
    let gap = metrics::TIGHT_GAP;
    let height = (rows as f32 * (HEIGHT + gap) - gap).max(0.0);
    let (rect, grid) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let pitch = (rect.width() + gap) / columns as f32;
    for (index, cell) in cells.iter().enumerate() {
        let left = rect.left() + pitch * (index % columns) as f32;
        let right = rect.left() + pitch * (index % columns + 1) as f32 - gap;
        let top = rect.top() + (HEIGHT + gap) * (index / columns) as f32;
        let cell_rect = Rect::from_x_y_ranges(left.round()..=right.round(), top..=top + HEIGHT);
        let response = ui.interact(cell_rect, grid.id.with(index), Sense::hover());
        show_at(cell, ui, cell_rect, response);
    }
}

fn show_at(cell: &StatCell<'_>, ui: &Ui, rect: Rect, response: Response) -> Response {
    let tokens = Tokens::of(ui);
    let spoken = format!("{} {} {}", cell.label, cell.value, cell.unit);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), spoken.trim_end()));
    let painter = ui.painter();
    painter.rect_filled(rect, metrics::RADIUS_CONTROL, tokens.bg1);
    let inner = rect.shrink2(vec2(PADDING, 4.0));
    let label_row = inner.with_max_y(inner.top() + 16.0);
    let label = paint::line_within(ui, cell.label, fonts::small(), tokens.t3, inner.width());
    paint::draw(painter, &label, Align2::LEFT_CENTER, label_row, tokens.t3);
    let value_row = inner.with_min_y(label_row.bottom());
    let color = cell.color.unwrap_or(tokens.t1);
    let value = paint::line(ui, cell.value, fonts::control_medium(), color);
    let placed = paint::draw(painter, &value, Align2::LEFT_CENTER, value_row, color);
    if !cell.unit.is_empty() {
        let room = value_row.with_min_x(placed.right() + 4.0);
        let unit = paint::line_within(ui, cell.unit, fonts::control(), tokens.t3, room.width());
        paint::draw(painter, &unit, Align2::LEFT_CENTER, room, tokens.t3);
    }
    response
}
