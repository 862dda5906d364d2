//! [`Shards`]: the files of a sharded scale: a table of minishards, their indices, and where each chunk lies.
//!
//! Specification: <https://github.com/google/neuroglancer/blob/master/src/datasource/precomputed/sharded.md>. The
//! obsolete pair of `.index` and `.data` is read too: one after the other they are what `.shard` is.

use super::sharding::{Place, Sharding};
use crate::codec::Codec;
use crate::format::ChunkFault;
use crate::format::array::{ArrayIndexCache, GridEntry, Index, IndexEntries, NdVec, Remembered, StoredChunk};
use crate::problem::Problems;
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A table up to this length is read at once; of a longer one only the entry that is needed.
const MAX_TABLE_BYTES: u64 = 1 << 20;

/// Longest minishard index, stored or decompressed.
const MAX_INDEX_BYTES: u64 = 64 << 20;

/// Minishard indices that are read to find some chunks.
const MAX_INDICES_FOUND: usize = 1024;

/// Files in the folder beside shards that are looked past.
const MAX_OTHER_FILES: usize = 1024;

/// Bytes of an entry of the table.
const ENTRY_LEN: u64 = 16;

const TABLE: &str = "shard index";
const MINISHARD: &str = "minishard index";

/// Shard files of one scale.
pub struct Shards {
    storage: Arc<dyn Storage>,
    cache: Arc<ArrayIndexCache>,
    level: u64,
    sharding: Sharding,
    /// Whether a pair of `.index` and `.data` was found.
    has_pairs: AtomicBool,
}

/// The file or files of a shard.
struct Files {
    /// Holds the table.
    table: StorageKey,
    /// Holds the rest.
    data: StorageKey,
    /// Length of `data`.
    data_len: u64,
    /// Where in `data` the table ends, which positions count from.
    base: u64,
}

impl Shards {
    /// Shards in a scale's folder.
    pub fn new(storage: Arc<dyn Storage>, cache: Arc<ArrayIndexCache>, sharding: Sharding) -> Self {
        let level = cache.next_level();
        Self { storage, cache, level, sharding, has_pairs: AtomicBool::new(false) }
    }

    /// The parameters.
    pub const fn sharding(&self) -> &Sharding {
        &self.sharding
    }

    /// The file that holds a chunk, or would hold it.
    pub fn key(&self, chunk_id: u64) -> Option<StorageKey> {
        let place = self.sharding.place(chunk_id)?;
        let ending = if self.has_pairs.load(Ordering::Relaxed) { "data" } else { "shard" };
        StorageKey::new(format!("{}.{ending}", self.sharding.shard_name(place.shard)))
    }

    /// Where a chunk is stored; `None` if it isn't.
    ///
    /// # Errors
    /// If the index can't be read, or what it says of the chunk can't be true.
    pub fn locate(&self, chunk_id: u64) -> Result<Option<StoredChunk>, ChunkFault> {
        let Some(index) = self.index(chunk_id)? else { return Ok(None) };
        let Some(range) = find(&index, chunk_id) else { return Ok(None) };
        Ok(Some(StoredChunk { key: index.key.clone(), range: checked(range, index.file_len)? }))
    }

    /// The minishard index that would list a chunk; `None` if there is none.
    ///
    /// # Errors
    /// If it can't be read or used.
    pub fn index(&self, chunk_id: u64) -> Result<Option<Arc<Index>>, ChunkFault> {
        match (self.sharding.place(chunk_id), &self.sharding.hash) {
            (Some(place), _) => self.minishard(place),
            (None, Err(name)) => {
                let reason = format!("the hash {} is not known (identity, murmurhash3_x86_128)", super::info::short(name));
                Err(ChunkFault::Index { index: TABLE, reason })
            }
            (None, Ok(_)) => Err(ChunkFault::Internal("a known hash has no place".to_owned())),
        }
    }

