//! Annotations from the first stroke to the file, and back.

use crate::support::{Gui, Setup, Slow, SlowOpener, Tiny, value};
use chunkscope::format::nml::SegmentId;
use chunkscope::geometry::{SlicePlane, Vec3Int};
use chunkscope::scene::PickState;
use chunkscope::state::{
    AnnotationCommand, AnnotationWork, AppCommand, ComparisonState, Dialog, Effect, ExportKind, InspectorTab, OpenAnnotation, OpenVolume,
    PaintTools, Pointer, SegmentChange, ShardFile, Tool, UiCommand,
};
use chunkscope::storage::LocalOpener;
use std::path::Path;
use std::time::Duration;

pub const CENTER: [f64; 3] = [48.5, 32.5, 32.5];

impl Gui {
    pub fn annotation(&self) -> &OpenAnnotation {
        self.state().annotation.as_ref().expect("an annotation is open")
    }

    pub fn volume(&self) -> &OpenVolume {
        self.annotation().volume().expect("a volume")
    }

    /// The id that the volume shows at a mag-1 voxel.
    pub fn id_at(&self, voxel: [i64; 3]) -> SegmentId {
        let pick = self.app().feed().pick(self.dataset(), self.volume().layer, voxel.into()).expect("inside");
        match pick.state {
            PickState::Value(value) => value.id.expect("an id"),
            PickState::Missing(_) => 0,
            other => panic!("{other:?}"),
        }
    }

    fn point(&mut self, pointer: Pointer) {
        self.send(AnnotationCommand::Pointer { plane: SlicePlane::Xy, pointer, erases: false, inverts: false });
    }

    pub fn stroke(&mut self, points: &[[f64; 3]]) {
        self.point(Pointer::Begin(points[0]));
        self.point(Pointer::Drag(points[1..].to_vec()));
        self.point(Pointer::End);
        self.settle();
    }

    pub fn with_tools(&mut self, change: impl FnOnce(&mut PaintTools)) {
        let mut tools = self.state().tools;
        change(&mut tools);
        self.send(AnnotationCommand::SetTools(tools));
    }
}

/// A window with a new annotation over `cells`, its brush 9 voxels wide.
pub fn painting(setup: Setup) -> Gui {
    let mut gui = setup.start();
    gui.settle();
    let cells = Tiny::LAYERS.iter().position(|name| *name == "cells").expect("the layer");
    gui.send(AppCommand::SelectLayer(cells));
    gui.send(UiCommand::NewAnnotation);
    gui.until("a segment is active", |gui| gui.state().annotation.as_ref().is_some_and(|open| open.volumes[0].active != 0));
    gui.with_tools(|tools| tools.brush_size = 9);
    gui.settle();
    gui
}

#[test]
fn a_stroke_is_seen_in_all_panes_and_mags_and_can_be_undone() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let active = gui.volume().active;
    let before = u64::from(value::cells(Tiny::CENTER));
    assert_eq!(gui.id_at(Tiny::CENTER), before, "the fallback layer shows");
    assert_eq!(gui.volume().fallback.as_deref(), Some("cells"));
    let color = gui.pixel(SlicePlane::Xz, Tiny::CENTER);
    gui.stroke(&[CENTER, [52.5, 32.5, 32.5]]);
    assert_eq!(gui.id_at(Tiny::CENTER), active);
    assert_eq!(gui.id_at([48, 36, 32]), active, "4 voxels from the middle of a disc of radius 5");
    assert_eq!(gui.id_at([48, 38, 32]), u64::from(value::cells([48, 38, 32])));
    assert_ne!(gui.pixel(SlicePlane::Xz, Tiny::CENTER), color);
    for (mag, edited) in &gui.volume().edited {
        assert!(!edited.is_empty(), "mag {mag}");
    }
    assert!(gui.annotation().is_unsaved());
    gui.until("counted", |gui| gui.volume().counts.as_ref().is_some_and(|counts| counts.contains_key(&active)));
    gui.send(UiCommand::Undo);
    gui.settle();
    assert_eq!(gui.id_at(Tiny::CENTER), before);
    assert!(gui.volume().edited.iter().all(|(_, edited)| edited.is_empty()), "what wasn't edited is not in the annotation");
    assert_eq!(gui.pixel(SlicePlane::Xz, Tiny::CENTER), color);
    gui.send(UiCommand::Redo);
    gui.settle();
    assert_eq!(gui.id_at(Tiny::CENTER), active);
}

