//! Writes the demo volume as a WKW dataset, once, into the user's cache folder.

use super::{DemoVolume, LayerBox, cell_id, cell_id64, em_uint16, fluorescence, potential};
use crate::format::PROPERTIES_FILE;
use crate::format::wkw::{BlockType, WkwHeader, WkwWriteError, WkwWriter};
use crate::geometry::{BoundingBox, Mag, Shape3, ShardIndex, Vec3Int};
use crate::voxel::{ElementClass, VoxelType, copy_box};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// The dataset's folder. A changed generator gets another number, so that old ones aren't shown.
const VERSION: &str = "demo-1";

/// Name of the dataset.
const NAME: &str = "demo";

/// Where the volume lies in its dataset: a multiple of the shard side, so that the empty corner is an absent shard.
const OFFSET: Vec3Int = Vec3Int::new(1024, 768, 256);

/// Part of the volume that the smaller layers show.
const DETAIL: LayerBox = LayerBox { topleft: [96, 64, 48], shape: [192, 192, 96] };

/// Why the demo couldn't be made.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A layer can't be written.
    #[error("can't make the demo dataset: {0}")]
    Write(#[from] WkwWriteError),
    /// The folder can't be made or renamed.
    #[error("can't make the demo dataset: {source}: {}", .path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// The user's folder for things that can be made again.
pub fn cache_folder() -> PathBuf {
    let from_env = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        from_env("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        from_env("HOME").map(|home| home.join("Library/Caches"))
    } else {
        from_env("XDG_CACHE_HOME").or_else(|| from_env("HOME").map(|home| home.join(".cache")))
    };
    base.unwrap_or_else(std::env::temp_dir).join("chunkscope")
}

/// The demo dataset's folder in the user's cache folder, or below the temporary folder where that can't be
/// written; see [`ensure_demo_in`].
///
/// # Errors
/// If neither folder can be written.
pub fn ensure_demo(progress: &(dyn Fn(f32) + Sync)) -> Result<PathBuf, DemoError> {
    ensure_demo_in(&cache_folder(), progress).or_else(|err| {
        log::warn!("{err}");
        ensure_demo_in(&std::env::temp_dir().join("chunkscope"), progress)
    })
}

/// The demo dataset's folder below `cache`, written now unless it is there already.
///
/// It is written under another name and renamed when complete, so an interrupted write is never taken
/// for the dataset; its remains are removed the next time. `progress` gets the share that is done, 0 to 1.
///
/// # Errors
/// If the folder can't be written.
pub fn ensure_demo_in(cache: &Path, progress: &(dyn Fn(f32) + Sync)) -> Result<PathBuf, DemoError> {
    let cache = &cache.join(VERSION);
    let target = cache.join(NAME);
    if target.join(PROPERTIES_FILE).is_file() {
        return Ok(target);
    }
    let fail = |path: &Path, source| DemoError::Io { path: path.to_owned(), source };
    std::fs::create_dir_all(cache).map_err(|err| fail(cache, err))?;
    remove_remains(cache);
    let unfinished = tempfile::Builder::new().prefix(".demo-unfinished-").tempdir_in(cache).map_err(|err| fail(cache, err))?;
    write_dataset(unfinished.path(), progress)?;
    if target.exists() {
        // Without the JSON it isn't complete; somebody deleted from it.
        std::fs::remove_dir_all(&target).map_err(|err| fail(&target, err))?;
    }
    let written = unfinished.keep();
    if let Err(source) = std::fs::rename(&written, &target) {
        // Another process may have finished the same dataset in the meantime.
        let _ = std::fs::remove_dir_all(&written);
        if !target.join(PROPERTIES_FILE).is_file() {
            return Err(fail(&target, source));
        }
    }
    Ok(target)
}

/// Removes what interrupted runs left behind, unless it is so new that one may still be running.
fn remove_remains(cache: &Path) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    for entry in entries.flatten() {
        let is_remains = entry.file_name().to_string_lossy().starts_with(".demo-unfinished-");
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
        if is_remains && age.is_some_and(|age| age.as_secs() > 120) {
            // Left for the next time if it can't be removed now.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Voxels of a layer in canonical layout, with the box they cover in the layer's own mag.
struct Voxels {
    voxel_type: VoxelType,
    bytes: Vec<u8>,
    extent: BoundingBox,
}

fn write_dataset(folder: &Path, progress: &(dyn Fn(f32) + Sync)) -> Result<(), DemoError> {
    progress(0.0);
    let [w, h, d] = DemoVolume::SHAPE;
    let volume = DemoVolume::new();
    progress(0.08);
    let plane = w * h;
    let mut em = vec![0_u8; plane * d];
    let mut segments = vec![0_u32; plane * d];
    const SLAB: usize = 32;
    for z0 in (0..d).step_by(SLAB) {
        let part = z0 * plane..(z0 + SLAB).min(d) * plane;
        volume.fill_slab(z0, &mut em[part.clone()], &mut segments[part]);
        progress(0.08 + 0.52 * (z0 + SLAB) as f32 / d as f32);
    }
    let whole = BoundingBox::new(OFFSET, Shape3::from([w, h, d].map(|side| side as i64)));
    let detail = detail_layers(&volume, &em, &segments);
    drop(volume);
    progress(0.7);

    let mut layers = Vec::new();
    let cells: Vec<u8> = segments.par_iter().flat_map_iter(|s| cell_id(*s).to_le_bytes()).collect();
    drop(segments);
    let em = Voxels { voxel_type: VoxelType::single(ElementClass::Uint8), bytes: em, extent: whole };
    layers.push(pyramid(folder, "em", em, BlockType::Lz4, average)?);
    progress(0.8);
    let cells = Voxels { voxel_type: VoxelType::single(ElementClass::Uint32), bytes: cells, extent: whole };
    layers.push(pyramid(folder, "cells", cells, BlockType::Lz4, nearest)?);
    progress(0.9);
    for (name, voxels, block_type) in detail {
        write_level(folder, name, Mag::ONE, &voxels, block_type)?;
        layers.push(layer_json(name, &voxels, &[Mag::ONE]));
    }
    let properties = json!({
        "id": { "name": "demo", "team": "" },
        "scale": { "factor": DemoVolume::VOXEL_SIZE_NM.map(|nm| f64::from((nm * 100.0).round()) / 100.0), "unit": "nanometer" },
        "version": 1,
        "defaultViewConfiguration": { "position": (OFFSET + Vec3Int::new(236, 168, 96)).to_array(), "zoom": 0.6 },
        "dataLayers": layers,
    });
    let path = folder.join(PROPERTIES_FILE);
    std::fs::write(&path, format!("{properties:#}\n")).map_err(|source| DemoError::Io { path, source })?;
    progress(1.0);
    Ok(())
}

/// The layers that show a part of the volume in other voxel types.
fn detail_layers(volume: &DemoVolume, em: &[u8], segments: &[u32]) -> Vec<(&'static str, Voxels, BlockType)> {
    let [w, h, _] = DemoVolume::SHAPE;
    let ([x0, y0, z0], [dw, dh, dd]) = (DETAIL.topleft, DETAIL.shape);
    let index = |x: usize, y: usize, z: usize| x0 + x + w * (y0 + y + h * (z0 + z));
    let rows = || (0..dd).flat_map(move |z| (0..dh).map(move |y| (y, z)));
    let em_part: Vec<u8> = rows().flat_map(|(y, z)| em[index(0, y, z)..index(0, y, z) + dw].to_vec()).collect();
    let segments_part: Vec<u32> = rows().flat_map(|(y, z)| segments[index(0, y, z)..index(0, y, z) + dw].to_vec()).collect();
    let position = |i: usize| [x0 + i % dw, y0 + i / dw % dh, z0 + i / (dw * dh)];
    let em_12_bit = em_part.iter().enumerate().flat_map(|(i, v)| em_uint16(*v, position(i)).to_le_bytes()).collect();
    let ids = segments_part.iter().flat_map(|s| cell_id64(*s).to_le_bytes()).collect();
    let mut rgb = vec![0; DETAIL.voxel_count() * 3];
    fluorescence(volume, DETAIL, &em_part, &segments_part, &mut rgb);
    let mut field = vec![0.0_f32; DETAIL.voxel_count()];
    potential(DETAIL, &mut field);
    let field = field.iter().flat_map(|v| v.to_le_bytes()).collect();

    let [x, y, z] = DETAIL.topleft.map(|v| v as i64);
    let extent = BoundingBox::new(OFFSET + Vec3Int::new(x, y, z), Shape3::from(DETAIL.shape.map(|v| v as i64)));
    let voxels = |class, bytes| Voxels { voxel_type: VoxelType::single(class), bytes, extent };
    vec![
        ("em_raw", voxels(ElementClass::Uint8, em_part), BlockType::Raw),
        ("em_uint16", voxels(ElementClass::Uint16, em_12_bit), BlockType::Lz4),
        ("fluorescence", Voxels { voxel_type: VoxelType::UINT24, bytes: rgb, extent }, BlockType::Lz4),
        ("potential", voxels(ElementClass::Float32, field), BlockType::Lz4),
        ("cells64", voxels(ElementClass::Uint64, ids), BlockType::Lz4),
    ]
}

/// Writes mags 1, 2 and 4 and returns the layer's JSON.
fn pyramid(folder: &Path, name: &str, finest: Voxels, block_type: BlockType, combine: Combine) -> Result<Value, DemoError> {
    let mags: Vec<Mag> = [1, 2, 4].into_iter().filter_map(|f| Mag::new(f, f, f)).collect();
    let json = layer_json(name, &finest, &mags);
    let mut voxels = finest;
    for (i, mag) in mags.into_iter().enumerate() {
        if i > 0 {
            voxels = halved(&voxels, combine);
        }
        write_level(folder, name, mag, &voxels, block_type)?;
    }
    Ok(json)
}

fn layer_json(name: &str, voxels: &Voxels, mags: &[Mag]) -> Value {
    let is_segmentation = name.starts_with("cells");
    let shown_at_first = matches!(name, "em" | "cells");
    let element_class = match voxels.voxel_type {
        VoxelType { class: ElementClass::Float32, .. } => "float".to_owned(),
        other => other.to_string(),
    };
    let mags: Vec<Value> = mags.iter().map(|mag| json!({ "mag": mag.factors().to_array(), "path": format!("./{name}/{mag}") })).collect();
    let [x, y, z] = voxels.extent.shape.to_vec().to_array();
    let mut layer = json!({
        "name": name,
        "category": if is_segmentation { "segmentation" } else { "color" },
        "elementClass": element_class,
        "dataFormat": "wkw",
        "numChannels": voxels.voxel_type.channels,
        "boundingBox": { "topLeft": voxels.extent.topleft.to_array(), "width": x, "height": y, "depth": z },
        "mags": mags,
        "defaultViewConfiguration": { "isDisabled": !shown_at_first },
    });
    if is_segmentation {
        let largest = match voxels.voxel_type.class.byte_len() {
            8 => voxels.bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).max(),
            _ => voxels.bytes.as_chunks::<4>().0.iter().map(|b| u64::from(u32::from_le_bytes(*b))).max(),
        };
        layer["largestSegmentId"] = json!(largest.unwrap_or(0));
    }
    layer
}

/// Chunks of 32³ in shards of 128³: several shards even in a small volume.
fn write_level(folder: &Path, name: &str, mag: Mag, voxels: &Voxels, block_type: BlockType) -> Result<(), DemoError> {
    let header = WkwHeader { chunk_log2: 5, chunks_per_shard_log2: 2, block_type, voxel_type: voxels.voxel_type, data_offset: 0 };
    let writer = WkwWriter::create(folder.join(name).join(mag.to_string()), header)?;
    let side = Vec3Int::splat(128);
    let shards = BoundingBox::between(voxels.extent.topleft.div_floor(side), voxels.extent.bottomright().div_ceil(side));
    let (first, end) = (shards.topleft, shards.bottomright());
    let all: Vec<ShardIndex> = (first.z..end.z)
        .flat_map(|z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| ShardIndex(Vec3Int::new(x, y, z)))))
        .collect();
    all.par_iter().try_for_each(|shard| {
        let shard_box = writer.shard_box(*shard).intersect(&voxels.extent);
        let mut part = vec![0; shard_box.shape.byte_len(voxels.voxel_type.byte_len()).unwrap_or(0)];
        copy_box(&voxels.bytes, &voxels.extent, &mut part, &shard_box, voxels.voxel_type.byte_len());
        writer.write_shard(*shard, &part, &shard_box).map(|_| ())
    })?;
    Ok(())
}

