//! [`dispatch`]: what each command changes, and what is left for the program to do.

use super::annotation::{AnnotationWork, EditRequest, dispatch_annotation, dispatch_annotation_ui};
use super::app_state::{AppState, BottomTab, InspectorTab, OpenDataset, PathField};
use super::command::{AppCommand, Command, UiCommand};
use super::first_view::fit_zoom;
use super::settings::{TextScale, ThemeChoice};
use super::slice_feed::SliceFeed;
use crate::format::{LayerCategory, MagLevel};
use crate::geometry::{MagLabel, SlicePlane, Vec3Int};
use crate::scene::{Histogram, PickState, ValueWindow, ViewState};
use std::path::PathBuf;

/// Work that a command asks of the program: files, tasks, the clipboard.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Open this path in a task.
    Open(PathBuf),
    /// Open the demo, making it if needed.
    OpenDemo,
    /// Forget the result of the running opening.
    CancelOpening,
    /// Close the dataset.
    Close,
    /// Show a dialog for a folder.
    PickFolder,
    /// Show a dialog for a file.
    PickFile,
    /// Put text on the clipboard.
    Copy(String),
    /// Go to the nearest stored shard.
    JumpToData,
    /// Read failed chunks again.
    RetryFailed,
    /// Apply theme, text size and budgets.
    SettingsChanged,
    /// Start a volume annotation on the open dataset.
    NewAnnotation,
    /// Go on with the dataset alone.
    CloseAnnotation,
    /// Show a dialog for an annotation.
    PickAnnotation,
    /// Show a dialog for the dataset that the annotation belongs to.
    PickDatasetOfAnnotation,
    /// Show the annotation over this dataset.
    OpenDatasetOfAnnotation(PathBuf),
    /// Ask the editor of the painted volume for something.
    Edit(EditRequest),
    /// Export or check the annotation in a task.
    Work(AnnotationWork),
    /// Give that up.
    CancelWork,
    /// Show a dialog for a path that a question asks for; see [`Dialog::set_path`](super::app_state::Dialog::set_path).
    Browse {
        /// Which path.
        field: PathField,
        /// What stands there.
        path: PathBuf,
    },
    /// Find out whether something is at this path; see [`Panels::looked_at`](super::app_state::Panels::looked_at).
    LookAt(PathBuf),
    /// Do this although edits are lost.
    Discard(Box<Effect>),
    /// Open an annotation with edits that an ended program left: by number.
    Recover(usize),
    /// Throw such edits away: by number.
    ForgetLeft(usize),
    /// Compare two paths in a task.
    Compare {
        /// The first.
        a: PathBuf,
        /// The second.
        b: PathBuf,
    },
    /// Stop comparing, and forget what was found.
    StopComparing,
    /// End the program.
    Quit,
}

/// Physical pixels that an arrow key moves the picture.
const PAN_STEP_PX: f64 = 40.0;

/// Carries a command out. `feed` is only read; `panes_px` are the panes' sizes in physical pixels.
pub fn dispatch(state: &mut AppState, feed: &SliceFeed, panes_px: &[[u32; 2]; 3], command: Command) -> Vec<Effect> {
    match command {
        Command::Ui(command) => dispatch_ui(state, feed, panes_px, command),
        Command::App(command) => dispatch_app(state, feed, command),
    }
}

