//! Opening annotations: which files of an archive or folder belong together.

use super::bucket_names::{VolumeFiles, may_hold_content};
use super::dataset::{Parts, VolumePart, dataset_of};
use super::file::Attachment;
use super::general::open_general;
use super::place::{InnerKind, Place, base_of, folder_of, is_nml_name, is_xml, is_zip_name, stem_of};
use super::volume::{FoundVolume, VolumeKind, open_volume};
use crate::format::nml::{self, Nml};
use crate::format::{Choice, Dataset, OpenError, open};
use crate::problem::{Problems, Severity};
use crate::storage::{FolderOpener, Storage, StorageError, StorageKey, StorageOpener, ZipStorage};
use crate::text::count;
use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;

/// Archives with one archive in them that are gone through without asking.
const MAX_STEPS: usize = 4;

/// Opens an archive, or what lies in it: `inside` is a name in it, perhaps through further archives; empty for all.
///
/// # Errors
/// If nothing of it can be opened, or there are several things to choose from.
pub(in crate::format) fn open_archive(opener: &dyn StorageOpener, file: &Path, inside: &str) -> Result<Dataset, OpenError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |source| OpenError::Storage { path, source }
    };
    let folder = crate::format::parent_of(file).unwrap_or_default();
    let key = file.file_name().and_then(|name| name.to_str()).and_then(StorageKey::new);
    let key = key.ok_or_else(|| OpenError::Name { path: file.to_owned() })?;
    let archive = ZipStorage::open(opener.open_folder(&folder), &key).map_err(fail(file))?;
    let mut place = Place::of_archive(Arc::new(archive), file.to_owned());
    let mut rest = inside.to_owned();
    while !rest.is_empty() {
        let missing = || OpenError::NotFound { path: place.path.join(&rest) };
        // The shortest name that is a file.
        let ends = rest.match_indices('/').map(|(at, _)| at).chain([rest.len()]);
        let file_end = ends.into_iter().find(|end| is_file(place.storage.as_ref(), &rest[..*end]));
        let Some(end) = file_end else {
            if place.storage.list(&rest, 1).ok().flatten().is_none() {
                return Err(missing());
            }
            return open_inside(&place, &place.path.join(&rest));
        };
        let name = rest[..end].to_owned();
        let after = rest[end..].trim_start_matches('/').to_owned();
        let path = place.path.join(&name);
        if after.is_empty() && place.nmls.contains(&name) {
            return open_with_nml(&place, &name);
        }
        if !place.zips.contains(&name) {
            return if after.is_empty() { open_inside(&place, &path) } else { Err(missing()) };
        }
        place = Place::of_archive(place.open_zip(&name).map_err(fail(&path))?, path);
        rest = after;
    }
    open_place(place)
}

fn is_file(storage: &dyn Storage, name: &str) -> bool {
    StorageKey::new(name).is_some_and(|key| matches!(storage.len(&key), Ok(Some(_))))
}

/// Opens a file or folder of an archive by what it is elsewhere.
fn open_inside(place: &Place, path: &Path) -> Result<Dataset, OpenError> {
    let mut dataset = open(&FolderOpener::new(&place.path, place.storage.clone()), path)?;
    dataset.problems.extend(place.problems());
    Ok(dataset)
}

/// Opens an NML outside of archives, with the data that lie beside it.
///
/// # Errors
/// If it can't be read.
pub(in crate::format) fn open_nml(opener: &dyn StorageOpener, folder: &Path, file: &str) -> Result<Dataset, OpenError> {
    let place = folder_place(opener, folder)?;
    open_with_nml(&place, file)
}

/// Opens a folder with NML and data.
///
/// # Errors
/// If nothing of it can be opened, or there are several things to choose from.
pub(in crate::format) fn open_folder(opener: &dyn StorageOpener, folder: &Path) -> Result<Dataset, OpenError> {
    open_place(folder_place(opener, folder)?)
}

fn folder_place(opener: &dyn StorageOpener, folder: &Path) -> Result<Place, OpenError> {
    let storage = opener.open_folder(folder);
    Place::of_folder(storage, folder.to_owned()).map_err(|source| OpenError::Storage { path: folder.to_owned(), source })
}

