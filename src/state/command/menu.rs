//! [`Menu`]: which menu lists a command, and where its dividers stand.

use super::UiCommand;
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
    /// Importing, painting, exporting.
    Annotation,
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
            Self::Annotation => "Annotation",
            Self::Tools => "Tools",
            Self::Help => "Help",
        }
    }
}

impl UiCommand {
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
            | Self::ToggleSkeleton
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
            Self::NewAnnotation
            | Self::ImportAnnotation
            | Self::SaveAnnotation
            | Self::ExportAnnotation
            | Self::ExportMerged
            | Self::CheckRoundTrip
            | Self::CloseAnnotation
            | Self::ToolMove
            | Self::ToolBrush
            | Self::ToolEraser
            | Self::ToolTrace
            | Self::ToolFill
            | Self::ToolPicker
            | Self::NextTool
            | Self::PreviousTool
            | Self::NewSegment
            | Self::Interpolate
            | Self::LargerBrush
            | Self::SmallerBrush
            | Self::ToggleOverwrite
            | Self::ToggleFillVolume
            | Self::Undo
            | Self::Redo => Menu::Annotation,
            Self::CopyPosition
            | Self::CopySegmentId
            | Self::CopyReadCommand
            | Self::CompareWith
            | Self::ShowAnnotation
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
                | Self::CompareWith
                | Self::SaveAnnotation
                | Self::CheckRoundTrip
                | Self::ToolMove
                | Self::NextTool
                | Self::NewSegment
                | Self::Undo
                | Self::ShowHeader
                | Self::RetryFailed
                | Self::ShowAbout
        )
    }
}
