//! Layout: how many bytes the selected level takes, its shards as a table, and the chunks of one of them.

use super::data_table::{Cell, Column, DataTable, Sort};
use super::layout_look::{chunk_state_cell, ratio_text, shard_state_cell, shard_stats_ui, span_word, spoken_shard, warned};
use super::layout_rows::{ChunkColumn, LevelFigures, ShardColumn, ShownShards, chunk_rows, shard_rows};
use super::{hint_ui, padded_ui};
use crate::format::{ChunkError, ChunkSource, ShardLayout};
use crate::geometry::{ChunkGrid, ShardIndex};
use crate::state::{AppCommand, AppContext, LayoutState, LevelKey, ShardFile};
use crate::text::{bytes, bytes_parts, capitalized, count};
use crate::ui::theme::{Severity, Tokens, icons, metrics, text};
use crate::ui::widgets::{Notice, PathText, SectionHeader, Segmented, StatCell, TextButton, TextField, stat_grid_ui};
use egui::{Label, Ui};
use std::sync::Arc;

/// From this width on there is room for everything; 520 is the panel's own width.
pub(super) const WIDE: f32 = 400.0;
/// Rows that a table shows at least; below, the panel scrolls.
const MIN_ROWS: f32 = 4.0;

const SHARD_COLUMNS: [(Column, Option<ShardColumn>); 4] = [
    (Column::left("Shard", 72.0), Some(ShardColumn::Shard)),
    (Column::right("Stored", 68.0), Some(ShardColumn::Stored)),
    (Column::left("", 16.0).share(2.0), None),
    (Column::right("State", 84.0).share(0.2), Some(ShardColumn::State)),
];

const CHUNK_COLUMNS: [(Column, ChunkColumn); 6] = [
    (Column::left("Chunk", 64.0), ChunkColumn::Chunk),
    (Column::right("Order", 44.0), ChunkColumn::Order),
    (Column::right("Offset", 84.0), ChunkColumn::Offset),
    (Column::right("Stored", 52.0), ChunkColumn::Stored),
    (Column::right("Ratio", 44.0), ChunkColumn::Stored),
    (Column::right("State", 64.0).share(0.2), ChunkColumn::State),
];

/// In a narrow panel the ratio stands in the cells above, the state is a mark.
const NARROW_CHUNK_COLUMNS: [(Column, ChunkColumn); 5] = [
    (Column::left("Chunk", 60.0), ChunkColumn::Chunk),
    (Column::right("Order", 40.0), ChunkColumn::Order),
    (Column::right("Offset", 78.0), ChunkColumn::Offset),
    (Column::right("Stored", 42.0), ChunkColumn::Stored),
    (Column::right("", 16.0).share(0.2), ChunkColumn::State),
];

/// The layout panel with what it remembers.
#[derive(Debug, Default)]
pub struct LayoutPanel {
    filter: String,
    shown: ShownShards,
    shard_sort: Sort<ShardColumn>,
    chunk_sort: Sort<ChunkColumn>,
    shards: Option<(ShardsKey, Vec<ShardIndex>, LevelFigures)>,
    chunks: Option<(ChunksKey, Vec<usize>)>,
    /// What was selected in the last frame; a new selection is scrolled to.
    was_selected: (Option<ShardIndex>, Option<crate::geometry::ChunkIndex>),
}

/// What the rows of the shard table follow from.
#[derive(Clone, Debug, PartialEq)]
struct ShardsKey {
    level: Option<LevelKey>,
    revision: u64,
    filter: String,
    shown: ShownShards,
    sort: Sort<ShardColumn>,
}

/// What the rows of the chunk table follow from.
#[derive(Clone, Debug, PartialEq)]
struct ChunksKey {
    level: Option<LevelKey>,
    shard: ShardIndex,
    chunks: usize,
    file_len: u64,
    sort: Sort<ChunkColumn>,
}

