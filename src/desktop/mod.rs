//! Double-click on Linux for one user and without root: puts our desktop entry, MIME types and
//! icon into the user's folders, and takes them out again.
//!
//! The files are those of `assets/`, which the Debian package installs for all users. What
//! `mimeapps.list` says about other programs stays as it is. Called by the command line
//! (`chunkscope desktop install|uninstall`); uses nothing else of ours.
//!
//! Specifications: [desktop entry](https://specifications.freedesktop.org/desktop-entry-spec/latest/),
//! [shared MIME info](https://specifications.freedesktop.org/shared-mime-info-spec/latest/),
//! [MIME applications](https://specifications.freedesktop.org/mime-apps-spec/latest/),
//! [base directories](https://specifications.freedesktop.org/basedir-spec/latest/).
//! Not supported: `mimeapps.list` of one desktop only (`gnome-mimeapps.list` and the like).

mod entry;
mod files;
mod mimeapps;
mod report;
mod tools;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

pub use report::{InstallReport, ToolOutcome, ToolRun, UninstallReport};
pub use tools::FolderOpener;

/// The name under which desktops know us.
const DESKTOP_ID: &str = "chunkscope.desktop";
/// The types that `assets/linux/chunkscope-mime.xml` declares.
const MIME_TYPES: [&str; 3] = ["application/x-wkw", "application/x-webknossos-dataset+json", "application/x-webknossos-nml+xml"];
const FOLDER_TYPE: &str = "inode/directory";

const MIME_PACKAGE: &str = include_str!("../../assets/linux/chunkscope-mime.xml");
const ICON: &str = include_str!("../../assets/icon.svg");

/// Why the desktop integration couldn't be installed or removed.
///
/// Each message is complete: the cause is part of it and not a `source`, so that it isn't told twice.
#[derive(Debug, thiserror::Error)]
pub enum DesktopError {
    /// Only the desktops of Linux read these files.
    #[error("desktop entry can't be installed: only Linux is supported, this is {os}")]
    Unsupported {
        /// The operating system we run on.
        os: &'static str,
    },
    /// Neither the folder's own variable nor `HOME` holds an absolute path.
    #[error("user's folder can't be found: neither {variable} nor HOME is an absolute path")]
    NoHome {
        /// The variable that would name the folder directly.
        variable: &'static str,
    },
    /// The path of our program isn't known.
    #[error("own program can't be found: {cause}")]
    OwnExecutable {
        /// What the system said.
        cause: io::Error,
    },
    /// A desktop entry has no way to write this path.
    #[error("desktop entry can't start the program: {reason}: {}", path.display())]
    ExecutablePath {
        /// What a desktop entry can't say.
        reason: &'static str,
        /// The program.
        path: PathBuf,
    },
    /// A file of the user couldn't be read.
    #[error("file can't be read: {cause}: {}", path.display())]
    Read {
        /// What the system said.
        cause: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// A file couldn't be written, aside or in place.
    #[error("file can't be written: {cause}: {}", path.display())]
    Write {
        /// What the system said.
        cause: io::Error,
        /// The file.
        path: PathBuf,
    },
    /// A file couldn't be removed.
    #[error("file can't be removed: {cause}: {}", path.display())]
    Remove {
        /// What the system said.
        cause: io::Error,
        /// The file.
        path: PathBuf,
    },
}

/// What to do about opening folders from a file manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folders {
    /// Leave it as it is.
    Keep,
    /// Offer Chunkscope in "Open with", behind the program that opens folders now.
    Offer,
}

/// The user's base folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFolders {
    /// `$XDG_DATA_HOME`, for the desktop entry, the MIME types and the icon.
    pub data_home: PathBuf,
    /// `$XDG_CONFIG_HOME`, for `mimeapps.list`.
    pub config_home: PathBuf,
}

impl UserFolders {
    /// The folders that the environment names, else those below `HOME`.
    ///
    /// # Errors
    /// On other systems than Linux, and if neither is an absolute path; relative ones are to be ignored.
    pub fn from_env() -> Result<Self, DesktopError> {
        require_linux()?;
        Self::from_variables(|name| std::env::var_os(name))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, DesktopError> {
        let absolute = |name: &str| {
            let path = PathBuf::from(variable(name)?);
            path.is_absolute().then_some(path)
        };
        let folder = |name: &'static str, below_home: &str| {
            absolute(name).or_else(|| Some(absolute("HOME")?.join(below_home))).ok_or(DesktopError::NoHome { variable: name })
        };
        Ok(Self { data_home: folder("XDG_DATA_HOME", ".local/share")?, config_home: folder("XDG_CONFIG_HOME", ".config")? })
    }

    fn entry(&self) -> PathBuf {
        self.data_home.join("applications").join(DESKTOP_ID)
    }

    fn mime_package(&self) -> PathBuf {
        self.data_home.join("mime/packages/chunkscope.xml")
    }

    fn icon(&self) -> PathBuf {
        self.data_home.join("icons/hicolor/scalable/apps/chunkscope.svg")
    }

    fn mimeapps(&self) -> PathBuf {
        self.config_home.join("mimeapps.list")
    }
}

