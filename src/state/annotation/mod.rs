//! What the window knows of the open annotation, and what is asked of its editor.

mod commands;
mod open;
mod request;
mod tools;

pub use commands::{AnnotationCommand, Pointer, SegmentChange};
pub(super) use commands::{dispatch_annotation, dispatch_annotation_ui};
pub use open::{OpenAnnotation, OpenVolume, RoundTripResult, RunningWork};
pub use request::{AnnotationWork, EditRequest, ExportKind, PaintPlace};
pub use tools::{PaintTools, Tool};
