//! Tools of an annotation: the bar above the panes, and the pointer in them.

use crate::editing::painting;
use crate::support::{Gui, SIZES, Setup, Tiny, value};
use chunkscope::geometry::SlicePlane;
use chunkscope::state::{AppCommand, Tool};
use egui::accesskit::Role;
use egui::{Event, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::Queryable as _;

impl Gui {
    /// The point of a pane where the middle of a mag-1 voxel is drawn.
    fn point_of(&self, plane: SlicePlane, voxel: [i64; 3]) -> Pos2 {
        let view = self.picture(plane).view;
        let px = |axis: usize| view.px_from_mag1(axis, voxel[view.volume_axis(axis)] as f64 + 0.5) as f32;
        self.pane(plane).min + vec2(px(0), px(1))
    }

    fn press_at(&mut self, pos: Pos2, pressed: bool, modifiers: Modifiers) {
        self.event(Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers });
    }

    /// Drags through points of the XY pane, all of them in one frame.
    fn drag_through(&mut self, voxels: &[[i64; 3]], modifiers: Modifiers) {
        let points: Vec<Pos2> = voxels.iter().map(|voxel| self.point_of(SlicePlane::Xy, *voxel)).collect();
        let last = points[points.len() - 1];
        self.event(Event::ModifiersChanged(modifiers));
        self.hover_at(points[0]);
        self.press_at(points[0], true, modifiers);
        for point in &points[1..] {
            self.harness.event(Event::PointerMoved(*point));
        }
        self.step();
        self.press_at(last, false, modifiers);
        self.event(Event::ModifiersChanged(Modifiers::NONE));
        self.settle();
    }

    fn click_with(&mut self, voxel: [i64; 3], modifiers: Modifiers) {
        let point = self.point_of(SlicePlane::Xy, voxel);
        self.event(Event::ModifiersChanged(modifiers));
        self.hover_at(point);
        self.press_at(point, true, modifiers);
        self.press_at(point, false, modifiers);
        self.event(Event::ModifiersChanged(Modifiers::NONE));
        self.step();
    }
}

#[test]
fn the_tool_bar_takes_tools_and_shows_what_they_can_be_set_to() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = painting(Setup::of(tiny.path()).size(size));
        let picker = gui.rect(Role::RadioButton, "Picker");
        for (name, tool) in
            [("Move", Tool::Move), ("Eraser", Tool::Eraser), ("Trace", Tool::Trace), ("Picker", Tool::Picker), ("Fill", Tool::Fill)]
        {
            gui.click(Role::RadioButton, name);
            gui.step();
            assert_eq!(gui.state().tools.tool, tool);
            assert_eq!(gui.has(Role::Slider, "Size"), tool == Tool::Eraser, "{name}");
            assert_eq!(gui.has(Role::RadioButton, "Painting over Empty only"), tool == Tool::Trace, "{name}");
            assert_eq!(gui.has(Role::RadioButton, "Erasing Active segment only"), tool == Tool::Eraser, "{name}");
            assert_eq!(gui.rect(Role::RadioButton, "Picker"), picker, "{name}: buttons stay where they are");
        }
        gui.click(Role::RadioButton, "Fill In 3D");
        gui.step();
        assert!(gui.state().tools.fill_in_volume);
        gui.click(Role::RadioButton, "Brush");
        gui.steps(2);
        gui.click(Role::RadioButton, "Painting over Empty only");
        gui.step();
        assert!(gui.state().tools.empty_only);
        gui.enter_number("Size", "33");
        assert_eq!(gui.state().tools.brush_size, 33);
        gui.harness.get_by_role_and_label(Role::Slider, "Size").set_value_accesskit(1e9);
        gui.steps(3);
        assert_eq!(gui.state().tools.brush_size, 1188, "as much as can be painted at once in mag 1");
        gui.check_names();
    }
}

#[test]
fn a_quick_drag_with_the_brush_paints_every_position_of_the_pointer() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let active = gui.volume().active;
    gui.with_tools(|tools| tools.tool = Tool::Brush);
    gui.step();
    let before = gui.position();
    // There and back within one frame: the last position alone would leave the far end out.
    gui.drag_through(&[[20, 10, 32], [70, 10, 32], [70, 50, 32], [22, 10, 32]], Modifiers::NONE);
    for at in [[20, 10, 32], [45, 10, 32], [70, 10, 32], [70, 30, 32], [70, 50, 32]] {
        assert_eq!(gui.id_at(at), active, "{at:?}");
    }
    assert_ne!(gui.id_at([20, 50, 32]), active);
    assert_eq!(gui.volume().history.iter().filter(|line| line.voxels > 0).count(), 1, "one stroke");
    assert_eq!(gui.position(), before, "the view stays");
}

