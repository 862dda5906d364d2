//! [`BoundingBox`]: a half-open box of voxels.

use super::{Shape3, Vec3Int};
use std::fmt;

/// The voxels `topleft <= p < bottomright`, per axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BoundingBox {
    /// First voxel inside.
    pub topleft: Vec3Int,
    /// Extent.
    pub shape: Shape3,
}

impl BoundingBox {
    /// A box from its first voxel and its extent.
    pub const fn new(topleft: Vec3Int, shape: Shape3) -> Self {
        Self { topleft, shape }
    }

    /// The box between two corners, `bottomright` outside; empty where they are in the wrong order.
    pub fn between(topleft: Vec3Int, bottomright: Vec3Int) -> Self {
        let extent = bottomright - topleft;
        Self::new(topleft, Shape3::new(extent.x, extent.y, extent.z))
    }

    /// First position outside, along every axis.
    pub fn bottomright(&self) -> Vec3Int {
        self.topleft + self.shape.to_vec()
    }

    /// Whether no voxel is inside.
    pub const fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }

    /// Whether the voxel lies inside.
    pub fn contains(&self, pos: Vec3Int) -> bool {
        let end = self.bottomright();
        (0..3).all(|a| self.topleft[a] <= pos[a] && pos[a] < end[a])
    }

    /// Whether all of `other` lies inside. An empty box lies inside everything.
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || self.intersect(other) == *other
    }

    /// Voxels in both; empty (with a meaningless corner) where there is none.
    pub fn intersect(&self, other: &Self) -> Self {
        Self::between(self.topleft.max(other.topleft), self.bottomright().min(other.bottomright()))
    }

    /// The smallest box around both; an empty box adds nothing.
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        Self::between(self.topleft.min(other.topleft), self.bottomright().max(other.bottomright()))
    }

    /// The box moved by `offset`.
    pub fn translate(&self, offset: Vec3Int) -> Self {
        Self::new(self.topleft + offset, self.shape)
    }

    /// The voxel in the middle (rounded down).
    pub fn center(&self) -> Vec3Int {
        self.topleft + self.shape.to_vec().div_floor(Vec3Int::splat(2))
    }

    /// The voxel inside that is nearest to `pos`; `pos` itself for an empty box.
    pub fn clamp(&self, pos: Vec3Int) -> Vec3Int {
        if self.is_empty() {
            return pos;
        }
        pos.max(self.topleft).min(self.bottomright() - Vec3Int::splat(1))
    }
}

impl fmt::Display for BoundingBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {}", self.topleft, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_box() -> impl Strategy<Value = BoundingBox> {
        (prop::array::uniform3(-50_i64..50), prop::array::uniform3(0_i64..40)).prop_map(|(t, s)| BoundingBox::new(t.into(), s.into()))
    }

    proptest! {
        #[test]
        fn a_voxel_is_in_the_intersection_exactly_if_it_is_in_both(
            a in any_box(), b in any_box(), p in prop::array::uniform3(-60_i64..60)
        ) {
            let p = Vec3Int::from(p);
            prop_assert_eq!(a.intersect(&b).contains(p), a.contains(p) && b.contains(p));
        }

        #[test]
        fn the_union_contains_both(a in any_box(), b in any_box()) {
            let u = a.union(&b);
            prop_assert!(u.contains_box(&a) && u.contains_box(&b));
        }

        #[test]
        fn clamping_gives_a_voxel_inside(a in any_box(), p in prop::array::uniform3(-90_i64..90)) {
            prop_assume!(!a.is_empty());
            let clamped = a.clamp(p.into());
            prop_assert!(a.contains(clamped));
            if a.contains(p.into()) { prop_assert_eq!(clamped, p.into()); }
        }
    }

    #[test]
    fn boxes_at_the_end_of_the_number_range_do_not_overflow() {
        let far = BoundingBox::new(Vec3Int::splat(i64::MAX - 1), Shape3::splat(i64::MAX));
        assert_eq!(far.bottomright(), Vec3Int::splat(i64::MAX));
        assert!(!far.intersect(&BoundingBox::new(Vec3Int::splat(i64::MIN), Shape3::splat(i64::MAX))).contains(Vec3Int::ZERO));
    }
}
