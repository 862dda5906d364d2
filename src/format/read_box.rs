//! Reading any box of a level into memory, whatever its format.
//!
//! Used by the command line, exports and tests; the window reads chunk by chunk through `loading`.

use super::chunk_source::{ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, MAX_RUN_BYTES, adjacent_runs, read_encoded};
use crate::geometry::{BoundingBox, ChunkIndex, Shape3, Vec3Int};
use crate::storage::ByteRange;
use crate::voxel::{copy_box, fill_box};
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// Chunks that are located at a time: bounds what a huge, sparse box keeps in memory.
const BATCH_CHUNKS: usize = 4096;

/// How many of a box's chunks were stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoxCoverage {
    /// Chunks that exist on disk.
    pub stored: u64,
    /// Chunks of the grid that the box meets.
    pub total: u64,
}

impl BoxCoverage {
    /// Sums of both.
    pub const fn plus(self, other: Self) -> Self {
        Self { stored: self.stored + other.stored, total: self.total + other.total }
    }
}

/// Reads a box into `out`, canonical layout; what isn't stored is the fill value.
///
/// `out` must have exactly the box's length in bytes. Work is shared by the threads of the current
/// rayon pool: slabs of whole chunks along z, since these are contiguous in `out`.
///
/// # Errors
/// If a chunk that the box meets can't be read or decoded: the first one, `out` is then useless.
///
/// # Panics
/// If `out` has another length than the box.
pub fn read_box(source: &dyn ChunkSource, wanted: &BoundingBox, out: &mut [u8]) -> Result<BoxCoverage, ChunkError> {
    prepare(source, wanted, out);
    if wanted.is_empty() {
        return Ok(BoxCoverage::default());
    }
    let bytes_per_voxel = source.voxel_type().byte_len();
    let chunks = source.grid().chunk_range(wanted);
    if chunks.shape.voxel_count() == Some(1) {
        // Handing one chunk to another thread takes longer than decoding it.
        return read_single(source, ChunkIndex(chunks.topleft), wanted, out);
    }
    let slabs = split_at_chunks(source, wanted);
    let plane_len = wanted.shape.to_usize()[0] * wanted.shape.to_usize()[1] * bytes_per_voxel;
    let mut rest = out;
    let mut parts = Vec::with_capacity(slabs.len());
    for slab in &slabs {
        let (head, tail) = rest.split_at_mut(plane_len * slab.shape.to_usize()[2]);
        parts.push((slab, head));
        rest = tail;
    }
    // With fewer slabs than threads, chunks of one slab are decoded side by side as well.
    let inner_parallel = slabs.len() < rayon::current_num_threads();
    parts
        .into_par_iter()
        .map(|(slab, out)| read_slab(source, slab, out, inner_parallel))
        .try_reduce(BoxCoverage::default, |a, b| Ok(a.plus(b)))
}

/// As [`read_box`], by the calling thread alone: for work that is shared by boxes.
///
/// # Errors
/// As [`read_box`].
///
/// # Panics
/// As [`read_box`].
pub fn read_box_alone(source: &dyn ChunkSource, wanted: &BoundingBox, out: &mut [u8]) -> Result<BoxCoverage, ChunkError> {
    prepare(source, wanted, out);
    if wanted.is_empty() { Ok(BoxCoverage::default()) } else { read_slab(source, wanted, out, false) }
}

/// Checks the length of `out` and fills what lies outside of the array.
fn prepare(source: &dyn ChunkSource, wanted: &BoundingBox, out: &mut [u8]) {
    assert_eq!(Some(out.len()), wanted.shape.byte_len(source.voxel_type().byte_len()), "buffer of another length than the box");
    if !source.grid().bounds().contains_box(wanted) {
        fill_box(out, wanted, wanted, source.fill_voxel());
    }
}

/// Reads a box that lies in one chunk.
fn read_single(source: &dyn ChunkSource, chunk: ChunkIndex, wanted: &BoundingBox, out: &mut [u8]) -> Result<BoxCoverage, ChunkError> {
    let Some(location) = source.locate(chunk)? else {
        fill_box(out, wanted, &source.grid().chunk_box(chunk), source.fill_voxel());
        return Ok(BoxCoverage { stored: 0, total: 1 });
    };
    with_buffers(|buffers| {
        if !read_straight(source, &location, wanted, out, &mut buffers.scratch)? {
            read_run(source, std::slice::from_ref(&location), wanted, out, buffers)?;
        }
        Ok(BoxCoverage { stored: 1, total: 1 })
    })
}

