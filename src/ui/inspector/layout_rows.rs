//! Which rows the tables of the layout panel have, in which order; and the figures of a whole level.

use super::data_table::Sort;
use crate::format::{ShardLayout, SpanState};
use crate::geometry::{ChunkGrid, ShardIndex, Vec3Int};
use crate::state::{LayoutState, ShardFile};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Which shards are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum ShownShards {
    /// All that were looked at.
    #[default]
    All,
    /// With a file.
    Present,
    /// Without one.
    Missing,
}

impl ShownShards {
    fn shows(self, file: &ShardFile) -> bool {
        match (self, file) {
            (Self::All, _) | (Self::Present, ShardFile::Present(_) | ShardFile::Unreadable(_)) | (Self::Missing, ShardFile::Absent) => true,
            (Self::Present, ShardFile::Absent) | (Self::Missing, ShardFile::Present(_) | ShardFile::Unreadable(_)) => false,
        }
    }
}

/// Columns that shards are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum ShardColumn {
    /// Index, z first.
    #[default]
    Shard,
    /// Length of the file.
    Stored,
    /// What is wrong comes first.
    State,
}

/// Columns that chunks are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum ChunkColumn {
    /// Index, z first.
    Chunk,
    /// Number in the shard's own order.
    #[default]
    Order,
    /// First byte.
    Offset,
    /// Bytes, and so the ratio upside down.
    Stored,
    /// What is wrong comes first.
    State,
}

/// The order in which people count: along x, then y, then z.
fn z_first(index: Vec3Int) -> [i64; 3] {
    [index.z, index.y, index.x]
}

fn stored_len(file: &ShardFile) -> Option<u64> {
    match file {
        ShardFile::Present(len) => Some(*len),
        ShardFile::Absent | ShardFile::Unreadable(_) => None,
    }
}

fn shard_rank(file: &ShardFile) -> u8 {
    match file {
        ShardFile::Unreadable(_) => 0,
        ShardFile::Absent => 1,
        ShardFile::Present(_) => 2,
    }
}

fn turned(order: Ordering, is_descending: bool) -> Ordering {
    if is_descending { order.reverse() } else { order }
}

/// Shards whose index contains the filter (blanks don't matter), in order. Equal ones go by index.
pub(super) fn shard_rows(
    shards: &BTreeMap<ShardIndex, ShardFile>,
    filter: &str,
    shown: ShownShards,
    sort: Sort<ShardColumn>,
) -> Vec<ShardIndex> {
    let filter: String = filter.chars().filter(|c| !c.is_whitespace()).collect();
    let matches = |shard: &ShardIndex| filter.is_empty() || format!("{},{},{}", shard.0.x, shard.0.y, shard.0.z).contains(&filter);
    let mut rows: Vec<(ShardIndex, &ShardFile)> =
        shards.iter().filter(|(shard, file)| shown.shows(file) && matches(shard)).map(|(shard, file)| (*shard, file)).collect();
    rows.sort_by(|(a, a_file), (b, b_file)| {
        let by_index = z_first(a.0).cmp(&z_first(b.0));
        let by_column = match sort.key {
            ShardColumn::Shard => return turned(by_index, sort.is_descending),
            ShardColumn::Stored => stored_len(a_file).cmp(&stored_len(b_file)),
            ShardColumn::State => shard_rank(a_file).cmp(&shard_rank(b_file)),
        };
        turned(by_column, sort.is_descending).then(by_index)
    });
    rows.into_iter().map(|(shard, _)| shard).collect()
}

/// Positions in `layout.spans`, in order. Equal ones go by the shard's own order.
pub(super) fn chunk_rows(layout: &ShardLayout, sort: Sort<ChunkColumn>) -> Vec<usize> {
    let rank = |state: SpanState| match state {
        SpanState::Corrupt => 0,
        SpanState::Empty => 1,
        SpanState::Present(_) => 2,
    };
    let mut rows: Vec<usize> = (0..layout.spans.len()).collect();
    rows.sort_by(|a, b| {
        let (a, b) = (&layout.spans[*a], &layout.spans[*b]); // positions of `spans`
        let (a_range, b_range) = (a.state.range(), b.state.range());
        let by_column = match sort.key {
            ChunkColumn::Chunk => z_first(a.chunk.0).cmp(&z_first(b.chunk.0)),
            ChunkColumn::Order => a.order.cmp(&b.order),
            ChunkColumn::Offset => a_range.map(|r| r.start).cmp(&b_range.map(|r| r.start)),
            ChunkColumn::Stored => a_range.map(|r| r.len).cmp(&b_range.map(|r| r.len)),
            ChunkColumn::State => rank(a.state).cmp(&rank(b.state)),
        };
        turned(by_column, sort.is_descending).then(a.order.cmp(&b.order))
    });
    rows
}

/// Figures of a level, from what its scan has found so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LevelFigures {
    /// Shards with a file.
    pub(super) present: u64,
    /// Shards without one.
    pub(super) missing: u64,
    /// Shards whose file can't be examined.
    pub(super) unreadable: u64,
    /// Bytes of all files.
    pub(super) stored_bytes: u64,
    /// Places for chunks in the shards that are present.
    pub(super) chunks: u64,
    /// Bytes of those chunks when decoded.
    pub(super) decoded_bytes: u64,
    /// Least and most bytes of a file.
    pub(super) file_range: Option<(u64, u64)>,
}

