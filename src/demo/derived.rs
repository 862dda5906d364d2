//! The demo dataset's other layers, derived from the grey values and segment numbers: pure functions of voxels and positions.

use rayon::prelude::*;

use super::noise::{NoiseTile, blurred, clamp01, exp_neg, normal_from_hash, voxel_hash};
use super::space::Z_STEP;
use super::volume::DemoVolume;

/// A part of the volume, in voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerBox {
    /// The first voxel, in mag 1.
    pub topleft: [usize; 3],
    /// Voxels in x, y, z.
    pub shape: [usize; 3],
}

impl LayerBox {
    /// Number of voxels inside.
    pub fn voxel_count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Physical offset from the point at these fractions of the sides, in units of the voxel's x side.
    fn offset_from(&self, fractions: [f32; 3], pos_in_box: [usize; 3]) -> [f32; 3] {
        let offset: [f32; 3] = std::array::from_fn(|axis| pos_in_box[axis] as f32 - fractions[axis] * self.shape[axis] as f32);
        [offset[0], offset[1], offset[2] * Z_STEP]
    }
}

/// Id of a segment in the `cells` layer: distinct, scattered over 1 800 000..3 900 000, and 0 for 0.
pub fn cell_id(segment: u32) -> u32 {
    const FIRST: u64 = 1_800_000;
    const COUNT: u64 = 2_100_000;
    // no common divisor with `COUNT`, so no two segments below `COUNT` meet
    const FACTOR: u64 = 1_296_721;
    if segment == 0 { 0 } else { (FIRST + u64::from(segment) * FACTOR % COUNT) as u32 }
}

/// Id of a segment as 64 bits: distinct, above 2^53, and 0 for 0. Four segments that follow each other differ in their lowest bit, or
/// are equal in their lower 32 bits, which catches readers that go through `f64` or `u32`.
pub fn cell_id64(segment: u32) -> u64 {
    const FIRST: u64 = 720_575_940_600_000_000;
    if segment == 0 {
        return 0;
    }
    let (group, member) = (u64::from(segment / 4), u64::from(segment % 4));
    let scattered = group.wrapping_mul(2_654_435_761) & 0x3FFF_FFFF;
    FIRST + (group << 34) + scattered * 2 + (member & 1) + ((member >> 1) << 32)
}

/// 12 bits with a steeper contrast and finer noise; 0 outside of the sample.
pub fn em_uint16(em: u8, pos: [usize; 3]) -> u16 {
    if em == 0 {
        return 0;
    }
    let part = f32::from(em) / 255.0;
    let steep = part * part * (3.0 - 2.0 * part);
    let noise = normal_from_hash(voxel_hash(pos) >> 32) * 9.0;
    (300.0 + 4000.0 * steep + noise).clamp(1.0, 4095.0) as u16
}

/// A smooth potential in millivolts with both signs, and a ball without data (NaN).
pub fn potential(layer_box: LayerBox, values: &mut [f32]) {
    assert_eq!(values.len(), layer_box.voxel_count(), "one value per voxel");
    let background = NoiseTile::new([64; 3], [5.0; 3], 900);
    // fractions of the box's sides, millivolts at the centre, range as a fraction of the x side
    let charges = [
        ([0.22, 0.3, 0.4], 65.0, 0.22),
        ([0.6, 0.72, 0.62], -90.0, 0.29),
        ([0.85, 0.2, 0.25], -45.0, 0.18),
        ([0.38, 0.85, 0.8], 50.0, 0.16),
    ];
    let hole_radius = 0.13 * layer_box.shape[0] as f32;
    for_each_voxel(layer_box, values, |pos_in_box, value: &mut [f32; 1]| {
        let hole = length_sq(layer_box.offset_from([0.68, 0.36, 0.5], pos_in_box));
        if hole < hole_radius * hole_radius {
            *value = [f32::NAN];
            return;
        }
        let pos: [f32; 3] = std::array::from_fn(|axis| (layer_box.topleft[axis] + pos_in_box[axis]) as f32);
        let mut sum = -12.0 + 9.0 * background.sample([pos[0] / 7.0, pos[1] / 7.0, pos[2] * Z_STEP / 7.0]);
        for (fractions, at_center, range) in charges {
            let distance_sq = length_sq(layer_box.offset_from(fractions, pos_in_box));
            let range: f32 = range * layer_box.shape[0] as f32;
            sum += at_center / (1.0 + distance_sq / (range * range));
        }
        *value = [sum];
    });
}

