//! Opening annotations: the file, and the dataset that it belongs to.

use super::recovery::{About, put_back};
use crate::annotation::{Annotation, AnnotationError, new_volume};
use crate::app::tasks::OpenPath;
use crate::app::unix_secs;
use crate::format::annotation::layer_left_out;
use crate::format::nml::{Experiment, NewNml, Nml};
use crate::format::{Dataset, OpenError};
use crate::geometry::Vec3Int;
use crate::problem::{Problems, Severity};
use crate::scene::{SkeletonIndex, ViewState};
use crate::state::{ExportKind, first_view, with_volumes};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the dataset of an annotation is looked for.
#[derive(Clone, Debug, Default)]
pub struct KnownDatasets {
    /// The one that is open.
    pub open: Option<Arc<Dataset>>,
    /// Those opened before.
    pub recent: Vec<PathBuf>,
    /// Chosen by a person: nothing else is looked at.
    pub chosen: Option<PathBuf>,
}

/// What was opened.
pub struct Opened {
    /// The dataset, with the volumes of an annotation above its layers.
    pub dataset: Dataset,
    /// Where to look first.
    pub view: ViewState,
    /// The annotation, if it is one.
    pub annotation: Option<OpenedAnnotation>,
}

/// An annotation over its dataset.
pub struct OpenedAnnotation {
    /// What is edited.
    pub annotation: Annotation,
    /// Where its nodes and edges lie.
    pub skeleton: Arc<SkeletonIndex>,
    /// Indices of its volumes' layers in the dataset.
    pub layers: Vec<usize>,
    /// The dataset without the annotation's layers, if it was found.
    pub below: Option<Arc<Dataset>>,
    /// The file; `None` for a new one.
    pub file: Option<PathBuf>,
    /// The file's format.
    pub kind: ExportKind,
    /// Not all of the file could be read: it must not be replaced without a word.
    pub is_damaged: bool,
    /// Whether all edits that were saved aside could be put back.
    pub is_recovered_whole: bool,
    /// The dataset that it names and that wasn't found.
    pub missing_dataset: Option<String>,
    /// Why the dataset that somebody chose can't be used.
    pub unusable_choice: Option<String>,
}

/// What becomes of a dataset that was opened: an annotation is shown over the dataset that it names.
pub fn finish(path: &Path, dataset: Dataset, known: &KnownDatasets, open_path: &OpenPath) -> Opened {
    let Some(file) = dataset.annotation.clone() else {
        let view = first_view(&dataset);
        return Opened { dataset, view, annotation: None };
    };
    let wanted = file.nml.experiment.name.clone();
    let (below, unusable_choice) = match &known.chosen {
        Some(chosen) => open_dataset(chosen, open_path).map_or_else(|reason| (None, Some(reason)), |below| (Some(below), None)),
        None => (find_dataset(path, &wanted, known, open_path), None),
    };
    let mut problems = dataset.problems.clone();
    let annotation = match Annotation::open(&file, below.as_deref(), &mut problems) {
        Ok(annotation) => annotation,
        Err(err) => {
            // It can be looked at all the same.
            let mut dataset = dataset;
            dataset.problems.error(path.display(), format!("The annotation can't be edited: {err}"));
            let view = first_view(&dataset);
            return Opened { dataset, view, annotation: None };
        }
    };
    for volume in annotation.volumes.iter().filter(|volume| !volume.lacks_fallback()) {
        if let Some(fallback) = &volume.fallback_layer {
            problems.remove(&layer_left_out(&volume.name, fallback)); // it is shown here
        }
    }
    let missing_dataset = (below.is_none() && !wanted.is_empty()).then_some(wanted);
    let (mut merged, layers) = with_volumes(below.as_deref(), &annotation, Some(path), problems);
    if below.is_none() {
        merged.header = dataset.header;
    }
    let mut view = first_view(&merged);
    if let Some(position) = file.nml.edit_position {
        view.set_voxel(position);
    }
    if let Some(zoom) = file.nml.zoom.filter(|zoom| *zoom > 0.0) {
        view.set_zoom(zoom);
    }
    let is_damaged = merged.problems.iter().any(|problem| problem.severity == Severity::Error);
    let skeleton = Arc::new(SkeletonIndex::new(&annotation.nml));
    let annotation = OpenedAnnotation {
        annotation,
        skeleton,
        layers,
        below,
        file: Some(path.to_owned()),
        kind: ExportKind::of_file(&file),
        is_damaged,
        is_recovered_whole: true,
        missing_dataset,
        unusable_choice,
    };
    Opened { dataset: merged, view, annotation: Some(annotation) }
}

/// Where and when an annotation begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// The mag-1 voxel where its view begins.
    pub at: Vec3Int,
    /// Milliseconds since 1970.
    pub time_unix_ms: u64,
}

