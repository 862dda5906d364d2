//! [`WkwSource`]: one WKW mag as a [`ChunkSource`].

use super::header::{BlockType, HEADER_FILE, HEADER_LEN, WkwHeader, WkwHeaderError};
use super::index_cache::{IndexKey, ShardHead, ShardIndexCache, ShardIndexEntry};
use super::jump_table::{JumpTablePage, PAGE_ENTRIES, corrupt};
use super::recover::{all_shards, find_shards, recover_header};
use crate::codec::lz4;
use crate::format::{
    ChunkEncoding, ChunkError, ChunkFault, ChunkLocation, ChunkSource, ChunkSpan, HeaderReport, HeaderSection, LevelError, MAX_CHUNK_BYTES,
    ShardLayout, SpanState,
};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Shape3, ShardIndex, Vec3Int, morton_decode, morton_encode};
use crate::problem::{Problem, Problems, Severity};
use crate::storage::{ByteRange, Storage, StorageError, StorageKey};
use crate::voxel::VoxelType;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// Furthest shard along an axis. Writers name shards by 32-bit numbers.
const MAX_SHARD: i64 = u32::MAX as i64;

/// File of a shard: `z1/y2/x3.wkw`. `None` for negative positions, which WKW can't store.
pub fn shard_key(shard: ShardIndex) -> Option<StorageKey> {
    let Vec3Int { x, y, z } = shard.0;
    (x >= 0 && y >= 0 && z >= 0).then(|| StorageKey::new(format!("z{z}/y{y}/x{x}.wkw"))).flatten()
}

/// The shard that a path ending in `z1/y2/x3.wkw` names.
pub fn shard_from_key(path: &str) -> Option<ShardIndex> {
    let mut parts = path.rsplit('/');
    let mut number = |prefix: &str, suffix: &str| -> Option<i64> {
        let digits = parts.next()?.strip_prefix(prefix)?.strip_suffix(suffix)?;
        digits.parse::<u32>().ok().filter(|n| n.to_string() == digits).map(i64::from)
    };
    let (x, y, z) = (number("x", ".wkw")?, number("y", "")?, number("z", "")?);
    Some(ShardIndex(Vec3Int::new(x, y, z)))
}

/// One WKW mag.
pub struct WkwSource {
    storage: Arc<dyn Storage>,
    header: WkwHeader,
    /// The bytes of `header.wkw`, or of the shard that stands in for it.
    header_bytes: [u8; HEADER_LEN],
    header_location: String,
    recovered_from: Option<String>,
    grid: ChunkGrid,
    fill: Vec<u8>,
    index: Arc<ShardIndexCache>,
    level: u64,
    warnings: Mutex<Problems>,
    /// The only file, for a shard that lies outside of a mag's folders.
    single_file: Option<StorageKey>,
}

impl WkwSource {
    /// Opens the mag in a folder by its `header.wkw`, or by a shard's header where that is lost.
    ///
    /// # Errors
    /// If there is no header, or a damaged one.
    pub fn open(storage: Arc<dyn Storage>, index: Arc<ShardIndexCache>) -> Result<Self, LevelError> {
        let location = storage.location(HEADER_FILE);
        let fail = |reason: String| LevelError { reason, location: location.clone() };
        let key = StorageKey::new(HEADER_FILE).ok_or_else(|| fail("internal error: header name".to_owned()))?;
        let mut bytes = [0; HEADER_LEN];
        match storage.read_at(&key, 0, &mut bytes) {
            Ok(Some(len)) => {
                let header = WkwHeader::parse(&bytes[..len]).map_err(|err| fail(format!("can't open the mag: {err}")))?;
                Self::new(storage, index, header, bytes, location, None, None)
            }
            Ok(None) => {
                let found = recover_header(storage.as_ref())
                    .map_err(|err| fail(format!("can't open the mag: no {HEADER_FILE}, and its shards can't be listed: {err}")))?;
                let Some((header, shard)) = found else {
                    return Err(fail(format!("can't open the mag: no {HEADER_FILE} and no shard to recover it from")));
                };
                let shard_file = shard_key(shard).map_or_else(String::new, |key| key.as_str().to_owned());
                let header = WkwHeader { data_offset: 0, ..header };
                let bytes = header.to_bytes().unwrap_or_default();
                let source = Self::new(storage, index, header, bytes, location.clone(), Some(shard_file.clone()), None)?;
                source.warn(
                    Severity::Warning,
                    format!("{HEADER_FILE} is missing, its fields were taken from shard {shard_file}"),
                    location,
                );
                Ok(source)
            }
            Err(err) => Err(LevelError { reason: format!("can't open the mag: {}", err.reason()), location }),
        }
    }

