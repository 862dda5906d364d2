//! Files of exactly one chunk, as annotations have them: header, jump table of one entry and data in one piece.

use super::header::{BlockType, HEADER_LEN, WkwHeader};
use super::jump_table::JumpTablePage;
use crate::codec::lz4;
use crate::format::ChunkFault;
use crate::voxel::VoxelType;

/// Decodes the chunk of a whole file by the file's own header; `out` has the length of a chunk of `expected` voxels
/// with edges of `2^chunk_log2`.
///
/// # Errors
/// If the header isn't that of such a file, or the chunk can't be decoded.
pub fn decode_single_chunk(file: &[u8], expected: VoxelType, chunk_log2: u8, out: &mut [u8]) -> Result<(), ChunkFault> {
    let header = WkwHeader::parse(file).map_err(|err| ChunkFault::ShardHeader(err.to_string()))?;
    if header.voxel_type != expected {
        return Err(ChunkFault::ShardHeader(format!("voxel type is {}, that of the mag {expected}", header.voxel_type)));
    }
    if (header.chunk_log2, header.chunks_per_shard_log2) != (chunk_log2, 0) {
        let (shape, count) = (header.chunk_shape(), header.chunk_count());
        return Err(ChunkFault::ShardHeader(format!("it has {count} chunks of {shape} voxels, one of {}³ is expected", 1 << chunk_log2)));
    }
    let file_len = file.len() as u64;
    let table_end = header.expected_data_offset();
    if header.data_offset < table_end {
        return Err(ChunkFault::ShardHeader(format!(
            "data offset {} at byte 8 lies inside the header and jump table, which end at byte {table_end}",
            header.data_offset
        )));
    }
    let (start, end) = match header.block_type {
        BlockType::Raw => (header.data_offset, header.data_offset.saturating_add(out.len() as u64)),
        BlockType::Lz4 | BlockType::Lz4Hc => {
            let table = file.get(HEADER_LEN - 8..HEADER_LEN + 8).ok_or(ChunkFault::Truncated { file_len, end: table_end })?;
            let range = JumpTablePage::parse(0, table).chunk_range(0, header.data_offset, file_len)?;
            (range.start, range.end())
        }
    };
    let span = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let stored = span.and_then(|(start, end)| file.get(start..end)).ok_or(ChunkFault::Truncated { file_len, end })?;
    match header.block_type {
        BlockType::Raw => out.copy_from_slice(stored), // as long: so `end` was made
        BlockType::Lz4 | BlockType::Lz4Hc if stored.is_empty() => out.fill(0),
        BlockType::Lz4 | BlockType::Lz4Hc => lz4::decode_into(stored, out)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::ElementClass;

    fn file(header: [u8; 4], rest: &[u8]) -> Vec<u8> {
        [&b"WKW\x01"[..], &header, rest].concat()
    }

    /// Decodes as uint8 with 2³ voxels.
    fn decoded(file: &[u8]) -> Result<Vec<u8>, String> {
        let mut out = [9; 8];
        decode_single_chunk(file, VoxelType::single(ElementClass::Uint8), 1, &mut out).map_err(|err| err.to_string())?;
        Ok(out.to_vec())
    }

    #[test]
    fn all_block_types_are_read_by_the_files_own_header() {
        let voxels = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(decoded(&file([1, 1, 1, 1], &[&16_u64.to_le_bytes()[..], &voxels].concat())), Ok(voxels.to_vec()));
        let block = lz4::encode(&voxels);
        let end = 24 + block.len() as u64;
        for block_type in [2, 3] {
            let rest = [&24_u64.to_le_bytes()[..], &end.to_le_bytes(), &block].concat();
            assert_eq!(decoded(&file([1, block_type, 1, 1], &rest)), Ok(voxels.to_vec()));
        }
    }

    #[test]
    fn other_files_and_broken_ones_are_named() {
        let cases: [(Vec<u8>, &str); 6] = [
            (b"WKW".to_vec(), "truncated"),
            (file([1, 1, 2, 2], &[0; 8]), "voxel type"),
            (file([0x11, 1, 1, 1], &[0; 8]), "8 chunks"),
            (file([1, 1, 1, 1], &[0; 8]), "data offset"),
            (file([1, 1, 1, 1], &[&16_u64.to_le_bytes()[..], &[0; 7]].concat()), "truncated"),
            (file([1, 2, 1, 1], &[&24_u64.to_le_bytes()[..], &99_u64.to_le_bytes()].concat()), "truncated"),
        ];
        for (bytes, word) in cases {
            let message = decoded(&bytes).expect_err(word);
            assert!(message.contains(word), "{message}");
        }
    }
}
