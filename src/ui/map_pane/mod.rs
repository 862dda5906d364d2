//! The map, in the fourth quadrant: shards of the selected level seen along the plane of the last used pane,
//! or the chunks of the selected shard. A click goes there.

mod cells;
mod legend;
mod paint;
mod tooltip;
mod view;

use crate::geometry::{BoundingBox, ChunkIndex, ShardIndex, Vec3Int};
use crate::state::{AppCommand, AppContext, LevelKey, ShardFile};
use crate::ui::theme::{Tokens, color, fonts, icons, metrics, text};
use crate::ui::widgets::{IconToggle, PlateLook, plate_ui};
use cells::{Entry, MapArea, MapCells, ruler_step};
use egui::{
    Align, Align2, Frame, Label, Layout, Mesh, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};
use legend::{LEGEND_ROW, legend_ui, lying_legend_height};
use std::sync::Arc;
use tooltip::tooltip_ui;
use view::{View, plane_look};

const HEADER: f32 = 36.0;
/// Space of the upper ruler.
const RULER: f32 = 16.0;
/// From this width on the legend stands beside the map.
const WIDE: f32 = 400.0;
const SIDE_LEGEND: f32 = 84.0;

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
    /// In place of shards or chunks: how often those changed, and where the list of chunks lies in memory.
    revision: u64,
    chunks: usize,
    shard: Option<ShardIndex>,
    area: MapArea,
    origin: Pos2,
    is_dark: bool,
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
        let level = open.and_then(|open| ctx.feed.level_of(open.selected, ctx.state.layout.level?));
        let (Some(open), Some(layer), Some(level)) = (open, layer, level) else {
            placeholder_ui(ui, inner, "No mag can be read");
            return;
        };
        let plane = ctx.state.panels.active_pane;
        let center = level.mag.mag_from_mag1(open.view.voxel());
        let extent = level.mag.box_in_mag(&layer.layer().bounding_box);
        let mut view = View {
            ctx,
            layer_name: &layer.layer().name,
            label: level.label(),
            mag: level.mag,
            source: level.source.as_ref(),
            plane,
            center,
            extent,
            opened: None,
        };
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
                go_to(view, &view.grid().chunk_box(chunk));
            }
            return;
        }
        let shard = ShardIndex(indices.center());
        view.ctx.send(AppCommand::SelectShard(Some(shard)));
        if response.clicked() {
            go_to(view, &view.grid().shard_box(shard));
        }
        self.is_zoomed_in |= is_opening;
    }

    /// Sorts what is known into cells and makes their mesh anew, if anything has changed.
    fn update(&mut self, ui: &Ui, view: &View<'_>, area: MapArea, origin: Pos2) {
        let layout = view.layout();
        let chunks = view.opened.and(layout.chunks.as_ref());
        let key = DrawnKey {
            level: layout.level,
            revision: layout.revision,
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
/// Centres the middle of a box of the level within the plane that is seen; the slice stays.
fn go_to(view: &View<'_>, box_in_mag: &BoundingBox) {
    let inside = view.mag.box_in_mag1(&box_in_mag.intersect(&view.extent));
    let Some(open) = view.ctx.state.dataset.as_ref().filter(|_| !inside.is_empty()) else { return };
    let normal = view.plane.normal_axis();
    view.ctx.send(AppCommand::SetPosition(inside.center().with(normal, open.view.voxel()[normal])));
}
