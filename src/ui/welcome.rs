//! The page without a dataset: ways to open one, and those opened before.
//!
//! Whether a folder is still there and its picture come from files, which are not read here:
//! the app looks and tells with [`Welcome::set_look`].

use super::age::age;
use super::logo::paint_logo;
use super::opening::OpeningNews;
use super::theme::{Icon, Tokens, fonts, icons, metrics, text};
use super::typed_path::typed_path;
use super::widgets::{SectionHeader, TextButton, TextField, elide_middle};
use crate::state::{AppCommand, AppContext, Recent, UiCommand};
use egui::{
    Align, Align2, Color32, ColorImage, Image, Key, Layout, Rect, Response, Role, ScrollArea, Sense, Shape, Stroke, StrokeKind,
    TextureHandle, TextureOptions, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const WIDTH: f32 = 1040.0;
const MARGIN: f32 = 24.0;
const GAP: f32 = 16.0;
const ACTION_HEIGHT: f32 = 64.0;
const PATH_HEIGHT: f32 = 32.0;
const PICTURE_HEIGHT: f32 = 160.0;
const CARD_HEIGHT: f32 = 236.0;
const DROP_HEIGHT: f32 = 72.0;
/// A card is not narrower, so that a summary has room.
const MIN_CARD: f32 = 260.0;

/// What was found where a recent dataset lay.
#[derive(Debug)]
pub enum RecentLook {
    /// It is there, perhaps with a picture of it.
    Found(Option<ColorImage>),
    /// Nothing is there.
    Missing,
}

enum Look {
    Found(Option<TextureHandle>),
    Missing,
}

/// The welcome page.
#[derive(Default)]
pub struct Welcome {
    path: String,
    looks: HashMap<PathBuf, Look>,
    pending: Vec<(PathBuf, RecentLook)>,
}

impl fmt::Debug for Welcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Welcome").field("path", &self.path).field("looks", &self.looks.len()).finish_non_exhaustive()
    }
}

impl Welcome {
    /// Says what is where a recent dataset lay; unknown ones show without a picture.
    pub fn set_look(&mut self, path: &Path, look: RecentLook) {
        self.pending.push((path.to_owned(), look));
    }

    /// Forgets what was typed, as it was opened.
    pub fn hide(&mut self) {
        self.path.clear();
    }

