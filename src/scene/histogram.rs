//! [`Histogram`]: counts of the values that a pane shows, and the window that suits them.

use super::compose::channel::{Channel, for_class};
use super::compose::plan::{LayerPlan, Origin, SamplePoints};
use super::layer_display::ValueWindow;
use super::pane::PaneView;
use super::slice::SliceLayer;
use crate::loading::ChunkLookup;

/// Bars of a histogram.
pub const HISTOGRAM_BINS: usize = 256;

/// Most numbers that are counted: plenty for percentiles, and done within some ten milliseconds.
const MAX_NUMBERS: usize = 1 << 19;

/// Share of the values below and above the automatic window.
const CLIPPED_SHARE: f64 = 0.01;

/// Bins cover at most this many times the automatic window; beyond, outliers would squeeze it into a few.
const MAX_RANGE_TO_WINDOW: f64 = 16.0;

/// Values of the voxels in sight. Of RGB all three channels count, else the first channel.
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
        let found = finite.iter().fold(None, |found: Option<(f64, f64)>, v| Some(found.map_or((*v, *v), |(min, max)| (min.min(*v), max.max(*v)))));
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
    /// value, and for a constant from 0 to it. `None` where nothing but zeros, or no finite value, was found.
    pub fn auto_window(&self) -> Option<ValueWindow> {
        let (min, max) = self.found?;
        let widest = [self.percentiles?, (min, max), (min.min(0.0), max.max(0.0))];
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
/// are more. Only what is loaded counts, in the chosen level or a stand-in.
pub fn histogram_of(layer: &SliceLayer, view: &PaneView, lookup: &dyn ChunkLookup) -> Histogram {
    let class = layer.voxel_type.class;
    let byte_range = (class.byte_len() == 1).then(|| class.full_range());
    let mut values = Values::default();
    let points = sample_points(layer, view);
    if let Some(plan) = LayerPlan::new(layer, &points, false, lookup) {
        let channels = channel_count(layer);
        values.finite.reserve(points.at[0].len() * points.at[1].len() * channels);
        for row in 0..points.at[1].len() {
            plan.visit_row(row, &mut |piece| {
                let Origin::Chunk(from) = piece.from else { return };
                let bytes = from.bytes.get(from.start as usize..).unwrap_or(&[]);
                for_class!(class, T => for offset in &from.offsets[piece.px.clone()] {
                    (0..channels).filter_map(|i| T::read_at(bytes, *offset as usize + i * T::LEN)).for_each(|v| values.push(v.to_f64()));
                });
            });
        }
    }
    Histogram::of_values(values, byte_range)
}

/// Numbers of a voxel that count.
fn channel_count(layer: &SliceLayer) -> usize {
    if layer.voxel_type.is_rgb() { 3 } else { 1 }
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
    let max_voxels = (MAX_NUMBERS / channel_count(layer)) as f64;
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
