use proptest::prelude::*;
use strum::IntoEnumIterator;

use super::*;
use crate::codec::test_bytes::hex;

/// 4 × 2 pixels of 77, by libjpeg.
const GREY_JPEG: &str = "ffd8ffe000104a46494600010100000100010000ffdb00430001010101010101010101010101010101010101010101010101010101010101\
    010101010101010101010101010101010101010101010101010101010101010101ffc0000b080002000401011100ffc40014000100000000\
    000000000000000000000009ffc40014100100000000000000000000000000000000ffda0008010100003f0019dfffd9";
/// 4 × 2 pixels of 10, 200, 90, by libjpeg.
const RGB_JPEG: &str = "ffd8ffe000104a46494600010100000100010000ffdb00430001010101010101010101010101010101010101010101010101010101010101\
    010101010101010101010101010101010101010101010101010101010101010101ffdb004301010101010101010101010101010101010101\
    01010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101ffc00011080002000403\
    011100021101031101ffc40014000100000000000000000000000000000005ffc40014100100000000000000000000000000000000ffc400\
    150101010000000000000000000000000000080affc40014110100000000000000000000000000000000ffda000c03010002110311003f00\
    60474a7bffd9";
/// 2 × 2 pixels: 0x0102, 0x0304, 0x0506, 0x0708.
const GREY16_PNG: &str = "89504e470d0a1a0a0000000d4948445200000002000000021000000000074d8ebb000000124944415478da636064626661606563e7000000\
    8c0025d22050190000000049454e44ae426082";
/// 1 × 2 pixels: 1 to 8.
const RGBA_PNG: &str = "89504e470d0a1a0a0000000d49484452000000010000000208060000009981b627000000124944415478da636064626661606563e7000000\
    8c0025d22050190000000049454e44ae426082";
/// 2 × 1 pixels: 1 to 4.
const LA_PNG: &str = "89504e470d0a1a0a0000000d49484452000000020000000108040000005e2bb7010000000d4944415478da636064626601000019000b3804\
    54b40000000049454e44ae426082";
/// 3 × 1 pixels: the second, first and second of the colours 1, 2, 3 and 4, 5, 6.
const PALETTE_PNG: &str = "89504e470d0a1a0a0000000d49484452000000030000000108030000002c3ee48600000006504c544501020304050695536f480000000c49\
    44415478da6360646004000008000330253f5d0000000049454e44ae426082";
/// 3 × 2 pixels: 1 to 6, the second row by the filter "Sub".
const GREY8_PNG: &str = "89504e470d0a1a0a0000000d4948445200000003000000020800000000b81f39c6000000104944415478da63606462666461640400003d00\
    0e32a212170000000049454e44ae426082";
/// 100 000 × 100 000 pixels by its header.
const HUGE_PNG: &str = "89504e470d0a1a0a0000000d49484452000186a0000186a008000000008d3954140000000a4944415478da6360000000020001e527defc00\
    00000049454e44ae426082";
/// Found by fuzzing: 7 × 99 pixels of which scans that restart leave rows out.
const ROWLESS_JPEG: &str = "ffd8ffdb004300080606070605080707070909080a0c140d0c0000000a12130f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c3031343434\
    1f27393d38323c2e333432ffc0000b080063000701011100ffc4001f0000010501010101010100000000000000000102030405060708090a0bffc400\
    b5100002010303020403050504040000017d01020300041105122131415cdbed1ffe8c8bb4703a57ffd9ffda0008010100003f00cd5dd15daefe51fe\
    8df8f9faffda0008010100003f00e0f46b0f9471fe8c8bffda0008010100ffff001000c8c23d08010100003f00e0d9838485868788898a9293949596\
    9798999aa2a3a4a5a6a7a8a9aab2b3b4b5fe51fe8df2f3f4f5f6f7f8f9faffdaffffff1c00003f00e0f46b0f9471da5cdbed1ffe8c8bb4703a57ffd9\
    ffda0008010100003f00feffda00080101003f00d9";
/// 4 × 2 pixels: 20, 40 … 160; lossless, by libjxl.
const GREY_JXL: &str = "ff0a0870101437020800010038004b188b150a1d97fa208450404103";
/// The same, with 255 less it and half of it as two more components.
const RGB_JXL: &str = "ff0a0870100908000100a8004b188b15c20938bc9dea5c2010800fb4b3b0d1eef7fb2f102a48296b6b2be5eb768e6eae5e3e31703f01";
/// With 3 more than it as a fourth.
const RGBA_JXL: &str = "ff0a0870b012080010009c004b18938e8543808437063dd11a26aee7c4050401307a34ae3e2bc77e26b8e8aad4e82a00240000";

fn decode(kind: ImageKind, stored: &[u8], voxels: usize, channels: usize, bytes_per_channel: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = vec![0; voxels * channels * bytes_per_channel];
    decode_into(kind, stored, voxels, channels, bytes_per_channel, &mut out)?;
    Ok(out)
}

