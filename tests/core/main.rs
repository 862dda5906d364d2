//! Conformance, faults, I/O counts and the command line, from the outside; no window needed.

#[path = "../support/mod.rs"]
mod support;

mod annotation_commands;
mod annotation_export;
mod annotation_losses;
mod annotations;
mod annotations_cli;
mod annotations_damaged;
mod cli;
mod conformance;
mod corruption;
mod corruption_arrays;
mod diff;
mod equal;
mod io_counts;
mod io_counts_arrays;
mod layering;
mod paths;
mod paths_arrays;
