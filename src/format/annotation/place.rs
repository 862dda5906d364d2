//! [`Place`]: an archive or folder in which the parts of annotations may lie.

use super::bucket_names::{VolumeFiles, is_junk};
use crate::format::PROPERTIES_FILE;
use crate::problem::Problems;
use crate::storage::{FolderEntry, Storage, StorageError, StorageKey, SubFolder, ZipStorage, is_zip};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes at the start of a file by which its kind is known. The first entry's name in an archive must fit.
const START_BYTES: usize = 300;

/// Files with unusual names whose start is looked at.
const MAX_UNUSUAL: usize = 32;

/// Entries of a folder that are looked at.
const MAX_FOLDER_ENTRIES: usize = 4096;

/// Files below a folder of extracted data, and how deep.
const MAX_EXTRACTED: usize = 4 << 20;
const MAX_EXTRACTED_DEPTH: usize = 12;

/// An archive, or a folder.
pub(super) struct Place {
    /// What leads to it.
    pub path: PathBuf,
    pub storage: Arc<dyn Storage>,
    /// The archive, if it is one.
    pub archive: Option<Arc<ZipStorage>>,
    /// Files whose names end with `.nml`, and others that begin like XML.
    pub nmls: Vec<String>,
    /// Files whose names end with `.zip`, and others that begin like archives.
    pub zips: Vec<String>,
    /// Folders at the top level; of folders only.
    pub folders: Vec<String>,
    /// There are files of mags outside of archives; of archives only.
    pub has_mags: bool,
    /// What is wrong with the archive that this one is the content of.
    pub outer_problems: Problems,
}

/// What an archive inside of another one seems to be, by the name of its first entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InnerKind {
    /// Data of a volume, or empty.
    Data,
    /// An annotation, or several.
    Annotation,
    /// No archive at all.
    NoArchive,
}

