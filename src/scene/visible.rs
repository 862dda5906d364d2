//! [`VisibleSet`]: which chunks the panes need, and in which order.

use super::pane::PaneView;
use crate::format::ChunkSource;
use crate::geometry::{BoundingBox, ChunkIndex, Mag, MagLabel, SlicePlane, Vec3Int};
use crate::loading::{ChunkId, ChunkLookup, ChunkPriority, ChunkState, PriorityTier, SourceId};
use std::collections::HashSet;
use std::sync::Arc;

/// A readable level of a layer.
#[derive(Clone)]
pub struct LevelRef {
    /// Its mag.
    pub mag: Mag,
    /// Which of the layer's levels of this mag it is, from 1.
    pub copy: u32,
    /// Its index among the layer's levels.
    pub index: usize,
    /// Its number in the loader.
    pub id: SourceId,
    /// Its chunks.
    pub source: Arc<dyn ChunkSource>,
}

impl LevelRef {
    /// Its name among the levels of the layer.
    pub const fn label(&self) -> MagLabel {
        MagLabel { mag: self.mag, copy: self.copy }
    }
}

/// A layer that is to be shown.
#[derive(Clone)]
pub struct VisibleLayer {
    /// Readable levels, finest first.
    pub levels: Vec<LevelRef>,
    /// Index of the level that the zoom asks for.
    pub chosen: usize,
    /// Extent, mag 1.
    pub bounding_box: BoundingBox,
}

/// A chunk that the panes need.
#[derive(Clone)]
pub struct VisibleChunk {
    /// Which.
    pub id: ChunkId,
    /// Where it comes from.
    pub source: Arc<dyn ChunkSource>,
    /// How urgent it is.
    pub priority: ChunkPriority,
}

/// What the panes need.
#[derive(Clone, Default)]
pub struct VisibleSet {
    /// Chunks, each once, in no particular order.
    pub chunks: Vec<VisibleChunk>,
    /// Index of the level that each layer shows: coarser than asked for where memory doesn't suffice.
    pub shown: Vec<usize>,
}

/// Coarser levels that may stand in for a chunk that isn't there yet.
pub const MAX_STAND_INS: usize = 3;

/// Chunks fetched ahead of a motion, at most.
const MAX_PREFETCH: usize = 512;

/// More chunks than this are never wanted at once, however small they are.
const MAX_CHUNKS: u64 = 1 << 16;

/// Lists the chunks that panes need of layers, within `budget_bytes` of decoded chunks.
///
/// A layer whose chunks don't fit shows a coarser level; the coarsest is cut down to the part around the
/// centre. `motion` is the pane whose slices are being stepped through and the direction.
pub fn visible_set(
    panes: &[PaneView],
    layers: &[VisibleLayer],
    motion: Option<(SlicePlane, i64)>,
    budget_bytes: u64,
    known: &dyn ChunkLookup,
) -> VisibleSet {
    let mut set = Collector { chunks: Vec::new(), seen: HashSet::new() };
    let mut shown = Vec::with_capacity(layers.len());
    let share = budget_bytes / layers.len().max(1) as u64;
    for layer in layers {
        let Some((level_at, fits)) = affordable_level(panes, layer, share) else {
            shown.push(layer.chosen);
            continue;
        };
        shown.push(level_at);
        let level = &layer.levels[level_at];
        for pane in panes {
            let needed = needed_box(pane, layer, level);
            let rank = u32::try_from(MAX_STAND_INS).unwrap_or(0);
            // Panes may differ in what they need, as long as all together have enough.
            let needed = if fits { needed } else { within(level, needed, pane, share / panes.len().max(1) as u64) };
            set.add(level, &needed, pane, PriorityTier::Visible, rank, usize::MAX);
            // A coarse picture first, but only where the sharp one isn't there yet.
            let is_complete = level.source.grid().chunks_in(&needed).all(|chunk| is_settled(known, level.id, chunk));
            let stand_in = (level_at + MAX_STAND_INS).min(layer.levels.len() - 1);
            if !is_complete && stand_in > level_at {
                let coarse = &layer.levels[stand_in];
                let needed = within(coarse, needed_box(pane, layer, coarse), pane, share / 8);
                set.add(coarse, &needed, pane, PriorityTier::Visible, 0, usize::MAX);
            }
        }
    }
    if let Some((plane, direction)) = motion {
        prefetch(&mut set, panes, layers, &shown, plane, direction, share / 4);
    }
    VisibleSet { chunks: set.chunks, shown }
}

