//! A histogram of values with two handles for the window that is shown.

use egui::{
    Color32, CursorIcon, EventFilter, Id, Key, Modifiers, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, accesskit,
    pos2, vec2,
};
use std::ops::RangeInclusive;

use super::paint;
use crate::ui::theme::{Tokens, color};

const HEIGHT: f32 = 96.0;
const FLAG: f32 = 10.0;
/// Room above the highest bar, so that the flags stay free.
const HEADROOM: f32 = 12.0;
const KEY_STEPS: f64 = 256.0;

/// How counts map to heights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CountScale {
    /// In proportion to the count.
    #[default]
    Linear,
    /// In proportion to its logarithm, so that rare values show.
    Logarithmic,
}

/// A histogram with handles, 96 high over the whole width.
#[derive(Clone, Debug)]
#[must_use = "call `show`"]
pub struct Histogram<'a> {
    bins: &'a [u64],
    range: RangeInclusive<f64>,
    window: (f64, f64),
    scale: CountScale,
    height: f32,
}

/// What a histogram answers.
#[derive(Debug)]
pub struct HistogramOutput {
    /// Of the whole picture; its double click means "fit to the data".
    pub response: Response,
    /// The window after the handles were moved, if they were. Low is never above high.
    pub window: Option<(f64, f64)>,
}

impl<'a> Histogram<'a> {
    /// Bins share `range` evenly; `window` is what is shown, low and high.
    pub fn new(bins: &'a [u64], range: RangeInclusive<f64>, window: (f64, f64)) -> Self {
        Self { bins, range, window, scale: CountScale::Linear, height: HEIGHT }
    }

    /// How counts map to heights.
    pub fn scale(mut self, scale: CountScale) -> Self {
        self.scale = scale;
        self
    }

    /// Another height than 96.
    pub fn height(mut self, height: f32) -> Self {
        self.height = height;
        self
    }

    /// Draws the histogram and answers whether its window was changed.
    pub fn show(self, ui: &mut Ui) -> HistogramOutput {
        let tokens = Tokens::of(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), self.height), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), "Histogram"));

        let (mut low, mut high) = self.window;
        // The handle that still has room to move lies on top, or two handles at one end would be stuck.
        let middle = (*self.range.start() + *self.range.end()) / 2.0;
        let low_is_on_top = (low + high) / 2.0 > middle;
        let ids = [response.id.with("low"), response.id.with("high")];
        let order = if low_is_on_top { [1, 0] } else { [0, 1] };
        let mut handles: [Option<Response>; 2] = [None, None];
        for side in order {
            let (value, limits) = if side == 0 { (&mut low, *self.range.start()..=high) } else { (&mut high, low..=*self.range.end()) };
            let handle = Handle { id: ids[side], name: HANDLE_NAMES[side], range: &self.range, limits };
            handles[side] = Some(handle.interact(ui, rect, value));
        }
        self.paint(ui, rect, (low, high));
        for (handle, value) in handles.iter().flatten().zip([low, high]) {
            let x = self.x_from_value(rect, value);
            paint_handle(ui, rect, x, handle.has_focus());
        }
        let baseline = Stroke::new(1.0, tokens.line2);
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, baseline);
        let window = ((low, high) != self.window).then_some((low, high));
        HistogramOutput { response, window }
    }

    fn x_from_value(&self, rect: Rect, value: f64) -> f32 {
        x_from_value(rect, &self.range, value)
    }

    fn paint(&self, ui: &Ui, rect: Rect, window: (f64, f64)) {
        let tokens = Tokens::of(ui);
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 0, tokens.bg1);
        let inside = color::with_opacity(tokens.t3, 0.8);
        let outside = color::with_opacity(tokens.t3, 0.3);
        let (low_x, high_x) = (self.x_from_value(rect, window.0), self.x_from_value(rect, window.1));
        let heights = column_heights(self.bins, rect.width().floor().max(0.0) as usize, self.scale);
        let column_width = rect.width() / heights.len().max(1) as f32;
        for (column, height) in heights.iter().enumerate().filter(|(_, height)| **height > 0.0) {
            let left = rect.left() + column as f32 * column_width;
            let center = left + column_width / 2.0;
            let color = if (low_x..=high_x).contains(&center) { inside } else { outside };
            let top = rect.bottom() - (height * (rect.height() - HEADROOM)).max(1.0);
            let bar = Rect::from_x_y_ranges(left..=left + column_width, top..=rect.bottom());
            painter.rect_filled(bar, 0, color);
        }
        let ramp = [pos2(low_x, rect.bottom()), pos2(high_x, rect.top() + HEADROOM)];
        painter.line_segment(ramp, Stroke::new(1.0, color::with_opacity(tokens.t1, 0.5)));
    }
}

