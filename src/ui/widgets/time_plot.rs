//! A plot of values over the last minute or ten, with title, legend and axes in our look.

use egui::{Align2, Color32, Id, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2};
use egui_plot::{Line, Plot, PlotBounds};

use super::paint;
use super::time_axis::{AxisTop, HeldTop, tick_text, time_ticks};
use crate::ui::theme::{Series, Tokens, fonts, metrics, text};

const HEADER: f32 = 24.0;
const HEADER_GAP: f32 = 12.0;
const VALUE_COLUMN: f32 = 36.0;
const TIME_ROW: f32 = 20.0;
const FILL_OPACITY: f32 = 0.16;

/// One curve.
#[derive(Clone, Copy, Debug)]
pub struct TimeSeries<'a> {
    /// Name in the legend.
    pub name: &'a str,
    /// What it means, which gives the colour.
    pub series: Series,
    /// Seconds ago and value, oldest first. A value that is not finite interrupts the curve.
    pub points: &'a [[f32; 2]],
    /// The current value as text for the legend.
    pub current: &'a str,
}

/// A plot panel: title and unit left and legend right above the plot.
#[derive(Clone, Debug)]
#[must_use = "call `show`"]
pub struct TimePlot<'a> {
    title: &'a str,
    unit: &'a str,
    series: &'a [TimeSeries<'a>],
    span_secs: f32,
    budget: Option<f64>,
    notes: &'a [(&'a str, &'a str)],
}

impl<'a> TimePlot<'a> {
    /// A plot of the last 60 s.
    pub fn new(title: &'a str, unit: &'a str, series: &'a [TimeSeries<'a>]) -> Self {
        Self { title, unit, series, span_secs: 60.0, budget: None, notes: &[] }
    }

    /// How far back the plot goes, in seconds.
    pub fn span_secs(mut self, span_secs: f32) -> Self {
        self.span_secs = span_secs;
        self
    }

    /// A dashed line at a limit; the axis reaches it.
    pub fn budget(mut self, budget: f64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Further names and values in the legend that have no curve.
    pub fn notes(mut self, notes: &'a [(&'a str, &'a str)]) -> Self {
        self.notes = notes;
        self
    }

    /// Draws the plot over the whole width, `height` with everything.
    pub fn show(self, ui: &mut Ui, height: f32) -> Response {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let spoken = self.spoken();
        response.widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), &spoken));
        self.paint_header(ui, rect.with_max_y(rect.top() + HEADER));

        let plot = Rect::from_min_max(rect.min + vec2(VALUE_COLUMN, HEADER + HEADER_GAP), rect.max - vec2(0.0, TIME_ROW));
        if plot.width() < 1.0 || plot.height() < 1.0 {
            return response;
        }
        let axis = self.axis_top(ui, &response);
        let frame = PlotFrame { rect: plot, span_secs: self.span_secs.max(1.0), axis };
        frame.paint_axes(ui, rect);
        frame.curves_ui(ui, response.id, self.series);
        if let Some(budget) = self.budget {
            frame.paint_budget(ui, budget);
        }
        self.paint_hover(ui, &frame, response)
    }

    fn spoken(&self) -> String {
        let values: Vec<String> = self.series.iter().map(|series| format!("{} {}", series.name, series.current)).collect();
        format!("{} in {}, {}", self.title, self.unit, values.join(", "))
    }

    /// The top of the value axis, remembered between frames.
    fn axis_top(&self, ui: &Ui, response: &Response) -> AxisTop {
        let in_view = |point: &&[f32; 2]| point[0] <= self.span_secs && point[1].is_finite();
        let peak = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().filter(in_view))
            .map(|point| f64::from(point[1]))
            .chain(self.budget)
            .fold(0.0, f64::max);
        let now = ui.input(|input| input.time);
        ui.data_mut(|data| data.get_temp_mut_or_insert_with(response.id, || HeldTop::new(peak, now)).update(peak, now))
    }

    fn paint_header(&self, ui: &Ui, row: Rect) {
        let tokens = Tokens::of(ui);
        let painter = ui.painter();
        let title = paint::line(ui, self.title, fonts::section(), tokens.t1);
        let placed = paint::draw(painter, &title, Align2::LEFT_CENTER, row, tokens.t1);
        let unit = paint::line(ui, self.unit, fonts::small(), tokens.t3);
        let unit_row = row.with_min_x(placed.right() + metrics::GAP);
        let placed = paint::draw(painter, &unit, Align2::LEFT_CENTER, unit_row, tokens.t3);

        // From the right, so that the current values keep their place; what doesn't fit is left out.
        let mut right = row.right();
        let curves = self.series.iter().map(|s| (s.name, s.current, Some(tokens.series(s.series))));
        let notes = self.notes.iter().map(|&(name, value)| (name, value, None));
        let entries: Vec<(&str, &str, Option<Color32>)> = curves.chain(notes).collect();
        for (name, value, mark) in entries.into_iter().rev() {
            let name = paint::line(ui, name, fonts::small(), tokens.t2);
            let value = paint::line(ui, value, fonts::small(), tokens.t1);
            let mark_width = if mark.is_some() { 16.0 } else { 0.0 };
            let left = (right - mark_width - name.size().x - 6.0 - value.size().x).floor();
            if left < placed.right() + metrics::GAP {
                break;
            }
            paint::draw(painter, &value, Align2::RIGHT_CENTER, row.with_max_x(right), tokens.t1);
            let name_row = row.with_min_x(left + mark_width);
            paint::draw(painter, &name, Align2::LEFT_CENTER, name_row, tokens.t2);
            if let Some(color) = mark {
                let line = Rect::from_center_size(pos2(left + 5.0, row.center().y), vec2(10.0, 2.0));
                painter.rect_filled(line, 0, color);
            }
            right = left - metrics::PANEL_PADDING;
        }
    }

    /// Under the pointer: a line and the values there.
    fn paint_hover(&self, ui: &Ui, frame: &PlotFrame, response: Response) -> Response {
        let tokens = Tokens::of(ui);
        let Some(pointer) = response.hover_pos().filter(|pointer| frame.rect.contains(*pointer)) else {
            return response;
        };
        let age = frame.age_from_x(pointer.x);
        let x = pointer.x.floor() + 0.5;
        ui.painter().vline(x, frame.rect.y_range(), Stroke::new(1.0, tokens.line2));
        response.on_hover_ui_at_pointer(|ui| {
            ui.label(text::small(format!("{age:.0} s ago")).color(tokens.t3));
            for series in self.series {
                if let Some(value) = value_at(series.points, age) {
                    let color = tokens.series(series.series);
                    let value = tick_text(f64::from(value), frame.axis.step / 100.0);
                    let line = format!("{}  {value} {}", series.name, self.unit);
                    super::legend_item_ui(ui, super::LegendMark::Line(color), &line);
                }
            }
        })
    }
}