fn dispatch_ui(state: &mut AppState, feed: &SliceFeed, panes_px: &[[u32; 2]; 3], command: UiCommand) -> Vec<Effect> {
    if command.needs_dataset() && state.dataset.is_none() {
        return Vec::new();
    }
    let plane = state.panels.active_pane;
    match command {
        UiCommand::OpenFolder => return vec![Effect::PickFolder],
        UiCommand::OpenFile => return vec![Effect::PickFile],
        UiCommand::OpenDemo => return vec![Effect::OpenDemo],
        UiCommand::Reload => {
            let file = state.annotation.as_ref().and_then(|open| open.file.clone());
            return file.or(state.dataset.as_ref().map(|open| open.dataset.path.clone())).map(Effect::Open).into_iter().collect();
        }
        UiCommand::CloseDataset => return vec![Effect::Close],
        UiCommand::Quit => return vec![Effect::Quit],
        UiCommand::NextSlice => step(state, feed, plane, 1),
        UiCommand::PreviousSlice => step(state, feed, plane, -1),
        UiCommand::NextFiveSlices => step(state, feed, plane, 5),
        UiCommand::PreviousFiveSlices => step(state, feed, plane, -5),
        UiCommand::PanLeft => pan(state, plane, PAN_STEP_PX, 0.0),
        UiCommand::PanRight => pan(state, plane, -PAN_STEP_PX, 0.0),
        UiCommand::PanUp => pan(state, plane, 0.0, PAN_STEP_PX),
        UiCommand::PanDown => pan(state, plane, 0.0, -PAN_STEP_PX),
        UiCommand::ZoomIn => with_view(state, |view, open| view.zoom_at(plane, [0.0; 2], ViewState::ZOOM_STEP, &open.dataset.voxel_size)),
        UiCommand::ZoomOut => {
            with_view(state, |view, open| view.zoom_at(plane, [0.0; 2], 1.0 / ViewState::ZOOM_STEP, &open.dataset.voxel_size))
        }
        UiCommand::ZoomToVoxels => with_view(state, |view, _| view.set_zoom(1.0)),
        UiCommand::ZoomToFit => zoom_to_fit(state, panes_px),
        UiCommand::GoToCenter => {
            let center = state.dataset.as_ref().and_then(OpenDataset::selected).map(|layer| layer.layer().bounding_box.center());
            if let Some(center) = center {
                with_view(state, |view, _| view.set_voxel(center));
            }
        }
        UiCommand::JumpToData => return vec![Effect::JumpToData],
        UiCommand::EditPosition => state.panels.focus_position = true,
        UiCommand::MaximizePane => state.panels.maximized = if state.panels.maximized.is_some() { None } else { Some(plane) },
        UiCommand::ToggleCrosshair => state.settings.overlays.crosshair ^= true,
        UiCommand::ToggleScaleBar => state.settings.overlays.scale_bar ^= true,
        UiCommand::ToggleBoundingBoxes => state.settings.overlays.bounding_boxes ^= true,
        UiCommand::ToggleChunkGrid => state.settings.overlays.chunk_grid ^= true,
        UiCommand::ToggleShardGrid => state.settings.overlays.shard_grid ^= true,
        UiCommand::ToggleMissingPattern => state.settings.overlays.missing_pattern ^= true,
        UiCommand::AutomaticMag => set_mag(state, None),
        UiCommand::FinerMag => shift_mag(state, feed, -1),
        UiCommand::CoarserMag => shift_mag(state, feed, 1),
        UiCommand::NextOnAxis => shift_axis(state, 1),
        UiCommand::PreviousOnAxis => shift_axis(state, -1),
        UiCommand::NextLayer => shift_layer(state, 1),
        UiCommand::PreviousLayer => shift_layer(state, -1),
        UiCommand::ToggleLayer => with_selected(state, |layer| layer.display.visible ^= true),
        UiCommand::ShowOnlyLayer => {
            if let Some(open) = &mut state.dataset {
                for (index, layer) in open.layers.iter_mut().enumerate() {
                    layer.display.visible = index == open.selected;
                }
            }
        }
        UiCommand::ToggleSegmentation => toggle_segmentation(state),
        UiCommand::AutoWindow => auto_window(state, feed),
        UiCommand::FullRangeWindow => with_selected(state, |layer| {
            if let Some(voxel_type) = layer.layer().voxel_type {
                layer.set_window(layer.selected_channel, ValueWindow::full(voxel_type.class));
            }
        }),
        UiCommand::InvertLayer => with_selected(state, |layer| layer.display.inverted ^= true),
        UiCommand::CopyPosition => return state.dataset.iter().map(|open| Effect::Copy(open.view.voxel().to_string())).collect(),
        UiCommand::CopySegmentId => return copy_segment_id(state, feed),
        UiCommand::CopyReadCommand => return read_command(state, feed).map(Effect::Copy).into_iter().collect(),
        UiCommand::ShowHeader => show_inspector(state, InspectorTab::Header),
        UiCommand::ShowLayout => show_inspector(state, InspectorTab::Layout),
        UiCommand::ShowProbe => show_inspector(state, InspectorTab::Probe),
        UiCommand::ShowProblems => show_inspector(state, InspectorTab::Problems),
        UiCommand::ShowThroughput => show_bottom(state, BottomTab::Throughput),
        UiCommand::ShowLog => show_bottom(state, BottomTab::Log),
        UiCommand::ToggleLeftPanel => state.settings.left_panel ^= true,
        UiCommand::ToggleInspector => state.settings.inspector ^= true,
        UiCommand::ToggleBottomPanel => state.settings.bottom_panel = Some(!state.settings.bottom_panel.unwrap_or(true)),
        UiCommand::RetryFailed => return vec![Effect::RetryFailed],
        UiCommand::ToggleTheme => {
            state.settings.theme = match state.settings.theme {
                ThemeChoice::Dark => ThemeChoice::Light,
                ThemeChoice::Light => ThemeChoice::Dark,
            };
            return vec![Effect::SettingsChanged];
        }
        UiCommand::LargerText => {
            state.settings.text = match state.settings.text {
                TextScale::Small => TextScale::Normal,
                TextScale::Normal => TextScale::Large,
                TextScale::Large | TextScale::Larger => TextScale::Larger,
            };
            return vec![Effect::SettingsChanged];
        }
        UiCommand::SmallerText => {
            state.settings.text = match state.settings.text {
                TextScale::Small | TextScale::Normal => TextScale::Small,
                TextScale::Large => TextScale::Normal,
                TextScale::Larger => TextScale::Large,
            };
            return vec![Effect::SettingsChanged];
        }
        UiCommand::CommandPalette => state.panels.palette ^= true,
        UiCommand::ShowShortcuts => state.panels.shortcuts ^= true,
        UiCommand::ShowAbout => state.panels.about ^= true,
        UiCommand::NewAnnotation
        | UiCommand::ImportAnnotation
        | UiCommand::SaveAnnotation
        | UiCommand::ExportAnnotation
        | UiCommand::ExportMerged
        | UiCommand::CheckRoundTrip
        | UiCommand::CloseAnnotation
        | UiCommand::ToolMove
        | UiCommand::ToolBrush
        | UiCommand::ToolEraser
        | UiCommand::ToolTrace
        | UiCommand::ToolFill
        | UiCommand::ToolPicker
        | UiCommand::NextTool
        | UiCommand::PreviousTool
        | UiCommand::NewSegment
        | UiCommand::Interpolate
        | UiCommand::LargerBrush
        | UiCommand::SmallerBrush
        | UiCommand::ToggleOverwrite
        | UiCommand::ToggleFillVolume
        | UiCommand::Undo
        | UiCommand::Redo
        | UiCommand::ToggleSkeleton
        | UiCommand::ShowAnnotation
        | UiCommand::CompareWith => return dispatch_annotation_ui(state, feed, command),
    }
    Vec::new()
}

