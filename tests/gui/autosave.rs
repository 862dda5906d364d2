//! Edits that are saved aside, and what is left of them when the program is killed.

use crate::editing::{CENTER, export, painting};
use crate::support::{Gui, Setup, Tiny, value};
use chunkscope::format;
use chunkscope::geometry::{Mag, Vec3Int};
use chunkscope::state::{AnnotationCommand, AppCommand, Dialog, Effect, SegmentChange, UiCommand};
use chunkscope::storage::LocalOpener;
use std::path::{Path, PathBuf};

/// The journals in the folder where edits are kept.
fn journals(kept: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(kept).into_iter().flatten().flatten();
    folders.map(|entry| entry.path().join("edits.journal")).filter(|path| path.is_file()).collect()
}

/// Waits until all edits are saved aside; the length of the journal.
#[track_caller]
fn saved(gui: &mut Gui, kept: &Path) -> u64 {
    gui.until("saved aside", |gui| gui.app().is_saved_aside());
    let [journal] = &journals(kept)[..] else { panic!("not one journal") };
    journal.metadata().expect("there").len()
}

/// What a new program makes of what was left.
fn recovered(kept: &Path) -> Gui {
    let mut gui = Setup::default().keeping_edits_in(kept).start();
    gui.until("asked", |gui| matches!(gui.state().panels.dialog, Some(Dialog::Recover(_))));
    gui.send(AppCommand::Confirmed(Box::new(Effect::Recover(0))));
    gui.settle();
    gui
}

fn edited_buckets(gui: &Gui) -> Vec<(Mag, usize)> {
    gui.volume().edited.iter().map(|(mag, edited)| (*mag, edited.len())).collect()
}

#[test]
fn edits_survive_a_program_that_is_killed() {
    let tiny = Tiny::new();
    let kept = tempfile::tempdir().expect("a folder");
    let mut gui = painting(Setup::of(tiny.path()).keeping_edits_in(kept.path()));
    gui.stroke(&[CENTER]);
    let active = gui.volume().active;
    saved(&mut gui, kept.path());
    drop(gui); // nothing is tidied up

    let mut gui = recovered(kept.path());
    assert_eq!(gui.id_at(Tiny::CENTER), active);
    assert_eq!(gui.volume().fallback.as_deref(), Some("cells"));
    assert!(gui.volume().segment(active).is_some());
    assert!(gui.annotation().is_unsaved(), "no file has them yet");
    gui.send(AppCommand::Confirmed(Box::new(Effect::Discard(Box::new(Effect::Close)))));
    gui.until("closed", |gui| gui.state().dataset.is_none());
    assert_eq!(std::fs::read_dir(kept.path()).expect("listed").count(), 0, "nothing is offered again");
}

