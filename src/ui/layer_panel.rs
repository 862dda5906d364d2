//! The left panel's lower part: how the selected layer looks.

use super::channel_list::channel_list_ui;
use super::theme::{Tokens, metrics, text};
use super::widgets::{CountScale, Histogram, NumberField, SectionHeader, Segmented, SliderRow, TextButton, row_label_ui};
use crate::format::LayerCategory;
use crate::scene::{self, Colormap, GAMMA_RANGE, Interpolation, LayerDisplay, ValueWindow};
use crate::state::{AppCommand, AppContext, OpenDataset, OpenLayer, UiCommand};
use crate::voxel::ElementClass;
use egui::{Align, ComboBox, Layout, Ui, vec2};
use std::ops::RangeInclusive;
use std::sync::Arc;
use strum::IntoEnumIterator as _;

/// Draws the section; what was changed is sent as a whole [`LayerDisplay`].
pub fn layer_panel_ui(ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
    let Some(layer) = open.selected() else { return };
    let mut display = layer.display.clone();
    match layer.layer().category {
        LayerCategory::Color => color_ui(ui, ctx, open.selected, layer, &mut display),
        LayerCategory::Segmentation => segmentation_ui(ui, layer, &mut display),
    }
    if display != layer.display {
        ctx.send(AppCommand::SetDisplay { layer: open.selected, display });
    }
    ui.add_space(metrics::PANEL_PADDING);
}

fn segmentation_ui(ui: &mut Ui, layer: &OpenLayer, display: &mut LayerDisplay) {
    SectionHeader::new("Display").subject(&layer.layer().name).show_plain(ui);
    ui.spacing_mut().item_spacing.y = metrics::TIGHT_GAP;
    opacity_ui(ui, display);
    let mut percent = f64::from(display.segments.pattern_opacity * 100.0).round();
    let pattern = ui.add(SliderRow::new("Pattern", &mut percent, 0.0..=100.0));
    if pattern.on_hover_text("Stripes and grids that tell segments of similar colours apart").changed() {
        Arc::make_mut(&mut display.segments).pattern_opacity = (percent / 100.0) as f32;
    }
}

fn color_ui(ui: &mut Ui, ctx: &AppContext<'_>, index: usize, layer: &OpenLayer, display: &mut LayerDisplay) {
    if layer.is_mixed() {
        channel_list_ui(ui, ctx, index, layer, display);
    }
    let channel = display.channels.get(layer.selected_channel);
    // The buttons beside it keep their room.
    let name = channel.map_or(&layer.layer().name, |channel| &channel.name);
    let subject = super::widgets::elide_middle(name, if ui.available_width() < 220.0 { 8 } else { 10 });
    SectionHeader::new("Contrast").subject(&subject).show(ui, |ui| {
        if ui.add(TextButton::quiet("Full range")).on_hover_text("All values of the type (Shift+A)").clicked() {
            ctx.send(UiCommand::FullRangeWindow);
        }
        let auto = ui.add(TextButton::quiet("Auto")).on_hover_text("The values on screen without the rarest ones (A)");
        if auto.clicked() {
            ctx.send(UiCommand::AutoWindow);
        }
    });
    ui.spacing_mut().item_spacing.y = metrics::TIGHT_GAP;
    let class = layer.layer().voxel_type.map_or(ElementClass::Uint8, |voxel_type| voxel_type.class);
    let is_single = layer.layer().voxel_type.is_none_or(|voxel_type| voxel_type.channels == 1);
    let mut contrast = Contrast::of(display, layer.selected_channel);
    let counted = ctx.feed.histogram(index, layer.selected_channel);
    if histogram_ui(ui, counted, class, &mut contrast.window) {
        ctx.send(UiCommand::AutoWindow);
    }
    ui.add_space(metrics::TIGHT_GAP);
    window_ui(ui, class, &mut contrast.window);
    ui.add_space(metrics::TIGHT_GAP);

    let mut gamma = f64::from(display.gamma);
    let (gamma_min, gamma_max) = GAMMA_RANGE;
    let gamma_row = SliderRow::new("Gamma", &mut gamma, f64::from(gamma_min)..=f64::from(gamma_max)).logarithmic().decimals(2);
    if ui.add(gamma_row).changed() {
        display.gamma = gamma as f32;
    }
    opacity_ui(ui, display);
    ui.horizontal(|ui| {
        row_label_ui(ui, "Pixels");
        Segmented::new("Pixels", &mut display.interpolation)
            .segment(Interpolation::Nearest, "Nearest")
            .segment(Interpolation::Linear, "Linear")
            .show(ui);
    });
    if is_single {
        colormap_ui(ui, display);
    }
    ui.horizontal(|ui| {
        row_label_ui(ui, "Colour");
        ui.spacing_mut().interact_size = vec2(metrics::CONTROL_HEIGHT, metrics::CONTROL_HEIGHT);
        ui.color_edit_button_srgb(&mut contrast.color).accessible_name("Colour").on_hover_text("Colour that intensities are multiplied by");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.checkbox(&mut contrast.inverted, text::control("Invert").color(Tokens::of(ui).t2));
        });
    });
    contrast.put_into(display, layer.selected_channel);
}

