//! Opening folders of layers and mags, mags and shards that no metadata file of the dataset describes.

use super::array::{DeclaredAxes, DefaultAxes};
use super::dataset::{DataFormat, Dataset, Focus, Layer, MagLevel};
use super::detect::{Found, MAX_ENTRIES, describes_itself, detect, is_mag, name_of, parent_of};
use super::layers::{bare, bare_dataset, finish_layer};
use super::open::{Choice, OpenError, Opening};
use super::open_level::{LevelRequest, OpenedMag};
use super::properties::PROPERTIES_FILE;
use super::wkw::WkwSource;
use crate::geometry::{Mag, ShardIndex, Vec3Int};
use crate::problem::Problems;
use crate::storage::{FolderEntry, Storage, StorageKey};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders above an array that are looked at for a JSON, group or container that describes it.
pub(super) const MAX_ABOVE: usize = 3;

impl Opening<'_> {
    /// One layer from a folder that holds mags, without a JSON.
    fn bare_layer(&self, folder: &Path, problems: &mut Problems) -> Layer {
        let name = name_of(folder);
        let storage = self.opener.open_folder(folder);
        let entries = listed(storage.as_ref(), folder, problems);
        let (mut levels, mut axes): (Vec<MagLevel>, Vec<_>) = (Vec::new(), Vec::new());
        let mut format = DataFormat::Wkw;
        let mut named: Vec<FolderEntry> = entries.into_iter().filter(|entry| entry.name.parse::<Mag>().is_ok()).collect();
        named.sort_by_key(|entry| (entry.name.len(), entry.name.clone())); // `2` before `2-2-2`
        for FolderEntry { name: literal, is_folder } in named {
            let Ok(mag) = literal.parse::<Mag>() else { continue };
            let path = folder.join(&literal);
            // What can't be looked into is a mag that can't be opened, so that no coarser one passes for the finest. A link
            // that leads nowhere is no folder; a file that is called like a mag is none of ours.
            let is_one = if is_folder { is_mag(storage.as_ref(), &literal).unwrap_or(true) } else { self.opener.kind(&path).is_err() };
            if !is_one {
                continue;
            }
            if levels.iter().any(|level| level.mag == mag) {
                problems.warn(path.display(), format!("Mag {mag} is there twice, this folder is left out"));
                continue;
            }
            let mag = self.bare_level(mag, path);
            if mag.level.source.is_ok() {
                format = mag.format;
            }
            problems.extend(mag.problems);
            levels.push(mag.level);
            axes.push(mag.axes);
        }
        for level in &levels {
            if let Err(error) = &level.source {
                problems.error(&error.location, format!("Can't open layer {name}, mag {}: {}", level.mag, error.reason));
            }
        }
        finish_layer(bare(name, format, levels), axes, problems)
    }

    /// Layers from folders that hold mags or describe themselves.
    ///
    /// # Errors
    /// If none of them can be opened: the first one's, or the choices that they offer together.
    pub fn layer_folders(&self, folder: &Path, names: &[String], faults: &[(String, String)]) -> Result<Dataset, OpenError> {
        let (mut choices, mut first_error) = (Vec::new(), None);
        let mut problems = Problems::default();
        for (name, fault) in faults {
            problems.error(folder.join(name).display(), format!("Can't look into {name}: {fault}"));
        }
        problems.info(folder.join(PROPERTIES_FILE).display(), "No datasource-properties.json, layers and mags are the folders found");
        let storage = self.opener.open_folder(folder);
        let mut layers: Vec<Layer> = Vec::new();
        let mut voxel_size = None;
        for name in names {
            let child = folder.join(name);
            if !describes_itself(storage.as_ref(), name) {
                layers.push(self.bare_layer(&child, &mut problems));
                continue;
            }
            match self.described_child(&child) {
                Ok(Some(dataset)) => {
                    problems.extend(dataset.problems);
                    if dataset.voxel_size.unit.is_some() {
                        let first = *voxel_size.get_or_insert(dataset.voxel_size);
                        if first != dataset.voxel_size {
                            let text = format!("{name} has voxels of {}, lengths are those of voxels of {first}", dataset.voxel_size);
                            problems.warn(child.display(), text);
                        }
                    }
                    for mut layer in dataset.layers {
                        if layers.iter().any(|other| other.name == layer.name) {
                            layer.name = format!("{name}/{}", layer.name);
                        }
                        layers.push(layer);
                    }
                }
                Ok(None) => layers.push(self.bare_layer(&child, &mut problems)),
                Err(OpenError::Choose { choices: inner, .. }) => {
                    choices.extend(inner.into_iter().map(|choice| Choice { name: format!("{name}/{}", choice.name), ..choice }));
                }
                Err(err) => {
                    problems.error(child.display(), format!("Can't open {name}: {err}"));
                    first_error.get_or_insert(err);
                }
            }
        }
        layers.retain(|layer| !layer.levels.is_empty());
        match (layers.is_empty(), first_error) {
            (true, _) if !choices.is_empty() => {
                let what = format!("there are {} images in it", choices.len());
                return Err(OpenError::Choose { path: folder.to_owned(), what, choices });
            }
            (true, Some(err)) => return Err(err),
            (true | false, _) => {}
        }
        for choice in choices {
            problems.info(choice.path.display(), format!("{} is one of several, it can be opened by its folder", choice.name));
        }
        Ok(bare_dataset(name_of(folder), folder, layers, voxel_size, problems))
    }

    /// A sub-folder with metadata of its own; `None` if these don't tell what is in it.
    fn described_child(&self, child: &Path) -> Result<Option<Dataset>, OpenError> {
        match detect(self.opener, child)? {
            Found::Zarr { folder } => self.zarr_folder(&folder),
            Found::N5 { folder } => self.n5_folder(&folder),
            Found::Precomputed { folder } => self.precomputed_folder(&folder).map(Some),
            Found::Properties { .. }
            | Found::LayerFolders { .. }
            | Found::Layer { .. }
            | Found::Mag { .. }
            | Found::SingleShard { .. }
            | Found::PrecomputedScale { .. }
            | Found::Archive { .. }
            | Found::Nml { .. }
            | Found::AnnotationFolder { .. } => Ok(None),
        }
    }

    pub fn layer_folder(&self, folder: &Path) -> Result<Dataset, OpenError> {
        let mut problems = Problems::default();
        if let Some(dataset) = self.found_above(folder, parent_of(folder), &mut problems, |layer, same| lies_in(layer, folder, same)) {
            return Ok(dataset);
        }
        let layer = self.bare_layer(folder, &mut problems);
        let name = parent_of(folder).map_or_else(|| layer.name.clone(), |parent| name_of(&parent));
        Ok(bare_dataset(name, folder, vec![layer], None, problems))
    }

    pub fn mag_folder(&self, folder: &Path, shard: Option<ShardIndex>, opened: &Path) -> Result<Dataset, OpenError> {
        if let Some(dataset) = self.declared_mag(folder, shard, opened)? {
            return Ok(dataset);
        }
        let mut problems = Problems::default();
        let literal = name_of(folder).parse::<Mag>().ok();
        let name = match (literal, parent_of(folder)) {
            (Some(_), Some(layer_folder)) => name_of(&layer_folder),
            (_, Some(_) | None) => name_of(folder),
        };
        let mag = self.bare_level(literal.unwrap_or(Mag::ONE), folder.to_owned());
        if let Err(error) = &mag.level.source {
            return Err(OpenError::Level(error.clone()));
        }
        if literal.is_none() {
            problems.info(folder.display(), "The folder's name is no mag, mag 1 is assumed");
        }
        problems.extend(mag.problems);
        let layer = finish_layer(bare(name.clone(), mag.format, vec![mag.level]), vec![mag.axes], &mut problems);
        let mut dataset = bare_dataset(name, opened, vec![layer], None, problems);
        dataset.focus = shard.map(|shard| Focus { layer: 0, level: 0, shard });
        Ok(dataset)
    }

    /// The mag in the dataset whose JSON lists it, if there is one above.
    pub fn declared_mag(&self, folder: &Path, shard: Option<ShardIndex>, opened: &Path) -> Result<Option<Dataset>, OpenError> {
        let this_level = |layer: &Layer, same: SamePath| layer.levels.iter().position(|level| same(&level.path, folder));
        let mut above = parent_of(folder);
        for _ in 0..MAX_ABOVE {
            let Some(dataset_folder) = above else { break };
            above = parent_of(&dataset_folder);
            let mut problems = Problems::default();
            let found = self.found_above(folder, Some(dataset_folder), &mut problems, |layer, same| this_level(layer, same).is_some());
            if let Some(mut dataset) = found
                && let Some(layer) = dataset.layers.first_mut()
                && let Some(level) = this_level(layer, is_same_path).or_else(|| this_level(layer, is_same_place))
            {
                match shard {
                    // The window may show the other mags too.
                    Some(shard) => dataset.focus = Some(Focus { layer: 0, level, shard }),
                    None => {
                        layer.levels = vec![layer.levels.swap_remove(level)];
                        if let Some(Err(error)) = layer.levels.first().map(|level| &level.source) {
                            return Err(OpenError::Level(error.clone()));
                        }
                    }
                }
                dataset.path = opened.to_owned();
                return Ok(Some(dataset));
            }
        }
        Ok(None)
    }

    /// A mag that nothing declares.
    fn bare_level(&self, mag: Mag, path: PathBuf) -> OpenedMag {
        let axes = DeclaredAxes::default();
        self.level(LevelRequest { mag, path, format: None, axes: &axes, defaults: DefaultAxes::Plain })
    }

    /// The dataset whose JSON lists what was opened, cut down to the layers that `keep` wants.
    pub fn found_above(
        &self,
        folder: &Path,
        dataset: Option<PathBuf>,
        problems: &mut Problems,
        keep: impl Fn(&Layer, SamePath) -> bool,
    ) -> Option<Dataset> {
        let dataset = dataset?;
        let key = StorageKey::new(PROPERTIES_FILE)?;
        let is_there = self.opener.open_folder(&dataset).len(&key).map(|len| len.is_some());
        let opened = match is_there {
            Ok(false) => return None,
            Ok(true) => self.with_properties(&dataset, PROPERTIES_FILE).map_err(|err| err.to_string()),
            Err(err) => Err(err.to_string()),
        };
        match opened {
            Ok(mut opened) => {
                // Several layers may be links to one place: the one that is written as the path comes first.
                let find = |same: SamePath| opened.layers.iter().position(|layer| keep(layer, same));
                let kept = find(is_same_path).or_else(|| find(is_same_place))?;
                opened.layers = vec![opened.layers.swap_remove(kept)];
                opened.path = folder.to_owned();
                Some(opened)
            }
            Err(reason) => {
                // A broken JSON above is no reason to refuse a sound layer below.
                problems.warn(folder.display(), format!("The folder is shown without the JSON above it: {reason}"));
                None
            }
        }
    }

    pub fn single_shard(&self, folder: &Path, file: StorageKey, path: &Path) -> Result<Dataset, OpenError> {
        let name = name_of(path);
        let source = WkwSource::open_single(self.opener.open_folder(folder), file, self.index.clone()).map_err(Arc::new)?;
        let level = MagLevel { mag: Mag::ONE, copy: 1, path: path.to_owned(), source: Ok(Arc::new(source)) };
        let mut problems = Problems::default();
        problems.info(path.display(), "A shard outside of a mag's folders: its position isn't known, 0, 0, 0 is assumed");
        let layer = finish_layer(bare(name.clone(), DataFormat::Wkw, vec![level]), vec![Vec::new()], &mut problems);
        let mut dataset = bare_dataset(name, path, vec![layer], None, problems);
        dataset.focus = Some(Focus { layer: 0, level: 0, shard: ShardIndex(Vec3Int::ZERO) });
        Ok(dataset)
    }
}

