//! Codecs as metadata name them: Zarr 2's `compressor`, Zarr 3's `codecs`.

use super::pipeline::{Elements, MAX_NESTING, Pipeline, Sharded};
use super::shard_index::IndexFormat;
use crate::codec::{Codec, CodecChain};
use crate::format::array::NdVec;
use crate::format::json::unsigned_list;
use serde_json::{Map, Value};

/// Why chunks of an array can't be decoded, although all else of it is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecsError {
    /// A codec that isn't among ours.
    #[error("the codec {0} is not supported")]
    Unknown(String),
    /// A codec whose configuration makes no sense.
    #[error("the codec {name} can't be used: {reason}")]
    Unusable {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Codecs in an order that makes no sense.
    #[error("the codecs make no chain: {0}")]
    NoChain(String),
}

/// The bytes-to-bytes codec of Zarr 2's `compressor` object, `None` for `null`.
///
/// # Errors
/// If it isn't among ours.
pub fn compressor(value: Option<&Value>) -> Result<Option<Codec>, CodecsError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
    let codec = match id {
        "gzip" => Codec::Gzip,
        "zlib" => Codec::Zlib,
        "zstd" => Codec::Zstd,
        "blosc" => Codec::Blosc,
        "lz4" => Codec::Lz4,
        "bz2" => Codec::Bzip2,
        "lzma" => Codec::Xz,
        _ => return Err(CodecsError::Unknown(if id.is_empty() { value.to_string() } else { id.to_owned() })),
    };
    // Raw streams have no header that says how they were made.
    if codec == Codec::Xz && value.get("format").and_then(Value::as_u64).is_some_and(|format| format > 2) {
        return Err(CodecsError::Unusable { name: id.to_owned(), reason: "raw LZMA streams are not supported".to_owned() });
    }
    Ok(Some(codec))
}

/// Name of a codec: Zarr 3 has objects and, for those without configuration, bare strings.
pub fn name_of(codec: &Value) -> &str {
    codec.as_str().or_else(|| codec.get("name")?.as_str()).unwrap_or("?")
}

/// Zarr 3's list of codecs for chunks of `shape`, by the array's dimensions.
///
/// # Errors
/// If one of them isn't among ours, or they make no chain.
pub fn pipeline(codecs: &[Value], shape: &NdVec, element_len: usize) -> Result<Pipeline, CodecsError> {
    let dims = (0..shape.len()).collect();
    nested_pipeline(codecs, shape, dims, element_len, 0)
}

fn nested_pipeline(
    codecs: &[Value],
    shape: &NdVec,
    mut dims: Vec<usize>,
    element_len: usize,
    depth: usize,
) -> Result<Pipeline, CodecsError> {
    if depth > MAX_NESTING {
        return Err(CodecsError::NoChain(format!("shards inside shards more than {MAX_NESTING} times")));
    }
    let mut elements = None;
    let mut bytes = Vec::new();
    for codec in codecs {
        let name = name_of(codec);
        let empty = Map::new();
        let configuration = codec.get("configuration").and_then(Value::as_object).unwrap_or(&empty);
        let unusable = |reason: String| CodecsError::Unusable { name: name.to_owned(), reason };
        match (name, elements.is_some()) {
            ("transpose", false) => dims = transposed(&dims, configuration.get("order")).map_err(unusable)?,
            ("bytes" | "endian", false) => {
                let is_big_endian = match configuration.get("endian").and_then(Value::as_str) {
                    Some("little") => false,
                    Some("big") => true,
                    None if element_len == 1 => false,
                    found => return Err(unusable(format!("endian is {found:?}, expected little or big"))),
                };
                elements = Some(Elements::Plain { is_big_endian });
            }
            ("sharding_indexed", false) => {
                elements = Some(Elements::Sharded(Box::new(sharded(configuration, shape, &dims, element_len, depth)?)));
            }
            ("transpose" | "bytes" | "endian" | "sharding_indexed", true) => {
                return Err(CodecsError::NoChain(format!("{name} behind the codec that makes bytes")));
            }
            ("gzip", true) => bytes.push(Codec::Gzip),
            ("zlib" | "numcodecs.zlib", true) => bytes.push(Codec::Zlib),
            ("zstd" | "numcodecs.zstd", true) => bytes.push(Codec::Zstd),
            ("blosc" | "numcodecs.blosc", true) => bytes.push(Codec::Blosc),
            ("numcodecs.lz4", true) => bytes.push(Codec::Lz4),
            ("bz2" | "numcodecs.bz2", true) => bytes.push(Codec::Bzip2),
            ("numcodecs.gzip", true) => bytes.push(Codec::Gzip),
            ("lzma" | "numcodecs.lzma", true) => bytes.push(Codec::Xz),
            ("crc32c", true) => bytes.push(Codec::Crc32c),
            ("gzip" | "zstd" | "blosc" | "crc32c", false) => {
                return Err(CodecsError::NoChain(format!("{name} before the codec that makes bytes")));
            }
            (unknown, _) => return Err(CodecsError::Unknown(unknown.to_owned())),
        }
    }
    let elements = elements.ok_or_else(|| CodecsError::NoChain("none of them makes bytes".to_owned()))?;
    Ok(Pipeline { bytes: CodecChain::new(bytes), dims, elements })
}

