//! Copying boxes between arrays, whole rows at a time.

use crate::geometry::{BoundingBox, Shape3, Vec3Int};

/// Distance in bytes between neighbours along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides(pub [usize; 3]);

impl Strides {
    /// Strides of a dense canonical array (x fastest). The caller has checked that the array's length
    /// in bytes fits the address space.
    pub fn canonical(shape: Shape3, bytes_per_voxel: usize) -> Self {
        let [x, y, _] = shape.to_usize();
        Self([bytes_per_voxel, bytes_per_voxel * x, bytes_per_voxel * x * y])
    }

    fn offset(self, pos: [usize; 3]) -> usize {
        pos[0] * self.0[0] + pos[1] * self.0[1] + pos[2] * self.0[2]
    }
}

/// Whether all bytes are 0.
pub fn is_zero(bytes: &[u8]) -> bool {
    let (wide, rest) = bytes.as_chunks::<64>();
    wide.iter().all(|w| *w == [0; 64]) && rest.iter().all(|b| *b == 0)
}

/// Copies `shape` voxels of `bytes_per_voxel` bytes from the start of `source` to the start of `target`.
///
/// Works for any order of either array; runs that are contiguous in both are copied as one.
///
/// # Panics
/// If the region doesn't lie inside both slices: callers slice by boxes that they checked.
pub fn copy_region(
    source: &[u8],
    source_strides: Strides,
    target: &mut [u8],
    target_strides: Strides,
    shape: [usize; 3],
    bytes_per_voxel: usize,
) {
    if shape.contains(&0) {
        return;
    }
    let (s, t) = (source_strides.0, target_strides.0);
    let row = shape[0] * bytes_per_voxel;
    if s[0] == bytes_per_voxel && t[0] == bytes_per_voxel {
        // Rows are contiguous in both; when rows follow each other in both, planes are too.
        let planes_joined = s[1] == row && t[1] == row;
        for z in 0..shape[2] {
            let (from, to) = (z * s[2], z * t[2]);
            if planes_joined {
                let len = row * shape[1];
                target[to..to + len].copy_from_slice(&source[from..from + len]);
                continue;
            }
            for y in 0..shape[1] {
                let (from, to) = (from + y * s[1], to + y * t[1]);
                target[to..to + row].copy_from_slice(&source[from..from + row]);
            }
        }
        return;
    }
    match bytes_per_voxel {
        1 => copy_strided::<1>(source, s, target, t, shape),
        2 => copy_strided::<2>(source, s, target, t, shape),
        3 => copy_strided::<3>(source, s, target, t, shape),
        4 => copy_strided::<4>(source, s, target, t, shape),
        8 => copy_strided::<8>(source, s, target, t, shape),
        n => {
            for z in 0..shape[2] {
                for y in 0..shape[1] {
                    for x in 0..shape[0] {
                        let (from, to) = (source_strides.offset([x, y, z]), target_strides.offset([x, y, z]));
                        target[to..to + n].copy_from_slice(&source[from..from + n]);
                    }
                }
            }
        }
    }
}

/// Copies voxel by voxel with the voxel's length known to the compiler.
fn copy_strided<const N: usize>(source: &[u8], s: [usize; 3], target: &mut [u8], t: [usize; 3], shape: [usize; 3]) {
    for z in 0..shape[2] {
        for y in 0..shape[1] {
            let (mut from, mut to) = (y * s[1] + z * s[2], y * t[1] + z * t[2]);
            for _ in 0..shape[0] {
                target[to..to + N].copy_from_slice(&source[from..from + N]);
                from += s[0];
                to += t[0];
            }
        }
    }
}

/// Copies the voxels that two canonical arrays have in common.
///
/// `source` covers `source_box`, `target` covers `target_box`, both dense, in the same grid.
pub fn copy_box(source: &[u8], source_box: &BoundingBox, target: &mut [u8], target_box: &BoundingBox, bytes_per_voxel: usize) {
    let common = source_box.intersect(target_box);
    if common.is_empty() {
        return;
    }
    let source_strides = Strides::canonical(source_box.shape, bytes_per_voxel);
    let target_strides = Strides::canonical(target_box.shape, bytes_per_voxel);
    let from = source_strides.offset(index_in(source_box, common.topleft));
    let to = target_strides.offset(index_in(target_box, common.topleft));
    copy_region(&source[from..], source_strides, &mut target[to..], target_strides, common.shape.to_usize(), bytes_per_voxel);
}

