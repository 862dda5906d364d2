//! The data zip of one volume: all its buckets, encoded in parallel and written in order.

use super::content::{LevelContent, VolumeContent};
use super::encode::Encoder;
use super::error::{ExportError, ExportFormat, ExportWatch, VolumeReport, cant_write};
use super::names::{wkw_bucket, zarr_bucket};
use super::zarr_json::{LAYER, ZarrVolume};
use crate::annotation::volume::VolumeAnnotation;
use crate::format::annotation::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress, bucket_box, extent_with};
use crate::format::wkw::HEADER_FILE;
use crate::format::{ChunkError, PROPERTIES_FILE};
use crate::geometry::{BoundingBox, Mag, Vec3Int};
use crate::problem::Problems;
use crate::storage::FailsOnce;
use crate::text::count;
use rayon::prelude::*;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use zip::write::{PreparedZipFile, SimpleFileOptions};
use zip::{CompressionMethod, ZipWriter};

/// Buckets that are encoded at once: at most 64 MiB wait to be written.
const BATCH: usize = 256;

/// Damaged buckets of a volume that are listed; further ones are counted.
const MAX_LISTED: u64 = 100;

/// What becomes of a bucket.
enum Bucket {
    Entry(Box<PreparedZipFile>),
    /// It is of zeros that hide nothing.
    Zeros,
    /// It can't be read, and is left out.
    Damaged(ChunkError),
}

/// Options of all entries: deflate, fast, and no times, so that equal annotations become equal files.
pub(super) fn entry_options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).compression_level(Some(1))
}

/// How a data zip is written.
pub(super) struct DataZip<'a> {
    pub volume: &'a VolumeAnnotation,
    pub content: &'a VolumeContent,
    pub encoder: &'a Encoder,
    /// Whether buckets of zeros are written: those that hide something.
    pub keeps_zeros: bool,
    /// Whether buckets that can't be read are left out.
    pub drops_damaged: bool,
    /// Axes beyond x, y, z with their bounds.
    pub axes: &'a [(String, i64, i64)],
    /// The archive, for messages.
    pub path: &'a Path,
    pub watch: ExportWatch<'a>,
    /// Buckets done, of this volume and those before it, and all there are.
    pub done: &'a AtomicU64,
    pub total: u64,
}