/// The stored order of dimensions after a transpose: encoded dimension i is the former dimension order[i].
fn transposed(dims: &[usize], order: Option<&Value>) -> Result<Vec<usize>, String> {
    match order {
        Some(Value::String(order)) if order == "C" => return Ok(dims.to_vec()),
        Some(Value::String(order)) if order == "F" => return Ok(dims.iter().rev().copied().collect()),
        Some(_) | None => {}
    }
    let wrong = || format!("order {} is no permutation of {} axes", order.unwrap_or(&Value::Null), dims.len());
    let list = order.and_then(unsigned_list).ok_or_else(wrong)?;
    let mut sorted = list.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..dims.len() as u64) {
        return Err(wrong());
    }
    Ok(list.iter().filter_map(|at| dims.get(usize::try_from(*at).ok()?)).copied().collect())
}

fn sharded(
    configuration: &Map<String, Value>,
    shape: &NdVec,
    dims: &[usize],
    element_len: usize,
    depth: usize,
) -> Result<Sharded, CodecsError> {
    let unusable = |reason: String| CodecsError::Unusable { name: "sharding_indexed".to_owned(), reason };
    let list = configuration.get("chunk_shape").and_then(unsigned_list);
    let list = list.filter(|list| list.len() == dims.len()).ok_or_else(|| unusable("no chunk_shape of the array's rank".to_owned()))?;
    // Given for the dimensions as transposed so far.
    let mut chunk_shape = NdVec::zeros(shape.len());
    for (dimension, len) in dims.iter().zip(&list) {
        chunk_shape[*dimension] = *len;
    }
    if let Some(d) = (0..shape.len()).find(|d| chunk_shape[*d] == 0 || !shape[*d].is_multiple_of(chunk_shape[*d])) {
        let reason = format!("the chunk_shape {chunk_shape} doesn't divide the shard shape {shape} (axis {d})");
        return Err(unusable(reason));
    }
    let codecs = |key: &str| configuration.get(key).and_then(Value::as_array).map(Vec::as_slice);
    let index = index_format(codecs("index_codecs"), configuration.get("index_location"))?;
    let inner = codecs("codecs").ok_or_else(|| unusable("it has no codecs".to_owned()))?;
    let inner = nested_pipeline(inner, &chunk_shape, dims.to_vec(), element_len, depth + 1)?;
    Ok(Sharded { chunk_shape, index, inner })
}

