//! `datasource-properties.json`: layers, mags, boxes and voxel size in every spelling that occurs.
//!
//! Read leniently: what is missing or misspelt is assumed and listed as a problem, so that a dataset
//! opens as far as it can. Nothing here touches the layers' files.

use super::array::DeclaredAxes;
use super::dataset::{DataFormat, LayerCategory, LayerConfiguration, ViewConfiguration};
use super::json;
use crate::geometry::{BoundingBox, LengthUnit, Mag, Shape3, Vec3Int, VoxelSize};
use crate::problem::Problems;
use crate::text::UniqueNames;
use serde_json::{Map, Value};

/// Name of the file.
pub const PROPERTIES_FILE: &str = "datasource-properties.json";

/// The file, translated.
#[derive(Clone, Debug)]
pub struct Properties {
    /// `id.name`, where there is one.
    pub name: Option<String>,
    /// Size of a mag-1 voxel.
    pub voxel_size: VoxelSize,
    /// Layers in display order.
    pub layers: Vec<LayerProperties>,
    /// First view.
    pub view: ViewConfiguration,
}

/// One declared layer.
#[derive(Clone, Debug)]
pub struct LayerProperties {
    /// Name, unique.
    pub name: String,
    /// Intensities or ids.
    pub category: LayerCategory,
    /// Format; `Err` holds a name that isn't known.
    pub format: Result<DataFormat, String>,
    /// As written, for a cross-check with the headers.
    pub element_class: Option<String>,
    /// As written.
    pub num_channels: Option<u64>,
    /// Extent in mag-1 voxels.
    pub bounding_box: Option<BoundingBox>,
    /// Highest id in use.
    pub largest_segment_id: Option<u64>,
    /// Declared mags, finest first, each once.
    pub mags: Vec<MagProperties>,
    /// Display settings.
    pub configuration: LayerConfiguration,
}

/// One declared mag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MagProperties {
    /// The mag.
    pub mag: Mag,
    /// As written; absent in old files.
    pub path: Option<String>,
    /// Shard side in voxels as written; the truth is in the header.
    pub cube_length: Option<u64>,
    /// What is said of the array's axes.
    pub axes: DeclaredAxes,
}

impl MagProperties {
    /// A mag of which nothing else is declared.
    pub fn bare(mag: Mag) -> Self {
        Self { mag, path: None, cube_length: None, axes: DeclaredAxes::default() }
    }
}

/// Why the file says nothing.
#[derive(Debug, thiserror::Error)]
pub enum PropertiesError {
    /// Not JSON. The source gives line and column.
    #[error("not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON, but not an object with layers.
    #[error("no dataLayers in it")]
    NoLayers,
}

impl Properties {
    /// Parses the file. `location` is its path, for problems.
    ///
    /// # Errors
    /// If it isn't JSON, or declares no list of layers.
    pub fn parse(bytes: &[u8], location: &str, problems: &mut Problems) -> Result<Self, PropertiesError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let root: Value = serde_json::from_slice(bytes)?;
        let layers =
            root.get("dataLayers").or_else(|| root.get("data_layers")).and_then(Value::as_array).ok_or(PropertiesError::NoLayers)?;
        let mut reader = Reader { location, problems };
        let mut names = UniqueNames::default();
        let mut parsed: Vec<LayerProperties> = Vec::with_capacity(layers.len().min(1024));
        for (index, layer) in layers.iter().enumerate() {
            if let Some(mut layer) = reader.layer(index, layer) {
                reader.make_unique(&mut layer.name, &mut names);
                parsed.push(layer);
            }
        }
        let voxel_size = reader.voxel_size(root.get("scale").or_else(|| root.get("voxelSize")));
        let name = root.pointer("/id/name").and_then(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned);
        Ok(Self { name, voxel_size, layers: parsed, view: view_configuration(root.get("defaultViewConfiguration")) })
    }
}