fn open_place(mut place: Place) -> Result<Dataset, OpenError> {
    for _ in 0..MAX_STEPS {
        let inner: Vec<(String, InnerKind)> = place.zips.iter().map(|zip| (zip.clone(), place.kind_of(zip))).collect();
        let annotations: Vec<&String> = inner.iter().filter(|(_, kind)| *kind == InnerKind::Annotation).map(|(name, _)| name).collect();
        let data: Vec<String> = inner.iter().filter(|(_, kind)| *kind == InnerKind::Data).map(|(name, _)| name.clone()).collect();
        match (&place.nmls[..], &annotations[..]) {
            ([], []) if place.has_mags && !place.is_dataset() => return open_data_zip(&place),
            ([], []) if data.is_empty() => {
                // Whatever else an archive can hold: an array, a layer, a dataset.
                if let Some(archive) = place.archive.as_ref().filter(|archive| archive.file_count() == 0) {
                    let mut problems = place.problems();
                    if archive.byte_len() == 0 {
                        // As a volume's data it means that there are none, but not as the file of an annotation.
                        problems.error(place.path.display(), "The file is empty");
                    }
                    let volumes = vec![VolumePart::alone(&place, FoundVolume::default())];
                    return Ok(dataset_of(&place, Parts { volumes, problems, ..Parts::default() }));
                }
                if let (true, [(name, _)]) = (place.archive.is_some(), &inner[..]) {
                    // It is called an archive: opening it says what it is instead.
                    place.open_zip(name).map_err(|source| OpenError::Storage { path: place.path.join(name), source })?;
                }
                let path = place.path.clone();
                return open_inside(&place, &path);
            }
            ([], []) => return Ok(data_without_nml(&place, &data, place.problems())),
            ([nml], []) => return open_with_nml(&place, &nml.clone()),
            ([], [only]) if data.is_empty() => {
                let (name, path) = ((*only).clone(), place.path.join(only.as_str()));
                let archive = place.open_zip(&name).map_err(|source| OpenError::Storage { path: path.clone(), source })?;
                let outer = place.problems();
                place = Place::of_archive(archive, path);
                // Whoever replaces the outer archive by what is in it loses what is wrong there.
                place.outer_problems = outer;
            }
            (nmls, annotations) => {
                let names = nmls.iter().chain(annotations.iter().copied());
                let choices: Vec<Choice> = names.map(|name| Choice { name: name.clone(), path: place.path.join(name) }).collect();
                let what = format!("there are {} annotations in it", count(choices.len() as u64));
                return Err(OpenError::Choose { path: place.path, what, choices });
            }
        }
    }
    let source = StorageError::Archive { reason: "archives are nested too deep".to_owned(), location: place.storage.location("") };
    Err(OpenError::Storage { path: place.path, source })
}

/// Opens a data zip that lies alone.
fn open_data_zip(place: &Place) -> Result<Dataset, OpenError> {
    let mut problems = place.problems();
    let names = place.archive.iter().flat_map(|archive| archive.names());
    let found = match open_volume(&place.storage, VolumeFiles::new(names), &[]) {
        Ok(VolumeKind::Buckets(found)) => found,
        Ok(VolumeKind::Other) => return open_inside(place, &place.path.clone()),
        Err(source) => return Err(OpenError::Storage { path: place.path.clone(), source }),
    };
    problems.info(place.path.display(), "No NML: the data of a volume without names, view and voxel size");
    Ok(dataset_of(place, Parts { problems, volumes: vec![VolumePart::alone(place, found)], ..Parts::default() }))
}

/// Opens data zips whose NML is lost.
fn data_without_nml(place: &Place, zips: &[String], mut problems: Problems) -> Dataset {
    problems.warn(place.path.display(), "No NML: names, voxel size and skeleton are not known");
    let volumes = zips.iter().map(|zip| unnamed_volume(place, zip, &[], &mut problems)).collect();
    dataset_of(place, Parts { problems, volumes, ..Parts::default() })
}

