//! [`ChannelDisplay`]: how one channel is shown, in layers whose channels are mixed by colour.

use super::layer_display::ValueWindow;
use crate::format::{ChannelConfiguration, Layer, LayerCategory};
use crate::voxel::VoxelType;

/// Colours of red, green and blue channels.
const RGB: [[u8; 3]; 3] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]];

/// Colours of two channels: where both are strong the sum is white.
const TWO: [[u8; 3]; 2] = [[255, 0, 255], [0, 255, 0]];

/// Colours of four channels and more, repeated.
const MANY: [[u8; 3]; 6] = [[0, 255, 255], [255, 255, 0], [255, 0, 255], RGB[0], RGB[1], RGB[2]];

/// How one of several channels is shown. The picture is the sum over the visible channels.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelDisplay {
    /// Name for people.
    pub name: String,
    /// Colour of full intensity, red, green, blue.
    pub color: [u8; 3],
    /// Values that add nothing and the full colour.
    pub window: ValueWindow,
    /// Nothing and full colour swapped.
    pub inverted: bool,
    /// Whether it is part of the sum.
    pub visible: bool,
}

impl ChannelDisplay {
    /// The channels of a layer, as configured, else by their number. Empty for layers that aren't mixed: of one
    /// channel, RGB, and segmentations.
    pub(super) fn of_layer(layer: &Layer) -> Vec<Self> {
        let Some(voxel_type) = mixed_type(layer) else { return Vec::new() };
        let configured = &layer.configuration.channels;
        let count = voxel_type.channels as usize;
        // A layer of which nothing is shown would look broken.
        let shows_any = (0..count).any(|i| configured.get(i).is_none_or(|c| c.is_active != Some(false)));
        let unconfigured = ChannelConfiguration::default();
        let channels = (0..count).map(|i| {
            let ChannelConfiguration { name, color, intensity_range, is_inverted, is_active } = configured.get(i).unwrap_or(&unconfigured);
            let range = intensity_range.or(layer.configuration.intensity_range);
            Self {
                name: name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| format!("Channel {}", i + 1)),
                color: color.unwrap_or_else(|| default_color(i, count)),
                window: range.map_or_else(|| ValueWindow::full(voxel_type.class), |(min, max)| ValueWindow::new(min, max)),
                inverted: is_inverted.unwrap_or(false),
                visible: !shows_any || is_active.unwrap_or(true),
            }
        });
        channels.collect()
    }
}

/// Channels of a mixed layer whose window is to be found from their values: more than 8 bits, no range configured.
pub(super) fn channels_without_window(layer: &Layer) -> Vec<bool> {
    let Some(voxel_type) = mixed_type(layer) else { return Vec::new() };
    let is_wide = voxel_type.class.byte_len() > 1 && layer.configuration.intensity_range.is_none();
    let configured = |i: usize| layer.configuration.channels.get(i).is_some_and(|c| c.intensity_range.is_some());
    (0..voxel_type.channels as usize).map(|i| is_wide && !configured(i)).collect()
}

/// Window, inversion and colour that hold for a layer as a whole, taken from its channels: of the only one, or what
/// those of an RGB layer have in common.
pub(super) fn shared_configuration(layer: &Layer) -> ChannelConfiguration {
    match (&layer.configuration.channels[..], layer.voxel_type.map(|t| t.channels)) {
        ([only, ..], Some(1)) => only.clone(),
        ([first, ..], Some(3)) if mixed_type(layer).is_none() => ChannelConfiguration { color: None, ..first.clone() },
        ([] | [_, ..], Some(_) | None) => ChannelConfiguration::default(),
    }
}

/// The type of a layer whose channels are mixed.
fn mixed_type(layer: &Layer) -> Option<VoxelType> {
    let is_color = match layer.category {
        LayerCategory::Color => true,
        LayerCategory::Segmentation => false,
    };
    layer.voxel_type.filter(|t| is_color && t.channels > 1 && !(t.is_rgb() && is_plain_rgb(&layer.configuration.channels)))
}

/// Whether three channels are configured as nothing but red, green and blue, all with the same settings.
fn is_plain_rgb(channels: &[ChannelConfiguration]) -> bool {
    let range = channels.first().and_then(|channel| channel.intensity_range);
    channels.iter().zip(RGB).all(|(channel, color)| {
        channel.color.is_none_or(|c| c == color)
            && channel.intensity_range == range
            && !channel.is_inverted.unwrap_or(false)
            && channel.is_active.unwrap_or(true)
    })
}