/// Reads values and notes what it had to assume.
struct Reader<'a> {
    location: &'a str,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    fn warn(&mut self, text: String) {
        self.problems.warn(self.location, text);
    }

    fn info(&mut self, text: String) {
        self.problems.info(self.location, text);
    }

    fn make_unique(&mut self, name: &mut String, names: &mut UniqueNames) {
        let unique = names.take(name, |n| format!("{name} ({n})"));
        if *name != unique {
            self.warn(format!("Two layers are called {name}, the second is shown as {unique}"));
            *name = unique;
        }
    }

    fn voxel_size(&mut self, scale: Option<&Value>) -> VoxelSize {
        let (factors, unit) = match scale {
            None | Some(Value::Null) => {
                self.warn("No voxel size (scale), lengths are shown in voxels".to_owned());
                return VoxelSize::VOXELS;
            }
            Some(Value::Object(object)) => (object.get("factor"), object.get("unit")),
            Some(other) => (Some(other), None),
        };
        let unit = match unit.and_then(Value::as_str) {
            None => Some(LengthUnit::NANOMETER),
            Some(name) => {
                let unit = LengthUnit::parse(name);
                if unit.is_none() {
                    self.warn(format!("The voxel size's unit {name:?} is no length, lengths are shown in voxels"));
                }
                unit
            }
        };
        let factors = factors.and_then(triple_f64);
        let size = factors.and_then(|factors| VoxelSize::new(factors, unit));
        size.unwrap_or_else(|| {
            let found = factors.map_or_else(|| "unreadable".to_owned(), |f| format!("{f:?}"));
            self.warn(format!("The voxel size (scale) is {found}, voxels are shown as cubes"));
            VoxelSize::VOXELS
        })
    }

    fn layer(&mut self, index: usize, layer: &Value) -> Option<LayerProperties> {
        let Some(layer) = layer.as_object() else {
            self.warn(format!("Layer {} is no object, it is left out", index + 1));
            return None;
        };
        let name = match layer.get("name") {
            Some(Value::String(name)) if !name.is_empty() => name.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => {
                let name = name_from_paths(layer).unwrap_or_else(|| format!("layer {}", index + 1));
                self.warn(format!("Layer {} has no name, it is called {name}", index + 1));
                name
            }
        };
        if layer.get("coordinateTransformations").is_some_and(|t| t.as_array().is_some_and(|t| !t.is_empty())) {
            self.warn(format!("Layer {name} has coordinate transformations, it is shown untransformed"));
        }
        let category = self.category(&name, layer);
        let format = self.format(&name, layer);
        let bounding_box = self.bounding_box(&name, layer.get("boundingBox").or_else(|| layer.get("bounding_box")));
        let element_class = layer.get("elementClass").or_else(|| layer.get("element_class")).and_then(Value::as_str).map(str::to_owned);
        if element_class.is_none() {
            self.info(format!("Layer {name} declares no elementClass, the headers decide"));
        }
        let mags = self.mags(&name, layer);
        let configuration = configuration(layer.get("defaultViewConfiguration"), layer.get("adminViewConfiguration"));
        Some(LayerProperties {
            num_channels: layer.get("numChannels").or_else(|| layer.get("num_channels")).and_then(Value::as_u64),
            largest_segment_id: self.largest_segment_id(&name, layer.get("largestSegmentId")),
            name,
            category,
            format,
            element_class,
            bounding_box,
            mags,
            configuration,
        })
    }

    fn largest_segment_id(&mut self, name: &str, value: Option<&Value>) -> Option<u64> {
        let value = value.filter(|value| !value.is_null())?;
        let id = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        if id.is_none() {
            self.info(format!("Layer {name}: the largestSegmentId {value} is no 64-bit id, it is left out"));
        }
        id
    }

    fn category(&mut self, name: &str, layer: &Map<String, Value>) -> LayerCategory {
        match layer.get("category").and_then(Value::as_str).map(str::to_ascii_lowercase).as_deref() {
            Some("color" | "colour") => LayerCategory::Color,
            Some("segmentation") => LayerCategory::Segmentation,
            found => {
                let guess = guess_category(name, layer.contains_key("largestSegmentId"));
                let what = found.map_or_else(|| "no category".to_owned(), |found| format!("the unknown category {found:?}"));
                self.warn(format!(
                    "Layer {name} has {what}, it is shown as {}",
                    if guess == LayerCategory::Color { "color" } else { "segmentation" }
                ));
                guess
            }
        }
    }

    fn format(&mut self, name: &str, layer: &Map<String, Value>) -> Result<DataFormat, String> {
        match layer.get("dataFormat").or_else(|| layer.get("data_format")).and_then(Value::as_str) {
            None => {
                self.warn(format!("Layer {name} declares no dataFormat, wkw is assumed"));
                Ok(DataFormat::Wkw)
            }
            Some("wkw") => Ok(DataFormat::Wkw),
            Some("zarr") => Ok(DataFormat::Zarr),
            Some("zarr3") => Ok(DataFormat::Zarr3),
            Some("n5") => Ok(DataFormat::N5),
            Some("neuroglancerPrecomputed") => Ok(DataFormat::NeuroglancerPrecomputed),
            Some(other) => Err(other.to_owned()),
        }
    }

    fn bounding_box(&mut self, name: &str, value: Option<&Value>) -> Option<BoundingBox> {
        let parsed = value.and_then(|value| {
            let topleft = Vec3Int::from(triple_i64(value.get("topLeft").or_else(|| value.get("topleft"))?)?);
            let extent = |key: &str| value.get(key).and_then(as_i64);
            let shape = match (extent("width"), extent("height"), extent("depth")) {
                (Some(width), Some(height), Some(depth)) => [width, height, depth],
                _ => triple_i64(value.get("size")?)?,
            };
            shape.iter().all(|s| *s >= 0).then(|| BoundingBox::new(topleft, Shape3::from(shape)))
        });
        if parsed.is_none() {
            self.warn(format!("Layer {name} has no usable boundingBox, the extent is taken from its shards"));
        }
        parsed
    }

    fn mags(&mut self, name: &str, layer: &Map<String, Value>) -> Vec<MagProperties> {
        let new = self.mag_list(name, layer.get("mags"));
        let legacy = self.mag_list(name, layer.get("wkwResolutions").or_else(|| layer.get("resolutions")));
        let mut mags = match (new, legacy) {
            (Some(new), Some(legacy)) => {
                let only = |a: &[MagProperties], b: &[MagProperties]| {
                    a.iter().filter(|m| b.iter().all(|n| n.mag != m.mag)).map(|m| m.mag.to_string()).collect::<Vec<_>>()
                };
                let (only_new, only_legacy) = (only(&new, &legacy), only(&legacy, &new));
                if !only_new.is_empty() || !only_legacy.is_empty() {
                    self.warn(format!("Layer {name}: mags and wkwResolutions contradict each other (only in mags: {only_new:?}, only in wkwResolutions: {only_legacy:?}), mags is used"));
                }
                new
            }
            (Some(mags), None) | (None, Some(mags)) if !mags.is_empty() => mags,
            (Some(_), None) | (None, Some(_)) | (None, None) => {
                self.warn(format!("Layer {name} declares no mags, its folders are looked at"));
                Vec::new()
            }
        };
        mags.sort_by_key(|m| m.mag.sort_key());
        let additional = additional_axes(layer.get("additionalAxes"));
        mags.iter_mut().for_each(|mag| mag.axes.additional.clone_from(&additional));
        mags
    }

    fn mag_list(&mut self, name: &str, list: Option<&Value>) -> Option<Vec<MagProperties>> {
        let list = list?.as_array()?;
        let mut mags: Vec<MagProperties> = Vec::with_capacity(list.len().min(64));
        for entry in list {
            // The library writes objects, old tools bare numbers or triples.
            let written = entry.get("mag").or_else(|| entry.get("resolution")).unwrap_or(entry);
            let Some(mag) = parse_mag(written) else {
                self.warn(format!("Layer {name}: {written} is no mag, it is left out"));
                continue;
            };
            if mags.iter().any(|m| m.mag == mag) {
                self.warn(format!("Layer {name} declares mag {mag} twice, the first is used"));
                continue;
            }
            let path = entry.get("path").and_then(Value::as_str).map(str::to_owned);
            let cube_length = entry.get("cubeLength").or_else(|| entry.get("cube_length")).and_then(Value::as_u64);
            let order = axis_order(entry.get("axisOrder")).unwrap_or_else(|| {
                let found = entry.get("axisOrder").map(Value::to_string).unwrap_or_default();
                self.warn(format!("Layer {name}, mag {mag}: the axisOrder {found} can't be used, the format's default is assumed"));
                Vec::new()
            });
            let axes = DeclaredAxes { order, additional: Vec::new(), channel: entry.get("channelIndex").and_then(json::unsigned) };
            mags.push(MagProperties { mag, path, cube_length, axes });
        }
        Some(mags)
    }
}

