//! What can be asked of an export, and what it answers.

use crate::format::ChunkError;
use crate::format::wkw::WkwWriteError;
use crate::geometry::Mag;
use crate::problem::Problems;
use crate::voxel::ElementClass;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// How voxels are stored in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One WKW file per bucket: what servers write unless there are further axes.
    Wkw,
    /// Zarr 3 as servers write it since July 2025. Their headers are no promise: shape and separator are ignored.
    Zarr3,
    /// Zarr 3 as its specification has it, for other readers; servers take it too.
    Zarr3Spec,
}

/// How to export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// How voxels are stored. `None`: WKW, but for volumes with axes that it can't hold.
    pub format: Option<ExportFormat>,
    /// Whether buckets and further files that can't be read are left out and listed, instead of ending the export.
    pub drops_damaged: bool,
}

/// How far an export is, and whether it goes on. Called from many threads.
#[derive(Clone, Copy)]
pub struct ExportWatch<'a> {
    /// Told the buckets done and those there are.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Set by the caller to stop.
    pub cancel: &'a AtomicBool,
}

impl ExportWatch<'_> {
    pub(super) fn check(&self) -> Result<(), ExportError> {
        if self.cancel.load(Ordering::Relaxed) { Err(ExportError::Cancelled) } else { Ok(()) }
    }
}

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct ExportReport {
    /// Volumes, in order.
    pub volumes: Vec<VolumeReport>,
    /// Length of the archive in bytes.
    pub bytes: u64,
    /// What the target can't hold, what was left out, and what servers won't like.
    pub problems: Problems,
}

/// What was written of one volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeReport {
    /// Its name.
    pub name: String,
    /// Its data zip in the archive, or its folder in a dataset; `None` if it has none.
    pub location: Option<String>,
    /// Class of the voxels.
    pub class: ElementClass,
    /// Mags.
    pub mags: Vec<Mag>,
    /// Buckets, or chunks of a dataset, that were written.
    pub buckets: u64,
    /// Buckets of zeros that were left out, as there is nothing below that they would hide.
    pub zero_buckets: u64,
    /// Buckets that were left out because they can't be read.
    pub damaged_buckets: u64,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
    /// The file can't be written.
    #[error("can't write: {source}: {}", .path.display())]
    Write {
        /// The system's reason.
        source: io::Error,
        /// The archive or folder.
        path: PathBuf,
    },
    /// A bucket, or the fallback layer below it, can't be read.
    #[error("can't read: {0}")]
    Read(#[from] ChunkError),
    /// A further file of the annotation can't be read.
    #[error("can't read {name}: {source}")]
    Attachment {
        /// Its name in the archive.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// An id that servers couldn't take back.
    #[error("can't export volume {volume}: segment {id} in mag {mag} doesn't fit {class}, {reason}")]
    Id {
        /// Name of the volume.
        volume: String,
        /// The id.
        id: String,
        /// Where it is.
        mag: Mag,
        /// Class of the exported voxels.
        class: ElementClass,
        /// Where that comes from.
        reason: &'static str,
    },
    /// WKW knows x, y and z only.
    #[error("can't export volume {volume} as WKW, which can't hold the axes {axes}; Zarr 3 can")]
    Axes {
        /// Name of the volume.
        volume: String,
        /// Names of the axes.
        axes: String,
    },
    /// Voxels don't fit into an NML.
    #[error("can't export the voxels of volume {volume} as an NML alone, only as a zip: {}", .path.display())]
    Voxels {
        /// Name of the volume.
        volume: String,
        /// The file.
        path: PathBuf,
    },
    /// What can't be part of a bucket's name.
    #[error("can't export volume {volume}: it has a chunk at the negative position {position}")]
    Negative {
        /// Name of the volume.
        volume: String,
        /// First voxel of the bucket in its mag.
        position: String,
    },
    /// A layer below that reaches to where WKW has no voxels.
    #[error("can't merge volume {volume}: the layer {layer} below begins at the negative position {position}, which WKW can't hold")]
    NegativeLayer {
        /// Name of the volume.
        volume: String,
        /// The fallback layer.
        layer: String,
        /// Its first voxel, in the volume's finest mag.
        position: String,
    },
    /// A mag of the merged dataset.
    #[error(transparent)]
    Wkw(#[from] WkwWriteError),
    /// What was exported can't be opened.
    #[error("can't read back what was exported: {0}")]
    ReadBack(String),
    /// Our fault.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Makes errors of writing say where to.
pub(super) fn cant_write(path: &Path) -> impl Fn(io::Error) -> ExportError {
    move |source| ExportError::Write { source, path: path.to_owned() }
}
