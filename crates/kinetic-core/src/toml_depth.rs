//! How deep a TOML text is nested, found before it is parsed: the parser recurses once per level, also over brackets
//! that nothing closes, and would end the process.

/// Deepest nesting of brackets, and most parts of a key; ours have three.
const DEEPEST_TOML_NESTING: usize = 32;

/// Line of the first place of a TOML text that is nested too deep, and what is wrong there.
pub fn fault(text: &str) -> Option<(u32, String)> {
    too_deep(text).map(|line| (line, format!("brackets or keys are nested more than {DEEPEST_TOML_NESTING} deep")))
}

fn too_deep(text: &str) -> Option<u32> {
    let (mut line, mut brackets, mut parts) = (1, Vec::new(), 0);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '"' | '\'' | '#' => skipped(rest, letter),
            _ => letter.len_utf8(),
        };
        match letter {
            '[' | '{' => brackets.push(letter),
            // A bracket closes its own kind only.
            ']' => drop(brackets.pop_if(|open| *open == '[')),
            '}' => drop(brackets.pop_if(|open| *open == '{')),
            '.' => parts += 1,
            '\n' | '=' | ',' => parts = 0,
            _ => {}
        }
        if brackets.len().max(parts) > DEEPEST_TOML_NESTING {
            return Some(line);
        }
        line += rest[..length].matches('\n').count() as u32;
        rest = &rest[length..];
    }
    None
}

/// Length of the string or comment that a text begins with.
fn skipped(text: &str, mark: char) -> usize {
    let end_of_line = text.find('\n').unwrap_or(text.len());
    if mark == '#' {
        return end_of_line;
    }
    let triple = mark.to_string().repeat(3);
    let (start, limit) = if text.starts_with(&triple) { (3, text.len()) } else { (1, end_of_line) };
    let mut is_escaped = false;
    for (position, letter) in text[..limit].char_indices().skip(start) {
        if is_escaped {
            is_escaped = false;
        } else if letter == '\\' && mark == '"' {
            is_escaped = true;
        } else if start == 1 && letter == mark {
            return position + 1;
        } else if start == 3 && text[position..].starts_with(&triple) {
            return position + 3;
        }
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_do_not_count() {
        let brackets = "[{.".repeat(50);
        for text in [
            format!("a = \"{brackets}\\\"{brackets}\""),
            format!("a = '{brackets}'"),
            format!("a = 1 # {brackets}"),
            format!("a = \"\"\"\n{brackets}\"{brackets}\n\"\"\""),
            format!("a = [{}]", "1.5, ".repeat(200)),
        ] {
            assert_eq!(too_deep(&text), None, "{text}");
        }
    }

    #[test]
    fn the_line_of_the_first_level_too_many_is_told() {
        assert_eq!(too_deep(&"[\n".repeat(40)), Some(DEEPEST_TOML_NESTING as u32 + 1));
        assert_eq!(too_deep(&"a = {]\n".repeat(40)), Some(DEEPEST_TOML_NESTING as u32 + 1));
        assert_eq!(too_deep(&format!("x = '''\n\n'''\n{}b = 1", "a.".repeat(40))), Some(4));
    }
}