impl DataZip<'_> {
    /// Writes the data zip; what was written, without its location. What is left out is listed.
    pub(super) fn write(&self, file: &mut (impl Write + Seek), problems: &mut Problems) -> Result<VolumeReport, ExportError> {
        let mut report = VolumeReport {
            name: self.volume.name.clone(),
            location: None,
            class: self.encoder.to,
            mags: self.volume.levels.iter().map(|level| level.mag).collect(),
            buckets: 0,
            zero_buckets: 0,
            damaged_buckets: 0,
        };
        let fail = |err: zip::result::ZipError| cant_write(self.path)(err.into());
        let once = FailsOnce::new(&mut *file);
        let gives_up = once.gives_up();
        let mut zip = ZipWriter::new(BufWriter::with_capacity(1 << 18, once));
        // Dropped before the writer, which would write an end, and say so where it can't.
        let _gives_up = gives_up;
        let small = |zip: &mut ZipWriter<_>, name: &str, bytes: &[u8]| -> Result<(), ExportError> {
            zip.start_file(name, entry_options()).map_err(fail)?;
            zip.write_all(bytes).map_err(cant_write(self.path))
        };
        let zarr = (self.encoder.format != ExportFormat::Wkw).then(|| self.zarr_volume());
        if let Some(zarr) = &zarr {
            small(&mut zip, PROPERTIES_FILE, zarr.properties(&report.mags).to_string().as_bytes())?;
        }
        for content in &self.content.levels {
            let mag = content.level.mag;
            if let Some(zarr) = &zarr {
                let end = self.end(content);
                small(&mut zip, &format!("{LAYER}/{mag}/zarr.json"), zarr.array(end).to_string().as_bytes())?;
            }
            let zeros = self.encoder.zeros(mag, BUCKET_VOXELS)?;
            for batch in content.addresses.chunks(BATCH) {
                let encoded: Vec<Bucket> = batch.par_iter().map(|at| self.bucket(content, at, &zeros)).collect::<Result<_, _>>()?;
                for bucket in encoded {
                    match bucket {
                        Bucket::Entry(entry) => {
                            zip.add_prepared_file(*entry).map_err(fail)?;
                            report.buckets += 1;
                        }
                        Bucket::Zeros => report.zero_buckets += 1,
                        Bucket::Damaged(err) => {
                            report.damaged_buckets += 1;
                            if report.damaged_buckets <= MAX_LISTED {
                                problems.warn(&self.volume.name, format!("a chunk of mag {mag} is left out: {err}"));
                            }
                        }
                    }
                }
            }
        }
        if let Some(more @ 1..) = report.damaged_buckets.checked_sub(MAX_LISTED) {
            problems.warn(&self.volume.name, format!("{} further chunks that can't be read are left out", count(more)));
        }
        if zarr.is_none() {
            for mag in &report.mags {
                small(&mut zip, &format!("{mag}/{HEADER_FILE}"), &self.encoder.wkw_header(0)?)?;
            }
        }
        zip.finish().map_err(fail)?.flush().map_err(cant_write(self.path))?;
        file.rewind().map_err(cant_write(self.path))?;
        Ok(report)
    }

    /// What becomes of a bucket.
    fn bucket(&self, content: &LevelContent, at: &BucketAddress, zeros: &[u8]) -> Result<Bucket, ExportError> {
        self.watch.check()?;
        let mag = content.level.mag;
        if at.chunk.0.to_array().iter().any(|index| *index < 0) {
            let position = at.chunk.0.times(Vec3Int::splat(BUCKET_SIDE)).to_string();
            return Err(ExportError::Negative { volume: self.volume.name.clone(), position });
        }
        let voxels = match content.read(at) {
            Ok(voxels) => voxels,
            Err(err) if self.drops_damaged => return Ok(Bucket::Damaged(err)),
            Err(err) => return Err(err.into()),
        };
        (self.watch.progress)(self.done.fetch_add(1, Ordering::Relaxed) + 1, self.total);
        let encoded = self.encoder.encode(mag, voxels.bytes())?;
        let name = match self.encoder.format {
            ExportFormat::Wkw => wkw_bucket(mag, at),
            ExportFormat::Zarr3 => format!("{LAYER}/{mag}/{}", zarr_bucket(at)),
            ExportFormat::Zarr3Spec => format!("{LAYER}/{mag}/c.{}", zarr_bucket(at)),
        };
        let bytes = match &encoded {
            Some(bytes) => Some(&bytes[..]),
            // Erased: the fallback layer mustn't come back.
            None if self.keeps_zeros => Some(zeros),
            None => None,
        };
        let entry = bytes.map(|bytes| PreparedZipFile::from_data(name, entry_options(), bytes)).transpose();
        let entry = entry.map_err(|err| cant_write(self.path)(err.into()))?;
        Ok(entry.map_or(Bucket::Zeros, |entry| Bucket::Entry(Box::new(entry))))
    }

    /// The first voxel of a mag behind the bounding box and all buckets.
    fn end(&self, content: &LevelContent) -> Vec3Int {
        let declared = content.level.mag.box_in_mag(&self.volume.bounding_box).bottomright();
        let buckets = content.addresses.iter().map(|at| (at.chunk.0 + Vec3Int::splat(1)).times(Vec3Int::splat(BUCKET_SIDE)));
        buckets.fold(declared.max(Vec3Int::splat(1)), Vec3Int::max)
    }

    fn zarr_volume(&self) -> ZarrVolume<'_> {
        // Coarse buckets reach far beyond what was painted: a reader that takes the whole box would drown.
        let own = self.content.levels.iter().fold(BoundingBox::default(), |extent, content| {
            let mag: Mag = content.level.mag;
            extent_with(&extent, content.addresses.iter().map(|at| mag.box_in_mag1(&bucket_box(at.chunk))))
        });
        let bounding_box = if self.volume.bounding_box.is_empty() { own } else { extent_with(&self.volume.bounding_box, [own]) };
        ZarrVolume {
            format: self.encoder.format,
            class: self.encoder.to,
            axes: self.axes,
            bounding_box,
            largest_segment_id: self.volume.largest_segment_id,
            voxel_size: self.volume.voxel_size,
        }
    }
}
