//! [`Saved`]: where everything lies in a journal, to be put back into the annotation that it belongs to.

use super::record::{BucketKey, HEAD_LEN, Head, Key, Kind, MAGIC, MAX_ABOUT_LEN, MAX_KEY_LEN, volume_of_list};
use crate::annotation::edited::BucketChange;
use crate::annotation::ids::{convert_ids, id_text};
use crate::annotation::opened::Annotation;
use crate::annotation::volume::VolumeAnnotation;
use crate::codec::{DecodeError, crc32c_continued, lz4};
use crate::format::ChunkError;
use crate::format::annotation::{BUCKET_SIDE, BUCKET_VOXELS};
use crate::format::nml;
use crate::geometry::{Mag, Shape3};
use crate::problem::Severity;
use crate::text;
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use std::collections::HashMap;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// Buckets that appear at once: at most 64 MiB.
const BATCH: usize = 256;

/// Losses that are listed; a damaged file could have any number.
const MAX_LOST: usize = 100;

/// Why some of what was saved can't be put back.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// The end of the journal, or all of it.
    #[error("what was saved last is damaged")]
    Damaged,
    /// The journal can't be read any more.
    #[error("can't read: {0}")]
    Read(#[from] io::Error),
    /// The annotation is another one.
    #[error("there is no volume {number} any more")]
    Volume {
        /// Its number, from 1.
        number: u64,
    },
    /// The dataset is another one.
    #[error("volume {volume} has no mag {mag} any more")]
    Mag {
        /// Name of the volume.
        volume: String,
        /// The mag.
        mag: Mag,
    },
    /// Segments that are no NML, or not a whole one.
    #[error("the segments of volume {volume}: {reason}")]
    List {
        /// Name of the volume.
        volume: String,
        /// What is wrong.
        reason: String,
    },
    /// Voxels that aren't as many as a bucket has.
    #[error("voxels of volume {volume}: {source}")]
    Voxels {
        /// Name of the volume.
        volume: String,
        /// What is wrong.
        source: DecodeError,
    },
    /// The volume's voxels are smaller than they were.
    #[error("segment {id} doesn't fit volume {volume}, whose voxels are {class}")]
    Id {
        /// Name of the volume.
        volume: String,
        /// The id.
        id: String,
        /// Class of its voxels.
        class: ElementClass,
    },
    /// Buckets that the volume can't have.
    #[error(transparent)]
    Bucket(#[from] ChunkError),
    /// More than fits into memory.
    #[error("they take more than {}", text::bytes(*.max_bytes))]
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
}

/// A whole record in the file, with its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub start: u64,
    pub len: u64,
}

/// The records that count.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub places: HashMap<Key, Place>,
    pub live_len: u64,
}

impl Index {
    /// Lets a record count instead of the one before; `None` for a bucket without edits, of which nothing has to be kept.
    pub fn put(&mut self, key: Key, place: Option<Place>) {
        let replaced = match place {
            Some(place) => self.places.insert(key, place),
            None => self.places.remove(&key),
        };
        self.live_len += place.map_or(0, |place| place.len);
        self.live_len -= replaced.map_or(0, |place| place.len);
    }
}

/// What a journal says that its edits belong to; `None` if it isn't one.
///
/// # Errors
/// If it can't be read.
pub fn about(mut journal: impl Read) -> io::Result<Option<Vec<u8>>> {
    let (mut magic, mut head) = ([0; MAGIC.len()], [0; HEAD_LEN]);
    if !fill(&mut journal, &mut magic)? || magic != MAGIC || !fill(&mut journal, &mut head)? {
        return Ok(None);
    }
    let Some(head) = Head::from_bytes(head).filter(|head| head.kind == Kind::About && head.len <= MAX_ABOUT_LEN) else { return Ok(None) };
    let mut content = Vec::new();
    journal.take(u64::from(head.len)).read_to_end(&mut content)?;
    Ok((Head::of(Kind::About, &[&content]) == Some(head)).then_some(content))
}

/// What a journal holds, by where it lies. Memory: some 200 bytes for each bucket.
#[derive(Debug)]
pub struct Saved {
    index: Index,
    is_damaged: bool,
}

impl Saved {
    /// Finds everything up to the last commit that is whole.
    ///
    /// # Errors
    /// If the journal can't be read. One that ends too early, or is damaged, has what was before.
    pub fn find(journal: impl Read) -> io::Result<Self> {
        let mut journal = BufReader::with_capacity(PIECE, journal);
        let mut saved = Self { index: Index::default(), is_damaged: false };
        let mut magic = [0; MAGIC.len()];
        let is_journal = fill(&mut journal, &mut magic)? && magic == MAGIC;
        saved.is_damaged = !is_journal || !saved.find_records(&mut journal)?;
        Ok(saved)
    }

