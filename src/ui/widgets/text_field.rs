//! A boxed line of text with an icon before and a key hint behind.

use egui::{Align, Align2, Frame, Layout, Margin, Response, Sense, TextEdit, Ui, UiBuilder, Widget, vec2};

use super::paint;
use crate::ui::theme::{Icon, Tokens, fonts, metrics};

const PADDING: f32 = 8.0;

/// A text field, 24 high.
#[must_use = "add it to a ui"]
pub struct TextField<'a> {
    name: &'a str,
    text: &'a mut String,
    hint: &'a str,
    icon: Option<Icon>,
    key_hint: &'a str,
    width: Option<f32>,
    height: f32,
}

impl<'a> TextField<'a> {
    /// A field as wide as there is room; `name` is what screen readers say.
    pub fn new(name: &'a str, text: &'a mut String) -> Self {
        Self { name, text, hint: "", icon: None, key_hint: "", width: None, height: metrics::CONTROL_HEIGHT }
    }

    /// What stands there while the field is empty.
    pub fn hint(mut self, hint: &'a str) -> Self {
        self.hint = hint;
        self
    }

    /// An icon before the text.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// The key that reaches or ends the field, at the right.
    pub fn key_hint(mut self, keys: &'a str) -> Self {
        self.key_hint = keys;
        self
    }

    /// A width of its own.
    pub fn width(mut self, width: f32) -> Self {
        self.width = Some(width);
        self
    }

    /// A height of its own; the welcome page has 32.
    pub fn height(mut self, height: f32) -> Self {
        self.height = height;
        self
    }
}

impl Widget for TextField<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let width = self.width.unwrap_or_else(|| ui.available_width());
        let (rect, _) = ui.allocate_exact_size(vec2(width, self.height), Sense::hover());
        paint::field(ui.painter(), rect, tokens);
        let mut inner = rect.shrink2(vec2(PADDING, 0.0));
        if let Some(icon) = self.icon {
            let center = inner.left_center() + vec2(Icon::SIZE_IN_TEXT / 2.0, 0.0);
            paint::icon(ui.painter(), icon, center, Icon::SIZE_IN_TEXT, tokens.t2);
            inner.min.x += Icon::SIZE_IN_TEXT + 6.0;
        }
        if !self.key_hint.is_empty() {
            let keys = paint::line(ui, self.key_hint, fonts::small(), tokens.t3);
            let placed = paint::draw(ui.painter(), &keys, Align2::RIGHT_CENTER, inner, tokens.t3);
            inner.max.x = placed.left() - metrics::TIGHT_GAP;
        }
        let mut child = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::left_to_right(Align::Center)));
        paint::unframe(&mut child);
        let edit = TextEdit::singleline(self.text)
            .font(fonts::control())
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .align(Align2::LEFT_CENTER)
            .min_size(inner.size())
            .desired_width(inner.width())
            .hint_text(egui::RichText::new(self.hint).font(fonts::control()).color(tokens.t3));
        let response = child.add(edit).accessible_name(self.name);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CONTROL);
        response
    }
}
