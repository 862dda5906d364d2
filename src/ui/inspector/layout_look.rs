//! How shards and chunks look in the layout panel: their states in tables, and the figures of one shard.

use super::data_table::Cell;
use super::layout_panel::WIDE;
use crate::format::{ShardLayout, SpanState};
use crate::geometry::ShardIndex;
use crate::state::ShardFile;
use crate::text::{bytes, bytes_parts, count};
use crate::ui::theme::{Tokens, metrics};
use crate::ui::widgets::{CellLook, LegendMark, StatCell, stat_grid_ui};
use egui::Ui;

/// The figures of one shard.
pub(super) fn shard_stats_ui(ui: &mut Ui, chunks: &ShardLayout) {
    let listed = chunks.spans.len() as u64;
    let of_all = format!("of {}", count(listed.saturating_add(chunks.spans_left_out)));
    let present = chunks.present() as u64;
    let present_text = count(present);
    let stored = bytes_parts(chunks.stored_bytes());
    let decoded = bytes_parts(present.saturating_mul(chunks.decoded_chunk_len));
    let ratio = ratio_text(chunks.ratio());
    let gaps = bytes_parts(chunks.gap_bytes());
    let index = bytes_parts(chunks.index_len);
    let corrupt = chunks.corrupt() as u64;
    let corrupt_text = count(corrupt);
    let empty_text = count(listed - present - corrupt);
    let file = bytes_parts(chunks.file_len);
    let mut cells = vec![
        StatCell::new("Chunks", &present_text).unit(&of_all),
        StatCell::new("Stored", &stored.0).unit(stored.1),
        StatCell::new("Decoded", &decoded.0).unit(decoded.1),
        StatCell::new("Ratio", &ratio),
        StatCell::new("Gaps", &gaps.0).unit(gaps.1),
    ];
    let is_wide = ui.available_width() >= WIDE;
    if is_wide {
        let index_name = if chunks.index_len > 16 { "Header, index" } else { "Header" };
        cells.push(StatCell::new(index_name, &index.0).unit(index.1));
        cells.push(if corrupt == 0 && present < listed {
            StatCell::new("Empty", &empty_text)
        } else {
            StatCell::new("File", &file.0).unit(file.1)
        });
    }
    cells.push(warned(ui, StatCell::new("Corrupt", &corrupt_text), corrupt > 0));
    stat_grid_ui(ui, if is_wide { 4 } else { 3 }, &cells);
    ui.add_space(metrics::TIGHT_GAP);
}

/// A cell in the colour of errors if there is something bad.
pub(super) fn warned<'a>(ui: &Ui, cell: StatCell<'a>, is_bad: bool) -> StatCell<'a> {
    if is_bad { cell.color(Tokens::of(ui).err) } else { cell }
}

pub(super) fn ratio_text(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"))
}

pub(super) fn shard_state_cell(file: &ShardFile, tokens: &Tokens) -> Cell {
    match file {
        ShardFile::Present(_) => Cell::text("Present").color(tokens.t2).mark(LegendMark::Cell(CellLook::Present)),
        ShardFile::Absent => Cell::text("Missing").color(tokens.t2).mark(LegendMark::Cell(CellLook::Missing)),
        ShardFile::Unreadable(_) => Cell::text("Unreadable").color(tokens.err).mark(LegendMark::Cell(CellLook::Failed)),
    }
}

pub(super) fn chunk_state_cell(state: SpanState, with_word: bool, tokens: &Tokens) -> Cell {
    let (look, color) = match state {
        SpanState::Present(_) => (CellLook::Present, tokens.t2),
        SpanState::Empty => (CellLook::Empty, tokens.t2),
        SpanState::Corrupt => (CellLook::Failed, tokens.err),
    };
    let word = if with_word { span_word(state) } else { "" };
    Cell::text(word).color(color).mark(LegendMark::Cell(look))
}

pub(super) fn span_word(state: SpanState) -> &'static str {
    match state {
        SpanState::Present(_) => "Present",
        SpanState::Empty => "Empty",
        SpanState::Corrupt => "Corrupt",
    }
}

pub(super) fn spoken_shard(shard: ShardIndex, file: Option<&ShardFile>) -> String {
    match file {
        Some(ShardFile::Present(len)) => format!("Shard {shard}, {}, present", bytes(*len)),
        Some(ShardFile::Absent) => format!("Shard {shard}, missing"),
        Some(ShardFile::Unreadable(_)) => format!("Shard {shard}, unreadable"),
        None => format!("Shard {shard}"),
    }
}
