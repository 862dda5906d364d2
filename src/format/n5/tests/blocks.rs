//! Blocks byte by byte.

use super::*;

/// `dimensions` [3,2,2], `blockSize` [2,2,2], uint16, value x + 3y + 6z: the example of the format's description.
fn example(compression: &Value) -> Files {
    let json = json!({"dimensions": [3, 2, 2], "blockSize": [2, 2, 2], "dataType": "uint16", "compression": compression});
    Files::default().json("attributes.json", &json)
}

const HEADER: [u8; 16] = [0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2];
const FIRST: [u8; 16] = [0, 0, 0, 1, 0, 3, 0, 4, 0, 6, 0, 7, 0, 9, 0, 10];
const CUT_HEADER: [u8; 16] = [0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2];

fn expected() -> Vec<u8> {
    (0..12_u16).flat_map(u16::to_le_bytes).collect()
}

fn first() -> Vec<u8> {
    [HEADER, FIRST].concat()
}

#[test]
fn blocks_that_are_padded_cut_or_followed_by_bytes_are_read_alike() {
    let padded = [&HEADER[..], &[0, 2, 0, 0, 0, 5, 0, 0, 0, 8, 0, 0, 0, 11, 0, 0]].concat();
    let cut = [&CUT_HEADER[..], &[0, 2, 0, 5, 0, 8, 0, 11]].concat();
    let followed = [&cut[..], b"anything"].concat();
    let mut varlength = [&[0, 1][..], &CUT_HEADER[2..], &[0, 0, 0, 4, 0, 2, 0, 5, 0, 8, 0, 11]].concat();
    for edge in [padded, cut, followed, varlength.clone()] {
        let files = example(&json!({"type": "raw"})).put("0/0/0", first()).put("1/0/0", edge.clone());
        let level = files.level();
        assert_eq!(voxels(level.source.as_ref()).map_err(|e| e.to_string()), Ok(expected()), "{edge:02x?}");
        assert!(level.source.take_warnings().is_empty());
    }
    varlength[19] = 2; // two elements stored
    varlength.truncate(24);
    let level = example(&json!(null)).put("0/0/0", first()).put("1/0/0", varlength).level();
    let mut short = expected();
    short[16..18].fill(0); // x 2, z 1
    short[22..24].fill(0);
    assert_eq!(voxels(level.source.as_ref()).map_err(|e| e.to_string()), Ok(short));
    assert!(level.source.take_warnings().is_empty());
}

#[test]
fn absent_blocks_are_zero_and_short_ones_are_filled_with_zeros_and_a_warning() {
    let files = example(&json!({"type": "raw"})).put("0/0/0", &first()[..16 + 5]);
    let level = files.level();
    let mut rest = vec![0; 24];
    rest[2] = 1; // value 0, value 1, and half of value 3
    assert_eq!(voxels(level.source.as_ref()).map_err(|e| e.to_string()), Ok(rest));
    let warnings: Vec<String> = level.source.take_warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["Block 0/0/0 holds 5 of 16 bytes, the rest is shown as 0: memory:0/0/0"]);
}

#[test]
fn every_compression_leads_to_its_codec() {
    // Deflate of one stored block; bytes behind the gzip member don't matter.
    let stored_deflate = [&[1, 16, 0, 0xef, 0xff][..], &FIRST].concat();
    let crc = crc32(&FIRST).to_le_bytes();
    let gzip = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255][..], &stored_deflate, &crc, &16_u32.to_le_bytes(), b"junk behind"].concat();
    let zlib = [&[0x78, 0x01][..], &stored_deflate, &adler32(&FIRST).to_be_bytes()].concat();
    let cases = [
        (json!({"compression": {"type": "gzip", "level": -1}}), &gzip, "gzip"),
        (json!({"compressionType": "gzip"}), &gzip, "gzip"),
        (json!({"compression": {"type": "gzip", "useZlib": true}}), &zlib, "zlib"),
        (json!({"compression": {"type": "zlib"}}), &zlib, "zlib"),
    ];
    for (compression, body, name) in cases {
        let mut json = json!({"dimensions": [2, 2, 2], "blockSize": [2, 2, 2], "dataType": "uint16"});
        json.as_object_mut().expect("object").extend(compression.as_object().expect("object").clone());
        let level = Files::default().json("attributes.json", &json).put("0/0/0", [&HEADER[..], body].concat()).level();
        let expected: Vec<u8> = FIRST.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        assert_eq!(voxels(level.source.as_ref()).map_err(|e| e.to_string()), Ok(expected), "{json}");
        let layout = level.source.shard_layout(level.source.grid().shard_from_chunk(crate::geometry::ChunkIndex(ORIGIN)));
        assert_eq!(layout.expect("read").expect("there").encoding, name);
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1_u32, 0_u32), |(a, b), byte| ((a + u32::from(*byte)) % 65521, (b + a + u32::from(*byte)) % 65521));
    b << 16 | a
}

