//! [`ShardHash`]: how chunk ids are spread over shards and minishards.
//!
//! Specification: <https://github.com/google/neuroglancer/blob/master/src/datasource/precomputed/sharded.md>.

/// A hash function by its name in `sharding.hash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardHash {
    /// The number itself.
    Identity,
    /// Low 8 bytes of MurmurHash3 x86 128 of the number's 8 bytes, little-endian, seed 0.
    Murmur,
}

impl ShardHash {
    /// By the name in `info`; `None` if it isn't known.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "identity" => Some(Self::Identity),
            "murmurhash3_x86_128" => Some(Self::Murmur),
            _ => None,
        }
    }

    /// The hash of a (shifted) chunk id.
    pub fn hash(self, value: u64) -> u64 {
        match self {
            Self::Identity => value,
            Self::Murmur => murmur(value),
        }
    }
}

/// MurmurHash3 x86 128 of 8 bytes, which all go through the tail of the algorithm.
fn murmur(value: u64) -> u64 {
    const C: [u32; 4] = [0x239b_961b, 0xab0e_9789, 0x38b3_4ae5, 0xa1e3_8b93];
    const LEN: u32 = 8;
    let (low, high) = (value as u32, (value >> 32) as u32); // the two halves
    let mut h = [LEN; 4]; // each is seed 0 xor the length
    h[1] ^= high.wrapping_mul(C[1]).rotate_left(16).wrapping_mul(C[2]);
    h[0] ^= low.wrapping_mul(C[0]).rotate_left(15).wrapping_mul(C[1]);
    mix_sums(&mut h);
    h = h.map(finalize);
    mix_sums(&mut h);
    u64::from(h[1]) << 32 | u64::from(h[0])
}

fn mix_sums(h: &mut [u32; 4]) {
    h[0] = h[0].wrapping_add(h[1]).wrapping_add(h[2]).wrapping_add(h[3]);
    for i in 1..4 {
        h[i] = h[i].wrapping_add(h[0]);
    }
}

fn finalize(mut h: u32) -> u32 {
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_follow_the_specification() {
        let cases = [
            (0, 0x4772_b084_e028_ae41),
            (1, 0xe8bd_67d6_16d4_ce9a),
            (2, 0xd62f_9cd2_1b01_3f5a),
            (1_234_567_890_123_456_789, 0xa9c9_1075_64ff_fcbb),
        ];
        for (value, hash) in cases {
            assert_eq!(ShardHash::Murmur.hash(value), hash, "{value}");
            assert_eq!(ShardHash::Identity.hash(value), value);
        }
        assert_eq!(ShardHash::parse("murmurhash3_x86_128"), Some(ShardHash::Murmur));
        assert_eq!(ShardHash::parse("crc32"), None);
    }
}
