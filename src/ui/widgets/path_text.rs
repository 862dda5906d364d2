//! A path that is cut in the middle when it doesn't fit.

use std::borrow::Cow;

use egui::{Align2, Color32, FontId, Response, Role, Sense, Ui, Widget, WidgetInfo, vec2};

use super::{IconButton, paint};
use crate::ui::theme::{Tokens, fonts, icons, metrics};

const COPY_SIZE: f32 = 20.0;
/// How far the button reaches over the edge of the row, so that its icon ends there.
pub(super) const COPY_OVERHANG: f32 = 3.0;

/// A path in the mono font; shows whole in the tooltip and has a copy button if asked for.
#[must_use = "add it to a ui"]
pub struct PathText<'a> {
    path: &'a str,
    font: FontId,
    color: Option<Color32>,
    is_copyable: bool,
    fills_row: bool,
}

impl<'a> PathText<'a> {
    /// A path as it stands in values: mono 12, t1.
    pub fn new(path: &'a str) -> Self {
        Self { path, font: fonts::mono(), color: None, is_copyable: false, fills_row: false }
    }

    /// Smaller and quieter, under a title.
    pub fn quiet(mut self) -> Self {
        self.font = fonts::hex();
        self
    }

    /// Another colour than that of values.
    pub fn color(mut self, color: Color32) -> Self {
        self.color = Some(color);
        self
    }

    /// Adds a copy button right after the path.
    pub fn copyable(mut self) -> Self {
        self.is_copyable = true;
        self
    }

    /// Takes the whole width, with the copy button at the right end.
    pub fn fill(mut self) -> Self {
        self.fills_row = true;
        self
    }
}

impl Widget for PathText<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let is_quiet = self.font == fonts::hex();
        let color = self.color.unwrap_or(if is_quiet { tokens.t2 } else { tokens.t1 });
        let copy_width = if self.is_copyable { COPY_SIZE + metrics::TIGHT_GAP } else { 0.0 };
        let room = (ui.available_width() - copy_width).max(0.0);
        let char_width = ui.ctx().fonts_mut(|fonts| fonts.glyph_width(&self.font, 'm')).max(1.0);
        let shown = elide_middle(self.path, (room / char_width).floor() as usize);
        let text = paint::line(ui, &shown, self.font, color);

        let text_width = paint::whole(text.size().x);
        let width = if self.fills_row { ui.available_width() } else { text_width + copy_width };
        let (rect, response) = ui.allocate_exact_size(vec2(width, COPY_SIZE), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), self.path));
        paint::draw(ui.painter(), &text, Align2::LEFT_CENTER, rect, color);
        if self.is_copyable {
            let right = if self.fills_row { rect.translate(vec2(COPY_OVERHANG, 0.0)) } else { rect };
            let place = Align2::RIGHT_CENTER.align_size_within_rect(vec2(COPY_SIZE, COPY_SIZE), right);
            let name = format!("Copy path {}", self.path);
            if ui.place(place, IconButton::new(icons::COPY, &name, "Copy path").small()).clicked() {
                ui.ctx().copy_text(self.path.to_owned());
            }
        }
        if matches!(shown, Cow::Owned(_)) { response.on_hover_text(self.path) } else { response }
    }
}

/// Cuts a path to `max_chars` characters with an ellipsis in the middle. The end is kept longer
/// than the start, because that is where paths differ.
pub fn elide_middle(path: &str, max_chars: usize) -> Cow<'_, str> {
    let count = path.chars().count();
    if count <= max_chars {
        return Cow::Borrowed(path);
    }
    let kept = max_chars.saturating_sub(1);
    let head = kept / 3;
    let tail = kept - head;
    let start: String = path.chars().take(head).collect();
    let end: String = path.chars().skip(count - tail).collect();
    Cow::Owned(format!("{start}…{end}"))
}
