//! Repair of XML that is not well-formed in ways that published robot descriptions are.
//!
//! Other readers let pass: blanks or comments before the XML declaration, `--` inside comments, and prefixes of
//! undeclared extensions, zeros and more after the end. What is put right keeps its line.

use roxmltree::{Document, Error};

/// Prefixes that are declared at most; each needs another look at the document.
const MOST_DECLARED_PREFIXES: usize = 32;

/// The text without these mistakes, when it is a document then.
pub(crate) fn repaired(text: &str) -> Option<String> {
    let mut text = without_comments(text);
    for _ in 0..MOST_DECLARED_PREFIXES {
        match Document::parse(&text) {
            Ok(_) => return Some(text),
            Err(Error::UnknownNamespace(prefix, _)) => text = with_prefix(&text, &prefix)?,
            Err(_) => return None,
        }
    }
    None
}

/// Comments and XML declarations replaced by blanks.
pub(crate) fn without_comments(text: &str) -> String {
    // Files that were written over longer ones end in zeros, and what was there before.
    let mut rest = text.trim_start_matches('\u{feff}').split('\0').next().unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    while let Some((start, open, close)) = next_blank(rest) {
        let end = rest[start + open.len()..].find(close).map_or(rest.len(), |at| start + open.len() + at + close.len());
        out.push_str(&rest[..start]);
        out.extend(rest[start..end].chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The next comment or declaration: where it begins, and its ends.
fn next_blank(text: &str) -> Option<(usize, &'static str, &'static str)> {
    let found = [("<!--", "-->"), ("<?xml ", "?>")].map(|(open, close)| text.find(open).map(|at| (at, open, close)));
    found.into_iter().flatten().min()
}

/// The document with `prefix` declared at its outermost element.
fn with_prefix(text: &str, prefix: &str) -> Option<String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    let bytes = text.as_bytes();
    let tag = (1..bytes.len()).find(|at| bytes[at - 1] == b'<' && bytes[*at].is_ascii_alphabetic())?;
    let end = (tag..bytes.len()).find(|at| !is_name(bytes[*at]))?;
    Some(format!("{} xmlns:{prefix}=\"undeclared:{prefix}\"{}", &text[..end], &text[end..]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test a panic is the report")]
mod tests {
    use super::*;

    #[test]
    fn what_other_readers_let_pass_is_put_right_line_by_line() {
        let text =
            "\n<!-- a -- b\n -->\n<?xml version='1.0'?>\n<robot name='r'>\n<sensor:imu kind:x='1'/></robot>\0\0<";
        assert!(Document::parse(text).is_err());
        let fixed = repaired(text).unwrap();
        let document = Document::parse(&fixed).unwrap();
        let imu = document.descendants().find(|node| node.has_tag_name("imu")).unwrap();
        assert_eq!(document.text_pos_at(imu.range().start).row, 6);
    }

    #[test]
    fn what_is_no_document_stays_none() {
        for text in ["", "hello", "<a><b></a>", "<a x=1/>", "<!-- only", "<a>\u{0}</a>", "\u{0}"] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }
}
