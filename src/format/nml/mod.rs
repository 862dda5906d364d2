//! NML: the XML file of an annotation, and what is known of its elements.
//!
//! [`read()`] and [`write()`] keep every element and attribute, so that a file comes out of a round trip with the same
//! meaning, unknown parts included: [`Nml::document`] holds what was read but for the volumes, which hold their own
//! elements. The other fields are views: what Chunkscope shows and edits. [`compare()`] tells what differs between two.
//! Specification: `annotation-zip.md` section 2.

mod attributes;
mod chars;
mod compare;
mod element;
mod input;
mod meaning;
mod model;
mod parameters;
mod read;
mod skeleton;
mod values;
mod views;
mod volumes;
mod write;

#[cfg(test)]
mod tests;

pub use attributes::Attributes;
pub use compare::{Change, NmlDifference, NmlDifferences, NmlPart, compare, compare_with_volumes};
pub use element::{XmlElement, XmlNode};
pub use model::{
    Branchpoint, Comment, Edge, Experiment, Nml, NmlVolume, Node, Segment, SegmentGroup, SegmentId, Tree, TreeGroup, UserBoundingBox,
    VolumeFormat,
};
pub use parameters::NewNml;
pub use read::{NmlError, read};
pub use write::{write, write_with_volumes};
