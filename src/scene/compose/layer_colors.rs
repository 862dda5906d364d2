//! [`LayerColors`]: the colours of one layer's voxels, with what becomes of several channels.

use super::channel::{Channel, for_class};
use crate::scene::colormap::{ColorTable, Rgba, color_of_value};
use crate::scene::layer_display::LayerDisplay;
use crate::voxel::VoxelType;

/// Colours of one layer's voxels in one image.
pub enum LayerColors {
    /// Of the only channel.
    Single(ColorTable),
    /// Three channels are red, green and blue.
    Rgb(ColorTable),
    /// The sum of channels, each in its own colour.
    Mixed(MixedColors),
}

/// Colours of the visible channels of a layer.
pub struct MixedColors {
    pub channels: Vec<ChannelTable>,
    /// By component of the sum: the same at the layer's opacity.
    faded: Box<[u8; 256]>,
    nan: Rgba,
}

/// Colours of one channel, at full opacity.
pub struct ChannelTable {
    /// Its number in the voxel.
    pub channel: usize,
    pub table: ColorTable,
}

impl LayerColors {
    /// The colours of voxels of a type, as a layer is shown.
    pub fn new(voxel_type: VoxelType, display: &LayerDisplay) -> Self {
        if !display.channels.is_empty() {
            return Self::Mixed(MixedColors::new(voxel_type, display));
        }
        let table = ColorTable::new(voxel_type.class, voxel_type.is_rgb(), display);
        if voxel_type.is_rgb() { Self::Rgb(table) } else { Self::Single(table) }
    }

    /// Colour of one voxel by its bytes; black where there are too few of them.
    pub fn of_voxel(&self, voxel_type: VoxelType, voxel: &[u8]) -> Rgba {
        let color = for_class!(voxel_type.class, T => match self {
            Self::Single(table) => T::read_at(voxel, 0).map(|v| v.color(table)),
            Self::Rgb(table) => rgb_at::<T>(table, voxel, 0),
            Self::Mixed(mixed) => mixed.at::<T, 0>(&[], &mixed.channels, voxel, 0),
        });
        color.unwrap_or([0, 0, 0, 255])
    }
}

/// Colour of three channels from a byte offset on.
#[inline(always)]
pub(super) fn rgb_at<T: Channel>(table: &ColorTable, bytes: &[u8], at: usize) -> Option<Rgba> {
    let channel = |i: usize| T::read_at(bytes, at + i * T::LEN);
    let channels = [channel(0)?, channel(1)?, channel(2)?];
    Some(table.combine(channels.map(T::to_f64), channels.map(|v| v.color(table))))
}

/// The colour that [`LayerColors::of_voxel`] answers, without making tables: for single voxels.
pub fn color_of_voxel(voxel_type: VoxelType, display: &LayerDisplay, voxel: &[u8]) -> Rgba {
    let class = voxel_type.class;
    let value = |channel: usize| for_class!(class, T => T::read_at(voxel, channel * T::LEN).map(T::to_f64));
    let single = |channel: usize, display: &LayerDisplay| Some(color_of_value(class, voxel_type.is_rgb(), display, value(channel)?));
    let color = if !display.channels.is_empty() {
        MixedColors::without_channels(display).sum_of(shown_channels(voxel_type, display).map(|(channel, display)| {
            let value = value(channel)?;
            Some((value, color_of_value(class, false, &display, value)))
        }))
    } else if voxel_type.is_rgb() {
        let nan = (0..3).find(|channel| value(*channel).is_some_and(f64::is_nan));
        match nan {
            Some(channel) => single(channel, display),
            None => (|| Some([single(0, display)?[0], single(1, display)?[1], single(2, display)?[2], 255]))(),
        }
    } else {
        single(0, display)
    };
    color.unwrap_or([0, 0, 0, 255])
}

/// Visible channels that voxels of a type have, each with the display of a layer that has nothing but this channel.
fn shown_channels(voxel_type: VoxelType, display: &LayerDisplay) -> impl Iterator<Item = (usize, LayerDisplay)> {
    let shown = display.channels.iter().enumerate().take(voxel_type.channels as usize).filter(|(_, channel)| channel.visible);
    shown.map(|(channel, settings)| {
        let of_channel = LayerDisplay {
            opacity: 1.0,
            window: settings.window,
            inverted: settings.inverted ^ display.inverted,
            color: settings.color,
            colormap: Default::default(),
            ..display.clone()
        };
        (channel, of_channel)
    })
}

impl MixedColors {
    fn new(voxel_type: VoxelType, display: &LayerDisplay) -> Self {
        let table =
            |(channel, display): (usize, LayerDisplay)| ChannelTable { channel, table: ColorTable::new(voxel_type.class, false, &display) };
        Self { channels: shown_channels(voxel_type, display).map(table).collect(), ..Self::without_channels(display) }
    }