fn dispatch_app(state: &mut AppState, feed: &SliceFeed, command: AppCommand) -> Vec<Effect> {
    match command {
        AppCommand::Open(path) => return vec![Effect::Open(path)],
        AppCommand::CancelOpening => return vec![Effect::CancelOpening],
        AppCommand::CancelChoice => state.choosing = None,
        AppCommand::RemoveRecent(path) => state.settings.recents.retain(|recent| recent.path != path),
        AppCommand::ClearRecents => state.settings.recents.clear(),
        AppCommand::ActivatePane(plane) => state.panels.active_pane = plane,
        AppCommand::Maximize(plane) => state.panels.maximized = plane,
        AppCommand::SetPosition(voxel) => with_view(state, |view, _| view.set_voxel(voxel)),
        AppCommand::SetZoom(zoom) => with_view(state, |view, _| view.set_zoom(zoom)),
        AppCommand::Step { plane, steps } => step(state, feed, plane, steps),
        AppCommand::Pan { plane, right_px, down_px } => pan(state, plane, right_px, down_px),
        AppCommand::ZoomAt { plane, from_center_px, factor } => {
            with_view(state, |view, open| view.zoom_at(plane, from_center_px, factor, &open.dataset.voxel_size));
        }
        AppCommand::Hover(hover) => state.probe.hover = hover,
        AppCommand::Pin(voxel) => state.probe.pinned = voxel,
        AppCommand::SelectLayer(index) => {
            if let Some(open) = state.dataset.as_mut().filter(|open| index < open.layers.len()) {
                open.selected = index;
            }
        }
        AppCommand::SetDisplay { layer, display } => {
            if let Some(layer) = state.dataset.as_mut().and_then(|open| open.layers.get_mut(layer)) {
                layer.set_display(display);
            }
        }
        AppCommand::SelectChannel { layer, channel } => {
            let layer = state.dataset.as_mut().and_then(|open| open.layers.get_mut(layer));
            if let Some(layer) = layer.filter(|layer| channel < layer.display.channels.len()) {
                layer.selected_channel = channel;
            }
        }
        AppCommand::SetMag(mag) => set_mag(state, mag),
        AppCommand::SetAxis { axis, position } => {
            if let Some(open) = &mut state.dataset {
                open.set_axis(&axis, position);
            }
        }
        AppCommand::ShowInspector(tab) => show_inspector(state, tab),
        AppCommand::ShowBottom(tab) => show_bottom(state, tab),
        AppCommand::SelectShard(shard) => {
            let has_failed = matches!(state.layout.chunks, Some(Err(_)));
            if state.layout.selected_shard != shard || has_failed {
                state.layout.asked_shard = None; // asked again if it failed
                state.layout.selected_shard = shard;
                state.layout.chunks = None;
                state.layout.selected_chunk = None;
            }
        }
        AppCommand::SelectChunk(chunk) => state.layout.selected_chunk = chunk,
        AppCommand::GoToChunk(chunk) => {
            let center = state.dataset.as_ref().and_then(|open| {
                let level = feed.shown_level(open.selected)?;
                let in_mag1 = level.mag.box_in_mag1(&level.source.grid().chunk_box(chunk));
                let layer = open.selected()?.layer();
                let inside = in_mag1.intersect(&layer.bounding_box);
                Some(if inside.is_empty() { in_mag1.center() } else { inside.center() })
            });
            if let Some(center) = center {
                with_view(state, |view, _| view.set_voxel(center));
            }
        }
        AppCommand::Retry => return vec![Effect::RetryFailed],
        AppCommand::Copy(text) => return vec![Effect::Copy(text)],
        AppCommand::SetSettings(settings) => {
            state.settings = *settings;
            return vec![Effect::SettingsChanged];
        }
        AppCommand::Dismiss(id) => state.notifications.dismiss(id),
        AppCommand::Annotation(command) => return dispatch_annotation(state, feed, command),
        AppCommand::SetDialog(dialog) => state.panels.dialog = dialog,
        AppCommand::Browse { field, path } => return vec![Effect::Browse { field, path }],
        AppCommand::LookAt(path) => return vec![Effect::LookAt(path)],
        AppCommand::Confirmed(effect) => {
            state.panels.dialog = None;
            return vec![*effect];
        }
    }
    Vec::new()
}

