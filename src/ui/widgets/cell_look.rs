//! How chunks and shards look on the map, in lists and in legends: never by colour alone.

use egui::{Align2, Color32, Painter, Pos2, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::paint;
use crate::ui::theme::{Tokens, fonts};

const HATCH_PITCH: f32 = 8.0;
const HATCH_WIDTH: f32 = 1.5;
const DOT_PITCH: f32 = 6.0;
const DOT_SIZE: f32 = 1.5;
/// Hatches on small cells need at least this much to read as one.
const SMALL_CELL: f32 = 20.0;

/// The look of a cell of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellLook {
    /// Stored.
    Present,
    /// A value on the ramp, 0 to 1.
    Value(f32),
    /// Still loading.
    Pending,
    /// Stored, all fill value.
    Empty,
    /// Not stored.
    Missing,
    /// Can't be read or decoded.
    Failed,
    /// Outside the bounding box.
    Outside,
    /// Part of another shard.
    OtherShard,
}

/// Paints a cell.
pub fn paint_cell(painter: &Painter, rect: Rect, look: CellLook, tokens: &Tokens) {
    let flat = |color: Color32| {
        painter.rect_filled(rect, 0, color);
    };
    match look {
        CellLook::Present => flat(tokens.chunk.present),
        CellLook::Value(position) => flat(tokens.ramp_color(position)),
        CellLook::Pending => flat(tokens.chunk.pending),
        CellLook::Outside => flat(tokens.chunk.outside),
        CellLook::OtherShard => flat(crate::ui::theme::color::mix(tokens.bg0, tokens.chunk.present, 0.32)),
        CellLook::Empty => {
            let border = Stroke::new(1.0, tokens.line2);
            painter.rect(rect, 0, tokens.chunk.empty, border, StrokeKind::Inside);
        }
        CellLook::Missing => {
            flat(tokens.chunk.missing);
            paint_dots(painter, rect, tokens.chunk.missing_dots);
        }
        CellLook::Failed => paint_hatched(painter, rect, tokens.errbg, tokens.err),
    }
}

/// Paints a failed chunk on a slice, where the ground is dark in both themes.
pub fn paint_failed_on_slice(painter: &Painter, rect: Rect, tokens: &Tokens) {
    let dark = Tokens::of_theme(egui::Theme::Dark);
    paint_hatched(painter, rect, tokens.slice.failed, dark.err);
}

/// What stands before a legend entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LegendMark {
    /// A small cell.
    Cell(CellLook),
    /// An outline, such as that of what is in view.
    Outline(Color32),
    /// A filled square, such as a segment colour.
    Swatch(Color32),
    /// A round dot, such as a state or a tree.
    Dot(Color32),
    /// A short line, as in plots.
    Line(Color32),
}

/// Paints a legend mark in a box of 10.
pub fn paint_mark(painter: &Painter, center: Pos2, mark: LegendMark, tokens: &Tokens) {
    let rect = Rect::from_center_size(center, vec2(10.0, 10.0));
    match mark {
        LegendMark::Cell(look) => paint_cell(painter, rect, look, tokens),
        LegendMark::Outline(color) => {
            painter.rect_stroke(rect, 0, Stroke::new(1.5, color), StrokeKind::Inside);
        }
        LegendMark::Swatch(color) => {
            painter.rect_filled(rect, 2, color);
        }
        LegendMark::Dot(color) => {
            painter.circle_filled(center, 4.0, color);
        }
        LegendMark::Line(color) => {
            painter.rect_filled(Rect::from_center_size(center, vec2(10.0, 2.0)), 0, color);
        }
    }
}

/// A mark with its name in small text, 16 high: legends.
pub fn legend_item_ui(ui: &mut Ui, mark: LegendMark, name: &str) -> Response {
    marked_ui(ui, mark, name, fonts::small())
}

/// A mark with its name in the text of rows, 16 high: states, segments in the status bar.
pub fn state_label_ui(ui: &mut Ui, mark: LegendMark, name: &str) -> Response {
    marked_ui(ui, mark, name, fonts::control())
}

fn marked_ui(ui: &mut Ui, mark: LegendMark, name: &str, font: egui::FontId) -> Response {
    let tokens = Tokens::of(ui);
    let text = paint::line(ui, name, font, tokens.t2);
    let (rect, response) = ui.allocate_exact_size(vec2(paint::whole(16.0 + text.size().x), 16.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), name));
    paint_mark(ui.painter(), pos2(rect.left() + 5.0, rect.center().y), mark, tokens);
    paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, rect.with_min_x(rect.left() + 16.0), tokens.t2);
    response
}

fn paint_hatched(painter: &Painter, rect: Rect, ground: Color32, lines: Color32) {
    painter.rect_filled(rect, 0, ground);
    let clipped = painter.with_clip_rect(painter.clip_rect().intersect(rect));
    let is_small = rect.width().min(rect.height()) < SMALL_CELL;
    // Lines run from the lower left to the upper right: x + y is constant along each.
    let step = std::f32::consts::SQRT_2 * if is_small { HATCH_PITCH / 2.0 } else { HATCH_PITCH };
    let (first, last) = (rect.left() + rect.top(), rect.right() + rect.bottom());
    // Aligned to the screen, so that the hatch runs on over neighbouring cells.
    let mut sum = (first / step).ceil() * step;
    let visible = clipped.clip_rect();
    while sum < last {
        let left = rect.left().max(sum - rect.bottom());
        let right = rect.right().min(sum - rect.top());
        if right >= visible.left() && left <= visible.right() {
            let ends = [pos2(left, sum - left), pos2(right, sum - right)];
            clipped.line_segment(ends, Stroke::new(HATCH_WIDTH, lines));
        }
        sum += step;
    }
    painter.rect_stroke(rect, 0, Stroke::new(1.0, lines), StrokeKind::Inside);
}

fn paint_dots(painter: &Painter, rect: Rect, color: Color32) {
    let columns = (rect.width() / DOT_PITCH).floor().max(1.0) as usize;
    let rows = (rect.height() / DOT_PITCH).floor().max(1.0) as usize;
    let grid = vec2((columns - 1) as f32, (rows - 1) as f32) * DOT_PITCH;
    let first = rect.center() - grid / 2.0;
    let visible = painter.clip_rect();
    for row in 0..rows {
        for column in 0..columns {
            let center = first + vec2(column as f32, row as f32) * DOT_PITCH;
            if visible.contains(center) {
                painter.rect_filled(Rect::from_center_size(center, vec2(DOT_SIZE, DOT_SIZE)), 0, color);
            }
        }
    }
}
