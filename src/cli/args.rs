//! Arguments as clap parses them.

use super::diff_args::DiffArgs;
use crate::geometry::{BoundingBox, MagLabel, Shape3, SlicePlane, Vec3Int};
use crate::scene::PaneView;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// Inspector and viewer for huge chunked 3D voxel datasets.
///
/// Without a subcommand the window opens.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, subcommand_precedence_over_arg = true, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do without the window.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to open in the window.
    #[command(flatten)]
    pub open: OpenArgs,
}

const EXAMPLES: &str = "Examples:
  chunkscope /data/ctx_l23                         open a dataset in the window
  chunkscope /data/ctx_l23/color/1/z0/y0/x1.wkw    open it at that shard
  chunkscope demo                                  open the built-in demo dataset
  chunkscope info /data/ctx_l23 --json
  chunkscope read /data/ctx_l23 --layer color --mag 1 --offset 0,0,0 --shape 64,64,64 --out box.raw
  chunkscope slice /data/ctx_l23 --plane xz --position 3630,3502,1051 --out slice.png
  chunkscope diff /data/ctx_l23 /backup/ctx_l23";

/// What the window shows first.
#[derive(Debug, Default, Args)]
pub struct OpenArgs {
    /// Datasets, layers, mags, metadata files or shards; the first is opened
    pub paths: Vec<PathBuf>,
    /// Layer to select
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Mag to show, instead of the one that fits the zoom
    #[arg(long)]
    pub mag: Option<MagLabel>,
    /// Mag-1 voxel to centre
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub position: Option<Triple>,
    /// Finest voxels per pixel
    #[arg(long, value_name = "Z")]
    pub zoom: Option<f64>,
}

/// What can be done without the window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show format, layers, mags, header fields, assumptions and problems
    Info(InfoArgs),
    /// Write the voxels of a box as raw bytes: little-endian, channel fastest, then x, y, z
    Read(ReadArgs),
    /// Write a slice as a PNG, as the window's pane would show it
    Slice(SliceArgs),
    /// Compare two datasets, layers, mags or annotations voxel by voxel, whatever their formats and chunks
    Diff(DiffArgs),
    /// Open the built-in demo dataset, making it at first use; without a display write a picture of it
    Demo,
    /// Show, convert, make, edit and check volume annotations
    Annotation(AnnotationArgs),
    /// Register with the Linux desktop, so that a double-click opens datasets
    Desktop(DesktopArgs),
}

/// `chunkscope info`
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Dataset, layer, mag, metadata file or shard
    pub path: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `chunkscope read`
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// Dataset, layer, mag, metadata file or shard
    pub path: PathBuf,
    /// Layer; may be left out if there is only one
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// Mag (`1`, `2-2-1`; `1-2` is the second level of mag 1); the finest if left out
    #[arg(long)]
    pub mag: Option<MagLabel>,
    /// First voxel of the box, in voxels of the mag's own grid
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub offset: Triple,
    /// Extent of the box in voxels of the mag's own grid
    #[arg(long, value_name = "W,H,D", allow_hyphen_values = true)]
    pub shape: Triple,
    /// Position along an axis beyond x, y, z and channel; 0 if left out
    #[arg(long, value_name = "NAME=I")]
    pub axis: Vec<AxisPosition>,
    /// File to write, instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `chunkscope slice`
#[derive(Debug, Args)]
pub struct SliceArgs {
    /// Dataset, layer, mag, metadata file or shard
    pub path: PathBuf,
    /// Plane of the slice
    #[arg(long, value_name = "xy|xz|yz")]
    pub plane: SlicePlane,
    /// Mag-1 voxel in the centre of the picture
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub position: Triple,
    /// Layer to show, the first at the bottom; all that the window shows at first if left out
    #[arg(long, value_name = "NAME")]
    pub layer: Vec<String>,
    /// Mag to show, instead of the one that fits the zoom
    #[arg(long)]
    pub mag: Option<MagLabel>,
    /// Position along an axis beyond x, y, z and channel; 0 if left out
    #[arg(long, value_name = "NAME=I")]
    pub axis: Vec<AxisPosition>,
    /// Finest voxels per pixel; so that the layer fits if left out
    #[arg(long, value_name = "Z")]
    pub zoom: Option<f64>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1024x1024")]
    pub size: PixelSize,
    /// Values shown as black and as full intensity
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    pub window: Option<Window>,
    /// File to write
    #[arg(long, value_name = "FILE.png")]
    pub out: PathBuf,
}

