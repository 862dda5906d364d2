//! What becomes of files that the open annotation is exported to.

use crate::builders::archives::{self, Packing, wkw_data};
use crate::editing::{export, painting};
use crate::support::{Gui, SIZES, Setup, Tiny};
use chunkscope::state::{AnnotationCommand, AnnotationWork, AppCommand, Dialog, ExportKind, UiCommand};
use egui::accesskit::Role;
use std::path::Path;

#[test]
fn an_export_leaves_out_what_cannot_be_read_only_if_that_is_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    let mut data = wkw_data(100);
    data.push(archives::file("1/z0/y0/x3.wkw", b"no bucket at all"));
    std::fs::write(&from, archives::annotation(&data, Packing::Deflated)).expect("written");
    for size in SIZES {
        let mut gui = Setup::of(from.clone()).size(size).start();
        gui.until("opened", |gui| gui.state().annotation.is_some());
        let ask = |gui: &mut Gui, path: &Path| {
            gui.send(AnnotationCommand::Work(AnnotationWork::Export {
                path: path.to_owned(),
                kind: ExportKind::Wkw,
                then: None,
                drops_damaged: false,
            }));
            gui.until("asked", |gui| matches!(gui.state().panels.dialog, Some(Dialog::ExportDamaged { .. })));
            gui.steps(3);
            gui.assert_says("x3.wkw");
            gui.check_names();
        };
        ask(&mut gui, &from);
        gui.assert_says("loses it for good");
        gui.click(Role::Button, "Cancel");
        gui.steps(2);
        assert!(gui.state().panels.dialog.is_none() && gui.annotation().work.is_none());
        ask(&mut gui, &to);
        assert!(!gui.says("for good") && !to.exists());
        gui.click(Role::Button, "Leave it out");
        gui.until("exported", |gui| gui.annotation().work.is_none() && gui.annotation().file.as_ref() == Some(&to));
        assert!(gui.state().notifications.iter().any(|news| news.text.contains("x3.wkw") && news.text.contains("left out")));
        let again = Setup::of(to.clone()).start();
        assert!(again.state().open_error.is_none());
        std::fs::remove_file(&to).expect("written");
    }
}

#[test]
fn voxels_are_counted_in_what_can_be_read_and_the_rest_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.zip");
    let mut data = wkw_data(100);
    data.push(archives::file("1/z0/y0/x3.wkw", b"no bucket at all"));
    std::fs::write(&file, archives::annotation(&data, Packing::Deflated)).expect("written");
    for size in SIZES {
        let mut gui = Setup::of(file.clone()).size(size).start();
        gui.until("counted", |gui| gui.state().annotation.as_ref().is_some_and(|open| open.volumes[0].counts.is_some()));
        assert_eq!(gui.volume().uncounted, 1);
        assert!(gui.volume().counts.as_ref().is_some_and(|counts| counts.values().sum::<u64>() > 0));
        assert!(gui.state().notifications.iter().any(|news| news.text.contains("x3.wkw") && news.text.contains("aren't counted")));
        gui.send(UiCommand::ShowAnnotation);
        gui.steps(3);
        gui.assert_says("1 chunk can't be read: not counted");
    }
}

#[test]
fn the_file_that_is_replaced_keeps_its_format() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    for kind in [ExportKind::Wkw, ExportKind::Zarr3, ExportKind::Zarr3Spec] {
        let file = folder.path().join(format!("{kind:?}.zip"));
        let mut gui = painting(Setup::of(tiny.path()));
        assert_eq!(gui.annotation().export_kind, ExportKind::Wkw);
        gui.stroke(&[[36.5, 36.5, 33.5]]);
        let work = AnnotationWork::Export { path: file.clone(), kind, then: None, drops_damaged: false };
        gui.send(AnnotationCommand::Work(work));
        gui.until("exported", |gui| gui.annotation().file.as_ref() == Some(&file));
        let replaced_and_opened = |gui: &mut Gui, asks: bool| {
            gui.send(UiCommand::NewSegment);
            gui.settle();
            gui.send(UiCommand::SaveAnnotation);
            if asks {
                gui.steps(3);
                gui.click(Role::Button, "Replace");
            }
            gui.until("replaced", |gui| !gui.annotation().is_unsaved() && gui.annotation().work.is_none());
            gui.send(AppCommand::Open(file.clone()));
            gui.until("opened", |gui| gui.state().annotation.as_ref().is_some_and(|open| open.revision == 0));
            gui.settle();
            assert_eq!(gui.annotation().export_kind, kind);
        };
        replaced_and_opened(&mut gui, false); // the kind of the last export
        replaced_and_opened(&mut gui, true); // what the file itself says
        gui.send(UiCommand::ExportAnnotation);
        assert!(matches!(gui.state().panels.dialog, Some(Dialog::Export { kind: suggested, .. }) if suggested == kind));
    }
}

#[test]
fn what_others_changed_meanwhile_is_not_replaced_by_a_fast_key() {
    let tiny = Tiny::new();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("shared.zip");
    for size in SIZES {
        let mut gui = painting(Setup::of(tiny.path()).size(size));
        export(&mut gui, &file);
        gui.steps(5);
        std::fs::write(&file, b"what others wrote").expect("written");
        gui.until("noticed", |gui| gui.annotation().changed_on_disk);
        gui.send(UiCommand::SaveAnnotation);
        gui.steps(3);
        gui.assert_says("loses their changes");
        gui.check_names();
        gui.key(egui::Key::Enter);
        gui.steps(3);
        let Some(Dialog::Export { path, .. }) = &gui.state().panels.dialog else { panic!("asks where to") };
        assert_eq!(*path, folder.path().join("shared_edited.zip"));
        assert_eq!(std::fs::read(&file).expect("there"), b"what others wrote");
    }
}
