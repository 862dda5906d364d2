//! Tests of whole arrays and groups, all files written by hand.

mod blocks;
mod context;
mod dialects;
mod hostile;

use super::find::ArrayInContext;
use super::{open_array_in_context, open_images, open_level};
use crate::format::array::{DeclaredAxes, DefaultAxes, OpenedLevel};
use crate::format::image::Image;
use crate::format::{ChunkError, ChunkSource, read_box};
use crate::geometry::{BoundingBox, Shape3, Vec3Int};
use crate::storage::{MemoryOpener, MemoryStorage, StorageKey};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A folder `/data.n5` in memory.
#[derive(Default)]
struct Files(Arc<MemoryStorage>);

impl Files {
    fn put(self, key: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.put(&StorageKey::new(key).expect("clean"), bytes.into());
        self
    }

    fn json(self, key: &str, json: &Value) -> Self {
        self.put(key, json.to_string())
    }

    /// An array of one block, uint8.
    fn array(self, folder: &str, dimensions: &[u64], more: &Value) -> Self {
        let mut json = json!({"dimensions": dimensions, "blockSize": dimensions, "dataType": "uint8", "compression": {"type": "raw"}});
        for (name, value) in more.as_object().into_iter().flatten() {
            json[name] = value.clone();
        }
        self.json(&format!("{folder}/attributes.json"), &json)
    }

    fn opener(&self) -> MemoryOpener {
        MemoryOpener::new("/data.n5", self.0.clone())
    }

    fn level(&self) -> OpenedLevel {
        open_level(&self.opener(), Path::new("/data.n5"), &DeclaredAxes::default(), DefaultAxes::Plain).expect("opened")
    }

    fn images(&self, folder: &str) -> Vec<Image> {
        open_images(&self.opener(), &Path::new("/data.n5").join(folder)).expect("opened").expect("N5")
    }

    fn image(&self) -> Image {
        let mut images = self.images("");
        assert_eq!(images.len(), 1);
        images.remove(0)
    }

    fn in_context(&self, folder: &str) -> ArrayInContext {
        open_array_in_context(&self.opener(), &Path::new("/data.n5").join(folder)).expect("opened").expect("an array")
    }
}

/// All voxels of an array.
fn voxels(source: &dyn ChunkSource) -> Result<Vec<u8>, ChunkError> {
    let all = source.grid().bounds();
    read(source, all)
}

fn read(source: &dyn ChunkSource, wanted: BoundingBox) -> Result<Vec<u8>, ChunkError> {
    let mut out = vec![0xaa; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("small")];
    read_box(source, &wanted, &mut out)?;
    Ok(out)
}

fn shape(x: i64, y: i64, z: i64) -> Shape3 {
    Shape3::new(x, y, z)
}

fn scales(image: &Image) -> Vec<[f64; 3]> {
    image.levels.iter().map(|level| level.scale).collect()
}

fn texts(image: &Image) -> Vec<String> {
    image.problems.iter().map(|problem| problem.text.clone()).collect()
}

fn extent(image: &Image, level: usize) -> Shape3 {
    image.levels[level].source.as_ref().expect("opened").grid().bounds().shape
}

const ORIGIN: Vec3Int = Vec3Int::ZERO;
