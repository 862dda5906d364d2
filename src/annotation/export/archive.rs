//! [`export`]: an annotation as an archive.

use super::content::VolumeContent;
use super::data_zip::{DataZip, entry_options};
use super::encode::Encoder;
use super::error::{ExportError, ExportFormat, ExportOptions, ExportReport, ExportWatch, cant_write};
use super::names::{data_zip, file_stem};
use crate::annotation::opened::{Annotation, CLASS_WITHOUT_FALLBACK};
use crate::annotation::volume::VolumeAnnotation;
use crate::format::nml::{NmlVolume, VolumeFormat, write_with_volumes};
use crate::problem::Problems;
use crate::storage::{AsideFile, scratch_file};
use std::collections::HashSet;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use zip::ZipWriter;

/// Writes an annotation as an archive: an NML, and a data zip per volume; or as an NML alone if the path ends so and there
/// are no voxels. A file that is there is replaced once the new one is whole; the annotation's own file may be the one.
///
/// # Errors
/// If a bucket can't be read or isn't to be held by the format, the file can't be written, or it is cancelled. What was at
/// `path` stays then.
pub fn export(annotation: &Annotation, options: ExportOptions, path: &Path, watch: ExportWatch<'_>) -> Result<ExportReport, ExportError> {
    let mut report = ExportReport::default();
    let mut encoders =
        annotation.volumes.iter().map(|volume| encoder(volume, options, &mut report.problems)).collect::<Result<Vec<_>, _>>()?;
    let contents: Vec<VolumeContent> = annotation.volumes.iter().map(VolumeContent::of).collect();
    let mut volumes = annotation.nml_volumes();
    warn_of_names(&volumes, &mut report.problems);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("nml")) {
        if let Some((volume, _)) = annotation.volumes.iter().zip(&contents).find(|(_, content)| content.len() > 0) {
            return Err(ExportError::Voxels { volume: volume.name.clone(), path: path.to_owned() });
        }
        return nml_alone(annotation, volumes, path, report);
    }
    let fail = cant_write(path);
    let zip_failed = |err: zip::result::ZipError| cant_write(path)(err.into());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = AsideFile::begin(path).map_err(&fail)?;
    let gives_up = file.gives_up();
    let mut zip = ZipWriter::new(file).set_auto_large_file();
    // Dropped before the writer, which would write an end, and say so where it can't.
    let _gives_up = gives_up;
    let done = AtomicU64::new(0);
    for (i, (volume, (content, encoder))) in annotation.volumes.iter().zip(contents.iter().zip(&mut encoders)).enumerate() {
        let told = &mut volumes[i];
        told.format = Some(match encoder.format {
            ExportFormat::Wkw => VolumeFormat::Wkw,
            ExportFormat::Zarr3 | ExportFormat::Zarr3Spec => VolumeFormat::Zarr3,
        });
        let mut location = data_zip(i, annotation.volumes.len(), told.shown_name());
        while annotation.attachments.iter().any(|attachment| attachment.name == location) {
            location = format!("_{location}");
        }
        told.location = Some(location.clone());
        let axes = axes(annotation, volume, content);
        let total = contents.iter().map(VolumeContent::len).sum();
        let keeps_zeros = volume.fallback_layer.is_some();
        let write = |encoder: &Encoder| {
            let drops_damaged = options.drops_damaged;
            let data = DataZip { volume, content, encoder, keeps_zeros, drops_damaged, axes: &axes, path, watch, done: &done, total };
            let mut file = scratch_file(folder).map_err(&fail)?;
            let mut problems = Problems::default();
            Ok((data.write(&mut file, &mut problems)?, file, problems))
        };
        let (written, mut file, lost) = match write(encoder) {
            // Better a file that other programs read right than none.
            Err(ExportError::Id { id, .. }) if volume.fallback_layer.is_none() => {
                let text = format!("stored as {}, as segment {id} doesn't fit {}, {}", encoder.from, encoder.to, encoder.reason);
                report.problems.warn(&volume.name, text);
                encoder.to = encoder.from;
                write(encoder)?
            }
            written => written?,
        };
        report.problems.extend(lost);
        watch.check()?;
        // A size beyond 32 bits has to be announced before the data.
        let is_large = file.metadata().map_err(&fail)?.len() >= u64::from(u32::MAX) / 2;
        zip.start_file(&*location, entry_options().large_file(is_large)).map_err(zip_failed)?;
        copy(&mut file, &mut zip, watch, cant_write(path), path)?;
        report.volumes.push(super::VolumeReport { location: Some(location), ..written });
    }
    attach(annotation, options, &mut zip, &mut report, path, watch)?;
    zip.start_file(format!("{}.nml", file_stem(&annotation.name, "annotation")), entry_options()).map_err(zip_failed)?;
    report.problems.extend(write_with_volumes(&annotation.nml, &volumes, io::BufWriter::new(&mut zip)).map_err(&fail)?);
    watch.check()?;
    let mut file = zip.finish().map_err(zip_failed)?;
    report.bytes = file.stream_position().map_err(&fail)?;
    file.commit().map_err(&fail)?;
    Ok(report)
}

