//! [`AppState`]: everything the program knows, as plain data.

use super::annotation::{ExportKind, OpenAnnotation, PaintTools};
use super::comparison::Comparison;
use super::dispatch::Effect;
use super::layout::LayoutState;
use super::log_lines::LogLines;
use super::notification::Notifications;
use super::settings::{Recent, RememberedChannel, RememberedLayer, Settings};
use crate::format::{Choice, ChunkError, ChunkLocation, Dataset, ExtraAxis, Layer};
use crate::geometry::{BoundingBox, ChunkIndex, MagLabel, ShardIndex, SlicePlane, Vec3Int};
use crate::loading::SourceId;
use crate::problem::Problems;
use crate::scene::{AxisPositions, ChannelDisplay, LayerDisplay, ValueWindow, ViewState};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Tabs of the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InspectorTab {
    /// Metadata fields.
    Header,
    /// Shards and chunks.
    Layout,
    /// The voxel under the pointer or pinned.
    #[default]
    Probe,
    /// Segments, trees, history.
    Annotation,
    /// What went wrong.
    Problems,
}

/// Tabs of the bottom panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BottomTab {
    /// Live graphs.
    #[default]
    Throughput,
    /// Log messages.
    Log,
    /// What differs between two datasets.
    Comparison,
}

/// Switches of what is drawn over the slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overlays {
    /// Lines through the centre.
    pub crosshair: bool,
    /// Length of a round number.
    pub scale_bar: bool,
    /// Outlines of layers.
    pub bounding_boxes: bool,
    /// Borders of chunks.
    pub chunk_grid: bool,
    /// Borders of shards.
    pub shard_grid: bool,
    /// Dots where nothing is stored.
    pub missing_pattern: bool,
}

impl Default for Overlays {
    fn default() -> Self {
        Self { crosshair: true, scale_bar: true, bounding_boxes: true, chunk_grid: false, shard_grid: false, missing_pattern: false }
    }
}

/// State of the window that isn't kept between runs.
#[derive(Clone, Debug)]
pub struct Panels {
    /// The pane that keys act on.
    pub active_pane: SlicePlane,
    /// Only this pane is shown.
    pub maximized: Option<SlicePlane>,
    /// The command palette is open.
    pub palette: bool,
    /// The list of shortcuts is open.
    pub shortcuts: bool,
    /// The about box is open.
    pub about: bool,
    /// The position field is to get the keyboard.
    pub focus_position: bool,
    /// A question that waits for an answer.
    pub dialog: Option<Dialog>,
    /// The last path that was looked at, and whether something is there already.
    pub looked_at: Option<(PathBuf, bool)>,
}

/// A question, or a form to be filled in.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// Where to, and as what, the annotation is exported.
    Export {
        /// What is suggested.
        path: PathBuf,
        /// What is suggested.
        kind: ExportKind,
        /// What was asked for before, and goes on once it is exported.
        then: Option<Box<Effect>>,
    },
    /// Whether what can't be read is left out of an export.
    ExportDamaged {
        /// Where it was to go.
        path: PathBuf,
        /// As what.
        kind: ExportKind,
        /// What was asked for before.
        then: Option<Box<Effect>>,
        /// What can't be read, and why.
        reason: String,
    },
    /// Whether the file that the annotation came from may be replaced.
    ReplaceFile(PathBuf),
    /// There are edits that no file has; what was to be done then.
    Unsaved(Box<Effect>),
    /// What is compared with what.
    Compare {
        /// One dataset or annotation.
        a: PathBuf,
        /// The other one.
        b: PathBuf,
    },
    /// Ended programs have left edits, newest first.
    Recover(Vec<LeftEdits>),
}

/// Edits that an ended program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftEdits {
    /// Which annotation, and when they were saved.
    pub what: String,
    /// Its file, or the dataset of one that was never exported.
    pub path: Option<PathBuf>,
}

/// A path that a dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathField {
    /// Where the annotation is exported to.
    ExportTo,
    /// The first of what is compared.
    CompareA,
    /// The second of what is compared.
    CompareB,
}

