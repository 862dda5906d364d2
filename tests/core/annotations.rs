//! Annotation files in all the forms in which they are met, from the outside.

use crate::support::archives::*;
use crate::support::boxed;
use chunkscope::format::annotation::{BucketAddress, VolumeFile};
use chunkscope::format::nml::VolumeFormat;
use chunkscope::format::{Dataset, OpenError, read_box};
use chunkscope::geometry::{ChunkIndex, Vec3Int};
use chunkscope::voxel::ElementClass;

/// A uint32 voxel of a layer's finest mag, at a position along its further axes.
pub fn voxel_at(dataset: &Dataset, layer: usize, at: [i64; 3], axes: &[u64]) -> Result<u32, String> {
    let source = dataset.layers[layer].levels[0].source.clone().map_err(|err| err.to_string())?;
    let source = if axes.is_empty() { source } else { source.at_axes(axes).ok_or("outside of the axes")? };
    let mut voxel = [0; 4];
    read_box(source.as_ref(), &boxed(at, [1, 1, 1]), &mut voxel).map_err(|err| err.to_string())?;
    Ok(u32::from_le_bytes(voxel))
}

pub fn voxel(dataset: &Dataset, at: [i64; 3]) -> Result<u32, String> {
    voxel_at(dataset, 0, at, &[])
}

fn volume(dataset: &Dataset, at: usize) -> VolumeFile {
    dataset.annotation.as_ref().expect("an annotation").volumes[at].clone()
}

fn layer_names(dataset: &Dataset) -> Vec<&str> {
    dataset.layers.iter().map(|layer| layer.name.as_str()).collect()
}

#[test]
fn an_annotation_is_a_dataset_with_a_layer_per_volume() {
    for packing in [Packing::Stored, Packing::Deflated] {
        let dataset = open_zip(annotation(&wkw_data(100), packing)).expect("opens");
        assert_eq!((voxel(&dataset, [33, 0, 0]), voxel(&dataset, [0, 0, 0])), (Ok(101), Ok(0)));
        let layer = &dataset.layers[0];
        assert_eq!((layer.bounding_box, layer.largest_segment_id), (boxed([32, 0, 0], [32, 32, 32]), Some(9)));
        assert_eq!((dataset.view.position, dataset.view.zoom), (Some(Vec3Int::new(40, 8, 3)), Some(2.0)));
        assert_eq!(dataset.voxel_size.factors(), [11.24, 11.24, 28.0]);
        assert_eq!(dataset.header.sections.len(), 2);
        let volume = volume(&dataset, 0);
        assert_eq!((volume.format, volume.class, volume.levels.len()), (Some(VolumeFormat::Wkw), Some(ElementClass::Uint32), 2));
        let store = &volume.levels[0].1;
        let (there, absent) = (BucketAddress::at(ChunkIndex(Vec3Int::new(1, 0, 0))), BucketAddress::at(ChunkIndex(Vec3Int::ZERO)));
        assert_eq!((store.addresses(), store.contains(&absent)), (vec![there.clone()], false));
        let mut bucket = vec![0; 131_072];
        assert!(store.read_into(&there, &mut bucket).expect("readable") && bucket == voxels(100));
        let error = dataset.problems.iter().find(|problem| problem.severity != chunkscope::problem::Severity::Info);
        assert_eq!(error, None);
    }
}

