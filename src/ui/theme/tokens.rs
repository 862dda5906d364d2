//! The colour tokens of the dark and the light theme, all of them and only here.

use egui::Color32;

use super::color::{self, rgb};

/// The colours of one theme. Text on `bg0` to `bg4` and `accbg` keeps a contrast of 4.5 : 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokens {
    /// Whether this is the dark theme.
    pub dark: bool,
    /// Ground of inputs, map and plots.
    pub bg0: Color32,
    /// Gaps between panes, stat cells, welcome page.
    pub bg1: Color32,
    /// Panels and bars.
    pub bg2: Color32,
    /// Buttons, chips, tooltips, opened problem.
    pub bg3: Color32,
    /// Hover, selected row without keyboard focus, slider rail.
    pub bg4: Color32,
    /// Pressed, Map tag.
    pub bg5: Color32,
    /// Dividers.
    pub line: Color32,
    /// Borders of controls.
    pub line2: Color32,
    /// Text of values and headings.
    pub t1: Color32,
    /// Text of labels, and icons.
    pub t2: Color32,
    /// Text of hints and units.
    pub t3: Color32,
    /// The only accent: active tab line, focus ring, slider, handles, selected byte.
    pub acc: Color32,
    /// Ground of something switched on or active.
    pub accbg: Color32,
    /// Text of something switched on or active.
    pub acctx: Color32,
    /// Text on a fill of `acc`.
    pub acct: Color32,
    /// Severity warning.
    pub warn: Color32,
    /// Severity error.
    pub err: Color32,
    /// A check that passed.
    pub ok: Color32,
    /// A note.
    pub info: Color32,
    /// Ground of inline errors and failed cells.
    pub errbg: Color32,
    /// Ground of inline warnings.
    pub warnbg: Color32,
    /// Card of a recent dataset.
    pub card: Color32,
    /// Shadow of popups.
    pub shadow: Color32,
    /// Chunk and shard states.
    pub chunk: ChunkColors,
    /// Colours of stored bytes, ratio and read time, low to high; see [`Tokens::ramp_color`].
    pub ramp: [Color32; 6],
    /// Plot series, in the order of [`Series`].
    pub series: [Color32; 6],
    /// Colours of the planes, the same in both themes.
    pub planes: PlaneColors,
    /// Colours of what lies on slices, the same in both themes.
    pub slice: SliceColors,
}

/// Colours of chunk and shard states; never the only sign of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkColors {
    /// Stored.
    pub present: Color32,
    /// Still loading.
    pub pending: Color32,
    /// Stored, all fill value; has a border of `line2`.
    pub empty: Color32,
    /// Not stored.
    pub missing: Color32,
    /// Dots on a missing cell.
    pub missing_dots: Color32,
    /// Outside the bounding box.
    pub outside: Color32,
}

/// Frame and tag colours of the three planes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneColors {
    /// Frame and tag ground, in the order XY, YZ, XZ.
    pub frame: [Color32; 3],
    /// Tag text, in the order XY, YZ, XZ.
    pub tag_text: [Color32; 3],
}

/// Colours of overlays on slices. Slices are never tinted by the theme, so neither are these.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceColors {
    /// Ground of plates, translucent.
    pub plate: Color32,
    /// Ground of plates under the pointer, opaque.
    pub plate_hovered: Color32,
    /// Text and icons on plates.
    pub text: Color32,
    /// Ground of failed chunks.
    pub failed: Color32,
    /// Stands in for pending chunks without a coarser mag, translucent.
    pub pending: Color32,
    /// Grids, rings and outlines at full strength.
    pub white: Color32,
    /// Chunk grid.
    pub chunk_grid: Color32,
    /// Shard grid.
    pub shard_grid: Color32,
    /// Dark line under the crosshair.
    pub crosshair_halo: Color32,
    /// Dark line under skeleton edges and the brush outline.
    pub halo: Color32,
}

/// One of the three orthogonal planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plane {
    /// x to the right, y down.
    Xy,
    /// z to the right, y down.
    Yz,
    /// x to the right, z down.
    Xz,
}

/// What a plot series shows; the meaning of the colours is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Series {
    /// Bytes read, chunks waiting.
    Read,
    /// Bytes decoded, chunks done.
    Decoded,
    /// Median, and cache.
    P50,
    /// 99th percentile.
    P99,
    /// 95th percentile.
    P95,
    /// Anything else.
    Spare,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Something can't be shown or done.
    Error,
    /// Shown or done, but with an assumption.
    Warning,
    /// Good to know.
    Info,
    /// A check that passed.
    Ok,
}

const PLANES: PlaneColors =
    PlaneColors { frame: [rgb(0xeb4b98), rgb(0x5660ff), rgb(0x59f8e8)], tag_text: [rgb(0x0d0e10), rgb(0xffffff), rgb(0x0d0e10)] };

const SLICE: SliceColors = SliceColors {
    plate: Color32::from_rgba_unmultiplied_const(13, 14, 16, 199), // 78 %
    plate_hovered: rgb(0x2e3237),
    text: rgb(0xe6e8eb),
    failed: rgb(0x1c1112),
    pending: Color32::from_rgba_unmultiplied_const(128, 128, 128, 128),
    white: rgb(0xffffff),
    chunk_grid: Color32::from_rgba_unmultiplied_const(255, 255, 255, 51), // 20 %
    shard_grid: Color32::from_rgba_unmultiplied_const(255, 255, 255, 140), // 55 %
    crosshair_halo: Color32::from_black_alpha(77),                        // 30 %
    halo: Color32::from_black_alpha(128),                                 // 50 %
};