impl Beginning {
    /// Now.
    pub fn now(at: Vec3Int) -> Self {
        Self { at, time_unix_ms: 1000 * unix_secs() }
    }
}

/// A new annotation on a dataset, over one of its layers or empty.
///
/// # Errors
/// If the voxels of the layer are no ids.
pub fn start_new(below: Arc<Dataset>, fallback: Option<usize>, beginning: Beginning) -> Result<Opened, AnnotationError> {
    let Beginning { at, time_unix_ms } = beginning;
    let fallback = fallback.and_then(|index| below.layers.get(index));
    let name = fallback.map_or("Volume", |layer| layer.name.as_str());
    let nml = Nml::new(NewNml {
        experiment: Experiment { name: below.name.clone(), ..Experiment::default() },
        voxel_size: Some(below.voxel_size),
        edit_position: at,
        zoom: None,
        additional_axes: fallback.map(|layer| layer.axes.clone()).unwrap_or_default(),
        time_unix_ms,
    });
    let volumes = vec![new_volume(name, &below, fallback)?];
    let annotation = Annotation { name: format!("{}_annotation", below.name), nml: Arc::new(nml), volumes, attachments: Vec::new() };
    let (dataset, layers) = with_volumes(Some(&below), &annotation, None, Problems::default());
    let view = ViewState::new(at, 1.0);
    let annotation = OpenedAnnotation {
        annotation,
        skeleton: Arc::default(),
        layers,
        below: Some(below),
        file: None,
        kind: ExportKind::default(),
        is_damaged: false,
        is_recovered_whole: true,
        missing_dataset: None,
        unusable_choice: None,
    };
    Ok(Opened { dataset, view, annotation: Some(annotation) })
}

/// The dataset of this name: the open one, one beside the annotation, or one opened before.
fn find_dataset(annotation: &Path, name: &str, known: &KnownDatasets, open_path: &OpenPath) -> Option<Arc<Dataset>> {
    if name.is_empty() {
        return None;
    }
    if let Some(open) = known.open.as_ref().filter(|open| open.annotation.is_none() && open.name == name) {
        return Some(open.clone());
    }
    // A name is one part of a path; a file may claim anything.
    let part = Path::new(name).file_name().filter(|part| *part == name)?;
    let beside = annotation.ancestors().skip(1).take(3).flat_map(|folder| {
        let is_itself = folder.file_name() == Some(part);
        [is_itself.then(|| folder.to_owned()), Some(folder.join(part))]
    });
    let recent = known.recent.iter().filter(|path| path.file_name() == Some(part)).cloned();
    beside
        .flatten()
        .chain(recent)
        .find_map(|path| open_dataset(&path, open_path).inspect_err(|reason| log::debug!("no dataset for the annotation: {reason}")).ok())
}

/// A dataset below an annotation, or why it can't be that.
fn open_dataset(path: &Path, open_path: &OpenPath) -> Result<Arc<Dataset>, String> {
    match open_path(path) {
        Ok(dataset) if dataset.annotation.is_none() => Ok(Arc::new(dataset)),
        Ok(_) => Err(format!("not a dataset but an annotation: {}", path.display())),
        Err(err) => Err(err.to_string()),
    }
}

/// Why edits can't be put back.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// What they belong to can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Nor made anew.
    #[error(transparent)]
    Annotation(#[from] AnnotationError),
    /// Nothing says what that is.
    #[error("the saved edits name neither an annotation nor a dataset that they belong to")]
    Unnamed,
}

/// Opens what an ended program edited, and puts the edits in that it saved aside.
///
/// # Errors
/// If what they belong to can't be opened. Edits that can't be put back are problems.
pub fn recover(about: &About, edits: &Path, open_path: &OpenPath) -> Result<Opened, RecoverError> {
    let known = KnownDatasets { chosen: about.dataset.clone(), ..KnownDatasets::default() };
    let mut opened = match (&about.file, &about.dataset) {
        (Some(file), _) => finish(file, open_path(file)?, &known, open_path),
        (None, Some(dataset)) => {
            let below = Arc::new(open_path(dataset)?);
            let fallback = below.layers.iter().position(|layer| Some(&layer.name) == about.fallback.as_ref());
            // Journals of older versions don't say where.
            let beginning = Beginning::now(about.position.map_or_else(|| first_view(&below).voxel(), Vec3Int::from));
            start_new(below, fallback, Beginning { time_unix_ms: about.made_unix_ms.unwrap_or(beginning.time_unix_ms), ..beginning })?
        }
        (None, None) => return Err(RecoverError::Unnamed),
    };
    if let Some(annotation) = &mut opened.annotation {
        for lost in put_back(edits, &mut annotation.annotation) {
            annotation.is_recovered_whole = false;
            opened.dataset.problems.error(edits.display(), format!("Some of the saved edits can't be put back: {lost}"));
        }
    }
    Ok(opened)
}
