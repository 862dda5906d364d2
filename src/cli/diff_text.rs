//! What `chunkscope diff` prints for people.

use crate::compare::{
    BucketDifference, DatasetDifference, IdPairs, LayerDifference, LevelDifference, LevelOutcome, Side, Verdict, VoxelDifference,
};
use crate::format::nml::{Change, NmlDifferences, NmlPart};
use crate::format::{Dataset, LayerCategory};
use crate::text::count;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

/// Lines of a list; `--json` has more.
const SHOWN: usize = 10;

/// The whole text. Writing to a string can't fail.
pub fn describe(datasets: &[Dataset; 2], found: &DatasetDifference) -> String {
    let mut out = String::new();
    for (side, dataset) in Side::BOTH.into_iter().zip(datasets) {
        let _ = writeln!(out, "{side}  {}", dataset.path.display());
    }
    if found.voxel_sizes_differ() {
        let [a, b] = &found.voxel_sizes;
        row(&mut out, 0, "voxel size", format_args!("{a} in A, {b} in B"));
    }
    for (side, names) in Side::BOTH.into_iter().zip(&found.only_in) {
        for name in names {
            row(&mut out, 0, &format!("only in {side}"), format_args!("layer {name}"));
        }
    }
    for layer in &found.layers {
        describe_layer(&mut out, layer);
    }
    if let Some(annotation) = &found.annotation {
        describe_annotation(&mut out, annotation);
    }
    let verdict = match found.verdict() {
        Verdict::Equal => "equal",
        Verdict::Different => "different",
        Verdict::Trouble => "not all could be compared",
    };
    let _ = writeln!(out, "\n{verdict}");
    out
}

/// A name and a value, indented by steps.
fn row(out: &mut String, steps: usize, name: &str, value: impl Display) {
    /// Names with their indent are shorter, so that values begin below each other.
    const WIDTH: usize = 20;
    let indent = 2 * (steps + 1);
    let _ = writeln!(out, "{:indent$}{name:width$}  {value}", "", width = WIDTH - indent);
}

fn describe_layer(out: &mut String, layer: &LayerDifference) {
    let [a, b] = &layer.names;
    let _ = if a == b { writeln!(out, "\nlayer {a}") } else { writeln!(out, "\nlayer {a} of A, {b} of B") };
    let categories = layer.categories.map(|category| match category {
        LayerCategory::Color => "color",
        LayerCategory::Segmentation => "segmentation",
    });
    told(out, 0, "category", &categories);
    told(out, 0, "bounding box", &layer.bounding_boxes);
    for (name, lens) in &layer.axes {
        told(out, 0, &format!("positions of {name}"), lens);
    }
    for (side, mags) in Side::BOTH.into_iter().zip(&layer.only_in) {
        for mag in mags {
            row(out, 0, &format!("only in {side}"), format_args!("mag {mag}"));
        }
    }
    for level in &layer.levels {
        describe_level(out, level, layer);
    }
}

/// Two values, if they are not the same.
fn told<T: Display + PartialEq>(out: &mut String, steps: usize, name: &str, [a, b]: &[T; 2]) {
    if a != b {
        row(out, steps, name, format_args!("{a} in A, {b} in B"));
    }
}

fn describe_level(out: &mut String, level: &LevelDifference, layer: &LayerDifference) {
    let name = format!("mag {}", level.label);
    match &level.outcome {
        LevelOutcome::Compared(found) => {
            let all = count(found.compared);
            let text = match found.differing {
                0 if found.compared == 0 && found.unread > 0 => "no voxel could be compared".to_owned(),
                0 if found.compared == 0 => "no voxels on either side".to_owned(),
                0 => format!("{all} voxels are equal"),
                n => format!("{} of {all} voxels differ", count(n)),
            };
            row(out, 0, &name, text);
            told_types(out, level);
            if let Some(buckets) = level.buckets.filter(|buckets| !buckets.is_equal()) {
                let BucketDifference { in_both, only_in: [a, b], differing } = buckets;
                let text =
                    format!("{} only in A, {} only in B, {} of {} in both differ", count(a), count(b), count(differing), count(in_both));
                row(out, 1, "buckets", text);
            }
            describe_voxels(out, found, level, layer);
        }
        LevelOutcome::OtherChannels => {
            row(out, 0, &name, "voxels of other numbers of channels aren't compared");
            told_types(out, level);
        }
        LevelOutcome::Unreadable(errors) => {
            for (side, error) in Side::BOTH.into_iter().zip(errors) {
                if let Some(error) = error {
                    row(out, 0, &name, format_args!("can't be read in {side}: {error}"));
                }
            }
        }
    }
}