#[test]
fn pixels_row_by_row_are_the_voxels() {
    use ImageKind::{Jpeg, Jxl, Png};
    let grey: [u8; 8] = std::array::from_fn(|i| i as u8 * 20 + 20);
    let rgba = grey.map(|grey| [grey, 255 - grey, grey / 2, grey + 3]);
    let rgb = rgba.map(|[r, g, b, _]| [r, g, b]);
    type Case<'a> = (ImageKind, &'a str, usize, usize, usize, &'a [u8]);
    let cases: [Case<'_>; 10] = [
        (Jpeg, GREY_JPEG, 8, 1, 1, &[77; 8]),
        (Jpeg, RGB_JPEG, 8, 3, 1, &[10, 200, 90].repeat(8)),
        (Png, GREY16_PNG, 4, 1, 2, &[2, 1, 4, 3, 6, 5, 8, 7]),
        (Png, RGBA_PNG, 2, 4, 1, &[1, 2, 3, 4, 5, 6, 7, 8]),
        (Png, LA_PNG, 2, 2, 1, &[1, 2, 3, 4]),
        (Png, PALETTE_PNG, 3, 3, 1, &[4, 5, 6, 1, 2, 3, 4, 5, 6]),
        (Png, GREY8_PNG, 6, 1, 1, &[1, 2, 3, 4, 5, 6]),
        (Jxl, GREY_JXL, 8, 1, 1, &grey),
        (Jxl, RGB_JXL, 8, 3, 1, rgb.as_flattened()),
        (Jxl, RGBA_JXL, 8, 4, 1, rgba.as_flattened()),
    ];
    for (kind, stored, voxels, channels, bytes_per_channel, expected) in cases {
        let actual = decode(kind, &hex(stored), voxels, channels, bytes_per_channel).expect("valid");
        let is_close = actual.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= u8::from(kind == Jpeg));
        assert!(is_close && actual.len() == expected.len(), "{kind:?} {actual:?} {expected:?}");
    }
}

#[test]
fn images_of_another_kind_than_asked_for_are_named() {
    use ImageKind::{Jpeg, Jxl, Png};
    let cases = [
        (Jpeg, GREY_JPEG, 8, 3, 1, "grey (1 component) image, expected RGB"),
        (Jpeg, RGB_JPEG, 8, 1, 1, "RGB (3 components) image, expected grey"),
        (Jpeg, GREY_JPEG, 9, 1, 1, "4 × 2 pixels, expected 9"),
        (Jpeg, GREY8_PNG, 6, 1, 1, "JPEG can't"),
        (Png, GREY_JPEG, 8, 1, 1, "PNG can't"),
        (Png, GREY8_PNG, 6, 1, 2, "8 bits per component, expected 16"),
        (Png, GREY16_PNG, 4, 1, 1, "16 bits per component, expected 8"),
        (Png, PALETTE_PNG, 3, 1, 1, "RGB (3 components) image, expected grey"),
        (Jxl, RGB_JXL, 8, 1, 1, "RGB (3 components) image, expected grey"),
        (Jxl, GREY_JXL, 9, 1, 1, "4 × 2 pixels, expected 9"),
        (Jxl, GREY_JXL, 8, 1, 2, "8 bits per component, expected 16"),
        (Jxl, GREY_JPEG, 8, 1, 1, "JPEG XL can't"),
        // The size header by hand: not in steps of eight, 30 bits of height and width.
        (Jxl, "ff0a 3e ff ff ff ff ff ff ff ff ff", 8, 1, 1, "JPEG XL can't"),
        (Png, HUGE_PNG, 10, 1, 1, "100000 × 100000 pixels"),
    ];
    for (kind, stored, voxels, channels, bytes_per_channel, reason) in cases {
        let err = decode(kind, &hex(stored), voxels, channels, bytes_per_channel).expect_err("an error").to_string();
        assert!(err.contains(reason), "{err}");
    }
    let wrong_out = decode_into(Png, &hex(GREY8_PNG), 6, 1, 1, &mut [0; 5]);
    assert_eq!(wrong_out, Err(DecodeError::WrongLength { expected: 5, actual: 6 }));
}

#[test]
fn rows_that_a_broken_jpeg_leaves_out_hold_nothing_of_the_chunk_before() {
    let decode = |before| {
        let mut out = vec![before; 7 * 99];
        decode_into(ImageKind::Jpeg, &hex(ROWLESS_JPEG), 7 * 99, 1, 1, &mut out).map(|()| out)
    };
    assert_eq!(decode(0xee), decode(0x11));
}

#[test]
fn every_cut_before_the_last_marker_is_an_error() {
    for (kind, stored, channels, marker_len) in
        [(ImageKind::Jpeg, GREY_JPEG, 1, 1), (ImageKind::Jpeg, RGB_JPEG, 3, 1), (ImageKind::Png, GREY8_PNG, 1, 16)]
    {
        let stored = hex(stored);
        let voxels = if kind == ImageKind::Png { 6 } else { 8 };
        for len in 0..=stored.len() - marker_len {
            let is_whole = len == stored.len();
            assert_eq!(decode(kind, &stored[..len], voxels, channels, 1).is_ok(), is_whole, "{kind:?} {len}");
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for kind in ImageKind::iter() {
            let _ = decode(kind, &bytes, 8, 1, 1);
        }
    }

    #[test]
    fn changed_images_never_panic(at in any::<prop::sample::Index>(), value in any::<u8>()) {
        for (kind, stored, channels) in [
            (ImageKind::Jpeg, RGB_JPEG, 3),
            (ImageKind::Png, GREY8_PNG, 1),
            (ImageKind::Png, PALETTE_PNG, 3),
            (ImageKind::Jxl, GREY_JXL, 1),
            (ImageKind::Jxl, RGBA_JXL, 4),
        ] {
            let mut stored = hex(stored);
            *at.get_mut(&mut stored) = value;
            for voxels in [3, 6, 8] {
                let _ = decode(kind, &stored, voxels, channels, 1);
            }
        }
    }
}
