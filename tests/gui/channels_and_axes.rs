//! Layers of several channels, axes beyond x, y and z, paths with several datasets, and single planes.

use crate::support::{Gui, SIZES, Setup, WIDE};
use crate::synthetic::{Reads, Synthetic, dataset};
use chunkscope::format::{ChannelConfiguration, Choice, LayerConfiguration, OpenError};
use chunkscope::geometry::{SlicePlane, Vec3Int};
use chunkscope::state::{AppCommand, UiCommand};
use chunkscope::voxel::{ElementClass, VoxelType};
use egui::accesskit::Role;
use egui::{Key, Modifiers, Vec2};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const CENTER: [i64; 3] = [24, 20, 16];

/// Two channels of 8 bits, and a series of 13 pictures: the first channel says which, the second where along x.
fn series() -> Synthetic {
    let channel = |name: &str, color| ChannelConfiguration { name: Some(name.to_owned()), color: Some(color), ..Default::default() };
    Synthetic {
        shape: [48, 40, 32],
        voxel_type: VoxelType { class: ElementClass::Uint8, channels: 2 },
        axes: vec![("t", 13)],
        configuration: LayerConfiguration {
            channels: vec![channel("DAPI", [0, 0, 255]), channel("GFP", [0, 255, 0])],
            ..Default::default()
        },
        value: Arc::new(|pos, positions| vec![10 * positions[0] as u8, pos.x as u8]),
    }
}

fn opened(size: Vec2, layer: impl Fn() -> Synthetic + Send + Sync + 'static) -> (Reads, Gui) {
    let reads = Reads::default();
    let shared = reads.clone();
    let setup = Setup::of("/synthetic").size(size).opened_by(move |path| Ok(dataset(path, vec![layer().layer("cells", &shared)])));
    let mut gui = setup.start();
    gui.settle();
    (reads, gui)
}

fn middle(gui: &Gui) -> [u8; 3] {
    gui.pixel(SlicePlane::Xy, CENTER)
}

#[test]
fn channels_are_shown_and_hidden_by_name() {
    for size in SIZES {
        let (_, mut gui) = opened(size, series);
        gui.send(AppCommand::SetAxis { axis: "t".to_owned(), position: 5 });
        gui.settle();
        assert_eq!(middle(&gui), [0, 24, 50]);
        gui.press(Role::CheckBox, "GFP");
        gui.settle();
        assert_eq!(middle(&gui), [0, 0, 50]);
        gui.press(Role::CheckBox, "DAPI");
        gui.press(Role::CheckBox, "GFP");
        gui.settle();
        assert_eq!(middle(&gui), [0, 24, 0]);
        gui.assert_says("GFP 24");
        gui.check_names();
    }
}

#[test]
fn the_window_is_that_of_the_selected_channel() {
    let (_, mut gui) = opened(WIDE, series);
    gui.click(Role::ListItem, "GFP");
    gui.steps(3);
    gui.enter_number("Max", "48");
    gui.settle();
    assert_eq!(middle(&gui), [0, 128, 0]);
    let channels = &gui.layer("cells").display.channels;
    assert_eq!((channels[0].window.max(), channels[1].window.max()), (255.0, 48.0));
    gui.click(Role::Button, "Auto");
    gui.settle();
    let (low, high) = (gui.layer("cells").display.channels[1].window.min(), gui.layer("cells").display.channels[1].window.max());
    assert!((0.0..3.0).contains(&low) && (44.0..48.0).contains(&high), "{low} to {high}");
}