    /// Draws the page.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, news: &mut OpeningNews) {
        self.upload_pictures(ui);
        let tokens = Tokens::of(ui);
        let page = ui.max_rect();
        ui.painter().rect_filled(page, 0, tokens.bg1);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let width = WIDTH.min(page.width() - 2.0 * MARGIN);
            let left = ((page.width() - width) / 2.0).floor();
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.add_space(left);
                ui.vertical(|ui| {
                    ui.set_width(width);
                    ui.spacing_mut().item_spacing = vec2(metrics::GAP, 0.0);
                    self.contents_ui(ui, ctx, news);
                });
            });
        });
    }

    fn contents_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, news: &mut OpeningNews) {
        ui.add_space(if ui.ctx().content_rect().height() < 860.0 { 24.0 } else { 44.0 });
        title_ui(ui);
        ui.add_space(24.0);
        actions_ui(ui, ctx);
        ui.add_space(12.0);
        self.path_ui(ui, ctx);
        let top = ui.cursor().top();
        ui.add_space(12.0);
        news.show(ui, ctx);
        if ui.cursor().top() > top + 12.0 {
            ui.add_space(12.0);
        }
        let recents = &ctx.state.settings.recents;
        if !recents.is_empty() {
            SectionHeader::new("Recent").without_divider().show(ui, |ui| {
                if ui.add(TextButton::quiet("Clear list")).clicked() {
                    ctx.send(AppCommand::ClearRecents);
                }
            });
            self.recents_ui(ui, ctx, recents);
            ui.add_space(20.0);
        }
        drop_area_ui(ui);
        ui.add_space(MARGIN);
    }

    fn path_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let field =
            TextField::new("Path", &mut self.path).hint("Paste a path").icon(icons::CLIPBOARD_TEXT).key_hint("Enter").height(PATH_HEIGHT);
        let response = ui.add(field);
        if !response.has_focus() && !ui.ctx().text_edit_focused() {
            self.take_paste(ui, &response);
        }
        if response.lost_focus()
            && ui.input(|input| input.key_pressed(Key::Enter))
            && let Some(path) = typed_path(&self.path)
        {
            ctx.send(AppCommand::Open(path));
        }
    }

    /// What is pasted anywhere on the page goes into the field.
    fn take_paste(&mut self, ui: &Ui, field: &Response) {
        let pasted = ui.input(|input| {
            input.events.iter().find_map(|event| if let egui::Event::Paste(text) = event { Some(text.trim().to_owned()) } else { None })
        });
        if let Some(pasted) = pasted {
            self.path = pasted;
            field.request_focus();
        }
    }

    fn recents_ui(&self, ui: &mut Ui, ctx: &AppContext<'_>, recents: &[Recent]) {
        let columns = (((ui.available_width() + GAP) / (MIN_CARD + GAP)).floor() as usize).clamp(1, 3);
        let width = ((ui.available_width() + GAP) / columns as f32 - GAP).floor();
        for (index, row) in recents.chunks(columns).enumerate() {
            if index > 0 {
                ui.add_space(GAP);
            }
            let (area, _) = ui.allocate_exact_size(vec2(ui.available_width(), CARD_HEIGHT), Sense::hover());
            for (column, recent) in row.iter().enumerate() {
                let left = area.left() + column as f32 * (width + GAP);
                let rect = Rect::from_min_size(pos2(left, area.top()), vec2(width, CARD_HEIGHT));
                self.card_ui(ui, ctx, recent, rect);
            }
        }
    }

    fn card_ui(&self, ui: &mut Ui, ctx: &AppContext<'_>, recent: &Recent, rect: Rect) {
        let tokens = Tokens::of(ui);
        let look = self.looks.get(&recent.path);
        let is_missing = matches!(look, Some(Look::Missing));
        let path = recent.path.display().to_string();
        let id = ui.unique_id().with(&recent.path);
        let response = ui.interact(rect, id, if is_missing { Sense::hover() } else { Sense::click() });
        response.widget_info(|| {
            WidgetInfo::labeled(if is_missing { Role::Label } else { Role::Button }, true, format!("Open {}", recent.name))
        });
        let painter = ui.painter_at(rect.expand(3.0));
        let radius = metrics::RADIUS_POPUP;
        painter.rect_filled(rect, radius, if response.hovered() && !is_missing { tokens.bg3 } else { tokens.card });

        let picture = rect.with_max_y(rect.top() + PICTURE_HEIGHT);
        match look {
            Some(Look::Missing) => missing_ui(ui, ctx, recent, picture),
            Some(Look::Found(Some(texture))) => {
                let corners = egui::CornerRadius { nw: radius, ne: radius, sw: 0, se: 0 };
                let image = Image::new(texture).uv(cover(texture.size_vec2(), picture.size())).corner_radius(corners);
                image.paint_at(ui, picture);
            }
            Some(Look::Found(None)) | None => {
                let corners = egui::CornerRadius { nw: radius, ne: radius, sw: 0, se: 0 };
                painter.rect_filled(picture, corners, tokens.bg0);
                painter.text(picture.center(), Align2::CENTER_CENTER, icons::CUBE.as_str(), fonts::icon(Icon::SIZE_WELCOME), tokens.t3);
            }
        }
        let border = if response.hovered() && !is_missing { tokens.t3 } else { tokens.line2 };
        painter.rect_stroke(rect, radius, Stroke::new(1.0, border), StrokeKind::Inside);
        if response.has_focus() {
            painter.rect_stroke(rect.expand(2.0), radius + 2, Stroke::new(1.0, tokens.acc), StrokeKind::Inside);
        }

        let inner = rect.shrink2(vec2(12.0, 0.0)).with_min_y(picture.bottom() + 8.0);
        let opened = age(recent.opened_unix_secs, unix_now());
        let when = painter.text(inner.right_top() + vec2(0.0, 10.0), Align2::RIGHT_CENTER, opened, fonts::control(), tokens.t2);
        let line = |text: &str, font: egui::FontId, color: Color32, top: f32, width: f32| {
            let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font, color);
            job.wrap = egui::text::TextWrapping::truncate_at_width(width.max(0.0));
            let galley = painter.layout_job(job);
            let y = inner.top() + top - galley.size().y / 2.0;
            painter.galley(pos2(inner.left(), y.round()), galley, color);
        };
        line(&recent.name, fonts::body_medium(), tokens.t1, 10.0, when.left() - inner.left() - 8.0);
        let chars = (inner.width() / ui.ctx().fonts_mut(|f| f.glyph_width(&fonts::hex(), 'm')).max(1.0)).floor() as usize;
        line(&elide_middle(&path, chars), fonts::hex(), tokens.t2, 30.0, inner.width() + 1.0);
        line(&recent.summary, fonts::control(), tokens.t2, 48.0, inner.width());

        let response = response.on_hover_text(&path);
        if response.clicked() {
            ctx.send(AppCommand::Open(recent.path.clone()));
        }
        response.context_menu(|ui| {
            if ui.button("Remove from list").clicked() {
                ctx.send(AppCommand::RemoveRecent(recent.path.clone()));
            }
            if ui.button("Copy path").clicked() {
                ctx.send(AppCommand::Copy(path.clone()));
            }
        });
    }

    /// Makes textures of pictures that have come.
    fn upload_pictures(&mut self, ui: &Ui) {
        for (path, look) in self.pending.drain(..) {
            let look = match look {
                RecentLook::Missing => Look::Missing,
                RecentLook::Found(picture) => {
                    let load = |image| ui.ctx().load_texture(format!("recent {}", path.display()), image, TextureOptions::LINEAR);
                    Look::Found(picture.map(load))
                }
            };
            self.looks.insert(path, look);
        }
    }
}

