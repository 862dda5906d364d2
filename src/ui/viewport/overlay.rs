//! What is drawn over a slice: grids, boxes, crosshair, plates, axes, scale bar.

use crate::geometry::{BoundingBox, ChunkGrid, Mag, MagLabel, SlicePlane};
use crate::scene::{PaneView, ScaleBar};
use crate::state::AppContext;
use crate::ui::theme::{Plane, Series, Tokens, color, fonts, metrics};
use crate::ui::widgets::{PlateLook, paint_plane_tag, paint_plate, paint_plate_ground};
use egui::{Align2, Color32, Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};

/// A pane on the screen: where its pixels are in points.
#[derive(Clone, Copy)]
pub struct OnScreen {
    /// The pane in points.
    pub rect: Rect,
    /// Its mapping between pixels and voxels.
    pub view: PaneView,
    /// Physical pixels per point.
    pub pixels_per_point: f32,
}

impl OnScreen {
    /// Screen coordinate in points of a mag-1 coordinate along screen axis 0 (right) or 1 (down).
    pub fn at(&self, screen_axis: usize, mag1: f64) -> f32 {
        let start = if screen_axis == 0 { self.rect.left() } else { self.rect.top() };
        // Overlays far outside of the screen are clamped, so that tessellation stays sane.
        start + (self.view.px_from_mag1(screen_axis, mag1).clamp(-1e6, 1e6) as f32) / self.pixels_per_point
    }

    /// The mag-1 point under a point of the screen, in the middle of the shown slice.
    pub fn mag1_at(&self, pos: Pos2) -> [f64; 3] {
        let mut point = [0.0; 3];
        point[self.view.plane().normal_axis()] = self.view.slice() as f64 + 0.5;
        let from_corner = (pos - self.rect.min) * self.pixels_per_point;
        for screen_axis in 0..2 {
            point[self.view.volume_axis(screen_axis)] = self.view.mag1_from_px(screen_axis, f64::from(from_corner[screen_axis]));
        }
        point
    }

    /// The middle of the physical pixel at a coordinate, so that one-pixel lines are sharp.
    fn sharp(&self, points: f32) -> f32 {
        ((points * self.pixels_per_point).floor() + 0.5) / self.pixels_per_point
    }
}

/// The colours' own name of a plane.
pub fn theme_plane(plane: SlicePlane) -> Plane {
    match plane {
        SlicePlane::Xy => Plane::Xy,
        SlicePlane::Yz => Plane::Yz,
        SlicePlane::Xz => Plane::Xz,
    }
}

/// Draws chunk and shard borders of the selected layer's shown level.
pub fn paint_grids(painter: &Painter, pane: &OnScreen, ctx: &AppContext<'_>, tokens: &Tokens) {
    let overlays = ctx.state.settings.overlays;
    let Some(open) = &ctx.state.dataset else { return };
    let Some(level) = ctx.feed.shown_level(open.selected) else { return };
    let Some(layer) = open.selected() else { return };
    let inside = layer.layer().bounding_box;
    let grid = level.source.grid();
    if overlays.chunk_grid {
        let stroke = Stroke::new(1.0, tokens.slice.chunk_grid);
        paint_grid(painter, pane, &inside, level.mag, grid, grid.chunk_shape().to_vec().to_array(), stroke);
    }
    if overlays.shard_grid {
        let stroke = Stroke::new(2.0, tokens.slice.shard_grid);
        paint_grid(painter, pane, &inside, level.mag, grid, grid.shard_shape().to_vec().to_array(), stroke);
    }
}

/// Lines closer than this say nothing.
const MIN_GRID_SPACING: f32 = 12.0;

