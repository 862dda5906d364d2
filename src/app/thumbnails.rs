//! Small pictures of datasets for the welcome page, in the program's cache folder.

use crate::demo::cache_folder;
use crate::scene::SliceImage;
use crate::state::Recent;
use crate::ui::RecentLook;
use egui::ColorImage;
use image::imageops::{self, FilterType};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Width and height of a card's picture on a screen with two pixels per point.
const SHAPE_PX: [u32; 2] = [672, 320];

/// File of a dataset's picture. A path too long or strange for a file name makes no difference to its hash.
fn file_of(dataset: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    dataset.hash(&mut hasher);
    cache_folder().join("thumbnails").join(format!("{:016x}.png", hasher.finish()))
}

/// What the welcome page shows for a dataset opened before. Reads from disk; call it from a task.
pub fn look_at(recent: &Recent) -> RecentLook {
    if !recent.path.exists() {
        return RecentLook::Missing;
    }
    let picture = image::open(file_of(&recent.path)).ok().map(|picture| picture.into_rgba8());
    RecentLook::Found(picture.map(|picture| {
        let size = [picture.width(), picture.height()].map(|side| usize::try_from(side).unwrap_or(0));
        ColorImage::from_rgba_premultiplied(size, &picture)
    }))
}

/// Keeps the middle of a pane's picture for a dataset. Writes to disk; call it from a task.
pub fn keep(dataset: &Path, slice: &SliceImage) {
    let Some(picture) = image::RgbaImage::from_raw(slice.width, slice.height, slice.rgba.clone()) else { return };
    let (width, height) = (slice.width, slice.height);
    // The largest part of a card's proportions around the middle.
    let crop_width = width.min(height * SHAPE_PX[0] / SHAPE_PX[1]).max(1);
    let crop_height = height.min(width * SHAPE_PX[1] / SHAPE_PX[0]).max(1);
    let part = imageops::crop_imm(&picture, (width - crop_width) / 2, (height - crop_height) / 2, crop_width, crop_height).to_image();
    let small = imageops::resize(&part, SHAPE_PX[0].min(crop_width), SHAPE_PX[1].min(crop_height), FilterType::Triangle);
    let file = file_of(dataset);
    let written = file.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(image::ImageError::from).and_then(|()| small.save(&file));
    if let Err(err) = written {
        // Only a picture on the welcome page is missing.
        log::debug!("can't keep a picture of {}: {err}", dataset.display());
    }
}
