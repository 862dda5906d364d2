//! The icons of the bundled Phosphor subset, by their names there.
//!
//! `assets/fonts/make_fonts.py --list` prints names and code points. Icons are text of their own
//! font family, so they take the colour of their label. Only this file knows code points.

use egui::RichText;

use super::fonts;

/// An icon of the bundled icon font.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Icon(&'static str);

impl Icon {
    /// Size of icons on their own, in points.
    pub const SIZE: f32 = 16.0;
    /// Size of icons in text buttons and lists, in points.
    pub const SIZE_IN_TEXT: f32 = 14.0;
    /// Size of carets, in points.
    pub const SIZE_CARET: f32 = 12.0;
    /// Size of icons on the welcome page, in points.
    pub const SIZE_WELCOME: f32 = 24.0;

    /// The icon as a string of one character of the icon font.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The icon as text for egui's own widgets, `size` points high.
    pub fn rich(self, size: f32) -> RichText {
        RichText::new(self.0).font(fonts::icon(size))
    }
}

/// `eye`.
pub const EYE: Icon = Icon("\u{e220}");
/// `eye-slash`.
pub const EYE_SLASH: Icon = Icon("\u{e224}");
/// `folder-open`.
pub const FOLDER_OPEN: Icon = Icon("\u{e256}");
/// `file`.
pub const FILE: Icon = Icon("\u{e230}");
/// `cube`.
pub const CUBE: Icon = Icon("\u{e1da}");
/// `copy`.
pub const COPY: Icon = Icon("\u{e1ca}");
/// `export`.
pub const EXPORT: Icon = Icon("\u{eaf0}");
/// `download-simple`.
pub const DOWNLOAD_SIMPLE: Icon = Icon("\u{e20c}");
/// `magnifying-glass`.
pub const MAGNIFYING_GLASS: Icon = Icon("\u{e30c}");
/// `funnel-simple`.
pub const FUNNEL_SIMPLE: Icon = Icon("\u{e268}");
/// `caret-down`.
pub const CARET_DOWN: Icon = Icon("\u{e136}");
/// `caret-right`.
pub const CARET_RIGHT: Icon = Icon("\u{e13a}");
/// `caret-up`.
pub const CARET_UP: Icon = Icon("\u{e13c}");
/// `crosshair`.
pub const CROSSHAIR: Icon = Icon("\u{e1d6}");
/// `crosshair-simple`.
pub const CROSSHAIR_SIMPLE: Icon = Icon("\u{e1d8}");
/// `ruler`.
pub const RULER: Icon = Icon("\u{e6b8}");
/// `bounding-box`.
pub const BOUNDING_BOX: Icon = Icon("\u{e6ce}");
/// `grid-nine`, for the chunk grid.
pub const GRID_NINE: Icon = Icon("\u{ec8c}");
/// `squares-four`, for the shard grid.
pub const SQUARES_FOUR: Icon = Icon("\u{e464}");
/// `graph`, for skeletons.
pub const GRAPH: Icon = Icon("\u{eb58}");
/// `target`.
pub const TARGET: Icon = Icon("\u{e47c}");
/// `push-pin`.
pub const PUSH_PIN: Icon = Icon("\u{e3e2}");
/// `arrows-out`.
pub const ARROWS_OUT: Icon = Icon("\u{e0a2}");
/// `arrows-in`.
pub const ARROWS_IN: Icon = Icon("\u{e09a}");
/// `pause`.
pub const PAUSE: Icon = Icon("\u{e39e}");
/// `play`.
pub const PLAY: Icon = Icon("\u{e3d0}");
/// `arrow-clockwise`.
pub const ARROW_CLOCKWISE: Icon = Icon("\u{e036}");
/// `arrows-clockwise`.
pub const ARROWS_CLOCKWISE: Icon = Icon("\u{e094}");
/// `arrows-out-cardinal`.
pub const ARROWS_OUT_CARDINAL: Icon = Icon("\u{e0a4}");
/// `paint-brush`.
pub const PAINT_BRUSH: Icon = Icon("\u{e6f0}");
/// `eraser`.
pub const ERASER: Icon = Icon("\u{e21e}");
/// `lasso`.
pub const LASSO: Icon = Icon("\u{edc6}");
/// `paint-bucket`.
pub const PAINT_BUCKET: Icon = Icon("\u{e392}");
/// `eyedropper`.
pub const EYEDROPPER: Icon = Icon("\u{e568}");
/// `arrow-u-up-left`.
pub const ARROW_U_UP_LEFT: Icon = Icon("\u{e08a}");
/// `arrow-u-up-right`.
pub const ARROW_U_UP_RIGHT: Icon = Icon("\u{e08c}");
/// `plus`.
pub const PLUS: Icon = Icon("\u{e3d4}");
/// `minus`.
pub const MINUS: Icon = Icon("\u{e32a}");
/// `check`.
pub const CHECK: Icon = Icon("\u{e182}");
/// `check-circle`.
pub const CHECK_CIRCLE: Icon = Icon("\u{e184}");
/// `x`.
pub const X: Icon = Icon("\u{e4f6}");
/// `x-circle`.
pub const X_CIRCLE: Icon = Icon("\u{e4f8}");
/// `warning`.
pub const WARNING: Icon = Icon("\u{e4e0}");
/// `info`.
pub const INFO: Icon = Icon("\u{e2ce}");
/// `clipboard-text`.
pub const CLIPBOARD_TEXT: Icon = Icon("\u{e198}");
/// `hard-drives`.
pub const HARD_DRIVES: Icon = Icon("\u{e2a0}");

