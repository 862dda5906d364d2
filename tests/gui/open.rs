//! Opening, closing and what goes on meanwhile.

use crate::builders::small_dataset;
use crate::support::{SIZES, Setup, Slow, SlowOpener, Tiny};
use chunkscope::app::FirstView;
use chunkscope::geometry::{Mag, SlicePlane, Vec3Int};
use chunkscope::state::{AppCommand, UiCommand};
use chunkscope::storage::LocalOpener;
use egui::accesskit::Role;
use egui::{Event, Key};
use std::time::{Duration, Instant};

#[test]
fn a_dataset_named_on_the_command_line_opens_and_every_pane_gets_sharp() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = Setup::of(tiny.path()).size(size).start();

        gui.settle();

        let names: Vec<_> = gui.dataset().layers.iter().map(|layer| layer.layer().name.as_str()).collect();
        assert_eq!(names, Tiny::LAYERS);
        assert_eq!(gui.position(), Tiny::CENTER);
        for plane in SlicePlane::ALL {
            let coverage = gui.coverage(plane);
            assert_eq!((coverage.pending, coverage.coarse, coverage.failed), (0, 0, 0), "{plane}");
            assert!(coverage.exact > 0, "{plane}");
        }
        assert!(gui.dataset().problems.is_empty(), "{:?}", gui.dataset().problems);
        gui.assert_says("96 × 64 × 64 voxels");
    }
}

#[test]
fn layer_mag_position_and_zoom_of_the_command_line_are_shown() {
    let tiny = Tiny::new();
    let first_view = FirstView {
        path: Some(tiny.path()),
        layer: Some("cells".to_owned()),
        mag: Mag::new(2, 2, 2).map(Into::into),
        position: Some(Vec3Int::new(10, 20, 30)),
        zoom: Some(0.5),
        ..FirstView::default()
    };
    let mut gui = Setup { first_view, ..Setup::default() }.start();

    gui.settle();

    assert_eq!((gui.selected(), gui.mag(), gui.position(), gui.zoom()), ("cells", 2, [10, 20, 30], 0.5));
    assert!(gui.layer("cells").display.visible);
}

#[test]
fn a_path_pasted_on_the_welcome_page_opens_with_enter() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = Setup::default().size(size).start();
        gui.step();
        gui.assert_says("Drop a folder or file anywhere in this window");

        gui.event(Event::Paste(format!("\"{}\"\n", tiny.path().display())));
        gui.step();
        gui.key(Key::Enter);
        gui.settle();

        assert_eq!(gui.dataset().dataset.path, tiny.path());
    }
}

#[test]
fn a_path_typed_on_the_welcome_page_opens_with_enter() {
    let tiny = Tiny::new();
    let mut gui = Setup::default().start();

    gui.click(Role::TextInput, "Path");
    gui.type_text(tiny.path().to_str().expect("UTF-8"));
    gui.key(Key::Enter);
    gui.settle();

    assert_eq!(gui.dataset().dataset.path, tiny.path());
}

#[test]
fn a_dropped_folder_opens_and_a_dropped_shard_is_centred() {
    let tiny = Tiny::new();
    let mut gui = Setup::default().start();

    gui.drop_path(&tiny.path());
    gui.settle();
    assert_eq!(gui.dataset().layers.len(), 6);

    gui.drop_path(&tiny.file("em/1/z0/y1/x2.wkw"));
    gui.until("the shard is shown", |gui| gui.state().dataset.as_ref().is_some_and(|open| open.dataset.focus.is_some()));
    gui.settle();
    assert_eq!((gui.selected(), gui.position()), ("em", [80, 48, 16]));
}

#[test]
fn a_wrong_path_keeps_the_open_dataset_and_says_why() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = Setup::of(tiny.path()).size(size).start();
        gui.settle();

        gui.send(AppCommand::Open("/nowhere/at all".into()));
        gui.until("the message", |gui| gui.state().open_error.is_some());
        gui.step();

        assert_eq!((gui.dataset().dataset.path.clone(), gui.position()), (tiny.path(), Tiny::CENTER));
        gui.assert_says("Can't open: no such file or folder: /nowhere/at all");
        assert!(gui.coverage(SlicePlane::Xy).exact > 0);

        // A good path afterwards takes the message away.
        gui.send(AppCommand::Open(tiny.path()));
        gui.settle();
        assert!(!gui.says("Can't open: no such file or folder"));
    }
}

#[test]
fn a_wrong_path_on_the_welcome_page_is_answered_there_and_offers_what_lies_nearby() {
    let tiny = Tiny::new();
    let parent = tiny.path().parent().expect("a parent").join("outer");
    std::fs::create_dir_all(parent.join("notes")).expect("made");
    std::fs::rename(tiny.path(), parent.join("tiny")).expect("moved");
    let mut gui = Setup::of(&parent).start();

    gui.until("the message", |gui| gui.state().open_error.is_some());
    gui.step();
    gui.assert_says("Can't open: neither datasource-properties.json");

    gui.press_first(Role::Button, "Open /");
    gui.settle();
    assert_eq!(gui.dataset().dataset.path, parent.join("tiny"));
}

