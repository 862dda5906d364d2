use proptest::prelude::*;

use super::*;
use crate::codec::test_bytes::hex;

/// 4 × 2 × 2 voxels in blocks of 2 × 2 × 2: the left half 5, the right half 0 but for the first (7) and last voxel (9).
const EXAMPLE: &str = "01000000 04000000 04000000 06000002 05000000 05000000 01800000 00000000 07000000 09000000";
const EXAMPLE_IDS: [u32; 16] = [5, 5, 7, 0, 5, 5, 0, 0, 5, 5, 0, 0, 5, 5, 0, 9];

fn decode_u32(stored: &[u8], shape: [usize; 3], block: [usize; 3], channels: usize) -> Result<Vec<u32>, DecodeError> {
    let mut out = vec![9; shape.iter().product::<usize>() * channels * 4];
    decode_into(stored, shape, block, 4, channels, &mut out)?;
    Ok(out.as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id)).collect())
}

#[test]
fn the_example_decodes() {
    assert_eq!(decode_u32(&hex(EXAMPLE), [4, 2, 2], [2, 2, 2], 1), Ok(EXAMPLE_IDS.to_vec()));
}

#[test]
fn blocks_at_the_edge_are_clipped() {
    // Width 3: the right block's odd columns are padding.
    let expected = [5, 5, 7, 5, 5, 0, 5, 5, 0, 5, 5, 0];
    assert_eq!(decode_u32(&hex(EXAMPLE), [3, 2, 2], [2, 2, 2], 1), Ok(expected.to_vec()));
}

#[test]
fn channels_follow_each_other_each_from_its_own_start() {
    let one = hex(EXAMPLE);
    let second_start = 2 + (one.len() as u32 - 4) / 4;
    let stored = [&2_u32.to_le_bytes()[..], &second_start.to_le_bytes(), &one[4..], &one[4..]].concat();
    assert_eq!(decode_u32(&stored, [4, 2, 2], [2, 2, 2], 2), Ok([EXAMPLE_IDS, EXAMPLE_IDS].concat()));
}

#[test]
fn every_cut_is_an_error() {
    let stored = hex(EXAMPLE);
    for len in 0..stored.len() {
        assert!(decode_u32(&stored[..len], [4, 2, 2], [2, 2, 2], 1).is_err(), "{len}");
    }
}

#[test]
fn offsets_widths_and_indices_that_lead_nowhere_are_named() {
    let cases = [
        (0, 0x0000_1000, "channel 0"),
        (1, 0x0000_1000, "table"),
        (3, 0x0300_0006, "3 bits"),
        (4, 0x0000_1000, "early"),
        (6, 0x0000_8003, "index"),
    ];
    for (word, value, reason) in cases {
        let mut stored = hex(EXAMPLE);
        stored[word * 4..][..4].copy_from_slice(&u32::to_le_bytes(value));
        let err = decode_u32(&stored, [4, 2, 2], [2, 2, 2], 1).expect_err("an error").to_string();
        assert!(err.contains(reason), "{err}");
    }
}

#[test]
fn shapes_that_dont_fit_are_errors() {
    let stored = hex(EXAMPLE);
    assert_eq!(decode_into(&stored, [4, 2, 2], [2, 2, 2], 4, 1, &mut [0; 63]), Err(DecodeError::WrongLength { expected: 64, actual: 63 }));
    assert!(decode_into(&stored, [4, 2, 2], [0, 2, 2], 4, 1, &mut [0; 64]).is_err());
    assert!(decode_into(&stored, [4, 2, 2], [2, 2, 2], 2, 1, &mut [0; 32]).is_err());
    assert!(decode_into(&stored, [usize::MAX; 3], [2, 2, 2], 8, 1, &mut [0; 64]).is_err());
    // One block larger than the chunk: its values reach past any stored bytes, but a block without values has none.
    assert_eq!(decode_u32(&stored, [4, 2, 2], [usize::MAX; 3], 1), Ok(vec![5; 16]));
    let with_values = [&stored[..4], &stored[12..20], &stored[12..]].concat();
    assert!(decode_u32(&with_values, [4, 2, 2], [usize::MAX; 3], 1).is_err());
    assert_eq!(decode_into(&stored, [0, 2, 2], [2, 2, 2], 4, 1, &mut []), Ok(()));
}