/// Makes one voxel of up to eight finer ones, given as (source, offsets of the eight, bytes per voxel, target).
type Combine = fn(&[u8], [usize; 8], &mut [u8]);

fn average(source: &[u8], offsets: [usize; 8], target: &mut [u8]) {
    let sum: u32 = offsets.iter().map(|at| u32::from(source[*at])).sum();
    target[0] = u8::try_from((sum + 4) / 8).unwrap_or(u8::MAX);
}

fn nearest(source: &[u8], offsets: [usize; 8], target: &mut [u8]) {
    target.copy_from_slice(&source[offsets[0]..offsets[0] + target.len()]);
}

/// Half the resolution. The extent is even, so every coarse voxel has eight finer ones.
fn halved(fine: &Voxels, combine: Combine) -> Voxels {
    let bytes_per_voxel = fine.voxel_type.byte_len();
    let two = Vec3Int::splat(2);
    let extent = BoundingBox::between(fine.extent.topleft.div_floor(two), fine.extent.bottomright().div_floor(two));
    let ([w, h, _], [cw, ch, _]) = (fine.shape(), extent.shape.to_usize());
    let mut bytes = vec![0; extent.shape.byte_len(bytes_per_voxel).unwrap_or(0)];
    bytes.par_chunks_exact_mut(cw * ch * bytes_per_voxel).enumerate().for_each(|(z, plane)| {
        for (i, target) in plane.chunks_exact_mut(bytes_per_voxel).enumerate() {
            let (x, y) = (i % cw, i / cw);
            let at = |dx: usize, dy: usize, dz: usize| (2 * x + dx + w * (2 * y + dy + h * (2 * z + dz))) * bytes_per_voxel;
            let offsets = [at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(1, 1, 0), at(0, 0, 1), at(1, 0, 1), at(0, 1, 1), at(1, 1, 1)];
            combine(&fine.bytes, offsets, target);
        }
    });
    Voxels { voxel_type: fine.voxel_type, bytes, extent }
}