static DARK: Tokens = Tokens {
    dark: true,
    bg0: rgb(0x0d0e10),
    bg1: rgb(0x131417),
    bg2: rgb(0x1a1c1f),
    bg3: rgb(0x24272b),
    bg4: rgb(0x2e3237),
    bg5: rgb(0x3a3f46),
    line: rgb(0x292c31),
    line2: rgb(0x3b4047),
    t1: rgb(0xe6e8eb),
    t2: rgb(0xb1b6be),
    t3: rgb(0x989ea8),
    acc: rgb(0xb4d455),
    accbg: rgb(0x2f3720),
    acctx: rgb(0xc3df72),
    acct: rgb(0x14170b),
    warn: rgb(0xf0b429),
    err: rgb(0xf2695f),
    ok: rgb(0x7fc8a0),
    info: rgb(0x7fb2e5),
    errbg: rgb(0x33201f),
    warnbg: rgb(0x312a1a),
    card: rgb(0x1f2226),
    shadow: Color32::from_black_alpha(102), // 40 %
    chunk: ChunkColors {
        present: rgb(0x4d8ba3),
        pending: rgb(0x4a5566),
        empty: rgb(0x2b3640),
        missing: rgb(0x1f2226),
        missing_dots: rgb(0x4a4f57),
        outside: rgb(0x000000),
    },
    ramp: [rgb(0x1f3547), rgb(0x28536b), rgb(0x347889), rgb(0x5c9f9b), rgb(0x9cc79c), rgb(0xe3e9ab)],
    series: [rgb(0x5fb0e8), rgb(0xe3a63d), rgb(0x45c29a), rgb(0xd98bb9), rgb(0xa9a4f2), rgb(0x9aa1ac)],
    planes: PLANES,
    slice: SLICE,
};

static LIGHT: Tokens = Tokens {
    dark: false,
    bg0: rgb(0xffffff),
    bg1: rgb(0xdfe2e6),
    bg2: rgb(0xf4f5f7),
    bg3: rgb(0xe6e8ec),
    bg4: rgb(0xd9dce1),
    bg5: rgb(0xc8ccd3),
    line: rgb(0xd5d8dd),
    line2: rgb(0xb3b9c2),
    t1: rgb(0x17191c),
    t2: rgb(0x43484f),
    t3: rgb(0x595f68),
    acc: rgb(0x5b7a00),
    accbg: rgb(0xe4eecb),
    acctx: rgb(0x4a6400),
    acct: rgb(0xffffff),
    warn: rgb(0x8f5b00),
    err: rgb(0xc0312a),
    ok: rgb(0x18704a),
    info: rgb(0x1f66ad),
    errbg: rgb(0xfbe6e4),
    warnbg: rgb(0xfbf0d6),
    card: rgb(0xffffff),
    shadow: Color32::from_black_alpha(102), // 40 %
    chunk: ChunkColors {
        present: rgb(0x3f87a3),
        pending: rgb(0xb4bdc9),
        empty: rgb(0xd3dce3),
        missing: rgb(0xeceef1),
        missing_dots: rgb(0xa3a9b2),
        outside: rgb(0x000000),
    },
    ramp: [rgb(0xdcebea), rgb(0xa9d2ce), rgb(0x6db3b5), rgb(0x3b8d9d), rgb(0x22637f), rgb(0x173f5c)],
    series: [rgb(0x1f77b8), rgb(0xb36b00), rgb(0x14805e), rgb(0xa8437d), rgb(0x5e55c4), rgb(0x5d636c)],
    planes: PLANES,
    slice: SLICE,
};

impl Tokens {
    /// The tokens of the theme `ui` is drawn in.
    pub fn of(ui: &egui::Ui) -> &'static Self {
        Self::of_visuals(ui.visuals())
    }

    /// The tokens of the theme a context draws in.
    pub fn of_context(ctx: &egui::Context) -> &'static Self {
        Self::of_theme(ctx.theme())
    }

    /// The tokens that belong to `visuals`.
    pub fn of_visuals(visuals: &egui::Visuals) -> &'static Self {
        if visuals.dark_mode { &DARK } else { &LIGHT }
    }

    /// The tokens of a theme.
    pub fn of_theme(theme: egui::Theme) -> &'static Self {
        match theme {
            egui::Theme::Dark => &DARK,
            egui::Theme::Light => &LIGHT,
        }
    }

    /// The colour of `position` (0 to 1, clamped) on the ramp; more is further from the background.
    pub fn ramp_color(&self, position: f32) -> Color32 {
        color::ramp_color(&self.ramp, position)
    }

    /// The colour of a plot series.
    pub fn series(&self, series: Series) -> Color32 {
        self.series[series as usize] // as many colours as variants
    }

    /// Frame colour of a plane.
    pub fn plane(&self, plane: Plane) -> Color32 {
        self.planes.frame[plane as usize] // as many colours as variants
    }

    /// Text colour on the tag of a plane.
    pub fn plane_text(&self, plane: Plane) -> Color32 {
        self.planes.tag_text[plane as usize] // as many colours as variants
    }

    /// Icon and text colour of a severity.
    pub fn severity(&self, severity: Severity) -> Color32 {
        match severity {
            Severity::Error => self.err,
            Severity::Warning => self.warn,
            Severity::Info => self.info,
            Severity::Ok => self.ok,
        }
    }
}

impl Plane {
    /// The name on the tag of the plane.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xy => "XY",
            Self::Yz => "YZ",
            Self::Xz => "XZ",
        }
    }
}
