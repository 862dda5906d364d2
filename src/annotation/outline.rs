//! The inside of a closed path in a slice, with its border: for the lasso, and for strokes that meet their start.

use super::brush::{MAX_AREA_PIXELS, PlanePos};

/// Why a path isn't filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AreaTooLarge {
    /// Pixels of the rectangle around the path, saturated.
    pub pixels: u64,
}

const UNKNOWN: u8 = 0;
const BORDER: u8 = 1;
const OUTSIDE: u8 = 2;

/// Calls `run` with the pixels (start, end, row) of a closed path and of all that it encloses: what can't be reached from
/// outside by steps right, left, up and down.
///
/// # Errors
/// If the rectangle around it has more than [`MAX_AREA_PIXELS`].
pub(super) fn fill_outline(path: &[PlanePos], mut run: impl FnMut(i64, i64, i64)) -> Result<(), AreaTooLarge> {
    let Some(first) = path.first() else { return Ok(()) };
    let corner = |pick: fn(i64, i64) -> i64| path.iter().fold(*first, |c, p| [pick(c[0], p[0]), pick(c[1], p[1])]);
    let (low, high) = (corner(i64::min), corner(i64::max));
    let extent = [0, 1].map(|axis| high[axis].abs_diff(low[axis]).saturating_add(1));
    let pixels = extent[0].saturating_mul(extent[1]);
    // Long thin ones too: the margin around them counts.
    if pixels > MAX_AREA_PIXELS || extent.iter().any(|e| *e > MAX_AREA_PIXELS / 4) {
        return Err(AreaTooLarge { pixels });
    }
    // A margin of one pixel joins all of the outside.
    let [width, height] = extent.map(|e| usize::try_from(e).unwrap_or(0) + 2);
    let mut raster = vec![UNKNOWN; width * height];
    let index = |p: PlanePos| {
        let [u, v] = [0, 1].map(|axis| usize::try_from(p[axis] - low[axis] + 1).unwrap_or(0));
        u + v * width
    };
    for (at, from) in path.iter().enumerate() {
        line(*from, path[(at + 1) % path.len()], |p| raster[index(p)] = BORDER);
    }
    flood_outside(&mut raster, width, height);
    for (row, v) in raster.chunks_exact(width).zip(low[1] - 1..) {
        let mut start = None;
        for (pixel, u) in row.iter().zip(low[0] - 1..) {
            match (*pixel == OUTSIDE, start) {
                (false, None) => start = Some(u),
                (true, Some(from)) => {
                    run(from, u, v);
                    start = None;
                }
                (true, None) | (false, Some(_)) => {}
            }
        }
    }
    Ok(())
}

/// All pixels from `a` to `b`, neighbours sharing at least a corner.
fn line(a: PlanePos, b: PlanePos, mut f: impl FnMut(PlanePos)) {
    let delta = [b[0] - a[0], b[1] - a[1]];
    let steps = delta[0].abs().max(delta[1].abs());
    for step in 0..=steps {
        // Rounded to the nearest, halves up.
        let at = |axis: usize| if steps == 0 { a[axis] } else { a[axis] + (2 * delta[axis] * step + steps).div_euclid(2 * steps) };
        f([at(0), at(1)]);
    }
}

fn flood_outside(raster: &mut [u8], width: usize, height: usize) {
    let mut open = vec![0];
    raster[0] = OUTSIDE;
    while let Some(at) = open.pop() {
        let (u, v) = (at % width, at / width);
        let mut visit = |next: usize| {
            if raster[next] == UNKNOWN {
                raster[next] = OUTSIDE;
                open.push(next);
            }
        };
        if u > 0 {
            visit(at - 1);
        }
        if u + 1 < width {
            visit(at + 1);
        }
        if v > 0 {
            visit(at - width);
        }
        if v + 1 < height {
            visit(at + width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn filled(path: &[PlanePos]) -> HashSet<PlanePos> {
        let mut all = HashSet::new();
        fill_outline(path, |start, end, v| all.extend((start..end).map(|u| [u, v]))).expect("small");
        all
    }

    #[test]
    fn a_rectangle_is_filled_with_its_border() {
        let expected: HashSet<PlanePos> = (2..=6).flat_map(|u| (-3..=1).map(move |v| [u, v])).collect();
        assert_eq!(filled(&[[2, -3], [6, -3], [6, 1], [2, 1]]), expected);
    }

    #[test]
    fn a_bay_stays_open_and_two_loops_of_an_eight_are_both_filled() {
        let u_shape = filled(&[[0, 0], [2, 0], [2, 8], [6, 8], [6, 0], [8, 0], [8, 10], [0, 10]]);
        assert!(!u_shape.contains(&[4, 3]) && u_shape.contains(&[1, 5]) && u_shape.contains(&[4, 9]));
        let eight = filled(&[[0, 0], [8, 8], [8, 0], [0, 8]]);
        assert!(eight.contains(&[1, 4]) && eight.contains(&[7, 4]) && !eight.contains(&[4, 1]));
    }

    #[test]
    fn points_and_lines_are_their_own_border() {
        assert_eq!(filled(&[[5, 5]]), HashSet::from([[5, 5]]));
        assert_eq!(filled(&[[0, 0], [2, 2]]), HashSet::from([[0, 0], [1, 1], [2, 2]]));
    }

    #[test]
    fn large_paths_are_refused_before_memory_is_taken() {
        let far = fill_outline(&[[0, 0], [i64::MAX, i64::MAX]], |_, _, _| {});
        assert_eq!(far, Err(AreaTooLarge { pixels: u64::MAX }));
        assert!(fill_outline(&[[0, 0], [1_000_000, 0]], |_, _, _| {}).is_err());
        assert!(fill_outline(&[[0, 0], [1187, 1187]], |_, _, _| {}).is_ok());
    }

    #[test]
    fn every_pixel_inside_a_polygon_by_even_and_odd_crossings_is_filled_and_none_outside() {
        let path = [[0, 0], [40, 7], [55, 60], [20, 30], [3, 58]];
        let all = filled(&path);
        let mut border = HashSet::new();
        for i in 0..path.len() {
            line(path[i], path[(i + 1) % path.len()], |p| _ = border.insert(p));
        }
        for u in -2..60 {
            for v in -2..64 {
                let crossings = (0..path.len()).filter(|i| {
                    let (a, b) = (path[*i], path[(i + 1) % path.len()]);
                    (a[1] > v) != (b[1] > v) && (u as f64) < (b[0] - a[0]) as f64 * (v - a[1]) as f64 / (b[1] - a[1]) as f64 + a[0] as f64
                });
                let is_inside = crossings.count() % 2 == 1;
                let expected = is_inside || border.contains(&[u, v]);
                assert_eq!(all.contains(&[u, v]), expected, "{u}, {v}");
            }
        }
    }
}
