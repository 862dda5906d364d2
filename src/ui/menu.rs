//! The menu bar, made from [`UiCommand::menu`].

use super::frame::Room;
use super::shortcuts::{is_available, start};
use super::theme::{Icon, Tokens, fonts, icons, metrics};
use crate::state::{AppContext, Menu, Tool, UiCommand};
use egui::{Align2, Color32, MenuBar, Role, Sense, Ui, WidgetInfo, vec2};
use strum::IntoEnumIterator as _;

/// Room for the check mark before an entry, and between its text and its key.
const CHECK_COLUMN: f32 = 22.0;
const KEY_GAP: f32 = 32.0;
const PADDING: f32 = 8.0;

/// The menus, as wide as their titles.
pub fn menu_bar_ui(ui: &mut Ui, ctx: &AppContext<'_>, room: Room) {
    // The bar takes all the width it is offered.
    ui.allocate_ui(vec2(0.0, metrics::CONTROL_HEIGHT), |ui| {
        MenuBar::new().ui(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.spacing_mut().button_padding = vec2(10.0, 4.0);
            for menu in Menu::iter() {
                let title = egui::RichText::new(menu.title()).font(fonts::body()).color(Tokens::of(ui).t2);
                ui.menu_button(title, |ui| entries_ui(ui, ctx, menu, room));
            }
        });
    });
}

fn entries_ui(ui: &mut Ui, ctx: &AppContext<'_>, menu: Menu, room: Room) {
    let entries: Vec<Entry> =
        UiCommand::iter().filter(|command| command.menu() == Some(menu)).map(|command| Entry::new(command, ctx, room)).collect();
    let measure = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), fonts::control(), Color32::PLACEHOLDER).size().x;
    let text_width = entries.iter().map(|entry| measure(entry.command.text())).fold(0.0, f32::max);
    let key_width = entries.iter().map(|entry| measure(&entry.keys)).fold(0.0, f32::max);
    let has_checks = entries.iter().any(|entry| entry.is_on.is_some());
    let text_left = PADDING + if has_checks { CHECK_COLUMN } else { 0.0 };
    let width = (text_left + text_width + KEY_GAP + key_width + PADDING).ceil();
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.set_width(width);
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 && entry.command.starts_group() {
            let (rect, _) = ui.allocate_exact_size(vec2(width, 9.0), Sense::hover());
            ui.painter().hline(rect.x_range(), rect.center().y.floor() + 0.5, egui::Stroke::new(1.0, Tokens::of(ui).line2));
        }
        if ui.add_enabled_ui(entry.is_available, |ui| entry.show(ui, width, text_left)).inner {
            start(ui, ctx, entry.command);
            ui.close();
        }
    }
}

/// An entry of a menu.
struct Entry {
    command: UiCommand,
    keys: String,
    is_on: Option<bool>,
    is_available: bool,
}

impl Entry {
    fn new(command: UiCommand, ctx: &AppContext<'_>, room: Room) -> Self {
        let keys = command.shortcuts().first().map(ToString::to_string).unwrap_or_default();
        Self { command, keys, is_on: is_on(command, ctx, room), is_available: is_available(command, ctx) }
    }

    /// Draws the entry and answers whether it was chosen.
    fn show(&self, ui: &mut Ui, width: f32, text_left: f32) -> bool {
        let tokens = Tokens::of(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(width, metrics::ROW_LIST), Sense::click());
        let text = self.command.text();
        response.widget_info(|| match self.is_on {
            Some(is_on) => WidgetInfo::selected(Role::MenuItemCheckBox, ui.is_enabled(), is_on, text),
            None => WidgetInfo::labeled(Role::MenuItem, ui.is_enabled(), text),
        });
        let is_lit = ui.is_enabled() && (response.hovered() || response.has_focus());
        let painter = ui.painter();
        if is_lit {
            painter.rect_filled(rect, metrics::RADIUS_CONTROL, tokens.bg4);
        }
        let (color, key_color) = if ui.is_enabled() { (tokens.t1, tokens.t2) } else { (tokens.t3, tokens.t3) };
        if self.is_on == Some(true) {
            let left = rect.left_center() + vec2(PADDING, 0.0);
            painter.text(left, Align2::LEFT_CENTER, icons::CHECK.as_str(), fonts::icon(Icon::SIZE_IN_TEXT), tokens.acctx);
        }
        painter.text(rect.left_center() + vec2(text_left, 0.0), Align2::LEFT_CENTER, text, fonts::control(), color);
        painter.text(rect.right_center() - vec2(PADDING, 0.0), Align2::RIGHT_CENTER, &self.keys, fonts::control(), key_color);
        response.clicked()
    }
}

