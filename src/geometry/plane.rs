//! [`SlicePlane`]: the three planes that panes show.

use std::fmt;
use std::str::FromStr;

/// A plane through the volume, named by the axes that run on the screen.
///
/// XY: x right, y down. YZ: **z right, y down**, so that it shares its rows with XY. XZ: x right, z down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlicePlane {
    /// Looks along z.
    Xy,
    /// Looks along x.
    Yz,
    /// Looks along y.
    Xz,
}

impl SlicePlane {
    /// All planes, in the order of the panes.
    pub const ALL: [Self; 3] = [Self::Xy, Self::Yz, Self::Xz];

    /// Axis (0 = x, 1 = y, 2 = z) that runs to the right.
    pub const fn right_axis(self) -> usize {
        match self {
            Self::Xy | Self::Xz => 0,
            Self::Yz => 2,
        }
    }

    /// Axis that runs down.
    pub const fn down_axis(self) -> usize {
        match self {
            Self::Xy | Self::Yz => 1,
            Self::Xz => 2,
        }
    }

    /// Axis that runs into the screen; the wheel steps along it.
    pub const fn normal_axis(self) -> usize {
        match self {
            Self::Xy => 2,
            Self::Yz => 0,
            Self::Xz => 1,
        }
    }

    /// Name as shown: `XY`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xy => "XY",
            Self::Yz => "YZ",
            Self::Xz => "XZ",
        }
    }
}

impl fmt::Display for SlicePlane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SlicePlane {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|plane| plane.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| format!("not a plane: {text:?} (expected xy, xz or yz)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_plane_uses_every_axis_once() {
        for plane in SlicePlane::ALL {
            let mut axes = [plane.right_axis(), plane.down_axis(), plane.normal_axis()];
            axes.sort_unstable();
            assert_eq!(axes, [0, 1, 2], "{plane}");
        }
    }

    #[test]
    fn yz_runs_z_to_the_right_and_y_down() {
        assert_eq!((SlicePlane::Yz.right_axis(), SlicePlane::Yz.down_axis()), (2, 1));
    }
}
