//! Memory stays in its bounds while one looks through a whole dataset, and every slice gets sharp.
//!
//! Measured in a process of its own: the other tests' windows would count otherwise.

use crate::support::{Gui, Setup, WIDE};
use chunkscope::demo::ensure_demo_in;
use chunkscope::geometry::SlicePlane;
use chunkscope::state::{AppCommand, Settings};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const CACHE_MIB: u64 = 64;
/// For all beside the chunks: code, fonts, pictures, threads.
const BESIDE_MIB: u64 = 300;
/// Longer means never, also while other programs compile.
const SHARP_WITHIN: Duration = Duration::from_secs(10);

fn demo() -> PathBuf {
    ensure_demo_in(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("gui-demo"), &|_| ()).expect("a demo dataset")
}

fn is_long() -> bool {
    std::env::var_os("CHUNKSCOPE_LONG_TESTS").is_some_and(|value| value == "1")
}

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn memory_stays_in_its_bounds_and_every_slice_gets_sharp() {
    demo(); // made here, so that making it doesn't count
    let program = std::env::current_exe().expect("this binary");
    let output = Command::new(program)
        .args(["--exact", "memory::walk_through_the_demo", "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .expect("it starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    print!("{out}");
    assert!(output.status.success(), "{out}{err}");
    assert!(out.contains("1 passed"), "{out}{err}");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn walk_through_the_demo() {
    let settings = Settings { cache_mib: Some(CACHE_MIB), ..Settings::default() };
    let mut gui = Setup { settings, ..Setup::of(demo()).size(WIDE) }.start();
    gui.settle();
    let at_start = resident_mib();
    let (total, every) = if is_long() { (Duration::from_secs(60), 1) } else { (Duration::from_secs(10), 8) };
    let layers = gui.dataset().layers.len();
    let share = total / u32::try_from(layers * SlicePlane::ALL.len()).expect("few");
    let (mut peak, mut visited, mut all) = (at_start, 0, 0);
    for layer in 0..layers {
        for index in 0..layers {
            let mut display = gui.dataset().layers[index].display.clone();
            display.visible = index == layer;
            gui.send(AppCommand::SetDisplay { layer: index, display });
        }
        gui.send(AppCommand::SelectLayer(layer));
        let bounds = gui.dataset().layers[layer].layer().bounding_box;
        for plane in SlicePlane::ALL {
            let axis = plane.normal_axis();
            let slices = bounds.topleft[axis]..bounds.bottomright()[axis];
            all += slices.end - slices.start;
            gui.send(AppCommand::SetPosition(bounds.center()));
            gui.send(AppCommand::ActivatePane(plane));
            let start = Instant::now();
            for slice in slices.step_by(every) {
                if start.elapsed() > share {
                    break;
                }
                gui.send(AppCommand::SetPosition(bounds.center().with(axis, slice)));
                let asked = Instant::now();
                let is_sharp = |gui: &Gui| SlicePlane::ALL.map(|shown| gui.coverage(shown)).iter().all(|c| c.is_final() && c.failed == 0);
                while !(gui.app().is_settled() && gui.picture(plane).view.slice() == slice && is_sharp(&gui)) {
                    let coverage = SlicePlane::ALL.map(|shown| gui.coverage(shown));
                    assert!(asked.elapsed() < SHARP_WITHIN, "layer {layer}, {plane}, slice {slice} doesn't get sharp: {coverage:?}");
                    gui.step();
                }
                visited += 1;
                peak = peak.max(resident_mib());
            }
        }
    }
    let used = gui.app().feed().loader().max_bytes();
    println!("{visited} of {all} slices; {at_start} MiB at the start, at most {peak} MiB; cache of {} MiB", used >> 20);
    assert_eq!(used >> 20, CACHE_MIB);
    assert!(peak < CACHE_MIB + BESIDE_MIB, "{peak} MiB");
}
