//! [`Histogram`]: counts of the values that a pane shows, and the window that suits them.

use super::compose::axis_map::SamplePoints;
use super::compose::channel::{Channel, for_class};
use super::compose::plan::{LayerPlan, Origin};
use super::layer_display::ValueWindow;
use super::pane::PaneView;
use super::slice::SliceLayer;
use crate::loading::ChunkLookup;
use std::ops::Range;

/// Bars of a histogram.
pub const HISTOGRAM_BINS: usize = 256;

/// Most numbers that are counted: plenty for percentiles, and done within some ten milliseconds.
const MAX_NUMBERS: usize = 1 << 19;

/// Share of the values below and above the automatic window.
const CLIPPED_SHARE: f64 = 0.01;

/// Bins cover at most this many times the automatic window; beyond, outliers would squeeze it into a few.
const MAX_RANGE_TO_WINDOW: f64 = 16.0;

/// Values of the voxels in sight. Of RGB all three channels count, else one channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Counts of equally wide parts of `range`. The first and last bins also hold what lies beyond.
    pub bins: Vec<u64>,
    /// Values at the first bin's start and the last bin's end. For 8-bit classes a bin is a value.
    pub range: (f64, f64),
    /// Numbers counted in the bins.
    pub finite: u64,
    /// NaN values, in no bin.
    pub nan: u64,
    /// Infinite values, in no bin.
    pub infinite: u64,
    /// Lowest and highest finite value found.
    pub found: Option<(f64, f64)>,
    /// 1st and 99th percentile of the finite values.
    pub percentiles: Option<(f64, f64)>,
}

impl Histogram {
    fn of_values(values: Values, byte_range: Option<(f64, f64)>) -> Self {
        let Values { mut finite, nan, infinite } = values;
        let found =
            finite.iter().fold(None, |found: Option<(f64, f64)>, v| Some(found.map_or((*v, *v), |(min, max)| (min.min(*v), max.max(*v)))));
        let percentiles = (!finite.is_empty()).then(|| {
            let rank = |share: f64| (share * (finite.len() - 1) as f64).round() as usize;
            let (low, high) = (rank(CLIPPED_SHARE), rank(1.0 - CLIPPED_SHARE));
            let low = *finite.select_nth_unstable_by(low, f64::total_cmp).1;
            let high = *finite.select_nth_unstable_by(high, f64::total_cmp).1;
            (low, high)
        });
        // A byte v fills the bin from v to v + 1.
        let range = byte_range.map_or_else(|| bin_range(found, percentiles), |(min, max)| (min, max + 1.0));
        let mut bins = vec![0; HISTOGRAM_BINS];
        // Halves, because a range may be wider than the largest number.
        let (start, width) = (range.0 / 2.0, range.1 / 2.0 - range.0 / 2.0);
        for value in &finite {
            let share = if width > 0.0 { (value / 2.0 - start) / width } else { 0.0 };
            let bin = (share * HISTOGRAM_BINS as f64) as usize; // below 0 becomes 0
            bins[bin.min(HISTOGRAM_BINS - 1)] += 1;
        }
        Self { bins, range, finite: finite.len() as u64, nan, infinite, found, percentiles }
    }

    /// The window from the 1st to the 99th percentile. Where these are equal: from the lowest to the highest
    /// value, and for a constant around it, so that it is drawn mid-grey. `None` where nothing but zeros, or no
    /// finite value, was found.
    pub fn auto_window(&self) -> Option<ValueWindow> {
        let (min, max) = self.found?;
        // Twice the constant stays finite by halving.
        let around = (min - max.abs().min(f64::MAX / 2.0), max + max.abs().min(f64::MAX / 2.0));
        let widest = [self.percentiles?, (min, max), around];
        widest.into_iter().find(|(low, high)| low < high).map(|(low, high)| ValueWindow::new(low, high))
    }
}

