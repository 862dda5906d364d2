//! Lengths in egui points that more than one widget or panel uses; all on a grid of 4.

/// Space inside a panel, left and right.
pub const PANEL_PADDING: f32 = 12.0;
/// Space between items.
pub const GAP: f32 = 8.0;
/// Space between items that belong together.
pub const TIGHT_GAP: f32 = 4.0;
/// Gap around and between panes.
pub const PANE_GAP: f32 = 4.0;

/// Height of controls: buttons, fields, segmented controls.
pub const CONTROL_HEIGHT: f32 = 24.0;
/// Height of tool buttons.
pub const TOOL_HEIGHT: f32 = 28.0;
/// Height of a row in lists and of a layer.
pub const ROW_LIST: f32 = 24.0;
/// Height of a row in tables, and of a key with its value.
pub const ROW_TABLE: f32 = 22.0;
/// Height of the row of a mag.
pub const ROW_MAG: f32 = 20.0;
/// Height of a section header.
pub const SECTION_HEADER: f32 = 32.0;
/// Height of a tab bar.
pub const TAB_BAR: f32 = 36.0;
/// Height of a plate on a slice.
pub const PLATE: f32 = 20.0;
/// Distance of plates from the edges of a pane, and between each other.
pub const PLATE_MARGIN: f32 = 8.0;
/// Width of the label column in rows with a slider or a choice.
pub const LABEL_COLUMN: f32 = 72.0;
/// Width of the key column in key and value rows.
pub const KEY_COLUMN: f32 = 112.0;

/// Height of the top bar.
pub const TOP_BAR: f32 = 40.0;
/// Height of the status bar.
pub const STATUS_BAR: f32 = 28.0;
/// Height of the bottom panel.
pub const BOTTOM_PANEL: f32 = 208.0;
/// Height of the folded bottom panel.
pub const BOTTOM_STRIP: f32 = 32.0;
/// Height of the bar with annotation tools.
pub const TOOL_BAR: f32 = 40.0;

/// Corner radius of controls.
pub const RADIUS_CONTROL: u8 = 4;
/// Corner radius of chips and plates.
pub const RADIUS_CHIP: u8 = 3;
/// Corner radius of panes.
pub const RADIUS_PANE: u8 = 2;
/// Corner radius of popups and cards.
pub const RADIUS_POPUP: u8 = 6;
