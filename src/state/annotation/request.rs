//! [`EditRequest`]: what the editor is asked to do, one after the other, and [`AnnotationWork`]: longer work on files.

use super::commands::SegmentChange;
use crate::format::annotation::{AnnotationFile, VolumeFile};
use crate::format::nml::{SegmentId, VolumeFormat};
use crate::geometry::{Mag, SlicePlane, Vec3Int};
use crate::state::dispatch::Effect;
use std::path::PathBuf;
use std::sync::Arc;

/// Where and with what something is painted.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintPlace {
    /// Plane of the pane.
    pub plane: SlicePlane,
    /// Mag that the pane shows, in which is painted.
    pub mag: Mag,
    /// Positions along the axes beyond x, y, z, in the volume's order.
    pub axes: Arc<[u64]>,
    /// The segment that is painted; where only the background may be painted over, it alone is erased.
    pub active: ActiveSegment,
    /// The background is painted instead.
    pub erases: bool,
    /// Only the background is painted over.
    pub empty_only: bool,
}

/// The segment that a request is about. The window goes on while the editor is busy, so it may not know the id yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveSegment {
    /// This one; 0 for none.
    Known(SegmentId),
    /// That of the last [`EditRequest::NewSegment`] before.
    Newest,
}

/// What the editor of a volume is asked to do. Requests are carried out in their order, however long chunks take.
#[derive(Clone, Debug, PartialEq)]
pub enum EditRequest {
    /// Start a stroke of discs.
    BeginStroke {
        /// Where and with what.
        place: PaintPlace,
        /// Diameter in finest base voxels.
        diameter: u32,
        /// Mag-1 point.
        at: [f64; 3],
    },
    /// Go on with it through these mag-1 points.
    ExtendStroke(Vec<[f64; 3]>),
    /// End it; an area that it encloses is filled.
    EndStroke,
    /// Fill an outline of mag-1 points.
    Trace {
        /// Where and with what.
        place: PaintPlace,
        /// Its corners.
        outline: Vec<[f64; 3]>,
    },
    /// Fill what is connected with a mag-1 voxel.
    Fill {
        /// Where and with what.
        place: PaintPlace,
        /// The voxel.
        seed: Vec3Int,
        /// In the volume instead of the slice.
        in_volume: bool,
    },
    /// Paint between the last labelled slice and this one.
    Interpolate {
        /// Where and with what.
        place: PaintPlace,
        /// A mag-1 voxel of the slice.
        at: Vec3Int,
    },
    /// Take an id that is not in use, and make it the active one.
    NewSegment {
        /// How many were asked for before, to tell the answers apart.
        number: u64,
        /// The active segment. It stays active if no id is left.
        active: ActiveSegment,
        /// Mag-1 voxel to note as its anchor.
        anchor: Vec3Int,
    },
    /// Change a segment.
    ChangeSegment {
        /// Its id.
        id: SegmentId,
        /// The change.
        change: SegmentChange,
    },
    /// List all segments as shown.
    ShowAll,
    /// Take the last edit back.
    Undo,
    /// Do it again.
    Redo,
}

/// Formats of exported annotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, strum::EnumIter)]
pub enum ExportKind {
    /// A zip with WKW buckets.
    #[default]
    Wkw,
    /// A zip with Zarr 3 buckets, as servers since 2025 write them.
    Zarr3,
    /// A zip with Zarr 3 arrays whose metadata are right.
    Zarr3Spec,
    /// A WKW dataset of annotation over fallback.
    Merged,
}

impl ExportKind {
    /// How a file stores its volumes; by what the NML says where there are no voxels.
    pub fn of_file(file: &AnnotationFile) -> Self {
        let told = |volume: &VolumeFile| file.nml.volumes.get(volume.nml_volume?)?.format;
        let is_zarr = |volume: &VolumeFile| volume.format.or_else(|| told(volume)) == Some(VolumeFormat::Zarr3);
        if file.volumes.iter().any(|volume| volume.is_plain_zarr) {
            Self::Zarr3Spec
        } else if file.volumes.iter().any(|volume| is_zarr(volume) || !volume.axes.is_empty()) {
            Self::Zarr3 // WKW has no further axes
        } else {
            Self::Wkw
        }
    }

    /// As shown in the dialog.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Wkw => "WKW",
            Self::Zarr3 => "Zarr 3",
            Self::Zarr3Spec => "Zarr 3, strict",
            Self::Merged => "Merged dataset",
        }
    }
}

/// Longer work on the open annotation, off the window's thread.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationWork {
    /// Write it.
    Export {
        /// Where to.
        path: PathBuf,
        /// As what.
        kind: ExportKind,
        /// What goes on once it is written; forgotten if it isn't.
        then: Option<Box<Effect>>,
        /// Whether what can't be read is left out; the export ends with a question otherwise.
        drops_damaged: bool,
    },
    /// Export, import again, compare.
    RoundTrip,
}
