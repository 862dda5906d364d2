//! [`read`]: an NML from its bytes, event by event.

use super::attributes::{AttributeFaults, Attributes};
use super::chars::{is_xml_instruction, is_xml_name, resolve_reference};
use super::element::{XmlElement, XmlNode};
use super::input::{InputLimit, Utf8Input};
use super::model::Nml;
use super::views;
use crate::problem::Problems;
use crate::text::{bytes, count, shortened};
use quick_xml::errors::Error as XmlError;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

/// Where problems of the file lie: which file it is, the caller knows.
pub(super) const LOCATION: &str = "NML";

/// Name of the root element.
pub(super) const ROOT: &str = "things";

/// Longest input in bytes: ten times the largest NML that users report.
const MAX_LEN: u64 = 2 << 30;

/// Longest tag, comment or text in bytes.
const MAX_PIECE: usize = 16 << 20;

/// Most elements, comments and texts: each costs about 64 bytes, whatever is in it. A million nodes with their edges are
/// two million.
const MAX_PARTS: usize = 16_000_000;

/// Deepest nesting. Trees need four levels; groups may lie in each other.
const MAX_DEPTH: usize = 256;

/// Different names that are stored once; files have about fifty.
const MAX_NAMES: usize = 1000;

/// Why bytes are no NML.
#[derive(Debug, thiserror::Error)]
pub enum NmlError {
    /// The bytes couldn't be had.
    #[error("can't read the NML: {0}")]
    Io(#[source] io::Error),
    /// Nothing in it.
    #[error("no NML: the file is empty")]
    Empty,
    /// Another kind of file.
    #[error("no NML: found {found}, expected the XML element <{ROOT}>")]
    NotNml {
        /// What stands at the start.
        found: String,
    },
    /// Larger than anything a server writes.
    #[error("the NML has {what} at byte {position}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// Where the limit was met.
        position: u64,
    },
}

/// Reads an NML. What can't be understood is listed in [`Nml::problems`]; a file that breaks off is read up to there.
///
/// # Errors
/// If the bytes can't be had, are no NML, or are beyond all measure.
pub fn read(bytes: impl BufRead) -> Result<Nml, NmlError> {
    let mut builder = Builder::default();
    let document = builder.read(Utf8Input::new(bytes, MAX_LEN, MAX_PIECE))?;
    Ok(views::nml_from_document(document, builder.problems))
}

/// Puts events together to a document.
#[derive(Default)]
struct Builder {
    /// Elements that are open, outermost first.
    open: Vec<XmlElement>,
    root: Option<XmlElement>,
    /// Text since the last tag or comment.
    text: String,
    /// How many elements are open below the deepest that is kept.
    skipped_depth: usize,
    parts: usize,
    names: HashMap<Box<str>, Arc<str>>,
    buffer: String,
    attribute_faults: AttributeFaults,
    counts: Counts,
    problems: Problems,
}

/// What was left out, by kind.
#[derive(Default)]
struct Counts {
    too_deep: u64,
    bad_names: u64,
    outside: u64,
    roots: u64,
    unknown_entities: u64,
    dropped_characters: u64,
    document_types: u64,
}

