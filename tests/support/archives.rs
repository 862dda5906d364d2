//! Zip archives and the parts of annotations, made in memory. By hand, so that they can be as odd as they must.

use chunkscope::codec::lz4;
use chunkscope::format::{Dataset, OpenError, open};
use chunkscope::storage::{MemoryOpener, MemoryStorage, StorageKey};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How entries are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    Stored,
    /// With data descriptors, as the server's writer makes them.
    Deflated,
}

pub type File = (String, Vec<u8>);

pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> File {
    (name.to_owned(), bytes.as_ref().to_vec())
}

/// An archive of these files, whatever their names are.
pub fn zip(files: &[File], packing: Packing) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let (data, method, flags) = match packing {
            Packing::Stored => (bytes.clone(), 0_u8, 0_u8),
            Packing::Deflated => {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).expect("in memory");
                (encoder.finish().expect("in memory"), 8, 8)
            }
        };
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let sizes: Vec<u8> = [crc.sum(), data.len() as u32, bytes.len() as u32].iter().flat_map(|n| n.to_le_bytes()).collect();
        let start = (out.len() as u32).to_le_bytes();
        let name_len = (name.len() as u16).to_le_bytes();
        let common = [20, 0, flags, 8, method, 0, 0, 0, 0, 0];
        let in_header = if packing == Packing::Stored { sizes.clone() } else { vec![0; 12] };
        out.extend([&b"PK\x03\x04"[..], &common, &in_header, &name_len, &[0, 0], name.as_bytes(), &data].concat());
        if packing == Packing::Deflated {
            out.extend([&b"PK\x07\x08"[..], &sizes].concat());
        }
        directory.extend([&b"PK\x01\x02\x14\0"[..], &common, &sizes, &name_len, &[0; 12], &start, name.as_bytes()].concat());
    }
    let count = u16::try_from(files.len()).expect("few files").to_le_bytes();
    let (start, len) = ((out.len() as u32).to_le_bytes(), (directory.len() as u32).to_le_bytes());
    out.extend(directory);
    out.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &len, &start, &[0, 0]].concat());
    out
}

/// The content of an entry.
pub fn entry(archive: &[u8], name: &str) -> Vec<u8> {
    let mut archive = ::zip::ZipArchive::new(std::io::Cursor::new(archive)).expect("an archive");
    let mut bytes = Vec::new();
    archive.by_name(name).expect("the entry").read_to_end(&mut bytes).expect("readable");
    bytes
}

/// Voxels of a uint32 bucket: each has the id `first` plus its number.
pub fn voxels(first: u32) -> Vec<u8> {
    (0..32_768_u32).flat_map(|i| (first + i).to_le_bytes()).collect()
}

/// `header.wkw` of a mag with uint32 buckets.
pub const WKW_HEADER: [u8; 16] = [0x57, 0x4b, 0x57, 1, 5, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0];

/// The WKW file of a bucket.
pub fn wkw_bucket(voxels: &[u8]) -> Vec<u8> {
    let block = lz4::encode(voxels);
    let (start, end) = (24_u64.to_le_bytes(), (24 + block.len() as u64).to_le_bytes());
    [&WKW_HEADER[..8], &start, &end, &block].concat()
}

/// A Blosc frame that holds the bytes as they are.
pub fn blosc_frame(bytes: &[u8]) -> Vec<u8> {
    let lengths = [bytes.len(), bytes.len(), bytes.len() + 16].map(|len| (len as u32).to_le_bytes());
    [&[2, 1, 0x22, 1][..], lengths.as_flattened(), bytes].concat()
}

/// `zarr.json` of a mag with uint32 buckets; `order` and what follows `bytes` as the generation writes them.
pub fn zarr_json(keys: &str, order: &str, more_codecs: &str, axes: &[&str]) -> String {
    let names: Vec<String> = ["c"].iter().chain(axes).chain(&["x", "y", "z"]).map(|name| format!("{name:?}")).collect();
    let ones = "1,".repeat(1 + axes.len());
    format!(
        r#"{{"zarr_format":3,"node_type":"array","shape":[{ones}64,64,64],"data_type":"uint32",
        "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[{ones}32,32,32]}}}},
        "chunk_key_encoding":{{"name":"{keys}","configuration":{{"separator":"."}}}},"fill_value":0,
        "codecs":[{{"name":"transpose","configuration":{{"order":{order}}}}},{{"name":"bytes","configuration":{{"endian":"little"}}}}{more_codecs}],
        "dimension_names":[{}]}}"#,
        names.join(",")
    )
}

/// An NML with these `volume` elements.
pub fn nml(volumes: &str) -> Vec<u8> {
    format!(
        r#"<things><parameters><experiment name="d" organization="o"/><scale x="11.24" y="11.24" z="28" unit="nanometer"/>
        <editPosition x="40" y="8" z="3"/><zoomLevel zoom="2"/></parameters>
        <thing id="1" name="tree"><nodes><node id="1" x="1" y="2" z="3"/></nodes><edges/></thing>{volumes}</things>"#
    )
    .into_bytes()
}

/// A usual data zip: mag 1 with a bucket at 1, 0, 0, mag 2 without any.
pub fn wkw_data(first: u32) -> Vec<File> {
    vec![file("1/z0/y0/x1.wkw", wkw_bucket(&voxels(first))), file("1/header.wkw", WKW_HEADER), file("2/header.wkw", WKW_HEADER)]
}

pub const VOLUME: &str = r#"<volume id="0" name="Volume" location="data_Volume.zip" format="wkw" largestSegmentId="9"/>"#;

/// An annotation with one volume.
pub fn annotation(data: &[File], packing: Packing) -> Vec<u8> {
    zip(&[file("a.nml", nml(VOLUME)), file("data_Volume.zip", zip(data, packing))], packing)
}

/// Opens a path below `/d`, where these files lie.
pub fn open_files(files: &[File], path: &str) -> Result<Dataset, OpenError> {
    let storage = Arc::new(MemoryStorage::default());
    for (name, bytes) in files {
        storage.put(&StorageKey::new(name.as_str()).expect("a clean name"), bytes.clone());
    }
    open(&MemoryOpener::new("/d", storage), &PathBuf::from("/d").join(Path::new(path)))
}

/// Opens one archive.
pub fn open_zip(bytes: Vec<u8>) -> Result<Dataset, OpenError> {
    open_files(&[("a.zip".to_owned(), bytes)], "a.zip")
}

/// All problems as text.
pub fn problems(dataset: &Dataset) -> String {
    dataset.problems.iter().map(|problem| format!("{:?}: {problem}\n", problem.severity)).collect()
}
