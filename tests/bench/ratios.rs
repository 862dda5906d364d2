//! `cargo bench --bench ratios`: random chunks of LZ4 layers on two threads, beside the reference reader and
//! beside the plainest possible loop. Ratios of medians of interleaved runs.
//!
//! Nothing decoded is kept; the file is in the system's cache.

mod data;
mod timing;

use chunkscope::codec::lz4;
use chunkscope::format::ChunkSource;
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3, Vec3Int};
use data::{BenchLayer, CHUNK};
use std::fs::File;
use std::os::unix::fs::FileExt;
use timing::{RUNS, THREADS, interleaved, read_ours, touch};

fn main() {
    let layers = data::layers();
    println!("random {CHUNK}³ chunks, {THREADS} threads, medians of {RUNS} interleaved runs, chunks per second");
    println!("{:<26}{:>12}{:>12}{:>12}{:>16}{:>14}", "layer", "chunkscope", "wkwrap", "plain loop", "/ wkwrap", "/ plain loop");
    for layer in layers {
        measure(&layer);
    }
}

fn measure(layer: &BenchLayer) {
    let source = layer.open();
    let reference = wkwrap::Dataset::new(&layer.folder).expect("own data");
    let loop_ = PlainLoop::new(layer, &source);
    let [ours, peer, plain] =
        interleaved([&|chunks| read_ours(&source, chunks), &|chunks| read_reference(&reference, layer, chunks), &|chunks| {
            loop_.read(chunks)
        }]);
    println!("{:<26}{ours:>12.0}{peer:>12.0}{plain:>12.0}{:>16.2}{:>14.2}", layer.name, ours / peer, ours / plain);
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
