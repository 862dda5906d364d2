//! Paths as people type, paste and drop them.

use std::path::PathBuf;

/// The path that a text means: without quotes around it, `file://` before it and blanks beside it.
/// `None` for a blank text.
pub fn typed_path(text: &str) -> Option<PathBuf> {
    typed_path_with_home(text, std::env::home_dir())
}

fn typed_path_with_home(text: &str, home: Option<PathBuf>) -> Option<PathBuf> {
    // File managers copy several paths as lines; one is opened.
    let mut text = text.trim().lines().next()?.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            text = inner.trim();
        }
    }
    if text.is_empty() {
        return None;
    }
    if let Some(url) = text.strip_prefix("file://") {
        let path = url.strip_prefix("localhost").unwrap_or(url);
        return Some(PathBuf::from(percent_decoded(path)));
    }
    if let (Some(rest), Some(home)) = (if text == "~" { Some("") } else { text.strip_prefix("~/") }, home) {
        return Some(home.join(rest));
    }
    Some(PathBuf::from(text))
}

/// `%20` as a blank; what is no code stays as it is.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_urls_are_taken_off() {
        for (text, expected) in [
            ("/data/em", "/data/em"),
            ("  /data/em \n", "/data/em"),
            ("\"/data/my em\"", "/data/my em"),
            ("'/data/em'", "/data/em"),
            ("file:///data/my%20em/%C3%A4", "/data/my em/ä"),
            ("file://localhost/data", "/data"),
            ("/odd/100%", "/odd/100%"),
            ("file:///odd/100%zz", "/odd/100%zz"),
            ("/first\n/second", "/first"),
            ("~/em", "/home/me/em"),
            ("~", "/home/me"),
            ("C:\\data", "C:\\data"),
        ] {
            assert_eq!(typed_path_with_home(text, Some("/home/me".into())), Some(PathBuf::from(expected)), "{text:?}");
        }
    }

    #[test]
    fn blank_is_no_path() {
        for text in ["", "  \n", "\"\"", "' '"] {
            assert_eq!(typed_path_with_home(text, None), None, "{text:?}");
        }
    }
}