/// Writes the NML without data zips.
fn nml_alone(annotation: &Annotation, volumes: Vec<NmlVolume>, path: &Path, mut report: ExportReport) -> Result<ExportReport, ExportError> {
    let volumes: Vec<NmlVolume> = volumes.into_iter().map(|volume| NmlVolume { location: None, format: None, ..volume }).collect();
    let fail = cant_write(path);
    let mut file = AsideFile::begin(path).map_err(&fail)?;
    report.problems.extend(write_with_volumes(&annotation.nml, &volumes, &mut file).map_err(&fail)?);
    report.bytes = file.stream_position().map_err(&fail)?;
    file.commit().map_err(&fail)?;
    Ok(report)
}

/// How a volume's buckets are encoded; what of it isn't as asked for is listed.
fn encoder(volume: &VolumeAnnotation, options: ExportOptions, problems: &mut Problems) -> Result<Encoder, ExportError> {
    let axes = volume.axes.join(", ");
    let format = match options.format {
        Some(ExportFormat::Wkw) if !volume.axes.is_empty() => return Err(ExportError::Axes { volume: volume.name.clone(), axes }),
        None if !volume.axes.is_empty() => {
            problems.warn(&volume.name, format!("stored as Zarr 3, as WKW can't hold the axes {axes}"));
            ExportFormat::Zarr3
        }
        Some(format) => format,
        None => ExportFormat::Wkw,
    };
    let is_uneven = |factor: i64| factor.count_ones() != 1;
    for level in volume.levels.iter().filter(|level| level.mag.factors().to_array().into_iter().any(is_uneven)) {
        problems.warn(&volume.name, format!("mag {} isn't made of powers of two, which servers may refuse", level.mag));
    }
    // Servers don't look at the data for it.
    let (to, reason) = if volume.fallback_layer.is_some() {
        (volume.class, "the class of the fallback layer")
    } else {
        (CLASS_WITHOUT_FALLBACK, "which servers take for volumes without a fallback layer")
    };
    Ok(Encoder { volume: volume.name.clone(), format, from: volume.class, to, reason })
}

/// The axes of a volume with the bounds that the NML gives them, widened to the buckets that there are.
fn axes(annotation: &Annotation, volume: &VolumeAnnotation, content: &VolumeContent) -> Vec<(String, i64, i64)> {
    let bounds = |(i, name): (usize, &String)| {
        let told = annotation.nml.additional_axes.iter().find(|(told, ..)| told == name);
        let told = told.map_or((name.clone(), 0, 1), Clone::clone);
        let addresses = content.levels.iter().flat_map(|level| &level.addresses);
        let positions = addresses.filter_map(|at| i64::try_from(*at.axes.get(i)?).ok());
        positions.fold(told, |(name, start, end), at| (name, start.min(at), end.max(at.saturating_add(1))))
    };
    volume.axes.iter().enumerate().map(bounds).collect()
}

/// Servers refuse two volumes of one name, and two over the same layer.
fn warn_of_names(volumes: &[NmlVolume], problems: &mut Problems) {
    let (mut names, mut layers) = (HashSet::new(), HashSet::new());
    for volume in volumes {
        if !names.insert(volume.name.as_deref().unwrap_or_default()) {
            problems.warn(volume.shown_name(), "several volumes have this name; servers refuse that");
        }
        if let Some(layer) = volume.fallback_layer.as_ref().filter(|layer| !layers.insert(*layer)) {
            problems.warn(volume.shown_name(), format!("several volumes lie over the layer {layer}; servers refuse that"));
        }
    }
}

/// Adds the files that are carried along. They are read once before, so that there are no halves.
fn attach(
    annotation: &Annotation,
    options: ExportOptions,
    zip: &mut ZipWriter<AsideFile>,
    report: &mut ExportReport,
    path: &Path,
    watch: ExportWatch<'_>,
) -> Result<(), ExportError> {
    for attachment in &annotation.attachments {
        let name = &attachment.name;
        let cant_read = |source: io::Error| ExportError::Attachment { name: name.clone(), source };
        let open = || attachment.stream().map_err(|err| cant_read(io::Error::other(err)));
        match open().and_then(|mut stream| copy(&mut stream, &mut io::sink(), watch, cant_read, path)) {
            Err(err @ ExportError::Attachment { .. }) if options.drops_damaged => {
                report.problems.warn(name, format!("left out: {err}"));
                continue;
            }
            sound => sound?,
        }
        let len = attachment.byte_len().map_err(|err| cant_read(io::Error::other(err)))?;
        let options = entry_options().large_file(len >= u64::from(u32::MAX) / 2);
        zip.start_file(name.as_str(), options).map_err(|err| cant_write(path)(err.into()))?;
        copy(&mut open()?, zip, watch, cant_read, path)?;
    }
    Ok(())
}

/// Copies in pieces, so that it can be cancelled.
fn copy(
    from: &mut impl io::Read,
    to: &mut impl io::Write,
    watch: ExportWatch<'_>,
    cant_read: impl Fn(io::Error) -> ExportError,
    path: &Path,
) -> Result<(), ExportError> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        watch.check()?;
        let len = from.read(&mut buffer).map_err(&cant_read)?;
        if len == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..len]).map_err(cant_write(path))?;
    }
}
