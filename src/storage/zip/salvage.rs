//! Finding entries without a central directory, by walking from one local header to the next.

use super::super::StorageError;
use super::directory::{Collected, Dropped, Method, RawEntry, method_from_code};
use super::entry::{LOCAL_HEADER_LEN, LOCAL_MAGIC};
use super::region::{Region, RegionReader};
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{Read, Seek, SeekFrom};

/// What a data descriptor begins with, where its writer gave it a signature.
const DESCRIPTOR_MAGIC: &[u8; 4] = b"PK\x07\x08";

/// Inflated bytes of all entries together that are looked through for ends of streams.
const MAX_INFLATED_BYTES: u64 = 16 << 30;

/// Adds all entries whose local headers can be found.
///
/// # Errors
/// If the archive can't be read. That it ends early is none.
pub(super) fn salvage(region: &Region, found: &mut Collected) -> Result<(), StorageError> {
    let mut walk = Walk { region, reader: RegionReader::new(region), inflated: 0 };
    let mut at = 0;
    while let Some(header) = walk.find(LOCAL_MAGIC, at)? {
        at = walk.entry(header, found)?;
    }
    Ok(())
}

struct Walk<'a> {
    region: &'a Region,
    reader: RegionReader<'a>,
    inflated: u64,
}

/// Where the content of an entry ends, and what came of it.
struct Content {
    stored_len: u64,
    len: u64,
    crc32: u32,
    is_cut: bool,
}

