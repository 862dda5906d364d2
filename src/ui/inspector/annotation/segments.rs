//! Segments of the painted volume: list, search, and details of the active one.

use super::row::Lists;
use super::segment_list::{SegmentList, SegmentRow};
use super::segment_row::{RowEdits, SegmentRowUi};
use super::{found_text, header_ui, padded_ui};
use crate::format::nml::{SegmentGroup, SegmentId};
use crate::state::{AnnotationCommand, AppCommand, AppContext, OpenAnnotation, OpenVolume, UiCommand};
use crate::text::count;
use crate::ui::annotation_look::{counted, id_text, volume_choice_ui};
use crate::ui::inspector::probe_text::physical_volume;
use crate::ui::theme::{Tokens, fonts, icons, metrics, text};
use crate::ui::top_bar::with_shortcut;
use crate::ui::widgets::{IconButton, KeyValue, TextButton, TextField, icon_button_ui};
use egui::{Align, Color32, Frame, Key, Layout, Margin, Modifiers, Ui};

const KEY_WIDTH: f32 = 96.0;

/// The section with what it remembers.
#[derive(Debug)]
pub struct SegmentsPanel {
    is_open: bool,
    query: String,
    list: SegmentList,
    edits: RowEdits,
    /// The active segment of the last frame: a new one is brought into view.
    last_active: SegmentId,
    /// The row that is to be brought into view.
    scrolls_to_active: bool,
}

impl Default for SegmentsPanel {
    fn default() -> Self {
        Self {
            is_open: true,
            query: String::new(),
            list: SegmentList::default(),
            edits: RowEdits::default(),
            last_active: 0,
            scrolls_to_active: false,
        }
    }
}

impl SegmentsPanel {
    /// Draws the section.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, volume: &OpenVolume, lists: &mut Lists) {
        let rows = self.list.rows(volume, &self.query).len();
        let found = (!self.query.trim().is_empty()).then_some(rows);
        header_ui(ui, "Segments", &found_text(found, self.list.total()), &mut self.is_open, |ui| {
            let tooltip = with_shortcut(UiCommand::NewSegment);
            if icon_button_ui(ui, icons::PLUS, UiCommand::NewSegment.text(), &tooltip).clicked() {
                ctx.send(UiCommand::NewSegment);
            }
            ui.add(TextField::new("Search segments", &mut self.query).hint("Id or name").icon(icons::MAGNIFYING_GLASS).width(120.0));
        });
        if !self.is_open {
            return;
        }
        if open.volumes.len() > 1 {
            padded_ui(ui, |ui| volume_choice_ui(ui, ctx, open, "volume of the segments", ui.available_width()));
            ui.add_space(metrics::TIGHT_GAP);
        }
        padded_ui(ui, |ui| only_some_ui(ui, ctx, volume));
        self.list_ui(ui, ctx, volume, lists);
        if volume.uncounted > 0 {
            let chunks = counted(volume.uncounted, "chunk", "chunks");
            padded_ui(ui, |ui| super::hint_ui(ui, &format!("{chunks} can't be read: not counted")));
        }
        self.rename_by_key(ui, volume);
        padded_ui(ui, |ui| details_ui(ui, ctx, open, volume));
        ui.add_space(metrics::GAP);
    }

    fn list_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, volume: &OpenVolume, lists: &mut Lists) {
        let is_searched = !self.query.trim().is_empty();
        let rows = self.list.rows(volume, &self.query);
        if rows.is_empty() {
            let sentence = match (is_searched, volume.active) {
                (true, _) => "No segment has this id or name",
                (false, 0) => "No segments yet: C makes a new one, Shift+click in a pane takes over the one that is there",
                (false, _) => "The list is empty. Segments are added to it when they are painted",
            };
            padded_ui(ui, |ui| super::hint_ui(ui, sentence));
            return;
        }
        self.scrolls_to_active |= self.last_active != volume.active;
        self.last_active = volume.active;
        let active_row = rows.iter().position(|row| row.id == volume.active).filter(|_| self.scrolls_to_active);
        self.scrolls_to_active = false;
        let id_width = id_width(ui, volume, rows);
        let edits = &mut self.edits;
        lists.rows_ui(ui, "segments", rows.len(), active_row, |ui, row| {
            if let Some(row) = rows.get(row).copied() {
                ui.push_id(row.id, |ui| SegmentRowUi { ctx, volume, row, id_width }.show(ui, edits));
            }
        });
    }

    /// F2 renames the active segment, wherever the keyboard is but in a field.
    fn rename_by_key(&mut self, ui: &mut Ui, volume: &OpenVolume) {
        if volume.active == 0 || self.edits.renaming.is_some() || ui.ctx().text_edit_focused() {
            return;
        }
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::F2)) {
            let name = volume.segment(volume.active).and_then(|segment| segment.name.as_deref());
            self.edits.rename(volume.active, name);
            self.scrolls_to_active = true;
        }
    }
}

