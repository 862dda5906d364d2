//! Positions as texts.

use crate::geometry::{Vec3Int, VoxelSize};

/// Units that positions are shown in, with their length in metres, smallest first.
const SHOWN_UNITS: [(&str, f64); 6] = [("pm", 1e-12), ("nm", 1e-9), ("µm", 1e-6), ("mm", 1e-3), ("m", 1.0), ("km", 1e3)];

/// Where a mag-1 voxel begins: `40.801, 39.362, 29.428 µm`, in the unit that fits the largest coordinate. In
/// voxels where the dataset has no unit.
pub fn physical_position(voxel_size: &VoxelSize, voxel_mag1: Vec3Int) -> String {
    let factors = voxel_size.factors();
    let lengths = [0, 1, 2].map(|axis| voxel_mag1[axis] as f64 * factors[axis]);
    let Some(unit) = voxel_size.unit else {
        return format!("{} {}", joined(lengths, 1), voxel_size.unit_symbol());
    };
    let meters = lengths.map(|length| length * unit.meters());
    let largest = meters.iter().fold(0.0_f64, |largest, meters| largest.max(meters.abs()));
    let fitting = SHOWN_UNITS.iter().rev().find(|(_, length)| largest >= *length);
    match fitting {
        // Whoever measures in parsecs wants to read parsecs.
        Some(("km", length)) if largest >= 1e6 * length => format!("{} {unit}", joined(lengths, 3)),
        Some((symbol, length)) => format!("{} {symbol}", joined(meters.map(|meters| meters / length), 3)),
        None => format!("{} {unit}", joined(lengths, 3)),
    }
}

/// How much room so many mag-1 voxels take: `0.146 µm³`, in the unit that makes the number readable. Voxels where the
/// dataset has no unit.
pub fn physical_volume(voxel_size: &VoxelSize, voxels: u64) -> String {
    let Some(unit) = voxel_size.unit else {
        return format!("{} voxels", crate::text::count(voxels));
    };
    let [x, y, z] = voxel_size.factors().map(|length| length * unit.meters());
    let cubic_meters = voxels as f64 * x * y * z;
    // The next smaller unit has a thousand million of it, so small shares are read more easily.
    let fitting = SHOWN_UNITS.iter().rev().find(|(_, length)| cubic_meters >= 0.001 * length.powi(3)).unwrap_or(&SHOWN_UNITS[0]);
    let value = cubic_meters / fitting.1.powi(3);
    let decimals = if value > 0.0 { (2 - value.log10().floor() as i32).clamp(0, 9) as usize } else { 0 }; // three digits in all
    let number = if (1000.0..1e15).contains(&value) { crate::text::count(value.round() as u64) } else { format!("{value:.decimals$}") };
    format!("{number} {}³", fitting.0)
}

/// With this many decimals, fewer for large numbers: six digits in all are more than anyone measures.
fn joined(values: [f64; 3], decimals: usize) -> String {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let decimals = if largest >= 100.0 { decimals.min(1) } else { decimals };
    values.map(|value| if value.fract() == 0.0 && decimals < 3 { format!("{value:.0}") } else { format!("{value:.decimals$}") }).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::LengthUnit;

    #[test]
    fn volumes_are_in_the_unit_that_fits() {
        let cells = size([11.24, 11.24, 28.0], Some("nanometer"));
        assert_eq!(physical_volume(&cells, 41_286), "0.146 µm³");
        assert_eq!(physical_volume(&cells, 1), "3537 nm³");
        assert_eq!(physical_volume(&cells, 5361), "0.0190 µm³");
        assert_eq!(physical_volume(&cells, 100_000_000_000), "353\u{2009}745 µm³");
        assert_eq!(physical_volume(&cells, 0), "0 pm³");
        assert_eq!(physical_volume(&size([1.0; 3], None), 12_904), "12\u{2009}904 voxels");
    }

    fn size(factors: [f64; 3], unit: Option<&str>) -> VoxelSize {
        VoxelSize::new(factors, unit.and_then(LengthUnit::parse)).expect("valid")
    }

    #[test]
    fn positions_are_in_the_unit_that_fits() {
        let nm = size([11.24, 11.24, 28.0], Some("nm"));
        assert_eq!(physical_position(&nm, Vec3Int::new(3630, 3502, 1051)), "40.801, 39.362, 29.428 µm");
        assert_eq!(physical_position(&nm, Vec3Int::new(1, 0, 0)), "11.240, 0.000, 0.000 nm");
        assert_eq!(physical_position(&nm, Vec3Int::new(-200_000, 0, 0)), "-2.248, 0.000, 0.000 mm");
        assert_eq!(physical_position(&nm, Vec3Int::ZERO), "0.000, 0.000, 0.000 nm");
        assert_eq!(physical_position(&size([1.0; 3], Some("parsec")), Vec3Int::splat(2)), "2.000, 2.000, 2.000 pc");
    }

    #[test]
    fn without_a_unit_they_are_in_voxels() {
        assert_eq!(physical_position(&VoxelSize::VOXELS, Vec3Int::new(3, -4, 5)), "3, -4, 5 vx");
    }
}