/// Whether a switch is on; `None` for actions that aren't switches.
fn is_on(command: UiCommand, ctx: &AppContext<'_>, room: Room) -> Option<bool> {
    use UiCommand as C;
    let settings = &ctx.state.settings;
    let overlays = settings.overlays;
    let layer = ctx.state.dataset.as_ref().and_then(|open| open.selected());
    let has_tool = |tool| ctx.state.annotation.is_some() && ctx.state.tools.tool == tool;
    match command {
        C::MaximizePane => Some(ctx.state.panels.maximized.is_some()),
        C::ToggleCrosshair => Some(overlays.crosshair),
        C::ToggleScaleBar => Some(overlays.scale_bar),
        C::ToggleBoundingBoxes => Some(overlays.bounding_boxes),
        C::ToggleChunkGrid => Some(overlays.chunk_grid),
        C::ToggleShardGrid => Some(overlays.shard_grid),
        C::ToggleMissingPattern => Some(overlays.missing_pattern),
        C::ToggleLeftPanel => Some(settings.left_panel),
        C::ToggleInspector => Some(settings.inspector),
        C::ToggleBottomPanel => Some(settings.bottom_panel.unwrap_or(!room.is_compact)),
        C::AutomaticMag => Some(ctx.state.dataset.as_ref().is_some_and(|open| open.fixed_mag.is_none())),
        C::ToggleSkeleton => Some(ctx.state.annotation.as_ref().is_some_and(|open| open.shows_skeleton && !open.skeleton.is_empty())),
        C::ToolMove => Some(has_tool(Tool::Move)),
        C::ToolBrush => Some(has_tool(Tool::Brush)),
        C::ToolEraser => Some(has_tool(Tool::Eraser)),
        C::ToolTrace => Some(has_tool(Tool::Trace)),
        C::ToolFill => Some(has_tool(Tool::Fill)),
        C::ToolPicker => Some(has_tool(Tool::Picker)),
        C::ToggleFillVolume => Some(ctx.state.tools.fill_in_volume),
        C::InvertLayer => Some(layer.is_some_and(|layer| layer.display.inverted)),
        C::OpenFolder
        | C::OpenFile
        | C::OpenDemo
        | C::Reload
        | C::CloseDataset
        | C::Quit
        | C::NextSlice
        | C::PreviousSlice
        | C::NextFiveSlices
        | C::PreviousFiveSlices
        | C::PanLeft
        | C::PanRight
        | C::PanUp
        | C::PanDown
        | C::ZoomIn
        | C::ZoomOut
        | C::ZoomToVoxels
        | C::ZoomToFit
        | C::GoToCenter
        | C::JumpToData
        | C::EditPosition
        | C::FinerMag
        | C::CoarserMag
        | C::NextOnAxis
        | C::PreviousOnAxis
        | C::NextLayer
        | C::PreviousLayer
        | C::ToggleLayer
        | C::ShowOnlyLayer
        | C::ToggleSegmentation
        | C::AutoWindow
        | C::FullRangeWindow
        | C::NewAnnotation
        | C::ImportAnnotation
        | C::SaveAnnotation
        | C::ExportAnnotation
        | C::ExportMerged
        | C::CheckRoundTrip
        | C::CloseAnnotation
        | C::NextTool
        | C::PreviousTool
        | C::NewSegment
        | C::Interpolate
        | C::LargerBrush
        | C::SmallerBrush
        | C::ToggleOverwrite
        | C::Undo
        | C::Redo
        | C::ShowAnnotation
        | C::CompareWith
        | C::CopyPosition
        | C::CopySegmentId
        | C::CopyReadCommand
        | C::ShowHeader
        | C::ShowLayout
        | C::ShowProbe
        | C::ShowProblems
        | C::ShowThroughput
        | C::ShowLog
        | C::RetryFailed
        | C::ToggleTheme
        | C::LargerText
        | C::SmallerText
        | C::CommandPalette
        | C::ShowShortcuts
        | C::ShowAbout => None,
    }
}