fn describe_annotation(out: &mut String, found: &NmlDifferences) {
    let _ = writeln!(out, "\nannotation");
    if found.is_empty() {
        row(out, 0, "all else", "is equal");
    }
    let mut counts: BTreeMap<NmlPart, Vec<String>> = BTreeMap::new();
    for (part, change, n) in found.counts() {
        let change = match change {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Changed => "changed",
        };
        counts.entry(part).or_default().push(format!("{} {change}", count(n)));
    }
    for (part, counts) in counts {
        row(out, 0, part_name(part), counts.join(", "));
    }
    for difference in found.iter().take(SHOWN) {
        let _ = writeln!(out, "    {}", difference.text);
    }
    if found.len() > SHOWN as u64 {
        let _ = writeln!(out, "    and {} more", count(found.len() - SHOWN as u64));
    }
}

const fn part_name(part: NmlPart) -> &'static str {
    match part {
        NmlPart::Meta => "about the file",
        NmlPart::Parameter => "parameters",
        NmlPart::BoundingBox => "boxes",
        NmlPart::Tree => "trees",
        NmlPart::Node => "nodes",
        NmlPart::Edge => "edges",
        NmlPart::Branchpoint => "branch points",
        NmlPart::Comment => "comments",
        NmlPart::TreeGroup => "tree groups",
        NmlPart::Volume => "volumes",
        NmlPart::Segment => "segments",
        NmlPart::SegmentGroup => "segment groups",
        NmlPart::Other => "other elements",
    }
}

fn told_types(out: &mut String, level: &LevelDifference) {
    if let [Some(a), Some(b)] = level.voxel_types {
        told(out, 1, "voxel type", &[a, b]);
    }
    if let [Some(a), Some(b)] = &level.fill_values {
        told(out, 1, "fill value", &[a, b]);
    }
}

fn describe_voxels(out: &mut String, found: &VoxelDifference, level: &LevelDifference, layer: &LayerDifference) {
    if let Some(first) = &found.first {
        let axes = layer.axes.iter().zip(&first.axes).map(|((name, _), at)| format!(", {name} = {at}")).collect::<String>();
        let mag1 = level.label.mag.mag1_from_mag(first.position);
        let mag1 = if mag1 == first.position { String::new() } else { format!(" (mag 1: {mag1})") };
        let [a, b] = [0, 1].map(|i| level.voxel_types[i].map_or_else(String::new, |t| t.format_voxel(&first.values[i])));
        row(out, 1, "first", format_args!("{}{mag1}{axes}: {a} → {b}", first.position));
        row(out, 1, "all inside", format_args!("{}", found.bounding_box));
        if found.largest_step > 0.0 {
            row(out, 1, "largest step", found.largest_step);
        }
    }
    if found.gained > 0 || found.lost > 0 {
        row(out, 1, "gained, lost", format_args!("{}, {} voxels", count(found.gained), count(found.lost)));
    }
    if let Some(pairs) = &found.pairs {
        describe_ids(out, pairs);
    }
    if found.unread > 0 {
        row(out, 1, "not compared", format_args!("{} voxels", count(found.unread)));
        for chunk in found.unreadable.iter().take(SHOWN) {
            row(out, 1, &format!("unreadable in {}", chunk.side), &chunk.error);
        }
    }
}

fn describe_ids(out: &mut String, pairs: &IdPairs) {
    let ids: Vec<(String, u64)> = pairs.list.iter().take(SHOWN).map(|pair| (format!("{} → {}", pair.from, pair.to), pair.voxels)).collect();
    let width = ids.iter().map(|(ids, _)| ids.chars().count()).max().unwrap_or(0);
    for (i, (ids, voxels)) in ids.iter().enumerate() {
        row(out, 1, if i == 0 { "ids" } else { "" }, format_args!("{ids:width$}  {}", count(*voxels)));
    }
    let listed = pairs.list.iter().skip(SHOWN);
    let (more, voxels) = listed.fold((0_u64, pairs.rest_voxels), |(n, sum), pair| (n + 1, sum.saturating_add(pair.voxels)));
    match pairs.rest_pairs.map(|rest| rest + more) {
        Some(0) => {}
        Some(rest) => row(out, 1, "", format_args!("and {} pairs more with {} voxels", count(rest), count(voxels))),
        None => row(out, 1, "", format_args!("of a sample of the pairs, others have {} voxels", count(voxels))),
    }
}
