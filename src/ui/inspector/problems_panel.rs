//! Problems: what went wrong or was assumed, with the file, and what to do about it.

use super::problem_groups::{ProblemGroup, grouped, is_chunk_failure};
use super::{hint_ui, padded_ui, severity_look};
use crate::problem::{Problems, Severity};
use crate::state::{AppCommand, AppContext};
use crate::text::capitalized;
use crate::text::count;
use crate::ui::theme::{Icon, Tokens, fonts, icons, metrics, text};
use crate::ui::widgets::{IconButton, LegendMark, PathText, Segmented, TextButton, severity_icon, state_label_ui};
use egui::text::LayoutJob;
use egui::{
    Align, Align2, Color32, FontId, Galley, Label, Layout, Rect, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Space before texts: caret and icon.
const TEXT_LEFT: f32 = 44.0;
const ROW_PADDING: f32 = 10.0;
/// Lines of the reason while an entry is folded.
const FOLDED_LINES: usize = 2;
/// Chunks of one file that are listed; the others are counted.
const MAX_MEMBERS: usize = 50;
/// No message is higher; its real height is found by laying it out.
const MAX_BODY: f32 = 20_000.0;
/// Room of the button beside the path.
const RETRY_WIDTH: f32 = 64.0;

/// The problems panel with what it remembers.
#[derive(Debug, Default)]
pub struct ProblemsPanel {
    shown: Option<Severity>,
    /// Unfolded ones, by their first finding: positions change when the list grows.
    unfolded: BTreeSet<(String, String)>,
}

impl ProblemsPanel {
    /// Unfolded entries beyond this are forgotten, as when another dataset is opened.
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
                let ok = Tokens::of(ui).ok;
                state_label_ui(ui, LegendMark::Dot(ok), "Nothing is wrong");
                hint_ui(ui, "All that was read so far is what its files say");
            });
            return;
        }
        padded_ui(ui, |ui| self.controls_ui(ui, ctx, problems));
        ScrollArea::vertical().id_salt("problems").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for group in grouped(problems.iter(), self.shown) {
                self.group_ui(ui, ctx, &group);
            }
            let listed = problems.iter().count();
            if problems.len() > listed {
                let words = format!("{} more are not listed", count((problems.len() - listed) as u64));
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
            let [errors, warnings, notes] =
                [Severity::Error, Severity::Warning, Severity::Info].map(|severity| counted(severity).to_string());
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
                let can_retry = problems.iter().any(is_chunk_failure);
                // In a narrow panel there is a button in each entry, which does the same.
                if can_retry && ui.available_width() >= RETRY_WIDTH + metrics::GAP && ui.add(TextButton::quiet("Retry all")).clicked() {
                    ctx.send(AppCommand::Retry);
                }
            });
        });
        ui.add_space(metrics::PANEL_PADDING);
    }

    fn group_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, group: &ProblemGroup<'_>) {
        let Some(first) = group.members.first() else { return };
        let id = (first.text.clone(), first.location.clone());
        let is_unfolded = self.unfolded.contains(&id);
        let toggled = if is_unfolded { unfolded_ui(ui, ctx, group) } else { folded_ui(ui, ctx, group) };
        if toggled && !self.unfolded.remove(&id) {
            if self.unfolded.len() >= Self::MAX_UNFOLDED {
                self.unfolded.clear();
            }
            self.unfolded.insert(id);
        }
    }
}

/// First line, reason and file. Answers whether it was clicked.
fn folded_ui(ui: &mut Ui, ctx: &AppContext<'_>, group: &ProblemGroup<'_>) -> bool {
    let tokens = Tokens::of(ui);
    let width = ui.available_width() - TEXT_LEFT - metrics::PANEL_PADDING;
    let title = wrapped(ui, &group.title, fonts::control_medium(), tokens.t1, width, usize::MAX);
    let reason = wrapped(ui, &group.reason, fonts::control(), tokens.t2, width, FOLDED_LINES);
    let reason_height = if group.reason.is_empty() { 0.0 } else { reason.size().y + 4.0 };
    let height = 2.0 * ROW_PADDING + title.size().y + reason_height + metrics::CONTROL_HEIGHT;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height.ceil()), Sense::click());
    if !ui.is_rect_visible(rect) {
        return false;
    }
    let ground = if response.hovered() { tokens.bg3 } else { Color32::TRANSPARENT };
    ui.painter().rect_filled(rect, 0, ground);
    head_look(ui, rect, &response, group, icons::CARET_RIGHT);
    let corner = rect.min + vec2(TEXT_LEFT, ROW_PADDING);
    ui.painter().galley(corner, title.clone(), tokens.t1);
    ui.painter().galley(corner + vec2(0.0, title.size().y + 4.0), reason, tokens.t2);
    let row = Rect::from_min_max(
        pos2(corner.x, rect.bottom() - ROW_PADDING - metrics::CONTROL_HEIGHT + 4.0),
        corner + vec2(width, height - 16.0),
    );
    let mut child = ui.new_child(UiBuilder::new().id_salt(&group.title).max_rect(row).layout(Layout::right_to_left(Align::Center)));
    if group.can_be_retried() && child.add(TextButton::new("Retry")).clicked() {
        ctx.send(AppCommand::Retry);
    }
    if !group.location.is_empty() {
        child.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(PathText::new(group.location).quiet().copyable()));
    }
    response.clicked()
}

