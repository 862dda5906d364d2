//! Questions and forms of [`crate::state::Dialog`]: exporting, replacing a file, damaged and unsaved edits, comparing, recovering.

use super::dialog_ui;
use crate::state::{
    AnnotationCommand, AnnotationWork, AppCommand, AppContext, Dialog, Effect, ExportKind, LeftEdits, PathField, UiCommand,
};
use crate::ui::theme::{Icon, Severity, Tokens, icons, metrics, text};
use crate::ui::typed_path::typed_path;
use crate::ui::widgets::{PathText, Segmented, TextButton, TextField, severity_icon};
use egui::{Align, Key, Label, Layout, Response, Ui, vec2};
use std::mem::{Discriminant, discriminant};
use std::path::{Path, PathBuf};
use strum::IntoEnumIterator as _;

const WIDTH: f32 = 520.0;
const BROWSE_WIDTH: f32 = 76.0;
const ELSEWHERE: &str = "Export elsewhere…";
/// What was left of one annotation: two lines, and the gap below.
const LEFT_HEIGHT: f32 = 48.0;

/// The open question with what is remembered of it.
#[derive(Debug, Default)]
pub struct Questions {
    /// The kind that is shown: one may follow from another.
    shown: Option<Discriminant<Dialog>>,
    /// The path that was asked about last, so that each is looked at once.
    asked_path: Option<PathBuf>,
}

impl Questions {
    /// Draws the question that waits for an answer, if any.
    pub fn show(&mut self, ui: &Ui, ctx: &AppContext<'_>) {
        let Some(dialog) = &ctx.state.panels.dialog else {
            *self = Self::default();
            return;
        };
        let kind = discriminant(dialog);
        let is_new = self.shown.replace(kind) != Some(kind);
        let closes = match dialog {
            Dialog::Export { path, kind, then } => self.export_ui(ui, ctx, (path, *kind, then.as_deref()), is_new),
            Dialog::ExportDamaged { path, kind, then, reason } => damaged_ui(
                ui,
                ctx,
                reason,
                &AnnotationWork::Export { path: path.clone(), kind: *kind, then: then.clone(), drops_damaged: true },
            ),
            Dialog::ReplaceFile(path) => replace_ui(ui, ctx, path, is_new),
            Dialog::Unsaved(effect) => unsaved_ui(ui, ctx, effect, is_new),
            Dialog::Compare { a, b } => compare_ui(ui, ctx, a, b, is_new),
            Dialog::Recover(left) => recover_ui(ui, ctx, left),
        };
        if closes {
            ctx.send(AppCommand::SetDialog(None));
        }
    }

    fn export_ui(&mut self, ui: &Ui, ctx: &AppContext<'_>, (path, kind, then): (&Path, ExportKind, Option<&Effect>), is_new: bool) -> bool {
        let then = || then.cloned().map(Box::new);
        let mut typed = path.to_string_lossy().into_owned();
        let mut chosen = kind;
        let (mut starts, mut cancels) = (false, false);
        let target = typed_path(&typed);
        self.look_at(ctx, target.as_deref());
        let exists = target.is_some()
            && ctx.state.panels.looked_at.as_ref().is_some_and(|(looked_at, exists)| Some(looked_at) == target.as_ref() && *exists);
        let closes = dialog_ui(ui, "Export annotation", vec2(WIDTH, 252.0), |ui| {
            let mut choice = Segmented::new("Format", &mut chosen);
            for kind in ExportKind::iter() {
                choice = choice.segment(kind, kind.text());
            }
            label_ui(ui, "Format");
            choice.show(ui);
            sentence_ui(ui, explanation(chosen));
            label_ui(ui, if chosen == ExportKind::Merged { "Folder" } else { "File" });
            starts = path_ui(ui, ctx, "Export to", PathField::ExportTo, &mut typed, is_new);
            note_ui(ui, exists, chosen);
            buttons_ui(ui, |ui| {
                let can_start = target.is_some() && !(exists && chosen == ExportKind::Merged);
                starts = (ui.add_enabled(can_start, TextButton::main("Export").icon(icons::EXPORT)).clicked() || starts) && can_start;
                cancels = ui.add(TextButton::new("Cancel")).clicked();
            });
        });
        if starts && let Some(path) = target {
            ctx.send(AnnotationCommand::Work(AnnotationWork::Export { path, kind: chosen, then: then(), drops_damaged: false }));
        } else if chosen != kind {
            let path = fitting_path(Path::new(&typed), chosen);
            ctx.send(AppCommand::SetDialog(Some(Dialog::Export { path, kind: chosen, then: then() })));
        } else if Path::new(&typed) != path {
            ctx.send(AppCommand::SetDialog(Some(Dialog::Export { path: PathBuf::from(typed), kind, then: then() })));
        }
        closes || cancels
    }