/// Changes the view and keeps its centre inside the data's box.
fn with_view(state: &mut AppState, change: impl FnOnce(&mut ViewState, &OpenDataset)) {
    let Some(open) = &mut state.dataset else { return };
    let mut view = open.view;
    change(&mut view, open);
    view.clamp(&open.bounds());
    open.view = view;
}

fn with_selected(state: &mut AppState, change: impl FnOnce(&mut super::app_state::OpenLayer)) {
    if let Some(open) = &mut state.dataset
        && let Some(layer) = open.layers.get_mut(open.selected)
    {
        change(layer);
    }
}

fn step(state: &mut AppState, feed: &SliceFeed, plane: SlicePlane, steps: i64) {
    let thickness = state.dataset.as_ref().map_or(0, |open| open.bounds().shape.along(plane.normal_axis()));
    if thickness <= 1 {
        return; // there is no other slice
    }
    // One slice of what is on screen: the finest mag among the visible layers.
    let factor = state.dataset.as_ref().map_or(1, |open| {
        let visible = (0..open.layers.len()).filter(|i| open.layers[*i].display.visible);
        visible.filter_map(|i| feed.shown_mag(i)).map(|mag| mag.factors()[plane.normal_axis()]).min().unwrap_or(1)
    });
    with_view(state, |view, _| view.step(plane, steps, factor));
}

