//! Arguments of `chunkscope diff`.

use crate::geometry::MagLabel;
use clap::Args;
use std::path::PathBuf;

/// `chunkscope diff`
#[derive(Debug, Args)]
#[command(long_about = DIFF_ABOUT, after_help = DIFF_EXAMPLES)]
pub struct DiffArgs {
    /// The first dataset, layer, mag, metadata file, shard or annotation
    pub a: PathBuf,
    /// The second
    pub b: PathBuf,
    /// Layer to compare, of both; all if left out
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Mag to compare; all if left out
    #[arg(long)]
    pub mag: Option<MagLabel>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const DIFF_ABOUT: &str = "\
Compare two datasets, layers, mags or annotations voxel by voxel, whatever their formats and chunks.

Layers are paired by name, or the only layer of each whatever their names; mags by their factors. Compared is the box \
around the bounding boxes of both layers; what isn't stored is the fill value. Values are compared as numbers: 3 as \
uint8 equals 3.0 as float32, 0 equals -0, and what is no number (NaN) equals what is none.

Differences are: other values, layers, mags or positions along further axes that one side lacks, other voxel types (also \
where all values are equal), other voxel sizes where both are known. Other names, bounding boxes, categories and fill \
values are told and are no differences by themselves.

Exit status: 0 equal, 1 different, 2 trouble, such as a chunk that can't be read (what can be compared is).";

const DIFF_EXAMPLES: &str = "Examples:
  chunkscope diff /data/ctx_l23 /backup/ctx_l23
  chunkscope diff raw.zarr /data/ctx_l23 --layer color --mag 1
  chunkscope diff before.zip after.zip --json";