/// Category of a layer that doesn't say: the rule of the WEBKNOSSOS server.
pub fn guess_category(name: &str, has_segment_ids: bool) -> LayerCategory {
    let name = name.to_lowercase();
    if has_segment_ids || name == "segmentation" || name == "labels" { LayerCategory::Segmentation } else { LayerCategory::Color }
}

fn parse_mag(value: &Value) -> Option<Mag> {
    match value {
        Value::String(text) => text.parse().ok().or_else(|| {
            // `[2, 2, 1]` or `2, 2, 1` in a string.
            let numbers = text.trim_matches(['[', ']', '(', ')', ' ']).split(',').map(|part| part.trim().parse().ok());
            match numbers.collect::<Option<Vec<i64>>>()?[..] {
                [f] => Mag::new(f, f, f),
                [x, y, z] => Mag::new(x, y, z),
                _ => None,
            }
        }),
        Value::Array(_) => {
            let [x, y, z] = triple_i64(value)?;
            Mag::new(x, y, z)
        }
        Value::Number(_) => as_i64(value).and_then(|f| Mag::new(f, f, f)),
        Value::Object(object) => {
            let axis = |key: &str| object.get(key).and_then(as_i64);
            Mag::new(axis("x")?, axis("y")?, axis("z")?)
        }
        Value::Null | Value::Bool(_) => None,
    }
}

