//! Layer 5: the window's contents in egui. Panels read an [`AppContext`] and send commands; they change nothing.
//!
//! [`MainWindow`] places the parts ([`frame`] says where) and draws what lies over them: palette, dialogs,
//! toasts. Colours, fonts and lengths come from [`theme`], controls from [`widgets`].

mod age;
mod annotation_layers;
mod annotation_look;
mod axis_bar;
mod bottom_panel;
mod channel_list;
mod chooser;
mod command_palette;
mod dataset_panel;
mod dialogs;
mod frame;
mod inspector;
mod layer_panel;
mod logo;
mod map_pane;
mod menu;
mod opening;
mod rail;
mod shortcuts;
mod status_bar;
pub mod theme;
mod toasts;
mod tool_bar;
mod top_bar;
mod typed_path;
mod viewport;
mod welcome;
pub mod widgets;

pub use viewport::Viewport;
pub use welcome::{RecentLook, Welcome};

use crate::state::{AppCommand, AppContext, InspectorTab, OpenDataset, Settings};
use bottom_panel::BottomPanel;
use chooser::Chooser;
use command_palette::CommandPalette;
use dataset_panel::DatasetPanel;
use dialogs::Dialogs;
use egui::{Frame, Id, Margin, Rect, Stroke, Ui, UiBuilder, pos2};
use frame::{Bottom, INSPECTOR_WIDTHS, LEFT_WIDTHS, PanelChoices, Room, Side, WindowFrame, bars};
use inspector::Inspector;
use opening::OpeningNews;
use rail::RailClick;
use theme::{Tokens, fonts, metrics};
use top_bar::TopBar;
use widgets::{SplitAxis, SplitBar};

/// How far a panel's edge can be grabbed, in points.
const EDGE: f32 = 4.0;

/// Everything in the window, with what its parts remember between frames.
#[derive(Default)]
pub struct MainWindow {
    /// The panes; the app asks it for their sizes.
    pub viewport: Viewport,
    /// The page without a dataset; the app tells it what became of recent datasets.
    pub welcome: Welcome,
    top_bar: TopBar,
    dataset_panel: DatasetPanel,
    inspector: Inspector,
    bottom_panel: BottomPanel,
    palette: CommandPalette,
    dialogs: Dialogs,
    chooser: Chooser,
    news: OpeningNews,
    widths: Widths,
    left_fold: NarrowFold,
    inspector_fold: NarrowFold,
}

/// Widths that a person gave to panels.
#[derive(Clone, Copy, Debug, Default)]
struct Widths {
    left: Option<f32>,
    inspector: Option<f32>,
    inspector_on_layout: Option<f32>,
}

impl Widths {
    fn inspector_mut(&mut self, tab: InspectorTab) -> &mut Option<f32> {
        match tab {
            InspectorTab::Layout => &mut self.inspector_on_layout,
            InspectorTab::Header | InspectorTab::Probe | InspectorTab::Annotation | InspectorTab::Problems => &mut self.inspector,
        }
    }
}

/// Whether a side that folds for want of room was opened nevertheless.
#[derive(Clone, Copy, Debug, Default)]
struct NarrowFold {
    is_opened: bool,
    last: Option<(bool, InspectorTab)>,
}

impl NarrowFold {
    /// Opens the side in a narrow window; the setting that changes along with it is no switch of its own.
    fn open(&mut self) {
        self.is_opened = true;
        self.last = None;
    }

    /// Whether the side is open. In a narrow window it starts folded, and what a person then switches counts.
    fn is_open(&mut self, folds: bool, setting: bool, tab: InspectorTab) -> bool {
        let (was_set, last_tab) = self.last.replace((setting, tab)).unwrap_or((setting, tab));
        if !folds {
            self.is_opened = false;
            return setting;
        }
        if tab != last_tab {
            self.is_opened = true;
        } else if setting != was_set {
            self.is_opened = !self.is_opened;
        }
        self.is_opened
    }
}

