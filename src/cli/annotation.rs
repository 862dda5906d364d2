//! `chunkscope annotation`: annotations are shown, converted, made, edited, checked and merged.

use super::args::{AnnotationAction, AnnotationArgs, AnnotationFormat, AxisPosition, PaintedBox};
use super::output::print;
use super::progress::ShownProgress;
use super::{UsageError, finish, info, one_line, open, warn_all};
use crate::annotation::export::{
    ExportError, ExportFormat, ExportOptions, ExportReport, ExportWatch, RoundtripReport, export, merge, roundtrip,
};
use crate::annotation::{Annotation, OverwriteMode, PaintSettings, VolumeAnnotation, VolumeEditor, new_volume};
use crate::format::nml::{Experiment, NewNml, Nml, VolumeFormat};
use crate::format::{Dataset, LayerCategory};
use crate::geometry::VoxelSize;
use crate::problem::{Problems, Severity};
use crate::text::{bytes, count, duration};
use anyhow::{Result, anyhow};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(args: &AnnotationArgs) -> ExitCode {
    finish(match &args.action {
        AnnotationAction::Info(args) => info::run_for_annotation(args),
        AnnotationAction::Convert { input, output, format, drop_damaged } => convert(input, output, *format, *drop_damaged),
        AnnotationAction::New { dataset, layer, output } => new(dataset, layer.as_deref(), output),
        AnnotationAction::Edit { input, output, dataset, volume, boxes, axis } => {
            edit(input, output, &Edit { dataset: dataset.as_deref(), volume: volume.as_deref(), boxes, axis })
        }
        AnnotationAction::Merge { input, dataset, output } => merge_into(input, dataset, output),
        AnnotationAction::Roundtrip { file, format } => match check(file, *format) {
            Ok(true) => return ExitCode::SUCCESS,
            Ok(false) => return ExitCode::FAILURE,
            Err(err) => Err(err),
        },
    })
}

fn options(format: Option<AnnotationFormat>) -> ExportOptions {
    let format = format.map(|format| match format {
        AnnotationFormat::Wkw => ExportFormat::Wkw,
        AnnotationFormat::Zarr3 => ExportFormat::Zarr3,
        AnnotationFormat::Zarr3Spec => ExportFormat::Zarr3Spec,
    });
    ExportOptions { format, ..ExportOptions::default() }
}

const DROP_HINT: &str = "--drop-damaged writes what can be read";

/// A command is stopped by a signal, which leaves no half file.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Shows how far work is.
fn watched<T>(doing: &'static str, work: impl FnOnce(ExportWatch<'_>) -> T) -> T {
    let shown = ShownProgress::of(doing);
    work(ExportWatch { progress: &|done, total| shown.show(done, total), cancel: &NEVER })
}

/// Opens an annotation over the dataset that it belongs to, if that was given. One of which not all can be read is refused:
/// written again, the rest would be gone.
fn open_annotation(path: &Path, dataset: Option<&Dataset>) -> Result<Annotation> {
    match open_with_losses(path, dataset)? {
        (annotation, None) => Ok(annotation),
        (_, Some(lost)) => Err(anyhow!("{lost}; annotation convert --drop-damaged writes what can be read")),
    }
}

/// Opens an annotation; with what of it can't be read.
fn open_with_losses(path: &Path, dataset: Option<&Dataset>) -> Result<(Annotation, Option<String>)> {
    let opened = open(path)?;
    let file = opened.annotation.as_ref().ok_or_else(|| anyhow!("can't open an annotation: this is a dataset: {}", path.display()))?;
    let mut problems = Problems::default();
    let annotation = Annotation::open(file, dataset, &mut problems).map_err(|err| anyhow!("{err}: {}", path.display()))?;
    warn_all(opened.problems.iter().chain(&problems));
    let lost = opened.problems.iter().find(|problem| problem.severity == Severity::Error);
    Ok((annotation, lost.map(|lost| format!("not all of the annotation can be read: {lost}"))))
}

fn write(annotation: &Annotation, output: &Path, options: ExportOptions) -> Result<()> {
    let report = watched("exporting", |watch| export(annotation, options, output, watch))?;
    warn_all(&report.problems);
    print(&describe(&report, output))
}

