//! Where scales lie: their folders by `key`, and the `info` above a folder.

use super::info::{INFO_FILE, Info, short};
use crate::format::LevelError;
use crate::format::detect::{MAX_JSON_BYTES, name_of, parent_of};
use crate::problem::Problems;
use crate::storage::{Storage, StorageKey, StorageOpener};
use std::path::{Component, Path, PathBuf};

/// Folders above a scale's folder in which `info` is looked for: a key may have several parts.
const MAX_KEY_PARTS: usize = 3;

/// A volume whose `info` was read.
pub struct Volume {
    /// Folder of `info`.
    pub root: PathBuf,
    /// The file, translated.
    pub info: Info,
    /// Path of the file.
    pub location: String,
    /// Findings.
    pub problems: Problems,
}

impl Volume {
    /// Reads `info` in a folder; `None` if there is none.
    ///
    /// # Errors
    /// If it can't be read or used.
    pub fn read(opener: &dyn StorageOpener, root: &Path) -> Result<Option<Self>, LevelError> {
        let location = root.join(INFO_FILE).display().to_string();
        let fail = |reason: String| LevelError { reason, location: location.clone() };
        let key = StorageKey::new(INFO_FILE).ok_or_else(|| fail("no name".to_owned()))?;
        let read = opener.open_folder(root).read(&key, MAX_JSON_BYTES);
        let Some(bytes) = read.map_err(|err| fail(err.reason()))? else { return Ok(None) };
        let mut problems = Problems::default();
        let info = Info::parse(&bytes, &location, &mut problems).map_err(|err| fail(err.to_string()))?;
        Ok(Some(Self { root: root.to_owned(), info, location, problems }))
    }

    /// The volume that has a scale in this folder, and the number of the scale. `None` if no `info` above lists it.
    ///
    /// # Errors
    /// If an `info` above can't be used, and none lists the folder.
    pub fn above(opener: &dyn StorageOpener, folder: &Path) -> Result<Option<(Self, usize)>, LevelError> {
        let mut parts: Vec<String> = Vec::new();
        let mut at = folder.to_owned();
        let mut first_error = None;
        for _ in 0..MAX_KEY_PARTS {
            let Some(parent) = parent_of(&at) else { break };
            parts.insert(0, name_of(&at));
            at = parent;
            if !has_info(opener.open_folder(&at).as_ref()) {
                continue;
            }
            match Self::read(opener, &at) {
                Ok(None) => {}
                Ok(Some(volume)) => {
                    let is_here = |key: &str| key_parts(key).is_ok_and(|found| found == parts);
                    let number = volume.info.scales.iter().position(|scale| scale.key.as_deref().is_some_and(is_here));
                    if let Some(number) = number {
                        return Ok(Some((volume, number)));
                    }
                }
                Err(err) => first_error = first_error.or(Some(err)),
            }
        }
        first_error.map_or(Ok(None), Err)
    }
}

/// Whether a folder has an `info` that may be of a volume: `info` is a common name, of folders too.
pub(in crate::format) fn has_info(storage: &dyn Storage) -> bool {
    let Some(key) = StorageKey::new(INFO_FILE) else { return false };
    if !matches!(storage.len(&key), Ok(Some(_))) {
        return false;
    }
    let mut start = [0; 64];
    let len = storage.read_at(&key, 0, &mut start).ok().flatten().unwrap_or(0);
    let start = &start[..len];
    start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start().first() == Some(&b'{')
}

/// The parts of a key, `a/../b` resolved. Only leading ones may be `..`.
fn key_parts(key: &str) -> Result<Vec<String>, String> {
    let mut parts: Vec<String> = Vec::new();
    if key.contains("://") || key.starts_with('/') || key.contains('\0') {
        return Err(format!("the key {} is no relative folder", short(key)));
    }
    for part in key.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            _ => parts.push(part.to_owned()),
        }
    }
    Ok(parts)
}

/// The folder of a scale.
///
/// # Errors
/// If the key is no relative path, or nothing is there.
pub fn scale_folder(opener: &dyn StorageOpener, root: &Path, key: &str) -> Result<PathBuf, String> {
    let mut folder = root.to_owned();
    for part in key_parts(key)? {
        // As in a URL: a link to the root is not followed before going up from it.
        let can_go_up = part == ".." && matches!(folder.components().next_back(), Some(Component::Normal(_)));
        if can_go_up {
            folder.pop();
        } else {
            folder.push(part);
        }
    }
    if folder.as_os_str().is_empty() {
        folder.push(".");
    }
    let through_links = root.join(key);
    for path in [folder, through_links] {
        match opener.kind(&path) {
            Ok(Some(_)) => return Ok(path),
            Ok(None) => {}
            Err(err) => return Err(err.reason()),
        }
    }
    Err(format!("the folder of the scale {} is missing", short(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{MemoryOpener, MemoryStorage};
    use std::sync::Arc;

    #[test]
    fn keys_lead_to_folders_and_nowhere_else() {
        let storage = Arc::new(MemoryStorage::default());
        for name in ["a/info", "a/8_8_30/x", "b/s/t/x"] {
            storage.put(&StorageKey::new(name).expect("clean"), vec![1]);
        }
        let opener = MemoryOpener::new("/data", storage);
        let folder = |key: &str| scale_folder(&opener, Path::new("/data/a"), key).map(|path| path.display().to_string());
        assert_eq!(folder("8_8_30").as_deref(), Ok("/data/a/8_8_30"));
        assert_eq!(folder("./8_8_30/").as_deref(), Ok("/data/a/8_8_30"));
        assert_eq!(folder("../b/s//t").as_deref(), Ok("/data/b/s/t"));
        assert_eq!(folder("x/../../b/s").as_deref(), Ok("/data/b/s"));
        for key in ["/data/a/8_8_30", "gs://bucket/8_8_30", "nothing", "a\0"] {
            assert!(folder(key).is_err(), "{key}");
        }
    }
}
