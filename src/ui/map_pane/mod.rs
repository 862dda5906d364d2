//! The map, in the fourth quadrant: shards of the selected level seen along the plane of the last used pane,
//! or the chunks of the selected shard. A click goes there.

mod cells;
mod paint;

use crate::format::ChunkSource;
use crate::geometry::{BoundingBox, ChunkGrid, ChunkIndex, Mag, ShardIndex, SlicePlane, Vec3Int};
use crate::state::{AppCommand, AppContext, LayoutState, LevelKey, ShardFile};
use crate::text::{bytes, count};
use crate::ui::theme::{Plane, Tokens, color, fonts, icons, metrics, text};
use crate::ui::widgets::{CellLook, IconToggle, LegendMark, PlateLook, RampLegend, legend_item_ui, plate_ui};
use cells::{Entry, Look, MapArea, MapCells, ruler_step};
use egui::{
    Align, Align2, Frame, Label, Layout, Mesh, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};
use std::sync::Arc;

const HEADER: f32 = 36.0;
/// Space of the upper ruler.
const RULER: f32 = 16.0;
/// From this width on the legend stands beside the map.
const WIDE: f32 = 400.0;
const SIDE_LEGEND: f32 = 84.0;
const LEGEND_ROW: f32 = 20.0;
const RAMP_LENGTH: f32 = 92.0;
const LYING_RAMP: f32 = 72.0;

/// The map with what it remembers.
#[derive(Debug, Default)]
pub struct MapPane {
    /// Whether a person asked for the chunks of the selected shard.
    is_zoomed_in: bool,
    /// The level for which its only shard was selected.
    selected_only_shard_of: Option<LevelKey>,
    drawn: Option<Drawn>,
}

/// Cells as drawn last, kept until something they follow from changes.
#[derive(Debug)]
struct Drawn {
    key: DrawnKey,
    cells: MapCells,
    mesh: Arc<Mesh>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct DrawnKey {
    level: Option<LevelKey>,
    /// In place of shards or chunks: how many are known, and where the list of chunks lies in memory.
    known: usize,
    chunks: usize,
    shard: Option<ShardIndex>,
    area: MapArea,
    origin: Pos2,
    is_dark: bool,
}

/// What is shown: everything a frame of the map is made of.
struct View<'a> {
    ctx: &'a AppContext<'a>,
    layer_name: &'a str,
    mag: Mag,
    source: &'a dyn ChunkSource,
    plane: SlicePlane,
    /// Centre of the view, in voxels of the level.
    center: Vec3Int,
    /// Extent of the layer, in voxels of the level.
    extent: BoundingBox,
    /// The shard whose chunks are shown, instead of all shards.
    opened: Option<ShardIndex>,
}

