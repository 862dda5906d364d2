//! A row of the segment list: eye, colour, id, name, voxels, and what can be done with the segment.

use super::row::{EYE, TEXT_LEFT, eye_ui, left_text, right_text};
use super::segment_list::SegmentRow;
use crate::format::nml::{Segment, SegmentId};
use crate::state::{AnnotationCommand, AppCommand, AppContext, OpenVolume, SegmentChange};
use crate::text::count;
use crate::ui::annotation_look::{color_of, default_color, id_text};
use crate::ui::theme::{Tokens, fonts, metrics, text};
use crate::ui::widgets::{Row, RowState, TextButton, TextField};
use egui::{Color32, Key, Popup, PopupCloseBehavior, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// What is being changed in the list and not sent yet.
#[derive(Debug, Default)]
pub struct RowEdits {
    /// The segment that gets another name, and what was typed.
    pub renaming: Option<(SegmentId, String)>,
    /// The field for the name is new and wants the keyboard.
    pub wants_focus: bool,
    /// The segment that gets another colour, and the one that is chosen so far.
    recolouring: Option<(SegmentId, Color32)>,
}

impl RowEdits {
    /// Opens the field for a segment's name.
    pub fn rename(&mut self, id: SegmentId, name: Option<&str>) {
        self.renaming = Some((id, name.unwrap_or_default().to_owned()));
        self.wants_focus = true;
    }
}

/// A row with all it shows.
pub struct SegmentRowUi<'a> {
    /// Where commands go.
    pub ctx: &'a AppContext<'a>,
    /// The volume.
    pub volume: &'a OpenVolume,
    /// The segment.
    pub row: SegmentRow,
    /// Width of the column of ids.
    pub id_width: f32,
}

