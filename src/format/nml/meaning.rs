//! What elements and attributes of an NML mean, whatever their spelling.

use super::element::{XmlElement, XmlNode};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Attributes that are texts: `1` and `1.0` are two names.
const TEXTS: [&str; 9] = ["name", "content", "key", "description", "organization", "datasetId", "wkUrl", "location", "fallbackLayer"];

/// Beginnings of further ones.
const TEXT_BEGINNINGS: [&str; 4] = ["stringValue", "stringListValue", "mappingName", "editedMapping"];

/// Attributes with their meaning; those that say what holds without them are left out.
pub(super) fn attributes(element: &XmlElement) -> BTreeMap<&str, Cow<'_, str>> {
    element.attributes.iter().filter(|(name, value)| !is_default(name, value)).map(|(name, value)| (name, meaning(name, value))).collect()
}

fn is_default(name: &str, value: &str) -> bool {
    match name {
        "isVisible" | "isExpanded" => value.eq_ignore_ascii_case("true"),
        "type" => value == "DEFAULT",
        "unit" => value == "nanometer",
        _ => name.starts_with("color.") && value.is_empty(),
    }
}

/// The one spelling of a value. Whole numbers are compared as such: ids have more digits than a float.
fn meaning<'a>(name: &str, value: Cow<'a, str>) -> Cow<'a, str> {
    if TEXTS.contains(&name) || TEXT_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) {
        return value;
    }
    let trimmed = value.trim();
    if let Ok(whole) = trimmed.parse::<i128>() {
        return Cow::Owned(whole.to_string());
    }
    match trimmed.parse::<f64>() {
        // Up to 2^53 each whole float is one number.
        Ok(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => Cow::Owned((number as i64).to_string()),
        Ok(number) if number.is_finite() => Cow::Owned(format!("{number:?}")),
        Ok(_) | Err(_) => value,
    }
}

/// The meaning of the attribute that tells an element from others.
pub(super) fn own_key(element: &XmlElement, name: &str) -> String {
    element.attributes.get(name).map(|value| meaning(name, value).into_owned()).unwrap_or_default()
}

/// The nodes of an edge; which of them is its source has no meaning.
pub(super) fn edge_key(element: &XmlElement) -> String {
    let [a, b] = ["source", "target"].map(|name| own_key(element, name));
    if (a.len(), &a) <= (b.len(), &b) { format!("{a}–{b}") } else { format!("{b}–{a}") }
}

/// Whether an element is a list without content, which is the same as none.
pub(super) fn is_empty_list(element: &XmlElement) -> bool {
    const LISTS: [&str; 9] =
        ["metadata", "nodes", "edges", "segments", "groups", "branchpoints", "comments", "additionalAxes", "parameters"];
    LISTS.contains(&&*element.name)
        && element.attributes.is_empty()
        && element.children.iter().all(|node| matches!(node, XmlNode::Comment(_)))
}

/// The text directly inside an element; how much white space there is has no meaning.
pub(super) fn text_inside(element: &XmlElement) -> String {
    let texts = element.children.iter().filter_map(|node| match node {
        XmlNode::Text(text) => Some(&**text),
        XmlNode::Element(_) | XmlNode::Comment(_) | XmlNode::Instruction(_) => None,
    });
    let words = texts.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// An element with all that is in it as text: equal texts, equal meaning.
pub(super) fn content(element: &XmlElement) -> String {
    let mut out = format!("<{}", element.name);
    for (name, value) in attributes(element) {
        out.push_str(&format!(" {name}={value:?}"));
    }
    out.push('>');
    let mut inner: Vec<String> = element.elements().filter(|inner| !is_empty_list(inner)).map(content).collect();
    if *element.name == *"metadata" {
        inner.sort();
    }
    out.extend(inner);
    out.push_str(&text_inside(element));
    out
}