impl MapPane {
    /// Draws the map over the room of `ui`.
    pub fn show(&mut self, ui: &mut Ui, ctx: &AppContext<'_>) {
        let tokens = Tokens::of(ui);
        let (rect, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
        ui.painter().rect(rect, metrics::RADIUS_PANE, tokens.bg0, Stroke::new(1.0, tokens.line2), StrokeKind::Inside);
        let inner = rect.shrink(1.0);
        let open = ctx.state.dataset.as_ref();
        let layer = open.and_then(|open| open.selected());
        let level = layer.and_then(|layer| layer.level_of(ctx.state.layout.level?));
        let (Some(open), Some(layer), Some(level)) = (open, layer, level) else {
            placeholder_ui(ui, inner, "No level is open");
            return;
        };
        let Ok(source) = &level.source else {
            placeholder_ui(ui, inner, "This level can't be opened");
            return;
        };
        let plane = ctx.state.panels.active_pane;
        let center = level.mag.mag_from_mag1(open.view.voxel());
        let extent = level.mag.box_in_mag(&layer.layer().bounding_box);
        let mut view =
            View { ctx, layer_name: &layer.layer().name, mag: level.mag, source: source.as_ref(), plane, center, extent, opened: None };
        view.opened = self.opened_shard(&view);
        let child_ui = &mut ui.new_child(UiBuilder::new().id_salt("map").max_rect(inner));
        self.header_ui(child_ui, inner.with_max_y(inner.top() + HEADER), &view);
        self.map_ui(child_ui, inner.with_min_y(inner.top() + HEADER), &view);
    }

    /// The shard whose chunks are shown: the only one, or the selected one when zoomed in.
    fn opened_shard(&mut self, view: &View<'_>) -> Option<ShardIndex> {
        let layout = view.layout();
        let range = view.shard_range();
        if range.shape.voxel_count() == Some(1) {
            let only = ShardIndex(range.topleft);
            if layout.selected_shard.is_none() && self.selected_only_shard_of != layout.level {
                self.selected_only_shard_of = layout.level;
                view.ctx.send(AppCommand::SelectShard(Some(only)));
            }
            return Some(only);
        }
        layout.selected_shard.filter(|_| self.is_zoomed_in)
    }

    fn header_ui(&mut self, ui: &mut Ui, rect: Rect, view: &View<'_>) {
        let row = rect.shrink2(vec2(metrics::PLATE_MARGIN, 6.0));
        let ui = &mut ui.new_child(UiBuilder::new().max_rect(row).layout(Layout::left_to_right(Align::Center)));
        ui.spacing_mut().item_spacing.x = metrics::GAP;
        let tokens = Tokens::of(ui);
        plate_ui(ui, "Map", PlateLook::map_tag(tokens));
        let title = view.title(self.drawn.as_ref().map(|drawn| drawn.key.area.layer()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if view.shard_range().shape.voxel_count() != Some(1) {
                let mut is_on = view.opened.is_some();
                let toggle = IconToggle::new(&mut is_on, icons::GRID_NINE, "Chunks of the selected shard", "Chunks of the selected shard");
                if ui.add(toggle).changed() {
                    self.is_zoomed_in = is_on;
                    if is_on && view.layout().selected_shard.is_none() {
                        view.ctx.send(AppCommand::SelectShard(Some(view.current_shard())));
                    }
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(text::small(title).color(tokens.t2)).truncate());
            });
        });
    }

