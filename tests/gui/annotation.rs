//! Panels, panes and dialogs of an annotation.

use crate::editing::painting;
use crate::support::{Gui, SIZES, SMALL, Setup, Tiny, WIDE, value};
use chunkscope::format::annotation::{AnnotationFile, VolumeFile};
use chunkscope::format::nml::{Branchpoint, Comment, Edge, Experiment, Nml, NmlVolume, Node, Segment, Tree, TreeGroup, UserBoundingBox};
use chunkscope::format::{self, Dataset};
use chunkscope::geometry::{BoundingBox, Shape3, SlicePlane, Vec3Int};
use chunkscope::state::{AppCommand, ComparisonState, Dialog, Effect, ExportKind, InspectorTab, Tool, UiCommand};
use chunkscope::storage::LocalOpener;
use chunkscope::voxel::ElementClass;
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Vec2, vec2};
use egui_kittest::kittest::Queryable as _;
use std::sync::Arc;

/// Ids next to each other that no double tells apart.
const WIDE_ID: u64 = (1 << 53) + 1;

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

    fn segment_names(&self) -> Vec<(u64, Option<String>)> {
        self.volume().segments.iter().map(|segment| (segment.id, segment.name.clone())).collect()
    }
}

/// An annotation as a file has it: two trees, one in a group, a box, a comment, three segments.
fn file() -> AnnotationFile {
    let node = |id: i64, x: i64, y: i64, z: i64| Node { id, position: Vec3Int::new(x, y, z), radius: 1.0, additional: Box::default() };
    let tree = |id: i64, name: &str, group: Option<i64>, nodes: Vec<Node>| Tree {
        id,
        name: name.to_owned(),
        color: Some([1.0, 0.5, 0.0, 1.0]),
        group,
        is_visible: true,
        is_agglomerate: false,
        edges: nodes.windows(2).map(|pair| Edge { source: pair[0].id, target: pair[1].id }).collect(),
        nodes,
    };
    let named = |id: u64, name: &str| Segment { name: Some(name.to_owned()), ..Segment::new(id) };
    let volume = NmlVolume {
        segments: vec![named(WIDE_ID, "axon"), named(WIDE_ID - 1, "dendrite"), named(u64::MAX, "glia")],
        ..NmlVolume::new(0, "painted")
    };
    let nml = Nml {
        experiment: Experiment { name: "tiny".to_owned(), ..Experiment::default() },
        trees: vec![
            tree(1, "spine", Some(7), vec![node(1, 20, 20, 32), node(2, 40, 30, 32)]),
            tree(2, "", None, vec![node(3, 60, 40, 40)]),
        ],
        tree_groups: vec![TreeGroup { id: 7, name: "reviewed".to_owned(), is_expanded: true, groups: Vec::new() }],
        branchpoints: vec![Branchpoint { node: 2 }],
        comments: vec![Comment { node: 3, content: "ends here?".to_owned() }],
        user_boxes: vec![UserBoundingBox {
            id: 1,
            name: "check".to_owned(),
            extent: BoundingBox::new(Vec3Int::new(8, 8, 8), Shape3::from([16, 16, 16])),
            color: None,
            is_visible: true,
        }],
        volumes: vec![volume],
        ..Nml::default()
    };
    let volume = VolumeFile {
        layer: "painted".to_owned(),
        nml_volume: Some(0),
        class: Some(ElementClass::Uint64),
        format: None,
        axes: Vec::new(),
        levels: Vec::new(),
    };
    AnnotationFile { name: "note".to_owned(), nml: Arc::new(nml), volumes: vec![volume] }
}

/// A window with that annotation; over its dataset if `has_dataset`.
fn noted(tiny: &Tiny, size: Vec2, has_dataset: bool) -> Gui {
    let folder = tiny.path();
    let below = folder.clone();
    let setup = Setup::of(folder.with_file_name("note.zip")).size(size).opened_by(move |path| {
        let opener = LocalOpener::default();
        if path.extension().is_none() {
            return if has_dataset { format::open(&opener, path) } else { format::open(&opener, &path.join("absent")) };
        }
        let dataset = format::open(&opener, &below)?;
        Ok(Dataset { layers: Vec::new(), annotation: Some(Arc::new(file())), ..dataset })
    });
    let mut gui = setup.start();
    gui.until("opened", |gui| gui.state().annotation.is_some());
    gui.send(AppCommand::ShowInspector(InspectorTab::Annotation));
    if has_dataset {
        gui.settle();
    }
    gui.steps(3);
    gui
}