const HANDLE_NAMES: [&str; 2] = ["Window minimum", "Window maximum"];

struct Handle<'a> {
    id: Id,
    name: &'static str,
    range: &'a RangeInclusive<f64>,
    limits: RangeInclusive<f64>,
}

impl Handle<'_> {
    /// Applies what pointer, keys and screen readers ask for.
    fn interact(&self, ui: &Ui, rect: Rect, value: &mut f64) -> Response {
        let before = *value;
        let x = x_from_value(rect, self.range, *value);
        let grip = Rect::from_x_y_ranges(x - FLAG / 2.0 - 1.0..=x + FLAG / 2.0 + 1.0, rect.y_range());
        let mut response = ui.interact(grip, self.id, Sense::click_and_drag());
        let span = *self.range.end() - *self.range.start();
        let mut wanted = *value;
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            let fraction = f64::from((pointer.x - rect.left()) / rect.width().max(1.0));
            wanted = *self.range.start() + fraction.clamp(0.0, 1.0) * span;
        }
        let steps = requested_steps(ui, self.id, response.has_focus());
        wanted += steps * span / KEY_STEPS;
        if wanted != before {
            *value = wanted.max(*self.limits.start()).min(*self.limits.end());
        }
        if *value != before {
            response.mark_changed();
        }
        let spoken = *value;
        response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), spoken, self.name));
        ui.ctx().accesskit_node_builder(self.id, |node| {
            node.set_min_numeric_value(*self.range.start());
            node.set_max_numeric_value(*self.range.end());
            node.add_action(accesskit::Action::Increment);
            node.add_action(accesskit::Action::Decrement);
        });
        response.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal)
    }
}

fn requested_steps(ui: &Ui, id: Id, has_focus: bool) -> f64 {
    if has_focus {
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    }
    ui.input_mut(|input| {
        let mut steps = 0.0;
        if has_focus {
            steps += input.count_and_consume_key(Modifiers::NONE, Key::ArrowRight) as f64;
            steps -= input.count_and_consume_key(Modifiers::NONE, Key::ArrowLeft) as f64;
        }
        steps += input.num_accesskit_action_requests(id, accesskit::Action::Increment) as f64;
        steps - input.num_accesskit_action_requests(id, accesskit::Action::Decrement) as f64
    })
}

/// Where a value stands; values outside the range stand at its ends.
fn x_from_value(rect: Rect, range: &RangeInclusive<f64>, value: f64) -> f32 {
    let span = *range.end() - *range.start();
    let fraction = (value - *range.start()) / span;
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    egui::lerp(rect.x_range(), fraction as f32)
}

/// A line with a flag on top.
fn paint_handle(ui: &Ui, rect: Rect, x: f32, has_focus: bool) {
    let tokens = Tokens::of(ui);
    // On half pixels, and never outside the picture.
    let x = x.floor().clamp(rect.left(), rect.right() - 1.0) + 0.5;
    let painter = ui.painter();
    painter.vline(x, rect.y_range(), Stroke::new(1.0, tokens.acc));
    let half = FLAG / 2.0;
    let flag: Vec<Pos2> =
        [(-half, 0.0), (half, 0.0), (half, half), (0.0, FLAG), (-half, half)].map(|(dx, dy)| pos2(x + dx, rect.top() + dy)).into();
    painter.add(Shape::convex_polygon(flag, tokens.acc, Stroke::new(0.0, Color32::TRANSPARENT)));
    if has_focus {
        let grip = Rect::from_min_size(pos2(x - half, rect.top()), vec2(FLAG, FLAG));
        paint::paint_focus_ring(painter, grip, 0, tokens);
    }
}

/// Heights 0 to 1 for at most `max_columns` columns: several bins share a column if there are more
/// bins than points, and the highest of them counts.
pub(super) fn column_heights(bins: &[u64], max_columns: usize, scale: CountScale) -> Vec<f32> {
    let columns = bins.len().min(max_columns);
    if columns == 0 {
        return Vec::new();
    }
    let highest = |column: usize| {
        let first = column * bins.len() / columns;
        let end = ((column + 1) * bins.len() / columns).max(first + 1);
        bins[first..end].iter().copied().max().unwrap_or(0) // end is at most the length: columns is too
    };
    let counts: Vec<f64> = (0..columns)
        .map(highest)
        .map(|count| match scale {
            CountScale::Linear => count as f64,
            CountScale::Logarithmic => (count as f64).ln_1p(),
        })
        .collect();
    let peak = counts.iter().copied().fold(0.0, f64::max);
    counts.iter().map(|count| if peak > 0.0 { (count / peak) as f32 } else { 0.0 }).collect()
}