    /// Ids of some stored chunks, at most `limit`. Shards that can't be read become problems.
    ///
    /// # Errors
    /// If the folder can't be listed.
    pub fn find_ids(&self, limit: usize, problems: &mut Problems) -> Result<Vec<u64>, StorageError> {
        let files = self.storage.list("", limit.saturating_add(MAX_OTHER_FILES))?.unwrap_or_default();
        let shard_of = |name: &str| {
            let (name, ending) = name.split_once('.')?;
            matches!(ending, "shard" | "index").then(|| self.sharding.shard_from_name(name))?
        };
        let mut shards: Vec<u64> = files.iter().filter_map(|file| shard_of(&file.name)).collect();
        shards.sort_unstable();
        shards.dedup();
        let mut ids = Vec::new();
        let mut indices_left = MAX_INDICES_FOUND;
        for shard in shards {
            if let Err(fault) = self.add_ids(shard, limit, &mut indices_left, &mut ids) {
                let name = self.sharding.shard_name(shard);
                problems.warn(self.storage.location(&format!("{name}.shard")), format!("Can't look for chunks in a shard: {fault}"));
            }
            if ids.len() >= limit || indices_left == 0 {
                break;
            }
        }
        Ok(ids)
    }

    fn add_ids(&self, shard: u64, limit: usize, indices_left: &mut usize, ids: &mut Vec<u64>) -> Result<(), ChunkFault> {
        let Some(table) = self.table(shard)? else { return Ok(()) };
        let IndexEntries::Grid(entries) = &table.entries else { return Ok(()) };
        for (minishard, _) in (0..).zip(entries).filter(|(_, entry)| **entry != GridEntry::Absent) {
            if ids.len() >= limit || *indices_left == 0 {
                return Ok(());
            }
            *indices_left -= 1;
            let Some(index) = self.minishard(Place { shard, minishard })? else { continue };
            if let IndexEntries::Ids(found) = &index.entries {
                ids.extend(found.iter().map(|(id, _)| *id).take(limit - ids.len()));
            }
        }
        Ok(())
    }

    /// Forgets all indices.
    pub fn forget(&self) {
        self.cache.forget(self.level);
    }

    fn cached(&self, shard: u64, at: u64, read: impl FnOnce() -> Result<Remembered, ChunkFault>) -> Result<Option<Arc<Index>>, ChunkFault> {
        let shard = NdVec::from_fn(1, |_| shard);
        self.cache.get(&(self.level, shard, at), read)
    }

    fn files(&self, shard: u64) -> Result<Option<Files>, ChunkFault> {
        let name = self.sharding.shard_name(shard);
        let key = |ending: &str| {
            StorageKey::new(format!("{name}.{ending}")).ok_or_else(|| ChunkFault::Internal("a shard without a name".to_owned()))
        };
        let len = |key: &StorageKey| self.storage.len(key).map_err(|err| ChunkFault::Storage(Arc::new(err)));
        let table_len = self.sharding.table_len();
        let too_short = |file_len| corrupt(TABLE, format!("the file has {file_len} bytes, the shard index alone takes {table_len}"));
        let whole = key("shard")?;
        if let Some(file_len) = len(&whole)? {
            if file_len < table_len {
                return Err(too_short(file_len));
            }
            return Ok(Some(Files { table: whole.clone(), data: whole, data_len: file_len, base: table_len }));
        }
        let (table, data) = (key("index")?, key("data")?);
        let Some(file_len) = len(&table)? else { return Ok(None) };
        self.has_pairs.store(true, Ordering::Relaxed);
        if file_len != table_len {
            return Err(too_short(file_len));
        }
        let data_len = len(&data)?.ok_or_else(|| corrupt(TABLE, format!("{table} is there, {data} is missing")))?;
        Ok(Some(Files { table, data, data_len, base: 0 }))
    }

