//! Opening datasets that a `datasource-properties.json` describes.

use super::array::DefaultAxes;
use super::dataset::{DataFormat, Dataset, Layer, LevelError, MagLevel};
use super::declared::{check_declared_type, declared_type, path_from_file_uri, report};
use super::detect::{MAX_JSON_BYTES, is_mag, name_of};
use super::layers::finish_layer;
use super::open::{OpenError, Opening};
use super::open_folders::listed;
use super::open_level::{LevelRequest, OpenedMag};
use super::properties::{LayerProperties, MagProperties, Properties, PropertiesError};
use super::{HeaderReport, zarr};
use crate::geometry::Mag;
use crate::problem::Problems;
use crate::storage::StorageKey;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

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

    pub fn with_properties(&self, folder: &Path, file: &str) -> Result<Dataset, OpenError> {
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
            annotation: None,
            problems,
        })
    }

    fn declared_layer(&self, dataset: &Path, json: &str, declared: &LayerProperties) -> (Layer, Problems) {
        let mut problems = Problems::default();
        let mut mags = declared.mags.clone();
        if mags.is_empty() {
            mags = self.mags_on_disk(&dataset.join(&declared.name), &mut problems);
        }
        let levels: Vec<OpenedMag> = mags.par_iter().map(|mag| self.declared_level(dataset, declared, mag)).collect();
        let mut format = match &declared.format {
            Ok(format) => *format,
            Err(name) => {
                problems.error(json, format!("Layer {} has the unknown dataFormat {name:?}", declared.name));
                DataFormat::Wkw
            }
        };
        if let Some(found) = levels.iter().find(|opened| opened.level.source.is_ok()) {
            format = found.format;
        }
        let (mut opened, mut axes) = (Vec::with_capacity(levels.len()), Vec::with_capacity(levels.len()));
        for level in levels {
            problems.extend(level.problems);
            opened.push(level.level);
            axes.push(level.axes);
        }
        let layer = Layer {
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
        };
        let layer = finish_layer(layer, axes, &mut problems);
        check_declared_type(declared, &layer, json, &mut problems);
        (layer, problems)
    }

    /// The mags that a layer's folder has, for a JSON that lists none.
    fn mags_on_disk(&self, folder: &Path, problems: &mut Problems) -> Vec<MagProperties> {
        let storage = self.opener.open_folder(folder);
        let entries = listed(storage.as_ref(), folder, problems);
        let mut mags: Vec<MagProperties> = Vec::new();
        for entry in entries.into_iter().filter(|entry| entry.is_folder) {
            if let Ok(mag) = entry.name.parse::<Mag>()
                && mags.iter().all(|m| m.mag != mag)
                && is_mag(storage.as_ref(), &entry.name).unwrap_or(true)
            {
                mags.push(MagProperties::bare(mag));
            }
        }
        mags.sort_by_key(|m| m.mag.sort_key());
        mags
    }

    fn declared_level(&self, dataset: &Path, layer: &LayerProperties, declared: &MagProperties) -> OpenedMag {
        let failed = |path: PathBuf, reason: String, location: String| {
            let error = LevelError { reason, location };
            let level = MagLevel { mag: declared.mag, copy: 1, path, source: Err(Arc::new(error)) };
            OpenedMag { level, axes: Vec::new(), problems: Problems::default(), format: DataFormat::Wkw }
        };
        let mut opened = match (self.level_path(dataset, &layer.name, declared), &layer.format) {
            (Err(uri), _) => failed(PathBuf::from(&uri), "it lies on a server".to_owned(), uri),
            (Ok(path), Err(format)) => {
                let location = path.display().to_string();
                failed(path, format!("the data format {format} is not known"), location)
            }
            (Ok(path), Ok(format)) => self.level(LevelRequest {
                mag: declared.mag,
                path,
                format: Some(*format),
                axes: &declared.axes,
                defaults: DefaultAxes::Server,
            }),
        };
        let (level, problems) = (&opened.level, &mut opened.problems);
        match &level.source {
            Err(error) => {
                problems.error(&error.location, format!("Can't open layer {}, mag {}: {}", layer.name, declared.mag, error.reason))
            }
            Ok(source) => {
                let side = source.grid().shard_shape().x();
                if let Some(declared_side) = declared.cube_length.filter(|len| i64::try_from(*len) != Ok(side))
                    && opened.format == DataFormat::Wkw
                {
                    problems.info(
                        level.path.display(),
                        format!("Layer {}, mag {}: cubeLength is {declared_side}, the header says {side}", layer.name, declared.mag),
                    );
                }
            }
        }
        opened
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
            let metadata_files = ["header.wkw", zarr::ARRAY_FILE, zarr::NODE_FILE, "attributes.json"];
            let named = metadata_files.iter().find_map(|file| written.strip_suffix(file)?.strip_suffix('/'));
            let folder = named.unwrap_or(written);
            return Ok(dataset.join(folder.strip_prefix("./").unwrap_or(folder)));
        }
        let short = dataset.join(layer).join(declared.mag.to_string());
        let long = dataset.join(layer).join(declared.mag.long_literal());
        let there = |path: &Path| matches!(self.opener.kind(path), Ok(Some(_)) | Err(_));
        Ok(if !there(&short) && there(&long) { long } else { short })
    }
}
