//! YAML as a tree whose nodes know their lines.
//!
//! Built from the events of the parser, so that what a hostile file could blow up is refused: aliases, which repeat
//! what they name, and depths that no configuration has.

use kinetic_core::{KineticError, Result};
use saphyr_parser::{Event, Parser, ScanError};

/// Deepest nesting that is read.
const DEEPEST_YAML_NESTING: usize = 32;

/// A value and the line it begins on.
#[derive(Debug, Clone)]
pub struct YamlNode {
    /// Line in the file, from 1.
    pub line: u32,
    /// The value.
    pub value: YamlValue,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum YamlValue {
    /// One value, as it is written.
    Scalar(String),
    /// Values in the order of the file.
    List(Vec<YamlNode>),
    /// Keys and values in the order of the file.
    Map(Vec<(YamlNode, YamlNode)>),
}

/// A document being read. Every error is [`KineticError::FileParse`] with the line.
#[derive(Debug, Clone)]
pub struct YamlSource {
    /// Name of the file, for errors.
    pub file: String,
}

impl YamlSource {
    /// The error for a line.
    pub fn at(&self, line: u32, detail: String) -> KineticError {
        KineticError::FileParse { file: self.file.clone(), line, detail }
    }

    /// The first document of a text; an empty map for an empty one.
    pub fn parse(&self, text: &str) -> Result<YamlNode> {
        let mut open: Vec<(YamlNode, Option<YamlNode>)> = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error: ScanError| {
                self.at(error.marker().line() as u32, format!("malformed YAML: {}", error.info()))
            })?;
            let node = |value| YamlNode { line: span.start.line() as u32, value };
            let finished = match event {
                Event::Scalar(text, ..) => node(YamlValue::Scalar(text.into_owned())),
                Event::SequenceStart(..) => {
                    open.push((node(YamlValue::List(Vec::new())), None));
                    continue;
                }
                Event::MappingStart(..) => {
                    open.push((node(YamlValue::Map(Vec::new())), None));
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                    Some((node, _)) => node,
                    None => continue,
                },
                Event::Alias(_) => {
                    return Err(self.at(span.start.line() as u32, "aliases (*name) are not supported".to_owned()));
                }
                _ => continue,
            };
            if open.len() > DEEPEST_YAML_NESTING {
                return Err(self.at(finished.line, format!("values are nested more than {DEEPEST_YAML_NESTING} deep")));
            }
            match open.last_mut() {
                None => return Ok(finished),
                Some((YamlNode { value: YamlValue::List(items), .. }, _)) => items.push(finished),
                Some((YamlNode { value: YamlValue::Map(entries), .. }, key)) => match key.take() {
                    None => *key = Some(finished),
                    Some(name) => entries.push((name, finished)),
                },
                Some(_) => {}
            }
        }
        Ok(YamlNode { line: 1, value: YamlValue::Map(Vec::new()) })
    }

    /// The entries of a map, each key once; nothing for an empty value.
    pub fn entries<'a>(&self, node: &'a YamlNode, what: &str) -> Result<Vec<(&'a str, &'a YamlNode)>> {
        match &node.value {
            YamlValue::Map(entries) => {
                let mut named: Vec<(&str, &YamlNode)> = Vec::new();
                for (key, value) in entries {
                    let name = self.word(key, what)?;
                    if named.iter().any(|(known, _)| *known == name) {
                        return Err(self.at(key.line, format!("{what}: \"{name}\" stands twice")));
                    }
                    named.push((name, value));
                }
                Ok(named)
            }
            YamlValue::Scalar(text) if text.is_empty() || text == "~" || text == "null" => Ok(Vec::new()),
            _ => Err(self.at(node.line, format!("{what}: names with values are needed"))),
        }
    }

    /// A scalar as it is written.
    pub fn word<'a>(&self, node: &'a YamlNode, what: &str) -> Result<&'a str> {
        match &node.value {
            YamlValue::Scalar(text) => Ok(text),
            _ => Err(self.at(node.line, format!("{what}: a single value is needed"))),
        }
    }

    /// A finite number.
    pub fn number(&self, node: &YamlNode, what: &str) -> Result<f64> {
        let word = self.word(node, what)?;
        match word.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.at(node.line, format!("{what} = \"{word}\" is not a finite number"))),
        }
    }

    /// The items of a list.
    ///
    /// # Errors
    /// [`KineticError::FileParse`] for anything else.
    pub fn items<'a>(&self, node: &'a YamlNode, what: &str) -> Result<&'a [YamlNode]> {
        match &node.value {
            YamlValue::List(items) => Ok(items),
            _ => Err(self.at(node.line, format!("{what}: a list is needed"))),
        }
    }

    /// A list of finite numbers.
    ///
    /// # Errors
    /// [`KineticError::FileParse`] for anything else.
    pub fn numbers(&self, node: &YamlNode, what: &str) -> Result<Vec<f64>> {
        self.items(node, what)?.iter().map(|item| self.number(item, what)).collect()
    }

    /// `true` or `false`, in the words of YAML 1.1, which ROS reads.
    pub fn truth(&self, node: &YamlNode, what: &str) -> Result<bool> {
        let word = self.word(node, what)?;
        match word.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Ok(true),
            "false" | "no" | "off" | "0" => Ok(false),
            _ => Err(self.at(node.line, format!("{what} = \"{word}\" is not true or false"))),
        }
    }
}
