//! Timing of readers side by side: medians of interleaved runs, since a machine's speed drifts.

use chunkscope::format::{ChunkSource, read_box};
use chunkscope::geometry::{BoundingBox, Shape3, Vec3Int};
use std::time::Instant;

use super::data::{CHUNK, random_chunks};

/// Runs that count.
pub const RUNS: usize = 15;

/// Threads that read at the same time.
pub const THREADS: usize = 2;

const CHUNKS_PER_THREAD: usize = 1500;

/// Reads some chunks, and returns a sum over voxels of what was read, so that reading can't be left out.
pub type Read<'a> = &'a (dyn Fn(&[Vec3Int]) -> u64 + Sync);

/// Chunks per second of each reader, in random order, all threads together.
pub fn interleaved<const N: usize>(readers: [Read<'_>; N]) -> [f64; N] {
    let chunks = random_chunks(THREADS * CHUNKS_PER_THREAD);
    let mut secs = [const { Vec::new() }; N];
    for run in 0..=RUNS {
        let times = readers.map(|read| timed(&chunks, read));
        if run > 0 {
            // The first run fills the system's cache.
            secs.iter_mut().zip(times).for_each(|(all, time)| all.push(time));
        }
    }
    secs.map(|secs| chunks.len() as f64 / median(secs))
}

fn median(mut secs: Vec<f64>) -> f64 {
    secs.sort_by(f64::total_cmp);
    secs[secs.len() / 2]
}

/// Seconds that all threads together take for their shares.
fn timed(chunks: &[Vec3Int], read: Read<'_>) -> f64 {
    let start = Instant::now();
    let sum: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = chunks.chunks(CHUNKS_PER_THREAD).map(|part| scope.spawn(|| read(part))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    std::hint::black_box(sum);
    start.elapsed().as_secs_f64()
}

/// One voxel of what was read.
pub fn touch(bytes: &[u8]) -> u64 {
    u64::from(bytes[bytes.len() / 2])
}

/// Reads with Chunkscope, each chunk into the same buffer.
pub fn read_ours(source: &dyn ChunkSource, chunks: &[Vec3Int]) -> u64 {
    let mut out = vec![0; source.chunk_byte_len().expect("small")];
    let mut sum = 0;
    for chunk in chunks {
        let wanted = BoundingBox::new(chunk.times(Vec3Int::splat(CHUNK)), Shape3::splat(CHUNK));
        read_box(source, &wanted, &mut out).expect("readable");
        sum += touch(&out);
    }
    sum
}
