//! OME-NGFF: images with their levels, axes, channels and labels.
//!
//! Specification: OME-NGFF 0.4 (in Zarr 2) and 0.5 (in Zarr 3); 0.1 to 0.3 as far as they say something. Not
//! supported: transformations other than scale and translation, HCS metadata beyond paths.

use super::group::{Group, Node, node};
use super::open::{OpenedArray, level_from, open_array};
use crate::format::array::{ArrayIndexCache, AxesError, AxisOrder, AxisRole, ChunkStore};
use crate::format::image::{Image, ScaledLevel};
use crate::format::{ChannelConfiguration, HeaderField, LayerCategory, LayerConfiguration, LevelError, SegmentColor};
use crate::geometry::LengthUnit;
use crate::problem::Problems;
use crate::storage::StorageOpener;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Images that one group's multiscales describe and that are opened; each becomes a layer.
const MAX_MULTISCALES: usize = 64;

/// Most levels of an image; each is usually twice as coarse as the one before.
const MAX_LEVELS: usize = 64;

/// Label images of one group that are opened.
const MAX_LABELS: usize = 1000;

/// Colours of labels that are kept.
const MAX_COLORS: usize = 1 << 20;

/// Opens groups.
pub struct OmeReader<'a> {
    /// Where files are.
    pub opener: &'a dyn StorageOpener,
    /// Where shard indices are kept.
    pub indices: &'a Arc<ArrayIndexCache>,
}

/// An axis as a multiscale describes it.
struct Axis {
    role: AxisRole,
    unit: Option<String>,
}

