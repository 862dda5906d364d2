//! Opening arrays by their metadata files.

use super::metadata::ArrayMetadata;
use super::store::ZarrStore;
use super::v2::{self, ARRAY_FILE};
use super::v3::{self, NODE_FILE};
use crate::format::array::{
    ArrayIndexCache, ArraySource, ArrayView, AxesError, AxisOrder, ChunkStore, DeclaredAxes, DefaultAxes, OpenedLevel,
};
use crate::format::json::parse;
use crate::format::{DataFormat, HeaderField, LevelError};
use crate::geometry::Vec3Int;
use crate::problem::{Problem, Problems};
use crate::storage::{Storage, StorageKey, StorageOpener};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Attributes of Zarr 2 groups and arrays.
pub const ATTRIBUTES_FILE: &str = ".zattrs";

/// Longest metadata file that is read.
const MAX_METADATA_BYTES: u64 = 64 << 20;

/// An array whose metadata were read.
pub struct OpenedArray {
    /// Its chunks.
    pub store: Arc<ZarrStore>,
    /// Where its metadata file lies.
    pub location: String,
}

/// A file's text, `None` if it or its folder isn't there.
///
/// # Errors
/// If it is there and can't be read.
pub fn read_file(storage: &dyn Storage, name: &str) -> Result<Option<Vec<u8>>, LevelError> {
    let Some(key) = StorageKey::new(name) else { return Ok(None) };
    storage
        .read(&key, MAX_METADATA_BYTES)
        .or_else(|err| if err.leaves_no_room() { Ok(None) } else { Err(err) })
        .map_err(|err| LevelError { reason: format!("can't read {name}: {}", err.reason()), location: storage.location(name) })
}

/// A JSON file, `None` if it isn't there.
///
/// # Errors
/// If it is there and can't be read or isn't JSON.
pub fn read_json(storage: &dyn Storage, name: &str) -> Result<Option<Value>, LevelError> {
    let Some(bytes) = read_file(storage, name)? else { return Ok(None) };
    let json =
        parse(&bytes).map_err(|err| LevelError { reason: format!("{name} is not valid JSON: {err}"), location: storage.location(name) })?;
    Ok(Some(json))
}

