//! The value axis of time plots: round ticks, and a top that is held so that the scale doesn't jump.

/// How long a top stays after the values have fallen, in seconds.
const HOLD_SECS: f64 = 10.0;

/// The top of an axis that starts at 0, in round steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisTop {
    /// The highest tick.
    pub top: f64,
    /// Distance between ticks; two or three of them make the top.
    pub step: f64,
}

/// The smallest round top at or above `peak`: two or three steps of 1, 2, 2.5 or 5 times a power of
/// ten. A peak that is not positive gives 1.
pub fn nice_top(peak: f64) -> AxisTop {
    let peak = if peak.is_finite() && peak > 0.0 { peak } else { 1.0 };
    // A little tolerance, or 0.3 needs a step more than 3 × 0.1.
    let reaches = |top: f64| top >= peak * (1.0 - 1e-9);
    let base = 10.0_f64.powf((peak / 3.0).log10().floor());
    let mut best: Option<AxisTop> = None;
    for factor in [1.0, 2.0, 2.5, 5.0, 10.0, 20.0] {
        for count in [2.0, 3.0] {
            let step = base * factor;
            let candidate = AxisTop { top: step * count, step };
            if reaches(candidate.top) && best.is_none_or(|best| candidate.top < best.top) {
                best = Some(candidate);
            }
        }
    }
    best.unwrap_or(AxisTop { top: peak, step: peak / 2.0 })
}

/// Keeps the top of an axis for ten seconds after the values have fallen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldTop {
    held: AxisTop,
    needed_at_secs: f64,
}

impl HeldTop {
    /// Starts with the top that `peak` needs.
    pub fn new(peak: f64, now_secs: f64) -> Self {
        Self { held: nice_top(peak), needed_at_secs: now_secs }
    }

    /// The top for this frame, given the highest value in view and the time.
    pub fn update(&mut self, peak: f64, now_secs: f64) -> AxisTop {
        let needed = nice_top(peak);
        if needed.top >= self.held.top || now_secs - self.needed_at_secs >= HOLD_SECS {
            self.held = needed;
            self.needed_at_secs = now_secs;
        }
        self.held
    }
}

/// The text of a tick: as many digits as the step needs, thin spaces from five digits on.
pub(super) fn tick_text(value: f64, step: f64) -> String {
    let decimals = (0..6).find(|&digits| {
        let scaled = step * 10.0_f64.powi(digits);
        (scaled - scaled.round()).abs() < 1e-6
    });
    let text = format!("{value:.*}", usize::try_from(decimals.unwrap_or(6)).unwrap_or(6));
    if value.abs() < 10_000.0 {
        return text;
    }
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::with_capacity(text.len() + 8);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// Ticks of the time axis: seconds ago and text, from the left to the right.
pub(super) fn time_ticks(span_secs: f32) -> [(f32, String); 5] {
    [1.0, 0.75, 0.5, 0.25, 0.0].map(|part| {
        let age = span_secs * part;
        let in_minutes = span_secs > 120.0;
        let shown = if in_minutes { age / 60.0 } else { age };
        let step = if shown.fract() == 0.0 { 1.0 } else { 0.5 };
        let number = tick_text(f64::from(shown), step);
        let text = match (part, in_minutes) {
            (0.0, _) => "now".to_owned(),
            (1.0, true) => format!("{number} min"),
            (1.0, false) => format!("{number} s"),
            (_, _) => number,
        };
        (age, text)
    })
}