    fn map_ui(&mut self, ui: &mut Ui, rect: Rect, view: &View<'_>) {
        let is_wide = rect.width() >= WIDE;
        let range = view.range();
        let last = [0, 1].map(|i| {
            let axis = if i == 0 { view.plane.right_axis() } else { view.plane.down_axis() };
            view.label_of(axis, range.bottomright()[axis] - 1)
        });
        let label_width = |label: &str| ui.painter().layout_no_wrap(label.to_owned(), fonts::small(), Tokens::of(ui).t3).size().x.ceil();
        let column_label = label_width(&last[0]);
        let left_ruler = label_width(&last[1]).max(16.0) + 6.0;
        // What occurred in the last frame says how much room the legend needs.
        let lower_legend = self.drawn.as_ref().map_or(LEGEND_ROW, |drawn| lying_legend_height(ui, rect.width(), &drawn.cells, view));
        let legend = if is_wide { vec2(SIDE_LEGEND + metrics::GAP, 0.0) } else { vec2(0.0, lower_legend) };
        let room = rect.size() - vec2(left_ruler + 2.0 * metrics::PLATE_MARGIN, RULER + metrics::PLATE_MARGIN) - legend;
        if room.x < cells::MIN_CELL || room.y < cells::MIN_CELL {
            return;
        }
        let normal = view.plane.normal_axis();
        let center = if view.opened.is_some() { view.grid().chunk_from_voxel(view.center).0 } else { view.current_shard().0 };
        let Some(area) = MapArea::new(view.plane, range, center[normal], room) else {
            placeholder_ui(ui, rect, "The level is empty");
            return;
        };
        let spare = (room - area.size()).max(egui::Vec2::ZERO);
        let origin = (rect.min + vec2(metrics::PLATE_MARGIN + left_ruler + spare.x / 2.0, RULER + spare.y / 2.0)).round();
        let map_rect = Rect::from_min_size(origin, area.size());
        self.update(ui, view, area, origin);
        let Some(drawn) = &self.drawn else { return };

        ui.painter().add(Shape::mesh(Arc::clone(&drawn.mesh)));
        paint_rulers(ui, view, &area, map_rect, column_label);
        let has_view = paint_outlines(ui, view, &area, map_rect);
        let response = ui.interact(map_rect, ui.scope_id().with("cells"), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, view.spoken(&drawn.cells)));
        if response.has_focus() {
            ui.painter().rect_stroke(map_rect.expand(2.0), 2, Stroke::new(1.0, Tokens::of(ui).acc), StrokeKind::Inside);
        }
        let legend_rect = if is_wide {
            Rect::from_min_max(pos2(map_rect.right() + 12.0, map_rect.top()), rect.right_bottom() - vec2(4.0, 4.0))
        } else {
            Rect::from_min_max(
                pos2(rect.left() + metrics::PLATE_MARGIN, rect.bottom() - lower_legend - 4.0),
                rect.right_bottom() - vec2(4.0, 4.0),
            )
        };
        legend_ui(ui, legend_rect, is_wide, &drawn.cells, view, has_view);
        let hovered = response.hover_pos().map(|pointer| pointer - origin).and_then(|at| {
            let cell = [at.x, at.y].map(|at| (at / area.cell_size()).floor().max(0.0) as usize);
            drawn.cells.cell(cell).map(|summary| (area.indices_of(cell), *summary))
        });
        let zoom = hovered.map_or(0.0, |_| wheel(ui));
        if let Some((indices, summary)) = hovered {
            let response = response.on_hover_ui_at_pointer(|ui| {
                Frame::NONE.inner_margin(metrics::TIGHT_GAP).show(ui, |ui| tooltip_ui(ui, view, indices, &summary));
            });
            self.handle_click(&response, view, indices, zoom > 0.0);
        }
        if zoom < 0.0 {
            self.is_zoomed_in = false;
        }
    }

    fn handle_click(&mut self, response: &Response, view: &View<'_>, indices: BoundingBox, is_zooming_in: bool) {
        let is_opening = response.double_clicked() || is_zooming_in;
        if !response.clicked() && !is_opening {
            return;
        }
        if view.opened.is_some() {
            if response.clicked() {
                let chunk = ChunkIndex(indices.topleft);
                view.ctx.send(AppCommand::SelectChunk(Some(chunk)));
                view.ctx.send(AppCommand::GoToChunk(chunk));
            }
            return;
        }
        let shard = ShardIndex(indices.center());
        view.ctx.send(AppCommand::SelectShard(Some(shard)));
        if response.clicked() {
            view.ctx.send(AppCommand::GoToChunk(view.grid().first_chunk_of(shard)));
        }
        self.is_zoomed_in |= is_opening;
    }

    /// Sorts what is known into cells and makes their mesh anew, if anything has changed.
    fn update(&mut self, ui: &Ui, view: &View<'_>, area: MapArea, origin: Pos2) {
        let layout = view.layout();
        let chunks = view.opened.and(layout.chunks.as_ref());
        let key = DrawnKey {
            level: layout.level,
            known: layout.shards.len(),
            chunks: match chunks {
                None => 0,
                Some(Ok(chunks)) => Arc::as_ptr(chunks).addr(),
                Some(Err(error)) => Arc::as_ptr(error).addr(),
            },
            shard: view.opened,
            area,
            origin,
            is_dark: ui.visuals().dark_mode,
        };
        if self.drawn.as_ref().is_some_and(|drawn| drawn.key == key) {
            return;
        }
        let cells = match (view.opened, chunks) {
            (None, _) => MapCells::of_shards(area, &layout.shards),
            (Some(shard), Some(Ok(chunks))) if chunks.shard == shard => MapCells::of_chunks(area, chunks),
            (Some(_), Some(Ok(_))) => MapCells::uniform(area, None),
            (Some(_), Some(Err(_))) => MapCells::uniform(area, Some(Entry::Failed)),
            (Some(shard), None) => {
                let entry = match layout.shards.get(&shard) {
                    Some(ShardFile::Absent) => Some(Entry::Missing),
                    Some(ShardFile::Unreadable(_)) => Some(Entry::Failed),
                    Some(ShardFile::Present(_)) | None => None,
                };
                MapCells::uniform(area, entry)
            }
        };
        let mesh = Arc::new(paint::mesh_of(&cells, origin, Tokens::of(ui)));
        self.drawn = Some(Drawn { key, cells, mesh });
    }
}

