//! [`merge`]: an annotation over its fallback layer, as a dataset of its own.

use super::content::{LevelContent, VolumeContent};
use super::error::{ExportError, ExportReport, ExportWatch, VolumeReport, cant_write};
use super::names::file_stem;
use crate::annotation::base::bucket_box;
use crate::annotation::ids::highest_id;
use crate::annotation::opened::Annotation;
use crate::annotation::volume::VolumeAnnotation;
use crate::format::PROPERTIES_FILE;
use crate::format::annotation::{BUCKET_SIDE, BucketAddress, extent_with};
use crate::format::wkw::{BlockType, WkwHeader, WkwWriter};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, ShardIndex, Vec3Int};
use crate::storage::AsideFolder;
use crate::voxel::{VoxelType, is_zero};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Base-2 logarithm of a bucket's side: what is a bucket becomes a chunk.
const CHUNK_LOG2: u8 = 5;

/// Base-2 logarithm of the most chunks of a shard along an axis, as datasets usually have it.
const MAX_SHARD_LOG2: u8 = 5;

/// Writes a new WKW dataset with a layer for each volume: its buckets, and the fallback layer where it has none. Other
/// layers of the dataset aren't copied. The folder appears when it is whole; nothing may be there before.
///
/// # Errors
/// If something can't be read or written, a volume has axes that WKW can't hold, or it is cancelled.
pub fn merge(annotation: &Annotation, path: &Path, watch: ExportWatch<'_>) -> Result<ExportReport, ExportError> {
    let fail = cant_write(path);
    let folder = AsideFolder::begin(path).map_err(&fail)?;
    let mut report = ExportReport::default();
    let mut layers: Vec<Value> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let merges: Vec<Merge<'_>> = annotation.volumes.iter().map(Merge::new).collect::<Result<_, _>>()?;
    let (done, total) = (AtomicU64::new(0), merges.iter().map(Merge::chunk_count).sum());
    for merge in &merges {
        let volume = merge.volume;
        let stem = file_stem(volume.fallback_layer.as_ref().unwrap_or(&volume.name), "segmentation");
        let numbered = (2..).map(|n| format!("{stem}_{n}"));
        let name = [stem.clone()].into_iter().chain(numbered).find(|name| !names.contains(name)).unwrap_or_default();
        if volume.lacks_fallback() {
            let layer = volume.fallback_layer.as_deref().unwrap_or_default();
            report
                .problems
                .warn(&volume.name, format!("the layer {layer} below isn't there: only the annotation's own voxels are written"));
        }
        let mut chunks = 0;
        for content in &merge.content.levels {
            let progress = || (watch.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            chunks += merge.write_level(content, &folder.path().join(&name), watch, &progress)?;
        }
        layers.push(merge.layer_json(&name));
        report.volumes.push(VolumeReport {
            name: volume.name.clone(),
            location: Some(name.clone()),
            class: volume.class,
            mags: volume.levels.iter().map(|level| level.mag).collect(),
            buckets: chunks,
            zero_buckets: 0,
            damaged_buckets: 0,
        });
        names.push(name);
    }
    let size = annotation.volumes.first().map(|volume| volume.voxel_size).or(annotation.nml.voxel_size);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut properties = json!({ "id": { "name": name, "team": annotation.nml.experiment.organization }, "dataLayers": layers });
    if let Some(size) = size {
        let unit = size.unit.map_or("nanometer", |unit| unit.name());
        properties["scale"] = json!({ "factor": size.factors(), "unit": unit });
    }
    folder.write(PROPERTIES_FILE, properties.to_string().as_bytes()).map_err(&fail)?;
    watch.check()?;
    folder.commit().map_err(&fail)?;
    Ok(report)
}

struct Merge<'a> {
    volume: &'a VolumeAnnotation,
    content: VolumeContent,
    /// In mag-1 voxels.
    extent: BoundingBox,
    shard_log2: u8,
    /// Highest id that was written.
    largest: AtomicU64,
}

