//! What a JSON declares of a layer, compared with its headers, and the JSON's own fields for people.

use super::dataset::Layer;
use super::properties::LayerProperties;
use super::{HeaderField, HeaderReport, HeaderSection};
use crate::problem::Problems;
use crate::voxel::{ElementClass, VoxelType};

/// Type as the JSON declares it, for layers whose headers can't be read.
pub(super) fn declared_type(layer: &LayerProperties) -> Option<VoxelType> {
    let class = match layer.element_class.as_deref()? {
        "uint24" => return Some(VoxelType::UINT24),
        "float" => ElementClass::Float32,
        "double" => ElementClass::Float64,
        name => ElementClass::from_name(name)?,
    };
    Some(VoxelType::single(class))
}

/// Compares the declared element class, which describes the whole voxel, with the header, which wins.
pub(super) fn check_declared_type(declared: &LayerProperties, layer: &Layer, json: &str, problems: &mut Problems) {
    let Some(actual) = layer.voxel_type.filter(|_| layer.finest().is_some()) else { return };
    if let Some(class) = &declared.element_class {
        // Some writers name the class of one channel, others one of the whole voxel's length.
        let names_one_channel = |t: VoxelType| t.class == actual.class && declared.num_channels == Some(u64::from(actual.channels));
        let agrees = declared_type(declared).is_some_and(|t| {
            t == actual || names_one_channel(t) || t.byte_len() == actual.byte_len() && (actual.channels > 1 || t.class == actual.class)
        });
        if !agrees {
            problems.warn(json, format!("Layer {} declares elementClass {class}, its header says {actual}, which is used", declared.name));
        }
    }
    if let Some(channels) = declared.num_channels.filter(|n| *n != u64::from(actual.channels)) {
        problems.warn(
            json,
            format!("Layer {} declares {channels} channels, its header says {}, which is used", declared.name, actual.channels),
        );
    }
}

/// The path that a `file:` URI means, in all its spellings: `file:///a`, `file:/a`, `file://localhost/a`.
pub(super) fn path_from_file_uri(text: &str) -> Option<String> {
    let rest = text.strip_prefix("file:").filter(|rest| rest.starts_with('/'))?;
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let path = path.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(path);
    Some(percent_decoded(path))
}

pub(super) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten().filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The JSON's own fields for the header panel: scalars as they stand, lists and objects as short JSON.
pub(super) fn report(bytes: &[u8], location: &str) -> HeaderReport {
    let json: serde_json::Value = serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).unwrap_or_default();
    let mut fields = Vec::new();
    let mut add = |name: String, value: &serde_json::Value| {
        let raw = value.to_string();
        let value = value.as_str().map_or_else(|| raw.clone(), str::to_owned);
        fields.push(HeaderField { name, raw, value, meaning: String::new() });
    };
    for (key, value) in json.as_object().into_iter().flatten() {
        match value.as_array().filter(|_| key == "dataLayers") {
            Some(layers) => {
                for layer in layers {
                    let name = layer.get("name").and_then(serde_json::Value::as_str).unwrap_or("?");
                    for (field, value) in layer.as_object().into_iter().flatten().filter(|(field, _)| *field != "name") {
                        add(format!("{name}.{field}"), value);
                    }
                }
            }
            None => add(key.clone(), value),
        }
    }
    HeaderReport { sections: vec![HeaderSection { title: "Dataset".to_owned(), location: location.to_owned(), fields }] }
}