#[test]
fn every_tool_paints_and_the_picker_takes_segments_over() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let active = gui.volume().active;
    gui.with_tools(|tools| tools.tool = Tool::Trace);
    gui.point(Pointer::Outline(vec![[10.5, 10.5, 32.5], [20.5, 10.5, 32.5], [20.5, 20.5, 32.5], [10.5, 20.5, 32.5]]));
    gui.settle();
    assert_eq!(gui.id_at([15, 15, 32]), active);
    gui.with_tools(|tools| tools.tool = Tool::Eraser);
    gui.stroke(&[[15.5, 15.5, 32.5]]);
    assert_eq!(gui.id_at([15, 15, 32]), 0, "erased, and nothing shines through");
    gui.with_tools(|tools| tools.tool = Tool::Fill);
    gui.point(Pointer::Click(Vec3Int::from(Tiny::CENTER)));
    gui.settle();
    assert_eq!(gui.id_at([50, 40, 32]), active, "the whole cell in the slice");
    assert_eq!(gui.id_at([50, 40, 34]), u64::from(value::cells([50, 40, 34])), "and nothing of the next");
    gui.with_tools(|tools| tools.tool = Tool::Picker);
    gui.point(Pointer::Click(Vec3Int::new(70, 10, 32)));
    assert_eq!(gui.volume().active, u64::from(value::cells([70, 10, 32])));
}

#[test]
fn edits_that_no_file_has_are_asked_about() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    gui.stroke(&[CENTER]);
    gui.send(UiCommand::CloseDataset);
    assert!(matches!(gui.state().panels.dialog, Some(Dialog::Unsaved(_))));
    assert!(gui.state().annotation.is_some());
    gui.send(AppCommand::SetDialog(None));
    gui.steps(3);
    assert!(gui.state().annotation.is_some(), "cancelled");
    gui.send(AppCommand::Confirmed(Box::new(Effect::Discard(Box::new(Effect::Close)))));
    gui.until("closed", |gui| gui.state().dataset.is_none());
    assert!(gui.state().annotation.is_none());
}

#[test]
fn a_path_that_cannot_be_opened_leaves_the_edits_alone() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    gui.stroke(&[CENTER]);
    let absent = tiny.path().join("absent.zip");
    gui.send(AppCommand::Confirmed(Box::new(Effect::Discard(Box::new(Effect::Open(absent))))));
    gui.until("refused", |gui| gui.state().open_error.is_some());
    assert_eq!(gui.id_at(Tiny::CENTER), gui.volume().active);
}

#[test]
fn an_export_is_opened_with_the_same_voxels_and_ctrl_s_replaces_it() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("round.zip");
    let mut gui = painting(Setup::of(tiny.path()));
    gui.stroke(&[CENTER]);
    let active = gui.volume().active;
    export(&mut gui, &file);
    assert!(!gui.annotation().is_unsaved());
    gui.stroke(&[[20.5, 20.5, 32.5]]);
    assert!(gui.annotation().is_unsaved());
    gui.send(UiCommand::SaveAnnotation);
    gui.until("saved", |gui| !gui.annotation().is_unsaved() && gui.annotation().work.is_none());
    gui.send(AnnotationCommand::Work(AnnotationWork::RoundTrip));
    gui.until("checked", |gui| gui.annotation().round_trip.is_some());
    let result = gui.annotation().round_trip.clone().expect("a result");
    assert!(result.is_equal, "{}: {:?}", result.summary, result.differences);
    gui.send(AppCommand::ShowInspector(InspectorTab::Annotation));
    gui.steps(2);
    gui.assert_says("Round trip matches");
    gui.send(UiCommand::NewSegment);
    gui.settle();
    gui.assert_says("Round trip matched before the last edits");
    gui.assert_says("New segment");
    gui.send(UiCommand::Undo);
    gui.settle();
    export(&mut gui, &file);

    // The dataset that it names is the one that is open.
    gui.send(AppCommand::Open(file.clone()));
    gui.until("opened", |gui| gui.annotation().file.as_ref() == Some(&file) && gui.annotation().revision == 0);
    gui.settle();
    assert_eq!(gui.annotation().missing_dataset, None);
    assert_eq!([gui.id_at(Tiny::CENTER), gui.id_at([20, 20, 32])], [active; 2]);
    assert_eq!(gui.id_at([80, 50, 10]), u64::from(value::cells([80, 50, 10])), "the fallback layer shows elsewhere");
    assert!(gui.volume().segment(active).is_some());
}