/// Whether two paths are the same, in one sense or the other.
pub(super) type SamePath = fn(&Path, &Path) -> bool;

/// Whether two paths are written alike.
pub(super) fn is_same_path(a: &Path, b: &Path) -> bool {
    a == b || matches!((std::path::absolute(a), std::path::absolute(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether two paths lead to the same place, links resolved.
pub(super) fn is_same_place(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

pub(super) fn lies_in(layer: &Layer, folder: &Path, same: SamePath) -> bool {
    layer.levels.iter().filter_map(|level| parent_of(&level.path)).any(|parent| same(&parent, folder))
}

/// Entries of a folder; one that can't be listed is a problem.
pub(super) fn listed(storage: &dyn Storage, folder: &Path, problems: &mut Problems) -> Vec<FolderEntry> {
    match storage.list("", MAX_ENTRIES) {
        Ok(entries) => entries.unwrap_or_default(),
        Err(err) => {
            problems.error(folder.display(), format!("Can't look for mags: {err}"));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::format::{OpenError, open};
    use crate::storage::{LocalOpener, MemoryOpener, MemoryStorage, StorageKey};
    use std::path::Path;
    use std::sync::Arc;

    fn array(shape: &str) -> Vec<u8> {
        format!(r#"{{"zarr_format":2,"shape":{shape},"chunks":[4,4,4],"dtype":"|u1","compressor":null,"filters":null,"fill_value":0,"order":"C"}}"#)
            .into_bytes()
    }

    /// Names of layers with their mags, and problems.
    fn opened(files: &[(&str, Vec<u8>)], path: &str) -> (Vec<String>, Vec<String>) {
        let storage = Arc::new(MemoryStorage::default());
        for (name, bytes) in files {
            storage.put(&StorageKey::new(*name).expect("clean"), bytes.clone());
        }
        let dataset = open(&MemoryOpener::new("/data", storage), Path::new(path)).expect("opens");
        let layers = dataset.layers.iter().map(|layer| {
            let mags: Vec<_> = layer.levels.iter().map(|level| level.mag.to_string()).collect();
            format!("{}: {}", layer.name, mags.join(" "))
        });
        (layers.collect(), dataset.problems.iter().map(|problem| problem.text.clone()).collect())
    }

    #[test]
    fn numbered_arrays_without_a_group_are_a_pyramid() {
        let files = [("p/0/.zarray", array("[9,16,16]")), ("p/1/.zarray", array("[9,8,8]")), ("p/2/.zarray", array("[5,4,4]"))];
        assert_eq!(opened(&files, "/data/p").0, ["p: 1 2-2-1 4-4-2"]);
        let with_group = [&files[..], &[("p/.zgroup", br#"{"zarr_format":2}"#.to_vec())]].concat();
        assert_eq!(opened(&with_group, "/data/p").0, ["p: 1 2-2-1 4-4-2"]);
    }

    #[test]
    fn arrays_side_by_side_are_layers_and_a_broken_one_is_a_problem() {
        let files = [
            ("d/a/.zarray", array("[4,4,4]")),
            ("d/b/.zarray", b"{".to_vec()),
            ("d/c/.zarray", array("[4,4]")),
            ("d/mags/1/.zarray", array("[4,4,4]")),
            ("d/mags/2-2-1/.zarray", array("[4,2,2]")),
            ("d/notes/readme.txt", b"x".to_vec()),
        ];
        let (layers, problems) = opened(&files, "/data/d");
        assert_eq!(layers, ["a: 1", "mags: 1 2-2-1"]);
        for name in ["b", "c"] {
            assert!(problems.iter().any(|problem| problem.starts_with(&format!("Can't open {name}:"))), "{problems:?}");
        }
    }

    #[test]
    fn a_folder_called_info_makes_no_volume() {
        let files = [("d/info/readme.txt", b"x".to_vec()), ("d/a/.zarray", array("[4,4,4]"))];
        assert_eq!(opened(&files, "/data/d").0, ["a: 1"]);
    }

    #[test]
    fn a_folder_of_nothing_but_broken_things_can_not_be_opened() {
        let storage = Arc::new(MemoryStorage::default());
        storage.put(&StorageKey::new("d/a/.zarray").expect("clean"), b"{".to_vec());
        let error = open(&MemoryOpener::new("/data", storage), Path::new("/data/d")).expect_err("nothing sound");
        assert!(error.to_string().contains("not valid JSON"), "{error}");
    }

    #[test]
    fn images_to_choose_from_in_several_folders_are_one_choice() {
        let well = br#"{"well":{"images":[{"path":"0"},{"path":"1"}]}}"#;
        let files = [("d/1/.zattrs", well.to_vec()), ("d/2/.zattrs", well.to_vec())];
        let storage = Arc::new(MemoryStorage::default());
        for (name, bytes) in files {
            storage.put(&StorageKey::new(name).expect("clean"), bytes);
        }
        match open(&MemoryOpener::new("/data", storage), Path::new("/data/d")) {
            Err(OpenError::Choose { choices, .. }) => {
                assert_eq!(choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>(), ["1/0", "1/1", "2/0", "2/1"]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_unusable_scale_is_said_and_mags_come_from_the_shapes() {
        let group = br#"{"multiscales":[{"axes":[{"name":"z","type":"space"},{"name":"y","type":"space"},{"name":"x","type":"space"}],
            "datasets":[{"path":"a","coordinateTransformations":[{"type":"scale","scale":[4,4]}]},
                        {"path":"b","coordinateTransformations":[{"type":"scale","scale":[8,8,8]}]}]}]}"#;
        let files = [("p/.zattrs", group.to_vec()), ("p/a/.zarray", array("[8,8,8]")), ("p/b/.zarray", array("[4,4,4]"))];
        let (layers, problems) = opened(&files, "/data/p");
        assert_eq!(layers, ["p: 1 2"]);
        assert!(problems.iter().any(|problem| problem.starts_with("The scale of a level can't be used")), "{problems:?}");
    }

    #[test]
    fn a_file_called_like_a_level_leaves_the_rest_usable() {
        let dir = tempfile::tempdir().expect("temporary folder");
        std::fs::create_dir(dir.path().join("a")).expect("a folder");
        std::fs::write(dir.path().join("a/.zarray"), array("[4,4,4]")).expect("written");
        for name in ["0", "s0", "labels", "setup0"] {
            std::fs::write(dir.path().join(name), b"a file").expect("written");
        }
        let dataset = open(&LocalOpener::default(), dir.path()).expect("opens");
        assert_eq!(dataset.layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>(), ["a"]);
    }
}
