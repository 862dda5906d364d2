//! The program: a subcommand, or the window.

use chunkscope::cli::{self, Cli};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "gui")]
    chunkscope::app::init_logger();
    #[cfg(not(feature = "gui"))]
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("error")).init();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(err) => return cli::usage_error(&err),
    };
    match &cli.command {
        #[cfg(feature = "gui")]
        Some(cli::Command::Demo) if window::has_display() => window::run_demo(),
        Some(command) => cli::run(command),
        #[cfg(feature = "gui")]
        None => window::run(cli.open),
        #[cfg(not(feature = "gui"))]
        None => cli::finish(Err(anyhow::anyhow!("this program was built without the window (feature gui); see --help for commands"))),
    }
}

#[cfg(feature = "gui")]
mod window {
    use chunkscope::app::{FirstView, NoDisplay, run as run_window};
    use chunkscope::cli::{self, OpenArgs, UsageError};
    use std::process::{Command, ExitCode};

    /// Whether a window can be expected to open.
    pub fn has_display() -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET")
    }

    /// The demo in the window, or as a picture where a display is named but can't be used.
    pub fn run_demo() -> ExitCode {
        match run_window(FirstView { demo: true, ..FirstView::default() }) {
            Ok(()) => ExitCode::SUCCESS,
            Err(err) => {
                eprintln!("warning: {err:#}");
                cli::run(&cli::Command::Demo)
            }
        }
    }

    pub fn run(args: OpenArgs) -> ExitCode {
        if args.zoom.is_some_and(|zoom| !(zoom.is_finite() && zoom > 0.0)) {
            return cli::finish(Err(UsageError("--zoom must be a positive number".to_owned()).into()));
        }
        // A word that is no file is a mistyped command rather than a dataset.
        if let Some(word) = args.paths.iter().find(|path| path.components().count() == 1 && path.symlink_metadata().is_err()) {
            return cli::finish(Err(UsageError(format!("no such command or file: {}", word.display())).into()));
        }
        if !has_display() {
            return cli::finish(Err(NoDisplay.into()));
        }
        let mut paths = args.paths.into_iter();
        let path = paths.next();
        // A desktop may hand over several files at once; each gets a window of its own.
        for other in paths {
            let started = std::env::current_exe().and_then(|program| Command::new(program).arg(&other).spawn());
            if let Err(err) = started {
                log::error!("can't open a window for {}: {err}", other.display());
            }
        }
        let first_view = FirstView {
            path,
            demo: false,
            layer: args.layer,
            mag: args.mag,
            position: args.position.map(|position| position.0),
            zoom: args.zoom,
        };
        cli::finish(run_window(first_view))
    }
}