/// The box cut along z where chunks end, into a bounded number of slabs.
fn split_at_chunks(source: &dyn ChunkSource, wanted: &BoundingBox) -> Vec<BoundingBox> {
    /// Many more than there are threads.
    const MAX_SLABS: i64 = 1024;
    let end = wanted.bottomright().z;
    let side = source.grid().chunk_shape().z();
    let thickness = side.saturating_mul(1 + wanted.shape.z() / side / MAX_SLABS);
    let mut slabs = Vec::new();
    let mut z = wanted.topleft.z;
    while z < end {
        let chunk = source.grid().chunk_from_voxel(wanted.topleft.with(2, z));
        let next = source.grid().chunk_box(chunk).topleft.z.saturating_add(thickness).clamp(z + 1, end);
        slabs.push(BoundingBox::between(wanted.topleft.with(2, z), wanted.bottomright().with(2, next)));
        z = next;
    }
    slabs
}

fn read_slab(source: &dyn ChunkSource, slab: &BoundingBox, out: &mut [u8], inner_parallel: bool) -> Result<BoxCoverage, ChunkError> {
    let grid = source.grid();
    let total = grid.chunk_range(slab).shape.voxel_count().unwrap_or(u64::MAX);
    let mut coverage = BoxCoverage { stored: 0, total };
    let mut batch = Vec::new();
    for shard in grid.shards_in(slab) {
        let shard_box = grid.shard_box(shard);
        if source.is_absent(shard) {
            fill_box(out, slab, &shard_box, source.fill_voxel());
            continue;
        }
        for chunk in grid.chunks_in(&shard_box.intersect(slab)) {
            batch.push(chunk);
            if batch.len() == BATCH_CHUNKS {
                coverage.stored += read_chunks(source, batch.drain(..), slab, out, inner_parallel)?;
            }
        }
    }
    coverage.stored += read_chunks(source, batch.drain(..), slab, out, inner_parallel)?;
    Ok(coverage)
}

/// Reads some chunks of a slab; returns how many of them are stored.
fn read_chunks(
    source: &dyn ChunkSource,
    chunks: impl Iterator<Item = ChunkIndex>,
    slab: &BoundingBox,
    out: &mut [u8],
    inner_parallel: bool,
) -> Result<u64, ChunkError> {
    let mut stored = 0;
    let mut runs = Vec::new();
    for chunk in chunks {
        let Some(location) = source.locate(chunk)? else {
            fill_box(out, slab, &source.grid().chunk_box(chunk), source.fill_voxel());
            continue;
        };
        stored += 1;
        if !with_buffers(|buffers| read_straight(source, &location, slab, out, &mut buffers.scratch))? {
            runs.push(location);
        }
    }
    let runs = adjacent_runs(runs);
    if inner_parallel && runs.iter().map(Vec::len).sum::<usize>() > 1 {
        decode_side_by_side(source, &runs, slab, out)?;
        return Ok(stored);
    }
    for run in &runs {
        with_buffers(|buffers| read_run(source, run, slab, out, buffers))?;
    }
    Ok(stored)
}