    fn look_at(&mut self, ctx: &AppContext<'_>, path: Option<&Path>) {
        if let Some(path) = path.filter(|path| self.asked_path.as_deref() != Some(*path)) {
            self.asked_path = Some(path.to_owned());
            ctx.send(AppCommand::LookAt(path.to_owned()));
        }
    }
}

const fn explanation(kind: ExportKind) -> &'static str {
    match kind {
        ExportKind::Wkw => "A zip that every WEBKNOSSOS reads.",
        ExportKind::Zarr3 => "A zip as WEBKNOSSOS writes it since 2025, with Zarr 3 arrays.",
        ExportKind::Zarr3Spec => "The same with metadata that keep to the Zarr specification, for other programs.",
        ExportKind::Merged => "A new WKW dataset: the annotation over its fallback layer. Skeletons are left out.",
    }
}

/// The path with the ending that a format has: `.zip`, or none for a folder.
fn fitting_path(path: &Path, kind: ExportKind) -> PathBuf {
    let is_zip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"));
    match (kind, is_zip) {
        (ExportKind::Merged, true) => path.with_extension(""),
        (ExportKind::Wkw | ExportKind::Zarr3 | ExportKind::Zarr3Spec, false) if path.file_name().is_some() => {
            let mut name = path.as_os_str().to_owned();
            name.push(".zip");
            PathBuf::from(name)
        }
        _ => path.to_owned(),
    }
}

/// Keeps its height whether something is there or not.
fn note_ui(ui: &mut Ui, exists: bool, kind: ExportKind) {
    let tokens = Tokens::of(ui);
    ui.horizontal(|ui| {
        ui.set_height(20.0);
        if exists {
            let words = match kind {
                ExportKind::Merged => "This folder exists. Choose another one, or a folder that isn't there yet",
                ExportKind::Wkw | ExportKind::Zarr3 | ExportKind::Zarr3Spec => "This file exists and will be replaced",
            };
            ui.label(severity_icon(Severity::Warning).rich(Icon::SIZE_IN_TEXT).color(tokens.warn));
            ui.label(text::control(words).color(tokens.t1));
        }
    });
}

fn replace_ui(ui: &Ui, ctx: &AppContext<'_>, path: &Path, is_new: bool) -> bool {
    let mut cancels = false;
    // Nobody is to lose what others did by a key pressed too fast.
    let takes_away = ctx.state.annotation.as_ref().is_some_and(|open| open.changed_on_disk);
    let sentence = if takes_away {
        "This file was changed or removed by others since it was read. Replacing it loses their changes: only what is open here is written."
    } else {
        "The annotation came from this file. It is replaced in one step once all is written, and you won't be asked again."
    };
    let closes = dialog_ui(ui, "Replace the file?", vec2(WIDTH, 172.0), |ui| {
        sentence_ui(ui, sentence);
        ui.add(PathText::new(&path.display().to_string()).fill());
        buttons_ui(ui, |ui| {
            if takes_away && focused(ui.add(TextButton::main(ELSEWHERE)), is_new).clicked() {
                ctx.send(UiCommand::ExportAnnotation);
            }
            let replace = if takes_away { TextButton::new("Replace") } else { TextButton::main("Replace") };
            if focused(ui.add(replace), is_new && !takes_away).clicked() {
                let kind = ctx.state.annotation.as_ref().map_or(ExportKind::default(), |open| open.export_kind);
                let work = AnnotationWork::Export { path: path.to_owned(), kind, then: None, drops_damaged: false };
                ctx.send(AppCommand::Confirmed(Box::new(Effect::Work(work))));
            }
            if !takes_away && ui.add(TextButton::new(ELSEWHERE)).clicked() {
                ctx.send(UiCommand::ExportAnnotation);
            }
            cancels = ui.add(TextButton::new("Cancel")).clicked();
        });
    });
    closes || cancels
}

