//! The header of a panel section: a divider, the title, its subject, and actions at the right.

use egui::{Align, Align2, Color32, InnerResponse, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Icon, Tokens, fonts, icons, metrics};

/// A section header, 32 high.
#[must_use = "call `show`"]
pub struct SectionHeader<'a> {
    title: &'a str,
    subject: &'a str,
    open: Option<&'a mut bool>,
    has_divider: bool,
    overhang: f32,
}

impl<'a> SectionHeader<'a> {
    /// A header with a divider above it that doesn't fold.
    pub fn new(title: &'a str) -> Self {
        Self { title, subject: "", open: None, has_divider: true, overhang: paint::ACTION_OVERHANG }
    }

    /// What the section is about, quieter after the title, such as a layer or a count.
    pub fn subject(mut self, subject: &'a str) -> Self {
        self.subject = subject;
        self
    }

    /// The first section of a panel has nothing to be divided from.
    pub fn without_divider(mut self) -> Self {
        self.has_divider = false;
        self
    }

    /// Ends the actions at the edge of the panel's contents: for fields and segmented controls.
    /// Otherwise they reach 4 further, so that icons and quiet texts end there.
    pub fn flush(mut self) -> Self {
        self.overhang = 0.0;
        self
    }

    /// Makes the section fold; a click on the title opens and closes it.
    pub fn foldable(mut self, open: &'a mut bool) -> Self {
        self.open = Some(open);
        self
    }

    /// Draws the header; `actions` adds from the right to the left.
    pub fn show<R>(self, ui: &mut Ui, actions: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
        let tokens = Tokens::of(ui);
        let Self { title, subject, open, has_divider, overhang } = self;
        let is_foldable = open.is_some();
        let sense = if is_foldable { Sense::click() } else { Sense::hover() };
        let (rect, mut response) = ui.allocate_exact_size(vec2(ui.available_width(), metrics::SECTION_HEADER), sense);
        if has_divider {
            paint::paint_divider(ui, rect.top(), tokens);
        }
        let mut is_open = true;
        if let Some(open) = open {
            if response.clicked() {
                *open = !*open;
                response.mark_changed();
            }
            is_open = *open;
        }
        response.widget_info(|| {
            if is_foldable {
                WidgetInfo::selected(Role::DisclosureTriangle, ui.is_enabled(), is_open, title)
            } else {
                WidgetInfo::labeled(Role::Heading, ui.is_enabled(), title)
            }
        });

        let mut left = rect.left();
        if is_foldable {
            let caret = if is_open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
            let center = rect.left_center() + vec2(Icon::SIZE_CARET / 2.0, 0.0);
            paint::icon(ui.painter(), caret, center, Icon::SIZE_CARET, tokens.t2);
            left += Icon::SIZE_CARET + metrics::GAP;
        }
        let text = paint::line(ui, title, fonts::section(), Color32::PLACEHOLDER);
        let placed = paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, rect.with_min_x(left), tokens.t1);
        let mut rest_left = placed.right() + metrics::GAP;
        if !subject.is_empty() {
            let room = rect.with_min_x(rest_left);
            let text = paint::line_within(ui, subject, fonts::control(), tokens.t3, room.width());
            let placed = paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, room, tokens.t3);
            rest_left = placed.right() + metrics::GAP;
        }
        paint::focus_ring(ui, &response, rect.shrink2(vec2(0.0, 4.0)), metrics::RADIUS_CONTROL);
        let mut rest = ui.new_child(
            UiBuilder::new()
                .max_rect(rect.with_min_x(rest_left.min(rect.right())).with_max_x(rect.right() + overhang))
                .layout(Layout::right_to_left(Align::Center)),
        );
        rest.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
        let inner = actions(&mut rest);
        InnerResponse::new(inner, response)
    }

    /// Draws the header without actions.
    pub fn show_plain(self, ui: &mut Ui) -> egui::Response {
        self.show(ui, |_| ()).response
    }
}
