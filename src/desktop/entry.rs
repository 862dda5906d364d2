//! The text of the desktop entry: our asset with the program's absolute path in it.

use std::path::Path;

use super::DesktopError;

const TEMPLATE: &str = include_str!("../../assets/linux/chunkscope.desktop");
const EXEC_LINE: &str = "Exec=chunkscope %F";
const TRY_EXEC_LINE: &str = "TryExec=chunkscope";
/// Names the folder opener that `mimeapps.list` has because of us, so that uninstalling takes it out.
const PINNED_OPENER_KEY: &str = "X-Chunkscope-PinnedFolderOpener=";

/// The entry that starts `executable`.
pub(super) fn for_program(executable: &Path, pinned_opener: Option<&str>) -> Result<String, DesktopError> {
    let unwritable = |reason| DesktopError::ExecutablePath { reason, path: executable.to_owned() };
    let program = executable.to_str().ok_or_else(|| unwritable("its path is not UTF-8"))?;
    if !executable.is_absolute() {
        return Err(unwritable("its path is not absolute"));
    }
    let command = command(program).ok_or_else(|| unwritable("its path has both '%' and '='"))?;

    let mut text = String::new();
    for line in TEMPLATE.lines() {
        match line {
            EXEC_LINE => text.push_str(&format!("Exec={} %F", escaped(&command))),
            TRY_EXEC_LINE => text.push_str(&format!("TryExec={}", escaped(program))),
            other => text.push_str(other),
        }
        text.push('\n');
    }
    if let Some(opener) = pinned_opener {
        text.push_str(&format!("{PINNED_OPENER_KEY}{opener}\n"));
    }
    Ok(text)
}

/// What [`for_program`] was given as the pinned opener.
pub(super) fn pinned_opener(entry: &str) -> Option<&str> {
    entry.lines().find_map(|line| line.strip_prefix(PINNED_OPENER_KEY)).map(str::trim)
}

/// How `Exec` calls the program.
fn command(program: &str) -> Option<String> {
    if !program.contains('%') {
        return Some(quoted(program));
    }
    // GLib looks the program up before it turns `%%` into `%`, and refuses the entry if that file
    // doesn't exist. `env` exists, but takes a name with `=` for a variable.
    (!program.contains('=')).then(|| format!("/usr/bin/env {}", quoted(program)))
}

/// An argument of `Exec`, quoted if the specification asks for it; `%` is doubled, or it would be a field code.
fn quoted(argument: &str) -> String {
    let reserved = |c: char| c.is_whitespace() || "\"'\\><~|&;$*?#()`".contains(c);
    if !argument.contains(reserved) {
        return argument.replace('%', "%%");
    }
    let mut text = String::from("\"");
    for c in argument.chars() {
        match c {
            '"' | '`' | '$' | '\\' => text.extend(['\\', c]),
            '%' => text.push_str("%%"),
            _ => text.push(c),
        }
    }
    text.push('"');
    text
}

/// A value of type string: every key's value is unescaped before it is understood any further.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exec_of(path: &str) -> String {
        let text = for_program(Path::new(path), None).unwrap();
        text.lines().find_map(|line| line.strip_prefix("Exec=")).unwrap().to_owned()
    }

    #[test]
    fn exec_is_quoted_by_the_desktop_entry_specification() {
        let cases = [
            ("/usr/bin/chunkscope", r"/usr/bin/chunkscope %F"),
            ("/opt/my apps/chunkscope", r#""/opt/my apps/chunkscope" %F"#),
            ("/opt/it's/chunkscope", r#""/opt/it's/chunkscope" %F"#),
            // Twice escaped: `\"` for the argument, `\\` for the string around it.
            ("/opt/a\"b/chunkscope", r#""/opt/a\\"b/chunkscope" %F"#),
            ("/opt/a$b/chunkscope", r#""/opt/a\\$b/chunkscope" %F"#),
            ("/opt/a`b/chunkscope", r#""/opt/a\\`b/chunkscope" %F"#),
            ("/opt/a\\b/chunkscope", r#""/opt/a\\\\b/chunkscope" %F"#),
            ("/opt/a\nb/chunkscope", r#""/opt/a\nb/chunkscope" %F"#),
            ("/opt/a=b/chunkscope", r"/opt/a=b/chunkscope %F"),
            ("/opt/50%/chunkscope", r"/usr/bin/env /opt/50%%/chunkscope %F"),
            ("/opt/5 %f/chunkscope", r#"/usr/bin/env "/opt/5 %%f/chunkscope" %F"#),
        ];
        for (path, expected) in cases {
            assert_eq!(exec_of(path), expected, "for {path:?}");
        }
    }

    #[test]
    fn try_exec_is_a_plain_path() {
        let text = for_program(Path::new("/opt/a \"b\"\\50%/chunkscope"), None).unwrap();
        assert!(text.contains("\nTryExec=/opt/a \"b\"\\\\50%/chunkscope\n"), "{text}");
    }

    #[test]
    fn paths_without_a_way_to_write_them_are_refused() {
        for path in ["chunkscope", "/opt/50%/a=b/chunkscope"] {
            let result = for_program(Path::new(path), None);
            assert!(matches!(result, Err(DesktopError::ExecutablePath { .. })), "for {path:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn path_that_is_not_utf8_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/opt/\xff/chunkscope"));
        assert!(matches!(for_program(path, None), Err(DesktopError::ExecutablePath { .. })));
    }

    #[test]
    fn pinned_opener_is_read_back() {
        let with = for_program(Path::new("/usr/bin/chunkscope"), Some("files.desktop")).unwrap();
        let without = for_program(Path::new("/usr/bin/chunkscope"), None).unwrap();
        assert_eq!(pinned_opener(&with), Some("files.desktop"));
        assert_eq!(pinned_opener(&without), None);
    }

    #[test]
    fn template_has_the_lines_that_are_replaced() {
        let count = |wanted| TEMPLATE.lines().filter(|line| *line == wanted).count();
        assert_eq!((count(EXEC_LINE), count(TRY_EXEC_LINE)), (1, 1));
    }

    #[test]
    fn template_claims_our_types_and_no_folders() {
        let claimed = format!("MimeType={};", crate::desktop::MIME_TYPES.join(";"));
        assert!(TEMPLATE.lines().any(|line| line == claimed), "{TEMPLATE}");
    }
}
