//! What is annotated, whether a file has it, what is wrong with that, and what can be done about it.

use crate::state::{AnnotationCommand, AnnotationWork, AppContext, OpenAnnotation, RoundTripResult, RunningWork, UiCommand};
use crate::text::{count, duration};
use crate::ui::theme::{Icon, Severity, Tokens, icons, metrics, text};
use crate::ui::top_bar::with_shortcut;
use crate::ui::typed_path::typed_path;
use crate::ui::widgets::{LegendMark, TextButton, TextField, progress_ui, severity_icon, state_label_ui};
use egui::{Align, Frame, Key, Label, Layout, Margin, ScrollArea, Stroke, Ui};
use std::path::PathBuf;

/// Differences that are listed.
const MAX_DIFFERENCES: usize = 200;
/// Least width at which the buttons have icons.
const ROOM_FOR_ICONS: f32 = 340.0;

/// Draws the part at the top of the panel.
/// `dataset_path` is what was typed as the path of a dataset that wasn't found.
pub fn summary_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, dataset_path: &mut String) {
    ui.add_space(metrics::PANEL_PADDING);
    name_ui(ui, open);
    what_ui(ui, open);
    notices_ui(ui, ctx, open, dataset_path);
    ui.add_space(metrics::GAP);
    match &open.work {
        Some(work) => work_ui(ui, ctx, work),
        None => actions_ui(ui, ctx),
    }
    if let Some(result) = open.round_trip.as_ref().filter(|_| open.work.is_none()) {
        ui.add_space(metrics::GAP);
        result_ui(ui, result, result.revision != open.revision || open.waiting > 0);
    }
    ui.add_space(metrics::PANEL_PADDING);
}

fn name_ui(ui: &mut Ui, open: &OpenAnnotation) {
    let tokens = Tokens::of(ui);
    ui.horizontal(|ui| {
        ui.label(icons::FILE.rich(Icon::SIZE).color(tokens.t2));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            saved_ui(ui, open);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let name = ui.add(Label::new(text::body_medium(&open.name).color(tokens.t1)).truncate());
                if let Some(file) = &open.file {
                    name.on_hover_text(file.display().to_string());
                }
            });
        });
    });
}

/// Whether a file has all edits.
fn saved_ui(ui: &mut Ui, open: &OpenAnnotation) {
    let tokens = Tokens::of(ui);
    if matches!(open.work.as_ref().map(|running| &running.work), Some(AnnotationWork::Export { .. })) {
        ui.label(text::control("Saving…").color(tokens.t2));
    } else if open.is_unsaved() {
        state_label_ui(ui, LegendMark::Dot(tokens.warn), "Unsaved").on_hover_text("There are edits that no file has. Ctrl+S exports them");
    } else if open.file.is_some() {
        ui.label(text::control("Saved").color(tokens.t2));
        ui.label(icons::CHECK.rich(Icon::SIZE_IN_TEXT).color(tokens.ok));
    } else {
        ui.label(text::control("Not exported yet").color(tokens.t3));
    }
}

fn what_ui(ui: &mut Ui, open: &OpenAnnotation) {
    let tokens = Tokens::of(ui);
    let indent = Icon::SIZE + metrics::GAP;
    Frame::NONE.inner_margin(Margin { left: indent as i8, ..Margin::ZERO }).show(ui, |ui| {
        ui.add(Label::new(text::control(what(open)).color(tokens.t2)).wrap());
    });
}

/// `Volume on cells, mags 1 to 16-16-4, and skeleton`.
fn what(open: &OpenAnnotation) -> String {
    let volumes = match open.volumes.as_slice() {
        [] => None,
        [volume] => Some(match &volume.fallback {
            Some(layer) => format!("Volume on {layer}"),
            None => "Volume".to_owned(),
        }),
        more => Some(format!("{} volumes", more.len())),
    };
    let mags = open.volume().and_then(|volume| match volume.edited.as_slice() {
        [] => None,
        [(mag, _)] => Some(format!(", mag {mag}")),
        [(first, _), .., (last, _)] => Some(format!(", mags {first} to {last}")),
    });
    let volumes = volumes.map(|volumes| volumes + &mags.unwrap_or_default());
    match (volumes, open.skeleton.is_empty()) {
        (Some(volumes), true) => volumes,
        (Some(volumes), false) if volumes.contains(',') => format!("{volumes}, and skeleton"),
        (Some(volumes), false) => format!("{volumes} and skeleton"),
        (None, false) => "Skeleton".to_owned(),
        (None, true) => "Neither volumes nor a skeleton".to_owned(),
    }
}

