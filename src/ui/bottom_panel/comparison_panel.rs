//! Comparison: what differs between two datasets, and where.

use crate::compare::Verdict;
use crate::state::{AnnotationCommand, AppCommand, AppContext, Comparison, ComparisonState, Findings, UiCommand};
use crate::text::count;
use crate::ui::theme::{Severity, Tokens, icons, metrics, text};
use crate::ui::widgets::{PathText, Row, RowState, TextButton, TextField, progress_ui, severity_icon};
use egui::{Align, Color32, Label, Layout, ScrollArea, Ui, UiBuilder, vec2};

/// Width of the facts beside the list of places.
const FACTS_SHARE: f32 = 0.42;
/// Columns of the list: layer, mag, voxel.
const COLUMNS: [f32; 3] = [160.0, 64.0, 150.0];

/// The panel with what it remembers.
#[derive(Debug, Default)]
pub(super) struct ComparisonPanel {
    filter: String,
    selected: Option<usize>,
}

impl ComparisonPanel {
    /// The controls at the right of the tab bar, from the right to the left.
    pub(super) fn actions_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        if ui.add(TextButton::quiet(UiCommand::CompareWith.text())).clicked() {
            ctx.send(UiCommand::CompareWith);
        }
        if let Some(comparison) = &ctx.state.comparison {
            let is_running = matches!(comparison.state, ComparisonState::Running { .. });
            if ui.add(TextButton::quiet(if is_running { "Cancel" } else { "Close" }).icon(icons::X)).clicked() {
                ctx.send(AnnotationCommand::StopComparing);
            }
            if let ComparisonState::Done(findings) = &comparison.state
                && !findings.places.is_empty()
            {
                ui.add(
                    TextField::new("Filter places", &mut self.filter)
                        .hint("Filter by layer or mag")
                        .icon(icons::MAGNIFYING_GLASS)
                        .width(200.0),
                );
            }
        }
    }

    /// What was found.
    pub(super) fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        ui.add_space(metrics::TIGHT_GAP);
        let tokens = Tokens::of(ui);
        let Some(comparison) = &ctx.state.comparison else {
            ui.add_space(metrics::TIGHT_GAP);
            ui.add(Label::new(text::control("Nothing has been compared yet").color(tokens.t3)));
            return;
        };
        match &comparison.state {
            ComparisonState::Running { since, done, total } => {
                paths_ui(ui, comparison);
                let share = if *total == 0 { 0.0 } else { *done as f32 / *total as f32 };
                let what = if *total == 0 { "Opening both".to_owned() } else { format!("{} of {} voxels", count(*done), count(*total)) };
                ui.add_space(metrics::GAP);
                let name = format!("{what}, {} s", since.elapsed().as_secs());
                ui.add(Label::new(text::control(&name).color(tokens.t2)));
                progress_ui(ui, &format!("Comparing: {name}"), share, 320.0);
                ui.ctx().request_repaint_after(std::time::Duration::from_millis(200));
            }
            ComparisonState::Failed(error) => {
                paths_ui(ui, comparison);
                line_ui(ui, Severity::Error, error, tokens.err);
            }
            ComparisonState::Done(findings) => self.findings_ui(ui, ctx, comparison, findings),
        }
    }

    fn findings_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, comparison: &Comparison, findings: &Findings) {
        let area = ui.available_rect_before_wrap();
        let has_places = !findings.places.is_empty();
        let facts_width = if has_places { area.width() * FACTS_SHARE } else { area.width() };
        let mut facts = ui.new_child(UiBuilder::new().id_salt("facts").max_rect(area.with_max_x(area.left() + facts_width - 12.0)));
        facts.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical().id_salt("facts").auto_shrink(false).show(&mut facts, |ui| {
            paths_ui(ui, comparison);
            verdict_ui(ui, findings);
            for fact in &findings.facts {
                ui.add(Label::new(text::control(fact).color(Tokens::of(ui).t2)).wrap());
            }
        });
        if has_places {
            let mut list = ui.new_child(UiBuilder::new().id_salt("places").max_rect(area.with_min_x(area.left() + facts_width)));
            self.places_ui(&mut list, ctx, findings);
        }
        ui.advance_cursor_after_rect(area);
    }

    fn places_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, findings: &Findings) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let wanted = self.filter.trim().to_lowercase();
        let fits = |index: &usize| {
            let place = &findings.places[*index]; // an index of this list
            wanted.is_empty() || place.layer.to_lowercase().contains(&wanted) || place.label.to_string() == wanted
        };
        let shown: Vec<usize> = (0..findings.places.len()).filter(fits).collect();
        header_ui(ui, findings, shown.len());
        ScrollArea::vertical().id_salt("places").auto_shrink(false).show_rows(ui, metrics::ROW_TABLE, shown.len(), |ui, rows| {
            for index in &shown[rows] {
                let place = &findings.places[*index];
                let name = format!("{}, mag {}, voxel {}, {} voxels differ", place.layer, place.label, place.voxel, count(place.voxels));
                let state = if self.selected == Some(*index) { RowState::Active } else { RowState::Plain };
                let cells = [place.layer.clone(), place.label.to_string(), place.voxel.to_string()];
                let row = Row::new(&name, state)
                    .height(metrics::ROW_TABLE)
                    .show(ui, |ui| row_ui(ui, &cells, &count(place.voxels), Tokens::of(ui).t1));
                if row.response.clicked() {
                    self.selected = Some(*index);
                    ctx.send(AppCommand::SetPosition(place.voxel));
                }
            }
        });
    }
}