#[test]
fn the_tool_bar_takes_tools_and_shows_what_they_can_be_set_to() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = painting(Setup::of(tiny.path()).size(size));
        for (name, tool) in [("Eraser", Tool::Eraser), ("Trace", Tool::Trace), ("Picker", Tool::Picker), ("Fill", Tool::Fill)] {
            gui.click(Role::RadioButton, name);
            gui.step();
            assert_eq!(gui.state().tools.tool, tool);
            assert_eq!(gui.has(Role::Slider, "Size"), tool == Tool::Eraser, "{name}");
            assert_eq!(gui.has(Role::RadioButton, "Painting over Empty only"), matches!(tool, Tool::Eraser | Tool::Trace), "{name}");
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
        assert_eq!(gui.state().tools.brush_size, 1200, "300 for each doubling of the coarsest mag, 4");
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

#[test]
fn segments_are_found_by_every_digit_of_their_ids_and_by_name() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = noted(&tiny, size, true);
        let rows = ["Segment 9007199254740993 axon", "Segment 9007199254740992 dendrite", "Segment 18446744073709551615 glia"];
        let shown = |gui: &Gui| rows.map(|row| gui.has(Role::ListItem, row));
        assert_eq!(shown(&gui), [true; 3]);
        for (typed, found) in [
            ("9007199254740993", [true, false, false]),
            ("18446744073709551615", [false, false, true]),
            ("90071992547409", [true, true, false]),
            ("DENDR", [false, true, false]),
        ] {
            gui.click(Role::TextInput, "Search segments");
            gui.steps(2);
            gui.key_with(Modifiers::COMMAND, Key::A);
            gui.type_text(typed);
            gui.steps(2);
            assert_eq!(shown(&gui), found, "{typed}");
        }
        gui.press(Role::ListItem, rows[1]);
        assert_eq!(gui.volume().active, WIDE_ID - 1);
        assert_says_id(&gui, "9007199254740992");
        gui.check_names();
    }
}

#[track_caller]
fn assert_says_id(gui: &Gui, id: &str) {
    assert!(gui.texts().iter().any(|text| text == id), "{id} in the details and the tool bar: {:#?}", gui.texts());
}

#[test]
fn segments_are_renamed_in_the_list_and_hidden_by_their_eyes() {
    let tiny = Tiny::new();
    let mut gui = noted(&tiny, WIDE, true);
    let row = "Segment 9007199254740993 axon";
    gui.press(Role::ListItem, row);
    gui.key(Key::F2);
    gui.steps(2);
    gui.key_with(Modifiers::COMMAND, Key::A);
    gui.type_text("bouton");
    gui.key(Key::Enter);
    gui.settle();
    assert_eq!(gui.segment_names()[0], (WIDE_ID, Some("bouton".to_owned())));

    let at = gui.rect(Role::ListItem, "Segment 9007199254740993 bouton").right_center() - vec2(100.0, 0.0);
    gui.click_at(at);
    gui.click_at(at);
    gui.steps(2);
    gui.key_with(Modifiers::COMMAND, Key::A);
    gui.type_text("given up");
    gui.key(Key::Escape);
    gui.settle();
    assert_eq!(gui.segment_names()[0], (WIDE_ID, Some("bouton".to_owned())), "Escape leaves it");

    gui.press(Role::CheckBox, "Show segment 18446744073709551615");
    gui.settle();
    let hidden: Vec<u64> = gui.volume().segments.iter().filter(|segment| !segment.is_visible).map(|segment| segment.id).collect();
    assert_eq!(hidden, [u64::MAX]);
}

#[test]
fn trees_boxes_and_comments_are_listed_and_gone_to() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = noted(&tiny, size, true);
        gui.press(Role::ListItem, "Tree spine");
        assert_eq!((gui.position(), gui.annotation().selected_tree), ([20, 20, 32], Some(0)));
        gui.press(Role::CheckBox, "Show tree spine");
        assert!(!gui.annotation().shows_tree(0) && gui.annotation().shows_tree(1));
        gui.press(Role::ListItem, "Box check");
        assert_eq!(gui.position(), [16, 16, 16]);
        gui.press(Role::ListItem, "Comment ends here?");
        assert_eq!((gui.position(), gui.annotation().selected_tree), ([60, 40, 40], Some(1)));
        gui.press(Role::ListItem, "Group reviewed");
        assert!(!gui.has(Role::ListItem, "Tree spine") && gui.has(Role::ListItem, "Tree Tree 2"), "folded");
    }
}

#[test]
fn the_skeleton_is_switched_in_the_top_bar_and_among_the_layers() {
    let tiny = Tiny::new();
    let mut gui = noted(&tiny, WIDE, true);
    assert!(gui.annotation().shows_skeleton);
    gui.click(Role::CheckBox, "Skeleton");
    gui.step();
    assert!(!gui.annotation().shows_skeleton);
    gui.press(Role::CheckBox, "skeleton");
    assert!(gui.annotation().shows_skeleton);
    let tiny = Tiny::new();
    let gui = painting(Setup::of(tiny.path()));
    assert!(!gui.has(Role::CheckBox, "Skeleton"), "there is none");
}

