//! Export of annotations: formats, classes, zero buckets, odd names, merged datasets, and what a killed export leaves.

use crate::support::{boxed, program, run};
use chunkscope::annotation::export::{ExportError, ExportFormat, ExportOptions, ExportWatch, export, merge, roundtrip};
use chunkscope::annotation::{Annotation, LevelSpec, VolumeAnnotation, VolumeSpec};
use chunkscope::format::annotation::{AnnotationFile, BUCKET_VOXELS, BucketAddress, BucketStore, MemoryBuckets};
use chunkscope::format::nml::{NewNml, Nml, NmlVolume, Segment, XmlElement, XmlNode, compare};
use chunkscope::format::{Dataset, open};
use chunkscope::geometry::{BoundingBox, ChunkIndex, LengthUnit, Mag, Vec3Int, VoxelSize};
use chunkscope::problem::Problems;
use chunkscope::storage::LocalOpener;
use chunkscope::voxel::ElementClass;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const FORMATS: [ExportFormat; 3] = [ExportFormat::Wkw, ExportFormat::Zarr3, ExportFormat::Zarr3Spec];

fn watch() -> ExportWatch<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    ExportWatch { progress: &|_, _| (), cancel: &NEVER }
}

fn as_format(format: ExportFormat) -> ExportOptions {
    ExportOptions { format: Some(format), ..ExportOptions::default() }
}

fn at(x: i64, y: i64, z: i64) -> BucketAddress {
    BucketAddress::at(ChunkIndex(Vec3Int::new(x, y, z)))
}

/// Voxels of a bucket that repeat these ids.
fn voxels(class: ElementClass, ids: &[u64]) -> Vec<u8> {
    ids.iter().cycle().take(BUCKET_VOXELS).flat_map(|id| id.to_le_bytes()[..class.byte_len()].to_vec()).collect()
}

fn store(class: ElementClass, buckets: &[(BucketAddress, Vec<u8>)]) -> Arc<dyn BucketStore> {
    let mut store = MemoryBuckets::new(class);
    for (at, voxels) in buckets {
        assert!(store.put(at.clone(), voxels));
    }
    Arc::new(store)
}

fn voxel_size() -> VoxelSize {
    VoxelSize::new([4.0, 4.0, 40.0], Some(LengthUnit::NANOMETER)).expect("a size")
}

fn volume(name: &str, class: ElementClass, fallback: Option<&str>, levels: Vec<(Mag, Arc<dyn BucketStore>)>) -> VolumeAnnotation {
    VolumeAnnotation::new(VolumeSpec {
        name: name.to_owned(),
        class,
        voxel_size: voxel_size(),
        bounding_box: BoundingBox::default(),
        axes: Vec::new(),
        fallback_layer: fallback.map(str::to_owned),
        fallback_axes: Vec::new(),
        fallback_box: None,
        levels: levels.into_iter().map(|(mag, stored)| LevelSpec { mag, stored: Some(stored), fallback: None }).collect(),
        segments: Vec::new(),
        segment_groups: Vec::new(),
        largest_segment_id: Some(9),
        format: None,
    })
}

fn annotation(volumes: Vec<VolumeAnnotation>) -> Annotation {
    let nml = Nml::new(NewNml { voxel_size: Some(voxel_size()), ..NewNml::default() });
    Annotation { name: "test".to_owned(), nml: Arc::new(nml), volumes, attachments: Vec::new() }
}

fn reopened(path: &Path) -> Dataset {
    open(&LocalOpener::default(), path).expect("an annotation")
}

fn file_of(dataset: &Dataset) -> &AnnotationFile {
    dataset.annotation.as_ref().expect("an annotation")
}

fn mag(x: i64, y: i64, z: i64) -> Mag {
    Mag::new(x, y, z).expect("a mag")
}

