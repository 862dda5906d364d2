//! Types of elements and fill values, as Zarr 2 and 3 write them.

use crate::voxel::ElementClass;
use half::f16;
use serde_json::Value;

/// The class of a Zarr 2 `dtype` such as `<u2`, and whether elements are big-endian.
///
/// Structured types, strings, times and complex numbers aren't supported; neither are several bytes without
/// a byte order.
pub fn class_from_dtype(dtype: &str) -> Option<(ElementClass, bool)> {
    let (order, kind) = match dtype.chars().next()? {
        order @ ('<' | '>' | '|') => (Some(order), &dtype[1..]),
        _ => (None, dtype),
    };
    let class = match kind {
        "b1" => ElementClass::Bool,
        "u1" => ElementClass::Uint8,
        "u2" => ElementClass::Uint16,
        "u4" => ElementClass::Uint32,
        "u8" => ElementClass::Uint64,
        "i1" => ElementClass::Int8,
        "i2" => ElementClass::Int16,
        "i4" => ElementClass::Int32,
        "i8" => ElementClass::Int64,
        "f2" => ElementClass::Float16,
        "f4" => ElementClass::Float32,
        "f8" => ElementClass::Float64,
        _ => return None,
    };
    match order {
        Some('>') => Some((class, true)),
        Some('<') => Some((class, false)),
        Some(_) | None => (class.byte_len() == 1).then_some((class, false)),
    }
}

/// Little-endian bytes of a fill value: a number, a boolean, `null` (0), `"NaN"`, `"Infinity"`, `"-Infinity"`,
/// a number in quotes, or the bit pattern in hex (`"0x7fc00000"`). `None` if it doesn't fit the class.
pub fn fill_bytes(value: &Value, class: ElementClass) -> Option<Vec<u8>> {
    match value {
        Value::Null => Some(vec![0; class.byte_len()]),
        Value::Bool(set) => number_bytes(&u8::from(*set).to_string(), class),
        Value::Number(number) => number_bytes(&number.to_string(), class),
        Value::String(text) => text_bytes(text.trim(), class),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn text_bytes(text: &str, class: ElementClass) -> Option<Vec<u8>> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let bits = u64::from_str_radix(hex, 16).ok()?;
        let bytes = bits.to_le_bytes();
        let (value, rest) = bytes.split_at(class.byte_len());
        return rest.iter().all(|byte| *byte == 0).then(|| value.to_vec());
    }
    match text {
        "" => Some(vec![0; class.byte_len()]),
        "true" | "True" => number_bytes("1", class),
        "false" | "False" => number_bytes("0", class),
        _ => number_bytes(text, class),
    }
}

/// Bytes of a number's text. `f64` parses `NaN` and `Infinity` in any case.
fn number_bytes(text: &str, class: ElementClass) -> Option<Vec<u8>> {
    fn whole<T: TryFrom<i128>>(text: &str) -> Option<T> {
        let number = text.parse::<i128>().ok().or_else(|| {
            let float: f64 = text.parse().ok()?;
            (float.fract() == 0.0 && float.abs() < 2e19).then_some(float as i128)
        });
        T::try_from(number?).ok()
    }
    let bytes = match class {
        ElementClass::Bool => vec![u8::from(text.parse::<f64>().ok()? != 0.0)],
        ElementClass::Uint8 => whole::<u8>(text)?.to_le_bytes().to_vec(),
        ElementClass::Uint16 => whole::<u16>(text)?.to_le_bytes().to_vec(),
        ElementClass::Uint32 => whole::<u32>(text)?.to_le_bytes().to_vec(),
        ElementClass::Uint64 => whole::<u64>(text)?.to_le_bytes().to_vec(),
        ElementClass::Int8 => whole::<i8>(text)?.to_le_bytes().to_vec(),
        ElementClass::Int16 => whole::<i16>(text)?.to_le_bytes().to_vec(),
        ElementClass::Int32 => whole::<i32>(text)?.to_le_bytes().to_vec(),
        ElementClass::Int64 => whole::<i64>(text)?.to_le_bytes().to_vec(),
        ElementClass::Float16 => f16::from_f64(text.parse().ok()?).to_le_bytes().to_vec(),
        ElementClass::Float32 => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
        ElementClass::Float64 => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
    };
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn byte_orders_of_dtypes() {
        assert_eq!(class_from_dtype("<u2"), Some((ElementClass::Uint16, false)));
        assert_eq!(class_from_dtype(">f8"), Some((ElementClass::Float64, true)));
        assert_eq!(class_from_dtype("|b1"), Some((ElementClass::Bool, false)));
        assert_eq!(class_from_dtype("u1"), Some((ElementClass::Uint8, false)));
        for bad in ["", "u2", "|u4", "<c8", "<U4", "|S1", "é1"] {
            assert_eq!(class_from_dtype(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_spelling_of_fill_values() {
        let nan = f32::NAN.to_le_bytes().to_vec();
        let cases = [
            (json!(7), ElementClass::Uint8, Some(vec![7])),
            (json!(7.0), ElementClass::Uint16, Some(vec![7, 0])),
            (json!("7"), ElementClass::Uint8, Some(vec![7])),
            (json!(null), ElementClass::Float64, Some(vec![0; 8])),
            (json!(true), ElementClass::Bool, Some(vec![1])),
            (json!("NaN"), ElementClass::Float32, Some(nan.clone())),
            (json!("0x7fc00000"), ElementClass::Float32, Some(nan)),
            (json!("-Infinity"), ElementClass::Float64, Some(f64::NEG_INFINITY.to_le_bytes().to_vec())),
            (json!("Infinity"), ElementClass::Float16, Some(vec![0, 0x7c])),
            (json!("0xff"), ElementClass::Int8, Some(vec![0xff])),
            (json!(u64::MAX), ElementClass::Uint64, Some(vec![0xff; 8])),
            (json!(i64::MIN), ElementClass::Int64, Some(i64::MIN.to_le_bytes().to_vec())),
            (json!(256), ElementClass::Uint8, None),
            (json!(-1), ElementClass::Uint8, None),
            (json!("0x1ff"), ElementClass::Uint8, None),
            (json!("NaN"), ElementClass::Uint8, None),
            (json!([0]), ElementClass::Uint8, None),
        ];
        for (value, class, expected) in cases {
            assert_eq!(fill_bytes(&value, class), expected, "{value} {class}");
        }
    }
}
