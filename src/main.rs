//! The program: a subcommand, or the window.

use chunkscope::cli::{self, Cli};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let cli = Cli::parse();
    match &cli.command {
        Some(command) => cli::run(command),
        None => ExitCode::SUCCESS,
    }
}
