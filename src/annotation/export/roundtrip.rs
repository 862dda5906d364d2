//! [`roundtrip`]: whether an annotation comes out of export and import as it went in.

use super::archive::export;
use super::content::{LevelContent, VolumeContent};
use super::error::{ExportError, ExportOptions, ExportReport, ExportWatch, cant_write};
use crate::annotation::ids::convert_ids;
use crate::annotation::opened::Annotation;
use crate::annotation::volume::VolumeAnnotation;
use crate::format::annotation::{AnnotationFile, Attachment, BUCKET_VOXELS, BucketAddress, BucketStore};
use crate::format::nml::{NmlDifferences, compare_with_volumes};
use crate::geometry::Mag;
use crate::storage::{LocalOpener, scratch_folder};
use crate::voxel::is_zero;
use rayon::prelude::*;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Differences of buckets that are listed; further ones are counted.
const MAX_LISTED: usize = 100;

/// Bytes of files that are compared at once.
const PIECE_BYTES: u64 = 1 << 18;

/// What a round trip has shown.
#[derive(Debug, Default)]
pub struct RoundtripReport {
    /// What was exported.
    pub export: ExportReport,
    /// What differs between the NMLs: segments, trees, boxes, metadata and the rest.
    pub nml: NmlDifferences,
    /// Buckets compared, in all volumes and mags.
    pub buckets: u64,
    /// How many of them differ.
    pub different_buckets: u64,
    /// The first of these, for people.
    pub bucket_lines: Vec<String>,
    /// What was wrong when the archive was opened again.
    pub problems: Vec<String>,
    /// How long the export took.
    pub export_time: Duration,
    /// How long opening and comparing took.
    pub compare_time: Duration,
}

impl RoundtripReport {
    /// Whether all came back as it was.
    pub fn is_equal(&self) -> bool {
        self.different_buckets == 0 && self.bucket_lines.is_empty() && self.nml.is_empty() && self.problems.is_empty()
    }
}

/// Exports an annotation to a file for the moment, opens that, and compares every bucket of every mag, and the NML.
///
/// # Errors
/// If it can't be exported, or not opened again. Differences are no errors.
pub fn roundtrip(annotation: &Annotation, options: ExportOptions, watch: ExportWatch<'_>) -> Result<RoundtripReport, ExportError> {
    let failed = |reason: String| ExportError::ReadBack(reason);
    let folder = scratch_folder().map_err(|(err, above)| cant_write(&above)(err))?;
    let path = folder.path().join("roundtrip.zip");
    // Every bucket is written, and then compared.
    let buckets: u64 = annotation.volumes.iter().map(|volume| VolumeContent::of(volume).len()).sum();
    let writing = |done: u64, _: u64| (watch.progress)(done.min(buckets), 2 * buckets);
    let begin = Instant::now();
    let exported = export(annotation, options, &path, ExportWatch { progress: &writing, ..watch })?;
    let mut report = RoundtripReport { export: exported, ..RoundtripReport::default() };
    report.export_time = begin.elapsed();
    let begin = Instant::now();
    let dataset = crate::format::open(&LocalOpener::default(), Path::new(&path)).map_err(|err| failed(err.to_string()))?;
    let again = dataset.annotation.as_ref().ok_or_else(|| failed("it isn't taken for an annotation".to_owned()))?;
    report.nml = compare_with_volumes(&annotation.nml, &annotation.nml_volumes(), &again.nml);
    if again.volumes.len() != annotation.volumes.len() {
        report.problems.push(format!("{} volumes instead of {}", again.volumes.len(), annotation.volumes.len()));
    }
    let compared = AtomicU64::new(0);
    let comparing = || {
        let done = compared.fetch_add(1, Ordering::Relaxed) + 1;
        (watch.progress)(buckets + done.min(buckets), 2 * buckets);
    };
    for (volume, at) in annotation.volumes.iter().zip(0..) {
        compare_volume(volume, again, at, &mut report, watch, &comparing)?;
    }
    for attachment in &annotation.attachments {
        let found = again.attachments.iter().find(|other| other.name == attachment.name);
        if !found.is_some_and(|found| is_same_file(attachment, found).unwrap_or(false)) {
            report.problems.push(format!("{} didn't come back as it was", attachment.name));
        }
    }
    report.compare_time = begin.elapsed();
    Ok(report)
}