/// The finest level from the chosen one on whose visible chunks fit into `share` bytes; the coarsest, and
/// `false`, if none does.
fn affordable_level(panes: &[PaneView], layer: &VisibleLayer, share: u64) -> Option<(usize, bool)> {
    let last = layer.levels.len().checked_sub(1)?;
    let fits = |at: &usize| {
        let level = &layer.levels[*at];
        let chunks: u64 = panes.iter().map(|pane| chunk_count(level, &needed_box(pane, layer, level))).fold(0, u64::saturating_add);
        chunks <= MAX_CHUNKS && chunks.saturating_mul(chunk_bytes(level)) <= share
    };
    let affordable = (layer.chosen.min(last)..=last).find(fits);
    Some((affordable.unwrap_or(last), affordable.is_some()))
}

fn chunk_count(level: &LevelRef, needed: &BoundingBox) -> u64 {
    level.source.grid().chunk_range(needed).shape.voxel_count().unwrap_or(u64::MAX)
}

fn chunk_bytes(level: &LevelRef) -> u64 {
    level.source.chunk_byte_len().map_or(u64::MAX, |len| len as u64)
}

/// What a pane shows of a layer, in voxels of a level.
fn needed_box(pane: &PaneView, layer: &VisibleLayer, level: &LevelRef) -> BoundingBox {
    let visible = pane.box_mag1().intersect(&layer.bounding_box);
    if visible.is_empty() { BoundingBox::default() } else { level.mag.box_in_mag(&visible) }
}

/// A box cut down around the pane's centre until its chunks fit into `bytes` (but at least one chunk).
fn within(level: &LevelRef, needed: BoundingBox, pane: &PaneView, bytes: u64) -> BoundingBox {
    let chunk_shape = level.source.grid().chunk_shape().to_vec();
    let center = center_in(level, pane);
    let mut needed = needed;
    let mut reach = 1_i64 << 20;
    while !needed.is_empty()
        && reach >= 1
        && (chunk_count(level, &needed) > MAX_CHUNKS || chunk_count(level, &needed).saturating_mul(chunk_bytes(level)) > bytes)
    {
        let around = chunk_shape.times(Vec3Int::splat(reach));
        needed = needed.intersect(&BoundingBox::between(center - around, center + around));
        reach /= 2;
    }
    needed
}

/// The centre of a pane in voxels of a level.
fn center_in(level: &LevelRef, pane: &PaneView) -> Vec3Int {
    level.mag.mag_from_mag1(Vec3Int::from(pane.center().map(|c| c.floor() as i64)))
}

fn is_settled(known: &dyn ChunkLookup, source: SourceId, chunk: ChunkIndex) -> bool {
    match known.chunk(ChunkId { source, chunk }) {
        ChunkState::Ready(_) | ChunkState::Missing | ChunkState::Failed(_) => true,
        ChunkState::Unknown | ChunkState::Pending => false,
    }
}

/// Gathers chunks, each once.
struct Collector {
    chunks: Vec<VisibleChunk>,
    seen: HashSet<ChunkId>,
}

impl Collector {
    fn add(&mut self, level: &LevelRef, needed: &BoundingBox, pane: &PaneView, tier: PriorityTier, level_rank: u32, limit: usize) {
        let grid = level.source.grid();
        let center = grid.chunk_from_voxel(center_in(level, pane)).0;
        for chunk in grid.chunks_in(needed).take(limit) {
            let id = ChunkId { source: level.id, chunk };
            if self.seen.insert(id) {
                let d = chunk.0 - center;
                let squared = d.to_array().iter().fold(0_i64, |sum, v| sum.saturating_add(v.saturating_mul(*v)));
                let distance = u32::try_from(squared).unwrap_or(u32::MAX);
                self.chunks.push(VisibleChunk { id, source: level.source.clone(), priority: ChunkPriority { tier, level_rank, distance } });
            }
        }
    }
}

