//! [`ZarrStore`]: chunks and shards of a Zarr array as a [`ChunkStore`].

use super::keys::KeyFinder;
use super::metadata::ArrayMetadata;
use super::pipeline::{ElementForm, linear_index};
use super::shard_index::corrupt;
use crate::format::array::{
    ArrayIndexCache, ArrayMeta, ChunkStore, DecodedLayout, GridEntry, Index, IndexEntries, Names, NdVec, Remembered, ShardSpans,
    StoredChunk, list_all,
};
use crate::format::{ChunkFault, HeaderField, HeaderSection, ShardLayout, SpanState};
use crate::problem::{Problem, Problems};
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use std::sync::{Arc, Mutex, PoisonError};

/// One Zarr array, version 2 or 3.
pub struct ZarrStore {
    storage: Arc<dyn Storage>,
    metadata: ArrayMetadata,
    /// Where the metadata file lies.
    location: String,
    keys: KeyFinder,
    indices: Arc<ArrayIndexCache>,
    level: u64,
    warnings: Mutex<Problems>,
}

impl ZarrStore {
    /// An array whose files are in `storage`. Looks for a chunk or two if the separator of names could be wrong.
    pub fn new(storage: Arc<dyn Storage>, metadata: ArrayMetadata, location: String, indices: Arc<ArrayIndexCache>) -> Self {
        let keys = KeyFinder::new(storage.clone(), metadata.keys, metadata.meta.shape.len());
        let level = indices.next_level();
        let store = Self { storage, metadata, location, keys, indices, level, warnings: Mutex::default() };
        store.probe_separator();
        store
    }

    /// The array's metadata.
    pub const fn metadata(&self) -> &ArrayMetadata {
        &self.metadata
    }

    /// Looks for the first, the middle and the last chunk under both names.
    fn probe_separator(&self) {
        let grid = self.file_grid();
        let places: [fn(u64) -> u64; 3] = [|_| 0, |n| n / 2, |n| n.saturating_sub(1)];
        for place in places {
            let chunk = NdVec::from_fn(grid.len(), |d| place(grid[d]));
            if matches!(self.keys.find(&chunk), Ok(Some(_)) | Err(_)) {
                break;
            }
        }
        if self.keys.is_declared_wrong() {
            let (declared, found) = (self.metadata.keys.separator, self.keys.encoding().separator);
            let text = format!(
                "The separator in the names of chunks is {found:?}, the metadata say {declared:?}; the chunks that are there are read"
            );
            self.warnings.lock().unwrap_or_else(PoisonError::into_inner).warn(&self.location, text);
        }
    }

    /// Number of files along each dimension.
    fn file_grid(&self) -> NdVec {
        self.metadata.meta.shape.zip_with(&self.metadata.file_shape, u64::div_ceil)
    }

