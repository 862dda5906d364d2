//! [`Region`]: the bytes of an archive, which may be a part of a file; [`RegionReader`]: a stream over them.

use super::super::{Storage, StorageError, StorageKey};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A span of a file in another storage.
#[derive(Clone)]
pub(super) struct Region {
    pub storage: Arc<dyn Storage>,
    pub key: StorageKey,
    pub start: u64,
    pub len: u64,
    /// The archive, for messages.
    pub location: String,
}

impl Region {
    /// Reads from `offset` on; fewer bytes than asked for only at the end.
    pub fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, StorageError> {
        let left = self.len.saturating_sub(offset);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let at = self.start.saturating_add(offset);
        Ok(self.storage.read_at(&self.key, at, &mut buf[..most])?.unwrap_or(0))
    }

    /// Reads up to `len` bytes from `offset` on.
    pub fn read_vec(&self, offset: u64, len: usize) -> Result<Vec<u8>, StorageError> {
        let left = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; len.min(left)];
        let got = self.read_at(offset, &mut bytes)?;
        bytes.truncate(got);
        Ok(bytes)
    }

    /// An error about the archive as a whole.
    pub fn fault(&self, reason: impl Into<String>) -> StorageError {
        StorageError::Archive { reason: reason.into(), location: self.location.clone() }
    }
}

/// Reads a region in blocks, so that many small reads near each other become few.
pub(super) struct RegionReader<'a> {
    region: &'a Region,
    position: u64,
    block: Vec<u8>,
    block_start: u64,
}

/// Bytes per read.
const BLOCK_BYTES: u64 = 128 << 10;

impl<'a> RegionReader<'a> {
    pub fn new(region: &'a Region) -> Self {
        Self { region, position: 0, block: Vec::new(), block_start: 0 }
    }

    /// Bytes from the current position on, at least one before the end.
    pub fn available(&mut self) -> Result<&[u8], StorageError> {
        let at = self.position.checked_sub(self.block_start).and_then(|at| usize::try_from(at).ok());
        if at.is_none_or(|at| at >= self.block.len()) {
            self.block_start = self.position / BLOCK_BYTES * BLOCK_BYTES;
            self.block = self.region.read_vec(self.block_start, BLOCK_BYTES as usize)?;
        }
        let at = usize::try_from(self.position - self.block_start).unwrap_or(usize::MAX);
        Ok(self.block.get(at..).unwrap_or_default())
    }

    /// Moves on by bytes of [`Self::available`], or to anywhere.
    pub const fn set_position(&mut self, position: u64) {
        self.position = position;
    }

    pub const fn position(&self) -> u64 {
        self.position
    }
}

impl Read for RegionReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.available().map_err(io::Error::other)?;
        let n = available.len().min(out.len());
        out[..n].copy_from_slice(&available[..n]);
        self.position += n as u64;
        Ok(n)
    }
}

impl Seek for RegionReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.region.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}
