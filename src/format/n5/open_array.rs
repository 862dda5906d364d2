//! Opening one array: which of the names that metadata give belong to its dimensions, and its source.

use super::attributes::{ATTRIBUTES_FILE, ArrayAttributes, Attributes};
use super::store::N5Store;
use crate::format::array::{ArraySource, ArrayView, AxesError, AxisOrder, DeclaredAxes, DefaultAxes, OpenedLevel};
use crate::format::{ChunkSource, DataFormat, ExtraAxis, HeaderSection, LevelError};
use crate::geometry::Vec3Int;
use crate::problem::{Problems, Severity};
use crate::storage::StorageOpener;
use std::path::Path;
use std::sync::Arc;

/// An array whose dimensions have a meaning.
pub struct OpenedArray {
    /// Its chunks.
    pub source: Arc<dyn ChunkSource>,
    /// Axes beyond x, y, z and channel.
    pub extra: Vec<ExtraAxis>,
    /// Roles of its dimensions.
    pub axes: AxisOrder,
    /// Its file.
    pub attributes: Attributes,
    /// What its file says of the array.
    pub array: ArrayAttributes,
}

/// Names of the dimensions, in their order, with where they come from.
pub type NamedAxes = (Vec<String>, String);

/// Reads an array's file.
///
/// # Errors
/// If there is none, or it can't be used.
pub fn read_array(opener: &dyn StorageOpener, folder: &Path) -> Result<(Attributes, ArrayAttributes), LevelError> {
    let storage = opener.open_folder(folder);
    let missing = || LevelError { reason: format!("can't open the array: no {ATTRIBUTES_FILE}"), location: storage.location("") };
    let attributes = Attributes::read(storage.as_ref())?.ok_or_else(missing)?;
    let array = ArrayAttributes::parse(&attributes).map_err(|err| attributes.fail(err))?;
    Ok((attributes, array))
}

/// The first of the candidates that fits an array of `rank` dimensions, else x, y, z, c, t.
pub fn choose_axes(rank: usize, candidates: &[NamedAxes], location: &str, problems: &mut Problems) -> Result<AxisOrder, AxesError> {
    for (names, reason) in candidates {
        match AxisOrder::from_names(names.iter().map(|name| Some(name.as_str())), rank, reason) {
            Ok(axes) => return Ok(axes),
            Err(err) => problems.warn(location, format!("{reason} can't be used: {err}")),
        }
    }
    let axes = AxisOrder::first_xyz(rank, "assumed, nothing names them")?;
    problems.info(location, format!("Nothing names the axes, they are taken as {}", axes.names()));
    Ok(axes)
}

/// The names that an array's own file gives.
pub fn own_axes(attributes: &Attributes) -> Option<NamedAxes> {
    Some((attributes.texts("axes")?, format!("axes in {ATTRIBUTES_FILE}")))
}

/// Makes a source of an array.
///
/// # Errors
/// If it can't be seen through these axes.
pub fn open_with_axes(
    opener: &dyn StorageOpener,
    folder: &Path,
    (attributes, array): (Attributes, ArrayAttributes),
    axes: AxisOrder,
    channel: Option<u64>,
    context: &[HeaderSection],
) -> Result<OpenedArray, LevelError> {
    let store = N5Store::new(opener.open_folder(folder), array.clone(), &attributes, context);
    let view = ArrayView { axes: axes.clone(), channel, origin: Vec3Int::ZERO, fields: Vec::new() };
    let source = ArraySource::new(Arc::new(store), view).map_err(|err| attributes.fail(err))?;
    let extra = source.extra_axes();
    Ok(OpenedArray { source: Arc::new(source), extra, axes, attributes, array })
}

/// Opens an array that a `datasource-properties.json` names, or that stands alone.
///
/// Declared axes come first, then the names in its own file, then `default_axes`.
///
/// # Errors
/// If there is no array, or it can't be seen as declared.
pub(in crate::format) fn open_level(
    opener: &dyn StorageOpener,
    folder: &Path,
    declared: &DeclaredAxes,
    default_axes: DefaultAxes,
) -> Result<OpenedLevel, LevelError> {
    let (attributes, array) = read_array(opener, folder)?;
    let rank = array.shape.len();
    let mut unusable = None;
    let mut named = || {
        let (names, reason) = own_axes(&attributes)?;
        match AxisOrder::from_names(names.iter().map(|name| Some(name.as_str())), rank, &reason) {
            Ok(axes) => Some(axes),
            Err(err) => {
                unusable = Some(format!("{reason} can't be used: {err}"));
                None
            }
        }
    };
    let by_position = || match default_axes {
        DefaultAxes::Server => AxisOrder::last_zyx(rank, "default of the WEBKNOSSOS server for N5"),
        DefaultAxes::Plain => AxisOrder::first_xyz(rank, "assumed, nothing names them"),
    };
    let axes = match declared.axes(rank) {
        Some(axes) => axes,
        None => named().map_or_else(by_position, Ok),
    };
    let axes = axes.map_err(|err| attributes.fail(err))?;
    let store = N5Store::new(opener.open_folder(folder), array, &attributes, &[]);
    if let Some(text) = unusable {
        store.warn(Severity::Warning, text, attributes.location().to_owned());
    }
    let view = ArrayView { axes, channel: declared.channel, origin: Vec3Int::ZERO, fields: Vec::new() };
    let source = ArraySource::new(Arc::new(store), view).map_err(|err| attributes.fail(err))?;
    let axes = source.extra_axes();
    Ok(OpenedLevel { source: Arc::new(source), format: DataFormat::N5, axes, problems: Problems::default() })
}
