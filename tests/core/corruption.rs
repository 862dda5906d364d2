//! Cut, flipped, lengthened and contradictory files: an error, a problem or right data; never a panic, a hang or a huge
//! allocation.

use crate::support::{
    LayerSpec, UINT8, UINT16, boxed, cube, expected, files, header, in_memory, properties, small_box, small_dataset, volume, write_mag,
};
use chunkscope::codec::lz4;
use chunkscope::format::wkw::{BlockType, WkwHeader};
use chunkscope::format::{ShardLayout, SpanState, decode, open, read_box, read_encoded};
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3, ShardIndex, Vec3Int};
use chunkscope::problem::Severity;
use chunkscope::storage::{LocalOpener, MemoryOpener, StorageOpener};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use rayon::prelude::*;
use std::path::Path;
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

/// Counts what the threads of one pool allocate.
mod measured {
    #![allow(unsafe_code, reason = "an allocator is an unsafe trait; every call is handed on to the system's unchanged")]

    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};
    use std::sync::{Mutex, OnceLock, PoisonError};

    thread_local! {
        static IS_MEASURED: Cell<bool> = const { Cell::new(false) };
    }
    static LARGEST: AtomicUsize = AtomicUsize::new(0);
    static LIVE: AtomicIsize = AtomicIsize::new(0);
    static PEAK: AtomicIsize = AtomicIsize::new(0);

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn count(grown: usize, freed: usize) {
        if IS_MEASURED.try_with(Cell::get).unwrap_or(false) {
            LARGEST.fetch_max(grown, Relaxed);
            let change = isize::try_from(grown).unwrap_or(isize::MAX) - isize::try_from(freed).unwrap_or(isize::MAX);
            PEAK.fetch_max(LIVE.fetch_add(change, Relaxed) + change, Relaxed);
        }
    }

    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 0);
            unsafe { System.alloc(layout) }
        }
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 0);
            unsafe { System.alloc_zeroed(layout) }
        }
        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            count(0, layout.size());
            unsafe { System.dealloc(at, layout) }
        }
        unsafe fn realloc(&self, at: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            count(new_size, layout.size());
            unsafe { System.realloc(at, layout, new_size) }
        }
    }

    /// What some work took.
    #[derive(Clone, Copy, Debug)]
    pub struct Usage {
        pub largest: usize,
        pub peak: usize,
    }

    /// Runs `work` on a pool of threads whose allocations are counted; one measurement at a time.
    pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> (T, Usage) {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = POOL.get_or_init(|| {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(16).start_handler(|_| IS_MEASURED.with(|is| is.set(true)));
            builder.build().expect("threads")
        });
        LARGEST.store(0, Relaxed);
        LIVE.store(0, Relaxed);
        PEAK.store(0, Relaxed);
        let result = pool.install(|| catch_unwind(AssertUnwindSafe(work)));
        let result = result.unwrap_or_else(|payload| {
            // The harness shows what this test's own thread says.
            let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
            panic!("{}", text.unwrap_or("a panic without a text"))
        });
        (result, Usage { largest: LARGEST.load(Relaxed), peak: usize::try_from(PEAK.load(Relaxed)).unwrap_or(0) })
    }
}

const MAX_ALLOCATION: usize = 64 << 20;
const MAX_PEAK: usize = 256 << 20;
/// Far more than a damaged dataset of a few kilobytes may take.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Runs `work` within the bounds of memory and time.
pub fn bounded<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let start = Instant::now();
    let (result, usage) = measured::run(work);
    assert!(usage.largest <= MAX_ALLOCATION, "one allocation of {} bytes", usage.largest);
    assert!(usage.peak <= MAX_PEAK, "{} bytes at a time", usage.peak);
    assert!(start.elapsed() < MAX_TIME, "took {:?}", start.elapsed());
    result
}

const STORED: [i64; 3] = [16, 8, 8];

fn stored() -> BoundingBox {
    boxed([0; 3], STORED)
}

/// Files by key.
type Files = Vec<(String, Vec<u8>)>;

/// A uint16 mag of two shards with 2³ chunks of 4³ voxels each, below a JSON; all files by key.
fn base(block_type: BlockType) -> Files {
    static MADE: [OnceLock<Files>; 3] = [const { OnceLock::new() }; 3];
    let make = || {
        let dir = tempfile::tempdir().expect("a folder");
        write_mag(&dir.path().join("c/1"), header(2, 1, block_type, UINT16), &stored());
        let layer = LayerSpec { element_class: "uint16", ..LayerSpec::simple("c", stored()) };
        std::fs::write(dir.path().join(JSON), properties(&[layer])).expect("written");
        files(dir.path())
    };
    MADE[block_type as usize].get_or_init(make).clone()
}

const JSON: &str = "datasource-properties.json";
const HEADER: &str = "c/1/header.wkw";
const SHARD: &str = "c/1/z0/y0/x0.wkw";

