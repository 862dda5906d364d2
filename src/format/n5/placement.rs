//! [`Placement`]: what metadata say of a level's scale and position, in all dialects, and its translation to x, y, z.

use super::attributes::{Attributes, numbers, texts};
use crate::format::array::{AxisOrder, AxisRole};
use serde_json::Value;

/// In which order a list of axes names the dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    /// Last axis first in `dimensions` ("C").
    Reverse,
    /// As `dimensions` ("F").
    AsDimensions,
}

impl ListOrder {
    /// `ordering` or `order` of a JSON object: "C" or "F".
    pub fn from_json(object: &Value) -> Option<Self> {
        let text = object.get("ordering").or_else(|| object.get("order"))?.as_str()?;
        match text.trim() {
            "C" | "c" => Some(Self::Reverse),
            "F" | "f" => Some(Self::AsDimensions),
            _ => None,
        }
    }
}

/// Scale and translation of a level, each value belonging to a named axis.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTransform {
    /// Names, one for each dimension.
    pub axes: Vec<String>,
    /// Said order of the names, if it is said.
    pub order: Option<ListOrder>,
    /// One for each axis.
    pub scale: Vec<f64>,
    /// One for each axis, or fewer.
    pub translation: Vec<f64>,
    /// One for each axis, one for all, or none.
    pub units: Vec<String>,
}

impl NamedTransform {
    /// A `transform` of COSEM: `{"axes": …, "scale": …, "units": …, "translate": …}`.
    pub fn from_cosem(transform: &Value) -> Option<Self> {
        let list = |name: &str| transform.get(name).and_then(numbers);
        Some(Self {
            axes: texts(transform.get("axes")?)?,
            order: ListOrder::from_json(transform),
            scale: list("scale")?,
            translation: list("translate").or_else(|| list("translation")).unwrap_or_default(),
            units: transform.get("units").and_then(texts).unwrap_or_default(),
        })
    }

    /// `axes` of a multiscale and `coordinateTransformations` of one of its datasets, as OME writes them. Several
    /// transformations are applied one after the other.
    pub fn from_ome(axes: &Value, transformations: &Value) -> Option<Self> {
        let axes = axes.as_array().filter(|axes| !axes.is_empty())?;
        let name = |axis: &Value| axis.as_str().or_else(|| axis.get("name")?.as_str()).map(str::to_owned);
        let unit = |axis: &Value| axis.get("unit").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut all = Self {
            axes: axes.iter().map(name).collect::<Option<_>>()?,
            order: None,
            scale: vec![1.0; axes.len()],
            translation: vec![0.0; axes.len()],
            units: axes.iter().map(unit).collect(),
        };
        for step in transformations.as_array().into_iter().flatten() {
            for (at, factor) in step.get("scale").and_then(numbers).unwrap_or_default().into_iter().enumerate().take(axes.len()) {
                all.scale[at] *= factor;
                all.translation[at] *= factor;
            }
            for (at, shift) in step.get("translation").and_then(numbers).unwrap_or_default().into_iter().enumerate().take(axes.len()) {
                all.translation[at] += shift;
            }
        }
        Some(all)
    }

    /// Whether the names are taken as listed in reverse, where nothing says so: all known writers of COSEM metadata
    /// list z, y, x for data whose first dimension is x.
    pub fn seems_reversed(&self) -> bool {
        let at = |wanted: &AxisRole| self.axes.iter().position(|name| AxisRole::from_name(name) == *wanted);
        matches!((at(&AxisRole::X), at(&AxisRole::Y)), (Some(x), Some(y)) if x > y)
    }

    /// Names in the order of `dimensions`.
    pub fn names(&self, order: ListOrder) -> Vec<&str> {
        let names = self.axes.iter().map(String::as_str);
        match order {
            ListOrder::Reverse => names.rev().collect(),
            ListOrder::AsDimensions => names.collect(),
        }
    }

    /// The values along x, y, z.
    pub fn along_xyz(&self) -> Along {
        let at = |role: &AxisRole| self.axes.iter().position(|name| AxisRole::from_name(name) == *role);
        let mut along = Along::default();
        for (axis, role) in XYZ.iter().enumerate() {
            let Some(at) = at(role) else { continue };
            along.scale[axis] = self.scale.get(at).copied();
            along.translation[axis] = self.translation.get(at).copied();
            along.unit[axis] = one_for_all(&self.units, at);
        }
        along
    }
}

/// Lengths along the dimensions of an array: `resolution` with `units`, or `pixelResolution`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolution {
    /// By dimension.
    pub lengths: Vec<f64>,
    /// One for each dimension, one for all, or none.
    pub units: Vec<String>,
}

