//! [`Journal`]: a journal that is written.

use super::changes::{Base, Changes, VolumeChanges};
use super::read::{Index, Place};
use super::record::{BucketKey, HEAD_LEN, Head, Key, Kind, MAGIC};
use crate::annotation::edited::BucketChange;
use crate::codec::lz4;
use crate::format::ChunkError;
use crate::format::nml::{NewNml, Nml, write_with_volumes};
use rayon::prelude::*;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Buckets that are encoded at once: at most 64 MiB wait to be written.
const BATCH: usize = 256;

/// Less than this isn't worth being written away.
const MIN_DEAD_LEN: u64 = 1 << 20;

/// Why changes can't be saved. The journal has what it had before, and can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file refuses bytes, or gives none back.
    #[error("can't write: {0}")]
    Write(#[from] io::Error),
    /// What shows where an edit was undone can't be read.
    #[error("can't read: {0}")]
    Read(#[from] ChunkError),
    /// A list of segments beyond 4 GiB, or a bucket of no mag or class.
    #[error("{0} can't be saved")]
    Unfit(&'static str),
}

/// A journal that is written; `F` is its file.
#[derive(Debug)]
pub struct Journal<F> {
    file: F,
    /// Up to the last commit.
    len: u64,
    index: Index,
}

impl<F: Read + Write + Seek> Journal<F> {
    /// Begins a journal in an empty file: what it belongs to, and the first changes.
    ///
    /// # Errors
    /// If they can't be saved.
    pub fn begin(mut file: F, about: &[u8], changes: &Changes) -> Result<Self, JournalError> {
        file.write_all(&MAGIC)?;
        let mut journal = Self { file, len: MAGIC.len() as u64, index: Index::default() };
        journal.commit(|adding| {
            adding.add(Key::About, Kind::About, &[about])?;
            adding.changes(changes)
        })?;
        Ok(journal)
    }

    /// Adds what changed since the last time, whole or, if the program is killed meanwhile, not at all.
    ///
    /// # Errors
    /// If it can't be saved.
    pub fn append(&mut self, changes: &Changes) -> Result<(), JournalError> {
        self.commit(|adding| adding.changes(changes))
    }

    /// Whether most of the file doesn't count any more.
    pub const fn is_mostly_dead(&self) -> bool {
        let dead = self.len.saturating_sub(self.index.live_len);
        dead > MIN_DEAD_LEN && dead > self.index.live_len
    }

    /// The same journal without what doesn't count, in another file, which is empty.
    ///
    /// # Errors
    /// If this one can't be read, or the other one be written.
    pub fn compacted<G: Read + Write + Seek>(&mut self, mut to: G) -> Result<Journal<G>, JournalError> {
        to.write_all(&MAGIC)?;
        let mut journal = Journal { file: to, len: MAGIC.len() as u64, index: Index::default() };
        let mut live: Vec<(&Key, Place)> = self.index.places.iter().map(|(key, place)| (key, *place)).collect();
        live.sort_unstable_by_key(|(_, place)| place.start);
        let from = &mut self.file;
        journal.commit(|adding| live.iter().try_for_each(|(key, place)| adding.copy(key, *place, from)))?;
        Ok(journal)
    }

    /// The file.
    pub const fn file(&self) -> &F {
        &self.file
    }

    /// Goes on in what becomes of the file: the same bytes.
    ///
    /// # Errors
    /// If `change` fails.
    pub fn moved<G>(self, change: impl FnOnce(F) -> io::Result<G>) -> io::Result<Journal<G>> {
        Ok(Journal { file: change(self.file)?, len: self.len, index: self.index })
    }

    fn commit(&mut self, add: impl FnOnce(&mut Adding<&mut F>) -> Result<(), JournalError>) -> Result<(), JournalError> {
        self.file.seek(SeekFrom::Start(self.len))?;
        let mut adding = Adding { out: BufWriter::with_capacity(1 << 18, &mut self.file), len: self.len, added: Vec::new() };
        add(&mut adding)?;
        let count = u32::try_from(adding.added.len()).map_err(|_| JournalError::Unfit("so many changes"))?;
        adding.record(Kind::Commit, &[&count.to_le_bytes()])?;
        adding.out.flush()?;
        self.len = adding.len;
        adding.added.into_iter().for_each(|(key, place)| self.index.put(key, place));
        Ok(())
    }
}

/// Records that are written before their commit.
struct Adding<W: Write> {
    out: BufWriter<W>,
    len: u64,
    added: Vec<(Key, Option<Place>)>,
}

impl<W: Write> Adding<W> {
    fn changes(&mut self, changes: &Changes) -> Result<(), JournalError> {
        for (volume, changes) in (0..).zip(&changes.0) {
            self.list(volume, changes)?;
            for batch in changes.buckets.chunks(BATCH) {
                let encoded = batch.par_iter().map(|change| encoded(volume, changes, change)).collect::<Result<Vec<_>, _>>()?;
                for (key, start, block) in encoded {
                    let place = self.record(Kind::Bucket, &[&start, &block])?;
                    self.added.push((Key::Bucket(key), (!block.is_empty()).then_some(place)));
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, volume: u32, changes: &VolumeChanges) -> Result<(), JournalError> {
        let Some(list) = &changes.list else { return Ok(()) };
        let mut text = Vec::new();
        // What XML can't hold of names is told when they are exported.
        let _lost = write_with_volumes(&Nml::new(NewNml::default()), std::slice::from_ref(list), &mut text)?;
        self.add(Key::List { volume }, Kind::List, &[&volume.to_le_bytes(), &text])
    }

    fn add(&mut self, key: Key, kind: Kind, content: &[&[u8]]) -> Result<(), JournalError> {
        let place = self.record(kind, content)?;
        self.added.push((key, Some(place)));
        Ok(())
    }

    fn record(&mut self, kind: Kind, content: &[&[u8]]) -> Result<Place, JournalError> {
        let head = Head::of(kind, content).ok_or(JournalError::Unfit("so long a list"))?;
        self.out.write_all(&head.to_bytes())?;
        content.iter().try_for_each(|part| self.out.write_all(part))?;
        let place = Place { start: self.len, len: HEAD_LEN as u64 + u64::from(head.len) };
        self.len += place.len;
        Ok(place)
    }

    fn copy(&mut self, key: &Key, place: Place, from: &mut (impl Read + Seek)) -> Result<(), JournalError> {
        from.seek(SeekFrom::Start(place.start))?;
        if io::copy(&mut from.take(place.len), &mut self.out)? != place.len {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.added.push((key.clone(), Some(Place { start: self.len, len: place.len })));
        self.len += place.len;
        Ok(())
    }
}

/// A bucket as it is now: key, beginning of the record's content, and the rest of it.
fn encoded(volume: u32, changes: &VolumeChanges, change: &BucketChange) -> Result<(BucketKey, Vec<u8>, Vec<u8>), JournalError> {
    let level = changes.levels.get(change.level).ok_or(JournalError::Unfit("a bucket of no mag"))?;
    let voxels = match (&change.voxels, changes.base) {
        (Some(voxels), _) => Some(voxels.clone()),
        (None, Base::Opened) => None,
        // The exported file has the edits that were undone since.
        (None, Base::Exported) => Some(level.read_unedited(&change.at)?.0),
    };
    let key = BucketKey { volume, mag: level.mag, class: level.base.class, at: change.at.clone() };
    let start = key.to_bytes().ok_or(JournalError::Unfit("a bucket of this class"))?;
    Ok((key, start, voxels.map_or_else(Vec::new, |voxels| lz4::encode(voxels.bytes()))))
}
