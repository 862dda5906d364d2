//! N5 arrays, groups and containers, with the same bytes in every block.
#![no_main]

use chunkscope_fuzz::{Files, choice, exercise, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (choice, input) = choice(input);
    let [first, second, block] = parts(input);
    let names = match choice % 3 {
        0 => ["attributes.json", "s1/attributes.json", "s2/attributes.json"],
        1 => ["attributes.json", "s0/attributes.json", "s1/attributes.json"],
        _ => ["attributes.json", "setup0/timepoint0/s0/attributes.json", "setup0/attributes.json"],
    };
    let files = match choice % 3 {
        0 => Files::new([(names[0], first)]),
        _ => Files::new([(names[0], first), (names[1], second), (names[2], second)]),
    };
    exercise(&files.with_chunks(block), "");
});