fn index_format(codecs: Option<&[Value]>, location: Option<&Value>) -> Result<IndexFormat, CodecsError> {
    let unusable = |reason: String| CodecsError::Unusable { name: "sharding_indexed".to_owned(), reason };
    let is_at_start = match location.and_then(Value::as_str) {
        None | Some("end") => false,
        Some("start") => true,
        Some(other) => return Err(unusable(format!("index_location is {other:?}, expected start or end"))),
    };
    let Some(codecs) = codecs else { return Ok(IndexFormat { is_big_endian: false, checksums: 1, is_at_start }) };
    let mut is_big_endian = None;
    let mut checksums = 0;
    for codec in codecs {
        match (name_of(codec), is_big_endian) {
            ("bytes" | "endian", None) => {
                is_big_endian = Some(codec.pointer("/configuration/endian").and_then(Value::as_str) == Some("big"));
            }
            ("crc32c", Some(_)) if checksums < 16 => checksums += 1,
            (name, _) => return Err(unusable(format!("index codec {name} is not supported"))),
        }
    }
    let is_big_endian = is_big_endian.ok_or_else(|| unusable("its index has no codec that makes bytes".to_owned()))?;
    Ok(IndexFormat { is_big_endian, checksums, is_at_start })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape(list: &[u64]) -> NdVec {
        NdVec::new(list).expect("short")
    }

    fn parse(codecs: Value, list: &[u64]) -> Result<Pipeline, String> {
        pipeline(codecs.as_array().expect("a list"), &shape(list), 2).map_err(|err| err.to_string())
    }

    #[test]
    fn transposes_compose_through_shards() {
        let bytes = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let found = parse(
            json!([
                {"name": "transpose", "configuration": {"order": [1, 2, 0]}},
                {"name": "sharding_indexed", "configuration": {
                    "chunk_shape": [3, 5, 2],
                    "codecs": [{"name": "transpose", "configuration": {"order": [2, 1, 0]}}, bytes, "crc32c"],
                    "index_codecs": [bytes]}}
            ]),
            &[4, 6, 10],
        )
        .expect("a chain");
        assert_eq!(found.dims, [1, 2, 0]);
        let Elements::Sharded(sharded) = found.elements else { panic!("no shard") };
        assert_eq!(&*sharded.chunk_shape, [2, 3, 5]);
        assert_eq!(sharded.index, IndexFormat { is_big_endian: false, checksums: 0, is_at_start: false });
        assert_eq!(sharded.inner.dims, [0, 2, 1]);
        assert_eq!(sharded.inner.names(), "transpose, bytes, crc32c");
    }

    #[test]
    fn unknown_and_impossible_codecs_are_named() {
        let bytes = json!({"name": "bytes", "configuration": {"endian": "big"}});
        let shard =
            |chunk: Value, codecs: Value| json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": chunk, "codecs": codecs}}]);
        let cases = [
            (json!([bytes, {"name": "pcodec"}]), "pcodec"),
            (json!(["bytes"]), "endian"),
            (json!([bytes, bytes]), "behind the codec"),
            (json!(["gzip", bytes]), "before the codec"),
            (json!([]), "none of them makes bytes"),
            (json!([{"name": "transpose", "configuration": {"order": [0, 0]}}, bytes]), "no permutation"),
            (shard(json!([3, 2]), json!([bytes])), "doesn't divide"),
            (shard(json!([0, 2]), json!([bytes])), "doesn't divide"),
            (shard(json!([2]), json!([bytes])), "rank"),
            (shard(json!([2, 2]), json!([{"name": "x"}])), "x"),
        ];
        for (codecs, word) in cases {
            let err = parse(codecs.clone(), &[4, 4]).expect_err("no chain");
            assert!(err.contains(word), "{codecs}: {err}");
        }
    }

    #[test]
    fn shards_are_nested_only_so_deep() {
        let mut codecs = json!([{"name": "bytes", "configuration": {"endian": "big"}}]);
        for _ in 0..9 {
            codecs = json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": codecs}}]);
        }
        assert!(parse(codecs, &[1]).expect_err("too deep").contains("inside shards"));
    }

    #[test]
    fn compressors_of_version_2() {
        assert_eq!(compressor(None), Ok(None));
        assert_eq!(compressor(Some(&json!(null))), Ok(None));
        assert_eq!(compressor(Some(&json!({"id": "lzma", "format": 1}))), Ok(Some(Codec::Xz)));
        assert_eq!(compressor(Some(&json!({"id": "imagecodecs_jpeg2k"}))), Err(CodecsError::Unknown("imagecodecs_jpeg2k".to_owned())));
    }
}