impl Voxels {
    fn shape(&self) -> [usize; 3] {
        self.extent.shape.to_usize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_averages_and_keeps_ids() {
        let extent = BoundingBox::new(Vec3Int::splat(2), Shape3::splat(2));
        let em = Voxels { voxel_type: VoxelType::single(ElementClass::Uint8), bytes: vec![0, 10, 20, 30, 40, 50, 60, 70], extent };
        let half = halved(&em, average);
        assert_eq!((half.bytes, half.extent), (vec![35], BoundingBox::new(Vec3Int::splat(1), Shape3::splat(1))));
        let ids: Vec<u8> = (7..15_u32).flat_map(u32::to_le_bytes).collect();
        let ids = Voxels { voxel_type: VoxelType::single(ElementClass::Uint32), bytes: ids, extent };
        assert_eq!(halved(&ids, nearest).bytes, 7_u32.to_le_bytes());
    }

    #[test]
    fn remains_of_an_interrupted_write_are_not_taken_for_the_dataset() {
        let cache = tempfile::tempdir().expect("temporary folder");
        let target = cache.path().join(VERSION).join(NAME);
        std::fs::create_dir_all(target.join("em/1")).expect("made");
        assert!(!target.join(PROPERTIES_FILE).is_file());
        let made = ensure_demo_in(cache.path(), &|_| {}).expect("made again");
        assert!(made.join(PROPERTIES_FILE).is_file() && made.join("cells64/1/header.wkw").is_file());
        let listed: Vec<_> = std::fs::read_dir(cache.path().join(VERSION)).expect("listed").flatten().map(|e| e.file_name()).collect();
        assert_eq!(listed, [NAME]);
    }
}
