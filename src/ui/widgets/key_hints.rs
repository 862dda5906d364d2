//! What mouse and keys do right now, for the status bar.

use egui::{Align2, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Tokens, fonts};

const SEPARATOR: &str = " · ";

/// Hints such as `Drag pans`, on one line; those at the end are left out if there is no room.
pub fn key_hints_ui(ui: &mut Ui, hints: &[&str]) -> Response {
    let tokens = Tokens::of(ui);
    let room = ui.available_width();
    let fitting = (0..=hints.len())
        .rev()
        .map(|count| paint::line(ui, &hints[..count].join(SEPARATOR), fonts::control(), tokens.t3))
        .find(|line| line.size().x <= room)
        .unwrap_or_else(|| paint::line(ui, "", fonts::control(), tokens.t3));
    let (rect, response) = ui.allocate_exact_size(vec2(fitting.size().x.ceil(), 16.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), hints.join(SEPARATOR)));
    paint::draw(ui.painter(), &fitting, Align2::LEFT_CENTER, rect, tokens.t3);
    response
}
