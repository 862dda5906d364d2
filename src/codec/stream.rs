//! Drives decompressors that take a part of the input and fill a part of the output at each call.

use super::DecodeError;

/// What one call of a decompressor did.
pub struct Step {
    /// Bytes taken from the input.
    pub read: usize,
    /// Bytes put into the output.
    pub written: usize,
    /// The compressed stream is over.
    pub is_end: bool,
}

/// Calls without progress after which a stream counts as cut off: liblzma wants a second call to be sure.
const MAX_STALLS: usize = 2;

/// Decodes one compressed stream from the start of `stored` into the start of `out`, and returns the lengths of both.
///
/// # Errors
/// If `step` fails, the stream goes on past the end of `stored`, or more comes out than fits.
pub fn decode_one(
    codec: &'static str,
    stored: &[u8],
    out: &mut [u8],
    mut step: impl FnMut(&[u8], &mut [u8]) -> Result<Step, DecodeError>,
) -> Result<(usize, usize), DecodeError> {
    let (mut read, mut written, mut stalls) = (0, 0, 0);
    loop {
        // A full output doesn't mean that the stream's end mark was read: one more byte tells "over" from "too long".
        let mut beyond = [0];
        let is_full = written == out.len();
        let target = if is_full { &mut beyond[..] } else { &mut out[written..] };
        let done = step(&stored[read..], target)?;
        if is_full && done.written > 0 {
            return Err(DecodeError::TooLong { codec, limit_bytes: out.len() });
        }
        read += done.read;
        written += done.written;
        if done.is_end {
            return Ok((read, written));
        }
        stalls = if done.read == 0 && done.written == 0 { stalls + 1 } else { 0 };
        if stalls == MAX_STALLS {
            return Err(DecodeError::ends_early(codec));
        }
    }
}
