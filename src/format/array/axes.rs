//! [`AxisOrder`]: which dimension of a stored array is x, y, z, channel or something else, and why.
//!
//! Independent of memory order: chunks are decoded to logical arrays, then seen through these roles.

use super::nd::MAX_RANK;
use crate::format::ExtraAxis;

/// What a dimension means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisRole {
    /// To the right in XY.
    X,
    /// Down in XY.
    Y,
    /// Into the screen in XY.
    Z,
    /// Channels of a voxel.
    Channel,
    /// An axis of its own, such as time.
    Extra(String),
}

/// The role of each dimension, in the order of the array's dimension list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisOrder {
    roles: Vec<AxisRole>,
    reason: String,
}

/// Why roles can't be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxesError {
    /// Two dimensions have one role.
    #[error("two axes are called {0}")]
    Twice(String),
    /// The array has another number of dimensions.
    #[error("{named} axes are named, the array has {rank}")]
    Rank {
        /// Axes named.
        named: usize,
        /// Dimensions there are.
        rank: usize,
    },
    /// Two axes are said to be one dimension.
    #[error("axisOrder has {0} and {1} at the same dimension")]
    Same(String, String),
    /// A dimension that the array doesn't have.
    #[error("axisOrder has {0} at dimension {1}, the array has {2}")]
    Beyond(String, usize, usize),
    /// There is no x or no y.
    #[error("no axis {0} among the axes {1}")]
    Missing(char, String),
    /// More than can be handled.
    #[error("an array of {0} dimensions, at most {MAX_RANK} can be shown")]
    TooMany(usize),
}

impl AxisRole {
    /// The usual meaning of an axis' name. Case doesn't matter.
    pub fn from_name(name: &str) -> Self {
        match name.trim().to_lowercase().as_str() {
            "x" => Self::X,
            "y" => Self::Y,
            "z" => Self::Z,
            "c" | "ch" | "channel" | "channels" | "c^" => Self::Channel,
            _ => Self::Extra(name.trim().to_owned()),
        }
    }

    /// Name for people.
    pub fn name(&self) -> &str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::Channel => "c",
            Self::Extra(name) => name,
        }
    }
}

impl AxisOrder {
    /// Roles for an array of `rank` dimensions. `reason` says where they come from.
    ///
    /// # Errors
    /// If there are two x, y, z or channel axes, no x or y in an array of two or more dimensions, or another
    /// number of roles than of dimensions.
    pub fn new(roles: Vec<AxisRole>, rank: usize, reason: impl Into<String>) -> Result<Self, AxesError> {
        if rank > MAX_RANK {
            return Err(AxesError::TooMany(rank));
        }
        if roles.len() != rank {
            return Err(AxesError::Rank { named: roles.len(), rank });
        }
        for (i, role) in roles.iter().enumerate() {
            if roles[..i].contains(role) {
                return Err(AxesError::Twice(role.name().to_owned()));
            }
        }
        for (role, name) in [(AxisRole::X, 'x'), (AxisRole::Y, 'y')] {
            if rank > 1 && !roles.contains(&role) {
                let names: Vec<_> = roles.iter().map(AxisRole::name).collect();
                return Err(AxesError::Missing(name, names.join(", ")));
            }
        }
        Ok(Self { roles, reason: reason.into() })
    }

    /// Roles by the names of dimensions. A dimension without a name is an axis `dim_0`, `dim_1`, ….
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn from_names<'a>(
        names: impl IntoIterator<Item = Option<&'a str>>,
        rank: usize,
        reason: impl Into<String>,
    ) -> Result<Self, AxesError> {
        let role = |(i, name): (usize, Option<&str>)| match name.filter(|name| !name.trim().is_empty()) {
            Some(name) => AxisRole::from_name(name),
            None => AxisRole::Extra(format!("dim_{i}")),
        };
        Self::new(names.into_iter().enumerate().map(role).collect(), rank, reason)
    }

    /// Last three dimensions z, y, x; before them c, before that t, before that `dim_0`, `dim_1`, ….
    ///
    /// # Errors
    /// If there are too many dimensions.
    pub fn last_zyx(rank: usize, reason: impl Into<String>) -> Result<Self, AxesError> {
        Self::by_position(rank, &["x", "y", "z", "c", "t"], true, reason)
    }

    /// x, y, z, then c, t, then `dim_5`, ….
    ///
    /// # Errors
    /// If there are too many dimensions.
    pub fn first_xyz(rank: usize, reason: impl Into<String>) -> Result<Self, AxesError> {
        Self::by_position(rank, &["x", "y", "z", "c", "t"], false, reason)
    }

    /// Last dimensions c, x, y, z; x, y, z if there are three, x, y if there are two. The default of WEBKNOSSOS
    /// for Zarr 3.
    ///
    /// # Errors
    /// If there are too many dimensions.
    pub fn last_cxyz(rank: usize, reason: impl Into<String>) -> Result<Self, AxesError> {
        if rank == 2 {
            return Self::by_position(rank, &["y", "x"], true, reason);
        }
        Self::by_position(rank, &["z", "y", "x", "c", "t"], true, reason)
    }

    fn by_position(rank: usize, names: &[&str], from_last: bool, reason: impl Into<String>) -> Result<Self, AxesError> {
        let name = |i: usize| names.get(if from_last { rank - 1 - i } else { i }).copied();
        Self::from_names((0..rank).map(name), rank, reason)
    }

    /// Role of each dimension.
    pub fn roles(&self) -> &[AxisRole] {
        &self.roles
    }

    /// Where the roles come from.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The dimension of a role.
    pub fn dimension(&self, role: &AxisRole) -> Option<usize> {
        self.roles.iter().position(|r| r == role)
    }

    /// The axes beyond x, y, z and channel of an array of this shape, in the order of its dimensions, each with
    /// its dimension.
    pub fn extra_axes(&self, shape: &[u64]) -> Vec<(usize, ExtraAxis)> {
        let extra = self.roles.iter().zip(shape).enumerate().filter_map(|(dimension, (role, len))| match role {
            AxisRole::Extra(name) => Some((dimension, ExtraAxis { name: name.clone(), len: *len })),
            AxisRole::X | AxisRole::Y | AxisRole::Z | AxisRole::Channel => None,
        });
        extra.collect()
    }

    /// The roles in order: `t, c, z, y, x`.
    pub fn names(&self) -> String {
        self.roles.iter().map(AxisRole::name).collect::<Vec<_>>().join(", ")
    }
}

