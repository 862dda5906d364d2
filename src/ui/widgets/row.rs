//! A row of a list that can be pointed at and chosen; its ground reaches across the panel.

use egui::{Align, Color32, InnerResponse, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Tokens, metrics};

/// Whether a row is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowState {
    /// Not chosen.
    #[default]
    Plain,
    /// Chosen, but keys go elsewhere.
    Selected,
    /// Chosen, and the one that keys and tools work on.
    Active,
}

/// A row, 24 high. Its contents are laid out from the left; clicks beside them choose the row.
#[derive(Clone, Debug)]
#[must_use = "call `show`"]
pub struct Row<'a> {
    name: &'a str,
    state: RowState,
    height: f32,
}

impl<'a> Row<'a> {
    /// `name` is what screen readers say.
    pub fn new(name: &'a str, state: RowState) -> Self {
        Self { name, state, height: metrics::ROW_LIST }
    }

    /// Another height: 22 in tables, 20 for mags.
    pub fn height(mut self, height: f32) -> Self {
        self.height = height;
        self
    }

    /// Draws the row; the response is that of the whole row.
    pub fn show<R>(self, ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
        let tokens = Tokens::of(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), self.height), Sense::click());
        let is_chosen = self.state != RowState::Plain;
        response.widget_info(|| WidgetInfo::selected(Role::ListItem, ui.is_enabled(), is_chosen, self.name));
        let fill = match self.state {
            RowState::Active => tokens.accbg,
            RowState::Selected => tokens.bg4,
            RowState::Plain if response.hovered() => tokens.bg3,
            RowState::Plain => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect.expand2(vec2(metrics::PANEL_PADDING, 0.0)), 0, fill);
        paint::focus_ring(ui, &response, rect.shrink(2.0), metrics::RADIUS_CONTROL);
        let layout = Layout::left_to_right(Align::Center);
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
        let inner = contents(&mut child);
        InnerResponse::new(inner, response)
    }
}
