//! [`FoundVolume`]: a volume layer from the files of its data zip.

use super::bucket_names::{MagFiles, VolumeFiles};
use super::bucket_source::{BucketCoding, BucketFile, BucketSource, Buckets};
use super::buckets::{BUCKET_VOXELS, BucketAddress, BucketStore, extent_with};
use super::volume_axes::AxisNames;
use super::volume_headers::{HeaderKind, LevelHeader, wkw_header, zarr_header};
use crate::format::nml::VolumeFormat;
use crate::format::{ChunkSource, ExtraAxis, HeaderField, HeaderReport, LevelError};
use crate::geometry::{BoundingBox, Mag};
use crate::problem::{Problem, Problems, Severity};
use crate::storage::{Storage, StorageError, StorageKey};
use crate::text::count;
use crate::voxel::ElementClass;
use std::sync::Arc;

/// The stored voxels of a volume layer.
#[derive(Default)]
pub(super) struct FoundVolume {
    /// How they are stored; `None` without any file that says it.
    pub format: Option<VolumeFormat>,
    /// Whether a mag's Zarr metadata keep to the specification.
    pub is_plain_zarr: bool,
    /// Their class; that of the finest mag.
    pub class: Option<ElementClass>,
    pub axes: Vec<ExtraAxis>,
    /// Finest first.
    pub levels: Vec<FoundLevel>,
    /// The box around all buckets, in mag-1 voxels.
    pub extent: BoundingBox,
    pub problems: Problems,
}

/// One mag of a volume.
pub(super) struct FoundLevel {
    pub mag: Mag,
    /// Its folder in the data zip.
    pub folder: String,
    pub source: Result<Arc<dyn ChunkSource>, Arc<LevelError>>,
    /// Its buckets; `None` where `source` is an error.
    pub store: Option<Arc<dyn BucketStore>>,
}

/// What a data zip is.
pub(super) enum VolumeKind {
    /// Buckets as the server writes them, or nothing at all.
    Buckets(FoundVolume),
    /// Another layout: it is read as what its metadata describe.
    Other,
}

/// Opens the volume whose files are in a storage by their names and headers; no bucket is read, unless a header is lost.
///
/// # Errors
/// If a header can't be read at all.
pub(super) fn open_volume(
    storage: &Arc<dyn Storage>,
    files: VolumeFiles,
    nml_axes: &[(String, i64, i64)],
) -> Result<VolumeKind, StorageError> {
    let mut found = FoundVolume::default();
    let location = storage.location("");
    if files.mags.is_empty() {
        return Ok(if files.others.is_some() || files.lost.is_some() { VolumeKind::Other } else { VolumeKind::Buckets(found) });
    }
    if let Some((n, first)) = &files.others {
        found.problems.info(&location, format!("{} files belong to no mag and are left out, the first is {first}", count(*n)));
    }
    if let Some((n, first)) = &files.lost {
        found
            .problems
            .error(&location, format!("{} files whose names say no position in a mag are left out, the first is {first}", count(*n)));
    }
    for (other, buckets) in &files.other_roots {
        let severity = if *buckets > 0 { Severity::Error } else { Severity::Warning };
        let text = format!("Mags lie in several folders, those in {other:?} with {} buckets are left out", count(*buckets));
        found.problems.add(Problem { severity, text, location: location.clone() });
    }
    let axis_names = AxisNames::read(storage.as_ref(), files.properties.as_deref(), nml_axes, &mut found.problems);
    for (mag, files) in files.into_mags() {
        let is_wkw = files.wkw.len() + usize::from(files.header.is_some()) >= files.zarr.len() + usize::from(files.node.is_some());
        let header = if is_wkw {
            wkw_header(storage.as_ref(), &files, &mut found.problems)?
        } else {
            zarr_header(storage.as_ref(), &files, axis_names.class, &mut found.problems)?
        };
        let header = match header {
            HeaderKind::Buckets(header) => header,
            HeaderKind::Other => return Ok(VolumeKind::Other),
            HeaderKind::Unusable(reason) => {
                let error = Arc::new(LevelError { reason, location: storage.location(&files.folder) });
                found.problems.error(&error.location, format!("Can't open mag {mag}: {}", error.reason));
                found.levels.push(FoundLevel { mag, folder: files.folder, source: Err(error), store: None });
                continue;
            }
        };
        found.is_plain_zarr |= header.is_plain_zarr;
        found.format.get_or_insert(if is_wkw { VolumeFormat::Wkw } else { VolumeFormat::Zarr3 });
        found.add_level(storage, mag, files, header, &axis_names);
    }
    Ok(VolumeKind::Buckets(found))
}

