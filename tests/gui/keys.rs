//! The command palette, shortcuts and typing.

use crate::support::{Gui, SIZES, Setup, Tiny, WIDE};
use chunkscope::geometry::SlicePlane;
use chunkscope::state::UiCommand;
use egui::accesskit::Role;

use egui::{Event, Key, Modifiers, Vec2};
use egui_kittest::kittest::Queryable as _;

fn opened(size: Vec2) -> (Tiny, Gui) {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).size(size).start();
    gui.settle();
    (tiny, gui)
}

/// A letter as a keyboard sends it: the key and its text.
fn letter(gui: &mut Gui, key: Key, text: &str) {
    gui.event(Event::Key { key, pressed: true, modifiers: Modifiers::NONE, repeat: false, physical_key: None });
    gui.event(Event::Text(text.to_owned()));
    gui.event(Event::Key { key, pressed: false, modifiers: Modifiers::NONE, repeat: false, physical_key: None });
}

#[test]
fn the_palette_finds_a_command_by_a_few_letters_and_runs_it() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        assert!(!gui.state().settings.overlays.chunk_grid);
        gui.key_with(Modifiers::COMMAND, Key::P);
        gui.steps(2);
        gui.type_text("chgrid");
        gui.step();
        assert!(gui.has(Role::ListBoxOption, "Chunk grid") && !gui.has(Role::ListBoxOption, "Zoom in"));
        gui.key(Key::Enter);
        gui.steps(2);
        assert!(gui.state().settings.overlays.chunk_grid);
        assert!(!gui.state().panels.palette);

        // By the field in the bar, the arrow keys and the mouse as well.
        gui.click(Role::Button, "Search commands");
        gui.steps(2);
        gui.type_text("shard grid");
        gui.step();
        gui.click(Role::ListBoxOption, "Shard grid");
        gui.steps(2);
        assert!(gui.state().settings.overlays.shard_grid);
        gui.key_with(Modifiers::COMMAND, Key::P);
        gui.steps(2);
        gui.key(Key::Escape);
        gui.steps(2);
        assert!(!gui.state().panels.palette);
    }
}

#[test]
fn without_a_dataset_the_palette_lists_only_what_makes_sense() {
    let mut gui = Setup::default().start();
    gui.key_with(Modifiers::COMMAND, Key::P);
    gui.steps(3);
    assert!(gui.has(Role::ListBoxOption, "Open folder…") && !gui.has(Role::ListBoxOption, "Next slice"));
}

#[test]
fn a_path_is_opened_from_the_palette() {
    let tiny = Tiny::new();
    let mut gui = Setup::default().start();
    gui.key_with(Modifiers::COMMAND, Key::P);
    gui.steps(2);
    gui.event(Event::Paste(tiny.path().display().to_string()));
    gui.steps(2);
    assert!(gui.has(Role::ListBoxOption, &format!("Open {}", tiny.path().display())));
    gui.key(Key::Enter);
    gui.until("opened", |gui| gui.state().dataset.is_some());
    assert!(!gui.state().panels.palette);
}

#[test]
fn the_palette_has_its_height_again_after_a_search_without_a_result() {
    let mut gui = Setup::default().start();
    gui.key_with(Modifiers::COMMAND, Key::P);
    gui.steps(3);
    gui.type_text("zzqq");
    gui.steps(3);
    gui.key(Key::Escape);
    gui.steps(3);
    gui.key_with(Modifiers::COMMAND, Key::P);
    gui.steps(3);
    gui.click(Role::ListBoxOption, UiCommand::ShowAbout.text()); // the last line, which a small palette cuts off
    gui.steps(3);
    assert!(gui.state().panels.about);
}

