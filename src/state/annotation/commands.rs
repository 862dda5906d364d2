//! What annotation commands change, and what they ask of the editor.

use super::open::{OpenAnnotation, OpenVolume};
use super::request::{ActiveSegment, AnnotationWork, EditRequest, ExportKind, PaintPlace};
use super::tools::{PaintTools, Tool};
use crate::format::nml::SegmentId;
use crate::geometry::{SlicePlane, Vec3Int};
use crate::problem::Severity;
use crate::scene::{PickState, SegmentDisplay};
use crate::state::app_state::{AppState, Dialog, InspectorTab, OpenDataset};
use crate::state::command::UiCommand;
use crate::state::dispatch::{Effect, show_inspector};
use crate::state::slice_feed::SliceFeed;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What the pointer does with a tool in a pane. Points are mag-1, voxel `v` covers `[v, v + 1)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Pointer {
    /// A stroke begins.
    Begin([f64; 3]),
    /// It goes on through these points.
    Drag(Vec<[f64; 3]>),
    /// It ends.
    End,
    /// An outline was closed.
    Outline(Vec<[f64; 3]>),
    /// A click.
    Click(Vec3Int),
    /// A click that takes over the segment, with any tool.
    Pick(Vec3Int),
}

/// A change of how a segment is listed.
#[derive(Clone, Debug, PartialEq)]
pub enum SegmentChange {
    /// Another name; `None` for none.
    Name(Option<String>),
    /// Another colour; `None` for the one that follows from the id.
    Color(Option<[u8; 3]>),
    /// Shown or hidden.
    Visible(bool),
    /// Put into the list as it is.
    List,
    /// Taken from the list; its voxels stay.
    Unlist,
    /// The annotation's own voxels of it become background; it stays listed.
    Erase,
}

/// A change of the annotation, sent by panels and panes.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationCommand {
    /// Tool, brush and modes.
    SetTools(PaintTools),
    /// Make the brush larger or smaller by notches.
    ChangeBrush(i64),
    /// The pointer over a pane.
    Pointer {
        /// The pane.
        plane: SlicePlane,
        /// What it does.
        pointer: Pointer,
        /// Erases whatever the tool.
        erases: bool,
        /// Swaps overwriting all and empty only.
        inverts: bool,
    },
    /// Paint another volume.
    SelectVolume(usize),
    /// Paint another segment.
    SelectSegment(SegmentId),
    /// Change how a segment is listed.
    ChangeSegment {
        /// Its id.
        id: SegmentId,
        /// The change.
        change: SegmentChange,
    },
    /// Draw this segment alone, listed or not; only a way to look, which no file has.
    ShowOnlySegment(SegmentId),
    /// Draw all segments again, and list them all as shown.
    ShowAllSegments,
    /// Look at a tree.
    SelectTree(Option<usize>),
    /// Show or hide a tree.
    SwitchTree(usize),
    /// Export or check.
    Work(AnnotationWork),
    /// Ask where to export to; once that is done, go on with what would have lost edits.
    ExportThen(Box<Effect>),
    /// Give up what goes on.
    CancelWork,
    /// Show the annotation over this dataset.
    OpenDataset(PathBuf),
    /// Look for a dataset with a dialog.
    PickDataset,
    /// Compare two paths.
    Compare {
        /// The first, which is shown.
        a: PathBuf,
        /// The second.
        b: PathBuf,
    },
    /// Stop comparing, and forget what was found.
    StopComparing,
    /// The file that changed on disk is read again.
    ReadAgain,
    /// The file that changed on disk is left as it is.
    KeepEdits,
}

/// Carries out an action without data.
pub fn dispatch_annotation_ui(state: &mut AppState, feed: &SliceFeed, command: UiCommand) -> Vec<Effect> {
    if command.needs_annotation() && state.annotation.is_none() {
        return Vec::new();
    }
    let tool = |state: &mut AppState, tool| state.tools.tool = tool;
    match command {
        UiCommand::NewAnnotation => return vec![Effect::NewAnnotation],
        UiCommand::ImportAnnotation => return vec![Effect::PickAnnotation],
        UiCommand::CloseAnnotation => return vec![Effect::CloseAnnotation],
        UiCommand::SaveAnnotation => return save(state),
        UiCommand::ExportAnnotation => {
            state.panels.dialog = state.annotation.as_ref().map(|open| export_dialog(open, open.export_kind, None))
        }
        UiCommand::ExportMerged => {
            state.panels.dialog = state.annotation.as_ref().map(|open| export_dialog(open, ExportKind::Merged, None))
        }
        UiCommand::CheckRoundTrip => return work(state, AnnotationWork::RoundTrip),
        UiCommand::ToolMove => tool(state, Tool::Move),
        UiCommand::ToolBrush => tool(state, Tool::Brush),
        UiCommand::ToolEraser => tool(state, Tool::Eraser),
        UiCommand::ToolTrace => tool(state, Tool::Trace),
        UiCommand::ToolFill => tool(state, Tool::Fill),
        UiCommand::ToolPicker => tool(state, Tool::Picker),
        UiCommand::NextTool => state.tools.tool = state.tools.tool.shifted(1),
        UiCommand::PreviousTool => state.tools.tool = state.tools.tool.shifted(-1),
        UiCommand::LargerBrush => change_brush(state, 1),
        UiCommand::SmallerBrush => change_brush(state, -1),
        UiCommand::ToggleOverwrite => state.tools.empty_only ^= true,
        UiCommand::ToggleFillVolume => state.tools.fill_in_volume ^= true,
        UiCommand::NewSegment => {
            let anchor = state.dataset.as_ref().map(|open| open.view.voxel());
            let volume = selected_volume(state);
            return volume.zip(anchor).map(|(volume, anchor)| Effect::Edit(volume.new_segment(anchor))).into_iter().collect();
        }
        UiCommand::Interpolate => return interpolate(state, feed),
        UiCommand::Undo => return vec![Effect::Edit(EditRequest::Undo)],
        UiCommand::Redo => return vec![Effect::Edit(EditRequest::Redo)],
        UiCommand::ToggleSkeleton => {
            if let Some(open) = &mut state.annotation {
                open.shows_skeleton ^= true;
            }
        }
        UiCommand::ShowAnnotation => show_inspector(state, InspectorTab::Annotation),
        UiCommand::CompareWith => {
            let of_annotation = state.annotation.as_ref().and_then(|open| open.file.clone());
            let of_dataset = || state.dataset.as_ref().map(|open| open.dataset.path.clone());
            let a = of_annotation.or_else(of_dataset).unwrap_or_default();
            state.panels.dialog = Some(Dialog::Compare { a, b: PathBuf::new() });
        }
        _ => {}
    }
    Vec::new()
}

/// Carries out a change with data.
pub fn dispatch_annotation(state: &mut AppState, feed: &SliceFeed, command: AnnotationCommand) -> Vec<Effect> {
    match command {
        AnnotationCommand::SetTools(tools) => state.tools = tools,
        AnnotationCommand::ChangeBrush(notches) => change_brush(state, notches),
        AnnotationCommand::Pointer { plane, pointer, erases, inverts } => return point(state, feed, plane, pointer, erases, inverts),
        AnnotationCommand::SelectVolume(index) => {
            if let Some(open) = state.annotation.as_mut().filter(|open| index < open.volumes.len()) {
                open.selected = index;
            }
        }
        AnnotationCommand::SelectSegment(id) => {
            if let Some(volume) = selected_volume(state) {
                volume.activate(id);
            }
        }
        AnnotationCommand::ChangeSegment { id, change: SegmentChange::Visible(is_visible) }
            if display_of_volume(state).is_some_and(|segments| segments.show_among_only(id, is_visible)) => {}
        AnnotationCommand::ChangeSegment { id, change } => return vec![Effect::Edit(EditRequest::ChangeSegment { id, change })],
        AnnotationCommand::ShowOnlySegment(id) => {
            if let Some(segments) = display_of_volume(state) {
                segments.only = Some(Arc::new(HashSet::from([id])));
            }
        }
        AnnotationCommand::ShowAllSegments => {
            if let Some(segments) = display_of_volume(state) {
                segments.only = None;
            }
            return vec![Effect::Edit(EditRequest::ShowAll)];
        }
        AnnotationCommand::SelectTree(tree) => {
            if let Some(open) = &mut state.annotation {
                open.selected_tree = tree;
            }
        }
        AnnotationCommand::SwitchTree(tree) => {
            if let Some(open) = &mut state.annotation
                && !open.switched_trees.remove(&tree)
            {
                open.switched_trees.insert(tree);
            }
        }
        AnnotationCommand::Work(wanted) => return work(state, wanted),
        AnnotationCommand::ExportThen(then) => {
            state.panels.dialog = state.annotation.as_ref().map(|open| export_dialog(open, open.export_kind, Some(then)));
        }
        AnnotationCommand::CancelWork => return vec![Effect::CancelWork],
        AnnotationCommand::Compare { a, b } => {
            state.panels.dialog = None;
            return vec![Effect::Compare { a, b }];
        }
        AnnotationCommand::OpenDataset(path) => return vec![Effect::OpenDatasetOfAnnotation(path)],
        AnnotationCommand::StopComparing => return vec![Effect::StopComparing],
        AnnotationCommand::PickDataset => return vec![Effect::PickDatasetOfAnnotation],
        AnnotationCommand::ReadAgain => {
            return state.annotation.as_ref().and_then(|open| open.file.clone()).map(Effect::Open).into_iter().collect();
        }
        AnnotationCommand::KeepEdits => {
            if let Some(open) = &mut state.annotation {
                open.changed_on_disk = false;
            }
        }
    }
    Vec::new()
}

fn selected_volume(state: &mut AppState) -> Option<&mut OpenVolume> {
    let open = state.annotation.as_mut()?;
    open.volumes.get_mut(open.selected)
}

/// How the segments of the selected volume are drawn.
fn display_of_volume(state: &mut AppState) -> Option<&mut SegmentDisplay> {
    let layer = state.annotation.as_ref().and_then(OpenAnnotation::volume)?.layer;
    let layer = state.dataset.as_mut()?.layers.get_mut(layer)?;
    Some(Arc::make_mut(&mut layer.display.segments))
}

fn change_brush(state: &mut AppState, notches: i64) {
    if let Some(volume) = state.annotation.as_ref().and_then(OpenAnnotation::volume) {
        state.tools.change_brush(notches, volume.max_brush());
    }
}

/// Starts work on the annotation, unless other work goes on.
fn work(state: &mut AppState, wanted: AnnotationWork) -> Vec<Effect> {
    state.panels.dialog = None;
    let Some(open) = &state.annotation else { return Vec::new() };
    if open.work.is_some() {
        say(state, "The annotation is still being exported or checked");
        return Vec::new();
    }
    vec![Effect::Work(wanted)]
}

fn say(state: &mut AppState, text: &str) {
    state.notifications.push(Severity::Warning, text, Instant::now());
}

/// Exports to the file it came from; asks where to if there is none, and once whether it may be replaced.
fn save(state: &mut AppState) -> Vec<Effect> {
    let Some(open) = &state.annotation else { return Vec::new() };
    match &open.file {
        // What couldn't be read would be gone with the file.
        Some(_) if open.is_damaged => {
            state.panels.dialog = Some(export_dialog(open, open.export_kind, None));
            say(state, "Not all of the file could be read: export to another one");
            Vec::new()
        }
        Some(path) if open.may_replace_file && !open.changed_on_disk => {
            let work_wanted = AnnotationWork::Export { path: path.clone(), kind: open.export_kind, then: None, drops_damaged: false };
            work(state, work_wanted)
        }
        Some(path) => {
            state.panels.dialog = Some(Dialog::ReplaceFile(path.clone()));
            Vec::new()
        }
        None => {
            state.panels.dialog = Some(export_dialog(open, open.export_kind, None));
            Vec::new()
        }
    }
}

/// A dialog for where to export to, with a suggestion: the file of the last export, but none that would take something
/// away unless another one is chosen.
fn export_dialog(open: &OpenAnnotation, kind: ExportKind, then: Option<Box<Effect>>) -> Dialog {
    let folder = open.file.as_deref().and_then(Path::parent);
    let folder = folder.map_or_else(|| std::env::current_dir().unwrap_or_default(), Path::to_owned);
    let path = match (&open.file, kind) {
        (_, ExportKind::Merged) => folder.join(format!("{}_merged", open.name)),
        (Some(file), _) if open.is_damaged || open.changed_on_disk => {
            let stem = file.file_stem().map_or_else(|| open.name.clone().into(), std::ffi::OsStr::to_string_lossy);
            folder.join(format!("{stem}_edited.zip"))
        }
        (Some(file), _) if open.may_replace_file => file.clone(),
        _ => folder.join(format!("{}.zip", open.name)),
    };
    Dialog::Export { path, kind, then }
}

/// The volume with what is painted in it at present.
fn place(state: &AppState, feed: &SliceFeed, plane: SlicePlane, erases: bool, inverts: bool) -> Option<PaintPlace> {
    let (open, volume) = (state.dataset.as_ref()?, state.annotation.as_ref()?.volume()?);
    let level = feed.shown_level(volume.layer)?;
    let layer = open.layers.get(volume.layer)?;
    Some(PaintPlace {
        plane,
        mag: level.mag,
        axes: open.positions.of_layer(layer.layer()).into(),
        active: volume.active_segment(),
        erases,
        empty_only: state.tools.empty_only ^ inverts,
    })
}

fn point(state: &mut AppState, feed: &SliceFeed, plane: SlicePlane, pointer: Pointer, erases: bool, inverts: bool) -> Vec<Effect> {
    let tool = state.tools.tool;
    if let Pointer::Pick(voxel) = pointer {
        pick(state, feed, voxel);
        return Vec::new();
    }
    if let Pointer::Click(voxel) = pointer
        && tool == Tool::Picker
    {
        pick(state, feed, voxel);
        return Vec::new();
    }
    if let Pointer::Drag(points) = pointer {
        return vec![Effect::Edit(EditRequest::ExtendStroke(points))];
    }
    if pointer == Pointer::End {
        return vec![Effect::Edit(EditRequest::EndStroke)];
    }
    let erases = erases || tool == Tool::Eraser;
    let Some(volume) = state.annotation.as_ref().and_then(OpenAnnotation::volume) else { return Vec::new() };
    if !erases && volume.active_segment() == ActiveSegment::Known(0) {
        say(state, "No segment is active: take one from the list, pick one, or make a new one (C)");
        return Vec::new();
    }
    if volume.is_hidden(state.dataset.as_ref()) {
        say(state, "The volume layer is hidden: show it to paint");
        return Vec::new();
    }
    let diameter = volume.brush_size(&state.tools);
    if let (false, ActiveSegment::Known(id)) = (erases, volume.active_segment()) {
        // What is painted is seen.
        display_of_volume(state).map(|segments| segments.show_among_only(id, true));
    }
    let Some(place) = place(state, feed, plane, erases, inverts) else { return Vec::new() };
    let request = match pointer {
        Pointer::Begin(at) => EditRequest::BeginStroke { place, diameter, at },
        Pointer::Outline(outline) => EditRequest::Trace { place, outline },
        Pointer::Click(seed) => EditRequest::Fill { place, seed, in_volume: state.tools.fill_in_volume },
        Pointer::Drag(_) | Pointer::End | Pointer::Pick(_) => return Vec::new(), // dealt with above
    };
    vec![Effect::Edit(request)]
}

/// Takes over the segment that the selected volume shows at a voxel.
fn pick(state: &mut AppState, feed: &SliceFeed, voxel: Vec3Int) {
    let Some(layer) = state.annotation.as_ref().and_then(OpenAnnotation::volume).map(|volume| volume.layer) else { return };
    let picked = state.dataset.as_ref().and_then(|open| feed.pick(open, layer, voxel));
    match picked.map(|picked| picked.state) {
        Some(PickState::Value(value)) if value.id.is_some_and(|id| id != 0) => {
            if let (Some(volume), Some(id)) = (selected_volume(state), value.id) {
                volume.activate(id);
            }
        }
        Some(PickState::Pending) => say(state, "This chunk is still being loaded"),
        Some(_) | None => say(state, "There is no segment here"),
    }
}

fn interpolate(state: &mut AppState, feed: &SliceFeed) -> Vec<Effect> {
    let plane = state.panels.active_pane;
    let Some(at) = state.dataset.as_ref().map(|open| open.view.voxel()) else { return Vec::new() };
    if state.annotation.as_ref().and_then(OpenAnnotation::volume).is_some_and(|volume| volume.active_segment() == ActiveSegment::Known(0)) {
        say(state, "No segment is active: interpolation needs one");
        return Vec::new();
    }
    let place = place(state, feed, plane, false, false);
    place.map(|place| Effect::Edit(EditRequest::Interpolate { place, at })).into_iter().collect()
}

impl OpenVolume {
    fn is_hidden(&self, dataset: Option<&OpenDataset>) -> bool {
        dataset.and_then(|open| open.layers.get(self.layer)).is_none_or(|layer| !layer.display.visible)
    }
}
