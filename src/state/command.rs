//! [`UiCommand`]: every action that a menu, key or the palette can start, and [`AppCommand`]: changes with data.
//!
//! Text, tooltip, shortcut and menu of an action are exhaustive matches here; menus, palette, shortcut
//! handling and README's table are all made from them.

use super::app_state::{BottomTab, InspectorTab};
use super::settings::Settings;
use crate::geometry::{ChunkIndex, MagLabel, ShardIndex, SlicePlane, Vec3Int};
use crate::scene::LayerDisplay;
use std::fmt;
use std::path::PathBuf;
use strum::EnumIter;

/// Menus of the menu bar, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
pub enum Menu {
    /// Opening and closing.
    File,
    /// Where and how to look.
    View,
    /// The selected layer.
    Layer,
    /// Copying and panels.
    Tools,
    /// About the program.
    Help,
}

impl Menu {
    /// Title in the menu bar.
    pub const fn title(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::View => "View",
            Self::Layer => "Layer",
            Self::Tools => "Tools",
            Self::Help => "Help",
        }
    }
}

/// Keys that shortcuts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A letter or digit, upper case.
    Char(char),
    /// Arrow keys.
    Left,
    /// Arrow keys.
    Right,
    /// Arrow keys.
    Up,
    /// Arrow keys.
    Down,
    /// The space bar.
    Space,
    /// `.`
    Period,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// F1 to F12.
    F(u8),
    /// Escape.
    Escape,
}

/// Modifiers that must be held, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifiers {
    /// None.
    None,
    /// Shift.
    Shift,
    /// Ctrl, or Cmd on macOS.
    Command,
    /// Both.
    CommandShift,
}

/// A key with modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcut {
    /// What must be held.
    pub modifiers: Modifiers,
    /// The key.
    pub key: Key,
}

impl Shortcut {
    const fn plain(key: Key) -> Self {
        Self { modifiers: Modifiers::None, key }
    }

    const fn shift(key: Key) -> Self {
        Self { modifiers: Modifiers::Shift, key }
    }

    const fn command(key: Key) -> Self {
        Self { modifiers: Modifiers::Command, key }
    }

    const fn command_shift(key: Key) -> Self {
        Self { modifiers: Modifiers::CommandShift, key }
    }
}

impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = if cfg!(target_os = "macos") { "Cmd" } else { "Ctrl" };
        match self.modifiers {
            Modifiers::None => {}
            Modifiers::Shift => f.write_str("Shift+")?,
            Modifiers::Command => write!(f, "{command}+")?,
            Modifiers::CommandShift => write!(f, "{command}+Shift+")?,
        }
        match self.key {
            Key::Char(c) => write!(f, "{c}"),
            Key::Left => f.write_str("Left"),
            Key::Right => f.write_str("Right"),
            Key::Up => f.write_str("Up"),
            Key::Down => f.write_str("Down"),
            Key::Space => f.write_str("Space"),
            Key::Period => f.write_str("."),
            Key::Plus => f.write_str("+"),
            Key::Minus => f.write_str("-"),
            Key::F(n) => write!(f, "F{n}"),
            Key::Escape => f.write_str("Esc"),
        }
    }
}

