//! What a painting tool will do: the disc of the brush at the pointer, the outline of the trace tool.

use super::overlay::OnScreen;
use super::tools::PressKind;
use crate::state::{AppContext, Tool};
use crate::ui::annotation_look::color_of_segment;
use crate::ui::theme::{Tokens, color};
use egui::{Painter, Pos2, Shape, Stroke, Ui, pos2, vec2};

/// Share of the segment's colour in the disc.
const FILL: f32 = 0.22;
/// Half the length of the lines of the cross in the middle.
const CROSS: f32 = 3.5;

/// Draws the disc that a press at the pointer would paint. It is round on the screen, because panes are physical, and
/// goes from voxel to voxel, because the brush does.
pub fn paint_disc(ui: &Ui, painter: &Painter, pane: &OnScreen, ctx: &AppContext<'_>, pointer: Pos2) {
    let tokens = Tokens::of(ui);
    let (Some(open), Some(volume)) = (&ctx.state.dataset, ctx.state.annotation.as_ref().and_then(|open| open.volume())) else { return };
    let tools = ctx.state.tools;
    // As the brush does: half the diameter in finest base voxels, rounded.
    let radius_voxels = (f64::from(volume.brush_size(&tools)) / 2.0).round();
    let radius = (radius_voxels / open.view.zoom()) as f32 / pane.pixels_per_point;
    let factors = ctx.feed.shown_mag(volume.layer).map_or([1; 3], |mag| mag.factors().to_array());
    let point = pane.mag1_at(pointer);
    let middle = |screen_axis: usize| {
        let axis = pane.view.volume_axis(screen_axis);
        let factor = factors[axis] as f64;
        pane.at(screen_axis, ((point[axis] / factor).floor() + 0.5) * factor)
    };
    let center = pos2(middle(0), middle(1));
    let erases = tools.tool == Tool::Eraser || PressKind::of(ui.input(|input| input.modifiers)).erases;
    if !erases && volume.active != 0 {
        let fill = color::with_opacity(color_of_segment(volume, volume.active), FILL);
        painter.circle_filled(center, radius, fill);
    }
    let (halo, white) = (Stroke::new(3.0, tokens.slice.halo), Stroke::new(1.0, tokens.slice.white));
    for stroke in [halo, white] {
        painter.circle_stroke(center, radius, stroke);
    }
    for stroke in [halo, white] {
        painter.line_segment([center - vec2(CROSS, 0.0), center + vec2(CROSS, 0.0)], stroke);
        painter.line_segment([center - vec2(0.0, CROSS), center + vec2(0.0, CROSS)], stroke);
    }
}

/// Draws an outline of mag-1 points, and how it will be closed.
pub fn paint_outline(ui: &Ui, painter: &Painter, pane: &OnScreen, outline: &[[f64; 3]]) {
    let slice = &Tokens::of(ui).slice;
    let view = &pane.view;
    let points: Vec<Pos2> =
        outline.iter().map(|point| Pos2::new(pane.at(0, point[view.volume_axis(0)]), pane.at(1, point[view.volume_axis(1)]))).collect();
    let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) else { return };
    painter.add(Shape::line(points.clone(), Stroke::new(3.0, slice.halo)));
    painter.add(Shape::line(points, Stroke::new(1.0, slice.white)));
    painter.extend(Shape::dashed_line(&[last, first], Stroke::new(1.0, slice.white), 4.0, 4.0));
}
