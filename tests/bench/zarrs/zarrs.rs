//! Random chunks of Zarr arrays on two threads, beside the same voxels as WKW and beside zarrs. Ratios of medians of
//! interleaved runs.
//!
//! The Zarr 3 arrays are as the WEBKNOSSOS library writes them: axes c, x, y, z, x fastest inside chunks of 32³, shards
//! with their index at the end. Chunkscope gives x fastest as it is stored, zarrs gives z fastest as its interface has it.
//! Nothing decoded is kept; the files are in the system's cache.

#[path = "../data.rs"]
mod data;
#[path = "../timing.rs"]
mod timing;

use chunkscope::format::{ChunkSource, open, read_box};
use chunkscope::geometry::{BoundingBox, Shape3, Vec3Int};
use chunkscope::storage::LocalOpener;
use chunkscope::voxel::ElementClass;
use data::{BenchLayer, CHUNK, SIDE, random_chunks};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use timing::{RUNS, THREADS, interleaved, read_ours, touch};
use zarrs::array::{Array, ArrayBytes, ArrayShardedReadableExt, ArrayShardedReadableExtCache, CodecOptions};
use zarrs::filesystem::FilesystemStore;

/// Side of a Zarr 3 shard in voxels.
const SHARD: usize = 256;

/// How an array is stored.
#[derive(Clone, Copy)]
enum Way {
    /// Zarr 3, sharded, Blosc with LZ4 and byte shuffle.
    Blosc,
    /// Zarr 3, sharded, Zstandard of level 5 with a checksum.
    Zstd,
    /// The same without transposing: axes c, z, y, x. zarrs spends nearly all of its time on transposing.
    NotTurned,
    /// Zarr 2 in C order of z, y, x, a file for each chunk, Blosc with LZ4 and byte shuffle.
    Version2,
}

impl Way {
    const ALL: [Self; 4] = [Self::Blosc, Self::Zstd, Self::NotTurned, Self::Version2];

    const fn folder(self) -> &'static str {
        match self {
            Self::Blosc => "zarr3_blosc_lz4",
            Self::Zstd => "zarr3_zstd_5",
            Self::NotTurned => "zarr3_zyx_blosc_lz4",
            Self::Version2 => "zarr2_blosc_lz4",
        }
    }

    const fn metadata_file(self) -> &'static str {
        match self {
            Self::Blosc | Self::Zstd | Self::NotTurned => "zarr.json",
            Self::Version2 => ".zarray",
        }
    }

    /// Voxels along each side of what is written at once: a shard, or a chunk where there are none.
    const fn written_side(self) -> usize {
        match self {
            Self::Blosc | Self::Zstd | Self::NotTurned => SHARD,
            Self::Version2 => CHUNK as usize,
        }
    }

    fn metadata(self, class: ElementClass) -> String {
        let (name, v2_type, len) = match class {
            ElementClass::Uint8 => ("uint8", "|u1", 1),
            ElementClass::Uint32 => ("uint32", "<u4", 4),
            other => unreachable!("no layer of {other} is measured"),
        };
        let compressor = match self {
            Self::Version2 => {
                return format!(
                    r#"{{"zarr_format": 2, "shape": [{SIDE}, {SIDE}, {SIDE}], "chunks": [{CHUNK}, {CHUNK}, {CHUNK}],
                    "dtype": "{v2_type}", "fill_value": 0, "order": "C", "filters": null, "dimension_separator": "/",
                    "compressor": {{"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}}}}"#
                );
            }
            Self::Blosc | Self::NotTurned => format!(
                r#"{{"name": "blosc", "configuration":
                {{"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": {len}, "blocksize": 0}}}}"#
            ),
            Self::Zstd => r#"{"name": "zstd", "configuration": {"level": 5, "checksum": true}}"#.to_owned(),
        };
        let (names, turn) = match self {
            Self::NotTurned => (r#""c", "z", "y", "x""#, ""),
            Self::Blosc | Self::Zstd | Self::Version2 => {
                (r#""c", "x", "y", "z""#, r#"{"name": "transpose", "configuration": {"order": [3, 2, 1, 0]}},"#)
            }
        };
        format!(
            r#"{{"zarr_format": 3, "node_type": "array", "attributes": {{}}, "shape": [1, {SIDE}, {SIDE}, {SIDE}],
            "data_type": "{name}", "fill_value": 0, "dimension_names": [{names}],
            "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [1, {SHARD}, {SHARD}, {SHARD}]}}}},
            "chunk_key_encoding": {{"name": "default", "configuration": {{"separator": "/"}}}},
            "codecs": [{{"name": "sharding_indexed", "configuration": {{
                "chunk_shape": [1, {CHUNK}, {CHUNK}, {CHUNK}], "index_location": "end",
                "index_codecs": [{{"name": "bytes", "configuration": {{"endian": "little"}}}}, {{"name": "crc32c"}}],
                "codecs": [{turn} {{"name": "bytes", "configuration": {{"endian": "little"}}}}, {compressor}]}}}}]}}"#
        )
    }

    /// Position of a chunk or shard in the array's own order of dimensions.
    fn index(self, at: Vec3Int) -> Vec<u64> {
        let [x, y, z] = at.to_array().map(|v| v as u64);
        match self {
            Self::Blosc | Self::Zstd => vec![0, x, y, z],
            Self::NotTurned => vec![0, z, y, x],
            Self::Version2 => vec![z, y, x],
        }
    }
}

