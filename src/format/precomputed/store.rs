//! [`PrecomputedStore`]: one scale as an array of x, y, z and channel, each chunk a file or a part of a shard file.

use super::chunk_names::ChunkNames;
use super::encoding::{Encoding, Wrapping};
use super::info::Scale;
use super::shard::{Shards, checked, find};
use crate::codec::DecodeError;
use crate::format::array::{ArrayIndexCache, ArrayMeta, ChunkStore, DecodedLayout, NdVec, ShardSpans, StoredChunk};
use crate::format::{ChunkFault, HeaderSection, MAX_CHUNK_BYTES, SpanState};
use crate::geometry::{compressed_morton_decode, compressed_morton_encode};
use crate::problem::{Problem, Problems};
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use crate::voxel::ElementClass;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Files in the folder beside chunks that are looked past.
const MAX_OTHER_FILES: usize = 1024;

/// A scale of a volume.
pub struct PrecomputedStore {
    storage: Arc<dyn Storage>,
    meta: ArrayMeta,
    names: ChunkNames,
    encoding: Encoding,
    /// `None` for one file per chunk.
    shards: Option<Shards>,
    /// Whether chunk files with the ending `.gz` were found.
    has_gz_names: AtomicBool,
    /// A suffix of names that was found and isn't supported, with what it stands for.
    other_suffix: OnceLock<(&'static str, &'static str)>,
    /// Absent chunks that were looked for under such names.
    absent_looked_at: AtomicU32,
    report: Vec<HeaderSection>,
    warnings: Mutex<Problems>,
}

/// What a volume says of all its scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeType {
    /// `data_type`.
    pub class: ElementClass,
    /// `num_channels`.
    pub channels: u64,
}

impl PrecomputedStore {
    /// A scale whose files are in `storage`.
    pub fn new(
        storage: Arc<dyn Storage>,
        volume: VolumeType,
        scale: &Scale,
        report: Vec<HeaderSection>,
        cache: &Arc<ArrayIndexCache>,
    ) -> Self {
        let VolumeType { class, channels } = volume;
        let mut chunk_shape = scale.chunk_shape;
        let with_channels = |[x, y, z]: [u64; 3]| NdVec::from_fn(4, |d| [x, y, z, channels][d]);
        let is_readable = |shape: [u64; 3]| {
            let bytes = with_channels(shape).product().and_then(|n| n.checked_mul(class.byte_len() as u64));
            bytes.is_some_and(|bytes| bytes <= MAX_CHUNK_BYTES as u64)
        };
        if !is_readable(chunk_shape) {
            // A chunk that is longer than the scale is stored clipped, so it may be no larger than others.
            chunk_shape = std::array::from_fn(|axis| chunk_shape[axis].min(scale.shape[axis].max(1)));
        }
        let meta = ArrayMeta {
            shape: with_channels(scale.shape),
            chunk_shape: with_channels(chunk_shape),
            chunks_per_shard: NdVec::from_fn(4, |_| 1),
            class,
            fill: vec![0; class.byte_len()],
        };
        let names = ChunkNames { offset: scale.offset, shape: scale.shape, chunk_shape };
        let shards = scale.sharding.clone().map(|sharding| Shards::new(storage.clone(), cache.clone(), sharding));
        let encoding = scale.encoding.clone();
        Self {
            storage,
            meta,
            names,
            encoding,
            shards,
            has_gz_names: AtomicBool::new(false),
            other_suffix: OnceLock::new(),
            absent_looked_at: AtomicU32::new(0),
            report,
            warnings: Mutex::default(),
        }
    }

    fn wrapping(&self) -> Wrapping {
        match &self.shards {
            None => Wrapping::Detected,
            Some(shards) if shards.sharding().has_gzip_data => Wrapping::Gzip,
            Some(_) => Wrapping::Plain,
        }
    }

    /// The number that a chunk has in shards.
    fn chunk_id(&self, chunk: &NdVec) -> Result<u64, ChunkFault> {
        let id = compressed_morton_encode(position(chunk), self.names.grid());
        id.ok_or_else(|| ChunkFault::Internal("a chunk outside of the grid".to_owned()))
    }