fn paths_ui(ui: &mut Ui, comparison: &Comparison) {
    for (side, path) in [("First", &comparison.a), ("Second", &comparison.b)] {
        ui.horizontal(|ui| {
            ui.set_min_height(metrics::ROW_MAG);
            let tokens = Tokens::of(ui);
            ui.allocate_ui_with_layout(vec2(52.0, 16.0), Layout::left_to_right(Align::Center), |ui| {
                ui.set_min_width(52.0);
                ui.add(Label::new(text::control(side).color(tokens.t3)));
            });
            ui.add(PathText::new(&path.display().to_string()).fill());
        });
    }
}

fn verdict_ui(ui: &mut Ui, findings: &Findings) {
    let tokens = Tokens::of(ui);
    match findings.verdict {
        Verdict::Equal => {
            ui.horizontal(|ui| {
                ui.label(icons::CHECK_CIRCLE.rich(14.0).color(tokens.ok));
                ui.label(text::control("Equal").color(tokens.t1));
            });
        }
        Verdict::Different => line_ui(ui, Severity::Warning, "They differ", tokens.t1),
        Verdict::Trouble => line_ui(ui, Severity::Error, "Not everything could be compared", tokens.t1),
    }
}

fn line_ui(ui: &mut Ui, severity: Severity, sentence: &str, color: Color32) {
    ui.horizontal(|ui| {
        let (icon, tint) = (severity_icon(severity), Tokens::of(ui).severity(severity));
        ui.label(icon.rich(14.0).color(tint));
        ui.add(Label::new(text::control(sentence).color(color)).wrap());
    });
}

fn header_ui(ui: &mut Ui, findings: &Findings, shown: usize) {
    let tokens = Tokens::of(ui);
    let more = if findings.more_places > 0 { format!(", {} more not listed", count(findings.more_places)) } else { String::new() };
    let title = format!("Differing voxels in {} places{more}", count(shown as u64));
    ui.allocate_ui_with_layout(vec2(ui.available_width(), metrics::ROW_TABLE), Layout::left_to_right(Align::Center), |ui| {
        row_ui(ui, &["Layer".to_owned(), "Mag".to_owned(), "Voxel".to_owned()], &title, tokens.t3);
    });
}

/// Columns from the left, and a figure at the right.
fn row_ui(ui: &mut Ui, cells: &[String; 3], figure: &str, color: Color32) {
    ui.spacing_mut().item_spacing.x = 0.0;
    for (cell, width) in cells.iter().zip(COLUMNS) {
        ui.allocate_ui_with_layout(vec2(width, 16.0), Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(width);
            ui.add(Label::new(text::control(cell).color(color)).truncate().selectable(false));
        });
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.add(Label::new(text::control(figure).color(color)).truncate().selectable(false));
    });
}
