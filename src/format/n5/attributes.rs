//! [`Attributes`]: the fields of an `attributes.json`, and [`ArrayAttributes`]: those that make it an array.

use super::compression::Compression;
use crate::format::LevelError;
use crate::format::array::{MAX_RANK, NdVec};
use crate::format::json::unsigned;
use crate::storage::{Storage, StorageKey};
use crate::text::shortened;
use crate::voxel::ElementClass;
use serde_json::{Map, Value};

/// The file that makes a folder an array or a group with metadata.
pub(in crate::format) const ATTRIBUTES_FILE: &str = "attributes.json";

/// Longest `attributes.json` that is read: far more than the largest list of levels takes.
const MAX_ATTRIBUTES_BYTES: u64 = 8 << 20;

/// Most voxels along a dimension; keeps products of positions and mags within 64 bits.
const MAX_EXTENT: u64 = 1 << 38;

/// Block headers count elements along a dimension in 32 bits.
const MAX_BLOCK_EXTENT: u64 = u32::MAX as u64;

/// Why an `attributes.json` can't be used.
#[derive(Debug, thiserror::Error)]
pub enum AttributesError {
    /// Not JSON at all.
    #[error("not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON, but no object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A field that an array can't do without.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field that says nothing usable.
    #[error("{field} is {found}, expected {expected}")]
    Invalid {
        /// Its name.
        field: &'static str,
        /// What it says, shortened.
        found: String,
        /// What it should say.
        expected: &'static str,
    },
    /// Two fields disagree.
    #[error("rank mismatch: dimensions has {dimensions} entries, blockSize has {blocks}")]
    Rank {
        /// Dimensions of the array.
        dimensions: usize,
        /// Dimensions of a block.
        blocks: usize,
    },
    /// More dimensions than can be handled.
    #[error("dimensions has {0} entries, at most {MAX_RANK} can be shown")]
    TooManyDimensions(usize),
}

/// The fields of one `attributes.json`.
#[derive(Clone, Debug)]
pub struct Attributes {
    fields: Map<String, Value>,
    location: String,
}

impl Attributes {
    /// Reads the file in a folder; `None` if there is none.
    ///
    /// # Errors
    /// If it can't be read or isn't a JSON object.
    pub fn read(storage: &dyn Storage) -> Result<Option<Self>, LevelError> {
        let location = storage.location(ATTRIBUTES_FILE);
        let Some(key) = StorageKey::new(ATTRIBUTES_FILE) else { return Ok(None) };
        let bytes = match storage.read(&key, MAX_ATTRIBUTES_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(err) if err.leaves_no_room() => return Ok(None),
            Err(err) => return Err(LevelError { reason: format!("can't use {ATTRIBUTES_FILE}: {}", err.reason()), location }),
        };
        match Self::parse(&bytes, location.clone()) {
            Ok(attributes) => Ok(Some(attributes)),
            Err(err) => Err(LevelError { reason: format!("can't use {ATTRIBUTES_FILE}: {err}"), location }),
        }
    }

    /// Parses the bytes of a file that lies at `location`.
    ///
    /// # Errors
    /// If they aren't a JSON object.
    pub fn parse(bytes: &[u8], location: String) -> Result<Self, AttributesError> {
        match crate::format::json::parse(bytes)? {
            Value::Object(fields) => Ok(Self { fields, location }),
            _ => Err(AttributesError::NotAnObject),
        }
    }

    /// The file, for messages.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// All fields.
    pub const fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// A field; `None` if it is missing or null.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Whether the folder is meant to be an array, sound or not.
    pub fn is_array(&self) -> bool {
        self.get("dimensions").is_some() || (self.get("blockSize").is_some() && self.get("dataType").is_some())
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        self.get(name).and_then(numbers)
    }

    /// A list of texts; a single text counts as a list of one.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        self.get(name).and_then(texts)
    }

    /// An error about this file.
    pub fn fail(&self, reason: impl std::fmt::Display) -> LevelError {
        LevelError { reason: format!("can't open the array: {ATTRIBUTES_FILE}: {reason}"), location: self.location.clone() }
    }
}

/// A list of numbers; `None` if it is anything else.
pub fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array().filter(|list| !list.is_empty())?.iter().map(Value::as_f64).collect()
}

/// A list of texts, or one text; entries that are null are empty texts. `None` if it is anything else.
pub fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(list) if !list.is_empty() => {
            let text = |entry: &Value| match entry {
                Value::Null => Some(String::new()),
                other => other.as_str().map(str::to_owned),
            };
            list.iter().map(text).collect()
        }
        _ => None,
    }
}

/// JSON for messages and reports, cut off where nobody would read on.
pub fn short_json(value: &Value) -> String {
    shortened(&value.to_string(), 2000)
}

