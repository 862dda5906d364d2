//! [`AppContext`]: what a panel may read, and the queue for what it wants changed.

use super::app_state::AppState;
use super::command::Command;
use super::slice_feed::SliceFeed;
use std::cell::RefCell;

/// Commands sent by panels, carried out between frames.
#[derive(Debug, Default)]
pub struct CommandQueue(RefCell<Vec<Command>>);

impl CommandQueue {
    /// More commands in one frame mean a fault, not a person; further ones are dropped.
    const MAX: usize = 4096;

    /// Adds a command.
    pub fn send(&self, command: impl Into<Command>) {
        let mut queue = self.0.borrow_mut();
        if queue.len() < Self::MAX {
            queue.push(command.into());
        }
    }

    /// Whether no command waits.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Takes all commands, in the order they were sent.
    pub fn take(&self) -> Vec<Command> {
        self.0.take()
    }
}

/// What panels get: everything to read, and `send`.
#[derive(Clone, Copy)]
pub struct AppContext<'a> {
    /// What the program knows.
    pub state: &'a AppState,
    /// Pictures of the panes, chunk states and throughput.
    pub feed: &'a SliceFeed,
    commands: &'a CommandQueue,
}

impl<'a> AppContext<'a> {
    /// A context for one frame.
    pub const fn new(state: &'a AppState, feed: &'a SliceFeed, commands: &'a CommandQueue) -> Self {
        Self { state, feed, commands }
    }

    /// Asks for a change; it happens before the next frame.
    pub fn send(&self, command: impl Into<Command>) {
        self.commands.send(command);
    }
}