impl Dialog {
    /// Puts a path that was picked into its field; dialogs that don't ask for it stay as they are.
    pub fn set_path(&mut self, field: PathField, picked: PathBuf) {
        match (self, field) {
            (Self::Export { path, .. }, PathField::ExportTo)
            | (Self::Compare { a: path, .. }, PathField::CompareA)
            | (Self::Compare { b: path, .. }, PathField::CompareB) => *path = picked,
            (
                Self::Export { .. }
                | Self::ExportDamaged { .. }
                | Self::ReplaceFile(_)
                | Self::Unsaved(_)
                | Self::Compare { .. }
                | Self::Recover(_),
                _,
            ) => {}
        }
    }
}

/// A path that is being opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// What.
    pub path: PathBuf,
    /// Since when.
    pub since: Instant,
    /// What is being done, and how far it has got (0 to 1), where that is known.
    pub progress: Option<(String, f32)>,
    /// Number of the task, so that the result of a cancelled one is dropped.
    pub task: u64,
}

/// Several datasets at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choosing {
    /// The path.
    pub path: PathBuf,
    /// What they are: `3 series`.
    pub what: String,
    /// What can be opened instead.
    pub choices: Vec<Choice>,
}

/// The voxel that the probe shows.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Pane and mag-1 voxel under the pointer.
    pub hover: Option<(SlicePlane, Vec3Int)>,
    /// The pinned mag-1 voxel.
    pub pinned: Option<Vec3Int>,
    /// Where the probed voxel's chunk of the selected layer lies, as last found out.
    pub located: Option<Located>,
}

impl Probe {
    /// The voxel that is shown: the pinned one, else the one under the pointer.
    pub fn voxel(&self) -> Option<Vec3Int> {
        self.pinned.or(self.hover.map(|(_, voxel)| voxel))
    }
}

/// Where a chunk lies on disk.
#[derive(Clone, Debug)]
pub struct Located {
    /// The level.
    pub source: SourceId,
    /// The chunk.
    pub chunk: ChunkIndex,
    /// Its shard.
    pub shard: ShardIndex,
    /// The shard's file.
    pub file: String,
    /// Its bytes; `None` if it isn't stored.
    pub location: Result<Option<ChunkLocation>, Arc<ChunkError>>,
}

/// Everything the program knows.
#[derive(Debug)]
pub struct AppState {
    /// Preferences, kept between runs.
    pub settings: Settings,
    /// State of the window.
    pub panels: Panels,
    /// A path that is being opened.
    pub opening: Option<Opening>,
    /// Why the last path couldn't be opened: message, and something nearby that can.
    pub open_error: Option<(String, Option<PathBuf>)>,
    /// Of what one is to be opened, when the last path held several datasets.
    pub choosing: Option<Choosing>,
    /// What is open.
    pub dataset: Option<OpenDataset>,
    /// The annotation that is edited.
    pub annotation: Option<OpenAnnotation>,
    /// The tool in hand.
    pub tools: PaintTools,
    /// Two datasets that are compared.
    pub comparison: Option<Comparison>,
    /// The voxel under the pointer.
    pub probe: Probe,
    /// Shards and chunks of the selected level.
    pub layout: LayoutState,
    /// News.
    pub notifications: Notifications,
    /// Log messages.
    pub log: LogLines,
}

impl AppState {
    /// A program without a dataset.
    pub fn new(settings: Settings, log: LogLines) -> Self {
        let panels = Panels {
            active_pane: SlicePlane::Xy,
            maximized: None,
            palette: false,
            shortcuts: false,
            about: false,
            focus_position: false,
            dialog: None,
            looked_at: None,
        };
        Self {
            settings,
            panels,
            opening: None,
            open_error: None,
            choosing: None,
            dataset: None,
            annotation: None,
            tools: PaintTools::default(),
            comparison: None,
            probe: Probe::default(),
            layout: LayoutState::default(),
            notifications: Notifications::default(),
            log,
        }
    }

    /// Title of the window: `Chunkscope – DATASET – LAYER – x, y, z`, position in mag 1.
    pub fn window_title(&self) -> String {
        match &self.dataset {
            None => "Chunkscope".to_owned(),
            Some(open) => {
                let layer = open.selected().map_or("no layer", |layer| layer.layer().name.as_str());
                format!("Chunkscope – {} – {layer} – {}", open.dataset.name, open.view.voxel())
            }
        }
    }
}

