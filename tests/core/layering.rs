//! The source text keeps the layers of `architecture.md` part 1: who may use whom, where files, threads and egui appear.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each module with its layer and the neighbours of its own layer that it may use.
const LAYERS: &[(&str, u8, &[&str])] = &[
    ("main", 8, &[]),
    ("cli", 7, &[]),
    ("app", 6, &[]),
    ("ui", 5, &[]),
    ("state", 4, &[]),
    ("scene", 3, &[]),
    ("demo", 3, &["scene"]),
    ("bench", 3, &[]),
    ("loading", 2, &[]),
    ("annotation", 2, &[]),
    ("compare", 2, &[]),
    ("format", 1, &[]),
    ("desktop", 1, &[]),
    ("storage", 0, &["problem", "text"]),
    ("codec", 0, &["voxel"]),
    ("voxel", 0, &["geometry"]),
    ("geometry", 0, &[]),
    ("problem", 0, &[]),
    ("text", 0, &[]),
];

struct Source {
    /// Path below `src/`, with `/`.
    path: String,
    /// Its text without comments, strings and test modules, line by line.
    lines: Vec<String>,
}

impl Source {
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path == *place || (place.ends_with('/') && self.path.starts_with(place)))
    }
}

fn sources() -> Vec<Source> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("src is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { walk(&path, out) } else { out.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let named = paths.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "rs"));
    named
        .map(|path| {
            let name = path.strip_prefix(&root).expect("below src").to_str().expect("UTF-8").replace('\\', "/");
            (name, std::fs::read_to_string(path).expect("UTF-8"))
        })
        // A file that `mod tests;` names holds tests only.
        .filter(|(name, _)| !name.ends_with("/tests.rs") && !name.contains("/tests/"))
        .map(|(path, text)| Source { path, lines: code_lines(&text) })
        .collect()
}

/// The program text of a file: comments and contents of literals blanked, items under `#[cfg(test)]` left out.
fn code_lines(text: &str) -> Vec<String> {
    without_tests(&blanked(text)).lines().map(str::to_owned).collect()
}

/// Replaces comments and the insides of string and character literals by spaces; lines stay where they are.
fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let starts = |at: usize, pattern: &str| pattern.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    let blank = |out: &mut String, c: char| out.push(if c == '\n' { '\n' } else { ' ' });
    while at < chars.len() {
        let c = chars[at];
        let after_name = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            let mut depth = 0;
            while at < chars.len() {
                if starts(at, "/*") {
                    depth += 1;
                    at += 1;
                } else if starts(at, "*/") {
                    depth -= 1;
                    at += 1;
                } else {
                    blank(&mut out, chars[at]);
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        } else if !after_name && (c == 'r' || starts(at, "br")) && {
            let from = at + if c == 'r' { 1 } else { 2 };
            let hashes = chars[from..].iter().take_while(|c| **c == '#').count();
            chars.get(from + hashes) == Some(&'"')
        } {
            let from = at + if c == 'r' { 1 } else { 2 };
            let hashes = chars[from..].iter().take_while(|c| **c == '#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            at = from + hashes + 1;
            out.push('"');
            while at < chars.len() && !starts(at, &end) {
                blank(&mut out, chars[at]);
                at += 1;
            }
            out.push('"');
            at += 1 + hashes;
        } else if c == '"' {
            out.push('"');
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                if chars[at] == '\\' {
                    out.push(' ');
                    at += 1;
                }
                if let Some(c) = chars.get(at) {
                    blank(&mut out, *c);
                }
                at += 1;
            }
            out.push('"');
            at += 1;
        } else if c == '\'' && (chars.get(at + 2) == Some(&'\'') || chars.get(at + 1) == Some(&'\\')) {
            // A character; a lifetime has no closing quote this near.
            at += if chars[at + 1] == '\\' { 3 } else { 2 };
            while at < chars.len() && chars[at] != '\'' {
                at += 1;
            }
            at += 1;
            out.push_str("' '");
        } else {
            out.push(c);
            at += 1;
        }
    }
    out
}

