//! Two ways of saying how long an LZ4 block is: numcodecs' (Zarr 2) and lz4-java's (N5).
//!
//! numcodecs: the decoded length (u32, little-endian), then one block. lz4-java's `LZ4Block` framing (the class
//! `LZ4BlockOutputStream`, <https://github.com/lz4/lz4-java>): blocks with headers, a block of length 0 at the end.
//! Bytes after that end are ignored. Not supported: the frame format of the LZ4 project itself.

use super::{DecodeError, Decoded, lz4};

const LZ4: &str = "lz4";

/// Decodes numcodecs' length and block.
pub fn decode_numcodecs_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let limit_bytes = out.len();
    let (len, block) = split_u32(stored)?;
    let out = out.get_mut(..len).ok_or(DecodeError::TooLong { codec: LZ4, limit_bytes })?;
    lz4::decode_into(block, out)?;
    Ok(Decoded { len, is_damaged: false })
}

/// Length of the decoded bytes in numcodecs' framing, unless the block is too short for it.
pub fn numcodecs_len_hint(stored: &[u8]) -> Option<usize> {
    let (len, block) = split_u32(stored).ok()?;
    (lz4::min_encoded_len(len) <= block.len()).then_some(len)
}

const JAVA_MAGIC: &[u8] = b"LZ4Block";
const JAVA_RAW: u8 = 0x10;
const JAVA_LZ4: u8 = 0x20;
const JAVA_SEED: u32 = 0x9747_b28c;
/// The checksum goes through a Java interface that keeps 28 bits.
const JAVA_SUM_MASK: u32 = 0x0fff_ffff;

/// Decodes all of lz4-java's blocks. The end mark may be missing, as readers that know the length don't look for it.
pub fn decode_java_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let limit_bytes = out.len();
    let (mut rest, mut decoded) = (stored, Decoded { len: 0, is_damaged: false });
    loop {
        let (block, after) = JavaBlock::split_from(rest)?;
        if block.decoded_len > 0 {
            let end = decoded.len.checked_add(block.decoded_len);
            let part = end.and_then(|end| out.get_mut(decoded.len..end)).ok_or(DecodeError::TooLong { codec: LZ4, limit_bytes })?;
            decoded.is_damaged |= block.decode_into(part)?;
            decoded.len += block.decoded_len;
        }
        rest = after;
        if block.decoded_len == 0 || rest.is_empty() {
            return Ok(decoded);
        }
    }
}

struct JavaBlock<'a> {
    method: u8,
    bytes: &'a [u8],
    decoded_len: usize,
    sum: u32,
}

impl<'a> JavaBlock<'a> {
    /// Reads a header; returns its block, and what follows the block.
    fn split_from(stored: &'a [u8]) -> Result<(Self, &'a [u8]), DecodeError> {
        if !stored.starts_with(&JAVA_MAGIC[..stored.len().min(JAVA_MAGIC.len())]) {
            return Err(DecodeError::corrupt(LZ4, "no \"LZ4Block\" where a block starts"));
        }
        let header = stored.get(JAVA_MAGIC.len()..).unwrap_or_default();
        let (token, rest) = header.split_first().ok_or_else(|| DecodeError::ends_early(LZ4))?;
        let (encoded_len, rest) = split_u32(rest)?;
        let (decoded_len, rest) = split_u32(rest)?;
        let (sum, rest) = rest.split_first_chunk().ok_or_else(|| DecodeError::ends_early(LZ4))?;
        let (bytes, rest) = rest.split_at_checked(encoded_len).ok_or_else(|| DecodeError::ends_early(LZ4))?;
        // The low half of the token is the greatest block length, which the decoder doesn't need.
        Ok((Self { method: token & 0xf0, bytes, decoded_len, sum: u32::from_le_bytes(*sum) }, rest))
    }

    /// Returns whether the checksum doesn't match.
    fn decode_into(&self, out: &mut [u8]) -> Result<bool, DecodeError> {
        match self.method {
            JAVA_LZ4 => lz4::decode_into(self.bytes, out)?,
            JAVA_RAW if self.bytes.len() == out.len() => out.copy_from_slice(self.bytes),
            JAVA_RAW => return Err(DecodeError::WrongLength { expected: out.len(), actual: self.bytes.len() }),
            method => return Err(DecodeError::corrupt(LZ4, format!("unknown method 0x{method:02x} in a block's header"))),
        }
        Ok(xxh32(out, JAVA_SEED) & JAVA_SUM_MASK != self.sum)
    }
}

fn split_u32(bytes: &[u8]) -> Result<(usize, &[u8]), DecodeError> {
    let (number, rest) = bytes.split_first_chunk().ok_or_else(|| DecodeError::ends_early(LZ4))?;
    Ok((u32::from_le_bytes(*number) as usize, rest))
}

