//! [`AxisNames`]: what is known of the axes beyond x, y, z of a volume.

use super::buckets::BucketAddress;
use crate::format::ExtraAxis;
use crate::format::json::{parse, unsigned};
use crate::problem::Problems;
use crate::storage::{Storage, StorageKey};
use crate::voxel::ElementClass;
use serde_json::Value;

/// Longest JSON of a data zip that is read.
pub(super) const MAX_JSON_BYTES: u64 = 16 << 20;

/// Most positions along an axis that is not bounded by its buckets.
const MAX_AXIS_LEN: u64 = 1 << 32;

/// Names and ends of axes by the data zip's `datasource-properties.json`, else by the NML; and the class that the JSON says.
#[derive(Default)]
pub(super) struct AxisNames {
    /// In the order of their index.
    axes: Vec<(String, u64)>,
    pub class: Option<ElementClass>,
}

impl AxisNames {
    /// Reads the JSON if there is one.
    pub fn read(storage: &dyn Storage, properties: Option<&str>, nml_axes: &[(String, i64, i64)], problems: &mut Problems) -> Self {
        let end = |end: i64| u64::try_from(end).unwrap_or(0).min(MAX_AXIS_LEN);
        let mut names = Self { axes: nml_axes.iter().map(|(name, _, last)| (name.clone(), end(*last))).collect(), class: None };
        let Some(key) = properties.and_then(StorageKey::new) else { return names };
        let json = match storage.read(&key, MAX_JSON_BYTES) {
            Ok(bytes) => parse(&bytes.unwrap_or_default()).map_err(|err| err.to_string()),
            Err(err) => Err(err.reason()),
        };
        let layer = match &json {
            Ok(json) => json.pointer("/dataLayers/0"),
            Err(reason) => {
                problems.warn(storage.location(key.as_str()), format!("The JSON of the volume can't be used: {reason}"));
                None
            }
        };
        let Some(layer) = layer else { return names };
        names.class = layer.get("elementClass").and_then(Value::as_str).and_then(ElementClass::from_name);
        if let Some(axes) = layer.get("additionalAxes").and_then(Value::as_array).filter(|axes| !axes.is_empty()) {
            let axis = |value: &Value| {
                let name = value.get("name")?.as_str()?.to_owned();
                let last = value.pointer("/bounds/1").and_then(unsigned).unwrap_or(0).min(MAX_AXIS_LEN);
                Some((value.get("index").and_then(unsigned).unwrap_or(0), name, last))
            };
            let mut axes: Vec<_> = axes.iter().filter_map(axis).collect();
            axes.sort_by_key(|(index, ..)| *index);
            names.axes = axes.into_iter().map(|(_, name, last)| (name, last)).collect();
        }
        names
    }

    /// The axes of a mag: `dimension_names` are those of its array (empty for WKW, which has none), `named` its buckets.
    pub fn of_level(&self, dimension_names: &[Option<String>], named: &[(BucketAddress, String)]) -> Vec<ExtraAxis> {
        // c, further axes, x, y, z; without an array the buckets tell how many there are.
        let rank = match dimension_names.len() {
            0 => named.first().map_or(0, |(address, _)| address.axes.len()),
            dimensions => dimensions.saturating_sub(4),
        };
        let seen = |i: usize| named.iter().filter_map(|(address, _)| address.axes.get(i)).max().map_or(1, |last| last.saturating_add(1));
        let axis = |i: usize| {
            let own = dimension_names.get(i + 1).cloned().flatten().filter(|name| !name.trim().is_empty());
            let known = match &own {
                Some(own) => self.axes.iter().find(|(name, _)| name == own),
                None => self.axes.get(i),
            };
            let name = own.or_else(|| known.map(|(name, _)| name.clone())).unwrap_or_else(|| format!("axis{}", i + 1));
            ExtraAxis { name, len: seen(i).max(known.map_or(1, |(_, end)| *end)) }
        };
        (0..rank).map(axis).collect()
    }
}
