//! [`PaneTexture`]: a pane's picture on the graphics card, uploaded once per picture.

use crate::scene::PaneView;
use crate::state::PaneImage;
use egui::{ColorImage, Context, TextureHandle, TextureOptions};

/// The texture of a pane.
#[derive(Default)]
pub struct PaneTexture {
    shown: Option<(TextureHandle, u64, PaneView)>,
}

impl PaneTexture {
    /// Uploads the picture if it is another than before, and returns the texture with the voxels it shows.
    pub fn update(&mut self, ctx: &Context, name: &str, picture: Option<&PaneImage>) -> Option<(&TextureHandle, PaneView)> {
        match (picture, &mut self.shown) {
            (None, shown) => *shown = None,
            (Some(picture), Some((_, generation, _))) if *generation == picture.generation => {}
            (Some(picture), shown) => {
                let size = [picture.image.width, picture.image.height].map(|side| usize::try_from(side).unwrap_or(0));
                // Opaque, so nothing is to be multiplied.
                let image = ColorImage::from_rgba_premultiplied(size, &picture.image.rgba);
                match shown {
                    Some((handle, generation, view)) => {
                        handle.set(image, TextureOptions::NEAREST);
                        (*generation, *view) = (picture.generation, picture.view);
                    }
                    None => *shown = Some((ctx.load_texture(name, image, TextureOptions::NEAREST), picture.generation, picture.view)),
                }
            }
        }
        self.shown.as_ref().map(|(handle, _, view)| (handle, *view))
    }
}
