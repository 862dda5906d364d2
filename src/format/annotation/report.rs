//! The main fields of an NML for people.

use super::file::VolumeFile;
use crate::format::nml::{Nml, VolumeFormat};
use crate::format::{HeaderField, HeaderReport, HeaderSection};
use crate::text::count;

/// Sections for the NML and each of its volumes.
pub(super) fn report(nml: &Nml, volumes: &[VolumeFile], location: &str) -> HeaderReport {
    let mut fields = Vec::new();
    let mut add = |name: &str, value: String, meaning: &str| {
        if !value.is_empty() {
            fields.push(HeaderField::new(name, "", value, meaning));
        }
    };
    add("experiment.name", nml.experiment.name.clone(), "dataset that was annotated");
    add("experiment.organization", nml.experiment.organization.clone(), "");
    add("experiment.datasetId", nml.experiment.dataset_id.clone(), "");
    add("experiment.wkUrl", nml.experiment.server_url.clone(), "server it comes from");
    add("experiment.description", nml.experiment.description.clone(), "");
    add("scale", nml.voxel_size.map_or_else(|| "unknown".to_owned(), |size| size.to_string()), "size of a mag-1 voxel");
    add(
        "editPosition",
        nml.edit_position.map(|position| position.to_string()).unwrap_or_default(),
        "mag-1 voxel in the centre of the view",
    );
    add("zoomLevel", nml.zoom.map(|zoom| zoom.to_string()).unwrap_or_default(), "finest voxels per pixel");
    add("taskBoundingBox", nml.task_box.map(|extent| extent.to_string()).unwrap_or_default(), "extent of the task, mag-1 voxels");
    let axes = nml.additional_axes.iter().map(|(name, start, end)| format!("{name} {start}–{end}")).collect::<Vec<_>>();
    add("additionalAxes", axes.join(", "), "positions from the first to the one after the last");
    let nodes = nml.trees.iter().map(|tree| tree.nodes.len() as u64).sum();
    add("things", count(nml.trees.len() as u64), "trees of the skeleton");
    add("nodes", count(nodes), "of all trees together");
    add("userBoundingBoxes", count(nml.user_boxes.len() as u64), "");
    let mut sections = vec![HeaderSection { title: "NML".to_owned(), location: location.to_owned(), fields }];
    for volume in volumes {
        let Some(entry) = volume.nml_volume.and_then(|at| nml.volumes.get(at)) else { continue };
        let mut fields = Vec::new();
        let mut add = |name: &str, value: Option<String>, absent: &str, meaning: &str| {
            let meaning = if value.is_some() { meaning } else { absent };
            fields.push(HeaderField::new(name, "", value.unwrap_or_default(), meaning));
        };
        let format = entry.format.map(|format| match format {
            VolumeFormat::Wkw => "wkw".to_owned(),
            VolumeFormat::Zarr3 => "zarr3".to_owned(),
        });
        add("location", entry.location.clone(), "none: the volume has no data", "its data zip");
        add("format", format, "none: that of the data is used", "");
        add("fallbackLayer", entry.fallback_layer.clone(), "none: it starts empty", "layer that shows where no bucket is stored");
        add("largestSegmentId", entry.largest_segment_id.map(|id| id.to_string()), "not known", "highest id in use");
        add("segments", Some(count(entry.segments.len() as u64)), "", "listed ones, not all that have voxels");
        let title = format!("Volume {}", volume.layer);
        sections.push(HeaderSection { title, location: location.to_owned(), fields });
    }
    HeaderReport { sections }
}
