//! Annotation archives, and anything that is taken for one.
#![no_main]

use chunkscope_fuzz::{Files, exercise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    exercise(&Files::new([("annotation.zip", input)]), "annotation.zip");
});