/// Whether a file begins like XML: after a byte order mark, in UTF-8 or UTF-16.
pub(in crate::format) fn is_xml(start: &[u8]) -> bool {
    let narrow: Vec<u8> = match start {
        [0xff, 0xfe, rest @ ..] | [0xfe, 0xff, rest @ ..] => rest.iter().copied().filter(|byte| *byte != 0).collect(),
        [0xef, 0xbb, 0xbf, rest @ ..] => rest.to_vec(),
        // UTF-16 without a mark.
        _ if start.starts_with(b"<\0") || start.starts_with(b"\0<") => start.iter().copied().filter(|byte| *byte != 0).collect(),
        _ => start.to_vec(),
    };
    let text = narrow.trim_ascii_start();
    text.starts_with(b"<?xml") || text.starts_with(b"<things") || text.starts_with(b"<!--")
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.len() > ending.len() && name.get(name.len() - ending.len()..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Whether a name is one of an NML.
pub(in crate::format) fn is_nml_name(name: &str) -> bool {
    has_ending(name, ".nml")
}

/// Whether a name is one of a zip archive.
pub(in crate::format) fn is_zip_name(name: &str) -> bool {
    has_ending(name, ".zip")
}

impl Place {
    /// Looks through the names in an archive.
    ///
    /// # Errors
    /// If files with unusual names can't be read.
    pub fn of_archive(archive: Arc<ZipStorage>, path: PathBuf) -> Self {
        let mut place = Self {
            path,
            storage: archive.clone(),
            archive: Some(archive.clone()),
            nmls: Vec::new(),
            zips: Vec::new(),
            folders: Vec::new(),
            has_mags: false,
            outer_problems: Problems::default(),
        };
        let mut unusual = Vec::new();
        for name in archive.names().filter(|name| !is_junk(name)) {
            place.add_by_name(name, &mut unusual);
        }
        let files = VolumeFiles::new(archive.names().filter(|name| !is_junk(name)));
        place.has_mags = !files.mags.is_empty();
        if !place.has_mags {
            place.add_by_start(unusual);
        }
        place
    }

    /// Looks through the names at the top level of a folder.
    ///
    /// # Errors
    /// If it can't be listed.
    pub fn of_folder(storage: Arc<dyn Storage>, path: PathBuf) -> Result<Self, StorageError> {
        let entries = storage.list("", MAX_FOLDER_ENTRIES)?.unwrap_or_default();
        let mut place = Self {
            path,
            storage,
            archive: None,
            nmls: Vec::new(),
            zips: Vec::new(),
            folders: Vec::new(),
            has_mags: false,
            outer_problems: Problems::default(),
        };
        for entry in entries.into_iter().filter(|entry| !is_junk(&entry.name)) {
            if entry.is_folder {
                place.folders.push(entry.name);
            } else {
                place.add_by_name(&entry.name, &mut Vec::new());
            }
        }
        place.nmls.sort();
        place.zips.sort();
        Ok(place)
    }

    fn add_by_name(&mut self, name: &str, unusual: &mut Vec<String>) {
        if is_nml_name(name) {
            self.nmls.push(name.to_owned());
        } else if is_zip_name(name) {
            self.zips.push(name.to_owned());
        } else if unusual.len() < MAX_UNUSUAL {
            unusual.push(name.to_owned());
        }
    }

    fn add_by_start(&mut self, names: Vec<String>) {
        for name in names {
            let start = self.start_of(&name).unwrap_or_default();
            if is_zip(&start) {
                self.zips.push(name);
            } else if is_xml(&start) {
                self.nmls.push(name);
            }
        }
    }

    /// The first bytes of a file.
    fn start_of(&self, name: &str) -> Result<Vec<u8>, StorageError> {
        let Some(key) = StorageKey::new(name) else { return Ok(Vec::new()) };
        if let Some(archive) = &self.archive {
            return archive.first_bytes(&key, START_BYTES).map(Option::unwrap_or_default);
        }
        let mut bytes = vec![0; START_BYTES];
        let got = self.storage.read_at(&key, 0, &mut bytes)?.unwrap_or(0);
        bytes.truncate(got);
        Ok(bytes)
    }

    /// What is wrong with it as an archive, and with those around it.
    pub fn problems(&self) -> Problems {
        let mut problems = self.outer_problems.clone();
        problems.extend(self.archive.as_ref().map(|archive| archive.problems().clone()).unwrap_or_default());
        problems
    }

    /// What one of its archives is, as far as its first entry tells.
    pub fn kind_of(&self, zip: &str) -> InnerKind {
        let Ok(start) = self.start_of(zip) else { return InnerKind::Data };
        if start.is_empty() {
            return InnerKind::Data; // 0 bytes are an empty volume
        }
        if !is_zip(&start) {
            return InnerKind::NoArchive;
        }
        let name_len = start.get(26..28).and_then(|len| len.first_chunk()).map_or(0, |len| usize::from(u16::from_le_bytes(*len)));
        let name = String::from_utf8_lossy(start.get(30..).unwrap_or_default().get(..name_len).unwrap_or_default());
        if is_nml_name(&name) || is_zip_name(&name) { InnerKind::Annotation } else { InnerKind::Data }
    }

    /// Opens one of its archives.
    ///
    /// # Errors
    /// If it can't be read or is no archive.
    pub fn open_zip(&self, name: &str) -> Result<Arc<ZipStorage>, StorageError> {
        let fault = || StorageError::Archive { reason: "the name can't be used".to_owned(), location: self.storage.location(name) };
        let key = StorageKey::new(name).ok_or_else(fault)?;
        let archive = match &self.archive {
            Some(archive) => archive.nested(&key)?,
            None => ZipStorage::open(self.storage.clone(), &key)?,
        };
        Ok(Arc::new(archive))
    }

    /// A folder in it, with the names of all files in that.
    ///
    /// # Errors
    /// If a folder can't be listed.
    pub fn extracted(&self, folder: &str) -> Result<(Arc<dyn Storage>, Vec<String>), StorageError> {
        let storage = SubFolder::of(self.storage.clone(), folder);
        let mut names = Vec::new();
        let mut open = vec![(String::new(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for entry in storage.list(&folder, MAX_EXTRACTED)?.unwrap_or_default() {
                let name = if folder.is_empty() { entry.name } else { format!("{folder}/{}", entry.name) };
                if entry.is_folder && depth < MAX_EXTRACTED_DEPTH {
                    open.push((name, depth + 1));
                } else if !entry.is_folder && names.len() < MAX_EXTRACTED {
                    names.push(name);
                }
            }
        }
        Ok((storage, names))
    }

    /// Whether the archive's own JSON describes a dataset, not the volume of an annotation.
    pub fn is_dataset(&self) -> bool {
        /// Name of the only layer in the JSON of a data zip.
        const VOLUME_LAYER: &str = "volumeAnnotationData";
        let tops = ["".to_owned()]
            .into_iter()
            .chain(self.storage.list("", 2).ok().flatten().unwrap_or_default().into_iter().map(|e| e.name + "/"));
        tops.into_iter().any(|top| {
            let bytes = StorageKey::new(format!("{top}{PROPERTIES_FILE}")).and_then(|key| self.storage.read(&key, 64 << 20).ok().flatten());
            let json = bytes.and_then(|bytes| crate::format::json::parse(&bytes).ok());
            let layers = json.as_ref().and_then(|json| json.get("dataLayers")).and_then(serde_json::Value::as_array);
            let is_volume = |layer: &serde_json::Value| layer.get("name").and_then(serde_json::Value::as_str) == Some(VOLUME_LAYER);
            layers.is_some_and(|layers| !layers.iter().all(is_volume))
        })
    }
}

/// The last part of a name.
pub(super) fn base_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A name without its ending.
pub(super) fn stem_of(name: &str) -> &str {
    let base = base_of(name);
    let is_known = is_nml_name(base) || is_zip_name(base);
    if is_known { &base[..base.len() - 4] } else { base }
}

/// The folder of a name, with `/` at its end; empty for the top level.
pub(super) fn folder_of(name: &str) -> &str {
    name.rfind('/').map_or("", |at| &name[..=at])
}

/// Whether a folder with these entries looks like an annotation: it has an NML beside archives or extracted data.
pub(in crate::format) fn is_annotation_folder(entries: &[FolderEntry]) -> bool {
    let is_data = |entry: &FolderEntry| if entry.is_folder { entry.name.starts_with("data") } else { is_zip_name(&entry.name) };
    let has_nml = entries.iter().any(|entry| !entry.is_folder && is_nml_name(&entry.name) && !is_junk(&entry.name));
    has_nml && entries.iter().any(is_data)
}
