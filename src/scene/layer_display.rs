//! [`LayerDisplay`] and [`ValueWindow`]: how one layer is shown, as plain data.
//!
//! Defaults are those of `spec/rendering.md` section 3; what a dataset configures wins over them.

use super::channel_display::{ChannelDisplay, channels_without_window, shared_configuration};
use super::segment_color::{GivenColors, SegmentDisplay};
use crate::format::{Layer, LayerCategory};
use crate::voxel::ElementClass;
use std::sync::Arc;

/// Opacity of a segmentation that configures none.
const SEGMENTATION_OPACITY: f32 = 0.2;

/// Exponents of the intensity curve that can be set.
pub const GAMMA_RANGE: (f32, f32) = (0.01, 10.0);

/// The values drawn as black (`min`) and at full intensity (`max`). Both are finite and `min <= max`;
/// where they are equal everything is drawn black.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueWindow {
    min: f64,
    max: f64,
}

impl ValueWindow {
    /// A window between two values in either order. A NaN takes the other's value, infinities become the
    /// widest finite value.
    pub fn new(a: f64, b: f64) -> Self {
        let a = if a.is_nan() { b } else { a };
        let b = if b.is_nan() { a } else { b };
        if a.is_nan() {
            return Self { min: 0.0, max: 0.0 };
        }
        let (a, b) = (finite(a), finite(b));
        Self { min: a.min(b), max: a.max(b) }
    }

    /// All values of a class (for floats: all finite ones).
    pub fn full(class: ElementClass) -> Self {
        let (min, max) = class.full_range();
        Self::new(min, max)
    }

    /// The value drawn black.
    pub const fn min(self) -> f64 {
        self.min
    }

    /// The value drawn at full intensity.
    pub const fn max(self) -> f64 {
        self.max
    }

    /// Moves the lower end, at most up to the upper one. NaN changes nothing.
    pub fn set_min(&mut self, min: f64) {
        if !min.is_nan() {
            self.min = finite(min).min(self.max);
        }
    }

    /// Moves the upper end, at most down to the lower one. NaN changes nothing.
    pub fn set_max(&mut self, max: f64) {
        if !max.is_nan() {
            self.max = finite(max).max(self.min);
        }
    }
}

/// The nearest finite value; not for NaN.
fn finite(v: f64) -> f64 {
    v.clamp(f64::MIN, f64::MAX)
}

/// How values between voxels are drawn. Segmentations are never interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Each pixel shows the voxel it lies in.
    #[default]
    Nearest,
    /// Bilinear within the slice plane.
    Linear,
}

/// Colours that intensities run through, from the window's lower end to its upper one. RGB data ignore it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, strum::EnumIter)]
pub enum Colormap {
    /// Black to white.
    #[default]
    Grey,
    /// Dark violet over green to yellow, evenly bright steps.
    Viridis,
    /// Black over red to pale yellow, evenly bright steps.
    Inferno,
}

/// How one layer is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerDisplay {
    /// Whether it is drawn at all.
    pub visible: bool,
    /// 0 to 1.
    pub opacity: f32,
    /// Values drawn black and at full intensity. Unused by segmentations.
    pub window: ValueWindow,
    /// The intensity curve is `v^(1/gamma)`; see [`GAMMA_RANGE`].
    pub gamma: f32,
    /// Black and full intensity swapped.
    pub inverted: bool,
    /// Colour that intensities are multiplied by, red, green, blue.
    pub color: [u8; 3],
    /// How values between voxels are drawn.
    pub interpolation: Interpolation,
    /// Colours of the intensities.
    pub colormap: Colormap,
    /// Colours, pattern and visibility of segments. Unused by colour layers.
    pub segments: Arc<SegmentDisplay>,
    /// Each channel of a layer whose channels are mixed by colour; window, colour and colormap above are unused then.
    /// Empty for layers of one channel, RGB, and segmentations.
    pub channels: Arc<Vec<ChannelDisplay>>,
}

impl LayerDisplay {
    /// What a layer looks like at first: as configured, else by category and class. The window is the full
    /// range of the class where none is configured; see [`Self::wants_auto_window`].
    pub fn for_layer(layer: &Layer) -> Self {
        let (configured, shared) = (&layer.configuration, shared_configuration(layer));
        let class = layer.voxel_type.map_or(ElementClass::Uint8, |t| t.class);
        let default_opacity = match layer.category {
            LayerCategory::Color => 1.0,
            LayerCategory::Segmentation => SEGMENTATION_OPACITY,
        };
        let opacity = configured.alpha.filter(|a| a.is_finite()).map_or(default_opacity, |a| a.clamp(0.0, 1.0) as f32);
        let gamma = configured.gamma.filter(|g| g.is_finite()).map_or(1.0, |g| (g as f32).clamp(GAMMA_RANGE.0, GAMMA_RANGE.1));
        Self {
            visible: !configured.is_disabled.unwrap_or(false),
            opacity,
            window: configured
                .intensity_range
                .or(shared.intensity_range)
                .map_or_else(|| ValueWindow::full(class), |(min, max)| ValueWindow::new(min, max)),
            gamma,
            inverted: configured.is_inverted.or(shared.is_inverted).unwrap_or(false),
            color: configured.color.or(shared.color).unwrap_or([255; 3]),
            interpolation: Interpolation::Nearest,
            colormap: Colormap::Grey,
            segments: Arc::new(SegmentDisplay { given: Arc::new(GivenColors::new(&layer.segment_colors)), ..SegmentDisplay::default() }),
            channels: Arc::new(ChannelDisplay::of_layer(layer)),
        }
    }