fn missing_ui(ui: &mut Ui, ctx: &AppContext<'_>, recent: &Recent, picture: Rect) {
    let tokens = Tokens::of(ui);
    let painter = ui.painter();
    let center = picture.center();
    let icon = fonts::icon(Icon::SIZE_WELCOME);
    painter.text(center - vec2(0.0, 34.0), Align2::CENTER_CENTER, icons::HARD_DRIVES.as_str(), icon, tokens.t2);
    painter.text(center - vec2(0.0, 6.0), Align2::CENTER_CENTER, "Folder not found", fonts::control(), tokens.t2);
    let place = Rect::from_center_size(center + vec2(0.0, 24.0), vec2(72.0, metrics::CONTROL_HEIGHT));
    let mut child = ui.new_child(UiBuilder::new().id_salt(&recent.path).max_rect(place).layout(Layout::top_down(Align::Center)));
    if child.add(TextButton::new("Remove")).on_hover_text("Take it off this list").clicked() {
        ctx.send(AppCommand::RemoveRecent(recent.path.clone()));
    }
}

fn title_ui(ui: &mut Ui) {
    let tokens = Tokens::of(ui);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(40.0, 48.0), Sense::hover());
        paint_logo(ui.painter(), Rect::from_center_size(rect.center(), vec2(40.0, 40.0)), tokens);
        ui.add_space(8.0);
        ui.vertical(|ui| {
            ui.label(text::display("Chunkscope").color(tokens.t1));
            ui.label(text::control("See into chunked 3D voxel datasets, down to the byte").color(tokens.t2));
        });
    });
}

fn actions_ui(ui: &mut Ui, ctx: &AppContext<'_>) {
    let actions = [
        (UiCommand::OpenFolder, icons::FOLDER_OPEN, "A dataset, layer or mag"),
        (UiCommand::OpenFile, icons::FILE, "A header, shard or annotation"),
        (UiCommand::OpenDemo, icons::CUBE, "Small, made on this computer"),
    ];
    let width = ((ui.available_width() + GAP) / actions.len() as f32 - GAP).floor();
    let (area, _) = ui.allocate_exact_size(vec2(ui.available_width(), ACTION_HEIGHT), Sense::hover());
    for (index, (command, icon, hint)) in actions.into_iter().enumerate() {
        let left = area.left() + index as f32 * (width + GAP);
        let rect = Rect::from_min_size(pos2(left, area.top()), vec2(width, ACTION_HEIGHT));
        if action_ui(ui, command, icon, hint, rect, index == 0).clicked() {
            ctx.send(command);
        }
    }
}

