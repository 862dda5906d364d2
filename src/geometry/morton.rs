//! Morton (Z) order: the order of chunks inside a WKW shard, x in the lowest bit.

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