/// Whether two files have the same bytes.
fn is_same_file(a: &Attachment, b: &Attachment) -> io::Result<bool> {
    let [mut a, mut b] = [a.stream().map_err(io::Error::other)?, b.stream().map_err(io::Error::other)?];
    loop {
        let (mut in_a, mut in_b) = (Vec::new(), Vec::new());
        a.by_ref().take(PIECE_BYTES).read_to_end(&mut in_a)?;
        b.by_ref().take(PIECE_BYTES).read_to_end(&mut in_b)?;
        if in_a != in_b || in_a.is_empty() {
            return Ok(in_a == in_b);
        }
    }
}

/// How a bucket came back.
enum Outcome {
    Same,
    Different(String),
}

fn compare_volume(
    volume: &VolumeAnnotation,
    again: &AnnotationFile,
    at: usize,
    report: &mut RoundtripReport,
    watch: ExportWatch<'_>,
    progress: &(dyn Fn() + Sync),
) -> Result<(), ExportError> {
    let content = VolumeContent::of(volume);
    let Some(file) = again.volumes.get(at) else { return Ok(()) };
    let stored = |mag: Mag| file.levels.iter().find(|(other, _)| *other == mag).map(|(_, store)| store);
    for (mag, _) in file.levels.iter().filter(|(mag, _)| volume.level_of(*mag).is_none()) {
        report.problems.push(format!("{}: mag {mag} appeared", volume.name));
    }
    for level in &content.levels {
        let mag = level.level.mag;
        let Some(store) = stored(mag) else {
            report.problems.push(format!("{}: mag {mag} is lost", volume.name));
            continue;
        };
        let own: HashSet<&BucketAddress> = level.addresses.iter().collect();
        let added: Vec<BucketAddress> = store.addresses().into_iter().filter(|at| !own.contains(at)).collect();
        let all: Vec<&BucketAddress> = level.addresses.iter().chain(&added).collect();
        let outcomes = all.par_iter().map(|at| {
            watch.check()?;
            progress();
            compare_bucket(volume, level, &**store, at, own.contains(at))
        });
        for (outcome, at) in outcomes.collect::<Result<Vec<_>, _>>()?.into_iter().zip(all) {
            report.buckets += 1;
            if let Outcome::Different(how) = outcome {
                report.different_buckets += 1;
                if report.bucket_lines.len() < MAX_LISTED {
                    let axes: String = at.axes.iter().map(|position| format!(", {position}")).collect();
                    report.bucket_lines.push(format!("{}, mag {mag}, chunk {}{axes}: {how}", volume.name, at.chunk.0));
                }
            }
        }
    }
    Ok(())
}

fn compare_bucket(
    volume: &VolumeAnnotation,
    level: &LevelContent,
    store: &dyn BucketStore,
    at: &BucketAddress,
    is_own: bool,
) -> Result<Outcome, ExportError> {
    if !is_own {
        return Ok(Outcome::Different("appeared".to_owned()));
    }
    let was: Arc<_> = level.read(at)?;
    let mut stored = vec![0; BUCKET_VOXELS * store.class().byte_len()];
    if !store.read_into(at, &mut stored)? {
        let may_be_left_out = volume.fallback_layer.is_none() && is_zero(was.bytes());
        return Ok(if may_be_left_out { Outcome::Same } else { Outcome::Different("is lost".to_owned()) });
    }
    let now = if store.class() == volume.class {
        stored
    } else {
        let mut now = vec![0; was.bytes().len()];
        if convert_ids(store.class(), &stored, volume.class, &mut now).is_err() {
            return Ok(Outcome::Different("has ids that weren't there".to_owned()));
        }
        now
    };
    // Nearly every bucket: far faster to see for all bytes at once.
    if was.bytes() == now {
        return Ok(Outcome::Same);
    }
    let voxel_len = volume.class.byte_len();
    let differing = was.bytes().chunks_exact(voxel_len).zip(now.chunks_exact(voxel_len)).filter(|(was, now)| was != now).count();
    Ok(Outcome::Different(format!("{differing} voxels differ")))
}