#[test]
fn a_new_annotation_beside_one_from_a_file_keeps_the_view() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("first.zip");
    let mut gui = painting(Setup::of(tiny.path()));
    gui.stroke(&[CENTER]);
    export(&mut gui, &file);
    gui.send(AppCommand::Open(file.clone()));
    gui.until("opened", |gui| gui.annotation().file.as_ref() == Some(&file) && gui.annotation().revision == 0);
    gui.send(AppCommand::SetPosition(Vec3Int::new(70, 10, 5)));
    gui.send(UiCommand::NewAnnotation);
    gui.until("a new one", |gui| gui.annotation().file.is_none() && gui.volume().active != 0);
    assert_eq!(gui.position(), [70, 10, 5]);
    let anchor = gui.volume().segment(gui.volume().active).and_then(|segment| segment.anchor);
    assert_eq!(anchor, Some(Vec3Int::new(70, 10, 5)));
}

pub fn export(gui: &mut Gui, file: &Path) {
    gui.send(AnnotationCommand::Work(AnnotationWork::Export {
        path: file.to_owned(),
        kind: ExportKind::Wkw,
        then: None,
        drops_damaged: false,
    }));
    let file = file.to_owned();
    gui.until("exported", move |gui| gui.annotation().work.is_none() && gui.annotation().file.as_ref() == Some(&file));
}

#[test]
fn an_annotation_without_its_dataset_paints_only_where_it_has_buckets() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("alone.zip");
    let mut gui = painting(Setup::of(tiny.path()));
    gui.stroke(&[CENTER]);
    export(&mut gui, &file);
    let mut alone = Setup::of(&file).start();
    alone.settle();
    assert_eq!(alone.annotation().missing_dataset.as_deref(), Some("tiny"));
    assert!(alone.volume().lacks_fallback);
    let is_left_out = |gui: &Gui| gui.dataset().problems.iter().any(|problem| problem.text.contains("is not shown with it"));
    assert!(is_left_out(&alone));
    alone.with_tools(|tools| (tools.tool, tools.brush_size) = (Tool::Brush, 3));
    alone.stroke(&[[36.5, 36.5, 33.5]]);
    let active = alone.volume().active;
    assert_eq!(alone.id_at([36, 36, 33]), active, "its bucket is there");
    alone.send(AppCommand::SetPosition(Vec3Int::splat(5)));
    alone.stroke(&[[5.5, 5.5, 5.5]]);
    assert_eq!(alone.id_at([5, 5, 5]), 0);
    assert!(alone.state().notifications.iter().any(|news| news.text.contains("fallback layer")), "the reason is said");
    // The dataset that somebody shows would mean other voxels below the edits.
    alone.send(AnnotationCommand::OpenDataset(tiny.path()));
    assert!(alone.state().notifications.iter().any(|news| news.text.starts_with("Export the annotation first")));

    let mut found = Setup::of(&file).start();
    found.settle();
    assert_eq!(found.state().settings.inspector_tab, InspectorTab::Annotation, "which asks for the dataset");
    found.send(AnnotationCommand::OpenDataset(folder.path().join("absent")));
    found.until("said", |gui| gui.state().notifications.iter().any(|news| news.text.contains("absent")));
    found.settle();
    found.send(AnnotationCommand::OpenDataset(tiny.path()));
    found.until("over the dataset", |gui| gui.state().annotation.as_ref().is_some_and(|open| open.missing_dataset.is_none()));
    assert!(!is_left_out(&found), "the layer is there now");
    found.send(AppCommand::SetPosition(Vec3Int::splat(5)));
    found.settle();
    assert_eq!(found.id_at([5, 5, 5]), u64::from(value::cells([5, 5, 5])));
    found.with_tools(|tools| (tools.tool, tools.brush_size) = (Tool::Brush, 3));
    found.stroke(&[[5.5, 5.5, 5.5]]);
    assert_eq!(found.id_at([5, 5, 5]), found.volume().active);
}

