//! Records of a journal as bytes.

use crate::annotation::volume::POSITION_END;
use crate::codec::{crc32c_continued, lz4};
use crate::format::annotation::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress};
use crate::geometry::{ChunkIndex, Mag, Vec3Int};
use crate::voxel::ElementClass;

/// First bytes of a journal; the last is the version of the layout.
pub const MAGIC: [u8; 8] = *b"CSEDITS\x01";

/// Bytes before the content of a record: kind, length, checksum of the content, checksum of these three.
pub const HEAD_LEN: usize = 13;

/// Longest content by which a record is known: volume, mag, bucket, class and positions along 255 axes.
pub const MAX_KEY_LEN: usize = 42 + 8 * 255;

/// Longest note of what the edits belong to.
pub const MAX_ABOUT_LEN: u32 = 1 << 20;

/// Classes of segment ids; the journal has their numbers in this list.
const CLASSES: [ElementClass; 8] = [
    ElementClass::Uint8,
    ElementClass::Uint16,
    ElementClass::Uint32,
    ElementClass::Uint64,
    ElementClass::Int8,
    ElementClass::Int16,
    ElementClass::Int32,
    ElementClass::Int64,
];

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What the edits belong to, in the words of whoever keeps the journal.
    About,
    /// The segments of a volume: its number, and an NML with that volume alone.
    List,
    /// A bucket: where it is, and its voxels as an LZ4 block; nothing for one that has no edits any more.
    Bucket,
    /// How many records before it, up to the commit before, count from now on.
    Commit,
}

impl Kind {
    const ALL: [Self; 4] = [Self::About, Self::List, Self::Bucket, Self::Commit];

    const fn byte(self) -> u8 {
        match self {
            Self::About => 1,
            Self::List => 2,
            Self::Bucket => 3,
            Self::Commit => 4,
        }
    }

    /// Longest content.
    const fn max_len(self) -> u32 {
        match self {
            Self::About => MAX_ABOUT_LEN,
            Self::List => u32::MAX,
            Self::Bucket => (MAX_KEY_LEN + lz4::max_encoded_len(8 * BUCKET_VOXELS)) as u32, // some 260 KiB
            Self::Commit => 4,
        }
    }
}

/// What stands before the content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    pub len: u32,
    pub sum: u32,
}

impl Head {
    /// The head for a content in parts; `None` if it is too long.
    pub fn of(kind: Kind, content: &[&[u8]]) -> Option<Self> {
        let len = content.iter().map(|part| part.len()).sum::<usize>();
        let len = u32::try_from(len).ok().filter(|len| *len <= kind.max_len())?;
        Some(Self { kind, len, sum: content.iter().fold(0, |sum, part| crc32c_continued(sum, part)) })
    }

    /// As bytes.
    pub fn to_bytes(self) -> [u8; HEAD_LEN] {
        let [a, b, c, d] = self.len.to_le_bytes();
        let [e, f, g, h] = self.sum.to_le_bytes();
        let fields = [self.kind.byte(), a, b, c, d, e, f, g, h];
        let [i, j, k, l] = crc32c_continued(0, &fields).to_le_bytes();
        [self.kind.byte(), a, b, c, d, e, f, g, h, i, j, k, l]
    }

    /// From bytes; `None` if no record begins so. A damaged length must be told from the end of a file that is cut off.
    pub fn from_bytes(bytes: [u8; HEAD_LEN]) -> Option<Self> {
        let [kind, a, b, c, d, e, f, g, h, ..] = bytes;
        let kind = Kind::ALL.into_iter().find(|known| known.byte() == kind)?;
        let head = Self { kind, len: u32::from_le_bytes([a, b, c, d]), sum: u32::from_le_bytes([e, f, g, h]) };
        (head.len <= kind.max_len() && head.to_bytes() == bytes).then_some(head)
    }
}

/// What a record is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    About,
    List { volume: u32 },
    Bucket(BucketKey),
}

impl Key {
    /// Number of the volume.
    pub const fn volume(&self) -> Option<u32> {
        match self {
            Self::About => None,
            Self::List { volume } => Some(*volume),
            Self::Bucket(bucket) => Some(bucket.volume),
        }
    }
}

/// A bucket of a volume.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BucketKey {
    pub volume: u32,
    pub mag: Mag,
    pub class: ElementClass,
    pub at: BucketAddress,
}

