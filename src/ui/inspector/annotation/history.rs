//! History: what was done, the last on top, with undo and redo.

use super::header_ui;
use super::row::{Lists, left_text, right_text};
use crate::annotation::{EditKind, HistoryLine};
use crate::state::{AppContext, OpenVolume, UiCommand};
use crate::text::count;
use crate::ui::annotation_look::id_text;
use crate::ui::shortcuts::is_available;
use crate::ui::theme::{Icon, Tokens, fonts, icons, metrics, text};
use crate::ui::top_bar::with_shortcut;
use crate::ui::widgets::TextButton;
use egui::{Align2, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Draws the section.
pub fn history_ui(ui: &mut Ui, ctx: &AppContext<'_>, volume: &OpenVolume, is_open: &mut bool, lists: &mut Lists) {
    header_ui(ui, "History", "", is_open, |ui| {
        ui.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
        for (command, icon) in [(UiCommand::Redo, icons::ARROW_U_UP_RIGHT), (UiCommand::Undo, icons::ARROW_U_UP_LEFT)] {
            let button = TextButton::new(command.text()).icon(icon);
            if ui.add_enabled(is_available(command, ctx), button).on_hover_text(with_shortcut(command)).clicked() {
                ctx.send(command);
            }
        }
    });
    if !*is_open {
        return;
    }
    if volume.history.is_empty() {
        super::padded_ui(ui, |ui| super::hint_ui(ui, "Nothing was changed yet"));
        return;
    }
    // The next one to be undone.
    let current = volume.history.iter().rposition(|line| !line.is_undone);
    lists.rows_ui(ui, "history", volume.history.len(), None, |ui, row| {
        let index = volume.history.len() - 1 - row; // rows are as many
        if let Some(line) = volume.history.get(index) {
            line_ui(ui, volume, line, current == Some(index));
        }
    });
}

fn line_ui(ui: &mut Ui, volume: &OpenVolume, line: &HistoryLine, is_current: bool) {
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::ROW_LIST), Sense::hover());
    let what = line_text(volume, line);
    let voxels = if line.voxels == 0 {
        String::new()
    } else {
        format!("{} {}", count(line.voxels), if line.voxels == 1 { "voxel" } else { "voxels" })
    };
    let undone = if line.is_undone { ", undone" } else { "" };
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{what} {voxels}{undone}")));
    if is_current {
        ui.painter().rect_filled(rect.expand2(vec2(metrics::PANEL_PADDING, 0.0)), 0, tokens.bg4);
    }
    let (color, quiet) = if line.is_undone { (tokens.t3, tokens.t3) } else { (tokens.t1, tokens.t2) };
    let icon_at = pos2(rect.left() + Icon::SIZE_IN_TEXT / 2.0, rect.center().y);
    ui.painter().text(icon_at, Align2::CENTER_CENTER, icon_of(line.kind).as_str(), fonts::icon(Icon::SIZE_IN_TEXT), quiet);
    let end = right_text(ui, rect, &voxels, quiet);
    left_text(ui, rect, rect.left() + 22.0, end - metrics::GAP, text::control(what).color(color));
}

/// `Brush, segment 2504707`, `Renamed segment 5`.
fn line_text(volume: &OpenVolume, line: &HistoryLine) -> String {
    let id = id_text(volume.class, line.segment);
    let of_segment = |name: &str| if line.segment == 0 { name.to_owned() } else { format!("{name}, segment {id}") };
    match line.kind {
        EditKind::Brush => of_segment("Brush"),
        EditKind::Erase => of_segment("Eraser"),
        EditKind::Lasso if line.segment == 0 => "Erasing trace".to_owned(),
        EditKind::Lasso => of_segment("Trace"),
        EditKind::Fill => of_segment("Fill"),
        EditKind::Interpolate => of_segment("Interpolation"),
        EditKind::Box => of_segment("Box"),
        EditKind::DeleteVoxels => format!("Deleted voxels of segment {id}"),
        EditKind::NewSegment => format!("New segment {id}"),
        EditKind::List => format!("Added segment {id} to the list"),
        EditKind::Unlist => format!("Removed segment {id} from the list"),
        EditKind::Rename => format!("Renamed segment {id}"),
        EditKind::Recolour => format!("Recoloured segment {id}"),
        EditKind::Show => format!("Showed segment {id}"),
        EditKind::Hide => format!("Hid segment {id}"),
        EditKind::ShowAll => "Showed all segments".to_owned(),
    }
}

const fn icon_of(kind: EditKind) -> Icon {
    match kind {
        EditKind::Brush => icons::PAINT_BRUSH,
        EditKind::Erase => icons::ERASER,
        EditKind::Lasso => icons::LASSO,
        EditKind::Fill => icons::PAINT_BUCKET,
        EditKind::Interpolate => icons::SQUARES_FOUR,
        EditKind::Box => icons::BOUNDING_BOX,
        EditKind::DeleteVoxels => icons::X,
        EditKind::NewSegment => icons::PLUS,
        EditKind::Show | EditKind::ShowAll => icons::EYE,
        EditKind::Hide => icons::EYE_SLASH,
        EditKind::List | EditKind::Unlist | EditKind::Rename | EditKind::Recolour => icons::CLIPBOARD_TEXT,
    }
}
