//! NML: the XML file of an annotation, and what is known of its elements.
//!
//! [`Nml::document`] keeps every element and attribute as it was read, so that a file comes out of a round trip with
//! the same meaning, unknown parts included. The other fields are views of it: what Chunkscope shows and edits.

mod element;
mod model;

pub use element::{Attributes, XmlElement, XmlNode};
pub use model::{
    Branchpoint, Comment, Edge, Experiment, Nml, NmlVolume, Node, Segment, SegmentGroup, SegmentId, Tree, TreeGroup, UserBoundingBox,
    VolumeFormat,
};
