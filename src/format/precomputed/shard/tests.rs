use super::*;
use crate::format::precomputed::shard_hash::ShardHash;
use crate::storage::MemoryStorage;
use proptest::prelude::*;

const SHARDING: Sharding = Sharding {
    preshift_bits: 0,
    hash: Ok(ShardHash::Identity),
    minishard_bits: 1,
    shard_bits: 0,
    has_gzip_indices: false,
    has_gzip_data: false,
};

fn shards(sharding: Sharding, files: &[(&str, &[u8])]) -> Shards {
    let storage = MemoryStorage::default();
    for (name, bytes) in files {
        storage.put(&StorageKey::new(*name).expect("clean"), bytes.to_vec());
    }
    Shards::new(Arc::new(storage), Arc::default(), sharding)
}

fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn located(shards: &Shards, id: u64) -> Result<Option<(u64, u64)>, String> {
    shards.locate(id).map(|found| found.map(|chunk| (chunk.range.start, chunk.range.len))).map_err(|err| err.to_string())
}

#[test]
fn offsets_count_from_the_end_of_the_previous_chunk() {
    // Chunks 0, 4 and 6 lie at 40, 48 and, before both of them, at 32.
    let minus_20 = 20_u64.wrapping_neg();
    let shard = [&words(&[24, 96, 0, 0])[..], &[0; 24], &words(&[0, 4, 2, 8, 4, minus_20, 4, 4, 4])].concat();
    let shards = shards(SHARDING, &[("0.shard", &shard)]);
    assert_eq!(located(&shards, 0), Ok(Some((40, 4))));
    assert_eq!(located(&shards, 4), Ok(Some((48, 4))));
    assert_eq!(located(&shards, 6), Ok(Some((32, 4))));
    assert_eq!(located(&shards, 2), Ok(None), "not listed");
    assert_eq!(located(&shards, 1), Ok(None), "an empty minishard");
    assert_eq!(shards.find_ids(9, &mut Problems::default()).expect("listed"), [0, 4, 6]);
}

#[test]
fn what_cannot_be_true_is_an_error_that_says_so() {
    let one = |table: [u64; 2], index: &[u64]| [&words(&[table[0], table[1], 0, 0])[..], &words(index)].concat();
    let cases = [
        (one([0, 24], &[0, 0, 25]), "truncated: it ends at byte 56, the chunk beyond it at 57"),
        (one([0, 24], &[0, u64::MAX, 1]), "minishard index: the chunk begins before the data do"),
        (one([0, 24], &[0, 1 << 62, u64::MAX]), "truncated"),
        (one([0, 48], &[0, 0, 0, 0, 1, 1]), "chunk number 0 is listed twice"),
        (one([0, 16], &[0, 0]), "16 bytes are not three rows"),
        (one([0, 25], &[0, 0, 1]), "shard index: minishard 0 has its index at bytes 32–57 of 56"),
        (one([24, 0], &[0, 0, 1]), "shard index: minishard 0"),
        (one([u64::MAX, 5], &[0, 0, 1]), "shard index: minishard 0"),
        (one([5, u64::MAX], &[0, 0, 1]), "shard index: minishard 0"),
        (words(&[0, 0, 0]), "the file has 24 bytes, the shard index alone takes 32"),
    ];
    for (bytes, message) in cases {
        let error = located(&shards(SHARDING, &[("0.shard", &bytes)]), 0).expect_err(message);
        assert!(error.contains(message), "{error}, expected {message}");
    }
}

#[test]
fn a_broken_minishard_leaves_its_neighbours() {
    let shard = [&words(&[9, 999, 0, 24])[..], &words(&[1, 0, 8])].concat();
    let shards = shards(SHARDING, &[("0.shard", &shard)]);
    assert!(located(&shards, 0).is_err());
    assert_eq!(located(&shards, 1), Ok(Some((32, 8))));
}

#[test]
fn an_absent_shard_has_no_chunks_and_half_a_pair_is_an_error() {
    assert_eq!(located(&shards(SHARDING, &[]), 0), Ok(None));
    let half = shards(SHARDING, &[("0.index", &words(&[0, 0, 0, 0]))]);
    assert!(located(&half, 0).expect_err("half").contains("0.data is missing"));
}

#[test]
fn of_a_long_table_only_the_entry_is_read() {
    // 2^17 entries take 2 MiB.
    let sharding = Sharding { minishard_bits: 17, ..SHARDING };
    let table_len = sharding.table_len();
    let mut shard = vec![0; usize::try_from(table_len).expect("small")];
    let entry = 16 * 0x1_2345;
    shard[entry..entry + 16].copy_from_slice(&words(&[8, 32]));
    shard.extend([7; 8]);
    shard.extend(words(&[0x1_2345, 0, 8]));
    let shards = shards(sharding, &[("0.shard", &shard)]);
    assert_eq!(located(&shards, 0x1_2345), Ok(Some((table_len, 8))));
    assert_eq!(located(&shards, 0x1_2346), Ok(None));
}

proptest! {
    #[test]
    fn arbitrary_shards_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        table in prop::collection::vec(0_u64..120, 4),
        has_gzip_indices in any::<bool>(),
    ) {
        let sharding = Sharding { has_gzip_indices, ..SHARDING };
        for shard in [bytes.clone(), [words(&table), bytes].concat()] {
            let shards = shards(sharding.clone(), &[("0.shard", &shard)]);
            for id in 0..4 {
                if let Ok(Some((start, len))) = located(&shards, id) {
                    prop_assert!(start >= 32 && start + len <= shard.len() as u64);
                }
            }
            let _ = shards.find_ids(9, &mut Problems::default());
        }
    }
}
