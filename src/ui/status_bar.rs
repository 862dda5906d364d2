//! The bar at the bottom: the voxel under the pointer and its values, what the mouse does, mag, zoom, loading.

use super::dialogs::version;
use super::frame::Room;
use super::inspector::physical_position;
use super::theme::{self, Icon, Tokens, fonts, metrics, text};
use super::top_bar::zoom_decimals;
use super::widgets::{LegendMark, bar_separator_ui, key_hints_ui, severity_icon, state_label_ui};
use crate::geometry::Vec3Int;
use crate::problem::Severity;
use crate::scene::PickState;
use crate::state::{AppCommand, AppContext, InspectorTab, OpenDataset, Tool, UiCommand};
use crate::text::{count, throughput};
use egui::{Align, Color32, Label, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo, vec2};
use std::time::{Duration, Instant};

/// What the mouse does with the tool in hand.
const fn hints(tool: Tool) -> &'static [&'static str] {
    match tool {
        Tool::Move => &["Drag pans", "Wheel steps slices", "Ctrl+wheel zooms"],
        Tool::Brush => &["Drag paints", "Ctrl+drag swaps the mode", "Shift+wheel brush size"],
        Tool::Eraser => &["Drag erases", "Ctrl+drag swaps the mode", "Shift+wheel brush size"],
        Tool::Trace => &["Drag outlines", "Ctrl+drag swaps the mode", "Ctrl+Shift+drag erases"],
        Tool::Fill => &["Click fills", "Drag pans", "Shift+click picks"],
        Tool::Picker => &["Click picks", "Drag pans", "Wheel steps slices"],
    }
}

/// Throughput is the mean of this time; shorter would flicker, longer would lag.
const MEAN_SECS: f64 = 1.0;
/// To each side of a separator, which has 4 of its own.
const ITEM_GAP: f32 = 12.0;

/// Draws the bar over the whole of `ui`.
pub fn status_bar_ui(ui: &mut Ui, ctx: &AppContext<'_>, room: Room) {
    let rect = ui.max_rect().shrink2(vec2(metrics::PANEL_PADDING, 0.0));
    let mut right = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center)));
    right.spacing_mut().item_spacing.x = ITEM_GAP;
    match &ctx.state.dataset {
        None => {
            let tokens = Tokens::of(ui);
            right.label(text::control(version()).color(tokens.t2));
            bar_separator_ui(&mut right);
            right.label(text::control(welcome_hint()).color(tokens.t3));
        }
        Some(open) => figures_ui(&mut right, ctx, open),
    }
    let end = right.min_rect().left() - ITEM_GAP;
    let left_rect = rect.with_max_x(end.max(rect.left()));
    let mut left = ui.new_child(UiBuilder::new().max_rect(left_rect).layout(Layout::left_to_right(Align::Center)));
    left.spacing_mut().item_spacing.x = ITEM_GAP;
    left.shrink_clip_rect(left_rect);
    match &ctx.state.dataset {
        None => {
            left.label(text::control("No dataset open").color(Tokens::of(ui).t2));
        }
        Some(open) => {
            pointed_at_ui(&mut left, ctx, open);
            if !room.is_narrow {
                let is_painted = ctx.state.annotation.as_ref().is_some_and(|annotation| annotation.volume().is_some());
                let tools = ctx.state.tools;
                let hints = match (is_painted, tools.tool, tools.empty_only) {
                    (false, ..) => hints(Tool::Move),
                    (true, Tool::Brush, false) => &["Drag paints", "Ctrl+drag empty only", "Shift+wheel brush size"],
                    (true, Tool::Brush, true) => &["Drag paints empty only", "Ctrl+drag overwrites", "Shift+wheel brush size"],
                    (true, tool, _) => hints(tool),
                };
                hints_ui(ui, left_rect.with_min_x(left.min_rect().right() + 24.0), hints);
            }
        }
    }
}

fn welcome_hint() -> String {
    let key = |command: UiCommand| command.shortcuts().first().map(ToString::to_string).unwrap_or_default();
    format!("{} opens a folder · {} finds any command", key(UiCommand::OpenFolder), key(UiCommand::CommandPalette))
}

