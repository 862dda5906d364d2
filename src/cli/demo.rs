//! `chunkscope demo` without a window: makes the demo dataset and writes a picture of its three slices.

use super::open;
use super::output::print;
use super::slice::save_png;
use crate::demo::ensure_demo;
use crate::format::{Dataset, Layer};
use crate::geometry::SlicePlane;
use crate::scene::{LayerDisplay, Snapshot};
use crate::state::first_view;
use anyhow::{Context, Result};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Name of the picture in the current folder.
const PICTURE: &str = "chunkscope-demo.png";

pub fn run() -> Result<()> {
    let is_terminal = io::stderr().is_terminal();
    let progress = |share: f32| {
        if is_terminal {
            let end = if share >= 1.0 { "\n" } else { "" };
            let _ = write!(io::stderr(), "\rmaking the demo dataset, {:3.0} %{end}", share * 100.0);
        }
    };
    let folder = ensure_demo(&progress)?;
    let dataset = open(&folder)?;
    let (width, height, rgba) = three_slices(&dataset);
    save_png(Path::new(PICTURE), width, height, rgba)?;
    let path = std::path::absolute(PICTURE).context("can't name the picture's folder")?;
    print(&format!("no display: instead of the window, a picture of the demo was written\n{}\n", path.display()))
}

/// XY at the upper left, YZ beside it with the same rows, XZ below with the same columns.
fn three_slices(dataset: &Dataset) -> (u32, u32, Vec<u8>) {
    const ACROSS: [u32; 2] = [760, 620];
    const DOWN: [u32; 2] = [560, 420];
    const GAP: u32 = 4;
    let (width, height) = (ACROSS[0] + GAP + ACROSS[1], DOWN[0] + GAP + DOWN[1]);
    let shown: Vec<&Layer> = dataset.layers.iter().filter(|layer| LayerDisplay::for_layer(layer).visible).collect();
    // The fourth quarter shows the intensities alone.
    let em: Vec<&Layer> = dataset.layers.iter().filter(|layer| layer.name == "em").collect();
    let quarters = [
        (SlicePlane::Xy, [0, 0], &shown),
        (SlicePlane::Yz, [1, 0], &shown),
        (SlicePlane::Xz, [0, 1], &shown),
        (SlicePlane::Xy, [1, 1], &em),
    ];
    let view = first_view(dataset);
    // The gaps between the slices are dark, as in the window.
    let mut picture = [19, 20, 23, u8::MAX].repeat((width * height) as usize);
    for (plane, [column, row], layers) in quarters {
        let shape_px = [ACROSS[column], DOWN[row]];
        let (image, _) = Snapshot { plane, view, shape_px, mag: None, positions: Default::default(), window: None }.take(dataset, layers);
        let left = if column == 0 { 0 } else { ACROSS[0] + GAP };
        let top = if row == 0 { 0 } else { DOWN[0] + GAP };
        let row_len = 4 * shape_px[0] as usize;
        for (y, pixels) in image.rgba.chunks_exact(row_len).enumerate() {
            let at = 4 * ((top as usize + y) * width as usize + left as usize);
            picture[at..at + row_len].copy_from_slice(pixels);
        }
    }
    (width, height, picture)
}
