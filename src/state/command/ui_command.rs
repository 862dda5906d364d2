//! [`UiCommand`]: every action that a menu, key or the palette can start.

use strum::EnumIter;

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
    /// Start a volume annotation over the selected segmentation, or an empty one.
    NewAnnotation,
    /// Dialog for an annotation, shown over the open dataset where it belongs to it.
    ImportAnnotation,
    /// Export to the file it came from, after a first question.
    SaveAnnotation,
    /// Export to a file that is asked for.
    ExportAnnotation,
    /// Export annotation over fallback as a new dataset.
    ExportMerged,
    /// Export, import again and compare.
    CheckRoundTrip,
    /// Go on with the dataset alone.
    CloseAnnotation,
    /// Drag moves the view.
    ToolMove,
    /// Drag paints discs.
    ToolBrush,
    /// Drag erases discs.
    ToolEraser,
    /// Drag outlines what is filled.
    ToolTrace,
    /// Click fills what is connected.
    ToolFill,
    /// Click takes over the segment.
    ToolPicker,
    /// The tool to the right.
    NextTool,
    /// The tool to the left.
    PreviousTool,
    /// An id that is not in use.
    NewSegment,
    /// Paint between the last labelled slice and this one.
    Interpolate,
    /// Brush size.
    LargerBrush,
    /// Brush size.
    SmallerBrush,
    /// Paint over everything, or over the background only.
    ToggleOverwrite,
    /// Fill in the slice or in the volume.
    ToggleFillVolume,
    /// Take the last edit back.
    Undo,
    /// Do it again.
    Redo,
    /// Overlay switch.
    ToggleSkeleton,
    /// Inspector tab.
    ShowAnnotation,
    /// Compare the dataset or annotation with another.
    CompareWith,
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
            Self::NewAnnotation => "New volume annotation",
            Self::ImportAnnotation => "Import annotation…",
            Self::SaveAnnotation => "Save annotation",
            Self::ExportAnnotation => "Export annotation…",
            Self::ExportMerged => "Export merged dataset…",
            Self::CheckRoundTrip => "Check round trip",
            Self::CloseAnnotation => "Close annotation",
            Self::ToolMove => "Move",
            Self::ToolBrush => "Brush",
            Self::ToolEraser => "Eraser",
            Self::ToolTrace => "Trace",
            Self::ToolFill => "Fill",
            Self::ToolPicker => "Segment picker",
            Self::NextTool => "Next tool",
            Self::PreviousTool => "Previous tool",
            Self::NewSegment => "New segment",
            Self::Interpolate => "Interpolate to this slice",
            Self::LargerBrush => "Larger brush",
            Self::SmallerBrush => "Smaller brush",
            Self::ToggleOverwrite => "Overwrite all or empty only",
            Self::ToggleFillVolume => "Fill in 3D",
            Self::Undo => "Undo",
            Self::Redo => "Redo",
            Self::ToggleSkeleton => "Skeleton",
            Self::ShowAnnotation => "Show annotation",
            Self::CompareWith => "Compare with…",
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
            | Self::ImportAnnotation
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
            | Self::NewAnnotation
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
            | Self::Redo
            | Self::ToggleSkeleton
            | Self::ShowAnnotation
            | Self::CompareWith
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

    /// Whether it makes sense only with an open annotation.
    pub const fn needs_annotation(self) -> bool {
        matches!(
            self,
            Self::SaveAnnotation
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
                | Self::Redo
        )
    }
}
