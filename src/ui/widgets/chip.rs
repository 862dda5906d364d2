//! A small tag: the element class of a layer, a mag, a count.

use egui::{Align2, Color32, Response, Role, Sense, Ui, Widget, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Tokens, fonts, metrics};

const PADDING: f32 = 5.0;

/// A chip that only says something.
pub fn chip_ui(ui: &mut Ui, label: &str) -> Response {
    ui.add(Chip::new(label))
}

/// A chip, 16 high (18 when it can be clicked).
#[must_use = "add it to a ui"]
pub struct Chip<'a> {
    label: &'a str,
    is_on: bool,
    is_clickable: bool,
}

impl<'a> Chip<'a> {
    /// A chip that only says something.
    pub fn new(label: &'a str) -> Self {
        Self { label, is_on: false, is_clickable: false }
    }

    /// A chip that chooses something, such as a mag, and shows whether it is chosen.
    pub fn choice(label: &'a str, is_on: bool) -> Self {
        Self { label, is_on, is_clickable: true }
    }
}

impl Widget for Chip<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let text = paint::line(ui, self.label, fonts::small(), Color32::PLACEHOLDER);
        let (height, sense) = if self.is_clickable { (18.0, Sense::click()) } else { (16.0, Sense::hover()) };
        let (rect, response) = ui.allocate_exact_size(vec2(paint::whole(text.size().x + 2.0 * PADDING), height), sense);
        response.widget_info(|| {
            if self.is_clickable {
                WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), self.is_on, self.label)
            } else {
                WidgetInfo::labeled(Role::Label, ui.is_enabled(), self.label)
            }
        });
        let (fill, color) = if self.is_on {
            (tokens.accbg, tokens.acctx)
        } else if self.is_clickable {
            (paint::ground(ui, &response, tokens.bg3), tokens.t2)
        } else {
            (tokens.bg3, tokens.t2)
        };
        ui.painter().rect_filled(rect, metrics::RADIUS_CHIP, fill);
        paint::draw(ui.painter(), &text, Align2::CENTER_CENTER, rect, color);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CHIP);
        response
    }
}
