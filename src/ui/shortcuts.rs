//! Keys to commands: the only place that reads keys for actions.
//!
//! Which keys mean what is [`UiCommand::shortcuts`]. Modifiers must match exactly. While a text field has
//! the keyboard nothing is taken from it; while another widget has it, keys that move it are left to it.

use super::frame::Room;
use crate::state::{AppCommand, AppContext, Key, Modifiers, OpenAnnotation, Settings, Shortcut, UiCommand};
use strum::IntoEnumIterator as _;

/// Sends the commands of all keys that went down since the last frame.
pub fn run(ui: &egui::Ui, ctx: &AppContext<'_>) {
    // Text size is a setting of ours; egui's own shortcut for it would do it twice.
    ui.ctx().options_mut(|options| options.zoom_with_keyboard = false);
    let panels = &ctx.state.panels;
    let has_dialog = panels.palette || panels.shortcuts || panels.about || panels.dialog.is_some();
    let is_covered = has_dialog || ctx.state.choosing.is_some() || egui::Popup::is_any_open(ui.ctx());
    if is_covered || ui.ctx().text_edit_focused() {
        return;
    }
    let has_focus = ui.memory(|memory| memory.focused().is_some());
    let commands = ui.input_mut(|input| {
        let mut commands = Vec::new();
        input.events.retain(|event| {
            let egui::Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { return true };
            if has_focus && moves_focus_or_clicks(*key, *modifiers) {
                return true;
            }
            let Some(command) = command_for(*key, *modifiers).filter(|command| !repeat || repeats(*command)) else { return true };
            commands.push(command);
            false
        });
        commands
    });
    for command in commands {
        if is_available(command, ctx) {
            start(ui, ctx, command);
        }
    }
}

/// Sends an action. Whether the bottom panel is open follows from the window's size until somebody chooses,
/// and only here is that size known.
pub fn start(ui: &egui::Ui, ctx: &AppContext<'_>, command: UiCommand) {
    let settings = &ctx.state.settings;
    if command == UiCommand::ToggleBottomPanel && settings.bottom_panel.is_none() {
        let is_open = !Room::of(ui.ctx().content_rect().size()).is_compact;
        ctx.send(AppCommand::SetSettings(Box::new(Settings { bottom_panel: Some(!is_open), ..settings.clone() })));
    } else {
        ctx.send(command);
    }
}

/// Whether an action makes sense right now; menus grey it and the palette leaves it out otherwise.
pub fn is_available(command: UiCommand, ctx: &AppContext<'_>) -> bool {
    match &ctx.state.dataset {
        None => !command.needs_dataset(),
        Some(open) => {
            let has_axes = !matches!(command, UiCommand::NextOnAxis | UiCommand::PreviousOnAxis) || !open.axes.is_empty();
            has_axes && fits_annotation(command, ctx.state.annotation.as_ref())
        }
    }
}

/// Whether there is an annotation that an action can work on.
fn fits_annotation(command: UiCommand, open: Option<&OpenAnnotation>) -> bool {
    use UiCommand as C;
    let Some(open) = open else { return !command.needs_annotation() && command != C::ToggleSkeleton };
    let history = || open.volume().map_or(&[][..], |volume| &volume.history[..]);
    match command {
        C::ToggleSkeleton => !open.skeleton.is_empty(),
        // What still waits will be there to be undone.
        C::Undo => open.waiting > 0 || history().iter().any(|line| !line.is_undone),
        C::Redo => history().iter().any(|line| line.is_undone),
        C::ExportMerged => open.volumes.iter().any(|volume| volume.fallback.is_some() && !volume.lacks_fallback),
        C::ToolMove
        | C::ToolBrush
        | C::ToolEraser
        | C::ToolTrace
        | C::ToolFill
        | C::ToolPicker
        | C::NextTool
        | C::PreviousTool
        | C::NewSegment
        | C::Interpolate
        | C::LargerBrush
        | C::SmallerBrush
        | C::ToggleOverwrite
        | C::ToggleFillVolume => !open.volumes.is_empty(),
        _ => true, // whatever asks nothing of an annotation
    }
}

/// Actions that go on while their key is held.
fn repeats(command: UiCommand) -> bool {
    use UiCommand as C;
    matches!(
        command,
        C::NextSlice
            | C::PreviousSlice
            | C::NextFiveSlices
            | C::PreviousFiveSlices
            | C::PanLeft
            | C::PanRight
            | C::PanUp
            | C::PanDown
            | C::ZoomIn
            | C::ZoomOut
            | C::NextOnAxis
            | C::PreviousOnAxis
            | C::NextLayer
            | C::PreviousLayer
            | C::LargerBrush
            | C::SmallerBrush
            | C::Undo
            | C::Redo
    )
}

