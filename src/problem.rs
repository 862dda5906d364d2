//! What went partly wrong while opening or reading: shown next to what could be shown.

use std::fmt;

/// How much a problem takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something was assumed; nothing is missing.
    Info,
    /// Carried on differently than the files say.
    Warning,
    /// Something can't be shown.
    Error,
}

/// One finding, about one file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong and what was done about it, one sentence without a full stop.
    pub text: String,
    /// The file or folder concerned, as a person would name it.
    pub location: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.text, self.location)
    }
}

/// A list of findings without repetitions.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    left_out: usize,
}

impl Problems {
    /// More would not be read by anyone; further ones are only counted.
    const MAX: usize = 1000;

    /// Adds a finding unless it is there already.
    pub fn add(&mut self, problem: Problem) {
        if self.list.contains(&problem) {
            return;
        }
        if self.list.len() >= Self::MAX {
            self.left_out += 1;
            // Errors are looked for by whoever writes: they take the place of what is less.
            if problem.severity == Severity::Error
                && let Some(less) = self.list.iter_mut().rfind(|other| other.severity != Severity::Error)
            {
                *less = problem;
            }
            return;
        }
        self.list.push(problem);
    }

    /// Adds an [`Severity::Info`] finding.
    pub fn info(&mut self, location: impl fmt::Display, text: impl Into<String>) {
        self.add(Problem { severity: Severity::Info, text: text.into(), location: location.to_string() });
    }

    /// Adds a [`Severity::Warning`] finding.
    pub fn warn(&mut self, location: impl fmt::Display, text: impl Into<String>) {
        self.add(Problem { severity: Severity::Warning, text: text.into(), location: location.to_string() });
    }

    /// Adds an [`Severity::Error`] finding.
    pub fn error(&mut self, location: impl fmt::Display, text: impl Into<String>) {
        self.add(Problem { severity: Severity::Error, text: text.into(), location: location.to_string() });
    }

    /// Takes over all findings of `other`.
    pub fn extend(&mut self, other: Self) {
        self.left_out += other.left_out;
        for problem in other.list {
            self.add(problem);
        }
    }

    /// Takes out a finding that no longer holds.
    pub fn remove(&mut self, text: &str) {
        self.list.retain(|problem| problem.text != text);
    }

    /// The findings, in the order they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.list.iter()
    }

    /// How many findings there are, those left out included.
    pub fn len(&self) -> usize {
        self.list.len() + self.left_out
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_finding_is_listed_once_and_the_list_is_bounded() {
        let mut problems = Problems::default();
        problems.warn("a", "b");
        problems.warn("a", "b");
        assert_eq!(problems.len(), 1);
        for i in 0..2000 {
            problems.info(i, "many");
        }
        problems.error("a", "late");
        assert_eq!((problems.iter().count(), problems.len()), (Problems::MAX, 2002));
        assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
    }
}
