//! Problems: what went wrong or was assumed, with the file, and what to do about it.

use super::{hint_ui, padded_ui, severity_look};
use crate::problem::{Problem, Problems, Severity};
use crate::state::{AppCommand, AppContext};
use crate::ui::theme::{Icon, Tokens, fonts, icons, metrics, text};
use crate::ui::widgets::{IconButton, LegendMark, PathText, Segmented, TextButton, severity_icon, state_label_ui};
use egui::{Align, Align2, Color32, Label, Layout, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::collections::BTreeSet;

/// Space before texts: caret, icon.
const TEXT_LEFT: f32 = 44.0;
/// Height of a folded problem: first line and file, with room around.
const FOLDED: f32 = 60.0;
/// No message is higher; its real height is found by laying it out.
const MAX_BODY: f32 = 10_000.0;

/// The problems panel with what it remembers.
#[derive(Debug, Default)]
pub struct ProblemsPanel {
    shown: Option<Severity>,
    /// Unfolded ones, by text and location: their positions change when the list grows.
    unfolded: BTreeSet<(String, String)>,
}

impl ProblemsPanel {
    /// Unfolded problems beyond this are forgotten, as when another dataset is opened.
    const MAX_UNFOLDED: usize = 1000;

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let Some(open) = &ctx.state.dataset else {
            padded_ui(ui, |ui| hint_ui(ui, "No dataset is open"));
            return;
        };
        let problems = &open.problems;
        if problems.is_empty() {
            padded_ui(ui, |ui| {
                ui.add_space(metrics::PANEL_PADDING);
                let tokens = Tokens::of(ui);
                state_label_ui(ui, LegendMark::Dot(tokens.ok), "Nothing is wrong");
                hint_ui(ui, "Every file that was opened says what it should");
            });
            return;
        }
        padded_ui(ui, |ui| self.controls_ui(ui, ctx, problems));
        ScrollArea::vertical().id_salt("problems").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let shown = self.shown;
            for problem in problems.iter().filter(|problem| shown.is_none_or(|shown| shown == problem.severity)) {
                self.problem_ui(ui, ctx, problem);
            }
            let listed = problems.iter().count();
            if problems.len() > listed {
                let words = format!("{} more are not listed", crate::text::count((problems.len() - listed) as u64));
                padded_ui(ui, |ui| hint_ui(ui, &words));
            }
        });
    }

    fn controls_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, problems: &Problems) {
        let tokens = Tokens::of(ui);
        ui.add_space(metrics::PANEL_PADDING);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
            let counted = |severity| problems.iter().filter(|problem| problem.severity == severity).count();
            let all = format!("All {}", problems.len());
            let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Info].map(|severity| counted(severity).to_string());
            let tinted = |severity| (severity_icon(severity_look(severity)), tokens.severity(severity_look(severity)));
            Segmented::new("Severity", &mut self.shown)
                .segment(None, &all)
                .tinted_segment(Some(Severity::Error), tinted(Severity::Error), &errors, "errors")
                .tinted_segment(Some(Severity::Warning), tinted(Severity::Warning), &warnings, "warnings")
                .tinted_segment(Some(Severity::Info), tinted(Severity::Info), &notes, "notes")
                .show(ui);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
                if ui.add(IconButton::new(icons::COPY, "Copy all problems", "Copy all problems")).clicked() {
                    ctx.send(AppCommand::Copy(problems_as_text(problems)));
                }
                if problems.iter().any(can_be_retried) && ui.add(TextButton::quiet("Retry all")).clicked() {
                    ctx.send(AppCommand::Retry);
                }
            });
        });
        ui.add_space(metrics::PANEL_PADDING);
    }

    fn problem_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, problem: &Problem) {
        let id = (problem.text.clone(), problem.location.clone());
        let is_unfolded = self.unfolded.contains(&id);
        let toggled = if is_unfolded { unfolded_ui(ui, ctx, problem) } else { folded_ui(ui, ctx, problem) };
        if toggled && !self.unfolded.remove(&id) {
            if self.unfolded.len() >= Self::MAX_UNFOLDED {
                self.unfolded.clear();
            }
            self.unfolded.insert(id);
        }
    }
}

/// First line and file. Answers whether it was clicked.
fn folded_ui(ui: &mut Ui, ctx: &AppContext<'_>, problem: &Problem) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), FOLDED), Sense::click());
    if !ui.is_rect_visible(rect) {
        return false;
    }
    let tokens = Tokens::of(ui);
    let ground = if response.hovered() { tokens.bg3 } else { Color32::TRANSPARENT };
    head_look(ui, rect, &response, problem, icons::CARET_RIGHT, ground);
    let row = text_rect(rect);
    let mut child = ui.new_child(UiBuilder::new().max_rect(row).layout(Layout::top_down(Align::Min)));
    child.spacing_mut().item_spacing.y = metrics::TIGHT_GAP;
    let retry = retry_width(problem);
    child.add(Label::new(text::control_medium(&problem.text).color(tokens.t1)).selectable(false).truncate());
    child.horizontal(|ui| {
        ui.set_max_width((ui.available_width() - retry).max(40.0));
        location_ui(ui, problem);
    });
    if retry > 0.0 {
        let place = Align2::RIGHT_BOTTOM.align_size_within_rect(vec2(retry - metrics::GAP, metrics::CONTROL_HEIGHT), row.translate(vec2(0.0, 2.0)));
        if ui.place(place, TextButton::new("Retry")).clicked() {
            ctx.send(AppCommand::Retry);
        }
    }
    response.clicked()
}

