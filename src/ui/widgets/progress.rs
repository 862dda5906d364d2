//! Thin bars: progress of long work, and shares in table rows.

use egui::{Color32, Painter, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use crate::ui::theme::Tokens;

/// A progress bar, 4 high in a row of 24. `fraction` is 0 to 1.
pub fn progress_ui(ui: &mut Ui, name: &str, fraction: f32, width: f32) -> Response {
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 24.0), Sense::hover());
    let percent = f64::from(fraction.clamp(0.0, 1.0) * 100.0);
    response.widget_info(|| WidgetInfo { value: Some(percent), ..WidgetInfo::labeled(Role::ProgressIndicator, ui.is_enabled(), name) });
    let bar = Rect::from_center_size(rect.center(), vec2(width, 4.0));
    ui.painter().rect_filled(bar, 2, tokens.bg4);
    paint_value_bar(ui.painter(), bar, fraction, tokens.acc);
    response
}

/// Fills the left `fraction` (0 to 1) of a bar.
pub fn paint_value_bar(painter: &Painter, rect: Rect, fraction: f32, color: Color32) {
    let width = rect.width() * fraction.clamp(0.0, 1.0);
    if width > 0.0 {
        painter.rect_filled(rect.with_max_x(rect.left() + width), 2, color);
    }
}
