//! [`Channel`]: the number type of one channel, so that inner loops are made once per class.

use crate::scene::colormap::{ColorTable, Rgba};
use half::f16;

/// A byte that is false (0) or true (anything else).
#[derive(Clone, Copy)]
pub(in crate::scene) struct Truth(u8);

impl Truth {
    const fn from_le_bytes([byte]: [u8; 1]) -> Self {
        Self(byte)
    }

    const fn number(self) -> u8 {
        (self.0 != 0) as u8
    }
}

/// A number of one [`ElementClass`](crate::voxel::ElementClass).
pub(in crate::scene) trait Channel: Copy {
    /// Length in bytes.
    const LEN: usize;

    /// The little-endian number at a byte offset; `None` beyond the end.
    fn read_at(bytes: &[u8], at: usize) -> Option<Self>;

    /// The value; 64-bit integers are rounded.
    fn to_f64(self) -> f64;

    /// The value as a segment id: 64 bits, sign-extended. Floats are cut to whole numbers.
    fn id_bits(self) -> u64;

    /// Its colour in a table of this class.
    fn color(self, table: &ColorTable) -> Rgba;
}

macro_rules! channel {
    ($($number:ty: $to_f64:expr, $id:expr, $color:expr;)*) => {$(
        impl Channel for $number {
            const LEN: usize = size_of::<$number>();

            #[inline(always)]
            fn read_at(bytes: &[u8], at: usize) -> Option<Self> {
                bytes.get(at..)?.first_chunk().map(|b| <$number>::from_le_bytes(*b))
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                $to_f64(self)
            }

            #[inline(always)]
            fn id_bits(self) -> u64 {
                $id(self)
            }

            #[inline(always)]
            fn color(self, table: &ColorTable) -> Rgba {
                $color(table, self)
            }
        }
    )*};
}

channel! {
    Truth: |v: Truth| f64::from(v.number()), |v: Truth| u64::from(v.number()), |t: &ColorTable, v: Truth| t.by_byte(v.0);
    u8: f64::from, u64::from, ColorTable::by_byte;
    i8: f64::from, signed_bits, |t: &ColorTable, v: i8| t.by_byte(v.cast_unsigned());
    u16: f64::from, u64::from, wide_color;
    u32: f64::from, u64::from, wide_color;
    u64: |v: u64| v as f64, u64::from, wide_color;
    i16: f64::from, signed_bits, wide_color;
    i32: f64::from, signed_bits, wide_color;
    i64: |v: i64| v as f64, signed_bits, wide_color;
    f16: f16::to_f64, |v: f16| float_bits(v.to_f64()), wide_color;
    f32: f64::from, |v: f32| float_bits(f64::from(v)), wide_color;
    f64: f64::from, float_bits, wide_color;
}

#[inline(always)]
fn wide_color(table: &ColorTable, value: impl Channel) -> Rgba {
    table.by_value(value.to_f64())
}

#[inline(always)]
fn signed_bits(value: impl Into<i64>) -> u64 {
    value.into().cast_unsigned()
}

fn float_bits(value: f64) -> u64 {
    (value as i64).cast_unsigned() // saturates, NaN is 0
}

/// Runs an expression with `$channel` standing for the number type of a class.
macro_rules! for_class {
    ($class:expr, $channel:ident => $body:expr) => {
        match $class {
            $crate::voxel::ElementClass::Bool => {
                type $channel = $crate::scene::compose::channel::Truth;
                $body
            }
            $crate::voxel::ElementClass::Uint8 => {
                type $channel = u8;
                $body
            }
            $crate::voxel::ElementClass::Uint16 => {
                type $channel = u16;
                $body
            }
            $crate::voxel::ElementClass::Uint32 => {
                type $channel = u32;
                $body
            }
            $crate::voxel::ElementClass::Uint64 => {
                type $channel = u64;
                $body
            }
            $crate::voxel::ElementClass::Int8 => {
                type $channel = i8;
                $body
            }
            $crate::voxel::ElementClass::Int16 => {
                type $channel = i16;
                $body
            }
            $crate::voxel::ElementClass::Int32 => {
                type $channel = i32;
                $body
            }
            $crate::voxel::ElementClass::Int64 => {
                type $channel = i64;
                $body
            }
            $crate::voxel::ElementClass::Float16 => {
                type $channel = half::f16;
                $body
            }
            $crate::voxel::ElementClass::Float32 => {
                type $channel = f32;
                $body
            }
            $crate::voxel::ElementClass::Float64 => {
                type $channel = f64;
                $body
            }
        }
    };
}
pub(in crate::scene) use for_class;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_all_64_bits_and_signs_are_extended() {
        assert_eq!(u64::MAX.id_bits(), u64::MAX);
        assert_eq!(((1_u64 << 53) + 1).id_bits(), (1 << 53) + 1);
        assert_eq!((-1_i8).id_bits(), u64::MAX);
        assert_eq!((-5_i32).id_bits(), (-5_i64).cast_unsigned());
        assert_eq!(f32::NAN.id_bits(), 0);
        assert_eq!(f16::from_f32(-3.0).id_bits(), (-3_i64).cast_unsigned());
        assert_eq!([Truth(0), Truth(1), Truth(9)].map(Truth::id_bits), [0, 1, 1]);
    }

    #[test]
    fn numbers_are_little_endian_and_end_with_the_bytes() {
        assert_eq!(u16::read_at(&[9, 1, 2], 1), Some(0x0201));
        assert_eq!(u16::read_at(&[9, 1, 2], 2), None);
        assert_eq!(u16::read_at(&[9], 7), None);
    }
}
