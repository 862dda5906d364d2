//! Morton (Z) order: the order of chunks inside a WKW shard, x in the lowest bit; and the compressed one of the
//! precomputed format, which leaves out bits that are always zero.

/// Bits per axis that a 64-bit Morton number can hold.
const BITS: u32 = 21;

/// Spreads the low 21 bits of `v` so that two zero bits follow each.
fn spread(v: u64) -> u64 {
    let mut v = v & ((1 << BITS) - 1);
    v = (v | v << 32) & 0x001f_0000_0000_ffff;
    v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// Inverse of [`spread`].
fn gather(v: u64) -> u64 {
    let mut v = v & 0x1249_2492_4924_9249;
    v = (v | v >> 2) & 0x10c3_0c30_c30c_30c3;
    v = (v | v >> 4) & 0x100f_00f0_0f00_f00f;
    v = (v | v >> 8) & 0x001f_0000_ff00_00ff;
    v = (v | v >> 16) & 0x001f_0000_0000_ffff;
    (v | v >> 32) & ((1 << BITS) - 1)
}

/// Morton number of grid position x, y, z; only the low 21 bits of each count.
pub fn morton_encode([x, y, z]: [u64; 3]) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// Grid position x, y, z of a Morton number.
pub fn morton_decode(number: u64) -> [u64; 3] {
    [gather(number), gather(number >> 1), gather(number >> 2)]
}

/// Bits that positions below `len` take.
fn position_bits(len: u64) -> u32 {
    u64::BITS - len.saturating_sub(1).leading_zeros()
}

/// Bits of a compressed Morton number of a position in this grid.
pub fn compressed_morton_bits(grid: [u64; 3]) -> u32 {
    grid.map(position_bits).iter().sum()
}

/// Compressed Morton number of a grid position: bits of x, y, z in turn, each axis only as long as the grid has
/// positions that need the bit. `None` outside of the grid, and if the grid's numbers don't fit 64 bits.
pub fn compressed_morton_encode(pos: [u64; 3], grid: [u64; 3]) -> Option<u64> {
    if compressed_morton_bits(grid) > u64::BITS || (0..3).any(|axis| pos[axis] >= grid[axis]) {
        return None;
    }
    let mut number = 0;
    for (place, (axis, bit)) in (0_u32..).zip(compressed_morton_order(grid)) {
        number |= (pos[axis] >> bit & 1) << place;
    }
    Some(number)
}

/// Grid position of a compressed Morton number; `None` if no position of the grid has it.
pub fn compressed_morton_decode(number: u64, grid: [u64; 3]) -> Option<[u64; 3]> {
    let bits = compressed_morton_bits(grid);
    if bits > u64::BITS || number.checked_shr(bits).is_some_and(|rest| rest != 0) {
        return None;
    }
    let mut pos = [0; 3];
    for (place, (axis, bit)) in (0_u32..).zip(compressed_morton_order(grid)) {
        pos[axis] |= (number >> place & 1) << bit;
    }
    (0..3).all(|axis| pos[axis] < grid[axis]).then_some(pos)
}

/// Axis and bit of each place of a compressed Morton number, lowest first.
fn compressed_morton_order(grid: [u64; 3]) -> impl Iterator<Item = (usize, u32)> {
    let bits = grid.map(position_bits);
    let longest = bits.into_iter().fold(0, u32::max);
    (0..longest).flat_map(move |bit| (0..3).filter(move |axis| bit < bits[*axis]).map(move |axis| (axis, bit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn compressed_numbers_skip_axes_whose_bits_are_exhausted() {
        let cases = [
            ([0, 0, 0], [1, 1, 1], Some(0)),
            ([1, 0, 0], [2, 1, 1], Some(1)),
            ([0, 0, 1], [1, 1, 2], Some(1)),
            ([1, 1, 1], [2, 2, 2], Some(7)),
            // x has one bit, y two, z three: x0 y0 z0 y1 z1 z2.
            ([1, 0, 0], [2, 3, 5], Some(0b00_0001)),
            ([0, 1, 0], [2, 3, 5], Some(0b00_0010)),
            ([0, 0, 1], [2, 3, 5], Some(0b00_0100)),
            ([0, 2, 0], [2, 3, 5], Some(0b00_1000)),
            ([0, 0, 2], [2, 3, 5], Some(0b01_0000)),
            ([0, 0, 4], [2, 3, 5], Some(0b10_0000)),
            ([2, 0, 0], [2, 3, 5], None),
            ([0, 0, 0], [0, 3, 5], None),
            ([0, 0, 0], [1 << 22, 1 << 22, 1 << 21], None), // 65 bits
            ([(1 << 22) - 1, (1 << 21) - 1, (1 << 21) - 1], [1 << 22, 1 << 21, 1 << 21], Some(u64::MAX)),
            ([u64::MAX - 1, 0, 0], [u64::MAX, 1, 1], Some(u64::MAX - 1)),
        ];
        for (pos, grid, number) in cases {
            assert_eq!(compressed_morton_encode(pos, grid), number, "{pos:?} in {grid:?}");
            if let Some(number) = number {
                assert_eq!(compressed_morton_decode(number, grid), Some(pos), "{number} in {grid:?}");
            }
        }
        assert_eq!(compressed_morton_decode(0b1100, [2, 3, 5]), Some([0, 2, 1]));
        assert_eq!(compressed_morton_decode(0b1010, [2, 3, 5]), None, "y 3 is outside");
        assert_eq!(compressed_morton_decode(1 << 6, [2, 3, 5]), None, "a bit too many");
    }

    #[test]
    fn numbers_follow_the_wkw_specification() {
        let cases = [
            ([0, 0, 0], 0),
            ([1, 0, 0], 1),
            ([0, 1, 0], 2),
            ([1, 1, 0], 3),
            ([0, 0, 1], 4),
            ([1, 0, 1], 5),
            ([0, 1, 1], 6),
            ([1, 1, 1], 7),
            ([2, 0, 0], 8),
            ([3, 0, 0], 9),
            ([2, 1, 0], 10),
            ([0, 2, 0], 16),
            ([0, 0, 2], 32),
            ([29, 20, 3], 13029),
            ([23, 20, 3], 12525),
        ];
        for (pos, number) in cases {
            assert_eq!(morton_encode(pos), number, "{pos:?}");
            assert_eq!(morton_decode(number), pos, "{number}");
        }
    }

    proptest! {
        #[test]
        fn compressed_decoding_undoes_encoding(grid in prop::array::uniform3(1_u64..1 << 20), seed in prop::array::uniform3(any::<u64>())) {
            let pos = [seed[0] % grid[0], seed[1] % grid[1], seed[2] % grid[2]];
            let number = compressed_morton_encode(pos, grid).expect("inside");
            prop_assert_eq!(compressed_morton_decode(number, grid), Some(pos));
        }

        #[test]
        fn compressed_numbers_of_any_grid_never_panic(grid in prop::array::uniform3(any::<u64>()), number in any::<u64>()) {
            if let Some(pos) = compressed_morton_decode(number, grid) {
                prop_assert_eq!(compressed_morton_encode(pos, grid), Some(number));
            }
        }

        #[test]
        fn decoding_undoes_encoding(pos in prop::array::uniform3(0_u64..1 << 21)) {
            prop_assert_eq!(morton_decode(morton_encode(pos)), pos);
        }

        #[test]
        fn encoding_interleaves_bits(pos in prop::array::uniform3(0_u64..1 << 21)) {
            let slow = (0..21).fold(0, |n, i| {
                n | (pos[0] >> i & 1) << (3 * i) | (pos[1] >> i & 1) << (3 * i + 1) | (pos[2] >> i & 1) << (3 * i + 2)
            });
            prop_assert_eq!(morton_encode(pos), slow);
        }
    }
}