impl SegmentRowUi<'_> {
    fn segment(&self) -> Option<&Segment> {
        self.row.listed.and_then(|index| self.volume.segments.get(index))
    }

    /// Whether it is drawn: by what the list says, or as one of those that alone are.
    fn is_visible(&self) -> bool {
        let layer = self.ctx.state.dataset.as_ref().and_then(|open| open.layers.get(self.volume.layer));
        layer.is_none_or(|layer| !layer.display.segments.is_hidden(self.row.id))
    }

    fn change(&self, change: SegmentChange) {
        self.ctx.send(AnnotationCommand::ChangeSegment { id: self.row.id, change });
    }

    /// Draws the row.
    pub fn show(&self, ui: &mut Ui, edits: &mut RowEdits) {
        let tokens = Tokens::of(ui);
        let id = id_text(self.volume.class, self.row.id);
        let name = self.segment().and_then(|segment| segment.name.as_deref()).unwrap_or_default();
        let is_active = self.row.id == self.volume.active;
        let state = if is_active { RowState::Active } else { RowState::Plain };
        let row = Row::new(format!("Segment {id} {name}").trim_end(), state).show(ui, |ui| {
            let rect = ui.max_rect();
            let is_visible = self.is_visible();
            if eye_ui(ui, rect, &format!("Show segment {id}"), is_visible) {
                self.change(SegmentChange::Visible(!is_visible));
            }
            self.swatch_ui(ui, rect, &id, edits);
            let (color, quiet) = match (is_visible, is_active) {
                (false, _) => (tokens.t3, tokens.t3),
                (true, true) => (tokens.t1, tokens.acctx),
                (true, false) => (tokens.t1, tokens.t2),
            };
            let font = if is_active { fonts::control_medium() } else { fonts::control() };
            let at = pos2(rect.left() + TEXT_LEFT, rect.center().y);
            ui.painter().text(at, egui::Align2::LEFT_CENTER, &id, font.clone(), color);
            let end = right_text(ui, rect, &self.voxels_text(), quiet);
            let left = at.x + self.id_width + metrics::PANEL_PADDING;
            if edits.renaming.as_ref().is_some_and(|(renamed, _)| *renamed == self.row.id) {
                self.name_field_ui(ui, Rect::from_min_max(pos2(left, rect.top()), pos2(rect.right(), rect.bottom())), &id, edits);
            } else {
                let (words, color) = if self.row.listed.is_none() { ("not listed", tokens.t3) } else { (name, color) };
                left_text(ui, rect, left, end - metrics::GAP, text::control(words).font(font).color(color));
            }
        });
        let response = self.tooltip(row.response, name);
        if response.double_clicked() {
            edits.rename(self.row.id, Some(name));
        } else if response.clicked() {
            self.ctx.send(AnnotationCommand::SelectSegment(self.row.id));
        }
        if response.has_focus() && ui.input(|input| input.key_pressed(Key::F2)) {
            edits.rename(self.row.id, Some(name));
        }
        response.context_menu(|ui| self.menu_ui(ui, name, edits));
    }

    fn tooltip(&self, response: Response, name: &str) -> Response {
        let has_no_voxels = self.volume.counts.as_ref().is_some_and(|counts| counts.get(&self.row.id).is_none_or(|count| *count == 0));
        if has_no_voxels {
            let further = if self.volume.fallback.is_some() { ". Those of the fallback layer aren't counted" } else { "" };
            response.on_hover_text(format!("No voxels in the annotation's own chunks{further}"))
        } else if self.row.listed.is_none() {
            response.on_hover_text("It has voxels, but the segment list doesn't name it")
        } else if name.chars().count() > 16 {
            response.on_hover_text(name)
        } else {
            response
        }
    }

    fn voxels_text(&self) -> String {
        match self.volume.counts.as_ref().map(|counts| counts.get(&self.row.id).copied().unwrap_or(0)) {
            None => "–".to_owned(),
            Some(0) if self.volume.uncounted == 0 => "none".to_owned(),
            Some(voxels) => count(voxels),
        }
    }

    fn name_field_ui(&self, ui: &mut Ui, place: Rect, id: &str, edits: &mut RowEdits) {
        let Some((_, typed)) = &mut edits.renaming else { return };
        let label = format!("Name of segment {id}");
        let response = ui.place(place, TextField::new(&label, typed).hint("Name"));
        if std::mem::take(&mut edits.wants_focus) {
            response.request_focus();
            return;
        }
        if !response.lost_focus() && response.has_focus() {
            return;
        }
        let is_given_up = ui.input(|input| input.key_pressed(Key::Escape));
        if let Some((_, typed)) = edits.renaming.take().filter(|_| !is_given_up) {
            let typed = typed.trim();
            let before = self.segment().and_then(|segment| segment.name.as_deref()).unwrap_or_default();
            if typed != before {
                self.change(SegmentChange::Name((!typed.is_empty()).then(|| typed.to_owned())));
            }
        }
    }

    fn given_color(&self) -> Option<Color32> {
        self.segment().and_then(|segment| segment.color).map(color_of)
    }

    /// The colour, and the choice of another one. What is chosen counts once the pointer lets go: each change is an edit.
    fn swatch_ui(&self, ui: &mut Ui, row: Rect, id: &str, edits: &mut RowEdits) {
        let tokens = Tokens::of(ui);
        let center = pos2(row.left() + EYE + 9.0, row.center().y);
        let response = ui.interact(Rect::from_center_size(center, vec2(16.0, 20.0)), ui.scope_id().with("colour"), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Colour of segment {id}")));
        let chosen = edits.recolouring.filter(|(chosen, _)| *chosen == self.row.id).map(|(_, color)| color);
        let color = chosen.or(self.given_color()).unwrap_or_else(|| default_color(self.volume, self.row.id));
        let swatch = Rect::from_center_size(center, vec2(10.0, 10.0));
        ui.painter().rect_filled(swatch, 2, color);
        if response.hovered() || response.has_focus() {
            let border = Stroke::new(1.0, if response.has_focus() { tokens.acc } else { tokens.t1 });
            ui.painter().rect_stroke(swatch.expand(2.0), 3, border, StrokeKind::Inside);
        }
        let popup = Popup::from_toggle_button_response(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let response = response.on_hover_text("Another colour");
        let is_shown = popup.show(|ui| {
            let mut picked = color;
            ui.spacing_mut().slider_width = 200.0;
            if egui::color_picker::color_picker_color32(ui, &mut picked, egui::color_picker::Alpha::Opaque) {
                edits.recolouring = Some((self.row.id, picked));
            }
            ui.add_space(metrics::GAP);
            if ui.add_enabled(self.given_color().is_some(), TextButton::new("Colour of the id")).clicked() {
                edits.recolouring = None;
                self.change(SegmentChange::Color(None));
                ui.close();
            }
        });
        let is_held = ui.input(|input| input.pointer.any_down());
        if let Some(color) = chosen.filter(|_| !is_held || (is_shown.is_none() && !response.hovered())) {
            edits.recolouring = None;
            if Some(color) != self.given_color() {
                self.change(SegmentChange::Color(Some([color.r(), color.g(), color.b()])));
            }
        }
    }

    fn menu_ui(&self, ui: &mut Ui, name: &str, edits: &mut RowEdits) {
        let segment = self.segment();
        let anchor = segment.and_then(|segment| segment.anchor);
        if ui.add_enabled(anchor.is_some(), egui::Button::new("Jump to")).clicked()
            && let Some(anchor) = anchor
        {
            self.ctx.send(AppCommand::SetPosition(anchor));
        }
        if ui.button("Copy id").clicked() {
            self.ctx.send(AppCommand::Copy(id_text(self.volume.class, self.row.id)));
        }
        ui.separator();
        if ui.button("Rename").clicked() {
            edits.rename(self.row.id, Some(name));
        }
        if ui.add_enabled(self.given_color().is_some(), egui::Button::new("Reset colour")).clicked() {
            self.change(SegmentChange::Color(None));
        }
        ui.separator();
        let is_visible = self.is_visible();
        if ui.button(if is_visible { "Hide" } else { "Show" }).clicked() {
            self.change(SegmentChange::Visible(!is_visible));
        }
        if ui.button("Show only this").on_hover_text("In the panes; exported files keep what is listed as shown").clicked() {
            self.ctx.send(AnnotationCommand::ShowOnlySegment(self.row.id));
        }
        if ui.button("Show all").clicked() {
            self.ctx.send(AnnotationCommand::ShowAllSegments);
        }
        ui.separator();
        match segment {
            Some(_) => {
                if ui.button("Remove from list").on_hover_text("Its voxels stay").clicked() {
                    self.change(SegmentChange::Unlist);
                }
            }
            None => {
                if ui.button("Add to list").clicked() {
                    self.change(SegmentChange::List);
                }
            }
        }
        if ui.button("Delete voxels").on_hover_text("In the annotation's own chunks. It can be undone").clicked() {
            self.change(SegmentChange::Erase);
        }
    }
}
