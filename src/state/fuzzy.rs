//! Scoring of commands against what was typed into the palette.

/// How well `query` fits `text`: `None` unless its letters occur in order. Higher is better; starts of
/// words and runs of letters count more.
pub fn fuzzy_score(query: &str, text: &str) -> Option<u32> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let mut score = 0;
    let mut from = 0;
    let mut previous: Option<usize> = None;
    for wanted in query.to_lowercase().chars().filter(|c| !c.is_whitespace()) {
        let at = (from..text.len()).find(|i| text[*i] == wanted)?;
        let starts_word = at == 0 || !text[at - 1].is_alphanumeric();
        let continues = at.checked_sub(1).is_some_and(|before| previous == Some(before));
        score += 1 + if starts_word { 4 } else { 0 } + if continues { 3 } else { 0 };
        previous = Some(at);
        from = at + 1;
    }
    Some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_must_occur_in_order() {
        assert!(fuzzy_score("opfo", "Open folder…").is_some());
        assert_eq!(fuzzy_score("zq", "Zoom in"), None);
    }

    #[test]
    fn starts_of_words_win() {
        assert!(fuzzy_score("zi", "Zoom in") > fuzzy_score("zi", "Zoom to fit"));
    }
}