impl OmeReader<'_> {
    /// The images of a group, then its labels.
    pub fn images(&self, group: &Group) -> Vec<Image> {
        let mut images = self.multiscales(group, None);
        let labels_folder = group.folder.join("labels");
        match node(self.opener, &labels_folder) {
            Ok(Some(Node::Group(labels))) => {
                let names = labels.attributes.get("labels").and_then(Value::as_array);
                for name in names.into_iter().flatten().filter_map(Value::as_str).take(MAX_LABELS) {
                    images.extend(self.label(&labels_folder.join(name), name));
                }
            }
            Ok(Some(Node::Array) | None) => {}
            Err(err) => {
                if let Some(image) = images.first_mut() {
                    image.problems.warn(&err.location, format!("Labels can't be looked for: {}", err.reason));
                }
            }
        }
        images
    }

    /// A label image, or an image without levels that says why there is none.
    fn label(&self, folder: &Path, name: &str) -> Vec<Image> {
        let reason = match node(self.opener, folder) {
            Ok(Some(Node::Group(group))) if group.is_image() => return self.multiscales(&group, Some(name)),
            Ok(Some(Node::Group(_) | Node::Array)) => "it has no multiscales".to_owned(),
            Ok(None) => "its group is missing".to_owned(),
            Err(err) => err.reason,
        };
        let mut image = empty_image(name.to_owned(), crate::format::DataFormat::Zarr);
        image.category = Some(LayerCategory::Segmentation);
        image.problems.error(folder.display(), format!("Can't open the labels {name}: {reason}"));
        vec![image]
    }

    /// One image per multiscale of a group; `label` is its name if it is one of labels.
    pub fn multiscales(&self, group: &Group, label: Option<&str>) -> Vec<Image> {
        let folder_name = group.folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let colors = group.attributes.get("image-label");
        let is_label = label.is_some() || colors.is_some();
        let mut images = Vec::new();
        let multiscales = group.attributes.get("multiscales").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for multiscale in multiscales.iter().take(MAX_MULTISCALES) {
            let named = multiscale.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty() && *name != "/");
            let name = label.or(named).unwrap_or(&folder_name).to_owned();
            let mut image = self.multiscale(group, multiscale, name);
            if is_label {
                image.category = Some(LayerCategory::Segmentation);
                image.segment_colors =
                    colors.map(|colors| segment_colors(colors, &group.location, &mut image.problems)).unwrap_or_default();
            }
            images.push(image);
        }
        if let (Some(first), true) = (images.first_mut(), multiscales.len() > MAX_MULTISCALES) {
            let text = format!("Of {} multiscales the first {MAX_MULTISCALES} are shown", multiscales.len());
            first.problems.warn(&group.location, text);
        }
        images
    }

    fn multiscale(&self, group: &Group, multiscale: &Value, name: String) -> Image {
        let mut image = empty_image(name, group.format);
        let axes = multiscale.get("axes").and_then(Value::as_array).map(|axes| axes.iter().map(axis).collect::<Vec<_>>());
        let units = axes.as_deref().map(|axes| Units::of(axes, &group.location, &mut image.problems));
        image.unit = units.as_ref().and_then(|units| units.common);
        let factors = units.map_or([1.0; 3], |units| units.factors);
        let mut first_shape: Option<Vec<u64>> = None;
        let mut channels = 1;
        let datasets = multiscale.get("datasets").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if datasets.len() > MAX_LEVELS {
            image.problems.warn(&group.location, format!("Of {} levels the first {MAX_LEVELS} are shown", datasets.len()));
        }
        let has_scales = axes.as_deref().is_none_or(|axes| datasets.iter().all(|dataset| has_usable_scales(dataset, axes.len())));
        if !has_scales {
            image.unit = None;
            let text = "The scale of a level can't be used, mags are taken from the shapes and lengths are shown in voxels";
            image.problems.warn(&group.location, text);
        }
        for dataset in datasets.iter().take(MAX_LEVELS) {
            let Some(path) = dataset.get("path").and_then(Value::as_str) else {
                image.problems.warn(&group.location, "A level has no path, it is left out");
                continue;
            };
            let folder = joined(&group.folder, path);
            let transforms = dataset.get("coordinateTransformations").and_then(Value::as_array).map(Vec::as_slice);
            let transforms = transforms.filter(|_| has_scales);
            let opened = open_array(self.opener, &folder, Some(group.format), self.indices).and_then(|array| {
                let order = level_axes(&array, axes.as_deref(), group, &mut image.problems)?;
                let shape = array.store.meta().shape.to_vec();
                let first = first_shape.get_or_insert_with(|| shape.clone());
                let placed = placement(transforms, &shape, first);
                let fields = placement_fields(&placed, transforms.is_some());
                channels = order.dimension(&AxisRole::Channel).map_or(1, |d| shape[d]);
                let level = level_from(&array, order.clone(), None, fields)?;
                Ok((level, placed, order))
            });
            let mut scaled =
                ScaledLevel { path: folder, scale: [1.0; 3], translation: [0.0; 3], source: Err(Arc::default()), axes: Vec::new() };
            let (placed, order) = match opened {
                Ok((level, placed, order)) => {
                    image.problems.extend(level.problems);
                    scaled.source = Ok(level.source);
                    scaled.axes = level.axes;
                    (placed, Some(order))
                }
                Err(err) => {
                    scaled.source = Err(Arc::new(err));
                    // Where it belongs is known even if it can't be opened.
                    let rank = axes.as_deref().map_or(0, <[Axis]>::len);
                    let order =
                        axes.as_deref().and_then(|axes| AxisOrder::new(axes.iter().map(|axis| axis.role.clone()).collect(), rank, "").ok());
                    (placement(transforms, &vec![1; rank], &vec![1; rank]), order)
                }
            };
            let (scale, translation) = placed;
            for (i, role) in [AxisRole::X, AxisRole::Y, AxisRole::Z].iter().enumerate() {
                if let Some(d) = order.as_ref().and_then(|order| order.dimension(role)) {
                    scaled.scale[i] = scale[d] * factors[i];
                    scaled.translation[i] = translation[d] * factors[i];
                }
            }
            image.levels.push(scaled);
        }
        if axes.as_deref().is_some_and(|axes| axes.iter().all(|axis| axis.role != AxisRole::Z)) {
            // A plane is as thick as its finest pixels are wide, in all levels.
            let depth = image.levels.iter().map(|level| level.scale[0]).fold(f64::INFINITY, f64::min);
            image.levels.iter_mut().for_each(|level| level.scale[2] = depth);
        }
        image.configuration = omero(group, channels, &mut image.problems);
        image
    }
}

/// Axes of a level: those that the multiscale names, else by its number of dimensions.
fn level_axes(array: &OpenedArray, axes: Option<&[Axis]>, group: &Group, problems: &mut Problems) -> Result<AxisOrder, LevelError> {
    let rank = array.store.meta().shape.len();
    let fail = |err: AxesError| LevelError { reason: format!("can't tell the axes: {err}"), location: array.location.clone() };
    let Some(axes) = axes else {
        let order = AxisOrder::last_zyx(rank, "the group names no axes, the order of its version is assumed").map_err(fail)?;
        problems.info(&group.location, format!("The multiscales name no axes, {} is assumed", order.names()));
        return Ok(order);
    };
    let roles = axes.iter().map(|axis| axis.role.clone()).collect();
    AxisOrder::new(roles, rank, format!("axes of the group, {}", group.location)).map_err(fail)
}