/// XXH32 (<https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>), section "XXH32 algorithm description".
fn xxh32(bytes: &[u8], seed: u32) -> u32 {
    const PRIMES: [u32; 5] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1];
    let (stripes, rest) = bytes.as_chunks::<16>();
    let mut hash = if stripes.is_empty() {
        seed.wrapping_add(PRIMES[4])
    } else {
        let mut lanes =
            [seed.wrapping_add(PRIMES[0]).wrapping_add(PRIMES[1]), seed.wrapping_add(PRIMES[1]), seed, seed.wrapping_sub(PRIMES[0])];
        for stripe in stripes {
            for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<4>().0) {
                let mixed = lane.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(PRIMES[1]));
                *lane = mixed.rotate_left(13).wrapping_mul(PRIMES[0]);
            }
        }
        let rotated = lanes.iter().zip([1, 7, 12, 18]).map(|(lane, by)| lane.rotate_left(by));
        rotated.fold(0, u32::wrapping_add)
    };
    // The specification counts modulo 2^32.
    hash = hash.wrapping_add(bytes.len() as u32);
    let (words, rest) = rest.as_chunks::<4>();
    for word in words {
        hash = hash.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(PRIMES[2])).rotate_left(17).wrapping_mul(PRIMES[3]);
    }
    for byte in rest {
        hash = hash.wrapping_add(u32::from(*byte).wrapping_mul(PRIMES[4])).rotate_left(11).wrapping_mul(PRIMES[0]);
    }
    hash = (hash ^ hash >> 15).wrapping_mul(PRIMES[1]);
    hash = (hash ^ hash >> 13).wrapping_mul(PRIMES[2]);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_matches_the_reference() {
        let text = b"voxels ".repeat(12);
        let counting: [u8; 16] = std::array::from_fn(|i| i as u8);
        let cases: [(&[u8], u32, u32); 8] = [
            (b"", 0, 0x02cc_5d05),
            (b"abc", 0, 0x32d1_53ff),
            (&text, 0, 0x0208_6e34),
            (&counting, 0, 0xb728_37f4),
            (b"", JAVA_SEED, 0x8d3b_42d8),
            (b"abc", JAVA_SEED, 0x4d4c_b222),
            (&text, JAVA_SEED, 0x0b37_30bd),
            (&counting, JAVA_SEED, 0x9150_7297),
        ];
        for (bytes, seed, expected) in cases {
            assert_eq!(xxh32(bytes, seed), expected, "{bytes:?}");
        }
    }

    #[test]
    fn the_length_of_numcodecs_precedes_the_block() {
        // Python: numcodecs.LZ4().encode(b"voxels " * 12)
        let stored = b"\x54\0\0\0\x7fvoxels \x07\0\x35\x50xels ";
        let mut out = [0; 100];
        assert_eq!(decode_numcodecs_into(stored, &mut out), Ok(Decoded { len: 84, is_damaged: false }));
        assert_eq!(&out[..84], b"voxels ".repeat(12));
        assert_eq!(decode_numcodecs_into(stored, &mut out[..83]), Err(DecodeError::TooLong { codec: "lz4", limit_bytes: 83 }));
        assert_eq!(decode_numcodecs_into(b"\0\0\0\0\0", &mut []), Ok(Decoded { len: 0, is_damaged: false }));
    }

    /// A block "abc" stored raw, a block "voxels " × 12 compressed, the end mark.
    fn java() -> Vec<u8> {
        let raw = b"LZ4Block\x16\x03\0\0\0\x03\0\0\0\x22\xb2\x4c\x0dabc";
        let lz4 = b"LZ4Block\x26\x11\0\0\0\x54\0\0\0\xbd\x30\x37\x0b\x7fvoxels \x07\0\x35\x50xels ";
        let end = b"LZ4Block\x16\0\0\0\0\0\0\0\0\0\0\0\0";
        [&raw[..], lz4, end].concat()
    }

    #[test]
    fn blocks_of_lz4_java_follow_each_other_up_to_the_end_mark() {
        let stored = [&java()[..], b"junk"].concat();
        let mut out = [0; 87];
        assert_eq!(decode_java_into(&stored, &mut out), Ok(Decoded { len: 87, is_damaged: false }));
        assert_eq!(&out[..], [b"abc", &b"voxels ".repeat(12)[..]].concat());
        assert_eq!(decode_java_into(&stored, &mut out[..86]), Err(DecodeError::TooLong { codec: "lz4", limit_bytes: 86 }));
        let without_end = &java()[..62];
        assert_eq!(decode_java_into(without_end, &mut out), Ok(Decoded { len: 87, is_damaged: false }));
    }

    #[test]
    fn a_wrong_checksum_means_damage_and_an_unknown_method_is_an_error() {
        let mut stored = java();
        stored[17] ^= 1;
        let mut out = [0; 87];
        assert_eq!(decode_java_into(&stored, &mut out), Ok(Decoded { len: 87, is_damaged: true }));
        stored[8] = 0x36;
        assert!(decode_java_into(&stored, &mut out).is_err_and(|err| err.to_string().contains("0x30")));
    }
}