/// Every icon with its Phosphor name, for tests and the gallery.
pub const ALL: &[(&str, Icon)] = &[
    ("eye", EYE),
    ("eye-slash", EYE_SLASH),
    ("folder-open", FOLDER_OPEN),
    ("file", FILE),
    ("cube", CUBE),
    ("copy", COPY),
    ("export", EXPORT),
    ("download-simple", DOWNLOAD_SIMPLE),
    ("magnifying-glass", MAGNIFYING_GLASS),
    ("funnel-simple", FUNNEL_SIMPLE),
    ("caret-down", CARET_DOWN),
    ("caret-right", CARET_RIGHT),
    ("caret-up", CARET_UP),
    ("crosshair", CROSSHAIR),
    ("crosshair-simple", CROSSHAIR_SIMPLE),
    ("ruler", RULER),
    ("bounding-box", BOUNDING_BOX),
    ("grid-nine", GRID_NINE),
    ("squares-four", SQUARES_FOUR),
    ("graph", GRAPH),
    ("target", TARGET),
    ("push-pin", PUSH_PIN),
    ("arrows-out", ARROWS_OUT),
    ("arrows-in", ARROWS_IN),
    ("pause", PAUSE),
    ("play", PLAY),
    ("arrow-clockwise", ARROW_CLOCKWISE),
    ("arrows-clockwise", ARROWS_CLOCKWISE),
    ("arrows-out-cardinal", ARROWS_OUT_CARDINAL),
    ("paint-brush", PAINT_BRUSH),
    ("eraser", ERASER),
    ("lasso", LASSO),
    ("paint-bucket", PAINT_BUCKET),
    ("eyedropper", EYEDROPPER),
    ("arrow-u-up-left", ARROW_U_UP_LEFT),
    ("arrow-u-up-right", ARROW_U_UP_RIGHT),
    ("plus", PLUS),
    ("minus", MINUS),
    ("check", CHECK),
    ("check-circle", CHECK_CIRCLE),
    ("x", X),
    ("x-circle", X_CIRCLE),
    ("warning", WARNING),
    ("info", INFO),
    ("clipboard-text", CLIPBOARD_TEXT),
    ("hard-drives", HARD_DRIVES),
];
