//! The bar at the top: menus, position and zoom, switches of overlays, search.

use super::frame::Room;
use super::logo::paint_logo;
use super::menu::menu_bar_ui;
use super::theme::{Icon, Tokens, fonts, icons, metrics};
use super::widgets::{FieldAlign, IconToggle, NumberField, TextButton, bar_separator_ui, icon_button_ui};
use crate::geometry::Vec3Int;
use crate::scene::ViewState;
use crate::state::{AppCommand, AppContext, OpenDataset, Overlays, UiCommand};
use egui::{Align, Align2, Id, Layout, Rect, Role, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, vec2};
use std::cell::Cell;

const AXES: [&str; 3] = ["x", "y", "z"];
const LOGO: f32 = 16.0;
/// Width of the digits, and of what else is in a number field.
const DIGIT: f32 = 7.6;
const FIELD_EXTRA: f32 = 34.0;
/// Least width at which the search is a field and not a button.
const MIN_SEARCH: f32 = 160.0;

/// The bar at the top.
#[derive(Debug, Default)]
pub struct TopBar {
    /// The position fields of the last frame, to see whether a pasted text is meant for them.
    fields: Vec<Id>,
    has_asked_for_focus: bool,
}

impl TopBar {
    /// Draws the bar over the whole of `ui`.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, room: Room) {
        let rect = ui.max_rect().shrink2(vec2(metrics::PANEL_PADDING, 0.0));
        let mut bar = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Center)));
        bar.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
        let (logo, response) = bar.allocate_exact_size(vec2(LOGO, LOGO), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Chunkscope"));
        paint_logo(bar.painter(), logo, Tokens::of(ui));
        bar.add_space(metrics::TIGHT_GAP);
        menu_bar_ui(&mut bar, ctx, room);
        if let Some(open) = &ctx.state.dataset {
            bar_separator_ui(&mut bar);
            self.position_ui(&mut bar, ctx, open);
            zoom_ui(&mut bar, ctx, &open.view);
            bar_separator_ui(&mut bar);
            overlays_ui(&mut bar, ctx);
            if !room.is_compact {
                bar_separator_ui(&mut bar);
                let button = TextButton::quiet(UiCommand::JumpToData.text()).icon(icons::TARGET);
                if bar.add(button).on_hover_text("Go to the nearest stored chunk (Ctrl+J)").clicked() {
                    ctx.send(UiCommand::JumpToData);
                }
            }
        }
        let free = Rect::from_x_y_ranges((bar.min_rect().right() + 16.0).min(rect.right())..=rect.right(), rect.y_range());
        search_ui(ui, ctx, free, if room.is_compact { 216.0 } else { 280.0 });
    }

    fn position_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
        self.take_pasted_position(ui, ctx);
        self.focus_if_asked(ui, ctx);
        let voxel = open.view.voxel();
        let width = field_width(open);
        let typed: Cell<Option<Vec3Int>> = Cell::new(None);
        let mut wanted = voxel;
        let mut fields = Vec::with_capacity(AXES.len());
        for (axis, name) in AXES.into_iter().enumerate() {
            let parser = |text: &str| {
                let position = parse_position(text);
                if position.is_some() {
                    typed.set(position);
                }
                position.map(|position| position[axis] as f64).or_else(|| parse_number(text))
            };
            let label = format!("{name} position");
            let field = NumberField::new(&label, &mut wanted[axis])
                .prefix(name)
                .width(width)
                .align(FieldAlign::AfterPrefix)
                .speed(open.view.zoom().clamp(0.1, 1e6))
                .parser(parser);
            let response = ui.add(field).on_hover_text("Voxel in mag 1. Drag, or type and press Enter; a whole position can be pasted");
            fields.push(response.id);
        }
        self.fields = fields;
        let wanted = typed.get().unwrap_or(wanted);
        if wanted != voxel {
            ctx.send(AppCommand::SetPosition(wanted));
        }
    }

    /// Before the field is drawn, so that it notices and selects its text.
    fn focus_if_asked(&mut self, ui: &Ui, ctx: &AppContext<'_>) {
        let asks = ctx.state.panels.focus_position;
        if let Some(first) = self.fields.first().filter(|_| asks && !self.has_asked_for_focus) {
            ui.memory_mut(|memory| memory.request_focus(*first));
        }
        self.has_asked_for_focus = asks && !self.fields.is_empty();
    }

    /// A position of three numbers that is pasted into a field is meant for all of them.
    fn take_pasted_position(&self, ui: &Ui, ctx: &AppContext<'_>) {
        let Some(focused) = ui.memory(|memory| memory.focused()).filter(|id| self.fields.contains(id)) else { return };
        let mut pasted = None;
        ui.input_mut(|input| {
            input.events.retain(|event| {
                let position = if let egui::Event::Paste(text) = event { parse_position(text) } else { None };
                pasted = position.or(pasted);
                position.is_none()
            });
        });
        if let Some(position) = pasted {
            ui.memory_mut(|memory| memory.surrender_focus(focused));
            ctx.send(AppCommand::SetPosition(position));
        }
    }
}