/// Everything, nothing cut. Answers whether it was clicked.
fn unfolded_ui(ui: &mut Ui, ctx: &AppContext<'_>, group: &ProblemGroup<'_>) -> bool {
    let tokens = Tokens::of(ui);
    let background = ui.painter().add(egui::Shape::Noop);
    let width = ui.available_width() - TEXT_LEFT - metrics::PANEL_PADDING;
    let title = wrapped(ui, &group.title, fonts::control_medium(), tokens.t1, width, usize::MAX);
    let head_height = ROW_PADDING + title.size().y + 4.0;
    let (head, response) = ui.allocate_exact_size(vec2(ui.available_width(), head_height.ceil()), Sense::click());
    let corner = head.min + vec2(TEXT_LEFT, ROW_PADDING);
    let body_rect = Rect::from_min_max(pos2(corner.x, head.bottom()), pos2(corner.x + width, head.bottom() + MAX_BODY));
    let mut body = ui.new_child(UiBuilder::new().id_salt(&group.title).max_rect(body_rect).layout(Layout::top_down(Align::Min)));
    body.spacing_mut().item_spacing.y = metrics::TIGHT_GAP;
    body_ui(&mut body, ctx, group);
    let whole = Rect::from_min_max(head.min, pos2(head.right(), body.min_rect().bottom() + ROW_PADDING + 2.0));
    ui.advance_cursor_after_rect(whole);
    ui.painter().set(background, egui::Shape::rect_filled(whole, 0, tokens.bg3));
    ui.painter().galley(corner, title, tokens.t1);
    head_look(ui, whole, &response, group, icons::CARET_DOWN);
    response.clicked()
}

fn body_ui(ui: &mut Ui, ctx: &AppContext<'_>, group: &ProblemGroup<'_>) {
    let tokens = Tokens::of(ui);
    if group.members.len() == 1 {
        if !group.reason.is_empty() {
            ui.add(Label::new(text::control(&group.reason).color(tokens.t1)).selectable(true).wrap());
        }
    } else {
        for problem in group.members.iter().take(MAX_MEMBERS) {
            ui.add(Label::new(text::control(capitalized(&problem.text)).color(tokens.t1)).selectable(true).wrap());
        }
        if group.members.len() > MAX_MEMBERS {
            let words = format!("and {} more", count((group.members.len() - MAX_MEMBERS) as u64));
            ui.add(Label::new(text::control(words).color(tokens.t3)));
        }
    }
    ui.add(Label::new(text::control(consequence(group.severity)).color(tokens.t2)).wrap());
    if !group.location.is_empty() {
        ui.add(Label::new(text::hex(group.location).color(tokens.t2)).selectable(true).wrap());
    }
    ui.add_space(metrics::TIGHT_GAP);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = metrics::GAP;
        if group.can_be_retried() && ui.add(TextButton::main("Retry").icon(icons::ARROW_CLOCKWISE)).clicked() {
            ctx.send(AppCommand::Retry);
        }
        if ui.add(TextButton::new("Copy").icon(icons::COPY)).clicked() {
            let lines: Vec<String> = group.members.iter().map(ToString::to_string).collect();
            ctx.send(AppCommand::Copy(lines.join("\n")));
        }
    });
}

/// Caret, icon, divider and what screen readers say.
fn head_look(ui: &Ui, rect: Rect, response: &Response, group: &ProblemGroup<'_>, caret: Icon) {
    let tokens = Tokens::of(ui);
    let name = format!("{}: {}", severity_word(group.severity), group.title);
    response.widget_info(|| WidgetInfo::selected(Role::DisclosureTriangle, ui.is_enabled(), caret == icons::CARET_DOWN, &name));
    let painter = ui.painter();
    let y = rect.top() + ROW_PADDING + 8.0;
    let look = severity_look(group.severity);
    let icon = |icon: Icon, x: f32, size: f32, color: Color32| {
        painter.text(pos2(rect.left() + x, y), Align2::CENTER_CENTER, icon.as_str(), fonts::icon(size), color);
    };
    icon(caret, 16.0, Icon::SIZE_CARET, tokens.t2);
    icon(severity_icon(look), 33.0, Icon::SIZE_IN_TEXT, tokens.severity(look));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, tokens.line));
    if response.has_focus() {
        painter.rect_stroke(rect.shrink(2.0), metrics::RADIUS_CONTROL, Stroke::new(1.0, tokens.acc), StrokeKind::Inside);
    }
}

fn wrapped(ui: &Ui, words: &str, font: FontId, color: Color32, width: f32, max_rows: usize) -> Arc<Galley> {
    let mut job = LayoutJob::simple(words.to_owned(), font, color, width);
    job.wrap.max_rows = max_rows;
    ui.painter().layout_job(job)
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

    #[test]
    fn copied_problems_have_a_line_each_with_the_file_last() {
        let mut problems = Problems::default();
        problems.error("/a", "one");
        problems.info("/b", "two");
        assert_eq!(problems_as_text(&problems), "error: one: /a\nnote: two: /b\n");
    }
}
