//! Points sorted into cubic cells, to find those near a position without looking at all of them.

use super::noise::{dot, sub};

pub struct Bins {
    origin: [f32; 3],
    cell_side: f32,
    cells: [usize; 3],
    /// Where each cell's items start; one more entry than cells.
    starts: Vec<u32>,
    /// Point and number.
    items: Vec<([f32; 3], u32)>,
}

impl Bins {
    /// `numbers` and `points` have the same length.
    pub fn new(points: &[[f32; 3]], numbers: &[u32], cell_side: f32) -> Self {
        let mut low = [f32::MAX; 3];
        let mut high = [f32::MIN; 3];
        for point in points {
            for axis in 0..3 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let cells = std::array::from_fn(|axis| ((high[axis] - low[axis]).max(0.0) / cell_side) as usize + 1);
        let mut bins = Self {
            origin: low,
            cell_side,
            cells,
            starts: vec![0; cells.iter().product::<usize>() + 1],
            items: vec![([0.0; 3], 0); points.len()],
        };
        let places: Vec<usize> = points.iter().map(|&point| bins.cell_number(bins.cell(point))).collect();
        for &place in &places {
            bins.starts[place + 1] += 1;
        }
        for place in 1..bins.starts.len() {
            bins.starts[place] += bins.starts[place - 1];
        }
        let mut next = bins.starts.clone();
        for ((&place, &point), &number) in places.iter().zip(points).zip(numbers) {
            bins.items[next[place] as usize] = (point, number);
            next[place] += 1;
        }
        bins
    }

    /// Numbers of all points at most `radius` from `center`.
    pub fn near(&self, center: [f32; 3], radius: f32) -> impl Iterator<Item = u32> + '_ {
        let [x0, y0, z0] = self.cell(center.map(|value| value - radius));
        let [x1, y1, z1] = self.cell(center.map(|value| value + radius));
        let rows = (z0..=z1).flat_map(move |z| (y0..=y1).map(move |y| (y, z)));
        let in_cells = rows.flat_map(move |(y, z)| {
            // cells that differ in x only follow each other
            let first = self.cell_number([x0, y, z]);
            let last = self.cell_number([x1, y, z]);
            &self.items[self.starts[first] as usize..self.starts[last + 1] as usize]
        });
        in_cells.filter(move |(point, _)| distance_sq(*point, center) <= radius * radius).map(|&(_, number)| number)
    }

    /// The nearest cell, for positions outside.
    fn cell(&self, pos: [f32; 3]) -> [usize; 3] {
        std::array::from_fn(|axis| (((pos[axis] - self.origin[axis]).max(0.0) / self.cell_side) as usize).min(self.cells[axis] - 1))
    }

    fn cell_number(&self, cell: [usize; 3]) -> usize {
        (cell[2] * self.cells[1] + cell[1]) * self.cells[0] + cell[0]
    }
}

fn distance_sq(a: [f32; 3], b: [f32; 3]) -> f32 {
    let offset = sub(a, b);
    dot(offset, offset)
}

#[cfg(test)]
mod tests {
    use super::super::noise::{Rng, length};
    use super::*;

    #[test]
    fn every_point_in_reach_is_found_once() {
        let mut rng = Rng::new(1);
        let points: Vec<[f32; 3]> = (0..2000).map(|_| rng.normal3().map(|value| value * 40.0)).collect();
        let numbers: Vec<u32> = (0..2000).collect();
        let bins = Bins::new(&points, &numbers, 9.0);
        let center = [10.0, -20.0, 5.0];
        let mut found: Vec<u32> = bins.near(center, 30.0).collect();
        found.sort_unstable();
        let expected: Vec<u32> = numbers.into_iter().filter(|&n| length(sub(points[n as usize], center)) <= 30.0).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_points_are_found_in_empty_bins() {
        assert_eq!(Bins::new(&[], &[], 5.0).near([0.0; 3], 10.0).count(), 0);
    }
}