#[test]
fn letters_that_are_typed_start_nothing() {
    let (_tiny, mut gui) = opened(WIDE);
    let before = (gui.position(), gui.zoom(), gui.state().settings.clone());
    gui.key_with(Modifiers::COMMAND, Key::P);
    gui.steps(2);
    for (key, text) in [(Key::F, "f"), (Key::I, "i"), (Key::C, "c"), (Key::L, "l"), (Key::Num3, "3"), (Key::Period, ".")] {
        letter(&mut gui, key, text);
    }
    gui.key(Key::Escape);
    gui.steps(2);
    assert_eq!((gui.position(), gui.zoom(), gui.state().settings.clone()), before);

    gui.click(Role::Tab, "Layout");
    gui.until("the filter", |gui| gui.has(Role::TextInput, "Filter shards"));
    let before = (gui.position(), gui.state().settings.clone());
    gui.click(Role::TextInput, "Filter shards");
    letter(&mut gui, Key::F, "f");
    letter(&mut gui, Key::X, "x");
    gui.steps(2);
    assert_eq!((gui.position(), gui.state().settings.clone()), before);
    assert_eq!(gui.harness.get_by_role_and_label(Role::TextInput, "Filter shards").value().as_deref(), Some("fx"));

    // Number fields are typed into as well.
    gui.click(Role::SpinButton, "x position");
    gui.steps(2);
    letter(&mut gui, Key::F, "f");
    gui.steps(2);
    assert_eq!(gui.position(), before.0);
    gui.key(Key::Escape);
    gui.steps(2);
    letter(&mut gui, Key::F, "f");
    gui.steps(2);
    assert_ne!(gui.position(), before.0, "and no longer once the field is left");
}

#[test]
fn every_switch_has_its_key() {
    let (_tiny, mut gui) = opened(WIDE);
    let overlays = |gui: &Gui| gui.state().settings.overlays;
    for (modifiers, key, is_on) in [
        (Modifiers::NONE, Key::X, (|gui: &Gui| gui.state().settings.overlays.crosshair) as fn(&Gui) -> bool),
        (Modifiers::NONE, Key::G, |gui| gui.state().settings.overlays.chunk_grid),
        (Modifiers::SHIFT, Key::G, |gui| gui.state().settings.overlays.shard_grid),
        (Modifiers::NONE, Key::K, |gui| gui.state().settings.left_panel),
        (Modifiers::NONE, Key::L, |gui| gui.state().settings.inspector),
        (Modifiers::NONE, Key::F1, |gui| gui.state().panels.shortcuts),
    ] {
        let before = is_on(&gui);
        gui.key_with(modifiers, key);
        gui.steps(2);
        assert_ne!(is_on(&gui), before, "{modifiers:?} {key:?}: {:?}", overlays(&gui));
    }
}

#[test]
fn the_list_of_keys_names_every_command_that_has_one_and_closes_with_escape() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.key(Key::F1);
    gui.steps(3);
    for command in [UiCommand::NextSlice, UiCommand::ZoomIn, UiCommand::OpenFolder, UiCommand::ToggleChunkGrid] {
        gui.assert_says(command.text());
    }
    let z = gui.position()[2];
    gui.key(Key::F);
    assert_eq!(gui.position()[2], z, "keys belong to the dialog");
    gui.key(Key::Escape);
    gui.steps(2);
    assert!(!gui.state().panels.shortcuts);
}

#[test]
fn positions_and_ids_are_copied() {
    let (_tiny, mut gui) = opened(WIDE);
    gui.key_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::C);
    gui.steps(2);
    assert_eq!(gui.copied.last().map(String::as_str), Some("48, 32, 32"));

    gui.press(Role::CheckBox, "cells64");
    gui.settle();
    let rect = gui.pane(SlicePlane::Xy);
    gui.hover_at(rect.center());
    gui.steps(2);
    let (_, voxel) = gui.state().probe.hover.expect("over the pane");
    gui.key_with(Modifiers::COMMAND, Key::I);
    gui.steps(2);
    let id = crate::support::value::cells64(voxel.to_array()).to_string();
    assert_eq!(gui.copied.last(), Some(&id));
}

#[test]
fn menus_start_commands() {
    for size in SIZES {
        let (_tiny, mut gui) = opened(size);
        gui.click(Role::Button, "View");
        gui.steps(2);
        gui.click(Role::MenuItemCheckBox, "Shard grid");
        gui.steps(2);
        assert!(gui.state().settings.overlays.shard_grid);
    }
}
