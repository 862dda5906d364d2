//! A small curve without axes.

use egui::{Color32, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2};

/// A sparkline of evenly spaced values, oldest first; `name` is what screen readers say.
pub fn sparkline_ui(ui: &mut Ui, name: &str, values: &[f32], size: Vec2, color: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), name));
    paint_sparkline(ui.painter(), rect, values, color);
    response
}

/// Paints values, oldest first, from 0 at the lower edge to their maximum at the upper one.
pub fn paint_sparkline(painter: &Painter, rect: Rect, values: &[f32], color: Color32) {
    let peak = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f32::max);
    let steps = values.len().saturating_sub(1).max(1) as f32;
    // Half the width of the line, or flat parts would be cut at the edges.
    let area = rect.shrink(1.0);
    let points: Vec<Pos2> = values
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
        .map(|(index, value)| {
            let height = if peak > 0.0 { value.max(0.0) / peak } else { 0.0 };
            pos2(egui::lerp(area.x_range(), index as f32 / steps), area.bottom() - height * area.height())
        })
        .collect();
    painter.add(Shape::line(points, Stroke::new(1.5, color)));
}
