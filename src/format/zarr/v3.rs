//! `zarr.json` of an array: Zarr version 3.
//!
//! Specification: Zarr core 3.0 and 3.1 with the codecs bytes, transpose, gzip, zstd, blosc, crc32c and
//! sharding_indexed. Not supported: complex, raw-bits and variable-length types, grids that aren't regular,
//! storage transformers.

use super::codecs::{name_of, pipeline};
use super::data_type::fill_bytes;
use super::keys::KeyEncoding;
use super::metadata::{ArrayMetadata, MetadataError, RawArray, shown};
use crate::format::json::{unsigned, unsigned_list};
use crate::format::{DataFormat, HeaderField};
use crate::problem::Severity;
use crate::voxel::ElementClass;
use serde_json::{Map, Value};

/// Name of the file, of groups too.
pub const NODE_FILE: &str = "zarr.json";

/// Fields that mean something; others must say that they needn't be understood.
const KNOWN: [&str; 12] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "storage_transformers",
    "dimension_names",
    "consolidated_metadata",
];

/// Reads an array's metadata from the parsed file.
///
/// # Errors
/// If shape, chunks or type of the array can't be known. Codecs that can't be used are no error.
pub fn array(root: &Map<String, Value>) -> Result<ArrayMetadata, MetadataError> {
    let field = |field: &'static str, expected: &'static str| {
        let found = shown(root.get(field));
        move || MetadataError::Field { file: NODE_FILE, field, found, expected }
    };
    let unusable = |reason: String| MetadataError::Unusable { file: NODE_FILE, reason };
    let mut assumptions = Vec::new();
    if root.get("zarr_format").and_then(unsigned) != Some(3) {
        return Err(field("zarr_format", "version 3")());
    }
    let must_understand = |value: &Value| value.get("must_understand").and_then(Value::as_bool) != Some(false);
    if let Some((name, _)) = root.iter().find(|(name, value)| !KNOWN.contains(&name.as_str()) && must_understand(value)) {
        return Err(unusable(format!("the field {name} must be understood and isn't supported")));
    }
    if root.get("storage_transformers").and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
        return Err(field("storage_transformers", "none")());
    }
    let shape = root.get("shape").and_then(unsigned_list).ok_or_else(field("shape", "a list of numbers"))?;
    let data_type = root.get("data_type").map_or("?", name_of);
    let class = ElementClass::from_name(data_type).ok_or_else(field("data_type", "bool, an integer or a float of up to 64 bits"))?;
    let grid = root.get("chunk_grid");
    if grid.map(name_of) != Some("regular") {
        return Err(field("chunk_grid", "a regular grid")());
    }
    let chunk_shape = grid.and_then(|grid| grid.pointer("/configuration/chunk_shape")).and_then(unsigned_list);
    let chunk_shape = chunk_shape.ok_or_else(field("chunk_grid", "a regular grid with a chunk_shape"))?;
    let encoding = root.get("chunk_key_encoding");
    let keys = key_encoding(encoding).ok_or_else(field("chunk_key_encoding", "default or v2 with the separator . or /"))?;
    let fill = match root.get("fill_value") {
        Some(value) => fill_bytes(value, class).ok_or_else(field("fill_value", "a value of the array's type"))?,
        None => {
            assumptions.push((Severity::Info, "fill_value is missing, 0 is assumed".to_owned()));
            vec![0; class.byte_len()]
        }
    };
    let codecs = root.get("codecs").and_then(Value::as_array).ok_or_else(field("codecs", "a list of codecs"))?;
    let names = root.get("dimension_names").and_then(Value::as_array);
    let names = names.map(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Vec<_>>());
    let raw = RawArray {
        file: NODE_FILE,
        format: DataFormat::Zarr3,
        shape,
        file_shape: chunk_shape,
        class,
        fill,
        keys,
        dimension_names: names.unwrap_or_default(),
        fields: array_fields(root),
        assumptions,
    };
    raw.finish(|shape, element_len| pipeline(codecs, shape, element_len))
}

