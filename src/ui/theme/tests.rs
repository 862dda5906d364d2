//! What the design promises in numbers, computed from the tokens and the bundled fonts.

use egui::epaint::text::{Fonts, TextOptions};
use egui::{Color32, FontId, Theme};

use super::{Tokens, color::contrast_ratio, fonts, icons};

const READABLE: f32 = 4.5;

fn themes() -> [(&'static str, &'static Tokens); 2] {
    [("dark", Tokens::of_theme(Theme::Dark)), ("light", Tokens::of_theme(Theme::Light))]
}

fn assert_readable(theme: &str, texts: &[(&str, Color32)], grounds: &[(&str, Color32)]) {
    for (text_name, text) in texts {
        for (ground_name, ground) in grounds {
            let ratio = contrast_ratio(*text, *ground);
            assert!(ratio >= READABLE, "{theme}: {text_name} on {ground_name} has {ratio:.2}");
        }
    }
}

#[test]
fn text_is_readable_on_every_ground() {
    for (theme, t) in themes() {
        assert_readable(
            theme,
            &[("t1", t.t1), ("t2", t.t2), ("t3", t.t3), ("acctx", t.acctx)],
            &[("bg0", t.bg0), ("bg1", t.bg1), ("bg2", t.bg2), ("bg3", t.bg3), ("bg4", t.bg4), ("accbg", t.accbg)],
        );
    }
}

#[test]
fn severities_are_readable_on_inputs_panels_and_buttons() {
    for (theme, t) in themes() {
        assert_readable(
            theme,
            &[("warn", t.warn), ("err", t.err), ("ok", t.ok), ("info", t.info)],
            &[("bg0", t.bg0), ("bg2", t.bg2), ("bg3", t.bg3)],
        );
    }
}

#[test]
fn text_is_readable_on_accent_and_notices() {
    for (theme, t) in themes() {
        assert_readable(theme, &[("acct", t.acct)], &[("acc", t.acc)]);
        assert_readable(theme, &[("t1", t.t1)], &[("errbg", t.errbg), ("warnbg", t.warnbg), ("card", t.card)]);
    }
}

#[test]
fn digits_share_one_advance() {
    let mut fonts = Fonts::new(TextOptions::default(), fonts::definitions());
    let mut view = fonts.with_pixels_per_point(1.0);
    for font in [fonts::control(), fonts::control_medium(), fonts::section(), fonts::mono()] {
        // Large enough that rounding to pixels can't hide a difference.
        let font = FontId::new(1000.0, font.family);
        let widths: Vec<f32> = ('0'..='9').map(|digit| view.glyph_width(&font, digit)).collect();
        let widest = widths.iter().copied().fold(f32::MIN, f32::max);
        let narrowest = widths.iter().copied().fold(f32::MAX, f32::min);
        assert!(widest - narrowest <= 0.002 * widest, "{font:?}: {widths:?}");
    }
}

#[test]
fn every_icon_has_a_glyph_in_the_bundled_font() {
    let mut definitions = egui::FontDefinitions::empty();
    definitions.font_data.insert("phosphor".to_owned(), std::sync::Arc::new(egui::FontData::from_static(fonts::PHOSPHOR)));
    for family in [egui::FontFamily::Proportional, egui::FontFamily::Monospace] {
        definitions.families.insert(family, vec!["phosphor".to_owned()]);
    }
    let mut fonts = Fonts::new(TextOptions::default(), definitions);
    let mut view = fonts.with_pixels_per_point(1.0);
    let font = FontId::new(16.0, egui::FontFamily::Proportional);
    for (name, icon) in icons::ALL {
        assert!(view.has_glyphs(&font, icon.as_str()), "{name}");
    }
}

#[test]
fn signs_used_in_texts_are_in_the_text_font() {
    let mut fonts = Fonts::new(TextOptions::default(), fonts::definitions());
    let mut view = fonts.with_pixels_per_point(1.0);
    for sign in "×·–…µ→²³▲▼●±≤".chars() {
        assert!(view.has_glyph(&fonts::control(), sign), "{sign}");
    }
}
