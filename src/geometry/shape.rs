//! [`Shape3`]: an extent along x, y, z that is never negative.

use super::Vec3Int;
use std::fmt;

/// How many voxels (or cells) something has along x, y, z. Components are never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape3(Vec3Int);

impl Shape3 {
    /// Nothing along any axis.
    pub const EMPTY: Self = Self(Vec3Int::ZERO);

    /// A shape from its components; negative ones become 0.
    pub fn new(x: i64, y: i64, z: i64) -> Self {
        Self(Vec3Int::new(x, y, z).max(Vec3Int::ZERO))
    }

    /// A cube with this side length.
    pub fn splat(side: i64) -> Self {
        Self::new(side, side, side)
    }

    /// Extent along x.
    pub const fn x(self) -> i64 {
        self.0.x
    }

    /// Extent along y.
    pub const fn y(self) -> i64 {
        self.0.y
    }

    /// Extent along z.
    pub const fn z(self) -> i64 {
        self.0.z
    }

    /// Extent along axis 0, 1 or 2.
    pub fn along(self, axis: usize) -> i64 {
        self.0[axis]
    }

    /// As a vector, for arithmetic.
    pub const fn to_vec(self) -> Vec3Int {
        self.0
    }

    /// Whether no voxel is inside.
    pub const fn is_empty(self) -> bool {
        self.0.x == 0 || self.0.y == 0 || self.0.z == 0
    }

    /// Number of voxels, `None` where it doesn't fit 64 bits.
    pub fn voxel_count(self) -> Option<u64> {
        let [x, y, z] = self.0.to_array().map(i64::unsigned_abs);
        x.checked_mul(y)?.checked_mul(z)
    }

    /// Length in bytes of a dense array of this shape, `None` where it doesn't fit the address space.
    pub fn byte_len(self, bytes_per_voxel: usize) -> Option<usize> {
        let voxels = usize::try_from(self.voxel_count()?).ok()?;
        voxels.checked_mul(bytes_per_voxel).filter(|len| isize::try_from(*len).is_ok())
    }

    /// Components as sizes, x first. They fit because they are not negative and `usize` has 64 bits
    /// on every platform we support.
    pub fn to_usize(self) -> [usize; 3] {
        self.0.to_array().map(|v| usize::try_from(v).unwrap_or(usize::MAX))
    }
}

impl From<[i64; 3]> for Shape3 {
    fn from([x, y, z]: [i64; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl fmt::Display for Shape3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {} × {}", self.0.x, self.0.y, self.0.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_shapes_have_no_count_instead_of_a_wrong_one() {
        assert_eq!(Shape3::splat(1 << 21).voxel_count(), Some(1 << 63));
        assert_eq!(Shape3::splat(1 << 22).voxel_count(), None);
        assert_eq!(Shape3::splat(1 << 21).byte_len(1), None);
    }

    #[test]
    fn negative_extents_are_empty() {
        assert!(Shape3::new(-3, 4, 5).is_empty());
    }
}
