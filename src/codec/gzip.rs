//! Gzip (RFC 1952) and zlib (RFC 1950) around Deflate (RFC 1951).
//!
//! The headers are read here, and only Deflate is left to the library: so a wrong checksum after complete data is told
//! apart from broken data. Bytes after the last member are ignored, as gzip does. Not supported: preset dictionaries.

use std::cell::RefCell;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::stream::{self, Step};
use super::{DecodeError, Decoded};

const GZIP: &str = "gzip";
const ZLIB: &str = "zlib";
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const METHOD_DEFLATE: u8 = 8;
const TRAILER_LEN: usize = 8;

/// No byte of Deflate stands for more than 1032.
const MAX_RATIO: usize = 1032;

thread_local! {
    /// The 32 KiB window is kept between chunks.
    static INFLATE: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Decodes all members.
pub fn decode_gzip_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let limit_bytes = out.len();
    let (mut rest, mut written, mut is_damaged) = (stored, 0, false);
    loop {
        let body = skip_gzip_header(rest).ok_or_else(|| {
            let is_gzip = rest.get(..2).is_none_or(|magic| magic == GZIP_MAGIC);
            if is_gzip { DecodeError::ends_early(GZIP) } else { DecodeError::corrupt(GZIP, "no gzip header at the start") }
        })?;
        let (read, member_len) = inflate_into(GZIP, body, &mut out[written..]).map_err(|err| err.with_limit(limit_bytes))?;
        let member = &out[written..written + member_len];
        is_damaged |= !gzip_trailer_fits(&body[read..], member);
        written += member_len;
        rest = body.get(read + TRAILER_LEN..).unwrap_or_default();
        if !rest.starts_with(&GZIP_MAGIC) {
            return Ok(Decoded { len: written, is_damaged });
        }
    }
}

/// Length of the decoded bytes if there is one member and nothing after it.
pub fn gzip_len_hint(stored: &[u8]) -> Option<usize> {
    let len = u32::from_le_bytes(*stored.last_chunk()?);
    usize::try_from(len).ok().filter(|len| *len <= stored.len().saturating_mul(MAX_RATIO))
}

/// Decodes one zlib stream.
pub fn decode_zlib_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let Some((&[method_and_window, flags], body)) = stored.split_first_chunk() else { return Err(DecodeError::ends_early(ZLIB)) };
    if method_and_window & 0x0f != METHOD_DEFLATE || u16::from_be_bytes([method_and_window, flags]) % 31 != 0 {
        return Err(DecodeError::corrupt(ZLIB, "no zlib header at the start"));
    }
    if flags & 0x20 != 0 {
        return Err(DecodeError::corrupt(ZLIB, "it needs a preset dictionary"));
    }
    let (read, len) = inflate_into(ZLIB, body, out)?;
    let is_intact = body.get(read..read + 4).is_some_and(|stored| stored == simd_adler32::adler32(&&out[..len]).to_be_bytes());
    Ok(Decoded { len, is_damaged: !is_intact })
}

/// Inflates one Deflate stream; returns how much was read and written.
fn inflate_into(codec: &'static str, body: &[u8], out: &mut [u8]) -> Result<(usize, usize), DecodeError> {
    INFLATE.with_borrow_mut(|inflate| {
        inflate.reset(false);
        stream::decode_one(codec, body, out, |input, output| {
            let (read_before, written_before) = (inflate.total_in(), inflate.total_out());
            let status = inflate
                .decompress(input, output, FlushDecompress::Finish)
                .map_err(|err| DecodeError::corrupt(codec, err.message().unwrap_or("invalid Deflate data")))?;
            let taken = |now: u64, before: u64| usize::try_from(now - before).expect("no more than a slice's length");
            Ok(Step {
                read: taken(inflate.total_in(), read_before),
                written: taken(inflate.total_out(), written_before),
                is_end: status == Status::StreamEnd,
            })
        })
    })
}

