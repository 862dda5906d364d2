//! Indices of `sharding_indexed` shards: where each inner chunk lies.
//!
//! Specification: Zarr v3 core, sharding codec 1.0. Of index codecs `bytes` and any number of `crc32c` are
//! supported, since others have no fixed length.

use crate::codec::strip_crc32c;
use crate::format::ChunkFault;
use crate::format::array::GridEntry;
use crate::storage::ByteRange;

/// Longest index that is read, in bytes: four million chunks.
const MAX_INDEX_BYTES: u64 = 64 << 20;

/// Marks a chunk that isn't stored, as offset and as length.
const NOT_STORED: u64 = u64::MAX;

/// How an index is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexFormat {
    /// Byte order of its numbers.
    pub is_big_endian: bool,
    /// CRC-32C checksums behind it, each over all before it.
    pub checksums: u32,
    /// At the start of the shard instead of its end.
    pub is_at_start: bool,
}

impl IndexFormat {
    /// Bytes of an index of so many chunks.
    ///
    /// # Errors
    /// If it is longer than can be held.
    pub fn byte_len(self, chunk_count: Option<u64>) -> Result<u64, ChunkFault> {
        let len = chunk_count.and_then(|n| n.checked_mul(16)).and_then(|len| len.checked_add(4 * u64::from(self.checksums)));
        len.filter(|len| *len <= MAX_INDEX_BYTES)
            .ok_or_else(|| corrupt(format!("an index of more than {MAX_INDEX_BYTES} bytes can't be held")))
    }

    /// Where the index of a shard lies; `shard` is the shard's own span in its file.
    ///
    /// # Errors
    /// If the shard is shorter than its index.
    pub fn range(self, index_len: u64, shard: ByteRange) -> Result<ByteRange, ChunkFault> {
        if shard.len < index_len {
            return Err(corrupt(format!("the shard is truncated: {} bytes, its index alone has {index_len}", shard.len)));
        }
        let start = if self.is_at_start { shard.start } else { shard.end() - index_len };
        Ok(ByteRange { start, len: index_len })
    }

    /// Parses an index. `shard` is the shard's own span in its file, `index` that of the index; ranges come out
    /// as positions in the file. Tells too whether a checksum didn't match.
    ///
    /// Entries outside of the shard, inside the index or overlapping another one are marked as corrupt.
    ///
    /// # Errors
    /// If the bytes are no index of so many chunks.
    pub fn parse(self, bytes: &[u8], shard: ByteRange, index: ByteRange) -> Result<(Vec<GridEntry>, bool), ChunkFault> {
        let (mut bytes, mut is_damaged) = (bytes, false);
        for _ in 0..self.checksums {
            let (payload, damaged) = strip_crc32c(bytes).map_err(|_| corrupt("it is too short for its checksum".to_owned()))?;
            bytes = payload;
            is_damaged |= damaged;
        }
        let number = |bytes: [u8; 8]| if self.is_big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) };
        let numbers = bytes.as_chunks::<8>().0;
        let mut entries: Vec<GridEntry> =
            numbers.as_chunks::<2>().0.iter().map(|[offset, len]| entry(number(*offset), number(*len), shard, index)).collect();
        mark_overlaps(&mut entries);
        Ok((entries, is_damaged))
    }
}

/// A fault of an index.
pub fn corrupt(reason: String) -> ChunkFault {
    ChunkFault::Index { index: "shard index", reason }
}

fn entry(offset: u64, len: u64, shard: ByteRange, index: ByteRange) -> GridEntry {
    if offset == NOT_STORED && len == NOT_STORED {
        return GridEntry::Absent;
    }
    let range = ByteRange { start: shard.start.saturating_add(offset), len };
    let is_inside = offset.checked_add(len).is_some_and(|end| end <= shard.len);
    let meets_index = range.start < index.end() && index.start < range.end();
    if is_inside && !meets_index { GridEntry::At(range) } else { GridEntry::Corrupt(range) }
}

