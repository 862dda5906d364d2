//! What the window knows of the open annotation, and what is asked of its editor.

mod commands;
mod layers;
mod open;
mod request;
mod tools;

pub use commands::{AnnotationCommand, Pointer, SegmentChange};
pub(super) use commands::{dispatch_annotation, dispatch_annotation_ui};
pub use layers::{given_colors, with_volumes};
pub use open::{OpenAnnotation, OpenVolume, RoundTripResult, RunningWork};
pub use request::{ActiveSegment, AnnotationWork, EditRequest, ExportKind, PaintPlace};
pub use tools::{PaintTools, Tool};
