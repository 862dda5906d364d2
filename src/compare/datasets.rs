//! [`compare_datasets`]: which layers and mags belong together, and what differs between them.

use super::buckets::{FoundInBuckets, compare_buckets, with_painted};
use super::difference::{BucketDifference, VoxelDifference};
use super::pairing::{LayerPair, Pairing};
use super::tally::voxel_count;
use super::walk::{PIECE_BYTES, new_tally, walk};
use super::{CompareError, CompareOptions, Watch};
use crate::format::annotation::{BucketStore, VolumeFile};
use crate::format::nml::{self, NmlDifferences};
use crate::format::{ChunkSource, ExtraAxis, Layer, LayerCategory, LevelError, MagLevel};
use crate::geometry::{BoundingBox, Mag, MagLabel, VoxelSize};
use crate::voxel::VoxelType;
use std::sync::{Arc, Mutex, PoisonError};

/// How two things compare, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing differs.
    Equal,
    /// Something differs.
    Different,
    /// Something can't be read, so that the rest of the answer is incomplete.
    Trouble,
}

/// What differs between two datasets.
#[derive(Debug)]
pub struct DatasetDifference {
    /// Sizes of a mag-1 voxel.
    pub voxel_sizes: [VoxelSize; 2],
    /// Layers that only one side has.
    pub only_in: [Vec<String>; 2],
    /// Layers that both have, in the order of A.
    pub layers: Vec<LayerDifference>,
    /// What else differs between two annotations: skeletons, segments, boxes. `None` unless both are annotations and all
    /// of them is compared.
    pub annotation: Option<NmlDifferences>,
}

/// What differs between two layers.
#[derive(Debug)]
pub struct LayerDifference {
    /// Their names; other ones only where each side has a single layer.
    pub names: [String; 2],
    /// Categories. Formats without them leave them to be guessed, so that they are told and are no difference.
    pub categories: [LayerCategory; 2],
    /// Extents in mag-1 voxels. Told only: voxels outside count as what is read there.
    pub bounding_boxes: [BoundingBox; 2],
    /// Axes beyond x, y, z and channel, in the order of A, then those that only B has; 1 position where a side lacks it.
    pub axes: Vec<(String, [u64; 2])>,
    /// Mags that only one side has.
    pub only_in: [Vec<MagLabel>; 2],
    /// Mags that both have, finest first.
    pub levels: Vec<LevelDifference>,
}

/// What differs between two mags.
#[derive(Debug)]
pub struct LevelDifference {
    /// The mag of both.
    pub label: MagLabel,
    /// What was compared, in voxels of the mag: the box around both layers, and around what annotations hold beyond them.
    pub extent: BoundingBox,
    /// Types of the voxels, of sides that could be opened.
    pub voxel_types: [Option<VoxelType>; 2],
    /// The voxel where nothing is stored, as text. Told only: it counts where it is read.
    pub fill_values: [Option<String>; 2],
    /// What was found.
    pub outcome: LevelOutcome,
    /// Which buckets there are, where both are annotations.
    pub buckets: Option<BucketDifference>,
}

/// What came of comparing two mags.
#[derive(Debug)]
pub enum LevelOutcome {
    /// The voxels were compared.
    Compared(Box<VoxelDifference>),
    /// Voxels of other numbers of channels, which are not compared.
    OtherChannels,
    /// A side that can't be opened, with the reason.
    Unreadable([Option<Arc<LevelError>>; 2]),
}

impl DatasetDifference {
    /// Whether both sizes of a voxel are known and differ.
    pub fn voxel_sizes_differ(&self) -> bool {
        let [a, b] = &self.voxel_sizes;
        let (Some(unit_a), Some(unit_b)) = (a.unit, b.unit) else { return false };
        // More than the noise of converting units, and of writers that keep sizes in single precision.
        let is_near = |(a, b): (f64, f64)| (a * unit_a.meters() / (b * unit_b.meters()) - 1.0).abs() < 1e-6;
        !a.factors().into_iter().zip(b.factors()).all(is_near)
    }

    /// The worst that was found.
    pub fn verdict(&self) -> Verdict {
        let differs = self.voxel_sizes_differ()
            || self.only_in.iter().any(|names| !names.is_empty())
            || self.annotation.as_ref().is_some_and(|annotation| !annotation.is_empty());
        let own = if differs { Verdict::Different } else { Verdict::Equal };
        self.layers.iter().map(LayerDifference::verdict).fold(own, Verdict::max)
    }
}

impl LayerDifference {
    /// The worst that was found.
    pub fn verdict(&self) -> Verdict {
        let differs = self.only_in.iter().any(|mags| !mags.is_empty()) || self.axes.iter().any(|(_, lens)| lens[0] != lens[1]);
        let own = if differs { Verdict::Different } else { Verdict::Equal };
        self.levels.iter().map(LevelDifference::verdict).fold(own, Verdict::max)
    }
}