fn pan(state: &mut AppState, plane: SlicePlane, right_px: f64, down_px: f64) {
    with_view(state, |view, open| view.pan(plane, right_px, down_px, &open.dataset.voxel_size));
}

fn zoom_to_fit(state: &mut AppState, panes_px: &[[u32; 2]; 3]) {
    let Some(open) = &state.dataset else { return };
    let Some(bounds) = open.selected().map(|layer| layer.layer().bounding_box).filter(|bounds| !bounds.is_empty()) else { return };
    let zooms = SlicePlane::ALL
        .into_iter()
        .zip(panes_px)
        .filter(|(_, px)| px.iter().all(|side| *side > 0))
        .map(|(plane, px)| fit_zoom(&bounds, &open.dataset.voxel_size, px.map(f64::from), [plane.right_axis(), plane.down_axis()]));
    let zoom = zooms.fold(0.0, f64::max);
    with_view(state, |view, _| {
        if zoom > 0.0 {
            view.set_zoom(zoom);
        }
        view.set_voxel(bounds.center());
    });
}

fn set_mag(state: &mut AppState, mag: Option<MagLabel>) {
    if let Some(open) = &mut state.dataset {
        open.fixed_mag = mag;
    }
}

fn shift_mag(state: &mut AppState, feed: &SliceFeed, by: isize) {
    let Some(open) = &mut state.dataset else { return };
    let readable = |level: &&MagLevel| level.source.is_ok();
    let mags: Vec<MagLabel> =
        open.selected().map(|layer| layer.layer().levels.iter().filter(readable).map(MagLevel::label).collect()).unwrap_or_default();
    let shown = open.fixed_mag.or(feed.shown_label(open.selected));
    let at = shown.and_then(|shown| mags.iter().position(|mag| *mag == shown)).and_then(|at| at.checked_add_signed(by));
    if let Some(mag) = at.and_then(|at| mags.get(at)) {
        open.fixed_mag = Some(*mag);
    }
}

/// One position on along the first axis, or back.
fn shift_axis(state: &mut AppState, by: i64) {
    let Some(open) = &mut state.dataset else { return };
    if let Some(name) = open.axes.first().map(|axis| axis.name.clone()) {
        open.set_axis(&name, open.positions.get(&name).saturating_add_signed(by));
    }
}

fn shift_layer(state: &mut AppState, by: isize) {
    let Some(open) = &mut state.dataset else { return };
    if let Some(next) = open.selected.checked_add_signed(by).filter(|next| *next < open.layers.len()) {
        open.selected = next;
    }
}

