//! Rows of intensities, RGB and mixed channels to pixels: nearest and linear, one loop per class.

use super::axis_map::Neighbor;
use super::cell::Cell;
use super::channel::{Channel, for_class};
use super::layer_colors::{LayerColors, MixedColors, rgb_at};
use super::plan::{ChunkRow, LayerPlan};
use crate::scene::colormap::{ColorTable, Rgba};
use crate::voxel::VoxelType;
use std::ops::Range;

/// Colour layers are added to what lies below; the first one needn't be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// Nothing is below.
    Set,
    /// Saturating sum.
    Add,
}

impl Blend {
    #[inline(always)]
    fn put(self, pixel: &mut Rgba, color: Rgba) {
        match self {
            Self::Set => *pixel = color,
            Self::Add => *pixel = std::array::from_fn(|i| pixel[i].saturating_add(color[i])),
        }
    }

    /// One colour for a run of pixels.
    pub fn fill(self, out: &mut [Rgba], color: Rgba) {
        for pixel in out {
            self.put(pixel, color);
        }
    }
}

/// Draws the pixels `out` of one row; `out` starts at the first column of `px`.
#[inline]
pub fn draw_nearest(colors: &LayerColors, voxel_type: VoxelType, from: &ChunkRow<'_>, px: Range<usize>, blend: Blend, out: &mut [Rgba]) {
    let bytes = from.bytes.get(from.start as usize..).unwrap_or(&[]);
    let offsets = &from.offsets[px];
    match colors {
        LayerColors::Single(table) => draw_single(table, voxel_type, bytes, offsets, blend, out),
        LayerColors::Rgb(table) => draw_rgb(table, voxel_type, bytes, offsets, blend, out),
        LayerColors::Mixed(mixed) => {
            for_class!(voxel_type.class, T => draw_mixed::<T>(mixed, bytes, offsets, blend, out));
        }
    }
}

// The branches on type and blending are taken once per run, so that each loop has none of its own. Functions of their
// own, so that the compiler knows that writing pixels doesn't change the table.

#[inline(never)]
fn draw_single(table: &ColorTable, voxel_type: VoxelType, bytes: &[u8], offsets: &[u32], blend: Blend, out: &mut [Rgba]) {
    for_class!(voxel_type.class, T => match blend {
        Blend::Set => draw(offsets, out, Blend::Set, |at| T::read_at(bytes, at).map(|v| v.color(table))),
        Blend::Add => draw(offsets, out, Blend::Add, |at| T::read_at(bytes, at).map(|v| v.color(table))),
    });
}

#[inline(never)]
fn draw_rgb(table: &ColorTable, voxel_type: VoxelType, bytes: &[u8], offsets: &[u32], blend: Blend, out: &mut [Rgba]) {
    for_class!(voxel_type.class, T => match blend {
        Blend::Set => draw(offsets, out, Blend::Set, |at| rgb_at::<T>(table, bytes, at)),
        Blend::Add => draw(offsets, out, Blend::Add, |at| rgb_at::<T>(table, bytes, at)),
    });
}

/// The sum of channels. How many they are is asked once per run too; more than four are rare. Not inlined, so that
/// the loops of the common kinds stay as they would be without it.
#[inline(never)]
fn draw_mixed<T: Channel>(mixed: &MixedColors, bytes: &[u8], offsets: &[u32], blend: Blend, out: &mut [Rgba]) {
    let channels = &mixed.channels[..];
    if let Some((first, rest)) = channels.split_first_chunk::<4>() {
        draw(offsets, out, blend, |at| mixed.at::<T, 4>(first, rest, bytes, at));
    } else if let Some((first, _)) = channels.split_first_chunk::<3>() {
        draw(offsets, out, blend, |at| mixed.at::<T, 3>(first, &[], bytes, at));
    } else if let Some((first, _)) = channels.split_first_chunk::<2>() {
        draw(offsets, out, blend, |at| mixed.at::<T, 2>(first, &[], bytes, at));
    } else {
        draw(offsets, out, blend, |at| mixed.at::<T, 0>(&[], channels, bytes, at));
    }
}