fn key_encoding(value: Option<&Value>) -> Option<KeyEncoding> {
    let separator = value.and_then(|value| value.pointer("/configuration/separator")).map(|separator| separator.as_str().unwrap_or("?"));
    let (has_prefix, default) = match value.map_or("default", name_of) {
        "default" => (true, "/"),
        "v2" => (false, "."),
        _ => return None,
    };
    match separator.unwrap_or(default) {
        "/" => Some(KeyEncoding { has_prefix, separator: '/' }),
        "." => Some(KeyEncoding { has_prefix, separator: '.' }),
        _ => None,
    }
}

/// The fields of an array's file, for people.
pub fn array_fields(root: &Map<String, Value>) -> Vec<HeaderField> {
    let mut fields = Vec::new();
    for (name, value) in root {
        match name.as_str() {
            "codecs" => codec_fields(value, "codecs", &mut fields),
            "attributes" => {
                for (attribute, value) in value.as_object().into_iter().flatten() {
                    fields.push(HeaderField::new(&format!("attributes.{attribute}"), value.to_string(), text(value), ""));
                }
            }
            _ => fields.push(HeaderField::new(name, value.to_string(), text(value), meaning(name, value))),
        }
    }
    fields
}

/// One field per codec, the inside of shards too.
fn codec_fields(codecs: &Value, path: &str, fields: &mut Vec<HeaderField>) {
    /// Deeper ones aren't read anyway.
    const MAX_DEPTH: usize = 12;
    for (i, codec) in codecs.as_array().into_iter().flatten().enumerate() {
        let name = name_of(codec);
        let path = format!("{path}[{i}]");
        let meaning = match name {
            "bytes" | "endian" => "elements one after the other, the last stored dimension fastest",
            "transpose" => "stored dimension i is dimension order[i] of the array",
            "sharding_indexed" => "each file holds many chunks and an index of them",
            "crc32c" => "a checksum of 4 bytes follows",
            "gzip" | "zstd" | "blosc" => "compression of the bytes",
            _ => "",
        };
        let configuration = codec.get("configuration").and_then(Value::as_object);
        let value = text(codec);
        let raw = if configuration.is_some_and(|c| c.contains_key("codecs")) { String::new() } else { codec.to_string() };
        fields.push(HeaderField::new(&path, raw, value, meaning));
        for inner in ["codecs", "index_codecs"] {
            if let Some(codecs) = configuration.and_then(|c| c.get(inner))
                && path.matches('.').count() < MAX_DEPTH
            {
                codec_fields(codecs, &format!("{path}.{inner}"), fields);
            }
        }
    }
}

