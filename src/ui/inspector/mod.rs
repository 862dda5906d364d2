//! The inspector at the right: what the files say ([`header_panel`]), where shards and chunks lie
//! ([`layout_panel`]), the voxel under the pointer ([`probe_panel`]), what is edited ([`annotation`]), what went wrong
//! ([`problems_panel`]).
//!
//! Panels read the context and send commands. They own only filter texts, sort orders and what is folded.

mod annotation;
mod data_table;
mod header_panel;
mod layout_look;
mod layout_panel;
mod layout_rows;
mod probe_panel;
mod probe_text;
mod problem_groups;
mod problems_panel;

use crate::problem;
use crate::state::{AppCommand, AppContext, InspectorTab};
use crate::ui::theme::{self, Tokens, metrics, text};
use crate::ui::widgets::TabBar;
use egui::{Frame, Margin, Ui};

pub use probe_text::physical_position;

/// The inspector with what its panels remember.
#[derive(Debug, Default)]
pub struct Inspector {
    annotation: annotation::AnnotationPanel,
    header: header_panel::HeaderPanel,
    layout: layout_panel::LayoutPanel,
    problems: problems_panel::ProblemsPanel,
}

impl Inspector {
    /// Draws tabs and the open panel over the room of `ui`, which has no padding of its own.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let problems = ctx.state.dataset.as_ref().map(|open| &open.problems);
        let count = problems.map_or(0, problem::Problems::len);
        let worst = problems.and_then(|problems| problems.iter().map(|problem| problem.severity).max());
        let mut tab = ctx.state.settings.inspector_tab;
        let tabs = |ui: &mut Ui| {
            TabBar::new("Inspector", &mut tab)
                .tab(InspectorTab::Header, "Header")
                .tab(InspectorTab::Layout, "Layout")
                .tab(InspectorTab::Probe, "Probe")
                .tab(InspectorTab::Annotation, "Annotation")
                .tab_with_count(InspectorTab::Problems, "Problems", count, worst.map_or(theme::Severity::Info, severity_look))
                .show(ui)
                .changed()
        };
        if padded_ui(ui, tabs) {
            ctx.send(AppCommand::ShowInspector(tab));
        }
        match ctx.state.settings.inspector_tab {
            InspectorTab::Header => self.header.show(ui, ctx),
            InspectorTab::Layout => self.layout.show(ui, ctx),
            InspectorTab::Probe => probe_panel::probe_panel_ui(ui, ctx),
            InspectorTab::Annotation => self.annotation.show(ui, ctx),
            InspectorTab::Problems => self.problems.show(ui, ctx),
        }
    }
}

/// The look of a severity.
fn severity_look(severity: problem::Severity) -> theme::Severity {
    match severity {
        problem::Severity::Info => theme::Severity::Info,
        problem::Severity::Warning => theme::Severity::Warning,
        problem::Severity::Error => theme::Severity::Error,
    }
}

/// Contents with the padding of a panel at both sides.
fn padded_ui<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let margin = Margin::symmetric(metrics::PANEL_PADDING as i8, 0); // 12
    Frame::NONE.inner_margin(margin).show(ui, contents).inner
}

/// A panel that scrolls when it doesn't fit, with padding inside the scroll area so that dividers reach its edges.
fn scrolled_ui(ui: &mut Ui, salt: &str, contents: impl FnOnce(&mut Ui)) {
    egui::ScrollArea::vertical().id_salt(salt).auto_shrink(false).show(ui, |ui| {
        padded_ui(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            contents(ui);
            ui.add_space(metrics::PANEL_PADDING);
        });
    });
}

/// A quiet sentence where there is nothing to show.
fn hint_ui(ui: &mut Ui, sentence: &str) {
    ui.add_space(metrics::GAP);
    ui.add(egui::Label::new(text::control(sentence).color(Tokens::of(ui).t3)).wrap());
    ui.add_space(metrics::GAP);
}
