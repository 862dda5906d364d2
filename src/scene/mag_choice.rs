//! Which level of a layer a zoom asks for.

use super::visible::LevelRef;
use crate::geometry::{Mag, MagLabel};

/// The levels that a layer is drawn from, out of its readable ones: the first of each mag, but the fixed one of its mag.
pub fn drawn_levels(readable: &[LevelRef], fixed: Option<MagLabel>) -> Vec<LevelRef> {
    let fixed = fixed.filter(|fixed| readable.iter().any(|level| level.label() == *fixed));
    let copy_of = |mag: Mag| fixed.filter(|fixed| fixed.mag == mag).map_or(1, |fixed| fixed.copy);
    readable.iter().filter(|level| level.copy == copy_of(level.mag)).cloned().collect()
}

/// Index of the level to show, out of a layer's readable levels, finest first.
///
/// The mag with largest factor 2^i serves up to zoom 2^(i + 1). A layer without it shows its next coarser
/// level, else its coarsest. A `fixed` mag is used by layers that have it. `None` for a layer without levels.
pub fn choose_level(mags: &[Mag], zoom: f64, fixed: Option<Mag>) -> Option<usize> {
    if let Some(at) = fixed.and_then(|fixed| mags.iter().position(|mag| *mag == fixed)) {
        return Some(at);
    }
    let wanted = fixed.map_or_else(|| wanted_factor(zoom), Mag::max_factor);
    let coarser = mags.iter().position(|mag| mag.max_factor() >= wanted);
    coarser.or_else(|| mags.len().checked_sub(1))
}

/// Largest factor of the mag that serves a zoom.
fn wanted_factor(zoom: f64) -> i64 {
    let mut factor = 1_i64;
    while zoom > 2.0 * factor as f64 && factor < 1 << 40 {
        factor *= 2;
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mags(literals: &[&str]) -> Vec<Mag> {
        literals.iter().map(|m| m.parse().expect("valid")).collect()
    }

    #[test]
    fn thresholds_are_powers_of_two() {
        let all = mags(&["1", "2-2-1", "4-4-2", "8"]);
        for (zoom, index) in [(0.01, 0), (2.0, 0), (2.01, 1), (4.0, 1), (4.01, 2), (8.01, 3), (1e6, 3)] {
            assert_eq!(choose_level(&all, zoom, None), Some(index), "zoom {zoom}");
        }
    }

    #[test]
    fn gaps_fall_to_the_next_coarser_level_and_then_to_the_coarsest() {
        assert_eq!(choose_level(&mags(&["1", "8"]), 3.0, None), Some(1));
        assert_eq!(choose_level(&mags(&["4", "8"]), 1.0, None), Some(0));
        assert_eq!(choose_level(&mags(&["1"]), 64.0, None), Some(0));
        assert_eq!(choose_level(&mags(&["3-3-1", "9-9-3"]), 3.0, None), Some(0));
        assert_eq!(choose_level(&[], 1.0, None), None);
    }

    #[test]
    fn a_fixed_mag_wins_and_layers_without_it_use_their_own_next() {
        let fixed = Some("4".parse().expect("valid"));
        assert_eq!(choose_level(&mags(&["1", "4", "8"]), 1.0, fixed), Some(1));
        assert_eq!(choose_level(&mags(&["1", "8"]), 1.0, fixed), Some(1));
    }
}
