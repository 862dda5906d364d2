//! What `chunkscope info` says of an annotation besides its layers.

use super::json::BoxJson;
use super::one_line;
use crate::format::annotation::{AnnotationFile, VolumeFile};
use crate::format::nml::{Nml, VolumeFormat};
use crate::text::count;
use serde::Serialize;
use std::fmt::Write as _;

/// The object `annotation` of `--json`. Ids are decimal strings.
#[derive(Serialize)]
pub(super) struct AnnotationJson<'a> {
    name: &'a str,
    dataset_name: &'a str,
    organization: &'a str,
    dataset_id: &'a str,
    description: &'a str,
    trees: usize,
    nodes: usize,
    edges: usize,
    branchpoints: usize,
    comments: usize,
    user_bounding_boxes: Vec<UserBoxJson<'a>>,
    task_bounding_box: Option<BoxJson>,
    volumes: Vec<VolumeJson<'a>>,
}

#[derive(Serialize)]
struct UserBoxJson<'a> {
    id: String,
    name: &'a str,
    #[serde(flatten)]
    extent: BoxJson,
}

#[derive(Serialize)]
struct VolumeJson<'a> {
    layer: &'a str,
    location: Option<&'a str>,
    format: Option<&'static str>,
    element_class: Option<&'static str>,
    fallback_layer: Option<&'a str>,
    mapping_name: Option<&'a str>,
    largest_segment_id: Option<String>,
    listed_segments: usize,
    axes: &'a [String],
    mags: Vec<MagJson>,
}

#[derive(Serialize)]
struct MagJson {
    mag: String,
    buckets: usize,
}

const fn format_name(format: VolumeFormat) -> &'static str {
    match format {
        VolumeFormat::Wkw => "wkw",
        VolumeFormat::Zarr3 => "zarr3",
    }
}

fn node_count(nml: &Nml) -> usize {
    nml.trees.iter().map(|tree| tree.nodes.len()).sum()
}

impl<'a> AnnotationJson<'a> {
    pub fn new(annotation: &'a AnnotationFile) -> Self {
        let nml = &annotation.nml;
        let user_box = |user: &'a crate::format::nml::UserBoundingBox| UserBoxJson {
            id: user.id.to_string(),
            name: &user.name,
            extent: (&user.extent).into(),
        };
        Self {
            name: &annotation.name,
            dataset_name: &nml.experiment.name,
            organization: &nml.experiment.organization,
            dataset_id: &nml.experiment.dataset_id,
            description: &nml.experiment.description,
            trees: nml.trees.len(),
            nodes: node_count(nml),
            edges: nml.trees.iter().map(|tree| tree.edges.len()).sum(),
            branchpoints: nml.branchpoints.len(),
            comments: nml.comments.len(),
            user_bounding_boxes: nml.user_boxes.iter().map(user_box).collect(),
            task_bounding_box: nml.task_box.as_ref().map(BoxJson::from),
            volumes: annotation.volumes.iter().map(|volume| volume_json(nml, volume)).collect(),
        }
    }
}

fn volume_json<'a>(nml: &'a Nml, volume: &'a VolumeFile) -> VolumeJson<'a> {
    let entry = volume.nml_volume.and_then(|at| nml.volumes.get(at));
    VolumeJson {
        layer: &volume.layer,
        location: entry.and_then(|entry| entry.location.as_deref()),
        format: volume.format.map(format_name),
        element_class: volume.class.map(|class| class.name()),
        fallback_layer: entry.and_then(|entry| entry.fallback_layer.as_deref()),
        mapping_name: entry.and_then(|entry| entry.mapping_name.as_deref()),
        largest_segment_id: entry.and_then(|entry| entry.largest_segment_id).map(|id| id.to_string()),
        listed_segments: entry.map_or(0, |entry| entry.segments.len()),
        axes: &volume.axes,
        mags: volume.levels.iter().map(|(mag, store)| MagJson { mag: mag.to_string(), buckets: store.addresses().len() }).collect(),
    }
}

/// The lines for people, behind those of the dataset.
pub(super) fn describe_annotation(out: &mut String, annotation: &AnnotationFile) {
    let nml = &annotation.nml;
    // Writing to a string can't fail.
    if !nml.experiment.name.is_empty() {
        let organization =
            if nml.experiment.organization.is_empty() { String::new() } else { format!(", {}", nml.experiment.organization) };
        let _ = writeln!(out, "{}", one_line(&format!("  annotates   {}{organization}", nml.experiment.name)));
    }
    let number = |n: usize, one: &str, many: &str| format!("{} {}", count(n as u64), if n == 1 { one } else { many });
    let skeleton = [
        number(nml.trees.len(), "tree", "trees"),
        number(node_count(nml), "node", "nodes"),
        number(nml.branchpoints.len(), "branch point", "branch points"),
        number(nml.comments.len(), "comment", "comments"),
    ];
    let _ = writeln!(out, "  skeleton    {}", skeleton.join(", "));
    for user in &nml.user_boxes {
        let _ = writeln!(out, "  box         {:?} {}", user.name, user.extent);
    }
    for volume in &annotation.volumes {
        let entry = volume.nml_volume.and_then(|at| nml.volumes.get(at));
        let fallback = entry.and_then(|entry| entry.fallback_layer.as_ref());
        let mut facts = vec![volume.format.map_or_else(|| "no data".to_owned(), |format| format_name(format).to_owned())];
        facts.push(number(entry.map_or(0, |entry| entry.segments.len()), "listed segment", "listed segments"));
        facts.push(fallback.map_or_else(|| "no fallback layer".to_owned(), |layer| format!("over the layer {layer}")));
        let buckets: Vec<String> =
            volume.levels.iter().map(|(mag, store)| format!("{mag}: {}", count(store.addresses().len() as u64))).collect();
        let _ = writeln!(out, "{}", one_line(&format!("  volume      {}  {}", volume.layer, facts.join(", "))));
        if !buckets.is_empty() {
            let _ = writeln!(out, "              buckets  {}", buckets.join(", "));
        }
    }
}
