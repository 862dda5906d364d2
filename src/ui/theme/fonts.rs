//! The bundled fonts as families, and the font of each text style.
//!
//! Weights are families of their own, since egui can't choose among static weights. Order in each
//! family: text font, icon font, egui's defaults for other scripts. The fonts are made by
//! `assets/fonts/make_fonts.py`, their licences lie beside them.

use std::sync::{Arc, LazyLock};

use egui::epaint::text::FontTweak;
use egui::{FontData, FontDefinitions, FontFamily, FontId};

const INTER_REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
const INTER_MEDIUM: &[u8] = include_bytes!("../../../assets/fonts/Inter-Medium.otf");
const INTER_SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");
const JETBRAINS_MONO: &[u8] = include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf");
pub(super) const PHOSPHOR: &[u8] = include_bytes!("../../../assets/fonts/Phosphor-subset.ttf");

/// Licence texts of the bundled fonts by font name, for Help.
pub const LICENSES: [(&str, &str); 3] = [
    ("Inter", include_str!("../../../assets/fonts/LICENSE-Inter.txt")),
    ("JetBrains Mono", include_str!("../../../assets/fonts/LICENSE-JetBrainsMono.txt")),
    ("Phosphor Icons", include_str!("../../../assets/fonts/LICENSE-Phosphor.txt")),
];

// Naming a family allocates, and widgets ask for their font every frame.
static MEDIUM: LazyLock<FontFamily> = LazyLock::new(|| FontFamily::Name("medium".into()));
static SEMI_BOLD: LazyLock<FontFamily> = LazyLock::new(|| FontFamily::Name("semibold".into()));
static ICONS: LazyLock<FontFamily> = LazyLock::new(|| FontFamily::Name("icons".into()));

/// SemiBold 24, row 32: the welcome page only.
pub fn display() -> FontId {
    FontId::new(24.0, SEMI_BOLD.clone())
}

/// Regular 13, row 20: names of datasets and layers.
pub fn body() -> FontId {
    FontId::new(13.0, FontFamily::Proportional)
}

/// Medium 13, row 20: a name that stands out.
pub fn body_medium() -> FontId {
    FontId::new(13.0, MEDIUM.clone())
}

/// Regular 12, row 16: buttons, rows, values, status bar.
pub fn control() -> FontId {
    FontId::new(12.0, FontFamily::Proportional)
}

/// Medium 12, row 16: values in stat cells, first line of a problem.
pub fn control_medium() -> FontId {
    FontId::new(12.0, MEDIUM.clone())
}

/// SemiBold 12, row 16: section titles.
pub fn section() -> FontId {
    FontId::new(12.0, SEMI_BOLD.clone())
}

/// Regular 11, row 16: axes, chips, plates, table heads.
pub fn small() -> FontId {
    FontId::new(11.0, FontFamily::Proportional)
}

/// SemiBold 11, row 16: tags of planes, counts on tabs.
pub fn small_semi_bold() -> FontId {
    FontId::new(11.0, SEMI_BOLD.clone())
}

/// Mono 12, row 18: paths, exact values, log.
pub fn mono() -> FontId {
    FontId::new(12.0, FontFamily::Monospace)
}

/// Mono 11, row 18: hex dump, paths in small print.
pub fn hex() -> FontId {
    FontId::new(11.0, FontFamily::Monospace)
}

/// The icon font.
pub fn icon(size: f32) -> FontId {
    FontId::new(size, ICONS.clone())
}

/// All fonts and families, on top of egui's defaults.
pub fn definitions() -> FontDefinitions {
    let mut definitions = FontDefinitions::default();
    let fallbacks = |family: &FontFamily, definitions: &FontDefinitions| definitions.families.get(family).cloned().unwrap_or_default();
    let proportional = fallbacks(&FontFamily::Proportional, &definitions);
    let monospace = fallbacks(&FontFamily::Monospace, &definitions);

    // egui makes U+2009 half a space wide; digits grouped by that run together.
    let text_tweak = FontTweak { thin_space_width: 0.75, ..FontTweak::default() };
    let icon_tweak = FontTweak { subpixel_binning: Some(false), hinting: Some(false), ..FontTweak::default() };
    for (name, bytes, tweak) in [
        ("inter", INTER_REGULAR, text_tweak.clone()),
        ("inter-medium", INTER_MEDIUM, text_tweak.clone()),
        ("inter-semibold", INTER_SEMI_BOLD, text_tweak),
        ("jetbrains-mono", JETBRAINS_MONO, FontTweak::default()),
        ("phosphor", PHOSPHOR, icon_tweak),
    ] {
        definitions.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes).tweak(tweak)));
    }
    let mut family = |family: FontFamily, fonts: &[&str], fallbacks: &[String]| {
        let names = fonts.iter().map(|&font| font.to_owned()).chain(fallbacks.iter().cloned());
        definitions.families.insert(family, names.collect());
    };
    family(FontFamily::Proportional, &["inter", "phosphor"], &proportional);
    family(MEDIUM.clone(), &["inter-medium", "phosphor"], &proportional);
    family(SEMI_BOLD.clone(), &["inter-semibold", "phosphor"], &proportional);
    family(FontFamily::Monospace, &["jetbrains-mono", "phosphor"], &monospace);
    family(ICONS.clone(), &["phosphor"], &proportional);
    definitions
}
