//! Panels by their accessible names, header, layout, themes.

use crate::support::{Gui, SIZES, Setup, Tiny, WIDE};
use chunkscope::geometry::SlicePlane;
use chunkscope::state::{AppCommand, BottomTab, InspectorTab, TextScale, ThemeChoice, UiCommand};
use egui::Vec2;
use egui::accesskit::Role;

fn opened(size: Vec2) -> (Tiny, Gui) {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).size(size).start();
    gui.settle();
    (tiny, gui)
}

#[test]
fn every_panel_is_found_by_its_name_and_every_control_has_one() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        for plane in ["XY", "YZ", "XZ"] {
            assert!(gui.has(Role::Image, &format!("{plane} view")), "{plane}");
            assert!(gui.has(Role::Button, &format!("Maximize {plane}")), "{plane}");
        }
        for (role, name) in [
            (Role::Heading, "Dataset"),
            (Role::Heading, "Contrast"),
            (Role::Image, "Histogram"),
            (Role::TabList, "Inspector"),
            (Role::Button, "Search commands"),
            (Role::CheckBox, "Chunk grid"),
            (Role::Slider, "Opacity"),
            (Role::ComboBox, "Colormap"),
        ] {
            assert!(gui.has(role, name), "{role:?} {name} at {size}");
        }
        gui.until("the map", |gui| gui.texts().iter().any(|text| text.starts_with("Map of em")));
        for menu in ["File", "View", "Layer", "Tools", "Help"] {
            gui.assert_says(menu);
        }
        for (tab, sign) in [("Header", "WKW header"), ("Layout", "Storage"), ("Problems", "Nothing is wrong"), ("Probe", "Values")] {
            gui.click(Role::Tab, tab);
            gui.until(tab, |gui| gui.says(sign));
            gui.check_names();
        }
        for (tab, name) in [(BottomTab::Log, "Filter log"), (BottomTab::Throughput, "Time span")] {
            gui.send(AppCommand::ShowBottom(tab));
            gui.steps(2);
            assert!(gui.has(Role::TabList, "Bottom panel"));
            gui.assert_says(name);
            gui.check_names();
        }
        for (command, title) in [(UiCommand::ShowShortcuts, "Keyboard shortcuts"), (UiCommand::ShowAbout, "About Chunkscope")] {
            gui.send(command);
            gui.steps(3);
            assert!(gui.has(Role::Dialog, title));
            gui.check_names();
            gui.key(egui::Key::Escape);
            gui.steps(2);
            assert!(!gui.has(Role::Dialog, title));
        }
    }
}

#[test]
fn the_header_shows_raw_bytes_beside_their_meaning() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        gui.click(Role::Tab, "Header");
        gui.steps(3);
        // Magic, version, 8³ chunks and 4³ of them a shard, LZ4, uint8, 1 byte.
        gui.assert_says("57 4b 57 01 23 02 01 01");
        for text in ["WKW header", "magic", "perDimLog2", "each chunk is one LZ4 block, found by the jump table", "header.wkw"] {
            gui.assert_says(text);
        }
        gui.assert_says("datasource-properties.json");
        gui.assert_says("em16.elementClass");
        gui.press(Role::Button, "Copy WKW header");
        gui.steps(2);
        assert!(gui.copied.iter().any(|text| text.contains("magic\t57 4b 57\tWKW")), "{:?}", gui.copied);
    }
}

#[test]
fn the_layout_lists_present_and_absent_shards_and_the_chunks_of_the_chosen_one() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        gui.click(Role::Tab, "Layout");
        gui.until("looked at", |gui| gui.state().layout.total == 12 && !gui.state().layout.is_scanning);
        assert_eq!(gui.state().layout.present(), 11);
        gui.steps(2);

        gui.press_first(Role::RadioButton, "Shards Missing");
        gui.assert_says("Shard 2, 1, 1, missing");
        assert!(!gui.texts().iter().any(|text| text.starts_with("Shard 0, 0, 0, ")));
        gui.press(Role::ListItem, "Shard 2, 1, 1, missing");
        gui.steps(3);
        gui.assert_says("Not stored, so it is all fill value");

        gui.press_first(Role::RadioButton, "Shards Present");
        gui.press_first(Role::ListItem, "Shard 0, 0, 0, ");
        gui.until("its chunks", |gui| matches!(gui.state().layout.chunks, Some(Ok(_))));
        gui.step();
        let chunk = gui.text_that_begins("Chunk 0, 0, 0, order 0, ");
        assert!(chunk.contains("at 528") && chunk.ends_with("Present"), "{chunk}");
        gui.press_first(Role::ListItem, "Chunk 0, 0, 0, order 0, ");
        assert!(gui.state().layout.selected_chunk.is_some());
        gui.press(Role::Button, "Go there");
        gui.settle();
        assert_eq!(gui.position(), [4, 4, 4]);
    }
}

