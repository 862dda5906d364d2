//! [`Group`]: the levels of one image as the `attributes.json` of their folder describes them, in all dialects.
//!
//! - COSEM/OpenOrganelle: `multiscales[].datasets[]` with a `transform` each; also with OME's `axes` and
//!   `coordinateTransformations`;
//! - n5-viewer and BigDataViewer: `scales` or a nested `downsamplingFactors` for s0, s1, …, with `resolution` or
//!   `pixelResolution`; BigDataViewer keeps the factors one folder above (`setupN`);
//! - nothing but folders s0, s1, …, whose own `downsamplingFactors` say what they are.

use super::attributes::{ATTRIBUTES_FILE, Attributes, numbers};
use super::placement::{ListOrder, NamedTransform, Resolution};
use super::report::group_section;
use crate::format::detect::{name_of, parent_of};
use crate::format::{HeaderSection, LevelError};
use crate::problem::Problems;
use crate::storage::{Storage, StorageKey, StorageOpener};
use serde_json::Value;
use std::path::Path;

/// Most levels of an image; each is at least twice as coarse as the one before.
const MAX_LEVELS: usize = 64;

/// Most images that one `multiscales` describes.
const MAX_MULTISCALES: usize = 64;

/// The levels of one image, not opened yet.
#[derive(Debug, Default)]
pub struct Group {
    /// Its own name, if it isn't the folder's.
    pub name: Option<String>,
    /// In any order; there is at least one.
    pub levels: Vec<LevelEntry>,
    /// Size of a voxel at factor 1.
    pub resolution: Option<Resolution>,
    /// Names of the dimensions.
    pub axes: Option<Vec<String>>,
    /// Position of the first voxel, by dimension.
    pub offset: Option<Vec<f64>>,
    /// Whether lengths without a unit are micrometres, as WEBKNOSSOS takes them in this dialect.
    pub assumes_micrometer: bool,
    /// Whether it is said to hold segment ids.
    pub is_label: bool,
    /// The group's own file, for people.
    pub sections: Vec<HeaderSection>,
    /// Findings.
    pub problems: Problems,
}

/// One level.
#[derive(Debug, Default)]
pub struct LevelEntry {
    /// Its folder, relative to the group's; empty for the group's folder itself.
    pub key: String,
    /// Its scale by named axes.
    pub transform: Option<NamedTransform>,
    /// Finest voxels per voxel, by dimension.
    pub factors: Option<Vec<f64>>,
}

/// Finds the images that a folder with levels describes; none if it isn't such a folder.
///
/// # Errors
/// If it can't be found out which levels there are.
pub fn groups_of(opener: &dyn StorageOpener, folder: &Path, attributes: Option<&Attributes>) -> Result<Vec<Group>, LevelError> {
    let storage = opener.open_folder(folder);
    if let Some(attributes) = attributes {
        let described = from_multiscales(attributes);
        if !described.is_empty() {
            return Ok(described);
        }
    }
    let mut factors = attributes.and_then(factor_list);
    let mut above = None;
    if factors.is_none() && is_numbered(&name_of(folder), "timepoint") {
        // BigDataViewer: the setup above has the factors of all its timepoints.
        above = parent_of(folder).and_then(|setup| Attributes::read(opener.open_folder(&setup).as_ref()).ok().flatten());
        factors = above.as_ref().and_then(factor_list);
    }
    let levels = match factors {
        Some(factors) => {
            let levels = factors.into_iter().enumerate();
            let levels: Vec<_> =
                levels.map(|(n, factors)| LevelEntry { key: format!("s{n}"), transform: None, factors: Some(factors) }).collect();
            // A setup of BigDataViewer lists factors too, its levels lie deeper.
            let is_there = |level: &LevelEntry| has_attributes(storage.as_ref(), &level.key);
            let mut any = false;
            for level in &levels {
                any = any || is_there(level)?;
            }
            if any { levels } else { Vec::new() }
        }
        None => probed_levels(storage.as_ref())?,
    };
    if levels.is_empty() {
        return Ok(Vec::new());
    }
    let resolution = attributes.and_then(Resolution::from_attributes);
    let is_compact = levels.iter().any(|level| level.factors.is_some()) || attributes.is_some_and(|a| a.get("multiScale").is_some());
    Ok(vec![Group {
        name: None,
        levels,
        axes: attributes.and_then(|a| a.texts("axes")),
        offset: attributes.and_then(offset),
        assumes_micrometer: is_compact || resolution.is_some(),
        resolution,
        is_label: attributes.is_some_and(is_label),
        sections: attributes.into_iter().chain(&above).map(group_section).collect(),
        problems: Problems::default(),
    }])
}

/// An array by itself, described by its own file.
pub fn single(attributes: &Attributes) -> Group {
    Group { levels: vec![LevelEntry::default()], is_label: is_label(attributes), ..Group::default() }
}

