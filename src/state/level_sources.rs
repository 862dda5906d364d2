//! [`LevelSources`]: the levels of the open dataset at the positions that were looked at, each with its loader number.
//!
//! A level has a number for each set of positions along the axes beyond x, y, z and channel, so that going back to
//! where one was finds its chunks in the cache.

use crate::format::Layer;
use crate::loading::SourceId;
use crate::scene::{LevelRef, source_at};
use std::collections::HashMap;

/// Sources that are remembered: every position of long series, or a few layers of many levels at some hundred
/// positions. Each is a few hundred bytes; their chunks have a bound of their own.
const MAX_SOURCES: usize = 4096;

/// A level of a layer at positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    layer: usize,
    level: usize,
    positions: Vec<u64>,
}

struct Remembered {
    level: LevelRef,
    /// When it was last used.
    used: u64,
}

/// Levels with their numbers in the loader.
#[derive(Default)]
pub struct LevelSources {
    remembered: HashMap<Place, Remembered>,
    /// Counts up with each [`Self::begin`].
    now: u64,
}

impl LevelSources {
    /// Before levels are asked for; those asked for from here on stay when [`Self::drop_oldest`] is called.
    pub fn begin(&mut self) {
        self.now += 1;
    }

    /// The readable levels of a layer at positions along its axes, finest first.
    pub fn levels_at(&mut self, index: usize, layer: &Layer, positions: &[u64]) -> Vec<LevelRef> {
        let mut found = Vec::with_capacity(layer.levels.len());
        for (number, level) in layer.levels.iter().enumerate() {
            let Ok(opened) = &level.source else { continue };
            let place = Place { layer: index, level: number, positions: positions.to_vec() };
            if let Some(known) = self.remembered.get_mut(&place) {
                known.used = self.now;
                found.push(known.level.clone());
            } else if let Some(source) = source_at(opened, positions) {
                let level = LevelRef { mag: level.mag, copy: level.copy, index: number, id: SourceId::next(), source };
                found.push(level.clone());
                self.remembered.insert(place, Remembered { level, used: self.now });
            }
        }
        found
    }

    /// Forgets those that were used longest ago, if there are too many; answers their numbers.
    pub fn drop_oldest(&mut self) -> Vec<SourceId> {
        let excess = self.remembered.len().saturating_sub(MAX_SOURCES);
        if excess == 0 {
            return Vec::new();
        }
        let mut idle: Vec<(u64, Place)> =
            self.remembered.iter().filter(|(_, known)| known.used < self.now).map(|(place, known)| (known.used, place.clone())).collect();
        idle.sort_by_key(|(used, _)| *used);
        // Some more at once, so that the next steps needn't.
        let dropped = idle.into_iter().take(excess + MAX_SOURCES / 8);
        dropped.filter_map(|(_, place)| self.remembered.remove(&place)).map(|known| known.level.id).collect()
    }

    /// The level of a layer that has this number.
    pub fn level(&self, layer: usize, id: SourceId) -> Option<&LevelRef> {
        let of_layer = self.remembered.iter().filter(|(place, _)| place.layer == layer);
        of_layer.map(|(_, known)| &known.level).find(|level| level.id == id)
    }

    /// All levels.
    pub fn iter(&self) -> impl Iterator<Item = &LevelRef> {
        self.remembered.values().map(|known| &known.level)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.remembered.clear();
    }
}