/// The voxel under the pointer, or the centre while the pointer is elsewhere.
fn pointed_at_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let tokens = Tokens::of(ui);
    let voxel = ctx.state.probe.hover.map_or_else(|| open.view.voxel(), |(_, voxel)| voxel);
    let position = Label::new(text::control(voxel.to_string()).color(tokens.t1)).extend();
    ui.add(position).on_hover_text(if ctx.state.probe.hover.is_some() {
        "Voxel under the pointer, mag 1"
    } else {
        "Voxel in the centre, mag 1"
    });
    bar_separator_ui(ui);
    ui.add(Label::new(text::control(physical_position(&open.dataset.voxel_size, voxel)).color(tokens.t2)).extend());
    // Values that don't fit whole are left out and counted; the probe has them all.
    const REST_WIDTH: f32 = 56.0;
    let mut visible: Vec<_> = open.layers.iter().enumerate().filter(|(_, layer)| layer.display.visible).collect();
    // What is edited first: it is what one looks for, and there may be no room for all.
    visible.sort_by_key(|(index, _)| !ctx.state.annotation.as_ref().is_some_and(|annotation| annotation.has_layer(*index)));
    for (i, (index, layer)) in visible.iter().enumerate() {
        let name = &layer.layer().name;
        let needed = value_width(ui, ctx, open, *index, name, voxel);
        let room = ui.max_rect().right() - ui.min_rect().right();
        let rest = if i + 1 < visible.len() { REST_WIDTH } else { 0.0 };
        if needed + rest > room {
            bar_separator_ui(ui);
            let names: Vec<_> = visible[i..].iter().map(|(_, layer)| layer.layer().name.as_str()).collect();
            let more = Label::new(text::control(format!("+{}", names.len())).color(tokens.t3)).extend();
            ui.add(more).on_hover_text(format!("No room for {}", names.join(", ")));
            break;
        }
        value_ui(ui, ctx, open, *index, name, voxel);
    }
}

/// Room that a layer's value takes, separator included.
fn value_width(ui: &Ui, ctx: &AppContext<'_>, open: &OpenDataset, index: usize, name: &str, voxel: Vec3Int) -> f32 {
    /// Separator, swatch and gaps.
    const AROUND: f32 = 2.0 * ITEM_GAP + 24.0;
    let value = match ctx.feed.pick(open, index, voxel).map(|pick| pick.state) {
        Some(PickState::Value(value)) => value.text,
        Some(PickState::Missing(_)) => "not stored".to_owned(),
        Some(PickState::Failed(_)) => "chunk failed".to_owned(),
        Some(PickState::Pending | PickState::Outside) | None => "–".to_owned(),
    };
    let text = ui.painter().layout_no_wrap(format!("{name}, {value}"), fonts::control(), Color32::PLACEHOLDER);
    text.size().x + AROUND
}

fn value_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, index: usize, name: &str, voxel: Vec3Int) {
    let tokens = Tokens::of(ui);
    let Some(pick) = ctx.feed.pick(open, index, voxel) else { return };
    bar_separator_ui(ui);
    let quiet = |ui: &mut Ui, what: &str, color: Color32| {
        ui.add(Label::new(text::control(format!("{name}{what}")).color(color)).extend());
    };
    match pick.state {
        PickState::Value(value) => match value.id {
            Some(id) if id != 0 => {
                let [r, g, b] = value.color;
                state_label_ui(ui, LegendMark::Swatch(Color32::from_rgb(r, g, b)), &format!("{name} {}", value.text));
            }
            Some(_) | None => quiet(ui, &format!(" {}", value.text), tokens.t2),
        },
        PickState::Pending => quiet(ui, " …", tokens.t3),
        PickState::Missing(_) => quiet(ui, ", not stored", tokens.t3),
        PickState::Outside => quiet(ui, " –", tokens.t3),
        PickState::Failed(_) => quiet(ui, ", chunk failed", tokens.err),
    }
}

fn hints_ui(ui: &mut Ui, free: egui::Rect, hints: &[&str]) {
    let mut measure = ui.new_child(UiBuilder::new().max_rect(free).layout(Layout::right_to_left(Align::Center)));
    measure.spacing_mut().item_spacing.x = ITEM_GAP;
    if free.width() > 60.0 {
        bar_separator_ui(&mut measure);
        key_hints_ui(&mut measure, hints);
    }
}

/// From the right: throughput, pending chunks, zoom, mag, problems.
fn figures_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let tokens = Tokens::of(ui);
    let rate = read_bytes_per_sec(ctx);
    if rate > 0.0 {
        // It falls to 0 without anything happening.
        ui.ctx().request_repaint_after(Duration::from_millis(250));
    }
    slot_ui(ui, &throughput(rate), "888 MiB/s", tokens.t2, "Read from storage, mean of the last second");
    bar_separator_ui(ui);
    let pending = u64::try_from(ctx.feed.loader().pending().visible).unwrap_or(u64::MAX);
    let pending_text = format!("{} {} pending", count(pending), if pending == 1 { "chunk" } else { "chunks" });
    slot_ui(ui, &pending_text, "88 chunks pending", tokens.t2, "Chunks of the panes that are still loading");
    bar_separator_ui(ui);
    let zoom = open.view.zoom();
    slot_ui(ui, &format!("zoom {zoom:.*}", zoom_decimals(zoom)), "zoom 8.8", tokens.t2, "Voxels per pixel");
    bar_separator_ui(ui);
    mag_ui(ui, ctx, open);
    axes_ui(ui, open);
    problems_ui(ui, ctx, open);
}

