//! The journal of edits that no file has yet. What changed is added to its end, so that saving it takes as long as the
//! edits since the last time, and not as all edits.
//!
//! It begins with eight bytes that name it and its layout. Then come records: a head with kind, length and checksums, and
//! the content, numbers little-endian. Records count once a commit is behind them: what a killed program had begun to
//! write is as if it had never been. Of several records about the same thing the last counts. Files are opened by whoever
//! keeps the journal.

mod changes;
mod read;
mod record;
mod write;

pub use changes::{Base, Changes, Touched, VolumeChanges};
pub use read::{Lost, Saved, about};
pub use write::{Journal, JournalError};

#[cfg(test)]
mod tests;
