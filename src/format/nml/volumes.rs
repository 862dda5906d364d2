//! Volume layers of an [`Nml`](super::Nml): to and from their elements.

use super::element::{XmlElement, XmlNode};
use super::model::{NmlVolume, Segment, SegmentGroup, SegmentId, VolumeFormat};
use super::read::LOCATION;
use super::skeleton::groups;
use super::values::{COLOR_NAMES, Fields, Malformed, boolean, integer, segment_id};
use super::views::{checked, noting};
use crate::problem::Problems;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Attributes of a segment's anchor.
const ANCHOR_NAMES: [&str; 3] = ["anchorPositionX", "anchorPositionY", "anchorPositionZ"];

/// Takes the volumes out of a document; an empty element marks the place of each.
pub(super) fn take_from(document: &mut XmlElement, problems: &mut Problems) -> Vec<NmlVolume> {
    let mut volumes: Vec<NmlVolume> = Vec::new();
    for node in &mut document.children {
        let XmlNode::Element(element) = node else { continue };
        if *element.name != *"volume" {
            continue;
        }
        let mark = XmlElement { name: Arc::clone(&element.name), ..XmlElement::default() };
        let volume = volume_from(std::mem::replace(element, mark), problems);
        let shown = |volume: &NmlVolume| volume.name.clone().unwrap_or_default();
        if volumes.iter().any(|other| shown(other) == shown(&volume)) {
            problems.warn(LOCATION, format!("two volume layers have the name {:?}; servers refuse that", shown(&volume)));
        }
        if volume.id.is_some() && volumes.iter().any(|other| other.id == volume.id) {
            problems.warn(LOCATION, format!("two volume layers have the id {}", volume.id.unwrap_or_default()));
        }
        volumes.push(volume);
    }
    volumes
}

/// A volume from its element. Segments that can be shown are moved out of it.
fn volume_from(mut element: XmlElement, problems: &mut Problems) -> NmlVolume {
    let segments = take_segments(&mut element, problems);
    let segment_groups = element.child("groups").map(|element| groups(element, problems)).unwrap_or_default();
    let head = noting(&element, problems, head_from);
    NmlVolume { element, segments, segment_groups, ..head }
}

impl NmlVolume {
    /// A new volume layer.
    pub fn new(id: i64, name: &str) -> Self {
        Self {
            id: Some(id),
            name: Some(name.to_owned()),
            location: None,
            format: None,
            fallback_layer: None,
            largest_segment_id: None,
            mapping_name: None,
            segments: Vec::new(),
            segment_groups: Vec::new(),
            element: XmlElement::new("volume"),
        }
    }

    /// Its name, as servers show a layer without one.
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or("Volume")
    }
}

/// What the attributes of a volume say.
fn head_from(fields: &mut Fields<'_>) -> NmlVolume {
    NmlVolume {
        id: fields.optional("id", integer),
        name: fields.owned("name"),
        location: fields.owned("location").filter(|text| !text.is_empty()),
        format: fields.optional("format", format_from),
        fallback_layer: fields.owned("fallbackLayer").filter(|text| !text.is_empty()),
        largest_segment_id: fields.optional("largestSegmentId", segment_id),
        mapping_name: fields.owned("mappingName").filter(|text| !text.is_empty()),
        segments: Vec::new(),
        segment_groups: Vec::new(),
        element: XmlElement::default(),
    }
}

fn format_from(text: &str) -> Option<VolumeFormat> {
    match text.to_ascii_lowercase().as_str() {
        "wkw" => Some(VolumeFormat::Wkw),
        "zarr3" => Some(VolumeFormat::Zarr3),
        _ => None,
    }
}

const fn format_name(format: VolumeFormat) -> &'static str {
    match format {
        VolumeFormat::Wkw => "wkw",
        VolumeFormat::Zarr3 => "zarr3",
    }
}

