//! [`SegmentList`]: which segments are listed, kept until something changes: there may be a hundred thousand.

use crate::format::nml::{Segment, SegmentId};
use crate::state::OpenVolume;
use crate::ui::annotation_look::id_text;
use crate::voxel::ElementClass;
use std::collections::HashMap;
use std::sync::Arc;

/// The rows for a volume and what is searched for.
#[derive(Debug, Default)]
pub struct SegmentList {
    of: Option<Listed>,
    rows: Vec<SegmentRow>,
    total: usize,
}

/// What the rows were made of. The shared parts are kept alive, so that equal pointers mean equal contents.
#[derive(Debug)]
struct Listed {
    segments: Arc<[Segment]>,
    counts: Option<Arc<HashMap<SegmentId, u64>>>,
    query: String,
}

/// A row: a listed segment, or one that has voxels only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentRow {
    /// Its id.
    pub id: SegmentId,
    /// Its index among the listed ones.
    pub listed: Option<usize>,
}

impl SegmentList {
    /// The rows for what is searched for: listed segments in their order, then the others by id.
    pub fn rows(&mut self, volume: &OpenVolume, query: &str) -> &[SegmentRow] {
        let is_current = self.of.as_ref().is_some_and(|of| {
            let same_counts = match (&of.counts, &volume.counts) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (None, None) => true,
                _ => false,
            };
            Arc::ptr_eq(&of.segments, &volume.segments) && same_counts && of.query == query
        });
        if !is_current {
            let listed = volume.segments.iter().enumerate();
            let listed = listed.map(|(index, segment)| (SegmentRow { id: segment.id, listed: Some(index) }, segment.name.as_deref()));
            let unlisted = volume.unlisted();
            self.total = volume.segments.len() + unlisted.len();
            let others = unlisted.into_iter().map(|id| (SegmentRow { id, listed: None }, None));
            let wanted = query.trim().to_lowercase();
            let fits = |(row, name): &(SegmentRow, Option<&str>)| fits(volume.class, &wanted, row.id, *name);
            self.rows = listed.chain(others).filter(fits).map(|(row, _)| row).collect();
            self.of = Some(Listed { segments: volume.segments.clone(), counts: volume.counts.clone(), query: query.to_owned() });
        }
        &self.rows
    }

    /// How many rows there are without a search, as of the last call of [`Self::rows`].
    pub const fn total(&self) -> usize {
        self.total
    }
}

/// Whether a segment is what is searched for: its id begins so, or its name contains it.
fn fits(class: ElementClass, wanted: &str, id: SegmentId, name: Option<&str>) -> bool {
    wanted.is_empty() || id_text(class, id).starts_with(wanted) || name.is_some_and(|name| name.to_lowercase().contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::BoundingBox;

    fn volume(listed: &[(u64, Option<&str>)], counts: Option<&[(u64, u64)]>) -> OpenVolume {
        let segment = |(id, name): &(u64, Option<&str>)| Segment { name: name.map(str::to_owned), ..Segment::new(*id) };
        OpenVolume {
            name: "volume".to_owned(),
            layer: 0,
            class: ElementClass::Uint64,
            active: 0,
            new_segments: 0,
            awaits_new: false,
            segments: listed.iter().map(segment).collect(),
            counts: counts.map(|counts| Arc::new(counts.iter().copied().collect())),
            uncounted: 0,
            history: Arc::from([]),
            fallback: None,
            lacks_fallback: false,
            bounding_box: BoundingBox::default(),
            edited: Vec::new(),
        }
    }

    fn ids(list: &mut SegmentList, volume: &OpenVolume, query: &str) -> Vec<u64> {
        list.rows(volume, query).iter().map(|row| row.id).collect()
    }

    #[test]
    fn ids_are_searched_with_every_digit() {
        let wide = (1_u64 << 53) + 1;
        let volume = volume(&[(wide, None), (wide - 1, None), (u64::MAX, Some("Bouton 9")), (9, None)], None);
        let mut list = SegmentList::default();
        assert_eq!(ids(&mut list, &volume, ""), [wide, wide - 1, u64::MAX, 9]);
        assert_eq!(ids(&mut list, &volume, "9007199254740993"), [wide], "a double couldn't tell it from its neighbour");
        assert_eq!(ids(&mut list, &volume, "18446744073709551615"), [u64::MAX]);
        assert_eq!(ids(&mut list, &volume, " bouton "), [u64::MAX]);
        assert_eq!(ids(&mut list, &volume, "9"), [wide, wide - 1, u64::MAX, 9]);
        assert_eq!(ids(&mut list, &volume, "x"), [0; 0]);
    }

    #[test]
    fn segments_that_have_voxels_only_follow_once_they_are_counted() {
        let mut list = SegmentList::default();
        assert_eq!(ids(&mut list, &volume(&[(7, None)], None), ""), [7]);
        let counted = volume(&[(7, None)], Some(&[(0, 99), (7, 1), (5, 2), (3, 4), (4, 0)]));
        assert_eq!(ids(&mut list, &counted, ""), [7, 3, 5], "neither the background nor what has no voxel");
        assert_eq!(list.rows(&counted, "")[1], SegmentRow { id: 3, listed: None });
    }
}
