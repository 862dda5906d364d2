//! Small text files of the user: read if there, written aside and renamed, removed if there.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::DesktopError;

/// `None` if there is no such file.
pub(super) fn read_if_present(path: &Path) -> Result<Option<String>, DesktopError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(DesktopError::Read { cause, path: path.to_owned() }),
    }
}

/// Replaces the file in one step and makes the folders above it. A link stays, its target is replaced.
pub(super) fn write(path: &Path, text: &str) -> Result<(), DesktopError> {
    replace(path, text).map_err(|cause| DesktopError::Write { cause, path: path.to_owned() })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = target_of(path)?;
    let folder = target.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    let new_file = new_file_permissions();
    if let Some(permissions) = &new_file {
        builder.permissions(permissions.clone());
    }
    let mut aside = builder.prefix(".chunkscope-").tempfile_in(folder)?;
    aside.write_all(text.as_bytes())?;
    if let Ok(existing) = fs::metadata(&target) {
        aside.as_file().set_permissions(existing.permissions())?;
    }
    aside.as_file().sync_all()?;
    aside.persist(&target)?;
    Ok(())
}

fn target_of(path: &Path) -> io::Result<PathBuf> {
    if path.is_symlink() { fs::canonicalize(path) } else { Ok(path.to_owned()) }
}

/// Temporary files are private, ours aren't; the umask still applies.
#[cfg(unix)]
fn new_file_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn new_file_permissions() -> Option<Permissions> {
    None
}

/// Whether there was a file to remove.
pub(super) fn remove_if_present(path: &Path) -> Result<bool, DesktopError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(DesktopError::Remove { cause, path: path.to_owned() }),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn new_file_is_readable_by_all_and_an_existing_mode_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (new, private) = (folder.path().join("a/new"), folder.path().join("private"));
        fs::write(&private, "old").unwrap();
        fs::set_permissions(&private, Permissions::from_mode(0o600)).unwrap();
        write(&new, "text").unwrap();
        write(&private, "text").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&new) & 0o700, 0o600);
        assert_ne!(mode(&new), 0o600);
        assert_eq!(mode(&private), 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left aside");
    }

    #[test]
    fn link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("mimeapps.list"), folder.path().join("dotfiles.list"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    }

    #[test]
    fn file_that_is_not_utf8_is_an_error_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mimeapps.list");
        fs::write(&path, b"\xff").unwrap();
        let message = read_if_present(&path).unwrap_err().to_string();
        assert!(message.contains("UTF-8") && message.ends_with("mimeapps.list"), "{message}");
    }
}
