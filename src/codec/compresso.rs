//! Compresso: segmentations as the boundaries between segments, and one id for each region that they enclose.
//!
//! Format: <https://github.com/seung-lab/compresso>, "Compresso Stream Format", versions 0 and 1; the method is that of
//! Matejek et al., "Compresso", MICCAI 2017. A bit per voxel says whether it lies on a boundary; the bits are stored as
//! small windows, each of them an index into the table of those that occur. Voxels off the boundaries form connected
//! regions, numbered in the order in which their first voxels are stored. A voxel on a boundary has the id of a
//! neighbour, or its own is stored.
//!
//! The index of version 1 is not needed to decode whole chunks, and skipped. Not supported: the format of the paper's
//! own program.

use super::DecodeError;

const CODEC: &str = "compresso";
const MAGIC: &[u8; 4] = b"cpso";
const HEADER_LEN: usize = 36;
/// A window's bits must fit into the widest number.
const MAX_WINDOW_VOXELS: usize = 64;

/// Decodes a chunk into `out`: x fastest, then y, z, little-endian.
///
/// # Errors
/// If the stream is broken or cut off, has another shape or another width of ids, or `out` hasn't the chunk's length.
pub fn decode_into(stored: &[u8], shape: [usize; 3], bytes_per_id: usize, out: &mut [u8]) -> Result<(), DecodeError> {
    match bytes_per_id {
        1 => decode_ids::<1>(stored, shape, out),
        2 => decode_ids::<2>(stored, shape, out),
        4 => decode_ids::<4>(stored, shape, out),
        8 => decode_ids::<8>(stored, shape, out),
        _ => Err(corrupt(format!("ids of {bytes_per_id} bytes, expected 1, 2, 4 or 8"))),
    }
}

fn decode_ids<const ID_LEN: usize>(stored: &[u8], shape: [usize; 3], out: &mut [u8]) -> Result<(), DecodeError> {
    let header = Header::parse(stored)?;
    if header.shape != shape {
        let text = |[x, y, z]: [usize; 3]| format!("{x} × {y} × {z}");
        return Err(corrupt(format!("a chunk of {} voxels, expected {}", text(header.shape), text(shape))));
    }
    if header.bytes_per_id != ID_LEN {
        return Err(corrupt(format!("ids of {} bytes, expected {ID_LEN}", header.bytes_per_id)));
    }
    let voxels = shape.iter().try_fold(1_usize, |product, side| product.checked_mul(*side)).unwrap_or(usize::MAX);
    let expected = voxels.saturating_mul(ID_LEN);
    if expected != out.len() {
        return Err(DecodeError::WrongLength { expected, actual: out.len() });
    }
    if u32::try_from(voxels).is_err() {
        return Err(corrupt("more voxels than regions can be counted"));
    }
    if out.is_empty() {
        return Ok(());
    }
    let sections = Sections::<ID_LEN>::split(&header, stored)?;
    let mut regions = vec![1; voxels];
    mark_boundaries(&header, &sections, &mut regions)?;
    number_regions(shape, header.connectivity, &mut regions);

    let (ids, _) = out.as_chunks_mut::<ID_LEN>();
    for (id, region) in ids.iter_mut().zip(&regions) {
        *id = match region.checked_sub(1) {
            Some(index) => *sections.ids.get(index as usize).ok_or_else(|| corrupt("more regions than ids"))?,
            None => [0; ID_LEN],
        };
    }
    fill_boundaries(&header, &regions, sections.locations, ids)
}

/// Which neighbours belong to one region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Connectivity {
    /// Those in the same slice.
    Four,
    /// Those in the next slices too.
    Six,
}

struct Header {
    version: u8,
    bytes_per_id: usize,
    shape: [usize; 3],
    window: [usize; 3],
    id_count: u64,
    value_count: u64,
    location_count: u64,
    connectivity: Connectivity,
}