    fn element(&self) -> ElementForm<'_> {
        let meta = &self.metadata.meta;
        ElementForm { len: meta.class.byte_len(), fill: &meta.fill }
    }

    /// The index of a shard's file.
    fn file_index(&self, shard: &NdVec) -> Result<Option<Arc<Index>>, ChunkFault> {
        self.indices.get(&(self.level, *shard, 0), || {
            let Some((key, file_len)) = self.keys.find(shard)? else { return Ok(Remembered::Absent) };
            self.read_index(0, key, file_len, ByteRange { start: 0, len: file_len })
        })
    }

    /// Reads the index of a shard that takes a span of a file.
    fn read_index(&self, depth: usize, key: StorageKey, file_len: u64, shard: ByteRange) -> Result<Remembered, ChunkFault> {
        let Some(level) = self.metadata.shards.get(depth) else {
            return Err(ChunkFault::Internal("no shards at this depth".to_owned()));
        };
        let faulty = |fault| Ok(Remembered::Faulty(Arc::new(fault)));
        let format = level.sharded.index;
        let bytes = match format.byte_len(level.grid.product()).and_then(|len| format.range(len, shard)) {
            Ok(bytes) => bytes,
            Err(fault) => return faulty(fault),
        };
        let mut buffer = vec![0; usize::try_from(bytes.len).unwrap_or(0)]; // bounded by `byte_len`
        let got = self.storage.read_at(&key, bytes.start, &mut buffer).map_err(|err| ChunkFault::Storage(Arc::new(err)))?;
        if got != Some(buffer.len()) {
            return Err(ChunkFault::Truncated { file_len: bytes.start + got.unwrap_or(0) as u64, end: bytes.end() });
        }
        let (entries, is_damaged) = match format.parse(&buffer, shard, bytes) {
            Ok(parsed) => parsed,
            Err(fault) => return faulty(fault),
        };
        if is_damaged {
            let text = "The checksum of the shard index doesn't match, it is used as far as it can be true";
            self.warnings.lock().unwrap_or_else(PoisonError::into_inner).warn(self.storage.location(key.as_str()), text);
        }
        Ok(Remembered::Index(Arc::new(Index { key, file_len, bytes, entries: IndexEntries::Grid(entries) })))
    }

    /// What the indices say of a chunk, and its file.
    fn entry(&self, chunk: &NdVec) -> Result<Option<(Arc<Index>, GridEntry)>, ChunkFault> {
        let meta = &self.metadata.meta;
        let shard = chunk.zip_with(&meta.chunks_per_shard, |chunk, per_shard| chunk / per_shard);
        let Some(mut index) = self.file_index(&shard)? else { return Ok(None) };
        let mut inside = chunk.zip_with(&meta.chunks_per_shard, |chunk, per_shard| chunk % per_shard);
        let mut chunks_left = meta.chunks_per_shard;
        for (depth, level) in self.metadata.shards.iter().enumerate() {
            let per_cell = chunks_left.zip_with(&level.grid, |chunks, cells| chunks / cells);
            let cell = inside.zip_with(&per_cell, |chunk, per_cell| chunk / per_cell);
            inside = inside.zip_with(&per_cell, |chunk, per_cell| chunk % per_cell);
            chunks_left = per_cell;
            let number = usize::try_from(linear_index(&cell, &level.grid, &level.dims)).unwrap_or(usize::MAX);
            let entry = match &index.entries {
                IndexEntries::Grid(entries) => entries.get(number).copied(),
                IndexEntries::Ids(_) => None,
            };
            let entry = entry.ok_or_else(|| corrupt(format!("it has no entry {number}")))?;
            let range = match entry {
                GridEntry::At(range) if depth + 1 < self.metadata.shards.len() && range.len > 0 => range,
                GridEntry::At(_) | GridEntry::Absent | GridEntry::Corrupt(_) => return Ok(Some((index, entry))),
            };
            let (key, file_len) = (index.key.clone(), index.file_len);
            // Nested shards are told apart by where they start.
            let read = || self.read_index(depth + 1, key, file_len, range);
            let nested = self.indices.get(&(self.level, shard, range.start + 1), read)?;
            index = nested.ok_or_else(|| ChunkFault::Internal("a nested shard is absent".to_owned()))?;
        }
        Err(ChunkFault::Internal("an array without shards".to_owned()))
    }
}

/// A fault that tells why an entry can't be true.
fn untrue(range: ByteRange, index: &Index) -> ChunkFault {
    if range.end() > index.file_len || range.start.checked_add(range.len).is_none() {
        return corrupt(format!("the chunk is said to be at bytes {range}, beyond the end of file at {}", index.file_len));
    }
    corrupt(format!("the chunk is said to be at bytes {range}, which overlap the index or another chunk"))
}

impl ChunkStore for ZarrStore {
    fn meta(&self) -> &ArrayMeta {
        &self.metadata.meta
    }

    fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    fn codec_name(&self) -> Option<&'static str> {
        match &self.metadata.pipeline {
            Ok(pipeline) => match pipeline.bytes.codecs() {
                [] if matches!(pipeline.elements, super::pipeline::Elements::Sharded(_)) => Some("shard"),
                [] => None,
                [first, ..] => Some(first.name()),
            },
            Err(_) => Some("unknown"),
        }
    }

    fn locate(&self, chunk: &NdVec) -> Result<Option<StoredChunk>, ChunkFault> {
        if self.metadata.shards.is_empty() {
            let found = self.keys.find(chunk)?;
            return Ok(found.map(|(key, len)| StoredChunk { key, range: ByteRange { start: 0, len } }));
        }
        match self.entry(chunk)? {
            None | Some((_, GridEntry::Absent)) => Ok(None),
            Some((index, GridEntry::At(range))) => Ok(Some(StoredChunk { key: index.key.clone(), range })),
            Some((index, GridEntry::Corrupt(range))) => Err(untrue(range, &index)),
        }
    }

    fn all_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Option<Vec<NdVec>>, StorageError> {
        let names = Names { rank: self.metadata.meta.shape.len(), has_prefix: self.keys.encoding().has_prefix, wanted };
        list_all(self.storage.as_ref(), &names, limit)
    }

    fn is_absent(&self, shard: &NdVec) -> bool {
        !self.metadata.shards.is_empty() && matches!(self.file_index(shard), Ok(None))
    }

    fn layout(&self, _: &NdVec, _: &[u8]) -> Result<DecodedLayout, ChunkFault> {
        let meta = &self.metadata.meta;
        let pipeline = self.metadata.pipeline.as_ref().map_err(|err| ChunkFault::Unsupported(err.to_string()))?;
        let too_large =
            || ChunkFault::TooLarge { bytes: meta.chunk_shape.product().unwrap_or(u64::MAX).saturating_mul(meta.class.byte_len() as u64) };
        pipeline.layout(&meta.chunk_shape, meta.class.byte_len()).ok_or_else(too_large)
    }

    fn decode(&self, _: &NdVec, stored: &[u8], layout: &DecodedLayout, out: &mut [u8]) -> Result<bool, ChunkFault> {
        let pipeline = self.metadata.pipeline.as_ref().map_err(|err| ChunkFault::Unsupported(err.to_string()))?;
        pipeline.decode(stored, layout, self.element(), out)
    }

    fn shard_key(&self, shard: &NdVec) -> StorageKey {
        self.keys.encoding().key(shard)
    }

    fn shard_spans(&self, shard: &NdVec) -> Result<Option<ShardSpans>, ChunkFault> {
        let meta = &self.metadata.meta;
        if self.metadata.shards.is_empty() {
            let Some((key, file_len)) = self.keys.find(shard)? else { return Ok(None) };
            let spans = vec![(*shard, SpanState::Present(ByteRange { start: 0, len: file_len }))];
            return Ok(Some(ShardSpans { key, file_len, index_len: 0, spans, left_out: 0 }));
        }
        let Some(index) = self.file_index(shard)? else { return Ok(None) };
        let count = meta.chunks_per_shard.product().unwrap_or(u64::MAX);
        let listed = count.min(ShardLayout::MAX_SPANS as u64);
        let first = shard.zip_with(&meta.chunks_per_shard, |shard, per_shard| shard * per_shard);
        let mut spans = Vec::new();
        for mut number in 0..listed {
            let mut chunk = first;
            for d in (0..chunk.len()).rev() {
                chunk[d] += number % meta.chunks_per_shard[d];
                number /= meta.chunks_per_shard[d];
            }
            let state = match self.entry(&chunk) {
                Ok(None | Some((_, GridEntry::Absent))) => SpanState::Empty,
                Ok(Some((_, GridEntry::At(range)))) if range.len == 0 => SpanState::Empty,
                Ok(Some((_, GridEntry::At(range)))) => SpanState::Present(range),
                Ok(Some((_, GridEntry::Corrupt(_)))) | Err(_) => SpanState::Corrupt,
            };
            spans.push((chunk, state));
        }
        Ok(Some(ShardSpans {
            key: index.key.clone(),
            file_len: index.file_len,
            index_len: index.bytes.len,
            spans,
            left_out: count - listed,
        }))
    }

    fn find_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Vec<NdVec>, StorageError> {
        self.keys.list(&self.file_grid(), limit, wanted)
    }

    fn report(&self) -> Vec<HeaderSection> {
        let mut fields = self.metadata.fields.clone();
        let chain = match &self.metadata.pipeline {
            Ok(pipeline) => pipeline.names(),
            Err(err) => err.to_string(),
        };
        fields.push(HeaderField::new("chunk codecs", "", chain, "what a chunk goes through when it is written"));
        if let Some(level) = self.metadata.shards.first() {
            let place = if level.sharded.index.is_at_start { "at the start" } else { "at the end" };
            let sums = match level.sharded.index.checksums {
                0 => "no checksum".to_owned(),
                1 => "one checksum".to_owned(),
                n => format!("{n} checksums"),
            };
            let chunks = self.metadata.meta.chunks_per_shard;
            fields.push(HeaderField::new(
                "shard index",
                "",
                format!("{place} of each shard, {sums}"),
                format!("{chunks} chunks in a shard"),
            ));
        }
        let example = self.keys.encoding().key(&NdVec::zeros(self.metadata.meta.shape.len()));
        fields.push(HeaderField::new("first file", "", example.as_str(), "name of the first chunk or shard"));
        let title = if self.metadata.format == crate::format::DataFormat::Zarr { ".zarray" } else { "zarr.json" };
        vec![HeaderSection { title: title.to_owned(), location: self.location.clone(), fields }]
    }

    fn forget(&self) {
        self.indices.forget(self.level);
    }

    fn take_warnings(&self) -> Vec<Problem> {
        let taken = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        taken.iter().cloned().collect()
    }
}