/// What a `datasource-properties.json` says of a mag's axes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredAxes {
    /// `axisOrder`: names with their dimension. Empty if it isn't given.
    pub order: Vec<(String, usize)>,
    /// `additionalAxes`: names with their dimension.
    pub additional: Vec<(String, usize)>,
    /// `channelIndex`: the only channel to show.
    pub channel: Option<u64>,
}

impl DeclaredAxes {
    /// The declared roles; `None` if `axisOrder` isn't given. Dimensions that it leaves out are axes `dim_0`, ….
    pub fn axes(&self, rank: usize) -> Option<Result<AxisOrder, AxesError>> {
        if self.order.is_empty() {
            return None;
        }
        if rank > MAX_RANK {
            return Some(Err(AxesError::TooMany(rank)));
        }
        let mut roles: Vec<AxisRole> = (0..rank).map(|i| AxisRole::Extra(format!("dim_{i}"))).collect();
        for (i, (name, dimension)) in self.order.iter().enumerate() {
            if let Some((other, _)) = self.order[..i].iter().find(|(_, at)| at == dimension) {
                return Some(Err(AxesError::Same(other.clone(), name.clone())));
            }
        }
        // Some servers give wrong dimensions to additional axes: axisOrder wins.
        for (name, dimension) in self.additional.iter().chain(&self.order) {
            match roles.get_mut(*dimension) {
                Some(role) => *role = AxisRole::from_name(name),
                None => return Some(Err(AxesError::Beyond(name.clone(), *dimension, rank))),
            }
        }
        Some(AxisOrder::new(roles, rank, "axisOrder in datasource-properties.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(order: Result<AxisOrder, AxesError>) -> String {
        order.map(|order| order.names()).unwrap_or_else(|err| err.to_string())
    }

    #[test]
    fn defaults_by_position() {
        let cases = [
            (names(AxisOrder::last_zyx(2, "")), "y, x"),
            (names(AxisOrder::last_zyx(3, "")), "z, y, x"),
            (names(AxisOrder::last_zyx(5, "")), "t, c, z, y, x"),
            (names(AxisOrder::last_zyx(6, "")), "dim_0, t, c, z, y, x"),
            (names(AxisOrder::first_xyz(4, "")), "x, y, z, c"),
            (names(AxisOrder::last_cxyz(2, "")), "x, y"),
            (names(AxisOrder::last_cxyz(3, "")), "x, y, z"),
            (names(AxisOrder::last_cxyz(4, "")), "c, x, y, z"),
            (names(AxisOrder::last_cxyz(5, "")), "t, c, x, y, z"),
            (names(AxisOrder::last_zyx(0, "")), ""),
            (names(AxisOrder::last_zyx(1, "")), "x"),
            (names(AxisOrder::last_zyx(9, "")), "an array of 9 dimensions, at most 8 can be shown"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn declared_dimensions_beyond_the_array_or_given_twice_are_refused() {
        let declared = |x: usize| DeclaredAxes { order: vec![("x".to_owned(), x), ("y".to_owned(), 1)], ..DeclaredAxes::default() };
        for x in [2, usize::MAX] {
            assert_eq!(declared(x).axes(2), Some(Err(AxesError::Beyond("x".to_owned(), x, 2))));
        }
        assert_eq!(declared(1).axes(2), Some(Err(AxesError::Same("x".to_owned(), "y".to_owned()))));
        assert!(matches!(declared(0).axes(2), Some(Ok(_))));
    }

    #[test]
    fn names_decide_and_contradictions_are_refused() {
        let from = |list: &[Option<&str>], rank| names(AxisOrder::from_names(list.iter().copied(), rank, ""));
        assert_eq!(from(&[Some("C"), Some("X"), Some("y"), None], 4), "c, x, y, dim_3");
        assert_eq!(from(&[Some("x"), Some("x")], 2), "two axes are called x");
        assert_eq!(from(&[Some("x"), Some("z")], 2), "no axis y among the axes x, z");
        assert_eq!(from(&[Some("y"), Some("x")], 3), "2 axes are named, the array has 3");
    }
}