#[test]
fn empty_volumes_in_all_four_forms_are_volumes_without_buckets() {
    let volume_without = r#"<volume id="0" name="Volume" fallbackLayer="s"/>"#;
    let headers = zip(&[file("1/header.wkw", WKW_HEADER), file("2/header.wkw", WKW_HEADER)], Packing::Deflated);
    let forms = [
        (zip(&[file("a.nml", nml(volume_without))], Packing::Deflated), 0),
        (zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", headers)], Packing::Deflated), 2),
        (zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", zip(&[], Packing::Stored))], Packing::Stored), 0),
        (zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", b"")], Packing::Stored), 0),
    ];
    for (bytes, levels) in forms {
        let dataset = open_zip(bytes).expect("opens");
        assert_eq!((layer_names(&dataset), dataset.layers[0].levels.len()), (vec!["Volume"], levels));
        if levels > 0 {
            assert_eq!(voxel(&dataset, [5, 5, 5]), Ok(0));
        }
        assert!(!problems(&dataset).contains("Error") && !problems(&dataset).contains("Warning"), "{}", problems(&dataset));
    }
}

#[test]
fn data_zips_are_found_by_location_and_names_are_unique() {
    let volumes = r#"<volume id="0" location="data_1_b.zip"/><volume id="1" name="Volume" location="data_0_a.zip"/>"#;
    let zips = [file("data_0_a.zip", zip(&wkw_data(7), Packing::Stored)), file("data_1_b.zip", zip(&wkw_data(100), Packing::Stored))];
    let dataset = open_zip(zip(&[&zips[..], &[file("a.nml", nml(volumes))]].concat(), Packing::Deflated)).expect("opens");
    assert_eq!(layer_names(&dataset), ["Volume", "Volume (2)"]);
    assert_eq!((voxel_at(&dataset, 0, [32, 0, 0], &[]), voxel_at(&dataset, 1, [32, 0, 0], &[])), (Ok(100), Ok(7)));
    // The name is wrong and there is only one: it must be that.
    let dataset = open_zip(zip(&[zips[0].clone(), file("a.nml", nml(VOLUME))], Packing::Stored)).expect("opens");
    assert_eq!(voxel(&dataset, [32, 0, 0]), Ok(7));
    assert!(problems(&dataset).contains("the only other data zip"), "{}", problems(&dataset));
    // With two there is no telling.
    let dataset = open_zip(zip(&[&zips[..], &[file("a.nml", nml(VOLUME))]].concat(), Packing::Stored)).expect("opens");
    assert!(dataset.layers[0].levels.is_empty() && problems(&dataset).contains("without data"), "{}", problems(&dataset));
}

#[test]
fn all_generations_of_zarr_headers_are_read_by_their_files() {
    let blosc = r#",{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}"#;
    let generations = [
        (zarr_json("default", "\"F\"", blosc, &[]), "c.0.5.0.1"),
        (zarr_json("v2", "[3,2,1,0]", "", &[]), "c.0.5.0.1"),
        (zarr_json("v2", "[3,2,1,0]", blosc, &[]), "0.5.0.1"),
        (zarr_json("default", "[3,2,1,0]", blosc, &[]), "c/0/5/0/1"),
    ];
    for (json, key) in generations {
        for bucket in [voxels(50), blosc_frame(&voxels(50))] {
            let data = [file("volumeAnnotationData/1/zarr.json", &json), file(&format!("volumeAnnotationData/1/{key}"), bucket)];
            let dataset = open_zip(annotation(&data, Packing::Deflated)).expect("opens");
            assert_eq!((voxel(&dataset, [161, 0, 32]), voxel(&dataset, [0, 0, 0])), (Ok(51), Ok(0)), "{json} {key}");
            assert_eq!(volume(&dataset, 0).format, Some(VolumeFormat::Zarr3));
            assert_eq!(dataset.layers[0].bounding_box, boxed([160, 0, 32], [32, 32, 32]));
        }
    }
}

#[test]
fn further_axes_are_those_of_the_files() {
    let json = zarr_json("v2", "[4,3,2,1,0]", "", &["t"]);
    let properties = r#"{"id":{},"dataLayers":[{"name":"volumeAnnotationData","elementClass":"uint32","additionalAxes":[{"name":"t","bounds":[0,7],"index":1}]}]}"#;
    let data = [
        file("datasource-properties.json", properties),
        file("volumeAnnotationData/1/zarr.json", json),
        file("volumeAnnotationData/1/0.0.0.0.0", voxels(10)),
        file("volumeAnnotationData/1/0.4.0.0.0", voxels(20)),
    ];
    let dataset = open_zip(annotation(&data, Packing::Deflated)).expect("opens");
    let axes: Vec<_> = dataset.layers[0].axes.iter().map(|axis| (axis.name.as_str(), axis.len)).collect();
    assert_eq!(axes, [("t", 7)]);
    let at = |t| voxel_at(&dataset, 0, [1, 0, 0], &[t]);
    assert_eq!((at(0), at(4), at(6)), (Ok(11), Ok(21), Ok(0)));
    assert!(at(7).is_err());
    assert_eq!(volume(&dataset, 0).levels[0].1.addresses().iter().map(|address| address.axes[0]).collect::<Vec<_>>(), [0, 4]);
}

#[test]
fn data_of_other_layouts_are_seen_as_buckets() {
    // Chunks of 8³ voxels in shards of 16³, raw uint8: value 5 everywhere.
    let shard = [&b"WKW\x01\x13\x01\x01\x01\x10\0\0\0\0\0\0\0"[..], &[5; 4096]].concat();
    let wkw = [file("1/header.wkw", &shard[..16]), file("1/z0/y0/x3.wkw", &shard)];
    // Not transposed: x is the slowest.
    let json = zarr_json("default", "[0,1,2,3]", "", &[]);
    let mut slow = vec![0; 131_072];
    slow[4096 * 2..4096 * 2 + 4].copy_from_slice(&77_u32.to_le_bytes());
    let zarr = [file("1/zarr.json", json), file("1/c.0.0.0.1", slow)];
    let dataset = open_zip(annotation(&wkw, Packing::Deflated)).expect("opens");
    let store = volume(&dataset, 0).levels[0].1.clone();
    assert_eq!(store.addresses(), [BucketAddress::at(ChunkIndex(Vec3Int::new(1, 0, 0)))]);
    let mut bucket = vec![9; 32_768];
    store.read_into(&store.addresses()[0], &mut bucket).expect("readable");
    assert_eq!((bucket[15], bucket[16], bucket[31]), (0, 5, 5));
    let dataset = open_zip(annotation(&zarr, Packing::Deflated)).expect("opens");
    assert_eq!(voxel(&dataset, [2, 0, 32]), Ok(77), "{}", problems(&dataset));
}

#[test]
fn extra_folders_and_what_systems_add_are_passed_over() {
    let inner: Vec<File> = wkw_data(100).into_iter().map(|(name, bytes)| (format!("deep/er/{name}"), bytes)).collect();
    let junk = |name: &str| file(name, "junk");
    let data = zip(&[inner, vec![junk("__MACOSX/deep/._er"), junk("deep/.DS_Store")]].concat(), Packing::Deflated);
    let outer = [
        junk("__MACOSX/folder/._a.nml"),
        file("folder/a.nml", nml(VOLUME)),
        junk("folder/.DS_Store"),
        file("folder/data_Volume.zip", data),
    ];
    let dataset = open_zip(zip(&outer, Packing::Deflated)).expect("opens");
    assert_eq!(voxel(&dataset, [33, 0, 0]), Ok(101), "{}", problems(&dataset));
    assert!(!problems(&dataset).contains("Warning"), "{}", problems(&dataset));
}

#[test]
fn folders_bare_nmls_and_lone_data_zips_open_too() {
    let data = zip(&wkw_data(100), Packing::Deflated);
    let beside = [file("f/a.nml", nml(VOLUME)), file("f/data_Volume.zip", &data)];
    for path in ["f", "f/a.nml"] {
        assert_eq!(voxel(&open_files(&beside, path).expect("opens"), [33, 0, 0]), Ok(101), "{path}");
    }
    let unpacked: Vec<File> = wkw_data(100).into_iter().map(|(name, bytes)| (format!("f/data_Volume/{name}"), bytes)).collect();
    let unpacked = [vec![file("f/a.nml", nml(VOLUME))], unpacked].concat();
    assert_eq!(voxel(&open_files(&unpacked, "f").expect("opens"), [33, 0, 0]), Ok(101));
    let bare = open_files(&[file("a.nml", nml(VOLUME))], "a.nml").expect("opens");
    assert!(bare.layers[0].levels.is_empty() && problems(&bare).contains("without data"), "{}", problems(&bare));
    let marked = [&b"\xef\xbb\xbf"[..], &nml("")].concat();
    assert_eq!(open_files(&[file("x.txt", marked)], "x.txt").expect("opens").annotation.expect("an annotation").nml.trees.len(), 1);
    let lone = open_zip(data.clone()).expect("opens");
    assert_eq!((layer_names(&lone), voxel(&lone, [33, 0, 0])), (vec!["Volume"], Ok(101)));
    let lost = open_zip(zip(&[file("data_0_Cells.zip", &data), file("data_1_Volume.zip", &data)], Packing::Stored)).expect("opens");
    assert_eq!((layer_names(&lost), voxel(&lost, [33, 0, 0])), (vec!["Cells", "Volume"], Ok(101)));
    assert!(problems(&lost).contains("No NML"), "{}", problems(&lost));
}

#[test]
fn of_several_annotations_one_is_chosen() {
    let (first, second) = (annotation(&wkw_data(100), Packing::Deflated), annotation(&wkw_data(200), Packing::Stored));
    let project = zip(&[file("one.zip", &first), file("in/two words.zip", second), file("three.nml", nml(""))], Packing::Deflated);
    let files = [file("p.zip", project)];
    let Err(OpenError::Choose { choices, .. }) = open_files(&files, "p.zip") else { panic!("a choice") };
    let found: Vec<_> = choices.iter().map(|choice| choice.path.display().to_string()).collect();
    assert_eq!(found, ["/d/p.zip/three.nml", "/d/p.zip/in/two words.zip", "/d/p.zip/one.zip"]);
    let chosen =
        |at: usize| open_files(&files, choices[at].path.strip_prefix("/d").expect("below").to_str().expect("UTF-8")).expect("opens");
    assert_eq!(chosen(0).annotation.expect("an annotation").nml.trees.len(), 1);
    assert_eq!((voxel(&chosen(1), [32, 0, 0]), voxel(&chosen(2), [32, 0, 0])), (Ok(200), Ok(100)));
    assert!(matches!(open_files(&files, "p.zip/four.zip"), Err(OpenError::NotFound { .. })));
    // A single one needs no choice, three deep or not.
    let nested = zip(&[file("one.zip", zip(&[file("b.zip", first)], Packing::Deflated))], Packing::Stored);
    assert_eq!(voxel(&open_zip(nested).expect("opens"), [32, 0, 0]), Ok(100));
}

#[test]
fn zipped_datasets_open_as_what_they_are() {
    let zarray =
        r#"{"zarr_format":2,"shape":[4,4,4],"chunks":[4,4,4],"dtype":"|u1","compressor":null,"filters":null,"fill_value":0,"order":"C"}"#;
    let array = zip(&[file("x/.zarray", zarray), file("x/0.0.0", [6; 64])], Packing::Deflated);
    let files = [file("x.zip", array)];
    let dataset = open_files(&files, "x.zip/x").expect("opens");
    assert!(dataset.annotation.is_none());
    let mut voxel = [0];
    read_box(dataset.layers[0].levels[0].source.clone().expect("a level").as_ref(), &boxed([1, 1, 1], [1, 1, 1]), &mut voxel)
        .expect("readable");
    assert_eq!(voxel, [6]);
}

#[test]
fn an_archive_that_is_replaced_by_another_is_read_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.zip");
    for packing in [Packing::Stored, Packing::Deflated] {
        std::fs::write(&path, annotation(&wkw_data(100), packing)).expect("written");
        let opener = chunkscope::storage::LocalOpener::default();
        let dataset = chunkscope::format::open(&opener, &path).expect("opens");
        // More files than are kept open for reading are looked at, as in a window.
        for number in 0..40 {
            let other = folder.path().join(format!("{number}.zip"));
            std::fs::write(&other, annotation(&wkw_data(number), packing)).expect("written");
            voxel(&chunkscope::format::open(&opener, &other).expect("opens"), [33, 0, 0]).expect("readable");
        }
        let new = folder.path().join("new.zip");
        std::fs::write(&new, b"something else").expect("written");
        std::fs::rename(&new, &path).expect("replaced");
        assert_eq!(voxel(&dataset, [33, 0, 0]), Ok(101), "{packing:?}");
    }
}