    fn without_channels(display: &LayerDisplay) -> Self {
        let opacity = f64::from(display.opacity.clamp(0.0, 1.0));
        let fade = |component: u8| (f64::from(component) * opacity + 0.5) as u8; // `as` saturates
        let faded = Box::new(std::array::from_fn(|i| fade(u8::try_from(i).unwrap_or(u8::MAX))));
        let [r, g, b] = crate::scene::colormap::NAN_COLOR.map(fade);
        Self { channels: Vec::new(), faded, nan: [r, g, b, 255] }
    }

    /// Colour of a voxel at a byte offset. The visible channels are `first` and `rest`, of which the number of the
    /// first ones is known to the compiler. NaN in any of them shows as NaN.
    #[inline(always)]
    pub fn at<T: Channel, const N: usize>(
        &self,
        first: &[ChannelTable; N],
        rest: &[ChannelTable],
        bytes: &[u8],
        at: usize,
    ) -> Option<Rgba> {
        let mut sum = Sum::default();
        let mut add = |channel: &ChannelTable| {
            let value = T::read_at(bytes, at + channel.channel * T::LEN)?;
            sum.add(value.to_f64(), value.color(&channel.table));
            Some(())
        };
        // Two loops: a chain of both would not be unrolled.
        for channel in first {
            add(channel)?;
        }
        for channel in rest {
            add(channel)?;
        }
        Some(self.of_sum(&sum))
    }

    /// Colour of channels by value.
    pub fn of_values(&self, value_of: impl Fn(usize) -> Option<f64>) -> Option<Rgba> {
        self.sum_of(self.channels.iter().map(|channel| {
            let value = value_of(channel.channel)?;
            Some((value, channel.table.rgba(value)))
        }))
    }

    /// Colour of the sum of channels, each with its value and colour; `None` where one is unknown.
    fn sum_of(&self, channels: impl Iterator<Item = Option<(f64, Rgba)>>) -> Option<Rgba> {
        let mut sum = Sum::default();
        for channel in channels {
            let (value, color) = channel?;
            sum.add(value, color);
        }
        Some(self.of_sum(&sum))
    }

    #[inline(always)]
    fn of_sum(&self, sum: &Sum) -> Rgba {
        if sum.has_nan {
            return self.nan;
        }
        let [r, g, b] = sum.rgb.map(|component| self.faded[usize::from(component)]);
        [r, g, b, 255]
    }
}

/// Saturating sum of colours.
#[derive(Default)]
struct Sum {
    rgb: [u8; 3],
    has_nan: bool,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, value: f64, color: Rgba) {
        self.has_nan |= value.is_nan();
        self.rgb = std::array::from_fn(|i| self.rgb[i].saturating_add(color[i]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::channel_display::ChannelDisplay;
    use crate::scene::layer_display::{Colormap, ValueWindow, test_layer};
    use crate::voxel::ElementClass;
    use proptest::prelude::*;
    use std::sync::Arc;
    use strum::IntoEnumIterator as _;

    proptest! {
        #[test]
        fn a_voxel_has_the_same_colour_with_and_without_tables(
            class in prop::sample::select(ElementClass::iter().collect::<Vec<_>>()), channels in 1_u32..6, bytes in prop::array::uniform32(any::<u8>()),
            low in -300.0..300.0, width in 0.0..500.0, gamma in 0.2_f32..4.0, opacity in 0.0_f32..1.0, inverted in any::<bool>(), hidden in 0_usize..6,
        ) {
            let voxel_type = VoxelType { class, channels };
            let mut layer = test_layer(crate::format::LayerCategory::Color, class, Default::default());
            layer.voxel_type = Some(voxel_type);
            let mut channels = ChannelDisplay::of_layer(&layer);
            for (i, channel) in channels.iter_mut().enumerate() {
                channel.window = ValueWindow::new(low + i as f64, low + width);
                channel.visible = i != hidden;
            }
            let display = LayerDisplay {
                window: ValueWindow::new(low, low + width), gamma, opacity, inverted, colormap: Colormap::Viridis, channels: Arc::new(channels),
                ..LayerDisplay::for_layer(&layer)
            };
            let voxel = &bytes.repeat(2)[..voxel_type.byte_len()];
            prop_assert_eq!(color_of_voxel(voxel_type, &display, voxel), LayerColors::new(voxel_type, &display).of_voxel(voxel_type, voxel));
        }
    }

    #[test]
    fn a_voxel_with_too_few_bytes_is_black() {
        let display = crate::scene::compose::test_volume::grey_display(0.0, 255.0);
        let uint16 = VoxelType::single(ElementClass::Uint16);
        assert_eq!(LayerColors::new(uint16, &display).of_voxel(uint16, &[255]), [0, 0, 0, 255]);
    }
}
