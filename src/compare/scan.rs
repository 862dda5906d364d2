//! [`Comparator`]: which voxels of two rows differ.

use crate::voxel::{ElementClass, Number, VoxelType};

/// Compares voxels of two types with the same number of channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparator {
    types: [VoxelType; 2],
    /// Whether voxels are equal exactly if their bytes are. Equal bytes of one type are equal voxels in any case.
    by_bytes: bool,
}

impl Comparator {
    pub fn new(types: [VoxelType; 2]) -> Self {
        let class = types[0].class;
        // Floats have two zeros and many values that are no number, bools 255 ways to be true.
        let by_bytes = types[0] == types[1] && !class.is_float() && class != ElementClass::Bool;
        Self { types, by_bytes }
    }

    /// Whether all voxels are known to be equal by a look at the bytes alone.
    pub fn same_bytes(&self, a: &[u8], b: &[u8]) -> bool {
        self.types[0] == self.types[1] && a == b
    }

    /// Calls `found` with the index of each differing voxel of two rows of the same number of voxels.
    pub fn differing(&self, a: &[u8], b: &[u8], found: impl FnMut(usize)) {
        if !self.by_bytes {
            return self.differing_numbers(a, b, found);
        }
        match self.types[0].byte_len() {
            1 => differing_bytes::<1>(a, b, found),
            2 => differing_bytes::<2>(a, b, found),
            4 => differing_bytes::<4>(a, b, found),
            8 => differing_bytes::<8>(a, b, found),
            len => a.chunks_exact(len).zip(b.chunks_exact(len)).enumerate().filter(|(_, (a, b))| a != b).map(|(i, _)| i).for_each(found),
        }
    }

    fn differing_numbers(&self, a: &[u8], b: &[u8], mut found: impl FnMut(usize)) {
        let [len_a, len_b] = self.types.map(VoxelType::byte_len);
        for (i, (a, b)) in a.chunks_exact(len_a).zip(b.chunks_exact(len_b)).enumerate() {
            if !self.same_bytes(a, b) && self.numbers(a, b).any(|(a, b)| a != b) {
                found(i);
            }
        }
    }

    /// The values of two voxels, channel by channel.
    fn numbers<'a>(&self, a: &'a [u8], b: &'a [u8]) -> impl Iterator<Item = (Option<Number>, Option<Number>)> + use<'a> {
        let [class_a, class_b] = self.types.map(|t| t.class);
        let pairs = a.chunks_exact(class_a.byte_len()).zip(b.chunks_exact(class_b.byte_len()));
        pairs.map(move |(a, b)| (class_a.number(a), class_b.number(b)))
    }

    /// Largest distance between the channels of two voxels; 0 where no two are numbers.
    pub fn step(&self, a: &[u8], b: &[u8]) -> f64 {
        let distance = |(a, b): (Option<Number>, Option<Number>)| match (a, b) {
            // 129 bits aren't needed: both lie within those of the integer classes.
            (Some(Number::Whole(a)), Some(Number::Whole(b))) => (a - b).unsigned_abs() as f64,
            (Some(a), Some(b)) => (a.to_f64() - b.to_f64()).abs(),
            (None, _) | (_, None) => 0.0,
        };
        // `max` passes over what is no number.
        self.numbers(a, b).map(distance).fold(0.0, f64::max)
    }

    /// The ids of two voxels of one channel, as 64 bits, sign-extended.
    pub fn ids(&self, a: &[u8], b: &[u8]) -> (u64, u64) {
        let id = |class: ElementClass, bytes: &[u8]| match class.number(bytes) {
            Some(Number::Whole(n)) => n as u64, // keeps the lower 64 bits, which are all that the class has
            Some(Number::Other(_)) | None => 0,
        };
        (id(self.types[0].class, a), id(self.types[1].class, b))
    }
}

fn differing_bytes<const N: usize>(a: &[u8], b: &[u8], mut found: impl FnMut(usize)) {
    for (i, (a, b)) in a.as_chunks::<N>().0.iter().zip(b.as_chunks::<N>().0).enumerate() {
        if a != b {
            found(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(types: [(ElementClass, u32); 2], a: &[u8], b: &[u8]) -> Vec<usize> {
        let mut list = Vec::new();
        let comparator = Comparator::new(types.map(|(class, channels)| VoxelType { class, channels }));
        comparator.differing(a, b, |i| list.push(i));
        list
    }

    #[test]
    fn voxels_of_any_length_are_told_apart() {
        use ElementClass::{Uint8, Uint64};
        assert_eq!(found([(Uint8, 3); 2], &[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 7]), [1]);
        assert_eq!(found([(Uint8, 1); 2], &[1, 2, 3], &[0, 2, 4]), [0, 2]);
        let (a, b) = ([1_u64, 1 << 60].map(u64::to_le_bytes).concat(), [1_u64, (1 << 60) + 1].map(u64::to_le_bytes).concat());
        assert_eq!(found([(Uint64, 1); 2], &a, &b), [1]);
    }

    #[test]
    fn values_are_compared_where_bytes_do_not_tell() {
        use ElementClass::{Bool, Float32, Uint8};
        let floats = |list: [f32; 4]| list.map(f32::to_le_bytes).concat();
        assert_eq!(found([(Float32, 1); 2], &floats([0.0, f32::NAN, 1.0, 2.0]), &floats([-0.0, -f32::NAN, 1.0, f32::NAN])), [3]);
        assert_eq!(found([(Bool, 1); 2], &[0, 1, 1], &[0, 9, 0]), [2]);
        assert_eq!(found([(Uint8, 1), (Float32, 1)], &[0, 1, 2, 3], &floats([0.0, 1.0, 2.5, 3.0])), [2]);
        // One type of another number of bytes each, but the same bytes.
        assert_eq!(found([(Uint8, 1), (Bool, 1)], &[2], &[2]), [0]);
    }

    #[test]
    fn steps_are_the_largest_of_the_channels() {
        let two = Comparator::new([VoxelType { class: ElementClass::Int8, channels: 2 }; 2]);
        assert_eq!(two.step(&[0x80, 1], &[0x7f, 9]), 255.0);
        let float = Comparator::new([VoxelType::single(ElementClass::Float32); 2]);
        assert_eq!(float.step(&f32::NAN.to_le_bytes(), &1_f32.to_le_bytes()), 0.0);
    }
}