/// An array on disk with the layer whose voxels it has.
struct BenchArray {
    way: Way,
    folder: PathBuf,
}

impl BenchArray {
    /// The layer as an array, written below the build folder unless it is there.
    fn of(layer: &BenchLayer, way: Way) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-zarr-1").join(layer.name.replace(' ', "_")).join(way.folder());
        let array = Self { way, folder };
        let done = array.folder.join("done");
        if !done.is_file() {
            eprintln!("writing {}, once", array.folder.display());
            array.write(layer);
            std::fs::write(done, "").expect("writable");
        }
        array
    }

    fn write(&self, layer: &BenchLayer) {
        std::fs::create_dir_all(&self.folder).expect("writable");
        std::fs::write(self.folder.join(self.way.metadata_file()), self.way.metadata(layer.voxel_type.class)).expect("writable");
        let (source, array) = (layer.open(), self.open_zarrs());
        let side = self.way.written_side();
        let all = BoundingBox::new(Vec3Int::ZERO, Shape3::splat((SIDE / side) as i64));
        for at in positions(&all) {
            let wanted = BoundingBox::new(at.times(Vec3Int::splat(side as i64)), Shape3::splat(side as i64));
            let mut voxels = vec![0; wanted.shape.byte_len(layer.voxel_type.byte_len()).expect("fits")];
            read_box(&source, &wanted, &mut voxels).expect("readable");
            let elements = match self.way {
                Way::Blosc | Way::Zstd => reversed(&voxels, side, layer.voxel_type.byte_len()),
                Way::NotTurned | Way::Version2 => voxels,
            };
            array.store_chunk(&self.way.index(at), ArrayBytes::new_flen(elements)).expect("writable");
        }
    }

    fn open_zarrs(&self) -> Array<FilesystemStore> {
        Array::open(Arc::new(FilesystemStore::new(&self.folder).expect("there")), "/").expect("own metadata")
    }

    fn open(&self) -> Arc<dyn ChunkSource> {
        let dataset = open(&LocalOpener::default(), &self.folder).expect("own data");
        dataset.layers[0].levels[0].source.clone().expect("own data")
    }
}

fn positions(all: &BoundingBox) -> impl Iterator<Item = Vec3Int> {
    let [w, h, d] = all.shape.to_vec().to_array();
    (0..d).flat_map(move |z| (0..h).flat_map(move |y| (0..w).map(move |x| Vec3Int::new(x, y, z))))
}

