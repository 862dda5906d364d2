//! A row of a label, a slider and a boxed number, which set the same value.

use egui::emath::GuiRounding as _;
use egui::{Align2, EventFilter, Key, Modifiers, Rect, Response, Role, Sense, Ui, Widget, WidgetInfo, accesskit, pos2, vec2};
use std::ops::RangeInclusive;

use super::{NumberField, paint};
use crate::ui::theme::{Tokens, fonts, metrics};

const FIELD_WIDTH: f32 = 56.0;
const RAIL_HEIGHT: f32 = 4.0;
const HANDLE_RADIUS: f32 = 4.5;
const STEPS: f64 = 100.0;

/// How positions on the rail map to values.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// A label, a slider and a number field, 24 high over the whole width.
///
/// The slider and its number field share the label as accessible name.
#[must_use = "add it to a ui"]
pub struct SliderRow<'a> {
    label: &'a str,
    value: &'a mut f64,
    range: RangeInclusive<f64>,
    scale: Scale,
    decimals: usize,
    label_width: f32,
}

impl<'a> SliderRow<'a> {
    /// A linear slider that shows whole numbers.
    pub fn new(label: &'a str, value: &'a mut f64, range: RangeInclusive<f64>) -> Self {
        Self { label, value, range, scale: Scale::Linear, decimals: 0, label_width: metrics::LABEL_COLUMN }
    }

    /// Shows so many digits after the point.
    pub fn decimals(mut self, decimals: usize) -> Self {
        self.decimals = decimals;
        self
    }

    /// Gives each doubling the same room, for factors such as gamma. Needs a positive range.
    pub fn logarithmic(mut self) -> Self {
        self.scale = Scale::Logarithmic;
        self
    }

    /// Width of the label column; 72 by default, 0 leaves the label to the screen reader.
    pub fn label_width(mut self, width: f32) -> Self {
        self.label_width = width;
        self
    }

    fn fraction(&self) -> f64 {
        let (low, high) = (*self.range.start(), *self.range.end());
        let fraction = match self.scale {
            Scale::Linear => (*self.value - low) / (high - low),
            Scale::Logarithmic => (*self.value / low).ln() / (high / low).ln(),
        };
        if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 }
    }

    fn set_fraction(&mut self, fraction: f64) {
        let (low, high) = (*self.range.start(), *self.range.end());
        let fraction = fraction.clamp(0.0, 1.0);
        let value = match self.scale {
            Scale::Linear => low + fraction * (high - low),
            Scale::Logarithmic => low * (high / low).powf(fraction),
        };
        self.set_value(egui::emath::round_to_decimals(value, self.decimals));
    }

    fn set_value(&mut self, value: f64) {
        *self.value = value.max(*self.range.start()).min(*self.range.end());
    }

    /// Applies what pointer, keys and screen readers ask for.
    fn interact(&mut self, ui: &Ui, response: &Response, rail: Rect) {
        if let Some(pointer) = response.interact_pointer_pos() {
            let x = f64::from(pointer.x - rail.left()) / f64::from(rail.width().max(1.0));
            self.set_fraction(x);
        }
        let id = response.id;
        if response.has_focus() {
            let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        }
        let has_focus = response.has_focus();
        let (steps, request) = ui.input_mut(|input| {
            let mut steps = 0.0;
            if has_focus {
                steps += input.count_and_consume_key(Modifiers::NONE, Key::ArrowRight) as f64;
                steps -= input.count_and_consume_key(Modifiers::NONE, Key::ArrowLeft) as f64;
            }
            steps += input.num_accesskit_action_requests(id, accesskit::Action::Increment) as f64;
            steps -= input.num_accesskit_action_requests(id, accesskit::Action::Decrement) as f64;
            let request = input
                .accesskit_action_requests(id, accesskit::Action::SetValue)
                .filter_map(|request| match request.data {
                    Some(accesskit::ActionData::NumericValue(value)) => Some(value),
                    _ => None,
                })
                .last();
            (steps, request)
        });
        if steps != 0.0 {
            self.set_fraction(self.fraction() + steps / STEPS);
        }
        if let Some(value) = request {
            self.set_value(value);
        }
    }
}

impl Widget for SliderRow<'_> {
    fn ui(mut self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let before = *self.value;
        let size = vec2(ui.available_width(), metrics::CONTROL_HEIGHT);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let field_rect = rect.with_min_x(rect.right() - FIELD_WIDTH);
        let slider_rect = Rect::from_x_y_ranges(rect.left() + self.label_width..=field_rect.left() - metrics::GAP, rect.y_range());
        if self.label_width > 0.0 {
            let label_rect = rect.with_max_x(slider_rect.left() - metrics::TIGHT_GAP);
            let text = paint::line_within(ui, self.label, fonts::control(), tokens.t2, label_rect.width());
            paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, label_rect, tokens.t2);
        }

        let id = ui.next_auto_id().with("slider");
        let mut response = ui.interact(slider_rect, id, Sense::click_and_drag());
        let rail = slider_rect.shrink2(vec2(HANDLE_RADIUS, 0.0));
        self.interact(ui, &response, rail);
        paint_slider(ui, slider_rect, self.fraction() as f32);
        paint::focus_ring(ui, &response, slider_rect.shrink2(vec2(0.0, 5.0)), metrics::RADIUS_CONTROL);

        let speed = (*self.range.end() - *self.range.start()) / 400.0;
        let field = NumberField::new(self.label, self.value).range(self.range.clone()).decimals(self.decimals).speed(speed);
        let field_response = field.show_at(ui, field_rect);

        let value = *self.value;
        if value != before {
            response.mark_changed();
        }
        response.widget_info(|| WidgetInfo { value: Some(value), ..WidgetInfo::labeled(Role::Slider, ui.is_enabled(), self.label) });
        ui.ctx().accesskit_node_builder(id, |node| {
            node.set_min_numeric_value(*self.range.start());
            node.set_max_numeric_value(*self.range.end());
            node.add_action(accesskit::Action::SetValue);
            node.add_action(accesskit::Action::Increment);
            node.add_action(accesskit::Action::Decrement);
        });
        response.union(field_response)
    }
}

/// The rail, filled up to the handle, and the handle with a thin gap around it.
fn paint_slider(ui: &Ui, rect: Rect, fraction: f32) {
    let tokens = Tokens::of(ui);
    let painter = ui.painter();
    let rail = Rect::from_center_size(rect.center(), vec2(rect.width(), RAIL_HEIGHT)).round_ui();
    let travel = rail.shrink2(vec2(HANDLE_RADIUS, 0.0));
    let center = pos2(egui::lerp(travel.x_range(), fraction), rail.center().y);
    painter.rect_filled(rail, 2, tokens.bg4);
    let fill = if ui.is_enabled() { tokens.acc } else { tokens.t3 };
    painter.rect_filled(rail.with_max_x(center.x), 2, fill);
    painter.circle_filled(center, HANDLE_RADIUS + 1.0, tokens.bg2);
    painter.circle_filled(center, HANDLE_RADIUS, tokens.t1);
}
