//! Compresso chunks of small shapes.
#![no_main]

use chunkscope::codec::compresso::decode_into;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [w, h, d, log2_id_len, stored @ ..] = input else { return };
    let shape = [w, h, d].map(|side| usize::from(*side % 40));
    let id_len = 1 << (log2_id_len % 4);
    let mut out = vec![0xee; shape.iter().product::<usize>() * id_len];
    let mut again = vec![0x11; out.len()];
    if decode_into(stored, shape, id_len, &mut out).is_ok() {
        assert!(decode_into(stored, shape, id_len, &mut again).is_ok());
        assert!(out == again, "some ids are left as they were");
    }
});
