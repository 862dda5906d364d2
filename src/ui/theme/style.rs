//! The `egui::Style` of a theme, and its installation into a context.
//!
//! The only place that touches `egui::Visuals`.

use egui::epaint::Shadow;
use egui::style::{HandleShape, ScrollStyle, Selection, Spacing, TextCursorStyle, WidgetVisuals, Widgets};
use egui::{Color32, CornerRadius, Margin, Stroke, TextStyle, Theme, ThemePreference, Vec2, vec2};

use super::{color, fonts, metrics, tokens::Tokens};

/// What a person chose about the looks of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Appearance {
    /// Dark, light, or as the system has it.
    pub theme: ThemePreference,
    /// How large everything is.
    pub text_size: TextSize,
    /// Whether things may move.
    pub motion: Motion,
}

impl Default for Appearance {
    fn default() -> Self {
        Self { theme: ThemePreference::Dark, text_size: TextSize::default(), motion: Motion::default() }
    }
}

/// Size of text and with it of everything, so that rows and controls still fit their text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextSize {
    /// 90 %.
    Small,
    /// 100 %.
    #[default]
    Normal,
    /// 115 %.
    Large,
    /// 130 %.
    Larger,
}

impl TextSize {
    /// All sizes, from small to large.
    pub const ALL: [Self; 4] = [Self::Small, Self::Normal, Self::Large, Self::Larger];

    /// The factor for `egui::Context::set_zoom_factor`.
    pub fn zoom_factor(self) -> f32 {
        match self {
            Self::Small => 0.9,
            Self::Normal => 1.0,
            Self::Large => 1.15,
            Self::Larger => 1.3,
        }
    }

    /// The name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "Small",
            Self::Normal => "Normal",
            Self::Large => "Large",
            Self::Larger => "Larger",
        }
    }
}

/// Whether hover and fold are animated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Motion {
    /// Short transitions.
    #[default]
    Normal,
    /// None, as the system asks.
    Reduced,
}

/// Sets fonts and styles of a fresh context.
pub fn install(ctx: &egui::Context, appearance: &Appearance) {
    ctx.set_fonts(fonts::definitions());
    apply(ctx, appearance);
}

/// Follows a changed choice; cheap enough to call on every change, not on every frame.
pub fn apply(ctx: &egui::Context, appearance: &Appearance) {
    for theme in [Theme::Dark, Theme::Light] {
        ctx.set_style_of(theme, style(theme, appearance.motion));
    }
    ctx.set_theme(appearance.theme);
    ctx.set_zoom_factor(appearance.text_size.zoom_factor());
}

/// The whole egui style of a theme.
pub fn style(theme: Theme, motion: Motion) -> egui::Style {
    let tokens = Tokens::of_theme(theme);
    let mut style = egui::Style {
        text_styles: text_styles(),
        drag_value_text_style: control(),
        spacing: spacing(),
        visuals: visuals(theme, tokens),
        animation_time: match motion {
            Motion::Normal => 0.08,
            Motion::Reduced => 0.0,
        },
        explanation_tooltips: false,
        ..egui::Style::default()
    };
    if motion == Motion::Reduced {
        style.scroll_animation = egui::style::ScrollAnimation::none();
    }
    // Values are copied from marked rows; labels everywhere would swallow drags and clicks.
    style.interaction.selectable_labels = false;
    style.interaction.tooltip_delay = 0.4;
    style
}

/// The text style of rows, values and the status bar.
fn control() -> TextStyle {
    TextStyle::Name("control".into())
}

fn text_styles() -> std::collections::BTreeMap<TextStyle, egui::FontId> {
    [
        (TextStyle::Name("display".into()), fonts::display()),
        (TextStyle::Body, fonts::body()),
        (TextStyle::Button, fonts::control()),
        (control(), fonts::control()),
        (TextStyle::Heading, fonts::section()),
        (TextStyle::Small, fonts::small()),
        (TextStyle::Monospace, fonts::mono()),
        (TextStyle::Name("hex".into()), fonts::hex()),
    ]
    .into()
}

fn spacing() -> Spacing {
    Spacing {
        item_spacing: vec2(metrics::GAP, metrics::TIGHT_GAP),
        button_padding: vec2(10.0, 4.0),
        window_margin: Margin::same(12),
        menu_margin: Margin::same(4),
        interact_size: Vec2::splat(metrics::CONTROL_HEIGHT),
        slider_rail_height: 4.0,
        indent: 20.0,
        icon_width: 14.0,
        icon_width_inner: 8.0,
        icon_spacing: 6.0,
        combo_width: 96.0,
        tooltip_width: 320.0,
        scroll: ScrollStyle {
            bar_width: 8.0,
            floating_width: 4.0,
            // The handle is the widgets' `bg_fill`, and not the text colour.
            foreground_color: false,
            ..ScrollStyle::floating()
        },
        ..Spacing::default()
    }
}

fn visuals(theme: Theme, t: &Tokens) -> egui::Visuals {
    let popup_shadow = Shadow { offset: [0, 4], blur: 8, spread: 0, color: t.shadow };
    let popup_radius = CornerRadius::same(metrics::RADIUS_POPUP);
    let mut visuals = egui::Visuals {
        weak_text_color: Some(t.t3),
        widgets: widgets(t),
        selection: Selection { bg_fill: t.accbg, stroke: Stroke::new(1.0, t.acctx) },
        hyperlink_color: t.acctx,
        faint_bg_color: color::mix(t.bg2, t.t1, 0.02),
        extreme_bg_color: t.bg0,
        text_edit_bg_color: Some(t.bg0),
        code_bg_color: t.bg0,
        warn_fg_color: t.warn,
        error_fg_color: t.err,
        window_corner_radius: popup_radius,
        window_shadow: popup_shadow,
        window_fill: t.bg3,
        window_stroke: Stroke::new(1.0, t.line2),
        menu_corner_radius: popup_radius,
        panel_fill: t.bg2,
        popup_shadow,
        text_cursor: TextCursorStyle { stroke: Stroke::new(1.0, t.acc), ..TextCursorStyle::default() },
        indent_has_left_vline: false,
        striped: false,
        slider_trailing_fill: true,
        handle_shape: HandleShape::Circle,
        disabled_alpha: 0.6,
        ..theme.default_visuals()
    };
    visuals.ime_composition.active_underline_stroke = Stroke::new(2.0, t.acc);
    visuals.ime_composition.inactive_underline_stroke = Stroke::new(1.0, t.acc);
    visuals
}

fn widgets(t: &Tokens) -> Widgets {
    let base = WidgetVisuals {
        bg_fill: t.bg4,
        weak_bg_fill: t.bg3,
        bg_stroke: Stroke::new(1.0, t.line2),
        fg_stroke: Stroke::new(1.0, t.t1),
        corner_radius: CornerRadius::same(metrics::RADIUS_CONTROL),
        expansion: 0.0,
    };
    let filled = |fill: Color32| WidgetVisuals { weak_bg_fill: fill, bg_fill: t.bg5, ..base };
    Widgets {
        noninteractive: WidgetVisuals {
            bg_fill: t.bg2,
            weak_bg_fill: t.bg2,
            bg_stroke: Stroke::new(1.0, t.line),
            fg_stroke: Stroke::new(1.0, t.t2),
            ..base
        },
        inactive: base,
        hovered: filled(t.bg4),
        // egui draws what has the keyboard focus as active too, hence the accent.
        active: WidgetVisuals { bg_stroke: Stroke::new(1.0, t.acc), ..filled(t.bg5) },
        open: filled(t.bg4),
    }
}