    /// Whether the window of a layer is to be found from its values: intensities of more than 8 bits for
    /// which the dataset configures no range. Their full range would show most data as black. Mixed channels have
    /// windows of their own, see [`Self::channels_without_window`].
    pub fn wants_auto_window(layer: &Layer) -> bool {
        let is_color = match layer.category {
            LayerCategory::Color => true,
            LayerCategory::Segmentation => false,
        };
        let is_wide = layer.voxel_type.is_some_and(|t| t.class.byte_len() > 1);
        let has_range = layer.configuration.intensity_range.or(shared_configuration(layer).intensity_range).is_some();
        is_color && is_wide && !has_range && channels_without_window(layer).is_empty()
    }

    /// As [`Self::wants_auto_window`], for each channel of a layer whose channels are mixed.
    pub fn channels_without_window(layer: &Layer) -> Vec<bool> {
        channels_without_window(layer)
    }
}

/// A layer of one channel, for tests.
#[cfg(test)]
pub(super) fn test_layer(category: LayerCategory, class: ElementClass, configuration: crate::format::LayerConfiguration) -> Layer {
    Layer {
        name: "a".to_owned(),
        category,
        format: crate::format::DataFormat::Wkw,
        voxel_type: Some(crate::voxel::VoxelType::single(class)),
        bounding_box: crate::geometry::BoundingBox::default(),
        has_declared_box: true,
        largest_segment_id: None,
        levels: Vec::new(),
        axes: Vec::new(),
        segment_colors: Arc::default(),
        configuration,
    }
}

#[cfg(test)]
mod tests {
    use super::test_layer as layer;
    use super::*;
    use crate::format::LayerConfiguration;

    #[test]
    fn windows_stay_ordered_and_finite() {
        let cases = [
            ((5.0, 1.0), (1.0, 5.0)),
            ((3.0, 3.0), (3.0, 3.0)),
            ((f64::NAN, 2.0), (2.0, 2.0)),
            ((2.0, f64::NAN), (2.0, 2.0)),
            ((f64::NAN, f64::NAN), (0.0, 0.0)),
            ((f64::INFINITY, f64::NEG_INFINITY), (f64::MIN, f64::MAX)),
        ];
        for ((a, b), (min, max)) in cases {
            let window = ValueWindow::new(a, b);
            assert_eq!((window.min(), window.max()), (min, max), "{a} {b}");
        }
    }

    #[test]
    fn moving_one_end_stops_at_the_other() {
        let mut window = ValueWindow::new(10.0, 20.0);
        window.set_min(30.0);
        assert_eq!((window.min(), window.max()), (20.0, 20.0));
        window.set_min(f64::NAN);
        window.set_max(5.0);
        assert_eq!((window.min(), window.max()), (20.0, 20.0));
        window.set_min(f64::NEG_INFINITY);
        assert_eq!(window.min(), f64::MIN);
    }

    #[test]
    fn defaults_follow_category_and_class() {
        let color = LayerDisplay::for_layer(&layer(LayerCategory::Color, ElementClass::Int16, LayerConfiguration::default()));
        assert_eq!((color.window, color.opacity, color.gamma), (ValueWindow::new(-32768.0, 32767.0), 1.0, 1.0));
        assert!(color.visible && !color.inverted);
        assert_eq!(color.color, [255; 3]);
        let segmentation =
            LayerDisplay::for_layer(&layer(LayerCategory::Segmentation, ElementClass::Uint32, LayerConfiguration::default()));
        assert_eq!(segmentation.opacity, 0.2);
    }

    #[test]
    fn colours_that_the_dataset_gives_segments_are_taken() {
        let mut layer = layer(LayerCategory::Segmentation, ElementClass::Uint32, LayerConfiguration::default());
        let colors = [(7, [1, 2, 3, 255]), (8, [9, 9, 9, 0])].map(|(id, rgba)| crate::format::SegmentColor { id, rgba });
        layer.segment_colors = Arc::from(colors);
        let segments = LayerDisplay::for_layer(&layer).segments;
        assert_eq!((segments.color(7, false), segments.is_hidden(7), segments.is_hidden(8)), ([1, 2, 3], false, true));
    }

    #[test]
    fn configured_settings_win() {
        let configuration = LayerConfiguration {
            color: Some([1, 2, 3]),
            alpha: Some(0.5),
            intensity_range: Some((40.0, 10.0)),
            gamma: Some(99.0),
            is_inverted: Some(true),
            is_disabled: Some(true),
            channels: Vec::new(),
        };
        let display = LayerDisplay::for_layer(&layer(LayerCategory::Segmentation, ElementClass::Uint8, configuration));
        assert_eq!((display.color, display.opacity, display.window), ([1, 2, 3], 0.5, ValueWindow::new(10.0, 40.0)));
        assert_eq!(display.gamma, 10.0);
        assert!(display.inverted && !display.visible);
    }

    #[test]
    fn only_wide_unconfigured_intensities_want_a_window_from_their_values() {
        let configured = LayerConfiguration { intensity_range: Some((0.0, 9.0)), ..Default::default() };
        let cases = [
            (LayerCategory::Color, ElementClass::Uint16, LayerConfiguration::default(), true),
            (LayerCategory::Color, ElementClass::Float32, LayerConfiguration::default(), true),
            (LayerCategory::Color, ElementClass::Uint16, configured, false),
            (LayerCategory::Color, ElementClass::Uint8, LayerConfiguration::default(), false),
            (LayerCategory::Color, ElementClass::Int8, LayerConfiguration::default(), false),
            (LayerCategory::Segmentation, ElementClass::Uint32, LayerConfiguration::default(), false),
        ];
        for (category, class, configuration, expected) in cases {
            assert_eq!(LayerDisplay::wants_auto_window(&layer(category, class, configuration)), expected, "{category:?} {class}");
        }
    }
}
