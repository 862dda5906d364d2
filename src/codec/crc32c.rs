//! The `crc32c` codec of Zarr 3: four bytes, little-endian, after the rest.
//!
//! Specification: <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html>; the checksum is RFC 3720's.

use super::{DecodeError, Decoded};

const CRC32C: &str = "crc32c";

/// The bytes before the checksum, and whether it doesn't match.
pub fn strip(stored: &[u8]) -> Result<(&[u8], bool), DecodeError> {
    let (bytes, sum) = stored.split_last_chunk().ok_or_else(|| DecodeError::ends_early(CRC32C))?;
    Ok((bytes, crc32c::crc32c(bytes) != u32::from_le_bytes(*sum)))
}

/// The checksum of bytes after others, whose checksum is `sum`; 0 for none.
pub fn continued(sum: u32, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(sum, bytes)
}

/// Copies the bytes before the checksum.
pub fn decode_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let (bytes, is_damaged) = strip(stored)?;
    let limit_bytes = out.len();
    out.get_mut(..bytes.len()).ok_or(DecodeError::TooLong { codec: CRC32C, limit_bytes })?.copy_from_slice(bytes);
    Ok(Decoded { len: bytes.len(), is_damaged })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_3720_match() {
        // Appendix B.4: 32 bytes of zeros, of ones, and counting up.
        let counting: [u8; 32] = std::array::from_fn(|i| i as u8);
        for (bytes, sum) in [([0; 32], 0x8a91_36aa_u32), ([0xff; 32], 0x62a8_ab43), (counting, 0x46dd_794e)] {
            let stored = [&bytes[..], &sum.to_le_bytes()].concat();
            assert_eq!(strip(&stored), Ok((&bytes[..], false)));
        }
    }

    #[test]
    fn a_wrong_sum_means_damage_and_a_missing_one_is_an_error() {
        let mut out = [0; 3];
        assert_eq!(decode_into(b"abc\0\0\0\0", &mut out), Ok(Decoded { len: 3, is_damaged: true }));
        assert_eq!(&out, b"abc");
        assert!(decode_into(b"abc", &mut out).is_err());
    }
}
