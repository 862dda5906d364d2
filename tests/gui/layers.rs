//! Selecting, hiding and displaying layers, and exact values.

use crate::support::{Gui, SIZES, Setup, Tiny, WIDE, value};
use chunkscope::geometry::SlicePlane;
use chunkscope::state::{AppCommand, UiCommand};
use egui::accesskit::Role;

use egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::kittest::Queryable as _;

fn opened(size: Vec2) -> (Tiny, Gui) {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).size(size).start();
    gui.settle();
    (tiny, gui)
}

fn grey(gui: &Gui) -> u8 {
    let [r, g, b] = gui.pixel(SlicePlane::Xy, Tiny::CENTER);
    assert_eq!((r, g), (g, b));
    r
}

#[test]
fn the_eye_hides_and_shows_a_layer() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        assert_eq!(grey(&gui), value::em(Tiny::CENTER));
        gui.click(Role::CheckBox, "em");
        gui.settle();
        assert_eq!(grey(&gui), 0);
        gui.click(Role::CheckBox, "em");
        gui.settle();
        assert_eq!(grey(&gui), value::em(Tiny::CENTER));
    }
}

#[test]
fn a_click_on_its_row_selects_a_layer_and_keys_go_on_from_there() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        let row = gui.rect(Role::ListItem, "rgb");
        gui.click_at(row.right_center() - vec2(60.0, 0.0));
        assert_eq!(gui.selected(), "rgb");
        gui.key_with(Modifiers::COMMAND, Key::ArrowDown);
        assert_eq!(gui.selected(), "field");
        gui.key_with(Modifiers::COMMAND, Key::ArrowUp);
        gui.key_with(Modifiers::COMMAND, Key::ArrowUp);
        assert_eq!(gui.selected(), "em16");
    }
}

#[test]
fn keys_show_and_hide_the_selected_layer_and_the_segmentation() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.key(Key::E);
    gui.settle();
    assert!(!gui.layer("em").display.visible);
    gui.key(Key::E);
    gui.key(Key::Num3);
    gui.settle();
    assert!(gui.layer("em").display.visible && gui.layer("cells").display.visible);
    let [r, g, b] = gui.pixel(SlicePlane::Xy, Tiny::CENTER);
    assert!(r != g || g != b, "a segment has a colour");
    gui.key(Key::Num3);
    gui.settle();
    assert!(!gui.layer("cells").display.visible);
}

#[test]
fn opacity_is_set_by_slider_and_number() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        gui.harness.get_by_role_and_label(Role::Slider, "Opacity").set_value_accesskit(50.0);
        gui.settle();
        assert_eq!(gui.layer("em").display.opacity, 0.5);
        let half = f64::from(value::em(Tiny::CENTER)) / 2.0;
        assert!((f64::from(grey(&gui)) - half).abs() <= 1.0, "{} of {half}", grey(&gui));

        gui.harness.get_by_role_and_label(Role::SpinButton, "Opacity").scroll_to_me();
        gui.steps(3);
        gui.enter_number("Opacity", "25");
        assert_eq!(gui.layer("em").display.opacity, 0.25);
    }
}

#[test]
fn the_window_is_set_by_numbers_and_buttons() {
    let (_tiny, mut gui) = opened(WIDE);
    let window = |gui: &Gui| (gui.layer("em").display.window.min(), gui.layer("em").display.window.max());
    assert_eq!(window(&gui), (0.0, 255.0));
    let stored = value::em(Tiny::CENTER);
    gui.enter_number("Min", &stored.to_string());
    gui.settle();
    assert_eq!(grey(&gui), 0, "the lower end is black");
    gui.enter_number("Max", &(stored + 1).to_string());
    gui.settle();
    assert_eq!(window(&gui), (f64::from(stored), f64::from(stored) + 1.0));
    assert_eq!(gui.pixel(SlicePlane::Xy, [49, 32, 32])[0], 255);

    gui.click(Role::Button, "Full range");
    gui.settle();
    assert_eq!(window(&gui), (0.0, 255.0));
    gui.click(Role::Button, "Auto");
    gui.settle();
    let (low, high) = window(&gui);
    assert!(low >= 19.0 && high <= 221.0 && high > low, "{low} to {high}");
}

