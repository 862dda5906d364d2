//! Layer 0: compression and checksums, one file each. Bytes in, bytes out, always with an output limit.
//!
//! [`chain`] has what all formats use: one [`Codec`] per bytes-to-bytes compressor, and chains of them. [`lz4`] is
//! WKW's. [`image`], [`compressed_segmentation`] and [`compresso`] are precomputed data's; they need the chunk's shape,
//! so they stand beside the chain.

pub mod blosc;
mod bzip2;
pub mod chain;
pub mod compressed_segmentation;
pub mod compresso;
mod crc32c;
mod gzip;
pub mod image;
pub mod lz4;
mod lz4_framing;
mod stream;
mod xz;
mod zstd;

pub use chain::{Codec, CodecChain, Decoded};
pub use crc32c::{continued as crc32c_continued, strip as strip_crc32c};

/// Why stored bytes couldn't be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The compressed bytes break the codec's rules.
    #[error("{codec} can't decompress the chunk: {reason}")]
    Corrupt {
        /// Name of the codec.
        codec: &'static str,
        /// What is wrong with them.
        reason: String,
    },
    /// Decoding gave another number of bytes than the chunk has.
    #[error("chunk decodes to {actual} bytes, expected {expected}")]
    WrongLength {
        /// Bytes of a whole chunk.
        expected: usize,
        /// Bytes that came out.
        actual: usize,
    },
    /// Decoding was stopped because there is more than there may be.
    #[error("{codec} decompresses to more than {limit_bytes} bytes")]
    TooLong {
        /// Name of the codec.
        codec: &'static str,
        /// Bytes there may be.
        limit_bytes: usize,
    },
}

impl DecodeError {
    fn corrupt(codec: &'static str, reason: impl Into<String>) -> Self {
        Self::Corrupt { codec, reason: reason.into() }
    }

    /// The limit of a part is what earlier parts left; errors name the whole.
    fn with_limit(self, limit_bytes: usize) -> Self {
        match self {
            Self::TooLong { codec, limit_bytes: _ } => Self::TooLong { codec, limit_bytes },
            err @ (Self::Corrupt { .. } | Self::WrongLength { .. }) => err,
        }
    }

    fn ends_early(codec: &'static str) -> Self {
        Self::corrupt(codec, "the compressed bytes end early")
    }
}

/// Bytes of tests, written as in a hex dump.
#[cfg(test)]
mod test_bytes {
    pub fn hex(digits: &str) -> Vec<u8> {
        let digits: Vec<u8> = digits.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
        digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }
}
