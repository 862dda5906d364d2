//! A table of short texts with a head that sorts: shards and chunks. Only visible rows are laid out.
//!
//! Rows reach across the whole panel, are focusable one by one and named for screen readers; what
//! they mean is left to the panels.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{
    Align2, Color32, Galley, Painter, Pos2, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_extras::{Column as LaidOutColumn, TableBuilder};

use crate::ui::theme::{Icon, Tokens, fonts, icons, metrics};
use crate::ui::widgets::{LegendMark, paint_mark, paint_value_bar};

/// Space between columns.
const COLUMN_GAP: f32 = 12.0;
const MARK_WIDTH: f32 = 16.0;

/// One column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    title: &'static str,
    min_width: f32,
    is_right: bool,
    share: f32,
}

impl Column {
    /// A column of texts that start at its left.
    pub(super) const fn left(title: &'static str, min_width: f32) -> Self {
        Self { title, min_width, is_right: false, share: 1.0 }
    }

    /// A column of numbers.
    pub(super) const fn right(title: &'static str, min_width: f32) -> Self {
        Self { title, min_width, is_right: true, share: 1.0 }
    }

    /// The head.
    pub(super) const fn title(&self) -> &'static str {
        self.title
    }

    /// How much of the room that is left goes to this column, 1 by default.
    pub(super) const fn share(mut self, share: f32) -> Self {
        self.share = share;
        self
    }
}

/// Where the columns lie from the left edge of the table: from and to.
fn column_spans(columns: &[Column], width: f32) -> Vec<(f32, f32)> {
    let gaps = COLUMN_GAP * columns.len().saturating_sub(1) as f32;
    let needed: f32 = columns.iter().map(|column| column.min_width).sum();
    let shares: f32 = columns.iter().map(|column| column.share).sum();
    let room = (width - 2.0 * metrics::PANEL_PADDING - gaps - needed).max(0.0);
    let mut left = metrics::PANEL_PADDING;
    let span = |column: &Column| {
        let extra = if shares > 0.0 { room * column.share / shares } else { 0.0 };
        let from = left;
        left += column.min_width + extra + COLUMN_GAP;
        (from.round(), (left - COLUMN_GAP).round())
    };
    columns.iter().map(span).collect()
}

/// What stands in one cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    text: String,
    color: Option<Color32>,
    mark: Option<LegendMark>,
    bar: Option<(f32, Color32)>,
}

impl Cell {
    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Another colour than that of values.
    pub(super) fn color(mut self, color: Color32) -> Self {
        self.color = Some(color);
        self
    }

    /// A mark after the text.
    pub(super) fn mark(mut self, mark: LegendMark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// A thin bar over a part (0 to 1) of the cell.
    pub(super) fn bar(fraction: f32, color: Color32) -> Self {
        Self { bar: Some((fraction, color)), ..Self::default() }
    }
}

/// By which column rows are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sort<K> {
    /// The column.
    pub(super) key: K,
    /// Highest first.
    pub(super) is_descending: bool,
}

impl<K: PartialEq> Sort<K> {
    /// A click on the head of a column: the same one turns round, another one starts ascending.
    pub(super) fn toggle(&mut self, key: K) {
        self.is_descending = self.key == key && !self.is_descending;
        self.key = key;
    }
}

/// What was done to the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TableOutput {
    /// Row that was clicked.
    pub(super) clicked: Option<usize>,
    /// Row that was clicked twice.
    pub(super) double_clicked: Option<usize>,
    /// Column whose head was clicked.
    pub(super) sorted: Option<usize>,
}

