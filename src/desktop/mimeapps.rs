//! Edits to `mimeapps.list`, as functions from text to text. Lines of others stay byte for byte.
//!
//! Values are lists of desktop entries with `;` after each, the first one counts most:
//! <https://specifications.freedesktop.org/mime-apps-spec/latest/>.

use super::{FOLDER_TYPE, MIME_TYPES};

const DEFAULTS: &str = "Default Applications";
const ASSOCIATIONS: &str = "Added Associations";

/// Makes `app` the first default of `mime_type`.
pub(super) fn with_default(text: &str, mime_type: &str, app: &str) -> String {
    with_value(text, DEFAULTS, mime_type, |apps| {
        if items(apps).next() == Some(app) {
            return apps.to_owned();
        }
        format!("{app};{}", without_item(apps, app))
    })
}

/// Adds `app` behind the programs that are associated with `mime_type`.
pub(super) fn with_association(text: &str, mime_type: &str, app: &str) -> String {
    with_value(text, ASSOCIATIONS, mime_type, |apps| {
        if items(apps).any(|item| item == app) {
            apps.to_owned()
        } else if apps.is_empty() || apps.ends_with(';') {
            format!("{apps}{app};")
        } else {
            format!("{apps};{app}")
        }
    })
}

/// Removes `app` from our types and from folders, and the folder opener that was named only to stay
/// in front of it. A section or key that this empties goes with it.
pub(super) fn without_app(text: &str, app: &str, pinned_opener: Option<&str>) -> String {
    let mut groups = groups(text);
    for group in &mut groups {
        if group.name != Some(DEFAULTS) && group.name != Some(ASSOCIATIONS) {
            continue;
        }
        let is_association = group.name == Some(ASSOCIATIONS);
        let before = group.lines.len();
        group.lines.retain_mut(|line| {
            let Some(Entry { key, value, .. }) = entry(line) else {
                return true;
            };
            if !(MIME_TYPES.contains(&key) || key == FOLDER_TYPE) || !items(value).any(|item| item == app) {
                return true;
            }
            let rest = without_item(value, app);
            let pinned = pinned_opener.filter(|_| is_association && key == FOLDER_TYPE);
            if items(&rest).all(|item| Some(item) == pinned) {
                return false;
            }
            *line = line_with_value(line, &rest);
            true
        });
        group.emptied = group.lines.len() < before && group.lines.iter().all(|line| line.trim().is_empty());
    }
    joined_without_emptied(groups)
}

/// The program that the user chose for `mime_type`.
pub(super) fn default_of<'a>(text: &'a str, mime_type: &str) -> Option<&'a str> {
    values(text, DEFAULTS, mime_type).flat_map(items).next()
}

/// Whether any program was added to those that open `mime_type`.
pub(super) fn has_associations(text: &str, mime_type: &str) -> bool {
    values(text, ASSOCIATIONS, mime_type).flat_map(items).next().is_some()
}

/// Whether `app` was added to those that open `mime_type`.
pub(super) fn is_associated(text: &str, mime_type: &str, app: &str) -> bool {
    values(text, ASSOCIATIONS, mime_type).flat_map(items).any(|item| item == app)
}

struct Entry<'a> {
    key: &'a str,
    /// As it stands, without spaces around it.
    value: &'a str,
    /// Where the value begins in the line.
    value_offset: usize,
}

fn entry(line: &str) -> Option<Entry<'_>> {
    if line.trim_start().starts_with(['#', '[']) {
        return None;
    }
    let (key, rest) = line.trim_end().split_once('=')?;
    let value = rest.trim_start();
    let value_offset = key.len() + "=".len() + (rest.len() - value.len());
    Some(Entry { key: key.trim(), value, value_offset })
}

fn line_with_value(line: &str, value: &str) -> String {
    match entry(line) {
        Some(old) => {
            let end = old.value_offset + old.value.len();
            format!("{}{value}{}", &line[..old.value_offset], &line[end..])
        }
        None => line.to_owned(),
    }
}

fn items(value: &str) -> impl Iterator<Item = &str> {
    value.split(';').map(str::trim).filter(|item| !item.is_empty())
}

