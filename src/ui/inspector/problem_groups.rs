//! What the problems panel lists: findings, with the failed chunks of one file taken together.

use crate::problem::{Problem, Severity};
use crate::text::capitalized;

/// One entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProblemGroup<'a> {
    /// How bad it is.
    pub(super) severity: Severity,
    /// First line.
    pub(super) title: String,
    /// Why; may be empty.
    pub(super) reason: String,
    /// The file or folder.
    pub(super) location: &'a str,
    /// The findings; more than one where chunks of one file were taken together.
    pub(super) members: Vec<&'a Problem>,
}

/// Findings of one severity, or all, in the order they were made.
pub(super) fn grouped<'a>(problems: impl Iterator<Item = &'a Problem>, shown: Option<Severity>) -> Vec<ProblemGroup<'a>> {
    let mut groups: Vec<ProblemGroup<'a>> = Vec::new();
    for problem in problems.filter(|problem| shown.is_none_or(|shown| shown == problem.severity)) {
        let is_failure = is_chunk_failure(problem);
        let same_file = |group: &&mut ProblemGroup<'_>| {
            group.location == problem.location && group.members.first().is_some_and(|first| is_chunk_failure(first))
        };
        match groups.iter_mut().rev().find(same_file).filter(|_| is_failure) {
            Some(group) => group.add(problem),
            None => groups.push(ProblemGroup::new(problem)),
        }
    }
    groups
}

impl<'a> ProblemGroup<'a> {
    fn new(problem: &'a Problem) -> Self {
        let (title, reason) = first_line(&problem.text);
        Self { severity: problem.severity, title, reason, location: &problem.location, members: vec![problem] }
    }

    fn add(&mut self, problem: &'a Problem) {
        self.members.push(problem);
        self.title = format!("Can't show {} chunks", crate::text::count(self.members.len() as u64));
        if first_line(&problem.text).1 != self.reason && self.members.len() == 2 {
            self.reason = format!("{}; other chunks have other reasons", self.reason);
        }
    }

    /// Whether reading failed chunks again can help.
    pub(super) fn can_be_retried(&self) -> bool {
        self.members.iter().any(|problem| is_chunk_failure(problem))
    }
}

/// Whether reading failed chunks again can help: their messages name the chunk.
pub(super) fn is_chunk_failure(problem: &Problem) -> bool {
    problem.severity == Severity::Error && problem.text.to_lowercase().contains("chunk ")
}

/// What couldn't be done, and why, as two sentences without a full stop.
pub(super) fn first_line(message: &str) -> (String, String) {
    match message.split_once(": ") {
        Some((title, reason)) => (title.to_owned(), capitalized(reason)),
        None => (message.to_owned(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(severity: Severity, text: &str, location: &str) -> Problem {
        Problem { severity, text: text.to_owned(), location: location.to_owned() }
    }

    #[test]
    fn failed_chunks_of_one_file_are_one_entry() {
        let problems = [
            problem(Severity::Error, "Chunk 1, 2, 3 can't be shown: truncated", "/a"),
            problem(Severity::Warning, "Voxel size has no unit", "/json"),
            problem(Severity::Error, "Chunk 1, 2, 4 can't be shown: truncated", "/a"),
            problem(Severity::Error, "Chunk 9, 2, 4 can't be shown: truncated", "/b"),
        ];
        let groups = grouped(problems.iter(), None);
        let titles: Vec<_> = groups.iter().map(|group| (group.title.as_str(), group.reason.as_str(), group.members.len())).collect();
        assert_eq!(
            titles,
            [("Can't show 2 chunks", "Truncated", 2), ("Voxel size has no unit", "", 1), ("Chunk 9, 2, 4 can't be shown", "Truncated", 1)]
        );
        assert_eq!(grouped(problems.iter(), Some(Severity::Warning)).len(), 1);
    }

    #[test]
    fn different_reasons_are_not_hidden() {
        let problems = [problem(Severity::Error, "Chunk 1: cut", "/a"), problem(Severity::Error, "Chunk 2: odd", "/a")];
        assert_eq!(grouped(problems.iter(), None)[0].reason, "Cut; other chunks have other reasons");
    }

    #[test]
    fn only_failed_chunks_can_be_retried() {
        let can_retry = |severity, text| is_chunk_failure(&problem(severity, text, "/a"));
        assert!(can_retry(Severity::Error, "Chunk 1, 2, 3 of shard 0, 0, 0: truncated"));
        assert!(!can_retry(Severity::Warning, "Chunk 1, 2, 3 is odd"));
        assert!(!can_retry(Severity::Error, "Can't open layer a"));
    }
}
