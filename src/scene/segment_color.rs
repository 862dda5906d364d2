//! Segment ids to stable colours and patterns: `spec/rendering.md` sections 4.1 and 4.2, slice variant.
//!
//! An id is passed as its 64 bits; those of a signed class are sign-extended and coloured by their absolute
//! value. Nothing here rounds an id through a float.

use crate::format::SegmentColor;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

const PERM19: [u8; 19] = [19, 4, 8, 16, 13, 7, 14, 9, 18, 17, 15, 11, 3, 6, 12, 5, 10, 1, 2];
const PERM17: [u8; 17] = [17, 9, 10, 13, 5, 15, 11, 16, 14, 8, 7, 4, 12, 2, 6, 1, 3];
const PERM13: [u8; 13] = [13, 4, 8, 3, 6, 12, 11, 9, 5, 10, 7, 1, 2];
const PERM3: [u8; 3] = [3, 1, 2];

/// Opacity of the pattern that webknossos starts with.
const PATTERN_OPACITY: f32 = 0.4;

/// Cycles of a pattern per voxel of base size, at frequency 1 and zoom up to 1.
pub(super) const PATTERN_CYCLES_PER_VOXEL: f64 = 0.15;

/// Colours, pattern and visibility of a layer's segments.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentDisplay {
    /// What the dataset says of single segments. Shared, because displays are copied and there may be many.
    pub given: Arc<GivenColors>,
    /// The segments that alone are drawn, whatever else says; `None` while all are that nothing hides.
    pub only: Option<Arc<HashSet<u64>>>,
    /// How strong stripes and grids are, 0 (none) to 1.
    pub pattern_opacity: f32,
}

/// Colours and visibility of single segments. Keys are ids by their 64 bits, sign-extended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenColors {
    /// Colours that replace the computed ones (the pattern still applies).
    pub custom: HashMap<u64, [u8; 3]>,
    /// Segments that aren't drawn.
    pub hidden: HashSet<u64>,
}

impl GivenColors {
    /// Of several colours for one id the last counts. What is entirely transparent is hidden.
    pub fn new(colors: &[SegmentColor]) -> Self {
        let mut given = Self::default();
        for SegmentColor { id, rgba: [r, g, b, opacity] } in colors {
            if *opacity == 0 {
                given.custom.remove(id);
                given.hidden.insert(*id);
            } else {
                given.hidden.remove(id);
                given.custom.insert(*id, [*r, *g, *b]);
            }
        }
        given
    }
}

impl Default for SegmentDisplay {
    fn default() -> Self {
        Self { given: Arc::default(), only: None, pattern_opacity: PATTERN_OPACITY }
    }
}

impl SegmentDisplay {
    /// Flat colour of a segment, without pattern: the custom one, else that of its id.
    pub fn color(&self, id_bits: u64, is_signed: bool) -> [u8; 3] {
        self.given.custom.get(&id_bits).copied().unwrap_or_else(|| segment_color(id_bits, is_signed))
    }

    /// Whether a segment isn't drawn.
    pub fn is_hidden(&self, id_bits: u64) -> bool {
        self.only.as_ref().map_or_else(|| self.given.hidden.contains(&id_bits), |only| !only.contains(&id_bits))
    }

    /// Draws a segment or not where only some are drawn; whether that is so.
    pub fn show_among_only(&mut self, id_bits: u64, is_visible: bool) -> bool {
        let Some(only) = self.only.as_mut().map(Arc::make_mut) else { return false };
        if is_visible {
            only.insert(id_bits);
        } else {
            only.remove(&id_bits);
        }
        true
    }
}

/// The flat colour of an id in slices, without pattern.
pub fn segment_color(id_bits: u64, is_signed: bool) -> [u8; 3] {
    to_bytes(hue_color(color_index(id_bits, is_signed)))
}

/// Pattern of one id, in the terms of the specification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SegmentPattern {
    /// Cycles relative to the layer's pattern frequency.
    pub frequency: f64,
    /// Share of the v axis in the first stripes' direction, 0 to 1.
    pub angle: f64,
    /// Whether a second set of stripes crosses the first.
    pub has_grid: bool,
}

impl SegmentPattern {
    pub(super) fn of(id_bits: u64, is_signed: bool) -> Self {
        let s = color_index(id_bits, is_signed);
        Self {
            frequency: 0.5 + f64::from(PERM3[s % 3]) / 3.0,
            angle: f64::from(PERM17[s % 17]) / 17.0,
            has_grid: PERM13[s % 13].is_multiple_of(2),
        }
    }
}

