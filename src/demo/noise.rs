//! Randomness of the demo volume: an integer generator, a voxel hash, smooth noise tiles, and the few functions we need of `std`'s
//! maths. `f32::sin` and `f32::exp` may differ between platforms in their last bit; additions, products and roots don't.

/// Splitmix64: small, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Uniform in `0..1`.
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1_u32 << 24) as f32
    }

    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Uniform in `0..count`; 0 for an empty range.
    pub fn below(&mut self, count: usize) -> usize {
        (((self.next_u64() >> 32) * count as u64) >> 32) as usize
    }

    /// Nearly normal, mean 0 and deviation 1: four uniform numbers need no logarithm.
    pub fn normal(&mut self) -> f32 {
        let bits = self.next_u64();
        let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xFFFF).sum();
        (sum as f32 / 65_535.0 - 2.0) * 1.732_050_8
    }

    pub fn normal3(&mut self) -> [f32; 3] {
        [self.normal(), self.normal(), self.normal()]
    }

    pub fn direction(&mut self) -> [f32; 3] {
        normalized(self.normal3())
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Hash of a voxel's position, for noise that depends on nothing else.
#[inline]
pub fn voxel_hash(pos: [usize; 3]) -> u64 {
    let [x, y, z] = pos.map(|value| value as u64);
    mix(x.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ y.wrapping_mul(0xC2B2_AE3D_27D4_EB4F) ^ z.wrapping_mul(0x1656_67B1_9E37_79F9))
}

/// Sum of four bytes of a hash, centred: roughly normal with deviation 1.
#[inline]
pub fn normal_from_hash(hash: u64) -> f32 {
    let sum = (hash & 0xFF) + ((hash >> 8) & 0xFF) + ((hash >> 16) & 0xFF) + ((hash >> 24) & 0xFF);
    (sum as f32 - 510.0) * (1.0 / 147.8)
}

pub fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + b * factor`
pub fn add_scaled(a: [f32; 3], b: [f32; 3], factor: f32) -> [f32; 3] {
    [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
}

pub fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    add_scaled(a, b, -1.0)
}

pub fn length(a: [f32; 3]) -> f32 {
    dot(a, a).sqrt()
}

/// Length 1; a vector without a direction points along x.
pub fn normalized(a: [f32; 3]) -> [f32; 3] {
    let length = length(a);
    if length > 1e-6 { a.map(|value| value / length) } else { [1.0, 0.0, 0.0] }
}

/// Like `clamp(0.0, 1.0)`, but in a form that compiles to two vector instructions.
#[inline(always)]
pub fn clamp01(value: f32) -> f32 {
    let value = if value > 0.0 { value } else { 0.0 };
    if value < 1.0 { value } else { 1.0 }
}

/// `exp(-x)` for `x >= 0` as `(1 - x/1024)^1024`.
pub fn exp_neg(x: f32) -> f32 {
    let mut power = (1.0 - x / 1024.0).max(0.0);
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// A bell curve of height 1: `exp(-(x/width)^2)`.
pub fn bell(x: f32, width: f32) -> f32 {
    exp_neg((x / width) * (x / width))
}

/// A wave like sine, of parabolas, for arguments above -4096 radians.
#[inline]
pub fn wave(radians: f32) -> f32 {
    let turns = radians * (0.5 / std::f32::consts::PI) + 1024.0;
    let phase = turns - (turns as i32) as f32;
    if phase < 0.5 { 16.0 * phase * (0.5 - phase) } else { -16.0 * (phase - 0.5) * (1.0 - phase) }
}

/// Smooth random values that repeat in all directions; mean 0, deviation 1, x fastest.
pub struct NoiseTile {
    shape: [usize; 3],
    values: Vec<f32>,
}

impl NoiseTile {
    /// White noise blurred with a Gaussian of `sigma` samples per axis. Sides are powers of two, which makes wrapping cheap.
    pub fn new(shape: [usize; 3], sigma: [f32; 3], seed: u64) -> Self {
        assert!(shape.iter().all(|side| side.is_power_of_two()));
        let mut rng = Rng::new(seed);
        let mut values: Vec<f32> = (0..shape.iter().product()).map(|_| rng.normal()).collect();
        let mut inner = 1;
        for (count, sigma) in shape.into_iter().zip(sigma) {
            values = blurred_along_axis(&values, count, inner, &gaussian_weights(sigma), Border::Wrap);
            inner *= count;
        }
        let count = values.len() as f64;
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
        let variance = values.iter().map(|&value| (f64::from(value) - mean) * (f64::from(value) - mean)).sum::<f64>() / count;
        let scale = (1.0 / variance.sqrt()) as f32;
        for value in &mut values {
            *value = (*value - mean as f32) * scale;
        }
        Self { shape, values }
    }

    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Trilinear, for positions above -4096 samples.
    pub fn sample(&self, pos: [f32; 3]) -> f32 {
        let mut low = [0; 3];
        let mut high = [0; 3];
        let mut part = [0.0; 3];
        for axis in 0..3 {
            let shifted = pos[axis] + 4096.0;
            let whole = shifted as i32 as usize;
            part[axis] = shifted - whole as f32;
            low[axis] = whole & (self.shape[axis] - 1);
            high[axis] = (whole + 1) & (self.shape[axis] - 1);
        }
        let at = |x: usize, y: usize, z: usize| self.values[(z * self.shape[1] + y) * self.shape[0] + x];
        let row = |y: usize, z: usize| {
            let start = at(low[0], y, z);
            start + (at(high[0], y, z) - start) * part[0]
        };
        let plane = |z: usize| {
            let start = row(low[1], z);
            start + (row(high[1], z) - start) * part[1]
        };
        let start = plane(low[2]);
        start + (plane(high[2]) - start) * part[2]
    }
}

/// Blurs a box of values, x fastest, with a Gaussian of `sigma` samples per axis.
pub fn blurred(mut values: Vec<f32>, shape: [usize; 3], sigma: [f32; 3]) -> Vec<f32> {
    let mut inner = 1;
    for (count, sigma) in shape.into_iter().zip(sigma) {
        values = blurred_along_axis(&values, count, inner, &gaussian_weights(sigma), Border::Repeat);
        inner *= count;
    }
    values
}

/// What lies beyond the first and last sample.
#[derive(Clone, Copy)]
enum Border {
    Wrap,
    Repeat,
}

fn gaussian_weights(sigma: f32) -> Vec<f32> {
    let reach = (sigma * 3.0) as i32 + 1;
    let weights: Vec<f32> = (-reach..=reach).map(|offset| bell(offset as f32, sigma * std::f32::consts::SQRT_2)).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Convolves the axis of `count` samples whose neighbours are `inner` values apart.
fn blurred_along_axis(values: &[f32], count: usize, inner: usize, weights: &[f32], border: Border) -> Vec<f32> {
    let reach = weights.len() / 2;
    let line = count * inner;
    let mut blurred = vec![0.0; values.len()];
    let mut padded = vec![0.0; line + 2 * reach * inner];
    for (source, target) in values.chunks_exact(line).zip(blurred.chunks_exact_mut(line)) {
        for (position, part) in padded.chunks_exact_mut(inner).enumerate() {
            let from = match border {
                // `weights.len() * count` keeps the difference positive for kernels longer than the axis
                Border::Wrap => (position + weights.len() * count - reach) % count,
                Border::Repeat => position.saturating_sub(reach).min(count - 1),
            };
            part.copy_from_slice(&source[from * inner..(from + 1) * inner]);
        }
        for (tap, &weight) in weights.iter().enumerate() {
            for (sum, &value) in target.iter_mut().zip(&padded[tap * inner..]) {
                *sum += weight * value;
            }
        }
    }
    blurred
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_the_published_splitmix64() {
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn tile_has_mean_zero_and_deviation_one() {
        let tile = NoiseTile::new([32, 32, 16], [1.5, 1.5, 0.6], 3);
        let count = tile.values().len() as f32;
        let mean = tile.values().iter().sum::<f32>() / count;
        let variance = tile.values().iter().map(|value| value * value).sum::<f32>() / count;
        assert!(mean.abs() < 1e-3 && (variance - 1.0).abs() < 1e-3, "mean {mean}, variance {variance}");
    }

    #[test]
    fn tile_repeats_and_passes_through_its_samples() {
        let tile = NoiseTile::new([16, 16, 8], [1.0; 3], 4);
        assert_eq!(tile.sample([3.0, 5.0, 7.0]), tile.values()[(7 * 16 + 5) * 16 + 3]);
        assert_eq!(tile.sample([3.25, -11.0, 15.0]), tile.sample([19.25, 5.0, -1.0]));
    }

    #[test]
    fn wave_and_exponential_are_close_to_the_real_ones() {
        for step in 0..100 {
            let x = step as f32 * 0.1 - 3.0;
            assert!((wave(x) - x.sin()).abs() < 0.06, "wave at {x}");
            assert!((exp_neg(x.abs()) - (-x.abs()).exp()).abs() < 0.01, "exp at {x}");
        }
    }
}