#[test]
fn a_file_that_changes_on_disk_is_noticed() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("watched.zip");
    let mut gui = painting(Setup::of(tiny.path()));
    gui.stroke(&[CENTER]);
    export(&mut gui, &file);
    gui.steps(5);
    assert!(!gui.annotation().changed_on_disk, "our own export is no change");
    std::thread::sleep(Duration::from_millis(50));
    let mut bytes = std::fs::read(&file).expect("the export");
    bytes.push(0);
    std::fs::write(&file, bytes).expect("written");
    gui.until("noticed", |gui| gui.annotation().changed_on_disk);
    gui.send(AnnotationCommand::KeepEdits);
    assert!(!gui.annotation().changed_on_disk);
}

#[test]
fn two_datasets_are_compared_and_their_differences_drawn() {
    let (a, b) = (Tiny::new(), Tiny::new());
    std::fs::remove_file(b.file("em/1/z0/y0/x1.wkw")).expect("a shard");
    let mut gui = Setup::of(a.path()).start();
    gui.settle();
    gui.send(AnnotationCommand::Compare { a: a.path(), b: b.path() });
    gui.until("compared", |gui| gui.state().comparison.as_ref().is_some_and(|c| matches!(c.state, ComparisonState::Done(_))));
    gui.settle();
    let comparison = gui.state().comparison.as_ref().expect("a comparison");
    let ComparisonState::Done(findings) = &comparison.state else { panic!("done") };
    assert!(findings.places.iter().all(|place| place.layer == "em" && place.label.to_string() == "1"));
    assert_eq!(findings.places.iter().map(|place| place.voxels).sum::<u64>(), 32 * 32 * 32);
    let place = findings.places[0].voxel;
    assert_eq!(place, Vec3Int::new(32, 0, 0));
    let recent = gui.app().settings().recents;
    assert!(recent.len() == 1 && !recent[0].summary.contains("differences"), "{:?}", recent[0].summary);
    let layer = gui.dataset().layers.iter().position(|layer| layer.layer().name == "em (differences)").expect("a layer of differences");
    gui.send(AppCommand::SetPosition(Vec3Int::new(40, 10, 10)));
    gui.settle();
    let differs = |gui: &Gui, voxel: [i64; 3]| match gui.app().feed().pick(gui.dataset(), layer, voxel.into()).expect("inside").state {
        PickState::Value(value) => value.id == Some(1),
        other => panic!("{other:?}"),
    };
    assert!(differs(&gui, [40, 10, 10]) && !differs(&gui, [31, 10, 10]));
    gui.send(AnnotationCommand::Compare { a: a.path(), b: a.path().join("absent") });
    gui.until("failed", |gui| gui.state().comparison.as_ref().is_some_and(|c| matches!(c.state, ComparisonState::Failed(_))));
}

#[test]
fn strokes_wait_for_slow_chunks_and_are_not_lost() {
    let tiny = Tiny::new();
    let slow = Slow::new(Duration::from_millis(60), false);
    let mut gui = painting(Setup::of(tiny.path()).opener(SlowOpener { inner: LocalOpener::default(), slow: slow.clone() }));
    slow.switch(true);
    let active = gui.volume().active;
    gui.send(AppCommand::SetPosition(Vec3Int::new(10, 10, 60)));
    // Painted before anything of the slice has been read.
    gui.point(Pointer::Begin([10.5, 10.5, 60.5]));
    gui.point(Pointer::Drag(vec![[14.5, 10.5, 60.5]]));
    gui.point(Pointer::End);
    gui.send(UiCommand::NewSegment);
    gui.settle();
    let next = gui.volume().active;
    assert_ne!(next, active);
    assert_eq!(gui.id_at([14, 10, 60]), active);
    assert_eq!(gui.id_at([10, 20, 60]), u64::from(value::cells([10, 20, 60])), "what was below was read first");
}

