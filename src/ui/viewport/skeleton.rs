//! What an annotation's file has over a slice: nodes and edges of its skeleton, boxes.

use super::overlay::OnScreen;
use crate::geometry::{BoundingBox, Vec3Int};
use crate::scene::NodeOnPane;
use crate::state::{OpenAnnotation, OpenDataset};
use crate::text::shortened;
use crate::ui::annotation_look::{box_color, box_name, tree_color, tree_name};
use crate::ui::theme::{Tokens, color, metrics};
use crate::ui::widgets::{PlateLook, paint_plate};
use egui::{Align2, Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};

const NODE: f32 = 4.5;
const NODE_OFF_SLICE: f32 = 3.0;
const BRANCHPOINT_RING: f32 = 8.0;
const ACTIVE_RING: f32 = 8.5;
/// How near the pointer must be to name something.
const HOVER: f32 = 8.0;
/// Characters of a name or comment on a plate.
const MAX_TEXT: usize = 80;

/// Draws the nodes and edges near the slice, and what is known of the node at the pointer.
pub fn paint_skeleton(
    painter: &Painter,
    pane: &OnScreen,
    annotation: &OpenAnnotation,
    open: &OpenDataset,
    pointer: Option<Pos2>,
    tokens: &Tokens,
) {
    if !annotation.shows_skeleton || annotation.skeleton.is_empty() {
        return;
    }
    let found = annotation.skeleton.on_pane(&pane.view, &open.dataset.voxel_size, &|tree| annotation.shows_tree(tree));
    let color_of = |tree: usize| annotation.nml.trees.get(tree).map_or(tokens.slice.white, tree_color);
    let at = |[x, y]: [f64; 2]| pane.rect.min + vec2(x as f32, y as f32) / pane.pixels_per_point;
    let seen = pane.view.shape_px().map(f64::from);
    let edges: Vec<_> = found.edges.iter().filter_map(|edge| Some((clipped(edge.ends_px, seen)?, edge))).collect();
    // All dark lines first, so that they don't cut the edges they cross.
    for (ends, edge) in &edges {
        painter.line_segment(ends.map(at), Stroke::new(4.0, color::with_opacity(tokens.slice.halo, edge.nearness)));
    }
    for (ends, edge) in &edges {
        painter.line_segment(ends.map(at), Stroke::new(2.0, color::with_opacity(color_of(edge.tree), edge.nearness)));
    }
    let slice = pane.view.slice();
    let normal = pane.view.plane().normal_axis();
    for node in &found.nodes {
        let is_in_slice = node.position[normal] == slice;
        let color = color::with_opacity(color_of(node.tree), node.nearness);
        let (center, radius) = (at(node.at_px), if is_in_slice { NODE } else { NODE_OFF_SLICE });
        painter.circle_filled(center, radius + 1.0, color::with_opacity(tokens.slice.halo, node.nearness));
        painter.circle_filled(center, radius, color);
        if node.is_branchpoint {
            painter.circle_stroke(center, BRANCHPOINT_RING, Stroke::new(1.5, color));
        }
        if is_in_slice && annotation.selected_tree == Some(node.tree) {
            painter.circle_stroke(center, ACTIVE_RING, Stroke::new(2.0, tokens.slice.white));
        }
    }
    let Some(pointer) = pointer else { return };
    let distance = |node: &NodeOnPane| at(node.at_px).distance(pointer);
    let nearest = found.nodes.iter().filter(|node| distance(node) <= HOVER).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    if let Some(node) = nearest {
        plate_beside(painter, pane, at(node.at_px), &node_text(annotation, node), tokens);
    }
}

/// `axon 12, node 148`, and its comment.
fn node_text(annotation: &OpenAnnotation, node: &NodeOnPane) -> String {
    let tree = annotation.nml.trees.get(node.tree).map(tree_name).unwrap_or_default();
    let mut text = format!("{}, node {}", shortened(&tree, MAX_TEXT), node.id);
    if node.has_comment {
        let comments = annotation.nml.comments.iter().filter(|comment| comment.node == node.id);
        for comment in comments.take(3) {
            // A plate has one line.
            let words: Vec<&str> = comment.content.split_whitespace().collect();
            text += &format!(" · {}", shortened(&words.join(" "), MAX_TEXT));
        }
    }
    text
}

