//! Reading, writing and comparing together.

mod comparing;
mod hostile;
mod reading;
mod writing;

use super::*;

/// A file with every element that the specification names.
const EXAMPLE: &str = include_str!("example.nml");

fn parsed(xml: &str) -> Nml {
    read(xml.as_bytes()).expect("an NML")
}

/// An NML without problems whose root holds this.
fn with_root(content: &str) -> Nml {
    let nml = parsed(&format!("<things><parameters/>{content}</things>"));
    assert!(nml.problems.is_empty(), "{:?}", nml.problems);
    nml
}

fn written(nml: &Nml) -> String {
    let mut out = Vec::new();
    let problems = write(nml, &mut out).expect("memory");
    assert!(problems.is_empty(), "{problems:?}");
    String::from_utf8(out).expect("UTF-8")
}

fn lines(differences: &NmlDifferences) -> Vec<&str> {
    differences.iter().map(|difference| difference.text.as_str()).collect()
}

fn problems(nml: &Nml) -> Vec<String> {
    nml.problems.iter().map(|problem| problem.text.clone()).collect()
}
