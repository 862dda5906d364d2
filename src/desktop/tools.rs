//! Programs of the desktop that we ask: those that refresh its caches, and those that know who opens folders.

use std::io;
use std::path::Path;
use std::process::{Command, Output};

use super::report::{ToolOutcome, ToolRun};
use super::{FOLDER_TYPE, UserFolders};

/// Who opens a folder from the file manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderOpener {
    /// This desktop entry.
    App(String),
    /// No program does.
    Nobody,
    /// The tools that could tell are missing.
    Unknown,
}

/// Lets the desktop read again what lies in the user's folders.
pub(super) fn update_caches(user: &UserFolders) -> Vec<ToolRun> {
    let mime = user.data_home.join("mime");
    let applications = user.data_home.join("applications");
    let icons = user.data_home.join("icons/hicolor");
    let mut runs = Vec::new();
    if mime.join("packages").is_dir() {
        runs.push(update(user, "update-mime-database", &[], &mime));
    }
    if applications.is_dir() {
        runs.push(update(user, "update-desktop-database", &["-q"], &applications));
    }
    // Without a cache the folder itself is read; only one that exists can be out of date.
    if icons.join("icon-theme.cache").is_file() {
        runs.push(update(user, "gtk-update-icon-cache", &["-q", "-t", "-f"], &icons));
    }
    runs
}

fn update(user: &UserFolders, tool: &'static str, arguments: &[&str], folder: &Path) -> ToolRun {
    let outcome = match run(user, tool, arguments, folder) {
        Ok(output) if output.status.success() => ToolOutcome::Done,
        Ok(output) => ToolOutcome::Failed { why: why_failed(&output) },
        Err(err) if err.kind() == io::ErrorKind::NotFound => ToolOutcome::Missing,
        Err(err) => ToolOutcome::Failed { why: err.to_string() },
    };
    ToolRun { tool, outcome }
}

fn why_failed(output: &Output) -> String {
    let messages = String::from_utf8_lossy(&output.stderr);
    match messages.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => line.to_owned(),
        None => output.status.to_string(),
    }
}

fn run(user: &UserFolders, tool: &str, arguments: &[&str], last: impl AsRef<std::ffi::OsStr>) -> io::Result<Output> {
    Command::new(tool)
        .args(arguments)
        .arg(last)
        .env("LC_ALL", "C.UTF-8") // `gio` is read below
        .env("XDG_DATA_HOME", &user.data_home)
        .env("XDG_CONFIG_HOME", &user.config_home)
        .output()
}

/// Asks the desktop. `xdg-mime` knows more desktops, `gio` is there more often.
pub(super) fn folder_opener(user: &UserFolders) -> FolderOpener {
    let answers = [run(user, "xdg-mime", &["query", "default"], FOLDER_TYPE), run(user, "gio", &["mime"], FOLDER_TYPE)];
    let mut opener = FolderOpener::Unknown;
    for output in answers.into_iter().flatten().filter(|output| output.status.success()) {
        match entry_named_first(&String::from_utf8_lossy(&output.stdout)) {
            Some(app) => return FolderOpener::App(app),
            None => opener = FolderOpener::Nobody,
        }
    }
    opener
}

/// `xdg-mime` prints `files.desktop`, `gio` prints `Default application for “inode/directory”: files.desktop`
/// and then others; if there is none the line has no entry.
fn entry_named_first(answer: &str) -> Option<String> {
    let word = answer.lines().next()?.split_whitespace().next_back()?;
    word.ends_with(".desktop").then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_opener_is_read_from_both_tools() {
        let cases = [
            ("org.gnome.Nautilus.desktop\n", Some("org.gnome.Nautilus.desktop")),
            ("Default application for “inode/directory”: a.desktop\nRegistered applications:\n\tb.desktop\n", Some("a.desktop")),
            ("No default applications for “inode/directory”\nRegistered applications:\n\tb.desktop\n", None),
            ("\n", None),
            ("", None),
        ];
        for (answer, expected) in cases {
            assert_eq!(entry_named_first(answer).as_deref(), expected, "for {answer:?}");
        }
    }
}