/// Leaves out what `#[cfg(test)]` or `#[test]` marks, up to its closing brace or semicolon.
fn without_tests(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| rest.find(mark)).min() {
        out.push_str(&rest[..at]);
        let mut depth = 0;
        let mut end = rest.len();
        for (i, c) in rest[at..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if (c == '}' || c == ';') && depth == 0 {
                end = at + i + 1;
                break;
            }
        }
        out.extend(rest[at..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Modules that a file names by `crate::…` (or `chunkscope::…` in the binary), groups in braces included.
fn used_modules(source: &Source) -> BTreeSet<String> {
    let text = source.lines.join("\n");
    let mut used = BTreeSet::new();
    let root = if source.path == "main.rs" { "chunkscope::" } else { "crate::" };
    for (at, _) in text.match_indices(root) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &text[at + root.len()..];
        let name = |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            None => drop(used.insert(name(rest))),
            Some(group) => {
                let (mut depth, mut fresh) = (0, true);
                for (i, c) in group.char_indices() {
                    match c {
                        '}' if depth == 0 => break,
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => fresh = true,
                        c if fresh && !c.is_whitespace() => {
                            used.insert(name(&group[i..]));
                            fresh = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used
}

/// Lines of all files outside of `allowed` that `is_found` wants reported.
fn lines_outside(allowed: &[&str], is_found: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !source.is_in(allowed)) {
        for (number, line) in source.lines.iter().enumerate().filter(|(_, line)| is_found(line)) {
            found.push(format!("src/{}:{}: {}", source.path, number + 1, line.trim()));
        }
    }
    found
}

/// Whether `word` stands in the line as a path's part of its own.
fn names(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].chars().next_back().is_some_and(is_part) && !line[at + word.len()..].chars().next().is_some_and(is_part))
}

#[test]
fn comments_literals_and_test_modules_are_no_program_text() {
    let text = "use crate::a; // crate::b\nlet s = \"crate::c\"; let q = '\"'; /* crate::d */ let r = r#\"crate::\"e\"#;\n#[cfg(test)]\nmod tests { use crate::f; }\nuse crate::{g, h::{i, j}};\n";
    let source = Source { path: "x.rs".to_owned(), lines: code_lines(text) };
    assert_eq!(used_modules(&source).into_iter().collect::<Vec<_>>(), ["a", "g", "h"]);
    assert_eq!(source.lines.len(), text.lines().count());
}

#[test]
fn a_module_uses_lower_layers_and_named_neighbours_only() {
    let layer_of = |name: &str| LAYERS.iter().find(|(module, ..)| *module == name);
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.path != "lib.rs") {
        let Some((module, layer, neighbours)) = layer_of(source.module()) else {
            wrong.push(format!("src/{}: module {} has no layer in the table", source.path, source.module()));
            continue;
        };
        for used in used_modules(source) {
            // Macros are named from the root of the crate.
            let Some((other, other_layer, _)) = layer_of(&used) else {
                wrong.push(format!("src/{}: uses crate::{used}, which has no layer in the table", source.path));
                continue;
            };
            let may = other == module || (other_layer < layer) || (other_layer == layer && neighbours.contains(other));
            if !may {
                wrong.push(format!("src/{}: {module} (layer {layer}) uses {other} (layer {other_layer})", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn egui_appears_in_ui_app_and_main_only() {
    let found = lines_outside(&["ui/", "ui.rs", "app/", "app.rs", "main.rs"], |line| {
        ["egui", "eframe", "egui_extras", "egui_plot"].iter().any(|name| names(line, name))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn eframe_appears_in_app_and_main_only() {
    let found = lines_outside(&["app/", "app.rs", "main.rs"], |line| names(line, "eframe"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_are_opened_in_storage_and_written_by_named_modules_only() {
    let allowed =
        ["storage/", "format/wkw/writer.rs", "desktop/", "demo/", "demo.rs", "cli/", "app/thumbnails.rs", "app/annotations/recovery.rs"];
    // Types of other names may end in `File`.
    let whole = |line: &str, word: &str| line.match_indices(word).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric()));
    let is_found = |line: &str| {
        line.contains("std::fs")
            || line.contains("fs::read")
            || line.contains("fs::write")
            || whole(line, "File::open")
            || whole(line, "File::create")
            || line.contains("OpenOptions")
    };
    let found = lines_outside(&allowed, is_found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_command_line_opens_no_files_for_reading() {
    let found: Vec<String> = sources()
        .iter()
        .filter(|source| source.is_in(&["cli/"]))
        .flat_map(|source| {
            source
                .lines
                .iter()
                .filter(|line| line.contains("File::open") || line.contains("fs::read"))
                .map(|line| format!("src/{}: {line}", source.path))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn threads_start_in_the_pool_and_the_tasks_only() {
    let is_found = |line: &str| {
        line.contains("std::thread")
            || line.contains("thread::spawn")
            || line.contains("thread::Builder")
            || line.contains("ThreadPoolBuilder")
    };
    let found = lines_outside(&["loading/pool.rs", "app/tasks.rs"], |line| is_found(line) && !line.contains("std::thread::sleep"));
    assert!(found.is_empty(), "{}", found.join("\n"));
    // The one retry of a JSON that is being rewritten.
    let sleeps = lines_outside(&["format/open_declared.rs", "loading/pool.rs", "app/tasks.rs"], |line| line.contains("thread::sleep"));
    assert!(sleeps.is_empty(), "{}", sleeps.join("\n"));
}

#[test]
fn unwrap_appears_in_tests_only() {
    let found = lines_outside(&[], |line| line.contains(".unwrap()"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn colours_are_literals_in_the_theme_only() {
    let is_found = |line: &str| {
        line.contains("Color32::from_") && line.contains(|c: char| c.is_ascii_digit()) && {
            let after = line.split("Color32::from_").nth(1).unwrap_or_default();
            let arguments = after.split_once('(').map(|(_, rest)| rest.trim_start()).unwrap_or_default();
            arguments.starts_with(|c: char| c.is_ascii_digit())
        }
    };
    let found = lines_outside(&["ui/theme/"], is_found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
