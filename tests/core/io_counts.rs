//! How many reads, bytes, examinations and listings an operation takes. A number that grows is a slower start or slice
//! on a network drive.

use crate::support::{
    LayerSpec, UINT8, boxed, cube, files, header, in_memory, properties, small_box, small_dataset, write_mag, write_properties,
};
use chunkscope::codec::lz4;
use chunkscope::format::wkw::{BlockType, WkwHeader};
use chunkscope::format::{ChunkSource, Dataset, adjacent_runs, open, read_box, read_encoded};
use chunkscope::geometry::{BoundingBox, ChunkIndex, Shape3, ShardIndex, Vec3Int, morton_decode, morton_encode};
use chunkscope::storage::{IoCounts, IoStats, LocalOpener, MemoryOpener, MeteredOpener};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Reads, bytes, examinations, listings.
fn numbers(counts: IoCounts) -> [u64; 4] {
    [counts.reads, counts.bytes, counts.examined, counts.listed]
}

fn opened(path: &Path) -> (Dataset, Arc<IoStats>, [u64; 4]) {
    let stats = Arc::new(IoStats::default());
    let dataset = open(&MeteredOpener::new(LocalOpener::default(), stats.clone()), path).expect("opens");
    let counts = numbers(stats.take());
    (dataset, stats, counts)
}

fn source(dataset: &Dataset) -> Arc<dyn ChunkSource> {
    dataset.layers[0].levels[0].source.clone().expect("a level")
}

fn read(source: &dyn ChunkSource, wanted: &BoundingBox) -> Vec<u8> {
    let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("a small box")];
    read_box(source, wanted, &mut out).expect("readable");
    out
}

#[test]
fn opening_by_json_reads_the_json_and_one_header_per_mag_and_lists_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["a", "b"] {
        for mag in ["1", "2", "4-4-2"] {
            write_mag(&dir.path().join(name).join(mag), header(2, 1, BlockType::Lz4, UINT8), &small_box());
        }
    }
    let layer = |name: &str| LayerSpec {
        mags: [("1", "1"), ("2", "2"), ("4-4-2", "4-4-2")].map(|(mag, folder)| (mag.into(), Some(format!("./{name}/{folder}")))).into(),
        ..LayerSpec::simple(name, small_box())
    };
    write_properties(dir.path(), &[layer("a"), layer("b")]);
    let json_len = properties(&[layer("a"), layer("b")]).len() as u64;

    let (_, _, counts) = opened(dir.path());

    // Examined: the path, the JSON, each mag's folder.
    assert_eq!(counts, [1 + 6, json_len + 6 * 16, 2 + 6, 0]);
}

#[test]
fn ten_thousand_shard_folders_beside_a_json_are_not_listed() {
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let mut files = files(dir.path());
    files.extend((100..10_100).map(|z| (format!("color/1/z{z}/y0/x0.wkw"), Vec::new())));
    let stats = Arc::new(IoStats::default());
    let opener = MeteredOpener::new(MemoryOpener::new("/d", in_memory(&files)), stats.clone());
    let start = Instant::now();

    open(&opener, Path::new("/d")).expect("opens");

    let counts = numbers(stats.take());
    assert_eq!((counts[0], counts[2], counts[3]), (2, 3, 0));
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}

#[test]
fn opening_without_a_json_lists_only_the_folders_on_the_way_to_the_shards() {
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    std::fs::remove_file(dir.path().join("datasource-properties.json")).expect("removed");

    let (dataset, _, counts) = opened(dir.path());

    // Dataset and layer for what they are, the layer again for its mags, then the mag, 2 z and 2 · 2 y for the extent.
    assert_eq!((counts[0], counts[3]), (1, 3 + 1 + 2 + 4));
    assert_eq!(dataset.layers[0].bounding_box, cube(16));
}

#[test]
fn a_first_chunk_takes_header_and_jump_table_in_one_read_and_its_own_bytes_in_another() {
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let (dataset, stats, _) = opened(dir.path());
    let source = source(&dataset);

    let first = source.locate(ChunkIndex(Vec3Int::ZERO)).expect("sound").expect("stored");
    assert_eq!(numbers(stats.take()), [1, 16 + 8 * 8, 1, 0]);
    read_encoded(source.as_ref(), std::slice::from_ref(&first)).expect("readable");
    assert_eq!(numbers(stats.take()), [1, first.range.len, 0, 0]);

    let second = source.locate(ChunkIndex(Vec3Int::new(1, 1, 0))).expect("sound").expect("stored");
    assert_eq!(numbers(stats.take()), [0, 0, 0, 0], "the index is kept");
    read_encoded(source.as_ref(), std::slice::from_ref(&second)).expect("readable");
    assert_eq!(numbers(stats.take()), [1, second.range.len, 0, 0]);
}

