//! [`ScaleBar`]: a length of a round number that fits under a picture.

use crate::geometry::VoxelSize;

/// A bar of 1, 2 or 5 · 10ⁿ units.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleBar {
    /// Length on the screen, in the pixels that were asked for.
    pub length_px: f64,
    /// `200 nm`, `5 µm`, `100 vx`.
    pub text: String,
}

/// Units a bar is labelled in, shortest first, in metres.
const UNITS: [(&str, f64); 8] =
    [("pm", 1e-12), ("nm", 1e-9), ("µm", 1e-6), ("mm", 1e-3), ("m", 1.0), ("km", 1e3), ("Mm", 1e6), ("Gm", 1e9)];

impl ScaleBar {
    /// Longest bar, in pixels. The next shorter round number is at least 0.4 of it.
    pub const MAX_PX: f64 = 140.0;

    /// The longest bar up to [`Self::MAX_PX`] for a picture of `zoom` finest voxels per pixel. It is the same
    /// in every plane, since pictures have physical proportions. `None` where no number can be given.
    pub fn new(voxel_size: &VoxelSize, zoom: f64) -> Option<Self> {
        let units_per_px = voxel_size.base() * zoom;
        let (per_px, is_length) = match voxel_size.unit {
            Some(unit) => (units_per_px * unit.meters(), true),
            None => (units_per_px, false),
        };
        if !(per_px.is_finite() && per_px > 0.0) {
            return None;
        }
        let length = round_down(per_px * Self::MAX_PX);
        let text = if is_length { length_text(length) } else { format!("{} vx", trimmed(length)) };
        Some(Self { length_px: length / per_px, text })
    }
}

/// The largest 1, 2 or 5 · 10ⁿ that isn't above `length`.
fn round_down(length: f64) -> f64 {
    let power = 10_f64.powf(length.log10().floor());
    // Rounding of the logarithm may be off by one power.
    [10.0, 5.0, 2.0, 1.0, 0.5].into_iter().map(|digit| digit * power).find(|round| *round <= length * (1.0 + 1e-9)).unwrap_or(power)
}

fn length_text(meters: f64) -> String {
    let fits = UNITS.iter().rev().find(|(_, unit)| meters >= unit * (1.0 - 1e-9)).unwrap_or(&UNITS[0]);
    format!("{} {}", trimmed(meters / fits.1), fits.0)
}

/// A round number without the noise of its binary form.
fn trimmed(value: f64) -> String {
    if (1e-3..1e6).contains(&value) { format!("{}", (value * 1e6).round() / 1e6) } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::LengthUnit;

    fn bar(base_nm: f64, zoom: f64) -> ScaleBar {
        let size = VoxelSize::new([base_nm, base_nm, 28.0_f64.max(base_nm)], Some(LengthUnit::NANOMETER)).expect("valid");
        ScaleBar::new(&size, zoom).expect("finite")
    }

    #[test]
    fn lengths_are_round_and_change_units() {
        assert_eq!(bar(11.24, 1.0).text, "1 µm");
        assert_eq!(bar(11.24, 0.1).text, "100 nm");
        assert_eq!(bar(11.24, 10.0).text, "10 µm");
        assert_eq!(bar(1e6, 1.0).text, "100 mm");
        assert_eq!(bar(1.0, 0.005).text, "500 pm");
    }

    #[test]
    fn bars_are_between_55_and_140_pixels() {
        for i in 0..400 {
            let bar = bar(11.24, 1.02_f64.powi(i - 200));
            assert!((55.0..=140.001).contains(&bar.length_px), "{bar:?}");
        }
    }

    #[test]
    fn without_a_unit_the_bar_counts_voxels() {
        assert_eq!(ScaleBar::new(&VoxelSize::VOXELS, 1.0).map(|bar| bar.text), Some("100 vx".into()));
    }
}