/// Sets the voxels of `filled` that lie in a canonical array to one value.
pub fn fill_box(target: &mut [u8], target_box: &BoundingBox, filled: &BoundingBox, voxel: &[u8]) {
    let common = filled.intersect(target_box);
    if common.is_empty() {
        return;
    }
    let is_zero = voxel.iter().all(|b| *b == 0);
    let fill = |voxels: &mut [u8]| {
        if is_zero {
            voxels.fill(0);
        } else {
            voxels.chunks_exact_mut(voxel.len()).for_each(|v| v.copy_from_slice(voxel));
        }
    };
    if common == *target_box {
        return fill(target);
    }
    let strides = Strides::canonical(target_box.shape, voxel.len());
    let row = common.shape.to_usize()[0] * voxel.len();
    let end = common.bottomright();
    for z in common.topleft.z..end.z {
        for y in common.topleft.y..end.y {
            let at = strides.offset(index_in(target_box, Vec3Int::new(common.topleft.x, y, z)));
            fill(&mut target[at..at + row]);
        }
    }
}

/// Index of a voxel inside a box that contains it.
fn index_in(b: &BoundingBox, pos: Vec3Int) -> [usize; 3] {
    let d = pos - b.topleft;
    Shape3::new(d.x, d.y, d.z).to_usize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn copying_a_box_moves_exactly_the_common_voxels(
            a in prop::array::uniform3(-5_i64..5), sa in prop::array::uniform3(1_i64..7),
            b in prop::array::uniform3(-5_i64..5), sb in prop::array::uniform3(1_i64..7), bpv in 1_usize..9,
        ) {
            let (from, to) = (BoundingBox::new(a.into(), sa.into()), BoundingBox::new(b.into(), sb.into()));
            let source: Vec<u8> = (0..from.shape.byte_len(bpv).expect("small")).map(|i| (i % 251 + 1) as u8).collect();
            let mut target = vec![0; to.shape.byte_len(bpv).expect("small")];
            copy_box(&source, &from, &mut target, &to, bpv);
            let end = to.bottomright();
            for z in b[2]..end.z { for y in b[1]..end.y { for x in b[0]..end.x {
                let pos = Vec3Int::new(x, y, z);
                let at = Strides::canonical(to.shape, bpv).offset(index_in(&to, pos));
                let expected = if from.contains(pos) {
                    let at = Strides::canonical(from.shape, bpv).offset(index_in(&from, pos));
                    source[at..at + bpv].to_vec()
                } else { vec![0; bpv] };
                prop_assert_eq!(&target[at..at + bpv], &expected[..]);
            }}}
        }

        #[test]
        fn strided_copies_transpose(shape in prop::array::uniform3(1_usize..6), bpv in prop::sample::select(vec![1_usize, 2, 3, 4, 5, 8])) {
            let len = shape.iter().product::<usize>() * bpv;
            let source: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let z_fastest = Strides([shape[1] * shape[2] * bpv, shape[2] * bpv, bpv]);
            let x_fastest = Strides([bpv, shape[0] * bpv, shape[0] * shape[1] * bpv]);
            let mut there = vec![0; len];
            copy_region(&source, z_fastest, &mut there, x_fastest, shape, bpv);
            for z in 0..shape[2] { for y in 0..shape[1] { for x in 0..shape[0] {
                let (s, t) = (z_fastest.offset([x, y, z]), x_fastest.offset([x, y, z]));
                prop_assert_eq!(&source[s..s + bpv], &there[t..t + bpv]);
            }}}
        }
    }

    #[test]
    fn filling_leaves_the_rest_alone() {
        let b = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(2));
        let mut target = [9; 16];
        fill_box(&mut target, &b, &BoundingBox::new(Vec3Int::new(1, 0, 0), Shape3::new(5, 1, 1)), &[1, 2]);
        assert_eq!(target, [9, 9, 1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9]);
    }
}
