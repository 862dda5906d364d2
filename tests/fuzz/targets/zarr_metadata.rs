//! Metadata of Zarr arrays and groups, with the same bytes in every chunk.
#![no_main]

use chunkscope_fuzz::{Files, choice, exercise, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (choice, input) = choice(input);
    let [first, second, chunk] = parts(input);
    let files = match choice % 4 {
        0 => Files::new([(".zarray", first), (".zattrs", second)]),
        1 => Files::new([("zarr.json", first)]),
        // Groups.
        2 => Files::new([(".zattrs", first), (".zgroup", br#"{"zarr_format": 2}"#), ("0/.zarray", second), ("1/.zarray", second)]),
        _ => Files::new([("zarr.json", first), ("0/zarr.json", second), ("1/zarr.json", second)]),
    };
    exercise(&files.with_chunks(chunk), "");
});
