//! The left panel's upper part: the dataset, its layers and their mags.

use super::frame::Room;
use super::theme::{Icon, Tokens, icons, metrics, text};
use super::widgets::{Chip, IconButton, IconToggle, Row, RowState, SectionHeader, chip_ui, divider_ui, icon_button_ui};
use crate::geometry::MagLabel;
use crate::state::{AppCommand, AppContext, OpenDataset, OpenLayer, UiCommand};
use crate::text::{bytes, count};
use egui::{Align, Color32, Label, Layout, Rect, Response, Ui, UiBuilder, pos2, vec2};
use std::collections::HashMap;
use std::path::PathBuf;

/// Where the names of mags start, under the eye of their layer.
const MAG_INDENT: f32 = 34.0;
/// From how many layers on only the selected one shows its mags at first.
const MANY_LAYERS: usize = 4;

/// Dataset and layers, with what is folded.
#[derive(Debug, Default)]
pub struct DatasetPanel {
    dataset: PathBuf,
    folded: HashMap<usize, bool>,
}

impl DatasetPanel {
    /// Draws the section; `ui` is as wide as the panel without its padding.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, room: Room) {
        if self.dataset != open.dataset.path {
            self.dataset.clone_from(&open.dataset.path);
            self.folded.clear();
        }
        header_ui(ui, ctx, open);
        ui.add_space(metrics::GAP);
        divider_ui(ui);
        ui.add_space(metrics::TIGHT_GAP);
        // The volumes of an annotation have a section of their own.
        let is_volume = |index: usize| ctx.state.annotation.as_ref().is_some_and(|annotation| annotation.has_layer(index));
        for (index, layer) in open.layers.iter().enumerate().filter(|(index, _)| !is_volume(*index)) {
            self.layer_ui(ui, ctx, open, (index, layer), room);
        }
        ui.add_space(metrics::GAP);
    }

    fn layer_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, (index, layer): (usize, &OpenLayer), room: Room) {
        let is_selected = index == open.selected;
        let folds_at_first = !layer.display.visible || (open.layers.len() > MANY_LAYERS && !is_selected);
        let mut is_folded = self.folded.get(&index).copied().unwrap_or(folds_at_first);
        let name = &layer.layer().name;
        let state = if is_selected { RowState::Selected } else { RowState::Plain };
        let row = Row::new(name, state).show(ui, |ui| layer_row_ui(ui, ctx, (index, layer), &mut is_folded));
        row.response.context_menu(|ui| {
            if ui.button(UiCommand::ShowOnlyLayer.text()).clicked() {
                ctx.send(AppCommand::SelectLayer(index));
                ctx.send(UiCommand::ShowOnlyLayer);
            }
        });
        if row.inner {
            self.folded.insert(index, is_folded);
        } else if row.response.clicked() && !is_selected {
            ctx.send(AppCommand::SelectLayer(index));
        }
        if is_folded {
            return;
        }
        let mags = Mags { ctx, open, index, layer };
        if room.is_narrow {
            mags.chips_ui(ui);
        } else {
            mags.rows_ui(ui);
        }
    }
}

fn header_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let tokens = Tokens::of(ui);
    SectionHeader::new("Dataset").without_divider().show(ui, |ui| {
        if icon_button_ui(ui, icons::ARROW_CLOCKWISE, UiCommand::Reload.text(), "Reload from disk (Ctrl+R)").clicked() {
            ctx.send(UiCommand::Reload);
        }
        if icon_button_ui(ui, icons::FOLDER_OPEN, UiCommand::OpenFolder.text(), "Open folder… (Ctrl+O)").clicked() {
            ctx.send(UiCommand::OpenFolder);
        }
    });
    ui.horizontal(|ui| {
        ui.label(icons::CUBE.rich(Icon::SIZE).color(tokens.t2));
        let name = Label::new(text::body_medium(&open.dataset.name).color(tokens.t1)).truncate();
        ui.add(name).on_hover_text(open.dataset.path.display().to_string());
    });
    ui.add(Label::new(text::control(format!("{} · {}", open.dataset.format, open.dataset.voxel_size)).color(tokens.t2)).truncate());
    let [x, y, z] = open.bounds().shape.to_vec().to_array().map(|extent| count(extent.unsigned_abs()));
    ui.add(Label::new(text::control(format!("{x} × {y} × {z} voxels")).color(tokens.t2)).truncate());
}