/// A window whose editor is busy with a stroke, as its chunks come slowly.
fn busy(tiny: &Tiny) -> Gui {
    let slow = Slow::new(Duration::from_millis(60), false);
    let mut gui = painting(Setup::of(tiny.path()).opener(SlowOpener { inner: LocalOpener::default(), slow: slow.clone() }));
    gui.send(AppCommand::SetPosition(Vec3Int::new(10, 10, 60)));
    gui.settle();
    slow.switch(true);
    gui.point(Pointer::Begin([10.5, 10.5, 60.5]));
    gui.point(Pointer::End);
    gui
}

#[test]
fn a_stroke_right_behind_a_new_segment_paints_that_segment() {
    let tiny = Tiny::new();
    let mut gui = busy(&tiny);
    let first = gui.volume().active;
    gui.send(UiCommand::NewSegment);
    gui.point(Pointer::Begin([70.5, 40.5, 60.5]));
    gui.point(Pointer::End);
    assert!(gui.annotation().waiting > 0, "painted before the editor knew the id");
    gui.settle();
    let second = gui.volume().active;
    assert_ne!(second, first);
    assert_eq!([gui.id_at([10, 10, 60]), gui.id_at([70, 40, 60])], [first, second]);
}

#[test]
fn a_segment_chosen_behind_a_new_one_stays_active() {
    let tiny = Tiny::new();
    let mut gui = busy(&tiny);
    let first = gui.volume().active;
    gui.send(UiCommand::NewSegment);
    gui.send(AnnotationCommand::SelectSegment(first));
    gui.point(Pointer::Begin([70.5, 40.5, 60.5]));
    gui.point(Pointer::End);
    gui.settle();
    assert_eq!(gui.volume().active, first);
    assert_eq!(gui.id_at([70, 40, 60]), first);
    assert_eq!(gui.volume().segments.len(), 2, "the new one is listed");
}

#[test]
fn what_is_painted_while_something_is_opened_is_not_lost() {
    let (tiny, other) = (Tiny::new(), Tiny::new());
    let slow = Slow::new(Duration::from_millis(40), false);
    let mut gui = painting(Setup::of(tiny.path()).opener(SlowOpener { inner: LocalOpener::default(), slow: slow.clone() }));
    let folder = tempfile::tempdir().expect("a folder");
    gui.stroke(&[CENTER]);
    export(&mut gui, &folder.path().join("a.zip"));
    slow.switch(true);
    gui.send(AppCommand::Open(other.path()));
    assert!(gui.state().panels.dialog.is_none(), "nothing would be lost yet");
    gui.point(Pointer::Begin([20.5, 20.5, 32.5]));
    gui.point(Pointer::End);
    gui.until("asked", |gui| matches!(gui.state().panels.dialog, Some(Dialog::Unsaved(_))));
    assert!(gui.annotation().is_unsaved());
    slow.switch(false);
    // Those that are carried out after the answer are asked about, too.
    gui.until("carried out", |gui| gui.annotation().waiting == 0);
    gui.send(AppCommand::Confirmed(Box::new(Effect::Discard(Box::new(Effect::Open(other.path()))))));
    gui.until("opened", |gui| gui.state().dataset.as_ref().is_some_and(|open| open.dataset.path == other.path()));
    assert!(gui.state().annotation.is_none());
}

