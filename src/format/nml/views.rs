//! The typed parts of an [`Nml`], read from its document.

use super::element::XmlElement;
use super::model::{Experiment, Nml, UserBoundingBox};
use super::read::LOCATION;
use super::values::{Fields, Malformed, boolean, integer, number};
use super::{skeleton, volumes};
use crate::geometry::{BoundingBox, LengthUnit, Shape3, Vec3Int, VoxelSize};
use crate::problem::Problems;
use crate::text::shortened;

/// The document with its views. What the volumes hold is moved out of it into [`Nml::volumes`].
pub(super) fn nml_from_document(mut document: XmlElement, mut problems: Problems) -> Nml {
    let volumes = volumes::take_from(&mut document, &mut problems);
    let mut nml = Nml { volumes, ..Nml::default() };
    if document.child("parameters").is_none() {
        problems.warn(LOCATION, "no <parameters>; servers refuse such a file");
    }
    let parameters: Vec<&XmlElement> = document.elements().filter(|element| *element.name == *"parameters").collect();
    let find = |name: &str| parameters.iter().find_map(|element| element.child(name));
    nml.experiment = find("experiment").map(experiment).unwrap_or_default();
    if let Some(element) = find("scale") {
        nml.voxel_size = voxel_size(element);
        if nml.voxel_size.is_none() {
            problems.info(LOCATION, format!("<scale {}> is no voxel size; taken as unknown", element.attributes.as_text()));
        }
    }
    nml.edit_position = find("editPosition").and_then(|element| noting(element, &mut problems, edit_position));
    nml.zoom = find("zoomLevel").and_then(|element| noting(element, &mut problems, zoom));
    nml.additional_axes = find("additionalAxes").map(|element| additional_axes(element, &mut problems)).unwrap_or_default();
    for element in parameters.iter().flat_map(|element| element.elements()) {
        match &*element.name {
            "userBoundingBox" => nml.user_boxes.extend(checked(element, &mut problems, user_box)),
            "taskBoundingBox" => nml.task_box = nml.task_box.or_else(|| checked(element, &mut problems, |fields| extent(fields))),
            _ => {}
        }
    }
    skeleton::read_into(&mut nml, &document, &mut problems);
    nml.document = document;
    nml.problems = problems;
    nml
}

/// A view of an element; what of it was ignored is listed.
pub(super) fn noting<T>(element: &XmlElement, problems: &mut Problems, view: impl Fn(&mut Fields<'_>) -> T) -> T {
    let mut fields = Fields::new(&element.attributes);
    let value = view(&mut fields);
    for fault in fields.ignored {
        problems.warn(LOCATION, format!("{}: {fault}; taken as absent", named(element)));
    }
    value
}

/// The same for an element that can't be shown at all.
pub(super) fn checked<T>(
    element: &XmlElement,
    problems: &mut Problems,
    view: impl Fn(&mut Fields<'_>) -> Result<T, Malformed>,
) -> Option<T> {
    noting(element, problems, view).map_err(|fault| problems.warn(LOCATION, format!("{}: {fault}; not shown", named(element)))).ok()
}

/// An element for people: `node 7`.
fn named(element: &XmlElement) -> String {
    let id = element.attributes.get("id").map(|id| format!(" {}", shortened(&id, 40)));
    format!("{}{}", element.name, id.unwrap_or_default())
}

/// The dataset by its element.
pub(super) fn experiment(element: &XmlElement) -> Experiment {
    let text = |name| element.attributes.get(name).unwrap_or_default().into_owned();
    Experiment {
        name: text("name"),
        organization: text("organization"),
        dataset_id: text("datasetId"),
        server_url: text("wkUrl"),
        description: text("description"),
    }
}

/// The voxel size by its element; `None` for -1, 0, and what is no number.
pub(super) fn voxel_size(element: &XmlElement) -> Option<VoxelSize> {
    let [x, y, z] = ["x", "y", "z"].map(|name| element.attributes.get(name).as_deref().and_then(number));
    let unit = element.attributes.get("unit").map_or(Some(LengthUnit::NANOMETER), |unit| LengthUnit::parse(&unit));
    VoxelSize::new([x?, y?, z?], unit)
}

/// The position of the view.
pub(super) fn edit_position(fields: &mut Fields<'_>) -> Option<Vec3Int> {
    fields.optional_position(["x", "y", "z"])
}

/// The zoom of the view.
pub(super) fn zoom(fields: &mut Fields<'_>) -> Option<f64> {
    fields.optional("zoom", number)
}

fn additional_axes(element: &XmlElement, problems: &mut Problems) -> Vec<(String, i64, i64)> {
    let axes = element.elements().filter(|element| *element.name == *"additionalAxis");
    let mut axes: Vec<(i64, (String, i64, i64))> = axes
        .filter_map(|element| {
            checked(element, problems, |fields| {
                let name = fields.owned("name").ok_or("no name")?;
                let index = fields.optional("index", integer).unwrap_or_default();
                Ok((index, (name, fields.required("start", integer)?, fields.required("end", integer)?)))
            })
        })
        .collect();
    axes.sort_by_key(|(index, _)| *index);
    axes.into_iter().map(|(_, axis)| axis).collect()
}

fn user_box(fields: &mut Fields<'_>) -> Result<UserBoundingBox, Malformed> {
    Ok(UserBoundingBox {
        // A single box of old files has none.
        id: fields.optional("id", integer).unwrap_or_default(),
        name: fields.owned("name").unwrap_or_default(),
        extent: extent(fields)?,
        color: fields.color(),
        is_visible: fields.optional("isVisible", boolean).unwrap_or(true),
    })
}

fn extent(fields: &Fields<'_>) -> Result<BoundingBox, Malformed> {
    let topleft = fields.position(["topLeftX", "topLeftY", "topLeftZ"])?;
    let [x, y, z] = fields.position(["width", "height", "depth"])?.to_array();
    if [x, y, z].iter().any(|length| *length < 0) {
        return Err(format!("{x} × {y} × {z} is no extent"));
    }
    Ok(BoundingBox::new(topleft, Shape3::new(x, y, z)))
}
