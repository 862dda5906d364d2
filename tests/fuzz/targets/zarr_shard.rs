//! Shards of Zarr 3 below metadata that are right.
#![no_main]

use chunkscope_fuzz::{Files, choice, exercise};
use libfuzzer_sys::fuzz_target;

const LITTLE: &str = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
const BIG: &str = r#"{"name": "bytes", "configuration": {"endian": "big"}}"#;
const CRC: &str = r#"{"name": "crc32c"}"#;
const ZSTD: &str = r#"{"name": "zstd", "configuration": {"level": 5, "checksum": true}}"#;
const TURN: &str = r#"{"name": "transpose", "configuration": {"order": [2, 1, 0]}}"#;

fn sharded(side: u32, codecs: &str, index: &str, place: &str) -> String {
    format!(
        r#"{{"name": "sharding_indexed", "configuration": {{"chunk_shape": [{side}, {side}, {side}], "codecs": [{codecs}],
        "index_codecs": [{index}], "index_location": "{place}"}}}}"#
    )
}

fn codecs(choice: usize) -> String {
    let plain_index = format!("{LITTLE}, {CRC}");
    match choice % 6 {
        0 => sharded(4, LITTLE, &plain_index, "end"),
        1 => sharded(4, &format!("{TURN}, {LITTLE}, {ZSTD}"), &plain_index, "end"),
        2 => sharded(4, &format!("{BIG}, {CRC}"), BIG, "start"),
        // A shard in each cell of a shard.
        3 => sharded(4, &sharded(2, LITTLE, LITTLE, "start"), &plain_index, "end"),
        // Can only be read whole.
        4 => format!("{}, {CRC}", sharded(4, LITTLE, LITTLE, "end")),
        _ => format!("{TURN}, {}", sharded(4, &sharded(2, LITTLE, &plain_index, "end"), LITTLE, "start")),
    }
}

fuzz_target!(|input: &[u8]| {
    let (choice, shard) = choice(input);
    let metadata = format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": [15, 16, 16], "data_type": "uint16", "fill_value": 7,
        "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [8, 8, 8]}}}},
        "chunk_key_encoding": {{"name": "default"}}, "codecs": [{}]}}"#,
        codecs(choice)
    );
    exercise(&Files::new([("zarr.json", metadata.as_bytes())]).with_chunks(shard), "");
});
