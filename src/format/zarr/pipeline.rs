//! [`Pipeline`]: the codecs of an array, from stored bytes to elements.

use super::shard_index::{IndexFormat, corrupt};
use crate::codec::{CodecChain, DecodeError};
use crate::format::array::{DecodedLayout, GridEntry, NdVec};
use crate::format::{ChunkFault, MAX_CHUNK_BYTES};
use crate::storage::ByteRange;
use crate::voxel::{CopyAxis, copy_axes};

/// Levels of shards inside shards.
pub const MAX_NESTING: usize = 4;

/// Codecs of a chunk, in the order of decoding: `bytes` undone first, then elements in the order of `dims`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Bytes-to-bytes codecs.
    pub bytes: CodecChain,
    /// The array's dimensions in the order in which they are stored, slowest first: what transposes leave.
    pub dims: Vec<usize>,
    /// What the bytes are then.
    pub elements: Elements,
}

/// The array-to-bytes codec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// `bytes`: elements one after the other.
    Plain {
        /// Byte order.
        is_big_endian: bool,
    },
    /// `sharding_indexed`: chunks of their own.
    Sharded(Box<Sharded>),
}

/// The inside of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharded {
    /// Shape of an inner chunk, by the array's dimensions.
    pub chunk_shape: NdVec,
    /// How the index is stored.
    pub index: IndexFormat,
    /// Codecs of an inner chunk.
    pub inner: Pipeline,
}

/// What elements are, for decoding.
#[derive(Clone, Copy, Debug)]
pub struct ElementForm<'a> {
    /// Bytes of one.
    pub len: usize,
    /// The element where nothing is stored.
    pub fill: &'a [u8],
}

impl Sharded {
    /// Number of inner chunks along each dimension of a shard of this shape.
    pub fn grid(&self, shard_shape: &NdVec) -> NdVec {
        shard_shape.zip_with(&self.chunk_shape, |shard, chunk| shard / chunk)
    }
}

/// Number of a cell of a grid in C order of `dims`, slowest first.
pub fn linear_index(cell: &NdVec, grid: &NdVec, dims: &[usize]) -> u64 {
    dims.iter().fold(0_u64, |index, d| index.wrapping_mul(grid[*d]).wrapping_add(cell[*d]))
}

/// The cell with this number, the inverse of [`linear_index`].
fn cell_at(mut index: u64, grid: &NdVec, dims: &[usize]) -> NdVec {
    let mut cell = NdVec::zeros(grid.len());
    for d in dims.iter().rev() {
        cell[*d] = index % grid[*d];
        index /= grid[*d];
    }
    cell
}

impl Pipeline {
    /// How a decoded chunk of this shape lies in memory; `None` if it is too large.
    pub fn layout(&self, shape: &NdVec, element_len: usize) -> Option<DecodedLayout> {
        let is_big_endian = match &self.elements {
            Elements::Plain { is_big_endian } => *is_big_endian,
            Elements::Sharded(_) => false, // assembled by us
        };
        DecodedLayout::dense(*shape, &self.dims, element_len, is_big_endian, MAX_CHUNK_BYTES)
    }

    /// Decodes a chunk; `out` has its layout's length. Tells whether a checksum failed to match.
    ///
    /// # Errors
    /// If the bytes don't decode to the chunk.
    pub fn decode(&self, stored: &[u8], layout: &DecodedLayout, element: ElementForm<'_>, out: &mut [u8]) -> Result<bool, ChunkFault> {
        match &self.elements {
            Elements::Plain { .. } => {
                let decoded = self.bytes.decode_into(stored, out)?;
                if decoded.len != out.len() {
                    return Err(DecodeError::WrongLength { expected: out.len(), actual: decoded.len }.into());
                }
                Ok(decoded.is_damaged)
            }
            Elements::Sharded(sharded) => {
                let most = out.len().saturating_mul(2).saturating_add(1 << 20).min(MAX_CHUNK_BYTES);
                let (bytes, is_damaged) = self.bytes.decode(stored, most)?;
                Ok(is_damaged | self.decode_shard(sharded, &bytes, layout, element, out)?)
            }
        }
    }