fn damaged_ui(ui: &Ui, ctx: &AppContext<'_>, reason: &str, work: &AnnotationWork) -> bool {
    let mut cancels = false;
    let own_file = ctx.state.annotation.as_ref().and_then(|open| open.file.as_ref());
    let replaces = matches!(work, AnnotationWork::Export { path, .. } if Some(path) == own_file);
    let closes = dialog_ui(ui, "Not all can be read", vec2(WIDTH, 212.0), |ui| {
        let consequence = if replaces {
            "Nothing was written. The export can leave out what can't be read, but the file that it replaces loses it for good."
        } else {
            "Nothing was written. The export can leave out what can't be read, and list it. The file that is open stays as it is."
        };
        sentence_ui(ui, consequence);
        egui::ScrollArea::vertical().max_height(72.0).auto_shrink(false).show(ui, |ui| {
            ui.add(Label::new(text::mono(reason).color(Tokens::of(ui).t1)).wrap().selectable(true));
        });
        buttons_ui(ui, |ui| {
            if ui.add(TextButton::main("Leave it out")).clicked() {
                ctx.send(AnnotationCommand::Work(work.clone()));
            }
            if replaces && ui.add(TextButton::new(ELSEWHERE)).clicked() {
                ctx.send(UiCommand::ExportAnnotation);
            }
            cancels = ui.add(TextButton::new("Cancel")).clicked();
        });
    });
    closes || cancels
}

fn unsaved_ui(ui: &Ui, ctx: &AppContext<'_>, effect: &Effect, is_new: bool) -> bool {
    let mut cancels = false;
    let name = ctx.state.annotation.as_ref().map_or("the annotation", |open| open.name.as_str());
    let closes = dialog_ui(ui, "Unsaved edits", vec2(WIDTH, 148.0), |ui| {
        sentence_ui(ui, &format!("No file has the last edits of {name}. {} loses them.", what_loses(ctx, effect)));
        buttons_ui(ui, |ui| {
            let export = focused(ui.add(TextButton::main("Export…").icon(icons::EXPORT)), is_new);
            if export.on_hover_text("Goes on once it is exported").clicked() {
                ctx.send(AnnotationCommand::ExportThen(Box::new(effect.clone())));
            }
            if ui.add(TextButton::new("Discard edits")).clicked() {
                ctx.send(AppCommand::Confirmed(Box::new(Effect::Discard(Box::new(effect.clone())))));
            }
            cancels = ui.add(TextButton::new("Cancel")).clicked();
        });
    });
    closes || cancels
}