/// What is set for a layer as a whole, or for each of its channels where they are mixed.
#[derive(Clone, Copy, PartialEq)]
struct Contrast {
    window: ValueWindow,
    color: [u8; 3],
    inverted: bool,
}

impl Contrast {
    fn of(display: &LayerDisplay, channel: usize) -> Self {
        match display.channels.get(channel) {
            Some(channel) => Self { window: channel.window, color: channel.color, inverted: channel.inverted },
            None => Self { window: display.window, color: display.color, inverted: display.inverted },
        }
    }

    fn put_into(self, display: &mut LayerDisplay, channel: usize) {
        if self == Self::of(display, channel) {
            return;
        }
        let Self { window, color, inverted } = self;
        match Arc::make_mut(&mut display.channels).get_mut(channel) {
            Some(channel) => (channel.window, channel.color, channel.inverted) = (window, color, inverted),
            None => (display.window, display.color, display.inverted) = (window, color, inverted),
        }
    }
}

fn opacity_ui(ui: &mut Ui, display: &mut LayerDisplay) {
    let mut percent = f64::from(display.opacity * 100.0).round();
    if ui.add(SliderRow::new("Opacity", &mut percent, 0.0..=100.0)).changed() {
        display.opacity = (percent / 100.0) as f32;
    }
}

fn colormap_ui(ui: &mut Ui, display: &mut LayerDisplay) {
    ui.horizontal(|ui| {
        row_label_ui(ui, "Colormap");
        let combo =
            ComboBox::from_id_salt("colormap").selected_text(text::control(colormap_name(display.colormap))).width(ui.available_width());
        let response = combo.show_ui(ui, |ui| {
            for colormap in Colormap::iter() {
                ui.selectable_value(&mut display.colormap, colormap, text::control(colormap_name(colormap)));
            }
        });
        response.response.accessible_name("Colormap");
    });
}

fn colormap_name(colormap: Colormap) -> &'static str {
    match colormap {
        Colormap::Grey => "Grey",
        Colormap::Viridis => "Viridis",
        Colormap::Inferno => "Inferno",
    }
}

fn window_ui(ui: &mut Ui, class: ElementClass, window: &mut ValueWindow) {
    let (decimals, speed) = precision(class, *window);
    ui.horizontal(|ui| {
        let (mut min, mut max) = (window.min(), window.max());
        let width = ((ui.available_width() - metrics::GAP) / 2.0).floor().min(104.0);
        let field = |ui: &mut Ui, name, value: &mut f64| {
            ui.add(NumberField::new(name, value).prefix(name).width(width).max_decimals(decimals).speed(speed)).changed()
        };
        if field(ui, "Min", &mut min) {
            window.set_min(min);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if field(ui, "Max", &mut max) {
                window.set_max(max);
            }
        });
    });
}

/// Digits after the point of a window's ends, and how much a point of dragging changes them.
fn precision(class: ElementClass, window: ValueWindow) -> (usize, f64) {
    let span = (window.max() - window.min()).max(f64::MIN_POSITIVE);
    if !class.is_float() {
        return (0, (span / 400.0).max(0.25));
    }
    // Four digits of the span; more don't fit the field.
    let decimals = (3.0 - span.log10().floor()).clamp(0.0, 6.0);
    (decimals as usize, span / 400.0)
}

/// Answers whether the window is to be fitted to the values.
fn histogram_ui(ui: &mut Ui, counted: Option<&scene::Histogram>, class: ElementClass, window: &mut ValueWindow) -> bool {
    let range = shown_range(class, counted.map(|histogram| histogram.range), *window);
    let bins = counted.map_or_else(Vec::new, |histogram| bins_over(&without_peaks_at_the_ends(&histogram.bins), histogram.range, &range));
    let output = Histogram::new(&bins, range, (window.min(), window.max())).scale(CountScale::Linear).show(ui);
    let is_fitted = output.response.double_clicked();
    if let Some((min, max)) = output.window.filter(|_| !is_fitted) {
        let round = |value: f64| if class.is_float() { value } else { value.round() };
        *window = ValueWindow::new(round(min), round(max));
    }
    output.response.on_hover_text("Values on screen. Drag the handles; double-click fits them to the values");
    is_fitted
}

