//! [`WindowFrame`]: which part of the window is where, for a size and what a person chose.
//!
//! Pure arithmetic, so that the rules for small windows are tested without one. [`super::MainWindow`]
//! draws into these rectangles.

use super::theme::metrics;
use crate::state::InspectorTab;
use egui::{Rect, Vec2, pos2};
use std::ops::RangeInclusive;

/// Width of a side that is folded to its icons.
pub const RAIL: f32 = 36.0;
/// Limits of the left panel's width.
pub const LEFT_WIDTHS: RangeInclusive<f32> = 216.0..=360.0;
/// Limits of the inspector's width.
pub const INSPECTOR_WIDTHS: RangeInclusive<f32> = 300.0..=640.0;

/// What the panes keep before panels get more than their least width.
const MIN_PANES: Vec2 = Vec2::new(320.0, 200.0);

/// How much room the window offers; from wide to narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Under 1440 wide or 860 high: narrower sides, folded bottom panel, no "Jump to data" in the top bar.
    pub is_compact: bool,
    /// Under 1360 wide: mags as chips, no mouse hints, map legend below.
    pub is_narrow: bool,
    /// Under 1100 wide: the inspector is a rail.
    pub folds_inspector: bool,
    /// Under 900 wide: the left panel is a rail too.
    pub folds_left: bool,
}

impl Room {
    /// The room of a window of this size in points.
    pub fn of(size: Vec2) -> Self {
        Self {
            is_compact: size.x < 1440.0 || size.y < 860.0,
            is_narrow: size.x < 1360.0,
            folds_inspector: size.x < 1100.0,
            folds_left: size.x < 900.0,
        }
    }
}

/// What a person chose about the panels; `None` is as the design has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PanelChoices {
    /// The left panel is open.
    pub left: bool,
    /// Its width.
    pub left_width: Option<f32>,
    /// The inspector is open.
    pub inspector: bool,
    /// Its width on the tab that is shown.
    pub inspector_width: Option<f32>,
    /// The tab that is shown.
    pub tab: InspectorTab,
    /// The bottom panel is open.
    pub bottom: Option<bool>,
    /// There are tools for the bar above the panes.
    pub tools: bool,
}

/// A side of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// With its contents.
    Open(Rect),
    /// Icons only.
    Rail(Rect),
}

impl Side {
    /// Where it is.
    pub fn rect(self) -> Rect {
        match self {
            Self::Open(rect) | Self::Rail(rect) => rect,
        }
    }
}

/// The bottom panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bottom {
    /// With its tabs.
    Open(Rect),
    /// One line.
    Strip(Rect),
}

impl Bottom {
    /// Where it is.
    pub fn rect(self) -> Rect {
        match self {
            Self::Open(rect) | Self::Strip(rect) => rect,
        }
    }
}

/// Rectangles of the parts of the window; together they cover it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowFrame {
    /// Menus, position, switches.
    pub top_bar: Rect,
    /// Dataset and layers.
    pub left: Side,
    /// Inspector.
    pub inspector: Side,
    /// Throughput and log.
    pub bottom: Bottom,
    /// Status bar.
    pub status_bar: Rect,
    /// Tools of the annotation, right above the panes.
    pub tool_bar: Option<Rect>,
    /// Panes and the gaps around them.
    pub panes: Rect,
}

