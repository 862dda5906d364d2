//! [`VoxelSize`]: how large a mag-1 voxel is, with its unit.

use std::fmt;

/// A unit of length, as datasets name it. Index into the table below, so that equality is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LengthUnit(usize);

/// Long name in metadata, symbol as shown, metres.
const UNITS: [(&str, &str, f64); 27] = [
    ("yoctometer", "ym", 1e-24),
    ("zeptometer", "zm", 1e-21),
    ("attometer", "am", 1e-18),
    ("femtometer", "fm", 1e-15),
    ("picometer", "pm", 1e-12),
    ("angstrom", "Å", 1e-10),
    ("nanometer", "nm", 1e-9),
    ("micrometer", "µm", 1e-6),
    ("millimeter", "mm", 1e-3),
    ("centimeter", "cm", 1e-2),
    ("decimeter", "dm", 1e-1),
    ("meter", "m", 1.0),
    ("dekameter", "dam", 1e1),
    ("hectometer", "hm", 1e2),
    ("kilometer", "km", 1e3),
    ("megameter", "Mm", 1e6),
    ("gigameter", "Gm", 1e9),
    ("terameter", "Tm", 1e12),
    ("petameter", "Pm", 1e15),
    ("exameter", "Em", 1e18),
    ("zettameter", "Zm", 1e21),
    ("yottameter", "Ym", 1e24),
    ("inch", "in", 0.0254),
    ("foot", "ft", 0.3048),
    ("yard", "yd", 0.9144),
    ("mile", "mi", 1609.344),
    ("parsec", "pc", 3.085_677_581_491_367e16),
];

/// Other spellings found in files, lower case.
const ALIASES: [(&str, &str); 10] = [
    ("micron", "micrometer"),
    ("microns", "micrometer"),
    ("um", "micrometer"),
    ("μm", "micrometer"), // Greek small mu; the table has the micro sign
    ("å", "angstrom"),
    ("a", "angstrom"),
    ("ångström", "angstrom"),
    ("inches", "inch"),
    ("feet", "foot"),
    ("decameter", "dekameter"),
];

impl LengthUnit {
    /// The unit of datasets that name none.
    pub const NANOMETER: Self = Self(6);

    /// The unit that a name or symbol in a file means, `None` where it is no length (`pixel`, blank).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // Symbols differ in case (`mm`, `Mm`), so they are tried as they stand first.
        if let Some(i) = UNITS.iter().position(|(_, symbol, _)| *symbol == text) {
            return Some(Self(i));
        }
        let lower = text.to_lowercase().replace("metre", "meter");
        let name = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |(_, name)| name);
        let singular = name.strip_suffix('s').unwrap_or(name);
        UNITS.iter().position(|(long, symbol, _)| *long == name || *long == singular || symbol.to_lowercase() == name).map(Self)
    }

    /// Long name, as in `datasource-properties.json`.
    pub fn name(self) -> &'static str {
        UNITS[self.0].0
    }

    /// Short symbol, as shown.
    pub fn symbol(self) -> &'static str {
        UNITS[self.0].1
    }

    /// Metres in one unit.
    pub fn meters(self) -> f64 {
        UNITS[self.0].2
    }
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Edge lengths of a mag-1 voxel along x, y, z. Each is finite and positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelSize {
    factors: [f64; 3],
    /// Unit of the factors; `None` where the dataset gives none, so that lengths are in voxels.
    pub unit: Option<LengthUnit>,
}

impl VoxelSize {
    /// Cubes of one voxel without a physical length: what is shown when a dataset has no usable size.
    pub const VOXELS: Self = Self { factors: [1.0; 3], unit: None };

    /// A voxel size, `None` unless each length is finite, positive and within 1e-30 to 1e30.
    pub fn new(factors: [f64; 3], unit: Option<LengthUnit>) -> Option<Self> {
        // The bounds keep ratios of two lengths finite and far from denormals.
        factors.iter().all(|f| (1e-30..=1e30).contains(f)).then_some(Self { factors, unit })
    }

    /// Lengths along x, y, z in `unit`.
    pub const fn factors(&self) -> [f64; 3] {
        self.factors
    }

    /// The smallest of the three lengths: one screen pixel at zoom 1.
    pub fn base(&self) -> f64 {
        self.factors.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// How many times longer than the smallest length the voxel is along `axis`.
    pub fn anisotropy(&self, axis: usize) -> f64 {
        self.factors[axis] / self.base()
    }

    /// Symbol of the unit, `vx` without one.
    pub fn unit_symbol(&self) -> &'static str {
        self.unit.map_or("vx", LengthUnit::symbol)
    }
}

impl fmt::Display for VoxelSize {
    /// In the dataset's unit, or in one that makes the numbers readable: 1 mm instead of 1000000 nm.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = *self;
        if let Some(unit) = self.unit
            && !(0.01..10_000.0).contains(&self.base())
        {
            const READABLE: [&str; 6] = ["picometer", "nanometer", "micrometer", "millimeter", "meter", "kilometer"];
            let mut units = READABLE.into_iter().rev().filter_map(LengthUnit::parse);
            if let Some(better) = units.find(|better| better.meters() <= self.base() * unit.meters() * 1.000_001) {
                shown = Self { factors: self.factors.map(|f| f * unit.meters() / better.meters()), unit: Some(better) };
            }
        }
        // Six digits hide the noise of the conversion.
        let [x, y, z] = shown.factors.map(|f| format!("{f:.6}").trim_end_matches('0').trim_end_matches('.').to_owned());
        write!(f, "{x} × {y} × {z} {}", shown.unit_symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_recognised_in_every_spelling() {
        let cases = [
            ("nanometer", "nm"),
            ("nanometers", "nm"),
            ("nm", "nm"),
            ("um", "µm"),
            ("µm", "µm"),
            ("μm", "µm"),
            ("micron", "µm"),
            ("Micrometre", "µm"),
            ("mm", "mm"),
            ("Mm", "Mm"),
            ("angstrom", "Å"),
            ("inch", "in"),
            ("parsec", "pc"),
            (" meter ", "m"),
        ];
        for (text, symbol) in cases {
            assert_eq!(LengthUnit::parse(text).map(LengthUnit::symbol), Some(symbol), "{text:?}");
        }
        for text in ["", "pixel", "px", "second"] {
            assert_eq!(LengthUnit::parse(text), None, "{text:?}");
        }
        assert_eq!(LengthUnit::NANOMETER.name(), "nanometer");
    }

    #[test]
    fn absurd_sizes_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(VoxelSize::new([1.0, bad, 1.0], None), None, "{bad}");
        }
    }

    #[test]
    fn sizes_are_shown_in_readable_units() {
        let shown = |factors, unit: &str| VoxelSize::new(factors, LengthUnit::parse(unit)).expect("valid").to_string();
        assert_eq!(shown([11.24, 11.24, 28.0], "nm"), "11.24 × 11.24 × 28 nm");
        assert_eq!(shown([1e6, 1e6, 2e6], "nm"), "1 × 1 × 2 mm");
        assert_eq!(shown([0.004, 0.004, 0.035], "µm"), "4 × 4 × 35 nm");
        assert_eq!(VoxelSize::VOXELS.to_string(), "1 × 1 × 1 vx");
    }

    #[test]
    fn anisotropy_is_relative_to_the_shortest_edge() {
        let size = VoxelSize::new([11.24, 11.24, 28.0], Some(LengthUnit::NANOMETER)).expect("valid");
        assert!((size.anisotropy(2) - 2.491).abs() < 1e-3);
    }
}