impl LevelFigures {
    /// Counts what is known of a level.
    pub(super) fn of(layout: &LayoutState, grid: &ChunkGrid, voxel_len: usize) -> Self {
        let mut figures = Self::default();
        for file in layout.shards.values() {
            match file {
                ShardFile::Present(len) => {
                    figures.present += 1;
                    figures.stored_bytes = figures.stored_bytes.saturating_add(*len);
                    let (least, most) = figures.file_range.unwrap_or((*len, *len));
                    figures.file_range = Some((least.min(*len), most.max(*len)));
                }
                ShardFile::Absent => figures.missing += 1,
                ShardFile::Unreadable(_) => figures.unreadable += 1,
            }
        }
        let per_shard = grid.chunks_per_shard().voxel_count().unwrap_or(u64::MAX);
        let chunk_voxels = grid.chunk_shape().voxel_count().unwrap_or(u64::MAX);
        figures.chunks = figures.present.saturating_mul(per_shard);
        figures.decoded_bytes = figures.chunks.saturating_mul(chunk_voxels).saturating_mul(voxel_len as u64);
        figures
    }

    /// Decoded by stored bytes.
    pub(super) fn ratio(&self) -> Option<f64> {
        (self.stored_bytes > 0).then(|| self.decoded_bytes as f64 / self.stored_bytes as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ChunkSpan;
    use crate::geometry::{BoundingBox, ChunkIndex, Shape3};
    use crate::storage::ByteRange;

    fn shards() -> BTreeMap<ShardIndex, ShardFile> {
        [
            ([0, 0, 1], ShardFile::Present(7)),
            ([1, 0, 0], ShardFile::Absent),
            ([0, 1, 0], ShardFile::Present(30)),
            ([12, 0, 0], ShardFile::Unreadable("permission denied".to_owned())),
        ]
        .into_iter()
        .map(|(at, file)| (ShardIndex(at.into()), file))
        .collect()
    }

    fn rows(filter: &str, shown: ShownShards, key: ShardColumn, is_descending: bool) -> Vec<[i64; 3]> {
        shard_rows(&shards(), filter, shown, Sort { key, is_descending }).into_iter().map(|shard| shard.0.to_array()).collect()
    }

    #[test]
    fn shards_are_sorted_by_each_column() {
        let all = ShownShards::All;
        assert_eq!(rows("", all, ShardColumn::Shard, false), [[1, 0, 0], [12, 0, 0], [0, 1, 0], [0, 0, 1]]);
        assert_eq!(rows("", all, ShardColumn::Shard, true), [[0, 0, 1], [0, 1, 0], [12, 0, 0], [1, 0, 0]]);
        assert_eq!(rows("", all, ShardColumn::Stored, true), [[0, 1, 0], [0, 0, 1], [1, 0, 0], [12, 0, 0]]);
        assert_eq!(rows("", all, ShardColumn::State, false), [[12, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    }

    #[test]
    fn shards_are_filtered_by_index_and_state() {
        assert_eq!(rows("1, 0", ShownShards::All, ShardColumn::Shard, false), [[1, 0, 0], [0, 1, 0]]);
        assert_eq!(rows("", ShownShards::Missing, ShardColumn::Shard, false), [[1, 0, 0]]);
        assert_eq!(rows("", ShownShards::Present, ShardColumn::Shard, false).len(), 3);
        assert_eq!(rows("no index", ShownShards::All, ShardColumn::Shard, false).len(), 0);
    }

    #[test]
    fn chunks_are_sorted_by_each_column() {
        let span = |x, order, state| ChunkSpan { chunk: ChunkIndex(Vec3Int::new(x, 0, 0)), order, state };
        let layout = ShardLayout {
            shard: ShardIndex(Vec3Int::ZERO),
            location: String::new(),
            file_len: 100,
            encoding: "LZ4",
            index_len: 10,
            decoded_chunk_len: 8,
            spans: vec![
                span(2, 0, SpanState::Present(ByteRange { start: 20, len: 9 })),
                span(0, 1, SpanState::Corrupt),
                span(1, 2, SpanState::Present(ByteRange { start: 10, len: 3 })),
                span(3, 3, SpanState::Empty),
            ],
            spans_left_out: 0,
            elsewhere_bytes: 0,
        };
        let rows = |key, is_descending| chunk_rows(&layout, Sort { key, is_descending });
        assert_eq!(rows(ChunkColumn::Order, true), [3, 2, 1, 0]);
        assert_eq!(rows(ChunkColumn::Chunk, false), [1, 2, 0, 3]);
        assert_eq!(rows(ChunkColumn::Offset, false), [1, 3, 2, 0]);
        assert_eq!(rows(ChunkColumn::Stored, true), [0, 2, 1, 3]);
        assert_eq!(rows(ChunkColumn::State, false), [1, 3, 0, 2]);
    }

    #[test]
    fn figures_count_what_is_there_and_never_overflow() {
        let everything = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(1 << 30));
        let grid = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(32), Shape3::splat(2), everything).expect("not empty");
        let layout = LayoutState { shards: shards(), ..LayoutState::default() };
        let figures = LevelFigures::of(&layout, &grid, 2);
        assert_eq!((figures.present, figures.missing, figures.unreadable), (2, 1, 1));
        assert_eq!((figures.stored_bytes, figures.chunks, figures.decoded_bytes), (37, 16, 16 * 65_536));
        assert_eq!(figures.file_range, Some((7, 30)));

        let huge = ChunkGrid::new(Vec3Int::ZERO, Shape3::splat(1 << 20), Shape3::splat(1 << 20), everything).expect("not empty");
        assert_eq!(LevelFigures::of(&layout, &huge, 8).decoded_bytes, u64::MAX);
    }
}