/// Two mags with buckets of all sorts: compressible, mixed, far away.
fn two_mags(class: ElementClass) -> Vec<(Mag, Arc<dyn BucketStore>)> {
    let max = u64::MAX >> (64 - 8 * class.byte_len());
    let ids: Vec<u64> = (0..977_u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & max).collect();
    let fine = [(at(0, 0, 0), voxels(class, &[1, 2, 3])), (at(5, 0, 2), voxels(class, &ids)), (at(7, 120, 33), voxels(class, &[max]))];
    vec![(Mag::ONE, store(class, &fine)), (mag(4, 4, 2), store(class, &[(at(22, 33, 28), voxels(class, &ids))]))]
}

#[test]
fn every_class_and_format_comes_back_as_it_was() {
    use ElementClass::{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64};
    for class in [Uint8, Uint16, Uint32, Uint64, Int8, Int16, Int32, Int64] {
        let annotation = annotation(vec![volume("Volume", class, Some("seg"), two_mags(class))]);
        for format in FORMATS {
            let report = roundtrip(&annotation, as_format(format), watch()).expect("exported");
            assert!(report.is_equal(), "{class} {format:?}: {:?} {:?} {:?}", report.bucket_lines, report.nml, report.problems);
            assert_eq!((report.buckets, report.export.volumes[0].buckets), (4, 4));
        }
    }
}

#[test]
fn ids_of_64_bits_are_exact_in_voxels_and_list() {
    let ids = [1 << 53, (1 << 53) + 1, 1 << 63, u64::MAX];
    let levels = vec![(Mag::ONE, store(ElementClass::Uint64, &[(at(0, 0, 0), voxels(ElementClass::Uint64, &ids))]))];
    let mut volume = volume("Volume", ElementClass::Uint64, Some("seg"), levels);
    volume.largest_segment_id = Some(u64::MAX);
    volume.segments = ids.iter().map(|id| Segment { name: Some(format!("segment {id}")), ..Segment::new(*id) }).collect();
    let annotation = annotation(vec![volume]);
    let folder = tempfile::tempdir().expect("a folder");
    for format in FORMATS {
        let path = folder.path().join("ids.zip");
        export(&annotation, as_format(format), &path, watch()).expect("exported");
        let dataset = reopened(&path);
        let file = file_of(&dataset);
        let (_, store) = &file.volumes[0].levels[0];
        let mut out = vec![0; 8 * BUCKET_VOXELS];
        assert!(store.read_into(&at(0, 0, 0), &mut out).expect("readable"));
        assert_eq!(out[..32], ids.map(u64::to_le_bytes).concat(), "{format:?}");
        assert_eq!(file.nml.volumes[0].segments.iter().map(|segment| segment.id).collect::<Vec<_>>(), ids);
        assert_eq!(file.nml.volumes[0].largest_segment_id, Some(u64::MAX));
    }
}

#[test]
fn without_a_fallback_layer_voxels_become_uint32_unless_an_id_does_not_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.zip");
    let levels = |class, ids: &[u64]| vec![(Mag::ONE, store(class, &[(at(0, 0, 0), voxels(class, ids))]))];
    for class in [ElementClass::Uint8, ElementClass::Uint64, ElementClass::Int16] {
        let annotation = annotation(vec![volume("Volume", class, None, levels(class, &[0, 7, 100]))]);
        let report = export(&annotation, ExportOptions::default(), &path, watch()).expect("exported");
        assert_eq!(report.volumes[0].class, ElementClass::Uint32);
        assert_eq!(file_of(&reopened(&path)).volumes[0].class, Some(ElementClass::Uint32));
        assert!(roundtrip(&annotation, ExportOptions::default(), watch()).expect("exported").is_equal());
    }
    for (class, id, shown) in
        [(ElementClass::Uint64, (1_u64 << 53) + 1, "9007199254740993"), (ElementClass::Int16, (-3_i64).cast_unsigned(), "-3")]
    {
        let annotation = annotation(vec![volume("Volume", class, None, levels(class, &[id]))]);
        let report = export(&annotation, ExportOptions::default(), &path, watch()).expect("exported");
        let said = report.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(said.contains(shown) && said.contains("uint32"), "{said}");
        assert_eq!(file_of(&reopened(&path)).volumes[0].class, Some(class), "an id is never cut");
        assert!(roundtrip(&annotation, ExportOptions::default(), watch()).expect("exported").nml.is_empty());
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1, "an export that was begun anew left something");
}

