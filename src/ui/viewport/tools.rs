//! The tool in hand over a pane: pointer events turned into strokes and outlines.

use super::overlay::OnScreen;
use crate::geometry::SlicePlane;
use crate::state::{AnnotationCommand, AppCommand, AppContext, Pointer, Tool};
use egui::{Event, Modifiers, PointerButton, Pos2, Response, Ui};

/// An outline with more corners is closed: nobody draws that many, and each is kept.
const MAX_CORNERS: usize = 65_536;

/// What a drag with a tool has done so far.
struct Stroke {
    tool: Tool,
    /// It ends when another slice is shown, which it doesn't lie in.
    slice: i64,
    kind: PressKind,
    /// Corners of an outline; empty for discs, which are sent at once.
    outline: Vec<[f64; 3]>,
    last: Pos2,
}

/// What modifiers make of a press.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PressKind {
    /// Erases whatever the tool.
    pub erases: bool,
    /// Swaps overwriting all and empty only.
    pub inverts: bool,
    /// Takes over the segment instead.
    pub picks: bool,
}

impl PressKind {
    /// Ctrl swaps the mode, Ctrl and Shift erase, Shift picks.
    pub const fn of(modifiers: Modifiers) -> Self {
        let Modifiers { command, shift, .. } = modifiers;
        Self { erases: command && shift, inverts: command && !shift, picks: shift && !command }
    }
}

/// The tool in hand; `None` where there is nothing to paint.
pub fn tool_in_hand(ctx: &AppContext<'_>) -> Option<Tool> {
    ctx.state.annotation.as_ref().and_then(|open| open.volume()).map(|_| ctx.state.tools.tool)
}

/// What a pane remembers of a drag with a tool.
#[derive(Default)]
pub struct ToolInput {
    stroke: Option<Stroke>,
    /// A menu was open in the last frame: the press that closes it is meant for it.
    had_popup: bool,
}

impl ToolInput {
    /// Corners of the outline that is being drawn, mag 1.
    pub fn outline(&self) -> &[[f64; 3]] {
        self.stroke.as_ref().map_or(&[], |stroke| &stroke.outline)
    }

    /// Sends what a drag with the tool in hand does. Every position of the pointer counts, not only the frame's last:
    /// quick strokes stay round.
    pub fn handle(&mut self, ui: &Ui, response: &Response, pane: &OnScreen, ctx: &AppContext<'_>) {
        let plane = pane.view.plane();
        let tool = tool_in_hand(ctx).filter(|tool| tool.paints_by_drag());
        if self.stroke.as_ref().is_some_and(|stroke| Some(stroke.tool) != tool || stroke.slice != pane.view.slice()) {
            self.give_up(ctx, plane);
        }
        let had_popup = std::mem::replace(&mut self.had_popup, egui::Popup::is_any_open(ui.ctx()));
        let Some(tool) = tool else { return };
        // A press and its release may arrive in one frame.
        let is_pressed = response.is_pointer_button_down_on() || response.clicked() || response.drag_stopped();
        let (events, is_down) = ui.input(|input| (input.events.clone(), input.pointer.primary_down()));
        let mut points = Vec::new();
        for event in &events {
            match event {
                Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, modifiers } => {
                    let kind = PressKind::of(*modifiers);
                    if is_pressed && !had_popup && self.stroke.is_none() && !kind.picks && pane.rect.contains(*pos) {
                        self.begin(tool, kind, *pos, pane, ctx);
                    }
                }
                Event::PointerMoved(pos) => points.extend(self.moved(*pos, pane)),
                Event::PointerButton { pos, button: PointerButton::Primary, pressed: false, .. } => {
                    points.extend(self.moved(*pos, pane));
                    self.send_drag(ctx, plane, &mut points);
                    self.end(ctx, plane);
                }
                Event::PointerGone | Event::WindowFocused(false) => {
                    self.send_drag(ctx, plane, &mut points);
                    self.give_up(ctx, plane);
                }
                _ => {}
            }
        }
        self.send_drag(ctx, plane, &mut points);
        if !is_down && self.stroke.is_some() {
            self.end(ctx, plane); // its release was seen by somebody else
        }
    }

    fn begin(&mut self, tool: Tool, kind: PressKind, pos: Pos2, pane: &OnScreen, ctx: &AppContext<'_>) {
        let plane = pane.view.plane();
        if ctx.state.panels.active_pane != plane {
            ctx.send(AppCommand::ActivatePane(plane));
        }
        let at = pane.mag1_at(pos);
        let outline = if tool == Tool::Trace { vec![at] } else { Vec::new() };
        if tool != Tool::Trace {
            send(ctx, plane, Pointer::Begin(at), kind);
        }
        self.stroke = Some(Stroke { tool, slice: pane.view.slice(), kind, outline, last: pos });
    }

    /// The point to send, if the stroke goes on there. Outside of the pane nothing is painted, as nobody would see it;
    /// an outline runs along the edge.
    fn moved(&mut self, pos: Pos2, pane: &OnScreen) -> Option<[f64; 3]> {
        let stroke = self.stroke.as_mut()?;
        if stroke.tool == Tool::Trace {
            let pos = pane.rect.clamp(pos);
            if pos != stroke.last && stroke.outline.len() < MAX_CORNERS {
                stroke.outline.push(pane.mag1_at(pos));
            }
            stroke.last = pos;
            return None;
        }
        if pos == stroke.last || !pane.rect.contains(pos) {
            return None;
        }
        stroke.last = pos;
        Some(pane.mag1_at(pos))
    }

    fn send_drag(&self, ctx: &AppContext<'_>, plane: SlicePlane, points: &mut Vec<[f64; 3]>) {
        if let Some(stroke) = self.stroke.as_ref().filter(|_| !points.is_empty()) {
            send(ctx, plane, Pointer::Drag(std::mem::take(points)), stroke.kind);
        }
    }

    fn end(&mut self, ctx: &AppContext<'_>, plane: SlicePlane) {
        let Some(stroke) = self.stroke.take() else { return };
        match stroke.tool {
            // A click outlines nothing.
            Tool::Trace if stroke.outline.len() < 3 => {}
            Tool::Trace => send(ctx, plane, Pointer::Outline(stroke.outline), stroke.kind),
            Tool::Move | Tool::Brush | Tool::Eraser | Tool::Fill | Tool::Picker => send(ctx, plane, Pointer::End, stroke.kind),
        }
    }

    /// Ends what is painted already; an outline that nobody closed fills nothing.
    fn give_up(&mut self, ctx: &AppContext<'_>, plane: SlicePlane) {
        if self.stroke.as_ref().is_some_and(|stroke| stroke.tool == Tool::Trace) {
            self.stroke = None;
        }
        self.end(ctx, plane);
    }
}

/// Sends what the pointer does with the tool in hand.
pub fn send(ctx: &AppContext<'_>, plane: SlicePlane, pointer: Pointer, kind: PressKind) {
    let PressKind { erases, inverts, picks: _ } = kind;
    ctx.send(AnnotationCommand::Pointer { plane, pointer, erases, inverts });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_swap_erase_and_pick() {
        let of = |modifiers| {
            let PressKind { erases, inverts, picks } = PressKind::of(modifiers);
            (erases, inverts, picks)
        };
        assert_eq!(of(Modifiers::NONE), (false, false, false));
        assert_eq!(of(Modifiers::COMMAND), (false, true, false));
        assert_eq!(of(Modifiers::COMMAND | Modifiers::SHIFT), (true, false, false));
        assert_eq!(of(Modifiers::SHIFT), (false, false, true));
    }
}