fn describe(report: &ExportReport, output: &Path) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    for volume in &report.volumes {
        let mags = volume.mags.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let buckets = count(volume.buckets);
        let _ = writeln!(out, "volume {}: {buckets} buckets of {}, mags {mags}", one_line(&volume.name), volume.class);
    }
    let length = if report.bytes > 0 { format!(" ({})", bytes(report.bytes)) } else { String::new() };
    let _ = writeln!(out, "written: {}{length}", output.display());
    out
}

fn convert(input: &Path, output: &Path, format: Option<AnnotationFormat>, drops_damaged: bool) -> Result<()> {
    let (annotation, lost) = open_with_losses(input, None)?;
    if let Some(lost) = lost.filter(|_| !drops_damaged) {
        return Err(anyhow!("{lost}; {DROP_HINT}"));
    }
    write(&annotation, output, ExportOptions { drops_damaged, ..options(format) }).map_err(|err| match err.downcast_ref() {
        Some(ExportError::Read(_) | ExportError::Attachment { .. }) => anyhow!("{err}; {DROP_HINT}"),
        Some(_) | None => err,
    })
}

fn new(dataset: &Path, layer: Option<&str>, output: &Path) -> Result<()> {
    let dataset = open(dataset)?;
    let fallback = layer.map(|name| {
        let layer = super::select::layer(&dataset, Some(name))?;
        let is_fit = layer.category == LayerCategory::Segmentation && layer.voxel_type.is_none_or(|voxels| voxels.channels == 1);
        if is_fit { Ok(layer) } else { Err(anyhow!("can't annotate layer {name}: it isn't a segmentation")) }
    });
    let fallback = fallback.transpose()?;
    let volume = new_volume("Volume", &dataset, fallback)?;
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let nml = Nml::new(NewNml {
        experiment: Experiment { name: dataset.name.clone(), ..Experiment::default() },
        voxel_size: (dataset.voxel_size != VoxelSize::VOXELS).then_some(dataset.voxel_size),
        edit_position: volume.bounding_box.center(),
        zoom: None,
        additional_axes: fallback.map(|layer| layer.axes.clone()).unwrap_or_default(),
        time_unix_ms: u64::try_from(millis).unwrap_or(u64::MAX),
    });
    let name = output.file_stem().map_or_else(|| "annotation".to_owned(), |stem| stem.to_string_lossy().into_owned());
    write(&Annotation { name, nml: Arc::new(nml), volumes: vec![volume], attachments: Vec::new() }, output, ExportOptions::default())
}

struct Edit<'a> {
    dataset: Option<&'a Path>,
    volume: Option<&'a str>,
    boxes: &'a [PaintedBox],
    axis: &'a [AxisPosition],
}

fn edit(input: &Path, output: &Path, edit: &Edit<'_>) -> Result<()> {
    let dataset = edit.dataset.map(open).transpose()?;
    let mut annotation = open_annotation(input, dataset.as_ref())?;
    let at = choose_volume(&annotation, edit.volume)?;
    let volume = annotation.volumes[at].clone();
    if let Some(layer) = volume.fallback_layer.as_ref().filter(|_| volume.lacks_fallback()) {
        let why = format!("new buckets of volume {} need the layer {layer} below", volume.name);
        return Err(match edit.dataset {
            None => UsageError(format!("{why}, name its dataset with --dataset")).into(),
            Some(dataset) => anyhow!("{why}, which isn't there: {}", dataset.display()),
        });
    }
    let axes = positions(&annotation.nml, &volume, edit.axis)?;
    let mut editor = VolumeEditor::new(volume);
    for PaintedBox { extent, id } in edit.boxes {
        let settings = PaintSettings { segment: *id, active: *id, mode: OverwriteMode::OverwriteAll };
        let outcome = editor.paint_box(settings, &axes, extent)?;
        let mut notes = Problems::default();
        outcome.notes.iter().for_each(|note| notes.warn(extent, note.to_string()));
        warn_all(&notes);
    }
    annotation.volumes[at] = editor.volume().clone();
    // What was Zarr 3 stays so.
    let is_zarr = annotation.volumes.iter().any(|volume| volume.format == Some(VolumeFormat::Zarr3));
    write(&annotation, output, ExportOptions { format: is_zarr.then_some(ExportFormat::Zarr3), ..ExportOptions::default() })
}

