//! [`N5Store`]: one N5 array as a [`ChunkStore`].

use super::attributes::{ArrayAttributes, Attributes};
use super::block::BlockHeader;
use super::compression::Compression;
use super::report::array_section;
use crate::format::array::{ArrayMeta, ChunkStore, DecodedLayout, Names, NdVec, ShardSpans, StoredChunk, list_all};
use crate::format::{ChunkFault, HeaderSection, MAX_CHUNK_BYTES, SpanState};
use crate::problem::{Problem, Problems, Severity};
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use std::sync::{Arc, Mutex, PoisonError};

/// Entries of one folder that are looked at. Beyond it the extent of the data is only estimated.
const MAX_ENTRIES: usize = 1 << 16;

/// Folders that are listed beyond the number of blocks that are looked for.
const EXTRA_LISTINGS: usize = 1000;

/// One N5 array. Each block is a file of its own, so that a shard is one chunk.
pub struct N5Store {
    storage: Arc<dyn Storage>,
    array: ArrayAttributes,
    meta: ArrayMeta,
    sections: Vec<HeaderSection>,
    warnings: Mutex<Problems>,
}

impl N5Store {
    /// The array in a folder. `context` has the metadata of groups above, for people.
    pub fn new(storage: Arc<dyn Storage>, array: ArrayAttributes, attributes: &Attributes, context: &[HeaderSection]) -> Self {
        let meta = ArrayMeta {
            shape: array.shape,
            chunk_shape: array.block_shape,
            chunks_per_shard: NdVec::from_fn(array.shape.len(), |_| 1),
            class: array.class,
            fill: vec![0; array.class.byte_len()],
        };
        let sections = std::iter::once(array_section(attributes, &array)).chain(context.iter().cloned()).collect();
        Self { storage, array, meta, sections, warnings: Mutex::default() }
    }

    /// Adds a finding for [`ChunkStore::take_warnings`].
    pub fn warn(&self, severity: Severity, text: String, location: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).add(Problem { severity, text, location });
    }

    /// Decompresses as many elements as are stored into the start of `out`; returns their bytes, and whether they are damaged.
    fn decompress(&self, body: &[u8], out: &mut [u8]) -> Result<(usize, bool), ChunkFault> {
        match &self.array.compression {
            Compression::Unknown(name) => Err(ChunkFault::Unsupported(format!("the compression {name} is not supported"))),
            Compression::Known(chain) if chain.is_empty() => {
                let len = body.len().min(out.len());
                out[..len].copy_from_slice(&body[..len]);
                Ok((len, false))
            }
            Compression::Known(chain) => {
                let decoded = chain.decode_into(body, out)?;
                Ok((decoded.len.min(out.len()), decoded.is_damaged))
            }
        }
    }
}

/// Storage key of a block: the indices as decimal numbers, one folder each, in the order of `dimensions`.
fn block_key(block: &NdVec) -> StorageKey {
    let parts: Vec<String> = block.iter().map(u64::to_string).collect();
    StorageKey::new(parts.join("/")).expect("numbers make a clean key; arrays have at least one dimension")
}

impl ChunkStore for N5Store {
    fn meta(&self) -> &ArrayMeta {
        &self.meta
    }

    fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    fn codec_name(&self) -> Option<&'static str> {
        Some(self.array.compression.name())
    }

    fn locate(&self, chunk: &NdVec) -> Result<Option<StoredChunk>, ChunkFault> {
        let key = block_key(chunk);
        let len = self.storage.len_before_read(&key).map_err(|err| ChunkFault::Storage(Arc::new(err)))?;
        Ok(len.map(|len| StoredChunk { key, range: ByteRange { start: 0, len } }))
    }

    fn all_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Option<Vec<NdVec>>, StorageError> {
        list_all(self.storage.as_ref(), &Names { rank: self.meta.shape.len(), has_prefix: false, wanted }, limit)
    }

    fn is_absent(&self, _shard: &NdVec) -> bool {
        false // locating its only chunk costs as much as asking
    }

    fn layout(&self, _chunk: &NdVec, stored: &[u8]) -> Result<DecodedLayout, ChunkFault> {
        // Empty where nothing but the usual layout is asked for.
        let extent = if stored.is_empty() { self.array.block_shape } else { BlockHeader::parse(stored, &self.array.block_shape)?.extent };
        let slowest_first: Vec<usize> = (0..extent.len()).rev().collect();
        let element_len = self.meta.class.byte_len();
        DecodedLayout::dense(extent, &slowest_first, element_len, true, MAX_CHUNK_BYTES)
            .ok_or_else(|| ChunkFault::TooLarge { bytes: extent.product().unwrap_or(u64::MAX).saturating_mul(element_len as u64) })
    }

    fn decode(&self, chunk: &NdVec, stored: &[u8], _layout: &DecodedLayout, out: &mut [u8]) -> Result<bool, ChunkFault> {
        let header = BlockHeader::parse(stored, &self.array.block_shape)?;
        let (len, is_damaged) = self.decompress(stored.get(header.byte_len..).unwrap_or_default(), out)?;
        let element_len = self.meta.class.byte_len();
        let whole = len - len % element_len;
        out[whole..].fill(0);
        let expected = header.stored_elements.and_then(|n| usize::try_from(n).ok()?.checked_mul(element_len)).unwrap_or(out.len());
        if whole < expected {
            let key = block_key(chunk);
            let text = format!("Block {key} holds {len} of {expected} bytes, the rest is shown as 0");
            self.warn(Severity::Warning, text, self.storage.location(key.as_str()));
        }
        Ok(is_damaged)
    }

    fn shard_key(&self, shard: &NdVec) -> StorageKey {
        block_key(shard)
    }

    fn shard_spans(&self, shard: &NdVec) -> Result<Option<ShardSpans>, ChunkFault> {
        let key = block_key(shard);
        let Some(file_len) = self.storage.len(&key).map_err(|err| ChunkFault::Storage(Arc::new(err)))? else { return Ok(None) };
        let range = ByteRange { start: 0, len: file_len };
        let state = if file_len == 0 { SpanState::Empty } else { SpanState::Present(range) };
        Ok(Some(ShardSpans { key, file_len, index_len: 0, spans: vec![(*shard, state)], left_out: 0 }))
    }

    fn find_shards(&self, limit: usize, wanted: &dyn Fn(usize, u64) -> bool) -> Result<Vec<NdVec>, StorageError> {
        let mut search = Search { store: self, limit, wanted, listings_left: limit.saturating_add(EXTRA_LISTINGS), found: Vec::new() };
        search.look_into("", &mut NdVec::zeros(self.meta.shape.len()), 0)?;
        Ok(search.found)
    }

    fn report(&self) -> Vec<HeaderSection> {
        self.sections.clone()
    }

    fn forget(&self) {}

    fn take_warnings(&self) -> Vec<Problem> {
        let taken = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        taken.iter().cloned().collect()
    }
}

/// A search for stored blocks, folder by folder.
struct Search<'a> {
    store: &'a N5Store,
    limit: usize,
    wanted: &'a dyn Fn(usize, u64) -> bool,
    listings_left: usize,
    found: Vec<NdVec>,
}

impl Search<'_> {
    /// Looks at the entries of a folder, which are indices along `dimension`. The middle ones come first: that is
    /// where data usually is.
    fn look_into(&mut self, folder: &str, block: &mut NdVec, dimension: usize) -> Result<(), StorageError> {
        if self.listings_left == 0 {
            return Ok(());
        }
        self.listings_left -= 1;
        let is_last = dimension + 1 == block.len();
        for number in self.numbers(folder, dimension, !is_last)? {
            if self.found.len() >= self.limit {
                return Ok(());
            }
            if !(self.wanted)(dimension, number) {
                continue;
            }
            block[dimension] = number;
            if !is_last {
                let inner = if folder.is_empty() { number.to_string() } else { format!("{folder}/{number}") };
                self.look_into(&inner, block, dimension + 1)?;
            } else {
                self.found.push(*block);
            }
        }
        Ok(())
    }

    fn numbers(&self, folder: &str, dimension: usize, want_folders: bool) -> Result<Vec<u64>, StorageError> {
        let meta = &self.store.meta;
        let count = meta.shape[dimension].div_ceil(meta.chunk_shape[dimension]);
        let entries = self.store.storage.list(folder, MAX_ENTRIES)?.unwrap_or_default();
        let number = |name: &str| name.parse::<u64>().ok().filter(|n| n.to_string() == name && *n < count);
        let mut numbers: Vec<u64> =
            entries.iter().filter(|entry| entry.is_folder == want_folders).filter_map(|entry| number(&entry.name)).collect();
        numbers.sort_unstable();
        let middle = numbers.len() / 2;
        numbers.rotate_left(middle);
        Ok(numbers)
    }
}
