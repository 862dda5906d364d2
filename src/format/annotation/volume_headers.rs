//! What the header of a mag says of its buckets: `header.wkw` or `zarr.json`.

use super::bucket_names::MagFiles;
use super::bucket_source::BucketCoding;
use super::buckets::{BUCKET_SIDE, BUCKET_VOXELS};
use super::volume::class_from_len;
use super::volume_axes::MAX_JSON_BYTES;
use crate::codec::Codec;
use crate::format::json::{parse, unsigned_list};
use crate::format::wkw::{HEADER_FILE, HEADER_LEN, WkwHeader};
use crate::format::zarr::{NODE_FILE, array_fields};
use crate::format::{HeaderReport, HeaderSection};
use crate::problem::Problems;
use crate::storage::{Storage, StorageError, StorageKey};
use crate::voxel::ElementClass;
use serde_json::{Map, Value};

/// What a mag's header says.
pub(super) struct LevelHeader {
    pub coding: BucketCoding,
    pub class: ElementClass,
    /// Of the array; empty for WKW.
    pub dimension_names: Vec<Option<String>>,
    /// Whether its metadata are those of a Zarr array that other programs read: chunks are found where it says so.
    pub is_plain_zarr: bool,
    pub report: HeaderReport,
}

/// What can be made of a mag.
pub(super) enum HeaderKind {
    /// Buckets.
    Buckets(LevelHeader),
    /// Chunks of another layout.
    Other,
    /// Nothing, with the reason.
    Unusable(String),
}

/// Buckets whose headers are looked at where the mag's own is lost.
const MAX_TRIES: usize = 8;

/// Edge of a bucket, as log2.
const SIDE_LOG2: u8 = 5;

/// The header of a WKW mag, from a bucket if it is missing or damaged.
///
/// # Errors
/// If a file can't be read.
pub(super) fn wkw_header(storage: &dyn Storage, files: &MagFiles, problems: &mut Problems) -> Result<HeaderKind, StorageError> {
    let read = |name: &str| -> Result<Result<([u8; HEADER_LEN], WkwHeader), String>, StorageError> {
        let mut bytes = [0; HEADER_LEN];
        let got = match StorageKey::new(name).map(|key| storage.read_at(&key, 0, &mut bytes)) {
            Some(Ok(got)) => got.unwrap_or(0),
            // A damaged entry is no reason to refuse the others.
            Some(Err(err @ StorageError::Archive { .. })) => return Ok(Err(err.reason())),
            Some(Err(err)) => return Err(err),
            None => 0,
        };
        Ok(WkwHeader::parse(&bytes[..got]).map(|header| (bytes, header)).map_err(|err| err.to_string()))
    };
    let mut reason = format!("no {HEADER_FILE}");
    let mut own = None;
    if let Some(name) = &files.header {
        match read(name)? {
            Ok(header) => own = Some((name.clone(), header)),
            Err(err) => reason = format!("{HEADER_FILE} is damaged ({err})"),
        }
    }
    let mut title = "WKW header".to_owned();
    if own.is_none() {
        for (_, name) in files.wkw.iter().take(MAX_TRIES) {
            if let Ok(header) = read(name)? {
                let text = format!("{reason}, its fields were taken from {name}");
                problems.warn(storage.location(&files.folder), text);
                title = format!("WKW header, {reason}, taken from a chunk");
                own = Some((name.clone(), header));
                break;
            }
        }
    }
    let Some((name, (bytes, header))) = own else { return Ok(HeaderKind::Unusable(format!("{reason}, and no chunk to recover it from"))) };
    if (header.chunk_log2, header.chunks_per_shard_log2) != (SIDE_LOG2, 0) {
        return Ok(HeaderKind::Other);
    }
    if header.voxel_type.channels != 1 || header.voxel_type.class.is_float() {
        return Ok(HeaderKind::Unusable(format!("the voxel type {} can't be ids", header.voxel_type)));
    }
    let report = HeaderReport { sections: vec![HeaderSection { title, location: storage.location(&name), fields: header.fields(&bytes) }] };
    let class = header.voxel_type.class;
    Ok(HeaderKind::Buckets(LevelHeader { coding: BucketCoding::Wkw, class, dimension_names: Vec::new(), is_plain_zarr: false, report }))
}

