//! Finding the images of a folder: an array, a group with levels, or a container of both.

use super::attributes::{ATTRIBUTES_FILE, Attributes};
use super::group::{Group, groups_of, single};
use super::multiscale::image;
use crate::format::LevelError;
use crate::format::detect::{MAX_ENTRIES, name_of, parent_of};
use crate::format::image::Image;
use crate::problem::Problems;
use crate::storage::{Storage, StorageError, StorageKey, StorageOpener};
use std::path::Path;

/// Images of one container that are opened; each becomes a layer.
const MAX_IMAGES: usize = 256;

/// Folders of a container that are listed.
const MAX_LISTINGS: usize = 256;

/// Folders of a container that are looked into.
const MAX_FOLDERS: usize = 2048;

/// How deep arrays may lie in a container.
const MAX_DEPTH: usize = 4;

/// How many folders above an array may describe it.
const MAX_ABOVE: usize = 3;

/// An image, of which one level is the folder that was asked for.
#[derive(Debug)]
pub(in crate::format) struct ArrayInContext {
    /// The whole image, with all its levels.
    pub image: Image,
    /// Index of the level in [`Image::levels`].
    pub level: usize,
}

/// Opens all images of a folder: those of a container, of a group with levels, or a single array. `None` if it
/// isn't any of these. Lists the folder if nothing in it tells at once, so other formats are better asked first.
///
/// # Errors
/// If its `attributes.json` can't be used, or a container holds no array that can be opened.
pub(in crate::format) fn open_images(opener: &dyn StorageOpener, folder: &Path) -> Result<Option<Vec<Image>>, LevelError> {
    let storage = opener.open_folder(folder);
    let attributes = Attributes::read(storage.as_ref())?;
    if let Some(images) = images_of(opener, folder, &name_of(folder), attributes.as_ref())? {
        return Ok(Some(images));
    }
    // Groups need no file of their own. Without one, only what lies directly in the folder is looked at: it may be
    // anybody's folder.
    let is_group = attributes.is_some() || holds_setups(storage.as_ref())? || lies_in_container(opener, folder);
    if !is_group && !holds_arrays(storage.as_ref(), folder)? {
        return Ok(None);
    }
    let max_depth = if is_group { MAX_DEPTH } else { 1 };
    let mut search =
        Search { opener, max_depth, images: Vec::new(), problems: Problems::default(), first_error: None, listings: 0, folders: 0 };
    search.look_into(folder, "", 1);
    let Search { mut images, problems, first_error, .. } = search;
    if let [only] = &mut images[..] {
        only.name = name_of(folder);
    }
    match images.first_mut() {
        Some(first) => {
            first.problems.extend(problems);
            Ok(Some(images))
        }
        None => match first_error {
            Some(err) => Err(err),
            None if attributes.as_ref().is_some_and(|attributes| attributes.get("n5").is_some()) => {
                let reason = format!("no array in the N5 container ({ATTRIBUTES_FILE} with dimensions)");
                Err(LevelError { reason, location: folder.display().to_string() })
            }
            None => Ok(None),
        },
    }
}

/// Opens the array in a folder as a level of the image that a folder above describes, at most three above; else as
/// an image of its own. `None` if there is no array.
///
/// # Errors
/// If its `attributes.json` can't be used. A level that can't be opened says so in [`Image::levels`].
pub(in crate::format) fn open_array_in_context(opener: &dyn StorageOpener, folder: &Path) -> Result<Option<ArrayInContext>, LevelError> {
    let Some(attributes) = Attributes::read(opener.open_folder(folder).as_ref())?.filter(Attributes::is_array) else { return Ok(None) };
    let mut problems = Problems::default();
    let mut key = name_of(folder);
    let mut above = parent_of(folder);
    for _ in 0..MAX_ABOVE {
        let Some(group_folder) = above else { break };
        match described_level(opener, &group_folder, &key) {
            Ok(Some((group, level))) => {
                let mut image = image(opener, &group_folder, name_of(&group_folder), group);
                image.problems.extend(problems);
                return Ok(Some(ArrayInContext { image, level }));
            }
            Ok(None) => {}
            Err(err) => problems.warn(&err.location, format!("The folder above was not taken into account: {}", err.reason)),
        }
        key = format!("{}/{key}", name_of(&group_folder));
        above = parent_of(&group_folder);
    }
    let mut image = image(opener, folder, name_of(folder), single(&attributes));
    image.problems.extend(problems);
    Ok(Some(ArrayInContext { image, level: 0 }))
}

/// The group in a folder that has a level of this name, with the level's index.
fn described_level(opener: &dyn StorageOpener, folder: &Path, key: &str) -> Result<Option<(Group, usize)>, LevelError> {
    let attributes = Attributes::read(opener.open_folder(folder).as_ref())?;
    let groups = groups_of(opener, folder, attributes.as_ref())?;
    let found = |group: Group| group.levels.iter().position(|level| level.key == key).map(|level| (group, level));
    Ok(groups.into_iter().find_map(found))
}

