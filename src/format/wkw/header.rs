//! The 16 bytes at the start of `header.wkw` and of every shard.

use crate::format::HeaderField;
use crate::geometry::Shape3;
use crate::voxel::{ElementClass, VoxelType};

/// Name of the template header of a mag.
pub const HEADER_FILE: &str = "header.wkw";

/// Length of a header in bytes.
pub const HEADER_LEN: usize = 16;

/// How the chunks of a shard are stored; the format calls it block type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockType {
    /// Voxels as they are.
    Raw,
    /// LZ4 blocks.
    Lz4,
    /// LZ4 blocks made by the slower, better compressor; read like [`Self::Lz4`].
    Lz4Hc,
}

impl BlockType {
    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "RAW",
            Self::Lz4 => "LZ4",
            Self::Lz4Hc => "LZ4HC",
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Raw => 1,
            Self::Lz4 => 2,
            Self::Lz4Hc => 3,
        }
    }
}

/// A WKW header in our words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WkwHeader {
    /// Base-2 logarithm of the chunk's side in voxels, 0 to 15.
    pub chunk_log2: u8,
    /// Base-2 logarithm of the shard's side in chunks, 0 to 15.
    pub chunks_per_shard_log2: u8,
    /// How chunks are stored.
    pub block_type: BlockType,
    /// Class and number of channels.
    pub voxel_type: VoxelType,
    /// Offset of the first chunk in a shard, 0 in `header.wkw`.
    pub data_offset: u64,
}

/// Why 16 bytes are no WKW header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WkwHeaderError {
    /// Too few bytes.
    #[error("header is truncated: {len} bytes, expected {HEADER_LEN}")]
    TooShort {
        /// How many there are.
        len: usize,
    },
    /// Another file type.
    #[error("not a WKW file: the magic at byte 0 is {found:02x?}, expected [57, 4b, 57]")]
    Magic {
        /// The first three bytes.
        found: [u8; 3],
    },
    /// Another version.
    #[error("unsupported WKW Version {found} at byte 3, expected 1")]
    Version {
        /// Byte 3.
        found: u8,
    },
    /// Unknown compression.
    #[error("unknown block type {found} at byte 5, expected 1 (RAW), 2 (LZ4) or 3 (LZ4HC)")]
    BlockType {
        /// Byte 5.
        found: u8,
    },
    /// Unknown number type.
    #[error("unknown voxel type {found} at byte 6, expected 1 to 10")]
    VoxelType {
        /// Byte 6.
        found: u8,
    },
    /// Not a whole number of channels.
    #[error("voxel size {found} at byte 7 is no multiple of the {class} size {class_len}")]
    VoxelSize {
        /// Byte 7.
        found: u8,
        /// Class of byte 6.
        class: ElementClass,
        /// Its length in bytes.
        class_len: usize,
    },
}

const fn class_from_code(code: u8) -> Option<ElementClass> {
    Some(match code {
        1 => ElementClass::Uint8,
        2 => ElementClass::Uint16,
        3 => ElementClass::Uint32,
        4 => ElementClass::Uint64,
        5 => ElementClass::Float32,
        6 => ElementClass::Float64,
        7 => ElementClass::Int8,
        8 => ElementClass::Int16,
        9 => ElementClass::Int32,
        10 => ElementClass::Int64,
        _ => return None,
    })
}

/// `None` for classes that WKW doesn't have.
const fn code_from_class(class: ElementClass) -> Option<u8> {
    Some(match class {
        ElementClass::Uint8 => 1,
        ElementClass::Uint16 => 2,
        ElementClass::Uint32 => 3,
        ElementClass::Uint64 => 4,
        ElementClass::Float32 => 5,
        ElementClass::Float64 => 6,
        ElementClass::Int8 => 7,
        ElementClass::Int16 => 8,
        ElementClass::Int32 => 9,
        ElementClass::Int64 => 10,
        ElementClass::Bool | ElementClass::Float16 => return None,
    })
}