fn with(mut files: Files, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Files {
    change(&mut files.iter_mut().find(|(key, _)| key == name).expect("the file is there").1);
    files
}

fn file<'a>(files: &'a [(String, Vec<u8>)], name: &str) -> &'a [u8] {
    &files.iter().find(|(key, _)| key == name).expect("the file is there").1
}

/// All that a reader can ask of a dataset, and what came of it.
#[derive(Debug, Default)]
struct Outcome {
    /// Why nothing, or a level, can be opened.
    refused: Vec<String>,
    problems: Vec<String>,
    warnings: Vec<String>,
    /// Each chunk of [`stored`] on its own.
    chunks: Vec<(BoundingBox, Result<Vec<u8>, String>)>,
    /// All of [`stored`] at once.
    whole: Option<Result<Vec<u8>, String>>,
    layouts: Vec<Result<Option<ShardLayout>, String>>,
}

impl Outcome {
    fn all_messages(&self) -> String {
        let mut all: Vec<String> = [&self.refused, &self.problems, &self.warnings].into_iter().flatten().cloned().collect();
        all.extend(self.chunks.iter().filter_map(|(_, result)| result.clone().err()));
        all.extend(self.whole.iter().filter_map(|result| result.clone().err()));
        all.extend(self.layouts.iter().filter_map(|result| result.clone().err()));
        all.join("\n")
    }

    /// Right data everywhere.
    fn assert_right(&self, what: &str) {
        assert!(self.refused.is_empty(), "{what}: {:?}", self.refused);
        assert_eq!(self.whole, Some(Ok(volume(UINT16, &stored()))), "{what}");
        assert_eq!(self.chunks.len(), 16, "{what}");
        self.assert_no_wrong_data(what);
    }

    /// Whatever was read is what was written.
    fn assert_no_wrong_data(&self, what: &str) {
        for (chunk_box, result) in &self.chunks {
            if let Ok(bytes) = result {
                assert!(*bytes == expected(UINT16, &stored(), chunk_box), "{what}: wrong data at {chunk_box}");
            }
        }
        if let Some(Ok(bytes)) = &self.whole {
            assert!(*bytes == volume(UINT16, &stored()), "{what}: wrong data in the box");
        }
    }
}

fn exercise(opener: &dyn StorageOpener, path: &Path, wanted: &BoundingBox) -> Outcome {
    let mut outcome = Outcome::default();
    let dataset = match open(opener, path) {
        Ok(dataset) => dataset,
        Err(err) => {
            outcome.refused.push(err.to_string());
            return outcome;
        }
    };
    outcome.problems.extend(dataset.problems.iter().map(|p| format!("{:?}: {p}", p.severity)));
    for level in dataset.layers.iter().flat_map(|layer| &layer.levels) {
        let source = match &level.source {
            Ok(source) => source.as_ref(),
            Err(err) => {
                outcome.refused.push(err.to_string());
                continue;
            }
        };
        assert!(!source.header_report().sections.is_empty());
        let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("small")];
        outcome.whole = Some(read_box(source, wanted, &mut out).map(|_| out).map_err(|err| err.to_string()));
        for chunk in source.grid().chunks_in(wanted).take(64) {
            let read = || {
                let Some(location) = source.locate(chunk)? else { return Ok(None) };
                let encoded = read_encoded(source, std::slice::from_ref(&location))?;
                encoded.into_iter().next().map(|encoded| decode(source, encoded)).transpose()
            };
            let read: Result<_, chunkscope::format::ChunkError> = read();
            let chunk_box = source.grid().chunk_box(chunk);
            // Absent is as good as zeros here.
            let absent = || vec![0; chunk_box.shape.byte_len(source.voxel_type().byte_len()).unwrap_or(0).min(1 << 20)];
            outcome
                .chunks
                .push((chunk_box, read.map(|buffer| buffer.map_or_else(absent, |b| b.into_bytes())).map_err(|err| err.to_string())));
        }
        for x in 0..3 {
            let shard = ShardIndex(Vec3Int::new(x, 0, 0));
            source.is_absent(shard);
            let _ = source.shard_len(shard);
            outcome.layouts.push(source.shard_layout(shard).map_err(|err| err.to_string()));
        }
        let _ = source.find_shards(100);
        outcome.warnings.extend(source.take_warnings().iter().map(ToString::to_string));
    }
    outcome
}

fn in_memory_outcome(files: &[(String, Vec<u8>)]) -> Outcome {
    exercise(&MemoryOpener::new("/d", in_memory(files)), Path::new("/d"), &stored())
}

fn on_disk_outcome(folder: &Path) -> Outcome {
    exercise(&LocalOpener::default(), folder, &small_box())
}

#[test]
fn sound_files_are_read_right() {
    for block_type in [BlockType::Raw, BlockType::Lz4] {
        let outcome = bounded(|| in_memory_outcome(&base(block_type)));
        outcome.assert_right("sound");
        assert_eq!((outcome.problems.len(), outcome.warnings.len()), (0, 0), "{}", outcome.all_messages());
    }
}