fn paint_grid(painter: &Painter, pane: &OnScreen, inside: &BoundingBox, mag: Mag, grid: &ChunkGrid, cell: [i64; 3], stroke: Stroke) {
    let visible = pane.view.box_mag1().intersect(inside);
    if visible.is_empty() {
        return;
    }
    let origin = grid.chunk_box(crate::geometry::ChunkIndex(crate::geometry::Vec3Int::ZERO)).topleft;
    let span = |screen_axis: usize| {
        let axis = pane.view.volume_axis(screen_axis);
        (pane.at(screen_axis, visible.topleft[axis] as f64), pane.at(screen_axis, visible.bottomright()[axis] as f64))
    };
    for screen_axis in 0..2 {
        let axis = pane.view.volume_axis(screen_axis);
        let step_mag1 = cell[axis].saturating_mul(mag.factors()[axis]);
        let spacing = (step_mag1 as f64 / pane.view.step()[screen_axis]) as f32 / pane.pixels_per_point;
        if spacing < MIN_GRID_SPACING {
            continue;
        }
        let start = origin[axis].saturating_mul(mag.factors()[axis]);
        let first = (visible.topleft[axis] - start).div_euclid(step_mag1);
        let last = (visible.bottomright()[axis] - start).div_euclid(step_mag1);
        for i in first..=last {
            let at = start + i * step_mag1;
            if at < visible.topleft[axis] || at > visible.bottomright()[axis] {
                continue;
            }
            let at = pane.sharp(pane.at(screen_axis, at as f64));
            let (from, to) = span(1 - screen_axis);
            let line = if screen_axis == 0 { [pos2(at, from), pos2(at, to)] } else { [pos2(from, at), pos2(to, at)] };
            painter.line_segment(line, stroke);
        }
    }
}

/// Draws the outlines of the visible layers; equal boxes once, the selected layer's on top and thicker.
pub fn paint_bounding_boxes(painter: &Painter, pane: &OnScreen, ctx: &AppContext<'_>, tokens: &Tokens) {
    let Some(open) = &ctx.state.dataset else { return };
    const COLORS: [Series; 5] = [Series::Decoded, Series::P50, Series::Read, Series::P99, Series::P95];
    let mut boxes: Vec<(BoundingBox, Color32, f32)> = Vec::new();
    for (i, layer) in open.layers.iter().enumerate().filter(|(_, layer)| layer.display.visible) {
        let bounds = layer.layer().bounding_box;
        let width = if i == open.selected { 2.0 } else { 1.0 };
        match boxes.iter_mut().find(|(known, _, _)| *known == bounds) {
            Some((_, _, known)) => *known = known.max(width),
            None => boxes.push((bounds, tokens.series(COLORS[i % COLORS.len()]), width)),
        }
    }
    let normal = pane.view.plane().normal_axis();
    for (bounds, color, width) in boxes {
        let (low, high) = (bounds.topleft, bounds.bottomright());
        if !(low[normal]..high[normal]).contains(&pane.view.slice()) {
            continue;
        }
        let corner = |p: crate::geometry::Vec3Int| {
            pos2(pane.at(0, p[pane.view.volume_axis(0)] as f64), pane.at(1, p[pane.view.volume_axis(1)] as f64))
        };
        painter.rect_stroke(Rect::from_two_pos(corner(low), corner(high)), 0.0, Stroke::new(width, color), StrokeKind::Outside);
    }
}

/// Draws the lines in which the other two planes cut this one.
pub fn paint_crosshair(painter: &Painter, pane: &OnScreen, tokens: &Tokens) {
    const GAP: f32 = 10.0;
    let view = &pane.view;
    let center =
        pos2(pane.sharp(pane.at(0, view.center()[view.volume_axis(0)])), pane.sharp(pane.at(1, view.center()[view.volume_axis(1)])));
    let plane_across = |axis: usize| SlicePlane::ALL.into_iter().find(|plane| plane.normal_axis() == axis).unwrap_or(SlicePlane::Xy);
    // A line to the right lies in the plane whose normal runs down, and the other way round.
    let horizontal = tokens.plane(theme_plane(plane_across(view.volume_axis(1))));
    let vertical = tokens.plane(theme_plane(plane_across(view.volume_axis(0))));
    let (left, right) = (pane.rect.left(), pane.rect.right());
    let (top, bottom) = (pane.rect.top(), pane.rect.bottom());
    let lines = [
        ([pos2(left, center.y), pos2(center.x - GAP, center.y)], horizontal),
        ([pos2(center.x + GAP, center.y), pos2(right, center.y)], horizontal),
        ([pos2(center.x, top), pos2(center.x, center.y - GAP)], vertical),
        ([pos2(center.x, center.y + GAP), pos2(center.x, bottom)], vertical),
    ];
    for (line, color) in lines {
        painter.line_segment(line, Stroke::new(3.0, tokens.slice.crosshair_halo));
        painter.line_segment(line, Stroke::new(1.0, color));
    }
}