#[test]
fn erased_buckets_are_kept_over_a_fallback_layer_and_dropped_without() {
    let zeros = voxels(ElementClass::Uint32, &[0]);
    let levels = || {
        vec![(Mag::ONE, store(ElementClass::Uint32, &[(at(0, 0, 0), zeros.clone()), (at(1, 0, 0), voxels(ElementClass::Uint32, &[5]))]))]
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (fallback, kept) in [(Some("seg"), vec![at(0, 0, 0), at(1, 0, 0)]), (None, vec![at(1, 0, 0)])] {
        let annotation = annotation(vec![volume("Volume", ElementClass::Uint32, fallback, levels())]);
        for format in FORMATS {
            let path = folder.path().join("zeros.zip");
            let report = export(&annotation, as_format(format), &path, watch()).expect("exported");
            assert_eq!(file_of(&reopened(&path)).volumes[0].levels[0].1.addresses(), kept, "{fallback:?} {format:?}");
            assert_eq!(report.volumes[0].zero_buckets, 2 - kept.len() as u64);
            assert!(roundtrip(&annotation, as_format(format), watch()).expect("exported").is_equal());
        }
    }
}

#[test]
fn mags_without_buckets_keep_their_header() {
    let levels = [mag(1, 1, 1), mag(2, 2, 1), mag(4, 4, 2)].map(|mag| (mag, store(ElementClass::Uint16, &[]))).to_vec();
    let annotation = annotation(vec![volume("Volume", ElementClass::Uint16, Some("seg"), levels)]);
    for format in FORMATS {
        let report = roundtrip(&annotation, as_format(format), watch()).expect("exported");
        assert!(report.is_equal(), "{format:?}: {:?}", report.problems);
    }
}

#[test]
fn odd_names_survive_and_never_become_paths() {
    let names = ["a & b", "../../x/y", "C:\\z", "😀 <1>", "", "a & b"];
    let mut nml = Nml::new(NewNml::default());
    nml.volumes = names.iter().zip(0..).map(|(name, id)| NmlVolume::new(id, name)).collect();
    let mut shown = Vec::new();
    for name in names {
        let name = if name.is_empty() { "Volume" } else { name };
        shown.push(if shown.iter().any(|other: &String| other == name) { format!("{name} (2)") } else { name.to_owned() });
    }
    let one = |name: &String| volume(name, ElementClass::Uint32, None, two_mags(ElementClass::Uint16).into_iter().take(1).collect());
    let annotation = Annotation { name: "../a/b & c".to_owned(), nml: Arc::new(nml), ..annotation(shown.iter().map(one).collect()) };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("names.zip");
    let report = export(&annotation, ExportOptions::default(), &path, watch()).expect("exported");
    for volume in &report.volumes {
        let location = volume.location.as_deref().expect("a data zip");
        assert!(location.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.')) && !location.contains(".."), "{location}");
    }
    assert!(report.problems.iter().any(|problem| problem.text.contains("several volumes have this name")));
    let report = roundtrip(&annotation, ExportOptions::default(), watch()).expect("exported");
    assert!(report.is_equal(), "{:?} {:?} {:?}", report.bucket_lines, report.nml, report.problems);
    let dataset = reopened(&path);
    assert_eq!(file_of(&dataset).nml.volumes.iter().map(|volume| volume.name.clone().unwrap_or_default()).collect::<Vec<_>>(), names);
    assert_eq!(dataset.layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>(), shown);
}

#[test]
fn unknown_parts_of_the_nml_are_exported() {
    let mut nml = Nml::new(NewNml::default());
    nml.document.children.push(XmlNode::Element(XmlElement::new("future").with("kept", "a & b")));
    let annotation = Annotation { nml: Arc::new(nml), ..annotation(vec![]) };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.zip");
    export(&annotation, ExportOptions::default(), &path, watch()).expect("exported");
    assert!(compare(&annotation.nml, &file_of(&reopened(&path)).nml).is_empty());
}

#[test]
fn an_nml_alone_is_written_where_there_are_no_voxels() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.nml");
    let empty = annotation(vec![volume("Volume", ElementClass::Uint32, Some("seg"), vec![(Mag::ONE, store(ElementClass::Uint32, &[]))])]);
    export(&empty, ExportOptions::default(), &path, watch()).expect("exported");
    assert!(std::fs::read_to_string(&path).expect("text").starts_with("<?xml"));
    assert_eq!(file_of(&reopened(&path)).nml.volumes[0].fallback_layer.as_deref(), Some("seg"));
    let painted = annotation(vec![volume("Volume", ElementClass::Uint32, Some("seg"), two_mags(ElementClass::Uint32))]);
    let err = export(&painted, ExportOptions::default(), &path, watch()).expect_err("refused");
    assert!(matches!(err, ExportError::Voxels { .. }), "{err}");
}

#[test]
fn further_axes_are_zarr_only() {
    let mut store = MemoryBuckets::new(ElementClass::Uint32);
    for t in [0, 3] {
        assert!(
            store
                .put(BucketAddress { chunk: ChunkIndex(Vec3Int::new(1, 2, 3)), axes: [t].into() }, &voxels(ElementClass::Uint32, &[t + 1]))
        );
    }
    let mut with_axis = volume("Volume", ElementClass::Uint32, None, vec![(Mag::ONE, Arc::new(store))]);
    with_axis.axes = Arc::new(["t".to_owned()]);
    let annotation = annotation(vec![with_axis]);
    let folder = tempfile::tempdir().expect("a folder");
    let err = export(&annotation, as_format(ExportFormat::Wkw), &folder.path().join("a.zip"), watch()).expect_err("refused");
    assert!(matches!(&err, ExportError::Axes { axes, .. } if axes == "t"), "{err}");
    for options in [ExportOptions::default(), as_format(ExportFormat::Zarr3), as_format(ExportFormat::Zarr3Spec)] {
        let report = roundtrip(&annotation, options, watch()).expect("exported");
        assert!(report.is_equal(), "{options:?}: {:?} {:?} {:?}", report.bucket_lines, report.nml, report.problems);
        assert_eq!(report.export.problems.len(), usize::from(options.format.is_none()));
    }
}

#[test]
fn a_round_trip_is_half_done_when_it_is_written() {
    let annotation = annotation(vec![volume("Volume", ElementClass::Uint32, Some("seg"), two_mags(ElementClass::Uint32))]);
    let seen = Mutex::new(Vec::new());
    let progress = |done: u64, total: u64| seen.lock().expect("no panic").push((done, total));
    roundtrip(&annotation, ExportOptions::default(), ExportWatch { progress: &progress, ..watch() }).expect("exported");
    let mut seen = seen.into_inner().expect("no panic");
    seen.sort_unstable();
    assert_eq!(seen, (1..=8).map(|done| (done, 8)).collect::<Vec<_>>());
}

#[test]
fn a_cancelled_export_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.zip");
    std::fs::write(&path, "old").expect("written");
    let annotation = annotation(vec![volume("Volume", ElementClass::Uint32, Some("seg"), two_mags(ElementClass::Uint32))]);
    let cancel = AtomicBool::new(false);
    let seen = AtomicU64::new(0);
    let progress = |done: u64, total: u64| {
        seen.fetch_max(done, Ordering::Relaxed);
        assert_eq!(total, 4);
        cancel.store(done == 2, Ordering::Relaxed);
    };
    let result = export(&annotation, ExportOptions::default(), &path, ExportWatch { progress: &progress, cancel: &cancel });
    if seen.load(Ordering::Relaxed) < 4 {
        assert!(matches!(result, Err(ExportError::Cancelled)), "{result:?}");
        assert_eq!(std::fs::read(&path).expect("there"), b"old");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}

#[test]
fn opening_and_exporting_again_changes_nothing() {
    let volumes = vec![volume("Volume", ElementClass::Uint32, Some("seg"), two_mags(ElementClass::Uint32))];
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (folder.path().join("a.zip"), folder.path().join("b.zip"));
    export(&annotation(volumes), ExportOptions::default(), &first, watch()).expect("exported");
    let dataset = reopened(&first);
    let mut problems = Problems::default();
    let again = Annotation::open(file_of(&dataset), None, &mut problems).expect("opened");
    let again = Annotation { name: "test".to_owned(), ..again };
    export(&again, ExportOptions::default(), &second, watch()).expect("exported");
    assert!(std::fs::read(first).expect("there") == std::fs::read(second).expect("there"), "the second file has other bytes");
}

#[test]
fn a_merged_dataset_holds_the_annotation_and_is_whole_or_not_there() {
    let class = ElementClass::Uint32;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("merged");
    let annotation = annotation(vec![volume("my/cells", class, None, two_mags(class))]);
    let report = merge(&annotation, &path, watch()).expect("merged");
    assert_eq!(report.volumes[0].location.as_deref(), Some("my_cells"));
    let dataset = reopened(&path);
    let layer = &dataset.layers[0];
    assert_eq!(layer.levels.iter().map(|level| level.mag.to_string()).collect::<Vec<_>>(), ["1", "4-4-2"]);
    let source = layer.levels[0].source.as_ref().expect("readable");
    let mut out = vec![0; 4 * BUCKET_VOXELS];
    chunkscope::format::read_box(&**source, &boxed([0, 0, 0], [32, 32, 32]), &mut out).expect("readable");
    assert_eq!(out, voxels(class, &[1, 2, 3]));
    chunkscope::format::read_box(&**source, &boxed([32 * 7, 32 * 120, 32 * 33], [32, 32, 32]), &mut out).expect("readable");
    assert_eq!(out, voxels(class, &[u64::from(u32::MAX)]));
    assert!(merge(&annotation, &path, watch()).is_err(), "a folder was replaced");
    let cancel = AtomicBool::new(true);
    let other = folder.path().join("other");
    assert!(matches!(merge(&annotation, &other, ExportWatch { progress: &|_, _| (), cancel: &cancel }), Err(ExportError::Cancelled)));
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}

/// An annotation that takes a while to export.
fn slow_annotation(path: &Path, id: u64) {
    let class = ElementClass::Uint32;
    let noise: Vec<u64> = (0..8191_u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) + id).collect();
    let buckets: Vec<_> = (0..150).map(|x| (at(x, 0, 0), voxels(class, &noise))).collect();
    let annotation = annotation(vec![volume("Volume", class, Some("seg"), vec![(Mag::ONE, store(class, &buckets))])]);
    export(&annotation, ExportOptions::default(), path, watch()).expect("exported");
}

