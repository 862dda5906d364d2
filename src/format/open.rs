//! Opening a path as a [`Dataset`].

use super::dataset::{DataFormat, Dataset, Focus, Layer, LayerCategory, LayerConfiguration, LevelError, MagLevel, ViewConfiguration};
use super::declared::{check_declared_type, declared_type, path_from_file_uri, report};
use super::detect::{Found, MAX_ENTRIES, MAX_JSON_BYTES, detect, is_mag, name_of, parent_of};
use super::properties::{LayerProperties, MagProperties, PROPERTIES_FILE, Properties, PropertiesError, guess_category};
use super::wkw::{ShardIndexCache, WkwSource};
use super::{ChunkSource, HeaderReport};
use crate::geometry::{BoundingBox, Mag, ShardIndex, Vec3Int, VoxelSize};
use crate::problem::Problems;
use crate::storage::{FolderEntry, Storage, StorageError, StorageKey, StorageOpener};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Why nothing of a path can be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing is there.
    #[error("can't open: no such file or folder: {}", .path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The name can't be used as a key.
    #[error("can't open: the file's name is not valid UTF-8: {}", .path.display())]
    Name {
        /// The path.
        path: PathBuf,
    },
    /// Something is there that can't be read.
    #[error("can't open: {source}")]
    Storage {
        /// The path that was to be opened.
        path: PathBuf,
        /// Why.
        source: StorageError,
    },
    /// The JSON can't be used.
    #[error("can't open the dataset: {PROPERTIES_FILE}: {source}: {}", .path.display())]
    Properties {
        /// The JSON.
        path: PathBuf,
        /// Why.
        source: PropertiesError,
    },
    /// Nothing that is known.
    #[error(
        "can't open: neither {PROPERTIES_FILE}, nor layers with mags, nor a WKW header or shard; found {found}{}: {}",
        .hint.as_ref().map(|h| format!("; {} can be opened", h.display())).unwrap_or_default(), .path.display()
    )]
    Unknown {
        /// The path.
        path: PathBuf,
        /// What is there instead.
        found: String,
        /// Something nearby that can be opened.
        hint: Option<PathBuf>,
    },
    /// The only thing that was asked for can't be used.
    #[error("{0}")]
    Level(#[from] Arc<LevelError>),
    /// There are several datasets in it (series of one file, fields of a plate), of which one must be chosen.
    #[error("{what}, choose one of them: {}: {}", .choices.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", "), .path.display())]
    Choose {
        /// The path.
        path: PathBuf,
        /// What they are: `3 series`.
        what: String,
        /// What can be opened instead.
        choices: Vec<Choice>,
    },
}

/// One of several datasets that a path holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Name for people, relative to the path: `0`, `A/1/0`.
    pub name: String,
    /// What to open.
    pub path: PathBuf,
}

/// Opens whatever `path` is: a dataset, layer or mag folder, a metadata file or a shard.
///
/// Reads metadata files only; folders are listed only where no JSON tells what is there. Blocks on the
/// storage: call it from a task, not from the window's thread.
///
/// # Errors
/// If nothing at all can be opened. What can't be opened beside other things becomes a problem instead.
pub fn open(opener: &dyn StorageOpener, path: &Path) -> Result<Dataset, OpenError> {
    let opening = Opening { opener, index: Arc::default() };
    match detect(opener, path)? {
        Found::Properties { folder, file } => opening.with_properties(&folder, &file),
        Found::LayerFolders { folder, layers, faults } => Ok(opening.layer_folders(&folder, &layers, &faults)),
        Found::Layer { folder } => opening.layer_folder(&folder),
        Found::Mag { folder, shard } => opening.mag_folder(&folder, shard, path),
        Found::SingleShard { folder, file } => opening.single_shard(&folder, file, path),
    }
}

struct Opening<'a> {
    opener: &'a dyn StorageOpener,
    index: Arc<ShardIndexCache>,
}