/// As if some cells were labelled: magenta and green cells with soft borders, blue nuclei, bright dots at the synapses. `rgb` holds
/// three bytes per voxel.
pub fn fluorescence(volume: &DemoVolume, layer_box: LayerBox, em: &[u8], segments: &[u32], rgb: &mut [u8]) {
    assert_eq!(em.len(), layer_box.voxel_count(), "one grey value per voxel");
    assert_eq!(segments.len(), layer_box.voxel_count(), "one segment number per voxel");
    assert_eq!(rgb.len(), layer_box.voxel_count() * 3, "three bytes per voxel");
    let glow = |label: Label| {
        let sharp = segments.iter().map(|&segment| if label_of(volume, segment) == Some(label) { brightness_of(segment) } else { 0.0 });
        blurred(sharp.collect(), layer_box.shape, [2.2, 2.2, 1.0])
    };
    let (magenta, green) = rayon::join(|| glow(Label::Magenta), || glow(Label::Green));
    let puncta = puncta(volume, layer_box);
    let chromatin = NoiseTile::new([64; 3], [2.0; 3], 901);
    for_each_voxel(layer_box, rgb, |pos_in_box, color: &mut [u8; 3]| {
        let [x, y, z] = pos_in_box;
        let index = (z * layer_box.shape[1] + y) * layer_box.shape[0] + x;
        if em[index] == 0 {
            *color = [0; 3];
            return;
        }
        let pos: [usize; 3] = std::array::from_fn(|axis| layer_box.topleft[axis] + pos_in_box[axis]);
        let texture = 0.55 + 0.45 * f32::from(em[index]) / 190.0;
        let nucleus = nucleus_brightness(layer_box, pos_in_box);
        let mottled = nucleus * (0.75 + 0.2 * chromatin.sample([pos[0] as f32 / 1.8, pos[1] as f32 / 1.8, pos[2] as f32 * Z_STEP / 1.8]));
        let (magenta, green, dot) =
            (magenta[index] * texture * (1.0 - 0.8 * nucleus), green[index] * texture * (1.0 - 0.8 * nucleus), puncta[index]);
        let noise = normal_from_hash(voxel_hash(pos));
        let channel = |light: f32| (6.0 + light + noise * (1.5 + light * 0.04)).clamp(1.0, 255.0) as u8;
        *color = [
            channel(200.0 * magenta + 25.0 * mottled + 230.0 * dot),
            channel(190.0 * green + 45.0 * mottled + 200.0 * dot),
            channel(185.0 * magenta + 30.0 * green + 215.0 * mottled + 90.0 * dot),
        ];
    });
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Magenta,
    Green,
}

/// Dendrites in turns, and some of the axons.
fn label_of(volume: &DemoVolume, segment: u32) -> Option<Label> {
    if segment == 0 {
        return None;
    }
    let hash = voxel_hash([segment as usize, 17, 4]);
    if volume.is_dendrite(segment) {
        return Some(if segment.is_multiple_of(2) { Label::Green } else { Label::Magenta });
    }
    match hash % 16 {
        0 => Some(Label::Magenta),
        1 | 2 => Some(Label::Green),
        _ => None,
    }
}

fn brightness_of(segment: u32) -> f32 {
    0.65 + 0.35 * (voxel_hash([segment as usize, 3, 5]) % 1024) as f32 / 1024.0
}

/// 1 inside, 0 outside, with a soft border.
fn nucleus_brightness(layer_box: LayerBox, pos_in_box: [usize; 3]) -> f32 {
    // fractions of the box's sides, half axes as fractions of the x side
    const NUCLEI: [([f32; 3], [f32; 3]); 3] =
        [([0.24, 0.70, 0.45], [0.16, 0.13, 0.16]), ([0.74, 0.30, 0.58], [0.15, 0.18, 0.20]), ([0.80, 0.88, 0.20], [0.12, 0.11, 0.12])];
    let brightness = |(fractions, half_axes): ([f32; 3], [f32; 3])| {
        let offset = layer_box.offset_from(fractions, pos_in_box);
        let relative: [f32; 3] = std::array::from_fn(|axis| offset[axis] / (half_axes[axis] * layer_box.shape[0] as f32));
        clamp01((1.08 - length_sq(relative)) * 3.0)
    };
    NUCLEI.into_iter().map(brightness).fold(0.0, f32::max)
}