/// An action without data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter)]
pub enum UiCommand {
    /// Dialog for a folder.
    OpenFolder,
    /// Dialog for a file.
    OpenFile,
    /// Make (once) and open the demo dataset.
    OpenDemo,
    /// Read the dataset again from disk.
    Reload,
    /// Back to the welcome page.
    CloseDataset,
    /// End the program.
    Quit,
    /// One slice forward along the last used pane's axis.
    NextSlice,
    /// One slice back.
    PreviousSlice,
    /// Five slices forward.
    NextFiveSlices,
    /// Five slices back.
    PreviousFiveSlices,
    /// Move the view in the plane of the last used pane.
    PanLeft,
    /// Move the view in the plane of the last used pane.
    PanRight,
    /// Move the view in the plane of the last used pane.
    PanUp,
    /// Move the view in the plane of the last used pane.
    PanDown,
    /// Zoom in.
    ZoomIn,
    /// Zoom out.
    ZoomOut,
    /// One finest voxel per pixel.
    ZoomToVoxels,
    /// The whole layer in every pane.
    ZoomToFit,
    /// To the centre of the selected layer.
    GoToCenter,
    /// To the nearest stored shard.
    JumpToData,
    /// Put the cursor into the position field.
    EditPosition,
    /// One pane instead of four.
    MaximizePane,
    /// Overlay switch.
    ToggleCrosshair,
    /// Overlay switch.
    ToggleScaleBar,
    /// Overlay switch.
    ToggleBoundingBoxes,
    /// Overlay switch.
    ToggleChunkGrid,
    /// Overlay switch.
    ToggleShardGrid,
    /// Dots where nothing is stored.
    ToggleMissingPattern,
    /// Let the mag follow the zoom again.
    AutomaticMag,
    /// A finer fixed mag.
    FinerMag,
    /// A coarser fixed mag.
    CoarserMag,
    /// One position on along the first axis beyond x, y, z and channel.
    NextOnAxis,
    /// One position back.
    PreviousOnAxis,
    /// Select the layer below.
    NextLayer,
    /// Select the layer above.
    PreviousLayer,
    /// Show or hide the selected layer.
    ToggleLayer,
    /// Hide all layers but the selected one.
    ShowOnlyLayer,
    /// Show or hide all segmentations.
    ToggleSegmentation,
    /// Window from what is on screen.
    AutoWindow,
    /// Window over all values of the type.
    FullRangeWindow,
    /// Black and white swapped.
    InvertLayer,
    /// Clipboard.
    CopyPosition,
    /// Clipboard.
    CopySegmentId,
    /// Clipboard.
    CopyReadCommand,
    /// Inspector tab.
    ShowHeader,
    /// Inspector tab.
    ShowLayout,
    /// Inspector tab.
    ShowProbe,
    /// Inspector tab.
    ShowProblems,
    /// Bottom panel tab.
    ShowThroughput,
    /// Bottom panel tab.
    ShowLog,
    /// Panel switch.
    ToggleLeftPanel,
    /// Panel switch.
    ToggleInspector,
    /// Panel switch.
    ToggleBottomPanel,
    /// Read failed chunks again.
    RetryFailed,
    /// Dark or light.
    ToggleTheme,
    /// Larger text.
    LargerText,
    /// Smaller text.
    SmallerText,
    /// Search for commands.
    CommandPalette,
    /// List of shortcuts.
    ShowShortcuts,
    /// Version and licences.
    ShowAbout,
}