#[test]
fn the_title_names_dataset_layer_and_position() {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).start();
    gui.settle();
    assert_eq!(gui.state().window_title(), "Chunkscope – tiny – em – 48, 32, 32");

    gui.wheel(SlicePlane::Xy, 1.0);
    gui.step();
    let z = gui.position()[2];
    assert_ne!(z, 32);
    assert_eq!(gui.title(), format!("Chunkscope – tiny – em – 48, 32, {z}"));

    gui.send(AppCommand::SelectLayer(4));
    gui.step();
    assert_eq!(gui.title(), format!("Chunkscope – tiny – cells – 48, 32, {z}"));

    gui.send(UiCommand::CloseDataset);
    gui.step();
    assert_eq!(gui.title(), "Chunkscope");
}

#[test]
fn of_two_datasets_opened_at_once_the_second_stays_a_hundred_times() {
    let dir = tempfile::tempdir().expect("a folder");
    let [a, b] = ["a", "b"].map(|name| dir.path().join(name));
    small_dataset(&a);
    small_dataset(&b);
    let mut gui = Setup::default().start();
    for i in 0..100 {
        gui.app().send(AppCommand::Open(a.clone()));
        gui.app().send(AppCommand::Open(b.clone()));
        // Sometimes the first result is there before the second was asked for.
        gui.steps(i % 4);

        gui.until("opened", |gui| gui.state().opening.is_none() && gui.state().dataset.is_some());

        assert_eq!(gui.dataset().dataset.path, b, "round {i}");
    }
    gui.settle();
    gui.steps(20);
    assert_eq!(gui.dataset().dataset.path, b);
    assert_eq!(gui.dataset().bounds(), crate::builders::small_box());
    assert!(gui.titles.iter().all(|title| !title.contains("– a –")), "{:?}", gui.titles);
}

#[test]
fn closing_while_chunks_load_leaves_the_welcome_page_and_the_dataset_can_be_opened_again() {
    let tiny = Tiny::new();
    let slow = Slow::new(Duration::from_millis(200), false);
    let opener = SlowOpener { inner: LocalOpener::default(), slow: slow.clone() };
    let mut gui = Setup::of(tiny.path()).opener(opener).start();
    gui.until("opened", |gui| gui.state().dataset.is_some());
    slow.switch(true);
    gui.send(AppCommand::SetPosition(Vec3Int::new(4, 4, 4)));
    gui.send(UiCommand::ToggleSegmentation);
    gui.until("loading", |gui| gui.app().feed().loader().pending().visible > 0);

    gui.send(UiCommand::CloseDataset);
    gui.step();
    assert!(gui.state().dataset.is_none());
    gui.assert_says("Drop a folder or file anywhere in this window");
    gui.until("nothing is wanted", |gui| gui.app().feed().loader().pending().total() == 0);

    slow.switch(false);
    gui.send(AppCommand::Open(tiny.path()));
    gui.settle();
    assert_eq!(gui.position(), [4, 4, 4], "a dataset opens where it was left");
}

#[test]
fn closing_the_window_while_chunks_load_does_not_wait_for_them() {
    let tiny = Tiny::new();
    let slow = Slow::new(Duration::from_secs(3), false);
    let opener = SlowOpener { inner: LocalOpener::default(), slow: slow.clone() };
    let mut gui = Setup::of(tiny.path()).opener(opener).start();
    gui.until("opened", |gui| gui.state().dataset.is_some());
    slow.switch(true);
    gui.send(UiCommand::ToggleSegmentation);
    gui.until("loading", |gui| gui.app().feed().loader().pending().visible > 0);

    let start = Instant::now();
    drop(gui);

    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn escape_cancels_opening_and_keeps_what_is_open() {
    let tiny = Tiny::new();
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let slow = Slow::new(Duration::from_millis(300), false);
    let opener = SlowOpener { inner: LocalOpener::default(), slow: slow.clone() };
    let mut gui = Setup::of(tiny.path()).opener(opener).start();
    gui.settle();

    slow.switch(true);
    gui.send(AppCommand::Open(dir.path().to_owned()));
    gui.step();
    gui.assert_says(&format!("Opening {}", dir.path().display()));
    gui.key(Key::Escape);
    gui.steps(2);

    assert!(gui.state().opening.is_none());
    let start = Instant::now();
    gui.until("its result would be there", |_| start.elapsed() > Duration::from_secs(1));
    assert_eq!(gui.dataset().dataset.path, tiny.path());
}

#[test]
fn reloading_keeps_the_place_and_shows_what_the_files_hold_now() {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).start();
    gui.settle();
    gui.send(AppCommand::SetPosition(Vec3Int::new(10, 10, 10)));
    gui.settle();
    let before = gui.pixel(SlicePlane::Xy, [10, 10, 10]);
    std::fs::copy(tiny.file("em/1/z0/y0/x1.wkw"), tiny.file("em/1/z0/y0/x0.wkw")).expect("replaced");

    gui.key(Key::F5);
    gui.until("reloaded", |gui| gui.app().feed().image(SlicePlane::Xy).is_some() && gui.pixel(SlicePlane::Xy, [10, 10, 10]) != before);
    gui.settle();

    assert_eq!(gui.position(), [10, 10, 10]);
    let stored = crate::support::value::em([42, 10, 10]);
    assert_eq!(gui.pixel(SlicePlane::Xy, [10, 10, 10]), [stored; 3]);
}

#[test]
fn a_closed_dataset_is_on_the_welcome_page_and_opens_from_there() {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).start();
    gui.settle();
    gui.send(UiCommand::CloseDataset);
    gui.steps(2);

    gui.click(Role::Button, "Open tiny");
    gui.settle();

    assert_eq!(gui.dataset().dataset.path, tiny.path());
}
