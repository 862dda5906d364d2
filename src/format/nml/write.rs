//! [`write`]: an NML as XML.

use super::chars::{is_xml_char, is_xml_instruction, is_xml_name, push_escaped_text};
use super::element::{XmlElement, XmlNode};
use super::model::{Nml, NmlVolume};
use super::parameters::parameters_element;
use super::read::{LOCATION, ROOT};
use super::volumes::{segment_element, volume_element};
use crate::problem::Problems;
use std::io::{self, Write};

/// Spaces by which a level is indented; deeper ones than this aren't.
const MAX_INDENT: usize = 16;

/// Writes an NML: its document, with the parts that Chunkscope changes ([`Nml::volumes`], [`Nml::experiment`],
/// [`Nml::voxel_size`], [`Nml::edit_position`], [`Nml::zoom`]) as they are now. The other fields are views of the
/// document and aren't looked at. The output is always well-formed; what had to be left out for that is returned.
///
/// # Errors
/// If `out` refuses the bytes.
pub fn write(nml: &Nml, out: impl Write) -> io::Result<Problems> {
    write_with_volumes(nml, &nml.volumes, out)
}

/// The same with other volumes than [`Nml::volumes`]: what is exported while it is edited.
///
/// # Errors
/// If `out` refuses the bytes.
pub fn write_with_volumes(nml: &Nml, volumes: &[NmlVolume], out: impl Write) -> io::Result<Problems> {
    let mut writer = Writer { out, line: String::new(), dropped: 0, bad_names: 0, problems: Problems::default() };
    writer.nml(nml, volumes)?;
    writer.out.flush()?;
    let Writer { dropped, bad_names, mut problems, .. } = writer;
    for (number, what) in [
        (dropped, "characters that XML can't hold were left out"),
        (bad_names, "elements and instructions whose name is none were left out"),
    ] {
        if number > 0 {
            problems.warn(LOCATION, format!("{number} {what}"));
        }
    }
    Ok(problems)
}

struct Writer<W> {
    out: W,
    line: String,
    dropped: usize,
    bad_names: usize,
    problems: Problems,
}

impl<W: Write> Writer<W> {
    fn nml(&mut self, nml: &Nml, volumes: &[NmlVolume]) -> io::Result<()> {
        self.out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
        let named = if is_xml_name(&nml.document.name) { &*nml.document.name } else { ROOT };
        self.open(named, &nml.document, 0)?;
        let (parameters, dropped) = parameters_element(nml);
        self.note_dropped(dropped, || "the parameters".to_owned());
        let has_parameters = nml.document.child("parameters").is_some();
        if !has_parameters {
            self.element(&parameters, 1)?;
        }
        let mut parameters = Some(parameters).filter(|_| has_parameters);
        let mut volumes = volumes.iter();
        for node in &nml.document.children {
            match node {
                XmlNode::Element(element) if *element.name == *"volume" => {
                    if let Some(volume) = volumes.next() {
                        self.volume(volume)?;
                    }
                }
                XmlNode::Element(element) if *element.name == *"parameters" => match parameters.take() {
                    Some(parameters) => self.element(&parameters, 1)?,
                    None => self.element(element, 1)?,
                },
                XmlNode::Element(_) | XmlNode::Text(_) | XmlNode::Comment(_) | XmlNode::Instruction(_) => self.node(node, 1)?,
            }
        }
        for volume in volumes {
            self.volume(volume)?;
        }
        self.close(named, 0)
    }

    fn volume(&mut self, volume: &NmlVolume) -> io::Result<()> {
        let (element, dropped) = volume_element(volume);
        self.note_dropped(dropped, || format!("volume layer {:?}", volume.shown_name()));
        self.open(&element.name, &element, 1)?;
        let mut has_listed = false;
        for node in &element.children {
            match node {
                XmlNode::Element(list) if *list.name == *"segments" && !has_listed => {
                    has_listed = true;
                    if volume.segments.is_empty() && list.children.is_empty() {
                        self.element(list, 2)?;
                        continue;
                    }
                    self.open(&list.name, list, 2)?;
                    for segment in &volume.segments {
                        let (element, dropped) = segment_element(segment);
                        self.note_dropped(dropped, || format!("segment {}", segment.id));
                        self.element(&element, 3)?;
                    }
                    self.nodes(&list.children, 3)?;
                    self.close(&list.name, 2)?;
                }
                XmlNode::Element(_) | XmlNode::Text(_) | XmlNode::Comment(_) | XmlNode::Instruction(_) => self.node(node, 2)?,
            }
        }
        self.close(&element.name, 1)
    }

