//! [`merge`]: an annotation over its fallback layer, as a dataset of its own.

use super::content::{LevelContent, VolumeContent};
use super::error::{ExportError, ExportReport, ExportWatch, VolumeReport, cant_write};
use super::names::file_stem;
use crate::annotation::ids::highest_id;
use crate::annotation::opened::Annotation;
use crate::annotation::volume::VolumeAnnotation;
use crate::format::PROPERTIES_FILE;
use crate::format::annotation::{BUCKET_SIDE, BucketAddress, bucket_box, extent_with, painted_box};
use crate::format::wkw::{BlockType, WkwHeader, WkwWriter};
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Mag, Shape3, ShardIndex, Vec3Int};
use crate::storage::AsideFolder;
use crate::text::UniqueNames;
use crate::voxel::{VoxelType, is_zero};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Base-2 logarithm of a bucket's side: what is a bucket becomes a chunk.
const CHUNK_LOG2: u8 = 5;

/// Base-2 logarithm of the most chunks of a shard along an axis, as datasets usually have it.
const MAX_SHARD_LOG2: u8 = 5;

/// Shards of a mag of the layer below that are listed: some 50 MiB of them.
const MAX_LISTED_SHARDS: usize = 1 << 20;

/// Writes a new WKW dataset with a layer for each volume: its buckets, and the fallback layer where it has none. Other
/// layers of the dataset aren't copied. The folder appears when it is whole; nothing may be there before.
///
/// # Errors
/// If something can't be read or written, a volume or the layer below has axes or negative positions that WKW can't hold,
/// or it is cancelled.
pub fn merge(annotation: &Annotation, path: &Path, watch: ExportWatch<'_>) -> Result<ExportReport, ExportError> {
    let fail = cant_write(path);
    let folder = AsideFolder::begin(path).map_err(&fail)?;
    let mut report = ExportReport::default();
    let mut layers: Vec<Value> = Vec::new();
    let mut names = UniqueNames::default();
    let merges: Vec<Merge<'_>> = annotation.volumes.iter().map(|volume| Merge::new(volume, watch)).collect::<Result<_, _>>()?;
    let (done, total) = (AtomicU64::new(0), merges.iter().map(Merge::chunk_count).sum());
    for merge in &merges {
        let volume = merge.volume;
        let stem = file_stem(volume.fallback_layer.as_ref().unwrap_or(&volume.name), "segmentation");
        let name = names.take(&stem, |n| format!("{stem}_{n}"));
        if volume.lacks_fallback() {
            let layer = volume.fallback_layer.as_deref().unwrap_or_default();
            report
                .problems
                .warn(&volume.name, format!("the layer {layer} below isn't there: only the annotation's own voxels are written"));
        }
        let mut chunks = 0;
        for (content, shards) in merge.content.levels.iter().zip(&merge.shards) {
            let progress = || (watch.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            chunks += merge.write_level(content, shards, &folder.path().join(&name), watch, &progress)?;
        }
        layers.push(merge.layer_json(&name));
        report.volumes.push(VolumeReport {
            name: volume.name.clone(),
            location: Some(name),
            class: volume.class,
            mags: volume.levels.iter().map(|level| level.mag).collect(),
            buckets: chunks,
            zero_buckets: 0,
            damaged_buckets: 0,
        });
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
    /// What is written of each mag, in the order of the content.
    shards: Vec<Shards>,
    /// Highest id that was written.
    largest: AtomicU64,
}

impl<'a> Merge<'a> {
    fn new(volume: &'a VolumeAnnotation, watch: ExportWatch<'_>) -> Result<Self, ExportError> {
        if let Some(axes) = [&volume.axes, &volume.fallback_axes].into_iter().find(|axes| !axes.is_empty()) {
            return Err(ExportError::Axes { volume: volume.name.clone(), axes: axes.join(", ") });
        }
        let content = VolumeContent::of(volume);
        let is_negative = |pos: Vec3Int| pos.to_array().iter().any(|v| *v < 0);
        if let Some(at) = content.levels.iter().flat_map(|content| &content.addresses).find(|at| is_negative(at.chunk.0)) {
            return Err(ExportError::Negative { volume: volume.name.clone(), position: bucket_box(at.chunk).topleft.to_string() });
        }
        // Coarse buckets reach far beyond what was painted; those of the layer beyond the layer, where nothing is painted.
        let own = content.levels.iter().fold(volume.bounding_box, |extent, content| {
            let mag: Mag = content.level.mag;
            extent_with(&extent, content.addresses.iter().map(|at| mag.box_in_mag1(&bucket_box(at.chunk))))
        });
        let fallback = volume.levels.first().and_then(|level| level.base.fallback_box).unwrap_or_default();
        let finest = volume.levels.first().map_or(Mag::ONE, |level| level.mag);
        if is_negative(fallback.topleft) && !fallback.is_empty() {
            let layer = volume.fallback_layer.clone().unwrap_or_default();
            return Err(ExportError::NegativeLayer { volume: volume.name.clone(), layer, position: fallback.topleft.to_string() });
        }
        let extent = own.union(&finest.box_in_mag1(&fallback)).union(&volume.bounding_box);
        let extent = with_painted(&content, extent, watch)?;
        let extent = extent.intersect(&BoundingBox::between(Vec3Int::ZERO, Vec3Int::splat(i64::MAX)));
        let end = finest.box_in_mag(&extent).bottomright();
        let longest = end.x.max(end.y).max(end.z);
        let shard_log2 = (0..MAX_SHARD_LOG2).find(|log2| BUCKET_SIDE << log2 >= longest).unwrap_or(MAX_SHARD_LOG2);
        let shards = content.levels.iter().map(|content| Shards::of(content, &extent, shard_log2)).collect();
        Ok(Self { volume, content, extent, shard_log2, shards, largest: AtomicU64::new(0) })
    }

    fn chunk_count(&self) -> u64 {
        self.shards.iter().map(Shards::count).fold(0, u64::saturating_add).saturating_mul(1 << (3 * self.shard_log2))
    }

    /// Writes a mag; how many chunks aren't zeros.
    fn write_level(
        &self,
        content: &LevelContent,
        shards: &Shards,
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
        for shard in shards.iter() {
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

/// The extent, in mag-1 voxels, with what isn't 0 in buckets beyond it.
fn with_painted(content: &VolumeContent, extent: BoundingBox, watch: ExportWatch<'_>) -> Result<BoundingBox, ExportError> {
    content.levels.iter().try_fold(extent, |extent, content| {
        let mag = content.level.mag;
        let known = mag.box_in_mag(&extent);
        let beyond = content.addresses.par_iter().filter(|at| !known.contains_box(&bucket_box(at.chunk)));
        let painted = beyond.map(|at| {
            watch.check()?;
            Ok::<_, ExportError>(painted_box(at.chunk, content.read(at)?.bytes()))
        });
        let painted = painted.try_reduce(BoundingBox::default, |a, b| Ok(a.union(&b)))?;
        // What lies in the mag's voxels at the border is known: mag-1 voxels can't say it more exactly.
        Ok(if known.contains_box(&painted) { extent } else { extent.union(&mag.box_in_mag1(&painted)) })
    })
}

/// Shards of a mag that may hold something.
struct Shards {
    grid: ChunkGrid,
    /// A box of which all are written, in voxels of the mag.
    whole: BoundingBox,
    /// Those outside of it, by z, y, x.
    single: BTreeSet<[i64; 3]>,
}

impl Shards {
    /// Those that meet a bucket or what is stored of the layer below.
    fn of(content: &LevelContent, extent: &BoundingBox, shard_log2: u8) -> Self {
        let (level, bounds) = (&content.level, content.level.mag.box_in_mag(extent));
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE), Shape3::splat(1 << shard_log2), bounds);
        let grid = grid.expect("shapes aren't empty");
        let below = level.base.fallback_boxes(MAX_LISTED_SHARDS);
        let count = |area: &BoundingBox| grid.shard_range(area).shape.voxel_count().unwrap_or(u64::MAX);
        let is_listed = below.iter().map(count).fold(0, u64::saturating_add) <= MAX_LISTED_SHARDS as u64;
        let (whole, listed) = if is_listed {
            (BoundingBox::default(), below)
        } else {
            (below.iter().fold(BoundingBox::default(), |all, area| all.union(area)), Vec::new())
        };
        let range = grid.shard_range(&whole);
        let buckets = content.addresses.iter().map(|at| grid.shard_from_chunk(at.chunk));
        let single = listed.iter().flat_map(|area| grid.shards_in(area)).chain(buckets).map(|shard| shard.0);
        let single = single.filter(|shard| !range.contains(*shard)).map(|shard| [shard.z, shard.y, shard.x]).collect();
        Self { grid, whole, single }
    }

    fn count(&self) -> u64 {
        self.grid.shard_range(&self.whole).shape.voxel_count().unwrap_or(u64::MAX).saturating_add(self.single.len() as u64)
    }

    fn iter(&self) -> impl Iterator<Item = ShardIndex> {
        let single = self.single.iter().map(|[z, y, x]| ShardIndex(Vec3Int::new(*x, *y, *z)));
        self.grid.shards_in(&self.whole).chain(single)
    }
}