fn toggle_segmentation(state: &mut AppState) {
    let Some(open) = &mut state.dataset else { return };
    let segmentations = || |layer: &&mut super::app_state::OpenLayer| layer.layer().category == LayerCategory::Segmentation;
    let any_visible = open.layers.iter().any(|layer| layer.layer().category == LayerCategory::Segmentation && layer.display.visible);
    if any_visible {
        open.layers.iter_mut().filter(segmentations()).for_each(|layer| layer.display.visible = false);
    } else if let Some(first) = open.layers.iter_mut().find(|layer| layer.layer().category == LayerCategory::Segmentation) {
        first.display.visible = true;
    }
}

fn auto_window(state: &mut AppState, feed: &SliceFeed) {
    let Some(open) = &mut state.dataset else { return };
    let selected = open.selected;
    if let Some(layer) = open.layers.get_mut(selected)
        && let Some(window) = feed.histogram(selected, layer.selected_channel).and_then(Histogram::auto_window)
    {
        layer.set_window(layer.selected_channel, window);
    }
}

fn copy_segment_id(state: &AppState, feed: &SliceFeed) -> Vec<Effect> {
    let (Some(open), Some(voxel)) = (&state.dataset, state.probe.voxel()) else { return Vec::new() };
    let segmentation = open.layers.iter().rposition(|layer| layer.display.visible && layer.layer().category == LayerCategory::Segmentation);
    let pick = segmentation.and_then(|layer| feed.pick(open, layer, voxel));
    match pick.map(|pick| pick.state) {
        Some(PickState::Value(value)) => vec![Effect::Copy(value.text)],
        Some(PickState::Pending | PickState::Missing(_) | PickState::Failed(_) | PickState::Outside) | None => Vec::new(),
    }
}

/// The command that prints the probed voxel of the selected layer.
pub fn read_command(state: &AppState, feed: &SliceFeed) -> Option<String> {
    let open = state.dataset.as_ref()?;
    let voxel = state.probe.voxel().unwrap_or(open.view.voxel());
    let layer = open.selected()?.layer();
    let mag = feed.shown_label(open.selected)?;
    let Vec3Int { x, y, z } = mag.mag.mag_from_mag1(voxel);
    let positions = layer.axes.iter().zip(open.positions.of_layer(layer)).filter(|(_, position)| *position > 0);
    let axes: String = positions.map(|(axis, position)| format!(" --axis {}", quoted(&format!("{}={position}", axis.name)))).collect();
    // A volume lies in the annotation's file, if there is one yet; the layers below it in the dataset.
    let volume = state.annotation.as_ref().and_then(|open_annotation| {
        let volume = open_annotation.volumes.iter().find(|volume| volume.layer == open.selected)?;
        Some((open_annotation.file.as_ref(), &volume.name))
    });
    let (path, name) = match (volume, &state.annotation) {
        (Some((file, name)), _) => (file?, name),
        (None, Some(annotation)) => (annotation.dataset_path.as_ref()?, &layer.name),
        (None, None) => (&open.dataset.path, &layer.name),
    };
    let (path, name) = (quoted(&path.display().to_string()), quoted(name));
    Some(format!("chunkscope read {path} --layer {name} --mag {mag}{axes} --offset {x},{y},{z} --shape 1,1,1"))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "/._-+:=".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

pub(super) fn show_inspector(state: &mut AppState, tab: InspectorTab) {
    state.settings.inspector = true;
    state.settings.inspector_tab = tab;
}

fn show_bottom(state: &mut AppState, tab: BottomTab) {
    state.settings.bottom_panel = Some(true);
    state.settings.bottom_tab = tab;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("/data/ctx_l23"), "/data/ctx_l23");
        assert_eq!(quoted("my data"), "'my data'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
