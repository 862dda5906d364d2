//! [`Attributes`] of an element.

use super::chars::{is_xml_char, is_xml_name, push_escaped_value, resolve_reference};
use std::borrow::Cow;

/// Most attributes of an element that are kept; servers write about twenty.
const MAX_ATTRIBUTES: usize = 1000;

/// The attributes of an element in their order.
///
/// They are one piece of text: a file of 200 MB has millions of them, and most are only passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(
    /// `id="1" name="a &amp; b"`: always well-formed, one space between two, no name twice.
    Box<str>,
);

/// What was wrong with attributes that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AttributeFaults {
    /// Without value or quotes, with a name that is none, named twice, or too many.
    pub(super) malformed: usize,
    /// Characters that XML can't hold.
    pub(super) dropped_characters: usize,
    /// References to entities that XML doesn't bring itself; they are kept as the text they are.
    pub(super) unknown_entities: usize,
}

impl Attributes {
    /// Reads what stands between an element's name and the end of its tag.
    pub(super) fn parse(raw: &str, buffer: &mut String, faults: &mut AttributeFaults) -> Self {
        buffer.clear();
        let mut rest = raw.trim_start();
        let mut count = 0;
        while !rest.is_empty() {
            let (name, value, after) = split_first(rest);
            rest = after.trim_start();
            let is_kept = count < MAX_ATTRIBUTES && is_xml_name(name) && find(buffer, name).is_none();
            let Some(value) = value.filter(|_| is_kept) else {
                faults.malformed += 1;
                continue;
            };
            count += 1;
            push_name(buffer, name);
            if value.contains(['&', '<', '>', '"', '\t', '\n', '\r']) {
                faults.dropped_characters += push_escaped_value(buffer, &unescaped(value, faults));
            } else {
                buffer.push_str(value);
            }
            buffer.push('"');
        }
        Self(buffer.as_str().into())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The attributes as they stand in a tag: `id="1" name="a &amp; b"`.
    pub fn as_text(&self) -> &str {
        &self.0
    }

    /// Names with unescaped values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            let (name, value) = rest.split_once("=\"")?;
            let (value, after) = value.split_once('"')?;
            rest = after.strip_prefix(' ').unwrap_or(after);
            Some((name, own_unescaped(value)))
        })
    }

    /// The unescaped value of an attribute.
    pub fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        let (start, end) = find(&self.0, name)?;
        Some(own_unescaped(&self.0[start..end]))
    }

    /// Sets an attribute: in its place where it is there, else at the end. Returns how many characters were left out of
    /// the value because XML can't hold them. A name that is none changes nothing.
    pub fn set(&mut self, name: &str, value: &str) -> usize {
        if !is_xml_name(name) {
            return value.chars().count();
        }
        let mut text = String::with_capacity(self.0.len() + name.len() + value.len() + 4);
        let dropped = match find(&self.0, name) {
            Some((start, end)) => {
                text.push_str(&self.0[..start]);
                let dropped = push_escaped_value(&mut text, value);
                text.push_str(&self.0[end..]);
                dropped
            }
            None => {
                text.push_str(&self.0);
                push_name(&mut text, name);
                let dropped = push_escaped_value(&mut text, value);
                text.push('"');
                dropped
            }
        };
        self.0 = text.into();
        dropped
    }

    /// Removes an attribute. Returns whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let Some((start, end)) = find(&self.0, name) else { return false };
        let before = self.0[..start - name.len() - 2].trim_end();
        let after = self.0[end + 1..].trim_start();
        self.0 = [before, after].join(if before.is_empty() || after.is_empty() { "" } else { " " }).into();
        true
    }
}

fn push_name(text: &mut String, name: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(name);
    text.push_str("=\"");
}

/// Where the escaped value of an attribute lies in well-formed text.
fn find(text: &str, name: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(equals) = text.get(at..)?.find("=\"") {
        let start = at + equals + 2;
        let end = start + text[start..].find('"')?;
        if text[at..at + equals] == *name {
            return Some((start, end));
        }
        at = end + 2;
    }
    None
}

/// The first attribute of a tag: name, escaped value if it has one, and what comes after it.
fn split_first(text: &str) -> (&str, Option<&str>, &str) {
    let name_end = text.find(|c: char| c == '=' || c.is_ascii_whitespace()).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let Some(value) = rest.trim_start().strip_prefix('=') else { return (name, None, rest) };
    let value = value.trim_start();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => match value[1..].split_once(quote) {
            Some((value, rest)) => (name, Some(value), rest),
            None => (name, None, ""),
        },
        Some(_) | None => {
            let end = value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len());
            (name, None, &value[end..])
        }
    }
}

