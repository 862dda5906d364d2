//! [`compare_levels`]: two levels, piece by piece.
//!
//! The extent is halved along the borders of both grids' chunks until a piece has some megabytes. A part that neither
//! side stores anything in is done at once, so that huge empty extents cost nothing. Pieces are shared by the threads of
//! the current rayon pool; each is read, compared and counted by one thread.

use super::difference::{Side, VoxelDifference};
use super::tally::{Tally, voxel_count};
use super::{CompareError, CompareOptions, Watch};
use crate::format::{ChunkError, ChunkSource, read_box_alone};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of a piece on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceBytes {
    /// Aimed at: fits the cache of a core, and makes what a piece costs by itself small.
    pub aligned: u64,
    /// Aimed at where pieces can't consist of whole chunks: those at the borders are decoded more than once.
    pub unaligned: u64,
    /// Not exceeded. Chunks that take more are decoded several times.
    pub most: u64,
}

/// What pieces have in use.
pub(super) const PIECE_BYTES: PieceBytes = PieceBytes { aligned: 2 << 20, unaligned: 16 << 20, most: 64 << 20 };

/// Shards that are asked for one by one before a part is taken as stored.
const MAX_ASKED_SHARDS: u64 = 64;

/// Shards that are listed at once, on each side: some 50 MiB of them, and as many as an annotation is likely to have.
const MAX_LISTED_SHARDS: usize = 1 << 20;

/// Compares two levels in `extent`, in voxels of the mag; both as if they had no end, with the fill value where nothing
/// is stored.
///
/// # Errors
/// If it was cancelled, or voxels of these types can't be compared. Chunks that can't be read are part of the answer.
pub fn compare_levels(
    a: &dyn ChunkSource,
    b: &dyn ChunkSource,
    extent: &BoundingBox,
    options: CompareOptions,
    watch: Watch<'_>,
) -> Result<VoxelDifference, CompareError> {
    let tally = Mutex::new(new_tally([a, b], options)?);
    walk([a, b], extent, &[], PIECE_BYTES, &tally, watch)?;
    Ok(tally.into_inner().unwrap_or_else(PoisonError::into_inner).finish(extent))
}

/// A tally for levels that can be compared.
pub(super) fn new_tally(sources: [&dyn ChunkSource; 2], options: CompareOptions) -> Result<Tally, CompareError> {
    let types = sources.map(ChunkSource::voxel_type);
    if types[0].channels != types[1].channels {
        return Err(CompareError::Channels(types.map(|t| t.channels)));
    }
    Ok(Tally::new(types, options))
}

/// Adds what differs in `extent` to a tally. `axes` are positions along further axes, for the answer only: the sources
/// are at theirs already.
pub(super) fn walk(
    sources: [&dyn ChunkSource; 2],
    extent: &BoundingBox,
    axes: &[u64],
    piece_bytes: PieceBytes,
    tally: &Mutex<Tally>,
    watch: Watch<'_>,
) -> Result<(), CompareError> {
    let empty = tally.lock().unwrap_or_else(PoisonError::into_inner).empty_at(axes);
    let lens = sources.map(|source| source.voxel_type().byte_len());
    let piece = piece_shape(sources.map(ChunkSource::grid), lens, piece_bytes);
    if piece.byte_len(lens[0].max(lens[1])).is_none_or(|len| len as u64 > piece_bytes.most) {
        return Err(CompareError::TooLarge(lens[0].max(lens[1])));
    }
    let walk = Walk { sources, piece, empty, tally, watch, done: AtomicU64::new(0), total: voxel_count(extent) };
    // A folder that can't be listed is no reason to stop: its shards are asked for one by one.
    let listed = sources.map(|source| source.stored_shards(MAX_LISTED_SHARDS).unwrap_or(None));
    walk.visit(*extent, [listed[0].as_deref(), listed[1].as_deref()])
}

struct Walk<'a> {
    sources: [&'a dyn ChunkSource; 2],
    /// Extent of a piece.
    piece: Shape3,
    /// What each piece begins with.
    empty: Tally,
    tally: &'a Mutex<Tally>,
    watch: Watch<'a>,
    done: AtomicU64,
    total: u64,
}

/// Shards of one side that meet a part; `None` where they aren't known.
type Listed<'a> = Option<&'a [ShardIndex]>;

