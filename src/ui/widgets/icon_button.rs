//! Buttons that are an icon: plain, switched on and off, and tools with their name beside.

use egui::{Align2, Color32, Response, Role, Sense, Ui, Widget, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Icon, Tokens, fonts, metrics};

/// An icon-only button; see [`IconButton`].
pub fn icon_button_ui(ui: &mut Ui, icon: Icon, name: &str, tooltip: &str) -> Response {
    ui.add(IconButton::new(icon, name, tooltip))
}

/// An icon that switches something; see [`IconToggle`].
pub fn icon_toggle_ui(ui: &mut Ui, on: &mut bool, icon: Icon, name: &str, tooltip: &str) -> Response {
    ui.add(IconToggle::new(on, icon, name, tooltip))
}

/// An icon-only button, 24 × 24. What can't be read as text needs a name and a tooltip.
#[must_use = "add it to a ui"]
pub struct IconButton<'a> {
    icon: Icon,
    name: &'a str,
    tooltip: &'a str,
    button_size: f32,
    icon_size: f32,
}

impl<'a> IconButton<'a> {
    /// `name` is what screen readers say, `tooltip` may add a shortcut or a reason.
    pub fn new(icon: Icon, name: &'a str, tooltip: &'a str) -> Self {
        Self { icon, name, tooltip, button_size: metrics::CONTROL_HEIGHT, icon_size: Icon::SIZE }
    }

    /// A smaller one for rows: 20 × 20 with an icon of 14.
    pub fn small(mut self) -> Self {
        self.button_size = 20.0;
        self.icon_size = Icon::SIZE_IN_TEXT;
        self
    }

    /// A caret: 16 × 20 wide places only, icon of 12.
    pub fn caret(mut self) -> Self {
        self.button_size = 20.0;
        self.icon_size = Icon::SIZE_CARET;
        self
    }
}

impl Widget for IconButton<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(self.button_size, self.button_size), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), self.name));
        let fill = paint::ground(ui, &response, Color32::TRANSPARENT);
        let color = if response.hovered() && ui.is_enabled() { tokens.t1 } else { tokens.t2 };
        ui.painter().rect_filled(rect, metrics::RADIUS_CONTROL, fill);
        paint::icon(ui.painter(), self.icon, rect.center(), self.icon_size, color);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CONTROL);
        response.on_hover_text(self.tooltip)
    }
}

/// An icon that shows and switches whether something is on.
#[must_use = "add it to a ui"]
pub struct IconToggle<'a> {
    on: &'a mut bool,
    icon: Icon,
    icon_off: Option<Icon>,
    name: &'a str,
    tooltip: &'a str,
    button_size: f32,
}

impl<'a> IconToggle<'a> {
    /// A switch, 24 × 24, with the ground of things switched on.
    pub fn new(on: &'a mut bool, icon: Icon, name: &'a str, tooltip: &'a str) -> Self {
        Self { on, icon, icon_off: None, name, tooltip, button_size: metrics::CONTROL_HEIGHT }
    }

    /// Shows another icon when off instead of a ground when on, such as an eye that closes.
    pub fn swapping(mut self, icon_off: Icon) -> Self {
        self.icon_off = Some(icon_off);
        self
    }
}

impl Widget for IconToggle<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let (rect, mut response) = ui.allocate_exact_size(vec2(self.button_size, self.button_size), Sense::click());
        if response.clicked() {
            *self.on = !*self.on;
            response.mark_changed();
        }
        let on = *self.on;
        response.widget_info(|| WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), on, self.name));
        let (icon, idle, color) = match self.icon_off {
            None if on => (self.icon, tokens.accbg, tokens.acctx),
            None => (self.icon, Color32::TRANSPARENT, tokens.t2),
            Some(_) if on => (self.icon, Color32::TRANSPARENT, tokens.t1),
            Some(icon_off) => (icon_off, Color32::TRANSPARENT, tokens.t3),
        };
        let fill = if on && self.icon_off.is_none() && ui.is_enabled() { idle } else { paint::ground(ui, &response, idle) };
        ui.painter().rect_filled(rect, metrics::RADIUS_CONTROL, fill);
        paint::icon(ui.painter(), icon, rect.center(), Icon::SIZE, color);
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CONTROL);
        response.on_hover_text(self.tooltip)
    }
}

/// A tool with its full name beside the icon, 28 high.
#[must_use = "add it to a ui"]
pub struct ToolButton<'a> {
    icon: Icon,
    label: &'a str,
    tooltip: &'a str,
    selected: bool,
    has_name: bool,
}

impl<'a> ToolButton<'a> {
    /// A tool that is in use or not.
    pub fn new(icon: Icon, label: &'a str, tooltip: &'a str, selected: bool) -> Self {
        Self { icon, label, tooltip, selected, has_name: true }
    }

    /// Only the icon, where there is no room for the name.
    pub fn without_name(mut self) -> Self {
        self.has_name = false;
        self
    }
}

impl Widget for ToolButton<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        const PADDING: f32 = 8.0;
        let tokens = Tokens::of(ui);
        let text = paint::line(ui, self.label, fonts::control(), Color32::PLACEHOLDER);
        let text_left = PADDING + Icon::SIZE + 6.0;
        let width = paint::whole(if self.has_name { text_left + text.size().x + PADDING } else { Icon::SIZE + 2.0 * PADDING });
        let (rect, response) = ui.allocate_exact_size(vec2(width, metrics::TOOL_HEIGHT), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), self.selected, self.label));
        let (fill, color) = if self.selected && ui.is_enabled() {
            (tokens.accbg, tokens.acctx)
        } else {
            (paint::ground(ui, &response, Color32::TRANSPARENT), tokens.t2)
        };
        ui.painter().rect_filled(rect, metrics::RADIUS_CONTROL, fill);
        let icon_center = rect.left_center() + vec2(PADDING + Icon::SIZE / 2.0, 0.0);
        paint::icon(ui.painter(), self.icon, icon_center, Icon::SIZE, color);
        if self.has_name {
            let text_rect = rect.with_min_x(rect.left() + text_left);
            paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, text_rect, color);
        }
        paint::focus_ring(ui, &response, rect, metrics::RADIUS_CONTROL);
        response.on_hover_text(self.tooltip)
    }
}