#[test]
fn a_shard_cut_at_any_length_keeps_the_chunks_before_the_cut_and_refuses_the_others() {
    for block_type in [BlockType::Raw, BlockType::Lz4] {
        let sound = base(block_type);
        let layout = in_memory_outcome(&sound).layouts[0].clone().expect("sound").expect("stored");
        bounded(|| {
            (0..file(&sound, SHARD).len()).into_par_iter().for_each(|len| {
                let outcome = in_memory_outcome(&with(sound.clone(), SHARD, |bytes| bytes.truncate(len)));
                outcome.assert_no_wrong_data(&format!("{block_type:?} cut to {len}"));
                assert!(matches!(outcome.whole, Some(Err(_))), "{block_type:?} cut to {len}: the box is read");
                for (chunk_box, result) in &outcome.chunks {
                    let span = layout.spans.iter().find(|span| span.chunk.0.times(Vec3Int::splat(4)) == chunk_box.topleft);
                    let is_before_the_cut = span.is_none_or(|span| {
                        let range = span.state.range().expect("present");
                        len as u64 >= layout.index_len && range.end() <= len as u64
                    });
                    assert_eq!(result.is_ok(), is_before_the_cut, "{block_type:?} cut to {len}: {chunk_box}: {result:?}");
                    let message = result.clone().err().unwrap_or_else(|| "truncated".to_owned());
                    assert!(message.contains("truncated") || message.contains("beyond the end of file"), "{message}");
                }
            });
        });
    }
}

#[test]
fn a_header_file_cut_at_any_length_is_refused_and_longer_is_accepted() {
    let sound = base(BlockType::Lz4);
    for len in 0..16 {
        let outcome = bounded(|| in_memory_outcome(&with(sound.clone(), HEADER, |bytes| bytes.truncate(len))));
        assert!(
            outcome.refused.iter().any(|why| why.contains("truncated: ") && why.contains("header.wkw")),
            "{len}: {}",
            outcome.all_messages()
        );
        assert!(outcome.problems.iter().any(|problem| problem.starts_with("Error")), "{len}");
    }
    for more in [1, 16, 4096] {
        let outcome = bounded(|| in_memory_outcome(&with(sound.clone(), HEADER, |bytes| bytes.resize(16 + more, 0xee))));
        outcome.assert_right("longer header.wkw");
    }
}

#[test]
fn a_shard_longer_than_expected_is_read_right() {
    for block_type in [BlockType::Raw, BlockType::Lz4] {
        for more in [1, 7, 8, 16, 4096, 100_000] {
            let outcome = bounded(|| in_memory_outcome(&with(base(block_type), SHARD, |bytes| bytes.resize(bytes.len() + more, 0xee))));
            outcome.assert_right(&format!("{block_type:?} and {more} bytes more"));
            let layout = outcome.layouts[0].clone().expect("sound").expect("stored");
            assert_eq!(layout.gap_bytes(), more as u64);
        }
    }
}

#[test]
fn a_json_cut_anywhere_is_an_error_with_line_and_column() {
    let sound = base(BlockType::Lz4);
    let len = file(&sound, JSON).len();
    bounded(|| {
        // Every seventh length; each waits for a writer that might be at work.
        (0..len).into_par_iter().filter(|cut| cut % 7 == 0 || len - cut < 8).for_each(|cut| {
            let outcome = in_memory_outcome(&with(sound.clone(), JSON, |bytes| bytes.truncate(cut)));
            assert_eq!(outcome.refused.len(), 1, "{cut}");
            let message = &outcome.refused[0];
            assert!(message.contains("line 1 column") && message.ends_with(JSON), "{cut}: {message}");
        });
    });
}

