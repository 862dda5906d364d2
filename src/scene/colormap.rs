//! [`ColorTable`]: values to colours through a table made once per layer and image.
//!
//! The pipeline is that of `spec/rendering.md` section 3: clamp to the window, normalise (in f64, so that
//! 1e300 and small differences on large values survive), gamma, inversion, colour and opacity.

use super::layer_display::{Colormap, LayerDisplay, ValueWindow};
use crate::voxel::ElementClass;

/// What NaN looks like at full opacity: a muted purple, which no grey ramp contains.
pub const NAN_COLOR: [u8; 3] = [0x5a, 0x3d, 0x66];

/// Entries of the ramp for classes of more than 8 bits. Sixteen steps per output level keep steep gamma
/// curves smooth; at 16 KiB it still fits the first-level cache.
const RAMP_LEN: usize = 4096;

/// Entries for classes of 8 bits: one for each.
const BYTE_VALUES: usize = 256;

/// One opaque pixel: red, green, blue, 255.
pub(super) type Rgba = [u8; 4];

/// Colours of one layer's values.
#[derive(Clone, Debug)]
pub struct ColorTable {
    /// By byte for 8-bit classes, else by normalised value; never empty.
    ramp: Vec<Rgba>,
    nan: Rgba,
    normalize: Normalize,
}

/// From a value to its place in the window.
#[derive(Clone, Copy, Debug)]
struct Normalize {
    min: f64,
    max: f64,
    /// 1, or 2^-64 for windows so wide that their width would overflow or its reciprocal lose digits.
    scale: f64,
    /// `min`, scaled.
    scaled_min: f64,
    /// 1 / scaled width; infinite for a width of 0 or nearly.
    per_unit: f64,
}

impl Normalize {
    fn new(window: ValueWindow) -> Self {
        let (min, max) = (window.min(), window.max());
        let scale = if max - min < 1e300 { 1.0 } else { 1.0 / (1_u128 << 64) as f64 };
        Self { min, max, scale, scaled_min: min * scale, per_unit: 1.0 / (max * scale - min * scale) }
    }

    fn is_empty(&self) -> bool {
        self.min == self.max
    }

    /// 0 below the window, 1 above it (also infinity, where the width is nearly 0). At the lower end of such a
    /// narrow window it is NaN, which as an index is 0.
    #[inline(always)]
    fn apply(&self, value: f64) -> f64 {
        let clamped = value.max(self.min).min(self.max);
        (clamped * self.scale - self.scaled_min) * self.per_unit
    }
}

/// From a normalised value to its colour.
struct Curve<'a> {
    display: &'a LayerDisplay,
    normalize: Normalize,
    colormap: Colormap,
    opacity: f64,
    exponent: f64,
}

impl<'a> Curve<'a> {
    fn new(is_rgb: bool, display: &'a LayerDisplay) -> Self {
        Self {
            display,
            normalize: Normalize::new(display.window),
            colormap: if is_rgb { Colormap::Grey } else { display.colormap },
            opacity: f64::from(display.opacity.clamp(0.0, 1.0)),
            exponent: 1.0 / f64::from(display.gamma.max(1e-3)),
        }
    }

    fn color(&self, v: f64) -> Rgba {
        if self.normalize.is_empty() {
            return [0, 0, 0, 255];
        }
        let v = if v.is_nan() { 0.0 } else { v.min(1.0) };
        let curved = if self.exponent == 1.0 { v } else { v.powf(self.exponent) };
        let curved = if self.display.inverted { 1.0 - curved } else { curved };
        tint(map_color(self.colormap, curved), self.display.color, self.opacity)
    }

    fn nan(&self) -> Rgba {
        tint(NAN_COLOR.map(f64::from), [255; 3], self.opacity)
    }
}

/// The colour that a value of a class has in the table of a display, without making the table.
pub(super) fn color_of_value(class: ElementClass, is_rgb: bool, display: &LayerDisplay, value: f64) -> Rgba {
    let curve = Curve::new(is_rgb, display);
    if value.is_nan() {
        return curve.nan();
    }
    let normal = curve.normalize.apply(value);
    if class.byte_len() == 1 {
        return curve.color(normal);
    }
    let index = (normal * (RAMP_LEN - 1) as f64 + 0.5) as usize;
    curve.color(index.min(RAMP_LEN - 1) as f64 / (RAMP_LEN - 1) as f64)
}

impl ColorTable {
    /// The table for values of `class`. With `is_rgb` the colormap is ignored and each channel takes its own
    /// component of the table.
    pub fn new(class: ElementClass, is_rgb: bool, display: &LayerDisplay) -> Self {
        let curve = Curve::new(is_rgb, display);
        let normalize = curve.normalize;
        let color = |v: f64| curve.color(v);
        let ramp = match class {
            ElementClass::Bool => (0..=u8::MAX).map(|b| color(normalize.apply(f64::from(b.min(1))))).collect(),
            ElementClass::Uint8 => (0..=u8::MAX).map(|b| color(normalize.apply(f64::from(b)))).collect(),
            ElementClass::Int8 => (0..=u8::MAX).map(|b| color(normalize.apply(f64::from(i8::from_le_bytes([b]))))).collect(),
            ElementClass::Uint16
            | ElementClass::Uint32
            | ElementClass::Uint64
            | ElementClass::Int16
            | ElementClass::Int32
            | ElementClass::Int64
            | ElementClass::Float16
            | ElementClass::Float32
            | ElementClass::Float64 => (0..RAMP_LEN).map(|i| color(i as f64 / (RAMP_LEN - 1) as f64)).collect(),
        };
        Self { ramp, nan: curve.nan(), normalize }
    }

