//! [`ChunkPriority`]: what is read first.

/// Why a chunk is wanted, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PriorityTier {
    /// A pane shows it.
    Visible,
    /// A pane will probably show it next.
    Prefetch,
}

/// Order of reading: lower is sooner. Tier first, then coarse levels (few chunks, whole pane), then
/// the distance to the pane's centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkPriority {
    /// Why.
    pub tier: PriorityTier,
    /// 0 for the coarsest level that a pane wants, then one more per finer level.
    pub level_rank: u32,
    /// Squared distance from the pane's centre in chunks, saturated.
    pub distance: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_levels_come_before_near_chunks_and_visible_ones_before_all() {
        let p = |tier, level_rank, distance| ChunkPriority { tier, level_rank, distance };
        let mut all = [
            p(PriorityTier::Prefetch, 0, 0),
            p(PriorityTier::Visible, 1, 0),
            p(PriorityTier::Visible, 0, 9),
            p(PriorityTier::Visible, 1, 4),
        ];
        all.sort();
        assert_eq!(
            all,
            [
                p(PriorityTier::Visible, 0, 9),
                p(PriorityTier::Visible, 1, 0),
                p(PriorityTier::Visible, 1, 4),
                p(PriorityTier::Prefetch, 0, 0)
            ]
        );
    }
}