/// What to install and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallOptions {
    /// Where the files go.
    pub user: UserFolders,
    /// The program that a double-click starts.
    pub executable: PathBuf,
    /// Whether folders can be opened with Chunkscope too.
    pub folders: Folders,
}

impl InstallOptions {
    /// Installs the running program for the user who runs it.
    ///
    /// # Errors
    /// On other systems than Linux, and if the user's folders or the program's path aren't known.
    pub fn from_env(folders: Folders) -> Result<Self, DesktopError> {
        let user = UserFolders::from_env()?; // first, it knows whether the system is supported
        let executable = std::env::current_exe().map_err(|cause| DesktopError::OwnExecutable { cause })?;
        Ok(Self { user, executable, folders })
    }
}

/// Installs the desktop entry, the MIME types and the icon, and makes us the default of our types.
///
/// Doing it again changes nothing but the program's path.
///
/// # Errors
/// On other systems than Linux, for a program path that a desktop entry can't hold, and when a file
/// can't be read or written. Missing update tools are no error, the report names them.
pub fn install(options: &InstallOptions) -> Result<InstallReport, DesktopError> {
    require_linux()?;
    let user = &options.user;
    let entry_before = files::read_if_present(&user.entry())?;
    let mimeapps_before = files::read_if_present(&user.mimeapps())?.unwrap_or_default();

    let mut pinned_opener = entry_before.as_deref().and_then(entry::pinned_opener).map(str::to_owned);
    let mut mimeapps_after = mimeapps_before.clone();
    for mime_type in MIME_TYPES {
        mimeapps_after = mimeapps::with_default(&mimeapps_after, mime_type, DESKTOP_ID);
    }
    let mut folder_opener = None;
    if options.folders == Folders::Offer && !mimeapps::is_associated(&mimeapps_after, FOLDER_TYPE, DESKTOP_ID) {
        let opener = match mimeapps::default_of(&mimeapps_after, FOLDER_TYPE) {
            Some(app) => FolderOpener::App(app.to_owned()),
            None => tools::folder_opener(user),
        };
        let (text, pinned) = with_folders(&mimeapps_after, &opener);
        mimeapps_after = text;
        pinned_opener = pinned.or(pinned_opener);
        folder_opener = Some(opener);
    }
    let entry_text = entry::for_program(&options.executable, pinned_opener.as_deref())?;

    let mut written = Vec::new();
    for (path, text) in [(user.icon(), ICON), (user.mime_package(), MIME_PACKAGE), (user.entry(), entry_text.as_str())] {
        files::write(&path, text)?;
        written.push(path);
    }
    if mimeapps_after != mimeapps_before {
        files::write(&user.mimeapps(), &mimeapps_after)?;
        written.push(user.mimeapps());
    }
    Ok(InstallReport { written, tools: tools::update_caches(user), folder_opener })
}

/// Puts us behind `opener` for folders. Also returns the opener if it had to be named for that,
/// so that it can be taken out again.
fn with_folders(mimeapps: &str, opener: &FolderOpener) -> (String, Option<String>) {
    let offered = |text: &str| mimeapps::with_association(text, FOLDER_TYPE, DESKTOP_ID);
    if mimeapps::has_associations(mimeapps, FOLDER_TYPE) {
        return (offered(mimeapps), None); // whoever is listed first stays first
    }
    match opener {
        FolderOpener::App(app) if app == DESKTOP_ID => (offered(mimeapps), None),
        FolderOpener::App(app) => {
            let pinned = mimeapps::with_association(mimeapps, FOLDER_TYPE, app);
            (offered(&pinned), Some(app.clone()))
        }
        FolderOpener::Nobody => (offered(mimeapps), None),
        // Alone in the list we would become the default.
        FolderOpener::Unknown => (mimeapps.to_owned(), None),
    }
}

/// Removes what [`install`] wrote, and us from the lists that it wrote to. Does nothing the second time.
///
/// # Errors
/// On other systems than Linux, and when a file can't be read, written or removed.
pub fn uninstall(user: &UserFolders) -> Result<UninstallReport, DesktopError> {
    require_linux()?;
    let entry = files::read_if_present(&user.entry())?;
    let pinned_opener = entry.as_deref().and_then(entry::pinned_opener);

    let mut changed = Vec::new();
    let mimeapps_path = user.mimeapps();
    if let Some(before) = files::read_if_present(&mimeapps_path)? {
        let after = mimeapps::without_app(&before, DESKTOP_ID, pinned_opener);
        if after != before {
            if after.trim().is_empty() && !mimeapps_path.is_symlink() {
                files::remove_if_present(&mimeapps_path)?;
            } else {
                files::write(&mimeapps_path, &after)?;
            }
            changed.push(mimeapps_path);
        }
    }
    // The entry goes last: if we are stopped before, it still knows the pinned opener.
    let mut removed = Vec::new();
    for path in [user.icon(), user.mime_package(), user.entry()] {
        if files::remove_if_present(&path)? {
            removed.push(path);
        }
    }
    Ok(UninstallReport { removed, changed, tools: tools::update_caches(user) })
}

fn require_linux() -> Result<(), DesktopError> {
    if cfg!(target_os = "linux") { Ok(()) } else { Err(DesktopError::Unsupported { os: std::env::consts::OS }) }
}

#[cfg(test)]
mod tests;
