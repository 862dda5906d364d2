//! Datasets that exist in memory only: any number of channels and further axes, values by a function.

use chunkscope::format::{
    ChunkEncoding, ChunkError, ChunkLocation, ChunkSource, DataFormat, Dataset, ExtraAxis, HeaderReport, Layer, LayerCategory,
    LayerConfiguration, MagLevel, ShardLayout, ViewConfiguration,
};
use chunkscope::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Mag, Shape3, ShardIndex, Vec3Int, VoxelSize};
use chunkscope::problem::{Problem, Problems};
use chunkscope::storage::{ByteRange, StorageError, StorageKey};
use chunkscope::voxel::VoxelType;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Voxel of a level, positions along further axes: all channels' bytes.
pub type Value = Arc<dyn Fn(Vec3Int, &[u64]) -> Vec<u8> + Send + Sync>;

/// Positions of each chunk that was read, in order.
pub type Reads = Arc<Mutex<Vec<Vec<u64>>>>;

pub struct SyntheticSource {
    grid: ChunkGrid,
    voxel_type: VoxelType,
    fill: Vec<u8>,
    axes: Vec<u64>,
    positions: Vec<u64>,
    value: Value,
    pub reads: Reads,
}

impl ChunkSource for SyntheticSource {
    fn grid(&self) -> &ChunkGrid {
        &self.grid
    }

    fn voxel_type(&self) -> VoxelType {
        self.voxel_type
    }

    fn fill_voxel(&self) -> &[u8] {
        &self.fill
    }

    fn locate(&self, chunk: ChunkIndex) -> Result<Option<ChunkLocation>, ChunkError> {
        let shard = self.grid.shard_from_chunk(chunk);
        let name = format!("{}.{}.{}", chunk.0.x, chunk.0.y, chunk.0.z);
        let (key, range) = (StorageKey::new(name).expect("clean"), ByteRange { start: 0, len: 1 });
        Ok(Some(ChunkLocation { chunk, shard, key, range, more: Vec::new(), order: 0, encoding: ChunkEncoding::Coded("function") }))
    }

    fn is_absent(&self, _: ShardIndex) -> bool {
        false
    }

    fn read_bytes(&self, _: &ChunkLocation, _: u64, out: &mut [u8]) -> Result<(), ChunkError> {
        self.reads.lock().expect("not poisoned").push(self.positions.clone());
        out.fill(0);
        Ok(())
    }

    fn decode_into(&self, location: &ChunkLocation, _: &[u8], out: &mut [u8]) -> Result<(), ChunkError> {
        let chunk = self.grid.chunk_box(location.chunk);
        let (low, high) = (chunk.topleft, chunk.bottomright());
        let mut voxels = out.chunks_exact_mut(self.voxel_type.byte_len());
        for z in low.z..high.z {
            for y in low.y..high.y {
                for x in low.x..high.x {
                    voxels.next().expect("as many").copy_from_slice(&(self.value)(Vec3Int::new(x, y, z), &self.positions));
                }
            }
        }
        Ok(())
    }

    fn header_report(&self) -> HeaderReport {
        HeaderReport::default()
    }

    fn shard_len(&self, _: ShardIndex) -> Result<Option<u64>, StorageError> {
        Ok(Some(1))
    }

    fn shard_layout(&self, _: ShardIndex) -> Result<Option<ShardLayout>, ChunkError> {
        Ok(None)
    }

    fn shard_location(&self, shard: ShardIndex) -> String {
        format!("synthetic {shard} at {:?}", self.positions)
    }

    fn find_shards(&self, _: usize) -> Result<Vec<ShardIndex>, StorageError> {
        Ok(vec![ShardIndex(Vec3Int::ZERO)])
    }

    fn at_axes(&self, positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
        let fits = positions.len() == self.axes.len() && positions.iter().zip(&self.axes).all(|(position, len)| position < len);
        fits.then(|| {
            let (fill, axes, positions) = (self.fill.clone(), self.axes.clone(), positions.to_vec());
            let (grid, voxel_type, value, reads) = (self.grid, self.voxel_type, self.value.clone(), self.reads.clone());
            Arc::new(Self { grid, voxel_type, fill, axes, positions, value, reads }) as Arc<dyn ChunkSource>
        })
    }

    fn take_warnings(&self) -> Vec<Problem> {
        Vec::new()
    }
}

/// A layer in the making.
pub struct Synthetic {
    pub shape: [i64; 3],
    pub voxel_type: VoxelType,
    pub axes: Vec<(&'static str, u64)>,
    pub configuration: LayerConfiguration,
    pub value: Value,
}

impl Synthetic {
    pub fn layer(self, name: &str, reads: &Reads) -> Layer {
        let bounding_box = BoundingBox::new(Vec3Int::ZERO, self.shape.into());
        let chunk = self.shape.map(|side| side.min(16));
        let source = SyntheticSource {
            grid: ChunkGrid::new(Vec3Int::ZERO, chunk.into(), Shape3::splat(2), bounding_box).expect("not empty"),
            voxel_type: self.voxel_type,
            fill: vec![0; self.voxel_type.byte_len()],
            axes: self.axes.iter().map(|(_, len)| *len).collect(),
            positions: vec![0; self.axes.len()],
            value: self.value,
            reads: reads.clone(),
        };
        Layer {
            name: name.to_owned(),
            category: LayerCategory::Color,
            format: DataFormat::Zarr3,
            voxel_type: Some(self.voxel_type),
            bounding_box,
            has_declared_box: true,
            largest_segment_id: None,
            levels: vec![MagLevel { mag: Mag::ONE, copy: 1, path: PathBuf::from(name), source: Ok(Arc::new(source)) }],
            axes: self.axes.iter().map(|(name, len)| ExtraAxis { name: (*name).to_owned(), len: *len }).collect(),
            segment_colors: Arc::default(),
            configuration: self.configuration,
        }
    }
}

pub fn dataset(path: &Path, layers: Vec<Layer>) -> Dataset {
    Dataset {
        name: "synthetic".to_owned(),
        path: path.to_owned(),
        format: DataFormat::Zarr3,
        voxel_size: VoxelSize::VOXELS,
        layers,
        header: HeaderReport::default(),
        view: ViewConfiguration::default(),
        focus: None,
        annotation: None,
        problems: Problems::default(),
    }
}
