//! Opening one mag by its folder, whatever its format.

use super::array::{DeclaredAxes, DefaultAxes, OpenedLevel};
use super::detect::is_there;
use super::open::Opening;
use super::wkw::{HEADER_FILE, WkwSource};
use super::{DataFormat, ExtraAxis, LevelError, MagLevel, n5, precomputed, zarr};
use crate::geometry::Mag;
use crate::problem::Problems;
use crate::storage::PathKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A mag with what the rest of its layer must know.
pub(super) struct OpenedMag {
    pub level: MagLevel,
    pub axes: Vec<ExtraAxis>,
    pub problems: Problems,
    /// Format found, where it isn't the one that was expected.
    pub format: DataFormat,
}

/// How a mag is to be opened.
pub(super) struct LevelRequest<'a> {
    pub mag: Mag,
    pub path: PathBuf,
    /// As declared; what is found wins.
    pub format: Option<DataFormat>,
    pub axes: &'a DeclaredAxes,
    pub defaults: DefaultAxes,
}

impl Opening<'_> {
    /// Opens a mag; what is wrong with it becomes the level's error.
    pub fn level(&self, request: LevelRequest<'_>) -> OpenedMag {
        let location = || request.path.display().to_string();
        let mut format = request.format.unwrap_or(DataFormat::Wkw);
        let opened = match self.opener.kind(&request.path) {
            Ok(Some(PathKind::File)) => Err(LevelError { reason: "it is a file, a folder is expected".to_owned(), location: location() }),
            Ok(Some(PathKind::Folder)) => match request.format {
                Some(declared) => self.open_as(declared, &request).or_else(|err| {
                    // Only if it isn't there as declared, so that damage is reported as it is.
                    let found = self.other_format(&request.path, declared).ok_or(err)?;
                    format = found;
                    self.open_as(found, &request)
                }),
                None => {
                    format = self.format_of(&request.path);
                    self.open_as(format, &request)
                }
            },
            // A scale without chunks needs no folder.
            Ok(None) if request.format == Some(DataFormat::NeuroglancerPrecomputed) => self.open_as(format, &request),
            Ok(None) => Err(LevelError { reason: "the folder is missing".to_owned(), location: location() }),
            Err(err) => Err(LevelError { reason: err.to_string(), location: location() }),
        };
        let (source, axes, mut problems) = match opened {
            Ok(level) => {
                // A folder with the other version of Zarr is opened without looking anew.
                format = level.format;
                (Ok(level.source), level.axes, level.problems)
            }
            Err(err) => (Err(Arc::new(err)), Vec::new(), Problems::default()),
        };
        if let Some(declared) = request.format.filter(|declared| *declared != format) {
            problems.warn(location(), format!("{declared} is declared, {format} is found and used"));
        }
        OpenedMag { level: MagLevel { mag: request.mag, copy: 1, path: request.path, source }, axes, problems, format }
    }

    fn open_as(&self, format: DataFormat, request: &LevelRequest<'_>) -> Result<OpenedLevel, LevelError> {
        let (opener, path) = (self.opener, request.path.as_path());
        match format {
            DataFormat::Wkw => {
                let source = WkwSource::open(opener.open_folder(path), self.index.clone())?;
                Ok(OpenedLevel { source: Arc::new(source), format, axes: Vec::new(), problems: Problems::default() })
            }
            DataFormat::Zarr | DataFormat::Zarr3 => {
                zarr::open_level(opener, path, Some(format), request.axes, request.defaults, &self.arrays)
            }
            DataFormat::N5 => n5::open_level(opener, path, request.axes, request.defaults),
            DataFormat::NeuroglancerPrecomputed => precomputed::open_scale(opener, path, request.axes, &self.arrays),
        }
    }

    /// The format of a mag's folder by the metadata file that is there; WKW if there is none, since its header can be
    /// recovered.
    fn format_of(&self, folder: &Path) -> DataFormat {
        let storage = self.opener.open_folder(folder);
        MARKERS.iter().find(|(_, marker)| is_there(storage.as_ref(), marker)).map_or(DataFormat::Wkw, |(format, _)| *format)
    }

    /// The format of a folder that lacks the metadata of the declared one.
    fn other_format(&self, folder: &Path, declared: DataFormat) -> Option<DataFormat> {
        let storage = self.opener.open_folder(folder);
        let mut there = MARKERS.iter().filter(|(_, marker)| is_there(storage.as_ref(), marker)).map(|(format, _)| *format);
        let first = there.next()?;
        (first != declared && there.all(|format| format != declared)).then_some(first)
    }
}

/// Metadata files that tell the format of a mag's folder.
const MARKERS: [(DataFormat, &str); 4] = [
    (DataFormat::Wkw, HEADER_FILE),
    (DataFormat::Zarr3, zarr::NODE_FILE),
    (DataFormat::Zarr, zarr::ARRAY_FILE),
    (DataFormat::N5, n5::ATTRIBUTES_FILE),
];