impl Walk<'_> {
    fn visit(&self, area: BoundingBox, listed: [Listed<'_>; 2]) -> Result<(), CompareError> {
        self.watch.check()?;
        if area.is_empty() {
            return Ok(());
        }
        let [source_a, source_b] = self.sources;
        let meeting = [meeting(source_a, &area, listed[0]), meeting(source_b, &area, listed[1])];
        let listed = [meeting[0].as_deref(), meeting[1].as_deref()];
        if is_empty(source_a, &area, listed[0]) && is_empty(source_b, &area, listed[1]) {
            let mut found = self.empty.clone();
            found.add_uniform(&area, source_a.fill_voxel(), source_b.fill_voxel());
            self.finish_part(&area, found);
            return Ok(());
        }
        let Some((first, second)) = self.split(&area) else {
            let mut found = self.empty.clone();
            self.compare_piece(&area, &mut found);
            self.finish_part(&area, found);
            return Ok(());
        };
        let (left, right) = rayon::join(|| self.visit(first, listed), || self.visit(second, listed));
        left.and(right)
    }

    fn finish_part(&self, area: &BoundingBox, found: Tally) {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).merge(found);
        let voxels = voxel_count(area);
        let done = self.done.fetch_add(voxels, Ordering::Relaxed).saturating_add(voxels);
        (self.watch.progress)(done.min(self.total), self.total);
    }

    /// Cuts a part in two along the axis with the most pieces, where pieces end; `None` for a part of one piece.
    fn split(&self, area: &BoundingBox) -> Option<(BoundingBox, BoundingBox)> {
        let (first, end) = (area.topleft, area.bottomright());
        let cuts = (0..3).rev().filter_map(|axis| {
            // Pieces are counted from a border of chunks on.
            let (origin, step) = (origin(self.leading_grid(axis))[axis], self.piece.along(axis));
            let middle = first[axis] + (end[axis] - first[axis]) / 2;
            let below = middle.saturating_sub(origin).div_euclid(step).saturating_mul(step).saturating_add(origin);
            let above = below.saturating_add(step);
            let cut = [below, above].into_iter().find(|cut| first[axis] < *cut && *cut < end[axis])?;
            Some((axis, cut))
        });
        let (axis, cut) = cuts.max_by_key(|(axis, _)| area.shape.along(*axis) / self.piece.along(*axis))?;
        Some((BoundingBox::between(first, end.with(axis, cut)), BoundingBox::between(first.with(axis, cut), end)))
    }

    /// The grid with the longer chunks along an axis, at whose borders pieces begin.
    fn leading_grid(&self, axis: usize) -> &ChunkGrid {
        let [a, b] = self.sources.map(ChunkSource::grid);
        if a.chunk_shape().along(axis) >= b.chunk_shape().along(axis) { a } else { b }
    }

    /// Reads and compares a piece. Where a chunk can't be read, the rest of the piece still is.
    fn compare_piece(&self, area: &BoundingBox, found: &mut Tally) {
        let mut buffers = BUFFERS.take();
        let read = self.read_both(area, &mut buffers);
        if read.is_ok() {
            found.add_voxels(area, &buffers[0], &buffers[1]);
        }
        BUFFERS.set(buffers);
        let Err((side, error)) = read else { return };
        match halves_of_chunks(self.sources[side as usize].grid(), area) {
            Some(halves) => halves.iter().for_each(|half| self.compare_piece(half, found)),
            None => found.add_unreadable(area, side, error),
        }
    }

    fn read_both(&self, area: &BoundingBox, buffers: &mut [Vec<u8>; 2]) -> Result<(), (Side, ChunkError)> {
        for ((side, source), buffer) in Side::BOTH.into_iter().zip(self.sources).zip(buffers) {
            let len = area.shape.byte_len(source.voxel_type().byte_len()).unwrap_or(0); // `walk` checked that pieces fit
            if buffer.capacity() > 2 * len.max(1 << 20) {
                *buffer = Vec::new();
            }
            buffer.resize(len, 0);
            read_box_alone(source, area, buffer).map_err(|error| (side, error))?;
        }
        Ok(())
    }
}

thread_local! {
    /// The voxels of both sides of a piece, used again for the next one.
    static BUFFERS: RefCell<[Vec<u8>; 2]> = RefCell::default();
}