/// What follows the header of a member; `None` if it isn't one or ends early.
fn skip_gzip_header(stored: &[u8]) -> Option<&[u8]> {
    const HAS_HEADER_CRC: u8 = 2;
    const HAS_EXTRA: u8 = 4;
    const HAS_NAME: u8 = 8;
    const HAS_COMMENT: u8 = 16;
    let (&[magic_0, magic_1, method, flags, _, _, _, _, _, _], mut rest) = stored.split_first_chunk()?;
    if [magic_0, magic_1] != GZIP_MAGIC || method != METHOD_DEFLATE {
        return None;
    }
    if flags & HAS_EXTRA != 0 {
        let (len, after) = rest.split_first_chunk()?;
        rest = after.get(usize::from(u16::from_le_bytes(*len))..)?;
    }
    for has_text in [HAS_NAME, HAS_COMMENT] {
        if flags & has_text != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & HAS_HEADER_CRC != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

fn gzip_trailer_fits(trailer: &[u8], member: &[u8]) -> bool {
    let Some((crc, rest)) = trailer.split_first_chunk() else { return false };
    let Some(len) = rest.first_chunk() else { return false };
    let mut actual = Crc::new();
    actual.update(member);
    // The length counts modulo 2^32.
    u32::from_le_bytes(*crc) == actual.sum() && u64::from(u32::from_le_bytes(*len)) == member.len() as u64 & u64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `gzip.compress(TEXT, mtime=0)` in Python.
    const MEMBER: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\xcb\xaf\x48\xcd\x29\x56\x28\xa3\x26\x05\0\xa7\x0a\xcd\x76\x54\0\0\0";
    const TEXT: [u8; 84] = *b"voxels voxels voxels voxels voxels voxels voxels voxels voxels voxels voxels voxels ";

    fn gzip(stored: &[u8], len: usize) -> Result<(Vec<u8>, bool), DecodeError> {
        let mut out = vec![0; len];
        let decoded = decode_gzip_into(stored, &mut out)?;
        out.truncate(decoded.len);
        Ok((out, decoded.is_damaged))
    }

    #[test]
    fn members_follow_each_other_and_other_bytes_after_them_are_ignored() {
        let twice = [MEMBER, MEMBER, b"\0\0junk"].concat();
        assert_eq!(gzip(&twice, 200), Ok(([TEXT, TEXT].concat(), false)));
        assert_eq!(gzip(&twice, 100), Err(DecodeError::TooLong { codec: "gzip", limit_bytes: 100 }));
    }

    #[test]
    fn all_optional_header_fields_are_skipped() {
        let header = b"\x1f\x8b\x08\x1e\0\0\0\0\x02\x03\x03\0abcname\0comment\0\x12\x34";
        let stored = [&header[..], &MEMBER[10..]].concat();
        assert_eq!(gzip(&stored, 84), Ok((TEXT.to_vec(), false)));
        for cut in 0..header.len() {
            assert!(gzip(&stored[..cut], 84).is_err(), "cut after {cut}");
        }
    }

    #[test]
    fn wrong_missing_and_cut_trailers_mean_damage_but_the_bytes_are_there() {
        let (body, trailer) = MEMBER.split_at(MEMBER.len() - TRAILER_LEN);
        for (at, len) in [(0, 8), (4, 8), (8, 0), (8, 3), (8, 7)] {
            let mut trailer = trailer[..len].to_vec();
            if let Some(byte) = trailer.get_mut(at) {
                *byte ^= 1;
            }
            assert_eq!(gzip(&[body, &trailer].concat(), 84), Ok((TEXT.to_vec(), true)), "{at} {len}");
        }
    }

    #[test]
    fn a_wrong_adler_sum_means_damage() {
        let mut stored = *b"\x78\x9c\x63\x60\x64\x62\x66\x61\x65\x63\xe7\xe0\xe4\xe2\xe6\xe1\xe5\xe3\x07\0\x02\xb8\0\x79";
        let mut out = [9; 16];
        assert_eq!(decode_zlib_into(&stored, &mut out), Ok(Decoded { len: 16, is_damaged: false }));
        assert_eq!(out, std::array::from_fn(|i| i as u8));
        stored[23] ^= 1;
        assert_eq!(decode_zlib_into(&stored, &mut out), Ok(Decoded { len: 16, is_damaged: true }));
    }

    #[test]
    fn zlib_streams_with_a_dictionary_are_refused() {
        // 0x7820 is a multiple of 31, as it must be; 0x20 is the flag.
        assert!(decode_zlib_into(b"\x78\x20\0\0\0\0", &mut [0; 4]).is_err_and(|err| err.to_string().contains("dictionary")));
        assert!(decode_zlib_into(b"\x78\x21\0\0\0\0", &mut [0; 4]).is_err_and(|err| err.to_string().contains("header")));
    }

    #[test]
    fn stored_deflate_blocks_of_the_specification_decode() {
        // RFC 1951, 3.2.4: final block, type 0, LEN 2, NLEN.
        let stored = b"\x78\x01\x01\x02\0\xfd\xffab\x01\x26\0\xc4";
        let mut out = [0; 2];
        assert_eq!(decode_zlib_into(stored, &mut out), Ok(Decoded { len: 2, is_damaged: false }));
        assert_eq!(&out, b"ab");
    }
}
