//! `compressed_segmentation` chunks of small shapes.
#![no_main]

use chunkscope::codec::compressed_segmentation::decode_into;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [w, h, d, block_w, block_h, block_d, kind, stored @ ..] = input else { return };
    let shape = [w, h, d].map(|side| usize::from(*side % 20));
    let block = [block_w, block_h, block_d].map(|side| usize::from(*side % 12));
    let (id_len, channels) = (if kind & 1 == 0 { 4 } else { 8 }, usize::from(kind >> 1) % 4);
    let mut out = vec![0xee; shape.iter().product::<usize>() * id_len * channels];
    let first = decode_into(stored, shape, block, id_len, channels, &mut out);
    let mut again = vec![0x11; out.len()];
    if first.is_ok() {
        assert!(decode_into(stored, shape, block, id_len, channels, &mut again).is_ok());
        assert!(out == again, "some ids are left as they were");
    }
});
