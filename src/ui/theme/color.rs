//! Colour arithmetic: interpolation along ramps, and contrast as WCAG 2 defines it.

use egui::Color32;

/// A colour written as `0xRRGGBB`.
pub(super) const fn rgb(hex: u32) -> Color32 {
    let [_, red, green, blue] = hex.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

/// The colour at `position` (0 to 1, clamped) of a ramp with evenly spaced stops, interpolated in
/// sRGB. An empty ramp is transparent, and `NaN` counts as 0.
pub fn ramp_color(stops: &[Color32], position: f32) -> Color32 {
    let Some(last) = stops.len().checked_sub(1) else {
        return Color32::TRANSPARENT;
    };
    let scaled = position.clamp(0.0, 1.0).max(0.0) * last as f32;
    let index = (scaled as usize).min(last);
    let next = (index + 1).min(last);
    mix(stops[index], stops[next], scaled - index as f32)
}

/// Mixes two opaque colours in sRGB; `amount` 0 is `from`, 1 is `to`.
pub fn mix(from: Color32, to: Color32, amount: f32) -> Color32 {
    let channel = |a: u8, b: u8| {
        let (a, b) = (f32::from(a), f32::from(b));
        (a + (b - a) * amount).round() as u8 // saturates, which is what a channel should do
    };
    Color32::from_rgb(channel(from.r(), to.r()), channel(from.g(), to.g()), channel(from.b(), to.b()))
}

/// The same colour with an opacity between 0 and 1.
pub fn with_opacity(color: Color32, opacity: f32) -> Color32 {
    color.gamma_multiply(opacity)
}

/// Contrast of two opaque colours, 1 to 21 ([WCAG 2](https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)).
pub fn contrast_ratio(a: Color32, b: Color32) -> f32 {
    let (a, b) = (relative_luminance(a), relative_luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The text colour of `candidates` that stands out most from `ground`, for text on colours that
/// come from data, such as segment colours.
pub fn most_readable(ground: Color32, candidates: [Color32; 2]) -> Color32 {
    let [first, second] = candidates;
    if contrast_ratio(ground, first) >= contrast_ratio(ground, second) { first } else { second }
}

fn relative_luminance(color: Color32) -> f32 {
    let linear = |channel: u8| {
        let channel = f32::from(channel) / 255.0;
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMP: [Color32; 3] = [rgb(0x000000), rgb(0x646464), rgb(0xc8c8c8)];

    #[test]
    fn ramp_meets_its_stops_and_clamps_outside() {
        for (position, expected) in
            [(-1.0, RAMP[0]), (0.0, RAMP[0]), (0.25, rgb(0x323232)), (0.5, RAMP[1]), (1.0, RAMP[2]), (7.0, RAMP[2]), (f32::NAN, RAMP[0])]
        {
            assert_eq!(ramp_color(&RAMP, position), expected, "at {position}");
        }
        assert_eq!(ramp_color(&[], 0.5), Color32::TRANSPARENT);
    }

    #[test]
    fn black_on_white_has_the_highest_contrast() {
        let ratio = contrast_ratio(Color32::BLACK, Color32::WHITE);
        assert!((ratio - 21.0).abs() < 0.01, "{ratio}");
    }
}
