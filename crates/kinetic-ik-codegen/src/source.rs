//! Source extraction: files of the library, reduced to the items that a stand-alone file needs.
//!
//! A generated solver shares its algorithms with the library by sharing their text: nothing can diverge. What depends on
//! the rest of the library (imports, set-up, tests) is left out, item by item. Items are found by the layout that
//! rustfmt gives them: an item ends at the first closing brace with its own indentation.

use std::collections::BTreeSet;

/// A file of the library.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// Its path in the library.
    pub(super) path: &'static str,
    /// The text.
    pub(super) text: &'static str,
    /// Which items are taken over.
    pub(super) items: Items,
}

/// How the parts of a generated file lie to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// All in one module, where nothing needs visibility.
    Flat,
    /// Each in a module of its own, which the file around it sees into: names of small things may be the same.
    Modules,
}

/// A choice of items by the words that begin them, visibility left out: `fn new`, `const STEPS`, `impl Screw`.
#[derive(Clone, Copy)]
pub(super) enum Items {
    /// All but these, at any depth.
    Without(&'static [&'static str]),
    /// These alone.
    Only(&'static [&'static str]),
}

/// What is left of a file.
pub(super) struct Cut {
    /// First line of the file's description, for a heading.
    pub(super) heading: String,
    pub(super) body: String,
    /// Imports from the standard library, as far as the items need them; one name each.
    pub(super) imports: BTreeSet<String>,
}

impl Source {
    pub(super) fn cut(&self, layout: Layout) -> Cut {
        let mut cut = Cut { heading: String::new(), body: String::new(), imports: BTreeSet::new() };
        let mut imports = Vec::new();
        let product = self.text.split("\n#[cfg(test)]").next().unwrap_or_default();
        let mut lines = product.lines().peekable();
        let mut writer = Writer { layout, is_in_structure: false, body: String::new() };
        // Comments and attributes wait for the item that they belong to.
        let mut waiting: Vec<&str> = Vec::new();
        while let Some(line) = lines.next() {
            match Line::of(line.trim_start()) {
                Line::Heading(words) if cut.heading.is_empty() => words.clone_into(&mut cut.heading),
                Line::Heading(_) => {}
                Line::Before => waiting.push(line),
                Line::Empty => writer.add(line),
                Line::Item(begin) => {
                    imports.extend(begin.starts_with("use std::").then(|| single_imports(begin)).into_iter().flatten());
                    self.item(line, begin, &mut waiting, &mut lines, &mut writer);
                }
            }
        }
        cut.body = squeezed(&writer.body);
        imports.retain(|name| has_word(&cut.body, name.rsplit("::").next().unwrap_or_default()));
        cut.imports = imports.iter().map(|name| format!("use {name};")).collect();
        cut
    }

    /// Takes an item over with what waits for it, or leaves it out to its end.
    fn item<'a>(
        &self,
        line: &'a str,
        begin: &str,
        waiting: &mut Vec<&'a str>,
        lines: &mut Lines<'a>,
        writer: &mut Writer,
    ) {
        let depth = line.len() - line.trim_start().len();
        let is_import = begin.starts_with("use ") || begin.starts_with("mod ");
        if is_import || !self.keeps(begin, depth) {
            waiting.clear();
            rest(line, depth, lines);
            return;
        }
        for line in waiting.drain(..).chain([line]) {
            writer.add(line);
        }
        // An item that is chosen by name comes whole; of others each inner item is looked at.
        if matches!(self.items, Items::Only(_)) && depth == 0 {
            for line in rest(line, depth, lines) {
                writer.add(line);
            }
        }
    }

    fn keeps(&self, begin: &str, depth: usize) -> bool {
        let is_named = |names: &[&str]| names.iter().any(|name| begins_with(begin, name));
        match self.items {
            Items::Without(names) => !is_named(names) && !begin.starts_with("constants!"),
            Items::Only(names) => depth > 0 || begin.starts_with('}') || is_named(names),
        }
    }
}

/// The lines of a file that are not looked at yet.
type Lines<'a> = std::iter::Peekable<std::str::Lines<'a>>;

