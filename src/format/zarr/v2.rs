//! `.zarray`: Zarr version 2.
//!
//! Specification: Zarr storage specification 2. Not supported: structured, string, time and complex types, filters.

use super::codecs::{CodecsError, compressor};
use super::data_type::{class_from_dtype, fill_bytes};
use super::keys::KeyEncoding;
use super::metadata::{ArrayMetadata, MetadataError, RawArray, shown};
use super::pipeline::{Elements, Pipeline};
use crate::codec::CodecChain;
use crate::format::json::{parse, unsigned, unsigned_list};
use crate::format::{DataFormat, HeaderField};
use crate::problem::Severity;
use serde_json::{Map, Value};

/// Name of the file.
pub const ARRAY_FILE: &str = ".zarray";

/// Parses the file.
///
/// # Errors
/// If it isn't JSON, or shape, chunks or type of the array can't be known. Codecs that can't be used are no error.
pub fn parse_array(bytes: &[u8]) -> Result<ArrayMetadata, MetadataError> {
    let root = parse(bytes).map_err(|source| MetadataError::Json { file: ARRAY_FILE, source })?;
    let empty = Map::new();
    let root = root.as_object().unwrap_or(&empty);
    let field = |field: &'static str, expected: &'static str| {
        let found = shown(root.get(field));
        move || MetadataError::Field { file: ARRAY_FILE, field, found, expected }
    };
    let mut assumptions = Vec::new();
    let version = root.get("zarr_format");
    // One library writes the number as a string.
    if version.and_then(unsigned) != Some(2) && version.and_then(Value::as_str) != Some("2") {
        return Err(field("zarr_format", "version 2")());
    }
    let shape = root.get("shape").and_then(unsigned_list).ok_or_else(field("shape", "a list of numbers"))?;
    let chunks = root.get("chunks").and_then(unsigned_list).ok_or_else(field("chunks", "a list of numbers"))?;
    let dtype = root.get("dtype").and_then(Value::as_str);
    let (class, is_big_endian) =
        dtype.and_then(class_from_dtype).ok_or_else(field("dtype", "a number type with its byte order, such as <u2"))?;
    let is_fortran = match root.get("order").and_then(Value::as_str) {
        Some("C") => false,
        Some("F") => true,
        None => {
            assumptions.push((Severity::Info, "order is missing, C is assumed".to_owned()));
            false
        }
        Some(_) => return Err(field("order", "C or F")()),
    };
    let written = root.get("dimension_separator").or_else(|| {
        // One server's exports misspell it.
        let misspelt = (Severity::Warning, "dimension_separator is misspelt, it is used nevertheless".to_owned());
        root.get("dimension_seperator").inspect(|_| assumptions.push(misspelt))
    });
    let separator = match written.and_then(Value::as_str) {
        Some("/") => '/',
        None | Some(".") => '.',
        Some(_) => return Err(field("dimension_separator", ". or /")()),
    };
    let null = Value::Null;
    let fill_value = root.get("fill_value").unwrap_or(&null);
    let fill = fill_bytes(fill_value, class).ok_or_else(field("fill_value", "a value of the array's type"))?;
    let raw = RawArray {
        file: ARRAY_FILE,
        format: DataFormat::Zarr,
        shape,
        file_shape: chunks,
        class,
        fill,
        keys: KeyEncoding { has_prefix: false, separator },
        dimension_names: Vec::new(),
        fields: root.iter().map(|(name, value)| described(name, value)).collect(),
        assumptions,
    };
    raw.finish(|shape, _| {
        if let Some(name) = first_filter(root.get("filters")) {
            return Err(CodecsError::Unknown(format!("{name} (a filter)")));
        }
        let codec = compressor(root.get("compressor"))?;
        let dims = (0..shape.len()).collect::<Vec<_>>();
        Ok(Pipeline {
            bytes: CodecChain::new(codec.into_iter().collect()),
            dims: if is_fortran { dims.into_iter().rev().collect() } else { dims },
            elements: Elements::Plain { is_big_endian },
        })
    })
}

fn first_filter(filters: Option<&Value>) -> Option<String> {
    match filters? {
        Value::Null => None,
        Value::Array(list) => list.first().map(|filter| filter.get("id").and_then(Value::as_str).unwrap_or("?").to_owned()),
        other => Some(other.to_string()),
    }
}