#[test]
fn one_segment_alone_is_drawn_listed_or_not_until_all_are_again() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let first = gui.volume().active;
    gui.send(UiCommand::NewSegment);
    gui.settle();
    let second = gui.volume().active;
    let mut ids_below = (0..8).map(|cell| u64::from(value::cells([8 * cell, 5, 5])));
    let below = ids_below.find(|id| ![first, second].contains(id)).expect("another id");
    let hidden = |gui: &Gui| {
        let segments = &gui.dataset().layers[gui.volume().layer].display.segments;
        [first, second, below].map(|id| segments.is_hidden(id))
    };
    gui.send(AnnotationCommand::ShowOnlySegment(below));
    let revision = gui.annotation().revision;
    assert_eq!(hidden(&gui), [true, true, false], "of the fallback layer, and in no list");
    gui.send(AnnotationCommand::ShowOnlySegment(first));
    gui.settle();
    assert_eq!(hidden(&gui), [false, true, true]);
    assert!(gui.volume().segments.iter().all(|segment| segment.is_visible) && gui.annotation().revision == revision, "only a look");
    gui.send(AnnotationCommand::ChangeSegment { id: second, change: SegmentChange::Visible(true) });
    gui.send(AnnotationCommand::ChangeSegment { id: first, change: SegmentChange::Visible(false) });
    assert_eq!(hidden(&gui), [true, false, true]);
    gui.send(UiCommand::NewSegment);
    gui.settle();
    let third = gui.volume().active;
    assert!(!gui.dataset().layers[gui.volume().layer].display.segments.is_hidden(third), "what is painted is seen");
    gui.send(AnnotationCommand::ShowAllSegments);
    gui.settle();
    assert_eq!(hidden(&gui), [false; 3]);
    gui.send(AnnotationCommand::ChangeSegment { id: second, change: SegmentChange::Visible(false) });
    gui.settle();
    assert_eq!(hidden(&gui), [false, true, false]);
    gui.send(AnnotationCommand::ShowAllSegments);
    gui.settle();
    assert_eq!(hidden(&gui), [false; 3]);
    gui.send(UiCommand::Undo);
    gui.settle();
    assert_eq!(hidden(&gui), [false, true, false], "showing what was listed as hidden is one edit");
}

#[test]
fn changes_of_a_segment_that_follow_each_other_all_count() {
    let tiny = Tiny::new();
    let mut gui = painting(Setup::of(tiny.path()));
    let id = gui.volume().active;
    // Both before the editor has answered.
    gui.app().send(AnnotationCommand::ChangeSegment { id, change: SegmentChange::Name(Some("axon".to_owned())) });
    gui.app().send(AnnotationCommand::ChangeSegment { id, change: SegmentChange::Color(Some([255, 0, 0])) });
    gui.settle();
    let segment = gui.volume().segment(id).expect("listed");
    assert_eq!((segment.name.as_deref(), segment.color), (Some("axon"), Some([1.0, 0.0, 0.0, 1.0])));
}

#[test]
fn map_and_layout_and_header_follow_what_is_painted() {
    let tiny = Tiny::new();
    let mut gui = Setup::of(tiny.path()).start();
    gui.settle();
    gui.send(UiCommand::NewAnnotation); // over nothing: the selected layer has no segments
    gui.until("a segment is active", |gui| gui.state().annotation.as_ref().is_some_and(|open| open.volumes[0].active != 0));
    gui.with_tools(|tools| tools.brush_size = 9);
    gui.until("looked at", |gui| gui.state().layout.total > 0 && !gui.state().layout.is_scanning);
    assert_eq!(gui.state().layout.present(), 0);
    gui.stroke(&[CENTER]);
    gui.until("stored", |gui| gui.state().layout.present() > 0);
    let shard = gui.state().layout.shards.iter().find(|(_, file)| **file != ShardFile::Absent).map(|(shard, _)| *shard);
    gui.send(AppCommand::SelectShard(shard));
    gui.until("its chunk is known", |gui| matches!(gui.state().layout.chunks, Some(Ok(_))));
    gui.send(UiCommand::ShowHeader);
    gui.steps(3);
    gui.assert_says("edited chunks");
    gui.send(UiCommand::Undo);
    gui.until("gone", |gui| gui.state().layout.present() == 0 && gui.state().layout.chunks.is_none());
}