    /// Whether the journal ends as one does that a killed program wrote.
    fn find_records(&mut self, journal: &mut impl Read) -> io::Result<bool> {
        let mut at = MAGIC.len() as u64;
        let mut uncommitted: Vec<(Key, Option<Place>)> = Vec::new();
        let (mut head, mut start, mut piece) = ([0; HEAD_LEN], Vec::with_capacity(MAX_KEY_LEN), vec![0; PIECE]);
        while fill(journal, &mut head)? {
            let Some(head) = Head::from_bytes(head) else { return Ok(false) };
            match sum_of(journal, head.len as usize, &mut start, &mut piece)? {
                None => return Ok(true), // it was killed within this record
                Some(sum) if sum != head.sum => return Ok(false),
                Some(_) => {}
            }
            let place = Place { start: at, len: HEAD_LEN as u64 + u64::from(head.len) };
            at += place.len;
            let found = match head.kind {
                Kind::About => Some((Key::About, Some(place))),
                Kind::List => volume_of_list(&start).map(|volume| (Key::List { volume }, Some(place))),
                Kind::Bucket => BucketKey::from_bytes(&start).map(|(key, key_len)| {
                    let has_voxels = key_len < head.len as usize;
                    (Key::Bucket(key), has_voxels.then_some(place))
                }),
                Kind::Commit if start == (uncommitted.len() as u32).to_le_bytes() => {
                    uncommitted.drain(..).for_each(|(key, place)| self.index.put(key, place));
                    continue;
                }
                Kind::Commit => None,
            };
            let Some(found) = found else { return Ok(false) };
            uncommitted.push(found);
        }
        Ok(true)
    }

    /// Puts buckets and segment lists into the annotation that they were saved of, its voxels taking `max_bytes` at most.
    /// What couldn't be put back is returned.
    pub fn put_into(&self, journal: impl Read + Seek, annotation: &mut Annotation, max_bytes: u64) -> Vec<Lost> {
        let mut restoring = Restoring { journal, lost: Vec::new(), uniform: HashMap::new(), bytes: 0, max_bytes };
        if self.is_damaged {
            restoring.lose(Lost::Damaged);
        }
        let mut places: Vec<(&Key, Place)> = self.index.places.iter().map(|(key, place)| (key, *place)).collect();
        places.sort_unstable_by_key(|(_, place)| place.start);
        for (number, volume) in (0..).zip(&mut annotation.volumes) {
            restoring.volume(number, volume, &places);
        }
        let is_absent = |key: &Key| key.volume().filter(|number| *number as usize >= annotation.volumes.len());
        for number in self.index.places.keys().filter_map(is_absent) {
            restoring.lose(Lost::Volume { number: u64::from(number) + 1 });
        }
        restoring.lost
    }
}

/// Reads a content, keeps the beginning of it, and answers its checksum; `None` if the file ends before.
fn sum_of(journal: &mut impl Read, len: usize, start: &mut Vec<u8>, piece: &mut [u8]) -> io::Result<Option<u32>> {
    let (mut left, mut sum) = (len, 0);
    start.clear();
    while left > 0 {
        let len = left.min(piece.len());
        let piece = &mut piece[..len]; // no longer than it
        if !fill(journal, piece)? {
            return Ok(None);
        }
        sum = crc32c_continued(sum, piece);
        start.extend(piece.iter().take(MAX_KEY_LEN.saturating_sub(start.len())));
        left -= len;
    }
    Ok(Some(sum))
}

/// Fills a buffer; `false` if the file ends before.
fn fill(journal: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match journal.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(err) if err.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(err) => Err(err),
    }
}

struct Restoring<F> {
    journal: F,
    lost: Vec<Lost>,
    /// Buckets of one id alone: there may be many, and they share their voxels.
    uniform: HashMap<(ElementClass, Vec<u8>), Arc<VoxelBuffer>>,
    /// Of all distinct voxels so far.
    bytes: u64,
    max_bytes: u64,
}

impl<F: Read + Seek> Restoring<F> {
    /// Notes a loss; the same one for many buckets once.
    fn lose(&mut self, lost: Lost) {
        let text = lost.to_string();
        if self.lost.len() < MAX_LOST && self.lost.iter().all(|known| known.to_string() != text) {
            self.lost.push(lost);
        }
    }

