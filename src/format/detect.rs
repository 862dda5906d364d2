//! What a path is: dataset, layer, mag, metadata file or shard, decided by content.

use super::open::OpenError;
use super::properties::PROPERTIES_FILE;
use super::wkw::{HEADER_FILE, HEADER_LEN, shard_from_key};
use super::{annotation, n5, precomputed, zarr};
use crate::geometry::{Mag, ShardIndex};
use crate::storage::{FolderEntry, PathKind, Storage, StorageError, StorageKey, StorageOpener, is_zip};
use std::path::{Path, PathBuf};

/// Entries of a folder that are looked at to find layers or mags.
pub(super) const MAX_ENTRIES: usize = 4096;

/// Longest JSON that is looked into.
pub(super) const MAX_JSON_BYTES: u64 = 64 << 20;

/// What was found at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A dataset described by a JSON file.
    Properties { folder: PathBuf, file: String },
    /// A folder of layer folders: names of those that hold mags, and of what can't be looked into, with the reason.
    LayerFolders { folder: PathBuf, layers: Vec<String>, faults: Vec<(String, String)> },
    /// A folder of mags.
    Layer { folder: PathBuf },
    /// A mag.
    Mag { folder: PathBuf, shard: Option<ShardIndex> },
    /// A shard outside of a mag's folders.
    SingleShard { folder: PathBuf, file: StorageKey },
    /// An array or group of Zarr.
    Zarr { folder: PathBuf },
    /// An array or container of N5.
    N5 { folder: PathBuf },
    /// A precomputed volume.
    Precomputed { folder: PathBuf },
    /// A scale of a precomputed volume.
    PrecomputedScale { root: PathBuf, key: String },
    /// A zip archive, or the name of something inside of it.
    Archive { file: PathBuf, inside: String },
    /// The XML file of an annotation.
    Nml { folder: PathBuf, file: String },
    /// A folder with an annotation's XML file and its data.
    AnnotationFolder { folder: PathBuf },
}

/// Files that hold Zarr's metadata.
const ZARR_FILES: [&str; 4] = [zarr::NODE_FILE, zarr::ARRAY_FILE, zarr::ATTRIBUTES_FILE, zarr::GROUP_FILE];

/// Finds out what `path` is.
pub(super) fn detect(opener: &dyn StorageOpener, path: &Path) -> Result<Found, OpenError> {
    let kind = opener.kind(path).map_err(|source| OpenError::Storage { path: path.to_owned(), source })?;
    match kind {
        None => archive_above(opener, path).ok_or_else(|| OpenError::NotFound { path: path.to_owned() }),
        Some(PathKind::Folder) => detect_folder(opener, path),
        Some(PathKind::File) => detect_file(opener, path),
    }
}

/// The archive that a path leads into, with what follows behind it.
fn archive_above(opener: &dyn StorageOpener, path: &Path) -> Option<Found> {
    let file = path.ancestors().skip(1).find(|above| matches!(opener.kind(above), Ok(Some(PathKind::File))))?;
    let inside = path.strip_prefix(file).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let name = file.file_name()?.to_str().and_then(StorageKey::new)?;
    let mut start = [0; 4];
    let got = opener.open_folder(&parent_of(file)?).read_at(&name, 0, &mut start).ok()??;
    is_zip(&start[..got]).then(|| Found::Archive { file: file.to_owned(), inside })
}

/// The last part of a path, also for `.` and `..`.
pub(super) fn name_of(path: &Path) -> String {
    let named = path.file_name().map(|name| name.to_string_lossy().into_owned());
    named
        .or_else(|| path.canonicalize().ok().and_then(|full| full.file_name().map(|name| name.to_string_lossy().into_owned())))
        .unwrap_or_else(|| path.display().to_string())
}

/// The folder above, also for `.` and relative paths of one part.
pub(super) fn parent_of(path: &Path) -> Option<PathBuf> {
    match path.parent() {
        Some(parent) if path.file_name().is_some() => {
            Some(if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_owned() })
        }
        _ => path.canonicalize().ok().and_then(|full| full.parent().map(Path::to_owned)),
    }
}