#[test]
fn killing_an_export_leaves_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let [old, new, target] = ["old.zip", "new.zip", "target.zip"].map(|name| folder.path().join(name));
    slow_annotation(&old, 1);
    slow_annotation(&new, 2);
    let convert = |from: &Path| {
        let mut command = program([OsStr::new("annotation"), OsStr::new("convert"), from.as_os_str(), target.as_os_str()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let begin = Instant::now();
    assert!(convert(&old).status().expect("run").success());
    let whole = begin.elapsed();
    let is_one_of_both = || {
        let dataset = reopened(&target);
        assert!(dataset.problems.iter().all(|problem| problem.severity == chunkscope::problem::Severity::Info), "{:?}", dataset.problems);
        let (_, store) = &file_of(&dataset).volumes[0].levels[0];
        let mut out = vec![0; 4 * BUCKET_VOXELS];
        let firsts: Vec<u32> = (0..150)
            .map(|x| {
                assert!(store.read_into(&at(x, 0, 0), &mut out).expect("readable"));
                u32::from_le_bytes([out[0], out[1], out[2], out[3]])
            })
            .collect();
        assert!(firsts == [1; 150] || firsts == [2; 150], "a mixture: {firsts:?}");
    };
    for i in 0..12_u32 {
        let mut child = convert(if i.is_multiple_of(2) { &new } else { &old }).spawn().expect("started");
        std::thread::sleep(whole.mul_f64(f64::from(i) / 11.0) + Duration::from_millis(u64::from(i % 3)));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().expect("ended");
        is_one_of_both();
    }
    let answer = run([OsStr::new("annotation"), OsStr::new("convert"), new.as_os_str(), target.as_os_str()]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    is_one_of_both();
}
