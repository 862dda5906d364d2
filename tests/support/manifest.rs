//! The corpus of the repository and its manifest: which boxes of which datasets hold what, and what must be refused.

use super::{boxed, class};
use chunkscope::geometry::{BoundingBox, Vec3Int};
use chunkscope::voxel::VoxelType;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Folder of the corpus that belongs to the repository.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// One entry of a manifest.
pub struct Case {
    pub path: PathBuf,
    pub name: String,
    pub format: String,
    pub layer: Option<String>,
    pub mag: Option<String>,
    pub voxel_type: Option<VoxelType>,
    pub probes: Vec<Probe>,
    /// For input that must be refused: words, one of which the message has.
    pub error_mentions_any: Vec<String>,
    /// For input that is read with a warning: words, one of which the warning has.
    pub warning_mentions_any: Vec<String>,
    pub exit: i32,
    pub args: Option<Vec<String>>,
    /// For input that must be refused: a box that meets the fault.
    pub faulty_box: BoundingBox,
}

/// A box and what it must hold.
pub struct Probe {
    pub wanted: BoundingBox,
    pub sha256: String,
    /// Positions along further axes; 0 where none is given.
    pub axes: Vec<(String, u64)>,
    /// For lossy encodings, in place of the digest.
    pub approximate: Option<Approximate>,
}

/// One voxel and how far a decoder may be from it.
pub struct Approximate {
    pub at: Vec3Int,
    pub values: Vec<f64>,
    pub tolerance: f64,
}

/// Levels that hold the same voxels: path and layer of each, and their mag.
pub struct EqualGroup {
    pub levels: Vec<(PathBuf, String)>,
    pub mag: String,
}

fn manifest(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).expect("a manifest")).expect("JSON")
}

/// The WKW cases of a manifest.
pub fn cases(folder: &Path) -> Vec<Case> {
    all_cases(folder).into_iter().filter(|case| case.format == "wkw").collect()
}

/// All cases of a manifest.
pub fn all_cases(folder: &Path) -> Vec<Case> {
    manifest(folder)["cases"].as_array().expect("cases").iter().map(|case| parse(folder, case)).collect()
}

/// Groups of levels that hold the same voxels.
pub fn equal_groups(folder: &Path) -> Vec<EqualGroup> {
    let manifest = manifest(folder);
    let groups = manifest["equal"].as_array().expect("groups").iter().map(|group| EqualGroup {
        levels: strings(&group["paths"]).iter().map(|path| folder.join(path)).zip(strings(&group["layers"])).collect(),
        mag: text(&group["mag"]).expect("a mag"),
    });
    groups.collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|v| v.as_str().expect("text").to_owned()).collect()
}

fn ints(value: &Value) -> [i64; 3] {
    let list: Vec<i64> = value.as_array().expect("a list").iter().map(|v| v.as_i64().expect("an integer")).collect();
    list.try_into().expect("three")
}

fn parse(folder: &Path, case: &Value) -> Case {
    Case {
        path: folder.join(case["path"].as_str().expect("a path")),
        name: format!("{} {} {} ({})", case["path"], case["layer"], case["mag"], case["note"]),
        format: text(&case["format"]).expect("a format"),
        layer: text(&case["layer"]),
        mag: text(&case["mag"]),
        voxel_type: case["data_type"].as_str().map(|name| VoxelType {
            class: class(name),
            channels: u32::try_from(case["num_channels"].as_u64().expect("a number")).expect("few"),
        }),
        probes: case["probes"].as_array().into_iter().flatten().map(probe).collect(),
        error_mentions_any: strings(&case["error_mentions_any"]),
        warning_mentions_any: strings(&case["warning_mentions_any"]),
        exit: case["exit"].as_i64().map_or(1, |exit| i32::try_from(exit).expect("small")),
        args: case["args"].as_array().map(|_| strings(&case["args"])),
        faulty_box: case["box"].as_array().map_or(boxed([0; 3], [16; 3]), |b| boxed(ints(&b[0]), ints(&b[1]))),
    }
}

fn probe(probe: &Value) -> Probe {
    let axes = probe["axes"].as_object().into_iter().flatten();
    let number = |value: &Value| value.as_str().expect("text").parse().expect("a number");
    Probe {
        wanted: boxed(ints(&probe["offset"]), ints(&probe["shape"])),
        sha256: probe["sha256"].as_str().expect("a digest").to_owned(),
        axes: axes.map(|(name, at)| (name.clone(), at.as_u64().expect("a number"))).collect(),
        approximate: probe["tolerance"].as_f64().map(|tolerance| Approximate {
            at: ints(&probe["voxel"]["at"]).into(),
            values: probe["voxel"]["values"].as_array().expect("a list").iter().map(number).collect(),
            tolerance,
        }),
    }
}
