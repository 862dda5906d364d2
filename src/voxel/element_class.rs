//! [`ElementClass`]: the number type of one channel; [`VoxelType`]: class and number of channels.

use half::f16;
use std::fmt;
use strum::IntoEnumIterator;

/// Number type of one channel of a voxel, always little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumIter)]
pub enum ElementClass {
    /// False (0) or true (1) in 8 bits; any other byte counts as true.
    Bool,
    /// Unsigned 8 bits.
    Uint8,
    /// Unsigned 16 bits.
    Uint16,
    /// Unsigned 32 bits.
    Uint32,
    /// Unsigned 64 bits.
    Uint64,
    /// Signed 8 bits.
    Int8,
    /// Signed 16 bits.
    Int16,
    /// Signed 32 bits.
    Int32,
    /// Signed 64 bits.
    Int64,
    /// IEEE 754 half precision.
    Float16,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
}

impl ElementClass {
    /// Bytes of one channel.
    pub const fn byte_len(self) -> usize {
        match self {
            Self::Bool | Self::Uint8 | Self::Int8 => 1,
            Self::Uint16 | Self::Int16 | Self::Float16 => 2,
            Self::Uint32 | Self::Int32 | Self::Float32 => 4,
            Self::Uint64 | Self::Int64 | Self::Float64 => 8,
        }
    }

    /// Name as NumPy and Zarr write it: `uint8`, `float32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float16 => "float16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
        }
    }

    /// The class of a [`Self::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::iter().find(|class| class.name() == name)
    }

    /// Whether values are floating-point numbers.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Float16 | Self::Float32 | Self::Float64)
    }

    /// Lowest and highest value of an integer class; for floats the widest range that contrast is
    /// mapped over by default (the finite range).
    pub const fn full_range(self) -> (f64, f64) {
        match self {
            Self::Bool => (0.0, 1.0),
            Self::Uint8 => (0.0, u8::MAX as f64),
            Self::Uint16 => (0.0, u16::MAX as f64),
            Self::Uint32 => (0.0, u32::MAX as f64),
            Self::Uint64 => (0.0, u64::MAX as f64),
            Self::Int8 => (i8::MIN as f64, i8::MAX as f64),
            Self::Int16 => (i16::MIN as f64, i16::MAX as f64),
            Self::Int32 => (i32::MIN as f64, i32::MAX as f64),
            Self::Int64 => (i64::MIN as f64, i64::MAX as f64),
            Self::Float16 => (-65504.0, 65504.0),
            Self::Float32 => (f32::MIN as f64, f32::MAX as f64),
            Self::Float64 => (f64::MIN, f64::MAX),
        }
    }

    /// The value of one channel as text, exact: all 64 bits of ids, all digits of floats.
    ///
    /// `bytes` holds at least [`Self::byte_len`] bytes; with fewer the text is empty.
    pub fn format_value(self, bytes: &[u8]) -> String {
        fn take<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.first_chunk::<N>().copied()
        }
        match self {
            Self::Bool => take::<1>(bytes).map(|[b]| (b != 0).to_string()),
            Self::Uint8 => take(bytes).map(|b| u8::from_le_bytes(b).to_string()),
            Self::Uint16 => take(bytes).map(|b| u16::from_le_bytes(b).to_string()),
            Self::Uint32 => take(bytes).map(|b| u32::from_le_bytes(b).to_string()),
            Self::Uint64 => take(bytes).map(|b| u64::from_le_bytes(b).to_string()),
            Self::Int8 => take(bytes).map(|b| i8::from_le_bytes(b).to_string()),
            Self::Int16 => take(bytes).map(|b| i16::from_le_bytes(b).to_string()),
            Self::Int32 => take(bytes).map(|b| i32::from_le_bytes(b).to_string()),
            Self::Int64 => take(bytes).map(|b| i64::from_le_bytes(b).to_string()),
            Self::Float16 => take(bytes).map(|b| half_text(f16::from_le_bytes(b))),
            // `Debug` prints the shortest digits that give the same bits back, and 1e30 not as 31 digits.
            Self::Float32 => take(bytes).map(|b| format!("{:?}", f32::from_le_bytes(b))),
            Self::Float64 => take(bytes).map(|b| format!("{:?}", f64::from_le_bytes(b))),
        }
        .unwrap_or_default()
    }
}