/// Says that only some segments are drawn, and offers the way back.
fn only_some_ui(ui: &mut Ui, ctx: &AppContext<'_>, volume: &OpenVolume) {
    let layer = ctx.state.dataset.as_ref().and_then(|open| open.layers.get(volume.layer));
    let Some(only) = layer.and_then(|layer| layer.display.segments.only.as_ref()) else { return };
    let words = match only.len() {
        1 => "Only 1 segment is shown".to_owned(),
        number => format!("Only {} segments are shown", count(number as u64)),
    };
    ui.horizontal(|ui| {
        ui.label(text::control(words).color(Tokens::of(ui).t2));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.add(TextButton::quiet("Show all")).clicked() {
                ctx.send(AnnotationCommand::ShowAllSegments);
            }
        });
    });
    ui.add_space(metrics::TIGHT_GAP);
}

/// As wide as the longest id needs: ids are never cut.
fn id_width(ui: &Ui, volume: &OpenVolume, rows: &[SegmentRow]) -> f32 {
    // Ids of signed classes are sign-extended: the longest is the largest or the least one, in either order.
    let ids = || rows.iter().map(|row| row.id);
    let extremes = [ids().max(), ids().max_by_key(|id| id.cast_signed()), ids().min_by_key(|id| id.cast_signed())];
    let digits = extremes.into_iter().flatten().map(|id| id_text(volume.class, id).len()).max().unwrap_or(1);
    ui.painter().layout_no_wrap("0".repeat(digits), fonts::control_medium(), Color32::PLACEHOLDER).size().x.ceil()
}

/// What is known of the active segment.
fn details_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, volume: &OpenVolume) {
    if volume.active == 0 {
        return;
    }
    let tokens = Tokens::of(ui);
    let segment = volume.segment(volume.active);
    ui.add_space(metrics::GAP);
    let margin = Margin::symmetric(metrics::GAP as i8, metrics::TIGHT_GAP as i8); // 8 and 4
    Frame::NONE.fill(tokens.bg1).corner_radius(metrics::RADIUS_CONTROL).inner_margin(margin).show(ui, |ui| {
        let id = id_text(volume.class, volume.active);
        ui.add(KeyValue::new("Segment", &id).key_width(KEY_WIDTH).copyable());
        let voxels = volume.counts.as_ref().map(|counts| counts.get(&volume.active).copied().unwrap_or(0));
        // Of a fallback layer nobody has counted the voxels.
        let note = if volume.fallback.is_some() { "in own chunks" } else { "" };
        let (size, note) = match (&ctx.state.dataset, voxels) {
            (Some(_), Some(0)) => ("none".to_owned(), note),
            (Some(dataset), Some(voxels)) => (physical_volume(&dataset.dataset.voxel_size, voxels), note),
            _ => ("–".to_owned(), ""),
        };
        ui.add(KeyValue::new("Volume", &size).note(note).key_width(KEY_WIDTH));
        let anchor = segment.and_then(|segment| segment.anchor);
        ui.horizontal(|ui| {
            ui.set_height(metrics::ROW_TABLE);
            let text = anchor.map_or_else(|| "–".to_owned(), |anchor| anchor.to_string());
            let room = ui.available_width() - metrics::CONTROL_HEIGHT;
            ui.scope(|ui| {
                ui.set_max_width(room);
                ui.add(KeyValue::new("Anchor", &text).key_width(KEY_WIDTH));
            });
            if let Some(anchor) = anchor
                && ui.add(IconButton::new(icons::CROSSHAIR_SIMPLE, "Go to anchor", "Centre this voxel").small()).clicked()
            {
                ctx.send(AppCommand::SetPosition(anchor));
            }
        });
        if let Some(group) = segment.and_then(|segment| segment.group).and_then(|group| group_name(open, group)) {
            ui.add(KeyValue::new("Group", group).key_width(KEY_WIDTH));
        }
        if segment.is_none() {
            ui.horizontal(|ui| {
                ui.set_height(metrics::ROW_TABLE);
                ui.add(KeyValue::new("List", "not listed").key_width(KEY_WIDTH));
            });
        }
    });
}

/// The name of a group of segments of the painted volume.
fn group_name(open: &OpenAnnotation, id: i64) -> Option<&str> {
    let mut waiting: Vec<&SegmentGroup> = open.nml.volumes.get(open.selected)?.segment_groups.iter().collect();
    while let Some(group) = waiting.pop() {
        if group.id == id {
            return Some(&group.name);
        }
        waiting.extend(&group.groups);
    }
    None
}
