//! What Chunkscope changes of an [`Nml`]'s document, and the document of a new one.

use super::element::{XmlElement, XmlNode};
use super::model::{Experiment, Nml};
use super::read::ROOT;
use super::values::Fields;
use super::views::{edit_position, experiment, voxel_size, zoom};
use super::volumes::Setter;
use crate::format::ExtraAxis;
use crate::geometry::{LengthUnit, Vec3Int, VoxelSize};

/// What a new annotation begins with.
#[derive(Clone, Debug, Default)]
pub struct NewNml {
    /// The dataset.
    pub experiment: Experiment,
    /// Size of a mag-1 voxel; `None` if it isn't known.
    pub voxel_size: Option<VoxelSize>,
    /// Where the view begins, in mag-1 voxels.
    pub edit_position: Vec3Int,
    /// Zoom of the view, finest voxels per pixel; 1 if `None`.
    pub zoom: Option<f64>,
    /// Axes beyond x, y, z.
    pub additional_axes: Vec<ExtraAxis>,
    /// When it was made, in milliseconds since 1970.
    pub time_unix_ms: u64,
}

impl Nml {
    /// An annotation without trees and volumes.
    pub fn new(new: NewNml) -> Self {
        let [x, y, z] = new.edit_position.to_array().map(|v| v.to_string());
        let [zero, zero_degrees] = ["0", "0.0"];
        let position = |name: &str| XmlElement::new(name);
        let axes = new.additional_axes.into_iter().map(|axis| (axis.name, 0, i64::try_from(axis.len).unwrap_or(i64::MAX)));
        let axes: Vec<(String, i64, i64)> = axes.collect();
        let mut parameters = vec![
            XmlElement::new("experiment"),
            XmlElement::new("scale"),
            position("offset").with("x", zero).with("y", zero).with("z", zero),
            XmlElement::new("time").with("ms", &new.time_unix_ms.to_string()),
            position("editPosition").with("x", &x).with("y", &y).with("z", &z),
            XmlElement::new("editRotation").with("xRot", zero_degrees).with("yRot", zero_degrees).with("zRot", zero_degrees),
            XmlElement::new("zoomLevel").with("zoom", &format!("{:?}", new.zoom.unwrap_or(1.0))),
        ];
        parameters.extend((!axes.is_empty()).then(|| axes_element(&axes)));
        let nodes = |elements: &[XmlElement]| elements.iter().cloned().map(XmlNode::Element).collect();
        let parameters = XmlElement { children: nodes(&parameters), ..XmlElement::new("parameters") };
        let document = [
            XmlElement::new("meta").with("name", "writer").with("content", concat!("Chunkscope ", env!("CARGO_PKG_VERSION"))),
            XmlElement::new("meta").with("name", "timestamp").with("content", &new.time_unix_ms.to_string()),
            parameters,
            XmlElement::new("branchpoints"),
            XmlElement::new("comments"),
            XmlElement::new("groups"),
        ];
        Self {
            document: XmlElement { children: nodes(&document), ..XmlElement::new(ROOT) },
            experiment: new.experiment,
            voxel_size: new.voxel_size,
            edit_position: Some(new.edit_position),
            zoom: Some(new.zoom.unwrap_or(1.0)),
            additional_axes: axes,
            ..Self::default()
        }
    }
}

impl Nml {
    /// When it was made, as the file says, in milliseconds since 1970.
    pub fn time_unix_ms(&self) -> Option<u64> {
        self.document.child("parameters")?.child("time")?.attributes.get("ms")?.parse().ok()
    }
}

/// The channel is the axis before them.
fn axes_element(axes: &[(String, i64, i64)]) -> XmlElement {
    let axis = |(index, (name, start, end)): (i64, &(String, i64, i64))| {
        let axis = XmlElement::new("additionalAxis").with("name", name).with("index", &index.to_string());
        XmlNode::Element(axis.with("start", &start.to_string()).with("end", &end.to_string()))
    };
    XmlElement { children: (1..).zip(axes).map(axis).collect(), ..XmlElement::new("additionalAxes") }
}

/// The `parameters` as they are now, and how many characters of them XML can't hold. Whatever hasn't changed stands as it
/// was read.
pub(super) fn parameters_element(nml: &Nml) -> (XmlElement, usize) {
    let mut parameters = nml.document.child("parameters").cloned().unwrap_or_else(|| XmlElement::new("parameters"));
    let mut dropped = 0;
    let was = parameters.child("experiment").map(experiment);
    if was.is_none() || was.as_ref().is_some_and(|was| *was != nml.experiment || !has_name(&parameters)) {
        let is_wanted = was.is_some() || nml.experiment != Experiment::default();
        if is_wanted {
            dropped += set_experiment(parameters.child_or_new("experiment"), &was.unwrap_or_default(), &nml.experiment);
        }
    }
    let was = parameters.child("scale").and_then(voxel_size);
    let is_blank = parameters.child("scale").is_some_and(|scale| scale.attributes.is_empty());
    if was != nml.voxel_size || is_blank {
        set_scale(parameters.child_or_new("scale"), nml.voxel_size);
    }
    let was = parameters.child("editPosition").and_then(|element| edit_position(&mut Fields::new(&element.attributes)));
    if let Some(position) = nml.edit_position.filter(|position| was != Some(*position)) {
        let element = parameters.child_or_new("editPosition");
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            element.attributes.set(name, &position[axis].to_string());
        }
    }
    let was = parameters.child("zoomLevel").and_then(|element| zoom(&mut Fields::new(&element.attributes)));
    if let Some(zoom) = nml.zoom.filter(|zoom| zoom.is_finite() && was != Some(*zoom)) {
        parameters.child_or_new("zoomLevel").attributes.set("zoom", &format!("{zoom:?}"));
    }
    (parameters, dropped)
}

/// Whether the experiment has the one attribute that readers insist on.
fn has_name(parameters: &XmlElement) -> bool {
    parameters.child("experiment").is_some_and(|element| element.attributes.get("name").is_some())
}

fn set_experiment(element: &mut XmlElement, was: &Experiment, now: &Experiment) -> usize {
    let is_new = element.attributes.is_empty();
    let mut setter = Setter { element, dropped: 0 };
    let texts = [
        ("name", &was.name, &now.name, true),
        ("organization", &was.organization, &now.organization, true),
        ("description", &was.description, &now.description, true),
        ("datasetId", &was.dataset_id, &now.dataset_id, false),
        ("wkUrl", &was.server_url, &now.server_url, false),
    ];
    for (name, was, now, is_always_there) in texts {
        if was != now || (is_new && is_always_there) {
            setter.set(name, (is_always_there || !now.is_empty()).then_some(now));
        }
    }
    setter.dropped
}

fn set_scale(element: &mut XmlElement, size: Option<VoxelSize>) {
    let factors = size.map_or([-1.0; 3], |size| size.factors());
    for (name, factor) in ["x", "y", "z"].into_iter().zip(factors) {
        element.attributes.set(name, &format!("{factor:?}"));
    }
    // A size without a unit is in voxels; the file's default is the nanometre.
    let unit = size.and_then(|size| size.unit).unwrap_or(LengthUnit::NANOMETER);
    element.attributes.set("unit", unit.name());
}
