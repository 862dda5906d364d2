//! Times of whole images, not run by default:
//! `RAYON_NUM_THREADS=1 cargo test --release --lib scene::compose::timing -- --ignored --nocapture`.

use super::test_volume::*;
use super::*;
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, SlicePlane, Vec3Int, VoxelSize};
use crate::loading::{ChunkId, ChunkState};
use crate::scene::pane::PaneView;
use crate::scene::view::ViewState;
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIDE: u32 = 1024;

/// Chunks that differ in content and memory, looked up by position.
struct Chunks {
    chunks: Vec<ChunkState>,
}

impl ChunkLookup for Chunks {
    fn chunk(&self, id: ChunkId) -> ChunkState {
        let ChunkIndex(p) = id.chunk;
        let spread = (p.x * 40_503 + p.y * 30_011 + p.z * 20_021) >> 4;
        self.chunks[spread.rem_euclid(self.chunks.len() as i64) as usize].clone()
    }
}

fn chunk(voxel_type: VoxelType, category: LayerCategory, seed: u32) -> ChunkState {
    let count = 32 * 32 * 32;
    let value = |i: u32| match category {
        LayerCategory::Color => (i ^ seed).wrapping_mul(2_654_435_761),
        // Segments of about 16 voxels' width.
        LayerCategory::Segmentation => (i >> 4 & 1) + (i >> 9 & 1) * 2 + (i >> 14 & 1) * 4 + seed * 8,
    };
    let bytes = match (voxel_type.class, voxel_type.channels) {
        (ElementClass::Float32, _) => (0..count).flat_map(|i| ((value(i) >> 8) as f32 / 16_777_216.0).to_le_bytes()).collect(),
        (class, channels) => {
            (0..count * channels).flat_map(|i| u64::from(value(i)).to_le_bytes().into_iter().take(class.byte_len())).collect()
        }
    };
    ChunkState::Ready(Arc::new(VoxelBuffer::new(voxel_type, Shape3::splat(32), bytes).expect("right length")))
}

fn best_of(runs: usize, mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..runs).map(|_| time(&mut run)).min().unwrap_or_default()
}

#[test]
#[ignore = "prints times"]
fn images_of_a_megapixel() {
    let single = VoxelType::single;
    let cases = [
        ("uint8", single(ElementClass::Uint8), LayerCategory::Color, Interpolation::Nearest),
        ("uint16", single(ElementClass::Uint16), LayerCategory::Color, Interpolation::Nearest),
        ("uint24", VoxelType::UINT24, LayerCategory::Color, Interpolation::Nearest),
        ("float32", single(ElementClass::Float32), LayerCategory::Color, Interpolation::Nearest),
        ("2 × uint8", VoxelType { class: ElementClass::Uint8, channels: 2 }, LayerCategory::Color, Interpolation::Nearest),
        ("4 × uint16", VoxelType { class: ElementClass::Uint16, channels: 4 }, LayerCategory::Color, Interpolation::Nearest),
        ("float16", single(ElementClass::Float16), LayerCategory::Color, Interpolation::Nearest),
        ("uint8 linear", single(ElementClass::Uint8), LayerCategory::Color, Interpolation::Linear),
        ("float32 linear", single(ElementClass::Float32), LayerCategory::Color, Interpolation::Linear),
        ("uint32 segments", single(ElementClass::Uint32), LayerCategory::Segmentation, Interpolation::Nearest),
        ("uint64 segments", single(ElementClass::Uint64), LayerCategory::Segmentation, Interpolation::Nearest),
    ];
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(4096));
    for (name, voxel_type, category, interpolation) in cases {
        let source = Volume::empty_in(Mag::ONE, [32; 3], voxel_type, bounds, &ChunkState::Missing);
        let chunks = Chunks { chunks: (0..1024).map(|seed| chunk(voxel_type, category, seed)).collect() };
        let mut layer = source.layer(category);
        layer.display.interpolation = interpolation;
        if voxel_type.class.is_float() {
            layer.display.window = crate::scene::layer_display::ValueWindow::new(0.0, 1.0);
        }
        let times = SlicePlane::ALL.map(|plane| {
            let view = PaneView::new(&ViewState::new(Vec3Int::splat(2048), 1.0), plane, [SIDE, SIDE], &VoxelSize::VOXELS);
            let request = request(view, vec![layer.clone()]);
            assert_eq!(compose(&request, &chunks).coverage.exact, u64::from(SIDE) * u64::from(SIDE));
            let compose_time = best_of(25, || drop(std::hint::black_box(compose(&request, &chunks))));
            let histogram_time = best_of(7, || drop(std::hint::black_box(crate::scene::histogram_of(&layer, 0, &view, &chunks))));
            format!("{plane} {:.1} ms (histogram {:.1})", compose_time.as_secs_f64() * 1e3, histogram_time.as_secs_f64() * 1e3)
        });
        println!("{name:16} {}", times.join(", "));
    }
}