    /// Opens a single shard that doesn't lie in a mag's folders; its origin is 0, 0, 0.
    ///
    /// # Errors
    /// If the file has no sound header.
    pub fn open_single(storage: Arc<dyn Storage>, file: StorageKey, index: Arc<ShardIndexCache>) -> Result<Self, LevelError> {
        let location = storage.location(file.as_str());
        let fail = |reason: String| LevelError { reason, location: location.clone() };
        let mut bytes = [0; HEADER_LEN];
        let len =
            storage.read_at(&file, 0, &mut bytes).map_err(|err| fail(err.reason()))?.ok_or_else(|| fail("file not found".to_owned()))?;
        let header = WkwHeader::parse(&bytes[..len]).map_err(|err| fail(format!("can't open the shard: {err}")))?;
        Self::new(storage, index, header, bytes, location.clone(), None, Some(file))
    }

    fn new(
        storage: Arc<dyn Storage>,
        index: Arc<ShardIndexCache>,
        header: WkwHeader,
        header_bytes: [u8; HEADER_LEN],
        header_location: String,
        recovered_from: Option<String>,
        single_file: Option<StorageKey>,
    ) -> Result<Self, LevelError> {
        let shard_side = 1_i64 << (header.chunk_log2 + header.chunks_per_shard_log2);
        let extent = if single_file.is_some() { shard_side } else { shard_side * MAX_SHARD };
        let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(extent));
        let grid = ChunkGrid::new(Vec3Int::ZERO, header.chunk_shape(), header.chunks_per_shard(), bounds)
            .ok_or_else(|| LevelError { reason: "internal error: empty chunk".to_owned(), location: header_location.clone() })?;
        let level = index.levels.fetch_add(1, Ordering::Relaxed);
        let fill = vec![0; header.voxel_type.byte_len()];
        let warnings = Mutex::default();
        Ok(Self { storage, header, header_bytes, header_location, recovered_from, grid, fill, index, level, warnings, single_file })
    }

    /// The mag's header.
    pub const fn header(&self) -> &WkwHeader {
        &self.header
    }

    fn key(&self, shard: ShardIndex) -> Option<StorageKey> {
        match &self.single_file {
            Some(file) => (shard.0 == Vec3Int::ZERO).then(|| file.clone()),
            None => shard_key(shard).filter(|_| self.grid.bounds().intersect(&self.grid.shard_box(shard)) == self.grid.shard_box(shard)),
        }
    }

    fn warn(&self, severity: Severity, text: String, location: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).add(Problem { severity, text, location });
    }

    /// Header and first page of a shard, from the cache or read now, by one thread for all that ask.
    fn head(&self, shard: ShardIndex) -> Result<Option<Arc<ShardHead>>, ChunkFault> {
        let at = (self.level, shard, 0);
        // Chunks of known shards are asked for most often; a key is only made for the others.
        let entry = match self.index.entries.get(&at) {
            Some(entry) => entry,
            None => {
                let Some(key) = self.key(shard) else { return Ok(None) };
                self.cached(at, || self.read_head(key))?
            }
        };
        match entry {
            ShardIndexEntry::Absent => Ok(None),
            ShardIndexEntry::Head(head) => Ok(Some(head)),
            ShardIndexEntry::Faulty(fault) => Err((*fault).clone()),
            ShardIndexEntry::Page(_) => Err(ChunkFault::Internal("page 0 has no header".to_owned())),
        }
    }

    fn cached(&self, key: IndexKey, read: impl FnOnce() -> Result<ShardIndexEntry, ChunkFault>) -> Result<ShardIndexEntry, ChunkFault> {
        // A placeholder makes other threads that want the same page wait for this read; no lock of the cache is held.
        self.index.entries.get_or_insert_with(&key, read)
    }

    /// Reads header and first page of a shard with one read.
    ///
    /// I/O errors are returned and not cached, so that a retry reads again.
    fn read_head(&self, key: StorageKey) -> Result<ShardIndexEntry, ChunkFault> {
        let storage_fault = |err| ChunkFault::Storage(Arc::new(err));
        let first_page = JumpTablePage::bytes_of(0, self.header.chunk_count());
        // If this shard's compression differs from header.wkw, too much or too little is read; both are put right below.
        let wanted = match self.header.block_type {
            BlockType::Raw => HEADER_LEN as u64,
            BlockType::Lz4 | BlockType::Lz4Hc => first_page.end(),
        };
        let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(HEADER_LEN)];
        let Some(len) = self.storage.read_at(&key, 0, &mut bytes).map_err(storage_fault)? else {
            return Ok(ShardIndexEntry::Absent);
        };
        bytes.truncate(len);
        let faulty = |fault: ChunkFault| Ok(ShardIndexEntry::Faulty(Arc::new(fault)));
        let header = match WkwHeader::parse(&bytes) {
            Ok(header) => header,
            Err(WkwHeaderError::TooShort { len }) => {
                return faulty(ChunkFault::ShardHeader(format!("the shard is truncated: {len} bytes, not even a header")));
            }
            Err(err) => return faulty(ChunkFault::ShardHeader(err.to_string())),
        };
        if let Some(contradiction) = self.header.contradiction(&header) {
            return faulty(ChunkFault::ShardHeader(contradiction));
        }
        let Some(file_len) = self.storage.len(&key).map_err(storage_fault)? else {
            return Ok(ShardIndexEntry::Absent); // removed between the two calls
        };
        let first_page = match header.block_type {
            BlockType::Raw => None,
            BlockType::Lz4 | BlockType::Lz4Hc => {
                let table_end = HEADER_LEN as u64 + 8 * header.chunk_count();
                if file_len < table_end {
                    return faulty(ChunkFault::ShardHeader(format!(
                        "the shard is truncated: {file_len} bytes, its jump table ends at byte {table_end}"
                    )));
                }
                if (bytes.len() as u64) < first_page.end() {
                    bytes = vec![0; usize::try_from(first_page.end()).unwrap_or(HEADER_LEN)];
                    let got = self.storage.read_at(&key, 0, &mut bytes).map_err(storage_fault)?.unwrap_or(0);
                    if got < bytes.len() {
                        return faulty(ChunkFault::ShardHeader(format!(
                            "the shard is truncated: it ends at byte {got}, inside its jump table"
                        )));
                    }
                }
                let from = usize::try_from(first_page.start).unwrap_or(8);
                Some(Arc::new(JumpTablePage::parse(0, &bytes[from..])))
            }
        };
        Ok(ShardIndexEntry::Head(Arc::new(ShardHead { key, header, file_len, first_page })))
    }

    /// A page behind the first one.
    fn page(&self, shard: ShardIndex, head: &ShardHead, page: u64) -> Result<Arc<JumpTablePage>, ChunkFault> {
        let entry = self.cached((self.level, shard, page), || {
            let span = JumpTablePage::bytes_of(page, head.header.chunk_count());
            let mut bytes = vec![0; usize::try_from(span.len).unwrap_or(0)];
            let got = self.storage.read_at(&head.key, span.start, &mut bytes).map_err(|err| ChunkFault::Storage(Arc::new(err)))?;
            if got != Some(bytes.len()) {
                return Err(ChunkFault::Truncated { file_len: head.file_len, end: span.end() });
            }
            Ok(ShardIndexEntry::Page(Arc::new(JumpTablePage::parse(page, &bytes))))
        })?;
        match entry {
            ShardIndexEntry::Page(page) => Ok(page),
            ShardIndexEntry::Faulty(fault) => Err((*fault).clone()),
            ShardIndexEntry::Absent | ShardIndexEntry::Head(_) => Err(ChunkFault::Internal("a page is no page".to_owned())),
        }
    }

    /// Bytes of the chunk with this Morton number.
    fn chunk_range(&self, shard: ShardIndex, head: &ShardHead, number: u64) -> Result<ByteRange, ChunkFault> {
        let chunk_len = head.header.chunk_len();
        match head.header.block_type {
            BlockType::Raw => {
                let data_offset = head.header.data_offset;
                if data_offset < HEADER_LEN as u64 {
                    return Err(ChunkFault::ShardHeader(format!("data offset {data_offset} at byte 8 lies inside the header")));
                }
                let start = number.checked_mul(chunk_len).and_then(|at| at.checked_add(data_offset));
                let end = start.and_then(|start| start.checked_add(chunk_len));
                match (start, end) {
                    (Some(start), Some(end)) if end <= head.file_len => Ok(ByteRange { start, len: chunk_len }),
                    (_, end) => Err(ChunkFault::Truncated { file_len: head.file_len, end: end.unwrap_or(u64::MAX) }),
                }
            }
            BlockType::Lz4 | BlockType::Lz4Hc => {
                let data_offset = head.header.data_offset;
                let table_end = head.header.expected_data_offset();
                if data_offset < table_end {
                    return Err(ChunkFault::ShardHeader(format!(
                        "data offset {data_offset} at byte 8 lies inside the jump table, which ends at byte {table_end}"
                    )));
                }
                let range = match &head.first_page {
                    Some(first) if number < PAGE_ENTRIES => first.chunk_range(number, data_offset, head.file_len)?,
                    Some(_) | None => self.page(shard, head, number / PAGE_ENTRIES)?.chunk_range(number, data_offset, head.file_len)?,
                };
                // Before anything of the chunk's size is allocated: a header can claim any size.
                let decoded_len = usize::try_from(chunk_len)
                    .ok()
                    .filter(|len| *len <= MAX_CHUNK_BYTES)
                    .ok_or(ChunkFault::TooLarge { bytes: chunk_len })?;
                let possible = lz4::min_encoded_len(decoded_len) as u64..=lz4::max_encoded_len(decoded_len) as u64;
                if range.len > 0 && !possible.contains(&range.len) {
                    let (least, most) = possible.into_inner();
                    return Err(corrupt(format!(
                        "{} bytes from offset {} on, an LZ4 block of this chunk has {least} to {most}",
                        range.len, range.start
                    )));
                }
                Ok(range)
            }
        }
    }
}