/// `chunkscope annotation`
#[derive(Debug, Args)]
#[command(after_help = ANNOTATION_EXAMPLES)]
pub struct AnnotationArgs {
    /// What to do
    #[command(subcommand)]
    pub action: AnnotationAction,
}

const ANNOTATION_EXAMPLES: &str = "Examples:
  chunkscope annotation info download.zip
  chunkscope annotation convert download.zip for_zarr.zip --format zarr3-spec
  chunkscope annotation new /data/ctx_l23 --layer segmentation new.zip
  chunkscope annotation edit new.zip new.zip --dataset /data/ctx_l23 --box 100,200,300,64,64,16=7
  chunkscope annotation roundtrip new.zip
  chunkscope annotation merge new.zip --dataset /data/ctx_l23 /data/merged";

/// `chunkscope annotation …`
#[derive(Debug, Subcommand)]
pub enum AnnotationAction {
    /// Show volumes, buckets, skeleton, assumptions and problems
    Info(InfoArgs),
    /// Read an annotation and write it again
    Convert {
        /// Archive, NML, data zip or folder
        input: PathBuf,
        /// Archive to write; may be the same
        output: PathBuf,
        /// How voxels are stored; WKW if left out, Zarr 3 for volumes with more axes than x, y, z
        #[arg(long, value_enum)]
        format: Option<AnnotationFormat>,
        /// Leave out what can't be read, and list it
        #[arg(long)]
        drop_damaged: bool,
    },
    /// Make an annotation without voxels
    New {
        /// Dataset to annotate
        dataset: PathBuf,
        /// Layer below the annotation; none if left out
        #[arg(long, value_name = "NAME")]
        layer: Option<String>,
        /// Archive to write
        output: PathBuf,
    },
    /// Paint boxes
    Edit {
        /// Archive, NML, data zip or folder
        input: PathBuf,
        /// Archive to write; may be the same
        output: PathBuf,
        /// Dataset with the layer below the annotation
        #[arg(long, value_name = "DIR")]
        dataset: Option<PathBuf>,
        /// Volume to paint; may be left out if there is only one
        #[arg(long, value_name = "NAME")]
        volume: Option<String>,
        /// Mag-1 box and the segment it is painted with, 0 to erase
        #[arg(long = "box", value_name = "X,Y,Z,W,H,D=ID", required = true, allow_hyphen_values = true)]
        boxes: Vec<PaintedBox>,
        /// Position along an axis beyond x, y, z; 0 if left out
        #[arg(long, value_name = "NAME=I")]
        axis: Vec<AxisPosition>,
    },
    /// Export, import again and compare everything; exit status 1 if anything differs
    Roundtrip {
        /// Archive, NML, data zip or folder
        file: PathBuf,
        /// How voxels are stored meanwhile
        #[arg(long, value_enum)]
        format: Option<AnnotationFormat>,
    },
    /// Write the annotation and the layer below it as a new WKW dataset
    Merge {
        /// Archive, NML, data zip or folder
        input: PathBuf,
        /// Dataset with the layer below the annotation
        #[arg(long, value_name = "DIR")]
        dataset: PathBuf,
        /// Folder to make
        output: PathBuf,
    },
}

/// How the voxels of an annotation are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnnotationFormat {
    /// One WKW file per bucket
    Wkw,
    /// Zarr 3 as WEBKNOSSOS writes it
    Zarr3,
    /// Zarr 3 as its specification has it
    #[value(name = "zarr3-spec")]
    Zarr3Spec,
}

/// A mag-1 box and the segment that it is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaintedBox {
    /// The box.
    pub extent: BoundingBox,
    /// The segment.
    pub id: u64,
}

impl FromStr for PaintedBox {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no painted box, expected such as 10,20,30,64,64,16=7");
        let (extent, id) = text.split_once('=').ok_or_else(wrong)?;
        let id = id.trim().parse().map_err(|_| format!("segment {id:?} is no integer from 0 to {}", u64::MAX))?;
        let numbers: Vec<i64> = extent.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let [x, y, z, width, height, depth] = numbers[..] else { return Err(wrong()) };
        if [width, height, depth].iter().any(|length| *length <= 0) {
            return Err(format!("{width}, {height}, {depth} is no extent, each has to be at least 1"));
        }
        Ok(Self { extent: BoundingBox::new(Vec3Int::new(x, y, z), Shape3::new(width, height, depth)), id })
    }
}

