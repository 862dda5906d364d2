//! Arrays of any axes, chunk shape and byte order, made by hand as Zarr 3, read against the formula of their voxels.

use crate::format::{ChunkSource, open, read_box};
use crate::geometry::BoundingBox;
use crate::storage::{MemoryOpener, MemoryStorage, StorageKey};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

const FILL: u16 = 0xabcd;

/// The value at a position, by the names of the axes.
fn value(position: &[(char, u64)]) -> u16 {
    let weight = |axis: char| match axis {
        'x' => 1,
        'y' => 7,
        'z' => 43,
        'c' => 259,
        _ => 1511,
    };
    position.iter().map(|(axis, at)| weight(*axis) * (*at as u16)).sum::<u16>() + 1
}

/// All positions of a shape, last axis fastest.
fn positions(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![Vec::new()], |all, len| {
        let longer = |start: Vec<u64>| (0..*len).map(move |at| [&start[..], &[at]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

/// An array with these axes as files; chunks for which `is_left_out` are not stored. `stored_order` is the transpose.
fn files(axes: &[char], shape: &[u64], chunks: &[u64], stored_order: &[usize], is_left_out: impl Fn(&[u64]) -> bool) -> MemoryStorage {
    let metadata = serde_json::json!({
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint16", "fill_value": FILL,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "codecs": [{"name": "transpose", "configuration": {"order": stored_order}}, {"name": "bytes", "configuration": {"endian": "big"}}],
        "dimension_names": axes.iter().map(char::to_string).collect::<Vec<_>>(),
    });
    let storage = MemoryStorage::default();
    storage.put(&StorageKey::new("a/zarr.json").expect("clean"), metadata.to_string().into_bytes());
    let grid: Vec<u64> = shape.iter().zip(chunks).map(|(n, chunk)| n.div_ceil(*chunk)).collect();
    for chunk in positions(&grid).into_iter().filter(|chunk| !is_left_out(chunk)) {
        let stored_shape: Vec<u64> = stored_order.iter().map(|d| chunks[*d]).collect();
        let mut bytes = Vec::new();
        for inside in positions(&stored_shape) {
            let mut at: Vec<(char, u64)> = axes.iter().map(|axis| (*axis, 0)).collect();
            for (d, inside) in stored_order.iter().zip(inside) {
                at[*d].1 = chunk[*d] * chunks[*d] + inside;
            }
            bytes.extend(value(&at).to_be_bytes()); // behind the array's end too: padding must not show
        }
        let name = chunk.iter().map(|at| format!(".{at}")).collect::<String>();
        storage.put(&StorageKey::new(format!("a/c{name}")).expect("clean"), bytes);
    }
    storage
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_axes_in_any_order_show_the_same_voxels(
        axes in Just(vec!['x', 'y', 'z', 'c', 't']).prop_shuffle(), left in 0_usize..4,
        shape in prop::collection::vec(1_u64..5, 5), chunks in prop::collection::vec(1_u64..4, 5),
        order in Just(vec![0_usize, 1, 2, 3, 4]).prop_shuffle(), hole in prop::collection::vec(0_u64..3, 5),
        t in 0_u64..5, topleft in prop::array::uniform3(-2_i64..3), extent in prop::array::uniform3(1_i64..7),
    ) {
        // Some arrays lack z, c or t.
        let dropped = [None, Some('z'), Some('c'), Some('t')][left];
        let axes: Vec<char> = axes.into_iter().filter(|axis| Some(*axis) != dropped).collect();
        let rank = axes.len();
        let order: Vec<usize> = order.into_iter().filter(|d| *d < rank).collect();
        let (shape, chunks, hole) = (&shape[..rank], &chunks[..rank], &hole[..rank]);
        let storage = files(&axes, shape, chunks, &order, |chunk| chunk == hole);
        let dataset = open(&MemoryOpener::new("/data", Arc::new(storage)), Path::new("/data/a")).expect("opens");
        let layer = &dataset.layers[0];
        let source = layer.levels[0].source.as_ref().expect("sound");
        let len = |axis: char| axes.iter().position(|a| *a == axis).map_or(1, |d| shape[d]);
        let t = t.min(len('t') - 1);
        let source: Arc<dyn ChunkSource> = if layer.axes.is_empty() { source.clone() } else { source.at_axes(&[t]).expect("inside") };
        prop_assert_eq!(u64::from(source.voxel_type().channels), len('c'));

        let wanted = BoundingBox::new(topleft.into(), extent.into());
        let mut out = vec![0; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("small")];
        read_box(source.as_ref(), &wanted, &mut out).expect("readable");

        let mut voxels = out.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
        let end = wanted.bottomright();
        for z in topleft[2]..end.z { for y in topleft[1]..end.y { for x in topleft[0]..end.x { for c in 0..len('c') {
            let inside = [('x', x), ('y', y), ('z', z)].iter().all(|(axis, at)| (0..len(*axis) as i64).contains(at));
            let at = |axis: char| match axis { 'x' => x as u64, 'y' => y as u64, 'z' => z as u64, 'c' => c, _ => t };
            let place: Vec<(char, u64)> = axes.iter().map(|axis| (*axis, if inside { at(*axis) } else { 0 })).collect();
            let is_stored = inside && !place.iter().zip(chunks).zip(hole).all(|(((_, at), chunk), hole)| at / chunk == *hole);
            let expected = if is_stored { value(&place) } else { FILL };
            prop_assert_eq!(voxels.next(), Some(expected), "{:?} of {:?} in {:?}", (x, y, z, c, t), axes, shape);
        }}}}
    }
}
