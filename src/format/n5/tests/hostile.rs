//! Any JSON and any bytes: no panic, and no more memory than the limits allow.

use super::*;
use proptest::prelude::*;

fn any_json() -> impl Strategy<Value = Value> {
    let numbers = prop_oneof![
        Just(json!(0)),
        Just(json!(-1)),
        Just(json!(0.5)),
        Just(json!(1e300)),
        Just(json!(u64::MAX)),
        Just(json!(i64::MIN)),
        (1_u64..100).prop_map(|n| json!(n)),
    ];
    let words = prop_oneof![
        Just("x"),
        Just("y"),
        Just("z"),
        Just("c"),
        Just("t"),
        Just(""),
        Just("nm"),
        Just("s0"),
        Just("../s0"),
        Just("gzip"),
        Just("raw"),
        Just("uint8"),
        Just("float64"),
        Just("C"),
        Just("F"),
    ];
    let leaf = prop_oneof![Just(Value::Null), Just(json!(true)), numbers, words.prop_map(|word| json!(word))];
    let names = prop_oneof![
        Just("path"),
        Just("transform"),
        Just("datasets"),
        Just("axes"),
        Just("scale"),
        Just("units"),
        Just("translate"),
        Just("ordering"),
        Just("type"),
        Just("dimensions"),
        Just("unit"),
        Just("coordinateTransformations"),
        Just("translation"),
        Just("name"),
        Just("useZlib"),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..9).prop_map(Value::Array),
            prop::collection::vec((names.clone(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())),
        ]
    })
}

const FIELDS: [&str; 18] = [
    "dimensions",
    "blockSize",
    "dataType",
    "compression",
    "compressionType",
    "axes",
    "units",
    "unit",
    "resolution",
    "pixelResolution",
    "downsamplingFactors",
    "scales",
    "multiscales",
    "transform",
    "offset",
    "multiScale",
    "ordering",
    "n5",
];

fn mutated(start: &Value, changes: &[(usize, Value)]) -> Value {
    let mut json = start.clone();
    for (field, value) in changes {
        json[FIELDS[*field]] = value.clone();
    }
    json
}

fn array() -> Value {
    json!({"dimensions": [5, 4, 3], "blockSize": [4, 4, 2], "dataType": "uint16", "compression": {"type": "gzip"}, "axes": ["x", "y", "z"],
        "downsamplingFactors": [1, 1, 1], "resolution": [1, 2, 3]})
}

fn group() -> Value {
    let transform = json!({"axes": ["z", "y", "x"], "scale": [1, 2, 3], "units": ["nm", "nm", "nm"], "translate": [0, 0, 0]});
    json!({"multiscales": [{"axes": ["x", "y", "z"], "datasets": [{"path": "s0", "transform": transform}, {"path": "s1"}]}], "n5": "2.0.0"})
}

fn changes() -> impl Strategy<Value = Vec<(usize, Value)>> {
    prop::collection::vec((0..FIELDS.len(), any_json()), 0..5)
}

fn use_all(images: Vec<Image>) {
    for image in images {
        for level in &image.levels {
            assert!(level.scale.iter().all(|scale| scale.is_finite() && *scale > 0.0), "{:?}", level.scale);
            assert!(level.translation.iter().all(|at| at.is_finite()));
            let Ok(source) = &level.source else { continue };
            source.header_report();
            let _ = source.find_shards(10);
            let chunk = source.grid().bounds().topleft;
            let _ = source.locate(crate::geometry::ChunkIndex(chunk));
            let _ = read(source.as_ref(), BoundingBox::new(ORIGIN, shape(2, 2, 2)).intersect(&source.grid().bounds()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_metadata_never_panic(root in changes(), first in changes(), second in changes(), is_group in any::<bool>()) {
        let start = if is_group { group() } else { json!({}) };
        let files = Files::default()
            .json("attributes.json", &mutated(&start, &root))
            .json("s0/attributes.json", &mutated(&array(), &first))
            .json("s1/attributes.json", &mutated(&array(), &second))
            .put("s0/0/0/0", [0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0x1f, 0x8b]);
        for folder in ["", "s0"] {
            if let Ok(Some(images)) = open_images(&files.opener(), &Path::new("/data.n5").join(folder)) {
                use_all(images);
            }
        }
        if let Ok(Some(found)) = open_array_in_context(&files.opener(), Path::new("/data.n5/s1")) {
            prop_assert!(found.level < found.image.levels.len());
            use_all(vec![found.image]);
        }
        let _ = open_level(&files.opener(), Path::new("/data.n5/s0"), &DeclaredAxes::default(), DefaultAxes::Server);
    }

    #[test]
    fn any_block_bytes_are_voxels_or_an_error(
        start in 0_usize..17,
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        compression in prop::sample::select(vec!["raw", "gzip", "zlib", "bzip2", "xz", "lz4", "blosc", "zstd", "jpeg"]),
    ) {
        let header = [0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2];
        let mut json = array();
        json["compression"] = json!({"type": compression});
        let block = [&header[..start.min(16)], &bytes].concat();
        let files = Files::default().json("attributes.json", &json).put("0/0/0", block);
        let level = files.level();
        let _ = voxels(level.source.as_ref());
        let _ = level.source.take_warnings();
    }
}