impl LayoutPanel {
    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let layout = &ctx.state.layout;
        let open = ctx.state.dataset.as_ref();
        let level = open.and_then(|open| ctx.feed.level_of(open.selected, layout.level?));
        let (Some(layer), Some(level)) = (open.and_then(|open| open.selected()), level) else {
            padded_ui(ui, |ui| hint_ui(ui, "No mag can be read, so there are no shards to list"));
            return;
        };
        let source = level.source.clone();
        let title = format!("{} · mag {}", layer.layer().name, level.label());
        let height = ui.available_height();
        egui::ScrollArea::vertical().id_salt("layout panel").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            self.contents_ui(ui, &View { ctx, source: source.as_ref(), title: &title, height });
        });
        self.was_selected = (layout.selected_shard, layout.selected_chunk);
    }

    fn contents_ui(&mut self, ui: &mut Ui, view: &View<'_>) {
        let top = ui.cursor().top();
        self.update_shards(view);
        padded_ui(ui, |ui| {
            self.storage_ui(ui, view);
            self.filter_ui(ui, view);
        });
        let spent = ui.cursor().top() - top;
        let rest = view.height - spent - DataTable::HEAD;
        // The chunks of a shard are read more than the list that led there.
        let shards_height = match view.layout().selected_shard {
            None => rest - 2.0 * metrics::SECTION_HEADER,
            Some(_) => (rest - DataTable::HEAD - 160.0) * 0.45,
        };
        self.shards_ui(ui, view, at_least_rows(shards_height));
        let spent = ui.cursor().top() - top;
        self.shard_ui(ui, view, view.height - spent);
    }

    fn update_shards(&mut self, view: &View<'_>) {
        let layout = view.layout();
        let key = ShardsKey {
            level: layout.level,
            revision: layout.revision,
            filter: self.filter.clone(),
            shown: self.shown,
            sort: self.shard_sort,
        };
        if self.shards.as_ref().is_none_or(|(old, _, _)| *old != key) {
            let rows = shard_rows(&layout.shards, &key.filter, key.shown, key.sort);
            let figures = LevelFigures::of(layout, view.grid(), view.source.voxel_type().byte_len());
            self.shards = Some((key, rows, figures));
        }
    }

    fn figures(&self) -> LevelFigures {
        self.shards.as_ref().map(|(_, _, figures)| *figures).unwrap_or_default()
    }

    fn storage_ui(&self, ui: &mut Ui, view: &View<'_>) {
        let layout = view.layout();
        let figures = self.figures();
        SectionHeader::new("Storage").subject(view.title).without_divider().show(ui, |ui| {
            if layout.is_scanning {
                let share = figures.present + figures.missing + figures.unreadable;
                let words = format!("{} of {} looked at", count(share), count(layout.total));
                ui.add(Label::new(text::small(words).color(Tokens::of(ui).t3)).extend());
            } else if ui.add(TextButton::quiet("Copy as table").icon(icons::COPY)).clicked() {
                view.ctx.send(AppCommand::Copy(shards_as_text(layout)));
            }
        });
        let of_total = format!("of {}", count(layout.total));
        let present = count(figures.present);
        let chunks = count(figures.chunks);
        let (stored, stored_unit) = bytes_parts(figures.stored_bytes);
        let (decoded, decoded_unit) = bytes_parts(figures.decoded_bytes);
        let ratio = ratio_text(figures.ratio());
        let (mean, mean_unit) = figures.stored_bytes.checked_div(figures.present).map_or(("–".to_owned(), ""), bytes_parts);
        let missing = count(figures.missing);
        let unreadable = count(figures.unreadable);
        let mut cells = vec![
            StatCell::new("Shards", &present).unit(&of_total),
            StatCell::new("Chunks", &chunks),
            StatCell::new("Stored", &stored).unit(stored_unit),
            StatCell::new("Decoded", &decoded).unit(decoded_unit),
            StatCell::new("Ratio", &ratio),
        ];
        let is_wide = ui.available_width() >= WIDE;
        if is_wide {
            cells.push(StatCell::new("Mean shard", &mean).unit(mean_unit));
            cells.push(StatCell::new("Missing", &missing));
        }
        cells.push(warned(ui, StatCell::new("Unreadable", &unreadable), figures.unreadable > 0));
        stat_grid_ui(ui, if is_wide { 4 } else { 3 }, &cells);
        if layout.left_out > 0 {
            let words = format!("{} more shards are not looked at one by one", count(layout.left_out));
            ui.add(Label::new(text::small(words).color(Tokens::of(ui).t3)).wrap());
        }
        ui.add_space(metrics::GAP);
    }

    fn filter_ui(&mut self, ui: &mut Ui, view: &View<'_>) {
        let figures = self.figures();
        let is_wide = ui.available_width() >= WIDE;
        let named = |name: &str, number: u64| if is_wide { format!("{name} {}", count(number)) } else { name.to_owned() };
        let present = named("Present", figures.present + figures.unreadable);
        let missing = named("Missing", figures.missing);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = metrics::GAP;
            let width = if is_wide { 184.0 } else { (ui.available_width() - 188.0).max(88.0) };
            ui.add(
                TextField::new("Filter shards", &mut self.filter)
                    .hint(if is_wide { "Filter shards" } else { "Filter" })
                    .icon(icons::FUNNEL_SIMPLE)
                    .width(width),
            );
            Segmented::new("Shards", &mut self.shown)
                .segment(ShownShards::All, "All")
                .segment(ShownShards::Present, &present)
                .segment(ShownShards::Missing, &missing)
                .show(ui);
        });
        ui.add_space(metrics::TIGHT_GAP);
        self.update_shards(view); // the filter may have changed just now
    }

    fn shards_ui(&mut self, ui: &mut Ui, view: &View<'_>, body_height: f32) {
        let tokens = Tokens::of(ui);
        let layout = view.layout();
        let figures = self.figures();
        let rows = self.shards.as_ref().map(|(_, rows, _)| rows.as_slice()).unwrap_or_default();
        let selected = layout.selected_shard.and_then(|shard| rows.iter().position(|row| *row == shard));
        let columns = SHARD_COLUMNS.map(|(column, _)| column);
        let sorted_by = SHARD_COLUMNS.iter().position(|(_, key)| *key == Some(self.shard_sort.key));
        let cell = |row: usize, column: usize| {
            let (Some(shard), Some((spec, _))) = (rows.get(row), SHARD_COLUMNS.get(column)) else { return Cell::default() };
            let Some(file) = layout.shards.get(shard) else { return Cell::default() };
            match (spec.title(), file) {
                ("Shard", _) => Cell::text(shard.to_string()),
                ("Stored", ShardFile::Present(len)) => Cell::text(bytes(*len)),
                ("Stored", ShardFile::Absent | ShardFile::Unreadable(_)) => Cell::text("–").color(tokens.t3),
                ("State", file) => shard_state_cell(file, tokens),
                (_, ShardFile::Present(len)) => {
                    let most = figures.file_range.map_or(1, |(_, most)| most).max(1);
                    let share = (*len as f64 / most as f64) as f32;
                    Cell::bar(share, tokens.ramp_color(ramp_position(*len, figures.file_range)))
                }
                (_, ShardFile::Absent | ShardFile::Unreadable(_)) => Cell::default(),
            }
        };
        let row_name = |row: usize| rows.get(row).map_or_else(String::new, |shard| spoken_shard(*shard, layout.shards.get(shard)));
        let table = DataTable {
            name: "Shards",
            columns: &columns,
            sorted_by: sorted_by.map(|column| (column, self.shard_sort.is_descending)),
            rows: rows.len(),
            selected,
            scroll_to: selected.filter(|_| self.was_selected.0 != layout.selected_shard),
            body_height,
        };
        let output = table.show(ui, row_name, cell);
        if let Some(shard) = output.double_clicked.and_then(|row| rows.get(row)) {
            view.ctx.send(AppCommand::GoToChunk(view.grid().first_chunk_of(*shard)));
        } else if let Some(shard) = output.clicked.and_then(|row| rows.get(row)) {
            view.ctx.send(AppCommand::SelectShard(Some(*shard)));
        }
        if let Some(key) = output.sorted.and_then(|column| SHARD_COLUMNS.get(column)).and_then(|(_, key)| *key) {
            self.shard_sort.toggle(key);
        }
    }

    /// The selected shard, down to `bottom` points below the cursor.
    fn shard_ui(&mut self, ui: &mut Ui, view: &View<'_>, height: f32) {
        let layout = view.layout();
        let Some(shard) = layout.selected_shard else {
            padded_ui(ui, |ui| {
                SectionHeader::new("Chunks").show_plain(ui);
                ui.add(Label::new(text::control("Choose a shard to see its chunks").color(Tokens::of(ui).t3)).wrap());
            });
            return;
        };
        let top = ui.cursor().top();
        let known = layout.chunks.as_ref().and_then(|chunks| chunks.as_ref().ok()).cloned();
        let file = layout.shards.get(&shard);
        padded_ui(ui, |ui| {
            shard_header_ui(ui, view, shard, known.as_deref());
            match (&layout.chunks, file) {
                (Some(Ok(chunks)), _) => shard_stats_ui(ui, chunks),
                (Some(Err(error)), _) => shard_error_ui(ui, view, error),
                (None, Some(ShardFile::Absent)) => hint_ui(ui, "Not stored, so it is all fill value"),
                (None, Some(ShardFile::Unreadable(reason))) => {
                    Notice::new(Severity::Error, &format!("Can't examine the file: {reason}")).show(ui);
                }
                (None, Some(ShardFile::Present(_)) | None) => hint_ui(ui, "Reading where its chunks lie"),
            }
        });
        if let Some(chunks) = known {
            let spent = ui.cursor().top() - top;
            self.chunks_ui(ui, view, shard, &chunks, at_least_rows(height - spent - DataTable::HEAD));
        }
    }

    fn chunks_ui(&mut self, ui: &mut Ui, view: &View<'_>, shard: ShardIndex, chunks: &ShardLayout, body_height: f32) {
        let layout = view.layout();
        let key = ChunksKey { level: layout.level, shard, chunks: chunks.spans.len(), file_len: chunks.file_len, sort: self.chunk_sort };
        if self.chunks.as_ref().is_none_or(|(old, _)| *old != key) {
            self.chunks = Some((key, chunk_rows(chunks, self.chunk_sort)));
        }
        let rows = self.chunks.as_ref().map(|(_, rows)| rows.as_slice()).unwrap_or_default();
        let span = |row: usize| rows.get(row).and_then(|at| chunks.spans.get(*at));
        let is_new = self.was_selected.1 != layout.selected_chunk;
        // Looked for only where it matters: the list can be a quarter of a million long.
        let selected =
            layout.selected_chunk.and_then(|chunk| (0..rows.len()).find(|row| span(*row).is_some_and(|span| span.chunk == chunk)));
        let tokens = Tokens::of(ui);
        let wide = ui.available_width() >= WIDE + 2.0 * metrics::PANEL_PADDING;
        let specs: &[(Column, ChunkColumn)] = if wide { &CHUNK_COLUMNS } else { &NARROW_CHUNK_COLUMNS };
        let columns: Vec<Column> = specs.iter().map(|(column, _)| *column).collect();
        let sorted_by = specs.iter().position(|(_, key)| *key == self.chunk_sort.key);
        let cell = |row: usize, column: usize| {
            let (Some(span), Some((spec, key))) = (span(row), specs.get(column)) else { return Cell::default() };
            let range = span.state.range();
            let or_dash = |value: Option<String>| value.map_or_else(|| Cell::text("–").color(tokens.t3), Cell::text);
            match key {
                ChunkColumn::Chunk => Cell::text(view.grid().chunk_in_shard(span.chunk).to_string()),
                ChunkColumn::Order => Cell::text(span.order.to_string()),
                ChunkColumn::Offset => or_dash(range.map(|range| count(range.start))),
                ChunkColumn::Stored if spec.title() == "Ratio" => or_dash(
                    range.filter(|range| range.len > 0).map(|range| format!("{:.2}", chunks.decoded_chunk_len as f64 / range.len as f64)),
                ),
                ChunkColumn::Stored => or_dash(range.map(|range| count(range.len))),
                ChunkColumn::State => chunk_state_cell(span.state, wide, tokens),
            }
        };
        let row_name = |row: usize| {
            span(row).map_or_else(String::new, |span| {
                let stored = span.state.range().map_or_else(String::new, |range| format!(", {} bytes at {}", range.len, range.start));
                format!("Chunk {}, order {}{stored}, {}", view.grid().chunk_in_shard(span.chunk), span.order, span_word(span.state))
            })
        };
        let table = DataTable {
            name: "Chunks",
            columns: &columns,
            sorted_by: sorted_by.map(|column| (column, self.chunk_sort.is_descending)),
            rows: rows.len(),
            selected,
            scroll_to: selected.filter(|_| is_new),
            body_height,
        };
        let output = table.show(ui, row_name, cell);
        if let Some(span) = output.double_clicked.and_then(span) {
            view.ctx.send(AppCommand::GoToChunk(span.chunk));
        } else if let Some(span) = output.clicked.and_then(span) {
            view.ctx.send(AppCommand::SelectChunk(Some(span.chunk)));
        }
        if let Some((_, key)) = output.sorted.and_then(|column| specs.get(column)) {
            self.chunk_sort.toggle(*key);
        }
        if chunks.spans_left_out > 0 {
            padded_ui(ui, |ui| hint_ui(ui, &format!("{} more chunks are not listed", count(chunks.spans_left_out))));
        }
    }
}

