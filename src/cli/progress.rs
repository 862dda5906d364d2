//! [`ShownProgress`]: how far a command is.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// Progress in percent, on a terminal only; wiped out when done.
pub struct ShownProgress {
    /// What is being done.
    doing: &'static str,
    is_terminal: bool,
    /// In thousandths, so that it is written when it changes only.
    shown: AtomicU64,
}

impl ShownProgress {
    /// Nothing yet of something.
    pub fn of(doing: &'static str) -> Self {
        Self { doing, is_terminal: io::stderr().is_terminal(), shown: AtomicU64::new(0) }
    }

    /// Shows how much of it is done; called from many threads.
    pub fn show(&self, done: u64, total: u64) {
        let share = (u128::from(done) * 1000 / u128::from(total.max(1))).try_into().unwrap_or(1000);
        if self.is_terminal && self.shown.fetch_max(share, Ordering::Relaxed) < share {
            let _ = write!(io::stderr(), "\r{}, {:5.1} %", self.doing, share as f64 / 10.0);
        }
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        if self.is_terminal && self.shown.load(Ordering::Relaxed) > 0 {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