    /// The table of a shard, or its first page.
    fn table(&self, shard: u64) -> Result<Option<Arc<Index>>, ChunkFault> {
        self.cached(shard, 0, || {
            let files = match self.files(shard) {
                Ok(Some(files)) => files,
                Ok(None) => return Ok(Remembered::Absent),
                Err(fault) => return remembered(fault),
            };
            let bytes = ByteRange { start: 0, len: self.sharding.table_len().min(MAX_TABLE_BYTES) };
            let table = self.read(&files.table, bytes)?;
            let entries = table.as_chunks().0.iter().map(|entry| files.minishard_range(entry)).collect();
            let Files { data: key, data_len: file_len, .. } = files;
            Ok(Remembered::Index(Arc::new(Index { key, file_len, bytes, entries: IndexEntries::Grid(entries) })))
        })
    }

    fn minishard(&self, place: Place) -> Result<Option<Arc<Index>>, ChunkFault> {
        let Place { shard, minishard } = place;
        // Below 2^59, so that it can be counted from 1; 0 is the table.
        self.cached(shard, minishard + 1, || {
            let (files, entry) = match self.entry(place) {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(Remembered::Absent),
                Err(fault) => return remembered(fault),
            };
            match self.read_minishard(&files, entry, minishard) {
                Ok(found) => Ok(found),
                Err(fault) => remembered(fault),
            }
        })
    }

    /// What the table says of a minishard.
    fn entry(&self, place: Place) -> Result<Option<(Files, GridEntry)>, ChunkFault> {
        let table_len = self.sharding.table_len();
        if table_len > MAX_TABLE_BYTES {
            let Some(files) = self.files(place.shard)? else { return Ok(None) };
            let bytes = self.read(&files.table, ByteRange { start: place.minishard * ENTRY_LEN, len: ENTRY_LEN })?;
            let entry = bytes.first_chunk().map_or(GridEntry::Absent, |entry| files.minishard_range(entry));
            return Ok(Some((files, entry)));
        }
        let Some(table) = self.table(place.shard)? else { return Ok(None) };
        let IndexEntries::Grid(entries) = &table.entries else { return Ok(None) };
        let entry = usize::try_from(place.minishard).ok().and_then(|at| entries.get(at));
        let is_pair = table.key.as_str().ends_with(".data");
        let (key, data_len, base) = (table.key.clone(), table.file_len, if is_pair { 0 } else { table_len });
        let files = Files { table: key.clone(), data: key, data_len, base };
        Ok(entry.map(|entry| (files, *entry)))
    }

    fn read_minishard(&self, files: &Files, entry: GridEntry, minishard: u64) -> Result<Remembered, ChunkFault> {
        let range = match entry {
            GridEntry::Absent => return Ok(Remembered::Absent),
            GridEntry::At(range) => range,
            GridEntry::Corrupt(range) => {
                let reason = format!("minishard {minishard} has its index at bytes {range} of {}", files.data_len);
                return Err(corrupt(TABLE, reason));
            }
        };
        if range.len > MAX_INDEX_BYTES {
            return Err(corrupt(MINISHARD, format!("{} bytes, at most {MAX_INDEX_BYTES} can be read", range.len)));
        }
        let stored = self.read(&files.data, range)?;
        let plain = match self.sharding.has_gzip_indices {
            false => stored,
            true => {
                let limit = usize::try_from(MAX_INDEX_BYTES).unwrap_or(usize::MAX);
                let (plain, is_damaged) = Codec::Gzip.decode(&stored, limit).map_err(|err| corrupt(MINISHARD, err.to_string()))?;
                if is_damaged {
                    return Err(corrupt(MINISHARD, "its checksum doesn't match".to_owned()));
                }
                plain
            }
        };
        let entries = parse_minishard(&plain, files.base).map_err(|reason| corrupt(MINISHARD, reason))?;
        let index = Index { key: files.data.clone(), file_len: files.data_len, bytes: range, entries: IndexEntries::Ids(entries) };
        Ok(Remembered::Index(Arc::new(index)))
    }

    /// Bytes of a file; callers have bounded their number.
    fn read(&self, key: &StorageKey, range: ByteRange) -> Result<Vec<u8>, ChunkFault> {
        let mut bytes = vec![0; usize::try_from(range.len).unwrap_or(0)];
        match self.storage.read_at(key, range.start, &mut bytes) {
            Ok(Some(len)) if len == bytes.len() => Ok(bytes),
            Ok(len) => Err(ChunkFault::Truncated { file_len: range.start + len.unwrap_or(0) as u64, end: range.end() }),
            Err(err) => Err(ChunkFault::Storage(Arc::new(err))),
        }
    }
}

