//! [`EntryReader`]: the content of one entry, inflated and checked.

use super::super::StorageError;
use super::directory::{Entry, Method};
use super::region::Region;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io;

/// Length of a local header without name and extra field.
pub(super) const LOCAL_HEADER_LEN: usize = 30;

/// What local headers begin with.
pub(super) const LOCAL_MAGIC: &[u8; 4] = b"PK\x03\x04";

/// Most bytes that are read at a time.
const READ_BYTES: u64 = 256 << 10;

/// Room for the extra field of a local header, so that header and data are read at once.
const EXTRA_ROOM: u64 = 64;

/// Deflate makes at most this many bytes of one.
const MAX_EXPANSION: u64 = 1032;

/// Reads an entry from its start on.
pub struct EntryReader<'a> {
    region: &'a Region,
    entry: Entry,
    name: &'a str,
    input: Vec<u8>,
    input_at: usize,
    /// Where the next input is read, and how much of the entry is left there.
    next: u64,
    left: u64,
    inflate: Option<Decompress>,
    produced: u64,
    crc: Crc,
    is_done: bool,
    /// For what was cut off or damaged: its end is where the usable bytes end.
    takes_what_there_is: bool,
    /// What was found wrong of what is taken as it is.
    fault: Option<StorageError>,
}

impl<'a> EntryReader<'a> {
    /// Reads the local header, and the content with it if that is short.
    ///
    /// # Errors
    /// If the entry is encrypted or compressed in another way, or its header can't be that of the entry.
    pub(super) fn new(region: &'a Region, entry: &Entry, name: &'a str, takes_what_there_is: bool) -> Result<Self, StorageError> {
        Self::with_first_read(region, entry, name, takes_what_there_is, READ_BYTES)
    }

    /// The same, reading at most `first_read` bytes of content with the header.
    pub(super) fn with_first_read(
        region: &'a Region,
        entry: &Entry,
        name: &'a str,
        takes_what_there_is: bool,
        first_read: u64,
    ) -> Result<Self, StorageError> {
        let mut reader = Self {
            region,
            entry: *entry,
            name,
            input: Vec::new(),
            input_at: 0,
            next: 0,
            left: 0,
            inflate: (entry.method == Method::Deflated).then(|| Decompress::new(false)),
            produced: 0,
            crc: Crc::new(),
            is_done: false,
            takes_what_there_is,
            fault: None,
        };
        match entry.method {
            Method::Stored | Method::Deflated => {}
            Method::Other(code) => return Err(reader.error(format!("compression method {code} isn't supported"))),
            Method::Encrypted => return Err(reader.error("the entry is encrypted")),
        }
        if entry.is_cut {
            reader.damaged("the archive is cut off or damaged inside of this entry")?;
        }
        let most = match entry.method {
            Method::Deflated => entry.stored_len.saturating_mul(MAX_EXPANSION),
            Method::Stored | Method::Other(_) | Method::Encrypted => entry.stored_len,
        };
        if entry.len > most && !takes_what_there_is {
            let reason = format!("{} bytes are stored for {}, at most {most} can come of them", entry.stored_len, entry.len);
            return Err(reader.error(reason));
        }
        let header_len = LOCAL_HEADER_LEN as u64 + name.len() as u64 + EXTRA_ROOM;
        let at_once = header_len + entry.stored_len.min(first_read);
        reader.input = region.read_vec(entry.header, usize::try_from(at_once).unwrap_or(0))?;
        let content = reader.content_start()?;
        let in_input = usize::try_from(content - entry.header).unwrap_or(usize::MAX);
        if in_input <= reader.input.len() {
            let read = (reader.input.len() - in_input) as u64;
            let used = read.min(entry.stored_len);
            reader.input.truncate(in_input + usize::try_from(used).unwrap_or(0));
            (reader.input_at, reader.next, reader.left) = (in_input, content + used, entry.stored_len - used);
        } else {
            reader.input.clear();
            (reader.next, reader.left) = (content, entry.stored_len);
        }
        Ok(reader)
    }

    /// Checks the local header in the input; where the content begins.
    fn content_start(&mut self) -> Result<u64, StorageError> {
        let Some(header) = self.input.first_chunk::<LOCAL_HEADER_LEN>() else {
            return Err(self.error(format!("the archive ends before the entry's header at byte {}", self.entry.header)));
        };
        if !header.starts_with(LOCAL_MAGIC) {
            return Err(self.error(format!("no entry's header at byte {}", self.entry.header)));
        }
        let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let is_deflated = self.entry.method == Method::Deflated;
        if number(8) != if is_deflated { 8 } else { 0 } {
            return Err(self.error(format!("the entry's header at byte {} says another method than the directory", self.entry.header)));
        }
        let start = self.entry.header + (LOCAL_HEADER_LEN as u64) + u64::from(number(26)) + u64::from(number(28));
        let end = start.saturating_add(self.entry.stored_len);
        if end > self.region.len {
            self.damaged(format!("the entry is said to end at byte {end}, the archive ends at {}", self.region.len))?;
        }
        Ok(start)
    }

