//! [`OpenedLevel`]: what formats hand back for one array.

use crate::format::{ChunkSource, DataFormat, ExtraAxis};
use crate::problem::Problems;
use std::fmt;
use std::sync::Arc;

/// Which axes an array has if nothing names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultAxes {
    /// Those that the WEBKNOSSOS server assumes for layers of a `datasource-properties.json`.
    Server,
    /// Those that are usual for the format.
    Plain,
}

/// One array as a level of a layer.
pub struct OpenedLevel {
    /// Its chunks.
    pub source: Arc<dyn ChunkSource>,
    /// The format that was found, where several were possible.
    pub format: DataFormat,
    /// Axes beyond x, y, z and channel.
    pub axes: Vec<ExtraAxis>,
    /// What was assumed.
    pub problems: Problems,
}

impl fmt::Debug for OpenedLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedLevel").field("axes", &self.axes).finish_non_exhaustive()
    }
}
