//! Painting and measuring that several widgets share.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{Align2, Color32, FontId, Galley, Painter, Pos2, Rect, Response, Stroke, StrokeKind, Ui};

use crate::ui::theme::{Icon, Tokens, fonts, metrics};

/// Draws a divider across the panel, reaching into its padding on both sides, and takes no height.
///
/// Put the padding of a panel inside its scroll area, or the divider is cut off.
pub fn divider_ui(ui: &Ui) {
    let tokens = Tokens::of(ui);
    paint_divider(ui, ui.cursor().top(), tokens);
}

/// The divider at a given height; half a pixel in, so that it fills one row of pixels.
pub(super) fn paint_divider(ui: &Ui, top: f32, tokens: &Tokens) {
    let x = ui.max_rect().x_range().expand(metrics::PANEL_PADDING);
    ui.painter().hline(x, top.round() + 0.5, Stroke::new(1.0, tokens.line));
}

/// How far actions at the right reach over the edge, so that the icon ends there and not its button.
pub(super) const ACTION_OVERHANG: f32 = 4.0;

/// A short vertical line between groups in a bar, with 8 more to each side than between items.
pub fn bar_separator_ui(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(9.0, 20.0), egui::Sense::hover());
    let x = rect.center().x.floor() + 0.5;
    ui.painter().vline(x, rect.y_range(), Stroke::new(1.0, Tokens::of(ui).line2));
}

/// One line of text, not cut.
pub(super) fn line(ui: &Ui, text: &str, font: FontId, color: Color32) -> Arc<Galley> {
    ui.painter().layout_no_wrap(text.to_owned(), font, color)
}

/// One line of text, cut at the end with an ellipsis if it is wider than `max_width`.
pub(super) fn line_within(ui: &Ui, text: &str, font: FontId, color: Color32, max_width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font, color);
    job.wrap.max_width = max_width.max(0.0);
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    ui.painter().layout_job(job)
}

/// Draws a laid out text aligned in a rectangle.
pub(super) fn draw(painter: &Painter, galley: &Arc<Galley>, align: Align2, rect: Rect, color: Color32) -> Rect {
    let placed = align.align_size_within_rect(galley.size(), rect);
    painter.galley(placed.min, Arc::clone(galley), color);
    placed
}

/// Draws an icon centred on a point, on whole pixels so that its lines stay one pixel wide.
pub(super) fn icon(painter: &Painter, icon: Icon, center: Pos2, size: f32, color: Color32) {
    let corner = (center - egui::Vec2::splat(size / 2.0)).round();
    let galley = painter.layout_no_wrap(icon.as_str().to_owned(), fonts::icon(size), color);
    let offset = (egui::Vec2::splat(size) - galley.size()) / 2.0;
    painter.galley(corner + offset, galley, color);
}

/// The focus ring: 1 px outside the widget with a gap of 1.
pub(super) fn focus_ring(ui: &Ui, response: &Response, rect: Rect, radius: u8) {
    if response.has_focus() {
        paint_focus_ring(ui.painter(), rect, radius, Tokens::of(ui));
    }
}

/// The focus ring regardless of who has the focus.
pub(super) fn paint_focus_ring(painter: &Painter, rect: Rect, radius: u8, tokens: &Tokens) {
    let stroke = Stroke::new(1.0, tokens.acc);
    painter.rect_stroke(rect.expand(2.0), radius + 2, stroke, StrokeKind::Inside);
}

/// The ground of a control: `idle` at rest, lighter under the pointer, lighter still when pressed.
pub(super) fn ground(ui: &Ui, response: &Response, idle: Color32) -> Color32 {
    let tokens = Tokens::of(ui);
    if !ui.is_enabled() {
        Color32::TRANSPARENT
    } else if response.is_pointer_button_down_on() {
        tokens.bg5
    } else if response.hovered() {
        tokens.bg4
    } else {
        idle
    }
}

/// Fills a box of the look of input fields.
pub(super) fn field(painter: &Painter, rect: Rect, tokens: &Tokens) {
    let border = Stroke::new(1.0, tokens.line2);
    painter.rect(rect, metrics::RADIUS_CONTROL, tokens.bg0, border, StrokeKind::Inside);
}

/// Takes frame and ground off egui's own fields inside `ui`, because the box is drawn by us.
pub(super) fn unframe(ui: &mut Ui) {
    let visuals = ui.visuals_mut();
    visuals.text_edit_bg_color = Some(Color32::TRANSPARENT);
    visuals.selection.stroke.width = 0.0;
    for widget in
        [&mut visuals.widgets.noninteractive, &mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active]
    {
        widget.bg_stroke = Stroke::NONE;
        widget.weak_bg_fill = Color32::TRANSPARENT;
    }
}

/// A width rounded up to whole points, so that what follows stays on the grid.
pub(super) fn whole(width: f32) -> f32 {
    width.ceil()
}
