//! What all fuzz targets share: files made of an input, and everything that a reader can ask of a dataset.

use chunkscope::format::{ChunkSource, decode, open, read_box, read_encoded};
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3};
use chunkscope::storage::{FolderEntry, PathKind, Storage, StorageError, StorageKey, StorageOpener};
use chunkscope::voxel::copy_box;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Once};

/// Between the parts of an input that becomes several files.
pub const SEPARATOR: &[u8] = b"\xff\xfe\xff\xfe";

/// Folder of the files.
const ROOT: &str = "/d";

/// Largest chunk that is decoded, and largest box that is read: larger ones only cost time.
const MAX_BYTES: usize = 1 << 20;

/// Layers, levels of a layer, and chunks of a level that are read.
const MAX_OF_EACH: usize = 4;

/// The first byte, which picks something, and the rest.
pub fn choice(input: &[u8]) -> (usize, &[u8]) {
    input.split_first().map_or((0, input), |(first, rest)| (usize::from(*first), rest))
}

/// The parts of an input; empty ones behind its end.
pub fn parts<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut rest = Some(input);
    std::array::from_fn(|i| {
        let Some(bytes) = rest else { return &[][..] };
        let at = (i + 1 < N).then(|| bytes.windows(SEPARATOR.len()).position(|at| at == SEPARATOR)).flatten();
        rest = at.map(|at| &bytes[at + SEPARATOR.len()..]);
        at.map_or(bytes, |at| &bytes[..at])
    })
}

/// Files by name.
#[derive(Clone, Debug, Default)]
pub struct Files {
    named: Arc<BTreeMap<String, Vec<u8>>>,
    /// Any other file that holds voxels: no input could hit a chunk's name otherwise.
    chunk: Option<Arc<Vec<u8>>>,
    /// The folder that is seen, with a slash at its end unless it is the root.
    prefix: String,
}

/// Names of files that hold no voxels.
const METADATA: [&str; 9] =
    ["header.wkw", "zarr.json", ".zarray", ".zattrs", ".zgroup", "attributes.json", "info", ".json", "datasource-properties.json"];

impl Files {
    /// These files.
    pub fn new<'a>(named: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let named = named.into_iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
        Self { named: Arc::new(named), chunk: None, prefix: String::new() }
    }

    /// The same, with every file there whose name isn't that of metadata.
    pub fn with_chunks(self, bytes: &[u8]) -> Self {
        Self { chunk: Some(Arc::new(bytes.to_vec())), ..self }
    }

    fn get(&self, key: &str) -> Option<&[u8]> {
        let full = format!("{}{key}", self.prefix);
        if let Some(bytes) = self.named.get(&full) {
            return Some(bytes);
        }
        self.chunk.as_ref().filter(|_| !METADATA.iter().any(|name| full.ends_with(name))).map(|bytes| &bytes[..])
    }
}

impl Storage for Files {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        Ok(self.get(key.as_str()).map(|bytes| {
            let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
            let len = rest.len().min(buf.len());
            buf[..len].copy_from_slice(&rest[..len]);
            len
        }))
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        Ok(self.get(key.as_str()).map(|bytes| bytes.len() as u64))
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(bytes) = self.get(key.as_str()) else { return Ok(None) };
        let len = bytes.len() as u64;
        if len > limit {
            return Err(StorageError::TooLarge { len, limit, location: self.location(key.as_str()) });
        }
        Ok(Some(bytes.to_vec()))
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        let prefix = if folder.is_empty() { self.prefix.clone() } else { format!("{}{folder}/", self.prefix) };
        let mut list: Vec<FolderEntry> = Vec::new();
        for rest in self.named.keys().filter_map(|key| key.strip_prefix(&prefix)) {
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            if list.last().is_none_or(|last| last.name != name) && list.len() < limit {
                list.push(FolderEntry { name: name.to_owned(), is_folder });
            }
        }
        Ok((!list.is_empty() || folder.is_empty()).then_some(list))
    }

    fn location(&self, key: &str) -> String {
        format!("{ROOT}/{}{key}", self.prefix)
    }
}

impl StorageOpener for Files {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        let inside = folder.strip_prefix(ROOT).ok().and_then(Path::to_str).unwrap_or("elsewhere");
        let prefix = if inside.is_empty() { String::new() } else { format!("{inside}/") };
        Arc::new(Self { prefix, ..self.clone() })
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        let inside = path.strip_prefix(ROOT).ok().and_then(Path::to_str);
        Ok(inside.map(|key| if self.named.contains_key(key) { PathKind::File } else { PathKind::Folder }))
    }
}