/// All values found, unless outliers would leave the bulk of them too few bins.
fn bin_range(found: Option<(f64, f64)>, percentiles: Option<(f64, f64)>) -> (f64, f64) {
    let (Some((min, max)), Some((low, high))) = (found, percentiles) else { return (0.0, 1.0) };
    let window = high - low;
    let is_squeezed = window > 0.0 && max / 2.0 - min / 2.0 > window / 2.0 * MAX_RANGE_TO_WINDOW;
    if is_squeezed { ((low - window).max(min), (high + window).min(max)) } else { (min, max) }
}

#[derive(Default)]
struct Values {
    finite: Vec<f64>,
    nan: u64,
    infinite: u64,
}

impl Values {
    fn push(&mut self, value: f64) {
        if value.is_finite() {
            self.finite.push(value);
        } else if value.is_nan() {
            self.nan += 1;
        } else {
            self.infinite += 1;
        }
    }
}

/// Counts the voxels of a layer that a pane shows: each once, or some hundred thousand evenly spread ones where there
/// are more. Only what is loaded counts, in the chosen level or a stand-in. `channel` counts where channels are mixed.
pub fn histogram_of(layer: &SliceLayer, channel: usize, view: &PaneView, lookup: &dyn ChunkLookup) -> Histogram {
    let class = layer.voxel_type.class;
    let byte_range = (class.byte_len() == 1).then(|| class.full_range());
    let mut values = Values::default();
    let points = sample_points(layer, view);
    if let Some(plan) = LayerPlan::new(layer, &points, false, lookup) {
        let channels = counted_channels(layer, channel);
        values.finite.reserve(points.at[0].len() * points.at[1].len() * channels.len());
        for row in 0..points.at[1].len() {
            plan.visit_row(row, &mut |piece| {
                let Origin::Chunk(from) = piece.from else { return };
                let bytes = from.bytes.get(from.start as usize..).unwrap_or(&[]);
                for_class!(class, T => for offset in &from.offsets[piece.px.clone()] {
                    channels.clone().filter_map(|i| T::read_at(bytes, *offset as usize + i * T::LEN)).for_each(|v| values.push(v.to_f64()));
                });
            });
        }
    }
    Histogram::of_values(values, byte_range)
}

/// Channels of a voxel that count.
fn counted_channels(layer: &SliceLayer, channel: usize) -> Range<usize> {
    match (layer.display.channels.is_empty(), layer.voxel_type.is_rgb()) {
        (true, true) => 0..3,
        (true, false) => 0..1,
        (false, _) => channel..channel + 1,
    }
}

