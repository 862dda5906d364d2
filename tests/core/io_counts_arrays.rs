//! How many reads, bytes, examinations and listings Zarr, N5 and precomputed take: opening, and chunks with and without
//! shards.

use crate::support::{boxed, corpus, cube, in_memory};
use chunkscope::format::{ChunkSource, Dataset, adjacent_runs, open, read_box, read_encoded};
use chunkscope::geometry::{BoundingBox, ChunkIndex, ShardIndex, Vec3Int};
use chunkscope::storage::{
    FolderEntry, IoCounts, IoStats, LocalOpener, MemoryOpener, MeteredOpener, PathKind, Storage, StorageError, StorageKey, StorageOpener,
};
use rayon::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Notes the name of every file that is read and was there.
struct Noting<O> {
    inner: O,
    names: Arc<Mutex<Vec<String>>>,
}

struct NotingStorage {
    inner: Arc<dyn Storage>,
    names: Arc<Mutex<Vec<String>>>,
}

impl NotingStorage {
    fn note<T>(&self, key: &StorageKey, result: Result<Option<T>, StorageError>) -> Result<Option<T>, StorageError> {
        if matches!(result, Ok(Some(_))) {
            self.names.lock().expect("not poisoned").push(key.as_str().to_owned());
        }
        result
    }
}

impl Storage for NotingStorage {
    fn read_at(&self, key: &StorageKey, offset: u64, buf: &mut [u8]) -> Result<Option<usize>, StorageError> {
        self.note(key, self.inner.read_at(key, offset, buf))
    }

    fn len(&self, key: &StorageKey) -> Result<Option<u64>, StorageError> {
        self.inner.len(key)
    }

    fn read(&self, key: &StorageKey, limit: u64) -> Result<Option<Vec<u8>>, StorageError> {
        self.note(key, self.inner.read(key, limit))
    }

    fn list(&self, folder: &str, limit: usize) -> Result<Option<Vec<FolderEntry>>, StorageError> {
        self.inner.list(folder, limit)
    }

    fn location(&self, key: &str) -> String {
        self.inner.location(key)
    }
}

impl<O: StorageOpener> StorageOpener for Noting<O> {
    fn open_folder(&self, folder: &Path) -> Arc<dyn Storage> {
        Arc::new(NotingStorage { inner: self.inner.open_folder(folder), names: self.names.clone() })
    }

    fn kind(&self, path: &Path) -> Result<Option<PathKind>, StorageError> {
        self.inner.kind(path)
    }
}

const METADATA_FILES: [&str; 7] = ["zarr.json", ".zarray", ".zattrs", ".zgroup", "attributes.json", "info", "datasource-properties.json"];

/// What may at most be asked to open a path.
struct Budget {
    path: &'static str,
    levels: usize,
    reads: u64,
    examined: u64,
}

