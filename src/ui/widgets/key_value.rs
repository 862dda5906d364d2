//! A row with a key and its value, and the label of a row of controls.

use egui::{Align, Align2, Label, Layout, Rect, Response, Sense, Ui, UiBuilder, Widget, vec2};

use super::path_text::COPY_OVERHANG;
use super::{IconButton, PathText, paint};
use crate::ui::theme::{Tokens, fonts, icons, metrics, text};

/// A key and its value, 22 high. The value can be marked and copied.
#[must_use = "add it to a ui"]
pub struct KeyValue<'a> {
    key: &'a str,
    value: &'a str,
    note: &'a str,
    kind: ValueKind,
    is_copyable: bool,
    key_width: f32,
}

#[derive(Clone, Copy, PartialEq)]
enum ValueKind {
    Text,
    Mono,
    Path,
}

impl<'a> KeyValue<'a> {
    /// A row with a plain value.
    pub fn new(key: &'a str, value: &'a str) -> Self {
        Self { key, value, note: "", kind: ValueKind::Text, is_copyable: false, key_width: metrics::KEY_COLUMN }
    }

    /// Shows the value in the mono font, for exact values.
    pub fn mono(mut self) -> Self {
        self.kind = ValueKind::Mono;
        self
    }

    /// Shows the value as a path: mono, cut in the middle if it doesn't fit, with a copy button.
    pub fn path(mut self) -> Self {
        self.kind = ValueKind::Path;
        self
    }

    /// Adds something quieter after the value, such as a unit.
    pub fn note(mut self, note: &'a str) -> Self {
        self.note = note;
        self
    }

    /// Adds a copy button at the right.
    pub fn copyable(mut self) -> Self {
        self.is_copyable = true;
        self
    }

    /// Width of the key column; 112 by default.
    pub fn key_width(mut self, width: f32) -> Self {
        self.key_width = width;
        self
    }
}

impl Widget for KeyValue<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let size = vec2(ui.available_width(), metrics::ROW_TABLE);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let key_rect = rect.with_max_x(rect.left() + self.key_width - metrics::TIGHT_GAP);
        let mut key_ui = child(ui, key_rect, Layout::left_to_right(Align::Center));
        key_ui.add(Label::new(text::control(self.key).color(tokens.t3)).truncate());

        let value_rect = rect.with_min_x(rect.left() + self.key_width);
        if self.kind == ValueKind::Path {
            let mut value_ui = child(ui, value_rect, Layout::left_to_right(Align::Center));
            value_ui.add(PathText::new(self.value).copyable().fill());
            return response;
        }
        let mut value_ui = child(ui, value_rect, Layout::left_to_right(Align::Center));
        if self.is_copyable {
            copy_button_ui(&mut value_ui, self.key, self.value);
        }
        let value = match self.kind {
            ValueKind::Mono => text::mono(self.value),
            ValueKind::Text | ValueKind::Path => text::control(self.value),
        };
        value_ui.add(Label::new(value.color(tokens.t1)).selectable(true).extend());
        if !self.note.is_empty() {
            value_ui.add(Label::new(text::control(self.note).color(tokens.t3)).truncate());
        }
        response
    }
}

/// The label of a row of controls, in a column of 72: `row_label_ui(ui, "Pixels")` in a horizontal.
pub fn row_label_ui(ui: &mut Ui, label: &str) -> Response {
    let tokens = Tokens::of(ui);
    let width = metrics::LABEL_COLUMN - ui.spacing().item_spacing.x;
    let (rect, response) = ui.allocate_exact_size(vec2(width, metrics::CONTROL_HEIGHT), Sense::hover());
    let galley = paint::line_within(ui, label, fonts::control(), tokens.t2, width);
    paint::draw(ui.painter(), &galley, Align2::LEFT_CENTER, rect, tokens.t2);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, ui.is_enabled(), label));
    response
}

/// A copy button at the right end of the free room of a row.
fn copy_button_ui(ui: &mut Ui, what: &str, value: &str) {
    let free = ui.available_rect_before_wrap().translate(vec2(COPY_OVERHANG, 0.0));
    let place = Align2::RIGHT_CENTER.align_size_within_rect(vec2(20.0, 20.0), free);
    let name = format!("Copy {what}");
    if ui.place(place, IconButton::new(icons::COPY, &name, "Copy").small()).clicked() {
        ui.ctx().copy_text(value.to_owned());
    }
}

fn child(ui: &mut Ui, rect: Rect, layout: Layout) -> Ui {
    ui.new_child(UiBuilder::new().max_rect(rect).layout(layout))
}
