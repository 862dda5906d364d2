//! Blosc 1 frames, as Zarr and N5 store them, through the C library.
//!
//! Format: <https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst>. All needed parameters are in the frame.
//! Inner codecs: blosclz, LZ4, zlib, Zstandard, with byte or bit shuffle. Not supported: snappy inside (it needs a C++
//! compiler, and numcodecs can't write it), Blosc 2 frames. Bytes after the frame are ignored.

#![allow(unsafe_code)] // The wrapper of a C library.

use std::ffi::c_void;

use super::{DecodeError, Decoded, lz4};

const BLOSC: &str = "blosc";
const HEADER_LEN: usize = blosc_src::BLOSC_MIN_HEADER_LENGTH as usize;
const VERSION: u8 = blosc_src::BLOSC_VERSION_FORMAT as u8;
const BLOSC2_MAGIC: &[u8] = b"\x9e\xa8b2frame\0";

/// Decodes one frame.
pub fn decode_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let frame = checked_frame(stored)?;
    let limit_bytes = out.len();
    if frame.decoded_len > limit_bytes {
        return Err(DecodeError::TooLong { codec: BLOSC, limit_bytes });
    }
    if let Some(out) = out.get_mut(..frame.decoded_len)
        && (frame.copy_into(out) || frame.decode_lz4_into(out))
    {
        return Ok(Decoded { len: frame.decoded_len, is_damaged: false });
    }
    // The library counts in C's int.
    let capacity = limit_bytes.min(i32::MAX as usize);
    // SAFETY: `frame.bytes` is initialised memory of at least the header's length, and exactly as long as its header
    // says (`checked_frame`); the library checks every offset against that length. It writes at most `capacity` bytes
    // at `out`, which is that long and not aliased. With one thread it starts no others and uses no global state but
    // the choice of the shuffle routine, which it makes under `pthread_once`.
    let written =
        unsafe { blosc_src::blosc_decompress_ctx(frame.bytes.as_ptr().cast::<c_void>(), out.as_mut_ptr().cast::<c_void>(), capacity, 1) };
    match usize::try_from(written) {
        Ok(len) if len == frame.decoded_len => Ok(Decoded { len, is_damaged: false }),
        Ok(_) | Err(_) => Err(DecodeError::corrupt(BLOSC, "the frame's blocks are broken")),
    }
}

/// Encodes bytes as one frame: LZ4 inside, level 5, byte shuffle, as servers and libraries write annotations. Elements of
/// one byte aren't shuffled. `None` if there are too many bytes for a frame: 2 GiB or nearly so.
pub fn encode_lz4(bytes: &[u8], element_len: u8) -> Option<Vec<u8>> {
    const LEVEL: i32 = 5;
    let shuffle = blosc_src::BLOSC_SHUFFLE as i32;
    let capacity = bytes.len().checked_add(blosc_src::BLOSC_MAX_OVERHEAD as usize).filter(|len| i32::try_from(*len).is_ok())?;
    let mut out = vec![0_u8; capacity];
    // SAFETY: `bytes` is initialised memory of the length that is given, `out` is memory of `capacity` bytes that isn't
    // aliased, and the library writes at most that many. The name of the codec ends with a zero. With one thread it starts
    // no others; block length 0 leaves the choice to it.
    let written = unsafe {
        blosc_src::blosc_compress_ctx(
            LEVEL,
            shuffle,
            usize::from(element_len.max(1)),
            bytes.len(),
            bytes.as_ptr().cast::<c_void>(),
            out.as_mut_ptr().cast::<c_void>(),
            capacity,
            c"lz4".as_ptr(),
            0,
            1,
        )
    };
    out.truncate(usize::try_from(written).ok().filter(|len| *len > 0)?);
    Some(out)
}

/// Length of the decoded bytes by the header.
pub fn len_hint(stored: &[u8]) -> Option<usize> {
    checked_frame(stored).ok().map(|frame| frame.decoded_len)
}

/// A frame whose header has been checked.
struct Frame<'a> {
    bytes: &'a [u8],
    inner_version: u8,
    flags: u8,
    element_len: u8,
    block_len: usize,
    decoded_len: usize,
}

/// Version of LZ4's format inside of frames.
const LZ4_VERSION: u8 = 1;

