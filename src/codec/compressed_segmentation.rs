//! Neuroglancer's `compressed_segmentation`: blocks of indices into tables of segment ids.
//!
//! Specification: <https://github.com/google/neuroglancer/tree/master/src/sliceview/compressed_segmentation>. All of it
//! is supported. Bytes that no offset leads to are ignored.

use super::DecodeError;

const CODEC: &str = "compressed_segmentation";
const WORD_LEN: usize = 4;
const HEADER_LEN: usize = 2 * WORD_LEN;

/// Decodes a chunk into `out`: x fastest, then y, z, the channel slowest, little-endian.
///
/// `shape` is the chunk's (as it is stored: clipped at the layer's edge), `block` that of the encoded blocks, and
/// `bytes_per_id` 4 or 8.
///
/// # Errors
/// If an offset, a bit width or an index leads nowhere, or `out` hasn't the chunk's length.
pub fn decode_into(
    stored: &[u8],
    shape: [usize; 3],
    block: [usize; 3],
    bytes_per_id: usize,
    channels: usize,
    out: &mut [u8],
) -> Result<(), DecodeError> {
    match bytes_per_id {
        4 => decode_ids::<4>(stored, shape, block, channels, out),
        8 => decode_ids::<8>(stored, shape, block, channels, out),
        _ => Err(corrupt(format!("ids of {bytes_per_id} bytes, expected 4 or 8"))),
    }
}

fn decode_ids<const ID_LEN: usize>(
    stored: &[u8],
    shape: [usize; 3],
    block: [usize; 3],
    channels: usize,
    out: &mut [u8],
) -> Result<(), DecodeError> {
    if block.contains(&0) {
        return Err(corrupt(format!("blocks of {} × {} × {} voxels", block[0], block[1], block[2])));
    }
    let voxels = product(shape).unwrap_or(usize::MAX);
    let expected = voxels.saturating_mul(ID_LEN).saturating_mul(channels);
    if expected != out.len() {
        return Err(DecodeError::WrongLength { expected, actual: out.len() });
    }
    if out.is_empty() {
        return Ok(());
    }
    let (ids, _) = out.as_chunks_mut::<ID_LEN>();
    for (channel, ids) in ids.chunks_exact_mut(voxels).enumerate() {
        let start = channel.checked_mul(WORD_LEN).and_then(|at| stored.get(at..)?.first_chunk());
        let start = start.ok_or_else(|| DecodeError::ends_early(CODEC))?;
        let data = from_word(stored, u32::from_le_bytes(*start))
            .ok_or_else(|| corrupt(format!("channel {channel} starts past the end of the chunk")))?;
        Channel { data, shape, block }.decode_into(ids)?;
    }
    Ok(())
}

struct Channel<'a> {
    /// From the channel's start, which offsets count from.
    data: &'a [u8],
    shape: [usize; 3],
    block: [usize; 3],
}

