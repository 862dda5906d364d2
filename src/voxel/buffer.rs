//! [`VoxelBuffer`]: a dense box of voxels in canonical layout.

use super::{Strides, VoxelType};
use crate::geometry::{Shape3, Vec3Int};

/// A decoded chunk: `shape` voxels, channel fastest, then x, y, z; little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoxelBuffer {
    voxel_type: VoxelType,
    shape: Shape3,
    bytes: Vec<u8>,
}

impl VoxelBuffer {
    /// Wraps bytes; `None` unless there are exactly as many as shape and type ask for.
    pub fn new(voxel_type: VoxelType, shape: Shape3, bytes: Vec<u8>) -> Option<Self> {
        (shape.byte_len(voxel_type.byte_len()) == Some(bytes.len())).then_some(Self { voxel_type, shape, bytes })
    }

    /// Type of each voxel.
    pub const fn voxel_type(&self) -> VoxelType {
        self.voxel_type
    }

    /// Extent in voxels.
    pub const fn shape(&self) -> Shape3 {
        self.shape
    }

    /// All voxels.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, for reuse of their memory.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Distances between neighbours.
    pub fn strides(&self) -> Strides {
        Strides::canonical(self.shape, self.voxel_type.byte_len())
    }

    /// The bytes of one voxel; `None` outside the buffer.
    pub fn voxel(&self, pos: Vec3Int) -> Option<&[u8]> {
        let inside = (0..3).all(|a| (0..self.shape.along(a)).contains(&pos[a]));
        if !inside {
            return None;
        }
        let [x, y, z] = Shape3::new(pos.x, pos.y, pos.z).to_usize();
        let Strides(s) = self.strides();
        let at = x * s[0] + y * s[1] + z * s[2];
        self.bytes.get(at..at + self.voxel_type.byte_len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::ElementClass;

    #[test]
    fn voxels_are_found_by_position() {
        let t = VoxelType::single(ElementClass::Uint16);
        let buffer = VoxelBuffer::new(t, Shape3::new(2, 2, 1), vec![0, 0, 1, 0, 2, 0, 3, 0]).expect("right length");
        assert_eq!(buffer.voxel(Vec3Int::new(1, 1, 0)), Some(&[3, 0][..]));
        assert_eq!(buffer.voxel(Vec3Int::new(2, 0, 0)), None);
        assert_eq!(buffer.voxel(Vec3Int::new(0, -1, 0)), None);
    }

    #[test]
    fn wrong_lengths_are_refused() {
        assert!(VoxelBuffer::new(VoxelType::UINT24, Shape3::splat(2), vec![0; 23]).is_none());
    }
}