impl Opening<'_> {
    /// Reads and parses a JSON, again if somebody is just rewriting it.
    fn properties(&self, folder: &Path, file: &str, problems: &mut Problems) -> Result<(Properties, HeaderReport), OpenError> {
        const TRIES: u32 = 4;
        let path = folder.join(file);
        let location = path.display().to_string();
        let key = StorageKey::new(file).ok_or_else(|| OpenError::Name { path: path.clone() })?;
        let storage = self.opener.open_folder(folder);
        let mut tries = 0;
        loop {
            tries += 1;
            let bytes = storage.read(&key, MAX_JSON_BYTES).map_err(|source| OpenError::Storage { path: path.clone(), source })?;
            let bytes = bytes.ok_or_else(|| OpenError::NotFound { path: path.clone() })?;
            let mut found = Problems::default();
            match Properties::parse(&bytes, &location, &mut found) {
                Ok(properties) => {
                    problems.extend(found);
                    return Ok((properties, report(&bytes, &location)));
                }
                // Cut off in the middle: perhaps it is being written at this moment.
                Err(PropertiesError::Json(err)) if err.is_eof() && tries < TRIES => std::thread::sleep(Duration::from_millis(50)),
                Err(source) => return Err(OpenError::Properties { path, source }),
            }
        }
    }

    fn with_properties(&self, folder: &Path, file: &str) -> Result<Dataset, OpenError> {
        let mut problems = Problems::default();
        let (properties, header) = self.properties(folder, file, &mut problems)?;
        let location = folder.join(file).display().to_string();
        if properties.layers.is_empty() {
            problems.warn(&location, "No layers are declared");
        }
        let opened: Vec<(Layer, Problems)> =
            properties.layers.par_iter().map(|layer| self.declared_layer(folder, &location, layer)).collect();
        let mut layers = Vec::with_capacity(opened.len());
        for (layer, found) in opened {
            problems.extend(found);
            layers.push(layer);
        }
        let name = name_of(folder);
        if let Some(declared) = properties.name.filter(|declared| *declared != name) {
            problems.info(&location, format!("The JSON calls the dataset {declared}, the folder is called {name}"));
        }
        Ok(Dataset {
            name,
            path: folder.to_owned(),
            format: layers.first().map_or(DataFormat::Wkw, |layer| layer.format),
            voxel_size: properties.voxel_size,
            layers,
            header,
            view: properties.view,
            focus: None,
            problems,
        })
    }

    fn declared_layer(&self, dataset: &Path, json: &str, declared: &LayerProperties) -> (Layer, Problems) {
        let mut problems = Problems::default();
        let mut mags = declared.mags.clone();
        if mags.is_empty() {
            mags = self.mags_on_disk(&dataset.join(&declared.name), &mut problems);
        }
        let levels: Vec<(MagLevel, Problems)> = mags.par_iter().map(|mag| self.declared_level(dataset, declared, mag)).collect();
        let mut opened = Vec::with_capacity(levels.len());
        for (level, found) in levels {
            problems.extend(found);
            opened.push(level);
        }
        let format = match &declared.format {
            Ok(format) => *format,
            Err(name) => {
                problems.error(json, format!("Layer {} has the unknown dataFormat {name:?}", declared.name));
                DataFormat::Wkw
            }
        };
        let layer = self.finish_layer(
            Layer {
                name: declared.name.clone(),
                category: declared.category,
                format,
                voxel_type: declared_type(declared),
                bounding_box: declared.bounding_box.unwrap_or_default(),
                has_declared_box: declared.bounding_box.is_some(),
                largest_segment_id: declared.largest_segment_id,
                levels: opened,
                axes: Vec::new(),
                segment_colors: Arc::default(),
                configuration: declared.configuration.clone(),
            },
            &mut problems,
        );
        check_declared_type(declared, &layer, json, &mut problems);
        (layer, problems)
    }

    /// The mags that a layer's folder has, for a JSON that lists none.
    fn mags_on_disk(&self, folder: &Path, problems: &mut Problems) -> Vec<MagProperties> {
        let storage = self.opener.open_folder(folder);
        let entries = listed(storage.as_ref(), folder, problems);
        let mut mags: Vec<MagProperties> = Vec::new();
        for entry in entries.into_iter().filter(|entry| entry.is_folder && is_mag(storage.as_ref(), &entry.name)) {
            if let Ok(mag) = entry.name.parse::<Mag>()
                && mags.iter().all(|m| m.mag != mag)
            {
                mags.push(MagProperties { mag, path: None, cube_length: None });
            }
        }
        mags.sort_by_key(|m| m.mag.sort_key());
        mags
    }

    fn declared_level(&self, dataset: &Path, layer: &LayerProperties, declared: &MagProperties) -> (MagLevel, Problems) {
        let mut problems = Problems::default();
        let path = match self.level_path(dataset, &layer.name, declared) {
            Ok(path) => path,
            Err(uri) => {
                let error = LevelError { reason: format!("can't open mag {}: it lies on a server", declared.mag), location: uri.clone() };
                problems.error(&uri, format!("Can't open layer {}, mag {}: it lies on a server", layer.name, declared.mag));
                return (MagLevel { mag: declared.mag, copy: 1, path: PathBuf::from(uri), source: Err(Arc::new(error)) }, problems);
            }
        };
        let level = match &layer.format {
            Ok(DataFormat::Wkw) => self.wkw_level(declared.mag, path),
            Ok(other @ (DataFormat::Zarr | DataFormat::Zarr3 | DataFormat::N5 | DataFormat::NeuroglancerPrecomputed)) => {
                unread_level(declared.mag, path, &other.to_string())
            }
            Err(other) => unread_level(declared.mag, path, other),
        };
        match &level.source {
            Err(error) => {
                problems.error(&error.location, format!("Can't open layer {}, mag {}: {}", layer.name, declared.mag, error.reason))
            }
            Ok(source) => {
                let side = source.grid().shard_shape().x();
                if let Some(declared_side) = declared.cube_length.filter(|len| i64::try_from(*len) != Ok(side)) {
                    problems.info(
                        level.path.display(),
                        format!("Layer {}, mag {}: cubeLength is {declared_side}, the header says {side}", layer.name, declared.mag),
                    );
                }
            }
        }
        (level, problems)
    }

    /// Folder of a declared mag; `Err` holds a URI that is not on this machine.
    fn level_path(&self, dataset: &Path, layer: &str, declared: &MagProperties) -> Result<PathBuf, String> {
        if let Some(written) = declared.path.as_ref().filter(|written| !written.is_empty()) {
            if let Some(local) = path_from_file_uri(written) {
                return Ok(dataset.join(local));
            }
            if written.contains("://") {
                return Err(written.clone());
            }
            let folder = written.strip_suffix("/header.wkw").unwrap_or(written);
            return Ok(dataset.join(folder.strip_prefix("./").unwrap_or(folder)));
        }
        let short = dataset.join(layer).join(declared.mag.to_string());
        let long = dataset.join(layer).join(declared.mag.long_literal());
        let there = |path: &Path| matches!(self.opener.kind(path), Ok(Some(_)) | Err(_));
        Ok(if !there(&short) && there(&long) { long } else { short })
    }

    fn wkw_level(&self, mag: Mag, path: PathBuf) -> MagLevel {
        let source = match self.opener.kind(&path) {
            Ok(Some(_)) => WkwSource::open(self.opener.open_folder(&path), self.index.clone()),
            Ok(None) => Err(LevelError { reason: "the folder is missing".to_owned(), location: path.display().to_string() }),
            Err(err) => Err(LevelError { reason: err.to_string(), location: path.display().to_string() }),
        };
        let source = source.map(|source| Arc::new(source) as Arc<dyn ChunkSource>).map_err(Arc::new);
        MagLevel { mag, copy: 1, path, source }
    }

    /// Adds what follows from the levels: voxel type, extent, warnings, contradictions.
    fn finish_layer(&self, mut layer: Layer, problems: &mut Problems) -> Layer {
        layer.levels.sort_by_key(|level| level.mag.sort_key());
        for level in &layer.levels {
            if let Ok(source) = &level.source {
                for warning in source.take_warnings() {
                    problems.add(warning);
                }
            }
        }
        if let Some(finest) = layer.finest()
            && let Ok(source) = &finest.source
        {
            let voxel_type = source.voxel_type();
            for level in &layer.levels {
                if let Ok(other) = &level.source
                    && other.voxel_type() != voxel_type
                {
                    problems.warn(
                        level.path.display(),
                        format!(
                            "Layer {}: mag {} has {} voxels, mag {} {}",
                            layer.name,
                            level.mag,
                            other.voxel_type(),
                            finest.mag,
                            voxel_type
                        ),
                    );
                }
            }
            layer.voxel_type = Some(voxel_type);
        }
        if !layer.has_declared_box {
            layer.bounding_box = extent_from_shards(&layer, problems);
        }
        layer
    }

    /// One layer from a folder that holds mags, without a JSON.
    fn bare_layer(&self, folder: &Path, problems: &mut Problems) -> Layer {
        let name = name_of(folder);
        let storage = self.opener.open_folder(folder);
        let entries = listed(storage.as_ref(), folder, problems);
        for entry in entries.iter().filter(|entry| !entry.is_folder && entry.name.parse::<Mag>().is_ok()) {
            // A link that leads nowhere is no folder; a file that is called like a mag is none of ours.
            if let Err(err) = self.opener.kind(&folder.join(&entry.name)) {
                problems.error(folder.join(&entry.name).display(), format!("Can't open layer {name}, mag {}: {err}", entry.name));
            }
        }
        let mut levels: Vec<MagLevel> = Vec::new();
        let mut names: Vec<_> = entries.into_iter().filter(|entry| entry.is_folder).map(|entry| entry.name).collect();
        names.sort_by_key(|name| (name.len(), name.clone())); // `2` before `2-2-2`
        for literal in names {
            let Ok(mag) = literal.parse::<Mag>() else { continue };
            if levels.iter().any(|level| level.mag == mag) {
                problems.warn(folder.join(&literal).display(), format!("Mag {mag} is there twice, this folder is left out"));
                continue;
            }
            if is_mag(storage.as_ref(), &literal) {
                levels.push(self.wkw_level(mag, folder.join(&literal)));
            }
        }
        for level in &levels {
            if let Err(error) = &level.source {
                problems.error(&error.location, format!("Can't open layer {name}, mag {}: {}", level.mag, error.reason));
            }
        }
        self.finish_layer(bare(name, levels), problems)
    }

    fn layer_folders(&self, folder: &Path, layers: &[String], faults: &[(String, String)]) -> Dataset {
        let mut problems = Problems::default();
        for (name, fault) in faults {
            problems.error(folder.join(name).display(), format!("Can't look into {name}: {fault}"));
        }
        problems.info(folder.join(PROPERTIES_FILE).display(), "No datasource-properties.json, layers and mags are the folders found");
        let layers = layers.iter().map(|name| self.bare_layer(&folder.join(name), &mut problems)).collect();
        bare_dataset(name_of(folder), folder, layers, problems)
    }

    fn layer_folder(&self, folder: &Path) -> Result<Dataset, OpenError> {
        let mut problems = Problems::default();
        if let Some(dataset) = self.found_above(folder, parent_of(folder), &mut problems, |layer, same| lies_in(layer, folder, same)) {
            return Ok(dataset);
        }
        let layer = self.bare_layer(folder, &mut problems);
        let name = parent_of(folder).map_or_else(|| layer.name.clone(), |parent| name_of(&parent));
        Ok(bare_dataset(name, folder, vec![layer], problems))
    }

    fn mag_folder(&self, folder: &Path, shard: Option<ShardIndex>, opened: &Path) -> Result<Dataset, OpenError> {
        let layer_folder = parent_of(folder);
        let dataset_folder = layer_folder.as_deref().and_then(parent_of);
        let this_level = |layer: &Layer, same: SamePath| layer.levels.iter().position(|level| same(&level.path, folder));
        let mut problems = Problems::default();
        if let Some(mut dataset) = self.found_above(folder, dataset_folder, &mut problems, |layer, same| this_level(layer, same).is_some())
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
            return Ok(dataset);
        }
        let literal = name_of(folder).parse::<Mag>().ok();
        let name = match (literal, &layer_folder) {
            (Some(_), Some(layer_folder)) => name_of(layer_folder),
            _ => name_of(folder),
        };
        let level = self.wkw_level(literal.unwrap_or(Mag::ONE), folder.to_owned());
        if let Err(error) = &level.source {
            return Err(OpenError::Level(error.clone()));
        }
        if literal.is_none() {
            problems.info(folder.display(), "The folder's name is no mag, mag 1 is assumed");
        }
        let layer = self.finish_layer(bare(name.clone(), vec![level]), &mut problems);
        let mut dataset = bare_dataset(name, opened, vec![layer], problems);
        dataset.focus = shard.map(|shard| Focus { layer: 0, level: 0, shard });
        Ok(dataset)
    }

    /// The dataset whose JSON lists what was opened, cut down to the layers that `keep` wants.
    fn found_above(
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

    fn single_shard(&self, folder: &Path, file: StorageKey, path: &Path) -> Result<Dataset, OpenError> {
        let name = name_of(path);
        let source = WkwSource::open_single(self.opener.open_folder(folder), file, self.index.clone()).map_err(Arc::new)?;
        let level = MagLevel { mag: Mag::ONE, copy: 1, path: path.to_owned(), source: Ok(Arc::new(source)) };
        let mut problems = Problems::default();
        problems.info(path.display(), "A shard outside of a mag's folders: its position isn't known, 0, 0, 0 is assumed");
        let layer = self.finish_layer(bare(name.clone(), vec![level]), &mut problems);
        let mut dataset = bare_dataset(name, path, vec![layer], problems);
        dataset.focus = Some(Focus { layer: 0, level: 0, shard: ShardIndex(Vec3Int::ZERO) });
        Ok(dataset)
    }
}

