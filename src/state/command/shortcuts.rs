//! The keys of every command.

use super::UiCommand;
use super::keys::{Key, Shortcut};

impl UiCommand {
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
            Self::ToggleChunkGrid => keys![Shortcut::plain(Key::Char('G'))],
            Self::ToggleShardGrid => keys![Shortcut::shift(Key::Char('G'))],
            Self::ToggleCrosshair => keys![Shortcut::plain(Key::Char('X'))],
            Self::NextOnAxis => keys![Shortcut::plain(Key::Char('N'))],
            Self::PreviousOnAxis => keys![Shortcut::plain(Key::Char('B'))],
            Self::NextLayer => keys![Shortcut::command(Key::Down)],
            Self::PreviousLayer => keys![Shortcut::command(Key::Up)],
            Self::ToggleLayer => keys![Shortcut::plain(Key::Char('E'))],
            Self::ShowOnlyLayer => keys![Shortcut::shift(Key::Char('E'))],
            Self::ToggleSegmentation => keys![Shortcut::plain(Key::Char('3'))],
            Self::AutoWindow => keys![Shortcut::plain(Key::Char('A'))],
            Self::FullRangeWindow => keys![Shortcut::shift(Key::Char('A'))],
            Self::SaveAnnotation => keys![Shortcut::command(Key::Char('S'))],
            Self::ExportAnnotation => keys![Shortcut::command_shift(Key::Char('S'))],
            Self::NextTool => keys![Shortcut::plain(Key::Char('W'))],
            Self::PreviousTool => keys![Shortcut::shift(Key::Char('W'))],
            Self::NewSegment => keys![Shortcut::plain(Key::Char('C'))],
            Self::Interpolate => keys![Shortcut::plain(Key::Char('V'))],
            Self::LargerBrush => keys![Shortcut::shift(Key::Char('I'))],
            Self::SmallerBrush => keys![Shortcut::shift(Key::Char('O'))],
            Self::Undo => keys![Shortcut::command(Key::Char('Z'))],
            Self::Redo => keys![Shortcut::command(Key::Char('Y')), Shortcut::command_shift(Key::Char('Z'))],
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
            | Self::NewAnnotation
            | Self::ImportAnnotation
            | Self::ExportMerged
            | Self::CheckRoundTrip
            | Self::CloseAnnotation
            | Self::ToolMove
            | Self::ToolBrush
            | Self::ToolEraser
            | Self::ToolTrace
            | Self::ToolFill
            | Self::ToolPicker
            | Self::ToggleOverwrite
            | Self::ToggleFillVolume
            | Self::ToggleSkeleton
            | Self::ShowAnnotation
            | Self::CompareWith
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Menu;
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
        let readme = include_str!("../../../README.md");
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