/// Names and dimensions of `axisOrder`, empty if it isn't given; `None` if it is no object of dimensions.
fn axis_order(value: Option<&Value>) -> Option<Vec<(String, usize)>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Some(Vec::new()) };
    let dimension = |at: &Value| as_i64(at).and_then(|at| usize::try_from(at).ok());
    value.as_object()?.iter().map(|(name, at)| Some((name.clone(), dimension(at)?))).collect()
}

/// Names and dimensions of `additionalAxes`.
fn additional_axes(value: Option<&Value>) -> Vec<(String, usize)> {
    let axes = value.and_then(Value::as_array).into_iter().flatten();
    axes.filter_map(|axis| {
        let index = json::unsigned(axis.get("index")?)?;
        Some((axis.get("name")?.as_str()?.to_owned(), usize::try_from(index).ok()?))
    })
    .collect()
}

/// The folder that a layer's first mag lies in, by its declared path.
fn name_from_paths(layer: &Map<String, Value>) -> Option<String> {
    let path = layer.get("mags")?.as_array()?.first()?.get("path")?.as_str()?;
    let name = path.trim_end_matches('/').rsplit('/').nth(1)?;
    (!name.is_empty() && name != ".").then(|| name.to_owned())
}

/// An integer, also when written as `1.0` or `"1"`.
fn as_i64(value: &Value) -> Option<i64> {
    if let Some(text) = value.as_str() {
        return text.trim().parse().ok();
    }
    value.as_i64().or_else(|| value.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9e15).map(|f| f as i64))
}