    /// Name of a chunk's own file.
    fn file_key(&self, chunk: &NdVec, has_gz_name: bool) -> Option<StorageKey> {
        let name = self.names.name(position(chunk));
        StorageKey::new(if has_gz_name { format!("{name}.gz") } else { name })
    }

    /// A chunk's own file and its length, under either name.
    fn find_file(&self, chunk: &NdVec) -> Result<Option<(StorageKey, u64)>, ChunkFault> {
        let gz_first = self.has_gz_names.load(Ordering::Relaxed);
        for has_gz_name in [gz_first, !gz_first] {
            let key = self.file_key(chunk, has_gz_name).ok_or_else(|| ChunkFault::Internal("a chunk without a name".to_owned()))?;
            if let Some(len) = self.storage.len_before_read(&key).map_err(|err| ChunkFault::Storage(Arc::new(err)))? {
                self.has_gz_names.store(has_gz_name, Ordering::Relaxed);
                return Ok(Some((key, len)));
            }
        }
        self.refuse_other_suffixes(chunk)?;
        Ok(None)
    }

    /// An error if an absent chunk is stored under a name whose compression isn't supported, so that such volumes aren't
    /// shown as empty. Looked at for the first absent chunks only: writers use one suffix for all.
    fn refuse_other_suffixes(&self, chunk: &NdVec) -> Result<(), ChunkFault> {
        const LOOKED_AT: u32 = 32;
        const SUFFIXES: [(&str, &str); 3] = [("br", "Brotli"), ("zstd", "Zstandard"), ("zst", "Zstandard")];
        let found = self.other_suffix.get();
        if found.is_none() && self.absent_looked_at.fetch_add(1, Ordering::Relaxed) >= LOOKED_AT {
            self.absent_looked_at.store(LOOKED_AT, Ordering::Relaxed);
            return Ok(());
        }
        for (suffix, name) in SUFFIXES.iter().filter(|suffix| found.is_none_or(|found| found == *suffix)) {
            let key = StorageKey::new(format!("{}.{suffix}", self.names.name(position(chunk))));
            let Some(key) = key else { continue };
            if self.storage.len(&key).map_err(|err| ChunkFault::Storage(Arc::new(err)))?.is_some() {
                let _ = self.other_suffix.set((*suffix, *name)); // another thread found the same
                return Err(ChunkFault::Unsupported(format!("it is stored as {key}: files compressed with {name} are not supported")));
            }
        }
        Ok(())
    }

    /// Whether stored bytes of this length can be the chunk: empty files were cut off, raw voxels have one length.
    fn check_len(&self, chunk: &NdVec, stored_len: u64) -> Result<(), ChunkFault> {
        let layout = self.layout(chunk, &[])?;
        let actual = usize::try_from(stored_len).unwrap_or(usize::MAX);
        let is_raw = self.codec_name().is_none();
        match actual == 0 || is_raw && actual != layout.byte_len {
            true => Err(DecodeError::WrongLength { expected: layout.byte_len, actual }.into()),
            false => Ok(()),
        }
    }

    fn find_files(&self, limit: usize) -> Result<Vec<[u64; 3]>, StorageError> {
        let files = self.storage.list("", limit.saturating_mul(2).saturating_add(MAX_OTHER_FILES))?.unwrap_or_default();
        let chunk = |name: &str| self.names.parse(name.strip_suffix(".gz").unwrap_or(name));
        let mut chunks: Vec<_> = files.iter().filter_map(|file| chunk(&file.name)).collect();
        chunks.sort_unstable();
        chunks.dedup();
        Ok(chunks)
    }
}

fn position(chunk: &NdVec) -> [u64; 3] {
    std::array::from_fn(|axis| chunk[axis])
}

