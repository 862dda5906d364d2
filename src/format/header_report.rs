//! [`HeaderReport`]: metadata as a person reads it, each field with its raw value and meaning.

use serde::Serialize;

/// What the metadata files of one level say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HeaderReport {
    /// One section per file.
    pub sections: Vec<HeaderSection>,
}

/// The fields of one metadata file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeaderSection {
    /// What the file is: `WKW header`.
    pub title: String,
    /// Where it lies.
    pub location: String,
    /// Its fields, in the order of the file.
    pub fields: Vec<HeaderField>,
}

/// One field of a metadata file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeaderField {
    /// Name in the format's words.
    pub name: String,
    /// As stored: bytes in hex, or JSON text.
    pub raw: String,
    /// What it says.
    pub value: String,
    /// What follows from it, or what was assumed and why. May be empty.
    pub meaning: String,
}

impl HeaderField {
    /// A field.
    pub fn new(name: &str, raw: impl Into<String>, value: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { name: name.to_owned(), raw: raw.into(), value: value.into(), meaning: meaning.into() }
    }
}
