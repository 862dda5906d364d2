//! [`ChunkBuckets`]: the chunks of any format as the buckets of an annotation.

use super::buckets::{BUCKET_SIDE, BucketAddress, BucketStore, bucket_box};
use crate::format::{ChunkError, ChunkSource, ExtraAxis, read_box};
use crate::geometry::{BoundingBox, ChunkIndex, Vec3Int};
use crate::voxel::ElementClass;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Chunks that are looked for. More would not fit into an annotation either.
const MAX_SHARDS: usize = 1 << 20;

/// Positions along further axes that are looked at.
const MAX_POSITIONS: usize = 4096;

/// A position along the further axes, and the level there.
type SourceAt = (Arc<[u64]>, Arc<dyn ChunkSource>);

/// A level whose chunks aren't buckets. A bucket is there if a stored chunk meets it.
pub(super) struct ChunkBuckets {
    class: ElementClass,
    /// The level at each position of the further axes.
    sources: Vec<SourceAt>,
    addresses: OnceLock<BTreeSet<BucketAddress>>,
}

impl ChunkBuckets {
    /// The buckets of a level with these further axes.
    pub fn new(source: &Arc<dyn ChunkSource>, axes: &[ExtraAxis]) -> Self {
        let mut positions: Vec<Vec<u64>> = vec![Vec::new()];
        for axis in axes {
            let longer = positions.iter().flat_map(|start| (0..axis.len).map(move |at| [start.as_slice(), &[at]].concat()));
            positions = longer.take(MAX_POSITIONS).collect();
        }
        let at = |position: &Vec<u64>| if axes.is_empty() { Some(source.clone()) } else { source.at_axes(position) };
        let sources = positions.iter().filter_map(|position| Some((position.as_slice().into(), at(position)?))).collect();
        Self { class: source.voxel_type().class, sources, addresses: OnceLock::new() }
    }

    fn known(&self) -> &BTreeSet<BucketAddress> {
        self.addresses.get_or_init(|| {
            let mut all = BTreeSet::new();
            for (axes, source) in &self.sources {
                // What can't be listed can't be found here; reading the level says why.
                for shard in source.find_shards(MAX_SHARDS).unwrap_or_default() {
                    let inside = source.grid().shard_box(shard).intersect(&source.grid().bounds());
                    for chunk in source.grid().chunks_in(&inside) {
                        // A broken chunk is there.
                        if !matches!(source.locate(chunk), Ok(None)) {
                            let extent = source.grid().chunk_box(chunk).intersect(&source.grid().bounds());
                            all.extend(buckets_of(&extent).map(|chunk| BucketAddress { chunk, axes: axes.clone() }));
                        }
                    }
                }
            }
            all
        })
    }
}

/// The buckets that meet a box.
fn buckets_of(extent: &BoundingBox) -> impl Iterator<Item = ChunkIndex> + use<> {
    let side = Vec3Int::splat(BUCKET_SIDE);
    let (first, end) = (extent.topleft.div_floor(side), extent.bottomright().div_ceil(side));
    (first.z..end.z).flat_map(move |z| (first.y..end.y).flat_map(move |y| (first.x..end.x).map(move |x| ChunkIndex(Vec3Int::new(x, y, z)))))
}

impl BucketStore for ChunkBuckets {
    fn class(&self) -> ElementClass {
        self.class
    }

    fn contains(&self, at: &BucketAddress) -> bool {
        self.known().contains(at)
    }

    fn addresses(&self) -> Vec<BucketAddress> {
        self.known().iter().cloned().collect()
    }

    fn read_into(&self, at: &BucketAddress, out: &mut [u8]) -> Result<bool, ChunkError> {
        let source = self.sources.iter().find(|(axes, _)| *axes == at.axes).map(|(_, source)| source);
        let Some(source) = source.filter(|_| self.contains(at)) else { return Ok(false) };
        let mut voxels = vec![0; out.len()];
        read_box(source.as_ref(), &bucket_box(at.chunk), &mut voxels)?;
        out.copy_from_slice(&voxels);
        Ok(true)
    }
}
