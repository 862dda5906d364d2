//! One pane: its picture, overlays and pointer.

use super::input::PaneInput;
use super::overlay::{self, OnScreen};
use super::texture::PaneTexture;
use super::tools::tool_in_hand;
use super::{brush, skeleton};
use crate::geometry::{SlicePlane, Vec3Int};
use crate::scene::{PaneView, ScaleBar};
use crate::state::{AppCommand, AppContext, InspectorTab, OpenDataset, Tool, UiCommand};
use crate::ui::theme::{Severity, Tokens, icons, metrics};
use crate::ui::widgets::{Notice, PlateButton};
use egui::{Color32, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// A pane with what it remembers between frames.
#[derive(Default)]
pub struct Pane {
    texture: PaneTexture,
    input: PaneInput,
    /// The voxel where the context menu was opened; the pointer is over the menu afterwards.
    menu_voxel: Option<Vec3Int>,
    shape_px: [u32; 2],
}

impl Pane {
    /// Size in physical pixels when it was last drawn.
    pub const fn shape_px(&self) -> [u32; 2] {
        self.shape_px
    }

    /// Nothing of it is shown.
    pub fn hide(&mut self) {
        self.shape_px = [0, 0];
    }

    /// Draws the pane into `rect`, in points.
    pub fn show(&mut self, ui: &mut Ui, rect: Rect, plane: SlicePlane, open: &OpenDataset, ctx: &AppContext<'_>) {
        let tokens = Tokens::of(ui);
        let pixels_per_point = ui.ctx().pixels_per_point();
        let limit = ui.input(|input| input.max_texture_side).min(PaneView::MAX_SIDE_PX as usize) as f32;
        let pixels = |points: f32| (points * pixels_per_point).round().clamp(1.0, limit);
        let min =
            pos2((rect.min.x * pixels_per_point).round() / pixels_per_point, (rect.min.y * pixels_per_point).round() / pixels_per_point);
        let (width, height) = (pixels(rect.width()), pixels(rect.height()));
        let rect = Rect::from_min_size(min, vec2(width, height) / pixels_per_point);
        // Both are between 1 and 8192.
        self.shape_px = [width as u32, height as u32];

        let view = PaneView::new(&open.view, plane, self.shape_px, &open.dataset.voxel_size);
        let pane = OnScreen { rect, view, pixels_per_point };
        let response = ui.interact(rect, ui.scope_id().with(("pane", plane.name())), Sense::click_and_drag());
        let name = format!("{plane} view");
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        self.input.handle(ui, &response, &pane, ctx);
        if response.secondary_clicked() {
            self.menu_voxel = ctx.state.probe.hover.map(|(_, voxel)| voxel);
        }
        context_menu(&response, self.menu_voxel, ctx);

        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 0.0, tokens.chunk.outside);
        if let Some((texture, shown)) = self.texture.update(ui.ctx(), &name, ctx.feed.image(plane)) {
            // An older picture is moved to where its voxels are now, so that a drag is followed at once.
            let at = |screen_axis: usize, px: u32| pane.at(screen_axis, shown.mag1_from_px(screen_axis, f64::from(px)));
            let [w, h] = shown.shape_px();
            let target = Rect::from_min_max(pos2(at(0, 0), at(1, 0)), pos2(at(0, w), at(1, h)));
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(texture.id(), target, whole, Color32::WHITE);
        }
        let overlays = ctx.state.settings.overlays;
        overlay::paint_grids(&painter, &pane, ctx, tokens);
        if overlays.bounding_boxes {
            overlay::paint_bounding_boxes(&painter, &pane, ctx, tokens);
        }
        let pointer = response.hover_pos();
        if let Some(annotation) = &ctx.state.annotation {
            if overlays.bounding_boxes {
                skeleton::paint_boxes(&painter, &pane, annotation, pointer, tokens);
            }
            skeleton::paint_skeleton(&painter, &pane, annotation, open, pointer, tokens);
        }
        if overlays.crosshair {
            overlay::paint_crosshair(&painter, &pane, tokens);
        }
        brush::paint_outline(ui, &painter, &pane, self.input.tools.outline());
        if let Some(pointer) = pointer.filter(|_| tool_in_hand(ctx).is_some_and(Tool::has_disc)) {
            brush::paint_disc(ui, &painter, &pane, ctx, pointer);
        }
        overlay::paint_plates(&painter, &pane, ctx.feed.shown_label(open.selected), tokens);
        overlay::paint_axes(&painter, &pane, tokens);
        let zoom_per_point = open.view.zoom() * f64::from(pixels_per_point);
        if overlays.scale_bar
            && let Some(bar) = ScaleBar::new(&open.dataset.voxel_size, zoom_per_point)
            && rect.width() > bar.length_px as f32 + 96.0
        {
            overlay::paint_scale_bar(&painter, &pane, &bar, tokens);
        }
        overlay::paint_frame(&painter, &pane, ctx.state.panels.active_pane == plane, tokens);
        maximize_button(ui, rect, plane, ctx);
        failed_notice(ui, rect, plane, ctx);
    }
}