/// The volume in a data zip that no NML names.
fn unnamed_volume(place: &Place, zip: &str, axes: &[(String, i64, i64)], problems: &mut Problems) -> VolumePart {
    // `data_Volume.zip`, `data_1_Cells.zip`.
    let name = stem_of(zip).strip_prefix("data_").unwrap_or(stem_of(zip));
    let name = match name.split_once('_') {
        Some((digits, name)) if digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty() => name,
        Some(_) | None => name,
    };
    let found = volume_in(place, zip, axes, problems).unwrap_or_default();
    VolumePart { name: name.to_owned(), nml_volume: None, path: place.path.join(zip), found }
}

/// Opens the annotation of one NML with its data zips.
fn open_with_nml(place: &Place, file: &str) -> Result<Dataset, OpenError> {
    let path = if place.archive.is_some() && place.nmls.len() == 1 { place.path.clone() } else { place.path.join(file) };
    let location = place.storage.location(file);
    let mut problems = place.problems();
    let mut nml = match read_nml(place, file, &mut problems) {
        Ok(nml) => nml,
        // The voxels are still there.
        Err(err) if place.archive.is_some() => {
            let data: Vec<String> = place.zips.iter().filter(|zip| place.kind_of(zip) == InnerKind::Data).cloned().collect();
            if data.is_empty() {
                return Err(err);
            }
            let reason = match &err {
                OpenError::Nml { source, .. } => source.to_string(),
                OpenError::Storage { source, .. } => source.reason(),
                other => other.to_string(),
            };
            problems.error(&location, format!("The NML can't be used: {reason}"));
            return Ok(data_without_nml(place, &data, problems));
        }
        Err(err) => return Err(err),
    };
    for problem in &std::mem::take(&mut nml.problems) {
        problems.add(crate::problem::Problem { location: location.clone(), ..problem.clone() });
    }
    let attachments = attachments_of(place, &nml, file, &mut problems);
    let volumes = volumes_of(place, &nml, file, &attachments, &mut problems);
    if nml.voxel_size.is_none() {
        problems.warn(&location, "The NML has no voxel size, lengths are shown in voxels");
    }
    let parts =
        Parts { path: Some(path), name: stem_of(file).to_owned(), nml, nml_location: Some(location), volumes, attachments, problems };
    Ok(dataset_of(place, parts))
}

/// Reads an NML, of a damaged one in an archive what can be had.
fn read_nml(place: &Place, file: &str, problems: &mut Problems) -> Result<Nml, OpenError> {
    let path = || place.path.join(file);
    let location = place.storage.location(file);
    let fail = |source| OpenError::Storage { path: path(), source };
    let missing = || fail(StorageError::Archive { reason: "no such file".to_owned(), location: location.clone() });
    let key = StorageKey::new(file).ok_or_else(|| OpenError::Name { path: path() })?;
    let read = |stream: &mut dyn io::Read| {
        nml::read(BufReader::with_capacity(256 << 10, stream)).map_err(|source| OpenError::Nml { path: path(), source })
    };
    let Some(archive) = &place.archive else {
        return read(&mut place.storage.stream(&key).map_err(fail)?.ok_or_else(missing)?);
    };
    let mut entry = archive.rescue(&key).map_err(fail)?.ok_or_else(missing)?;
    let nml = read(&mut entry)?;
    if let Some(fault) = entry.fault() {
        problems.error(&location, format!("The NML is damaged: {}", fault.reason()));
    }
    Ok(nml)
}

/// The files that an NML names besides the data.
fn attachments_of(place: &Place, nml: &Nml, file: &str, problems: &mut Problems) -> Vec<Attachment> {
    let mut found: Vec<Attachment> = Vec::new();
    for volume in &nml.volumes {
        let Some(name) = volume.element.attributes.get("editedMappingEdgesLocation").filter(|name| !name.is_empty()) else { continue };
        let key = StorageKey::new(format!("{}{name}", folder_of(file)));
        match key.filter(|key| matches!(place.storage.len(key), Ok(Some(_)))) {
            Some(_) if found.iter().any(|other| other.name == *name) => {}
            // It would be a second NML of the archive that is written.
            Some(key) if place.nmls.iter().any(|nml| **nml == *key.as_str()) => {
                let text = format!("Volume {:?}: the edges of its edited mapping can't be {name:?}, an NML", volume.shown_name());
                problems.warn(place.storage.location(file), text);
            }
            Some(key) => found.push(Attachment { name: name.into_owned(), storage: place.storage.clone(), key }),
            None => {
                let text = format!("Volume {:?}: there is no {name:?}, the edges of its edited mapping", volume.shown_name());
                problems.warn(place.storage.location(file), text);
            }
        }
    }
    found
}