    /// Colour of an 8-bit value by its byte. Only for tables of 8-bit classes.
    #[inline(always)]
    pub(super) fn by_byte(&self, byte: u8) -> Rgba {
        self.ramp[usize::from(byte)] // such tables have 256 entries
    }

    /// Colour of a value. Only for tables of classes with more than 8 bits.
    #[inline(always)]
    pub(super) fn by_value(&self, value: f64) -> Rgba {
        if value.is_nan() {
            return self.nan;
        }
        let index = (self.normalize.apply(value) * (RAMP_LEN - 1) as f64 + 0.5) as usize;
        self.ramp[index.min(RAMP_LEN - 1)]
    }

    /// Colour of three channels: of each one's own colour its own component. NaN in any of them shows as NaN.
    #[inline(always)]
    pub(super) fn combine(&self, values: [f64; 3], colors: [Rgba; 3]) -> Rgba {
        if values[0].is_nan() || values[1].is_nan() || values[2].is_nan() {
            return self.nan;
        }
        [colors[0][0], colors[1][1], colors[2][2], 255]
    }

    /// Colour of three channels by value.
    pub(super) fn rgb(&self, values: [f64; 3]) -> Rgba {
        self.combine(values, values.map(|v| self.rgba(v)))
    }

    /// Colour of a value of the class the table was made for. For single values; loops use the others.
    pub fn color(&self, value: f64) -> [u8; 3] {
        let [r, g, b, _] = self.rgba(value);
        [r, g, b]
    }

    /// As [`Self::color`], opaque. Values of 8-bit classes (also between two of them) round to the nearest.
    #[inline(always)]
    pub(super) fn rgba(&self, value: f64) -> Rgba {
        if self.ramp.len() == BYTE_VALUES {
            // -1 and 255 are the same byte; which of them the class has is in the table already.
            let rounded = (value + if value < 0.0 { -0.5 } else { 0.5 }) as i64;
            self.by_byte(rounded.to_le_bytes()[0])
        } else {
            self.by_value(value)
        }
    }
}

/// `rgb` (0 to 255) times the layer's colour and opacity, rounded.
fn tint(rgb: [f64; 3], color: [u8; 3], opacity: f64) -> Rgba {
    let channel = |i: usize| (rgb[i] * f64::from(color[i]) / 255.0 * opacity + 0.5) as u8; // `as` saturates
    [channel(0), channel(1), channel(2), 255]
}

/// Ten evenly spaced colours of matplotlib's viridis (CC0).
const VIRIDIS: [u32; 10] = [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];

/// Ten evenly spaced colours of matplotlib's inferno (CC0).
const INFERNO: [u32; 10] = [0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60, 0xcf4446, 0xed6925, 0xfb9b06, 0xf7d13d, 0xfcffa4];

/// Colour (0 to 255) of a normalised value.
fn map_color(colormap: Colormap, v: f64) -> [f64; 3] {
    match colormap {
        Colormap::Grey => [v * 255.0; 3],
        Colormap::Viridis => between(&VIRIDIS, v),
        Colormap::Inferno => between(&INFERNO, v),
    }
}