/// The value of an attribute that was read: references resolved, line ends and tabs made spaces as XML has it.
fn unescaped(value: &str, faults: &mut AttributeFaults) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find(['&', '\t', '\n', '\r']) {
        out.push_str(&rest[..at]);
        let special = &rest[at..];
        rest = &special[1..];
        if !special.starts_with('&') {
            rest = special.strip_prefix("\r\n").unwrap_or(rest);
            out.push(' ');
            continue;
        }
        // The longest one is that of the last character.
        let name = rest.char_indices().take(16).find(|(_, c)| *c == ';').map(|(end, _)| &rest[..end]);
        match name.and_then(|name| Some((name, resolve_reference(name)?))) {
            Some((name, resolved)) => {
                match resolved {
                    Some(c) => out.push(c),
                    None => faults.dropped_characters += 1,
                }
                rest = &rest[name.len() + 1..];
            }
            None => {
                faults.unknown_entities += 1;
                out.push('&');
            }
        }
    }
    out.push_str(rest);
    out
}

/// Undoes what [`push_escaped_value`] did.
fn own_unescaped(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let text = unescaped(value, &mut AttributeFaults::default());
    debug_assert!(text.chars().all(is_xml_char));
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(raw: &str) -> (Attributes, AttributeFaults) {
        let mut faults = AttributeFaults::default();
        (Attributes::parse(raw, &mut String::new(), &mut faults), faults)
    }

    #[test]
    fn attributes_of_any_spelling_become_one_form() {
        let (attributes, faults) = parsed(" id='1'\n name = \"a &amp; &#x1F600; &quot;b' > &#10;\tc\"  x=\"\"");
        assert_eq!(faults, AttributeFaults::default());
        assert_eq!(attributes.as_text(), "id=\"1\" name=\"a &amp; 😀 &quot;b' &gt; &#10; c\" x=\"\"");
        assert_eq!(attributes.get("name").as_deref(), Some("a & 😀 \"b' > \n c"));
        assert_eq!(attributes.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["id", "name", "x"]);
    }

    #[test]
    fn what_is_broken_is_counted_and_the_rest_is_kept() {
        let (attributes, faults) = parsed("a b=c 1d=\"2\" id=\"1\" id=\"2\" n=\"&nope; & &#0;&#xD800;&#99999999999;\" open=\"x");
        assert_eq!(attributes.as_text(), "id=\"1\" n=\"&amp;nope; &amp; \"");
        assert_eq!(faults, AttributeFaults { malformed: 5, dropped_characters: 3, unknown_entities: 2 });
    }

    #[test]
    fn setting_keeps_the_order_and_removing_leaves_the_others() {
        let (mut attributes, _) = parsed("a=\"1\" b=\"2\" c=\"3\"");
        assert_eq!(attributes.set("b", "x\u{1}<y>\u{ffff}"), 2);
        assert_eq!(attributes.set("d", ""), 0);
        assert_eq!(attributes.as_text(), "a=\"1\" b=\"x&lt;y&gt;\" c=\"3\" d=\"\"");
        for (name, rest) in [("b", "a=\"1\" c=\"3\" d=\"\""), ("a", "c=\"3\" d=\"\""), ("d", "c=\"3\""), ("c", "")] {
            assert!(attributes.remove(name));
            assert_eq!(attributes.as_text(), rest);
        }
        assert!(!attributes.remove("a"));
        attributes.set("no name", "1");
        assert!(attributes.is_empty());
    }

    proptest! {
        #[test]
        fn a_value_that_was_set_is_the_one_that_is_there(values in prop::collection::vec("\\PC*|[\\t\\n\\r&;#\"'<>=a ]*", 1..5)) {
            let mut attributes = Attributes::default();
            for (i, value) in values.iter().enumerate() {
                let dropped = attributes.set(&format!("a{i}"), value);
                let kept: String = value.chars().filter(|c| is_xml_char(*c)).collect();
                prop_assert_eq!(dropped, value.chars().count() - kept.chars().count());
                prop_assert_eq!(&*attributes.get(&format!("a{i}")).expect("set"), &kept);
            }
            let (again, faults) = parsed(attributes.as_text());
            prop_assert_eq!(faults, AttributeFaults::default());
            prop_assert_eq!(again, attributes);
        }

        #[test]
        fn any_text_gives_attributes_that_are_well_formed(raw in "[ a-c='\"&;#0x1<>\\n]{0,60}") {
            let (attributes, _) = parsed(&raw);
            let (again, faults) = parsed(attributes.as_text());
            prop_assert_eq!(faults, AttributeFaults::default());
            prop_assert_eq!(again, attributes);
        }
    }
}