impl Resolution {
    /// What the fields say. `pixelResolution` is preferred, as in other readers.
    pub fn from_attributes(attributes: &Attributes) -> Option<Self> {
        let units = || attributes.texts("units").or_else(|| attributes.texts("unit"));
        if let Some(pixel) = attributes.get("pixelResolution") {
            if let Some(lengths) = pixel.get("dimensions").and_then(numbers) {
                let own = pixel.get("unit").and_then(texts).filter(|unit| unit.iter().any(|unit| !unit.trim().is_empty()));
                return Some(Self { lengths, units: own.or_else(units).unwrap_or_default() });
            }
            if let Some(lengths) = numbers(pixel) {
                return Some(Self { lengths, units: units().unwrap_or_default() });
            }
        }
        let lengths = attributes.numbers("resolution")?;
        Some(Self { lengths, units: units().unwrap_or_default() })
    }
}

/// Values along x, y, z as far as they are given. A unit that is given may be an empty text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Along {
    /// Size of a voxel.
    pub scale: [Option<f64>; 3],
    /// Position of the first voxel.
    pub translation: [Option<f64>; 3],
    /// Their unit.
    pub unit: [Option<String>; 3],
}

/// The three roles in order.
pub const XYZ: [AxisRole; 3] = [AxisRole::X, AxisRole::Y, AxisRole::Z];

fn one_for_all(units: &[String], at: usize) -> Option<String> {
    match units {
        [all] => Some(all.clone()),
        units => units.get(at).cloned(),
    }
}

/// Values by dimension, along x, y, z. A list of as many values as there are of x, y, z leaves other dimensions out.
pub fn along_axes<T: Clone>(values: &[T], axes: &AxisOrder) -> [Option<T>; 3] {
    let dimensions = XYZ.map(|role| axes.dimension(&role));
    let mut spatial: Vec<usize> = dimensions.into_iter().flatten().collect();
    spatial.sort_unstable();
    dimensions.map(|dimension| {
        let dimension = dimension?;
        let at = if values.len() == spatial.len() { spatial.iter().position(|d| *d == dimension)? } else { dimension };
        values.get(at).cloned()
    })
}

/// Units by dimension, along x, y, z.
pub fn units_along_axes(units: &[String], axes: &AxisOrder) -> [Option<String>; 3] {
    match units {
        [all] => XYZ.map(|role| axes.dimension(&role).map(|_| all.clone())),
        units => along_axes(units, axes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cosem_values_belong_to_the_axes_they_stand_beside() {
        let transform = json!({"axes":["z","y","x"],"scale":[30.0,5,4],"units":["nm","nm","um"],"translate":[1,2,3],"ordering":"C"});
        let transform = NamedTransform::from_cosem(&transform).expect("sound");
        let along = transform.along_xyz();
        assert_eq!(along.scale, [Some(4.0), Some(5.0), Some(30.0)]);
        assert_eq!(along.translation, [Some(3.0), Some(2.0), Some(1.0)]);
        assert_eq!(along.unit, ["um", "nm", "nm"].map(|unit| Some(unit.to_owned())));
        assert_eq!((transform.order, transform.seems_reversed()), (Some(ListOrder::Reverse), true));
        assert_eq!(transform.names(ListOrder::Reverse), ["x", "y", "z"]);
    }

    #[test]
    fn ome_transformations_are_applied_in_turn() {
        let axes = json!([{"name":"x","type":"space","unit":"micrometer"},{"name":"y","type":"space"}]);
        let steps = json!([{"type":"scale","scale":[2,3]},{"type":"translation","translation":[0.5,1]},{"type":"scale","scale":[10,1]}]);
        let along = NamedTransform::from_ome(&axes, &steps).expect("sound").along_xyz();
        assert_eq!(along.scale, [Some(20.0), Some(3.0), None]);
        assert_eq!(along.translation, [Some(5.0), Some(1.0), None]);
        assert_eq!(along.unit, [Some("micrometer".to_owned()), Some(String::new()), None]);
    }

    #[test]
    fn values_by_dimension_follow_the_axes() {
        let axes = AxisOrder::from_names([Some("c"), Some("z"), Some("y"), Some("x")], 4, "").expect("sound");
        assert_eq!(along_axes(&[9, 3, 2, 1], &axes), [Some(1), Some(2), Some(3)]);
        assert_eq!(along_axes(&[3, 2, 1], &axes), [Some(1), Some(2), Some(3)]);
        assert_eq!(along_axes(&[9, 3], &axes), [None, None, Some(3)]);
    }
}
