//! The bytes-to-bytes codecs of all formats under one name each, and chains of them.

use super::{DecodeError, blosc, bzip2, crc32c, gzip, lz4_framing, xz, zstd};

/// A way of storing bytes as other bytes. Everything needed to decode is in the stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumIter)]
pub enum Codec {
    /// RFC 1952, several members too.
    Gzip,
    /// RFC 1950.
    Zlib,
    /// RFC 8878, several frames too.
    Zstd,
    /// Blosc 1 frames.
    Blosc,
    /// numcodecs framing: u32 LE length, then a block.
    Lz4,
    /// lz4-java `LZ4Block` framing (N5).
    Lz4Java,
    /// bzip2, several streams too.
    Bzip2,
    /// xz container or legacy `.lzma`, told apart by content.
    Xz,
    /// A checksum of four bytes at the end.
    Crc32c,
}

/// What decoding gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Bytes at the start of the output.
    pub len: usize,
    /// A checksum didn't match; the bytes are complete.
    pub is_damaged: bool,
}

/// Room for headers and several members, however little they hold.
const SLACK_BYTES: usize = 64 << 10;

/// The first guess of [`Codec::decode`] if the stored bytes don't say their decoded length.
const GUESSED_RATIO: usize = 4;

impl Codec {
    /// Name for people, as the formats' metadata have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
            Self::Blosc => "blosc",
            Self::Lz4 | Self::Lz4Java => "lz4",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Crc32c => "crc32c",
        }
    }

    /// Decodes into the start of `out`. Fewer bytes than `out` has are no error; what they leave of it is undefined.
    ///
    /// # Errors
    /// If the stored bytes break the codec's rules or end early, or there is more than fits.
    pub fn decode_into(self, stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
        match self {
            Self::Gzip => gzip::decode_gzip_into(stored, out),
            Self::Zlib => gzip::decode_zlib_into(stored, out),
            Self::Zstd => zstd::decode_into(stored, out),
            Self::Blosc => blosc::decode_into(stored, out),
            Self::Lz4 => lz4_framing::decode_numcodecs_into(stored, out),
            Self::Lz4Java => lz4_framing::decode_java_into(stored, out),
            Self::Bzip2 => bzip2::decode_into(stored, out),
            Self::Xz => xz::decode_into(stored, out),
            Self::Crc32c => crc32c::decode_into(stored, out),
        }
    }

    /// Decodes at most `limit` bytes, and says whether they are damaged.
    ///
    /// # Errors
    /// As [`Self::decode_into`].
    pub fn decode(self, stored: &[u8], limit: usize) -> Result<(Vec<u8>, bool), DecodeError> {
        let hint = self.len_hint(stored).unwrap_or_else(|| stored.len().saturating_mul(GUESSED_RATIO));
        let mut len = hint.min(limit);
        loop {
            let mut out = vec![0; len];
            match self.decode_into(stored, &mut out) {
                Ok(decoded) => {
                    out.truncate(decoded.len);
                    return Ok((out, decoded.is_damaged));
                }
                // The hint was too small: most streams can't say their length. Starting again keeps each codec simple.
                Err(DecodeError::TooLong { .. }) if len < limit => {
                    len = len.saturating_mul(GUESSED_RATIO).max(SLACK_BYTES).min(limit);
                }
                Err(err) => return Err(err),
            }
        }
    }

    /// The decoded length by the stored bytes; it may be wrong.
    pub fn len_hint(self, stored: &[u8]) -> Option<usize> {
        match self {
            Self::Gzip => gzip::gzip_len_hint(stored),
            Self::Zstd => zstd::len_hint(stored),
            Self::Blosc => blosc::len_hint(stored),
            Self::Lz4 => lz4_framing::numcodecs_len_hint(stored),
            Self::Crc32c => Some(stored.len()),
            Self::Zlib | Self::Lz4Java | Self::Bzip2 | Self::Xz => None,
        }
    }
}

/// Bytes-to-bytes steps in the order of encoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodecChain(Vec<Codec>);

impl CodecChain {
    /// A chain of steps in the order of encoding.
    pub fn new(codecs: Vec<Codec>) -> Self {
        Self(codecs)
    }

    /// The steps in the order of encoding.
    pub fn codecs(&self) -> &[Codec] {
        &self.0
    }

    /// Whether bytes are stored as they are.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// "raw" if empty, else the names joined by " + ".
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|codec| codec.name()).collect();
        if names.is_empty() { "raw".to_owned() } else { names.join(" + ") }
    }

    /// Undoes all steps, last first, into the start of `out`. What lies between the steps is bounded by what
    /// `out.len()` bytes can be encoded to at most.
    ///
    /// # Errors
    /// If a step fails, or there is more than fits.
    pub fn decode_into(&self, stored: &[u8], out: &mut [u8]) -> Result<Decoded, DecodeError> {
        let mut current = Current::Stored(stored);
        let mut is_damaged = false;
        for (index, codec) in self.0.iter().enumerate().rev() {
            if *codec == Codec::Crc32c {
                let (bytes, damaged) = crc32c::strip(current.bytes())?;
                is_damaged |= damaged;
                let len = bytes.len();
                current.truncate(len);
            } else if index == 0 {
                let decoded = codec.decode_into(current.bytes(), out)?;
                return Ok(Decoded { len: decoded.len, is_damaged: decoded.is_damaged || is_damaged });
            } else {
                let (bytes, damaged) = codec.decode(current.bytes(), max_encoded_len(out.len(), index))?;
                is_damaged |= damaged;
                current = Current::Decoded(bytes);
            }
        }
        let bytes = current.bytes();
        let limit_bytes = out.len();
        let codec = self.0.first().map_or("raw", |codec| codec.name());
        out.get_mut(..bytes.len()).ok_or(DecodeError::TooLong { codec, limit_bytes })?.copy_from_slice(bytes);
        Ok(Decoded { len: bytes.len(), is_damaged })
    }

    /// Undoes all steps, last first, for bytes of a length that isn't known; says too whether they are damaged.
    ///
    /// # Errors
    /// If a step fails, or there are more than `limit` bytes at the end.
    pub fn decode(&self, stored: &[u8], limit: usize) -> Result<(Vec<u8>, bool), DecodeError> {
        let mut bytes = stored.to_vec();
        let mut is_damaged = false;
        for (index, codec) in self.0.iter().enumerate().rev() {
            let (decoded, damaged) = codec.decode(&bytes, max_encoded_len(limit, index))?;
            is_damaged |= damaged;
            bytes = decoded;
        }
        Ok((bytes, is_damaged))
    }
}

/// What is left to decode.
enum Current<'a> {
    Stored(&'a [u8]),
    Decoded(Vec<u8>),
}

impl Current<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Stored(bytes) => bytes,
            Self::Decoded(bytes) => bytes,
        }
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::Stored(bytes) => *bytes = bytes.get(..len).unwrap_or(bytes),
            Self::Decoded(bytes) => bytes.truncate(len),
        }
    }
}

/// No codec here makes bytes longer by more than an eighth (Deflate with fixed codes) but for headers; we allow twice that.
fn max_encoded_len(len: usize, steps: usize) -> usize {
    (0..steps).fold(len, |len, _| len.saturating_add(len / 4).saturating_add(SLACK_BYTES))
}

#[cfg(test)]
mod tests;