/// What all parts of the panel read.
struct View<'a> {
    ctx: &'a AppContext<'a>,
    source: &'a dyn ChunkSource,
    title: &'a str,
    /// Height of the panel, in points.
    height: f32,
}

impl View<'_> {
    fn layout(&self) -> &LayoutState {
        &self.ctx.state.layout
    }

    fn grid(&self) -> &ChunkGrid {
        self.source.grid()
    }
}

fn at_least_rows(height: f32) -> f32 {
    height.max(MIN_ROWS * metrics::ROW_TABLE).floor()
}

fn shard_header_ui(ui: &mut Ui, view: &View<'_>, shard: ShardIndex, known: Option<&ShardLayout>) {
    let layout = view.layout();
    let title = format!("Shard {shard}");
    let encoding = known.map_or("", |known| known.encoding);
    let first = view.grid().first_chunk_of(shard);
    let target = layout.selected_chunk.filter(|chunk| view.grid().shard_from_chunk(*chunk) == shard).unwrap_or(first);
    SectionHeader::new(&title).subject(encoding).show(ui, |ui| {
        if ui.add(TextButton::quiet("Go there").icon(icons::TARGET)).clicked() {
            view.ctx.send(AppCommand::GoToChunk(target));
        }
    });
    let location = known.map_or_else(|| view.source.shard_location(shard), |known| known.location.clone());
    ui.add(PathText::new(&location).quiet().copyable().fill());
    ui.add_space(metrics::TIGHT_GAP);
}

