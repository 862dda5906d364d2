//! JSON as it is found in metadata files: with a byte order mark, or numbers that JSON doesn't have.

use serde_json::Value;

/// Parses JSON. Bare `NaN`, `Infinity` and `-Infinity`, which Python writes, become strings.
///
/// # Errors
/// If it isn't JSON even so; the error is that of the text as it stands, with its line and column.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).or_else(|err| {
        let quoted = quote_numbers(bytes);
        if quoted.len() == bytes.len() { Err(err) } else { serde_json::from_slice(&quoted).map_err(|_| err) }
    })
}

/// Puts quotes around the bare numbers that JSON lacks.
fn quote_numbers(bytes: &[u8]) -> Vec<u8> {
    const NAMES: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];
    let mut out = Vec::with_capacity(bytes.len() + 16);
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = bytes.get(at) {
        if in_string {
            if *byte == b'\\' {
                out.push(*byte);
                at += 1;
            } else if *byte == b'"' {
                in_string = false;
            }
        } else if *byte == b'"' {
            in_string = true;
        } else if let Some(name) = NAMES.iter().find(|name| bytes[at..].starts_with(name)) {
            out.push(b'"');
            out.extend_from_slice(name);
            out.push(b'"');
            at += name.len();
            continue;
        }
        out.extend(bytes.get(at));
        at += 1;
    }
    out
}

/// A list of whole numbers from 0 on, also when written as `3.0`.
pub fn unsigned_list(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(unsigned).collect()
}

/// A whole number from 0 on, also when written as `3.0`.
pub fn unsigned(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|f| f.fract() == 0.0 && (0.0..9e15).contains(f)).map(|f| f as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_become_strings() {
        let value = parse(b"\xef\xbb\xbf{\"a\": NaN, \"b\": [-Infinity, Infinity], \"NaN \\\" NaN\": 1}").expect("readable");
        assert_eq!(value, serde_json::json!({"a": "NaN", "b": ["-Infinity", "Infinity"], "NaN \" NaN": 1}));
    }

    #[test]
    fn errors_keep_line_and_column() {
        assert!(parse(b"{\n nonsense").expect_err("no JSON").to_string().contains("line 2 column 2"));
        assert!(parse(b"{\"a\": NaNa}").is_err());
    }

    #[test]
    fn whole_numbers_may_have_a_point() {
        assert_eq!(unsigned_list(&serde_json::json!([1, 2.0])), Some(vec![1, 2]));
        assert_eq!(unsigned_list(&serde_json::json!([1, 2.5])), None);
        assert_eq!(unsigned_list(&serde_json::json!([-1])), None);
    }
}
