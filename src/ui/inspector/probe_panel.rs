//! Probe: the voxel under the pointer or pinned: where it is, its value in every layer, and its chunk on disk.

use super::{hint_ui, physical_position, scrolled_ui};
use crate::format::{ChunkLocation, ChunkSource, DataFormat};
use crate::geometry::{ChunkIndex, Vec3Int};
use crate::loading::{ChunkId, ChunkState};
use crate::scene::{LevelRef, PickState};
use crate::state::{AppCommand, AppContext, OpenDataset, OpenLayer, UiCommand};
use crate::text::count;
use crate::ui::theme::{Tokens, fonts, icons, metrics, text};
use crate::ui::widgets::{
    IconButton, KeyValue, LegendMark, SectionHeader, Segmented, StatCell, TextButton, divider_ui, paint_mark, stat_grid_ui, state_label_ui,
};
use egui::{Align, Align2, Color32, Label, Layout, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Room for the colour before a layer's name.
const SWATCH: f32 = 18.0;

/// Draws the panel.
pub fn probe_panel_ui(ui: &mut Ui, ctx: &AppContext<'_>) {
    scrolled_ui(ui, "probe panel", |ui| match &ctx.state.dataset {
        Some(open) => {
            // Before the pointer has been anywhere, the centre is what people look at.
            let voxel = ctx.state.probe.voxel().unwrap_or(open.view.voxel());
            source_ui(ui, ctx, voxel);
            position_ui(ui, ctx, open, voxel);
            values_ui(ui, ctx, open, voxel);
            chunk_ui(ui, ctx, open, voxel);
            command_ui(ui, ctx);
        }
        None => hint_ui(ui, "No dataset is open"),
    });
}

/// What is probed: the pointer's voxel or the pinned one.
fn source_ui(ui: &mut Ui, ctx: &AppContext<'_>, voxel: Vec3Int) {
    ui.add_space(metrics::PANEL_PADDING);
    ui.horizontal(|ui| {
        let mut is_pinned = ctx.state.probe.pinned.is_some();
        let choice = Segmented::new("Probe", &mut is_pinned).segment(false, "Pointer").icon_segment(true, icons::PUSH_PIN, "Pinned");
        if choice.show(ui).changed() {
            ctx.send(AppCommand::Pin(is_pinned.then_some(voxel)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
            if ui.add(IconButton::new(icons::COPY, "Copy probed position", "Copy position")).clicked() {
                ctx.send(AppCommand::Copy(voxel.to_string()));
            }
            if ui.add(IconButton::new(icons::TARGET, "Centre probed voxel", "Centre this voxel")).clicked() {
                ctx.send(AppCommand::SetPosition(voxel));
            }
        });
    });
    ui.add_space(metrics::GAP);
}

fn position_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, voxel: Vec3Int) {
    let is_centre = ctx.state.probe.voxel().is_none();
    SectionHeader::new("Position").subject(if is_centre { "centre of the view" } else { "" }).without_divider().show_plain(ui);
    ui.add(KeyValue::new("Voxel, mag 1", &voxel.to_string()));
    if let Some(mag) = ctx.feed.shown_label(open.selected).filter(|label| label.mag.max_factor() > 1) {
        ui.add(KeyValue::new(&format!("Voxel, mag {mag}"), &mag.mag.mag_from_mag1(voxel).to_string()));
    }
    ui.add(KeyValue::new("Physical", &physical_position(&open.dataset.voxel_size, voxel)));
    ui.add_space(metrics::GAP);
}

fn values_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, voxel: Vec3Int) {
    SectionHeader::new("Values").show_plain(ui);
    for (index, layer) in open.layers.iter().enumerate() {
        let value = Value::of(ctx, open, index, layer, voxel, Tokens::of(ui));
        if layer.is_mixed() && value.is_exact {
            let name = |at: usize| layer.display.channels.get(at).map_or("", |channel| channel.name.as_str());
            let values: Vec<_> = value.text.split(", ").enumerate().map(|(at, text)| (name(at), text)).collect();
            value_ui(ui, layer, &Value { text: String::new(), ..value.clone() });
            channel_values_ui(ui, &values, value.color);
        } else {
            value_ui(ui, layer, &value);
        }
    }
    ui.add_space(metrics::GAP);
}

/// The values of mixed channels, one below the other.
fn channel_values_ui(ui: &mut Ui, values: &[(&str, &str)], color: Color32) {
    for (name, value) in values {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::ROW_MAG), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name} {value}")));
        let mut line = ui.new_child(egui::UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
        line.add(Label::new(egui::RichText::new(*value).font(fonts::mono()).color(color)).selectable(true).extend());
        line.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add_space(SWATCH);
            ui.add(Label::new(text::control(*name).color(Tokens::of(ui).t2)).truncate());
        });
    }
}

/// A layer's value as shown.
#[derive(Clone)]
struct Value {
    text: String,
    is_exact: bool,
    color: Color32,
    swatch: Option<Color32>,
    note: String,
}

