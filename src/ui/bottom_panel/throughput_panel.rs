//! Throughput: four graphs of the last minute or ten.

use super::figures::{Figures, csv};
use super::{cache_budget, meter_snapshot, refresh_while_active};
use crate::loading::MeterSnapshot;
use crate::state::{AppCommand, AppContext};
use crate::ui::theme::{Series, icons, metrics};
use crate::ui::widgets::{Segmented, TextButton, TimePlot, TimeSeries};
use egui::{Rect, Ui, UiBuilder, pos2};

/// Space between two graphs.
const PLOT_GAP: f32 = 28.0;
const NARROW_GAP: f32 = 16.0;
/// Four graphs stand side by side.
const PLOTS: f32 = 4.0;
/// Narrower ones have shorter titles, so that no current value is left out.
const WIDE_PLOT: f32 = 330.0;

/// How far back graphs go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Span {
    /// 60 s.
    #[default]
    Minute,
    /// 600 s, all that is kept.
    TenMinutes,
}

impl Span {
    const fn secs(self) -> f32 {
        match self {
            Self::Minute => 60.0,
            Self::TenMinutes => 600.0,
        }
    }
}

/// The throughput panel with what it remembers.
#[derive(Debug, Default)]
pub(super) struct ThroughputPanel {
    span: Span,
    /// What is shown while paused.
    paused: Option<MeterSnapshot>,
}

impl ThroughputPanel {
    /// The controls at the right of the tab bar, from the right to the left.
    pub(super) fn actions_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        if ui.add(TextButton::quiet("Copy CSV").icon(icons::COPY)).on_hover_text("Ten minutes, a line per quarter second").clicked() {
            let snapshot = self.paused.clone().unwrap_or_else(|| meter_snapshot(ctx));
            ctx.send(AppCommand::Copy(csv(&snapshot)));
        }
        let (label, icon) = if self.paused.is_some() { ("Resume", icons::PLAY) } else { ("Pause", icons::PAUSE) };
        if ui.add(TextButton::quiet(label).icon(icon)).clicked() {
            self.paused = if self.paused.is_some() { None } else { Some(meter_snapshot(ctx)) };
        }
        ui.add_space(metrics::GAP);
        Segmented::new("Time span", &mut self.span).segment(Span::Minute, "1 min").segment(Span::TenMinutes, "10 min").show(ui);
    }

    /// The graphs, over the whole room.
    pub(super) fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let live = self.paused.is_none().then(|| meter_snapshot(ctx));
        let Some(snapshot) = live.as_ref().or(self.paused.as_ref()) else { return };
        let figures = Figures::of(snapshot, self.span.secs(), cache_budget(ctx));
        if live.is_some() {
            refresh_while_active(ui, &figures);
        }
        let Figures { now, cache_unit, .. } = &figures;
        let series = |name, series, points, current| TimeSeries { name, series, points, current };
        let throughput = [
            series("Read", Series::Read, &figures.read, now.read.as_str()),
            series("Decoded", Series::Decoded, &figures.decoded, &now.decoded),
        ];
        let latency = [
            series("p50", Series::P50, &figures.p50, now.p50.as_str()),
            series("p95", Series::P95, &figures.p95, &now.p95),
            series("p99", Series::P99, &figures.p99, &now.p99),
        ];
        let queue = [
            series("Waiting", Series::Read, &figures.waiting, now.waiting.as_str()),
            series("Done/s", Series::Decoded, &figures.done, &now.done),
        ];
        let cache = [series("Used", Series::P50, &figures.cache, now.cache_used.as_str())];
        let cache_notes = [("Budget", now.cache_budget.as_str()), ("Hits", now.hits.as_str())];
        let room = ui.available_rect_before_wrap();
        ui.advance_cursor_after_rect(room);
        let is_narrow = room.width() < PLOTS * WIDE_PLOT;
        let gap = if is_narrow { NARROW_GAP } else { PLOT_GAP };
        let width = ((room.width() - (PLOTS - 1.0) * gap) / PLOTS).floor();
        let latency_title = if is_narrow { "Latency" } else { "Read latency" };
        // The dashed line says the budget as well.
        let cache_notes = if is_narrow { &cache_notes[1..] } else { &cache_notes[..] };
        let plots = [
            TimePlot::new("Throughput", "MiB/s", &throughput),
            TimePlot::new(latency_title, "ms", &latency),
            TimePlot::new("Queue", "chunks", &queue),
            TimePlot::new("Cache", cache_unit.name(), &cache).budget(figures.cache_budget).notes(cache_notes),
        ];
        for (index, plot) in plots.into_iter().enumerate() {
            let left = room.left() + index as f32 * (width + gap);
            let place = Rect::from_min_max(pos2(left, room.top() + 4.0), pos2(left + width, room.bottom() - 4.0));
            let mut child = ui.new_child(UiBuilder::new().id_salt(("plot", index)).max_rect(place));
            plot.span_secs(self.span.secs()).show(&mut child, place.height());
        }
    }
}
