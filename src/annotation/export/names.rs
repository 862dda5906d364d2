//! Names of entries in an archive.

use crate::format::annotation::BucketAddress;
use crate::geometry::Mag;

/// Longest part of a name that comes from somebody's naming.
const MAX_CHARS: usize = 60;

/// A name that every system can have as a file's: letters, digits, `-`, `_`, `.` and spaces inside of it.
pub(super) fn file_stem(name: &str, otherwise: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let kept: String = name.chars().map(|c| if is_kept(c) { c } else { '_' }).take(MAX_CHARS).collect();
    let kept = kept.trim_matches(['.', '_']);
    if kept.is_empty() { otherwise.to_owned() } else { kept.to_owned() }
}

/// The name of a volume's data zip.
pub(super) fn data_zip(index: usize, count: usize, name: &str) -> String {
    // Beyond ASCII, programs disagree on how names in zip files are encoded.
    let ascii: String = name.chars().map(|c| if c.is_ascii() { c } else { '_' }).collect();
    if count == 1 && name == "Volume" { "data_Volume.zip".to_owned() } else { format!("data_{index}_{}.zip", file_stem(&ascii, "Volume")) }
}

/// A bucket's name in the WKW flavour.
pub(super) fn wkw_bucket(mag: Mag, at: &BucketAddress) -> String {
    let [x, y, z] = at.chunk.0.to_array();
    format!("{mag}/z{z}/y{y}/x{x}.wkw")
}

/// A bucket's name below its mag in the Zarr 3 flavours: first the channel, then further axes, x, y, z.
pub(super) fn zarr_bucket(at: &BucketAddress) -> String {
    let [x, y, z] = at.chunk.0.to_array();
    let axes: String = at.axes.iter().map(|position| format!("{position}.")).collect();
    format!("0.{axes}{x}.{y}.{z}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{ChunkIndex, Vec3Int};

    #[test]
    fn names_are_fit_for_files_whatever_they_were() {
        let long = "x".repeat(100);
        let cases = [
            ("a b", "a_b"),
            ("../../etc/passwd", "etc_passwd"),
            ("C:\\x", "C__x"),
            ("a&<😀>", "a"),
            ("", "Volume"),
            ("..", "Volume"),
            ("ä.1", "ä.1"),
            (&long, &long[..60]),
        ];
        for (name, stem) in cases {
            assert_eq!(file_stem(name, "Volume"), stem);
        }
        assert_eq!(data_zip(0, 1, "Volume"), "data_Volume.zip");
        assert_eq!(data_zip(0, 2, "Volume"), "data_0_Volume.zip");
        assert_eq!(data_zip(1, 2, "😀/ä"), "data_1_Volume.zip");
        assert_eq!(data_zip(0, 1, "a/b"), "data_0_a_b.zip");
    }

    #[test]
    fn buckets_are_named_as_servers_name_them() {
        let chunk = ChunkIndex(Vec3Int::new(22, 33, 28));
        let mag = Mag::new(4, 4, 2).expect("a mag");
        assert_eq!(wkw_bucket(mag, &BucketAddress::at(chunk)), "4-4-2/z28/y33/x22.wkw");
        assert_eq!(zarr_bucket(&BucketAddress::at(chunk)), "0.22.33.28");
        assert_eq!(zarr_bucket(&BucketAddress { chunk, axes: [5, 7].into() }), "0.5.7.22.33.28");
    }
}