/// An open dataset with how it is looked at.
#[derive(Debug)]
pub struct OpenDataset {
    /// What was opened.
    pub dataset: Arc<Dataset>,
    /// Its layers, in its order.
    pub layers: Vec<OpenLayer>,
    /// Index of the selected layer.
    pub selected: usize,
    /// Centre and zoom.
    pub view: ViewState,
    /// Shown whatever the zoom.
    pub fixed_mag: Option<MagLabel>,
    /// Axes beyond x, y, z and channel of all layers that have several positions, each once and as long as the longest.
    pub axes: Vec<ExtraAxis>,
    /// Positions along them.
    pub positions: AxisPositions,
    /// Findings, those of opening first.
    pub problems: Problems,
    /// Whether it is kept in mind with its place and picture. What a comparison shows is made for the moment.
    pub is_listed: bool,
}

/// A layer with its display settings.
#[derive(Debug)]
pub struct OpenLayer {
    dataset: Arc<Dataset>,
    index: usize,
    /// How it looks.
    pub display: LayerDisplay,
    /// Whether its window is to be taken from what is first on screen.
    pub wants_auto_window: bool,
    /// The same for each channel, where channels are mixed.
    pub channels_without_window: Vec<bool>,
    /// The channel whose histogram and window are shown, where channels are mixed.
    pub selected_channel: usize,
}

impl OpenLayer {
    /// The layer as opened.
    pub fn layer(&self) -> &Layer {
        &self.dataset.layers[self.index] // made from this dataset's own layers
    }

    /// Whether its channels are mixed by colour, each with settings of its own.
    pub fn is_mixed(&self) -> bool {
        !self.display.channels.is_empty()
    }

    /// Channels whose window is still to be found; 0 for a layer with one window.
    pub fn without_window(&self) -> impl Iterator<Item = usize> {
        let channels = self.channels_without_window.iter().enumerate().filter_map(|(channel, is_without)| is_without.then_some(channel));
        self.wants_auto_window.then_some(0).into_iter().chain(channels)
    }

    /// The window that histogram and keys work on: the layer's, or that of the selected channel.
    pub fn window(&self) -> ValueWindow {
        self.display.channels.get(self.selected_channel).map_or(self.display.window, |channel| channel.window)
    }

    /// Sets the window of the layer, or of one channel where channels are mixed.
    pub fn set_window(&mut self, channel: usize, window: ValueWindow) {
        if !self.is_mixed() {
            self.display.window = window;
            self.wants_auto_window = false;
        } else if let Some(settings) = Arc::make_mut(&mut self.display.channels).get_mut(channel) {
            settings.window = window;
            self.channels_without_window[channel] = false; // as long as the list of channels
        }
    }

    /// Changes how it looks. A window that somebody chose is not replaced by an automatic one.
    pub fn set_display(&mut self, display: LayerDisplay) {
        self.wants_auto_window &= self.display.window == display.window;
        let windows = self.display.channels.iter().zip(display.channels.iter());
        for (is_without, (old, new)) in self.channels_without_window.iter_mut().zip(windows) {
            *is_without &= old.window == new.window;
        }
        self.display = display;
    }

    fn remembered(&self) -> RememberedLayer {
        let window = (self.display.window.min(), self.display.window.max());
        RememberedLayer {
            name: self.layer().name.clone(),
            visible: self.display.visible,
            opacity: self.display.opacity,
            window: (!self.wants_auto_window).then_some(window),
            channels: self.display.channels.iter().zip(&self.channels_without_window).map(remembered_channel).collect(),
        }
    }

    fn recall_channels(&mut self, last: &[RememberedChannel]) {
        let channels = Arc::make_mut(&mut self.display.channels);
        for ((channel, is_without), last) in channels.iter_mut().zip(&mut self.channels_without_window).zip(last) {
            (channel.visible, channel.color, channel.inverted) = (last.visible, last.color, last.inverted);
            if let Some((min, max)) = last.window {
                channel.window = ValueWindow::new(min, max);
                *is_without = false;
            }
        }
    }
}