/// What makes an `attributes.json` that of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayAttributes {
    /// `dimensions`, the first one fastest.
    pub shape: NdVec,
    /// `blockSize`.
    pub block_shape: NdVec,
    /// `dataType`.
    pub class: ElementClass,
    /// `compression`, or `compressionType` of files older than N5 1.0.
    pub compression: Compression,
}

impl ArrayAttributes {
    /// The array that the fields describe.
    ///
    /// # Errors
    /// If a field is missing or can't be true. An unknown compression is no error: see [`Compression`].
    pub fn parse(attributes: &Attributes) -> Result<Self, AttributesError> {
        let shape = extents(attributes, "dimensions", 0, MAX_EXTENT, "a list of voxel counts up to 2^38")?;
        let block_shape = extents(attributes, "blockSize", 1, MAX_BLOCK_EXTENT, "a list of counts from 1 to 2^32 - 1")?;
        if shape.len() != block_shape.len() {
            return Err(AttributesError::Rank { dimensions: shape.len(), blocks: block_shape.len() });
        }
        let data_type = attributes.get("dataType").ok_or(AttributesError::Missing("dataType"))?;
        let class = data_type.as_str().and_then(class_from_name).ok_or_else(|| AttributesError::Invalid {
            field: "dataType",
            found: short_json(data_type),
            expected: "uint8 to uint64, int8 to int64, float32 or float64",
        })?;
        Ok(Self { shape, block_shape, class, compression: Compression::parse(attributes) })
    }
}

fn extents(attributes: &Attributes, field: &'static str, least: u64, most: u64, expected: &'static str) -> Result<NdVec, AttributesError> {
    let value = attributes.get(field).ok_or(AttributesError::Missing(field))?;
    let invalid = || AttributesError::Invalid { field, found: short_json(value), expected };
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(invalid)?;
    let extent = |value: &Value| unsigned(value).filter(|n| (least..=most).contains(n));
    let list: Vec<u64> = list.iter().map(extent).collect::<Option<_>>().ok_or_else(invalid)?;
    NdVec::new(&list).ok_or(AttributesError::TooManyDimensions(list.len()))
}

/// N5 has all types but these two.
fn class_from_name(name: &str) -> Option<ElementClass> {
    ElementClass::from_name(name).filter(|class| !matches!(class, ElementClass::Bool | ElementClass::Float16))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(json: &str) -> Result<ArrayAttributes, String> {
        let attributes = Attributes::parse(json.as_bytes(), "here".to_owned()).map_err(|err| err.to_string())?;
        ArrayAttributes::parse(&attributes).map_err(|err| err.to_string())
    }

    #[test]
    fn an_array_is_described_by_four_fields() {
        let found = array(r#"{"dimensions":[3,2,2.0],"blockSize":[2,2,2],"dataType":"uint16","compression":{"type":"raw"}}"#);
        let found = found.expect("sound");
        assert_eq!((&*found.shape, &*found.block_shape), (&[3, 2, 2][..], &[2, 2, 2][..]));
        assert_eq!(found.class, ElementClass::Uint16);
        assert_eq!(found.compression, Compression::default());
    }

    #[test]
    fn what_cannot_be_true_is_refused_in_the_words_of_the_file() {
        let rest = r#""dataType":"uint8""#;
        let cases = [
            (format!(r#"{{"blockSize":[1],{rest}}}"#), "dimensions is missing"),
            (format!(r#"{{"dimensions":[1],{rest}}}"#), "blockSize is missing"),
            (r#"{"dimensions":[1],"blockSize":[1]}"#.to_owned(), "dataType is missing"),
            (format!(r#"{{"dimensions":[1,2],"blockSize":[1],{rest}}}"#), "rank mismatch: dimensions has 2 entries, blockSize has 1"),
            (format!(r#"{{"dimensions":[1],"blockSize":[0],{rest}}}"#), "blockSize is [0], expected a list of counts from 1 to 2^32 - 1"),
            (format!(r#"{{"dimensions":[-1],"blockSize":[1],{rest}}}"#), "dimensions is [-1], expected a list of voxel counts up to 2^38"),
            (format!(r#"{{"dimensions":[1e30],"blockSize":[1],{rest}}}"#), "dimensions is [1e+30], expected"),
            (format!(r#"{{"dimensions":[],"blockSize":[],{rest}}}"#), "dimensions is [], expected"),
            (format!(r#"{{"dimensions":[1,1,1,1,1,1,1,1,1],"blockSize":[1],{rest}}}"#), "dimensions has 9 entries, at most 8"),
            (r#"{"dimensions":[1],"blockSize":[1],"dataType":"string"}"#.to_owned(), "dataType is \"string\", expected uint8"),
            ("[]".to_owned(), "not a JSON object"),
            ("{".to_owned(), "not valid JSON: EOF while parsing an object at line 1 column 1"),
        ];
        for (json, expected) in cases {
            let message = array(&json).expect_err("refused");
            assert!(message.starts_with(expected), "{json}: {message}");
        }
    }
}