fn default_color(channel: usize, count: usize) -> [u8; 3] {
    match count {
        2 => TWO[channel % 2],
        3 => RGB[channel % 3],
        _ => MANY[channel % MANY.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::LayerDisplay;
    use crate::scene::layer_display::test_layer;
    use crate::voxel::ElementClass;

    fn layer(class: ElementClass, channels: u32, configured: Vec<ChannelConfiguration>) -> Layer {
        let mut layer = test_layer(LayerCategory::Color, class, Default::default());
        layer.voxel_type = Some(VoxelType { class, channels });
        layer.configuration.channels = configured;
        layer
    }

    fn colored(color: [u8; 3]) -> ChannelConfiguration {
        ChannelConfiguration { color: Some(color), ..Default::default() }
    }

    fn colors(layer: &Layer) -> Vec<[u8; 3]> {
        ChannelDisplay::of_layer(layer).iter().map(|channel| channel.color).collect()
    }

    #[test]
    fn colours_follow_the_number_of_channels() {
        let of = |channels| colors(&layer(ElementClass::Uint8, channels, Vec::new()));
        assert_eq!((of(1), of(3)), (Vec::new(), Vec::new()), "one channel and RGB are not mixed");
        assert_eq!(of(2), [[255, 0, 255], [0, 255, 0]]);
        assert_eq!(of(4), [[0, 255, 255], [255, 255, 0], [255, 0, 255], [255, 0, 0]]);
        assert_eq!(of(7)[6], of(7)[0]);
    }

    #[test]
    fn three_channels_are_rgb_unless_they_are_configured_otherwise() {
        let is_mixed = |configured| !ChannelDisplay::of_layer(&layer(ElementClass::Uint16, 3, configured)).is_empty();
        assert!(!is_mixed(RGB.map(colored).to_vec()));
        assert!(!is_mixed(vec![ChannelConfiguration { name: Some("R".to_owned()), ..Default::default() }]));
        assert!(is_mixed([RGB[1], RGB[0], RGB[2]].map(colored).to_vec()));
        let off = ChannelConfiguration { is_active: Some(false), ..colored(RGB[1]) };
        assert!(is_mixed(vec![colored(RGB[0]), off, colored(RGB[2])]));
    }

    #[test]
    fn equal_ranges_of_rgb_are_the_layers_window() {
        let range = ChannelConfiguration { intensity_range: Some((100.0, 900.0)), ..Default::default() };
        let layer = layer(ElementClass::Uint16, 3, vec![range.clone(), range.clone(), range]);
        let display = LayerDisplay::for_layer(&layer);
        assert_eq!((display.window, display.channels.len()), (ValueWindow::new(100.0, 900.0), 0));
        assert!(!LayerDisplay::wants_auto_window(&layer));
    }

    #[test]
    fn settings_of_the_only_channel_are_the_layers() {
        let only = ChannelConfiguration {
            color: Some([1, 2, 3]),
            intensity_range: Some((5.0, 6.0)),
            is_inverted: Some(true),
            ..Default::default()
        };
        let display = LayerDisplay::for_layer(&layer(ElementClass::Uint16, 1, vec![only]));
        assert_eq!((display.color, display.window, display.inverted), ([1, 2, 3], ValueWindow::new(5.0, 6.0), true));
    }

    #[test]
    fn configured_settings_win_and_others_are_found() {
        let configured = ChannelConfiguration {
            name: Some("DAPI".to_owned()),
            color: Some([9, 8, 7]),
            intensity_range: Some((10.0, 20.0)),
            is_inverted: Some(true),
            is_active: Some(false),
        };
        let layer = layer(ElementClass::Uint16, 2, vec![configured]);
        let [first, second] = &ChannelDisplay::of_layer(&layer)[..] else { panic!("two channels") };
        assert_eq!((first.name.as_str(), first.color, first.window), ("DAPI", [9, 8, 7], ValueWindow::new(10.0, 20.0)));
        assert!(first.inverted && !first.visible && second.visible && !second.inverted);
        assert_eq!((second.name.as_str(), second.window), ("Channel 2", ValueWindow::new(0.0, 65535.0)));
        assert_eq!(channels_without_window(&layer), [false, true]);
        assert_eq!(channels_without_window(&self::layer(ElementClass::Uint8, 2, Vec::new())), [false, false]);
    }

    #[test]
    fn channels_that_are_all_off_are_shown_nevertheless() {
        let off = ChannelConfiguration { is_active: Some(false), ..Default::default() };
        let channels = ChannelDisplay::of_layer(&layer(ElementClass::Uint8, 2, vec![off.clone(), off]));
        assert!(channels.iter().all(|channel| channel.visible));
    }
}
