//! Layer 3: what is visible, and how voxels become pixels. No window library here.

mod mag_choice;
mod pane;
mod scale_bar;
mod view;
mod visible;

pub use mag_choice::choose_level;
pub use pane::PaneView;
pub use scale_bar::ScaleBar;
pub use view::ViewState;
pub use visible::{LevelRef, VisibleChunk, VisibleLayer, VisibleSet, visible_set};
