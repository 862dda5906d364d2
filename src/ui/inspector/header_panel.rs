//! Header: every field of every metadata file of one level and of the dataset, raw bytes beside their meaning.

use super::{hint_ui, scrolled_ui};
use crate::format::{HeaderField, HeaderReport, HeaderSection, MagLevel};
use crate::geometry::MagLabel;
use crate::state::{AppCommand, AppContext, LevelKey, OpenDataset, OpenLayer};
use crate::ui::theme::{Severity, Tokens, fonts, icons, metrics, text};
use crate::ui::widgets::{IconButton, Notice, PathText, SectionHeader};
use egui::{Align, Color32, Label, Layout, Ui};

/// Bytes of a line of the hex dump.
const HEX_LINE: usize = 16;
/// Longer raw values are cut; the copy button has them whole.
const MAX_RAW_CHARS: usize = 400;
/// Width that a line of 16 bytes in hex needs.
const HEX_WIDTH: f32 = 330.0;

/// Above and below the text of a row of 22.
const ROW_PADDING: f32 = 3.0;

/// The header panel with what it remembers.
#[derive(Debug, Default)]
pub struct HeaderPanel {
    /// Layer and mag that were chosen here; otherwise the shown level.
    chosen: Option<(usize, MagLabel)>,
    /// Of a level with so many edited buckets.
    report: Option<((LevelKey, usize), HeaderReport)>,
}

impl HeaderPanel {
    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        scrolled_ui(ui, "header panel", |ui| match &ctx.state.dataset {
            Some(open) => self.contents_ui(ui, ctx, open),
            None => hint_ui(ui, "No dataset is open"),
        });
    }

    fn contents_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, open: &OpenDataset) {
        if let Some(layer) = open.selected() {
            let shown = ctx.feed.shown_label(open.selected);
            let kept = self.chosen.filter(|(index, mag)| *index == open.selected && layer.layer().level(*mag).is_some());
            let finest = layer.layer().levels.first().map(MagLevel::label);
            let mag = kept.map(|(_, mag)| mag).or(shown).or(finest);
            self.level_choice_ui(ui, open, layer, mag);
            if let Some(mag) = mag {
                self.level_ui(ui, ctx, (open.selected, layer), mag);
            }
        }
        for section in &open.dataset.header.sections {
            section_ui(ui, ctx, section, true);
        }
    }

    fn level_choice_ui(&mut self, ui: &mut Ui, open: &OpenDataset, layer: &OpenLayer, mag: Option<MagLabel>) {
        let name = &layer.layer().name;
        let facts = layer.layer().voxel_type.map_or_else(String::new, |voxel_type| voxel_type.to_string());
        SectionHeader::new(name).subject(&facts).without_divider().flush().show(ui, |ui| {
            let shown = mag.map_or_else(|| "no mags".to_owned(), |mag| format!("mag {mag}"));
            let combo = egui::ComboBox::from_id_salt("header level").selected_text(text::control(shown)).width(96.0);
            let response = combo
                .show_ui(ui, |ui| {
                    for level in &layer.layer().levels {
                        let is_shown = mag == Some(level.label());
                        if ui.selectable_label(is_shown, text::control(format!("mag {}", level.label()))).clicked() {
                            self.chosen = Some((open.selected, level.label()));
                        }
                    }
                })
                .response;
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Level"));
        });
    }

    fn level_ui(&mut self, ui: &mut Ui, ctx: &AppContext<'_>, (index, layer): (usize, &OpenLayer), mag: MagLabel) {
        let at = layer.layer().levels.iter().position(|level| level.label() == mag);
        let Some(level) = at.and_then(|at| layer.layer().levels.get(at)) else { return };
        match &level.source {
            Ok(source) => {
                let key = at.and_then(|at| ctx.feed.level(index, at)).map(|level| {
                    let edits = ctx.state.annotation.as_ref().and_then(|open| open.edits_of(index, level.mag));
                    (level.id, edits.map_or(0, |edits| edits.len()))
                });
                let is_known = self.report.as_ref().is_some_and(|(known, _)| Some(*known) == key);
                if let (false, Some(key)) = (is_known, key) {
                    self.report = Some((key, source.header_report()));
                }
                let Some((_, report)) = &self.report else { return };
                for (index, section) in report.sections.iter().enumerate() {
                    section_ui(ui, ctx, section, index > 0);
                }
            }
            Err(error) => {
                Notice::new(Severity::Error, &format!("Can't open mag {mag}")).show(ui);
                ui.add_space(metrics::TIGHT_GAP);
                ui.add(Label::new(text::control(&error.reason).color(Tokens::of(ui).t1)).wrap());
                ui.add(PathText::new(&error.location).quiet().copyable().fill());
                ui.add_space(metrics::GAP);
            }
        }
    }
}

fn section_ui(ui: &mut Ui, ctx: &AppContext<'_>, section: &HeaderSection, has_divider: bool) {
    let header = if has_divider { SectionHeader::new(&section.title) } else { SectionHeader::new(&section.title).without_divider() };
    header.show(ui, |ui| {
        let name = format!("Copy {}", section.title);
        if ui.add(IconButton::new(icons::COPY, &name, "Copy all fields")).clicked() {
            ctx.send(AppCommand::Copy(section_as_text(section)));
        }
    });
    ui.add(PathText::new(&section.location).quiet().copyable().fill());
    ui.add_space(metrics::TIGHT_GAP);
    if let Some(stored) = stored_bytes(section) {
        let line = if ui.available_width() >= HEX_WIDTH { HEX_LINE } else { HEX_LINE / 2 };
        hex_ui(ui, &stored, line);
    }
    for field in &section.fields {
        field_ui(ui, field);
    }
    ui.add_space(metrics::GAP);
}

