//! [`compose`]: a [`SliceRequest`] and the chunks that are loaded become a [`SliceImage`].
//!
//! `plan` works out once which chunk each pixel shows (by `axis_map`, from `cell`s); `layer_colors` says what colour
//! a voxel has, `color_rows` and `segment_rows` hold the inner loops; `marks` draws what has no data. Rules: `spec/rendering.md` sections 2 to 4. Called on workers, never on
//! the UI thread.

pub(super) mod axis_map;
mod cell;
pub(super) mod channel;
#[cfg(test)]
mod channel_tests;
mod color_rows;
pub(super) mod layer_colors;
mod marks;
pub(super) mod plan;
mod segment_rows;
#[cfg(test)]
mod segment_tests;
#[cfg(test)]
pub(super) mod test_volume;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;

use super::colormap::Rgba;
use super::layer_display::Interpolation;
use super::slice::{Coverage, SliceImage, SliceLayer, SliceRequest};
use crate::format::LayerCategory;
use crate::loading::ChunkLookup;
use axis_map::SamplePoints;
use color_rows::{Blend, draw_linear, draw_nearest};
use layer_colors::LayerColors;
use marks::{DRAWN, FAILED, MISSING, PENDING, PixelMask, draw_marks, fill_pending};
use plan::{LayerPlan, Origin, Piece};
use rayon::prelude::*;
use segment_rows::{PatternGrid, SegmentStyles};

pub(super) use segment_rows::{id_is_signed, id_of_voxel};

/// Rows that one job draws: a few chunks' worth, so that neighbouring rows find their chunks in the cache.
const BAND_ROWS: usize = 32;

/// Composes one pane. Never waits: what `lookup` doesn't have is drawn from coarser levels or as pending.
pub fn compose(request: &SliceRequest, lookup: &dyn ChunkLookup) -> SliceImage {
    let [width, height] = request.view.shape_px();
    let points = SamplePoints::of_pixels(&request.view);
    let (mut colors, mut segmentations) = (Vec::new(), Vec::new());
    for layer in request.layers.iter().filter(|l| l.display.visible && l.display.opacity > 0.0) {
        match layer.category {
            LayerCategory::Color => colors.extend(ColorLayer::new(layer, &points, lookup)),
            LayerCategory::Segmentation => segmentations.extend(LayerPlan::new(layer, &points, false, lookup)),
        }
    }
    let scene = Scene {
        colors,
        segmentations,
        pattern: PatternGrid::new(&request.view, &request.voxel_size, request.zoom),
        hovered_segment: request.hovered_segment,
        with_dots: request.missing_pattern,
    };
    let row_px = width as usize;
    let mut rgba = vec![0; row_px * height as usize * 4];
    let (pixels, _) = rgba.as_chunks_mut::<4>();
    let mut coverage = pixels
        .par_chunks_mut((row_px * BAND_ROWS).max(1))
        .enumerate()
        .map(|(band, pixels)| scene.draw_band(band * BAND_ROWS, row_px, pixels))
        .reduce(Coverage::default, |mut all, band| {
            all.add(band);
            all
        });
    scene.plans().for_each(|plan| coverage.add_failed_chunks(plan.failed_chunks()));
    SliceImage { width, height, rgba, coverage }
}

/// A colour layer, planned, with its colours.
struct ColorLayer<'a> {
    plan: LayerPlan<'a>,
    colors: LayerColors,
    interpolation: Interpolation,
}

impl<'a> ColorLayer<'a> {
    fn new(layer: &'a SliceLayer, points: &SamplePoints, lookup: &dyn ChunkLookup) -> Option<Self> {
        let interpolation = layer.display.interpolation;
        let plan = LayerPlan::new(layer, points, interpolation == Interpolation::Linear, lookup)?;
        let colors = LayerColors::new(layer.voxel_type, &layer.display);
        Some(Self { plan, colors, interpolation })
    }

    fn draw(&self, piece: &Piece<'_>, row: usize, blend: Blend, out: &mut [Rgba]) {
        let voxel_type = self.plan.layer.voxel_type;
        let out = &mut out[piece.px.clone()];
        match (&piece.from, self.interpolation) {
            (Origin::Chunk(from), Interpolation::Nearest) => draw_nearest(&self.colors, voxel_type, from, piece.px.clone(), blend, out),
            (Origin::Chunk(from), Interpolation::Linear) => draw_linear(&self.colors, &self.plan, from, row, piece.px.clone(), blend, out),
            (Origin::Fill, _) => blend.fill(out, self.colors.of_voxel(voxel_type, self.plan.fill_of(0))),
            (Origin::Pending | Origin::Failed, _) => {}
        }
    }
}

