//! Painting of the map's cells: one mesh for everything, hatches and dots included.

use super::cells::{Look, MapCells};
use crate::ui::theme::Tokens;
use egui::{Color32, Mesh, Pos2, Rect, pos2, vec2};

/// From this size on, cells have a gap of 1.
const GAP_FROM: f32 = 8.0;
const DOT_PITCH: f32 = 6.0;
const DOT_SIZE: f32 = 1.5;
const HATCH_PITCH: f32 = 4.0;
const HATCH_WIDTH: f32 = 1.5;

/// All cells of the map with `origin` as their upper left corner.
pub(super) fn mesh_of(map: &MapCells, origin: Pos2, tokens: &Tokens) -> Mesh {
    let mut mesh = Mesh::default();
    let size = map.area.cell_size();
    let [columns, _] = map.area.shape();
    let shown = if size >= GAP_FROM { size - 1.0 } else { size };
    for (index, cell) in map.cells.iter().enumerate() {
        let corner = origin + vec2((index % columns) as f32, (index / columns) as f32) * size; // a cell exists, so there are columns
        let rect = Rect::from_min_size(corner, vec2(shown, shown));
        match cell.look() {
            Look::Stored(bytes) => mesh.add_colored_rect(rect, tokens.ramp_color(map.ramp_position(bytes))),
            Look::Pending => mesh.add_colored_rect(rect, tokens.chunk.pending),
            Look::Empty => {
                mesh.add_colored_rect(rect, tokens.line2);
                mesh.add_colored_rect(rect.shrink(1.0), tokens.chunk.empty);
            }
            Look::Missing => {
                mesh.add_colored_rect(rect, tokens.chunk.missing);
                add_dots(&mut mesh, rect, tokens.chunk.missing_dots);
            }
            Look::Failed => add_hatched(&mut mesh, rect, tokens.errbg, tokens.err),
        }
    }
    mesh
}

fn add_dots(mesh: &mut Mesh, rect: Rect, color: Color32) {
    let count = |side: f32| (side / DOT_PITCH).floor().max(1.0) as usize;
    let (columns, rows) = (count(rect.width()), count(rect.height()));
    let first = rect.center() - vec2((columns - 1) as f32, (rows - 1) as f32) * DOT_PITCH / 2.0; // both at least 1
    for row in 0..rows {
        for column in 0..columns {
            let center = first + vec2(column as f32, row as f32) * DOT_PITCH;
            mesh.add_colored_rect(Rect::from_center_size(center, vec2(DOT_SIZE, DOT_SIZE)), color);
        }
    }
}

fn add_hatched(mesh: &mut Mesh, rect: Rect, ground: Color32, lines: Color32) {
    mesh.add_colored_rect(rect, lines);
    let inner = rect.shrink(1.0);
    mesh.add_colored_rect(inner, ground);
    // x + y is constant along each line; aligned to the screen, so that hatches run on over neighbouring cells.
    let step = std::f32::consts::SQRT_2 * HATCH_PITCH;
    let half = std::f32::consts::SQRT_2 * HATCH_WIDTH / 2.0;
    let mut sum = ((inner.left() + inner.top()) / step).ceil() * step;
    while sum < inner.right() + inner.bottom() {
        let from = inner.left().max(sum - inner.bottom());
        let to = inner.right().min(sum - inner.top());
        let points = [pos2(from, sum - from - half), pos2(from, sum - from + half), pos2(to, sum - to - half), pos2(to, sum - to + half)]
            .map(|point| inner.clamp(point));
        add_strip(mesh, points, lines);
        sum += step;
    }
}

/// Two triangles over four points, given in the order of a strip.
fn add_strip(mesh: &mut Mesh, points: [Pos2; 4], color: Color32) {
    let Ok(first) = u32::try_from(mesh.vertices.len()) else { return };
    for point in points {
        mesh.colored_vertex(point, color);
    }
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_triangle(first + 2, first + 1, first + 3);
}

#[cfg(test)]
mod tests {
    use super::super::cells::{Entry, MapArea};
    use super::*;
    use crate::geometry::{BoundingBox, Shape3, SlicePlane, Vec3Int};

    #[test]
    fn the_mesh_stays_bounded_and_inside_the_map() {
        let range = BoundingBox::new(Vec3Int::ZERO, Shape3::new(1 << 40, 1 << 40, 1));
        let area = MapArea::new(SlicePlane::Xy, range, 0, vec2(400.0, 300.0)).expect("not empty");
        let frame = Rect::from_min_size(pos2(10.0, 20.0), area.size()).expand(0.01);
        for entry in [None, Some(Entry::Stored(1)), Some(Entry::Empty), Some(Entry::Missing), Some(Entry::Failed)] {
            let mesh = mesh_of(&MapCells::uniform(area, entry), pos2(10.0, 20.0), Tokens::of_theme(egui::Theme::Dark));
            assert!(mesh.is_valid() && mesh.vertices.len() <= 100 * 75 * 32, "{entry:?}");
            assert!(mesh.vertices.iter().all(|vertex| frame.contains(vertex.pos)), "{entry:?}");
        }
    }
}
