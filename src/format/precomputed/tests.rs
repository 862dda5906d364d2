use super::*;
use crate::format::ChunkSource;
use crate::format::{ChunkEncoding, LayerCategory, SpanState, read_box};
use crate::geometry::{BoundingBox, ChunkIndex, Shape3, ShardIndex};
use crate::storage::{IoStats, MemoryOpener, MemoryStorage, MeteredOpener, StorageKey};
use crate::voxel::VoxelType;

fn opener(files: &[(&str, &[u8])]) -> MemoryOpener {
    let storage = Arc::new(MemoryStorage::default());
    for (name, bytes) in files {
        storage.put(&StorageKey::new(*name).expect("clean"), bytes.to_vec());
    }
    MemoryOpener::new("/data", storage)
}

fn image(opener: &MemoryOpener) -> Image {
    open_image(opener, Path::new("/data/vol"), &Arc::default()).expect("opens")
}

fn first_source(opener: &MemoryOpener) -> Arc<dyn ChunkSource> {
    image(opener).levels[0].source.as_ref().expect("opens").clone()
}

/// All voxels of a level.
fn voxels(source: &dyn ChunkSource) -> Result<Vec<u8>, String> {
    let bounds = source.grid().bounds();
    read(source, bounds.topleft.to_array(), bounds.shape)
}

fn read(source: &dyn ChunkSource, topleft: [i64; 3], shape: Shape3) -> Result<Vec<u8>, String> {
    let [x, y, z] = topleft;
    let wanted = BoundingBox::new(Vec3Int::new(x, y, z), shape);
    let mut out = vec![0xee; shape.byte_len(source.voxel_type().byte_len()).expect("small")];
    read_box(source, &wanted, &mut out).map(|_| out).map_err(|err| err.to_string())
}

/// The example of the specification: value 100 c + x + 3 y + 6 z.
const RAW_INFO: &[u8] = br#"{"@type":"neuroglancer_multiscale_volume","type":"image","data_type":"uint8","num_channels":2,
    "scales":[{"key":"8_8_30","size":[3,2,2],"voxel_offset":[10,20,30],"resolution":[8.0,8.0,30.0],
    "chunk_sizes":[[2,2,2]],"encoding":"raw"}]}"#;
const RAW_0: &[u8] = &[0, 1, 3, 4, 6, 7, 9, 10, 100, 101, 103, 104, 106, 107, 109, 110];
const RAW_1: &[u8] = &[2, 5, 8, 11, 102, 105, 108, 111];

fn raw_expected() -> Vec<u8> {
    (0..12).flat_map(|i| [i, 100 + i]).collect()
}

/// gzip of bytes in a stored deflate block.
fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in plain {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    let len = plain.len() as u16;
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(len.to_le_bytes());
    out.extend((!len).to_le_bytes());
    out.extend(plain);
    out.extend((!crc).to_le_bytes());
    out.extend((plain.len() as u32).to_le_bytes());
    out
}

#[test]
fn raw_chunks_are_clipped_and_have_the_channel_slowest() {
    let opener = opener(&[("vol/info", RAW_INFO), ("vol/8_8_30/10-12_20-22_30-32", RAW_0), ("vol/8_8_30/12-13_20-22_30-32", RAW_1)]);
    let image = image(&opener);
    assert_eq!((image.name.as_str(), image.category, image.unit), ("vol", Some(LayerCategory::Color), Some(LengthUnit::NANOMETER)));
    assert!(image.problems.is_empty(), "{:?}", image.problems);
    let level = &image.levels[0];
    assert_eq!((level.scale, level.translation, level.axes.len()), ([8.0, 8.0, 30.0], [0.0; 3], 0));
    let source = level.source.as_ref().expect("opens");
    assert_eq!(source.voxel_type(), VoxelType { class: crate::voxel::ElementClass::Uint8, channels: 2 });
    assert_eq!(source.grid().bounds(), BoundingBox::new(Vec3Int::new(10, 20, 30), Shape3::new(3, 2, 2)));
    assert_eq!(voxels(source.as_ref()), Ok(raw_expected()));
    assert_eq!(source.find_shards(9).expect("listed"), [ShardIndex(Vec3Int::ZERO), ShardIndex(Vec3Int::new(1, 0, 0))]);
    let layout = source.shard_layout(ShardIndex(Vec3Int::ZERO)).expect("readable").expect("there");
    assert_eq!((layout.file_len, layout.index_len, layout.spans.len()), (16, 0, 1));
}

