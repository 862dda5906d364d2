//! [`PaintTools`]: the tool in hand and how it paints.

use crate::annotation::MAX_AREA_PIXELS;
use crate::geometry::Mag;
use strum::EnumIter;

/// What a drag or click in a pane does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, EnumIter)]
pub enum Tool {
    /// Drag moves the view.
    #[default]
    Move,
    /// Drag paints discs.
    Brush,
    /// Drag erases discs.
    Eraser,
    /// Drag outlines an area, which is filled on release.
    Trace,
    /// Click fills what is connected.
    Fill,
    /// Click takes over the segment under the pointer.
    Picker,
}

impl Tool {
    /// As shown in the tool bar.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Brush => "Brush",
            Self::Eraser => "Eraser",
            Self::Trace => "Trace",
            Self::Fill => "Fill",
            Self::Picker => "Picker",
        }
    }

    /// Whether a disc follows the pointer.
    pub const fn has_disc(self) -> bool {
        matches!(self, Self::Brush | Self::Eraser)
    }

    /// Whether a drag paints instead of moving the view.
    pub const fn paints_by_drag(self) -> bool {
        matches!(self, Self::Brush | Self::Eraser | Self::Trace)
    }

    /// The tool to the right (1) or left (-1), around the ends.
    pub fn shifted(self, by: isize) -> Self {
        const ALL: [Tool; 6] = [Tool::Move, Tool::Brush, Tool::Eraser, Tool::Trace, Tool::Fill, Tool::Picker];
        let at = ALL.iter().position(|tool| *tool == self).unwrap_or(0);
        let to = at.cast_signed().saturating_add(by).rem_euclid(ALL.len().cast_signed());
        ALL[to.cast_unsigned()] // the remainder is an index
    }
}

/// The tool in hand and how it paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaintTools {
    /// The tool.
    pub tool: Tool,
    /// Diameter of the disc in finest base voxels.
    pub brush_size: u32,
    /// Only the background is painted over; erasing takes the active segment only.
    pub empty_only: bool,
    /// The fill tool fills in the volume, not in the slice.
    pub fill_in_volume: bool,
}

impl Default for PaintTools {
    fn default() -> Self {
        Self { tool: Tool::Move, brush_size: 50, empty_only: false, fill_in_volume: false }
    }
}

impl PaintTools {
    /// Smallest diameter: one voxel.
    pub const MIN_BRUSH: u32 = 1;

    /// Largest diameter in volumes with mags from the finest to the coarsest: 300 for mag 1, more where coarser mags are
    /// painted, but never more than can be painted in the finest one, whatever its voxels' edges.
    pub fn max_brush(finest: Mag, coarsest: Mag) -> u32 {
        let doublings = coarsest.max_factor().max(1).ilog2();
        let wanted = 300_u64 << doublings.min(12);
        let [x, y, z] = finest.factors().to_array();
        // Even, as half of it is rounded up.
        let paintable = (MAX_AREA_PIXELS.isqrt() & !1).saturating_mul(x.min(y).min(z).max(1).unsigned_abs());
        u32::try_from(wanted.min(paintable)).unwrap_or(u32::MAX)
    }

    /// A notch larger (1) or smaller (-1): 2 percent rounded up, at most 5.
    pub fn change_brush(&mut self, notches: i64, max: u32) {
        for _ in 0..notches.unsigned_abs().min(1000) {
            let step = self.brush_size.div_ceil(50).clamp(1, 5);
            let size = if notches > 0 { self.brush_size.saturating_add(step) } else { self.brush_size.saturating_sub(step) };
            self.brush_size = size.clamp(Self::MIN_BRUSH, max.max(Self::MIN_BRUSH));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator as _;

    #[test]
    fn going_through_the_tools_meets_each_once_and_comes_back() {
        let mut seen = vec![Tool::Move];
        while seen.len() < 100 {
            let next = seen[seen.len() - 1].shifted(1);
            assert_eq!(next.shifted(-1), seen[seen.len() - 1]);
            if next == Tool::Move {
                break;
            }
            seen.push(next);
        }
        assert_eq!(seen, Tool::iter().collect::<Vec<_>>());
    }

    #[test]
    fn brush_steps_are_two_percent_and_at_most_five() {
        let mut tools = PaintTools { brush_size: 50, ..PaintTools::default() };
        tools.change_brush(1, 300);
        assert_eq!(tools.brush_size, 51);
        tools.brush_size = 290;
        tools.change_brush(3, 300);
        assert_eq!(tools.brush_size, 300, "never above the limit");
        tools.change_brush(-1, 300);
        assert_eq!(tools.brush_size, 295);
        tools.change_brush(-1000, 300);
        assert_eq!(tools.brush_size, PaintTools::MIN_BRUSH);
        let mag = |factor| Mag::new(factor, factor, factor).expect("valid");
        let max = |finest, coarsest| PaintTools::max_brush(mag(finest), mag(coarsest));
        assert_eq!([max(1, 1), max(1, 2), max(1, 4), max(1, 1 << 20), max(2, 16)], [300, 600, 1188, 1188, 2376]);
    }
}