fn notices_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenAnnotation, dataset_path: &mut String) {
    if let Some(dataset) = &open.missing_dataset {
        let sentence = format!(
            "This annotation belongs to dataset {dataset}, which isn't open. Without it, only the annotation's own chunks are shown and can be edited."
        );
        let mut typed = None;
        if notice_ui(ui, &sentence, &["Choose folder…"], |ui| typed = dataset_path_ui(ui, dataset_path)).is_some() {
            ctx.send(AnnotationCommand::PickDataset);
        }
        if let Some(path) = typed {
            ctx.send(AnnotationCommand::OpenDataset(path));
        }
    } else if let Some(fallback) = open.volume().filter(|volume| volume.lacks_fallback).and_then(|volume| volume.fallback.as_deref()) {
        notice_ui(ui, &format!("The dataset has no layer {fallback}, which the volume lies on: new chunks can't be painted."), &[], |_| ());
    }
    if open.changed_on_disk {
        let sentence = "The file has changed since it was read.";
        match notice_ui(ui, sentence, &["Read again", "Keep edits"], |_| ()) {
            Some(0) => ctx.send(AnnotationCommand::ReadAgain),
            Some(_) => ctx.send(AnnotationCommand::KeepEdits),
            None => {}
        }
    }
}

/// The path of the dataset, as system dialogs don't show everywhere; answers it when Enter is pressed.
fn dataset_path_ui(ui: &mut Ui, typed: &mut String) -> Option<PathBuf> {
    let response = ui.add(TextField::new("Path of the dataset", typed).hint("Path of the dataset").key_hint("Enter"));
    let is_entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if is_entered { typed_path(typed) } else { None }
}

/// A warning of several lines with `more` and buttons below; answers which of them was clicked.
fn notice_ui(ui: &mut Ui, sentence: &str, actions: &[&str], more: impl FnOnce(&mut Ui)) -> Option<usize> {
    let tokens = Tokens::of(ui);
    let mut clicked = None;
    ui.add_space(metrics::GAP);
    card_ui(ui, Some(Severity::Warning), |ui| {
        ui.horizontal_top(|ui| {
            ui.label(severity_icon(Severity::Warning).rich(Icon::SIZE).color(tokens.warn));
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = metrics::GAP;
                ui.add(Label::new(text::control(sentence).color(tokens.t1)).wrap());
                more(ui);
                ui.horizontal_wrapped(|ui| {
                    for (index, action) in actions.iter().enumerate() {
                        if ui.add(TextButton::new(action)).clicked() {
                            clicked = Some(index);
                        }
                    }
                });
            });
        });
    });
    clicked
}

/// A framed part over the whole width.
fn card_ui(ui: &mut Ui, severity: Option<Severity>, contents: impl FnOnce(&mut Ui)) {
    let tokens = Tokens::of(ui);
    let (ground, border) = match severity {
        Some(Severity::Warning) => (tokens.warnbg, tokens.warn),
        Some(Severity::Error) => (tokens.errbg, tokens.err),
        Some(Severity::Info | Severity::Ok) | None => (tokens.bg2, tokens.line2),
    };
    let frame = Frame::NONE.fill(ground).stroke(Stroke::new(1.0, border)).corner_radius(metrics::RADIUS_CONTROL);
    frame.inner_margin(Margin::same(metrics::GAP as i8)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        contents(ui);
    });
}