impl Header {
    fn parse(stored: &[u8]) -> Result<Self, DecodeError> {
        let bytes: &[u8; HEADER_LEN] = stored.first_chunk().ok_or_else(|| DecodeError::ends_early(CODEC))?;
        if !bytes.starts_with(MAGIC) {
            return Err(corrupt("no \"cpso\" at the start"));
        }
        let version = bytes[4];
        if version > 1 {
            return Err(corrupt(format!("format version {version}, expected 0 or 1")));
        }
        let number = |at: usize, len: usize| number(&bytes[at..at + len]);
        let window = [bytes[12].into(), bytes[13].into(), bytes[14].into()];
        if !(1..=MAX_WINDOW_VOXELS).contains(&window.iter().product()) {
            return Err(corrupt(format!("windows of {} × {} × {} voxels, expected up to 64 in all", window[0], window[1], window[2])));
        }
        let connectivity = match bytes[35] {
            4 => Connectivity::Four,
            6 => Connectivity::Six,
            other => return Err(corrupt(format!("connectivity {other}, expected 4 or 6"))),
        };
        Ok(Self {
            version,
            bytes_per_id: bytes[5].into(),
            shape: [6, 8, 10].map(|at| number(at, 2) as usize),
            window,
            id_count: number(15, 8),
            value_count: number(23, 4),
            location_count: number(27, 8),
            connectivity,
        })
    }

    /// Bytes of the smallest number with a bit for each voxel of a window.
    fn window_len(&self) -> usize {
        self.window.iter().product::<usize>().div_ceil(8).next_power_of_two()
    }

    /// Bytes of version 1's index at the end: two numbers per slice, each wide enough for twice the voxels of one.
    fn index_len(&self) -> usize {
        if self.version == 0 {
            return 0;
        }
        let largest = 2 * self.shape[0] as u64 * self.shape[1] as u64;
        let width = match largest {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            _ => 8,
        };
        2 * width * self.shape[2]
    }
}

struct Sections<'a, const ID_LEN: usize> {
    ids: &'a [[u8; ID_LEN]],
    values: &'a [u8],
    locations: &'a [[u8; ID_LEN]],
    windows: &'a [u8],
}

impl<'a, const ID_LEN: usize> Sections<'a, ID_LEN> {
    fn split(header: &Header, stored: &'a [u8]) -> Result<Self, DecodeError> {
        let early = || DecodeError::ends_early(CODEC);
        let split = |bytes: &'a [u8], count: u64, len: usize| {
            let len = usize::try_from(count).ok().and_then(|count| count.checked_mul(len));
            len.and_then(|len| bytes.split_at_checked(len)).ok_or_else(early)
        };
        let (ids, rest) = split(&stored[HEADER_LEN..], header.id_count, ID_LEN)?;
        let (values, rest) = split(rest, header.value_count, header.window_len())?;
        let (locations, rest) = split(rest, header.location_count, ID_LEN)?;
        let windows_len = rest.len().checked_sub(header.index_len()).ok_or_else(early)?;
        Ok(Self { ids: ids.as_chunks().0, values, locations: locations.as_chunks().0, windows: &rest[..windows_len] })
    }
}

/// Sets the regions of voxels on a boundary to 0.
fn mark_boundaries<const ID_LEN: usize>(header: &Header, sections: &Sections<'_, ID_LEN>, regions: &mut [u32]) -> Result<(), DecodeError> {
    let window_len = header.window_len();
    let grid: [usize; 3] = std::array::from_fn(|axis| header.shape[axis].div_ceil(header.window[axis]));
    // In range: there are no more windows than voxels.
    let windows: usize = grid.iter().product();
    let mut at = 0_usize;
    let mut mark = |at: usize, index: u64| {
        let start = usize::try_from(index).ok().and_then(|index| index.checked_mul(window_len));
        let value = start.and_then(|start| sections.values.get(start..)?.get(..window_len));
        let bits = number(value.ok_or_else(|| corrupt("a window's index leads out of the table"))?);
        let topleft =
            [at % grid[0] * header.window[0], at / grid[0] % grid[1] * header.window[1], at / grid[0] / grid[1] * header.window[2]];
        mark_window(header, bits, topleft, regions);
        Ok(())
    };
    for word in sections.windows.chunks_exact(window_len) {
        let word = number(word);
        // An odd number is a run of index 0.
        let (count, index) = if word & 1 == 1 { (word >> 1, 0) } else { (1, word >> 1) };
        let end = usize::try_from(count).ok().and_then(|count| at.checked_add(count)).filter(|end| *end <= windows);
        let end = end.ok_or_else(|| corrupt("more windows than fit into the chunk"))?;
        for at in at..end {
            mark(at, index)?;
        }
        at = end;
    }
    if at < windows { Err(DecodeError::ends_early(CODEC)) } else { Ok(()) }
}