impl Channel<'_> {
    fn decode_into<const ID_LEN: usize>(&self, ids: &mut [[u8; ID_LEN]]) -> Result<(), DecodeError> {
        let grid: [usize; 3] = std::array::from_fn(|axis| self.shape[axis].div_ceil(self.block[axis]));
        let blocks = product(grid).and_then(|blocks| blocks.checked_mul(HEADER_LEN));
        let headers = blocks.and_then(|len| self.data.get(..len)).ok_or_else(|| DecodeError::ends_early(CODEC))?;
        let (headers, _) = headers.as_chunks::<HEADER_LEN>();
        // x fastest, as the headers are stored.
        let indices = (0..grid[2]).flat_map(|z| (0..grid[1]).flat_map(move |y| (0..grid[0]).map(move |x| [x, y, z])));
        for (header, index) in headers.iter().zip(indices) {
            self.decode_block(*header, index, ids)?;
        }
        Ok(())
    }

    /// Decodes what of the block lies in the chunk.
    fn decode_block<const ID_LEN: usize>(
        &self,
        header: [u8; HEADER_LEN],
        index: [usize; 3],
        ids: &mut [[u8; ID_LEN]],
    ) -> Result<(), DecodeError> {
        let [table_0, table_1, table_2, bits, values @ ..] = header;
        let table = from_word(self.data, u32::from_le_bytes([table_0, table_1, table_2, 0]))
            .ok_or_else(|| corrupt("a block's table of ids starts past the end of the chunk"))?;
        let (table, _) = table.as_chunks::<ID_LEN>();

        // In range: an index is less than the shape divided by the block's.
        let topleft: [usize; 3] = std::array::from_fn(|axis| index[axis] * self.block[axis]);
        let clipped: [usize; 3] = std::array::from_fn(|axis| self.block[axis].min(self.shape[axis] - topleft[axis]));
        let values = match bits {
            0 => &[],
            _ => self.values(u32::from_le_bytes(values), bits, clipped).ok_or_else(|| DecodeError::ends_early(CODEC))?,
        };
        for z in 0..clipped[2] {
            for y in 0..clipped[1] {
                let start = topleft[0] + self.shape[0] * (topleft[1] + y + self.shape[1] * (topleft[2] + z));
                let row = &mut ids[start..start + clipped[0]];
                // In range: `values` checked the block's last voxel, but for blocks without values.
                let first = if bits == 0 { 0 } else { self.block[0] * (y + self.block[1] * z) };
                let is_filled = match bits {
                    0 => table.first().map(|id| row.fill(*id)),
                    1 => fill_row(row, table, |i| bits_at::<1>(values, first + i)),
                    2 => fill_row(row, table, |i| bits_at::<2>(values, first + i)),
                    4 => fill_row(row, table, |i| bits_at::<4>(values, first + i)),
                    8 => fill_row(row, table, |i| values[first + i].into()),
                    16 => fill_row(row, table, |i| u16::from_le_bytes(bytes_at(values, first + i)).into()),
                    32 => fill_row(row, table, |i| u32::from_le_bytes(bytes_at(values, first + i)) as usize),
                    _ => return Err(corrupt(format!("{bits} bits per voxel, expected 0, 1, 2, 4, 8, 16 or 32"))),
                };
                is_filled.ok_or_else(|| corrupt("a voxel's index leads past the end of the chunk"))?;
            }
        }
        Ok(())
    }

    /// The bytes of a block's values, up to the last voxel of its clipped part.
    fn values(&self, offset: u32, bits: u8, clipped: [usize; 3]) -> Option<&[u8]> {
        let last_row = self.block[1].checked_mul(clipped[2] - 1)?.checked_add(clipped[1] - 1)?;
        let voxels = self.block[0].checked_mul(last_row)?.checked_add(clipped[0])?;
        let words = voxels.checked_mul(bits.into())?.div_ceil(32);
        from_word(self.data, offset)?.get(..words.checked_mul(WORD_LEN)?)
    }
}

/// Looks up each voxel of a row; `None` if an index isn't in the table.
fn fill_row<const ID_LEN: usize>(row: &mut [[u8; ID_LEN]], table: &[[u8; ID_LEN]], table_index: impl Fn(usize) -> usize) -> Option<()> {
    for (i, id) in row.iter_mut().enumerate() {
        *id = *table.get(table_index(i))?;
    }
    Some(())
}

/// A value of fewer bits than a byte: little-endian words filled from their lowest bit are bytes filled likewise.
fn bits_at<const BITS: usize>(values: &[u8], index: usize) -> usize {
    let bit = index * BITS;
    usize::from(values[bit / 8] >> (bit % 8)) & ((1 << BITS) - 1)
}

fn bytes_at<const LEN: usize>(values: &[u8], index: usize) -> [u8; LEN] {
    std::array::from_fn(|byte| values[index * LEN + byte])
}

fn from_word(data: &[u8], offset: u32) -> Option<&[u8]> {
    data.get(usize::try_from(offset).ok()?.checked_mul(WORD_LEN)?..)
}

fn product(sides: [usize; 3]) -> Option<usize> {
    sides[0].checked_mul(sides[1])?.checked_mul(sides[2])
}

fn corrupt(reason: impl Into<String>) -> DecodeError {
    DecodeError::corrupt(CODEC, reason)
}

#[cfg(test)]
mod tests;