#[test]
fn opening_any_format_reads_metadata_only_and_lists_nothing() {
    // Arrays: their file, and what could describe them in three folders above. Groups: their own file, each level's and
    // the labels'. JSON: itself and each mag's. An `info` is looked at before it is taken for that of a volume. Reads of
    // files that aren't there count too.
    let budgets = [
        Budget { path: "zarr2/layout/c_dot", levels: 1, reads: 9, examined: 23 },
        Budget { path: "zarr3/codecs/gzip", levels: 1, reads: 8, examined: 20 },
        Budget { path: "zarr3/sharding/end_crc", levels: 1, reads: 8, examined: 20 },
        Budget { path: "n5/codecs/raw", levels: 1, reads: 5, examined: 21 },
        Budget { path: "ome/v04_aniso", levels: 4, reads: 8, examined: 14 },
        Budget { path: "ome/v05_aniso", levels: 4, reads: 7, examined: 11 },
        Budget { path: "ome/v05_labels", levels: 7, reads: 11, examined: 12 },
        Budget { path: "n5/cosem", levels: 3, reads: 5, examined: 15 },
        Budget { path: "n5/viewer_scales", levels: 3, reads: 5, examined: 16 },
        Budget { path: "precomputed/scales", levels: 3, reads: 2, examined: 14 },
        Budget { path: "precomputed/sharded/murmur", levels: 1, reads: 2, examined: 12 },
        Budget { path: "properties/library", levels: 4, reads: 5, examined: 14 },
        Budget { path: "equal/zarr3", levels: 2, reads: 3, examined: 8 },
        Budget { path: "equal/n5", levels: 2, reads: 3, examined: 6 },
        Budget { path: "equal/precomputed", levels: 2, reads: 5, examined: 8 },
    ];
    let mut over = Vec::new();
    for Budget { path, levels, reads, examined } in budgets {
        let (stats, names) = (Arc::new(IoStats::default()), Arc::default());
        let noting = Noting { inner: LocalOpener::default(), names: Arc::clone(&names) };
        let dataset = open(&MeteredOpener::new(noting, stats.clone()), &corpus().join(path)).unwrap_or_else(|err| panic!("{err}"));
        let counts = stats.take();
        for name in names.lock().expect("not poisoned").iter() {
            assert!(METADATA_FILES.contains(&name.rsplit('/').next().expect("a name")), "{path}: {name} is read");
        }
        let opened = dataset.layers.iter().flat_map(|layer| &layer.levels).filter(|level| level.source.is_ok()).count();
        assert_eq!((opened, counts.listed), (levels, 0), "{path}");
        if counts.reads > reads || counts.examined > examined {
            over.push(format!("{path}: {} reads of {reads}, {} examined of {examined}", counts.reads, counts.examined));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

/// Reads, bytes, examinations, listings.
fn numbers(counts: IoCounts) -> [u64; 4] {
    [counts.reads, counts.bytes, counts.examined, counts.listed]
}

/// A dataset whose reading is counted from now on.
fn opened(opener: impl StorageOpener, path: &Path) -> (Dataset, Arc<IoStats>) {
    let stats = Arc::new(IoStats::default());
    let dataset = open(&MeteredOpener::new(opener, stats.clone()), path).unwrap_or_else(|err| panic!("{err}"));
    stats.take();
    (dataset, stats)
}

fn source(dataset: &Dataset) -> Arc<dyn ChunkSource> {
    dataset.layers[0].levels[0].source.clone().expect("a level")
}

fn read(source: &dyn ChunkSource, wanted: &BoundingBox) -> Vec<u8> {
    let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("a small box")];
    read_box(source, wanted, &mut out).unwrap_or_else(|err| panic!("{err}"));
    out
}

/// Chunks of 4³ voxels with a checksum each, 2³ of them in a shard, indices at the end.
const SHARDED: &str = r#"{
    "zarr_format": 3, "node_type": "array", "shape": [8, 8, 32], "data_type": "uint8", "fill_value": 0,
    "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": [8, 8, 8] } },
    "chunk_key_encoding": { "name": "default" }, "dimension_names": ["z", "y", "x"],
    "codecs": [{ "name": "sharding_indexed", "configuration": {
        "chunk_shape": [4, 4, 4], "codecs": [{ "name": "bytes" }, { "name": "crc32c" }],
        "index_codecs": [{ "name": "bytes", "configuration": { "endian": "little" } }, { "name": "crc32c" }]
    } }]
}"#;
/// 64 voxels and a checksum.
const CHUNK_LEN: u64 = 64 + 4;
/// 8 offsets and lengths and a checksum.
const INDEX_LEN: u64 = 8 * 16 + 4;

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = crc32c::crc32c(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Shard number `x` of four: voxels of chunk `n` are `16 x + n + 1`. Chunks lie one after the other, x fastest.
fn shard(x: u8) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..8).flat_map(|n| with_checksum(vec![16 * x + n + 1; 64])).collect();
    let entries = (0..8).flat_map(|n| [n * CHUNK_LEN, CHUNK_LEN]).flat_map(u64::to_le_bytes);
    bytes.extend(with_checksum(entries.collect()));
    bytes
}

/// An array of which the first two shards of four are stored.
fn sharded() -> (Dataset, Arc<IoStats>) {
    let files = [("zarr.json", SHARDED.as_bytes().to_vec()), ("c/0/0/0", shard(0)), ("c/0/0/1", shard(1))];
    let files = files.map(|(name, bytes)| (name.to_owned(), bytes));
    opened(MemoryOpener::new("/d", in_memory(&files)), Path::new("/d"))
}