#[test]
fn an_annotation_that_was_never_exported_is_recovered_where_it_was_edited() {
    let tiny = Tiny::new();
    let (kept, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let mut gui = painting(Setup::of(tiny.path()).keeping_edits_in(kept.path()));
    let made = gui.annotation().nml.time_unix_ms();
    gui.send(AppCommand::SetPosition(Vec3Int::new(60, 20, 40)));
    gui.stroke(&[[60.5, 20.5, 40.5]]);
    saved(&mut gui, kept.path());
    drop(gui);

    let mut gui = recovered(kept.path());
    assert_eq!(gui.position(), [60, 20, 40]);
    assert_eq!(gui.annotation().nml.edit_position, Some(Vec3Int::new(60, 20, 40)));
    assert!(made.is_some() && gui.annotation().nml.time_unix_ms() == made);

    // The file begins where it was looked at last.
    gui.send(AppCommand::SetPosition(Vec3Int::new(10, 11, 12)));
    gui.send(AppCommand::SetZoom(0.5));
    let file = folder.path().join("a.zip");
    export(&mut gui, &file);
    let exported = format::open(&LocalOpener::default(), &file).expect("opened").annotation.expect("an annotation");
    assert_eq!((exported.nml.edit_position, exported.nml.zoom), (Some(Vec3Int::new(10, 11, 12)), Some(0.5)));
}

#[test]
fn an_edit_after_many_is_saved_by_itself_and_an_undone_one_is_taken_back() {
    let tiny = Tiny::new();
    let kept = tempfile::tempdir().expect("a folder");
    let mut gui = painting(Setup::of(tiny.path()).keeping_edits_in(kept.path()));
    let active = gui.volume().active;
    gui.with_tools(|tools| tools.brush_size = 61);
    for z in [3, 10, 20, 28, 40, 60] {
        gui.send(AppCommand::SetPosition(Vec3Int::new(48, 32, z)));
        gui.stroke(&[[20.5, 32.5, z as f64 + 0.5], [75.5, 32.5, z as f64 + 0.5]]);
    }
    let first = saved(&mut gui, kept.path());
    let before = edited_buckets(&gui);
    assert!(before[0].1 == 12 && before.len() > 1, "all of the finest mag: {before:?}");

    gui.with_tools(|tools| tools.brush_size = 1);
    gui.send(UiCommand::NewSegment);
    gui.settle();
    let second = gui.volume().active;
    gui.send(AppCommand::SetPosition(Vec3Int::new(5, 5, 50)));
    gui.stroke(&[[5.5, 5.5, 50.5]]);
    let added = saved(&mut gui, kept.path()) - first;
    assert!(added > 0 && added < first / 2, "{added} bytes more than {first}");

    gui.send(UiCommand::Undo);
    gui.send(AnnotationCommand::ChangeSegment { id: second, change: SegmentChange::Name(Some("axon".to_owned())) });
    gui.settle();
    saved(&mut gui, kept.path());
    drop(gui);

    let mut gui = recovered(kept.path());
    assert_eq!(edited_buckets(&gui), before);
    assert_eq!(gui.id_at([48, 32, 28]), active);
    gui.send(AppCommand::SetPosition(Vec3Int::new(5, 5, 50)));
    gui.settle();
    assert_eq!(gui.id_at([5, 5, 50]), u64::from(value::cells([5, 5, 50])), "undone");
    assert_eq!(gui.volume().segment(second).and_then(|segment| segment.name.as_deref()), Some("axon"));

    // Recovered edits are saved again with the next one.
    let latest = gui.volume().active;
    gui.stroke(&[[5.5, 5.5, 50.5]]);
    saved(&mut gui, kept.path());
    drop(gui);
    let gui = recovered(kept.path());
    assert_eq!([gui.id_at([48, 32, 28]), gui.id_at([5, 5, 50])], [active, latest]);
}

#[test]
fn edits_after_an_export_are_put_into_the_exported_file() {
    let tiny = Tiny::new();
    let (kept, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let file = folder.path().join("a.zip");
    let mut gui = painting(Setup::of(tiny.path()).keeping_edits_in(kept.path()));
    let active = gui.volume().active;
    gui.stroke(&[CENTER]);
    gui.stroke(&[[20.5, 20.5, 32.5]]);
    saved(&mut gui, kept.path());
    export(&mut gui, &file);
    assert_eq!(std::fs::read_dir(kept.path()).expect("listed").count(), 0, "the file has them");

    gui.send(UiCommand::Undo);
    gui.stroke(&[[80.5, 50.5, 32.5]]);
    saved(&mut gui, kept.path());
    drop(gui);

    let gui = recovered(kept.path());
    assert_eq!(gui.annotation().file.as_ref(), Some(&file));
    let undone = u64::from(value::cells([20, 20, 32]));
    let ids = [Tiny::CENTER, [20, 20, 32], [80, 50, 32]].map(|voxel| gui.id_at(voxel));
    assert_eq!(ids, [active, undone, active], "the file's, undone since, painted since");
}