#[inline(always)]
fn draw(offsets: &[u32], out: &mut [Rgba], blend: Blend, color_at: impl Fn(usize) -> Option<Rgba>) {
    for (pixel, offset) in out.iter_mut().zip(offsets) {
        if let Some(color) = color_at(*offset as usize) {
            blend.put(pixel, color);
        }
    }
}

/// As [`draw_nearest`], bilinear within the plane. Neighbours that aren't ready count as equal to the voxel
/// itself, and so does what isn't finite.
pub fn draw_linear(
    colors: &LayerColors,
    plan: &LayerPlan<'_>,
    from: &ChunkRow<'_>,
    row: usize,
    px: Range<usize>,
    blend: Blend,
    out: &mut [Rgba],
) {
    for_class!(plan.layer.voxel_type.class, T => draw_linear_of::<T>(colors, plan, from, row, px, blend, out));
}

fn draw_linear_of<T: Channel>(
    colors: &LayerColors,
    plan: &LayerPlan<'_>,
    from: &ChunkRow<'_>,
    row: usize,
    px: Range<usize>,
    blend: Blend,
    out: &mut [Rgba],
) {
    let Some(level) = plan.neighbors(from.level) else { return };
    let fill = plan.fill_of(from.level);
    let (own_column, own_row) = level.own_chunk(px.start, row);
    let below: Neighbor = level.rows[row];
    let below_start = level.neighbor_start(row) as usize;
    let read = |cell: &Cell, at: usize, skip: usize| match cell {
        Cell::Ready(voxels) => T::read_at(voxels.bytes(), at + skip).map(T::to_f64),
        Cell::Missing => T::read_at(fill, skip).map(T::to_f64),
        Cell::Pending | Cell::Failed => None,
    };
    let own = from.bytes;
    let below_cell = level.cell(own_column, below.chunk);
    for (column, pixel) in px.zip(out) {
        let beside = level.columns[column];
        let (x, y) = (f64::from(beside.weight), f64::from(below.weight));
        let own_at = from.start as usize + from.offsets[column] as usize;
        let below_at = below_start + from.offsets[column] as usize;
        let (beside_cell, corner_cell) = (level.cell(beside.chunk, own_row), level.cell(beside.chunk, below.chunk));
        let (beside_at, corner_at) = (from.start as usize + beside.offset as usize, below_start + beside.offset as usize);
        let mix = |channel: usize| -> Option<f64> {
            let skip = channel * T::LEN;
            let value = T::read_at(own, own_at + skip)?.to_f64();
            let or_own = |other: Option<f64>| other.filter(|v| v.is_finite()).unwrap_or(value);
            let upper = value * (1.0 - x) + or_own(read(beside_cell, beside_at, skip)) * x;
            let lower = or_own(read(below_cell, below_at, skip)) * (1.0 - x) + or_own(read(corner_cell, corner_at, skip)) * x;
            let mixed = upper * (1.0 - y) + lower * y;
            Some(if mixed.is_finite() { mixed } else { value })
        };
        let color = match colors {
            LayerColors::Single(table) => mix(0).map(|value| table.rgba(value)),
            LayerColors::Rgb(table) => match (mix(0), mix(1), mix(2)) {
                (Some(r), Some(g), Some(b)) => Some(table.rgb([r, g, b])),
                (Some(_) | None, Some(_) | None, Some(_) | None) => None,
            },
            LayerColors::Mixed(mixed) => mixed.of_values(mix),
        };
        if let Some(color) = color {
            blend.put(pixel, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_layers_saturate() {
        let mut pixel = [200, 10, 0, 255];
        Blend::Add.put(&mut pixel, [100, 20, 5, 255]);
        assert_eq!(pixel, [255, 30, 5, 255]);
        Blend::Set.put(&mut pixel, [1, 2, 3, 255]);
        assert_eq!(pixel, [1, 2, 3, 255]);
    }
}