impl Walk<'_> {
    /// The next place of a signature from `at` on.
    fn find(&mut self, magic: &[u8; 4], mut at: u64) -> Result<Option<u64>, StorageError> {
        loop {
            self.reader.set_position(at);
            let available = self.reader.available()?;
            if available.is_empty() {
                return Ok(None);
            }
            match available.windows(4).position(|four| four == magic) {
                Some(offset) => return Ok(Some(at + offset as u64)),
                None if available.len() < 4 => {
                    // Across two blocks.
                    if self.exact::<4>(at)? == Some(*magic) {
                        return Ok(Some(at));
                    }
                    at += 1;
                }
                None => at += available.len() as u64 - 3,
            }
        }
    }

    /// Bytes at a place; `None` if the archive ends before their end.
    fn exact<const N: usize>(&mut self, at: u64) -> Result<Option<[u8; N]>, StorageError> {
        let bytes = self.bytes(at, N)?;
        Ok(bytes.first_chunk::<N>().copied())
    }

    fn bytes(&mut self, at: u64, len: usize) -> Result<Vec<u8>, StorageError> {
        let wrap = |err| StorageError::from_io(err, "read", &self.region.location);
        self.reader.seek(SeekFrom::Start(at)).map_err(wrap)?;
        let mut bytes = Vec::new();
        (&mut self.reader).take(len as u64).read_to_end(&mut bytes).map_err(wrap)?;
        Ok(bytes)
    }

    /// Adds the entry whose header begins at `header`; where to look for the next one.
    fn entry(&mut self, header: u64, found: &mut Collected) -> Result<u64, StorageError> {
        let Some(fixed) = self.exact::<LOCAL_HEADER_LEN>(header)? else { return Ok(self.region.len) };
        let number = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let (flags, code) = (number(6), number(8));
        let (name_len, extra_len) = (usize::from(number(26)), usize::from(number(28)));
        let tail = self.bytes(header + LOCAL_HEADER_LEN as u64, name_len + extra_len)?;
        let Some((name, extra)) = tail.split_at_checked(name_len).filter(|(_, extra)| extra.len() == extra_len) else {
            return Ok(self.region.len);
        };
        let name = String::from_utf8_lossy(name).into_owned();
        let start = header + (LOCAL_HEADER_LEN + name_len + extra_len) as u64;
        let (mut stored_len, mut len) = (u64::from(long(18)), u64::from(long(22)));
        if stored_len == u64::from(u32::MAX) || len == u64::from(u32::MAX) {
            (stored_len, len) = zip64_lengths(extra).unwrap_or((stored_len, len));
        }
        let method = if flags & 1 != 0 { Method::Encrypted } else { method_from_code(code) };
        let has_descriptor = flags & 8 != 0;
        let content = match method {
            // Its true length may stand behind it, where the end of the stream is.
            Method::Deflated if has_descriptor => self.inflate(start)?,
            Method::Stored if has_descriptor && stored_len == 0 => self.stored_before_descriptor(start)?,
            Method::Stored | Method::Deflated | Method::Other(_) | Method::Encrypted => {
                let left = self.region.len.saturating_sub(start);
                let is_cut = stored_len > left;
                Some(Content { stored_len: stored_len.min(left), len, crc32: long(14), is_cut })
            }
        };
        let Some(content) = content else {
            found.drop_entry(Dropped::CutOff, &name);
            return Ok(start);
        };
        let mut end = start + content.stored_len;
        if content.is_cut {
            found.drop_entry(Dropped::CutOff, &name);
            // Where it really ends isn't known.
            end = start;
        }
        if !name.ends_with('/') {
            let Content { stored_len, len, crc32, is_cut } = content;
            found.add(&name, RawEntry { method, is_cut, crc32, stored_len, len, header });
        }
        Ok(end)
    }

    /// Finds the end of a deflate stream by inflating it, or where it is broken; `None` if nothing comes of it.
    fn inflate(&mut self, start: u64) -> Result<Option<Content>, StorageError> {
        let mut inflate = Decompress::new(false);
        let mut crc = Crc::new();
        let mut out = vec![0; 64 << 10];
        self.reader.set_position(start);
        loop {
            let input = self.reader.available()?;
            let at_end = input.is_empty();
            let before = inflate.total_out();
            let in_before = inflate.total_in();
            let status = inflate.decompress(input, &mut out, FlushDecompress::None);
            let made = usize::try_from(inflate.total_out() - before).unwrap_or(0);
            let used = inflate.total_in() - in_before;
            crc.update(&out[..made]);
            self.inflated += made as u64;
            let position = self.reader.position();
            self.reader.set_position(position + used);
            let content = |is_cut| Content { stored_len: inflate.total_in(), len: inflate.total_out(), crc32: crc.sum(), is_cut };
            match status {
                Ok(Status::StreamEnd) => return Ok(Some(content(false))),
                Ok(_) if at_end && made == 0 => return Ok(Some(content(true))),
                Ok(_) if self.inflated > MAX_INFLATED_BYTES => {
                    return Err(self
                        .region
                        .fault(format!("no central directory, and its entries are more than {MAX_INFLATED_BYTES} bytes")));
                }
                Ok(_) => {}
                Err(_) if inflate.total_out() > 0 => return Ok(Some(content(true))),
                Err(_) => return Ok(None),
            }
        }
    }

    /// Finds the descriptor behind stored content: one that says the length up to itself.
    fn stored_before_descriptor(&mut self, start: u64) -> Result<Option<Content>, StorageError> {
        let mut at = start;
        while let Some(descriptor) = self.find(DESCRIPTOR_MAGIC, at)? {
            let bytes = self.bytes(descriptor, 24)?;
            let distance = descriptor - start;
            let crc32 = bytes.get(4..8).and_then(|crc| crc.first_chunk()).map_or(0, |crc| u32::from_le_bytes(*crc));
            let short = bytes.get(8..12).and_then(|len| len.first_chunk()).map(|len| u64::from(u32::from_le_bytes(*len)));
            let long = bytes.get(8..16).and_then(|len| len.first_chunk()).map(|len| u64::from_le_bytes(*len));
            if short == Some(distance) || long == Some(distance) {
                return Ok(Some(Content { stored_len: distance, len: distance, crc32, is_cut: false }));
            }
            at = descriptor + 4;
        }
        Ok(None)
    }
}

/// Stored and full length in a Zip64 extra field.
fn zip64_lengths(extra: &[u8]) -> Option<(u64, u64)> {
    let mut rest = extra;
    while let Some((&[a, b, c, d], tail)) = rest.split_first_chunk::<4>() {
        let (id, len) = (u16::from_le_bytes([a, b]), usize::from(u16::from_le_bytes([c, d])));
        let field = tail.get(..len)?;
        if id == 1 {
            let (len, stored) = (field.first_chunk::<8>()?, field.get(8..)?.first_chunk::<8>()?);
            return Some((u64::from_le_bytes(*stored), u64::from_le_bytes(*len)));
        }
        rest = tail.get(len..)?;
    }
    None
}
