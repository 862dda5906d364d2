//! [`ArraySource`]: a stored n-dimensional array seen as x, y, z and channels, as a [`ChunkSource`].

use super::axes::{AxisOrder, AxisRole};
use super::nd::NdVec;
use super::store::{ChunkStore, StoredChunk};
use crate::format::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkPiece, ChunkSource, ChunkSpan, ExtraAxis, HeaderField, HeaderReport,
    HeaderSection, MAX_CHUNK_BYTES, ShardLayout,
};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use crate::problem::{Problem, Problems, Severity};
use crate::storage::{ByteRange, StorageError, StorageKey};
use crate::voxel::VoxelType;
use std::sync::{Arc, Mutex, PoisonError};

/// Most channels of a voxel.
const MAX_CHANNELS: u64 = 4096;

/// How an array is to be seen.
#[derive(Clone, Debug)]
pub struct ArrayView {
    /// Role of each dimension.
    pub axes: AxisOrder,
    /// The only channel to show; all if `None`.
    pub channel: Option<u64>,
    /// Position of the array's first voxel.
    pub origin: Vec3Int,
    /// What else is known of the axes, for the header panel.
    pub fields: Vec<HeaderField>,
}

/// Why an array can't be seen as asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// The chosen channel isn't there.
    #[error("channel {wanted} is to be shown, the array has {there}")]
    NoChannel {
        /// Index of the channel.
        wanted: u64,
        /// Number of channels.
        there: u64,
    },
    /// More channels than make sense.
    #[error("the array has {0} channels, at most {MAX_CHANNELS} can be shown")]
    TooManyChannels(u64),
    /// No chunk can be that large.
    #[error("the chunk shape {0} is unusable")]
    ChunkShape(NdVec),
}

/// A level of a Zarr, N5 or precomputed layer.
#[derive(Clone)]
pub struct ArraySource {
    pub(super) store: Arc<dyn ChunkStore>,
    /// Of z, y, x and channel, if they are there.
    pub(super) dimensions: Dimensions,
    pub(super) axes: AxisOrder,
    pub(super) extra: Vec<(usize, ExtraAxis)>,
    /// One for each of `extra`.
    pub(super) positions: Vec<u64>,
    pub(super) channel: Option<u64>,
    pub(super) channels: u64,
    pub(super) grid: ChunkGrid,
    pub(super) voxel_type: VoxelType,
    pub(super) fill: Vec<u8>,
    pub(super) fields: Vec<HeaderField>,
    pub(super) warnings: Arc<Mutex<Problems>>,
}

#[derive(Clone, Copy)]
pub(super) struct Dimensions {
    pub(super) xyz: [Option<usize>; 3],
    pub(super) channel: Option<usize>,
}

impl ArraySource {
    /// Sees an array through roles of its dimensions.
    ///
    /// # Errors
    /// If the channel isn't there, or chunks can't be that large.
    pub fn new(store: Arc<dyn ChunkStore>, view: ArrayView) -> Result<Self, ViewError> {
        let meta = store.meta();
        let dimensions = Dimensions {
            xyz: [AxisRole::X, AxisRole::Y, AxisRole::Z].map(|role| view.axes.dimension(&role)),
            channel: view.axes.dimension(&AxisRole::Channel),
        };
        let along = |values: &NdVec| dimensions.xyz.map(|d| d.map_or(1, |d| i64::try_from(values[d]).unwrap_or(i64::MAX)));
        let (shape, chunk, per_shard) = (along(&meta.shape), along(&meta.chunk_shape), along(&meta.chunks_per_shard));
        let stored_channels = dimensions.channel.map_or(1, |d| meta.shape[d]);
        let channels = match view.channel {
            Some(wanted) if wanted >= stored_channels => return Err(ViewError::NoChannel { wanted, there: stored_channels }),
            Some(_) => 1,
            None => stored_channels.max(1),
        };
        let channel_count = u32::try_from(channels).ok().filter(|n| u64::from(*n) <= MAX_CHANNELS);
        let voxel_type = VoxelType { class: meta.class, channels: channel_count.ok_or(ViewError::TooManyChannels(channels))? };
        let bounds = BoundingBox::new(view.origin, Shape3::new(shape[0], shape[1], shape[2]));
        let grid = ChunkGrid::new(view.origin, chunk.into(), per_shard.into(), bounds).ok_or(ViewError::ChunkShape(meta.chunk_shape))?;
        let fill = meta.fill.repeat(voxel_type.channels as usize);
        let extra = view.axes.extra_axes(&meta.shape);
        let positions = vec![0; extra.len()];
        let warnings = Arc::default();
        Ok(Self {
            dimensions,
            axes: view.axes,
            extra,
            positions,
            channel: view.channel,
            channels,
            grid,
            voxel_type,
            fill,
            fields: view.fields,
            warnings,
            store,
        })
    }

