//! The list of shortcuts, what the program is and whose work it contains, and [questions](questions).

mod questions;

use super::logo::paint_logo;
use super::theme::fonts::LICENSES;
use super::theme::{Tokens, icons, metrics, text};
use super::widgets::{SectionHeader, TextButton, icon_button_ui};
use crate::state::{AppContext, Menu, UiCommand};
use egui::{Align, Frame, Id, Label, Layout, Margin, Modal, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use strum::IntoEnumIterator as _;

/// What the mouse does in panes, in the same list as the keys.
const MOUSE: [(&str, &str); 13] = [
    ("Wheel", "Next or previous slice"),
    ("Shift+wheel", "Five slices at a time"),
    ("Ctrl+wheel", "Zoom at the pointer"),
    ("Drag", "Move the view"),
    ("Middle drag, Alt+move", "Move the view with any tool"),
    ("Click", "Centre here"),
    ("Right-click", "Pin the probe, copy the position"),
    ("Double-click", "One pane instead of four, or back"),
    ("Shift+click", "Paint the segment that is here"),
    ("Drag with a tool", "Paint, erase or outline"),
    ("Ctrl+drag", "Swap overwriting all and empty only"),
    ("Ctrl+Shift+drag", "Erase"),
    ("Shift+wheel with a brush", "Brush size"),
];

/// Dialogs over the window; at most one is open.
#[derive(Debug, Default)]
pub struct Dialogs {
    license: Option<usize>,
    questions: questions::Questions,
}

impl Dialogs {
    /// Draws the dialog that is open, if any.
    pub fn show(&mut self, ui: &Ui, ctx: &AppContext<'_>) {
        if ctx.state.panels.shortcuts {
            let closes = dialog_ui(ui, "Keyboard shortcuts", vec2(720.0, 560.0), shortcuts_ui);
            if closes {
                ctx.send(UiCommand::ShowShortcuts);
            }
        }
        if ctx.state.panels.about {
            let closes = dialog_ui(ui, "About Chunkscope", vec2(560.0, 420.0), |ui| self.about_ui(ui));
            if closes {
                ctx.send(UiCommand::ShowAbout);
            }
        }
        self.questions.show(ui, ctx);
    }

    fn about_ui(&mut self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(40.0, 40.0), Sense::hover());
            paint_logo(ui.painter(), rect, tokens);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.label(text::body_medium(version()).color(tokens.t1));
                ui.label(text::control("See into chunked 3D voxel datasets, down to the byte"));
            });
        });
        ui.add_space(metrics::GAP);
        ui.add(Label::new(text::control("Licensed under MIT or Apache-2.0, at your choice. Opened data is never written to.")).wrap());
        ui.add_space(metrics::GAP);
        SectionHeader::new("Fonts and icons").show_plain(ui);
        for (index, (name, license)) in LICENSES.iter().enumerate() {
            let is_open = self.license == Some(index);
            ui.horizontal(|ui| {
                ui.label(text::control(*name).color(tokens.t1));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let label = if is_open { "Hide licence" } else { "Show licence" };
                    let response = ui.push_id(index, |ui| ui.add(TextButton::quiet(label))).inner;
                    if response.clicked() {
                        self.license = if is_open { None } else { Some(index) };
                    }
                });
            });
            if is_open {
                Frame::new().fill(tokens.bg0).corner_radius(metrics::RADIUS_CONTROL).inner_margin(Margin::same(8)).show(ui, |ui| {
                    ui.add(Label::new(text::hex(*license).color(tokens.t2)).wrap().selectable(true));
                });
            }
        }
    }
}

/// Name and version of the program.
pub fn version() -> &'static str {
    concat!("Chunkscope ", env!("CARGO_PKG_VERSION"))
}