/// The action of a key, those with the most modifiers first.
fn command_for(key: egui::Key, modifiers: egui::Modifiers) -> Option<UiCommand> {
    let fits = |shortcut: &Shortcut| egui_key(shortcut.key).contains(&Some(key)) && modifiers_fit(shortcut, modifiers);
    UiCommand::iter()
        .flat_map(|command| command.shortcuts().iter().map(move |shortcut| (command, shortcut)))
        .filter(|(_, shortcut)| fits(shortcut))
        .max_by_key(|(_, shortcut)| match shortcut.modifiers {
            Modifiers::None => 0,
            Modifiers::Shift | Modifiers::Command => 1,
            Modifiers::CommandShift => 2,
        })
        .map(|(command, _)| command)
}

/// Exactly the modifiers of the shortcut; a plus may need Shift to be typed.
fn modifiers_fit(shortcut: &Shortcut, held: egui::Modifiers) -> bool {
    let (command, shift) = match shortcut.modifiers {
        Modifiers::None => (false, false),
        Modifiers::Shift => (false, true),
        Modifiers::Command => (true, false),
        Modifiers::CommandShift => (true, true),
    };
    let shift_fits = held.shift == shift || shortcut.key == Key::Plus;
    held.command == command && shift_fits && !held.alt
}

/// The keys of egui that a key of ours stands for.
fn egui_key(key: Key) -> [Option<egui::Key>; 2] {
    let one = |key| [Some(key), None];
    match key {
        Key::Char(c) => [egui::Key::from_name(c.encode_utf8(&mut [0; 4])), None],
        Key::Left => one(egui::Key::ArrowLeft),
        Key::Right => one(egui::Key::ArrowRight),
        Key::Up => one(egui::Key::ArrowUp),
        Key::Down => one(egui::Key::ArrowDown),
        Key::Space => one(egui::Key::Space),
        Key::Period => one(egui::Key::Period),
        // On many keyboards plus is Shift and equals, and arrives as either.
        Key::Plus => [Some(egui::Key::Plus), Some(egui::Key::Equals)],
        Key::Minus => one(egui::Key::Minus),
        Key::F(n) => [egui::Key::from_name(&format!("F{n}")), None],
        Key::Escape => one(egui::Key::Escape),
    }
}

/// Keys that belong to the widget with the keyboard: they press it, turn it or move on from it.
fn moves_focus_or_clicks(key: egui::Key, modifiers: egui::Modifiers) -> bool {
    use egui::Key as K;
    !modifiers.command && matches!(key, K::Space | K::Enter | K::Tab | K::ArrowLeft | K::ArrowRight | K::ArrowUp | K::ArrowDown | K::Escape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Key as K, Modifiers as M};

    #[test]
    fn modifiers_must_match_exactly() {
        for (key, modifiers, expected) in [
            (K::F, M::NONE, Some(UiCommand::NextSlice)),
            (K::F, M::SHIFT, Some(UiCommand::NextFiveSlices)),
            (K::F, M::COMMAND, None),
            (K::F, M::ALT, None),
            (K::O, M::NONE, Some(UiCommand::ZoomOut)),
            (K::O, M::COMMAND, Some(UiCommand::OpenFolder)),
            (K::O, M::COMMAND | M::SHIFT, Some(UiCommand::OpenFile)),
            (K::Space, M::SHIFT, Some(UiCommand::PreviousSlice)),
            (K::F5, M::NONE, Some(UiCommand::Reload)),
            (K::Period, M::NONE, Some(UiCommand::MaximizePane)),
            (K::Plus, M::COMMAND, Some(UiCommand::LargerText)),
            (K::Equals, M::COMMAND | M::SHIFT, Some(UiCommand::LargerText)),
        ] {
            assert_eq!(command_for(key, modifiers), expected, "{key:?} {modifiers:?}");
        }
    }

    #[test]
    fn every_shortcut_is_a_key_that_egui_knows() {
        for command in UiCommand::iter() {
            for shortcut in command.shortcuts() {
                assert!(egui_key(shortcut.key)[0].is_some(), "{shortcut} of {command:?}");
            }
        }
    }
}