#[test]
fn the_layout_follows_the_layer_and_mag_on_screen() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.click(Role::Tab, "Layout");
    gui.until("em, mag 1", |gui| gui.state().layout.total == 12 && !gui.state().layout.is_scanning);
    gui.press(Role::ListItem, "em mag 2");
    gui.until("em, mag 2", |gui| gui.state().layout.total == 2 && !gui.state().layout.is_scanning);
    gui.send(AppCommand::SelectLayer(5));
    gui.until("cells64", |gui| gui.state().layout.total == 12 && !gui.state().layout.is_scanning);
    assert_eq!(gui.state().layout.present(), 12);
}

#[test]
fn the_probe_says_where_the_voxel_s_chunk_lies() {
    for size in SIZES {
        let (tiny, mut gui) = opened(size);
        gui.send(AppCommand::SetPosition([4, 4, 4].into()));
        gui.settle();
        gui.until("located", |gui| gui.state().probe.located.as_ref().is_some_and(|located| located.chunk.0 == [0, 0, 0].into()));
        gui.step();
        gui.assert_says("In memory");
        gui.assert_says(&tiny.file("em/1/z0/y0/x0.wkw").display().to_string());
        gui.assert_says("528 – ");
        gui.assert_says("40.000, 40.000, 80.000 nm");
        gui.press(Role::Button, "Copy as command");
        gui.steps(2);
        let command = gui.copied.last().expect("copied");
        assert!(command.ends_with("--layer em --mag 1 --offset 4,4,4 --shape 1,1,1"), "{command}");
    }
}

#[test]
fn a_tab_that_is_chosen_stays_chosen_in_the_next_run() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.click(Role::Tab, "Layout");
    gui.steps(2);
    let settings = gui.app().settings();
    assert_eq!(settings.inspector_tab, InspectorTab::Layout);
    assert_eq!(settings.recents.len(), 1);
}

#[test]
fn dark_and_light_are_switched_and_the_slices_stay_as_they_are() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        let before = gui.pixel(SlicePlane::Xy, Tiny::CENTER);
        let ground = |gui: &Gui| gui.harness.ctx.global_style().visuals.panel_fill;
        let dark = ground(&gui);

        gui.send(UiCommand::ToggleTheme);
        gui.steps(3);
        assert_eq!(gui.state().settings.theme, ThemeChoice::Light);
        assert_eq!(gui.harness.ctx.theme(), egui::Theme::Light);
        let light = ground(&gui);
        assert!(light.r() > dark.r() + 100, "{dark:?} to {light:?}");
        assert_eq!(gui.pixel(SlicePlane::Xy, Tiny::CENTER), before);

        gui.send(UiCommand::ToggleTheme);
        gui.steps(3);
        assert_eq!(ground(&gui), dark);
    }
}

#[test]
fn larger_text_makes_everything_larger_and_nothing_unreachable() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        gui.send(UiCommand::LargerText);
        gui.send(UiCommand::LargerText);
        gui.steps(3);
        assert_eq!(gui.state().settings.text, TextScale::Larger);
        gui.settle();
        for plane in SlicePlane::ALL {
            assert!(gui.coverage(plane).exact > 0, "{plane}");
        }
        for tab in ["Header", "Layout", "Probe", "Problems"] {
            let is_there = gui.has(Role::Tab, tab) || gui.has(Role::Button, &format!("Show {}", tab.to_lowercase()));
            assert!(is_there, "{tab} at {size}");
        }
    }
}

#[test]
fn panels_fold_and_unfold() {
    let (_tiny, mut gui) = opened(WIDE);
    let pane = gui.pane(SlicePlane::Xy).width();
    gui.key(egui::Key::K);
    gui.key(egui::Key::L);
    gui.key(egui::Key::T);
    gui.settle();
    assert!(gui.pane(SlicePlane::Xy).width() > pane + 100.0);
    assert!(!gui.has(Role::TabList, "Inspector") && !gui.has(Role::TabList, "Bottom panel"));
    gui.click(Role::Button, "Show layout");
    gui.steps(3);
    assert!(gui.has(Role::TabList, "Inspector"));
    gui.click(Role::Button, "Show left panel");
    gui.click(Role::Button, "Unfold bottom panel");
    gui.steps(3);
    assert!(gui.has(Role::Heading, "Dataset") && gui.has(Role::TabList, "Bottom panel"));
}