/// Scale and translation for the header panel.
fn placement_fields((scale, translation): &(Vec<f64>, Vec<f64>), is_given: bool) -> Vec<HeaderField> {
    let list = |values: &[f64]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let meaning = if is_given { "size of a voxel along each dimension" } else { "not given, from the shapes of the levels" };
    let mut fields = vec![HeaderField::new("scale", "", list(scale), meaning)];
    if translation.iter().any(|t| *t != 0.0) {
        fields.push(HeaderField::new(
            "translation",
            "",
            list(translation),
            "centre of the first voxel; positions count from 0 all the same",
        ));
    }
    fields
}

fn empty_image(name: String, format: crate::format::DataFormat) -> Image {
    Image {
        name,
        category: None,
        format,
        unit: None,
        levels: Vec::new(),
        configuration: LayerConfiguration::default(),
        segment_colors: Vec::new(),
        problems: Problems::default(),
    }
}

/// A folder below another, by a path with `/`.
pub fn joined(folder: &Path, path: &str) -> PathBuf {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").fold(folder.to_owned(), |folder, part| folder.join(part))
}

fn axis(value: &Value) -> Axis {
    let name = value.as_str().or_else(|| value.get("name")?.as_str()).unwrap_or_default();
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let role = match (AxisRole::from_name(name), kind) {
        (_, "channel") => AxisRole::Channel,
        // An axis of time may be called z only by mistake, but then it is time.
        (AxisRole::X | AxisRole::Y | AxisRole::Z | AxisRole::Channel, "time") => AxisRole::Extra(name.to_owned()),
        (role, _) => role,
    };
    Axis { role, unit: value.get("unit").and_then(Value::as_str).map(str::to_owned) }
}

/// Units of the spatial axes as one unit, and factors to it.
struct Units {
    common: Option<LengthUnit>,
    factors: [f64; 3],
}

impl Units {
    fn of(axes: &[Axis], location: &str, problems: &mut Problems) -> Self {
        let mut units = [None; 3];
        let mut is_unknown = false;
        for (i, role) in [AxisRole::X, AxisRole::Y, AxisRole::Z].iter().enumerate() {
            let Some(axis) = axes.iter().find(|axis| axis.role == *role) else { continue };
            units[i] = match axis.unit.as_deref().map(str::trim).filter(|unit| !unit.is_empty()) {
                Some(name) => {
                    let unit = LengthUnit::parse(name);
                    if unit.is_none() {
                        problems
                            .warn(location, format!("The unit {name:?} of axis {} is no length, lengths are shown in voxels", role.name()));
                        is_unknown = true;
                    }
                    unit
                }
                None => {
                    problems.info(location, format!("Axis {} has no unit, nanometer is assumed as WEBKNOSSOS does", role.name()));
                    Some(LengthUnit::NANOMETER)
                }
            };
        }
        let common = units.iter().flatten().next().copied().filter(|_| !is_unknown);
        let factor = |unit: Option<LengthUnit>| match (unit, common) {
            (Some(unit), Some(common)) => unit.meters() / common.meters(),
            _ => 1.0,
        };
        Self { common, factors: units.map(factor) }
    }
}

/// A transformation's numbers, one for each of `rank` dimensions.
fn numbers(transform: &Value, key: &str, rank: usize) -> Option<Vec<f64>> {
    let list: Vec<f64> = transform.get(key)?.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    (list.len() == rank).then_some(list)
}

/// Whether all scales of a level are numbers in the file itself.
fn has_usable_scales(dataset: &Value, rank: usize) -> bool {
    let transforms = dataset.get("coordinateTransformations").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_scale = |transform: &&Value| transform.get("type").and_then(Value::as_str) == Some("scale") || transform.get("scale").is_some();
    transforms.iter().filter(is_scale).all(|transform| numbers(transform, "scale", rank).is_some())
}

