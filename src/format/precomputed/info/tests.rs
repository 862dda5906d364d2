use super::*;
use proptest::prelude::*;

fn parse(json: &str) -> Result<Info, InfoError> {
    Info::parse(json.as_bytes(), "info", &mut Problems::default())
}

/// The parse of a volume of one scale, one of whose fields is replaced.
fn with(field: &str, value: &str) -> Result<Scale, String> {
    let fields = [
        ("key", "\"a\""),
        ("size", "[3,2,2]"),
        ("resolution", "[8,8,30.5]"),
        ("chunk_sizes", "[[2,2,2]]"),
        ("encoding", "\"raw\""),
        ("voxel_offset", "[10,-20,30]"),
        ("sharding", "null"),
        ("compressed_segmentation_block_size", "[8,8,8]"),
    ];
    let list: Vec<_> = fields
        .iter()
        .map(|(name, old)| (name, if *name == field { value } else { old }))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    let json = format!(r#"{{"type":"image","data_type":"uint8","num_channels":1,"scales":[{{{}}}]}}"#, list.join(","));
    let info = parse(&json).map_err(|err| err.to_string())?;
    info.scales[0].scale.clone().map_err(|err| err.to_string())
}

#[test]
fn a_scale_is_translated() {
    let scale = with("", "").expect("valid");
    assert_eq!((scale.shape, scale.offset, scale.chunk_shape, scale.grid()), ([3, 2, 2], [10, -20, 30], [2; 3], [2, 1, 1]));
    assert_eq!(with("voxel_offset", "").expect("valid").offset, [0; 3]);
    assert_eq!(with("size", "[3.0,2e0,2]").expect("valid").shape, [3, 2, 2]);
    assert_eq!(with("encoding", "\"fpzip\"").expect("valid").encoding, Encoding::Unsupported("fpzip".to_owned()));
    let scale = with("encoding", "\"compressed_segmentation\"").expect("valid");
    assert_eq!(scale.encoding, Encoding::CompressedSegmentation { block: [8; 3] });
}

#[test]
fn each_bad_field_is_named() {
    let cases = [
        ("key", "", "info: scales.key is missing"),
        ("key", "7", "info: scales.key: no text"),
        ("size", "", "info: scales.size is missing"),
        ("size", "[3,2]", "info: scales.size: [3,2] can't be used as x, y, z"),
        ("size", "[3,2,-1]", "info: scales.size: [3,2,-1] can't"),
        ("size", "[1e300,1,1]", "info: scales.size: [1e+300,1,1] can't"),
        ("size", "[18446744073709551615,1,1]", "info: scales.size: [18446744073709551615,1,1] can't"),
        ("voxel_offset", "[9223372036854775807,0,0]", "info: scales.voxel_offset: [9223372036854775807,0,0] can't"),
        ("resolution", "[8,8,0]", "info: scales.resolution: [8,8,0] is no size"),
        ("resolution", "[NaN,8,8]", "info: scales.resolution: [\"NaN\",8,8] can't"),
        ("resolution", "[8,8,\"x\"]", "info: scales.resolution: [8,8,\"x\"] can't"),
        ("chunk_sizes", "[]", "info: scales.chunk_sizes: there are none"),
        ("chunk_sizes", "[64,64,64]", "info: scales.chunk_sizes: 64 can't"),
        ("chunk_sizes", "[[0,1,1]]", "info: scales.chunk_sizes: [0,1,1] can't"),
        ("encoding", "", "info: scales.encoding is missing"),
        ("sharding", "7", "info: scales.sharding: 7 is no object"),
        ("sharding", "{}", "info: scales.sharding.hash: missing"),
    ];
    for (field, value, message) in cases {
        let error = with(field, value).expect_err(field);
        assert!(error.starts_with(message), "{error}, expected {message}");
    }
}

#[test]
fn volumes_that_say_too_little_are_refused_and_what_can_be_assumed_is() {
    let scales = r#""scales":[{}]"#;
    assert!(parse(&format!(r#"{{"data_type":"complex64",{scales}}}"#)).expect_err("type").to_string().contains("data_type: \"complex64\""));
    assert!(
        parse(&format!(r#"{{"data_type":"uint8","num_channels":0,{scales}}}"#)).expect_err("none").to_string().contains("num_channels: 0")
    );
    assert_eq!(parse(r#"{"data_type":"uint8","scales":[]}"#).expect_err("none").to_string(), "info: scales: there are none");
    let mut problems = Problems::default();
    let info = Info::parse(format!("\u{feff}{{\"data_type\":\"FLOAT32\",{scales}}}").as_bytes(), "info", &mut problems).expect("assumed");
    assert_eq!((info.class, info.channels, info.category), (ElementClass::Float32, 1, None));
    assert_eq!(problems.len(), 2);
    assert!(info.scales[0].scale.is_err());
}

#[test]
fn other_kinds_of_info_say_what_they_are() {
    let cases = [
        ("neuroglancer_multilod_draco", "meshes"),
        ("neuroglancer_legacy_mesh", "meshes"),
        ("neuroglancer_skeletons", "skeletons"),
        ("neuroglancer_annotations_v1", "annotations"),
        ("neuroglancer_segment_properties", "properties of segments"),
        ("x", "something unknown"),
    ];
    for (name, what) in cases {
        let error = parse(&format!(r#"{{"@type":"{name}","scales":[]}}"#)).expect_err("no volume").to_string();
        assert_eq!(error, format!("info describes {what} (@type {name}), not a volume"));
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Info::parse(&bytes, "info", &mut Problems::default());
    }

    #[test]
    fn arbitrary_values_never_panic(
        field in prop::sample::select(vec!["size", "voxel_offset", "resolution", "chunk_sizes", "sharding", "encoding", "key"]),
        numbers in prop::collection::vec(any::<i64>(), 0..5),
        number in any::<f64>(),
    ) {
        let _ = with(field, &format!("{numbers:?}"));
        let _ = with(field, &format!("[{numbers:?}]"));
        if number.is_finite() {
            let _ = with(field, &format!("[{number},{number:e},1]"));
        }
    }
}
