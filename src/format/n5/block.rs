//! [`BlockHeader`]: the first bytes of a block's file.

use crate::format::ChunkFault;
use crate::format::array::NdVec;

/// What a block says of itself: mode, dimensions, extent along each, and for mode 1 the number of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// Elements along each dimension. Blocks at the end of the array are cut or padded, as their writer likes.
    pub extent: NdVec,
    /// Elements stored, where the header says so (mode 1).
    pub stored_elements: Option<u64>,
    /// Bytes of the header; compressed elements follow.
    pub byte_len: usize,
}

fn corrupt(reason: impl Into<String>) -> ChunkFault {
    ChunkFault::Index { index: "block header", reason: reason.into() }
}

/// Takes bytes off the front, which are big-endian numbers.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ChunkFault> {
        let rest = self.all.get(self.at..).unwrap_or_default();
        let bytes = rest.first_chunk().ok_or_else(|| corrupt(format!("the file ends inside it, after {} bytes", self.all.len())))?;
        self.at += N;
        Ok(*bytes)
    }

    fn u16(&mut self) -> Result<u16, ChunkFault> {
        self.take().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u64, ChunkFault> {
        self.take().map(|bytes| u64::from(u32::from_be_bytes(bytes)))
    }
}

impl BlockHeader {
    /// Parses the header of a block whose extent is at most `block_shape`.
    ///
    /// # Errors
    /// If it ends early, is of a mode that holds no voxels, or contradicts the array.
    pub fn parse(stored: &[u8], block_shape: &NdVec) -> Result<Self, ChunkFault> {
        const DEFAULT: u16 = 0;
        const VARLENGTH: u16 = 1;
        const OBJECT: u16 = 2;
        let mut bytes = Bytes { all: stored, at: 0 };
        let mode = bytes.u16()?;
        match mode {
            DEFAULT | VARLENGTH => {}
            OBJECT => return Err(corrupt("mode 2: object blocks hold no voxels")),
            other => return Err(corrupt(format!("mode {other} at byte 0, expected 0 or 1"))),
        }
        let rank = usize::from(bytes.u16()?);
        if rank != block_shape.len() {
            return Err(corrupt(format!("{rank} dimensions at byte 2, the array has {}", block_shape.len())));
        }
        let mut extent = NdVec::zeros(rank);
        for dimension in 0..rank {
            extent[dimension] = bytes.u32()?;
        }
        if extent.iter().zip(block_shape.iter()).any(|(extent, most)| extent > most) {
            return Err(corrupt(format!("block of {extent} elements at byte 4, more than blockSize {block_shape}")));
        }
        let stored_elements = if mode == VARLENGTH { Some(bytes.u32()?) } else { None };
        if let (Some(stored), Some(voxels)) = (stored_elements, extent.product())
            && stored > voxels
        {
            return Err(corrupt(format!("mode 1: {stored} elements for a block of {voxels} voxels")));
        }
        Ok(Self { extent, stored_elements, byte_len: bytes.at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(stored: &[u8]) -> Result<BlockHeader, String> {
        BlockHeader::parse(stored, &NdVec::new(&[4, 3]).expect("short")).map_err(|err| err.to_string())
    }

    #[test]
    fn both_modes_that_hold_voxels_are_read() {
        let extent = NdVec::new(&[2, 3]).expect("short");
        assert_eq!(parse(&[0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 9]), Ok(BlockHeader { extent, stored_elements: None, byte_len: 12 }));
        let varlength = [0, 1, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5, 9];
        assert_eq!(parse(&varlength), Ok(BlockHeader { extent, stored_elements: Some(5), byte_len: 16 }));
    }

    #[test]
    fn damaged_headers_are_named() {
        let cases: [(&[u8], &str); 8] = [
            (&[0], "the file ends inside it, after 1 bytes"),
            (&[0, 0, 0, 2, 0, 0, 0, 2, 0], "the file ends inside it, after 9 bytes"),
            (&[0, 1, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3], "the file ends inside it, after 12 bytes"),
            (&[0, 2, 0, 0, 0, 9], "mode 2: object blocks hold no voxels"),
            (&[0x1f, 0x8b, 8, 0], "mode 8075 at byte 0, expected 0 or 1"),
            (&[0, 0, 0, 3, 0, 0], "3 dimensions at byte 2, the array has 2"),
            (&[0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 3], "block of 5 × 3 elements at byte 4, more than blockSize 4 × 3"),
            (&[0, 1, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 7], "mode 1: 7 elements for a block of 6 voxels"),
        ];
        for (stored, reason) in cases {
            assert_eq!(parse(stored), Err(format!("corrupt block header: {reason}")));
        }
    }
}
