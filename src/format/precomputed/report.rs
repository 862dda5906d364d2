//! Fields of `info` for people: what it says of the volume and of one scale, and what follows.

use super::info::{Info, Scale, ScaleEntry, short, shown};
use super::sharding::Sharding;
use crate::format::{HeaderField, HeaderSection};
use serde_json::{Map, Value};

/// Sections about the volume and one scale.
pub fn sections(info: &Info, entry: &ScaleEntry, scale: &Scale, location: &str) -> Vec<HeaderSection> {
    let volume = fields("", &info.fields, |name| match name {
        "type" => "image: intensities, segmentation: ids".to_owned(),
        "data_type" if info.class.byte_len() == 1 => "1 byte".to_owned(),
        "data_type" => format!("{} bytes, little-endian", info.class.byte_len()),
        "num_channels" => "channel slowest in raw chunks, together in one chunk".to_owned(),
        "mesh" | "skeletons" | "segment_properties" => "folder beside the scales, not shown".to_owned(),
        _ => String::new(),
    });
    let [x, y, z] = scale.grid();
    let mut of_scale = fields("", &entry.fields, |name| match name {
        "key" => "folder of the scale, relative to info".to_owned(),
        "size" => format!("in voxels; {x} × {y} × {z} chunks, those at the end clipped"),
        "voxel_offset" => "position of the first voxel, in voxels of this scale".to_owned(),
        "resolution" => "size of a voxel in nm".to_owned(),
        "chunk_sizes" if scale.chunk_shapes > 1 => format!("{} copies of the data, the first is read", scale.chunk_shapes),
        "chunk_sizes" => "in voxels".to_owned(),
        "encoding" => encoding_meaning(scale),
        "compressed_segmentation_block_size" => "in voxels".to_owned(),
        "jpeg_quality" | "png_level" => "for writers only".to_owned(),
        "hidden" => "viewers leave hidden scales out".to_owned(),
        _ => String::new(),
    });
    if !entry.fields.contains_key("voxel_offset") {
        of_scale.push(HeaderField::new("voxel_offset", "", "0, 0, 0", "missing, the default"));
    }
    match &scale.sharding {
        Some(sharding) => of_scale.extend(sharding_fields(sharding, entry.fields.get("sharding"))),
        None => of_scale.push(HeaderField::new("sharding", "", "none", "each chunk is a file, named by its voxels")),
    }
    let section = |title: &str, fields| HeaderSection { title: title.to_owned(), location: location.to_owned(), fields };
    vec![section("Precomputed volume", volume), section("Precomputed scale", of_scale)]
}

fn fields(prefix: &str, map: &Map<String, Value>, meaning: impl Fn(&str) -> String) -> Vec<HeaderField> {
    // Objects are listed field by field.
    let listed = map.iter().filter(|(name, value)| !(*name == "sharding" && value.is_object()));
    listed.map(|(name, value)| HeaderField::new(&format!("{prefix}{}", short(name)), shown(value), plain(value), meaning(name))).collect()
}

/// A value as people write it: text without quotes, lists without brackets.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => short(text),
        Value::Array(list) if list.iter().all(Value::is_number) => {
            let numbers: Vec<_> = list.iter().take(32).map(Value::to_string).collect();
            numbers.join(", ")
        }
        _ => shown(value),
    }
}

fn encoding_meaning(scale: &Scale) -> String {
    use super::encoding::Encoding;
    match &scale.encoding {
        Encoding::Raw => "little-endian, x fastest, channel slowest".to_owned(),
        Encoding::Image(kind) => format!("one {} image per chunk, its pixels in x, y, z order", kind.name()),
        Encoding::CompressedSegmentation { .. } => "blocks of indices into tables of ids".to_owned(),
        Encoding::Compresso => "boundaries between segments, and ids of what they enclose".to_owned(),
        Encoding::Unsupported(_) => "not among those that can be read: raw, jpeg, png, jxl, compressed_segmentation, compresso".to_owned(),
    }
}

fn sharding_fields(sharding: &Sharding, raw: Option<&Value>) -> Vec<HeaderField> {
    let empty = Map::new();
    let map = raw.and_then(Value::as_object).unwrap_or(&empty);
    let power = |bits: u32| 1_u128.checked_shl(bits).unwrap_or(0).to_string();
    let mut list = fields("sharding.", map, |name| match name {
        "preshift_bits" => format!("chunks come in groups of {}, each in one minishard", power(sharding.preshift_bits)),
        "hash" if sharding.hash.is_err() => "not known: chunks can't be found".to_owned(),
        "hash" => "of the chunk number (compressed Morton code), spreads chunks over shards".to_owned(),
        "minishard_bits" => format!("{} minishards in a shard, a shard index of {} bytes", sharding.minishards(), sharding.table_len()),
        "shard_bits" => format!("at most {} shard files", power(sharding.shard_bits)),
        "minishard_index_encoding" => "of the lists of chunks".to_owned(),
        "data_encoding" => "around each chunk's own encoding".to_owned(),
        _ => String::new(),
    });
    for name in ["minishard_index_encoding", "data_encoding"] {
        if !map.contains_key(name) {
            list.push(HeaderField::new(&format!("sharding.{name}"), "", "raw", "missing, the default"));
        }
    }
    list
}