impl Value {
    fn of(ctx: &AppContext<'_>, open: &OpenDataset, index: usize, layer: &OpenLayer, voxel: Vec3Int, tokens: &Tokens) -> Self {
        let said = |text: &str, color| Self { text: text.to_owned(), is_exact: false, color, swatch: None, note: String::new() };
        let Some(pick) = ctx.feed.pick(open, index, voxel) else { return said("Can't be read", tokens.err) };
        let is_visible = layer.display.visible;
        let swatch = |[r, g, b]: [u8; 3]| is_visible.then(|| Color32::from_rgb(r, g, b));
        let is_stand_in = ctx.feed.shown_mag(index).is_some_and(|shown| shown != pick.mag);
        let note = if is_stand_in { format!("from mag {}", pick.mag) } else { String::new() };
        match pick.state {
            PickState::Value(value) => Self { text: value.text, is_exact: true, color: tokens.t1, swatch: swatch(value.color), note },
            PickState::Missing(value) => {
                Self { note: "not stored".to_owned(), text: value.text, is_exact: true, color: tokens.t2, swatch: None }
            }
            PickState::Pending if is_visible => said("Loading…", tokens.t3),
            PickState::Pending => said("Hidden", tokens.t3),
            PickState::Failed(_) => said("Chunk failed", tokens.err),
            PickState::Outside => said("Outside", tokens.t3),
        }
    }
}

/// Swatch, name and type at the left, the exact value at the right; long values take a line of their own.
fn value_ui(ui: &mut Ui, layer: &OpenLayer, value: &Value) {
    let tokens = Tokens::of(ui);
    let name = &layer.layer().name;
    let class = layer.layer().voxel_type.map_or_else(String::new, |voxel_type| voxel_type.to_string());
    let line = |ui: &Ui, words: &str, font, color| ui.painter().layout_no_wrap(words.to_owned(), font, color);
    let name_line = line(ui, name, fonts::control(), tokens.t1);
    let class_line = line(ui, &class, fonts::control(), tokens.t3);
    let value_font = if value.is_exact { fonts::mono() } else { fonts::control() };
    let value_line = line(ui, &value.text, value_font.clone(), value.color);
    let note_line = line(ui, &value.note, fonts::small(), tokens.t3);
    let note_width = if value.note.is_empty() { 0.0 } else { note_line.size().x + metrics::GAP };

    let width = ui.available_width();
    let class_left = (SWATCH + name_line.size().x + metrics::GAP).max(metrics::KEY_COLUMN);
    let beside = class_left + class_line.size().x + metrics::GAP + note_width + value_line.size().x <= width;
    let height = metrics::ROW_TABLE * if beside { 1.0 } else { 2.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name} {class} {} {}", value.text, value.note)));
    let first = rect.with_max_y(rect.top() + metrics::ROW_TABLE);
    let painter = ui.painter();
    let swatch_center = pos2(first.left() + 5.0, first.center().y);
    match value.swatch {
        Some(color) => paint_mark(painter, swatch_center, LegendMark::Swatch(color), tokens),
        None => {
            let outline = egui::Rect::from_center_size(swatch_center, vec2(10.0, 10.0));
            painter.rect_stroke(outline, 2, Stroke::new(1.0, tokens.line2), StrokeKind::Inside);
        }
    }
    let y = |line: &egui::Galley| first.center().y - line.size().y / 2.0;
    painter.galley(pos2(first.left() + SWATCH, y(&name_line)), name_line.clone(), tokens.t1);
    painter.galley(pos2(first.left() + class_left, y(&class_line)), class_line.clone(), tokens.t3);
    let note_at = pos2(first.right() - if beside { value_line.size().x + metrics::GAP } else { 0.0 } - note_line.size().x, y(&note_line));
    painter.galley(note_at, note_line, tokens.t3);
    let value_row = if beside { first } else { first.translate(vec2(0.0, metrics::ROW_TABLE)) };
    let value_rect = if beside { value_row.with_min_x(value_row.right() - value_line.size().x.ceil()) } else { value_row };
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(value_rect).layout(Layout::right_to_left(Align::Center)));
    let words = egui::RichText::new(&value.text).font(value_font).color(value.color);
    // Copying one value is what people come here for.
    child.add(if beside { Label::new(words).selectable(true).extend() } else { Label::new(words).selectable(true).truncate() });
}