impl ChunkStore for PrecomputedStore {
    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    fn codec_name(&self) -> Option<&'static str> {
        self.encoding.codec_name(self.wrapping())
    }

    fn locate(&self, chunk: &NdVec) -> Result<Option<StoredChunk>, ChunkFault> {
        let found = match &self.shards {
            Some(shards) => shards.locate(self.chunk_id(chunk)?)?,
            None => self.find_file(chunk)?.map(|(key, len)| StoredChunk { key, range: ByteRange { start: 0, len } }),
        };
        if let Some(found) = &found {
            self.check_len(chunk, found.range.len)?;
        }
        Ok(found)
    }

    fn is_absent(&self, shard: &NdVec) -> bool {
        // A look at a file of its own would cost as much as locating it.
        self.shards.is_some() && matches!(self.locate(shard), Ok(None))
    }

    fn layout(&self, chunk: &NdVec, _: &[u8]) -> Result<DecodedLayout, ChunkFault> {
        let [x, y, z] = self.names.clipped(position(chunk));
        let extent = NdVec::from_fn(4, |d| [x, y, z, self.meta.shape[3]][d]);
        let element_len = self.meta.class.byte_len();
        self.encoding.layout(extent, element_len).ok_or_else(|| {
            let bytes = extent.product().unwrap_or(u64::MAX).saturating_mul(element_len as u64);
            ChunkFault::TooLarge { bytes }
        })
    }

    fn decode(&self, _: &NdVec, stored: &[u8], layout: &DecodedLayout, out: &mut [u8]) -> Result<bool, ChunkFault> {
        Ok(self.encoding.decode(stored, self.wrapping(), layout, self.meta.class.byte_len(), out)?)
    }

    fn shard_key(&self, shard: &NdVec) -> StorageKey {
        let key = match &self.shards {
            Some(shards) => self.chunk_id(shard).ok().and_then(|id| shards.key(id)),
            None => self.file_key(shard, self.has_gz_names.load(Ordering::Relaxed)),
        };
        // Where the hash isn't known, any shard may hold the chunk.
        key.or_else(|| StorageKey::new("*.shard")).expect("a plain name is a key")
    }

    fn shard_len(&self, shard: &NdVec) -> Result<Option<u64>, StorageError> {
        let found = match &self.shards {
            // Its file holds many others: what counts is what the chunk takes.
            Some(_) => self.locate(shard).map(|found| found.map(|found| found.range.len)),
            None => self.find_file(shard).map(|found| found.map(|(_, len)| len)),
        };
        // Whatever else is wrong shows in the file's layout.
        found.or_else(|_| self.storage.len(&self.shard_key(shard)))
    }

    fn shard_spans(&self, shard: &NdVec) -> Result<Option<ShardSpans>, ChunkFault> {
        let state = |range: ByteRange| match self.check_len(shard, range.len) {
            Ok(()) => SpanState::Present(range),
            Err(_) => SpanState::Corrupt,
        };
        let Some(shards) = &self.shards else {
            let Some((key, file_len)) = self.find_file(shard)? else { return Ok(None) };
            let spans = vec![(*shard, state(ByteRange { start: 0, len: file_len }))];
            return Ok(Some(ShardSpans { key, file_len, index_len: 0, spans, left_out: 0 }));
        };
        let id = self.chunk_id(shard)?;
        let Some(index) = shards.index(id)? else { return Ok(None) };
        let Some(range) = find(&index, id) else { return Ok(None) };
        let state = checked(range, index.file_len).map_or(SpanState::Corrupt, state);
        Ok(Some(ShardSpans {
            key: index.key.clone(),
            file_len: index.file_len,
            index_len: shards.sharding().table_len().saturating_add(index.bytes.len),
            spans: vec![(*shard, state)],
            left_out: 0,
        }))
    }

    fn find_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Vec<NdVec>, StorageError> {
        let chunks = match &self.shards {
            None => self.find_files(limit)?,
            Some(shards) => {
                let mut found = Problems::default();
                let ids = shards.find_ids(limit, &mut found)?;
                self.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                ids.into_iter().filter_map(|id| compressed_morton_decode(id, self.names.grid())).collect()
            }
        };
        let all = chunks.into_iter().map(|[x, y, z]| NdVec::from_fn(4, |d| [x, y, z, 0][d]));
        Ok(all.filter(|chunk| chunk.iter().enumerate().all(|(d, at)| wanted(d, *at))).take(limit).collect())
    }

    fn report(&self) -> Vec<HeaderSection> {
        self.report.clone()
    }

    fn forget(&self) {
        if let Some(shards) = &self.shards {
            shards.forget();
        }
    }

    fn take_warnings(&self) -> Vec<Problem> {
        let taken = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        taken.iter().cloned().collect()
    }
}