/// A cube with its axes in reversed order.
fn reversed(voxels: &[u8], side: usize, len: usize) -> Vec<u8> {
    let mut out = vec![0; voxels.len()];
    for (i, voxel) in voxels.chunks_exact(len).enumerate() {
        let (x, y, z) = (i % side, i / side % side, i / side / side);
        let to = (z + side * (y + side * x)) * len;
        out[to..to + len].copy_from_slice(voxel);
    }
    out
}

/// An array with what zarrs remembers of its shards.
struct Peer {
    way: Way,
    array: Array<FilesystemStore>,
    indices: ArrayShardedReadableExtCache,
    options: CodecOptions,
}

impl Peer {
    fn new(array: &BenchArray) -> Self {
        let (way, array) = (array.way, array.open_zarrs());
        let indices = ArrayShardedReadableExtCache::new(&array);
        Self { way, array, indices, options: CodecOptions::default().with_concurrent_target(1) }
    }

    fn read_chunk(&self, chunk: Vec3Int) -> Vec<u8> {
        let read: ArrayBytes<'static> =
            self.array.retrieve_subchunk_opt(&self.indices, &self.way.index(chunk), &self.options).expect("readable");
        read.into_fixed().expect("of fixed length").into_owned()
    }

    fn read(&self, chunks: &[Vec3Int]) -> u64 {
        chunks.iter().map(|chunk| touch(&self.read_chunk(*chunk))).sum()
    }
}

fn main() {
    println!("random {CHUNK}³ chunks, {THREADS} threads, medians of {RUNS} interleaved runs, chunks per second");
    println!("{:<22}{:<20}{:>12}{:>12}{:>12}{:>10}{:>10}", "layer", "array", "chunkscope", "zarrs", "wkw", "/ wkw", "/ zarrs");
    for layer in data::layers().into_iter().filter(|layer| matches!(layer.name, "uint8" | "segmentation uint32")) {
        measure(&layer);
    }
}

/// Whether the command line asks for it: for all, or by a part of its name.
fn is_wanted(layer: &BenchLayer, way: Way) -> bool {
    let name = format!("{}/{}", layer.name, way.folder());
    let mut asked = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).peekable();
    asked.peek().is_none() || asked.any(|part| name.contains(&part))
}

fn measure(layer: &BenchLayer) {
    let wkw = layer.open();
    for way in Way::ALL.into_iter().filter(|way| is_wanted(layer, *way)) {
        let array = BenchArray::of(layer, way);
        let (source, peer) = (array.open(), Peer::new(&array));
        check(layer, &wkw, source.as_ref(), &peer);
        let [reference, ours, theirs] =
            interleaved([&|chunks| read_ours(&wkw, chunks), &|chunks| read_ours(source.as_ref(), chunks), &|chunks| peer.read(chunks)]);
        println!(
            "{:<22}{:<20}{ours:>12.0}{theirs:>12.0}{reference:>12.0}{:>10.2}{:>10.2}",
            layer.name,
            way.folder(),
            ours / reference,
            ours / theirs
        );
    }
}

/// What isn't read right needn't be fast.
fn check(layer: &BenchLayer, wkw: &dyn ChunkSource, ours: &dyn ChunkSource, peer: &Peer) {
    let len = layer.voxel_type.byte_len();
    for chunk in random_chunks(20) {
        let wanted = BoundingBox::new(chunk.times(Vec3Int::splat(CHUNK)), Shape3::splat(CHUNK));
        let voxels = |source: &dyn ChunkSource| {
            let mut out = vec![0; wanted.shape.byte_len(len).expect("fits")];
            read_box(source, &wanted, &mut out).expect("readable");
            out
        };
        let expected = voxels(wkw);
        assert!(voxels(ours) == expected, "chunk {chunk} read by chunkscope");
        let theirs = match peer.way {
            Way::Blosc | Way::Zstd => reversed(&peer.read_chunk(chunk), CHUNK as usize, len),
            Way::NotTurned | Way::Version2 => peer.read_chunk(chunk),
        };
        assert!(theirs == expected, "chunk {chunk} read by zarrs");
    }
}
