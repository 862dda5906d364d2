//! Boxes and comments: a click goes there.

use super::header_ui;
use super::row::{Lists, left_text, right_text};
use crate::geometry::{BoundingBox, Vec3Int};
use crate::state::{AnnotationCommand, AppCommand, AppContext, OpenAnnotation};
use crate::text::count;
use crate::ui::annotation_look::{box_color, box_name, tree_name};
use crate::ui::theme::{Tokens, metrics, text};
use crate::ui::widgets::{Row, RowState};
use egui::{Color32, Rect, Stroke, StrokeKind, Ui, pos2, vec2};

/// The sections with what is folded.
#[derive(Debug)]
pub struct PlacesPanel {
    shows_boxes: bool,
    shows_comments: bool,
}

impl Default for PlacesPanel {
    fn default() -> Self {
        Self { shows_boxes: true, shows_comments: true }
    }
}

impl PlacesPanel {
    /// Draws the sections of which there is something.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, lists: &mut Lists) {
        self.boxes_ui(ui, ctx, open, lists);
        self.comments_ui(ui, ctx, open, lists);
    }

    fn boxes_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, lists: &mut Lists) {
        let boxes = &open.nml.user_boxes;
        let number = boxes.len() + usize::from(open.nml.task_box.is_some());
        if number == 0 {
            return;
        }
        header_ui(ui, "Boxes", &count(number as u64), &mut self.shows_boxes, |_| ());
        if !self.shows_boxes {
            return;
        }
        lists.rows_ui(ui, "boxes", number, None, |ui, row| {
            let white = Tokens::of(ui).t1;
            match (boxes.get(row), &open.nml.task_box) {
                (Some(user_box), _) => box_ui(ui, ctx, &box_name(user_box), &user_box.extent, box_color(user_box), user_box.is_visible),
                (None, Some(task)) => box_ui(ui, ctx, "Task", task, white, true),
                (None, None) => {}
            }
        });
    }

    fn comments_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, lists: &mut Lists) {
        let comments = &open.nml.comments;
        if comments.is_empty() {
            return;
        }
        header_ui(ui, "Comments", &count(comments.len() as u64), &mut self.shows_comments, |_| ());
        if !self.shows_comments {
            return;
        }
        lists.rows_ui(ui, "comments", comments.len(), None, |ui, row| {
            let Some(comment) = comments.get(row) else { return };
            let place = open.skeleton.place_of_comment(row);
            let tree = place.and_then(|(tree, _)| open.nml.trees.get(tree)).map(tree_name).unwrap_or_default();
            let name = format!("Comment {}", comment.content);
            let response = Row::new(&name, RowState::Plain).show(ui, |ui| {
                let (rect, tokens) = (ui.max_rect(), Tokens::of(ui));
                let end = right_text(ui, rect, &crate::text::shortened(&tree, 24), tokens.t2);
                left_text(ui, rect, rect.left(), end - metrics::GAP, text::control(&comment.content).color(tokens.t1));
            });
            let response = response.response.on_hover_text(&comment.content);
            if let Some((tree, position)) = place.filter(|_| response.clicked()) {
                ctx.send(AnnotationCommand::SelectTree(Some(tree)));
                ctx.send(AppCommand::SetPosition(position));
            }
        });
    }
}

fn box_ui(ui: &mut Ui, ctx: &AppContext<'_>, name: &str, extent: &BoundingBox, color: Color32, is_visible: bool) {
    let size = extent_text(extent);
    let row = Row::new(&format!("Box {name}"), RowState::Plain).show(ui, |ui| {
        let (rect, tokens) = (ui.max_rect(), Tokens::of(ui));
        let outline = Rect::from_center_size(pos2(rect.left() + 6.0, rect.center().y), vec2(10.0, 10.0));
        ui.painter().rect_stroke(outline, 1.0, Stroke::new(1.5, color), StrokeKind::Inside);
        let end = right_text(ui, rect, &size, tokens.t2);
        let name_color = if is_visible { tokens.t1 } else { tokens.t3 };
        left_text(ui, rect, rect.left() + 20.0, end - metrics::GAP, text::control(name).color(name_color));
    });
    let response = row.response.on_hover_text(format!("From {} to {}", extent.topleft, extent.bottomright() - Vec3Int::new(1, 1, 1)));
    if response.clicked() {
        ctx.send(AppCommand::SetPosition(extent.center()));
    }
}

fn extent_text(extent: &BoundingBox) -> String {
    let [x, y, z] = extent.shape.to_vec().to_array().map(|side| count(side.unsigned_abs()));
    format!("{x} × {y} × {z}")
}