impl UiCommand {
    /// As shown in menus and palette.
    pub const fn text(self) -> &'static str {
        match self {
            Self::OpenFolder => "Open folder…",
            Self::OpenFile => "Open file…",
            Self::OpenDemo => "Open demo",
            Self::Reload => "Reload from disk",
            Self::CloseDataset => "Close dataset",
            Self::Quit => "Quit",
            Self::NextSlice => "Next slice",
            Self::PreviousSlice => "Previous slice",
            Self::NextFiveSlices => "Five slices forward",
            Self::PreviousFiveSlices => "Five slices back",
            Self::PanLeft => "Pan left",
            Self::PanRight => "Pan right",
            Self::PanUp => "Pan up",
            Self::PanDown => "Pan down",
            Self::ZoomIn => "Zoom in",
            Self::ZoomOut => "Zoom out",
            Self::ZoomToVoxels => "One voxel per pixel",
            Self::ZoomToFit => "Fit layer to panes",
            Self::GoToCenter => "Go to centre",
            Self::JumpToData => "Jump to data",
            Self::EditPosition => "Go to position…",
            Self::MaximizePane => "Maximize pane",
            Self::ToggleCrosshair => "Crosshair",
            Self::ToggleScaleBar => "Scale bar",
            Self::ToggleBoundingBoxes => "Bounding boxes",
            Self::ToggleChunkGrid => "Chunk grid",
            Self::ToggleShardGrid => "Shard grid",
            Self::ToggleMissingPattern => "Pattern where nothing is stored",
            Self::AutomaticMag => "Mag follows zoom",
            Self::FinerMag => "Finer mag",
            Self::CoarserMag => "Coarser mag",
            Self::NextOnAxis => "Next position along the first axis",
            Self::PreviousOnAxis => "Previous position along the first axis",
            Self::NextLayer => "Select next layer",
            Self::PreviousLayer => "Select previous layer",
            Self::ToggleLayer => "Show or hide layer",
            Self::ShowOnlyLayer => "Show only this layer",
            Self::ToggleSegmentation => "Show or hide segmentation",
            Self::AutoWindow => "Automatic window",
            Self::FullRangeWindow => "Full range window",
            Self::InvertLayer => "Invert layer",
            Self::CopyPosition => "Copy position",
            Self::CopySegmentId => "Copy segment id under pointer",
            Self::CopyReadCommand => "Copy as read command",
            Self::ShowHeader => "Show header",
            Self::ShowLayout => "Show layout",
            Self::ShowProbe => "Show probe",
            Self::ShowProblems => "Show problems",
            Self::ShowThroughput => "Show throughput",
            Self::ShowLog => "Show log",
            Self::ToggleLeftPanel => "Left panel",
            Self::ToggleInspector => "Inspector",
            Self::ToggleBottomPanel => "Bottom panel",
            Self::RetryFailed => "Retry failed chunks",
            Self::ToggleTheme => "Dark or light",
            Self::LargerText => "Larger text",
            Self::SmallerText => "Smaller text",
            Self::CommandPalette => "Search commands",
            Self::ShowShortcuts => "Keyboard shortcuts",
            Self::ShowAbout => "About Chunkscope",
        }
    }

    /// Keys that start it; the first is shown.
    pub const fn shortcuts(self) -> &'static [Shortcut] {
        macro_rules! keys {
            ($($shortcut:expr),*) => { const { &[$($shortcut),*] } };
        }
        match self {
            Self::OpenFolder => keys![Shortcut::command(Key::Char('O'))],
            Self::OpenFile => keys![Shortcut::command_shift(Key::Char('O'))],
            Self::Reload => keys![Shortcut::command(Key::Char('R')), Shortcut::plain(Key::F(5))],
            Self::CloseDataset => keys![Shortcut::command(Key::Char('W'))],
            Self::Quit => keys![Shortcut::command(Key::Char('Q'))],
            Self::NextSlice => keys![Shortcut::plain(Key::Char('F')), Shortcut::plain(Key::Space)],
            Self::PreviousSlice => keys![Shortcut::plain(Key::Char('D')), Shortcut::shift(Key::Space), Shortcut::command(Key::Space)],
            Self::NextFiveSlices => keys![Shortcut::shift(Key::Char('F'))],
            Self::PreviousFiveSlices => keys![Shortcut::shift(Key::Char('D'))],
            Self::PanLeft => keys![Shortcut::plain(Key::Left)],
            Self::PanRight => keys![Shortcut::plain(Key::Right)],
            Self::PanUp => keys![Shortcut::plain(Key::Up)],
            Self::PanDown => keys![Shortcut::plain(Key::Down)],
            Self::ZoomIn => keys![Shortcut::plain(Key::Char('I'))],
            Self::ZoomOut => keys![Shortcut::plain(Key::Char('O'))],
            Self::ZoomToVoxels => keys![Shortcut::command(Key::Char('1'))],
            Self::ZoomToFit => keys![Shortcut::command(Key::Char('0'))],
            Self::JumpToData => keys![Shortcut::command(Key::Char('J'))],
            Self::EditPosition => keys![Shortcut::command(Key::Char('G'))],
            Self::MaximizePane => keys![Shortcut::plain(Key::Period)],
            Self::ToggleChunkGrid => keys![Shortcut::plain(Key::Char('C'))],
            Self::ToggleShardGrid => keys![Shortcut::shift(Key::Char('C'))],
            Self::ToggleCrosshair => keys![Shortcut::plain(Key::Char('X'))],
            Self::NextOnAxis => keys![Shortcut::plain(Key::Char('N'))],
            Self::PreviousOnAxis => keys![Shortcut::plain(Key::Char('B'))],
            Self::NextLayer => keys![Shortcut::command(Key::Down)],
            Self::PreviousLayer => keys![Shortcut::command(Key::Up)],
            Self::ToggleLayer => keys![Shortcut::plain(Key::Char('V'))],
            Self::ShowOnlyLayer => keys![Shortcut::shift(Key::Char('V'))],
            Self::ToggleSegmentation => keys![Shortcut::plain(Key::Char('3'))],
            Self::AutoWindow => keys![Shortcut::plain(Key::Char('A'))],
            Self::FullRangeWindow => keys![Shortcut::shift(Key::Char('A'))],
            Self::CopyPosition => keys![Shortcut::command_shift(Key::Char('C'))],
            Self::CopySegmentId => keys![Shortcut::command(Key::Char('I'))],
            Self::ToggleLeftPanel => keys![Shortcut::plain(Key::Char('K'))],
            Self::ToggleInspector => keys![Shortcut::plain(Key::Char('L'))],
            Self::ToggleBottomPanel => keys![Shortcut::plain(Key::Char('T'))],
            Self::LargerText => keys![Shortcut::command(Key::Plus)],
            Self::SmallerText => keys![Shortcut::command(Key::Minus)],
            Self::CommandPalette => keys![Shortcut::command(Key::Char('P'))],
            Self::ShowShortcuts => keys![Shortcut::plain(Key::F(1))],
            Self::OpenDemo
            | Self::GoToCenter
            | Self::ToggleScaleBar
            | Self::ToggleBoundingBoxes
            | Self::ToggleMissingPattern
            | Self::AutomaticMag
            | Self::FinerMag
            | Self::CoarserMag
            | Self::InvertLayer
            | Self::CopyReadCommand
            | Self::ShowHeader
            | Self::ShowLayout
            | Self::ShowProbe
            | Self::ShowProblems
            | Self::ShowThroughput
            | Self::ShowLog
            | Self::RetryFailed
            | Self::ToggleTheme
            | Self::ShowAbout => &[],
        }
    }

    /// The menu that lists it; the palette lists everything.
    pub const fn menu(self) -> Option<Menu> {
        Some(match self {
            Self::OpenFolder | Self::OpenFile | Self::OpenDemo | Self::Reload | Self::CloseDataset | Self::Quit => Menu::File,
            Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomToVoxels
            | Self::ZoomToFit
            | Self::GoToCenter
            | Self::JumpToData
            | Self::EditPosition
            | Self::MaximizePane
            | Self::ToggleCrosshair
            | Self::ToggleScaleBar
            | Self::ToggleBoundingBoxes
            | Self::ToggleChunkGrid
            | Self::ToggleShardGrid
            | Self::ToggleMissingPattern
            | Self::NextOnAxis
            | Self::PreviousOnAxis
            | Self::ToggleLeftPanel
            | Self::ToggleInspector
            | Self::ToggleBottomPanel
            | Self::ToggleTheme
            | Self::LargerText
            | Self::SmallerText => Menu::View,
            Self::AutomaticMag
            | Self::FinerMag
            | Self::CoarserMag
            | Self::NextLayer
            | Self::PreviousLayer
            | Self::ToggleLayer
            | Self::ShowOnlyLayer
            | Self::ToggleSegmentation
            | Self::AutoWindow
            | Self::FullRangeWindow
            | Self::InvertLayer => Menu::Layer,
            Self::CopyPosition
            | Self::CopySegmentId
            | Self::CopyReadCommand
            | Self::ShowHeader
            | Self::ShowLayout
            | Self::ShowProbe
            | Self::ShowProblems
            | Self::ShowThroughput
            | Self::ShowLog
            | Self::RetryFailed => Menu::Tools,
            Self::CommandPalette | Self::ShowShortcuts | Self::ShowAbout => Menu::Help,
            Self::NextSlice
            | Self::PreviousSlice
            | Self::NextFiveSlices
            | Self::PreviousFiveSlices
            | Self::PanLeft
            | Self::PanRight
            | Self::PanUp
            | Self::PanDown => return None,
        })
    }

    /// Whether a divider stands above it in its menu.
    pub const fn starts_group(self) -> bool {
        matches!(
            self,
            Self::Reload
                | Self::Quit
                | Self::GoToCenter
                | Self::MaximizePane
                | Self::ToggleCrosshair
                | Self::NextOnAxis
                | Self::ToggleLeftPanel
                | Self::ToggleTheme
                | Self::NextLayer
                | Self::ToggleLayer
                | Self::ShowOnlyLayer
                | Self::AutoWindow
                | Self::ShowHeader
                | Self::RetryFailed
                | Self::ShowAbout
        )
    }

    /// Whether it makes sense only with an open dataset.
    pub const fn needs_dataset(self) -> bool {
        match self {
            Self::OpenFolder
            | Self::OpenFile
            | Self::OpenDemo
            | Self::Quit
            | Self::ToggleTheme
            | Self::LargerText
            | Self::SmallerText
            | Self::CommandPalette
            | Self::ShowShortcuts
            | Self::ShowAbout => false,
            Self::Reload
            | Self::CloseDataset
            | Self::NextSlice
            | Self::PreviousSlice
            | Self::NextFiveSlices
            | Self::PreviousFiveSlices
            | Self::PanLeft
            | Self::PanRight
            | Self::PanUp
            | Self::PanDown
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomToVoxels
            | Self::ZoomToFit
            | Self::GoToCenter
            | Self::JumpToData
            | Self::EditPosition
            | Self::MaximizePane
            | Self::ToggleCrosshair
            | Self::ToggleScaleBar
            | Self::ToggleBoundingBoxes
            | Self::ToggleChunkGrid
            | Self::ToggleShardGrid
            | Self::ToggleMissingPattern
            | Self::AutomaticMag
            | Self::FinerMag
            | Self::CoarserMag
            | Self::NextOnAxis
            | Self::PreviousOnAxis
            | Self::NextLayer
            | Self::PreviousLayer
            | Self::ToggleLayer
            | Self::ShowOnlyLayer
            | Self::ToggleSegmentation
            | Self::AutoWindow
            | Self::FullRangeWindow
            | Self::InvertLayer
            | Self::CopyPosition
            | Self::CopySegmentId
            | Self::CopyReadCommand
            | Self::ShowHeader
            | Self::ShowLayout
            | Self::ShowProbe
            | Self::ShowProblems
            | Self::ShowThroughput
            | Self::ShowLog
            | Self::ToggleLeftPanel
            | Self::ToggleInspector
            | Self::ToggleBottomPanel
            | Self::RetryFailed => true,
        }
    }
}

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

