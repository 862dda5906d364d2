//! A row of tabs with a line under the open one.

use std::sync::Arc;

use egui::{Align2, Color32, Galley, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint;
use crate::ui::theme::{Severity, Tokens, fonts, metrics};

const GAP: f32 = 16.0;
/// Where there are many tabs in little room.
const MIN_GAP: f32 = 6.0;
const BADGE_HEIGHT: f32 = 16.0;
const UNDERLINE: f32 = 2.0;

/// A tab bar, 36 high, with a divider along its lower edge.
#[must_use = "call `show`"]
pub struct TabBar<'a, T> {
    name: &'a str,
    selected: &'a mut T,
    tabs: Vec<Tab<'a, T>>,
    height: f32,
}

struct Tab<'a, T> {
    value: T,
    label: &'a str,
    badge: Option<(usize, Severity)>,
}

impl<'a, T: PartialEq> TabBar<'a, T> {
    /// `name` is what screen readers call the whole bar.
    pub fn new(name: &'a str, selected: &'a mut T) -> Self {
        Self { name, selected, tabs: Vec::new(), height: metrics::TAB_BAR }
    }

    /// Adds a tab.
    pub fn tab(mut self, value: T, label: &'a str) -> Self {
        self.tabs.push(Tab { value, label, badge: None });
        self
    }

    /// Adds a tab with a count on it, left out when it is 0.
    pub fn tab_with_count(mut self, value: T, label: &'a str, count: usize, severity: Severity) -> Self {
        let badge = (count > 0).then_some((count, severity));
        self.tabs.push(Tab { value, label, badge });
        self
    }

    /// Another height than 36, such as the strip of the bottom panel.
    pub fn height(mut self, height: f32) -> Self {
        self.height = height;
        self
    }

    /// Draws the tabs and, after them and from the right, what `actions` adds.
    pub fn show_with<R>(self, ui: &mut Ui, actions: impl FnOnce(&mut Ui) -> R) -> (Response, R) {
        let tokens = Tokens::of(ui);
        let size = vec2(ui.available_width(), self.height);
        let (rect, mut response) = ui.allocate_exact_size(size, Sense::hover());
        let name = self.name;
        response.widget_info(|| WidgetInfo::labeled(Role::TabList, ui.is_enabled(), name));
        paint::paint_divider(ui, rect.bottom() - 1.0, tokens);

        let looks: Vec<TabLook> = self.tabs.iter().map(|tab| TabLook::of(ui, tab)).collect();
        let gaps = looks.len().saturating_sub(1).max(1) as f32;
        let gap = ((rect.width() - looks.iter().map(|look| look.width).sum::<f32>()) / gaps).floor().clamp(MIN_GAP, GAP);
        let mut left = rect.left();
        for (index, (tab, look)) in self.tabs.into_iter().zip(looks).enumerate() {
            let is_open = *self.selected == tab.value;
            let id = response.id.with(index);
            let (tab_rect, tab_response) = tab_ui(ui, id, rect.with_min_x(left), (&tab, look), is_open, gap);
            left = tab_rect.right() + gap;
            if tab_response.clicked() && !is_open {
                *self.selected = tab.value;
                response.mark_changed();
            }
        }
        let mut rest = ui.new_child(
            egui::UiBuilder::new()
                .max_rect(rect.with_min_x(left.min(rect.right())).with_max_x(rect.right() + paint::ACTION_OVERHANG))
                .layout(egui::Layout::right_to_left(egui::Align::Center)),
        );
        rest.spacing_mut().item_spacing.x = metrics::TIGHT_GAP;
        let inner = actions(&mut rest);
        (response, inner)
    }

    /// Draws the tabs; the response has changed when another one was opened.
    pub fn show(self, ui: &mut Ui) -> Response {
        self.show_with(ui, |_| ()).0
    }
}

/// A tab laid out.
struct TabLook {
    text: Arc<Galley>,
    /// Text, width and colour of the count.
    badge: Option<(Arc<Galley>, f32, Color32)>,
    width: f32,
}

impl TabLook {
    fn of<T>(ui: &Ui, tab: &Tab<'_, T>) -> Self {
        let tokens = Tokens::of(ui);
        let text = paint::line(ui, tab.label, fonts::control(), Color32::PLACEHOLDER);
        let badge = tab.badge.map(|(count, severity)| {
            let text = paint::line(ui, &count.to_string(), fonts::small_semi_bold(), tokens.acct);
            let width = paint::whole(text.size().x + 8.0).max(BADGE_HEIGHT);
            (text, width, tokens.severity(severity))
        });
        let width = paint::whole(text.size().x) + badge.as_ref().map_or(0.0, |(_, width, _)| 6.0 + width);
        Self { text, badge, width }
    }
}

fn tab_ui<T>(ui: &Ui, id: egui::Id, free: Rect, (tab, look): (&Tab<'_, T>, TabLook), is_open: bool, gap: f32) -> (Rect, Response) {
    let tokens = Tokens::of(ui);
    let TabLook { text, badge, width } = look;
    let rect = free.with_max_x(free.left() + width);
    let response = ui.interact(rect.expand2(vec2(gap / 2.0, 0.0)), id, Sense::click());
    let name = match tab.badge {
        Some((count, _)) => format!("{} ({count})", tab.label),
        None => tab.label.to_owned(),
    };
    response.widget_info(|| WidgetInfo::selected(Role::Tab, ui.is_enabled(), is_open, &name));

    let painter = ui.painter();
    let color = if is_open || response.hovered() { tokens.t1 } else { tokens.t2 };
    paint::draw(painter, &text, Align2::LEFT_CENTER, rect, color);
    if let Some((text, width, fill)) = badge {
        let badge_rect = Align2::RIGHT_CENTER.align_size_within_rect(vec2(width, BADGE_HEIGHT), rect);
        painter.rect_filled(badge_rect, metrics::RADIUS_CHIP, fill);
        paint::draw(painter, &text, Align2::CENTER_CENTER, badge_rect, tokens.acct);
    }
    if is_open {
        let line = rect.with_min_y(rect.bottom() - UNDERLINE - 1.0).with_max_y(rect.bottom() - 1.0);
        painter.rect_filled(line, 0, tokens.acc);
    }
    let ring = rect.shrink2(vec2(0.0, 8.0)).expand2(vec2(3.0, 0.0));
    paint::focus_ring(ui, &response, ring, metrics::RADIUS_CONTROL);
    (rect, response)
}
