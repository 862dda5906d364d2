//! [`ChunkMap`]: a hash map by chunk with a cheap hash, since tens of thousands of chunks are looked up each
//! time the view moves. Chunk positions come from views, not from files, so nobody picks colliding ones.

use super::ChunkId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Anything by chunk.
pub type ChunkMap<V> = HashMap<ChunkId, V, BuildHasherDefault<ChunkHasher>>;

/// Multiplies and mixes whole words.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkHasher(u64);

impl ChunkHasher {
    /// Hash of a chunk, all bits of equal quality.
    pub fn of(id: ChunkId) -> u64 {
        let mut hasher = Self::default();
        id.hash(&mut hasher);
        hasher.finish()
    }
}

impl Hasher for ChunkHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15); // 2^64 divided by the golden ratio
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        // Products are good in their upper bits only; maps use the lower ones, too.
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loading::SourceId;
    use crate::loading::test_source::index;
    use std::collections::HashSet;

    #[test]
    fn neighbouring_chunks_spread_over_all_bits() {
        let source = SourceId::next();
        let ids = (0..64).flat_map(|x| (0..64).map(move |y| ChunkId { source, chunk: index(x, y, 0) }));
        let hashes: Vec<u64> = ids.map(ChunkHasher::of).collect();
        for shift in [0, 16, 32, 48] {
            let distinct: HashSet<u64> = hashes.iter().map(|h| (h >> shift) & 0xffff).collect();
            // 4096 draws out of 65,536 hit about 3970 different ones.
            assert!(distinct.len() > 3850, "{} at bit {shift}", distinct.len());
        }
    }
}