impl FoundVolume {
    fn add_level(&mut self, storage: &Arc<dyn Storage>, mag: Mag, files: MagFiles, header: LevelHeader, axis_names: &AxisNames) {
        let location = storage.location(&files.folder);
        let (coding, named, unused) = match header.coding {
            BucketCoding::Wkw => (BucketCoding::Wkw, files.wkw, files.zarr.len()),
            BucketCoding::Zarr3 => (BucketCoding::Zarr3, files.zarr, files.wkw.len()),
        };
        if unused > 0 {
            self.problems.error(&location, format!("Mag {mag} has chunks of both formats, {} are left out", count(unused as u64)));
        }
        let axes = axis_names.of_level(&header.dimension_names, &named);
        if self.levels.iter().all(|level| level.source.is_err()) {
            self.axes.clone_from(&axes);
            self.class = Some(header.class);
        } else if axes.len() != self.axes.len() {
            let reason = format!("it has {} further axes, the finest mag {}", axes.len(), self.axes.len());
            self.problems.error(&location, format!("Can't use mag {mag}: {reason}"));
            let source = Err(Arc::new(LevelError { reason, location }));
            return self.levels.push(FoundLevel { mag, folder: files.folder, source, store: None });
        } else if self.class != Some(header.class) {
            let first = self.class.map_or("?", ElementClass::name);
            self.problems.warn(&location, format!("Mag {mag} has {} voxels, the finest one {first}", header.class));
        }
        for (all, own) in self.axes.iter_mut().zip(&axes) {
            all.len = all.len.max(own.len);
        }
        let files_of_level = self.bucket_files(storage.as_ref(), named, axes.len(), &location);
        let mut report = header.report;
        let fields = vec![HeaderField::new(
            "buckets",
            "",
            count(files_of_level.len() as u64),
            "stored ones; those of zeros hide the fallback layer",
        )];
        match report.sections.first_mut() {
            Some(section) => section.fields.extend(fields),
            None => report = HeaderReport::default(),
        }
        let buckets = Buckets {
            storage: storage.clone(),
            folder: files.folder.clone(),
            class: header.class,
            coding,
            files: files_of_level,
            axes: self.axes.clone(),
            header: report,
        };
        let Some(source) = BucketSource::new(buckets) else { return };
        self.extent = extent_with(&self.extent, source.boxes().map(|bucket| mag.box_in_mag1(&bucket)));
        let source = Arc::new(source);
        let store: Arc<dyn BucketStore> = source.clone();
        self.levels.push(FoundLevel { mag, folder: files.folder, source: Ok(source), store: Some(store) });
    }

    /// The buckets that can be used: with all positions, not marked as reverted.
    fn bucket_files(&mut self, storage: &dyn Storage, named: Vec<(BucketAddress, String)>, axes: usize, location: &str) -> Vec<BucketFile> {
        /// A bucket of one byte, or none, is one that was taken back.
        const MAX_REVERTED_BYTES: u64 = 1;
        let mut reverted = 0_u64;
        let mut strange: Option<(u64, String)> = None;
        let mut files: Vec<BucketFile> = Vec::with_capacity(named.len());
        for (address, name) in named {
            let key = StorageKey::new(name.as_str()).filter(|_| address.axes.len() == axes);
            let Some(key) = key else {
                strange.get_or_insert((0, name)).0 += 1;
                continue;
            };
            match storage.len(&key) {
                Ok(Some(len)) if len > MAX_REVERTED_BYTES => files.push(BucketFile { address, key, len }),
                Ok(_) => reverted += 1,
                Err(err) => self.problems.error(storage.location(key.as_str()), format!("A chunk is left out: {}", err.reason())),
            }
        }
        if reverted > 0 {
            self.problems.info(location, format!("{} chunks of a single byte or none are taken as reverted", count(reverted)));
        }
        if let Some((n, first)) = strange {
            self.problems.error(location, format!("{} chunks have another number of positions than axes, the first is {first}", count(n)));
        }
        files.sort_by(|a, b| a.address.cmp(&b.address));
        let before = files.len();
        files.dedup_by(|a, b| a.address == b.address);
        if files.len() < before {
            self.problems.error(location, format!("{} chunks are there twice under other names", count((before - files.len()) as u64)));
        }
        files
    }
}

/// Voxel length of a bucket of this many bytes, as the class that is likely.
pub(super) fn class_from_len(bucket_len: usize) -> Option<ElementClass> {
    let classes = [ElementClass::Uint8, ElementClass::Uint16, ElementClass::Uint32, ElementClass::Uint64];
    classes.into_iter().find(|class| class.byte_len() * BUCKET_VOXELS == bucket_len)
}
