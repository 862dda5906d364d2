//! `cargo bench --bench ratios`: random chunks of LZ4 layers on two threads, beside the reference reader and
//! beside the plainest possible loop. Ratios of medians of interleaved runs, since a machine's speed drifts.
//!
//! Nothing decoded is kept; the file is in the system's cache.

mod data;

use chunkscope::codec::lz4;
use chunkscope::format::{ChunkSource, read_box};
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3, Vec3Int};
use data::{BenchLayer, CHUNK, random_chunks};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

const RUNS: usize = 15;
const THREADS: usize = 2;
const CHUNKS_PER_THREAD: usize = 1500;

fn main() {
    let layers = data::layers();
    println!("random {CHUNK}³ chunks, {THREADS} threads, medians of {RUNS} interleaved runs, chunks per second");
    println!("{:<26}{:>12}{:>12}{:>12}{:>16}{:>14}", "layer", "chunkscope", "wkwrap", "plain loop", "/ wkwrap", "/ plain loop");
    for layer in layers {
        measure(&layer);
    }
}

fn measure(layer: &BenchLayer) {
    let chunks = random_chunks(THREADS * CHUNKS_PER_THREAD);
    let (mut ours, mut peer, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    let source = layer.open();
    let reference = wkwrap::Dataset::new(&layer.folder).expect("own data");
    let loop_ = PlainLoop::new(layer, &source);
    for run in 0..=RUNS {
        let times = [
            timed(&chunks, |chunks| read_ours(&source, chunks)),
            timed(&chunks, |chunks| read_reference(&reference, layer, chunks)),
            timed(&chunks, |chunks| loop_.read(chunks)),
        ];
        if run > 0 {
            // The first run fills the system's cache.
            ours.push(times[0]);
            peer.push(times[1]);
            plain.push(times[2]);
        }
    }
    let rate = |secs: f64| (THREADS * CHUNKS_PER_THREAD) as f64 / secs;
    let [ours, peer, plain] = [ours, peer, plain].map(median);
    println!("{:<26}{:>12.0}{:>12.0}{:>12.0}{:>16.2}{:>14.2}", layer.name, rate(ours), rate(peer), rate(plain), peer / ours, plain / ours);
}

fn median(mut secs: Vec<f64>) -> f64 {
    secs.sort_by(f64::total_cmp);
    secs[secs.len() / 2]
}

/// Seconds that all threads together take for their shares.
fn timed(chunks: &[Vec3Int], read: impl Fn(&[Vec3Int]) -> u64 + Sync) -> f64 {
    let start = Instant::now();
    let sum: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = chunks.chunks(CHUNKS_PER_THREAD).map(|part| scope.spawn(|| read(part))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    std::hint::black_box(sum);
    start.elapsed().as_secs_f64()
}

/// One voxel of what was read, so that reading can't be left out.
fn touch(bytes: &[u8]) -> u64 {
    u64::from(bytes[bytes.len() / 2])
}

fn read_ours(source: &dyn ChunkSource, chunks: &[Vec3Int]) -> u64 {
    let mut out = vec![0; source.chunk_byte_len().expect("small")];
    let mut sum = 0;
    for chunk in chunks {
        let wanted = BoundingBox::new(chunk.times(Vec3Int::splat(CHUNK)), Shape3::splat(CHUNK));
        read_box(source, &wanted, &mut out).expect("readable");
        sum += touch(&out);
    }
    sum
}

fn read_reference(dataset: &wkwrap::Dataset, layer: &BenchLayer, chunks: &[Vec3Int]) -> u64 {
    let voxel_len = layer.voxel_type.byte_len();
    let side = CHUNK as u32;
    let mut out = vec![0; (side * side * side) as usize * voxel_len];
    let mut sum = 0;
    for chunk in chunks {
        let at = chunk.times(Vec3Int::splat(CHUNK)).to_array().map(|v| v as u32);
        let shape = wkwrap::Vec3 { x: side, y: side, z: side };
        let mut mat = wkwrap::Mat::new(&mut out, shape, voxel_len, dataset.header().voxel_type, false).expect("valid");
        dataset.read_mat(wkwrap::Vec3 { x: at[0], y: at[1], z: at[2] }, &mut mat).expect("readable");
        sum += touch(&out);
    }
    sum
}

/// Positioned read plus decode with the ranges known beforehand: what no reader can beat with this decoder.
struct PlainLoop {
    file: File,
    ranges: std::collections::HashMap<Vec3Int, (u64, usize)>,
    chunk_len: usize,
}

impl PlainLoop {
    fn new(layer: &BenchLayer, source: &dyn ChunkSource) -> Self {
        let file = File::open(layer.folder.join("z0/y0/x0.wkw")).expect("own data");
        let all = source.grid().chunks_in(&BoundingBox::new(Vec3Int::ZERO, Shape3::splat(data::SIDE as i64)));
        let range = |chunk: ChunkIndex| {
            let range = source.locate(chunk).expect("readable").expect("stored").range;
            (chunk.0, (range.start, range.len as usize))
        };
        Self { file, ranges: all.map(range).collect(), chunk_len: source.chunk_byte_len().expect("small") }
    }

    fn read(&self, chunks: &[Vec3Int]) -> u64 {
        let mut stored = Vec::new();
        let mut out = vec![0; self.chunk_len];
        let mut sum = 0;
        for chunk in chunks {
            let (start, len) = self.ranges[chunk];
            stored.resize(len, 0);
            self.file.read_exact_at(&mut stored, start).expect("readable");
            lz4::decode_into(&stored, &mut out).expect("own encoding");
            sum += touch(&out);
        }
        sum
    }
}