/// The volumes of an NML, each with the data that its `location` names.
fn volumes_of(place: &Place, nml: &Nml, file: &str, attachments: &[Attachment], problems: &mut Problems) -> Vec<VolumePart> {
    let location = place.storage.location(file);
    let is_nml_damaged = problems.iter().any(|problem| problem.severity == Severity::Error && problem.location == location);
    let folder = folder_of(file);
    let data: Vec<Option<DataPlace>> = nml.volumes.iter().map(|volume| find_data(place, folder, volume.location.as_deref()?)).collect();
    let mut claimed: HashSet<String> = attachments.iter().map(|other| other.key.as_str().to_owned()).collect();
    claimed.extend(data.iter().flatten().map(|found| match found {
        DataPlace::Zip(name) | DataPlace::Folder(name) => name.clone(),
    }));
    let is_unclaimed = |zip: &&String| folder_of(zip) == folder && !claimed.contains(*zip) && place.kind_of(zip) == InnerKind::Data;
    let mut unclaimed: Vec<&String> = place.zips.iter().filter(is_unclaimed).collect();
    let lost = nml.volumes.iter().zip(&data).filter(|(volume, found)| volume.location.is_some() && found.is_none()).count();
    let mut volumes: Vec<VolumePart> = Vec::new();
    for (i, (volume, found)) in nml.volumes.iter().zip(data).enumerate() {
        let name = volume.name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "Volume".to_owned());
        let mut found = found;
        if let (Some(wanted), None) = (&volume.location, &found) {
            // In an archive the only data that nobody names; beside a bare NML there is no telling.
            match (&unclaimed[..], lost) {
                ([only], 1) if place.archive.is_some() => {
                    problems.warn(&location, format!("Volume {name:?}: there is no {wanted:?}, the only other data zip {only:?} is used"));
                    found = Some(DataPlace::Zip((*only).clone()));
                    unclaimed.clear();
                }
                _ => problems.warn(&location, format!("Volume {name:?}: there is no {wanted:?}, the volume is shown without data")),
            }
        }
        let at = match &found {
            Some(DataPlace::Zip(at) | DataPlace::Folder(at)) => place.path.join(at),
            None => place.path.clone(),
        };
        let volume_data = match &found {
            Some(DataPlace::Zip(zip)) => volume_in(place, zip, &nml.additional_axes, problems),
            Some(DataPlace::Folder(folder)) => extracted_volume(place, folder, &nml.additional_axes, problems),
            None => None,
        };
        let volume_data = volume_data.unwrap_or_default();
        if let (Some(said), Some(is)) = (volume.format, volume_data.format)
            && said != is
        {
            problems.info(at.display(), format!("Volume {name:?}: the NML says the format {said:?}, the data are {is:?}"));
        }
        volumes.push(VolumePart { name, nml_volume: Some(i), path: at, found: volume_data });
    }
    if place.archive.is_some() {
        for zip in unclaimed {
            let at = place.path.join(zip);
            if is_nml_damaged {
                problems.warn(at.display(), "What is left of the NML doesn't name this data zip, it is shown as a volume of its own");
                volumes.push(unnamed_volume(place, zip, &nml.additional_axes, problems));
            } else if place.nmls.len() > 1 || !may_have_voxels(place, zip) {
                // Another NML's, or one of a volume without voxels.
                problems.warn(at.display(), "A data zip that the NML doesn't name is left out");
            } else {
                problems.error(at.display(), "A data zip that the NML doesn't name is left out");
            }
        }
        if let Some((n, first)) = unnamed_files(place, folder, &claimed).filter(|_| place.nmls.len() == 1) {
            let text = format!("{} files that the NML doesn't name are left out, the first is {first}", count(n));
            problems.error(place.path.display(), text);
        }
    }
    volumes
}