/// Linear between the two nearest of evenly spaced colours.
fn between(colors: &[u32; 10], v: f64) -> [f64; 3] {
    let at = v.clamp(0.0, 1.0) * 9.0;
    let first = (at as usize).min(8);
    let t = at - first as f64;
    let channel = |color: u32, shift: u32| f64::from((color >> shift) & 0xff);
    [16, 8, 0].map(|shift| channel(colors[first], shift) * (1.0 - t) + channel(colors[first + 1], shift) * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::layer_display::Interpolation;
    use std::sync::Arc;

    fn display(min: f64, max: f64) -> LayerDisplay {
        LayerDisplay {
            visible: true,
            opacity: 1.0,
            window: ValueWindow::new(min, max),
            gamma: 1.0,
            inverted: false,
            color: [255; 3],
            interpolation: Interpolation::Nearest,
            colormap: Colormap::Grey,
            segments: Arc::default(),
            channels: Arc::default(),
        }
    }

    fn grey(class: ElementClass, display: &LayerDisplay, value: f64) -> u8 {
        ColorTable::new(class, false, display).color(value)[1]
    }

    #[test]
    fn every_8_bit_value_is_its_own_grey_by_default() {
        let table = ColorTable::new(ElementClass::Uint8, false, &display(0.0, 255.0));
        for byte in 0..=u8::MAX {
            assert_eq!(table.by_byte(byte), [byte, byte, byte, 255]);
        }
    }

    #[test]
    fn signed_values_grow_brighter_from_lowest_to_highest() {
        let bytes = ColorTable::new(ElementClass::Int8, false, &display(-128.0, 127.0));
        let greys: Vec<u8> = (i8::MIN..=i8::MAX).map(|v| bytes.color(f64::from(v))[0]).collect();
        assert_eq!(greys, (0..=255).collect::<Vec<u8>>());
        let words = ColorTable::new(ElementClass::Int16, false, &display(-32768.0, 32767.0));
        let greys: Vec<u8> = (i16::MIN..=i16::MAX).map(|v| words.color(f64::from(v))[0]).collect();
        assert!(greys.is_sorted());
        assert_eq!((greys[0], greys[65535]), (0, 255));
    }

    #[test]
    fn values_outside_the_window_and_infinities_saturate() {
        let d = display(300.0, 4300.0);
        for (value, expected) in
            [(0.0, 0), (300.0, 0), (2300.0, 128), (4300.0, 255), (60000.0, 255), (f64::INFINITY, 255), (f64::NEG_INFINITY, 0)]
        {
            assert_eq!(grey(ElementClass::Float64, &d, value), expected, "{value}");
        }
    }

    #[test]
    fn nan_has_a_colour_of_its_own_even_in_an_empty_window() {
        for d in [display(0.0, 1.0), display(5.0, 5.0)] {
            assert_eq!(ColorTable::new(ElementClass::Float32, false, &d).color(f64::NAN), NAN_COLOR);
        }
        let rgb = ColorTable::new(ElementClass::Float32, true, &display(0.0, 1.0));
        assert_eq!(rgb.rgb([0.0, f64::NAN, 1.0])[..3], NAN_COLOR);
    }

    #[test]
    fn an_empty_window_is_black_even_inverted() {
        let d = LayerDisplay { inverted: true, ..display(7.0, 7.0) };
        for class in [ElementClass::Uint8, ElementClass::Int8, ElementClass::Uint16, ElementClass::Float64] {
            for value in [0.0, 7.0, 100.0] {
                assert_eq!(grey(class, &d, value), 0, "{class} {value}");
            }
        }
    }

    #[test]
    fn extreme_windows_neither_overflow_nor_lose_small_differences() {
        let full = display(f64::MIN, f64::MAX);
        assert_eq!([f64::MIN, 0.0, -0.0, f64::MAX].map(|v| grey(ElementClass::Float64, &full, v)), [0, 128, 128, 255]);
        let large = display(-1e300, 1e300);
        assert_eq!([-1e300, 0.0, 1e300].map(|v| grey(ElementClass::Float64, &large, v)), [0, 128, 255]);
        // In f32 these three would be the same number.
        let offset = display(1e9, 1e9 + 2.0);
        assert_eq!([1e9, 1e9 + 1.0, 1e9 + 2.0].map(|v| grey(ElementClass::Float64, &offset, v)), [0, 128, 255]);
        let tiny = display(0.0, f64::from_bits(1));
        assert_eq!([0.0, f64::from_bits(1), 1.0].map(|v| grey(ElementClass::Float64, &tiny, v)), [0, 255, 255]);
        let int64 = display(i64::MIN as f64, i64::MAX as f64);
        assert_eq!([i64::MIN, 0, i64::MAX].map(|v| grey(ElementClass::Int64, &int64, v as f64)), [0, 128, 255]);
    }

    #[test]
    fn gamma_inversion_colour_and_opacity_follow_the_specification() {
        let d = LayerDisplay { gamma: 2.0, ..display(0.0, 100.0) };
        assert_eq!(grey(ElementClass::Uint8, &d, 25.0), 128); // (0.25)^(1/2)
        let d = LayerDisplay { gamma: 2.0, inverted: true, ..display(0.0, 100.0) };
        assert_eq!(grey(ElementClass::Uint8, &d, 25.0), 128);
        assert_eq!(grey(ElementClass::Uint8, &d, 0.0), 255);
        let d = LayerDisplay { color: [255, 128, 0], opacity: 0.5, ..display(0.0, 100.0) };
        assert_eq!(ColorTable::new(ElementClass::Uint8, false, &d).color(100.0), [128, 64, 0]);
    }

    #[test]
    fn each_rgb_channel_takes_its_own_component() {
        let d = LayerDisplay { color: [255, 128, 0], ..display(0.0, 255.0) };
        let table = ColorTable::new(ElementClass::Uint8, true, &d);
        assert_eq!(table.rgb([10.0, 200.0, 30.0]), [10, 100, 0, 255]);
    }

    #[test]
    fn colormaps_start_and_end_where_they_should() {
        let d = LayerDisplay { colormap: Colormap::Viridis, ..display(0.0, 9.0) };
        let table = ColorTable::new(ElementClass::Float32, false, &d);
        assert_eq!([table.color(0.0), table.color(9.0)], [[0x44, 0x01, 0x54], [0xfd, 0xe7, 0x25]]);
        let d = LayerDisplay { colormap: Colormap::Inferno, ..d };
        assert_eq!(ColorTable::new(ElementClass::Uint8, false, &d).color(5.0), [0xcf, 0x44, 0x46]);
    }
}
