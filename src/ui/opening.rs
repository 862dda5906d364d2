//! A path that is being opened, and one that couldn't be; on the welcome page and over the panes.

use super::theme::{Icon, Tokens, icons, metrics, text};
use super::widgets::{IconButton, TextButton, elide_middle, progress_ui};
use crate::state::{AppCommand, AppContext, Opening};
use egui::{Align, Align2, Area, Color32, Frame, Id, Key, Label, Layout, Margin, Order, Rect, Role, Spinner, Stroke, Ui, WidgetInfo, vec2};

/// Characters of a path that fit on a button.
const MAX_BUTTON_PATH: usize = 48;

/// What it needs to remember.
#[derive(Debug, Default)]
pub struct OpeningNews {
    /// The message that was dismissed; another one shows again.
    dismissed: Option<String>,
}

impl OpeningNews {
    /// Draws both where there is something to say, over the width of `ui`; Esc cancels.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        if let Some(opening) = &ctx.state.opening {
            self.dismissed = None;
            opening_ui(ui, ctx, opening);
        } else if self.has_error(ctx) {
            self.error_ui(ui, ctx);
        }
    }

    /// Draws both over the panes, so that what is open stays visible.
    pub fn show_over(&mut self, ui: &Ui, ctx: &AppContext<'_>, panes: Rect) {
        if ctx.state.opening.is_none() && !self.has_error(ctx) {
            return;
        }
        let top = panes.center_top() + vec2(0.0, 44.0);
        Area::new(Id::unique("opening")).order(Order::Foreground).pivot(Align2::CENTER_TOP).fixed_pos(top).show(ui.ctx(), |ui| {
            ui.set_width((panes.width() - 32.0).clamp(280.0, 560.0));
            self.show(ui, ctx);
        });
    }

    fn has_error(&self, ctx: &AppContext<'_>) -> bool {
        ctx.state.open_error.as_ref().is_some_and(|(message, _)| self.dismissed.as_ref() != Some(message))
    }

    fn error_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let Some((message, nearest)) = &ctx.state.open_error else { return };
        let tokens = Tokens::of(ui);
        let response = block(tokens.errbg, tokens.err)
            .show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.add(Label::new(icons::X_CIRCLE.rich(Icon::SIZE).color(tokens.err).line_height(Some(20.0))));
                    let width = ui.available_width() - 28.0;
                    ui.vertical(|ui| {
                        ui.set_width(width);
                        for (index, line) in sentence(message).lines().enumerate() {
                            let color = if index == 0 { tokens.t1 } else { tokens.t2 };
                            ui.add(Label::new(text::control(line).color(color).line_height(Some(20.0))).wrap().selectable(true));
                        }
                        if let Some(nearest) = nearest {
                            ui.add_space(metrics::TIGHT_GAP);
                            let path = nearest.display().to_string();
                            let label = format!("Open {}", elide_middle(&path, MAX_BUTTON_PATH));
                            if ui.add(TextButton::new(&label).icon(icons::FOLDER_OPEN)).on_hover_text(&path).clicked() {
                                ctx.send(AppCommand::Open(nearest.clone()));
                            }
                        }
                    });
                    if ui.add(IconButton::new(icons::X, "Dismiss", "Dismiss").small()).clicked() {
                        self.dismissed = Some(message.clone());
                    }
                });
            })
            .response;
        response.widget_info(|| WidgetInfo::labeled(Role::Alert, true, message));
    }
}

fn opening_ui(ui: &mut Ui, ctx: &AppContext<'_>, opening: &Opening) {
    let tokens = Tokens::of(ui);
    let path = opening.path.display().to_string();
    let mut cancels = ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape));
    let response = block(tokens.bg3, tokens.line2)
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.add(Spinner::new().size(Icon::SIZE).color(tokens.acctx));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    cancels |= ui.add(TextButton::new("Cancel")).on_hover_text("Stop looking (Esc)").clicked();
                    if let Some((_, fraction)) = &opening.progress {
                        progress_ui(ui, "Opening", *fraction, 120.0);
                    }
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                        let doing = opening.progress.as_ref().map_or("Looking at", |(doing, _)| doing.as_str());
                        ui.label(text::control(doing).color(tokens.t1));
                        ui.add(super::widgets::PathText::new(&path).quiet());
                    });
                });
            });
        })
        .response;
    response.widget_info(|| WidgetInfo::labeled(Role::Status, true, format!("Opening {path}")));
    if cancels {
        ctx.send(AppCommand::CancelOpening);
    }
}

/// Messages of errors start small, sentences in the window don't.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn block(ground: Color32, border: Color32) -> Frame {
    Frame::new().fill(ground).stroke(Stroke::new(1.0, border)).corner_radius(metrics::RADIUS_CONTROL).inner_margin(Margin {
        left: 12,
        right: 8,
        top: 8,
        bottom: 8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_become_sentences() {
        for (message, expected) in [("can't open", "Can't open"), ("", ""), ("\u{e4}h", "\u{c4}h")] {
            assert_eq!(sentence(message), expected);
        }
    }
}