/// What a thread uses again for each chunk that it reads.
#[derive(Default)]
struct Buffers {
    /// Stored bytes of a run: at most [`MAX_RUN_BYTES`], or one larger chunk until the next run.
    stored: Vec<u8>,
    /// A decoded chunk of which only a part is wanted.
    scratch: Vec<u8>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Hands out the thread's buffers. They are taken out meanwhile: a source that is made of others reads boxes itself.
fn with_buffers<T>(f: impl FnOnce(&mut Buffers) -> T) -> T {
    let mut buffers = BUFFERS.take();
    let result = f(&mut buffers);
    BUFFERS.set(buffers);
    result
}

/// Makes a buffer this long, without holding on to much more memory than that.
fn sized(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.capacity() as u64 > MAX_RUN_BYTES.max(len as u64) {
        *buffer = Vec::new();
    }
    buffer.resize(len, 0);
    buffer
}

/// Reads a chunk without decoding where its bytes are its voxels; `false` where they aren't, or where reading
/// it together with its neighbours is faster.
fn read_straight(
    source: &dyn ChunkSource,
    location: &ChunkLocation,
    slab: &BoundingBox,
    out: &mut [u8],
    scratch: &mut Vec<u8>,
) -> Result<bool, ChunkError> {
    if let Some((skip, at)) = in_place(source, location, slab) {
        source.read_bytes(location, skip, &mut out[at])?;
        return Ok(true);
    }
    let Some(pieces) = pieces_of_large(source, location, slab) else { return Ok(false) };
    for (skip, piece) in pieces {
        let bytes = sized(scratch, piece.shape.byte_len(source.voxel_type().byte_len()).unwrap_or(0));
        source.read_bytes(location, skip, bytes)?;
        copy_box(bytes, &piece, out, slab, source.voxel_type().byte_len());
    }
    Ok(true)
}

/// Reads adjacent chunks with one read and decodes them into place.
fn read_run(
    source: &dyn ChunkSource,
    run: &[ChunkLocation],
    slab: &BoundingBox,
    out: &mut [u8],
    buffers: &mut Buffers,
) -> Result<(), ChunkError> {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(()) };
    let start = first.range.start;
    let total = match run {
        [only] => only.stored_len(),
        _ => last.range.end().saturating_sub(start),
    };
    let too_large = || source.chunk_error(first.chunk, Some(first.range), ChunkFault::TooLarge { bytes: total });
    let len = usize::try_from(total).map_err(|_| too_large())?;
    let stored = sized(&mut buffers.stored, len);
    match run {
        [only] => {
            source.read_bytes(only, 0, stored)?;
            return decode_into_box(source, only, stored, slab, out, &mut buffers.scratch);
        }
        _ => source.read_bytes(&ChunkLocation { range: ByteRange { start, len: total }, ..first.clone() }, 0, stored)?,
    }
    for location in run {
        // Inside: a run's chunks follow each other from `start` on.
        let from = usize::try_from(location.range.start - start).map_err(|_| too_large())?;
        let to = usize::try_from(location.range.end() - start).map_err(|_| too_large())?;
        decode_into_box(source, location, &stored[from..to], slab, out, &mut buffers.scratch)?;
    }
    Ok(())
}

/// Decodes a slab's chunks on all threads and copies them into place one after the other.
fn decode_side_by_side(
    source: &dyn ChunkSource,
    runs: &[Vec<ChunkLocation>],
    slab: &BoundingBox,
    out: &mut [u8],
) -> Result<(), ChunkError> {
    let chunk_len = source.chunk_byte_len().map_err(|fault| source.chunk_error(ChunkIndex(slab.topleft), None, fault))?;
    // At most 64 MiB of decoded chunks at a time.
    let at_once = ((64 << 20) / chunk_len.max(1)).max(1);
    let run_len = at_once.div_ceil(rayon::current_num_threads() * 2).max(1);
    let pieces: Vec<&[ChunkLocation]> = runs.iter().flat_map(|run| run.chunks(run_len)).collect();
    for group in pieces.chunks((at_once / run_len).max(1)) {
        let decoded: Vec<_> = group
            .par_iter()
            .map(|run| {
                let chunks = read_encoded(source, run)?;
                let buffers = chunks.into_iter().map(|chunk| {
                    let index = chunk.location.chunk;
                    super::decode(source, chunk).map(|buffer| (index, buffer))
                });
                buffers.collect::<Result<Vec<_>, ChunkError>>()
            })
            .collect::<Result<_, ChunkError>>()?;
        for (chunk, buffer) in decoded.into_iter().flatten() {
            copy_box(buffer.bytes(), &source.grid().chunk_box(chunk), out, slab, source.voxel_type().byte_len());
        }
    }
    Ok(())
}

fn decode_into_box(
    source: &dyn ChunkSource,
    location: &ChunkLocation,
    stored: &[u8],
    slab: &BoundingBox,
    out: &mut [u8],
    scratch: &mut Vec<u8>,
) -> Result<(), ChunkError> {
    let chunk_box = source.grid().chunk_box(location.chunk);
    let bytes_per_voxel = source.voxel_type().byte_len();
    let len = source.chunk_byte_len().map_err(|fault| source.chunk_error(location.chunk, Some(location.range), fault))?;
    if location.encoding == ChunkEncoding::Canonical && stored.len() == len {
        copy_box(stored, &chunk_box, out, slab, bytes_per_voxel);
    } else if chunk_box == *slab {
        source.decode_into(location, stored, out)?;
    } else {
        let decoded = sized(scratch, len);
        source.decode_into(location, stored, decoded)?;
        copy_box(decoded, &chunk_box, out, slab, bytes_per_voxel);
    }
    Ok(())
}