impl Files {
    /// Bytes of a minishard's index in `data`, by its entry of the table.
    fn minishard_range(&self, entry: &[u8; ENTRY_LEN as usize]) -> GridEntry {
        let (numbers, _) = entry.as_chunks();
        let [start, end] = [0, 1].map(|i: usize| numbers.get(i).map_or(0, |bytes| u64::from_le_bytes(*bytes)));
        if start == end {
            return GridEntry::Absent;
        }
        let range = ByteRange { start: start.saturating_add(self.base), len: end.saturating_sub(start) };
        match start < end && range.end() <= self.data_len {
            true => GridEntry::At(range),
            false => GridEntry::Corrupt(range),
        }
    }
}

/// A minishard index by its bytes: rows of ids, of offsets and of lengths, u64 each. Ranges count from the start of
/// the file that holds the chunks; what can't be true begins at `u64::MAX`.
fn parse_minishard(bytes: &[u8], base: u64) -> Result<Vec<(u64, ByteRange)>, String> {
    if !bytes.len().is_multiple_of(24) {
        return Err(format!("{} bytes are not three rows of 8-byte numbers", bytes.len()));
    }
    let (numbers, _) = bytes.as_chunks();
    let count = numbers.len() / 3;
    let row = |row: usize| numbers.iter().skip(row * count).take(count).map(|bytes| u64::from_le_bytes(*bytes));
    let (mut id, mut end) = (0_u64, 0_u64);
    let mut entries = Vec::with_capacity(count);
    for ((id_step, gap), len) in row(0).zip(row(1)).zip(row(2)) {
        // Differences may be negative, in two's complement.
        id = id.wrapping_add(id_step);
        let start = end.wrapping_add(gap);
        end = start.wrapping_add(len);
        let is_before_data = i64::try_from(start).is_err();
        let start = if is_before_data { u64::MAX } else { start.saturating_add(base) };
        entries.push((id, ByteRange { start, len }));
    }
    entries.sort_by_key(|(id, _)| *id);
    match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(format!("chunk number {} is listed twice", pair[0].0)),
        None => Ok(entries),
    }
}

/// The bytes of a chunk by a minishard index.
pub fn find(index: &Index, chunk_id: u64) -> Option<ByteRange> {
    let IndexEntries::Ids(entries) = &index.entries else { return None };
    let at = entries.binary_search_by_key(&chunk_id, |(id, _)| *id).ok()?;
    entries.get(at).map(|(_, range)| *range)
}

/// A range that lies in its file.
pub fn checked(range: ByteRange, file_len: u64) -> Result<ByteRange, ChunkFault> {
    if range.start == u64::MAX {
        return Err(corrupt(MINISHARD, "the chunk begins before the data do, inside the shard index".to_owned()));
    }
    match range.end() <= file_len {
        true => Ok(range),
        false => Err(ChunkFault::Truncated { file_len, end: range.end() }),
    }
}

fn corrupt(index: &'static str, reason: String) -> ChunkFault {
    ChunkFault::Index { index, reason }
}

/// What is wrong with the file is remembered, what went wrong in reading it is not.
fn remembered(fault: ChunkFault) -> Result<Remembered, ChunkFault> {
    match fault {
        ChunkFault::Storage(_) | ChunkFault::Internal(_) => Err(fault),
        ChunkFault::ShardHeader(_)
        | ChunkFault::Index { .. }
        | ChunkFault::Truncated { .. }
        | ChunkFault::Decode(_)
        | ChunkFault::TooLarge { .. }
        | ChunkFault::Unsupported(_)
        | ChunkFault::Oversized { .. } => Ok(Remembered::Faulty(Arc::new(fault))),
    }
}

#[cfg(test)]
mod tests;
