//! Layer 3: what is visible, and how voxels become pixels. No window library here.

mod axis_positions;
mod channel_display;
mod colormap;
mod compose;
mod histogram;
mod layer_display;
mod mag_choice;
mod pane;
mod pick;
mod scale_bar;
mod segment_color;
mod skeleton;
mod slice;
mod snapshot;
mod view;
mod visible;

pub use axis_positions::{AxisPositions, source_at};
pub use channel_display::ChannelDisplay;
pub use colormap::{ColorTable, NAN_COLOR};
pub use compose::compose;
pub use histogram::{Histogram, histogram_of};
pub use layer_display::{Colormap, GAMMA_RANGE, Interpolation, LayerDisplay, ValueWindow};
pub use mag_choice::{choose_level, drawn_levels};
pub use pane::PaneView;
pub use pick::{Pick, PickState, PickedValue, pick};
pub use scale_bar::ScaleBar;
pub use segment_color::{GivenColors, SegmentDisplay, segment_color};
pub use skeleton::{EdgeOnPane, NodeOnPane, SkeletonIndex, SkeletonOnPane};
pub use slice::{Coverage, SliceImage, SliceLayer, SliceLevel, SliceRequest};
pub use snapshot::Snapshot;
pub use view::ViewState;
pub use visible::{LevelRef, MAX_STAND_INS, VisibleChunk, VisibleLayer, VisibleSet, visible_set};