impl<'a> Merge<'a> {
    fn new(volume: &'a VolumeAnnotation) -> Result<Self, ExportError> {
        if !volume.axes.is_empty() {
            return Err(ExportError::Axes { volume: volume.name.clone(), axes: volume.axes.join(", ") });
        }
        let content = VolumeContent::of(volume);
        // Coarse buckets reach far beyond what was painted; those of the layer beyond the layer, where nothing is painted.
        let own = content.levels.iter().fold(volume.bounding_box, |extent, content| {
            let mag: Mag = content.level.mag;
            extent_with(&extent, content.addresses.iter().map(|at| mag.box_in_mag1(&bucket_box(at.chunk))))
        });
        let fallback = volume.levels.first().and_then(|level| level.base.fallback_box).unwrap_or_default();
        let finest = volume.levels.first().map_or(Mag::ONE, |level| level.mag);
        let extent = own.union(&finest.box_in_mag1(&fallback)).union(&volume.bounding_box);
        let extent = extent.intersect(&BoundingBox::between(Vec3Int::ZERO, Vec3Int::splat(i64::MAX)));
        let end = finest.box_in_mag(&extent).bottomright();
        let longest = end.x.max(end.y).max(end.z);
        let shard_log2 = (0..MAX_SHARD_LOG2).find(|log2| BUCKET_SIDE << log2 >= longest).unwrap_or(MAX_SHARD_LOG2);
        Ok(Self { volume, content, extent, shard_log2, largest: AtomicU64::new(0) })
    }

    /// Shards of a mag, along each axis from the first to the one after the last.
    fn shards(&self, mag: Mag) -> BoundingBox {
        let side = Vec3Int::splat(BUCKET_SIDE << self.shard_log2);
        let extent = mag.box_in_mag(&self.extent);
        if extent.is_empty() {
            return BoundingBox::default();
        }
        BoundingBox::between(extent.topleft.div_floor(side), extent.bottomright().div_ceil(side))
    }

    fn chunk_count(&self) -> u64 {
        let shards = self.content.levels.iter().map(|content| self.shards(content.level.mag).shape.to_vec().to_array());
        let shards = shards.map(|counts| counts.into_iter().map(i64::unsigned_abs).fold(1, u64::saturating_mul));
        shards.fold(0, u64::saturating_add).saturating_mul(1 << (3 * self.shard_log2))
    }

    /// Writes a mag; how many chunks aren't zeros.
    fn write_level(
        &self,
        content: &LevelContent,
        layer: &Path,
        watch: ExportWatch<'_>,
        progress: &(dyn Fn() + Sync),
    ) -> Result<u64, ExportError> {
        let mag = content.level.mag;
        let header = WkwHeader {
            chunk_log2: CHUNK_LOG2,
            chunks_per_shard_log2: self.shard_log2,
            block_type: BlockType::Lz4,
            voxel_type: VoxelType::single(self.volume.class),
            data_offset: 0,
        };
        let writer = WkwWriter::create(layer.join(mag.to_string()), header)?;
        let extent = mag.box_in_mag(&self.extent);
        let written = AtomicU64::new(0);
        let shards = self.shards(mag);
        let (first, end) = (shards.topleft, shards.bottomright());
        let indices = (first.z..end.z)
            .flat_map(|z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| ShardIndex(Vec3Int::new(x, y, z)))));
        for shard in indices {
            writer.write_shard_by_chunks(shard, |chunk_box, chunk| {
                watch.check()?;
                progress();
                if extent.intersect(chunk_box).is_empty() {
                    return Ok(());
                }
                let at = BucketAddress::at(ChunkIndex(chunk_box.topleft.div_floor(Vec3Int::splat(BUCKET_SIDE))));
                let voxels = content.read(&at)?;
                chunk.copy_from_slice(voxels.bytes());
                written.fetch_add(u64::from(!is_zero(chunk)), Ordering::Relaxed);
                self.largest.fetch_max(highest_id(self.volume.class, chunk), Ordering::Relaxed);
                Ok::<_, ExportError>(())
            })?;
        }
        Ok(written.into_inner())
    }

    fn layer_json(&self, name: &str) -> Value {
        let [width, height, depth] = self.extent.shape.to_vec().to_array();
        let mags = self.volume.levels.iter().map(|level| level.mag);
        let mags: Vec<Value> = mags.map(|mag| json!({ "mag": mag.factors().to_array(), "path": format!("./{name}/{mag}") })).collect();
        json!({
            "name": name,
            "category": "segmentation",
            "boundingBox": { "topLeft": self.extent.topleft.to_array(), "width": width, "height": height, "depth": depth },
            "elementClass": self.volume.class.name(),
            "dataFormat": "wkw",
            "numChannels": 1,
            "mags": mags,
            // What a file says may be less than what the layer below holds.
            "largestSegmentId": self.volume.largest_segment_id.unwrap_or(0).max(self.largest.load(Ordering::Relaxed)),
        })
    }
}
