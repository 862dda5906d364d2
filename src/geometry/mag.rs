//! [`Mag`]: how many mag-1 voxels one voxel of a level covers along each axis; [`MagLabel`]: which of several such levels.

use super::{BoundingBox, Shape3, Vec3Int};
use std::fmt;
use std::str::FromStr;

/// A magnification: voxel `v` of the level covers mag-1 voxels `[v, v + 1) · mag`.
///
/// Factors are at least 1. WEBKNOSSOS wants powers of two; other factors occur and work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mag(Vec3Int);

/// Why a text or triple is no mag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a mag: {0:?} (expected a number such as 2, or three such as 2-2-1)")]
pub struct MagParseError(pub String);

impl Mag {
    /// The finest voxel grid.
    pub const ONE: Self = Self(Vec3Int::splat(1));

    /// Largest factor accepted; keeps products of positions and mags within 64 bits.
    const MAX_FACTOR: i64 = 1 << 24;

    /// A mag from its factors, `None` unless each is between 1 and 2^24.
    pub fn new(x: i64, y: i64, z: i64) -> Option<Self> {
        [x, y, z].iter().all(|f| (1..=Self::MAX_FACTOR).contains(f)).then_some(Self(Vec3Int::new(x, y, z)))
    }

    /// Factors along x, y, z.
    pub const fn factors(self) -> Vec3Int {
        self.0
    }

    /// The largest of the three factors, by which mags are ordered.
    pub fn max_factor(self) -> i64 {
        self.0.x.max(self.0.y).max(self.0.z)
    }

    /// Order from fine to coarse: largest factor first, then lexicographic.
    pub fn sort_key(self) -> (i64, [i64; 3]) {
        (self.max_factor(), self.0.to_array())
    }

    /// The voxel of this level that covers a mag-1 voxel.
    pub fn mag_from_mag1(self, pos_mag1: Vec3Int) -> Vec3Int {
        pos_mag1.div_floor(self.0)
    }

    /// First mag-1 voxel that a voxel of this level covers.
    pub fn mag1_from_mag(self, pos_in_mag: Vec3Int) -> Vec3Int {
        pos_in_mag.times(self.0)
    }

    /// All voxels of this level that touch a mag-1 box (aligned outwards).
    pub fn box_in_mag(self, box_mag1: &BoundingBox) -> BoundingBox {
        if box_mag1.is_empty() {
            return BoundingBox::new(self.mag_from_mag1(box_mag1.topleft), Shape3::EMPTY);
        }
        BoundingBox::between(box_mag1.topleft.div_floor(self.0), box_mag1.bottomright().div_ceil(self.0))
    }

    /// The mag-1 voxels that a box of this level covers.
    pub fn box_in_mag1(self, box_in_mag: &BoundingBox) -> BoundingBox {
        BoundingBox::between(box_in_mag.topleft.times(self.0), box_in_mag.bottomright().times(self.0))
    }

    /// The long form `2-2-1`, also for equal factors (`1-1-1`).
    pub fn long_literal(self) -> String {
        format!("{}-{}-{}", self.0.x, self.0.y, self.0.z)
    }
}

impl fmt::Display for Mag {
    /// The short literal that writers use as a folder's name: `2`, `2-2-1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.x == self.0.y && self.0.y == self.0.z { write!(f, "{}", self.0.x) } else { f.write_str(&self.long_literal()) }
    }
}

impl FromStr for Mag {
    type Err = MagParseError;

    fn from_str(text: &str) -> Result<Self, MagParseError> {
        let fail = || MagParseError(text.to_owned());
        let factors: Vec<i64> = text
            .split('-')
            .map(|part| {
                let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
                digits.then(|| part.parse().ok()).flatten().ok_or_else(fail)
            })
            .collect::<Result<_, _>>()?;
        match factors[..] {
            [f] => Self::new(f, f, f),
            [x, y, z] => Self::new(x, y, z),
            _ => None,
        }
        .ok_or_else(fail)
    }
}

/// Names a level of a layer: its mag, and which one it is where several levels have the same mag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MagLabel {
    /// The mag.
    pub mag: Mag,
    /// 1 for the first or only level of the mag, 2 for the second and so on.
    pub copy: u32,
}

impl From<Mag> for MagLabel {
    fn from(mag: Mag) -> Self {
        Self { mag, copy: 1 }
    }
}

impl fmt::Display for MagLabel {
    /// `1`, `2-2-1`; of further levels of the same mag `1-2`, `2-2-1-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.copy > 1 { write!(f, "{}-{}", self.mag, self.copy) } else { self.mag.fmt(f) }
    }
}

impl FromStr for MagLabel {
    type Err = MagParseError;

    /// Three numbers are always a mag; two and four end with the number of the level.
    fn from_str(text: &str) -> Result<Self, MagParseError> {
        if let Ok(mag) = text.parse::<Mag>() {
            return Ok(mag.into());
        }
        let fail = || MagParseError(text.to_owned());
        let (mag, copy) = text.rsplit_once('-').ok_or_else(fail)?;
        let digits = !copy.is_empty() && copy.bytes().all(|b| b.is_ascii_digit());
        let copy = digits.then(|| copy.parse().ok()).flatten().filter(|copy| *copy > 0).ok_or_else(fail)?;
        Ok(Self { mag: mag.parse().map_err(|_| fail())?, copy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_further_levels_of_the_same_mag() {
        for (text, mag, copy, written) in [
            ("1", "1", 1, "1"),
            ("2-2-1", "2-2-1", 1, "2-2-1"),
            ("1-2", "1", 2, "1-2"),
            ("2-2-1-2", "2-2-1", 2, "2-2-1-2"),
            ("2-2-2-3", "2", 3, "2-3"),
        ] {
            let label: MagLabel = text.parse().expect("valid");
            assert_eq!((label.mag.to_string().as_str(), label.copy, label.to_string().as_str()), (mag, copy, written));
            assert_eq!(label.to_string().parse(), Ok(label));
        }
        for text in ["", "1-0", "1-", "-2", "1-2-3-4-5", "1-a", "1-+2", "0-2", "1-99999999999"] {
            assert!(text.parse::<MagLabel>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn literals_are_read_and_written_in_short_form() {
        for (text, short) in [("1", "1"), ("1-1-1", "1"), ("2-2-1", "2-2-1"), ("16", "16"), ("3-3-1", "3-3-1")] {
            assert_eq!(text.parse::<Mag>().map(|m| m.to_string()), Ok(short.to_owned()));
        }
        for text in ["", "0", "2-2", "2-2-1-1", "-2", "+2", "2-0-1", "a", "1 ", "99999999999999999999"] {
            assert!(text.parse::<Mag>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn boxes_are_aligned_outwards() {
        let mag = Mag::new(2, 2, 1).expect("valid");
        let b = BoundingBox::new(Vec3Int::new(3, 4, 5), Shape3::new(3, 4, 5));
        assert_eq!(mag.box_in_mag(&b), BoundingBox::between(Vec3Int::new(1, 2, 5), Vec3Int::new(3, 4, 10)));
    }

    #[test]
    fn negative_positions_round_down() {
        assert_eq!(Mag::new(4, 4, 4).expect("valid").mag_from_mag1(Vec3Int::splat(-1)), Vec3Int::splat(-1));
    }
}
