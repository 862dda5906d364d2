//! The bottom panel: live graphs of loading ([`throughput_panel`]) and the log ([`log_panel`]); folded, it is
//! one line with the most telling figures.

mod comparison_panel;
mod figures;
mod log_panel;
mod throughput_panel;

use crate::loading::MeterSnapshot;
use crate::state::{AppCommand, AppContext, BottomTab, UiCommand};
use crate::ui::theme::{Series, Tokens, icons, metrics, text};
use crate::ui::widgets::{IconButton, TabBar, TextButton, sparkline_ui};
use egui::{Align, Frame, Label, Layout, Margin, Ui, vec2};
use figures::Figures;
use std::time::{Duration, Instant};

/// The meter's own pace; a graph that moves is drawn as often.
const REFRESH: Duration = Duration::from_millis(250);
/// From this width on the strip has room for everything.
const WIDE_STRIP: f32 = 1000.0;
/// The sparkline shows the last minute.
const SPARK_SECS: f32 = 60.0;

/// The bottom panel with what it remembers.
#[derive(Debug, Default)]
pub struct BottomPanel {
    throughput: throughput_panel::ThroughputPanel,
    log: log_panel::LogPanel,
    comparison: comparison_panel::ComparisonPanel,
}

impl BottomPanel {
    /// Draws tabs and the open panel over the room of `ui`, 208 high and without padding of its own.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut tab = ctx.state.settings.bottom_tab;
        padded_ui(ui, |ui| {
            let has_comparison = tab == BottomTab::Comparison || ctx.state.comparison.is_some();
            let tabs = TabBar::new("Bottom panel", &mut tab).tab(BottomTab::Throughput, "Throughput").tab(BottomTab::Log, "Log");
            let tabs = if has_comparison { tabs.tab(BottomTab::Comparison, "Comparison") } else { tabs };
            let (response, ()) = tabs.show_with(ui, |ui| {
                if ui.add(IconButton::new(icons::CARET_DOWN, "Fold bottom panel", "Fold")).clicked() {
                    ctx.send(UiCommand::ToggleBottomPanel);
                }
                match ctx.state.settings.bottom_tab {
                    BottomTab::Throughput => self.throughput.actions_ui(ui, ctx),
                    BottomTab::Log => self.log.actions_ui(ui, ctx),
                    BottomTab::Comparison => self.comparison.actions_ui(ui, ctx),
                }
            });
            if response.changed() {
                ctx.send(AppCommand::ShowBottom(tab));
            }
            match ctx.state.settings.bottom_tab {
                BottomTab::Throughput => self.throughput.show(ui, ctx),
                BottomTab::Log => self.log.show(ui, ctx),
                BottomTab::Comparison => self.comparison.show(ui, ctx),
            }
        });
    }

    /// Draws the folded panel, 32 high.
    pub fn show_strip(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let tokens = Tokens::of(ui);
        let snapshot = meter_snapshot(ctx);
        let figures = Figures::of(&snapshot, SPARK_SECS, cache_budget(ctx));
        refresh_while_active(ui, &figures);
        padded_ui(ui, |ui| {
            let row = vec2(ui.available_width(), metrics::BOTTOM_STRIP);
            ui.allocate_ui_with_layout(row, Layout::left_to_right(Align::Center), |ui| {
                ui.set_min_height(metrics::BOTTOM_STRIP);
                ui.spacing_mut().item_spacing.x = metrics::GAP;
                let is_wide = ui.available_width() >= WIDE_STRIP;
                if ui.add(IconButton::new(icons::CARET_UP, "Unfold bottom panel", "Unfold")).clicked() {
                    ctx.send(AppCommand::ShowBottom(ctx.state.settings.bottom_tab));
                }
                if ui.add(TextButton::quiet("Throughput")).clicked() {
                    ctx.send(AppCommand::ShowBottom(BottomTab::Throughput));
                }
                let name = format!("Read over the last minute, now {} MiB/s", figures.now.read);
                sparkline_ui(ui, &name, &figures.spark, vec2(96.0, 20.0), tokens.series(Series::Read));
                ui.add_space(metrics::GAP);
                figure_ui(ui, "Read", &format!("{} MiB/s", figures.now.read), 116.0);
                figure_ui(ui, "Decoded", &format!("{} MiB/s", figures.now.decoded), 136.0);
                figure_ui(ui, "p95", &format!("{} ms", figures.now.p95), 92.0);
                let cache = format!("{} of {} {}", figures.now.cache_used, figures.now.cache_budget, figures.cache_unit.name());
                figure_ui(ui, "Cache", &cache, 152.0);
                if is_wide {
                    figure_ui(ui, "Hits", &figures.now.hits, 80.0);
                }
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if ui.add(TextButton::quiet("Log")).clicked() {
                        ctx.send(AppCommand::ShowBottom(BottomTab::Log));
                    }
                });
            });
        });
    }
}

/// A name and its value in a place of fixed width, so that nothing shifts while values change.
fn figure_ui(ui: &mut Ui, name: &str, value: &str, width: f32) {
    let tokens = Tokens::of(ui);
    ui.allocate_ui_with_layout(vec2(width, 16.0), Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(width);
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.add(Label::new(text::control(name).color(tokens.t3)).extend());
        ui.add(Label::new(text::control(value).color(tokens.t1)).extend());
    });
}

fn padded_ui<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let margin = Margin::symmetric(metrics::PANEL_PADDING as i8, 0); // 12
    Frame::NONE.inner_margin(margin).show(ui, contents).inner
}

fn meter_snapshot(ctx: &AppContext<'_>) -> MeterSnapshot {
    ctx.feed.loader().meter().snapshot(Instant::now())
}

fn cache_budget(ctx: &AppContext<'_>) -> u64 {
    ctx.feed.loader().max_bytes()
}

/// Curves move as long as there is something on them; an idle program draws no frames.
fn refresh_while_active(ui: &Ui, figures: &Figures) {
    if figures.is_active {
        ui.ctx().request_repaint_after(REFRESH);
    }
}