/// `chunkscope desktop`
#[derive(Debug, Args)]
pub struct DesktopArgs {
    /// What to do
    #[command(subcommand)]
    pub action: DesktopAction,
}

/// `chunkscope desktop …`
#[derive(Debug, Subcommand)]
pub enum DesktopAction {
    /// Add desktop entry, file types and icon for this user
    Install {
        /// Also offer Chunkscope for folders, after the current default
        #[arg(long)]
        folders: bool,
    },
    /// Remove what `install` added
    Uninstall,
}

/// Three integers separated by commas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triple(pub Vec3Int);

impl FromStr for Triple {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<i64> = text
            .split(',')
            .map(|part| part.trim().parse().map_err(|_| format!("{part:?} is no integer, expected three such as 10,20,30")))
            .collect::<Result<_, _>>()?;
        let [x, y, z] = parts[..] else { return Err(format!("{} numbers, expected three such as 10,20,30", parts.len())) };
        Ok(Self(Vec3Int::new(x, y, z)))
    }
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelSize(pub [u32; 2]);

impl FromStr for PixelSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limit = PaneView::MAX_SIDE_PX;
        let sides = text.split_once(['x', 'X', '×']).and_then(|(w, h)| Some([w.trim().parse().ok()?, h.trim().parse().ok()?]));
        let sides = sides.filter(|sides: &[u32; 2]| sides.iter().all(|side| (1..=limit).contains(side)));
        sides.map(Self).ok_or_else(|| format!("{text:?} is no size, expected such as 1024x768, each side from 1 to {limit}"))
    }
}

/// Two values separated by a comma.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window(pub f64, pub f64);

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let values = text.split_once(',').and_then(|(lo, hi)| Some((lo.trim().parse().ok()?, hi.trim().parse().ok()?)));
        let values = values.filter(|(lo, hi): &(f64, f64)| lo.is_finite() && hi.is_finite() && lo <= hi);
        values
            .map(|(lo, hi)| Self(lo, hi))
            .ok_or_else(|| format!("{text:?} is no window, expected two numbers such as 300,4300, the lower first"))
    }
}

/// A position along a named axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisPosition {
    /// Name of the axis.
    pub name: String,
    /// Position, from 0.
    pub index: u64,
}

impl FromStr for AxisPosition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, index) = text.split_once('=').ok_or_else(|| format!("{text:?} has no =, expected an axis such as t=3"))?;
        let index = index.trim().parse().map_err(|_| format!("axis position {index:?} is no integer from 0 on"))?;
        Ok(Self { name: name.trim().to_owned(), index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_and_windows_are_checked() {
        assert_eq!("640x480".parse(), Ok(PixelSize([640, 480])));
        for bad in ["640", "0x5", "9000x10", "ax5", "-1x5"] {
            assert!(bad.parse::<PixelSize>().is_err(), "{bad}");
        }
        assert_eq!("-1e3,2.5".parse(), Ok(Window(-1000.0, 2.5)));
        for bad in ["nan,1", "9,1", "5"] {
            assert!(bad.parse::<Window>().is_err(), "{bad}");
        }
    }

    #[test]
    fn painted_boxes_are_checked() {
        let expected = PaintedBox { extent: BoundingBox::new(Vec3Int::new(1, 2, 3), Shape3::new(4, 5, 6)), id: u64::MAX };
        assert_eq!("1,2,3,4,5,6=18446744073709551615".parse(), Ok(expected));
        for bad in ["1,2,3,4,5,6", "1,2,3,4,5=6", "1,2,3,0,5,6=7", "1,2,3,4,5,6=-1", "1,2,3,4,5,6=18446744073709551616"] {
            assert!(bad.parse::<PaintedBox>().is_err(), "{bad}");
        }
    }

    #[test]
    fn negative_offsets_are_accepted() {
        let cli = Cli::try_parse_from(["chunkscope", "read", "p", "--offset", "-3,60,-10", "--shape", "8,8,8"]).expect("valid");
        let Some(Command::Read(args)) = cli.command else { panic!("another command") };
        assert_eq!(args.offset.0, Vec3Int::new(-3, 60, -10));
    }

    #[test]
    fn a_path_without_a_subcommand_opens_the_window() {
        let cli = Cli::try_parse_from(["chunkscope", "/data/x", "--position", "1,2,3"]).expect("valid");
        assert!(cli.command.is_none());
        assert_eq!(cli.open.paths, [PathBuf::from("/data/x")]);
    }
}