/// What the histogram spans: all of an 8-bit type, else what occurs and what is chosen. A window far wider
/// than the values isn't shown whole, or the values would be one bar.
fn shown_range(class: ElementClass, counted: Option<(f64, f64)>, window: ValueWindow) -> RangeInclusive<f64> {
    const MOST_BESIDE: f64 = 4.0;
    if class.byte_len() == 1 {
        let (min, max) = class.full_range();
        return min..=max;
    }
    let (low, high) = match counted.filter(|(low, high)| high > low) {
        Some((low, high)) => {
            let beside = MOST_BESIDE * (high - low);
            (low.min(window.min()).max(low - beside), high.max(window.max()).min(high + beside))
        }
        None => (window.min(), window.max()),
    };
    if high > low { low..=high } else { low..=low + 1.0 }
}

/// Ends hold what lies beyond, and background: they are at most as high as the highest of the others, or
/// those would be flat.
fn without_peaks_at_the_ends(bins: &[u64]) -> Vec<u64> {
    let mut capped = bins.to_vec();
    if let [first, inner @ .., last] = capped.as_mut_slice()
        && let Some(highest) = inner.iter().copied().max().filter(|highest| *highest > 0)
    {
        *first = highest.min(*first);
        *last = highest.min(*last);
    }
    capped
}

/// The bins of one range laid over another, as many; each goes where its middle lies.
fn bins_over(bins: &[u64], from: (f64, f64), to: &RangeInclusive<f64>) -> Vec<u64> {
    if from == (*to.start(), *to.end()) || bins.is_empty() {
        return bins.to_vec();
    }
    let mut laid = vec![0_u64; bins.len()];
    let (from_width, to_width) = ((from.1 - from.0) / bins.len() as f64, (to.end() - to.start()) / bins.len() as f64);
    for (index, bin) in bins.iter().enumerate() {
        let middle = from.0 + (index as f64 + 0.5) * from_width;
        let at = ((middle - to.start()) / to_width).max(0.0) as usize;
        laid[at.min(bins.len() - 1)] += bin; // never empty, and at most as many bins in sum
    }
    laid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_span_their_type_and_wide_types_what_occurs_and_what_is_chosen() {
        let window = ValueWindow::new(100.0, 200.0);
        for (class, counted, expected) in [
            (ElementClass::Uint8, Some((3.0, 7.0)), 0.0..=255.0),
            (ElementClass::Uint16, Some((40.0, 150.0)), 40.0..=200.0),
            (ElementClass::Uint16, None, 100.0..=200.0),
            (ElementClass::Uint16, Some((120.0, 121.0)), 116.0..=125.0),
        ] {
            assert_eq!(shown_range(class, counted, window), expected, "{class}");
        }
        assert_eq!(shown_range(ElementClass::Float32, None, ValueWindow::new(5.0, 5.0)), 5.0..=6.0);
    }

    #[test]
    fn bins_keep_their_counts_in_another_range() {
        assert_eq!(bins_over(&[1, 2, 3, 4], (0.0, 4.0), &(0.0..=8.0)), [3, 7, 0, 0]);
        assert_eq!(bins_over(&[1, 2, 3, 4], (0.0, 4.0), &(0.0..=4.0)), [1, 2, 3, 4]);
        assert_eq!(bins_over(&[1, 2, 3, 4], (0.0, 4.0), &(-4.0..=4.0)), [0, 0, 3, 7]);
    }

    #[test]
    fn peaks_at_the_ends_are_cut() {
        assert_eq!(without_peaks_at_the_ends(&[900, 3, 5, 70]), [5, 3, 5, 5]);
        assert_eq!(without_peaks_at_the_ends(&[9, 0, 0, 7]), [9, 0, 0, 7]);
        assert_eq!(without_peaks_at_the_ends(&[9]), [9]);
    }

    #[test]
    fn floats_get_the_digits_of_their_window() {
        assert_eq!(precision(ElementClass::Float32, ValueWindow::new(0.0, 1.0)).0, 3);
        assert_eq!(precision(ElementClass::Float32, ValueWindow::new(0.0, 0.02)).0, 5);
        assert_eq!(precision(ElementClass::Float32, ValueWindow::new(0.0, 5e9)).0, 0);
        assert_eq!(precision(ElementClass::Uint16, ValueWindow::new(0.0, 65535.0)).0, 0);
    }
}
