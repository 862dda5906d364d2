//! The fields of `attributes.json` with their meaning, for people.

use super::attributes::{ATTRIBUTES_FILE, ArrayAttributes, Attributes, short_json};
use super::compression::Compression;
use crate::format::{HeaderField, HeaderSection};
use serde_json::Value;

/// What an array's file says.
pub fn array_section(attributes: &Attributes, array: &ArrayAttributes) -> HeaderSection {
    let mut fields: Vec<HeaderField> = attributes
        .fields()
        .iter()
        .map(|(name, value)| {
            let (shown, meaning) = match name.as_str() {
                "dimensions" => (array.shape.to_string(), blocks_meaning(array)),
                "blockSize" => (array.block_shape.to_string(), block_meaning(array)),
                "dataType" => (text(value), format!("{} bytes each, big-endian", array.class.byte_len())),
                "compression" | "compressionType" => (array.compression.name().to_owned(), compression_meaning(&array.compression)),
                other => (text(value), meaning(other).to_owned()),
            };
            HeaderField::new(name, short_json(value), shown, meaning)
        })
        .collect();
    if attributes.get("compression").or_else(|| attributes.get("compressionType")).is_none() {
        fields.push(HeaderField::new("compression", "", "raw", "not given: elements are stored as they are"));
    }
    let indices: Vec<String> = (0..array.shape.len()).map(|dimension| format!("i{dimension}")).collect();
    fields.push(HeaderField::new(
        "block file",
        "",
        indices.join("/"),
        "index of the block along each dimension, in the order of dimensions",
    ));
    fields.push(HeaderField::new("element order", "", "first dimension fastest", "the last one is slowest"));
    fields.push(HeaderField::new("fill value", "", "0", "N5 has no other: blocks without a file are 0"));
    HeaderSection { title: format!("N5 {ATTRIBUTES_FILE}"), location: attributes.location().to_owned(), fields }
}

/// What a group's file says.
pub fn group_section(attributes: &Attributes) -> HeaderSection {
    let field = |(name, value): (&String, &Value)| HeaderField::new(name, short_json(value), text(value), meaning(name));
    let fields = attributes.fields().iter().map(field).collect();
    HeaderSection { title: format!("N5 group {ATTRIBUTES_FILE}"), location: attributes.location().to_owned(), fields }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| short_json(value), str::to_owned)
}

fn blocks_meaning(array: &ArrayAttributes) -> String {
    let blocks = array.shape.zip_with(&array.block_shape, u64::div_ceil);
    format!("extent, first dimension fastest; {blocks} blocks")
}

fn block_meaning(array: &ArrayAttributes) -> String {
    let bytes = array.block_shape.product().and_then(|n| n.checked_mul(array.class.byte_len() as u64));
    let bytes = bytes.map_or_else(|| "more bytes than can be counted".to_owned(), |bytes| format!("{bytes} bytes decoded"));
    format!("most elements of a block, {bytes}; each block's own header says how many it has")
}

fn compression_meaning(compression: &Compression) -> String {
    match compression {
        Compression::Known(chain) if chain.is_empty() => "elements are stored as they are".to_owned(),
        Compression::Known(_) => "elements are compressed, the block's header isn't".to_owned(),
        Compression::Unknown(name) => format!("{name} is not supported: voxels can't be read"),
    }
}

/// Meaning of the fields that conventions on top of N5 use.
fn meaning(field: &str) -> &'static str {
    match field {
        "n5" => "version of the N5 format",
        "axes" => "names of the dimensions, in the order of dimensions",
        "units" | "unit" => "units of resolution",
        "resolution" | "pixelResolution" => "size of a voxel at downsampling factor 1",
        "downsamplingFactors" => "finest voxels per voxel, by dimension",
        "scales" => "finest voxels per voxel of levels s0, s1, …",
        "offset" | "translate" | "translation" => "position of the first voxel, in units of resolution",
        "transform" => "scale and translation of this level (COSEM)",
        "multiscales" => "levels with their scales",
        "multiScale" => "whether levels lie in s0, s1, …",
        _ => "",
    }
}