fn unread_level(mag: Mag, path: PathBuf, format: &str) -> MagLevel {
    let error = LevelError {
        reason: format!("data format {format} is not among those that can be read (WKW)"),
        location: path.display().to_string(),
    };
    MagLevel { mag, copy: 1, path, source: Err(Arc::new(error)) }
}

fn bare(name: String, levels: Vec<MagLevel>) -> Layer {
    Layer {
        category: guess_category(&name, false),
        name,
        format: DataFormat::Wkw,
        voxel_type: None,
        bounding_box: BoundingBox::default(),
        has_declared_box: false,
        largest_segment_id: None,
        levels,
        axes: Vec::new(),
        segment_colors: Arc::default(),
        configuration: LayerConfiguration::default(),
    }
}

fn bare_dataset(name: String, path: &Path, mut layers: Vec<Layer>, mut problems: Problems) -> Dataset {
    for layer in &mut layers {
        // A number type that can't be ids is no segmentation, whatever the name.
        if layer.voxel_type.is_some_and(|t| t.class.is_float() || t.channels != 1) {
            layer.category = LayerCategory::Color;
        }
    }
    problems.info(path.display(), "No voxel size is known, lengths are shown in voxels");
    Dataset {
        name,
        path: path.to_owned(),
        format: DataFormat::Wkw,
        voxel_size: VoxelSize::VOXELS,
        layers,
        header: HeaderReport::default(),
        view: ViewConfiguration::default(),
        focus: None,
        problems,
    }
}

