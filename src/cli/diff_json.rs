//! The object that `chunkscope diff --json` prints. Names are stable between releases.

use super::json::{BoxJson, VoxelSizeJson};
use crate::compare::{
    DatasetDifference, DifferingVoxel, IdChange, IdPair, IdPairs, LayerDifference, LevelDifference, LevelOutcome, Side, Unreadable,
    Verdict, VoxelDifference,
};
use crate::format::nml::{Change, NmlPart};
use crate::format::{Dataset, LayerCategory};
use crate::voxel::VoxelType;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct DiffJson<'a> {
    verdict: Verdict,
    paths: Sides<String>,
    voxel_sizes: Sides<VoxelSizeJson>,
    voxel_sizes_differ: bool,
    layers_only_in: Sides<&'a [String]>,
    layers: Vec<LayerJson<'a>>,
    /// `null` unless both are annotations.
    annotation: Option<AnnotationJson<'a>>,
}

#[derive(Serialize)]
struct AnnotationJson<'a> {
    counts: Vec<NmlCountJson>,
    /// The first of them.
    differences: Vec<NmlJson<'a>>,
    differences_left_out: u64,
}

#[derive(Serialize)]
struct NmlCountJson {
    part: NmlPart,
    change: Change,
    count: u64,
}

#[derive(Serialize)]
struct NmlJson<'a> {
    part: NmlPart,
    change: Change,
    text: &'a str,
}

/// A value of each side.
#[derive(Serialize)]
struct Sides<T> {
    a: T,
    b: T,
}

impl<T> From<[T; 2]> for Sides<T> {
    fn from([a, b]: [T; 2]) -> Self {
        Self { a, b }
    }
}

#[derive(Serialize)]
struct LayerJson<'a> {
    names: Sides<&'a str>,
    verdict: Verdict,
    categories: Sides<LayerCategory>,
    bounding_boxes: Sides<BoxJson>,
    axes: Vec<AxisJson<'a>>,
    mags_only_in: Sides<Vec<String>>,
    mags: Vec<MagJson>,
}

#[derive(Serialize)]
struct AxisJson<'a> {
    name: &'a str,
    lens: Sides<u64>,
}

#[derive(Serialize)]
struct MagJson {
    mag: String,
    verdict: Verdict,
    /// What was compared, in voxels of the mag.
    extent: BoxJson,
    voxel_types: Sides<Option<String>>,
    fill_values: Sides<Option<String>>,
    /// Why a side can't be opened.
    errors: Sides<Option<String>>,
    /// `null` where voxels weren't compared.
    voxels: Option<VoxelsJson>,
    /// `null` unless both are annotations.
    buckets: Option<BucketsJson>,
}

#[derive(Serialize)]
struct BucketsJson {
    in_both: u64,
    only_in: Sides<u64>,
    differing: u64,
}

#[derive(Serialize)]
struct VoxelsJson {
    compared: u64,
    differing: u64,
    first: Option<FirstJson>,
    bounding_box: Option<BoxJson>,
    /// `null` for segmentations.
    largest_step: Option<f64>,
    /// `null` where values aren't ids.
    ids: Option<IdsJson>,
    unread: u64,
    unreadable: Vec<UnreadableJson>,
}

#[derive(Serialize)]
struct IdsJson {
    gained: u64,
    lost: u64,
    pairs: Vec<PairJson>,
    /// `null` where there are more than can be counted.
    pairs_left_out: Option<u64>,
    voxels_of_pairs_left_out: u64,
    changes: Vec<ChangeJson>,
    changes_left_out: u64,
}

#[derive(Serialize)]
struct FirstJson {
    position: [i64; 3],
    position_mag1: [i64; 3],
    axes: BTreeMap<String, u64>,
    /// One text for each channel, exact.
    values: Sides<Vec<String>>,
}

#[derive(Serialize)]
struct PairJson {
    from: String,
    to: String,
    voxels: u64,
}

#[derive(Serialize)]
struct ChangeJson {
    id: String,
    gained: u64,
    lost: u64,
    changed: u64,
    taken: u64,
}

#[derive(Serialize)]
struct UnreadableJson {
    side: Side,
    error: String,
}