/// Everything, nothing cut. Answers whether it was clicked.
fn unfolded_ui(ui: &mut Ui, ctx: &AppContext<'_>, problem: &Problem) -> bool {
    let tokens = Tokens::of(ui);
    let background = ui.painter().add(egui::Shape::Noop);
    let top = ui.cursor().top();
    let left = ui.max_rect().left();
    let (head, response) = ui.allocate_exact_size(vec2(ui.available_width(), 32.0), Sense::click());
    let row = text_rect(head);
    let mut body = ui.new_child(
        UiBuilder::new()
            .max_rect(Rect::from_min_max(pos2(row.left(), head.top() + 8.0), pos2(row.right(), head.top() + MAX_BODY)))
            .layout(Layout::top_down(Align::Min)),
    );
    body.spacing_mut().item_spacing.y = metrics::TIGHT_GAP;
    body.add(Label::new(text::control_medium(&problem.text).color(tokens.t1)).selectable(true).wrap());
    body.add(Label::new(text::control(consequence(problem.severity)).color(tokens.t2)).wrap());
    if !problem.location.is_empty() {
        body.add(Label::new(text::hex(&problem.location).color(tokens.t2)).selectable(true).wrap());
    }
    body.add_space(metrics::TIGHT_GAP);
    body.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = metrics::GAP;
        if can_be_retried(problem) && ui.add(TextButton::main("Retry").icon(icons::ARROW_CLOCKWISE)).clicked() {
            ctx.send(AppCommand::Retry);
        }
        if ui.add(TextButton::new("Copy").icon(icons::COPY)).clicked() {
            ctx.send(AppCommand::Copy(problem.to_string()));
        }
    });
    let bottom = body.min_rect().bottom() + metrics::PANEL_PADDING;
    let whole = Rect::from_min_max(pos2(left, top), pos2(head.right(), bottom));
    ui.advance_cursor_after_rect(whole);
    ui.painter().set(background, egui::Shape::rect_filled(whole, 0, tokens.bg3));
    head_look(ui, whole, &response, problem, icons::CARET_DOWN, Color32::TRANSPARENT);
    response.clicked()
}

/// Caret, icon, divider and what screen readers say.
fn head_look(ui: &Ui, rect: Rect, response: &egui::Response, problem: &Problem, caret: Icon, ground: Color32) {
    let tokens = Tokens::of(ui);
    let is_unfolded = caret == icons::CARET_DOWN;
    let name = format!("{}: {}", severity_word(problem.severity), problem.text);
    response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, ui.is_enabled(), is_unfolded, &name));
    let painter = ui.painter();
    painter.rect_filled(rect, 0, ground);
    let y = rect.top() + 8.0 + 8.0;
    let look = severity_look(problem.severity);
    let icon = |icon: Icon, x: f32, size: f32, color: Color32| {
        painter.text(pos2(rect.left() + x, y), Align2::CENTER_CENTER, icon.as_str(), fonts::icon(size), color);
    };
    icon(caret, 18.0, Icon::SIZE_CARET, tokens.t2);
    icon(severity_icon(look), 34.0, Icon::SIZE_IN_TEXT, tokens.severity(look));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, tokens.line));
    if response.has_focus() {
        painter.rect_stroke(rect.shrink(2.0), metrics::RADIUS_CONTROL, Stroke::new(1.0, tokens.acc), StrokeKind::Inside);
    }
}

fn text_rect(rect: Rect) -> Rect {
    Rect::from_min_max(rect.min + vec2(TEXT_LEFT, 8.0), rect.max - vec2(metrics::PANEL_PADDING, 8.0))
}

fn location_ui(ui: &mut Ui, problem: &Problem) {
    if !problem.location.is_empty() {
        ui.add(PathText::new(&problem.location).quiet().copyable());
    }
}

fn retry_width(problem: &Problem) -> f32 {
    if can_be_retried(problem) { 64.0 } else { 0.0 }
}

/// Whether reading failed chunks again can help: their messages start with the chunk.
fn can_be_retried(problem: &Problem) -> bool {
    problem.severity == Severity::Error && problem.text.to_lowercase().contains("chunk ")
}

const fn consequence(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "This part can't be shown. Everything else is.",
        Severity::Warning => "It is shown differently than the files say.",
        Severity::Info => "This was assumed. Nothing is missing because of it.",
    }
}

const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Note",
    }
}

/// A line per problem, the file last.
fn problems_as_text(problems: &Problems) -> String {
    problems.iter().map(|problem| format!("{}: {problem}\n", severity_word(problem.severity).to_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(severity: Severity, text: &str) -> Problem {
        Problem { severity, text: text.to_owned(), location: "/a".to_owned() }
    }

    #[test]
    fn only_failed_chunks_can_be_retried() {
        assert!(can_be_retried(&problem(Severity::Error, "Chunk 1, 2, 3 of shard 0, 0, 0: truncated")));
        assert!(!can_be_retried(&problem(Severity::Warning, "Chunk 1, 2, 3 is odd")));
        assert!(!can_be_retried(&problem(Severity::Error, "Can't open layer a")));
    }

    #[test]
    fn copied_problems_have_a_line_each_with_the_file_last() {
        let mut problems = Problems::default();
        problems.error("/a", "one");
        problems.info("/b", "two");
        assert_eq!(problems_as_text(&problems), "error: one: /a\nnote: two: /b\n");
    }
}