impl MainWindow {
    /// Draws the whole window into `ui`.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        shortcuts::run(ui, ctx);
        let area = ui.max_rect();
        let room = Room::of(area.size());
        match &ctx.state.dataset {
            None => self.show_welcome(ui, ctx, area, room),
            Some(open) => {
                self.welcome.hide();
                self.show_dataset(ui, ctx, open, area, room);
            }
        }
        drop_hint_ui(ui, area);
        self.palette.show(ui, ctx);
        self.dialogs.show(ui, ctx);
        self.chooser.show(ui, ctx);
    }

    fn show_welcome(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, area: Rect, room: Room) {
        let (top, status, page) = bars(area);
        part_ui(ui, "page", page, |ui| self.welcome.show(ui, ctx, &mut self.news));
        self.show_bars(ui, ctx, top, status, room);
        toasts::toasts_ui(ui, ctx, page);
    }

    fn show_dataset(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset, area: Rect, room: Room) {
        let settings = &ctx.state.settings;
        let annotation = ctx.state.annotation.as_ref();
        let painted = annotation.filter(|annotation| !annotation.volumes.is_empty());
        let choices = PanelChoices { tools: painted.is_some(), ..self.choices(settings, room) };
        let frame = WindowFrame::new(area, &choices);
        self.show_bars(ui, ctx, frame.top_bar, frame.status_bar, room);

        if let (Some(bar), Some(annotation)) = (frame.tool_bar, painted) {
            part_ui(ui, "tool bar", bar, |ui| tool_bar::tool_bar_ui(ui, ctx, annotation));
        }
        let axes_top = (frame.panes.bottom() - axis_bar::axis_bar_height(open)).max(frame.panes.top());
        part_ui(ui, "panes", frame.panes.with_max_y(axes_top), |ui| {
            self.viewport.show(ui, ctx);
        });
        if axes_top < frame.panes.bottom() {
            part_ui(ui, "axes", frame.panes.with_min_y(axes_top), |ui| axis_bar::axis_bar_ui(ui, ctx, open));
        }
        part_ui(ui, "left", frame.left.rect(), |ui| match frame.left {
            Side::Open(_) => {
                left_panel_ui(ui, |ui| {
                    self.dataset_panel.show(ui, ctx, open, room);
                    annotation_layers::annotation_layers_ui(ui, ctx, open);
                    layer_panel::layer_panel_ui(ui, ctx, open);
                });
            }
            Side::Rail(_) => {
                if rail::left_rail_ui(ui, ctx) == RailClick::Unfold {
                    self.left_fold.open();
                    self.inspector_fold.is_opened &= !room.folds_left;
                    send_settings(ctx, |settings| settings.left_panel = true);
                }
            }
        });
        part_ui(ui, "inspector", frame.inspector.rect(), |ui| match frame.inspector {
            Side::Open(_) => self.inspector.show(ui, ctx),
            Side::Rail(_) => {
                if rail::inspector_rail_ui(ui, ctx) == RailClick::Unfold {
                    self.inspector_fold.open();
                    self.left_fold.is_opened &= !room.folds_left;
                }
            }
        });
        part_ui(ui, "bottom", frame.bottom.rect(), |ui| match frame.bottom {
            Bottom::Open(_) => self.bottom_panel.show(ui, ctx),
            Bottom::Strip(_) => self.bottom_panel.show_strip(ui, ctx),
        });
        self.edges_ui(ui, &frame, area, settings.inspector_tab);
        lines_ui(ui, &frame);
        self.news.show_over(ui, ctx, frame.panes);
        toasts::toasts_ui(ui, ctx, frame.panes);
    }

    fn show_bars(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, top: Rect, status: Rect, room: Room) {
        part_ui(ui, "top bar", top, |ui| self.top_bar.show(ui, ctx, room));
        part_ui(ui, "status bar", status, |ui| status_bar::status_bar_ui(ui, ctx, room));
        let line = Stroke::new(1.0, Tokens::of(ui).line);
        ui.painter().hline(top.x_range(), top.bottom() - 0.5, line);
        ui.painter().hline(status.x_range(), status.top() + 0.5, line);
    }

    fn choices(&mut self, settings: &Settings, room: Room) -> PanelChoices {
        let tab = settings.inspector_tab;
        let was_left_open = self.left_fold.is_opened;
        let mut left = self.left_fold.is_open(room.folds_left, settings.left_panel, InspectorTab::default());
        let mut inspector = self.inspector_fold.is_open(room.folds_inspector, settings.inspector, tab);
        if room.folds_left && left && inspector {
            // There is room for one; the one opened last stays.
            left = !was_left_open;
            inspector = was_left_open;
            self.left_fold.is_opened = left;
            self.inspector_fold.is_opened = inspector;
        }
        PanelChoices {
            left,
            left_width: self.widths.left,
            inspector,
            inspector_width: *self.widths.inspector_mut(tab),
            tab,
            bottom: settings.bottom_panel,
            tools: false,
        }
    }

    /// The edges of the sides, with which their widths are set; double-click gives the design's width back.
    fn edges_ui(&mut self, ui: &Ui, frame: &WindowFrame, area: Rect, tab: InspectorTab) {
        let total = area.width().max(1.0);
        if let Side::Open(rect) = frame.left {
            let edge = Rect::from_x_y_ranges(rect.right() - 1.0..=rect.right() - 1.0 + EDGE, rect.y_range());
            let before = rect.width() / total;
            let mut fraction = before;
            let range = *LEFT_WIDTHS.start() / total..=*LEFT_WIDTHS.end() / total;
            let bar = SplitBar::new("Width of left panel", SplitAxis::Horizontal, &mut fraction, before).range(range);
            let response = bar.show(ui, Id::unique("left edge"), edge, area);
            if response.double_clicked() {
                self.widths.left = None;
            } else if response.changed() {
                self.widths.left = Some((fraction * total).round());
            }
        }
        if let Side::Open(rect) = frame.inspector {
            let edge = Rect::from_x_y_ranges(rect.left() + 1.0 - EDGE..=rect.left() + 1.0, rect.y_range());
            let before = 1.0 - rect.width() / total;
            let mut fraction = before;
            let range = 1.0 - *INSPECTOR_WIDTHS.end() / total..=1.0 - *INSPECTOR_WIDTHS.start() / total;
            let bar = SplitBar::new("Width of inspector", SplitAxis::Horizontal, &mut fraction, before).range(range);
            let response = bar.show(ui, Id::unique("inspector edge"), edge, area);
            if response.double_clicked() {
                *self.widths.inspector_mut(tab) = None;
            } else if response.changed() {
                *self.widths.inspector_mut(tab) = Some(((1.0 - fraction) * total).round());
            }
        }
    }
}