/// What was to be done, as the beginning of a sentence.
fn what_loses(ctx: &AppContext<'_>, effect: &Effect) -> &'static str {
    let is_file = |path: &PathBuf| ctx.state.annotation.as_ref().is_some_and(|open| open.file.as_ref() == Some(path));
    let is_open = |path: &PathBuf| ctx.state.dataset.as_ref().is_some_and(|open| open.dataset.path == *path);
    match effect {
        Effect::Open(path) if is_file(path) => "Reading it again",
        Effect::Open(path) if is_open(path) => "Reloading the dataset",
        Effect::Quit => "Quitting",
        Effect::Close => "Closing the dataset",
        Effect::CloseAnnotation => "Closing the annotation",
        Effect::NewAnnotation => "Starting another annotation",
        _ => "Opening something else",
    }
}

fn compare_ui(ui: &Ui, ctx: &AppContext<'_>, a: &Path, b: &Path, is_new: bool) -> bool {
    let mut typed = [a, b].map(|path| path.to_string_lossy().into_owned());
    let (mut starts, mut cancels) = (false, false);
    let closes = dialog_ui(ui, "Compare", vec2(WIDTH, 232.0), |ui| {
        sentence_ui(ui, "Two datasets or annotations of any format: what differs is listed, and shown as a layer over the first.");
        let fields = [("First", PathField::CompareA), ("Second", PathField::CompareB)];
        // What is open stands in the first field already.
        let first_empty = typed.iter().position(String::is_empty).unwrap_or(0);
        for (index, ((name, field), typed)) in fields.into_iter().zip(&mut typed).enumerate() {
            label_ui(ui, name);
            starts |= path_ui(ui, ctx, name, field, typed, is_new && index == first_empty);
        }
        buttons_ui(ui, |ui| {
            let can_start = typed.iter().all(|typed| typed_path(typed).is_some());
            starts = (ui.add_enabled(can_start, TextButton::main("Compare")).clicked() || starts) && can_start;
            cancels = ui.add(TextButton::new("Cancel")).clicked();
        });
    });
    let paths = typed.each_ref().map(|typed| typed_path(typed));
    if let ([Some(a), Some(b)], true) = (paths, starts) {
        ctx.send(AnnotationCommand::Compare { a, b });
    } else if Path::new(&typed[0]) != a || Path::new(&typed[1]) != b {
        let [a, b] = typed.map(PathBuf::from);
        ctx.send(AppCommand::SetDialog(Some(Dialog::Compare { a, b })));
    }
    closes || cancels
}

fn recover_ui(ui: &Ui, ctx: &AppContext<'_>, left: &[LeftEdits]) -> bool {
    let mut later = false;
    let height = 120.0 + left.len().clamp(1, 8) as f32 * LEFT_HEIGHT;
    let closes = dialog_ui(ui, "Edits were left", vec2(WIDTH, height), |ui| {
        sentence_ui(ui, "Chunkscope ended while these annotations had edits that no file has.");
        for (number, edits) in left.iter().enumerate() {
            ui.push_id(number, |ui| {
                ui.horizontal(|ui| {
                    ui.set_height(LEFT_HEIGHT - metrics::GAP);
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        if ui.add(TextButton::new("Recover")).clicked() {
                            ctx.send(AppCommand::Confirmed(Box::new(Effect::Recover(number))));
                        }
                        if ui.add(TextButton::new("Throw away")).clicked() {
                            ctx.send(AppCommand::Confirmed(Box::new(Effect::ForgetLeft(number))));
                        }
                        ui.vertical(|ui| {
                            ui.spacing_mut().item_spacing.y = 0.0;
                            ui.add(Label::new(text::control(&edits.what).color(Tokens::of(ui).t1)).truncate());
                            if let Some(path) = &edits.path {
                                ui.add(PathText::new(&path.display().to_string()).quiet());
                            }
                        });
                    });
                });
            });
        }
        buttons_ui(ui, |ui| later = ui.add(TextButton::new("Later")).on_hover_text("They are kept until you decide").clicked());
    });
    closes || later
}

fn label_ui(ui: &mut Ui, label: &str) {
    ui.label(text::control(label).color(Tokens::of(ui).t2));
}

fn sentence_ui(ui: &mut Ui, sentence: &str) {
    ui.add(Label::new(text::control(sentence).color(Tokens::of(ui).t1)).wrap());
    ui.add_space(metrics::TIGHT_GAP);
}

/// A field for a path with a dialog beside it; answers whether Enter was pressed in it.
fn path_ui(ui: &mut Ui, ctx: &AppContext<'_>, name: &str, field: PathField, typed: &mut String, is_new: bool) -> bool {
    let row = ui.horizontal(|ui| {
        let width = ui.available_width() - BROWSE_WIDTH - metrics::GAP;
        let response = focused(ui.add(TextField::new(name, typed).hint("Path").width(width)), is_new);
        let browse = ui.push_id(name, |ui| ui.add(TextButton::new("Browse…"))).inner;
        if browse.clicked() {
            ctx.send(AppCommand::Browse { field, path: typed_path(typed).unwrap_or_default() });
        }
        response
    });
    row.inner.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// Gives a widget the keyboard when its dialog opens.
fn focused(response: Response, is_new: bool) -> Response {
    if is_new {
        response.request_focus();
    }
    response
}

/// Buttons from the right to the left, the main one first.
fn buttons_ui(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    ui.add_space(metrics::GAP);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = metrics::GAP;
        contents(ui);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_format() {
        let to = |path: &str, kind| fitting_path(Path::new(path), kind).display().to_string();
        assert_eq!(to("/a/b.zip", ExportKind::Merged), "/a/b");
        assert_eq!(to("/a/b", ExportKind::Wkw), "/a/b.zip");
        assert_eq!(to("/a/v1.2", ExportKind::Zarr3), "/a/v1.2.zip", "a dot in a name is no ending");
        assert_eq!(to("/a/b.ZIP", ExportKind::Zarr3Spec), "/a/b.ZIP");
        assert_eq!(to("", ExportKind::Wkw), "");
    }
}
