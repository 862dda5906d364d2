//! The panes: XY, YZ and XZ, and the map in the fourth quarter.

mod brush;
mod input;
mod overlay;
mod pane;
mod skeleton;
mod texture;
mod tools;

use crate::geometry::SlicePlane;
use crate::state::AppContext;
use crate::ui::map_pane::MapPane;
use crate::ui::theme::{Tokens, metrics};
use crate::ui::widgets::{SplitAxis, SplitBar};
use egui::{Rect, Ui, UiBuilder, pos2};
use pane::Pane;

/// First split across and down.
const SPLIT: [f32; 2] = [0.55, 0.57];

/// The panes with what they remember between frames.
pub struct Viewport {
    xy: Pane,
    yz: Pane,
    xz: Pane,
    map: MapPane,
    split: [f32; 2],
}

impl Default for Viewport {
    fn default() -> Self {
        Self { xy: Pane::default(), yz: Pane::default(), xz: Pane::default(), map: MapPane::default(), split: SPLIT }
    }
}

impl Viewport {
    /// Sizes of the panes in physical pixels, in the order of [`SlicePlane::ALL`]; 0 for hidden ones.
    pub const fn shapes_px(&self) -> [[u32; 2]; 3] {
        [self.xy.shape_px(), self.yz.shape_px(), self.xz.shape_px()]
    }

    const fn pane(&mut self, plane: SlicePlane) -> &mut Pane {
        match plane {
            SlicePlane::Xy => &mut self.xy,
            SlicePlane::Yz => &mut self.yz,
            SlicePlane::Xz => &mut self.xz,
        }
    }

    /// Draws the panes into all that is left of `ui`.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let Some(open) = &ctx.state.dataset else {
            SlicePlane::ALL.into_iter().for_each(|plane| self.pane(plane).hide());
            return;
        };
        let area = ui.available_rect_before_wrap();
        ui.painter().rect_filled(area, 0.0, Tokens::of(ui).bg1);
        let area = area.shrink(metrics::PANE_GAP);
        ui.advance_cursor_after_rect(area);
        if let Some(plane) = ctx.state.panels.maximized {
            for other in SlicePlane::ALL {
                if other != plane {
                    self.pane(other).hide();
                }
            }
            self.pane(plane).show(ui, area, plane, open, ctx);
            return;
        }
        let gap = metrics::PANE_GAP;
        let across = (area.left() + area.width() * self.split[0]).round();
        let down = (area.top() + area.height() * self.split[1]).round();
        let upper_left = Rect::from_min_max(area.min, pos2(across, down));
        let upper_right = Rect::from_min_max(pos2(across + gap, area.top()), pos2(area.right(), down));
        let lower_left = Rect::from_min_max(pos2(area.left(), down + gap), pos2(across, area.bottom()));
        let lower_right = Rect::from_min_max(pos2(across + gap, down + gap), area.max);
        self.xy.show(ui, upper_left, SlicePlane::Xy, open, ctx);
        self.yz.show(ui, upper_right, SlicePlane::Yz, open, ctx);
        self.xz.show(ui, lower_left, SlicePlane::Xz, open, ctx);
        ui.scope_builder(UiBuilder::new().max_rect(lower_right), |ui| self.map.show(ui, ctx));
        let upright = Rect::from_min_max(pos2(across, area.top()), pos2(across + gap, area.bottom()));
        let flat = Rect::from_min_max(pos2(area.left(), down), pos2(area.right(), down + gap));
        let id = ui.scope_id();
        SplitBar::new("Width of the panes", SplitAxis::Horizontal, &mut self.split[0], SPLIT[0]).range(0.2..=0.8).show(
            ui,
            id.with("across"),
            upright,
            area,
        );
        SplitBar::new("Height of the panes", SplitAxis::Vertical, &mut self.split[1], SPLIT[1]).range(0.2..=0.8).show(
            ui,
            id.with("down"),
            flat,
            area,
        );
    }
}