#[test]
fn the_layout_of_a_shard_takes_its_header_and_jump_table_only() {
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let (dataset, stats, _) = opened(dir.path());

    let layout = source(&dataset).shard_layout(ShardIndex(Vec3Int::ZERO)).expect("sound").expect("stored");

    assert_eq!(layout.present(), 8);
    assert_eq!(numbers(stats.take()), [1, 16 + 8 * 8, 1, 0]);
}

#[test]
fn a_shard_that_is_not_there_is_asked_for_once() {
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let (dataset, stats, _) = opened(dir.path());
    let source = source(&dataset);
    let absent = boxed([80, 0, 0], [8, 8, 8]);

    for _ in 0..3 {
        read(source.as_ref(), &absent);
        assert!(source.is_absent(ShardIndex(Vec3Int::new(10, 0, 0))));
        assert!(source.locate(ChunkIndex(Vec3Int::new(21, 1, 1))).expect("no error").is_none());
    }

    assert_eq!(numbers(stats.take()), [1, 0, 0, 0]);
}

#[test]
fn many_threads_that_touch_a_shard_at_once_read_its_index_once() {
    use rayon::prelude::*;
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let (dataset, stats, _) = opened(dir.path());
    let source = source(&dataset);

    (0..512_i64).into_par_iter().for_each(|i| {
        source.locate(ChunkIndex(Vec3Int::new(i % 2, i / 2 % 2, i / 4 % 2))).expect("sound");
    });

    assert_eq!(numbers(stats.take()), [1, 16 + 8 * 8, 1, 0]);
}

#[test]
fn chunks_that_follow_each_other_in_a_shard_come_with_one_read() {
    let dir = tempfile::tempdir().expect("a folder");
    small_dataset(dir.path());
    let (dataset, stats, _) = opened(dir.path());
    let source = source(&dataset);

    read(source.as_ref(), &cube(8));

    // Slabs of chunks along z are read by different threads: 4 chunks each, adjacent in Morton order.
    let counts = numbers(stats.take());
    assert_eq!((counts[0], counts[2]), (1 + 2, 1));
    let locations: Vec<_> = source.grid().chunks_in(&cube(8)).map(|chunk| source.locate(chunk).expect("sound").expect("stored")).collect();
    assert_eq!(adjacent_runs(locations).len(), 1);
}

/// Chunks of 32, shards of 16 chunks a side: 512³ voxels.
const SHARD: WkwHeader =
    WkwHeader { chunk_log2: 5, chunks_per_shard_log2: 4, block_type: BlockType::Raw, voxel_type: UINT8, data_offset: 0 };
const CHUNK_BYTES: u64 = 32 * 32 * 32;

/// Value of every voxel of a chunk.
fn chunk_value(number: u64) -> u8 {
    u8::try_from(number % 250).expect("below 250") + 1
}

/// A full-size LZ4 shard, written by hand. Returns the length of each chunk's block.
fn large_lz4_mag(folder: &Path) -> Vec<u64> {
    let header = WkwHeader { block_type: BlockType::Lz4, ..SHARD };
    let blocks: Vec<Vec<u8>> = (0..250).map(|number| lz4::encode(&vec![chunk_value(number); CHUNK_BYTES as usize])).collect();
    let mut bytes = WkwHeader { data_offset: header.expected_data_offset(), ..header }.to_bytes().expect("expressible").to_vec();
    let lens: Vec<u64> = (0..header.chunk_count()).map(|number| blocks[(number % 250) as usize].len() as u64).collect();
    let mut end = header.expected_data_offset();
    for len in &lens {
        end += len;
        bytes.extend(end.to_le_bytes());
    }
    (0..header.chunk_count()).for_each(|number| bytes.extend(&blocks[(number % 250) as usize]));
    put_mag(folder, header);
    std::fs::write(folder.join("z0/y0/x0.wkw"), bytes).expect("written");
    lens
}

