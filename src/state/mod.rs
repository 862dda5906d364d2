//! Layer 4: what the program knows, and the commands that change it. No egui here.

mod annotation;
mod app_state;
mod command;
mod comparison;
mod context;
mod dispatch;
mod edit_overlay;
mod first_view;
mod fuzzy;
mod layout;
mod level_sources;
mod log_lines;
mod notification;
mod settings;
mod slice_feed;

pub use annotation::{
    ActiveSegment, AnnotationCommand, AnnotationWork, EditRequest, ExportKind, OpenAnnotation, OpenVolume, PaintPlace, PaintTools, Pointer,
    RoundTripResult, RunningWork, SegmentChange, Tool, given_colors, with_volumes,
};
pub use app_state::{
    AppState, BottomTab, Choosing, Dialog, InspectorTab, LeftEdits, Located, OpenDataset, OpenLayer, Opening, Overlays, Panels, PathField,
    Probe,
};
pub use command::{AppCommand, Command, Key, Menu, Modifiers, Shortcut, UiCommand};
pub use comparison::{Comparison, ComparisonState, Findings, Place, with_differences};
pub use context::{AppContext, CommandQueue};
pub use dispatch::{Effect, dispatch, read_command};
pub use first_view::{first_view, fit_zoom, nearest_data};
pub use fuzzy::fuzzy_score;
pub use layout::{LayoutState, LevelKey, ShardFile};
pub use log_lines::{LogLine, LogLines};
pub use notification::{Notification, Notifications};
pub use settings::{Recent, RememberedLayer, Settings, TextScale, ThemeChoice};
pub use slice_feed::{FeedEvent, PaneImage, SliceFeed};