#[test]
fn wide_channels_get_a_window_each_from_what_is_on_screen() {
    let wide = || Synthetic {
        voxel_type: VoxelType { class: ElementClass::Uint16, channels: 4 },
        axes: Vec::new(),
        configuration: LayerConfiguration::default(),
        value: Arc::new(|pos, _| {
            let x = pos.x as u16;
            [x, 1000 + 10 * x, 0, 5].iter().flat_map(|v| v.to_le_bytes()).collect()
        }),
        ..series()
    };
    let (_, mut gui) = opened(WIDE, wide);
    gui.until("windows", |gui| gui.layer("cells").channels_without_window == [false, false, true, false]);
    let channels = &gui.layer("cells").display.channels;
    assert!(channels[0].window.max() < 50.0 && channels[1].window.min() >= 1000.0 && channels[1].window.max() < 1500.0);
    gui.settle();
}

#[test]
fn the_slider_of_an_axis_changes_the_picture_and_going_back_reads_nothing() {
    for size in SIZES {
        let (reads, mut gui) = opened(size, series);
        assert_eq!(middle(&gui), [0, 24, 0]);
        gui.assert_says("t 0 / 12");
        gui.enter_number("t", "3");
        gui.settle();
        assert_eq!(middle(&gui), [0, 24, 30]);
        gui.assert_says("t 3 / 12");
        gui.press(Role::Button, "Next t");
        gui.settle();
        assert_eq!(middle(&gui), [0, 24, 40]);
        let read = reads.lock().expect("not poisoned").len();
        gui.press(Role::Button, "Previous t");
        gui.settle();
        assert_eq!(middle(&gui), [0, 24, 30]);
        gui.enter_number("t", "0");
        gui.settle();
        assert_eq!((middle(&gui), reads.lock().expect("not poisoned").len()), ([0, 24, 0], read));
        gui.check_names();
    }
}

#[test]
fn the_old_picture_stays_until_the_new_one_is_there() {
    let is_open = Arc::new(AtomicBool::new(false));
    let gate = is_open.clone();
    let gated = move || {
        let gate = gate.clone();
        let value = move |pos: Vec3Int, positions: &[u64]| {
            while positions[0] == 1 && !gate.load(Ordering::SeqCst) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            vec![10 * positions[0] as u8, pos.x as u8]
        };
        Synthetic { value: Arc::new(value), ..series() }
    };
    let (_, mut gui) = opened(WIDE, gated);
    gui.send(AppCommand::SetAxis { axis: "t".to_owned(), position: 1 });
    gui.until("awaited chunks", |gui| gui.app().feed().loader().pending().visible > 0);
    gui.steps(20);
    assert_eq!((middle(&gui), gui.coverage(SlicePlane::Xy).pending), ([0, 24, 0], 0));
    is_open.store(true, Ordering::SeqCst);
    gui.settle();
    assert_eq!(middle(&gui), [0, 24, 10]);
}

#[test]
fn keys_step_along_the_first_axis_and_stop_at_its_ends() {
    let (_, mut gui) = opened(WIDE, series);
    let at = |gui: &Gui| gui.dataset().positions.get("t");
    gui.key(Key::B);
    assert_eq!(at(&gui), 0);
    gui.key(Key::N);
    gui.key(Key::N);
    gui.steps(2);
    assert_eq!(at(&gui), 2);
    gui.send(AppCommand::SetAxis { axis: "t".to_owned(), position: 99 });
    gui.steps(2);
    assert_eq!(at(&gui), 12);
    gui.key(Key::N);
    gui.settle();
    assert_eq!((at(&gui), middle(&gui)), (12, [0, 24, 120]));
    gui.send(UiCommand::CopyReadCommand);
    gui.steps(2);
    assert!(gui.copied.last().is_some_and(|text| text.contains(" --axis t=12 ")), "{:?}", gui.copied);
}

#[test]
fn the_place_along_an_axis_is_remembered() {
    let (_, mut gui) = opened(WIDE, series);
    gui.send(AppCommand::SetAxis { axis: "t".to_owned(), position: 7 });
    gui.settle();
    gui.send(UiCommand::Reload);
    gui.until("reloaded", |gui| gui.state().opening.is_none());
    gui.settle();
    assert_eq!((gui.dataset().positions.get("t"), middle(&gui)), (7, [0, 24, 70]));
}