/// Moves the segments out of a volume's element; what can't be shown stays there.
fn take_segments(element: &mut XmlElement, problems: &mut Problems) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut ids = HashSet::new();
    for node in &mut element.children {
        let XmlNode::Element(list) = node else { continue };
        if *list.name != *"segments" {
            continue;
        }
        let mut kept = Vec::new();
        for node in std::mem::take(&mut list.children) {
            let is_segment = matches!(&node, XmlNode::Element(inner) if *inner.name == *"segment");
            let (XmlNode::Element(inner), true) = (&node, is_segment) else {
                kept.push(node);
                continue;
            };
            match checked(inner, problems, segment_from) {
                Some(segment) if ids.insert(segment.id) => {
                    let XmlNode::Element(inner) = node else { continue };
                    segments.push(Segment { element: Some(Arc::new(inner)), ..segment });
                }
                Some(segment) => {
                    problems.warn(LOCATION, format!("segment {} is listed twice; the second one is not shown", segment.id));
                    kept.push(node);
                }
                None => kept.push(node),
            }
        }
        list.children = kept;
    }
    segments
}

fn segment_from(fields: &mut Fields<'_>) -> Result<Segment, Malformed> {
    Ok(Segment {
        id: fields.required("id", segment_id)?,
        name: fields.owned("name"),
        is_visible: fields.optional("isVisible", boolean).unwrap_or(true),
        created_unix_ms: fields.optional("created", integer),
        anchor: fields.optional_position(ANCHOR_NAMES),
        color: fields.color(),
        group: fields.optional("groupId", integer),
        element: None,
    })
}

/// Sets or removes attributes, and counts what XML couldn't hold of their values.
pub(super) struct Setter<'a> {
    pub(super) element: &'a mut XmlElement,
    pub(super) dropped: usize,
}

impl Setter<'_> {
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.dropped += self.element.attributes.set(name, value),
            None => drop(self.element.attributes.remove(name)),
        }
    }

    /// The same for what has a text of its own.
    pub(super) fn put(&mut self, name: &str, value: Option<impl ToString>) {
        self.set(name, value.map(|value| value.to_string()).as_deref());
    }
}

/// The element of a segment as it is now, and how many characters of it XML can't hold. Whatever hasn't changed stands
/// as it was read.
pub(super) fn segment_element(segment: &Segment) -> (Cow<'_, XmlElement>, usize) {
    let (base, was) = match &segment.element {
        Some(element) => (Cow::Borrowed(&**element), segment_from(&mut Fields::new(&element.attributes)).ok()),
        None => (Cow::Owned(XmlElement::new("segment")), None),
    };
    // A new element of an id that was given as text: how negative ids of signed classes are written.
    let is_new = was.is_none();
    let was = was.unwrap_or_else(|| Segment::new(segment.id));
    let is_same = !is_new && was == Segment { element: None, ..segment.clone() };
    if is_same {
        return (base, 0);
    }
    let mut element = base.into_owned();
    let mut setter = Setter { element: &mut element, dropped: 0 };
    if is_new || was.id != segment.id {
        setter.put("id", Some(segment.id));
    }
    if was.name != segment.name {
        setter.set("name", segment.name.as_deref());
    }
    if was.is_visible != segment.is_visible {
        setter.put("isVisible", Some(segment.is_visible));
    }
    if was.created_unix_ms != segment.created_unix_ms {
        setter.put("created", segment.created_unix_ms);
    }
    if was.anchor != segment.anchor {
        for (axis, name) in ANCHOR_NAMES.into_iter().enumerate() {
            setter.put(name, segment.anchor.map(|anchor| anchor[axis]));
        }
    }
    if was.color != segment.color {
        for (channel, name) in COLOR_NAMES.into_iter().enumerate() {
            setter.set(name, segment.color.map(|color| format!("{:?}", color[channel])).as_deref());
        }
    }
    if was.group != segment.group {
        setter.put("groupId", segment.group);
    }
    let dropped = setter.dropped;
    (Cow::Owned(element), dropped)
}

