//! [`LogLines`]: the last log messages, for the Log tab.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// One log message.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// When it was written.
    pub at: SystemTime,
    /// Level.
    pub level: log::Level,
    /// Text without time and level.
    pub text: String,
}

/// A bounded ring of log messages, shared with the logger.
#[derive(Clone, Debug, Default)]
pub struct LogLines(Arc<Mutex<VecDeque<LogLine>>>);

impl LogLines {
    /// More lines are not kept.
    pub const MAX: usize = 1000;

    /// Adds a message.
    pub fn push(&self, level: log::Level, text: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == Self::MAX {
            lines.pop_front();
        }
        lines.push_back(LogLine { at: SystemTime::now(), level, text });
    }

    /// Messages up to a level, oldest first.
    pub fn up_to(&self, level: log::Level) -> Vec<LogLine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|line| line.level <= level).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filtered_by_level_and_bounded() {
        let lines = LogLines::default();
        for i in 0..LogLines::MAX + 5 {
            lines.push(log::Level::Info, i.to_string());
        }
        lines.push(log::Level::Debug, "detail".to_owned());
        assert_eq!(lines.up_to(log::Level::Info).len(), LogLines::MAX - 1);
        assert_eq!(lines.up_to(log::Level::Debug).len(), LogLines::MAX);
    }
}