impl View<'_> {
    fn layout(&self) -> &LayoutState {
        &self.ctx.state.layout
    }

    fn grid(&self) -> &ChunkGrid {
        self.source.grid()
    }

    fn shard_range(&self) -> BoundingBox {
        self.grid().shard_range(&self.extent)
    }

    fn current_shard(&self) -> ShardIndex {
        self.grid().shard_from_voxel(self.center)
    }

    /// Indices that the map spans: those of all shards, or of the chunks of the opened one.
    fn range(&self) -> BoundingBox {
        match self.opened {
            None => self.shard_range(),
            Some(shard) => BoundingBox::new(self.grid().first_chunk_of(shard).0, self.grid().chunks_per_shard()),
        }
    }

    /// Voxels of one index along an axis.
    fn voxels_along(&self, axis: usize) -> i64 {
        let shape = if self.opened.is_some() { self.grid().chunk_shape() } else { self.grid().shard_shape() };
        shape.along(axis).max(1)
    }

    /// The continuous index at a voxel of the level, from a voxel of which the index is known.
    fn index_from_voxel(&self, axis: usize, voxel: i64) -> f64 {
        let first = self.range().topleft;
        let origin = match self.opened {
            None => self.grid().shard_box(ShardIndex(first)).topleft,
            Some(_) => self.grid().chunk_box(ChunkIndex(first)).topleft,
        };
        first[axis] as f64 + voxel.saturating_sub(origin[axis]) as f64 / self.voxels_along(axis) as f64
    }

    /// An index as rulers show it: chunks count from their shard's first.
    fn label_of(&self, axis: usize, index: i64) -> String {
        match self.opened {
            None => index.to_string(),
            Some(shard) => (index - self.grid().first_chunk_of(shard).0[axis]).to_string(),
        }
    }

    fn title(&self, layer: Option<i64>) -> String {
        let normal = self.plane.normal_axis();
        let axis = ["x", "y", "z"][normal]; // an axis of three
        let start = format!("{} · mag {}", self.layer_name, self.mag);
        let at = layer.map_or_else(String::new, |layer| format!(" {}", self.label_of(normal, layer)));
        match self.opened {
            None => format!("{start} · shard {axis}{at}"),
            Some(shard) => format!("{start} · shard {shard} · chunk {axis}{at}"),
        }
    }

    fn spoken(&self, cells: &MapCells) -> String {
        let total = &cells.total;
        let what = if self.opened.is_some() { "chunks" } else { "shards" };
        let mut parts = vec![format!("{} {what} stored", total.stored)];
        for (number, state) in [(total.empty, "empty"), (total.missing, "missing"), (total.failed, "failed")] {
            if number > 0 {
                parts.push(format!("{number} {state}"));
            }
        }
        format!("Map of {}, {}", self.title(Some(cells.area.layer())), parts.join(", "))
    }
}

fn placeholder_ui(ui: &Ui, rect: Rect, sentence: &str) {
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, sentence, fonts::control(), Tokens::of(ui).t3);
}

/// Notches of the wheel in this frame, upwards positive.
fn wheel(ui: &Ui) -> f32 {
    ui.input(|input| {
        let notches = input.events.iter().map(|event| match event {
            egui::Event::MouseWheel { delta, .. } => delta.y,
            _ => 0.0, // not an enum of ours
        });
        notches.sum()
    })
}