/// The images that a folder is, without looking into others; `None` if it is at most a container.
fn images_of(
    opener: &dyn StorageOpener,
    folder: &Path,
    name: &str,
    attributes: Option<&Attributes>,
) -> Result<Option<Vec<Image>>, LevelError> {
    if let Some(attributes) = attributes.filter(|attributes| attributes.is_array()) {
        let mut array = image(opener, folder, name.to_owned(), single(attributes));
        return match array.levels.pop() {
            Some(level) if level.source.is_ok() => {
                array.levels.push(level);
                Ok(Some(vec![array]))
            }
            Some(level) => match level.source {
                Err(err) => Err(LevelError { reason: err.reason.clone(), location: err.location.clone() }),
                Ok(_) => Ok(None),
            },
            None => Ok(None),
        };
    }
    let groups = groups_of(opener, folder, attributes)?;
    let is_several = groups.len() > 1;
    let images = groups.into_iter().map(|group| {
        let name = match &group.name {
            Some(own) if is_several => own.clone(),
            Some(_) | None => name.to_owned(),
        };
        image(opener, folder, name, group)
    });
    let images: Vec<Image> = images.collect();
    Ok((!images.is_empty()).then_some(images))
}

/// Whether a folder without a file of its own looks like one of BigDataViewer.
fn holds_setups(storage: &dyn Storage) -> Result<bool, LevelError> {
    for name in ["setup0/attributes.json", "setup0/timepoint0/attributes.json", "setup0/timepoint0/s0/attributes.json"] {
        let Some(key) = StorageKey::new(name) else { continue };
        let fail = |err: StorageError| LevelError { reason: err.reason(), location: storage.location(name) };
        if storage.len(&key).map_err(fail)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a folder lies in a container, whose root says that it is one.
fn lies_in_container(opener: &dyn StorageOpener, folder: &Path) -> bool {
    let above = std::iter::successors(parent_of(folder), |folder| parent_of(folder)).take(MAX_ABOVE);
    let is_root = |attributes: Option<Attributes>| attributes.is_some_and(|attributes| attributes.get("n5").is_some());
    above.into_iter().any(|folder| Attributes::read(opener.open_folder(&folder).as_ref()).is_ok_and(is_root))
}

/// Whether one of the first folders inside is an array or a group with a file.
fn holds_arrays(storage: &dyn Storage, folder: &Path) -> Result<bool, LevelError> {
    const LOOKED_AT: usize = 16;
    let fail = |err: StorageError| LevelError { reason: err.reason(), location: folder.display().to_string() };
    let entries = storage.list("", MAX_ENTRIES).map_err(fail)?.unwrap_or_default();
    let folders = entries.iter().filter(|entry| entry.is_folder).take(LOOKED_AT);
    let mut keys = folders.filter_map(|entry| StorageKey::new(format!("{}/{ATTRIBUTES_FILE}", entry.name)));
    Ok(keys.any(|key| storage.len(&key).is_ok_and(|len| len.is_some())))
}

/// A search through the folders of a container. What can't be used becomes a problem.
struct Search<'a> {
    opener: &'a dyn StorageOpener,
    max_depth: usize,
    images: Vec<Image>,
    problems: Problems,
    first_error: Option<LevelError>,
    listings: usize,
    folders: usize,
}

impl Search<'_> {
    fn look_into(&mut self, folder: &Path, prefix: &str, depth: usize) {
        if self.listings >= MAX_LISTINGS {
            self.problems.warn(folder.display(), "Too many folders, not all were looked into for arrays");
            return;
        }
        self.listings += 1;
        let entries = match self.opener.open_folder(folder).list("", MAX_ENTRIES) {
            Ok(entries) => entries.unwrap_or_default(),
            Err(err) => return self.fail(LevelError { reason: err.reason(), location: folder.display().to_string() }),
        };
        let mut names: Vec<String> = entries.into_iter().filter(|entry| entry.is_folder).map(|entry| entry.name).collect();
        names.sort_by_key(|name| natural_key(name));
        for name in names {
            if self.images.len() >= MAX_IMAGES || self.folders >= MAX_FOLDERS {
                self.problems.warn(folder.display(), format!("Only {} images were looked for", self.images.len()));
                return;
            }
            self.folders += 1;
            let path = folder.join(&name);
            let relative = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            self.take(&path, &relative, depth);
        }
    }

    /// Takes the images of one folder, or looks into it.
    fn take(&mut self, path: &Path, relative: &str, depth: usize) {
        let attributes = match Attributes::read(self.opener.open_folder(path).as_ref()) {
            Ok(attributes) => attributes,
            Err(err) => return self.fail(err),
        };
        match images_of(self.opener, path, relative, attributes.as_ref()) {
            Ok(Some(images)) => {
                let room = MAX_IMAGES.saturating_sub(self.images.len());
                self.images.extend(images.into_iter().take(room));
            }
            Ok(None) if depth < self.max_depth => self.look_into(path, relative, depth + 1),
            Ok(None) => {}
            Err(err) => self.fail(err),
        }
    }

    fn fail(&mut self, err: LevelError) {
        self.problems.error(&err.location, err.reason.clone());
        self.first_error.get_or_insert(err);
    }
}

/// Sorts `setup2` before `setup10`.
fn natural_key(name: &str) -> (String, usize, String) {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.get(prefix.len()..).unwrap_or_default();
    let number = digits.trim_start_matches('0');
    (prefix.to_owned(), number.len(), number.to_owned())
}

/// Whether a folder without attributes of its own has arrays where a multiscale group or container has them.
pub(in crate::format) fn has_unlisted_arrays(storage: &dyn Storage) -> bool {
    const PLACES: [&str; 4] = ["s0", "s1", "setup0", "setup0/timepoint0/s0"];
    PLACES.iter().any(|place| super::group::has_attributes(storage, place).unwrap_or(false))
}