fn described(name: &str, value: &Value) -> HeaderField {
    let raw = value.to_string();
    let text = value.as_str().map_or_else(|| raw.clone(), str::to_owned);
    let meaning = match name {
        "zarr_format" => "version of the format",
        "shape" => "elements along each dimension",
        "chunks" => "elements of a chunk along each dimension; chunks at the edge are stored whole",
        "dtype" => match text.chars().next() {
            Some('>') => "type of an element, big-endian",
            Some('<') => "type of an element, little-endian",
            Some(_) | None => "type of an element",
        },
        "compressor" if value.is_null() => "chunks are stored as they are",
        "compressor" => "codec of each chunk; what decoding needs is in the chunk",
        "filters" if value.as_array().is_none_or(Vec::is_empty) => "none",
        "filters" => "steps before the compressor, not supported",
        "fill_value" if value.is_null() => "of absent chunks: not given, 0 is used",
        "fill_value" => "of absent chunks",
        "order" if text == "F" => "in a chunk the first dimension is fastest",
        "order" => "in a chunk the last dimension is fastest",
        "dimension_separator" => "between the indices in a chunk's name",
        "dimension_seperator" => "misspelt dimension_separator",
        _ => "",
    };
    HeaderField::new(name, raw, text, meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Codec;

    const SOUND: &str = r#"{"zarr_format":2,"shape":[4,6],"chunks":[3,4],"dtype":">u2","compressor":{"id":"zstd","level":5},
        "filters":null,"fill_value":7,"order":"F","dimension_separator":"/"}"#;

    fn changed(from: &str, to: &str) -> Result<ArrayMetadata, String> {
        assert!(SOUND.contains(from), "{from}");
        parse_array(SOUND.replace(from, to).as_bytes()).map_err(|err| err.to_string())
    }

    #[test]
    fn all_fields_are_read() {
        let array = changed("2", "2").expect("sound");
        assert_eq!((&*array.meta.shape, &*array.meta.chunk_shape), (&[4, 6][..], &[3, 4][..]));
        assert_eq!(array.meta.fill, [7, 0]);
        assert_eq!(array.keys, KeyEncoding { has_prefix: false, separator: '/' });
        let pipeline = array.pipeline.expect("a chain");
        assert_eq!((pipeline.dims, pipeline.bytes.codecs()), (vec![1, 0], &[Codec::Zstd][..]));
        assert_eq!(pipeline.elements, Elements::Plain { is_big_endian: true });
        assert_eq!(array.fields.len(), 9);
    }

    #[test]
    fn spellings_of_other_writers() {
        assert!(changed("\"zarr_format\":2", "\"zarr_format\":\"2\"").is_ok());
        let misspelt = changed("dimension_separator", "dimension_seperator").expect("sound");
        assert_eq!((misspelt.keys.separator, misspelt.assumptions.len()), ('/', 1));
        assert_eq!(changed(",\"dimension_separator\":\"/\"", "").expect("sound").keys.separator, '.');
        assert_eq!(changed("\"fill_value\":7,", "").expect("sound").meta.fill, [0, 0]);
        let nan = changed("\"fill_value\":7", "\"fill_value\":NaN").map_err(|err| err.contains("fill_value"));
        assert_eq!(nan.map(|_| ()), Err(true));
    }

    #[test]
    fn what_makes_no_array_is_named() {
        let cases = [
            (("[3,4]", "[3]"), "chunk shape"),
            (("[3,4]", "[3,0]"), "chunk shape"),
            (("[4,6]", "[4,-6]"), "shape"),
            ((">u2", "u2"), "dtype"),
            ((">u2", "|O"), "dtype"),
            (("\"F\"", "\"X\""), "order"),
            (("\"zarr_format\":2", "\"zarr_format\":3"), "zarr_format"),
            (("[4,6],\"chunks\":[3,4]", "[1,1,1,1,1,1,1,1,1],\"chunks\":[1,1,1,1,1,1,1,1,1]"), "dimensions"),
        ];
        for ((from, to), word) in cases {
            let err = changed(from, to).expect_err(to);
            assert!(err.contains(word), "{to}: {err}");
        }
        assert!(parse_array(b"{ not").expect_err("no JSON").to_string().contains("line 1 column 3"));
    }

    #[test]
    fn filters_and_unknown_compressors_leave_the_layout() {
        let filter = changed("\"filters\":null", "\"filters\":[{\"id\":\"delta\"}]").expect("layout");
        assert!(filter.pipeline.expect_err("a filter").to_string().contains("delta"));
        let unknown = changed("zstd", "pcodec").expect("layout");
        assert!(unknown.pipeline.expect_err("unknown").to_string().contains("pcodec"));
        assert!(changed("\"filters\":null", "\"filters\":[]").expect("sound").pipeline.is_ok());
    }
}
