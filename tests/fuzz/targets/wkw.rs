//! A WKW mag of a header and a shard; without a second part, one shard that is opened as a file.
#![no_main]

use chunkscope_fuzz::{Files, exercise, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [header, shard] = parts(input);
    if shard.is_empty() {
        exercise(&Files::new([("x.wkw", header)]), "x.wkw");
    } else {
        exercise(&Files::new([("header.wkw", header), ("z0/y0/x0.wkw", shard)]), "");
    }
});