fn detect_file(opener: &dyn StorageOpener, path: &Path) -> Result<Found, OpenError> {
    let fail = |source| OpenError::Storage { path: path.to_owned(), source };
    let folder = parent_of(path).ok_or_else(|| OpenError::NotFound { path: path.to_owned() })?;
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(StorageKey::new)
        .ok_or_else(|| OpenError::Name { path: path.to_owned() })?;
    let storage = opener.open_folder(&folder);
    let mut start = [0; HEADER_LEN];
    let len = storage.read_at(&name, 0, &mut start).map_err(fail)?.unwrap_or(0);
    let start = &start[..len];
    if name.as_str() == HEADER_FILE {
        // Whatever is wrong with it, opening the mag says so.
        return Ok(Found::Mag { folder, shard: None });
    }
    match name.as_str() {
        file if ZARR_FILES.contains(&file) => return Ok(Found::Zarr { folder }),
        n5::ATTRIBUTES_FILE => return Ok(Found::N5 { folder }),
        precomputed::INFO_FILE => return Ok(Found::Precomputed { folder }),
        _ => {}
    }
    let placed = shard_place(path);
    if start.starts_with(b"WKW") || (placed.is_some() && name.as_str().ends_with(".wkw")) {
        return Ok(match placed {
            Some((mag_folder, shard)) => Found::Mag { folder: mag_folder, shard: Some(shard) },
            None => Found::SingleShard { folder, file: name },
        });
    }
    let begins_like_json = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start().first() == Some(&b'{');
    if name.as_str() == PROPERTIES_FILE || (begins_like_json && has_layers(storage.as_ref(), &name)) {
        return Ok(Found::Properties { folder, file: name.as_str().to_owned() });
    }
    if is_zip(start) || (annotation::is_zip_name(name.as_str()) && !annotation::is_nml("", start)) {
        return Ok(Found::Archive { file: path.to_owned(), inside: String::new() });
    }
    if annotation::is_nml(name.as_str(), start) {
        return Ok(Found::Nml { folder, file: name.as_str().to_owned() });
    }
    let what = if start.is_empty() { "an empty file".to_owned() } else { format!("a file that begins with {start:02x?}") };
    Err(OpenError::Unknown { path: path.to_owned(), found: what, hint: nearest(opener, path, &[]) })
}

fn has_layers(storage: &dyn Storage, name: &StorageKey) -> bool {
    let bytes = storage.read(name, MAX_JSON_BYTES).ok().flatten().unwrap_or_default();
    serde_json::from_slice::<serde_json::Value>(&bytes).is_ok_and(|json| json.get("dataLayers").is_some())
}

/// Mag folder and position of a path that ends in `z1/y2/x3.wkw`.
fn shard_place(path: &Path) -> Option<(PathBuf, ShardIndex)> {
    // A relative path may be too short to show where it lies.
    let full = std::path::absolute(path).ok()?;
    let tail: Vec<_> = full.iter().rev().take(3).map(|part| part.to_str()).collect::<Option<_>>()?;
    let [x, y, z] = tail[..] else { return None };
    let shard = shard_from_key(&format!("{z}/{y}/{x}"))?;
    let folder = full.ancestors().nth(3)?.to_owned();
    Some((folder, shard))
}