fn paint_rulers(ui: &Ui, view: &View<'_>, area: &MapArea, map: Rect, column_label: f32) {
    let tokens = Tokens::of(ui);
    let current = if view.opened.is_some() { view.grid().chunk_from_voxel(view.center).0 } else { view.current_shard().0 };
    let painter = ui.painter();
    for screen_axis in 0..2 {
        let axis = if screen_axis == 0 { view.plane.right_axis() } else { view.plane.down_axis() };
        let step = ruler_step(area, if screen_axis == 0 { column_label + 4.0 } else { 14.0 });
        let first = area.first(screen_axis);
        let cells_per_step = usize::try_from(step / area.block()).unwrap_or(1).max(1);
        for cell in (0..area.shape()[screen_axis]).step_by(cells_per_step) {
            let index = first.saturating_add(i64::try_from(cell).unwrap_or(0).saturating_mul(area.block()));
            let along = (cell as f32 + 0.5) * area.cell_size();
            let is_current = (index..index.saturating_add(area.block())).contains(&current[axis]);
            let (font, color) = if is_current { (fonts::small_semi_bold(), tokens.t1) } else { (fonts::small(), tokens.t3) };
            let (at, align) = match screen_axis {
                0 => (pos2(map.left() + along, map.top() - RULER / 2.0 - 1.0), Align2::CENTER_CENTER),
                _ => (pos2(map.left() - 6.0, map.top() + along), Align2::RIGHT_CENTER), // the other screen axis
            };
            painter.text(at, align, view.label_of(axis, index), font, color);
        }
    }
}

/// Outlines of what is current, selected and in view; answers whether the last is on the map.
fn paint_outlines(ui: &Ui, view: &View<'_>, area: &MapArea, map: Rect) -> bool {
    let tokens = Tokens::of(ui);
    let painter = ui.painter().with_clip_rect(ui.clip_rect().intersect(map.expand(1.0)));
    let size = area.cell_size();
    let cell_rect = |index: Vec3Int| {
        area.cell_of(index).map(|[column, row]| Rect::from_min_size(map.min + vec2(column as f32, row as f32) * size, vec2(size, size)))
    };
    let outline = |rect: Rect, stroke: Stroke| {
        // A halo in the ground's colour keeps lines apart from cells of the same brightness.
        painter.rect_stroke(rect, 0, Stroke::new(stroke.width + 2.0, color::with_opacity(tokens.bg0, 0.5)), StrokeKind::Middle);
        painter.rect_stroke(rect, 0, stroke, StrokeKind::Middle);
    };
    let layout = view.layout();
    let selected = match view.opened {
        None => layout.selected_shard.filter(|shard| *shard != view.current_shard()).map(|shard| shard.0),
        Some(_) => layout.selected_chunk.map(|chunk| chunk.0),
    };
    if let Some(rect) = cell_rect(view.current_shard().0).filter(|_| view.opened.is_none()) {
        outline(rect.shrink(0.5), Stroke::new(1.0, tokens.t1));
    }
    if let Some(rect) = selected.and_then(cell_rect) {
        outline(rect, Stroke::new(2.0, tokens.acc));
    }
    let Some(in_view) = in_view_rect(view, area, map) else { return false };
    outline(in_view, Stroke::new(1.0, tokens.plane(plane_look(view.plane))));
    true
}

/// What the pane that the map belongs to shows.
fn in_view_rect(view: &View<'_>, area: &MapArea, map: Rect) -> Option<Rect> {
    let shown = view.mag.box_in_mag(&view.ctx.feed.image(view.plane)?.view.box_mag1());
    let normal = view.plane.normal_axis();
    let at = view.index_from_voxel(normal, shown.topleft[normal]).floor();
    if at != area.layer() as f64 {
        return None;
    }
    let ends = |screen_axis: usize| {
        let axis = if screen_axis == 0 { view.plane.right_axis() } else { view.plane.down_axis() };
        [shown.topleft, shown.bottomright()].map(|corner| area.points_from_index(screen_axis, view.index_from_voxel(axis, corner[axis])))
    };
    let ([left, right], [top, bottom]) = (ends(0), ends(1));
    let rect = Rect::from_min_max(
        map.min + vec2(left.floor(), top.floor()),
        map.min + vec2(right.ceil().max(left + 3.0), bottom.ceil().max(top + 3.0)),
    );
    let visible = rect.intersect(map);
    visible.is_positive().then(|| visible.shrink(0.5))
}

fn plane_look(plane: SlicePlane) -> Plane {
    match plane {
        SlicePlane::Xy => Plane::Xy,
        SlicePlane::Yz => Plane::Yz,
        SlicePlane::Xz => Plane::Xz,
    }
}