/// The element of a volume as it is now but for its segments, and how many characters of it XML can't hold. It has a
/// `segments` child.
pub(super) fn volume_element(volume: &NmlVolume) -> (XmlElement, usize) {
    let mut element = volume.element.clone();
    if element.name.is_empty() {
        element.name = "volume".into();
    }
    let was = head_from(&mut Fields::new(&volume.element.attributes));
    let mut setter = Setter { element: &mut element, dropped: 0 };
    if was.id != volume.id {
        setter.put("id", volume.id);
    }
    if was.name != volume.name {
        setter.set("name", volume.name.as_deref());
    }
    if was.location != volume.location {
        setter.set("location", volume.location.as_deref());
    }
    if was.format != volume.format {
        setter.set("format", volume.format.map(format_name));
    }
    if was.fallback_layer != volume.fallback_layer {
        setter.set("fallbackLayer", volume.fallback_layer.as_deref());
    }
    if was.largest_segment_id != volume.largest_segment_id {
        setter.put("largestSegmentId", volume.largest_segment_id);
    }
    if was.mapping_name != volume.mapping_name {
        setter.set("mappingName", volume.mapping_name.as_deref());
    }
    let mut dropped = setter.dropped;
    drop_unlisted(element.child_or_new("segments"), &volume.segments);
    let old_groups = element.child("groups");
    if old_groups.map(|old| groups(old, &mut Problems::default())).unwrap_or_default() != volume.segment_groups {
        let mut by_id = HashMap::new();
        if let Some(old) = old_groups {
            collect_groups(old, &mut by_id);
        }
        let children = group_nodes(&volume.segment_groups, &by_id, &mut dropped);
        element.child_or_new("groups").children = children;
    }
    (element, dropped)
}

/// A second element of a segment goes with the first.
fn drop_unlisted(list: &mut XmlElement, segments: &[Segment]) {
    let is_segment = |node: &XmlNode| matches!(node, XmlNode::Element(element) if *element.name == *"segment");
    if !list.children.iter().any(is_segment) {
        return;
    }
    let listed: HashSet<SegmentId> = segments.iter().map(|segment| segment.id).collect();
    list.children.retain(|node| {
        let XmlNode::Element(element) = node else { return true };
        let id = element.attributes.get("id").and_then(|id| segment_id(&id));
        !is_segment(node) || id.is_none_or(|id| listed.contains(&id))
    });
}

fn collect_groups(element: &XmlElement, by_id: &mut HashMap<i64, XmlElement>) {
    for inner in element.elements().filter(|inner| *inner.name == *"group") {
        if let Some(id) = inner.attributes.get("id").and_then(|id| integer(&id)) {
            by_id.entry(id).or_insert_with(|| {
                let is_other = |node: &&XmlNode| !matches!(node, XmlNode::Element(element) if *element.name == *"group");
                XmlElement { children: inner.children.iter().filter(is_other).cloned().collect(), ..inner.clone() }
            });
        }
        collect_groups(inner, by_id);
    }
}

fn group_nodes(groups: &[SegmentGroup], by_id: &HashMap<i64, XmlElement>, dropped: &mut usize) -> Vec<XmlNode> {
    let node = |group: &SegmentGroup| {
        let old = by_id.get(&group.id);
        let mut element = old.cloned().unwrap_or_else(|| XmlElement::new("group").with("id", &group.id.to_string()));
        *dropped += element.attributes.set("name", &group.name);
        let was_expanded = element.attributes.get("isExpanded").and_then(|text| boolean(&text)).unwrap_or(true);
        if was_expanded != group.is_expanded {
            element.attributes.set("isExpanded", if group.is_expanded { "true" } else { "false" });
        }
        element.children.extend(group_nodes(&group.groups, by_id, dropped));
        XmlNode::Element(element)
    };
    groups.iter().map(node).collect()
}
