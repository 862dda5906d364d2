//! How pixels without data look: pending, missing, failed (`design/visual.md` part 1).
//!
//! Patterns are fixed to the screen, so that they look the same at every zoom.

use crate::scene::colormap::Rgba;

/// Where nothing is loaded, not even a coarser mag.
pub const PENDING_COLOR: Rgba = [128, 128, 128, 255];

/// Ground and lines of failed chunks.
pub const FAILED_GROUND: Rgba = [0x1c, 0x11, 0x12, 255];
/// See [`FAILED_GROUND`].
pub const FAILED_LINE: Rgba = [0xf2, 0x69, 0x5f, 255];

/// Dots where nothing is stored.
pub const MISSING_DOT: Rgba = [0x4a, 0x4f, 0x57, 255];

/// Width of hatch lines and of dots in pixels.
const MARK_WIDTH_PX: f32 = 1.5;
/// Distance between hatch lines, across them, in pixels.
const HATCH_DISTANCE_PX: f32 = 8.0;
/// Distance between dots in pixels.
const DOT_DISTANCE_PX: usize = 6;

/// What is known of a pixel, over all layers: bits.
pub type PixelMask = u8;

/// A colour layer drew voxels.
pub const DRAWN: PixelMask = 1;
/// A segment was drawn.
pub const SEGMENT: PixelMask = 2;
/// A colour layer has nothing to show yet.
pub const PENDING: PixelMask = 4;
/// A layer stores nothing here.
pub const MISSING: PixelMask = 8;
/// A layer's chunk can't be shown.
pub const FAILED: PixelMask = 16;

/// Grey where a colour layer is awaited and no other one has data. Before segments are drawn.
pub fn fill_pending(mask: &[PixelMask], out: &mut [Rgba]) {
    for (mask, pixel) in mask.iter().zip(out) {
        if mask & (DRAWN | PENDING) == PENDING {
            *pixel = PENDING_COLOR;
        }
    }
}

/// Hatching and dots of one row of pixels, after all layers. Data of other layers stays visible between the
/// hatch lines, and takes the place of dots.
pub fn draw_marks(row: usize, mask: &[PixelMask], with_dots: bool, out: &mut [Rgba]) {
    for (column, (mask, pixel)) in mask.iter().zip(out).enumerate() {
        if mask & FAILED != 0 {
            if mask & (DRAWN | SEGMENT) == 0 {
                *pixel = FAILED_GROUND;
            }
            blend(pixel, FAILED_LINE, hatch_share(column, row));
        } else if with_dots && mask & (MISSING | DRAWN | SEGMENT | PENDING) == MISSING {
            blend(pixel, MISSING_DOT, dot_share(column, row));
        }
    }
}

/// How much of a pixel a line at 45° covers, 0 to 1.
fn hatch_share(column: usize, row: usize) -> f32 {
    let across = (column + row) as f32 * std::f32::consts::FRAC_1_SQRT_2;
    let from_line = (across.rem_euclid(HATCH_DISTANCE_PX) - HATCH_DISTANCE_PX / 2.0).abs();
    share_within(from_line)
}

/// How much of a pixel a dot covers, 0 to 1.
fn dot_share(column: usize, row: usize) -> f32 {
    let from_middle = |at: usize| (at % DOT_DISTANCE_PX) as f32 - (DOT_DISTANCE_PX / 2) as f32;
    share_within(from_middle(column).hypot(from_middle(row)))
}

fn share_within(distance_px: f32) -> f32 {
    (MARK_WIDTH_PX / 2.0 + 0.5 - distance_px).clamp(0.0, 1.0)
}

fn blend(pixel: &mut Rgba, color: Rgba, share: f32) {
    for (below, above) in pixel.iter_mut().zip(color).take(3) {
        let mixed = f32::from(*below) * (1.0 - share) + f32::from(above) * share;
        *below = (mixed + 0.5) as u8;
    }
}
