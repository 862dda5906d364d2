//! One of a few choices, side by side in one frame.

use egui::{Align2, Color32, CornerRadius, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::paint;
use crate::ui::theme::{Icon, Tokens, fonts, metrics};

const PADDING: f32 = 11.0;
const ICON_GAP: f32 = 6.0;

/// A segmented control, 24 high.
#[must_use = "call `show`"]
pub struct Segmented<'a, T> {
    name: &'a str,
    selected: &'a mut T,
    segments: Vec<Segment<'a, T>>,
}

struct Segment<'a, T> {
    value: T,
    label: &'a str,
    icon: Option<(Icon, Option<Color32>)>,
    name: Option<&'a str>,
}

impl<'a, T: PartialEq> Segmented<'a, T> {
    /// `name` says what is chosen; screen readers hear it before the choice.
    pub fn new(name: &'a str, selected: &'a mut T) -> Self {
        Self { name, selected, segments: Vec::new() }
    }

    /// Adds a choice with a text.
    pub fn segment(mut self, value: T, label: &'a str) -> Self {
        self.segments.push(Segment { value, label, icon: None, name: None });
        self
    }

    /// Adds a choice with an icon before its text.
    pub fn icon_segment(mut self, value: T, icon: Icon, label: &'a str) -> Self {
        self.segments.push(Segment { value, label, icon: Some((icon, None)), name: None });
        self
    }

    /// Adds a choice with a coloured icon and a count, whose accessible name is `name`.
    pub fn tinted_segment(mut self, value: T, icon: (Icon, Color32), count: &'a str, name: &'a str) -> Self {
        let (icon, color) = icon;
        self.segments.push(Segment { value, label: count, icon: Some((icon, Some(color))), name: Some(name) });
        self
    }

    /// Draws the control; the response has changed when another choice was made.
    pub fn show(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let Self { name, selected, segments } = self;
        let texts: Vec<_> = segments.iter().map(|segment| paint::line(ui, segment.label, fonts::control(), Color32::PLACEHOLDER)).collect();
        let widths: Vec<f32> = segments
            .iter()
            .zip(&texts)
            .map(|(segment, text)| {
                let icon = segment.icon.map_or(0.0, |_| Icon::SIZE_IN_TEXT + ICON_GAP);
                paint::whole(2.0 * PADDING + icon + text.size().x)
            })
            .collect();
        let size = vec2(widths.iter().sum(), metrics::CONTROL_HEIGHT);
        let (rect, mut response) = ui.allocate_exact_size(size, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::RadioGroup, ui.is_enabled(), name));
        let ground = if ui.is_enabled() { tokens.bg0 } else { Color32::TRANSPARENT };
        ui.painter().rect_filled(rect, metrics::RADIUS_CONTROL, ground);

        let mut left = rect.left();
        let mut focused = None;
        let count = segments.len();
        for (index, ((segment, text), width)) in segments.into_iter().zip(&texts).zip(widths).enumerate() {
            let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
            left += width;
            let part_response = ui.interact(part, response.id.with(index), Sense::click());
            let is_on = *selected == segment.value;
            let part_name = format!("{name} {}", segment.name.unwrap_or(segment.label));
            part_response.widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), is_on, &part_name));
            let corners = corners_of(index, count);
            let color = paint_segment(ui, part, corners, is_on, &part_response);
            if index > 0 {
                ui.painter().vline(part.left() + 0.5, part.y_range().shrink(1.0), Stroke::new(1.0, tokens.line2));
            }
            let mut inner = part.shrink2(vec2(PADDING, 0.0));
            if let Some((icon, tint)) = segment.icon {
                let center = inner.left_center() + vec2(Icon::SIZE_IN_TEXT / 2.0, 0.0);
                paint::icon(ui.painter(), icon, center, Icon::SIZE_IN_TEXT, tint.unwrap_or(color));
                inner.min.x += Icon::SIZE_IN_TEXT + ICON_GAP;
            }
            paint::draw(ui.painter(), text, Align2::CENTER_CENTER, inner, color);
            if part_response.has_focus() {
                focused = Some(part);
            }
            if part_response.clicked() && !is_on {
                *selected = segment.value;
                response.mark_changed();
            }
            // Tooltips of the control show over its parts, which lie above it.
            response |= part_response;
        }
        let border = Stroke::new(1.0, tokens.line2);
        ui.painter().rect_stroke(rect, metrics::RADIUS_CONTROL, border, StrokeKind::Inside);
        if let Some(part) = focused {
            paint::paint_focus_ring(ui.painter(), part, metrics::RADIUS_CONTROL, tokens);
        }
        response
    }
}

/// Paints the ground of a segment and returns the colour of its text.
fn paint_segment(ui: &Ui, part: Rect, corners: CornerRadius, is_on: bool, response: &Response) -> Color32 {
    let tokens = Tokens::of(ui);
    let (fill, color) = if is_on && ui.is_enabled() {
        (tokens.accbg, tokens.acctx)
    } else {
        (paint::ground(ui, response, Color32::TRANSPARENT), tokens.t2)
    };
    ui.painter().rect_filled(part, corners, fill);
    color
}

fn corners_of(index: usize, count: usize) -> CornerRadius {
    let radius = metrics::RADIUS_CONTROL;
    let left = if index == 0 { radius } else { 0 };
    let right = if index + 1 == count { radius } else { 0 };
    CornerRadius { nw: left, sw: left, ne: right, se: right }
}
