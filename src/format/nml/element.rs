//! [`XmlElement`]: an element of an XML document, kept as it was read.

use super::attributes::Attributes;
use std::sync::Arc;

/// An element with all that belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XmlElement {
    /// Its name.
    pub name: Arc<str>,
    /// Its attributes.
    pub attributes: Attributes,
    /// What lies between its tags, in order.
    pub children: Vec<XmlNode>,
}

/// A part of an element's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XmlNode {
    /// An element.
    Element(XmlElement),
    /// Text, unescaped, that is not only white space.
    Text(Box<str>),
    /// A comment, without its delimiters.
    Comment(Box<str>),
    /// A processing instruction, without its delimiters.
    Instruction(Box<str>),
}

impl XmlElement {
    /// An element without attributes and content.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same with an attribute set; what XML can't hold of the value is left out.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.attributes.set(name, value);
        self
    }

    /// The elements directly inside it, in order.
    pub fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|node| match node {
            XmlNode::Element(element) => Some(element),
            XmlNode::Text(_) | XmlNode::Comment(_) | XmlNode::Instruction(_) => None,
        })
    }

    /// The first element of that name directly inside it.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| *element.name == *name)
    }

    /// The same, to be changed; it is added at the end where there is none.
    pub fn child_or_new(&mut self, name: &str) -> &mut Self {
        let is_it = |node: &XmlNode| matches!(node, XmlNode::Element(element) if *element.name == *name);
        let at = self.children.iter().position(is_it).unwrap_or_else(|| {
            self.children.push(XmlNode::Element(Self::new(name)));
            self.children.len() - 1
        });
        match &mut self.children[at] {
            XmlNode::Element(element) => element,
            XmlNode::Text(_) | XmlNode::Comment(_) | XmlNode::Instruction(_) => unreachable!("the position is that of an element"),
        }
    }
}