#[test]
fn a_volume_is_listed_once_among_the_annotation_s_layers() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = noted(&tiny, size, true);
        let rows = gui.harness.query_all_by_role_and_label(Role::ListItem, "painted").count();
        assert_eq!(rows, 1);
        gui.press(Role::ListItem, "painted");
        assert_eq!(gui.selected(), "painted");
        gui.press(Role::CheckBox, "painted");
        gui.settle();
        assert!(!gui.layer("painted").display.visible);
    }
}

#[test]
fn a_dataset_that_was_not_found_is_named_and_can_be_chosen() {
    let tiny = Tiny::new();
    let mut gui = noted(&tiny, SMALL, false);
    gui.assert_says("belongs to dataset tiny, which isn't open");
    assert!(gui.has(Role::Button, "Choose folder…"));
    gui.check_names();
}

#[test]
fn without_an_annotation_the_tab_offers_to_make_or_import_one() {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).start();
    gui.settle();
    gui.click(Role::Tab, "Annotation");
    gui.steps(2);
    assert!(gui.has(Role::Button, "Import annotation…"));
    gui.click(Role::Button, "New volume annotation");
    gui.until("a new one", |gui| gui.state().annotation.is_some());
    gui.steps(2);
    gui.assert_says("Unsaved");
}

#[test]
fn the_export_dialog_follows_format_and_path() {
    for size in SIZES {
        let tiny = Tiny::new();
        let mut gui = painting(Setup::of(tiny.path()).size(size));
        gui.key_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::S);
        gui.steps(3);
        let there = tiny.path().with_file_name("there.zip");
        std::fs::write(&there, b"").expect("written");
        gui.key_with(Modifiers::COMMAND, Key::A);
        gui.type_text(&there.display().to_string());
        gui.until("said that it exists", |gui| gui.says("This file exists and will be replaced"));
        gui.click(Role::RadioButton, "Format Merged dataset");
        gui.steps(3);
        let wanted = Dialog::Export { path: there.with_extension(""), kind: ExportKind::Merged };
        assert_eq!(gui.state().panels.dialog, Some(wanted));
        assert!(!gui.says("exists"), "there is no such folder");
        gui.click(Role::RadioButton, "Format Zarr 3, strict");
        gui.steps(3);
        assert_eq!(gui.state().panels.dialog, Some(Dialog::Export { path: there, kind: ExportKind::Zarr3Spec }));
        gui.check_names();
        gui.key(Key::Escape);
        gui.steps(2);
        assert_eq!(gui.state().panels.dialog, None);
        // Keys that paint are typing here, and the other way round.
        gui.key(Key::B);
        assert!(gui.state().panels.dialog.is_none());
    }
}

#[test]
fn unsaved_edits_can_be_kept_exported_or_thrown_away() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let question = Dialog::Unsaved(Box::new(Effect::CloseAnnotation));
    let ask = |gui: &mut Gui| {
        gui.send(AppCommand::SetDialog(Some(question.clone())));
        gui.steps(3);
    };
    ask(&mut gui);
    gui.assert_says("Closing the annotation loses them");
    gui.click(Role::Button, "Cancel");
    gui.steps(2);
    assert!(gui.state().panels.dialog.is_none() && gui.state().annotation.is_some());
    ask(&mut gui);
    // The main button has the keyboard.
    gui.key(Key::Enter);
    gui.steps(2);
    assert!(matches!(gui.state().panels.dialog, Some(Dialog::Export { .. })));
    ask(&mut gui);
    gui.check_names();
    gui.click(Role::Button, "Discard edits");
    gui.until("closed", |gui| gui.state().annotation.is_none());
}

#[test]
fn the_file_it_came_from_is_replaced_after_a_question_only() {
    let tiny = Tiny::new();
    let mut gui = noted(&tiny, WIDE, true);
    gui.send(UiCommand::SaveAnnotation);
    gui.steps(3);
    assert!(matches!(gui.state().panels.dialog, Some(Dialog::ReplaceFile(_))));
    gui.check_names();
    gui.click(Role::Button, "Export elsewhere…");
    gui.steps(2);
    assert!(matches!(gui.state().panels.dialog, Some(Dialog::Export { .. })));
}

#[test]
fn two_paths_are_compared_by_enter() {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).start();
    gui.settle();
    gui.send(UiCommand::CompareWith);
    gui.steps(3);
    assert_eq!(gui.state().panels.dialog, Some(Dialog::Compare { a: tiny.path(), b: "".into() }));
    // What is open stands in the first field; the second has the keyboard.
    gui.type_text(&tiny.path().display().to_string());
    gui.steps(2);
    gui.check_names();
    gui.key(Key::Enter);
    gui.until("compared", |gui| gui.state().comparison.as_ref().is_some_and(|found| matches!(found.state, ComparisonState::Done(_))));
    assert!(gui.state().panels.dialog.is_none());
}
