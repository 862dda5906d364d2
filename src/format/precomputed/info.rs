//! [`Info`]: the file `info` of a volume, translated. Read leniently: a scale that can't be used is an error of its
//! own, beside the others.
//!
//! Specification: <https://github.com/google/neuroglancer/blob/master/src/datasource/precomputed/volume.md>.

use super::encoding::Encoding;
use super::sharding::Sharding;
use crate::codec::image::ImageKind;
use crate::format::LayerCategory;
use crate::geometry::{VoxelSize, compressed_morton_bits};
use crate::problem::Problems;
use crate::text::shortened;
use crate::voxel::ElementClass;
use serde_json::{Map, Value};

/// Name of the file.
pub(in crate::format) const INFO_FILE: &str = "info";

/// Numbers beyond this are no longer exact in the programs that write the file.
const MAX_NUMBER: i64 = 1 << 53;

/// More scales than any volume has.
const MAX_SCALES: usize = 1000;

/// The file, translated.
#[derive(Clone, Debug)]
pub struct Info {
    /// `type`; `None` if it isn't given.
    pub category: Option<LayerCategory>,
    /// `data_type`.
    pub class: ElementClass,
    /// `num_channels`.
    pub channels: u64,
    /// In the order of the file.
    pub scales: Vec<ScaleEntry>,
    /// All fields but the scales, as they stand.
    pub fields: Map<String, Value>,
}

/// One element of `scales`.
#[derive(Clone, Debug)]
pub struct ScaleEntry {
    /// `key`: its folder, relative to the file.
    pub key: Option<String>,
    /// `resolution` in nm.
    pub resolution: Option<[f64; 3]>,
    /// `hidden`: left out by viewers.
    pub is_hidden: bool,
    /// The rest, or what is wrong with it.
    pub scale: Result<Scale, InfoError>,
    /// As they stand.
    pub fields: Map<String, Value>,
}

/// Division and encoding of a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// `size` in voxels.
    pub shape: [u64; 3],
    /// `voxel_offset`: position of the first voxel.
    pub offset: [i64; 3],
    /// The first of `chunk_sizes`.
    pub chunk_shape: [u64; 3],
    /// How many there are; each is a copy of its own.
    pub chunk_shapes: usize,
    /// `encoding`.
    pub encoding: Encoding,
    /// `sharding`; `None` for one file per chunk.
    pub sharding: Option<Sharding>,
}

/// Why the file, or a part of it, can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InfoError {
    /// Not JSON. The text gives line and column.
    #[error("info is not valid JSON: {0}")]
    Json(String),
    /// JSON about something else.
    #[error("info describes {0}, not a volume")]
    OtherThing(String),
    /// A field that is needed is missing.
    #[error("info: {0} is missing")]
    Missing(String),
    /// A field that can't be true or isn't known.
    #[error("info: {field}: {reason}")]
    Field {
        /// Its name, with that of its parent.
        field: String,
        /// What is wrong.
        reason: String,
    },
}

impl Info {
    /// Parses the file. `location` is its path, for problems.
    ///
    /// # Errors
    /// If it isn't JSON, describes something else, or nothing of it can be used.
    pub fn parse(bytes: &[u8], location: &str, problems: &mut Problems) -> Result<Self, InfoError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let root = crate::format::json::parse(bytes).map_err(|err| InfoError::Json(err.to_string()))?;
        let Value::Object(mut fields) = root else { return Err(InfoError::OtherThing("no object".to_owned())) };
        check_type(&fields)?;
        let scales = match fields.remove("scales") {
            Some(Value::Array(scales)) if !scales.is_empty() => scales,
            Some(Value::Array(_)) => return Err(fault("scales", "there are none")),
            Some(other) => return Err(fault("scales", format!("{} is no list", shown(&other)))),
            None => return Err(InfoError::Missing("scales".to_owned())),
        };
        let category = match fields.get("type").and_then(Value::as_str).map(str::to_lowercase).as_deref() {
            Some("image") => Some(LayerCategory::Color),
            Some("segmentation") => Some(LayerCategory::Segmentation),
            _ => {
                let found = fields.get("type").map_or_else(|| "missing".to_owned(), shown);
                problems.warn(location, format!("type is {found}, expected image or segmentation: it is guessed from the name"));
                None
            }
        };
        let class = class(&fields)?;
        let channels = match fields.get("num_channels").map(|value| (value, whole(value))) {
            Some((_, Some(channels))) if channels > 0 => channels.unsigned_abs(),
            Some((value, _)) => return Err(fault("num_channels", format!("{} is no number of channels", shown(value)))),
            None => {
                problems.warn(location, "num_channels is missing, 1 is assumed");
                1
            }
        };
        if scales.len() > MAX_SCALES {
            problems.error(location, format!("Only the first {MAX_SCALES} of {} scales are shown", scales.len()));
        }
        let scales = scales.into_iter().take(MAX_SCALES).map(ScaleEntry::parse).collect();
        Ok(Self { category, class, channels, scales, fields })
    }
}

