//! Decoding stored chunks into canonical voxels: straight into the output where the orders are the same, else by
//! copying from the stored order into place.

use super::nd::NdVec;
use super::scratch::with_scratch;
use super::source::ArraySource;
use super::store::DecodedLayout;
use crate::codec::DecodeError;
use crate::format::{ChunkFault, ChunkLocation, ChunkSource};
use crate::geometry::ChunkIndex;
use crate::problem::Severity;
use crate::voxel::{CopyAxis, copy_axes};

/// A stored chunk that holds some or all channels of a chunk.
struct Piece<'a> {
    chunk: ChunkIndex,
    /// Number along the channel axis.
    number: u64,
    index: NdVec,
    layout: DecodedLayout,
    stored: &'a [u8],
}

impl ArraySource {
    /// Decodes a located chunk; `out` has exactly the chunk's length.
    pub(super) fn decode(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkFault> {
        let expected = self.chunk_byte_len()?;
        if out.len() != expected {
            return Err(DecodeError::WrongLength { expected, actual: out.len() }.into());
        }
        let valid = self.valid_extent(location.chunk);
        if location.more.is_empty() && !stored.is_empty() {
            let piece = self.piece(location.chunk, self.pieces().start, stored)?;
            let is_whole = piece.layout.extent == self.store.meta().chunk_shape && valid == self.grid.chunk_shape().to_usize();
            if !is_whole {
                self.fill(out); // voxels outside of the array, and those that a short chunk leaves out
            }
            return self.decode_piece(&piece, valid, out);
        }
        self.fill(out);
        let mut rest = stored;
        let lens = std::iter::once(location.range.len).chain(location.more.iter().map(|piece| piece.range.len));
        for (number, len) in self.pieces().zip(lens) {
            let len = usize::try_from(len).ok().filter(|len| *len <= rest.len());
            let len = len.ok_or_else(|| ChunkFault::Internal("fewer bytes than located".to_owned()))?;
            let (bytes, others) = rest.split_at(len);
            rest = others;
            if !bytes.is_empty() {
                let piece = self.piece(location.chunk, number, bytes)?;
                self.decode_piece(&piece, valid, out)?;
            }
        }
        Ok(())
    }

    /// Voxels of a chunk that lie inside the array, along x, y, z.
    fn valid_extent(&self, chunk: ChunkIndex) -> [usize; 3] {
        self.grid.chunk_box(chunk).intersect(&self.grid.bounds()).shape.to_usize()
    }

    /// Whether decoded bytes of this layout are the chunk's voxels in canonical layout.
    pub(super) fn is_canonical(&self, chunk: ChunkIndex, layout: &DecodedLayout) -> bool {
        let meta = self.store.meta();
        let element = meta.class.byte_len() as u64;
        let voxel = element * self.channels;
        let [w, h, _] = self.grid.chunk_shape().to_usize().map(|n| n as u64);
        let expected = [voxel, voxel.saturating_mul(w), voxel.saturating_mul(w).saturating_mul(h)];
        let is_in_place = |d: Option<usize>, stride: u64| d.is_none_or(|d| layout.extent[d] == 1 || layout.strides[d] == stride);
        !(layout.is_big_endian && element > 1)
            && layout.extent == meta.chunk_shape
            && self.channel.is_none_or(|_| self.channels_per_piece() == 1)
            && self.pieces().count() == 1
            && (self.channel.is_some() || self.channels_per_piece() == self.channels)
            && self.extra.iter().all(|(d, _)| meta.chunk_shape[*d] == 1)
            && is_in_place(self.dimensions.channel, element)
            && (0..3).all(|axis| is_in_place(self.dimensions.xyz[axis], expected[axis]))
            && self.grid.bounds().contains_box(&self.grid.chunk_box(chunk))
    }

    /// Copies a decoded piece into the chunk. The rest of the chunk is left as it is.
    fn place(&self, decoded: &[u8], layout: &DecodedLayout, piece: u64, valid: [usize; 3], out: &mut [u8]) {
        let meta = self.store.meta();
        let element = meta.class.byte_len();
        let voxel = element * self.voxel_type.channels as usize;
        let [w, h, _] = self.grid.chunk_shape().to_usize();
        let to = [voxel, voxel * w, voxel * w * h];
        let stored = |d: usize| (layout.extent[d] as usize, layout.strides[d] as usize); // below the chunk's length, which fits
        let mut axes = [CopyAxis { len: 1, from: 0, to: 0 }; 4];
        for (axis, dimension) in self.dimensions.xyz.iter().enumerate() {
            let (len, from) = dimension.map_or((1, 0), stored);
            axes[axis] = CopyAxis { len: len.min(valid[axis]), from, to: to[axis] };
        }
        let (mut from, mut into) = (0, 0);
        if let Some(dimension) = self.dimensions.channel {
            let (len, step) = stored(dimension);
            let first = piece * meta.chunk_shape[dimension];
            match self.channel {
                Some(channel) => {
                    let at = usize::try_from(channel - first).unwrap_or(usize::MAX);
                    if at >= len {
                        return; // a shorter chunk than the metadata promise
                    }
                    from += at * step;
                }
                None => {
                    let left = usize::try_from(self.channels.saturating_sub(first)).unwrap_or(usize::MAX);
                    axes[3] = CopyAxis { len: len.min(left), from: step, to: element };
                    into = usize::try_from(first).unwrap_or(usize::MAX).saturating_mul(element);
                }
            }
        }
        for ((dimension, _), position) in self.extra.iter().zip(&self.positions) {
            let (len, step) = stored(*dimension);
            let at = usize::try_from(position % meta.chunk_shape[*dimension]).unwrap_or(usize::MAX);
            if at >= len {
                return;
            }
            from += at * step;
        }
        if axes.iter().any(|axis| axis.len == 0) {
            return;
        }
        copy_axes(&decoded[from..], &mut out[into..], &axes, element, layout.is_big_endian);
    }

    fn fill(&self, out: &mut [u8]) {
        if self.fill.iter().all(|byte| *byte == 0) {
            out.fill(0);
        } else {
            out.chunks_exact_mut(self.fill.len()).for_each(|voxel| voxel.copy_from_slice(&self.fill));
        }
    }

    /// Decodes one piece of a chunk into place.
    fn decode_piece(&self, piece: &Piece<'_>, valid: [usize; 3], out: &mut [u8]) -> Result<(), ChunkFault> {
        let Piece { chunk, number, index, layout, stored } = piece;
        let is_damaged = if layout.byte_len == out.len() && self.is_canonical(*chunk, layout) {
            self.store.decode(index, stored, layout, out)?
        } else {
            with_scratch(layout.byte_len, |decoded| {
                let is_damaged = self.store.decode(index, stored, layout, decoded)?;
                self.place(decoded, layout, *number, valid, out);
                Ok::<_, ChunkFault>(is_damaged)
            })?
        };
        if is_damaged {
            let file = self.store.shard_key(&self.shard_of(index));
            let text = format!("Chunk {chunk}: its checksum doesn't match, it is shown as it decodes");
            self.warn(Severity::Warning, text, self.store.storage().location(file.as_str()));
        }
        Ok(())
    }

    fn piece<'a>(&self, chunk: ChunkIndex, number: u64, stored: &'a [u8]) -> Result<Piece<'a>, ChunkFault> {
        let index = self.stored_index(chunk, number).ok_or_else(|| ChunkFault::Internal("a chunk outside of the array".to_owned()))?;
        let layout = self.store.layout(&index, stored)?;
        Ok(Piece { chunk, number, index, layout, stored })
    }
}
