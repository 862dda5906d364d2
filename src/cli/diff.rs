//! `chunkscope diff`: whether two datasets are equal, and what differs.

use super::diff_args::DiffArgs;
use super::diff_json::DiffJson;
use super::diff_text::describe;
use super::output::print;
use super::progress::ShownProgress;
use super::{UsageError, finish, open, warn_all};
use crate::compare::{CompareOptions, DatasetDifference, LevelOutcome, Pairing, Selection, Side, Verdict, Watch, compare_datasets};
use crate::format::Dataset;
use crate::problem::Severity;
use anyhow::{Result, anyhow};
use std::io;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// Exit status of trouble.
const TROUBLE: u8 = 2;

pub fn run(args: &DiffArgs) -> ExitCode {
    match compare(args) {
        Ok(Verdict::Equal) => ExitCode::SUCCESS,
        Ok(Verdict::Different) => ExitCode::from(1),
        Ok(Verdict::Trouble) => ExitCode::from(TROUBLE),
        Err(err) => {
            finish(Err(err));
            ExitCode::from(TROUBLE)
        }
    }
}

fn compare(args: &DiffArgs) -> Result<Verdict> {
    let datasets = [open(&args.a)?, open(&args.b)?];
    let selection = Selection { layer: args.layer.clone(), mag: args.mag };
    let pairing = Pairing::new(&datasets[0], &datasets[1], &selection).map_err(|err| UsageError(err.to_string()))?;
    datasets.iter().for_each(|dataset| warn_all(&dataset.problems));
    let found = {
        let shown = ShownProgress::of("comparing");
        let watch = Watch { progress: &|done, total| shown.show(done, total), cancel: &AtomicBool::new(false) };
        compare_datasets(&pairing, CompareOptions::default(), watch)?
    };
    datasets.iter().for_each(warn_of_reading);
    let unreadable = datasets.iter().filter(|dataset| dataset.annotation.is_some()).find_map(|dataset| {
        let lost = dataset.problems.iter().find(|problem| problem.severity == Severity::Error)?;
        Some(anyhow!("not all of the annotation can be read: {lost}"))
    });
    let verdict = found.verdict().max(if unreadable.is_some() { Verdict::Trouble } else { Verdict::Equal });
    let text =
        if args.json { serde_json::to_string_pretty(&DiffJson::new(&datasets, &found))? + "\n" } else { describe(&datasets, &found) };
    let printed = print(&text);
    if let Some(trouble) = trouble(&found).or(unreadable) {
        finish(Err(trouble));
    }
    match printed {
        // Whoever read our output has seen enough; the exit status still tells.
        Err(err) if is_closed_pipe(&err) => Ok(verdict),
        other => other.map(|()| verdict),
    }
}

fn is_closed_pipe(err: &anyhow::Error) -> bool {
    err.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|err| err.kind() == io::ErrorKind::BrokenPipe))
}

/// Findings that were made while voxels were read.
fn warn_of_reading(dataset: &Dataset) {
    let sources = dataset.layers.iter().flat_map(|layer| &layer.levels).filter_map(|level| level.source.as_ref().ok());
    warn_all(&sources.flat_map(|source| source.take_warnings()).collect::<Vec<_>>());
}

/// The first thing that couldn't be compared, and how many more there are.
fn trouble(found: &DatasetDifference) -> Option<anyhow::Error> {
    let mut all = Vec::new();
    for layer in &found.layers {
        for level in &layer.levels {
            let place = |side: Side| format!("layer {}, mag {} of {side}", layer.names[side as usize], level.label);
            match &level.outcome {
                LevelOutcome::Compared(voxels) => all.extend(voxels.unreadable.iter().map(|u| format!("{}: {}", place(u.side), u.error))),
                LevelOutcome::Unreadable(errors) => {
                    let sides = Side::BOTH.into_iter().zip(errors);
                    all.extend(sides.filter_map(|(side, error)| Some(format!("{}: {}", place(side), error.as_ref()?))));
                }
                LevelOutcome::OtherChannels => {}
            }
        }
    }
    let first = all.first()?;
    Some(match all.len() {
        1 => anyhow!("can't compare {first}"),
        n => anyhow!("can't compare {n} parts, the first is {first}"),
    })
}