#[test]
fn a_missing_chunk_is_zeros_and_a_wrong_length_is_an_error_with_both() {
    let opener_with = |bytes: &[u8]| opener(&[("vol/info", RAW_INFO), ("vol/8_8_30/12-13_20-22_30-32", bytes)]);
    let source = first_source(&opener_with(RAW_1));
    let [a, b, rest @ ..] = &voxels(source.as_ref()).expect("read")[..] else { panic!("short") };
    assert_eq!((a, b, &rest[..4]), (&0, &0, &[0, 0, 2, 102][..]));
    for (bytes, words) in [(&RAW_1[..7], "7 bytes, expected 8"), (RAW_0, "16 bytes, expected 8"), (&[][..], "0 bytes, expected 8")] {
        let error = voxels(first_source(&opener_with(bytes)).as_ref()).expect_err("wrong length");
        assert!(error.contains(words) && error.ends_with("12-13_20-22_30-32"), "{error}");
    }
}

#[test]
fn chunk_files_may_be_compressed_under_either_name() {
    for ending in ["", ".gz"] {
        let (a, b) = (format!("vol/8_8_30/10-12_20-22_30-32{ending}"), format!("vol/8_8_30/12-13_20-22_30-32{ending}"));
        let opener = opener(&[("vol/info", RAW_INFO), (&a, &gzip(RAW_0)), (&b, &gzip(RAW_1))]);
        let source = first_source(&opener);
        assert_eq!(voxels(source.as_ref()), Ok(raw_expected()), "{ending}");
        assert_eq!(source.find_shards(9).expect("listed").len(), 2);
    }
}

#[test]
fn raw_voxels_that_look_like_gzip_are_voxels() {
    let chunk = [0x1f, 0x8b, 8, 0, 1, 2, 3, 4];
    let opener = opener(&[("vol/info", RAW_INFO), ("vol/8_8_30/12-13_20-22_30-32", &chunk)]);
    let source = first_source(&opener);
    let at = |x, y, z| read(source.as_ref(), [x, y, z], Shape3::splat(1)).expect("read");
    assert_eq!((at(12, 20, 30), at(12, 21, 31)), (vec![0x1f, 1], vec![0, 4]));
}

/// The example of the specification: 4 × 2 × 2, chunks of 2 × 2 × 2, each voxel its linear index.
fn sharded_info(sharding: &str) -> Vec<u8> {
    format!(
        r#"{{"type":"image","data_type":"uint8","num_channels":1,"scales":[{{"key":"s0","size":[4,2,2],"resolution":[1,1,1],
        "chunk_sizes":[[2,2,2]],"encoding":"raw","sharding":{{"@type":"neuroglancer_uint64_sharded_v1",{sharding}}}}}]}}"#
    )
    .into_bytes()
}

fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

const CHUNK_0: [u8; 8] = [0, 1, 4, 5, 8, 9, 12, 13];
const CHUNK_1: [u8; 8] = [2, 3, 6, 7, 10, 11, 14, 15];
const TWO_MINISHARDS: &str = r#""preshift_bits":0,"hash":"identity","minishard_bits":1,"shard_bits":1"#;

fn two_minishards() -> Vec<u8> {
    [&words(&[8, 32, 40, 64])[..], &CHUNK_0, &words(&[0, 0, 8]), &CHUNK_1, &words(&[1, 32, 8])].concat()
}

#[test]
fn identity_shards_of_the_specification() {
    let opener = opener(&[("vol/info", &sharded_info(TWO_MINISHARDS)), ("vol/s0/0.shard", &two_minishards())]);
    let source = first_source(&opener);
    assert_eq!(voxels(source.as_ref()), Ok((0..16).collect()));
    let second = source.locate(ChunkIndex(Vec3Int::new(1, 0, 0))).expect("readable").expect("there");
    assert_eq!((second.key.as_str(), second.range.start, second.range.len), ("0.shard", 64, 8));
    assert_eq!(second.encoding, ChunkEncoding::Canonical);
    assert_eq!(source.find_shards(9).expect("listed").len(), 2);
    assert_eq!(source.find_shards(1).expect("listed").len(), 1);
    let layout = source.shard_layout(ShardIndex(Vec3Int::new(1, 0, 0))).expect("readable").expect("there");
    assert_eq!((layout.file_len, layout.index_len), (96, 32 + 24));
    assert_eq!(layout.spans[0].state, SpanState::Present(second.range));
}