/// States that occur, for the legend.
fn legend_marks(cells: &MapCells, view: &View<'_>, has_view: bool, tokens: &Tokens) -> Vec<(LegendMark, &'static str)> {
    let layout = view.layout();
    let selected = match view.opened {
        Some(_) => layout.selected_chunk.map(|chunk| chunk.0),
        None => layout.selected_shard.filter(|shard| *shard != view.current_shard()).map(|shard| shard.0),
    };
    let shows_selected = selected.is_some_and(|index| cells.area.cell_of(index).is_some());
    let marks = [
        (cells.total.empty > 0, LegendMark::Cell(CellLook::Empty), "Empty"),
        (cells.total.missing > 0, LegendMark::Cell(CellLook::Missing), "Missing"),
        (cells.total.failed > 0, LegendMark::Cell(CellLook::Failed), "Failed"),
        (cells.has_pending(), LegendMark::Cell(CellLook::Pending), "Pending"),
        (has_view, LegendMark::Outline(tokens.plane(plane_look(view.plane))), "In view"),
        (shows_selected, LegendMark::Outline(tokens.acc), "Selected"),
    ];
    marks.into_iter().filter(|(occurs, _, _)| *occurs).map(|(_, mark, name)| (mark, name)).collect()
}

/// One row, or two where ramp and marks don't fit side by side.
fn lying_legend_height(ui: &Ui, width: f32, cells: &MapCells, view: &View<'_>) -> f32 {
    let tokens = Tokens::of(ui);
    let text_width = |words: &str| ui.painter().layout_no_wrap(words.to_owned(), fonts::small(), tokens.t2).size().x.ceil();
    let marks: f32 = legend_marks(cells, view, true, tokens).iter().map(|(_, name)| 16.0 + text_width(name) + metrics::GAP).sum();
    let ramp = cells.bytes_range.map_or(0.0, |(least, most)| text_width(&bytes(least)) + text_width(&bytes(most)) + LYING_RAMP + 20.0);
    if ramp + marks + 2.0 * metrics::PLATE_MARGIN <= width { LEGEND_ROW } else { 2.0 * LEGEND_ROW }
}

/// The ramp with its ends, and the states that occur.
fn legend_ui(ui: &mut Ui, rect: Rect, is_standing: bool, cells: &MapCells, view: &View<'_>, has_view: bool) {
    let tokens = Tokens::of(ui);
    let layout = if is_standing { Layout::top_down(Align::Min) } else { Layout::left_to_right(Align::Center) };
    let has_two_rows = !is_standing && rect.height() > 1.5 * LEGEND_ROW;
    let ramp_rect = if has_two_rows { rect.with_max_y(rect.center().y) } else { rect };
    let marks_ui = &mut ui.new_child(UiBuilder::new().id_salt("marks").max_rect(rect.with_min_y(rect.center().y)).layout(layout));
    let ramp_ui = &mut ui.new_child(UiBuilder::new().id_salt("ramp").max_rect(ramp_rect).layout(layout));
    for ui in [&mut *marks_ui, &mut *ramp_ui] {
        ui.spacing_mut().item_spacing = vec2(metrics::GAP, metrics::TIGHT_GAP);
    }
    let ui = ramp_ui;
    if let Some((least, most)) = cells.bytes_range {
        let (low, high) = (bytes(least), bytes(most));
        if least == most {
            legend_item_ui(ui, LegendMark::Cell(CellLook::Value(0.5)), &low);
        } else if is_standing {
            let middle = bytes(least + (most - least) / 2);
            ui.add(RampLegend::standing(&low, &high, RAMP_LENGTH.min(rect.height() / 2.0)).middle(&middle));
            ui.add_space(metrics::TIGHT_GAP);
        } else {
            ui.add(RampLegend::lying(&low, &high, LYING_RAMP));
        }
    }
    let ui = if has_two_rows { marks_ui } else { ui };
    for (mark, name) in legend_marks(cells, view, has_view, tokens) {
        legend_item_ui(ui, mark, name);
    }
    if is_standing && cells.area.block() > 1 {
        let words = format!("{0} × {0} merged", count(cells.area.block().unsigned_abs()));
        ui.add(Label::new(text::small(words).color(tokens.t3)).wrap());
    }
}

fn tooltip_ui(ui: &mut Ui, view: &View<'_>, indices: BoundingBox, summary: &cells::Summary) {
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
