//! What the map says of the cell under the pointer.

use super::cells::{Look, Summary};
use super::view::View;
use crate::geometry::{BoundingBox, ChunkIndex, ShardIndex, Vec3Int};
use crate::state::{LayoutState, ShardFile};
use crate::text::{bytes, count};
use crate::ui::theme::{Tokens, text};
use egui::{Label, Ui};

/// Which shards or chunks a cell stands for, and their state.
pub(super) fn tooltip_ui(ui: &mut Ui, view: &View<'_>, indices: BoundingBox, summary: &Summary) {
    let tokens = Tokens::of(ui);
    let line = |ui: &mut Ui, words: &str| ui.label(text::control(words).color(tokens.t2));
    let what = if view.opened.is_some() { "chunk" } else { "shard" };
    let merged = indices.shape.voxel_count().unwrap_or(u64::MAX);
    if merged > 1 {
        ui.label(text::control_medium(format!("{} {what}s from {}", count(merged), indices.topleft)).color(tokens.t1));
        let known = summary.stored + summary.empty + summary.missing + summary.failed;
        for (number, word) in
            [(summary.stored, "stored"), (summary.empty, "empty"), (summary.missing, "missing"), (summary.failed, "failed")]
        {
            if number > 0 {
                line(ui, &format!("{} {word}", count(number)));
            }
        }
        if known < merged {
            line(ui, &format!("{} not looked at yet", count(merged - known)));
        }
        if summary.stored > 0 {
            line(ui, &bytes(summary.stored_bytes));
        }
        return;
    }
    let index = indices.topleft;
    let shown = if view.opened.is_some() { view.grid().chunk_in_shard(ChunkIndex(index)) } else { index };
    ui.label(text::control_medium(format!("{}{} {shown}", what[..1].to_uppercase(), &what[1..])).color(tokens.t1));
    let state = match summary.look() {
        Look::Stored(len) if view.opened.is_some() => format!("{} B stored", count(len)),
        Look::Stored(len) => format!("{} stored", bytes(len)),
        Look::Empty => "Empty, all fill value".to_owned(),
        Look::Missing => "Missing, all fill value".to_owned(),
        Look::Failed => failure_text(view, index),
        Look::Pending => "Not looked at yet".to_owned(),
    };
    line(ui, &state);
    if let Some(shard) = view.opened {
        if let Some(order) = order_of(view.layout(), ChunkIndex(index)) {
            line(ui, &format!("Order {order} of shard {shard}"));
        }
    } else {
        ui.add(Label::new(text::hex(view.source.shard_location(ShardIndex(index))).color(tokens.t3)).wrap());
    }
}

fn failure_text(view: &View<'_>, index: Vec3Int) -> String {
    match (view.opened, &view.layout().chunks) {
        (Some(_), Some(Err(error))) => format!("Failed: {}", error.fault),
        (Some(_), Some(Ok(_)) | None) => "Failed: its entry in the jump table can't be true".to_owned(),
        (None, _) => match view.layout().shards.get(&ShardIndex(index)) {
            Some(ShardFile::Unreadable(reason)) => format!("Failed: {reason}"),
            Some(ShardFile::Present(_) | ShardFile::Absent) | None => "Failed".to_owned(),
        },
    }
}

/// A chunk's number in its shard. Looked for only under the pointer.
fn order_of(layout: &LayoutState, chunk: ChunkIndex) -> Option<u64> {
    let Some(Ok(chunks)) = &layout.chunks else { return None };
    chunks.spans.iter().find(|span| span.chunk == chunk).map(|span| span.order)
}
