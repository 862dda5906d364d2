//! Log messages go to stderr as usual, and into the ring that the Log tab shows.

use crate::state::LogLines;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::OnceLock;

/// The ring that the program's logger fills.
pub fn shared_log() -> LogLines {
    static LINES: OnceLock<LogLines> = OnceLock::new();
    LINES.get_or_init(LogLines::default).clone()
}

struct Tee {
    stderr: env_logger::Logger,
    lines: LogLines,
}

impl Log for Tee {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Debug || self.stderr.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        // Of other crates only what went wrong concerns the reader of the Log tab.
        let is_ours = record.target().starts_with("chunkscope");
        if record.level() <= if is_ours { Level::Debug } else { Level::Warn } {
            self.lines.push(record.level(), record.args().to_string());
        }
        if self.stderr.matches(record) {
            self.stderr.log(record);
        }
    }

    fn flush(&self) {
        self.stderr.flush();
    }
}

/// Installs the logger. `RUST_LOG` chooses what stderr gets; by default errors only, since warnings are in the window.
pub fn init_logger() {
    let stderr = env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error")).build();
    let filter = stderr.filter().max(LevelFilter::Debug);
    if log::set_boxed_logger(Box::new(Tee { stderr, lines: shared_log() })).is_ok() {
        log::set_max_level(filter);
    }
}
