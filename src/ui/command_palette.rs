//! The command palette: every action by a few letters of its name, and every path that is typed or pasted.

use super::shortcuts::{is_available, start};
use super::theme::{Tokens, fonts, icons, metrics, text};
use super::typed_path::typed_path;
use super::widgets::{TextField, elide_middle};
use crate::state::{AppCommand, AppContext, UiCommand, fuzzy_score};
use egui::{Align2, Color32, Frame, Id, Key, Margin, Modal, Modifiers, Role, ScrollArea, Sense, Stroke, Ui, WidgetInfo, vec2};
use std::path::PathBuf;
use strum::IntoEnumIterator as _;

const WIDTH: f32 = 480.0;
const MAX_HEIGHT: f32 = 12.0 * metrics::ROW_LIST;
const TOP: f32 = 56.0;

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    /// Opens what was typed. System dialogs don't show everywhere; this does.
    Open(PathBuf),
    /// Starts an action.
    Command(UiCommand),
}

/// The palette's own state: what was typed and which line is chosen.
#[derive(Debug, Default)]
pub struct CommandPalette {
    query: String,
    selected: usize,
    was_open: bool,
}

impl CommandPalette {
    /// Draws the palette while it is open.
    pub fn show(&mut self, ui: &Ui, ctx: &AppContext<'_>) {
        let is_open = ctx.state.panels.palette;
        let just_opened = is_open && !self.was_open;
        self.was_open = is_open;
        if !is_open {
            return;
        }
        if just_opened {
            self.query.clear();
            self.selected = 0;
        }
        // Taken before the field sees them; everything else is typing.
        let (steps, enters, closes_by_key) = ui.input_mut(|input| {
            let down = input.count_and_consume_key(Modifiers::NONE, Key::ArrowDown) as isize;
            let up = input.count_and_consume_key(Modifiers::NONE, Key::ArrowUp) as isize;
            let enters = input.consume_key(Modifiers::NONE, Key::Enter);
            (down - up, enters, input.consume_key(Modifiers::COMMAND, Key::P) && !just_opened)
        });
        let mut chosen = None;

        let tokens = Tokens::of(ui);
        let id = Id::unique("command palette");
        let room = ui.ctx().content_rect().size();
        let frame = Frame::popup(ui.style()).fill(tokens.bg3).inner_margin(Margin::same(8));
        let area = Modal::default_area(id).anchor(Align2::CENTER_TOP, vec2(0.0, TOP));
        let modal = Modal::new(id).area(area).frame(frame).backdrop_color(Color32::TRANSPARENT).show(ui.ctx(), |ui| {
            ui.set_width(WIDTH.min(room.x - 64.0));
            let field = TextField::new("Search commands", &mut self.query)
                .hint("Search commands, or paste a path to open")
                .icon(icons::MAGNIFYING_GLASS)
                .key_hint("Esc")
                .height(28.0);
            let response = ui.add(field);
            if !response.has_focus() {
                response.request_focus();
            }
            if response.changed() {
                self.selected = 0;
            }
            // What was typed in this frame counts for its Enter.
            let entries = matching(&self.query, |command| is_available(command, ctx));
            self.selected = self.selected.saturating_add_signed(steps).min(entries.len().saturating_sub(1));
            if enters {
                chosen = entries.get(self.selected).cloned();
            }
            ui.add_space(metrics::TIGHT_GAP);
            ui.spacing_mut().item_spacing.y = 0.0;
            if entries.is_empty() {
                ui.add_space(metrics::TIGHT_GAP);
                ui.label(text::control("No command has these letters in this order").color(tokens.t3));
            }
            let height = MAX_HEIGHT.min(room.y - TOP - 120.0);
            // The room is that of the frame before, which a search without a result leaves small.
            let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink([false, true]);
            area.show(ui, |ui| {
                for (index, entry) in entries.iter().enumerate() {
                    let is_selected = index == self.selected;
                    let response = entry_ui(ui, entry, is_selected);
                    if is_selected && (steps != 0 || just_opened) {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() {
                        chosen = Some(entry.clone());
                    }
                }
            });
        });
        if chosen.is_some() || closes_by_key || modal.should_close() {
            ctx.send(UiCommand::CommandPalette);
        }
        match chosen {
            Some(Entry::Open(path)) => ctx.send(AppCommand::Open(path)),
            Some(Entry::Command(command)) => start(ui, ctx, command),
            None => {}
        }
    }
}

fn entry_ui(ui: &mut Ui, entry: &Entry, is_selected: bool) -> egui::Response {
    let tokens = Tokens::of(ui);
    let name = match entry {
        Entry::Open(path) => format!("Open {}", path.display()),
        Entry::Command(command) => command.text().to_owned(),
    };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::ROW_LIST), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, is_selected, &name));
    let char_width = ui.ctx().fonts_mut(|fonts| fonts.glyph_width(&fonts::control(), 'm')).max(1.0);
    let painter = ui.painter();
    let (ground, color) = match (is_selected, response.hovered()) {
        (true, _) => (tokens.accbg, tokens.acctx),
        (false, true) => (tokens.bg4, tokens.t1),
        (false, false) => (Color32::TRANSPARENT, tokens.t1),
    };
    painter.rect(rect, metrics::RADIUS_CONTROL, ground, Stroke::NONE, egui::StrokeKind::Inside);
    let inner = rect.shrink2(vec2(8.0, 0.0));
    let command = match entry {
        Entry::Open(path) => {
            let shown = path.to_string_lossy();
            let most = ((inner.width() / char_width) as usize).saturating_sub("Open ".len());
            let text = format!("Open {}", elide_middle(&shown, most));
            painter.text(inner.left_center(), Align2::LEFT_CENTER, text, fonts::control(), color);
            return response.on_hover_text(name);
        }
        Entry::Command(command) => command,
    };
    let placed = painter.text(inner.left_center(), Align2::LEFT_CENTER, name, fonts::control(), color);
    if let Some(menu) = command.menu() {
        let right_of_text = egui::pos2(placed.right() + 8.0, inner.center().y);
        painter.text(right_of_text, Align2::LEFT_CENTER, menu.title(), fonts::small(), tokens.t3);
    }
    if let Some(shortcut) = command.shortcuts().first() {
        painter.text(inner.right_center(), Align2::RIGHT_CENTER, shortcut.to_string(), fonts::small(), tokens.t2);
    }
    response
}

