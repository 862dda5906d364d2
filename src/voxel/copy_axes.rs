//! Copying between arrays of any number of axes and any memory order: whole rows where both orders agree,
//! small tiles where they don't.

/// One axis of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyAxis {
    /// Positions along it.
    pub len: usize,
    /// Distance in bytes between neighbours in the source.
    pub from: usize,
    /// Distance in bytes between neighbours in the target.
    pub to: usize,
}

/// Most axes of a copy.
pub const MAX_COPY_AXES: usize = 8;

/// Side of the tiles in which axes are swapped: a tile of both arrays stays in the nearest cache.
const TILE: usize = 32;

/// Copies elements of `element_len` bytes between the starts of two arrays, with the bytes of each element
/// reversed if `swap`.
///
/// Neither an index nor an intermediate array is computed per element: axes that are contiguous in both arrays
/// are copied as one, two axes that are swapped are walked in tiles.
///
/// # Panics
/// If there are more than [`MAX_COPY_AXES`] axes, or the elements don't lie inside both slices: callers check.
pub fn copy_axes(source: &[u8], target: &mut [u8], axes: &[CopyAxis], element_len: usize, swap: bool) {
    let mut list = [CopyAxis { len: 1, from: 0, to: 0 }; MAX_COPY_AXES];
    let mut count = 0;
    for axis in axes {
        match axis.len {
            0 => return,
            1 => {}
            _ => {
                list[count] = *axis;
                count += 1;
            }
        }
    }
    let swap = swap && element_len > 1;
    let axes = &mut list[..count];
    // Slowest in the target first.
    axes.sort_unstable_by_key(|axis| std::cmp::Reverse(axis.to));
    let (mut axes, mut row) = (&axes[..], element_len);
    while let Some((last, rest)) = axes.split_last()
        && !swap
        && last.from == row
        && last.to == row
    {
        row *= last.len;
        axes = rest;
    }
    walk(source, target, axes, Element { len: row, swap });
}

#[derive(Clone, Copy)]
struct Element {
    len: usize,
    swap: bool,
}

/// Goes along all axes but the two that matter most.
fn walk(source: &[u8], target: &mut [u8], axes: &[CopyAxis], element: Element) {
    // The fastest of the target is the last one; the fastest of the source decides which other one is walked with it.
    let Some((fast_target, others)) = axes.split_last() else {
        return copy_lines(source, target, [ONE, ONE], element);
    };
    let Some(at) = (0..others.len()).min_by_key(|i| others[*i].from) else {
        return copy_lines(source, target, [ONE, *fast_target], element);
    };
    let pair = [others[at], *fast_target];
    let mut outer = [ONE; MAX_COPY_AXES];
    let mut count = 0;
    for (i, axis) in others.iter().enumerate() {
        if i != at {
            outer[count] = *axis;
            count += 1;
        }
    }
    along(source, target, &outer[..count], pair, element);
}

const ONE: CopyAxis = CopyAxis { len: 1, from: 0, to: 0 };

fn along(source: &[u8], target: &mut [u8], outer: &[CopyAxis], pair: [CopyAxis; 2], element: Element) {
    match outer.split_first() {
        None => copy_lines(source, target, pair, element),
        Some((axis, rest)) => {
            for i in 0..axis.len {
                along(&source[i * axis.from..], &mut target[i * axis.to..], rest, pair, element);
            }
        }
    }
}

/// Copies a plane of elements whose length the compiler knows for the usual ones.
fn copy_lines(source: &[u8], target: &mut [u8], pair: [CopyAxis; 2], element: Element) {
    match (element.len, element.swap) {
        (1, _) => tiles::<1, false>(source, target, pair),
        (2, false) => tiles::<2, false>(source, target, pair),
        (2, true) => tiles::<2, true>(source, target, pair),
        (3, false) => tiles::<3, false>(source, target, pair),
        (4, false) => tiles::<4, false>(source, target, pair),
        (4, true) => tiles::<4, true>(source, target, pair),
        (6, false) => tiles::<6, false>(source, target, pair),
        (8, false) => tiles::<8, false>(source, target, pair),
        (8, true) => tiles::<8, true>(source, target, pair),
        (len, swap) => {
            for a in 0..pair[0].len {
                for b in 0..pair[1].len {
                    let (from, to) = (a * pair[0].from + b * pair[1].from, a * pair[0].to + b * pair[1].to);
                    let copied = &mut target[to..to + len];
                    copied.copy_from_slice(&source[from..from + len]);
                    if swap {
                        copied.reverse();
                    }
                }
            }
        }
    }
}

