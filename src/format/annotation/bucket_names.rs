//! What the names of files in a data zip say: mags, buckets, headers. Nothing is read.

use super::buckets::BucketAddress;
use super::place::{base_of, is_nml_name, is_zip_name};
use crate::format::PROPERTIES_FILE;
use crate::format::wkw::HEADER_FILE;
use crate::format::zarr::NODE_FILE;
use crate::geometry::{ChunkIndex, Mag, Vec3Int};
use std::collections::{BTreeMap, HashMap};

/// The files of one mag.
#[derive(Debug, Default)]
pub(super) struct MagFiles {
    /// The folder, for people.
    pub folder: String,
    /// `header.wkw`.
    pub header: Option<String>,
    /// `zarr.json`.
    pub node: Option<String>,
    /// WKW files with their positions.
    pub wkw: Vec<(BucketAddress, String)>,
    /// Zarr chunks with their positions.
    pub zarr: Vec<(BucketAddress, String)>,
}

/// The files of a data zip, sorted out.
#[derive(Debug, Default)]
pub(super) struct VolumeFiles {
    /// Folder that holds the mags: empty, or ending with `/`.
    pub root: String,
    /// Its mags.
    pub mags: HashMap<Mag, MagFiles>,
    /// `datasource-properties.json`.
    pub properties: Option<String>,
    /// Files that belong to no mag of the volume, system files left out: how many, and the first.
    pub others: Option<(u64, String)>,
    /// Those of them that seem to hold voxels: how many, and the first.
    pub lost: Option<(u64, String)>,
    /// Folders of mags other than `root`, and how many buckets are in them.
    pub other_roots: Vec<(String, u64)>,
}

/// Whether a file is none of the annotation's: what systems put into archives and folders.
pub(super) fn is_junk(name: &str) -> bool {
    name.split('/')
        .any(|part| part == "__MACOSX" || part.starts_with("._") || part == ".DS_Store" || part == "Thumbs.db" || part == "desktop.ini")
}

/// Whether a file can hold a part of an annotation, by its name: voxels as WKW or Zarr chunks, data zips, an NML. Such a
/// file that isn't read is a loss, others are foreign.
pub(super) fn may_hold_content(name: &str) -> bool {
    let base = base_of(name);
    let is_chunk = |base: &str| {
        let numbers = base.strip_prefix('c').unwrap_or(base);
        numbers.contains(|c: char| c.is_ascii_digit()) && numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
    };
    !is_junk(name) && (base.ends_with(".wkw") && base != HEADER_FILE || is_chunk(base) || is_zip_name(base) || is_nml_name(base))
}

/// An index in a bucket's name. Zeros before it are taken, as servers do.
fn index_of(digits: &str) -> Option<u32> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Position of a WKW bucket by its name behind the mag's folder.
fn wkw_bucket(parts: &[&str]) -> Option<BucketAddress> {
    let [z, y, x] = parts else { return None };
    let index = |part: &str, axis: char| part.strip_prefix(axis).and_then(index_of).map(i64::from);
    let at = Vec3Int::new(index(x.strip_suffix(".wkw")?, 'x')?, index(y, 'y')?, index(z, 'z')?);
    Some(BucketAddress::at(ChunkIndex(at)))
}

/// Position of a Zarr chunk by its name behind the mag's folder: `c.0.97.104.32`, `0.97.104.32`, `c/0/97/104/32`, with
/// positions along further axes before those of x, y, z. What the array says of names isn't asked: some are wrong.
pub(super) fn zarr_bucket(name: &str) -> Option<BucketAddress> {
    let rest = name.strip_prefix('c').map_or(name, |rest| rest.strip_prefix(['.', '/']).unwrap_or("not a number"));
    let mut numbers: Vec<u64> = Vec::new();
    for digits in rest.split(['.', '/']) {
        numbers.push(u64::from(index_of(digits)?));
    }
    let (&channel, rest) = numbers.split_first()?;
    let (axes, &[x, y, z]) = rest.split_last_chunk::<3>()?;
    let at = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    (channel == 0).then(|| BucketAddress { chunk: ChunkIndex(Vec3Int::new(at(x), at(y), at(z))), axes: axes.into() })
}

