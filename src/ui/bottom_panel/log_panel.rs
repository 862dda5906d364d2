//! Log: the last messages of the program.

use crate::state::{AppCommand, AppContext, LogLine};
use crate::ui::theme::{Tokens, icons, metrics, text};
use crate::ui::widgets::{Segmented, TextButton, TextField};
use egui::{Color32, Label, ScrollArea, Ui};
use std::time::{SystemTime, UNIX_EPOCH};

/// Width of the level between time and text, in characters.
const LEVEL_CHARS: usize = 5;

/// The log panel with what it remembers.
#[derive(Debug)]
pub(super) struct LogPanel {
    filter: String,
    level: log::Level,
}

impl Default for LogPanel {
    fn default() -> Self {
        Self { filter: String::new(), level: log::Level::Info }
    }
}

impl LogPanel {
    /// The controls at the right of the tab bar, from the right to the left.
    pub(super) fn actions_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        if ui.add(TextButton::quiet("Copy").icon(icons::COPY)).on_hover_text("Copy the lines that are listed").clicked() {
            let lines: Vec<String> = self.lines(ctx).iter().map(line_text).collect();
            ctx.send(AppCommand::Copy(lines.join("\n")));
        }
        ui.add_space(metrics::GAP);
        Segmented::new("Log level", &mut self.level)
            .segment(log::Level::Debug, "Debug")
            .segment(log::Level::Info, "Info")
            .segment(log::Level::Warn, "Warn")
            .show(ui);
        ui.add_space(metrics::GAP);
        ui.add(TextField::new("Filter log", &mut self.filter).hint("Filter log").icon(icons::MAGNIFYING_GLASS).width(200.0));
    }

    /// The lines, newest at the bottom.
    pub(super) fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let tokens = Tokens::of(ui);
        let lines = self.lines(ctx);
        ui.add_space(metrics::TIGHT_GAP);
        if lines.is_empty() {
            let sentence = if self.filter.is_empty() { "Nothing has been logged" } else { "No line matches the filter" };
            ui.add_space(metrics::TIGHT_GAP);
            ui.add(Label::new(text::control(sentence).color(tokens.t3)));
            return;
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::both().id_salt("log").auto_shrink(false).stick_to_bottom(true).show_rows(
            ui,
            metrics::ROW_TABLE,
            lines.len(),
            |ui, rows| {
                for line in &lines[rows] {
                    line_ui(ui, line, tokens); // the rows are those of `lines`
                }
            },
        );
    }

    fn lines(&self, ctx: &AppContext<'_>) -> Vec<LogLine> {
        let mut lines = ctx.state.log.up_to(self.level);
        let filter = self.filter.trim().to_lowercase();
        lines.retain(|line| filter.is_empty() || line.text.to_lowercase().contains(&filter));
        lines
    }
}

fn line_ui(ui: &mut Ui, line: &LogLine, tokens: &Tokens) {
    ui.horizontal(|ui| {
        ui.set_height(metrics::ROW_TABLE);
        ui.spacing_mut().item_spacing.x = metrics::PANEL_PADDING;
        let level = format!("{:LEVEL_CHARS$}", level_word(line.level));
        ui.add(Label::new(text::mono(time_text(line.at)).color(tokens.t3)).extend());
        ui.add(Label::new(text::mono(level).color(level_color(line.level, tokens))).extend());
        ui.add(Label::new(text::mono(one_line(&line.text)).color(tokens.t1)).selectable(true).extend());
    });
}

const fn level_word(level: log::Level) -> &'static str {
    match level {
        log::Level::Error => "error",
        log::Level::Warn => "warn",
        log::Level::Info => "info",
        log::Level::Debug => "debug",
        log::Level::Trace => "trace",
    }
}

const fn level_color(level: log::Level, tokens: &Tokens) -> Color32 {
    match level {
        log::Level::Error => tokens.err,
        log::Level::Warn => tokens.warn,
        log::Level::Info => tokens.t2,
        log::Level::Debug | log::Level::Trace => tokens.t3,
    }
}

/// Time of the day in UTC: the standard library knows no time zones.
fn time_text(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let secs = since.as_secs() % 86_400;
    format!("{:02}:{:02}:{:02}.{:03}", secs / 3600, secs / 60 % 60, secs % 60, since.subsec_millis())
}

fn one_line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join(" · ")
}

fn line_text(line: &LogLine) -> String {
    format!("{} {:LEVEL_CHARS$} {}", time_text(line.at), level_word(line.level), one_line(&line.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_day() {
        for (millis, text) in [(0, "00:00:00.000"), (86_399_999, "23:59:59.999"), (1_700_000_000_204, "22:13:20.204")] {
            assert_eq!(time_text(UNIX_EPOCH + Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn a_copied_line_is_one_line() {
        let line = LogLine { at: UNIX_EPOCH, level: log::Level::Warn, text: "two\nlines".to_owned() };
        assert_eq!(line_text(&line), "00:00:00.000 warn  two · lines");
    }
}
