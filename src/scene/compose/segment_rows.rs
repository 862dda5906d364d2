//! Rows of segment ids mixed into pixels: colour, pattern, opacity (`spec/rendering.md` section 4).

use super::channel::{Channel, for_class};
use super::marks::{PixelMask, SEGMENT};
use super::plan::ChunkRow;
use crate::geometry::VoxelSize;
use crate::scene::colormap::Rgba;
use crate::scene::layer_display::LayerDisplay;
use crate::scene::pane::PaneView;
use crate::scene::segment_color::{PATTERN_CYCLES_PER_VOXEL, PatternColors, SegmentPattern};
use crate::voxel::VoxelType;
use std::ops::Range;

/// Added to the opacity of the segment under the pointer.
const HOVER_OPACITY: f32 = 0.2;

/// Styles kept by id; a power of two. Neighbouring pixels show few segments.
const STYLE_SLOTS: usize = 256;

/// Where the pattern's axes lie on the screen, the same for all segmentations of an image.
pub struct PatternGrid {
    /// By column and by row: pattern units (cycles at frequency 1) from the volume's origin.
    at: [Vec<f64>; 2],
    /// Pattern units per pixel to the right and down.
    step: [f64; 2],
}

impl PatternGrid {
    /// The grid of a pane. Stripes widen with each whole step of the zoom.
    pub fn new(view: &PaneView, voxel_size: &VoxelSize, zoom: f64) -> Self {
        let units = [0, 1].map(|screen_axis| {
            let anisotropy = voxel_size.anisotropy(view.volume_axis(screen_axis));
            anisotropy * PATTERN_CYCLES_PER_VOXEL / zoom.max(1.0).ceil()
        });
        let along = |axis: usize| (0..view.shape_px()[axis]).map(|px| view.mag1_from_px(axis, f64::from(px) + 0.5) * units[axis]).collect();
        Self { at: [along(0), along(1)], step: [view.step()[0] * units[0], view.step()[1] * units[1]] }
    }
}

/// Stripes in one direction: alternate at whole and half values of `u * along_u + v * along_v`.
#[derive(Clone, Copy, Debug)]
struct Stripes {
    along_u: f64,
    along_v: f64,
    /// Pixels per cycle, across the stripes.
    px_per_cycle: f32,
}

impl Stripes {
    fn new(along_u: f64, along_v: f64, grid: &PatternGrid) -> Self {
        let cycles_per_px = (along_u * grid.step[0]).hypot(along_v * grid.step[1]);
        Self { along_u, along_v, px_per_cycle: 1.0 / (cycles_per_px as f32).max(1e-6) }
    }

    /// 1 on a stripe, 0 beside it, in between where a border crosses the pixel.
    #[inline(always)]
    fn at(&self, u: f64, v: f64) -> f32 {
        /// Adding and subtracting it rounds to whole numbers, without a call.
        const ROUND: f64 = 1.5 * (1_u64 << 52) as f64;
        let t = u * self.along_u + v * self.along_v;
        let from_whole = (t - ((t + ROUND) - ROUND)) as f32; // -0.5 to 0.5; on a stripe below 0
        let to_border = from_whole.abs().min(0.5 - from_whole.abs());
        (0.5 - to_border.copysign(from_whole) * self.px_per_cycle).clamp(0.0, 1.0)
    }
}

/// How one segment is drawn in one image.
#[derive(Clone, Copy, Debug)]
struct SegmentStyle {
    /// Share of the segment's colour; 0 where it is hidden.
    opacity: f32,
    first: Stripes,
    second: Stripes,
    has_grid: bool,
    has_pattern: bool,
    /// Colour on a stripe (k = 0), 0 to 255, and its difference to the colour beside it (k = 1).
    base: [f32; 3],
    beside: [f32; 3],
}

impl SegmentStyle {
    #[inline(always)]
    fn mix_into(&self, u: f64, v: f64, pixel: &mut Rgba) {
        let k = if self.has_pattern {
            let stripe = self.first.at(u, v);
            let stripe = if self.has_grid { stripe.max(self.second.at(u, v)) } else { stripe };
            1.0 - stripe
        } else {
            0.0
        };
        for (channel, (base, beside)) in pixel.iter_mut().zip(self.base.iter().zip(self.beside)) {
            let (color, below) = (base + beside * k, f32::from(*channel));
            *channel = (below + (color - below) * self.opacity + 0.5) as u8;
        }
    }
}

/// Styles of a layer's segments, made when an id is first met.
pub struct SegmentStyles<'a> {
    display: &'a LayerDisplay,
    voxel_type: VoxelType,
    hovered: Option<u64>,
    grid: &'a PatternGrid,
    /// By the id's lowest bits.
    slots: Vec<Option<(u64, SegmentStyle)>>,
}