#[test]
fn a_first_chunk_of_a_zarr_shard_takes_the_index_in_one_read_and_its_own_bytes_in_another() {
    let (dataset, stats) = sharded();
    let source = source(&dataset);

    let first = source.locate(ChunkIndex(Vec3Int::ZERO)).expect("sound").expect("stored");
    assert_eq!(numbers(stats.take()), [1, INDEX_LEN, 1, 0]);
    read_encoded(source.as_ref(), std::slice::from_ref(&first)).expect("readable");
    assert_eq!(numbers(stats.take()), [1, CHUNK_LEN, 0, 0]);

    let second = source.locate(ChunkIndex(Vec3Int::new(1, 1, 0))).expect("sound").expect("stored");
    assert_eq!(numbers(stats.take()), [0, 0, 0, 0], "the index is kept");
    read_encoded(source.as_ref(), std::slice::from_ref(&second)).expect("readable");
    assert_eq!(numbers(stats.take()), [1, CHUNK_LEN, 0, 0]);
}

#[test]
fn the_layout_of_a_zarr_shard_takes_its_index_only() {
    let (dataset, stats) = sharded();

    let layout = source(&dataset).shard_layout(ShardIndex(Vec3Int::ZERO)).expect("sound").expect("stored");

    assert_eq!(layout.present(), 8);
    assert_eq!(numbers(stats.take()), [1, INDEX_LEN, 1, 0]);
}

#[test]
fn eight_threads_that_touch_a_zarr_shard_at_once_read_its_index_once() {
    let (dataset, stats) = sharded();
    let source = source(&dataset);
    let start = std::sync::Barrier::new(8);

    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (source, start) = (&source, &start);
            scope.spawn(move || {
                start.wait();
                for i in 0..64 {
                    let n = i + thread;
                    source.locate(ChunkIndex(Vec3Int::new(n % 2, n / 2 % 2, n / 4 % 2))).expect("sound").expect("stored");
                }
            });
        }
    });

    assert_eq!(numbers(stats.take()), [1, INDEX_LEN, 1, 0]);
}

#[test]
fn a_zarr_shard_that_is_not_there_is_asked_for_once() {
    let (dataset, stats) = sharded();
    let source = source(&dataset);

    for _ in 0..3 {
        assert_eq!(read(source.as_ref(), &boxed([24, 0, 0], [8, 8, 8])), [0; 512]);
        assert!(source.is_absent(ShardIndex(Vec3Int::new(3, 0, 0))));
        assert!(source.locate(ChunkIndex(Vec3Int::new(7, 1, 1))).expect("no error").is_none());
    }

    assert_eq!(numbers(stats.take()), [0, 0, 1, 0]);
}

#[test]
fn neighbouring_chunks_of_a_zarr_shard_come_with_one_read_where_their_bytes_are_adjacent() {
    // In C order chunks along x follow each other; those along y are one apart, those along z three.
    let cases = [
        ("two along x", boxed([0, 0, 0], [8, 4, 4]), 1, 2),
        ("parts of two along x", boxed([2, 1, 1], [3, 2, 2]), 1, 2),
        ("two along y", boxed([0, 0, 0], [4, 8, 4]), 2, 2),
        ("two along z, by one thread each", boxed([0, 0, 0], [4, 4, 8]), 2, 2),
        ("a plane of the shard", boxed([0, 0, 3], [8, 8, 1]), 1, 4),
        ("the shard, by one thread for each half", cube(8), 2, 8),
    ];
    for (name, wanted, reads, chunks) in cases {
        let (dataset, stats) = sharded();
        let source = source(&dataset);

        let bytes = read(source.as_ref(), &wanted);

        assert_eq!(numbers(stats.take()), [1 + reads, INDEX_LEN + chunks * CHUNK_LEN, 1, 0], "{name}");
        assert_eq!(bytes[0], 1, "{name}");
        assert_eq!(bytes.last(), Some(&u8::try_from(chunk_number(wanted.bottomright() - Vec3Int::splat(1)) + 1).expect("small")), "{name}");
    }
}

/// Number of the chunk that holds a voxel of the first shard.
fn chunk_number(voxel: Vec3Int) -> i64 {
    voxel.x / 4 + 2 * (voxel.y / 4) + 4 * (voxel.z / 4)
}

