//! Text in the styles of the design, with the row height each one has.
//!
//! egui has no row height in its text styles, so labels are made here:
//! `ui.label(text::control("Gamma"))`. The colour stays the label's (`t2`) unless one is set.

use egui::{FontId, RichText};

use super::fonts;

/// Display, row 32: the welcome page only.
pub fn display(text: impl Into<String>) -> RichText {
    rich(text, fonts::display(), 32.0)
}

/// Body, row 20: names of datasets and layers.
pub fn body(text: impl Into<String>) -> RichText {
    rich(text, fonts::body(), 20.0)
}

/// Body in medium weight, row 20.
pub fn body_medium(text: impl Into<String>) -> RichText {
    rich(text, fonts::body_medium(), 20.0)
}

/// Control, row 16: rows, values, status bar.
pub fn control(text: impl Into<String>) -> RichText {
    rich(text, fonts::control(), 16.0)
}

/// Control in medium weight, row 16.
pub fn control_medium(text: impl Into<String>) -> RichText {
    rich(text, fonts::control_medium(), 16.0)
}

/// Section, row 16.
pub fn section(text: impl Into<String>) -> RichText {
    rich(text, fonts::section(), 16.0)
}

/// Small, row 16: axes, chips, table heads.
pub fn small(text: impl Into<String>) -> RichText {
    rich(text, fonts::small(), 16.0)
}

/// Mono, row 18: paths, exact values, log.
pub fn mono(text: impl Into<String>) -> RichText {
    rich(text, fonts::mono(), 18.0)
}

/// Mono for hex dumps and small paths, row 18.
pub fn hex(text: impl Into<String>) -> RichText {
    rich(text, fonts::hex(), 18.0)
}

fn rich(text: impl Into<String>, font: FontId, row_height: f32) -> RichText {
    RichText::new(text).font(font).line_height(Some(row_height))
}