fn action_ui(ui: &Ui, command: UiCommand, icon: Icon, hint: &str, rect: Rect, is_main: bool) -> Response {
    let tokens = Tokens::of(ui);
    let response = ui.interact(rect, ui.unique_id().with(command), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, command.text()));
    let (ground, border, icon_color) = match (is_main, response.hovered()) {
        (true, is_hovered) => (tokens.accbg, if is_hovered { tokens.acctx } else { tokens.acc }, tokens.acctx),
        (false, true) => (tokens.bg4, tokens.line2, tokens.t1),
        (false, false) => (tokens.bg3, tokens.line2, tokens.t2),
    };
    let painter = ui.painter();
    painter.rect(rect, metrics::RADIUS_POPUP, ground, Stroke::new(1.0, border), StrokeKind::Inside);
    if response.has_focus() {
        painter.rect_stroke(rect.expand(2.0), metrics::RADIUS_POPUP + 2, Stroke::new(1.0, tokens.acc), StrokeKind::Inside);
    }
    painter.text(rect.left_center() + vec2(28.0, 0.0), Align2::CENTER_CENTER, icon.as_str(), fonts::icon(Icon::SIZE_WELCOME), icon_color);
    let text_left = rect.left_center() + vec2(56.0, 0.0);
    painter.text(text_left - vec2(0.0, 8.0), Align2::LEFT_CENTER, command.text(), fonts::body_medium(), tokens.t1);
    painter.text(text_left + vec2(0.0, 10.0), Align2::LEFT_CENTER, hint, fonts::control(), tokens.t2);
    response
}

fn drop_area_ui(ui: &mut Ui) {
    let tokens = Tokens::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), DROP_HEIGHT), Sense::hover());
    let (what, formats) = (
        "Drop a folder or file anywhere in this window",
        "Datasets, layers, mags, shards and annotations. Opened data is never written to.",
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{what}. {formats}")));
    dashed_frame(ui, rect, tokens.line2);
    let painter = ui.painter();
    let what_width = painter.layout_no_wrap(what.to_owned(), fonts::body(), tokens.t1).size().x;
    let formats_width = painter.layout_no_wrap(formats.to_owned(), fonts::control(), tokens.t2).size().x;
    let width = 36.0 + what_width.max(formats_width);
    let left = pos2((rect.center().x - width / 2.0).round(), rect.center().y);
    painter.text(
        left + vec2(12.0, 0.0),
        Align2::CENTER_CENTER,
        icons::DOWNLOAD_SIMPLE.as_str(),
        fonts::icon(Icon::SIZE_WELCOME),
        tokens.t2,
    );
    painter.text(left + vec2(36.0, -9.0), Align2::LEFT_CENTER, what, fonts::body(), tokens.t1);
    painter.text(left + vec2(36.0, 10.0), Align2::LEFT_CENTER, formats, fonts::control(), tokens.t2);
}

/// A dashed frame, for places to drop something.
pub fn dashed_frame(ui: &Ui, rect: Rect, color: Color32) {
    let rect = rect.shrink(0.5);
    let corners = [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()];
    ui.painter().extend(Shape::dashed_line(&corners, Stroke::new(1.0, color), 6.0, 5.0));
}

/// The part of a picture that fills a frame without distortion.
fn cover(picture: egui::Vec2, frame: egui::Vec2) -> Rect {
    let scale = (frame.x / picture.x.max(1.0)).max(frame.y / picture.y.max(1.0)).max(f32::MIN_POSITIVE);
    let part = vec2((frame.x / scale / picture.x.max(1.0)).min(1.0), (frame.y / scale / picture.y.max(1.0)).min(1.0));
    Rect::from_center_size(pos2(0.5, 0.5), part)
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_fill_their_frame_and_are_cut_evenly() {
        let uv = cover(vec2(400.0, 400.0), vec2(200.0, 100.0));
        assert_eq!(uv, Rect::from_min_max(pos2(0.0, 0.25), pos2(1.0, 0.75)));
        let uv = cover(vec2(800.0, 100.0), vec2(200.0, 100.0));
        assert_eq!(uv, Rect::from_min_max(pos2(0.375, 0.0), pos2(0.625, 1.0)));
    }
}
