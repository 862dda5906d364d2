//! [`compare`]: what differs in meaning between two NMLs.

use super::element::{XmlElement, XmlNode};
use super::meaning::{attributes, content, edge_key, is_empty_list, own_key, text_inside};
use super::model::{Nml, NmlVolume};
use super::parameters::parameters_element;
use super::volumes::{segment_element, volume_element};
use crate::text::shortened;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Which part of an annotation a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NmlPart {
    /// What was noted about the file.
    Meta,
    /// Dataset, scale, view and the like.
    Parameter,
    /// A box.
    BoundingBox,
    /// A tree.
    Tree,
    /// A node of a tree.
    Node,
    /// An edge of a tree.
    Edge,
    /// A branch point.
    Branchpoint,
    /// A comment.
    Comment,
    /// A group of trees.
    TreeGroup,
    /// A volume layer.
    Volume,
    /// A listed segment.
    Segment,
    /// A group of segments.
    SegmentGroup,
    /// Anything else.
    Other,
}

/// What happened to a part on the way from the first file to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// Both have it.
    Changed,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NmlDifference {
    /// What it is about.
    pub part: NmlPart,
    /// What happened to it.
    pub change: Change,
    /// The same for people: `tree 3 "axon" removed`.
    pub text: String,
}

/// What differs between two NMLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NmlDifferences {
    list: Vec<NmlDifference>,
    counts: BTreeMap<(NmlPart, Change), u64>,
}

impl NmlDifferences {
    /// Further differences are only counted.
    const MAX: usize = 1000;

    /// The first 1000 differences.
    pub fn iter(&self) -> std::slice::Iter<'_, NmlDifference> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Whether both mean the same.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many there are of a kind.
    pub fn count(&self, part: NmlPart, change: Change) -> u64 {
        self.counts.get(&(part, change)).copied().unwrap_or_default()
    }

    /// How many there are of each kind that occurs.
    pub fn counts(&self) -> impl Iterator<Item = (NmlPart, Change, u64)> {
        self.counts.iter().map(|((part, change), count)| (*part, *change, *count))
    }

    fn add(&mut self, part: NmlPart, change: Change, text: impl FnOnce() -> String) {
        *self.counts.entry((part, change)).or_default() += 1;
        if self.list.len() < Self::MAX {
            self.list.push(NmlDifference { part, change, text: text() });
        }
    }
}

/// Compares two NMLs in meaning: order of attributes, white space, comments and the spelling of numbers don't matter, nor
/// how a volume's voxels are stored (`location`, `format`); ids are compared exactly.
pub fn compare(a: &Nml, b: &Nml) -> NmlDifferences {
    compare_with_volumes(a, &a.volumes, b)
}

/// The same with other volumes of the first than [`Nml::volumes`].
pub fn compare_with_volumes(a: &Nml, volumes_a: &[NmlVolume], b: &Nml) -> NmlDifferences {
    let mut found = NmlDifferences::default();
    found.parameters(&parameters_element(a).0, &parameters_element(b).0);
    found.skeletons(&a.document, &b.document);
    found.volumes(volumes_a, &b.volumes);
    const KNOWN: [&str; 7] = ["parameters", "meta", "thing", "branchpoints", "comments", "groups", "volume"];
    found.contents(NmlPart::Other, "", &a.document, &b.document, &KNOWN);
    found
}

/// How the elements of a list are told apart, and what they are called.
#[derive(Clone, Copy)]
struct Kind {
    part: NmlPart,
    /// Elements with the same key are compared in their order.
    key: fn(&XmlElement) -> String,
    /// What people call one.
    noun: &'static str,
    /// Attributes that don't count.
    ignored: &'static [&'static str],
    /// Elements inside that are compared by themselves.
    inner: &'static [&'static str],
}

impl Kind {
    const fn new(part: NmlPart, key: fn(&XmlElement) -> String, noun: &'static str) -> Self {
        Self { part, key, noun, ignored: &[], inner: &[] }
    }

    /// An element for people: `tree 3 "axon"`.
    fn describe(&self, element: &XmlElement) -> String {
        let name = element.attributes.get("name").filter(|name| !name.is_empty() && self.part != NmlPart::Meta);
        let name = name.map(|name| format!(" {:?}", shortened(&name, 60))).unwrap_or_default();
        let key = shortened(&(self.key)(element), 60);
        if self.part == NmlPart::Volume { format!("{}{name}", self.noun) } else { format!("{} {key}{name}", self.noun) }
    }
}

fn by_id(element: &XmlElement) -> String {
    own_key(element, "id")
}

fn by_node(element: &XmlElement) -> String {
    own_key(element, "node")
}

fn by_name(element: &XmlElement) -> String {
    own_key(element, "name")
}