#[test]
fn modifiers_erase_swap_the_mode_and_pick() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let active = gui.volume().active;
    gui.with_tools(|tools| tools.tool = Tool::Brush);
    gui.step();
    gui.drag_through(&[[20, 10, 32], [21, 10, 32]], Modifiers::COMMAND | Modifiers::SHIFT);
    assert_eq!(gui.id_at([20, 10, 32]), 0, "erased");
    gui.drag_through(&[[20, 12, 32], [21, 12, 32]], Modifiers::COMMAND);
    assert_eq!(gui.id_at([20, 10, 32]), active, "what was empty is painted");
    let beside = [20, 16, 32];
    assert_eq!(gui.id_at(beside), u64::from(value::cells(beside)), "what wasn't stays");
    gui.click_with([70, 40, 32], Modifiers::SHIFT);
    assert_eq!(gui.volume().active, u64::from(value::cells([70, 40, 32])));
    let history = gui.volume().history.len();
    gui.settle();
    assert_eq!(gui.volume().history.len(), history, "picking paints nothing");
}

#[test]
fn shift_and_wheel_change_the_brush_and_other_tools_step_slices() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    gui.with_tools(|tools| (tools.tool, tools.brush_size) = (Tool::Brush, 50));
    gui.step();
    let at = gui.pane(SlicePlane::Xy).center();
    gui.wheel_at(at, 2.0, Modifiers::SHIFT);
    assert_eq!((gui.state().tools.brush_size, gui.position()), (53, Tiny::CENTER), "two percent twice, rounded up");
    gui.with_tools(|tools| tools.tool = Tool::Fill);
    gui.step();
    gui.wheel_at(at, 1.0, Modifiers::SHIFT);
    assert_eq!(gui.state().tools.brush_size, 53);
    assert_eq!((gui.position()[2] - Tiny::CENTER[2]).abs(), 5);
}

#[test]
fn an_outline_is_filled_when_the_button_is_let_go_of() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let active = gui.volume().active;
    gui.with_tools(|tools| tools.tool = Tool::Trace);
    gui.step();
    gui.click_with([40, 20, 32], Modifiers::NONE);
    gui.settle();
    assert_ne!(gui.id_at([40, 20, 32]), active, "a click outlines nothing");
    gui.drag_through(&[[10, 10, 32], [30, 10, 32], [30, 40, 32], [10, 40, 32]], Modifiers::NONE);
    assert_eq!(gui.id_at([20, 25, 32]), active);
    assert_ne!(gui.id_at([35, 25, 32]), active);
    gui.with_tools(|tools| tools.tool = Tool::Fill);
    gui.step();
    gui.click_with([40, 20, 32], Modifiers::NONE);
    gui.settle();
    assert_eq!(gui.id_at([40, 20, 32]), active, "fill is a click");
}

#[test]
fn the_move_tool_and_the_middle_button_move_the_view_as_without_an_annotation() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    gui.with_tools(|tools| tools.tool = Tool::Move);
    gui.step();
    let at = gui.pane(SlicePlane::Xy).center();
    gui.drag(at, vec2(60.0, 0.0));
    assert!(gui.position()[0] < Tiny::CENTER[0], "{:?}", gui.position());
    gui.send(AppCommand::SetPosition(Tiny::CENTER.into()));
    gui.settle();
    gui.click_with([60, 40, 32], Modifiers::NONE);
    assert_eq!(gui.position(), [60, 40, 32], "a click centres");
    gui.send(AppCommand::SetPosition(Tiny::CENTER.into()));
    gui.with_tools(|tools| tools.tool = Tool::Brush);
    gui.settle();
    gui.hover_at(at);
    gui.button(at, PointerButton::Middle, true);
    gui.hover_at(at + vec2(30.0, 0.0));
    gui.hover_at(at + vec2(60.0, 0.0));
    gui.button(at + vec2(60.0, 0.0), PointerButton::Middle, false);
    gui.step();
    assert!(gui.position()[0] < Tiny::CENTER[0], "{:?}", gui.position());
    gui.send(AppCommand::SetPosition(Tiny::CENTER.into()));
    gui.steps(2);
    gui.hover_at(at);
    gui.event(Event::ModifiersChanged(Modifiers::ALT));
    gui.hover_at(at + vec2(60.0, 0.0));
    gui.event(Event::ModifiersChanged(Modifiers::NONE));
    gui.step();
    assert!(gui.position()[0] < Tiny::CENTER[0], "Alt moves without a button: {:?}", gui.position());
}

#[test]
fn a_press_on_a_button_over_the_slice_paints_nothing() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    gui.with_tools(|tools| tools.tool = Tool::Brush);
    gui.send(AppCommand::SetZoom(0.1));
    gui.settle();
    let history = gui.volume().history.len();
    gui.click(Role::Button, "Maximize XY");
    gui.settle();
    assert_eq!(gui.state().panels.maximized, Some(SlicePlane::Xy));
    assert_eq!(gui.volume().history.len(), history);
}