/// Where the wanted voxels lie in the chunk and in the buffer, if they can be read straight into place:
/// stored as canonical voxels, and one span both in the file and in the buffer.
fn in_place(source: &dyn ChunkSource, location: &ChunkLocation, slab: &BoundingBox) -> Option<(u64, Range<usize>)> {
    let chunk_box = canonical_box(source, location)?;
    let part = chunk_box.intersect(slab);
    // Whole rows and planes of both, but for the outermost axis that is cut.
    let one_span = |whole: &BoundingBox| {
        let (p, s) = (part.shape, whole.shape);
        (p.x() == s.x() && p.y() == s.y()) || (p.x() == s.x() && p.z() == 1) || (p.y() == 1 && p.z() == 1)
    };
    if part.is_empty() || !one_span(&chunk_box) || !one_span(slab) {
        return None;
    }
    let bytes_per_voxel = source.voxel_type().byte_len();
    let at = |whole: &BoundingBox| linear_index(whole.shape, part.topleft - whole.topleft).checked_mul(bytes_per_voxel);
    let start = at(slab)?;
    Some((at(&chunk_box)? as u64, start..start.checked_add(part.shape.byte_len(bytes_per_voxel)?)?))
}

/// What the slab needs of a large canonical chunk, as pieces that are one span in the file and short enough to
/// be held: some whole planes, or some whole rows of one plane. Each with its distance from the chunk's start.
///
/// `None` for a chunk that is better read whole.
fn pieces_of_large(
    source: &dyn ChunkSource,
    location: &ChunkLocation,
    slab: &BoundingBox,
) -> Option<impl Iterator<Item = (u64, BoundingBox)> + use<>> {
    /// Below this a shorter read isn't faster.
    const WORTHWHILE_BYTES: u64 = 256 << 10;
    let chunk_box = canonical_box(source, location)?;
    let part = chunk_box.intersect(slab);
    let is_mostly_needed = part.shape.z() * 2 > chunk_box.shape.z() && location.range.len <= MAX_RUN_BYTES;
    if location.range.len < WORTHWHILE_BYTES || is_mostly_needed {
        return None;
    }
    let voxel_len = source.voxel_type().byte_len() as u64;
    let row_len = chunk_box.shape.x().unsigned_abs() * voxel_len;
    let plane_len = chunk_box.shape.y().unsigned_abs() * row_len;
    let at_once = |len: u64| i64::try_from(MAX_RUN_BYTES / len.max(1)).unwrap_or(1).max(1);
    let (planes, rows) = match at_once(plane_len) {
        1 => (1, at_once(row_len)),
        planes => (planes, chunk_box.shape.y()),
    };
    let (first, end) = (part.topleft, part.bottomright());
    let (first_row, end_row) = if planes == 1 { (first.y, end.y) } else { (chunk_box.topleft.y, chunk_box.bottomright().y) };
    let steps = |from: i64, to: i64, by: i64| (from..to).step_by(usize::try_from(by).unwrap_or(usize::MAX));
    let pieces = steps(first.z, end.z, planes).flat_map(move |z| {
        steps(first_row, end_row, rows).map(move |y| {
            let topleft = Vec3Int::new(chunk_box.topleft.x, y, z);
            let piece =
                BoundingBox::between(topleft, Vec3Int::new(chunk_box.bottomright().x, (y + rows).min(end_row), (z + planes).min(end.z)));
            (linear_index(chunk_box.shape, piece.topleft - chunk_box.topleft) as u64 * voxel_len, piece)
        })
    });
    Some(pieces)
}

/// The box of a chunk whose stored bytes are its voxels.
fn canonical_box(source: &dyn ChunkSource, location: &ChunkLocation) -> Option<BoundingBox> {
    let chunk_box = source.grid().chunk_box(location.chunk);
    let len = chunk_box.shape.byte_len(source.voxel_type().byte_len())? as u64;
    (location.encoding == ChunkEncoding::Canonical && location.range.len == len).then_some(chunk_box)
}

fn linear_index(shape: Shape3, pos: Vec3Int) -> usize {
    let ([w, h, _], [x, y, z]) = (shape.to_usize(), Shape3::new(pos.x, pos.y, pos.z).to_usize());
    x + w * (y + h * z)
}
