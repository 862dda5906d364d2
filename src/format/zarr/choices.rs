//! Groups that hold several images to choose from: series of `bioformats2raw`, plates and wells.

use super::group::{Group, Node, node};
use super::ome::joined;
use crate::format::{Choice, LevelError};
use crate::storage::StorageOpener;
use rayon::prelude::*;
use serde_json::Value;
use std::path::Path;

/// Most series or wells that are listed.
const MAX_CHOICES: usize = 10_000;

/// What a group lets one choose from.
pub struct Choices {
    /// What they are: `3 series`.
    pub what: String,
    /// At least one.
    pub list: Vec<Choice>,
}

/// The choices of a group; `None` if it isn't one of several images.
///
/// # Errors
/// If a metadata file can't be read.
pub fn choices(opener: &dyn StorageOpener, group: &Group) -> Result<Option<Choices>, LevelError> {
    let at = |path: &str| Choice { name: path.to_owned(), path: joined(&group.folder, path) };
    let (noun, list): (&str, Vec<Choice>) = if let Some(plate) = group.attributes.get("plate") {
        let wells: Vec<String> = paths(plate.get("wells")).take(MAX_CHOICES).collect();
        let fields: Vec<Vec<Choice>> = wells
            .par_iter()
            .map(|well| {
                let images = match node(opener, &joined(&group.folder, well)) {
                    Ok(Some(Node::Group(well))) => well.attributes.pointer("/well/images").cloned(),
                    // The field's own folder says what is wrong with it.
                    Ok(Some(Node::Array) | None) | Err(_) => None,
                };
                let images: Vec<String> = paths(images.as_ref()).collect();
                if images.is_empty() { vec![at(well)] } else { images.iter().map(|image| at(&format!("{well}/{image}"))).collect() }
            })
            .collect();
        ("fields of a plate", fields.into_iter().flatten().collect())
    } else if let Some(well) = group.attributes.get("well") {
        ("fields of a well", paths(well.get("images")).take(MAX_CHOICES).map(|path| at(&path)).collect())
    } else if group.attributes.get("bioformats2raw.layout").is_some() {
        ("series", series(opener, group)?.iter().map(|path| at(path)).collect())
    } else {
        return Ok(None);
    };
    let what = format!("there are {} {noun} in it", list.len());
    Ok((!list.is_empty()).then_some(Choices { what, list }))
}

fn paths(list: Option<&Value>) -> impl Iterator<Item = String> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|entry| entry.get("path")?.as_str()).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// The series that the group `OME` lists, else the folders `0`, `1`, … as far as they are there.
fn series(opener: &dyn StorageOpener, group: &Group) -> Result<Vec<String>, LevelError> {
    if let Ok(Some(Node::Group(ome))) = node(opener, &group.folder.join("OME"))
        && let Some(list) = ome.attributes.get("series").and_then(Value::as_array)
    {
        return Ok(list.iter().filter_map(Value::as_str).take(MAX_CHOICES).map(str::to_owned).collect());
    }
    let mut found = Vec::new();
    while found.len() < MAX_CHOICES && is_node(opener, &group.folder.join(found.len().to_string()))? {
        found.push(found.len().to_string());
    }
    Ok(found)
}

fn is_node(opener: &dyn StorageOpener, folder: &Path) -> Result<bool, LevelError> {
    Ok(node(opener, folder)?.is_some())
}