proptest! {
    #![proptest_config(Config { cases: 400, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() })]

    #[test]
    fn flipped_bytes_of_headers_and_shards_never_panic_hang_or_allocate_much(
        is_raw in any::<bool>(), in_header in prop::bool::weighted(0.2),
        flips in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![Just(0xff_u8), 1..=255_u8], any::<bool>()), 1..4),
    ) {
        let sound = base(if is_raw { BlockType::Raw } else { BlockType::Lz4 });
        let name = if in_header { HEADER } else { SHARD };
        let damaged = with(sound, name, |bytes| {
            let len = bytes.len();
            for (at, flip, near_the_start) in &flips {
                bytes[at.index(if *near_the_start { len.min(88) } else { len })] ^= flip;
            }
        });
        let outcome = bounded(|| in_memory_outcome(&damaged));
        // The other shard is sound: nothing that happens to this one may touch it.
        if !in_header {
            for (chunk_box, result) in outcome.chunks.iter().filter(|(chunk_box, _)| chunk_box.topleft.x >= 8) {
                prop_assert_eq!(result.as_ref(), Ok(&expected(UINT16, &stored(), chunk_box)));
            }
        }
    }

    #[test]
    fn both_headers_flipped_alike_never_panic_hang_or_allocate_much(
        is_raw in any::<bool>(), flips in prop::collection::vec((4..8_usize, any::<u8>()), 1..3), voxel in prop::array::uniform3(0_i64..1000),
    ) {
        let change = |bytes: &mut Vec<u8>| flips.iter().for_each(|(at, value)| bytes[*at] = *value);
        let damaged = with(with(base(if is_raw { BlockType::Raw } else { BlockType::Lz4 }), SHARD, change), HEADER, change);
        bounded(|| {
            in_memory_outcome(&damaged);
            exercise(&MemoryOpener::new("/d", in_memory(&damaged)), Path::new("/d/c/1/z0/y0/x0.wkw"), &boxed(voxel, [5, 5, 5]))
        });
    }

    #[test]
    fn a_jump_table_of_any_content_gives_chunks_errors_or_warnings(
        table in prop::array::uniform9(prop_oneof![any::<u64>(), 0_u64..1500, Just(0_u64), Just(u64::MAX), Just(80_u64)]),
    ) {
        let damaged = with(base(BlockType::Lz4), SHARD, |bytes| {
            table.iter().enumerate().for_each(|(i, entry)| bytes[8 + 8 * i..16 + 8 * i].copy_from_slice(&entry.to_le_bytes()));
        });
        let outcome = bounded(|| in_memory_outcome(&damaged));
        for (chunk_box, result) in &outcome.chunks {
            if let Err(message) = result {
                let words = ["jump table", "truncated", "LZ4", "decodes to", "data offset"];
                prop_assert!(words.iter().any(|word| message.contains(word)) && message.contains("chunk ") && message.contains("x0.wkw"), "{}", message);
            } else if chunk_box.topleft.x < 8 && result.as_ref().is_ok_and(|bytes| bytes.iter().all(|b| *b == 0)) {
                prop_assert!(outcome.warnings.iter().any(|warning| warning.contains("no bytes")), "zeros without a warning");
            }
        }
    }
}

#[test]
fn flipped_bytes_of_a_json_never_panic_hang_or_allocate_much() {
    let sound = base(BlockType::Lz4);
    let len = file(&sound, JSON).len();
    bounded(|| {
        (0..len).into_par_iter().filter(|at| at % 3 == 0).for_each(|at| {
            for flip in [0x01, 0x20, 0x80] {
                in_memory_outcome(&with(sound.clone(), JSON, |bytes| bytes[at] ^= flip));
            }
        });
    });
}

