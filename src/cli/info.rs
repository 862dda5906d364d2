//! `chunkscope info`: what a path is, for people or as JSON.

use super::args::InfoArgs;
use super::info_annotation::{AnnotationJson, describe_annotation};
use super::json::{BoxJson, VoxelSizeJson};
use super::output::print;
use super::{one_line, open};
use crate::format::{DataFormat, Dataset, HeaderField, HeaderReport, Layer, LayerCategory, MagLevel};
use crate::problem::{Problem, Severity};
use crate::text::shortened;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::fmt::Write as _;

pub fn run(args: &InfoArgs) -> Result<()> {
    show(&open(&args.path)?, args)
}

/// The same for what has to be an annotation.
pub fn run_for_annotation(args: &InfoArgs) -> Result<()> {
    let dataset = open(&args.path)?;
    if dataset.annotation.is_none() {
        return Err(anyhow!("can't open an annotation: this is a dataset: {}", args.path.display()));
    }
    show(&dataset, args)
}

fn show(dataset: &Dataset, args: &InfoArgs) -> Result<()> {
    let text = if args.json { serde_json::to_string_pretty(&InfoJson::new(dataset))? + "\n" } else { describe(dataset) };
    print(&text)
}

/// The object that `--json` prints. Names are stable between releases.
#[derive(Serialize)]
struct InfoJson<'a> {
    name: &'a str,
    path: String,
    format: DataFormat,
    voxel_size: VoxelSizeJson,
    layers: Vec<LayerJson<'a>>,
    /// Of annotations only.
    annotation: Option<AnnotationJson<'a>>,
    header: &'a HeaderReport,
    problems: Vec<&'a Problem>,
}

#[derive(Serialize)]
struct LayerJson<'a> {
    name: &'a str,
    category: LayerCategory,
    format: DataFormat,
    voxel_type: Option<String>,
    element_class: Option<&'static str>,
    num_channels: Option<u32>,
    bounding_box: BoxJson,
    bounding_box_declared: bool,
    largest_segment_id: Option<String>,
    axes: Vec<AxisJson<'a>>,
    mags: Vec<MagJson>,
}

#[derive(Serialize)]
struct AxisJson<'a> {
    name: &'a str,
    len: u64,
}

#[derive(Serialize)]
struct MagJson {
    mag: String,
    path: String,
    error: Option<String>,
    chunk_shape: Option<[i64; 3]>,
    shard_shape: Option<[i64; 3]>,
    header: Option<HeaderReport>,
}

impl<'a> InfoJson<'a> {
    fn new(dataset: &'a Dataset) -> Self {
        Self {
            name: &dataset.name,
            path: dataset.path.display().to_string(),
            format: dataset.format,
            voxel_size: (&dataset.voxel_size).into(),
            layers: dataset.layers.iter().map(layer_json).collect(),
            annotation: dataset.annotation.as_deref().map(AnnotationJson::new),
            header: &dataset.header,
            problems: dataset.problems.iter().collect(),
        }
    }
}

fn layer_json(layer: &Layer) -> LayerJson<'_> {
    LayerJson {
        name: &layer.name,
        category: layer.category,
        format: layer.format,
        voxel_type: layer.voxel_type.map(|t| t.to_string()),
        element_class: layer.voxel_type.map(|t| t.class.name()),
        num_channels: layer.voxel_type.map(|t| t.channels),
        bounding_box: (&layer.bounding_box).into(),
        bounding_box_declared: layer.has_declared_box,
        largest_segment_id: layer.largest_segment_id.map(|id| id.to_string()),
        axes: layer.axes.iter().map(|axis| AxisJson { name: &axis.name, len: axis.len }).collect(),
        mags: layer.levels.iter().map(mag_json).collect(),
    }
}

fn mag_json(level: &MagLevel) -> MagJson {
    let source = level.source.as_ref().ok();
    MagJson {
        mag: level.label().to_string(),
        path: level.path.display().to_string(),
        error: level.source.as_ref().err().map(ToString::to_string),
        chunk_shape: source.map(|s| s.grid().chunk_shape().to_vec().to_array()),
        shard_shape: source.map(|s| s.grid().shard_shape().to_vec().to_array()),
        header: source.map(|s| s.header_report()),
    }
}

/// The text for people.
fn describe(dataset: &Dataset) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(out, "{}", one_line(&format!("{}  {}", dataset.name, dataset.path.display())));
    let _ = writeln!(out, "  format      {}", dataset.format);
    let _ = writeln!(out, "  voxel size  {}", dataset.voxel_size);
    if let Some(annotation) = &dataset.annotation {
        describe_annotation(&mut out, annotation);
    }
    for layer in &dataset.layers {
        let category = match layer.category {
            LayerCategory::Color => "color",
            LayerCategory::Segmentation => "segmentation",
        };
        let voxel_type = layer.voxel_type.map_or_else(|| "unknown type".to_owned(), |t| t.to_string());
        let _ = writeln!(out, "\nlayer {}  {category}, {voxel_type}", one_line(&layer.name));
        let _ =
            writeln!(out, "  bounding box  {}{}", layer.bounding_box, if layer.has_declared_box { "" } else { " (from the shards found)" });
        if let Some(id) = layer.largest_segment_id {
            let _ = writeln!(out, "  largest id    {id}");
        }
        for level in &layer.levels {
            describe_level(&mut out, level);
        }
    }
    if !dataset.problems.is_empty() {
        let _ = writeln!(out, "\nproblems and assumptions");
        for problem in &dataset.problems {
            let severity = match problem.severity {
                Severity::Info => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            let _ = writeln!(out, "  {severity}: {}", one_line(&problem.to_string()));
        }
        let left_out = dataset.problems.len() - dataset.problems.iter().count();
        if left_out > 0 {
            let _ = writeln!(out, "  and {left_out} more");
        }
    }
    out
}

fn describe_level(out: &mut String, level: &MagLevel) {
    let source = match &level.source {
        Ok(source) => source,
        Err(error) => {
            let _ = writeln!(out, "  mag {}  {}", level.label(), one_line(&error.to_string()));
            return;
        }
    };
    let grid = source.grid();
    let shards = if grid.shard_shape() == grid.chunk_shape() { String::new() } else { format!(" in shards of {}", grid.shard_shape()) };
    let _ = writeln!(out, "  mag {}  chunks of {}{shards} voxels", level.label(), grid.chunk_shape());
    for section in source.header_report().sections {
        let _ = writeln!(out, "{}", one_line(&format!("    {}  {}", section.title, section.location)));
        describe_fields(out, &section.fields);
    }
}

/// One line per field. Raw values are left out where they are the value itself, with quotes perhaps.
fn describe_fields(out: &mut String, fields: &[HeaderField]) {
    const MOST: usize = 48;
    let rows: Vec<[String; 3]> = fields
        .iter()
        .map(|field| {
            // Of JSON the value says the same in fewer signs.
            let is_same = field.raw.trim_matches('"') == field.value || field.raw.starts_with(['{', '[']);
            let raw = if is_same { "" } else { &field.raw };
            [field.name.clone(), shortened(raw, MOST), shortened(&field.value, MOST)]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for (row, field) in rows.iter().zip(fields) {
        let cells = row.iter().zip(widths).filter(|(_, width)| *width > 0).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.chain([field.meaning.clone()]).collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "      {}", one_line(line.trim_end()));
    }
}
