//! Dark plates, on which everything stands that is written on a slice; the same in both themes.

use egui::{Align2, Color32, Painter, Pos2, Rect, Response, Role, Sense, Ui, Widget, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Icon, Plane, Tokens, fonts, metrics};

const PADDING: f32 = 6.0;

/// Ground and text of a plate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateLook {
    /// Ground, translucent on slices.
    pub ground: Color32,
    /// Text.
    pub text: Color32,
}

impl PlateLook {
    /// A plate on a slice.
    pub fn on_slice(tokens: &Tokens) -> Self {
        Self { ground: tokens.slice.plate, text: tokens.slice.text }
    }

    /// The tag of a pane that isn't a slice, such as the map.
    pub fn map_tag(tokens: &Tokens) -> Self {
        Self { ground: tokens.bg5, text: tokens.t1 }
    }
}

/// Paints a plate, 20 high, whose `align` point (such as `LEFT_TOP`) lies on `anchor`, and returns
/// where it lies. The next plate to its right starts 4 further.
pub fn paint_plate(painter: &Painter, anchor: Pos2, align: Align2, text: &str, look: PlateLook) -> Rect {
    paint_tag(painter, anchor, align, text, fonts::small(), look)
}

/// Paints the tag of a plane in its colour and returns where it lies.
pub fn paint_plane_tag(painter: &Painter, anchor: Pos2, align: Align2, plane: Plane, tokens: &Tokens) -> Rect {
    let look = PlateLook { ground: tokens.plane(plane), text: tokens.plane_text(plane) };
    paint_tag(painter, anchor, align, plane.name(), fonts::small_semi_bold(), look)
}

/// Paints the ground of a plate of any size, for axes and the scale bar.
pub fn paint_plate_ground(painter: &Painter, rect: Rect, tokens: &Tokens) {
    painter.rect_filled(rect, metrics::RADIUS_CHIP, tokens.slice.plate);
}

/// A plate as a widget, for tags outside slices.
pub fn plate_ui(ui: &mut Ui, text: &str, look: PlateLook) -> Response {
    let width = plate_width(ui.painter(), text, fonts::small_semi_bold());
    let (rect, response) = ui.allocate_exact_size(vec2(width, metrics::PLATE), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), text));
    paint_tag(ui.painter(), rect.min, Align2::LEFT_TOP, text, fonts::small_semi_bold(), look);
    response
}

/// A button on a slice: an icon on a plate, 20 × 20.
#[must_use = "add it to a ui"]
pub struct PlateButton<'a> {
    icon: Icon,
    name: &'a str,
    tooltip: &'a str,
}

impl<'a> PlateButton<'a> {
    /// `name` is what screen readers say.
    pub fn new(icon: Icon, name: &'a str, tooltip: &'a str) -> Self {
        Self { icon, name, tooltip }
    }
}

impl Widget for PlateButton<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        // A drag that begins here is none of the slice below.
        let (rect, response) = ui.allocate_exact_size(vec2(metrics::PLATE, metrics::PLATE), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), self.name));
        let ground = if response.hovered() { tokens.slice.plate_hovered } else { tokens.slice.plate };
        ui.painter().rect_filled(rect, metrics::RADIUS_CHIP, ground);
        paint::icon(ui.painter(), self.icon, rect.center(), Icon::SIZE_IN_TEXT, tokens.slice.text);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CHIP);
        response.on_hover_text(self.tooltip)
    }
}

fn plate_width(painter: &Painter, text: &str, font: egui::FontId) -> f32 {
    let galley = painter.layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER);
    paint::whole(galley.size().x + 2.0 * PADDING)
}

fn paint_tag(painter: &Painter, anchor: Pos2, align: Align2, text: &str, font: egui::FontId, look: PlateLook) -> Rect {
    let width = plate_width(painter, text, font.clone());
    let rect = align.anchor_size(anchor, vec2(width, metrics::PLATE));
    painter.rect_filled(rect, metrics::RADIUS_CHIP, look.ground);
    let galley = painter.layout_no_wrap(text.to_owned(), font, look.text);
    paint::draw(painter, &galley, Align2::CENTER_CENTER, rect, look.text);
    rect
}