fn shard_error_ui(ui: &mut Ui, view: &View<'_>, error: &Arc<ChunkError>) {
    let tokens = Tokens::of(ui);
    ui.add(Label::new(text::control_medium("Can't read where its chunks lie").color(tokens.t1)).wrap());
    ui.add(Label::new(text::control(capitalized(&error.fault.to_string())).color(tokens.err)).wrap());
    ui.add_space(metrics::TIGHT_GAP);
    if ui.add(TextButton::new("Retry").icon(icons::ARROW_CLOCKWISE)).clicked() {
        view.ctx.send(AppCommand::Retry);
    }
    ui.add_space(metrics::GAP);
}

/// Where a file's length lies between the least and the most, 0 to 1.
fn ramp_position(len: u64, range: Option<(u64, u64)>) -> f32 {
    let Some((least, most)) = range.filter(|(least, most)| most > least) else { return 0.5 };
    (len.saturating_sub(least) as f64 / (most - least) as f64) as f32
}

/// All shards that were looked at, with tabs between columns, for a spreadsheet.
fn shards_as_text(layout: &LayoutState) -> String {
    let mut out = String::from("x\ty\tz\tstored_bytes\tstate\n");
    for (shard, file) in &layout.shards {
        let (len, state) = match file {
            ShardFile::Present(len) => (len.to_string(), "present"),
            ShardFile::Absent => (String::new(), "missing"),
            ShardFile::Unreadable(_) => (String::new(), "unreadable"),
        };
        out.push_str(&format!("{}\t{}\t{}\t{len}\t{state}\n", shard.0.x, shard.0.y, shard.0.z));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3Int;

    #[test]
    fn the_copied_table_has_a_line_per_shard() {
        let shards = [([0, 1, 2], ShardFile::Present(9)), ([3, 0, 0], ShardFile::Absent)];
        let shards = shards.into_iter().map(|(at, file)| (ShardIndex(Vec3Int::from(at)), file)).collect();
        let layout = LayoutState { shards, ..LayoutState::default() };
        assert_eq!(shards_as_text(&layout), "x\ty\tz\tstored_bytes\tstate\n0\t1\t2\t9\tpresent\n3\t0\t0\t\tmissing\n");
    }

    #[test]
    fn the_ramp_spans_the_lengths_that_occur() {
        assert_eq!(ramp_position(10, Some((10, 20))), 0.0);
        assert_eq!(ramp_position(15, Some((10, 20))), 0.5);
        assert_eq!(ramp_position(u64::MAX, Some((0, u64::MAX))), 1.0);
        assert_eq!(ramp_position(10, Some((10, 10))), 0.5);
    }
}