impl LevelDifference {
    /// What was found. Other types are a difference even where all values are equal.
    pub fn verdict(&self) -> Verdict {
        match &self.outcome {
            LevelOutcome::Unreadable(_) => Verdict::Trouble,
            LevelOutcome::Compared(found) if found.unread > 0 => Verdict::Trouble,
            LevelOutcome::Compared(found) => {
                let same_buckets = self.buckets.is_none_or(|buckets| buckets.is_equal());
                let is_equal = found.is_equal() && same_buckets && self.voxel_types[0] == self.voxel_types[1];
                if is_equal { Verdict::Equal } else { Verdict::Different }
            }
            LevelOutcome::OtherChannels => Verdict::Different,
        }
    }
}

/// Compares what belongs together. Progress is that of all levels.
///
/// # Errors
/// If it was cancelled. What can't be read or compared is part of the answer.
pub fn compare_datasets(pairing: &Pairing<'_>, options: CompareOptions, watch: Watch<'_>) -> Result<DatasetDifference, CompareError> {
    let plans: Vec<LayerPlan<'_>> = pairing.pairs.iter().map(|pair| LayerPlan::new(pair, watch)).collect::<Result<_, _>>()?;
    let total = plans.iter().map(LayerPlan::total).fold(0, u64::saturating_add);
    let mut before = 0_u64;
    let mut layers = Vec::with_capacity(plans.len());
    for plan in plans {
        let done = before;
        let progress = |done_here: u64, _: u64| (watch.progress)(done.saturating_add(done_here).min(total), total);
        before = before.saturating_add(plan.total());
        layers.push(plan.compare(options, Watch { progress: &progress, cancel: watch.cancel })?);
    }
    Ok(DatasetDifference {
        voxel_sizes: pairing.datasets.map(|dataset| dataset.voxel_size),
        only_in: pairing.only_in.clone(),
        layers,
        annotation: pairing.annotations.map(|[a, b]| nml::compare(&a.nml, &b.nml)),
    })
}

/// What is to be compared of two layers.
struct LayerPlan<'a> {
    pair: &'a LayerPair<'a>,
    axes: Vec<(String, [u64; 2])>,
    /// For each level.
    extents: Vec<BoundingBox>,
}

impl<'a> LayerPlan<'a> {
    fn new(pair: &'a LayerPair<'a>, watch: Watch<'_>) -> Result<Self, CompareError> {
        let extent = |label: MagLabel| {
            let extent = extent(pair.layers, label.mag);
            if buckets_of(pair, label).is_some() {
                return Ok(extent); // all buckets are compared, wherever they are
            }
            let stores = pair.volumes.into_iter().flatten().filter_map(|volume| buckets_at(volume, label));
            stores.into_iter().try_fold(extent, |extent, store| with_painted(&extent, store, watch))
        };
        let extents = pair.levels.iter().map(|levels| extent(levels[0].label())).collect::<Result<_, _>>()?;
        Ok(Self { pair, axes: common_axes(pair.layers), extents })
    }

    /// Positions along further axes that both sides have.
    fn positions(&self) -> impl Iterator<Item = Vec<u64>> + use<> {
        let lens: Vec<u64> = self.axes.iter().map(|(_, lens)| lens[0].min(lens[1])).collect();
        (0..self.position_count()).map(move |mut n| {
            // The first axis is the slowest.
            let mut positions: Vec<u64> = lens
                .iter()
                .rev()
                .map(|len| {
                    let at = n % len;
                    n /= len;
                    at
                })
                .collect();
            positions.reverse();
            positions
        })
    }

    fn position_count(&self) -> u64 {
        self.axes.iter().fold(1, |all, (_, lens)| all.saturating_mul(lens[0].min(lens[1])))
    }

    fn total(&self) -> u64 {
        let positions = self.position_count();
        self.extents.iter().map(|extent| voxel_count(extent).saturating_mul(positions)).fold(0, u64::saturating_add)
    }