#[test]
fn inverting_swaps_black_and_white() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.press(Role::CheckBox, "Invert");
    gui.settle();
    assert_eq!(grey(&gui), 255 - value::em(Tiny::CENTER));
}

#[test]
fn a_layer_of_16_bits_gets_its_window_from_what_is_on_screen() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.send(AppCommand::SelectLayer(1));
    gui.press(Role::CheckBox, "em");
    gui.press(Role::CheckBox, "em16");
    gui.until("a window", |gui| !gui.layer("em16").wants_auto_window);
    gui.settle();
    let window = gui.layer("em16").display.window;
    assert!(window.min() > 1000.0 && window.max() < 8000.0, "{window:?}");
    assert!((1..255).contains(&grey(&gui)));
}

#[test]
fn probe_and_status_bar_show_every_value_exactly() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for name in &Tiny::LAYERS[1..] {
            gui.press(Role::CheckBox, name);
        }
        for at in [Tiny::CENTER, [4, 33, 7], [5, 60, 63], [95, 0, 0]] {
            gui.send(AppCommand::SetPosition(at.into()));
            gui.settle();
            let [r, g, b] = value::rgb(at);
            let values = [
                ("em", "uint8", value::em(at).to_string()),
                ("em16", "uint16", value::em16(at).to_string()),
                ("rgb", "uint24", format!("{r}, {g}, {b}")),
                ("field", "float32", format!("{:?}", value::field(at))),
                ("cells", "uint32", value::cells(at).to_string()),
                ("cells64", "uint64", value::cells64(at).to_string()),
            ];
            for (name, class, text) in &values {
                assert_eq!(
                    gui.text_that_begins(&format!("{name} {class} ")).trim_end(),
                    format!("{name} {class} {text}"),
                    "probe at {at:?}"
                );
            }
            // The status bar shows what fits whole, and counts the rest.
            let texts = gui.texts();
            let shown = values.iter().filter(|(name, _, text)| texts.contains(&format!("{name} {text}"))).count();
            let is_counted = shown == values.len() || texts.contains(&format!("+{}", values.len() - shown));
            assert!(shown > 0 && is_counted, "status bar at {at:?}: {shown} values in {texts:#?}");
        }
        for (index, name) in Tiny::LAYERS.iter().enumerate() {
            let at = [5, 60, 63];
            gui.send(AppCommand::SelectLayer(index));
            gui.send(UiCommand::ShowOnlyLayer);
            gui.send(AppCommand::SetPosition(at.into()));
            gui.settle();
            let [r, g, b] = value::rgb(at);
            let text = match *name {
                "em" => value::em(at).to_string(),
                "em16" => value::em16(at).to_string(),
                "rgb" => format!("{r}, {g}, {b}"),
                "field" => format!("{:?}", value::field(at)),
                "cells" => value::cells(at).to_string(),
                "cells64" => value::cells64(at).to_string(),
                other => panic!("no expectation for {other}"),
            };
            let texts = gui.texts();
            assert!(texts.contains(&format!("{name} {text}")), "status bar: {name} {text}: {texts:#?}");
        }
    }
}

#[test]
fn the_pointer_s_voxel_is_probed_while_it_is_over_a_pane() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for plane in SlicePlane::ALL {
            let rect = gui.pane(plane);
            let at = rect.center() + vec2(-41.0, 17.0);
            let voxel = gui.picture(plane).view.voxel_at([f64::from((at - rect.min).x), f64::from((at - rect.min).y)]);
            gui.hover_at(at);
            gui.steps(3);
            let expected = value::em(voxel.to_array());
            assert_eq!(gui.text_that_begins("em uint8 ").trim_end(), format!("em uint8 {expected}"), "{plane}");
            assert!(gui.texts().contains(&format!("em {expected}")));
            assert_eq!(gui.state().probe.hover, Some((plane, voxel)));
        }
        gui.hover_at(egui::pos2(2.0, 2.0));
        gui.steps(2);
        assert_eq!(gui.state().probe.hover, None);
    }
}

#[test]
fn what_is_not_stored_is_said_so() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.send(AppCommand::SetPosition([80, 48, 48].into()));
    gui.settle();
    assert!(gui.coverage(SlicePlane::Xy).missing > 0);
    gui.assert_says("em, not stored");
    assert!(gui.text_that_begins("em uint8 ").contains("not stored"));
}