const TREE: Kind = Kind { inner: &["nodes", "edges"], ..Kind::new(NmlPart::Tree, by_id, "tree") };
const EDGE: Kind = Kind { ignored: &["source", "target"], ..Kind::new(NmlPart::Edge, edge_key, "edge") };
const VOLUME: Kind =
    Kind { ignored: &["location", "format"], inner: &["segments", "groups"], ..Kind::new(NmlPart::Volume, by_name, "volume layer") };

impl NmlDifferences {
    fn parameters(&mut self, a: &XmlElement, b: &XmlElement) {
        let boxes = |element| named(element, "userBoundingBox");
        self.lists(Kind::new(NmlPart::BoundingBox, by_id, "box"), &boxes(a), &boxes(b), "");
        self.contents(NmlPart::Parameter, "", a, b, &["userBoundingBox"]);
    }

    fn skeletons(&mut self, a: &XmlElement, b: &XmlElement) {
        self.lists(Kind::new(NmlPart::Meta, by_name, "meta"), &named(a, "meta"), &named(b, "meta"), "");
        for (tree_a, tree_b) in self.lists(TREE, &named(a, "thing"), &named(b, "thing"), "") {
            if tree_a != tree_b {
                self.trees(tree_a, tree_b);
            }
        }
        let lists = [
            ("branchpoints", "branchpoint", Kind::new(NmlPart::Branchpoint, by_id, "branch point at node")),
            ("comments", "comment", Kind::new(NmlPart::Comment, by_node, "comment at node")),
        ];
        for (list, name, kind) in lists {
            self.lists(kind, &inside(a, list, name), &inside(b, list, name), "");
        }
        self.groups(NmlPart::TreeGroup, "tree group", [a, b], "");
    }

    fn trees(&mut self, a: &XmlElement, b: &XmlElement) {
        let place = format!("{}: ", TREE.describe(a));
        let node = Kind::new(NmlPart::Node, by_id, "node");
        self.lists(node, &inside(a, "nodes", "node"), &inside(b, "nodes", "node"), &place);
        self.lists(EDGE, &inside(a, "edges", "edge"), &inside(b, "edges", "edge"), &place);
    }

    fn groups(&mut self, part: NmlPart, noun: &'static str, [a, b]: [&XmlElement; 2], place: &str) {
        let [a, b] = [a, b].map(|root| {
            let mut flat = Vec::new();
            named(root, "groups").into_iter().for_each(|list| flatten_groups(list, "", &mut flat));
            flat
        });
        self.lists(Kind::new(part, by_id, noun), &a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>(), place);
    }

    fn volumes(&mut self, a: &[NmlVolume], b: &[NmlVolume]) {
        let heads = |volumes: &[NmlVolume]| -> Vec<XmlElement> { volumes.iter().map(|volume| volume_element(volume).0).collect() };
        let (heads_a, heads_b) = (heads(a), heads(b));
        let pairs = self.lists(VOLUME, &heads_a.iter().collect::<Vec<_>>(), &heads_b.iter().collect::<Vec<_>>(), "");
        for (head_a, head_b) in pairs {
            let place = if a.len() > 1 { format!("{}: ", VOLUME.describe(head_a)) } else { String::new() };
            let (segments_a, segments_b) = (segments_of(a, &heads_a, head_a), segments_of(b, &heads_b, head_b));
            let (segments_a, segments_b): (Vec<_>, Vec<_>) =
                (segments_a.iter().map(|e| &**e).collect(), segments_b.iter().map(|e| &**e).collect());
            self.lists(Kind::new(NmlPart::Segment, by_id, "segment"), &segments_a, &segments_b, &place);
            let unreadable = |head| inside(head, "segments", "segment");
            self.lists(Kind::new(NmlPart::Segment, by_id, "unreadable segment"), &unreadable(head_a), &unreadable(head_b), &place);
            self.groups(NmlPart::SegmentGroup, "segment group", [head_a, head_b], &place);
        }
    }

