//! Reading and setting the voxels of one bucket by a mask of bits.

use super::mask::{ROWS, Rows};
use crate::format::nml::SegmentId;
use crate::geometry::Vec3Int;
use crate::voxel::{ElementClass, VoxelBuffer};

/// Which voxels of an area are painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaintRule {
    /// All of them.
    All,
    /// Those that have this id.
    WhereEqual(SegmentId),
}

/// What painting does to a bucket.
pub(super) struct Examined {
    /// Voxels that the rule lets be painted.
    pub painted: Box<Rows>,
    /// How many there are.
    pub painted_count: u64,
    /// How many of them get another id.
    pub changed_count: u64,
}

/// Calls generic code with the length of a voxel known to the compiler.
macro_rules! by_length {
    ($class:expr, $function:ident, $($argument:expr),*) => {
        match $class.byte_len() {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            4 => $function::<4>($($argument),*),
            _ => $function::<8>($($argument),*),
        }
    };
}

/// Finds out what painting `id` would change.
pub(super) fn examine(class: ElementClass, bytes: &[u8], mask: &Rows, rule: PaintRule, id: SegmentId) -> Examined {
    by_length!(class, examine_voxels, bytes, mask, rule, id)
}

/// The same for a bucket of zeros, without looking at it.
pub(super) fn examine_zeros(mask: &Rows, rule: PaintRule, id: SegmentId) -> Examined {
    let is_painted = matches!(rule, PaintRule::All | PaintRule::WhereEqual(0));
    let painted = Box::new(if is_painted { *mask } else { [0; ROWS] });
    let painted_count = painted.iter().map(|row| u64::from(row.count_ones())).sum();
    Examined { painted, painted_count, changed_count: if id == 0 { 0 } else { painted_count } }
}

/// Sets the voxels of a mask to an id.
pub(super) fn set_voxels(class: ElementClass, bytes: &mut [u8], mask: &Rows, id: SegmentId) {
    by_length!(class, set_voxels_of, bytes, mask, id);
}

/// The voxels that have an id.
pub(super) fn voxels_equal(class: ElementClass, bytes: &[u8], id: SegmentId) -> Box<Rows> {
    by_length!(class, equal_rows, bytes, id)
}

/// The id of a voxel of a bucket, by its position in it.
pub(super) fn id_at(voxels: &VoxelBuffer, local: Vec3Int) -> SegmentId {
    let mut id = 0;
    if let Some(voxel) = voxels.voxel(local) {
        super::ids::for_each_id(voxels.voxel_type().class, voxel, |found| id = found);
    }
    id
}

/// The bytes of an id in a class of this length.
fn voxel_of<const N: usize>(id: SegmentId) -> [u8; N] {
    id.to_le_bytes().first_chunk::<N>().copied().unwrap_or([0; N])
}

fn equal_rows<const N: usize>(bytes: &[u8], id: SegmentId) -> Box<Rows> {
    let (mut rows, wanted) = (Box::new([0; ROWS]), voxel_of::<N>(id));
    for (row, voxels) in rows.iter_mut().zip(bytes.as_chunks::<N>().0.as_chunks::<32>().0) {
        *row = equal_bits(voxels, &wanted);
    }
    rows
}

fn equal_bits<const N: usize>(voxels: &[[u8; N]; 32], wanted: &[u8; N]) -> u32 {
    voxels.iter().zip(0..).fold(0, |bits, (voxel, x)| bits | u32::from(voxel == wanted) << x)
}

fn examine_voxels<const N: usize>(bytes: &[u8], mask: &Rows, rule: PaintRule, id: SegmentId) -> Examined {
    let mut painted = Box::new(*mask);
    let (mut painted_count, mut changed_count) = (0, 0);
    let voxel = voxel_of::<N>(id);
    let only = match rule {
        PaintRule::All => None,
        PaintRule::WhereEqual(id) => Some(voxel_of::<N>(id)),
    };
    for (row, voxels) in painted.iter_mut().zip(bytes.as_chunks::<N>().0.as_chunks::<32>().0).filter(|(row, _)| **row != 0) {
        if let Some(only) = &only {
            *row &= equal_bits(voxels, only);
        }
        painted_count += u64::from(row.count_ones());
        changed_count += u64::from((*row & !equal_bits(voxels, &voxel)).count_ones());
    }
    Examined { painted, painted_count, changed_count }
}

fn set_voxels_of<const N: usize>(bytes: &mut [u8], mask: &Rows, id: SegmentId) {
    let voxel = voxel_of::<N>(id);
    for (row, voxels) in mask.iter().zip(bytes.as_chunks_mut::<N>().0.as_chunks_mut::<32>().0).filter(|(row, _)| **row != 0) {
        let mut bits = *row;
        while bits != 0 {
            let start = bits.trailing_zeros();
            let len = (bits >> start).trailing_ones();
            voxels[start as usize..(start + len) as usize].fill(voxel);
            bits &= (!0_u32).checked_shl(start + len).unwrap_or(0);
        }
    }
}