/// A spot of a few voxels at each synapse of the box.
fn puncta(volume: &DemoVolume, layer_box: LayerBox) -> Vec<f32> {
    let mut spots = vec![0.0_f32; layer_box.voxel_count()];
    for (segment, voxel) in volume.synapses() {
        let center: [f32; 3] = std::array::from_fn(|axis| voxel[axis] - layer_box.topleft[axis] as f32);
        let reach = [7.0, 7.0, 3.0];
        let ranges: [std::ops::Range<usize>; 3] = std::array::from_fn(|axis| {
            // negative values become 0
            (center[axis] - reach[axis]) as usize..((center[axis] + reach[axis] + 1.0) as usize).min(layer_box.shape[axis])
        });
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    let offset = [x as f32 - center[0], y as f32 - center[1], (z as f32 - center[2]) * Z_STEP];
                    let spot = &mut spots[(z * layer_box.shape[1] + y) * layer_box.shape[0] + x];
                    *spot = spot.max(brightness_of(segment) * exp_neg(length_sq(offset) / 11.0));
                }
            }
        }
    }
    spots
}

fn length_sq(offset: [f32; 3]) -> f32 {
    offset.into_iter().map(|value| value * value).sum()
}

/// Calls `set` with each voxel's position in the box and its `N` values, in parallel over planes.
fn for_each_voxel<T: Send, const N: usize>(layer_box: LayerBox, values: &mut [T], set: impl Fn([usize; 3], &mut [T; N]) + Sync) {
    let [width, height, _] = layer_box.shape;
    values.par_chunks_mut(width * height * N).enumerate().for_each(|(z, plane)| {
        let (voxels, _) = plane.as_chunks_mut::<N>();
        for (index, voxel) in voxels.iter_mut().enumerate() {
            set([index % width, index / width, z], voxel);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn cell_ids_are_distinct_and_in_range() {
        let ids: HashSet<u32> = (1..20_000).map(cell_id).collect();
        assert_eq!(ids.len(), 19_999);
        assert!(ids.iter().all(|id| (1_800_000..3_900_000).contains(id)));
        assert_eq!(cell_id(0), 0);
    }

    #[test]
    fn wide_ids_are_distinct_and_above_what_f64_holds() {
        let ids: HashSet<u64> = (1..20_000).map(cell_id64).collect();
        assert_eq!(ids.len(), 19_999);
        assert!(ids.iter().all(|&id| id > 1 << 53));
        assert_eq!(cell_id64(0), 0);
    }

    #[test]
    fn some_wide_ids_meet_in_f64_or_u32() {
        assert_eq!(cell_id64(4) + 1, cell_id64(5));
        assert_eq!(cell_id64(4) as f64, cell_id64(5) as f64);
        assert_eq!(cell_id64(4) as u32, cell_id64(6) as u32);
    }

    #[test]
    fn sixteen_bit_values_fit_in_twelve_bits_and_keep_zero() {
        let values: Vec<u16> = (1..=255).map(|em| em_uint16(em, [usize::from(em), 3, 5])).collect();
        assert!(values.iter().all(|&value| (1..=4095).contains(&value)));
        assert!(values[254] > 4000 && values[0] < 400);
        assert_eq!(em_uint16(0, [1, 2, 3]), 0);
    }

    #[test]
    fn potential_has_negative_positive_and_missing_values() {
        let layer_box = LayerBox { topleft: [100, 80, 40], shape: [64, 64, 32] };
        let mut values = vec![0.0; layer_box.voxel_count()];
        potential(layer_box, &mut values);
        let missing = values.iter().filter(|value| value.is_nan()).count();
        assert!(missing > 100 && missing < values.len() / 10, "{missing} missing");
        assert!(values.iter().any(|&value| value < -20.0) && values.iter().any(|&value| value > 20.0));
    }

    #[test]
    fn fluorescence_has_all_colors_and_is_black_outside_of_the_sample() {
        let volume = DemoVolume::new();
        let [width, height, _] = DemoVolume::SHAPE;
        let layer_box = LayerBox { topleft: [0, 0, 96], shape: [width, height, 8] };
        let mut em = vec![0; layer_box.voxel_count()];
        let mut segments = vec![0; layer_box.voxel_count()];
        volume.fill_slab(96, &mut em, &mut segments);
        let mut rgb = vec![7; layer_box.voxel_count() * 3];
        fluorescence(&volume, layer_box, &em, &segments, &mut rgb);
        let (voxels, _) = rgb.as_chunks::<3>();
        assert!(voxels.iter().zip(&em).all(|(color, &em)| (*color == [0; 3]) == (em == 0)));
        let is_some = |wanted: fn(&[u8; 3]) -> bool| voxels.iter().any(wanted);
        assert!(is_some(|&[red, green, blue]| red > 100 && blue > 100 && green < 40), "magenta");
        assert!(is_some(|&[red, green, blue]| green > 100 && red < 40 && blue < 60), "green");
        assert!(is_some(|&[red, green, blue]| blue > 100 && red < 60 && green < 80), "blue");
    }
}