fn zoom_ui(ui: &mut Ui, ctx: &AppContext<'_>, view: &ViewState) {
    let mut zoom = view.zoom();
    let field = NumberField::new("Zoom", &mut zoom)
        .prefix("zoom")
        .width(82.0)
        .align(FieldAlign::AfterPrefix)
        .range(ViewState::MIN_ZOOM..=ViewState::MAX_ZOOM)
        .decimals(zoom_decimals(view.zoom()))
        .speed(view.zoom() / 100.0);
    if ui.add(field).on_hover_text("Voxels per pixel; smaller is closer").changed() {
        ctx.send(AppCommand::SetZoom(zoom));
    }
}

fn overlays_ui(ui: &mut Ui, ctx: &AppContext<'_>) {
    let Overlays { crosshair, scale_bar, bounding_boxes, chunk_grid, shard_grid, missing_pattern: _ } = ctx.state.settings.overlays;
    for (command, icon, on) in [
        (UiCommand::ToggleCrosshair, icons::CROSSHAIR, crosshair),
        (UiCommand::ToggleScaleBar, icons::RULER, scale_bar),
        (UiCommand::ToggleBoundingBoxes, icons::BOUNDING_BOX, bounding_boxes),
        (UiCommand::ToggleChunkGrid, icons::GRID_NINE, chunk_grid),
        (UiCommand::ToggleShardGrid, icons::SQUARES_FOUR, shard_grid),
    ] {
        let mut is_on = on;
        if ui.add(IconToggle::new(&mut is_on, icon, command.text(), &with_shortcut(command))).changed() {
            ctx.send(command);
        }
    }
    if let Some(annotation) = ctx.state.annotation.as_ref().filter(|annotation| !annotation.skeleton.is_empty()) {
        let (mut is_on, command) = (annotation.shows_skeleton, UiCommand::ToggleSkeleton);
        if ui.add(IconToggle::new(&mut is_on, icons::GRAPH, command.text(), &with_shortcut(command))).changed() {
            ctx.send(command);
        }
    }
}