/// The path that a query is, if it is one, then the actions that fit it, best first, in their own order where they fit
/// alike.
fn matching(query: &str, is_available: impl Fn(UiCommand) -> bool) -> Vec<Entry> {
    let mut scored: Vec<(u32, UiCommand)> = UiCommand::iter()
        .filter(|command| is_available(*command) && *command != UiCommand::CommandPalette)
        .filter_map(|command| Some((fuzzy_score(query, command.text())?, command)))
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let path = typed_path(query).filter(|path| path.is_absolute()).map(Entry::Open);
    path.into_iter().chain(scored.into_iter().map(|(_, command)| Entry::Command(command))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_fit_comes_first_and_unavailable_ones_are_left_out() {
        assert_eq!(matching("zoin", |_| true).first(), Some(&Entry::Command(UiCommand::ZoomIn)));
        assert_eq!(matching("shagr", |_| true).first(), Some(&Entry::Command(UiCommand::ToggleShardGrid)));
        let needs_dataset = |entry: &Entry| matches!(entry, Entry::Command(command) if command.needs_dataset());
        assert!(!matching("", |command| !command.needs_dataset()).iter().any(needs_dataset));
        assert_eq!(matching("qqqq", |_| true), []);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_can_be_opened_and_a_word_is_none() {
        for query in ["/data/em", " \"/data/em\"\n", "file:///data/em"] {
            assert_eq!(matching(query, |_| true).first(), Some(&Entry::Open(PathBuf::from("/data/em"))), "{query}");
        }
        assert!(!matching("em", |_| true).iter().any(|entry| matches!(entry, Entry::Open(_))));
    }
}