#[test]
fn one_minishard_with_preshift_of_the_specification() {
    let sharding = r#""preshift_bits":1,"hash":"identity","minishard_bits":0,"shard_bits":0"#;
    let shard = [&words(&[16, 64])[..], &CHUNK_0, &CHUNK_1, &words(&[0, 1, 0, 0, 8, 8])].concat();
    let opener = opener(&[("vol/info", &sharded_info(sharding)), ("vol/s0/0.shard", &shard)]);
    assert_eq!(voxels(first_source(&opener).as_ref()), Ok((0..16).collect()));
}

#[test]
fn murmur_shards_of_the_specification() {
    let sharding = r#""preshift_bits":0,"hash":"murmurhash3_x86_128","minishard_bits":1,"shard_bits":5"#;
    let first = [&words(&[0, 0, 8, 32])[..], &CHUNK_0, &words(&[0, 0, 8])].concat();
    let second = [&words(&[8, 32, 0, 0])[..], &CHUNK_1, &words(&[1, 0, 8])].concat();
    let files: [(&str, &[u8]); 3] = [("vol/info", &sharded_info(sharding)), ("vol/s0/00.shard", &first), ("vol/s0/0d.shard", &second)];
    let source = first_source(&opener(&files));
    assert_eq!(voxels(source.as_ref()), Ok((0..16).collect()));
    assert_eq!(source.find_shards(9).expect("listed").len(), 2);
    let source = first_source(&opener(&files[..2]));
    assert_eq!(voxels(source.as_ref()).map(|all| all[..6].to_vec()), Ok(vec![0, 1, 0, 0, 4, 5]));
}

#[test]
fn the_obsolete_pair_of_files_is_one_shard() {
    let shard = two_minishards();
    let (index, data) = shard.split_at(32);
    let opener = opener(&[("vol/info", &sharded_info(TWO_MINISHARDS)), ("vol/s0/0.index", index), ("vol/s0/0.data", data)]);
    let source = first_source(&opener);
    assert_eq!(voxels(source.as_ref()), Ok((0..16).collect()));
    assert_eq!(source.find_shards(9).expect("listed").len(), 2);
    let located = source.locate(ChunkIndex(Vec3Int::ZERO)).expect("readable").expect("there");
    assert_eq!((located.key.as_str(), located.range.start), ("0.data", 0));
}

#[test]
fn compressed_indices_and_chunks_of_shards() {
    let sharding = r#""preshift_bits":1,"hash":"identity","minishard_bits":0,"shard_bits":0,
        "minishard_index_encoding":"gzip","data_encoding":"gzip""#;
    let chunks = [gzip(&CHUNK_0), gzip(&CHUNK_1)];
    let len = chunks[0].len() as u64;
    let index = gzip(&words(&[0, 1, 0, 0, len, len]));
    let table = words(&[2 * len, 2 * len + index.len() as u64]);
    let shard = [&table[..], &chunks[0], &chunks[1], &index].concat();
    let opener = opener(&[("vol/info", &sharded_info(sharding)), ("vol/s0/0.shard", &shard)]);
    assert_eq!(voxels(first_source(&opener).as_ref()), Ok((0..16).collect()));
}

#[test]
fn compressed_segmentation_of_the_specification() {
    let info = br#"{"type":"segmentation","data_type":"uint32","num_channels":1,"scales":[{"key":"s0","size":[4,2,2],
        "resolution":[1,1,1],"chunk_sizes":[[64,64,64]],"encoding":"compressed_segmentation",
        "compressed_segmentation_block_size":[2,2,2]}]}"#;
    let chunk: Vec<u8> = [1_u32, 4, 4, 0x0200_0006, 5, 5, 0x8001, 0, 7, 9].iter().flat_map(|word| word.to_le_bytes()).collect();
    let opener = opener(&[("vol/info", info), ("vol/s0/0-4_0-2_0-2", &chunk)]);
    let source = first_source(&opener);
    let ids = [5_u32, 5, 7, 0, 5, 5, 0, 0, 5, 5, 0, 0, 5, 5, 0, 9];
    assert_eq!(voxels(source.as_ref()), Ok(ids.iter().flat_map(|id| id.to_le_bytes()).collect()));
    assert_eq!(image(&opener).category, Some(LayerCategory::Segmentation));
}