fn actions_ui(ui: &mut Ui, ctx: &AppContext<'_>) {
    let has_icons = ui.available_width() >= ROOM_FOR_ICONS;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(metrics::GAP, metrics::TIGHT_GAP);
        for (command, icon, label) in [
            (UiCommand::ExportAnnotation, icons::EXPORT, "Export…"),
            (UiCommand::ImportAnnotation, icons::DOWNLOAD_SIMPLE, "Import…"),
            (UiCommand::CheckRoundTrip, icons::ARROWS_CLOCKWISE, UiCommand::CheckRoundTrip.text()),
        ] {
            let button = TextButton::new(label);
            let button = if has_icons { button.icon(icon) } else { button };
            if ui.add(button).on_hover_text(with_shortcut(command)).clicked() {
                ctx.send(command);
            }
        }
    });
}

/// What goes on, how far it is, and a way to stop it.
fn work_ui(ui: &mut Ui, ctx: &AppContext<'_>, running: &RunningWork) {
    let tokens = Tokens::of(ui);
    let (name, path) = match &running.work {
        AnnotationWork::Export { path, kind, .. } => (format!("Exporting as {}", kind.text()), Some(path)),
        AnnotationWork::RoundTrip => ("Checking the round trip".to_owned(), None),
    };
    card_ui(ui, None, |ui| {
        ui.horizontal(|ui| {
            let label = ui.add(Label::new(text::control(&name).color(tokens.t1)).truncate());
            if let Some(path) = path {
                label.on_hover_text(path.display().to_string());
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(TextButton::new("Cancel")).clicked() {
                    ctx.send(AnnotationCommand::CancelWork);
                }
            });
        });
        let share = if running.total > 0 { running.done as f64 / running.total as f64 } else { 0.0 };
        progress_ui(ui, &name, share as f32, ui.available_width());
        let elapsed = running.since.elapsed().as_secs_f64();
        let mut figures = format!("{} of {} chunks", count(running.done), count(running.total));
        if running.done > 0 && running.done < running.total && elapsed > 1.0 {
            figures += &format!(", about {} left", duration(elapsed / share.max(f64::MIN_POSITIVE) * (1.0 - share)));
        }
        ui.label(text::control(figures).color(tokens.t2));
    });
}

/// What a round trip found. After further edits it says nothing of what is there now.
fn result_ui(ui: &mut Ui, result: &RoundTripResult, is_past: bool) {
    let tokens = Tokens::of(ui);
    let (severity, title) = match (result.is_equal, is_past) {
        (true, false) => (Severity::Ok, "Round trip matches"),
        (false, false) => (Severity::Error, "Round trip doesn't match"),
        (true, true) => (Severity::Info, "Round trip matched before the last edits"),
        (false, true) => (Severity::Info, "Round trip didn't match before the last edits"),
    };
    let border = if severity == Severity::Error { Some(severity) } else { None };
    card_ui(ui, border, |ui| {
        ui.spacing_mut().item_spacing.y = metrics::TIGHT_GAP;
        ui.horizontal(|ui| {
            ui.label(severity_icon(severity).rich(Icon::SIZE).color(tokens.severity(severity)));
            ui.label(text::control_medium(title).color(if is_past { tokens.t2 } else { tokens.t1 }));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(text::control(duration(result.secs)).color(tokens.t2));
            });
        });
        let indent = Icon::SIZE + metrics::GAP;
        Frame::NONE.inner_margin(Margin { left: indent as i8, ..Margin::ZERO }).show(ui, |ui| {
            ui.add(Label::new(text::control(&result.summary).color(tokens.t2)).wrap());
            if result.differences.is_empty() {
                return;
            }
            ScrollArea::vertical().id_salt("differences").max_height(120.0).auto_shrink([false, true]).show(ui, |ui| {
                for difference in result.differences.iter().take(MAX_DIFFERENCES) {
                    ui.add(Label::new(text::control(difference).color(tokens.t1)).selectable(true).wrap());
                }
                if result.differences.len() > MAX_DIFFERENCES {
                    let more = format!("and {} more", count((result.differences.len() - MAX_DIFFERENCES) as u64));
                    ui.label(text::control(more).color(tokens.t3));
                }
            });
        });
    });
}