fn triple_i64(value: &Value) -> Option<[i64; 3]> {
    let list = value.as_array()?;
    let values: Vec<i64> = list.iter().map(as_i64).collect::<Option<_>>()?;
    values.try_into().ok()
}

/// Three numbers, or one for all axes, also when written as `"1.5"`.
fn triple_f64(value: &Value) -> Option<[f64; 3]> {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    if let Some(all) = number(value) {
        return Some([all; 3]);
    }
    let values: Vec<f64> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    values.try_into().ok()
}

fn view_configuration(value: Option<&Value>) -> ViewConfiguration {
    let get = |key: &str| value.and_then(|v| v.get(key));
    ViewConfiguration {
        position: get("position").and_then(triple_f64).map(|p| Vec3Int::from(p.map(|v| v.floor() as i64))),
        zoom: get("zoom").and_then(Value::as_f64).filter(|z| z.is_finite() && *z > 0.0),
    }
}

/// A layer's display settings; those of the administrator win.
fn configuration(default: Option<&Value>, admin: Option<&Value>) -> LayerConfiguration {
    let get = |key: &str| admin.and_then(|v| v.get(key)).or_else(|| default.and_then(|v| v.get(key))).filter(|v| !v.is_null());
    let pair = |value: &Value| match value.as_array().map(Vec::as_slice) {
        Some([lo, hi]) => Some((lo.as_f64()?, hi.as_f64()?)),
        _ => None,
    };
    LayerConfiguration {
        color: get("color").and_then(triple_f64).map(|c| c.map(|v| v.clamp(0.0, 255.0) as u8)),
        alpha: get("alpha").and_then(Value::as_f64).map(|a| (a / 100.0).clamp(0.0, 1.0)),
        intensity_range: get("intensityRange").and_then(pair),
        gamma: get("gammaCorrectionValue").and_then(Value::as_f64).filter(|g| *g > 0.0),
        is_inverted: get("isInverted").and_then(Value::as_bool),
        is_disabled: get("isDisabled").and_then(Value::as_bool),
        channels: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> (Properties, Vec<String>) {
        let mut problems = Problems::default();
        let properties = Properties::parse(json.as_bytes(), "p.json", &mut problems).expect("valid");
        (properties, problems.iter().map(|p| p.text.clone()).collect())
    }

    fn layer_json(extra: &str) -> String {
        format!(
            r#"{{"scale":[1,1,1],"dataLayers":[{{"name":"c","category":"color","dataFormat":"wkw","elementClass":"uint8",
            "boundingBox":{{"topLeft":[1,2,3],"width":4,"height":5,"depth":6}},{extra}}}]}}"#
        )
    }

    #[test]
    fn every_spelling_of_mags_is_read() {
        let cases = [
            r#""mags":[{"mag":[2,2,1],"path":"./c/2-2-1"},{"mag":1}]"#,
            r#""mags":[{"mag":"1"},{"mag":"2-2-1"}]"#,
            r#""wkwResolutions":[{"resolution":1,"cubeLength":1024},{"resolution":[2,2,1],"cube_length":1024}]"#,
            r#""mags":[1,[2,2,1]]"#,
            r#""mags":[{"mag":["1","1","1"]},{"mag":"[2, 2, 1]"}]"#,
            r#""mags":[{"mag":{"x":1,"y":1,"z":1}},{"mag":[2.0,2.0,1.0]}]"#,
        ];
        for case in cases {
            let (properties, problems) = parse(&layer_json(case));
            let mags: Vec<_> = properties.layers[0].mags.iter().map(|m| m.mag.to_string()).collect();
            assert_eq!(mags, ["1", "2-2-1"], "{case}");
            assert_eq!(problems, Vec::<String>::new(), "{case}");
        }
    }

    #[test]
    fn contradicting_mag_lists_are_reported() {
        let (properties, problems) = parse(&layer_json(r#""mags":[{"mag":1},{"mag":1}],"wkwResolutions":[{"resolution":2}]"#));
        assert_eq!(properties.layers[0].mags.len(), 1);
        assert!(problems.iter().any(|p| p.contains("contradict")) && problems.iter().any(|p| p.contains("twice")), "{problems:?}");
    }

    #[test]
    fn an_axis_order_is_dimensions_by_name_or_said_to_be_unusable() {
        let (p, problems) = parse(&layer_json(r#""mags":[{"mag":1,"axisOrder":{"c":0,"x":"1","y":2.0}},{"mag":2,"axisOrder":[2,1,0]}]"#));
        let order = |i: usize| p.layers[0].mags[i].axes.order.iter().map(|(name, at)| format!("{name}{at}")).collect::<Vec<_>>().join(" ");
        assert_eq!((order(0).as_str(), order(1).as_str()), ("c0 x1 y2", ""));
        assert!(problems.iter().any(|p| p.contains("mag 2: the axisOrder [2,1,0] can't be used")), "{problems:?}");
    }

    #[test]
    fn missing_keys_are_assumed_and_listed() {
        let (properties, problems) = parse(r#"{"dataLayers":[{"name":7},{"name":"labels"},{"name":"labels"},{}]}"#);
        let names: Vec<_> = properties.layers.iter().map(|l| (l.name.as_str(), l.category)).collect();
        assert_eq!(
            names,
            [
                ("7", LayerCategory::Color),
                ("labels", LayerCategory::Segmentation),
                ("labels (2)", LayerCategory::Segmentation),
                ("layer 4", LayerCategory::Color),
            ]
        );
        for word in ["voxel size", "category", "dataFormat", "boundingBox", "no mags", "no name", "elementClass"] {
            assert!(problems.iter().any(|p| p.contains(word)), "{word}: {problems:?}");
        }
    }

    #[test]
    fn voxel_sizes_keep_their_unit_or_become_cubes() {
        let size = |scale: &str| {
            let (p, problems) = parse(&format!(r#"{{"scale":{scale},"dataLayers":[]}}"#));
            (p.voxel_size.to_string(), problems.len())
        };
        assert_eq!(size("[11.24,11.24,28]"), ("11.24 × 11.24 × 28 nm".into(), 0));
        assert_eq!(size(r#"{"factor":[1,2,3],"unit":"micrometer"}"#), ("1 × 2 × 3 µm".into(), 0));
        assert_eq!(size(r#"{"factor":[1,2,3],"unit":"pixel"}"#), ("1 × 2 × 3 vx".into(), 1));
        assert_eq!(size("[0,1,1]"), ("1 × 1 × 1 vx".into(), 1));
        assert_eq!(size("[1,-1,1]"), ("1 × 1 × 1 vx".into(), 1));
    }

    #[test]
    fn broken_json_is_an_error_with_line_and_column() {
        let err = Properties::parse(b"{ not json", "p", &mut Problems::default()).expect_err("broken");
        assert!(err.to_string().contains("line 1 column 3"), "{err}");
        assert!(matches!(Properties::parse(b"{}", "p", &mut Problems::default()), Err(PropertiesError::NoLayers)));
    }

    #[test]
    fn the_administrator_s_settings_win() {
        let (p, _) = parse(&layer_json(
            r#""mags":[1],"defaultViewConfiguration":{"color":[255,0,10],"alpha":50,"intensityRange":[3,9]},"adminViewConfiguration":{"alpha":20}"#,
        ));
        let c = &p.layers[0].configuration;
        assert_eq!((c.color, c.alpha, c.intensity_range), (Some([255, 0, 10]), Some(0.2), Some((3.0, 9.0))));
    }
}