/// Draws the boxes of the file that the slice cuts, and the name of one at the pointer.
pub fn paint_boxes(painter: &Painter, pane: &OnScreen, annotation: &OpenAnnotation, pointer: Option<Pos2>, tokens: &Tokens) {
    let nml = &annotation.nml;
    let visible = nml.user_boxes.iter().filter(|user_box| user_box.is_visible);
    let task = nml.task_box.as_ref().map(|extent| (*extent, tokens.slice.white, "Task".to_owned()));
    let boxes = visible.map(|user_box| (user_box.extent, box_color(user_box), box_name(user_box))).chain(task);
    let mut named = None;
    for (extent, color, name) in boxes {
        let Some(rect) = cut(pane, &extent) else { continue };
        painter.rect_stroke(rect, 0.0, Stroke::new(1.0, color), StrokeKind::Outside);
        if let Some(pointer) = pointer.filter(|pointer| rect.distance_to_pos(*pointer).max(inner_distance(rect, *pointer)) <= HOVER) {
            named = Some((pointer, name));
        }
    }
    if let Some((pointer, name)) = named {
        plate_beside(painter, pane, pointer, &shortened(&name, MAX_TEXT), tokens);
    }
}

/// How far inside of a rectangle a point lies; 0 outside.
fn inner_distance(rect: Rect, point: Pos2) -> f32 {
    let to_edges = [point.x - rect.left(), rect.right() - point.x, point.y - rect.top(), rect.bottom() - point.y];
    to_edges.into_iter().fold(f32::INFINITY, f32::min).max(0.0)
}

/// Where the slice cuts a box.
fn cut(pane: &OnScreen, extent: &BoundingBox) -> Option<Rect> {
    let (low, high) = (extent.topleft, extent.bottomright());
    let normal = pane.view.plane().normal_axis();
    let is_cut = (low[normal]..high[normal]).contains(&pane.view.slice());
    let corner =
        |voxel: Vec3Int| pos2(pane.at(0, voxel[pane.view.volume_axis(0)] as f64), pane.at(1, voxel[pane.view.volume_axis(1)] as f64));
    is_cut.then(|| Rect::from_two_pos(corner(low), corner(high)))
}

/// A plate beside a point, inside of the pane.
fn plate_beside(painter: &Painter, pane: &OnScreen, at: Pos2, text: &str, tokens: &Tokens) {
    let is_left = at.x < pane.rect.center().x;
    let (align, side) = if is_left { (Align2::LEFT_BOTTOM, 1.0) } else { (Align2::RIGHT_BOTTOM, -1.0) };
    let top = pane.rect.top() + metrics::PLATE;
    let anchor = pos2(at.x + side * 10.0, (at.y - 10.0).max(top));
    paint_plate(painter, anchor, align, text, PlateLook::on_slice(tokens));
}

/// The part of a line that lies inside of a pane of this many pixels; far ends would lose their direction as floats.
fn clipped([from, to]: [[f64; 2]; 2], shape_px: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    const MARGIN_PX: f64 = 8.0;
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let along = to[axis] - from[axis];
        let (low, high) = (-MARGIN_PX - from[axis], shape_px[axis] + MARGIN_PX - from[axis]);
        if along == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (first, last) = if along > 0.0 { (low / along, high / along) } else { (high / along, low / along) };
        (enters, leaves) = (enters.max(first), leaves.min(last));
    }
    let at = |share: f64| [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
    (enters <= leaves).then(|| [at(enters), at(leaves)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_direction_when_they_are_clipped() {
        let shape = [400.0, 300.0];
        assert_eq!(clipped([[10.0, 20.0], [30.0, 40.0]], shape), Some([[10.0, 20.0], [30.0, 40.0]]));
        let [from, to] = clipped([[-1e9, -1e9], [1e9, 1e9]], shape).expect("it crosses");
        assert!((from[0] - from[1]).abs() < 1e-3 && (to[0] - to[1]).abs() < 1e-3, "{from:?} {to:?}");
        assert!(to[0] <= 308.1 && from[0] >= -8.1);
        assert_eq!(clipped([[-100.0, 50.0], [-50.0, 900.0]], shape), None, "beside the pane");
        assert_eq!(clipped([[500.0, 0.0], [500.0, 300.0]], shape), None, "parallel to an edge, outside");
        assert_eq!(clipped([[-50.0, 350.0], [50.0, 400.0]], shape), None, "around a corner");
    }

    #[test]
    fn the_border_of_a_box_is_near_from_both_sides() {
        let rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        assert_eq!(inner_distance(rect, pos2(50.0, 25.0)), 25.0);
        assert_eq!(inner_distance(rect, pos2(97.0, 25.0)), 3.0);
        assert_eq!(inner_distance(rect, pos2(130.0, 25.0)), 0.0);
    }
}