    /// Compares two lists of elements; those with the same key are compared as one and returned.
    fn lists<'a>(&mut self, kind: Kind, a: &[&'a XmlElement], b: &[&'a XmlElement], place: &str) -> Vec<(&'a XmlElement, &'a XmlElement)> {
        let mut left: HashMap<String, VecDeque<&'a XmlElement>> = HashMap::new();
        for element in b {
            left.entry((kind.key)(element)).or_default().push_back(element);
        }
        let mut pairs = Vec::with_capacity(a.len().min(b.len()));
        for element in a {
            match left.get_mut(&(kind.key)(element)).and_then(VecDeque::pop_front) {
                Some(other) => pairs.push((*element, other)),
                None => self.add(kind.part, Change::Removed, || format!("{place}{} removed", kind.describe(element))),
            }
        }
        for (a, b) in &pairs {
            if a != b {
                self.pair(kind, a, b, place);
            }
        }
        let mut added: Vec<_> = left.into_values().flatten().collect();
        added.sort_by_cached_key(|element| kind.describe(element));
        for element in added {
            self.add(kind.part, Change::Added, || format!("{place}{} added", kind.describe(element)));
        }
        pairs
    }

    fn pair(&mut self, kind: Kind, a: &XmlElement, b: &XmlElement, place: &str) {
        let (meaning_a, meaning_b) = (attributes(a), attributes(b));
        let mut names: Vec<_> = meaning_a.keys().chain(meaning_b.keys()).filter(|name| !kind.ignored.contains(name)).collect();
        names.sort_unstable();
        names.dedup();
        let differing: Vec<String> = names
            .into_iter()
            .filter(|name| meaning_a.get(*name) != meaning_b.get(*name))
            .map(|name| format!("{name} {} → {}", shown(a, name), shown(b, name)))
            .collect();
        if !differing.is_empty() {
            self.add(kind.part, Change::Changed, || format!("{place}{}: {}", kind.describe(a), differing.join(", ")));
        }
        self.contents(kind.part, &format!("{place}{}: ", kind.describe(a)), a, b, kind.inner);
    }

    /// Compares what lies in two elements, in any order; but for elements of the names that are looked at elsewhere.
    fn contents(&mut self, part: NmlPart, place: &str, a: &XmlElement, b: &XmlElement, elsewhere: &[&str]) {
        let list = |element: &XmlElement| -> Vec<(String, String)> {
            let inner = element.elements().filter(|inner| !elsewhere.contains(&&*inner.name) && !is_empty_list(inner));
            inner.map(|inner| (inner.name.to_string(), content(inner))).chain(text_of(element)).collect()
        };
        let (removed, added) = without_common(list(a), list(b));
        // What is left of one name is taken for a changed element.
        let mut added_by_name: BTreeMap<String, VecDeque<String>> = BTreeMap::new();
        for (name, meaning) in added {
            added_by_name.entry(name).or_default().push_back(meaning);
        }
        for (name, was) in removed {
            match added_by_name.get_mut(&name).and_then(VecDeque::pop_front) {
                Some(now) => self.add(part, Change::Changed, || format!("{place}{} → {}", shortened(&was, 200), shortened(&now, 200))),
                None => self.add(part, Change::Removed, || format!("{place}{} removed", shortened(&was, 200))),
            }
        }
        for meaning in added_by_name.into_values().flatten() {
            self.add(part, Change::Added, || format!("{place}{} added", shortened(&meaning, 200)));
        }
    }
}

/// What only one of two lists has.
fn without_common<T: Clone + Eq + std::hash::Hash>(a: Vec<T>, b: Vec<T>) -> (Vec<T>, Vec<T>) {
    let mut left: HashMap<T, usize> = HashMap::new();
    for item in &b {
        *left.entry(item.clone()).or_default() += 1;
    }
    let mut take = |item: &T| match left.get_mut(item) {
        Some(count @ 1..) => {
            *count -= 1;
            true
        }
        Some(0) | None => false,
    };
    let only_a = a.into_iter().filter(|item| !take(item)).collect();
    let only_b = b.into_iter().filter(|item| take(item)).collect();
    (only_a, only_b)
}

/// The text directly inside an element, as an item of its content.
fn text_of(element: &XmlElement) -> Option<(String, String)> {
    let text = text_inside(element);
    (!text.is_empty()).then(|| ("text".to_owned(), format!("text {text:?}")))
}

/// An attribute for people.
fn shown(element: &XmlElement, name: &str) -> String {
    element.attributes.get(name).map_or("(none)".to_owned(), |value| format!("{:?}", shortened(&value, 60)))
}

fn named<'a>(element: &'a XmlElement, name: &str) -> Vec<&'a XmlElement> {
    element.elements().filter(|inner| *inner.name == *name).collect()
}

/// Elements of a name inside of those with the name of a list.
fn inside<'a>(element: &'a XmlElement, list: &str, name: &str) -> Vec<&'a XmlElement> {
    named(element, list).into_iter().flat_map(|list| named(list, name)).collect()
}

/// The segments of the volume that a head belongs to.
fn segments_of<'a>(volumes: &'a [NmlVolume], heads: &[XmlElement], head: &XmlElement) -> Vec<Cow<'a, XmlElement>> {
    let volume = heads.iter().position(|other| std::ptr::eq(other, head)).and_then(|at| volumes.get(at));
    volume.map(|volume| volume.segments.iter().map(|segment| segment_element(segment).0).collect()).unwrap_or_default()
}

/// All groups below an element, each with the one that it lies in as an attribute and without those inside it.
fn flatten_groups(element: &XmlElement, parent: &str, flat: &mut Vec<XmlElement>) {
    for group in named(element, "group") {
        let is_other = |node: &&XmlNode| !matches!(node, XmlNode::Element(inner) if *inner.name == *"group");
        let children = group.children.iter().filter(is_other).cloned().collect();
        let alone = XmlElement { name: group.name.clone(), attributes: group.attributes.clone(), children };
        flat.push(alone.with("inside", parent));
        flatten_groups(group, &by_id(group), flat);
    }
}
