//! [`Pairing`]: which layers and mags of two datasets belong together.

use crate::format::annotation::{AnnotationFile, VolumeFile};
use crate::format::{Dataset, Layer, MagLevel};
use crate::geometry::MagLabel;

/// What is compared of two datasets.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// This layer of both; all if `None`.
    pub layer: Option<String>,
    /// This mag of each layer; all if `None`.
    pub mag: Option<MagLabel>,
}

/// A selection of what isn't there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// No layer of this name.
    #[error("no layer {name:?}, there are: {}: {location}", .there.join(", "))]
    Layer {
        /// What was asked for.
        name: String,
        /// The layers that there are.
        there: Vec<String>,
        /// The dataset.
        location: String,
    },
    /// No such mag.
    #[error("layer {layer} has no mag {mag}, there are: {}: {location}", .there.join(", "))]
    Mag {
        /// The layer.
        layer: String,
        /// What was asked for.
        mag: MagLabel,
        /// The mags that there are.
        there: Vec<String>,
        /// The dataset.
        location: String,
    },
    /// A dataset without layers.
    #[error("no layer that could be compared: {location}")]
    Empty {
        /// The dataset.
        location: String,
    },
}

/// Layers that belong together.
pub(super) struct LayerPair<'a> {
    pub layers: [&'a Layer; 2],
    pub levels: Vec<[&'a MagLevel; 2]>,
    pub only_in: [Vec<MagLabel>; 2],
    /// The layers as volumes, where they are such.
    pub volumes: [Option<&'a VolumeFile>; 2],
    /// Whether a volume lies over a fallback layer, so that a bucket of zeros hides something.
    pub hides: bool,
}

/// Two datasets and what of them is compared with what.
pub struct Pairing<'a> {
    pub(super) datasets: [&'a Dataset; 2],
    pub(super) pairs: Vec<LayerPair<'a>>,
    pub(super) only_in: [Vec<String>; 2],
    /// Annotations that are compared beside their volumes.
    pub(super) annotations: Option<[&'a AnnotationFile; 2]>,
}

impl<'a> Pairing<'a> {
    /// Pairs layers by name, or the only layer of each whatever their names, and mags by their factors.
    ///
    /// # Errors
    /// If the selected layer or mag isn't there on both sides, or a side has no layers.
    pub fn new(a: &'a Dataset, b: &'a Dataset, selection: &Selection) -> Result<Self, SelectionError> {
        let datasets = [a, b];
        let location = |dataset: &Dataset| dataset.path.display().to_string();
        // An annotation may have nothing but a skeleton.
        if let Some(empty) = datasets.iter().find(|dataset| dataset.layers.is_empty() && dataset.annotation.is_none()) {
            return Err(SelectionError::Empty { location: location(empty) });
        }
        let mut only_in = [Vec::new(), Vec::new()];
        let paired: Vec<[&Layer; 2]> = match (&selection.layer, &a.layers[..], &b.layers[..]) {
            (Some(name), ..) => {
                let find = |dataset: &'a Dataset| {
                    dataset.layer(name).ok_or_else(|| SelectionError::Layer {
                        name: name.clone(),
                        there: dataset.layers.iter().map(|layer| layer.name.clone()).collect(),
                        location: location(dataset),
                    })
                };
                vec![[find(a)?, find(b)?]]
            }
            (None, [only_a], [only_b]) => vec![[only_a, only_b]],
            (None, ..) => {
                let lacking = |dataset: &Dataset, other: &Dataset| {
                    let names = dataset.layers.iter().map(|layer| &layer.name);
                    names.filter(|name| other.layer(name).is_none()).cloned().collect::<Vec<_>>()
                };
                only_in = [lacking(a, b), lacking(b, a)];
                a.layers.iter().filter_map(|layer| Some([layer, b.layer(&layer.name)?])).collect()
            }
        };
        let pairs = paired.into_iter().map(|layers| pair_levels(layers, selection.mag, datasets)).collect::<Result<_, _>>()?;
        let is_all = selection.layer.is_none() && selection.mag.is_none();
        let annotations = a.annotation.as_deref().zip(b.annotation.as_deref()).filter(|_| is_all).map(|(a, b)| [a, b]);
        Ok(Self { datasets, pairs, only_in, annotations })
    }
}

fn pair_levels<'a>(layers: [&'a Layer; 2], mag: Option<MagLabel>, datasets: [&'a Dataset; 2]) -> Result<LayerPair<'a>, SelectionError> {
    let volumes = [volume(datasets[0], layers[0]), volume(datasets[1], layers[1])];
    let hides = datasets.iter().zip(layers).any(|(dataset, layer)| has_fallback(dataset, layer));
    if let Some(mag) = mag {
        let find = |i: usize| {
            layers[i].level(mag).ok_or_else(|| SelectionError::Mag {
                layer: layers[i].name.clone(),
                mag,
                there: layers[i].levels.iter().map(|level| level.label().to_string()).collect(),
                location: datasets[i].path.display().to_string(),
            })
        };
        return Ok(LayerPair { layers, levels: vec![[find(0)?, find(1)?]], only_in: [Vec::new(), Vec::new()], volumes, hides });
    }
    // Between annotations a mag that has a header only means the same as none: no edits.
    let is_empty = |side: usize, label: &MagLabel| {
        let volume = volumes[side].filter(|_| volumes[1 - side].is_some());
        volume
            .into_iter()
            .flat_map(|volume| &volume.levels)
            .filter(|(mag, _)| *mag == label.mag)
            .any(|(_, store)| store.addresses().is_empty())
    };
    let lacking = |side: usize| {
        let labels = layers[side].levels.iter().map(MagLevel::label);
        labels.filter(|label| layers[1 - side].level(*label).is_none() && !is_empty(side, label)).collect::<Vec<_>>()
    };
    let only_in = [lacking(0), lacking(1)];
    let levels = layers[0].levels.iter().filter_map(|level| Some([level, layers[1].level(level.label())?])).collect();
    Ok(LayerPair { layers, levels, only_in, volumes, hides })
}

/// Whether a layer is a volume over a fallback layer.
fn has_fallback(dataset: &Dataset, layer: &Layer) -> bool {
    let told = |annotation: &AnnotationFile, at: usize| annotation.nml.volumes.get(at).is_some_and(|told| told.fallback_layer.is_some());
    let annotation = dataset.annotation.as_deref();
    annotation.zip(volume(dataset, layer)).is_some_and(|(annotation, volume)| volume.nml_volume.is_some_and(|at| told(annotation, at)))
}

/// The volume of an annotation that a layer shows.
fn volume<'a>(dataset: &'a Dataset, layer: &Layer) -> Option<&'a VolumeFile> {
    dataset.annotation.as_deref()?.volumes.iter().find(|volume| volume.layer == layer.name)
}
