//! The dialog for a path that holds several datasets: series of one file, fields of a plate. One of them is opened.

use super::dialogs::dialog_ui;
use super::theme::{Tokens, fonts, icons, metrics, text};
use super::widgets::TextField;
use crate::format::Choice;
use crate::state::{AppCommand, AppContext, Choosing};
use egui::{Align2, Color32, Key, Modifiers, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

const WIDTH: f32 = 480.0;
/// From how many choices on they can be filtered.
const MANY: usize = 12;

/// The dialog's own state: which choices it shows, what was typed, and which line is chosen.
#[derive(Debug, Default)]
pub struct Chooser {
    shown: Option<Choosing>,
    filter: String,
    selected: usize,
}

impl Chooser {
    /// Draws the dialog while there is something to choose.
    pub fn show(&mut self, ui: &Ui, ctx: &AppContext<'_>) {
        let just_opened = self.shown != ctx.state.choosing;
        if just_opened {
            *self = Self { shown: ctx.state.choosing.clone(), ..Self::default() };
        }
        let Some(choosing) = &ctx.state.choosing else { return };
        // Taken before the field sees them; everything else is typing.
        let (steps, enters) = ui.input_mut(|input| {
            let down = input.count_and_consume_key(Modifiers::NONE, Key::ArrowDown) as isize;
            let up = input.count_and_consume_key(Modifiers::NONE, Key::ArrowUp) as isize;
            (down - up, input.consume_key(Modifiers::NONE, Key::Enter) && !just_opened)
        });
        let is_many = choosing.choices.len() > MANY;
        let rows = choosing.choices.len().clamp(3, MANY) as f32;
        let height = metrics::SECTION_HEADER + 72.0 + rows * metrics::ROW_LIST + if is_many { 36.0 } else { 0.0 };
        let mut chosen = None;
        let closes = dialog_ui(ui, "Choose a dataset", vec2(WIDTH, height), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let tokens = Tokens::of(ui);
            ui.label(text::control(sentence(choosing)).color(tokens.t1));
            ui.add(super::widgets::PathText::new(&choosing.path.display().to_string()).quiet().fill());
            ui.add_space(metrics::GAP);
            if is_many {
                let field = TextField::new("Filter", &mut self.filter).hint("Filter by name").icon(icons::FUNNEL_SIMPLE);
                let response = ui.add(field);
                if !response.has_focus() {
                    response.request_focus();
                }
                if response.changed() {
                    self.selected = 0;
                }
                ui.add_space(metrics::GAP);
            }
            let fitting = fitting(&choosing.choices, &self.filter);
            self.selected = self.selected.saturating_add_signed(steps).min(fitting.len().saturating_sub(1));
            if fitting.is_empty() {
                ui.label(text::control("No name contains this").color(tokens.t3));
            }
            if enters {
                chosen = fitting.get(self.selected).copied();
            }
            let room = rows * metrics::ROW_LIST;
            ScrollArea::vertical().id_salt("choices").max_height(room).auto_shrink([false, true]).show(ui, |ui| {
                for (index, choice) in fitting.iter().enumerate() {
                    let response = entry_ui(ui, choice, index == self.selected);
                    if index == self.selected && steps != 0 {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() {
                        chosen = Some(*choice);
                    }
                }
            });
        });
        if let Some(choice) = chosen {
            ctx.send(AppCommand::Open(choice.path.clone()));
        } else if closes {
            ctx.send(AppCommand::CancelChoice);
        }
    }
}

/// `3 series` as a sentence.
fn sentence(choosing: &Choosing) -> String {
    let mut chars = choosing.what.chars();
    let what: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    format!("{what}. Which one is to be opened?")
}

/// The choices whose names contain all words of a filter, whatever their case.
fn fitting<'a>(choices: &'a [Choice], filter: &str) -> Vec<&'a Choice> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    choices.iter().filter(|choice| words.iter().all(|word| choice.name.to_lowercase().contains(word))).collect()
}

fn entry_ui(ui: &mut Ui, choice: &Choice, is_selected: bool) -> egui::Response {
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::ROW_LIST), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, is_selected, &choice.name));
    let (ground, color) = match (is_selected, response.hovered()) {
        (true, _) => (tokens.accbg, tokens.acctx),
        (false, true) => (tokens.bg4, tokens.t1),
        (false, false) => (Color32::TRANSPARENT, tokens.t1),
    };
    let painter = ui.painter();
    painter.rect(rect, metrics::RADIUS_CONTROL, ground, Stroke::NONE, StrokeKind::Inside);
    let inner = rect.shrink2(vec2(8.0, 0.0));
    painter.text(inner.left_center(), Align2::LEFT_CENTER, &choice.name, fonts::control(), color);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn filters_look_for_all_words_whatever_their_case() {
        let choices = ["A/1/0", "A/1/1", "B/12/0"].map(|name| Choice { name: name.to_owned(), path: PathBuf::from(name) });
        let names = |filter: &str| fitting(&choices, filter).iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>();
        assert_eq!(names(""), ["A/1/0", "A/1/1", "B/12/0"]);
        assert_eq!(names("a/"), ["A/1/0", "A/1/1"]);
        assert_eq!(names("1/0 A"), ["A/1/0"]);
        assert_eq!(names("z"), [""; 0]);
    }
}