impl ScaleEntry {
    fn parse(value: Value) -> Self {
        let (fields, scale) = match value {
            Value::Object(fields) => {
                let scale = Scale::parse(&fields);
                (fields, scale)
            }
            other => (Map::new(), Err(fault("scales", format!("{} is no object", shown(&other))))),
        };
        let key = fields.get("key").and_then(Value::as_str).map(str::to_owned);
        let resolution = resolution(&fields).ok();
        let is_hidden = fields.get("hidden").and_then(Value::as_bool).unwrap_or(false);
        Self { key, resolution, is_hidden, scale, fields }
    }
}

impl Scale {
    fn parse(fields: &Map<String, Value>) -> Result<Self, InfoError> {
        if !fields.get("key").ok_or_else(|| missing("key"))?.is_string() {
            return Err(fault("scales.key", "no text"));
        }
        resolution(fields)?;
        let shape = triple("size", fields.get("size").ok_or_else(|| missing("size"))?, |value| unsigned(value, 0))?;
        let offset = match fields.get("voxel_offset").filter(|value| !value.is_null()) {
            Some(value) => triple("voxel_offset", value, whole)?,
            None => [0; 3],
        };
        let chunk_shapes = match fields.get("chunk_sizes") {
            Some(Value::Array(list)) => list,
            Some(other) => return Err(fault("scales.chunk_sizes", format!("{} is no list of chunk shapes", shown(other)))),
            None => return Err(missing("chunk_sizes")),
        };
        let first = chunk_shapes.first().ok_or_else(|| fault("scales.chunk_sizes", "there are none"))?;
        let chunk_shape = triple("chunk_sizes", first, |value| unsigned(value, 1))?;
        let encoding = encoding(fields)?;
        let sharding = match fields.get("sharding").filter(|value| !value.is_null()) {
            None => None,
            Some(Value::Object(sharding)) => {
                let wrong = |(field, reason)| fault(&format!("scales.sharding.{field}"), reason);
                Some(Sharding::parse(sharding).map_err(wrong)?)
            }
            Some(other) => return Err(fault("scales.sharding", format!("{} is no object", shown(other)))),
        };
        let scale = Self { shape, offset, chunk_shape, chunk_shapes: chunk_shapes.len(), encoding, sharding };
        let grid = scale.grid();
        let bits = compressed_morton_bits(grid);
        if scale.sharding.is_some() && bits > u64::BITS {
            let [x, y, z] = grid;
            return Err(fault("scales.sharding", format!("numbers of {x} × {y} × {z} chunks take {bits} bits, at most 64 are possible")));
        }
        Ok(scale)
    }

    /// Number of chunks along each axis.
    pub fn grid(&self) -> [u64; 3] {
        std::array::from_fn(|axis| self.shape[axis].div_ceil(self.chunk_shape[axis]))
    }
}