#[test]
fn unknown_encodings_and_hashes_fail_by_name_chunk_by_chunk() {
    let fpzip = String::from_utf8_lossy(RAW_INFO).replace("\"raw\"", "\"fpzip\"").into_bytes();
    let source = first_source(&opener(&[("vol/info", &fpzip), ("vol/8_8_30/10-12_20-22_30-32", &[1])]));
    assert!(voxels(source.as_ref()).expect_err("fpzip").contains("fpzip"));
    assert_eq!(source.find_shards(9).expect("listed").len(), 1);

    let hash = sharded_info(&TWO_MINISHARDS.replace("identity", "xxhash"));
    let source = first_source(&opener(&[("vol/info", &hash), ("vol/s0/0.shard", &two_minishards())]));
    assert!(voxels(source.as_ref()).expect_err("xxhash").contains("the hash xxhash is not known"));
    assert_eq!(source.find_shards(9).expect("listed").len(), 2);
}

#[test]
fn a_broken_scale_stands_beside_good_ones() {
    let info = br#"{"type":"image","data_type":"uint8","num_channels":1,"scales":[
        {"key":"b","size":[1,1,1],"resolution":[2,2,2],"chunk_sizes":[[0,1,1]],"encoding":"raw"},
        {"key":"c","size":[1,1,1],"resolution":[4,4,4],"chunk_sizes":[[1,1,1]],"encoding":"raw"},
        {"key":"d","size":[1,1,1],"resolution":[0,1,1],"chunk_sizes":[[1,1,1]],"encoding":"raw"},
        {"key":"e","size":[1,1,1],"resolution":[9,9,9],"chunk_sizes":[[1,1,1]],"encoding":"raw","hidden":true},
        {"key":"a","size":[1,1,1],"resolution":[1,1,1],"chunk_sizes":[[1,1,1],[2,2,2]],"encoding":"raw"}]}"#;
    let opener = opener(&[("vol/info", info), ("vol/a/0-1_0-1_0-1", &[7])]);
    let image = image(&opener);
    let found: Vec<_> =
        image.levels.iter().map(|level| (level.scale[0], level.source.as_ref().err().map(|err| err.reason.clone()))).collect();
    assert_eq!(found[0], (1.0, None));
    assert_eq!(found[1], (2.0, Some("info: scales.chunk_sizes: [0,1,1] can't be used as x, y, z".to_owned())));
    assert_eq!(found[2], (4.0, Some("the folder of the scale c is missing".to_owned())));
    let problems: Vec<_> = image.problems.iter().map(ToString::to_string).collect();
    assert!(problems[0].starts_with("Can't show scale d: info: scales.resolution: [0,1,1]"), "{problems:?}");
    assert!(problems[1].starts_with("Scale e is hidden"), "{problems:?}");
    assert!(problems[2].starts_with("Scale a is stored with 2 chunk shapes"), "{problems:?}");
}

#[test]
fn folders_of_scales_lead_to_their_volume() {
    let info = String::from_utf8_lossy(RAW_INFO).replace("8_8_30", "scales/8_8_30").into_bytes();
    let opener = opener(&[("vol/info", &info), ("vol/scales/8_8_30/10-12_20-22_30-32", RAW_0), ("vol/other/x", &[1])]);
    let folder = Path::new("/data/vol/scales/8_8_30");
    assert_eq!(scale_of(&opener, folder), Some((PathBuf::from("/data/vol"), "scales/8_8_30".to_owned())));
    assert_eq!(scale_of(&opener, Path::new("/data/vol/other")), None);
    assert_eq!(scale_of(&opener, Path::new("/data/vol")), None);
    let open = |declared: &DeclaredAxes| open_scale(&opener, folder, declared, &Arc::default()).expect("opens");
    let OpenedLevel { source, axes, .. } = open(&DeclaredAxes::default());
    assert_eq!((source.voxel_type().channels, axes), (2, Vec::new()));
    let named = |order: &[(&str, usize)]| order.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect::<Vec<_>>();
    let declared = DeclaredAxes { order: named(&[("x", 0), ("y", 1), ("z", 2)]), additional: Vec::new(), channel: Some(1) };
    let OpenedLevel { source, axes, .. } = open(&declared);
    assert_eq!((source.voxel_type().channels, axes), (1, Vec::new()));
    assert_eq!(read(source.as_ref(), [11, 21, 31], Shape3::splat(1)), Ok(vec![110]));
    let swapped = DeclaredAxes { order: named(&[("x", 2), ("y", 1), ("z", 0), ("c", 3)]), additional: Vec::new(), channel: Some(0) };
    let source = open(&swapped).source;
    assert_eq!(source.grid().bounds().topleft, Vec3Int::new(30, 20, 10));
    assert_eq!(read(source.as_ref(), [31, 20, 11], Shape3::splat(1)), Ok(vec![7]));
    let error = open_scale(&opener, Path::new("/data/vol/other"), &DeclaredAxes::default(), &Arc::default());
    assert!(error.expect_err("unlisted").to_string().contains("no info above"));
}

