//! [`SkeletonIndex`]: which nodes and edges of a skeleton lie near a slice.
//!
//! Skeletons have up to millions of nodes, a pane shows a few hundred: nodes and edges are kept by slabs along each
//! axis, so that a pane looks at those of its own slabs only.

use super::pane::PaneView;
use crate::format::nml::Nml;
use crate::geometry::{Vec3Int, VoxelSize};
use std::collections::HashMap;

/// Thickness of a slab in mag-1 voxels.
const SLAB: i64 = 64;

/// An edge that crosses more slabs than this is looked at for every slice.
const MAX_SLABS_OF_EDGE: i64 = 64;

/// Nodes and edges that a pane draws at most; beyond it nobody can tell them apart.
const MAX_DRAWN: usize = 20_000;

/// How far from the slice nodes and edges are shown, in pixels of the pane: what is near looks near at every zoom.
const REACH_PX: f64 = 40.0;

/// Least reach in slices, so that neighbours of the shown slice are seen when zoomed in far.
const MIN_REACH_SLICES: f64 = 3.0;

struct PlacedNode {
    id: i64,
    position: Vec3Int,
    tree: u32,
    is_branchpoint: bool,
    has_comment: bool,
}

#[derive(Default)]
struct Slabs {
    nodes: HashMap<i64, Vec<u32>>,
    edges: HashMap<i64, Vec<u32>>,
    long_edges: Vec<u32>,
}

/// Nodes and edges of an annotation, by where they lie.
#[derive(Default)]
pub struct SkeletonIndex {
    nodes: Vec<PlacedNode>,
    edges: Vec<[u32; 2]>,
    axes: [Slabs; 3],
    /// Branchpoints of each tree, by its index.
    branchpoints: Vec<usize>,
    /// Node of each comment, in the order of [`Nml::comments`]; `None` where there is no such node.
    commented: Vec<Option<u32>>,
}

/// A node as a pane draws it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeOnPane {
    /// Its id.
    pub id: i64,
    /// Its mag-1 voxel.
    pub position: Vec3Int,
    /// Index of its tree in [`Nml::trees`].
    pub tree: usize,
    /// Physical pixels from the left and upper edge of the pane.
    pub at_px: [f64; 2],
    /// 1 in the slice, 0 where it is too far from it to be seen.
    pub nearness: f32,
    /// Whether somebody wants to come back to it.
    pub is_branchpoint: bool,
    /// Whether it has a comment.
    pub has_comment: bool,
}

/// An edge as a pane draws it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeOnPane {
    /// Index of its tree in [`Nml::trees`].
    pub tree: usize,
    /// Its ends in physical pixels from the left and upper edge of the pane.
    pub ends_px: [[f64; 2]; 2],
    /// 1 where it meets the slice, 0 where it is too far from it to be seen.
    pub nearness: f32,
}

/// What a pane draws of a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkeletonOnPane {
    /// Edges, to be drawn first.
    pub edges: Vec<EdgeOnPane>,
    /// Nodes.
    pub nodes: Vec<NodeOnPane>,
}

impl std::fmt::Debug for SkeletonIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkeletonIndex").field("nodes", &self.nodes.len()).field("edges", &self.edges.len()).finish_non_exhaustive()
    }
}

