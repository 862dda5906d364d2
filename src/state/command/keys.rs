//! [`Shortcut`]: keys and modifiers that start a command.

use std::fmt;

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
    pub(super) const fn plain(key: Key) -> Self {
        Self { modifiers: Modifiers::None, key }
    }

    pub(super) const fn shift(key: Key) -> Self {
        Self { modifiers: Modifiers::Shift, key }
    }

    pub(super) const fn command(key: Key) -> Self {
        Self { modifiers: Modifiers::Command, key }
    }

    pub(super) const fn command_shift(key: Key) -> Self {
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
