//! `cargo bench --bench paint`: a step of a brush of 50 voxels at mag 1, from its points to the composed picture, in an
//! annotation of five mags over a fallback layer on disk.
//!
//! What the window does for one pointer event: the editor paints into all mags and publishes the buckets, then the pane
//! is composed from edited buckets and loaded chunks. The target is 8 ms for both.

#[expect(dead_code, reason = "random chunks are read by the other benches")]
mod data;

use chunkscope::annotation::{
    ComposedSource, EditedBuckets, LevelSpec, OverwriteMode, PaintPlace, PaintSettings, VolumeAnnotation, VolumeEditor, VolumeSpec,
};
use chunkscope::format::annotation::BucketAddress;
use chunkscope::format::wkw::{BlockType, ShardIndexCache, WkwHeader, WkwSource, WkwWriter};
use chunkscope::format::{ChunkSource, DataFormat, Layer, LayerCategory, LayerConfiguration, MagLevel, decode, read_box, read_encoded};
use chunkscope::geometry::{BoundingBox, Mag, Shape3, ShardIndex, SlicePlane, Vec3Int, VoxelSize};
use chunkscope::loading::{ChunkId, ChunkLookup, ChunkState, SourceId};
use chunkscope::scene::{LayerDisplay, PaneView, SliceLayer, SliceLevel, SliceRequest, ViewState, compose};
use chunkscope::storage::LocalFolder;
use chunkscope::voxel::{ElementClass, VoxelBuffer, VoxelType};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MAGS: [i64; 5] = [1, 2, 4, 8, 16];
/// Extent of the volume in mag-1 voxels.
const SHAPE: [i64; 3] = [512, 512, 128];
/// A pane of a maximised window.
const PANE_PX: [u32; 2] = [940, 700];
const STEPS: usize = 40;

/// A level of the fallback layer, written below the build folder unless it is there.
fn fallback(mag: i64) -> Arc<dyn ChunkSource> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-paint-1/{mag}"));
    if !folder.join("header.wkw").is_file() {
        eprintln!("writing mag {mag} to paint over, once");
        write(mag, &folder);
    }
    Arc::new(WkwSource::open(Arc::new(LocalFolder::new(&folder)), Arc::new(ShardIndexCache::default())).expect("own data"))
}

fn write(mag: i64, folder: &Path) {
    let layers = data::layers();
    let finest = layers.iter().find(|layer| layer.name == "segmentation uint32").expect("a layer").open();
    let header = WkwHeader {
        chunk_log2: 5,
        chunks_per_shard_log2: 4,
        block_type: BlockType::Lz4,
        voxel_type: VoxelType::single(ElementClass::Uint32),
        data_offset: 0,
    };
    let shape = Shape3::from(SHAPE.map(|side| side / mag));
    let mut voxels = Vec::new();
    for z in 0..shape.z() {
        let plane = BoundingBox::new(Vec3Int::new(0, 0, z * mag), Shape3::new(SHAPE[0], SHAPE[1], 1));
        let mut read = vec![0; plane.shape.byte_len(4).expect("small")];
        read_box(&finest, &plane, &mut read).expect("readable");
        let (ids, _) = read.as_chunks::<4>();
        for y in 0..shape.y() {
            let row = (y * mag * SHAPE[0]) as usize;
            voxels.extend((0..shape.x()).flat_map(|x| ids[row + (x * mag) as usize]));
        }
    }
    let writer = WkwWriter::create(folder, header).expect("created");
    let whole = BoundingBox::new(Vec3Int::ZERO, shape);
    writer.write_shard(ShardIndex(Vec3Int::ZERO), &voxels, &whole).expect("written");
}

/// Edited buckets over loaded chunks, as the window looks them up.
struct Shown {
    edited: Vec<(SourceId, Arc<EditedBuckets>)>,
    loaded: HashMap<ChunkId, Arc<VoxelBuffer>>,
}

impl ChunkLookup for Shown {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        let edited = self.edited.iter().find(|(source, _)| *source == id.source);
        let bucket = edited.and_then(|(_, edited)| edited.get(&BucketAddress::at(id.chunk)));
        bucket.or_else(|| self.loaded.get(&id).cloned()).map_or(ChunkState::Missing, ChunkState::Ready)
    }
}

fn load_slice(id: SourceId, source: &dyn ChunkSource, slice: &BoundingBox, loaded: &mut HashMap<ChunkId, Arc<VoxelBuffer>>) {
    for chunk in source.grid().chunks_in(slice) {
        if let Some(location) = source.locate(chunk).expect("located") {
            let encoded = read_encoded(source, &[location]).expect("read").pop().expect("one");
            loaded.insert(ChunkId { source: id, chunk }, Arc::new(decode(source, encoded).expect("decoded")));
        }
    }
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{name:<34}{:>10.2}{:>10.2}{:>10.2}", ms(times[0]), ms(times[times.len() / 2]), ms(times[times.len() - 1]));
}

