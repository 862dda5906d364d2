//! [`Vec3Int`]: three integers in x, y, z order.

use std::fmt;
use std::ops::{Add, Index, IndexMut, Sub};

/// A position or offset in voxels (or grid cells), x, y, z.
///
/// Arithmetic saturates: positions come from files and from typing, and a position at the end of
/// the number range is as far away as one beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vec3Int {
    /// First axis.
    pub x: i64,
    /// Second axis.
    pub y: i64,
    /// Third axis.
    pub z: i64,
}

impl Vec3Int {
    /// The origin.
    pub const ZERO: Self = Self::splat(0);

    /// A vector from its components.
    pub const fn new(x: i64, y: i64, z: i64) -> Self {
        Self { x, y, z }
    }

    /// A vector with three equal components.
    pub const fn splat(v: i64) -> Self {
        Self::new(v, v, v)
    }

    /// Components as an array, x first.
    pub const fn to_array(self) -> [i64; 3] {
        [self.x, self.y, self.z]
    }

    /// Applies `f` to each pair of components.
    pub fn zip(self, other: Self, f: impl Fn(i64, i64) -> i64) -> Self {
        Self::new(f(self.x, other.x), f(self.y, other.y), f(self.z, other.z))
    }

    /// Component-wise minimum.
    pub fn min(self, other: Self) -> Self {
        self.zip(other, i64::min)
    }

    /// Component-wise maximum.
    pub fn max(self, other: Self) -> Self {
        self.zip(other, i64::max)
    }

    /// Component-wise product, saturating.
    pub fn times(self, other: Self) -> Self {
        self.zip(other, i64::saturating_mul)
    }

    /// Component-wise quotient rounded down. `other` must be positive.
    pub fn div_floor(self, other: Self) -> Self {
        self.zip(other, i64::div_euclid)
    }

    /// Component-wise quotient rounded up. `other` must be positive.
    pub fn div_ceil(self, other: Self) -> Self {
        self.zip(other, |a, b| a.div_euclid(b).saturating_add(i64::from(a.rem_euclid(b) != 0)))
    }

    /// The vector with the component of `axis` (0, 1 or 2) replaced.
    pub fn with(mut self, axis: usize, value: i64) -> Self {
        self[axis] = value;
        self
    }
}

impl Add for Vec3Int {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, i64::saturating_add)
    }
}

impl Sub for Vec3Int {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, i64::saturating_sub)
    }
}

impl Index<usize> for Vec3Int {
    type Output = i64;
    /// Component of axis 0 (x), 1 (y) or 2 (z).
    fn index(&self, axis: usize) -> &i64 {
        match axis {
            0 => &self.x,
            1 => &self.y,
            2 => &self.z,
            other => unreachable!("axis {other} of a 3-D vector"),
        }
    }
}

impl IndexMut<usize> for Vec3Int {
    fn index_mut(&mut self, axis: usize) -> &mut i64 {
        match axis {
            0 => &mut self.x,
            1 => &mut self.y,
            2 => &mut self.z,
            other => unreachable!("axis {other} of a 3-D vector"),
        }
    }
}

impl From<[i64; 3]> for Vec3Int {
    fn from([x, y, z]: [i64; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl fmt::Display for Vec3Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.x, self.y, self.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_towards_the_lower_cell_for_negative_positions() {
        let p = Vec3Int::new(-1, 31, 32);
        assert_eq!(p.div_floor(Vec3Int::splat(32)), Vec3Int::new(-1, 0, 1));
        assert_eq!(p.div_ceil(Vec3Int::splat(32)), Vec3Int::new(0, 1, 1));
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        let far = Vec3Int::splat(i64::MAX);
        assert_eq!(far + Vec3Int::splat(1), far);
        assert_eq!(far.times(Vec3Int::splat(2)), far);
    }
}
