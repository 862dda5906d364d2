//! Numbers, positions and colours of NML attributes.

use super::attributes::Attributes;
use super::model::SegmentId;
use crate::geometry::Vec3Int;
use crate::text::shortened;
use std::borrow::Cow;

/// Why an element isn't shown: what of it is no number.
pub(super) type Malformed = String;

/// A whole number; decimals are rounded, as the server does it.
pub(super) fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        // Up to 2^53 a float is exact enough to be rounded.
        (number.abs() <= 9_007_199_254_740_992.0).then_some(number.round() as i64)
    })
}

/// A finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A segment's id; a negative one of a signed class by its 64 bits. Never by way of a float.
pub(super) fn segment_id(text: &str) -> Option<SegmentId> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.parse().ok().map(i64::cast_unsigned))
}

/// `true` or `false` in any case, `1` or `0`.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "1" => Some(true),
        "0" => Some(false),
        text if text.eq_ignore_ascii_case("true") => Some(true),
        text if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Attributes of one element, with the faults that were met in them.
pub(super) struct Fields<'a> {
    pub(super) attributes: &'a Attributes,
    /// Attributes whose values can't be understood and were taken as absent.
    pub(super) ignored: Vec<Malformed>,
}

impl<'a> Fields<'a> {
    pub(super) const fn new(attributes: &'a Attributes) -> Self {
        Self { attributes, ignored: Vec::new() }
    }

    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes.get(name)
    }

    pub(super) fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(Cow::into_owned)
    }

    /// An attribute that may be missing; a blank one is.
    pub(super) fn optional<T>(&mut self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(name).filter(|text| !text.trim().is_empty())?;
        let value = parse(&text);
        if value.is_none() {
            self.ignored.push(describe(name, &text));
        }
        value
    }

    /// An attribute without which the element can't be shown.
    pub(super) fn required<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Malformed> {
        let text = self.text(name).ok_or_else(|| format!("no {name}"))?;
        parse(&text).ok_or_else(|| describe(name, &text))
    }

    /// Three attributes that make a position; absent unless all are there.
    pub(super) fn optional_position(&mut self, names: [&str; 3]) -> Option<Vec3Int> {
        let [x, y, z] = names.map(|name| self.optional(name, integer));
        Some(Vec3Int::new(x?, y?, z?))
    }

    pub(super) fn position(&self, names: [&str; 3]) -> Result<Vec3Int, Malformed> {
        let [x, y, z] = names.map(|name| self.required(name, integer));
        Ok(Vec3Int::new(x?, y?, z?))
    }

    /// `color.r`, `.g`, `.b`, `.a` (1 where absent); empty texts are no colour.
    pub(super) fn color(&mut self) -> Option<[f32; 4]> {
        let [r, g, b, a] = COLOR_NAMES.map(|name| self.optional(name, number));
        // Narrowing is what is wanted: a colour has at most 16 bits a channel.
        Some([r?, g?, b?, a.unwrap_or(1.0)].map(|channel| channel as f32))
    }
}

/// Attributes of a colour.
pub(super) const COLOR_NAMES: [&str; 4] = ["color.r", "color.g", "color.b", "color.a"];

fn describe(name: &str, text: &str) -> Malformed {
    format!("{name} {:?} can't be understood", shortened(text, 40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_exact_and_decimals_rounded() {
        let cases = [("7", Some(7)), (" 1.0 ", Some(1)), ("-2.6", Some(-3)), ("9223372036854775807", Some(i64::MAX)), ("1e3", Some(1000))];
        let bad = ["", "x", "NaN", "inf", "1e300", "1,0", "0x10"].map(|text| (text, None));
        for (text, value) in cases.into_iter().chain(bad) {
            assert_eq!(integer(text), value, "{text}");
        }
    }

    #[test]
    fn segment_ids_keep_all_their_bits() {
        let cases = [
            ("9007199254740993", Some((1 << 53) + 1)),
            ("18446744073709551615", Some(u64::MAX)),
            ("-1", Some(u64::MAX)),
            ("-9223372036854775808", Some(1 << 63)),
            ("18446744073709551616", None),
            ("1.0", None),
            ("", None),
        ];
        for (text, value) in cases {
            assert_eq!(segment_id(text), value, "{text}");
        }
    }
}
