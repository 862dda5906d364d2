//! `chunkscope desktop install|uninstall`.

use super::args::{DesktopAction, DesktopArgs};
use crate::desktop::{self, Folders, InstallOptions, UserFolders};
use anyhow::Result;
use std::io::{self, Write};

pub fn run(args: &DesktopArgs) -> Result<()> {
    let (text, warnings) = match args.action {
        DesktopAction::Install { folders } => {
            let folders = if folders { Folders::Offer } else { Folders::Keep };
            let report = desktop::install(&InstallOptions::from_env(folders)?)?;
            (report.to_string(), report.warnings())
        }
        DesktopAction::Uninstall => {
            let report = desktop::uninstall(&UserFolders::from_env()?)?;
            (report.to_string(), report.warnings())
        }
    };
    io::stdout().write_all(text.as_bytes())?;
    for warning in warnings {
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    Ok(())
}