    fn compare(self, options: CompareOptions, watch: Watch<'_>) -> Result<LayerDifference, CompareError> {
        let layers = self.pair.layers;
        let is_segmentation = layers.iter().any(|layer| layer.category == LayerCategory::Segmentation);
        let options = CompareOptions { is_segmentation, ..options };
        let mut before = 0_u64;
        let mut levels = Vec::with_capacity(self.extents.len());
        for (pair, extent) in self.pair.levels.iter().zip(&self.extents) {
            let done = before;
            let progress = |done_here: u64, _: u64| (watch.progress)(done.saturating_add(done_here), 0);
            let watch = Watch { progress: &progress, cancel: watch.cancel };
            let label = pair[0].label();
            let mut voxel_types = pair.map(|level| level.source.as_ref().ok().map(|source| source.voxel_type()));
            let (outcome, buckets, extent_compared) = match buckets_of(self.pair, label) {
                Some(stores) => {
                    voxel_types = stores.map(|store| Some(VoxelType::single(store.class())));
                    let FoundInBuckets { buckets, voxels, extent } = compare_buckets(stores, self.pair.hides, options, watch)?;
                    (LevelOutcome::Compared(Box::new(voxels)), Some(buckets), extent)
                }
                None => (self.compare_level(pair, extent, options, watch)?, None, *extent),
            };
            levels.push(LevelDifference {
                label,
                extent: extent_compared,
                voxel_types,
                fill_values: pair
                    .map(|level| level.source.as_ref().ok().map(|source| source.voxel_type().format_voxel(source.fill_voxel()))),
                outcome,
                buckets,
            });
            before = before.saturating_add(voxel_count(extent).saturating_mul(self.position_count()));
        }
        Ok(LayerDifference {
            names: layers.map(|layer| layer.name.clone()),
            categories: layers.map(|layer| layer.category),
            bounding_boxes: layers.map(|layer| layer.bounding_box),
            only_in: self.pair.only_in.clone(),
            axes: self.axes,
            levels,
        })
    }

    fn compare_level(
        &self,
        pair: &[&MagLevel; 2],
        extent: &BoundingBox,
        options: CompareOptions,
        watch: Watch<'_>,
    ) -> Result<LevelOutcome, CompareError> {
        let (Ok(a), Ok(b)) = (&pair[0].source, &pair[1].source) else {
            return Ok(LevelOutcome::Unreadable(pair.map(|level| level.source.as_ref().err().cloned())));
        };
        let tally = match new_tally([a.as_ref(), b.as_ref()], options) {
            Ok(tally) => Mutex::new(tally),
            Err(CompareError::Channels(_)) => return Ok(LevelOutcome::OtherChannels),
            Err(other) => return Err(other),
        };
        let layers = self.pair.layers;
        let mut done = 0_u64;
        for positions in self.positions() {
            let at = |source: &Arc<dyn ChunkSource>, layer: &Layer| at_axes(source, layer, &self.axes, &positions);
            let (Some(a), Some(b)) = (at(a, layers[0]), at(b, layers[1])) else { return Err(CompareError::Positions(positions)) };
            let before = done;
            let progress = |done_here: u64, total: u64| (watch.progress)(before.saturating_add(done_here), total);
            walk([a.as_ref(), b.as_ref()], extent, &positions, PIECE_BYTES, &tally, Watch { progress: &progress, cancel: watch.cancel })?;
            done = done.saturating_add(voxel_count(extent));
        }
        let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(LevelOutcome::Compared(Box::new(tally.finish(extent))))
    }
}

/// The buckets of a mag of two volumes with the same further axes.
fn buckets_of<'a>(pair: &LayerPair<'a>, label: MagLabel) -> Option<[&'a dyn BucketStore; 2]> {
    let [Some(a), Some(b)] = pair.volumes else { return None };
    if a.axes == b.axes { Some([buckets_at(a, label)?, buckets_at(b, label)?]) } else { None }
}

/// The buckets of a mag of a volume.
fn buckets_at(volume: &VolumeFile, label: MagLabel) -> Option<&dyn BucketStore> {
    let found = volume.levels.iter().find(|(mag, _)| label.copy == 1 && *mag == label.mag);
    found.map(|(_, store)| store.as_ref())
}

/// The box around both layers in voxels of a mag.
fn extent(layers: [&Layer; 2], mag: Mag) -> BoundingBox {
    mag.box_in_mag(&layers[0].bounding_box).union(&mag.box_in_mag(&layers[1].bounding_box))
}

/// Further axes of both layers by name.
fn common_axes(layers: [&Layer; 2]) -> Vec<(String, [u64; 2])> {
    let len = |axes: &[ExtraAxis], name: &str| axes.iter().find(|axis| axis.name == name).map(|axis| axis.len);
    let mut names: Vec<&str> = layers.iter().flat_map(|layer| &layer.axes).map(|axis| axis.name.as_str()).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    names.into_iter().map(|name| (name.to_owned(), layers.map(|layer| len(&layer.axes, name).unwrap_or(1)))).collect()
}

/// A source at positions along the common axes, each side in the order of its own.
fn at_axes(source: &Arc<dyn ChunkSource>, layer: &Layer, axes: &[(String, [u64; 2])], positions: &[u64]) -> Option<Arc<dyn ChunkSource>> {
    if layer.axes.is_empty() {
        return Some(source.clone());
    }
    let position = |axis: &ExtraAxis| axes.iter().zip(positions).find(|((name, _), _)| *name == axis.name).map_or(0, |(_, at)| *at);
    source.at_axes(&layer.axes.iter().map(position).collect::<Vec<_>>())
}