fn list(storage: &dyn Storage, folder: &Path) -> Result<Vec<FolderEntry>, OpenError> {
    let entries = storage.list("", MAX_ENTRIES).map_err(|source| OpenError::Storage { path: folder.to_owned(), source })?;
    let mut entries = entries.unwrap_or_default();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn detect_folder(opener: &dyn StorageOpener, path: &Path) -> Result<Found, OpenError> {
    let storage = opener.open_folder(path);
    let has_file = |name: &str| -> Result<bool, OpenError> {
        let Some(key) = StorageKey::new(name) else { return Ok(false) };
        storage.len(&key).map(|len| len.is_some()).map_err(|source| OpenError::Storage { path: path.to_owned(), source })
    };
    if has_file(PROPERTIES_FILE)? {
        return Ok(Found::Properties { folder: path.to_owned(), file: PROPERTIES_FILE.to_owned() });
    }
    if has_file(HEADER_FILE)? {
        return Ok(Found::Mag { folder: path.to_owned(), shard: None });
    }
    for file in ZARR_FILES {
        if has_file(file)? {
            return Ok(Found::Zarr { folder: path.to_owned() });
        }
    }
    if is_there(storage.as_ref(), &join("0", zarr::ARRAY_FILE)) || is_there(storage.as_ref(), &join("0", zarr::NODE_FILE)) {
        return Ok(Found::Zarr { folder: path.to_owned() }); // levels of a group whose own file is lost
    }
    if precomputed::has_info(storage.as_ref()) {
        return Ok(Found::Precomputed { folder: path.to_owned() });
    }
    if has_file(n5::ATTRIBUTES_FILE)? || n5::has_unlisted_arrays(storage.as_ref()) {
        return Ok(Found::N5 { folder: path.to_owned() });
    }
    if let Some((root, key)) = precomputed::scale_of(opener, path) {
        return Ok(Found::PrecomputedScale { root, key });
    }
    detect_by_listing(opener, path)
}

/// Finds out what a folder without metadata of a dataset is, by what lies in it.
pub(super) fn detect_by_listing(opener: &dyn StorageOpener, path: &Path) -> Result<Found, OpenError> {
    let storage = opener.open_folder(path);
    let entries = list(storage.as_ref(), path)?;
    if annotation::is_annotation_folder(&entries) {
        return Ok(Found::AnnotationFolder { folder: path.to_owned() });
    }
    if holds_shards(storage.as_ref(), "", &entries) {
        return Ok(Found::Mag { folder: path.to_owned(), shard: None });
    }
    if has_mags(storage.as_ref(), "", &entries) {
        return Ok(Found::Layer { folder: path.to_owned() });
    }
    let mut layers = Vec::new();
    let mut unreadable = Vec::new();
    for entry in &entries {
        // What is no folder may be a link to one that leads nowhere.
        let inner =
            if entry.is_folder { storage.list(&entry.name, MAX_ENTRIES) } else { opener.kind(&path.join(&entry.name)).map(|_| None) };
        match inner {
            Ok(inner)
                if inner.as_ref().is_some_and(|inner| {
                    has_mags(storage.as_ref(), &entry.name, inner) || describes_itself(storage.as_ref(), &entry.name)
                }) =>
            {
                layers.push(entry.name.clone())
            }
            Ok(_) => {}
            Err(err) => unreadable.push((entry.name.clone(), err)),
        }
    }
    if !layers.is_empty() {
        let faults = unreadable.into_iter().map(|(name, err)| (name, err.to_string())).collect();
        return Ok(Found::LayerFolders { folder: path.to_owned(), layers, faults });
    }
    if let Some((_, source)) = unreadable.pop() {
        return Err(OpenError::Storage { path: path.to_owned(), source });
    }
    Err(OpenError::Unknown { path: path.to_owned(), found: describe(&entries), hint: nearest(opener, path, &entries) })
}

/// Whether a folder has metadata of an array, group, container or volume.
pub(super) fn describes_itself(storage: &dyn Storage, folder: &str) -> bool {
    let mut files = ZARR_FILES.into_iter().chain([n5::ATTRIBUTES_FILE, precomputed::INFO_FILE]);
    files.any(|file| is_there(storage, &join(folder, file)))
}

/// Whether a file is there as far as can be seen.
pub(super) fn is_there(storage: &dyn Storage, name: &str) -> bool {
    StorageKey::new(name).is_some_and(|key| matches!(storage.len(&key), Ok(Some(_))))
}

/// Whether a folder has sub-folders that are mags.
fn has_mags(storage: &dyn Storage, folder: &str, entries: &[FolderEntry]) -> bool {
    let mags = entries.iter().filter(|entry| entry.is_folder && entry.name.parse::<Mag>().is_ok());
    // One that can't be looked into is called like a mag: opening it says what is wrong.
    mags.take(16).any(|entry| is_mag(storage, &join(folder, &entry.name)).unwrap_or(true))
}

/// Whether a folder is a mag: it has a header or an array's metadata, or shards from which a header can be recovered.
///
/// # Errors
/// If it can't be looked into.
pub(super) fn is_mag(storage: &dyn Storage, folder: &str) -> Result<bool, StorageError> {
    for file in [HEADER_FILE, zarr::NODE_FILE, zarr::ARRAY_FILE, n5::ATTRIBUTES_FILE] {
        if let Some(key) = StorageKey::new(join(folder, file))
            && storage.len(&key)?.is_some()
        {
            return Ok(true);
        }
    }
    let entries = storage.list(folder, MAX_ENTRIES)?;
    Ok(entries.is_some_and(|entries| holds_shards(storage, folder, &entries)))
}

/// Whether there is a shard `z…/y…/x….wkw` below; looks at the first few of each level.
fn holds_shards(storage: &dyn Storage, folder: &str, entries: &[FolderEntry]) -> bool {
    let numbered =
        |entry: &&FolderEntry, prefix: char| entry.is_folder && entry.name.strip_prefix(prefix).is_some_and(|n| n.parse::<u32>().is_ok());
    let inside = |folder: &str| storage.list(folder, MAX_ENTRIES).ok().flatten().unwrap_or_default();
    entries.iter().filter(|entry| numbered(entry, 'z')).take(16).any(|z| {
        let z = join(folder, &z.name);
        inside(&z).iter().filter(|entry| numbered(entry, 'y')).take(16).any(|y| {
            let y = join(&z, &y.name);
            inside(&y).iter().any(|x| shard_from_key(&join(&y, &x.name)).is_some())
        })
    })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn describe(entries: &[FolderEntry]) -> String {
    if entries.is_empty() {
        return "an empty folder".to_owned();
    }
    let names: Vec<_> = entries.iter().take(5).map(|entry| entry.name.as_str()).collect();
    let more = if entries.len() > 5 { format!(" and {} more", entries.len() - 5) } else { String::new() };
    format!("a folder with {}{more}", names.join(", "))
}

/// Something nearby that can be opened: a folder above with the JSON, or the only sub-folder that is something.
fn nearest(opener: &dyn StorageOpener, path: &Path, entries: &[FolderEntry]) -> Option<PathBuf> {
    let properties = StorageKey::new(PROPERTIES_FILE)?;
    let has_properties = |folder: &Path| opener.open_folder(folder).len(&properties).is_ok_and(|len| len.is_some());
    let full = std::path::absolute(path).ok()?;
    if let Some(above) = full.ancestors().skip(1).take(4).find(|folder| has_properties(folder)) {
        return Some(above.to_owned());
    }
    let mut inside = entries.iter().filter(|entry| entry.is_folder).take(32).map(|entry| path.join(&entry.name)).filter(|folder| {
        let storage = opener.open_folder(folder);
        has_properties(folder) || storage.list("", MAX_ENTRIES).ok().flatten().is_some_and(|inner| has_mags(storage.as_ref(), "", &inner))
    });
    let only = inside.next();
    only.filter(|_| inside.next().is_none())
}