/// The contents of a layer's row; answers whether it was folded or unfolded.
fn layer_row_ui(ui: &mut Ui, ctx: &AppContext<'_>, (index, layer): (usize, &OpenLayer), is_folded: &mut bool) -> bool {
    let tokens = Tokens::of(ui);
    let name = &layer.layer().name;
    ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
    let (caret, verb) = if *is_folded { (icons::CARET_RIGHT, "Show") } else { (icons::CARET_DOWN, "Hide") };
    // The icon stands at the edge of the panel's contents, its button reaches over it.
    ui.add_space(-metrics::TIGHT_GAP);
    let label = format!("{verb} mags of {name}");
    let has_folded = ui.add(IconButton::new(caret, &label, &label).caret()).clicked();
    *is_folded ^= has_folded;

    let mut visible = layer.display.visible;
    ui.add_space(-10.0);
    let eye = IconToggle::new(&mut visible, icons::EYE, name, if layer.display.visible { "Hide layer" } else { "Show layer" });
    if ui.add(eye.swapping(icons::EYE_SLASH)).changed() {
        let mut display = layer.display.clone();
        display.visible = visible;
        ctx.send(AppCommand::SetDisplay { layer: index, display });
    }
    let opacity = if layer.display.visible { format!("{:.0} %", layer.display.opacity * 100.0) } else { "off".to_owned() };
    let (name_color, value_color) = if layer.display.visible { (tokens.t1, tokens.t2) } else { (tokens.t3, tokens.t3) };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.label(text::control(opacity).color(value_color));
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let class = layer.layer().voxel_type.map_or_else(|| "unknown".to_owned(), |voxel_type| voxel_type.to_string());
            let chip = chip_width(ui, &class);
            let room = (ui.available_width() - chip - metrics::GAP).max(0.0);
            let label = Label::new(text::body(name).color(name_color)).truncate();
            ui.scope(|ui| {
                ui.set_max_width(room);
                ui.add(label);
            });
            ui.add_space(metrics::TIGHT_GAP);
            chip_ui(ui, &class);
        });
    });
    has_folded
}

/// How wide a chip will be: its text with 5 at both sides.
pub fn chip_width(ui: &Ui, label: &str) -> f32 {
    ui.painter().layout_no_wrap(label.to_owned(), super::theme::fonts::small(), Color32::PLACEHOLDER).size().x.ceil() + 10.0
}

/// The mags of a layer.
struct Mags<'a> {
    ctx: &'a AppContext<'a>,
    open: &'a OpenDataset,
    index: usize,
    layer: &'a OpenLayer,
}