/// A part of the window: its own ids, its ground, nothing painted outside.
fn part_ui<R>(ui: &mut Ui, salt: &str, rect: Rect, contents: impl FnOnce(&mut Ui) -> R) -> R {
    ui.painter().rect_filled(rect, 0, Tokens::of(ui).bg2);
    let mut part = ui.new_child(UiBuilder::new().id_salt(salt).max_rect(rect));
    part.shrink_clip_rect(rect);
    contents(&mut part)
}

/// The left panel scrolls as a whole; padding is inside, so that dividers reach the edges.
fn left_panel_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        Frame::NONE.inner_margin(Margin::symmetric(metrics::PANEL_PADDING as i8, 0)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            contents(ui);
        });
    });
}

/// Lines between the parts.
fn lines_ui(ui: &Ui, frame: &WindowFrame) {
    let line = Stroke::new(1.0, Tokens::of(ui).line);
    let painter = ui.painter();
    let (left, inspector, bottom) = (frame.left.rect(), frame.inspector.rect(), frame.bottom.rect());
    painter.vline(left.right() - 0.5, left.y_range(), line);
    painter.vline(inspector.left() + 0.5, inspector.y_range(), line);
    painter.hline(bottom.x_range(), bottom.top() + 0.5, line);
    if let Some(bar) = frame.tool_bar {
        painter.hline(bar.x_range(), bar.bottom() - 0.5, line);
    }
}

/// Says that what hangs at the pointer can be dropped.
fn drop_hint_ui(ui: &Ui, area: Rect) {
    if !ui.input(|input| !input.raw.hovered_files.is_empty()) {
        return;
    }
    let tokens = Tokens::of(ui);
    let layer = egui::LayerId::new(egui::Order::Tooltip, Id::unique("drop hint"));
    let painter = ui.ctx().layer_painter(layer);
    painter.rect_filled(area, 0, theme::color::with_opacity(tokens.bg1, 0.8));
    let rect = area.shrink(16.0);
    let corners = [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()];
    painter.extend(egui::Shape::dashed_line(&corners, Stroke::new(2.0, tokens.acc), 8.0, 6.0));
    let center = pos2(area.center().x, area.center().y);
    painter.text(center, egui::Align2::CENTER_CENTER, "Drop to open", fonts::display(), tokens.t1);
}

fn send_settings(ctx: &AppContext<'_>, change: impl FnOnce(&mut Settings)) {
    let mut settings = ctx.state.settings.clone();
    change(&mut settings);
    if settings != ctx.state.settings {
        ctx.send(AppCommand::SetSettings(Box::new(settings)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_that_folds_for_want_of_room_can_be_opened_and_folded_again() {
        let mut fold = NarrowFold::default();
        let tab = InspectorTab::Probe;
        assert!(fold.is_open(false, true, tab), "wide windows follow the setting");
        assert!(!fold.is_open(true, true, tab), "narrow windows start folded");
        assert!(fold.is_open(true, false, tab), "the switch opens it");
        assert!(!fold.is_open(true, true, tab), "and folds it");
        assert!(fold.is_open(true, true, InspectorTab::Layout), "so does choosing a tab");
        assert!(fold.is_open(false, true, InspectorTab::Layout));
        assert!(!fold.is_open(true, true, InspectorTab::Layout), "growing and shrinking starts anew");
    }
}
