//! Bzip2 streams, one after the other, as Python's `bz2` writes them.
//!
//! Bytes after the last stream are ignored. A wrong checksum is an error: the library doesn't go on after it.

use bzip2::{Decompress, Error, Status};

use super::stream::{self, Step};
use super::{DecodeError, Decoded};

const BZIP2: &str = "bzip2";
const MAGIC: &[u8] = b"BZh";

/// Decodes all streams.
pub fn decode_into(stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
    let limit_bytes = out.len();
    let (mut rest, mut len) = (stored, 0);
    loop {
        let (read, written) = decode_stream(rest, &mut out[len..]).map_err(|err| err.with_limit(limit_bytes))?;
        rest = &rest[read..];
        len += written;
        if !rest.starts_with(MAGIC) {
            return Ok(Decoded { len, is_damaged: false });
        }
    }
}

fn decode_stream(stored: &[u8], out: &mut [u8]) -> Result<(usize, usize), DecodeError> {
    let mut decompress = Decompress::new(false);
    stream::decode_one(BZIP2, stored, out, |input, output| {
        let (read_before, written_before) = (decompress.total_in(), decompress.total_out());
        let status = decompress.decompress(input, output).map_err(explain)?;
        let taken = |now: u64, before: u64| usize::try_from(now - before).expect("no more than a slice's length");
        Ok(Step {
            read: taken(decompress.total_in(), read_before),
            written: taken(decompress.total_out(), written_before),
            is_end: status == Status::StreamEnd,
        })
    })
}

fn explain(err: Error) -> DecodeError {
    let reason = match err {
        Error::DataMagic => "no bzip2 header at the start",
        Error::Data | Error::Sequence | Error::Param => "broken blocks, or their checksum doesn't match",
    };
    DecodeError::corrupt(BZIP2, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::test_bytes::hex;

    /// Python: `bz2.compress(b"voxels " * 12)`
    const STREAM: &str = "425a6839314159265359670814030000239180400002048940200020a540d08603a585c2c2f178b0be2ee48a70a120ce102806";

    #[test]
    fn streams_follow_each_other_and_other_bytes_after_them_are_ignored() {
        let stored = [&hex(STREAM)[..], &hex(STREAM), b"junk"].concat();
        let mut out = [0; 168];
        assert_eq!(decode_into(&stored, &mut out), Ok(Decoded { len: 168, is_damaged: false }));
        assert_eq!(&out[..], b"voxels ".repeat(24));
        assert_eq!(decode_into(&stored, &mut out[..167]), Err(DecodeError::TooLong { codec: "bzip2", limit_bytes: 167 }));
    }

    #[test]
    fn a_wrong_checksum_is_an_error() {
        let mut stored = hex(STREAM);
        stored[11] ^= 1;
        assert!(decode_into(&stored, &mut [0; 84]).is_err());
    }
}