/// Of the shards that are known, those that meet a part.
fn meeting(source: &dyn ChunkSource, area: &BoundingBox, listed: Listed<'_>) -> Option<Vec<ShardIndex>> {
    let shards = source.grid().shard_range(area);
    listed.map(|listed| listed.iter().filter(|shard| shards.contains(shard.0)).copied().collect())
}

/// Whether one side is known to store nothing in a part.
fn is_empty(source: &dyn ChunkSource, area: &BoundingBox, listed: Listed<'_>) -> bool {
    let grid = source.grid();
    if let Some(listed) = listed {
        return listed.is_empty();
    }
    let count = grid.shard_range(area).shape.voxel_count();
    count.is_some_and(|n| n <= MAX_ASKED_SHARDS) && grid.shards_in(area).all(|shard| source.is_absent(shard))
}

/// Cuts a box in two where chunks end; `None` if it meets one chunk only.
fn halves_of_chunks(grid: &ChunkGrid, area: &BoundingBox) -> Option<[BoundingBox; 2]> {
    let chunks = grid.chunk_range(area);
    let axis = (0..3).max_by_key(|axis| chunks.shape.along(*axis)).filter(|axis| chunks.shape.along(*axis) > 1)?;
    let middle = chunks.topleft[axis] + chunks.shape.along(axis) / 2;
    let cut = grid.chunk_box(ChunkIndex(chunks.topleft.with(axis, middle))).topleft[axis];
    let (first, end) = (area.topleft, area.bottomright());
    Some([BoundingBox::between(first, end.with(axis, cut)), BoundingBox::between(first.with(axis, cut), end)])
}

/// Extent of the pieces: whole chunks of both grids where these have room, so that each is decoded once.
fn piece_shape(grids: [&ChunkGrid; 2], voxel_lens: [usize; 2], piece_bytes: PieceBytes) -> Shape3 {
    let chunks = grids.map(|grid| grid.chunk_shape().to_vec());
    let mut piece = chunks[0].zip(chunks[1], common_multiple);
    let len = voxel_lens[0].max(voxel_lens[1]).max(1) as u64;
    let bytes = |piece: Vec3Int| Shape3::from(piece.to_array()).voxel_count().and_then(|n| n.checked_mul(len)).unwrap_or(u64::MAX);
    while bytes(piece) > piece_bytes.most {
        let halved = |axis: usize| piece.with(axis, (piece[axis] / 2).max(1));
        let longer = (0..3).filter(|axis| piece[*axis] > 1);
        let Some(best) = longer.map(halved).min_by(|p, q| decoded_share(&chunks, *p).total_cmp(&decoded_share(&chunks, *q))) else {
            break;
        };
        piece = best;
    }
    let offset = origin(grids[0]) - origin(grids[1]);
    let is_aligned = (0..3).all(|axis| {
        let sides = [chunks[0][axis], chunks[1][axis]];
        sides.iter().all(|side| piece[axis] % side == 0) && offset[axis] % sides[0].min(sides[1]) == 0
    });
    let aimed_at = if is_aligned { piece_bytes.aligned } else { piece_bytes.unaligned };
    while bytes(piece) <= aimed_at / 2 {
        let shortest = (0..3).min_by_key(|axis| piece[*axis]).unwrap_or(0);
        piece = piece.with(shortest, piece[shortest] * 2);
    }
    piece.to_array().into()
}

/// Where chunk 0, 0, 0 begins.
fn origin(grid: &ChunkGrid) -> Vec3Int {
    grid.chunk_box(ChunkIndex(Vec3Int::ZERO)).topleft
}

/// The longer side, or a multiple of both where a small one exists.
fn common_multiple(a: i64, b: i64) -> i64 {
    /// Longer multiples would make pieces larger than decoding twice costs.
    const MOST: i64 = 4;
    let (long, short) = (a.max(b), a.min(b).max(1));
    (1..=MOST).find_map(|n| long.checked_mul(n).filter(|multiple| multiple % short == 0)).unwrap_or(long)
}

/// How many voxels are decoded for each voxel of a piece that begins at a border of chunks, both sides together.
fn decoded_share(chunks: &[Vec3Int; 2], piece: Vec3Int) -> f64 {
    let whole =
        |chunk: &Vec3Int| (0..3).map(|a| (piece[a] as f64 / chunk[a] as f64).ceil() * chunk[a] as f64 / piece[a] as f64).product::<f64>();
    chunks.iter().map(whole).sum()
}
