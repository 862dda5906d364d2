//! A boxed number with its name inside, which can be dragged or typed.

use egui::emath::Numeric;
use egui::{Align, Align2, DragValue, Layout, Rect, Response, Sense, Ui, UiBuilder, Widget, vec2};
use std::ops::RangeInclusive;

use super::paint;
use crate::ui::theme::{Tokens, fonts, metrics};

const PADDING: f32 = 10.0;
const PREFIX_GAP: f32 = 6.0;

/// Where the number stands in its box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldAlign {
    /// At the right edge, so that digits of fields below each other line up.
    #[default]
    Right,
    /// Right after the prefix, for fields in a bar.
    AfterPrefix,
}

/// A number field, 24 high. A typed number counts after Enter or when the field is left.
#[must_use = "add it to a ui"]
pub struct NumberField<'a> {
    name: &'a str,
    prefix: &'a str,
    width: f32,
    align: FieldAlign,
    drag: DragValue<'a>,
}

impl<'a> NumberField<'a> {
    /// A field without a visible name; `name` is what screen readers say.
    pub fn new<Num: Numeric>(name: &'a str, value: &'a mut Num) -> Self {
        let drag = DragValue::new(value).update_while_editing(false).clip_text(true);
        Self { name, prefix: "", width: 56.0, align: FieldAlign::Right, drag }
    }

    /// Shows a quiet word before the number, such as `x` or `Min`.
    pub fn prefix(mut self, prefix: &'a str) -> Self {
        self.prefix = prefix;
        self
    }

    /// Width of the box; 56 by default, 84 for a field with a word, 70 in the top bar.
    pub fn width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    /// Where the number stands.
    pub fn align(mut self, align: FieldAlign) -> Self {
        self.align = align;
        self
    }

    /// Limits typed and dragged numbers; a number set by the program stays as it is.
    pub fn range<Num: Numeric>(mut self, range: RangeInclusive<Num>) -> Self {
        self.drag = self.drag.range(range).clamp_existing_to_range(false);
        self
    }

    /// Shows so many digits after the point.
    pub fn decimals(mut self, decimals: usize) -> Self {
        self.drag = self.drag.fixed_decimals(decimals);
        self
    }

    /// Shows at most so many digits after the point.
    pub fn max_decimals(mut self, decimals: usize) -> Self {
        self.drag = self.drag.max_decimals(decimals);
        self
    }

    /// Reads typed text in its own way, once it is entered; `None` leaves the number as it was.
    pub fn parser(mut self, parser: impl Fn(&str) -> Option<f64> + 'a) -> Self {
        self.drag = self.drag.custom_parser(parser);
        self
    }

    /// How much one point of dragging changes the number.
    pub fn speed(mut self, speed: f64) -> Self {
        self.drag = self.drag.speed(speed);
        self
    }
}

impl Widget for NumberField<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let size = vec2(self.width, metrics::CONTROL_HEIGHT);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        self.show_at(ui, rect)
    }
}

/// A number that fits a field: very large and very small ones with an exponent.
fn field_text(value: f64, decimals: std::ops::RangeInclusive<usize>) -> String {
    let size = value.abs();
    if size >= 1e10 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.3e}");
    }
    egui::emath::format_with_decimals_in_range(value, decimals)
}

impl NumberField<'_> {
    /// Draws the field in a rectangle that was allocated before.
    pub(super) fn show_at(self, ui: &mut Ui, rect: Rect) -> Response {
        let tokens = Tokens::of(ui);
        paint::field(ui.painter(), rect, tokens);
        let mut inner = rect.shrink2(vec2(PADDING, 0.0));
        if !self.prefix.is_empty() {
            let text = paint::line(ui, self.prefix, fonts::control(), tokens.t3);
            let placed = paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, inner, tokens.t3);
            inner.min.x = (placed.right() + PREFIX_GAP).ceil();
        }
        let layout = match self.align {
            FieldAlign::Right => Layout::right_to_left(Align::Center).with_main_align(Align::Max),
            FieldAlign::AfterPrefix => Layout::left_to_right(Align::Center).with_main_align(Align::Min),
        };
        let mut child = ui.new_child(UiBuilder::new().max_rect(inner).layout(layout));
        paint::unframe(&mut child);
        child.spacing_mut().button_padding = vec2(0.0, 4.0);
        let drag = self.drag.custom_formatter(field_text);
        let response = child.add(drag.min_size(inner.size())).accessible_name(self.name);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CONTROL);
        response
    }
}