/// Whether two paths are the same, in one sense or the other.
type SamePath = fn(&Path, &Path) -> bool;

/// Whether two paths are written alike.
fn is_same_path(a: &Path, b: &Path) -> bool {
    a == b || matches!((std::path::absolute(a), std::path::absolute(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether two paths lead to the same place, links resolved.
fn is_same_place(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn lies_in(layer: &Layer, folder: &Path, same: SamePath) -> bool {
    layer.levels.iter().filter_map(|level| parent_of(&level.path)).any(|parent| same(&parent, folder))
}

/// The box around the shards found, in mag-1 voxels.
fn extent_from_shards(layer: &Layer, problems: &mut Problems) -> BoundingBox {
    /// Enough for an exact box of most mags; more only cost time before the first picture.
    const MAX_SHARDS: usize = 20_000;
    let mut extent = BoundingBox::default();
    for level in &layer.levels {
        let Ok(source) = &level.source else { continue };
        match source.find_shards(MAX_SHARDS) {
            Ok(shards) => {
                if shards.len() == MAX_SHARDS {
                    problems.warn(
                        level.path.display(),
                        format!("Layer {}: only {MAX_SHARDS} shards of mag {} were looked at for the extent", layer.name, level.mag),
                    );
                }
                for shard in shards {
                    extent = extent.union(&level.mag.box_in_mag1(&source.grid().shard_box(shard)));
                }
            }
            Err(err) => problems.error(level.path.display(), format!("Can't find the extent of layer {}: {err}", layer.name)),
        }
    }
    if !extent.is_empty() {
        problems.info(
            layer.levels.first().map_or_else(String::new, |level| level.path.display().to_string()),
            format!("The extent of layer {} is that of its shards: {extent}", layer.name),
        );
    }
    extent
}

/// Entries of a folder; one that can't be listed is a problem.
fn listed(storage: &dyn Storage, folder: &Path, problems: &mut Problems) -> Vec<FolderEntry> {
    match storage.list("", MAX_ENTRIES) {
        Ok(entries) => entries.unwrap_or_default(),
        Err(err) => {
            problems.error(folder.display(), format!("Can't look for mags: {err}"));
            Vec::new()
        }
    }
}
