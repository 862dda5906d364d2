//! The legend of the colour ramp: the ramp with the values at its ends and in the middle.

use egui::{Align2, Direction, Painter, Rect, Response, Role, Sense, Shape, Ui, Widget, WidgetInfo, pos2, vec2};

use super::paint;
use crate::ui::theme::{Tokens, fonts};

const BAR_WIDTH: f32 = 10.0;
const TEXT_GAP: f32 = 6.0;
const ROW: f32 = 16.0;

/// A ramp legend, standing or lying. Texts carry the unit.
#[derive(Clone, Debug)]
#[must_use = "add it to a ui"]
pub struct RampLegend<'a> {
    low: &'a str,
    middle: &'a str,
    high: &'a str,
    length: f32,
    is_lying: bool,
}

impl<'a> RampLegend<'a> {
    /// A standing legend, low at the bottom, `length` high.
    pub fn standing(low: &'a str, high: &'a str, length: f32) -> Self {
        Self { low, middle: "", high, length, is_lying: false }
    }

    /// A lying legend on one line: low, ramp, high; `length` is that of the ramp.
    pub fn lying(low: &'a str, high: &'a str, length: f32) -> Self {
        Self { is_lying: true, ..Self::standing(low, high, length) }
    }

    /// The value in the middle of a standing ramp.
    pub fn middle(mut self, middle: &'a str) -> Self {
        self.middle = middle;
        self
    }
}

impl Widget for RampLegend<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let [low, middle, high] = [self.low, self.middle, self.high].map(|text| paint::line(ui, text, fonts::small(), tokens.t2));
        let size = if self.is_lying {
            vec2(low.size().x + high.size().x + 2.0 * TEXT_GAP + self.length, ROW)
        } else {
            let texts = low.size().x.max(middle.size().x).max(high.size().x);
            vec2(BAR_WIDTH + TEXT_GAP + texts, self.length)
        };
        let (rect, response) = ui.allocate_exact_size(size.ceil(), Sense::hover());
        let name = format!("Colours from {} to {}", self.low, self.high);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), &name));
        let painter = ui.painter();
        if self.is_lying {
            let placed = paint::draw(painter, &low, Align2::LEFT_CENTER, rect, tokens.t2);
            let left = (placed.right() + TEXT_GAP).round();
            let bar = Rect::from_min_size(pos2(left, rect.center().y - BAR_WIDTH / 2.0), vec2(self.length, BAR_WIDTH));
            paint_ramp(painter, bar, Direction::LeftToRight, tokens);
            paint::draw(painter, &high, Align2::RIGHT_CENTER, rect, tokens.t2);
        } else {
            let bar = rect.with_max_x(rect.left() + BAR_WIDTH);
            paint_ramp(painter, bar, Direction::BottomUp, tokens);
            let texts = rect.with_min_x(bar.right() + TEXT_GAP);
            paint::draw(painter, &high, Align2::LEFT_TOP, texts, tokens.t2);
            paint::draw(painter, &middle, Align2::LEFT_CENTER, texts, tokens.t2);
            paint::draw(painter, &low, Align2::LEFT_BOTTOM, texts, tokens.t2);
        }
        response
    }
}

/// Paints the ramp, low to high in `direction`.
pub fn paint_ramp(painter: &Painter, rect: Rect, direction: Direction, tokens: &Tokens) {
    let pieces = tokens.ramp.len() - 1; // the ramp has six colours
    for (index, colors) in tokens.ramp.windows(2).enumerate() {
        let from = index as f32 / pieces as f32;
        let to = (index + 1) as f32 / pieces as f32;
        let x = |at: f32| egui::lerp(rect.x_range(), at);
        let y = |at: f32| egui::lerp(rect.y_range(), at);
        let piece = match direction {
            Direction::LeftToRight => Rect::from_x_y_ranges(x(from)..=x(to), rect.y_range()),
            Direction::RightToLeft => Rect::from_x_y_ranges(x(1.0 - to)..=x(1.0 - from), rect.y_range()),
            Direction::TopDown => Rect::from_x_y_ranges(rect.x_range(), y(from)..=y(to)),
            Direction::BottomUp => Rect::from_x_y_ranges(rect.x_range(), y(1.0 - to)..=y(1.0 - from)),
        };
        painter.add(Shape::gradient_rect(piece, direction, [colors[0], colors[1]]));
    }
}