/// The search: looks like a field and opens the command palette, which has the real one.
fn search_ui(ui: &mut Ui, ctx: &AppContext<'_>, free: Rect, width: f32) {
    let name = UiCommand::CommandPalette.text();
    if free.width() < MIN_SEARCH {
        let mut child = ui.new_child(UiBuilder::new().max_rect(free).layout(Layout::right_to_left(Align::Center)));
        if icon_button_ui(&mut child, icons::MAGNIFYING_GLASS, name, &with_shortcut(UiCommand::CommandPalette)).clicked() {
            ctx.send(UiCommand::CommandPalette);
        }
        return;
    }
    let tokens = Tokens::of(ui);
    let rect = Align2::RIGHT_CENTER.align_size_within_rect(vec2(width.min(free.width()), metrics::CONTROL_HEIGHT), free);
    let response = ui.interact(rect, ui.unique_id().with("search"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let painter = ui.painter();
    let border = if response.hovered() { tokens.t3 } else { tokens.line2 };
    painter.rect(rect, metrics::RADIUS_CONTROL, tokens.bg0, Stroke::new(1.0, border), StrokeKind::Inside);
    if response.has_focus() {
        painter.rect_stroke(rect.expand(2.0), metrics::RADIUS_CONTROL + 2, Stroke::new(1.0, tokens.acc), StrokeKind::Inside);
    }
    let inner = rect.shrink2(vec2(8.0, 0.0));
    let icon_width = Icon::SIZE_IN_TEXT + 6.0;
    painter.text(inner.left_center(), Align2::LEFT_CENTER, icons::MAGNIFYING_GLASS.as_str(), fonts::icon(Icon::SIZE_IN_TEXT), tokens.t2);
    let after_icon = inner.left_center() + vec2(icon_width, 0.0);
    painter.text(after_icon, Align2::LEFT_CENTER, name, fonts::control(), tokens.t2);
    if let Some(shortcut) = UiCommand::CommandPalette.shortcuts().first() {
        painter.text(inner.right_center(), Align2::RIGHT_CENTER, shortcut.to_string(), fonts::small(), tokens.t3);
    }
    if response.clicked() {
        ctx.send(UiCommand::CommandPalette);
    }
}

/// The text of an action with its key, for tooltips: `Chunk grid (G)`.
pub fn with_shortcut(command: UiCommand) -> String {
    match command.shortcuts().first() {
        Some(shortcut) => format!("{} ({shortcut})", command.text()),
        None => command.text().to_owned(),
    }
}

/// Digits after the point that a zoom needs for three digits in all.
pub fn zoom_decimals(zoom: f64) -> usize {
    match zoom {
        z if z >= 1.0 => 1,
        z if z >= 0.1 => 2,
        _ => 3,
    }
}

/// As wide as the longest position in the dataset needs.
fn field_width(open: &OpenDataset) -> f32 {
    let bounds = open.bounds();
    let longest = [bounds.topleft, bounds.bottomright(), open.view.voxel()]
        .into_iter()
        .flat_map(Vec3Int::to_array)
        .map(|n| n.to_string().len())
        .max()
        .unwrap_or(1);
    (FIELD_EXTRA + DIGIT * longest as f32).ceil().max(70.0)
}

/// A position as it is written in many places: three numbers between commas, blanks or brackets.
pub fn parse_position(text: &str) -> Option<Vec3Int> {
    let text = text.trim().trim_matches(|c| "()[]{}".contains(c));
    let mut numbers = text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|part| !part.is_empty()).map(parse_number);
    let mut next = || numbers.next().flatten().map(|n| n.floor() as i64); // saturates; the view is clamped anyway
    let position = Vec3Int::new(next()?, next()?, next()?);
    numbers.next().is_none().then_some(position)
}

fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|n| n.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_in_every_common_spelling() {
        let expected = Some(Vec3Int::new(3630, 3502, 1051));
        for text in
            ["3630, 3502, 1051", "3630,3502,1051", " 3630 3502 1051\n", "(3630, 3502, 1051)", "[3630; 3502; 1051]", "3630\t3502\t1051.7"]
        {
            assert_eq!(parse_position(text), expected, "{text:?}");
        }
        assert_eq!(parse_position("-1, 0, -2.5"), Some(Vec3Int::new(-1, 0, -3)));
    }

    #[test]
    fn what_is_not_three_numbers_is_no_position() {
        for text in ["", "12", "1, 2", "1, 2, 3, 4", "a, b, c", "1, 2, inf", "1, two, 3"] {
            assert_eq!(parse_position(text), None, "{text:?}");
        }
    }

    #[test]
    fn zooms_show_enough_digits() {
        for (zoom, text) in [(1.0, "1.0"), (42.0, "42.0"), (0.5, "0.50"), (0.005, "0.005")] {
            assert_eq!(format!("{zoom:.*}", zoom_decimals(zoom)), text);
        }
    }
}