/// What a file is to a mag.
enum Role {
    Header,
    Node,
    Wkw(BucketAddress),
    Zarr(BucketAddress),
}

/// The mag that a file belongs to: length of the part before its name, the name's length, and what the file is to it.
fn role_of(parts: &[&str]) -> Option<(usize, Mag, Role)> {
    let file = *parts.last()?;
    let mag_before = |count: usize| {
        let at = parts.len().checked_sub(count + 1)?;
        parts[at].parse::<Mag>().ok().map(|mag| (at, mag))
    };
    if file == HEADER_FILE {
        return mag_before(1).map(|(at, mag)| (at, mag, Role::Header));
    }
    if file == NODE_FILE {
        return mag_before(1).map(|(at, mag)| (at, mag, Role::Node));
    }
    if file.ends_with(".wkw") {
        let (at, mag) = mag_before(3)?;
        return wkw_bucket(&parts[at + 1..]).map(|address| (at, mag, Role::Wkw(address)));
    }
    if let Some(address) = zarr_bucket(file) {
        return mag_before(1).map(|(at, mag)| (at, mag, Role::Zarr(address)));
    }
    // Positions as folders, behind the first name that is a mag.
    let starts = (1..parts.len()).filter(|at| matches!(parts[*at], "c" | "0"));
    starts.into_iter().find_map(|start| {
        let mag = parts[start - 1].parse::<Mag>().ok()?;
        zarr_bucket(&parts[start..].join("/")).map(|address| (start - 1, mag, Role::Zarr(address)))
    })
}

