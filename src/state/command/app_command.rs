//! [`AppCommand`]: changes with data, sent by panels and panes.

use super::UiCommand;
use crate::geometry::{ChunkIndex, MagLabel, ShardIndex, SlicePlane, Vec3Int};
use crate::scene::LayerDisplay;
use crate::state::annotation::AnnotationCommand;
use crate::state::app_state::{BottomTab, Dialog, InspectorTab, PathField};
use crate::state::dispatch::Effect;
use crate::state::settings::Settings;
use std::path::PathBuf;

/// A change with data, sent by panels and panes.
#[derive(Clone, Debug, PartialEq)]
pub enum AppCommand {
    /// Open whatever this path is.
    Open(PathBuf),
    /// Give up opening.
    CancelOpening,
    /// Open none of several datasets.
    CancelChoice,
    /// Forget a recent dataset.
    RemoveRecent(PathBuf),
    /// Forget all of them.
    ClearRecents,
    /// The pane that keys act on.
    ActivatePane(SlicePlane),
    /// One pane, or all.
    Maximize(Option<SlicePlane>),
    /// Centre this mag-1 voxel.
    SetPosition(Vec3Int),
    /// Finest voxels per pixel.
    SetZoom(f64),
    /// Slices along a pane's axis, in steps of the shown mag.
    Step {
        /// Whose axis.
        plane: SlicePlane,
        /// How many, negative is back.
        steps: i64,
    },
    /// Move the view by physical pixels of a pane: the picture follows the pointer.
    Pan {
        /// Which pane.
        plane: SlicePlane,
        /// To the right.
        right_px: f64,
        /// Down.
        down_px: f64,
    },
    /// Zoom about a point of a pane.
    ZoomAt {
        /// Which pane.
        plane: SlicePlane,
        /// Physical pixels from the pane's centre, right and down.
        from_center_px: [f64; 2],
        /// Above 1 zooms in.
        factor: f64,
    },
    /// The voxel under the pointer, in which pane; `None` outside of all.
    Hover(Option<(SlicePlane, Vec3Int)>),
    /// Pin the probe at a mag-1 voxel, or let it follow the pointer.
    Pin(Option<Vec3Int>),
    /// Make a layer the selected one.
    SelectLayer(usize),
    /// Change how a layer looks.
    SetDisplay {
        /// Index of the layer.
        layer: usize,
        /// New settings.
        display: LayerDisplay,
    },
    /// Show histogram and window of a channel of a layer.
    SelectChannel {
        /// Index of the layer.
        layer: usize,
        /// Number of the channel.
        channel: usize,
    },
    /// Show this mag whatever the zoom, or the one that fits the zoom.
    SetMag(Option<MagLabel>),
    /// Go to a position along an axis beyond x, y, z and channel.
    SetAxis {
        /// Name of the axis.
        axis: String,
        /// Position, from 0; beyond the end it is the last.
        position: u64,
    },
    /// Inspector tab.
    ShowInspector(InspectorTab),
    /// Bottom panel tab.
    ShowBottom(BottomTab),
    /// Show a shard in the layout panel.
    SelectShard(Option<ShardIndex>),
    /// Select a chunk in the layout panel.
    SelectChunk(Option<ChunkIndex>),
    /// Centre a shard or chunk of the selected layer's level.
    GoToChunk(ChunkIndex),
    /// Read failed chunks again.
    Retry,
    /// Put text on the clipboard.
    Copy(String),
    /// Change preferences.
    SetSettings(Box<Settings>),
    /// Take a toast away; it stays in the list.
    Dismiss(u64),
    /// Change the annotation, or how it is looked at.
    Annotation(AnnotationCommand),
    /// Ask something, or nothing any more.
    SetDialog(Option<Dialog>),
    /// Show a dialog for a path that a question asks for.
    Browse {
        /// Which path.
        field: PathField,
        /// What stands there.
        path: PathBuf,
    },
    /// Find out whether something is at this path.
    LookAt(PathBuf),
    /// What a question was about is to be done.
    Confirmed(Box<Effect>),
}

/// Any command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Without data.
    Ui(UiCommand),
    /// With data.
    App(AppCommand),
}

impl From<UiCommand> for Command {
    fn from(command: UiCommand) -> Self {
        Self::Ui(command)
    }
}

impl From<AnnotationCommand> for Command {
    fn from(command: AnnotationCommand) -> Self {
        Self::App(AppCommand::Annotation(command))
    }
}

impl From<AppCommand> for Command {
    fn from(command: AppCommand) -> Self {
        Self::App(command)
    }
}
