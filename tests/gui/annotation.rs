//! Panels and dialogs of an annotation.

use crate::editing::painting;
use crate::support::{Gui, SIZES, SMALL, Setup, Tiny, WIDE};
use chunkscope::format::annotation::{AnnotationFile, VolumeFile};
use chunkscope::format::nml::{Branchpoint, Comment, Edge, Experiment, Nml, NmlVolume, Node, Segment, Tree, TreeGroup, UserBoundingBox};
use chunkscope::format::{self, Dataset};
use chunkscope::geometry::{BoundingBox, Shape3, Vec3Int};
use chunkscope::state::{
    AnnotationCommand, AnnotationWork, AppCommand, ComparisonState, Dialog, Effect, ExportKind, InspectorTab, UiCommand,
};
use chunkscope::storage::LocalOpener;
use chunkscope::voxel::ElementClass;
use egui::accesskit::Role;
use egui::{Key, Modifiers, Vec2, vec2};
use egui_kittest::kittest::Queryable as _;
use std::sync::Arc;

/// Ids next to each other that no double tells apart.
const WIDE_ID: u64 = (1 << 53) + 1;

impl Gui {
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
        is_plain_zarr: false,
        format: None,
        axes: Vec::new(),
        levels: Vec::new(),
    };
    AnnotationFile { name: "note".to_owned(), nml: Arc::new(nml), volumes: vec![volume], attachments: Vec::new() }
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
    assert!(gui.has(Role::Button, "Choose folder…") && gui.has(Role::TextInput, "Path of the dataset"));
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
        let wanted = Dialog::Export { path: there.with_extension(""), kind: ExportKind::Merged, then: None };
        assert_eq!(gui.state().panels.dialog, Some(wanted));
        assert!(!gui.says("exists"), "there is no such folder");
        gui.click(Role::RadioButton, "Format Zarr 3, strict");
        gui.steps(3);
        assert_eq!(gui.state().panels.dialog, Some(Dialog::Export { path: there, kind: ExportKind::Zarr3Spec, then: None }));
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
fn what_was_asked_goes_on_once_the_edits_are_exported() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut gui = painting(Setup::of(tiny.path()));
    let ask = |gui: &mut Gui| {
        gui.send(UiCommand::CloseDataset);
        gui.steps(3);
        gui.key(Key::Enter); // "Export…" has the keyboard
        gui.steps(3);
        assert!(matches!(gui.state().panels.dialog, Some(Dialog::Export { .. })));
    };
    let export = |gui: &mut Gui, name: &str| {
        ask(gui);
        gui.key_with(Modifiers::COMMAND, Key::A);
        gui.type_text(&folder.path().join(name).display().to_string());
        gui.steps(2);
        gui.key(Key::Enter);
        gui.until("the export began", |gui| gui.state().panels.dialog.is_none());
    };
    export(&mut gui, "absent/a.zip");
    gui.until("it failed", |gui| gui.state().notifications.iter().any(|news| news.text.starts_with("Can't write")));
    ask(&mut gui);
    gui.key(Key::Escape);
    // What failed or was given up is forgotten: this export is one like any other.
    let path = folder.path().join("a.zip");
    gui.send(AnnotationCommand::Work(AnnotationWork::Export {
        path: path.clone(),
        kind: ExportKind::Wkw,
        then: None,
        drops_damaged: false,
    }));
    gui.until("exported", |gui| gui.annotation().work.is_none() && gui.annotation().file.is_some());
    gui.steps(5);
    assert!(gui.state().dataset.is_some());
    gui.send(UiCommand::NewSegment);
    gui.settle();
    export(&mut gui, "b.zip");
    gui.until("closed", |gui| gui.state().dataset.is_none());
    assert!(folder.path().join("b.zip").is_file());
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