/// Everything that drawing a row needs.
struct Scene<'a> {
    /// Bottom first.
    colors: Vec<ColorLayer<'a>>,
    /// Bottom first.
    segmentations: Vec<LayerPlan<'a>>,
    pattern: PatternGrid,
    hovered_segment: Option<u64>,
    with_dots: bool,
}

impl Scene<'_> {
    fn plans(&self) -> impl Iterator<Item = &LayerPlan<'_>> {
        self.colors.iter().map(|c| &c.plan).chain(&self.segmentations)
    }

    /// Draws whole rows from `first_row` on.
    fn draw_band(&self, first_row: usize, row_px: usize, pixels: &mut [Rgba]) -> Coverage {
        let mut coverage = Coverage::default();
        let mut mask: Vec<PixelMask> = vec![0; row_px];
        let layers = self.segmentations.iter().map(|plan| plan.layer);
        let mut styles: Vec<_> =
            layers.map(|l| SegmentStyles::new(&l.display, l.voxel_type, self.hovered_segment, &self.pattern)).collect();
        for (i, out) in pixels.chunks_exact_mut(row_px).enumerate() {
            let row = first_row + i;
            mask.fill(0);
            out.fill([0, 0, 0, 255]);
            let mut seen = 0;
            for (number, layer) in self.colors.iter().enumerate() {
                let blend = if number == 0 { Blend::Set } else { Blend::Add };
                layer.plan.visit_row(row, &mut |piece| {
                    seen |= mark(&piece, LayerCategory::Color, &mut mask);
                    count(&piece, &layer.plan, &mut coverage);
                    layer.draw(&piece, row, blend, out);
                });
            }
            if seen & PENDING != 0 {
                fill_pending(&mask, out);
            }
            // Top first: the last layer with a segment wins, and lower ones must not shine through it.
            for (plan, styles) in self.segmentations.iter().zip(&mut styles).rev() {
                plan.visit_row(row, &mut |piece| {
                    seen |= mark(&piece, LayerCategory::Segmentation, &mut mask);
                    count(&piece, plan, &mut coverage);
                    let px = piece.px;
                    let (mask, out) = (&mut mask[px.clone()], &mut out[px.clone()]);
                    match &piece.from {
                        Origin::Chunk(from) => styles.draw(from, row, px, mask, out),
                        Origin::Fill => styles.fill(plan.fill_of(0), row, px, mask, out),
                        Origin::Pending | Origin::Failed => {}
                    }
                });
            }
            if seen & FAILED != 0 || (self.with_dots && seen & MISSING != 0) {
                draw_marks(row, &mask, self.with_dots, out);
            }
        }
        coverage
    }
}

/// Notes what is known of a piece's pixels and returns it.
fn mark(piece: &Piece<'_>, category: LayerCategory, mask: &mut [PixelMask]) -> PixelMask {
    let bit = match (&piece.from, category) {
        (Origin::Chunk(_), LayerCategory::Color) => DRAWN,
        (Origin::Pending, LayerCategory::Color) => PENDING,
        // An awaited segmentation contributes nothing; a loaded one notes its segments while it draws them.
        (Origin::Chunk(_) | Origin::Pending, LayerCategory::Segmentation) => 0,
        (Origin::Fill, _) => MISSING,
        (Origin::Failed, _) => FAILED,
    };
    if bit != 0 {
        mask[piece.px.clone()].iter_mut().for_each(|m| *m |= bit);
    }
    bit
}

fn count(piece: &Piece<'_>, plan: &LayerPlan<'_>, coverage: &mut Coverage) {
    let pixels = piece.px.len() as u64;
    match &piece.from {
        Origin::Chunk(from) => {
            *(if from.level == 0 { &mut coverage.exact } else { &mut coverage.coarse }) += pixels;
            coverage.note_mag(plan.levels[from.level].mag);
        }
        Origin::Fill => coverage.missing += pixels,
        Origin::Pending => coverage.pending += pixels,
        Origin::Failed => coverage.failed += pixels,
    }
}
