//! The sign of the program: a shard and its chunks, one of them looked at.

use super::theme::Tokens;
use egui::{Painter, Rect, Vec2};

/// Paints the sign into a square; drawn on a grid of 16, so sides of 16, 32 and 40 stay sharp.
pub fn paint_logo(painter: &Painter, rect: Rect, tokens: &Tokens) {
    let unit = rect.width() / 16.0;
    let part = |x: f32, y: f32, side: f32| Rect::from_min_size(rect.min + Vec2::new(x, y) * unit, Vec2::splat(side * unit));
    painter.rect_filled(part(0.0, 0.0, 16.0), 3.0 * unit, tokens.t2);
    painter.rect_filled(part(1.0, 1.0, 14.0), 2.0 * unit, tokens.bg1);
    for (x, y, color) in [(3.0, 3.0, tokens.t3), (9.0, 3.0, tokens.acc), (3.0, 9.0, tokens.line2), (9.0, 9.0, tokens.t3)] {
        painter.rect_filled(part(x, y, 4.0), 0, color);
    }
}