fn remembered_channel((channel, is_without): (&ChannelDisplay, &bool)) -> RememberedChannel {
    let ChannelDisplay { name: _, color, window, inverted, visible } = channel;
    let window = (!is_without).then_some((window.min(), window.max()));
    RememberedChannel { visible: *visible, color: *color, inverted: *inverted, window }
}

/// Axes of several positions, in the order of the layers.
fn all_axes(dataset: &Dataset) -> Vec<ExtraAxis> {
    let mut axes: Vec<ExtraAxis> = Vec::new();
    for axis in dataset.layers.iter().flat_map(|layer| &layer.axes).filter(|axis| axis.len > 1) {
        match axes.iter_mut().find(|known| known.name == axis.name) {
            Some(known) => known.len = known.len.max(axis.len),
            None => axes.push(axis.clone()),
        }
    }
    axes
}

impl OpenDataset {
    /// Gives every layer its first look.
    pub fn new(dataset: Arc<Dataset>, view: ViewState) -> Self {
        let layers = dataset
            .layers
            .iter()
            .enumerate()
            .map(|(index, layer)| OpenLayer {
                dataset: dataset.clone(),
                index,
                display: LayerDisplay::for_layer(layer),
                wants_auto_window: LayerDisplay::wants_auto_window(layer),
                channels_without_window: LayerDisplay::channels_without_window(layer),
                selected_channel: 0,
            })
            .collect();
        let selected = dataset.focus.map_or(0, |focus| focus.layer);
        let problems = dataset.problems.clone();
        let axes = all_axes(&dataset);
        Self { dataset, layers, selected, view, fixed_mag: None, axes, positions: AxisPositions::default(), problems, is_listed: true }
    }

    /// The selected layer.
    pub fn selected(&self) -> Option<&OpenLayer> {
        self.layers.get(self.selected)
    }

    /// The box that the view is kept in: around all layers.
    pub fn bounds(&self) -> BoundingBox {
        self.dataset.bounding_box()
    }

    /// Goes to a position along an axis, or to the last one it has.
    pub fn set_axis(&mut self, name: &str, position: u64) {
        if let Some(axis) = self.axes.iter().find(|axis| axis.name == name) {
            self.positions.set(name, position.min(axis.len.saturating_sub(1)));
        }
    }

    /// Makes layers look as they did when the dataset was closed; those it didn't have then stay as they are.
    pub fn recall(&mut self, recent: &Recent) {
        if let Some(index) = self.layers.iter().position(|layer| Some(&layer.layer().name) == recent.selected.as_ref()) {
            self.selected = index;
        }
        for (axis, position) in &recent.axes {
            self.set_axis(axis, *position);
        }
        for layer in &mut self.layers {
            let Some(last) = recent.layers.iter().find(|last| last.name == layer.layer().name) else { continue };
            layer.display.visible = last.visible;
            layer.display.opacity = last.opacity.clamp(0.0, 1.0);
            if let Some((min, max)) = last.window {
                layer.display.window = ValueWindow::new(min, max);
                layer.wants_auto_window = false;
            }
            if last.channels.len() == layer.display.channels.len() {
                layer.recall_channels(&last.channels);
            }
        }
    }

    /// The entry of this dataset in the list of recents.
    pub fn as_recent(&self, opened_unix_secs: u64) -> Recent {
        let names: Vec<_> = self.dataset.layers.iter().map(|layer| layer.name.as_str()).collect();
        let shown = names.iter().take(4).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 4 { format!(" and {} more", names.len() - 4) } else { String::new() };
        Recent {
            path: std::path::absolute(&self.dataset.path).unwrap_or_else(|_| self.dataset.path.clone()),
            name: self.dataset.name.clone(),
            summary: format!("{} · {shown}{more}", self.dataset.format),
            opened_unix_secs,
            position: Some(self.view.voxel().to_array()),
            zoom: Some(self.view.zoom()),
            selected: self.selected().map(|layer| layer.layer().name.clone()),
            axes: self.axes.iter().map(|axis| (axis.name.clone(), self.positions.get(&axis.name))).collect(),
            layers: self.layers.iter().map(OpenLayer::remembered).collect(),
        }
    }
}