/// The value of the point next to `age_secs`.
fn value_at(points: &[[f32; 2]], age_secs: f32) -> Option<f32> {
    points
        .iter()
        .filter(|point| point[1].is_finite())
        .min_by(|a, b| (a[0] - age_secs).abs().total_cmp(&(b[0] - age_secs).abs()))
        .map(|point| point[1])
}

/// Where the plot lies and how values map to it.
struct PlotFrame {
    rect: Rect,
    span_secs: f32,
    axis: AxisTop,
}

impl PlotFrame {
    fn point_from(&self, age_secs: f32, value: f64) -> Pos2 {
        pos2(
            self.rect.right() - age_secs / self.span_secs * self.rect.width(),
            self.rect.bottom() - (value / self.axis.top) as f32 * self.rect.height(),
        )
    }

    fn age_from_x(&self, x: f32) -> f32 {
        (self.rect.right() - x) / self.rect.width() * self.span_secs
    }

    fn paint_axes(&self, ui: &Ui, whole: Rect) {
        let tokens = Tokens::of(ui);
        let painter = ui.painter();
        let ticks = (self.axis.top / self.axis.step).round() as u32; // two or three
        for tick in 0..=ticks {
            let value = f64::from(tick) * self.axis.step;
            let y = self.point_from(0.0, value).y.round();
            let line = if tick == 0 { tokens.line2 } else { tokens.bg3 };
            painter.hline(self.rect.x_range(), y + 0.5, Stroke::new(1.0, line));
            let label = paint::line(ui, &tick_text(value, self.axis.step), fonts::small(), tokens.t3);
            let row = Rect::from_x_y_ranges(whole.left()..=self.rect.left() - 6.0, y - 8.0..=y + 8.0);
            paint::draw(painter, &label, Align2::RIGHT_CENTER, row, tokens.t3);
        }
        let row = Rect::from_x_y_ranges(self.rect.x_range(), self.rect.bottom() + 4.0..=whole.bottom());
        for (age, label) in time_ticks(self.span_secs) {
            let label = paint::line(ui, &label, fonts::small(), tokens.t3);
            let x = self.point_from(age, 0.0).x;
            // The outer labels end where the plot ends, the others stand under their time.
            let half = label.size().x / 2.0;
            let center = x.max(row.left() + half).min(row.right() - half);
            let place = Rect::from_center_size(pos2(center, row.center().y), vec2(2.0 * half, 16.0));
            paint::draw(painter, &label, Align2::CENTER_CENTER, place, tokens.t3);
        }
    }

    /// The curves, without anything of the plot library's own around them. Time runs from minus the span to 0.
    fn curves_ui(&self, ui: &mut Ui, id: Id, series: &[TimeSeries<'_>]) {
        let tokens = Tokens::of(ui);
        let bounds = PlotBounds::from_min_max([-f64::from(self.span_secs), 0.0], [0.0, self.axis.top]);
        let mut child = ui.new_child(UiBuilder::new().max_rect(self.rect));
        Plot::new(id.with("curves"))
            .show_axes(false)
            .show_grid(false)
            .show_background(false)
            .show_x(false)
            .show_y(false)
            .allow_zoom(false)
            .allow_drag(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .set_margin_fraction(Vec2::ZERO)
            .sense(Sense::empty())
            .show(&mut child, |plot| {
                plot.set_plot_bounds(bounds);
                for (index, series) in series.iter().enumerate().rev() {
                    for piece in series.points.split(|point| !point[1].is_finite()).filter(|piece| !piece.is_empty()) {
                        let points: Vec<[f64; 2]> = piece.iter().map(|[age, value]| [-f64::from(*age), f64::from(*value)]).collect();
                        let line = Line::new(series.name, points).color(tokens.series(series.series)).width(1.5);
                        plot.line(if index == 0 { line.fill(0.0).fill_alpha(FILL_OPACITY) } else { line });
                    }
                }
            });
    }

    fn paint_budget(&self, ui: &Ui, budget: f64) {
        let y = self.point_from(0.0, budget).y.round() + 0.5;
        let ends = [pos2(self.rect.left(), y), pos2(self.rect.right(), y)];
        let stroke = Stroke::new(1.0, Tokens::of(ui).t3);
        ui.painter().extend(Shape::dashed_line(&ends, stroke, 4.0, 4.0));
    }
}