fn chunk_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, voxel: Vec3Int) {
    let Some(layer) = open.selected() else { return };
    let Some(level) = ctx.feed.shown_level(open.selected) else { return };
    let grid = level.source.grid();
    let pos_in_mag = level.mag.mag_from_mag1(voxel);
    let chunk = grid.chunk_from_voxel(pos_in_mag);
    let is_inside = layer.layer().bounding_box.contains(voxel);
    let subject = format!("{} · mag {}", layer.layer().name, level.label());
    SectionHeader::new("Chunk").subject(&subject).flush().show(ui, |ui| {
        let tokens = Tokens::of(ui);
        let (color, word) = match ctx.feed.lookup().chunk(ChunkId { source: level.id, chunk }) {
            _ if !is_inside => return,
            ChunkState::Unknown => (tokens.chunk.pending, "Not loaded"),
            ChunkState::Pending => (tokens.chunk.pending, "Loading"),
            ChunkState::Ready(_) => (tokens.chunk.present, "In memory"),
            ChunkState::Missing => (tokens.chunk.missing_dots, "Not stored"),
            ChunkState::Failed(_) => (tokens.err, "Failed"),
        };
        state_label_ui(ui, LegendMark::Dot(color), word);
    });
    if !is_inside {
        hint_ui(ui, "Outside the layer's bounding box, where nothing is stored");
        return;
    }
    let shard = grid.shard_from_chunk(chunk);
    ui.add(KeyValue::new("Shard file", &level.source.shard_location(shard)).path());
    ui.add(KeyValue::new("Chunk index", &grid.chunk_in_shard(chunk).to_string()).note(&format!("of shard {shard}")));
    let located = ctx.state.probe.located.as_ref().filter(|located| located.source == level.id && located.chunk == chunk);
    let location = match located.map(|located| &located.location) {
        Some(Ok(Some(location))) => Some(location),
        Some(Err(error)) => {
            let tokens = Tokens::of(ui);
            ui.add(Label::new(text::control(format!("Can't be shown: {}", error.fault)).color(tokens.err)).wrap());
            None
        }
        Some(Ok(None)) | None => None,
    };
    let absent = if located.is_some() { "not stored" } else { "…" };
    let order = location.map_or_else(|| "–".to_owned(), |location| location.order.to_string());
    let order_name = match layer.layer().format {
        DataFormat::Wkw => "Morton number",
        DataFormat::Zarr | DataFormat::Zarr3 | DataFormat::N5 | DataFormat::NeuroglancerPrecomputed => "Order number",
    };
    ui.add(KeyValue::new(order_name, &order));
    let range =
        location.map_or_else(|| absent.to_owned(), |location| format!("{} – {}", count(location.range.start), count(location.range.end())));
    let pieces = location.map_or(0, |location| location.more.len());
    let note = match pieces {
        0 => String::new(),
        1 => "and 1 more piece".to_owned(),
        more => format!("and {more} more pieces"),
    };
    ui.add(KeyValue::new("Byte range", &range).note(&note));
    chunk_cells_ui(ui, level, location, pos_in_mag, chunk);
    ui.add_space(metrics::GAP);
}

fn chunk_cells_ui(ui: &mut Ui, level: &LevelRef, location: Option<&ChunkLocation>, pos_in_mag: Vec3Int, chunk: ChunkIndex) {
    let source: &dyn ChunkSource = level.source.as_ref();
    let decoded = source.chunk_byte_len().ok().map(|len| len as u64);
    let stored = location.map(ChunkLocation::stored_len);
    let or_dash = |value: Option<u64>| value.map_or_else(|| ("–".to_owned(), ""), |value| (count(value), "B"));
    let (stored_text, stored_unit) = or_dash(stored);
    let (decoded_text, decoded_unit) = or_dash(decoded);
    let ratio = match (stored, decoded) {
        (Some(stored @ 1..), Some(decoded)) => format!("{:.2}", decoded as f64 / stored as f64),
        (Some(_) | None, _) => "–".to_owned(),
    };
    let codec = location.map_or("–", |location| location.encoding.name());
    let shape = source.grid().chunk_shape();
    let shape_text = if shape.x() == shape.y() && shape.y() == shape.z() { format!("{}³", shape.x()) } else { shape.to_string() };
    let in_chunk = (pos_in_mag - source.grid().chunk_box(chunk).topleft).to_string();
    ui.add_space(metrics::TIGHT_GAP);
    stat_grid_ui(
        ui,
        3,
        &[
            StatCell::new("Stored", &stored_text).unit(stored_unit),
            StatCell::new("Decoded", &decoded_text).unit(decoded_unit),
            StatCell::new("Ratio", &ratio),
            StatCell::new("Codec", codec),
            StatCell::new("Shape", &shape_text),
            StatCell::new("Voxel in chunk", &in_chunk),
        ],
    );
    ui.add_space(metrics::TIGHT_GAP);
}

/// The same voxel for the command line.
fn command_ui(ui: &mut Ui, ctx: &AppContext<'_>) {
    let tokens = Tokens::of(ui);
    divider_ui(ui);
    ui.add_space(metrics::GAP);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = metrics::GAP;
        if ui.add(TextButton::new("Copy as command").icon(icons::COPY)).clicked() {
            ctx.send(UiCommand::CopyReadCommand);
        }
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::CONTROL_HEIGHT), Sense::hover());
        ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, "chunkscope read …", fonts::hex(), tokens.t3);
    });
}