/// Marks all entries that share bytes: which of them is right can't be told.
fn mark_overlaps(entries: &mut [GridEntry]) {
    let mut stored: Vec<(ByteRange, usize)> = entries
        .iter()
        .enumerate()
        .filter_map(|(i, entry)| match entry {
            GridEntry::At(range) if range.len > 0 => Some((*range, i)),
            GridEntry::At(_) | GridEntry::Absent | GridEntry::Corrupt(_) => None,
        })
        .collect();
    if stored.is_sorted_by(|(a, _), (b, _)| a.end() <= b.start) {
        return;
    }
    stored.sort_unstable_by_key(|(range, _)| range.start);
    let (mut reach, mut farthest) = (0, None);
    for (range, i) in stored {
        if range.start < reach {
            for overlapping in farthest.into_iter().chain([i]) {
                if let GridEntry::At(range) = entries[overlapping] {
                    entries[overlapping] = GridEntry::Corrupt(range);
                }
            }
        }
        if range.end() > reach {
            (reach, farthest) = (range.end(), Some(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const END: IndexFormat = IndexFormat { is_big_endian: false, checksums: 1, is_at_start: false };

    fn range(start: u64, len: u64) -> ByteRange {
        ByteRange { start, len }
    }

    /// The example of `other-formats.md`: two chunks, the second not stored.
    #[test]
    fn the_index_at_the_end() {
        let mut shard = vec![1, 0, 2, 0, 3, 0, 4, 0];
        shard.extend([0; 8]);
        shard.extend([8, 0, 0, 0, 0, 0, 0, 0]);
        shard.extend([0xff; 16]);
        shard.extend([0x15, 0x59, 0xed, 0xe7]);
        let whole = range(0, 44);
        let len = END.byte_len(Some(2)).expect("short");
        let at = END.range(len, whole).expect("inside");
        assert_eq!(at, range(8, 36));
        let (entries, is_damaged) = END.parse(&shard[8..], whole, at).expect("an index");
        assert_eq!((entries, is_damaged), (vec![GridEntry::At(range(0, 8)), GridEntry::Absent], false));
        shard[43] ^= 1;
        assert!(END.parse(&shard[8..], whole, at).expect("an index").1);
    }

    #[test]
    fn the_index_at_the_start_counts_from_the_start_of_the_file() {
        let start = IndexFormat { is_at_start: true, ..END };
        let mut index = vec![0x24, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0];
        index.extend([0xff; 16]);
        index.extend([0x8e, 0x43, 0x29, 0xbc]);
        let (entries, is_damaged) = start.parse(&index, range(0, 44), range(0, 36)).expect("an index");
        assert_eq!((entries, is_damaged), (vec![GridEntry::At(range(36, 8)), GridEntry::Absent], false));
    }

    fn entries_of(list: &[(u64, u64)]) -> Vec<GridEntry> {
        let format = IndexFormat { is_big_endian: true, checksums: 0, is_at_start: false };
        let bytes: Vec<u8> = list.iter().flat_map(|(offset, len)| [offset.to_be_bytes(), len.to_be_bytes()].concat()).collect();
        let index_len = bytes.len() as u64;
        format.parse(&bytes, range(100, 50 + index_len), range(150, index_len)).expect("an index").0
    }

    #[test]
    fn entries_outside_or_overlapping_are_corrupt() {
        use GridEntry::{Absent, At, Corrupt};
        assert_eq!(entries_of(&[(20, 30), (0, 20), (u64::MAX, u64::MAX)]), [At(range(120, 30)), At(range(100, 20)), Absent]);
        assert_eq!(entries_of(&[(0, 51), (u64::MAX, 1)]), [Corrupt(range(100, 51)), Corrupt(range(u64::MAX, 1))]);
        let overlapping = entries_of(&[(0, 30), (5, 5), (10, 5), (30, 5)]);
        assert_eq!(overlapping, [Corrupt(range(100, 30)), Corrupt(range(105, 5)), Corrupt(range(110, 5)), At(range(130, 5))]);
        assert_eq!(entries_of(&[(0, 10), (0, 10)]), [Corrupt(range(100, 10)); 2]);
    }

    #[test]
    fn huge_and_cut_indices_are_refused() {
        assert!(END.byte_len(None).is_err());
        assert!(END.byte_len(Some(1 << 40)).is_err());
        assert!(END.range(36, range(0, 35)).is_err());
    }

    proptest! {
        #[test]
        fn stored_ranges_are_disjoint_and_inside(list in prop::collection::vec((0_u64..60, 0_u64..20), 0..12)) {
            let mut stored: Vec<ByteRange> = entries_of(&list).into_iter().filter_map(|entry| match entry {
                GridEntry::At(range) if range.len > 0 => Some(range),
                GridEntry::At(_) | GridEntry::Absent | GridEntry::Corrupt(_) => None,
            }).collect();
            stored.sort_unstable_by_key(|range| range.start);
            prop_assert!(stored.is_sorted_by(|a, b| a.end() <= b.start));
            prop_assert!(stored.iter().all(|r| r.start >= 100 && r.end() <= 150));
        }
    }
}