#[test]
fn a_box_over_two_zarr_shards_reads_the_index_of_each_once() {
    let (dataset, stats) = sharded();
    let source = source(&dataset);

    let bytes = read(source.as_ref(), &boxed([4, 0, 0], [8, 4, 4]));

    assert_eq!(bytes[..8], [2, 2, 2, 2, 17, 17, 17, 17]);
    assert_eq!(numbers(stats.take()), [2 + 2, 2 * (INDEX_LEN + CHUNK_LEN), 2, 0]);
}

#[test]
fn chunks_without_shards_are_asked_for_and_read_once_each() {
    for path in ["zarr2/codecs/gzip", "zarr2/layout/f_dot", "zarr3/transpose/plain_021", "n5/codecs/xz", "precomputed/types/uint8"] {
        let (dataset, stats) = opened(LocalOpener::default(), &corpus().join(path));
        let source = source(&dataset);
        let extent = source.declared_extent().expect("an array");
        let chunks = source.grid().chunks_in(&extent).count() as u64;
        assert!(chunks > 1, "{path}");

        read(source.as_ref(), &extent);

        let counts = stats.take();
        assert_eq!((counts.reads, counts.examined, counts.listed), (chunks, chunks, 0), "{path}");
    }
}

#[test]
fn a_sharded_precomputed_scale_reads_table_and_minishard_index_at_most_once_then_each_chunk_with_one_read() {
    for (name, minishards) in
        [("identity", 1), ("identity_mini", 2), ("murmur", 1), ("murmur_mini2", 4), ("murmur_preshift", 2), ("cseg", 2)]
    {
        let folder = corpus().join("precomputed/sharded").join(name);
        let (dataset, stats) = opened(LocalOpener::default(), &folder);
        let level = source(&dataset);
        let extent = level.declared_extent().expect("an array");
        let chunks: Vec<_> = level.grid().chunks_in(&extent).collect();
        let locate = |source: &dyn ChunkSource, chunk| source.locate(chunk).expect("sound").expect("stored");

        let locations: Vec<_> = chunks.iter().map(|chunk| locate(level.as_ref(), *chunk)).collect();
        let indices = stats.take();
        let mut files: Vec<_> = locations.iter().map(|location| location.key.clone()).collect();
        files.sort();
        files.dedup();
        let shards = files.len() as u64;
        assert!((2 * shards..=(1 + minishards) * shards).contains(&indices.reads) && indices.listed == 0, "{name}: {indices:?}");

        for (chunk, location) in chunks.iter().zip(&locations) {
            assert_eq!(locate(level.as_ref(), *chunk), *location);
            assert_eq!(numbers(stats.take()), [0, 0, 0, 0], "{name}: indices are kept");
            read_encoded(level.as_ref(), std::slice::from_ref(location)).expect("readable");
            assert_eq!(numbers(stats.take()), [1, location.range.len, 0, 0], "{name}: a chunk");
        }

        let (dataset, stats) = opened(LocalOpener::default(), &folder);
        let level = source(&dataset);
        chunks.par_iter().chain(&chunks).chain(&chunks).for_each(|chunk| drop(locate(level.as_ref(), *chunk)));
        let counts = stats.take();
        assert_eq!((counts.reads, counts.bytes), (indices.reads, indices.bytes), "{name}: many threads at once");
    }
}

#[test]
fn adjacent_chunks_of_a_precomputed_shard_come_with_one_read() {
    // One minishard whose chunks are stored in the order of their ids.
    let (dataset, stats) = opened(LocalOpener::default(), &corpus().join("precomputed/sharded/identity"));
    let source = source(&dataset);
    let extent = source.declared_extent().expect("an array");
    let slab = BoundingBox::between(extent.topleft, extent.bottomright().with(2, extent.topleft.z + 1));
    let chunks: Vec<_> = source.grid().chunks_in(&slab).collect();
    let locations: Vec<_> = chunks.iter().map(|chunk| source.locate(*chunk).expect("sound").expect("stored")).collect();
    stats.take();
    let runs = adjacent_runs(locations).len();
    assert!(runs < chunks.len(), "{} chunks in {runs} runs", chunks.len());

    read(source.as_ref(), &slab);

    assert_eq!(stats.take().reads, runs as u64);
}