fn mark_window(header: &Header, mut bits: u64, topleft: [usize; 3], regions: &mut [u32]) {
    let [width, height, depth] = header.window;
    while bits != 0 {
        let bit = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let in_window = [bit % width, bit / width % height, bit / width / height];
        let [x, y, z]: [usize; 3] = std::array::from_fn(|axis| topleft[axis] + in_window[axis]);
        // Windows at the edge reach out of the chunk.
        if in_window[2] < depth && x < header.shape[0] && y < header.shape[1] && z < header.shape[2] {
            regions[x + header.shape[0] * (y + header.shape[1] * z)] = 0;
        }
    }
}

/// Numbers the connected regions of voxels that aren't 0, from 1, in the order of their first voxels.
///
/// The first pass gives each voxel the number of a neighbour before it, and remembers which numbers met; the lower one
/// of two always wins, so the second pass can replace them in ascending order.
fn number_regions(shape: [usize; 3], connectivity: Connectivity, regions: &mut [u32]) {
    let [width, height, _] = shape;
    let mut lower: Vec<u32> = vec![0];
    for start in (0..regions.len()).step_by(width) {
        let row = start / width;
        let (has_row_above, has_slice_before) = (!row.is_multiple_of(height), connectivity == Connectivity::Six && row >= height);
        for at in start..start + width {
            if regions[at] == 0 {
                continue;
            }
            let left = if at > start { regions[at - 1] } else { 0 };
            let above = if has_row_above { regions[at - width] } else { 0 };
            let before = if has_slice_before { regions[at - width * height] } else { 0 };
            let mut region = 0;
            for neighbour in [left, above, before] {
                region = match (region, neighbour) {
                    (known, 0) => known,
                    (0, new) => new,
                    (known, new) if known == new => known,
                    (known, new) => join(&mut lower, known, new),
                };
            }
            if region == 0 {
                // In range: there are no more regions than voxels, which fit into 32 bits.
                region = lower.len() as u32;
                lower.push(region);
            }
            regions[at] = region;
        }
    }
    let mut count = 0;
    for region in 1..lower.len() {
        let joined = lower[region] as usize;
        lower[region] = if joined == region {
            count += 1;
            count
        } else {
            lower[joined]
        };
    }
    for region in regions {
        *region = lower[*region as usize];
    }
}

/// Makes two regions one, and returns its number.
fn join(lower: &mut [u32], a: u32, b: u32) -> u32 {
    let (a, b) = (root(lower, a), root(lower, b));
    let (low, high) = (a.min(b), a.max(b));
    lower[high as usize] = low;
    low
}

fn root(lower: &mut [u32], mut region: u32) -> u32 {
    loop {
        let parent = lower[region as usize];
        if parent == region {
            return region;
        }
        // Halving the path keeps later searches short.
        let grandparent = lower[parent as usize];
        lower[region as usize] = grandparent;
        region = grandparent;
    }
}

/// Gives voxels on boundaries the id of the neighbour that the format says, or their own.
fn fill_boundaries<const ID_LEN: usize>(
    header: &Header,
    regions: &[u32],
    locations: &[[u8; ID_LEN]],
    ids: &mut [[u8; ID_LEN]],
) -> Result<(), DecodeError> {
    let [width, height, depth] = header.shape;
    let slice = width * height;
    let mut locations = locations.iter();
    let mut next = || locations.next().copied().ok_or_else(|| corrupt("a boundary voxel without an id"));
    for at in (0..regions.len()).filter(|at| regions[*at] == 0) {
        let (x, y, z) = (at % width, at / width % height, at / slice);
        let is_inner = |neighbour: usize| regions[neighbour] != 0;
        ids[at] = if x > 0 && is_inner(at - 1) {
            ids[at - 1]
        } else if y > 0 && is_inner(at - width) {
            ids[at - width]
        } else if header.connectivity == Connectivity::Six && z > 0 && is_inner(at - slice) {
            ids[at - slice]
        } else {
            let location = next()?;
            match number(&location) {
                0 if x > 0 => ids[at - 1],
                1 if x + 1 < width => ids[at + 1],
                2 if y > 0 => ids[at - width],
                3 if y + 1 < height => ids[at + width],
                4 if z > 0 => ids[at - slice],
                5 if z + 1 < depth => ids[at + slice],
                0..=5 => return Err(corrupt("a boundary voxel takes its id from outside of the chunk")),
                6 => next()?,
                id => std::array::from_fn(|byte| (id - 7).to_le_bytes()[byte]),
            }
        };
    }
    Ok(())
}

/// A little-endian number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn corrupt(reason: impl Into<String>) -> DecodeError {
    DecodeError::corrupt(CODEC, reason)
}

#[cfg(test)]
mod tests;
