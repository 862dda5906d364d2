//! Numbers for people: bytes, counts, durations, throughput; and names that are told apart.

use std::collections::{HashMap, HashSet};

/// Thin space between groups of digits.
const THIN_SPACE: char = '\u{2009}';

/// A count; five digits and more get thin spaces: `32 768`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::with_capacity(digits.len() * 2);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN_SPACE);
        }
        out.push(c);
    }
    out
}

/// A text of at most `most` characters, with an ellipsis if it was longer.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A message of the library starts in lower case; on its own it is a sentence. Names such as `cubeLength` stay.
pub fn capitalized(message: &str) -> String {
    let is_name = message.split_whitespace().next().is_some_and(|word| word.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()));
    if is_name {
        return message.to_owned();
    }
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Names that are taken, so that each of many things gets one of its own.
#[derive(Debug, Default)]
pub struct UniqueNames {
    taken: HashSet<String>,
    /// Of each name that was wanted again, the number to try next.
    numbers: HashMap<String, u64>,
}

impl UniqueNames {
    /// What was wanted if it is free, else the first name that is, numbered from 2 on.
    pub fn take(&mut self, wanted: &str, numbered: impl Fn(u64) -> String) -> String {
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let number = self.numbers.entry(wanted.to_owned()).or_insert(2);
        loop {
            let name = numbered(*number);
            *number += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// A number of bytes split into value and unit: `("1.4", "MiB")`.
pub fn bytes_parts(n: u64) -> (String, &'static str) {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let text = match unit {
        0 => count(n),
        _ if value < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    };
    (text, UNITS[unit])
}

/// A number of bytes: `1.4 MiB`.
pub fn bytes(n: u64) -> String {
    let (value, unit) = bytes_parts(n);
    format!("{value} {unit}")
}

/// Bytes per second: `184 MiB/s`.
pub fn throughput(bytes_per_sec: f64) -> String {
    // Truncation is fine: fractions of a byte aren't shown, and `as` clamps negative and NaN to 0.
    format!("{}/s", bytes(bytes_per_sec as u64))
}

/// A duration: `0.84 ms`, `12.4 ms`, `3.1 s`.
pub fn duration(secs: f64) -> String {
    let ms = secs * 1e3;
    match ms {
        _ if ms < 1.0 => format!("{ms:.2} ms"),
        _ if ms < 1000.0 => format!("{ms:.1} ms"),
        _ => format!("{secs:.1} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_from_five_digits_on() {
        for (n, text) in [(0, "0"), (9999, "9999"), (32768, "32 768"), (1_234_567, "1 234 567")] {
            assert_eq!(count(n).replace(THIN_SPACE, " "), text);
        }
    }

    #[test]
    fn names_are_given_once() {
        let mut names = UniqueNames::default();
        let mut take = |wanted: &str| names.take(wanted, |n| format!("{wanted} ({n})"));
        assert_eq!(["a", "a", "a (4)", "a", "a", "b", "a (4)"].map(&mut take), ["a", "a (2)", "a (4)", "a (3)", "a (5)", "b", "a (4) (2)"]);
    }

    #[test]
    fn bytes_have_three_digits_and_a_unit() {
        for (n, text) in
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_468_006, "1.4 MiB"), (u64::MAX, "16.0 EiB"), (1024 * 1024 - 1, "1.0 MiB")]
        {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn durations_switch_units() {
        for (secs, text) in [(0.00084, "0.84 ms"), (0.0124, "12.4 ms"), (3.06, "3.1 s")] {
            assert_eq!(duration(secs), text);
        }
    }

    #[test]
    fn sentences_start_with_a_capital_and_names_stay() {
        for (message, shown) in [("truncated at 5", "Truncated at 5"), ("cubeLength is 64", "cubeLength is 64"), ("", "")] {
            assert_eq!(capitalized(message), shown);
        }
    }
}
