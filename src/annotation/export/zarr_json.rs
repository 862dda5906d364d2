//! The metadata files of a data zip in the Zarr 3 flavours.

use super::error::ExportFormat;
use crate::format::annotation::BUCKET_SIDE;
use crate::geometry::{BoundingBox, Mag, Vec3Int, VoxelSize};
use crate::voxel::ElementClass;
use serde_json::{Value, json};

/// Name of the only layer of a data zip, and of its folder.
pub(super) const LAYER: &str = "volumeAnnotationData";

/// What the files tell.
pub(super) struct ZarrVolume<'a> {
    pub format: ExportFormat,
    pub class: ElementClass,
    /// Names of the axes beyond x, y, z, with their first position and the one after their last.
    pub axes: &'a [(String, i64, i64)],
    /// Extent in mag-1 voxels.
    pub bounding_box: BoundingBox,
    pub largest_segment_id: Option<u64>,
    pub voxel_size: VoxelSize,
}

impl ZarrVolume<'_> {
    /// `zarr.json` of a mag, `end` being the first voxel behind all there is.
    pub(super) fn array(&self, end: Vec3Int) -> Value {
        let is_spec = self.format == ExportFormat::Zarr3Spec;
        let axes = self.axes.iter();
        let shape: Vec<i64> = [1].into_iter().chain(axes.clone().map(|(_, _, end)| (*end).max(1))).chain(end.to_array()).collect();
        let chunk: Vec<i64> = [1].into_iter().chain(axes.clone().map(|_| 1)).chain([BUCKET_SIDE; 3]).collect();
        let names: Vec<&str> = ["c"].into_iter().chain(axes.map(|(name, ..)| name.as_str())).chain(["x", "y", "z"]).collect();
        let reversed: Vec<usize> = (0..shape.len()).rev().collect();
        let typesize = if is_spec { self.class.byte_len() } else { 1 };
        json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": shape,
            "data_type": self.class.name(),
            "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": chunk } },
            "chunk_key_encoding": { "name": if is_spec { "default" } else { "v2" }, "configuration": { "separator": "." } },
            "fill_value": 0,
            "codecs": [
                { "name": "transpose", "configuration": { "order": reversed } },
                { "name": "bytes", "configuration": { "endian": "little" } },
                {
                    "name": "blosc",
                    "configuration": { "cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": typesize, "blocksize": 0 },
                },
            ],
            "attributes": {},
            "dimension_names": names,
        })
    }

    /// `datasource-properties.json`.
    pub(super) fn properties(&self, mags: &[Mag]) -> Value {
        let is_spec = self.format == ExportFormat::Zarr3Spec;
        let first = self.axes.len();
        let mags: Vec<Value> = mags
            .iter()
            .map(|mag| {
                let order = json!({ "c": 0, "x": first + 1, "y": first + 2, "z": first + 3 });
                let mut view = json!({ "mag": mag.factors().to_array(), "axisOrder": order });
                if is_spec {
                    view["path"] = json!(format!("./{LAYER}/{mag}"));
                }
                view
            })
            .collect();
        let [width, height, depth] = self.bounding_box.shape.to_vec().to_array();
        let topleft = self.bounding_box.topleft.to_array();
        let mut layer = json!({
            "name": LAYER,
            "category": "segmentation",
            "boundingBox": { "topLeft": topleft, "width": width, "height": height, "depth": depth },
            "elementClass": self.class.name(),
            "dataFormat": "zarr3",
            "numChannels": 1,
            "mags": mags,
        });
        if let Some(largest) = self.largest_segment_id {
            layer["largestSegmentId"] = json!(largest);
        }
        if !self.axes.is_empty() {
            let axes = self.axes.iter().enumerate();
            let axes = axes.map(|(i, (name, start, end))| json!({ "name": name, "bounds": [start, end], "index": i + 1 }));
            layer["additionalAxes"] = axes.collect();
        }
        let unit = self.voxel_size.unit.map_or("nanometer", |unit| unit.name());
        json!({
            "id": { "name": "", "team": "" },
            "dataLayers": [layer],
            "scale": { "factor": self.voxel_size.factors(), "unit": unit },
        })
    }
}