    /// Puts all inner chunks of a shard into place. Used where shards can't be read in parts, since they are
    /// compressed or lie inside such ones.
    fn decode_shard(
        &self,
        sharded: &Sharded,
        bytes: &[u8],
        layout: &DecodedLayout,
        element: ElementForm<'_>,
        out: &mut [u8],
    ) -> Result<bool, ChunkFault> {
        let grid = sharded.grid(&layout.extent);
        let shard = ByteRange { start: 0, len: bytes.len() as u64 };
        let at = sharded.index.range(sharded.index.byte_len(grid.product())?, shard)?;
        let index = slice(bytes, at).ok_or_else(|| corrupt("it lies outside of the shard".to_owned()))?;
        let (entries, mut is_damaged) = sharded.index.parse(index, shard, at)?;
        out.chunks_exact_mut(element.len).for_each(|at| at.copy_from_slice(element.fill));
        let too_large = || ChunkFault::TooLarge { bytes: sharded.chunk_shape.product().unwrap_or(u64::MAX) };
        let inner_layout = sharded.inner.layout(&sharded.chunk_shape, element.len).ok_or_else(too_large)?;
        let mut decoded = vec![0; inner_layout.byte_len];
        for (entry, number) in entries.iter().zip(0..) {
            let stored = match entry {
                GridEntry::Absent => continue,
                GridEntry::At(range) if range.len == 0 => continue,
                GridEntry::At(range) => slice(bytes, *range),
                GridEntry::Corrupt(_) => None,
            };
            let stored = stored.ok_or_else(|| corrupt(format!("entry {number} can't be true")))?;
            is_damaged |= sharded.inner.decode(stored, &inner_layout, element, &mut decoded)?;
            let cell = cell_at(number, &grid, &self.dims);
            let start: u64 = (0..cell.len()).map(|d| cell[d] * sharded.chunk_shape[d] * layout.strides[d]).sum();
            let axes: Vec<CopyAxis> = (0..cell.len())
                .map(|d| CopyAxis {
                    len: sharded.chunk_shape[d] as usize, // all below the chunk's length, which fits
                    from: inner_layout.strides[d] as usize,
                    to: layout.strides[d] as usize,
                })
                .collect();
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let target = out.get_mut(start..).ok_or_else(|| ChunkFault::Internal("an inner chunk outside of its shard".to_owned()))?;
            copy_axes(&decoded, target, &axes, element.len, inner_layout.is_big_endian);
        }
        Ok(is_damaged)
    }

    /// Names of all codecs, outermost array step first, as `transpose, bytes, zstd`.
    pub fn names(&self) -> String {
        let is_c_order = self.dims.is_sorted();
        let mut names: Vec<String> = if is_c_order { Vec::new() } else { vec!["transpose".to_owned()] };
        names.push(match &self.elements {
            Elements::Plain { .. } => "bytes".to_owned(),
            Elements::Sharded(sharded) => format!("sharding_indexed ({})", sharded.inner.names()),
        });
        names.extend(self.bytes.codecs().iter().map(|codec| codec.name().to_owned()));
        names.join(", ")
    }
}

fn slice(bytes: &[u8], range: ByteRange) -> Option<&[u8]> {
    bytes.get(usize::try_from(range.start).ok()?..usize::try_from(range.end()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbered_in_the_order_of_storage() {
        let grid = NdVec::new(&[2, 3, 4]).expect("short");
        for dims in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            for number in 0..24 {
                assert_eq!(linear_index(&cell_at(number, &grid, &dims), &grid, &dims), number, "{dims:?}");
            }
        }
        assert_eq!(&*cell_at(1, &grid, &[0, 1, 2]), [0, 0, 1]);
        assert_eq!(&*cell_at(1, &grid, &[2, 1, 0]), [1, 0, 0]);
    }
}