#[test]
fn every_field_is_reported_with_what_follows() {
    let opener = opener(&[("vol/info", &sharded_info(TWO_MINISHARDS)), ("vol/s0/0.shard", &two_minishards())]);
    let report = first_source(&opener).header_report();
    let field = |name: &str| {
        let all = report.sections.iter().flat_map(|section| &section.fields);
        let found = all.filter(|field| field.name == name).map(|field| (field.raw.as_str(), field.value.as_str(), field.meaning.as_str()));
        found.collect::<Vec<_>>()
    };
    assert_eq!(field("size"), [("[4,2,2]", "4, 2, 2", "in voxels; 2 × 1 × 1 chunks, those at the end clipped")]);
    assert_eq!(field("sharding.minishard_bits"), [("1", "1", "2 minishards in a shard, a shard index of 32 bytes")]);
    assert_eq!(field("sharding.shard_bits"), [("1", "1", "at most 2 shard files")]);
    assert_eq!(field("voxel_offset"), [("", "0, 0, 0", "missing, the default")]);
    assert_eq!(field("axis order"), [("", "x, y, z, c", "fixed by the format")]);
    assert_eq!(field("data_type"), [("\"uint8\"", "uint8", "1 byte")]);
}

#[test]
fn a_chunk_longer_than_its_scale_is_no_larger_than_what_is_stored() {
    let info = br#"{"type":"image","data_type":"uint8","num_channels":1,"scales":[{"key":"s0","size":[2,1,1],
        "voxel_offset":[-5,0,0],"resolution":[1,1,1],"chunk_sizes":[[1048576,1048576,1]],"encoding":"raw"}]}"#;
    let opener = opener(&[("vol/info", info), ("vol/s0/-5--3_0-1_0-1", &[8, 9])]);
    assert_eq!(voxels(first_source(&opener).as_ref()), Ok(vec![8, 9]));
}

#[test]
fn other_things_called_info_are_refused_by_what_they_are() {
    let open = |info: &[u8]| open_image(&opener(&[("vol/info", info)]), Path::new("/data/vol"), &Arc::new(ArrayIndexCache::default()));
    let message = |info: &[u8]| open(info).expect_err("refused").to_string();
    assert!(message(br#"{"@type":"neuroglancer_skeletons"}"#).starts_with("info describes skeletons"));
    assert!(message(b"hello").starts_with("info is not valid JSON: expected value at line 1 column 1"));
    assert!(message(b"{}").starts_with("info: scales is missing: /data/vol/info"));
    let nothing = open_image(&opener(&[("vol/x", b"")]), Path::new("/data/vol"), &Arc::default());
    assert_eq!(nothing.expect_err("none").to_string(), "there is no info: /data/vol/info");
}

#[test]
fn opening_reads_info_only_and_a_chunk_takes_few_reads() {
    let opener = opener(&[("vol/info", &sharded_info(TWO_MINISHARDS)), ("vol/s0/0.shard", &two_minishards())]);
    let stats = Arc::new(IoStats::default());
    let metered = MeteredOpener::new(opener, stats.clone());
    let opened = open_image(&metered, Path::new("/data/vol"), &Arc::default()).expect("opens");
    let counts = stats.take();
    assert_eq!((counts.reads, counts.examined, counts.listed), (1, 1, 0), "info, and whether the folder is there");
    let source = opened.levels[0].source.as_ref().expect("opens");
    let chunk = |x| source.locate(ChunkIndex(Vec3Int::new(x, 0, 0))).expect("readable").expect("there");
    chunk(0);
    let counts = stats.take();
    assert_eq!((counts.reads, counts.examined), (2, 1), "the shard index and a minishard index");
    chunk(1);
    chunk(0);
    let counts = stats.take();
    assert_eq!((counts.reads, counts.examined), (1, 0), "the other minishard index");
    source.forget_indices();
    chunk(0);
    assert_eq!(stats.take().reads, 2);
}

#[test]
fn images_hold_the_channels_of_a_voxel_together_in_any_tiling() {
    use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};
    let info = br#"{"type":"image","data_type":"uint8","num_channels":3,"scales":[{"key":"s0","size":[3,2,2],
        "resolution":[1,1,1],"chunk_sizes":[[2,2,2]],"encoding":"png"}]}"#;
    // Value 10 (x + 3 y + 6 z) + c.
    let pixels = |xs: std::ops::Range<u8>| -> Vec<u8> {
        let rows = (0..4).map(|row| 3 * row).flat_map(|row| xs.clone().map(move |x| 10 * (row + x)));
        rows.flat_map(|value| [value, value + 1, value + 2]).collect()
    };
    let png = |pixels: &[u8], width, height| {
        let mut file = Vec::new();
        PngEncoder::new(&mut file).write_image(pixels, width, height, ExtendedColorType::Rgb8).expect("encodes");
        file
    };
    for (first, second) in [((2, 4), (1, 4)), ((4, 2), (2, 2)), ((8, 1), (4, 1))] {
        let (a, b) = (png(&pixels(0..2), first.0, first.1), png(&pixels(2..3), second.0, second.1));
        let opener = opener(&[("vol/info", info), ("vol/s0/0-2_0-2_0-2", &a), ("vol/s0/2-3_0-2_0-2", &b)]);
        assert_eq!(voxels(first_source(&opener).as_ref()), Ok(pixels(0..3)), "{first:?}");
    }
}

