//! Pointer and wheel over a pane, turned into commands.

use super::overlay::OnScreen;
use super::tools::{PressKind, ToolInput, send, tool_in_hand};
use crate::geometry::Vec3Int;
use crate::scene::ViewState;
use crate::state::{AnnotationCommand, AppCommand, AppContext, Pointer, Tool};
use egui::{Event, MouseWheelUnit, PointerButton, Response, Ui};

/// Points that a touchpad scrolls for one slice.
const POINTS_PER_STEP: f32 = 30.0;

/// What a pane remembers between frames.
#[derive(Default)]
pub struct PaneInput {
    /// Scrolled points that make no whole slice yet.
    scrolled: f32,
    /// The centre before the last click, to come back to if it turns out to be half of a double click.
    before_click: Option<Vec3Int>,
    /// Notches that make no whole step of the brush yet.
    brush_scrolled: f32,
    /// A drag with a tool.
    pub tools: ToolInput,
}

impl PaneInput {
    /// Sends what a person did over the pane.
    pub fn handle(&mut self, ui: &Ui, response: &Response, pane: &OnScreen, ctx: &AppContext<'_>) {
        let plane = pane.view.plane();
        let px_in_pane = |pos: egui::Pos2| {
            let d = (pos - pane.rect.min) * pane.pixels_per_point;
            [f64::from(d.x), f64::from(d.y)]
        };
        if let Some(pos) = response.hover_pos() {
            let hover = Some((plane, pane.view.voxel_at(px_in_pane(pos))));
            if ctx.state.probe.hover != hover {
                ctx.send(AppCommand::Hover(hover));
            }
            self.wheel(ui, pane, px_in_pane(pos), ctx);
        } else if ctx.state.probe.hover.is_some_and(|(over, _)| over == plane) {
            ctx.send(AppCommand::Hover(None));
        }
        self.tools.handle(ui, response, pane, ctx);
        pan(ui, response, pane, ctx);
        if (response.drag_started() || response.clicked()) && ctx.state.panels.active_pane != plane {
            ctx.send(AppCommand::ActivatePane(plane));
        }
        let Some(pos) = response.interact_pointer_pos() else { return };
        let voxel = pane.view.voxel_at(px_in_pane(pos));
        let (tool, kind) = (tool_in_hand(ctx), PressKind::of(ui.input(|input| input.modifiers)));
        match tool {
            Some(_) if response.clicked() && kind.picks => send(ctx, plane, Pointer::Pick(voxel), PressKind::default()),
            Some(Tool::Fill | Tool::Picker) if response.clicked() => send(ctx, plane, Pointer::Click(voxel), kind),
            Some(Tool::Brush | Tool::Eraser | Tool::Trace | Tool::Fill | Tool::Picker) => {}
            Some(Tool::Move) | None => self.click(response, pane, ctx, voxel),
        }
    }

    /// A click centres, a double click shows one pane or all.
    fn click(&mut self, response: &Response, pane: &OnScreen, ctx: &AppContext<'_>, voxel: Vec3Int) {
        if response.double_clicked() {
            let maximized = ctx.state.panels.maximized.is_none().then_some(pane.view.plane());
            ctx.send(AppCommand::Maximize(maximized));
            if let Some(before) = self.before_click.take() {
                ctx.send(AppCommand::SetPosition(before));
            }
        } else if response.clicked() {
            self.before_click = ctx.state.dataset.as_ref().map(|open| open.view.voxel());
            ctx.send(AppCommand::SetPosition(voxel));
        }
    }

    fn wheel(&mut self, ui: &Ui, pane: &OnScreen, at_px: [f64; 2], ctx: &AppContext<'_>) {
        let plane = pane.view.plane();
        let has_disc = tool_in_hand(ctx).is_some_and(Tool::has_disc);
        let (mut steps, mut notches, mut pinch, mut brush) = (0.0_f32, 0.0_f32, 1.0_f64, 0.0_f32);
        ui.input(|input| {
            for event in &input.events {
                match event {
                    Event::MouseWheel { unit, delta, modifiers, .. } => {
                        // With Shift some systems turn the wheel sideways.
                        let along = if delta.y == 0.0 { delta.x } else { delta.y };
                        let turned = match unit {
                            MouseWheelUnit::Line | MouseWheelUnit::Page => along,
                            MouseWheelUnit::Point => along / POINTS_PER_STEP,
                        };
                        if modifiers.command || modifiers.ctrl || modifiers.alt {
                            notches += turned;
                        } else if modifiers.shift && has_disc {
                            brush += turned;
                        } else {
                            steps += if modifiers.shift { 5.0 * turned } else { turned };
                        }
                    }
                    Event::Zoom(factor) => pinch *= f64::from(*factor),
                    _ => {}
                }
            }
        });
        if notches != 0.0 || pinch != 1.0 {
            let factor = ViewState::ZOOM_STEP.powf(f64::from(notches)) * pinch;
            let center = [0, 1].map(|axis| pane.view.px_from_mag1(axis, pane.view.center()[pane.view.volume_axis(axis)]));
            let from_center_px = [at_px[0] - center[0], at_px[1] - center[1]];
            ctx.send(AppCommand::ZoomAt { plane, from_center_px, factor });
        }
        self.brush_scrolled += brush;
        let whole = self.brush_scrolled.trunc();
        if whole != 0.0 {
            self.brush_scrolled -= whole;
            ctx.send(AnnotationCommand::ChangeBrush(whole as i64));
        }
        self.scrolled += steps;
        let whole = self.scrolled.trunc();
        if whole != 0.0 {
            self.scrolled -= whole;
            ctx.send(AppCommand::Step { plane, steps: whole as i64 });
        }
        if (steps != 0.0 || notches != 0.0) && ctx.state.panels.active_pane != plane {
            ctx.send(AppCommand::ActivatePane(plane));
        }
    }
}

/// Moves the view: by dragging, unless the tool in hand paints then, and by moving the pointer with Alt.
fn pan(ui: &Ui, response: &Response, pane: &OnScreen, ctx: &AppContext<'_>) {
    let paints = tool_in_hand(ctx).is_some_and(Tool::paints_by_drag);
    let is_drag = (response.dragged_by(PointerButton::Primary) && !paints) || response.dragged_by(PointerButton::Middle);
    let (is_alt_move, delta) = ui.input(|input| (input.modifiers.alt && !input.pointer.any_down(), input.pointer.delta()));
    let moved = if is_drag {
        response.drag_delta()
    } else if is_alt_move && response.hovered() {
        delta
    } else {
        return;
    };
    let moved = moved * pane.pixels_per_point;
    if moved != egui::Vec2::ZERO {
        ctx.send(AppCommand::Pan { plane: pane.view.plane(), right_px: f64::from(moved.x), down_px: f64::from(moved.y) });
    }
}