/// Opens a file or folder of `files` (`""` is the root), and asks all of it that a window or the command line would.
pub fn exercise(files: &Files, path: &str) {
    static ONE_THREAD: Once = Once::new();
    // libFuzzer wants all work done by the thread that calls.
    ONE_THREAD.call_once(|| {
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    });
    let dataset = match open(files, &Path::new(ROOT).join(path)) {
        Ok(dataset) => dataset,
        Err(err) => {
            assert!(!err.to_string().is_empty());
            return;
        }
    };
    for problem in dataset.problems.iter() {
        assert!(!problem.to_string().is_empty());
    }
    dataset.bounding_box();
    for layer in dataset.layers.iter().take(MAX_OF_EACH) {
        for level in layer.levels.iter().take(MAX_OF_EACH) {
            let Ok(source) = &level.source else { continue };
            source_of(source.as_ref());
            let last: Vec<u64> = layer.axes.iter().map(|axis| axis.len.saturating_sub(1)).collect();
            if let Some(source) = source.at_axes(&last).filter(|_| !last.is_empty()) {
                read(source.as_ref());
            }
        }
    }
}

fn source_of(source: &dyn ChunkSource) {
    assert!(!source.header_report().sections.is_empty());
    assert_eq!(source.fill_voxel().len(), source.voxel_type().byte_len());
    source.declared_extent();
    let found = source.find_shards(16).unwrap_or_default();
    let first = source.grid().shard_from_voxel(source.grid().bounds().topleft);
    for shard in found.into_iter().take(2).chain([first]) {
        source.is_absent(shard);
        let _ = source.shard_len(shard);
        assert!(!source.shard_location(shard).is_empty());
        if let Ok(Some(layout)) = source.shard_layout(shard) {
            for span in layout.spans.iter().take(MAX_OF_EACH) {
                let _ = source.locate(span.chunk);
            }
        }
    }
    read(source);
    source.forget_indices();
    source.take_warnings();
}

/// Reads the first chunks one by one and as a box, which must agree.
fn read(source: &dyn ChunkSource) {
    let Some(wanted) = box_of(source) else { return };
    let voxel_len = source.voxel_type().byte_len();
    let mut whole = vec![0xee; wanted.shape.byte_len(voxel_len).expect("small")];
    let at_once = read_box(source, &wanted, &mut whole);
    if let Err(err) = &at_once {
        assert!(!err.to_string().is_empty());
    }
    let mut one_by_one = whole.clone();
    let mut all_there = true;
    for chunk in source.grid().chunks_in(&wanted) {
        all_there &= read_chunk(source, chunk, &wanted, &mut one_by_one);
    }
    if at_once.is_ok() && all_there {
        assert!(whole == one_by_one, "chunks differ from the box {wanted}");
    }
}

/// Reads a chunk into its place; whether that is possible.
fn read_chunk(source: &dyn ChunkSource, chunk: ChunkIndex, wanted: &BoundingBox, out: &mut [u8]) -> bool {
    let Ok(location) = source.locate(chunk) else { return false };
    let Some(location) = location else { return true };
    let Ok(mut encoded) = read_encoded(source, std::slice::from_ref(&location)) else { return false };
    let Some(decoded) = encoded.pop().and_then(|encoded| decode(source, encoded).ok()) else { return false };
    copy_box(decoded.bytes(), &source.grid().chunk_box(chunk), out, wanted, source.voxel_type().byte_len());
    true
}

/// A small box at the beginning of the array: at most two chunks along each axis. `None` if chunks are large.
fn box_of(source: &dyn ChunkSource) -> Option<BoundingBox> {
    let grid = source.grid();
    let chunk_len = source.chunk_byte_len().ok().filter(|len| *len <= MAX_BYTES)?;
    let at_once = (MAX_BYTES / chunk_len.max(1)).min(8);
    let bounds = grid.bounds();
    // Half a chunk into the array, so that chunks are cut on both sides.
    let topleft = bounds.topleft;
    let chunk = grid.chunk_shape();
    let mut shape = [0, 1, 2].map(|axis| chunk.along(axis).saturating_add(chunk.along(axis) / 2));
    let mut chunks = 8;
    for axis in [2, 1, 0] {
        if chunks > at_once.max(1) {
            shape[axis] = chunk.along(axis);
            chunks /= 2;
        }
    }
    Some(BoundingBox::new(topleft, Shape3::new(shape[0], shape[1], shape[2])))
}
