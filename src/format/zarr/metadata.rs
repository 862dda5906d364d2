//! [`ArrayMetadata`]: what `.zarray` and `zarr.json` say of an array, the same for both versions.

use super::codecs::CodecsError;
use super::keys::KeyEncoding;
use super::pipeline::{Elements, Pipeline, Sharded};
use crate::format::array::{ArrayMeta, MAX_RANK, NdVec};
use crate::format::{DataFormat, HeaderField};
use crate::problem::Severity;
use crate::voxel::ElementClass;
use serde_json::Value;

/// An array's metadata, translated.
#[derive(Clone, Debug)]
pub struct ArrayMetadata {
    /// [`DataFormat::Zarr`] or [`DataFormat::Zarr3`].
    pub format: DataFormat,
    /// Shape, division and element of the array.
    pub meta: ArrayMeta,
    /// Shape of what one file holds.
    pub file_shape: NdVec,
    /// Names of files.
    pub keys: KeyEncoding,
    /// Levels of shards that can be read in parts, outermost first.
    pub shards: Vec<ShardLevel>,
    /// Codecs of a chunk, or why there are none.
    pub pipeline: Result<Pipeline, CodecsError>,
    /// Names of dimensions; empty if there are none.
    pub dimension_names: Vec<Option<String>>,
    /// Every field for people.
    pub fields: Vec<HeaderField>,
    /// What was assumed.
    pub assumptions: Vec<(Severity, String)>,
}

/// A level of shards.
#[derive(Clone, Debug)]
pub struct ShardLevel {
    /// Number of inner chunks (or inner shards) along each dimension.
    pub grid: NdVec,
    /// Dimensions in the order of the index.
    pub dims: Vec<usize>,
    /// Inner chunks and index. Its inner pipeline is that of the next level.
    pub sharded: Sharded,
}

/// Why an array can't be used at all.
#[derive(Debug, thiserror::Error)]
pub enum MetadataError {
    /// Not JSON. The source gives line and column.
    #[error("{file} is not valid JSON: {source}")]
    Json {
        /// The metadata file.
        file: &'static str,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// A field is missing, or makes no sense.
    #[error("{file}: {field} is {found}, expected {expected}")]
    Field {
        /// The metadata file.
        file: &'static str,
        /// The field.
        field: &'static str,
        /// Its value, shortened.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// Fields contradict each other, or hold something that isn't supported.
    #[error("{file}: {reason}")]
    Unusable {
        /// The metadata file.
        file: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// A field's value for messages.
pub fn shown(value: Option<&Value>) -> String {
    match value {
        None => "missing".to_owned(),
        Some(value) => crate::text::shortened(&value.to_string(), 80),
    }
}

/// What both versions say of an array in their own words.
pub struct RawArray {
    pub file: &'static str,
    pub format: DataFormat,
    pub shape: Vec<u64>,
    pub file_shape: Vec<u64>,
    pub class: ElementClass,
    pub fill: Vec<u8>,
    pub keys: KeyEncoding,
    pub dimension_names: Vec<Option<String>>,
    pub fields: Vec<HeaderField>,
    pub assumptions: Vec<(Severity, String)>,
}

impl RawArray {
    /// Checks shapes and works out which chunks can be read one by one.
    pub fn finish(self, pipeline: impl FnOnce(&NdVec, usize) -> Result<Pipeline, CodecsError>) -> Result<ArrayMetadata, MetadataError> {
        let file = self.file;
        let unusable = |reason: String| MetadataError::Unusable { file, reason };
        if self.shape.len() != self.file_shape.len() {
            return Err(unusable(format!("the chunk shape has {} dimensions, the shape has {}", self.file_shape.len(), self.shape.len())));
        }
        let rank = self.shape.len();
        let (Some(shape), Some(file_shape)) = (NdVec::new(&self.shape), NdVec::new(&self.file_shape)) else {
            return Err(unusable(format!("an array of {rank} dimensions, at most {MAX_RANK} can be shown")));
        };
        if file_shape.contains(&0) {
            return Err(unusable(format!("the chunk shape is {file_shape}, chunks of 0 elements can't be")));
        }
        let most = i64::MAX as u64 / 4;
        if shape.iter().chain(file_shape.iter()).any(|n| *n > most) {
            return Err(unusable(format!("the shape {shape} in chunks of {file_shape} is too large")));
        }
        let mut pipeline = pipeline(&file_shape, self.class.byte_len());
        let mut shards = Vec::new();
        let mut chunk_shape = file_shape;
        // A shard that isn't encoded as a whole can be read in parts.
        while let Ok(Pipeline { bytes, dims, elements: Elements::Sharded(sharded) }) = &pipeline
            && bytes.is_empty()
        {
            shards.push(ShardLevel { grid: sharded.grid(&chunk_shape), dims: dims.clone(), sharded: (**sharded).clone() });
            chunk_shape = sharded.chunk_shape;
            pipeline = Ok(sharded.inner.clone());
        }
        let chunks_per_shard = file_shape.zip_with(&chunk_shape, |shard, chunk| shard / chunk);
        Ok(ArrayMetadata {
            format: self.format,
            meta: ArrayMeta { shape, chunk_shape, chunks_per_shard, class: self.class, fill: self.fill },
            file_shape,
            keys: self.keys,
            shards,
            pipeline,
            dimension_names: self.dimension_names,
            fields: self.fields,
            assumptions: self.assumptions,
        })
    }
}
