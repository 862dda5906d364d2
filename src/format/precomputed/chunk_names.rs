//! [`ChunkNames`]: file names of chunks that are stored one by one: `10-12_20-22_30-32`.

/// Division of a scale into chunk files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkNames {
    /// `voxel_offset`.
    pub offset: [i64; 3],
    /// `size`.
    pub shape: [u64; 3],
    /// The chunk shape.
    pub chunk_shape: [u64; 3],
}

impl ChunkNames {
    /// Number of chunks along each axis.
    pub fn grid(&self) -> [u64; 3] {
        std::array::from_fn(|axis| self.shape[axis].div_ceil(self.chunk_shape[axis]))
    }

    /// Extent of a chunk, clipped at the end of the scale.
    pub fn clipped(&self, chunk: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|axis| {
            let begin = chunk[axis].saturating_mul(self.chunk_shape[axis]);
            self.chunk_shape[axis].min(self.shape[axis].saturating_sub(begin))
        })
    }

    /// The name of a chunk's file: absolute voxel positions, clipped.
    pub fn name(&self, chunk: [u64; 3]) -> String {
        let clipped = self.clipped(chunk);
        let span = |axis: usize| {
            let begin = self.offset[axis].saturating_add_unsigned(chunk[axis].saturating_mul(self.chunk_shape[axis]));
            format!("{begin}-{}", begin.saturating_add_unsigned(clipped[axis]))
        };
        format!("{}_{}_{}", span(0), span(1), span(2))
    }

    /// The chunk that a file of this name is; `None` if it is none of this scale.
    pub fn parse(&self, name: &str) -> Option<[u64; 3]> {
        let mut chunk = [0; 3];
        let mut parts = name.split('_');
        for (axis, index) in chunk.iter_mut().enumerate() {
            let part = parts.next()?;
            // The first sign can be that of a negative position.
            let dash = part.get(1..)?.find('-')? + 1;
            let begin: i64 = part[..dash].parse().ok()?;
            *index = begin.checked_sub(self.offset[axis])?.try_into().ok()?;
            *index /= self.chunk_shape[axis];
        }
        let grid = self.grid();
        let is_inside = (0..3).all(|axis| chunk[axis] < grid[axis]);
        (is_inside && self.name(chunk) == name).then_some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: ChunkNames = ChunkNames { offset: [10, -3, 30], shape: [3, 5, 2], chunk_shape: [2, 2, 2] };

    #[test]
    fn names_are_absolute_and_clipped() {
        let cases = [([0, 0, 0], "10-12_-3--1_30-32"), ([1, 1, 0], "12-13_-1-1_30-32"), ([1, 2, 0], "12-13_1-2_30-32")];
        for (chunk, name) in cases {
            assert_eq!(NAMES.name(chunk), name);
            assert_eq!(NAMES.parse(name), Some(chunk), "{name}");
        }
        assert_eq!(NAMES.clipped([1, 2, 0]), [1, 1, 2]);
        assert_eq!(NAMES.grid(), [2, 3, 1]);
    }

    #[test]
    fn other_names_are_no_chunks() {
        let others = [
            "",
            "-",
            "info",
            "10-12",
            "10-12_-3--1_30-32_0-1",
            "11-13_-3--1_30-32",
            "10-12_-3--1_30-34",
            "14-16_-3--1_30-32",
            "é-1_0-1_0-1",
        ];
        for name in others {
            assert_eq!(NAMES.parse(name), None, "{name}");
        }
    }
}