/// Adds the next layer of chunks along the motion.
fn prefetch(
    set: &mut Collector,
    panes: &[PaneView],
    layers: &[VisibleLayer],
    shown: &[usize],
    plane: SlicePlane,
    direction: i64,
    bytes: u64,
) {
    let Some(pane) = panes.iter().find(|pane| pane.plane() == plane) else { return };
    let axis = plane.normal_axis();
    let limit = MAX_PREFETCH / layers.len().max(1);
    for (layer, at) in layers.iter().zip(shown) {
        let Some(level) = layer.levels.get(*at) else { continue };
        let depth = level.source.grid().chunk_shape().along(axis);
        let needed = needed_box(pane, layer, level);
        let ahead = needed.translate(Vec3Int::ZERO.with(axis, depth.saturating_mul(direction.signum())));
        let ahead = ahead.intersect(&level.mag.box_in_mag(&layer.bounding_box));
        let affordable = usize::try_from(bytes / chunk_bytes(level).max(1)).unwrap_or(usize::MAX);
        if chunk_count(level, &ahead) <= MAX_CHUNKS {
            set.add(level, &ahead, pane, PriorityTier::Prefetch, 0, limit.min(affordable));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::wkw::{BlockType, ShardIndexCache, WkwHeader, WkwSource};
    use crate::geometry::{Shape3, VoxelSize};
    use crate::scene::ViewState;
    use crate::storage::{MemoryStorage, StorageKey};
    use crate::voxel::{ElementClass, VoxelType};

    struct Nothing;
    impl ChunkLookup for Nothing {
        fn chunk(&self, _: ChunkId) -> ChunkState {
            ChunkState::Unknown
        }
    }

    fn level(mag: &str, chunk_log2: u8) -> LevelRef {
        let header = WkwHeader {
            chunk_log2,
            chunks_per_shard_log2: 0,
            block_type: BlockType::Raw,
            voxel_type: VoxelType::single(ElementClass::Uint8),
            data_offset: 0,
        };
        let storage = Arc::new(MemoryStorage::default());
        storage.put(&StorageKey::new("header.wkw").expect("clean"), header.to_bytes().expect("valid").to_vec());
        let source = WkwSource::open(storage, Arc::new(ShardIndexCache::default())).expect("valid");
        LevelRef { mag: mag.parse().expect("valid"), copy: 1, index: 0, id: SourceId::next(), source: Arc::new(source) }
    }

    fn layer(levels: Vec<LevelRef>, side: i64) -> VisibleLayer {
        VisibleLayer { levels, chosen: 0, bounding_box: BoundingBox::new(Vec3Int::ZERO, Shape3::splat(side)) }
    }

    fn pane(zoom: f64) -> PaneView {
        PaneView::new(&ViewState::new(Vec3Int::splat(512), zoom), SlicePlane::Xy, [512, 512], &VoxelSize::VOXELS)
    }

    #[test]
    fn a_pane_needs_the_chunks_under_it_and_a_coarse_picture_first() {
        let layer = layer(vec![level("1", 5), level("2", 5), level("4", 5), level("8", 5)], 1024);
        let set = visible_set(&[pane(1.0)], std::slice::from_ref(&layer), None, 1 << 30, &Nothing);
        let of = |at: usize| set.chunks.iter().filter(|c| c.id.source == layer.levels[at].id).count();
        assert_eq!((of(0), of(1), of(2), of(3)), (17 * 17, 0, 0, 9));
        let first = set.chunks.iter().min_by_key(|c| c.priority).expect("some");
        assert_eq!(first.id.source, layer.levels[3].id);
    }

    #[test]
    fn what_does_not_fit_into_memory_is_shown_coarser_and_then_cut_around_the_centre() {
        let layers = [layer(vec![level("1", 5), level("2", 5)], 1024)];
        let set = visible_set(&[pane(1.0)], &layers, None, 100 * 32768, &Nothing);
        assert_eq!(set.shown, [1]);
        let set = visible_set(&[pane(1.0)], &layers, None, 20 * 32768, &Nothing);
        assert_eq!(set.shown, [1]);
        assert!(set.chunks.len() <= 20 && !set.chunks.is_empty(), "{}", set.chunks.len());
    }

    #[test]
    fn a_large_pane_beside_small_ones_gets_all_its_chunks_when_they_fit_together() {
        let layers = [layer(vec![level("1", 5)], 1024)];
        let small = PaneView::new(&ViewState::new(Vec3Int::splat(512), 1.0), SlicePlane::Xz, [32, 32], &VoxelSize::VOXELS);
        let set = visible_set(&[pane(1.0), small], &layers, None, (17 * 17 + 8) * 32768, &Nothing);
        let in_plane = set.chunks.iter().filter(|c| c.id.chunk.0.z == 16).count();
        assert!(in_plane >= 17 * 17, "{in_plane} of {}", 17 * 17);
    }

    #[test]
    fn million_voxel_planes_do_not_list_a_million_chunks() {
        let layers = [layer(vec![level("1", 0)], 1 << 40)];
        let set = visible_set(&[pane(1e6)], &layers, None, 1 << 40, &Nothing);
        assert!(set.chunks.len() as u64 <= MAX_CHUNKS);
    }

    #[test]
    fn nothing_is_needed_outside_of_the_layer() {
        let layers = [layer(vec![level("1", 5)], 100)];
        assert_eq!(visible_set(&[pane(1.0)], &layers, None, 1 << 30, &Nothing).chunks.len(), 0);
    }

    #[test]
    fn the_next_chunks_along_the_motion_are_fetched_ahead() {
        let layers = [layer(vec![level("1", 5)], 1024)];
        let set = visible_set(&[pane(1.0)], &layers, Some((SlicePlane::Xy, -1)), 1 << 30, &Nothing);
        let ahead: Vec<_> = set.chunks.iter().filter(|c| c.priority.tier == PriorityTier::Prefetch).collect();
        assert!(!ahead.is_empty() && ahead.iter().all(|c| c.id.chunk.0.z == 15));
    }
}