/// A full-size RAW shard, sparse on disk but for the chunks of three planes.
fn large_raw_mag(folder: &Path, planes: &[BoundingBox]) {
    put_mag(folder, SHARD);
    let mut file = std::fs::File::create(folder.join("z0/y0/x0.wkw")).expect("created");
    file.write_all(&WkwHeader { data_offset: 16, ..SHARD }.to_bytes().expect("expressible")).expect("written");
    file.set_len(16 + SHARD.chunk_count() * CHUNK_BYTES).expect("sparse");
    for number in 0..SHARD.chunk_count() {
        let at = Vec3Int::from(morton_decode(number).map(|v| v as i64 * 32));
        if planes.iter().any(|plane| !plane.intersect(&BoundingBox::new(at, Shape3::splat(32))).is_empty()) {
            file.seek(SeekFrom::Start(16 + number * CHUNK_BYTES)).expect("seek");
            file.write_all(&vec![chunk_value(number); CHUNK_BYTES as usize]).expect("written");
        }
    }
}

fn put_mag(folder: &Path, header: WkwHeader) {
    std::fs::create_dir_all(folder.join("z0/y0")).expect("a folder");
    std::fs::write(folder.join("header.wkw"), header.to_bytes().expect("expressible")).expect("written");
}

/// The three planes through the middle of the shard: xy, xz, yz.
fn planes() -> [BoundingBox; 3] {
    [boxed([0, 0, 256], [512, 512, 1]), boxed([0, 256, 0], [512, 1, 512]), boxed([256, 0, 0], [1, 512, 512])]
}

fn assert_plane_is_right(bytes: &[u8], plane: &BoundingBox) {
    let [w, h, _] = plane.shape.to_usize();
    for (i, value) in bytes.iter().enumerate() {
        let pos = plane.topleft + Vec3Int::from([i % w, i / w % h, i / w / h].map(|v| v as i64));
        let number = morton_encode(pos.to_array().map(|v| (v / 32) as u64));
        assert_eq!(*value, chunk_value(number), "{pos}");
    }
}

#[test]
fn a_slice_of_an_lz4_shard_reads_each_of_its_256_chunks_once_in_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    let lens = large_lz4_mag(&dir.path().join("1"));
    let index = 16 + 8 * 4096;
    // In Morton order x, y and z alternate: a plane xy has runs of 4 chunks, xz of 2, yz of 1 (and 2 where z and y meet).
    for (plane, reads) in planes().into_iter().zip([1 + 64, 1 + 128, 1 + 256]) {
        let (dataset, stats, _) = opened(&dir.path().join("1"));
        let source = source(&dataset);
        assert_plane_is_right(&read(source.as_ref(), &plane), &plane);
        let stored: u64 =
            source.grid().chunks_in(&plane).map(|chunk| lens[morton_encode(chunk.0.to_array().map(|v| v as u64)) as usize]).sum();
        assert_eq!(numbers(stats.take()), [reads, index + stored, 1, 0], "{plane}");
        assert_plane_is_right(&read(source.as_ref(), &plane), &plane);
        assert_eq!(numbers(stats.take()), [reads - 1, stored, 0, 0], "{plane} again");
    }
}

#[test]
fn a_slice_of_a_raw_shard_reads_each_of_its_256_chunks_once_in_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    large_raw_mag(&dir.path().join("1"), &planes());
    for (plane, reads) in planes().into_iter().zip([1 + 64, 1 + 128, 1 + 256]) {
        let (dataset, stats, _) = opened(&dir.path().join("1"));
        let source = source(&dataset);
        assert_plane_is_right(&read(source.as_ref(), &plane), &plane);
        assert_eq!(numbers(stats.take()), [reads, 16 + 256 * CHUNK_BYTES, 1, 0], "{plane}");
    }
}

#[test]
fn a_plane_of_one_large_raw_chunk_reads_that_plane_only() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("1");
    let header = WkwHeader { chunk_log2: 9, chunks_per_shard_log2: 0, ..SHARD };
    put_mag(&folder, header);
    let mut file = std::fs::File::create(folder.join("z0/y0/x0.wkw")).expect("created");
    file.write_all(&WkwHeader { data_offset: 16, ..header }.to_bytes().expect("expressible")).expect("written");
    file.set_len(16 + (512 << 18)).expect("sparse");
    file.seek(SeekFrom::Start(16 + (256 << 18))).expect("seek");
    file.write_all(&vec![7; 512 * 512]).expect("written");
    let (dataset, stats, _) = opened(&folder);

    let bytes = read(source(&dataset).as_ref(), &boxed([0, 0, 256], [512, 512, 1]));

    assert!(bytes.iter().all(|b| *b == 7));
    assert_eq!(numbers(stats.take()), [2, 16 + 512 * 512, 1, 0]);
    // Of a part of the plane the rows in between come along.
    let bytes = read(source(&dataset).as_ref(), &boxed([100, 100, 256], [10, 10, 1]));
    assert_eq!(bytes, [7; 100]);
    assert!(stats.take().bytes <= 512 * 512);
}
