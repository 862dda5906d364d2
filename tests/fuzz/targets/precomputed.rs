//! Precomputed volumes, with the same bytes in every chunk or shard.
#![no_main]

use chunkscope_fuzz::{Files, exercise, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [info, chunk] = parts(input);
    exercise(&Files::new([("info", info)]).with_chunks(chunk), "");
});