#[test]
fn an_unknown_compression_leaves_all_but_the_voxels() {
    let files = example(&json!({"type": "jpeg", "quality": 90})).put("0/0/0", first());
    let level = files.level();
    let message = voxels(level.source.as_ref()).expect_err("no reader").to_string();
    assert_eq!(message, "chunk 0, 0, 0 of shard 0, 0, 0 at byte 0: the compression jpeg is not supported: memory:0/0/0");
    assert_eq!(level.source.find_shards(10).expect("listed").len(), 1);
    let report = level.source.header_report();
    let field = report.sections[0].fields.iter().find(|field| field.name == "compression").expect("reported");
    assert_eq!((field.value.as_str(), field.meaning.as_str()), ("unknown", "jpeg is not supported: voxels can't be read"));
    assert_eq!(field.raw, r#"{"type":"jpeg","quality":90}"#);
}

#[test]
fn damaged_block_headers_are_errors_of_their_block_only() {
    let object = [0, 2, 0, 0, 0, 8];
    let files = example(&json!({"type": "raw"})).put("0/0/0", first()).put("1/0/0", object);
    let level = files.level();
    let read_part = |x: i64| read(level.source.as_ref(), BoundingBox::new(Vec3Int::new(x, 0, 0), shape(1, 1, 1)));
    assert_eq!(read_part(1).expect("sound"), [1, 0]);
    let message = read_part(2).expect_err("damaged").to_string();
    assert!(message.contains("corrupt block header: mode 2: object blocks hold no voxels"), "{message}");
}

#[test]
fn an_empty_block_file_is_zero_and_a_huge_block_is_an_error_of_its_chunk() {
    let level = example(&json!({"type": "raw"})).put("0/0/0", []).level();
    assert_eq!(voxels(level.source.as_ref()).map_err(|e| e.to_string()), Ok(vec![0; 24]));
    let json = json!({"dimensions": [1 << 30, 1 << 30, 1 << 30], "blockSize": [1 << 20, 1 << 20, 1 << 20], "dataType": "float64"});
    let header = [0, 0, 0, 3, 0, 16, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 1, 2, 3];
    let level = Files::default().json("attributes.json", &json).put("0/0/0", header).level();
    let location = level.source.locate(crate::geometry::ChunkIndex(ORIGIN)).expect("located").expect("there");
    assert_eq!(location.range.len, 19);
    let message = level.source.chunk_byte_len().expect_err("too large").to_string();
    assert!(message.contains("more than the"), "{message}");
}

#[test]
fn blocks_are_found_from_the_middle_and_names_that_no_writer_makes_are_passed_over() {
    let json = json!({"dimensions": [6, 4, 2, 2], "blockSize": [2, 2, 2, 1], "dataType": "uint8", "axes": ["x", "y", "z", "t"]});
    let mut files = Files::default().json("attributes.json", &json);
    for key in ["0/0/0/0", "1/0/0/0", "1/1/0/0", "2/1/0/0", "2/1/0/1", "3/0/0/0", "01/0/0/0", "1/0/x/0", "2/0/0/0/0"] {
        files = files.put(key, [0]);
    }
    let level = files.level();
    let found = |source: &dyn ChunkSource, limit| -> Vec<String> {
        source.find_shards(limit).expect("listed").iter().map(|shard| shard.0.to_string()).collect()
    };
    assert_eq!(found(level.source.as_ref(), 100), ["1, 1, 0", "1, 0, 0", "2, 1, 0", "0, 0, 0"]);
    assert_eq!(found(level.source.as_ref(), 2), ["1, 1, 0", "1, 0, 0"]);
    assert_eq!(level.axes.len(), 1);
    let later = level.source.at_axes(&[1]).expect("inside");
    assert_eq!(found(later.as_ref(), 100), ["2, 1, 0"]);
}

#[test]
fn axes_are_declared_named_or_by_position() {
    let names = |declared: &DeclaredAxes, default, json: &Value| -> String {
        let files = Files::default().json("attributes.json", json);
        let level = open_level(&files.opener(), Path::new("/data.n5"), declared, default).expect("opened");
        let report = level.source.header_report();
        let warnings = level.source.take_warnings().len();
        format!("{} {warnings}", report.sections.last().expect("axes").fields[0].value)
    };
    let none = DeclaredAxes::default();
    let declared = DeclaredAxes { order: vec![("x".to_owned(), 1), ("y".to_owned(), 2), ("z".to_owned(), 0)], ..none.clone() };
    let bare = json!({"dimensions": [2, 3, 4], "blockSize": [2, 3, 4], "dataType": "uint8"});
    let mut named = bare.clone();
    named["axes"] = json!(["y", "x", "z"]);
    let mut misnamed = bare.clone();
    misnamed["axes"] = json!(["y", "x"]);
    assert_eq!(names(&none, DefaultAxes::Plain, &bare), "x, y, z 0");
    assert_eq!(names(&none, DefaultAxes::Server, &bare), "z, y, x 0");
    assert_eq!(names(&declared, DefaultAxes::Server, &named), "z, x, y 0");
    assert_eq!(names(&none, DefaultAxes::Server, &named), "y, x, z 0");
    assert_eq!(names(&none, DefaultAxes::Plain, &misnamed), "x, y, z 1");
}
