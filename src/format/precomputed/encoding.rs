//! [`Encoding`]: how the bytes of a chunk become voxels.
//!
//! Specification: <https://github.com/google/neuroglancer/blob/master/src/datasource/precomputed/volume.md>, "Chunk
//! encodings". Not supported: encodings of other programs.

use crate::codec::image::ImageKind;
use crate::codec::{Codec, DecodeError, compressed_segmentation, compresso, image};
use crate::format::MAX_CHUNK_BYTES;
use crate::format::array::{DecodedLayout, NdVec};

/// First bytes of a gzip file with deflated content.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// `encoding` of a scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Little-endian, x fastest, channel slowest.
    Raw,
    /// One image: its pixels are the voxels, its components the channels.
    Image(ImageKind),
    /// Blocks of indices into tables of ids.
    CompressedSegmentation {
        /// `compressed_segmentation_block_size`.
        block: [usize; 3],
    },
    /// Boundaries between segments, and the ids of what they enclose; one channel.
    Compresso,
    /// One that can't be decoded, by its name.
    Unsupported(String),
}

/// Around the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// Nothing.
    Plain,
    /// gzip.
    Gzip,
    /// gzip where the bytes say so: a file of its own may have been compressed by whoever copied it.
    Detected,
}

impl Encoding {
    /// Name for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Image(ImageKind::Jpeg) => "jpeg",
            Self::Image(ImageKind::Png) => "png",
            Self::Image(ImageKind::Jxl) => "jxl",
            Self::CompressedSegmentation { .. } => "compressed_segmentation",
            Self::Compresso => "compresso",
            Self::Unsupported(name) => {
                const KNOWN: [&str; 4] = ["fpzip", "kempressed", "zfpc", "crackle"];
                KNOWN.into_iter().find(|known| known == name).unwrap_or("unknown encoding")
            }
        }
    }

    /// Name with its wrapping; `None` where the stored bytes are always the elements themselves.
    pub fn codec_name(&self, wrapping: Wrapping) -> Option<&'static str> {
        match (self, wrapping) {
            (Self::Raw, Wrapping::Plain) => None,
            (Self::Raw, Wrapping::Gzip) => Some("gzip"),
            (Self::Image(ImageKind::Jpeg), Wrapping::Gzip) => Some("jpeg + gzip"),
            (Self::Image(ImageKind::Png), Wrapping::Gzip) => Some("png + gzip"),
            (Self::Image(ImageKind::Jxl), Wrapping::Gzip) => Some("jxl + gzip"),
            (Self::CompressedSegmentation { .. }, Wrapping::Gzip) => Some("compressed_segmentation + gzip"),
            (Self::Compresso, Wrapping::Gzip) => Some("compresso + gzip"),
            (Self::Unsupported(_), _) | (Self::Image(_) | Self::CompressedSegmentation { .. } | Self::Compresso, Wrapping::Plain) => {
                Some(self.name())
            }
            (_, Wrapping::Detected) => Some(self.name()),
        }
    }

    /// How the elements of a decoded chunk lie: x before y before z, the channel first in images, else last.
    /// `None` if it is larger than any chunk may be.
    pub fn layout(&self, extent: NdVec, element_len: usize) -> Option<DecodedLayout> {
        let order = match self {
            Self::Image(_) => [2, 1, 0, 3],
            Self::Raw | Self::CompressedSegmentation { .. } | Self::Compresso | Self::Unsupported(_) => [3, 2, 1, 0],
        };
        DecodedLayout::dense(extent, &order, element_len, false, MAX_CHUNK_BYTES)
    }

    /// Decodes a chunk of this layout. Tells whether a checksum of the wrapping didn't match.
    ///
    /// # Errors
    /// If the bytes don't decode to the chunk.
    pub fn decode(
        &self,
        stored: &[u8],
        wrapping: Wrapping,
        layout: &DecodedLayout,
        element_len: usize,
        out: &mut [u8],
    ) -> Result<bool, DecodeError> {
        if let Self::Unsupported(name) = self {
            let reason = format!("the encoding {} is not among those that can be read", super::info::short(name));
            return Err(DecodeError::Corrupt { codec: self.name(), reason });
        }
        let is_gzip = match wrapping {
            Wrapping::Plain => false,
            Wrapping::Gzip => true,
            // Raw voxels can begin like gzip by chance.
            Wrapping::Detected => stored.starts_with(&GZIP_MAGIC) && !(*self == Self::Raw && stored.len() == out.len()),
        };
        if !is_gzip {
            return self.decode_plain(stored, layout, element_len, out).map(|()| false);
        }
        if *self == Self::Raw {
            let decoded = Codec::Gzip.decode_into(stored, out)?;
            return match decoded.len == out.len() {
                true => Ok(decoded.is_damaged),
                false => Err(DecodeError::WrongLength { expected: out.len(), actual: decoded.len }),
            };
        }
        let (plain, is_damaged) = Codec::Gzip.decode(stored, max_encoded_len(out.len()))?;
        self.decode_plain(&plain, layout, element_len, out)?;
        Ok(is_damaged)
    }

    fn decode_plain(&self, stored: &[u8], layout: &DecodedLayout, element_len: usize, out: &mut [u8]) -> Result<(), DecodeError> {
        let extent = |dimension: usize| usize::try_from(layout.extent[dimension]).unwrap_or(usize::MAX);
        let shape = [extent(0), extent(1), extent(2)];
        match self {
            Self::Raw if stored.len() == out.len() => {
                out.copy_from_slice(stored);
                Ok(())
            }
            Self::Raw => Err(DecodeError::WrongLength { expected: out.len(), actual: stored.len() }),
            Self::Image(kind) => {
                let voxels = shape.iter().fold(1, |all: usize, n| all.saturating_mul(*n));
                image::decode_into(*kind, stored, voxels, extent(3), element_len, out)
            }
            Self::CompressedSegmentation { block } => {
                compressed_segmentation::decode_into(stored, shape, *block, element_len, extent(3), out)
            }
            Self::Compresso => compresso::decode_into(stored, shape, element_len, out),
            Self::Unsupported(_) => Err(DecodeError::Corrupt { codec: self.name(), reason: "not supported".to_owned() }),
        }
    }
}

/// What a chunk can be encoded to at most: blocks of one voxel have a header, a value and an id each.
fn max_encoded_len(decoded_len: usize) -> usize {
    decoded_len.saturating_mul(6).saturating_add(1 << 20).min(MAX_CHUNK_BYTES)
}
