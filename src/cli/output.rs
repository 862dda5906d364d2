//! What commands write: files, aside and renamed, and the standard output.

use crate::storage::{behind_links, without_path};
use anyhow::Result;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Why something couldn't be written.
#[derive(Debug, thiserror::Error)]
#[error("can't write: {source}: {name}")]
pub struct WriteError {
    source: io::Error,
    name: String,
}

/// Makes errors of writing say where to.
pub fn cant_write(name: impl std::fmt::Display) -> impl Fn(io::Error) -> WriteError {
    move |source| WriteError { source, name: name.to_string() }
}

/// Name of the standard output in messages.
pub const STDOUT: &str = "standard output";

/// Writes a whole text to the standard output.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(cant_write(STDOUT))?;
    Ok(())
}

/// Lets `write` fill a file aside and renames it, so that failed work leaves no half file and destroys no old one.
pub fn write_file<T>(path: &Path, write: impl FnOnce(&mut File) -> Result<T>) -> Result<T> {
    let fail = cant_write(path.display());
    if path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        // A pipe or a device, such as /dev/null, is written into and never replaced.
        return write(&mut File::options().write(true).open(path).map_err(fail)?);
    }
    // A link stays a link: what it leads to is replaced, or made.
    let target = behind_links(path).map_err(&fail)?;
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".chunkscope-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are private; this one is to be shared as the old one was, else as the user's umask says.
        let mode = target.metadata().map_or(0o666, |meta| meta.permissions().mode() & 0o777);
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    let mut file = builder.tempfile_in(folder).map_err(|err| fail(without_path(err)))?;
    let result = write(file.as_file_mut())?;
    file.persist(&target).map_err(|err| fail(err.error))?;
    Ok(result)
}