/// A table, head included.
#[derive(Clone, Debug)]
#[must_use = "call `show`"]
pub(super) struct DataTable<'a> {
    /// Name for screen readers, such as `Shards`.
    pub(super) name: &'static str,
    /// Its columns.
    pub(super) columns: &'a [Column],
    /// Index of the column that rows are sorted by, and whether the highest comes first.
    pub(super) sorted_by: Option<(usize, bool)>,
    /// Number of rows.
    pub(super) rows: usize,
    /// The chosen row.
    pub(super) selected: Option<usize>,
    /// A row to bring into view.
    pub(super) scroll_to: Option<usize>,
    /// Height of the rows that are visible at once, in points.
    pub(super) body_height: f32,
}

impl DataTable<'_> {
    /// Height of the head.
    pub(super) const HEAD: f32 = metrics::ROW_TABLE;

    /// Draws the table over the whole width. `row_name` is what screen readers say of a row, `cell` gives row and column.
    pub(super) fn show(self, ui: &mut Ui, row_name: impl Fn(usize) -> String, cell: impl Fn(usize, usize) -> Cell) -> TableOutput {
        let mut output = TableOutput::default();
        let (whole, response) = ui.allocate_exact_size(vec2(ui.available_width(), Self::HEAD + self.body_height), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::List, ui.is_enabled(), self.name));
        let spans = column_spans(self.columns, whole.width());
        output.sorted = self.head_ui(ui, whole.with_max_y(whole.top() + Self::HEAD), &spans);

        let body = whole.with_min_y(whole.top() + Self::HEAD);
        let mut child = ui.new_child(UiBuilder::new().id_salt((self.name, "rows")).max_rect(body));
        child.spacing_mut().item_spacing = egui::Vec2::ZERO;
        child.shrink_clip_rect(body);
        let mut table = TableBuilder::new(&mut child)
            .id_salt(self.name)
            .vscroll(true)
            .auto_shrink(false)
            .animate_scrolling(false)
            .striped(false) // painted by us, so that it reaches over the hovered row as well
            .min_scrolled_height(0.0)
            .max_scroll_height(body.height())
            .column(LaidOutColumn::exact(whole.width()));
        if let Some(row) = self.scroll_to {
            table = table.scroll_to_row(row, None);
        }
        table.body(|table_body| {
            table_body.rows(metrics::ROW_TABLE, self.rows, |mut row| {
                let index = row.index();
                row.col(|ui| {
                    let rect = ui.max_rect();
                    let response = self.row_ui(ui, rect, index, &row_name);
                    for (column, (from, to)) in spans.iter().enumerate() {
                        let place = Rect::from_x_y_ranges(rect.left() + from..=rect.left() + to, rect.y_range());
                        paint_cell(ui, place, &cell(index, column), self.columns[column].is_right); // as many spans as columns
                    }
                    if response.clicked() {
                        output.clicked = Some(index);
                    }
                    if response.double_clicked() {
                        output.double_clicked = Some(index);
                    }
                });
            });
        });
        output
    }

    fn row_ui(&self, ui: &Ui, rect: Rect, index: usize, row_name: &impl Fn(usize) -> String) -> Response {
        let tokens = Tokens::of(ui);
        let response = ui.interact(rect, ui.scope_id().with(("row", index)), Sense::click());
        let is_selected = self.selected == Some(index);
        response.widget_info(|| WidgetInfo::selected(Role::ListItem, ui.is_enabled(), is_selected, row_name(index)));
        let fill = match () {
            () if is_selected => tokens.accbg,
            () if response.hovered() => tokens.bg3,
            () if index % 2 == 1 => ui.visuals().faint_bg_color,
            () => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, 0, fill);
        if response.has_focus() {
            let ring = Stroke::new(1.0, tokens.acc);
            ui.painter().rect_stroke(rect.shrink2(vec2(2.0, 1.0)), metrics::RADIUS_CONTROL, ring, StrokeKind::Inside);
        }
        response
    }

    fn head_ui(&self, ui: &Ui, rect: Rect, spans: &[(f32, f32)]) -> Option<usize> {
        let tokens = Tokens::of(ui);
        let mut clicked = None;
        for (index, (column, (from, to))) in self.columns.iter().zip(spans).enumerate() {
            if column.title.is_empty() {
                continue;
            }
            let place = Rect::from_x_y_ranges(rect.left() + from..=rect.left() + to, rect.y_range());
            let response = ui.interact(place.expand2(vec2(4.0, 0.0)), ui.scope_id().with((self.name, "head", index)), Sense::click());
            response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), format!("Sort {} by {}", self.name, column.title)));
            let color = if response.hovered() { tokens.t1 } else { tokens.t3 };
            let text = ui.painter().layout_no_wrap(column.title.to_owned(), fonts::small(), color);
            let align = if column.is_right { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
            let placed = draw(ui.painter(), &text, align, place, color);
            if let Some((_, is_descending)) = self.sorted_by.filter(|(sorted, _)| *sorted == index) {
                let caret = if is_descending { icons::CARET_DOWN } else { icons::CARET_UP };
                let x = if column.is_right { placed.left() - 10.0 } else { placed.right() + 10.0 };
                paint_caret(ui.painter(), caret, pos2(x, place.center().y), color);
            }
            if response.has_focus() {
                let ring = place.expand2(vec2(4.0, -2.0));
                ui.painter().rect_stroke(ring, metrics::RADIUS_CONTROL, Stroke::new(1.0, tokens.acc), StrokeKind::Inside);
            }
            if response.clicked() {
                clicked = Some(index);
            }
        }
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, tokens.line));
        clicked
    }
}