/// Straight from the specification, one voxel after the other; `extra_bits` chooses wider values than needed.
fn encode<const ID_LEN: usize>(ids: &[u64], shape: [usize; 3], block: [usize; 3], wider: usize) -> Vec<u8> {
    let grid: [usize; 3] = std::array::from_fn(|axis| shape[axis].div_ceil(block[axis]));
    let mut words = vec![0_u32; grid.iter().product::<usize>() * 2];
    for at in 0..words.len() / 2 {
        let topleft = [at % grid[0] * block[0], at / grid[0] % grid[1] * block[1], at / grid[0] / grid[1] * block[2]];
        let mut table = Vec::new();
        let mut indices = Vec::new();
        for i in 0..block.iter().product::<usize>() {
            let voxel = [i % block[0] + topleft[0], i / block[0] % block[1] + topleft[1], i / block[0] / block[1] + topleft[2]];
            let is_inside = (0..3).all(|axis| voxel[axis] < shape[axis]);
            let id = if is_inside { ids[voxel[0] + shape[0] * (voxel[1] + shape[1] * voxel[2])] } else { ids[0] };
            indices.push(table.iter().position(|known| *known == id).unwrap_or_else(|| {
                table.push(id);
                table.len() - 1
            }));
        }
        let widths = [0, 1, 2, 4, 8, 16, 32];
        let needed = widths.iter().position(|bits| *bits >= 32 || table.len() <= 1 << bits).expect("32 suffice");
        let bits = widths[(needed + wider).min(6)];
        let values_start = words.len();
        words.resize(values_start + (indices.len() * bits).div_ceil(32), 0);
        for (i, index) in indices.iter().enumerate().filter(|_| bits > 0) {
            words[values_start + i * bits / 32] |= (*index as u32) << (i * bits % 32);
        }
        words[at * 2] = words.len() as u32 | (bits as u32) << 24;
        words[at * 2 + 1] = values_start as u32;
        for id in table {
            words.extend(id.to_le_bytes()[..ID_LEN].as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
        }
    }
    [1].iter().chain(&words).flat_map(|word| word.to_le_bytes()).collect()
}

fn check<const ID_LEN: usize>(ids: &[u64], shape: [usize; 3], block: [usize; 3], wider: usize) {
    let expected: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()[..ID_LEN].to_vec()).collect();
    let mut out = vec![9; expected.len()];
    let stored = encode::<ID_LEN>(ids, shape, block, wider);
    assert_eq!(decode_into(&stored, shape, block, ID_LEN, 1, &mut out), Ok(()));
    assert_eq!(out, expected);
}

proptest! {
    #[test]
    fn decoding_undoes_encoding(
        shape in prop::array::uniform3(1_usize..10),
        block in prop::array::uniform3(1_usize..9),
        different in 1_u64..600,
        wider in 0_usize..7,
        seed in any::<u64>(),
    ) {
        let mut state = seed;
        let ids: Vec<u64> = (0..shape.iter().product()).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % different * 0x0123_4567_89ab
        }).collect();
        check::<8>(&ids, shape, block, wider);
        let short: Vec<u64> = ids.iter().map(|id| id & 0xffff_ffff).collect();
        check::<4>(&short, shape, block, wider);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in prop::collection::vec(prop_oneof![Just(0_u8), Just(1), any::<u8>()], 0..200),
        shape in prop::array::uniform3(0_usize..6),
        block in prop::array::uniform3(0_usize..5),
        channels in 0_usize..3,
    ) {
        for bytes_per_id in [4, 8] {
            let mut out = vec![0; shape.iter().product::<usize>() * channels * bytes_per_id];
            let _ = decode_into(&bytes, shape, block, bytes_per_id, channels, &mut out);
        }
    }
}
