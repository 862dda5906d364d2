//! One unit for all levels of an image.

use super::placement::Along;
use crate::geometry::LengthUnit;
use crate::problem::Problems;

/// Scale and translation of a level along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// Size of a voxel.
    pub scale: [f64; 3],
    /// Position of the first voxel.
    pub translation: [f64; 3],
}

/// What is known of a level's lengths.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    /// The values as they are given.
    pub along: Along,
    /// Whether they are lengths, or numbers of finest voxels.
    pub are_physical: bool,
}

/// Expresses all levels in one unit: the first that is named. `None` if there is none.
pub fn in_one_unit(
    levels: &[Lengths],
    assumes_micrometer: bool,
    location: &str,
    problems: &mut Problems,
) -> (Option<LengthUnit>, Vec<Spacing>) {
    let units: Vec<[Option<LengthUnit>; 3]> = levels.iter().map(|level| units_of(level, assumes_micrometer, location, problems)).collect();
    let given = |level: &Lengths, axis: usize| level.along.scale[axis].is_some();
    let all: Vec<Option<LengthUnit>> = levels
        .iter()
        .zip(&units)
        .flat_map(|(level, units)| (0..3).filter(|axis| given(level, *axis)).map(|axis| units[axis]).collect::<Vec<_>>())
        .collect();
    // Lengths of which only some have a unit can't be compared.
    let image_unit = if all.iter().all(Option::is_some) { all.first().copied().flatten() } else { None };
    if image_unit.is_none() && all.iter().any(Option::is_some) {
        problems.warn(location, "Only some lengths have a unit of length, all are shown without one");
    }
    let mut spacings: Vec<Spacing> = Vec::new();
    for (level, units) in levels.iter().zip(&units) {
        let factor = |axis: usize| match (image_unit, units[axis]) {
            (Some(to), Some(from)) if to != from => from.meters() / to.meters(),
            _ => 1.0,
        };
        let mut spacing = Spacing { scale: [1.0; 3], translation: [0.0; 3] };
        for axis in 0..3 {
            if let Some(scale) = level.along.scale[axis] {
                spacing.scale[axis] = usable(scale, location, problems) * factor(axis);
            }
            spacing.translation[axis] = level.along.translation[axis].filter(|at| at.is_finite()).unwrap_or(0.0) * factor(axis);
        }
        spacings.push(spacing);
    }
    // An axis that isn't there is as thick as the finest voxel is wide, at all levels.
    let width = spacings.first().map_or(1.0, |first| first.scale[0]);
    for (level, spacing) in levels.iter().zip(&mut spacings) {
        for axis in (0..3).filter(|axis| !given(level, *axis)) {
            spacing.scale[axis] = width;
        }
    }
    (image_unit, spacings)
}

fn units_of(level: &Lengths, assumes_micrometer: bool, location: &str, problems: &mut Problems) -> [Option<LengthUnit>; 3] {
    if !level.are_physical {
        return [None; 3];
    }
    std::array::from_fn(|axis| {
        level.along.scale[axis]?;
        match level.along.unit[axis].as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => {
                let unit = LengthUnit::parse(text);
                if unit.is_none() {
                    problems.warn(location, format!("The unit {text:?} is no length, lengths are shown without a unit"));
                }
                unit
            }
            None if assumes_micrometer => {
                problems.info(location, "No unit is given, micrometer is assumed as in WEBKNOSSOS");
                LengthUnit::parse("micrometer")
            }
            None => None,
        }
    })
}

fn usable(scale: f64, location: &str, problems: &mut Problems) -> f64 {
    let length = scale.abs();
    if !(1e-30..=1e30).contains(&length) {
        problems.warn(location, format!("A voxel size of {scale} is unusable, 1 is assumed"));
        return 1.0;
    }
    if scale < 0.0 {
        problems.warn(location, format!("The voxel size {scale} is negative, its absolute value is used"));
    }
    length
}