/// One point per voxel of the chosen level in sight, or fewer.
fn sample_points(layer: &SliceLayer, view: &PaneView) -> SamplePoints {
    let shown = view.box_mag1();
    let visible = shown.intersect(&layer.bounding_box);
    let factors = layer.levels.first().map(|level| level.mag.factors());
    let sides = [0, 1].map(|screen_axis| {
        let axis = view.volume_axis(screen_axis);
        let step = factors.map_or(1, |f| f[axis]) as f64;
        let (first, end) = (visible.topleft[axis] as f64 / step, visible.bottomright()[axis] as f64 / step);
        // In voxels of the level: the first one in sight, and their number.
        (first.floor(), (end.ceil() - first.floor()).max(0.0), step)
    });
    let max_voxels = (MAX_NUMBERS / counted_channels(layer, 0).len()) as f64;
    let stride = (sides[0].1 * sides[1].1 / max_voxels).sqrt().max(1.0);
    let at = [0, 1].map(|screen_axis| {
        let (first, count, step) = sides[screen_axis];
        let (low, high) = {
            let axis = view.volume_axis(screen_axis);
            (visible.topleft[axis] as f64 + 0.5, visible.bottomright()[axis] as f64 - 0.5)
        };
        // A narrow side is sampled fully by the stride of both; `clamp` keeps cut voxels inside the box.
        let samples = if count > 0.0 { (count / stride).ceil().max(1.0) as usize } else { 0 };
        let spacing = count / samples.max(1) as f64;
        (0..samples).map(|i| ((first + (i as f64 + 0.5) * spacing) * step).max(low).min(high)).collect()
    });
    SamplePoints { plane: view.plane(), slice: view.slice(), at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::LayerCategory;
    use crate::geometry::{BoundingBox, Mag, Shape3, SlicePlane, Vec3Int, VoxelSize};
    use crate::loading::ChunkState;
    use crate::scene::compose::test_volume::{Volume, ready};
    use crate::scene::view::ViewState;
    use crate::voxel::{ElementClass, VoxelType};

    /// A pane that shows the whole volume of 40 × 30 × 20 at slice 4 of z.
    fn whole(zoom: f64) -> PaneView {
        PaneView::new(&ViewState::new(Vec3Int::new(20, 15, 4), zoom), SlicePlane::Xy, [400, 300], &VoxelSize::VOXELS)
    }

    fn floats(value: impl Fn(Vec3Int) -> f64) -> Histogram {
        let volume = Volume::new(Mag::ONE, [8; 3], VoxelType::single(ElementClass::Float64), |p| value(p).to_le_bytes().to_vec());
        histogram_of(&volume.layer(LayerCategory::Color), 0, &whole(0.2), &volume)
    }

    #[test]
    fn each_voxel_in_sight_counts_once_when_zoomed_in() {
        let uint8 = VoxelType::single(ElementClass::Uint8);
        let volume = Volume::new(Mag::ONE, [8; 3], uint8, |p| vec![(p.x + p.z * 100).to_le_bytes()[0]]);
        for zoom in [0.11, 0.2, 1.0] {
            let histogram = histogram_of(&volume.layer(LayerCategory::Color), 0, &whole(zoom), &volume);
            // Slice 4: values 400 + x mod 256 = 144 + x, 30 of each.
            for (value, count) in histogram.bins.iter().enumerate() {
                assert_eq!(*count, if (144..184).contains(&value) { 30 } else { 0 }, "{value} at zoom {zoom}");
            }
            assert_eq!((histogram.range, histogram.finite), ((0.0, 256.0), 1200));
        }
    }

    #[test]
    fn a_coarse_level_counts_each_of_its_voxels_once_and_only_those_in_sight() {
        let uint8 = VoxelType::single(ElementClass::Uint8);
        let volume = Volume::new(Mag::new(4, 2, 1).expect("valid"), [8; 3], uint8, |p| vec![p.x.to_le_bytes()[0]]);
        let layer = volume.layer(LayerCategory::Color);
        assert_eq!(histogram_of(&layer, 0, &whole(0.2), &volume).bins[..11], [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 0]);
        // Voxels 16 to 24 of x, 10 to 20 of y.
        let view = PaneView::new(&ViewState::new(Vec3Int::new(20, 15, 4), 0.1), SlicePlane::Xy, [80, 100], &VoxelSize::VOXELS);
        assert!((8..=18).contains(&histogram_of(&layer, 0, &view, &volume).finite));
    }

    #[test]
    fn only_loaded_chunks_count_and_stand_ins_help() {
        let uint8 = VoxelType::single(ElementClass::Uint8);
        let mut fine = Volume::new(Mag::ONE, [8; 3], uint8, |_| vec![7]);
        fine.set([0, 0, 0], ChunkState::Pending);
        fine.set([1, 0, 0], ChunkState::Missing);
        let coarse = Volume::new(Mag::new(2, 2, 2).expect("valid"), [8; 3], uint8, |_| vec![200]);
        let mut layer = fine.layer(LayerCategory::Color);
        assert_eq!(histogram_of(&layer, 0, &whole(0.2), &fine).bins[7], 1200 - 128);
        layer.levels.push(coarse.level());
        let histogram = histogram_of(&layer, 0, &whole(0.2), &[fine, coarse]);
        assert_eq!((histogram.bins[7], histogram.bins[200], histogram.finite), (1200 - 128, 64, 1200 - 64));
    }

    #[test]
    fn the_window_runs_from_the_first_to_the_last_percent() {
        // 0 to 1199, each once.
        let histogram = floats(|p| (p.x + 40 * p.y) as f64);
        assert_eq!(histogram.auto_window(), Some(ValueWindow::new(12.0, 1187.0)));
        assert_eq!((histogram.found, histogram.range), (Some((0.0, 1199.0)), (0.0, 1199.0)));
    }

    #[test]
    fn outliers_of_1e38_and_infinities_do_not_widen_window_or_bins() {
        let histogram = floats(|p| match [p.x, p.y] {
            [0, 0] => 1e38,
            [1, 0] => -1e38,
            [2, 0] => f64::INFINITY,
            [3, 0] => f64::NEG_INFINITY,
            [4, 0 | 1] => f64::NAN,
            [x, _] => 40_000.0 + x as f64,
        });
        let window = histogram.auto_window().expect("values");
        assert!(window.min() >= 40_000.0 && window.max() <= 40_039.0 && window.min() < window.max(), "{window:?}");
        assert_eq!((histogram.nan, histogram.infinite, histogram.finite), (2, 2, 1196));
        assert_eq!(histogram.bins.iter().sum::<u64>(), 1196);
        assert!(histogram.bins.iter().filter(|count| **count > 0).count() >= 40, "the bulk is spread over bins");
    }

    #[test]
    fn constants_zeros_and_no_values_give_a_usable_window_or_none() {
        assert_eq!(floats(|_| 0.0).auto_window(), None);
        assert_eq!(floats(|p| if p.x > 9 { 0.0 } else { -0.0 }).auto_window(), None);
        assert_eq!(floats(|_| f64::NAN).auto_window(), None);
        assert_eq!(floats(|_| f64::INFINITY).auto_window(), None);
        assert_eq!(floats(|_| 300.0).auto_window(), Some(ValueWindow::new(0.0, 600.0)));
        assert_eq!(floats(|_| -4.0).auto_window(), Some(ValueWindow::new(-8.0, 0.0)));
        // Fewer than 1 % differ.
        assert_eq!(floats(|p| if p.x + p.y == 0 { 9.0 } else { 0.0 }).auto_window(), Some(ValueWindow::new(0.0, 9.0)));
        assert_eq!(floats(|p| if p.x < 20 { f64::MIN } else { f64::MAX }).auto_window(), Some(ValueWindow::new(f64::MIN, f64::MAX)));
    }

    #[test]
    fn the_widest_floats_fall_into_the_right_bins() {
        let histogram = floats(|p| if p.x < 10 { -1e300 } else { 1e300 });
        assert_eq!((histogram.bins[0], histogram.bins[255]), (300, 900));
    }

    #[test]
    fn all_three_channels_of_rgb_count_and_one_of_mixed_ones() {
        let count = |channels| {
            let voxel_type = VoxelType { class: ElementClass::Uint8, channels };
            let volume = Volume::new(Mag::ONE, [8; 3], voxel_type, |_| (1..).take(channels as usize).collect());
            let layer = volume.layer(LayerCategory::Color);
            [0, 1].map(|channel| histogram_of(&layer, channel, &whole(0.2), &volume).bins[1..4].to_vec())
        };
        assert_eq!(count(1)[0], [1200, 0, 0]);
        assert_eq!(count(2), [[1200, 0, 0], [0, 1200, 0]]);
        assert_eq!(count(3)[0], [1200, 1200, 1200]);
    }

    #[test]
    fn large_panes_are_sampled_within_the_limit_in_proportion() {
        let uint8 = VoxelType::single(ElementClass::Uint8);
        let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(6000, 3000, 10));
        // Chunks of one value: 0 in the left third, else 1.
        let mut volume = Volume::empty_in(Mag::ONE, [1000, 1000, 10], uint8, bounds, &ready(uint8, [1000, 1000, 10], &[1]));
        let zeros = ready(uint8, [1000, 1000, 10], &[0]);
        for (x, y) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
            volume.set([x, y, 0], zeros.clone());
        }
        let view = PaneView::new(&ViewState::new(Vec3Int::new(3000, 1500, 4), 4.0), SlicePlane::Xy, [1600, 800], &VoxelSize::VOXELS);
        let histogram = histogram_of(&volume.layer(LayerCategory::Color), 0, &view, &volume);
        assert!(histogram.finite as usize <= MAX_NUMBERS + 4096 && histogram.finite > 400_000, "{}", histogram.finite);
        let share = histogram.bins[0] as f64 / histogram.finite as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
    }
}