impl VolumeFiles {
    /// Sorts out the names of all files.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut roots: BTreeMap<String, (u64, HashMap<Mag, MagFiles>)> = BTreeMap::new();
        let mut files = Self::default();
        let mut other = |name: &str| {
            let list = if may_hold_content(name) { &mut files.lost } else { &mut files.others };
            list.get_or_insert_with(|| (0, name.to_owned())).0 += 1;
        };
        let mut properties: Option<&str> = None;
        for name in names.filter(|name| !is_junk(name)) {
            let parts: Vec<&str> = name.split('/').collect();
            let Some((at, mag, role)) = role_of(&parts) else {
                match parts.last() {
                    Some(&PROPERTIES_FILE) if properties.is_none_or(|found| name.len() < found.len()) => properties = Some(name),
                    Some(_) | None => other(name),
                }
                continue;
            };
            let root = parts[..at].iter().fold(String::new(), |root, part| root + part + "/");
            let folder = format!("{root}{}", parts[at]);
            let (count, mags) = roots.entry(root).or_default();
            *count += 1;
            let files = mags.entry(mag).or_insert_with(|| MagFiles { folder, ..MagFiles::default() });
            match role {
                Role::Header => files.header = Some(name.to_owned()),
                Role::Node => files.node = Some(name.to_owned()),
                Role::Wkw(address) => files.wkw.push((address, name.to_owned())),
                Role::Zarr(address) => files.zarr.push((address, name.to_owned())),
            }
        }
        files.properties = properties.map(str::to_owned);
        // A volume has one folder; of several the one with most in it.
        let main = roots.iter().max_by_key(|(_, (count, _))| *count).map(|(root, _)| root.clone());
        for (root, (_, mags)) in roots {
            if main.as_ref() == Some(&root) {
                (files.root, files.mags) = (root, mags);
            } else {
                let buckets = mags.values().map(|files| files.wkw.len() as u64 + files.zarr.len() as u64).sum();
                files.other_roots.push((root, buckets));
            }
        }
        files
    }

    /// Whether any file is, or may be, a bucket.
    pub fn has_voxels(&self) -> bool {
        let has_buckets = |files: &MagFiles| !files.wkw.is_empty() || !files.zarr.is_empty();
        self.mags.values().any(has_buckets) || self.lost.is_some() || self.other_roots.iter().any(|(_, buckets)| *buckets > 0)
    }

    /// Mags with their files, finest first.
    pub fn into_mags(self) -> Vec<(Mag, MagFiles)> {
        let mut mags: Vec<_> = self.mags.into_iter().collect();
        mags.sort_by_key(|(mag, _)| mag.sort_key());
        mags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zarr_names_of_all_generations_are_positions() {
        let at = |x, y, z| ChunkIndex(Vec3Int::new(x, y, z));
        for name in ["c.0.97.104.32", "0.97.104.32", "c/0/97/104/32", "0/97/104/32"] {
            assert_eq!(zarr_bucket(name), Some(BucketAddress::at(at(97, 104, 32))), "{name}");
        }
        assert_eq!(zarr_bucket("c.0.3.1.2.4"), Some(BucketAddress { chunk: at(1, 2, 4), axes: [3].into() }));
        assert_eq!(zarr_bucket("0.01.2.3"), zarr_bucket("0.1.2.3"));
        for bad in ["c", "c.0.1.2", "1.0.0.0", "0.+1.2.3", "0.-1.2.3", "0..2.3", "c.0.1.2.x", "x.0.1.2.3", "zarr.json"] {
            assert_eq!(zarr_bucket(bad), None, "{bad}");
        }
    }

    #[test]
    fn files_are_sorted_to_mags_below_one_folder() {
        let names =
            ["x/1/z0/y1/x2.wkw", "x/1/header.wkw", "x/2-2-1/header.wkw", "x/1/read.me", "y/1/header.wkw", "__MACOSX/x/1/header.wkw"];
        let files = VolumeFiles::new(names.into_iter());
        assert_eq!((files.root.as_str(), &files.other_roots[..]), ("x/", &[("y/".to_owned(), 0)][..]));
        assert_eq!((&files.others, &files.lost), (&Some((1, "x/1/read.me".to_owned())), &None));
        let mags = files.into_mags();
        assert_eq!(mags.iter().map(|(mag, _)| mag.to_string()).collect::<Vec<_>>(), ["1", "2-2-1"]);
        assert_eq!(mags[0].1.wkw[0].0, BucketAddress::at(ChunkIndex(Vec3Int::new(2, 1, 0))));
    }

    #[test]
    fn zeros_before_a_position_are_taken_and_names_that_say_none_are_losses() {
        let files = VolumeFiles::new(["1/z0/y0/x07.wkw"].into_iter());
        assert_eq!(files.mags[&Mag::ONE].wkw[0].0, BucketAddress::at(ChunkIndex(Vec3Int::new(7, 0, 0))));
        for lost in ["x-1.wkw", "x4294967296.wkw", "x+1.wkw", "x.wkw", "c.1.0.0.0", "c.0.-1.0.0", "data.zip", "b.nml"] {
            let files = VolumeFiles::new([format!("1/z0/y0/{lost}").as_str(), "1/header.wkw"].into_iter());
            assert!(files.lost.is_some() && files.has_voxels(), "{lost}");
        }
        let names = ["1/header.wkw", "README.txt", ".DS_Store", "__MACOSX/1/z0/y0/x1.wkw", "x/header.wkw", "1/c", "zarr.json"];
        assert!(!VolumeFiles::new(names.into_iter()).has_voxels());
    }

    #[test]
    fn positions_as_folders_belong_to_the_mag_before_them() {
        let files = VolumeFiles::new(["v/2-2-1/c/0/1/2/4", "v/2/0/0/0/4", "v/zarr.json"].into_iter());
        assert_eq!((files.root.as_str(), files.others), ("v/", Some((1, "v/zarr.json".to_owned()))));
        let mags = files.mags;
        assert!(mags.values().all(|files| files.zarr.len() == 1) && mags.len() == 2);
    }
}
