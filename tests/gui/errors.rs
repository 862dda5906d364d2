//! What can't be shown: said where it happens, listed, read again.

use crate::support::{Gui, SIZES, Setup, Tiny, value};
use chunkscope::geometry::{ShardIndex, SlicePlane, Vec3Int};
use chunkscope::problem::Severity;
use chunkscope::state::AppCommand;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use std::path::Path;

const SHARD: &str = "em/1/z0/y0/x0.wkw";

fn opened_at_the_corner(path: &Path, size: egui::Vec2) -> Gui {
    let mut gui = Setup::of(path).size(size).start();
    gui.settle();
    gui.send(AppCommand::SetPosition([4, 4, 4].into()));
    gui.settle();
    gui
}

#[test]
fn a_broken_chunk_is_hatched_and_listed_while_everything_else_is_shown() {
    for size in SIZES {
        let tiny = Tiny::new();
        tiny.break_first_chunk(SHARD);

        let mut gui = opened_at_the_corner(&tiny.path(), size);

        for plane in SlicePlane::ALL {
            let coverage = gui.coverage(plane);
            assert!(coverage.failed > 0 && coverage.exact > coverage.failed, "{plane}: {coverage:?}");
            assert_eq!(coverage.failed_chunks.len(), 1);
        }
        assert_eq!(gui.pixel(SlicePlane::Xy, [12, 4, 4]), [value::em([12, 4, 4]); 3]);
        assert_ne!(gui.pixel(SlicePlane::Xy, [4, 4, 4]), [0; 3], "a failed chunk never becomes black");
        gui.assert_says("Can't show 1 chunk");
        gui.assert_says("1 error");
        gui.assert_says("em, chunk failed");
        gui.click(Role::Tab, "Problems (1)");
        gui.steps(3);
        assert!(gui.text_that_begins("Error: ").contains("Chunk 0, 0, 0 of shard 0, 0, 0"));
        gui.assert_says(&tiny.file(SHARD).display().to_string());
        gui.check_names();
    }
}

fn retry_shows_the_repaired_file(spoil: impl Fn(&Tiny) -> Vec<u8>) {
    for size in SIZES {
        let tiny = Tiny::new();
        let sound = spoil(&tiny);
        let mut gui = opened_at_the_corner(&tiny.path(), size);
        assert!(gui.coverage(SlicePlane::Xy).failed > 0);
        gui.press_first(Role::Tab, "Problems (");

        // While the file is broken, another try fails again.
        gui.press_first(Role::Button, "Retry");
        gui.settle();
        assert!(gui.coverage(SlicePlane::Xy).failed > 0);

        std::fs::write(tiny.file(SHARD), sound).expect("repaired");
        gui.press_first(Role::Button, "Retry");
        gui.settle();

        assert_eq!(gui.coverage(SlicePlane::Xy).failed, 0);
        assert_eq!(gui.pixel(SlicePlane::Xy, [4, 4, 4]), [value::em([4, 4, 4]); 3]);
        // What went wrong stays listed; the panes no longer say so.
        assert!(!gui.has(Role::Alert, "Can't show 1 chunk") && !gui.has(Role::Alert, "Can't show 2 chunks"));
    }
}

#[test]
fn retry_shows_a_chunk_whose_bytes_were_repaired() {
    retry_shows_the_repaired_file(|tiny| tiny.break_first_chunk(SHARD));
}

#[test]
fn retry_shows_a_shard_whose_jump_table_was_repaired() {
    retry_shows_the_repaired_file(|tiny| {
        let sound = std::fs::read(tiny.file(SHARD)).expect("a shard");
        let mut broken = sound.clone();
        broken[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
        std::fs::write(tiny.file(SHARD), broken).expect("written");
        sound
    });
}

#[test]
fn retry_in_the_pane_reads_a_truncated_shard_again() {
    let tiny = Tiny::new();
    let sound = std::fs::read(tiny.file(SHARD)).expect("a shard");
    std::fs::write(tiny.file(SHARD), &sound[..600]).expect("cut");
    let mut gui = opened_at_the_corner(&tiny.path(), SIZES[0]);
    assert!(gui.coverage(SlicePlane::Xy).failed > 0);

    std::fs::write(tiny.file(SHARD), sound).expect("repaired");
    gui.press_first(Role::Button, "Retry");
    gui.settle();

    assert_eq!(gui.coverage(SlicePlane::Xy).failed, 0);
    assert_eq!(gui.pixel(SlicePlane::Xy, [4, 4, 4]), [value::em([4, 4, 4]); 3]);
}

#[test]
fn retry_in_the_layout_reads_a_truncated_shard_again() {
    let tiny = Tiny::new();
    let sound = std::fs::read(tiny.file(SHARD)).expect("a shard");
    std::fs::write(tiny.file(SHARD), &sound[..300]).expect("cut");
    let mut gui = opened_at_the_corner(&tiny.path(), SIZES[0]);
    gui.click(Role::Tab, "Layout");
    gui.until("listed", |gui| gui.state().layout.total == 12 && !gui.state().layout.is_scanning);
    gui.send(AppCommand::SelectShard(Some(ShardIndex(Vec3Int::ZERO))));
    gui.until("the reason", |gui| matches!(gui.state().layout.chunks, Some(Err(_))));
    gui.step();
    gui.assert_says("Can't read where its chunks lie");

    std::fs::write(tiny.file(SHARD), sound).expect("repaired");
    gui.harness.get_all_by_role_and_label(Role::Button, "Retry").last().expect("a button").click_accesskit();
    gui.until("its chunks", |gui| matches!(gui.state().layout.chunks, Some(Ok(_))));
}

#[test]
fn a_layer_that_is_gone_is_a_problem_and_the_others_are_shown() {
    for size in SIZES {
        let tiny = Tiny::new();
        std::fs::remove_dir_all(tiny.file("em16")).expect("removed");
        let mut gui = Setup::of(tiny.path()).size(size).start();
        gui.settle();

        assert!(gui.coverage(SlicePlane::Xy).exact > 0);
        assert_eq!(gui.dataset().problems.iter().map(|problem| problem.severity).max(), Some(Severity::Error));
        gui.send(AppCommand::SelectLayer(1));
        gui.click(Role::Tab, "Header");
        gui.steps(2);
        gui.assert_says("Can't open mag 1");
        for tab in ["Layout", "Probe"] {
            gui.click(Role::Tab, tab);
            gui.steps(2);
        }
        gui.press_first(Role::Tab, "Problems (");
        gui.assert_says("em16");
    }
}

#[test]
fn a_json_that_is_none_is_named_with_its_file() {
    let tiny = Tiny::new();
    std::fs::write(tiny.file("datasource-properties.json"), "{ \"dataLayers\": [").expect("written");
    let mut gui = Setup::of(tiny.path()).start();
    gui.until("the message", |gui| gui.state().open_error.is_some());
    gui.step();
    gui.assert_says("Can't open the dataset: datasource-properties.json");
    gui.assert_says(&tiny.file("datasource-properties.json").display().to_string());
}

#[test]
fn problems_are_copied_with_their_files() {
    let tiny = Tiny::new();
    tiny.break_first_chunk(SHARD);
    let mut gui = opened_at_the_corner(&tiny.path(), SIZES[0]);
    gui.click(Role::Tab, "Problems (1)");
    gui.steps(2);
    gui.press(Role::Button, "Copy all problems");
    gui.steps(2);
    let copied = gui.copied.last().expect("copied");
    assert!(copied.starts_with("error: ") && copied.trim_end().ends_with(SHARD), "{copied}");
}
