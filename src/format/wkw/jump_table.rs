//! The jump table of a compressed shard, in pages.
//!
//! Entry `n` is the offset of the first byte after chunk `n`; chunk 0 starts at `dataOffset`. So the
//! N + 1 numbers from byte 8 of the file on are a table of boundaries: chunk `n` is
//! `boundary[n] .. boundary[n + 1]`. A table can have 2^45 entries; pages keep what is read and held small,
//! and the usual table of 32³ chunks is exactly one page.

use crate::format::ChunkFault;
use crate::storage::ByteRange;

/// Chunks per page: all of a usual shard (32³), 256 KiB of table.
pub const PAGE_ENTRIES: u64 = 1 << 15;

/// Boundaries of up to [`PAGE_ENTRIES`] consecutive chunks.
#[derive(Debug)]
pub struct JumpTablePage {
    /// Number of the first chunk of the page.
    first: u64,
    /// One more than there are chunks.
    boundaries: Box<[u64]>,
}

/// A fault of an entry.
pub(super) const fn corrupt(reason: String) -> ChunkFault {
    ChunkFault::Index { index: "jump table", reason }
}

impl JumpTablePage {
    /// Byte range of the page's boundaries in the file. The first page's includes `dataOffset`, which
    /// stands just before the table.
    pub const fn bytes_of(page: u64, chunk_count: u64) -> ByteRange {
        let first = page * PAGE_ENTRIES;
        let rest = chunk_count.saturating_sub(first);
        let chunks = if rest < PAGE_ENTRIES { rest } else { PAGE_ENTRIES };
        ByteRange { start: 8 + 8 * first, len: 8 * (chunks + 1) }
    }

    /// A page from the bytes of [`Self::bytes_of`].
    pub fn parse(page: u64, bytes: &[u8]) -> Self {
        let boundaries = bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        Self { first: page * PAGE_ENTRIES, boundaries }
    }

    /// Memory of the page in bytes.
    pub const fn byte_len(&self) -> usize {
        self.boundaries.len() * 8
    }

    /// The bytes of a chunk of this page.
    ///
    /// Only this chunk's own two boundaries matter: damage elsewhere is no reason to refuse it.
    ///
    /// # Errors
    /// If the boundaries decrease, lie before `data_offset`, or behind the end of the file.
    pub fn chunk_range(&self, number: u64, data_offset: u64, file_len: u64) -> Result<ByteRange, ChunkFault> {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let pair = at.and_then(|at| self.boundaries.get(at..at + 2));
        let Some(&[start, end]) = pair else {
            return Err(ChunkFault::Internal(format!("chunk number {number} is on another page")));
        };
        let entry_byte = 16 + 8 * number;
        if end == 0 || start == 0 {
            return Err(corrupt(format!(
                "the entry at byte {} is 0, the shard was not written to the end",
                if end == 0 { entry_byte } else { entry_byte - 8 }
            )));
        }
        if start < data_offset {
            return Err(corrupt(format!(
                "the chunk's offset {start} is before the data at {data_offset} (entry at byte {})",
                entry_byte - 8
            )));
        }
        if end < start {
            return Err(corrupt(format!("the entry at byte {entry_byte} is {end}, before its predecessor's offset {start}")));
        }
        if start > file_len {
            return Err(corrupt(format!("the entry at byte {} is {start}, beyond the end of file at {file_len}", entry_byte - 8)));
        }
        if end > file_len {
            return Err(ChunkFault::Truncated { file_len, end });
        }
        Ok(ByteRange { start, len: end - start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(boundaries: &[u64]) -> JumpTablePage {
        JumpTablePage::parse(0, &boundaries.iter().flat_map(|b| b.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn chunks_lie_between_their_boundaries() {
        let page = page(&[0x50, 0x59, 0x62]);
        assert_eq!(page.chunk_range(0, 0x50, 152).ok(), Some(ByteRange { start: 0x50, len: 9 }));
        assert_eq!(page.chunk_range(1, 0x50, 152).ok(), Some(ByteRange { start: 0x59, len: 9 }));
        assert!(page.chunk_range(2, 0x50, 152).is_err());
    }

    #[test]
    fn damage_hits_only_the_chunks_it_bounds() {
        let page = page(&[80, 90, 5, 110, 120]);
        let sound = |n| page.chunk_range(n, 80, 200).is_ok();
        assert_eq!([sound(0), sound(1), sound(2), sound(3)], [true, false, false, true]);
    }

    #[test]
    fn an_interrupted_write_is_named_as_such() {
        let message = page(&[80, 90, 0]).chunk_range(1, 80, 200).expect_err("zero entry").to_string();
        assert!(message.contains("not written to the end"), "{message}");
    }

    #[test]
    fn the_table_of_a_usual_shard_is_one_page() {
        assert_eq!(JumpTablePage::bytes_of(0, 32768), ByteRange { start: 8, len: 8 + 262_144 });
        assert_eq!(JumpTablePage::bytes_of(1, 40000), ByteRange { start: 8 + 8 * 32768, len: 8 * 7233 });
    }

    proptest! {
        #[test]
        fn any_content_gives_a_range_inside_the_file_or_an_error(
            boundaries in prop::collection::vec(prop_oneof![any::<u64>(), 0_u64..300], 0..40),
            number in 0_u64..50, data_offset in prop_oneof![any::<u64>(), 0_u64..300], file_len in prop_oneof![any::<u64>(), 0_u64..300],
        ) {
            if let Ok(range) = page(&boundaries).chunk_range(number, data_offset, file_len) {
                prop_assert!(range.start >= data_offset && range.start.checked_add(range.len).is_some_and(|end| end <= file_len));
            }
        }
    }
}
