//! One volume in several formats gives the same voxels, whatever box is asked for.

use crate::support::{EqualGroup, Random, boxed, check_all, corpus, equal_groups, read_args, run};
use chunkscope::format::{ChunkSource, open, read_box};
use chunkscope::geometry::{BoundingBox, Vec3Int};
use chunkscope::storage::LocalOpener;
use std::sync::Arc;

fn sources(group: &EqualGroup) -> Vec<(String, Arc<dyn ChunkSource>)> {
    let open_level = |(path, layer): &(std::path::PathBuf, String)| {
        let dataset = open(&LocalOpener::default(), path).unwrap_or_else(|err| panic!("{err}"));
        let level = dataset.layer(layer).and_then(|layer| layer.level(group.mag.parse().expect("a mag"))).expect("a level");
        (format!("{}, {layer}", path.display()), level.source.clone().unwrap_or_else(|err| panic!("{err}")))
    };
    group.levels.iter().map(open_level).collect()
}

fn read(source: &dyn ChunkSource, wanted: &BoundingBox) -> Vec<u8> {
    let mut out = vec![0xee; wanted.shape.byte_len(source.voxel_type().byte_len()).expect("a small box")];
    read_box(source, wanted, &mut out).unwrap_or_else(|err| panic!("{err}"));
    out
}

/// Boxes inside, across the borders of chunks, shards and of the array, and outside of it, also at negative positions.
fn boxes(extent: &BoundingBox, count: usize) -> Vec<BoundingBox> {
    let mut random = Random::new(7);
    let mut between = |low: i64, high: i64| low + i64::try_from(random.below(u64::try_from(high - low).expect("ordered"))).expect("small");
    let mut all = vec![*extent, BoundingBox::between(extent.topleft - Vec3Int::splat(9), extent.bottomright() + Vec3Int::splat(9))];
    let (first, end) = (extent.topleft, extent.bottomright());
    while all.len() < count {
        let topleft = [0, 1, 2].map(|axis| between(first[axis] - 12, end[axis] + 3));
        all.push(boxed(topleft, [0, 1, 2].map(|axis| between(1, end[axis] - first[axis] + 8))));
    }
    all
}

/// Extent of the data by the metadata of those that know.
fn extent(sources: &[(String, Arc<dyn ChunkSource>)]) -> BoundingBox {
    sources.iter().find_map(|(_, source)| source.declared_extent()).expect("an array")
}

#[test]
fn one_volume_in_several_formats_gives_the_same_voxels_for_any_box() {
    let groups = equal_groups(&corpus());
    assert!(groups.iter().any(|group| group.levels.len() >= 6));
    for group in groups {
        let sources = sources(&group);
        let (first_name, first) = &sources[0];
        check_all(&boxes(&extent(&sources), 250), |wanted| {
            let expected = read(first.as_ref(), wanted);
            for (name, source) in &sources[1..] {
                assert_eq!(source.voxel_type(), first.voxel_type(), "{name}");
                assert!(read(source.as_ref(), wanted) == expected, "{wanted} of {name} is not that of {first_name}");
            }
        });
        // Not all of it is empty space.
        assert!(read(first.as_ref(), &extent(&sources)).iter().filter(|byte| **byte != 0).count() > 100);
    }
}

#[test]
fn the_program_writes_the_same_bytes_for_one_volume_in_several_formats() {
    for group in equal_groups(&corpus()) {
        let extent = extent(&sources(&group));
        check_all(&boxes(&extent, 6), |wanted| {
            let outputs = group.levels.iter().map(|(path, layer)| {
                let answer = run(read_args(path, wanted, &["--layer", layer, "--mag", &group.mag]));
                assert_eq!(answer.status, Some(0), "{wanted} of {}: {}", path.display(), answer.stderr);
                answer.stdout
            });
            let outputs: Vec<_> = outputs.collect();
            assert!(outputs.windows(2).all(|pair| pair[0] == pair[1] && !pair[0].is_empty()), "{wanted}: {:?}", group.levels);
        });
    }
}
