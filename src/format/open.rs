//! Opening a path as a [`Dataset`].

use super::annotation;
use super::array::ArrayIndexCache;
use super::dataset::{Dataset, LevelError};
use super::detect::{Found, detect, detect_by_listing};
use super::nml::NmlError;
use super::properties::{PROPERTIES_FILE, PropertiesError};
use super::wkw::ShardIndexCache;
use crate::problem::Severity;
use crate::storage::{StorageError, StorageOpener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The NML of an annotation can't be used.
    #[error("can't open the annotation: {source}: {}", .path.display())]
    Nml {
        /// The NML.
        path: PathBuf,
        /// Why.
        source: NmlError,
    },
    /// Nothing that is known.
    #[error(
        "can't open: neither {PROPERTIES_FILE}, nor layers with mags, nor metadata or shards of WKW, Zarr, N5 or precomputed, nor an annotation; found {found}{}: {}",
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

/// Opens whatever `path` is: a dataset, layer or mag folder, an array, group or container, a metadata file or a shard,
/// an annotation or an archive of any of these.
///
/// Reads metadata files only; folders are listed only where no metadata tell what is there. Blocks on the
/// storage: call it from a task, not from the window's thread.
///
/// # Errors
/// If nothing at all can be opened. What can't be opened beside other things becomes a problem instead.
pub fn open(opener: &dyn StorageOpener, path: &Path) -> Result<Dataset, OpenError> {
    let opening = Opening { opener, index: Arc::default(), arrays: Arc::default() };
    let dataset = opening.found(detect(opener, path)?, path)?;
    // A JSON may declare nothing; anything else without layers couldn't be opened.
    let error = dataset.problems.iter().find(|problem| problem.severity == Severity::Error);
    let is_nothing = dataset.layers.is_empty() && dataset.header.sections.is_empty() && dataset.annotation.is_none();
    if let Some(error) = error.filter(|_| is_nothing) {
        let error = LevelError { reason: error.text.clone(), location: error.location.clone() };
        return Err(OpenError::Level(Arc::new(error)));
    }
    Ok(dataset)
}

/// What opening needs everywhere.
pub(super) struct Opening<'a> {
    pub opener: &'a dyn StorageOpener,
    /// Jump tables of WKW.
    pub index: Arc<ShardIndexCache>,
    /// Shard indices of the other formats.
    pub arrays: Arc<ArrayIndexCache>,
}

impl Opening<'_> {
    fn found(&self, found: Found, path: &Path) -> Result<Dataset, OpenError> {
        match found {
            Found::Properties { folder, file } => self.with_properties(&folder, &file),
            Found::LayerFolders { folder, layers, faults } => self.layer_folders(&folder, &layers, &faults),
            Found::Layer { folder } => self.layer_folder(&folder),
            Found::Mag { folder, shard } => self.mag_folder(&folder, shard, path),
            Found::SingleShard { folder, file } => self.single_shard(&folder, file, path),
            Found::Zarr { folder } => self.or_by_listing(&folder, path, Self::zarr_folder),
            Found::N5 { folder } => self.or_by_listing(&folder, path, Self::n5_folder),
            Found::Precomputed { folder } => self.precomputed_folder(&folder),
            Found::PrecomputedScale { root, key } => self.precomputed_scale(&root, &key, path),
            Found::Archive { file, inside } => annotation::open_archive(self.opener, &file, &inside),
            Found::Nml { folder, file } => annotation::open_nml(self.opener, &folder, &file),
            Found::AnnotationFolder { folder } => annotation::open_folder(self.opener, &folder),
        }
    }

    /// Opens a folder by its metadata; one that has none of a dataset is what its content makes it.
    fn or_by_listing(
        &self,
        folder: &Path,
        path: &Path,
        by_metadata: impl Fn(&Self, &Path) -> Result<Option<Dataset>, OpenError>,
    ) -> Result<Dataset, OpenError> {
        match by_metadata(self, folder)? {
            Some(dataset) => Ok(dataset),
            None => self.found(detect_by_listing(self.opener, folder)?, path),
        }
    }
}
