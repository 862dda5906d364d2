//! [`FailsOnce`]: a writer for those that write an end when they are dropped.

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Takes everything, and writes nothing, after the first error and once it is given up: a writer of archives tidies up by
/// writing an end, and would complain about that on the terminal, where the first error is told already.
#[derive(Debug)]
pub struct FailsOnce<W> {
    inner: W,
    has_failed: bool,
    is_given_up: Arc<AtomicBool>,
    /// Where the next byte goes, and behind the last one, also of those that aren't written: whoever tidies up relies on it.
    position: u64,
    end: u64,
}

/// Dropping it gives a [`FailsOnce`] up. Declared behind what writes to that, it is dropped before it.
#[derive(Debug)]
pub struct GivesUp(Arc<AtomicBool>);

impl Drop for GivesUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<W> FailsOnce<W> {
    /// Nothing has failed yet, and nothing is written.
    pub fn new(inner: W) -> Self {
        Self { inner, has_failed: false, is_given_up: Arc::default(), position: 0, end: 0 }
    }

    /// What gives it up.
    pub fn gives_up(&self) -> GivesUp {
        GivesUp(self.is_given_up.clone())
    }

    /// Whether there was an error.
    pub const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.inner
    }

    fn is_over(&self) -> bool {
        self.has_failed || self.is_given_up.load(Ordering::Relaxed)
    }

    fn move_to(&mut self, position: u64) -> u64 {
        self.position = position;
        self.end = self.end.max(position);
        position
    }
}

impl<W: Write> Write for FailsOnce<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let len = if self.is_over() { buf.len() } else { self.inner.write(buf).inspect_err(|_| self.has_failed = true)? };
        self.move_to(self.position.saturating_add(len as u64));
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_over() { Ok(()) } else { self.inner.flush().inspect_err(|_| self.has_failed = true) }
    }
}

impl<W: Seek> Seek for FailsOnce<W> {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        let position = if self.is_over() {
            match pos {
                SeekFrom::Start(at) => at,
                SeekFrom::End(by) => self.end.saturating_add_signed(by),
                SeekFrom::Current(by) => self.position.saturating_add_signed(by),
            }
        } else {
            self.inner.seek(pos).inspect_err(|_| self.has_failed = true)?
        };
        Ok(self.move_to(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_an_error_and_once_given_up_nothing_is_written_and_positions_go_on() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        impl Seek for Full {
            fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
                Ok(0)
            }
        }
        let mut full = FailsOnce::new(Full);
        assert!(full.write_all(b"abc").is_err());
        let mut given_up = FailsOnce::new(Full);
        drop(given_up.gives_up());
        for file in [&mut full, &mut given_up] {
            file.write_all(b"abcd").expect("taken");
            assert_eq!(file.seek(SeekFrom::Start(1)).expect("taken"), 1);
            file.write_all(b"x").expect("taken");
            assert_eq!(file.stream_position().expect("taken"), 2);
            assert_eq!(file.seek(SeekFrom::End(-1)).expect("taken"), 3);
        }
    }
}
