use proptest::prelude::*;

use super::*;
use crate::codec::test_bytes::hex;

/// The streams of [`labels`] by compresso 3.3.3: shape and bytes per id before each of them.
const STREAMS: [([usize; 3], usize, &str); 5] = [
    // Windows of 4 × 4 × 1, connectivity 4, version 1.
    (
        [9, 7, 3],
        1,
        "6370736f010109000700030004040114000000000000000b0000002b000000000000000400020201f90100020201f901f901000102020002\
        00001000110032001101f202f404ce2fec2fee2f444f06ff07080906ff0709070809090806ff070806ff0707080906ff090807080906ff07\
        0806f9080906ff08091400100008000c000600030014000e0008000c00060003001400120004000c000a000200060608000e0e",
    ),
    // Windows of 4 × 4 × 1, connectivity 4, version 0.
    (
        [9, 7, 3],
        2,
        "6370736f000209000700030004040114000000000000000b0000002b00000000000000040000020002000100f9ff01000000020002000100\
        f9ff0100f9ff010000000100020002000000020000001000110032001101f202f404ce2fec2fee2f444f0600ffff0700080009000600ffff\
        07000900070008000900090008000600ffff070008000600ffff07000700080009000600ffff090008000700080009000600ffff07000800\
        0600f9ff080009000600ffff080009001400100008000c000600030014000e0008000c00060003001400120004000c000a000200",
    ),
    // Windows of 4 × 2 × 1, connectivity 6, version 0.
    (
        [6, 5, 2],
        8,
        "6370736f00080600050002000402010300000000000000070000001800000000000000060000000000000000020000000000000001000000\
        00000000000304334fc8cc0600000000000000ffffffffffffffff0700000000000000080000000000000009000000000000000600000000\
        000000ffffffffffffffff07000000000000000700000000000000030000000000000009000000000000000600000000000000ffffffffff\
        ffffff080000000000000009000000000000000600000000000000ffffffffffffffff070000000000000008000000000000000700000000\
        00000009000000000000000600000000000000ffffffffffffffff07000000000000000c06080204030a0608020403",
    ),
    // Windows of 8 × 8 × 1, connectivity 6, version 0.
    (
        [10, 9, 2],
        2,
        "6370736f00020a00090002000808010700000000000000040000002500000000000000060000020002000100f9ff01000100010000000000\
        000004000000000000000303030000020101e4e4ff24243f040408000600ffff07000800080009000600ffff070007000900080008000900\
        0600ffff09000800080007000800090008000600ffff0700080007000900080009000600ffff070009000800060000000000000004000000\
        00000000020000000000000003000000000000000600000000000000040000000000000002000000000000000300000000000000",
    ),
    // Windows of 4 × 4 × 2, connectivity 4, version 1.
    (
        [10, 9, 3],
        1,
        "6370736f01010a000900030004040218000000000000001200000039000000000000000400020201f9010100020201f90101f90101020002\
        02000201000000000100000002000000040000003111000033130000f2220000ee2f0000f4440000444f0000010001000400040032003200\
        3303330320112011ee2fee2ff444f444444f444f0806ff0708080906ff07070908080906ff0908080708090806ff07080709080906ff0709\
        0809080906ff0907080906f9080906ff0708080907220000001e0000001a00000020000000180000001c0000001600000003000000140000\
        00120000000e0000000a000000100000000c0000000800000006000000040000000200000007070a001312",
    ),
];

/// Small segments, a noisy corner, and ids at both ends of the range, which the format has to escape.
fn labels(shape: [usize; 3], bytes_per_id: usize) -> Vec<u8> {
    let max = u64::MAX >> (64 - 8 * bytes_per_id);
    let ids = [0, 1, 2, max, max - 6, max - 7, 100];
    let mut labels = Vec::new();
    for (z, y, x) in (0..shape[2]).flat_map(|z| (0..shape[1]).flat_map(move |y| (0..shape[0]).map(move |x| (z, y, x)))) {
        let hash = x / 3 * 31 + y / 3 * 17 + z / 2 * 5;
        let is_noisy = x + 4 > shape[0] && y < 3;
        let id: u64 = ids[if is_noisy { (x * 5 + y * 3 + z) % 4 } else { hash * hash % 7 }];
        labels.extend(&id.to_le_bytes()[..bytes_per_id]);
    }
    labels
}