/// The two colours a pattern alternates between, 0 to 1: `on_stripe` (k = 0) loses saturation, `off_stripe`
/// (k = 1) value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PatternColors {
    pub on_stripe: [f32; 3],
    pub off_stripe: [f32; 3],
}

impl PatternColors {
    pub(super) fn of(flat: [u8; 3], pattern_opacity: f32) -> Self {
        let loss = 0.5 * pattern_opacity.clamp(0.0, 1.0);
        let (hue, saturation, value) = hsv_from_rgb(flat.map(|c| f32::from(c) / 255.0));
        Self {
            on_stripe: rgb_from_hsv(hue, (saturation - loss).max(0.0), value),
            off_stripe: rgb_from_hsv(hue, saturation, (value - loss).max(0.0)),
        }
    }
}

/// `s` of the specification.
fn color_index(id_bits: u64, is_signed: bool) -> usize {
    let id = if is_signed { id_bits.cast_signed().unsigned_abs() } else { id_bits };
    let [a, b, _, _, c, d, _, _] = id.to_le_bytes();
    usize::from(u16::from_le_bytes([a, b])) + usize::from(u16::from_le_bytes([c, d]))
}

/// The colour of the specification at saturation and value 1.
fn hue_color(s: usize) -> [f32; 3] {
    let x = f32::from(PERM19[s % 19]) / 19.0;
    let r = if x < 0.89 { (x - 0.35) / 0.31 } else { 1.0 - (x - 0.89) / 0.11 * 0.5 };
    let g = if x < 0.64 { (x - 0.125) * 4.0 } else { 1.0 - (x - 0.64) / 0.27 };
    let b = if x < 0.34 { 0.5 + x * 0.5 / 0.11 } else { 1.0 - (x - 0.34) / 0.31 };
    let (hue, _, _) = hsv_from_rgb([r, g, b].map(|c| c.clamp(0.0, 1.0)));
    rgb_from_hsv(hue, 1.0, 1.0)
}

/// Hue in sixths of the circle (0 to 6), saturation and value 0 to 1.
fn hsv_from_rgb([r, g, b]: [f32; 3]) -> (f32, f32, f32) {
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    let range = max - min;
    if range <= 0.0 {
        return (0.0, 0.0, max);
    }
    let hue = if max == r {
        ((g - b) / range).rem_euclid(6.0)
    } else if max == g {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    (hue, range / max, max)
}

fn rgb_from_hsv(hue: f32, saturation: f32, value: f32) -> [f32; 3] {
    [5.0, 3.0, 1.0].map(|n: f32| {
        let k = (n + hue).rem_euclid(6.0);
        value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0)
    })
}