fn without_item(value: &str, app: &str) -> String {
    value.split(';').filter(|item| item.trim() != app).collect::<Vec<_>>().join(";")
}

/// A section with its header, or what stands before the first.
struct Group<'a> {
    name: Option<&'a str>,
    header: Option<&'a str>,
    lines: Vec<String>,
    emptied: bool,
}

fn groups(text: &str) -> Vec<Group<'_>> {
    let new = |name, header| Group { name, header, lines: Vec::new(), emptied: false };
    let mut groups = Vec::new();
    let mut current = new(None, None);
    for line in text.split_inclusive('\n') {
        match section_name(line) {
            Some(name) => groups.push(std::mem::replace(&mut current, new(Some(name), Some(line)))),
            None => current.lines.push(line.to_owned()),
        }
    }
    groups.push(current);
    groups
}

fn section_name(line: &str) -> Option<&str> {
    line.trim().strip_prefix('[')?.strip_suffix(']')
}

fn joined_without_emptied(groups: Vec<Group<'_>>) -> String {
    let mut text = String::new();
    for group in groups {
        if !group.emptied {
            text.push_str(group.header.unwrap_or(""));
            text.extend(group.lines);
        } else if group.lines.is_empty() && text.ends_with("\n\n") {
            text.pop(); // the empty line that we put before our section
        }
    }
    text
}

fn values<'a>(text: &'a str, section: &str, key: &str) -> impl Iterator<Item = &'a str> {
    let mut inside = false;
    text.lines().filter_map(move |line| {
        if let Some(name) = section_name(line) {
            inside = name == section;
        }
        entry(line).filter(|entry| inside && entry.key == key).map(|entry| entry.value)
    })
}