/// A value for people: extension points as `name: key value, …`, without codecs inside, which have fields of their own.
fn text(value: &Value) -> String {
    if let Some(name) = value.get("name").and_then(Value::as_str) {
        let configuration = value.get("configuration").and_then(Value::as_object);
        let parts = configuration.into_iter().flatten().filter(|(key, _)| !matches!(key.as_str(), "codecs" | "index_codecs"));
        let parts: Vec<_> = parts.map(|(key, value)| format!("{key} {}", text(value))).collect();
        return if parts.is_empty() { name.to_owned() } else { format!("{name}: {}", parts.join(", ")) };
    }
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn meaning(name: &str, value: &Value) -> &'static str {
    match name {
        "zarr_format" => "version of the format",
        "node_type" => "array or group",
        "shape" => "elements along each dimension",
        "data_type" => "type of an element",
        "chunk_grid" => "elements of a chunk, or of a shard if it is sharded; those at the edge are stored whole",
        "chunk_key_encoding" if value.get("name").and_then(Value::as_str) == Some("v2") => "names of files as in version 2",
        "chunk_key_encoding" => "names of files begin with c",
        "fill_value" => "of absent chunks",
        "dimension_names" => "names of the dimensions, which give them their meaning",
        "storage_transformers" => "none",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The example of `other-formats.md`.
    fn sound() -> Value {
        json!({"zarr_format":3,"node_type":"array","shape":[4,2],"data_type":"uint16",
            "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4,2]}},
            "chunk_key_encoding":{"name":"default"},"fill_value":0,
            "codecs":[{"name":"sharding_indexed","configuration":{
                "chunk_shape":[2,2],
                "codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}}],
                "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]}}]})
    }

    fn with(path: &str, value: Value) -> Result<ArrayMetadata, String> {
        let mut root = sound();
        match path.rsplit_once('/') {
            Some(("", field)) => drop(root.as_object_mut().expect("an object").insert(field.to_owned(), value)),
            _ => *root.pointer_mut(path).expect("a field") = value,
        }
        array(root.as_object().expect("an object")).map_err(|err| err.to_string())
    }

    #[test]
    fn shards_are_read_in_parts() {
        let array = with("/zarr_format", json!(3)).expect("sound");
        assert_eq!((&*array.file_shape, &*array.meta.chunk_shape, &*array.meta.chunks_per_shard), (&[4, 2][..], &[2, 2][..], &[2, 1][..]));
        assert_eq!(array.shards.len(), 1);
        assert_eq!(array.pipeline.expect("a chain").dims, [1, 0]);
        let names: Vec<_> = array.fields.iter().map(|field| field.name.as_str()).collect();
        assert!(names.contains(&"codecs[0].codecs[0]") && names.contains(&"codecs[0].index_codecs[1]"), "{names:?}");
    }

    #[test]
    fn a_compressed_shard_is_a_chunk() {
        let mut root = sound();
        root["codecs"].as_array_mut().expect("a list").push(json!("crc32c"));
        let array = array(root.as_object().expect("an object")).expect("sound");
        assert_eq!((&*array.meta.chunk_shape, array.shards.len()), (&[4, 2][..], 0));
        assert!(array.pipeline.expect("a chain").names().starts_with("sharding_indexed"));
    }

    #[test]
    fn key_encodings() {
        let keys = |value: Value| with("/chunk_key_encoding", value).map(|array| array.keys.key(&array.meta.shape).to_string());
        assert_eq!(keys(json!("default")).as_deref(), Ok("c/4/2"));
        assert_eq!(keys(json!({"name":"default","configuration":{"separator":"."}})).as_deref(), Ok("c.4.2"));
        assert_eq!(keys(json!({"name":"v2"})).as_deref(), Ok("4.2"));
        assert_eq!(keys(json!({"name":"v2","configuration":{"separator":"/"}})).as_deref(), Ok("4/2"));
        assert!(keys(json!({"name":"morton"})).is_err());
    }

    #[test]
    fn what_makes_no_array_is_named() {
        let cases = [
            ("/shape", json!([4]), "shape"),
            ("/data_type", json!("complex64"), "complex64"),
            ("/chunk_grid", json!({"name":"rectangular"}), "chunk_grid"),
            ("/fill_value", json!("x"), "fill_value"),
            ("/zarr_format", json!(2), "zarr_format"),
            ("/extension", json!({"name":"x"}), "extension"),
            ("/storage_transformers", json!([{"name":"x"}]), "storage_transformers"),
            ("/chunk_grid/configuration/chunk_shape", json!([0, 2]), "chunk shape"),
        ];
        for (path, value, word) in cases {
            let err = with(path, value).expect_err(path);
            assert!(err.contains(word), "{path}: {err}");
        }
        assert!(with("/extension", json!({"must_understand":false})).is_ok());
        assert!(with("/data_type", json!({"name":"uint16"})).is_ok());
        let unknown = with("/codecs/0/configuration/codecs/1/name", json!("zfp")).expect("layout");
        assert!(unknown.pipeline.expect_err("unknown").to_string().contains("zfp"));
    }
}