/// Scale and translation of each dimension. Scales are multiplied, translations after them added. Without any,
/// the scale is how much smaller the level is than the first one.
fn placement(transforms: Option<&[Value]>, shape: &[u64], first_shape: &[u64]) -> (Vec<f64>, Vec<f64>) {
    let rank = shape.len();
    let mut scale: Option<Vec<f64>> = None;
    let mut translation = vec![0.0; rank];
    for transform in transforms.unwrap_or_default() {
        if let Some(factors) = numbers(transform, "scale", rank) {
            let scale = scale.get_or_insert_with(|| vec![1.0; rank]);
            scale.iter_mut().zip(&factors).for_each(|(scale, factor)| *scale *= factor);
            translation.iter_mut().zip(&factors).for_each(|(translation, factor)| *translation *= factor);
        }
        if let Some(offsets) = numbers(transform, "translation", rank) {
            translation.iter_mut().zip(&offsets).for_each(|(translation, offset)| *translation += offset);
        }
    }
    let by_shape = || {
        let ratio = |d: usize| match (first_shape.get(d), shape[d]) {
            (Some(first), n) if n > 0 => (*first as f64 / n as f64).round().max(1.0),
            _ => 1.0,
        };
        (0..rank).map(ratio).collect()
    };
    (scale.unwrap_or_else(by_shape), translation)
}

/// Settings of channels. What can't be understood is left out with a note.
fn omero(group: &Group, channels: u64, problems: &mut Problems) -> LayerConfiguration {
    let mut configuration = LayerConfiguration::default();
    let Some(omero) = group.attributes.get("omero") else { return configuration };
    let Some(list) = omero.get("channels").and_then(Value::as_array).filter(|list| !list.is_empty()) else {
        problems.info(&group.location, "omero has no list of channels, it is left out");
        return configuration;
    };
    if list.len() as u64 != channels {
        problems.info(&group.location, format!("omero describes {} channels, the image has {channels}", list.len()));
    }
    let settings: Vec<ChannelConfiguration> = list.iter().take(usize::try_from(channels).unwrap_or(0)).map(channel).collect();
    if let [only] = &settings[..]
        && channels == 1
    {
        configuration.color = only.color;
        configuration.intensity_range = only.intensity_range;
        configuration.is_inverted = only.is_inverted;
        configuration.is_disabled = only.is_active.map(|active| !active);
    } else {
        configuration.channels = settings;
        configuration.channels.resize_with(usize::try_from(channels).unwrap_or(0).min(4096), ChannelConfiguration::default);
    }
    configuration
}

fn channel(value: &Value) -> ChannelConfiguration {
    let color = value.get("color").and_then(Value::as_str).and_then(|text| {
        let digits = text.trim().trim_start_matches('#');
        let rgb = u32::from_str_radix(digits.get(..6)?, 16).ok()?;
        let [_, r, g, b] = rgb.to_be_bytes();
        Some([r, g, b])
    });
    let bound = |key: &str| value.pointer(&format!("/window/{key}")).and_then(Value::as_f64).filter(|v| v.is_finite());
    ChannelConfiguration {
        name: value.get("label").and_then(Value::as_str).filter(|label| !label.is_empty()).map(str::to_owned),
        color,
        intensity_range: bound("start").zip(bound("end")).filter(|(start, end)| start <= end),
        is_inverted: value.get("inverted").and_then(Value::as_bool),
        is_active: value.get("active").and_then(Value::as_bool),
    }
}

fn segment_colors(image_label: &Value, location: &str, problems: &mut Problems) -> Vec<SegmentColor> {
    let list = image_label.get("colors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if list.len() > MAX_COLORS {
        problems.warn(location, format!("Of {} colours of labels the first {MAX_COLORS} are used", list.len()));
    }
    let color = |entry: &Value| {
        let id = entry.get("label-value")?;
        let id = id.as_u64().or_else(|| id.as_i64().map(i64::cast_unsigned)).or_else(|| id.as_f64().map(|id| id as u64))?;
        let rgba: Vec<u8> =
            entry.get("rgba")?.as_array()?.iter().map(|v| v.as_f64().map(|v| v.clamp(0.0, 255.0) as u8)).collect::<Option<_>>()?;
        let rgba = match rgba[..] {
            [r, g, b] => [r, g, b, 255],
            [r, g, b, a] => [r, g, b, a],
            _ => return None,
        };
        Some(SegmentColor { id, rgba })
    };
    list.iter().take(MAX_COLORS).filter_map(color).collect()
}