#[test]
fn the_length_of_a_sharded_chunk_is_its_own() {
    let opener = opener(&[("vol/info", &sharded_info(TWO_MINISHARDS)), ("vol/s0/0.shard", &two_minishards())]);
    let source = first_source(&opener);
    assert_eq!(source.shard_len(ShardIndex(Vec3Int::ZERO)).expect("readable"), Some(8));
    let empty = [&words(&[8, 32, 0, 0])[..], &CHUNK_0, &words(&[0, 0, 8])].concat();
    let opener = self::opener(&[("vol/info", &sharded_info(TWO_MINISHARDS)), ("vol/s0/0.shard", &empty)]);
    let source = first_source(&opener);
    assert_eq!(source.shard_len(ShardIndex(Vec3Int::new(1, 0, 0))).expect("readable"), None, "the file is there, the chunk isn't");
    assert!(source.is_absent(ShardIndex(Vec3Int::new(1, 0, 0))) && !source.is_absent(ShardIndex(Vec3Int::ZERO)));
}

fn hex(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[test]
fn compresso_chunks_are_segment_ids_with_x_fastest() {
    let info = br#"{"type":"segmentation","data_type":"uint8","num_channels":1,"scales":[{"key":"s0","size":[9,7,3],
        "resolution":[1,1,1],"chunk_sizes":[[64,64,64]],"encoding":"compresso"}]}"#;
    // Written by compresso 3.3.3: windows of 4 × 4 × 1, connectivity 4.
    let chunk = hex("6370736f010109000700030004040114000000000000000b0000002b000000000000000400020201f90100020201f901\
         f90100010202000200001000110032001101f202f404ce2fec2fee2f444f06ff07080906ff0709070809090806ff0708\
         06ff0707080906ff090807080906ff070806f9080906ff08091400100008000c000600030014000e0008000c00060003\
         001400120004000c000a000200060608000e0e");
    let opener = opener(&[("vol/info", info), ("vol/s0/0-9_0-7_0-3", &chunk)]);
    let mut expected = vec![0; 9 * 7 * 3];
    crate::codec::compresso::decode_into(&chunk, [9, 7, 3], 1, &mut expected).expect("decodes");
    assert_eq!(voxels(first_source(&opener).as_ref()), Ok(expected));
}

#[test]
fn chunks_under_names_of_other_compressions_are_refused_not_zeros() {
    let opener = opener(&[("vol/info", RAW_INFO), ("vol/8_8_30/10-12_20-22_30-32.br", &[1])]);
    let error = voxels(first_source(&opener).as_ref()).expect_err("Brotli");
    assert!(error.contains("10-12_20-22_30-32.br") && error.contains("Brotli"), "{error}");
}