fn maximize_button(ui: &mut Ui, rect: Rect, plane: SlicePlane, ctx: &AppContext<'_>) {
    let is_maximized = ctx.state.panels.maximized.is_some();
    let side = metrics::PLATE;
    let at = Rect::from_min_size(pos2(rect.right() - metrics::PLATE_MARGIN - side, rect.top() + metrics::PLATE_MARGIN), vec2(side, side));
    let (icon, verb) = if is_maximized { (icons::ARROWS_IN, "Show all panes") } else { (icons::ARROWS_OUT, "Maximize") };
    let name = if is_maximized { verb.to_owned() } else { format!("{verb} {plane}") };
    if ui.place(at, PlateButton::new(icon, &name, &format!("{name} (.)"))).clicked() {
        ctx.send(AppCommand::Maximize((!is_maximized).then_some(plane)));
    }
}

fn failed_notice(ui: &mut Ui, rect: Rect, plane: SlicePlane, ctx: &AppContext<'_>) {
    if let Some(layer) = ctx.state.dataset.as_ref().and_then(OpenDataset::selected)
        && ctx.feed.shown_level(ctx.state.dataset.as_ref().map_or(0, |open| open.selected)).is_none()
    {
        let text = format!("Can't read layer {}", layer.layer().name);
        let clicked = ui.push_id(plane.name(), |ui| Notice::new(Severity::Error, &text).actions(&["Details"]).show_in_pane(ui, rect)).inner;
        if clicked.is_some() {
            ctx.send(AppCommand::ShowInspector(InspectorTab::Problems));
        }
        return;
    }
    let failed = ctx.feed.image(plane).map_or(0, |picture| picture.image.coverage.failed_chunks.len());
    if failed == 0 || rect.width() < 280.0 {
        return;
    }
    let text = format!("Can't show {failed} chunk{}", if failed == 1 { "" } else { "s" });
    // Each pane may have one, so each needs ids of its own.
    let mut ui = ui.new_child(UiBuilder::new().id_salt(("notice", plane.name())).max_rect(rect));
    match Notice::new(Severity::Error, &text).actions(&["Details", "Retry"]).show_in_pane(&mut ui, rect) {
        Some(0) => ctx.send(AppCommand::ShowInspector(InspectorTab::Problems)),
        Some(_) => ctx.send(AppCommand::Retry),
        None => {}
    }
}

fn context_menu(response: &egui::Response, voxel: Option<Vec3Int>, ctx: &AppContext<'_>) {
    response.context_menu(|ui| {
        let Some(voxel) = voxel else {
            ui.close();
            return;
        };
        if ui.button("Pin probe here").clicked() {
            ctx.send(AppCommand::Pin(Some(voxel)));
            ctx.send(AppCommand::ShowInspector(InspectorTab::Probe));
        }
        if ui.button("Centre here").clicked() {
            ctx.send(AppCommand::SetPosition(voxel));
        }
        ui.separator();
        if ui.button("Copy position").clicked() {
            ctx.send(AppCommand::Copy(voxel.to_string()));
        }
        if ui.button(UiCommand::CopyReadCommand.text()).clicked() {
            ctx.send(AppCommand::Pin(Some(voxel)));
            ctx.send(UiCommand::CopyReadCommand);
        }
    });
}
