//! [`NdVec`]: a short list of numbers, one for each dimension of a stored array.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Most dimensions of an array that is read.
pub const MAX_RANK: usize = 8;

/// One number per dimension, in the order of the array's own dimension list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NdVec {
    rank: u8,
    /// Zero behind `rank`, so that equal lists are equal.
    values: [u64; MAX_RANK],
}

impl NdVec {
    /// Zeros.
    ///
    /// # Panics
    /// If `rank` is more than [`MAX_RANK`]: metadata parsers refuse such arrays.
    pub fn zeros(rank: usize) -> Self {
        assert!(rank <= MAX_RANK, "rank {rank}");
        Self { rank: rank as u8, values: [0; MAX_RANK] } // at most 8
    }

    /// Copies a list; `None` if it is longer than [`MAX_RANK`].
    pub fn new(list: &[u64]) -> Option<Self> {
        let mut values = [0; MAX_RANK];
        values.get_mut(..list.len())?.copy_from_slice(list);
        Some(Self { rank: list.len() as u8, values }) // at most 8
    }

    /// Each dimension's value.
    pub fn from_fn(rank: usize, value: impl FnMut(usize) -> u64) -> Self {
        let mut all = Self::zeros(rank);
        all.iter_mut().zip((0..rank).map(value)).for_each(|(at, value)| *at = value);
        all
    }

    /// Product of all, `None` if it doesn't fit.
    pub fn product(&self) -> Option<u64> {
        self.iter().try_fold(1_u64, |all, n| all.checked_mul(*n))
    }

    /// Combines two lists of the same length.
    pub fn zip_with(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self::from_fn(self.len(), |i| combine(self[i], other[i]))
    }
}

impl Deref for NdVec {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.values[..usize::from(self.rank)]
    }
}

impl DerefMut for NdVec {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.values[..usize::from(self.rank)]
    }
}

impl fmt::Debug for NdVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for NdVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.iter().map(ToString::to_string).collect();
        f.write_str(&numbers.join(" × "))
    }
}
