//! Zstandard frames (RFC 8878), one after the other, skippable ones between them.
//!
//! The content size may be absent. Bytes after the last frame are ignored. Not supported: dictionaries, the formats of
//! before Zstandard 0.8.

use std::cell::RefCell;

use zstd::zstd_safe::{self, DCtx, DParameter, ResetDirective, zstd_sys::ZSTD_ErrorCode};

use super::{DecodeError, Decoded};

const ZSTD: &str = "zstd";
const FRAME_MAGIC: u32 = 0xfd2f_b528;
const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;

thread_local! {
    /// Setting up a context costs more than decoding a small chunk.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Decodes all frames.
pub fn decode_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let limit_bytes = out.len();
    let (mut rest, mut decoded, mut frames) = (stored, Decoded { len: 0, is_damaged: false }, 0);
    while let Some(kind) = frame_kind(rest) {
        let frame_len = zstd_safe::find_frame_compressed_size(rest).map_err(|code| explain(code, limit_bytes))?;
        let (frame, after) = rest.split_at_checked(frame_len).ok_or_else(|| DecodeError::ends_early(ZSTD))?;
        if matches!(kind, FrameKind::Data) {
            let (len, is_damaged) = decode_frame(frame, &mut out[decoded.len..]).map_err(|code| explain(code, limit_bytes))?;
            decoded = Decoded { len: decoded.len + len, is_damaged: decoded.is_damaged || is_damaged };
        }
        rest = after;
        frames += 1;
    }
    match frames {
        0 if stored.len() < 4 => Err(DecodeError::ends_early(ZSTD)),
        0 => Err(DecodeError::corrupt(ZSTD, "no Zstandard frame at the start")),
        _ => Ok(decoded),
    }
}

/// Length of the first frame's decoded bytes, if it says it.
pub fn len_hint(stored: &[u8]) -> Option<usize> {
    zstd_safe::get_frame_content_size(stored).ok().flatten().and_then(|len| usize::try_from(len).ok())
}

enum FrameKind {
    Data,
    Skippable,
}

fn frame_kind(stored: &[u8]) -> Option<FrameKind> {
    match u32::from_le_bytes(*stored.first_chunk()?) {
        FRAME_MAGIC => Some(FrameKind::Data),
        magic if magic & 0xffff_fff0 == SKIPPABLE_MAGIC => Some(FrameKind::Skippable),
        _ => None,
    }
}

/// Decodes one frame; a wrong checksum is damage, as all else about the frame is right.
fn decode_frame(frame: &[u8], out: &mut [u8]) -> Result<(usize, bool), zstd_safe::ErrorCode> {
    CONTEXT.with_borrow_mut(|context| match context.decompress(out, frame) {
        Ok(len) => Ok((len, false)),
        Err(code) if zstd_safe::is_error_kind(code, ZSTD_ErrorCode::ZSTD_error_checksum_wrong) => {
            context.set_parameter(DParameter::ForceIgnoreChecksum(true))?;
            let again = context.decompress(out, frame);
            context.reset(ResetDirective::Parameters)?;
            again.map(|len| (len, true))
        }
        Err(code) => Err(code),
    })
}

fn explain(code: zstd_safe::ErrorCode, limit_bytes: usize) -> DecodeError {
    if zstd_safe::is_error_kind(code, ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall) {
        return DecodeError::TooLong { codec: ZSTD, limit_bytes };
    }
    DecodeError::corrupt(ZSTD, zstd_safe::get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8878, 3.1.1: magic, descriptor (single segment, 1-byte content size 3), size, last raw block of 3 bytes.
    const SIZED: &[u8] = b"\x28\xb5\x2f\xfd\x20\x03\x19\0\0abc";
    /// The same without a content size: a window descriptor instead.
    const UNSIZED: &[u8] = b"\x28\xb5\x2f\xfd\0\0\x19\0\0abc";
    const SKIPPED: &[u8] = b"\x5a\x2a\x4d\x18\x02\0\0\0xx";

    fn decode(stored: &[u8], len: usize) -> Result<(Vec<u8>, bool), DecodeError> {
        let mut out = vec![0; len];
        let decoded = decode_into(stored, &mut out)?;
        out.truncate(decoded.len);
        Ok((out, decoded.is_damaged))
    }

    #[test]
    fn frames_of_any_kind_follow_each_other_and_other_bytes_after_them_are_ignored() {
        let all = [SKIPPED, SIZED, SKIPPED, UNSIZED, b"\0\0\0\0junk"].concat();
        assert_eq!(decode(&all, 10), Ok((b"abcabc".to_vec(), false)));
        assert_eq!(decode(&all, 5), Err(DecodeError::TooLong { codec: "zstd", limit_bytes: 5 }));
        assert_eq!(decode(SKIPPED, 5), Ok((Vec::new(), false)));
    }

    #[test]
    fn a_wrong_checksum_means_damage_and_the_next_chunk_is_checked_again() {
        // Python: numcodecs.Zstd(level=3, checksum=True).encode(b"voxels " * 12)
        let intact = *b"\x28\xb5\x2f\xfd\x24\x54\x75\0\0\x38voxels \x01\0\x2a\xb4\x18\x01\x7c\xb4\xf5\x73";
        let mut broken = intact;
        broken[26] ^= 1;
        let text = b"voxels ".repeat(12);
        for _ in 0..2 {
            assert_eq!(decode(&intact, 84), Ok((text.clone(), false)));
            assert_eq!(decode(&broken, 84), Ok((text.clone(), true)));
        }
    }

    #[test]
    fn bytes_without_a_frame_are_errors() {
        for stored in [&b""[..], b"\x28\xb5", b"\x1f\x8b\x08\0\0\0", &SKIPPED[..7], &SKIPPED[..9]] {
            assert!(decode(stored, 10).is_err(), "{stored:?}");
        }
    }
}
