//! Builders for tests: small WKW datasets on disk and in memory, the corpus and its manifest, running the program.
//!
//! Volumes are functions of the position, so that a test knows what any voxel must be without storing it.
#![allow(dead_code, missing_docs, reason = "each test binary uses its own part")]

pub mod archives;
mod manifest;

#[allow(unused_imports, reason = "each test binary uses its own part")]
pub use manifest::{Approximate, Case, EqualGroup, Probe, all_cases, cases, corpus, equal_groups};

use chunkscope::format::wkw::{BlockType, WkwHeader, WkwWriter};
use chunkscope::geometry::{BoundingBox, Shape3, ShardIndex, Vec3Int};
use chunkscope::storage::{MemoryStorage, StorageKey};
use chunkscope::voxel::{ElementClass, VoxelType};
use rayon::prelude::*;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

pub const UINT8: VoxelType = VoxelType::single(ElementClass::Uint8);
pub const UINT16: VoxelType = VoxelType::single(ElementClass::Uint16);

pub fn boxed(topleft: [i64; 3], shape: [i64; 3]) -> BoundingBox {
    BoundingBox::new(topleft.into(), shape.into())
}

/// A header with chunks of `2^chunk_log2` voxels and shards of `2^shard_log2` chunks a side.
pub fn header(chunk_log2: u8, shard_log2: u8, block_type: BlockType, voxel_type: VoxelType) -> WkwHeader {
    WkwHeader { chunk_log2, chunks_per_shard_log2: shard_log2, block_type, voxel_type, data_offset: 0 }
}

/// Canonical bytes of a box of the test volume. No voxel is all zeros, neighbours differ.
pub fn volume(voxel_type: VoxelType, covered: &BoundingBox) -> Vec<u8> {
    let len = voxel_type.byte_len();
    let mut bytes = Vec::with_capacity(covered.shape.byte_len(len).expect("a small box"));
    let end = covered.bottomright();
    for z in covered.topleft.z..end.z {
        for y in covered.topleft.y..end.y {
            for x in covered.topleft.x..end.x {
                let at = x.wrapping_mul(3).wrapping_add(y.wrapping_mul(31)).wrapping_add(z.wrapping_mul(101));
                bytes.extend((0..len as i64).map(|i| u8::try_from((at + 7 * i).rem_euclid(251)).expect("below 251") + 1));
            }
        }
    }
    bytes
}

/// What reading `wanted` must give where only `stored` was written.
pub fn expected(voxel_type: VoxelType, stored: &BoundingBox, wanted: &BoundingBox) -> Vec<u8> {
    let mut out = vec![0; wanted.shape.byte_len(voxel_type.byte_len()).expect("a small box")];
    let part = stored.intersect(wanted);
    if !part.is_empty() {
        chunkscope::voxel::copy_box(&volume(voxel_type, &part), &part, &mut out, wanted, voxel_type.byte_len());
    }
    out
}

/// Writes the test volume's `stored` box as a WKW mag.
pub fn write_mag(folder: &Path, header: WkwHeader, stored: &BoundingBox) {
    let writer = WkwWriter::create(folder, header).expect("a mag is created");
    let side = header.chunk_shape().x() * header.chunks_per_shard().x();
    let first = stored.topleft.div_floor(Vec3Int::splat(side));
    let end = stored.bottomright().div_ceil(Vec3Int::splat(side));
    for z in first.z..end.z {
        for y in first.y..end.y {
            for x in first.x..end.x {
                let shard = ShardIndex(Vec3Int::new(x, y, z));
                let part = writer.shard_box(shard).intersect(stored);
                writer.write_shard(shard, &volume(header.voxel_type, &part), &part).expect("a shard is written");
            }
        }
    }
}

/// A layer as `datasource-properties.json` describes it.
pub struct LayerSpec {
    pub name: String,
    pub bounds: BoundingBox,
    pub element_class: &'static str,
    /// Mag as JSON, and its `path` if it shall have one.
    pub mags: Vec<(Value, Option<String>)>,
}

impl LayerSpec {
    /// A uint8 layer with mag 1 at `./{name}/1`.
    pub fn simple(name: &str, bounds: BoundingBox) -> Self {
        Self { name: name.to_owned(), bounds, element_class: "uint8", mags: vec![(1.into(), Some(format!("./{name}/1")))] }
    }
}

/// The text of a `datasource-properties.json`.
pub fn properties(layers: &[LayerSpec]) -> String {
    let layers: Vec<Value> = layers
        .iter()
        .map(|layer| {
            let mags: Vec<Value> = layer
                .mags
                .iter()
                .map(|(mag, path)| {
                    path.as_ref().map_or_else(|| serde_json::json!({ "mag": mag }), |path| serde_json::json!({ "mag": mag, "path": path }))
                })
                .collect();
            let (t, s) = (layer.bounds.topleft, layer.bounds.shape);
            serde_json::json!({
                "name": layer.name, "category": "color", "elementClass": layer.element_class, "dataFormat": "wkw", "numChannels": 1,
                "boundingBox": { "topLeft": t.to_array(), "width": s.x(), "height": s.y(), "depth": s.z() }, "mags": mags,
            })
        })
        .collect();
    serde_json::json!({ "id": { "name": "", "team": "" }, "scale": { "factor": [11.24, 11.24, 28.0], "unit": "nanometer" }, "dataLayers": layers, "version": 1 }).to_string()
}

pub fn write_properties(folder: &Path, layers: &[LayerSpec]) {
    std::fs::create_dir_all(folder).expect("a folder is made");
    std::fs::write(folder.join("datasource-properties.json"), properties(layers)).expect("the JSON is written");
}