fn to_bytes(rgb: [f32; 3]) -> [u8; 3] {
    rgb.map(|c| (c * 255.0 + 0.5) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `spec/rendering.md` 4.1.
    const SLICE_COLORS: [[u8; 3]; 19] = [
        [255, 0, 0],
        [0, 87, 255],
        [0, 255, 169],
        [255, 64, 0],
        [255, 213, 0],
        [0, 255, 237],
        [255, 164, 0],
        [0, 255, 72],
        [255, 0, 0],
        [255, 15, 0],
        [255, 114, 0],
        [169, 255, 0],
        [0, 34, 255],
        [0, 195, 255],
        [230, 255, 0],
        [0, 141, 255],
        [72, 255, 0],
        [0, 0, 255],
        [0, 0, 255],
    ];

    #[test]
    fn the_19_colours_are_those_of_the_table() {
        for (s, expected) in SLICE_COLORS.iter().enumerate() {
            for id in [s as u64, s as u64 + 19, s as u64 + 19 * 3400] {
                let actual = segment_color(id, false);
                let is_near = actual.iter().zip(expected).all(|(a, e)| a.abs_diff(*e) <= 1);
                assert!(is_near, "{id}: {actual:?}, expected {expected:?}");
            }
        }
    }

    #[test]
    fn bits_16_to_31_and_48_to_63_do_not_change_the_colour_but_32_to_47_do() {
        assert_eq!(segment_color(5 + (7 << 16) + (9 << 48), false), segment_color(5, false));
        assert_eq!(segment_color(5 + (1 << 32), false), segment_color(6, false));
        assert_eq!(segment_color(u64::MAX, false), segment_color(2 * 0xffff % 19, false));
    }

    #[test]
    fn signed_ids_are_coloured_by_their_absolute_value() {
        let bits = |id: i64| id.cast_unsigned();
        assert_eq!(segment_color(bits(-3), true), segment_color(3, true));
        assert_ne!(segment_color(bits(-3), true), segment_color(bits(-3), false));
        assert_eq!(segment_color(bits(i64::MIN), true), segment_color(1 << 63, false));
    }

    #[test]
    fn ids_of_one_colour_differ_in_pattern() {
        // 19 apart: same hue. 1938 apart: the same in everything.
        let (a, b) = (SegmentPattern::of(1, false), SegmentPattern::of(20, false));
        assert_ne!(a, b);
        assert_eq!(a, SegmentPattern { frequency: 0.5 + 1.0 / 3.0, angle: 9.0 / 17.0, has_grid: true });
        // Id 13: PERM3[1] = 1, PERM17[13] = 2, PERM13[0] = 13.
        assert_eq!(SegmentPattern::of(13, false), SegmentPattern { frequency: 0.5 + 1.0 / 3.0, angle: 2.0 / 17.0, has_grid: false });
    }

    #[test]
    fn the_pattern_takes_saturation_on_stripes_and_value_beside_them() {
        let colors = PatternColors::of([255, 0, 0], 0.4);
        assert_eq!(to_bytes(colors.on_stripe), [255, 51, 51]); // S 0.8, V 1
        assert_eq!(to_bytes(colors.off_stripe), [204, 0, 0]); // S 1, V 0.8
        let flat = PatternColors::of([12, 200, 99], 0.0);
        assert_eq!((to_bytes(flat.on_stripe), to_bytes(flat.off_stripe)), ([12, 200, 99], [12, 200, 99]));
    }

    #[test]
    fn a_custom_colour_belongs_to_one_exact_id() {
        let id = (1 << 53) + 1;
        let display = SegmentDisplay {
            given: Arc::new(GivenColors { custom: HashMap::from([(id, [1, 2, 3])]), ..Default::default() }),
            ..Default::default()
        };
        assert_eq!(display.color(id, false), [1, 2, 3]);
        assert_ne!(display.color(1 << 53, false), [1, 2, 3]);
    }

    #[test]
    fn hsv_goes_there_and_back() {
        for rgb in [[0, 0, 0], [255, 255, 255], [10, 200, 30], [200, 10, 30], [30, 10, 200], [200, 30, 199]] {
            let (h, s, v) = hsv_from_rgb(rgb.map(|c: u8| f32::from(c) / 255.0));
            assert_eq!(to_bytes(rgb_from_hsv(h, s, v)), rgb);
        }
    }

    #[test]
    fn where_only_some_segments_are_drawn_all_others_are_hidden() {
        let given = GivenColors { hidden: HashSet::from([5]), ..GivenColors::default() };
        let mut display = SegmentDisplay { given: Arc::new(given), ..SegmentDisplay::default() };
        let hidden = |display: &SegmentDisplay| [5, 6, 7].map(|id| display.is_hidden(id));
        assert!(!display.show_among_only(7, false));
        assert_eq!(hidden(&display), [true, false, false]);
        display.only = Some(Arc::new(HashSet::from([5])));
        assert_eq!(hidden(&display), [false, true, true]);
        assert!(display.show_among_only(7, true) && display.show_among_only(5, false));
        assert_eq!(hidden(&display), [true, true, false]);
    }

    #[test]
    fn the_last_colour_of_an_id_counts_and_transparent_ones_are_hidden() {
        let colors = [(5, [1, 2, 3, 0]), (5, [4, 5, 6, 128]), (6, [7, 8, 9, 255]), (6, [7, 8, 9, 0]), (u64::MAX, [1, 1, 1, 255])];
        let display =
            SegmentDisplay { given: Arc::new(GivenColors::new(&colors.map(|(id, rgba)| SegmentColor { id, rgba }))), ..Default::default() };
        assert_eq!([5, u64::MAX].map(|id| display.color(id, true)), [[4, 5, 6], [1, 1, 1]]);
        assert_eq!([5, 6, 7].map(|id| display.is_hidden(id)), [false, true, false]);
        assert_eq!(display.color(7, false), segment_color(7, false));
    }
}
