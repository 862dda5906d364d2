//! Layer 0: compression and checksums, one file each. Bytes in, bytes out, always with an output limit.

pub mod lz4;

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
}