#[test]
fn datasets_without_further_axes_have_no_bar_for_them() {
    let (_, gui) = opened(WIDE, || Synthetic { axes: vec![("t", 1)], ..series() });
    assert!(!gui.has(Role::Button, "Next t") && !gui.says("t 0 / 0"));
}

/// Opens 30 fields, each of which is a dataset.
fn plate() -> Gui {
    let reads = Reads::default();
    Setup::of("/plate")
        .opened_by(move |path| {
            if path.components().count() > 2 {
                return Ok(dataset(path, vec![series().layer("cells", &reads)]));
            }
            let choices = (0..30).map(|i| format!("A/{i}/0")).map(|name| Choice { path: path.join(&name), name }).collect();
            Err(OpenError::Choose { path: path.to_owned(), what: "30 fields".to_owned(), choices })
        })
        .start()
}

#[test]
fn one_of_several_datasets_is_chosen_with_the_keyboard() {
    let mut gui = plate();
    gui.until("the choice", |gui| gui.has(Role::Dialog, "Choose a dataset"));
    gui.assert_says("30 fields");
    gui.steps(3);
    gui.type_text("/2");
    gui.steps(2);
    assert!(!gui.has(Role::ListBoxOption, "A/1/0") && gui.has(Role::ListBoxOption, "A/2/0"));
    gui.key(Key::ArrowDown);
    gui.key(Key::Enter);
    gui.until("the dataset", |gui| gui.state().dataset.is_some());
    assert_eq!(gui.dataset().dataset.path, PathBuf::from("/plate/A/20/0"));
    gui.settle();
    assert!(!gui.has(Role::Dialog, "Choose a dataset"));
}

#[test]
fn a_choice_can_be_declined_and_keys_do_nothing_else_meanwhile() {
    let mut gui = plate();
    gui.until("the choice", |gui| gui.has(Role::Dialog, "Choose a dataset"));
    gui.key_with(Modifiers::COMMAND, Key::P);
    assert!(!gui.state().panels.palette);
    gui.key(Key::Escape);
    gui.steps(3);
    assert!(!gui.has(Role::Dialog, "Choose a dataset") && gui.state().dataset.is_none());
    gui.drop_path(&PathBuf::from("/plate"));
    gui.until("the choice", |gui| gui.has(Role::Dialog, "Choose a dataset"));
    gui.press(Role::ListBoxOption, "A/1/0");
    gui.until("the dataset", |gui| gui.state().dataset.is_some());
    assert_eq!(gui.dataset().dataset.path, PathBuf::from("/plate/A/1/0"));
}

#[test]
fn a_single_slice_fills_the_window_and_has_no_neighbours() {
    for (size, shape, plane) in
        [(WIDE, [48, 40, 1], SlicePlane::Xy), (SIZES[1], [48, 40, 1], SlicePlane::Xy), (WIDE, [1, 40, 32], SlicePlane::Yz)]
    {
        let (_, mut gui) = opened(size, move || Synthetic { shape, ..series() });
        assert_eq!((gui.state().panels.maximized, gui.state().panels.active_pane), (Some(plane), plane));
        let shown = gui.picture(plane).view.box_mag1();
        let axes = [plane.right_axis(), plane.down_axis()];
        let covers = |axis: usize| shown.topleft[axis] <= 0 && shown.bottomright()[axis] >= shape[axis];
        assert!(axes.into_iter().all(covers), "{shown}");
        assert!(axes.into_iter().any(|axis| shown.shape.along(axis) <= shape[axis] + 2), "{shown}");
        let view = gui.dataset().view;
        gui.wheel(plane, 1.0);
        gui.key(Key::F);
        gui.key(Key::D);
        gui.settle();
        assert_eq!(gui.dataset().view, view);
        gui.send(UiCommand::MaximizePane);
        gui.settle();
    }
}