impl SkeletonIndex {
    /// Sorts the nodes and edges of an annotation into slabs. Takes about a microsecond a node: for a task.
    pub fn new(nml: &Nml) -> Self {
        let mut index = Self::default();
        let mut number_of = HashMap::new();
        for (tree, placed) in (0_u32..).zip(&nml.trees) {
            for node in &placed.nodes {
                let Ok(number) = u32::try_from(index.nodes.len()) else { break };
                number_of.insert(node.id, number);
                let (id, position) = (node.id, node.position);
                index.nodes.push(PlacedNode { id, position, tree, is_branchpoint: false, has_comment: false });
                for (axis, slabs) in index.axes.iter_mut().enumerate() {
                    slabs.nodes.entry(position[axis].div_euclid(SLAB)).or_default().push(number);
                }
            }
        }
        for tree in &nml.trees {
            let known = tree.edges.iter().filter_map(|edge| Some([*number_of.get(&edge.source)?, *number_of.get(&edge.target)?]));
            for ends in known {
                index.add_edge(ends);
            }
        }
        index.branchpoints = vec![0; nml.trees.len()];
        for branchpoint in &nml.branchpoints {
            if let Some(number) = number_of.get(&branchpoint.node) {
                let node = &mut index.nodes[*number as usize]; // a number of this list
                // A node that is named twice is still one branchpoint.
                index.branchpoints[node.tree as usize] += usize::from(!node.is_branchpoint);
                node.is_branchpoint = true;
            }
        }
        for comment in &nml.comments {
            let number = number_of.get(&comment.node).copied();
            if let Some(number) = number {
                index.nodes[number as usize].has_comment = true; // a number of this list
            }
            index.commented.push(number);
        }
        index
    }

    fn add_edge(&mut self, ends: [u32; 2]) {
        let Ok(number) = u32::try_from(self.edges.len()) else { return };
        let positions = ends.map(|end| self.nodes[end as usize].position); // numbers of this list
        self.edges.push(ends);
        for (axis, slabs) in self.axes.iter_mut().enumerate() {
            let [a, b] = positions.map(|position| position[axis].div_euclid(SLAB));
            let (first, last) = (a.min(b), a.max(b));
            if last.saturating_sub(first) >= MAX_SLABS_OF_EDGE {
                slabs.long_edges.push(number);
            } else {
                (first..=last).for_each(|slab| slabs.edges.entry(slab).or_default().push(number));
            }
        }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of branchpoints of a tree of [`Nml::trees`].
    pub fn branchpoints_of(&self, tree: usize) -> usize {
        self.branchpoints.get(tree).copied().unwrap_or(0)
    }

    /// Tree and mag-1 voxel of a comment of [`Nml::comments`]; `None` where its node isn't there.
    pub fn place_of_comment(&self, comment: usize) -> Option<(usize, Vec3Int)> {
        let number = self.commented.get(comment).copied().flatten()?;
        let node = self.nodes.get(number as usize)?;
        Some((node.tree as usize, node.position))
    }

    /// What a pane shows: nodes and edges near its slice, as far as they lie inside of it. `is_shown` by index of the tree.
    pub fn on_pane(&self, view: &PaneView, voxel_size: &VoxelSize, is_shown: &dyn Fn(usize) -> bool) -> SkeletonOnPane {
        let axis = view.plane().normal_axis();
        // Pixels are as long along the normal as in the plane, measured in the world.
        let mag1_per_px = view.step()[0] * voxel_size.anisotropy(view.volume_axis(0)) / voxel_size.anisotropy(axis);
        let reach = (REACH_PX * mag1_per_px).max(MIN_REACH_SLICES);
        let near = Near { view, axis, middle: view.slice() as f64 + 0.5, reach };
        let slab_at = |mag1: f64| (mag1 as i64).div_euclid(SLAB);
        let slabs = slab_at(near.middle - reach)..=slab_at(near.middle + reach);
        let mut found = SkeletonOnPane::default();
        let mut nodes = Vec::new();
        let mut edges = self.axes[axis].long_edges.clone();
        if slabs.end().saturating_sub(*slabs.start()) > 4 * MAX_SLABS_OF_EDGE {
            // Seen from far away: all there is.
            nodes.extend(0..self.nodes.len() as u32);
            edges = (0..self.edges.len() as u32).collect();
        } else {
            for slab in slabs {
                nodes.extend(self.axes[axis].nodes.get(&slab).into_iter().flatten());
                edges.extend(self.axes[axis].edges.get(&slab).into_iter().flatten());
            }
            edges.sort_unstable();
            edges.dedup();
        }
        for ends in edges.into_iter().map(|edge| self.edges[edge as usize]) {
            let [a, b] = ends.map(|end| &self.nodes[end as usize]);
            let tree = a.tree as usize;
            if found.edges.len() >= MAX_DRAWN {
                break;
            }
            if is_shown(tree)
                && let Some(edge) = near.edge(tree, a.position, b.position)
            {
                found.edges.push(edge);
            }
        }
        for node in nodes.into_iter().map(|node| &self.nodes[node as usize]) {
            let tree = node.tree as usize;
            if found.nodes.len() >= MAX_DRAWN {
                break;
            }
            if is_shown(tree)
                && let Some((at_px, nearness)) = near.node(node.position)
            {
                let PlacedNode { id, position, is_branchpoint, has_comment, .. } = *node;
                found.nodes.push(NodeOnPane { id, position, tree, at_px, nearness, is_branchpoint, has_comment });
            }
        }
        found
    }
}

/// What is near the slice of a pane.
struct Near<'a> {
    view: &'a PaneView,
    axis: usize,
    /// Mag-1 coordinate of the middle of the slice along the normal.
    middle: f64,
    /// Mag-1 voxels along the normal that are still seen.
    reach: f64,
}

