//! A button with a text and perhaps an icon before it.

use egui::{Align2, Color32, Response, Role, Sense, Stroke, StrokeKind, Ui, Widget, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Icon, Tokens, fonts, metrics};

const PADDING: f32 = 10.0;
const ICON_GAP: f32 = 6.0;

/// How much a button stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ButtonKind {
    /// Ground and border.
    #[default]
    Framed,
    /// Text only until the pointer is over it: actions in headers and bars.
    Quiet,
    /// Filled with the accent; one per view.
    Main,
}

/// A text button, 24 high.
#[must_use = "add it to a ui"]
pub struct TextButton<'a> {
    label: &'a str,
    icon: Option<Icon>,
    kind: ButtonKind,
}

impl<'a> TextButton<'a> {
    /// A framed button without an icon.
    pub fn new(label: &'a str) -> Self {
        Self { label, icon: None, kind: ButtonKind::Framed }
    }

    /// A button that shows its ground only under the pointer.
    pub fn quiet(label: &'a str) -> Self {
        Self { kind: ButtonKind::Quiet, ..Self::new(label) }
    }

    /// The main button of a view.
    pub fn main(label: &'a str) -> Self {
        Self { kind: ButtonKind::Main, ..Self::new(label) }
    }

    /// Puts an icon before the text.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }
}

impl Widget for TextButton<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let icon_width = self.icon.map_or(0.0, |_| Icon::SIZE_IN_TEXT + ICON_GAP);
        let text = paint::line(ui, self.label, fonts::control(), Color32::PLACEHOLDER);
        let width = paint::whole(2.0 * PADDING + icon_width + text.size().x);
        let (rect, response) = ui.allocate_exact_size(vec2(width, metrics::CONTROL_HEIGHT), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), self.label));

        let lit = ui.is_enabled() && (response.hovered() || response.has_focus());
        let (fill, border, color) = match self.kind {
            ButtonKind::Framed => (paint::ground(ui, &response, tokens.bg3), tokens.line2, tokens.t1),
            ButtonKind::Quiet => {
                let color = if lit { tokens.t1 } else { tokens.t2 };
                (paint::ground(ui, &response, Color32::TRANSPARENT), Color32::TRANSPARENT, color)
            }
            ButtonKind::Main if ui.is_enabled() => {
                let fill = if response.hovered() { tokens.acctx } else { tokens.acc };
                (fill, Color32::TRANSPARENT, tokens.acct)
            }
            ButtonKind::Main => (Color32::TRANSPARENT, tokens.line2, tokens.t1),
        };
        let painter = ui.painter();
        let border = Stroke::new(1.0, border);
        painter.rect(rect, metrics::RADIUS_CONTROL, fill, border, StrokeKind::Inside);
        let inner = rect.shrink2(vec2(PADDING, 0.0));
        if let Some(icon) = self.icon {
            let center = inner.left_center() + vec2(Icon::SIZE_IN_TEXT / 2.0, 0.0);
            let icon_color = if self.kind == ButtonKind::Framed { tokens.t2 } else { color };
            paint::icon(painter, icon, center, Icon::SIZE_IN_TEXT, icon_color);
        }
        let text_rect = inner.with_min_x(inner.left() + icon_width);
        paint::draw(painter, &text, Align2::LEFT_CENTER, text_rect, color);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CONTROL);
        response
    }
}