fn set_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// A damage, and words that its message must have.
type DamageCase = (&'static str, BlockType, fn(&mut Files), &'static [&'static str]);

fn change(files: &mut Files, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    *files = with(std::mem::take(files), name, change);
}

#[test]
fn each_damage_is_named_in_the_format_s_words_with_shard_chunk_and_file() {
    let cases: &[DamageCase] = &[
        ("nibbles 0xff in header.wkw", BlockType::Lz4, |f| change(f, HEADER, |b| b[4] = 0xff), &["chunk shape is 4 × 4 × 4", "32768"]),
        (
            "nibbles 0xff in both, LZ4",
            BlockType::Lz4,
            |f| [HEADER, SHARD].iter().for_each(|name| change(f, name, |b| b[4] = 0xff)),
            &["truncated", "jump table ends"],
        ),
        (
            "nibbles 0xff in both, RAW",
            BlockType::Raw,
            |f| [HEADER, SHARD].iter().for_each(|name| change(f, name, |b| b[4] = 0xff)),
            &["truncated"],
        ),
        ("huge chunk, LZ4", BlockType::Lz4, |f| [HEADER, SHARD].iter().for_each(|name| change(f, name, |b| b[4] = 0x0f)), &["can be held"]),
        ("large chunk, LZ4", BlockType::Lz4, |f| [HEADER, SHARD].iter().for_each(|name| change(f, name, |b| b[4] = 0x09)), &["jump table"]),
        ("huge chunk, RAW", BlockType::Raw, |f| [HEADER, SHARD].iter().for_each(|name| change(f, name, |b| b[4] = 0x0f)), &["truncated"]),
        ("data offset 0", BlockType::Lz4, |f| change(f, SHARD, |b| set_u64(b, 8, 0)), &["data offset 0"]),
        ("data offset in the table", BlockType::Lz4, |f| change(f, SHARD, |b| set_u64(b, 8, 79)), &["data offset 79", "jump table"]),
        ("data offset behind chunk 0", BlockType::Lz4, |f| change(f, SHARD, |b| set_u64(b, 8, 500)), &["jump table"]),
        ("data offset far away", BlockType::Lz4, |f| change(f, SHARD, |b| set_u64(b, 8, u64::MAX)), &["jump table"]),
        ("RAW data offset 0", BlockType::Raw, |f| change(f, SHARD, |b| set_u64(b, 8, 0)), &["data offset 0"]),
        ("RAW data offset far away", BlockType::Raw, |f| change(f, SHARD, |b| set_u64(b, 8, u64::MAX)), &["truncated"]),
        (
            "entries 0 from the fourth on",
            BlockType::Lz4,
            |f| change(f, SHARD, |b| b[16 + 24..80].fill(0)),
            &["jump table", "is 0", "not written to the end"],
        ),
        ("all entries 0", BlockType::Lz4, |f| change(f, SHARD, |b| b[16..80].fill(0)), &["jump table", "not written to the end"]),
        ("decreasing entry", BlockType::Lz4, |f| change(f, SHARD, |b| set_u64(b, 16 + 24, 90)), &["jump table", "before"]),
        (
            "entry behind the end",
            BlockType::Lz4,
            |f| change(f, SHARD, |b| set_u64(b, 16 + 24, 1 << 62)),
            &["jump table", "truncated", "beyond"],
        ),
        ("another voxel type", BlockType::Lz4, |f| change(f, SHARD, |b| b[6] = 8), &["voxel type is int16", "uint16"]),
        ("another voxel size", BlockType::Lz4, |f| change(f, SHARD, |b| b[7] = 4), &["voxel type is 2 × uint16"]),
        ("another chunk shape", BlockType::Lz4, |f| change(f, SHARD, |b| b[4] = 0x11), &["chunk shape is 2 × 2 × 2"]),
        ("another shard shape", BlockType::Lz4, |f| change(f, SHARD, |b| b[4] = 0x02), &["chunks per shard are 1 × 1 × 1"]),
        ("another magic", BlockType::Lz4, |f| change(f, SHARD, |b| b[0] = b'X'), &["magic"]),
        ("another version", BlockType::Lz4, |f| change(f, SHARD, |b| b[3] = 9), &["Version 9"]),
        ("another block type", BlockType::Lz4, |f| change(f, SHARD, |b| b[5] = 7), &["block type 7"]),
        ("garbage for a block", BlockType::Lz4, |f| change(f, SHARD, |b| b[80..120].fill(0xf3)), &["LZ4"]),
    ];
    for (name, block_type, damage, words) in cases {
        let mut files = base(*block_type);
        damage(&mut files);

        let outcome = bounded(|| in_memory_outcome(&files));

        let messages = outcome.all_messages();
        assert!(matches!(outcome.whole, Some(Err(_))), "{name}: the box is read: {messages}");
        let message = outcome.whole.and_then(Result::err).unwrap_or_default();
        assert!(message.starts_with("chunk ") && message.contains("of shard 0, 0, 0") && message.ends_with("x0.wkw"), "{name}: {message}");
        for word in *words {
            assert!(messages.contains(word), "{name}: no {word:?} in {messages}");
        }
    }
}

#[test]
fn damage_of_one_shard_leaves_the_other_readable() {
    let files = with(base(BlockType::Lz4), SHARD, |b| b[..16].fill(0xff));
    let outcome = in_memory_outcome(&files);
    let sound: Vec<_> = outcome.chunks.iter().filter(|(_, result)| result.is_ok()).map(|(chunk_box, _)| chunk_box.topleft.x).collect();
    assert!(sound.len() == 8 && sound.iter().all(|x| *x >= 8), "{sound:?}");
    outcome.assert_no_wrong_data("one shard");
}

#[test]
fn a_block_without_bytes_is_zeros_with_a_warning() {
    // Chunk 3 ends where it begins; the chunks behind it move up.
    let files = with(base(BlockType::Lz4), SHARD, |bytes| {
        let end = |bytes: &[u8], n: usize| u64::from_le_bytes(bytes[16 + 8 * n..][..8].try_into().expect("eight"));
        let (from, to) = (end(bytes, 2), end(bytes, 3));
        bytes.drain(usize::try_from(from).expect("small")..usize::try_from(to).expect("small"));
        for n in 3..8 {
            let moved = end(bytes, n) - (to - from);
            set_u64(bytes, 16 + 8 * n, moved);
        }
    });

    let outcome = bounded(|| in_memory_outcome(&files));

    for (chunk_box, result) in &outcome.chunks {
        let right = if chunk_box.topleft == Vec3Int::new(4, 4, 0) { vec![0; 128] } else { expected(UINT16, &stored(), chunk_box) };
        assert_eq!(result.as_ref(), Ok(&right), "{chunk_box}");
    }
    assert!(matches!(outcome.whole, Some(Ok(_))));
    assert_eq!(outcome.warnings.len(), 1, "{:?}", outcome.warnings);
    assert!(outcome.warnings[0].contains("take no bytes"), "{:?}", outcome.warnings);
    let layout = outcome.layouts[0].clone().expect("sound").expect("stored");
    assert_eq!(layout.spans[3].state, SpanState::Empty);
}

#[test]
fn raw_shards_in_an_lz4_mag_and_the_reverse_are_read_by_their_own_headers() {
    for (mag, shard) in [
        (BlockType::Raw, BlockType::Lz4),
        (BlockType::Lz4, BlockType::Raw),
        (BlockType::Lz4Hc, BlockType::Raw),
        (BlockType::Raw, BlockType::Lz4Hc),
    ] {
        let files = with(base(mag), SHARD, |bytes| *bytes = file(&base(shard), SHARD).to_vec());
        bounded(|| in_memory_outcome(&files)).assert_right(&format!("{shard:?} in {mag:?}"));
    }
}

#[test]
fn gaps_between_header_and_data_are_skipped() {
    for block_type in [BlockType::Raw, BlockType::Lz4] {
        let files = with(base(block_type), SHARD, |bytes| {
            let index_len = if block_type == BlockType::Raw { 16 } else { 80 };
            bytes.splice(index_len..index_len, [0xee; 24]);
            let entries = if block_type == BlockType::Raw { 0 } else { 8 };
            for n in 0..=entries {
                let at = 8 + 8 * n;
                let moved = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight")) + 24;
                set_u64(bytes, at, moved);
            }
        });
        bounded(|| in_memory_outcome(&files)).assert_right(&format!("{block_type:?} with a gap"));
    }
}

#[test]
fn a_data_offset_in_header_wkw_is_ignored() {
    let files = with(base(BlockType::Lz4), HEADER, |bytes| set_u64(bytes, 8, u64::MAX));
    bounded(|| in_memory_outcome(&files)).assert_right("data offset in header.wkw");
}

#[test]
fn a_block_that_decodes_to_more_or_fewer_bytes_is_an_error() {
    for len in [127, 129, 4096] {
        // One chunk per shard, so that the block can be of any length.
        let dir = tempfile::tempdir().expect("a folder");
        write_mag(&dir.path().join("1"), header(2, 0, BlockType::Lz4, UINT16), &boxed([0; 3], [4, 4, 4]));
        let files = with(files(dir.path()), "1/z0/y0/x0.wkw", |bytes| {
            bytes.truncate(24);
            bytes.extend(lz4::encode(&vec![7; len]));
            let end = bytes.len() as u64;
            set_u64(bytes, 16, end);
        });
        let outcome = bounded(|| exercise(&MemoryOpener::new("/d", in_memory(&files)), Path::new("/d/1"), &cube(4)));
        let message = outcome.whole.and_then(Result::err).unwrap_or_default();
        assert!(message.contains("decodes to") || message.contains("LZ4"), "{len}: {message}");
    }
}

/// Sparse files can be as long as a header claims without holding anything.
#[test]
fn a_sparse_shard_of_terabytes_is_read_without_allocating_its_length() {
    for (dims, block_type) in [(0x0d_u8, BlockType::Raw), (0x0e, BlockType::Lz4), (0x0b, BlockType::Lz4)] {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("1");
        std::fs::create_dir_all(folder.join("z0/y0")).expect("a folder");
        let header = WkwHeader { chunk_log2: dims & 15, chunks_per_shard_log2: dims >> 4, ..header(0, 0, block_type, UINT8) };
        std::fs::write(folder.join("header.wkw"), header.to_bytes().expect("expressible")).expect("written");
        let len = header.expected_data_offset() + header.chunk_len();
        let mut bytes = WkwHeader { data_offset: header.expected_data_offset(), ..header }.to_bytes().expect("expressible").to_vec();
        bytes.extend(len.to_le_bytes());
        let path = folder.join("z0/y0/x0.wkw");
        std::fs::write(&path, bytes).expect("written");
        let file = std::fs::OpenOptions::new().write(true).open(&path).expect("there");
        if file.set_len(len).is_err() {
            continue; // this file system has no files that long
        }
        let wanted = boxed([3, 4, 5], [6, 7, 8]);
        bounded(|| {
            let outcome = exercise(&LocalOpener::default(), &folder, &wanted);
            assert!(
                outcome.whole.as_ref().is_some_and(|whole| whole.as_ref().map_or(true, |bytes| bytes.len() == 6 * 7 * 8)),
                "{outcome:?}"
            );
        });
    }
}

#[test]
fn an_lz4_block_too_short_for_its_chunk_is_refused_before_the_chunk_is_allocated() {
    let mut files = base(BlockType::Lz4);
    // 512³ voxels of 2 bytes in one chunk, said to be encoded in a few hundred bytes.
    for name in [HEADER, SHARD] {
        change(&mut files, name, |bytes| bytes[4] = 0x09);
    }
    change(&mut files, SHARD, |bytes| {
        set_u64(bytes, 8, 24);
        let end = bytes.len() as u64;
        set_u64(bytes, 16, end);
    });
    let outcome = bounded(|| in_memory_outcome(&files));
    assert!(matches!(outcome.whole, Some(Err(_))), "{outcome:?}");
}

/// The text of a JSON, and words of the error, or of a problem where it opens nevertheless.
type JsonCase<'a> = (&'a str, Result<&'static [&'static str], &'static str>);

#[test]
fn a_json_of_every_broken_kind_is_an_error_or_a_list_of_assumptions() {
    let nested = "[".repeat(200_000);
    let nested_layer = format!(r#"{{"dataLayers":{nested}"#);
    let cases: &[JsonCase] = &[
        ("", Err("line 1 column 0")),
        ("{", Err("line 1 column 1")),
        ("{ not json", Err("line 1 column 3")),
        ("null", Err("dataLayers")),
        ("[]", Err("dataLayers")),
        ("42", Err("dataLayers")),
        ("\"text\"", Err("dataLayers")),
        ("{}", Err("dataLayers")),
        (r#"{"dataLayers":{}}"#, Err("dataLayers")),
        (r#"{"dataLayers":[]} trailing"#, Err("line 1 column 19")),
        ("{\"dataLayers\":[],\n\"scale\":NaN}", Err("line 2")),
        ("\u{fffd}PNG", Err("line 1")),
        (&nested, Err("line 1")),
        (&nested_layer, Err("line 1")),
        (r#"{"dataLayers":[]}"#, Ok(&["No layers"])),
        (r#"{"dataLayers":[1,null,"x",[],{}]}"#, Ok(&["is no object", "has no name"])),
        (
            r#"{"dataLayers":[{"name":"c"}]}"#,
            Ok(&["no category", "dataFormat", "boundingBox", "declares no mags", "elementClass", "voxel size"]),
        ),
        (r#"{"scale":"abc","dataLayers":[{"name":"c","mags":[1]}]}"#, Ok(&["voxels are shown as cubes"])),
        (r#"{"scale":{"factor":[1,2],"unit":5},"dataLayers":[{"name":"c","mags":[1]}]}"#, Ok(&["voxels are shown as cubes"])),
        (r#"{"scale":[0,-1,1e300],"dataLayers":[{"name":"c","mags":[1]}]}"#, Ok(&["voxels are shown as cubes"])),
        (r#"{"dataLayers":[{"name":"c","mags":[0,-1,"x",[1,2],[1,2,3,4],{},null,1.5,[99999999999,1,1]]}]}"#, Ok(&["is no mag"])),
        (
            r#"{"dataLayers":[{"name":"c","mags":[1],"boundingBox":{"topLeft":[9223372036854775807,0,0],"width":9223372036854775807,"height":1,"depth":1}}]}"#,
            Ok(&["voxel size"]),
        ),
        (
            r#"{"dataLayers":[{"name":"c","mags":[1],"boundingBox":{"topLeft":[0,0,0],"width":-5,"height":1,"depth":1}}]}"#,
            Ok(&["boundingBox"]),
        ),
        (r#"{"dataLayers":[{"name":"c","mags":[{"mag":1,"path":"s3://bucket/c"}]}]}"#, Ok(&["lies on a server"])),
        (r#"{"dataLayers":[{"name":"c","mags":[{"mag":1,"path":"\u0000"}]}]}"#, Ok(&["Can't open"])),
        (r#"{"dataLayers":[{"name":"../../../..","mags":[1]}]}"#, Ok(&["Can't open"])),
        (r#"{"dataLayers":[{"name":"c","dataFormat":"tiff","mags":[1]}]}"#, Ok(&["tiff"])),
        (r#"{"dataLayers":[{"name":"c","dataFormat":"wkw","mags":[1],"elementClass":"uint9000"}]}"#, Ok(&["uint9000"])),
        (r#"{"dataLayers":[{"name":"c","mags":[1],"largestSegmentId":-1,"numChannels":1e99}]}"#, Ok(&["no category"])),
    ];
    bounded(|| {
        cases.par_iter().for_each(|(json, wanted)| {
            let files = with(base(BlockType::Lz4), JSON, |bytes| *bytes = json.as_bytes().to_vec());
            let short = json.get(..80).unwrap_or(json);
            let outcome = in_memory_outcome(&files);
            match wanted {
                Err(word) => {
                    assert_eq!(outcome.refused.len(), 1, "{short}");
                    assert!(outcome.refused[0].contains(word) && outcome.refused[0].contains(JSON), "{short}: {}", outcome.refused[0]);
                    assert!(outcome.whole.is_none());
                }
                Ok(words) => {
                    for word in *words {
                        assert!(
                            outcome.problems.iter().any(|problem| problem.contains(word)),
                            "{short}: no {word:?} in {:?}",
                            outcome.problems
                        );
                    }
                }
            }
        });
    });
}

#[test]
fn a_utf8_mark_before_the_json_is_no_error_and_utf16_is() {
    let sound = base(BlockType::Lz4);
    let marked = with(sound.clone(), JSON, |bytes| drop(bytes.splice(0..0, *b"\xef\xbb\xbf")));
    in_memory_outcome(&marked).assert_right("UTF-8 mark");
    let wide = with(sound, JSON, |bytes| *bytes = bytes.iter().flat_map(|b| [*b, 0]).collect());
    assert_eq!(in_memory_outcome(&wide).refused.len(), 1);
}

#[cfg(unix)]
mod on_disk {
    use super::*;
    use std::os::unix::fs::symlink;

    fn dataset() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        small_dataset(dir.path());
        dir
    }

    fn replace(path: &Path, make: impl FnOnce(&Path)) {
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.expect("removed");
        make(path);
    }

    fn make_folder(path: &Path) {
        std::fs::create_dir(path).expect("a folder");
    }

    fn link_nowhere(path: &Path) {
        symlink("/nowhere/at/all", path).expect("a link");
    }

    fn link_in_a_circle(path: &Path) {
        symlink(path.file_name().expect("a name"), path).expect("a link");
    }

    fn make_file(path: &Path) {
        std::fs::write(path, b"no folder").expect("a file");
    }

    /// What stands in the place of something else, and how it is made.
    type Kind = (&'static str, fn(&Path));

    const PLACES: [&str; 7] = [JSON, "color", "color/1", "color/1/header.wkw", "color/1/z0", "color/1/z0/y0", "color/1/z0/y0/x0.wkw"];

    #[test]
    fn something_else_in_the_place_of_a_file_or_folder_is_named_and_never_empty_space() {
        let kinds: [Kind; 4] =
            [("a dangling link", link_nowhere), ("a circle of links", link_in_a_circle), ("a file", make_file), ("a folder", make_folder)];
        for place in PLACES {
            for (kind, make) in kinds {
                let is_folder = !place.contains('.');
                if is_folder == (kind == "a folder") || (kind == "a file" && !is_folder) {
                    continue; // that is what belongs there
                }
                let dir = dataset();
                replace(&dir.path().join(place), make);

                let outcome = bounded(|| on_disk_outcome(dir.path()));

                let what = format!("{kind} for {place}");
                let is_named = !outcome.refused.is_empty() || matches!(outcome.whole, Some(Err(_)));
                assert!(is_named, "{what}: {outcome:?}");
                let last = place.rsplit('/').next().expect("a name");
                assert!(outcome.all_messages().contains(last), "{what}: {}", outcome.all_messages());
            }
        }
    }

    #[test]
    fn a_layer_link_that_leads_nowhere_is_named_without_a_json_too() {
        let dir = dataset();
        std::fs::remove_file(dir.path().join(JSON)).expect("removed");
        symlink("/nowhere/at/all", dir.path().join("color/2")).expect("a link");
        let outcome = on_disk_outcome(dir.path());
        assert!(
            outcome.problems.iter().any(|problem| problem.starts_with("Error") && problem.contains("color/2")),
            "{:?}",
            outcome.problems
        );
    }

    #[test]
    fn pipes_in_the_place_of_files_do_not_hang() {
        for place in ["pipe", JSON, "color/1/header.wkw", "color/1/z0/y0/x0.wkw"] {
            let dir = dataset();
            let path = dir.path().join(place);
            let _ = std::fs::remove_file(&path);
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            if !made.is_ok_and(|status| status.success()) {
                return; // no mkfifo here
            }
            let opened = if place == "pipe" { path } else { dir.path().to_owned() };
            let (done, wait) = mpsc::channel();
            // Not joined: a hang must fail the test, not hold it up.
            std::thread::spawn(move || {
                let _ = done.send(on_disk_outcome(&opened));
            });
            let outcome = wait.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|_| panic!("{place} as a pipe hangs"));
            assert!(!outcome.refused.is_empty() || matches!(outcome.whole, Some(Err(_))), "{place}: {outcome:?}");
        }
    }

    #[test]
    fn an_unreadable_json_above_is_no_reason_to_refuse_a_mag() {
        for make in [make_folder as fn(&Path), link_nowhere, make_file] {
            let dir = dataset();
            replace(&dir.path().join(JSON), make);
            for below in ["color", "color/1", "color/1/z0/y0/x0.wkw"] {
                let outcome = on_disk_outcome(&dir.path().join(below));
                assert_eq!(outcome.whole, Some(Ok(volume(UINT8, &small_box()))), "{below}: {}", outcome.all_messages());
            }
        }
    }

    #[test]
    fn a_shard_that_shrinks_while_it_is_open_is_an_error_of_its_chunks() {
        let dir = dataset();
        let opened = open(&LocalOpener::default(), dir.path()).expect("opens");
        let source = opened.layers[0].levels[0].source.clone().expect("a level");
        let chunk = ChunkIndex(Vec3Int::new(1, 1, 1));
        let location = source.locate(chunk).expect("sound").expect("stored");
        std::fs::OpenOptions::new().write(true).open(dir.path().join("color/1/z0/y0/x0.wkw")).expect("there").set_len(100).expect("cut");
        let message = read_encoded(source.as_ref(), &[location]).expect_err("cut").to_string();
        assert!(message.contains("truncated") && message.contains("chunk 1, 1, 1"), "{message}");
    }
}

#[test]
fn problems_name_their_severity() {
    // Relied on above: errors of the list begin with their severity.
    assert_eq!(format!("{:?}", Severity::Error), "Error");
    assert_eq!(Shape3::from(STORED).voxel_count(), Some(1024));
}
