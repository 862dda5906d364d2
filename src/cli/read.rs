//! `chunkscope read`: the voxels of a box as raw bytes.

use super::args::ReadArgs;
use super::output::{STDOUT, cant_write, write_file};
use super::{UsageError, open, select, warn_all};
use crate::format::{BoxCoverage, ChunkSource, read_box};
use crate::geometry::{BoundingBox, Shape3};
use anyhow::{Context, Result};
use std::io::{self, Write};

/// Boxes up to this size are read whole before anything is written; larger ones are streamed.
const STREAM_BYTES: usize = 256 << 20;

pub fn run(args: &ReadArgs) -> Result<()> {
    let shape = args.shape.0;
    if shape.to_array().iter().any(|s| *s < 0) {
        return Err(UsageError(format!("--shape {shape} has a negative extent")).into());
    }
    let wanted = BoundingBox::new(args.offset.0, Shape3::new(shape.x, shape.y, shape.z));
    if wanted.bottomright() != args.offset.0 + shape || (0..3).any(|a| args.offset.0[a].checked_add(shape[a]).is_none()) {
        return Err(UsageError(format!("the box {wanted} reaches beyond 64-bit positions")).into());
    }
    let dataset = open(&args.path)?;
    let layer = select::layer(&dataset, args.layer.as_deref())?;
    let positions = select::positions(&[layer], &args.axis)?;
    let (_, source) = select::level(&dataset, layer, args.mag, &positions)?;
    if !wanted.is_empty() && wanted.shape.voxel_count().and_then(|n| n.checked_mul(source.voxel_type().byte_len() as u64)).is_none() {
        return Err(UsageError(format!("the box {wanted} has more bytes than 64 bits count")).into());
    }
    warn_all(&dataset.problems);
    let coverage = match &args.out {
        Some(path) => write_file(path, |file| to_writer(source.as_ref(), &wanted, file, &path.display().to_string()))?,
        None => to_writer(source.as_ref(), &wanted, &mut io::stdout().lock(), STDOUT)?,
    };
    warn_all(&source.take_warnings());
    if coverage.stored == 0 && !wanted.is_empty() {
        let _ = writeln!(io::stderr(), "warning: the box {wanted} meets no stored chunk, it is all fill value: {}", args.path.display());
    }
    Ok(())
}

/// Writes the box part by part. `name` says where to, for messages.
fn to_writer(source: &dyn ChunkSource, wanted: &BoundingBox, out: &mut impl Write, name: &str) -> Result<BoxCoverage> {
    let bytes_per_voxel = source.voxel_type().byte_len();
    let mut coverage = BoxCoverage::default();
    let mut buffer = Vec::new();
    for part in parts(source.grid().chunk_shape(), bytes_per_voxel, *wanted, STREAM_BYTES) {
        let len = part.shape.byte_len(bytes_per_voxel).context("a part of the box beyond the address space")?;
        buffer.clear();
        buffer.resize(len, 0);
        coverage = coverage.plus(read_box(source, &part, &mut buffer)?);
        out.write_all(&buffer).map_err(cant_write(name))?;
    }
    out.flush().map_err(cant_write(name))?;
    Ok(coverage)
}

/// Cuts a box into parts of at most `max_bytes` whose bytes follow each other in the output: whole layers of
/// chunks along z where they fit, else planes, else rows, else pieces of a row. Lazy: there can be billions.
fn parts(chunk_shape: Shape3, voxel_len: usize, wanted: BoundingBox, max_bytes: usize) -> Box<dyn Iterator<Item = BoundingBox>> {
    let fits = move |b: &BoundingBox| b.shape.byte_len(voxel_len).is_some_and(|len| len <= max_bytes);
    if wanted.is_empty() || fits(&wanted) {
        return Box::new(std::iter::once(wanted));
    }
    // The outermost axis that has more than one position is cut; pieces that are still too large are cut again.
    let axis = (0..3).rev().find(|axis| wanted.shape.along(*axis) > 1).unwrap_or(0);
    let extent = wanted.shape.along(axis);
    let one = wanted.shape.voxel_count().map_or(u64::MAX, |n| n / extent.unsigned_abs().max(1)).saturating_mul(voxel_len as u64);
    let side = chunk_shape.along(axis);
    let at_once = i64::try_from(max_bytes as u64 / one.max(1)).unwrap_or(1).clamp(1, extent);
    let end = wanted.bottomright()[axis];
    let mut at = wanted.topleft[axis];
    let cuts = std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let mut next = at.saturating_add(at_once).min(end);
        // Chunks that are cut in two are decoded twice.
        let aligned = next.div_euclid(side) * side;
        if next < end && aligned > at {
            next = aligned;
        }
        let part = BoundingBox::between(wanted.topleft.with(axis, at), wanted.bottomright().with(axis, next));
        at = next;
        Some(part)
    });
    Box::new(
        cuts.flat_map(move |part| if axis == 0 { Box::new(std::iter::once(part)) } else { parts(chunk_shape, voxel_len, part, max_bytes) }),
    )
}
