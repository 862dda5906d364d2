//! Slices between two labelled ones, by the signed distances to the outlines of both.

/// A rectangle of pixels, row after row.
#[derive(Clone, Debug)]
pub(super) struct Raster<T> {
    /// Pixels of a row.
    pub width: usize,
    /// All pixels.
    pub pixels: Vec<T>,
}

/// Distance to the outline in physical units at each pixel: negative inside, positive outside, never 0.
///
/// `step` is the distance of neighbours along a row and along a column. `None` where nothing is inside.
pub(super) fn signed_distances(inside: &Raster<bool>, step: [f64; 2]) -> Option<Raster<f32>> {
    if !inside.pixels.contains(&true) {
        return None;
    }
    // Half a pixel lies between a pixel's centre and the outline; the same on both sides, so that it cancels.
    let outwards = squared_distances(inside, step, true);
    let inwards = squared_distances(inside, step, false);
    let half = step[0].min(step[1]) / 2.0;
    let pixels = inside.pixels.iter().zip(outwards.iter().zip(&inwards)).map(|(is_inside, (out, within))| {
        let distance = if *is_inside { half - within.sqrt() } else { out.sqrt() - half };
        distance as f32
    });
    Some(Raster { width: inside.width, pixels: pixels.collect() })
}

/// Squared distance of each pixel to the nearest one that is `wanted`; one outside of the raster counts as not inside.
fn squared_distances(inside: &Raster<bool>, step: [f64; 2], wanted: bool) -> Vec<f64> {
    const FAR: f64 = 1e20;
    let (width, height) = (inside.width, inside.pixels.len() / inside.width.max(1));
    let mut distances: Vec<f64> = inside.pixels.iter().map(|pixel| if *pixel == wanted { 0.0 } else { FAR }).collect();
    let mut line = LowerEnvelope::default();
    let mut column = vec![0.0; height];
    // Everything beyond the border is outside.
    let border = if wanted { FAR } else { 0.0 };
    for x in 0..width {
        column.iter_mut().enumerate().for_each(|(y, value)| *value = distances[x + y * width]);
        line.transform(&mut column, step[1], border);
        column.iter().enumerate().for_each(|(y, value)| distances[x + y * width] = *value);
    }
    for row in distances.chunks_exact_mut(width) {
        line.transform(row, step[0], border);
    }
    distances
}

/// Distances along a line: the lower envelope of parabolas, after Felzenszwalb and Huttenlocher, "Distance transforms of
/// sampled functions" (2012).
#[derive(Default)]
struct LowerEnvelope {
    values: Vec<f64>,
    sites: Vec<usize>,
    starts: Vec<f64>,
}

impl LowerEnvelope {
    fn transform(&mut self, line: &mut [f64], step: f64, border: f64) {
        self.values.clear();
        self.values.push(border);
        self.values.extend_from_slice(line);
        self.values.push(border);
        self.sites.clear();
        self.starts.clear();
        let position = |site: usize| site as f64 * step;
        for site in 0..self.values.len() {
            let mut start = f64::NEG_INFINITY;
            while let (Some(last), Some(last_start)) = (self.sites.last(), self.starts.last()) {
                let (p, q) = (position(site), position(*last));
                start = ((self.values[site] + p * p) - (self.values[*last] + q * q)) / (2.0 * (p - q));
                if start > *last_start {
                    break;
                }
                self.sites.pop();
                self.starts.pop();
                start = f64::NEG_INFINITY;
            }
            self.sites.push(site);
            self.starts.push(start);
        }
        let mut nearest = 0;
        for (i, value) in line.iter_mut().enumerate() {
            let at = position(i + 1);
            while self.starts.get(nearest + 1).is_some_and(|start| *start <= at) {
                nearest += 1;
            }
            let site = self.sites[nearest];
            *value = (at - position(site)).powi(2) + self.values[site];
        }
    }
}

/// The shape a part of the way from `a` to `b`: 0 is `a`, 1 is `b`.
pub(super) fn between(a: &Raster<f32>, b: &Raster<f32>, part: f32) -> Raster<bool> {
    let pixels = a.pixels.iter().zip(&b.pixels).map(|(a, b)| a * (1.0 - part) + b * part < 0.0);
    Raster { width: a.width, pixels: pixels.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn disc(radius: f64) -> Raster<bool> {
        let pixels = (0..41 * 41).map(|i| ((i % 41) as f64 - 20.0).hypot((i / 41) as f64 - 20.0) < radius).collect();
        Raster { width: 41, pixels }
    }

    fn area(raster: &Raster<bool>) -> usize {
        raster.pixels.iter().filter(|p| **p).count()
    }

    #[test]
    fn half_way_between_two_discs_is_one_of_the_mean_radius() {
        let (a, b) = (disc(5.0), disc(15.0));
        let [from, to] = [&a, &b].map(|raster| signed_distances(raster, [1.0, 1.0]).expect("not empty"));
        assert_eq!(between(&from, &to, 0.0).pixels, a.pixels);
        assert_eq!(between(&from, &to, 1.0).pixels, b.pixels);
        let (middle, expected) = (area(&between(&from, &to, 0.5)) as f64, area(&disc(10.0)) as f64);
        assert!((middle / expected - 1.0).abs() < 0.08, "{middle} instead of {expected}");
    }

    #[test]
    fn nothing_has_no_distances() {
        assert!(signed_distances(&Raster { width: 3, pixels: vec![false; 9] }, [1.0, 1.0]).is_none());
    }

    proptest! {
        #[test]
        fn distances_are_those_to_the_nearest_pixel_of_the_other_kind(
            pixels in prop::collection::vec(prop::bool::weighted(0.2), 7 * 5), step in prop::array::uniform2(prop::sample::select(vec![1.0, 2.5])),
        ) {
            let raster = Raster { width: 7, pixels };
            prop_assume!(raster.pixels.contains(&true));
            let at = |x: i64, y: i64| (0..7).contains(&x) && (0..5).contains(&y) && raster.pixels[(x + 7 * y) as usize];
            let distances = signed_distances(&raster, step).expect("not empty");
            let half = step[0].min(step[1]) / 2.0;
            for x in 0..7 { for y in 0..5 {
                let others = (-1..8).flat_map(|u| (-1..6).map(move |v| (u, v))).filter(|(u, v)| at(*u, *v) != at(x, y));
                let nearest = others.map(|(u, v)| ((u - x) as f64 * step[0]).hypot((v - y) as f64 * step[1])).fold(f64::INFINITY, f64::min);
                let expected = if at(x, y) { half - nearest } else { nearest - half };
                prop_assert!((f64::from(distances.pixels[(x + 7 * y) as usize]) - expected).abs() < 1e-3);
            }}
        }
    }
}