/// The box that [`small_dataset`] stores.
pub fn small_box() -> BoundingBox {
    boxed([1, 2, 3], [11, 10, 9])
}

/// A dataset with one uint8 layer `color`, mag 1, chunks of 4 and shards of 8 voxels a side.
pub fn small_dataset(folder: &Path) {
    write_mag(&folder.join("color/1"), header(2, 1, BlockType::Lz4, UINT8), &small_box());
    write_properties(folder, &[LayerSpec::simple("color", small_box())]);
}

/// All files below a folder, by key.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(folder: &Path, prefix: &str, out: &mut Vec<(String, Vec<u8>)>) {
        let mut entries: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            let name = format!("{prefix}{}", path.file_name().expect("a name").to_str().expect("UTF-8"));
            if path.is_dir() { walk(&path, &format!("{name}/"), out) } else { out.push((name, std::fs::read(&path).expect("readable"))) }
        }
    }
    let mut out = Vec::new();
    walk(folder, "", &mut out);
    out
}

pub fn key(text: &str) -> StorageKey {
    StorageKey::new(text).expect("a clean key")
}

/// Files as a storage in memory.
pub fn in_memory(files: &[(String, Vec<u8>)]) -> Arc<MemoryStorage> {
    let storage = MemoryStorage::default();
    for (name, bytes) in files {
        storage.put(&key(name), bytes.clone());
    }
    Arc::new(storage)
}

/// What the program answered.
#[derive(Debug)]
pub struct Answer {
    /// Exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Answer {
    /// The lines that begin with `error:`.
    pub fn errors(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("error:")).collect()
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("text")
    }
}

/// The program with these arguments, not yet started.
pub fn program<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkscope"));
    command.args(args).stdin(Stdio::null()).env_remove("RUST_LOG").env("RUST_BACKTRACE", "1");
    command
}

pub fn answer(mut command: Command) -> Answer {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    Answer { status: output.status.code(), stdout: output.stdout, stderr }
}

/// Runs the program.
pub fn run<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Answer {
    answer(program(args))
}

/// The program below a shell's limits.
#[cfg(unix)]
pub fn limited(limits: &str, args: &[String]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_chunkscope")]).args(args);
    command.stdin(Stdio::null()).env("RAYON_NUM_THREADS", "4").env("MALLOC_ARENA_MAX", "2");
    command
}

/// Checks that nothing was done, and that one line says why.
pub fn assert_refused(answer: &Answer, status: i32, words: &[&str], what: &str) {
    assert_eq!(answer.status, Some(status), "{what}: {}", answer.stderr);
    assert!(answer.stdout.is_empty(), "{what}: {} bytes on stdout", answer.stdout.len());
    assert_eq!(answer.errors().len(), 1, "{what}: {}", answer.stderr);
    assert!(!answer.stderr.contains("panicked") && !answer.stderr.contains("backtrace"), "{what}: {}", answer.stderr);
    for word in words {
        assert!(answer.stderr.contains(word), "{what}: no {word:?} in {}", answer.stderr);
    }
}

pub fn triple(v: Vec3Int) -> String {
    format!("{},{},{}", v.x, v.y, v.z)
}

/// `read PATH --offset … --shape …` and further arguments.
pub fn read_args(path: &Path, wanted: &BoundingBox, more: &[&str]) -> Vec<String> {
    let mut args = vec!["read".to_owned(), path.to_str().expect("UTF-8").to_owned()];
    args.extend(["--offset".to_owned(), triple(wanted.topleft), "--shape".to_owned(), triple(wanted.shape.to_vec())]);
    args.extend(more.iter().map(|s| (*s).to_owned()));
    args
}

pub fn class(name: &str) -> ElementClass {
    ElementClass::from_name(name).expect("a known type")
}

pub fn cube(side: i64) -> BoundingBox {
    BoundingBox::new(Vec3Int::ZERO, Shape3::splat(side))
}

/// What a panic said.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a text")
}

/// Checks all items on all threads. All that fail are named by the test's own thread, whose words the harness shows.
pub fn check_all<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let failed = items.par_iter().filter_map(|item| catch_unwind(AssertUnwindSafe(|| check(item))).err());
    let failures: Vec<String> = failed.map(|payload| panic_text(payload.as_ref()).to_owned()).collect();
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), items.len(), failures.join("\n"));
}

/// Numbers that look random and are the same in each run (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % end
    }
}

/// SHA-256 in hex (FIPS 180-4), so that the manifest's digests need no crate.
pub fn sha256(bytes: &[u8]) -> String {
    const K: [u32; 64] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
        0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
        0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
        0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
        0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
        0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ];
    let mut state: [u32; 8] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
    let mut compress = |block: &[u8; 64]| {
        let mut w = [0_u32; 64];
        for (i, word) in block.as_chunks::<4>().0.iter().enumerate() {
            w[i] = u32::from_be_bytes(*word);
        }
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for i in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = h.wrapping_add(s1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(K[i]).wrapping_add(w[i]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (sum, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(value);
        }
    };
    let (blocks, rest) = bytes.as_chunks::<64>();
    blocks.iter().for_each(&mut compress);
    let mut tail = rest.to_vec();
    tail.push(0x80);
    while tail.len() % 64 != 56 {
        tail.push(0);
    }
    tail.extend((bytes.len() as u64 * 8).to_be_bytes());
    tail.as_chunks::<64>().0.iter().for_each(&mut compress);
    state.iter().map(|word| format!("{word:08x}")).collect()
}
