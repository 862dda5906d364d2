//! Trees, groups, branch points and comments of an [`Nml`].

use super::element::XmlElement;
use super::model::{Branchpoint, Comment, Edge, Nml, Node, Tree, TreeGroup};
use super::read::LOCATION;
use super::values::{Fields, Malformed, boolean, integer, number};
use super::views::checked;
use crate::geometry::Vec3Int;
use crate::problem::Problems;
use std::collections::{HashMap, HashSet};

/// Beginning of the names of attributes for positions along axes beyond x, y, z.
pub(super) const ADDITIONAL: &str = "additionalCoordinate-";

/// Reads the skeleton from the document.
pub(super) fn read_into(nml: &mut Nml, document: &XmlElement, problems: &mut Problems) {
    // Which tree a node lies in, by the tree's place.
    let mut tree_of_node = HashMap::new();
    let mut tree_ids = HashSet::new();
    for element in document.elements() {
        match &*element.name {
            "thing" => {
                let Some(mut tree) = checked(element, problems, tree) else { continue };
                if !tree_ids.insert(tree.id) {
                    problems.warn(LOCATION, format!("tree {} is there twice", tree.id));
                }
                read_nodes(&mut tree, nml, element, &mut tree_of_node, problems);
                nml.trees.push(tree);
            }
            "groups" => nml.tree_groups.extend(groups(element, problems)),
            _ => {}
        }
    }
    for element in document.elements() {
        for inner in element.elements() {
            match (&*element.name, &*inner.name) {
                ("branchpoints", "branchpoint") => {
                    let Some(node) = checked(inner, problems, |fields| fields.required("id", integer)) else { continue };
                    if is_known(&tree_of_node, node, "branch point", problems) {
                        nml.branchpoints.push(Branchpoint { node });
                    }
                }
                ("comments", "comment") => {
                    let Some(node) = checked(inner, problems, |fields| fields.required("node", integer)) else { continue };
                    if is_known(&tree_of_node, node, "comment", problems) {
                        nml.comments.push(Comment { node, content: inner.attributes.get("content").unwrap_or_default().into_owned() });
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_known(tree_of_node: &HashMap<i64, usize>, node: i64, what: &str, problems: &mut Problems) -> bool {
    let is_known = tree_of_node.contains_key(&node);
    if !is_known {
        problems.warn(LOCATION, format!("{what} at node {node}, which isn't there; not shown"));
    }
    is_known
}

fn tree(fields: &mut Fields<'_>) -> Result<Tree, Malformed> {
    Ok(Tree {
        id: fields.required("id", integer)?,
        name: fields.owned("name").unwrap_or_default(),
        color: fields.color(),
        group: fields.optional("groupId", integer),
        is_visible: fields.optional("isVisible", boolean).unwrap_or(true),
        is_agglomerate: fields.text("type").is_some_and(|kind| kind == "AGGLOMERATE"),
        nodes: Vec::new(),
        edges: Vec::new(),
    })
}

fn read_nodes(tree: &mut Tree, nml: &Nml, element: &XmlElement, tree_of_node: &mut HashMap<i64, usize>, problems: &mut Problems) {
    let place = nml.trees.len();
    let inner = |list: &'static str, name: &'static str| {
        let lists = element.elements().filter(move |element| *element.name == *list);
        lists.flat_map(|list| list.elements()).filter(move |element| *element.name == *name)
    };
    for element in inner("nodes", "node") {
        let Some(node) = checked(element, problems, |fields| node(fields, &nml.additional_axes)) else { continue };
        if tree_of_node.contains_key(&node.id) {
            problems.warn(LOCATION, format!("node {} is there twice; the second one is not shown", node.id));
            continue;
        }
        tree_of_node.insert(node.id, place);
        tree.nodes.push(node);
    }
    for element in inner("edges", "edge") {
        let edge = checked(element, problems, |fields| {
            Ok(Edge { source: fields.required("source", integer)?, target: fields.required("target", integer)? })
        });
        let Some(edge) = edge else { continue };
        if [edge.source, edge.target].iter().all(|node| tree_of_node.get(node) == Some(&place)) {
            tree.edges.push(edge);
        } else {
            let Edge { source, target } = edge;
            problems.warn(LOCATION, format!("edge from node {source} to node {target}, which aren't both in tree {}; not shown", tree.id));
        }
    }
    tree.nodes.shrink_to_fit();
    tree.edges.shrink_to_fit();
}

/// A node; its attributes are gone through once, as there may be millions of nodes.
fn node(fields: &mut Fields<'_>, axes: &[(String, i64, i64)]) -> Result<Node, Malformed> {
    let [mut id, mut x, mut y, mut z] = [None; 4];
    let mut radius = 1.0;
    let mut additional = vec![0; axes.len()];
    let malformed = |name: &str, value: &str| format!("{name} {value:?} can't be understood");
    let attributes = fields.attributes;
    for (name, value) in attributes.iter() {
        let whole = || integer(&value).map(Some).ok_or_else(|| malformed(name, &value));
        match name {
            "id" => id = whole()?,
            "x" => x = whole()?,
            "y" => y = whole()?,
            "z" => z = whole()?,
            "radius" => match number(&value) {
                Some(number) => radius = number as f32,
                None => fields.ignored.push(malformed(name, &value)),
            },
            _ => {
                let axis = name.strip_prefix(ADDITIONAL).and_then(|axis| axes.iter().position(|(name, ..)| name == axis));
                match axis.map(|axis| (axis, integer(&value))) {
                    Some((axis, Some(position))) => additional[axis] = position,
                    Some((_, None)) => fields.ignored.push(malformed(name, &value)),
                    None => {}
                }
            }
        }
    }
    let there = |value: Option<i64>, name: &str| value.ok_or_else(|| format!("no {name}"));
    Ok(Node {
        id: there(id, "id")?,
        position: Vec3Int::new(there(x, "x")?, there(y, "y")?, there(z, "z")?),
        radius,
        additional: additional.into(),
    })
}

/// Groups directly inside an element, with those inside them. Nesting has the bound of the document.
pub(super) fn groups(element: &XmlElement, problems: &mut Problems) -> Vec<TreeGroup> {
    let mut list = Vec::new();
    for inner in element.elements().filter(|inner| *inner.name == *"group") {
        if let Some(group) = checked(inner, problems, group) {
            list.push(TreeGroup { groups: groups(inner, problems), ..group });
        }
    }
    list
}

fn group(fields: &mut Fields<'_>) -> Result<TreeGroup, Malformed> {
    Ok(TreeGroup {
        id: fields.required("id", integer)?,
        name: fields.owned("name").unwrap_or_default(),
        is_expanded: fields.optional("isExpanded", boolean).unwrap_or(true),
        groups: Vec::new(),
    })
}