impl<'a> SegmentStyles<'a> {
    /// No styles yet.
    pub fn new(display: &'a LayerDisplay, voxel_type: VoxelType, hovered: Option<u64>, grid: &'a PatternGrid) -> Self {
        Self { display, voxel_type, hovered, grid, slots: vec![None; STYLE_SLOTS] }
    }

    fn style(&mut self, id: u64) -> SegmentStyle {
        let slot = usize::from(id.to_le_bytes()[0]) % STYLE_SLOTS;
        match &self.slots[slot] {
            Some((known, style)) if *known == id => *style,
            Some(_) | None => {
                let style = self.make_style(id);
                self.slots[slot] = Some((id, style));
                style
            }
        }
    }

    fn make_style(&self, id: u64) -> SegmentStyle {
        let is_signed = id_is_signed(self.voxel_type);
        let segments = &self.display.segments;
        let is_hovered = self.hovered == Some(id);
        let opacity = self.display.opacity + if is_hovered { HOVER_OPACITY } else { 0.0 };
        let colors = PatternColors::of(segments.color(id, is_signed), segments.pattern_opacity);
        let SegmentPattern { frequency, angle, has_grid } = SegmentPattern::of(id, is_signed);
        SegmentStyle {
            opacity: if segments.is_hidden(id) { 0.0 } else { opacity.clamp(0.0, 1.0) },
            first: Stripes::new((1.0 - angle) * frequency, angle * frequency, self.grid),
            second: Stripes::new(angle * frequency, (angle - 1.0) * frequency, self.grid),
            has_grid,
            has_pattern: segments.pattern_opacity > 0.0,
            base: colors.on_stripe.map(|c| c * 255.0),
            beside: std::array::from_fn(|i| (colors.off_stripe[i] - colors.on_stripe[i]) * 255.0),
        }
    }

    /// Mixes the ids of a row of a chunk into its pixels. `mask` and `out` start at the first column of `px`.
    pub fn draw(&mut self, from: &ChunkRow<'_>, row: usize, px: Range<usize>, mask: &mut [PixelMask], out: &mut [Rgba]) {
        let bytes = from.bytes.get(from.start as usize..).unwrap_or(&[]);
        let offsets = &from.offsets[px.clone()];
        for_class!(self.voxel_type.class, T => self.draw_ids(row, px, mask, out, |i| T::read_at(bytes, offsets[i] as usize).map_or(0, T::id_bits)));
    }

    /// Mixes one id into a run of pixels.
    pub fn fill(&mut self, voxel: &[u8], row: usize, px: Range<usize>, mask: &mut [PixelMask], out: &mut [Rgba]) {
        let id = id_of_voxel(self.voxel_type, voxel);
        self.draw_ids(row, px, mask, out, |_| id);
    }

    /// Pixels where a layer above has drawn a segment keep it.
    #[inline(always)]
    fn draw_ids(&mut self, row: usize, px: Range<usize>, mask: &mut [PixelMask], out: &mut [Rgba], id_at: impl Fn(usize) -> u64) {
        let grid = self.grid;
        let (v, columns) = (grid.at[1][row], &grid.at[0][px]);
        let mut current: Option<(u64, SegmentStyle)> = None;
        for (i, ((u, pixel), mask)) in columns.iter().zip(out).zip(mask).enumerate() {
            let id = id_at(i);
            if id == 0 || *mask & SEGMENT != 0 {
                continue;
            }
            let style = match &current {
                Some((known, style)) if *known == id => style,
                Some(_) | None => &current.insert((id, self.style(id))).1,
            };
            if style.opacity > 0.0 {
                *mask |= SEGMENT;
                style.mix_into(*u, v, pixel);
            }
        }
    }
}

/// The id of one voxel by its bytes: 64 bits, sign-extended; 0 where there are too few bytes.
pub fn id_of_voxel(voxel_type: VoxelType, voxel: &[u8]) -> u64 {
    for_class!(voxel_type.class, T => T::read_at(voxel, 0).map_or(0, T::id_bits))
}

/// Whether ids of a type are coloured by their absolute value.
pub fn id_is_signed(voxel_type: VoxelType) -> bool {
    use crate::voxel::ElementClass as E;
    match voxel_type.class {
        E::Int8 | E::Int16 | E::Int32 | E::Int64 | E::Float16 | E::Float32 | E::Float64 => true,
        E::Bool | E::Uint8 | E::Uint16 | E::Uint32 | E::Uint64 => false,
    }
}