impl WindowFrame {
    /// Parts of a window with an open dataset.
    pub fn new(area: Rect, choices: &PanelChoices) -> Self {
        let room = Room::of(area.size());
        let (top_bar, status_bar, rest) = bars(area);

        let opens_bottom = choices.bottom.unwrap_or(!room.is_compact) && rest.height() - metrics::BOTTOM_PANEL >= MIN_PANES.y;
        let bottom_height = if opens_bottom { metrics::BOTTOM_PANEL } else { metrics::BOTTOM_STRIP };
        let bottom_rect = rest.with_min_y(rest.bottom() - bottom_height);
        let bottom = if opens_bottom { Bottom::Open(bottom_rect) } else { Bottom::Strip(bottom_rect) };
        let middle = rest.with_max_y(bottom_rect.top());

        let left_wanted = wanted_width(choices.left_width, if room.is_compact { 232.0 } else { 264.0 }, &LEFT_WIDTHS);
        let inspector_default = match choices.tab {
            _ if room.is_compact => 308.0,
            InspectorTab::Layout => 520.0,
            InspectorTab::Header | InspectorTab::Probe | InspectorTab::Annotation | InspectorTab::Problems => 376.0,
        };
        let inspector_wanted = wanted_width(choices.inspector_width, inspector_default, &INSPECTOR_WIDTHS);

        // The inspector gives way first; what both hold beyond their least widths goes to the panes.
        let left_min = if choices.left { *LEFT_WIDTHS.start() } else { RAIL };
        let inspector_width = match choices.inspector {
            true => inspector_wanted.min((middle.width() - MIN_PANES.x - left_min).max(*INSPECTOR_WIDTHS.start())),
            false => RAIL,
        };
        let left_width = match choices.left {
            true => left_wanted.min((middle.width() - MIN_PANES.x - inspector_width).max(*LEFT_WIDTHS.start())),
            false => RAIL,
        };
        let left_rect = middle.with_max_x(middle.left() + left_width.round());
        let inspector_rect = middle.with_min_x(middle.right() - inspector_width.round());
        let between = middle.with_min_x(left_rect.right()).with_max_x(inspector_rect.left().max(left_rect.right()));
        let panes_top =
            if choices.tools { (between.top() + metrics::TOOL_BAR).min(between.bottom().max(between.top())) } else { between.top() };
        let tool_bar = choices.tools.then(|| between.with_max_y(panes_top));
        let panes = between.with_min_y(panes_top);
        Self {
            top_bar,
            left: if choices.left { Side::Open(left_rect) } else { Side::Rail(left_rect) },
            inspector: if choices.inspector { Side::Open(inspector_rect) } else { Side::Rail(inspector_rect) },
            bottom,
            status_bar,
            tool_bar,
            panes,
        }
    }
}

/// Top bar, status bar and what lies between, also for the welcome page.
pub fn bars(area: Rect) -> (Rect, Rect, Rect) {
    let top_bar = area.with_max_y(area.top() + metrics::TOP_BAR);
    let status_bar = area.with_min_y((area.bottom() - metrics::STATUS_BAR).max(top_bar.bottom()));
    let rest = Rect::from_min_max(pos2(area.left(), top_bar.bottom()), pos2(area.right(), status_bar.top()));
    (top_bar, status_bar, rest)
}