    /// Where a stored entry's content begins in the region.
    pub(super) const fn stored_start(&self) -> u64 {
        // The input read so far lies before `next`.
        self.next - (self.input.len() - self.input_at) as u64
    }

    /// What is wrong with an entry that is taken as far as it goes, as far as it was read.
    pub const fn fault(&self) -> Option<&StorageError> {
        self.fault.as_ref()
    }

    /// Damage ends the reading: with this error, or quietly where the entry is taken as far as it goes.
    fn damaged(&mut self, reason: impl Into<String>) -> Result<(), StorageError> {
        let err = self.error(reason);
        if !self.takes_what_there_is {
            return Err(err);
        }
        self.fault.get_or_insert(err);
        Ok(())
    }

    fn error(&self, reason: impl Into<String>) -> StorageError {
        StorageError::Archive { reason: reason.into(), location: format!("{} › {}", self.region.location, self.name) }
    }

    /// Reads more input if all is used; `false` at the end of what is stored.
    fn refill(&mut self) -> Result<bool, StorageError> {
        if self.input_at < self.input.len() {
            return Ok(true);
        }
        if self.left == 0 {
            return Ok(false);
        }
        let len = self.left.min(READ_BYTES);
        self.input = self.region.read_vec(self.next, usize::try_from(len).unwrap_or(0))?;
        self.input_at = 0;
        let got = self.input.len() as u64;
        (self.next, self.left) = (self.next + got, self.left - got);
        if got < len {
            self.damaged(format!("the archive ends at byte {}, inside of this entry", self.next))?;
        }
        Ok(got > 0)
    }

    /// Fills the start of `out`; 0 at the end, which is only reached if length and checksum are right.
    pub(super) fn fill(&mut self, out: &mut [u8]) -> Result<usize, StorageError> {
        let mut filled = 0;
        while filled < out.len() && !self.is_done {
            let has_input = self.refill()?;
            let mut broken = None;
            let (used, made, ends) = match &mut self.inflate {
                None => {
                    let n = (self.input.len() - self.input_at).min(out.len() - filled);
                    out[filled..filled + n].copy_from_slice(&self.input[self.input_at..self.input_at + n]);
                    (n, n, !has_input)
                }
                Some(inflate) => {
                    let before = (inflate.total_in(), inflate.total_out());
                    let status = inflate.decompress(&self.input[self.input_at..], &mut out[filled..], FlushDecompress::None);
                    let used = usize::try_from(inflate.total_in() - before.0).unwrap_or(0);
                    let made = usize::try_from(inflate.total_out() - before.1).unwrap_or(0);
                    match status {
                        Ok(Status::StreamEnd) => (used, made, true),
                        Ok(_) if has_input || made > 0 => (used, made, false),
                        Ok(_) => {
                            broken = Some("its deflate stream has no end".to_owned());
                            (used, made, true)
                        }
                        Err(err) => {
                            broken = Some(format!("its deflate stream is broken: {err}"));
                            (used, made, true)
                        }
                    }
                }
            };
            self.input_at += used;
            let wanted = usize::try_from(self.entry.len - self.produced).unwrap_or(usize::MAX).min(made);
            self.crc.update(&out[filled..filled + wanted]);
            self.produced += wanted as u64;
            filled += wanted;
            if wanted < made {
                broken = Some(format!("more bytes come of it than the {} of the directory", self.entry.len));
            }
            if let Some(reason) = broken {
                self.damaged(reason)?;
                self.is_done = true;
            } else if ends {
                self.is_done = true;
                self.check()?;
            }
        }
        Ok(filled)
    }

    /// Checks length and checksum at the end.
    fn check(&mut self) -> Result<(), StorageError> {
        let unused = self.left + (self.input.len() - self.input_at) as u64;
        if self.produced != self.entry.len {
            self.damaged(format!("{} bytes come of it, the directory says {}", self.produced, self.entry.len))
        } else if unused > 0 {
            self.damaged(format!("{unused} of its {} stored bytes lie behind its end", self.entry.stored_len))
        } else if self.crc.sum() != self.entry.crc32 {
            self.damaged(format!("wrong checksum: CRC-32 is {:08x}, {:08x} expected", self.crc.sum(), self.entry.crc32))
        } else {
            Ok(())
        }
    }

    /// All of the content, of which the caller has checked the length.
    pub(super) fn whole(mut self) -> Result<Vec<u8>, StorageError> {
        // One byte more, so that the end is seen with it.
        let mut bytes = vec![0; usize::try_from(self.entry.len).unwrap_or(usize::MAX).saturating_add(1)];
        let got = self.fill(&mut bytes)?;
        bytes.truncate(got);
        Ok(bytes)
    }
}

impl io::Read for EntryReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.fill(out).map_err(io::Error::other)
    }
}