    /// Axes beyond x, y, z and channel.
    pub fn extra_axes(&self) -> Vec<ExtraAxis> {
        self.extra.iter().map(|(_, axis)| axis.clone()).collect()
    }

    pub(super) fn warn(&self, severity: Severity, text: String, location: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).add(Problem { severity, text, location });
    }

    /// Channels of one stored chunk.
    pub(super) fn channels_per_piece(&self) -> u64 {
        self.dimensions.channel.map_or(1, |d| self.store.meta().chunk_shape[d])
    }

    /// Numbers of the pieces that a chunk's channels are stored in.
    pub(super) fn pieces(&self) -> std::ops::Range<u64> {
        match self.channel {
            Some(channel) => {
                let piece = channel / self.channels_per_piece();
                piece..piece + 1
            }
            None => 0..self.channels.div_ceil(self.channels_per_piece()),
        }
    }

    /// The stored chunk of a piece; `None` outside of the array.
    pub(super) fn stored_index(&self, chunk: ChunkIndex, piece: u64) -> Option<NdVec> {
        let meta = self.store.meta();
        let mut index = NdVec::zeros(meta.shape.len());
        for (axis, dimension) in self.dimensions.xyz.iter().enumerate() {
            let at = u64::try_from(chunk.0[axis]).ok()?;
            match dimension {
                Some(dimension) => index[*dimension] = at,
                None if at > 0 => return None,
                None => {}
            }
        }
        if let Some(dimension) = self.dimensions.channel {
            index[dimension] = piece;
        }
        for ((dimension, _), position) in self.extra.iter().zip(&self.positions) {
            index[*dimension] = position / meta.chunk_shape[*dimension];
        }
        let inside = (0..index.len()).all(|d| index[d] < meta.shape[d].div_ceil(meta.chunk_shape[d]));
        inside.then_some(index)
    }

    pub(super) fn shard_of(&self, stored: &NdVec) -> NdVec {
        stored.zip_with(&self.store.meta().chunks_per_shard, |chunk, per_shard| chunk / per_shard)
    }

    /// The shards that hold the channels of a shard of the grid.
    fn stored_shards(&self, shard: ShardIndex) -> Vec<NdVec> {
        let first = self.grid.first_chunk_of(shard);
        let per_shard = self.dimensions.channel.map_or(1, |d| self.store.meta().chunks_per_shard[d]);
        let step = usize::try_from(per_shard).unwrap_or(usize::MAX);
        let stored = self.pieces().step_by(step).filter_map(|piece| self.stored_index(first, piece));
        stored.map(|index| self.shard_of(&index)).collect()
    }

    /// What a stored chunk is in the grid, if it lies at the current positions.
    fn chunk_from_stored(&self, stored: &NdVec) -> Option<ChunkIndex> {
        let meta = self.store.meta();
        let at_positions = self.extra.iter().zip(&self.positions).all(|((d, _), position)| stored[*d] == position / meta.chunk_shape[*d]);
        let [x, y, z] = self.dimensions.xyz.map(|d| d.map_or(0, |d| i64::try_from(stored[d]).unwrap_or(i64::MAX)));
        at_positions.then_some(ChunkIndex(Vec3Int::new(x, y, z)))
    }

    /// Whether a stored shard can be at the current positions, as far as one dimension tells.
    fn is_at_positions(&self, dimension: usize, shard: u64) -> bool {
        let meta = self.store.meta();
        let per_shard = |d: usize| meta.chunk_shape[d].saturating_mul(meta.chunks_per_shard[d]);
        self.extra.iter().zip(&self.positions).all(|((d, _), position)| *d != dimension || shard == position / per_shard(*d))
    }

    /// What stored shards are in the grid, each once.
    fn shards_from_stored(&self, all: Vec<NdVec>) -> Vec<ShardIndex> {
        let mut shards: Vec<ShardIndex> = Vec::with_capacity(all.len());
        for stored in all {
            let at = self.dimensions.xyz.map(|d| d.map_or(0, |d| i64::try_from(stored[d]).unwrap_or(i64::MAX)));
            let shard = ShardIndex(at.into());
            // Channels that are stored apart follow each other or not; either way a shard is named once.
            if shards.last() != Some(&shard) {
                shards.push(shard);
            }
        }
        if self.pieces().count() > 1 {
            shards.sort_unstable();
            shards.dedup();
        }
        shards
    }

    /// Longest stored chunk that is read: what compressors and padding may add is far less.
    fn max_stored_len(&self) -> u64 {
        let meta = self.store.meta();
        let decoded = meta.chunk_shape.product().and_then(|n| n.checked_mul(meta.class.byte_len() as u64)).unwrap_or(u64::MAX);
        decoded.saturating_mul(2).saturating_add(1 << 20).min(MAX_CHUNK_BYTES as u64)
    }

    fn locate_piece(&self, chunk: ChunkIndex, piece: u64) -> Result<Option<StoredChunk>, ChunkFault> {
        let Some(index) = self.stored_index(chunk, piece) else { return Ok(None) };
        let Some(found) = self.store.locate(&index)? else { return Ok(None) };
        if found.range.len > self.max_stored_len() {
            return Err(ChunkFault::Oversized { stored: found.range.len, most: self.max_stored_len() });
        }
        if found.range.len == 0 {
            let text = "Chunks of 0 bytes are shown as the fill value".to_owned();
            self.warn(Severity::Warning, text, self.store.storage().location(found.key.as_str()));
        }
        Ok(Some(found))
    }

    /// The number of a chunk among those of its shard, in C order of the stored dimensions.
    fn order_in_shard(&self, index: &NdVec) -> u64 {
        let per_shard = &self.store.meta().chunks_per_shard;
        index.iter().zip(per_shard.iter()).fold(0_u64, |order, (at, count)| order.wrapping_mul(*count).wrapping_add(at % count))
    }
}

