//! Segment ids as the voxels of each element class hold them.
//!
//! An id is the 64 bits that are stored, sign-extended for signed classes; negative ids are kept but can't be painted.

use crate::format::nml::SegmentId;
use crate::voxel::ElementClass;

/// Whether annotations can have voxels of this class: integers of 8 to 64 bits.
pub const fn is_segment_class(class: ElementClass) -> bool {
    !matches!(class, ElementClass::Bool) && !class.is_float()
}

/// Highest id that voxels of a class can have: `uint8` 255 to `uint64` 2^64 − 1, `intN` 2^(N−1) − 1; 0 for floats.
pub const fn max_segment_id(class: ElementClass) -> SegmentId {
    match class {
        ElementClass::Bool => 1,
        ElementClass::Uint8 => u8::MAX as u64,
        ElementClass::Uint16 => u16::MAX as u64,
        ElementClass::Uint32 => u32::MAX as u64,
        ElementClass::Uint64 => u64::MAX,
        ElementClass::Int8 => i8::MAX as u64,
        ElementClass::Int16 => i16::MAX as u64,
        ElementClass::Int32 => i32::MAX as u64,
        ElementClass::Int64 => i64::MAX as u64,
        ElementClass::Float16 | ElementClass::Float32 | ElementClass::Float64 => 0,
    }
}

/// Whether voxels of `to` can hold an id that voxels of `from` hold, negative ones included.
pub fn fits_class(id: SegmentId, from: ElementClass, to: ElementClass) -> bool {
    // Sign-extended: the bits of a negative id are those of the `i64`.
    let is_negative = is_signed(from) && id.cast_signed() < 0;
    if !is_negative {
        return id <= max_segment_id(to);
    }
    let lowest = -1 - i128::from(max_segment_id(to));
    is_signed(to) && i128::from(id.cast_signed()) >= lowest
}

const fn is_signed(class: ElementClass) -> bool {
    matches!(class, ElementClass::Int8 | ElementClass::Int16 | ElementClass::Int32 | ElementClass::Int64)
}

/// Text of an id for people: negative ones of signed classes with their sign.
pub(super) fn id_text(id: SegmentId, class: ElementClass) -> String {
    if is_signed(class) { id.cast_signed().to_string() } else { id.to_string() }
}

/// The ids of canonical voxels, one after the other.
pub(super) fn for_each_id(class: ElementClass, bytes: &[u8], mut f: impl FnMut(SegmentId)) {
    fn each<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> u64, f: &mut impl FnMut(u64)) {
        bytes.as_chunks::<N>().0.iter().for_each(|voxel| f(value(*voxel)));
    }
    let f = &mut f;
    match class {
        ElementClass::Bool => each(bytes, |[b]| u64::from(b != 0), f),
        ElementClass::Uint8 => each(bytes, |[b]| u64::from(b), f),
        ElementClass::Uint16 => each(bytes, |b| u64::from(u16::from_le_bytes(b)), f),
        ElementClass::Uint32 => each(bytes, |b| u64::from(u32::from_le_bytes(b)), f),
        ElementClass::Uint64 => each(bytes, u64::from_le_bytes, f),
        ElementClass::Int8 => each(bytes, |b| i64::from(i8::from_le_bytes(b)).cast_unsigned(), f),
        ElementClass::Int16 => each(bytes, |b| i64::from(i16::from_le_bytes(b)).cast_unsigned(), f),
        ElementClass::Int32 => each(bytes, |b| i64::from(i32::from_le_bytes(b)).cast_unsigned(), f),
        ElementClass::Int64 => each(bytes, |b| i64::from_le_bytes(b).cast_unsigned(), f),
        ElementClass::Float16 | ElementClass::Float32 | ElementClass::Float64 => {}
    }
}

/// The highest id of canonical voxels; negative ones don't count.
pub(super) fn highest_id(class: ElementClass, bytes: &[u8]) -> SegmentId {
    let (most, mut highest) = (max_segment_id(class), 0);
    for_each_id(class, bytes, |id| highest = if id <= most { highest.max(id) } else { highest });
    highest
}

/// Puts the ids of `from` into voxels of another class. Both slices hold the same number of voxels.
///
/// # Errors
/// With the first id that doesn't fit.
pub(super) fn convert_ids(from: ElementClass, bytes: &[u8], to: ElementClass, out: &mut [u8]) -> Result<(), SegmentId> {
    let mut voxels = out.chunks_exact_mut(to.byte_len());
    let mut unfit = None;
    let mut last_fit = None;
    for_each_id(from, bytes, |id| {
        // Neighbours are mostly equal.
        if last_fit != Some(id) {
            if !fits_class(id, from, to) {
                unfit = unfit.or(Some(id));
                return;
            }
            last_fit = Some(id);
        }
        if let Some(voxel) = voxels.next() {
            voxel.copy_from_slice(&id.to_le_bytes()[..to.byte_len()]);
        }
    });
    unfit.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_class() {
        assert_eq!(max_segment_id(ElementClass::Uint8), 255);
        assert_eq!(max_segment_id(ElementClass::Int16), 32767);
        assert_eq!(max_segment_id(ElementClass::Uint64), u64::MAX);
        assert_eq!(max_segment_id(ElementClass::Int64), (1 << 63) - 1);
    }

    #[test]
    fn ids_are_converted_exactly_or_refused_by_name() {
        let (int8, uint64, int64) = (ElementClass::Int8, ElementClass::Uint64, ElementClass::Int64);
        let mut out = [0; 16];
        assert_eq!(convert_ids(int8, &[0xff, 7], int64, &mut out), Ok(()));
        assert_eq!(out, [255, 255, 255, 255, 255, 255, 255, 255, 7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(convert_ids(int8, &[7, 0xff], uint64, &mut out), Err(u64::MAX));
        assert_eq!(id_text(u64::MAX, int8), "-1");
        let large = (1_u64 << 32).to_le_bytes();
        assert_eq!(convert_ids(uint64, &large, ElementClass::Uint32, &mut [0; 4]), Err(1 << 32));
        assert_eq!(convert_ids(uint64, &((1_u64 << 53) + 1).to_le_bytes(), int64, &mut out[..8]), Ok(()));
        assert_eq!(out[..8], ((1_u64 << 53) + 1).to_le_bytes());
    }

    #[test]
    fn the_lowest_negative_id_fits_and_the_next_does_not() {
        let (int16, int8) = (ElementClass::Int16, ElementClass::Int8);
        assert!(fits_class((-128_i64).cast_unsigned(), int16, int8));
        assert!(!fits_class((-129_i64).cast_unsigned(), int16, int8));
    }
}
