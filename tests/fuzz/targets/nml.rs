//! An annotation's XML: what could be read is written, and read again as the same.
#![no_main]

use chunkscope::format::nml::{compare, read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let nml = match read(input) {
        Ok(nml) => nml,
        Err(err) => {
            assert!(!err.to_string().is_empty());
            return;
        }
    };
    let mut out = Vec::new();
    write(&nml, &mut out).expect("memory takes all bytes");
    let again = read(&out[..]).expect("what was written can be read");
    let found = compare(&nml, &again);
    assert!(found.is_empty(), "{found:?}\n{}", String::from_utf8_lossy(&out));
});
