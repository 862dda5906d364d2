//! News at the lower right, above everything: each goes by itself, errors when they are dismissed.

use super::theme::{self, Icon, Tokens, icons, metrics, text};
use super::widgets::{IconButton, severity_icon};
use crate::problem::Severity;
use crate::state::{AppCommand, AppContext, Notification};
use egui::{Align2, Area, Frame, Id, Label, Margin, Order, Rect, Role, Stroke, Ui, WidgetInfo, vec2};
use std::time::{Duration, Instant};

const WIDTH: f32 = 360.0;
/// More at once would cover the window; the older ones are in the Problems tab and the log.
const MAX_SHOWN: usize = 4;

/// Draws the toasts inside `area`.
pub fn toasts_ui(ui: &Ui, ctx: &AppContext<'_>, area: Rect) {
    let toasts: Vec<&Notification> = ctx.state.notifications.toasts().collect();
    if toasts.is_empty() {
        return;
    }
    let newest = &toasts[toasts.len().saturating_sub(MAX_SHOWN)..];
    let corner = area.right_bottom() - vec2(metrics::PANEL_PADDING, metrics::PANEL_PADDING);
    Area::new(Id::unique("toasts")).order(Order::Foreground).pivot(Align2::RIGHT_BOTTOM).fixed_pos(corner).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(area.width() - 2.0 * metrics::PANEL_PADDING));
        ui.spacing_mut().item_spacing.y = metrics::GAP;
        for toast in newest {
            toast_ui(ui, ctx, toast);
        }
    });
    wake_when_one_ends(ui, newest);
}

fn toast_ui(ui: &mut Ui, ctx: &AppContext<'_>, toast: &Notification) {
    let tokens = Tokens::of(ui);
    let severity = theme_severity(toast.severity);
    let (ground, border) = match toast.severity {
        Severity::Error => (tokens.errbg, tokens.err),
        Severity::Warning => (tokens.warnbg, tokens.warn),
        Severity::Info => (tokens.bg3, tokens.line2),
    };
    let frame = Frame::new()
        .fill(ground)
        .stroke(Stroke::new(1.0, border))
        .corner_radius(metrics::RADIUS_POPUP)
        .shadow(ui.visuals().popup_shadow)
        .inner_margin(Margin { left: 12, right: 8, top: 8, bottom: 8 });
    let response = frame
        .show(ui, |ui| {
            ui.horizontal_top(|ui| {
                ui.add(Label::new(severity_icon(severity).rich(Icon::SIZE).color(tokens.severity(severity)).line_height(Some(20.0))));
                let width = ui.available_width() - 20.0 - ui.spacing().item_spacing.x;
                ui.allocate_ui(vec2(width, 20.0), |ui| {
                    ui.set_width(width);
                    ui.add(Label::new(text::control(&toast.text).line_height(Some(20.0)).color(tokens.t1)).wrap());
                });
                if ui.add(IconButton::new(icons::X, "Dismiss", "Dismiss; it stays in the log").small()).clicked() {
                    ctx.send(AppCommand::Dismiss(toast.id));
                }
            });
        })
        .response;
    response.widget_info(|| WidgetInfo::labeled(Role::Alert, true, &toast.text));
}

/// The list drops old toasts between frames; a frame is due when the next one's time is over.
fn wake_when_one_ends(ui: &Ui, toasts: &[&Notification]) {
    let now = Instant::now();
    let lasting = Duration::from_secs_f32(crate::state::Notifications::TOAST_SECS);
    let next = toasts
        .iter()
        .filter(|toast| toast.severity != Severity::Error)
        .map(|toast| (toast.at + lasting).saturating_duration_since(now))
        .min();
    if let Some(wait) = next {
        ui.ctx().request_repaint_after(wait + Duration::from_millis(50));
    }
}

/// The theme's word for how bad something is.
pub fn theme_severity(severity: Severity) -> theme::Severity {
    match severity {
        Severity::Error => theme::Severity::Error,
        Severity::Warning => theme::Severity::Warning,
        Severity::Info => theme::Severity::Info,
    }
}
