//! What was done, and how it is told: `Display` is for stdout, `warnings` are lines for stderr.

use std::fmt;
use std::path::PathBuf;

use super::tools::FolderOpener;

/// How one of the desktop's update tools ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// The cache is up to date.
    Done,
    /// The tool isn't installed.
    Missing,
    /// The tool ran and failed.
    Failed {
        /// Its last message, or its exit status.
        why: String,
    },
}

/// One of the desktop's update tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRun {
    /// The program's name.
    pub tool: &'static str,
    /// How it ended.
    pub outcome: ToolOutcome,
}

impl ToolRun {
    fn warning(&self) -> Option<String> {
        let Self { tool, outcome } = self;
        match outcome {
            ToolOutcome::Done => None,
            ToolOutcome::Missing => {
                let package = package_of(tool);
                Some(format!("{tool} is missing (package {package}), desktops may notice the change only after it ran"))
            }
            ToolOutcome::Failed { why } => Some(format!("{tool} failed, desktops may notice the change only after it ran: {why}")),
        }
    }
}

fn package_of(tool: &str) -> &'static str {
    match tool {
        "update-mime-database" => "shared-mime-info",
        "update-desktop-database" => "desktop-file-utils",
        _ => "gtk-update-icon-cache",
    }
}

/// What [`install`](super::install) did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallReport {
    /// Files as they lie there now; `mimeapps.list` only if it had to change.
    pub written: Vec<PathBuf>,
    /// The update tools.
    pub tools: Vec<ToolRun>,
    /// Who opened folders, if we were newly to be offered for them.
    pub folder_opener: Option<FolderOpener>,
}

impl InstallReport {
    /// What didn't go as wished, a line each.
    pub fn warnings(&self) -> Vec<String> {
        let folders = match &self.folder_opener {
            None | Some(FolderOpener::App(_)) => None,
            Some(FolderOpener::Nobody) => Some("no other program opens folders, so Chunkscope becomes the one that does".to_owned()),
            Some(FolderOpener::Unknown) => {
                Some("folders were left alone: neither xdg-mime (package xdg-utils) nor gio tells which program opens them".to_owned())
            }
        };
        self.tools.iter().filter_map(ToolRun::warning).chain(folders).collect()
    }
}

impl fmt::Display for InstallReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.written {
            writeln!(f, "wrote {}", path.display())?;
        }
        Ok(())
    }
}

/// What [`uninstall`](super::uninstall) did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UninstallReport {
    /// Files that are gone.
    pub removed: Vec<PathBuf>,
    /// Files of the user that no longer name us; one that only named us is gone.
    pub changed: Vec<PathBuf>,
    /// The update tools.
    pub tools: Vec<ToolRun>,
}

impl UninstallReport {
    /// What didn't go as wished, a line each.
    pub fn warnings(&self) -> Vec<String> {
        self.tools.iter().filter_map(ToolRun::warning).collect()
    }
}

impl fmt::Display for UninstallReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.removed.is_empty() && self.changed.is_empty() {
            return writeln!(f, "nothing was installed");
        }
        for path in &self.removed {
            writeln!(f, "removed {}", path.display())?;
        }
        for path in &self.changed {
            writeln!(f, "cleaned {}", path.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tool_is_named_with_its_package() {
        let tools = vec![
            ToolRun { tool: "update-mime-database", outcome: ToolOutcome::Missing },
            ToolRun { tool: "update-desktop-database", outcome: ToolOutcome::Done },
        ];
        let report = InstallReport { written: vec!["/a".into()], tools, folder_opener: None };
        let warnings = report.warnings();
        assert_eq!(report.to_string(), "wrote /a\n");
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("update-mime-database is missing (package shared-mime-info)"), "{warnings:?}");
    }

    #[test]
    fn becoming_the_only_folder_opener_is_told() {
        for (opener, count) in [(FolderOpener::App("a.desktop".to_owned()), 0), (FolderOpener::Nobody, 1), (FolderOpener::Unknown, 1)] {
            let report = InstallReport { written: Vec::new(), tools: Vec::new(), folder_opener: Some(opener) };
            assert_eq!(report.warnings().len(), count, "for {:?}", report.folder_opener);
        }
    }
}