fn wanted_width(chosen: Option<f32>, default: f32, limits: &RangeInclusive<f32>) -> f32 {
    chosen.unwrap_or(default).clamp(*limits.start(), *limits.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: PanelChoices = PanelChoices {
        left: true,
        left_width: None,
        inspector: true,
        inspector_width: None,
        tab: InspectorTab::Probe,
        bottom: None,
        tools: false,
    };

    fn frame(width: f32, height: f32, choices: &PanelChoices) -> WindowFrame {
        WindowFrame::new(Rect::from_min_size(pos2(0.0, 0.0), Vec2::new(width, height)), choices)
    }

    #[test]
    fn a_wide_window_has_all_panels_in_full() {
        let frame = frame(1600.0, 1000.0, &OPEN);
        assert_eq!((frame.left.rect().width(), frame.inspector.rect().width()), (264.0, 376.0));
        assert!(matches!(frame.bottom, Bottom::Open(rect) if rect.height() == 208.0));
        assert_eq!((frame.top_bar.height(), frame.status_bar.height()), (40.0, 28.0));
        assert_eq!(frame.panes, Rect::from_min_max(pos2(264.0, 40.0), pos2(1224.0, 764.0)));
    }

    #[test]
    fn a_small_window_has_narrower_sides_and_a_strip() {
        for (width, height) in [(1280.0, 720.0), (1600.0, 800.0), (1439.0, 1000.0)] {
            let frame = frame(width, height, &OPEN);
            assert_eq!((frame.left.rect().width(), frame.inspector.rect().width()), (232.0, 308.0), "{width} × {height}");
            assert!(matches!(frame.bottom, Bottom::Strip(rect) if rect.height() == 32.0), "{width} × {height}");
        }
    }

    #[test]
    fn a_choice_is_kept_until_there_is_no_room() {
        let chosen = PanelChoices { bottom: Some(true), inspector_width: Some(600.0), left_width: Some(340.0), ..OPEN };
        let roomy = frame(1400.0, 800.0, &chosen);
        assert!(matches!(roomy.bottom, Bottom::Open(_)));
        assert_eq!((roomy.left.rect().width(), roomy.inspector.rect().width()), (340.0, 600.0));
        let tight = frame(1000.0, 470.0, &chosen);
        assert!(matches!(tight.bottom, Bottom::Strip(_)));
        assert_eq!((tight.left.rect().width(), tight.inspector.rect().width()), (216.0, 464.0));
        assert_eq!(tight.panes.width(), MIN_PANES.x);
    }

    #[test]
    fn the_layout_tab_is_wider() {
        assert_eq!(frame(1600.0, 1000.0, &PanelChoices { tab: InspectorTab::Layout, ..OPEN }).inspector.rect().width(), 520.0);
    }

    #[test]
    fn the_tool_bar_takes_its_height_from_the_panes_only() {
        let (without, with) = (frame(1600.0, 1000.0, &OPEN), frame(1600.0, 1000.0, &PanelChoices { tools: true, ..OPEN }));
        assert_eq!(without.tool_bar, None);
        assert_eq!(with.tool_bar, Some(Rect::from_min_max(pos2(264.0, 40.0), pos2(1224.0, 80.0))));
        assert_eq!(with.panes, without.panes.with_min_y(80.0));
        assert_eq!((with.left, with.inspector, with.bottom), (without.left, without.inspector, without.bottom));
    }

    #[test]
    fn folded_sides_are_rails() {
        let frame = frame(800.0, 600.0, &PanelChoices { left: false, inspector: false, ..OPEN });
        assert!(matches!(frame.left, Side::Rail(rect) if rect.width() == RAIL));
        assert!(matches!(frame.inspector, Side::Rail(rect) if rect.width() == RAIL));
        assert_eq!(frame.panes.width(), 800.0 - 2.0 * RAIL);
    }

    #[test]
    fn no_size_gives_rectangles_that_are_inside_out() {
        for width in [0.0, 10.0, 300.0, 700.0] {
            for height in [0.0, 30.0, 90.0, 300.0] {
                let frame = frame(width, height, &PanelChoices { tools: true, ..OPEN });
                assert!(frame.panes.width() >= 0.0, "{width} × {height}");
                assert!(frame.tool_bar.is_some_and(|bar| bar.height() >= 0.0), "{width} × {height}");
                assert!(frame.status_bar.top() >= frame.top_bar.bottom(), "{width} × {height}");
            }
        }
    }

    #[test]
    fn thresholds_are_those_of_the_design() {
        assert!(!Room::of(Vec2::new(1440.0, 860.0)).is_compact);
        assert!(Room::of(Vec2::new(1440.0, 859.0)).is_compact);
        assert!(Room::of(Vec2::new(1359.0, 1000.0)).is_narrow && !Room::of(Vec2::new(1360.0, 1000.0)).is_narrow);
        assert!(Room::of(Vec2::new(1099.0, 1000.0)).folds_inspector && !Room::of(Vec2::new(1100.0, 1000.0)).folds_inspector);
        assert!(Room::of(Vec2::new(899.0, 1000.0)).folds_left && !Room::of(Vec2::new(900.0, 1000.0)).folds_left);
    }
}
