//! [`Comparison`]: two datasets side by side; where they differ is a layer of its own.

use crate::compare::{DatasetDifference, DifferenceSource, LayerDifference, LevelDifference, LevelOutcome, Verdict};
use crate::format::{ChunkSource, Dataset, Layer, LayerCategory, LayerConfiguration, MagLevel, SegmentColor};
use crate::geometry::{BoundingBox, MagLabel, Vec3Int};
use crate::text::count;
use crate::voxel::{ElementClass, VoxelType};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Differing voxels are drawn in this colour; no computed colour of a segment is as bright a red.
const COLOR: [u8; 4] = [255, 45, 45, 255];

/// Differences that are listed at most.
const MAX_PLACES: usize = 5000;

/// Two datasets that are, or were, compared.
#[derive(Debug)]
pub struct Comparison {
    /// The first, which is open.
    pub a: PathBuf,
    /// The second.
    pub b: PathBuf,
    /// How far it is, or what was found.
    pub state: ComparisonState,
}

/// How far a comparison is.
#[derive(Debug)]
pub enum ComparisonState {
    /// It goes on.
    Running {
        /// Since when.
        since: Instant,
        /// Voxels done.
        done: u64,
        /// Voxels to do; 0 while both are still being opened.
        total: u64,
    },
    /// It couldn't be done.
    Failed(String),
    /// What was found.
    Done(Findings),
}

/// What a comparison found, as it is listed.
#[derive(Debug)]
pub struct Findings {
    /// Whether they are equal.
    pub verdict: Verdict,
    /// What was compared, what differs in general: one line each.
    pub facts: Vec<String>,
    /// Where voxels differ.
    pub places: Vec<Place>,
    /// Places that are not in the list.
    pub more_places: u64,
}

/// A part of a level in which voxels differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the layer.
    pub layer: String,
    /// The level.
    pub label: MagLabel,
    /// The first differing voxel in mag 1.
    pub voxel: Vec3Int,
    /// The part in mag-1 voxels.
    pub extent: BoundingBox,
    /// Voxels of the level that differ in it.
    pub voxels: u64,
}

impl Findings {
    /// Lists what a comparison found.
    pub fn new(difference: &DatasetDifference) -> Self {
        let mut facts = Vec::new();
        if difference.voxel_sizes_differ() {
            facts.push(format!("Voxel sizes differ: {} and {}", difference.voxel_sizes[0], difference.voxel_sizes[1]));
        }
        for (names, side) in difference.only_in.iter().zip(["first", "second"]) {
            facts.extend(names.iter().map(|name| format!("Layer {name} is only in the {side}")));
        }
        let mut places = Vec::new();
        let mut more_places = 0;
        for layer in &difference.layers {
            let name = &layer.names[0];
            for (labels, side) in layer.only_in.iter().zip(["first", "second"]) {
                facts.extend(labels.iter().map(|label| format!("{name}: mag {label} is only in the {side}")));
            }
            for level in &layer.levels {
                facts.push(format!("{name}, mag {}: {}", level.label, level_fact(level)));
                if let LevelOutcome::Compared(found) = &level.outcome {
                    let room = MAX_PLACES.saturating_sub(places.len());
                    more_places += found.regions.len().saturating_sub(room) as u64;
                    places.extend(found.regions.iter().take(room).map(|region| Place {
                        layer: name.clone(),
                        label: level.label,
                        voxel: level.label.mag.mag1_from_mag(region.first),
                        extent: level.label.mag.box_in_mag1(&region.extent),
                        voxels: region.voxels,
                    }));
                }
            }
        }
        let of_annotations = difference.annotation.iter().flat_map(|annotation| annotation.iter());
        facts.extend(of_annotations.map(|difference| difference.text.clone()));
        Self { verdict: difference.verdict(), facts, places, more_places }
    }
}

fn level_fact(level: &LevelDifference) -> String {
    match &level.outcome {
        LevelOutcome::OtherChannels => "another number of channels, not compared".to_owned(),
        LevelOutcome::Unreadable(errors) => {
            let reasons: Vec<String> = errors.iter().flatten().map(ToString::to_string).collect();
            format!("can't be read: {}", reasons.join("; "))
        }
        LevelOutcome::Compared(found) => {
            let mut text = match found.differing {
                0 => format!("{} voxels are equal", count(found.compared)),
                differing => format!("{} of {} voxels differ, in {}", count(differing), count(found.compared), found.bounding_box),
            };
            if found.unread > 0 {
                text += &format!(", {} can't be read", count(found.unread));
            }
            if let [Some(a), Some(b)] = level.voxel_types
                && a != b
            {
                text += &format!(", {a} and {b}");
            }
            text
        }
    }
}

/// The first dataset with a layer of differences above each layer that has some, and the indices of those.
pub fn with_differences(a: &Dataset, b: &Dataset, difference: &DatasetDifference) -> (Dataset, Vec<usize>) {
    let mut shown = Dataset { focus: None, annotation: None, ..a.clone() };
    let mut added = Vec::new();
    for found in &difference.layers {
        let Some([first, second]) = a.layer(&found.names[0]).zip(b.layer(&found.names[1])).map(<[&Layer; 2]>::from) else { continue };
        let levels: Vec<MagLevel> = found.levels.iter().filter_map(|level| difference_level(level, [first, second])).collect();
        if !levels.is_empty() {
            added.push(shown.layers.len());
            shown.layers.push(difference_layer(found, first, levels));
        }
    }
    (shown, added)
}

fn difference_level(level: &LevelDifference, layers: [&Layer; 2]) -> Option<MagLevel> {
    let has_differences = matches!(&level.outcome, LevelOutcome::Compared(found) if found.differing > 0);
    let [a, b] = layers.map(|layer| layer.level(level.label));
    let (a, b) = (a.filter(|_| has_differences)?, b?);
    let source = DifferenceSource::new(a.source.as_ref().ok()?.clone(), b.source.as_ref().ok()?.clone(), level.extent)?;
    let source: Arc<dyn ChunkSource> = Arc::new(source);
    Some(MagLevel { mag: level.label.mag, copy: level.label.copy, path: a.path.clone(), source: Ok(source) })
}

fn difference_layer(found: &LayerDifference, first: &Layer, levels: Vec<MagLevel>) -> Layer {
    let [a, b] = &found.bounding_boxes;
    Layer {
        name: format!("{} (differences)", found.names[0]),
        category: LayerCategory::Segmentation,
        format: first.format,
        voxel_type: Some(VoxelType::single(ElementClass::Uint8)),
        bounding_box: a.union(b),
        has_declared_box: true,
        largest_segment_id: Some(1),
        levels,
        axes: first.axes.clone(),
        segment_colors: Arc::from([SegmentColor { id: 1, rgba: COLOR }]),
        configuration: LayerConfiguration { alpha: Some(0.8), ..LayerConfiguration::default() },
    }
}
