//! LZ4 block format: no frame, no length prefix, no checksum, as WKW stores it.
//!
//! Specification: <https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md>.
//! Not supported: the frame format, dictionaries.

use super::DecodeError;

/// Longest possible encoding of `decoded_len` bytes.
pub const fn max_encoded_len(decoded_len: usize) -> usize {
    decoded_len.saturating_add(decoded_len / 255).saturating_add(16)
}

/// Shortest possible encoding of `decoded_len` bytes: no byte of a block stands for more than 255.
pub const fn min_encoded_len(decoded_len: usize) -> usize {
    decoded_len.div_ceil(255)
}

/// Decodes a block into `out`, which must have the chunk's exact length.
///
/// # Errors
/// If the block breaks the format, or decodes to more or fewer bytes.
pub fn decode_into(block: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    let expected = i32::try_from(out.len()).ok().filter(|_| !block.is_empty());
    match expected.map(|len| lz4::block::decompress_to_buffer(block, Some(len), out)) {
        Some(Ok(actual)) if actual == out.len() => Ok(()),
        Some(Ok(actual)) => Err(DecodeError::WrongLength { expected: out.len(), actual }),
        // The C library only says that it failed.
        Some(Err(_)) | None => explain(block, out),
    }
}

/// Decodes with the library that says what is wrong.
fn explain(block: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    match lz4_flex::block::decompress_into(block, out) {
        Ok(actual) if actual == out.len() => Ok(()),
        Ok(actual) => Err(DecodeError::WrongLength { expected: out.len(), actual }),
        Err(lz4_flex::block::DecompressError::OutputTooSmall { expected, actual: _ }) if expected > out.len() => {
            Err(DecodeError::WrongLength { expected: out.len(), actual: expected })
        }
        Err(err) => Err(DecodeError::Corrupt { codec: "LZ4", reason: err.to_string() }),
    }
}

/// Encodes bytes as one block, fast.
pub fn encode(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(bytes)
}

/// Encodes bytes as one block with the slow, better compressor (LZ4HC, level 9 as the WKW writers use it).
///
/// # Errors
/// If the bytes are too many for the compressor: 2 GiB or more.
pub fn encode_high(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    lz4::block::compress(bytes, Some(lz4::block::CompressionMode::HIGHCOMPRESSION(9)), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_block_of_the_wkw_specification_decodes() {
        let mut out = [0; 8];
        decode_into(&[0x80, 0x64, 0x65, 0x68, 0x69, 0x74, 0x75, 0x78, 0x79], &mut out).expect("valid");
        assert_eq!(out, [0x64, 0x65, 0x68, 0x69, 0x74, 0x75, 0x78, 0x79]);
    }

    #[test]
    fn blocks_of_another_length_are_errors_that_say_so() {
        let block = encode(&[7; 100]);
        assert!(matches!(decode_into(&block, &mut [0; 101]), Err(DecodeError::WrongLength { expected: 101, actual: 100 })));
        assert!(
            matches!(decode_into(&block, &mut [0; 99]), Err(DecodeError::WrongLength { expected: 99, .. })),
            "{:?}",
            decode_into(&block, &mut [0; 99])
        );
        assert!(decode_into(&[], &mut [0; 4]).is_err());
    }

    #[test]
    fn the_best_compressible_bytes_keep_to_the_shortest_length() {
        for len in [1, 100, 100_000] {
            assert!(encode(&vec![0; len]).len() >= min_encoded_len(len));
        }
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(bytes in prop::collection::vec(0_u8..4, 0..5000)) {
            let mut out = vec![0; bytes.len()];
            let block = encode(&bytes);
            prop_assert!((min_encoded_len(bytes.len())..=max_encoded_len(bytes.len())).contains(&block.len()));
            decode_into(&block, &mut out).expect("own encoding");
            prop_assert_eq!(&out, &bytes);
            let high = encode_high(&bytes).expect("small");
            out.fill(9);
            decode_into(&high, &mut out).expect("own encoding");
            prop_assert_eq!(out, bytes);
        }

        #[test]
        fn arbitrary_bytes_never_panic(block in prop::collection::vec(any::<u8>(), 0..300), len in 0_usize..2000) {
            let _ = decode_into(&block, &mut vec![0; len]);
        }
    }
}