fn paint_cell(ui: &Ui, place: Rect, cell: &Cell, is_right: bool) {
    let Cell { text, color, mark, bar } = cell;
    let tokens = Tokens::of(ui);
    let mut place = place;
    if let Some((fraction, color)) = bar {
        let bar = Rect::from_center_size(place.center(), vec2(place.width(), 6.0));
        paint_value_bar(ui.painter(), bar, *fraction, *color);
    }
    if let Some(mark) = mark {
        let x = place.right() - 5.0;
        paint_mark(ui.painter(), pos2(x, place.center().y), *mark, tokens);
        place.max.x -= MARK_WIDTH;
    }
    if text.is_empty() {
        return;
    }
    let color = color.unwrap_or(tokens.t1);
    let mut job = LayoutJob::simple_singleline(text.clone(), fonts::control(), color);
    job.wrap.max_width = place.width().max(0.0);
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    let galley = ui.painter().layout_job(job);
    let align = if is_right { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
    draw(ui.painter(), &galley, align, place, color);
}

fn draw(painter: &Painter, galley: &Arc<Galley>, align: Align2, rect: Rect, color: Color32) -> Rect {
    let placed = align.align_size_within_rect(galley.size(), rect);
    painter.galley(placed.min, Arc::clone(galley), color);
    placed
}

fn paint_caret(painter: &Painter, icon: Icon, center: Pos2, color: Color32) {
    painter.text(center, Align2::CENTER_CENTER, icon.as_str(), fonts::icon(Icon::SIZE_CARET), color);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_their_least_width_and_share_what_is_left() {
        let columns = [Column::left("a", 50.0), Column::right("b", 50.0).share(3.0)];
        let narrow = column_spans(&columns, 2.0 * metrics::PANEL_PADDING + 112.0);
        assert_eq!(narrow, [(12.0, 62.0), (74.0, 124.0)]);
        let wide = column_spans(&columns, 2.0 * metrics::PANEL_PADDING + 152.0);
        assert_eq!(wide, [(12.0, 72.0), (84.0, 164.0)]);
    }

    #[test]
    fn the_same_head_turns_the_order_round_and_another_starts_upwards() {
        let mut sort = Sort { key: 1, is_descending: false };
        sort.toggle(1);
        assert_eq!(sort, Sort { key: 1, is_descending: true });
        sort.toggle(2);
        assert_eq!(sort, Sort { key: 2, is_descending: false });
    }
}
