//! `cargo bench --bench read`: random chunks, whole layers, and slices of each kind of layer.

mod data;

use chunkscope::format::{ChunkSource, decode, read_box, read_encoded};
use chunkscope::format::{DataFormat, Layer, LayerCategory, LayerConfiguration};
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3, SlicePlane, Vec3Int, VoxelSize};
use chunkscope::loading::{ChunkId, ChunkLookup, ChunkState, SourceId};
use chunkscope::scene::{LayerDisplay, PaneView, SliceLayer, SliceLevel, SliceRequest, ViewState, compose};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use data::{BenchLayer, CHUNK, SIDE, random_chunks};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

fn random(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random 32³ chunk");
    for layer in data::layers() {
        let source = layer.open();
        let chunk_len = source.chunk_byte_len().expect("small");
        group.throughput(Throughput::Bytes(chunk_len as u64));
        let chunks = random_chunks(1000);
        let mut at = chunks.iter().cycle();
        let mut out = vec![0; chunk_len];
        group.bench_function(format!("{}, chunkscope", layer.name), |bencher| {
            bencher.iter(|| {
                let chunk = at.next().expect("endless");
                let wanted = BoundingBox::new(chunk.times(Vec3Int::splat(CHUNK)), Shape3::splat(CHUNK));
                read_box(&source, &wanted, &mut out).expect("readable")
            });
        });
        let reference = wkwrap::Dataset::new(&layer.folder).expect("own data");
        let (voxel_len, side) = (layer.voxel_type.byte_len(), CHUNK as u32);
        group.bench_function(format!("{}, wkwrap", layer.name), |bencher| {
            bencher.iter(|| {
                let [x, y, z] = at.next().expect("endless").times(Vec3Int::splat(CHUNK)).to_array().map(|v| v as u32);
                let shape = wkwrap::Vec3 { x: side, y: side, z: side };
                let mut mat = wkwrap::Mat::new(&mut out, shape, voxel_len, reference.header().voxel_type, false).expect("valid");
                reference.read_mat(wkwrap::Vec3 { x, y, z }, &mut mat).expect("readable")
            });
        });
    }
    group.finish();
}

fn whole(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("whole 512³ layer");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for layer in data::layers().into_iter().filter(|layer| matches!(layer.name, "uint8" | "segmentation uint32")) {
        let source = layer.open();
        let wanted = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(SIDE as i64));
        let mut out = vec![0; wanted.shape.byte_len(layer.voxel_type.byte_len()).expect("fits")];
        group.throughput(Throughput::Bytes(out.len() as u64));
        group.bench_function(format!("{}, chunkscope, {} threads", layer.name, rayon::current_num_threads()), |bencher| {
            bencher.iter(|| read_box(&source, &wanted, &mut out).expect("readable"));
        });
        let reference = wkwrap::Dataset::new(&layer.folder).expect("own data");
        let side = SIDE as u32;
        group.bench_function(format!("{}, wkwrap, 1 thread", layer.name), |bencher| {
            bencher.iter(|| {
                let shape = wkwrap::Vec3 { x: side, y: side, z: side };
                let mut mat =
                    wkwrap::Mat::new(&mut out, shape, layer.voxel_type.byte_len(), reference.header().voxel_type, false).expect("valid");
                reference.read_mat(wkwrap::Vec3 { x: 0, y: 0, z: 0 }, &mut mat).expect("readable")
            });
        });
    }
    group.finish();
}

/// All chunks of a layer, decoded.
struct Decoded(HashMap<ChunkId, ChunkState>);

impl ChunkLookup for Decoded {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        self.0.get(&id).cloned().unwrap_or(ChunkState::Unknown)
    }
}

impl Decoded {
    fn new(source: &dyn ChunkSource, id: SourceId) -> Self {
        let all = source.grid().chunks_in(&BoundingBox::new(Vec3Int::ZERO, Shape3::splat(SIDE as i64)));
        let ready = |chunk: ChunkIndex| {
            let location = source.locate(chunk).expect("readable").expect("stored");
            let encoded = read_encoded(source, &[location]).expect("readable").pop().expect("one");
            (ChunkId { source: id, chunk }, ChunkState::Ready(Arc::new(decode(source, encoded).expect("sound"))))
        };
        Self(all.map(ready).collect())
    }
}

fn slice_request(layer: &BenchLayer, source: &dyn ChunkSource, id: SourceId, plane: SlicePlane) -> SliceRequest {
    let is_segmentation = layer.name.contains("segmentation");
    let category = if is_segmentation { LayerCategory::Segmentation } else { LayerCategory::Color };
    let bounding_box = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(SIDE as i64));
    let described = Layer {
        name: layer.name.to_owned(),
        category,
        format: DataFormat::Wkw,
        voxel_type: Some(layer.voxel_type),
        bounding_box,
        has_declared_box: true,
        largest_segment_id: None,
        levels: Vec::new(),
        axes: Vec::new(),
        segment_colors: std::sync::Arc::default(),
        configuration: LayerConfiguration::default(),
    };
    // Two pixels per voxel: 1024 × 1024 pixels of 512 × 512 voxels.
    let view = ViewState::new(Vec3Int::splat(SIDE as i64 / 2), 0.5);
    let slice_layer = SliceLayer {
        levels: vec![SliceLevel {
            mag: chunkscope::geometry::Mag::ONE,
            source: id,
            grid: *source.grid(),
            fill: Arc::from(source.fill_voxel()),
        }],
        voxel_type: layer.voxel_type,
        bounding_box,
        category,
        display: LayerDisplay::for_layer(&described),
    };
    SliceRequest {
        view: PaneView::new(&view, plane, [1024, 1024], &VoxelSize::VOXELS),
        voxel_size: VoxelSize::VOXELS,
        zoom: view.zoom(),
        layers: vec![slice_layer],
        missing_pattern: false,
        hovered_segment: None,
    }
}

fn slices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compose 1024 × 1024");
    for layer in data::layers() {
        let source = layer.open();
        let id = SourceId::next();
        let decoded = Decoded::new(&source, id);
        for plane in SlicePlane::ALL {
            let request = slice_request(&layer, &source, id, plane);
            group.bench_function(format!("{}, {plane}", layer.name), |bencher| {
                bencher.iter_batched(|| (), |()| compose(&request, &decoded), BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = random, whole, slices
}
criterion_main!(benches);