/// Draws tag, slice position and mag at the upper left.
pub fn paint_plates(painter: &Painter, pane: &OnScreen, mag: Option<MagLabel>, tokens: &Tokens) {
    let plane = pane.view.plane();
    let axis = ["x", "y", "z"][plane.normal_axis()];
    let start = pane.rect.min + vec2(metrics::PLATE_MARGIN, metrics::PLATE_MARGIN);
    let tag = paint_plane_tag(painter, start, Align2::LEFT_TOP, theme_plane(plane), tokens);
    let next = |rect: Rect| pos2(rect.right() + metrics::TIGHT_GAP, start.y);
    let look = PlateLook::on_slice(tokens);
    let slice = paint_plate(painter, next(tag), Align2::LEFT_TOP, &format!("{axis} {}", pane.view.slice()), look);
    if let Some(mag) = mag {
        paint_plate(painter, next(slice), Align2::LEFT_TOP, &format!("mag {mag}"), look);
    }
}

/// Draws which axes run right and down, at the lower left.
pub fn paint_axes(painter: &Painter, pane: &OnScreen, tokens: &Tokens) {
    const SIDE: f32 = 44.0;
    let corner = pane.rect.left_bottom() + vec2(metrics::PLATE_MARGIN, -metrics::PLATE_MARGIN - SIDE);
    let ground = Rect::from_min_size(corner, vec2(SIDE, SIDE));
    paint_plate_ground(painter, ground, tokens);
    let origin = corner + vec2(10.5, 12.5);
    let names = ["x", "y", "z"];
    arrow(painter, origin, vec2(18.0, 0.0), tokens.slice.text);
    arrow(painter, origin, vec2(0.0, 18.0), tokens.slice.text);
    let label = |at: Pos2, axis: usize| {
        painter.text(at, Align2::CENTER_CENTER, names[axis], fonts::small(), tokens.slice.text);
    };
    label(origin + vec2(26.0, -0.5), pane.view.volume_axis(0));
    label(origin + vec2(0.0, 25.0), pane.view.volume_axis(1));
}

fn arrow(painter: &Painter, from: Pos2, along: egui::Vec2, color: Color32) {
    let (to, across) = (from + along, along.rot90().normalized());
    let back = to - along.normalized() * 3.5;
    let stroke = Stroke::new(1.0, color);
    painter.line_segment([from, to], stroke);
    painter.line_segment([to, back + across * 3.5], stroke);
    painter.line_segment([to, back - across * 3.5], stroke);
}

/// Draws the scale bar at the lower right.
pub fn paint_scale_bar(painter: &Painter, pane: &OnScreen, bar: &ScaleBar, tokens: &Tokens) {
    const PADDING: f32 = 8.0;
    let length = bar.length_px as f32;
    let size = vec2(length.max(40.0) + 2.0 * PADDING, 30.0);
    let corner = pane.rect.right_bottom() - vec2(metrics::PLATE_MARGIN, metrics::PLATE_MARGIN) - size;
    let ground = Rect::from_min_size(corner, size);
    paint_plate_ground(painter, ground, tokens);
    let stroke = Stroke::new(1.0, tokens.slice.text);
    let y = pane.sharp(ground.bottom() - 8.0);
    let (left, right) = (pane.sharp(ground.center().x - length / 2.0), pane.sharp(ground.center().x + length / 2.0));
    painter.line_segment([pos2(left, y), pos2(right, y)], stroke);
    for x in [left, right] {
        painter.line_segment([pos2(x, y - 2.5), pos2(x, y + 2.5)], stroke);
    }
    painter.text(pos2(ground.center().x, ground.top() + 9.0), Align2::CENTER_CENTER, &bar.text, fonts::small(), tokens.slice.text);
}

/// Draws the frame in the plane's colour, inside the picture.
pub fn paint_frame(painter: &Painter, pane: &OnScreen, is_active: bool, tokens: &Tokens) {
    let color = tokens.plane(theme_plane(pane.view.plane()));
    let color = if is_active { color } else { color::with_opacity(color, 0.8) };
    let width = if is_active { 2.0 } else { 1.0 };
    painter.rect_stroke(pane.rect, metrics::RADIUS_PANE, Stroke::new(width, color), StrokeKind::Inside);
}
