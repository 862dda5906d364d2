//! [`UiCommand`]: every action that a menu, key or the palette can start, and [`AppCommand`]: changes with data.
//!
//! Text, tooltip, shortcut and menu of an action are exhaustive matches here; menus, palette, shortcut
//! handling and README's table are all made from them.

mod app_command;
mod keys;
mod menu;
mod shortcuts;
mod ui_command;

pub use app_command::{AppCommand, Command};
pub use keys::{Key, Modifiers, Shortcut};
pub use menu::Menu;
pub use ui_command::UiCommand;