fn choose_volume(annotation: &Annotation, name: Option<&str>) -> Result<usize> {
    let names = || annotation.volumes.iter().map(|volume| volume.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, &annotation.volumes[..]) {
        (_, []) => Err(anyhow!("can't edit: the annotation has no volume")),
        (None, [_]) => Ok(0),
        (None, _) => Err(UsageError(format!("several volumes, choose one with --volume: {}", names())).into()),
        (Some(name), volumes) => volumes
            .iter()
            .position(|volume| volume.name == name)
            .ok_or_else(|| UsageError(format!("no volume {name:?}, there are: {}", names())).into()),
    }
}

fn positions(nml: &Nml, volume: &VolumeAnnotation, wanted: &[AxisPosition]) -> Result<Arc<[u64]>> {
    if let Some(unknown) = wanted.iter().find(|wanted| !volume.axes.contains(&wanted.name)) {
        return Err(UsageError(format!("volume {} has no axis {:?}", volume.name, unknown.name)).into());
    }
    super::select::check_once(wanted)?;
    let position = |name: &String| {
        let index = wanted.iter().find(|wanted| wanted.name == *name).map_or(0, |wanted| wanted.index);
        let declared = nml.additional_axes.iter().find(|(axis, start, end)| axis == name && start < end);
        match declared.filter(|(_, start, end)| !(*start..*end).contains(&i64::try_from(index).unwrap_or(i64::MAX))) {
            Some((_, start, end)) => Err(UsageError(format!("axis {name} has positions {start} to {}, not {index}", end - 1)).into()),
            None => Ok(index),
        }
    };
    volume.axes.iter().map(position).collect()
}

fn merge_into(input: &Path, dataset: &Path, output: &Path) -> Result<()> {
    let dataset = open(dataset)?;
    let annotation = open_annotation(input, Some(&dataset))?;
    let mut notes = Problems::default();
    for volume in &annotation.volumes {
        let layer = volume.fallback_layer.as_ref().and_then(|name| dataset.layer(name));
        for level in layer.iter().flat_map(|layer| &layer.levels).filter(|level| volume.level_of(level.mag).is_none()) {
            notes.warn(&volume.name, format!("mag {} is left out: the annotation doesn't have it", level.mag));
        }
    }
    let report = watched("merging", |watch| merge(&annotation, output, watch))?;
    warn_all(notes.iter().chain(&report.problems));
    print(&describe(&report, output))
}

fn check(file: &Path, format: Option<AnnotationFormat>) -> Result<bool> {
    let annotation = open_annotation(file, None)?;
    let report = watched("checking", |watch| roundtrip(&annotation, options(format), watch))?;
    warn_all(&report.export.problems);
    print(&describe_roundtrip(&annotation, &report))?;
    Ok(report.is_equal())
}

fn describe_roundtrip(annotation: &Annotation, report: &RoundtripReport) -> String {
    const SHOWN: usize = 50;
    let mut out = String::new();
    let nml = &annotation.nml;
    let segments: usize = annotation.volumes.iter().map(|volume| volume.segments.len()).sum();
    let nodes: usize = nml.trees.iter().map(|tree| tree.nodes.len()).sum();
    let lines: Vec<&str> = (report.problems.iter().chain(&report.bucket_lines).map(String::as_str))
        .chain(report.nml.iter().map(|difference| difference.text.as_str()))
        .collect();
    // Writing to a string can't fail.
    for line in lines.iter().take(SHOWN) {
        let _ = writeln!(out, "{}", one_line(line));
    }
    let all = report.problems.len() as u64 + report.different_buckets + report.nml.len();
    if all > lines.len().min(SHOWN) as u64 {
        let _ = writeln!(out, "and {} more", count(all - lines.len().min(SHOWN) as u64));
    }
    let compared = format!(
        "{} buckets, {} segments, {} trees with {} nodes, {} boxes",
        count(report.buckets),
        count(segments as u64),
        count(nml.trees.len() as u64),
        count(nodes as u64),
        count(nml.user_boxes.len() as u64)
    );
    let verdict = if report.is_equal() { "equal" } else { "different" };
    let [export, compare] = [report.export_time, report.compare_time].map(|time| duration(time.as_secs_f64()));
    let _ = writeln!(out, "{verdict}: {compared}; exported in {export} ({}), compared in {compare}", bytes(report.export.bytes));
    out
}