fn mag_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let tokens = Tokens::of(ui);
    let Some(mag) = ctx.feed.shown_label(open.selected) else {
        slot_ui(ui, "no mag", "mag 1", tokens.t2, "The selected layer has no level that can be read");
        return;
    };
    let tooltip = match (open.fixed_mag, ctx.feed.is_coarser_than_asked(open.selected)) {
        (_, true) => "Coarser than the zoom asks for, because the chunks of the finer mag don't fit into memory",
        (Some(_), false) => "Shown whatever the zoom",
        (None, false) => "The mag that fits the zoom",
    };
    let fixed = if open.fixed_mag.is_some() { ", fixed" } else { "" };
    slot_ui(ui, &format!("mag {mag}{fixed}"), "mag 1", tokens.t2, tooltip);
}

/// Where one looks along further axes: position and last position of each.
fn axes_ui(ui: &mut Ui, open: &OpenDataset) {
    for axis in open.axes.iter().rev() {
        bar_separator_ui(ui);
        let last = axis.len.saturating_sub(1);
        let text = |position: u64| format!("{} {position} / {last}", axis.name);
        let tooltip = format!("Position along axis {}, from 0", axis.name);
        slot_ui(ui, &text(open.positions.get(&axis.name)), &text(last), Tokens::of(ui).t2, &tooltip);
    }
}

/// Counts of errors and warnings; a click shows them.
fn problems_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let counted = |severity: Severity| open.problems.iter().filter(|problem| problem.severity == severity).count();
    let counts = [
        (counted(Severity::Warning), theme::Severity::Warning, "warning", "warnings"),
        (counted(Severity::Error), theme::Severity::Error, "error", "errors"),
    ];
    for (number, severity, one, many) in counts.into_iter().filter(|(number, ..)| *number > 0) {
        bar_separator_ui(ui);
        let name = format!("{number} {}", if number == 1 { one } else { many });
        if counter_ui(ui, number, severity, &name).clicked() {
            ctx.send(AppCommand::ShowInspector(InspectorTab::Problems));
        }
    }
}

fn counter_ui(ui: &mut Ui, number: usize, severity: theme::Severity, name: &str) -> egui::Response {
    let tokens = Tokens::of(ui);
    let color = tokens.severity(severity);
    let digits = ui.painter().layout_no_wrap(number.to_string(), fonts::control(), color);
    let size = vec2((Icon::SIZE_IN_TEXT + 4.0 + digits.size().x).ceil(), metrics::CONTROL_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    let painter = ui.painter();
    let icon = severity_icon(severity);
    painter.text(rect.left_center() + vec2(7.0, 0.0), egui::Align2::CENTER_CENTER, icon.as_str(), fonts::icon(Icon::SIZE_IN_TEXT), color);
    painter.text(rect.right_center(), egui::Align2::RIGHT_CENTER, number.to_string(), fonts::control(), color);
    if response.has_focus() {
        painter.rect_stroke(rect.expand(2.0), metrics::RADIUS_CONTROL, egui::Stroke::new(1.0, tokens.acc), egui::StrokeKind::Inside);
    }
    response.on_hover_text(format!("{name}. Click to list them"))
}

/// A text in a place at least as wide as `widest`, so that what is beside it stays where it is.
fn slot_ui(ui: &mut Ui, value: &str, widest: &str, color: Color32, tooltip: &str) {
    let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), fonts::control(), color).size().x.ceil();
    let size = vec2(width(value).max(width(widest)), 16.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, value));
    ui.painter().text(rect.right_center(), egui::Align2::RIGHT_CENTER, value, fonts::control(), color);
    response.on_hover_text(tooltip);
}

fn read_bytes_per_sec(ctx: &AppContext<'_>) -> f64 {
    let snapshot = ctx.feed.loader().meter().snapshot(Instant::now());
    if snapshot.bucket_secs <= 0.0 {
        return 0.0;
    }
    let wanted = (MEAN_SECS / snapshot.bucket_secs).ceil() as usize;
    let last = &snapshot.buckets[snapshot.buckets.len().saturating_sub(wanted)..];
    let bytes: u64 = last.iter().map(|bucket| bucket.bytes_read).sum::<u64>() + snapshot.current.bytes_read;
    let secs = last.len() as f64 * snapshot.bucket_secs + snapshot.current_secs;
    if secs > 0.0 { bytes as f64 / secs } else { 0.0 }
}
