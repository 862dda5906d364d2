//! JPEG, PNG and JPEG XL images as chunks.
#![no_main]

use chunkscope::codec::image::{ImageKind, decode_into};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [kind, form, w, h, stored @ ..] = input else { return };
    let kind = [ImageKind::Jpeg, ImageKind::Png, ImageKind::Jxl][usize::from(kind % 3)];
    let (channels, len) = (usize::from(form % 4) + 1, usize::from(form >> 2) % 2 + 1);
    let voxels = usize::from(*w) * usize::from(*h);
    let mut out = vec![0xee; voxels * channels * len];
    let mut again = vec![0x11; out.len()];
    if decode_into(kind, stored, voxels, channels, len, &mut out).is_ok() {
        assert!(decode_into(kind, stored, voxels, channels, len, &mut again).is_ok());
        assert!(out == again, "some pixels are left as they were");
    }
});