    /// Puts back what there is of one volume.
    fn volume(&mut self, number: u32, volume: &mut VolumeAnnotation, places: &[(&Key, Place)]) {
        let mut changes = Vec::new();
        for (key, place) in places.iter().filter(|(key, _)| key.volume() == Some(number)) {
            let put = match key {
                Key::About => Ok(()),
                Key::List { .. } => self.list(volume, *place),
                Key::Bucket(bucket) => self.bucket(volume, bucket, *place).map(|change| changes.push(change)),
            };
            put.unwrap_or_else(|lost| self.lose(lost));
            if changes.len() >= BATCH {
                self.restore(volume, &mut changes);
            }
        }
        self.restore(volume, &mut changes);
    }

    fn restore(&mut self, volume: &VolumeAnnotation, changes: &mut Vec<BucketChange>) {
        if let Err(err) = volume.restore(std::mem::take(changes)) {
            self.lose(err.into());
        }
    }

    /// Puts the segments of a volume back.
    fn list(&mut self, volume: &mut VolumeAnnotation, place: Place) -> Result<(), Lost> {
        let skipped = HEAD_LEN as u64 + size_of::<u32>() as u64;
        self.journal.seek(SeekFrom::Start(place.start + skipped))?;
        let text = BufReader::with_capacity(PIECE, (&mut self.journal).take(place.len.saturating_sub(skipped)));
        let lost = |reason: String| Lost::List { volume: volume.name.clone(), reason };
        let read = nml::read(text).map_err(|err| lost(err.to_string()))?;
        if let Some(problem) = read.problems.iter().find(|problem| problem.severity == Severity::Error) {
            return Err(lost(problem.text.clone()));
        }
        let list = read.volumes.into_iter().next().ok_or_else(|| lost("there is no list".to_owned()))?;
        volume.segments = list.segments;
        volume.segment_groups = list.segment_groups;
        volume.largest_segment_id = list.largest_segment_id.max(volume.largest_segment_id);
        Ok(())
    }

    /// A bucket as it was saved.
    fn bucket(&mut self, volume: &VolumeAnnotation, bucket: &BucketKey, place: Place) -> Result<BucketChange, Lost> {
        let name = || volume.name.clone();
        let level = volume.level_of(bucket.mag).ok_or_else(|| Lost::Mag { volume: name(), mag: bucket.mag })?;
        self.journal.seek(SeekFrom::Start(place.start + HEAD_LEN as u64))?;
        let mut content = Vec::new();
        (&mut self.journal).take(place.len.saturating_sub(HEAD_LEN as u64)).read_to_end(&mut content)?;
        // The file could be another one than a moment ago.
        let block = BucketKey::from_bytes(&content).and_then(|(_, key_len)| content.get(key_len..)).ok_or(Lost::Damaged)?;
        let mut bytes = vec![0; BUCKET_VOXELS * bucket.class.byte_len()];
        lz4::decode_into(block, &mut bytes).map_err(|source| Lost::Voxels { volume: name(), source })?;
        if bucket.class != volume.class {
            // A file exported since has the class that servers take for it.
            let mut converted = vec![0; BUCKET_VOXELS * volume.class.byte_len()];
            convert_ids(bucket.class, &bytes, volume.class, &mut converted).map_err(|id| Lost::Id {
                volume: name(),
                id: id_text(id, bucket.class),
                class: volume.class,
            })?;
            bytes = converted;
        }
        Ok(BucketChange { level, at: bucket.at.clone(), voxels: Some(self.shared(volume.class, bytes)?) })
    }

    /// Voxels, shared where all are equal.
    fn shared(&mut self, class: ElementClass, bytes: Vec<u8>) -> Result<Arc<VoxelBuffer>, Lost> {
        let first = bytes[..class.byte_len()].to_vec(); // a bucket has voxels
        let is_uniform = bytes.chunks_exact(first.len()).all(|voxel| voxel == first);
        let key = (class, first);
        if let Some(shared) = self.uniform.get(&key).filter(|_| is_uniform) {
            return Ok(shared.clone());
        }
        self.bytes += bytes.len() as u64;
        if self.bytes > self.max_bytes {
            return Err(Lost::TooLarge { max_bytes: self.max_bytes });
        }
        let voxels = VoxelBuffer::new(VoxelType::single(class), Shape3::splat(BUCKET_SIDE), bytes).ok_or(Lost::Damaged)?;
        let voxels = Arc::new(voxels);
        if is_uniform {
            self.uniform.insert(key, voxels.clone());
        }
        Ok(voxels)
    }
}