/// A dialog with a title; answers whether it is to be closed.
pub fn dialog_ui(ui: &Ui, title: &str, size: egui::Vec2, contents: impl FnOnce(&mut Ui)) -> bool {
    let tokens = Tokens::of(ui);
    let room = ui.ctx().content_rect().size() - vec2(64.0, 96.0);
    let size = size.min(room);
    let frame = Frame::popup(ui.style()).fill(tokens.bg2).inner_margin(Margin::symmetric(12, 4));
    let mut is_closed = false;
    let modal = Modal::new(Id::unique(title)).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(size.x);
        SectionHeader::new(title).without_divider().show(ui, |ui| {
            is_closed = icon_button_ui(ui, icons::X, "Close", "Close (Esc)").clicked();
        });
        let height = size.y - metrics::SECTION_HEADER - 16.0;
        ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink([false, true]).show(ui, |ui| {
            // Keeps clear of the scroll bar.
            Frame::NONE.inner_margin(Margin { right: 12, bottom: 8, ..Margin::ZERO }).show(ui, contents);
        });
    });
    modal.response.widget_info(|| WidgetInfo::labeled(Role::Dialog, true, title));
    is_closed || modal.should_close()
}

fn shortcuts_ui(ui: &mut Ui) {
    let groups = groups();
    let (left, right) = groups.split_at(half(&groups));
    ui.spacing_mut().item_spacing.x = 24.0;
    ui.columns(2, |columns| {
        for (column, groups) in columns.iter_mut().zip([left, right]) {
            column.spacing_mut().item_spacing = vec2(metrics::GAP, 0.0);
            for (title, rows) in groups {
                column.add_space(metrics::TIGHT_GAP);
                column.label(text::section(*title).color(Tokens::of(column).t1));
                column.add_space(metrics::TIGHT_GAP);
                for (what, keys) in rows {
                    row_ui(column, what, keys);
                }
                column.add_space(metrics::GAP);
            }
        }
    });
}

fn row_ui(ui: &mut Ui, what: &str, keys: &str) {
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::ROW_TABLE), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{what} {keys}")));
    let painter = ui.painter();
    painter.text(rect.left_center(), egui::Align2::LEFT_CENTER, what, super::theme::fonts::control(), tokens.t2);
    painter.text(rect.right_center(), egui::Align2::RIGHT_CENTER, keys, super::theme::fonts::control(), tokens.t1);
}

/// A heading with its rows of action and keys.
type Group = (&'static str, Vec<(String, String)>);

/// All actions that have keys, by menu, those without a menu first.
fn groups() -> Vec<Group> {
    let rows = |menu: Option<Menu>| {
        UiCommand::iter()
            .filter(|command| command.menu() == menu && !command.shortcuts().is_empty())
            .map(|command| {
                let keys: Vec<_> = command.shortcuts().iter().map(ToString::to_string).collect();
                (command.text().to_owned(), keys.join(", "))
            })
            .collect::<Vec<_>>()
    };
    let mouse = MOUSE.iter().map(|(keys, what)| ((*what).to_owned(), (*keys).to_owned())).collect();
    let mut groups = vec![("Move", rows(None)), ("Mouse in panes", mouse)];
    groups.extend(Menu::iter().map(|menu| (menu.title(), rows(Some(menu)))));
    groups.retain(|(_, rows)| !rows.is_empty());
    groups
}

/// After how many groups the second column starts, so that both are about as long.
fn half(groups: &[Group]) -> usize {
    let heights: Vec<usize> = groups.iter().map(|(_, rows)| rows.len() + 2).collect();
    let total: usize = heights.iter().sum();
    (0..=groups.len()).min_by_key(|at| heights[..*at].iter().sum::<usize>().abs_diff(total / 2)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_with_keys_is_listed() {
        let listed: usize = groups().iter().filter(|(title, _)| *title != "Mouse in panes").map(|(_, rows)| rows.len()).sum();
        assert_eq!(listed, UiCommand::iter().filter(|command| !command.shortcuts().is_empty()).count());
    }
}
