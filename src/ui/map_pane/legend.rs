//! The map's legend: the ramp with its ends, and only states that occur.

use super::cells::MapCells;
use super::view::{View, plane_look};
use crate::text::{bytes, count};
use crate::ui::theme::{Tokens, fonts, metrics, text};
use crate::ui::widgets::{CellLook, LegendMark, RampLegend, legend_item_ui};
use egui::{Align, Label, Layout, Rect, Ui, UiBuilder, vec2};

/// Height of a row of a lying legend.
pub(super) const LEGEND_ROW: f32 = 20.0;
const RAMP_LENGTH: f32 = 92.0;
const LYING_RAMP: f32 = 72.0;

/// States that occur, for the legend.
fn legend_marks(cells: &MapCells, view: &View<'_>, has_view: bool, tokens: &Tokens) -> Vec<(LegendMark, &'static str)> {
    let layout = view.layout();
    let selected = match view.opened {
        Some(_) => layout.selected_chunk.map(|chunk| chunk.0),
        None => layout.selected_shard.filter(|shard| *shard != view.current_shard()).map(|shard| shard.0),
    };
    let shows_selected = selected.is_some_and(|index| cells.area.cell_of(index).is_some());
    let marks = [
        (cells.total.empty > 0, LegendMark::Cell(CellLook::Empty), "Empty"),
        (cells.total.missing > 0, LegendMark::Cell(CellLook::Missing), "Missing"),
        (cells.total.failed > 0, LegendMark::Cell(CellLook::Failed), "Failed"),
        (cells.has_pending(), LegendMark::Cell(CellLook::Pending), "Pending"),
        (has_view, LegendMark::Outline(tokens.plane(plane_look(view.plane))), "In view"),
        (shows_selected, LegendMark::Outline(tokens.acc), "Selected"),
    ];
    marks.into_iter().filter(|(occurs, _, _)| *occurs).map(|(_, mark, name)| (mark, name)).collect()
}

/// One row, or two where ramp and marks don't fit side by side.
pub(super) fn lying_legend_height(ui: &Ui, width: f32, cells: &MapCells, view: &View<'_>) -> f32 {
    let tokens = Tokens::of(ui);
    let text_width = |words: &str| ui.painter().layout_no_wrap(words.to_owned(), fonts::small(), tokens.t2).size().x.ceil();
    let marks: f32 = legend_marks(cells, view, true, tokens).iter().map(|(_, name)| 16.0 + text_width(name) + metrics::GAP).sum();
    let ramp = cells.bytes_range.map_or(0.0, |(least, most)| text_width(&bytes(least)) + text_width(&bytes(most)) + LYING_RAMP + 20.0);
    if ramp + marks + 2.0 * metrics::PLATE_MARGIN <= width { LEGEND_ROW } else { 2.0 * LEGEND_ROW }
}

/// The ramp with its ends, and the states that occur.
pub(super) fn legend_ui(ui: &mut Ui, rect: Rect, is_standing: bool, cells: &MapCells, view: &View<'_>, has_view: bool) {
    let tokens = Tokens::of(ui);
    let layout = if is_standing { Layout::top_down(Align::Min) } else { Layout::left_to_right(Align::Center) };
    let has_two_rows = !is_standing && rect.height() > 1.5 * LEGEND_ROW;
    let ramp_rect = if has_two_rows { rect.with_max_y(rect.center().y) } else { rect };
    let marks_ui = &mut ui.new_child(UiBuilder::new().id_salt("marks").max_rect(rect.with_min_y(rect.center().y)).layout(layout));
    let ramp_ui = &mut ui.new_child(UiBuilder::new().id_salt("ramp").max_rect(ramp_rect).layout(layout));
    for ui in [&mut *marks_ui, &mut *ramp_ui] {
        ui.spacing_mut().item_spacing = vec2(metrics::GAP, metrics::TIGHT_GAP);
    }
    let ui = ramp_ui;
    if let Some((least, most)) = cells.bytes_range {
        let (low, high) = (bytes(least), bytes(most));
        if least == most {
            legend_item_ui(ui, LegendMark::Cell(CellLook::Value(0.5)), &low);
        } else if is_standing {
            let middle = bytes(least + (most - least) / 2);
            ui.add(RampLegend::standing(&low, &high, RAMP_LENGTH.min(rect.height() / 2.0)).middle(&middle));
            ui.add_space(metrics::TIGHT_GAP);
        } else {
            ui.add(RampLegend::lying(&low, &high, LYING_RAMP));
        }
    }
    let ui = if has_two_rows { marks_ui } else { ui };
    for (mark, name) in legend_marks(cells, view, has_view, tokens) {
        legend_item_ui(ui, mark, name);
    }
    if is_standing && cells.area.block() > 1 {
        let words = format!("{0} × {0} merged", count(cells.area.block().unsigned_abs()));
        ui.add(Label::new(text::small(words).color(tokens.t3)).wrap());
    }
}