impl Mags<'_> {
    fn rows_ui(&self, ui: &mut Ui) {
        for (at, level) in self.layer.layer().levels.iter().enumerate() {
            let (shards, stored) = self.scanned(at);
            let name = self.name(level.label());
            let response =
                Row::new(&name, RowState::Plain).height(metrics::ROW_MAG).show(ui, |ui| self.row_ui(ui, at, &shards, &stored)).response;
            self.react(at, response);
        }
    }

    fn row_ui(&self, ui: &mut Ui, at: usize, shards: &str, stored: &str) {
        let tokens = Tokens::of(ui);
        let Some(level) = self.layer.layer().levels.get(at) else { return };
        let rect = ui.max_rect();
        let (is_shown, is_fixed, is_broken) = (self.is_shown(level.label()), self.is_fixed(level.label()), level.source.is_err());
        let color = match (is_broken, is_shown) {
            (true, _) => tokens.t3,
            (false, true) => tokens.acctx,
            (false, false) => tokens.t2,
        };
        let put = |ui: &mut Ui, rect: Rect, layout: Layout, text: egui::RichText| {
            ui.new_child(UiBuilder::new().max_rect(rect).layout(layout)).add(Label::new(text).extend()).rect
        };
        let left = Layout::left_to_right(Align::Center);
        let right = Layout::right_to_left(Align::Center);
        let placed = put(ui, rect.with_min_x(rect.left() + MAG_INDENT), left, text::control(level.label().to_string()).color(color));
        let mark = pos2(placed.right() + 8.0, rect.center().y);
        let icon = |icon: Icon, color: Color32| {
            let font = super::theme::fonts::icon(Icon::SIZE_CARET);
            ui.painter().text(mark + vec2(2.0, 0.0), egui::Align2::CENTER_CENTER, icon.as_str(), font, color);
        };
        if is_broken {
            icon(icons::X_CIRCLE, tokens.err);
        } else if is_fixed {
            icon(icons::PUSH_PIN, tokens.acctx);
        } else if is_shown {
            ui.painter().circle_filled(mark, 2.5, tokens.acc);
        }
        put(ui, rect.with_max_x(rect.left() + 142.0), right, text::control(shards).color(tokens.t2));
        put(ui, rect, right, text::control(stored).color(tokens.t2));
    }

    fn chips_ui(&self, ui: &mut Ui) {
        ui.add_space(3.0);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(metrics::TIGHT_GAP, metrics::TIGHT_GAP);
            // Five mags of two digits fit into the narrow panel on one line, as in the design.
            for (at, level) in self.layer.layer().levels.iter().enumerate() {
                let pin = if self.is_fixed(level.label()) { format!(" {}", icons::PUSH_PIN.as_str()) } else { String::new() };
                let label = format!("{}{pin}", level.label());
                let is_on = self.is_shown(level.label());
                let response = ui.push_id((self.index, at), |ui| ui.add_enabled(level.source.is_ok(), Chip::choice(&label, is_on)));
                let response = response.inner;
                let name = self.name(level.label());
                response.widget_info(|| egui::WidgetInfo::selected(egui::Role::RadioButton, level.source.is_ok(), is_on, &name));
                self.react(at, response);
            }
        });
        ui.add_space(3.0);
    }

    /// Number of shards and bytes, where the level has been looked through.
    fn scanned(&self, at: usize) -> (String, String) {
        let layout = &self.ctx.state.layout;
        let source = self.ctx.feed.level(self.index, at).map(|level| level.id);
        if source.is_none() || source != layout.level || (layout.shards.is_empty() && layout.is_scanning) {
            return (String::new(), String::new());
        }
        let more = if layout.is_scanning || layout.left_out > 0 { "≥ " } else { "" };
        let shards = u64::try_from(layout.present()).unwrap_or(u64::MAX);
        (format!("{more}{}", count(shards)), format!("{more}{}", bytes(layout.stored_bytes())))
    }

    fn is_shown(&self, mag: MagLabel) -> bool {
        self.layer.display.visible && self.ctx.feed.shown_label(self.index) == Some(mag)
    }

    fn is_fixed(&self, mag: MagLabel) -> bool {
        self.open.fixed_mag == Some(mag)
    }

    fn name(&self, mag: MagLabel) -> String {
        format!("{} mag {mag}", self.layer.layer().name)
    }

    /// A click fixes the mag, another one lets it follow the zoom again.
    fn react(&self, at: usize, response: Response) {
        let Some(level) = self.layer.layer().levels.get(at) else { return };
        if level.source.is_err() {
            let reason = self.layer.layer().levels.get(at).and_then(|level| level.source.as_ref().err()).map(ToString::to_string);
            response.on_disabled_hover_text(reason.clone().unwrap_or_default()).on_hover_text(reason.unwrap_or_default());
            return;
        }
        let is_fixed = self.is_fixed(level.label());
        let tooltip = if is_fixed { "Fixed. Click to let the mag follow the zoom" } else { "Click to show this mag whatever the zoom" };
        if response.on_hover_text(tooltip).clicked() {
            self.ctx.send(AppCommand::SetMag(if is_fixed { None } else { Some(level.label()) }));
        }
    }
}