impl<'a> DiffJson<'a> {
    pub fn new(datasets: &[Dataset; 2], found: &'a DatasetDifference) -> Self {
        Self {
            verdict: found.verdict(),
            paths: [0, 1].map(|i| datasets[i].path.display().to_string()).into(),
            voxel_sizes: [0, 1].map(|i| (&found.voxel_sizes[i]).into()).into(),
            voxel_sizes_differ: found.voxel_sizes_differ(),
            layers_only_in: [0, 1].map(|i| &found.only_in[i][..]).into(),
            layers: found.layers.iter().map(layer_json).collect(),
            annotation: found.annotation.as_ref().map(|annotation| AnnotationJson {
                counts: annotation.counts().map(|(part, change, count)| NmlCountJson { part, change, count }).collect(),
                differences: annotation.iter().map(|d| NmlJson { part: d.part, change: d.change, text: &d.text }).collect(),
                differences_left_out: annotation.len().saturating_sub(annotation.iter().count() as u64),
            }),
        }
    }
}

fn layer_json(layer: &LayerDifference) -> LayerJson<'_> {
    LayerJson {
        names: [0, 1].map(|i| layer.names[i].as_str()).into(),
        verdict: layer.verdict(),
        categories: layer.categories.into(),
        bounding_boxes: [0, 1].map(|i| (&layer.bounding_boxes[i]).into()).into(),
        axes: layer.axes.iter().map(|(name, lens)| AxisJson { name, lens: (*lens).into() }).collect(),
        mags_only_in: [0, 1].map(|i| layer.only_in[i].iter().map(ToString::to_string).collect()).into(),
        mags: layer.levels.iter().map(|level| mag_json(level, layer)).collect(),
    }
}

fn mag_json(level: &LevelDifference, layer: &LayerDifference) -> MagJson {
    let (errors, voxels) = match &level.outcome {
        LevelOutcome::Compared(found) => ([None, None], Some(voxels_json(found, level, layer))),
        LevelOutcome::OtherChannels => ([None, None], None),
        LevelOutcome::Unreadable(errors) => ([0, 1].map(|i| errors[i].as_ref().map(ToString::to_string)), None),
    };
    MagJson {
        mag: level.label.to_string(),
        verdict: level.verdict(),
        extent: (&level.extent).into(),
        voxel_types: level.voxel_types.map(|t| t.map(|t| t.to_string())).into(),
        fill_values: level.fill_values.clone().into(),
        errors: errors.into(),
        voxels,
        buckets: level.buckets.map(|b| BucketsJson { in_both: b.in_both, only_in: b.only_in.into(), differing: b.differing }),
    }
}

fn voxels_json(found: &VoxelDifference, level: &LevelDifference, layer: &LayerDifference) -> VoxelsJson {
    VoxelsJson {
        compared: found.compared,
        differing: found.differing,
        first: found.first.as_ref().map(|first| first_json(first, level, layer)),
        bounding_box: (!found.bounding_box.is_empty()).then(|| (&found.bounding_box).into()),
        largest_step: found.pairs.is_none().then_some(found.largest_step),
        ids: found.pairs.as_ref().map(|pairs| ids_json(found, pairs)),
        unread: found.unread,
        unreadable: found.unreadable.iter().map(unreadable_json).collect(),
    }
}

fn ids_json(found: &VoxelDifference, pairs: &IdPairs) -> IdsJson {
    IdsJson {
        gained: found.gained,
        lost: found.lost,
        pairs: pairs.list.iter().map(pair_json).collect(),
        pairs_left_out: pairs.rest_pairs,
        voxels_of_pairs_left_out: pairs.rest_voxels,
        changes: pairs.changes.iter().map(change_json).collect(),
        changes_left_out: pairs.rest_changes,
    }
}

fn first_json(first: &DifferingVoxel, level: &LevelDifference, layer: &LayerDifference) -> FirstJson {
    let values = |t: Option<VoxelType>, bytes: &[u8]| {
        t.map_or_else(Vec::new, |t| bytes.chunks_exact(t.class.byte_len()).map(|channel| t.class.format_value(channel)).collect())
    };
    FirstJson {
        position: first.position.to_array(),
        position_mag1: level.label.mag.mag1_from_mag(first.position).to_array(),
        axes: layer.axes.iter().map(|(name, _)| name.clone()).zip(first.axes.iter().copied()).collect(),
        values: [0, 1].map(|i| values(level.voxel_types[i], &first.values[i])).into(),
    }
}

fn pair_json(pair: &IdPair) -> PairJson {
    PairJson { from: pair.from.to_string(), to: pair.to.to_string(), voxels: pair.voxels }
}

fn change_json(change: &IdChange) -> ChangeJson {
    let IdChange { id, gained, lost, changed, taken } = *change;
    ChangeJson { id: id.to_string(), gained, lost, changed, taken }
}

fn unreadable_json(chunk: &Unreadable) -> UnreadableJson {
    UnreadableJson { side: chunk.side, error: chunk.error.to_string() }
}