impl From<AppCommand> for Command {
    fn from(command: AppCommand) -> Self {
        Self::App(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use strum::IntoEnumIterator;

    #[test]
    fn no_two_commands_share_a_shortcut() {
        let mut owners = HashMap::new();
        for command in UiCommand::iter() {
            for shortcut in command.shortcuts() {
                if let Some(other) = owners.insert(*shortcut, command) {
                    panic!("{shortcut} starts {other:?} and {command:?}");
                }
            }
        }
    }

    /// The table of README's section "Keys and mouse".
    fn shortcut_table() -> String {
        let mut table = "| command | keys |\n|---|---|\n".to_owned();
        for command in UiCommand::iter().filter(|command| !command.shortcuts().is_empty()) {
            let keys: Vec<String> = command.shortcuts().iter().map(|keys| format!("`{keys}`")).collect();
            table += &format!("| {} | {} |\n", command.text().trim_end_matches('…'), keys.join(", "));
        }
        table
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn the_readme_lists_every_shortcut() {
        let readme = include_str!("../../README.md");
        let section = readme.split_once("<!-- shortcuts -->\n").and_then(|(_, rest)| rest.split_once("<!-- /shortcuts -->"));
        let (listed, _) = section.expect("README has the marks around its table of shortcuts");
        assert_eq!(listed, shortcut_table(), "put this table into README:\n{}", shortcut_table());
    }

    #[test]
    fn texts_are_distinct() {
        let mut seen = HashMap::new();
        for command in UiCommand::iter() {
            assert_eq!(seen.insert(command.text(), command), None, "{command:?}");
        }
    }

    #[test]
    fn every_menu_has_entries() {
        for menu in Menu::iter() {
            assert!(UiCommand::iter().any(|command| command.menu() == Some(menu)), "{menu:?}");
        }
    }
}