impl Frame<'_> {
    const fn has(&self, flag: u32) -> bool {
        self.flags as u32 & flag != 0
    }

    /// Copies what isn't compressed, as noise is stored; `false` for other frames, and for broken ones.
    fn copy_into(&self, out: &mut [u8]) -> bool {
        let stored = self.bytes.get(HEADER_LEN..).filter(|stored| stored.len() == out.len() && self.has(blosc_src::BLOSC_MEMCPYED));
        stored.map(|stored| out.copy_from_slice(stored)).is_some()
    }

    /// Decodes elements of one byte in one LZ4 block, which nothing shuffles, without the library's buffers. `false` for
    /// other frames, and for broken ones: the library decides what to make of them.
    fn decode_lz4_into(&self, out: &mut [u8]) -> bool {
        let is_single = u32::from(self.flags >> 5) == blosc_src::BLOSC_LZ4_FORMAT
            && self.inner_version == LZ4_VERSION
            && !self.has(blosc_src::BLOSC_MEMCPYED | blosc_src::BLOSC_DOBITSHUFFLE)
            && (self.element_len, self.block_len) == (1, out.len());
        if !is_single {
            return false;
        }
        match self.only_block() {
            Some(block) if block.len() == out.len() => {
                out.copy_from_slice(block);
                true
            }
            Some(block) => lz4::decode_into(block, out).is_ok(),
            None => false,
        }
    }

    /// The first block: where it begins stands behind the header, its length before its bytes.
    fn only_block(&self) -> Option<&[u8]> {
        let start = u32::from_le_bytes(*self.bytes.get(HEADER_LEN..)?.first_chunk()?);
        let (len, rest) = self.bytes.get(usize::try_from(start).ok()?..)?.split_first_chunk()?;
        rest.get(..usize::try_from(u32::from_le_bytes(*len)).ok()?)
    }
}