/// As `Debug` of the wider floats: the shortest digits that give the same bits back. `half` prints those of the
/// same number in single precision.
fn half_text(value: f16) -> String {
    /// Five digits tell all halves apart.
    const MAX_DIGITS: usize = 5;
    let exact = value.to_f64();
    let shorter = (0..MAX_DIGITS).filter_map(|decimals| format!("{exact:.decimals$e}").parse::<f64>().ok());
    let shortest = shorter.into_iter().find(|v| f16::from_f64(*v).to_bits() == value.to_bits());
    format!("{:?}", shortest.unwrap_or(exact))
}

impl fmt::Display for ElementClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Element class and number of channels of a voxel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VoxelType {
    /// Class of each channel.
    pub class: ElementClass,
    /// Number of channels, at least 1.
    pub channels: u32,
}

impl VoxelType {
    /// One channel of this class.
    pub const fn single(class: ElementClass) -> Self {
        Self { class, channels: 1 }
    }

    /// RGB, 8 bits each.
    pub const UINT24: Self = Self { class: ElementClass::Uint8, channels: 3 };

    /// Bytes of one voxel over all channels.
    pub const fn byte_len(self) -> usize {
        self.class.byte_len() * self.channels as usize
    }

    /// Whether the channels are shown as red, green and blue.
    pub const fn is_rgb(self) -> bool {
        self.channels == 3
    }

    /// The values of one voxel as text, separated by commas.
    pub fn format_voxel(self, bytes: &[u8]) -> String {
        let values: Vec<_> = bytes.chunks_exact(self.class.byte_len()).map(|b| self.class.format_value(b)).collect();
        values.join(", ")
    }
}

impl fmt::Display for VoxelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.class, self.channels) {
            (class, 1) => write!(f, "{class}"),
            (ElementClass::Uint8, 3) => f.write_str("uint24"),
            (class, n) => write!(f, "{n} × {class}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_floats_are_written_exactly() {
        let u64_type = ElementClass::Uint64;
        for id in [1 << 53, (1 << 53) + 1, 1 << 63, u64::MAX] {
            assert_eq!(u64_type.format_value(&u64::to_le_bytes(id)), id.to_string());
        }
        assert_eq!(ElementClass::Int64.format_value(&i64::MIN.to_le_bytes()), "-9223372036854775808");
        assert_eq!(ElementClass::Float32.format_value(&0.1_f32.to_le_bytes()), "0.1");
        assert_eq!(ElementClass::Float32.format_value(&f32::NAN.to_le_bytes()), "NaN");
        assert_eq!(ElementClass::Float64.format_value(&1e300_f64.to_le_bytes()), "1e300");
        assert_eq!(ElementClass::Float32.format_value(&(-0.0_f32).to_le_bytes()), "-0.0");
    }

    #[test]
    fn halves_are_written_with_the_fewest_digits_that_give_the_same_bits_back() {
        let text = |bits: u16| ElementClass::Float16.format_value(&bits.to_le_bytes());
        let cases =
            [(0x2e66, "0.1"), (0x3c00, "1.0"), (0x8000, "-0.0"), (0x7c00, "inf"), (0xfc00, "-inf"), (0x7e00, "NaN"), (0x0001, "6e-8")];
        for (bits, expected) in cases {
            assert_eq!(text(bits), expected, "{bits:#06x}");
        }
        for bits in (0..=u16::MAX).filter(|bits| !f16::from_bits(*bits).is_nan()) {
            let parsed: f64 = text(bits).parse().expect("a number");
            assert_eq!(f16::from_f64(parsed).to_bits(), bits, "{}", text(bits));
        }
    }

    #[test]
    fn any_byte_but_zero_is_true() {
        assert_eq!([0, 1, 7].map(|b| ElementClass::Bool.format_value(&[b])), ["false", "true", "true"]);
    }

    #[test]
    fn rgb_is_three_values() {
        assert_eq!(VoxelType::UINT24.format_voxel(&[1, 20, 255]), "1, 20, 255");
        assert_eq!(VoxelType::UINT24.to_string(), "uint24");
    }
}
