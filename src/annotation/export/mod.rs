//! Export: an annotation as an archive that servers take, or merged with its fallback layer as a dataset; and the test
//! that what was exported is what was there. Specification: `annotation-zip.md` section 9.

mod archive;
mod content;
mod data_zip;
mod encode;
mod error;
mod merge;
mod names;
mod roundtrip;
mod zarr_json;

pub use archive::export;
pub use error::{ExportError, ExportFormat, ExportOptions, ExportReport, ExportWatch, VolumeReport};
pub use merge::merge;
pub use roundtrip::{RoundtripReport, roundtrip};
