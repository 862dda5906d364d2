//! [`Number`]: the value of one channel whatever its class, to compare values of different classes.

use super::ElementClass;
use half::f16;

/// An exact value. Two of them are equal exactly if the numbers are: 3 as `uint8` and 3.0 as `float32`, also -0 and 0.
/// Anything that isn't a number equals anything else that isn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A whole number within the range of the integer classes.
    Whole(i128),
    /// Any other number by its bits in double precision.
    Other(u64),
}

impl Number {
    /// As a floating-point number, rounded where it has more than 53 bits.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Whole(n) => n as f64,
            Self::Other(bits) => f64::from_bits(bits),
        }
    }

    fn from_float(value: f64) -> Self {
        /// Beyond the integer classes, exact in double precision.
        const LIMIT: f64 = 18_446_744_073_709_551_616.0;
        if value.is_nan() {
            Self::Other(f64::NAN.to_bits())
        } else if value.fract() == 0.0 && value.abs() < LIMIT {
            Self::Whole(value as i128) // exact: whole and in range
        } else {
            Self::Other(value.to_bits())
        }
    }
}

impl ElementClass {
    /// The value of one channel; `None` if there are fewer than [`Self::byte_len`] bytes.
    pub fn number(self, bytes: &[u8]) -> Option<Number> {
        fn take<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.first_chunk::<N>().copied()
        }
        Some(match self {
            Self::Bool => Number::Whole((take::<1>(bytes)? != [0]).into()),
            Self::Uint8 => Number::Whole(u8::from_le_bytes(take(bytes)?).into()),
            Self::Uint16 => Number::Whole(u16::from_le_bytes(take(bytes)?).into()),
            Self::Uint32 => Number::Whole(u32::from_le_bytes(take(bytes)?).into()),
            Self::Uint64 => Number::Whole(u64::from_le_bytes(take(bytes)?).into()),
            Self::Int8 => Number::Whole(i8::from_le_bytes(take(bytes)?).into()),
            Self::Int16 => Number::Whole(i16::from_le_bytes(take(bytes)?).into()),
            Self::Int32 => Number::Whole(i32::from_le_bytes(take(bytes)?).into()),
            Self::Int64 => Number::Whole(i64::from_le_bytes(take(bytes)?).into()),
            Self::Float16 => Number::from_float(f16::from_le_bytes(take(bytes)?).to_f64()),
            Self::Float32 => Number::from_float(f32::from_le_bytes(take(bytes)?).into()),
            Self::Float64 => Number::from_float(f64::from_le_bytes(take(bytes)?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> Option<Number> {
        ElementClass::Float64.number(&value.to_le_bytes())
    }

    #[test]
    fn numbers_of_different_classes_are_equal_if_their_values_are() {
        let id = (1_u64 << 53) + 1;
        assert_eq!(ElementClass::Uint8.number(&[3]), double(3.0));
        assert_eq!(ElementClass::Int8.number(&[0xff]), double(-1.0));
        assert_ne!(ElementClass::Uint64.number(&id.to_le_bytes()), double(id as f64));
        assert_ne!(ElementClass::Uint64.number(&u64::MAX.to_le_bytes()), ElementClass::Int64.number(&(-1_i64).to_le_bytes()));
        assert_ne!(ElementClass::Uint64.number(&u64::MAX.to_le_bytes()), double(u64::MAX as f64));
        assert_eq!(ElementClass::Float32.number(&0.5_f32.to_le_bytes()), double(0.5));
        assert_ne!(ElementClass::Float32.number(&0.1_f32.to_le_bytes()), double(0.1));
    }

    #[test]
    fn zeros_are_equal_and_so_is_all_that_is_no_number() {
        assert_eq!(double(-0.0), double(0.0));
        assert_eq!(double(f64::NAN), double(f64::from_bits(0xfff8_0000_0000_1234)));
        assert_eq!(ElementClass::Float32.number(&f32::NAN.to_le_bytes()), double(f64::NAN));
        assert_ne!(double(f64::INFINITY), double(f64::NEG_INFINITY));
        assert_eq!(ElementClass::Bool.number(&[7]), ElementClass::Uint8.number(&[1]));
    }

    #[test]
    fn too_few_bytes_are_no_number() {
        assert_eq!(ElementClass::Uint32.number(&[1, 2, 3]), None);
    }
}