impl ChunkSource for ArraySource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        self.voxel_type
    }

    fn fill_voxel(&self) -> &[u8] {
        &self.fill
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        let shard = self.grid.shard_from_chunk(chunk);
        let fail = |fault| self.chunk_error(chunk, None, fault);
        let pieces = self.pieces();
        let first_piece = pieces.start;
        let Some(index) = self.stored_index(chunk, first_piece) else { return Ok(None) };
        if pieces.end - pieces.start == 1 {
            let Some(found) = self.locate_piece(chunk, first_piece).map_err(fail)? else { return Ok(None) };
            let encoding = match self.store.codec_name() {
                Some(name) => ChunkEncoding::Coded(name),
                None if found.range.len > 0 && self.store.layout(&index, &[]).is_ok_and(|layout| self.is_canonical(chunk, &layout)) => {
                    ChunkEncoding::Canonical
                }
                None => ChunkEncoding::Coded("raw"),
            };
            let order = self.order_in_shard(&index);
            return Ok(Some(ChunkLocation { chunk, shard, key: found.key, range: found.range, more: Vec::new(), order, encoding }));
        }
        let mut found = Vec::new();
        let mut any = false;
        for piece in pieces {
            let stored = self.locate_piece(chunk, piece).map_err(fail)?;
            any |= stored.is_some();
            // A piece that isn't stored is one of fill value.
            let absent = || StoredChunk { key: self.store.shard_key(&self.shard_of(&index)), range: ByteRange { start: 0, len: 0 } };
            let StoredChunk { key, range } = stored.unwrap_or_else(absent);
            found.push(ChunkPiece { key, range });
        }
        if !any || found.is_empty() {
            return Ok(None);
        }
        let ChunkPiece { key, range } = found.remove(0);
        let encoding = ChunkEncoding::Coded(self.store.codec_name().unwrap_or("raw"));
        Ok(Some(ChunkLocation { chunk, shard, key, range, more: found, order: self.order_in_shard(&index), encoding }))
    }

    fn is_absent(&self, shard: ShardIndex) -> bool {
        self.stored_shards(shard).iter().all(|stored| self.store.is_absent(stored))
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        let (mut skip, mut out) = (skip, out);
        let first = (&location.key, location.range);
        for (key, range) in std::iter::once(first).chain(location.more.iter().map(|piece| (&piece.key, piece.range))) {
            if skip >= range.len {
                skip -= range.len;
                continue;
            }
            if out.is_empty() {
                break;
            }
            let len = usize::try_from(range.len - skip).unwrap_or(usize::MAX).min(out.len());
            // The rest of a run of several chunks belongs to the last piece.
            let len = if location.more.is_empty() { out.len() } else { len };
            let (part, rest) = out.split_at_mut(len);
            let start = range.start + skip;
            let fail = |fault| self.chunk_error(location.chunk, Some(range), fault);
            match self.store.storage().read_at(key, start, part) {
                Ok(Some(n)) if n == part.len() => {}
                Ok(n) => {
                    let file_len = n.map_or(0, |n| start + n as u64);
                    return Err(fail(ChunkFault::Truncated { file_len, end: start + part.len() as u64 }));
                }
                Err(err) => return Err(fail(ChunkFault::Storage(Arc::new(err)))),
            }
            (out, skip) = (rest, 0);
        }
        if out.is_empty() {
            return Ok(());
        }
        Err(self.chunk_error(location.chunk, Some(location.range), ChunkFault::Internal(format!("{} bytes too many asked for", out.len()))))
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        self.decode(location, stored, out).map_err(|fault| self.chunk_error(location.chunk, Some(location.range), fault))
    }

    fn header_report(&self) -> HeaderReport {
        let mut sections = self.store.report();
        let mut fields = vec![HeaderField::new(
            "axis order",
            "",
            if self.axes.names().is_empty() { "none".to_owned() } else { self.axes.names() },
            self.axes.reason(),
        )];
        if self.grid.bounds().topleft != Vec3Int::ZERO {
            fields.push(HeaderField::new("origin", "", self.grid.bounds().topleft.to_string(), "position of the first voxel"));
        }
        if let Some(channel) = self.channel {
            fields.push(HeaderField::new("channel", "", channel.to_string(), "the only one that is shown"));
        } else if self.dimensions.channel.is_some() {
            let apart = self.pieces().count();
            let meaning = if apart > 1 { format!("stored apart, {apart} chunks for all") } else { "stored together".to_owned() };
            fields.push(HeaderField::new("channels", "", self.channels.to_string(), meaning));
        }
        for ((_, axis), position) in self.extra.iter().zip(&self.positions) {
            fields.push(HeaderField::new(&axis.name, "", format!("{position} of {}", axis.len), "position along this axis"));
        }
        fields.extend(self.fields.iter().cloned());
        let location = sections.first().map_or_else(String::new, |section| section.location.clone());
        sections.push(HeaderSection { title: "Axes".to_owned(), location, fields });
        HeaderReport { sections }
    }

    fn shard_len(&self, shard: ShardIndex) -> Result<Option<u64>, StorageError> {
        for stored in self.stored_shards(shard) {
            if let Some(len) = self.store.shard_len(&stored)? {
                return Ok(Some(len));
            }
        }
        Ok(None)
    }

    fn shard_layout(&self, shard: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        let fail = |fault| self.chunk_error(self.grid.first_chunk_of(shard), None, fault);
        let mut found = None;
        // Channels may lie in shards of their own: the first one that is there.
        for stored in self.stored_shards(shard) {
            found = self.store.shard_spans(&stored).map_err(fail)?;
            if found.is_some() {
                break;
            }
        }
        let Some(found) = found else { return Ok(None) };
        let meta = self.store.meta();
        let piece = |index: &NdVec| self.dimensions.channel.map_or(0, |d| index[d]);
        let first_piece = found.spans.first().map_or(0, |(index, _)| piece(index)).max(self.pieces().start);
        let (mut spans, mut elsewhere_bytes) = (Vec::new(), 0_u64);
        for ((index, state), order) in found.spans.iter().zip(0..) {
            match self.chunk_from_stored(index).filter(|_| piece(index) == first_piece) {
                Some(chunk) => spans.push(ChunkSpan { chunk, order, state: *state }),
                None => elsewhere_bytes = elsewhere_bytes.saturating_add(state.range().map_or(0, |range| range.len)),
            }
        }
        Ok(Some(ShardLayout {
            shard,
            location: self.store.storage().location(found.key.as_str()),
            file_len: found.file_len,
            encoding: self.store.codec_name().unwrap_or("raw"),
            index_len: found.index_len,
            decoded_chunk_len: meta.chunk_shape.product().unwrap_or(u64::MAX).saturating_mul(meta.class.byte_len() as u64),
            spans,
            spans_left_out: found.left_out,
            elsewhere_bytes,
        }))
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        let key = self.stored_shards(shard).first().map(|stored| self.store.shard_key(stored));
        self.store.storage().location(key.as_ref().map_or("", StorageKey::as_str))
    }

    fn declared_extent(&self) -> Option<BoundingBox> {
        Some(self.grid.bounds())
    }

    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
        Ok(self.shards_from_stored(self.store.find_shards(limit, &|dimension, shard| self.is_at_positions(dimension, shard))?))
    }

    fn stored_shards(&self, limit: usize) -> Result<Option<Vec<ShardIndex>>, StorageError> {
        let stored = self.store.all_shards(limit, &|dimension, shard| self.is_at_positions(dimension, shard))?;
        Ok(stored.map(|stored| self.shards_from_stored(stored)))
    }

    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        let fits = positions.len() == self.extra.len() && positions.iter().zip(&self.extra).all(|(at, (_, axis))| *at < axis.len);
        fits.then(|| Arc::new(Self { positions: positions.to_vec(), ..self.clone() }) as Arc<dyn ChunkSource>)
    }

    fn forget_indices(&self) {
        self.store.forget();
    }

    fn take_warnings(&self) -> Vec<Problem> {
        let taken = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        taken.iter().cloned().chain(self.store.take_warnings()).collect()
    }
}