/// Checks all of the header that the library trusts or doesn't explain.
fn checked_frame(stored: &[u8]) -> Result<Frame<'_>, DecodeError> {
    let Some(&[version, inner_version, flags, element_len, header @ ..]) = stored.first_chunk::<HEADER_LEN>() else {
        return Err(DecodeError::ends_early(BLOSC));
    };
    if stored.starts_with(BLOSC2_MAGIC) {
        return Err(DecodeError::corrupt(BLOSC, "a Blosc 2 frame; only Blosc 1 is supported"));
    }
    if version > VERSION {
        return Err(DecodeError::corrupt(BLOSC, format!("chunk format {version} of Blosc 2; only Blosc 1 (format 2) is supported")));
    }
    if version < VERSION {
        return Err(DecodeError::corrupt(BLOSC, format!("chunk format {version} at the start, expected 2")));
    }
    let inner = u32::from(flags >> 5);
    match inner {
        blosc_src::BLOSC_BLOSCLZ_FORMAT | blosc_src::BLOSC_LZ4_FORMAT | blosc_src::BLOSC_ZLIB_FORMAT | blosc_src::BLOSC_ZSTD_FORMAT => {}
        blosc_src::BLOSC_SNAPPY_FORMAT => return Err(DecodeError::corrupt(BLOSC, "snappy inside a Blosc frame isn't supported")),
        _ => return Err(DecodeError::corrupt(BLOSC, format!("unknown codec {inner} inside the Blosc frame"))),
    }
    let frame_len = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
    if frame_len < HEADER_LEN {
        return Err(DecodeError::corrupt(BLOSC, format!("a frame of {frame_len} bytes by its header")));
    }
    let bytes = stored.get(..frame_len).ok_or_else(|| DecodeError::ends_early(BLOSC))?;
    let mut decoded_len = 0;
    // SAFETY: the pointer and length are those of one slice, and `decoded_len` is a valid place for a size.
    let status = unsafe { blosc_src::blosc_cbuffer_validate(bytes.as_ptr().cast::<c_void>(), bytes.len(), &raw mut decoded_len) };
    // Beyond C's int the library would take lengths for negative ones.
    if status != 0 || frame_len > i32::MAX as usize {
        return Err(DecodeError::corrupt(BLOSC, "the header's lengths are out of range"));
    }
    let block_len = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
    Ok(Frame { bytes, inner_version, flags, element_len, block_len, decoded_len })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::test_bytes::hex;

    /// `np.arange(64, dtype="<u4") * 3` by numcodecs' Blosc: blosclz, lz4, lz4hc, zlib, zstd; the second lz4 with bit
    /// shuffle, the others with byte shuffle.
    const FRAMES: [&str; 6] = [
        "02011104000100000001000062000000140000004a0000003f000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d1f606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b4b7babd0000e0b400010000",
        "020131040001000000010000680000001400000050000000ff36000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b4b7babd00000000000500a3500000000000",
        "02013404000100000001000057000000140000003f00000013aa01001366010013b401002238c70200f311c0073ff8c0073ff800f83f00ff07c0ff0000c0ffff0700000000000000f8ffff0a000f0200a1500000000000",
        "02013104000100000001000064000000140000004c000000ff32000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b4b7babd000100a7500000000000",
        "02017104000100000001000065000000140000004d000000785e636066e3e4e11712959096535451d7d2353036b3b4b17772f5f0f60b0c098f8a4d484ecbccc92f2aada8ae6b6c69efea9d3079dacc39f3172d5db17addc62ddb77ed6518e20000b9fd17a1",
        "0201910400010000000100006b000000140000005300000028b52ffd6000004d02001404000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b4b7babd000100018f0251",
    ];
    /// Bytes 0 to 15, not compressed (specification of the header: flag 2).
    const COPIED: &str = "02013201100000001000000020000000000102030405060708090a0b0c0d0e0f";

    fn error_of(stored: &[u8]) -> String {
        decode_into(stored, &mut [0; 256]).expect_err("an error").to_string()
    }

    #[test]
    fn frames_of_all_inner_codecs_and_shuffles_decode() {
        let expected: Vec<u8> = (0..64_u32).flat_map(|i| (i * 3).to_le_bytes()).collect();
        for frame in FRAMES {
            let mut out = [9; 300];
            let stored = [&hex(frame)[..], b"junk"].concat();
            assert_eq!(decode_into(&stored, &mut out), Ok(Decoded { len: 256, is_damaged: false }), "{frame}");
            assert_eq!(&out[..256], expected, "{frame}");
            assert_eq!(decode_into(&stored, &mut out[..255]), Err(DecodeError::TooLong { codec: "blosc", limit_bytes: 255 }));
        }
        let mut out = [9; 16];
        assert_eq!(decode_into(&hex(COPIED), &mut out), Ok(Decoded { len: 16, is_damaged: false }));
        assert_eq!(out, std::array::from_fn(|i| i as u8));
    }

    #[test]
    fn elements_of_one_byte_decode_whether_or_not_their_block_is_compressed() {
        // numcodecs' Blosc with LZ4: np.repeat(np.arange(5, dtype="u1"), [60, 50, 40, 30, 20]).
        let runs = "02012101c8000000c800000036000000140000001e0000001f000100281f0101001e1f020100141f0301000a1a040100500404040404";
        let expected: Vec<u8> = [60, 50, 40, 30, 20].into_iter().zip(0..).flat_map(|(count, value)| vec![value; count]).collect();
        let mut out = [9; 200];
        assert_eq!(decode_into(&hex(runs), &mut out), Ok(Decoded { len: 200, is_damaged: false }));
        assert_eq!(out[..], expected);
        // The header's flags say LZ4, the block has as many bytes stored as decoded: they are the bytes themselves.
        let as_it_is = "020120010400000004000000 1c000000 14000000 04000000 01020304";
        assert_eq!(decode_into(&hex(as_it_is), &mut out), Ok(Decoded { len: 4, is_damaged: false }));
        assert_eq!(out[..4], [1, 2, 3, 4]);
    }

    #[test]
    fn broken_blocks_of_elements_of_one_byte_are_errors() {
        // The block begins behind the frame, is longer than it, doesn't become full, or has another format of LZ4.
        for broken in [
            "020120010400000004000000 1c000000 1c000000 04000000 01020304",
            "020120010400000004000000 1c000000 14000000 05000000 01020304",
            "020120010400000004000000 1a000000 14000000 02000000 1001",
            "020220010400000004000000 1c000000 14000000 04000000 01020304",
        ] {
            assert!(decode_into(&hex(broken), &mut [0; 4]).is_err(), "{broken}");
        }
    }

    #[test]
    fn encoded_frames_have_the_header_of_real_annotations_and_decode() {
        // A bucket of uint32 voxels with elements of one byte, as servers write it.
        let bytes: Vec<u8> = (0..32768_u32).flat_map(|i| (i / 600).to_le_bytes()).collect();
        let frame = encode_lz4(&bytes, 1).expect("short");
        assert_eq!(frame[..12], hex("020121010000020000000200"));
        for (bytes, element_len) in [(&bytes[..], 1), (&bytes[..], 4), (&bytes[..], 8), (&bytes[..7], 4), (&[][..], 2)] {
            let frame = encode_lz4(bytes, element_len).expect("short");
            let mut out = vec![9; bytes.len()];
            assert_eq!(decode_into(&frame, &mut out), Ok(Decoded { len: bytes.len(), is_damaged: false }));
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let mut snappy = hex(COPIED);
        snappy[2] = 2 << 5;
        assert!(error_of(&snappy).contains("snappy"));
        let mut blosc2 = hex(COPIED);
        blosc2[0] = 5;
        assert!(error_of(&blosc2).contains("Blosc 2"));
        assert!(error_of(b"\x9e\xa8b2frame\0\0\0\0\0\0\0").contains("Blosc 2"));
    }

    #[test]
    fn frames_with_any_byte_changed_never_read_or_write_elsewhere() {
        for frame in FRAMES {
            let frame = hex(frame);
            for at in 0..frame.len() {
                for value in [0, 1, 0x7f, 0x80, 0xff, frame[at] ^ 1, frame[at] ^ 0x10] {
                    let mut broken = frame.clone();
                    broken[at] = value;
                    let mut out = [0; 300];
                    let _ = decode_into(&broken, &mut out[..256]);
                    assert_eq!(out[256..], [0; 44]);
                }
            }
        }
    }
}