/// Reads the metadata of one version, with the name of their file.
type ReadVersion = fn(&dyn Storage) -> Result<Option<(ArrayMetadata, &'static str)>, LevelError>;

/// Opens the array in a folder; the version that `prefer` names if there are both.
///
/// # Errors
/// If there is none, or its metadata can't be used.
pub fn open_array(
    opener: &dyn StorageOpener,
    folder: &Path,
    prefer: Option<DataFormat>,
    indices: &Arc<ArrayIndexCache>,
) -> Result<OpenedArray, LevelError> {
    let storage = opener.open_folder(folder);
    let tries: [ReadVersion; 2] = if prefer == Some(DataFormat::Zarr) { [version_2, version_3] } else { [version_3, version_2] };
    for version in tries {
        if let Some((metadata, file)) = version(storage.as_ref())? {
            let location = storage.location(file);
            let store = Arc::new(ZarrStore::new(storage, metadata, location.clone(), indices.clone()));
            return Ok(OpenedArray { store, location });
        }
    }
    Err(LevelError {
        reason: format!("can't open the array: neither {NODE_FILE} nor {ARRAY_FILE}"),
        location: folder.display().to_string(),
    })
}

fn version_2(storage: &dyn Storage) -> Result<Option<(ArrayMetadata, &'static str)>, LevelError> {
    let Some(bytes) = read_file(storage, ARRAY_FILE)? else { return Ok(None) };
    match v2::parse_array(&bytes) {
        Ok(metadata) => Ok(Some((metadata, ARRAY_FILE))),
        Err(err) => Err(LevelError { reason: format!("can't open the array: {err}"), location: storage.location(ARRAY_FILE) }),
    }
}

fn version_3(storage: &dyn Storage) -> Result<Option<(ArrayMetadata, &'static str)>, LevelError> {
    let Some(json) = read_json(storage, NODE_FILE)? else { return Ok(None) };
    let fail = |reason: String| LevelError { reason, location: storage.location(NODE_FILE) };
    let root = json.as_object().ok_or_else(|| fail(format!("{NODE_FILE} holds no object")))?;
    match root.get("node_type").and_then(Value::as_str) {
        Some("array") => {}
        Some("group") => return Err(fail(format!("{NODE_FILE} is that of a group, an array is expected"))),
        Some(_) | None if root.contains_key("chunk_grid") => {}
        found => return Err(fail(format!("{NODE_FILE}: node_type is {found:?}, expected array"))),
    }
    match v3::array(root) {
        Ok(metadata) => Ok(Some((metadata, NODE_FILE))),
        Err(err) => Err(fail(format!("can't open the array: {err}"))),
    }
}

/// Opens an array as a level, with the axes that are declared, else those that the array names, else the defaults.
///
/// # Errors
/// If the array can't be used, or the declared axes don't fit it.
pub fn open_level(
    opener: &dyn StorageOpener,
    folder: &Path,
    prefer: Option<DataFormat>,
    declared: &DeclaredAxes,
    defaults: DefaultAxes,
    indices: &Arc<ArrayIndexCache>,
) -> Result<OpenedLevel, LevelError> {
    let array = open_array(opener, folder, prefer, indices)?;
    let metadata = array.store.metadata();
    let rank = metadata.meta.shape.len();
    let mut problems = Problems::default();
    let fail = |err: AxesError| LevelError { reason: format!("can't tell the axes: {err}"), location: array.location.clone() };
    let axes = match declared.axes(rank) {
        Some(axes) => axes.map_err(fail)?,
        None => match named_axes(opener, folder, metadata, defaults) {
            Some(Ok(axes)) => axes,
            other => {
                if let Some(Err(err)) = other {
                    problems.warn(&array.location, format!("The names of the dimensions can't be used: {err}"));
                }
                let axes = default_axes(rank, metadata.format, defaults).map_err(fail)?;
                problems.info(&array.location, format!("Nothing names the axes, {} is assumed", axes.names()));
                axes
            }
        },
    };
    let level = level_from(&array, axes, declared.channel, Vec::new())?;
    problems.extend(level.problems);
    Ok(OpenedLevel { problems, ..level })
}

/// Sees an opened array through roles of its dimensions. `fields` are shown beside these roles.
///
/// # Errors
/// If the array can't be seen so.
pub fn level_from(array: &OpenedArray, axes: AxisOrder, channel: Option<u64>, fields: Vec<HeaderField>) -> Result<OpenedLevel, LevelError> {
    let metadata = array.store.metadata();
    let mut problems = Problems::default();
    for (severity, text) in &metadata.assumptions {
        problems.add(Problem { severity: *severity, text: text.clone(), location: array.location.clone() });
    }
    if let Err(err) = &metadata.pipeline {
        problems.error(&array.location, format!("Chunks can't be shown: {err}"));
    }
    let view = ArrayView { axes, channel, origin: Vec3Int::ZERO, fields };
    let source = ArraySource::new(array.store.clone() as Arc<dyn ChunkStore>, view)
        .map_err(|err| LevelError { reason: format!("can't open the array: {err}"), location: array.location.clone() })?;
    let axes = source.extra_axes();
    Ok(OpenedLevel { source: Arc::new(source), format: metadata.format, axes, problems })
}

/// Axes by the names that the array gives its dimensions; `None` if it gives none.
fn named_axes(
    opener: &dyn StorageOpener,
    folder: &Path,
    metadata: &ArrayMetadata,
    defaults: DefaultAxes,
) -> Option<Result<AxisOrder, AxesError>> {
    let rank = metadata.meta.shape.len();
    let is_named = |names: &[Option<String>]| names.iter().flatten().any(|name| !name.trim().is_empty());
    if is_named(&metadata.dimension_names) {
        let names = metadata.dimension_names.iter().map(Option::as_deref);
        return Some(AxisOrder::from_names(names, rank, "dimension_names of the array"));
    }
    match (metadata.format, defaults) {
        // Only looked at where no other metadata could have named the axes.
        (DataFormat::Zarr, DefaultAxes::Plain) => {
            let storage = opener.open_folder(folder);
            let attributes = read_json(storage.as_ref(), ATTRIBUTES_FILE).ok().flatten()?;
            let names = attributes.get("_ARRAY_DIMENSIONS")?.as_array()?;
            let names: Vec<Option<&str>> = names.iter().map(Value::as_str).collect();
            Some(AxisOrder::from_names(names, rank, "_ARRAY_DIMENSIONS of the array")).filter(Result::is_ok)
        }
        (DataFormat::Zarr, DefaultAxes::Server)
        | (DataFormat::Wkw | DataFormat::Zarr3 | DataFormat::N5 | DataFormat::NeuroglancerPrecomputed, _) => None,
    }
}

fn default_axes(rank: usize, format: DataFormat, defaults: DefaultAxes) -> Result<AxisOrder, AxesError> {
    match (defaults, format) {
        (DefaultAxes::Server, DataFormat::Zarr3) => AxisOrder::last_cxyz(rank, "the default of WEBKNOSSOS for Zarr 3"),
        (DefaultAxes::Server, _) => AxisOrder::last_zyx(rank, "the default of WEBKNOSSOS for Zarr 2"),
        (DefaultAxes::Plain, _) => AxisOrder::last_zyx(rank, "nothing names the axes, the usual order is assumed"),
    }
}
