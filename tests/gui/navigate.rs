//! Slices, zoom, panning, going to a position, panes, mags.

use crate::support::{Gui, SIZES, SMALL, Setup, Tiny, WIDE};
use chunkscope::geometry::SlicePlane;
use chunkscope::state::{AppCommand, UiCommand};
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Vec2, vec2};

fn opened(size: Vec2) -> (Tiny, Gui) {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).size(size).start();
    gui.settle();
    (tiny, gui)
}

const CTRL: Modifiers = Modifiers { command: true, ..Modifiers::CTRL };

#[test]
fn the_wheel_steps_the_slices_of_the_pane_under_the_pointer() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for plane in SlicePlane::ALL {
            let axis = plane.normal_axis();
            let before = gui.position();

            gui.wheel(plane, 1.0);
            gui.settle();
            let moved = gui.position();
            let by: Vec<i64> = (0..3).map(|a| moved[a] - before[a]).collect();
            assert_eq!(by.iter().map(|d| d.abs()).sum::<i64>(), 1, "{plane} {by:?}");
            assert_eq!(by[axis].abs(), 1, "{plane} {by:?}");
            assert_eq!(gui.picture(plane).view.slice(), moved[axis]);
            assert_eq!(gui.state().panels.active_pane, plane);

            gui.wheel(plane, -1.0);
            gui.settle();
            assert_eq!(gui.position(), before);
        }
    }
}

#[test]
fn keys_step_slices_of_the_active_pane_by_one_and_by_five() {
    let (_tiny, mut gui) = opened(WIDE);
    let z = |gui: &Gui| gui.position()[2];
    for (modifiers, key, by) in [
        (Modifiers::NONE, Key::F, 1),
        (Modifiers::NONE, Key::D, -1),
        (Modifiers::NONE, Key::Space, 1),
        (Modifiers::SHIFT, Key::Space, -1),
        (Modifiers::SHIFT, Key::F, 5),
        (Modifiers::SHIFT, Key::D, -5),
    ] {
        let before = z(&gui);
        gui.key_with(modifiers, key);
        gui.settle();
        assert_eq!(z(&gui) - before, by, "{modifiers:?} {key:?}");
    }
    gui.send(AppCommand::ActivatePane(SlicePlane::Yz));
    gui.key(Key::F);
    gui.settle();
    assert_eq!(gui.position(), [49, 32, 32]);
}

#[test]
fn a_step_is_one_slice_of_the_shown_mag_and_stays_in_the_data() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.press(Role::ListItem, "em mag 4");
    gui.settle();
    gui.key(Key::F);
    gui.settle();
    assert_eq!(gui.position()[2], 36);

    (0..20).for_each(|_| gui.key(Key::F));
    assert_eq!(gui.position()[2], 63);
    (0..40).for_each(|_| gui.key(Key::D));
    assert_eq!(gui.position()[2], 0);
}

#[test]
fn ctrl_wheel_zooms_and_keeps_what_is_under_the_pointer() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for plane in SlicePlane::ALL {
            let at = gui.pane(plane).center() + vec2(70.0, -40.0);
            let (before, zoom) = (gui.under(plane, at), gui.zoom());

            gui.wheel_at(at, 2.0, CTRL);
            gui.settle();

            assert!((zoom / gui.zoom() - 1.21).abs() < 1e-9, "{plane}: {zoom} to {}", gui.zoom());
            let (after, step) = (gui.under(plane, at), gui.picture(plane).view.step());
            for axis in 0..2 {
                assert!((after[axis] - before[axis]).abs() <= 1.01 * step[axis], "{plane}: {before:?} to {after:?}");
            }
        }
    }
}

#[test]
fn keys_zoom_about_the_centre() {
    let (_tiny, mut gui) = opened(WIDE);
    let zoom = gui.zoom();
    gui.key(Key::I);
    assert!((zoom / gui.zoom() - 1.1).abs() < 1e-9);
    gui.key(Key::O);
    assert!((zoom - gui.zoom()).abs() < 1e-9);
    gui.key_with(Modifiers::COMMAND, Key::Num1);
    assert_eq!(gui.zoom(), 1.0);
    assert_eq!(gui.position(), Tiny::CENTER);
}

#[test]
fn dragging_moves_the_picture_with_the_pointer() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for plane in SlicePlane::ALL {
            let before = gui.dataset().view.position();
            let step = gui.picture(plane).view.step();

            gui.drag(gui.pane(plane).center(), vec2(40.0, 24.0));
            gui.settle();

            let after = gui.dataset().view.position();
            assert!(
                (before[plane.right_axis()] - after[plane.right_axis()] - 40.0 * step[0]).abs() < 1e-6,
                "{plane}: {before:?} to {after:?}"
            );
            assert!(
                (before[plane.down_axis()] - after[plane.down_axis()] - 24.0 * step[1]).abs() < 1e-6,
                "{plane}: {before:?} to {after:?}"
            );
            assert_eq!(before[plane.normal_axis()], after[plane.normal_axis()]);
        }
    }
}

#[test]
fn arrow_keys_pan_the_active_pane() {
    let (_tiny, mut gui) = opened(WIDE);
    for (key, axis, sign) in [(Key::ArrowRight, 0, 1.0), (Key::ArrowLeft, 0, -1.0), (Key::ArrowDown, 1, 1.0), (Key::ArrowUp, 1, -1.0)] {
        let before = gui.dataset().view.position();
        gui.key(key);
        let moved = gui.dataset().view.position()[axis] - before[axis];
        assert!(moved * sign > 0.0, "{key:?}: {moved}");
    }
    assert_eq!(gui.position(), Tiny::CENTER);
}