impl BucketKey {
    /// The beginning of its record's content; `None` for what can't be saved.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = self.volume.to_le_bytes().to_vec();
        for factor in self.mag.factors().to_array() {
            bytes.extend(u32::try_from(factor).ok()?.to_le_bytes());
        }
        for index in self.at.chunk.0.to_array() {
            bytes.extend(index.to_le_bytes());
        }
        bytes.push(CLASSES.iter().position(|class| *class == self.class).and_then(|number| u8::try_from(number).ok())?);
        bytes.push(u8::try_from(self.at.axes.len()).ok()?);
        bytes.extend(self.at.axes.iter().flat_map(|position| position.to_le_bytes()));
        Some(bytes)
    }

    /// From the beginning of a record's content, with the length of that beginning; `None` for what no bucket can be.
    pub fn from_bytes(content: &[u8]) -> Option<(Self, usize)> {
        let (mut rest, total) = (content, content.len());
        let volume = u32::from_le_bytes(take(&mut rest)?);
        let [x, y, z] = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?].map(|factor| i64::from(u32::from_le_bytes(factor)));
        let mag = Mag::new(x, y, z)?;
        let index = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?].map(i64::from_le_bytes);
        let end = POSITION_END / BUCKET_SIDE;
        if !index.iter().all(|index| (-end..end).contains(index)) {
            return None;
        }
        let [class, axes] = take(&mut rest)?;
        let class = *CLASSES.get(usize::from(class))?;
        let axes = (0..axes).map(|_| take(&mut rest).map(u64::from_le_bytes)).collect::<Option<Vec<u64>>>()?;
        let at = BucketAddress { chunk: ChunkIndex(Vec3Int::from(index)), axes: axes.into() };
        Some((Self { volume, mag, class, at }, total - rest.len()))
    }
}

/// The volume of a list of segments, from the beginning of its record's content.
pub fn volume_of_list(content: &[u8]) -> Option<u32> {
    content.first_chunk().map(|volume| u32::from_le_bytes(*volume))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_kind_length_and_checksums() {
        let head = Head::of(Kind::About, &[b"1234", b"56789"]).expect("short");
        let bytes = head.to_bytes();
        // The check value of the checksum is that of these digits.
        assert_eq!(bytes[..9], [1, 9, 0, 0, 0, 0x83, 0x92, 0x06, 0xe3]);
        assert_eq!(bytes[9..], ::crc32c::crc32c(&bytes[..9]).to_le_bytes());
        assert_eq!(Head::from_bytes(bytes), Some(head));
        for bit in 0..8 * HEAD_LEN {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Head::from_bytes(flipped), None, "bit {bit}");
        }
    }

    #[test]
    fn lengths_beyond_the_most_of_their_kind_are_refused() {
        for (kind, longest) in [(Kind::About, 1 << 20), (Kind::Bucket, 265_270), (Kind::Commit, 4)] {
            let head = |len| Head::from_bytes(Head { kind, len, sum: 0 }.to_bytes());
            assert!(head(longest).is_some() && head(longest + 1).is_none() && head(u32::MAX).is_none(), "{kind:?}");
        }
        assert_eq!(Head::of(Kind::Commit, &[&[0; 5]]), None);
    }

    #[test]
    fn a_bucket_begins_with_volume_mag_index_class_and_axes() {
        let at = BucketAddress { chunk: ChunkIndex(Vec3Int::new(1, 2, -3)), axes: [7].into() };
        let key = BucketKey { volume: 1, mag: Mag::new(4, 4, 2).expect("a mag"), class: ElementClass::Uint32, at };
        let mut bytes = key.to_bytes().expect("fits");
        let wanted = [
            &[1, 0, 0, 0][..],
            &[4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0],
            &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[2, 1],
            &[7, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(bytes, wanted.concat());
        let len = bytes.len();
        bytes.extend(b"block");
        assert_eq!(BucketKey::from_bytes(&bytes), Some((key, len)));
        let changed = |at: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            BucketKey::from_bytes(&bytes)
        };
        assert_eq!(changed(23, 0x7f), None, "no such position");
        assert_eq!(changed(40, 8), None, "no such class");
        assert_eq!(changed(41, 3), None, "it ends within its axes");
        assert!((0..len).all(|len| BucketKey::from_bytes(&bytes[..len]).is_none()));
    }
}