impl Builder {
    fn read<R: BufRead>(&mut self, input: Utf8Input<R>) -> Result<XmlElement, NmlError> {
        let mut reader = quick_xml::Reader::from_reader(input);
        reader.config_mut().allow_dangling_amp = true;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            reader.get_mut().begin_piece();
            let position = reader.buffer_position();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Eof) => break,
                Ok(event) => self.event(event)?,
                Err(XmlError::Io(err)) => return Err(io_error(&err, reader.get_mut().raw_position(position))),
                Err(err) => {
                    let position = reader.error_position();
                    let position = reader.get_mut().raw_position(position);
                    self.check_is_nml()?;
                    self.problems.error(LOCATION, format!("not well-formed at byte {position}: {err}; what comes after it is missing"));
                    break;
                }
            }
            if self.parts > MAX_PARTS {
                let what = format!("more than {} elements and texts", count(MAX_PARTS as u64));
                return Err(NmlError::TooLarge { what, position: reader.get_mut().raw_position(position) });
            }
        }
        self.check_is_nml()?;
        if !self.open.is_empty() {
            // After a fault in the middle this has been said.
            if self.problems.is_empty() {
                let at = reader.get_mut().raw_len();
                let name = self.open.last().map_or("", |element| &element.name);
                self.problems.error(LOCATION, format!("the file ends early, at byte {at} inside <{name}>; what came after it is missing"));
            }
            while !self.open.is_empty() {
                self.close();
            }
        }
        let input = reader.get_mut();
        self.report(input.invalid_sequences, input.dropped_characters);
        self.root.take().ok_or(NmlError::Empty)
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), NmlError> {
        match event {
            Event::Start(tag) => self.start(&tag)?,
            Event::Empty(tag) => {
                self.start(&tag)?;
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.push_text(&text)?,
            Event::CData(text) => self.push_text(&text)?,
            Event::GeneralRef(name) => match resolve_reference(&name) {
                Some(Some(c)) => self.push_text(c.encode_utf8(&mut [0; 4]))?,
                Some(None) => self.counts.dropped_characters += 1,
                None => {
                    self.counts.unknown_entities += 1;
                    let text = format!("&{};", &*name);
                    self.push_text(&text)?;
                }
            },
            Event::Comment(text) => self.push_node(|| XmlNode::Comment((*text).into())),
            // The text around what is left out is one.
            Event::PI(text) if self.skipped_depth == 0 && !is_xml_instruction(&text) => self.counts.bad_names += 1,
            Event::PI(text) => self.push_node(|| XmlNode::Instruction((*text).into())),
            Event::DocType(text) => {
                if self.root.is_none() && self.open.is_empty() && text.trim_start().to_ascii_lowercase().starts_with("html") {
                    return Err(NmlError::NotNml { found: "an HTML page".to_owned() });
                }
                self.counts.document_types += 1;
            }
            Event::Decl(_) | Event::Eof => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), NmlError> {
        let qualified = tag.name();
        let name = qualified.as_ref();
        if self.open.is_empty() && self.skipped_depth == 0 {
            if name != ROOT && self.root.is_none() {
                let is_html = name.eq_ignore_ascii_case("html");
                let found = if is_html { "an HTML page".to_owned() } else { format!("the element <{}>", shortened(name, 40)) };
                return Err(NmlError::NotNml { found });
            }
            if name != ROOT {
                self.counts.outside += 1;
                self.skipped_depth += 1;
                return Ok(());
            }
            // Two files in one: the second root goes on where the first one ended.
            if let Some(mut root) = self.root.take() {
                self.counts.roots += 1;
                if let Some(XmlNode::Text(text)) = root.children.pop_if(|node| matches!(node, XmlNode::Text(_))) {
                    self.text.push_str(&text);
                }
                self.open.push(root);
                return Ok(());
            }
        } else if self.skipped_depth > 0 || self.open.len() >= MAX_DEPTH || !is_xml_name(name) {
            match self.skipped_depth {
                0 if is_xml_name(name) => self.counts.too_deep += 1,
                0 => self.counts.bad_names += 1,
                1.. => {}
            }
            // The text around it is one.
            self.skipped_depth += 1;
            return Ok(());
        }
        self.flush_text();
        self.parts += 1;
        let attributes = Attributes::parse(tag.attributes_raw(), &mut self.buffer, &mut self.attribute_faults);
        let name = self.interned(name);
        self.open.push(XmlElement { name, attributes, children: Vec::new() });
        Ok(())
    }

    fn end(&mut self) {
        if self.skipped_depth > 0 {
            self.skipped_depth -= 1;
        } else {
            self.close();
        }
    }

    fn close(&mut self) {
        self.flush_text();
        let Some(mut element) = self.open.pop() else { return };
        element.children.shrink_to_fit();
        match self.open.last_mut() {
            Some(parent) => parent.children.push(XmlNode::Element(element)),
            None => self.root = Some(element),
        }
    }

    fn push_text(&mut self, text: &str) -> Result<(), NmlError> {
        if self.open.is_empty() && !text.trim().is_empty() {
            if self.root.is_none() {
                return Err(NmlError::NotNml { found: format!("the text {:?}", shortened(text.trim(), 40)) });
            }
            self.counts.outside += 1;
        } else if !self.open.is_empty() && self.skipped_depth == 0 {
            self.text.push_str(text);
        }
        Ok(())
    }

    fn push_node(&mut self, node: impl FnOnce() -> XmlNode) {
        if self.skipped_depth > 0 {
            return;
        }
        self.flush_text();
        match self.open.last_mut() {
            Some(element) => {
                self.parts += 1;
                element.children.push(node());
            }
            None => self.counts.outside += 1,
        }
    }

    /// Text ends where a tag or comment begins; white space between tags has no meaning.
    fn flush_text(&mut self) {
        if let Some(element) = self.open.last_mut()
            && !self.text.trim().is_empty()
        {
            self.parts += 1;
            element.children.push(XmlNode::Text(self.text.replace("\r\n", "\n").into()));
        }
        self.text.clear();
    }

    fn interned(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        if self.names.len() < MAX_NAMES {
            self.names.insert(name.into(), Arc::clone(&new));
        }
        new
    }

    /// Refuses what has no root element.
    fn check_is_nml(&self) -> Result<(), NmlError> {
        match (&self.root, self.open.is_empty()) {
            (None, true) => Err(NmlError::Empty),
            (Some(_), _) | (None, false) => Ok(()),
        }
    }

    fn report(&mut self, invalid_sequences: u64, illegal_characters: u64) {
        let counts = &self.counts;
        let faults = &self.attribute_faults;
        let dropped = counts.dropped_characters + illegal_characters + faults.dropped_characters as u64;
        let entities = counts.unknown_entities + faults.unknown_entities as u64;
        let lines = [
            (invalid_sequences, "places with bytes that stand for no character; shown as \u{fffd}".to_owned()),
            (dropped, "characters that XML can't hold; left out".to_owned()),
            (entities, "references to unknown entities; kept as the text they are".to_owned()),
            (counts.document_types, "document type declarations; ignored".to_owned()),
            (faults.malformed as u64, "attributes without quotes, value or proper name, or named twice; left out".to_owned()),
            (counts.bad_names, "elements and instructions whose name is none; left out".to_owned()),
            (counts.too_deep, format!("elements nested deeper than {MAX_DEPTH}; left out")),
            (counts.roots, format!("further <{ROOT}> elements; read as one with the first")),
            (counts.outside, format!("parts outside of <{ROOT}>; left out")),
        ];
        for (number, what) in lines.into_iter().filter(|(number, _)| *number > 0) {
            self.problems.warn(LOCATION, format!("{} {what}", count(number)));
        }
    }
}

fn io_error(err: &io::Error, position: u64) -> NmlError {
    let limit = err.get_ref().and_then(|inner| inner.downcast_ref::<InputLimit>());
    let what = match limit {
        Some(InputLimit::Whole) => format!("more than {}", bytes(MAX_LEN)),
        Some(InputLimit::Piece) => format!("a tag, comment or text of more than {}", bytes(MAX_PIECE as u64)),
        None => return NmlError::Io(io::Error::new(err.kind(), err.to_string())),
    };
    NmlError::TooLarge { what, position }
}
