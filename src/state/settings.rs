//! [`Settings`]: what is kept between runs. Every field has a default, so that old files still load.

use super::app_state::{BottomTab, InspectorTab, Overlays};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Dark or light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeChoice {
    /// As the mockups.
    #[default]
    Dark,
    /// For bright rooms.
    Light,
}

/// Text size in steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextScale {
    /// 0.9 of normal.
    Small,
    /// As designed.
    #[default]
    Normal,
    /// 1.15 of normal.
    Large,
    /// 1.3 of normal.
    Larger,
}

/// How a layer looked when its dataset was closed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RememberedLayer {
    /// Its name.
    pub name: String,
    /// Whether it was shown.
    pub visible: bool,
    /// Its opacity, 0 to 1.
    pub opacity: f32,
    /// Its window, unless that was still to be found.
    pub window: Option<(f64, f64)>,
    /// Its channels, where they are mixed.
    pub channels: Vec<RememberedChannel>,
}

/// How a channel looked when its dataset was closed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RememberedChannel {
    /// Whether it was shown.
    pub visible: bool,
    /// Its colour.
    pub color: [u8; 3],
    /// Whether it was inverted.
    pub inverted: bool,
    /// Its window, unless that was still to be found.
    pub window: Option<(f64, f64)>,
}

/// A dataset that was opened before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recent {
    /// What was opened.
    pub path: PathBuf,
    /// Name as shown.
    pub name: String,
    /// `WKW · color, cells`.
    pub summary: String,
    /// Seconds since 1970.
    pub opened_unix_secs: u64,
    /// Last centre, mag-1 voxel.
    pub position: Option<[i64; 3]>,
    /// Last zoom.
    pub zoom: Option<f64>,
    /// Name of the layer that was selected last.
    pub selected: Option<String>,
    /// Last positions along axes beyond x, y, z and channel.
    pub axes: Vec<(String, u64)>,
    /// How its layers looked last.
    pub layers: Vec<RememberedLayer>,
}

/// Preferences and memory of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Dark or light.
    pub theme: ThemeChoice,
    /// Text size.
    pub text: TextScale,
    /// Budget for decoded chunks in MiB; `None` means chosen from the machine's memory.
    pub cache_mib: Option<u64>,
    /// Overlay switches.
    pub overlays: Overlays,
    /// Whether the left panel is open.
    pub left_panel: bool,
    /// Whether the inspector is open.
    pub inspector: bool,
    /// Whether the bottom panel is open; `None`: as the window's height suggests.
    pub bottom_panel: Option<bool>,
    /// Inspector tab.
    pub inspector_tab: InspectorTab,
    /// Bottom tab.
    pub bottom_tab: BottomTab,
    /// Datasets opened before, newest first.
    pub recents: Vec<Recent>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            text: TextScale::default(),
            cache_mib: None,
            overlays: Overlays::default(),
            left_panel: true,
            inspector: true,
            bottom_panel: None,
            inspector_tab: InspectorTab::Probe,
            bottom_tab: BottomTab::Throughput,
            recents: Vec::new(),
        }
    }
}

impl Settings {
    /// More recents are not kept.
    pub const MAX_RECENTS: usize = 12;

    /// Puts a dataset at the head of the recents, keeping what is known of it.
    pub fn remember(&mut self, mut recent: Recent) {
        if let Some(at) = self.recents.iter().position(|r| r.path == recent.path) {
            let old = self.recents.remove(at);
            recent.position = recent.position.or(old.position);
            recent.zoom = recent.zoom.or(old.zoom);
        }
        self.recents.insert(0, recent);
        self.recents.truncate(Self::MAX_RECENTS);
    }

    /// What is remembered of a path.
    pub fn recent(&self, path: &Path) -> Option<&Recent> {
        self.recents.iter().find(|recent| recent.path == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_empty_files_give_defaults() {
        let settings: Settings = serde_json::from_str("{}").expect("defaults");
        assert_eq!(settings, Settings::default());
        let settings: Settings = serde_json::from_str(r#"{"theme":"light","unknown":1}"#).expect("lenient");
        assert_eq!(settings.theme, ThemeChoice::Light);
    }

    #[test]
    fn recents_are_bounded_unique_and_newest_first() {
        let mut settings = Settings::default();
        for i in 0..30 {
            settings.remember(Recent { path: PathBuf::from(format!("/{}", i % 20)), ..Recent::default() });
        }
        assert_eq!(settings.recents.len(), Settings::MAX_RECENTS);
        assert_eq!(settings.recents[0].path, PathBuf::from("/9"));
        let at_9 = settings.recents.iter().filter(|r| r.path == Path::new("/9")).count();
        assert_eq!(at_9, 1);
    }

    #[test]
    fn reopening_keeps_the_last_view() {
        let mut settings = Settings::default();
        settings.remember(Recent { path: "/a".into(), position: Some([1, 2, 3]), ..Recent::default() });
        settings.remember(Recent { path: "/a".into(), ..Recent::default() });
        assert_eq!(settings.recents[0].position, Some([1, 2, 3]));
    }
}