/// Position of the first voxel, by dimension.
pub fn offset(attributes: &Attributes) -> Option<Vec<f64>> {
    ["offset", "translation", "translate"].into_iter().find_map(|name| attributes.numbers(name))
}

/// Paintera says what its arrays are.
fn is_label(attributes: &Attributes) -> bool {
    let paintera = attributes.get("painteraData").and_then(|data| data.get("type")).and_then(Value::as_str);
    paintera == Some("label") || attributes.get("maxId").is_some()
}

/// Whether a name is a prefix and a number.
pub fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Factors of s0, s1, …: a list of lists, or of numbers that hold for all dimensions (`scales` only).
fn factor_list(attributes: &Attributes) -> Option<Vec<Vec<f64>>> {
    let nested = |value: &Value| -> Option<Vec<Vec<f64>>> {
        let list = value.as_array().filter(|list| !list.is_empty() && list.len() <= MAX_LEVELS)?;
        list.iter().map(numbers).collect()
    };
    let uniform = |value: &Value| Some(numbers(value)?.into_iter().take(MAX_LEVELS).map(|factor| vec![factor; 3]).collect());
    let scales = attributes.get("scales").and_then(|value| nested(value).or_else(|| uniform(value)));
    scales.or_else(|| attributes.get("downsamplingFactors").and_then(nested))
}

pub fn has_attributes(storage: &dyn Storage, key: &str) -> Result<bool, LevelError> {
    let Some(file) = StorageKey::new(format!("{key}/{ATTRIBUTES_FILE}")) else { return Ok(false) };
    let fail = |err: crate::storage::StorageError| LevelError { reason: err.reason(), location: storage.location(file.as_str()) };
    match storage.len(&file) {
        Err(err) if err.leaves_no_room() => Ok(false),
        len => len.map(|len| len.is_some()).map_err(fail),
    }
}

/// s0, s1, … until one is missing. The finest may have been left out.
fn probed_levels(storage: &dyn Storage) -> Result<Vec<LevelEntry>, LevelError> {
    let mut levels = Vec::new();
    for n in 0..MAX_LEVELS {
        let key = format!("s{n}");
        if has_attributes(storage, &key)? {
            levels.push(LevelEntry { key, ..LevelEntry::default() });
        } else if n > 0 {
            break;
        }
    }
    Ok(levels)
}

/// The images of `multiscales`.
fn from_multiscales(attributes: &Attributes) -> Vec<Group> {
    let Some(list) = attributes.get("multiscales").and_then(Value::as_array) else { return Vec::new() };
    let groups: Vec<Group> = list.iter().take(MAX_MULTISCALES).filter_map(|entry| from_multiscale(attributes, entry)).collect();
    let several = groups.len() > 1;
    // One is called as its folder.
    groups.into_iter().map(|group| Group { name: group.name.filter(|_| several), ..group }).collect()
}

fn from_multiscale(attributes: &Attributes, entry: &Value) -> Option<Group> {
    let mut problems = Problems::default();
    let datasets = entry.get("datasets")?.as_array()?;
    let factors = factor_list(attributes).filter(|factors| factors.len() == datasets.len());
    let ome_axes = entry.get("axes");
    let order = ListOrder::from_json(entry).or_else(|| ListOrder::from_json(&Value::Object(attributes.fields().clone())));
    let mut levels = Vec::new();
    let mut is_cosem = false;
    for (n, dataset) in datasets.iter().take(MAX_LEVELS).enumerate() {
        let path = dataset.get("path").or_else(|| dataset.get("name")).unwrap_or(dataset).as_str().unwrap_or_default();
        let key = path.trim_start_matches("./").trim_matches('/');
        if StorageKey::new(key).is_none() {
            problems.error(attributes.location(), format!("multiscales: the path {path:?} of a level names no folder inside the group"));
            continue;
        }
        let cosem = dataset.get("transform").and_then(NamedTransform::from_cosem);
        is_cosem |= cosem.is_some();
        let ome = || NamedTransform::from_ome(ome_axes?, dataset.get("coordinateTransformations")?);
        let transform = cosem
            .or_else(ome)
            .map(|transform| NamedTransform { order: transform.order.or_else(|| ListOrder::from_json(dataset)).or(order), ..transform });
        let factors = factors.as_ref().and_then(|factors| factors.get(n).cloned());
        levels.push(LevelEntry { key: key.to_owned(), transform, factors });
    }
    let resolution = Resolution::from_attributes(attributes);
    (!levels.is_empty()).then(|| Group {
        name: entry.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty()).map(str::to_owned),
        axes: attributes.texts("axes"),
        offset: offset(attributes),
        assumes_micrometer: is_cosem || levels.iter().all(|level| level.transform.is_none()) && resolution.is_some(),
        levels,
        resolution,
        is_label: is_label(attributes),
        sections: vec![group_section(attributes)],
        problems,
    })
}