    fn note_dropped(&mut self, dropped: usize, what: impl Fn() -> String) {
        if dropped > 0 {
            self.problems.warn(LOCATION, format!("{}: {dropped} characters that XML can't hold were left out", what()));
        }
    }

    fn nodes(&mut self, nodes: &[XmlNode], depth: usize) -> io::Result<()> {
        nodes.iter().try_for_each(|node| self.node(node, depth))
    }

    fn node(&mut self, node: &XmlNode, depth: usize) -> io::Result<()> {
        match node {
            XmlNode::Element(element) => return self.element(element, depth),
            // Between the parts of the file it has none.
            XmlNode::Text(text) => {
                self.begin_line(depth);
                self.dropped += push_escaped_text(&mut self.line, text.trim());
            }
            XmlNode::Comment(text) => {
                self.begin_line(depth);
                self.push_comment(text);
            }
            XmlNode::Instruction(text) => {
                self.begin_line(depth);
                self.push_instruction(text);
            }
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    fn push_comment(&mut self, text: &str) {
        let mut text = text.replace("--", "- -");
        if text.ends_with('-') {
            text.push(' ');
        }
        self.push_bracketed("<!--", &text, "-->");
    }

    fn push_instruction(&mut self, text: &str) {
        if !is_xml_instruction(text) {
            self.bad_names += 1;
            return;
        }
        self.push_bracketed("<?", &text.replace("?>", "? >"), "?>");
    }

    /// Puts text between marks, where nothing can be escaped.
    fn push_bracketed(&mut self, start: &str, text: &str, end: &str) {
        self.line.push_str(start);
        let before = text.chars().count();
        let kept: String = text.chars().filter(|c| is_xml_char(*c)).collect();
        self.dropped += before - kept.chars().count();
        self.line.push_str(&kept);
        self.line.push_str(end);
    }

    fn element(&mut self, element: &XmlElement, depth: usize) -> io::Result<()> {
        if !is_xml_name(&element.name) {
            self.bad_names += 1;
            return Ok(());
        }
        if element.children.iter().any(|node| matches!(node, XmlNode::Text(_))) {
            // Around text white space has a meaning.
            self.begin_line(depth);
            self.push_inline(element);
            self.line.push('\n');
            return self.out.write_all(self.line.as_bytes());
        }
        if element.children.is_empty() {
            self.begin_line(depth);
            self.push_tag(&element.name, element);
            self.line.push_str(" />\n");
            return self.out.write_all(self.line.as_bytes());
        }
        self.open(&element.name, element, depth)?;
        self.nodes(&element.children, depth + 1)?;
        self.close(&element.name, depth)
    }

    /// An element with all that is in it, without white space that isn't there.
    fn push_inline(&mut self, element: &XmlElement) {
        if !is_xml_name(&element.name) {
            self.bad_names += 1;
            return;
        }
        self.push_tag(&element.name, element);
        self.line.push('>');
        for node in &element.children {
            match node {
                XmlNode::Element(inner) => self.push_inline(inner),
                XmlNode::Text(text) => self.dropped += push_escaped_text(&mut self.line, text),
                XmlNode::Comment(text) => self.push_comment(text),
                XmlNode::Instruction(text) => self.push_instruction(text),
            }
        }
        self.line.extend(["</", &element.name, ">"]);
    }

    fn open(&mut self, name: &str, element: &XmlElement, depth: usize) -> io::Result<()> {
        self.begin_line(depth);
        self.push_tag(name, element);
        self.line.push_str(">\n");
        self.out.write_all(self.line.as_bytes())
    }

    fn close(&mut self, name: &str, depth: usize) -> io::Result<()> {
        self.begin_line(depth);
        self.line.extend(["</", name, ">\n"]);
        self.out.write_all(self.line.as_bytes())
    }

    fn begin_line(&mut self, depth: usize) {
        self.line.clear();
        self.line.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    }

    fn push_tag(&mut self, name: &str, element: &XmlElement) {
        self.line.push('<');
        self.line.push_str(name);
        if !element.attributes.is_empty() {
            self.line.push(' ');
            self.line.push_str(element.attributes.as_text());
        }
    }
}