fn tiles<const N: usize, const SWAP: bool>(source: &[u8], target: &mut [u8], [a, b]: [CopyAxis; 2]) {
    let needs_tiles = a.len > TILE && b.len > TILE && a.from < b.from;
    if !needs_tiles {
        return tile::<N, SWAP>(source, target, [a, b]);
    }
    for a_start in (0..a.len).step_by(TILE) {
        for b_start in (0..b.len).step_by(TILE) {
            let part = [CopyAxis { len: TILE.min(a.len - a_start), ..a }, CopyAxis { len: TILE.min(b.len - b_start), ..b }];
            let (from, to) = (a_start * a.from + b_start * b.from, a_start * a.to + b_start * b.to);
            tile::<N, SWAP>(&source[from..], &mut target[to..], part);
        }
    }
}

fn tile<const N: usize, const SWAP: bool>(source: &[u8], target: &mut [u8], [a, b]: [CopyAxis; 2]) {
    for i in 0..a.len {
        let (source, target) = (&source[i * a.from..], &mut target[i * a.to..]);
        if b.to == N {
            // The target's elements follow each other.
            for (copied, element) in target.as_chunks_mut::<N>().0[..b.len].iter_mut().zip(source.chunks(b.from.max(1))) {
                copied.copy_from_slice(&element[..N]);
                if SWAP {
                    copied.reverse();
                }
            }
            continue;
        }
        let (mut from, mut to) = (0, 0);
        for _ in 0..b.len {
            let copied = &mut target[to..to + N];
            copied.copy_from_slice(&source[from..from + N]);
            if SWAP {
                copied.reverse();
            }
            from += b.from;
            to += b.to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Byte strides of a dense array whose axis `order[0]` is slowest.
    fn strides(shape: &[usize], order: &[usize], element: usize) -> Vec<usize> {
        let mut strides = vec![0; shape.len()];
        let mut step = element;
        for axis in order.iter().rev() {
            strides[*axis] = step;
            step *= shape[*axis];
        }
        strides
    }

    proptest! {
        #[test]
        fn any_order_is_copied_to_any_other(
            shape in prop::collection::vec(1_usize..7, 0..6), keys in prop::collection::vec(any::<(u32, u32)>(), 6),
            element in prop::sample::select(vec![1_usize, 2, 3, 4, 6, 8, 12]), swap: bool,
        ) {
            let order = |key: fn(&(u32, u32)) -> u32| {
                let mut order: Vec<usize> = (0..shape.len()).collect();
                order.sort_by_key(|axis| key(&keys[*axis]));
                order
            };
            let (from, to) = (strides(&shape, &order(|k| k.0), element), strides(&shape, &order(|k| k.1), element));
            let len = shape.iter().product::<usize>() * element;
            let source: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let mut target = vec![0; len];
            let axes: Vec<CopyAxis> = (0..shape.len()).map(|i| CopyAxis { len: shape[i], from: from[i], to: to[i] }).collect();
            copy_axes(&source, &mut target, &axes, element, swap);
            for mut n in 0..shape.iter().product::<usize>() {
                let (mut f, mut t) = (0, 0);
                for (axis, len) in shape.iter().enumerate() {
                    (f, t) = (f + n % len * from[axis], t + n % len * to[axis]);
                    n /= len;
                }
                let mut expected = source[f..f + element].to_vec();
                if swap && element > 1 { expected.reverse(); }
                prop_assert_eq!(&target[t..t + element], &expected[..]);
            }
        }
    }

    #[test]
    fn tiles_cover_large_planes() {
        let (w, h) = (70, 65);
        let source: Vec<u8> = (0..w * h * 2).map(|i| (i % 253) as u8).collect();
        let mut target = vec![0; source.len()];
        let axes = [CopyAxis { len: w, from: 2 * h, to: 2 }, CopyAxis { len: h, from: 2, to: 2 * w }];
        copy_axes(&source, &mut target, &axes, 2, false);
        for x in 0..w {
            for y in 0..h {
                assert_eq!(target[(x + y * w) * 2..][..2], source[(y + x * h) * 2..][..2], "{x} {y}");
            }
        }
    }

    #[test]
    fn parts_of_arrays_leave_the_rest_alone() {
        let source: Vec<u8> = (1..=9).collect();
        let mut target = [0; 12];
        copy_axes(&source, &mut target[1..], &[CopyAxis { len: 2, from: 3, to: 1 }, CopyAxis { len: 2, from: 1, to: 4 }], 1, false);
        assert_eq!(target, [0, 1, 4, 0, 0, 2, 5, 0, 0, 0, 0, 0]);
    }
}