/// Whether there are, or may be, voxels in a data zip.
fn may_have_voxels(place: &Place, zip: &str) -> bool {
    let is_damaged = |archive: &ZipStorage| archive.problems().iter().any(|problem| problem.severity == Severity::Error);
    place.open_zip(zip).map_or(true, |archive| VolumeFiles::new(archive.names()).has_voxels() || is_damaged(&archive))
}

/// Files of an archive that may belong to its annotation and are neither named by the NML nor among the data zips beside
/// it: how many, and the first. `claimed` are files and folders that are read.
fn unnamed_files(place: &Place, folder: &str, claimed: &HashSet<String>) -> Option<(u64, String)> {
    let is_read = |name: &str| {
        let above = name.match_indices('/').map(|(at, _)| &name[..at]);
        place.nmls.iter().any(|nml| nml == name) || above.chain([name]).any(|part| claimed.contains(part))
    };
    let is_beside = |name: &str| is_zip_name(name) && folder_of(name) == folder;
    let names = place.archive.iter().flat_map(|archive| archive.names());
    let mut lost = names.filter(|name| may_hold_content(name) && !is_beside(name) && !is_read(name));
    let first = lost.next()?.to_owned();
    Some((1 + lost.count() as u64, first))
}

/// Where the data of a volume lie.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DataPlace {
    Zip(String),
    /// Unpacked.
    Folder(String),
}

/// What an NML's `location` names: relative to the NML, else the only one of that name anywhere, else a folder of it.
fn find_data(place: &Place, folder: &str, location: &str) -> Option<DataPlace> {
    let exact = format!("{folder}{location}");
    if place.zips.contains(&exact) || is_file(place.storage.as_ref(), &exact) {
        return Some(DataPlace::Zip(exact));
    }
    let mut same = place.zips.iter().filter(|zip| base_of(zip) == base_of(location));
    if let (Some(only), None) = (same.next(), same.next()) {
        return Some(DataPlace::Zip(only.clone()));
    }
    [exact.clone(), format!("{folder}{}", stem_of(location))]
        .into_iter()
        .find(|name| StorageKey::new(name.as_str()).is_some() && matches!(place.storage.list(name, 1), Ok(Some(_))))
        .map(DataPlace::Folder)
}

/// The volume in a data zip; what is wrong with it becomes a problem.
fn volume_in(place: &Place, zip: &str, axes: &[(String, i64, i64)], problems: &mut Problems) -> Option<FoundVolume> {
    let opened = place.open_zip(zip).and_then(|archive| {
        problems.extend(archive.problems().clone());
        let files = VolumeFiles::new(archive.names());
        let storage: Arc<dyn Storage> = archive;
        open_volume(&storage, files, axes).map(|kind| (storage, kind))
    });
    settled(opened, &place.path.join(zip), problems)
}

/// The volume in a folder.
fn extracted_volume(place: &Place, folder: &str, axes: &[(String, i64, i64)], problems: &mut Problems) -> Option<FoundVolume> {
    let opened = place.extracted(folder).and_then(|(storage, names)| {
        let files = VolumeFiles::new(names.iter().map(String::as_str));
        open_volume(&storage, files, axes).map(|kind| (storage, kind))
    });
    settled(opened, &place.path.join(folder), problems)
}

fn settled(opened: Result<(Arc<dyn Storage>, VolumeKind), StorageError>, path: &Path, problems: &mut Problems) -> Option<FoundVolume> {
    match opened {
        Ok((_, VolumeKind::Buckets(found))) => Some(found),
        Ok((storage, VolumeKind::Other)) => match open_general(storage, path) {
            Ok(found) => Some(found),
            Err(err) => {
                problems.error(path.display(), format!("The volume's data can't be opened: {err}"));
                None
            }
        },
        Err(err) => {
            problems.error(path.display(), format!("The volume's data can't be opened: {err}"));
            None
        }
    }
}

/// Whether a file is an NML by its start or name.
pub(in crate::format) fn is_nml(name: &str, start: &[u8]) -> bool {
    is_nml_name(name) || is_xml(start)
}
