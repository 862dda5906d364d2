//! [`Nml`]: the parts of an NML that Chunkscope shows or edits. Specification: `annotation-zip.md` section 2.
//!
//! Positions are mag-1 voxels. Colours are red, green, blue and alpha from 0 to 1.

use super::element::XmlElement;
use crate::geometry::{BoundingBox, Vec3Int, VoxelSize};
use crate::problem::Problems;
use std::sync::Arc;

/// Id of a segment: the 64 bits that are stored, sign-extended for signed classes. 0 is the background.
pub type SegmentId = u64;

/// An annotation's XML file.
#[derive(Clone, Debug, Default)]
pub struct Nml {
    /// Everything that was read, but for what lies in [`Self::volumes`]: of each volume an empty element marks the place.
    pub document: XmlElement,
    /// What the annotation belongs to.
    pub experiment: Experiment,
    /// Size of a mag-1 voxel; `None` where the file says -1, or nothing usable.
    pub voxel_size: Option<VoxelSize>,
    /// Where the view was last.
    pub edit_position: Option<Vec3Int>,
    /// Zoom of the view, finest voxels per pixel.
    pub zoom: Option<f64>,
    /// Boxes that somebody drew.
    pub user_boxes: Vec<UserBoundingBox>,
    /// The box that a task is limited to.
    pub task_box: Option<BoundingBox>,
    /// Names of the axes beyond x, y, z in the order of their index, each with its first position and the one after its last.
    pub additional_axes: Vec<(String, i64, i64)>,
    /// Trees in their order.
    pub trees: Vec<Tree>,
    /// Groups of trees, outermost.
    pub tree_groups: Vec<TreeGroup>,
    /// Branch points.
    pub branchpoints: Vec<Branchpoint>,
    /// Comments.
    pub comments: Vec<Comment>,
    /// Volume layers in their order.
    pub volumes: Vec<NmlVolume>,
    /// What couldn't be understood or was left out.
    pub problems: Problems,
}

/// The dataset that an annotation belongs to. Empty texts where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Experiment {
    /// Name of the dataset.
    pub name: String,
    /// Its organization.
    pub organization: String,
    /// Its id on the server.
    pub dataset_id: String,
    /// The server.
    pub server_url: String,
    /// Description of the annotation.
    pub description: String,
}

/// A box that somebody drew.
#[derive(Clone, Debug, PartialEq)]
pub struct UserBoundingBox {
    /// Id, unique among the boxes.
    pub id: i64,
    /// Name, often empty.
    pub name: String,
    /// Extent in mag-1 voxels.
    pub extent: BoundingBox,
    /// Colour; `None` where the file has none.
    pub color: Option<[f32; 4]>,
    /// Shown or hidden.
    pub is_visible: bool,
}

/// A tree of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Id, unique among the trees.
    pub id: i64,
    /// Name, often empty.
    pub name: String,
    /// Colour; `None` where the file has none.
    pub color: Option<[f32; 4]>,
    /// Id of its group.
    pub group: Option<i64>,
    /// Shown or hidden.
    pub is_visible: bool,
    /// Whether it stands for an agglomerate (`type="AGGLOMERATE"`).
    pub is_agglomerate: bool,
    /// Nodes in their order.
    pub nodes: Vec<Node>,
    /// Edges in their order.
    pub edges: Vec<Edge>,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Id, unique in the file.
    pub id: i64,
    /// Mag-1 voxel.
    pub position: Vec3Int,
    /// Radius in mag-1 voxels.
    pub radius: f32,
    /// Positions along the axes beyond x, y, z, in the order of [`Nml::additional_axes`]; empty where there are none.
    pub additional: Box<[i64]>,
}

/// A line between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Id of a node.
    pub source: i64,
    /// Id of a node.
    pub target: i64,
}

/// A group of trees, with the groups inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeGroup {
    /// Id.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Whether lists show what is in it.
    pub is_expanded: bool,
    /// Groups inside it.
    pub groups: Vec<TreeGroup>,
}

/// A group of segments: the same, in a space of ids of its own.
pub type SegmentGroup = TreeGroup;

/// A node where somebody wants to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branchpoint {
    /// Id of the node.
    pub node: i64,
}

/// Text at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Id of the node.
    pub node: i64,
    /// The text.
    pub content: String,
}

/// How the voxels of a volume layer are stored in its data zip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VolumeFormat {
    /// One WKW file per bucket.
    #[default]
    Wkw,
    /// One Zarr 3 chunk per bucket.
    Zarr3,
}

/// A volume layer as the NML describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct NmlVolume {
    /// Id, where the file has one.
    pub id: Option<i64>,
    /// Name; `None` where the file has none.
    pub name: Option<String>,
    /// Name of its data zip in the archive.
    pub location: Option<String>,
    /// Format, if the file says one.
    pub format: Option<VolumeFormat>,
    /// Layer of the dataset that shows where the annotation has no bucket.
    pub fallback_layer: Option<String>,
    /// Highest id in use.
    pub largest_segment_id: Option<SegmentId>,
    /// Mapping of the fallback layer that was active.
    pub mapping_name: Option<String>,
    /// Listed segments, in their order.
    pub segments: Vec<Segment>,
    /// Groups of segments, outermost.
    pub segment_groups: Vec<SegmentGroup>,
    /// The element as it was read, for what isn't understood; without the segments that are listed above.
    pub element: XmlElement,
}

/// A listed segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Id.
    pub id: SegmentId,
    /// Name; `None` where it has none.
    pub name: Option<String>,
    /// Shown or hidden.
    pub is_visible: bool,
    /// When it was listed, in milliseconds since 1970.
    pub created_unix_ms: Option<i64>,
    /// A mag-1 voxel of it.
    pub anchor: Option<Vec3Int>,
    /// Colour; `None` for the one that follows from the id.
    pub color: Option<[f32; 4]>,
    /// Id of its group.
    pub group: Option<i64>,
    /// The element it was read from, for metadata and what isn't understood; `None` for a new one. If its attributes say
    /// the same as the fields here, it is written as it is.
    pub element: Option<Arc<XmlElement>>,
}

impl Segment {
    /// A new segment without name and colour.
    pub const fn new(id: SegmentId) -> Self {
        Self { id, name: None, is_visible: true, created_unix_ms: None, anchor: None, color: None, group: None, element: None }
    }
}