/// Edits the value of `key`, which is empty if the key isn't there.
fn with_value(text: &str, section: &str, key: &str, edit: impl Fn(&str) -> String) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut inside = false;
    let mut found = false;
    let mut end_of_section = None;
    for line in text.split_inclusive('\n') {
        if let Some(name) = section_name(line) {
            inside = name == section;
        }
        match entry(line).filter(|entry| inside && entry.key == key) {
            Some(entry) => {
                edited.push_str(&line_with_value(line, &edit(entry.value)));
                found = true;
            }
            None => edited.push_str(line),
        }
        if inside && !line.trim().is_empty() {
            end_of_section = Some(edited.len());
        }
    }
    if found {
        return edited;
    }
    let line = format!("{key}={}\n", edit(""));
    let (position, addition) = match end_of_section {
        Some(end) => (end, line),
        None if edited.is_empty() => (0, format!("[{section}]\n{line}")),
        None => (edited.len(), format!("\n[{section}]\n{line}")),
    };
    let starts_a_line = position == 0 || edited[..position].ends_with('\n');
    edited.insert_str(position, &addition);
    if !starts_a_line {
        edited.insert(position, '\n');
    }
    edited
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = "chunkscope.desktop";
    const WKW: &str = "application/x-wkw";

    fn installed(text: &str) -> String {
        let text = with_default(text, WKW, APP);
        with_association(&text, FOLDER_TYPE, APP)
    }

    #[test]
    fn empty_text_gets_a_section() {
        assert_eq!(with_default("", WKW, APP), "[Default Applications]\napplication/x-wkw=chunkscope.desktop;\n");
    }

    #[test]
    fn key_goes_to_the_end_of_its_section_and_other_lines_stay() {
        let before = "# mine\n[Default Applications]\ntext/html = firefox.desktop\nbroken line\n\n[Other]\nx=y";
        let after = "# mine\n[Default Applications]\ntext/html = firefox.desktop\nbroken line\n\
                     application/x-wkw=chunkscope.desktop;\n\n[Other]\nx=y";
        assert_eq!(with_default(before, WKW, APP), after);
    }

    #[test]
    fn same_key_in_another_section_is_not_meant() {
        let before = "[Removed Associations]\napplication/x-wkw=chunkscope.desktop;\n";
        let after = with_default(before, WKW, APP);
        assert_eq!(after, format!("{before}\n[Default Applications]\napplication/x-wkw=chunkscope.desktop;\n"));
        assert_eq!(without_app(&after, APP, None), before);
    }

    #[test]
    fn earlier_default_stays_behind_ours() {
        let cases = [
            ("hex.desktop", "chunkscope.desktop;hex.desktop"),
            (" hex.desktop; ", " chunkscope.desktop;hex.desktop; "),
            ("hex.desktop;chunkscope.desktop;", "chunkscope.desktop;hex.desktop;"),
            ("chunkscope.desktop", "chunkscope.desktop"),
            ("", "chunkscope.desktop;"),
        ];
        for (before, after) in cases {
            let text = |value: &str| format!("[Default Applications]\n{WKW}={value}\n");
            assert_eq!(with_default(&text(before), WKW, APP), text(after), "for {before:?}");
        }
    }

    #[test]
    fn association_goes_behind_the_others() {
        let cases = [
            ("files.desktop;", "files.desktop;chunkscope.desktop;"),
            ("files.desktop", "files.desktop;chunkscope.desktop"),
            ("chunkscope.desktop;files.desktop;", "chunkscope.desktop;files.desktop;"),
        ];
        for (before, after) in cases {
            let text = |value: &str| format!("[Added Associations]\ninode/directory={value}\n");
            assert_eq!(with_association(&text(before), FOLDER_TYPE, APP), text(after), "for {before:?}");
        }
    }

    #[test]
    fn installing_twice_is_installing_once() {
        for before in ["", "[Default Applications]\n", "[Added Associations]\ninode/directory=files.desktop\n"] {
            let once = installed(before);
            assert_eq!(installed(&once), once, "for {before:?}");
        }
    }

    #[test]
    fn uninstalling_restores_the_text() {
        let cases = [
            "",
            "\n",
            "# only a comment\n",
            "[Default Applications]\ntext/html=firefox.desktop\n",
            "[Default Applications]\napplication/x-wkw=hex.desktop\n",
            "[Added Associations]\ninode/directory=files.desktop;\n\n[Default Applications]\ntext/html=a.desktop;\n",
            "[Added Associations]\r\ninode/directory=files.desktop\r\n[Default Applications]\r\ntext/html=a.desktop\r\n",
            "[Default Applications]\na/b=c.desktop\n\n\n[Removed Associations]\napplication/x-wkw=chunkscope.desktop;\n",
            "[Added Associations]\ntext/plain=chunkscope.desktop;\n",
        ];
        for before in cases {
            let after = without_app(&installed(before), APP, None);
            assert_eq!(after, before, "by way of {:?}", installed(before));
            assert_eq!(without_app(&after, APP, None), before);
        }
    }

    #[test]
    fn missing_last_line_end_is_all_that_changes() {
        let before = "[Default Applications]\ntext/html=firefox.desktop";
        assert_eq!(without_app(&installed(before), APP, None), format!("{before}\n"));
    }

    #[test]
    fn pinned_opener_goes_only_if_it_is_alone() {
        let text = |value: &str| format!("[Added Associations]\na/b=c.desktop\ninode/directory={value}\n");
        let alone = without_app(&text("files.desktop;chunkscope.desktop;"), APP, Some("files.desktop"));
        assert_eq!(alone, "[Added Associations]\na/b=c.desktop\n");
        let with_others = without_app(&text("files.desktop;chunkscope.desktop;x.desktop;"), APP, Some("files.desktop"));
        assert_eq!(with_others, text("files.desktop;x.desktop;"));
        let not_ours = without_app(&text("files.desktop;"), APP, Some("files.desktop"));
        assert_eq!(not_ours, text("files.desktop;"));
    }

    #[test]
    fn questions_are_answered_from_the_right_section() {
        let text = "[Added Associations]\ninode/directory=a.desktop;b.desktop;\n\
                    [Default Applications]\n#inode/directory=no.desktop\ninode/directory=;files.desktop;b.desktop\n";
        assert_eq!(default_of(text, FOLDER_TYPE), Some("files.desktop"));
        assert_eq!(default_of(text, WKW), None);
        assert!(has_associations(text, FOLDER_TYPE) && !has_associations(text, WKW));
        assert!(is_associated(text, FOLDER_TYPE, "b.desktop") && !is_associated(text, FOLDER_TYPE, APP));
    }
}
