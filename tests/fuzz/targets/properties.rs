//! `datasource-properties.json` beside a layer that is there.
#![no_main]

use chunkscope_fuzz::{Files, exercise};
use libfuzzer_sys::fuzz_target;

/// Chunks of 2³ voxels, shards of 2³ chunks, raw uint8.
const HEADER: &[u8] = b"WKW\x01\x11\x01\x01\x01\x10\0\0\0\0\0\0\0";

fuzz_target!(|input: &[u8]| {
    let shard = [HEADER, &[9; 64]].concat();
    let mut files = vec![("datasource-properties.json", input)];
    for name in ["color/1/header.wkw", "color/2-2-1/header.wkw", "segmentation/1/header.wkw"] {
        files.push((name, HEADER));
    }
    files.push(("color/1/z0/y0/x0.wkw", &shard));
    exercise(&Files::new(files), "");
});
