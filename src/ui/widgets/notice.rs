//! A notice on one line: what went wrong, with what to do about it; on panes and in panels.

use egui::{Align2, Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::{TextButton, paint};
use crate::ui::theme::{Icon, Severity, Tokens, fonts, icons, metrics};

const HEIGHT: f32 = 32.0;
const PADDING: f32 = 12.0;
/// Distance between the upper edges of a pane and of its notice.
const TOP_IN_PANE: f32 = 44.0;

/// A notice, 32 high; at most one per pane.
#[derive(Clone, Debug)]
#[must_use = "call `show` or `show_in_pane`"]
pub struct Notice<'a> {
    severity: Severity,
    text: &'a str,
    actions: &'a [&'a str],
}

impl<'a> Notice<'a> {
    /// A notice without actions.
    pub fn new(severity: Severity, text: &'a str) -> Self {
        Self { severity, text, actions: &[] }
    }

    /// Buttons after the text; the last one is framed.
    pub fn actions(mut self, actions: &'a [&'a str]) -> Self {
        self.actions = actions;
        self
    }

    /// Draws the notice over the whole width and returns the index of the action that was clicked.
    pub fn show(&self, ui: &mut Ui) -> Option<usize> {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        self.show_at(ui, rect, &response)
    }

    /// Draws the notice 44 below the upper edge of a pane, in its middle and as wide as needed.
    pub fn show_in_pane(&self, ui: &mut Ui, pane: Rect) -> Option<usize> {
        let text = paint::line(ui, self.text, fonts::control(), Color32::PLACEHOLDER);
        let actions: f32 =
            self.actions.iter().map(|action| paint::line(ui, action, fonts::control(), Color32::PLACEHOLDER).size().x.ceil() + 24.0).sum();
        let needed = PADDING + Icon::SIZE + 8.0 + text.size().x.ceil() + 24.0 + actions + 4.0;
        let room = pane.width() - 2.0 * metrics::PLATE_MARGIN;
        let width = needed.min(room).round();
        let top_left = pos2((pane.center().x - width / 2.0).round(), pane.top() + TOP_IN_PANE);
        let rect = Rect::from_min_size(top_left, vec2(width, HEIGHT));
        // A drag that begins here is none of the slice below.
        let response = ui.interact(rect, ui.unique_id().with("notice"), Sense::click_and_drag());
        self.show_at(ui, rect, &response)
    }

    fn show_at(&self, ui: &mut Ui, rect: Rect, response: &Response) -> Option<usize> {
        let tokens = Tokens::of(ui);
        response.widget_info(|| WidgetInfo::labeled(Role::Alert, ui.is_enabled(), self.text));
        let color = tokens.severity(self.severity);
        let ground = match self.severity {
            Severity::Error => tokens.errbg,
            Severity::Warning => tokens.warnbg,
            Severity::Info | Severity::Ok => tokens.bg3,
        };
        let border = match self.severity {
            Severity::Error | Severity::Warning => color,
            Severity::Info | Severity::Ok => tokens.line2,
        };
        let painter = ui.painter();
        painter.rect(rect, metrics::RADIUS_CONTROL, ground, Stroke::new(1.0, border), StrokeKind::Inside);
        let icon_center = rect.left_center() + vec2(PADDING + Icon::SIZE / 2.0, 0.0);
        paint::icon(painter, severity_icon(self.severity), icon_center, Icon::SIZE, color);

        let free = rect.shrink2(vec2(4.0, 4.0)).with_min_x(icon_center.x + Icon::SIZE / 2.0 + 8.0);
        let mut child = ui.new_child(UiBuilder::new().max_rect(free).layout(egui::Layout::right_to_left(egui::Align::Center)));
        child.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
        let mut clicked = None;
        for (index, action) in self.actions.iter().enumerate().rev() {
            let is_last = index + 1 == self.actions.len();
            let button = if is_last { TextButton::new(action) } else { TextButton::quiet(action) };
            if child.add(button).clicked() {
                clicked = Some(index);
            }
        }
        let text_rect = free.with_max_x((child.min_rect().left() - 8.0).max(free.left()));
        let text_rect = if self.actions.is_empty() { free } else { text_rect };
        let text = paint::line_within(ui, self.text, fonts::control(), tokens.t1, text_rect.width());
        paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, text_rect, tokens.t1);
        clicked
    }
}

/// The icon that goes with the colour of a severity.
pub fn severity_icon(severity: Severity) -> Icon {
    match severity {
        Severity::Error => icons::X_CIRCLE,
        Severity::Warning => icons::WARNING,
        Severity::Info => icons::INFO,
        Severity::Ok => icons::CHECK_CIRCLE,
    }
}
