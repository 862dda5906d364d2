//! The command line: arguments and what each subcommand prints. The contract is in `README.md`.
//!
//! Everything here works without a display and without the feature `gui`, through the same reading
//! code as the window.

mod annotation;
mod args;
mod demo;
mod desktop;
mod diff;
mod diff_args;
mod diff_json;
mod diff_text;
mod info;
mod info_annotation;
mod json;
mod output;
mod progress;
mod read;
mod select;
mod slice;

pub use args::{Cli, Command, OpenArgs};

use crate::format::{Choice, Dataset, OpenError};
use crate::problem::{Problem, Severity};
use anyhow::Result;
use std::io::{self, Write};
use std::process::ExitCode;

/// Wrong usage, exit status 2, as opposed to work that failed, exit status 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Runs a subcommand and returns the process's exit status.
pub fn run(command: &Command) -> ExitCode {
    finish(match command {
        Command::Info(args) => info::run(args),
        Command::Read(args) => read::run(args),
        Command::Slice(args) => slice::run(args),
        Command::Annotation(args) => return annotation::run(args),
        Command::Demo => demo::run(),
        Command::Diff(args) => return diff::run(args),
        Command::Desktop(args) => desktop::run(args),
    })
}

/// What clap says of wrong arguments, in one line; help and version as they are.
pub fn usage_error(err: &clap::Error) -> ExitCode {
    if !err.use_stderr() {
        // A closed pipe is no reason to complain.
        let _ = err.print();
        return ExitCode::SUCCESS;
    }
    if err.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = writeln!(io::stderr(), "error: a subcommand is missing (see --help)");
        return ExitCode::from(2);
    }
    let text = err.to_string();
    // The first paragraph says what is wrong; those behind it repeat the usage.
    let first = text.split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr(), "{line} (see --help)");
    ExitCode::from(2)
}

/// Turns a result into messages on stderr and an exit status.
pub fn finish(result: Result<()>) -> ExitCode {
    let Err(err) = result else { return ExitCode::SUCCESS };
    if err.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|err| err.kind() == io::ErrorKind::BrokenPipe)) {
        return ExitCode::SUCCESS; // whoever read our output has seen enough
    }
    // stderr may be closed; there is nobody left to tell.
    let _ = writeln!(io::stderr(), "error: {}", one_line(&message(&err)));
    if err.downcast_ref::<UsageError>().is_some() { ExitCode::from(2) } else { ExitCode::FAILURE }
}

/// An error with its causes. Most of our errors name their cause themselves, with the file last.
fn message(err: &anyhow::Error) -> String {
    let mut message = err.to_string();
    for cause in err.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// A message without line breaks and terminal commands, which names of files can contain.
fn one_line(message: &str) -> String {
    message.replace(char::is_control, " ")
}

/// Prints warnings and errors that didn't stop the work: the first of them, and how many more there are.
fn warn_all<'a>(problems: impl IntoIterator<Item = &'a Problem>) {
    const SHOWN: usize = 20;
    let mut left_out = 0;
    for (i, problem) in problems.into_iter().filter(|problem| problem.severity != Severity::Info).enumerate() {
        if i < SHOWN {
            let _ = writeln!(io::stderr(), "warning: {}", one_line(&problem.to_string()));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = writeln!(io::stderr(), "warning: and {left_out} more");
    }
}

/// Opens what a command was given.
fn open(path: &std::path::Path) -> Result<Dataset> {
    match crate::format::open(&crate::storage::LocalOpener::default(), path) {
        Err(OpenError::Choose { path, what, choices }) => Err(UsageError(choose_one(&what, &choices, &path)).into()),
        opened => Ok(opened?),
    }
}

/// Names what there is to choose from, as far as a line has room.
fn choose_one(what: &str, choices: &[Choice], path: &std::path::Path) -> String {
    const SHOWN: usize = 20;
    let names = choices.iter().take(SHOWN).map(|choice| choice.name.as_str()).collect::<Vec<_>>().join(", ");
    let more = if choices.len() > SHOWN { format!(" and {} more", choices.len() - SHOWN) } else { String::new() };
    format!("{what}, choose one of them: {names}{more}: {}", path.display())
}
