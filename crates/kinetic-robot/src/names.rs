//! Spelling suggestions: names that are similar to an unknown one.

/// At most this many suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// Names among `known` close to `name`, best first: equal up to case and separators, then one beginning with or
/// containing the other, then few edits away.
pub(crate) fn close<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = normalised(name);
    let mut scored: Vec<(usize, &str)> = known.filter_map(|known| Some((score(&wanted, known)?, known))).collect();
    scored.sort_unstable();
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, known)| known.to_owned()).collect()
}

/// Lower-case letters and digits only.
fn normalised(name: &str) -> Vec<char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How far `known` is; `None` when too far to suggest.
fn score(wanted: &[char], known: &str) -> Option<usize> {
    let known = normalised(known);
    if wanted.is_empty() || known.is_empty() {
        return None;
    }
    if *wanted == known {
        return Some(0);
    }
    // A shared part of one letter would suggest everything.
    if wanted.len() > 1 && (known.starts_with(wanted) || wanted.starts_with(&known)) {
        return Some(1);
    }
    if wanted.len() > 2 && known.windows(wanted.len()).any(|part| part == wanted) {
        return Some(2);
    }
    let distance = edits(wanted, &known);
    // A third of the letters may be wrong, and one always.
    (distance <= (known.len() / 3).max(1)).then_some(2 + distance)
}

/// Levenshtein distance (insertions, deletions, replacements), by the usual table of two rows.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{close, edits};

    const KNOWN: [&str; 5] = ["franka_panda", "ur10e", "ur3e", "ur5e", "xarm7"];

    fn close_to(name: &str) -> Vec<String> {
        close(name, KNOWN.into_iter())
    }

    #[test]
    fn edit_distances_are_those_of_the_textbook() {
        for (a, b, distance) in [("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2), ("same", "same", 0)] {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(edits(&letters(a), &letters(b)), distance, "{a} {b}");
        }
    }

    #[test]
    fn spelling_prefixes_parts_and_typos_are_found_best_first() {
        assert_eq!(close_to("UR-5e")[0], "ur5e");
        assert_eq!(close_to("panda"), ["franka_panda"]);
        assert_eq!(close_to("ur5"), ["ur5e"]);
        assert_eq!(close_to("xarm6"), ["xarm7"]);
        assert!(close_to("toaster").is_empty());
        assert!(close_to("").is_empty());
    }
}