/// The header of a Zarr mag; `declared` is the class by the JSON beside it.
///
/// # Errors
/// If a file can't be read.
pub(super) fn zarr_header(
    storage: &dyn Storage,
    files: &MagFiles,
    declared: Option<ElementClass>,
    problems: &mut Problems,
) -> Result<HeaderKind, StorageError> {
    let mut reason = format!("no {NODE_FILE}");
    if let Some(key) = files.node.as_deref().and_then(StorageKey::new) {
        let json = match storage.read(&key, MAX_JSON_BYTES) {
            Ok(bytes) => parse(&bytes.unwrap_or_default()).map_err(|err| format!("{NODE_FILE} is not valid JSON: {err}")),
            Err(err @ (StorageError::Archive { .. } | StorageError::TooLarge { .. })) => Err(err.reason()),
            Err(err) => return Err(err),
        };
        match json.as_ref().map(Value::as_object) {
            Ok(Some(root)) => {
                let Some(class) = class_of_bucket_array(root) else { return Ok(HeaderKind::Other) };
                let dimension_names = dimension_names(root);
                let section =
                    HeaderSection { title: NODE_FILE.to_owned(), location: storage.location(key.as_str()), fields: array_fields(root) };
                let report = HeaderReport { sections: vec![section] };
                let is_plain_zarr = has_default_keys(root);
                let header = LevelHeader { coding: BucketCoding::Zarr3, class, dimension_names, is_plain_zarr, report };
                return Ok(HeaderKind::Buckets(header));
            }
            Ok(None) => reason = format!("{NODE_FILE} holds no object"),
            Err(err) => reason.clone_from(err),
        }
    }
    let class = match declared {
        Some(class) => Some(class),
        None => class_of_first_bucket(storage, files)?,
    };
    let Some(class) = class else { return Ok(HeaderKind::Unusable(format!("{reason}, and nothing says the class of its voxels"))) };
    problems.warn(storage.location(&files.folder), format!("{reason}, {class} voxels are assumed"));
    // With one section, so that what is known of the mag has a place.
    let section = HeaderSection { title: format!("{NODE_FILE}, {reason}"), location: storage.location(&files.folder), fields: Vec::new() };
    let report = HeaderReport { sections: vec![section] };
    let header = LevelHeader { coding: BucketCoding::Zarr3, class, dimension_names: Vec::new(), is_plain_zarr: false, report };
    Ok(HeaderKind::Buckets(header))
}

/// The class that the length of the first usable bucket leaves.
fn class_of_first_bucket(storage: &dyn Storage, files: &MagFiles) -> Result<Option<ElementClass>, StorageError> {
    for (_, name) in files.zarr.iter().take(MAX_TRIES) {
        let Some(key) = StorageKey::new(name.as_str()) else { continue };
        let most = 2 * 8 * BUCKET_VOXELS as u64;
        let bytes = match storage.read(&key, most) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(StorageError::Archive { .. } | StorageError::TooLarge { .. }) => continue,
            Err(err) => return Err(err),
        };
        if let Some(class) = class_from_len(Codec::Blosc.len_hint(&bytes).unwrap_or(bytes.len())) {
            return Ok(Some(class));
        }
    }
    Ok(None)
}

/// Names of the dimensions: those of the file, or as many unnamed ones as a chunk has.
fn dimension_names(root: &Map<String, Value>) -> Vec<Option<String>> {
    let rank = chunk_shape(root).map_or(4, |shape| shape.len());
    let names = root.get("dimension_names").and_then(Value::as_array).filter(|names| names.len() == rank);
    names.map_or_else(|| vec![None; rank], |names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect())
}

/// Whether chunks have the names of the specification's own encoding; servers since mid 2024 say another one.
fn has_default_keys(root: &Map<String, Value>) -> bool {
    root.get("chunk_key_encoding").and_then(|keys| keys.get("name")).and_then(Value::as_str) == Some("default")
}

fn chunk_shape(root: &Map<String, Value>) -> Option<Vec<u64>> {
    root.get("chunk_grid")?.pointer("/configuration/chunk_shape").and_then(unsigned_list)
}

/// The class of an array whose chunks are buckets as the server writes them; `None` for other arrays. Shape and names of
/// chunks don't matter: some generations say them wrong, and leave out that chunks are compressed.
fn class_of_bucket_array(root: &Map<String, Value>) -> Option<ElementClass> {
    let class = root.get("data_type")?.as_str().and_then(ElementClass::from_name).filter(|class| !class.is_float())?;
    let shape = chunk_shape(root)?;
    let (other, &inner) = shape.split_last_chunk::<3>()?;
    let side = BUCKET_SIDE.unsigned_abs();
    if other.is_empty() || other.iter().any(|n| *n != 1) || inner != [side; 3] {
        return None;
    }
    let names = root.get("dimension_names").and_then(Value::as_array).filter(|names| !names.iter().all(Value::is_null));
    if let Some(names) = names
        && (names.len() != shape.len()
            || names.last_chunk::<3>().is_none_or(|last| last.each_ref().map(Value::as_str) != ["x", "y", "z"].map(Some)))
    {
        return None;
    }
    let mut is_transposed = false;
    for codec in root.get("codecs")?.as_array()? {
        let name = codec.get("name").or(Some(codec)).and_then(Value::as_str)?;
        match name {
            "transpose" => {
                let order = codec.pointer("/configuration/order")?;
                let reversed: Vec<u64> = (0..shape.len() as u64).rev().collect();
                if order.as_str() != Some("F") && unsigned_list(order)? != reversed {
                    return None;
                }
                is_transposed = true;
            }
            "bytes" | "endian" if codec.pointer("/configuration/endian").and_then(Value::as_str) == Some("big") => return None,
            "bytes" | "endian" | "blosc" => {}
            _ => return None,
        }
    }
    is_transposed.then_some(class)
}
