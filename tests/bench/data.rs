//! Layers to measure on: one WKW shard of 512³ voxels, LZ4, chunks of 32³, made once from the demo volume.

use chunkscope::demo::{DemoVolume, cell_id};
use chunkscope::format::wkw::{BlockType, ShardIndexCache, WkwHeader, WkwSource, WkwWriter};
use chunkscope::geometry::{BoundingBox, Shape3, ShardIndex, Vec3Int};
use chunkscope::storage::LocalFolder;
use chunkscope::voxel::{ElementClass, VoxelType};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Side of the shard in voxels.
pub const SIDE: usize = 512;

/// Side of a chunk in voxels.
pub const CHUNK: i64 = 32;

/// A layer on disk.
pub struct BenchLayer {
    /// Name for reports.
    pub name: &'static str,
    /// The mag's folder.
    pub folder: PathBuf,
    /// Type of its voxels.
    pub voxel_type: VoxelType,
    /// How its chunks are compressed.
    pub block_type: BlockType,
}

impl BenchLayer {
    /// Opens it afresh, without anything cached.
    pub fn open(&self) -> WkwSource {
        WkwSource::open(Arc::new(LocalFolder::new(&self.folder)), Arc::new(ShardIndexCache::default())).expect("own data")
    }
}

/// The layers, written below the build folder unless they are there.
pub fn layers() -> Vec<BenchLayer> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-512-5");
    let kinds = [
        ("uint8", VoxelType::single(ElementClass::Uint8)),
        ("uint16", VoxelType::single(ElementClass::Uint16)),
        ("uint24", VoxelType::UINT24),
        ("float32", VoxelType::single(ElementClass::Float32)),
        ("segmentation uint32", VoxelType::single(ElementClass::Uint32)),
        ("segmentation uint32 HC", VoxelType::single(ElementClass::Uint32)),
        ("fine segmentation uint32", VoxelType::single(ElementClass::Uint32)),
        ("segmentation uint64", VoxelType::single(ElementClass::Uint64)),
    ];
    let layer = |name: &'static str, voxel_type| {
        let block_type = if name.ends_with("HC") { BlockType::Lz4Hc } else { BlockType::Lz4 };
        BenchLayer { name, folder: root.join(name.replace(' ', "_")), voxel_type, block_type }
    };
    let layers: Vec<BenchLayer> = kinds.into_iter().map(|(name, voxel_type)| layer(name, voxel_type)).collect();
    if layers.iter().any(|layer| !layer.folder.join("z0/y0/x0.wkw").is_file()) {
        eprintln!("writing the layers to measure on, once");
        write(&layers);
    }
    layers
}

/// The demo volume, mirrored along each axis until it fills the shard.
fn write(layers: &[BenchLayer]) {
    let [w, h, d] = DemoVolume::SHAPE;
    let volume = DemoVolume::new();
    let (mut em, mut segments) = (vec![0; w * h * d], vec![0; w * h * d]);
    volume.fill_slab(0, &mut em, &mut segments);
    let mirrored = |i: usize, side: usize| if (i / side).is_multiple_of(2) { i % side } else { side - 1 - i % side };
    let whole = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(SIDE as i64));
    for layer in layers {
        let mut bytes = Vec::with_capacity(SIDE * SIDE * SIDE * layer.voxel_type.byte_len());
        for z in 0..SIDE {
            for y in 0..SIDE {
                let row = w * (mirrored(y, h) + h * mirrored(z, d));
                let mut last = 0;
                for x in 0..SIDE {
                    let (at, segment) = if layer.name.starts_with("segmentation uint32") {
                        // As most segmentations are: finer than the demo's cells, and without gaps between segments.
                        let at = x / 2 + w * (y / 2 + h * (z / 2 % d));
                        (at, if segments[at] == 0 { last } else { segments[at] })
                    } else {
                        let at = row + mirrored(x, w);
                        (at, segments[at])
                    };
                    last = segment;
                    push(&mut bytes, layer.voxel_type, em[at], segment);
                }
            }
        }
        let header = WkwHeader {
            chunk_log2: 5,
            chunks_per_shard_log2: 4,
            block_type: layer.block_type,
            voxel_type: layer.voxel_type,
            data_offset: 0,
        };
        let writer = WkwWriter::create(&layer.folder, header).expect("writable");
        writer.write_shard(ShardIndex(Vec3Int::ZERO), &bytes, &whole).expect("writable");
    }
}

fn push(bytes: &mut Vec<u8>, voxel_type: VoxelType, em: u8, segment: u32) {
    let id = cell_id(segment);
    match (voxel_type.class, voxel_type.channels) {
        (ElementClass::Uint8, 3) => bytes.extend([em, em / 2, u8::MAX - em]),
        (ElementClass::Uint8, _) => bytes.push(em),
        (ElementClass::Uint16, _) => bytes.extend((300 + u16::from(em) * 15).to_le_bytes()),
        (ElementClass::Float32, _) => bytes.extend((f32::from(em) / 255.0 - 0.3).to_le_bytes()),
        (ElementClass::Uint32, _) => bytes.extend(id.to_le_bytes()),
        (ElementClass::Uint64, _) => bytes.extend((u64::from(id) << 20).to_le_bytes()),
        (other, _) => unreachable!("no layer of {other} is measured"),
    }
}

/// Chunk positions in an order without pattern, the same in every run.
pub fn random_chunks(count: usize) -> Vec<Vec3Int> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let side = SIDE as u64 / CHUNK as u64;
    let mut next = || {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % side
    };
    (0..count).map(|_| Vec3Int::new(next() as i64, next() as i64, next() as i64)).collect()
}
