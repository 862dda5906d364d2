//! The bar between two panes, with which their sizes are set.

use egui::{CursorIcon, EventFilter, Id, Key, Modifiers, Rect, Response, Role, Sense, Ui, WidgetInfo};
use std::ops::RangeInclusive;

use crate::ui::theme::Tokens;

/// How much further than the visible gap the bar can be grabbed.
const GRAB: f32 = 2.0;
const KEY_STEP: f32 = 0.01;

/// Which way a split bar moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitAxis {
    /// Left and right: the bar stands between panes beside each other.
    Horizontal,
    /// Up and down: the bar lies between panes above each other.
    Vertical,
}

/// A split bar in the gap between panes; double-click asks for the default.
#[must_use = "call `show`"]
pub struct SplitBar<'a> {
    name: &'a str,
    axis: SplitAxis,
    fraction: &'a mut f32,
    range: RangeInclusive<f32>,
    default: f32,
}

impl<'a> SplitBar<'a> {
    /// `fraction` is the share of the first pane, kept between 0.15 and 0.85.
    pub fn new(name: &'a str, axis: SplitAxis, fraction: &'a mut f32, default: f32) -> Self {
        Self { name, axis, fraction, range: 0.15..=0.85, default }
    }

    /// Other limits.
    pub fn range(mut self, range: RangeInclusive<f32>) -> Self {
        self.range = range;
        self
    }

    /// Draws the bar in `gap`, the space between the panes, of the split `area`.
    pub fn show(self, ui: &Ui, id: Id, gap: Rect, area: Rect) -> Response {
        let tokens = Tokens::of(ui);
        let mut response = ui.interact(gap.expand(GRAB), id, Sense::click_and_drag());
        let before = *self.fraction;
        if response.double_clicked() {
            *self.fraction = self.default;
        } else if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            *self.fraction = match self.axis {
                SplitAxis::Horizontal => (pointer.x - area.left()) / area.width().max(1.0),
                SplitAxis::Vertical => (pointer.y - area.top()) / area.height().max(1.0),
            };
        }
        if response.has_focus() {
            *self.fraction += KEY_STEP * focused_steps(ui, id, self.axis);
        }
        if *self.fraction != before {
            *self.fraction = self.fraction.max(*self.range.start()).min(*self.range.end());
            response.mark_changed();
        }
        let percent = f64::from(*self.fraction * 100.0);
        response.widget_info(|| WidgetInfo { value: Some(percent), ..WidgetInfo::labeled(Role::Splitter, ui.is_enabled(), self.name) });
        if response.dragged() || response.has_focus() {
            ui.painter().rect_filled(gap, 0, tokens.acc);
        } else if response.hovered() {
            ui.painter().rect_filled(gap, 0, tokens.bg5);
        }
        response.on_hover_and_drag_cursor(match self.axis {
            SplitAxis::Horizontal => CursorIcon::ResizeHorizontal,
            SplitAxis::Vertical => CursorIcon::ResizeVertical,
        })
    }
}

fn focused_steps(ui: &Ui, id: Id, axis: SplitAxis) -> f32 {
    let (back, forward) = match axis {
        SplitAxis::Horizontal => (Key::ArrowLeft, Key::ArrowRight),
        SplitAxis::Vertical => (Key::ArrowUp, Key::ArrowDown),
    };
    let filter = EventFilter {
        horizontal_arrows: axis == SplitAxis::Horizontal,
        vertical_arrows: axis == SplitAxis::Vertical,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    ui.input_mut(|input| {
        input.count_and_consume_key(Modifiers::NONE, forward) as f32 - input.count_and_consume_key(Modifiers::NONE, back) as f32
    })
}