#[test]
fn a_click_sets_the_crosshair_to_the_voxel_under_the_pointer() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for plane in SlicePlane::ALL {
            let rect = gui.pane(plane);
            let at = rect.center() + vec2(-33.0, 21.0);
            let from_corner = at - rect.min;
            let voxel = gui.picture(plane).view.voxel_at([f64::from(from_corner.x), f64::from(from_corner.y)]);
            assert_ne!(gui.position(), voxel.to_array());

            gui.click_at(at);
            gui.settle();

            assert_eq!(gui.position(), voxel.to_array(), "{plane}");
            gui.steps(30); // another click soon would be a double-click
        }
    }
}

#[test]
fn position_fields_go_where_they_say() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for (name, text) in [("x position", "7"), ("y position", "8"), ("z position", "9")] {
            gui.enter_number(name, text);
        }
        gui.settle();
        assert_eq!(gui.position(), [7, 8, 9]);

        gui.enter_number("x position", "60, 50, 40");
        gui.settle();
        assert_eq!(gui.position(), [60, 50, 40]);

        gui.click(Role::SpinButton, "y position");
        gui.steps(2);
        gui.event(Event::Paste("(1, 2, 3)".to_owned()));
        gui.settle();
        assert_eq!(gui.position(), [1, 2, 3]);

        gui.enter_number("z position", "1e9");
        gui.settle();
        assert_eq!(gui.position(), [1, 2, 63], "the centre stays in the data");
    }
}

#[test]
fn the_key_for_a_position_works_each_time() {
    let (_tiny, mut gui) = opened(WIDE);
    for x in [11, 22] {
        gui.key_with(Modifiers::COMMAND, Key::G);
        gui.steps(3);
        gui.type_text(&x.to_string());
        gui.key(Key::Enter);
        gui.steps(3);
        assert_eq!(gui.position()[0], x);
    }
}

#[test]
fn the_zoom_field_zooms_and_the_mag_follows() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        assert_eq!(gui.mag(), 1);
        for (text, mag) in [("3", 2), ("6", 4), ("2", 1)] {
            gui.enter_number("Zoom", text);
            gui.settle();
            assert_eq!((gui.zoom(), gui.mag()), (text.parse().expect("a number"), mag));
            gui.assert_says(&format!("mag {mag}"));
        }
    }
}

#[test]
fn a_mag_is_fixed_by_a_click_and_freed_by_another() {
    for (size, role) in [(WIDE, Role::ListItem), (SMALL, Role::RadioButton)] {
        let (_tiny, mut gui) = opened(size);
        gui.click(role, "em mag 4");
        gui.settle();
        assert_eq!(gui.mag(), 4);
        gui.assert_says("mag 4, fixed");
        // Voxel 48, 32, 32 of mag 1 is stored as it is in mag 4.
        assert_eq!(gui.pixel(SlicePlane::Xy, [51, 35, 32]), [crate::support::value::em(Tiny::CENTER); 3]);

        gui.click(role, "em mag 4");
        gui.settle();
        assert_eq!(gui.mag(), 1);
        assert!(!gui.says("fixed"));
    }
}

#[test]
fn panes_are_maximised_by_button_key_and_double_click() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        let small = gui.pane(SlicePlane::Yz).area();

        gui.click(Role::Button, "Maximize YZ");
        gui.settle();
        assert_eq!(gui.state().panels.maximized, Some(SlicePlane::Yz));
        assert!(gui.pane(SlicePlane::Yz).area() > 2.0 * small);
        assert!(!gui.has(Role::Image, "XY view"));
        gui.click(Role::Button, "Show all panes");
        gui.settle();
        assert_eq!(gui.state().panels.maximized, None);

        gui.send(AppCommand::ActivatePane(SlicePlane::Xz));
        gui.key(Key::Period);
        gui.settle();
        assert_eq!(gui.state().panels.maximized, Some(SlicePlane::Xz));
        gui.key(Key::Period);
        gui.settle();

        let at = gui.pane(SlicePlane::Xy).center() + vec2(30.0, 30.0);
        gui.click_at(at);
        gui.click_at(at);
        gui.settle();
        assert_eq!(gui.state().panels.maximized, Some(SlicePlane::Xy));
    }
}

#[test]
fn jump_to_data_and_centre_lead_back_to_what_is_stored() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.send(AppCommand::SetPosition([90, 60, 60].into()));
    gui.settle();
    gui.send(UiCommand::JumpToData);
    gui.until("moved", |gui| gui.position() != [90, 60, 60]);
    let shard = gui.position().map(|v| v / 32);
    assert_ne!(shard, Tiny::ABSENT);

    gui.send(UiCommand::GoToCenter);
    gui.step();
    assert_eq!(gui.position(), Tiny::CENTER);
}

#[test]
fn the_context_menu_pins_the_probe_where_it_was_opened() {
    let (_tiny, mut gui) = opened(WIDE);
    let rect = gui.pane(SlicePlane::Xy);
    let at = rect.center() + vec2(50.0, 10.0);
    let voxel = gui.picture(SlicePlane::Xy).view.voxel_at([f64::from((at - rect.min).x), f64::from((at - rect.min).y)]);
    gui.hover_at(at);
    gui.button(at, PointerButton::Secondary, true);
    gui.button(at, PointerButton::Secondary, false);
    gui.steps(2);

    gui.click(Role::Button, "Pin probe here");
    gui.steps(2);

    assert_eq!(gui.state().probe.pinned, Some(voxel));
    gui.assert_says(&voxel.to_string());
}
