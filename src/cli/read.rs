//! `chunkscope read`: the voxels of a box as raw bytes.

use super::args::ReadArgs;
use super::{UsageError, open, select, warn_all};
use crate::format::{BoxCoverage, ChunkSource, read_box};
use crate::geometry::{BoundingBox, Shape3};
use anyhow::{Context, Result};
use std::io::{self, BufWriter, Write};
use std::path::Path;

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
    select::check_axes(layer, &args.axis)?;
    let (_, source) = select::level(layer, args.mag)?;
    if wanted.shape.voxel_count().and_then(|n| n.checked_mul(source.voxel_type().byte_len() as u64)).is_none() {
        return Err(UsageError(format!("the box {wanted} has more bytes than 64 bits count")).into());
    }
    warn_all(&dataset.problems);
    let coverage = match &args.out {
        Some(path) => to_file(source.as_ref(), &wanted, path)?,
        None => to_writer(source.as_ref(), &wanted, &mut io::stdout().lock())?,
    };
    warn_all(&source.take_warnings());
    if coverage.stored == 0 && !wanted.is_empty() {
        let _ = writeln!(io::stderr(), "warning: the box {wanted} meets no stored chunk, it is all fill value: {}", args.path.display());
    }
    Ok(())
}

/// Writes aside and renames, so that a failed read leaves no half file and destroys no old one.
fn to_file(source: &dyn ChunkSource, wanted: &BoundingBox, path: &Path) -> Result<BoxCoverage> {
    let cant_write = || format!("can't write: {}", path.display());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".chunkscope-").tempfile_in(folder).with_context(cant_write)?;
    let mut out = BufWriter::new(file);
    let coverage = to_writer(source, wanted, &mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(cant_write)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644)).with_context(cant_write)?;
    }
    file.persist(path).map_err(|err| err.error).with_context(cant_write)?;
    Ok(coverage)
}

fn to_writer(source: &dyn ChunkSource, wanted: &BoundingBox, out: &mut impl Write) -> Result<BoxCoverage> {
    let bytes_per_voxel = source.voxel_type().byte_len();
    let mut coverage = BoxCoverage::default();
    let mut buffer = Vec::new();
    for part in parts(source, wanted, STREAM_BYTES) {
        let len = part.shape.byte_len(bytes_per_voxel).context("a part of the box beyond the address space")?;
        buffer.clear();
        buffer.resize(len, 0);
        coverage = coverage.plus(read_box(source, &part, &mut buffer)?);
        out.write_all(&buffer)?;
    }
    out.flush()?;
    Ok(coverage)
}

/// Cuts a box into parts of at most `max_bytes` whose bytes follow each other in the output: whole layers of
/// chunks along z where they fit, else planes, else rows, else pieces of a row.
fn parts(source: &dyn ChunkSource, wanted: &BoundingBox, max_bytes: usize) -> Vec<BoundingBox> {
    let voxel_len = source.voxel_type().byte_len().max(1);
    let fits = |b: &BoundingBox| b.shape.byte_len(voxel_len).is_some_and(|len| len <= max_bytes);
    if wanted.is_empty() || fits(wanted) {
        return vec![*wanted];
    }
    // The outermost axis that has more than one position is cut; pieces that are still too large are cut again.
    let axis = (0..3).rev().find(|axis| wanted.shape.along(*axis) > 1).unwrap_or(0);
    let extent = wanted.shape.along(axis);
    let one = wanted.shape.voxel_count().map_or(u64::MAX, |n| n / extent.unsigned_abs().max(1)).saturating_mul(voxel_len as u64);
    let side = source.grid().chunk_shape().along(axis);
    let at_once = i64::try_from(max_bytes as u64 / one.max(1)).unwrap_or(1).clamp(1, extent);
    let (first, end) = (wanted.topleft[axis], wanted.bottomright()[axis]);
    let mut cuts = Vec::new();
    let mut at = first;
    while at < end {
        let mut next = (at + at_once).min(end);
        // Chunks that are cut in two are decoded twice.
        let aligned = next.div_euclid(side) * side;
        if next < end && aligned > at {
            next = aligned;
        }
        let part = BoundingBox::between(wanted.topleft.with(axis, at), wanted.bottomright().with(axis, next));
        cuts.push(part);
        at = next;
    }
    cuts.into_iter().flat_map(|part| if fits(&part) || axis == 0 { vec![part] } else { parts(source, &part, max_bytes) }).collect()
}