impl WkwHeader {
    /// Parses the first 16 bytes of a file; what follows them is ignored.
    ///
    /// # Errors
    /// If they are no WKW header, with the field and its byte.
    pub fn parse(bytes: &[u8]) -> Result<Self, WkwHeaderError> {
        let Some(&[m0, m1, m2, version, dims, block_type, class_code, voxel_len, ..]) = bytes.first_chunk::<HEADER_LEN>() else {
            // A wrong magic says more than a wrong length.
            return match bytes {
                [b'W', b'K', b'W', ..] | [] | [_] | [_, _] => Err(WkwHeaderError::TooShort { len: bytes.len() }),
                [m0, m1, m2, ..] => Err(WkwHeaderError::Magic { found: [*m0, *m1, *m2] }),
            };
        };
        if [m0, m1, m2] != *b"WKW" {
            return Err(WkwHeaderError::Magic { found: [m0, m1, m2] });
        }
        if version != 1 {
            return Err(WkwHeaderError::Version { found: version });
        }
        let block_type = match block_type {
            1 => BlockType::Raw,
            2 => BlockType::Lz4,
            3 => BlockType::Lz4Hc,
            found => return Err(WkwHeaderError::BlockType { found }),
        };
        let class = class_from_code(class_code).ok_or(WkwHeaderError::VoxelType { found: class_code })?;
        let class_len = class.byte_len();
        let channels = u32::from(voxel_len) / class_len as u32;
        if channels == 0 || !usize::from(voxel_len).is_multiple_of(class_len) {
            return Err(WkwHeaderError::VoxelSize { found: voxel_len, class, class_len });
        }
        let data_offset = bytes[8..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        Ok(Self {
            chunk_log2: dims & 15,
            chunks_per_shard_log2: dims >> 4,
            block_type,
            voxel_type: VoxelType { class, channels },
            data_offset,
        })
    }

    /// The 16 bytes. `None` if WKW doesn't have the element class, a voxel has more than 255 bytes, or a logarithm is above 15.
    pub fn to_bytes(self) -> Option<[u8; HEADER_LEN]> {
        if self.chunk_log2 > 15 || self.chunks_per_shard_log2 > 15 {
            return None;
        }
        let voxel_len = u8::try_from(self.voxel_type.byte_len()).ok()?;
        let mut bytes = [0; HEADER_LEN];
        bytes[..3].copy_from_slice(b"WKW");
        bytes[3] = 1;
        bytes[4] = self.chunk_log2 | self.chunks_per_shard_log2 << 4;
        bytes[5] = self.block_type.code();
        bytes[6] = code_from_class(self.voxel_type.class)?;
        bytes[7] = voxel_len;
        bytes[8..].copy_from_slice(&self.data_offset.to_le_bytes());
        Some(bytes)
    }

    /// Extent of a chunk in voxels.
    pub fn chunk_shape(&self) -> Shape3 {
        Shape3::splat(1 << self.chunk_log2)
    }

    /// Chunks of a shard along each axis.
    pub fn chunks_per_shard(&self) -> Shape3 {
        Shape3::splat(1 << self.chunks_per_shard_log2)
    }

    /// Number of chunks of a shard: at most 2^45.
    pub const fn chunk_count(&self) -> u64 {
        1 << (3 * self.chunks_per_shard_log2 as u64)
    }

    /// Bytes of one decoded chunk, at most 255 · 2^45.
    pub const fn chunk_len(&self) -> u64 {
        (1 << (3 * self.chunk_log2 as u64)) * self.voxel_type.byte_len() as u64
    }

    /// Offset where chunks begin in a shard as writers lay it out: after header and jump table.
    pub const fn expected_data_offset(&self) -> u64 {
        match self.block_type {
            BlockType::Raw => HEADER_LEN as u64,
            BlockType::Lz4 | BlockType::Lz4Hc => HEADER_LEN as u64 + 8 * self.chunk_count(),
        }
    }

    /// What in `other` differs from this header although all shards of a mag must agree on it.
    pub fn contradiction(&self, other: &Self) -> Option<String> {
        if other.voxel_type != self.voxel_type {
            return Some(format!("voxel type is {}, {HEADER_FILE} says {}", other.voxel_type, self.voxel_type));
        }
        if other.chunk_log2 != self.chunk_log2 {
            return Some(format!("chunk shape is {}, {HEADER_FILE} says {}", other.chunk_shape(), self.chunk_shape()));
        }
        if other.chunks_per_shard_log2 != self.chunks_per_shard_log2 {
            return Some(format!("chunks per shard are {}, {HEADER_FILE} says {}", other.chunks_per_shard(), self.chunks_per_shard()));
        }
        None
    }

    /// The fields for people. `bytes` are the header as stored.
    pub fn fields(&self, bytes: &[u8; HEADER_LEN]) -> Vec<HeaderField> {
        let hex = |range: std::ops::Range<usize>| bytes[range].iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
        let (side, per_side) = (self.chunk_shape().x(), self.chunks_per_shard().x());
        let shard_side = side * per_side;
        vec![
            HeaderField::new("magic", hex(0..3), "WKW", ""),
            HeaderField::new("version", hex(3..4), bytes[3].to_string(), ""),
            HeaderField::new(
                "perDimLog2",
                hex(4..5),
                format!("{}, {}", self.chunk_log2, self.chunks_per_shard_log2),
                format!("chunk {side}³ voxels, shard {per_side}³ chunks = {shard_side}³ voxels"),
            ),
            HeaderField::new(
                "blockType",
                hex(5..6),
                self.block_type.name(),
                match self.block_type {
                    BlockType::Raw => "chunks are stored as they are",
                    BlockType::Lz4 | BlockType::Lz4Hc => "each chunk is one LZ4 block, found by the jump table",
                },
            ),
            HeaderField::new("voxelType", hex(6..7), self.voxel_type.class.name(), "little-endian"),
            HeaderField::new(
                "voxelSize",
                hex(7..8),
                format!("{} B", bytes[7]),
                format!("{} channel{}", self.voxel_type.channels, if self.voxel_type.channels == 1 { "" } else { "s" }),
            ),
            HeaderField::new("dataOffset", hex(8..16), self.data_offset.to_string(), "0 in header.wkw, ignored there"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(tail: [u8; 4]) -> [u8; 16] {
        let mut b = [0; 16];
        b[..4].copy_from_slice(b"WKW\x01");
        b[4..8].copy_from_slice(&tail);
        b
    }

    #[test]
    fn headers_of_the_reference_writer_are_read_and_written_back() {
        let cases = [
            ([0x01, 0x01, 0x01, 0x01], ElementClass::Uint8, 1),
            ([0x01, 0x01, 0x02, 0x02], ElementClass::Uint16, 1),
            ([0x01, 0x01, 0x04, 0x08], ElementClass::Uint64, 1),
            ([0x01, 0x01, 0x05, 0x04], ElementClass::Float32, 1),
            ([0x01, 0x01, 0x06, 0x08], ElementClass::Float64, 1),
            ([0x01, 0x01, 0x07, 0x01], ElementClass::Int8, 1),
            ([0x01, 0x01, 0x08, 0x02], ElementClass::Int16, 1),
            ([0x01, 0x01, 0x09, 0x04], ElementClass::Int32, 1),
            ([0x01, 0x01, 0x0a, 0x08], ElementClass::Int64, 1),
            ([0x01, 0x01, 0x03, 0x04], ElementClass::Uint32, 1),
            ([0x01, 0x01, 0x01, 0x03], ElementClass::Uint8, 3),
            ([0x05, 0x02, 0x02, 0x04], ElementClass::Uint16, 2),
        ];
        for (tail, class, channels) in cases {
            let header = WkwHeader::parse(&bytes(tail)).expect("valid");
            assert_eq!(header.voxel_type, VoxelType { class, channels });
            assert_eq!(header.to_bytes(), Some(bytes(tail)));
        }
    }

    #[test]
    fn nibbles_are_chunk_low_and_shard_high() {
        let header = WkwHeader::parse(&bytes([0x35, 2, 1, 1])).expect("valid");
        assert_eq!((header.chunk_shape(), header.chunks_per_shard()), (Shape3::splat(32), Shape3::splat(8)));
        assert_eq!((header.chunk_count(), header.chunk_len(), header.expected_data_offset()), (512, 32768, 16 + 4096));
    }

    #[test]
    fn each_bad_field_is_named() {
        let cases: [(&[u8], &str); 7] = [
            (b"XKW\x01\x55\x01\x01\x01\0\0\0\0\0\0\0\0", "magic"),
            (b"WKW\x02\x55\x01\x01\x01\0\0\0\0\0\0\0\0", "Version"),
            (b"WKW\x01\x55\x09\x01\x01\0\0\0\0\0\0\0\0", "block type"),
            (b"WKW\x01\x55\x01\x63\x01\0\0\0\0\0\0\0\0", "voxel type"),
            (b"WKW\x01\x55\x01\x01\x00\0\0\0\0\0\0\0\0", "voxel size"),
            (b"WKW\x01\x55\x01\x02\x03\0\0\0\0\0\0\0\0", "voxel size"),
            (b"WKW\x01\x15", "truncated"),
        ];
        for (bytes, word) in cases {
            let message = WkwHeader::parse(bytes).expect_err("bad").to_string();
            assert!(message.contains(word), "{message}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(header) = WkwHeader::parse(&bytes) {
                prop_assert_eq!(&header.to_bytes().expect("read from a header")[..], &bytes[..16]);
                let _ = (header.chunk_len(), header.chunk_count(), header.expected_data_offset());
            }
        }
    }
}
