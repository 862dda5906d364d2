//! [`XmlElement`]: an element of an XML document, kept as it was read.

use std::sync::Arc;

/// An element with all that belongs to it.
///
/// Attributes are one piece of text: a file of 200 MB has millions of them, and most are only passed on.
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
}

/// The attributes of an element in their order, as XML text: `id="1" name="a &amp; b"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(pub Box<str>);
