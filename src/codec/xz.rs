//! The xz container (<https://tukaani.org/xz/xz-file-format.txt>) and the older `.lzma` files, told apart by content.
//!
//! Bytes after the last stream are ignored. Not supported: raw LZMA without a header (numcodecs' `FORMAT_RAW`), and
//! dictionaries beyond [`MEMORY_LIMIT_BYTES`].

use liblzma::stream::{Action, Error, IGNORE_CHECK, Status, Stream};

use super::stream::{self, Step};
use super::{DecodeError, Decoded};

const XZ: &str = "xz";
const XZ_MAGIC: &[u8] = b"\xfd7zXZ\0";

/// What one decoder may allocate. The highest preset needs 65 MiB; a header can ask for 4 GiB.
const MEMORY_LIMIT_BYTES: u64 = 96 << 20;

/// Decodes all streams.
pub fn decode_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let limit_bytes = out.len();
    let (mut rest, mut decoded) = (stored, Decoded { len: 0, is_damaged: false });
    loop {
        let (read, written, is_damaged) = decode_stream(rest, &mut out[decoded.len..]).map_err(|err| err.with_limit(limit_bytes))?;
        decoded = Decoded { len: decoded.len + written, is_damaged: decoded.is_damaged || is_damaged };
        rest = &rest[read..];
        // Streams may be padded with zeros, four at a time.
        while let Some((&[0, 0, 0, 0], after)) = rest.split_first_chunk() {
            rest = after;
        }
        if !rest.starts_with(XZ_MAGIC) {
            return Ok(decoded);
        }
    }
}

/// Decodes a stream; if it is broken, once more without looking at the checksums: if they were all that is broken, the
/// bytes are there.
fn decode_stream(stored: &[u8], out: &mut [u8]) -> Result<(usize, usize, bool), DecodeError> {
    match decode_stream_with(0, stored, out) {
        Ok((read, written)) => Ok((read, written, false)),
        Err(err @ DecodeError::Corrupt { .. }) => match decode_stream_with(IGNORE_CHECK, stored, out) {
            Ok((read, written)) => Ok((read, written, true)),
            Err(_) => Err(err),
        },
        Err(err @ (DecodeError::TooLong { .. } | DecodeError::WrongLength { .. })) => Err(err),
    }
}

fn decode_stream_with(flags: u32, stored: &[u8], out: &mut [u8]) -> Result<(usize, usize), DecodeError> {
    let mut decoder = Stream::new_auto_decoder(MEMORY_LIMIT_BYTES, flags).map_err(explain)?;
    stream::decode_one(XZ, stored, out, |input, output| {
        let (read_before, written_before) = (decoder.total_in(), decoder.total_out());
        let status = decoder.process(input, output, Action::Run).map_err(explain)?;
        let taken = |now: u64, before: u64| usize::try_from(now - before).expect("no more than a slice's length");
        Ok(Step {
            read: taken(decoder.total_in(), read_before),
            written: taken(decoder.total_out(), written_before),
            is_end: status == Status::StreamEnd,
        })
    })
}

fn explain(err: Error) -> DecodeError {
    let reason = match err {
        Error::Data => "broken data, or its checksum doesn't match",
        Error::Options => "it uses options that this program doesn't know",
        Error::Format => "neither an xz nor an LZMA header at the start",
        Error::MemLimit => "its dictionary needs too much memory",
        Error::Mem => "out of memory",
        Error::Program | Error::NoCheck | Error::UnsupportedCheck => "unexpected state of the decompressor",
    };
    DecodeError::corrupt(XZ, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python: `lzma.compress(b"voxels " * 12)`
    const STREAM: &[u8] = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01\x16\0\0\0\x74\x2f\xe5\xa3\xe0\0\x53\0\x0e\x5d\0\x3b\x1b\xcb\x76\xe1\xff\x3e\x8e\x94\x41\x09\x20\0\0\0\0\0\x7f\xa5\xba\x87\x03\x11\xb1\x05\0\x01\x2a\x54\xee\xec\xeb\x23\x1f\xb6\xf3\x7d\x01\0\0\0\0\x04\x59\x5a";
    /// Python: `lzma.compress(b"voxels " * 12, format=lzma.FORMAT_ALONE)`
    const ALONE: &[u8] =
        b"\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0\x3b\x1b\xcb\x76\xe1\xff\x3e\x8e\x94\x41\x50\xe3\xd3\xff\xff\xde\x42\0\0";

    #[test]
    fn both_containers_decode() {
        for stored in [STREAM, ALONE] {
            let mut out = [0; 90];
            assert_eq!(decode_into(stored, &mut out), Ok(Decoded { len: 84, is_damaged: false }));
            assert_eq!(&out[..84], b"voxels ".repeat(12));
        }
    }

    #[test]
    fn streams_and_padding_follow_each_other_and_other_bytes_after_them_are_ignored() {
        let stored = [STREAM, b"\0\0\0\0\0\0\0\0", STREAM, b"\0junk"].concat();
        let mut out = [0; 168];
        assert_eq!(decode_into(&stored, &mut out), Ok(Decoded { len: 168, is_damaged: false }));
        assert_eq!(decode_into(&stored, &mut out[..167]), Err(DecodeError::TooLong { codec: "xz", limit_bytes: 167 }));
    }

    #[test]
    fn a_wrong_checksum_means_damage() {
        // 24 bytes of headers, 22 of data padded to 24, the CRC-64 follows.
        let mut stored = STREAM.to_vec();
        stored[48] ^= 1;
        let mut out = [0; 84];
        assert_eq!(decode_into(&stored, &mut out), Ok(Decoded { len: 84, is_damaged: true }));
        assert_eq!(&out[..], b"voxels ".repeat(12));
    }

    #[test]
    fn dictionaries_of_gigabytes_are_refused() {
        let mut stored = ALONE.to_vec();
        stored[1..5].copy_from_slice(&0xc000_0000_u32.to_le_bytes());
        assert!(decode_into(&stored, &mut [0; 84]).is_err_and(|err| err.to_string().contains("memory")));
    }
}
