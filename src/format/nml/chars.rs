//! Which characters and names XML can hold, and how they are escaped.

/// Whether XML 1.0 allows the character, written as itself or as a reference.
pub(super) const fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Whether the text is a name of an element or attribute.
pub(super) fn is_xml_name(name: &str) -> bool {
    let is_start = |c: char| c.is_alphabetic() || matches!(c, '_' | ':');
    let is_inside = |c: char| is_start(c) || c.is_numeric() || matches!(c, '-' | '.' | '\u{b7}');
    // What XML calls a letter and Unicode doesn't (and the other way round) isn't told apart beyond ASCII: readers differ too.
    name.starts_with(is_start) && name.chars().all(is_inside)
}

/// Whether the text between `<?` and `?>` begins with a target. `xml` is none: that is the declaration a file starts with.
pub(super) fn is_xml_instruction(text: &str) -> bool {
    let target = text.split_whitespace().next().unwrap_or_default();
    is_xml_name(target) && text.starts_with(target) && !target.eq_ignore_ascii_case("xml")
}

/// Appends the text escaped for a value in double quotes; how many characters XML can't hold were left out.
pub(super) fn push_escaped_value(out: &mut String, text: &str) -> usize {
    push_escaped(out, text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        // As themselves they would be read as spaces.
        '\t' => Some("&#9;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        _ => None,
    })
}

/// Appends the text escaped for the place between tags; how many characters XML can't hold were left out.
pub(super) fn push_escaped_text(out: &mut String, text: &str) -> usize {
    push_escaped(out, text, |c| match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '\r' => Some("&#13;"),
        _ => None,
    })
}

/// Appends the text with its characters replaced; how many characters XML can't hold were left out.
fn push_escaped(out: &mut String, text: &str, escape: impl Fn(char) -> Option<&'static str>) -> usize {
    let mut dropped = 0;
    let mut rest = text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| !is_xml_char(*c) || escape(*c).is_some()) {
        out.push_str(&rest[..at]);
        match escape(c) {
            Some(escaped) => out.push_str(escaped),
            None => dropped += 1,
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.push_str(rest);
    dropped
}

/// What a reference (`amp`, `#10`, `#x1F600`: without `&` and `;`) stands for. `None` for an entity that XML doesn't
/// bring itself: those of a DTD are never expanded. `Some(None)` for a character that XML can't hold.
pub(super) fn resolve_reference(name: &str) -> Option<Option<char>> {
    let code = match name {
        "amp" => return Some(Some('&')),
        "lt" => return Some(Some('<')),
        "gt" => return Some(Some('>')),
        "quot" => return Some(Some('"')),
        "apos" => return Some(Some('\'')),
        _ => name.strip_prefix('#')?,
    };
    let digits = code.strip_prefix('x').or_else(|| code.strip_prefix('X'));
    let is_number = |text: &str, radix| !text.is_empty() && text.chars().all(|c: char| c.is_digit(radix));
    let number = match digits {
        Some(hex) if is_number(hex, 16) => u32::from_str_radix(hex, 16),
        None if is_number(code, 10) => code.parse(),
        Some(_) | None => return None,
    };
    Some(number.ok().and_then(char::from_u32).filter(|c| is_xml_char(*c)))
}
