//! Our own widgets: drawn with the painter in the look of the design, named for screen readers, and
//! focusable where they can be used.
//!
//! Widgets know nothing of datasets; panels hand them values and read the answer. Structs are
//! `egui::Widget`s or have a `show`; functions that take a `Ui` end in `_ui`, functions that only
//! paint start with `paint_`. Colours and lengths come from [`super::theme`].

mod button;
mod cell_look;
mod chip;
mod histogram;
mod icon_button;
mod key_hints;
mod key_value;
mod notice;
mod number_field;
mod paint;
mod path_text;
mod plate;
mod progress;
mod ramp_legend;
mod row;
mod section_header;
mod segmented;
mod slider_row;
mod sparkline;
mod split_bar;
mod stat_cell;
mod tab_bar;
mod text_field;
mod time_axis;
mod time_plot;

pub use button::{ButtonKind, TextButton};
pub use cell_look::{CellLook, LegendMark, legend_item_ui, paint_cell, paint_failed_on_slice, paint_mark, state_label_ui};
pub use chip::{Chip, chip_ui};
pub use histogram::{CountScale, Histogram, HistogramOutput};
pub use icon_button::{IconButton, IconToggle, ToolButton, icon_button_ui, icon_toggle_ui};
pub use key_hints::key_hints_ui;
pub use key_value::{KeyValue, row_label_ui};
pub use notice::{Notice, severity_icon};
pub use number_field::{FieldAlign, NumberField};
pub use paint::{bar_separator_ui, divider_ui};
pub use path_text::{PathText, elide_middle};
pub use plate::{PlateButton, PlateLook, paint_plane_tag, paint_plate, paint_plate_ground, plate_ui};
pub use progress::{paint_value_bar, progress_ui};
pub use ramp_legend::{RampLegend, paint_ramp};
pub use row::{Row, RowState};
pub use section_header::SectionHeader;
pub use segmented::Segmented;
pub use slider_row::SliderRow;
pub use sparkline::{paint_sparkline, sparkline_ui};
pub use split_bar::{SplitAxis, SplitBar};
pub use stat_cell::{StatCell, stat_grid_ui};
pub use tab_bar::TabBar;
pub use text_field::TextField;
pub use time_axis::{AxisTop, HeldTop, nice_top};
pub use time_plot::{TimePlot, TimeSeries};

#[cfg(test)]
mod tests;