fn check_type(fields: &Map<String, Value>) -> Result<(), InfoError> {
    let name = match fields.get("@type") {
        None => return Ok(()),
        Some(Value::String(name)) => name.as_str(),
        Some(other) => return Err(fault("@type", format!("{} is no text", shown(other)))),
    };
    let what = match name {
        "neuroglancer_multiscale_volume" => return Ok(()),
        "neuroglancer_legacy_mesh" | "neuroglancer_multilod_draco" => "meshes",
        "neuroglancer_skeletons" => "skeletons",
        "neuroglancer_annotations_v1" => "annotations",
        "neuroglancer_segment_properties" => "properties of segments",
        _ => "something unknown",
    };
    Err(InfoError::OtherThing(format!("{what} (@type {})", short(name))))
}

fn class(fields: &Map<String, Value>) -> Result<ElementClass, InfoError> {
    let value = fields.get("data_type").ok_or_else(|| InfoError::Missing("data_type".to_owned()))?;
    let name = value.as_str().map(str::to_lowercase).unwrap_or_default();
    let found = ElementClass::from_name(&name);
    found.ok_or_else(|| fault("data_type", format!("{} is not known", shown(value))))
}

fn encoding(fields: &Map<String, Value>) -> Result<Encoding, InfoError> {
    let value = fields.get("encoding").ok_or_else(|| missing("encoding"))?;
    let name = value.as_str().ok_or_else(|| fault("scales.encoding", format!("{} is no text", shown(value))))?;
    Ok(match name.to_lowercase().as_str() {
        "raw" => Encoding::Raw,
        "jpeg" => Encoding::Image(ImageKind::Jpeg),
        "png" => Encoding::Image(ImageKind::Png),
        "jxl" => Encoding::Image(ImageKind::Jxl),
        "compresso" => Encoding::Compresso,
        "compressed_segmentation" => {
            const FIELD: &str = "compressed_segmentation_block_size";
            let value = fields.get(FIELD).ok_or_else(|| missing(FIELD))?;
            let block = triple(FIELD, value, |value| unsigned(value, 1).and_then(|side| usize::try_from(side).ok()))?;
            Encoding::CompressedSegmentation { block }
        }
        _ => Encoding::Unsupported(name.to_owned()),
    })
}

fn resolution(fields: &Map<String, Value>) -> Result<[f64; 3], InfoError> {
    let value = fields.get("resolution").ok_or_else(|| missing("resolution"))?;
    let lengths = triple("resolution", value, Value::as_f64)?;
    match VoxelSize::new(lengths, None) {
        Some(_) => Ok(lengths),
        None => Err(fault("scales.resolution", format!("{} is no size of a voxel", shown(value)))),
    }
}

/// A whole number, also one written with a decimal point.
fn whole(value: &Value) -> Option<i64> {
    let exact = |number: f64| (number.fract() == 0.0 && number.abs() <= MAX_NUMBER as f64).then_some(number as i64);
    let number = value.as_i64().or_else(|| value.as_f64().and_then(exact))?;
    (-MAX_NUMBER..=MAX_NUMBER).contains(&number).then_some(number)
}

fn unsigned(value: &Value, least: u64) -> Option<u64> {
    whole(value).and_then(|number| u64::try_from(number).ok()).filter(|number| *number >= least)
}

fn triple<T>(field: &str, value: &Value, parse: impl Fn(&Value) -> Option<T>) -> Result<[T; 3], InfoError> {
    let found = match value.as_array().map(Vec::as_slice) {
        Some([x, y, z]) => parse(x).zip(parse(y)).zip(parse(z)).map(|((x, y), z)| [x, y, z]),
        _ => None,
    };
    found.ok_or_else(|| fault(&format!("scales.{field}"), format!("{} can't be used as x, y, z", shown(value))))
}

fn missing(field: &str) -> InfoError {
    InfoError::Missing(format!("scales.{field}"))
}

fn fault(field: &str, reason: impl Into<String>) -> InfoError {
    InfoError::Field { field: field.to_owned(), reason: reason.into() }
}

/// A JSON value for people, shortened.
pub fn shown(value: &Value) -> String {
    short(&value.to_string())
}

/// Text from a file, shortened.
pub fn short(text: &str) -> String {
    shortened(text, 200)
}

#[cfg(test)]
mod tests;