fn encoding_of(block_type: BlockType) -> ChunkEncoding {
    match block_type {
        BlockType::Raw => ChunkEncoding::Canonical,
        BlockType::Lz4 | BlockType::Lz4Hc => ChunkEncoding::Coded(block_type.name()),
    }
}

fn morton_of(pos: Vec3Int) -> u64 {
    morton_encode(pos.to_array().map(i64::unsigned_abs))
}

impl ChunkSource for WkwSource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        self.header.voxel_type
    }

    fn fill_voxel(&self) -> &[u8] {
        &self.fill
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        let shard = self.grid.shard_from_chunk(chunk);
        let fail = |fault| self.chunk_error(chunk, None, fault);
        let Some(head) = self.head(shard).map_err(fail)? else { return Ok(None) };
        let order = morton_of(self.grid.chunk_in_shard(chunk));
        let range = self.chunk_range(shard, &head, order).map_err(fail)?;
        if range.len == 0 {
            // Once per shard: an interrupted or foreign writer leaves thousands of them.
            let text = "this shard has chunks that take no bytes, they are shown as zeros".to_owned();
            self.warn(Severity::Warning, text, self.storage.location(head.key.as_str()));
        }
        Ok(Some(ChunkLocation {
            chunk,
            shard,
            key: head.key.clone(),
            range,
            more: Vec::new(),
            order,
            encoding: encoding_of(head.header.block_type),
        }))
    }

    fn is_absent(&self, shard: ShardIndex) -> bool {
        matches!(self.head(shard), Ok(None))
    }

    fn read_bytes(&self, location: &ChunkLocation, skip: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        if out.is_empty() {
            return Ok(());
        }
        let fail = |fault| self.chunk_error(location.chunk, Some(location.range), fault);
        let start = location.range.start + skip;
        match self.storage.read_at(&location.key, start, out) {
            Ok(Some(n)) if n == out.len() => Ok(()),
            Ok(Some(n)) => Err(fail(ChunkFault::Truncated { file_len: start + n as u64, end: location.range.end() })),
            Ok(None) => Err(fail(ChunkFault::Truncated { file_len: 0, end: location.range.end() })),
            Err(err) => Err(fail(ChunkFault::Storage(Arc::new(err)))),
        }
    }

    fn decode_into(&self, location: &ChunkLocation, stored: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        let fail = |fault| self.chunk_error(location.chunk, Some(location.range), fault);
        if stored.is_empty() {
            out.fill(0);
            return Ok(());
        }
        match location.encoding {
            ChunkEncoding::Canonical if stored.len() == out.len() => {
                out.copy_from_slice(stored);
                Ok(())
            }
            ChunkEncoding::Canonical => Err(fail(ChunkFault::Internal(format!("{} stored bytes for {}", stored.len(), out.len())))),
            ChunkEncoding::Coded(_) => lz4::decode_into(stored, out).map_err(|err| fail(err.into())),
        }
    }

    fn header_report(&self) -> HeaderReport {
        let mut fields = self.header.fields(&self.header_bytes);
        let title = match (&self.recovered_from, &self.single_file) {
            (Some(shard), _) => {
                fields.iter_mut().for_each(|field| field.raw.clear());
                format!("WKW header, missing, taken from {shard}")
            }
            (None, Some(_)) => "WKW shard header".to_owned(),
            (None, None) => "WKW header".to_owned(),
        };
        HeaderReport { sections: vec![HeaderSection { title, location: self.header_location.clone(), fields }] }
    }

    fn shard_len(&self, shard: ShardIndex) -> Result<Option<u64>, StorageError> {
        self.key(shard).map_or(Ok(None), |key| self.storage.len(&key))
    }

    fn shard_layout(&self, shard: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        let first_chunk = self.grid.first_chunk_of(shard);
        let fail = |fault| self.chunk_error(first_chunk, None, fault);
        let Some(head) = self.head(shard).map_err(fail)? else { return Ok(None) };
        let count = head.header.chunk_count();
        let listed = count.min(ShardLayout::MAX_SPANS as u64);
        let spans = (0..listed)
            .map(|order| {
                let [x, y, z] = morton_decode(order).map(|v| i64::try_from(v).unwrap_or(i64::MAX));
                let state = match self.chunk_range(shard, &head, order) {
                    Ok(ByteRange { len: 0, .. }) => SpanState::Empty,
                    Ok(range) => SpanState::Present(range),
                    Err(_) => SpanState::Corrupt,
                };
                ChunkSpan { chunk: ChunkIndex(first_chunk.0 + Vec3Int::new(x, y, z)), order, state }
            })
            .collect();
        Ok(Some(ShardLayout {
            shard,
            location: self.storage.location(head.key.as_str()),
            file_len: head.file_len,
            encoding: head.header.block_type.name(),
            index_len: head.header.expected_data_offset(),
            decoded_chunk_len: head.header.chunk_len(),
            spans,
            spans_left_out: count - listed,
            elsewhere_bytes: 0,
        }))
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        let key = self.key(shard);
        self.storage.location(key.as_ref().map_or("", StorageKey::as_str))
    }

    fn find_shards(&self, limit: usize) -> Result<Vec<ShardIndex>, StorageError> {
        match &self.single_file {
            Some(_) => Ok(vec![ShardIndex(Vec3Int::ZERO)]),
            None => find_shards(self.storage.as_ref(), limit),
        }
    }

    fn stored_shards(&self, limit: usize) -> Result<Option<Vec<ShardIndex>>, StorageError> {
        match &self.single_file {
            Some(_) => Ok(Some(vec![ShardIndex(Vec3Int::ZERO)])),
            None => all_shards(self.storage.as_ref(), limit),
        }
    }

    fn forget_indices(&self) {
        self.index.entries.retain(|(level, _, _), _| *level != self.level);
    }

    fn take_warnings(&self) -> Vec<Problem> {
        let taken = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        taken.iter().cloned().collect()
    }
}