fn main() {
    let voxel_size = VoxelSize::new([11.24, 11.24, 28.0], None).expect("valid");
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::from(SHAPE));
    let levels = MAGS.map(|mag| LevelSpec { mag: Mag::new(mag, mag, mag).expect("a mag"), stored: None, fallback: Some(fallback(mag)) });
    let spec = VolumeSpec {
        name: "Volume".to_owned(),
        class: ElementClass::Uint32,
        voxel_size,
        bounding_box: bounds,
        axes: Vec::new(),
        fallback_layer: Some("segmentation".to_owned()),
        fallback_axes: Vec::new(),
        fallback_box: Some(bounds),
        levels: levels.into(),
        segments: Vec::new(),
        segment_groups: Vec::new(),
        largest_segment_id: Some(1 << 24),
        format: None,
    };
    println!("brush of 50 voxels, five mags, pane of {} × {} pixels; milliseconds: best, median, worst of {STEPS}", PANE_PX[0], PANE_PX[1]);
    for plane in SlicePlane::ALL {
        measure(plane, VolumeAnnotation::new(spec.clone()), voxel_size, bounds);
    }
}

fn measure(plane: SlicePlane, volume: VolumeAnnotation, voxel_size: VoxelSize, bounds: BoundingBox) {
    let source = Arc::new(ComposedSource::new(&volume.levels[0]));
    let id = SourceId::next();
    let center = Vec3Int::new(256, 256, 64);
    let view = PaneView::new(&ViewState::new(center, 0.6), plane, PANE_PX, &voxel_size);
    let mut shown = Shown { edited: vec![(id, volume.levels[0].edited.clone())], loaded: HashMap::new() };
    load_slice(id, source.as_ref(), &view.box_mag1().intersect(&bounds), &mut shown.loaded);
    let layer = Layer {
        name: "Volume".to_owned(),
        category: LayerCategory::Segmentation,
        format: DataFormat::Wkw,
        voxel_type: Some(source.voxel_type()),
        bounding_box: bounds,
        has_declared_box: true,
        largest_segment_id: None,
        levels: vec![MagLevel { mag: Mag::ONE, copy: 1, path: "volume".into(), source: Ok(source.clone()) }],
        axes: Vec::new(),
        segment_colors: Arc::default(),
        configuration: LayerConfiguration::default(),
    };
    let request = SliceRequest {
        view,
        voxel_size,
        zoom: 0.6,
        layers: vec![SliceLayer {
            levels: vec![SliceLevel { mag: Mag::ONE, source: id, grid: *source.grid(), fill: Arc::from(source.fill_voxel()) }],
            voxel_type: source.voxel_type(),
            bounding_box: bounds,
            category: LayerCategory::Segmentation,
            display: LayerDisplay { visible: true, ..LayerDisplay::for_layer(&layer) },
        }],
        missing_pattern: false,
        hovered_segment: None,
    };
    let mut editor = VolumeEditor::new(volume);
    let settings = PaintSettings { segment: 5, active: 5, mode: OverwriteMode::OverwriteAll };
    // A pointer that is moved fast: a third of the brush between two events.
    let at = |step: usize| {
        let mut point = center.to_array().map(|v| v as f64 + 0.5);
        for (axis, slope) in [(plane.right_axis(), 1.0), (plane.down_axis(), 0.6)] {
            let scale = if axis == 2 { 0.3 } else { 1.0 };
            point[axis] += (step as f64 - STEPS as f64 / 2.0) * 8.0 * slope * scale;
        }
        point
    };
    editor.begin_stroke(settings, PaintPlace { level: 0, plane, axes: Arc::default() }, 50.0, at(0)).expect("begun");
    let (mut paint, mut picture, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for step in 1..=STEPS {
        let start = Instant::now();
        let outcome = editor.extend_stroke(&[at(step)]).expect("painted");
        let painted = start.elapsed();
        std::hint::black_box(compose(&request, &shown));
        let done = start.elapsed();
        assert!(outcome.voxels > 0, "the stroke stays inside");
        paint.push(painted);
        picture.push(done - painted);
        both.push(done);
    }
    editor.end_stroke().expect("ended");
    report(&format!("{plane}: paint all mags"), paint);
    report(&format!("{plane}: compose"), picture);
    report(&format!("{plane}: both"), both);
}