fn decode(stored: &[u8], shape: [usize; 3], bytes_per_id: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = vec![9; shape.iter().product::<usize>() * bytes_per_id];
    decode_into(stored, shape, bytes_per_id, &mut out)?;
    Ok(out)
}

#[test]
fn streams_of_the_reference_implementation_decode() {
    for (shape, bytes_per_id, stored) in STREAMS {
        let actual = decode(&hex(stored), shape, bytes_per_id).expect("valid");
        let is_same = actual == labels(shape, bytes_per_id);
        assert!(is_same, "{shape:?} {bytes_per_id} {stored} {actual:?}");
    }
}

/// By hand from the format's tables: 4 × 2 × 1 voxels, the left half 5 and the right half 8, windows of 4 × 2 × 1 in
/// one byte. The voxels left of the border are marked: bits 1 and 5.
const HALVES: &str = "6370736f 00 01 0400 0200 0100 04 02 01 0200000000000000 01000000 0000000000000000 04  05 08  22  00";

#[test]
fn a_stream_by_hand_decodes() {
    assert_eq!(decode(&hex(HALVES), [4, 2, 1], 1), Ok(vec![5, 5, 8, 8, 5, 5, 8, 8]));
    // The only window as a run of one.
    let mut run = hex(HALVES);
    run[39] = 3;
    assert_eq!(decode(&run, [4, 2, 1], 1), Ok(vec![5, 5, 8, 8, 5, 5, 8, 8]));
}

#[test]
fn every_cut_is_an_error() {
    for (shape, bytes_per_id, stored) in STREAMS {
        let stored = hex(stored);
        for len in 0..stored.len() {
            assert!(decode(&stored[..len], shape, bytes_per_id).is_err(), "{shape:?} {len}");
        }
    }
}

#[test]
fn what_doesnt_fit_is_named() {
    let cases: [(usize, u8, &str); 10] = [
        (0, b'C', "cpso"),
        (4, 2, "version 2"),
        (5, 2, "ids of 2 bytes, expected 1"),
        (6, 5, "5 × 2 × 1 voxels, expected 4 × 2 × 1"),
        (12, 0, "windows of 0"),
        (12, 65, "windows of 65"),
        (22, 255, "early"),
        (35, 8, "connectivity 8"),
        (39, 2, "index"),
        (39, 5, "more windows"),
    ];
    for (at, value, reason) in cases {
        let mut stored = hex(HALVES);
        stored[at] = value;
        let err = decode(&stored, [4, 2, 1], 1).expect_err("an error").to_string();
        assert!(err.contains(reason), "{err}");
    }
    let wrong = decode_into(&hex(HALVES), [4, 2, 1], 1, &mut [0; 9]);
    assert_eq!(wrong, Err(DecodeError::WrongLength { expected: 8, actual: 9 }));
    assert!(decode(&hex(HALVES), [4, 2, 1], 3).is_err());
}

proptest! {
    #[test]
    fn changed_streams_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        for (shape, bytes_per_id, stored) in STREAMS {
            let mut stored = hex(stored);
            for (at, value) in &changes {
                *at.get_mut(&mut stored) = *value;
            }
            let _ = decode(&stored, shape, bytes_per_id);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut stored = hex(HALVES);
        stored.truncate(36);
        stored.extend(bytes);
        let _ = decode(&stored, [4, 2, 1], 1);
        let _ = decode(&stored[36..], [4, 2, 1], 1);
    }
}