/// The bytes of a binary header: the raw values of its fields, where all of them are bytes in hex.
fn stored_bytes(section: &HeaderSection) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for field in &section.fields {
        for byte in field.raw.split(' ') {
            let is_byte = byte.len() == 2 && byte.bytes().all(|digit| digit.is_ascii_hexdigit());
            all.push(is_byte.then(|| byte.to_owned())?);
        }
    }
    (!all.is_empty()).then_some(all)
}

fn hex_ui(ui: &mut Ui, stored: &[String], per_line: usize) {
    let tokens = Tokens::of(ui);
    egui::Frame::NONE.fill(tokens.bg1).corner_radius(metrics::RADIUS_CONTROL).inner_margin(egui::Margin::symmetric(8, 4)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        for line in stored.chunks(per_line) {
            let halves: Vec<String> = line.chunks(HEX_LINE / 2).map(|half| half.join(" ")).collect();
            ui.add(Label::new(text::hex(halves.join("  ")).color(tokens.t1)).selectable(true).extend());
        }
    });
    ui.add_space(metrics::TIGHT_GAP);
}

fn field_ui(ui: &mut Ui, field: &HeaderField) {
    let tokens = Tokens::of(ui);
    let width = ui.available_width();
    let value_width = width - metrics::KEY_COLUMN;
    let raw = shown_raw(field);
    let raw_width = text_width(ui, &raw, fonts::hex());
    let fits_beside = text_width(ui, &field.value, fonts::control()) + raw_width + metrics::GAP <= value_width;
    ui.horizontal_top(|ui| {
        // Rows are as high as their text, so that key and value stand on one line.
        ui.spacing_mut().interact_size.y = 16.0;
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        ui.vertical(|ui| {
            ui.set_width(metrics::KEY_COLUMN);
            ui.add_space(ROW_PADDING);
            ui.scope(|ui| {
                ui.set_max_width(metrics::KEY_COLUMN - metrics::GAP);
                ui.add(Label::new(text::control(&field.name).color(tokens.t3)).wrap());
            });
        });
        ui.vertical(|ui| {
            ui.set_width(value_width);
            ui.add_space(ROW_PADDING);
            let value = Label::new(text::control(cut(&field.value)).color(tokens.t1)).selectable(true);
            let raw_label = |raw: &str| Label::new(text::hex(raw).line_height(Some(16.0)).color(tokens.t3)).selectable(true);
            if fits_beside {
                ui.horizontal(|ui| {
                    ui.add(value.extend());
                    if !raw.is_empty() {
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(raw_label(&raw).extend()));
                    }
                });
            } else {
                ui.add(value.wrap());
                if !raw.is_empty() {
                    ui.add(raw_label(&raw).wrap());
                }
            }
            if !field.meaning.is_empty() {
                ui.add(Label::new(text::small(&field.meaning).color(tokens.t3)).wrap());
            }
            ui.add_space(ROW_PADDING);
        });
    });
}

/// The raw value, unless it is the value itself.
fn shown_raw(field: &HeaderField) -> String {
    let is_value = field.raw == field.value || field.raw.trim_matches('"') == field.value;
    if is_value { String::new() } else { cut(&field.raw) }
}

fn cut(value: &str) -> String {
    if value.chars().count() <= MAX_RAW_CHARS {
        return value.to_owned();
    }
    let kept: String = value.chars().take(MAX_RAW_CHARS).collect();
    format!("{kept}…")
}

fn text_width(ui: &Ui, value: &str, font: egui::FontId) -> f32 {
    if value.chars().count() > MAX_RAW_CHARS {
        return f32::INFINITY;
    }
    ui.painter().layout_no_wrap(value.to_owned(), font, Color32::PLACEHOLDER).size().x
}

/// Fields with tabs between name, raw value, value and meaning.
fn section_as_text(section: &HeaderSection) -> String {
    let mut out = format!("{}\n{}\n", section.title, section.location);
    for HeaderField { name, raw, value, meaning } in &section.fields {
        out.push_str(&format!("{name}\t{raw}\t{value}\t{meaning}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(raws: &[&str]) -> HeaderSection {
        let fields = raws.iter().map(|raw| HeaderField::new("name", *raw, "value", "meaning")).collect();
        HeaderSection { title: "WKW header".to_owned(), location: "/a/header.wkw".to_owned(), fields }
    }

    #[test]
    fn fields_of_bytes_make_a_dump_and_others_do_not() {
        assert_eq!(stored_bytes(&section(&["57 4b 57", "01"])), Some(["57", "4b", "57", "01"].map(str::to_owned).to_vec()));
        assert_eq!(stored_bytes(&section(&["57", "\"text\""])), None);
        assert_eq!(stored_bytes(&section(&["57", ""])), None);
        assert_eq!(stored_bytes(&section(&[])), None);
    }

    #[test]
    fn raw_values_are_shown_where_they_say_more() {
        for (raw, value, shown) in [("\"uint8\"", "uint8", ""), ("3", "3", ""), ("57 4b", "WK", "57 4b")] {
            assert_eq!(shown_raw(&HeaderField::new("f", raw, value, "")), shown);
        }
    }

    #[test]
    fn a_copied_section_has_a_line_per_field() {
        assert_eq!(section_as_text(&section(&["57"])), "WKW header\n/a/header.wkw\nname\t57\tvalue\tmeaning\n");
    }
}