/// What a line is.
enum Line<'a> {
    /// Of the file's description.
    Heading(&'a str),
    /// A comment or an attribute of the item that follows.
    Before,
    Empty,
    /// The first of an item, visibility left out.
    Item(&'a str),
}

impl<'a> Line<'a> {
    /// From a line without its indentation.
    fn of(code: &'a str) -> Self {
        match code.strip_prefix("//!") {
            Some(words) => Self::Heading(words.trim()),
            None if code.is_empty() => Self::Empty,
            None if code.starts_with("//") || code.starts_with("#[") => Self::Before,
            None => Self::Item(without_visibility(code)),
        }
    }
}

/// True for the item itself and not for one with a longer name.
fn begins_with(line: &str, item: &str) -> bool {
    line.strip_prefix(item).is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

/// The paths that `use a::{b, c};` brings in.
fn single_imports(line: &str) -> Vec<String> {
    let path = line.trim_start_matches("use ").trim_end_matches([';', '}']);
    match path.split_once("::{") {
        Some((start, names)) => names.split(", ").map(|name| format!("{start}::{name}")).collect(),
        None => vec![path.to_owned()],
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
}

fn without_visibility(code: &str) -> &str {
    ["pub(super) ", "pub(crate) ", "pub "].iter().find_map(|word| code.strip_prefix(word)).unwrap_or(code)
}

/// The lines after the first one up to the end of an item.
fn rest<'a>(first: &str, depth: usize, lines: &mut Lines<'a>) -> Vec<&'a str> {
    let mut taken = Vec::new();
    if first.ends_with(['}', ';']) || first.ends_with("},") {
        return taken;
    }
    for line in lines.by_ref() {
        taken.push(line);
        let indentation = line.len() - line.trim_start().len();
        if indentation == depth && line.trim_start().starts_with(['}', ']']) {
            break;
        }
    }
    taken
}

/// Takes lines down as they stand in a generated file.
struct Writer {
    layout: Layout,
    is_in_structure: bool,
    body: String,
}

impl Writer {
    /// The mathematics has no path, and what is visible depends on the layout.
    fn add(&mut self, line: &str) {
        let code = line.trim_start();
        let depth = line.len() - code.len();
        self.body.push_str(&line[..depth]);
        if code.starts_with("//") {
            self.body.push_str(code);
        } else {
            self.add_code(code, depth);
        }
        self.body.push('\n');
    }

    fn add_code(&mut self, code: &str, depth: usize) {
        let bare = without_visibility(code);
        if self.layout == Layout::Modules && self.is_seen(code, bare, depth) {
            self.body.push_str("pub(super) ");
        }
        if depth == 0 && !code.is_empty() {
            self.is_in_structure = bare.starts_with("struct ") && bare.ends_with('{');
        }
        self.body.push_str(&bare.replace("nalgebra::", "").replace("super::CosSin", "CosSin"));
    }

    /// What the file around a module uses of it: what the library shows, and structures with their fields.
    fn is_seen(&self, code: &str, bare: &str, depth: usize) -> bool {
        let is_type = depth == 0 && ["struct ", "enum "].iter().any(|word| bare.starts_with(word));
        let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_field = self.is_in_structure && bare.split_once(": ").is_some_and(|(name, _)| is_word(name));
        code.len() != bare.len() || is_type || is_field
    }
}

/// At most one empty line in a row, none before a closing brace or at the ends.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next_closes = lines.peek().is_none_or(|next| next.trim_start().starts_with('}'));
        let is_first = out.is_empty() || out.ends_with("\n\n") || out.ends_with("{\n");
        if line.is_empty() && (is_first || next_closes) {
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len() + 1);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! A heading.\n//! More.\n\nuse super::{\n    A,\n};\nuse std::fmt::{Debug, Write};\n\n/// Kept.\n#[derive(Debug)]\npub struct One {\n    \
                        pub(super) x: f64,\n}\n\n/// Gone.\nfn new(\n    x: f64,\n) -> One {\n    if x {\n    }\n}\n\nimpl One {\n    \
                        /// Gone too.\n    pub(crate) fn new() -> Self {\n        1\n    }\n\n    fn newer() {}\n}\n\n\
                        #[cfg(test)]\nmod tests {}\n";

    #[test]
    fn items_are_left_out_with_their_comments_and_nothing_else() {
        let cut = Source { path: "a.rs", text: TEXT, items: Items::Without(&["fn new"]) }.cut(Layout::Flat);
        assert_eq!(cut.heading, "A heading.");
        assert_eq!(
            cut.body,
            "/// Kept.\n#[derive(Debug)]\nstruct One {\n    x: f64,\n}\n\nimpl One {\n    fn newer() {}\n}\n"
        );
        assert_eq!(cut.imports.into_iter().collect::<Vec<_>>(), ["use std::fmt::Debug;"]);
    }

    #[test]
    fn items_are_taken_over_alone() {
        let cut = Source { path: "a.rs", text: TEXT, items: Items::Only(&["struct One"]) }.cut(Layout::Flat);
        assert_eq!(cut.body, "/// Kept.\n#[derive(Debug)]\nstruct One {\n    x: f64,\n}\n");
    }

    #[test]
    fn in_a_module_structures_and_what_was_visible_are_seen_from_around_it() {
        let cut = Source { path: "a.rs", text: TEXT, items: Items::Without(&["fn new"]) }.cut(Layout::Modules);
        let one = "pub(super) struct One {\n    pub(super) x: f64,\n}\n\nimpl One {\n    fn newer() {}\n}\n";
        assert_eq!(cut.body, format!("/// Kept.\n#[derive(Debug)]\n{one}"));
    }
}
