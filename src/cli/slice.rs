//! `chunkscope slice`: the picture that a pane would show.

use super::args::SliceArgs;
use super::output::{cant_write, write_file};
use super::{UsageError, open, select, warn_all};
use crate::format::{Dataset, Layer};
use crate::geometry::BoundingBox;
use crate::scene::{LayerDisplay, Snapshot, ValueWindow, ViewState};
use crate::state::fit_zoom;
use anyhow::{Context, Result, anyhow};
use std::io::{self, Write};
use std::path::Path;

pub fn run(args: &SliceArgs) -> Result<()> {
    let dataset = open(&args.path)?;
    let layers = chosen_layers(&dataset, &args.layer)?;
    let positions = select::positions(&layers, &args.axis)?;
    for layer in &layers {
        if !args.layer.is_empty() {
            select::level(&dataset, layer, None, &positions)?; // a layer that was asked for must be readable
        }
    }
    if let Some(mag) = args.mag
        && layers.iter().all(|layer| layer.level(mag).is_none())
    {
        let mags: Vec<String> = layers.iter().flat_map(|layer| &layer.levels).map(|level| level.label().to_string()).collect();
        return Err(UsageError(format!("no layer has mag {mag}, there are: {}", mags.join(", "))).into());
    }
    if args.zoom.is_some_and(|zoom| !(zoom.is_finite() && zoom > 0.0)) {
        return Err(UsageError("--zoom must be a positive number".to_owned()).into());
    }
    warn_all(&dataset.problems);
    let bounds = layers.iter().fold(BoundingBox::default(), |all, layer| all.union(&layer.bounding_box));
    let axes = [args.plane.right_axis(), args.plane.down_axis()];
    let zoom = args.zoom.unwrap_or_else(|| fit_zoom(&bounds, &dataset.voxel_size, args.size.0.map(f64::from), axes));
    let snapshot = Snapshot {
        plane: args.plane,
        view: ViewState::new(args.position.0, zoom),
        shape_px: args.size.0,
        mag: args.mag,
        positions,
        window: args.window.map(|window| ValueWindow::new(window.0, window.1)),
    };
    let (image, failed) = snapshot.take(&dataset, &layers);
    let sources = layers.iter().flat_map(|layer| &layer.levels).filter_map(|level| level.source.as_ref().ok());
    let warnings: Vec<_> = sources.flat_map(|source| source.take_warnings()).collect();
    warn_all(&warnings);
    for error in failed.iter().take(20) {
        let _ = writeln!(io::stderr(), "warning: {error}");
    }
    if failed.len() > 20 {
        let _ = writeln!(io::stderr(), "warning: and {} more chunks", failed.len() - 20);
    }
    save_png(&args.out, image.width, image.height, image.rgba)
}

/// The layers that were named, or those that the window shows at first.
fn chosen_layers<'a>(dataset: &'a Dataset, names: &[String]) -> Result<Vec<&'a Layer>> {
    if !names.is_empty() {
        return names.iter().map(|name| select::layer(dataset, Some(name))).collect();
    }
    let shown: Vec<&Layer> =
        dataset.layers.iter().filter(|layer| layer.finest().is_some() && LayerDisplay::for_layer(layer).visible).collect();
    if shown.is_empty() {
        let reason = dataset.layers.iter().flat_map(|layer| &layer.levels).find_map(|level| level.source.as_ref().err());
        return Err(match reason {
            Some(error) => anyhow!("no layer can be shown: {error}"),
            None => anyhow!("no layer can be shown: {}", dataset.path.display()),
        });
    }
    Ok(shown)
}

/// Writes opaque pixels as a PNG, aside and renamed.
pub fn save_png(path: &Path, width: u32, height: u32, rgba: Vec<u8>) -> Result<()> {
    let picture =
        image::RgbaImage::from_raw(width, height, rgba).ok_or_else(|| anyhow!("internal error: a picture of the wrong length"))?;
    let mut png = io::Cursor::new(Vec::new());
    image::DynamicImage::ImageRgba8(picture)
        .into_rgb8()
        .write_to(&mut png, image::ImageFormat::Png)
        .with_context(|| format!("can't encode a picture of {width} × {height}"))?;
    write_file(path, |file| Ok(file.write_all(png.get_ref()).map_err(cant_write(path.display()))?))
}
