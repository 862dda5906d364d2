//! [`Group`]: a Zarr group's attributes, whichever version wrote them.

use super::open::{ATTRIBUTES_FILE, read_json};
use super::v2::ARRAY_FILE;
use super::v3::NODE_FILE;
use crate::format::{DataFormat, HeaderField, HeaderReport, HeaderSection, LevelError};
use crate::storage::{Storage, StorageKey, StorageOpener};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Marks a group of Zarr 2.
pub const GROUP_FILE: &str = ".zgroup";

/// What a folder's Zarr metadata files say it is.
pub enum Node {
    /// An array.
    Array,
    /// A group, or a folder that has attributes.
    Group(Group),
}

/// A group.
pub struct Group {
    /// Its folder.
    pub folder: PathBuf,
    /// [`DataFormat::Zarr`] or [`DataFormat::Zarr3`].
    pub format: DataFormat,
    /// Its attributes; those of OME in version 3 are the content of `ome`.
    pub attributes: Value,
    /// The file that holds them.
    pub location: String,
}

/// Looks at a folder's metadata files; `None` if it has none of Zarr.
///
/// # Errors
/// If one can't be read or isn't JSON.
pub fn node(opener: &dyn StorageOpener, folder: &Path) -> Result<Option<Node>, LevelError> {
    let storage = opener.open_folder(folder);
    if let Some(json) = read_json(storage.as_ref(), NODE_FILE)? {
        let is_array = json.get("node_type").and_then(Value::as_str) == Some("array") || json.get("chunk_grid").is_some();
        if is_array {
            return Ok(Some(Node::Array));
        }
        let attributes = json.get("attributes").cloned().unwrap_or_default();
        let attributes = attributes.get("ome").cloned().unwrap_or(attributes);
        let location = storage.location(NODE_FILE);
        return Ok(Some(Node::Group(Group { folder: folder.to_owned(), format: DataFormat::Zarr3, attributes, location })));
    }
    if is_there(storage.as_ref(), ARRAY_FILE)? {
        return Ok(Some(Node::Array));
    }
    let attributes = read_json(storage.as_ref(), ATTRIBUTES_FILE)?;
    if attributes.is_none() && !is_there(storage.as_ref(), GROUP_FILE)? {
        return Ok(None);
    }
    let location = storage.location(if attributes.is_some() { ATTRIBUTES_FILE } else { GROUP_FILE });
    let attributes = attributes.unwrap_or_default();
    Ok(Some(Node::Group(Group { folder: folder.to_owned(), format: DataFormat::Zarr, attributes, location })))
}

fn is_there(storage: &dyn Storage, name: &str) -> Result<bool, LevelError> {
    let Some(key) = StorageKey::new(name) else { return Ok(false) };
    match storage.len(&key) {
        Ok(len) => Ok(len.is_some()),
        Err(err) if err.leaves_no_room() => Ok(false),
        Err(err) => Err(LevelError { reason: err.reason(), location: storage.location(name) }),
    }
}

impl Group {
    /// A group whose levels are arrays called 0, 1, …, for a folder whose own metadata don't say so: `None` if
    /// there is no array 0. `known` is what they do say.
    ///
    /// # Errors
    /// If the arrays' metadata can't be read.
    pub fn of_numbered_arrays(opener: &dyn StorageOpener, folder: &Path, known: Option<&Self>) -> Result<Option<Self>, LevelError> {
        /// A pyramid has few levels.
        const MAX_LEVELS: usize = 32;
        let mut levels = Vec::new();
        while levels.len() < MAX_LEVELS && matches!(node(opener, &folder.join(levels.len().to_string()))?, Some(Node::Array)) {
            levels.push(json!({ "path": levels.len().to_string() }));
        }
        if levels.is_empty() {
            return Ok(None);
        }
        let is_version_2 = is_there(opener.open_folder(&folder.join("0")).as_ref(), ARRAY_FILE)?;
        Ok(Some(Self {
            folder: folder.to_owned(),
            format: if is_version_2 { DataFormat::Zarr } else { DataFormat::Zarr3 },
            attributes: json!({ "multiscales": [{ "datasets": levels }] }),
            location: known.map_or_else(|| folder.display().to_string(), |group| group.location.clone()),
        }))
    }

    /// Whether it describes an image.
    pub fn is_image(&self) -> bool {
        self.attributes.get("multiscales").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
    }

    /// The attributes for people.
    pub fn report(&self) -> HeaderReport {
        let fields = self.attributes.as_object().into_iter().flatten().map(|(name, value)| {
            let raw = value.to_string();
            let text = value.as_str().map_or_else(|| raw.clone(), str::to_owned);
            let meaning = match name.as_str() {
                "multiscales" => "axes and levels of the image",
                "omero" => "names, colours and windows of channels",
                "labels" => "label images beside the image",
                "image-label" => "colours of labels",
                "plate" => "wells of a plate",
                "well" => "fields of a well",
                "version" => "version of OME-NGFF",
                _ => "",
            };
            HeaderField::new(name, raw, text, meaning)
        });
        let title = format!("Group, {}", self.format);
        HeaderReport { sections: vec![HeaderSection { title, location: self.location.clone(), fields: fields.collect() }] }
    }
}