impl Near<'_> {
    /// Pixels from the pane's edges to the middle of a voxel.
    fn px(&self, position: Vec3Int) -> [f64; 2] {
        [0, 1].map(|screen_axis| self.view.px_from_mag1(screen_axis, position[self.view.volume_axis(screen_axis)] as f64 + 0.5))
    }

    fn distance(&self, position: Vec3Int) -> f64 {
        position[self.axis] as f64 + 0.5 - self.middle
    }

    fn nearness(&self, distance: f64) -> Option<f32> {
        let nearness = 1.0 - distance.abs() / self.reach;
        (nearness > 0.0).then_some(nearness as f32)
    }

    fn node(&self, position: Vec3Int) -> Option<([f64; 2], f32)> {
        /// A node's disc may reach into the pane.
        const MARGIN_PX: f64 = 16.0;
        let at = self.px(position);
        let is_inside = (0..2).all(|axis| (-MARGIN_PX..f64::from(self.view.shape_px()[axis]) + MARGIN_PX).contains(&at[axis]));
        is_inside.then_some(at).zip(self.nearness(self.distance(position)))
    }

    fn edge(&self, tree: usize, a: Vec3Int, b: Vec3Int) -> Option<EdgeOnPane> {
        let (from, to) = (self.distance(a), self.distance(b));
        let closest = if from.signum() == to.signum() { from.abs().min(to.abs()) } else { 0.0 };
        let nearness = self.nearness(closest)?;
        let ends_px = [self.px(a), self.px(b)];
        let is_inside = (0..2).all(|axis| {
            let (low, high) = (ends_px[0][axis].min(ends_px[1][axis]), ends_px[0][axis].max(ends_px[1][axis]));
            high >= 0.0 && low <= f64::from(self.view.shape_px()[axis])
        });
        is_inside.then_some(EdgeOnPane { tree, ends_px, nearness })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::nml::{Branchpoint, Comment, Edge, Node, Tree};
    use crate::geometry::SlicePlane;
    use crate::scene::ViewState;

    fn node(id: i64, x: i64, y: i64, z: i64) -> Node {
        Node { id, position: Vec3Int::new(x, y, z), radius: 1.0, additional: Box::default() }
    }

    fn skeleton(nodes: Vec<Node>, edges: &[(i64, i64)]) -> Nml {
        let edges = edges.iter().map(|(source, target)| Edge { source: *source, target: *target }).collect();
        let tree = Tree { id: 1, name: String::new(), color: None, group: None, is_visible: true, is_agglomerate: false, nodes, edges };
        Nml { trees: vec![tree], branchpoints: vec![Branchpoint { node: 1 }], ..Nml::default() }
    }

    fn seen(nml: &Nml, plane: SlicePlane, at: [i64; 3], zoom: f64) -> SkeletonOnPane {
        let view = ViewState::new(at.into(), zoom);
        let pane = PaneView::new(&view, plane, [400, 300], &VoxelSize::VOXELS);
        SkeletonIndex::new(nml).on_pane(&pane, &VoxelSize::VOXELS, &|_| true)
    }

    #[test]
    fn nodes_fade_with_their_distance_from_the_slice() {
        let nml = skeleton(vec![node(1, 100, 100, 50), node(2, 110, 100, 60), node(3, 120, 100, 500)], &[]);
        let found = seen(&nml, SlicePlane::Xy, [100, 100, 50], 1.0);
        assert_eq!(found.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(found.nodes[0].nearness, 1.0);
        assert!((found.nodes[1].nearness - 0.75).abs() < 1e-6, "10 of 40 pixels away");
        assert!(found.nodes[0].is_branchpoint && !found.nodes[1].is_branchpoint);
        assert_eq!(found.nodes[1].at_px[0] - found.nodes[0].at_px[0], 10.0);
    }

    #[test]
    fn branchpoints_are_counted_by_tree_and_comments_placed() {
        let mut nml = skeleton(vec![node(1, 7, 8, 9), node(2, 0, 0, 0)], &[]);
        nml.branchpoints = [1, 1, 2, 99].map(|node| Branchpoint { node }).to_vec();
        nml.comments = [99, 1].map(|node| Comment { node, content: String::new() }).to_vec();
        let index = SkeletonIndex::new(&nml);
        assert_eq!((index.branchpoints_of(0), index.branchpoints_of(1)), (2, 0));
        assert_eq!(index.place_of_comment(0), None, "there is no node 99");
        assert_eq!(index.place_of_comment(1), Some((0, Vec3Int::new(7, 8, 9))));
        assert_eq!(index.place_of_comment(2), None);
    }

    #[test]
    fn an_edge_that_crosses_the_slice_is_seen_whatever_its_ends() {
        for reach in [300, 1_000_000] {
            let nml = skeleton(vec![node(1, 100, 100, 50 - reach), node(2, 110, 100, 50 + reach)], &[(1, 2)]);
            let found = seen(&nml, SlicePlane::Xy, [100, 100, 50], 1.0);
            assert_eq!(found.edges.len(), 1, "reach {reach}");
            assert_eq!(found.edges[0].nearness, 1.0);
            assert!(found.nodes.is_empty());
            assert!(seen(&nml, SlicePlane::Xz, [100, 900, 50], 1.0).edges.is_empty(), "far along another axis");
        }
    }

    #[test]
    fn everything_is_found_in_every_plane_and_at_every_zoom() {
        let nml = skeleton(vec![node(1, -70, 63, 64), node(2, -64, 64, 63)], &[(1, 2)]);
        for plane in SlicePlane::ALL {
            for zoom in [0.05, 1.0, 5000.0] {
                let found = seen(&nml, plane, [-70, 63, 64], zoom);
                assert!(found.nodes.iter().any(|node| node.id == 1), "{plane} at {zoom}");
                assert_eq!(found.edges.len(), 1, "{plane} at {zoom}");
            }
        }
    }

    #[test]
    fn hidden_trees_and_what_lies_beside_the_pane_are_left_out() {
        let nml = skeleton(vec![node(1, 100, 100, 50), node(2, 100, 5000, 50)], &[]);
        assert_eq!(seen(&nml, SlicePlane::Xy, [100, 100, 50], 1.0).nodes.len(), 1);
        let view = PaneView::new(&ViewState::new(Vec3Int::new(100, 100, 50), 1.0), SlicePlane::Xy, [400, 300], &VoxelSize::VOXELS);
        assert_eq!(SkeletonIndex::new(&nml).on_pane(&view, &VoxelSize::VOXELS, &|_| false), SkeletonOnPane::default());
    }
}
